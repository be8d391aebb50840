//! `simulate convert`.

use std::fs;

use super::{folder, simulate};

#[test]
fn a_file_in_its_canonical_form() {
    let folder = folder(&[("a.simx", "<simulation root='M'><model name='M'><entry/></model></simulation>")]);
    let outcome = simulate(folder.path(), &["convert", "a.simx", "b.simx"]);
    assert_eq!((outcome.code, &*outcome.out), (0, ""));
    assert_eq!(outcome.err, "note: the entry has no id: a.simx:1:38, M\n");
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<simulation steps=\"0\" delta=\"1\" root=\"M\">\n\
        \t<model name=\"M\">\n\t\t<entry/>\n\t</model>\n</simulation>\n";
    assert_eq!(fs::read_to_string(folder.path().join("b.simx")).unwrap(), expected);
}

#[test]
fn an_unknown_format_lists_those_that_are_known() {
    let folder = folder(&[("a.simx", "<simulation/>")]);
    let outcome = simulate(folder.path(), &["convert", "a.simx", "b.doc"]);
    assert_eq!((outcome.code, &*outcome.out), (2, ""));
    assert!(outcome.err.starts_with("error: unknown file extension: b.doc\n"), "{}", outcome.err);
    assert!(outcome.err.contains("  Simulation: .simx\n"), "{}", outcome.err);
    assert!(!folder.path().join("b.doc").exists());
}

#[test]
fn what_cannot_be_read_or_written_says_so() {
    let folder = folder(&[("a.simx", "<simulation>"), ("b.simx", "<simulation/>")]);
    let outcome = simulate(folder.path(), &["convert", "a.simx", "c.simx"]);
    assert_eq!(outcome.code, 2);
    assert_eq!(
        outcome.err,
        "error: not well formed: <simulation> is never closed; </simulation> is expected before the end of the file: \
         a.simx:1:1\n"
    );
    let outcome = simulate(folder.path(), &["convert", "b.simx", "missing/c.simx"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.starts_with("error: the file cannot be written: "), "{}", outcome.err);
}

const BLOCK: &str = "<simulation root='M'><model name='M'><block id='3' group='Math' name='Gain' label='A' view:x='1' view:y='2'>\
    <option name='Gain'><value>2</value></option></block></model></simulation>";

/// A text has what has a meaning, or everything.
#[test]
fn a_text_is_compact_unless_looks_are_wanted() {
    let folder = folder(&[("a.simx", BLOCK)]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(simulate(folder.path(), &["convert", "a.simx", "a.simt"]).code, 0);
    assert_eq!(read("a.simt"), "simulation M, steps = 0, delta = 1\n\nmodel M\n  A #3: Gain, Gain = 2\n");
    assert_eq!(simulate(folder.path(), &["convert", "a.simx", "b.simt", "--looks"]).code, 0);
    assert_eq!(read("b.simt"), "simulation M, steps = 0, delta = 1\n\nmodel M\n  A #3: Gain, Gain = 2 @ 1 2\n");
}

/// Converting a text to a file that exists changes that file; its positions stay.
#[test]
fn a_text_is_applied_to_the_file_that_it_replaces() {
    let folder =
        folder(&[("a.simx", BLOCK), ("a.simt", "simulation M\nmodel M\n  B: Gain\n  A: Gain, Gain = 5\n  B -> A\n")]);
    let outcome = simulate(folder.path(), &["convert", "a.simt", "a.simx"]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let text = fs::read_to_string(folder.path().join("a.simx")).unwrap();
    assert!(text.contains("<block id=\"3\" group=\"Math\" name=\"Gain\" label=\"A\" view:x=\"1\" view:y=\"2\"><option name=\"Gain\"><value>5</value>"), "{text}");
    assert!(text.contains("<connection from=\"4\" output=\"Output\" to=\"3\" input=\"Input\"/>"), "{text}");
    // A new file has no positions.
    assert_eq!(simulate(folder.path(), &["convert", "a.simt", "new.json"]).code, 0);
    assert!(!fs::read_to_string(folder.path().join("new.json")).unwrap().contains("view:x"));
}

/// A mistake is shown with its line and a mark below.
#[test]
fn a_mistake_in_a_text_is_shown() {
    let folder = folder(&[("a.simt", "simulation M\nmodel M\n  a: Gain, Gain = [1 2\n")]);
    let outcome = simulate(folder.path(), &["check", "a.simt"]);
    assert_eq!(outcome.code, 2);
    let shown = format!("{}{}", outcome.out, outcome.err);
    assert!(shown.contains("“]” is missing in this value"), "{shown}");
    assert!(shown.contains("3 |   a: Gain, Gain = [1 2"), "{shown}");
    let line = shown.lines().position(|line| line.contains("3 |")).unwrap();
    assert!(shown.lines().nth(line + 1).unwrap().contains('^'), "{shown}");
}
