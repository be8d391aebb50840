//! Simulation → templates: each model is parsed once, into typed settings and connections by index, and is then
//! instantiated any number of times.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::block::{BlockDef, Registry, Setting, Settings, boundary, hidden_blocks};
use crate::engine::program::symbols::{BlockSymbol, ModelSymbols, SymbolKind};
use crate::model::{
    Block, BlockId, BlockKind, BlockPorts, CheckedBlock, CheckedBlocks, Connection, Flow, Model, ModelPorts, Repeat,
    RepeatKind, Scope, SharedPorts, Simulation, States, definition_of, is_hidden, is_reset_when_idle, linked_ports,
    locates_crossings, model_ports, nesting, seeds_of, settings_of,
};

/// The templates of all models of a simulation.
pub(super) struct Templates {
    /// Each after the models inside it.
    pub models: Vec<ModelTemplate>,
    /// The index of the root model.
    pub root: usize,
}

/// A model: its blocks in ascending id, remarks left out.
pub(super) struct ModelTemplate {
    /// Ids, ports and kinds of the blocks, which the program keeps.
    pub symbols: Arc<ModelSymbols>,
    /// Settings and connections of the blocks in the same order, which only the compiler needs.
    pub blocks: Vec<TemplateBlock>,
    /// Number of blocks that are not model blocks.
    pub unit_count: usize,
    /// The ports of its model blocks.
    ports: Arc<BlockPorts>,
    /// Set if its instances are conditional or iterated.
    pub enable: Option<TemplateEnable>,
}

pub(super) struct TemplateBlock {
    /// For each input of the tape, or of the model inside, the block index and the output connected to it.
    pub sources: Vec<Option<(usize, usize)>>,
    /// `None` for a model block.
    pub unit: Option<TemplateUnit>,
    /// The seeds that it adds to the keys of random numbers, its own and those inside it.
    pub seeds: Box<[u64]>,
}

pub(super) struct TemplateUnit {
    pub settings: Arc<Settings>,
    /// Whether the settings depend on variables of the model, to which each instance may give other values.
    pub is_local: bool,
    pub role: UnitRole,
    /// Whether the linker added it.
    pub is_hidden: bool,
    /// Whether solvers of variable step may locate its crossings.
    pub is_located: bool,
}

/// The role of a block in the instances of its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitRole {
    /// It concerns its model alone.
    Inside,
    /// The entry of this input.
    Input(usize),
    /// The entry of this input, by which the enable unit decides whether the model runs.
    Control(usize),
    /// The entry that gives the number of the iteration.
    Iteration,
    /// The exit of an output.
    Output,
}

/// When and how often instances of a conditional or iterated model run.
pub(super) struct TemplateEnable {
    /// The settings of the enable unit, [`hidden_blocks::GATE`]; the number of inputs that it waits for is 0.
    pub settings: Settings,
    /// The block indices of the control entries, in the order of the enable unit's inputs.
    pub controls: Vec<usize>,
    pub is_iterated: bool,
    /// The block index of the exit that must be above 0 for another run.
    pub condition: Option<usize>,
    /// Limit on runs in a step.
    pub limit: u64,
    /// Whether the states can be reset.
    pub can_reset: bool,
    /// For each output, whether it is reset to its initial value in a step without a run.
    pub idle_resets: Vec<bool>,
}

impl ModelTemplate {
    /// Number of inputs of its model blocks.
    pub fn input_count(&self) -> usize {
        self.ports.inputs.len()
    }
}

impl Templates {
    /// Parses all models. The simulation has no errors, and its names are replaced by wires; `blocks` holds the results
    /// of the check.
    pub fn parse(simulation: &Simulation, blocks: &HashMap<Arc<str>, CheckedBlocks>, registry: &Registry) -> Templates {
        let mut parser = Parser {
            simulation,
            registry,
            blocks,
            models: Vec::with_capacity(simulation.models.len()),
            indices: BTreeMap::new(),
            ports: SharedPorts::default(),
        };
        for name in nesting(simulation).order {
            if let Some(model) = simulation.model(&name) {
                let template = parser.model(model);
                parser.indices.insert(name, parser.models.len());
                parser.models.push(template);
            }
        }
        let root = parser.indices.get(&simulation.root).copied().unwrap_or(0);
        Templates { models: parser.models, root }
    }
}

struct Parser<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    blocks: &'a HashMap<Arc<str>, CheckedBlocks>,
    /// The templates so far, and their indices by model name.
    models: Vec<ModelTemplate>,
    indices: BTreeMap<Arc<str>, usize>,
    /// A program keeps the ports of every block.
    ports: SharedPorts,
}

impl Parser<'_> {
    fn model(&mut self, model: &Model) -> ModelTemplate {
        let (ports, flow) = (model_ports(model), Flow::of(model));
        let boundary = Boundary::new(&ports, &flow);
        let (mut symbols, mut units) = (Vec::with_capacity(model.blocks.len()), Vec::with_capacity(model.blocks.len()));
        let (mut unit_count, mut child_count) = (0, 0);
        for block in model.blocks.values() {
            let (kind, ports, unit) = if let BlockKind::Model { model: inside } = &block.kind {
                let Some(&inside) = self.indices.get(inside) else { continue };
                child_count += 1;
                let kind = SymbolKind::Child { number: child_count - 1, model: inside };
                (kind, Arc::clone(&self.models[inside].ports), None)
            } else {
                let Some((def, role)) = boundary.definition(block, self.registry) else { continue };
                unit_count += 1;
                let kind = SymbolKind::Unit { number: unit_count - 1, def };
                let (ports, unit) = self.unit(model, block, def, role);
                (kind, ports, Some(unit))
            };
            symbols.push(BlockSymbol { id: block.id, kind, ports });
            units.push((unit, seeds_of(block).unwrap_or_default().into_boxed_slice()));
        }
        let symbols = boundary.symbols(model, symbols);
        let sources = boundary.sources(model, &symbols);
        ModelTemplate {
            blocks: sources
                .into_iter()
                .zip(units)
                .map(|(sources, (unit, seeds))| TemplateBlock { sources, unit, seeds })
                .collect(),
            unit_count,
            enable: flow.is_atomic().then(|| TemplateEnable::new(model, &flow, &symbols)),
            symbols: Arc::new(symbols),
            ports: self.ports.share(BlockPorts {
                inputs: ports.inputs.into_iter().map(|(name, _)| name).collect(),
                outputs: ports.outputs.into_iter().map(|(name, _)| name).collect(),
            }),
        }
    }

    fn unit(
        &mut self,
        model: &Model,
        block: &Block,
        def: &'static BlockDef,
        role: UnitRole,
    ) -> (Arc<BlockPorts>, TemplateUnit) {
        let is_located = locates_crossings(block);
        let checked = self.blocks.get(&model.name).filter(|_| def.tag().is_none());
        if let Some(CheckedBlock { ports, settings: Some(settings), is_local }) =
            checked.and_then(|blocks| blocks.get(block.id))
        {
            let (settings, is_local, is_hidden) = (Arc::clone(settings), *is_local, is_hidden(block));
            return (Arc::clone(ports), TemplateUnit { settings, is_local, role, is_hidden, is_located });
        }
        let scope = Scope::of_model(self.simulation, model);
        let settings = settings_of(def, block, &scope).0;
        let exit = || BlockPorts { inputs: vec![BlockPorts::INPUT.into()], outputs: Vec::new() };
        let entry = || BlockPorts { inputs: Vec::new(), outputs: vec![BlockPorts::OUTPUT.into()] };
        let ports = match block.kind {
            BlockKind::Exit { .. } => self.ports.share(exit()),
            BlockKind::Entry { .. } => self.ports.share(entry()),
            _ => self.ports.share(linked_ports(def, &settings, model, block.id)),
        };
        let (settings, is_local, is_hidden) = (Arc::new(settings), scope.take_is_local(), is_hidden(block));
        (ports, TemplateUnit { settings, is_local, role, is_hidden, is_located })
    }
}

/// The entries and exits of a model.
struct Boundary<'a> {
    ports: &'a ModelPorts,
    flow: &'a Flow,
    controls: Vec<BlockId>,
    /// The input of each entry that has one.
    input_of: BTreeMap<BlockId, usize>,
    /// The exit of the same name for each entry that has one.
    exit_of: BTreeMap<BlockId, BlockId>,
}

impl<'a> Boundary<'a> {
    fn new(ports: &'a ModelPorts, flow: &'a Flow) -> Boundary<'a> {
        let inputs = ports.inputs.iter().enumerate();
        let pairs = ports.pairs.iter();
        Boundary {
            ports,
            flow,
            controls: flow.controls().collect(),
            input_of: inputs.flat_map(|(input, (_, ids))| ids.iter().map(move |id| (*id, input))).collect(),
            exit_of: pairs.flat_map(|(exit, ids)| ids.iter().map(|id| (*id, *exit))).collect(),
        }
    }

    /// The definition and the role of a block that is not a model block; `None` for a remark.
    fn definition(&self, block: &Block, registry: &Registry) -> Option<(&'static BlockDef, UnitRole)> {
        match &block.kind {
            BlockKind::Entry { .. } if self.flow.index.contains(&block.id) => {
                Some((&boundary::ENTRY_INDEX, UnitRole::Iteration))
            }
            BlockKind::Entry { .. } if self.exit_of.contains_key(&block.id) => {
                Some((&boundary::ENTRY_PAIRED, UnitRole::Inside))
            }
            BlockKind::Entry { .. } => {
                let role = match self.input_of.get(&block.id) {
                    Some(&input) if self.controls.contains(&block.id) => UnitRole::Control(input),
                    Some(&input) => UnitRole::Input(input),
                    None => UnitRole::Inside,
                };
                Some((&boundary::ENTRY_STATIC, role))
            }
            BlockKind::Exit { .. } => {
                let is_output = self.ports.outputs.iter().any(|(_, exit)| *exit == block.id);
                Some((&boundary::EXIT, if is_output { UnitRole::Output } else { UnitRole::Inside }))
            }
            BlockKind::Library { .. } => {
                let def = definition_of(registry, block).filter(|def| !def.is_remark())?;
                Some((def, UnitRole::Inside))
            }
            BlockKind::Model { .. } => None,
        }
    }

    fn symbols(&self, model: &Model, blocks: Vec<BlockSymbol>) -> ModelSymbols {
        let mut symbols = ModelSymbols {
            model: Arc::clone(&model.name),
            blocks,
            exits: Vec::new(),
            named_exits: Vec::new(),
            split_inputs: Vec::new(),
        };
        symbols.exits = self.ports.outputs.iter().filter_map(|(_, exit)| symbols.index_of(*exit)).collect();
        let mut exits: Vec<_> = model.exits().collect();
        exits.sort_by_key(|(block, _)| block.seq);
        let exits = exits.into_iter();
        symbols.named_exits =
            exits.filter_map(|(block, name)| Some((Arc::clone(name), symbols.index_of(block.id)?))).collect();
        let is_split = |(_, ids): &&(Arc<str>, Vec<BlockId>)| ids.iter().any(|id| self.flow.each.contains(id));
        let inputs = self.ports.inputs.iter().zip(0..).filter(|(input, _)| is_split(input));
        symbols.split_inputs = inputs.map(|(_, input)| input).collect();
        symbols
    }

    /// For each block the block index and the output connected to each of its inputs.
    fn sources(&self, model: &Model, symbols: &ModelSymbols) -> Vec<Vec<Option<(usize, usize)>>> {
        let mut sources = Vec::with_capacity(symbols.blocks.len());
        let mut blocks = symbols.blocks.iter().peekable();
        model.each_with_sources(|block, connections| {
            if let Some(symbol) = blocks.next_if(|symbol| symbol.id == block.id) {
                sources.push(self.sources_of(symbols, symbol, connections));
            }
        });
        sources
    }

    /// The block index and the output connected to each input of a block; its connections are sorted by input.
    fn sources_of(
        &self,
        symbols: &ModelSymbols,
        block: &BlockSymbol,
        connections: &[&Arc<Connection>],
    ) -> Vec<Option<(usize, usize)>> {
        if block.def().is_some_and(|def| std::ptr::eq(def, &boundary::ENTRY_PAIRED)) {
            let exit = self.exit_of.get(&block.id).and_then(|exit| symbols.index_of(*exit));
            return vec![exit.map(|exit| (exit, 0))];
        }
        let source = |input: &Arc<str>| {
            let index = connections.binary_search_by(|connection| connection.input.cmp(input)).ok()?;
            let connection = connections[index];
            let from = symbols.index_of(connection.from)?;
            let outputs = &symbols.blocks[from].ports.outputs;
            Some((from, outputs.iter().position(|name| *name == connection.output)?))
        };
        block.ports.inputs.iter().map(source).collect()
    }
}

impl TemplateEnable {
    /// Whether its instances do not run in every step.
    pub fn is_gated(&self) -> bool {
        [hidden_blocks::ENABLE, hidden_blocks::TRIGGER].iter().any(|control| self.settings.choice(control) != "none")
    }

    pub fn is_triggered(&self) -> bool {
        self.settings.choice(hidden_blocks::TRIGGER) != "none"
    }

    fn new(model: &Model, flow: &Flow, symbols: &ModelSymbols) -> TemplateEnable {
        let mut settings = Settings::defaults(&hidden_blocks::GATE);
        if let Some((_, states)) = flow.enable {
            settings =
                settings.with_choice(hidden_blocks::ENABLE, if states == States::Reset { "reset" } else { "hold" });
        }
        for (name, control) in [(hidden_blocks::TRIGGER, flow.trigger), (hidden_blocks::RESET, flow.reset)] {
            if let Some((_, edge)) = control {
                settings = settings.with_choice(name, edge.name());
            }
        }
        let mut condition = None;
        if let Some(Repeat { kind, states, .. }) = &flow.repeat {
            settings = settings.with(hidden_blocks::REPEAT_RESET, Setting::Flag(*states == States::Reset));
            match kind {
                RepeatKind::Times(_) => settings = settings.with_choice(hidden_blocks::REPEAT, "times"),
                RepeatKind::While { first, condition: exit } => {
                    condition = symbols.index_of(*exit);
                    if first.is_some() {
                        settings = settings.with_choice(hidden_blocks::REPEAT, "while");
                    }
                }
            }
        }
        let states = [flow.enable.map(|(_, states)| states), flow.repeat.as_ref().map(|repeat| repeat.states)];
        let exits = symbols.exits.iter().map(|&exit| model.block(symbols.blocks[exit].id));
        TemplateEnable {
            settings,
            controls: flow.controls().filter_map(|entry| symbols.index_of(entry)).collect(),
            is_iterated: flow.repeat.is_some(),
            condition,
            limit: flow.repeat.as_ref().map_or(1, |repeat| repeat.limit),
            can_reset: flow.reset.is_some() || states.contains(&Some(States::Reset)),
            idle_resets: exits.map(|exit| exit.is_some_and(|exit| is_reset_when_idle(exit))).collect(),
        }
    }
}
