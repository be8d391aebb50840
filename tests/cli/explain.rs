//! `simulate explain`, and the catalogue of diagnostics behind it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::format::{Formats, LoadOptions};
use simulate::model::{CODES, CodeExample, explanation};

use super::{folder, simulate};

/// The codes with which the source makes diagnostics: the text that follows `Diagnostic::error(` or `warning(`.
fn codes_of_the_source() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the source is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("the source is text");
            let program = text.split("#[cfg(test)]").next().unwrap_or_default();
            for start in ["Diagnostic::error(", "Diagnostic::warning("] {
                let calls = program.split(start).skip(1);
                codes.extend(
                    calls.filter_map(|call| Some(call.trim_start().strip_prefix('"')?.split('"').next()?.into())),
                );
            }
        }
    }
    codes
}

#[test]
fn every_code_of_the_source_is_in_the_catalogue() {
    let known: BTreeSet<String> = CODES.iter().map(|def| def.code.to_owned()).collect();
    assert_eq!(known.len(), CODES.len(), "each code once");
    assert!(CODES.is_sorted_by_key(|def| def.code));
    let used = codes_of_the_source();
    assert!(used.len() > 40, "the source was read: {used:?}");
    let missing: Vec<&String> = used.difference(&known).collect();
    assert!(missing.is_empty(), "not explained in src/model/codes.rs: {missing:?}");
    // Errors of loading have their codes from LoadError::code.
    let of_loading =
        ["contradiction", "damaged", "encoding", "malformed", "not-a-simulation", "unknown-format", "unreadable"];
    let unused: Vec<&String> = known.difference(&used).filter(|code| !of_loading.contains(&code.as_str())).collect();
    assert!(unused.is_empty(), "nothing has these codes: {unused:?}");
    for def in CODES {
        assert!(def.cause.ends_with('.') && def.remedy.ends_with('.'), "whole sentences: {}", def.code);
    }
}

#[test]
fn every_example_has_its_code() {
    let (formats, registry) = (Formats::standard(), Registry::standard());
    let mut wrong = Vec::new();
    for def in CODES {
        let Some(text) = def.example.file() else { continue };
        let found: Vec<&str> = match formats.parse(Path::new("example.simx"), text.as_bytes(), &LoadOptions::default())
        {
            Err(error) => vec![error.code()],
            Ok(loaded) => {
                let of_model = diagnose(&loaded.simulation, &registry);
                loaded.diagnostics.iter().chain(&of_model).map(|found| found.code).collect()
            }
        };
        if !found.contains(&def.code) {
            wrong.push((def.code, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let count = CODES.iter().filter(|def| matches!(def.example, CodeExample::Situation(_))).count();
    // Four of them are of plug-ins, workers and models of other programs, which are not in the file.
    assert!(count <= 12, "mistakes of a file are shown by a file");
}

#[test]
fn a_code_is_explained() {
    let here = folder(&[]);
    let outcome = simulate(here.path(), &["explain", "unknown-block"]);
    let expected = "unknown-block\n\nThe library has no block of this group and name.\n\n\
                    What to do: Compare the spelling with “simulate blocks”; a block of an extension needs the program \
                    that has it.\n\nExample:\n  <block id=\"1\" group=\"Math\" name=\"Gian\"/>\n";
    assert_eq!((outcome.code, &*outcome.out), (0, expected));
    // As it stands in the output of `check`.
    assert_eq!(simulate(here.path(), &["explain", "error[unknown-block]:"]).out, expected);
    let outcome = simulate(here.path(), &["explain", "bad-block"]);
    assert_eq!((outcome.code, &*outcome.out), (2, ""));
    assert!(outcome.err.contains("there is no code “bad-block”") && outcome.err.contains("unknown-block"));
}

#[test]
fn all_codes_are_listed() {
    let here = folder(&[]);
    let lines = simulate(here.path(), &["explain"]).out;
    assert_eq!(lines.lines().count(), CODES.len());
    let all: Value = serde_json::from_str(&simulate(here.path(), &["explain", "--format", "json"]).out).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(CODES.len()));
    let one = simulate(here.path(), &["explain", "loop", "--format", "json"]).out;
    let one: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(one["remedy"], explanation("loop").expect("the code").remedy);
}
