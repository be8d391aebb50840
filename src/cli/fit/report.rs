//! The result of `simulate fit` as text and as JSON.

use serde::Serialize;
use serde_json::Value;

use crate::calibration::{FitOutcome, FittedParam, Gradients};
use crate::cli::output::counted;
use crate::cli::values::{short, table};
use crate::optimize::End;
use crate::rpc::number;

/// The correlation from which two parameters are hard to tell apart.
const CLOSE: f64 = 0.99;
/// The number of starts that are printed.
const MAX_STARTS: usize = 10;

#[derive(Serialize)]
pub struct FitReport {
    end: &'static str,
    parameters: Vec<ParamReport>,
    /// A row for each parameter.
    correlations: Vec<Vec<Option<f64>>>,
    /// Sets of parameters that the data determine only together.
    inseparable: Vec<Vec<String>>,
    without_effect: Vec<String>,
    /// Parameters that change the curves in jumps alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    in_jumps: Vec<String>,
    /// Pairs with a correlation near 1 or −1.
    close: Vec<(String, String, f64)>,
    loss: String,
    sum_before: Value,
    sum_after: Value,
    values: usize,
    curves: Vec<CurveReport>,
    iterations: u64,
    runs: u64,
    runs_with_derivatives: u64,
    derivatives: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_sensitivities: Option<String>,
    confidence: f64,
    starts: Vec<StartReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unused_columns: Vec<String>,
    #[serde(rename = "written")]
    is_written: bool,
}

#[derive(Serialize)]
struct ParamReport {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    experiment: Option<String>,
    before: f64,
    value: f64,
    standard_error: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    at_bound: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<ProfileReport>,
}

#[derive(Serialize)]
struct ProfileReport {
    low: Option<f64>,
    high: Option<f64>,
    /// Values of the parameter with the least sums.
    points: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct CurveReport {
    experiment: String,
    column: String,
    values: usize,
    /// The root of the mean square of the differences.
    deviation: Value,
    /// Whether a parameter changes it.
    depends: bool,
}

#[derive(Serialize)]
struct StartReport {
    start: Vec<f64>,
    values: Vec<f64>,
    sum: Value,
    end: &'static str,
}

fn end_name(end: End) -> &'static str {
    match end {
        End::Converged => "converged",
        End::Limit => "iterations",
        End::Failed => "failed",
        End::Cancelled => "stopped",
    }
}

impl FitReport {
    pub fn new(
        outcome: &FitOutcome,
        loss: String,
        (experiments, unused): (&[String], &[String]),
        is_written: bool,
    ) -> FitReport {
        let experiment = |number: usize| experiments.get(number).cloned().unwrap_or_default();
        let name = |param: &FittedParam| match param.experiment {
            Some(number) => format!("{} ({})", param.path, experiment(number)),
            None => param.path.clone(),
        };
        let names: Vec<String> = outcome.params.iter().map(name).collect();
        let named = |set: &[usize]| set.iter().filter_map(|index| names.get(*index).cloned()).collect::<Vec<_>>();
        let mut close = Vec::new();
        for (a, row) in outcome.correlations.iter().enumerate() {
            for (b, correlation) in row.iter().enumerate().skip(a + 1) {
                if let (Some(value), Some(a), Some(b)) = (correlation, names.get(a), names.get(b))
                    && value.abs() > CLOSE
                {
                    close.push((a.clone(), b.clone(), *value));
                }
            }
        }
        let params = outcome.params.iter().map(|param| ParamReport {
            name: param.path.clone(),
            experiment: param.experiment.map(experiment),
            before: param.before,
            value: param.value,
            standard_error: param.error,
            low: param.interval.map(|(low, _)| low),
            high: param.interval.map(|(_, high)| high),
            at_bound: param.is_at_bound,
            profile: param.profile.as_ref().map(|profile| ProfileReport {
                low: profile.low,
                high: profile.high,
                points: profile.points.clone(),
            }),
        });
        FitReport {
            end: end_name(outcome.end),
            parameters: params.collect(),
            correlations: outcome.correlations.clone(),
            inseparable: outcome.inseparable.iter().map(|set| named(set)).collect(),
            without_effect: named(&outcome.without_effect),
            in_jumps: named(&outcome.in_jumps),
            close,
            loss,
            sum_before: number(outcome.before),
            sum_after: number(outcome.after),
            values: outcome.rows,
            curves: outcome
                .curves
                .iter()
                .map(|curve| CurveReport {
                    experiment: experiment(curve.experiment),
                    column: curve.name.clone(),
                    values: curve.rows,
                    deviation: number(curve.deviation),
                    depends: curve.is_dependent,
                })
                .collect(),
            iterations: outcome.iterations,
            runs: outcome.runs,
            runs_with_derivatives: outcome.runs_with_derivatives,
            derivatives: match outcome.gradients {
                Gradients::Sensitivities => "sensitivities",
                Gradients::Differences(_) => "differences",
            },
            no_sensitivities: match &outcome.gradients {
                Gradients::Sensitivities => None,
                Gradients::Differences(reason) => Some(reason.clone()),
            },
            confidence: outcome.level,
            starts: outcome
                .starts
                .iter()
                .map(|start| StartReport {
                    start: start.start.clone(),
                    values: start.values.clone(),
                    sum: number(start.sum),
                    end: end_name(start.end),
                })
                .collect(),
            unused_columns: unused.to_vec(),
            is_written,
        }
    }

    pub fn text(&self) -> String {
        let mut text = match self.end {
            "converged" => String::new(),
            "iterations" => "The fit has not converged: more --iterations are needed.\n".to_owned(),
            "stopped" => "The fit was stopped.\n".to_owned(),
            _ => "The fit has not converged: no step leads to a smaller sum.\n".to_owned(),
        };
        let percent = format!("{} % interval", short(100.0 * self.confidence));
        let mut rows = vec![["parameter", "before", "value", "std. error", &percent].map(str::to_owned)];
        for param in &self.parameters {
            let of = |experiment: &Option<String>| experiment.as_ref().map_or(String::new(), |of| format!(" ({of})"));
            let interval = match (param.low, param.high) {
                _ if param.at_bound => "at its bound".to_owned(),
                (Some(low), Some(high)) => format!("{} to {}", short(low), short(high)),
                _ => "not determined".to_owned(),
            };
            rows.push([
                param.name.clone() + &of(&param.experiment),
                short(param.before),
                format!("{:.9e}", param.value).parse().map_or(String::new(), |value: f64| value.to_string()),
                param.standard_error.map_or("-".to_owned(), short),
                interval,
            ]);
        }
        text += &table(&rows);
        if self.parameters.iter().any(|param| param.profile.is_some()) {
            text += "\nby profile likelihood:\n";
            for param in &self.parameters {
                let end = |value: Option<f64>| value.map_or("open".to_owned(), short);
                let interval = param.profile.as_ref().map(|of| format!("{} to {}", end(of.low), end(of.high)));
                text += &format!("  {}  {}\n", param.name, interval.unwrap_or_else(|| "not computed".to_owned()));
            }
        }
        let of = |value: &Value| value.as_f64().map_or_else(|| value.to_string(), short);
        let sum =
            if self.loss == "square" { "sum of squares".to_owned() } else { format!("sum of {} losses", self.loss) };
        text += &format!("\n{sum}: {} before, {} after\n", of(&self.sum_before), of(&self.sum_after));
        for curve in &self.curves {
            let values = counted(curve.values, "value");
            let depends = if curve.depends { "" } else { ", no parameter changes it" };
            let deviation = of(&curve.deviation);
            text += &format!("  {} of {}: {values}, deviation {deviation}{depends}\n", curve.column, curve.experiment);
        }
        for set in &self.inseparable {
            text += &format!("the data determine only together: {}\n", set.join(", "));
        }
        if !self.without_effect.is_empty() {
            text += &format!("without effect on the curves: {}\n", self.without_effect.join(", "));
        }
        if !self.in_jumps.is_empty() {
            text += &format!(
                "change the curves in jumps alone, which a fit does not follow: {}; a solver with variable step may help\n",
                self.in_jumps.join(", ")
            );
        }
        for (a, b, correlation) in &self.close {
            text += &format!("hard to tell apart: {a} and {b}, correlation {correlation:.5}\n");
        }
        if self.parameters.len() > 1 {
            text += &self.correlation_table();
        }
        if self.starts.len() > 1 {
            text += &format!("{}, by their sums:\n", counted(self.starts.len(), "start"));
            let mut starts: Vec<&StartReport> = self.starts.iter().collect();
            let sum = |start: &StartReport| start.sum.as_f64().unwrap_or(f64::INFINITY);
            starts.sort_by(|a, b| sum(a).total_cmp(&sum(b)));
            for start in starts.into_iter().take(MAX_STARTS) {
                let values: Vec<String> = start.values.iter().copied().map(short).collect();
                text += &format!("  {} at {} ({})\n", of(&start.sum), values.join(", "), start.end);
            }
        }
        let (runs, with) = (self.runs, self.runs_with_derivatives);
        text += &match &self.no_sensitivities {
            None => format!("{runs} runs and {with} with exact derivatives, {} iterations\n", self.iterations),
            Some(reason) => {
                format!("{runs} runs, {} iterations; derivatives by differences: {reason}\n", self.iterations)
            }
        };
        if !self.unused_columns.is_empty() {
            text += &format!("columns without a signal: {}\n", self.unused_columns.join(", "));
        }
        if self.is_written {
            text += "written into the file\n";
        }
        text
    }

    fn correlation_table(&self) -> String {
        let heading = ["correlations".to_owned()].into_iter().chain((1..=self.parameters.len()).map(|n| n.to_string()));
        let mut rows = vec![heading.collect::<Vec<_>>()];
        for (number, (param, row)) in self.parameters.iter().zip(&self.correlations).enumerate() {
            let cells =
                row.iter().take(number + 1).map(|value| value.map_or("-".to_owned(), |value| format!("{value:.3}")));
            rows.push([format!("{} {}", number + 1, param.name)].into_iter().chain(cells).collect());
        }
        format!("\n{}", table(&rows))
    }
}
