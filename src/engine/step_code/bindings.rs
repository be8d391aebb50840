//! The copies between the context and the cells.

use super::lower::batch::run;
use super::lower::space::{NONE, UpdateRate};
use super::lower::{Lower, copy};
use super::{Binding, Instruction};
use crate::block::{StateDef, StateKind};
use crate::engine::Unit;

impl Lower<'_> {
    /// Determines the copies between the context and the cells.
    pub(super) fn bind(&mut self) {
        let (code, space) = (&mut self.code, &mut self.space);
        for (index, &cell) in space.params.iter().enumerate() {
            code.params.push(index as u32, cell, 1);
        }
        for (state, &cell) in self.program.states.iter().zip(&space.states) {
            match state.kind {
                StateKind::Discrete => code.discrete.push(state.offset, cell, state.width),
                StateKind::Continuous => code.continuous.push(state.offset, cell, state.width),
                StateKind::History { .. } | StateKind::Record => {}
            }
        }
        for ((number, output), cell) in self.program.outputs.iter().zip(code.outputs.values_mut()) {
            let unit = &self.program.units[output.unit];
            if *cell == NONE {
                *cell = space.take(UpdateRate::Constant, output.width);
                code.unset.push(output.offset, *cell, output.width);
            } else {
                code.values.push(output.offset, *cell, output.width);
                let kernel = self.program.kernel(unit);
                let is_repeated = self.is_repeated[output.unit] || self.iteration_cells.contains_key(&output.unit);
                let is_first = || kernel.outputs[number - unit.first_output].is_first(kernel);
                if unit.subsystem.is_some() || is_repeated && !is_first() {
                    code.lasting.push(output.offset, *cell, output.width);
                }
            }
        }
    }

    /// Returns the held states in the context with the cells of their next values, in the order of the program.
    pub(super) fn next_cells(&self, is_wanted: impl Fn(&Unit, &StateDef) -> bool) -> Vec<Binding> {
        let mut found = Vec::new();
        for unit in self.program.units.values() {
            for (slot, state) in
                self.program.kernel(unit).states.iter().enumerate().filter(|(_, state)| is_wanted(unit, state))
            {
                let number = unit.first_state + slot as u32;
                if let Some(&cell) = self.nexts.get(&number) {
                    let offset = self.program.states[number as usize].offset;
                    found.push(Binding { offset, cell, count: state.width as u32 });
                }
            }
        }
        found
    }

    /// Returns the updates of the states in subsystems that a solver may have started after the major step, which has
    /// left them out. The cells of their next values have the present ones otherwise.
    pub(super) fn switched_commits(&self) -> Vec<Instruction> {
        let switched = self.program.switched_subsystems();
        let mut found = Vec::new();
        for unit in self.program.units.values() {
            if !unit.subsystem.is_some_and(|subsystem| switched[subsystem]) {
                continue;
            }
            for (slot, number) in self.program.states_of(unit).iter().zip(unit.first_state..) {
                if let Some(&next) = self.nexts.get(&number) {
                    found.push(copy(self.space.states[number as usize], run(next, slot.width), slot.width));
                }
            }
        }
        found
    }
}
