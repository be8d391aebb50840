//! Cuts a list of instructions at the borders of locations, into the instructions that run here and the exchanges
//! between them.
//!
//! Time is divided into slots: in even ones instructions run here, in odd ones workers run theirs, all locations at the
//! same time. Each instruction has an earliest and a latest slot, given by the instructions whose results it reads and
//! those that read its own; a location then takes part in as few slots as these allow.

use std::collections::HashMap;

use crate::engine::program::remote_blocks::HERE;
use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// A list after the cut: instructions that run here, and between them exchanges with the instructions of each location.
#[derive(Debug)]
pub(super) enum Cut {
    Here(Instruction),
    Exchange(Vec<(u32, Vec<Instruction>)>),
}

/// Cuts a list; `locations` has the location of each instruction.
pub(super) fn cut(order: &mut InstructionOrder, code: &StepCode, list: &[Instruction], locations: &[u32]) -> Vec<Cut> {
    if locations.iter().all(|location| *location == HERE) {
        return list.iter().map(|ins| Cut::Here(*ins)).collect();
    }
    let before = order.before(code, list);
    let earliest = earliest(&before, locations);
    let latest = latest(&before, locations, &earliest);
    let slots = slots(&before, locations, &earliest, &latest);
    let mut by_slot: Vec<Vec<usize>> = vec![Vec::new(); slots.iter().max().map_or(0, |last| last + 1)];
    slots.iter().enumerate().for_each(|(number, &slot)| by_slot[slot].push(number));
    let mut found = Vec::with_capacity(list.len());
    for (slot, numbers) in by_slot.iter().enumerate() {
        if slot % 2 == 0 {
            found.extend(numbers.iter().map(|&number| Cut::Here(list[number])));
            continue;
        }
        let mut bodies: Vec<(u32, Vec<Instruction>)> = Vec::new();
        for &number in numbers {
            match bodies.iter_mut().find(|(location, _)| *location == locations[number]) {
                Some((_, body)) => body.push(list[number]),
                None => bodies.push((locations[number], vec![list[number]])),
            }
        }
        if !bodies.is_empty() {
            found.push(Cut::Exchange(bodies));
        }
    }
    found
}

/// Finds which instructions of a list must run before others. It is kept from list to list: step code may have as many
/// lists as branches, and as many cells as its vectors have elements.
pub(super) struct InstructionOrder {
    /// For each cell, and behind them for each ring buffer: the last instruction that writes it.
    writers: Vec<u32>,
    /// The last entry of those that have read it since.
    readers: Vec<u32>,
    /// Instructions that read something, each with the entry before it of the same cell.
    entries: Vec<(u32, u32)>,
    /// The cells that the list uses.
    used: Vec<usize>,
}

/// No instruction, and no entry.
const NONE: u32 = u32::MAX;

impl InstructionOrder {
    /// The order of step code with `cells` cells and `history` elements of ring buffers.
    pub fn new(cells: usize, history: usize) -> InstructionOrder {
        let none = vec![NONE; cells + history];
        InstructionOrder { writers: none.clone(), readers: none, entries: Vec::new(), used: Vec::new() }
    }

    /// Returns for each instruction those that must run before it.
    fn before(&mut self, code: &StepCode, list: &[Instruction]) -> Vec<Vec<usize>> {
        let mut before = Vec::with_capacity(list.len());
        let mut barrier = None;
        for (number, ins) in list.iter().enumerate() {
            let mut found: Vec<usize> = barrier.into_iter().collect();
            let mut writes: Vec<usize> = code.writes(ins).map(|cell| cell as usize).collect();
            rings(code, ins, &mut writes);
            code.each_read(ins, |cell, _| self.read(cell as usize, number, &mut found));
            writes.into_iter().for_each(|cell| self.write(cell, number, &mut found));
            // These see more than the cells that they read.
            if matches!(ins.opcode, Opcode::Solve { .. } | Opcode::LimitRuns | Opcode::RefuseNonFinite) {
                found.extend(barrier.unwrap_or(0)..number);
                barrier = Some(number);
            }
            found.retain(|other| *other != number);
            found.sort_unstable();
            found.dedup();
            before.push(found);
        }
        self.entries.clear();
        for cell in self.used.drain(..) {
            (self.writers[cell], self.readers[cell]) = (NONE, NONE);
        }
        before
    }

    fn read(&mut self, cell: usize, number: usize, found: &mut Vec<usize>) {
        self.note_use(cell);
        add(self.writers[cell], found);
        self.entries.push((number as u32, self.readers[cell]));
        self.readers[cell] = self.entries.len() as u32 - 1;
    }

    fn write(&mut self, cell: usize, number: usize, found: &mut Vec<usize>) {
        self.note_use(cell);
        add(std::mem::replace(&mut self.writers[cell], number as u32), found);
        let mut entry = std::mem::replace(&mut self.readers[cell], NONE);
        while let Some(&(reader, next)) = self.entries.get(entry as usize) {
            add(reader, found);
            entry = next;
        }
    }

    fn note_use(&mut self, cell: usize) {
        if (self.writers[cell], self.readers[cell]) == (NONE, NONE) {
            self.used.push(cell);
        }
    }
}

/// Adds an instruction unless it was the last one: the elements of a vector mostly have the same.
fn add(number: u32, found: &mut Vec<usize>) {
    if number != NONE && found.last() != Some(&(number as usize)) {
        found.push(number as usize);
    }
}

/// Adds a number for each ring buffer that an instruction uses, beyond those of cells.
fn rings(code: &StepCode, ins: &Instruction, found: &mut Vec<usize>) {
    match ins.opcode {
        Opcode::Push(ring) | Opcode::Past(ring) | Opcode::Fill(ring) => {
            found.push(code.cells + ring.first as usize);
        }
        Opcode::Branch(number) => {
            let branch = &code.branches[number as usize];
            branch.body.iter().chain(&branch.otherwise).for_each(|ins| rings(code, ins, found));
        }
        _ => {}
    }
}

/// Returns how many slots lie at least between an instruction and one that needs it.
fn distance(from: u32, to: u32) -> usize {
    match (from == to, from == HERE || to == HERE) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

fn earliest(before: &[Vec<usize>], locations: &[u32]) -> Vec<usize> {
    let mut slots: Vec<usize> = Vec::with_capacity(locations.len());
    for (before, &location) in before.iter().zip(locations) {
        let first = usize::from(location != HERE);
        let behind = before.iter().map(|&other| slots[other] + distance(locations[other], location));
        slots.push(behind.fold(first, usize::max));
    }
    slots
}

fn latest(before: &[Vec<usize>], locations: &[u32], earliest: &[usize]) -> Vec<usize> {
    // The last slots of both kinds.
    let last = earliest.iter().max().copied().unwrap_or(0);
    let last_of = |location: u32| if (last % 2 == 0) == (location == HERE) { last } else { last + 1 };
    let mut slots: Vec<usize> = locations.iter().map(|&location| last_of(location)).collect();
    for number in (0..locations.len()).rev() {
        for &other in &before[number] {
            let bound = slots[number].saturating_sub(distance(locations[other], locations[number]));
            slots[other] = slots[other].min(bound);
        }
    }
    slots
}

/// Chooses the slots of each location, and the slot of each instruction.
fn slots(before: &[Vec<usize>], locations: &[u32], earliest: &[usize], latest: &[usize]) -> Vec<usize> {
    let mut chosen: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut by_latest: Vec<usize> = (0..locations.len()).filter(|&number| locations[number] != HERE).collect();
    by_latest.sort_by_key(|&number| latest[number]);
    for number in by_latest {
        let slots = chosen.entry(locations[number]).or_default();
        // In ascending order; only the last one can be late enough.
        if slots.last().is_none_or(|&last| last < earliest[number]) {
            slots.push(latest[number]);
        }
    }
    let mut slots: Vec<usize> = Vec::with_capacity(locations.len());
    for (number, &location) in locations.iter().enumerate() {
        let behind = before[number].iter().map(|&other| slots[other] + distance(locations[other], location));
        let first = behind.fold(usize::from(location != HERE), usize::max);
        if location == HERE {
            slots.push(first);
            continue;
        }
        let of_location = chosen.entry(location).or_default();
        // Another location may have taken a later slot than the earliest possible.
        let slot = of_location.iter().copied().find(|&slot| slot >= first && slot <= latest[number].max(first));
        let slot = slot.unwrap_or_else(|| {
            of_location.push(first);
            of_location.sort_unstable();
            first
        });
        slots.push(slot);
    }
    slots
}
