//! All formats beside `.simx`: the same simulation in each, and clear words where a file is none.

mod conformance;
mod damage;
mod same;

use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadError, LoadOptions, Loaded, Loader};

fn loader<'a>(formats: &'a Formats, name: &str) -> &'a dyn Loader {
    formats.iter().find(|loader| loader.name() == name).unwrap()
}

fn read_as(name: &str, bytes: &[u8]) -> Result<Loaded, LoadError> {
    loader(&Formats::standard(), name).read(bytes, &LoadOptions::default())
}

/// The file of a text of the XML format, in another format.
fn written_as(name: &str, simx: &str) -> Vec<u8> {
    let loaded = Simx.read(simx.as_bytes(), &LoadOptions::default()).unwrap();
    loader(&Formats::standard(), name).write(&loaded.simulation).unwrap()
}

/// One of everything that a file can hold.
const EVERYTHING: &str = include_str!("../../src/conformance/everything.simx");
