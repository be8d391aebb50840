//! Cuts a list of instructions at the borders of places: what runs here, and the exchanges between.
//!
//! Time is divided into slots: in even ones instructions run here, in odd ones workers run theirs, all places at the
//! same time. Each instruction has an earliest and a latest slot by what it reads and what reads it; a place then takes
//! part in as few slots as these allow.

use std::collections::HashMap;

use super::super::flat::{Ins, Opcode, Tape};
use super::places::HERE;

/// A list after the cut: instructions that run here, and between them exchanges with the instructions of each place.
#[derive(Debug)]
pub(super) enum Cut {
    Here(Ins),
    Exchange(Vec<(u32, Vec<Ins>)>),
}

/// Cuts a list; `places` has the place of each instruction.
pub(super) fn cut(tape: &Tape, list: &[Ins], places: &[u32]) -> Vec<Cut> {
    if places.iter().all(|place| *place == HERE) {
        return list.iter().map(|ins| Cut::Here(*ins)).collect();
    }
    let before = before(tape, list);
    let earliest = earliest(&before, places);
    let latest = latest(&before, places, &earliest);
    let slots = slots(&before, places, &earliest, &latest);
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
            match bodies.iter_mut().find(|(place, _)| *place == places[number]) {
                Some((_, body)) => body.push(list[number]),
                None => bodies.push((places[number], vec![list[number]])),
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

fn earliest(before: &[Vec<usize>], places: &[u32]) -> Vec<usize> {
    let mut slots: Vec<usize> = Vec::with_capacity(places.len());
    for (before, &place) in before.iter().zip(places) {
        let first = usize::from(place != HERE);
        let behind = before.iter().map(|&other| slots[other] + distance(places[other], place));
        slots.push(behind.fold(first, usize::max));
    }
    slots
}

fn latest(before: &[Vec<usize>], places: &[u32], earliest: &[usize]) -> Vec<usize> {
    // The last slots of both kinds.
    let last = earliest.iter().max().copied().unwrap_or(0);
    let last_of = |place: u32| if (last % 2 == 0) == (place == HERE) { last } else { last + 1 };
    let mut slots: Vec<usize> = places.iter().map(|&place| last_of(place)).collect();
    for number in (0..places.len()).rev() {
        for &other in &before[number] {
            let bound = slots[number].saturating_sub(distance(places[other], places[number]));
            slots[other] = slots[other].min(bound);
        }
    }
    slots
}

/// Chooses the slots of each place, and the slot of each instruction.
fn slots(before: &[Vec<usize>], places: &[u32], earliest: &[usize], latest: &[usize]) -> Vec<usize> {
    let mut chosen: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut by_latest: Vec<usize> = (0..places.len()).filter(|&number| places[number] != HERE).collect();
    by_latest.sort_by_key(|&number| latest[number]);
    for number in by_latest {
        let slots = chosen.entry(places[number]).or_default();
        // In ascending order; only the last one can be late enough.
        if slots.last().is_none_or(|&last| last < earliest[number]) {
            slots.push(latest[number]);
        }
    }
    let mut slots: Vec<usize> = Vec::with_capacity(places.len());
    for (number, &place) in places.iter().enumerate() {
        let behind = before[number].iter().map(|&other| slots[other] + distance(places[other], place));
        let first = behind.fold(usize::from(place != HERE), usize::max);
        if place == HERE {
            slots.push(first);
            continue;
        }
        let of_place = chosen.entry(place).or_default();
        // Another place may have taken a later slot than the earliest possible.
        let slot = of_place.iter().copied().find(|&slot| slot >= first && slot <= latest[number].max(first));
        let slot = slot.unwrap_or_else(|| {
            of_place.push(first);
            of_place.sort_unstable();
            first
        });
        slots.push(slot);
    }
    slots
}
