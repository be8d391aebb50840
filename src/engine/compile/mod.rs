//! Compiles a simulation to a program.

mod flatten;
pub(super) mod instances;
pub(super) mod loops;
mod rates;
mod tear;
pub(super) mod template;
mod widths;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use flatten::{FlattenedModel, UnitRef, UntypedUnits};
use super::program::{ConditionalSubsystem, Output, Program, StateSlot, SubsystemExit, Unit, param_values};
use rates::{held, rates};
use loops::refused_rings;
use super::solve::Tolerances;
use super::solver::Solver;
use tear::tear_loops;
use template::{ModelTemplate, discard_build_inputs};
use instances::{IterationCounts, Tree};
use widths::{Kernels, UntypedUnit, WidthError, build_kernels, inherit, too_many_instructions};
use crate::block::limits::{MOST_PROGRAM_INSTRUCTIONS, MOST_VALUES, bytes_text};
use crate::block::{BuildContext, BuildError, Kernel, Registry, SampleTime, StateDef, StateKind, parse_number};
use crate::model::{Diagnostic, Hop, Simulation, check_and_link, find_loops_linked, loop_found, nesting};

/// Maximum nesting depth of for-each models.
const MOST_ROUNDS: usize = 32;

/// Compiles a simulation.
///
/// # Errors
/// Returns all diagnostics of [`crate::model::check()`] and of the width inference if one of them is an error.
pub fn compile(simulation: &Simulation, registry: &Registry) -> Result<Program, Vec<Diagnostic>> {
    let (found, program) = examine(simulation, registry);
    program.ok_or(found)
}

/// Returns all diagnostics of a simulation, including those that do not prevent a run.
pub fn diagnose(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    examine(simulation, registry).0
}

/// Returns all diagnostics of a simulation, and the program unless one of them is an error.
pub fn examine(simulation: &Simulation, registry: &Registry) -> (Vec<Diagnostic>, Option<Program>) {
    let (mut found, linked) = check_and_link(simulation, registry);
    let linked = &*linked.simulation;
    if found.iter().any(Diagnostic::is_error) {
        // Without a program only the model can be checked for loops.
        found.extend(guess_loops(simulation, linked, registry));
        return (found, None);
    }
    match assemble(linked, registry) {
        Ok(program) => {
            found.extend(loops_in_unused(simulation, linked, registry, &program));
            (found, Some(program))
        }
        Err(further) => {
            found.extend(further);
            (found, None)
        }
    }
}

fn assemble(simulation: &Simulation, registry: &Registry) -> Result<Program, Vec<Diagnostic>> {
    let solver = Solver::by_name(simulation.solver(), registry)
        .ok_or_else(|| vec![unknown_solver(simulation.solver(), registry)])?;
    let tolerances = tolerances(simulation)?;
    let (templates, root) = templates(simulation, registry);
    let context = BuildContext { delta: simulation.delta, sample: SampleTime::EVERY, locates: solver.is_variable() };
    let mut iterations = IterationCounts::new();
    // The number of iterations of a for-each model follows from the widths, and changes the flattened model.
    for _ in 0..MOST_ROUNDS {
        let tree = Tree::new(&templates, root, &iterations)?;
        let flattened = FlattenedModel { simulation, templates: &templates, tree: &tree };
        let flat_units = flattened.units().map_err(dedup)?;
        let mut kernels = build_kernels(&flat_units.untyped, context, registry.files());
        let wanted = flattened.iteration_counts(&kernels);
        if wanted != iterations {
            iterations = wanted;
            continue;
        }
        let (mut of_units, mut is_held) = (Vec::new(), Vec::new());
        if kernels.errors.is_empty() {
            of_units = rates(&flat_units, &kernels);
            is_held = held(&flat_units, &kernels, &of_units);
            inherit(&flat_units.untyped, context, registry.files(), &mut kernels, &of_units);
        }
        let describe =
            |(unit, error): &(usize, WidthError)| flattened.width_error(simulation, &flat_units, *unit, error);
        if kernels.errors.is_empty() {
            kernels.errors.extend(over_limit(&kernels));
        }
        let mut errors: Vec<Diagnostic> = kernels.errors.iter().map(describe).collect();
        errors.extend(flattened.uneven_iterations(&kernels));
        errors.extend(flattened.continuous_in_loops(simulation, &flat_units, &kernels));
        if !errors.is_empty() {
            return Err(dedup(errors));
        }
        let mut program = lay_out(simulation, (solver, tolerances), templates, tree, flat_units, kernels);
        (program.rates, program.held) = (of_units, is_held);
        program.refuse_shared_files()?;
        if simulation.solves_loops() {
            tear_loops(&mut program)?;
        } else {
            let rings = dedup(refused_rings(&program, simulation));
            if !rings.is_empty() {
                return Err(rings);
            }
        }
        discard_build_inputs(&mut program.templates);
        return Ok(program);
    }
    let message = "the number of iterations of a for-each model cannot be determined";
    let help = "a vector whose for-each result is joined to itself in a loop has no width";
    Err(vec![Diagnostic::error("width", message).help(help)])
}

/// The algebraic loops found in the model alone, if loops are errors.
fn guess_loops(simulation: &Simulation, linked: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    let loops = if simulation.solves_loops() { Vec::new() } else { find_loops_linked(linked, registry) };
    let describe = |(model, hops): &(Arc<str>, Vec<Hop>)| Some(loop_found(simulation.model(model)?, hops));
    loops.iter().filter_map(describe).collect()
}

/// Algebraic loops in unused models, as warnings: they do not prevent a run.
fn loops_in_unused(
    simulation: &Simulation,
    linked: &Simulation,
    registry: &Registry,
    program: &Program,
) -> Vec<Diagnostic> {
    let used: BTreeSet<u32> = program.tree.instances.iter().map(|instance| instance.template).collect();
    if used.len() == simulation.models.len() {
        return Vec::new();
    }
    let is_used = |found: &Diagnostic| {
        let of =
            |template: &u32| found.location.model.as_deref() == Some(&*program.templates[*template as usize].model);
        used.iter().any(of)
    };
    let unused = guess_loops(simulation, linked, registry).into_iter().filter(|found| !is_used(found));
    unused.map(Diagnostic::as_warning).collect()
}

/// Where the program is too large as a whole: the block that has the largest part of it, and what is too much.
fn over_limit(kernels: &Kernels) -> Option<(usize, WidthError)> {
    let state = |state: &StateDef| match state.kind {
        StateKind::Discrete | StateKind::Continuous => 2 * state.width,
        StateKind::History { length } => state.width * length,
    };
    let sizes: Vec<(usize, usize)> = kernels
        .list
        .iter()
        .map(|kernel| (kernel.scratch + kernel.states.iter().map(state).sum::<usize>(), kernel.ops.len()))
        .collect();
    let of_units = || kernels.of.iter().map(|kernel| kernel.map_or((0, 0), |kernel| sizes[kernel as usize]));
    let (values, instructions) = of_units().fold((0, 0), |all, size| (all.0 + size.0, all.1 + size.1));
    if values > MOST_VALUES {
        let (unit, largest) = of_units().enumerate().max_by_key(|(_, size)| size.0)?;
        let [all, own, most] = [values, largest.0, MOST_VALUES].map(bytes_text);
        let text = format!("all blocks together work on {all}, this one on {own}; the limit is {most}");
        return Some((unit, WidthError::Build(BuildError::TooLarge(text))));
    }
    if instructions > MOST_PROGRAM_INSTRUCTIONS {
        let (unit, _) = of_units().enumerate().max_by_key(|(_, size)| size.1)?;
        return Some((unit, WidthError::Build(too_many_instructions())));
    }
    None
}

fn unknown_solver(name: &str, registry: &Registry) -> Diagnostic {
    let known: Vec<&str> = Solver::all(registry).map(Solver::name).collect();
    Diagnostic::error("unknown-solver", format!("there is no solver “{name}”"))
        .help(format!("the solvers are: {}", known.join(", ")))
}

/// The attributes `rtol`, `atol`, `max-step` and `max-steps`.
fn tolerances(simulation: &Simulation) -> Result<Tolerances, Vec<Diagnostic>> {
    let mut tolerances = Tolerances::default();
    let mut found = Vec::new();
    let Tolerances { relative, absolute, max_step, max_steps } = &mut tolerances;
    for (name, value, help) in [
        ("rtol", relative, "the error of a step as a part of the state, such as 1e-3; 1 at most"),
        ("atol", absolute, "the error of a step whatever the state, such as 1e-6; above 0"),
        ("max-step", max_step, "the solver's longest step in seconds, above 0"),
        ("max-steps", max_steps, "how many steps the solver may make within one of the simulation, above 0"),
    ] {
        let Some(text) = simulation.attributes.get(name) else { continue };
        match parse_number(text) {
            Ok(number) if number > 0.0 && (name != "rtol" || number <= 1.0) => *value = number,
            _ => {
                let message = format!("{name} is “{text}”, which it cannot be");
                found.push(Diagnostic::error("bad-number", message).help(help));
            }
        }
    }
    if found.is_empty() { Ok(tolerances) } else { Err(found) }
}

/// The same mistake in a model that is used a thousand times is told once.
fn dedup(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|diagnostic| seen.insert((diagnostic.message.clone(), diagnostic.location.to_string())));
    found
}

/// Plans for the root model and all that it uses, and the root's number.
fn templates(simulation: &Simulation, registry: &Registry) -> (Vec<ModelTemplate>, usize) {
    let mut known: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut templates = Vec::new();
    for name in nesting(simulation).order {
        if let Some(model) = simulation.model(&name) {
            templates.push(ModelTemplate::new(simulation, registry, model, &known));
            known.insert(name, templates.len() - 1);
        }
    }
    let root = known.get(&simulation.root).copied().unwrap_or(0);
    (templates, root)
}

/// Gives every value its place.
fn lay_out(
    simulation: &Simulation,
    (solver, tolerances): (Solver, Tolerances),
    templates: Vec<ModelTemplate>,
    tree: Tree,
    flat_units: UntypedUnits,
    kernels: Kernels,
) -> Program {
    let mut program = Program {
        steps: simulation.steps,
        delta: simulation.delta,
        solver,
        tolerances,
        most_runs: Program::MOST_RUNS,
        refuses_non_finite: false,
        units: Vec::with_capacity(flat_units.untyped.len()),
        rates: Vec::new(),
        held: Vec::new(),
        kernels: kernels.list,
        sources: Vec::new(),
        outputs: Vec::new(),
        readers: Vec::new(),
        states: Vec::new(),
        params: Vec::new(),
        subsystems: Vec::new(),
        value_count: 0,
        discrete_count: 0,
        continuous_count: 0,
        history_count: 0,
        loops: Vec::new(),
        templates,
        tree,
    };
    let mut input_count = 0;
    let units = flat_units.untyped.iter().zip(flat_units.places).zip(kernels.of.into_iter().flatten());
    for (number, ((untyped, UnitRef { instance, place, subsystem }), kernel)) in units.enumerate() {
        let made = Arc::clone(&program.kernels[kernel as usize]);
        program.units.push(Unit {
            kernel,
            first_input: input_count,
            first_output: program.outputs.len() as u32,
            first_state: program.states.len() as u32,
            first_param: program.params.len() as u32,
            subsystem,
            is_hidden: number >= program.tree.visible || is_hidden(&program, instance, place),
            instance,
            place,
        });
        input_count += untyped.sources.len() as u32;
        for output in &made.outputs {
            let (unit, offset) = (number as u32, program.value_count as u32);
            program.outputs.push(Output { unit, offset, width: output.width as u32, first_reader: 0, reader_count: 0 });
            program.value_count += output.width;
        }
        place_states(&mut program, &made);
        program.params.extend(param_values(&made, &untyped.settings));
    }
    connect(&mut program, &flat_units.untyped);
    program.subsystems = subsystems(&program);
    program
}

/// Whether the compiler added the block.
fn is_hidden(program: &Program, instance: u32, place: u32) -> bool {
    let template = program.tree.instances[instance as usize].template;
    program.templates[template as usize].block(place as usize).is_hidden
}

/// The conditional and iterated subsystems as the engines need them.
fn subsystems(program: &Program) -> Vec<ConditionalSubsystem> {
    let mut subsystems: Vec<ConditionalSubsystem> = Vec::with_capacity(program.tree.subsystems.len());
    for bounds in &program.tree.subsystems {
        let of = &program.tree.uses[bounds.of as usize];
        let template = &program.templates[of.template as usize];
        let (Some(enable_unit), Some(flow)) = (of.enable_unit(), &template.flow.enable) else { continue };
        let (parent, place) = of.parent;
        let output_of = |instance: u32, place| program.resolve(instance as usize, place as usize, 0);
        let exits = flow.idle_resets.iter().enumerate().filter_map(|(number, &idle_resets)| {
            let output = program.resolve(parent as usize, place as usize, number)?;
            Some(SubsystemExit { output: output as u32, idle_resets })
        });
        let condition = flow.condition.and_then(|place| output_of(of.first, place as u32));
        subsystems.push(ConditionalSubsystem {
            parent: bounds.parent,
            enable_unit,
            is_iterated: flow.is_iterated,
            condition: condition.map(|output| output as u32),
            limit: flow.limit,
            can_reset: flow.can_reset,
            units: Vec::new(),
            exits: exits.collect(),
        });
    }
    for (number, unit) in program.units.iter().enumerate() {
        if let Some(subsystem) = unit.subsystem {
            subsystems[subsystem as usize].units.push(number as u32);
        }
    }
    subsystems
}

fn place_states(program: &mut Program, kernel: &Kernel) {
    for state in &kernel.states {
        let (count, size) = match state.kind {
            StateKind::Discrete => (&mut program.discrete_count, state.width),
            StateKind::Continuous => (&mut program.continuous_count, state.width),
            StateKind::History { length } => (&mut program.history_count, state.width * length + 1),
        };
        let offset = *count as u32;
        *count += size;
        program.states.push(StateSlot { kind: state.kind, offset, width: state.width as u32 });
    }
}

fn connect(program: &mut Program, untyped: &[UntypedUnit]) {
    let output = |(unit, output): (usize, usize)| program.units[unit].first_output + output as u32;
    let sources: Vec<Option<u32>> =
        untyped.iter().flat_map(|untyped| &untyped.sources).map(|source| source.map(output)).collect();
    for source in sources.iter().flatten() {
        program.outputs[*source as usize].reader_count += 1;
    }
    let mut first = 0;
    for output in &mut program.outputs {
        output.first_reader = first;
        first += output.reader_count;
    }
    program.readers = vec![(0, 0); first as usize];
    let mut next: Vec<u32> = program.outputs.iter().map(|output| output.first_reader).collect();
    for (number, unit) in program.units.iter().enumerate() {
        for input in 0..untyped[number].sources.len() {
            if let Some(source) = sources[unit.first_input as usize + input] {
                let place = &mut next[source as usize];
                program.readers[*place as usize] = (number as u32, input as u32);
                *place += 1;
            }
        }
    }
    program.sources = sources;
}
