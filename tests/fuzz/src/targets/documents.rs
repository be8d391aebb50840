//! Whole documents: a file that can be read is checked, compiled and run for some steps.

use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader};

use super::trial;

pub fn run(data: &[u8]) {
    let Ok(loaded) = Simx.read(data, &LoadOptions::default()) else { return };
    let simulation = loaded.simulation;
    for diagnostic in diagnose(&simulation, &Registry::standard()) {
        assert!(!diagnostic.message.is_empty());
    }
    trial::run(&simulation, &["simple", "flat"], 3);
}
