//! The template of a model, from which any number of instances is made: its blocks in order, and their connections by
//! index.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::block::{BlockDef, Registry, Setting, Settings, boundary, parts};
use crate::model::{
    Block, BlockId, BlockKind, BlockPorts, Flow, Model, Repeat, RepeatKind, Scope, Simulation, States, is_hidden,
    is_reset_when_idle, linked_ports, model_ports, settings_of,
};

/// A model's blocks in ascending id. Model blocks are children, all others units.
#[derive(Clone, Debug)]
pub(in crate::engine) struct ModelTemplate {
    pub model: Arc<str>,
    pub blocks: Vec<TemplateBlock>,
    pub unit_count: usize,
    pub child_count: usize,
    pub input_count: usize,
    /// For each output of the model block that uses this plan, the exit's place in `blocks`.
    pub exits: Vec<usize>,
    /// All exits by name, those that an entry matches too, in the order of the file.
    pub named_exits: Vec<(Arc<str>, usize)>,
    pub flow: TemplateFlow,
}

/// How instances of the template run.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct TemplateFlow {
    /// Set if instances are conditional or iterated.
    pub enable: Option<TemplateEnable>,
    /// The inputs that are split into lanes.
    pub each: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(in crate::engine) struct TemplateEnable {
    /// The settings of [`parts::GATE`]; the number of inputs that an instance waits for is 0.
    pub settings: Settings,
    /// The indices of the entries that decide, in the order of the enable unit's inputs.
    pub controls: Vec<usize>,
    pub is_iterated: bool,
    /// The index of the exit that decides on another iteration.
    pub condition: Option<usize>,
    /// Limit on runs in a step.
    pub limit: u64,
    /// Whether the states can be reset.
    pub can_reset: bool,
    /// For each output, whether it is reset to its initial value while the subsystem does not run.
    pub idle_resets: Vec<bool>,
}

#[derive(Clone, Debug)]
pub(in crate::engine) struct TemplateBlock {
    pub id: BlockId,
    pub kind: TemplateKind,
    pub ports: Arc<BlockPorts>,
    /// For each input the block and output that feed it; none once the program is laid out.
    pub sources: Vec<Option<(usize, usize)>>,
    /// Whether the compiler added it.
    pub is_hidden: bool,
}

#[derive(Clone, Debug)]
pub(in crate::engine) enum TemplateKind {
    /// The block's number among the model's units, and what it is. Where `is_local`, the settings are others where an
    /// instance of the model gives its variables other values. Once the program is laid out they are nobody's, but for
    /// blocks that write files.
    Unit { number: usize, def: &'static BlockDef, settings: Arc<Settings>, is_local: bool, role: BlockRole },
    /// The block's number among the model's children, and the plan it uses.
    Child { number: usize, template: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum BlockRole {
    Library,
    /// An entry that becomes this input of the model block.
    Entry(usize),
    /// The same of one that decides whether the model runs: it runs with what is around.
    Control(usize),
    /// An entry that gives the number of the run.
    Index,
    /// An exit that becomes an output of the model block.
    Exit,
    Inside,
}

/// Whether a block is a remark without effect on the run.
fn is_remark(registry: &Registry, block: &Block) -> bool {
    let BlockKind::Library { group, name } = &block.kind else { return false };
    registry.get(group, name).is_some_and(BlockDef::is_remark)
}

impl ModelTemplate {
    /// Plans a model whose inner models stand in `known` by name. The simulation was checked before.
    pub(in crate::engine) fn new(
        simulation: &Simulation,
        registry: &Registry,
        model: &Model,
        known: &BTreeMap<Arc<str>, usize>,
    ) -> ModelTemplate {
        let ports = model_ports(model);
        let planned: Vec<&Arc<Block>> = model.blocks.values().filter(|block| !is_remark(registry, block)).collect();
        let place: BTreeMap<BlockId, usize> = planned.iter().enumerate().map(|(at, block)| (block.id, at)).collect();
        let exit_of: BTreeMap<BlockId, BlockId> =
            ports.pairs.iter().flat_map(|(exit, entries)| entries.iter().map(|entry| (*entry, *exit))).collect();
        let numbered = ports.inputs.iter().enumerate();
        let input_of: BTreeMap<BlockId, usize> =
            numbered.flat_map(|(input, (_, ids))| ids.iter().map(move |id| (*id, input))).collect();
        let mut template = ModelTemplate {
            model: Arc::clone(&model.name),
            blocks: Vec::with_capacity(model.blocks.len()),
            unit_count: 0,
            child_count: 0,
            input_count: ports.inputs.len(),
            exits: ports.outputs.iter().filter_map(|(_, exit)| place.get(exit).copied()).collect(),
            named_exits: Vec::new(),
            flow: TemplateFlow::default(),
        };
        let flow = Flow::of(model);
        let controls: Vec<BlockId> = flow.controls().collect();
        let mut exits: Vec<_> = model.exits().collect();
        exits.sort_by_key(|(block, _)| block.seq);
        template.named_exits =
            exits.into_iter().filter_map(|(block, name)| Some((Arc::clone(name), *place.get(&block.id)?))).collect();
        for block in planned {
            let planned = match &block.kind {
                BlockKind::Entry { .. } if flow.index.contains(&block.id) => {
                    Some((&boundary::ENTRY_INDEX, BlockRole::Index, Vec::new()))
                }
                BlockKind::Entry { .. } => match (input_of.get(&block.id).copied(), exit_of.get(&block.id)) {
                    (_, Some(exit)) => {
                        let exit = place.get(exit).map(|&exit| (exit, 0));
                        Some((&boundary::ENTRY_PAIRED, BlockRole::Inside, vec![exit]))
                    }
                    (Some(input), None) => {
                        let role = if controls.contains(&block.id) {
                            BlockRole::Control(input)
                        } else {
                            BlockRole::Entry(input)
                        };
                        Some((&boundary::ENTRY_STATIC, role, Vec::new()))
                    }
                    (None, None) => Some((&boundary::ENTRY_STATIC, BlockRole::Inside, Vec::new())),
                },
                BlockKind::Exit { .. } => {
                    let is_port = ports.outputs.iter().any(|(_, exit)| *exit == block.id);
                    Some((&boundary::EXIT, if is_port { BlockRole::Exit } else { BlockRole::Inside }, Vec::new()))
                }
                BlockKind::Library { group, name } => {
                    registry.get(group, name).map(|def| (def, BlockRole::Library, Vec::new()))
                }
                BlockKind::Model { .. } => None,
            };
            let inner = match &block.kind {
                BlockKind::Model { model } => known.get(model).copied(),
                _ => None,
            };
            let (kind, ports, sources) = match (planned, inner) {
                (Some((def, role, sources)), _) => {
                    let scope = Scope::of_model(simulation, model);
                    let settings = Arc::new(settings_of(def, block, &scope).0);
                    let ports = match role {
                        BlockRole::Library => linked_ports(def, &settings, model, block.id),
                        _ => boundary_ports(block),
                    };
                    let kind = TemplateKind::Unit {
                        number: template.unit_count,
                        def,
                        settings,
                        is_local: scope.is_local(),
                        role,
                    };
                    template.unit_count += 1;
                    (kind, ports, sources)
                }
                (None, Some(inner)) => {
                    let kind = TemplateKind::Child { number: template.child_count, template: inner };
                    template.child_count += 1;
                    (kind, crate::model::block_ports(simulation, registry, model, block), Vec::new())
                }
                // Neither known to the library nor a model: the check refused the simulation before.
                (None, None) => continue,
            };
            let ports = Arc::new(ports);
            template.blocks.push(TemplateBlock { id: block.id, kind, ports, sources, is_hidden: is_hidden(block) });
        }
        template.connect(model);
        let is_each = |(_, ids): &&(Arc<str>, Vec<BlockId>)| ids.iter().any(|id| flow.each.contains(id));
        let inputs = ports.inputs.iter().zip(0..).filter(|(input, _)| is_each(input));
        template.flow.each = inputs.map(|(_, input)| input).collect();
        template.flow.enable = flow.is_atomic().then(|| template.enable(model, &flow));
        template
    }

    fn enable(&self, model: &Model, flow: &Flow) -> TemplateEnable {
        let mut settings = Settings::defaults(&parts::GATE);
        if let Some((_, states)) = flow.enable {
            settings = settings.with_choice(parts::ENABLE, if states == States::Reset { "reset" } else { "hold" });
        }
        for (name, control) in [(parts::TRIGGER, flow.trigger), (parts::RESET, flow.reset)] {
            if let Some((_, edge)) = control {
                settings = settings.with_choice(name, edge.name());
            }
        }
        let states = [flow.enable.map(|(_, states)| states), flow.repeat.as_ref().map(|repeat| repeat.states)];
        let mut condition = None;
        if let Some(Repeat { kind, states, .. }) = &flow.repeat {
            settings = settings.with(parts::REPEAT_RESET, Setting::Flag(*states == States::Reset));
            match kind {
                RepeatKind::Times(_) => settings = settings.with_choice(parts::REPEAT, "times"),
                RepeatKind::While { first, condition: exit } => {
                    condition = self.place(*exit);
                    if first.is_some() {
                        settings = settings.with_choice(parts::REPEAT, "while");
                    }
                }
            }
        }
        let exits = self.exits.iter().map(|&place| model.block(self.blocks[place].id));
        TemplateEnable {
            settings,
            controls: flow.controls().filter_map(|entry| self.place(entry)).collect(),
            is_iterated: flow.repeat.is_some(),
            condition,
            limit: flow.repeat.as_ref().map_or(1, |repeat| repeat.limit),
            can_reset: flow.reset.is_some() || states.contains(&Some(States::Reset)),
            idle_resets: exits.map(|exit| exit.is_some_and(|exit| is_reset_when_idle(exit))).collect(),
        }
    }

    fn connect(&mut self, model: &Model) {
        for at in 0..self.blocks.len() {
            let block = &self.blocks[at];
            if !block.sources.is_empty() {
                continue;
            }
            let sources = block.ports.inputs.iter().map(|input| {
                let connection = model.source(block.id, input)?;
                let from = self.place(connection.from)?;
                let source = &self.blocks[from];
                let output = source.ports.outputs.iter().position(|name| *name == connection.output)?;
                Some((from, output))
            });
            self.blocks[at].sources = sources.collect();
        }
    }

    /// The place of a block in `blocks`.
    pub(in crate::engine) fn place(&self, id: BlockId) -> Option<usize> {
        self.blocks.binary_search_by_key(&id, |block| block.id).ok()
    }

    pub(in crate::engine) fn block(&self, at: usize) -> &TemplateBlock {
        &self.blocks[at]
    }
}

impl TemplateBlock {
    /// The port's number: of an exit its input counts as output.
    pub(in crate::engine) fn output(&self, name: &str) -> Option<usize> {
        match &self.kind {
            TemplateKind::Unit { def, .. } if std::ptr::eq(*def, &boundary::EXIT) => {
                (name == BlockPorts::INPUT).then_some(0)
            }
            _ => self.ports.outputs.iter().position(|known| &**known == name),
        }
    }
}

/// Drops what is not needed after compilation; equal ports are shared.
pub(in crate::engine) fn discard_build_inputs(templates: &mut [ModelTemplate]) {
    let nobodys = Arc::new(Settings::defaults(&boundary::EXIT));
    let mut known: HashSet<Arc<BlockPorts>> = HashSet::new();
    for block in templates.iter_mut().flat_map(|template| &mut template.blocks) {
        block.sources = Vec::new();
        match known.get(&block.ports) {
            Some(ports) => block.ports = Arc::clone(ports),
            None => drop(known.insert(Arc::clone(&block.ports))),
        }
        // Which file a block writes is asked for when a run begins.
        if let TemplateKind::Unit { def, settings, .. } = &mut block.kind
            && def.written_file().is_none()
        {
            *settings = Arc::clone(&nobodys);
        }
    }
}

fn boundary_ports(block: &Block) -> BlockPorts {
    match block.kind {
        BlockKind::Exit { .. } => BlockPorts { inputs: vec![BlockPorts::INPUT.into()], outputs: Vec::new() },
        _ => BlockPorts { inputs: Vec::new(), outputs: vec![BlockPorts::OUTPUT.into()] },
    }
}
