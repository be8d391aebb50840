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
