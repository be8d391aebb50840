//! Estimates how fast steps can follow each other: the critical path in processor cycles.
//!
//! A small loop often waits for its own last result. Independent work fits into that time at no cost.

use super::super::flat::{Ins, Opcode, Tape};
use crate::block::math::OperationRow;

/// Larger steps are limited by throughput, not by latency.
const MAX_LIVE: usize = 200;
/// Number of steps in the estimate.
const STEPS: u32 = 8;
/// Independent instructions per cycle.
const AT_ONCE: u32 = 4;

/// Whether the complete step is no slower than the step without its precomputable part.
pub(super) fn hides(tape: &Tape, is_live: &[bool], is_precomputed: &[bool]) -> bool {
    let live = || (0..tape.step.len()).filter(|&at| is_live[at]);
    let is_simple = |at: usize| tape.step[at].elements == 1 && cost(&tape.step[at]).is_some();
    if live().count() > MAX_LIVE || !live().all(is_simple) {
        return false;
    }
    let work: u32 = live().filter_map(|at| cost(&tape.step[at])).map(|(_, slots)| slots).sum();
    let mut ready = vec![0u32; tape.cells];
    let mut last = 0;
    let mut passed = 0;
    for step in 0..STEPS {
        for at in live().filter(|&at| !is_precomputed[at]) {
            let ins = &tape.step[at];
            let Some((wait, _)) = cost(ins) else { return false };
            let from = ins.reads().map(|(arg, _)| ready[arg.cell(&tape.tables, 0) as usize]).max().unwrap_or(0);
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
fn cost(ins: &Ins) -> Option<(u32, u32)> {
    Some(match ins.opcode {
        Opcode::Copy => (0, 0),
        Opcode::Unary(op) => return of_row(op.row()),
        Opcode::Binary(op) => return of_row(op.row()),
        Opcode::Select => (4, 4),
        Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) => (8, 4),
        _ => return None,
    })
}
