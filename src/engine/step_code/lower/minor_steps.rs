//! Generates the minor steps of a solver and the update of the continuous states.

use std::collections::HashMap;

use super::batch::{Value, run};
use super::copy;
use super::space::{Space, UpdateRate};
use crate::block::{Binary, StateKind};
use crate::engine::Program;
use crate::engine::solve::tableau::{Tableau, Term};
use crate::engine::step_code::{Binding, Bindings, Branch, CellRange, Driven, Instruction, Opcode, Operand, StepCode};

/// The rate of change of adjacent states.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::step_code) struct StateRate {
    pub state: u32,
    pub elements: u32,
    /// The rate in any stage.
    pub value: Value,
    /// The rate in the first stage, in cells that no new state overwrites.
    pub first: Operand,
}

/// The branches, and the held states, as the minor steps need them.
pub(in crate::engine::step_code) struct HeldResults<'a> {
    pub branches: &'a mut Vec<Branch>,
    /// For the cell of each copy of a held state, the cell that minor steps read instead.
    pub helds: &'a HashMap<u32, u32>,
}

/// Returns the rates, and a rate of 0 for the states of units that do not run.
pub(in crate::engine::step_code) fn with_idle(
    mut rates: Vec<StateRate>,
    program: &Program,
    space: &mut Space,
) -> Vec<StateRate> {
    // Between rows there may be unused cells.
    let mut is_moved = vec![true; space.continuous_count() as usize];
    for (state, &cell) in program.states.iter().zip(&space.states) {
        if state.kind == StateKind::Continuous {
            let first = Space::stage_index(cell);
            is_moved[first..first + state.width as usize].fill(false);
        }
    }
    // Of several rates of a state the last is valid.
    let mut kept = Vec::with_capacity(rates.len());
    while let Some(rate) = rates.pop() {
        let first = Space::stage_index(rate.state);
        let cells = &mut is_moved[first..first + rate.elements as usize];
        if !cells.contains(&true) {
            cells.fill(true);
            kept.push(rate);
        }
    }
    kept.reverse();
    let mut index = 0;
    for idle in is_moved.chunk_by(|a, b| a == b) {
        if !idle[0] {
            let zero = Value { arg: space.constant(0.0), update_rate: UpdateRate::Constant };
            let state = Space::stage_cell(index);
            kept.push(StateRate { state, elements: idle.len() as u32, value: zero, first: zero.arg });
        }
        index += idle.len() as u32;
    }
    kept
}

/// Appends the instructions that integrate the continuous states over the step.
pub(in crate::engine::step_code) fn integrate(
    tableau: &Tableau,
    code: &mut StepCode,
    space: &mut Space,
    rates: &[StateRate],
    mut parts: HeldResults,
) {
    if rates.is_empty() {
        return;
    }
    let (stages, h) = (tableau.parts, code.delta);
    let needed = Needed::new(code, space, parts.branches, rates);
    let mut tables = HashMap::new();
    let mut all: Vec<Vec<Operand>> = vec![rates.iter().map(|rate| rate.first).collect()];
    for (stage, &part) in stages.iter().enumerate().skip(1) {
        for (number, rate) in rates.iter().enumerate() {
            if needed.any(rate.state, rate.elements) {
                let ks: Vec<Operand> = all.iter().map(|stage| stage[number]).collect();
                Arithmetic { tableau, code, space, rate, ks: &ks, h }.stage_state(stage);
            }
        }
        let mut writer = MinorStepCode { part: Some(part), needed: &needed, parts: &mut parts, tables: &mut tables };
        let again: Vec<Instruction> = code.step[..code.sampled].to_vec();
        let again = writer.all(&again, &mut code.tables);
        code.step.extend(again);
        let is_last = stage + 1 == stages.len();
        let mut found = Vec::with_capacity(rates.len());
        for rate in rates {
            found.push(match rate.value.update_rate {
                UpdateRate::MinorStep => {
                    let k = minor(rate.value.arg, rate.elements, &mut code.tables, &mut tables);
                    if is_last { k } else { set_aside(code, space, k, rate.elements) }
                }
                _ => rate.first,
            });
        }
        all.push(found);
    }
    for (number, rate) in rates.iter().enumerate() {
        let ks: Vec<Operand> = all.iter().map(|stage| stage[number]).collect();
        Arithmetic { tableau, code, space, rate, ks: &ks, h }.advance();
    }
}

/// Appends the instruction that leaves the integration to a solver, and generates the list that computes the rates for
/// it. `driven` has the next values of held states already.
pub(in crate::engine::step_code) fn drive(
    code: &mut StepCode,
    space: &mut Space,
    rates: &[StateRate],
    mut parts: HeldResults,
    driven: Driven,
) {
    let driven = rate_list(code, space, rates, &mut parts, driven);
    solve(code, space, parts.branches, driven);
}

/// Generates the list that computes the rates, and an instruction that marks where the states are integrated.
pub(in crate::engine::step_code) fn list_rates(
    code: &mut StepCode,
    space: &mut Space,
    rates: &[StateRate],
    mut parts: HeldResults,
) {
    let mut driven = rate_list(code, space, rates, &mut parts, Driven::default());
    let offsets = state_offsets(code, space);
    for rate in rates {
        for element in 0..rate.elements {
            let offset = offsets[Space::stage_index(rate.state + element)];
            driven.firsts.push(offset, rate.first.cell(&code.tables, element), 1);
        }
    }
    let args = [Operand::Broadcast(0); 3];
    code.step.push(Instruction { opcode: Opcode::Solve { reads: 0 }, elements: 0, dst: 0, args });
    code.driven = Some(driven);
}

/// Returns for each continuous state's index in the minor-step space its offset in the context.
fn state_offsets(code: &StepCode, space: &Space) -> Vec<u32> {
    let mut offsets = vec![0; space.continuous_count() as usize];
    for &Binding { offset, cell, count } in &code.continuous.0 {
        (0..count).for_each(|element| offsets[Space::stage_index(cell + element)] = offset + element);
    }
    offsets
}

/// Completes `driven` with the list that computes the rates at a given time and states.
fn rate_list(
    code: &mut StepCode,
    space: &mut Space,
    rates: &[StateRate],
    parts: &mut HeldResults,
    mut driven: Driven,
) -> Driven {
    let needed = Needed::new(code, space, parts.branches, rates);
    driven.time = Space::minor(space.time);
    let mut tables = HashMap::new();
    let mut writer = MinorStepCode { part: None, needed: &needed, parts, tables: &mut tables };
    let again: Vec<Instruction> = code.step[..code.sampled].to_vec();
    driven.list = writer.all(&again, &mut code.tables);
    for &Binding { offset, cell, count } in &code.continuous.0 {
        driven.x.push(offset, Space::minor(cell), count);
    }
    let offsets = state_offsets(code, space);
    for rate in rates {
        let is_made = rate.value.update_rate == UpdateRate::MinorStep;
        for element in 0..rate.elements {
            let cell = match is_made {
                true => Space::minor(rate.value.arg.cell(&code.tables, element)),
                false => rate.first.cell(&code.tables, element),
            };
            driven.rates.push(offsets[Space::stage_index(rate.state + element)], cell, 1);
        }
    }
    driven
}

/// Generates the instruction itself, which reads all that the list and the solver need and returns new states and
/// modes, and the copies of those to their cells.
fn solve(code: &mut StepCode, space: &mut Space, branches: &[Branch], driven: Driven) {
    let first = code.tables.len() as u32;
    let cells =
        |moves: &Bindings| moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).collect::<Vec<_>>();
    let mut states = vec![0; length(&code.continuous)];
    for &Binding { offset, cell, count } in &code.continuous.0 {
        (0..count).for_each(|element| states[(offset + element) as usize] = cell + element);
    }
    let mut fixed: Vec<u32> = cells(&driven.nexts);
    fixed.extend(cells(&code.discrete));
    fixed.extend(cells(&driven.rates));
    let mut ahead: Vec<&Instruction> = driven.list.iter().collect();
    while let Some(ins) = ahead.pop() {
        if let Opcode::Branch(number) = ins.opcode {
            let branch = &branches[number as usize];
            fixed.push(branch.guard);
            ahead.extend(branch.body.iter().chain(&branch.otherwise));
        }
        for (arg, elements) in ins.reads() {
            let count = if let Operand::Broadcast(_) = arg { 1 } else { elements };
            fixed.extend((0..count).map(|element| arg.cell(&code.tables, element)));
        }
    }
    fixed.retain(|&cell| !Space::is_stage(cell));
    fixed.sort_unstable();
    fixed.dedup();
    code.tables.extend(states.iter().chain(&fixed));
    code.tables.extend(cells(&driven.held));
    let reads = code.tables.len() as u32 - first;
    let elements = (states.len() + length(&driven.modes) + length(&driven.held)) as u32;
    let made = space.take(UpdateRate::MajorStep, elements);
    let args = [Operand::Gather(first), Operand::Broadcast(0), Operand::Broadcast(0)];
    code.step.push(Instruction { opcode: Opcode::Solve { reads }, elements, dst: made, args });
    for &Binding { offset, cell, count } in &code.continuous.0 {
        code.step.push(copy(cell, run(made + offset, count), count));
    }
    let mut from = made + states.len() as u32;
    for &Binding { cell, count, .. } in driven.modes.0.iter().chain(&driven.held.0) {
        code.step.push(copy(cell, run(from, count), count));
        from += count;
    }
    code.driven = Some(driven);
}

/// Returns the number of values that the moves copy.
fn length(moves: &Bindings) -> usize {
    moves.0.iter().map(|piece| piece.count as usize).sum()
}

fn set_aside(code: &mut StepCode, space: &mut Space, k: Operand, elements: u32) -> Operand {
    let count = if let Operand::Broadcast(_) = k { 1 } else { elements };
    let cells = space.take(UpdateRate::MajorStep, count);
    code.step.push(copy(cells, k, count));
    run(cells, count)
}

/// Generates the arithmetic of a method for one rate.
struct Arithmetic<'a> {
    tableau: &'a Tableau,
    code: &'a mut StepCode,
    space: &'a mut Space,
    rate: &'a StateRate,
    /// The rates of the stages so far.
    ks: &'a [Operand],
    h: f64,
}

impl Arithmetic<'_> {
    /// The same operations in the same order as [`Tableau::stage_state`].
    fn stage_state(mut self, stage: usize) {
        let step = match self.tableau.rows[stage - 1] {
            &[(of, factor)] => {
                let length = self.space.constant(factor * self.h);
                self.make(Binary::Mul, length, self.ks[of])
            }
            row => self.step(row),
        };
        let StateRate { state, elements, .. } = *self.rate;
        binary(self.code, Binary::Add, Space::minor(state), elements, run(state, elements), step);
    }

    /// The same operations in the same order as [`Tableau::advance`].
    fn advance(mut self) {
        let mut step = self.step(self.tableau.weights);
        if self.tableau.divisor != 1.0 {
            let divisor = self.space.constant(self.tableau.divisor);
            step = self.make(Binary::Div, step, divisor);
        }
        let StateRate { state, elements, .. } = *self.rate;
        binary(self.code, Binary::Add, state, elements, run(state, elements), step);
    }

    /// Generates the step length times the sum of the terms.
    fn step(&mut self, terms: &[Term]) -> Operand {
        let mut sum = None;
        for &(of, factor) in terms {
            let mut term = self.ks[of];
            // A factor of 1 changes no bit.
            if factor != 1.0 {
                let factor = self.space.constant(factor);
                term = self.make(Binary::Mul, factor, term);
            }
            sum = Some(sum.map_or(term, |sum| self.make(Binary::Add, sum, term)));
        }
        let (h, zero) = (self.space.constant(self.h), self.space.constant(0.0));
        self.make(Binary::Mul, h, sum.unwrap_or(zero))
    }

    fn make(&mut self, op: Binary, a: Operand, b: Operand) -> Operand {
        let cells = self.space.take(UpdateRate::MajorStep, self.rate.elements);
        binary(self.code, op, cells, self.rate.elements, a, b);
        run(cells, self.rate.elements)
    }
}

fn binary(code: &mut StepCode, op: Binary, dst: u32, elements: u32, a: Operand, b: Operand) {
    code.step.push(Instruction { opcode: Opcode::Binary(op), elements, dst, args: [a, b, Operand::Broadcast(0)] });
}

fn minor(arg: Operand, elements: u32, tables: &mut Vec<u32>, known: &mut HashMap<u32, u32>) -> Operand {
    match arg {
        Operand::Broadcast(at) => Operand::Broadcast(Space::minor(at)),
        Operand::Contiguous(at) => Operand::Contiguous(Space::minor(at)),
        Operand::Gather(at) => Operand::Gather(*known.entry(at).or_insert_with(|| {
            let copy = tables.len() as u32;
            for element in at..at + elements {
                tables.push(Space::minor(tables[element as usize]));
            }
            copy
        })),
    }
}

/// Generates the instructions that a minor step repeats.
struct MinorStepCode<'a, 'b> {
    /// Its time as a fraction of the step; `None` if the solver sets the time.
    part: Option<f64>,
    needed: &'a Needed,
    parts: &'a mut HeldResults<'b>,
    tables: &'a mut HashMap<u32, u32>,
}

impl MinorStepCode<'_, '_> {
    fn all(&mut self, list: &[Instruction], tables: &mut Vec<u32>) -> Vec<Instruction> {
        let mut again = Vec::new();
        for ins in list {
            if let Opcode::Branch(number) = ins.opcode {
                again.extend(self.branch(*ins, number, tables));
            } else if self.part.is_none() && matches!(ins.opcode, Opcode::StageTime(_)) {
                // The solver sets it.
            } else if Space::is_stage(ins.dst) && self.needed.any(ins.dst, ins.written()) {
                again.push(self.one(*ins, tables));
            }
        }
        again
    }

    fn one(&mut self, mut ins: Instruction, tables: &mut Vec<u32>) -> Instruction {
        if let Some(&next) = self.parts.helds.get(&ins.dst) {
            ins.args[0] = run(next, ins.elements);
        }
        if let (Opcode::StageTime(_), Some(part)) = (ins.opcode, self.part) {
            ins.opcode = Opcode::StageTime(part);
        }
        let elements: Vec<u32> = ins.reads().map(|(_, elements)| elements).collect();
        for (arg, elements) in ins.args.iter_mut().zip(elements) {
            *arg = minor(*arg, elements, tables, self.tables);
        }
        ins.dst = Space::minor(ins.dst);
        ins
    }

    /// Repeats a branch; if it does not run, its results are those of the major step.
    fn branch(&mut self, ins: Instruction, number: u32, tables: &mut Vec<u32>) -> Option<Instruction> {
        let Branch { guard, body, held, is_major, .. } = self.parts.branches[number as usize].clone();
        if is_major {
            return None;
        }
        let body = self.all(&body, tables);
        let is_needed = |range: &CellRange| Space::is_stage(range.first) && self.needed.any(range.first, range.count);
        let held = held.into_iter().filter(is_needed);
        let otherwise: Vec<Instruction> = held
            .map(|CellRange { first: cell, count: elements }| copy(Space::minor(cell), run(cell, elements), elements))
            .collect();
        if body.is_empty() && otherwise.is_empty() {
            return None;
        }
        self.parts.branches.push(Branch { guard, body, otherwise, ..Branch::default() });
        Some(Instruction { opcode: Opcode::Branch(self.parts.branches.len() as u32 - 1), ..ins })
    }
}

/// The cells of the major step that minor steps compute again.
struct Needed {
    cells: Vec<bool>,
}

impl Needed {
    fn new(code: &StepCode, space: &Space, branches: &[Branch], rates: &[StateRate]) -> Needed {
        let mut needed = Needed { cells: vec![false; space.stage_count()] };
        for rate in rates {
            needed.mark(rate.value.arg, rate.elements, code);
        }
        needed.all(&code.step[..code.sampled], code, branches);
        needed
    }

    fn all(&mut self, list: &[Instruction], code: &StepCode, branches: &[Branch]) {
        for ins in list.iter().rev() {
            if let Opcode::Branch(number) = ins.opcode {
                let branch = &branches[number as usize];
                if !branch.is_major {
                    self.all(&branch.body, code, branches);
                }
            } else if Space::is_stage(ins.dst) && self.any(ins.dst, ins.written()) {
                ins.reads().for_each(|(arg, elements)| self.mark(arg, elements, code));
            }
        }
    }

    fn mark(&mut self, arg: Operand, elements: u32, code: &StepCode) {
        let count = if let Operand::Broadcast(_) = arg { 1 } else { elements };
        for element in 0..count {
            let cell = arg.cell(&code.tables, element);
            if Space::is_stage(cell) {
                self.cells[Space::stage_index(cell)] = true;
            }
        }
    }

    fn any(&self, cell: u32, count: u32) -> bool {
        let first = Space::stage_index(cell);
        self.cells[first..first + count as usize].contains(&true)
    }
}
