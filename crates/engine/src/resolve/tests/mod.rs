//! Small trees and what their uses are bound to, by language.

mod bash;
mod c;
mod chains;
mod csharp;
mod go;
mod jvm;
mod lua;
mod php;
mod python;
mod random;
mod ruby;
mod rust;
mod swift;
mod typescript;
