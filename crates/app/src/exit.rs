//! Exit codes. They are part of the command's interface, see `docs/cli.md`.

/// Something was found, or the command did what it says.
pub const FOUND: u8 = 0;
/// Nothing was found; what was not searched is counted in the answer.
pub const NOTHING: u8 = 1;
/// Refused or failed; the reason and the remedy are on standard error. Also a usage error.
pub const FAILED: u8 = 2;
