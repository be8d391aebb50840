//! Files from an unknown source: looking at them runs, writes and fetches nothing; running them stays in their folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::{command, simulate};

/// All files below a folder with time and content; links and pipes are not followed.
pub fn listing(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let about = entry.metadata().unwrap();
        let content = if about.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        all.insert(entry.path(), (about.modified().unwrap(), content));
        if about.is_dir() {
            all.extend(listing(&entry.path()));
        }
    }
    all
}

/// A folder `models` with hostile files, beside it what they are after. The secret is no table: a message about its
/// content shows that it was read.
pub fn hostile() -> tempfile::TempDir {
    let all = tempfile::tempdir().unwrap();
    for folder in ["models", "home"] {
        fs::create_dir(all.path().join(folder)).unwrap();
    }
    fs::write(all.path().join("secret.csv"), "time,hunter2\n0,hunter2\n").unwrap();
    let outside = all.path().join("secret.csv").display().to_string();
    let written = all.path().join("written.csv").display().to_string();
    let file = |id: u32, (group, name): (&str, &str), option: (&str, &str)| {
        format!(
            "<block id=\"{id}\" group=\"{group}\" name=\"{name}\"><option name=\"{}\"><value>{}</value></option></block>",
            option.0, option.1
        )
    };
    let (reads, writes) = (("Var", "From File"), ("Sink", "To File"));
    let code = "eval('1'); f = fopen('../secret.csv'); y = load('../secret.csv');";
    let blocks = [
        file(0, reads, ("File", &outside)),
        file(1, reads, ("File", "../secret.csv")),
        file(2, reads, ("File", "pipe.csv")),
        file(3, reads, ("File", "//server/share/a.csv")),
        file(4, reads, ("File", "http://example.org/a.csv")),
        file(5, writes, ("File", &written)),
        file(6, writes, ("File", "../written.csv")),
        file(7, writes, ("File", "m.simx")),
        file(8, ("User", "Function"), ("Code", code)),
    ]
    .concat();
    let text = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE simulation [<!ENTITY x SYSTEM \"file://{outside}\">]>\
         <simulation steps=\"5\" root=\"M\" icon=\"http://example.org/a.png\" libraries=\"/\" autosave=\"{written}\">\
         <model name=\"M\">{blocks}</model></simulation>"
    );
    fs::write(all.path().join("models/entity.simx"), &text).unwrap();
    let plain = text.split_once(']').map(|(_, rest)| rest.trim_start_matches('>').to_owned()).unwrap();
    fs::write(all.path().join("models/m.simx"), plain).unwrap();
    #[cfg(unix)]
    {
        // Opening a pipe that nobody writes to has no end.
        let made = Command::new("mkfifo").arg(all.path().join("models/pipe.csv")).status();
        assert!(made.is_ok_and(|status| status.success()));
        std::os::unix::fs::symlink("../secret.csv", all.path().join("models/link.csv")).unwrap();
    }
    all
}

#[test]
fn looking_at_a_hostile_file_writes_and_reads_nothing_else() {
    let all = hostile();
    let models = all.path().join("models");
    let before = listing(all.path());
    for name in ["m.simx", "entity.simx"] {
        for args in
            [&["check", name][..], &["check", name, "--format", "json"], &["run", name], &["run", name, "--steps", "0"]]
        {
            let mut command = command(&models, args);
            let home = all.path().join("home");
            command.env_remove("SIMULATE_CONFIG_DIR").env("HOME", &home).env("XDG_CONFIG_HOME", &home);
            let output = command.output().unwrap();
            let says = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
            // The file itself says “hunter2” nowhere.
            assert!(!says.contains("hunter2"), "{args:?}: {says}");
            assert!(!output.status.success(), "{args:?}: {says}");
            assert!(listing(all.path()) == before, "{args:?} changed a file");
        }
    }
    // What is asked for is all that is written.
    let of_models = listing(&models);
    let mut commands = vec![(vec!["convert", "m.simx", "../home/b.simx"], "b.simx")];
    if cfg!(feature = "app") {
        commands.push((vec!["picture", "m.simx", "--out=../home/b.svg"], "b.svg"));
        commands.push((vec!["report", "--no-run", "m.simx", "--out=../home/b.html"], "b.html"));
    }
    for (args, written) in commands {
        let outcome = simulate(&models, &args);
        assert_eq!(outcome.code, 0, "{args:?}: {}", outcome.err);
        let path = all.path().join("home").join(written);
        assert!(!String::from_utf8_lossy(&fs::read(&path).unwrap()).contains("hunter2"), "{args:?}");
        fs::remove_file(path).unwrap();
        assert!(listing(&models) == of_models, "{args:?} changed another file");
        assert_eq!(fs::read_dir(all.path().join("home")).unwrap().count(), 0, "{args:?} wrote another file");
    }
}

fn writing(path: &str) -> String {
    format!(
        "<simulation steps=\"3\" root=\"M\"><model name=\"M\"><block id=\"0\" group=\"Var\" name=\"Sine\"/>\
         <block id=\"1\" group=\"Sink\" name=\"To File\"><option name=\"File\"><value>{path}</value></option></block>\
         <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input 1\"/></model></simulation>"
    )
}

/// Each leads out of the folder, but the last, a second name of a file outside: only the name inside changes.
#[cfg(unix)]
#[test]
fn no_link_leads_a_run_out_of_its_folder() {
    use std::os::unix::fs::symlink;
    let all = tempfile::tempdir().unwrap();
    let (models, outside) = (all.path().join("models"), all.path().join("outside"));
    fs::create_dir_all(models.join("parts")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("there.csv"), "mine").unwrap();
    symlink(&outside, models.join("folder")).unwrap();
    symlink("../outside/there.csv", models.join("link.csv")).unwrap();
    symlink("../outside/new.csv", models.join("dangling.csv")).unwrap();
    symlink("dangling.csv", models.join("twice.csv")).unwrap();
    symlink("..", models.join("parts/up")).unwrap();
    fs::hard_link(outside.join("there.csv"), models.join("hard.csv")).unwrap();
    let before = listing(&outside);
    let run = |path: &str| {
        fs::write(models.join("m.simx"), writing(path)).unwrap();
        simulate(&models, &["run", "m.simx", "-q"])
    };
    let absolute = outside.join("new.csv").display().to_string();
    for path in [
        "folder/new.csv",
        "folder/there.csv",
        "link.csv",
        "dangling.csv",
        "twice.csv",
        "parts/up/../outside/new.csv",
        "parts/../../outside/new.csv",
        "./../outside/new.csv",
        &absolute,
    ] {
        let outcome = run(path);
        assert_eq!(outcome.code, 1, "{path}: {}", outcome.err);
        assert!(outcome.err.contains("--allow-write"), "{path}: {}", outcome.err);
        assert!(listing(&outside) == before, "{path}");
    }
    for path in ["hard.csv", "parts/up/inside.csv", "parts/inside.csv"] {
        let outcome = run(path);
        assert_eq!(outcome.code, 0, "{path}: {}", outcome.err);
        assert!(listing(&outside) == before, "{path}");
    }
    assert!(fs::read_to_string(models.join("hard.csv")).unwrap().starts_with("step,time"));
    assert!(models.join("inside.csv").is_file());
    // A sweep writes only its own results.
    fs::write(models.join("m.simx"), writing("../outside/new.csv")).unwrap();
    simulate(&models, &["sweep", "m.simx", "--vary", "#0.Amplitude=1,2", "-q"]);
    assert!(listing(&outside) == before, "the sweep wrote outside");
    // A resumed run has no more rights than the first.
    fs::write(models.join("m.simx"), writing("inside.csv")).unwrap();
    assert_eq!(simulate(&models, &["run", "m.simx", "-q", "--steps", "2", "--checkpoint", "half"]).code, 0);
    fs::write(models.join("m.simx"), writing("../outside/new.csv")).unwrap();
    let outcome = simulate(&models, &["run", "m.simx", "-q", "--resume", "half"]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(listing(&outside) == before, "the resumed run wrote outside");
}

#[test]
fn a_result_does_not_replace_its_simulation() {
    let folder = super::folder(&[("m.simx", &writing("o.csv"))]);
    let before = fs::read(folder.path().join("m.simx")).unwrap();
    for args in [
        &["run", "m.simx", "--checkpoint", "m.simx"][..],
        &["run", "m.simx", "--checkpoint", "./m.simx"],
        &["run", "m.simx", "--out", "m.simx"],
        &["sweep", "m.simx", "--vary", "#0.Amplitude=1,2", "--out", "m.simx"],
    ] {
        let outcome = simulate(folder.path(), args);
        assert_eq!(outcome.code, 1, "{args:?}: {}", outcome.err);
        assert!(fs::read(folder.path().join("m.simx")).unwrap() == before, "{args:?}");
    }
}

#[test]
fn a_sweep_overwrites_no_file_with_the_name_of_its_journal() {
    let text = writing("o.csv").replace(
        "</model>",
        "<exit id=\"2\" name=\"y\"/><connection from=\"0\" output=\"Output\" to=\"2\" input=\"Input\"/></model>",
    );
    let folder = super::folder(&[("m.simx", &text), ("o.csv.part", "my notes")]);
    let args = ["sweep", "m.simx", "--vary", "#0.Amplitude=1,2", "--out", "o.csv", "-q"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(
        outcome.err.contains("o.csv.part cannot be written: it is in the way and is no journal of a sweep"),
        "{}",
        outcome.err
    );
    assert_eq!(fs::read_to_string(folder.path().join("o.csv.part")).unwrap(), "my notes");
}
