//! Generates the instructions of one kernel, for one unit or for many equal scalar units at once, one element each.

use std::collections::HashMap;

use super::space::{Space, UpdateRate};
use crate::block::{Binary, Clock, Kernel, Op, Reg, StateKind};
use crate::engine::step_code::{Instruction, Opcode, Operand, Ring, StepCode};
use crate::engine::{OutputId, OutputMap, Program, UnitId};

/// An operand and how often it changes.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::step_code) struct Value {
    pub arg: Operand,
    pub update_rate: UpdateRate,
}

/// The step code being written, and the tables needed to write it.
pub(in crate::engine::step_code) struct Out<'a> {
    pub program: &'a Program,
    pub space: &'a mut Space,
    pub code: &'a mut StepCode,
    /// For each output its update rate.
    pub update_rates: &'a mut OutputMap<UpdateRate>,
    /// For the cell of each copy of a held discrete state, the cell that minor steps read instead.
    pub helds: &'a mut HashMap<u32, u32>,
    /// For each state the first cell of its next value, if it is read before the end of the step.
    pub nexts: &'a HashMap<u32, u32>,
    /// The cell of the iteration number, in an iterated subsystem.
    pub iteration: Option<u32>,
    pub runs: Option<u32>,
    /// The maximum update rate of a result: an iterated subsystem does not run in minor steps.
    pub most: UpdateRate,
}

/// One or more units of a kernel; more than one only if all values are scalar.
pub(in crate::engine::step_code) struct Batch<'a> {
    pub kernel: &'a Kernel,
    pub units: &'a [UnitId],
    values: Vec<Option<Value>>,
}

/// Sums of fewer terms than this are not combined.
const SHORT_SUM: usize = 8;

impl<'a> Batch<'a> {
    pub fn new(kernel: &'a Kernel, units: &'a [UnitId]) -> Batch<'a> {
        Batch { kernel, units, values: vec![None; kernel.ops.len()] }
    }

    /// Returns the number of elements of a register over all units.
    fn elements(&self, reg: Reg) -> u32 {
        match self.units {
            [_] => self.kernel.width(reg) as u32,
            units => units.len() as u32,
        }
    }

    /// Returns the value of a register that was generated before.
    pub fn value(&self, reg: Reg) -> Value {
        match self.values[reg as usize] {
            Some(value) => value,
            None => panic!("register {reg} is on the list"),
        }
    }

    /// Writes the instructions of `list`.
    pub fn write(&mut self, list: &[Reg], out: &mut Out) {
        let inner = self.inner_terms(list, out);
        for &reg in list {
            if !inner[reg as usize] {
                let value = self.make(reg, &inner, out);
                self.values[reg as usize] = Some(Value { update_rate: value.update_rate.min(out.most), ..value });
            }
        }
    }

    fn make(&self, reg: Reg, inner: &[bool], out: &mut Out) -> Value {
        let value = |arg, update_rate| Value { arg, update_rate };
        let (elements, width) = (self.elements(reg), self.kernel.width(reg));
        match &self.kernel.ops[reg as usize] {
            Op::Const(constant) => value(out.space.constant(*constant), UpdateRate::Constant),
            Op::Param(slot) => {
                let skipped: usize = self.kernel.params[..*slot as usize].iter().map(|(_, width)| width).sum();
                let first = out.program.units[self.units[0]].first_param as usize + skipped;
                // Parameters without elements have no cell.
                value(run(out.space.params.get(first).copied().unwrap_or(0), elements), UpdateRate::Constant)
            }
            Op::Input(input) => self.input(*input as usize, out),
            Op::State(slot) => {
                let update_rate = match self.kernel.states[*slot as usize].kind {
                    StateKind::Continuous => UpdateRate::MinorStep,
                    _ => UpdateRate::MajorStep,
                };
                value(run(out.space.states[self.state(*slot, out.program) as usize], elements), update_rate)
            }
            Op::Held(slot) => {
                let state = self.state(*slot, out.program);
                let cells = out.space.states[state as usize];
                let held =
                    self.emit(Opcode::Copy, elements, &[value(run(cells, elements), UpdateRate::MinorStep)], out);
                let at = held.arg.cell(&out.code.tables, 0);
                out.helds.insert(at, out.nexts.get(&state).copied().unwrap_or(cells));
                held
            }
            Op::Clock(Clock::Time) => value(Operand::Broadcast(out.space.time), UpdateRate::MinorStep),
            // Elsewhere, only the evaluation of the solvers makes decisions.
            Op::Clock(Clock::Major | Clock::Deciding) => {
                value(Operand::Broadcast(out.space.major), UpdateRate::MinorStep)
            }
            Op::Clock(Clock::StepTime) => value(Operand::Broadcast(out.space.step_time), UpdateRate::MajorStep),
            Op::Clock(Clock::Step) => value(Operand::Broadcast(out.space.step), UpdateRate::MajorStep),
            Op::Clock(clock @ (Clock::Hit(_) | Clock::Count(_))) => {
                value(Operand::Broadcast(out.space.clocks[clock]), UpdateRate::MajorStep)
            }
            Op::Clock(Clock::Iteration) => match out.iteration {
                Some(iteration) => value(Operand::Broadcast(iteration), UpdateRate::MajorStep),
                None => value(out.space.constant(0.0), UpdateRate::Constant),
            },
            Op::Clock(Clock::Runs) => match out.runs {
                Some(runs) => value(Operand::Broadcast(runs), UpdateRate::MajorStep),
                None => value(out.space.constant(0.0), UpdateRate::Constant),
            },
            Op::Ran(input) => self.ran(*input as usize, out),
            Op::Clock(Clock::Delta) => value(out.space.constant(out.code.delta), UpdateRate::Constant),
            Op::Unary(op, a) => self.emit(Opcode::Unary(*op), elements, &[self.value(*a)], out),
            Op::Binary(op, _, last) if inner.get(self.first_term(reg) as usize) == Some(&true) => {
                self.sum(reg, *op, *last, inner, out)
            }
            Op::Binary(op, a, b) => self.emit(Opcode::Binary(*op), elements, &[self.value(*a), self.value(*b)], out),
            Op::Select { on, yes, no } => {
                self.emit(Opcode::Select, elements, &[self.value(*on), self.value(*yes), self.value(*no)], out)
            }
            Op::Fold(op, a) => {
                let (all, count) = (self.value(*a), self.kernel.width(*a) as u32);
                match (count, all.arg) {
                    (1, _) => all,
                    (0, _) => value(out.space.constant(0.0), UpdateRate::Constant),
                    (_, Operand::Contiguous(_)) if let Some(neutral) = op.neutral() => {
                        let first = value(out.space.constant(neutral), UpdateRate::Constant);
                        self.emit(Opcode::Fold(*op), count, &[first, all], out)
                    }
                    (_, Operand::Contiguous(at)) => {
                        let (first, rest) = (
                            value(Operand::Broadcast(at), all.update_rate),
                            value(Operand::Contiguous(at + 1), all.update_rate),
                        );
                        self.emit(Opcode::Fold(*op), count - 1, &[first, rest], out)
                    }
                    (_, arg) => self.emit(Opcode::Fold(*op), count - 1, &[value(arg, all.update_rate), all], out),
                }
            }
            Op::Slice { of, start } => {
                let of = self.value(*of);
                match of.arg {
                    Operand::Contiguous(at) if self.units.len() == 1 => {
                        value(run(at + start, elements), of.update_rate)
                    }
                    arg => value(arg, of.update_rate),
                }
            }
            Op::Join(parts) if self.units.len() > 1 => self.value(parts[0]),
            Op::Join(parts) => {
                let update_rate = parts
                    .iter()
                    .map(|&part| self.value(part).update_rate)
                    .max()
                    .unwrap_or(UpdateRate::Constant)
                    .min(out.most);
                let mut at = out.space.take(update_rate, width as u32);
                let joined = value(run(at, elements), update_rate);
                for &part in parts {
                    let elements = self.elements(part);
                    write(
                        Instruction { opcode: Opcode::Copy, elements, dst: at, args: args(&[self.value(part)]) },
                        update_rate,
                        out,
                    );
                    at += elements;
                }
                joined
            }
            Op::Pick { of, index } => {
                let (of, count, index) = (self.value(*of), self.kernel.width(*of) as u32, self.value(*index));
                match count {
                    1 => of,
                    count => self.emit(Opcode::Pick { count }, elements, &[of, index], out),
                }
            }
            Op::Past { history, back } => {
                let back = self.value(*back);
                let ring = self.ring(*history as usize, out.program);
                self.emit(
                    Opcode::Past(ring),
                    elements,
                    &[value(back.arg, back.update_rate.max(UpdateRate::MajorStep))],
                    out,
                )
            }
            Op::Recorded { record, read, at, now } => {
                let record = out.program.states[self.state(*record, out.program) as usize].offset;
                let time = value(Operand::Broadcast(out.space.time), UpdateRate::MinorStep);
                let from = [self.value(*at), self.value(*now), time];
                self.emit(Opcode::Recorded { record, read: *read }, elements, &from, out)
            }
            Op::Loop { number, .. } => {
                let at = out.code.tables.len() as u32;
                let seen = self.loop_cells(*number as usize, out);
                out.code.tables.extend(&seen);
                let (number, reads) = (*number, seen.len() as u32);
                self.emit(
                    Opcode::AlgebraicLoop { number, reads },
                    elements,
                    &[value(Operand::Gather(at), UpdateRate::MinorStep)],
                    out,
                )
            }
            Op::Call { of, args } => {
                let one = out.space.constant(1.0).cell(&[], 0);
                let from: Vec<Value> = args.iter().map(|&arg| self.value(arg)).collect();
                let update_rate = from
                    .iter()
                    .map(|value| value.update_rate)
                    .max()
                    .unwrap_or(UpdateRate::MajorStep)
                    .max(UpdateRate::MajorStep);
                let is_staged = update_rate.min(out.most) == UpdateRate::MinorStep;
                let mut seen = vec![if is_staged { out.space.major } else { one }];
                for (value, &arg) in from.iter().zip(args) {
                    seen.extend((0..self.elements(arg)).map(|element| value.arg.cell(&out.code.tables, element)));
                }
                let at = out.code.tables.len() as u32;
                out.code.tables.extend(&seen);
                out.code.calls.push((of.clone(), self.units[0]));
                let (number, reads) = (out.code.calls.len() as u32 - 1, seen.len() as u32);
                self.emit(Opcode::Call { number, reads }, elements, &[value(Operand::Gather(at), update_rate)], out)
            }
            Op::Random { seed, stream, counter } => {
                let opcode = Opcode::Random { is_vector: self.units.len() == 1 };
                self.emit(opcode, elements, &[seed, stream, counter].map(|reg| self.value(*reg)), out)
            }
        }
    }

    fn emit(&self, opcode: Opcode, elements: u32, from: &[Value], out: &mut Out) -> Value {
        let update_rate =
            from.iter().map(|value| value.update_rate).max().unwrap_or(UpdateRate::Constant).min(out.most);
        let written = if matches!(opcode, Opcode::Fold(_)) { 1 } else { elements };
        let dst = out.space.take(update_rate, written);
        write(Instruction { opcode, elements, dst, args: args(from) }, update_rate, out);
        Value { arg: run(dst, written), update_rate }
    }

    fn state(&self, slot: u32, program: &Program) -> u32 {
        program.units[self.units[0]].first_state + slot
    }

    pub fn ring(&self, slot: usize, program: &Program) -> Ring {
        let state = &program.states[self.state(slot as u32, program) as usize];
        let StateKind::History { length } = state.kind else { panic!("only a history is a ring") };
        Ring { first: state.offset, length: length as u32 }
    }

    /// Returns for each unit whether the source of an input ran in the step.
    fn ran(&self, input: usize, out: &mut Out) -> Value {
        let one = out.space.constant(1.0);
        let runs = |unit: &UnitId| {
            let source = source(out.program, *unit, input)?;
            let runs = out.program.runs_behind(source)?;
            Some(out.code.outputs[runs])
        };
        let runs: Vec<Option<u32>> = self.units.iter().map(runs).collect();
        if runs.iter().all(Option::is_none) {
            return Value { arg: one, update_rate: UpdateRate::Constant };
        }
        let at = out.code.tables.len() as u32;
        let cells = runs.into_iter().map(|runs| runs.unwrap_or_else(|| one.cell(&[], 0)));
        out.code.tables.extend(cells);
        let elements = self.units.len() as u32;
        let runs = if elements == 1 { Operand::Broadcast(out.code.tables[at as usize]) } else { Operand::Gather(at) };
        let from = [
            Value { arg: runs, update_rate: UpdateRate::MajorStep },
            Value { arg: one, update_rate: UpdateRate::Constant },
        ];
        self.emit(Opcode::Binary(Binary::Ge), elements, &from, out)
    }

    /// Returns all cells that the units of an algebraic loop read, in the order in which [`crate::engine::step_code::Machine`] reads them.
    fn loop_cells(&self, number: usize, out: &Out) -> Vec<u32> {
        let program = out.program;
        let of = &program.loops[number];
        let mut seen = vec![out.space.time, out.space.major];
        for &output in &of.externals {
            let first = out.code.outputs[output];
            seen.extend(first..first + program.outputs[output].width);
        }
        let own = self.state(0, program);
        let next = |state: u32| out.nexts.get(&state).copied().unwrap_or(out.space.states[state as usize]);
        seen.extend(next(own)..next(own) + of.width as u32);
        for (state, slot) in program.states_of_loop(of) {
            let first = out.space.states[state as usize];
            match slot.kind {
                StateKind::Discrete => {
                    seen.extend(first..first + slot.width);
                    seen.extend(next(state)..next(state) + slot.width);
                }
                StateKind::Continuous => seen.extend(first..first + slot.width),
                StateKind::History { .. } | StateKind::Record => {}
            }
        }
        seen
    }

    /// Returns the elements of an input over all units.
    fn input(&self, input: usize, out: &mut Out) -> Value {
        let cells = |unit: UnitId| {
            source(out.program, unit, input).map(|from| (out.code.outputs[from], out.update_rates[from]))
        };
        let all: Vec<(u32, UpdateRate)> = self.units.iter().filter_map(|&unit| cells(unit)).collect();
        let update_rate = all.iter().map(|(_, update_rate)| *update_rate).max().unwrap_or(UpdateRate::Constant);
        let arg = match all[..] {
            [(at, _)] => run(at, self.kernel.inputs[input] as u32),
            _ if all.windows(2).all(|pair| pair[0].0 == pair[1].0) => Operand::Broadcast(all[0].0),
            _ if all.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0) => Operand::Contiguous(all[0].0),
            _ => {
                let at = out.code.tables.len() as u32;
                out.code.tables.extend(all.iter().map(|(cell, _)| *cell));
                Operand::Gather(at)
            }
        };
        Value { arg, update_rate }
    }

    /// Returns for each register whether it is only an intermediate value of a sum of many adjacent inputs.
    fn inner_terms(&self, list: &[Reg], out: &Out) -> Vec<bool> {
        let ops = &self.kernel.ops;
        let mut inner = vec![false; ops.len()];
        if self.units.len() > 1 || list.len() < 2 * SHORT_SUM {
            return inner;
        }
        let mut uses = vec![0u32; ops.len()];
        ops.iter().flat_map(Op::operands).for_each(|operand| uses[operand as usize] += 1);
        let results = self.kernel.outputs.iter().map(|output| output.reg);
        results.for_each(|reg| uses[reg as usize] += 2);
        for &reg in list {
            let Op::Binary(op, sum, term) = ops[reg as usize] else { continue };
            let Op::Binary(before, _, last) = ops[sum as usize] else { continue };
            let cell = |reg: Reg| match (&ops[reg as usize], self.kernel.width(reg)) {
                (Op::Input(input), 1) => {
                    source(out.program, self.units[0], *input as usize).map(|from| out.code.outputs[from])
                }
                _ => None,
            };
            let goes_on = matches!((cell(last), cell(term)), (Some(a), Some(b)) if a + 1 == b);
            inner[sum as usize] = goes_on
                && op == before
                && uses[sum as usize] == 1
                && self.kernel.widths[reg as usize] == 1
                && self.kernel.widths[sum as usize] == 1
                && self.kernel.updates.is_empty();
        }
        inner
    }

    /// Returns the left operand of a sum.
    fn first_term(&self, reg: Reg) -> Reg {
        match self.kernel.ops[reg as usize] {
            Op::Binary(_, a, _) => a,
            _ => reg,
        }
    }

    /// Generates a chain of sums over adjacent cells as one fold.
    fn sum(&self, reg: Reg, op: Binary, last: Reg, inner: &[bool], out: &mut Out) -> Value {
        let mut first = last;
        let mut count = 1;
        let mut sum = self.first_term(reg);
        while inner[sum as usize]
            && let Op::Binary(_, before, term) = self.kernel.ops[sum as usize]
        {
            (first, sum) = (term, before);
            count += 1;
        }
        let (mut before, first) = (self.value(sum), self.value(first));
        let Operand::Broadcast(mut at) = first.arg else { panic!("a single element is one cell") };
        let mut update_rate = self.term_class(reg, inner);
        if let (Some(neutral), Operand::Broadcast(cell)) = (op.neutral(), before.arg)
            && cell + 1 == at
        {
            // The first term is in the adjacent cell.
            (at, count, update_rate) = (cell, count + 1, update_rate.max(before.update_rate));
            before = Value { arg: out.space.constant(neutral), update_rate: UpdateRate::Constant };
        }
        self.emit(Opcode::Fold(op), count, &[before, Value { arg: Operand::Contiguous(at), update_rate }], out)
    }

    /// Returns the update rate of the terms of a chain of sums.
    fn term_class(&self, reg: Reg, inner: &[bool]) -> UpdateRate {
        let (mut at, mut update_rate) = (reg, UpdateRate::Constant);
        loop {
            let Op::Binary(_, before, term) = self.kernel.ops[at as usize] else { return update_rate };
            update_rate = update_rate.max(self.value(term).update_rate);
            if !inner[before as usize] {
                return update_rate;
            }
            at = before;
        }
    }
}

pub(in crate::engine::step_code) fn run(at: u32, elements: u32) -> Operand {
    if elements == 1 { Operand::Broadcast(at) } else { Operand::Contiguous(at) }
}

pub(in crate::engine::step_code) fn args(from: &[Value]) -> [Operand; 3] {
    let mut args = [Operand::Broadcast(0); 3];
    args.iter_mut().zip(from).for_each(|(arg, value)| *arg = value.arg);
    args
}

fn write(ins: Instruction, update_rate: UpdateRate, out: &mut Out) {
    match update_rate {
        UpdateRate::Constant => out.code.once.push(ins),
        UpdateRate::MajorStep | UpdateRate::MinorStep => out.code.step.push(ins),
    }
}

/// Returns the output that feeds an input.
pub(in crate::engine::step_code) fn source(program: &Program, unit: UnitId, input: usize) -> Option<OutputId> {
    program.source(&program.units[unit], input)
}
