//! Finds the instructions that can be precomputed for a batch of steps.

use super::recurrence::{Member, Recurrences};
use crate::engine::step_code::schedule::cell_lists::CellLists;
use crate::engine::step_code::{CellRange, Instruction, Opcode, StepCode};

/// Vectors of up to this many elements are precomputed, one row per element,
const MAX_ELEMENTS: u32 = 64;
/// with this many rows in total.
const MAX_ROWS: usize = 512;
/// Maximum length of a chain of delays.
const LONGEST_LINE: u32 = 256;

/// Where the values of a cell for the batch are: in a row, shifted back by this many elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOffset {
    pub row: u32,
    pub back: u32,
}

/// The writer of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellWriter {
    Nobody,
    One(u32),
    Many,
}

/// A unit of precomputation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A scalar instruction, over the steps of the batch.
    Instruction(u32),
    /// A recurrence, step by step.
    Recurrence(u32),
}

pub(super) struct Finder<'a> {
    pub code: &'a StepCode,
    pub is_live: &'a [bool],
    pub writers: Vec<CellWriter>,
    pub is_precomputed: Vec<bool>,
    pub recurrences: Recurrences,
    /// Each after those it depends on.
    pub order: Vec<Item>,
    pub offsets: Vec<Option<RowOffset>>,
    /// For each cell with an offset its stage: in each stage the instructions come first, then the recurrences.
    pub stages: Vec<u32>,
    /// For each row, the states in front of it, the nearest first.
    pub lines: Vec<Vec<Option<u32>>>,
}

impl<'a> Finder<'a> {
    /// Finds the instructions that can be precomputed without recurrences.
    pub fn new(code: &'a StepCode, is_live: &'a [bool], watched: &[CellRange]) -> Finder<'a> {
        Finder::find_all((code, is_live), watched, writers(code), Recurrences::default())
    }

    /// Finds the instructions that can be precomputed, including recurrences.
    pub fn with_recurrences(code: &'a StepCode, is_live: &'a [bool], watched: &[CellRange]) -> Finder<'a> {
        let writers = writers(code);
        let recurrences = Recurrences::find(code, is_live, &writers, watched);
        Finder::find_all((code, is_live), watched, writers, recurrences)
    }

    fn find_all(
        (code, is_live): (&'a StepCode, &'a [bool]),
        watched: &[CellRange],
        writers: Vec<CellWriter>,
        recurrences: Recurrences,
    ) -> Finder<'a> {
        let mut finder = Finder {
            code,
            is_live,
            writers,
            is_precomputed: vec![false; code.step.len()],
            recurrences,
            order: Vec::new(),
            offsets: vec![None; code.cells],
            stages: vec![0; code.cells],
            lines: Vec::new(),
        };
        finder.find();
        finder.prune(watched);
        finder.order.retain(|item| match *item {
            Item::Instruction(at) => finder.is_precomputed[at as usize],
            Item::Recurrence(number) => {
                let members = &finder.recurrences.list[number as usize].members;
                members.iter().all(|member| finder.is_precomputed[member.at as usize])
            }
        });
        finder
    }

    /// The recurrences that are precomputed, in order.
    pub fn precomputed_recurrences(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().filter_map(|item| match *item {
            Item::Recurrence(number) => Some(number as usize),
            Item::Instruction(_) => None,
        })
    }

    /// The stage of a recurrence.
    pub fn stage(&self, recurrence: usize) -> u32 {
        let reads = &self.recurrences.list[recurrence].reads;
        reads.iter().map(|cell| self.stages[*cell as usize]).max().unwrap_or(0)
    }

    /// Instructions that could be precomputed if their operands were.
    fn candidates(&self) -> Vec<bool> {
        let mut is_discrete = vec![false; self.code.cells];
        for piece in &self.code.discrete.0 {
            is_discrete[piece.cell as usize..(piece.cell + piece.count) as usize].fill(true);
        }
        let mut rows = 0;
        let is_candidate = |(at, ins): (usize, &Instruction)| {
            let written = ins.dst..ins.dst + ins.written();
            let is_own = written.clone().all(|cell| self.writers[cell as usize] == CellWriter::One(at as u32));
            // The cells that need a row each.
            let others = || written.clone().filter(|cell| self.recurrences.of(*cell).is_none());
            let count = others().count();
            let is_fit = match at < self.code.sampled {
                true => {
                    !ins.opcode.is_effect()
                        && !matches!(
                            ins.opcode,
                            Opcode::Past(_)
                                | Opcode::Recorded { .. }
                                | Opcode::Pick { .. }
                                | Opcode::Hit(_)
                                | Opcode::Count(_)
                        )
                        && (ins.elements == 1 || ins.opcode != Opcode::Random { is_vector: true })
                }
                // A state of a recurrence, or one that only delays.
                false if count == 0 => ins.written() > 0,
                false => ins.opcode == Opcode::Copy && others().all(|cell| is_discrete[cell as usize]),
            };
            if !(self.is_live[at] && is_own && is_fit && count as u32 <= MAX_ELEMENTS) {
                return false;
            }
            rows += count;
            count <= 1 || rows <= MAX_ROWS
        };
        self.code.step.iter().enumerate().map(is_candidate).collect()
    }

    /// Finds all instructions whose operands are constant or precomputed: element by element, since the elements of one
    /// instruction may be a chain of delays.
    fn find(&mut self) {
        let code = self.code;
        let mut is_candidate = self.candidates();
        let mut atoms = Vec::new();
        for (at, ins) in (0..).zip(&code.step).filter(|(at, _)| is_candidate[*at as usize]) {
            let members = (0..ins.written()).map(|element| Member { at, element });
            atoms.extend(members.filter(|member| self.recurrences.of(ins.dst + member.element).is_none()));
        }
        let is_read =
            |cell: u32| matches!(self.writers[cell as usize], CellWriter::One(at) if is_candidate[at as usize]);
        let nodes = Nodes { code, atoms: &atoms, recurrences: &self.recurrences };
        let mut unknown = vec![0u32; nodes.count()];
        let readers = CellLists::new(code.cells, |add| {
            for node in 0..nodes.count() {
                nodes.each_read(node, |cell| {
                    if is_read(cell) {
                        add(cell, node as u32);
                    }
                });
            }
        });
        let mut ready = Vec::new();
        for (node, unknown) in unknown.iter_mut().enumerate() {
            nodes.each_read(node, |cell| match self.writers[cell as usize] {
                CellWriter::Nobody => {}
                CellWriter::One(writer) if is_candidate[writer as usize] => *unknown += 1,
                _ => *unknown = u32::MAX / 2,
            });
            if *unknown == 0 {
                ready.push(node as u32);
            }
        }
        ready.reverse();
        let mut known = vec![0; code.step.len()];
        while let Some(node) = ready.pop() {
            let mut results = Vec::new();
            match atoms.get(node as usize) {
                Some(&Member { at, element }) => {
                    let Some(offset) = self.offset(at as usize, element) else { continue };
                    known[at as usize] += 1;
                    let ins = &code.step[at as usize];
                    if ins.written() == 1 {
                        self.order.push(Item::Instruction(at));
                    }
                    let mut stage = 0;
                    // A recurrence ends a stage.
                    each_read_of_element(code, ins, element, |cell| {
                        let after = u32::from(self.recurrences.of(cell).is_some());
                        stage = stage.max(self.stages[cell as usize] + after);
                    });
                    results.push(((ins.dst + element), offset, stage));
                }
                None => {
                    let number = node as usize - atoms.len();
                    self.order.push(Item::Recurrence(number as u32));
                    let stage = self.stage(number);
                    let recurrence = &self.recurrences.list[number];
                    recurrence.members.iter().for_each(|member| known[member.at as usize] += 1);
                    for &cell in &recurrence.results {
                        self.lines.push(Vec::new());
                        results.push((cell, RowOffset { row: self.lines.len() as u32 - 1, back: 0 }, stage));
                    }
                }
            }
            for (cell, offset, stage) in results {
                self.offsets[cell as usize] = Some(offset);
                self.stages[cell as usize] = stage;
                for &reader in readers.of(cell) {
                    unknown[reader as usize] -= 1;
                    if unknown[reader as usize] == 0 {
                        ready.push(reader);
                    }
                }
            }
        }
        for (at, ins) in code.step.iter().enumerate() {
            is_candidate[at] &= known[at] == ins.written();
            if !is_candidate[at] && known[at] > 0 {
                self.drop_offsets(at);
            }
        }
        self.is_precomputed = is_candidate;
    }

    /// Where the values of an element are; `None` if it cannot be precomputed after all.
    fn offset(&mut self, at: usize, element: u32) -> Option<RowOffset> {
        let ins = &self.code.step[at];
        let from = match ins.opcode {
            Opcode::Copy => self.offsets[ins.args[0].cell(&self.code.tables, element) as usize],
            _ => None,
        };
        if at < self.code.sampled {
            return Some(from.unwrap_or_else(|| {
                self.lines.push(Vec::new());
                RowOffset { row: self.lines.len() as u32 - 1, back: 0 }
            }));
        }
        // A state: the row of the value that it takes over, begun a step earlier.
        let from = from.filter(|from| from.back < LONGEST_LINE)?;
        let line = &mut self.lines[from.row as usize];
        line.resize(line.len().max(from.back as usize + 1), None);
        let front = &mut line[from.back as usize];
        // Where another state stands, that one has a beginning of its own.
        front.is_none().then(|| *front = Some(ins.dst + element))?;
        Some(RowOffset { back: from.back + 1, ..from })
    }

    /// Drops vectors that the steps would have to gather element by element, and everything that depends on them.
    fn prune(&mut self, watched: &[CellRange]) {
        let code = self.code;
        let mut is_done = false;
        while !is_done {
            is_done = true;
            let is_needed = self.needed(watched);
            for (at, ins) in code.step.iter().enumerate() {
                if !self.is_precomputed[at] {
                    continue;
                }
                let mut is_kept = ins.written() == 1
                    || !is_needed[ins.dst as usize..(ins.dst + ins.written()) as usize].contains(&true);
                code.each_read(ins, |cell, _| {
                    is_kept &= match self.writers[cell as usize] {
                        CellWriter::One(writer) => self.is_precomputed[writer as usize],
                        _ => true,
                    };
                });
                if !is_kept {
                    (self.is_precomputed[at], is_done) = (false, false);
                    self.drop_offsets(at);
                }
            }
            // A recurrence is precomputed as a whole.
            for number in 0..self.recurrences.list.len() {
                let at = |index: usize| self.recurrences.list[number].members[index].at as usize;
                let count = self.recurrences.list[number].members.len();
                if (0..count).all(|index| self.is_precomputed[at(index)]) {
                    continue;
                }
                let dropped: Vec<usize> = (0..count).map(at).filter(|at| self.is_precomputed[*at]).collect();
                for at in dropped {
                    (self.is_precomputed[at], is_done) = (false, false);
                    self.drop_offsets(at);
                }
            }
        }
    }

    fn drop_offsets(&mut self, at: usize) {
        let ins = &self.code.step[at];
        for cell in ins.dst..ins.dst + ins.written() {
            if let Some(RowOffset { row, back }) = self.offsets[cell as usize].take()
                && at >= self.code.sampled
                && back > 0
            {
                self.lines[row as usize][back as usize - 1] = None;
            }
        }
    }

    /// For each cell, whether the steps need it.
    pub fn needed(&self, watched: &[CellRange]) -> Vec<bool> {
        let mut is_needed = vec![false; self.code.cells];
        for (at, ins) in self.code.step.iter().enumerate() {
            if self.is_live[at] && !self.is_precomputed[at] {
                self.code.each_read(ins, |cell, _| is_needed[cell as usize] = true);
            }
        }
        watched.iter().for_each(|range| is_needed[range.indices()].fill(true));
        is_needed
    }
}

/// Groups of cells whose values become known at the same time: elements, then recurrences.
struct Nodes<'a> {
    code: &'a StepCode,
    atoms: &'a [Member],
    recurrences: &'a Recurrences,
}

impl Nodes<'_> {
    fn count(&self) -> usize {
        self.atoms.len() + self.recurrences.list.len()
    }

    /// Calls `f` with each cell on which a node depends.
    fn each_read(&self, node: usize, mut f: impl FnMut(u32)) {
        match self.atoms.get(node) {
            Some(atom) => each_read_of_element(self.code, &self.code.step[atom.at as usize], atom.element, f),
            None => self.recurrences.list[node - self.atoms.len()].reads.iter().for_each(|cell| f(*cell)),
        }
    }
}

/// Calls `f` with each cell that an element depends on.
pub(super) fn each_read_of_element(code: &StepCode, ins: &Instruction, element: u32, mut f: impl FnMut(u32)) {
    if let Opcode::Fold(_) = ins.opcode {
        return code.each_read(ins, |cell, _| f(cell));
    }
    ins.reads().for_each(|(arg, _)| f(arg.cell(&code.tables, element)));
}

/// Returns for each cell which instructions write it.
fn writers(code: &StepCode) -> Vec<CellWriter> {
    let mut writers = vec![CellWriter::Nobody; code.cells];
    for (at, ins) in code.step.iter().enumerate() {
        for cell in code.writes(ins) {
            let writer = &mut writers[cell as usize];
            *writer = if *writer == CellWriter::Nobody { CellWriter::One(at as u32) } else { CellWriter::Many };
        }
    }
    writers
}
