//! `simulate check`.

use serde_json::{Value, json};

use super::{folder, simulate};

const SOUND: &str = "<simulation root=\"Main\">\n\t<model name=\"Main\"/>\n</simulation>\n";
const WRONG: &str = "<simulation root=\"Main\">\n\t<model name=\"Main\">\n\t\t<entry id=\"0\" name=\"x\"/>\n\
    \t\t<entry id=\"0\" name=\"é\"/>\n\t\t<block id=\"1\" group=\"Math\" name=\"Gian\"/>\n\t</model>\n</simulation>\n";

#[test]
fn a_valid_file() {
    let folder = folder(&[("a.simx", SOUND)]);
    let outcome = simulate(folder.path(), &["check", "a.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "a.simx: valid\n", ""));
}

#[test]
fn mistakes_with_their_lines() {
    let folder = folder(&[("a.simx", WRONG)]);
    let outcome = simulate(folder.path(), &["check", "a.simx"]);
    let expected = r#"error[duplicate-id]: the id 0 is already in use in this model, at 3:3
 --> a.simx:4:3
  |
4 |         <entry id="0" name="é"/>
  |         ^^^^^^
  |
  = help: give one of them another id; this one is kept in the file but not loaded

error[unknown-block]: there is no block Math/Gian in the library
 --> a.simx:5:3
  |
5 |         <block id="1" group="Math" name="Gian"/>
  |         ^^^^^^
  |
  = help: the block is kept unchanged; compare the spelling of Math/Gian with “simulate blocks”

a.simx: invalid, 2 errors
"#;
    assert_eq!(outcome.out, expected);
    assert_eq!((outcome.code, &*outcome.err), (1, ""));
}

#[test]
fn the_worst_of_several_files_counts() {
    let folder = folder(&[("a.simx", SOUND), ("b.simx", WRONG), ("c.simx", "<simulation>")]);
    let outcome = simulate(folder.path(), &["check", "a.simx", "c.simx", "b.simx", "missing.simx"]);
    assert_eq!(outcome.code, 2);
    let verdicts: Vec<&str> = outcome.out.lines().filter(|line| line.contains(".simx: ")).collect();
    let expected = [
        "a.simx: valid",
        "c.simx: unreadable, 1 error",
        "b.simx: invalid, 2 errors",
        "missing.simx: unreadable, 1 error",
    ];
    assert_eq!(verdicts, expected, "{}", outcome.out);
    assert_eq!(simulate(folder.path(), &["check", "a.simx", "b.simx"]).code, 1);
}

#[test]
fn json_for_scripts() {
    let folder = folder(&[("a.simx", SOUND), ("b.simx", WRONG)]);
    let outcome = simulate(folder.path(), &["check", "--format", "json", "a.simx", "b.simx", "c.simx"]);
    let report: Value = serde_json::from_str(&outcome.out).unwrap();
    assert_eq!(report["files"][0], json!({"file": "a.simx", "readable": true, "valid": true, "diagnostics": []}));
    let first = json!({
        "severity": "error",
        "code": "duplicate-id",
        "message": "the id 0 is already in use in this model, at 3:3",
        "help": "give one of them another id; this one is kept in the file but not loaded",
        "line": 4,
        "column": 3,
        "model": "Main",
        "block": 0,
    });
    assert_eq!(report["files"][1]["diagnostics"][0], first);
    assert_eq!(report["files"][2]["readable"], false);
    assert_eq!(outcome.code, 2);
}

#[test]
fn odd_files_are_shown_too() {
    let long = format!("<simulation note=\"{}\"><model/></simulation>", "x".repeat(100_000));
    let folder = folder(&[
        ("long.simx", &long),
        ("returns.simx", "<simulation root='M'>\r\n<model name='M'>\r<x/>\r</model></simulation>"),
        ("mark.simx", "\u{FEFF}<simulation root='M'><model name='M'><x/></model></simulation>"),
        ("end.simx", "<simulation root='M'>\n<model name='M'>\n"),
    ]);
    let check = |file| simulate(folder.path(), &["check", file]).out;
    let text = check("long.simx");
    assert!(text.contains("long.simx:1:100021") && text.len() < 2000, "{text}");
    let text = check("returns.simx");
    assert!(text.contains("returns.simx:3:1") && text.contains("3 | <x/>"), "{text}");
    let text = check("mark.simx");
    assert!(text.contains("mark.simx:1:38"), "{text}");
    assert!(check("end.simx").contains("never closed"));
}
