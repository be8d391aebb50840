//! Computes what changes only at sample hits in branches that run at these hits.
//!
//! A block with a sample time holds its output: `now = hit ? value : before`, where `before` is a state that takes over
//! `now` at the end of the step. Between two hits `now` has the bits of the step before, and so has everything that is
//! computed from `now` and from constants alone: its cells have them already. Such instructions move into branches
//! guarded by the hit, together with those whose results nobody else reads. The first step of a call is interpreted, so
//! that all cells have values.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use super::super::flat::{Branch, Ins, Opcode, Operand, Tape};
use super::body::MAX_WORK;
use super::cell_lists::CellLists;
use super::fusion::{early, live};
use crate::block::Binary;

/// Fewer operations than this are not worth a branch.
const WORTH: usize = 4;
/// Steps that read and write more cells than this are left as they are.
const MAX_ACCESSES: usize = 1 << 20;
/// Attempts to find branches that are all worth it.
const MAX_ROUNDS: usize = 8;
/// The branches of a step at most.
const MAX_BRANCHES: usize = 200;

/// Returns the tape with such branches, for the watched outputs; `None` if there are none.
pub(super) fn at_hits(tape: &Tape, watched: &[(u32, u32)]) -> Option<Tape> {
    let has_hits = tape.step.iter().any(|ins| matches!(ins.opcode, Opcode::Hit(_)));
    // A solver that evaluates the rates on demand reads cells that are not listed in the step.
    if !has_hits || tape.driven.is_some() {
        return None;
    }
    let accesses = |ins: &Ins| ins.reads().map(|(_, count)| count as usize).sum::<usize>() + ins.written() as usize;
    if tape.step.iter().map(accesses).sum::<usize>() > MAX_ACCESSES {
        return None;
    }
    let mut is_live = live(tape, watched, &[]);
    let values = ValueNumbering::new(tape, &is_live);
    values.leave_idle_copies_out(tape, &mut is_live);
    let finder = GuardFinder::new(tape, watched, &is_live, &values);
    let mut is_always = vec![false; tape.step.len()];
    let (step, sampled, branches) = (0..MAX_ROUNDS).find_map(|_| {
        let guards = finder.guards(&is_always);
        let (major, rest) = phases(tape, watched, finder.is_live, &guards);
        let mut schedule = HoldSchedule { tape, guards: &guards, branches: Vec::new(), small: Vec::new() };
        let mut step = schedule.list(&major);
        let sampled = step.len();
        step.extend(schedule.list(&rest));
        // What is in no branch reads valid values in every step: the guards are found again without it.
        schedule.small.iter().for_each(|at| is_always[*at] = true);
        schedule.small.is_empty().then_some((step, sampled, schedule.branches))
    })?;
    let is_fit = (1..=MAX_BRANCHES).contains(&branches.len());
    let branches: Vec<Branch> = tape.branches.iter().cloned().chain(branches).collect();
    if !is_fit || branches.len().saturating_mul(tape.cells + tape.tables.len()) > MAX_WORK {
        return None;
    }
    Some(Tape {
        cells: tape.cells,
        delta: tape.delta,
        executed: tape.executed,
        step,
        sampled,
        branches: Arc::new(branches),
        tables: tape.tables.clone(),
        discrete: tape.discrete.clone(),
        continuous: tape.continuous.clone(),
        lasting: tape.lasting.clone(),
        reports: tape.reports.clone(),
        ..Tape::default()
    })
}

/// Whether two instructions that read the same values have the same results.
fn is_same(a: &Ins, b: &Ins) -> bool {
    let is_single = |ins: &Ins| ins.args.map(|arg| matches!(arg, Operand::Broadcast(_)));
    a.opcode.is_pure() && a.opcode == b.opcode && a.elements == b.elements && is_single(a) == is_single(b)
}

/// The values of a step by number: copies have the number of the original. The first are those of the cells at the start
/// of the step.
struct ValueNumbering {
    /// For each value the cell of the hit without which it is 0, if there is one.
    hits: Vec<Option<u32>>,
    /// For each instruction the values that it reads, by operand and element.
    reads: Vec<Vec<u32>>,
    /// For each instruction the values of the cells that it writes.
    results: Vec<Vec<u32>>,
    /// The values of the cells at the end of the step.
    last: Vec<u32>,
    /// The instructions that write each cell, those that are executed.
    writers: CellLists,
}

impl ValueNumbering {
    fn new(tape: &Tape, is_live: &[bool]) -> ValueNumbering {
        let mut now: Vec<u32> = (0..tape.cells as u32).collect();
        let mut values = ValueNumbering {
            hits: vec![None; tape.cells],
            reads: vec![Vec::new(); tape.step.len()],
            results: vec![Vec::new(); tape.step.len()],
            last: Vec::new(),
            writers: writers(tape, is_live),
        };
        // Instructions that compute the same, by what they read.
        let mut known: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
        for (at, ins) in tape.step.iter().enumerate().filter(|(at, _)| is_live[*at]) {
            let mut reads = Vec::new();
            tape.each_read(ins, |cell, _| reads.push(now[cell as usize]));
            let written: Vec<u32> = tape.writes(ins).collect();
            let like = known.get(&reads).and_then(|list| list.iter().find(|like| is_same(&tape.step[**like], ins)));
            let results: Vec<u32> = match like {
                // One cell may be copied to many.
                _ if ins.opcode == Opcode::Copy => {
                    (0..written.len()).map(|index| reads[index.min(reads.len() - 1)]).collect()
                }
                Some(like) => values.results[*like].clone(),
                None => {
                    let first = values.hits.len();
                    values.hits.resize(first + written.len(), values.hit_of(ins, &reads));
                    known.entry(reads.clone()).or_default().push(at);
                    (first as u32..values.hits.len() as u32).collect()
                }
            };
            written.iter().zip(&results).for_each(|(cell, value)| now[*cell as usize] = *value);
            (values.reads[at], values.results[at]) = (reads, results);
        }
        values.last = now;
        values
    }

    /// Leaves out copies of a state to cells that have its value already, from the end of the step before.
    fn leave_idle_copies_out(&self, tape: &Tape, is_live: &mut [bool]) {
        for (at, ins) in tape.step.iter().enumerate().filter(|(_, ins)| ins.opcode == Opcode::Copy) {
            let mut pairs = tape.writes(ins).zip(&self.results[at]);
            let is_idle = |(cell, value): (u32, &u32)| {
                let is_first = self.writers.of(cell).first() == Some(&(at as u32));
                is_first && self.last.get(*value as usize).is_some_and(|last| *last == self.last[cell as usize])
            };
            if is_live[at] && pairs.all(is_idle) {
                is_live[at] = false;
            }
        }
    }

    /// The cell of the hit without which the result of an instruction that reads these values is 0.
    fn hit_of(&self, ins: &Ins, reads: &[u32]) -> Option<u32> {
        match ins.opcode {
            Opcode::Hit(_) => Some(ins.dst),
            Opcode::Binary(Binary::And) if ins.elements == 1 => {
                reads.iter().find_map(|value| self.hits[*value as usize])
            }
            _ => None,
        }
    }
}

/// When a value differs from that of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Never,
    /// Only in the steps in which this cell, a sample hit, is 1.
    AtHit(u32),
    Always,
}

impl Change {
    fn and(self, other: Change) -> Change {
        match (self, other) {
            (Change::Never, change) | (change, Change::Never) => change,
            (a, b) if a == b => a,
            _ => Change::Always,
        }
    }
}

/// The instructions that write each cell.
fn writers(tape: &Tape, is_live: &[bool]) -> CellLists {
    let all = || (0..).zip(&tape.step).filter(|(at, _)| is_live[*at as usize]);
    CellLists::new(tape.cells, |add| {
        all().for_each(|(at, ins)| tape.writes(ins).for_each(|cell| add(cell, at)));
    })
}

/// Returns the change of each value.
fn changes(tape: &Tape, is_live: &[bool], values: &ValueNumbering) -> Vec<Change> {
    let is_written = |cell: u32| !values.writers.of(cell).is_empty();
    let cells = (0..tape.cells as u32).map(|cell| if is_written(cell) { Change::Always } else { Change::Never });
    let mut changes: Vec<Change> = cells.collect();
    changes.resize(values.hits.len(), Change::Always);
    for (at, ins) in tape.step.iter().enumerate().filter(|(at, ins)| is_live[*at] && ins.opcode != Opcode::Copy) {
        let reads = values.reads[at].iter().map(|value| changes[*value as usize]);
        let change = match ins.opcode.is_pure() {
            true => reads.fold(Change::Never, Change::and),
            false => Change::Always,
        };
        let change = held_at(tape, values, at).map_or(change, Change::AtHit);
        values.results[at].iter().for_each(|value| changes[*value as usize] = change);
    }
    changes
}

/// The cell of the hit at which an instruction selects new values, if it selects those of the step before otherwise.
fn held_at(tape: &Tape, values: &ValueNumbering, at: usize) -> Option<u32> {
    let ins = &tape.step[at];
    if ins.opcode != Opcode::Select {
        return None;
    }
    let mut rest = &values.reads[at][..];
    let [on, _, no] = ins.args.map(|arg| {
        let count = if let Operand::Broadcast(_) = arg { 1 } else { ins.elements as usize };
        let (own, others) = rest.split_at(count);
        rest = others;
        own
    });
    let hit = values.hits[*on.first()? as usize]?;
    let is_before = |(element, result): (usize, &u32)| {
        let before = no[element.min(no.len() - 1)] as usize;
        values.last.get(before).is_some_and(|last| last == result)
    };
    let is_same_hit = on.iter().all(|value| values.hits[*value as usize] == Some(hit));
    (is_same_hit && values.results[at].iter().enumerate().all(is_before)).then_some(hit)
}

/// Finds the instructions that are needed only at hits.
struct GuardFinder<'a> {
    tape: &'a Tape,
    is_live: &'a [bool],
    /// For each instruction the hit at which its results change, if there is one.
    changes: Vec<Option<u32>>,
    /// For each cell the instructions that read it.
    readers: CellLists,
    /// Whether an instruction can be executed in some steps alone.
    can_wait: Vec<bool>,
    /// Cells that others than the step read.
    is_kept: Vec<bool>,
}

impl<'a> GuardFinder<'a> {
    fn new(tape: &'a Tape, watched: &[(u32, u32)], is_live: &'a [bool], values: &ValueNumbering) -> GuardFinder<'a> {
        let changes = changes(tape, is_live, values);
        let writers = writers(tape, is_live);
        let live = || (0..tape.step.len()).filter(|at| is_live[*at]);
        let is_own = |at: usize| tape.writes(&tape.step[at]).all(|cell| writers.of(cell) == [at as u32]);
        let can_wait = |at: usize| is_live[at] && tape.step[at].opcode.is_pure() && is_own(at);
        let change_of =
            |results: &Vec<u32>| match results.iter().map(|value| changes[*value as usize]).reduce(Change::and) {
                Some(Change::AtHit(hit)) => Some(hit),
                _ => None,
            };
        let mut is_kept = early(tape, &[]);
        let lasting = tape.lasting.0.iter().map(|piece| (piece.cell, piece.count));
        for (first, count) in watched.iter().copied().chain(lasting) {
            is_kept[first as usize..(first + count) as usize].fill(true);
        }
        GuardFinder {
            tape,
            is_live,
            changes: values.results.iter().map(change_of).collect(),
            readers: CellLists::new(tape.cells, |add| {
                live().for_each(|at| tape.each_read(&tape.step[at], |cell, _| add(cell, at as u32)));
            }),
            can_wait: (0..tape.step.len()).map(can_wait).collect(),
            is_kept,
        }
    }

    /// Returns for each instruction the cell of the hit at which alone it is needed; none for those that run in every
    /// step in any case.
    fn guards(&self, is_always: &[bool]) -> Vec<Option<u32>> {
        let can_wait = |at: usize| self.can_wait[at] && !is_always[at];
        let mut guards: Vec<Option<u32>> =
            self.changes.iter().enumerate().map(|(at, change)| change.filter(|_| can_wait(at))).collect();
        // What is read at these hits alone.
        for at in (0..guards.len()).rev().filter(|at| can_wait(*at)) {
            if guards[at].is_none() {
                guards[at] = self.guard_of_readers(at, &guards);
            }
        }
        guards
    }

    /// The hit at which all instructions run that read the results of one, if they are later in the step.
    fn guard_of_readers(&self, at: usize, guards: &[Option<u32>]) -> Option<u32> {
        let written = || self.tape.writes(&self.tape.step[at]);
        let mut read_by = written().flat_map(|cell| self.readers.of(cell));
        let hit = guards[*read_by.next()? as usize]?;
        let is_there = |reader: &u32| *reader as usize > at && guards[*reader as usize] == Some(hit);
        let are_all = written().flat_map(|cell| self.readers.of(cell)).all(is_there);
        (are_all && !written().any(|cell| self.is_kept[cell as usize])).then_some(hit)
    }
}

/// Returns the live instructions of the major step and the others. New states that change only at hits belong to the
/// major step, so that one branch computes and stores them, unless that would be seen in between.
fn phases(tape: &Tape, watched: &[(u32, u32)], is_live: &[bool], guards: &[Option<u32>]) -> (Vec<usize>, Vec<usize>) {
    let mut is_read = vec![false; tape.cells];
    let mut is_written = vec![false; tape.cells];
    watched.iter().for_each(|&(cell, width)| is_read[cell as usize..(cell + width) as usize].fill(true));
    (0..tape.step.len()).filter(|at| is_live[*at]).partition(|&at| {
        if at < tape.sampled {
            return true;
        }
        let ins = &tape.step[at];
        let mut is_free = guards[at].is_some();
        tape.each_read(ins, |cell, _| is_free &= !is_written[cell as usize]);
        is_free &= tape.writes(ins).all(|cell| !is_read[cell as usize] && !is_written[cell as usize]);
        if !is_free {
            tape.each_read(ins, |cell, _| is_read[cell as usize] = true);
            tape.writes(ins).for_each(|cell| is_written[cell as usize] = true);
        }
        is_free
    })
}

/// Orders the instructions so that those of one hit are together, in few branches.
struct HoldSchedule<'a> {
    tape: &'a Tape,
    guards: &'a [Option<u32>],
    branches: Vec<Branch>,
    /// The instructions with a guard that are too few for a branch.
    small: Vec<usize>,
}

/// Instructions by the cell of the hit, each list with the first instruction of the step on top.
type ReadyLists = BTreeMap<Option<u32>, BinaryHeap<Reverse<usize>>>;

impl HoldSchedule<'_> {
    /// Returns instructions in an order in which branches take the place of what they contain.
    fn list(&mut self, part: &[usize]) -> Vec<Ins> {
        let (mut waits, followers) = self.dependencies(part);
        let of = |number: usize| self.guards[part[number]];
        let mut ready = ReadyLists::new();
        for number in (0..part.len()).filter(|number| waits[*number] == 0) {
            ready.entry(of(number)).or_default().push(Reverse(number));
        }
        let mut list = Vec::new();
        // All that is ready and in no branch comes first, so that each branch is as long as it can be.
        while let Some((&guard, _)) = ready.iter().min_by_key(|(guard, heap)| (guard.is_some(), Reverse(heap.peek()))) {
            let mut run = Vec::new();
            while let Some(Reverse(number)) = ready.get_mut(&guard).and_then(BinaryHeap::pop) {
                run.push(part[number]);
                for &follower in &followers[number] {
                    waits[follower] -= 1;
                    if waits[follower] == 0 {
                        ready.entry(of(follower)).or_default().push(Reverse(follower));
                    }
                }
            }
            ready.remove(&guard);
            let work: usize = run.iter().map(|at| self.tape.step[*at].elements as usize).sum();
            let is_small = work < WORTH;
            let instructions = run.iter().map(|at| self.tape.step[*at]);
            match guard {
                Some(guard) if !is_small => list.push(self.branch(guard, instructions.collect())),
                _ => list.extend(instructions),
            }
            if guard.is_some() && is_small {
                self.small.append(&mut run);
            }
        }
        list
    }

    /// For each instruction of a part the number of those that it follows, and those that follow it.
    fn dependencies(&self, part: &[usize]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let (mut waits, mut followers) = (vec![0; part.len()], vec![Vec::new(); part.len()]);
        let mut last_writer: HashMap<u32, usize> = HashMap::new();
        let mut readers: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut last_effect = None;
        for (number, &at) in part.iter().enumerate() {
            let ins = &self.tape.step[at];
            let mut before = BTreeSet::new();
            let guard = self.guards[at];
            let mut read = Vec::new();
            self.tape.each_read(ins, |cell, _| read.push(cell));
            before.extend(read.iter().chain(&guard).filter_map(|cell| last_writer.get(cell)));
            for cell in self.tape.writes(ins) {
                before.extend(last_writer.get(&cell));
                before.extend(readers.remove(&cell).unwrap_or_default());
                last_writer.insert(cell, number);
            }
            read.iter().for_each(|cell| readers.entry(*cell).or_default().push(number));
            // A ring is neither read nor written through cells, and of several failures the first counts.
            if ins.opcode.is_effect() || matches!(ins.opcode, Opcode::Past(_)) {
                before.extend(last_effect.replace(number));
            }
            before.remove(&number);
            waits[number] = before.len();
            before.into_iter().for_each(|from| followers[from].push(number));
        }
        (waits, followers)
    }

    /// Adds a branch and returns the instruction that executes it.
    fn branch(&mut self, guard: u32, body: Vec<Ins>) -> Ins {
        let (mut reads, mut writes) = (BTreeSet::from([guard]), BTreeSet::new());
        for ins in &body {
            self.tape.each_read(ins, |cell, _| {
                if !writes.contains(&cell) {
                    reads.insert(cell);
                }
            });
            writes.extend(self.tape.writes(ins));
        }
        let [reads, writes] = [reads, writes].map(|cells| cells.into_iter().map(|cell| (cell, 1)).collect());
        let number = (self.tape.branches.len() + self.branches.len()) as u32;
        self.branches.push(Branch { guard, body, reads, writes, ..Branch::default() });
        Ins { opcode: Opcode::Branch(number), elements: 0, dst: 0, args: [Operand::Broadcast(0); 3] }
    }
}
