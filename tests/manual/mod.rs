//! The manual does what it says: its commands run, its files are valid, its links lead somewhere.

mod assistants;
#[cfg(unix)]
mod working_together;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::{Outcome, folder, simulate};

fn manual() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/manual")
}

/// The chapters: their file names and texts.
fn chapters() -> Vec<(String, String)> {
    let files = fs::read_dir(manual()).expect("a folder").map(|entry| entry.expect("an entry").path());
    let chapters = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut chapters: Vec<(String, String)> = chapters
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("a text"))
        })
        .collect();
    chapters.sort();
    chapters
}

/// The code blocks of a language.
fn code<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    text.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Splits a command line at spaces outside of quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(letter),
        }
    }
    words
}

/// The targets of links and pictures.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

fn run(folder: &Path, line: &str) -> Outcome {
    let words = words(line);
    assert_eq!(words[0], "simulate", "{line}");
    simulate(folder, &words[1..].iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn every_command_of_the_manual_runs() {
    let examples = fs::read_dir(manual().join("../examples")).expect("a folder");
    let examples: Vec<PathBuf> = examples.map(|entry| entry.expect("an entry").path()).collect();
    let mut count = 0;
    for (name, text) in chapters() {
        let folder = folder(&[]);
        for example in &examples {
            fs::copy(example, folder.path().join(example.file_name().expect("a name"))).expect("a copy");
        }
        for line in code(&text, "sh").iter().flat_map(|block| block.lines()) {
            let is_drawn = ["simulate picture", "simulate report"].iter().any(|drawn| line.starts_with(drawn));
            if cfg!(not(feature = "app")) && is_drawn {
                continue;
            }
            let outcome = run(folder.path(), line);
            assert_eq!(outcome.code, 0, "{name}: {line}: {}", outcome.err);
            count += 1;
        }
    }
    assert!(count > 30, "{count} commands");
}

#[test]
fn every_link_of_the_manual_leads_somewhere() {
    let mut linked = BTreeSet::new();
    for (name, text) in chapters() {
        for link in links(&text) {
            assert!(manual().join(link).is_file(), "{name} links to {link}");
            if name == "README.md" {
                linked.insert(link.to_owned());
            }
        }
    }
    let all: BTreeSet<String> =
        chapters().into_iter().map(|(name, _)| name).filter(|name| name != "README.md").collect();
    assert_eq!(linked, all, "the contents have every chapter");
}

/// The files and folders that README, CONTRIBUTING and the page about tests name are there.
#[test]
fn every_path_that_contributors_are_given_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for page in ["README.md", "CONTRIBUTING.md", "tests/README.md"] {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        let quoted = text.split('`').skip(1).step_by(2).filter(|quoted| !quoted.contains([' ', '<', '*', '{', '\n']));
        let folders = ["src/", "tests/", "assets/", "benches/", "bindings/", ".ci/"];
        for path in quoted.filter(|quoted| folders.iter().any(|folder| quoted.starts_with(folder))) {
            assert!(root.join(path).exists(), "{page}: there is no {path}");
            count += 1;
        }
    }
    assert!(count > 40, "{count} paths");
}

/// The chapter about code names each of its functions.
#[test]
fn each_function_of_code_is_in_the_manual() {
    let chapters: BTreeMap<String, String> = chapters().into_iter().collect();
    let (_, functions) = chapters["code.md"].split_once("## Functions").expect("the functions");
    let words: BTreeSet<&str> = functions.split(|c: char| !c.is_alphanumeric()).collect();
    let functions = simulate::block::language::FUNCTIONS.iter().filter(|function| !function.is_keyword());
    let missing: Vec<&str> = functions.map(|function| function.name).filter(|name| !words.contains(name)).collect();
    assert!(missing.is_empty(), "assets/manual/code.md does not name {missing:?}");
}

/// The details of the author's readme: principles, steps, their length, threads, contexts, and the form of files.
#[test]
fn each_detail_of_the_source_documents_has_its_chapter() {
    let details = [
        ("steps.md", "## What happens in a step"),
        ("steps.md", "## Entries and exits"),
        ("steps.md", "The number of block executions in a step"),
        ("models.md", "# Models inside models"),
        ("models.md", "## Conditional and iterated models"),
        ("signals.md", "# Signals and buses"),
        ("extending.md", "`IContext`, `DefaultContext`"),
        ("extending.md", "`StepContext`, `SignalValue`"),
        ("extending.md", "`ThreadedEngine`"),
        ("extending.md", "the block factory"),
        ("file-format.md", "## `<simulation>`"),
        ("file-format.md", "## `<connection>`"),
    ];
    let chapters: BTreeMap<String, String> = chapters().into_iter().collect();
    for (chapter, detail) in details {
        assert!(chapters.get(chapter).is_some_and(|text| text.contains(detail)), "{chapter} has no {detail}");
    }
}

/// The level is 2 (1 − exp(−(t − 1)/2)) from the second in which the inflow begins.
#[test]
fn the_first_model_fills_as_the_manual_says() {
    let text = fs::read_to_string(manual().join("tank.simx")).expect("a file");
    let folder = folder(&[("tank.simx", &text)]);
    assert_eq!(simulate(folder.path(), &["run", "tank.simx", "--out", "tank.csv"]).code, 0);
    let table = fs::read_to_string(folder.path().join("tank.csv")).expect("results");
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
        let (time, level) = (cells[1], cells[2]);
        let expected = if time < 1.0 { 0.0 } else { 2.0 * (1.0 - (-(time - 1.0) / 2.0).exp()) };
        // A step of Runge and Kutta begins where the inflow does.
        assert!((level - expected).abs() < 1e-9, "{level} at {time}, not {expected}");
        compared += 1;
    }
    assert_eq!(compared, 1000);
}

/// Runs a checker of schemas; none where there is none.
fn validate(file: &Path) -> Option<bool> {
    let mut command = Command::new("xmllint");
    command.arg("--noout").arg("--relaxng").arg(manual().join("simx.rng")).arg(file);
    Some(command.output().ok()?.status.success())
}

#[test]
fn our_files_are_valid_by_the_schema_and_broken_ones_are_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![manual().join("tank.simx")];
    for folder in ["assets/examples", "tests/samples"] {
        let entries = fs::read_dir(root.join(folder)).expect("a folder").map(|entry| entry.expect("an entry").path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "simx")));
    }
    if validate(&files[0]).is_none() {
        return;
    }
    for file in &files {
        assert_eq!(validate(file), Some(true), "{}", file.display());
    }
    let sound = fs::read_to_string(&files[0]).expect("a file");
    let breaks = [
        ("id=\"3\"", "id=\"x\""),
        (" output=\"Output\"", ""),
        (" group=\"Var\"", ""),
        ("steps=\"1000\"", "steps=\"many\""),
        ("<model name=\"Tank\">", "<model>"),
    ];
    for (from, to) in breaks {
        let broken = sound.replacen(from, to, 1);
        assert_ne!(broken, sound);
        let folder = folder(&[("broken.simx", &broken)]);
        assert_eq!(validate(&folder.path().join("broken.simx")), Some(false), "{from} as {to}");
    }
}

#[test]
fn the_files_in_the_manual_are_valid() {
    let mut count = 0;
    for (name, text) in chapters() {
        for sample in code(&text, "xml") {
            let folder = folder(&[("sample.simx", sample)]);
            let outcome = simulate(folder.path(), &["check", "sample.simx"]);
            assert_eq!(outcome.code, 0, "{name}: {}{}", outcome.out, outcome.err);
            assert_ne!(validate(&folder.path().join("sample.simx")), Some(false), "{name}");
            count += 1;
        }
    }
    assert!(count > 0);
}

/// The text that is written by hand is sound, and its level is 2 (1 − exp(−(t − 1)/2)).
#[test]
fn the_model_as_text_fills_as_it_should() {
    let chapters: BTreeMap<String, String> = chapters().into_iter().collect();
    let texts = code(&chapters["text.md"], "simt");
    let folder = folder(&[("tank.simt", texts[0])]);
    let outcome = simulate(folder.path(), &["check", "tank.simt"]);
    assert_eq!(outcome.code, 0, "{}{}", outcome.out, outcome.err);
    let outcome = simulate(folder.path(), &["run", "tank.simt", "--format", "json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let (_, level) = outcome.out.split_once("\"level\":[").expect("the exit");
    let level: f64 = level.split(']').next().expect("a value").parse().expect("a number");
    // The exit has the value at the begin of the last of 1000 steps of 10 ms.
    let expected = 2.0 * (1.0 - (-(9.99_f64 - 1.0) / 2.0).exp());
    assert!((level - expected).abs() < 1e-9, "{level}, not {expected}");
}
