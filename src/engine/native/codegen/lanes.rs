//! Generates loops over the elements of a group of instructions, two elements in a SIMD register.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, F64X2, I64};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

use super::lane::{LaneValue, Lanes, first, plain};
use super::{BYTES, Emitter, memory};
use crate::block::Binary;
use crate::block::math::Arithmetic;
use crate::engine::step_code::schedule::fusion::FusedGroup;
use crate::engine::step_code::schedule::order::{BodyItem, BodyRow, order};
use crate::engine::step_code::{Opcode, Operand};

/// Bodies of up to this many instructions are unrolled for eight elements, longer ones for four.
const SHORT_BODY: usize = 10;

impl Emitter<'_, '_> {
    /// Generates the loop over `elements` elements, and the elements that remain.
    pub fn elements(&mut self, group: &FusedGroup, elements: u32) {
        let at_once = if group.list.len() <= SHORT_BODY { 8 } else { 4 };
        let mut singles = self.singles(group);
        self.equal_rows(group, elements, &mut singles);
        let order = order(self.code, self.schedule, group);
        let whole = if group.is_unrolled(self.code) { 0 } else { elements / at_once * at_once };
        let folds: Vec<u32> = group.list.iter().copied().filter(|&at| self.is_fold(at)).collect();
        let start = folds.iter().map(|&at| singles.cells[&self.code.step[at as usize].args[0].cell(&[], 0)].value);
        let start: Vec<Value> = start.collect();
        let mut sums: Vec<LaneValue> = start.into_iter().map(|sum| plain(first(&mut self.b, sum))).collect();
        if whole > 0 {
            let (head, done) = (self.b.create_block(), self.b.create_block());
            let offset = self.b.append_block_param(head, I64);
            let zero = self.b.ins().iconst(I64, 0);
            let before: Vec<Value> = sums.iter().map(|sum| sum.value).collect();
            self.b.ins().jump(head, &sum_args(Some(zero), &before));
            self.b.switch_to_block(head);
            sums = before.iter().map(|_| plain(self.b.append_block_param(head, F64))).collect();
            for pair in 0..at_once / 2 {
                let element = 2 * pair;
                let iteration =
                    LoopIteration { offset: Some(offset), lanes: Lanes::Two, element, singles: &singles, elements };
                self.body(&order, &iteration, &mut sums);
            }
            let next = self.b.ins().iadd_imm_s(offset, i64::from(at_once) * BYTES);
            let goes_on = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, i64::from(whole) * BYTES);
            let after: Vec<Value> = sums.iter().map(|sum| sum.value).collect();
            self.b.ins().brif(goes_on, head, &sum_args(Some(next), &after), done, &sum_args(None, &after));
            self.b.switch_to_block(done);
            sums = after.iter().map(|_| plain(self.b.append_block_param(done, F64))).collect();
        }
        for element in (whole..elements).step_by(2) {
            let lanes = if element + 1 < elements { Lanes::Two } else { Lanes::One };
            let iteration = LoopIteration { offset: None, lanes, element, singles: &singles, elements };
            self.body(&order, &iteration, &mut sums);
        }
        group.list.iter().for_each(|&at| self.forget(at));
        for (at, sum) in folds.into_iter().zip(sums) {
            self.keep(at, self.code.step[at as usize].dst, sum);
        }
    }

    fn is_fold(&self, at: u32) -> bool {
        matches!(self.code.step[at as usize].opcode, Opcode::Fold(_))
    }

    /// Returns the scalars that all elements of a loop read.
    fn singles(&mut self, group: &FusedGroup) -> Singles {
        let mut singles = Singles { cells: HashMap::new(), rows: HashMap::new() };
        for &at in &group.list {
            let ins = self.code.step[at as usize];
            for (arg, _) in ins.reads() {
                if let Operand::Broadcast(cell) = arg {
                    let lane = self.single(cell).splat(&mut self.b);
                    singles.cells.entry(cell).or_insert(lane);
                }
            }
        }
        singles
    }

    /// Adds rows of which all elements are the same constant, by their first cells.
    fn equal_rows(&mut self, group: &FusedGroup, elements: u32, singles: &mut Singles) {
        for ins in group.list.iter().map(|at| self.code.step[*at as usize]) {
            for (arg, _) in ins.reads() {
                if let Operand::Contiguous(first) = arg
                    && !singles.rows.contains_key(&first)
                    && let Some(value) = self.equal_constant(first..first + elements)
                {
                    singles.rows.insert(first, self.lane(Lanes::Two).constant(value));
                }
            }
        }
    }

    /// Returns the step numbers of the elements of this iteration.
    fn steps_of(&mut self, iteration: &LoopIteration) -> Value {
        let mut first = self.b.ins().iadd_imm_s(self.step, i64::from(iteration.element));
        if let Some(offset) = iteration.offset {
            let done = self.b.ins().ushr_imm_u(offset, 3);
            first = self.b.ins().iadd(first, done);
        }
        if iteration.lanes == Lanes::One {
            return self.b.ins().fcvt_from_sint(F64, first);
        }
        let second = self.b.ins().iadd_imm_s(first, 1);
        let [first, second] = [first, second].map(|step| self.b.ins().fcvt_from_sint(F64, step));
        let pair = self.b.ins().splat(F64X2, first);
        self.b.ins().insertlane(pair, second, 1)
    }

    fn body(&mut self, order: &[BodyItem], iteration: &LoopIteration, sums: &mut [LaneValue]) {
        let bases = self.bases(iteration.offset);
        let lanes = iteration.lanes;
        // The results and operands of this iteration.
        let mut made: HashMap<BodyRow, LaneValue> = HashMap::new();
        for item in order {
            let ins = self.code.step[item.at as usize];
            let mut args = [None; 3];
            for ((arg, row), lane) in ins.args.iter().zip(item.rows).zip(&mut args).take(ins.reads().count()) {
                *lane = Some(self.operand(*arg, row, iteration, bases, &mut made));
            }
            if let (Opcode::Fold(op), [_, Some(terms), _], Some(sum)) = (ins.opcode, args, item.sum) {
                sums[sum] = self.fold(op, sums[sum], terms, lanes);
                continue;
            }
            let clock = match ins.opcode {
                Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) => {
                    let steps = self.steps_of(iteration);
                    Some(self.clock(ins.opcode, steps, lanes))
                }
                _ => None,
            };
            let mut writer = self.lane(lanes);
            let result = match (ins.opcode, args) {
                _ if clock.is_some() => clock,
                (Opcode::Copy, [Some(a), ..]) => Some(a),
                (Opcode::Unary(op), [Some(a), ..]) => op.inline(&mut writer, a),
                (Opcode::Binary(op), [Some(a), Some(b), _]) => op.inline(&mut writer, a, b),
                (Opcode::Select, [Some(on), Some(yes), Some(no)]) => Some(writer.select(on, yes, no)),
                _ => None,
            };
            let Some(result) = result else { panic!("the plan loops over what is in line, not {:?}", ins.opcode) };
            made.insert(item.result, result);
            if self.schedule.is_stored[item.at as usize] {
                // Loads the old value, which later instructions read.
                if item.is_read_later {
                    let before = BodyRow { version: item.result.version - 1, ..item.result };
                    self.operand(Operand::Contiguous(ins.dst), before, iteration, bases, &mut made);
                }
                let value = match lanes {
                    Lanes::Two => result.value,
                    Lanes::One => first(&mut self.b, result.value),
                };
                let (base, offset) = self.address(ins.dst + iteration.element, bases);
                self.b.ins().store(memory(), value, base, offset);
            }
        }
    }

    /// Adds the terms in the order of their elements.
    fn fold(&mut self, op: Binary, mut sum: LaneValue, terms: LaneValue, lanes: Lanes) -> LaneValue {
        for lane in 0..if lanes == Lanes::Two { 2 } else { 1 } {
            let term = plain(match lanes {
                Lanes::Two => self.b.ins().extractlane(terms.value, lane),
                Lanes::One => first(&mut self.b, terms.value),
            });
            sum = self.binary(op, sum, term);
        }
        plain(first(&mut self.b, sum.value))
    }

    fn operand(
        &mut self,
        arg: Operand,
        row: BodyRow,
        iteration: &LoopIteration,
        bases: [Value; 3],
        made: &mut HashMap<BodyRow, LaneValue>,
    ) -> LaneValue {
        match arg {
            Operand::Broadcast(cell) => iteration.singles.cells[&cell],
            Operand::Contiguous(from) => {
                if let Some(&lane) = made.get(&row).or_else(|| iteration.singles.rows.get(&from)) {
                    return lane;
                }
                let lane = plain(match iteration.lanes {
                    Lanes::Two => {
                        let flags = self.row_flags(from, iteration.elements);
                        let (base, offset) = self.address(from + iteration.element, bases);
                        self.b.ins().load(F64X2, flags, base, offset)
                    }
                    Lanes::One => self.load(from + iteration.element),
                });
                made.insert(row, lane);
                lane
            }
            Operand::Gather(at) => {
                let first = self.gathered(at + iteration.element, iteration);
                if iteration.lanes == Lanes::One {
                    return plain(first);
                }
                let second = self.gathered(at + iteration.element + 1, iteration);
                let pair = self.b.ins().scalar_to_vector(F64X2, first);
                plain(self.b.ins().insertlane(pair, second, 1))
            }
        }
    }

    /// Loads the cell that the table has for an element of this iteration.
    fn gathered(&mut self, at: u32, iteration: &LoopIteration) -> Value {
        let Some(offset) = iteration.offset else {
            return self.load(self.code.tables[at as usize]);
        };
        let table = self.b.ins().iconst(I64, self.code.tables.as_ptr() as i64);
        // An entry of the table has half the size of a cell.
        let half = self.b.ins().ushr_imm_u(offset, 1);
        let entry = self.b.ins().iadd(table, half);
        let cell = self.b.ins().uload32(memory(), entry, (at * 4) as i32);
        let bytes = self.b.ins().ishl_imm_u(cell, 3);
        let from = self.b.ins().iadd(self.cells, bytes);
        self.b.ins().load(F64, memory(), from, 0)
    }
}

fn sum_args(offset: Option<Value>, sums: &[Value]) -> Vec<BlockArg> {
    offset.into_iter().chain(sums.iter().copied()).map(BlockArg::from).collect()
}

/// One iteration of a loop: one or two elements from `element` on, plus `offset` bytes in the repeated part of it.
struct LoopIteration<'a> {
    offset: Option<Value>,
    lanes: Lanes,
    element: u32,
    /// The number of elements of the whole loop.
    elements: u32,
    singles: &'a Singles,
}

/// Values that are the same for all elements of a loop.
struct Singles {
    /// Scalars, by their cells.
    cells: HashMap<u32, LaneValue>,
    /// Rows of one constant, by their first cells.
    rows: HashMap<u32, LaneValue>,
}
