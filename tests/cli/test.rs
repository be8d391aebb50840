//! `simulate test`.

use std::fs;

use super::{folder, simulate};

/// A vector (1, 3), doubled and accumulated; the exits are the sums and the clock. With a step of 1 s the sums in step
/// n are 2n and 6n.
const SUMS: &str = r#"<simulation steps="5" delta="1" root="M"><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>1</value><value>3</value></option></block>
    <block id="2" group="Math" name="Gain"><option name="Gain"><value>2</value></option></block>
    <block id="3" group="Math" name="Integrate"/>
    <block id="4" group="Var" name="Clock"/>
    <exit id="5" name="v"/><exit id="6" name="t"/>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/>
    <connection from="3" output="Output" to="5" input="Input"/>
    <connection from="4" output="Output" to="6" input="Input"/>
    </model></simulation>"#;

const EXPECTED: &str = "step,time,v[0],v[1],t\n0,0,0,0,0\n2,2,4,12,2\n4,4,8,24,4\n";

#[test]
fn what_is_as_expected_passes_on_every_engine() {
    let folder = folder(&[("s.simx", SUMS), ("s.expected.csv", EXPECTED)]);
    for engine in ["auto", "simple", "all"] {
        let outcome = simulate(folder.path(), &["test", "s.simx", "--engine", engine]);
        assert_eq!((outcome.code, &*outcome.err), (0, ""), "{}", outcome.out);
        assert_eq!(outcome.out, "passed s.simx: 5 steps, 3 signals, no differences\n1 passed, 0 failed\n");
    }
}

#[test]
fn a_value_that_is_off_is_named_with_its_step() {
    let off = EXPECTED.replace("24,4", "24.5,4");
    let folder = folder(&[("s.simx", SUMS), ("s.expected.csv", &off)]);
    let outcome = simulate(folder.path(), &["test", "s.simx"]);
    assert_eq!(outcome.code, 1);
    let says = "v[1]: 1 of 3 values are out of tolerance (2.5e-8), first at step 4, 4 s: 24, expected 24.5";
    assert!(outcome.out.contains(says), "{}", outcome.out);
    // 0.5 of 24.5 is 2.04 %.
    assert_eq!(simulate(folder.path(), &["test", "s.simx", "--relative", "0.0204"]).code, 1);
    assert_eq!(simulate(folder.path(), &["test", "s.simx", "--relative", "0.0205"]).code, 0);
    assert_eq!(simulate(folder.path(), &["test", "s.simx", "--absolute", "0.5"]).code, 0);
}

/// A table of another program: times, few columns, and signals inside models.
#[test]
fn a_table_of_times_and_inner_signals_serves() {
    let table = "time, M#2.Output[1], t\n1.0000,6,1\n3.0001,6,3\n";
    let folder = folder(&[("s.simx", SUMS), ("s.expected.csv", &table.replace("M#2", "#2"))]);
    let outcome = simulate(folder.path(), &["test", "s.simx", "--partial"]);
    assert_eq!(outcome.code, 0, "{}", outcome.out);
    let problems = [
        ("time,t\n0.5,1\n", "0.5 s is not a multiple of the step length 1 s"),
        ("t\n0\n", "needs a column “step” or “time”"),
        ("step\n0\n", "and at least one signal"),
        ("step,x\n0,0\n", "column “x”: unknown exit or signal"),
        ("step,v[2]\n0,0\n", "column “v[2]”: the signal has 2 elements"),
        ("step,t\n0,0\n0,0\n", "line 3: the steps must be in ascending order"),
        ("step,t\ninf,0\n", "line 2: a step is a number from 0 to 2^53"),
        ("step,t\n-1,0\n", "line 2: a step is a number from 0 to 2^53"),
        ("step,t\n0,zero\n", "line 2, column “t”: “zero” is not a number"),
        ("step,t\n9,9\n", "the expected results end at step 9, but the run has only 5 steps"),
    ];
    for (table, says) in problems {
        fs::write(folder.path().join("s.expected.csv"), table).unwrap();
        let outcome = simulate(folder.path(), &["test", "s.simx"]);
        assert_eq!(outcome.code, 1, "{table}");
        assert!(outcome.out.contains(says), "{table} gives {}", outcome.out);
    }
}

/// Not-a-number and infinities equal themselves only, whatever the tolerance. The exits: 1/0, 0/0, the step, and one that
/// was never set.
const SPECIAL: &str = r#"<simulation steps="3" delta="1" root="M"><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>1</value></option></block>
    <block id="2" group="Var" name="Static"><option name="Value"><value>0</value></option></block>
    <block id="3" group="Math" name="Product"/><block id="4" group="Math" name="Product"/>
    <block id="5" group="Var" name="Clock"/>
    <exit id="6" name="inf"/><exit id="7" name="nan"/><exit id="8" name="t"/><exit id="9" name="none"/>
    <connection from="1" output="Output" to="3" input="Input 1"/>
    <connection from="2" output="Output" to="3" input="Input 2"/>
    <connection from="2" output="Output" to="4" input="Input 1"/>
    <connection from="2" output="Output" to="4" input="Input 2"/>
    <connection from="3" output="Output" to="6" input="Input"/>
    <connection from="4" output="Output" to="7" input="Input"/>
    <connection from="5" output="Output" to="8" input="Input"/>
    </model></simulation>"#;

#[test]
fn what_is_not_finite_equals_itself_only() {
    let folder = folder(&[("s.simx", SPECIAL)]);
    let column = |name: &str, values: [&str; 3]| {
        let rows = values.iter().enumerate().map(|(step, value)| format!("{step},{value}\n"));
        format!("step,{name}\n{}", rows.collect::<String>())
    };
    let cases = [
        (column("inf", ["inf"; 3]), None),
        (column("nan", ["nan", "NaN", "-nan"]), None),
        (column("none", [" "; 3]), None),
        (
            column("t", ["0", "nan", "inf"]),
            Some("2 of 3 values are out of tolerance (1.0e-12), first at step 1, 1 s: 1"),
        ),
        (column("t", ["0", "-inf", "2"]), Some("first at step 1, 1 s: 1, expected -inf")),
        (column("inf", ["inf", "-inf", "inf"]), Some("1 of 3 values")),
        (column("inf", ["inf", "1e308", "inf"]), Some("1 of 3 values")),
        (column("inf", ["inf", "inf", "nan"]), Some("first at step 2, 2 s: inf, expected NaN")),
        (column("nan", ["nan", "inf", "nan"]), Some("first at step 1, 1 s: NaN, expected inf")),
        (column("nan", ["nan", " ", "nan"]), Some("first at step 1, 1 s: NaN, expected nothing")),
        (column("none", ["nan"; 3]), Some("3 of 3 values")),
    ];
    for (table, says) in cases {
        fs::write(folder.path().join("s.expected.csv"), &table).unwrap();
        let outcome = simulate(folder.path(), &["test", "s.simx"]);
        assert_eq!(outcome.code, i32::from(says.is_some()), "{table} gives {}", outcome.out);
        assert!(outcome.out.contains(says.unwrap_or("no differences")), "{table} gives {}", outcome.out);
        // No tolerance reaches what is not finite.
        let wide = simulate(folder.path(), &["test", "s.simx", "--relative", "1e300", "--absolute", "1e300"]);
        assert_eq!(wide.code, outcome.code, "{table}");
    }
    for bad in ["nan", "-1", "inf", "x"] {
        let outcome = simulate(folder.path(), &["test", "s.simx", &format!("--relative={bad}")]);
        assert!(outcome.code != 0 && outcome.err.contains("a tolerance is a number, 0 or more"), "{}", outcome.err);
    }
}

#[test]
fn a_simulation_without_expected_results_is_not_tested() {
    let folder = folder(&[("s.simx", SUMS), ("t.simx", SUMS), ("t.expected.csv", EXPECTED)]);
    let outcome = simulate(folder.path(), &["test", "s.simx", "t.simx", "--junit", "out.xml"]);
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let says = "not tested s.simx: no expected results; its 5 steps ran to the end\npassed t.simx: 5 steps, 3 signals, no \
                differences\n1 passed, 0 failed, 1 not tested\n";
    assert_eq!(outcome.out, says);
    let junit = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(junit.contains(r#"tests="2" failures="0" errors="0" skipped="1""#), "{junit}");
    assert!(junit.contains(r#"<skipped message="no expected results"/>"#), "{junit}");
    let json = simulate(folder.path(), &["test", "s.simx", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&report["passed"], &report["not_tested"]), (&0.into(), &1.into()));
    assert_eq!(report["files"][0]["outcome"], "not tested");
}

#[test]
fn expected_results_that_are_cut_off_are_a_failure() {
    let folder = folder(&[("s.simx", SUMS)]);
    let of = |table: &str, more: &[&str]| {
        fs::write(folder.path().join("s.expected.csv"), table).unwrap();
        simulate(folder.path(), &[&["test", "s.simx"], more].concat())
    };
    // A last line without an end is no failure if all its values are there.
    assert_eq!(of(EXPECTED.trim_end(), &[]).code, 0);
    let whole = "step,t\n0,0\n1,1\n2,2\n3,3\n4,4\n";
    let cases = [
        ("step,t\n", "the expected results have no rows, but the run has 5 steps: the file may be cut off"),
        (&whole[..whole.len() - 4], "the expected results end at step 3, but the run has 5 steps"),
        (&EXPECTED[..EXPECTED.len() - 3], "line 4 has 4 of 5 fields and no line end: the file is cut off"),
        (&EXPECTED[..EXPECTED.len() - 2], "expected nothing; the last line of the file has no line end"),
        ("", "the table needs a column"),
    ];
    for (table, says) in cases {
        let outcome = of(table, &[]);
        assert_eq!(outcome.code, 1, "{table} gives {}", outcome.out);
        assert!(outcome.out.contains(says), "{table} gives {}", outcome.out);
    }
    assert_eq!(of("step,t\n0,0\n3,3\n", &["--partial"]).code, 0);
    // A line that is too short in the middle is not the end of the file.
    let outcome = of("step,time,t\n0,0\n1,1,1\n", &[]);
    assert!(outcome.code == 1 && !outcome.out.contains("cut off"), "{}", outcome.out);
}

#[test]
fn what_is_kept_is_compared_with_from_then_on() {
    let folder = folder(&[("a.simx", SUMS), ("deep/b.simx", SUMS), ("deep/c.simx", SUMS)]);
    let path = folder.path();
    let none = simulate(path, &["test", "."]);
    assert_eq!((none.code, none.err.contains("no simulation has expected results")), (2, true), "{}", none.err);
    assert_eq!(simulate(path, &["test", "--update", "a.simx", "--every", "2"]).code, 0);
    assert_eq!(fs::read_to_string(path.join("a.expected.csv")).unwrap(), EXPECTED);
    assert_eq!(simulate(path, &["test", "--update", "deep/b.simx", "--signals", "#2.Output"]).code, 0);
    let all = simulate(path, &["test", "."]);
    assert!(all.out.ends_with("2 passed, 0 failed\n"), "{}", all.out);
    fs::write(path.join("deep/b.simx"), SUMS.replace("<value>2<", "<value>-2<")).unwrap();
    let all = simulate(path, &["test", ".", "--junit", "out.xml", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&all.out).unwrap();
    assert_eq!((all.code, &report["failed"], &report["files"][1]["outcome"]), (1, &1.into(), &"failed".into()));
    // −2 instead of 2, and −6 instead of 6.
    assert_eq!(report["files"][1]["signals"][1]["largest_difference"], 12.0);
    let junit = fs::read_to_string(path.join("out.xml")).unwrap();
    assert!(junit.contains(r#"tests="2" failures="1" errors="0""#) && junit.contains("<failure message="), "{junit}");
}

#[test]
fn a_check_that_stops_the_run_is_a_failure() {
    let check = r#"<block id="7" group="Check" name="Upper Bound"><option name="Bound"><value>2.5</value></option><option name="Action"><value>stop</value></option></block>
        <connection from="4" output="Output" to="7" input="Input"/></model>"#;
    let folder = folder(&[("s.simx", &SUMS.replace("</model>", check)), ("bad.simx", "<simulation")]);
    let outcome = simulate(folder.path(), &["test", "s.simx"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.out.contains("step 3: "), "{}", outcome.out);
    let outcome = simulate(folder.path(), &["test", "s.simx", "bad.simx", "none.simx"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.out.ends_with("0 passed, 3 failed\n"), "{}", outcome.out);
}

#[test]
fn a_run_that_ends_before_its_results_do_is_a_failure() {
    let stop = r#"<block id="7" group="Sink" name="Stop"/>
        <connection from="4" output="Output" to="7" input="Input"/></model>"#;
    let folder = folder(&[("s.simx", &SUMS.replace("</model>", stop)), ("s.expected.csv", EXPECTED)]);
    let outcome = simulate(folder.path(), &["test", "s.simx"]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    let says = "t: 2 of 3 values are out of tolerance (4.0e-9), first at step 2, 2 s: nothing, expected 2";
    assert!(outcome.out.contains(says), "{}", outcome.out);
    // The updated results pass.
    assert_eq!(simulate(folder.path(), &["test", "--update", "s.simx"]).code, 0);
    assert_eq!(simulate(folder.path(), &["test", "s.simx", "--engine", "all"]).code, 0);
}

/// A bus of the scalar 2 and a bus of the vector (3, 5).
const BUS: &str = r#"<simulation steps="2" delta="1" root="M"><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>2</value></option></block>
    <block id="2" group="Var" name="Static"><option name="Value"><value>3</value><value>5</value></option></block>
    <block id="3" group="Routing" name="Bus Creator"><option name="Names"><value>v</value></option></block>
    <block id="4" group="Routing" name="Bus Creator"><option name="Names"><value>speed pose</value></option></block>
    <exit id="5" name="y"/>
    <connection from="1" output="Output" to="4" input="speed"/>
    <connection from="2" output="Output" to="3" input="v"/>
    <connection from="3" output="Bus" to="4" input="pose"/>
    <connection from="4" output="Bus" to="5" input="Input"/>
    </model></simulation>"#;

/// Tables name the elements of a bus, are read again, and say which names there are.
#[test]
fn the_elements_of_a_bus_have_columns_by_name() {
    let folder = folder(&[("b.simx", BUS)]);
    let written = simulate(folder.path(), &["run", "b.simx", "--quiet", "--out", "b.expected.csv"]);
    assert_eq!((written.code, &*written.err), (0, ""));
    let table = fs::read_to_string(folder.path().join("b.expected.csv")).unwrap();
    assert_eq!(table, "step,time,y.speed,y.pose.v[0],y.pose.v[1]\n0,0,2,3,5\n1,1,2,3,5\n");
    assert_eq!(simulate(folder.path(), &["test", "b.simx"]).code, 0);
    let swept = simulate(folder.path(), &["sweep", "b.simx", "--vary", "#1.Value=1,2", "--quiet"]);
    assert!(swept.out.starts_with("run,step,#1.Value,time,y.speed,y.pose.v[0],y.pose.v[1]\n"), "{}", swept.out);
    for (column, says) in [
        ("y.speed", "passed"),
        ("#4.Bus.speed", "passed"),
        ("y.sped", "column “y.sped”: the signal is a bus of speed, pose.v[2]"),
        ("y[0]", "passed"),
        ("z.speed", "column “z.speed”: unknown exit or signal"),
    ] {
        fs::write(folder.path().join("b.expected.csv"), format!("step,{column}\n0,2\n1,2\n")).unwrap();
        let outcome = simulate(folder.path(), &["test", "b.simx"]);
        assert!(format!("{}{}", outcome.out, outcome.err).contains(says), "{column}: {}{}", outcome.out, outcome.err);
    }
}
