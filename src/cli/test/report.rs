//! What came out of tests.

use std::fmt::Write as _;

use quick_xml::escape::escape;
use serde::Serialize;

use super::super::run::json_number;
use super::super::{OutputFormat, json};
use super::trial::{Outcome, Signal, Trial};
use crate::engine::Declined;

#[derive(Serialize)]
struct Report {
    passed: usize,
    failed: usize,
    /// Runs on engines that declined.
    #[serde(skip_serializing_if = "is_none")]
    skipped: usize,
    files: Vec<FileReport>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    outcome: &'static str,
    /// Seconds.
    took: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// Engines that did not run it, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signals: Vec<SignalReport>,
}

#[derive(Serialize)]
struct SignalReport {
    name: String,
    values: u64,
    off: u64,
    largest_difference: serde_json::Value,
    allowed: serde_json::Value,
}

pub fn text(trials: &[Trial], format: OutputFormat) -> String {
    let failed = trials.iter().filter(|trial| problems(trial).is_some()).count();
    let passed = trials.len() - failed;
    let skipped = trials.iter().map(|trial| declined(trial).len()).sum();
    if format == OutputFormat::Json {
        return json(&Report { passed, failed, skipped, files: trials.iter().map(of_file).collect() });
    }
    let mut text: String = trials.iter().map(line).collect();
    let _ = match skipped {
        0 => writeln!(text, "{passed} passed, {failed} failed"),
        _ => writeln!(text, "{passed} passed, {failed} failed, {} skipped", counted(skipped, "engine run")),
    };
    text
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Engines that did not run a file that passed, and why.
fn declined(trial: &Trial) -> &[Declined] {
    match &trial.outcome {
        Outcome::Passed { declined, .. } => declined,
        _ => &[],
    }
}

/// What is not as it should be; none where all is.
fn problems(trial: &Trial) -> Option<Vec<String>> {
    match &trial.outcome {
        Outcome::Passed { .. } | Outcome::Kept(_) => None,
        Outcome::Failed { problems, .. } => Some(problems.clone()),
        Outcome::Unreadable(problem) => Some(vec![problem.clone()]),
    }
}

fn line(trial: &Trial) -> String {
    let skipped = declined(trial).iter().map(|declined| format!("       skipped: {declined}\n"));
    std::iter::once(outcome_line(trial)).chain(skipped).collect()
}

fn outcome_line(trial: &Trial) -> String {
    let file = trial.file.display();
    match &trial.outcome {
        Outcome::Passed { steps, signals, .. } if signals.is_empty() => {
            format!("passed {file}: {steps} steps; there are no results beside it to compare with\n")
        }
        Outcome::Passed { steps, signals, .. } => {
            let furthest = signals.iter().max_by(|one, other| part(one).total_cmp(&part(other)));
            let furthest = furthest.filter(|signal| signal.comparison.greatest > 0.0);
            let furthest = furthest.map_or("nothing differs".to_owned(), |signal| {
                format!("{} is off by at most {:.1e}", signal.name, signal.comparison.greatest)
            });
            format!("passed {file}: {steps} steps, {}, {furthest}\n", counted(signals.len(), "signal"))
        }
        Outcome::Kept(path) => format!("kept   {file}: wrote {}\n", path.display()),
        Outcome::Failed { .. } | Outcome::Unreadable(_) => {
            let problems = problems(trial).unwrap_or_default();
            let lines = problems.iter().flat_map(|problem| problem.lines());
            let lines: String = lines.map(|line| format!("       {line}\n")).collect();
            format!("FAILED {file}\n{lines}")
        }
    }
}

/// How much of what is allowed a signal is off.
fn part(signal: &Signal) -> f64 {
    signal.comparison.greatest / signal.allowed.max(f64::MIN_POSITIVE)
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn of_file(trial: &Trial) -> FileReport {
    let (outcome, signals) = match &trial.outcome {
        Outcome::Passed { signals, .. } => ("passed", &signals[..]),
        Outcome::Kept(_) => ("kept", &[][..]),
        Outcome::Failed { signals, .. } => ("failed", &signals[..]),
        Outcome::Unreadable(_) => ("unreadable", &[][..]),
    };
    let signals = signals.iter().map(|signal| SignalReport {
        name: signal.name.clone(),
        values: signal.comparison.count,
        off: signal.comparison.beyond,
        largest_difference: json_number(signal.comparison.greatest),
        allowed: json_number(signal.allowed),
    });
    FileReport {
        file: trial.file.display().to_string(),
        outcome,
        took: trial.took,
        problems: problems(trial).unwrap_or_default(),
        skipped: declined(trial).iter().map(ToString::to_string).collect(),
        signals: signals.collect(),
    }
}

/// JUnit's XML, as build servers read it: a case for each file.
pub fn junit(trials: &[Trial]) -> String {
    let failures = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Failed { .. })).count();
    let errors = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Unreadable(_))).count();
    let skipped: usize = trials.iter().map(|trial| declined(trial).len()).sum();
    let took: f64 = trials.iter().map(|trial| trial.took).sum();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"simulate\" tests=\"{}\" \
         failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{took:.3}\">\n",
        trials.len() + skipped
    );
    for trial in trials {
        let name = trial.file.display().to_string();
        let _ =
            write!(text, "    <testcase name=\"{}\" classname=\"simulate\" time=\"{:.3}\"", escape(&name), trial.took);
        let kind = if matches!(trial.outcome, Outcome::Unreadable(_)) { "error" } else { "failure" };
        match problems(trial) {
            None => text.push_str("/>\n"),
            Some(problems) => {
                let all = problems.join("\n");
                let first = all.lines().next().unwrap_or_default();
                let _ = write!(text, ">\n      <{kind} message=\"{}\">{}</{kind}>\n", escape(first), escape(&all));
                text.push_str("    </testcase>\n");
            }
        }
        // A case of its own for each engine that did not run it, so that nobody takes it for passed.
        for Declined { engine, reason } in declined(trial) {
            let (name, reason) = (format!("{name} on {engine}"), escape(reason));
            let _ = writeln!(text, "    <testcase name=\"{}\" classname=\"simulate\" time=\"0.000\">", escape(&name));
            let _ = writeln!(text, "      <skipped message=\"{reason}\"/>\n    </testcase>");
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
