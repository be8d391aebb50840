//! `simulate run`.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::chain::{self, Begins};
use super::finite::FiniteWatch;
use super::opened::{FileArgs, Given, OpenError, Opened, engine_of, error_text};
use super::told::{NoticeJson, Told};
use super::{FAILURE, OutputFormat, STOPPED, SUCCESS, complain, print};
use crate::engine::{
    Chain, Context, Declined, Engine, Engines, Execute, Program, RunError, Samples, Threaded, WriteError, Writers,
};
use crate::format;
use crate::model::block_text;
use crate::results::{Record, TableError};

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The simulation
    pub file: PathBuf,
    /// How many steps to run [default: as the file says]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Seconds a step [default: as the file says]
    #[arg(long, value_name = "D")]
    pub delta: Option<f64>,
    /// Which engine runs it: auto, compiled, threaded, flat or simple
    #[arg(long, value_name = "NAME", default_value = Engines::DEFAULT)]
    pub engine: String,
    /// How many threads the engine “threaded” may use [default: one more than there are processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Sets an option before the run: Plant/Motor#3.Gain=2.5, a vector's values with commas
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Which signals to record: exits, all, or paths as Plant/Motor#3.Output with commas [default: what the file marks:
    /// exits, what scopes and displays show, signals with a name, blocks that show their curve]
    #[arg(long, value_name = "SIGNALS")]
    pub signals: Option<String>,
    /// Where to write the recorded signals, a row a step (.csv or .parquet)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Goes on from a checkpoint, up to the number of steps in all
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Where to write a checkpoint at the end, or at the begin of a step that fails
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Ends the run with an error at the first value that is infinite or not-a-number
    #[arg(long)]
    pub stop_at_non_finite: bool,
    /// How to print the values of the exits
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub files: FileArgs,
    /// No progress and no summary
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn run(args: &RunArgs) -> ExitCode {
    match run_file(args) {
        Ok((text, code)) => print(&text, code),
        Err(Failure::File(error)) => error.complain(&args.file),
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
    #[error("{0}: {1}")]
    Checkpoint(String, String),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Written(#[from] WriteError),
    #[error("{error}{}{}", line("  block: ", .block), line("", .chain))]
    Run { error: RunError, block: Option<String>, chain: Option<String> },
}

fn line(lead: &str, text: &Option<String>) -> String {
    text.as_deref().map(|text| format!("\n{lead}{text}")).unwrap_or_default()
}

/// What to print, and the exit code.
fn run_file(args: &RunArgs) -> Result<(String, u8), Failure> {
    let engine = engine(args)?;
    let given = Given { set: &args.set, delta: args.delta, files: Some(&args.files) };
    let opened = Opened::open(&args.file, given)?;
    let simulation = opened.document.simulation();
    let mut program = opened.compile()?;
    program.refuses_non_finite = args.stop_at_non_finite;
    let program = Arc::new(program);
    let mut context = match &args.resume {
        None => opened.context(&program)?,
        Some(path) => {
            let mut context = resumed(path, &program)?;
            let retuned = opened.sets.iter().try_for_each(|set| set.retune(&program, &mut context));
            retuned.map_err(OpenError::from)?;
            context
        }
    };
    let steps = args.steps.unwrap_or(program.steps);
    if steps == 0 {
        complain("0 steps: nothing is run; give a number of steps with --steps");
    }
    let signals = match &args.signals {
        Some(signals) => opened.signals(&program, signals)?,
        None => opened.marked(&program),
    };
    if signals.is_empty() && args.out.is_some() && !args.quiet {
        complain("nothing is recorded: the file has no exit, no scope and no named signal; choose with --signals");
    }
    let mut execute = engine.prepare(&program)?;
    if let (Some(reason), false) = (execute.reason(), args.quiet) {
        complain(&format!("the engine “{}” runs this: {reason}", execute.engine()));
    }
    let table = args.out.as_deref().map(|path| {
        let columns: Vec<_> = signals.iter().map(|signal| (signal.name.clone(), signal.width)).collect();
        Record::create(path, program.delta, &columns)
    });
    let table = table.transpose()?;
    let mut writers = Writers::open(&program, opened.registry.files()).map_err(|found| opened.invalid(found))?;
    let recorded = signals.iter().map(|signal| signal.output).filter(|_| table.is_some());
    let samples = Samples::new(recorded.chain(writers.outputs()));
    let mut told = Told::new(args, simulation);
    let ran = move_on(
        args,
        &mut *execute,
        &program,
        (&mut context, steps),
        samples,
        Takers { table, writers: &mut writers, told: &mut told },
    )?;
    if let Some(path) = &args.checkpoint {
        let bytes = context.to_bytes(&program);
        format::replace(path, &bytes)
            .map_err(|error| Failure::Checkpoint(path.display().to_string(), error.to_string()))?;
    }
    ran.map_err(|(error, chain)| {
        let block = error.block.as_ref().map(|(path, block)| block_text(simulation, path, *block));
        Failure::Run { error, block, chain: chain.map(|chain| chain::text(&chain, simulation)) }
    })?;
    told.finish(context.step);
    let code = if told.is_stopped() { STOPPED } else { SUCCESS };
    Ok((result(args, &program, &context, execute.engine(), &told), code))
}

/// More bytes than this no program's context has.
const MOST_CHECKPOINT: u64 = 1 << 33;

fn resumed(path: &Path, program: &Program) -> Result<Context, Failure> {
    let failure = |problem: String| Failure::Checkpoint(path.display().to_string(), problem);
    let bytes = format::read_bounded(path, MOST_CHECKPOINT).map_err(|error| failure(error.to_string()))?;
    Context::from_bytes(&bytes, program).map_err(|error| failure(error.to_string()))
}

fn engine(args: &RunArgs) -> Result<Arc<dyn Engine>, OpenError> {
    let mut engines = Engines::standard();
    let threaded = Threaded::limited(args.threads.unwrap_or_else(|| Threaded::new().threads()));
    let name = threaded.name();
    engines.add(Arc::new(threaded));
    let engine = engine_of(&engines, &args.engine)?;
    if args.threads.is_some() && engine.name() != name {
        complain(&format!(
            "--threads has no effect: the engine “{}” runs on one thread; choose “{name}”",
            engine.name()
        ));
    }
    Ok(engine)
}

/// Who takes what comes out of a run.
struct Takers<'a, 's> {
    table: Option<Record>,
    writers: &'a mut Writers,
    told: &'a mut Told<'s>,
}

/// Steps between two looks at the clock.
const CHUNK: u64 = 1024;

fn move_on(
    args: &RunArgs,
    execute: &mut dyn Execute,
    program: &Arc<Program>,
    (context, steps): (&mut Context, u64),
    mut samples: Samples,
    mut takers: Takers,
) -> Result<Result<(), (RunError, Option<Chain>)>, Failure> {
    let unwritable = |error: io::Error| {
        let path = args.out.as_deref().map(|path| path.display().to_string());
        TableError::Unwritable(path.unwrap_or_default(), error)
    };
    let mut watch = FiniteWatch::new(!args.stop_at_non_finite, context, CHUNK);
    let bar = progress(args, steps);
    let begin = Instant::now();
    let mut ran = Ok(());
    let mut begins = Begins::default();
    while context.step < steps && ran.is_ok() && samples.end().is_none() {
        if args.stop_at_non_finite {
            begins.note(context);
        }
        watch.begin(context);
        ran = execute.run(context, CHUNK.min(steps - context.step), &mut samples);
        // What came before a failure is of use too.
        if let Some(table) = &mut takers.table {
            table.append(&samples).map_err(unwritable)?;
        }
        takers.writers.take(&samples)?;
        takers.told.take(&samples);
        if let Some((step, found)) = watch.look(program, execute, context, &samples) {
            takers.told.non_finite(step, program.delta, &found);
        }
        samples.clear();
        bar.set_position(context.step);
    }
    bar.finish_and_clear();
    if let Some(table) = takers.table {
        table.finish().map_err(unwritable)?;
    }
    takers.writers.finish()?;
    let took = begin.elapsed().as_secs_f64();
    if !args.quiet && io::stderr().is_terminal() {
        complain(&format!("{} steps, {} s simulated, in {took:.3} s", context.step, context.time(program)));
    }
    Ok(ran.map_err(|error| {
        let chain = args.stop_at_non_finite.then(|| begins.chain(program, execute, context)).flatten();
        (error, chain)
    }))
}

/// A bar where standard error is a terminal.
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
    /// Left out where blocks had nothing to tell.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notices: &'a [NoticeJson],
}

fn result(args: &RunArgs, program: &Program, context: &Context, engine: &str, told: &Told) -> String {
    let exits = context.exits(program).into_iter();
    match args.format {
        OutputFormat::Json => {
            let value = |lanes: Vec<f64>| lanes.into_iter().map(json_number).collect();
            let result = RunJson {
                steps: context.step,
                delta: program.delta,
                engine,
                executed: context.executed,
                exits: exits.map(|(name, lanes)| (name.to_string(), lanes.map(value))).collect(),
                notices: &told.notices,
            };
            match serde_json::to_string(&result) {
                Ok(text) => text + "\n",
                // Only maps with keys that are no texts fail; this has none.
                Err(error) => format!("{{\"error\":\"{error}\"}}\n"),
            }
        }
        OutputFormat::Text => exits
            .map(|(name, lanes)| match lanes {
                None => format!("{name} was never set\n"),
                Some(lanes) => {
                    let lanes: Vec<String> = lanes.iter().map(f64::to_string).collect();
                    format!("{name} = {}\n", lanes.join(" "))
                }
            })
            .collect(),
    }
}

/// JSON has no infinities: they and not-a-number are texts.
pub fn json_number(value: f64) -> serde_json::Value {
    match serde_json::Number::from_f64(value) {
        Some(number) => number.into(),
        None if value.is_nan() => "nan".into(),
        None if value > 0.0 => "inf".into(),
        None => "-inf".into(),
    }
}
