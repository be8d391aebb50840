//! Loop fission: values that depend on no state are precomputed for a batch of steps, so that scalars become loops over
//! the steps of the batch.
//!
//! A delay of such a signal is the same row of values read one element earlier, so a chain of delays costs nothing but
//! a few elements in front of the row, which keep the last values of the previous batch.

use std::sync::Arc;

use super::super::flat::{Ins, Moves, Opcode, Operand, Tape};
use super::body::{Bodies, Body, bodies};
use super::cell_lists::CellLists;
use super::fusion::{FusionSchedule, live};
use super::holds::at_hits;
use super::pace::hides;
use super::regular;
use super::segments::divided;

/// Number of steps in a batch.
pub(super) const STEPS: u32 = 64;
/// Fewer arithmetic operations than this are not worth a batch.
const WORTH: usize = 6;
/// Vectors of up to this many elements are precomputed, one row per element,
const MAX_ELEMENTS: u32 = 64;
/// with this many rows in total.
const MAX_ROWS: usize = 512;
/// Maximum length of a chain of delays.
const LONGEST_LINE: u32 = 256;

/// A step split in two: the part that is precomputed for [`STEPS`] steps, if that pays, and the rest of each step.
pub(super) struct LoopFission {
    /// The bodies of the branches, by number.
    pub bodies: Vec<Option<Body>>,
    pub precompute: Option<(Tape, FusionSchedule)>,
    pub step: Tape,
    pub schedule: FusionSchedule,
    pub delays: Delays,
    /// Whether this is the step of a program, rather than another instruction list.
    pub is_step: bool,
    /// Whether cells must have the values of the step before, also those of results.
    pub needs_step_before: bool,
}

/// States that only delay precomputed values.
#[derive(Default)]
pub(super) struct Delays {
    /// A state's cell, and the cell in front of a row that has its value at the start of a batch.
    pub states: Vec<(u32, u32)>,
    /// Rows with cells in front: the first cell of the row, and their number.
    pub rows: Vec<(u32, u32)>,
}

impl LoopFission {
    /// Splits the tape for the watched outputs, given by their first cells and widths.
    pub fn new(tape: &Tape, watched: &[(u32, u32)]) -> LoopFission {
        match at_hits(tape, watched) {
            Some(tape) => LoopFission { needs_step_before: true, ..LoopFission::split_or_whole(&tape, watched) },
            None => LoopFission::split_or_whole(tape, watched),
        }
    }

    fn split_or_whole(tape: &Tape, watched: &[(u32, u32)]) -> LoopFission {
        let is_live = live(tape, watched, &[]);
        let finder = Finder::new(tape, &is_live, watched);
        let arithmetic =
            (0..tape.step.len()).filter(|&at| finder.is_precomputed[at] && !is_clock(tape.step[at].opcode));
        let work: usize = arithmetic.map(|at| tape.step[at].elements as usize).sum();
        if work < WORTH || hides(tape, &is_live, &finder.is_precomputed) {
            let Bodies { list: bodies, cells } = bodies(tape, watched, tape.cells);
            let mut step = part(tape, tape.step.clone(), tape.sampled, cells);
            step.reports.clone_from(&tape.reports);
            let schedule = FusionSchedule::new(&step, watched);
            return LoopFission {
                bodies,
                precompute: None,
                step,
                schedule,
                delays: Delays::default(),
                is_step: true,
                needs_step_before: false,
            };
        }
        finder.split(watched)
    }

    /// Another instruction list on the tape's cells, without branches and without fission. It leaves in memory what the
    /// next run of it reads and the `kept` cells.
    pub fn whole(tape: &Tape, list: &[Ins], watched: &[(u32, u32)], kept: &[bool]) -> LoopFission {
        let step = part(tape, list.to_vec(), list.len(), tape.cells);
        let schedule = FusionSchedule::of_list(&step, watched, kept);
        let bodies = tape.branches.iter().map(|_| None).collect();
        LoopFission {
            bodies,
            precompute: None,
            step,
            schedule,
            delays: Delays::default(),
            is_step: false,
            needs_step_before: false,
        }
    }

    /// Cells of both parts.
    pub fn cells(&self) -> usize {
        self.step.cells
    }
}

fn is_clock(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) | Opcode::Copy)
}

/// Copies the tape with another step, in which gathered operands are replaced where possible.
pub(super) fn part(tape: &Tape, list: Vec<Ins>, sampled: usize, cells: usize) -> Tape {
    let mut step = Vec::with_capacity(list.len());
    let mut end = 0;
    for (at, (ins, divided)) in list.iter().zip(divided(tape, &list)).enumerate() {
        match divided.is_empty() {
            true => regular::add(tape, *ins, &mut step),
            false => step.extend(divided),
        }
        if at + 1 == sampled {
            end = step.len();
        }
    }
    let sampled = end;
    Tape {
        cells,
        delta: tape.delta,
        executed: tape.executed,
        step,
        sampled,
        branches: Arc::clone(&tape.branches),
        tables: tape.tables.clone(),
        discrete: tape.discrete.clone(),
        continuous: tape.continuous.clone(),
        ..Tape::default()
    }
}

/// Where the values of a cell for the batch are: in a row, shifted back by this many elements.
#[derive(Clone, Copy, Debug)]
struct RowOffset {
    row: u32,
    back: u32,
}

/// The writer of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellWriter {
    Nobody,
    One(u32),
    Many,
}

struct Finder<'a> {
    tape: &'a Tape,
    is_live: &'a [bool],
    writers: Vec<CellWriter>,
    is_precomputed: Vec<bool>,
    /// Scalar instructions, each after those it depends on.
    order: Vec<u32>,
    offsets: Vec<Option<RowOffset>>,
    /// For each row, the states in front of it, the nearest first.
    lines: Vec<Vec<Option<u32>>>,
}

impl<'a> Finder<'a> {
    fn new(tape: &'a Tape, is_live: &'a [bool], watched: &[(u32, u32)]) -> Finder<'a> {
        let mut writers = vec![CellWriter::Nobody; tape.cells];
        for (at, ins) in tape.step.iter().enumerate() {
            for cell in tape.writes(ins) {
                let writer = &mut writers[cell as usize];
                *writer = if *writer == CellWriter::Nobody { CellWriter::One(at as u32) } else { CellWriter::Many };
            }
        }
        let mut finder = Finder {
            tape,
            is_live,
            writers,
            is_precomputed: vec![false; tape.step.len()],
            order: Vec::new(),
            offsets: vec![None; tape.cells],
            lines: Vec::new(),
        };
        finder.find();
        finder.prune(watched);
        finder
    }

    /// Instructions that could be precomputed if their operands were.
    fn candidates(&self) -> Vec<bool> {
        let mut is_discrete = vec![false; self.tape.cells];
        for piece in &self.tape.discrete.0 {
            is_discrete[piece.cell as usize..(piece.cell + piece.count) as usize].fill(true);
        }
        let mut rows = 0;
        let is_candidate = |(at, ins): (usize, &Ins)| {
            let written = ins.dst as usize..(ins.dst + ins.written()) as usize;
            let is_single = ins.elements == 1 || matches!(ins.opcode, Opcode::Fold(_));
            let is_own = written.clone().all(|cell| self.writers[cell] == CellWriter::One(at as u32));
            let is_fit = match at < self.tape.sampled {
                true => {
                    !ins.opcode.is_effect()
                        && !matches!(
                            ins.opcode,
                            Opcode::Past(_) | Opcode::Pick { .. } | Opcode::Hit(_) | Opcode::Count(_)
                        )
                        && (ins.elements == 1 || ins.opcode != Opcode::Random { is_vector: true })
                }
                false => ins.opcode == Opcode::Copy && written.clone().all(|cell| is_discrete[cell]),
            };
            if !(self.is_live[at] && is_own && is_fit && (is_single || ins.elements <= MAX_ELEMENTS)) {
                return false;
            }
            rows += written.len();
            is_single || rows <= MAX_ROWS
        };
        self.tape.step.iter().enumerate().map(is_candidate).collect()
    }

    /// Finds all instructions whose operands are constant or precomputed: element by element, since the elements of one
    /// instruction may be a chain of delays.
    fn find(&mut self) {
        let tape = self.tape;
        let mut is_candidate = self.candidates();
        let mut atoms = Vec::new();
        let mut first_atom = vec![0u32; tape.step.len()];
        for (at, ins) in tape.step.iter().enumerate().filter(|(at, _)| is_candidate[*at]) {
            first_atom[at] = atoms.len() as u32;
            atoms.extend((0..ins.written()).map(|element| (at as u32, element)));
        }
        let mut unknown = vec![0u32; atoms.len()];
        let is_read =
            |cell: u32| matches!(self.writers[cell as usize], CellWriter::One(at) if is_candidate[at as usize]);
        let readers = CellLists::new(tape.cells, |add| {
            for (&(at, element), atom) in atoms.iter().zip(0..) {
                each_read_of_element(tape, &tape.step[at as usize], element, |cell| {
                    if is_read(cell) {
                        add(cell, atom);
                    }
                });
            }
        });
        let mut ready = Vec::new();
        for (atom, &(at, element)) in atoms.iter().enumerate() {
            each_read_of_element(tape, &tape.step[at as usize], element, |cell| match self.writers[cell as usize] {
                CellWriter::Nobody => {}
                CellWriter::One(writer) if is_candidate[writer as usize] => unknown[atom] += 1,
                _ => unknown[atom] = u32::MAX / 2,
            });
            if unknown[atom] == 0 {
                ready.push(atom as u32);
            }
        }
        ready.reverse();
        let mut known = vec![0; tape.step.len()];
        while let Some(atom) = ready.pop() {
            let (at, element) = atoms[atom as usize];
            let Some(offset) = self.offset(at as usize, element) else { continue };
            known[at as usize] += 1;
            let ins = &tape.step[at as usize];
            if ins.written() == 1 {
                self.order.push(at);
            }
            let cell = ins.dst + element;
            self.offsets[cell as usize] = Some(offset);
            for &reader in readers.of(cell) {
                unknown[reader as usize] -= 1;
                if unknown[reader as usize] == 0 {
                    ready.push(reader);
                }
            }
        }
        for (at, ins) in tape.step.iter().enumerate() {
            is_candidate[at] &= known[at] == ins.written();
            if !is_candidate[at] && known[at] > 0 {
                self.drop_offsets(at);
            }
        }
        self.is_precomputed = is_candidate;
    }

    /// Where the values of an element are; `None` if it cannot be precomputed after all.
    fn offset(&mut self, at: usize, element: u32) -> Option<RowOffset> {
        let ins = &self.tape.step[at];
        let from = match ins.opcode {
            Opcode::Copy => self.offsets[ins.args[0].cell(&self.tape.tables, element) as usize],
            _ => None,
        };
        if at < self.tape.sampled {
            return Some(from.unwrap_or_else(|| {
                self.lines.push(Vec::new());
                RowOffset { row: self.lines.len() as u32 - 1, back: 0 }
            }));
        }
        // A state: the row of what it takes over, begun a step earlier.
        let from = from.filter(|from| from.back < LONGEST_LINE)?;
        let line = &mut self.lines[from.row as usize];
        line.resize(line.len().max(from.back as usize + 1), None);
        let front = &mut line[from.back as usize];
        // Where another state stands, that one has a beginning of its own.
        front.is_none().then(|| *front = Some(ins.dst + element))?;
        Some(RowOffset { back: from.back + 1, ..from })
    }

    /// Drops vectors that the steps would have to gather element by element, and everything that depends on them.
    fn prune(&mut self, watched: &[(u32, u32)]) {
        let tape = self.tape;
        let mut is_done = false;
        while !is_done {
            is_done = true;
            let is_needed = self.needed(watched);
            for (at, ins) in tape.step.iter().enumerate() {
                if !self.is_precomputed[at] {
                    continue;
                }
                let mut is_kept = ins.written() == 1
                    || !is_needed[ins.dst as usize..(ins.dst + ins.written()) as usize].contains(&true);
                tape.each_read(ins, |cell, _| {
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
        }
    }

    fn drop_offsets(&mut self, at: usize) {
        let ins = &self.tape.step[at];
        for cell in ins.dst..ins.dst + ins.written() {
            if let Some(RowOffset { row, back }) = self.offsets[cell as usize].take()
                && at >= self.tape.sampled
            {
                self.lines[row as usize][back as usize - 1] = None;
            }
        }
    }

    /// For each cell, whether the steps need it.
    fn needed(&self, watched: &[(u32, u32)]) -> Vec<bool> {
        let mut is_needed = vec![false; self.tape.cells];
        for (at, ins) in self.tape.step.iter().enumerate() {
            if self.is_live[at] && !self.is_precomputed[at] {
                self.tape.each_read(ins, |cell, _| is_needed[cell as usize] = true);
            }
        }
        watched.iter().for_each(|&(cell, width)| is_needed[cell as usize..(cell + width) as usize].fill(true));
        is_needed
    }

    fn split(self, watched: &[(u32, u32)]) -> LoopFission {
        let (rows, cells) = self.rows();
        let Bodies { list: bodies, cells } = bodies(self.tape, watched, cells);
        let row_of = |cell: u32| self.offsets[cell as usize].map(|offset| rows[offset.row as usize] - offset.back);
        let mut widener =
            Widener { finder: &self, row_of: &row_of, is_made: vec![false; self.lines.len()], list: Vec::new() };
        for &at in &self.order {
            if self.is_precomputed[at as usize] && (at as usize) < self.tape.sampled {
                widener.make(at, 0);
            }
        }
        // A state keeps what it delays, whether or not anybody looks at it.
        self.lines.iter().flatten().flatten().for_each(|&state| widener.need(state));
        let precompute = widener.list;
        let is_needed = self.needed(watched);
        let taken = (0..self.tape.cells as u32).filter(|cell| is_needed[*cell as usize]);
        let taken: Vec<(u32, u32)> = taken.filter_map(|cell| Some((cell, row_of(cell)?))).collect();
        let take = |&(cell, row): &(u32, u32)| Ins {
            opcode: Opcode::Precomputed(row),
            elements: 1,
            dst: cell,
            args: [Operand::Broadcast(0); 3],
        };
        let rest: Vec<usize> =
            (0..self.tape.step.len()).filter(|&at| self.is_live[at] && !self.is_precomputed[at]).collect();
        let sampled = rest.iter().filter(|at| **at < self.tape.sampled).count() + taken.len();
        let step: Vec<Ins> = taken.iter().map(take).chain(rest.into_iter().map(|at| self.tape.step[at])).collect();
        let mut step = part(self.tape, step, sampled, cells);
        step.reports.clone_from(&self.tape.reports);
        let delays = self.delays(&rows);
        step.discrete = without(&step.discrete, &delays);
        let lines = delays.rows.iter().map(|&(row, _)| (row, STEPS));
        let made: Vec<(u32, u32)> = taken.iter().map(|&(_, row)| (row, STEPS)).chain(lines).collect();
        let ahead_count = precompute.len();
        let mut precompute = part(self.tape, precompute, ahead_count, cells);
        // The states are the steps' own.
        (precompute.discrete.0, precompute.continuous.0) = (Vec::new(), Vec::new());
        let ahead_plan = FusionSchedule::new(&precompute, &made);
        let schedule = FusionSchedule::new(&step, watched);
        LoopFission {
            bodies,
            precompute: Some((precompute, ahead_plan)),
            step,
            schedule,
            delays,
            is_step: true,
            needs_step_before: false,
        }
    }

    /// The first cell of each row, and the resulting number of cells.
    fn rows(&self) -> (Vec<u32>, usize) {
        let mut next = self.tape.cells as u32;
        let mut offset = |line: &Vec<Option<u32>>| {
            let first = (next + line.len() as u32).next_multiple_of(2);
            next = first + STEPS;
            first
        };
        let rows = self.lines.iter().map(&mut offset).collect();
        (rows, next as usize)
    }

    fn delays(&self, rows: &[u32]) -> Delays {
        let mut delays = Delays::default();
        for (&row, line) in rows.iter().zip(&self.lines) {
            let states = line.iter().zip(1..).filter_map(|(state, back)| Some(((*state)?, row - back)));
            delays.states.extend(states);
            if let Some(last) = line.iter().rposition(Option::is_some) {
                delays.rows.push((row, last as u32 + 1));
            }
        }
        delays
    }
}

/// Calls `f` with each cell that an element depends on.
fn each_read_of_element(tape: &Tape, ins: &Ins, element: u32, mut f: impl FnMut(u32)) {
    if let Opcode::Fold(_) = ins.opcode {
        return tape.each_read(ins, |cell, _| f(cell));
    }
    ins.reads().for_each(|(arg, _)| f(arg.cell(&tape.tables, element)));
}

/// The moves without those of delays.
fn without(moves: &Moves, delays: &Delays) -> Moves {
    let gone: std::collections::HashSet<u32> = delays.states.iter().map(|(cell, _)| *cell).collect();
    let mut kept = Moves::default();
    for piece in &moves.0 {
        for at in (0..piece.count).filter(|at| !gone.contains(&(piece.cell + at))) {
            kept.push(piece.offset + at, piece.cell + at, 1);
        }
    }
    kept
}

/// Generates the instructions over the steps of a batch.
struct Widener<'a, 'f, F: Fn(u32) -> Option<u32>> {
    finder: &'a Finder<'f>,
    row_of: &'a F,
    /// The rows generated so far.
    is_made: Vec<bool>,
    list: Vec<Ins>,
}

impl<F: Fn(u32) -> Option<u32>> Widener<'_, '_, F> {
    /// Generates an element of an instruction after the vectors that it needs. Vectors are generated on demand, so that a
    /// long sum does not wait for all its terms.
    fn make(&mut self, at: u32, element: u32) {
        let tape = self.finder.tape;
        if let Opcode::Fold(op) = tape.step[at as usize].opcode {
            return self.fold(at, op);
        }
        let mut precompute = vec![(at, element, false)];
        while let Some((at, element, is_ready)) = precompute.pop() {
            let ins = &tape.step[at as usize];
            let cell = ins.dst + element;
            let Some(offset) = self.finder.offsets[cell as usize] else { continue };
            if self.is_made[offset.row as usize] {
                continue;
            }
            let operands = ins.reads().zip(ins.args).map(|(_, arg)| arg.cell(&tape.tables, element));
            if !is_ready {
                precompute.push((at, element, true));
                operands.for_each(|cell| precompute.extend(self.maker(cell)));
                continue;
            }
            self.is_made[offset.row as usize] = true;
            let mut args = [Operand::Broadcast(0); 3];
            args.iter_mut().zip(operands).for_each(|(arg, cell)| *arg = self.batched(cell));
            let Some(dst) = (self.row_of)(cell) else { continue };
            // A single element is the first of its vector, whatever the step.
            let opcode =
                if let Opcode::Random { .. } = ins.opcode { Opcode::Random { is_vector: false } } else { ins.opcode };
            self.list.push(Ins { opcode, elements: STEPS, dst, args });
        }
    }

    fn fold(&mut self, at: u32, op: crate::block::Binary) {
        let tape = self.finder.tape;
        let ins = &tape.step[at as usize];
        let Some(dst) = (self.row_of)(ins.dst) else { return };
        let mut first = ins.args[0].cell(&tape.tables, 0);
        self.need(first);
        let mut sum = self.batched(first);
        for element in 0..ins.elements {
            first = ins.args[1].cell(&tape.tables, element);
            self.need(first);
            let args = [sum, self.batched(first), Operand::Broadcast(0)];
            self.list.push(Ins { opcode: Opcode::Binary(op), elements: STEPS, dst, args });
            sum = Operand::Contiguous(dst);
        }
    }

    fn need(&mut self, cell: u32) {
        if let Some((at, element, _)) = self.maker(cell) {
            self.make(at, element);
        }
    }

    /// The vector element that computes the row of a cell, if the row is not generated yet.
    fn maker(&self, cell: u32) -> Option<(u32, u32, bool)> {
        let finder = self.finder;
        let offset = finder.offsets[cell as usize]?;
        if self.is_made[offset.row as usize] {
            return None;
        }
        let mut cell = cell;
        // Through copies and delays, which share the row.
        loop {
            let CellWriter::One(at) = finder.writers[cell as usize] else { return None };
            let ins = &finder.tape.step[at as usize];
            let element = cell - ins.dst;
            let from = ins.args[0].cell(&finder.tape.tables, element);
            match ins.opcode {
                Opcode::Copy if finder.offsets[from as usize].is_some() => cell = from,
                _ => {
                    return (ins.elements > 1 && !matches!(ins.opcode, Opcode::Fold(_)))
                        .then_some((at, element, false));
                }
            }
        }
    }

    fn batched(&self, cell: u32) -> Operand {
        (self.row_of)(cell).map_or(Operand::Broadcast(cell), Operand::Contiguous)
    }
}
