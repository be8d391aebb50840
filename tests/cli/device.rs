//! The example that ends on a device: `assets/device`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::simulate;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/device");

fn is_installed(programs: &[&str]) -> bool {
    let is_missing = |program: &&&str| Command::new(program).arg("--version").output().is_err();
    let missing = programs.iter().find(is_missing);
    if let Some(missing) = missing {
        eprintln!("{missing} is not installed: the example is not built with it");
    }
    missing.is_none()
}

/// A copy of the example, and what the simulation records.
fn example() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(FOLDER).expect("the example") {
        let path = entry.expect("an entry").path();
        // What a user has built there is left out.
        if path.is_file() {
            fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("a copy");
        }
    }
    let run = ["run", "motor_control.simx", "--signals", "exits", "--hex", "-q", "--out", "expected.csv"];
    assert_eq!(simulate(folder.path(), &run).code, 0);
    let expected = fs::read_to_string(folder.path().join("expected.csv")).expect("the table");
    assert_eq!(expected.lines().count(), 1501);
    (folder, expected)
}

fn make(folder: &Path, target: &str) -> Output {
    let mut command = Command::new("make");
    command.current_dir(folder).args(["-s", target]).env("SIMULATE", env!("CARGO_BIN_EXE_simulate"));
    command.output().expect("make")
}

/// Fails at the first line that the program prints and the simulation has not recorded.
#[track_caller]
fn check(ran: &Output, expected: &str) {
    let got = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    let different = expected.lines().zip(got.lines()).find(|(expected, got)| expected != got);
    assert_eq!(different, None);
    assert_eq!(got.lines().count(), expected.lines().count());
}

#[test]
fn the_program_of_this_computer_has_the_bits_of_the_simulation() {
    if is_installed(&["make", "cc"]) {
        let (folder, expected) = example();
        check(&make(folder.path(), "run"), &expected);
    }
}

#[test]
fn the_program_of_a_microcontroller_has_the_bits_of_the_simulation() {
    if is_installed(&["make", "arm-none-eabi-gcc", "qemu-system-arm"]) {
        let (folder, expected) = example();
        check(&make(folder.path(), "run-arm"), &expected);
        let size = make(folder.path(), "size");
        let text = String::from_utf8_lossy(&size.stdout);
        let sizes: Vec<u32> =
            text.lines().skip(1).filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        assert!(sizes.len() == 2 && sizes[1] < sizes[0], "single precision is smaller: {text}");
    }
}
