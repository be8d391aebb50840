//! `simulate run --sensitivity`.

use serde_json::{Value, json};

use super::{folder, simulate};

/// x[n + 1] = 1 + a x[n] from 0: x[4] = 1 + a + a² + a³.
const SERIES: &str = r#"<simulation steps="5" delta="1" root="M">
	<model name="M">
		<block id="0" group="Var" name="Static"><option name="Value"><value>1</value></option></block>
		<block id="1" group="Math" name="Sum"><option name="Signs"><value>++</value></option></block>
		<block id="2" group="Discrete" name="Unit Delay"/>
		<block id="3" group="Math" name="Gain"><option name="Gain"><value>0.5</value></option></block>
		<exit id="4" name="x"/>
		<connection from="0" output="Output" to="1" input="Input 1"/>
		<connection from="3" output="Output" to="1" input="Input 2"/>
		<connection from="1" output="Output" to="2" input="Input"/>
		<connection from="2" output="Output" to="3" input="Input"/>
		<connection from="2" output="Output" to="4" input="Input"/>
	</model>
</simulation>"#;

/// 1 + 2 a + 3 a² and the same of the series itself for the number that is added, which are exact for a = 1/2.
#[test]
fn derivatives_are_written_beside_the_signals() {
    let folder = folder(&[("a.simx", SERIES)]);
    let args = ["run", "a.simx", "--sensitivity", "#3.Gain,#0.Value"];
    let outcome = simulate(folder.path(), &args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(outcome.out.contains("d x / d #3.Gain = 2.75\n"), "{}", outcome.out);
    assert!(outcome.out.contains("d x / d #0.Value = 1.875\n"), "{}", outcome.out);
    let outcome = simulate(folder.path(), &[&args[..], &["--format", "json"]].concat());
    let got: Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(got["sensitivities"], json!({"d x / d #3.Gain": [2.75], "d x / d #0.Value": [1.875]}));
    let outcome = simulate(folder.path(), &[&args[..], &["--out", "a.csv"]].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let table = std::fs::read_to_string(folder.path().join("a.csv")).expect("the table");
    let (head, last) = (table.lines().next().expect("a head"), table.lines().last().expect("a row"));
    let columns: Vec<(&str, &str)> = head.split(',').zip(last.split(',')).collect();
    assert!(columns.contains(&("d x / d #3.Gain", "2.75")), "{columns:?}");
    assert!(columns.contains(&("x", "1.875")), "{columns:?}");
}

#[test]
fn mistakes_name_the_option_and_what_to_do() {
    let folder = folder(&[("a.simx", SERIES)]);
    let error = |args: &[&str]| {
        let outcome = simulate(folder.path(), &[&["run", "a.simx"], args].concat());
        assert_eq!(outcome.code, 1, "{}", outcome.out);
        outcome.err
    };
    let text = error(&["--sensitivity", "#3.Gian"]);
    assert!(text.contains("--sensitivity") && text.contains("Gian"), "{text}");
    let text = error(&["--sensitivity", "#3.Gain", "--engine", "simple"]);
    assert!(text.contains("“auto”, “compiled” or “flat”"), "{text}");
}
