//! Orders the instructions of a step so that those of one guard are together, in few branches.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use crate::engine::step_code::{Branch, CellRange, Instruction, Opcode, Operand, StepCode};

/// A branch with fewer operations than this does not pay.
const WORTH: usize = 4;

/// Orders the instructions so that those of one guard are together, in few branches.
pub(super) struct BranchScheduler<'a> {
    pub code: &'a StepCode,
    pub guards: &'a [Option<u32>],
    /// The cells whose values the step reads before it writes them.
    pub is_early: &'a [bool],
    /// The branches of the step code, of which some are joined with others or with instructions, and new ones.
    pub branches: Vec<Branch>,
    /// The instructions with a guard that are too few for a branch.
    pub small: Vec<usize>,
}

/// Instructions by the cell of the guard, each list with the first instruction of the step on top.
type ReadyLists = BTreeMap<Option<u32>, BinaryHeap<Reverse<usize>>>;

impl BranchScheduler<'_> {
    /// Returns instructions in an order in which branches take the place of the instructions that they contain.
    pub fn list(&mut self, part: &[usize]) -> Vec<Instruction> {
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
            let instructions: Vec<Instruction> = run.iter().map(|at| self.code.step[*at]).collect();
            let work: usize = instructions.iter().map(|ins| ins.elements as usize).sum();
            let has_branch = instructions.iter().any(|ins| matches!(ins.opcode, Opcode::Branch(_)));
            let is_small = work < WORTH && !has_branch;
            match guard {
                Some(guard) if !is_small => list.push(self.branch(guard, instructions)),
                _ => list.extend(instructions),
            }
            if guard.is_some() && is_small {
                self.small.append(&mut run);
            }
        }
        debug_assert!(waits.iter().all(|waits| *waits == 0), "no instruction waits for itself");
        list
    }

    /// For each instruction of a part the number of those that it follows, and those that follow it.
    fn dependencies(&self, part: &[usize]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let (mut waits, mut followers) = (vec![0; part.len()], vec![Vec::new(); part.len()]);
        let mut last_writer: HashMap<u32, usize> = HashMap::new();
        let mut readers: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut last_effect = None;
        // Instructions that are needed only where a guard is 1 may come before the guard in the step.
        let guards: BTreeSet<u32> = part.iter().filter_map(|at| self.guards[*at]).collect();
        let is_guard = |cell: &u32| guards.contains(cell) && !self.is_early[*cell as usize];
        let mut makers: HashMap<u32, usize> = HashMap::new();
        for (number, &at) in part.iter().enumerate() {
            makers.extend(self.code.writes(&self.code.step[at]).filter(is_guard).map(|cell| (cell, number)));
        }
        for (number, &at) in part.iter().enumerate() {
            let ins = &self.code.step[at];
            let mut before = BTreeSet::new();
            let guard = self.guards[at];
            let mut read = Vec::new();
            self.code.each_read(ins, |cell, _| read.push(cell));
            match guard.and_then(|guard| makers.get(&guard)) {
                Some(maker) => drop(before.insert(*maker)),
                None => read.extend(guard),
            }
            before.extend(read.iter().filter_map(|cell| last_writer.get(cell)));
            for cell in self.code.writes(ins) {
                before.extend(last_writer.get(&cell));
                before.extend(readers.remove(&cell).unwrap_or_default());
                last_writer.insert(cell, number);
            }
            read.iter().for_each(|cell| readers.entry(*cell).or_default().push(number));
            // A ring is neither read nor written through cells, and of several failures the first counts.
            let is_joined = guard.is_some() && matches!(ins.opcode, Opcode::Branch(_));
            if ins.opcode.is_effect() && !is_joined || matches!(ins.opcode, Opcode::Past(_) | Opcode::Recorded { .. }) {
                before.extend(last_effect.replace(number));
            }
            before.remove(&number);
            waits[number] = before.len();
            before.into_iter().for_each(|from| followers[from].push(number));
        }
        (waits, followers)
    }

    /// Makes one branch of instructions, some of which may be branches, and returns the instruction that executes it.
    fn branch(&mut self, guard: u32, instructions: Vec<Instruction>) -> Instruction {
        let mut numbers = Vec::new();
        let mut joined = Branch { guard, ..Branch::default() };
        for ins in instructions {
            let Opcode::Branch(number) = ins.opcode else {
                joined.body.push(ins);
                continue;
            };
            numbers.push(number);
            let Branch { body, otherwise, executed, is_major, .. } =
                std::mem::take(&mut self.branches[number as usize]);
            joined.body.extend(body);
            joined.otherwise.extend(otherwise);
            joined.executed += executed;
            joined.is_major |= is_major;
        }
        let (mut reads, mut writes) = (BTreeSet::from([guard]), BTreeSet::new());
        for ins in joined.body.iter().chain(&joined.otherwise) {
            self.code.each_read(ins, |cell, _| {
                if !writes.contains(&cell) {
                    reads.insert(cell);
                }
            });
            writes.extend(self.code.writes(ins));
        }
        // A cell that a subsystem writes may stay unchanged.
        let kept = numbers.iter().flat_map(|number| &self.code.branches[*number as usize].writes);
        reads.extend(kept.flat_map(|range| range.cells()));
        [joined.reads, joined.writes] =
            [reads, writes].map(|cells| cells.into_iter().map(|cell| CellRange::new(cell, 1)).collect());
        let number = match numbers.first() {
            Some(number) => *number,
            None => {
                self.branches.push(Branch::default());
                self.branches.len() as u32 - 1
            }
        };
        self.branches[number as usize] = joined;
        Instruction { opcode: Opcode::Branch(number), elements: 0, dst: 0, args: [Operand::Broadcast(0); 3] }
    }
}
