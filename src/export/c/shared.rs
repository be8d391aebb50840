//! Functions for models that are used several times: what two uses compute alike is written once.
//!
//! Of each use the scalar arithmetic is taken, which has no state of its own. The instructions of a use are brought
//! together where what they depend on allows it; otherwise they are several groups. Groups with equal instructions become
//! one function: cells that it reads are its arguments, cells that others read are its results. Instructions move, but
//! each computes the same from the same, so that no bit changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::usage::{Item, Usage};
use crate::engine::{Instruction, Opcode, Program, StepCode, UnitMap};
use crate::model::{BlockAddress, BlockId, Simulation, model_at};

/// Fewer instructions than this do not make a function.
const SMALLEST: usize = 4;
/// Longer lists keep their order: the search takes a time that grows with the square.
const LONGEST: usize = 4000;
/// More arguments and results are not readable.
const MOST_CELLS: usize = 24;

/// A function, with the cells of the first use.
#[derive(Clone, Debug)]
pub struct SharedFunction {
    /// The name of the model.
    pub model: String,
    /// The model blocks whose code it is, as paths of ids.
    pub uses: BTreeSet<Vec<BlockId>>,
    pub code: Vec<Instruction>,
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
}

/// A call of a function, with the cells of a use.
#[derive(Clone, Debug)]
pub struct SharedCall {
    pub function: usize,
    /// The model block, such as `Plant/Motor#3 (Motor)`.
    pub title: String,
    pub code: Vec<Instruction>,
    pub inputs: Vec<u32>,
    pub outputs: Vec<u32>,
}

/// All functions and calls.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    pub functions: Vec<SharedFunction>,
    pub calls: Vec<SharedCall>,
    known: BTreeMap<String, usize>,
}

/// The input from which the groups are found.
pub struct Sharing<'a> {
    code: &'a StepCode,
    /// All uses of cells, with each list as it was.
    usage: &'a Usage<'a>,
    /// The values of cells that are constants in the code.
    constants: BTreeMap<u32, u64>,
    /// Cells that last from step to step.
    lasting: BTreeSet<u32>,
    /// For each unit, the model block that it belongs to, if its model is used several times, with the path of its
    /// block within it.
    uses: UnitMap<Option<(Vec<BlockId>, String)>>,
    simulation: &'a Simulation,
}

/// Instructions of one use that are executed one after the other.
struct Group {
    instance: Vec<BlockId>,
    /// Their places in the list.
    members: Vec<usize>,
}

impl<'a> Sharing<'a> {
    pub fn new(
        program: &Program,
        simulation: &'a Simulation,
        code: &'a StepCode,
        usage: &'a Usage<'a>,
        constants: &[(u32, f64)],
    ) -> Sharing<'a> {
        let blocks: UnitMap<BlockAddress> = program.units.keys().map(|unit| program.block_of(unit)).collect();
        let model_of = |path: &[BlockId]| model_at(simulation, path).map(|model| model.name.clone());
        let mut instances: BTreeMap<_, BTreeSet<&[BlockId]>> = BTreeMap::new();
        for BlockAddress { path, .. } in blocks.values() {
            for depth in 1..=path.len() {
                if let Some(model) = model_of(&path[..depth]) {
                    instances.entry(model).or_default().insert(&path[..depth]);
                }
            }
        }
        let is_shared = |path: &[BlockId]| model_of(path).is_some_and(|model| instances[&model].len() > 1);
        let uses = blocks.values().map(|BlockAddress { path, block }| {
            let depth = (1..=path.len()).find(|depth| is_shared(&path[..*depth]))?;
            Some((path[..depth].to_vec(), format!("{:?} {block:?}", &path[depth..])))
        });
        let moves =
            [&code.discrete, &code.continuous, &code.params].into_iter().chain(code.driven.iter().map(|d| &d.x));
        let lasting = moves.flat_map(|moves| &moves.0).flat_map(|piece| piece.cell..piece.cell + piece.count).collect();
        let constants = constants.iter().map(|(cell, value)| (*cell, value.to_bits())).collect();
        Sharing { code, usage, constants, lasting, uses: uses.collect(), simulation }
    }

    /// Brings the instructions of uses together, and replaces those that several uses have by calls.
    pub fn share(&self, items: Vec<Item>, shared: &mut Shared) -> Vec<Item> {
        let mut made = Vec::new();
        let mut list = Vec::new();
        for item in items {
            match item {
                Item::Instruction(ins) => list.push(ins),
                other => {
                    made.extend(self.share_list(&std::mem::take(&mut list), shared));
                    made.push(other);
                }
            }
        }
        made.extend(self.share_list(&list, shared));
        made
    }

    /// The use that an instruction belongs to, if it can be in a function.
    fn use_of(&self, ins: &Instruction) -> Option<&(Vec<BlockId>, String)> {
        let is_arithmetic = matches!(ins.opcode, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select);
        let cell = self.usage.cells.get(ins.dst as usize)?;
        if !is_arithmetic || ins.written() != 1 || cell.writes != 1 || self.lasting.contains(&ins.dst) {
            return None;
        }
        self.uses[self.code.owner(ins.dst)?].as_ref()
    }

    fn share_list(&self, list: &[Instruction], shared: &mut Shared) -> Vec<Item> {
        let unchanged = || list.iter().copied().map(Item::Instruction).collect();
        if list.len() > LONGEST {
            return unchanged();
        }
        let uses: Vec<_> = list.iter().map(|ins| self.use_of(ins)).collect();
        if uses.iter().flatten().map(|(instance, _)| instance).collect::<BTreeSet<_>>().len() < 2 {
            return unchanged();
        }
        let groups = self.grouped(list, &uses);
        let calls: Vec<Option<(String, SharedCall)>> = groups.iter().map(|group| self.call(list, group)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        calls.iter().flatten().for_each(|(key, _)| *counts.entry(key).or_default() += 1);
        let is_worth = |key: &str| counts[key] > 1 || shared.known.contains_key(key);
        if !calls.iter().flatten().any(|(key, _)| is_worth(key)) {
            return unchanged();
        }
        let mut made = Vec::new();
        for (group, call) in groups.iter().zip(&calls) {
            match call {
                Some((key, call)) if counts[&**key] > 1 || shared.known.contains_key(key) => {
                    made.push(Item::Call(shared.add(key, call, &group.instance, self.simulation)));
                }
                _ => made.extend(group.members.iter().map(|at| Item::Instruction(list[*at]))),
            }
        }
        made
    }

    /// The order in which the instructions are executed: those of a use together where that is possible.
    fn grouped(&self, list: &[Instruction], uses: &[Option<&(Vec<BlockId>, String)>]) -> Vec<Group> {
        let (mut needs, followers) = dependences(self.code, list, uses);
        // Whether something outside of the use waits for it.
        let mut is_awaited = vec![false; list.len()];
        for at in (0..list.len()).rev() {
            is_awaited[at] = followers[at].iter().any(|next| {
                uses[*next].map(|(instance, _)| instance) != uses[at].map(|(instance, _)| instance) || is_awaited[*next]
            });
        }
        let mut left: BTreeMap<&[BlockId], usize> = BTreeMap::new();
        uses.iter().flatten().for_each(|(instance, _)| *left.entry(instance).or_default() += 1);
        let mut ready: BTreeSet<usize> = (0..list.len()).filter(|at| needs[*at] == 0).collect();
        let mut groups: Vec<Group> = Vec::new();
        while !ready.is_empty() {
            if let Some(at) = ready.iter().copied().find(|at| uses[*at].is_none()) {
                finish(at, &mut ready, &mut needs, &followers);
                groups.push(Group { instance: Vec::new(), members: vec![at] });
                continue;
            }
            let instances: BTreeSet<&[BlockId]> = ready.iter().filter_map(|at| Some(&uses[*at]?.0[..])).collect();
            let reach = |instance: &[BlockId], is_wanted: &dyn Fn(usize) -> bool| {
                let (mut ready, mut needs) = (ready.clone(), needs.clone());
                let mut members = Vec::new();
                loop {
                    let fits = |at: &&usize| uses[**at].is_some_and(|(other, _)| other == instance) && is_wanted(**at);
                    // In an order that is the same for all uses.
                    let Some(at) = ready.iter().filter(fits).min_by_key(|at| (uses[**at].map(|(_, key)| key), **at))
                    else {
                        break;
                    };
                    let at = *at;
                    finish(at, &mut ready, &mut needs, &followers);
                    members.push(at);
                }
                members
            };
            let whole = instances.iter().map(|instance| (*instance, reach(instance, &|_| true)));
            let mut whole = whole.filter(|(instance, members)| members.len() == left[instance]);
            let first = instances.iter().next().copied().unwrap_or_default();
            let (instance, members) = whole.next().unwrap_or_else(|| {
                let mut parts = instances.iter().map(|instance| (*instance, reach(instance, &|at| is_awaited[at])));
                parts.find(|(_, members)| !members.is_empty()).unwrap_or_else(|| (first, reach(first, &|_| true)))
            });
            members.iter().for_each(|at| finish(*at, &mut ready, &mut needs, &followers));
            left.entry(instance).and_modify(|left| *left -= members.len());
            groups.push(Group { instance: instance.to_vec(), members });
        }
        groups
    }

    /// Returns a group as a call, with a key that equal groups share; `None` if it can be no function.
    fn call(&self, list: &[Instruction], group: &Group) -> Option<(String, SharedCall)> {
        if group.instance.is_empty() || group.members.len() < SMALLEST {
            return None;
        }
        let code: Vec<Instruction> = group.members.iter().map(|at| list[*at]).collect();
        let inside: BTreeMap<u32, usize> = code.iter().zip(0..).map(|(ins, at)| (ins.dst, at)).collect();
        let mut key = format!("{:?}", model_at(self.simulation, &group.instance)?.name);
        let mut inputs: Vec<u32> = Vec::new();
        let mut reads: BTreeMap<u32, u32> = BTreeMap::new();
        let mut is_in_order = true;
        for (index, ins) in code.iter().enumerate() {
            let _ = write!(key, "\n{:?}", ins.opcode);
            self.code.each_read(ins, |cell, _| {
                *reads.entry(cell).or_default() += 1;
                is_in_order &= inside.get(&cell).is_none_or(|at| *at < index);
                let _ = match (inside.get(&cell), self.constants.get(&cell)) {
                    (Some(at), _) => write!(key, " v{at}"),
                    (None, Some(bits)) => write!(key, " c{bits:x}"),
                    (None, None) => {
                        let known = inputs.iter().position(|input| *input == cell);
                        let number = known.unwrap_or_else(|| {
                            inputs.push(cell);
                            inputs.len() - 1
                        });
                        write!(key, " i{number}")
                    }
                };
            });
        }
        let is_output = |cell: &u32| self.usage.cells[*cell as usize].reads > reads.get(cell).copied().unwrap_or(0);
        let outputs: Vec<u32> = code.iter().map(|ins| ins.dst).filter(is_output).collect();
        outputs.iter().for_each(|cell| {
            let _ = write!(key, "\nout v{}", inside[cell]);
        });
        if !is_in_order || outputs.is_empty() || inputs.is_empty() || inputs.len() + outputs.len() > MOST_CELLS {
            return None;
        }
        Some((key, SharedCall { function: 0, title: String::new(), code, inputs, outputs }))
    }
}

impl Shared {
    fn add(&mut self, key: &str, call: &SharedCall, instance: &[BlockId], simulation: &Simulation) -> u32 {
        let next = self.functions.len();
        let function = *self.known.entry(key.to_owned()).or_insert(next);
        if function == next {
            let model = model_at(simulation, instance).map(|model| model.name.to_string()).unwrap_or_default();
            let SharedCall { code, inputs, outputs, .. } = call.clone();
            self.functions.push(SharedFunction { model, uses: BTreeSet::new(), code, inputs, outputs });
        }
        let text =
            instance.split_last().map(|(id, path)| BlockAddress::new(path, *id).text(simulation)).unwrap_or_default();
        let title = format!("{text} ({})", self.functions[function].model);
        self.functions[function].uses.insert(instance.to_vec());
        self.calls.push(SharedCall { function, title, ..call.clone() });
        self.calls.len() as u32 - 1
    }
}

/// For each instruction how many must come before it, and those that must come after it. What is no arithmetic of a use
/// stays in its order, since it may have states.
fn dependences<T>(code: &StepCode, list: &[Instruction], uses: &[Option<T>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); list.len()];
    let mut writers: BTreeMap<u32, usize> = BTreeMap::new();
    let mut readers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut last_other = None;
    for (at, ins) in list.iter().enumerate() {
        code.each_read(ins, |cell, _| {
            before[at].extend(writers.get(&cell));
            readers.entry(cell).or_default().push(at);
        });
        for cell in code.writes(ins) {
            before[at].extend(readers.remove(&cell).into_iter().flatten().filter(|reader| *reader != at));
            before[at].extend(writers.insert(cell, at).filter(|writer| *writer != at));
        }
        let is_plain = matches!(ins.opcode, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select);
        if uses[at].is_none() && !is_plain {
            before[at].extend(last_other.replace(at));
        }
    }
    let mut followers = vec![Vec::new(); list.len()];
    for (at, before) in before.iter().enumerate() {
        before.iter().for_each(|earlier| followers[*earlier].push(at));
    }
    (before.iter().map(BTreeSet::len).collect(), followers)
}

/// Takes an instruction as executed.
fn finish(at: usize, ready: &mut BTreeSet<usize>, needs: &mut [usize], followers: &[Vec<usize>]) {
    ready.remove(&at);
    for next in &followers[at] {
        needs[*next] -= 1;
        if needs[*next] == 0 {
            ready.insert(*next);
        }
    }
}
