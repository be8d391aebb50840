//! `simulate fmt`.

use std::fs;

use super::{folder, simulate};

const CANONICAL: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<simulation steps=\"10\" delta=\"0.5\" root=\"M\">\n\t<model name=\"M\">\n\
    \t\t<block id=\"1\" group=\"Math\" name=\"Gain\"/>\n\t</model>\n</simulation>\n";

#[test]
fn files_are_written_in_canonical_form() {
    let other = "<simulation root='M' delta='5e-1' steps='10'><model name='M'>\r\n  <block id='1' group='Math' name='Gain'></block></model></simulation>";
    let folder = folder(&[("a.simx", CANONICAL), ("b.simx", other), ("c.simx", "<simulation"), ("d.txt", "hello")]);
    let path = folder.path();
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("a file");
    let outcome = simulate(path, &["fmt", "--check", "a.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "", ""));
    let outcome = simulate(path, &["fmt", "--check", "a.simx", "b.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (1, "b.simx: not in canonical form\n", ""));
    assert_eq!(read("b.simx"), other);
    let outcome = simulate(path, &["fmt", "a.simx", "b.simx"]);
    assert_eq!((outcome.code, &*outcome.out, &*outcome.err), (0, "b.simx: formatted\n", ""));
    assert_eq!(read("b.simx"), CANONICAL);
    let outcome = simulate(path, &["fmt", "c.simx", "d.txt", "a.simx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("c.simx") && outcome.err.contains("d.txt"), "{}", outcome.err);
    assert_eq!((&*read("c.simx"), &*read("d.txt")), ("<simulation", "hello"));
}

#[test]
fn a_second_writing_changes_nothing() {
    let folder = folder(&[]);
    for entry in fs::read_dir("assets/examples").expect("the examples") {
        let from = entry.expect("an example").path();
        if from.extension().is_some_and(|extension| extension == "simx") {
            let name = from.file_name().and_then(|name| name.to_str()).expect("a name");
            fs::copy(&from, folder.path().join(name)).expect("a copy");
            assert_eq!(simulate(folder.path(), &["fmt", name]).code, 0, "{name}");
            assert_eq!(simulate(folder.path(), &["fmt", "--check", name]).code, 0, "{name}");
        }
    }
}
