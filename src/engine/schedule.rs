//! Which units run in a step, and in what order: found once, equal in result to the queue of the reference engine.
//!
//! A unit runs when all its inputs are set, so what runs and what every unit sees is known before the first step.
//! This never knows what a unit computes.

use super::{Program, Unit};
use crate::block::{Kernel, Op};

/// The static order of a program's units.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The units that run, each behind all whose outputs it waits for. Units of one level do not wait for each other;
    /// within a level wires stand first, in the order of the data, then the others by kernel.
    pub order: Vec<u32>,
    /// For each unit how many units, wires left out, stand before it; [`Schedule::NEVER`] where it does not run.
    pub levels: Vec<u32>,
}

/// Whether a unit only passes its input on.
pub(super) fn is_wire(kernel: &Kernel) -> bool {
    matches!(kernel.ops[..], [Op::Input(0)]) && kernel.outputs.len() == 1 && kernel.states.is_empty()
}

impl Schedule {
    pub const NEVER: u32 = u32::MAX;

    pub fn new(program: &Program) -> Schedule {
        let units = &program.units;
        let owners = owners(program);
        let mut missing: Vec<u32> = units.iter().map(|unit| program.kernel(unit).inputs.len() as u32).collect();
        let mut ready: Vec<u32> = (0..units.len() as u32).filter(|&unit| missing[unit as usize] == 0).collect();
        let mut set = |output: usize, ready: &mut Vec<u32>| {
            for &(reader, _) in program.readers_of(output) {
                let missing = &mut missing[reader as usize];
                // An engine for blocks that set an output more than once in a step would have to decline here.
                assert!(*missing > 0, "an input is set once in a step");
                *missing -= 1;
                if *missing == 0 {
                    ready.push(reader);
                }
            }
        };
        for unit in units {
            let kernel = program.kernel(unit);
            if !kernel.inputs.is_empty() {
                let firsts = program.outputs_of(unit).zip(&kernel.outputs).filter(|(_, made)| made.needs.is_empty());
                firsts.for_each(|(output, _)| set(output, &mut ready));
            }
        }
        let mut levels = vec![Schedule::NEVER; units.len()];
        let mut next = 0;
        while let Some(&number) = ready.get(next) {
            next += 1;
            let unit = &units[number as usize];
            let kernel = program.kernel(unit);
            levels[number as usize] = level(program, unit, &owners, &levels);
            for (output, made) in program.outputs_of(unit).zip(&kernel.outputs) {
                if kernel.inputs.is_empty() || !made.needs.is_empty() {
                    set(output, &mut ready);
                }
            }
        }
        let mut schedule = Schedule { order: ready, levels };
        schedule.sort(program);
        schedule
    }

    /// By level, wires first, kernel, and then so that equal blocks of equal uses of a model stand side by side.
    fn sort(&mut self, program: &Program) {
        let levels = &self.levels;
        // Stable: wires keep the order of the data.
        self.order.sort_by(|&a, &b| {
            let (unit_a, unit_b) = (&program.units[a as usize], &program.units[b as usize]);
            let key = |number: u32, unit: &Unit| {
                let is_wire = is_wire(program.kernel(unit));
                (levels[number as usize], !is_wire, if is_wire { 0 } else { unit.kernel })
            };
            let by_key = key(a, unit_a).cmp(&key(b, unit_b));
            by_key.then_with(|| match is_wire(program.kernel(unit_a)) {
                true => std::cmp::Ordering::Equal,
                false => by_place(program, unit_a, unit_b),
            })
        });
    }
}

/// From the innermost place to the outermost.
pub(super) fn by_place(program: &Program, a: &Unit, b: &Unit) -> std::cmp::Ordering {
    let mut order = a.place.cmp(&b.place);
    let (mut a, mut b) = (a.instance, b.instance);
    while order.is_eq() && a != b {
        let parents = [a, b].map(|instance| program.instances[instance as usize].parent);
        let [Some((above_a, place_a)), Some((above_b, place_b))] = parents else { return a.cmp(&b) };
        order = place_a.cmp(&place_b);
        (a, b) = (above_a, above_b);
    }
    order
}

/// Whether two units are the same block of two uses that differ in the outermost place alone, or two blocks of the root.
pub(super) fn is_beside(program: &Program, a: &Unit, b: &Unit) -> bool {
    let parent = |instance: u32| program.instances[instance as usize].parent;
    let (mut place_a, mut place_b) = (a.place, b.place);
    let (mut above_a, mut above_b) = (parent(a.instance), parent(b.instance));
    loop {
        match (above_a, above_b) {
            (None, None) => return true,
            (Some((a, next_a)), Some((b, next_b))) if place_a == place_b => {
                (place_a, place_b) = (next_a, next_b);
                (above_a, above_b) = (parent(a), parent(b));
            }
            _ => return false,
        }
    }
}

/// The unit that makes each output.
fn owners(program: &Program) -> Vec<u32> {
    let mut owners = Vec::with_capacity(program.outputs.len());
    for (number, unit) in program.units.iter().enumerate() {
        owners.extend(program.outputs_of(unit).map(|_| number as u32));
    }
    owners
}

fn level(program: &Program, unit: &Unit, owners: &[u32], levels: &[u32]) -> u32 {
    let count = program.kernel(unit).inputs.len();
    let sources = &program.sources[unit.first_input as usize..unit.first_input as usize + count];
    let behind = |&source: &u32| {
        let owner = owners[source as usize];
        let from = &program.units[owner as usize];
        let kernel = program.kernel(from);
        let output = (source - from.first_output) as usize;
        match () {
            // Published before anything runs.
            () if kernel.is_state_first(output) && !kernel.inputs.is_empty() => 0,
            () if is_wire(kernel) => levels[owner as usize],
            () => levels[owner as usize] + 1,
        }
    };
    sources.iter().flatten().map(behind).max().unwrap_or(0)
}
