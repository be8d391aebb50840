//! Copies of unsaved work: when they are made, when they go, and what a crash leaves of them.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, FileCommand};
use simulate::app::{App, Settings};
use simulate::format::{Formats, LoadOptions};
use simulate::model::{Change, Edit};

use super::{Window, gain_chain, sample, settle, show, until, window_with};

/// A folder for settings in which programs that crashed have left copies of these files.
fn home_with(copies: &[(&str, Option<&Path>)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("recovery");
    std::fs::create_dir(&folder).expect("a folder");
    for (number, (name, belongs)) in copies.iter().enumerate() {
        std::fs::copy(sample(name), folder.join(format!("1-{number}.simx"))).expect("a copy");
        std::fs::write(folder.join(format!("1-{number}.lock")), "").expect("a lock that nobody holds");
        if let Some(path) = belongs {
            std::fs::write(folder.join(format!("1-{number}.path")), path.display().to_string()).expect("a path");
        }
    }
    home
}

fn started(home: &Path) -> Window {
    let mut harness = window_with(Settings { home: Some(home.to_owned()), ..Settings::default() });
    harness.run_ok();
    harness
}

fn copies(home: &Path) -> Vec<PathBuf> {
    files(home, "simx")
}

fn files(home: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("recovery")).expect("the folder").flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|known| known == extension))
        .collect();
    found.sort();
    found
}

fn models_of(app: &App) -> Option<usize> {
    app.file.as_ref().map(|file| file.simulation().models.len())
}

fn set_steps(harness: &mut Window, steps: u64) {
    let change = Change::one(format!("Set steps to {steps}"), Edit::SetSteps(steps));
    assert!(harness.state_mut().apply(&change));
    harness.step();
}

#[test]
fn what_a_crash_left_goes_when_a_newer_copy_is_on_disk() {
    let home = home_with(&[("nested3.simx", None)]);
    let old = home.path().join("recovery/1-0.simx");
    let mut harness = started(home.path());
    harness.get_by_label_contains("just now");
    harness.get_by_label("Recover").click();
    harness.step();
    for _ in 0..2000 {
        assert!(!copies(home.path()).is_empty(), "at no moment is there no copy");
        if !old.exists() {
            break;
        }
        harness.state_mut().wait_for_jobs(std::time::Duration::from_millis(5));
        harness.step();
    }
    assert!(harness.state().is_unsaved());
    assert_eq!(models_of(harness.state()), Some(4));
    // The old one is gone, and one of this program stands in its place, with the same.
    let [new] = &copies(home.path())[..] else { panic!("one copy") };
    assert_ne!(*new, old);
    assert_eq!(Formats::standard().open(new, &LoadOptions::default()).expect("a copy").simulation.models.len(), 4);
    assert!(files(home.path(), "opening").is_empty());
}

#[test]
fn a_copy_that_crashed_the_program_is_offered_as_a_file() {
    let home = home_with(&[("nested3.simx", None)]);
    {
        let mut harness = started(home.path());
        harness.get_by_label("Recover").click();
        harness.step();
        // The mark is written before the copy is read, and stays until it was drawn: no frame is drawn any more.
        while files(home.path(), "opening").is_empty() {
            std::thread::yield_now();
        }
    }
    // What it was doing ends with it.
    let lock = std::fs::OpenOptions::new().write(true).open(home.path().join("recovery/1-0.lock")).expect("the lock");
    while lock.try_lock().is_err() {
        std::thread::yield_now();
    }
    drop(lock);
    let mut harness = started(home.path());
    assert!(harness.query_by_label("Recover").is_none());
    harness.get_by_label("The program crashed when this copy was last opened");
    harness.get_by_label("Show in folder");
    harness.get_by_label("Open anyway").click();
    harness.step();
    until(&mut harness, "the copy", |app| models_of(app) == Some(4));
    until(&mut harness, "the next copy", |_| !home.path().join("recovery/1-0.simx").exists());
    assert!(files(home.path(), "opening").is_empty(), "it was drawn, and nothing happened");
}

#[test]
fn a_copy_that_cannot_be_read_stays() {
    let home = home_with(&[("nested3.simx", None)]);
    std::fs::write(home.path().join("recovery/1-0.simx"), "no simulation").expect("it is written");
    let mut harness = started(home.path());
    harness.get_by_label("Recover").click();
    harness.step();
    settle(&mut harness);
    harness.get_by_label("The copy could not be opened");
    assert_eq!((copies(home.path()).len(), files(home.path(), "opening").len()), (1, 0));
}

#[test]
fn all_copies_are_discarded_at_once_after_a_second_question() {
    let place = Path::new("/somewhere/plant.simx");
    let home = home_with(&[("nested3.simx", Some(place)), ("view_data.simx", None)]);
    let mut harness = started(home.path());
    harness.get_by_label("plant.simx");
    harness.get_by_label("/somewhere");
    harness.get_by_label("Discard all…").click();
    harness.run_ok();
    assert_eq!(copies(home.path()).len(), 2);
    harness.get_by_label("Discard all copies").click();
    harness.run_ok();
    settle(&mut harness);
    assert!(copies(home.path()).is_empty() && !harness.state().has_dialog());
}

#[test]
fn a_copy_is_of_the_state_as_it_is() {
    let home = home_with(&[]);
    let mut harness = started(home.path());
    show(&mut harness, gain_chain());
    let write_copy = |harness: &mut Window| {
        harness.state_mut().copy_unsaved_work();
        settle(harness);
    };
    let steps = |home: &Path| -> Vec<u64> {
        let steps =
            |path: &PathBuf| Formats::standard().open(path, &LoadOptions::default()).expect("a copy").simulation.steps;
        copies(home).iter().map(steps).collect()
    };
    set_steps(&mut harness, 7);
    write_copy(&mut harness);
    assert_eq!(steps(home.path()), [7]);
    // Undone to what is saved: there is nothing to recover.
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    settle(&mut harness);
    assert!(steps(home.path()).is_empty());
    harness.state_mut().dispatch(Command::Edit(EditCommand::Redo));
    write_copy(&mut harness);
    assert_eq!(steps(home.path()), [7]);
    // Given up.
    harness.state_mut().proceed(simulate::app::action::AfterSave::New);
    settle(&mut harness);
    assert!(steps(home.path()).is_empty());
}

#[test]
fn a_copy_that_cannot_be_written_is_told_once_and_tried_again() {
    let home = home_with(&[]);
    let mut harness = started(home.path());
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 7);
    let [lock] = &files(home.path(), "lock")[..] else { panic!("one program runs") };
    let copy = lock.with_extension("simx");
    std::fs::create_dir(&copy).expect("a folder in the copy's place");
    for is_told in [true, false] {
        harness.state_mut().copy_unsaved_work();
        settle(&mut harness);
        let told = harness.query_by_label_contains("No recovery copy could be written").is_some();
        assert_eq!(told, is_told);
        harness.state_mut().say("Something else");
        harness.step();
    }
    std::fs::remove_dir(&copy).expect("it is empty");
    harness.state_mut().copy_unsaved_work();
    settle(&mut harness);
    assert_eq!(copies(home.path()), [copy]);
}

#[test]
fn a_save_of_an_older_state_keeps_the_copy_of_the_newer_one() {
    let home = home_with(&[]);
    let path = home.path().join("slow.simx");
    let mut harness = started(home.path());
    Formats::standard().save(&path, &gain_chain()).expect("it is written");
    harness.state_mut().open_path(&path);
    settle(&mut harness);
    set_steps(&mut harness, 7);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    // While that is under way the user goes on, and a copy of it is written.
    let change = Change::one("Set steps to 8", Edit::SetSteps(8));
    assert!(harness.state_mut().apply(&change));
    harness.state_mut().copy_unsaved_work();
    settle(&mut harness);
    assert!(harness.state().is_unsaved());
    let [copy] = &copies(home.path())[..] else { panic!("one copy") };
    assert_eq!(Formats::standard().open(copy, &LoadOptions::default()).expect("a copy").simulation.steps, 8);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    settle(&mut harness);
    assert!(copies(home.path()).is_empty() && !harness.state().is_unsaved());
}

#[test]
fn what_is_recovered_does_not_overwrite_what_was_changed_since() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plant.simx");
    Formats::standard().save(&path, &gain_chain()).expect("it is written");
    let home = home_with(&[]);
    {
        let mut harness = started(home.path());
        harness.state_mut().open_path(&path);
        settle(&mut harness);
        set_steps(&mut harness, 7);
        harness.state_mut().copy_unsaved_work();
        settle(&mut harness);
        // The program ends without order.
    }
    let mut other = gain_chain();
    other.steps = 99;
    Formats::standard().save(&path, &other).expect("another program writes");
    let mut harness = started(home.path());
    harness.get_by_label("Recover").click();
    harness.step();
    settle(&mut harness);
    harness.state_mut().dispatch(Command::File(FileCommand::Save));
    until(&mut harness, "the question", App::has_dialog);
    harness.run_ok();
    harness.get_by_label("The file was changed by another program");
    assert_eq!(Formats::standard().open(&path, &LoadOptions::default()).expect("the file").simulation.steps, 99);
}
