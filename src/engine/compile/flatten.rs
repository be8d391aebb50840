//! Instances → flat units: one unit for each block of each instance, connected through all model blocks, then the hidden
//! units that run, split and join conditional, iterated and for-each models.
//!
//! The number of iterations of a for-each model follows from the width of the vector that it splits. Therefore a
//! simulation with such models is flattened twice: as an outline with one iteration of each, from which the widths and
//! with them all numbers of iterations follow at once (all iterations have equal widths), and then with all iterations.

use std::sync::Arc;

use super::instances::{Instances, IterationCounts};
use super::template::{ModelTemplate, TemplateBlock, TemplateUnit, Templates, UnitRole};
use super::widths::Kernels;
use crate::block::{BlockDef, BuildContext, Setting, Settings, boundary, hidden_blocks};
use crate::engine::program::graph::Graph;
use crate::engine::program::symbols::{Instance, InstanceBlock, ModelBlock, SymbolKind};
use crate::engine::{PrimaryMap, SubsystemId, UnitId, UnitMap};
use crate::model::{Block, BlockId, Diagnostic, Model, ModelInstance, Scope, Simulation, settings_of};

/// All units, without the widths of their signals.
pub(super) struct Flattened {
    pub instances: Instances,
    /// The units of all blocks, instance by instance, then the hidden ones, model block by model block.
    pub units: UnitMap<FlatUnit>,
}

/// A unit whose tape is not known.
pub(super) struct FlatUnit {
    pub def: &'static BlockDef,
    pub settings: Arc<Settings>,
    /// For each input, the unit and the output connected to it.
    pub sources: Vec<Option<Source>>,
    /// Its block; for a hidden unit, its model block.
    pub origin: InstanceBlock,
    pub subsystem: Option<SubsystemId>,
    /// Whether the compiler or the linker added it.
    pub is_hidden: bool,
    /// Whether the time between its runs varies.
    pub is_intermittent: bool,
    /// Whether solvers of variable step may locate its crossings.
    pub is_located: bool,
}

/// A unit and the number of its output.
type Source = (UnitId, usize);

const INITIAL_VALUE: &str = Block::INITIAL_VALUE;

impl Flattened {
    /// Flattens with one iteration of each for-each model. The output that joins its results has the width that it has
    /// with all iterations.
    ///
    /// # Errors
    /// Where there are too many units, models are nested too deep, or the values that an instance gives to the variables
    /// of its model are not valid.
    pub fn outline(simulation: &Simulation, templates: &Templates) -> Result<Flattened, Vec<Diagnostic>> {
        Flattened::new(simulation, templates, &IterationCounts::new(), Joins::Outline)
    }

    /// Flattens with these numbers of iterations.
    ///
    /// # Errors
    /// As [`Flattened::outline`].
    pub fn complete(
        simulation: &Simulation,
        templates: &Templates,
        iterations: &IterationCounts,
    ) -> Result<Flattened, Vec<Diagnostic>> {
        Flattened::new(simulation, templates, iterations, Joins::Complete)
    }

    fn new(
        simulation: &Simulation,
        templates: &Templates,
        iterations: &IterationCounts,
        joins: Joins,
    ) -> Result<Flattened, Vec<Diagnostic>> {
        let instances = Instances::new(templates, iterations)?;
        let mut flattening = Flattening {
            simulation,
            templates,
            instances: &instances,
            joins,
            units: PrimaryMap::with_capacity(instances.unit_count),
            errors: Vec::new(),
        };
        for instance in 0..instances.symbols.instances.len() as u32 {
            flattening.add_blocks(instance);
        }
        instances.symbols.model_blocks.iter().for_each(|block| flattening.add_hidden(block));
        let Flattening { units, errors, .. } = flattening;
        if errors.is_empty() { Ok(Flattened { instances, units }) } else { Err(errors) }
    }

    /// Whether there are for-each models.
    pub fn has_for_each(&self) -> bool {
        self.instances.symbols.model_blocks.iter().any(|block| block.iterations.is_some())
    }

    /// For each unit, the units connected to its inputs.
    pub fn sources(&self) -> Graph<UnitId> {
        Graph::new(self.units.keys(), |unit, found| {
            found.extend(self.units[unit].sources.iter().flatten().map(|(source, _)| *source));
        })
    }

    /// The numbers of elements, other than 1, of the vectors that a for-each model block splits, in ascending order.
    pub fn split_widths(&self, block: &ModelBlock, kernels: &Kernels) -> Vec<u32> {
        let model = self.instances.symbols.model_inside(block);
        let width = |&input: &usize| {
            let kernel = kernels.kernel(block.split_unit(model, input)?)?;
            kernel.inputs.first().map(|width| *width as u32)
        };
        let mut widths: Vec<u32> = model.split_inputs.iter().filter_map(width).filter(|width| *width != 1).collect();
        widths.sort_unstable();
        widths.dedup();
        widths
    }

    /// The numbers of iterations of all for-each models, as the widths of an outline give them.
    pub fn iteration_counts(&self, kernels: &Kernels) -> IterationCounts {
        let symbols = &self.instances.symbols;
        let blocks = symbols.model_blocks.iter().filter(|block| block.iterations.is_some());
        let count = |block: &ModelBlock| self.split_widths(block, kernels).last().map_or(1, |width| (*width).max(1));
        blocks.map(|block| (symbols.indices_of(block.parent), count(block))).filter(|(_, count)| *count != 1).collect()
    }
}

/// How the outputs of a for-each model are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    /// From one iteration and the widths of the vectors that are split.
    Outline,
    Complete,
}

struct Flattening<'a> {
    simulation: &'a Simulation,
    templates: &'a Templates,
    instances: &'a Instances,
    joins: Joins,
    units: UnitMap<FlatUnit>,
    errors: Vec<Diagnostic>,
}

impl<'a> Flattening<'a> {
    fn template(&self, instance: u32) -> &'a ModelTemplate {
        &self.templates.models[self.instances.symbols.instances[instance as usize].model as usize]
    }

    fn template_inside(&self, block: &ModelBlock) -> &'a ModelTemplate {
        &self.templates.models[block.model as usize]
    }

    /// Adds the units of an instance.
    fn add_blocks(&mut self, number: u32) {
        let template = self.template(number);
        for ((symbol, block), index) in template.symbols.blocks.iter().zip(&template.blocks).zip(0..) {
            let (SymbolKind::Unit { def, .. }, Some(unit)) = (symbol.kind, &block.unit) else { continue };
            let mut settings = Arc::clone(&unit.settings);
            if unit.is_local && number > 0 {
                match self.settings_in_instance(number, def, symbol.id, &unit.settings) {
                    Ok(of_instance) => settings = Arc::new(of_instance),
                    Err(problem) => self.errors.push(*problem),
                }
            }
            let resolve = |&(index, output): &(usize, usize)| self.resolve(number, index, output);
            let sources = block.sources.iter().map(|source| source.as_ref().and_then(resolve)).collect();
            let flat = FlatUnit {
                def,
                settings,
                sources,
                origin: InstanceBlock { instance: number, block: index },
                subsystem: self.instances.symbols.instances[number as usize].subsystem,
                is_hidden: unit.is_hidden,
                is_intermittent: false,
                is_located: unit.is_located,
            };
            let mut flat = self.at_boundary(flat, unit);
            let subsystem = flat.subsystem.map(|subsystem| &self.instances.subsystems[subsystem]);
            flat.is_intermittent = subsystem.is_some_and(|subsystem| subsystem.is_intermittent);
            self.units.push(flat);
        }
    }

    /// Connects an entry or exit with the surroundings of the model block.
    fn at_boundary(&self, mut unit: FlatUnit, TemplateUnit { role, .. }: &TemplateUnit) -> FlatUnit {
        let symbols = &self.instances.symbols;
        let instance = &symbols.instances[unit.origin.instance as usize];
        let Some(block) = instance.model_block.map(|block| &symbols.model_blocks[block as usize]) else { return unit };
        match role {
            UnitRole::Input(input) | UnitRole::Control(input) => {
                if let UnitRole::Control(_) = role {
                    unit.subsystem = symbols.instances[block.parent.instance as usize].subsystem;
                }
                if let Some(source) = self.source_outside(block, *input) {
                    let split = block.split_unit(symbols.model_inside(block), *input);
                    unit.def = &boundary::ENTRY_OPEN;
                    unit.sources = vec![split.map_or(source, |split| Some((split, instance.iteration as usize)))];
                }
            }
            UnitRole::Iteration => {
                if let Some(element) = self.element_number(instance) {
                    unit.def = &boundary::ENTRY_STATIC;
                    let iteration = Setting::Number(vec![f64::from(element)]);
                    unit.settings = Arc::new(Settings::defaults(unit.def).with(INITIAL_VALUE, iteration));
                }
            }
            UnitRole::Output if block.subsystem.is_some() && block.iterations.is_none() => {
                unit.def = &boundary::EXIT_HELD;
            }
            UnitRole::Inside | UnitRole::Output => {}
        }
        unit
    }

    /// The number of the element for which an instance, or the one around it, runs; `None` if a loop within a step is
    /// nearer, or there is neither.
    fn element_number<'b>(&'b self, mut instance: &'b Instance) -> Option<u32> {
        loop {
            let block = &self.instances.symbols.model_blocks[instance.model_block? as usize];
            match block.iterations {
                _ if self.is_iterated(block) => return None,
                Some(_) => return Some(instance.iteration),
                None => instance = &self.instances.symbols.instances[block.parent.instance as usize],
            }
        }
    }

    /// The settings of a block with the values that its instance gives to the variables of the model.
    fn settings_in_instance(
        &self,
        instance: u32,
        def: &'static BlockDef,
        block: BlockId,
        of_model: &Settings,
    ) -> Result<Settings, Box<Diagnostic>> {
        let found = self.in_scope(instance, &|scope, model| Some(settings_of(def, model.block(block)?, scope)));
        let Some((settings, errors)) = found else { return Ok(of_model.clone()) };
        let model = &self.template(instance).symbols.model;
        let on_block = |problem: Diagnostic| Box::new(problem.on_block(model, block));
        if let Some(error) = errors.into_iter().next() {
            let help = "an instance of this model sets the variables to these values";
            return Err(on_block(Diagnostic::error("bad-option", error.to_string()).help(help)));
        }
        let names = |settings: &Settings| (def.inputs.names(settings), def.outputs.names(settings));
        if names(&settings) != names(of_model) {
            let message = "an instance of this model sets variables to values that give this block other ports";
            return Err(on_block(
                Diagnostic::error("bad-option", message)
                    .help("a block must have the same ports in all instances of its model"),
            ));
        }
        Ok(settings)
    }

    /// Calls `f` with the scope of an instance and its model.
    fn in_scope<T>(&self, instance: u32, f: &dyn Fn(&Scope, &Model) -> Option<T>) -> Option<T> {
        let model = self.simulation.model(&self.template(instance).symbols.model)?;
        let Some(parent) = self.instances.symbols.instances[instance as usize].parent else {
            return f(&Scope::of_model(self.simulation, model), model);
        };
        let id = self.instances.symbols.block(parent).id;
        self.in_scope(parent.instance, &|outside, above| {
            let block = above.block(id)?;
            f(&Scope::of_instance(self.simulation, model, ModelInstance { block, outside }), model)
        })
    }

    fn is_iterated(&self, block: &ModelBlock) -> bool {
        block.subsystem.is_some_and(|subsystem| self.instances.subsystems[subsystem].is_iterated)
    }

    /// Adds the hidden units of a model block.
    fn add_hidden(&mut self, block: &ModelBlock) {
        let around = self.instances.symbols.instances[block.parent.instance as usize].subsystem;
        if block.subsystem.is_some() {
            self.add_enable_unit(block, around);
        }
        if let Some(iterations) = block.iterations {
            let subsystem = block.subsystem.or(around);
            self.add_split_units(block, subsystem, iterations);
            self.add_join_units(block, subsystem, iterations);
        }
    }

    fn add_enable_unit(&mut self, block: &ModelBlock, subsystem: Option<SubsystemId>) {
        let template = self.template_inside(block);
        let Some(enable) = &template.enable else { return };
        let is_control = |input: &usize| {
            let mut units = enable.controls.iter().filter_map(|&index| template.blocks[index].unit.as_ref());
            units.any(|unit| unit.role == UnitRole::Control(*input))
        };
        let controls = enable.controls.iter().map(|&index| self.resolve(block.first_instance, index, 0));
        let others = (0..template.input_count()).filter(|input| !is_control(input));
        let waits: Vec<_> = others.filter_map(|input| self.source_outside(block, input)).collect();
        let settings = enable.settings.clone().with(hidden_blocks::WAITS, Setting::Integer(waits.len() as i64));
        let sources = controls.chain(waits).collect();
        // An iterated model around it runs in major steps only.
        let parent = |of: &SubsystemId| self.instances.subsystems[*of].parent;
        let mut around = std::iter::successors(subsystem, parent);
        let is_located = !around.any(|of| self.instances.subsystems[of].is_iterated);
        let unit = FlatUnit::hidden(block, subsystem, &hidden_blocks::GATE, settings, sources);
        self.units.push(FlatUnit { is_located, ..unit });
    }

    fn add_split_units(&mut self, block: &ModelBlock, subsystem: Option<SubsystemId>, iterations: u32) {
        for &input in &self.template_inside(block).symbols.split_inputs {
            let sources = vec![self.source_outside(block, input).flatten()];
            let settings = counted(&hidden_blocks::SPLIT, iterations as usize);
            self.units.push(FlatUnit::hidden(block, subsystem, &hidden_blocks::SPLIT, settings, sources));
        }
    }

    fn add_join_units(&mut self, block: &ModelBlock, subsystem: Option<SubsystemId>, iterations: u32) {
        let template = self.template_inside(block);
        for &exit in &template.symbols.exits {
            let (SymbolKind::Unit { number, .. }, TemplateBlock { unit: Some(unit), .. }) =
                (template.symbols.blocks[exit].kind, &template.blocks[exit])
            else {
                continue;
            };
            let result = |iteration: u32| {
                let instance: &Instance =
                    &self.instances.symbols.instances[(block.first_instance + iteration) as usize];
                Some((instance.first_unit + number, 0))
            };
            let mut sources: Vec<_> = (0..iterations).map(result).collect();
            let is_held = block.subsystem.is_some();
            let def = match (self.joins, is_held) {
                (Joins::Complete, false) => &hidden_blocks::JOIN,
                (Joins::Complete, true) => &hidden_blocks::JOIN_HELD,
                (Joins::Outline, false) => &hidden_blocks::JOIN_OUTLINE,
                (Joins::Outline, true) => &hidden_blocks::JOIN_HELD_OUTLINE,
            };
            if self.joins == Joins::Outline {
                let split = template.symbols.split_inputs.iter();
                sources.extend(split.map(|&input| self.source_outside(block, input).flatten()));
            }
            let mut settings = counted(def, sources.len());
            if is_held {
                let initial = unit.settings.numbers(INITIAL_VALUE).to_vec();
                settings = settings.with(INITIAL_VALUE, Setting::Number(initial));
            }
            self.units.push(FlatUnit::hidden(block, subsystem, def, settings, sources));
        }
    }

    /// The source of an input of a model block; the outer `None` if nothing is connected to it.
    fn source_outside(&self, block: &ModelBlock, input: usize) -> Option<Option<Source>> {
        let InstanceBlock { instance, block } = block.parent;
        let sources = &self.template(instance).blocks[block as usize].sources;
        let (from, output) = (*sources.get(input)?)?;
        Some(self.resolve(instance, from, output))
    }

    fn resolve(&self, instance: u32, index: usize, output: usize) -> Option<Source> {
        self.instances.symbols.resolve(instance, index, output)
    }
}

impl FlatUnit {
    /// Returns the properties that its tape may depend on besides its settings.
    pub fn build_context(&self, of_simulation: BuildContext) -> BuildContext {
        let locates = of_simulation.locates && self.is_located;
        let [is_intermittent, is_conditional, _] = self.flags();
        BuildContext { locates, is_intermittent, is_conditional, ..of_simulation }
    }

    /// The flags that its tape may depend on, besides the simulation and the settings: whether it is intermittent,
    /// conditional and located.
    pub fn flags(&self) -> [bool; 3] {
        [self.is_intermittent, self.subsystem.is_some(), self.is_located]
    }

    fn hidden(
        block: &ModelBlock,
        subsystem: Option<SubsystemId>,
        def: &'static BlockDef,
        settings: Settings,
        sources: Vec<Option<Source>>,
    ) -> FlatUnit {
        let (origin, settings) = (block.parent, Arc::new(settings));
        let (is_hidden, is_intermittent, is_located) = (true, false, true);
        FlatUnit { def, settings, sources, origin, subsystem, is_hidden, is_intermittent, is_located }
    }
}

/// The settings of a hidden unit with `count` ports.
fn counted(def: &BlockDef, count: usize) -> Settings {
    Settings::defaults(def).with(hidden_blocks::COUNT, Setting::Integer(count as i64))
}
