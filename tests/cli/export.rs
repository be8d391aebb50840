//! `simulate export`.

use std::fs;
use std::process::Command;

use super::{folder, simulate};

const MOTOR: &str = include_str!("../../assets/examples/dc_motor.simx");

fn has_compiler() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("cc is not installed: exported code is not compiled");
    }
    is_there
}

/// As a user would: export, make, run, compare with the simulation.
#[test]
fn make_builds_a_program_that_prints_what_the_simulation_records() {
    let folder = folder(&[("dc motor.simx", MOTOR)]);
    let outcome = simulate(folder.path(), &["export", "dc motor.simx", "--to", "c", "--out", "code"]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    assert!(outcome.out.contains("dc_motor.c\n"), "{}", outcome.out);
    let recorded = ["run", "dc motor.simx", "--steps", "500", "--signals", "exits", "--out", "x.csv", "--hex", "-q"];
    assert_eq!(simulate(folder.path(), &recorded).code, 0);
    let recorded = fs::read_to_string(folder.path().join("x.csv")).expect("the table");
    assert!(recorded.lines().nth(1).is_some_and(|line| line.starts_with("0,0x0p+0,0x")), "{recorded}");
    if !has_compiler() || Command::new("make").arg("--version").output().is_err() {
        return;
    }
    let code = folder.path().join("code");
    let made = Command::new("make").current_dir(&code).output().expect("make");
    assert!(made.status.success() && made.stderr.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(code.join("dc_motor_main")).arg("500").output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), recorded);
}

/// An export replaces itself, and nothing else.
#[test]
fn files_of_others_stay_as_they_are() {
    let folder = folder(&[("motor.simx", MOTOR), ("code/Makefile", "all:\n")]);
    let export = ["export", "motor.simx", "--to", "c", "--out"];
    let outcome = simulate(folder.path(), &[&export[..], &["code"]].concat());
    assert_eq!(outcome.code, 1);
    let said = "Makefile: changed since the export, or not from one; an export would replace it; choose another folder, \
                or --force to replace what was changed";
    assert!(outcome.err.contains(said), "{}", outcome.err);
    let left: Vec<_> = fs::read_dir(folder.path().join("code")).expect("the folder").collect();
    assert_eq!(left.len(), 1, "nothing is written");
    assert_eq!(fs::read_to_string(folder.path().join("code/Makefile")).expect("it is there"), "all:\n");
    for _ in 0..2 {
        assert_eq!(simulate(folder.path(), &[&export[..], &["new"]].concat()).code, 0);
    }
}

/// What somebody has edited since the export stays, unless he says otherwise.
#[test]
fn edited_files_stay_as_they_are() {
    let folder = folder(&[("motor.simx", MOTOR)]);
    let export = |more: &[&str]| {
        simulate(folder.path(), &[&["export", "motor.simx", "--to", "c", "--out", "code", "-q"], more].concat())
    };
    let path = |name: &str| folder.path().join("code").join(name);
    let read = |name: &str| fs::read_to_string(path(name)).expect("the file");
    assert_eq!(export(&[]).code, 0);
    let (made, page) = (read("Makefile"), read("motor.md"));
    fs::write(path("Makefile"), made.clone() + "install:\n").expect("it is edited");
    fs::write(path("motor.md"), "my notes").expect("it is edited");
    // Constants change the code, but not what was edited.
    let outcome = export(&["--inline-parameters"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    for name in ["Makefile", "motor.md"] {
        assert!(outcome.err.contains(&format!("code/{name}")), "{}", outcome.err);
    }
    assert!(!outcome.err.contains("motor.c"), "{}", outcome.err);
    assert!(read("Makefile").ends_with("install:\n") && read("motor.md") == "my notes");
    assert!(read("motor.h").contains("motor_parameters"), "nothing is written");
    // The same text is no change.
    fs::write(path("motor.md"), page).expect("it is as before");
    fs::write(path("Makefile"), &made).expect("it is as before");
    assert_eq!(export(&["--inline-parameters"]).code, 0);
    assert!(!read("motor.h").contains("motor_parameters"));
    fs::write(path("Makefile"), "mine").expect("it is edited");
    assert_eq!(export(&["--force"]).code, 0);
    assert_eq!(read("Makefile"), made);
    assert_eq!(export(&[]).code, 0, "the forced export is known again");
}

/// An export is not written through a link onto the simulation, whoever insists on it.
#[cfg(unix)]
#[test]
fn an_export_does_not_replace_its_simulation() {
    let folder = folder(&[("motor.simx", MOTOR), ("code/x", "")]);
    std::os::unix::fs::symlink("../motor.simx", folder.path().join("code/motor.c")).expect("a link");
    let args = ["export", "motor.simx", "--to", "c", "--out", "code", "--force"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("code/motor.c: this file is read here"), "{}", outcome.err);
    assert_eq!(fs::read_to_string(folder.path().join("motor.simx")).expect("the file"), MOTOR);
}

#[test]
fn verify_compares_and_writes_a_report() {
    if !has_compiler() {
        return;
    }
    let folder = folder(&[("motor.simx", MOTOR)]);
    let args =
        ["export", "motor.simx", "--to", "c", "--out", "code", "--single-file", "--verify", "--steps", "100", "-q"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    assert_eq!(outcome.out, "motor: the code has the bits of the simulation: 100 steps, 1 output elements\n");
    let report = fs::read_to_string(folder.path().join("code/verify.xml")).expect("the report");
    assert!(report.contains("tests=\"1\" failures=\"0\""), "{report}");
}

/// The error of single precision is measured, printed, and stands on the page of the code.
#[test]
fn verify_measures_the_error_of_single_precision() {
    if !has_compiler() {
        return;
    }
    let folder = folder(&[("motor.simx", MOTOR)]);
    let args = ["export", "motor.simx", "--to", "c", "--out", "code", "--float", "--verify", "--steps", "2000", "-q"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let line = outcome.out.lines().find(|line| line.starts_with("| speed |")).expect("the output's line");
    let errors: Vec<f64> = line.split('|').filter_map(|field| field.trim().parse().ok()).collect();
    // 24 bits are 6e-8; the loop of the controller adds up some of them, and no step is exact.
    assert!(errors.len() == 2 && errors.iter().all(|error| *error > 1e-8 && *error < 1e-4), "{line}");
    let read = |name: &str| fs::read_to_string(folder.path().join("code").join(name)).expect("the file");
    assert!(read("motor.md").contains(line) && read("verify.xml").contains(line));
    assert!(!read("motor.h").contains("double"), "{}", read("motor.h"));
}

/// The rows of a file are constants in the code: each way between and outside of them, one column and two.
#[test]
fn tables_of_files_are_in_the_code() {
    if !has_compiler() {
        return;
    }
    let mut blocks = String::new();
    let ways = ["linear", "hold", "nearest"];
    let outside = ["hold", "zero", "extrapolate", "repeat"];
    for (number, (way, outside)) in ways.iter().flat_map(|way| outside.iter().map(move |out| (way, out))).enumerate() {
        let columns = ["speed", "torque", ""][number % 3];
        let exit = 100 + number;
        blocks += &format!(
            "<block id=\"{number}\" group=\"Var\" name=\"From File\"><option name=\"File\"><value>rows.csv</value></option>\
             <option name=\"Columns\"><value>{columns}</value></option>\
             <option name=\"Interpolation\"><value>{way}</value></option>\
             <option name=\"Outside\"><value>{outside}</value></option>\
             <option name=\"Delay\"><value>0.35</value></option></block>\
             <exit id=\"{exit}\" name=\"{way} {outside}\"/>\
             <connection from=\"{number}\" output=\"Output\" to=\"{exit}\" input=\"Input\"/>"
        );
    }
    let text = format!(
        "<simulation steps=\"80\" delta=\"0.05\" root=\"Main\"><model name=\"Main\">{blocks}</model></simulation>"
    );
    // With a jump, and times that are no multiples of the step.
    let rows = "time,speed,torque\n0,1,-3\n0.1,2.5,0.3\n0.33,-1,7\n0.33,4,1e-3\n1,0.7,2\n1.9,-2.2,0.1\n";
    let folder = folder(&[("files.simx", &text), ("rows.csv", rows)]);
    for more in [&[][..], &["--single-file"], &["--float"]] {
        let export = ["export", "files.simx", "--to", "c", "--out", "code", "--verify", "-q"];
        let outcome = simulate(folder.path(), &[&export[..], more].concat());
        assert_eq!((outcome.code, &*outcome.err), (0, ""), "{more:?}");
        let found = match more {
            ["--float"] => "over 80 steps",
            _ => "has the bits of the simulation: 80 steps, 16 output elements",
        };
        assert!(outcome.out.contains(found), "{more:?}: {}", outcome.out);
        fs::remove_dir_all(folder.path().join("code")).expect("it is there");
    }
}

#[test]
fn a_table_that_is_too_long_for_a_compiler_is_refused() {
    let text = "<simulation delta=\"1\" root=\"Main\"><model name=\"Main\"><block id=\"4\" group=\"Var\" name=\"From File\">\
                <option name=\"File\"><value>rows.csv</value></option></block><exit id=\"5\" name=\"y\"/>\
                <connection from=\"4\" output=\"Output\" to=\"5\" input=\"Input\"/></model></simulation>";
    let rows: String = (0..50_001).map(|row| format!("{row},1\n")).collect();
    let folder = folder(&[("long.simx", text), ("rows.csv", &format!("time,y\n{rows}"))]);
    let outcome = simulate(folder.path(), &["export", "long.simx", "--to", "c", "--out", "code"]);
    assert_eq!((outcome.code, &*outcome.out), (1, ""));
    let start = "error: C code cannot be written: From File #4 in “Main” reads 100002 numbers from a file";
    assert!(outcome.err.starts_with(start), "{}", outcome.err);
    assert!(!folder.path().join("code").exists());
}

#[test]
fn what_cannot_be_exported_writes_nothing() {
    let folder = folder(&[("motor.simx", &MOTOR.replace("solver=\"rk4\"", "solver=\"rodas34\""))]);
    let outcome = simulate(folder.path(), &["export", "motor.simx", "--to", "c", "--out", "code"]);
    assert_eq!((outcome.code, &*outcome.out), (1, ""));
    let start = "error: C code cannot be written: the solver “rodas34” has no fixed step";
    assert!(outcome.err.starts_with(start), "{}", outcome.err);
    let args = ["export", "motor.simx", "--to", "c", "--out", "code", "--model", "Nothing"];
    assert!(simulate(folder.path(), &args).err.starts_with("error: there is no model “Nothing”; the models are: "));
    assert!(!folder.path().join("code").exists());
}

/// Only the controller becomes code: its entries are inputs.
#[test]
fn a_model_of_the_file_is_exported_alone() {
    let folder = folder(&[("motor.simx", MOTOR)]);
    let args = ["export", "motor.simx", "--to", "c", "--out", "code", "--model", "PID", "-q"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let head = fs::read_to_string(folder.path().join("code/pid.h")).expect("the header");
    assert!(head.contains("typedef struct pid_inputs {"), "{head}");
}

/// The controllers of the servo compute at their sample times only, and the rates are those of the motor alone.
#[test]
fn a_sampled_controller_is_no_part_of_the_rates() {
    let folder = folder(&[]);
    let servo = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/servo.simx");
    let outcome = simulate(folder.path(), &["export", servo, "--to", "c", "--out", "out", "-q"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let code = std::fs::read_to_string(folder.path().join("out/servo.c")).expect("the code");
    let body = |head: &str| {
        let from = code.find(head).unwrap_or_else(|| panic!("{head} is there"));
        code[from..].split("\n}\n").next().unwrap_or_default()
    };
    let (rates, step) = (body("static void servo_rates("), body("int32_t servo_step("));
    assert!(rates.contains("motor_inductance") && !rates.contains("_ms_term"), "{rates}");
    for period in [5, 50, 500] {
        assert!(step.contains(&format!("if (self->clock.until_hit_{period} == 0U) {{")), "{step}");
    }
}
