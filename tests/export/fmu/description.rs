//! The description of an FMU, its sources, and what is refused.

use std::collections::BTreeSet;
use std::process::Command;

use super::unpacked::{LORENZ, MOTOR, PARTS, STOP, Unpacked, can_load, elements};
use crate::cli::{command, folder, simulate};
use crate::export::bench::{FLAGS, is_installed};

#[test]
fn the_description_names_all_variables_with_units_and_starts() {
    for version in [2, 3] {
        let fmu = Unpacked::new(PARTS, version, &["--sources-only"]);
        let root = &fmu.description[0];
        assert_eq!(root.get("fmiVersion"), Some(if version == 2 { "2.0" } else { "3.0" }));
        assert_eq!(
            (root.get("modelName"), root.get("description")),
            (Some("model"), Some("Vectors, rates & <inputs>"))
        );
        let names: Vec<&str> = fmu.variables().filter_map(|variable| variable.get("name")).collect();
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{names:?}");
        assert!(names.contains(&"force <N>") && names.contains(&"old speed"), "{names:?}");
        assert_eq!(names.contains(&"drift[3]"), version == 2, "{names:?}");
        // The type of a variable is an element of its own in FMI 2.
        let starts: Vec<_> = fmu.description.iter().filter_map(|of| Some((of.get("start")?, of.get("unit")))).collect();
        assert!(starts.contains(&("0.5", Some("N"))), "{starts:?}");
        assert!(starts.contains(&(if version == 2 { "-2.0" } else { "1.0 -2.0 0.25" }, None)), "{starts:?}");
        let experiment = fmu.first("DefaultExperiment").expect("it");
        assert_eq!((experiment.get("stepSize"), experiment.get("stopTime")), (Some("0.01"), Some("2.0")));
        let units: Vec<_> =
            fmu.description.iter().filter(|of| of.name == "Unit").filter_map(|of| of.get("name")).collect();
        assert_eq!(units, ["N", "m/s", "s"]);
        let simulation = fmu.first("CoSimulation").expect("it");
        assert_eq!(simulation.get("canHandleVariableCommunicationStepSize"), Some("false"));
        assert_eq!(simulation.get("modelIdentifier"), Some("model"));
        if version == 3 {
            let drift = fmu.variables().position(|of| of.get("name") == Some("drift")).expect("a vector");
            assert!(drift > 0 && simulation.get("fixedInternalStepSize") == Some("0.01"));
            let dimensions: Vec<_> = fmu.description.iter().filter(|of| of.name == "Dimension").collect();
            assert!(
                dimensions.iter().all(|of| of.get("start") == Some("3")) && dimensions.len() >= 4,
                "{dimensions:?}"
            );
            let build = elements(&fmu.read("sources/buildDescription.xml"));
            assert_eq!(build.iter().filter(|of| of.name == "SourceFile").count(), 2);
        }
        // Every variable that is computed is listed at the start.
        let depth = root.depth + 2;
        assert!(fmu.description.iter().all(|of| of.name != "Unknown" || of.depth > depth));
    }
}

/// The same simulation gives the same bytes; another one has another token.
#[test]
fn an_fmu_depends_on_its_contents_alone() {
    let (one, two) = (Unpacked::new(PARTS, 2, &["--sources-only"]), Unpacked::new(PARTS, 2, &["--sources-only"]));
    assert_eq!(one.archive, two.archive);
    let other = PARTS.replace("<value>0.3</value>", "<value>0.4</value>");
    assert_ne!(one.token(), Unpacked::new(&other, 2, &["--sources-only"]).token());
    assert_ne!(one.token(), Unpacked::new(PARTS, 3, &["--sources-only"]).token());
    assert!(one.read("sources/fmu_model.h").contains(&format!("#define FMU_TOKEN \"{}\"", one.token())));
    assert!(one.paths.iter().all(|path| !path.contains("binaries")), "{:?}", one.paths);
    assert!(one.read("documentation/index.html").contains("fixed step of 0.01 s"));
}

#[test]
fn sources_compile_without_a_warning_and_give_no_other_names() {
    for (text, version) in [(PARTS, 2), (PARTS, 3), (STOP, 2), (MOTOR, 2), (LORENZ, 3)] {
        let fmu = Unpacked::new(text, version, &["--sources-only"]);
        let sources = fmu.folder.path().join("sources");
        for compiler in ["gcc", "clang"].into_iter().filter(|compiler| is_installed(compiler)) {
            let files = fmu.paths.iter().filter_map(|path| path.strip_prefix("sources/"));
            let mut command = Command::new(compiler);
            command
                .current_dir(&sources)
                .args(FLAGS)
                .args(["-O2", "-c"])
                .args(files.filter(|name| name.ends_with(".c")));
            let built = command.output().expect("the compiler");
            assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
        }
    }
    if !can_load() {
        return;
    }
    let fmu = Unpacked::new(MOTOR, 2, &[]);
    let Ok(listed) = Command::new("nm").args(["-D", "--defined-only"]).arg(fmu.binary()).output() else { return };
    let text = String::from_utf8(listed.stdout).expect("a text");
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next_back()).collect();
    assert!(names.contains(&"fmi2DoStep") && names.iter().all(|name| name.starts_with("fmi2")), "{names:?}");
}

#[test]
fn what_cannot_be_exported_writes_nothing() {
    let folder = folder(&[("a.simx", &MOTOR.replace("solver=\"rk4\"", "solver=\"rodas34\"")), ("b.simx", MOTOR)]);
    let export = |file: &str, more: &[&str]| {
        simulate(folder.path(), &[&["export", file, "--to", "fmu", "--out", "x.fmu"], more].concat())
    };
    let outcome = export("a.simx", &[]);
    let start = "error: an FMU cannot be written: the solver “rodas34” has no fixed step";
    assert!(outcome.code == 1 && outcome.err.starts_with(start), "{}", outcome.err);
    for (more, text) in [
        (&["--single-file"][..], "error: --single-file is for --to c only"),
        (&["--verify"], "error: --verify is for --to c only"),
        (&["--delta", "0"], "error: "),
        (&["--fmi", "1"], "error: "),
    ] {
        let outcome = export("b.simx", more);
        assert!(outcome.code != 0 && outcome.err.starts_with(text), "{more:?}: {}", outcome.err);
        assert!(!folder.path().join("x.fmu").exists(), "{more:?}");
    }
    let outcome = simulate(folder.path(), &["export", "b.simx", "--to", "fmu", "--out", "."]);
    assert!(outcome.err.starts_with("error: . is a folder; name a file"), "{}", outcome.err);
    let outcome = simulate(folder.path(), &["export", "b.simx", "--to", "c", "--out", "c", "--fmi", "3"]);
    assert!(outcome.err.starts_with("error: --fmi is for --to fmu only"), "{}", outcome.err);
}

/// Without a compiler there are sources, and the user is told.
#[test]
fn without_a_compiler_an_fmu_has_sources_only() {
    let folder = folder(&[("motor.simx", MOTOR)]);
    let mut command = command(folder.path(), &["export", "motor.simx", "--to", "fmu", "--out", "motor.fmu"]);
    let ran = command.env("CC", "no-such-compiler").output().expect("it starts");
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(
        ran.status.success() && text.contains("motor.fmu has sources only: the compiler no-such-compiler"),
        "{text}"
    );
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "motor.fmu: FMI 2.0, co-simulation and model exchange\n");
    assert!(folder.path().join("motor.fmu").is_file());
}

/// fmpy validates the FMUs, simulates them and finds the bits of the simulation; it compiles the sources itself.
#[test]
fn fmpy_agrees_with_the_simulation() {
    let is_there = Command::new("python3").args(["-c", "import fmpy"]).output();
    if !can_load() || !is_there.is_ok_and(|ran| ran.status.success()) {
        eprintln!("fmpy is not installed: FMUs are not tried with it");
        return;
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let folder = folder(&[]);
    let files = [
        "assets/examples/dc_motor.simx",
        "assets/examples/lorenz.simx",
        "tests/export/fmu/parts.simx",
        "tests/export/implicit.simx",
    ];
    let mut command = Command::new("python3");
    command.arg(format!("{root}/tests/export/fmpy_check.py")).arg(env!("CARGO_BIN_EXE_simulate")).arg(folder.path());
    let ran = command.args(files.map(|file| format!("{root}/{file}"))).output().expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{out}\n{err}");
    assert_eq!(out.matches("equal to the last bit").count(), 8, "{out}");
    assert_eq!(out.matches("model exchange").count(), 4, "{out}");
}
