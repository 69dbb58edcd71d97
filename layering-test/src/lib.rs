//! Nothing here: the table of allowed edges and the test that enforces it are in `tests/layering.rs`.
