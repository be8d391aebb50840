//! Finds the units that matter to a solver, and the values among theirs that it must know of.

use std::collections::BTreeSet;

use super::super::super::{OutputId, OutputMap, Program, UnitId};
use super::super::memory::Layout;
use super::super::sparse::Jacobian;
use super::super::sparsity::Sparsity;
use crate::block::{Clock, Kernel, KernelOutput, Op, Reg, StateKind, Update};
use crate::engine::program::schedule::Schedule;

/// One execution of a unit: of its begin part, or of the rest.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub unit: UnitId,
    pub is_begin: bool,
}

impl Visit {
    pub fn list(self, kernel: &Kernel) -> &[Reg] {
        if self.is_begin { &kernel.begin } else { &kernel.run }
    }

    /// The outputs that this execution sets.
    pub fn published(self, program: &Program) -> impl Iterator<Item = (OutputId, &KernelOutput)> {
        let unit = &program.units[self.unit];
        let kernel = program.kernel(unit);
        let has_inputs = !kernel.inputs.is_empty();
        let all = program.outputs_of(unit).zip(&kernel.outputs);
        all.filter(move |(_, made)| (has_inputs && made.needs.is_empty()) == self.is_begin)
    }
}

/// Returns whether an implicit solver keeps at most `most` numbers for the derivatives of the rates, and for the
/// factors of its matrix.
pub fn is_solvable(program: &Program, most: usize) -> bool {
    let sparsity = Sparsity::within(program, &visits(program), most);
    sparsity.and_then(|sparsity| Jacobian::within(&sparsity.rows, most)).is_some()
}

/// Returns the elements of modes among the discrete states.
pub fn modes(program: &Program) -> Vec<usize> {
    let states =
        program.units.values().flat_map(|unit| program.states_of(unit).iter().zip(&program.kernel(unit).states));
    let modes = states.filter(|(_, state)| state.is_mode());
    modes.flat_map(|(slot, _)| slot.elements()).collect()
}

/// Returns the number of elements of all crossing functions.
fn crossing_count(program: &Program, visits: &[Visit]) -> usize {
    let kernels = visits.iter().filter(|visit| !visit.is_begin).map(|visit| program.kernel(&program.units[visit.unit]));
    kernels.map(|kernel| kernel.crossings.iter().map(|&reg| kernel.width(reg)).sum::<usize>()).sum()
}

/// Returns the sizes of a solver's memory. `visits` are the executions of all units that matter.
pub fn layout(program: &Program, visits: &[Visit]) -> Layout {
    Layout {
        states: program.continuous_count,
        modes: modes(program).len(),
        params: program.params.len(),
        crossings: crossing_count(program, visits),
    }
}

/// Returns the units on which rates, crossing functions, modes, jumps and recorded signals depend, in running order.
pub fn visits(program: &Program) -> Vec<Visit> {
    let mut is_root = program.by_unit(false);
    for (is_root, unit) in is_root.values_mut().zip(program.units.values()) {
        let kernel = program.kernel(unit);
        let matters = |update: &Update| match *update {
            Update::Derivative { .. } | Update::Jump { .. } | Update::Record { .. } => true,
            Update::Next { state, .. } => kernel.states[state].is_mode(),
            _ => false,
        };
        *is_root = !kernel.crossings.is_empty() || kernel.updates.iter().any(matters);
    }
    let is_located = program.located_subsystems();
    let triggered = program.subsystems.iter().filter(|(number, of)| is_located[*number] && of.is_triggered);
    triggered.for_each(|(_, subsystem)| subsystem.units.iter().for_each(|&unit| is_root[unit] = true));
    let held: BTreeSet<OutputId> = program.held_exits().collect();
    for (is_root, unit) in is_root.values_mut().zip(program.units.values()) {
        *is_root |= program.outputs_of(unit).any(|output| held.contains(&output));
    }
    visits_to(program, &|unit| is_root[unit])
}

/// Returns some of the units that run, and all on which they depend, in running order.
pub(super) fn visits_to(program: &Program, is_root: &dyn Fn(UnitId) -> bool) -> Vec<Visit> {
    let mut is_needed = program.by_unit(false);
    let order = Schedule::new(program).running_order(program);
    let mut ahead: Vec<UnitId> = order.iter().copied().filter(|&unit| is_root(unit)).collect();
    while let Some(number) = ahead.pop() {
        if std::mem::replace(&mut is_needed[number], true) {
            continue;
        }
        let unit = &program.units[number];
        let sources = program.sources_of(unit).iter().flatten();
        ahead.extend(sources.map(|&source| program.output_unit(source)));
    }
    let begins = program.units.keys().filter(|&unit| {
        let kernel = program.kernel(&program.units[unit]);
        is_needed[unit] && !kernel.inputs.is_empty() && !kernel.begin.is_empty()
    });
    let runs = order.into_iter().filter(|&unit| is_needed[unit]);
    let begins = begins.map(|unit| Visit { unit, is_begin: true });
    begins.chain(runs.map(|unit| Visit { unit, is_begin: false })).collect()
}

pub(super) fn is_stepwise(program: &Program, visits: &[Visit]) -> bool {
    // Enable conditions are computed in each step.
    let is_conditional = |visit: &Visit| program.units[visit.unit].subsystem.is_some();
    if visits.iter().any(is_conditional) || program.located_subsystems().values().any(|is_located| *is_located) {
        return true;
    }
    let mut outputs: OutputMap<bool> = vec![false; program.outputs.len()].into();
    for visit in visits {
        let unit = &program.units[visit.unit];
        let kernel = program.kernel(unit);
        let mut registers = vec![false; kernel.ops.len()];
        for &reg in if visit.is_begin { &kernel.begin } else { &kernel.run_with_crossings } {
            let op = &kernel.ops[reg as usize];
            registers[reg as usize] = match op {
                Op::Past { .. } => true,
                Op::Clock(clock) => matches!(clock, Clock::StepTime | Clock::Step | Clock::Hit(_) | Clock::Count(_)),
                Op::State(state) => kernel.states[*state as usize].kind == StateKind::Discrete,
                Op::Held(state) => !kernel.states[*state as usize].is_mode(),
                Op::Input(input) => program.source(unit, *input as usize).is_some_and(|source| outputs[source]),
                // Minor steps decide nothing.
                Op::Select { on, no, .. }
                    if matches!(kernel.ops[*on as usize], Op::Clock(Clock::Deciding | Clock::Major)) =>
                {
                    registers[*no as usize]
                }
                // The units of a loop are checked themselves; all of their outputs are read.
                Op::Loop { number, .. } => {
                    program.loops[*number as usize].members.iter().any(|&member| {
                        let kernel = program.kernel(&program.units[member]);
                        let tells = |op: &Op| match op {
                            Op::State(state) => kernel.states[*state as usize].kind == StateKind::Discrete,
                            Op::Past { .. } | Op::Held(_) => true,
                            Op::Clock(clock) => *clock != Clock::Time && *clock != Clock::Delta,
                            _ => false,
                        };
                        kernel.ops.iter().any(tells)
                    }) || op.operands().any(|operand| {
                        matches!(kernel.ops[operand as usize], Op::Input(_)) && registers[operand as usize]
                    })
                }
                op => op.operands().any(|operand| registers[operand as usize]),
            };
        }
        for (output, made) in visit.published(program) {
            outputs[output] = registers[made.reg as usize];
        }
        let is_rate = |update: &Update| match *update {
            Update::Derivative { value, .. } | Update::Record { value, .. } => registers[value as usize],
            _ => false,
        };
        let is_stepwise =
            kernel.updates.iter().any(is_rate) || kernel.crossings.iter().any(|&reg| registers[reg as usize]);
        if !visit.is_begin && is_stepwise {
            return true;
        }
    }
    false
}
