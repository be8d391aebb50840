//! `simulate design`.

use serde_json::{Value, json};

use super::{folder, simulate};

fn told(args: &[&str]) -> Value {
    let folder = folder(&[]);
    let outcome = simulate(folder.path(), &[&["design", "c2d", "--format", "json"], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    serde_json::from_str(&outcome.out).unwrap()
}

/// 1/(2s + 1) with T = 1 and s = 2·(z − 1)/(z + 1) is (z + 1)/(5z − 3).
#[test]
fn a_transfer_function_becomes_discrete() {
    let got = told(&["--num", "1", "--den", "2 1", "--sample-time", "1", "--method", "tustin"]);
    let expected = json!({
        "method": "tustin", "sample_time": 1.0, "numerator": [0.2, 0.2], "denominator": [1.0, -0.6],
        "poles": [[0.6, 0.0]], "zeros": [[-1.0, 0.0]],
    });
    assert_eq!(got, expected);
    let folder = folder(&[]);
    let args = ["design", "c2d", "--num", "-1", "--den", "2 1", "--sample-time", "1", "--method", "tustin"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.out, "numerator    -0.2 -0.2\ndenominator  1 -0.6\nzeros\n  -1\npoles\n  0.6\n");
}

/// A double integrator, held: Φ = [1 T; 0 1], Γ = [T²/2; T] (Franklin, Powell, Workman, section 4.3).
#[test]
fn matrices_become_discrete() {
    let got = told(&["--a", "0 1; 0 0", "--b", "0; 1", "--c", "1 0", "--sample-time", "0.5"]);
    let expected = json!({
        "method": "zoh", "sample_time": 0.5, "a": [[1.0, 0.5], [0.0, 1.0]], "b": [[0.125], [0.5]], "c": [[1.0, 0.0]],
        "d": [[0.0]], "poles": [[1.0, 0.0], [1.0, 0.0]],
    });
    assert_eq!(got, expected);
    // Without outputs the states are.
    let got = told(&["--a", "0 1; 0 0", "--b", "0; 1", "--sample-time", "0.5"]);
    assert_eq!((&got["c"], &got["d"]), (&json!([[1.0, 0.0], [0.0, 1.0]]), &json!([[0.0], [0.0]])));
}

/// At the frequency of prewarping the gain is that of the continuous system: 1/√2 at the corner.
#[test]
fn prewarping_keeps_a_frequency() {
    let args = ["--num", "1", "--den", "1 1", "--sample-time", "1", "--method", "tustin", "--prewarp", "1"];
    let got = told(&args);
    let number = |name: &str, index: usize| got[name][index].as_f64().unwrap();
    // |b·(z + 1)/(z + a)| at z = exp(i).
    let (b, a) = (number("numerator", 0), number("denominator", 1));
    let size = |offset: f64| (1.0_f64.cos() + offset).hypot(1.0_f64.sin());
    assert!((b * size(1.0) / size(a) - 0.5_f64.sqrt()).abs() < 1e-14, "{got}");
}

#[test]
fn what_cannot_be_designed_says_why() {
    let folder = folder(&[]);
    for (args, code, want) in [
        (&["--sample-time", "1"][..], 1, "error: give a transfer function with --num and --den, or matrices"),
        (&["--num", "1", "--den", "1 1", "--sample-time", "0"], 1, "error: the sample time must be above 0 s"),
        (&["--num", "1 x", "--den", "1 1", "--sample-time", "1"], 1, "error: --num \"1 x\": "),
        (&["--num", "1 0 0", "--den", "1 1", "--sample-time", "1"], 1, "error: the degree of the numerator"),
        (&["--num", "1", "--den", "1 1", "--sample-time", "1", "--prewarp", "1"], 1, "error: --prewarp needs --method"),
        (&["--a", "1 2", "--b", "1", "--sample-time", "1"], 1, "error: --a: 1×2 elements, expected a square matrix"),
        (
            &["--a", "1", "--b", "1", "--c", "1 2", "--sample-time", "1"],
            1,
            "error: --c: 1×2 elements, expected 1 column,",
        ),
        (
            &["--a", "1", "--b", "1", "--sample-time", "1", "--method", "matched"],
            1,
            "error: matched poles and zeros need a transfer function",
        ),
        (&["--num", "1", "--sample-time", "1"], 2, "error: the following required arguments were not provided"),
        (&["--num", "1", "--den", "1 1"], 2, "error: the following required arguments were not provided"),
    ] {
        let outcome = simulate(folder.path(), &[&["design", "c2d"], args].concat());
        assert_eq!((outcome.code, outcome.err.starts_with(want)), (code, true), "{args:?}: {}", outcome.err);
    }
}

/// A PID block before an integrator; the model has a feedback gain too.
const LOOP: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="100" delta="0.01" root="Main">
	<model name="Main">
		<block id="0" group="Var" name="Step"/>
		<block id="1" group="Math" name="Sum"><option name="Signs"><value>+-</value></option></block>
		<block id="2" group="Continuous" name="PID Controller"><option name="P"><value>1</value></option><option name="I"><value>2*3</value></option><option name="D"><value>0</value></option></block>
		<block id="3" group="Math" name="Integrate"/>
		<connection from="0" output="Output" to="1" input="Input 1"/>
		<connection from="3" output="Output" to="1" input="Input 2"/>
		<connection from="1" output="Output" to="2" input="Error"/>
		<connection from="2" output="Output" to="3" input="Input"/>
	</model>
</simulation>
"##;

fn json_of(folder: &std::path::Path, args: &[&str]) -> Value {
    let outcome = simulate(folder, &[&["design"], args, &["--format", "json"]].concat());
    assert_eq!(outcome.code, 0, "{args:?}: {}", outcome.err);
    serde_json::from_str(&outcome.out).unwrap()
}

fn near(got: &Value, want: f64) {
    let got = got.as_f64().unwrap_or_else(|| panic!("{got} is no number"));
    assert!((got - want).abs() <= 2e-5 * want.abs().max(1e-3), "{got}, not {want}");
}

/// With the bandwidth ω and the phase margin φ the PI controller of an integrator has P = ω·sin φ and I = ω²·cos φ.
#[test]
fn a_pid_block_is_tuned_and_written() {
    let folder = folder(&[("loop.simx", LOOP)]);
    let args = ["pid", "loop.simx", "--type", "pi", "--bandwidth", "2", "--phase-margin", "60"];
    let got = json_of(folder.path(), &args);
    near(&got["after"]["p"], 3f64.sqrt());
    near(&got["after"]["i"], 2.0);
    near(&got["after"]["phase_margin"], 60.0);
    near(&got["after"]["phase_margin_at"], 2.0);
    assert_eq!((&got["block"], &got["type"], &got["written"]), (&json!("#2"), &json!("PI"), &json!(false)));
    assert_eq!((&got["after"]["stable"], &got["before"]["i"]), (&json!(true), &json!(6.0)));
    let text = || std::fs::read_to_string(folder.path().join("loop.simx")).unwrap();
    assert_eq!(text(), LOOP, "nothing is written unasked");
    // An expression is not replaced unasked.
    let written = [&["design"], &args[..], &["--write"]].concat();
    let outcome = simulate(folder.path(), &written);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("--write: I is the expression “2*3”; --replace-expressions"), "{}", outcome.err);
    assert_eq!(text(), LOOP);
    let outcome = simulate(folder.path(), &[&written[..], &["--replace-expressions"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("written into the file"), "{}", outcome.out);
    assert!(text().contains("<value>1.73205</value>") && text().contains("<value>2</value>"), "{}", text());
    // What is written is what is tuned: before and after are the same now.
    let got = json_of(folder.path(), &args);
    near(&got["before"]["phase_margin"], 60.0);
}

#[test]
fn a_pid_block_that_cannot_be_tuned_says_why() {
    let twice = LOOP.replace("<block id=\"3\" group=\"Math\" name=\"Integrate\"/>", "<block id=\"3\" group=\"Math\" name=\"Integrate\"/><block id=\"4\" group=\"Continuous\" name=\"PID Controller\"/>");
    let none = LOOP
        .replace("Continuous\" name=\"PID Controller", "Math\" name=\"Gain")
        .replace("input=\"Error\"", "input=\"Input\"");
    let folder = folder(&[("loop.simx", LOOP), ("twice.simx", &twice), ("none.simx", &none)]);
    for (args, code, want) in [
        (&["loop.simx", "--block", "#3"][..], 1, "#3: the block is not a PID controller"),
        (&["loop.simx", "--block", "#9"], 1, "--block: "),
        (&["twice.simx"], 1, "the simulation has several PID blocks; choose one with --block: #2, #4"),
        (&["twice.simx", "--block", "#4"], 1, "#4: the input “Error” of the block is not connected"),
        (&["none.simx"], 1, "the simulation has no PID block"),
        (&["loop.simx", "--rule", "amigo", "--type", "p"], 1, "AMIGO has no P"),
        (&["loop.simx", "--bandwidth", "0"], 2, "expected a number above 0"),
        (&["loop.simx", "--phase-margin", "200"], 2, "expected degrees from 1 to 120"),
        (&["loop.simx", "--replace-expressions"], 2, "--write"),
        (&["nowhere.simx"], 2, "nowhere.simx"),
    ] {
        let outcome = simulate(folder.path(), &[&["design", "pid"], args].concat());
        assert_eq!((outcome.code, outcome.err.contains(want)), (code, true), "{args:?}: {}", outcome.err);
    }
}

/// A double integrator with weight 1 on the position and the input: K = (1, √2), poles (−1 ± i)/√2.
#[test]
fn gains_of_matrices_have_their_closed_forms() {
    let folder = folder(&[]);
    let double = ["--a", "0 1; 0 0", "--b", "0 1"];
    let got = json_of(folder.path(), &[&["lqr"], &double[..], &["--q", "1 0", "--r", "1"]].concat());
    near(&got["gain"][0][0], 1.0);
    near(&got["gain"][0][1], 2f64.sqrt());
    near(&got["poles"][0][0], -0.5f64.sqrt());
    near(&got["poles"][1][1], 0.5f64.sqrt());
    assert_eq!(got["sample_time"], json!(null));
    // x(k+1) = x + u with unit weights: the golden ratio.
    let got = json_of(folder.path(), &["lqr", "--a", "1", "--b", "1", "--sample-time", "0.5"]);
    near(&got["riccati"][0][0], 0.5 * (1.0 + 5f64.sqrt()));
    assert_eq!(got["sample_time"], json!(0.5));
    // Its dual is the filter of a random walk.
    let got = json_of(folder.path(), &["kalman", "--a", "1", "--c", "1", "--sample-time", "0.5"]);
    near(&got["gain"][0][0], 0.5 * (5f64.sqrt() - 1.0));
    near(&got["correction"][0][0], 0.5 * (5f64.sqrt() - 1.0));
    // Noise on the speed alone: the filter has the poles of the regulator.
    let args = ["kalman", "--a", "0 1; 0 0", "--c", "1 0", "--g", "0 1", "--q", "4", "--r", "4"];
    let got = json_of(folder.path(), &args);
    near(&got["gain"][0][0], 2f64.sqrt());
    near(&got["gain"][1][0], 1.0);
    // s² + 4·s + 13
    let got = json_of(folder.path(), &[&["place"], &double[..], &["--poles", "-2+3i -2-3i"]].concat());
    near(&got["gain"][0][0], 13.0);
    near(&got["gain"][0][1], 4.0);
    let args = ["place", "--a", "0 1; 0 0", "--c", "1 0", "--observer", "--poles", "-3,-1e1"];
    let got = json_of(folder.path(), &args);
    near(&got["gain"][0][0], 13.0);
    near(&got["gain"][1][0], 30.0);
    let outcome = simulate(folder.path(), &["design", "place", "--a", "2", "--b", "1", "--poles", "-3"]);
    assert_eq!(outcome.out, "K\n  5\npoles\n  -3\n");
}

const PLANT: &str = r##"<?xml version="1.0" encoding="UTF-8"?>
<simulation steps="100" delta="0.01" root="Main">
	<model name="Main">
		<block id="0" group="Continuous" name="State Space" label="Plant"><option name="A"><value>0</value><value>1</value><value>0</value><value>0</value></option><option name="B"><value>0</value><value>1</value></option><option name="C"><value>1</value><value>0</value><value>0</value><value>1</value></option></block>
		<block id="1" group="Matrix" name="Matrix Gain"><option name="Gain"><value>0</value><value>0</value></option></block>
		<block id="2" group="Math" name="Unary Minus"/>
		<block id="3" group="Math" name="Slider Gain"/>
		<connection from="0" output="Output" to="1" input="Input"/>
		<connection from="1" output="Output" to="2" input="Input"/>
		<connection from="2" output="Output" to="0" input="Input"/>
	</model>
</simulation>
"##;

#[test]
fn the_gain_of_a_block_is_written_into_another() {
    let folder = folder(&[("plant.simx", PLANT)]);
    let text = || std::fs::read_to_string(folder.path().join("plant.simx")).unwrap();
    let got = json_of(folder.path(), &["place", "plant.simx", "--poles", "-1 -2", "--write", "#1"]);
    assert_eq!((&got["block"], &got["written"]), (&json!("#0"), &json!("#1")));
    near(&got["gain"][0][0], 2.0);
    near(&got["gain"][0][1], 3.0);
    assert!(text() != PLANT);
    // The closed loop of the file has the poles.
    let outcome = simulate(folder.path(), &["linearize", "plant.simx", "--format", "json"]);
    let linear: Value = serde_json::from_str(&outcome.out).unwrap();
    let mut poles: Vec<f64> =
        linear["poles"].as_array().unwrap().iter().map(|pole| pole[0].as_f64().unwrap()).collect();
    poles.sort_by(f64::total_cmp);
    assert!((poles[0] + 2.0).abs() < 1e-9 && (poles[1] + 1.0).abs() < 1e-9, "{poles:?}");
    for (args, want) in [
        (&["--write", "#3"][..], "--write: #3 has no parameter “Gain” that takes a matrix"),
        (&["--write", "#1.Rows"], "--write: #1 has no parameter “Rows” that takes a matrix"),
        (&["--write", "#9"], "--write: "),
        (&["--block", "#1"], "#1: the block is not a state-space system"),
        (&["--poles", "-1"], "1 poles for 2 states"),
        (&["--poles", "-1+x"], "--poles: “-1+x” is no pole"),
    ] {
        let poles: &[&str] = if args[0] == "--poles" { &[] } else { &["--poles", "-1 -2"] };
        let outcome = simulate(folder.path(), &[&["design", "place", "plant.simx"], args, poles].concat());
        assert_eq!((outcome.code, outcome.err.contains(want)), (1, true), "{args:?}: {}", outcome.err);
    }
    // The values of --set act on the design.
    let got = json_of(folder.path(), &["lqr", "plant.simx", "--set", "#0.B=0,2", "--q", "1 0", "--r", "1"]);
    near(&got["gain"][0][0], 1.0);
    near(&got["gain"][0][1], 1.0);
}

#[test]
fn matrices_that_do_not_fit_say_what_is_expected() {
    let folder = folder(&[]);
    for (args, want) in [
        (&["lqr", "--b", "1"][..], "give a simulation with --block, or matrices with --a and --b"),
        (&["kalman", "--a", "1"], "give a simulation with --block, or matrices with --a and --c"),
        (&["lqr", "--a", "1 2", "--b", "1"], "--a: 1×2 elements, expected a square matrix"),
        (&["lqr", "--a", "0 1; 0 0", "--b", "1"], "--b: 1×1 elements, expected 2 rows, one for each state"),
        (&["lqr", "--a", "0 1; 0 0", "--b", "0 1", "--q", "1 2 3"], "--q: 1×3 elements, expected 2×2, its diagonal"),
        (&["lqr", "--a", "1", "--b", "1", "--r", "0"], "R is not positive definite"),
        (&["lqr", "--a", "1 0; 0 1", "--b", "1 0"], "the input does not reach the mode 1"),
        (&["kalman", "--a", "1 0; 0 2", "--c", "1 0"], "the measurement does not show the mode 2"),
    ] {
        let outcome = simulate(folder.path(), &[&["design"], args].concat());
        assert_eq!((outcome.code, outcome.err.contains(want)), (1, true), "{args:?}: {}", outcome.err);
    }
}
