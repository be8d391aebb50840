//! Readers of Simulink's files: .slx in its two layouts, and .mdl as text and as a package.
//!
//! | module | contents |
//! |---|---|
//! | `mdl` | the parser of texts |
//! | `build` | from sections to a [`Source`] |
//! | `lines` | lines and their branches as wires |
//! | `charts` | the code in blocks |
//! | `workspace` | the variables that a model brings along |
//! | `plain` | texts of annotations without their markup |

mod build;
mod charts;
mod lines;
mod mdl;
mod plain;
mod workspace;

use super::error::ImportError;
use super::package::Package;
use super::source::Source;

/// Reads a model from the bytes of a file, by their content.
pub fn read(stem: &str, bytes: &[u8], package: Option<&Package>) -> Result<Source, ImportError> {
    match package {
        Some(package) => build::of_package(stem, package),
        None => {
            let text = mdl::decoded(bytes);
            build::of_text(stem, &mdl::parse(&text)?)
        }
    }
}
