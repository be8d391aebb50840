//! Published problems of systems biology and epidemiology, as the PEtab benchmark collection states them (Hass et al.,
//! Bioinformatics 35 (2019) 3073): nonlinear differential equations, few measured values, parameters over many orders of
//! magnitude, of which some are hardly determined or at their bounds.
//!
//! | file | contents |
//! |---|---|
//! | `epidemics` | Bertozzi and Rahman: initial values of single experiments, parameters at bounds |
//! | `cells` | Perelson, Elowitz and Sneyd: curves in logarithms, an oscillator, a stiff model in nine experiments |
//! | `conditions` | Bruno and Fujita: several curves in six experiments, a standard deviation for each value |
//!
//! Bertozzi, Perelson and Bruno start in the middle of the bounds. The others start at the power of ten nearest to each
//! published value, which for some parameters is the bound that holds them; from the middle they take several times as long.
//!
//! Unless a test says otherwise, the expected sum is that of the published values, by SciPy's `solve_ivp` with the
//! collection's own equations; those here are written by hand.

mod cells;
mod conditions;
mod epidemics;

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::{fitted, folder, values};

/// A model as one block of equations, with parameters and constants as its inputs.
struct Problem {
    /// The lines of the block *ODE*.
    equations: &'static str,
    initial: &'static str,
    /// Name, lower bound, upper bound, start.
    params: &'static [(&'static str, f64, f64, f64)],
    constants: &'static [(&'static str, f64)],
    /// Solver and its tolerance, as attributes of the file.
    solver: &'static str,
    steps: u32,
    delta: f64,
    outputs: &'static [&'static str],
}

impl Problem {
    /// The file, with an exit for each output.
    fn file(&self) -> String {
        let starts = self.params.iter().map(|(name, _, _, start)| (*name, *start));
        let inputs: Vec<(&str, f64)> = starts.chain(self.constants.iter().copied()).collect();
        let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
        let mut file = format!(
            r#"<simulation steps="{}" delta="{}" root="r" {}><model name="r">
            <block id="0" group="User" name="ODE"><option name="Equations"><value>{}</value></option>
            <option name="Initial Values"><value>{}</value></option><option name="Inputs"><value>{}</value></option></block>
            "#,
            self.steps,
            self.delta,
            self.solver,
            self.equations,
            self.initial,
            names.join(" "),
        );
        for (id, name) in (100..).zip(self.outputs) {
            write!(
                file,
                r#"<exit id="{id}" name="{name}"/><connection from="0" output="{name}" to="{id}" input="Input"/>"#
            )
            .expect("a string");
        }
        for (id, (name, value)) in (1..).zip(inputs) {
            write!(
                file,
                r#"<block id="{id}" group="Var" name="Static" label="{name}"><option name="Value"><value>{value}</value>
                </option></block><connection from="{id}" output="Output" to="0" input="{name}"/>"#
            )
            .expect("a string");
        }
        file + "</model></simulation>"
    }

    /// All parameters as `fit` takes them, on a logarithmic scale.
    fn params(&self) -> Vec<String> {
        self.params.iter().map(|(name, low, high, _)| format!("{name}.Value={low}:{high}:log")).collect()
    }

    /// The result with parameters that all experiments share, and further arguments.
    fn fitted(&self, folder: &Path, args: &[&str]) -> Value {
        let params = self.params();
        let mut args = args.to_vec();
        params.iter().for_each(|param| args.extend(["--parameter", &**param]));
        fitted(folder, &args)
    }
}

/// The fit has converged with exact derivatives, and its sum is the expected one.
#[track_caller]
fn assert_sum(result: &Value, right: f64, tolerance: f64) {
    assert_eq!((&result["derivatives"], &result["end"]), (&"sensitivities".into(), &"converged".into()));
    let sum = result["sum_after"].as_f64().expect("a sum");
    let before = result["sum_before"].as_f64().expect("a sum");
    assert!((sum / right - 1.0).abs() < tolerance && before > 2.0 * right, "{before} {sum} {right}");
}

/// Values by name, within a relative tolerance.
#[track_caller]
fn assert_values(problem: &Problem, result: &Value, right: &[(&str, f64)], tolerance: f64) {
    let found = values(result);
    for (name, right) in right {
        let index = problem.params.iter().position(|(param, ..)| param == name).expect("a parameter");
        assert!((found[index] / right - 1.0).abs() < tolerance, "{name}: {} is not {right}", found[index]);
    }
}

/// Rows of a table with a head line.
fn rows(table: &str) -> impl Iterator<Item = Vec<f64>> + '_ {
    table.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().expect("a number")).collect())
}
