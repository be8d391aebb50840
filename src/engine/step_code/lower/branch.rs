//! Conditional and iterated subsystems as branches: instruction lists that a single instruction of the step executes.
//!
//! The results of a subsystem are in cells that nothing else writes, so that they keep their values while it does not
//! run.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::batch::{Value, run};
use super::minor_steps::StateRate;
use super::space::{NONE, UpdateRate};
use super::{Epilogue, Lower, SubsystemContext, copy};
use crate::block::{Binary, Clock, StateKind};
use crate::engine::step_code::{Branch, CellRange, Instruction, Opcode, Operand, Repeat, StepCode};
use crate::engine::{OutputId, SubsystemId, UnitId};

impl Lower<'_> {
    /// Generates a subsystem, after its enable condition.
    pub(in crate::engine::step_code) fn subsystem(&mut self, number: SubsystemId) {
        let subsystem = &self.program.subsystems[number];
        let runs = self.program.runs_of(number);
        let (guard, anew) = (self.code.outputs[runs], self.code.outputs[runs + 1]);
        let iteration = subsystem.is_iterated.then(|| self.space.take(UpdateRate::MajorStep, 1));
        let most = if subsystem.is_iterated { UpdateRate::MajorStep } else { self.within.most };
        let mark = self.space.mark();
        let outer_ends = std::mem::take(&mut self.ends);
        let outer = std::mem::take(&mut self.code.step);
        let runs = self.runs_within(iteration);
        let within = SubsystemContext { subsystem: Some(number), is_conditional: true, most, iteration, runs, mark };
        let around = std::mem::replace(&mut self.within, within);
        let executed = std::mem::take(&mut self.code.executed);
        self.begin(Some(number));
        self.run(Some(number));
        let ends = std::mem::replace(&mut self.ends, outer_ends);
        let (is_major, executed_inside) = (subsystem.is_iterated, self.code.executed);
        let mut branch = Branch { guard, is_major, executed: executed_inside, ..Branch::default() };
        self.code.executed = executed;
        self.rates(&mut branch, &ends);
        let mut body = std::mem::replace(&mut self.code.step, outer);
        self.ends_of(guard, ends, subsystem.is_iterated.then_some(&mut body));
        self.within = around;
        branch.body = body;
        branch.repeat = iteration.map(|iteration| {
            let condition = subsystem.condition.map(|output| self.code.outputs[output]);
            // A condition that is never computed is false.
            let never = self.space.constant(0.0).cell(&[], 0);
            let condition = condition.map(|cell| if cell == NONE { never } else { cell });
            Repeat { iteration, condition, subsystem: number }
        });
        for exit in &subsystem.exits {
            let width = self.program.outputs[exit.output].width;
            let cell = &mut self.code.outputs[exit.output];
            // Nothing is connected: it keeps its initial value, but can be read.
            if *cell == NONE {
                *cell = self.space.take(UpdateRate::MajorStep, width);
                self.update_rates[exit.output] = UpdateRate::MajorStep;
            }
            branch.held.push(CellRange::new(*cell, width));
            if exit.idle_resets {
                self.idle(exit.output, &mut branch.otherwise);
            }
        }
        // The cells of the nested subsystems are known only now.
        if subsystem.can_reset {
            self.begin_anew(number, anew);
        }
        let ins = self.branch(branch);
        self.code.step.push(ins);
    }

    /// Generates the number of the run of all iterated subsystems, within one whose own is in the cell `iteration`, and
    /// returns its cell.
    fn runs_within(&mut self, iteration: Option<u32>) -> Option<u32> {
        let (Some(own), Some(outer)) = (iteration, self.within.runs) else { return iteration.or(self.within.runs) };
        let [above, runs] = [0; 2].map(|_| self.space.take(UpdateRate::MajorStep, 1));
        let of_level = self.space.constant(Clock::RUNS_OF_LEVEL);
        let mut push = |op, dst, args| {
            self.code.step.push(Instruction { opcode: Opcode::Binary(op), elements: 1, dst, args });
        };
        let nothing = Operand::Broadcast(0);
        push(Binary::Mul, above, [Operand::Broadcast(outer), of_level, nothing]);
        push(Binary::Add, runs, [Operand::Broadcast(above), Operand::Broadcast(own), nothing]);
        Some(runs)
    }

    /// Generates the instructions that set an exit to its initial value.
    fn idle(&mut self, output: OutputId, list: &mut Vec<Instruction>) {
        let unit = self.program.outputs[output].unit;
        let kernel = self.program.kernel(&self.program.units[unit]);
        let units = [unit];
        let batch = self.write(kernel, &units, &kernel.idle);
        for (made, number) in kernel.outputs.iter().zip(self.program.outputs_of(&self.program.units[unit])) {
            let cell = self.code.outputs[number];
            if let Some(idle) = made.idle
                && cell != NONE
            {
                list.push(copy(cell, batch.value(idle).arg, made.width as u32));
            }
        }
    }

    /// Adds a branch and returns the instruction that executes it.
    pub(in crate::engine::step_code) fn branch(&mut self, branch: Branch) -> Instruction {
        self.branches.push(branch);
        let number = self.branches.len() as u32 - 1;
        Instruction { opcode: Opcode::Branch(number), elements: 0, dst: 0, args: [Operand::Broadcast(0); 3] }
    }

    /// Gives rates of change cells of their own, which are 0 in a step without a run.
    pub(in crate::engine::step_code) fn rates(&mut self, branch: &mut Branch, ends: &Epilogue) {
        for rate in &ends.rates {
            let cells = self.space.take(UpdateRate::MinorStep, rate.elements);
            self.code.step.push(copy(cells, rate.value.arg, rate.elements));
            branch.otherwise.push(copy(cells, self.space.constant(0.0), rate.elements));
            branch.held.push(CellRange::new(cells, rate.elements));
            let value = Value { arg: run(cells, rate.elements), update_rate: UpdateRate::MinorStep };
            self.ends.rates.push(StateRate { value, first: value.arg, ..*rate });
        }
    }

    /// Generates the state updates of a subsystem that ran: of an iterated one at the end of each run, otherwise
    /// together with those of the surrounding subsystem.
    pub(in crate::engine::step_code) fn ends_of(
        &mut self,
        guard: u32,
        ends: Epilogue,
        run_end: Option<&mut Vec<Instruction>>,
    ) {
        let Epilogue { jumps, commits, limits, pushes, rates: _ } = ends;
        // The values to push were copied before states change.
        let last: Vec<Instruction> = pushes.into_iter().chain(commits).chain(limits).collect();
        if let Some(body) = run_end {
            body.extend(last);
            return;
        }
        if !jumps.is_empty() {
            let ins = self.branch(Branch { guard, body: jumps, ..Branch::default() });
            self.ends.jumps.push(ins);
        }
        if !last.is_empty() {
            let ins = self.branch(Branch { guard, body: last, ..Branch::default() });
            self.ends.commits.push(ins);
        }
    }

    /// Generates the reset of all states of a subsystem, nested ones included, to their initial values if the cell
    /// `anew` is 1.
    fn begin_anew(&mut self, number: SubsystemId, anew: u32) {
        let outer = std::mem::take(&mut self.code.step);
        for unit in self.program.units.keys() {
            let subsystem = self.program.units[unit].subsystem;
            if subsystem.is_some() && self.program.is_within(subsystem, number) {
                self.begin_unit(unit);
                if subsystem != Some(number) {
                    self.begin_exit(unit);
                }
            }
        }
        let body = std::mem::replace(&mut self.code.step, outer);
        if !body.is_empty() {
            let ins = self.branch(Branch { guard: anew, is_major: true, body, ..Branch::default() });
            self.code.step.push(ins);
        }
    }

    /// Generates [`StepCode::init`].
    pub(in crate::engine::step_code) fn initial_values(&mut self) {
        let outer = std::mem::take(&mut self.code.step);
        for unit in self.program.units.keys() {
            self.begin_unit(unit);
            self.begin_exit(unit);
        }
        self.code.init = std::mem::replace(&mut self.code.step, outer);
    }

    /// Generates the initial states of a unit.
    fn begin_unit(&mut self, number: UnitId) {
        let unit = &self.program.units[number];
        let kernel = self.program.kernel(unit);
        let units = [number];
        let batch = self.write(kernel, &units, &kernel.init);
        for (slot, state) in kernel.states.iter().enumerate() {
            let (value, elements) = (batch.value(state.initial).arg, state.width as u32);
            let ins = match state.kind {
                StateKind::History { .. } => {
                    let opcode = Opcode::Fill(batch.ring(slot, self.program));
                    Instruction {
                        opcode,
                        elements,
                        dst: 0,
                        args: [value, Operand::Broadcast(0), Operand::Broadcast(0)],
                    }
                }
                StateKind::Record => continue,
                _ => copy(self.space.states[unit.first_state as usize + slot], value, elements),
            };
            self.code.step.push(ins);
        }
    }

    /// Generates the initial value of an exit that holds its value.
    fn begin_exit(&mut self, number: UnitId) {
        let unit = &self.program.units[number];
        if self.program.kernel(unit).is_held_exit() {
            let mut list = Vec::new();
            self.idle(unit.first_output, &mut list);
            self.code.step.append(&mut list);
        }
    }
}

/// Determines the cells that each branch reads and writes; inner branches have lower numbers than the outer ones.
pub(in crate::engine::step_code) fn trace(code: &mut StepCode) {
    for number in 0..code.branches.len() {
        let branch = &code.branches[number];
        let mut writes = BTreeSet::new();
        let mut reads = BTreeSet::from([branch.guard]);
        for ins in branch.body.iter().chain(&branch.otherwise) {
            code.each_read(ins, |cell, _| {
                reads.insert(cell);
            });
            writes.extend(code.writes(ins));
        }
        if let Some(repeat) = branch.repeat {
            writes.insert(repeat.iteration);
            reads.extend(repeat.condition);
        }
        reads.extend(branch.again.iter().map(|(cell, _)| cell));
        reads.extend(&writes);
        let [reads, writes] = [reads, writes].map(|cells| CellRange::all(&Vec::from_iter(cells)));
        let branch = &mut Arc::make_mut(&mut code.branches)[number];
        (branch.reads, branch.writes) = (reads, writes);
    }
}
