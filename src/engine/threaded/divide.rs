//! Combines fragments of a step into jobs, and decides when they run.
//!
//! Fragments in a chain, each the only reader of the one before, are combined. A chain that is heavy enough becomes a
//! part; the main context runs all else itself. The rank of a part is the number of parts that must be complete before
//! it; parts of equal rank run at the same time, and the main context waits for all of them.

use super::fragments::{Fragment, Job, Uses, chunks};
use crate::engine::step_code::{Decoded, Instruction, StepCode};

/// The limits from which a thread is worthwhile. Weights are nanoseconds per step, or counts if nothing is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub threads: usize,
    /// The minimum weight of a part.
    pub heavy: f64,
    /// The minimum weight that the parts of one rank together must take off the main context.
    pub gain: f64,
    /// The minimum length of a piece of a vector, in elements.
    pub elements: u32,
}

/// A step that is divided among threads: the major step, then the remaining instructions.
#[derive(Debug)]
pub(super) struct Division {
    pub phases: [Vec<Segment>; 2],
}

#[derive(Debug)]
pub(super) enum Segment {
    /// Instructions that the main context runs.
    Own(Vec<Instruction>, Decoded),
    /// Jobs that run at the same time, each on a thread of its own; the first on the thread of the main context.
    Forked(Vec<Job>),
}

/// Divides fragments with these weights; `None` if no part is heavy enough for a thread of its own.
pub(super) fn divide(code: &StepCode, phases: [Vec<(Fragment, f64)>; 2], rule: Rule) -> Option<Division> {
    let mut lists = JobLists::default();
    let phases = phases.map(|fragments| phase(code, fragments, rule, &mut lists));
    if lists.jobs.is_empty() {
        return None;
    }
    let jobs = lists.jobs.iter().map(Vec::as_slice);
    let mut uses = Uses::new(code, jobs, lists.own.iter().map(Vec::as_slice));
    let mut jobs = std::mem::take(&mut lists.jobs).into_iter().enumerate();
    let mut own = std::mem::take(&mut lists.own).into_iter();
    let mut segment = |count: usize| match count {
        0 => {
            let list = own.next().unwrap_or_default();
            let decoded = Decoded::new(code, &list);
            Segment::Own(list, decoded)
        }
        count => {
            Segment::Forked(jobs.by_ref().take(count).map(|(number, list)| uses.job(code, number, list)).collect())
        }
    };
    Some(Division { phases: phases.map(|counts| counts.into_iter().map(&mut segment).collect()) })
}

/// The instructions of jobs and of the main context, in the order in which they run.
#[derive(Default)]
struct JobLists {
    jobs: Vec<Vec<Instruction>>,
    own: Vec<Vec<Instruction>>,
}

/// Returns for each segment its number of jobs; 0 for one that the main context runs.
fn phase(code: &StepCode, fragments: Vec<(Fragment, f64)>, rule: Rule, lists: &mut JobLists) -> Vec<usize> {
    let mut pieces = Vec::with_capacity(fragments.len());
    for (fragment, weight) in fragments {
        let is_long = weight >= 2.0 * rule.heavy;
        let found = if is_long { chunks(code, fragment, rule.threads as u32, rule.elements) } else { vec![fragment] };
        let each = weight / found.len() as f64;
        pieces.extend(found.into_iter().map(|fragment| (fragment, each)));
    }
    let before = before(code, &pieces);
    let chains = chains(&pieces, &before);
    let mut weights = vec![0.0; pieces.len()];
    pieces.iter().zip(&chains).for_each(|((_, weight), chain)| weights[*chain] += weight);
    let mut is_part: Vec<bool> = pieces
        .iter()
        .zip(&weights)
        .map(|((fragment, _), &weight)| !fragment.is_pinned && weight >= rule.heavy)
        .collect();
    // When a part is dropped, others that were in different ranks may run at the same time.
    let (ranks, groups) = loop {
        let ranks = ranks(&before, &chains, &is_part);
        let groups = groups(&chains, &is_part, &weights, &ranks, rule.threads);
        let mut is_done = true;
        for group in &groups {
            let of_job = |job: &Vec<usize>| job.iter().map(|chain| weights[*chain]).sum::<f64>();
            let all: f64 = group.iter().map(of_job).sum();
            let longest = group.iter().map(of_job).fold(0.0, f64::max);
            if group.len() < 2 || all - longest < rule.gain {
                group.iter().flatten().for_each(|&chain| is_part[chain] = false);
                is_done &= group.is_empty();
            }
        }
        if is_done {
            break (ranks, groups);
        }
    };
    let list = |wanted: &dyn Fn(usize) -> bool| -> Vec<Instruction> {
        let fragments = pieces.iter().enumerate().filter(|(number, _)| wanted(*number));
        fragments.flat_map(|(_, (fragment, _))| fragment.list.iter().copied()).collect()
    };
    let mut counts = Vec::new();
    for (rank, group) in groups.iter().enumerate() {
        let own = list(&|number| ranks[number] == rank && !is_part[chains[number]]);
        if !own.is_empty() {
            lists.own.push(own);
            counts.push(0);
        }
        for job in group {
            lists.jobs.push(list(&|number| job.contains(&chains[number])));
        }
        if !group.is_empty() {
            counts.push(group.len());
        }
    }
    counts
}

/// Returns for each fragment those that must run before it.
fn before(code: &StepCode, fragments: &[(Fragment, f64)]) -> Vec<Vec<usize>> {
    const NOBODY: u32 = u32::MAX;
    let mut writers = vec![NOBODY; code.cells];
    // The readers of each cell since its last write, as a linked list: the index of the last reader in `chain`.
    let mut readers = vec![NOBODY; code.cells];
    let mut chain: Vec<(u32, u32)> = Vec::new();
    let mut before = vec![Vec::new(); fragments.len()];
    for (number, (fragment, _)) in fragments.iter().enumerate() {
        let own = number as u32;
        let found: &mut Vec<usize> = &mut before[number];
        let mut after = |other: u32| {
            if other != NOBODY && other != own && found.last() != Some(&(other as usize)) {
                found.push(other as usize);
            }
        };
        for ins in &fragment.list {
            code.each_read(ins, |cell, _| {
                after(writers[cell as usize]);
                let last = &mut readers[cell as usize];
                if *last == NOBODY || chain[*last as usize].0 != own {
                    chain.push((own, *last));
                    *last = chain.len() as u32 - 1;
                }
            });
            for cell in code.writes(ins) {
                after(std::mem::replace(&mut writers[cell as usize], own));
                let mut reader = std::mem::replace(&mut readers[cell as usize], NOBODY);
                while reader != NOBODY {
                    let (who, next) = chain[reader as usize];
                    after(who);
                    reader = next;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
    }
    before
}

/// Returns for each fragment the first of its chain.
fn chains(fragments: &[(Fragment, f64)], before: &[Vec<usize>]) -> Vec<usize> {
    let mut followers = vec![0; fragments.len()];
    before.iter().flatten().for_each(|&fragment| followers[fragment] += 1);
    let mut chains: Vec<usize> = (0..fragments.len()).collect();
    for (number, before) in before.iter().enumerate() {
        if let &[only] = &before[..]
            && followers[only] == 1
            && !fragments[number].0.is_pinned
            && !fragments[only].0.is_pinned
        {
            chains[number] = chains[only];
        }
    }
    chains
}

/// Returns for each fragment how many parts must be complete before it.
fn ranks(before: &[Vec<usize>], chains: &[usize], is_part: &[bool]) -> Vec<usize> {
    let mut ranks = vec![0; chains.len()];
    for (number, &chain) in chains.iter().enumerate() {
        let behind = |&fragment: &usize| ranks[fragment] + usize::from(is_part[chains[fragment]]);
        ranks[number] = match chain == number {
            true => before[number].iter().map(behind).max().unwrap_or(0),
            false => ranks[chain],
        };
    }
    ranks
}

/// Returns for each rank its jobs, each a list of parts.
fn groups(
    chains: &[usize],
    is_part: &[bool],
    weights: &[f64],
    ranks: &[usize],
    threads: usize,
) -> Vec<Vec<Vec<usize>>> {
    let most = ranks.iter().max().map_or(0, |most| most + 1);
    let mut groups = vec![Vec::new(); most];
    for (number, &chain) in chains.iter().enumerate() {
        if chain == number && is_part[chain] {
            groups[ranks[number]].push(chain);
        }
    }
    groups.into_iter().map(|parts| shares(parts, weights, threads)).collect()
}

/// Distributes parts among as many jobs as there are threads: the heaviest first, each to the job of the least weight.
fn shares(mut parts: Vec<usize>, weights: &[f64], threads: usize) -> Vec<Vec<usize>> {
    parts.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let mut shares: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); threads.min(parts.len())];
    for part in parts {
        if let Some((sum, share)) = shares.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)) {
            *sum += weights[part];
            share.push(part);
        }
    }
    shares.into_iter().map(|(_, share)| share).collect()
}
