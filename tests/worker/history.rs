//! An FMU as a pure function: any step can be repeated, in any order, from several runs at once.

use std::fs;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use simulate::block::{Files as _, ForeignKind, ForeignModel, ForeignUse, HostFn, TOKEN};
use simulate::format::Folder;
use simulate::worker::{AllowedFmus, Fmus};

use super::fmus;

/// The step of the lag with one input and one output, in an archive whose description was changed.
fn step_of(folder: &Path, change: impl Fn(String) -> String) -> HostFn {
    let mut zip =
        zip::ZipArchive::new(Cursor::new(fs::read(fmus().join("Lag.fmi2.fmu")).expect("an FMU"))).expect("a zip");
    let path = folder.join("lag.fmu");
    let mut out = zip::ZipWriter::new(fs::File::create(&path).expect("a file"));
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).expect("an entry");
        let (name, mut bytes) = (entry.name().to_owned(), Vec::new());
        entry.read_to_end(&mut bytes).expect("it is read");
        if name == "modelDescription.xml" {
            bytes = change(String::from_utf8(bytes).expect("a text")).into_bytes();
        }
        out.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
        out.write_all(&bytes).expect("it is written");
    }
    out.finish().expect("it is written");
    let mut allowed = AllowedFmus::default();
    allowed.add_file(&path).expect("an FMU");
    let files = Fmus::new(Arc::new(Folder::new(folder)), allowed).with_program(env!("CARGO_BIN_EXE_simulate").into());
    let wanted = ForeignUse {
        kind: ForeignKind::CoSimulation,
        inputs: vec![("u".to_owned(), 1)],
        outputs: vec![("y".to_owned(), 1)],
        parameters: Vec::new(),
        texts: Vec::new(),
        is_direct: false,
        step: 0.01,
        call_limit: 10.0,
        memory: 1 << 32,
    };
    match files.foreign("lag.fmu", &wanted).expect("a model") {
        ForeignModel::CoSimulation { step, .. } => step,
        ForeignModel::ModelExchange { .. } => panic!("it is co-simulation"),
    }
}

/// A point: the token and the output.
type Point = [f64; TOKEN + 1];

fn step(of: &HostFn, from: Point, number: usize, input: f64) -> Point {
    let [first, second, last] = from;
    let mut out = [f64::NAN; TOKEN + 1];
    of.call(&[1.0, first, second, number as f64, input, last], &mut out, None).expect("a step");
    out
}

/// Runs from a point, and returns all points from there on.
fn run(of: &HostFn, from: Point, first: usize, inputs: &[f64]) -> Vec<Point> {
    let mut points = vec![from];
    for (number, input) in inputs.iter().enumerate() {
        points.push(step(of, *points.last().expect("a point"), first + number, *input));
    }
    points
}

fn check(change: impl Fn(String) -> String) {
    let folder = tempfile::tempdir().expect("a folder");
    let of = step_of(folder.path(), change);
    let inputs: Vec<f64> = (0..300).map(|number| (f64::from(number) * 0.1).sin()).collect();
    let all = run(&of, [0.0; 3], 0, &inputs);
    assert!(all.windows(2).all(|pair| pair[0][..2] != pair[1][..2]), "each point has a token of its own");
    // Back, to a point after a saved state, before it, and at the start.
    for begin in [297, 290, 137, 64, 63, 1, 0] {
        let again = run(&of, all[begin], begin, &inputs[begin..]);
        assert_eq!(again, all[begin..], "from step {begin}");
    }
    // A branch with other inputs is what a run with them from the start is.
    let mut other = inputs.clone();
    other[150..].fill(2.0);
    let branch = run(&of, all[150], 150, &other[150..]);
    let anew = step_of(folder.path(), |text| text);
    let expected = run(&anew, [0.0; 3], 0, &other);
    assert_eq!(branch, expected[150..]);
    assert_ne!(branch[100..], all[250..]);
    // Two runs step in turn.
    let (mut first, mut second) = (all[150], all[150]);
    for number in 150..170 {
        (first, second) = (step(&of, first, number, inputs[number]), step(&of, second, number, other[number]));
        assert_eq!((first, second), (all[number + 1], expected[number + 1]), "step {number}");
    }
}

#[test]
fn steps_are_repeated_by_saved_states() {
    check(|text| text);
}

#[test]
fn steps_are_repeated_from_the_start_where_states_cannot_be_saved() {
    check(|text| text.replace("canGetAndSetFMUstate=\"true\"", "canGetAndSetFMUstate=\"false\""));
}

#[test]
fn a_token_of_nothing_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = step_of(folder.path(), |text| text);
    let mut out = [0.0; 3];
    let error = of.call(&[1.0, 5.0, 7.0, 3.0, 0.0, 0.0], &mut out, None).expect_err("nobody was there").to_string();
    assert!(error.contains("start the run again"), "{error}");
    for bits in [f64::NAN, -1.0, 0.5, f64::INFINITY, 1e300] {
        assert!(of.call(&[1.0, bits, 0.0, 0.0, 0.0, 0.0], &mut out, None).is_err(), "{bits}");
    }
    assert!(of.call(&[1.0], &mut out, None).is_err(), "too few arguments");
    // In minor steps nothing is asked, and nothing changes.
    of.call(&[0.0, 5.0, 7.0, 3.0, 0.0, 0.25], &mut out, None).expect("nothing");
    assert_eq!(out, [5.0, 7.0, 0.25]);
}

/// Six blocks of one FMU with the same settings are one function.
#[test]
fn blocks_with_equal_settings_have_instances_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = step_of(folder.path(), |text| text);
    let mut points = [[0.0; 3]; 6];
    let mut alone: Vec<Point> = Vec::new();
    for number in 0..50 {
        for (place, point) in points.iter_mut().enumerate() {
            *point = step(&of, *point, number, (place / 2) as f64);
        }
    }
    for place in 0..6 {
        let fresh = step_of(folder.path(), |text| text);
        alone.push(*run(&fresh, [0.0; 3], 0, &[(place / 2) as f64; 50]).last().expect("a point"));
    }
    assert_eq!(points.to_vec(), alone);
    assert_ne!(points[0][2], points[2][2]);
}
