//! `simulate fit`.

mod boehm;
mod certified;
mod data;
mod experiments;
mod petab;
mod refused;

use std::path::Path;

use serde_json::Value;

use super::{folder, simulate};

/// The result of a fit as JSON.
#[track_caller]
fn fitted(folder: &Path, args: &[&str]) -> Value {
    let outcome = simulate(folder, &[&["fit", "m.simx", "--format", "json"], args].concat());
    assert_eq!(outcome.code, 0, "{}\n{}", outcome.err, outcome.out);
    serde_json::from_str(&outcome.out).expect("JSON")
}

/// The values of the parameters.
fn values(result: &Value) -> Vec<f64> {
    result["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .map(|of| of["value"].as_f64().expect("a number"))
        .collect()
}

#[track_caller]
fn assert_close(found: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(found.len(), right.len());
    for (found, right) in found.iter().zip(right) {
        assert!((found - right).abs() <= tolerance * right.abs(), "{found} is not {right}");
    }
}

/// x' = −k·x from x₀, with an output of gain g: `#0` is −k, `#1` the state, `#2` the gain.
fn decay(solver: &str, gain: &str) -> String {
    format!(
        r#"<simulation steps="10" delta="0.01" root="r" solver="{solver}">
  <variable name="kk" value="2"/>
  <model name="r">
    <block id="0" group="Math" name="Gain"><option name="Gain"><value>-1</value></option></block>
    <block id="1" group="Math" name="Integrate"><option name="Initial Value"><value>1</value></option></block>
    <block id="2" group="Math" name="Gain" label="Sensor"><option name="Gain"><value>{gain}</value></option></block>
    <exit id="3" name="y"/>
    <connection from="1" output="Output" to="0" input="Input"/>
    <connection from="0" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="3" input="Input"/>
  </model>
</simulation>"#
    )
}

/// The table of `gain·exp(−k·t)` at `count` times from 0 to 2.
fn decayed(gain: f64, k: f64, count: usize) -> String {
    let row = |index: usize| {
        let time = 2.0 * index as f64 / (count - 1) as f64;
        format!("{time},{}\n", gain * (-k * time).exp())
    };
    format!("time,y\n{}", (0..count).map(row).collect::<String>())
}

/// Two decays in one vector: each element keeps its value while the other is tried.
#[test]
fn two_elements_of_an_option_are_fitted_at_once() {
    let twice = |value: &str| format!("<value>{value}</value><value>{value}</value>");
    let model = decay("rk4", "1").replacen("<value>-1</value>", &twice("-1"), 1);
    let model = model.replacen("Initial Value\"><value>1</value>", &format!("Initial Value\">{}", twice("1")), 1);
    let time = |row: u32| 0.05 * f64::from(row);
    let row = |row: u32| {
        let t = time(row);
        format!("{t},{},{}\n", (-2.0 * t).exp(), (-0.7 * t).exp())
    };
    let data = format!("time,y[0],y[1]\n{}", (0..40).map(row).collect::<String>());
    let folder = folder(&[("m.simx", &model), ("d.csv", &data)]);
    let result = fitted(folder.path(), &["--data", "d.csv", "--parameter", "#0.Gain[0]", "--parameter", "#0.Gain[1]"]);
    assert_close(&values(&result), &[-2.0, -0.7], 1e-6);
}
