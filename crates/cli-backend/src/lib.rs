//! What backends that drive another program's command line have in common: the tree's own text behind what the program
//! names, the ends of a run in words, waiting with a deadline, and finding a program.

pub mod calls;
pub mod chosen;
pub mod prepared;
pub mod rows;
pub mod run;
pub mod search_path;
pub mod spans;
pub mod texts;
pub mod trees;
pub mod words;
