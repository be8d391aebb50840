//! Runs: their signals as numbers at chosen points and as statistics, and two runs compared.

use std::ops::Range;

use serde_json::{Value, json};

use super::common::FILE;
use crate::api::{Run, RunOptions, Simulation};
use crate::block::{Reaction, element_names};
use crate::measure::{Tolerance, compare as compare_curves, statistics};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT, first_items, number, rounded};
use crate::rpc::error::RpcError;
use crate::rpc::session::{KeptRun, KeptSignal, Session};

pub const RUN: RpcCall = RpcCall {
    name: "run",
    title: "Run a simulation",
    doc: "Runs a simulation and returns its signals: statistics, and values at chosen times. The run is kept, so that signals, compare and plot can use it. The document is not changed, and blocks that write files do not write them",
    arguments: &[
        FILE,
        ArgumentDef::optional(
            "steps",
            ArgumentKind::Integer { least: 1, most: 1 << 40 },
            "The number of steps [default: from the file]",
        ),
        ArgumentDef::optional(
            "set",
            ArgumentKind::Texts,
            "Values for this run alone: PATH=VALUE such as PID/P.Gain=120, or VARIABLE=VALUE",
        ),
        SIGNALS_TO_RECORD,
        AT,
        POINTS,
        FROM,
        TO,
        DIGITS,
    ],
    effect: Effect::Reads,
    answer: run,
};

pub const SIGNALS: RpcCall = RpcCall {
    name: "signals",
    title: "Signals of a run",
    doc: "Returns more of the signals of a run that was made: other signals, times or statistics of a part of it",
    arguments: &[
        RUN_NAME,
        ArgumentDef::optional("signals", ArgumentKind::Texts, "The signals [default: all that the run has recorded]"),
        AT,
        POINTS,
        FROM,
        TO,
        DIGITS,
    ],
    effect: Effect::Reads,
    answer: signals,
};

pub const COMPARE: RpcCall = RpcCall {
    name: "compare",
    title: "Compare two runs",
    doc: "Compares the signals of two runs: the largest difference of each and where it is, the first value out of tolerance, and whether all bits are the same",
    arguments: &[
        ArgumentDef::required("run", ArgumentKind::Text, "A run, such as run 2"),
        ArgumentDef::required("with", ArgumentKind::Text, "The run to compare it with, such as run 1"),
        ArgumentDef::optional("absolute", ArgumentKind::Number, "The absolute tolerance [default: 0]"),
        ArgumentDef::optional("relative", ArgumentKind::Number, "The tolerance relative to the value [default: 0]"),
    ],
    effect: Effect::Reads,
    answer: compare,
};

/// The argument that names a run.
pub const RUN_NAME: ArgumentDef =
    ArgumentDef::optional("run", ArgumentKind::Text, "The run, such as run 2 [default: the last one]");
const SIGNALS_TO_RECORD: ArgumentDef = ArgumentDef::optional(
    "signals",
    ArgumentKind::Texts,
    "The signals to record: paths such as Motor/Current.Output, exits, or all [default: those that the file marks: outputs, inputs of scopes, named signals]",
);
const AT: ArgumentDef = ArgumentDef::optional(
    "at",
    ArgumentKind::Numbers,
    "Times in seconds at which the values are returned; each gives the last step at or before it",
);
const POINTS: ArgumentDef = ArgumentDef::optional(
    "points",
    ArgumentKind::Integer { least: 0, most: 2000 },
    "The number of evenly spaced times, if “at” is not given [default: 11]",
);
const FROM: ArgumentDef = ArgumentDef::optional(
    "from",
    ArgumentKind::Number,
    "The beginning of the part that is looked at, in seconds [default: of the run]",
);
const TO: ArgumentDef =
    ArgumentDef::optional("to", ArgumentKind::Number, "The end of this part, in seconds [default: of the run]");
const DIGITS: ArgumentDef = ArgumentDef::optional(
    "digits",
    ArgumentKind::Integer { least: 1, most: 17 },
    "The number of significant digits; 17 keep every bit [default: 6]",
);

/// The maximum number of values that a run records.
const MAX_RECORDED: u64 = 40_000_000;
/// The number of parts of a run after which it reports its progress and listens to a client that gives up.
const PARTS: u64 = 100;

fn run(session: &mut Session, args: &CallArguments, control: &CallControl) -> Result<CallResult, RpcError> {
    let simulation = session.host.simulation(args.text("file"))?;
    let file = simulation.path().map(|path| path.display().to_string()).unwrap_or_default();
    let kept = made(simulation, args, file, control)?;
    let (kept, end) = kept;
    let name = session.keep(kept);
    let kept = session.run(Some(&name))?;
    let mut data = report(kept, None, args)?;
    data["run"] = name.into();
    for (key, value) in end {
        data[key] = value;
    }
    Ok(CallResult::of(data))
}

type RunEnd = Vec<(&'static str, Value)>;

/// Makes a run, and returns what it has recorded and how it has ended.
fn made(
    simulation: &Simulation,
    args: &CallArguments,
    file: String,
    control: &CallControl,
) -> Result<(KeptRun, RunEnd), RpcError> {
    let steps = args.integer("steps").unwrap_or_else(|| simulation.steps());
    if steps == 0 {
        return Err(RpcError::refused("the simulation has no end: give “steps”, or set its number of steps"));
    }
    let set = args.texts("set").unwrap_or_default();
    let options = RunOptions { set: set.clone(), writes_files: false, ..RunOptions::default() };
    let mut run = simulation.run_with(&options)?;
    if let Some(signals) = args.texts("signals") {
        run.record(&signals.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    let width: u64 = run.selected().iter().map(|signal| signal.of.width as u64).sum();
    if width.saturating_mul(steps) > MAX_RECORDED {
        let text = format!("{steps} steps of {width} values are too many to record: choose fewer signals or steps");
        return Err(RpcError::refused(text));
    }
    run.samples.set_cancel(&control.cancel);
    let part = (steps / PARTS).max(1);
    while run.steps() < steps && run.end().is_none() {
        let before = run.steps();
        run.step(part.min(steps - before))?;
        control.check()?;
        control.report(run.steps() as f64, steps as f64, "steps");
        if run.steps() == before {
            break;
        }
    }
    let end = how_it_ended(&run);
    Ok((recorded(&run, file, set)?, end))
}

fn how_it_ended(run: &Run) -> RunEnd {
    /// More reports of blocks are counted.
    const MOST: usize = 20;
    let mut end: RunEnd = vec![("steps", run.steps().into()), ("engine", run.engine().0.into())];
    if let Some(reaction) = run.end() {
        end.push(("ended_by_block", if reaction == Reaction::Pause { "paused" } else { "stopped" }.into()));
    }
    let (events, left_out) = run.events();
    if !events.is_empty() {
        let simulation = run.setup.simulation();
        let value = |event: &crate::engine::AssertionEvent| json!({"time": event.time, "block": event.block.title_text(simulation), "message": event.message});
        end.push(("reports", events.iter().take(MOST).map(value).collect()));
        let more = events.len().saturating_sub(MOST) as u64 + left_out;
        if more > 0 {
            end.push(("reports_left_out", more.into()));
        }
    }
    end
}

/// Takes the values that a run has recorded, one signal for each element of a vector.
fn recorded(run: &Run, file: String, set: Vec<String>) -> Result<KeptRun, RpcError> {
    let mut signals = Vec::new();
    for selected in run.selected() {
        let values = run.values(&selected.name)?;
        let names = element_names(&selected.name, &selected.of);
        let width = names.len().max(1);
        for (element, name) in names.into_iter().enumerate() {
            let values = values.iter().skip(element).step_by(width).copied().collect();
            signals.push(KeptSignal { name, values });
        }
    }
    Ok(KeptRun { name: String::new(), file, set, delta: run.program().delta, times: run.times(), signals })
}

fn signals(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let kept = session.run(args.text("run"))?;
    let mut data = report(kept, args.texts("signals").as_deref(), args)?;
    data["run"] = kept.name.as_str().into();
    Ok(CallResult::of(data))
}

/// Returns the signals of these names, or all that the run has recorded: statistics, and values at chosen times.
fn report(run: &KeptRun, names: Option<&[String]>, args: &CallArguments) -> Result<Value, RpcError> {
    let part = part_of(run, args.number("from"), args.number("to"));
    let digits = args.integer("digits").unwrap_or(6) as usize;
    let chosen = match args.numbers("at") {
        Some(times) => times.iter().filter_map(|time| step_at(run, *time)).collect(),
        None => spaced(&part, args.integer("points").unwrap_or(11) as usize),
    };
    let times: Vec<Value> =
        chosen.iter().filter_map(|step| run.times.get(*step)).map(|time| rounded(*time, 12)).collect();
    let signals: Vec<&KeptSignal> = match names {
        Some(names) => names.iter().map(|name| run.signal(name)).collect::<Result<_, _>>()?,
        None => run.signals.iter().collect(),
    };
    let value = |signal: &&KeptSignal| {
        let samples = signal.values.get(part.clone()).unwrap_or_default();
        let mut value = json!({"name": signal.name});
        if let Some(found) = statistics(samples.iter().copied()) {
            value["last"] = rounded(samples.last().copied().unwrap_or(f64::NAN), digits);
            value["min"] = rounded(found.low, digits);
            value["max"] = rounded(found.high, digits);
            value["mean"] = rounded(found.mean, digits);
            value["rms"] = rounded(found.rms, digits);
            let not_finite = samples.len() as u64 - found.count;
            if not_finite > 0 {
                value["not_finite"] = not_finite.into();
            }
        } else {
            value["last"] = samples.last().map_or(Value::Null, |last| number(*last));
        }
        if !chosen.is_empty() {
            let at = |step: &usize| signal.values.get(*step).map_or(Value::Null, |value| rounded(*value, digits));
            value["values"] = chosen.iter().map(at).collect();
        }
        value
    };
    let (items, left) = first_items(signals.iter().map(value), MAX_TEXT);
    let mut data = json!({"delta": run.delta, "recorded_steps": run.times.len(), "times": times, "signals": items});
    if left > 0 {
        data["left_out"] = format!("{left} more signals; name those that matter").into();
    }
    Ok(data)
}

/// Returns the recorded steps between two times.
fn part_of(run: &KeptRun, from: Option<f64>, to: Option<f64>) -> Range<usize> {
    let begin = from.map_or(0, |from| run.times.partition_point(|time| *time < from));
    let end = to.map_or(run.times.len(), |to| run.times.partition_point(|time| *time <= to));
    begin..end.max(begin)
}

/// Returns the last recorded step at or before a time.
fn step_at(run: &KeptRun, time: f64) -> Option<usize> {
    // A time that was computed may be below that of its step by a rounding error.
    let time = time + run.delta * 1e-9;
    run.times.partition_point(|known| *known <= time).checked_sub(1)
}

fn spaced(part: &Range<usize>, count: usize) -> Vec<usize> {
    let length = part.len();
    match (count, length) {
        (0, _) | (_, 0) => Vec::new(),
        (1, _) => vec![part.end - 1],
        (count, length) if count >= length => part.clone().collect(),
        (count, length) => (0..count).map(|index| part.start + index * (length - 1) / (count - 1)).collect(),
    }
}

fn compare(session: &mut Session, args: &CallArguments, _: &CallControl) -> Result<CallResult, RpcError> {
    let (one, other) = (session.run(args.text("run"))?, session.run(args.text("with"))?);
    if one.delta != other.delta {
        let text = format!("{} has steps of {} s, {} of {} s", one.name, one.delta, other.name, other.delta);
        return Err(RpcError::refused(text));
    }
    let tolerance = Tolerance {
        absolute: args.number("absolute").unwrap_or(0.0),
        relative: args.number("relative").unwrap_or(0.0),
    };
    let common = one
        .signals
        .iter()
        .filter_map(|signal| Some((signal, other.signals.iter().find(|theirs| theirs.name == signal.name)?)));
    let only = |one: &KeptRun, other: &KeptRun| -> Vec<String> {
        let names = one.signals.iter().filter(|signal| other.signal(&signal.name).is_err());
        names.take(20).map(|signal| signal.name.clone()).collect()
    };
    let mut same_bits = one.times.len() == other.times.len();
    let values: Vec<Value> = common
        .map(|(ours, theirs)| {
            let found = compare_curves(ours.values.iter().copied(), theirs.values.iter().copied(), tolerance);
            same_bits &=
                ours.values.iter().map(|value| value.to_bits()).eq(theirs.values.iter().map(|value| value.to_bits()));
            let time = |step: u64| one.times.get(step as usize).map_or(Value::Null, |time| number(*time));
            let mut value = json!({
                "name": ours.name,
                "max_difference": number(found.max_difference),
                "at": time(found.max_difference_at),
                "out_of_tolerance": found.exceeded,
            });
            if let Some(first) = found.first_exceeded {
                value["first_exceeded_at"] = time(first);
            }
            value
        })
        .collect();
    if values.is_empty() {
        return Err(RpcError::refused(format!("{} and {} have recorded no common signal", one.name, other.name)));
    }
    let (signals, left) = first_items(values, MAX_TEXT);
    let mut data = json!({
        "steps": [one.times.len(), other.times.len()],
        "same_bits": same_bits,
        "signals": signals,
        "only_in_first": only(one, other),
        "only_in_second": only(other, one),
    });
    if left > 0 {
        data["left_out"] = format!("{left} more signals").into();
    }
    Ok(CallResult::of(data))
}
