//! A simulation with parameters to choose and requirements that its runs must meet, compiled.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::checks::{check_blocks, with_margins};
use super::monitor::{Monitor, Watched};
use super::{Condition, Figure, Requirement};
use crate::engine::{Cancel, Engine, RunSetup, Samples, SelectedSignal};
use crate::model::{BlockAddress, EditError, SignalError};
use crate::optimize::Cancelled;
use crate::trial::{Executions, FreeParam, ScaledParam, TrialEnd, TrialError, TrialRun, all_elements};

/// The question of a study: parameters, requirements and an objective.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    pub params: Vec<FreeParam>,
    /// Uncertain parameters with their tolerances. Requirements must hold for the values of the file and for all combinations
    /// of bounds.
    pub uncertain: Vec<FreeParam>,
    pub requirements: Vec<Requirement>,
    /// Whether the check blocks of the simulation are requirements, too.
    pub has_checks: bool,
    pub objective: Option<Objective>,
    /// Signals whose curves are wanted beside those of requirements.
    pub drawn: Vec<String>,
    /// The reference curves of the requirements by their sources: times in seconds and values.
    pub references: BTreeMap<String, Vec<(f64, f64)>>,
    /// Steps of a run; `None`: those of the file.
    pub steps: Option<u64>,
}

/// A figure that is to be small or large.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    pub figure: Figure,
    pub signal: String,
    pub is_maximized: bool,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    #[error("there are no parameters to choose")]
    NoParam,
    #[error("there is nothing to require: the simulation has no check blocks, and there is no other requirement")]
    NoRequirement,
    #[error("{0} needs bounds, as in {0}=0:10")]
    Bounds(String),
    #[error("{0}: there is nothing to choose between its bounds and the limits of the block")]
    NoRange(String),
    #[error("{0}: the lower bound of a logarithmic parameter must be above 0")]
    LogBound(String),
    #[error("the number of steps is 0, which means until stopped: choose one")]
    Endless,
    #[error("{0} parameters with tolerances have more than {MAX_SCENARIOS} combinations of bounds")]
    TooManyTolerances(usize),
    #[error("{0}: the reference curve has no values in the time of the run")]
    NoReference(String),
    #[error(transparent)]
    Signal(#[from] SignalError),
    #[error(transparent)]
    Trial(#[from] TrialError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// The largest number of combinations of tolerances.
const MAX_SCENARIOS: usize = 1 << 10;
/// How close to a step, in step lengths, a time is on it.
const ON_STEP: f64 = 1e-6;

/// A simulation with parameters to choose and requirements that its runs must meet, compiled.
pub struct Study {
    pub(super) params: Vec<StudyParam>,
    pub(super) requirements: Vec<StudyRequirement>,
    pub(super) trial: TrialRun,
    /// Values of the uncertain parameters; the first ones are those of the file.
    pub(super) scenarios: Vec<Vec<f64>>,
    pub(super) objective: Option<(Figure, usize, bool)>,
    /// Watched signals whose curves are wanted beside those of requirements.
    pub(super) drawn: Vec<usize>,
    pub(super) steps: u64,
    pub(super) delta: f64,
}

/// A parameter to choose.
pub(super) struct StudyParam {
    pub path: String,
    pub scaled: ScaledParam,
}

/// A requirement with the signals that it watches.
pub(super) struct StudyRequirement {
    pub name: String,
    /// The check block that it is.
    pub check: Option<BlockAddress>,
    pub any: Vec<Watched>,
}

/// The result of the runs with certain values of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// One for each requirement, of the worst scenario.
    pub met: Vec<Met>,
    /// The figure of the objective in the worst scenario.
    pub objective: Option<f64>,
    /// Why a run failed.
    pub failure: Option<String>,
}

/// Whether a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// How far from a violation, in the unit of the signal; below 0 where it is violated.
    pub margin: f64,
    /// The margin as a part of the bound.
    pub relative: f64,
    /// The step of the violation.
    pub violated_at: Option<u64>,
}

impl Study {
    /// Compiles a simulation for a question about it. `engine` executes the runs.
    ///
    /// # Errors
    /// If the simulation is invalid, a signal or a parameter does not exist, or the question is incomplete.
    pub fn new(setup: &RunSetup, question: &Question, engine: &Arc<dyn Engine>) -> Result<Study, StudyError> {
        if question.params.is_empty() {
            return Err(StudyError::NoParam);
        }
        let study = Study::simulation(setup, question, engine)?;
        if study.requirements.is_empty() && study.objective.is_none() {
            return Err(StudyError::NoRequirement);
        }
        Ok(study)
    }

    /// Compiles a simulation for runs with its own values. There may be neither parameters nor requirements.
    ///
    /// # Errors
    /// If the simulation is invalid, or a signal or a parameter does not exist.
    pub fn simulation(setup: &RunSetup, question: &Question, engine: &Arc<dyn Engine>) -> Result<Study, StudyError> {
        let chosen = all_elements(&question.params, setup)?;
        let open = all_elements(&question.uncertain, setup)?;
        let all = || chosen.iter().chain(&open);
        let is_open = |param: &&FreeParam| !(param.low.is_finite() && param.high.is_finite());
        if let Some(param) = all().find(is_open) {
            return Err(StudyError::Bounds(param.path.clone()));
        }
        let paths: Vec<&str> = all().map(|param| &*param.path).collect();
        let is_twice = |(index, path): &(usize, &&str)| paths.iter().take(*index).any(|known| known == *path);
        if let Some((_, twice)) = paths.iter().enumerate().find(is_twice) {
            return Err(TrialError::Twice((*twice).to_owned()).into());
        }
        let setup = if question.has_checks { with_margins(setup)? } else { setup.clone() };
        let mut trial = TrialRun::new(setup.clone(), &paths, engine)?;
        let program = Arc::clone(trial.program());
        let steps = question.steps.unwrap_or(program.steps);
        if steps == 0 {
            return Err(StudyError::Endless);
        }
        let mut scaled = Vec::new();
        for (param, found) in all().zip(trial.params()) {
            let one = ScaledParam::new(param, found)?;
            match one.bounds {
                (low, _) if !low.is_finite() => return Err(StudyError::LogBound(param.path.clone())),
                (low, high) if low >= high => return Err(StudyError::NoRange(param.path.clone())),
                _ => scaled.push(one),
            }
        }
        let uncertain = scaled.split_off(chosen.len());
        let scenarios = scenarios(&uncertain)?;
        let named = chosen.iter().zip(scaled);
        let params = named.map(|(param, scaled)| StudyParam { path: param.path.clone(), scaled }).collect();
        let mut signals = Signals { setup: &setup, trial: &mut trial, all: OnceCell::new() };
        let mut requirements = Vec::new();
        for requirement in &question.requirements {
            let watched = |condition| signals.watched(condition, question, steps);
            let any = requirement.any.iter().map(watched).collect::<Result<Vec<_>, _>>()?;
            requirements.push(StudyRequirement { name: requirement.text.clone(), check: None, any });
        }
        let objective = match &question.objective {
            Some(objective) => Some((objective.figure, signals.watch(&objective.signal)?, objective.is_maximized)),
            None => None,
        };
        let drawn = question.drawn.iter().map(|signal| signals.watch(signal)).collect::<Result<Vec<_>, _>>()?;
        let checks = if question.has_checks { check_blocks(setup.simulation(), &program) } else { Vec::new() };
        for check in checks {
            if let (Some(passes), Some(margin)) = (trial.watch(&check.passes), trial.watch(&check.margin)) {
                let any = vec![Watched::Check { passes, margin }];
                requirements.push(StudyRequirement { name: check.name, check: Some(check.block), any });
            }
        }
        let delta = program.delta;
        Ok(Study { params, requirements, trial, scenarios, objective, drawn, steps, delta })
    }

    /// The paths of the parameters.
    pub fn params(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(|param| &*param.path)
    }

    /// The names of the requirements: their texts, or the check blocks.
    pub fn requirements(&self) -> impl Iterator<Item = &str> {
        self.requirements.iter().map(|requirement| &*requirement.name)
    }

    /// The values of the parameters in the file.
    pub fn initial(&self) -> Vec<f64> {
        self.params.iter().map(|param| param.scaled.start).collect()
    }

    /// Whether a value of a parameter is within its bounds.
    pub(super) fn is_within(&self, param: usize, value: f64) -> bool {
        self.params.get(param).is_some_and(|param| {
            let (at, (low, high)) = (param.scaled.scale.coordinate(value), param.scaled.bounds);
            at >= low && at <= high
        })
    }

    /// The time of the last step in seconds.
    pub fn seconds(&self) -> f64 {
        self.time(self.steps.saturating_sub(1))
    }

    /// The time of a step in seconds.
    pub fn time(&self, step: u64) -> f64 {
        step as f64 * self.delta
    }

    /// Whether the figure of the objective is to be large; `None` without an objective.
    pub(super) fn is_maximized(&self) -> Option<bool> {
        self.objective.map(|(_, _, is_maximized)| is_maximized)
    }

    /// Runs the simulation with values of the parameters, in all scenarios.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn evaluate(&self, values: &[f64], cancel: &Cancel) -> Result<Evaluation, Cancelled> {
        self.evaluate_with(values, &mut Executions::default(), cancel)
    }

    /// The same with executions that are used again.
    pub(super) fn evaluate_with(
        &self,
        values: &[f64],
        executions: &mut Executions,
        cancel: &Cancel,
    ) -> Result<Evaluation, Cancelled> {
        let mut worst: Option<Evaluation> = None;
        for scenario in &self.scenarios {
            let all: Vec<f64> = values.iter().chain(scenario).copied().collect();
            let one = self.run(&all, executions, cancel, &mut |_| ())?;
            let is_over = one.failure.is_some();
            worst = Some(match worst {
                None => one,
                Some(worst) => worst.worse(one, self.is_maximized() == Some(true)),
            });
            if is_over {
                break;
            }
        }
        Ok(worst.unwrap_or(Evaluation { met: Vec::new(), objective: None, failure: None }))
    }

    /// Runs one scenario. `look` sees its samples, too.
    pub(super) fn run(
        &self,
        values: &[f64],
        executions: &mut Executions,
        cancel: &Cancel,
        look: &mut dyn FnMut(&Samples),
    ) -> Result<Evaluation, Cancelled> {
        // The margin of a figure to 0 is the figure.
        let figure = self.objective.map(|(figure, watch, _)| Watched::Figure {
            watch,
            figure,
            relation: super::Relation::AtLeast,
            bound: 0.0,
        });
        let mut followed: Vec<Vec<Monitor>> =
            self.requirements.iter().map(|one| one.any.iter().map(Monitor::new).collect()).collect();
        let mut objective = figure.as_ref().map(Monitor::new);
        let mut taken = 0;
        let mut take = |samples: &Samples| {
            taken = samples.first() + samples.len() as u64;
            look(samples);
            followed.iter_mut().flatten().chain(&mut objective).for_each(|monitor| monitor.take(samples));
        };
        let end = self.trial.run(values, (self.steps, None), executions, cancel, &mut take)?;
        let failure = match end {
            TrialEnd::Failed(failure) => Some(failure),
            TrialEnd::Complete | TrialEnd::Stopped(_) => None,
        };
        let at = (self.delta, taken.saturating_sub(1));
        let met = self.requirements.iter().zip(followed).map(|(requirement, monitors)| {
            let verdicts = requirement.any.iter().zip(monitors).map(|(watched, monitor)| {
                let verdict = monitor.end(at);
                let relative = verdict.margin / watched.scale();
                Met { margin: verdict.margin, relative, violated_at: verdict.violated_at }
            });
            // One of the conditions is enough.
            verdicts.reduce(Met::better).unwrap_or(Met { margin: 0.0, relative: 0.0, violated_at: None })
        });
        let met = met.collect();
        Ok(Evaluation { met, objective: objective.map(|monitor| monitor.end(at).margin), failure })
    }
}

impl Met {
    fn better(self, other: Met) -> Met {
        let wins = match (self.violated_at, other.violated_at) {
            (None, Some(_)) => true,
            (Some(_), None) => false,
            _ => self.relative >= other.relative || other.relative.is_nan(),
        };
        if wins { self } else { other }
    }

    fn worse(self, other: Met) -> Met {
        let loses = match (self.violated_at, other.violated_at) {
            (None, Some(_)) => false,
            (Some(_), None) => true,
            _ => self.relative <= other.relative || self.relative.is_nan(),
        };
        if loses { self } else { other }
    }
}

impl Evaluation {
    /// Whether the runs were complete and met all requirements.
    pub fn is_met(&self) -> bool {
        self.failure.is_none() && self.met.iter().all(|met| met.violated_at.is_none())
    }

    pub(super) fn worse(self, other: Evaluation, is_maximized: bool) -> Evaluation {
        let met = self.met.into_iter().zip(other.met).map(|(one, other)| one.worse(other)).collect();
        let worse = |one: f64, other: f64| if is_maximized { one.min(other) } else { one.max(other) };
        let objective = self.objective.zip(other.objective).map(|(one, other)| worse(one, other));
        Evaluation { met, objective, failure: self.failure.or(other.failure) }
    }
}

/// Returns the values of the file and all combinations of bounds.
fn scenarios(uncertain: &[ScaledParam]) -> Result<Vec<Vec<f64>>, StudyError> {
    let count = u32::try_from(uncertain.len()).ok().and_then(|count| 1_usize.checked_shl(count));
    let too_many = || StudyError::TooManyTolerances(uncertain.len());
    let count = count.filter(|count| *count <= MAX_SCENARIOS).ok_or_else(too_many)?;
    let mut all = vec![uncertain.iter().map(|param| param.start).collect()];
    if !uncertain.is_empty() {
        all.extend((0..count).map(|corner| {
            let bound = |(index, param): (usize, &ScaledParam)| {
                let (low, high) = param.bounds;
                param.scale.value(if corner >> index & 1 == 0 { low } else { high })
            };
            uncertain.iter().enumerate().map(bound).collect::<Vec<f64>>()
        }));
    }
    Ok(all)
}

/// Finds the signals of conditions.
struct Signals<'a> {
    setup: &'a RunSetup,
    trial: &'a mut TrialRun,
    all: OnceCell<Vec<SelectedSignal>>,
}

impl Signals<'_> {
    fn watch(&mut self, name: &str) -> Result<usize, StudyError> {
        let program = Arc::clone(self.trial.program());
        let found = self.setup.signals(&[name], &program, &self.all)?;
        let key = found.into_iter().next().ok_or_else(|| SignalError::Malformed(name.to_owned()))?.key;
        self.trial.watch(&key).ok_or_else(|| SignalError::Malformed(name.to_owned()).into())
    }

    fn watched(&mut self, condition: &Condition, question: &Question, steps: u64) -> Result<Watched, StudyError> {
        let delta = self.trial.program().delta;
        Ok(match condition {
            Condition::Value { signal, relation, bound, when, window } => {
                let first = (window.0 / delta - ON_STEP).ceil().max(0.0) as u64;
                let last = (window.1 / delta + ON_STEP).floor().max(0.0) as u64;
                let watch = self.watch(signal)?;
                Watched::Value { watch, relation: *relation, bound: *bound, when: *when, steps: (first, last) }
            }
            Condition::Figure { figure, signal, relation, bound } => {
                Watched::Figure { watch: self.watch(signal)?, figure: *figure, relation: *relation, bound: *bound }
            }
            Condition::Follows { signal, source, tolerance } => {
                let known = question.references.get(source).map_or(&[][..], |known| known);
                let (first, reference) = at_steps(known, delta, steps);
                if reference.is_empty() {
                    return Err(StudyError::NoReference(source.clone()));
                }
                Watched::Follows { watch: self.watch(signal)?, first, reference, tolerance: *tolerance }
            }
        })
    }
}

/// Returns the values of a curve at the steps within its time, on straight lines between its points, and the first of
/// these steps. The times ascend.
fn at_steps(curve: &[(f64, f64)], delta: f64, steps: u64) -> (u64, Vec<f64>) {
    let (Some(begin), Some(end)) = (curve.first(), curve.last()) else { return (0, Vec::new()) };
    let first = (begin.0 / delta - ON_STEP).ceil().max(0.0) as u64;
    let last = (end.0 / delta + ON_STEP).floor();
    if last < first as f64 {
        return (first, Vec::new());
    }
    let last = (last as u64).min(steps.saturating_sub(1));
    let mut after = 0;
    let value = |step: u64| {
        let time = step as f64 * delta;
        while curve.get(after).is_some_and(|point| point.0 < time) {
            after += 1;
        }
        let to = curve.get(after).unwrap_or(end);
        let from = after.checked_sub(1).and_then(|index| curve.get(index)).unwrap_or(to);
        let part = if to.0 > from.0 { ((time - from.0) / (to.0 - from.0)).clamp(0.0, 1.0) } else { 1.0 };
        from.1 + (to.1 - from.1) * part
    };
    (first, (first..=last).map(value).collect())
}
