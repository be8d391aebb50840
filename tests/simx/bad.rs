//! Invalid files, each with the exact messages.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use simulate::block::Registry;
use simulate::model::{Diagnostic, Severity, check};

use super::{check_identity, try_load};

/// The diagnostics of `simulate check`: those of the loader and of the document, each with a line for its help.
fn findings(bytes: &[u8]) -> Vec<Diagnostic> {
    match try_load(bytes) {
        Err(error) => vec![error.to_diagnostic()],
        Ok(loaded) => {
            let mut found = loaded.diagnostics;
            found.extend(check(&loaded.simulation, &Registry::standard()));
            found.iter_mut().for_each(|diagnostic| loaded.source_map.locate(diagnostic));
            found
        }
    }
}

fn as_text(found: &[Diagnostic]) -> String {
    let mut text = String::new();
    for diagnostic in found {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        writeln!(text, "{severity} {} at {}: {}", diagnostic.code, diagnostic.location, diagnostic.message).unwrap();
        if !diagnostic.help.is_empty() {
            writeln!(text, "    {}", diagnostic.help).unwrap();
        }
    }
    text
}

#[test]
fn every_mistake_is_reported_with_its_position() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simx/bad");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "simx"));
    paths.sort();
    assert!(paths.len() > 60, "the cases are gone");
    let mut wrong = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let found = findings(&bytes);
        assert!(!found.is_empty(), "nothing is found wrong in {}", path.display());
        let found = as_text(&found);
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

#[test]
fn what_is_wrong_is_written_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simx/bad");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if path.extension().is_some_and(|extension| extension == "simx") && try_load(text.as_bytes()).is_ok() {
            let saved = check_identity(&text);
            let again = as_text(&findings(saved.as_bytes()));
            let count = |text: &str| text.lines().filter(|line| !line.starts_with("    ")).count();
            let before = as_text(&findings(text.as_bytes()));
            assert_eq!(count(&again), count(&before), "{}\n{again}", path.display());
        }
    }
}

/// A column counts characters, not bytes; these include the first and the last continuation byte.
#[test]
fn columns_count_characters() {
    for character in ["a", "\u{C0}", "\u{FF}", "\u{7FF}", "\u{800}", "\u{FFFD}", "\u{1F600}", "\u{10FFFF}"] {
        let before = format!("<simulation note=\"{character}{character}\">");
        let found = try_load(format!("{before}<odd/></simulation>").as_bytes()).unwrap().diagnostics;
        let place = found[0].location.text.unwrap();
        assert_eq!((place.line, place.column), (1, before.chars().count() + 1), "{character}");
    }
}
