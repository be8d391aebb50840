//! `simulate sweep`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::{command, folder, simulate};

/// x' = −a·x + u, with a variable for the initial value; the exit is x.
const DECAY: &str = r#"<simulation steps="50" delta="0.02" root="M"><variable name="begin" value="1"/><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>0.5</value></option></block>
    <block id="2" group="Math" name="Gain" label="a"><option name="Gain"><value>-1</value></option></block>
    <block id="3" group="Math" name="Sum"/>
    <block id="4" group="Math" name="Integrate"><option name="Initial Value"><value>begin</value></option></block>
    <exit id="5" name="x"/>
    <connection from="1" output="Output" to="3" input="Input 1"/>
    <connection from="2" output="Output" to="3" input="Input 2"/>
    <connection from="3" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="2" input="Input"/>
    <connection from="4" output="Output" to="5" input="Input"/>
    </model></simulation>"#;

/// The rows of a table, each by the columns' names.
fn rows(text: &str) -> Vec<HashMap<String, f64>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let row = |record: csv::StringRecord| {
        names.iter().cloned().zip(record.iter().map(|field| field.parse().unwrap())).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn sweep(folder: &Path, args: &[&str]) -> Vec<HashMap<String, f64>> {
    let outcome = simulate(folder, &[&["sweep", "d.simx"], args].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{args:?}");
    rows(&outcome.out)
}

/// Every combination gives the bits of a separate run.
#[test]
fn a_run_of_a_sweep_is_a_run() {
    let folder = folder(&[("d.simx", DECAY)]);
    let found =
        sweep(folder.path(), &["--vary", "#2.Gain=-2:1:4", "--vary", "begin=1,-3", "--vary", "#1.Value=0,0.25"]);
    assert_eq!(found.len(), 16);
    for (run, row) in found.iter().enumerate() {
        let (gain, begin, value) = (row["#2.Gain"], row["begin"], row["#1.Value"]);
        assert_eq!(row["run"], run as f64);
        assert_eq!(gain, [-2.0, -1.0, 0.0, 1.0][run / 4]);
        assert_eq!((begin, value), ([1.0, -3.0][run / 2 % 2], [0.0, 0.25][run % 2]));
        let sets = [format!("#2.Gain={gain}"), format!("begin={begin}"), format!("#1.Value={value}")];
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        let alone = simulate(folder.path(), &[&["run", "d.simx"], &sets[..]].concat());
        assert_eq!(alone.out, format!("x = {}\n", row["x"]), "{sets:?}");
    }
}

/// A model with two instances, one with the value 3 from the file, one with 10 or the value set.
#[test]
fn a_setting_reaches_one_instance_of_a_model() {
    let text = r#"<simulation steps="1" root="M"><model name="P"><exit id="0" name="y"/>
        <block id="1" group="Var" name="Static"><option name="Value"><value>3</value></option></block>
        <connection from="1" output="Output" to="0" input="Input"/></model><model name="M">
        <model id="1" model="P"/><model id="2" model="P"/><exit id="3" name="a"/><exit id="4" name="b"/>
        <connection from="1" output="y" to="3" input="Input"/><connection from="2" output="y" to="4" input="Input"/>
        </model></simulation>"#;
    let folder = folder(&[("d.simx", text)]);
    let found = sweep(folder.path(), &["--vary", "#1/#1.Value=5,6", "--set", "#2/#1.Value=10"]);
    let values: Vec<_> = found.iter().map(|row| (row["a"], row["b"])).collect();
    assert_eq!(values, [(5.0, 10.0), (6.0, 10.0)]);
}

/// x(t) = u/a + (x(0) − u/a)·exp(−a·t): RK4 is far closer than the tolerance.
#[test]
fn curves_are_those_of_the_closed_form() {
    let folder = folder(&[("d.simx", DECAY)]);
    let found = sweep(folder.path(), &["--vary", "#2.Gain=-1,-0.1", "--every", "10", "--steps", "48"]);
    let steps: Vec<f64> = found.iter().map(|row| row["step"]).collect();
    assert_eq!(steps, [0.0, 10.0, 20.0, 30.0, 40.0, 47.0].repeat(2));
    for row in found {
        let rate = -row["#2.Gain"];
        let rest = 0.5 / rate;
        let want = rest + (1.0 - rest) * f64::exp(-rate * row["time"]);
        assert!((row["x"] - want).abs() < 1e-8, "{row:?}: {want}");
    }
}

#[test]
fn ranges_have_their_ends_to_the_bit() {
    let folder = folder(&[("d.simx", DECAY)]);
    let values = |text: &str| -> Vec<f64> {
        let path = format!("#1.Value={text}");
        sweep(folder.path(), &["--vary", &path, "--steps", "1"]).iter().map(|row| row["#1.Value"]).collect()
    };
    assert_eq!(values("0.1:0.7:3"), [0.1, 0.1 + (0.7 - 0.1) / 2.0, 0.7]);
    assert_eq!(values("2:9:1"), [2.0]);
    let found = values("0.001:1000:7:log");
    assert_eq!((found[0], found[6]), (0.001, 1000.0));
    for (place, value) in found.iter().enumerate() {
        let want = 10f64.powi(place as i32 - 3);
        assert!((value / want - 1.0).abs() < 1e-14, "{value}");
    }
}

/// Random values depend only on seed and run, and have the moments of their distribution.
#[test]
fn draws() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args =
        ["--vary", "#1.Value=uniform(2,6)", "--vary", "#2.Gain=normal(-1,0.2)", "--draws", "4000", "--steps", "1"];
    let found = sweep(folder.path(), &args);
    let again = sweep(folder.path(), &[&args[..], &["--threads", "1"]].concat());
    assert_eq!(found, again);
    let other = sweep(folder.path(), &[&args[..], &["--seed", "1"]].concat());
    assert_ne!(found[0]["#1.Value"], other[0]["#1.Value"]);
    let column = |name: &str| found.iter().map(|row| row[name]).collect::<Vec<f64>>();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (uniform, normal) = (column("#1.Value"), column("#2.Gain"));
    assert!(uniform.iter().all(|value| (2.0..6.0).contains(value)));
    // Five standard errors: 4/√12/√4000 and 0.2/√4000.
    assert!((mean(&uniform) - 4.0).abs() < 5.0 * 0.0183, "{}", mean(&uniform));
    assert!((mean(&normal) + 1.0).abs() < 5.0 * 0.0032, "{}", mean(&normal));
    let spread = mean(&normal.iter().map(|value| (value + 1.0).powi(2)).collect::<Vec<_>>()).sqrt();
    assert!((spread - 0.2).abs() < 5.0 * 0.2 / 8000f64.sqrt(), "{spread}");
    let mixed = mean(&uniform.iter().zip(&normal).map(|(a, b)| (a - 4.0) * (b + 1.0)).collect::<Vec<_>>());
    assert!(mixed.abs() < 5.0 * 1.155 * 0.2 / 4000f64.sqrt(), "drawn apart from each other: {mixed}");
}

/// An interrupted sweep with an incomplete last record resumes and writes the same file as an uninterrupted one.
#[test]
fn an_interrupted_sweep_goes_on() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args = ["sweep", "d.simx", "--vary", "#2.Gain=-3:0:1500", "--every", "1", "--steps", "400", "--out"];
    let whole = simulate(folder.path(), &[&args[..], &["whole.csv"]].concat());
    assert_eq!((whole.code, &*whole.err, &*whole.out), (0, "", "1500 runs, 0 failed\n"));
    let mut child =
        command(folder.path(), &args).arg("part.csv").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("part.csv.part");
    let is_begun = || fs::metadata(&journal).is_ok_and(|meta| meta.len() > 100_000);
    while !is_begun() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!folder.path().join("part.csv").exists(), "killed before it was done");
    let length = fs::metadata(&journal).unwrap().len();
    fs::File::options().write(true).open(&journal).unwrap().set_len(length - 5).unwrap();
    let rest = simulate(folder.path(), &[&args[..], &["part.csv"]].concat());
    assert_eq!(rest.code, 0, "{}", rest.err);
    assert!(rest.err.ends_with(" of 1500 runs are finished\n"), "{}", rest.err);
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("whole.csv") == read("part.csv"));
    assert!(!journal.exists());
}

/// The finished runs of another sweep may have taken hours: they are neither removed nor mixed with others.
#[test]
fn a_journal_of_another_sweep_stays() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args = ["sweep", "d.simx", "--vary", "#2.Gain=-3:0:1500", "--every", "1", "--steps", "400", "--out", "o.csv"];
    let mut child = command(folder.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("o.csv.part");
    while !fs::metadata(&journal).is_ok_and(|meta| meta.len() > 100_000) && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = fs::read(&journal).unwrap();
    let line = |from: &str, to: &str| args.map(|part| if part == from { to.to_owned() } else { part.to_owned() });
    let run = |line: &[String]| simulate(folder.path(), &line.iter().map(String::as_str).collect::<Vec<_>>());
    for (from, to, said) in [
        ("#2.Gain=-3:0:1500", "#2.Gain=-3:0:1501", "\n  --vary #2.Gain: was -3:0:1500, is -3:0:1501\n"),
        ("400", "401", "\n  --steps: was 400, is 401\n"),
        ("--every", "--seed", "\n  --seed: was 0, is 1\n  --every: was 1, is the last step\n"),
        ("#2.Gain=-3:0:1500", "begin=1,2", "\n  --vary #2.Gain: was -3:0:1500, is not given\n"),
    ] {
        let outcome = run(&line(from, to));
        assert_eq!(outcome.code, 1, "{to}: {}", outcome.err);
        assert!(outcome.err.contains("o.csv.part has ") && outcome.err.contains(said), "{to}: {}", outcome.err);
        assert!(outcome.err.contains("--restart"), "{to}: {}", outcome.err);
        assert!(fs::read(&journal).unwrap() == before, "{to}: the journal has changed");
    }
    fs::write(folder.path().join("d.simx"), DECAY.replace("0.5", "0.25")).unwrap();
    let outcome = run(&line("", ""));
    assert!(outcome.err.contains("content of the simulation file: was CRC "), "{}", outcome.err);
    fs::write(folder.path().join("d.simx"), DECAY).unwrap();
    // A restart keeps the old journal, which can be resumed.
    let outcome = run(&[&line("400", "40")[..], &["--restart".to_owned()]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(outcome.err, "the finished runs in o.csv.part are kept in o.csv.part.1\n");
    assert!(fs::read(folder.path().join("o.csv.part.1")).unwrap() == before && !journal.exists());
    fs::rename(folder.path().join("o.csv.part.1"), &journal).unwrap();
    let outcome = run(&line("", ""));
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.err.starts_with("resuming: "), "{}", outcome.err);
}

/// A failed run is reported; the others are complete.
#[test]
fn a_failed_run_costs_no_other() {
    let text = DECAY.replace("<exit id", "<block id=\"9\" group=\"Discrete\" name=\"Zero-Order Hold\"/><exit id");
    let folder = folder(&[("d.simx", &text)]);
    let args = ["sweep", "d.simx", "--vary", "#9.Sample Time=0.02,0.03,0.04", "--steps", "3"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.starts_with("run 1 (#9.Sample Time=0.03): "), "{}", outcome.err);
    assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
    let found: Vec<f64> = rows(&outcome.out).iter().map(|row| row["run"]).collect();
    assert_eq!(found, [0.0, 2.0]);
}

/// The rate is 1/(8193 − ⌊t⌋), so that the run fails in step 8192, the first of its third chunk. Its last value, after 8191
/// steps of 1 s, is the sum of 1/8193 to 1/3.
#[test]
fn a_run_that_fails_at_the_begin_of_a_chunk_has_its_last_value() {
    let text = r#"<simulation root="Main" steps="9000" delta="1" solver="dopri45"><model name="Main">
        <block id="0" group="User" name="Formula"><option name="Formula"><value>y = u / max(8193 - floor(t), 0)</value></option></block>
        <block id="1" group="Continuous" name="Integrator"/><exit id="2" name="x"/>
        <block id="3" group="Var" name="Static" label="G"><option name="Value"><value>1</value></option></block>
        <connection from="3" output="Output" to="0" input="u"/>
        <connection from="0" output="y" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/></model></simulation>"#;
    let folder = folder(&[("f.simx", text)]);
    let outcome = simulate(folder.path(), &["sweep", "f.simx", "--vary", "G.Value=1,2", "--out", "f.csv"]);
    assert_eq!(outcome.code, 1);
    for line in outcome.err.lines() {
        assert!(
            line.contains(": step 8192, 8192 s: the solver “dopri45” finds a rate that is no finite number"),
            "{line}"
        );
    }
    assert_eq!(outcome.err.lines().count(), 2, "{}", outcome.err);
    let rows = rows(&fs::read_to_string(folder.path().join("f.csv")).unwrap());
    let sum: f64 = (3..=8193).map(|number| 1.0 / f64::from(number)).sum();
    for (row, gain) in rows.iter().zip([1.0, 2.0]) {
        assert_eq!(row["step"], 8191.0);
        assert!((row["x"] / (gain * sum) - 1.0).abs() < 1e-9, "{}", row["x"]);
    }
    assert_eq!(rows.len(), 2);
}

/// A run that a check pauses or stops has failed, with the last message of that check; a warning does not end it.
#[test]
fn a_run_that_a_check_ends_says_why() {
    let check = r#"<block id="9" group="Check" name="Upper Bound">
        <option name="Action"><value>stop</value></option><option name="Bound"><value>3</value></option>
        <option name="Message"><value>too much</value></option></block><exit id"#;
    let text = DECAY.replace("<exit id", check).replace(
        "<connection from=\"1\"",
        "<connection from=\"4\" output=\"Output\" to=\"9\" input=\"Input\"/><connection from=\"1\"",
    );
    for (action, code) in [("stop", 1), ("pause", 1), ("warn", 0)] {
        let folder = folder(&[("d.simx", &text.replace(">stop<", &format!(">{action}<")))]);
        let outcome = simulate(folder.path(), &["sweep", "d.simx", "--vary", "begin=0.5,7"]);
        assert_eq!(outcome.code, code, "{action}: {}", outcome.err);
        let want = if code == 1 { "run 1 (begin=7): too much\n" } else { "" };
        assert_eq!(outcome.err, want, "{action}");
    }
}

#[test]
fn slips_are_named() {
    let folder = folder(&[("d.simx", DECAY)]);
    for (vary, expected) in [
        ("#2.Gain", "--vary #2.Gain: expected PATH=from:to:count, "),
        ("#2.Gain=1:2", "--vary #2.Gain=1:2: expected PATH=from:to:count, "),
        ("#2.Gain=1:2:0", "--vary #2.Gain=1:2:0: the count must be an integer from 1 to 100 million"),
        ("#2.Gain=0:2:3:log", "--vary #2.Gain=0:2:3:log: the limits of a logarithmic range must be positive"),
        ("#2.Gain=uniform(2,1)", "--vary #2.Gain=uniform(2,1): the lower limit must come first"),
        ("#2.Gian=1,2", "--set #2.Gian=0: the block has no option “Gian”; its options are: Gain"),
    ] {
        let outcome = simulate(folder.path(), &["sweep", "d.simx", "--vary", vary]);
        assert_eq!((outcome.code, &*outcome.out), (1, ""), "{vary}");
        assert!(outcome.err.starts_with(&format!("error: {expected}")), "{}", outcome.err);
    }
    // However its path is written.
    for (one, other) in [("#2.Gain=1,2", "a.Gain=3"), ("#2.Gain=1", "#2.Gain=1"), ("begin=1", "begin=1,2")] {
        let outcome = simulate(folder.path(), &["sweep", "d.simx", "--vary", one, "--vary", other]);
        let path = other.split('=').next().unwrap_or_default();
        let expected = format!("error: --vary {path} is given twice; give all its values in one list\n");
        assert_eq!((outcome.code, outcome.err.starts_with(&expected)), (1, true), "{}", outcome.err);
    }
    let outcome = simulate(folder.path(), &["sweep", "d.simx", "--vary", "#2.Gain=1,2", "--out", "x.doc"]);
    assert_eq!(outcome.err, "error: x.doc: the extension must be .csv, .parquet, .npz or .mat\n  file: d.simx\n");
}

/// A gain of 2 or a bias of 5, chosen by the variable `mode`, of the input 3.
const VARIANTS: &str = r#"<simulation steps="1" delta="1" root="M"><variable name="mode" value="1"/><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>3</value></option></block>
    <model id="2" model="Double" variants="Double if mode == 1; More if mode == 2"/>
    <exit id="3" name="y"/>
    <connection from="1" output="Output" to="2" input="u"/>
    <connection from="2" output="y" to="3" input="Input"/>
    </model><model name="Double">
    <entry id="1" name="u"/><exit id="3" name="y"/>
    <block id="2" group="Math" name="Gain"><option name="Gain"><value>2</value></option></block>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/>
    </model><model name="More">
    <entry id="1" name="u"/><exit id="3" name="y"/>
    <block id="2" group="Math" name="Bias"><option name="Bias"><value>5</value></option></block>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/>
    </model></simulation>"#;

#[test]
fn a_variable_chooses_the_variant_of_each_run() {
    let folder = folder(&[("d.simx", VARIANTS)]);
    let found = sweep(folder.path(), &["--vary", "mode=1,2"]);
    assert_eq!(found.iter().map(|row| (row["mode"], row["y"])).collect::<Vec<_>>(), [(1.0, 6.0), (2.0, 8.0)]);
    assert_eq!(simulate(folder.path(), &["run", "d.simx", "--set", "mode=2"]).out, "y = 8\n");
    // The inside of the chosen model is set by its path.
    let inside = simulate(folder.path(), &["run", "d.simx", "--set", "mode=2", "--set", "More/#2.Bias=1"]);
    assert_eq!(inside.out, "y = 4\n", "{}", inside.err);
    let none = simulate(folder.path(), &["run", "d.simx", "--set", "mode=3"]);
    assert!(none.code != 0 && none.err.contains("no variant is chosen"), "{}", none.err);
}
