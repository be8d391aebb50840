//! A simulation that is compiled, and run with values of its parameters.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FoundParam, TrialError, find, found_param::ParamPlace};
use crate::engine::{
    Cancel, Context, Engine, Execute, OutputId, Program, RunSetup, Samples, Sensitivity, SensitivityError,
    SensitivityParam, TierUp,
};
use crate::model::SignalKey;
use crate::optimize::Cancelled;

/// A simulation that is compiled, with the parameters whose values differ from run to run and the watched signals.
pub(crate) struct TrialRun {
    setup: RunSetup,
    program: Arc<Program>,
    /// Before the first step, with the values of the file.
    context: Context,
    engine: Arc<dyn Engine>,
    watched: Vec<OutputId>,
    keys: Vec<SignalKey>,
    params: Vec<(String, FoundParam)>,
}

/// Why derivatives are finite differences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoSensitivity {
    #[error("“{0}” takes effect on a new program only")]
    Compiled(String),
    #[error("{0}")]
    Refused(#[from] SensitivityError),
    /// The simulation is only run.
    #[error("none are computed")]
    NotWanted,
}

/// The executions of a thread.
#[derive(Default)]
pub(crate) struct Executions {
    plain: Option<Box<dyn Execute>>,
    with_tangents: Option<Box<dyn Execute>>,
}

/// How a run has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrialEnd {
    /// After all steps.
    Complete,
    /// A block ended it before, with this message if it is a check.
    Stopped(Option<String>),
    /// It failed, or did not begin, for this reason.
    Failed(String),
}

/// Steps between two looks at whether the run is cancelled, and whose samples are in memory at once.
const CHUNK: u64 = 4096;

impl TrialRun {
    /// Compiles a simulation and finds the parameters at these paths. There are no watched signals yet.
    ///
    /// # Errors
    /// If the simulation is invalid, or a parameter does not exist or is no number.
    pub fn new(setup: RunSetup, params: &[&str], engine: &Arc<dyn Engine>) -> Result<TrialRun, TrialError> {
        let program = Arc::new(setup.compile().map_err(TrialError::Compile)?);
        let context = setup.context(&program)?;
        let mut found = Vec::new();
        for &path in params {
            found.push((path.to_owned(), find(path, &setup, &program)?));
        }
        let engine = engine.on_one_thread().unwrap_or_else(|| Arc::clone(engine));
        Ok(TrialRun { setup, program, context, engine, watched: Vec::new(), keys: Vec::new(), params: found })
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub fn params(&self) -> impl Iterator<Item = &FoundParam> {
        self.params.iter().map(|(_, found)| found)
    }

    /// Watches a signal; returns its index among the watched ones. `None` if there is no such signal.
    pub fn watch(&mut self, signal: &SignalKey) -> Option<usize> {
        let output = self.program.output_of(signal)?;
        let known = self.watched.iter().position(|known| *known == output);
        Some(known.unwrap_or_else(|| {
            self.watched.push(output);
            self.keys.push(signal.clone());
            self.watched.len() - 1
        }))
    }

    /// A watched signal by its index.
    pub fn signal(&self, watch: usize) -> Option<&SignalKey> {
        self.keys.get(watch)
    }

    /// The number of watched signals.
    pub fn watched(&self) -> usize {
        self.watched.len()
    }

    /// The program with derivatives of the watched signals by the parameters.
    ///
    /// # Errors
    /// If derivatives are finite differences, the reason.
    pub fn sensitivity(&self) -> Result<Sensitivity, NoSensitivity> {
        let mut wanted = Vec::new();
        for (path, found) in &self.params {
            match &found.place {
                ParamPlace::Text | ParamPlace::TextElement { .. } => return Err(NoSensitivity::Compiled(path.clone())),
                ParamPlace::Context { param, element, .. } => {
                    wanted.push(SensitivityParam { param: param.clone(), element: *element });
                }
            }
        }
        Ok(Sensitivity::new(&self.program, &wanted, &self.watched)?)
    }

    /// Runs a number of steps with values of the parameters. `take` sees the samples of some steps at a time: the watched
    /// signals in order, and with a `sensitivity` then for each of them its derivatives by the parameters.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn run(
        &self,
        values: &[f64],
        (steps, sensitivity): (u64, Option<&Sensitivity>),
        executions: &mut Executions,
        cancel: &Cancel,
        take: &mut dyn FnMut(&Samples),
    ) -> Result<TrialEnd, Cancelled> {
        let params = || self.params.iter().zip(values);
        let texts = set_texts(&self.params, values);
        let mut fresh = Executions::default();
        let (program, mut context, watched, executions) = match texts.is_empty() {
            true => (Arc::clone(&self.program), self.context.clone(), self.watched.clone(), executions),
            false => match self.compiled_with(&texts) {
                Ok((program, context, watched)) => (program, context, watched, &mut fresh),
                Err(failure) => return Ok(TrialEnd::Failed(failure)),
            },
        };
        for ((_, found), value) in params() {
            if let ParamPlace::Context { param, element, values } = &found.place {
                let mut values = values.clone();
                values.iter_mut().skip(*element).take(1).for_each(|to| *to = *value);
                // Another element of the same option may have a value already.
                let ranges = program.param_ranges(param, values.len()).unwrap_or_default();
                if let Some(now) = ranges.into_iter().next().and_then(|range| context.params.get(range)) {
                    for (index, (to, now)) in values.iter_mut().zip(now).enumerate() {
                        *to = if index == *element { *to } else { *now };
                    }
                }
                if let Err(error) = context.set_param(&program, param, &values) {
                    return Ok(TrialEnd::Failed(error.to_string()));
                }
            }
        }
        // Initial states depend on parameters.
        context.reset(&program);
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
                Err(declined) => return Ok(TrialEnd::Failed(declined.to_string())),
            },
        };
        let count = if sensitivity.is_some() { self.params.len() } else { 0 };
        let tangents = (0..watched.len())
            .flat_map(|watched| (0..count).map(move |param| (watched, param)))
            .filter_map(|(watched, param)| sensitivity?.output(watched, param));
        let mut samples = Samples::new(watched.iter().copied().chain(tangents));
        samples.set_cancel(cancel);
        while context.step < steps {
            samples.clear();
            let count = CHUNK.min(steps - context.step);
            let ran = execute.run(&mut context, count, &mut samples);
            if cancel.is_cancelled() {
                return Err(Cancelled);
            }
            take(&samples);
            match ran {
                Err(error) => return Ok(TrialEnd::Failed(error.to_string())),
                Ok(()) if samples.end().is_some() || samples.is_empty() => {
                    let assertion = samples.assertions().last();
                    return Ok(TrialEnd::Stopped(assertion.map(|assertion| assertion.message.clone())));
                }
                Ok(()) => {}
            }
        }
        Ok(TrialEnd::Complete)
    }

    /// Compiles the simulation with other options.
    fn compiled_with(&self, texts: &[String]) -> Result<(Arc<Program>, Context, Vec<OutputId>), String> {
        let mut setup = self.setup.clone();
        setup.set(texts).map_err(|error| error.to_string())?;
        let first =
            |found: Vec<crate::model::Diagnostic>| found.first().map_or(String::new(), |one| one.message.clone());
        let program = Arc::new(setup.compile().map_err(first)?);
        let context = setup.context(&program).map_err(|error| error.to_string())?;
        let watched: Option<Vec<OutputId>> = self.keys.iter().map(|key| program.output_of(key)).collect();
        Ok((program, context, watched.ok_or("a signal is missing")?))
    }
}

/// Returns the settings `PATH=VALUE` of a new program with these values of the parameters: an option whose elements are
/// parameters is set once, with all of its elements.
fn set_texts(params: &[(String, FoundParam)], values: &[f64]) -> Vec<String> {
    let (mut single, mut vectors) = (Vec::new(), BTreeMap::<&str, Vec<String>>::new());
    for ((path, found), value) in params.iter().zip(values) {
        match &found.place {
            ParamPlace::Context { .. } => {}
            ParamPlace::Text => single.push(format!("{path}={value}")),
            ParamPlace::TextElement { option, element, texts } => {
                let all = vectors.entry(option).or_insert_with(|| texts.clone());
                all.iter_mut().skip(*element).take(1).for_each(|text| *text = value.to_string());
            }
        }
    }
    single.into_iter().chain(vectors.iter().map(|(option, texts)| format!("{option}={}", texts.join(",")))).collect()
}
