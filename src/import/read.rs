//! The reader of a file, by its content.

use super::error::ImportError;
use super::package::Package;
use super::source::Source;
use super::{simulink, xcos};

/// Reads a model without mapping it.
///
/// # Errors
/// If the bytes are not a model of a known format.
pub fn read(stem: &str, bytes: &[u8]) -> Result<Source, ImportError> {
    let package = Package::open(bytes)?;
    match &package {
        Some(package) if package.bytes("content.xml").is_some() => xcos::of_package(stem, package),
        None if xcos::is_diagram(bytes) => xcos::of_text(stem, bytes),
        _ => simulink::read(stem, bytes, package.as_ref()),
    }
}
