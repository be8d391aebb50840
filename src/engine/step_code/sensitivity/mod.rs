//! Step code that carries tangents: beside its values it computes, from step to step, their derivatives by parameters.
//!
//! The whole step is differentiated by the rules of `differentiate`: the major step, the stages of an explicit solver between, and the
//! updates of the states. So the tangents are the exact derivatives of the numbers that the step computes. Decisions
//! (which branch runs, which operand is selected) count as constant.
//!
//! | file | contents |
//! |---|---|
//! | here | [`TangentCode`]: what is added to the code, and the cells whose tangents last from step to step |
//! | [`activity`] | the cells and rings that may depend on a parameter |
//! | [`liveness`] | the cells of a branch that are read outside of it, or before it writes them |
//! | [`write`] | writes the lists |
//! | [`solve`] | the tangents of a step of a solver that asks for rates |
//! | [`calls`] | the tangents of functions in Rust and of algebraic loops |

mod activity;
mod calls;
mod liveness;
mod solve;
mod write;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use self::activity::Activity;
use self::liveness::Liveness;
use self::write::Writer;
use super::lower::branch::trace;
use super::{Binding, Bindings, Opcode, StepCode};
use crate::block::StateKind;
use crate::engine::{OutputId, Program, UnitId};

/// The tangents that are wanted.
pub(in crate::engine) struct TangentRequest<'a> {
    pub program: &'a Arc<Program>,
    /// Elements of parameters, each with the direction in which its tangent is 1.
    pub seeds: &'a [(usize, u32)],
    pub directions: u32,
    /// Whether an initial value depends on a seed.
    pub is_initial: &'a dyn Fn(Place) -> bool,
    /// The outputs whose tangents are recorded.
    pub watched: &'a [OutputId],
}

/// An element of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::engine) enum Place {
    Discrete(u32),
    Continuous(u32),
    /// An element of an output that keeps its value in steps in which it is not computed.
    Value(u32),
    /// The first element of a ring.
    Ring(u32),
}

/// Why a program has no tangents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum NoTangents {
    /// A unit computes a function without a derivative in code.
    Unit(Option<UnitId>),
    /// There would be too many.
    TooMany,
}

/// Step code with tangents.
#[derive(Debug)]
pub(in crate::engine) struct TangentCode {
    pub code: StepCode,
    /// The tangents that last from step to step, of all directions of one element after those of another: they follow the
    /// discrete states in the context. `None` begins with 0.
    pub lasting: Vec<Option<Place>>,
    /// For each ring with tangents, where they are in the history.
    pub rings: BTreeMap<u32, u32>,
    /// The number of elements that the context needs.
    pub discrete_count: usize,
    pub history_count: usize,
    pub value_count: usize,
    /// For each watched output, and each direction, the offset of its tangents among the values.
    pub outputs: Vec<Vec<u32>>,
}

impl StepCode {
    /// Returns the step code of a program with tangents.
    ///
    /// # Errors
    /// If something that depends on a seed has no tangent.
    pub(in crate::engine) fn with_tangents(request: &TangentRequest) -> Result<TangentCode, NoTangents> {
        let program = request.program;
        let mut code = StepCode::with_owners(program);
        let cell_of = |code: &StepCode, param: usize| {
            let find = |binding: &&Binding| (binding.offset..binding.offset + binding.count).contains(&(param as u32));
            code.params.0.iter().find(find).map(|binding| binding.cell + param as u32 - binding.offset)
        };
        let seeds: Vec<(u32, u32)> =
            request.seeds.iter().filter_map(|&(param, direction)| Some((cell_of(&code, param)?, direction))).collect();
        let rings: HashMap<u32, u32> = program
            .states
            .iter()
            .filter_map(|slot| match slot.kind {
                StateKind::History { length } => Some((slot.offset, length as u32 * slot.width)),
                _ => None,
            })
            .collect();
        let places = places(&code);
        let mut activity = Activity::new(&code);
        seeds.iter().for_each(|(cell, _)| activity.set(*cell));
        places.iter().filter(|(_, place)| (request.is_initial)(**place)).for_each(|(cell, _)| activity.set(*cell));
        rings.keys().filter(|&&ring| (request.is_initial)(Place::Ring(ring))).for_each(|&ring| activity.set_ring(ring));
        activity.spread(&code);
        let watched: Vec<(u32, u32)> =
            request.watched.iter().map(|&output| (code.outputs[output], program.outputs[output].width)).collect();
        let liveness = Liveness::new(&code, &watched);
        // The cells whose tangents last: states, and what a branch may leave as it is.
        let mut lasting: Vec<u32> = [&code.discrete, &code.continuous]
            .into_iter()
            .flat_map(|bindings| bindings.0.iter().flat_map(|binding| binding.cell..binding.cell + binding.count))
            .collect();
        for ins in &code.step {
            if let Opcode::Branch(number) = ins.opcode {
                lasting.extend(liveness.live(number));
            }
        }
        lasting.retain(|cell| activity.is_active(*cell));
        lasting.sort_unstable();
        lasting.dedup();
        // The rings of the tangents follow the others.
        let mut history_count = program.history_count as u32;
        let mut tangent_rings = BTreeMap::new();
        for ring in activity.rings() {
            tangent_rings.insert(ring, history_count);
            history_count += rings.get(&ring).copied().unwrap_or_default() * request.directions + 1;
        }
        let first_output = program.value_count;
        let (discrete_count, directions) = (program.discrete_count, request.directions);
        let made = Writer::write(
            &mut code,
            &Sources { request, seeds, lasting, watched, activity, liveness },
            &tangent_rings,
        )?;
        code.discrete.push(discrete_count as u32, made.homes, made.lasting.len() as u32 * directions);
        let mut outputs = Vec::new();
        let mut offset = first_output as u32;
        for (number, &output) in request.watched.iter().enumerate() {
            let width = program.outputs[output].width;
            let mut of_output = Vec::new();
            for direction in 0..directions {
                let cell = made.results[number] + direction * width;
                code.values.push(offset, cell, width);
                code.outputs.push(cell);
                of_output.push(offset);
                offset += width;
            }
            outputs.push(of_output);
        }
        code.owners = None;
        trace(&mut code);
        Ok(TangentCode {
            lasting: made.lasting.iter().map(|cell| places.get(cell).copied()).collect(),
            rings: tangent_rings,
            discrete_count: discrete_count + made.lasting.len() * directions as usize,
            history_count: history_count as usize,
            value_count: offset as usize,
            outputs,
            code,
        })
    }
}

/// The sources from which the lists are written.
struct Sources<'a> {
    request: &'a TangentRequest<'a>,
    /// The cells of parameters, each with its direction.
    seeds: Vec<(u32, u32)>,
    lasting: Vec<u32>,
    /// The first cell of each watched output, and its width.
    watched: Vec<(u32, u32)>,
    activity: Activity,
    liveness: Liveness,
}

/// Where the cells that the context sets are in the context.
fn places(code: &StepCode) -> HashMap<u32, Place> {
    let mut places = HashMap::new();
    let mut add = |bindings: &Bindings, place: fn(u32) -> Place| {
        for &Binding { offset, cell, count } in &bindings.0 {
            places.extend((0..count).map(|element| (cell + element, place(offset + element))));
        }
    };
    add(&code.lasting, Place::Value);
    add(&code.discrete, Place::Discrete);
    add(&code.continuous, Place::Continuous);
    places
}
