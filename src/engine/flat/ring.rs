//! Ring buffers in the history of the context.

use super::{Ins, Machine, Ring};

impl Machine {
    pub(super) fn fill(&mut self, ring: Ring, ins: &Ins) {
        let lanes = ins.lanes as usize;
        let places = &mut self.context.history[ring.first as usize..][..ring.length as usize * lanes];
        for (number, place) in places.iter_mut().enumerate() {
            *place = self.cells[ins.args[0].cell(&self.tape.tables, (number % lanes) as u32) as usize];
        }
    }

    pub(super) fn push(&mut self, ring: Ring, ins: &Ins) {
        let cell = |arg: usize, lane| ins.args[arg].cell(&self.tape.tables, lane) as usize;
        if self.cells[cell(1, 0)] == 0.0 {
            return;
        }
        let (lanes, length) = (ins.lanes as usize, ring.length as usize);
        let history = &mut self.context.history[ring.first as usize..];
        let place = history[length * lanes] as usize;
        for (lane, to) in history[place * lanes..][..lanes].iter_mut().enumerate() {
            *to = self.cells[cell(0, lane as u32)];
        }
        history[length * lanes] = ((place + 1) % length) as f64;
    }

    pub(super) fn past(&mut self, ring: Ring, ins: &Ins) {
        let back = self.cells[ins.args[0].cell(&self.tape.tables, 0) as usize];
        let (lanes, length) = (ins.lanes as usize, ring.length as usize);
        let history = &self.context.history[ring.first as usize..];
        let next = history[length * lanes] as usize;
        // The conversion saturates; NaN means the latest value.
        let place = (next + length - (back as usize).clamp(1, length)) % length;
        self.cells[ins.dst as usize..][..lanes].copy_from_slice(&history[place * lanes..][..lanes]);
    }
}
