//! BSON, for programs and databases that exchange documents in it.

use super::form::Form;
use super::{LoadError, LoadOptions, Loaded, Loader, SaveError};
use crate::model::Simulation;

/// The BSON format.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bson;

/// The size of an empty document: its length and a terminating zero.
const SHORTEST: usize = 5;

impl Loader for Bson {
    fn name(&self) -> &'static str {
        "bson"
    }

    fn title(&self) -> &'static str {
        "Simulation as BSON"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bson"]
    }

    /// Recognizes a document by its length at the start and its terminating zero.
    fn recognizes(&self, bytes: &[u8]) -> bool {
        let length = bytes.first_chunk().map(|length| u32::from_le_bytes(*length) as usize);
        bytes.len() >= SHORTEST && length == Some(bytes.len()) && bytes.last() == Some(&0)
    }

    fn read(&self, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
        let form: Form =
            bson::deserialize_from_slice(bytes).map_err(|error| LoadError::Damaged { problem: error.to_string() })?;
        Ok(form.read()?.finish(options))
    }

    fn write(&self, simulation: &Simulation) -> Result<Vec<u8>, SaveError> {
        bson::serialize_to_vec(&Form::of(simulation))
            .map_err(|error| SaveError::Inexpressible { problem: error.to_string() })
    }
}
