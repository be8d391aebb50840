//! The report of tests.

use std::fmt::Write as _;

use quick_xml::escape::escape;
use serde::Serialize;

use super::super::output::{OutputFormat, counted, json};
use super::trial::{Outcome, Signal, Trial};
use crate::engine::Declined;
use crate::rpc::number;

#[derive(Serialize)]
struct TestReport {
    passed: usize,
    failed: usize,
    /// The number of simulations without expected results.
    #[serde(skip_serializing_if = "is_none")]
    not_tested: usize,
    /// The number of runs that engines declined.
    #[serde(skip_serializing_if = "is_none")]
    skipped: usize,
    files: Vec<FileReport>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    outcome: &'static str,
    /// The duration in seconds.
    took: f64,
    /// The model blocks that `--skip-invalid-models` has removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The engines that declined, with the reason.
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
    let not_tested = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::NotTested { .. })).count();
    let passed = trials.len() - failed - not_tested;
    let skipped = trials.iter().map(|trial| declined(trial).len()).sum();
    if format == OutputFormat::Json {
        return json(&TestReport { passed, failed, not_tested, skipped, files: trials.iter().map(of_file).collect() });
    }
    let mut text: String = trials.iter().map(line).collect();
    let mut total = format!("{passed} passed, {failed} failed");
    if not_tested > 0 {
        let _ = write!(total, ", {not_tested} not tested");
    }
    if skipped > 0 {
        let _ = write!(total, ", {} skipped", counted(skipped, "engine run"));
    }
    text.push_str(&total);
    text.push('\n');
    text
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Returns the engines that declined a file that has not failed, with the reason.
fn declined(trial: &Trial) -> &[Declined] {
    match &trial.outcome {
        Outcome::Passed { declined, .. } | Outcome::NotTested { declined, .. } => declined,
        _ => &[],
    }
}

/// Returns the problems of a trial; none if it has not failed.
fn problems(trial: &Trial) -> Option<Vec<String>> {
    match &trial.outcome {
        Outcome::Passed { .. } | Outcome::NotTested { .. } | Outcome::Kept(_) => None,
        Outcome::Failed { problems, .. } => Some(problems.clone()),
        Outcome::Unreadable(problem) => Some(vec![problem.clone()]),
        Outcome::NotRun(signal) => Some(vec![format!("not run to its end: {signal} stopped the tests")]),
    }
}

fn line(trial: &Trial) -> String {
    let skipped = declined(trial).iter().map(|declined| format!("       skipped: {declined}\n"));
    std::iter::once(outcome_line(trial)).chain(skipped).collect()
}

fn outcome_line(trial: &Trial) -> String {
    let file = trial.file.display();
    match &trial.outcome {
        Outcome::NotTested { steps, .. } => {
            format!("not tested {file}: no expected results; its {steps} steps ran to the end\n")
        }
        Outcome::Passed { steps, signals, .. } => {
            let furthest = signals.iter().max_by(|one, other| part(one).total_cmp(&part(other)));
            let furthest = furthest.filter(|signal| signal.comparison.max_difference > 0.0);
            let furthest = furthest.map_or("no differences".to_owned(), |signal| {
                format!("maximum difference {1:.1e} in {0}", signal.name, signal.comparison.max_difference)
            });
            format!("passed {file}: {steps} steps, {}, {furthest}\n", counted(signals.len(), "signal"))
        }
        Outcome::Kept(path) => format!("kept   {file}: wrote {}\n", path.display()),
        Outcome::Failed { .. } | Outcome::Unreadable(_) | Outcome::NotRun(_) => {
            let problems = problems(trial).unwrap_or_default();
            let lines = problems.iter().flat_map(|problem| problem.lines());
            let lines: String = lines.map(|line| format!("       {line}\n")).collect();
            format!("FAILED {file}\n{lines}")
        }
    }
}

/// Returns the maximum difference of a signal relative to the tolerance.
fn part(signal: &Signal) -> f64 {
    signal.comparison.max_difference / signal.allowed.max(f64::MIN_POSITIVE)
}

fn of_file(trial: &Trial) -> FileReport {
    let (outcome, signals) = match &trial.outcome {
        Outcome::Passed { signals, .. } => ("passed", &signals[..]),
        Outcome::NotTested { .. } => ("not tested", &[][..]),
        Outcome::Kept(_) => ("kept", &[][..]),
        Outcome::Failed { signals, .. } => ("failed", &signals[..]),
        Outcome::Unreadable(_) => ("unreadable", &[][..]),
        Outcome::NotRun(_) => ("not run", &[][..]),
    };
    let signals = signals.iter().map(|signal| SignalReport {
        name: signal.name.clone(),
        values: signal.comparison.count,
        off: signal.comparison.exceeded,
        largest_difference: number(signal.comparison.max_difference),
        allowed: number(signal.allowed),
    });
    FileReport {
        file: trial.file.display().to_string(),
        outcome,
        took: trial.took,
        removed: trial.removed.clone(),
        problems: problems(trial).unwrap_or_default(),
        skipped: declined(trial).iter().map(ToString::to_string).collect(),
        signals: signals.collect(),
    }
}

/// Formats a JUnit XML report with a test case for each file.
pub fn junit(trials: &[Trial]) -> String {
    let failures = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Failed { .. })).count();
    let errors =
        trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Unreadable(_) | Outcome::NotRun(_))).count();
    let not_tested = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::NotTested { .. })).count();
    let declined_runs: usize = trials.iter().map(|trial| declined(trial).len()).sum();
    let skipped = declined_runs + not_tested;
    let took: f64 = trials.iter().map(|trial| trial.took).sum();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"simulate\" tests=\"{}\" \
         failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{took:.3}\">\n",
        trials.len() + declined_runs
    );
    for trial in trials {
        let name = trial.file.display().to_string();
        let _ =
            write!(text, "    <testcase name=\"{}\" classname=\"simulate\" time=\"{:.3}\"", escape(&name), trial.took);
        let kind =
            if matches!(trial.outcome, Outcome::Unreadable(_) | Outcome::NotRun(_)) { "error" } else { "failure" };
        match problems(trial) {
            // Build servers show a skipped test case apart from those that passed.
            None if matches!(trial.outcome, Outcome::NotTested { .. }) => {
                text.push_str(">\n      <skipped message=\"no expected results\"/>\n    </testcase>\n");
            }
            None => text.push_str("/>\n"),
            Some(problems) => {
                let all = problems.join("\n");
                let first = all.lines().next().unwrap_or_default();
                let _ = write!(text, ">\n      <{kind} message=\"{}\">{}</{kind}>\n", escape(first), escape(&all));
                text.push_str("    </testcase>\n");
            }
        }
        // Each engine that declined is a skipped test case, so that it does not count as passed.
        for Declined { engine, reason } in declined(trial) {
            let (name, reason) = (format!("{name} on {engine}"), escape(reason));
            let _ = writeln!(text, "    <testcase name=\"{}\" classname=\"simulate\" time=\"0.000\">", escape(&name));
            let _ = writeln!(text, "      <skipped message=\"{reason}\"/>\n    </testcase>");
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
