//! Evaluates decisions whose result is known before the first step, such as those that hold in major steps only. The
//! value that a choice never takes has no reader afterwards.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::truths::is_decision;
use crate::block::Binary;
use crate::engine::step_code::{Bindings, Branch, Instruction, Opcode, Operand, StepCode};

/// Replaces decisions with a known result by copies of it, and reads of copies by reads of what they copy. The bits of
/// all cells stay. Rows are not read from the cells `apart`, such as inputs, which need not be side by side.
pub(crate) fn decide(code: &mut StepCode, apart: &BTreeSet<u32>) {
    without_lost_results(code);
    let mut branches = code.branches.to_vec();
    let mut lists = [std::mem::take(&mut code.once), std::mem::take(&mut code.step)];
    let mut driven = code.driven.as_mut().map(|driven| std::mem::take(&mut driven.list));
    let mut facts = Facts::new(code, apart, &lists, driven.as_deref().unwrap_or_default());
    // The derivatives of an implicit method read the cells of the list for which they were made.
    let mut rates = driven.as_mut().filter(|_| code.driven.as_ref().is_some_and(|driven| driven.derivative.is_none()));
    for list in &mut lists {
        for ins in list.iter_mut() {
            match ins.opcode {
                Opcode::Branch(number) => facts.branch(code, number, &mut branches),
                // The rates are computed while the solver runs.
                Opcode::Solve { .. } => {
                    if let Some(list) = &mut rates {
                        facts.scoped(code, list, &mut branches);
                    }
                }
                _ => {}
            }
            facts.instruction(code, ins);
        }
    }
    [code.once, code.step] = lists;
    if let (Some(to), Some(list)) = (&mut code.driven, driven) {
        to.list = list;
    }
    code.branches = Arc::new(branches);
}

/// Leaves out instructions whose results are overwritten before anything reads them.
fn without_lost_results(code: &mut StepCode) {
    // For each cell the instruction that has written it, until something reads it.
    let mut unread: HashMap<u32, usize> = HashMap::new();
    let mut lost: Vec<u32> = vec![0; code.step.len()];
    for (at, ins) in code.step.iter().enumerate() {
        // The solver reads what its list reads, and the outputs are read when the major step ends.
        if at == code.sampled || matches!(ins.opcode, Opcode::Solve { .. }) {
            unread.clear();
        }
        code.each_read(ins, |cell, _| {
            unread.remove(&cell);
        });
        if let Opcode::Branch(_) = ins.opcode {
            // It may leave what it writes as it is.
            code.writes(ins).for_each(|cell| {
                unread.remove(&cell);
            });
            continue;
        }
        for cell in code.writes(ins) {
            if let Some(earlier) = unread.insert(cell, at) {
                lost[earlier] += 1;
            }
        }
    }
    let is_kept = |(ins, lost): (&Instruction, &u32)| !ins.opcode.is_elementwise() || *lost < ins.written();
    let kept: Vec<bool> = code.step.iter().zip(&lost).map(is_kept).collect();
    code.sampled = kept[..code.sampled].iter().filter(|kept| **kept).count();
    let mut kept = kept.into_iter();
    code.step.retain(|_| kept.next() == Some(true));
}

/// Facts about cells at a place in the step. Only cells with one writer count: they have one value in a step.
struct Facts<'a> {
    apart: &'a BTreeSet<u32>,
    /// For each cell the number of its writers, at most 2; a cell that others write, such as a state, counts as 2.
    writers: Vec<u8>,
    values: HashMap<u32, f64>,
    /// The cell of which a cell has the value.
    copies: HashMap<u32, u32>,
    /// Cells that are 0 or 1.
    truths: HashSet<u32>,
    /// Cells that have been written in this step.
    written: HashSet<u32>,
    /// The cells about which something has become known, in order.
    known: Vec<u32>,
}

impl<'a> Facts<'a> {
    fn new(code: &StepCode, apart: &'a BTreeSet<u32>, lists: &[Vec<Instruction>], driven: &[Instruction]) -> Facts<'a> {
        let mut writers = vec![0_u8; code.cells];
        let mut write = |cell: u32| {
            if let Some(count) = writers.get_mut(cell as usize) {
                *count = (*count + 1).min(2);
            }
        };
        let bodies = code.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
        for ins in lists.iter().flatten().chain(driven).chain(&code.init).chain(bodies) {
            // The instructions of a branch count themselves.
            (ins.dst..ins.dst + ins.written()).for_each(&mut write);
        }
        let carried = [&code.discrete, &code.continuous, &code.lasting];
        let solver = code.driven.iter().flat_map(|driven| [&driven.x, &driven.nexts, &driven.modes, &driven.held]);
        let carried = carried.into_iter().chain(solver).flat_map(Bindings::cells);
        let times = code.driven.iter().map(|driven| driven.time);
        let iterations = code.branches.iter().filter_map(|branch| branch.repeat).map(|repeat| repeat.iteration);
        for cell in carried.chain(times).chain(iterations) {
            if let Some(count) = writers.get_mut(cell as usize) {
                *count = 2;
            }
        }
        let constants = code.constants.iter().filter(|(cell, _)| writers.get(*cell as usize) == Some(&0));
        let values: HashMap<u32, f64> = constants.copied().collect();
        let truths = values.iter().filter(|(_, value)| is_truth(**value)).map(|(cell, _)| *cell).collect();
        Facts { apart, writers, values, copies: HashMap::new(), truths, written: HashSet::new(), known: Vec::new() }
    }

    /// Rewrites the lists of a branch. Facts found in them do not hold outside.
    fn branch(&mut self, code: &mut StepCode, number: u32, branches: &mut [Branch]) {
        let Some(branch) = branches.get_mut(number as usize) else { return };
        let guard = self.copies.get(&branch.guard).copied().unwrap_or(branch.guard);
        let is_known = branch.repeat.is_none() && self.truths.contains(&guard) && self.is_settled(guard);
        let mut lists = [std::mem::take(&mut branch.body), std::mem::take(&mut branch.otherwise)];
        for (list, value) in lists.iter_mut().zip([1.0, 0.0]) {
            if is_known {
                self.values.insert(guard, value);
            }
            self.scoped(code, list, branches);
            if is_known {
                self.values.remove(&guard);
            }
        }
        if let Some(branch) = branches.get_mut(number as usize) {
            [branch.body, branch.otherwise] = lists;
        }
    }

    fn scoped(&mut self, code: &mut StepCode, list: &mut [Instruction], branches: &mut [Branch]) {
        let outside = self.known.len();
        for ins in list {
            if let Opcode::Branch(number) = ins.opcode {
                self.branch(code, number, branches);
            }
            self.instruction(code, ins);
        }
        for cell in self.known.drain(outside..) {
            self.values.remove(&cell);
            self.copies.remove(&cell);
            self.truths.remove(&cell);
            self.written.remove(&cell);
        }
    }

    fn instruction(&mut self, code: &mut StepCode, ins: &mut Instruction) {
        if ins.opcode.is_elementwise() {
            let count = ins.reads().count();
            for number in 0..count {
                ins.args[number] = self.read(code, ins.args[number], ins.elements);
            }
            self.decided(code, ins);
        }
        for element in 0..ins.written() {
            let dst = ins.dst + element;
            if self.writers.get(dst as usize) != Some(&1) {
                continue;
            }
            self.written.insert(dst);
            self.known.push(dst);
            let cell = |number: usize| ins.args[number].cell(&code.tables, element);
            match ins.opcode {
                Opcode::Copy => {
                    let from = cell(0);
                    if let Some(value) = self.values.get(&from).copied() {
                        self.values.insert(dst, value);
                    }
                    if self.truths.contains(&from) {
                        self.truths.insert(dst);
                    }
                    if self.is_settled(from) {
                        self.copies.insert(dst, self.copies.get(&from).copied().unwrap_or(from));
                    }
                }
                opcode if is_decision(opcode) => {
                    self.truths.insert(dst);
                }
                _ => {}
            }
        }
    }

    /// Whether a cell keeps its value from here to the end of the step.
    fn is_settled(&self, cell: u32) -> bool {
        match self.writers.get(cell as usize) {
            Some(0) => true,
            Some(1) => self.written.contains(&cell),
            _ => false,
        }
    }

    /// Returns an operand that reads what is copied, where all of its elements can be read in one way.
    fn read(&self, code: &StepCode, operand: Operand, elements: u32) -> Operand {
        let origin = |cell: u32| self.copies.get(&cell).copied().unwrap_or(cell);
        if elements == 1 || matches!(operand, Operand::Broadcast(_)) {
            return Operand::Broadcast(origin(operand.cell(&code.tables, 0)));
        }
        let first = origin(operand.cell(&code.tables, 0));
        let is_next = |element: u32| {
            let cell = origin(operand.cell(&code.tables, element));
            cell == first + element && !self.apart.contains(&cell)
        };
        let is_row = (0..elements).all(is_next);
        if is_row { Operand::Contiguous(first) } else { operand }
    }

    /// Makes a copy of an instruction whose decision is known.
    fn decided(&self, code: &mut StepCode, ins: &mut Instruction) {
        let known = |operand: Operand| -> Option<bool> {
            let mut values = (0..ins.elements).map(|element| self.values.get(&operand.cell(&code.tables, element)));
            let first = *values.next()?? != 0.0;
            values.all(|value| value.is_some_and(|value| (*value != 0.0) == first)).then_some(first)
        };
        let is_truth =
            |operand: Operand| (0..ins.elements).all(|n| self.truths.contains(&operand.cell(&code.tables, n)));
        let [a, b, c] = ins.args;
        let taken = match ins.opcode {
            Opcode::Select => known(a).map(|is_on| if is_on { b } else { c }),
            Opcode::Binary(op @ (Binary::And | Binary::Or)) => {
                let deciding = op == Binary::Or;
                match (known(a), known(b)) {
                    (Some(value), _) if value == deciding => Some(a).filter(|_| is_truth(a)),
                    (_, Some(value)) if value == deciding => Some(b).filter(|_| is_truth(b)),
                    (Some(_), _) if is_truth(b) => Some(b),
                    (_, Some(_)) if is_truth(a) => Some(a),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(taken) = taken {
            (ins.opcode, ins.args) = (Opcode::Copy, [taken, Operand::Broadcast(0), Operand::Broadcast(0)]);
        }
    }
}

fn is_truth(value: f64) -> bool {
    value.to_bits() == 0 || value == 1.0
}
