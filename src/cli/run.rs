//! `simulate run`: runs a simulation.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::assertion_report::{AssertionJson, AssertionReport};
use super::chain::{self, ChunkStarts};
use super::finite::FiniteWatch;
use super::interrupt::Interrupt;
use super::opened::{FileArgs, OpenError, OpenOptions, Opened, engine_of, error_text};
use super::output::{
    FAILURE, ForceArgs, MarksArgs, MarksError, OriginArgs, OutputFormat, STOPPED, SUCCESS, TableOutputError,
    UNREADABLE, complain, print,
};
use super::remote::{RemoteArgs, RemoteArgsError, cost_text, help_text};
use super::run_files::{RunFiles, has_rows_before, stopped_text};
use super::sensitivity::{Sensitivities, SensitivityArgsError};
use crate::components::Components;
use crate::engine::{
    Chain, Context, Declined, Engine, Engines, Execute, Program, RunError, Samples, Threaded, WriteError, Writers,
};
use crate::format;
use crate::results::{Numbers, Provenance, RunTable, TableError, TableOptions};
use crate::rpc::number;

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The simulation file
    pub file: PathBuf,
    /// The number of steps [default: from the file]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// The step length in seconds [default: from the file]
    #[arg(long, value_name = "D")]
    pub delta: Option<f64>,
    /// The engine: auto, compiled, threaded, flat or simple
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    pub engine: String,
    /// The maximum number of threads of the engine “threaded” [default: one more than the processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Sets an option: Plant/Motor#3.Gain=2.5; separate the elements of a vector by commas
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// The signals to record: exits, all, or paths such as Plant/Motor#3.Output, separated by commas [default: exits,
    /// inputs of scopes and displays, named signals, blocks that show their curve]
    #[arg(long, value_name = "SIGNALS")]
    pub signals: Option<String>,
    /// The options of blocks by which the recorded signals are differentiated.
    // A bracket in a doc comment would be a link.
    #[arg(
        long,
        value_name = "PATHS",
        help = "Computes the derivatives of the recorded signals by options of blocks: \
        Plant/Motor#3.Gain, or Motor.Gain[0] for an element; separate several by commas"
    )]
    pub sensitivity: Option<String>,
    /// Writes the recorded signals, one row for each step (.csv, .parquet, .npz or .mat)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Writes numbers to a .csv file as hexadecimal floating-point constants, which name each bit
    #[arg(long, requires = "out")]
    pub hex: bool,
    #[command(flatten)]
    pub marks: MarksArgs,
    /// Resumes from a checkpoint, up to the total number of steps
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Writes a checkpoint at the end, or at the start of a failed step
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Ends the run with an error at the first infinite or not-a-number value
    #[arg(long)]
    pub stop_at_non_finite: bool,
    /// The output format of the exit values
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub force: ForceArgs,
    #[command(flatten)]
    pub origin: OriginArgs,
    #[command(flatten)]
    pub files: FileArgs,
    #[command(flatten)]
    pub remote: RemoteArgs,
    /// Hides progress and summary
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn run(args: &RunArgs, components: &Components) -> ExitCode {
    match run_file(args, components) {
        Ok((text, code)) => print(&text, code),
        Err(Failure::File(error)) => error.complain(&args.file),
        Err(Failure::Marks(error)) => {
            complain(&format!("error: {error}"));
            ExitCode::from(UNREADABLE)
        }
        Err(error) => {
            complain(&error_text(&error, &args.file));
            ExitCode::from(FAILURE)
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    File(#[from] OpenError),
    #[error(transparent)]
    Declined(#[from] Declined),
    #[error(transparent)]
    Remote(#[from] RemoteArgsError),
    #[error(transparent)]
    Sensitivity(#[from] SensitivityArgsError),
    #[error("{0}: {1}")]
    Checkpoint(String, String),
    #[error(
        "{0} has the rows before the checkpoint, which those of the resumed run would replace; give another --out, or \
         --force to replace them"
    )]
    Resumed(String),
    #[error(transparent)]
    Output(#[from] TableOutputError),
    #[error(transparent)]
    Marks(#[from] MarksError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Written(#[from] WriteError),
    #[error("{error}{}{}{}", line("  block: ", .block), line("", .chain), line("", .help))]
    Run { error: RunError, block: Option<String>, chain: Option<String>, help: Option<String> },
}

fn line(lead: &str, text: &Option<String>) -> String {
    text.as_deref().map(|text| format!("\n{lead}{text}")).unwrap_or_default()
}

/// Runs the file; returns the output and the exit code.
fn run_file(args: &RunArgs, components: &Components) -> Result<(String, u8), Failure> {
    let marks = args.marks.of(args.out.as_deref())?;
    let engine = engine(args, &components.engines)?;
    let given = OpenOptions { set: &args.set, delta: args.delta, files: Some(&args.files) };
    let opened = Opened::open(components, &args.file, given)?;
    let simulation = opened.simulation();
    let mut program = opened.compile()?;
    program.refuses_non_finite = args.stop_at_non_finite;
    let mut program = Arc::new(program);
    let signals = match &args.signals {
        Some(signals) => opened.signals(&program, signals)?,
        None => opened.marked(&program),
    };
    let sensitivities = args.sensitivity.as_deref();
    let sensitivities =
        sensitivities.map(|names| Sensitivities::new(names, &opened, &program, &signals)).transpose()?;
    if let Some(sensitivities) = &sensitivities {
        program = sensitivities.program();
    }
    let RunFiles { out, checkpoint } = RunFiles::admitted(args, &opened, &program, components)?;
    let mut context = match &args.resume {
        None => opened.context(&program)?,
        Some(path) => {
            let mut context = resumed(path, &program)?;
            opened.setup.retune(&program, &mut context).map_err(OpenError::from)?;
            if let Some(out) = out.as_ref().filter(|out| !args.force.force && has_rows_before(out, context.step)) {
                return Err(Failure::Resumed(out.display().to_string()));
            }
            context
        }
    };
    let steps = args.steps.unwrap_or(program.steps);
    if steps == 0 {
        complain("0 steps: nothing to run; set the number of steps with --steps");
    }
    if signals.is_empty() && args.out.is_some() && !args.quiet {
        complain(
            "nothing to record: the file has no exit, no scope and no named signal; select signals with --signals",
        );
    }
    let engine = match &sensitivities {
        Some(sensitivities) => sensitivities.engine(&args.engine)?,
        None => args.remote.engine(engine, &program, simulation, components)?,
    };
    let derivatives = sensitivities.as_ref().map_or(&[][..], |sensitivities| &sensitivities.signals);
    let mut execute = engine.prepare(&program)?;
    if let (Some(reason), false) = (execute.reason(), args.quiet) {
        complain(&format!("using the engine “{}”: {reason}", execute.engine()));
    }
    let numbers = if args.hex { Numbers::Hexadecimal } else { Numbers::Decimal };
    // Its hash takes long for a large simulation.
    let is_said = args.out.as_deref().is_some_and(|out| args.origin.is_said_in(out));
    let origin = (is_said || args.format == OutputFormat::Json).then(|| Provenance {
        steps,
        delta: program.delta,
        set: args.set.clone(),
        removed: opened.removed().to_vec(),
        ..Provenance::of(simulation, Some(&args.file), execute.engine())
    });
    // Until here there is nothing to finish.
    let interrupt = Interrupt::listen();
    let table = out.as_deref().map(|path| {
        let columns = signals.iter().map(|signal| (signal.name.clone(), signal.of.clone()));
        let of_derivatives = derivatives.iter().map(|derivative| (derivative.name.clone(), derivative.of.clone()));
        let columns: Vec<_> = columns.chain(of_derivatives).collect();
        let origin = origin.as_ref().and_then(|origin| args.origin.of(path, origin));
        let rows = Some(steps.saturating_sub(context.step));
        let options = TableOptions { numbers, marks, origin, rows };
        RunTable::create(path, program.delta, &columns, options)
    });
    let table = table.transpose()?;
    let writers = Writers::open(&program, opened.registry().files()).map_err(|found| opened.invalid(found))?;
    let recorded = signals.iter().map(|signal| signal.output);
    let recorded = recorded.chain(derivatives.iter().map(|derivative| derivative.output));
    let recorded = recorded.filter(|_| table.is_some());
    let mut samples = Samples::new(recorded.chain(writers.outputs()));
    samples.set_cancel(interrupt.cancel());
    let mut report = AssertionReport::new(args, simulation);
    let begin = context.step;
    let outputs = Outputs { table, writers, report: &mut report };
    let Ended { ran, unwritten } =
        run_steps(args, &mut *execute, &program, (&mut context, steps), (samples, &interrupt), outputs);
    if !args.quiet {
        execute.remote_costs().iter().for_each(|cost| complain(&cost_text(cost, simulation)));
    }
    let stopped = interrupt.signal().filter(|_| context.step < steps && report.is_running());
    // The state of a run that has done nothing would replace that of another one.
    let checkpoint = checkpoint.filter(|_| stopped.is_none() || context.step > begin);
    let saved = checkpoint.map_or(Ok(()), |file| {
        let failed = |error: io::Error| Failure::Checkpoint(file.display().to_string(), error.to_string());
        file.replace(&context.to_bytes(&program)).map_err(failed)
    });
    // Of several errors the last one is returned.
    if let (Err(problem), true) = (&saved, unwritten.is_some() || ran.is_err()) {
        complain(&error_text(problem, &args.file));
    }
    if let Some(problem) = unwritten {
        complain(&format!("the run has ended after {} of {steps} steps: its results cannot be written", context.step));
        return Err(problem);
    }
    ran.map_err(|(error, chain)| {
        let block = error.block.as_ref().map(|block| block.text(simulation));
        let help = help_text(&error);
        Failure::Run { error, block, chain: chain.map(|chain| chain::text(&chain, simulation)), help }
    })?;
    saved?;
    if let Some(signal) = stopped {
        complain(&stopped_text(args, signal, &program, (begin, context.step, steps)));
        return Ok((String::new(), signal.code()));
    }
    report.held(program.delta, &context.held_switches(&program));
    report.finish(context.step);
    let code = if report.is_stopped() { STOPPED } else { SUCCESS };
    let by = (sensitivities.as_ref(), &report);
    Ok((result(args, &program, &context, (execute.engine(), origin.as_ref()), by), code))
}

/// The maximum size of a checkpoint file, in bytes.
const MAX_CHECKPOINT: u64 = 1 << 33;

fn resumed(path: &Path, program: &Program) -> Result<Context, Failure> {
    let failure = |problem: String| Failure::Checkpoint(path.display().to_string(), problem);
    let bytes = format::read_bounded(path, MAX_CHECKPOINT).map_err(|error| failure(error.to_string()))?;
    Context::from_bytes(&bytes, program).map_err(|error| failure(error.to_string()))
}

fn engine(args: &RunArgs, engines: &Engines) -> Result<Arc<dyn Engine>, OpenError> {
    let mut engines = engines.clone();
    let threaded = Threaded::limited(args.threads.unwrap_or_else(|| Threaded::new().threads()));
    let name = threaded.name();
    engines.add(Arc::new(threaded));
    let engine = engine_of(&engines, &args.engine)?;
    if args.threads.is_some() && engine.name() != name {
        complain(&format!("--threads has no effect: the engine “{}” uses one thread; select “{name}”", engine.name()));
    }
    Ok(engine)
}

/// The receivers of a run's results.
struct Outputs<'a, 's> {
    table: Option<RunTable>,
    writers: Writers,
    report: &'a mut AssertionReport<'s>,
}

/// How a run has ended.
struct Ended {
    ran: Result<(), (RunError, Option<Chain>)>,
    /// The first file that could not be written.
    unwritten: Option<Failure>,
}

/// The number of steps in a call of the engine.
const CHUNK: u64 = 1024;

fn run_steps(
    args: &RunArgs,
    execute: &mut dyn Execute,
    program: &Arc<Program>,
    (context, steps): (&mut Context, u64),
    (mut samples, interrupt): (Samples, &Interrupt),
    mut outputs: Outputs,
) -> Ended {
    let unwritable = |error: io::Error| {
        let path = args.out.as_deref().map(|path| path.display().to_string());
        Failure::from(TableError::Unwritable(path.unwrap_or_default(), error))
    };
    // The engine itself stops there if it is asked to.
    let mut watch = if args.stop_at_non_finite { FiniteWatch::off() } else { FiniteWatch::new(context, CHUNK) };
    let bar = progress(args, steps);
    let (begin, first) = (Instant::now(), context.step);
    let (mut ran, mut unwritten) = (Ok(()), None);
    let mut starts = ChunkStarts::default();
    let is_stopped = || interrupt.signal().is_some();
    while context.step < steps && ran.is_ok() && samples.end().is_none() && unwritten.is_none() && !is_stopped() {
        if args.stop_at_non_finite {
            starts.push(context);
        }
        watch.begin(context);
        ran = execute.run(context, CHUNK.min(steps - context.step), &mut samples);
        // The samples before a failure are useful too. One file that cannot be written is no reason to lose another.
        if let Some(Err(error)) = outputs.table.as_mut().map(|table| table.append(&samples)) {
            (outputs.table, unwritten) = (None, Some(unwritable(error)));
        }
        if let Err(error) = outputs.writers.take(&samples) {
            unwritten.get_or_insert(error.into());
        }
        outputs.report.take(&samples);
        if let Some((step, found)) = watch.look(program, execute, context, &samples) {
            outputs.report.non_finite(step, program.delta, &found);
        }
        samples.clear();
        bar.set_position(context.step);
    }
    bar.finish_and_clear();
    if is_stopped() && context.step == first && ran.is_ok() {
        // Files of an earlier run are better than empty ones.
        outputs.writers.give_up();
        return Ended { ran: Ok(()), unwritten };
    }
    if let Some(Err(error)) = outputs.table.map(RunTable::finish) {
        unwritten.get_or_insert(unwritable(error));
    }
    if let Err(error) = outputs.writers.finish() {
        unwritten.get_or_insert(error.into());
    }
    let took = begin.elapsed().as_secs_f64();
    if !args.quiet && io::stderr().is_terminal() {
        complain(&format!("{} steps, {} s simulated, in {took:.3} s", context.step, context.time(program)));
    }
    let ran = ran.map_err(|error| {
        let chain = args.stop_at_non_finite.then(|| starts.chain(program, execute, context)).flatten();
        (error, chain)
    });
    Ended { ran, unwritten }
}

/// Creates a progress bar if standard error is a terminal.
fn progress(args: &RunArgs, steps: u64) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    match ProgressStyle::with_template("{bar:40} {human_pos} of {human_len} steps, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[derive(Serialize)]
struct RunJson<'a> {
    steps: u64,
    delta: f64,
    engine: &'a str,
    executed: u64,
    exits: BTreeMap<String, Option<Vec<serde_json::Value>>>,
    /// The derivatives in the last step, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivities: Option<BTreeMap<String, Option<Vec<serde_json::Value>>>>,
    /// Omitted if there are no assertion reports.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notices: &'a [AssertionJson],
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a Provenance>,
}

fn result(
    args: &RunArgs,
    program: &Program,
    context: &Context,
    (engine, provenance): (&str, Option<&Provenance>),
    (sensitivities, report): (Option<&Sensitivities>, &AssertionReport),
) -> String {
    let exits = context.exits(program).into_iter();
    let text = sensitivities.map(|sensitivities| sensitivities.text(context)).unwrap_or_default();
    match args.format {
        OutputFormat::Json => {
            let value = |values: Vec<f64>| values.into_iter().map(number).collect();
            let result = RunJson {
                steps: context.step,
                delta: program.delta,
                engine,
                executed: context.executed,
                exits: exits.map(|(name, values)| (name.to_string(), values.map(value))).collect(),
                sensitivities: sensitivities.map(|sensitivities| sensitivities.json(context)),
                notices: &report.notices,
                provenance,
            };
            match serde_json::to_string(&result) {
                Ok(text) => text + "\n",
                // Only maps with keys that are not strings fail; this has none.
                Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
            }
        }
        OutputFormat::Text => exits
            .map(|(name, values)| match values {
                None => format!("{name} was never set\n"),
                Some(values) => {
                    let values: Vec<String> = values.iter().map(f64::to_string).collect();
                    format!("{name} = {}\n", values.join(" "))
                }
            })
            .chain([text])
            .collect(),
    }
}
