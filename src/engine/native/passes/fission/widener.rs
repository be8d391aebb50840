//! Instructions over the steps of a batch.

use super::finder::{CellWriter, Finder, Item};
use super::plan::STEPS;
use crate::block::Binary;
use crate::engine::step_code::{Instruction, Opcode, Operand};

/// Generates the instructions over the steps of a batch.
pub(super) struct Widener<'a, 'f, F: Fn(u32) -> Option<u32>> {
    finder: &'a Finder<'f>,
    row_of: &'a F,
    /// The rows generated so far.
    is_made: Vec<bool>,
    list: Vec<Instruction>,
}

impl<'a, 'f, F: Fn(u32) -> Option<u32>> Widener<'a, 'f, F> {
    pub fn new(finder: &'a Finder<'f>, row_of: &'a F) -> Widener<'a, 'f, F> {
        Widener { finder, row_of, is_made: vec![false; finder.lines.len()], list: Vec::new() }
    }

    /// Generates the scalars of the major step whose cells are wanted.
    pub fn scalars(&mut self, is_wanted: impl Fn(u32) -> bool) {
        let finder = self.finder;
        for item in &finder.order {
            if let Item::Instruction(at) = *item
                && (at as usize) < finder.code.sampled
                && is_wanted(finder.code.step[at as usize].dst)
            {
                self.make(at, 0);
            }
        }
    }

    /// Marks the row of a cell as generated.
    pub fn mark(&mut self, cell: u32) {
        if let Some(offset) = self.finder.offsets[cell as usize] {
            self.is_made[offset.row as usize] = true;
        }
    }

    /// Takes out the instructions generated since the last call.
    pub fn take(&mut self) -> Vec<Instruction> {
        std::mem::take(&mut self.list)
    }

    /// Generates an element of an instruction after the vectors that it needs. Vectors are generated on demand, so that a
    /// long sum does not wait for all its terms.
    fn make(&mut self, at: u32, element: u32) {
        let code = self.finder.code;
        if let Opcode::Fold(op) = code.step[at as usize].opcode {
            return self.fold(at, op);
        }
        let mut precompute = vec![(at, element, false)];
        while let Some((at, element, is_ready)) = precompute.pop() {
            let ins = &code.step[at as usize];
            let cell = ins.dst + element;
            let Some(offset) = self.finder.offsets[cell as usize] else { continue };
            if self.is_made[offset.row as usize] {
                continue;
            }
            let operands = ins.reads().zip(ins.args).map(|(_, arg)| arg.cell(&code.tables, element));
            if !is_ready {
                precompute.push((at, element, true));
                operands.for_each(|cell| precompute.extend(self.maker(cell)));
                continue;
            }
            self.is_made[offset.row as usize] = true;
            let mut args = [Operand::Broadcast(0); 3];
            args.iter_mut().zip(operands).for_each(|(arg, cell)| *arg = self.batched(cell));
            let Some(dst) = (self.row_of)(cell) else { continue };
            // A single element is the first of its vector, whatever the step.
            let opcode =
                if let Opcode::Random { .. } = ins.opcode { Opcode::Random { is_vector: false } } else { ins.opcode };
            self.list.push(Instruction { opcode, elements: STEPS, dst, args });
        }
    }

    fn fold(&mut self, at: u32, op: Binary) {
        let code = self.finder.code;
        let ins = &code.step[at as usize];
        let Some(dst) = (self.row_of)(ins.dst) else { return };
        let mut first = ins.args[0].cell(&code.tables, 0);
        self.need(first);
        let mut sum = self.batched(first);
        for element in 0..ins.elements {
            first = ins.args[1].cell(&code.tables, element);
            self.need(first);
            let args = [sum, self.batched(first), Operand::Broadcast(0)];
            self.list.push(Instruction { opcode: Opcode::Binary(op), elements: STEPS, dst, args });
            sum = Operand::Contiguous(dst);
        }
    }

    /// Generates the instructions that the row of a cell needs.
    pub fn need(&mut self, cell: u32) {
        if let Some((at, element, _)) = self.maker(cell) {
            self.make(at, element);
        }
    }

    /// The vector element that computes the row of a cell, if the row is not generated yet.
    fn maker(&self, cell: u32) -> Option<(u32, u32, bool)> {
        let finder = self.finder;
        let offset = finder.offsets[cell as usize]?;
        if self.is_made[offset.row as usize] {
            return None;
        }
        let mut cell = cell;
        // Through copies and delays, which share the row.
        loop {
            let CellWriter::One(at) = finder.writers[cell as usize] else { return None };
            let ins = &finder.code.step[at as usize];
            let element = cell - ins.dst;
            let from = ins.args[0].cell(&finder.code.tables, element);
            match ins.opcode {
                Opcode::Copy if finder.offsets[from as usize].is_some() => cell = from,
                _ => {
                    return (ins.elements > 1 && !matches!(ins.opcode, Opcode::Fold(_)))
                        .then_some((at, element, false));
                }
            }
        }
    }

    fn batched(&self, cell: u32) -> Operand {
        (self.row_of)(cell).map_or(Operand::Broadcast(cell), Operand::Contiguous)
    }
}
