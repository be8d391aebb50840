//! Runs of a model with other values, on all processors.

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use simulate::RunOptions;
use simulate::engine::{Curve, Points, Runs, Sweep, SweepFlow, Values, Vary, is_unset};

use crate::column::Column;
use crate::errors::Kind;
use crate::memory;
use crate::model::ModelCore;
use crate::run::PyRun;

/// The results of some runs.
#[pyclass(frozen, module = "simulate._native", get_all)]
pub struct SweepPart {
    /// For each run its failure, if it failed.
    failures: Vec<Option<String>>,
    /// For each run the number of noted steps.
    counts: Vec<usize>,
    /// The noted steps of all runs, one after the other.
    steps: Vec<u64>,
    /// For each signal the name and the width.
    signals: Vec<(String, usize)>,
    /// For each signal the values of all runs.
    columns: Vec<Py<Column>>,
    /// Step length in seconds.
    delta: f64,
}

const LOOK: Duration = Duration::from_millis(50);

/// Runs a model once for each row of values.
#[pyfunction]
#[pyo3(signature = (model, paths, rows, *, signals, steps, set=vec![], every=None, engine="auto", workers=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn sweep(
    py: Python<'_>,
    model: &ModelCore,
    paths: Vec<String>,
    rows: Vec<Vec<f64>>,
    signals: Option<Vec<String>>,
    steps: Option<u64>,
    set: Vec<String>,
    every: Option<NonZeroU64>,
    engine: &str,
    workers: Option<NonZeroUsize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SweepPart> {
    let mut state = model.lock(py);
    let options = RunOptions { engine: engine.to_owned(), writes_files: false, ..RunOptions::default() };
    let mut run = PyRun::begin(py, &mut state, &options)?;
    run.record(py, signals.as_deref().or(Some(&["exits".to_owned()])))?;
    let chosen = run.run.selected().to_vec();
    let engine = state.whole.components().engines.get(engine).cloned();
    let engine = engine.ok_or_else(|| Kind::Engine.of(py, "unknown engine"))?;
    let with_values = state.whole.setup(&set);
    let (setup, program) = state.done(py, with_values)?;
    drop(state);
    let varied: Vec<Vary> = paths.into_iter().map(|path| Vary { path, values: Values::List(vec![0.0]) }).collect();
    let runs = Runs { varied, draws: 1, ..Runs::default() };
    let points = Points::new(&runs, setup, &program).map_err(|error| Kind::Path.of(py, error))?;
    let sweep = Sweep {
        engine,
        steps: steps.unwrap_or(program.steps),
        watch: chosen.iter().map(|signal| signal.key.clone()).collect(),
        every,
        workers: workers.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
        steps_together: Sweep::STEPS_TOGETHER,
    };
    // The first and the last step are kept in any case.
    let kept = every.map_or(1, |every| sweep.steps / every.get() + 2);
    let numbers = chosen.iter().map(|signal| signal.of.width).sum();
    memory::check(kept.saturating_mul(rows.len() as u64), numbers)?;
    let ready = |run: u64| points.ready(&rows[run as usize]);
    let numbers: Vec<u64> = (0..rows.len() as u64).collect();
    let mut curves: Vec<Option<Curve>> = vec![None; rows.len()];
    let mut heard = Ok(());
    let mut looked = Instant::now();
    py.detach(|| {
        let (mut done, count) = (0, rows.len());
        sweep.run(&numbers, &ready, |curve| {
            let index = curve.run as usize;
            curves[index] = Some(curve);
            done += 1;
            if looked.elapsed() > LOOK || done == count {
                looked = Instant::now();
                heard = Python::attach(|py| {
                    py.check_signals()?;
                    progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (done, count)).map(drop))
                });
            }
            if heard.is_ok() { SweepFlow::Continue } else { SweepFlow::Stop }
        });
    });
    heard?;
    let mut part = SweepPart {
        failures: Vec::new(),
        counts: Vec::new(),
        steps: Vec::new(),
        signals: chosen.iter().map(|signal| (signal.name.clone(), signal.of.width)).collect(),
        columns: Vec::new(),
        delta: program.delta,
    };
    let mut columns = vec![Vec::new(); chosen.len()];
    for curve in curves.into_iter().map(Option::unwrap_or_default) {
        let count = curve.steps.len();
        for (index, (column, signal)) in columns.iter_mut().zip(&chosen).enumerate() {
            let needed = count * signal.of.width;
            let values = curve.values.get(index).map_or(&[][..], |values| values);
            let plain = values.iter().take(needed).map(|value| if is_unset(*value) { f64::NAN } else { *value });
            column.extend(plain);
            // A run with another width of the signal has no values that fit.
            column.extend(std::iter::repeat_n(f64::NAN, needed.saturating_sub(values.len())));
        }
        part.counts.push(count);
        part.steps.extend(curve.steps);
        part.failures.push(curve.failure);
    }
    for (values, signal) in columns.into_iter().zip(&chosen) {
        part.columns.push(Py::new(py, Column::new(values, signal.of.width))?);
    }
    Ok(part)
}

/// Returns the values of a parameter from a text as for `simulate sweep --vary`: `from:to:count`, `from:to:count:log`.
#[pyfunction]
pub fn spaced(py: Python<'_>, text: &str) -> PyResult<Vec<f64>> {
    let vary = Vary::parse(&format!("x={text}")).map_err(|error| Kind::Path.of(py, error))?;
    match vary.values {
        Values::List(values) => Ok(values),
        _ => Err(Kind::Path.of(py, format!("{text}: expected from:to:count"))),
    }
}

/// Returns a row of values for each run: every combination of listed values, `draws` times; the last parameter varies
/// fastest. A value is a list, or a text as for `simulate sweep --vary`, such as `uniform(0,1)`.
#[pyfunction]
pub fn rows_of(py: Python<'_>, varied: Vec<(String, VariedValues)>, draws: u64, seed: u64) -> PyResult<Vec<Vec<f64>>> {
    let vary = |(path, values): (String, VariedValues)| match values {
        VariedValues::List(values) => Ok(Vary { path, values: Values::List(values) }),
        VariedValues::Text(text) => Vary::parse(&format!("{path}={text}")).map_err(|error| Kind::Path.of(py, error)),
    };
    let varied = varied.into_iter().map(vary).collect::<PyResult<Vec<_>>>()?;
    let runs = Runs { varied, draws: draws.max(1), seed, ..Runs::default() };
    let count = runs.count().ok_or_else(|| Kind::Path.of(py, "these are too many runs"))?;
    Ok((0..count).map(|run| runs.values(run)).collect())
}

#[derive(FromPyObject)]
pub enum VariedValues {
    Text(String),
    List(Vec<f64>),
}
