//! The formats other than `.simx`: the same simulation in each, and clear errors for invalid files.

mod conformance;
mod damage;
mod results;
mod same;
mod tables;
mod text;

use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadError, LoadOptions, Loaded, Loader};

fn loader<'a>(formats: &'a Formats, name: &str) -> &'a dyn Loader {
    formats.iter().find(|loader| loader.name() == name).unwrap()
}

fn read_as(name: &str, bytes: &[u8]) -> Result<Loaded, LoadError> {
    loader(&Formats::standard(), name).read(bytes, &LoadOptions::default())
}

/// Converts a text of the XML format to another format.
fn written_as(name: &str, simx: &str) -> Vec<u8> {
    let loaded = Simx.read(simx.as_bytes(), &LoadOptions::default()).unwrap();
    loader(&Formats::standard(), name).write(&loaded.simulation).unwrap()
}

/// A file with every feature.
const EVERYTHING: &str = include_str!("../../src/conformance/everything.simx");
