//! Functional mock-up units (FMUs): archives with a model's description and its code, in FMI 2.0 and 3.0.
//!
//! | module | contents |
//! |---|---|
//! | `archive` | the archive: bounds, and unpacking to a folder |
//! | `description` | the types of a description |
//! | `read` | reads `modelDescription.xml` |
//! | `sources` | how the sources are compiled |
//! | `error` | why an FMU cannot be used |
//!
//! This module loads and runs no code: `crate::worker` does. Next: [`Fmu::read`].

mod archive;
mod description;
mod error;
mod read;
mod sources;

use std::path::Path;

use sha2::{Digest, Sha256};

pub use description::{
    Causality, Description, FmiVersion, FmuInterface, FmuType, FmuVariable, MAX_VALUES, Simulated, Variability,
};
pub use error::FmuError;
pub use sources::FmuSources;

/// An FMU in memory: its archive and what its description says.
#[derive(Debug)]
pub struct Fmu {
    bytes: Vec<u8>,
    pub description: Description,
    /// The SHA-256 of the archive as hexadecimal digits. A user's permission to run the code is for this hash.
    pub hash: String,
}

impl Fmu {
    /// The maximum size of an archive, in bytes.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// Reads the description in an archive.
    ///
    /// # Errors
    /// If the archive or its description is invalid.
    pub fn read(bytes: Vec<u8>) -> Result<Fmu, FmuError> {
        let mut archive = archive::FmuArchive::open(&bytes)?;
        let mut description = read::description(&archive.text(archive::DESCRIPTION)?)?;
        description.platforms = archive.platforms();
        description.has_sources = !archive.sources().is_empty();
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Fmu { bytes, description, hash })
    }

    /// Returns how the sources of a library are compiled.
    ///
    /// # Errors
    /// If there are none, or their description is invalid.
    pub fn sources(&self, simulated: Simulated) -> Result<FmuSources, FmuError> {
        let mut archive = archive::FmuArchive::open(&self.bytes)?;
        let interface = self.description.interface(simulated).cloned().unwrap_or_default();
        match archive.text(sources::BUILD_DESCRIPTION) {
            Ok(text) => return sources::build_description(&text, &interface.identifier),
            Err(FmuError::Missing(_)) => {}
            Err(error) => return Err(error),
        }
        let files = if interface.sources.is_empty() { archive.sources() } else { interface.sources };
        FmuSources { files, ..FmuSources::default() }.checked()
    }

    /// Unpacks the files that a run needs to an existing folder.
    ///
    /// # Errors
    /// If a file cannot be unpacked or written.
    pub fn unpack(&self, folder: &Path) -> Result<(), FmuError> {
        archive::FmuArchive::open(&self.bytes)?.unpack(folder)
    }
}
