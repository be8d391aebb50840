//! Estimates how fast steps can follow each other: the critical path in processor cycles.
//!
//! A small loop often waits for its own last result. Independent work fits into that time at no cost.

use super::fission::plan::{Plan, STEPS as BATCH};
use crate::block::math::OperationRow;
use crate::engine::step_code::schedule::fusion::{FusedKind, kind_of};
use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// Larger steps are limited by throughput, not by latency.
const MAX_LIVE: usize = 200;
/// Number of steps in the estimate.
const STEPS: u32 = 8;
/// Independent instructions per cycle.
const AT_ONCE: u32 = 4;

/// Whether the complete step is no slower than the step without its precomputable part.
pub(in crate::engine::native) fn hides(code: &StepCode, is_live: &[bool], is_precomputed: &[bool]) -> bool {
    let live = || (0..code.step.len()).filter(|&at| is_live[at]);
    let is_simple = |at: usize| code.step[at].elements == 1 && cost(&code.step[at]).is_some();
    if live().count() > MAX_LIVE || !live().all(is_simple) {
        return false;
    }
    let work: u32 = live().filter_map(|at| cost(&code.step[at])).map(|(_, slots)| slots).sum();
    let mut ready = vec![0u32; code.cells];
    let mut last = 0;
    let mut passed = 0;
    for step in 0..STEPS {
        for at in live().filter(|&at| !is_precomputed[at]) {
            let ins = &code.step[at];
            let Some((wait, _)) = cost(ins) else { return false };
            let from = ins.reads().map(|(arg, _)| ready[arg.cell(&code.tables, 0) as usize]).max().unwrap_or(0);
            ready[ins.dst as usize] = from + wait;
            last = last.max(from + wait);
        }
        if step + 1 == STEPS / 2 {
            passed = last;
        }
    }
    // Cycles that the later half of the steps waits.
    (last - passed) * AT_ONCE >= work * (STEPS / 2)
}

fn of_row(row: &OperationRow) -> Option<(u32, u32)> {
    row.is_inline.then_some((row.cost.latency, row.cost.occupancy))
}

/// Latency in cycles and share of a cycle's throughput; `None` if unknown.
fn cost(ins: &Instruction) -> Option<(u32, u32)> {
    Some(match ins.opcode {
        Opcode::Copy => (0, 0),
        Opcode::Unary(op) => return of_row(op.row()),
        Opcode::Binary(op) => return of_row(op.row()),
        Opcode::Select => (4, 4),
        Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) => (8, 4),
        _ => return None,
    })
}

/// The instructions that a processor looks at in advance.
const WINDOW: f64 = 256.0;
/// The estimate must be better by this factor, since it is rough.
const GAIN: f64 = 0.9;

/// Whether these parts and the rest of a step are faster than the whole step.
pub(in crate::engine::native) fn is_faster(
    code: &StepCode,
    precompute: &[Plan],
    [rest, whole]: [&[Instruction]; 2],
) -> bool {
    let mut cycles = step_cycles(code, rest, 0);
    for part in precompute {
        cycles += match part {
            Plan::Rows(list) => rows_cycles(list),
            Plan::Recurrences(plan) => step_cycles(code, &plan.list, plan.results.len()),
        };
    }
    cycles < GAIN * step_cycles(code, whole, 0)
}

/// The cycles of a step of a list with `results` results in rows.
///
/// The processor waits for results of the step before, for execution slots, or, in a long list, for the results of
/// earlier instructions: its window of lookahead is limited.
fn step_cycles(code: &StepCode, list: &[Instruction], results: usize) -> f64 {
    let slots: f64 = results as f64 + list.iter().map(slots).sum::<f64>();
    let mut ready = vec![0.0f64; code.cells];
    let (mut depth, mut passed, mut last) = (0.0, 0.0, 0.0f64);
    for step in 0..STEPS {
        for ins in list {
            let mut from = 0.0f64;
            code.each_read(ins, |cell, _| from = from.max(ready[cell as usize]));
            let end = from + latency(ins);
            code.writes(ins).for_each(|cell| ready[cell as usize] = end);
            last = last.max(end);
        }
        if step == 0 {
            depth = last;
        }
        if step + 1 == STEPS / 2 {
            passed = last;
        }
    }
    let carried = (last - passed) / f64::from(STEPS / 2);
    let throughput = slots / f64::from(AT_ONCE);
    carried.max(throughput).max(depth * (slots / WINDOW).min(1.0))
}

/// The cycles of a step of instructions that are executed for a batch at once.
fn rows_cycles(list: &[Instruction]) -> f64 {
    let slots: f64 = list.iter().map(slots).sum();
    slots / f64::from(BATCH) / f64::from(AT_ONCE)
}

/// The share of the processor that an instruction takes, in slots of which there are [`AT_ONCE`] in a cycle.
fn slots(ins: &Instruction) -> f64 {
    let elements = f64::from(ins.elements);
    let each = match cost(ins) {
        Some((_, slots)) => f64::from(slots),
        None => f64::from(unknown_cost(ins).1),
    };
    match kind_of(ins) {
        // Two elements at once, from memory and back.
        FusedKind::Loop(_) => elements * (each + 1.0) / 2.0,
        FusedKind::Call if ins.elements > 1 => elements * each / 4.0,
        _ => elements * each,
    }
}

fn latency(ins: &Instruction) -> f64 {
    let each = f64::from(cost(ins).map_or_else(|| unknown_cost(ins).0, |(wait, _)| wait));
    match (ins.opcode, kind_of(ins)) {
        (Opcode::Fold(_), _) => each * f64::from(ins.elements),
        // Through memory.
        (_, FusedKind::Loop(_)) => each + 5.0,
        _ => each,
    }
}

/// Rough figures for what [`cost`] does not know, in the same units, for each element.
fn unknown_cost(ins: &Instruction) -> (u32, u32) {
    match ins.opcode {
        Opcode::Fold(op) => of_row(op.row()).unwrap_or((40, 100)),
        Opcode::Precomputed(_) => (0, 1),
        Opcode::Pick { .. } => (10, 10),
        Opcode::Hit(_) | Opcode::Count(_) => (20, 20),
        _ => (40, 100),
    }
}
