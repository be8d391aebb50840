//! What a file format keeps: everything.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::EXAMPLES;
use crate::format::simx::Simx;
use crate::format::{LoadOptions, Loader};
use crate::model::Simulation;

/// One of everything that a document can hold beside what the examples have.
const EVERYTHING: &str = include_str!("everything.simx");

/// Of a file's bytes, each of so many places is tried cut off and changed.
const PLACES: usize = 400;

/// The breaches of a format: every simulation comes back as it was, the same one gives the same bytes, its own files
/// are recognized, and a damaged one costs no panic.
pub fn format(loader: &dyn Loader) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut ask = |is_kept: bool, breach: &str| {
        if !is_kept {
            breaches.push(format!("{}: {breach}", loader.name()));
        }
    };
    ask(!loader.name().is_empty() && !loader.title().is_empty(), "it has a name and a title");
    ask(!loader.extensions().is_empty(), "it has an extension");
    let is_plain = |extension: &&str| !extension.starts_with('.') && extension.to_lowercase() == **extension;
    ask(loader.extensions().iter().all(is_plain), "an extension is in lower case and without a dot");
    for (what, text) in EXAMPLES.into_iter().chain([("everything", EVERYTHING)]) {
        let Ok(loaded) = Simx.read(text.as_bytes(), &LoadOptions::default()) else { continue };
        if let Err(breach) = comes_back(loader, &loaded.simulation) {
            ask(false, &format!("{what}: {breach}"));
        }
    }
    breaches
}

fn comes_back(loader: &dyn Loader, simulation: &Simulation) -> Result<(), String> {
    let bytes = loader.write(simulation).map_err(|error| format!("cannot be written: {error}"))?;
    if !loader.recognizes(&bytes) {
        return Err("its own file is not recognized".to_owned());
    }
    let options = LoadOptions::default();
    let read = loader.read(&bytes, &options).map_err(|error| format!("its own file cannot be read: {error}"))?;
    if read.simulation != *simulation {
        return Err("another simulation came back".to_owned());
    }
    match loader.write(&read.simulation) {
        Ok(again) if again == bytes => {}
        _ => return Err("a second writing gives other bytes".to_owned()),
    }
    let stride = (bytes.len() / PLACES).max(1);
    for place in (0..bytes.len()).step_by(stride) {
        let cut = bytes.get(..place).unwrap_or_default();
        let mut changed = bytes.clone();
        if let Some(byte) = changed.get_mut(place) {
            *byte ^= 0x15;
        }
        for (damage, file) in [("cut off", cut), ("changed", &changed)] {
            // Whatever is said of it, it is said.
            let read = catch_unwind(AssertUnwindSafe(|| drop(loader.read(file, &options))));
            read.map_err(|_| format!("it panics at a file {damage} at byte {place}"))?;
        }
    }
    Ok(())
}
