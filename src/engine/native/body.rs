//! Branches as machine code: the body and the alternative are each scheduled like a step.
//!
//! A branch reads memory, or registers filled before it, and stores everything that others read, now or in a step
//! without a run. Iterated branches are executed by a call of the interpreter.

use std::collections::HashSet;

use super::super::flat::{Ins, Opcode, Operand, Tape};
use super::fission::part;
use super::fusion::FusionSchedule;

pub(super) struct Body {
    /// The branch runs if this cell is 1 or more.
    pub guard: u32,
    /// What that cell is when the branch runs, if that is known.
    pub guard_value: Option<f64>,
    pub on: (Tape, FusionSchedule),
    /// `None` if there is no alternative.
    pub off: Option<(Tape, FusionSchedule)>,
}

/// Limit on the number of examined cells.
pub(super) const MAX_WORK: usize = 1 << 26;

/// The bodies of all branches, by number; `None` for those left to the interpreter.
pub(super) fn bodies(tape: &Tape, watched: &[(u32, u32)]) -> Vec<Option<Body>> {
    let count = tape.branches.len();
    if count.saturating_mul(tape.cells + tape.tables.len()) > MAX_WORK {
        return (0..count).map(|_| None).collect();
    }
    let readers = CellReaders::new(tape, watched);
    let hits: HashSet<u32> =
        tape.step.iter().filter(|ins| matches!(ins.opcode, Opcode::Hit(_))).map(|ins| ins.dst).collect();
    let body = |number: usize| {
        let branch = &tape.branches[number];
        if branch.repeat.is_some() {
            return None;
        }
        let schedule = |list: &[Ins]| {
            let kept = readers.kept(tape, list, number as u32);
            let part = part(tape, list.to_vec(), list.len(), tape.cells);
            let schedule = FusionSchedule::of_branch(&part, &kept);
            (part, schedule)
        };
        let off = (!branch.otherwise.is_empty()).then(|| schedule(&branch.otherwise));
        let guard_value = hits.contains(&branch.guard).then_some(1.0);
        Some(Body { guard: branch.guard, guard_value, on: schedule(&branch.body), off })
    };
    (0..count).map(body).collect()
}

/// The reader of each cell: none, one branch, or others.
struct CellReaders(Vec<u32>);

const NOBODY: u32 = u32::MAX;
const OTHERS: u32 = u32::MAX - 1;

impl CellReaders {
    fn new(tape: &Tape, watched: &[(u32, u32)]) -> CellReaders {
        let mut readers = CellReaders(vec![NOBODY; tape.cells]);
        readers.all(tape, &tape.step, OTHERS);
        for (number, branch) in tape.branches.iter().enumerate() {
            readers.all(tape, &branch.body, number as u32);
            readers.all(tape, &branch.otherwise, number as u32);
            let repeat = branch.repeat.and_then(|repeat| repeat.condition);
            [Some(branch.guard), repeat].into_iter().flatten().for_each(|cell| readers.note(cell, OTHERS));
        }
        watched.iter().for_each(|&(first, width)| (first..first + width).for_each(|cell| readers.note(cell, OTHERS)));
        for piece in tape.lasting.0.iter().chain(&tape.discrete.0).chain(&tape.continuous.0) {
            (piece.cell..piece.cell + piece.count).for_each(|cell| readers.note(cell, OTHERS));
        }
        if let Some(driven) = &tape.driven {
            readers.all(tape, &driven.list, OTHERS);
            for piece in driven.rates.0.iter().chain(&driven.nexts.0) {
                (piece.cell..piece.cell + piece.count).for_each(|cell| readers.note(cell, OTHERS));
            }
        }
        readers
    }

    fn note(&mut self, cell: u32, reader: u32) {
        let known = &mut self.0[cell as usize];
        *known = if *known == NOBODY || *known == reader { reader } else { OTHERS };
    }

    fn all(&mut self, tape: &Tape, list: &[Ins], reader: u32) {
        // The branches' own lists tell what they read.
        for ins in list.iter().filter(|ins| !matches!(ins.opcode, Opcode::Branch(_))) {
            for (arg, elements) in ins.reads() {
                let count = if let Operand::Broadcast(_) = arg { 1 } else { elements };
                (0..count).for_each(|element| self.note(arg.cell(&tape.tables, element), reader));
            }
        }
    }

    /// For each cell, whether a branch that writes it must store it in memory.
    fn kept(&self, tape: &Tape, list: &[Ins], branch: u32) -> Vec<bool> {
        let mut kept = vec![false; tape.cells];
        for cell in list.iter().flat_map(|ins| tape.writes(ins)) {
            let reader = self.0[cell as usize];
            kept[cell as usize] = reader != NOBODY && reader != branch;
        }
        kept
    }
}
