//! `check` and `convert` with a model of another program.

use super::{block, line, model, out};
use crate::cli::{folder, simulate};

fn text() -> String {
    let root = block("Constant", "c", "Value \"k\"") + &block("S-Function", "mine", "Ports [1, 1]") + &out("y", 1);
    model("ode4", 0.1, 1.0, &(root + &line("c", "y", 1)))
}

#[test]
fn check_reports_each_block() {
    let folder = folder(&[("m.mdl", &text())]);
    let outcome = simulate(folder.path(), &["check", "m.mdl"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    for wanted in [
        "error[placeholder]",
        "error[missing-value]: the variable “k” has no value",
        "placeholder: mine (S-Function): its code is compiled or lies in another file",
        "missing value: k, used by c",
        "3 blocks: 2 exact, 0 approximated, 1 placeholder, 1 missing value",
    ] {
        assert!(outcome.out.contains(wanted), "{wanted}: {}", outcome.out);
    }
    let outcome = simulate(folder.path(), &["check", "m.mdl", "--format", "json", "--set", "k=2"]);
    let json: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    let import = &json["files"][0]["import"];
    assert_eq!(import["missing"].as_array().map(Vec::len), Some(0));
    let entries = import["entries"].as_array().expect("entries");
    let mine = entries.iter().find(|entry| entry["path"] == "mine").expect("the block");
    assert_eq!((&mine["class"], &mine["kind"]), (&"placeholder".into(), &"S-Function".into()));
}

#[test]
fn convert_writes_a_file_that_check_reads() {
    let folder = folder(&[("m.mdl", &text())]);
    let outcome = simulate(folder.path(), &["convert", "m.mdl", "m.simx", "--set", "k=2"]);
    assert_eq!((outcome.code, &*outcome.out), (0, ""), "{outcome:?}");
    assert!(outcome.err.contains("3 blocks: 2 exact, 0 approximated, 1 placeholder\n"), "{}", outcome.err);
    let outcome = simulate(folder.path(), &["check", "m.simx"]);
    assert!(outcome.out.contains("m.simx: invalid, 1 error"), "{}", outcome.out);
    let outcome = simulate(folder.path(), &["convert", "m.simx", "m.slx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.starts_with("error: files of this kind are only read: m.slx\n"), "{}", outcome.err);
}

#[test]
fn what_is_no_model_is_unreadable() {
    let folder = folder(&[("m.mdl", "  benzene\n"), ("m.slx", "version https://git-lfs.github.com/spec/v1\n")]);
    let outcome = simulate(folder.path(), &["check", "m.mdl", "m.slx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.out.contains("error[no-model]") && outcome.out.contains("error[lfs-pointer]"), "{}", outcome.out);
    std::fs::write(folder.path().join("old.cos"), b"\x01\x02").expect("a file");
    let outcome = simulate(folder.path(), &["check", "old.cos"]);
    assert!(outcome.code == 2 && outcome.out.contains("save it as .zcos"), "{outcome:?}");
    let outcome = simulate(folder.path(), &["convert", "m.mdl", "m.simx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.err.contains("molecules"), "{}", outcome.err);
}

#[test]
fn a_model_runs_as_it_is() {
    let root = block("Constant", "c", "Value \"k\"") + &out("y", 1) + &line("c", "y", 1);
    let text = model("ode4", 0.5, 1.0, &root).replacen("  Version 7.4\n", "  Version 7.4\n  InitFcn \"k = 3;\"\n", 1);
    let folder = folder(&[("m.mdl", &text)]);
    let outcome = simulate(folder.path(), &["run", "m.mdl", "--set", "k=7"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.out.contains('7'), "{}", outcome.out);
}

/// The chapter shows what the program says about a model.
#[test]
fn the_report_in_the_manual_is_that_of_its_model() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let motor = std::fs::read_to_string(root.join("tests/imports/models/motor.mdl")).expect("a model");
    let folder = folder(&[("motor.mdl", &motor)]);
    let outcome = simulate(folder.path(), &["convert", "motor.mdl", "motor.simx"]);
    let chapter = std::fs::read_to_string(root.join("assets/manual/coming-from.md")).expect("the chapter");
    assert!(chapter.contains(&format!("```text\n{}```", outcome.err)), "{}", outcome.err);
}

/// What is to be checked is in the file, and found there again.
#[test]
fn a_written_import_keeps_what_is_to_be_checked() {
    use simulate::model::imported::{Class, Report};
    let imported = super::imported(&text());
    let formats = &simulate::Components::standard().formats;
    for file in ["m.simx", "m.json", "m.bson", "m.simb"] {
        let path = std::path::Path::new(file);
        let bytes = formats.bytes_of(path, &imported.simulation).expect("it is written");
        let read = formats.parse(path, &bytes, &Default::default()).expect("it is read").simulation;
        let kept = Report::of(&read).expect("it was imported");
        let count = |class| kept.count(class);
        assert_eq!((count(Class::Exact), count(Class::Placeholder)), (2, 1), "{file}");
        assert_eq!((&kept.origin, &kept.notes), (&imported.report.origin, &imported.report.notes), "{file}");
        let mine =
            imported.report.entries.iter().find(|entry| entry.class == Class::Placeholder).expect("a placeholder");
        assert_eq!(kept.entries, std::slice::from_ref(mine), "{file}");
        assert_eq!(kept.missing.iter().map(|missing| &*missing.name).collect::<Vec<_>>(), ["k"], "{file}");
    }
    assert!(Report::of(&simulate::model::Simulation::new("Main")).is_none());
}
