//! Compiles a simulation to a program.
//!
//! ```text
//! Simulation (checked and linked)
//!     │ template    each model parsed once: typed settings, connections by index
//!     ▼
//! Templates
//!     │ instances   all instances of all models, in a symbol table; conditional subsystems
//!     │ flatten     a unit for each block of each instance, connected through model blocks; hidden units
//!     ▼
//! Flattened
//!     │ widths      the width of each signal and the tape of each unit
//!     │ rates       the sample time of each unit
//!     ▼
//! Flattened + Kernels
//!     │ layout      offsets of values, states and parameters
//!     │ loops       algebraic loops are found, and refused or, by tear, given a unit that solves them
//!     ▼
//! Program
//! ```
//!
//! [`errors`] reports what the user has to change, [`solver`] reads the solver's attributes. Nothing here is kept by the
//! program but the symbol table.

mod errors;
mod flatten;
mod instances;
mod layout;
mod locations;
mod loops;
pub(super) mod migration;
mod rates;
pub(super) mod repeats;
mod solver;
mod tear;
mod template;
mod widths;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use errors::{dedup, errors, refuse_large_systems};
use flatten::Flattened;
use layout::lay_out;
use loops::Loops;
use rates::{held, rates};
use solver::solver_of;
use tear::tear_loops;
use template::Templates;
use widths::{KernelCache, Kernels};

use super::program::graph::Graph;
use super::{PrimaryMap, Program, RemoteBlocks, UnitId, UnitRates};
use crate::block::{BuildContext, Registry};
use crate::model::{
    BlockId, BlockKind, CheckedBlocks, Diagnostic, Hop, Resolved, Simulation, Variant, blocks_with_variants,
    find_loops_linked, loop_found, resolve, with_chosen_variants,
};

/// Compiles a simulation.
///
/// # Errors
/// Returns all diagnostics of [`crate::model::check()`] and of the width inference if one of them is an error.
pub fn compile(simulation: &Simulation, registry: &Registry) -> Result<Program, Vec<Diagnostic>> {
    let (found, program) = examine_chosen(&with_chosen_variants(simulation), registry);
    program.ok_or(found)
}

/// Returns all diagnostics of a simulation, including those that do not prevent a run.
pub fn diagnose(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    examine(simulation, registry).0
}

/// Returns all diagnostics of a simulation, and the program unless one of them is an error. Errors that only another
/// choice of a variant has are warnings.
pub fn examine(simulation: &Simulation, registry: &Registry) -> (Vec<Diagnostic>, Option<Program>) {
    let simulation = with_chosen_variants(simulation);
    let (mut found, program) = examine_chosen(&simulation, registry);
    for variant in others(&simulation) {
        let of_variant = examine_chosen(&variant, registry).0.into_iter().map(Diagnostic::as_warning);
        let is_new = |new: &Diagnostic| {
            let is_known = |known: &Diagnostic| known.message == new.message && known.location == new.location;
            !found.iter().any(is_known)
        };
        let new: Vec<Diagnostic> = of_variant.filter(is_new).collect();
        found.extend(new);
    }
    (found, program)
}

/// Returns the simulation with each variant that is not chosen in place of the chosen one, one at a time.
fn others(simulation: &Simulation) -> impl Iterator<Item = Simulation> {
    let variants = blocks_with_variants(simulation).flat_map(|(model, block)| {
        let others = block.models().into_iter().skip(1);
        others.map(move |other| (model, block.id, other))
    });
    let is_known = |(_, _, other): &(&Arc<str>, BlockId, Arc<str>)| simulation.model(other).is_some();
    variants.filter(is_known).take(MAX_OTHERS).filter_map(|(model, id, other)| {
        let mut changed = simulation.clone();
        let block = changed.model_mut(model)?.block_mut(id)?;
        block.kind = BlockKind::Model { model: other };
        block.attributes.remove(Variant::ATTRIBUTE);
        Some(changed)
    })
}

/// The maximum number of variants that are checked in place of the chosen ones.
const MAX_OTHERS: usize = 16;

/// Returns all diagnostics of a simulation whose variants are chosen, and its program.
fn examine_chosen(simulation: &Simulation, registry: &Registry) -> (Vec<Diagnostic>, Option<Program>) {
    let whole = simulation;
    let Resolved { simulation, mut found, blocks } = resolve(simulation, registry);
    let simulation = &*simulation;
    if found.iter().any(Diagnostic::is_error) {
        // Without a program only the document can be searched for loops.
        found.extend(loops_in_document(simulation, registry));
        return (found, None);
    }
    match assemble(simulation, &blocks, registry) {
        Ok(mut program) => {
            program.remote = RemoteBlocks::find(&program, whole, registry);
            found.extend(loops_in_unused(simulation, registry, &program));
            (found, Some(program))
        }
        Err(errors) => {
            found.extend(errors);
            (found, None)
        }
    }
}

/// Compiles a linked simulation that the check has found no errors in.
fn assemble(
    simulation: &Simulation,
    blocks: &HashMap<Arc<str>, CheckedBlocks>,
    registry: &Registry,
) -> Result<Program, Vec<Diagnostic>> {
    let (solver, tolerances) = solver_of(simulation, registry)?;
    let context = BuildContext { locates: solver.is_variable(), ..BuildContext::new(simulation.delta) };
    let mut cache = KernelCache::new(context, registry.files());
    let templates = Templates::parse(simulation, blocks, registry);
    let TypedUnits { flattened, mut kernels, sources } = flatten(simulation, &templates, &mut cache)?;
    let (mut unit_rates, mut is_held) = (PrimaryMap::new(), PrimaryMap::new());
    if kernels.errors.is_empty() {
        let readers = sources.reversed();
        unit_rates = rates(&flattened.units, &kernels, &readers);
        is_held = held(&kernels, &readers, &unit_rates);
        kernels.inherit_rates(&flattened.units, &unit_rates, &cache);
    }
    if kernels.errors.is_empty() {
        kernels.refuse_large();
    }
    let errors = errors(simulation, &flattened, &kernels);
    if !errors.is_empty() {
        return Err(errors);
    }
    kernels.drop_unused();
    let mut program = lay_out(simulation, (solver, tolerances), &templates, flattened, kernels);
    (program.rates, program.held) = (UnitRates::new(&unit_rates), is_held);
    program.refuse_shared_files()?;
    let loops = Loops::find(&program);
    if simulation.solves_loops() {
        tear_loops(&mut program, loops)?;
    } else if !loops.members.is_empty() {
        return Err(dedup(loops.refuse(&program, &templates, simulation)));
    }
    program.index_readers();
    refuse_large_systems(&program)?;
    Ok(program)
}

/// The flattened simulation, for each unit its tape and the units connected to its inputs.
struct TypedUnits {
    flattened: Flattened,
    kernels: Kernels,
    sources: Graph<UnitId>,
}

/// Flattens the models and infers the widths; with for-each models first for one iteration of each.
fn flatten(
    simulation: &Simulation,
    templates: &Templates,
    cache: &mut KernelCache,
) -> Result<TypedUnits, Vec<Diagnostic>> {
    let outline = TypedUnits::new(Flattened::outline(simulation, templates), cache)?;
    if !outline.flattened.has_for_each() {
        return Ok(outline);
    }
    let errors = errors(simulation, &outline.flattened, &outline.kernels);
    if !errors.is_empty() {
        return Err(errors);
    }
    let iterations = outline.flattened.iteration_counts(&outline.kernels);
    TypedUnits::new(Flattened::complete(simulation, templates, &iterations), cache)
}

impl TypedUnits {
    fn new(
        flattened: Result<Flattened, Vec<Diagnostic>>,
        cache: &mut KernelCache,
    ) -> Result<TypedUnits, Vec<Diagnostic>> {
        let flattened = flattened.map_err(dedup)?;
        let sources = flattened.sources();
        let kernels = Kernels::infer(&flattened, &sources, cache);
        Ok(TypedUnits { flattened, kernels, sources })
    }
}

/// The algebraic loops that the document alone shows, if loops are errors.
fn loops_in_document(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    if simulation.solves_loops() {
        return Vec::new();
    }
    let describe = |(model, hops): &(Arc<str>, Vec<Hop>)| Some(loop_found(simulation.model(model)?, hops));
    find_loops_linked(simulation, registry).iter().filter_map(describe).collect()
}

/// Algebraic loops in unused models, as warnings: they do not prevent a run.
fn loops_in_unused(simulation: &Simulation, registry: &Registry, program: &Program) -> Vec<Diagnostic> {
    let models = &program.symbols.models;
    let used: BTreeSet<&str> =
        program.symbols.instances.iter().map(|instance| &*models[instance.model as usize].model).collect();
    if used.len() == simulation.models.len() {
        return Vec::new();
    }
    let is_used = |found: &Diagnostic| found.location.model.as_deref().is_some_and(|model| used.contains(model));
    let unused = loops_in_document(simulation, registry).into_iter().filter(|found| !is_used(found));
    unused.map(Diagnostic::as_warning).collect()
}
