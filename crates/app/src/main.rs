//! The `understory` command.

fn main() {}
