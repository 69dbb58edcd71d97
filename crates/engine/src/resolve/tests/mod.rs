//! Small trees and what their uses are bound to, by language.

mod csharp;
mod go;
mod jvm;
mod python;
mod random;
mod rust;
mod swift;
mod typescript;
