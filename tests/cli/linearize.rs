//! `simulate linearize`.

use serde_json::{Value, json};

use super::{folder, simulate};

/// x'' = u - 4x, with an equilibrium away from 0.
const SPRING: &str = r#"<simulation steps="10" delta="0.01" root="M">
	<model name="M">
		<block id="0" group="Var" name="Static"><option name="Value"><value>8</value></option></block>
		<block id="1" group="Math" name="Sum"><option name="Signs"><value>+-</value></option></block>
		<block id="2" group="Math" name="Integrate"/>
		<block id="3" group="Math" name="Integrate"/>
		<block id="4" group="Math" name="Gain"><option name="Gain"><value>4</value></option></block>
		<exit id="5" name="x"/>
		<connection from="0" output="Output" to="1" input="Input 1"/>
		<connection from="4" output="Output" to="1" input="Input 2"/>
		<connection from="1" output="Output" to="2" input="Input"/>
		<connection from="2" output="Output" to="3" input="Input"/>
		<connection from="3" output="Output" to="4" input="Input"/>
		<connection from="3" output="Output" to="5" input="Input"/>
	</model>
</simulation>"#;

fn told(args: &[&str]) -> Value {
    let folder = folder(&[("a.simx", SPRING)]);
    let outcome = simulate(folder.path(), &[&["linearize", "a.simx", "--format", "json"], args].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    serde_json::from_str(&outcome.out).unwrap()
}

#[test]
fn a_system_is_printed_as_one_object() {
    let got = told(&["--input", "#0"]);
    assert_eq!(got["a"], json!([[0.0, -4.0], [1.0, 0.0]]));
    assert_eq!((&got["b"], &got["c"], &got["d"]), (&json!([[1.0], [0.0]]), &json!([[0.0, 1.0]]), &json!([[0.0]])));
    assert_eq!((&got["poles"], &got["zeros"]), (&json!([[0.0, -2.0], [0.0, 2.0]]), &json!([])));
    assert_eq!((&got["period"], &got["steady_gain"]), (&Value::Null, &json!(0.25)));
    assert_eq!(got["point"], json!([0.0, 0.0]));
}

#[test]
fn it_goes_to_where_nothing_moves() {
    let got = told(&["--input", "#0", "--steady"]);
    assert_eq!(got["point"], json!([0.0, 2.0]));
    let got = told(&["--input", "#0", "--steady", "--free", "#0.Value", "--target", "#3=5"]);
    assert_eq!((&got["point"], &got["free"]), (&json!([0.0, 5.0]), &json!([["#0.Value", [20.0]]])));
}

/// The position is fixed; only the force may change.
#[test]
fn what_is_fixed_stays() {
    let got = told(&["--input", "#0", "--steady", "--fixed", "#3", "--free", "#0.Value"]);
    assert_eq!(got["point"][1], json!(0.0));
    assert!(got["free"][0][1][0].as_f64().unwrap().abs() < 1e-9, "{got}");
}

#[test]
fn the_response_in_frequency_goes_to_a_file() {
    let folder = folder(&[("a.simx", SPRING)]);
    let args = ["linearize", "a.simx", "--input", "#0", "--bode", "b.csv", "--frequencies", "1:4", "--points", "3"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.starts_with("2 states, continuous, at step 0\n"), "{}", outcome.out);
    let text = std::fs::read_to_string(folder.path().join("b.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["frequency", "re", "im", "decibels", "phase"]);
    // 1/(4 - ω²) at 1 and at 4; the pole in between is skipped or nearly met.
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!((number(rows[1][1]) - 1.0 / 3.0).abs() < 1e-12, "{text}");
    assert!((number(rows.last().unwrap()[1]) + 1.0 / 12.0).abs() < 1e-12, "{text}");
}

#[test]
fn unknown_signals_are_reported() {
    let folder = folder(&[("a.simx", SPRING)]);
    for (args, want) in [
        (&["--input", "#9"][..], "error: --input: “#9”"),
        (&["--input", "#0[3]"], "error: there is no signal “Output” of block #0, or it has fewer elements"),
        (&["--bode", "b.csv"], "error: --bode: give an --input"),
        (&["--nichols", "b.csv"], "error: --nichols: give an --input"),
        (&["--root-locus", "b.csv"], "error: --root-locus: give an --input"),
        (&["--steady", "--free", "#0"], "error: --free #0: expected a parameter"),
        (&["--steady", "--target", "#3"], "error: --target #3: expected PATH=VALUE"),
    ] {
        let outcome = simulate(folder.path(), &[&["linearize", "a.simx"], args].concat());
        assert_eq!((outcome.code, outcome.err.starts_with(want)), (1, true), "{}", outcome.err);
    }
}

/// x'' = u − 4x: the closed loop has its poles at ±i·√(4 + k), and at ω the open loop is 1/(4 − ω²), the closed one
/// 1/(5 − ω²).
#[test]
fn the_root_locus_and_the_nichols_chart_go_to_files() {
    let folder = folder(&[("a.simx", SPRING)]);
    let range = ["--frequencies", "1:4", "--points", "3"];
    let args = [&["linearize", "a.simx", "--input", "#0", "--root-locus", "r.csv", "--nichols", "n.csv"][..], &range];
    let outcome = simulate(folder.path(), &args.concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let table = |name: &str| -> (String, Vec<Vec<f64>>) {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let (head, rows) = text.split_once('\n').unwrap();
        // A root that is far away is left empty.
        let number = |text: &str| if text.is_empty() { f64::NAN } else { text.parse::<f64>().unwrap() };
        (head.to_owned(), rows.lines().map(|line| line.split(',').map(number).collect()).collect())
    };
    let (head, rows) = table("r.csv");
    assert_eq!(head, "gain,re1,im1,re2,im2");
    assert_eq!(rows[0], [0.0, 0.0, -2.0, 0.0, 2.0]);
    assert!(rows.len() > 50 && rows.last().unwrap()[0] > 100.0, "{rows:?}");
    for row in &rows {
        let height = (4.0 + row[0]).sqrt();
        for (found, expected) in row[1..].iter().zip([0.0, -height, 0.0, height]) {
            assert!(found.is_nan() || (found - expected).abs() < 1e-9 * height, "{row:?}");
        }
    }
    let (head, rows) = table("n.csv");
    assert_eq!(head, "frequency,phase,decibels,closed_decibels,closed_phase");
    let decibels = |value: f64| 20.0 * value.log10();
    for (found, expected) in rows[0].iter().zip([1.0, 0.0, decibels(1.0 / 3.0), decibels(0.25), 0.0]) {
        assert!((found - expected).abs() < 1e-9, "{rows:?}");
    }
}

/// Margins belong to a loop that is opened: x'' = u − 4x has the loop 4/s², whose gain is 1 at 2 rad/s, with no phase
/// margin.
#[test]
fn margins_are_those_of_the_loop_that_is_opened_and_named() {
    let got = told(&["--input", "#0"]);
    assert_eq!(got["margins"], Value::Null);
    assert_eq!(got["loops"], json!([{"name": "Sum #1", "signal": "#1.Output"}]));
    let got = told(&["--input", "#1", "--output", "#1", "--open"]);
    assert_eq!(got["margins"]["loop"]["name"], json!("Sum #1"));
    let number = |value: &Value| value.as_f64().unwrap();
    assert!((number(&got["margins"]["phase_at"]) - 2.0).abs() < 1e-9, "{got}");
    assert!(number(&got["margins"]["phase"]).abs() < 1e-9, "{got}");
    let folder = folder(&[("a.simx", SPRING)]);
    let outcome = simulate(folder.path(), &["linearize", "a.simx", "--input", "#0"]);
    let want = "no loop is opened, so there are no margins; the loops are\n  at › Sum #1: --input #1.Output --output \
                #1.Output --open\n";
    assert!(outcome.out.ends_with(want), "{}", outcome.out);
    let outcome = simulate(folder.path(), &["linearize", "a.simx", "--input", "#1", "--open"]);
    assert!(outcome.out.contains("margins of the loop at › Sum #1: gain margin "), "{}", outcome.out);
}
