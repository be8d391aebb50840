//! Why blocks did not run in a step.

use super::super::{Program, SubsystemMap, Unit, UnitId};
use crate::engine::reference::Recorder;
use crate::model::BlockAddress;

/// A block that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    pub reason: IdleReason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdleReason {
    /// Nothing is connected to this input.
    Unconnected { input: String },
    /// This input was not set, because the block that feeds it did not run.
    Waits { input: String, source: BlockAddress },
    /// The conditional or iterated model block around it did not run.
    Subsystem { model_block: BlockAddress },
    /// It iterates within the step, and its number of iterations was 0.
    NoIterations,
    /// The step ended before it could run.
    Ended,
}

pub fn idle(program: &Program, recorder: &Recorder) -> Vec<Idle> {
    let Some(pass) = recorder.passes.first() else { return Vec::new() };
    let mut has_run = program.by_unit(false);
    pass.runs.iter().filter(|run| !run.is_begin()).for_each(|run| has_run[run.unit] = true);
    let mut was_entered = program.by_subsystem(false);
    pass.entered.iter().for_each(|&subsystem| was_entered[subsystem] = true);
    let seen = program.units.iter().filter(|(_, unit)| program.is_seen(unit));
    let idle = seen.filter(|(number, _)| !has_run[*number]);
    idle.map(|(number, unit)| {
        let reason = reason(program, recorder, &was_entered, number, unit);
        Idle { block: program.block_of(number), reason }
    })
    .collect()
}

fn reason(
    program: &Program,
    recorder: &Recorder,
    was_entered: &SubsystemMap<bool>,
    number: UnitId,
    unit: &Unit,
) -> IdleReason {
    let inputs = unit.first_input as usize..unit.first_input as usize + program.kernel(unit).inputs.len();
    let name = |index: usize| program.input_name(number, index - unit.first_input as usize).to_owned();
    if let Some(index) = inputs.clone().find(|&index| program.sources[index].is_none()) {
        return IdleReason::Unconnected { input: name(index) };
    }
    if let Some(subsystem) = unit.subsystem.filter(|&subsystem| !was_entered[subsystem]) {
        return IdleReason::Subsystem { model_block: program.block_of(program.subsystems[subsystem].enable_unit) };
    }
    // A failed step does not record which inputs were set.
    let is_set = |index: &usize| recorder.is_set.get(*index).copied().unwrap_or(true);
    match inputs.clone().find(|index| !is_set(index)) {
        Some(index) => {
            let source = program.sources[index].map_or(number, |source| program.outputs[source].unit);
            IdleReason::Waits { input: name(index), source: program.block_of(source) }
        }
        None if program.kernel(unit).iterations.is_some() => IdleReason::NoIterations,
        None => IdleReason::Ended,
    }
}
