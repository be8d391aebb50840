//! Divides rows of elements whose neighbours follow a rule but for the border, so that each segment follows one.
//!
//! In a plate drawn cell by cell, the sum of the four neighbours of each cell is an instruction with gathered operands.
//! Within one line of the plate, without its ends, all of them are adjacent cells. Instructions that compute rows from
//! one another are divided at the same elements, so that they stay in one loop, with their values in registers.

use std::collections::BTreeSet;
use std::ops::Range;

use super::fusion::{FusedKind, Target};
use crate::engine::step_code::{Instruction, Operand, StepCode};

/// The least number of elements that are divided.
const LONG: u32 = 16;
/// Rows are divided if this many instructions at most result.
const MAX_INSTRUCTIONS: usize = 2400;
/// How often divisions are handed on between rows.
const MAX_ROUNDS: usize = 8;
/// Limit on the segments of all rows together.
const MAX_SEGMENTS: usize = 1 << 16;

/// Returns the instructions that replace each one of the list; empty for those that stay as they are.
pub(in crate::engine) fn divided(code: &StepCode, list: &[Instruction], target: Target) -> Vec<Vec<Instruction>> {
    let mut result = vec![Vec::new(); list.len()];
    let is_gathered = |ins: &Instruction| ins.reads().any(|(arg, _)| matches!(arg, Operand::Gather(_)));
    if !list.iter().any(|ins| is_row(ins, target) && is_gathered(ins)) {
        return result;
    }
    let mut rows = rows(code, list, target);
    if !share_divisions(&mut rows) {
        return result;
    }
    for chain in chains(&rows) {
        if !chain.iter().any(|row| is_gathered(&list[rows[*row].at])) || !is_worth(&rows, &chain) {
            continue;
        }
        for row in chain.iter().map(|row| &rows[*row]) {
            result[row.at] = row.segments().map(|segment| segment_of(code, &list[row.at], &segment)).collect();
        }
    }
    result
}

fn is_row(ins: &Instruction, target: Target) -> bool {
    ins.opcode.is_elementwise() && ins.elements >= LONG && matches!(target.kind_of(ins), FusedKind::Loop(_))
}

/// An instruction that can be divided.
struct Row {
    /// Its index in the list.
    at: usize,
    elements: u32,
    sources: Vec<Source>,
    /// The first elements of the segments, and the number of elements.
    begins: BTreeSet<u32>,
}

impl Row {
    fn segments(&self) -> impl Iterator<Item = Range<u32>> {
        self.begins.iter().zip(self.begins.iter().skip(1)).map(|(begin, end)| *begin..*end)
    }
}

/// Elements of a row that read adjacent elements of an earlier one.
struct Source {
    elements: Range<u32>,
    row: usize,
    /// The first element that is read.
    first: u32,
}

/// Marks cells that no row writes.
const NONE: u32 = u32::MAX;

/// Returns the rows, divided where their own operands demand it.
fn rows(code: &StepCode, list: &[Instruction], target: Target) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut writers = vec![NONE; code.cells];
    let mut skews = Skews { readers: vec![(NONE, 0); code.cells], is_skewed: vec![false; code.cells] };
    for (at, ins) in list.iter().enumerate() {
        // A cell that neighbouring elements read is written in another loop, when all of them are done.
        let is_free = !code.writes(ins).any(|cell| skews.is_skewed[cell as usize]);
        let is_divisible = is_free && is_row(ins, target) && is_apart(code, ins);
        let row = is_divisible.then(|| Row::new(code, (list, at), &rows, &writers)).flatten();
        skews.note(code, ins, at as u32);
        let writer = if row.is_some() { rows.len() as u32 } else { NONE };
        rows.extend(row);
        code.writes(ins).for_each(|cell| writers[cell as usize] = writer);
    }
    rows
}

/// The cells that an instruction reads for several elements.
struct Skews {
    /// For each cell the last instruction that read it, and for which element.
    readers: Vec<(u32, u32)>,
    is_skewed: Vec<bool>,
}

impl Skews {
    fn note(&mut self, code: &StepCode, ins: &Instruction, at: u32) {
        if !ins.reads().any(|(arg, _)| matches!(arg, Operand::Gather(_))) {
            return;
        }
        for (arg, count) in ins.reads().filter(|(arg, _)| !matches!(arg, Operand::Broadcast(_))) {
            for element in 0..count {
                let cell = arg.cell(&code.tables, element) as usize;
                self.is_skewed[cell] |= self.readers[cell].0 == at && self.readers[cell].1 != element;
                self.readers[cell] = (at, element);
            }
        }
    }
}

/// Whether an instruction reads nothing that it writes, except in place.
fn is_apart(code: &StepCode, ins: &Instruction) -> bool {
    let written = ins.dst..ins.dst + ins.elements;
    ins.reads().all(|(arg, count)| match arg {
        Operand::Contiguous(first) => first == written.start || first >= written.end || first + count <= written.start,
        Operand::Broadcast(cell) => !written.contains(&cell),
        Operand::Gather(_) => (0..count).all(|element| !written.contains(&arg.cell(&code.tables, element))),
    })
}

impl Row {
    /// Returns an instruction of a list as a row, if it can be divided.
    fn new(code: &StepCode, (list, at): (&[Instruction], usize), rows: &[Row], writers: &[u32]) -> Option<Row> {
        let ins = &list[at];
        let begins = BTreeSet::from([0, ins.elements]);
        let mut row = Row { at, elements: ins.elements, sources: Vec::new(), begins };
        ins.reads().for_each(|(arg, _)| row.read(code, arg, |cell| writers[cell as usize], rows, list));
        // An instruction that gathers elements in arbitrary order has no segments.
        (row.begins.len() <= MAX_INSTRUCTIONS.min(ins.elements as usize)).then_some(row)
    }

    /// Finds the runs of an operand: elements that read one cell, or adjacent cells of one writer.
    fn read(&mut self, code: &StepCode, arg: Operand, writer: impl Fn(u32) -> u32, rows: &[Row], list: &[Instruction]) {
        if let Operand::Broadcast(_) = arg {
            return;
        }
        let cell = |element: u32| arg.cell(&code.tables, element);
        let mut begin = 0;
        while begin < self.elements {
            let (first, from) = (cell(begin), writer(cell(begin)));
            let stride = if begin + 1 < self.elements && cell(begin + 1) == first { 0 } else { 1 };
            let follows = |element: &u32| {
                cell(*element) == first + stride * (*element - begin) && (stride == 0 || writer(cell(*element)) == from)
            };
            let end = begin + (begin..self.elements).take_while(follows).count() as u32;
            if from != NONE && stride == 1 {
                let first = first - list[rows[from as usize].at].dst;
                self.sources.push(Source { elements: begin..end, row: from as usize, first });
            }
            self.begins.insert(begin);
            begin = end;
        }
    }
}

/// Divides rows where those are divided that they read, or that read them. Returns false if there are too many segments.
fn share_divisions(rows: &mut [Row]) -> bool {
    let mut count: usize = rows.iter().map(|row| row.begins.len()).sum();
    for _ in 0..MAX_ROUNDS {
        let before = count;
        // From readers to their sources, and back.
        for at in (0..rows.len()).rev().chain(0..rows.len()) {
            for number in 0..rows[at].sources.len() {
                let Source { ref elements, row, first } = rows[at].sources[number];
                let (elements, read) = (elements.clone(), first..first + elements.end - elements.start);
                let own: Vec<u32> = rows[at].begins.range(elements.clone()).chain([&elements.end]).copied().collect();
                let others: Vec<u32> = rows[row].begins.range(read.clone()).copied().collect();
                for begin in own {
                    count += usize::from(rows[row].begins.insert(read.start + (begin - elements.start)));
                }
                for begin in others {
                    count += usize::from(rows[at].begins.insert(elements.start + (begin - read.start)));
                }
                if count > MAX_SEGMENTS {
                    return false;
                }
            }
        }
        if count == before {
            break;
        }
    }
    true
}

/// Returns the rows that read one another.
fn chains(rows: &[Row]) -> Vec<Vec<usize>> {
    let mut roots: Vec<usize> = (0..rows.len()).collect();
    fn root(roots: &[usize], mut at: usize) -> usize {
        while roots[at] != at {
            at = roots[at];
        }
        at
    }
    for (at, row) in rows.iter().enumerate() {
        for source in &row.sources {
            let (a, b) = (root(&roots, at), root(&roots, source.row));
            roots[a.max(b)] = a.min(b);
        }
    }
    let mut chains = vec![Vec::new(); rows.len()];
    (0..rows.len()).for_each(|at| chains[root(&roots, at)].push(at));
    chains.retain(|chain| !chain.is_empty());
    chains
}

/// Whether the segments are long enough, and few enough.
fn is_worth(rows: &[Row], chain: &[usize]) -> bool {
    let rows = || chain.iter().map(|row| &rows[*row]);
    let count: usize = rows().map(|row| row.begins.len() - 1).sum();
    // Two elements are computed at once.
    let work: usize = rows().flat_map(Row::segments).map(|segment| segment.len().div_ceil(2)).sum();
    let elements: usize = rows().map(|row| row.elements as usize).sum();
    work * 4 <= elements * 3 && count <= MAX_INSTRUCTIONS
}

/// Returns the part of an instruction for a segment.
fn segment_of(code: &StepCode, ins: &Instruction, segment: &Range<u32>) -> Instruction {
    let args = ins.args.map(|arg| {
        let cell = |element: u32| arg.cell(&code.tables, element);
        match arg {
            Operand::Broadcast(_) => arg,
            _ if segment.len() == 1 || cell(segment.start) == cell(segment.start + 1) => {
                Operand::Broadcast(cell(segment.start))
            }
            _ => Operand::Contiguous(cell(segment.start)),
        }
    });
    Instruction { elements: segment.len() as u32, dst: ins.dst + segment.start, args, ..*ins }
}
