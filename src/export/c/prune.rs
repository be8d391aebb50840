//! Leaves out instructions without an effect on an output, a continuous state or the status.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::{Instruction, Opcode, Operand, OutputId, Program, StepCode};

/// The cells and rings that are known to be needed so far.
struct Needed {
    cells: Vec<bool>,
    /// The rings that are read.
    rings: BTreeSet<u32>,
    is_changed: bool,
}

/// The cells of a program's outputs and of its rates.
pub fn wanted(code: &StepCode, program: &Program) -> Vec<u32> {
    let cells = |output: OutputId| code.outputs[output]..code.outputs[output] + program.outputs[output].width;
    let rates = code.driven.iter().flat_map(|driven| driven.rates.cells().chain(driven.firsts.cells()));
    program.exits().into_iter().flat_map(|(_, _, output)| cells(output)).chain(rates).collect()
}

/// Removes unneeded instructions from all lists of step code, of which the cells `handed_out` are read.
pub fn prune(code: &mut StepCode, program: &Program, handed_out: &[u32]) {
    let mut needed = Needed { cells: vec![false; code.cells], rings: BTreeSet::new(), is_changed: true };
    // The vector of the continuous states stays whole, and an implicit method differentiates the rates where they are.
    let implicit = code.driven.iter().filter(|driven| driven.derivative.is_some()).map(|driven| &driven.rates);
    for moves in code.driven.iter().map(|driven| &driven.x).chain(implicit).chain([&code.continuous]) {
        moves.cells().for_each(|cell| needed.mark(cell));
    }
    super::plan::reports(code, program).for_each(|(cell, _)| needed.mark(cell));
    handed_out.iter().for_each(|cell| needed.mark(*cell));
    while std::mem::take(&mut needed.is_changed) {
        let driven = code.driven.iter().map(|driven| &driven.list);
        for list in [&code.step, &code.init, &code.once].into_iter().chain(driven) {
            needed.list(code, list);
        }
    }
    let mut branches = code.branches.to_vec();
    let keep = |list: &mut Vec<Instruction>| list.retain(|ins| needed.is_needed(code, ins));
    let mut lists =
        [code.step[..code.sampled].to_vec(), code.step[code.sampled..].to_vec(), code.init.clone(), code.once.clone()];
    branches.iter_mut().flat_map(|branch| [&mut branch.body, &mut branch.otherwise]).for_each(keep);
    lists.iter_mut().for_each(keep);
    let list = code.driven.as_ref().map(|driven| {
        let mut list = driven.list.clone();
        keep(&mut list);
        list
    });
    let [first, rest, init, once] = lists;
    (code.sampled, code.init, code.once) = (first.len(), init, once);
    code.step = first.into_iter().chain(rest).collect();
    if let (Some(driven), Some(list)) = (&mut code.driven, list) {
        driven.list = list;
    }
    code.branches = Arc::new(branches);
}

impl Needed {
    fn mark(&mut self, cell: u32) {
        self.is_changed |= !self.cells[cell as usize];
        self.cells[cell as usize] = true;
    }

    fn list(&mut self, code: &StepCode, list: &[Instruction]) {
        for ins in list.iter().rev().filter(|ins| self.is_needed(code, ins)).collect::<Vec<_>>() {
            if let Opcode::Branch(number) = ins.opcode {
                let branch = &code.branches[number as usize];
                self.mark(branch.guard);
                branch.repeat.and_then(|repeat| repeat.condition).into_iter().for_each(|cell| self.mark(cell));
                self.list(code, &branch.body);
                self.list(code, &branch.otherwise);
                continue;
            }
            for (operand, elements) in ins.reads() {
                let count = if let Operand::Broadcast(_) = operand { 1 } else { elements };
                (0..count).for_each(|element| self.mark(operand.cell(&code.tables, element)));
            }
            if let Opcode::Past(ring) = ins.opcode {
                self.is_changed |= self.rings.insert(ring.first);
            }
        }
    }

    fn is_needed(&self, code: &StepCode, ins: &Instruction) -> bool {
        match ins.opcode {
            Opcode::Push(ring) | Opcode::Fill(ring) => self.rings.contains(&ring.first),
            Opcode::Solve { .. } => true,
            Opcode::LimitRuns | Opcode::RefuseNonFinite => false,
            Opcode::Branch(number) => {
                let branch = &code.branches[number as usize];
                // A part that may run too often fails the step even if nothing reads its results.
                branch.repeat.is_some()
                    || branch.body.iter().chain(&branch.otherwise).any(|ins| self.is_needed(code, ins))
            }
            _ => (ins.dst..ins.dst + ins.written()).any(|cell| self.cells[cell as usize]),
        }
    }
}
