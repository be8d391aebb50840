//! How .csv files separate values and write decimals, by choice.

use std::fs;

use super::{folder, simulate};

/// A clock, a gain of −1.5, and a file with a second column.
const CLOCK: &str = r#"<simulation steps="3" delta="0.5" root="M"><model name="M">
    <block id="0" group="Var" name="Clock"/>
    <block id="1" group="Math" name="Gain"><option name="Gain"><value>-1.5</value></option></block><exit id="2" name="y"/>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/></model></simulation>"#;

fn written(args: &[&str]) -> String {
    let folder = folder(&[("m.simx", CLOCK)]);
    let all = [&["run", "m.simx", "--signals", "exits", "--out", "x.csv", "-q"], args].concat();
    let outcome = simulate(folder.path(), &all);
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{args:?}");
    fs::read_to_string(folder.path().join("x.csv")).unwrap()
}

#[test]
fn a_table_of_a_run_has_the_chosen_marks() {
    let default = "step,time,y\n0,0,-0\n1,0.5,-0.75\n2,1,-1.5\n";
    assert_eq!(written(&[]), default);
    assert_eq!(written(&["--separator", ",", "--decimal", "."]), default);
    let semicolons = "step;time;y\n0;0;-0\n1;0.5;-0.75\n2;1;-1.5\n";
    assert_eq!(written(&["--separator", ";"]), semicolons);
    let commas = "step;time;y\n0;0;-0\n1;0,5;-0,75\n2;1;-1,5\n";
    assert_eq!(written(&["--separator", ";", "--decimal", ","]), commas);
    let tabs = "step\ttime\ty\n0\t0\t-0\n1\t0,5\t-0,75\n2\t1\t-1,5\n";
    assert_eq!(written(&["--separator", "tab", "--decimal", ","]), tabs);
}

#[test]
fn a_table_of_a_sweep_has_the_chosen_marks() {
    let folder = folder(&[("m.simx", CLOCK)]);
    let args = ["sweep", "m.simx", "--vary", "#1.Gain=0.5,2", "--out", "x.csv", "-q"];
    let outcome = simulate(folder.path(), &[&args[..], &["--separator", ";", "--decimal", ","]].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let table = fs::read_to_string(folder.path().join("x.csv")).unwrap();
    assert_eq!(table, "run;step;#1.Gain;time;y\n0;2;0,5;1;0,5\n1;2;2;1;2\n");
}

/// A block reads the same numbers back, whatever marks the table has.
#[test]
fn a_block_reads_all_marks() {
    let reader = r#"<simulation steps="3" delta="0.5" root="M"><model name="M">
        <block id="0" group="Var" name="From File"><option name="File"><value>x.csv</value></option>
            <option name="Columns"><value>y</value></option></block><exit id="1" name="z"/>
        <connection from="0" output="Output" to="1" input="Input"/></model></simulation>"#;
    for marks in [&[][..], &["--separator", ";", "--decimal", ","], &["--separator", "tab", "--decimal", ","]] {
        let folder = folder(&[("m.simx", CLOCK), ("r.simx", reader)]);
        let write = ["run", "m.simx", "--signals", "exits", "--out", "x.csv", "-q"];
        assert_eq!(simulate(folder.path(), &[&write[..], marks].concat()).code, 0);
        let read = simulate(folder.path(), &["run", "r.simx", "-q", "--out", "again.csv"]);
        assert_eq!((read.code, &*read.err), (0, ""), "{marks:?}");
        let table = fs::read_to_string(folder.path().join("again.csv")).unwrap();
        assert_eq!(table, "step,time,z\n0,0,-0\n1,0.5,-0.75\n2,1,-1.5\n", "{marks:?}");
    }
}

#[test]
fn marks_that_cannot_be_are_refused() {
    let equal =
        "error: a comma cannot separate values and be the decimal mark: give another --separator, such as \";\"\n";
    let other = "error: x.parquet: only .csv files have a --separator and a --decimal mark\n";
    let cases: [(&[&str], &str); 6] = [
        (&["run", "m.simx", "--out", "x.csv", "--decimal", ","], equal),
        (&["run", "m.simx", "--out", "x.csv", "--decimal", ",", "--separator", ","], equal),
        (&["run", "m.simx", "--out", "x.parquet", "--separator", ";"], other),
        (&["sweep", "m.simx", "--vary", "#1.Gain=1,2", "--out", "x.csv", "--decimal", ","], equal),
        (&["run", "m.simx", "--out", "x.csv", "--separator", "x"], "a comma, a semicolon or tab is expected"),
        (&["run", "m.simx", "--separator", ";"], "--out <FILE>"),
    ];
    for (args, message) in cases {
        let folder = folder(&[("m.simx", CLOCK)]);
        let outcome = simulate(folder.path(), args);
        assert!(outcome.code == 2 && outcome.err.contains(message), "{args:?}: {} {}", outcome.code, outcome.err);
        assert!(!folder.path().join("x.csv").exists(), "{args:?}");
    }
}

/// A resumed run sees the rows before its checkpoint, whatever separates them.
#[test]
fn rows_before_a_checkpoint_are_seen_with_any_marks() {
    let folder = folder(&[("m.simx", CLOCK)]);
    let marks = ["--separator", ";", "--decimal", ",", "--out", "x.csv", "-q"];
    let first = ["run", "m.simx", "--steps", "2", "--checkpoint", "half"];
    assert_eq!(simulate(folder.path(), &[&first[..], &marks].concat()).code, 0);
    let outcome = simulate(folder.path(), &[&["run", "m.simx", "--resume", "half"][..], &marks].concat());
    assert!(outcome.code == 1 && outcome.err.contains("has the rows before the checkpoint"), "{}", outcome.err);
}
