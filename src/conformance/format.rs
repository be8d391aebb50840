//! The conformance test of a file format: it must not lose anything.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{EXAMPLES, NonConformance};
use crate::format::simx::Simx;
use crate::format::{LoadOptions, Loader};
use crate::model::Simulation;

/// A document with every feature that the examples do not have.
const EVERYTHING: &str = include_str!("everything.simx");

/// The number of positions at which a file is truncated and changed.
const POSITIONS: usize = 400;

/// Returns the errors of a format: every simulation must survive saving and loading, equal simulations must give equal
/// bytes, its files must be recognized, and a damaged file must not cause a panic.
pub fn format(loader: &dyn Loader) -> Vec<String> {
    let mut errors = Vec::new();
    let mut require = |is_met: bool, error: &str| {
        if !is_met {
            errors.push(format!("{}: {error}", loader.name()));
        }
    };
    require(!loader.name().is_empty() && !loader.title().is_empty(), "it needs a name and a title");
    require(!loader.extensions().is_empty(), "it needs an extension");
    let is_plain = |extension: &&str| !extension.starts_with('.') && extension.to_lowercase() == **extension;
    require(loader.extensions().iter().all(is_plain), "an extension must be lower case without a dot");
    for (what, text) in EXAMPLES.into_iter().chain([("everything", EVERYTHING)]) {
        let Ok(loaded) = Simx.read(text.as_bytes(), &LoadOptions::default()) else { continue };
        if let Err(error) = check_round_trip(loader, &loaded.simulation) {
            require(false, &format!("{what}: {error}"));
        }
    }
    errors
}

fn check_round_trip(loader: &dyn Loader, simulation: &Simulation) -> Result<(), NonConformance> {
    let bytes = loader.write(simulation).map_err(|error| NonConformance(format!("cannot be written: {error}")))?;
    if !loader.recognizes(&bytes) {
        return Err(NonConformance::new("its own file is not recognized"));
    }
    let options = LoadOptions::default();
    let unreadable = |error| NonConformance(format!("its own file cannot be read: {error}"));
    let read = loader.read(&bytes, &options).map_err(unreadable)?;
    if read.simulation != *simulation {
        return Err(NonConformance::new("the loaded simulation differs"));
    }
    match loader.write(&read.simulation) {
        Ok(again) if again == bytes => {}
        _ => return Err(NonConformance::new("saving again gives other bytes")),
    }
    let stride = (bytes.len() / POSITIONS).max(1);
    for position in (0..bytes.len()).step_by(stride) {
        let cut = bytes.get(..position).unwrap_or_default();
        let mut changed = bytes.clone();
        if let Some(byte) = changed.get_mut(position) {
            *byte ^= 0x15;
        }
        for (damage, file) in [("cut off", cut), ("changed", &changed)] {
            // Any result is allowed.
            let read = catch_unwind(AssertUnwindSafe(|| drop(loader.read(file, &options))));
            read.map_err(|_| NonConformance(format!("it panics on a file {damage} at byte {position}")))?;
        }
    }
    Ok(())
}
