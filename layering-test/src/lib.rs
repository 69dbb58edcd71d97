//! The table of allowed edges lives in `tests/layering.rs`.
