//! Data files, columns, weights and losses.

use super::{assert_close, decay, decayed, fitted, folder, simulate, values};

const PARAMS: [&str; 4] = ["--parameter", "#0.Gain", "--parameter", "#2.Gain"];

/// What this program writes, it reads: all four kinds.
#[test]
fn each_kind_of_file_is_read() {
    let folder = folder(&[("m.simx", &decay("rk4", "1"))]);
    for name in ["d.csv", "d.parquet", "d.npz", "d.mat"] {
        let args =
            ["run", "m.simx", "-q", "--set", "#0.Gain=-2", "--set", "#2.Gain=3", "--steps", "100", "--out", name];
        assert_eq!(simulate(folder.path(), &args).code, 0);
        let result = fitted(folder.path(), &[&["--data", name][..], &PARAMS].concat());
        assert_close(&values(&result), &[-2.0, 3.0], 1e-9);
        assert_eq!((&result["derivatives"], &result["values"]), (&"sensitivities".into(), &100.into()), "{name}");
    }
}

/// Columns with other names, times between steps and cells without a value.
#[test]
fn columns_are_mapped_to_signals() {
    let mut rows = "t in s;volts;note\n".to_owned();
    for index in 0..100 {
        let time = 0.0137 * f64::from(index);
        let volts = if index % 7 == 3 { String::new() } else { (3.0 * (-2.0 * time).exp()).to_string() };
        rows += &format!("{time};{volts};1\n").replace('.', ",");
    }
    let folder = folder(&[("m.simx", &decay("rk4", "1")), ("d.csv", &rows)]);
    for map in ["volts=y", "volts=Sensor", "volts=#2.Output", "volts=y[0]"] {
        let args = ["--data", "d.csv", "--time", "t in s", "--map", map];
        let result = fitted(folder.path(), &[&args[..], &PARAMS].concat());
        // Between two steps a straight line would be a part of 5e-5 above the curve, the cubic polynomial is 4e-9.
        assert_close(&values(&result), &[-2.0, 3.0], 1e-7);
        assert_eq!(result["values"], 86);
        assert_eq!(result["unused_columns"], serde_json::json!(["note"]));
    }
}

/// A signal that is sampled holds its values: 0, 1, 2, … at 0, 1, 2 s, multiplied by 5.
#[test]
fn a_sampled_signal_is_compared_with_the_value_that_it_holds() {
    let model = r#"<simulation steps="10" delta="0.25" root="r"><model name="r">
        <block id="0" group="Var" name="Clock"/>
        <block id="1" group="Math" name="Gain"><option name="Gain"><value>1</value></option></block>
        <block id="2" group="Discrete" name="Zero-Order Hold"><option name="Sample Time"><value>1</value></option></block>
        <exit id="3" name="y"/>
        <connection from="0" output="Output" to="1" input="Input"/>
        <connection from="1" output="Output" to="2" input="Input"/>
        <connection from="2" output="Output" to="3" input="Input"/>
        </model></simulation>"#;
    let rows: String =
        (0..20).map(|row| format!("{},{}\n", 0.3 * f64::from(row), 5.0 * (0.3 * f64::from(row)).floor())).collect();
    let folder = folder(&[("m.simx", model), ("d.csv", &format!("time,y\n{rows}"))]);
    let result = fitted(folder.path(), &["--data", "d.csv", "--parameter", "#1.Gain"]);
    assert_close(&values(&result), &[5.0], 1e-9);
    assert!(result["sum_after"].as_f64().unwrap() < 1e-18, "{result}");
}

/// The mean of 1, 1, 1, 1 and 11 is 3; with weights 1 and 0.5 it is (4 + 11/4)/(4 + 1/4), and Huber's pull of the last one
/// is limited to 1: 4·(x − 1) = 1.
#[test]
fn weights_and_losses_count_an_outlier_less() {
    let model = r#"<simulation steps="10" delta="1" root="r"><model name="r">
        <block id="0" group="Var" name="Static"><option name="Value"><value>2</value></option></block>
        <exit id="1" name="y"/><connection from="0" output="Output" to="1" input="Input"/>
        </model></simulation>"#;
    let rows = "time,y,w\n0,1,1\n1,1,1\n2,1,1\n3,1,1\n4,11,0.5\n";
    let folder = folder(&[("m.simx", model), ("d.csv", rows)]);
    for (more, right) in [
        (&[][..], 3.0),
        (&["--weight", "y=10"], 3.0),
        (&["--weight", "y=w"], (4.0 + 11.0 / 4.0) / 4.25),
        (&["--loss", "huber"], 1.25),
        (&["--loss", "huber", "--loss-scale", "2"], 1.5),
        (&["--set", "#0.Value=1.1", "--loss", "cauchy", "--loss-scale", "1e-3"], 1.0),
    ] {
        let result = fitted(folder.path(), &[&["--data", "d.csv", "--parameter", "#0.Value"], more].concat());
        assert_close(&values(&result), &[right], 1e-6);
    }
    // The standard error of a mean: √(Σ(y − ȳ)²/(n − 1)/n), and 2.77645 of it to each side.
    let result = fitted(folder.path(), &["--data", "d.csv", "--parameter", "#0.Value", "--profile"]);
    let of = &result["parameters"][0];
    assert_close(&[of["standard_error"].as_f64().unwrap()], &[2.0], 1e-9);
    let half = 2.0 * 2.7764451;
    assert_close(&[of["low"].as_f64().unwrap(), of["high"].as_f64().unwrap()], &[3.0 - half, 3.0 + half], 1e-6);
    // The sum of squares is a parabola: the profile is the same.
    let profile = &of["profile"];
    assert_close(
        &[profile["low"].as_f64().unwrap(), profile["high"].as_f64().unwrap()],
        &[3.0 - half, 3.0 + half],
        2e-3,
    );
}

/// A variable takes effect on a new program only.
#[test]
fn what_has_no_sensitivities_is_fitted_by_differences() {
    for solver in ["rk4", "dopri45"] {
        let folder = folder(&[("m.simx", &decay(solver, "kk")), ("d.csv", &decayed(3.0, 2.0, 51))]);
        let args = ["--data", "d.csv", "--parameter", "#0.Gain", "--parameter", "kk=0.1:100:log"];
        let result = fitted(folder.path(), &args);
        assert_close(&values(&result), &[-2.0, 3.0], 1e-6);
        assert_eq!(result["derivatives"], "differences");
        assert_eq!(result["no_sensitivities"], "“kk” takes effect on a new program only");
    }
}
