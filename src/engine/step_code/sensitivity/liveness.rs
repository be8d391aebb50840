//! Finds, for each branch, the cells whose values it leaves to others: those that are read outside of it, or by itself
//! before it has written them. Only these need tangents at a place of their own.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::engine::step_code::{Instruction, Opcode, StepCode};

/// The cells that each branch leaves to others.
#[derive(Debug)]
pub(super) struct Liveness {
    live: Vec<Vec<u32>>,
}

/// The cells that a list of instructions reads and writes.
#[derive(Clone, Default)]
struct Use {
    /// How many instructions read each cell.
    reads: HashMap<u32, u32>,
    writes: BTreeSet<u32>,
    /// The cells that are read before they are surely written.
    exposed: HashSet<u32>,
}

impl Liveness {
    /// `watched` has the first cell and the width of outputs that are read after the step.
    pub fn new(code: &StepCode, watched: &[(u32, u32)]) -> Liveness {
        // Inner branches have lower numbers than the outer ones.
        let mut uses: Vec<Use> = Vec::with_capacity(code.branches.len());
        for branch in &*code.branches {
            let mut of_branch = used(code, &branch.body, &uses);
            let otherwise = used(code, &branch.otherwise, &uses);
            otherwise.reads.iter().for_each(|(cell, count)| *of_branch.reads.entry(*cell).or_default() += count);
            of_branch.writes.extend(&otherwise.writes);
            of_branch.exposed.extend(&otherwise.exposed);
            uses.push(of_branch);
        }
        let mut all = used(code, &code.step, &uses).reads;
        if let Some(driven) = &code.driven {
            let of_rates = used(code, &driven.list, &uses).reads;
            of_rates.iter().for_each(|(cell, count)| *all.entry(*cell).or_default() += count);
        }
        let mut bound: HashSet<u32> = watched.iter().flat_map(|&(first, width)| first..first + width).collect();
        let driven = code.driven.iter().flat_map(|driven| [&driven.rates, &driven.nexts, &driven.held]);
        for bindings in [&code.discrete, &code.continuous].into_iter().chain(driven) {
            bound.extend(bindings.0.iter().flat_map(|binding| binding.cell..binding.cell + binding.count));
        }
        let live = uses.iter().map(|of_branch| {
            let inside = |cell: &u32| of_branch.reads.get(cell).copied().unwrap_or_default();
            let outside = |cell: &u32| all.get(cell).copied().unwrap_or_default() > inside(cell);
            let is_live = |cell: &&u32| outside(cell) || bound.contains(*cell) || of_branch.exposed.contains(*cell);
            of_branch.writes.iter().filter(is_live).copied().collect()
        });
        Liveness { live: live.collect() }
    }

    /// The cells that a branch writes and leaves to others, in ascending order.
    pub fn live(&self, branch: u32) -> &[u32] {
        self.live.get(branch as usize).map_or(&[], Vec::as_slice)
    }
}

fn used(code: &StepCode, list: &[Instruction], uses: &[Use]) -> Use {
    let mut of_list = Use::default();
    let mut written = HashSet::new();
    for ins in list {
        if let Opcode::Branch(number) = ins.opcode {
            let Some(inner) = uses.get(number as usize) else { continue };
            inner.reads.iter().for_each(|(cell, count)| *of_list.reads.entry(*cell).or_default() += count);
            of_list.exposed.extend(inner.exposed.iter().filter(|cell| !written.contains(*cell)));
            of_list.writes.extend(&inner.writes);
            continue;
        }
        code.each_read(ins, |cell, _| {
            *of_list.reads.entry(cell).or_default() += 1;
            if !written.contains(&cell) {
                of_list.exposed.insert(cell);
            }
        });
        let cells = ins.dst..ins.dst + ins.written();
        written.extend(cells.clone());
        of_list.writes.extend(cells);
    }
    of_list
}
