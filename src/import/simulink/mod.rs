//! Readers of Simulink's files: .slx in its two layouts, and .mdl as text and as a package.
//!
//! | module | contents |
//! |---|---|
//! | `package` | the parts of a file: of an archive, or of a package written as text |
//! | `section` | a part as a tree of sections with parameters, the same for XML and for text |
//! | `xml`, `mdl` | parsers from a part to its sections |
//! | `build` | from sections to a [`Source`] |
//! | `lines` | lines and their branches as wires |
//! | `charts` | the code in blocks |
//! | `workspace` | the variables that a model brings along |
//! | `plain` | texts of annotations without their markup |

mod build;
mod charts;
mod lines;
mod mdl;
pub mod package;
pub mod plain;
pub mod section;
mod workspace;
pub mod xml;

use super::error::ImportError;
use super::source::Source;

pub use package::is_package;

use self::package::Package;

/// Reads a model from the bytes of a file, by their content.
pub fn read(stem: &str, bytes: &[u8]) -> Result<Source, ImportError> {
    match Package::open(bytes)? {
        Some(package) => build::of_package(stem, &package),
        None => {
            let text = mdl::decoded(bytes);
            build::of_text(stem, &mdl::parse(&text)?)
        }
    }
}
