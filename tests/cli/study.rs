//! `simulate optimize` and `simulate falsify`.

use serde_json::Value;

use super::{folder, simulate};

/// A step into a second-order lag.
const LAG: &str = r#"<simulation steps="2000" delta="0.01" root="r" solver="rk4"><model name="r">
  <block id="0" group="Var" name="Static"><option name="Value"><value>1</value></option></block>
  <block id="1" group="Continuous" name="PT2"><option name="Damping"><value>0.2</value></option></block>
  <exit id="2" name="y"/>
  <connection from="0" output="Output" to="1" input="Input"/>
  <connection from="1" output="Output" to="2" input="Input"/>
</model></simulation>"#;

/// A sine into a resonance with a gain of at most 5.03, in a model of its own.
const RESONANCE: &str = r#"<simulation steps="5000" delta="0.01" root="r" solver="rk4"><variable name="f" value="0.3"/><model name="r">
  <block id="0" group="Var" name="Sine"><option name="Frequency"><value>f</value></option></block>
  <model id="1" model="Plant"/>
  <connection from="0" output="Output" to="1" input="u"/>
</model><model name="Plant">
  <entry id="0" name="u"/>
  <block id="1" group="Continuous" name="PT2"><option name="Damping"><value>0.1</value></option></block>
  <block id="2" group="Check" name="Upper Bound"><option name="Bound"><value>4.5</value></option></block>
  <connection from="0" output="Output" to="1" input="Input"/>
  <connection from="1" output="Output" to="2" input="Input"/>
</model></simulation>"#;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// exp(−πD/√(1 − D²)) is 0.05 for D = 0.690107.
#[test]
fn values_that_meet_all_requirements_are_written() {
    let folder = folder(&[("m.simx", LAG)]);
    let args = ["optimize", "m.simx", "--parameter", "#1.Damping=0.05:2", "--require", "overshoot of y <= 5"];
    let best = ["--minimize", "rise-time of y", "--method", "bobyqa", "--write", "--format", "json"];
    let outcome = simulate(folder.path(), &[&args[..], &best].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""));
    let result = parsed(&outcome.out);
    let damping = result["parameters"][0]["value"].as_f64().expect("a number");
    assert!((damping - 0.690107).abs() < 1e-4, "{damping}");
    assert_eq!((&result["met"], &result["written"]), (&true.into(), &true.into()));
    let text = std::fs::read_to_string(folder.path().join("m.simx")).expect("the file");
    assert!(text.contains("<value>0.6901"), "{text}");
    // With the values of the file they are met already.
    let again = simulate(folder.path(), &args);
    assert_eq!(again.code, 0);
    assert!(again.out.contains("  met\n"), "{}", again.out);
}

#[test]
fn what_cannot_be_met_says_by_how_much() {
    let folder = folder(&[("m.simx", LAG)]);
    let args = ["optimize", "m.simx", "--parameter", "#1.Damping=0.05:0.5", "--require", "overshoot of y < 5"];
    let outcome = simulate(folder.path(), &[&args[..], &["--write"]].concat());
    // exp(−0.5π/√0.75) is 16.3 %.
    assert_eq!(outcome.code, 1);
    assert!(outcome.out.contains("Not all requirements are met") && outcome.out.contains("  -11."), "{}", outcome.out);
    assert!(outcome.err.contains("not written"), "{}", outcome.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("m.simx")).expect("the file"), LAG);
}

#[test]
fn a_violation_becomes_a_test_that_fails() {
    let folder = folder(&[("m.simx", RESONANCE)]);
    let args = ["falsify", "m.simx", "--parameter", "f=0.1:10", "--parameter", "#0.Phase=-3:3"];
    let outcome = simulate(folder.path(), &[&args[..], &["--out", "bad.simx"]].concat());
    assert_eq!((outcome.code, &*outcome.err), (1, ""), "{}", outcome.out);
    assert!(outcome.out.starts_with("violated: Plant#2\n"), "{}", outcome.out);
    assert!(outcome.out.contains("  f = ") && outcome.out.contains("written: bad.simx\n"), "{}", outcome.out);
    // The phase does not matter.
    assert!(!outcome.out.contains("Phase"), "{}", outcome.out);
    let tested = simulate(folder.path(), &["test", "."]);
    assert_eq!(tested.code, 1, "{}", tested.out);
    assert!(tested.out.contains("Plant#2.Output: 1 of"), "{}", tested.out);
    // Once the plant is damped, it passes.
    let path = folder.path().join("bad.simx");
    let mended = std::fs::read_to_string(&path).expect("the test").replace("<value>0.1</value>", "<value>0.2</value>");
    std::fs::write(&path, mended).expect("written");
    let tested = simulate(folder.path(), &["test", "."]);
    assert_eq!(tested.code, 0, "{}", tested.out);
    // A file of the user is not replaced.
    let again = simulate(folder.path(), &[&args[..], &["--out", "m.simx"]].concat());
    assert_eq!(again.code, 1);
    assert!(again.err.contains("m.simx"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("m.simx")).expect("the file"), RESONANCE);
}

#[test]
fn what_is_not_violated_has_its_least_margin() {
    // A variable would have every run compiled anew.
    let model = RESONANCE.replace("<value>f</value>", "<value>0.3</value>");
    let folder = folder(&[("m.simx", &model)]);
    let args = [
        "falsify",
        "m.simx",
        "--parameter",
        "#0.Frequency=0.1:10:log",
        "--set",
        "Plant#2.Bound=5.6",
        "--format",
        "json",
    ];
    let outcome = simulate(folder.path(), &args);
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{}", outcome.out);
    let result = parsed(&outcome.out);
    let margin = result["requirements"][0]["margin"].as_f64().expect("a number");
    // After 50 s the resonance has all but exp(−5) of its size.
    assert!((margin - (5.6 - 5.025)).abs() < 0.05, "{margin}");
    assert_eq!(result["violations"], serde_json::json!([]));
}

/// y = 1 − exp(−t/0.5), as another program has measured it.
#[test]
fn a_reference_curve_comes_from_a_file() {
    let rows: String =
        (0..50).map(|row| 0.04 * f64::from(row)).map(|t| format!("{t},{}\n", 1.0 - (-t / 0.5).exp())).collect();
    let model = LAG.replace("PT2", "PT1").replace("Damping", "Gain").replace("2000", "200");
    let folder = folder(&[("m.simx", &model), ("step.csv", &format!("time,speed\n{rows}"))]);
    let args = ["optimize", "m.simx", "--parameter", "#1.Gain=0.1:3", "--parameter", "#1.Time Constant=0.1:3"];
    let outcome =
        simulate(folder.path(), &[&args[..], &["--require", "y follows step.csv:speed within 0.01"]].concat());
    assert_eq!((outcome.code, &*outcome.err), (0, ""), "{}", outcome.out);
}

#[test]
fn what_is_wrong_with_a_question_is_said() {
    let folder = folder(&[("m.simx", LAG), ("t.csv", "time,a\n0,1\n")]);
    let asked = |more: &[&str]| simulate(folder.path(), &[&["optimize", "m.simx"], more].concat());
    for (more, want) in [
        (&["--parameter", "#1.Damping=0.1:2"][..], "there is nothing to require"),
        (&["--parameter", "#1.Damping", "--require", "y < 2"], "#1.Damping needs bounds"),
        (&["--parameter", "#1.Damping=2:1", "--require", "y < 2"], "the lower bound must be below"),
        (&["--parameter", "#1.Damping=0.1:2", "--require", "y 2"], "--require y 2: expected SIGNAL < NUMBER"),
        (&["--parameter", "#1.Damping=0.1:2", "--require", "z < 2"], "z"),
        (&["--parameter", "#1.Damping=0.1:2", "--require", "speed of y < 2"], "is no figure; there are minimum"),
        (&["--parameter", "#1.Damping=0.1:2", "--require", "y follows no.csv:a within 1"], "no.csv"),
        (&["--parameter", "#1.Damping=0.1:2", "--require", "y follows t.csv:b within 1"], "there is no column “b”"),
        (&["--parameter", "#1.Damping=0.1:2", "--minimize", "y"], "expected FIGURE of SIGNAL"),
        (&["--parameter", "#1.Damping=0.5:2", "--require", "y < 2"], "is not between the bounds"),
        (
            &["--parameter", "#1.Damping=0.1:2", "--require", "final of y < 0", "--method", "gradient"],
            "--method gradient: derivatives are followed for conditions in all steps only",
        ),
    ] {
        let outcome = asked(more);
        assert_eq!((outcome.code, &*outcome.out), (1, ""), "{more:?}");
        assert!(outcome.err.contains(want), "{more:?}: {}", outcome.err);
    }
    let missing = simulate(folder.path(), &["falsify", "no.simx", "--parameter", "a=1:2"]);
    assert_eq!(missing.code, 2);
}
