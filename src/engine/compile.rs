//! From a simulation to a program.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::plan::{Plan, PlanBlock, PlanKind, Role};
use super::program::{Instance, Output, Program, StateSlot, Unit, param_values};
use super::rates::rates;
use super::solve::Tolerances;
use super::solver::Solver;
use super::widths::{Bare, Kernels, WidthError, build_kernels, inherit};
use crate::block::{
    BlockDef, BuildError, Facts, Kernel, Registry, Sample, Settings, StateKind, boundary, parse_number,
};
use crate::model::{Diagnostic, Model, Scope, Simulation, Use, check, nesting, settings_of};

/// More blocks than this are refused: models nested twofold thirty levels deep would not end.
const MOST_UNITS: usize = 5_000_000;

/// Makes a simulation ready to run.
///
/// # Errors
/// All that [`crate::model::check()`] and the widths say, where one of it is an error.
pub fn compile(simulation: &Simulation, registry: &Registry) -> Result<Program, Vec<Diagnostic>> {
    let found = check(simulation, registry);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    assemble(simulation, registry).map_err(|further| found.into_iter().chain(further).collect())
}

/// All that is wrong with a simulation, whether or not it could run.
pub fn diagnose(simulation: &Simulation, registry: &Registry) -> Vec<Diagnostic> {
    let mut found = check(simulation, registry);
    if !found.iter().any(Diagnostic::is_error)
        && let Err(further) = assemble(simulation, registry)
    {
        found.extend(further);
    }
    found
}

fn assemble(simulation: &Simulation, registry: &Registry) -> Result<Program, Vec<Diagnostic>> {
    let solver = Solver::by_name(simulation.solver()).ok_or_else(|| vec![unknown_solver(simulation.solver())])?;
    let tolerances = tolerances(simulation)?;
    let (plans, root) = plans(simulation, registry);
    let instances = instances(&plans, root)?;
    let skeleton = Skeleton { simulation, plans: &plans, instances: &instances };
    let (bare, units) = skeleton.units()?;
    let facts = Facts { delta: simulation.delta, sample: Sample::EVERY, locates: solver.is_variable() };
    let kernels = build_kernels(&bare, facts).and_then(|kernels| {
        let rates = rates(&bare, &kernels);
        inherit(&bare, facts, kernels, &rates)
    });
    let kernels = kernels.map_err(|errors| {
        let describe =
            |(unit, error): (usize, WidthError)| skeleton.width_error(simulation, &bare, &units, unit, &error);
        dedup(errors.into_iter().map(describe).collect())
    })?;
    Ok(lay_out(simulation, (solver, tolerances), plans, instances, &bare, units, kernels))
}

fn unknown_solver(name: &str) -> Diagnostic {
    let known: Vec<&str> = Solver::ALL.iter().map(|solver| solver.name()).collect();
    Diagnostic::error("unknown-solver", format!("there is no solver “{name}”"))
        .help(format!("the solvers are: {}", known.join(", ")))
}

/// The attributes `rtol`, `atol` and `max-step`.
fn tolerances(simulation: &Simulation) -> Result<Tolerances, Vec<Diagnostic>> {
    let mut tolerances = Tolerances::default();
    let mut found = Vec::new();
    let Tolerances { relative, absolute, max_step } = &mut tolerances;
    for (name, value, help) in [
        ("rtol", relative, "the error of a step as a part of the state, such as 1e-3; 1 at most"),
        ("atol", absolute, "the error of a step whatever the state, such as 1e-6; above 0"),
        ("max-step", max_step, "the solver's longest step in seconds, above 0"),
    ] {
        let Some(text) = simulation.attributes.get(name) else { continue };
        match parse_number(text) {
            Ok(number) if number > 0.0 && (name == "max-step" || number <= 1.0 || name == "atol") => *value = number,
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
    found.retain(|diagnostic| seen.insert((diagnostic.message.clone(), diagnostic.place.to_string())));
    found
}

/// Plans for the root model and all that it uses, and the root's number.
fn plans(simulation: &Simulation, registry: &Registry) -> (Vec<Plan>, usize) {
    let mut known: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let mut plans = Vec::new();
    for name in nesting(simulation).order {
        if let Some(model) = simulation.model(&name) {
            plans.push(Plan::new(simulation, registry, model, &known));
            known.insert(name, plans.len() - 1);
        }
    }
    let root = known.get(&simulation.root).copied().unwrap_or(0);
    (plans, root)
}

/// The tree of uses, each level behind the one above, the root first.
fn instances(plans: &[Plan], root: usize) -> Result<Vec<Instance>, Vec<Diagnostic>> {
    let mut instances = Vec::new();
    let mut ahead = std::collections::VecDeque::from([(root, None)]);
    let mut unit_count = 0;
    let mut child_count = 1;
    while let Some((plan, parent)) = ahead.pop_front() {
        let number = instances.len() as u32;
        instances.push(Instance {
            plan: plan as u32,
            parent,
            first_unit: unit_count as u32,
            first_child: child_count as u32,
        });
        unit_count += plans[plan].unit_count;
        child_count += plans[plan].child_count;
        if unit_count.max(child_count) > MOST_UNITS {
            let message = format!("the models inside each other come to more than {MOST_UNITS} blocks");
            return Err(vec![Diagnostic::error("too-large", message).help("use fewer uses of models within models")]);
        }
        for (place, block) in plans[plan].blocks.iter().enumerate() {
            if let PlanKind::Child { plan, .. } = block.kind {
                ahead.push_back((plan, Some((number, place as u32))));
            }
        }
    }
    Ok(instances)
}

/// The flat list while only its shape is known.
struct Skeleton<'a> {
    simulation: &'a Simulation,
    plans: &'a [Plan],
    instances: &'a [Instance],
}

/// The instance and the block's place in its plan.
type UnitPlace = (u32, u32);

impl Skeleton<'_> {
    fn plan(&self, instance: usize) -> &Plan {
        &self.plans[self.instances[instance].plan as usize]
    }

    fn units(&self) -> Result<(Vec<Bare>, Vec<UnitPlace>), Vec<Diagnostic>> {
        let mut bare = Vec::new();
        let mut places = Vec::new();
        let mut errors = Vec::new();
        for instance in 0..self.instances.len() {
            for (place, block) in self.plan(instance).blocks.iter().enumerate() {
                let PlanKind::Unit { def, settings, is_local, role, .. } = &block.kind else { continue };
                let mut def = *def;
                let mut settings = Arc::clone(settings);
                if *is_local && instance > 0 {
                    match self.settings_in_use(instance, def, block, &settings) {
                        Ok(of_use) => settings = Arc::new(of_use),
                        Err(problem) => errors.push(problem),
                    }
                }
                let mut sources: Vec<_> = block
                    .sources
                    .iter()
                    .map(|source| source.and_then(|(place, output)| self.resolve(instance, place, output)))
                    .collect();
                if let Role::Entry(input) = role
                    && let Some(source) = self.outside(instance, *input)
                {
                    def = &boundary::ENTRY_OPEN;
                    sources = vec![self.resolve(source.0, source.1, source.2)];
                }
                let output_count = def.outputs.names(&settings).len();
                bare.push(Bare { def, settings, sources, output_count });
                places.push((instance as u32, place as u32));
            }
        }
        if errors.is_empty() { Ok((bare, places)) } else { Err(dedup(errors)) }
    }

    /// A block's settings with the values that the variables of its model have in this use.
    fn settings_in_use(
        &self,
        instance: usize,
        def: &'static BlockDef,
        block: &PlanBlock,
        by_itself: &Settings,
    ) -> Result<Settings, Diagnostic> {
        let plan = self.plan(instance);
        let found = self.in_scope(instance, &|scope, model| Some(settings_of(def, model.block(block.id)?, scope)));
        let Some((settings, errors)) = found else { return Ok(by_itself.clone()) };
        let on_block = |problem: Diagnostic| problem.on_block(&plan.model, block.id);
        if let Some(error) = errors.into_iter().next() {
            let help = "this comes from the values that a use of the model gives its variables";
            return Err(on_block(Diagnostic::error("bad-option", error.to_string()).help(help)));
        }
        let names = |settings: &Settings| (def.inputs.names(settings), def.outputs.names(settings));
        if names(&settings) != names(by_itself) {
            let message = "a use of the model gives its variables values that give this block other ports";
            return Err(on_block(
                Diagnostic::error("bad-option", message).help("the ports of a block are the same in all uses"),
            ));
        }
        Ok(settings)
    }

    /// Calls `f` with the names that the model of an instance knows there.
    fn in_scope<T>(&self, instance: usize, f: &dyn Fn(&Scope, &Model) -> Option<T>) -> Option<T> {
        let model = self.simulation.model(&self.plan(instance).model)?;
        let Some((parent, place)) = self.instances[instance].parent else {
            return f(&Scope::of_model(self.simulation, model), model);
        };
        let id = self.plan(parent as usize).block(place as usize).id;
        self.in_scope(parent as usize, &|outside, above| {
            let block = above.block(id)?;
            f(&Scope::of_use(self.simulation, model, Use { block, outside }), model)
        })
    }

    /// What feeds an input of the model block that this instance is of.
    fn outside(&self, instance: usize, input: usize) -> Option<(usize, usize, usize)> {
        let (parent, place) = self.instances[instance].parent?;
        let parent = parent as usize;
        let (from, output) = (*self.plan(parent).block(place as usize).sources.get(input)?)?;
        Some((parent, from, output))
    }

    /// The unit and output that `output` of the block at `place` is, through any model blocks.
    fn resolve(&self, mut instance: usize, mut place: usize, mut output: usize) -> Option<(usize, usize)> {
        loop {
            let Instance { first_unit, first_child, .. } = self.instances[instance];
            match self.plan(instance).block(place).kind {
                PlanKind::Unit { number, .. } => return Some((first_unit as usize + number, output)),
                PlanKind::Child { number, plan } => {
                    instance = first_child as usize + number;
                    place = *self.plans[plan].exits.get(output)?;
                    output = 0;
                }
            }
        }
    }

    fn title(&self, simulation: &Simulation, (instance, place): UnitPlace) -> String {
        let plan = self.plan(instance as usize);
        let id = plan.block(place as usize).id;
        let block = simulation.model(&plan.model).and_then(|model| model.block(id));
        match block {
            Some(block) => format!("{} {id} of “{}”", block.title(), plan.model),
            None => id.to_string(),
        }
    }

    fn width_error(
        &self,
        simulation: &Simulation,
        bare: &[Bare],
        places: &[UnitPlace],
        unit: usize,
        error: &WidthError,
    ) -> Diagnostic {
        let (instance, place) = places[unit];
        let plan = self.plan(instance as usize);
        let block = plan.block(place as usize);
        let source = |input: Option<usize>| {
            let from = input.and_then(|input| bare[unit].sources.get(input).copied().flatten());
            from.map_or(String::new(), |(from, _)| format!(" from {}", self.title(simulation, places[from])))
        };
        let diagnostic = match error {
            WidthError::Build(BuildError::Width { left, right, left_input, right_input }) => {
                let message = format!(
                    "a signal of width {left}{} meets one of width {right}{}",
                    source(*left_input),
                    source(*right_input)
                );
                let help = "two signals meet where both have the same width or one has a single lane";
                Diagnostic::error("width", message).help(help)
            }
            WidthError::Build(BuildError::InputWidth { input, width, got }) => {
                let message =
                    format!("the input {} takes {width} lane, not the {got}{}", input + 1, source(Some(*input)));
                Diagnostic::error("width", message).help("take one lane of the signal, with Routing/Demux")
            }
            WidthError::Build(BuildError::Setting { .. }) => {
                let WidthError::Build(error) = error else { unreachable!("matched just now") };
                Diagnostic::error("bad-option", error.to_string())
            }
            WidthError::Growing => {
                let message = "the signal's width grows without end on its way round a loop";
                Diagnostic::error("width", message).help("a vector that is joined to itself in a loop has no width")
            }
        };
        diagnostic.on_block(&plan.model, block.id)
    }
}

/// Gives every value its place.
fn lay_out(
    simulation: &Simulation,
    (solver, tolerances): (Solver, Tolerances),
    plans: Vec<Plan>,
    instances: Vec<Instance>,
    bare: &[Bare],
    places: Vec<UnitPlace>,
    kernels: Kernels,
) -> Program {
    let mut program = Program {
        steps: simulation.steps,
        delta: simulation.delta,
        solver,
        tolerances,
        refuses_non_finite: false,
        units: Vec::with_capacity(bare.len()),
        kernels: kernels.list,
        sources: Vec::new(),
        outputs: Vec::new(),
        readers: Vec::new(),
        states: Vec::new(),
        params: Vec::new(),
        value_count: 0,
        discrete_count: 0,
        continuous_count: 0,
        history_count: 0,
        plans,
        instances,
    };
    let mut input_count = 0;
    for ((bare, (instance, place)), kernel) in bare.iter().zip(places).zip(kernels.of) {
        let made = Arc::clone(&program.kernels[kernel as usize]);
        program.units.push(Unit {
            kernel,
            first_input: input_count,
            first_output: program.outputs.len() as u32,
            first_state: program.states.len() as u32,
            first_param: program.params.len() as u32,
            instance,
            place,
        });
        input_count += bare.sources.len() as u32;
        for output in &made.outputs {
            let offset = program.value_count as u32;
            program.outputs.push(Output { offset, width: output.width as u32, first_reader: 0, reader_count: 0 });
            program.value_count += output.width;
        }
        place_states(&mut program, &made);
        program.params.extend(param_values(&made, &bare.settings));
    }
    connect(&mut program, bare);
    program
}

fn place_states(program: &mut Program, kernel: &Kernel) {
    for state in &kernel.states {
        let (count, lanes) = match state.kind {
            StateKind::Discrete => (&mut program.discrete_count, state.width),
            StateKind::Continuous => (&mut program.continuous_count, state.width),
            StateKind::History { length } => (&mut program.history_count, state.width * length + 1),
        };
        let offset = *count as u32;
        *count += lanes;
        program.states.push(StateSlot { kind: state.kind, offset, width: state.width as u32 });
    }
}

fn connect(program: &mut Program, bare: &[Bare]) {
    let output = |(unit, output): (usize, usize)| program.units[unit].first_output + output as u32;
    let sources: Vec<Option<u32>> =
        bare.iter().flat_map(|bare| &bare.sources).map(|source| source.map(output)).collect();
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
        for input in 0..bare[number].sources.len() {
            if let Some(source) = sources[unit.first_input as usize + input] {
                let place = &mut next[source as usize];
                program.readers[*place as usize] = (number as u32, input as u32);
                *place += 1;
            }
        }
    }
    program.sources = sources;
}
