//! The tangents of the values before the first step: initial states, the contents of delays, and the exits of conditional
//! subsystems, as far as they depend on parameters.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::Place;
use crate::block::{Kernel, Op, Reg, StateKind};
use crate::engine::program::record::Record;
use crate::engine::solve::interpret::{Env, Interpreter};
use crate::engine::solve::{Seeds, StepChanges, StepSource, Tangents};
use crate::engine::{Context, Program, Unit};

/// The initial values that depend on parameters, and where their tangents stand.
#[derive(Debug)]
pub(super) struct Initial {
    program: Arc<Program>,
    /// Elements of parameters, each with its direction.
    seeds: Vec<(usize, u32)>,
    directions: usize,
    depends: HashSet<Place>,
    /// The elements whose tangents follow the discrete states, and the rings with the offsets of those of their tangents.
    lasting: Vec<Option<Place>>,
    rings: BTreeMap<u32, u32>,
}

impl Initial {
    pub fn new(program: &Arc<Program>, seeds: &[(usize, u32)], directions: usize) -> Initial {
        let is_seed: HashSet<usize> = seeds.iter().map(|(param, _)| *param).collect();
        let mut depends = HashSet::new();
        for unit in program.units.values() {
            let kernel = program.kernel(unit);
            if kernel.params.is_empty() {
                continue;
            }
            let is_active = active(kernel, unit, &is_seed);
            for (state, slot) in kernel.states.iter().zip(program.states_of(unit)) {
                if !is_active[state.initial as usize] {
                    continue;
                }
                let elements = slot.offset..slot.offset + slot.width;
                match slot.kind {
                    StateKind::Discrete => depends.extend(elements.map(Place::Discrete)),
                    StateKind::Continuous => depends.extend(elements.map(Place::Continuous)),
                    StateKind::History { .. } => depends.extend([Place::Ring(slot.offset)]),
                    StateKind::Record => {}
                }
            }
            for (made, output) in kernel.outputs.iter().zip(program.outputs_of(unit)) {
                if made.idle.is_some_and(|idle| is_active[idle as usize]) {
                    depends.extend(program.outputs[output].elements().map(|element| Place::Value(element as u32)));
                }
            }
        }
        let (program, seeds) = (Arc::clone(program), seeds.to_vec());
        Initial { program, seeds, directions, depends, lasting: Vec::new(), rings: BTreeMap::new() }
    }

    /// Whether an initial value depends on a parameter.
    pub fn depends(&self, place: Place) -> bool {
        self.depends.contains(&place)
    }

    pub fn with_places(self, program: &Program, lasting: Vec<Option<Place>>, rings: BTreeMap<u32, u32>) -> Initial {
        debug_assert_eq!(program.discrete_count, self.program.discrete_count);
        Initial { lasting, rings, ..self }
    }

    /// Sets the tangents in a context before its first step.
    pub fn begin(&self, context: &mut Context) {
        let program = &*self.program;
        let size = |count: usize, now: &mut Vec<f64>, more: usize| {
            now.truncate(count);
            now.resize(count + more, 0.0);
        };
        let more = self.lasting.len() * self.directions;
        size(program.discrete_count, &mut context.discrete, more);
        let last_ring = self.rings.iter().map(|(&ring, &first)| first as usize + self.ring_size(ring)).max();
        let more = last_ring.unwrap_or(program.history_count) - program.history_count;
        size(program.history_count, &mut context.history, more);
        for direction in 0..self.directions {
            let tangents = self.tangents(context, direction);
            for (number, place) in self.lasting.iter().enumerate() {
                let tangent = match *place {
                    Some(Place::Discrete(offset)) => tangents.discrete[offset as usize],
                    Some(Place::Continuous(offset)) => tangents.continuous[offset as usize],
                    Some(Place::Value(offset)) => tangents.values[offset as usize],
                    Some(Place::Ring(_)) | None => 0.0,
                };
                context.discrete[program.discrete_count + number * self.directions + direction] = tangent;
            }
            for (&ring, &first) in &self.rings {
                let count = (self.ring_size(ring) - 1) / self.directions.max(1);
                for element in 0..count {
                    context.history[first as usize + element * self.directions + direction] =
                        tangents.history[ring as usize + element];
                }
            }
        }
    }

    /// The number of elements of the tangents of a ring, with the index behind them.
    fn ring_size(&self, ring: u32) -> usize {
        let slot = self
            .program
            .states
            .iter()
            .find(|slot| slot.offset == ring && matches!(slot.kind, StateKind::History { .. }));
        match slot.map(|slot| (slot.kind, slot.width)) {
            Some((StateKind::History { length }, width)) => length * width as usize * self.directions + 1,
            _ => 1,
        }
    }

    /// The tangents of all initial values in one direction.
    fn tangents(&self, context: &Context, direction: usize) -> InitialTangents {
        let program = &*self.program;
        let mut params = vec![0.0; program.params.len()];
        let own = self.seeds.iter().filter(|(_, of)| *of as usize == direction);
        own.for_each(|&(param, _)| params[param] = 1.0);
        let widest = program.states.iter().map(|slot| slot.width).max().unwrap_or_default();
        let steps = ParamChanges { program, params, zeros: vec![0.0; widest as usize] };
        let size = program.kernels.values().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let (mut interpreter, mut tangents) = (Interpreter::new(program), Tangents::new(size));
        let mut found = InitialTangents {
            discrete: vec![0.0; program.discrete_count],
            continuous: vec![0.0; program.continuous_count],
            history: vec![0.0; program.history_count],
            values: vec![0.0; program.value_count],
        };
        let empty = Record::new(0);
        for unit in program.units.values() {
            let kernel = program.kernel(unit);
            if kernel.params.is_empty() {
                continue;
            }
            let mut run = |list: &[Reg], tangents: &mut Tangents| {
                interpreter.run(kernel, list, &Env::of_parameters(program, unit, context));
                let seeds = Seeds {
                    inputs: &|_| &[],
                    states: &|_| &[],
                    records: &|_| &empty,
                    now: context.time(program),
                    time: 0.0,
                    looped: &[],
                    steps: Some((unit, &steps)),
                };
                tangents.run(kernel, list, interpreter.scratch(), seeds);
            };
            run(&kernel.init, &mut tangents);
            for (state, slot) in kernel.states.iter().zip(program.states_of(unit)) {
                let (kept, copies) = match slot.kind {
                    StateKind::Discrete => (&mut found.discrete, 1),
                    StateKind::Continuous => (&mut found.continuous, 1),
                    StateKind::History { length } => (&mut found.history, length),
                    StateKind::Record => continue,
                };
                let first = slot.offset as usize;
                let filled = &mut kept[first..first + slot.width as usize * copies];
                fill(filled, tangents.of(kernel, state.initial));
            }
            if kernel.idle.is_empty() {
                continue;
            }
            run(&kernel.idle, &mut tangents);
            for (made, output) in kernel.outputs.iter().zip(program.outputs_of(unit)) {
                if let Some(idle) = made.idle {
                    fill(&mut found.values[program.outputs[output].elements()], tangents.of(kernel, idle));
                }
            }
        }
        found
    }
}

/// Repeats the elements as often as there is room.
fn fill(to: &mut [f64], elements: &[f64]) {
    to.iter_mut().zip(elements.iter().cycle()).for_each(|(to, from)| *to = *from);
}

/// For each register whether it depends on a seed, through instructions that read parameters alone.
fn active(kernel: &Kernel, unit: &Unit, is_seed: &HashSet<usize>) -> Vec<bool> {
    let mut is_active: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    for op in &kernel.ops {
        let own = match op {
            Op::Param(number) => {
                let before = kernel.params.iter().take(*number as usize).map(|(_, width)| width).sum::<usize>();
                let width = kernel.params.get(*number as usize).map_or(0, |(_, width)| *width);
                let first = unit.first_param as usize + before;
                (first..first + width).any(|param| is_seed.contains(&param))
            }
            _ => op.operands().any(|operand| is_active.get(operand as usize).is_some_and(|is_active| *is_active)),
        };
        is_active.push(own);
    }
    is_active
}

struct InitialTangents {
    discrete: Vec<f64>,
    continuous: Vec<f64>,
    history: Vec<f64>,
    values: Vec<f64>,
}

/// The tangents of parameters; all else that a tape reads before the first step is constant.
struct ParamChanges<'a> {
    program: &'a Program,
    params: Vec<f64>,
    zeros: Vec<f64>,
}

impl StepChanges for ParamChanges<'_> {
    fn elements(&self, unit: &Unit, source: StepSource) -> &[f64] {
        let width = |state: usize| self.program.state(unit, state).width as usize;
        match source {
            StepSource::Param { number, width } => {
                let skipped: usize = self.program.kernel(unit).params[..number].iter().map(|(_, width)| width).sum();
                &self.params[unit.first_param as usize + skipped..][..width]
            }
            StepSource::Discrete(state) | StepSource::Held(state) | StepSource::Recorded(state) => {
                &self.zeros[..width(state)]
            }
            StepSource::Past { history, .. } => &self.zeros[..width(history)],
        }
    }
}
