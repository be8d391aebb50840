//! The results of `simulate optimize` and `simulate falsify` as text and as JSON.

use serde::Serialize;
use serde_json::Value;

use crate::cli::output::counted;
use crate::cli::values::{short, table};
use crate::optimize::End;
use crate::requirement::{Evaluation, Falsification, Met, Optimum, Study};
use crate::rpc::number;

#[derive(Serialize)]
pub struct OptimumReport {
    end: &'static str,
    #[serde(rename = "met")]
    is_met: bool,
    parameters: Vec<ParamReport>,
    requirements: Vec<RequirementReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objective: Option<ObjectiveReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    evaluations: u64,
    derivatives: bool,
    #[serde(rename = "written")]
    is_written: bool,
}

#[derive(Serialize)]
struct ParamReport {
    name: String,
    before: f64,
    value: f64,
}

#[derive(Serialize)]
struct RequirementReport {
    name: String,
    margin_before: Value,
    margin: Value,
    #[serde(rename = "met")]
    is_met: bool,
}

#[derive(Serialize)]
struct ObjectiveReport {
    name: String,
    before: Value,
    value: Value,
}

#[derive(Serialize)]
pub struct FalsifyReport {
    violations: Vec<ViolationReport>,
    requirements: Vec<LeastReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureReport>,
    evaluations: u64,
    #[serde(rename = "stopped")]
    is_stopped: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<String>,
}

#[derive(Serialize)]
struct ViolationReport {
    requirement: String,
    margin: Value,
    step: u64,
    time: f64,
    parameters: Vec<ParamReport>,
    /// As the search found them.
    found: Vec<f64>,
}

#[derive(Serialize)]
struct LeastReport {
    name: String,
    margin: Value,
    values: Vec<f64>,
}

#[derive(Serialize)]
struct FailureReport {
    message: String,
    values: Vec<f64>,
}

fn params(study: &Study, values: &[f64]) -> Vec<ParamReport> {
    let known = study.params().zip(study.initial()).zip(values);
    known.map(|((name, before), value)| ParamReport { name: name.to_owned(), before, value: *value }).collect()
}

impl OptimumReport {
    pub fn new(study: &Study, found: &Optimum, objective: Option<String>, is_written: bool) -> OptimumReport {
        let before = |index: usize| found.before.met.get(index).map_or(f64::NAN, |met| met.margin);
        let requirements = study.requirements().zip(&found.after.met).enumerate();
        let requirements = requirements.map(|(index, (name, met))| RequirementReport {
            name: name.to_owned(),
            margin_before: number(before(index)),
            margin: number(met.margin),
            is_met: is_met(met),
        });
        let figure = |of: &Evaluation| number(of.objective.unwrap_or(f64::NAN));
        OptimumReport {
            end: match found.end {
                End::Converged => "converged",
                End::Limit => "evaluations",
                End::Failed => "failed",
                End::Cancelled => "stopped",
            },
            is_met: found.after.is_met(),
            parameters: params(study, &found.values),
            requirements: requirements.collect(),
            objective: objective.map(|name| ObjectiveReport {
                name,
                before: figure(&found.before),
                value: figure(&found.after),
            }),
            failure: found.after.failure.clone(),
            evaluations: found.evaluations,
            derivatives: found.has_gradient,
            is_written,
        }
    }

    pub fn text(&self) -> String {
        let mut text = match (self.is_met, self.end) {
            (true, "evaluations") => "All requirements are met; more --evaluations may find better values.\n",
            (true, _) => "",
            (false, "evaluations") => {
                "Not all requirements are met: more --evaluations or --starts may find values that do.\n"
            }
            (false, _) => "Not all requirements are met: more --starts or wider bounds may help.\n",
        }
        .to_owned();
        text += &param_table(&self.parameters);
        if !self.requirements.is_empty() {
            let mut rows = vec![["requirement", "margin before", "margin", ""].map(str::to_owned)];
            for one in &self.requirements {
                let state = if one.is_met { "met" } else { "violated" };
                rows.push([one.name.clone(), shown(&one.margin_before), shown(&one.margin), state.to_owned()]);
            }
            text += &format!("\n{}", table(&rows));
        }
        if let Some(objective) = &self.objective {
            let (before, value) = (shown(&objective.before), shown(&objective.value));
            text += &format!("\n{}: {before} before, {value} after\n", objective.name);
        }
        if let Some(failure) = &self.failure {
            text += &format!("a run failed: {failure}\n");
        }
        let along = if self.derivatives { ", along exact derivatives" } else { "" };
        text += &format!("{}{along}\n", evaluations(self.evaluations));
        if self.is_written {
            text += "written into the file\n";
        }
        text
    }
}

impl FalsifyReport {
    pub fn new(study: &Study, found: &Falsification, written: Vec<String>) -> FalsifyReport {
        let names: Vec<&str> = study.requirements().collect();
        let name = |index: usize| names.get(index).copied().unwrap_or_default().to_owned();
        let violations = found.violations.iter().map(|violation| ViolationReport {
            requirement: name(violation.requirement),
            margin: number(violation.margin),
            step: violation.step,
            time: study.time(violation.step),
            parameters: params(study, &violation.values),
            found: violation.found.clone(),
        });
        let least = found.least.iter().enumerate().map(|(index, (margin, values))| LeastReport {
            name: name(index),
            margin: number(*margin),
            values: values.clone(),
        });
        let failure = found.failure.as_ref();
        let failure =
            failure.map(|(values, message)| FailureReport { message: message.clone(), values: values.clone() });
        FalsifyReport {
            violations: violations.collect(),
            requirements: least.collect(),
            failure,
            evaluations: found.evaluations,
            is_stopped: found.is_cancelled,
            written,
        }
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for violation in &self.violations {
            let ViolationReport { requirement, step, time, .. } = violation;
            let margin = shown(&violation.margin);
            text += &format!("violated: {requirement}\n  step {step}, {} s, margin {margin}\n", short(*time));
            let changed: Vec<&ParamReport> =
                violation.parameters.iter().filter(|param| param.value != param.before).collect();
            if changed.is_empty() {
                text += "  with the values of the file\n";
            }
            for param in changed {
                text += &format!("  {} = {}, in the file {}\n", param.name, param.value, short(param.before));
            }
        }
        let is_violated = |name: &str| self.violations.iter().any(|violation| violation.requirement == name);
        let open: Vec<&LeastReport> = self.requirements.iter().filter(|one| !is_violated(&one.name)).collect();
        if !open.is_empty() {
            text += "no violation found:\n";
        }
        for one in open {
            text += &format!("  {}, least margin {}\n", one.name, shown(&one.margin));
        }
        if let Some(failure) = &self.failure {
            let values: Vec<String> = failure.values.iter().map(|value| value.to_string()).collect();
            text += &format!("a run failed with {}: {}\n", values.join(", "), failure.message);
        }
        text += &format!("{}\n", evaluations(self.evaluations));
        for path in &self.written {
            text += &format!("written: {path}\n");
        }
        text
    }
}

fn is_met(met: &Met) -> bool {
    met.violated_at.is_none()
}

fn evaluations(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "evaluation")
}

fn shown(value: &Value) -> String {
    value.as_f64().map_or_else(|| value.as_str().map_or(value.to_string(), str::to_owned), short)
}

fn param_table(params: &[ParamReport]) -> String {
    let mut rows = vec![["parameter", "before", "value"].map(str::to_owned)];
    for param in params {
        let value: f64 = format!("{:.9e}", param.value).parse().unwrap_or(param.value);
        rows.push([param.name.clone(), short(param.before), value.to_string()]);
    }
    table(&rows)
}
