//! Small trees and what their uses are bound to, by language.

mod go;
mod python;
mod random;
mod rust;
mod typescript;
