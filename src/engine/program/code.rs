//! The code of blocks in a step: which of its statements ran, and with which values.

use std::sync::Arc;

use super::{Program, Unit};
use crate::block::language::Watched;
use crate::block::{CodeStep, Rate, SampleTime, StateKind, WatchedCode};
use crate::engine::{Context, OutputId, UnitId};

/// Why nothing is known of the code of a block in a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeUnknown {
    #[error("the run has no such code")]
    NoCode,
    #[error("the block did not run in this step: its sample time is {} steps", .0.period)]
    Held(SampleTime),
    #[error("the block did not run in this step: its subsystem was not enabled")]
    Disabled,
    #[error("the block runs several times in a step, in an iterated subsystem")]
    Iterated,
    #[error("the block did not run in this step: an input had no value")]
    Unset,
}

impl Program {
    /// The code of a unit.
    pub fn code_of(&self, unit: UnitId) -> Option<&Arc<WatchedCode>> {
        self.kernel(self.units.get(unit)?).code.as_ref()
    }

    /// The outputs whose values [`Program::watch_code`] needs: those that the unit reads, and those that say whether its
    /// subsystems run.
    pub(in crate::engine) fn code_sources(&self, unit: UnitId) -> Vec<OutputId> {
        let of = &self.units[unit];
        let runs = self.subsystems_around(of).map(|subsystem| self.runs_of(subsystem));
        self.sources_of(of).iter().flatten().copied().chain(runs).collect()
    }

    /// Runs the code of a unit again with the numbers of a step: those of `begin`, the context at its start, and the
    /// values of outputs in it, which are empty where they are not set.
    ///
    /// # Errors
    /// Fails if the block did not run in the step, or more than once.
    pub fn watch_code(
        &self,
        unit: UnitId,
        begin: &Context,
        value: &dyn Fn(OutputId) -> Vec<f64>,
    ) -> Result<Watched, CodeUnknown> {
        let code = self.code_of(unit).ok_or(CodeUnknown::NoCode)?;
        let of = &self.units[unit];
        for subsystem in self.subsystems_around(of) {
            if self.subsystems[subsystem].is_iterated {
                return Err(CodeUnknown::Iterated);
            }
            if !value(self.runs_of(subsystem)).first().is_some_and(|runs| *runs > 0.0) {
                return Err(CodeUnknown::Disabled);
            }
        }
        let rate = self.rates.get(unit).filter(|_| self.kernel(of).rate != Rate::Unsampled);
        if let Some(rate) = rate.filter(|rate| !rate.is_hit(begin.step)) {
            return Err(CodeUnknown::Held(rate));
        }
        let input = |source: &Option<OutputId>| source.map(value).filter(|values| !values.is_empty());
        let inputs: Option<Vec<Vec<f64>>> = self.sources_of(of).iter().map(input).collect();
        let inputs = inputs.ok_or(CodeUnknown::Unset)?;
        let states = self.states_of(of).iter().map(|slot| match slot.kind {
            StateKind::Discrete => begin.discrete.get(slot.elements()).unwrap_or_default().to_vec(),
            StateKind::Continuous => begin.continuous.get(slot.elements()).unwrap_or_default().to_vec(),
            StateKind::History { .. } | StateKind::Record => Vec::new(),
        });
        let states: Vec<Vec<f64>> = states.collect();
        let is_first = match code.first.and_then(|first| states.get(first)) {
            Some(first) => first.first() == Some(&1.0),
            None if of.subsystem.is_some() => self.outputs_of(of).all(|output| begin.output(self, output).is_empty()),
            None => rate.map_or(begin.step == 0, |rate| begin.step < rate.period + rate.offset),
        };
        let step = if is_first { CodeStep::First } else { CodeStep::Later };
        let param = |index: usize| {
            let params = &self.kernel(of).params;
            let number = params.iter().position(|(known, _)| *known == index)?;
            let before: usize = params[..number].iter().map(|(_, width)| width).sum();
            let first = of.first_param as usize + before;
            begin.params.get(first..first + params[number].1).map(<[f64]>::to_vec)
        };
        Ok(code.step(&inputs, &param, &states, begin.time(self), step))
    }

    /// The subsystems that contain a unit, from the inside out.
    fn subsystems_around(&self, unit: &Unit) -> impl Iterator<Item = crate::engine::SubsystemId> + '_ {
        std::iter::successors(unit.subsystem, |subsystem| self.subsystems[*subsystem].parent)
    }
}
