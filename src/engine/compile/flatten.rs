//! The flattened model: the list of units before their types (widths and tapes) are known.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::template::{BlockRole, ModelTemplate, TemplateBlock, TemplateKind};
use super::instances::{IterationCounts, Tree, Use};
use super::widths::{Kernels, MAX_WIDTH, UntypedUnit, WidthError};
use crate::block::{BlockDef, BuildError, Setting, Settings, StateKind, boundary, parts};
use crate::model::{self, Diagnostic, Model, Scope, Simulation, settings_of};

pub(super) struct FlattenedModel<'a> {
    pub simulation: &'a Simulation,
    pub templates: &'a [ModelTemplate],
    pub tree: &'a Tree,
}

/// The untyped units.
pub(super) struct UntypedUnits {
    pub untyped: Vec<UntypedUnit>,
    pub places: Vec<UnitRef>,
}

/// The instance and the block's index in its template; for a hidden unit, those of its model block.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitRef {
    pub instance: u32,
    pub place: u32,
    pub subsystem: Option<u32>,
}

impl UntypedUnits {
    fn add(&mut self, def: &'static BlockDef, settings: Arc<Settings>, sources: Sources, place: UnitRef) {
        let output_count = def.output_count(&settings);
        self.untyped.push(UntypedUnit { def, settings, sources, output_count });
        self.places.push(place);
    }
}

/// For each input, the unit and output connected to it.
type Sources = Vec<Option<(usize, usize)>>;

impl FlattenedModel<'_> {
    fn template(&self, instance: usize) -> &ModelTemplate {
        &self.templates[self.tree.instances[instance].template as usize]
    }

    /// All units: those of the blocks, then the hidden ones.
    ///
    /// # Errors
    /// Where what a use of a model gives its variables cannot be.
    pub fn units(&self) -> Result<UntypedUnits, Vec<Diagnostic>> {
        let count = self.tree.units;
        let mut flat_units = UntypedUnits { untyped: Vec::with_capacity(count), places: Vec::with_capacity(count) };
        let mut errors = Vec::new();
        for instance in 0..self.tree.instances.len() {
            self.visible(instance, &mut flat_units, &mut errors);
        }
        self.tree.uses.iter().for_each(|of| self.hidden(of, &mut flat_units));
        if errors.is_empty() { Ok(flat_units) } else { Err(errors) }
    }

    fn visible(&self, number: usize, flat_units: &mut UntypedUnits, errors: &mut Vec<Diagnostic>) {
        let instance = &self.tree.instances[number];
        let around = instance.parent.and_then(|(parent, _)| self.tree.instances[parent as usize].subsystem);
        let of = instance.of.map(|of| &self.tree.uses[of as usize]);
        for (place, block) in self.template(number).blocks.iter().enumerate() {
            let TemplateKind::Unit { def, settings, is_local, role, .. } = &block.kind else { continue };
            let (mut def, mut settings, mut subsystem) = (*def, Arc::clone(settings), instance.subsystem);
            if *is_local && number > 0 {
                match self.settings_in_use(number, def, block, &settings) {
                    Ok(of_instance) => settings = Arc::new(of_instance),
                    Err(problem) => errors.push(*problem),
                }
            }
            let resolve = |&(place, output): &(usize, usize)| self.resolve(number, place, output);
            let mut sources: Sources = block.sources.iter().map(|from| from.as_ref().and_then(resolve)).collect();
            if let BlockRole::Control(_) = role {
                subsystem = around;
            }
            match (role, of) {
                (BlockRole::Entry(input) | BlockRole::Control(input), Some(of)) => {
                    if let Some(source) = self.outside(of, *input) {
                        def = &boundary::ENTRY_OPEN;
                        let split = of.split(self.template(number), *input);
                        sources =
                            vec![split.map_or(source, |split| Some((split as usize, instance.iteration as usize)))];
                    }
                }
                (BlockRole::Index, Some(of)) if of.iterations.is_some() && self.repeats(of) == Repeats::No => {
                    def = &boundary::ENTRY_STATIC;
                    let iteration = Setting::Number(vec![f64::from(instance.iteration)]);
                    settings = Arc::new(Settings::defaults(def).with(INITIAL_VALUE, iteration));
                }
                (BlockRole::Exit, Some(of)) if of.subsystem.is_some() && of.iterations.is_none() => {
                    def = &boundary::EXIT_HELD
                }
                _ => {}
            }
            flat_units.add(def, settings, sources, UnitRef { instance: number as u32, place: place as u32, subsystem });
        }
    }

    /// The settings of a block with the values that this instance gives to the variables of its model.
    fn settings_in_use(
        &self,
        instance: usize,
        def: &'static BlockDef,
        block: &TemplateBlock,
        by_itself: &Settings,
    ) -> Result<Settings, Box<Diagnostic>> {
        let template = self.template(instance);
        let found = self.in_scope(instance, &|scope, model| Some(settings_of(def, model.block(block.id)?, scope)));
        let Some((settings, errors)) = found else { return Ok(by_itself.clone()) };
        let on_block = |problem: Diagnostic| Box::new(problem.on_block(&template.model, block.id));
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
        let model = self.simulation.model(&self.template(instance).model)?;
        let Some((parent, place)) = self.tree.instances[instance].parent else {
            return f(&Scope::of_model(self.simulation, model), model);
        };
        let id = self.template(parent as usize).block(place as usize).id;
        self.in_scope(parent as usize, &|outside, above| {
            let block = above.block(id)?;
            f(&Scope::of_instance(self.simulation, model, model::ModelInstance { block, outside }), model)
        })
    }

    fn repeats(&self, of: &Use) -> Repeats {
        let enable_unit = &self.templates[of.template as usize].flow.enable;
        if enable_unit.as_ref().is_some_and(|enable_unit| enable_unit.is_iterated) { Repeats::Yes } else { Repeats::No }
    }

    /// What decides, splits and joins for a model block.
    fn hidden(&self, of: &Use, flat_units: &mut UntypedUnits) {
        let template = &self.templates[of.template as usize];
        let (instance, place) = of.parent;
        let around = self.tree.instances[instance as usize].subsystem;
        let at = |subsystem| UnitRef { instance, place, subsystem };
        let inside = at(of.subsystem.or(around));
        if let (Some(enable_unit), Some(_)) = (&template.flow.enable, of.subsystem) {
            let first = of.first as usize;
            let deciding = enable_unit.controls.iter().map(|&place| self.resolve(first, place, 0));
            let control = |&place: &usize| match template.block(place).kind {
                TemplateKind::Unit { role: BlockRole::Control(input), .. } => Some(input),
                _ => None,
            };
            let controls: Vec<usize> = enable_unit.controls.iter().filter_map(control).collect();
            let inputs = (0..template.input_count).filter(|input| !controls.contains(input));
            let waiting: Vec<_> = inputs.filter_map(|input| self.outside(of, input)).collect();
            let waits = Setting::Integer(waiting.len() as i64);
            let settings = enable_unit.settings.clone().with(parts::WAITS, waits);
            flat_units.add(&parts::GATE, Arc::new(settings), deciding.chain(waiting).collect(), at(around));
        }
        let Some(iterations) = of.iterations else { return };
        let counted =
            |def: &BlockDef| Settings::defaults(def).with(parts::COUNT, Setting::Integer(i64::from(iterations)));
        for &input in &template.flow.each {
            let settings = Arc::new(counted(&parts::SPLIT));
            flat_units.add(&parts::SPLIT, settings, vec![self.outside(of, input).flatten()], inside);
        }
        for &exit in &template.exits {
            let TemplateKind::Unit { settings: exit_settings, number, .. } = &template.block(exit).kind else {
                continue;
            };
            let initial = || Setting::Number(exit_settings.numbers(INITIAL_VALUE).to_vec());
            let (def, settings) = match of.subsystem {
                Some(_) => (&parts::JOIN_HELD, counted(&parts::JOIN_HELD).with(INITIAL_VALUE, initial())),
                None => (&parts::JOIN, counted(&parts::JOIN)),
            };
            let settings = Arc::new(settings);
            let iteration = |iteration: u32| {
                let instance = &self.tree.instances[(of.first + iteration) as usize];
                Some((instance.first_unit as usize + number, 0))
            };
            flat_units.add(def, settings, (0..iterations).map(iteration).collect(), inside);
        }
    }

    /// What feeds an input of a model block, where a wire leads there.
    fn outside(&self, of: &Use, input: usize) -> Option<Option<(usize, usize)>> {
        let (parent, place) = (of.parent.0 as usize, of.parent.1 as usize);
        let (from, output) = (*self.template(parent).block(place).sources.get(input)?)?;
        Some(self.resolve(parent, from, output))
    }

    fn resolve(&self, instance: usize, place: usize, output: usize) -> Option<(usize, usize)> {
        self.tree.resolve(self.templates, instance, place, output)
    }

    /// The widths of the signals that a model block's split entries receive, one element left out.
    fn split_widths(&self, of: &Use, kernels: &Kernels) -> BTreeSet<u32> {
        let template = &self.templates[of.template as usize];
        let width = |&input: &usize| {
            let split = of.split(template, input)? as usize;
            kernels.of[split].map(|kernel| kernels.list[kernel as usize].inputs[0] as u32)
        };
        template.flow.each.iter().filter_map(width).filter(|width| *width != 1).collect()
    }

    /// The number of iterations of each for-each model, as given by the widths.
    pub fn iteration_counts(&self, kernels: &Kernels) -> IterationCounts {
        let mut counts = IterationCounts::new();
        for of in self.tree.uses.iter().filter(|of| of.iterations.is_some()) {
            let wanted = self.split_widths(of, kernels).last().map_or(1, |width| (*width).max(1));
            let known = counts.entry(self.tree.path(of.parent)).or_insert(1);
            *known = wanted.max(*known);
        }
        counts.retain(|_, count| *count != 1);
        counts
    }

    /// Model blocks whose split entries receive vectors of several widths.
    pub fn uneven_iterations(&self, kernels: &Kernels) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for of in self.tree.uses.iter().filter(|of| of.iterations.is_some()) {
            let widths = self.split_widths(of, kernels);
            let is_even = widths.is_empty() || (widths.len() == 1 && widths.last().copied() == of.iterations);
            if !is_even {
                let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
                let message =
                    format!("the model runs for each element, but the vectors have {} elements", widths.join(" and "));
                let problem = Diagnostic::error("width", message);
                let problem = problem.help("the entries with role=\"each\" receive vectors of one width, or scalars");
                let template = self.template(of.parent.0 as usize);
                found.push(problem.on_block(&template.model, template.block(of.parent.1 as usize).id));
            }
        }
        found
    }

    /// Blocks with a state that the solver integrates where they run several times in a step.
    pub fn continuous_in_loops(
        &self,
        simulation: &Simulation,
        flat_units: &UntypedUnits,
        kernels: &Kernels,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut looping = Vec::with_capacity(self.tree.subsystems.len());
        for bounds in &self.tree.subsystems {
            let of = &self.tree.uses[bounds.of as usize];
            let own = (self.repeats(of) == Repeats::Yes).then(|| &self.templates[of.template as usize].model);
            looping.push(own.or_else(|| bounds.parent.and_then(|parent| looping[parent as usize])));
        }
        for (place, kernel) in flat_units.places.iter().zip(&kernels.of) {
            let Some(looping) = place.subsystem.and_then(|subsystem| looping[subsystem as usize]) else { continue };
            let Some(kernel) = kernel.map(|kernel| &kernels.list[kernel as usize]) else { continue };
            if kernel.states.iter().any(|state| state.kind == StateKind::Continuous) {
                let title = self.title(simulation, *place);
                let message = format!("{title} is integrated over time, and cannot run several times in a step");
                let help = format!("use a discrete block, or take it out of the iterated model “{looping}”");
                let template = self.template(place.instance as usize);
                let problem = Diagnostic::error("continuous-in-loop", message).help(help);
                found.push(problem.on_block(&template.model, template.block(place.place as usize).id));
            }
        }
        found
    }

    fn title(&self, simulation: &Simulation, UnitRef { instance, place, .. }: UnitRef) -> String {
        let template = self.template(instance as usize);
        let id = template.block(place as usize).id;
        let block = simulation.model(&template.model).and_then(|model| model.block(id));
        match block {
            Some(block) => format!("{} {id} of “{}”", block.title(), template.model),
            None => id.to_string(),
        }
    }

    pub fn width_error(
        &self,
        simulation: &Simulation,
        UntypedUnits { untyped, places }: &UntypedUnits,
        unit: usize,
        error: &WidthError,
    ) -> Diagnostic {
        let UnitRef { instance, place, .. } = places[unit];
        let template = self.template(instance as usize);
        let block = template.block(place as usize);
        let source = |input: Option<usize>| {
            let from = input.and_then(|input| untyped[unit].sources.get(input).copied().flatten());
            from.map_or(String::new(), |(from, _)| format!(" from {}", self.title(simulation, places[from])))
        };
        let diagnostic = match error {
            WidthError::Build(BuildError::Width { left, right, left_input, right_input }) => {
                let message = format!(
                    "a signal of width {left}{} meets one of width {right}{}",
                    source(*left_input),
                    source(*right_input)
                );
                let help = "both signals need the same width, or one must be a scalar";
                Diagnostic::error("width", message).help(help)
            }
            WidthError::Build(BuildError::InputWidth { input, got, .. }) if unit >= self.tree.visible => {
                let message =
                    format!("the enable condition of a model is a scalar, not the {got}{}", source(Some(*input)));
                Diagnostic::error("width", message).help("select one element of the signal with Routing/Demux")
            }
            WidthError::Build(BuildError::InputWidth { input, width, got }) => {
                let message =
                    format!("the input {} takes {width} element, not the {got}{}", input + 1, source(Some(*input)));
                Diagnostic::error("width", message).help("select one element of the signal with Routing/Demux")
            }
            WidthError::Build(BuildError::Setting { .. }) => {
                let WidthError::Build(error) = error else { unreachable!("matched just now") };
                Diagnostic::error("bad-option", error.to_string())
            }
            WidthError::TooWide(width) => {
                let message =
                    format!("the inputs have {width} elements together, more than the {MAX_WIDTH} that a block takes");
                Diagnostic::error("too-large", message).help("use shorter vectors, or several blocks")
            }
            WidthError::Build(BuildError::TooLarge(problem)) => {
                let message = format!("too large: {problem}");
                Diagnostic::error("too-large", message).help("make the vectors narrower, or the lengths shorter")
            }
            WidthError::Growing => {
                let message = "the signal's width grows without end on its way round a loop";
                Diagnostic::error("width", message).help("a vector that is joined to itself in a loop has no width")
            }
        };
        diagnostic.on_block(&template.model, block.id)
    }
}

const INITIAL_VALUE: &str = crate::model::Block::INITIAL_VALUE;

/// Whether a model runs several times in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    Yes,
    No,
}
