//! Branches as machine code: the body and the alternative are each scheduled like a step.
//!
//! A branch reads memory, or registers filled before it, and stores all values that are read outside it, now or in a
//! step in which it does not run. A value that only the context needs, at the end of a call, is recomputed at that
//! point if this is possible from values in memory. Iterated branches are executed by a call of the interpreter.

use crate::engine::step_code::guards::MAX_WORK;
use std::collections::{BTreeSet, HashSet};

use crate::engine::step_code::{Branch, CellRange, Instruction, Opcode, Operand, StepCode};

use crate::engine::step_code::schedule::fusion::{FusionSchedule, IsScalar, ReadMode};
use crate::engine::step_code::schedule::gathers::part;

pub(in crate::engine::native) struct Body {
    /// The branch runs if this cell is 1 or more.
    pub guard: u32,
    /// The value of that cell when the branch runs, if it is known.
    pub guard_value: Option<f64>,
    pub on: (StepCode, FusionSchedule),
    /// `None` if there is no alternative.
    pub off: Option<(StepCode, FusionSchedule)>,
    pub at_end: Option<AtEnd>,
    /// The cells that it reads one by one and does not write, in ascending order: they may be in registers.
    pub scalars: Vec<u32>,
}

/// The instructions that are executed again at the end of a call.
pub(in crate::engine::native) struct AtEnd {
    /// The cell that is nonzero if the branch has run in this call.
    pub has_run: u32,
    pub list: (StepCode, FusionSchedule),
}

/// Fewer results than this are stored in each run.
const WORTH: u32 = 4;

/// The bodies of all branches, by number; `None` for those left to the interpreter. They use the cells from `cells` on
/// for themselves.
pub(in crate::engine::native) fn bodies(code: &StepCode, watched: &[CellRange], mut cells: usize) -> Bodies {
    let count = code.branches.len();
    if count.saturating_mul(code.cells + code.tables.len()) > MAX_WORK {
        return Bodies { list: (0..count).map(|_| None).collect(), cells };
    }
    let readers = CellReaders::new(code, watched);
    let hits: HashSet<u32> =
        code.step.iter().filter(|ins| matches!(ins.opcode, Opcode::Hit(_))).map(|ins| ins.dst).collect();
    let mut body = |number: usize, inner: IsScalar| {
        let branch = &code.branches[number];
        let is_empty = branch.body.is_empty() && branch.otherwise.is_empty();
        if branch.repeat.is_some() || is_empty {
            return None;
        }
        let is_at_hit = hits.contains(&branch.guard);
        let resolved = |ins: &Instruction| {
            if is_at_hit { at_hit(code, ins, branch.guard) } else { *ins }
        };
        let body: Vec<Instruction> = branch.body.iter().map(resolved).collect();
        let later = if branch.otherwise.is_empty() { readers.only_at_end(code, number, &body) } else { Vec::new() };
        let schedule = |list: &[Instruction], is_kept: &dyn Fn(u32) -> bool| {
            let mut kept = vec![false; code.cells];
            list.iter().flat_map(|ins| code.writes(ins)).for_each(|cell| kept[cell as usize] = is_kept(cell));
            let part = part(code, list.to_vec(), list.len(), code.cells);
            let schedule = FusionSchedule::of_branch(&part, &kept, inner);
            (part, schedule)
        };
        let is_later: HashSet<u32> = later.iter().flat_map(|ins| code.writes(ins)).collect();
        let is_kept = |cell: u32| readers.is_kept(cell, number as u32);
        let at_end = (!later.is_empty()).then(|| {
            cells += 1;
            AtEnd { has_run: cells as u32 - 1, list: schedule(&later, &is_kept) }
        });
        let on = schedule(&body, &|cell| is_kept(cell) && !is_later.contains(&cell));
        let off = (!branch.otherwise.is_empty()).then(|| schedule(&branch.otherwise, &is_kept));
        Some(Body {
            guard: branch.guard,
            guard_value: is_at_hit.then_some(1.0),
            scalars: scalars(branch, [&on].into_iter().chain(&off), inner),
            on,
            off,
            at_end,
        })
    };
    let mut list = Vec::with_capacity(count);
    for number in 0..count {
        // Inner branches have lower numbers than the outer ones.
        let body = body(number, &is_scalar(&list));
        list.push(body);
    }
    Bodies { list, cells }
}

/// Returns an instruction as it is where the guard, a sample hit, is 1: a block that holds its output takes a new value.
fn at_hit(code: &StepCode, ins: &Instruction, guard: u32) -> Instruction {
    let [on, new, _] = ins.args;
    let is_hit = || (0..ins.elements).all(|element| on.cell(&code.tables, element) == guard);
    match ins.opcode {
        Opcode::Select if is_hit() => {
            Instruction { opcode: Opcode::Copy, args: [new, Operand::Broadcast(0), Operand::Broadcast(0)], ..*ins }
        }
        _ => *ins,
    }
}

/// Returns whether a branch, by number, reads a cell as [`Body::scalars`].
pub(in crate::engine::native) fn is_scalar(bodies: &[Option<Body>]) -> impl Fn(u32, u32) -> bool {
    |number, cell| match bodies.get(number as usize) {
        Some(Some(body)) => body.scalars.binary_search(&cell).is_ok(),
        _ => false,
    }
}

/// As [`Body::scalars`].
fn scalars<'a>(
    branch: &Branch,
    lists: impl Iterator<Item = &'a (StepCode, FusionSchedule)>,
    inner: IsScalar,
) -> Vec<u32> {
    let mut scalars = BTreeSet::from([branch.guard]);
    let mut others: BTreeSet<u32> = branch.writes.iter().flat_map(|range| range.cells()).collect();
    for (code, schedule) in lists {
        for group in &schedule.groups {
            for ins in group.list.iter().map(|at| &code.step[*at as usize]) {
                code.each_read(ins, |cell, operand| {
                    let is_scalar = matches!(ReadMode::of(group.kind, ins, operand, cell, inner), ReadMode::Single);
                    if is_scalar {
                        scalars.insert(cell)
                    } else {
                        others.insert(cell)
                    };
                });
            }
        }
    }
    scalars.difference(&others).copied().collect()
}

pub(in crate::engine::native) struct Bodies {
    pub list: Vec<Option<Body>>,
    /// The number of cells with those of the bodies.
    pub cells: usize,
}

/// Who reads and writes each cell.
struct CellReaders {
    /// The reader: none, one branch, or others.
    readers: Vec<u32>,
    /// Whether the context reads it at the end of a call.
    is_lasting: Vec<bool>,
    /// The number of instructions that write it in a step.
    writers: Vec<u8>,
}

const NOBODY: u32 = u32::MAX;
const OTHERS: u32 = u32::MAX - 1;

impl CellReaders {
    fn new(code: &StepCode, watched: &[CellRange]) -> CellReaders {
        let mut readers = CellReaders {
            readers: vec![NOBODY; code.cells],
            is_lasting: vec![false; code.cells],
            writers: vec![0; code.cells],
        };
        readers.all(code, &code.step, OTHERS);
        for (number, branch) in code.branches.iter().enumerate() {
            readers.all(code, &branch.body, number as u32);
            readers.all(code, &branch.otherwise, number as u32);
            let condition = branch.repeat.and_then(|repeat| repeat.condition);
            let counted = branch.again.iter().map(|(cell, _)| *cell);
            let read = [Some(branch.guard), condition].into_iter().flatten().chain(counted);
            read.for_each(|cell| readers.note(cell, OTHERS));
            branch.repeat.iter().for_each(|repeat| readers.writers[repeat.iteration as usize] = u8::MAX);
        }
        watched.iter().for_each(|range| range.cells().for_each(|cell| readers.note(cell, OTHERS)));
        for piece in code.discrete.0.iter().chain(&code.continuous.0) {
            (piece.cell..piece.cell + piece.count).for_each(|cell| readers.note(cell, OTHERS));
        }
        for piece in &code.lasting.0 {
            readers.is_lasting[piece.cell as usize..(piece.cell + piece.count) as usize].fill(true);
        }
        if let Some(driven) = &code.driven {
            readers.all(code, &driven.list, OTHERS);
            for piece in driven.rates.0.iter().chain(&driven.nexts.0) {
                (piece.cell..piece.cell + piece.count).for_each(|cell| readers.note(cell, OTHERS));
            }
        }
        readers
    }

    fn note(&mut self, cell: u32, reader: u32) {
        let known = &mut self.readers[cell as usize];
        *known = if *known == NOBODY || *known == reader { reader } else { OTHERS };
    }

    fn all(&mut self, code: &StepCode, list: &[Instruction], reader: u32) {
        // The lists of the branches themselves contain their accesses.
        for ins in list.iter().filter(|ins| !matches!(ins.opcode, Opcode::Branch(_))) {
            for (arg, elements) in ins.reads() {
                let count = if let Operand::Broadcast(_) = arg { 1 } else { elements };
                (0..count).for_each(|element| self.note(arg.cell(&code.tables, element), reader));
            }
            code.writes(ins)
                .for_each(|cell| self.writers[cell as usize] = self.writers[cell as usize].saturating_add(1));
        }
    }

    /// Whether the cell is read outside the branch.
    fn is_read_outside(&self, cell: u32, branch: u32) -> bool {
        let reader = self.readers[cell as usize];
        reader != NOBODY && reader != branch
    }

    /// Whether a branch that writes the cell must leave it in memory.
    fn is_kept(&self, cell: u32, branch: u32) -> bool {
        self.is_lasting[cell as usize] || self.is_read_outside(cell, branch)
    }

    /// The instructions of a branch whose results are needed at the end of a call alone, and whose operands still have
    /// the values of its last run then; empty if they are few.
    fn only_at_end(&self, code: &StepCode, branch: usize, body: &[Instruction]) -> Vec<Instruction> {
        // Cells of this branch that have the values of its last run at the end of a call, in memory or computed once more.
        let mut is_there = HashSet::new();
        let mut later = Vec::new();
        for ins in body {
            let mut is_once = true;
            let (mut is_read_outside, mut is_kept) = (false, true);
            for cell in code.writes(ins) {
                is_once &= self.writers[cell as usize] == 1;
                is_read_outside |= self.is_read_outside(cell, branch as u32);
                is_kept &= self.is_kept(cell, branch as u32);
            }
            let mut is_later = is_once && ins.opcode.is_pure() && !is_read_outside;
            code.each_read(ins, |cell, _| is_later &= self.writers[cell as usize] == 0 || is_there.contains(&cell));
            if is_later {
                later.push(*ins);
            }
            if is_once && (is_later || is_kept) {
                is_there.extend(code.writes(ins));
            }
        }
        let elements: u32 = later.iter().map(|ins| ins.elements).sum();
        if elements < WORTH { Vec::new() } else { later }
    }
}
