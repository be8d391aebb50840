//! Generates the loops over batches and steps, and the values that are carried from step to step.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};

use super::lane::{Lanes, first, plain};
use super::{BYTES, Emitter, memory};
use crate::engine::native::passes::fission::plan::STEPS;
use crate::engine::native::passes::fission::{Delays, LoopFission, Part};
use crate::engine::step_code::CellRange;
use crate::engine::step_code::schedule::fusion::FusionSchedule;

impl<'a> Emitter<'a, '_> {
    /// Jumps to a block that [`Emitter::enter`] begins.
    pub(in crate::engine::native) fn jump(&mut self, to: Block, step: Value, log: Value, carried: &[Value]) {
        self.b.ins().jump(to, &block_args(step, log, carried));
    }

    /// Begins a block whose parameters are the step, the log address, and the carried values, which it returns.
    pub(in crate::engine::native) fn enter(&mut self, block: Block, schedule: &FusionSchedule) -> Vec<Value> {
        self.b.switch_to_block(block);
        self.step = self.b.append_block_param(block, I64);
        self.log = self.b.append_block_param(block, I64);
        let truth = self.lane(Lanes::One).carried_type();
        let kind = |is_truth: &bool| if *is_truth { truth } else { F64 };
        schedule.truths.iter().map(|is_truth| self.b.append_block_param(block, kind(is_truth))).collect()
    }

    /// Returns the carried values from memory.
    pub(in crate::engine::native) fn initial(&mut self, schedule: &FusionSchedule) -> Vec<Value> {
        let value = |(&cell, &is_truth): (&u32, &bool)| {
            let value = self.load(cell);
            if is_truth { self.lane(Lanes::One).carried(plain(value)) } else { value }
        };
        schedule.carried.iter().zip(&schedule.truths).map(value).collect()
    }

    /// Returns the values that are carried to the next step.
    fn carried(&mut self, schedule: &FusionSchedule) -> Vec<Value> {
        let value = |(&cell, &is_truth): (&u32, &bool)| match is_truth {
            true => {
                let lane = self.single(cell);
                self.lane(Lanes::One).carried(lane)
            }
            false => self.scalar(cell),
        };
        schedule.carried.iter().zip(&schedule.truths).map(value).collect()
    }

    /// Takes the carried values as those of their cells, and no others.
    pub(in crate::engine::native) fn know(&mut self, schedule: &FusionSchedule, carried: &[Value]) {
        self.known.clear();
        for ((&cell, &is_truth), &value) in schedule.carried.iter().zip(&schedule.truths).zip(carried) {
            let lane = if is_truth { self.lane(Lanes::One).number_of_carried(value) } else { plain(value) };
            self.known.insert(cell, lane);
        }
    }

    /// Returns a carried value as a number.
    pub(in crate::engine::native) fn number_of(&mut self, carried: Value) -> Value {
        if self.b.func.dfg.value_type(carried) == F64 {
            return carried;
        }
        let number = self.lane(Lanes::One).number_of_carried(carried).value;
        first(&mut self.b, number)
    }

    pub(in crate::engine::native) fn store_carried(&mut self, schedule: &FusionSchedule, carried: &[Value]) {
        for (&cell, &value) in schedule.carried.iter().zip(carried) {
            let value = self.number_of(value);
            self.store(cell, value);
        }
    }

    /// Generates the precomputation for the batch that begins with this step and ends before `limit`.
    pub(in crate::engine::native) fn precompute(&mut self, part: &'a Part, limit: Value) {
        let around = (self.code, self.schedule, self.watched, self.step, self.log);
        (self.code, self.schedule) = (&part.code, &part.schedule);
        // Watched values are logged step by step, not here.
        self.watched = &[];
        match &part.results {
            None => self.groups(&part.schedule),
            Some(results) => self.recurrences(results, limit),
        }
        (self.code, self.schedule, self.watched, self.step, self.log) = around;
        self.known.clear();
    }

    /// Generates the steps of recurrences, which leave their results in rows.
    fn recurrences(&mut self, results: &'a [(u32, u32)], limit: Value) {
        let (first_of_round, schedule) = (self.step, self.schedule);
        self.rows = Some(results);
        let initial = self.initial(schedule);
        let [head, tail] = [(); 2].map(|()| self.b.create_block());
        self.jump(head, first_of_round, self.log, &initial);
        let carried = self.enter(head, schedule);
        self.set_this_step(first_of_round);
        self.know(schedule, &carried);
        self.groups(schedule);
        self.close(head, tail, limit);
        let last = self.enter(tail, schedule);
        self.store_carried(schedule, &last);
        self.rows = None;
    }

    /// Finds the address of the elements of rows for this step.
    pub(in crate::engine::native) fn set_this_step(&mut self, first_of_round: Value) {
        let made = self.b.ins().isub(self.step, first_of_round);
        let bytes = self.b.ins().ishl_imm_u(made, 3);
        self.this_step = self.b.ins().iadd(self.cells, bytes);
    }

    /// Finds the buffers with the states and with their next values in this step of a call that began with step `begin`.
    pub(in crate::engine::native) fn set_buffers(&mut self, begin: Value) {
        let Some(double_buffer) = self.double_buffer else { return };
        let distance = i64::from(double_buffer.distance) * BYTES;
        let done = self.b.ins().isub(self.step, begin);
        let is_odd = self.b.ins().band_imm_s(done, 1);
        let bytes = self.b.ins().imul_imm_s(is_odd, distance);
        self.current = self.b.ins().iadd(self.cells, bytes);
        let second = self.b.ins().iadd_imm_s(self.cells, distance);
        self.next = self.b.ins().isub(second, bytes);
    }

    /// Returns the step before which the batch ends.
    pub(in crate::engine::native) fn round_end(&mut self, split: &LoopFission, end: Value) -> Value {
        if split.precompute.is_empty() {
            return end;
        }
        let next = self.b.ins().iadd_imm_s(self.step, i64::from(STEPS));
        self.b.ins().umin(next, end)
    }

    /// After a batch, copies the last values of delayed rows to the front of them.
    pub(in crate::engine::native) fn move_on(&mut self, delays: &Delays, first_of_round: Value) {
        if delays.rows.is_empty() {
            return;
        }
        self.set_this_step(first_of_round);
        for &CellRange { first: row, count } in &delays.rows {
            // In ascending order, since source and target may overlap.
            for at in row - count..row {
                let value = self.b.ins().load(F64, memory(), self.this_step, Self::offset(at));
                self.store(at, value);
            }
        }
    }

    pub(in crate::engine::native) fn close(&mut self, head: Block, tail: Block, limit: Value) {
        let next = self.b.ins().iadd_imm_s(self.step, 1);
        let carried = self.carried(self.schedule);
        let args = block_args(next, self.log, &carried);
        let goes_on = self.b.ins().icmp(IntCC::UnsignedLessThan, next, limit);
        let reported = self.code.reports.as_ref().map(|report_cells| report_cells.any).map(|any| self.scalar(any));
        let goes_on = self.unless_reported(goes_on, reported);
        self.b.ins().brif(goes_on, head, &args, tail, &args);
    }

    /// Returns whether to continue: never after an assertion report, which the caller handles.
    pub(in crate::engine::native) fn unless_reported(&mut self, goes_on: Value, reported: Option<Value>) -> Value {
        let Some(reported) = reported else { return goes_on };
        let zero = self.b.ins().f64const(0.0);
        let is_quiet = self.b.ins().fcmp(FloatCC::Equal, reported, zero);
        self.b.ins().band(goes_on, is_quiet)
    }
}

pub(in crate::engine::native) fn block_args(step: Value, log: Value, carried: &[Value]) -> Vec<BlockArg> {
    [step, log].into_iter().chain(carried.iter().copied()).map(BlockArg::from).collect()
}
