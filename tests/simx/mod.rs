//! The `.simx` format: saving and loading lose nothing, and errors are reported.

mod bad;
mod big;
mod canonical;
mod disk;
mod identity;
mod library;
mod mutations;
mod nesting;
pub mod property;

use simulate::format::simx::Simx;
use simulate::format::{LoadError, LoadOptions, Loaded, Loader};
use simulate::model::Simulation;

pub fn try_load(bytes: &[u8]) -> Result<Loaded, LoadError> {
    Simx.read(bytes, &LoadOptions::default())
}

#[track_caller]
pub fn load(text: &str) -> Loaded {
    try_load(text.as_bytes()).unwrap_or_else(|error| panic!("{error} at {:?}: {text}", error.position()))
}

/// Loads a valid text.
#[track_caller]
pub fn load_sound(text: &str) -> Simulation {
    let loaded = load(text);
    assert_eq!(loaded.diagnostics, [], "{text}");
    loaded.simulation
}

#[track_caller]
pub fn write(simulation: &Simulation) -> String {
    String::from_utf8(Simx.write(simulation).unwrap()).unwrap()
}

/// Checks that load, save, load gives the same simulation, and a second save the same bytes. Returns the canonical
/// text.
#[track_caller]
pub fn check_identity(text: &str) -> String {
    let first = load(text);
    let saved = write(&first.simulation);
    let second = load(&saved);
    assert_eq!(first.simulation, second.simulation, "{text}\n{saved}");
    assert_eq!(saved, write(&second.simulation));
    saved
}
