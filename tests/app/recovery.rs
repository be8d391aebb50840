//! Copies of unsaved work: when they are made, when they go, and what a crash leaves of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable as _;
use simulate::Components;
use simulate::app::action::command::{Command, EditCommand, FileCommand, RunCommand};
use simulate::app::store::run::RunState;
use simulate::app::{App, Ended, Settings};
use simulate::engine::{Declined, Engine, Execute, Program};
use simulate::format::{Formats, LoadOptions};
use simulate::model::{Change, Edit};

use super::{
    Opened as _, Window, gain_chain, sample, settle, show, until, window_of, window_with, window_with_any_letter,
};

/// A folder for settings in which programs that crashed have left copies of these files.
fn home_with(copies: &[(&str, Option<&Path>)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("recovery");
    std::fs::create_dir(&folder).expect("a folder");
    for (number, (name, belongs)) in copies.iter().enumerate() {
        std::fs::copy(sample(name), folder.join(format!("1-{number}.simx"))).expect("a copy");
        std::fs::write(folder.join(format!("1-{number}.lock")), "").expect("a lock that nobody holds");
        if let Some(path) = belongs {
            let bytes = path.as_os_str().as_encoded_bytes();
            std::fs::write(folder.join(format!("1-{number}.path")), bytes).expect("a path");
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

/// A path in another encoding, as old disks have it.
#[cfg(unix)]
#[test]
fn a_copy_belongs_to_a_file_whose_name_is_no_unicode() {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/nowhere/pl\xE4ne/pr\xFCfstand.simx"));
    let home = home_with(&[("nested3.simx", Some(path))]);
    let settings = Settings { home: Some(home.path().to_owned()), ..Settings::default() };
    let mut harness = window_with_any_letter(settings);
    harness.run_ok();
    harness.get_by_label("Recover").click();
    harness.step();
    until(&mut harness, "the copy", |app| models_of(app) == Some(4));
    let of_document = |harness: &Window| harness.state().file.as_ref().and_then(|file| file.path.clone());
    assert_eq!(of_document(&harness).as_deref(), Some(path));
    // The next copy says so too.
    until(&mut harness, "the next copy", |_| !home.path().join("recovery/1-0.simx").exists());
    let [belongs] = &files(home.path(), "path")[..] else { panic!("one path") };
    let written = std::fs::read(belongs).expect("it is there");
    assert_eq!(written.split(|byte| *byte == 0).next(), Some(path.as_os_str().as_bytes()));
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

fn steps_in(path: &Path) -> u64 {
    Formats::standard().open(path, &LoadOptions::default()).expect("a simulation").simulation.steps
}

#[test]
fn a_copy_is_due_ten_seconds_after_the_first_edit_however_many_follow() {
    let home = home_with(&[]);
    let mut harness = started(home.path());
    show(&mut harness, gain_chain());
    let edit = |harness: &mut Window, steps: u64| {
        assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(steps))));
    };
    let begin = Instant::now();
    let mut first = 0;
    // Two rounds: after a copy the next edit is the first again.
    for _ in 0..2 {
        for second in 0..10 {
            edit(&mut harness, 100 + first + second);
            harness.state_mut().keep_recovery(begin + Duration::from_secs(first + second));
            assert!(!harness.state().has_jobs(), "at {} s nothing is due", first + second);
        }
        first += 10;
        edit(&mut harness, 100 + first);
        harness.state_mut().keep_recovery(begin + Duration::from_secs(first));
        assert!(harness.state().has_jobs(), "at {first} s a copy is due");
        harness.state_mut().wait_for_jobs(Duration::from_secs(60));
        let [copy] = &copies(home.path())[..] else { panic!("one copy") };
        assert_eq!(steps_in(copy), 100 + first, "the newest work is in it");
    }
}

/// An engine whose name cannot be asked for any more once it is broken. The inspector asks in each frame, if it is the
/// chosen one.
struct Breakable(Arc<AtomicBool>);

impl Engine for Breakable {
    fn name(&self) -> &'static str {
        assert!(!self.0.load(Ordering::Relaxed), "broken on purpose");
        "breakable"
    }

    fn doc(&self) -> &'static str {
        "Breaks"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        simulate::engine::Engines::reference().prepare(program)
    }
}

/// A window in which a part of the program breaks, after this was done in it.
fn broken(home: &Path, work: impl FnOnce(&mut Window)) -> Ended {
    let is_broken = Arc::new(AtomicBool::new(false));
    let mut components = Components::standard();
    components.engines.add(Arc::new(Breakable(Arc::clone(&is_broken))));
    let engine = "breakable".to_owned();
    let mut harness = window_of(Settings { home: Some(home.to_owned()), engine, ..Settings::default() }, &components);
    work(&mut harness);
    is_broken.store(true, Ordering::Relaxed);
    let drawn = catch_unwind(AssertUnwindSafe(|| harness.step()));
    *drawn.expect_err("the frame panics").downcast().expect("it says what became of the work")
}

#[test]
fn a_panic_in_the_window_keeps_the_unsaved_work_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plant.simx");
    Formats::standard().save(&path, &gain_chain()).expect("it is written");
    let home = home_with(&[]);
    let ended = broken(home.path(), |harness| {
        harness.state_mut().open_path(&path);
        settle(harness);
        set_steps(harness, 7);
        // A copy that is being written as the frame panics does not come after the last one.
        harness.state_mut().copy_unsaved_work();
        assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(8))));
    });
    let [copy] = &copies(home.path())[..] else { panic!("one copy") };
    assert_eq!(ended, Ended::Kept(copy.clone()));
    assert!(ended.to_string().contains(&copy.display().to_string()), "{ended}");
    assert_eq!(steps_in(copy), 8);
    assert_eq!(steps_in(&path), 50, "the file is left as it was");
    let mut harness = started(home.path());
    harness.get_by_label("plant.simx");
    harness.get_by_label("Recover").click();
    harness.step();
    settle(&mut harness);
    let file = harness.state().open();
    assert_eq!((file.simulation().steps, file.path.clone()), (8, Some(path)));
}

#[test]
fn a_panic_in_the_window_without_unsaved_work_leaves_no_copy() {
    let home = home_with(&[]);
    assert_eq!(broken(home.path(), |harness| show(harness, gain_chain())), Ended::Nothing);
    assert!(copies(home.path()).is_empty());
}

#[test]
fn a_panic_while_a_copy_is_first_drawn_leaves_it_with_its_mark() {
    let home = home_with(&[("nested3.simx", None)]);
    let old = home.path().join("recovery/1-0.simx");
    let ended = broken(home.path(), |harness| {
        harness.run_ok();
        harness.get_by_label("Recover").click();
        harness.step();
        while harness.state().file.is_none() {
            harness.state_mut().wait_for_jobs(Duration::from_secs(60));
        }
    });
    assert_eq!(ended, Ended::Kept(old.clone()));
    assert_eq!(copies(home.path()), [old]);
    let mut harness = started(home.path());
    harness.run_ok();
    harness.get_by_label("The program crashed when this copy was last opened");
}

#[test]
fn a_crash_between_the_path_and_the_copy_leaves_nothing_to_offer() {
    let home = home_with(&[]);
    let folder = home.path().join("recovery");
    for (name, text) in [("1-0.lock", ""), ("1-0.path", "/somewhere/plant.simx"), ("1-0.open", "/somewhere/plant.simx")]
    {
        std::fs::write(folder.join(name), text).expect("it is written");
    }
    let harness = started(home.path());
    assert!(!harness.state().has_dialog());
    for extension in ["path", "open"] {
        assert!(files(home.path(), extension).is_empty(), "{extension}");
    }
    assert_eq!(files(home.path(), "lock").len(), 1, "that of the running program");
}

/// The window loses the focus and gets it back.
fn refocus(harness: &mut Window) {
    for has_focus in [false, true] {
        harness.input_mut().focused = has_focus;
        harness.step();
    }
    settle(harness);
}

#[test]
fn two_windows_with_one_file_notice_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plant.simx");
    Formats::standard().save(&path, &gain_chain()).expect("it is written");
    let home = home_with(&[]);
    // The path of a program that has crashed is nothing.
    let real = path.canonicalize().expect("it is there");
    std::fs::write(home.path().join("recovery/1-0.open"), real.display().to_string()).expect("it is written");
    std::fs::write(home.path().join("recovery/1-0.lock"), "").expect("a lock that nobody holds");
    let notice = "plant.simx is open in another window too; whoever saves last is asked before overwriting";
    let is_told = |harness: &Window| harness.query_by_label(notice).is_some();
    let mut first = started(home.path());
    first.state_mut().open_path(&path);
    settle(&mut first);
    assert!(!is_told(&first), "only one window has it");
    let mut second = started(home.path());
    // The same file by another way.
    #[cfg(unix)]
    let path = {
        let link = folder.path().join("link.simx");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        link
    };
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    second.state_mut().open_path(&path);
    settle(&mut second);
    assert!(second.query_by_label(&notice.replace("plant.simx", &name)).is_some());
    assert!(!is_told(&first), "it has not looked yet");
    refocus(&mut first);
    assert!(is_told(&first));
    // The other window opens something else.
    second.state_mut().proceed(simulate::app::action::AfterSave::New);
    settle(&mut second);
    refocus(&mut first);
    assert!(!is_told(&first));
    // Saved as that file.
    second.state_mut().dispatch(Command::File(FileCommand::SaveAs));
    assert!(second.state_mut().choose_path(real));
    settle(&mut second);
    settle(&mut second);
    assert!(is_told(&second));
    refocus(&mut first);
    assert!(is_told(&first));
    drop(second);
    refocus(&mut first);
    assert!(!is_told(&first), "the other window is gone");
}

#[test]
fn what_cannot_be_kept_is_said_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "a file in place of the folder").expect("it is written");
    let harness = started(&file);
    harness.get_by_label_contains("Settings and recovery copies are not kept");
    std::fs::write(folder.path().join("settings.json"), "garbage").expect("it is written");
    let settings = Settings::load_from(Some(folder.path().to_owned()));
    let harness = window_with(settings);
    harness.get_by_label_contains("The settings are damaged and were reset");
}

/// A run may end the program: what is not saved is in a copy before its first step.
#[test]
fn a_run_begins_when_unsaved_work_is_in_a_copy() {
    let home = home_with(&[]);
    let mut harness = started(home.path());
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 11);
    assert!(copies(home.path()).is_empty());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    assert_eq!(harness.state().open().run.state, RunState::Idle, "the copy comes first");
    until(&mut harness, "the run begins", |app| app.open().run.state != RunState::Idle);
    let copy = copies(home.path()).pop().expect("a copy");
    let kept = Formats::standard().open(&copy, &LoadOptions::default()).expect("a simulation").simulation;
    assert_eq!(kept.steps, 11);
    until(&mut harness, "the end", |app| app.open().run.state == RunState::Finished);
}

/// As when the display is lost: nobody was asked.
#[test]
fn what_ends_without_a_question_leaves_a_copy() {
    let home = home_with(&[]);
    let mut harness = started(home.path());
    show(&mut harness, gain_chain());
    set_steps(&mut harness, 11);
    harness.state_mut().finish();
    drop(harness);
    let copy = copies(home.path()).pop().expect("a copy");
    let kept = Formats::standard().open(&copy, &LoadOptions::default()).expect("a simulation").simulation;
    assert_eq!(kept.steps, 11);
}
