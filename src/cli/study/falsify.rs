//! `simulate falsify`: searches values with which a run violates a requirement, and writes a test of it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::report::FalsifyReport;
use super::{MethodArg, StudyArgs, StudyFailure, printed};
use crate::block::element_names;
use crate::cli::interrupt::{Interrupt, StopSignal};
use crate::cli::opened::Opened;
use crate::cli::output::{FAILURE, ForceArgs, OutputFormat, SUCCESS, complain, json, spinner};
use crate::cli::test::beside;
use crate::components::Components;
use crate::engine::RunSetup;
use crate::format::{FileKind, OutputError, SaveError};
use crate::model::{BlockAddress, Change, Diagnostic, Edit, EditError, SignalKey, model_at};
use crate::requirement::{FalsifyProgress, Question, Study, Violation};
use crate::trial::change_of;

#[derive(Debug, Args)]
pub struct FalsifyArgs {
    #[command(flatten)]
    study: StudyArgs,
    /// Writes the simulation with the values of a violated check, and expected results beside it in which the check passes:
    /// `simulate test` fails until the simulation is mended. Further violations have -2, -3, … in their names
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Why the test of a violation cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TestFileError {
    #[error("--out: {0}")]
    Edit(#[from] EditError),
    #[error("--out: {}", .0.first().map_or("", |first| &first.message))]
    Compile(Vec<Diagnostic>),
    #[error("--out: {0}")]
    Output(#[from] OutputError),
    #[error("--out: {0}")]
    Save(#[from] SaveError),
    #[error("--out: {0}")]
    Write(#[from] std::io::Error),
}

/// The largest number of rows of expected results.
const MAX_ROWS: u64 = 1000;

pub fn run(args: &FalsifyArgs, components: &Components) -> ExitCode {
    printed(search(args, components), &args.study.file)
}

fn search(args: &FalsifyArgs, components: &Components) -> Result<(String, u8), StudyFailure> {
    if args.study.method == MethodArg::Gradient {
        return Err(StudyFailure::GradientToViolation);
    }
    let (opened, study) = args.study.study(Question::default(), components)?;
    let (bar, interrupt) = (spinner(args.study.quiet), Interrupt::listen());
    let names: Vec<&str> = study.requirements().collect();
    let mut look = |progress: FalsifyProgress| {
        let name = names.get(progress.requirement).copied().unwrap_or_default();
        let margin = crate::cli::values::short(progress.margin);
        bar.set_message(format!("{name}: margin {margin}, {} evaluations", progress.evaluations));
    };
    let found = study.falsify(&args.study.options(), interrupt.cancel(), &mut look);
    bar.finish_and_clear();
    let signal = interrupt.signal();
    if let Some(signal) = signal {
        complain(&format!("{signal} stopped the search; what it has found follows"));
    }
    let mut written = Vec::new();
    if let Some(out) = &args.out {
        let with_checks = found.violations.iter().filter_map(|violation| Some((violation, violation.check.as_ref()?)));
        for (number, (violation, check)) in with_checks.enumerate() {
            let path = numbered(out, number);
            write(args, components, (&opened, &study), (violation, check), &path)?;
            written.push(path.display().to_string());
        }
    }
    let report = FalsifyReport::new(&study, &found, written);
    let text = match args.study.format {
        OutputFormat::Json => json(&report),
        OutputFormat::Text => report.text(),
    };
    let code = if found.violations.is_empty() && found.failure.is_none() { SUCCESS } else { FAILURE };
    Ok((text, signal.map_or(code, StopSignal::code)))
}

/// Returns the path of a test: that of the option for the first, with its number for others.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let part = |part: Option<&std::ffi::OsStr>| part.map_or(String::new(), |part| part.to_string_lossy().into_owned());
    path.with_file_name(format!("{}-{}.{}", part(path.file_stem()), number + 1, part(path.extension())))
}

/// Writes the simulation with the values of a violation up to its step, and the expected results beside it.
fn write(
    args: &FalsifyArgs,
    components: &Components,
    (opened, study): (&Opened, &Study),
    (violation, check): (&Violation, &BlockAddress),
    path: &Path,
) -> Result<(), StudyFailure> {
    let steps = violation.step.saturating_add(1);
    let values = study.params().zip(violation.values.iter().copied()).zip(study.initial());
    let changed = values.filter(|((_, value), initial)| value != initial).map(|(changed, _)| changed);
    let values: Vec<(&str, f64)> = changed.collect();
    let library = (&**opened.simulation(), &**opened.registry());
    let mut setup = opened.setup.clone();
    let failed = TestFileError::Edit;
    setup.apply(&change_of("Violation", &values, None, library, true)?).map_err(failed)?;
    setup.apply(&shown(&setup, check, steps)).map_err(failed)?;
    let expected = expected(&setup, check, steps)?;
    let formats = &components.formats;
    let mut outputs = opened.outputs(args.force, formats);
    let simulation = formats.bytes_of(path, setup.simulation()).map_err(TestFileError::Save)?;
    let beside = beside(path);
    let admitted = outputs.admit(path, FileKind::Simulation).map_err(TestFileError::Output)?;
    admitted.replace(&simulation).map_err(TestFileError::Write)?;
    let admitted = outputs.admit(&beside, FileKind::Csv).map_err(TestFileError::Output)?;
    admitted.replace(expected.as_bytes()).map_err(TestFileError::Write)?;
    Ok(())
}

/// Returns the change that sets the number of steps and gives the check an output.
fn shown(setup: &RunSetup, check: &BlockAddress, steps: u64) -> Change {
    let mut edits = vec![Edit::SetSteps(steps)];
    if let Some(model) = model_at(setup.simulation(), &check.path) {
        let values = Some(vec!["1".to_owned()]);
        edits.push(Edit::SetOption { model: model.name.clone(), id: check.block, name: "Output".into(), values });
    }
    Change::new("Violation", edits)
}

/// Returns expected results in which the check passes.
fn expected(setup: &RunSetup, check: &BlockAddress, steps: u64) -> Result<String, TestFileError> {
    let program = setup.compile().map_err(TestFileError::Compile)?;
    let key = SignalKey::new(&check.path, check.block, "Output");
    let name = format!("{}.Output", check.text(setup.simulation()));
    let output = program.output_of(&key).map(|output| program.output_type(output));
    let columns = output.map_or_else(|| vec![name.clone()], |of| element_names(&name, &of));
    let every = (steps / MAX_ROWS).max(1);
    let last = steps.saturating_sub(1);
    let mut rows = csv::Writer::from_writer(Vec::new());
    let unwritable = |error: csv::Error| TestFileError::Write(error.into());
    rows.write_record(std::iter::once("step").chain(columns.iter().map(|name| &**name))).map_err(unwritable)?;
    for step in (0..steps).filter(|step| step.is_multiple_of(every) || *step == last) {
        let step = step.to_string();
        let row = std::iter::once(&*step).chain(columns.iter().map(|_| "1"));
        rows.write_record(row).map_err(unwritable)?;
    }
    let bytes = rows.into_inner().map_err(|error| TestFileError::Write(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
