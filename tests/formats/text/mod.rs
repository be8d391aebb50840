//! The text form: nothing is lost, a compact text means the same, and a text that is applied keeps looks and ids.

mod applied;
mod bad;
mod compact;
mod lines;

use simulate::Registry;
use simulate::format::simt::{self, Simt};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loaded, Loader};
use simulate::model::Simulation;

fn read(text: &str) -> Loaded {
    Simt.read(text.as_bytes(), &LoadOptions::default())
        .unwrap_or_else(|error| panic!("{error} at {:?}:\n{text}", error.position()))
}

/// Reads a text without a mistake.
fn sound(text: &str) -> Simulation {
    let loaded = read(text);
    assert_eq!(loaded.diagnostics, [], "{text}");
    loaded.simulation
}

fn written(simulation: &Simulation) -> String {
    String::from_utf8(Simt.write(simulation).unwrap()).unwrap()
}

fn compact(simulation: &Simulation) -> String {
    simt::text(simulation, &Registry::standard()).unwrap()
}

fn xml(simulation: &Simulation) -> String {
    String::from_utf8(Simx.write(simulation).unwrap()).unwrap()
}

fn of_xml(text: &str) -> Simulation {
    Simx.read(text.as_bytes(), &LoadOptions::default()).unwrap().simulation
}

fn example(name: &str) -> Simulation {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    of_xml(&std::fs::read_to_string(folder.join(format!("{name}.simx"))).unwrap())
}

fn examples() -> Vec<(String, Simulation)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "simx"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() > 20);
    names.into_iter().map(|name| (name.clone(), example(&name))).collect()
}
