//! Broken texts, each with the exact messages: `bad/*.simt` with `.err`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use simulate::Registry;
use simulate::format::simt::Simt;
use simulate::format::{LoadOptions, Loader};
use simulate::model::check;

/// The diagnostics of `simulate check`.
fn findings(bytes: &[u8]) -> String {
    let found = match Simt.read(bytes, &LoadOptions::default()) {
        Err(error) => vec![error.to_diagnostic()],
        Ok(loaded) => {
            let mut found = loaded.diagnostics;
            found.extend(check(&loaded.simulation, &Registry::standard()).into_iter().filter(|found| found.is_error()));
            found.iter_mut().for_each(|diagnostic| loaded.source_map.locate(diagnostic));
            found
        }
    };
    let mut text = String::new();
    for diagnostic in found {
        writeln!(text, "{} at {}: {}", diagnostic.code, diagnostic.location, diagnostic.message).unwrap();
    }
    text
}

#[test]
fn every_mistake_is_reported_with_its_position() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/text/bad");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "simt"));
    paths.sort();
    assert!(paths.len() >= 30, "the cases are gone");
    let mut wrong = Vec::new();
    for path in paths {
        let found = findings(&fs::read(&path).unwrap());
        assert!(!found.is_empty(), "nothing is found wrong in {}", path.display());
        let golden = path.with_extension("err");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if found != expected {
            wrong.push(format!("{}\nexpected:\n{expected}found:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line that is not understood is kept in the document, and is an error in the other formats too.
#[test]
fn what_is_not_found_stays_an_error() {
    let text = "simulation M\nmodel M\na: Gain\na -> nowhere.2, a\na -> a\nb #0: Gain\na: model M\nk = 1\nk = 2\n";
    let loaded = Simt.read(text.as_bytes(), &LoadOptions::default()).unwrap();
    let errors = loaded.diagnostics.len();
    for loader in
        simulate::format::Formats::standard().iter().filter(|loader| ["simx", "simt"].contains(&loader.name()))
    {
        let saved = loader.write(&loaded.simulation).unwrap();
        let again = loader.read(&saved, &LoadOptions::default()).unwrap();
        assert_eq!(again.simulation, loaded.simulation, "{}", loader.name());
        assert_eq!(again.diagnostics.len(), errors, "{}: {:?}", loader.name(), again.diagnostics);
    }
}
