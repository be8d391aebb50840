//! Leaves out instructions without an effect on an output, a continuous state or the status.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::{Instruction, Opcode, Operand, Program, Tape};

/// The cells and rings that are known to be needed so far.
struct Needed {
    cells: Vec<bool>,
    /// The rings that are read.
    rings: BTreeSet<u32>,
    is_changed: bool,
}

/// Removes unneeded instructions from all lists of a tape.
pub fn prune(tape: &mut Tape, program: &Program) {
    // Euler's method needs the rates at the start of the step alone.
    if let (Some(driven), Some([_])) = (&mut tape.driven, program.solver.tableau().map(|tableau| tableau.parts)) {
        driven.list.clear();
        driven.rates.0.clear();
    }
    let mut needed = Needed { cells: vec![false; tape.cells], rings: BTreeSet::new(), is_changed: true };
    for (_, _, output) in program.exits() {
        let first = tape.outputs[output];
        (first..first + program.outputs[output].width).for_each(|cell| needed.mark(cell));
    }
    // The vector of the continuous states stays whole.
    let driven = tape.driven.iter().flat_map(|driven| [&driven.rates, &driven.firsts, &driven.x]);
    for moves in driven.chain([&tape.continuous]) {
        moves.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count).for_each(|cell| needed.mark(cell));
    }
    super::plan::reports(tape, program).for_each(|(cell, _)| needed.mark(cell));
    while std::mem::take(&mut needed.is_changed) {
        let driven = tape.driven.iter().map(|driven| &driven.list);
        for list in [&tape.step, &tape.init, &tape.once].into_iter().chain(driven) {
            needed.list(tape, list);
        }
    }
    let mut branches = tape.branches.to_vec();
    let keep = |list: &mut Vec<Instruction>| list.retain(|ins| needed.is_needed(tape, ins));
    let mut lists =
        [tape.step[..tape.sampled].to_vec(), tape.step[tape.sampled..].to_vec(), tape.init.clone(), tape.once.clone()];
    branches.iter_mut().flat_map(|branch| [&mut branch.body, &mut branch.otherwise]).for_each(keep);
    lists.iter_mut().for_each(keep);
    let list = tape.driven.as_ref().map(|driven| {
        let mut list = driven.list.clone();
        keep(&mut list);
        list
    });
    let [first, rest, init, once] = lists;
    (tape.sampled, tape.init, tape.once) = (first.len(), init, once);
    tape.step = first.into_iter().chain(rest).collect();
    if let (Some(driven), Some(list)) = (&mut tape.driven, list) {
        driven.list = list;
    }
    tape.branches = Arc::new(branches);
}

impl Needed {
    fn mark(&mut self, cell: u32) {
        self.is_changed |= !self.cells[cell as usize];
        self.cells[cell as usize] = true;
    }

    fn list(&mut self, tape: &Tape, list: &[Instruction]) {
        for ins in list.iter().rev().filter(|ins| self.is_needed(tape, ins)).collect::<Vec<_>>() {
            if let Opcode::Branch(number) = ins.opcode {
                let branch = &tape.branches[number as usize];
                self.mark(branch.guard);
                branch.repeat.and_then(|repeat| repeat.condition).into_iter().for_each(|cell| self.mark(cell));
                self.list(tape, &branch.body);
                self.list(tape, &branch.otherwise);
                continue;
            }
            for (operand, elements) in ins.reads() {
                let count = if let Operand::Broadcast(_) = operand { 1 } else { elements };
                (0..count).for_each(|element| self.mark(operand.cell(&tape.tables, element)));
            }
            if let Opcode::Past(ring) = ins.opcode {
                self.is_changed |= self.rings.insert(ring.first);
            }
        }
    }

    fn is_needed(&self, tape: &Tape, ins: &Instruction) -> bool {
        match ins.opcode {
            Opcode::Push(ring) | Opcode::Fill(ring) => self.rings.contains(&ring.first),
            Opcode::Solve { .. } => true,
            Opcode::LimitRuns | Opcode::RefuseNonFinite => false,
            Opcode::Branch(number) => {
                let branch = &tape.branches[number as usize];
                // A part that may run too often fails the step even if nothing reads its results.
                branch.repeat.is_some()
                    || branch.body.iter().chain(&branch.otherwise).any(|ins| self.is_needed(tape, ins))
            }
            _ => (ins.dst..ins.dst + ins.written()).any(|cell| self.cells[cell as usize]),
        }
    }
}
