//! Sweeps: many runs with different values.

use std::num::NonZeroUsize;

use serde_json::{Value, json};

use super::common::FILE;
use crate::block::element_names;
use crate::engine::{Curve, Engines, Points, Runs, Sweep, SweepFlow, Vary};
use crate::rpc::argument::{ArgumentDef, ArgumentKind, CallArguments};
use crate::rpc::call::{CallControl, Effect, RpcCall};
use crate::rpc::call_result::{CallResult, MAX_TEXT, first_items, rounded};
use crate::rpc::error::RpcError;
use crate::rpc::session::Session;
use crate::sampling::SampleDesign;

pub const SWEEP: RpcCall = RpcCall {
    name: "sweep",
    title: "Sweep parameters",
    doc: "Runs a simulation many times with different values, on all processors, and returns the last value of each signal for each run",
    arguments: &[
        FILE,
        ArgumentDef::required(
            "vary",
            ArgumentKind::Texts,
            "PATH=VALUES for each parameter; every combination is run. VALUES: from:to:count, from:to:count:log, a,b,c, or random for each run: uniform(low,high), loguniform(low,high), normal(mean,deviation)",
        ),
        ArgumentDef::optional(
            "draws",
            ArgumentKind::Integer { least: 1, most: 100_000 },
            "The number of runs of each combination, for random values [default: 1]",
        ),
        ArgumentDef::optional(
            "seed",
            ArgumentKind::Integer { least: 0, most: u64::MAX },
            "The seed of random values [default: 0]",
        ),
        ArgumentDef::optional(
            "design",
            ArgumentKind::Text,
            "How the random values are chosen: random, independently; lhs, a Latin hypercube; sobol or halton, an evenly filling sequence [default: random]",
        ),
        ArgumentDef::optional(
            "steps",
            ArgumentKind::Integer { least: 1, most: 1 << 40 },
            "The number of steps of each run [default: from the file]",
        ),
        ArgumentDef::optional("set", ArgumentKind::Texts, "Values for all runs, PATH=VALUE"),
        ArgumentDef::optional("signals", ArgumentKind::Texts, "The signals to return [default: exits]"),
        ArgumentDef::optional(
            "digits",
            ArgumentKind::Integer { least: 1, most: 17 },
            "The number of significant digits [default: 6]",
        ),
    ],
    effect: Effect::Reads,
    answer: sweep,
};

/// The maximum number of runs.
const MAX_RUNS: u64 = 100_000;

fn sweep(session: &mut Session, args: &CallArguments, control: &CallControl) -> Result<CallResult, RpcError> {
    let refused = |error: &dyn std::error::Error| RpcError::refused(error.to_string());
    let varied = args.texts("vary").unwrap_or_default();
    let varied = varied.iter().map(|text| Vary::parse(text).map_err(|error| refused(&error)));
    let name = args.text("design").unwrap_or(SampleDesign::Random.name());
    let design = SampleDesign::by_name(name).filter(|design| !design.has_indices());
    let design = design.ok_or_else(|| RpcError::refused("“design” is random, lhs, sobol or halton"))?;
    let runs = Runs {
        varied: varied.collect::<Result<_, _>>()?,
        draws: args.integer("draws").unwrap_or(1),
        seed: args.integer("seed").unwrap_or(0),
        design,
    };
    runs.check().map_err(|error| refused(&error))?;
    let count = runs.count().filter(|count| *count <= MAX_RUNS);
    let count = count.ok_or_else(|| RpcError::refused(format!("a sweep has at most {MAX_RUNS} runs")))?;
    let engine = session.components.engines.get(Engines::DEFAULT).cloned();
    let engine = engine.ok_or_else(|| RpcError::refused("this program has no engine"))?;
    let simulation = session.host.simulation(args.text("file"))?;
    let (setup, program) = simulation.setup(&args.texts("set").unwrap_or_default())?;
    let steps = args.integer("steps").unwrap_or(program.steps);
    if steps == 0 {
        return Err(RpcError::refused("the simulation has no end: give “steps”"));
    }
    let names = args.texts("signals").unwrap_or_else(|| vec!["exits".to_owned()]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let selected = setup.signals(&names, &program, &Default::default()).map_err(|error| refused(&error))?;
    let columns: Vec<String> = selected.iter().flat_map(|signal| element_names(&signal.name, &signal.of)).collect();
    let sweep = Sweep {
        engine,
        steps,
        watch: selected.iter().map(|signal| signal.key.clone()).collect(),
        every: None,
        workers: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        steps_together: Sweep::STEPS_TOGETHER,
    };
    let points = Points::new(&runs, setup, &program).map_err(|error| refused(&error))?;
    let waiting: Vec<u64> = (0..count).collect();
    let mut curves: Vec<Curve> = Vec::new();
    sweep.run_until(&control.cancel, &waiting, &|run| points.ready(&runs.values(run)), |curve| {
        curves.push(curve);
        control.report(curves.len() as f64, count as f64, "runs");
        SweepFlow::Continue
    });
    control.check()?;
    curves.sort_by_key(|curve| curve.run);
    let digits = args.integer("digits").unwrap_or(6) as usize;
    let failed = curves.iter().filter(|curve| curve.failure.is_some()).count();
    let row = |curve: &Curve| -> Value {
        let varied = runs.values(curve.run).into_iter().map(|value| rounded(value, digits));
        let results = curve.values.iter().flatten().map(|value| rounded(*value, digits));
        let mut row: Vec<Value> = varied.chain(results).collect();
        row.extend(curve.failure.as_ref().map(|failure| Value::from(format!("failed: {failure}"))));
        row.into()
    };
    let (rows, left) = first_items(curves.iter().map(row), MAX_TEXT);
    let paths = runs.varied.iter().map(|vary| vary.path.clone());
    let mut data = json!({
        "runs": count,
        "failed": failed,
        "columns": paths.chain(columns).collect::<Vec<_>>(),
        "rows": rows,
    });
    if left > 0 {
        data["left_out"] = format!("{left} more rows; vary fewer values at once").into();
    }
    Ok(CallResult::of(data))
}
