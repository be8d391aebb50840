//! `simulate sweep` with designs, screening and shares of the variance.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::{Outcome, command, folder, simulate};

/// Ishigami's function in blocks, `sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1`.
const ISHIGAMI: &str = include_str!("ishigami.simx");

const PI: &str = "3.141592653589793";

/// `x' = −a·x` from 1 in ten steps.
const DECAY: &str = r#"<simulation steps="10" delta="0.1" root="M"><model name="M">
    <block id="1" group="Math" name="Gain" label="a"><option name="Gain"><value>-1</value></option></block>
    <block id="2" group="Math" name="Integrate"><option name="Initial Value"><value>1</value></option></block>
    <exit id="3" name="x"/>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="1" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/></model></simulation>"#;

/// Sweeps the three inputs of Ishigami's function from −π to π.
fn of_ishigami(folder: &Path, args: &[&str]) -> Outcome {
    let ranges = ["x1", "x2", "x3"].map(|name| format!("{name}.Value=uniform(-{PI},{PI})"));
    let vary: Vec<&str> = ranges.iter().flat_map(|range| ["--vary", range]).collect();
    let outcome = simulate(folder, &[&["sweep", "m.simx"], &vary[..], args].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{args:?}");
    outcome
}

/// The indices of the only measure by parameter.
fn parameters(json: &str) -> Vec<Value> {
    let found: Value = serde_json::from_str(json).expect("JSON");
    let [measure] = &found["indices"].as_array().expect("indices")[..] else { panic!("{found}") };
    assert_eq!((&measure["signal"], &measure["measure"]), (&"y".into(), &"last".into()));
    measure["parameters"].as_array().expect("parameters").clone()
}

/// S1 = 0.3139, 0.4424, 0 and ST = 0.5576, 0.4424, 0.2437.
#[test]
fn shares_of_ishigamis_function_in_blocks() {
    let folder = folder(&[("m.simx", ISHIGAMI)]);
    let outcome = of_ishigami(folder.path(), &["--sobol-indices", "8192", "--format", "json"]);
    let found = parameters(&outcome.out);
    let expected = [("x1", 0.3139, 0.5576), ("x2", 0.4424, 0.4424), ("x3", 0.0, 0.2437)];
    assert_eq!(found.len(), 3);
    for (found, (name, first, total)) in found.iter().zip(expected) {
        let number = |name: &str| found[name].as_f64().expect("a number");
        assert_eq!(found["parameter"], format!("{name}.Value"));
        assert!((number("S1") - first).abs() < 0.01 && (number("ST") - total).abs() < 0.01, "{found}");
        assert!(number("S1_low") < first && first < number("S1_high"), "{found}");
        assert!(number("ST_low") < total && total < number("ST_high"), "{found}");
    }
    // The same as a table and as a file; the runs in a file do not change them.
    let args = ["--sobol-indices", "8192", "--indices", "i.csv", "--out", "runs.csv", "--threads", "2"];
    let text = of_ishigami(folder.path(), &args).out;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["40960 runs, 0 failed", "y (last), 8192 samples"]);
    assert_eq!(lines[2], "  parameter      S1      95 % interval      ST     95 % interval");
    let first = format!("{:.4}", found[0]["S1"].as_f64().unwrap());
    assert!(lines[3].starts_with(&format!("  x1.Value   {first}")), "{text}");
    let csv = fs::read_to_string(folder.path().join("i.csv")).unwrap();
    let first: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(first[..4], ["y", "last", "x1.Value", "8192"]);
    assert_eq!(first[4], found[0]["S1"].to_string());
    assert_eq!(fs::read_to_string(folder.path().join("runs.csv")).unwrap().lines().count(), 40961);
}

/// Elementary effects go from level 0 to 2/3 or from 1/3 to 1, or back, of a range from −π to π; x1 is −π, −π/3, π/3 or π,
/// and x2 the same. Of x2 they are `7(sin² ±π/3 − sin² ±π)/(2/3)` = ±7·(3/4)/(2/3) in absolute value: µ* = 7.875, as the
/// literature has it for four levels.
#[test]
fn screening_of_ishigamis_function_in_blocks() {
    let folder = folder(&[("m.simx", ISHIGAMI)]);
    let outcome = of_ishigami(folder.path(), &["--morris", "500", "--format", "json"]);
    let found = parameters(&outcome.out);
    let number = |param: usize, name: &str| found[param][name].as_f64().expect("a number");
    assert!((number(1, "mu_star") - 7.875).abs() < 1e-9, "{found:?}");
    assert!((number(1, "sigma") - 7.875).abs() < 0.05, "{found:?}");
    // Of x1, (1 + 0.1 x3⁴)·sin(π/3)/(2/3), with x3⁴ as often π⁴ as π⁴/81: 7.76; of x3, 0.1 π⁴ (1 − 1/81) sin(x1)/(2/3), with
    // sin x1 as often 0 as ±√3/2: 6.25.
    assert!((number(0, "mu_star") - 7.764).abs() < 0.6 && (number(2, "mu_star") - 6.248).abs() < 0.6, "{found:?}");
    assert!(number(2, "mu").abs() < 0.9 && number(2, "mu_star_low") < 6.248 && number(2, "mu_star_high") > 6.248);
}

/// The values of each parameter of the runs.
fn columns(outcome: &Outcome, names: &[&str]) -> Vec<Vec<f64>> {
    let mut reader = csv::Reader::from_reader(outcome.out.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let column = |name: &&str| {
        let at = head.iter().position(|column| column == name).expect("a column");
        records.iter().map(|record| record[at].parse().unwrap()).collect()
    };
    names.iter().map(column).collect()
}

/// Each of 64 equal parts of a range has one value, also of its logarithm; another seed gives other ones.
#[test]
fn designs_fill_the_ranges() {
    let folder = folder(&[("d.simx", DECAY)]);
    for design in ["lhs", "sobol", "halton"] {
        let runs = |seed: &str| {
            let args = ["--vary", "a.Gain=uniform(-3,-1)", "--vary", "#2.Initial Value=loguniform(0.01,100)"];
            let design = ["sweep", "d.simx", "--design", design, "--samples", "64", "--seed", seed];
            let outcome = simulate(folder.path(), &[&design[..], &args].concat());
            assert_eq!((outcome.code, &*outcome.err), (0, ""));
            columns(&outcome, &["a.Gain", "#2.Initial Value", "x"])
        };
        let found = runs("1");
        let parts: BTreeSet<i32> = found[0].iter().map(|gain| ((gain + 3.0) / 2.0 * 64.0) as i32).collect();
        assert_eq!(parts.len(), 64, "{design}");
        // Base 3 has 27 parts.
        let count = if design == "halton" { 27 } else { 64 };
        let part = |value: &f64| ((value.log10() + 2.0) / 4.0 * f64::from(count)) as i32;
        let parts: BTreeSet<i32> = found[1].iter().take(count as usize).map(part).collect();
        assert_eq!(parts.len(), count as usize, "{design}");
        let set = [format!("a.Gain={}", found[0][5]), format!("#2.Initial Value={}", found[1][5])];
        let alone = simulate(folder.path(), &["run", "d.simx", "--set", &set[0], "--set", &set[1]]);
        assert_eq!(alone.out, format!("x = {}\n", found[2][5]), "{design}");
        assert_eq!(found, runs("1"));
        assert_ne!(found, runs("2"));
    }
}

/// Each combination of listed values has the samples of the design.
#[test]
fn designs_stand_beside_lists() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args = ["sweep", "d.simx", "--vary", "#2.Initial Value=1,2", "--vary", "a.Gain=normal(-1,0.1)"];
    let outcome = simulate(folder.path(), &[&args[..], &["--design", "sobol", "--draws", "8"]].concat());
    let found = columns(&outcome, &["#2.Initial Value", "a.Gain"]);
    assert_eq!(found[0], [[1.0; 8], [2.0; 8]].concat());
    assert_eq!(found[1][..8], found[1][8..]);
    // Each eighth of the distribution has a value: its quartiles are −1 ± 0.06745.
    assert_eq!(found[1][..8].iter().filter(|gain| (**gain + 1.0).abs() < 0.067_448_975).count(), 4);
}

/// With further steps, each signal has four measures: here the curve falls from 1.
#[test]
fn measures_of_kept_steps() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args = ["sweep", "d.simx", "--vary", "a.Gain=uniform(-2,-1)", "--vary", "#2.Initial Value=uniform(1,2)"];
    let outcome = simulate(folder.path(), &[&args[..], &["--morris", "8", "--every", "1"]].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{}", outcome.out);
    let titles: Vec<&str> = outcome.out.lines().filter(|line| line.starts_with('x')).collect();
    let expected = ["last", "minimum", "maximum", "mean"].map(|name| format!("x ({name}), 8 trajectories"));
    assert_eq!(titles, expected);
    // The maximum is the initial value: its effect is 1, and the gain has none.
    let of_maximum: Vec<&str> = outcome.out.lines().skip_while(|line| !line.contains("maximum")).skip(2).collect();
    assert_eq!(of_maximum[0].split_whitespace().collect::<Vec<_>>(), ["a.Gain", "0", "0", "to", "0", "0", "0"]);
    let cells: Vec<&str> = of_maximum[1].split_whitespace().collect();
    assert_eq!(cells[..7], ["#2.Initial", "Value", "1", "1", "to", "1", "1"]);
}

/// Runs that fail are left out with the others of their sample, and the exit code says so.
#[test]
fn failed_runs_are_left_out() {
    let model = DECAY.replace(
        "<exit",
        r#"<block id="4" group="Check" name="Upper Bound"><option name="Action"><value>stop</value></option><option name="Bound"><value>1.9</value></option></block>
        <connection from="2" output="Output" to="4" input="Input"/><exit"#,
    );
    let folder = folder(&[("d.simx", &model)]);
    let args = ["sweep", "d.simx", "--vary", "#2.Initial Value=uniform(1,2)", "--vary", "a.Gain=uniform(-2,-1)"];
    let outcome = simulate(folder.path(), &[&args[..], &["--sobol-indices", "64", "-q"]].concat());
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    let used: usize = outcome.out.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!(outcome.out.starts_with(&format!("x (last), {used} of 64 samples\n")), "{}", outcome.out);
    // About 0.9² of them: the initial values of both points are below the limit.
    assert!((42..60).contains(&used), "{used}");
}

/// The finished runs of independent values are not mixed with those of a design.
#[test]
fn a_journal_of_another_design_stays() {
    let folder = folder(&[("d.simx", DECAY)]);
    let args =
        ["sweep", "d.simx", "--vary", "a.Gain=uniform(-2,-1)", "--draws", "3000", "--steps", "400", "--every", "1"];
    let args = [&args[..], &["--out", "o.csv"]].concat();
    let mut child = command(folder.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = folder.path().join("o.csv.part");
    while !fs::metadata(&journal).is_ok_and(|meta| meta.len() > 100_000) && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let outcome = simulate(folder.path(), &[&args[..], &["--design", "lhs"]].concat());
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("\n  --design: was not given, is lhs\n"), "{}", outcome.err);
}

#[test]
fn slips_are_named() {
    let folder = folder(&[("d.simx", DECAY)]);
    let (range, list) = ("a.Gain=uniform(-2,-1)", "a.Gain=1,2");
    for (vary, args, expected) in [
        (
            list,
            &["--design", "lhs", "--draws", "9"][..],
            "--design lhs: the design needs random parameters: PATH=uniform(low,high)",
        ),
        (list, &["--morris", "9"], "--morris: a.Gain has listed values; give its range as a.Gain=uniform(low,high)"),
        (range, &["--design", "sobol"], "--design sobol: at least 2 samples are needed"),
        (range, &["--sobol-indices", "70000"], "--sobol-indices: this design has at most 65536 samples"),
        (range, &["--morris", "1"], "--morris: at least 2 samples are needed"),
        (range, &["--indices", "i.csv"], "--indices needs --morris or --sobol-indices"),
        (range, &["--morris", "60000000"], "120000000 are too many runs"),
        (
            "a.Gain=loguniform(0,1)",
            &[],
            "--vary a.Gain=loguniform(0,1): the limits must be positive, the lower one first",
        ),
    ] {
        let outcome = simulate(folder.path(), &[&["sweep", "d.simx", "--vary", vary], args].concat());
        assert_eq!((outcome.code, &*outcome.out), (1, ""), "{args:?}");
        assert!(outcome.err.starts_with(&format!("error: {expected}")), "{}", outcome.err);
    }
}
