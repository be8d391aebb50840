//! Fixes for diagnostics: what a button beside a problem changes.

use std::sync::Arc;

use super::{
    Block, BlockId, BlockKind, BlockPorts, Change, Connection, Diagnostic, Edit, InputKey, Model, PortRef, Position,
    Scope, Simulation, Variable, bad_name, block_ports, settings_of, unknown_name,
};
use crate::block::{BlockDef, ParamKind, Registry, SampleTime, SampleTimeError, gcd, library};

/// A fix of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Connects the input to one of the nearest outputs.
    Connect,
    /// Connects the input to a constant 0.
    ConnectZero,
    /// Moves the wire's end to a port that the block has.
    Reconnect,
    RemoveWire,
    /// Removes the unit that a wire declares.
    RemoveUnit,
    RemoveBlock,
    /// Selects another block of the library, or another model, with a similar name.
    Replace,
    CreateModel,
    CreateVariable,
    /// Sets a parameter to its default.
    Reset,
    /// Removes the value of a parameter that the block does not have.
    RemoveValue,
    /// Removes an attribute, which gives it its default.
    RemoveAttribute,
    RemoveRole,
    Rename,
    SelectRoot,
    SetStepLength,
    SetStepCount,
    InsertDelay,
    SolveLoops,
}

/// The step length of a fix, in seconds, where nothing else determines it; that of a new simulation.
const STEP_LENGTH: f64 = 0.01;
const STEP_COUNT: u64 = 1000;
/// The maximum number of alternatives that a fix offers.
const MAX_CHOICES: usize = 8;

impl Fix {
    /// Returns the fixes for a code, the most likely first. Whether there is a change for them is known from
    /// [`Fix::changes`] only.
    pub fn of_code(code: &str) -> &'static [Fix] {
        match code {
            "bad-attribute" | "unknown-solver" => &[Fix::RemoveAttribute],
            "bad-delta" => &[Fix::SetStepLength],
            "bad-number" => &[Fix::SetStepCount, Fix::SetStepLength, Fix::RemoveAttribute],
            "bad-name" | "duplicate-exit" | "duplicate-tag" | "paired-role" | "shared-file" => &[Fix::Rename],
            "bad-option" => &[Fix::CreateVariable, Fix::SetStepLength, Fix::Reset],
            "bad-variable" => &[Fix::CreateVariable],
            "dangling-connection" => &[Fix::RemoveWire],
            "declined" => &[Fix::RemoveAttribute],
            "duplicate-role" | "mixed-roles" | "no-while-exit" | "unknown-role" => &[Fix::RemoveRole],
            "endless-nesting" => &[Fix::RemoveBlock],
            "loop" => &[Fix::InsertDelay, Fix::SolveLoops],
            "missing-root" | "unknown-root" => &[Fix::SelectRoot],
            "mixed-units" => &[Fix::RemoveUnit],
            "unconnected-each" => &[Fix::Connect],
            "unconnected-input" => &[Fix::Connect, Fix::ConnectZero, Fix::RemoveBlock],
            "unknown-block" => &[Fix::Replace, Fix::RemoveBlock],
            "unknown-model" => &[Fix::Replace, Fix::CreateModel, Fix::RemoveBlock],
            "unknown-input" | "unknown-output" => &[Fix::Reconnect, Fix::RemoveWire],
            "unknown-option" => &[Fix::RemoveValue],
            "unknown-tag" => &[Fix::Rename, Fix::RemoveBlock],
            _ => &[],
        }
    }

    /// Whether a user chooses among several changes, even where only one is found.
    pub fn is_choice(self) -> bool {
        matches!(self, Fix::Connect | Fix::Replace | Fix::Reconnect | Fix::SelectRoot)
    }

    /// The text of the button; for a choice that of its menu.
    pub fn label(self) -> &'static str {
        match self {
            Fix::Connect => "Connect to",
            Fix::ConnectZero => "Connect 0",
            Fix::Reconnect => "Move wire to",
            Fix::RemoveWire => "Remove wire",
            Fix::RemoveUnit => "Remove unit of wire",
            Fix::RemoveBlock => "Remove block",
            Fix::Replace => "Replace by",
            Fix::CreateModel => "Create model",
            Fix::CreateVariable => "Create variable",
            Fix::Reset => "Reset",
            Fix::RemoveValue => "Remove value",
            Fix::RemoveAttribute => "Use default",
            Fix::RemoveRole => "Remove role",
            Fix::Rename => "Rename",
            Fix::SelectRoot => "Select root",
            Fix::SetStepLength => "Set step length",
            Fix::SetStepCount => "Set number of steps",
            Fix::InsertDelay => "Insert a unit delay",
            Fix::SolveLoops => "Solve loops",
        }
    }

    /// Returns the changes of which each mends the problem, the best first; empty if there is none, such as after
    /// another edit. Their labels say what they do.
    pub fn changes(self, simulation: &Simulation, registry: &Registry, found: &Diagnostic) -> Vec<Change> {
        let site = Site::new(simulation, registry, found);
        match self {
            Fix::Connect => site.connect(),
            Fix::Reconnect => site.reconnect(),
            Fix::Replace => site.replace(),
            Fix::SelectRoot => site.select_root(),
            _ => site.single(self).into_iter().collect(),
        }
    }
}

/// Returns the fixes of a problem that have a change, each with the text of its button.
pub fn fixes(simulation: &Simulation, registry: &Registry, found: &Diagnostic) -> Vec<(Fix, String)> {
    let site = Site::new(simulation, registry, found);
    let text = |fix: &Fix| {
        let label = fix.label().to_owned();
        match fix {
            // All outputs of the model are sorted by distance only for a user who asks.
            Fix::Connect => site.open_input().filter(|open| site.has_other_output(open)).map(|_| label),
            Fix::Reconnect => site.reconnect().first().map(|_| label),
            Fix::Replace => site.replace().first().map(|_| label),
            Fix::SelectRoot => site.select_root().first().map(|_| label),
            // Their buttons name what they create or set.
            Fix::CreateModel | Fix::CreateVariable | Fix::SetStepLength | Fix::SetStepCount => {
                site.single(*fix).map(|change| change.label)
            }
            _ => site.single(*fix).map(|_| label),
        }
    };
    Fix::of_code(found.code).iter().filter_map(|fix| Some((*fix, text(fix)?))).collect()
}

/// Returns the edits that put a unit delay at `position` into a wire to be.
pub fn delayed(model: &Model, connection: &Connection, position: Option<Position>) -> Vec<Edit> {
    let (def, input, output) = library::unit_delay();
    let mut block = Block::new(model.free_id(), BlockKind::library(def.group, def.name));
    if let Some(position) = position {
        block.set_position(position);
    }
    let into = Connection::new(connection.from, &connection.output, block.id, input);
    let behind = Connection::new(block.id, output, connection.to, &connection.input);
    let name = || Arc::clone(&model.name);
    vec![
        Edit::AddBlock { model: name(), block: Box::new(block) },
        Edit::Connect { model: name(), connection: Box::new(into) },
        Edit::Connect { model: name(), connection: Box::new(behind) },
    ]
}

/// Returns the change that connects a constant 0 at the left of an input, which is the `number`th of its block. The
/// new block gets the id `id`.
pub fn grounded(model: &Model, block: &Block, input: &Arc<str>, number: usize, id: BlockId) -> Change {
    let zero = library::zero();
    let mut ground = Block::new(id, BlockKind::library(zero.group, zero.name));
    if let Some(at) = block.position() {
        ground.set_position(Position { x: at.x - 80.0, y: at.y + 40.0 * number as f64 });
    }
    let wire = Connection::new(id, BlockPorts::OUTPUT, block.id, input);
    let name = || Arc::clone(&model.name);
    let edits = vec![
        Edit::AddBlock { model: name(), block: Box::new(ground) },
        Edit::Connect { model: name(), connection: Box::new(wire) },
    ];
    Change::new(format!("Connect 0 to {input} of {} {}", block.title(), block.id), edits)
}

/// The model, the block and the name of an input that is not connected.
type OpenInput<'a> = (&'a Arc<Model>, &'a Arc<Block>, &'a Arc<str>);

/// A problem and what it is about, as far as it is still there.
struct Site<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    found: &'a Diagnostic,
    model: Option<&'a Arc<Model>>,
    block: Option<&'a Arc<Block>>,
    /// The name of the option, variable or attribute.
    subject: Option<&'a str>,
}

impl<'a> Site<'a> {
    fn new(simulation: &'a Simulation, registry: &'a Registry, found: &'a Diagnostic) -> Site<'a> {
        let model = found.location.model.as_ref().and_then(|name| simulation.model(name));
        let block = model.zip(found.location.block).and_then(|(model, id)| model.block(id));
        Site { simulation, registry, found, model, block, subject: found.location.subject.as_deref() }
    }

    fn single(&self, fix: Fix) -> Option<Change> {
        match fix {
            Fix::ConnectZero => self.connect_zero(),
            Fix::RemoveWire => self.remove_wires(),
            Fix::RemoveUnit => self.remove_units(),
            Fix::RemoveBlock => self.remove_block(),
            Fix::CreateModel => self.create_model(),
            Fix::CreateVariable => self.create_variable(),
            Fix::Reset | Fix::RemoveValue => self.remove_option(fix),
            Fix::RemoveAttribute => self.remove_attribute(),
            Fix::RemoveRole => self.remove_role(),
            Fix::Rename => self.rename(),
            Fix::SetStepLength => self.set_step_length(),
            Fix::SetStepCount => (self.subject? == "steps")
                .then(|| Change::one(format!("Set number of steps to {STEP_COUNT}"), Edit::SetSteps(STEP_COUNT))),
            Fix::InsertDelay => self.insert_delay(),
            Fix::SolveLoops => self.solve_loops(),
            Fix::Connect | Fix::Reconnect | Fix::Replace | Fix::SelectRoot => None,
        }
    }

    fn open_input(&self) -> Option<OpenInput<'a>> {
        let (model, block) = (self.model?, self.block?);
        match &self.found.location.port {
            Some(PortRef::Input(input)) if model.source(block.id, input).is_none() => Some((model, block, input)),
            _ => None,
        }
    }

    /// Whether another block of the model has an output.
    fn has_other_output(&self, &(model, block, _): &OpenInput) -> bool {
        let mut others = model.blocks.values().filter(|other| other.id != block.id);
        others.any(|other| !block_ports(self.simulation, self.registry, model, other).outputs.is_empty())
    }

    fn connect(&self) -> Vec<Change> {
        let Some((model, block, input)) = self.open_input() else { return Vec::new() };
        let distance = |other: &Block| match (block.position(), other.position()) {
            (Some(to), Some(from)) => (to.x - from.x).hypot(to.y - from.y),
            _ => f64::INFINITY,
        };
        let mut nearest: Vec<_> = model.blocks.values().filter(|other| other.id != block.id).collect();
        nearest.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let outputs = nearest.into_iter().flat_map(|from| {
            let ports = block_ports(self.simulation, self.registry, model, from);
            ports.outputs.into_iter().map(move |output| (from, output))
        });
        let connect = |(from, output): (&Arc<Block>, Arc<str>)| {
            let wire = Connection::new(from.id, &output, block.id, input);
            let edit = Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(wire) };
            Change::one(format!("Connect {output} of {} {} to {input}", from.title(), from.id), edit)
        };
        outputs.take(MAX_CHOICES).map(connect).collect()
    }

    fn connect_zero(&self) -> Option<Change> {
        let (model, block, input) = self.open_input()?;
        let inputs = block_ports(self.simulation, self.registry, model, block).inputs;
        let number = inputs.iter().position(|known| known == input)?;
        Some(grounded(model, block, input, number, model.free_id()))
    }

    /// Returns the wires that the problem is about: those at the port, as far as their other end is not a port.
    fn wrong_wires(&self) -> Vec<&'a Arc<Connection>> {
        let (Some(model), Some(id)) = (self.model, self.found.location.block) else { return Vec::new() };
        match &self.found.location.port {
            Some(PortRef::Input(input)) => model.source(id, input).into_iter().collect(),
            Some(PortRef::Output(output)) => {
                let is_dangling = self.found.code == "dangling-connection";
                let wires = model.connections.values().filter(|wire| wire.from == id && wire.output == *output);
                wires.filter(|wire| !is_dangling || model.block(wire.to).is_none()).collect()
            }
            None => Vec::new(),
        }
    }

    fn remove_wires(&self) -> Option<Change> {
        let (model, wires) = (self.model?, self.wrong_wires());
        let label = match wires.len() {
            0 => return None,
            1 => "Remove wire".to_owned(),
            count => format!("Remove {count} wires"),
        };
        Some(Change::new(label, wires.into_iter().map(|wire| disconnect(model, &wire.key())).collect()))
    }

    /// Moves the end of the wires to another port: of an input one that is free.
    fn reconnect(&self) -> Vec<Change> {
        let (Some(model), Some(block)) = (self.model, self.block) else { return Vec::new() };
        let wires = self.wrong_wires();
        let ports = block_ports(self.simulation, self.registry, model, block);
        let moved = |wire: &Connection, port: &Arc<str>| {
            let mut moved = wire.clone();
            match &self.found.location.port {
                Some(PortRef::Input(_)) => moved.input = Arc::clone(port),
                _ => moved.output = Arc::clone(port),
            }
            moved
        };
        let (ports, is_input) = match (&self.found.location.port, wires.is_empty()) {
            (_, true) | (None, _) => return Vec::new(),
            (Some(PortRef::Input(_)), _) => (ports.inputs, true),
            (Some(PortRef::Output(_)), _) => (ports.outputs, false),
        };
        let free = ports.into_iter().filter(|port| !is_input || model.source(block.id, port).is_none());
        let change = |port: Arc<str>| {
            let connect = |wire: &&Arc<Connection>| {
                let connection = Box::new(moved(wire, &port));
                let name = Arc::clone(&model.name);
                [disconnect(model, &wire.key()), Edit::Connect { model: name, connection }]
            };
            let edits = wires.iter().flat_map(connect).collect();
            Change::new(format!("Move wire to {port} of {} {}", block.title(), block.id), edits)
        };
        free.take(MAX_CHOICES).map(change).collect()
    }

    fn remove_units(&self) -> Option<Change> {
        let (model, id) = (self.model?, self.found.location.block?);
        let wires = model.connections.values().filter(|wire| wire.to == id || wire.from == id);
        let declared = wires.filter(|wire| wire.attributes.get(Connection::UNIT).is_some());
        let edits: Vec<Edit> = declared
            .map(|wire| Edit::SetConnectionAttribute {
                model: Arc::clone(&model.name),
                to: wire.to,
                input: Arc::clone(&wire.input),
                name: Connection::UNIT.into(),
                value: None,
            })
            .collect();
        (!edits.is_empty()).then(|| Change::new("Remove unit of wire", edits))
    }

    fn remove_block(&self) -> Option<Change> {
        let (model, block) = (self.model?, self.block?);
        let edit = Edit::RemoveBlocks { model: Arc::clone(&model.name), ids: vec![block.id] };
        Some(Change::one(format!("Remove {} {}", block.title(), block.id), edit))
    }

    /// Selects another kind of block, with a similar name.
    fn replace(&self) -> Vec<Change> {
        let (Some(model), Some(block)) = (self.model, self.block) else { return Vec::new() };
        let replaced = |kind: BlockKind, name: String| {
            let mut new = Block::clone(block);
            new.kind = kind;
            let edit = Edit::ReplaceBlock { model: Arc::clone(&model.name), block: Box::new(new) };
            Change::one(format!("Replace {} {} by {name}", block.title(), block.id), edit)
        };
        match &block.kind {
            BlockKind::Library { name, .. } => {
                let defs = self.registry.iter().map(|def| (similarity(name, def.name), def));
                let similar = most_similar(defs);
                let kind = |def: &BlockDef| BlockKind::library(def.group, def.name);
                similar.into_iter().map(|def| replaced(kind(def), format!("{}/{}", def.group, def.name))).collect()
            }
            BlockKind::Model { model: wanted } => {
                // A model in itself, directly or further in, is refused when the change is applied.
                let names = self.simulation.models.keys().filter(|name| **name != model.name);
                let similar = most_similar(names.map(|name| (similarity(wanted, name), name)));
                similar.into_iter().map(|name| replaced(BlockKind::model(name), (**name).to_owned())).collect()
            }
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => Vec::new(),
        }
    }

    fn create_model(&self) -> Option<Change> {
        match &self.block?.kind {
            BlockKind::Model { model } if self.simulation.model(model).is_none() => {
                Some(Change::one(format!("Create model {model}"), Edit::AddModel { name: Arc::clone(model) }))
            }
            _ => None,
        }
    }

    fn create_variable(&self) -> Option<Change> {
        let scope = match self.model {
            Some(model) => Scope::of_model(self.simulation, model),
            None => Scope::of_simulation(self.simulation),
        };
        let texts: Vec<&str> = match self.block {
            Some(block) => block.option_texts(self.subject?)?,
            None => {
                let variables = self.model.map_or(&self.simulation.variables, |model| &model.variables);
                vec![&variables.get(self.subject?)?.value]
            }
        };
        let name: Arc<str> = unknown_name(&texts, &scope)?.into();
        let model = self.model.map(|model| Arc::clone(&model.name));
        let variable = Some(Variable::new("1"));
        Some(Change::one(format!("Create variable {name}"), Edit::SetVariable { model, name, variable }))
    }

    fn remove_option(&self, fix: Fix) -> Option<Change> {
        let (model, block, name) = (self.model?, self.block?, self.subject?);
        block.option(name)?;
        let (model, id) = (Arc::clone(&model.name), block.id);
        let edit = Edit::SetOption { model, id, name: name.into(), values: None };
        Some(Change::one(format!("{} {name} of {} {id}", fix.label(), block.title()), edit))
    }

    fn remove_attribute(&self) -> Option<Change> {
        let name = self.subject?;
        let label = format!("Use default of {name}");
        match (self.model, self.block) {
            (Some(model), Some(block)) => {
                block.attributes.get(name)?;
                let (model, id) = (Arc::clone(&model.name), block.id);
                Some(Change::one(label, Edit::SetBlockAttribute { model, id, name: name.into(), value: None }))
            }
            // They have edits of their own.
            _ if ["steps", "delta"].contains(&name) => None,
            _ => {
                self.simulation.attributes.get(name)?;
                Some(Change::one(label, Edit::SetSimulationAttribute { name: name.into(), value: None }))
            }
        }
    }

    fn remove_role(&self) -> Option<Change> {
        let (model, block) = (self.model?, self.block?);
        block.attributes.get("role")?;
        let (model, id) = (Arc::clone(&model.name), block.id);
        let edit = Edit::SetBlockAttribute { model, id, name: "role".into(), value: None };
        Some(Change::one(format!("Remove role of {} {id}", block.title()), edit))
    }

    fn rename(&self) -> Option<Change> {
        let model = self.model?;
        let name = || Arc::clone(&model.name);
        let Some(block) = self.block else {
            let to = self.simulation.free_model_name(&valid_name(&model.name));
            let edit = Edit::RenameModel { from: name(), to: to.as_str().into() };
            return Some(Change::one(format!("Rename model to {to}"), edit));
        };
        match &block.kind {
            BlockKind::Entry { name: old } | BlockKind::Exit { name: old } => {
                let to = model.free_port_name(&valid_name(old));
                let edit = Edit::RenamePort { model: name(), id: block.id, name: to.as_str().into() };
                Some(Change::one(format!("Rename {old} to {to}"), edit))
            }
            BlockKind::Library { .. } => self.rename_tag(model, block),
            BlockKind::Model { .. } => None,
        }
    }

    /// Renames a tag or a written file that two blocks have, or reads a tag that exists.
    fn rename_tag(&self, model: &Arc<Model>, block: &Block) -> Option<Change> {
        let BlockKind::Library { group, name } = &block.kind else { return None };
        let def = self.registry.get(group, name)?;
        let text_of = |block: &Block, param: &str| block.option_texts(param).map(|texts| texts.concat());
        let (param, to) = match def.tag() {
            Some((param, space, role)) => {
                let old = text_of(block, param).unwrap_or_default();
                let others = model.blocks.values().filter_map(|other| {
                    let BlockKind::Library { group, name } = &other.kind else { return None };
                    let (param, of, role) = self.registry.get(group, name)?.tag()?;
                    (of == space && role.is_origin() && other.id != block.id).then(|| text_of(other, param))?
                });
                let others: Vec<String> = others.collect();
                let to = match role {
                    role if role.is_origin() => free(&old, &others),
                    _ => most_similar(others.into_iter().map(|name| (similarity(&old, &name), name)))
                        .into_iter()
                        .next()?,
                };
                (param, to)
            }
            None => {
                let file = def.params.iter().find(|param| matches!(param.kind, ParamKind::File { .. }))?;
                let old = text_of(block, file.name)?;
                let others = model.blocks.values().filter(|other| other.id != block.id);
                let others: Vec<String> = others.filter_map(|other| text_of(other, file.name)).collect();
                let (stem, extension) = old.rsplit_once('.').map_or((&*old, ""), |(stem, extension)| (stem, extension));
                let names = (2..).map(|number: u64| match extension {
                    "" => format!("{stem} {number}"),
                    _ => format!("{stem} {number}.{extension}"),
                });
                (file.name, names.into_iter().find(|name| !others.contains(name))?)
            }
        };
        let id = block.id;
        let edit =
            Edit::SetOption { model: Arc::clone(&model.name), id, name: param.into(), values: Some(vec![to.clone()]) };
        Some(Change::one(format!("Set {param} of {} {id} to {to}", block.title()), edit))
    }

    fn select_root(&self) -> Vec<Change> {
        let wanted = &self.simulation.root;
        let is_used = |name: &str| self.simulation.instances_of(name).next().is_some();
        let mut models = self.simulation.models_in_order();
        let rank = |model: &Model| (is_used(&model.name), 1.0 - similarity(wanted, &model.name));
        models.sort_by(|a, b| {
            let ((a_used, a), (b_used, b)) = (rank(a), rank(b));
            a_used.cmp(&b_used).then(a.total_cmp(&b))
        });
        let select = |model: &Arc<Model>| {
            Change::one(format!("Select root {}", model.name), Edit::SetRoot(Arc::clone(&model.name)))
        };
        models.into_iter().take(MAX_CHOICES).map(select).collect()
    }

    fn set_step_length(&self) -> Option<Change> {
        let delta = match self.found.code {
            "bad-delta" => STEP_LENGTH,
            "bad-number" => (self.subject? == "delta").then_some(STEP_LENGTH)?,
            _ => self.common_step()?,
        };
        Some(Change::one(format!("Set step length to {delta} s"), Edit::SetDelta(delta)))
    }

    /// Returns the longest step of which both the present one and the block's sample time are multiples.
    fn common_step(&self) -> Option<f64> {
        let (model, block, delta) = (self.model?, self.block?, self.simulation.delta);
        let BlockKind::Library { group, name } = &block.kind else { return None };
        let def = self.registry.get(group, name).filter(|def| def.is_sampled())?;
        let settings = settings_of(def, block, &Scope::of_model(self.simulation, model)).0;
        let time = match def.sample(&settings, delta).err()? {
            SampleTimeError::NotAMultiple { time, .. } => time,
            SampleTimeError::OffsetNotAMultiple { offset, .. } => offset,
            SampleTimeError::LongOffset { .. } => return None,
        };
        // Times are decimals; below a picosecond they are not.
        let whole = |seconds: f64| {
            let parts = (seconds * 1e12).round();
            ((1.0..1e18).contains(&parts) && (seconds * 1e12 - parts).abs() < 1e-3).then_some(parts as u64)
        };
        let common = gcd(whole(time)?, whole(delta)?) as f64 / 1e12;
        // A much shorter step makes the simulation slower than the user expects.
        const MOST: f64 = 1000.0;
        let is_mended = || def.sample(&settings, common).is_ok() && SampleTime::of(delta, 0.0, common).is_ok();
        (delta / common <= MOST && is_mended()).then_some(common)
    }

    fn insert_delay(&self) -> Option<Change> {
        let model = self.model?;
        let keys = self.found.location.wires.iter();
        // The wire that leads back is the best place: the first block of the loop is the one that is named first.
        let wire = keys.filter_map(|key| model.connections.get(key)).next()?;
        let (from, to) = (model.block(wire.from)?, model.block(wire.to)?);
        let between = from
            .position()
            .zip(to.position())
            .map(|(from, to)| Position { x: (from.x + to.x) / 2.0, y: from.y.max(to.y) + 80.0 });
        let edits = std::iter::once(disconnect(model, &wire.key())).chain(delayed(model, wire, between)).collect();
        Some(Change::new(format!("Insert a unit delay in front of {} {}", to.title(), to.id), edits))
    }

    fn solve_loops(&self) -> Option<Change> {
        if self.simulation.solves_loops() {
            return None;
        }
        let edit = Edit::SetSimulationAttribute { name: "loops".into(), value: Some("solve".into()) };
        Some(Change::one("Solve loops", edit))
    }
}

fn disconnect(model: &Model, key: &InputKey) -> Edit {
    Edit::Disconnect { model: Arc::clone(&model.name), to: key.block, input: Arc::clone(&key.input) }
}

fn similarity(one: &str, other: &str) -> f64 {
    strsim::jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
}

/// Returns the most similar ones, the best first.
fn most_similar<T>(all: impl Iterator<Item = (f64, T)>) -> Vec<T> {
    /// Below it two names have little in common (by trial: “Gian” and “Gain” have 0.93, “Gain” and “Sine” 0.67).
    const LEAST: f64 = 0.75;
    let mut all: Vec<(f64, T)> = all.filter(|(similarity, _)| *similarity >= LEAST).collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.into_iter().take(MAX_CHOICES).map(|(_, one)| one).collect()
}

fn free(name: &str, taken: &[String]) -> String {
    super::simulation::free_name(name, |name| taken.iter().any(|taken| taken == name))
}

/// Returns a name without what no name may contain.
fn valid_name(name: &str) -> String {
    const LENGTH: usize = 100;
    if bad_name(name).is_none() {
        return name.to_owned();
    }
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LENGTH).collect();
    let line = line.trim();
    if line.is_empty() { "Unnamed".to_owned() } else { line.to_owned() }
}
