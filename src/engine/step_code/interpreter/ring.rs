//! Ring buffers in the history of the context, and its records of signals.

use crate::block::RecordRead;
use crate::engine::step_code::{Instruction, Machine, Ring};

impl Machine {
    pub(in crate::engine::step_code) fn fill(&mut self, ring: Ring, ins: &Instruction) {
        let elements = ins.elements as usize;
        let slots = &mut self.context.history[ring.first as usize..][..ring.length as usize * elements];
        for (number, slot) in slots.iter_mut().enumerate() {
            *slot = self.cells[ins.args[0].cell(&self.code.tables, (number % elements) as u32) as usize];
        }
    }

    pub(in crate::engine::step_code) fn push(&mut self, ring: Ring, ins: &Instruction) {
        let cell = |arg: usize, element| ins.args[arg].cell(&self.code.tables, element) as usize;
        if self.cells[cell(1, 0)] == 0.0 {
            return;
        }
        let (elements, length) = (ins.elements as usize, ring.length as usize);
        let history = &mut self.context.history[ring.first as usize..];
        let slot = history[length * elements] as usize;
        for (element, to) in history[slot * elements..][..elements].iter_mut().enumerate() {
            *to = self.cells[cell(0, element as u32)];
        }
        history[length * elements] = ((slot + 1) % length) as f64;
    }

    pub(in crate::engine::step_code) fn past(&mut self, ring: Ring, ins: &Instruction) {
        let back = self.cells[ins.args[0].cell(&self.code.tables, 0) as usize];
        let (elements, length) = (ins.elements as usize, ring.length as usize);
        let history = &self.context.history[ring.first as usize..];
        let next = history[length * elements] as usize;
        // The conversion saturates; NaN means the latest value.
        let slot = (next + length - (back as usize).clamp(1, length)) % length;
        self.cells[ins.dst as usize..][..elements].copy_from_slice(&history[slot * elements..][..elements]);
    }

    pub(in crate::engine::step_code) fn read_record(&mut self, (record, read): (u32, RecordRead), ins: &Instruction) {
        let cell = |arg: usize, element: u32| self.cells[ins.args[arg].cell(&self.code.tables, element) as usize];
        let (at, now) = (cell(0, 0), cell(2, 0));
        self.args.clear();
        self.args.extend((0..ins.elements).map(|element| cell(1, element)));
        let to = &mut self.cells[ins.dst as usize..][..ins.elements as usize];
        self.context.records[record as usize].read(read, at, (now, &self.args), to);
    }
}
