//! `simulate picture`.

use std::fs;

use super::{folder, simulate};

const FILE: &str = "<simulation root='M'><model name='M'><exit id='0' name='speed'/></model>\
    <model name='N'><exit id='0' name='force'/></model></simulation>";

#[test]
fn a_model_is_drawn_into_the_file_that_is_named() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["picture", "a.simx", "--model", "N", "--out", "n.svg"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "n.svg\n"));
    let svg = fs::read_to_string(folder.path().join("n.svg")).unwrap();
    assert!(svg.contains(">force</text>") && !svg.contains("speed"));
}

#[test]
fn all_models_are_files_of_their_own() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["picture", "a.simx", "--all", "--out", "a.png"]);
    assert_eq!((outcome.code, &*outcome.out), (0, "a-M.png\na-N.png\n"));
    assert!(folder.path().join("a-N.png").exists());
}

#[test]
fn what_cannot_be_drawn_says_so() {
    let folder = folder(&[("a.simx", FILE)]);
    let outcome = simulate(folder.path(), &["picture", "a.simx", "--out", "a.doc"]);
    assert_eq!((outcome.code, &*outcome.err), (2, "the output file must end with .svg, .pdf or .png\n"));
    let outcome = simulate(folder.path(), &["picture", "a.simx", "--model", "P", "--out", "a.svg"]);
    assert_eq!((outcome.code, &*outcome.err), (1, "there is no model “P”; the models are: M, N\n"));
}
