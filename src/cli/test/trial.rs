//! Runs a simulation and compares the results with the expected ones.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::super::interrupt::{Interrupt, StopSignal};
use super::super::opened::{OpenError, OpenOptions, Opened, engine_of};
use super::super::output::{FAILURE, SUCCESS, UNREADABLE};
use super::TestArgs;
use super::expected::{self, Expected, ExpectedError};
use crate::block::Reaction;
use crate::components::Components;
use crate::engine::{Declined, Engine, Engines, Program, RunError, Samples, UNSET};
use crate::format::{FileKind, OutputError};
use crate::measure::{Comparison, Tolerance, compare};
use crate::model::BlockAddress;
use crate::results::TableError;

/// The default number of rows that `--update` writes.
const KEPT: u64 = 1000;
/// The maximum number of rows.
const MAX_KEPT: u64 = 10_000_000;
/// The number of steps in a call of the engine.
const CHUNK: u64 = 1024;

/// The test of one simulation.
pub struct Trial {
    pub file: PathBuf,
    pub outcome: Outcome,
    /// The model blocks that were removed when the file was loaded.
    pub removed: Vec<String>,
    /// The duration in seconds.
    pub took: f64,
}

pub enum Outcome {
    /// The run finished and the signals match.
    Passed { steps: u64, signals: Vec<Signal>, declined: Vec<Declined> },
    /// The run finished, but there are no expected results.
    NotTested { steps: u64, declined: Vec<Declined> },
    /// The expected results were written to this file.
    Kept(PathBuf),
    /// The problems that were found.
    Failed { problems: Vec<String>, signals: Vec<Signal> },
    /// The file cannot be read.
    Unreadable(String),
    /// A signal came before the run was complete.
    NotRun(StopSignal),
}

/// The comparison of one element of a signal with its expected values.
pub struct Signal {
    pub name: String,
    pub comparison: Comparison,
    /// The allowed difference.
    pub allowed: f64,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error(transparent)]
    Declined(#[from] Declined),
    #[error("{error}{}", .block.as_ref().map(|block| format!("\nblock: {block}")).unwrap_or_default())]
    Run { error: RunError, block: Option<String> },
    #[error("step {step}: {message}\nblock: {block}")]
    Check { step: u64, message: String, block: String },
    #[error("{}: {error}", .path.display())]
    Expected { path: PathBuf, error: ExpectedError },
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(
        "the expected results end at step {last}, but the run has only {steps} steps; set more steps in the file or recreate the results with --update"
    )]
    TooShort { last: u64, steps: u64 },
    #[error("{}: the expected results {}, but the run has {steps} steps: {CUT}", .path.display(), end_text(*.last))]
    TooFewRows { path: PathBuf, last: Option<u64>, steps: u64 },
    #[error("{0} rows exceed the limit of {MAX_KEPT}: use a larger --every")]
    TooManyRows(u64),
    #[error("{0} stopped the run")]
    Interrupted(StopSignal),
    #[error("the file has 0 steps, which means until stopped: set the number of steps")]
    Endless,
    #[error("there are no results to write: the root model has no exits; select signals with --signals")]
    Nothing,
}

const CUT: &str = "the file may be cut off; recreate it with --update, or compare its rows alone with --partial";

fn end_text(last: Option<u64>) -> String {
    last.map_or("have no rows".to_owned(), |last| format!("end at step {last}"))
}

impl Trial {
    pub fn new(file: &Path, args: &TestArgs, components: &Components, interrupt: &Interrupt) -> Trial {
        let begin = Instant::now();
        if let Some(signal) = interrupt.signal() {
            let (outcome, removed) = (Outcome::NotRun(signal), Vec::new());
            return Trial { file: file.to_owned(), outcome, removed, took: 0.0 };
        }
        let mut removed = Vec::new();
        let tried = attempt(file, (args, components), interrupt, &mut removed);
        let outcome = tried.unwrap_or_else(|failure| match failure {
            Failure::Interrupted(signal) => Outcome::NotRun(signal),
            Failure::File(error) if error.code() == UNREADABLE => Outcome::Unreadable(error.text(file)),
            Failure::File(OpenError::Invalid(text)) => Outcome::Failed { problems: vec![text], signals: Vec::new() },
            failure => Outcome::Failed { problems: vec![failure.to_string()], signals: Vec::new() },
        });
        Trial { file: file.to_owned(), outcome, removed, took: begin.elapsed().as_secs_f64() }
    }

    pub fn code(&self) -> u8 {
        match self.outcome {
            // A simulation without expected results is reported, but has not failed.
            Outcome::Passed { .. } | Outcome::NotTested { .. } | Outcome::Kept(_) => SUCCESS,
            Outcome::Failed { .. } => FAILURE,
            Outcome::Unreadable(_) => UNREADABLE,
            Outcome::NotRun(signal) => signal.code(),
        }
    }
}

/// Runs a simulation and compares, or writes the expected results. The result names the model blocks that were removed
/// when it was loaded.
fn attempt(
    file: &Path,
    (args, components): (&TestArgs, &Components),
    interrupt: &Interrupt,
    removed: &mut Vec<String>,
) -> Result<Outcome, Failure> {
    let given = OpenOptions { files: Some(&args.files_of), ..OpenOptions::default() };
    let opened = Opened::open(components, file, given)?;
    removed.extend_from_slice(opened.removed());
    let program = Arc::new(opened.compile()?);
    let path = expected::beside(file);
    if args.update {
        let output = opened.outputs(args.force, &components.formats).admit(&path, FileKind::Csv)?;
        let steps = Some(program.steps).filter(|steps| *steps > 0).ok_or(Failure::Endless)?;
        let signals = opened.signals(&program, &args.signals)?;
        if signals.is_empty() {
            return Err(Failure::Nothing);
        }
        let every = args.every.or(NonZeroU64::new(steps / KEPT)).unwrap_or(NonZeroU64::MIN);
        if steps / every.get() > MAX_KEPT {
            return Err(Failure::TooManyRows(steps / every.get()));
        }
        let empty = Expected::empty(&signals, steps, every);
        let run = Run { opened: &opened, program: &program, steps, expected: &empty, interrupt };
        let Ran { values, problems, .. } = run.on_all(&args.engine, &components.engines)?;
        if !problems.is_empty() {
            return Ok(Outcome::Failed { problems, signals: Vec::new() });
        }
        empty.with(values).write(&output, program.delta)?;
        return Ok(Outcome::Kept(path));
    }
    let table = match path.is_file() {
        true => Some(
            Expected::read(&path, &opened, &program)
                .map_err(|error| Failure::Expected { path: path.clone(), error })?,
        ),
        false => None,
    };
    let last = table.as_ref().and_then(|table| table.steps.last().copied());
    let steps = match (program.steps, last) {
        (0, None) => return Err(Failure::Endless),
        (0, Some(last)) => last + 1,
        (steps, Some(last)) if last >= steps => return Err(Failure::TooShort { last, steps }),
        (steps, _) => steps,
    };
    let none = Expected { steps: Vec::new(), columns: Vec::new(), is_open_ended: false };
    let expected = table.as_ref().unwrap_or(&none);
    let run = Run { opened: &opened, program: &program, steps, expected, interrupt };
    let Ran { values, steps, mut problems, declined } = run.on_all(&args.engine, &components.engines)?;
    let Some(table) = &table else { return Ok(Outcome::NotTested { steps, declined }) };
    if !args.partial && last.map_or(0, |last| last + 1) < steps {
        return Err(Failure::TooFewRows { path, last, steps });
    }
    let compared = table.columns.iter().zip(&values).map(|(column, values)| {
        let (signal, problem) = judge(column, values, args, |row| {
            let step = table.steps.get(row).copied().unwrap_or_default();
            let is_cut = table.is_open_ended && row + 1 == table.steps.len();
            let cut = if is_cut { "; the last line of the file has no line end and may be cut off" } else { "" };
            (format!("step {step}, {} s", step as f64 * program.delta), cut)
        });
        problems.extend(problem);
        signal
    });
    let signals = compared.collect();
    Ok(match problems.is_empty() {
        true => Outcome::Passed { steps, signals, declined },
        false => Outcome::Failed { problems, signals },
    })
}

/// Compares values with the expected ones; returns a message if they exceed the tolerance.
fn judge(
    column: &expected::Column,
    values: &[f64],
    args: &TestArgs,
    step_text: impl Fn(usize) -> (String, &'static str),
) -> (Signal, Option<String>) {
    let largest =
        column.values.iter().filter(|value| value.is_finite()).fold(0.0_f64, |most, value| most.max(value.abs()));
    let allowed = args.absolute + args.relative * largest;
    let tolerance = Tolerance { absolute: allowed, relative: 0.0 };
    let comparison = compare(values.iter().copied(), column.values.iter().copied(), tolerance);
    let problem = comparison.first_exceeded.map(|row| {
        let at = |values: &[f64]| number(values.get(row as usize).copied().unwrap_or(UNSET));
        let Comparison { exceeded, count, .. } = comparison;
        let (value, wanted, (step, cut)) = (at(values), at(&column.values), step_text(row as usize));
        format!(
            "{}: {exceeded} of {count} values are out of tolerance ({allowed:.1e}), first at {step}: {value}, expected {wanted}{cut}",
            column.name
        )
    });
    (Signal { name: column.name.clone(), comparison, allowed }, problem)
}

fn number(value: f64) -> String {
    if crate::engine::is_unset(value) { "nothing".to_owned() } else { value.to_string() }
}

/// Returns the column and step of the first value with different bits.
fn other_bits<'a>(expected: &'a Expected, one: &[Vec<f64>], other: &[Vec<f64>]) -> Option<(&'a str, u64)> {
    let columns = expected.columns.iter().zip(one.iter().zip(other));
    let mut differing = columns.filter_map(|(column, (one, other))| {
        let row = one.iter().zip(other).position(|(one, other)| one.to_bits() != other.to_bits())?;
        Some((column.name.as_str(), *expected.steps.get(row)?))
    });
    differing.next()
}

struct Run<'a> {
    opened: &'a Opened<'a>,
    program: &'a Arc<Program>,
    steps: u64,
    expected: &'a Expected,
    interrupt: &'a Interrupt,
}

/// The results of a run on one engine or on all.
#[derive(Default)]
struct Ran {
    values: Vec<Vec<f64>>,
    /// The number of steps that were run; a block may end a run early.
    steps: u64,
    /// The differences between engines.
    problems: Vec<String>,
    /// The engines that declined, with the reason.
    declined: Vec<Declined>,
}

impl Run<'_> {
    /// Runs on one engine, or on all of them.
    fn on_all(&self, name: &str, engines: &Engines) -> Result<Ran, Failure> {
        if name != "all" {
            let (values, steps) = self.on(&*engine_of(engines, name)?)?;
            return Ok(Ran { values, steps, ..Ran::default() });
        }
        let (mut first, mut problems, mut skipped) = (None, Vec::new(), Vec::new());
        // The default engine delegates to the others.
        for engine in engines.iter().filter(|engine| engine.name() != Engines::DEFAULT) {
            let (values, steps) = match self.on(engine) {
                // An engine may decline a simulation; that is reported.
                Err(Failure::Declined(declined)) => {
                    skipped.push(declined);
                    continue;
                }
                values => values?,
            };
            match &first {
                None => first = Some((engine.name(), values, steps)),
                Some((name, other, _)) => {
                    let differing = other_bits(self.expected, other, &values);
                    problems.extend(differing.map(|(column, step)| {
                        format!("{column}: the engines “{name}” and “{}” differ in step {step}", engine.name())
                    }));
                }
            }
        }
        let (values, steps) = first.map(|(_, values, steps)| (values, steps)).unwrap_or_default();
        Ok(Ran { values, steps, problems, declined: skipped })
    }

    /// Returns the values of the expected columns and steps, and the number of steps that were run.
    fn on(&self, engine: &dyn Engine) -> Result<(Vec<Vec<f64>>, u64), Failure> {
        let (expected, mut context) = (self.expected, self.opened.context(self.program)?);
        let mut execute = engine.prepare(self.program)?;
        let mut samples = Samples::new(expected.columns.iter().map(|column| column.output));
        samples.set_cancel(self.interrupt.cancel());
        let mut values = vec![Vec::with_capacity(expected.steps.len()); expected.columns.len()];
        let mut rows = expected.steps.iter().copied().peekable();
        while context.step < self.steps {
            let count = CHUNK.min(self.steps - context.step);
            let ran = execute.run(&mut context, count, &mut samples);
            let end = samples.first() + samples.len() as u64;
            while let Some(step) = rows.next_if(|step| *step < end) {
                let row = (step - samples.first()) as usize;
                for ((values, column), watch) in values.iter_mut().zip(&expected.columns).zip(samples.watches()) {
                    let width = self.program.outputs.get(column.output).map_or(1, |output| output.width as usize);
                    values.push(watch.values.get(row * width + column.element).copied().unwrap_or(UNSET));
                }
            }
            let named = |block: &BlockAddress| block.text(self.opened.simulation());
            if let Some(signal) = self.interrupt.signal().filter(|_| context.step < self.steps) {
                return Err(Failure::Interrupted(signal));
            }
            ran.map_err(|error| Failure::Run { block: error.block.as_ref().map(named), error })?;
            match samples.end() {
                Some(Reaction::Pause | Reaction::Stop) => {
                    let last = samples.assertions().last();
                    let (message, step) = last.map(|last| (last.message.clone(), last.step)).unwrap_or_default();
                    let block = last.map(|last| named(&last.block)).unwrap_or_default();
                    return Err(Failure::Check { step, message, block });
                }
                Some(_) => break,
                None => samples.clear(),
            }
        }
        // A block may end a run early; the remaining steps are unset.
        values.iter_mut().for_each(|values| values.resize(expected.steps.len(), UNSET));
        Ok((values, context.step))
    }
}
