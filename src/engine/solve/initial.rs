//! The values of a run before its first step.

use super::interpret::{Env, Interpreter};
use crate::block::StateKind;
use crate::engine::program::record::Record;
use crate::engine::{Context, Program, UNSET, Unit};

impl Context {
    /// Goes back to before the first step; parameters stay as they are.
    pub fn reset(&mut self, program: &Program) {
        self.step = 0;
        self.executed = 0;
        self.solver.clear();
        let refill = |values: &mut Vec<f64>, count, value| {
            values.clear();
            values.resize(count, value);
        };
        refill(&mut self.values, program.value_count, UNSET);
        refill(&mut self.discrete, program.discrete_count, 0.0);
        refill(&mut self.continuous, program.continuous_count, 0.0);
        refill(&mut self.history, program.history_count, 0.0);
        self.records = program.new_records();
        let mut interpreter = Interpreter::new(program);
        for unit in program.units.values() {
            self.begin_states(program, unit, &mut interpreter);
        }
        let mut values = std::mem::take(&mut self.values);
        for unit in program.units.values() {
            idle_values(program, unit, &mut interpreter, self, &mut values);
        }
        self.values = values;
    }

    /// Gives a unit's states their initial values.
    pub(in crate::engine) fn begin_states(&mut self, program: &Program, unit: &Unit, interpreter: &mut Interpreter) {
        let kernel = program.kernel(unit);
        interpreter.run(kernel, &kernel.init, &Env::of_parameters(program, unit, self));
        for (state, slot) in kernel.states.iter().zip(&program.states[unit.first_state as usize..]) {
            let initial = interpreter.value(kernel, state.initial);
            let (offset, width) = (slot.offset as usize, slot.width as usize);
            let (kept, copies) = match slot.kind {
                StateKind::Discrete => (&mut self.discrete, 1),
                StateKind::Continuous => (&mut self.continuous, 1),
                StateKind::History { length } => (&mut self.history, length),
                StateKind::Record => {
                    self.records[slot.offset as usize] = Record::new(slot.width as usize);
                    continue;
                }
            };
            // The index of the slot that a ring writes next stands behind it.
            let filled = &mut kept[offset..][..width * copies];
            match initial {
                [element] => filled.fill(*element),
                elements => filled.iter_mut().zip(elements.iter().cycle()).for_each(|(to, from)| *to = *from),
            }
        }
    }
}

/// Sets those of a unit's outputs that have a value before their conditional subsystem has run.
pub(in crate::engine) fn idle_values(
    program: &Program,
    unit: &Unit,
    interpreter: &mut Interpreter,
    context: &Context,
    values: &mut [f64],
) {
    let kernel = program.kernel(unit);
    if kernel.idle.is_empty() {
        return;
    }
    interpreter.run(kernel, &kernel.idle, &Env::of_parameters(program, unit, context));
    for (made, output) in kernel.outputs.iter().zip(program.outputs_of(unit)) {
        let Some(idle) = made.idle else { continue };
        let elements = interpreter.value(kernel, idle).iter().cycle();
        values[program.outputs[output].elements()].iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
    }
}
