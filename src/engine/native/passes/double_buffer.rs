//! Double-buffered states: rows whose next values are all computed before any of the states changes, since neighbours
//! read them, too, as in a plate drawn cell by cell. Instead of being copied at the end of each step, states and next
//! values change places: after an odd number of steps of a call, the states are in a second buffer.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::engine::step_code::schedule::fusion::{FusedKind, FusionSchedule, LogTime};
use crate::engine::step_code::{CellRange, Instruction, Opcode, Operand, StepCode};

/// Fewer elements than this are copied.
const WORTH: u32 = 8;
/// The cells from the first to the last state, for each element of a state.
const MAX_SPREAD: u32 = 4;
/// Limit on repeated searches for cells that depend on a copy that must stay.
const MAX_ROUNDS: usize = 8;

/// The states of a step that are double-buffered.
#[derive(Debug, Default)]
pub(in crate::engine::native) struct DoubleBuffer {
    /// The first cell and the number of elements of each row.
    states: Vec<CellRange>,
    locations: HashMap<u32, Location>,
    /// The number of cells between a state and its place in the second buffer.
    pub distance: u32,
}

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::native) enum Location {
    /// Always in the same place.
    Fixed(u32),
    /// In the buffer with the states: a state.
    Current(u32),
    /// In the other buffer, in the place of this state: its next value.
    Next(u32),
}

/// A copy at the end of a step.
struct RowCopy {
    /// Its index in the step, and that of its group.
    at: u32,
    group: usize,
    states: Range<u32>,
    /// The first cell of the next values.
    from: u32,
}

impl DoubleBuffer {
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub fn location(&self, cell: u32) -> Location {
        self.locations.get(&cell).copied().unwrap_or(Location::Fixed(cell))
    }

    /// Restores the order of the buffers as it was before a call of `steps` steps.
    pub fn restore(&self, cells: &mut [f64], steps: u64) {
        if steps.is_multiple_of(2) {
            return;
        }
        for &CellRange { first, count } in &self.states {
            let from = (first + self.distance) as usize;
            cells.copy_within(from..from + count as usize, first as usize);
        }
    }
}

/// Finds the states of a step that can be double-buffered, and removes the instructions that copy them; `elsewhere`
/// returns the cells that are read or written outside the groups of the schedule.
pub(in crate::engine::native) fn double_buffer(
    step: &mut StepCode,
    schedule: &mut FusionSchedule,
    watched: &[CellRange],
    elsewhere: impl FnOnce() -> HashSet<u32>,
) -> DoubleBuffer {
    let mut copies = copies(step, schedule);
    if copies.is_empty() {
        return DoubleBuffer::default();
    }
    let elsewhere = elsewhere();
    for round in 0.. {
        if round == MAX_ROUNDS {
            return DoubleBuffer::default();
        }
        let impossible = Usage::new(step, schedule, &copies).impossible(watched, &elsewhere);
        if impossible.is_empty() {
            break;
        }
        let numbered = copies.into_iter().enumerate();
        copies = numbered.filter(|(number, _)| !impossible.contains(number)).map(|(_, copy)| copy).collect();
    }
    let elements: u32 = copies.iter().map(|copy| copy.states.len() as u32).sum();
    let first = copies.iter().map(|copy| copy.states.start).min().unwrap_or(0);
    let end = copies.iter().map(|copy| copy.states.end).max().unwrap_or(0);
    if elements < WORTH || end - first > elements * MAX_SPREAD {
        return DoubleBuffer::default();
    }
    let distance = step.cells as u32 - first;
    step.cells += (end - first) as usize;
    for copy in &copies {
        schedule.groups[copy.group].list.retain(|at| *at != copy.at);
    }
    schedule.groups.retain(|group| !group.list.is_empty() || matches!(group.kind, FusedKind::Log(_)));
    let states = copies.iter().map(|copy| CellRange::new(copy.states.start, copy.states.len() as u32)).collect();
    DoubleBuffer { states, locations: locations(&copies), distance }
}

/// Returns the instructions that copy adjacent cells to others in a loop.
fn copies(step: &StepCode, schedule: &FusionSchedule) -> Vec<RowCopy> {
    if !schedule.functions.is_empty() {
        return Vec::new();
    }
    let mut copies = Vec::new();
    for (group, fused) in schedule.groups.iter().enumerate() {
        for &at in fused.list.iter().filter(|_| matches!(fused.kind, FusedKind::Loop(_))) {
            let ins = &step.step[at as usize];
            if let (Opcode::Copy, Operand::Contiguous(from)) = (ins.opcode, ins.args[0]) {
                copies.push(RowCopy { at, group, states: ins.dst..ins.dst + ins.elements, from });
            }
        }
    }
    copies
}

fn locations(copies: &[RowCopy]) -> HashMap<u32, Location> {
    let mut locations = HashMap::new();
    for copy in copies {
        for (state, from) in copy.states.clone().zip(copy.from..) {
            locations.insert(state, Location::Current(state));
            locations.insert(from, Location::Next(state));
        }
    }
    locations
}

/// How a step uses the cells of copies.
struct Usage<'a> {
    code: &'a StepCode,
    schedule: &'a FusionSchedule,
    copies: &'a [RowCopy],
    /// The indices of their instructions.
    are_copies: HashSet<u32>,
    /// The copies of each cell that is a state or a next value.
    of_cell: HashMap<u32, usize>,
    locations: HashMap<u32, Location>,
    /// The next values that are computed so far.
    is_computed: HashSet<u32>,
    impossible: HashSet<usize>,
}

impl<'a> Usage<'a> {
    fn new(code: &'a StepCode, schedule: &'a FusionSchedule, copies: &'a [RowCopy]) -> Usage<'a> {
        let (mut of_cell, mut impossible) = (HashMap::new(), HashSet::new());
        for (number, copy) in copies.iter().enumerate() {
            let from = copy.from..copy.from + copy.states.len() as u32;
            for cell in copy.states.clone().chain(from) {
                // A cell of two copies has two places.
                if of_cell.insert(cell, number).is_some() {
                    impossible.insert(number);
                }
            }
        }
        let (locations, is_computed) = (locations(copies), HashSet::new());
        let are_copies = copies.iter().map(|copy| copy.at).collect();
        Usage { code, schedule, copies, are_copies, of_cell, locations, is_computed, impossible }
    }

    /// Returns the copies that the step needs.
    fn impossible(mut self, watched: &[CellRange], elsewhere: &HashSet<u32>) -> HashSet<usize> {
        let (code, schedule) = (self.code, self.schedule);
        for (cell, number) in &self.of_cell {
            if elsewhere.contains(cell) {
                self.impossible.insert(*number);
            }
        }
        schedule.carried.iter().for_each(|cell| self.refuse(*cell));
        code.report_cells().for_each(|cell| self.refuse(cell));
        for (number, group) in schedule.groups.iter().enumerate() {
            if let FusedKind::Log(time) = group.kind {
                self.log(watched, time, number);
            }
            group.list.iter().for_each(|at| self.ins(*at, group.kind, number));
        }
        self.impossible
    }

    fn refuse(&mut self, cell: u32) {
        self.impossible.extend(self.of_cell.get(&cell));
    }

    fn refuse_all(&mut self, ins: &Instruction) {
        let code = self.code;
        code.each_read(ins, |cell, _| self.refuse(cell));
        code.writes(ins).for_each(|cell| self.refuse(cell));
    }

    fn log(&mut self, watched: &[CellRange], time: LogTime, group: usize) {
        let times = &self.schedule.log_times;
        for (&CellRange { first, count: width }, _) in watched.iter().zip(times).filter(|(_, known)| **known == time) {
            (first..first + width).for_each(|cell| self.read(cell, group));
        }
    }

    fn ins(&mut self, at: u32, kind: FusedKind, group: usize) {
        let code = self.code;
        let ins = &code.step[at as usize];
        // The operands of an indexed selection are found by their address.
        if kind == FusedKind::Call || matches!(ins.opcode, Opcode::Pick { .. }) {
            return self.refuse_all(ins);
        }
        if self.are_copies.contains(&at) {
            let next = |element| ins.args[0].cell(&code.tables, element);
            (0..ins.elements).for_each(|element| self.read(next(element), group));
            return;
        }
        for (arg, count) in ins.reads() {
            let count = if let Operand::Broadcast(_) = arg { 1 } else { count };
            let cells = || (0..count).map(|element| arg.cell(&code.tables, element));
            let is_possible = match (kind, arg) {
                // The operands of a table are found by their address, too, unless the code is unrolled.
                (FusedKind::Loop(_), Operand::Gather(_)) => self.schedule.groups[group].is_unrolled(code),
                (FusedKind::Loop(_), _) => self.is_row(cells()),
                _ => true,
            };
            if !is_possible {
                cells().for_each(|cell| self.refuse(cell));
            }
            cells().for_each(|cell| self.read(cell, group));
        }
        if matches!(kind, FusedKind::Loop(_)) && !self.is_row(ins.dst..ins.dst + ins.written()) {
            code.writes(ins).for_each(|cell| self.refuse(cell));
        }
        code.writes(ins).for_each(|cell| self.write(cell, group));
    }

    /// Whether cells that a loop accesses are adjacent in one place, or none of them is a state or a next value.
    fn is_row(&self, mut cells: impl Iterator<Item = u32> + Clone) -> bool {
        let place = |cell: u32| self.locations.get(&cell).copied().unwrap_or(Location::Fixed(cell));
        if cells.clone().all(|cell| place(cell) == Location::Fixed(cell)) {
            return true;
        }
        let Some(mut last) = cells.next().map(place) else { return true };
        cells.map(place).all(|next| {
            let is_behind = match (last, next) {
                (Location::Current(a), Location::Current(b)) | (Location::Next(a), Location::Next(b)) => b == a + 1,
                _ => false,
            };
            last = next;
            is_behind
        })
    }

    fn read(&mut self, cell: u32, group: usize) {
        let Some(&number) = self.of_cell.get(&cell) else { return };
        let is_possible = match self.locations[&cell] {
            // The copy has not changed it yet.
            Location::Current(_) => group < self.copies[number].group,
            _ => self.is_computed.contains(&cell),
        };
        if !is_possible {
            self.impossible.insert(number);
        }
    }

    fn write(&mut self, cell: u32, group: usize) {
        let Some(&number) = self.of_cell.get(&cell) else { return };
        self.is_computed.insert(cell);
        if matches!(self.locations[&cell], Location::Current(_)) || group >= self.copies[number].group {
            self.impossible.insert(number);
        }
    }
}
