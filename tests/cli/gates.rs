//! Limits on files: names, ids, paths, sizes; and the reports of runs.

use std::fs;

use serde_json::Value;

use super::{folder, simulate};

fn model(inside: &str) -> String {
    format!("<simulation steps=\"3\" delta=\"1\" root=\"M\"><model name=\"M\">{inside}</model></simulation>")
}

#[test]
fn negative_ids_come_back_as_written_in_every_format() {
    let ids = ["-3", "-9223372036854775808", "18446744073709551615", "0"];
    let [a, b, c, d] = ids;
    let text = model(&format!(
        "<block id=\"{a}\" group=\"Var\" name=\"Static\"/><block id=\"{b}\" group=\"Math\" name=\"Gain\"/>\
         <exit id=\"{c}\" name=\"y\"/><exit id=\"{d}\" name=\"z\"/>\
         <connection from=\"{a}\" output=\"Output\" to=\"{b}\" input=\"Input\"/>\
         <connection from=\"{b}\" output=\"Output\" to=\"{c}\" input=\"Input\"/>\
         <connection from=\"{a}\" output=\"Output\" to=\"{d}\" input=\"Input\"/>"
    ));
    let folder = folder(&[("a.simx", &text)]);
    let convert = |from: &str, to: &str| {
        let outcome = simulate(folder.path(), &["convert", from, to]);
        assert_eq!((outcome.code, &*outcome.err), (0, ""), "{from} to {to}");
    };
    convert("a.simx", "b.simx");
    let written = fs::read_to_string(folder.path().join("b.simx")).unwrap();
    for id in ids {
        assert!(written.contains(&format!("id=\"{id}\"")), "{id}: {written}");
    }
    for other in ["c.json", "c.bson", "c.simb"] {
        convert("b.simx", other);
        convert(other, "d.simx");
        assert_eq!(fs::read_to_string(folder.path().join("d.simx")).unwrap(), written, "{other}");
    }
    let args = ["run", "a.simx", "--set", "#-3.Value=4", "--signals", "#-3.Output", "--out", "o.csv", "-q"];
    assert_eq!(simulate(folder.path(), &args).out, "y = 4\nz = 4\n");
    assert!(fs::read_to_string(folder.path().join("o.csv")).unwrap().starts_with("step,time,#-3.Output\n0,0,4\n"));
}

#[test]
fn names_hold_no_control_characters() {
    let folder = folder(&[
        ("a.simx", &model("<exit id=\"1\" name=\"a&#27;b\"/>")),
        ("b.simx", &model("<exit id=\"1\" name=\"a&#x9b;31mb\"/>")),
    ]);
    // The first is not XML.
    assert_eq!(simulate(folder.path(), &["check", "a.simx"]).code, 2);
    let outcome = simulate(folder.path(), &["check", "b.simx"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.out.contains("bad-name") && outcome.out.contains("U+009B"), "{}", outcome.out);
    assert!(!outcome.out.contains('\u{9b}'), "{}", outcome.out.escape_debug());
    let json = "{\"simulate\":1,\"simulation\":{\"root\":\"M\",\"content\":[{\"model\":{\"name\":\"M\\u0001\"}}]}}";
    fs::write(folder.path().join("c.json"), json).unwrap();
    let outcome = simulate(folder.path(), &["check", "c.json"]);
    assert_eq!(outcome.code, 2, "{}", outcome.out);
    assert!(outcome.out.contains("U+0001") && !outcome.out.contains('\u{1}'), "{}", outcome.out);
}

#[test]
fn a_matrix_keeps_its_rows() {
    let gain = |text: &str, input: &str| {
        model(&format!(
            "<block id=\"0\" group=\"Var\" name=\"Static\"><option name=\"Value\"><value>{input}</value></option></block>\
             <block id=\"1\" group=\"Matrix\" name=\"Matrix Gain\"><option name=\"Gain\"><value>{text}</value></option></block>\
             <exit id=\"2\" name=\"y\"/><connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/>\
             <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>"
        ))
    };
    let cases = [
        ("1 0 0; 0 2 0; 0 0 3", "[1 1 1]", Ok("y = 1 2 3\n")),
        ("[[1 2] 3; 4 5 6]", "[1 1 1]", Ok("y = 6 15\n")),
        ("1 2; 3 4; 5 6", "[1 1 1]", Err("3×2 times 3×1 is not defined: 2 columns do not match 3 rows")),
        ("1 0 0; 0 2", "[1 1 1]", Err("row 2 has 2 elements, the rows above have 3")),
    ];
    for (text, input, wanted) in cases {
        let folder = folder(&[("a.simx", &gain(text, input))]);
        let outcome = simulate(folder.path(), &["run", "a.simx"]);
        match wanted {
            Ok(out) => assert_eq!((&*outcome.out, &*outcome.err), (out, ""), "{text}"),
            Err(problem) => assert!(outcome.err.contains(problem), "{text}: {}", outcome.err),
        }
    }
}

/// A clock and its double, each with a scope; the second wire has a name.
const SCOPES: &str = "<block id=\"0\" group=\"Var\" name=\"Clock\"/><block id=\"1\" group=\"Math\" name=\"Gain\">\
    <option name=\"Gain\"><value>2</value></option></block><block id=\"2\" group=\"Sink\" name=\"Scope\"/>\
    <block id=\"3\" group=\"Sink\" name=\"Scope\"/><connection from=\"0\" output=\"Output\" to=\"2\" input=\"Input 1\"/>\
    <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/>\
    <connection from=\"1\" output=\"Output\" to=\"3\" input=\"Input 1\" label=\"twice\"/>";

#[test]
fn what_a_file_marks_is_recorded_under_its_names() {
    let folder = folder(&[("a.simx", &model(SCOPES))]);
    let outcome = simulate(folder.path(), &["run", "a.simx", "--out", "o.csv"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let table = fs::read_to_string(folder.path().join("o.csv")).unwrap();
    assert_eq!(table, "step,time,Clock.Output,twice\n0,0,0,0\n1,1,1,2\n2,2,2,4\n");
    // Signals with equal names are distinguished by block ids.
    let two = SCOPES
        .replace(" label=\"twice\"", "")
        .replace("group=\"Math\" name=\"Gain\"", "group=\"Math\" name=\"Gain\" label=\"Clock\"");
    fs::write(folder.path().join("b.simx"), model(&two)).unwrap();
    simulate(folder.path(), &["run", "b.simx", "--out", "o.csv"]);
    let table = fs::read_to_string(folder.path().join("o.csv")).unwrap();
    assert!(table.starts_with("step,time,#0.Output,#1.Output\n"), "{table}");
}

#[test]
fn a_signal_that_becomes_infinite_is_reported_once_with_its_step_and_block() {
    // 10^(step * 100): 10^400 is infinite.
    let text = model(
        "<block id=\"0\" group=\"Var\" name=\"Clock\"/><block id=\"1\" group=\"User\" name=\"Formula\">\
         <option name=\"Formula\"><value>y = 10^(100*u)</value></option></block>\
         <block id=\"2\" group=\"Sink\" name=\"Scope\"/><connection from=\"0\" output=\"Output\" to=\"1\" input=\"u\"/>\
         <connection from=\"1\" output=\"y\" to=\"2\" input=\"Input 1\"/>",
    );
    let folder = folder(&[("a.simx", &text)]);
    for engine in ["simple", "flat", "compiled"] {
        let args = ["run", "a.simx", "--steps", "3000", "--engine", engine, "--format", "json", "--out", "o.csv"];
        let outcome = simulate(folder.path(), &args);
        assert_eq!(outcome.code, 0, "{engine}: {}", outcome.err);
        assert_eq!(outcome.err.matches("became infinite").count(), 1, "{engine}: {}", outcome.err);
        let told: Value = serde_json::from_str(&outcome.out).unwrap();
        let notices = told["notices"].as_array().unwrap();
        assert_eq!((notices.len(), notices[0]["step"].as_u64()), (1, Some(4)), "{engine}: {notices:?}");
        assert!(notices[0]["message"].as_str().unwrap().contains("Formula"), "{engine}: {notices:?}");
    }
}

#[test]
fn a_run_stays_inside_its_folder() {
    let writing = |path: &str| {
        model(&format!(
            "<block id=\"0\" group=\"Var\" name=\"Clock\"/><block id=\"1\" group=\"Sink\" name=\"To File\">\
             <option name=\"File\"><value>{path}</value></option></block>\
             <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input 1\"/>"
        ))
    };
    let reading = |path: &str| {
        model(&format!(
            "<block id=\"0\" group=\"Var\" name=\"From File\"><option name=\"File\"><value>{path}</value></option></block>\
             <exit id=\"1\" name=\"y\"/><connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/>"
        ))
    };
    let outside = folder(&[("secret.csv", "time,secret word\n0,hunter2\n"), ("data.csv", "time,x\n0,7\n1,7\n")]);
    let absolute = |name: &str| outside.path().join(name).display().to_string();
    let folder = folder(&[("a/keep.txt", "")]);
    let inner = folder.path().join("a");
    let run = |text: &str, args: &[&str]| {
        fs::write(inner.join("m.simx"), text).unwrap();
        simulate(&inner, &[&["run", "m.simx", "-q"], args].concat())
    };
    for path in [absolute("o.csv"), "../o.csv".to_owned()] {
        let outcome = run(&writing(&path), &[]);
        assert_eq!(outcome.code, 1, "{path}: {}", outcome.err);
        assert!(outcome.err.contains("--allow-write"), "{path}: {}", outcome.err);
    }
    assert!(!folder.path().join("o.csv").exists() && !outside.path().join("o.csv").exists());
    let allowed = outside.path().display().to_string();
    assert_eq!(run(&writing(&absolute("o.csv")), &["--allow-write", &allowed]).code, 0);
    assert!(outside.path().join("o.csv").exists());
    fs::write(inner.join("m.simx"), reading(&absolute("secret.csv"))).unwrap();
    let outcome = simulate(&inner, &["check", "m.simx"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.out.contains("--allow-read") && !outcome.out.contains("hunter2"), "{}", outcome.out);
    assert_eq!(run(&reading(&absolute("data.csv")), &["--allow-read", &allowed]).out, "y = 7\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink(outside.path().join("data.csv"), inner.join("link.csv")).unwrap();
        assert!(run(&reading("link.csv"), &[]).err.contains("--allow-read"));
        assert!(run(&writing("link.csv"), &[]).err.contains("--allow-write"));
        // A link to a file inside is followed and kept, and gives no additional access.
        fs::write(inner.join("real.csv"), "").unwrap();
        fs::set_permissions(inner.join("real.csv"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.csv", inner.join("inside.csv")).unwrap();
        assert_eq!(run(&writing("inside.csv"), &[]).code, 0);
        assert!(inner.join("inside.csv").is_symlink());
        let mode = fs::metadata(inner.join("real.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // A read-only file and a special file stay unchanged, without leftovers.
        fs::write(inner.join("locked.csv"), "mine").unwrap();
        fs::set_permissions(inner.join("locked.csv"), fs::Permissions::from_mode(0o400)).unwrap();
        fs::create_dir(inner.join("folder.csv")).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(inner.join("pipe.csv")).status();
        let before = fs::read_dir(&inner).unwrap().count();
        for name in ["locked.csv", "folder.csv", "pipe.csv"] {
            if name == "pipe.csv" && !fifo.as_ref().is_ok_and(|status| status.success()) {
                continue;
            }
            let outcome = run(&writing(name), &[]);
            assert_eq!(outcome.code, 1, "{name}: {}", outcome.err);
            let outcome = run(SCOPES_MODEL, &["--out", name]);
            assert_eq!(outcome.code, 1, "{name}: {}", outcome.err);
        }
        assert_eq!(fs::read_to_string(inner.join("locked.csv")).unwrap(), "mine");
        assert_eq!(fs::read_dir(&inner).unwrap().count(), before);
        // Pipes are refused, since reading may block.
        if fifo.is_ok_and(|status| status.success()) {
            fs::rename(inner.join("pipe.csv"), inner.join("pipe.simx")).unwrap();
            assert_eq!(simulate(&inner, &["check", "pipe.simx"]).code, 2);
            assert_eq!(simulate(&inner, &["check", "/dev/zero"]).code, 2);
            assert_eq!(run(SCOPES_MODEL, &["--resume", "pipe.simx"]).code, 1);
        }
    }
}

const SCOPES_MODEL: &str = "<simulation steps=\"1\" root=\"M\"><model name=\"M\"/></simulation>";

#[test]
fn a_small_file_that_unpacks_to_much_is_refused() {
    let payload = miniz_oxide::deflate::compress_to_vec(&vec![0; 200 << 20], 6);
    let mut bytes = b"SIMB\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&(200u32 << 20).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    let folder = folder(&[]);
    fs::write(folder.path().join("a.simb"), bytes).unwrap();
    let outcome = simulate(folder.path(), &["check", "a.simb"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.out.contains("cannot inflate to 209715200"), "{}", outcome.out);
}

#[test]
fn requests_that_no_machine_could_meet_are_refused() {
    let folder = folder(&[(
        "a.simx",
        &model(
            "<block id=\"0\" group=\"Var\" name=\"Static\"/><exit id=\"1\" name=\"y\"/>\
        <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/>",
        ),
    )]);
    let check = |args: &[&str], says: &str| {
        let outcome = simulate(folder.path(), args);
        assert!([1, 2].contains(&outcome.code), "{args:?}: {outcome:?}");
        assert!(format!("{}{}", outcome.err, outcome.out).contains(says), "{args:?}");
    };
    check(&["linearize", "a.simx", "--points", "1000000000"], "1000000");
    let most = u64::MAX.to_string();
    let sweep = ["sweep", "a.simx", "--vary", "#0.Value=1,2", "--every", "1", "--steps", &most];
    check(&sweep, "exceed the limit of 10000000");
}

/// A sample time that the step of `--delta` does not divide is refused with the block, and not rounded, however near it
/// is.
#[test]
fn a_sample_time_that_the_step_does_not_divide_is_refused() {
    let block = "\n<block id=\"1\" group=\"Discrete\" name=\"Zero-Order Hold\"><option name=\"Sample Time\"><value>0.3</value>\
                 </option></block>";
    let folder = folder(&[(
        "a.simx",
        &model(&format!(
            "<block id=\"0\" group=\"Var\" name=\"Clock\"/>{block}\
        <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Input\"/>"
        )),
    )]);
    for (delta, is_divided) in [("0.1", true), ("0.15", true), ("0.2", false), ("0.10000001", false)] {
        let outcome = simulate(folder.path(), &["run", "a.simx", "--steps", "3", "--delta", delta]);
        assert_eq!(outcome.code == 0, is_divided, "{delta}: {}", outcome.err);
        if !is_divided {
            let says = format!("Sample Time: 0.3 s is not a multiple of the step of {delta} s");
            assert!(outcome.err.contains(&says) && outcome.err.contains("Zero-Order Hold"), "{}", outcome.err);
        }
    }
}

#[test]
fn the_flag_to_skip_invalid_models_works_in_every_command() {
    let ring = "<simulation steps=\"1\" root=\"M\"><model name=\"M\"><model id=\"0\" model=\"M\"/>\
        <block id=\"1\" group=\"Var\" name=\"Static\"/><exit id=\"2\" name=\"y\"/>\
        <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/></model></simulation>";
    let folder = folder(&[("a.simx", ring)]);
    let commands: &[&[&str]] = &[
        &["run", "a.simx"],
        &["check", "a.simx"],
        &["test", "a.simx"],
        &["sweep", "a.simx", "--vary", "#1.Value=1,2"],
        &["linearize", "a.simx", "--output", "#1.Output"],
        &["export", "a.simx", "--to", "c", "--out", "code"],
    ];
    for command in commands {
        assert_eq!(simulate(folder.path(), command).code, 1, "{command:?}");
        let skipping = simulate(folder.path(), &[command, &["--skip-invalid-models"][..]].concat());
        assert_eq!(skipping.code, 0, "{command:?}: {}{}", skipping.out, skipping.err);
        let says = if command[0] == "check" { skipping.out } else { skipping.err };
        let warning = "warning[skipped-model]: the model block “M” #0 and its wires are removed from model “M”";
        assert!(says.contains(warning), "{command:?}: {says}");
    }
    assert_eq!(simulate(folder.path(), &["convert", "a.simx", "b.simx", "--skip-invalid-models"]).code, 0);
    assert!(!fs::read_to_string(folder.path().join("b.simx")).unwrap().contains("model=\"M\""));
}

/// Results name the model blocks that were removed, in each format of tables and in JSON.
#[test]
fn results_name_the_model_blocks_that_were_removed() {
    let ring = "<simulation steps=\"1\" root=\"M\"><model name=\"M\"><model id=\"0\" model=\"M\" label=\"Inner\"/>\
        <block id=\"1\" group=\"Var\" name=\"Static\"/><exit id=\"2\" name=\"y\"/>\
        <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/></model></simulation>";
    let folder = folder(&[("a.simx", ring)]);
    let said = "M/Inner#0, an instance of “M”";
    let sweep = &["sweep", "a.simx", "--vary", "#1.Value=1,2", "--quiet"][..];
    for (command, what) in [(&["run", "a.simx", "--quiet"][..], "run"), (sweep, "sweep")] {
        for extension in ["csv", "parquet", "npz", "mat"] {
            let out = format!("{what}.{extension}");
            let skipping = &["--skip-invalid-models", "--provenance", "--out", &out][..];
            let outcome = simulate(folder.path(), &[command, skipping].concat());
            assert_eq!(outcome.code, 0, "{outcome:?}");
            let written = fs::read(folder.path().join(&out)).unwrap();
            // Texts of arrays have two or four bytes a letter.
            let letters: Vec<u8> = written.iter().copied().filter(|byte| *byte != 0).collect();
            let found = [written, letters].iter().any(|bytes| String::from_utf8_lossy(bytes).contains("M/Inner#0, an"));
            assert!(found, "{out}");
        }
    }
    let json = |command: &[&str]| -> Value {
        let outcome = simulate(folder.path(), &[command, &["--skip-invalid-models", "--format", "json"]].concat());
        serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{outcome:?}"))
    };
    assert_eq!(json(&["run", "a.simx"])["provenance"]["removed"][0], said);
    assert_eq!(json(&["test", "a.simx"])["files"][0]["removed"][0], said);
    assert_eq!(json(&["linearize", "a.simx", "--output", "#1.Output"])["removed"][0], said);
    assert_eq!(json(&["sweep", "a.simx", "--vary", "#1.Value=1,2"])["provenance"]["removed"][0], said);
}

/// A Repeat block sets its output several times in a step, which the engine with threads does not support.
#[test]
fn an_engine_that_declines_is_reported() {
    let text = model(
        "<block id=\"0\" group=\"Var\" name=\"Static\"><option name=\"Value\"><value>3</value></option></block>\
         <block id=\"1\" group=\"Flow\" name=\"Repeat\"/><exit id=\"2\" name=\"y\"/>\
         <connection from=\"0\" output=\"Output\" to=\"1\" input=\"Times\"/>\
         <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>",
    );
    let folder = folder(&[("a.simx", &text)]);
    let outcome = simulate(folder.path(), &["test", "a.simx", "--engine", "all", "--junit", "j.xml"]);
    assert_eq!(outcome.code, 0, "{}", outcome.out);
    assert!(outcome.out.contains("skipped: the engine “threaded” cannot run this"), "{}", outcome.out);
    assert!(outcome.out.lines().last().unwrap().contains("skipped"), "{}", outcome.out);
    let junit = fs::read_to_string(folder.path().join("j.xml")).unwrap();
    assert!(junit.contains("a.simx on threaded") && junit.contains("<skipped message="), "{junit}");
    let outcome = simulate(folder.path(), &["test", "a.simx", "--engine", "all", "--format", "json"]);
    let told: Value = serde_json::from_str(&outcome.out).unwrap();
    assert!(told["skipped"].as_u64() > Some(0) && told["files"][0]["skipped"].is_array(), "{}", outcome.out);
}
