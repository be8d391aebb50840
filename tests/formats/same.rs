//! A simulation stays the same through any sequence of formats.

use std::fs;
use std::path::{Path, PathBuf};

use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadOptions, Loader};

use super::{EVERYTHING, loader, read_as, written_as};

fn files_in(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|known| known == "simx")).collect();
    files.sort();
    files
}

/// Converting .simx to every format and back gives the same bytes, and each format the same simulation.
#[track_caller]
fn check_ways(what: &str, text: &[u8]) {
    let formats = Formats::standard();
    let first = Simx.read(text, &LoadOptions::default()).unwrap().simulation;
    let expected = Simx.write(&first).unwrap();
    let mut simulation = first.clone();
    for loader in formats.iter() {
        let bytes = loader.write(&simulation).unwrap_or_else(|error| panic!("{what}, {}: {error}", loader.name()));
        assert!(loader.recognizes(&bytes), "{what}, {}", loader.name());
        let by_content = formats.of_content(&bytes, Path::new("renamed.txt")).unwrap();
        assert_eq!(by_content.name(), loader.name(), "{what}");
        simulation = loader.read(&bytes, &LoadOptions::default()).unwrap().simulation;
        assert_eq!(simulation, first, "{what}, {}", loader.name());
        assert_eq!(loader.write(&simulation).unwrap(), bytes, "{what}, {}", loader.name());
    }
    assert_eq!(Simx.write(&simulation).unwrap(), expected, "{what}");
}

#[test]
fn examples_and_samples() {
    let files = [files_in("assets/examples"), files_in("tests/samples")].concat();
    assert!(files.len() > 10);
    for file in files {
        check_ways(&file.display().to_string(), &fs::read(&file).unwrap());
    }
}

#[test]
fn one_of_everything() {
    assert_eq!(written_as("simx", EVERYTHING), EVERYTHING.as_bytes());
    check_ways("everything", EVERYTHING.as_bytes());
}

/// BSON has no unsigned numbers, so the largest ids and numbers of steps are texts there.
#[test]
fn numbers_beyond_those_of_bson() {
    let text = EVERYTHING.replace(&i64::MAX.to_string(), &u64::MAX.to_string());
    assert_ne!(text, EVERYTHING);
    check_ways("the largest number of steps", text.as_bytes());
    let read = |steps: &str| {
        let text = format!(r#"{{"simulate": 1, "simulation": {{"steps": {steps}, "root": "M"}}}}"#);
        read_as("json", text.as_bytes()).map(|loaded| loaded.simulation.steps)
    };
    assert_eq!(read("18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(read("\"18446744073709551615\"").unwrap(), u64::MAX);
    for steps in ["-1", "\"-1\"", "18446744073709551616", "\"18446744073709551616\"", "\"\"", "\"1.5\"", "1.5"] {
        assert!(read(steps).is_err(), "{steps}");
    }
}

/// Minimal JSON, as written by hand.
#[test]
fn json_by_hand() {
    let text = r#"{"simulate": 1, "simulation": {"steps": 3, "delta": 0.5, "root": "M", "content": [{"model": {
        "name": "M", "content": [
            {"block": {"id": 1, "group": "Var", "name": "Static",
                "body": [{"option": {"name": "Value", "values": ["2", "3"]}}]}},
            {"exit": {"id": 2, "name": "out"}},
            {"connection": {"from": 1, "output": "Output", "to": 2, "input": "Input"}}
        ]}}]}}"#;
    let simulation = read_as("json", text.as_bytes()).unwrap().simulation;
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<simulation steps=\"3\" delta=\"0.5\" root=\"M\">\n\
        \t<model name=\"M\">\n\
        \t\t<block id=\"1\" group=\"Var\" name=\"Static\">\
        <option name=\"Value\"><value>2</value><value>3</value></option></block>\n\
        \t\t<exit id=\"2\" name=\"out\"/>\n\
        \t\t<connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>\n\
        \t</model>\n</simulation>\n";
    assert_eq!(String::from_utf8(Simx.write(&simulation).unwrap()).unwrap(), expected);
}

#[test]
fn json_has_a_line_for_a_block() {
    let text = String::from_utf8(written_as("json", EVERYTHING)).unwrap();
    let line = text.lines().find(|line| line.contains("\"entry\"")).unwrap();
    assert_eq!(
        line.trim().trim_end_matches(','),
        "{\"entry\": {\"id\": 0, \"name\": \"x\", \"attributes\": {\"view:x\": \"40\", \"view:y\": \"80.5\"}, \
         \"body\": [{\"option\": {\"name\": \"Initial Value\", \"values\": [\"1\"]}}]}}"
    );
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
}

#[test]
fn the_binary_form_is_small() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples").join("mass_spring_chain.simx");
    let text = fs::read_to_string(file).unwrap();
    let binary = written_as("simb", &text);
    assert!(binary.len() * 4 < text.len(), "{} of {}", binary.len(), text.len());
}

#[test]
fn endless_nesting_is_skipped_in_every_format() {
    let text = "<simulation root='A'><model name='A'><model id='1' model='B'/></model>\
        <model name='B'><model id='1' model='A'/></model></simulation>";
    for name in ["json", "bson", "simb"] {
        let bytes = written_as(name, text);
        let kept = read_as(name, &bytes).unwrap();
        assert_eq!(kept.diagnostics, []);
        let options = LoadOptions { skip_invalid_models: true };
        let skipped = loader(&Formats::standard(), name).read(&bytes, &options).unwrap();
        assert_eq!(skipped.diagnostics.len(), 1, "{name}");
        assert_eq!(skipped.diagnostics[0].code, "skipped-model");
        assert!(skipped.simulation.model("B").unwrap().blocks.is_empty());
    }
}
