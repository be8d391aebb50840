//! What the window writes: never onto what it reads, and never onto a file of another kind.

use std::fs;

use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::action::Range;
use simulate::app::action::command::{Command, FileCommand};
use simulate::format::Formats;

use super::{Window, gain_chain, settle, until, window};

/// A folder with an open simulation, under other names too, and a table.
fn opened() -> (tempfile::TempDir, Window) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    Formats::standard().save(&path("m.simx"), &gain_chain()).expect("it is written");
    for name in ["m.csv", "m.html", "m.fmu", "m.svg"] {
        fs::hard_link(path("m.simx"), path(name)).expect("a link");
    }
    fs::write(path("table.csv"), "step,time,y\n0,0,1\n").expect("a file");
    let mut harness = window();
    harness.state_mut().open_path(&path("m.simx"));
    settle(&mut harness);
    (folder, harness)
}

#[test]
fn no_export_replaces_another_file() {
    for (command, labels, name) in [
        (Some(FileCommand::SaveAs), &[][..], "table.csv"),
        (Some(FileCommand::ExportModel), &[], "table.csv"),
        (Some(FileCommand::ExportModel), &[], "m.simx"),
        (Some(FileCommand::ExportReport), &[], "m.html"),
        (Some(FileCommand::ExportPicture), &["Export…"], "m.svg"),
        (Some(FileCommand::ExportFmu), &["Sources only", "Export…"], "m.fmu"),
        (None, &[], "m.csv"),
    ] {
        let (folder, mut harness) = opened();
        let path = folder.path().join(name);
        let before = fs::read(&path).expect("the file");
        match command {
            None => harness.state_mut().export(path.clone(), None, Range::All),
            Some(command) => {
                harness.state_mut().dispatch(Command::File(command));
                harness.run_ok();
                for label in labels {
                    harness.get_by_label(label).click();
                    harness.run_ok();
                }
                assert!(harness.state_mut().choose_path(path.clone()), "{name}: a path is asked for");
            }
        }
        until(&mut harness, "the refusal", App::has_dialog);
        harness.run_ok();
        harness.get_by_label_contains("would be replaced");
        assert!(fs::read(&path).expect("the file") == before, "{name} was replaced");
    }
}

#[test]
fn older_results_are_replaced() {
    let (folder, mut harness) = opened();
    let path = folder.path().join("page.html");
    fs::write(&path, "<!DOCTYPE html><html></html>").expect("a file");
    harness.state_mut().dispatch(Command::File(FileCommand::ExportReport));
    assert!(harness.state_mut().choose_path(path.clone()));
    settle(&mut harness);
    assert!(!harness.state().has_dialog());
    assert!(fs::read_to_string(&path).expect("the file").contains("<svg"), "the diagram is in the report");
}
