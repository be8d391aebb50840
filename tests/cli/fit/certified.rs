//! NIST's problems as simulations: a clock, and a function of the time.

use super::{assert_close, fitted, folder, values};
use crate::optimize::nist::Nist;

/// The problem, the step length on which all observations are, and the model in code.
const PROBLEMS: &[(&str, f64, &str)] = &[
    ("BoxBOD", 1.0, "b1*(1 - exp(-b2*x))"),
    ("Chwirut2", 0.125, "exp(-b1*x)/(b2 + b3*x)"),
    (
        "ENSO",
        1.0,
        "b1 + b2*cos(2*pi*x/12) + b3*sin(2*pi*x/12) + b5*cos(2*pi*x/b4) + b6*sin(2*pi*x/b4) + b8*cos(2*pi*x/b7) + \
         b9*sin(2*pi*x/b7)",
    ),
    ("Gauss1", 1.0, "b1*exp(-b2*x) + b3*exp(-(x - b4)^2/b5^2) + b6*exp(-(x - b7)^2/b8^2)"),
    ("Lanczos3", 0.05, "b1*exp(-b2*x) + b3*exp(-b4*x) + b5*exp(-b6*x)"),
    ("MGH17", 10.0, "b1 + b2*exp(-x*b4) + b3*exp(-x*b5)"),
    ("Misra1a", 0.1, "b1*(1 - exp(-b2*x))"),
    ("Rat43", 1.0, "b1/(1 + exp(b2 - b3*x))^(1/b4)"),
];

/// Six digits of values and standard errors from the second start.
#[test]
fn certified_values_and_standard_errors() {
    for of in Nist::all() {
        let Some((_, delta, formula)) = PROBLEMS.iter().find(|(name, _, _)| *name == of.name) else { continue };
        let names: Vec<String> = (1..=of.certified.len()).map(|number| format!("b{number}")).collect();
        let options: String = names
            .iter()
            .zip(&of.starts[1])
            .map(|(name, start)| format!("<option name=\"{name}\"><value>{start}</value></option>"))
            .collect();
        let model = format!(
            r#"<simulation steps="10" delta="{delta}" root="r"><model name="r">
            <block id="0" group="Var" name="Clock"/>
            <block id="1" group="User" name="Function">
            <option name="Code"><value>function y = f(x, {})
  y = {formula};
end</value></option>{options}</block>
            <exit id="2" name="y"/>
            <connection from="0" output="Output" to="1" input="x"/><connection from="1" output="y" to="2" input="Input"/>
            </model></simulation>"#,
            names.join(", ")
        );
        let rows: String = of.x.iter().zip(&of.y).map(|(x, y)| format!("{},{y}\n", x[0])).collect();
        let folder = folder(&[("m.simx", &model), ("d.csv", &format!("time,y\n{rows}"))]);
        let params: Vec<String> = names.iter().map(|name| format!("#1.{name}")).collect();
        let mut args = vec!["--data", "d.csv"];
        params.iter().for_each(|param| args.extend(["--parameter", &**param]));
        let result = fitted(folder.path(), &args);
        assert_eq!(result["derivatives"], "sensitivities", "{}: {result}", of.name);
        let found = values(&result);
        assert!(of.digits(&found) > 6.0, "{}: {found:?} {:?}", of.name, of.certified);
        let errors: Vec<f64> = result["parameters"]
            .as_array()
            .expect("parameters")
            .iter()
            .map(|of| of["standard_error"].as_f64().expect("a standard error"))
            .collect();
        assert_close(&errors, &of.deviations, 1e-4);
        assert_close(&[result["sum_after"].as_f64().expect("a sum")], &[of.residual_sum], 1e-6);
    }
}
