//! An experiment that is compiled: runs with values of the parameters, and what they have at the measured times.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::experiment::{CalibrationError, Experiment};
use super::parameter::{FoundParam, ParamPlace, find};
use super::readings::{Reading, readings};
use crate::engine::{
    Cancel, Context, Engine, Execute, OutputId, Program, RunSetup, Samples, Sensitivity, SensitivityError,
    SensitivityParam, TierUp,
};
use crate::optimize::Cancelled;

/// An experiment that is compiled.
pub(super) struct TrialRun {
    setup: RunSetup,
    program: Arc<Program>,
    /// Before the first step, with the values of the file.
    context: Context,
    engine: Arc<dyn Engine>,
    watched: Vec<OutputId>,
    keys: Vec<crate::model::SignalKey>,
    readings: Vec<Reading>,
    /// The number of steps that a run takes.
    steps: u64,
    /// The measured values and their weights.
    pub measured: Vec<(f64, f64)>,
    /// The parameters of this experiment: the index among all, and where it is.
    pub params: Vec<(usize, String, FoundParam)>,
    /// The program with derivatives by `params`, or the reason why they are finite differences.
    pub sensitivity: Result<Sensitivity, NoSensitivity>,
}

/// Why derivatives are finite differences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum NoSensitivity {
    #[error("“{0}” takes effect on a new program only")]
    Compiled(String),
    #[error("{0}")]
    Refused(#[from] SensitivityError),
    /// The experiment is only simulated.
    #[error("none are computed")]
    NotWanted,
}

/// Whether an experiment is fitted or only simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derivatives {
    Wanted,
    NotWanted,
}

/// The executions of a thread.
#[derive(Default)]
pub(super) struct Executions {
    plain: Option<Box<dyn Execute>>,
    with_tangents: Option<Box<dyn Execute>>,
}

/// The simulated values at the measured times.
pub(super) struct Prediction {
    pub values: Vec<f64>,
    /// The derivatives by the parameters of the experiment, row after row; empty without.
    pub tangents: Vec<f64>,
    /// Why the run ended before the last of them.
    pub failure: Option<String>,
}

/// Steps between two looks at whether the run is cancelled, and whose samples are in memory at once.
const CHUNK: u64 = 4096;
/// The longest run.
const MAX_STEPS: u64 = 1_000_000_000;

impl TrialRun {
    /// Compiles an experiment. `params` are the paths of its parameters with their indices among all.
    ///
    /// # Errors
    /// If it is invalid, or a signal or a parameter does not exist.
    pub fn new(
        experiment: &Experiment,
        params: &[(usize, &str)],
        engine: &Arc<dyn Engine>,
        derivatives: Derivatives,
    ) -> Result<TrialRun, CalibrationError> {
        let setup = experiment.setup.clone();
        let program = Arc::new(setup.compile().map_err(CalibrationError::Compile)?);
        let context = setup.context(&program)?;
        let mut found = Vec::new();
        for &(index, path) in params {
            found.push((index, path.to_owned(), find(path, &setup, &program)?));
        }
        let (mut watched, mut keys, mut curves) = (Vec::new(), Vec::new(), Vec::new());
        for curve in &experiment.curves {
            let no_signal = || CalibrationError::NoSignal(curve.name.clone());
            let output = program.output_of(&curve.signal).ok_or_else(no_signal)?;
            if curve.element >= program.output_type(output).width {
                return Err(no_signal());
            }
            let index = watched.iter().position(|known| *known == output).unwrap_or(watched.len());
            if index == watched.len() {
                watched.push(output);
                keys.push(curve.signal.clone());
            }
            curves.push((curve, index, program.is_held(&curve.signal)));
        }
        let readings = readings(&curves, program.delta);
        let steps = readings.last().map_or(0, |last| last.step.saturating_add(1));
        if steps > MAX_STEPS {
            return Err(CalibrationError::TooLong(experiment.name.clone(), steps));
        }
        let rows = experiment.curves.iter().flat_map(|curve| &curve.rows);
        let measured = rows.map(|row| (row.value, row.weight)).collect();
        let sensitivity = match derivatives {
            Derivatives::Wanted => sensitivity_of(&program, &found, &watched),
            Derivatives::NotWanted => Err(NoSensitivity::NotWanted),
        };
        let engine = engine.on_one_thread().unwrap_or_else(|| Arc::clone(engine));
        Ok(TrialRun {
            setup,
            program,
            context,
            engine,
            watched,
            keys,
            readings,
            steps,
            measured,
            params: found,
            sensitivity,
        })
    }

    /// Runs with values of all parameters, and the derivatives if the experiment has them and they are asked for.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn run(
        &self,
        values: &[f64],
        with_tangents: bool,
        executions: &mut Executions,
        cancel: &Cancel,
    ) -> Result<Prediction, Cancelled> {
        let own = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
        let failed = |failure: String| Prediction {
            values: vec![f64::NAN; self.measured.len()],
            tangents: Vec::new(),
            failure: Some(failure),
        };
        let texts = set_texts(&self.params, values);
        let mut fresh = Executions::default();
        let (program, mut context, watched, executions) = match texts.is_empty() {
            true => (Arc::clone(&self.program), self.context.clone(), self.watched.clone(), executions),
            false => {
                let mut setup = self.setup.clone();
                if let Err(error) = setup.set(&texts) {
                    return Ok(failed(error.to_string()));
                }
                let program = match setup.compile() {
                    Ok(program) => Arc::new(program),
                    Err(found) => {
                        return Ok(failed(found.first().map_or(String::new(), |first| first.message.clone())));
                    }
                };
                let context = match setup.context(&program) {
                    Ok(context) => context,
                    Err(error) => return Ok(failed(error.to_string())),
                };
                let watched: Option<Vec<OutputId>> = self.keys.iter().map(|key| program.output_of(key)).collect();
                let Some(watched) = watched else { return Ok(failed("a signal is missing".to_owned())) };
                (program, context, watched, &mut fresh)
            }
        };
        for (index, _, found) in &self.params {
            if let ParamPlace::Context { param, element, values } = &found.place {
                let mut values = values.clone();
                values.iter_mut().skip(*element).take(1).for_each(|value| *value = own(*index));
                if let Err(error) = context.set_param(&program, param, &values) {
                    return Ok(failed(error.to_string()));
                }
            }
        }
        // Initial states depend on parameters.
        context.reset(&program);
        let sensitivity = self.sensitivity.as_ref().ok().filter(|_| with_tangents);
        let (slot, engine, program) = match sensitivity {
            None => (&mut executions.plain, Arc::clone(&self.engine), program),
            Some(sensitivity) => {
                let engine = sensitivity.engine(TierUp::default());
                (&mut executions.with_tangents, engine, Arc::clone(sensitivity.program()))
            }
        };
        let execute = match slot {
            Some(execute) => execute,
            none => match engine.prepare(&program) {
                Ok(execute) => none.insert(execute),
                Err(declined) => return Ok(failed(declined.to_string())),
            },
        };
        let count = if sensitivity.is_some() { self.params.len() } else { 0 };
        let tangents = (0..watched.len())
            .flat_map(|watched| (0..count).map(move |param| (watched, param)))
            .filter_map(|(watched, param)| sensitivity?.output(watched, param));
        let mut samples = Samples::new(watched.iter().copied().chain(tangents));
        samples.set_cancel(cancel);
        self.execute(&mut **execute, &mut context, &mut samples, count, cancel)
    }

    fn execute(
        &self,
        execute: &mut dyn Execute,
        context: &mut Context,
        samples: &mut Samples,
        count: usize,
        cancel: &Cancel,
    ) -> Result<Prediction, Cancelled> {
        let mut found = Prediction {
            values: vec![0.0; self.measured.len()],
            tangents: vec![0.0; self.measured.len() * count],
            failure: None,
        };
        let mut open = self.readings.iter().peekable();
        while context.step < self.steps {
            samples.clear();
            let ran = execute.run(context, CHUNK.min(self.steps - context.step), samples);
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let (first, end) = (samples.first(), samples.first() + samples.len() as u64);
            while let Some(reading) = open.next_if(|reading| reading.step < end) {
                let index = (reading.step - first) as usize;
                let part = |watch: usize| {
                    let values = samples.watches().get(watch).map_or(&[][..], |watch| &watch.values);
                    let width = values.len() / samples.len().max(1);
                    reading.part * values.get(index * width + reading.element).copied().unwrap_or(f64::NAN)
                };
                if let Some(value) = found.values.get_mut(reading.row) {
                    *value += part(reading.watched);
                }
                for param in 0..count {
                    if let Some(tangent) = found.tangents.get_mut(reading.row * count + param) {
                        *tangent += part(self.watched.len() + reading.watched * count + param);
                    }
                }
            }
            let assertion = || samples.assertions().last().map(|assertion| assertion.message.clone());
            found.failure = match ran {
                Err(error) => Some(error.to_string()),
                Ok(()) if samples.end().is_some() || samples.is_empty() => Some(assertion().unwrap_or_default()),
                Ok(()) => continue,
            };
            break;
        }
        if open.peek().is_none() {
            found.failure = None;
        }
        for reading in open {
            found.values.iter_mut().skip(reading.row).take(1).for_each(|value| *value = f64::NAN);
        }
        Ok(found)
    }
}

/// Returns what is set before a program with these values is compiled, as `PATH=VALUE`: an option whose elements are fitted
/// once, with all of its elements.
fn set_texts(params: &[(usize, String, FoundParam)], values: &[f64]) -> Vec<String> {
    let own = |index: usize| values.get(index).copied().unwrap_or(f64::NAN).to_string();
    let (mut single, mut vectors) = (Vec::new(), BTreeMap::<&str, Vec<String>>::new());
    for (index, path, found) in params {
        match &found.place {
            ParamPlace::Context { .. } => {}
            ParamPlace::Text => single.push(format!("{path}={}", own(*index))),
            ParamPlace::TextElement { option, element, texts } => {
                let all = vectors.entry(option).or_insert_with(|| texts.clone());
                all.iter_mut().skip(*element).take(1).for_each(|text| *text = own(*index));
            }
        }
    }
    single.into_iter().chain(vectors.iter().map(|(option, texts)| format!("{option}={}", texts.join(",")))).collect()
}

fn sensitivity_of(
    program: &Arc<Program>,
    params: &[(usize, String, FoundParam)],
    watched: &[OutputId],
) -> Result<Sensitivity, NoSensitivity> {
    let mut wanted = Vec::new();
    for (_, path, found) in params {
        match &found.place {
            ParamPlace::Text | ParamPlace::TextElement { .. } => return Err(NoSensitivity::Compiled(path.clone())),
            ParamPlace::Context { param, element, .. } => {
                wanted.push(SensitivityParam { param: param.clone(), element: *element });
            }
        }
    }
    Ok(Sensitivity::new(program, &wanted, watched)?)
}
