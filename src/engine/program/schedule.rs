//! The static schedule: which units run in a step, and in which order. Its results equal those of the reference
//! engine's queue.
//!
//! A unit runs when all its inputs are set, so the units that run and their order are known before the first step; for
//! a conditional or iterated subsystem, the units of one run. The schedule does not depend on what a unit computes.

use std::collections::{BTreeMap, HashMap};

use crate::engine::{EntityRef, OutputId, Program, SubsystemId, SubsystemMap, Unit, UnitId, UnitMap};

/// The static order of a program's units.
#[derive(Debug)]
pub(in crate::engine) struct Schedule {
    /// The units that run: first those outside all subsystems, then subsystem by subsystem; each after all units whose
    /// outputs it reads. Units of one level do not depend on each other; within a level pass-through units come first,
    /// in data order, then the others by kernel. A subsystem runs after its enable unit.
    pub order: Vec<UnitId>,
    /// For each unit, the number of units on the longest path before it, without pass-through units;
    /// [`Schedule::NEVER`] if it does not run.
    pub levels: UnitMap<u32>,
}

/// The state of the search for an order.
struct Finder<'a> {
    program: &'a Program,
    missing: UnitMap<u32>,
    is_open: SubsystemMap<bool>,
    ready: Vec<UnitId>,
}

impl Finder<'_> {
    fn set(&mut self, output: OutputId) {
        for reader in self.program.readers_of(output) {
            let missing = &mut self.missing[reader.unit];
            assert!(*missing > 0, "an input is set once in a step");
            *missing -= 1;
            if *missing == 0 && self.is_running(reader.unit) {
                self.ready.push(reader.unit);
            }
        }
    }

    fn is_running(&self, unit: UnitId) -> bool {
        self.program.units[unit].subsystem.is_none_or(|subsystem| self.is_open[subsystem])
    }

    /// Starts the step or a subsystem.
    fn open(&mut self, units: &[UnitId]) {
        self.ready.extend(units.iter().filter(|unit| self.missing[**unit] == 0));
        for number in units {
            let unit = &self.program.units[*number];
            let kernel = self.program.kernel(unit);
            if !kernel.inputs.is_empty() {
                let firsts = self.program.outputs_of(unit).zip(&kernel.outputs);
                firsts.filter(|(_, made)| made.needs.is_empty()).for_each(|(output, _)| self.set(output));
            }
        }
    }
}

impl Schedule {
    pub const NEVER: u32 = u32::MAX;

    pub fn new(program: &Program) -> Schedule {
        let units = &program.units;
        let missing = units.values().map(|unit| program.kernel(unit).inputs.len() as u32).collect();
        let is_open = program.by_subsystem(false);
        let mut finder = Finder { program, missing, is_open, ready: Vec::new() };
        let mut subsystems = program.by_unit(None);
        for (number, subsystem) in program.subsystems.iter() {
            subsystems[subsystem.enable_unit] = Some(number);
        }
        let outside: Vec<UnitId> = units.keys().filter(|&unit| units[unit].subsystem.is_none()).collect();
        finder.open(&outside);
        let mut levels = program.by_unit(Schedule::NEVER);
        let mut next = 0;
        while let Some(&number) = finder.ready.get(next) {
            next += 1;
            let unit = &units[number];
            let kernel = program.kernel(unit);
            levels[number] = level(program, unit, &levels);
            for (output, made) in program.outputs_of(unit).zip(&kernel.outputs) {
                if made.idle.is_none() && (kernel.inputs.is_empty() || !made.needs.is_empty()) {
                    finder.set(output);
                }
            }
            if let Some(subsystem) = subsystems[number] {
                finder.is_open[subsystem] = true;
                finder.open(&program.subsystems[subsystem].units);
                program.subsystems[subsystem].exits.iter().for_each(|exit| finder.set(exit.output));
            }
        }
        let mut schedule = Schedule { order: finder.ready, levels };
        if schedule.order.len() < units.len() {
            assert_scheduled(program, |unit| schedule.levels[unit] != Schedule::NEVER);
        }
        schedule.sort(program);
        schedule
    }

    /// All units that run in order; the units of a subsystem follow its enable unit.
    pub fn running_order(&self, program: &Program) -> Vec<UnitId> {
        let subsystem = |unit: &UnitId| program.units[*unit].subsystem;
        let mut pieces: Vec<&[UnitId]> = vec![&[]; program.subsystems.len() + 1];
        for units in self.order.chunk_by(|a, b| subsystem(a) == subsystem(b)) {
            pieces[subsystem(&units[0]).map_or(0, |subsystem| subsystem.index() + 1)] = units;
        }
        let enables: HashMap<UnitId, usize> =
            program.subsystems.values().zip(1..).map(|(subsystem, piece)| (subsystem.enable_unit, piece)).collect();
        let mut order = Vec::with_capacity(self.order.len());
        let mut open = vec![pieces[0].iter()];
        while let Some(units) = open.last_mut() {
            let Some(unit) = units.next() else {
                open.pop();
                continue;
            };
            order.push(*unit);
            open.extend(enables.get(unit).map(|&piece| pieces[piece].iter()));
        }
        order
    }

    /// By subsystem, level, pass-through units first, kernel, and then so that equal blocks of equal uses of a model
    /// stand side by side.
    fn sort(&mut self, program: &Program) {
        let levels = &self.levels;
        // Stable: pass-through units keep the order of the data.
        self.order.sort_by(|&a, &b| {
            let (unit_a, unit_b) = (&program.units[a], &program.units[b]);
            let key = |number: UnitId, unit: &Unit| {
                // `None` comes first.
                (unit.subsystem, levels[number], (!program.kernel(unit).is_pass_through()).then_some(unit.kernel))
            };
            let by_key = key(a, unit_a).cmp(&key(b, unit_b));
            by_key.then_with(|| match program.kernel(unit_a).is_pass_through() {
                true => std::cmp::Ordering::Equal,
                false => by_block(program, unit_a, unit_b),
            })
        });
    }
}

/// Orders units by their block indices, from the innermost model to the outermost.
pub(in crate::engine) fn by_block(program: &Program, a: &Unit, b: &Unit) -> std::cmp::Ordering {
    let model = |instance: u32| program.symbols.instances[instance as usize].model;
    let (mut block_a, mut block_b) = ((a.origin.block, 0), (b.origin.block, 0));
    let (mut a, mut b) = (a.origin.instance, b.origin.instance);
    loop {
        // Blocks of different models stay apart, whatever their indices.
        let order = (model(a), block_a).cmp(&(model(b), block_b));
        if order.is_ne() || a == b {
            return order;
        }
        let [from_a, from_b] = [a, b].map(|instance| &program.symbols.instances[instance as usize]);
        let (Some(above_a), Some(above_b)) = (from_a.parent, from_b.parent) else {
            return a.cmp(&b);
        };
        (block_a, block_b) = ((above_a.block, from_a.iteration), (above_b.block, from_b.iteration));
        (a, b) = (above_a.instance, above_b.instance);
    }
}

/// Whether two units are the same block of two instances that differ in the outermost model block alone, or two blocks
/// of the root.
pub(in crate::engine) fn is_beside(program: &Program, a: &Unit, b: &Unit) -> bool {
    let parent = |instance: u32| program.symbols.instances[instance as usize].parent;
    let (mut block_a, mut block_b) = (a.origin.block, b.origin.block);
    let (mut above_a, mut above_b) = (parent(a.origin.instance), parent(b.origin.instance));
    loop {
        match (above_a, above_b) {
            (None, None) => return true,
            (Some(a), Some(b)) if block_a == block_b => {
                (block_a, block_b) = (a.block, b.block);
                (above_a, above_b) = (parent(a.instance), parent(b.instance));
            }
            _ => return false,
        }
    }
}

fn level(program: &Program, unit: &Unit, levels: &UnitMap<u32>) -> u32 {
    let behind = |&source: &OutputId| {
        let owner = program.outputs[source].unit;
        let from = &program.units[owner];
        let kernel = program.kernel(from);
        let output = source - from.first_output;
        match from.subsystem {
            // The exit of a subsystem is available after its enable unit.
            Some(subsystem) if kernel.is_held_exit() => levels[program.subsystems[subsystem].enable_unit] + 1,
            // Values from outside the subsystem are available before it runs.
            subsystem if subsystem != unit.subsystem => 0,
            // Published before anything runs.
            _ if kernel.is_state_first(output) && !kernel.inputs.is_empty() => 0,
            _ if kernel.is_pass_through() => levels[owner],
            _ => levels[owner] + 1,
        }
    };
    program.sources_of(unit).iter().flatten().map(behind).max().unwrap_or(0)
}

/// # Panics
/// Panics if a unit never runs although all its inputs are connected to units that run: an algebraic loop that the
/// compiler has neither refused nor torn.
fn assert_scheduled(program: &Program, runs: impl Fn(UnitId) -> bool) {
    let mut is_explained = program.by_unit(false);
    let mut open: Vec<UnitId> = Vec::new();
    for (number, unit) in program.units.iter() {
        if !runs(number) && program.sources_of(unit).contains(&None) {
            is_explained[number] = true;
            open.push(number);
        }
    }
    let mut subsystems_of: BTreeMap<UnitId, Vec<SubsystemId>> = BTreeMap::new();
    for (number, subsystem) in program.subsystems.iter() {
        subsystems_of.entry(subsystem.enable_unit).or_default().push(number);
    }
    while let Some(number) = open.pop() {
        let outputs = program.outputs_of(&program.units[number]);
        let readers = outputs.flat_map(|output| program.readers_of(output)).map(|reader| reader.unit);
        let inner = subsystems_of.get(&number).into_iter().flatten();
        let inner = inner.flat_map(|&subsystem| {
            let subsystem = &program.subsystems[subsystem];
            let exits = subsystem.exits.iter().flat_map(|exit| program.readers_of(exit.output));
            subsystem.units.iter().copied().chain(exits.map(|reader| reader.unit))
        });
        for next in readers.chain(inner) {
            if !runs(next) && !std::mem::replace(&mut is_explained[next], true) {
                open.push(next);
            }
        }
    }
    let lost = program.units.keys().find(|&unit| !runs(unit) && !is_explained[unit]);
    assert!(lost.is_none(), "{} is fed and never runs", lost.map_or(String::new(), |unit| program.title(unit)));
}
