//! Cuts a list of instructions at the borders of locations: what runs here, and the exchanges between.
//!
//! Time is divided into slots: in even ones instructions run here, in odd ones workers run theirs, all locations at the
//! same time. Each instruction has an earliest and a latest slot by what it reads and what reads it; a location then takes
//! part in as few slots as these allow.

use std::collections::HashMap;

use super::super::flat::{Ins, Opcode, Tape};
use super::locations::HERE;

/// A list after the cut: instructions that run here, and between them exchanges with the instructions of each location.
#[derive(Debug)]
pub(super) enum Cut {
    Here(Ins),
    Exchange(Vec<(u32, Vec<Ins>)>),
}

/// Cuts a list; `locations` has the location of each instruction.
pub(super) fn cut(tape: &Tape, list: &[Ins], locations: &[u32]) -> Vec<Cut> {
    if locations.iter().all(|location| *location == HERE) {
        return list.iter().map(|ins| Cut::Here(*ins)).collect();
    }
    let before = before(tape, list);
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
        let mut bodies: Vec<(u32, Vec<Ins>)> = Vec::new();
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

/// Returns for each instruction those that must run before it.
fn before(tape: &Tape, list: &[Ins]) -> Vec<Vec<usize>> {
    let mut writers: HashMap<u64, usize> = HashMap::new();
    let mut readers: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut before = Vec::with_capacity(list.len());
    let mut barrier = None;
    for (number, ins) in list.iter().enumerate() {
        let mut found: Vec<usize> = barrier.into_iter().collect();
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        tape.each_read(ins, |cell, _| reads.push(u64::from(cell)));
        writes.extend(tape.writes(ins).map(u64::from));
        rings(tape, ins, &mut writes);
        for cell in reads {
            found.extend(writers.get(&cell));
            readers.entry(cell).or_default().push(number);
        }
        for cell in writes {
            found.extend(writers.insert(cell, number));
            found.extend(readers.remove(&cell).into_iter().flatten());
        }
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
    before
}

/// Adds a number for each ring buffer that an instruction uses, beyond those of cells.
fn rings(tape: &Tape, ins: &Ins, found: &mut Vec<u64>) {
    match ins.opcode {
        Opcode::Push(ring) | Opcode::Past(ring) | Opcode::Fill(ring) => {
            found.push(tape.cells as u64 + u64::from(ring.first));
        }
        Opcode::Branch(number) => {
            let branch = &tape.branches[number as usize];
            branch.body.iter().chain(&branch.otherwise).for_each(|ins| rings(tape, ins, found));
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
