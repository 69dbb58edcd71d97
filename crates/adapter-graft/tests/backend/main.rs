//! The backend over a program that behaves like Graft, under the real sandbox and over trees that are really written out.
#![cfg(target_os = "linux")]

mod contract;
mod ends;
mod hazards;
mod slots;
mod support;
mod words;
