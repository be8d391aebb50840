//! The edits of a simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::loop_text;
use super::follow::follow;
use super::loops::{loop_through, new_loop};
use super::nesting::would_nest;
use super::port_names;
use super::relocation::Relocation;
use super::seeds::with_free_seeds;
use super::text::{self, bad_name, bad_text};
use super::{
    Block, BlockId, BlockKind, Connection, Model, PortRef, Position, Simulation, Variable, Variant, choose_variants,
    has_port, name_problem,
};
use crate::block::Registry;

/// The edits of one user action: applied all or none, and undone in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The user action as shown in the Undo menu: `Move 3 blocks`.
    pub label: String,
    pub kind: ChangeKind,
    pub edits: Vec<Edit>,
}

/// The kind of a change, for code that depends on it; the label is only for display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeKind {
    #[default]
    Edit,
    /// A single block is added to the diagram, with a free seed.
    InsertBlock,
    /// Copies of blocks are added to the diagram, with free seeds.
    Paste,
    /// Blocks are grouped or a subsystem is expanded: no result changes.
    Regroup,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    SetSteps(u64),
    /// The step length in seconds.
    SetDelta(f64),
    SetRoot(Arc<str>),
    /// Sets an attribute of the simulation's tag, or removes it.
    SetSimulationAttribute {
        name: Arc<str>,
        value: Option<Arc<str>>,
    },
    /// Sets or removes a variable of a model, or of the simulation if no model is given.
    SetVariable {
        model: Option<Arc<str>>,
        name: Arc<str>,
        variable: Option<Variable>,
    },
    /// Sets an attribute of a variable (its unit, a limit: see [`super::Mask`]), or removes it.
    SetVariableAttribute {
        model: Option<Arc<str>>,
        name: Arc<str>,
        attribute: Arc<str>,
        value: Option<Arc<str>>,
    },
    AddModel {
        name: Arc<str>,
    },
    /// Sets an attribute of a model's tag, or removes it.
    SetModelAttribute {
        model: Arc<str>,
        name: Arc<str>,
        value: Option<Arc<str>>,
    },
    /// Adds a complete model, as [`super::copy_model`] creates it.
    InsertModel {
        model: Box<Model>,
    },
    /// Replaces the content of the model with the same name: blocks, connections, variables and attributes. Its instances
    /// stay, and so do their connections, also to ports that it does not have any more.
    ReplaceModel {
        model: Box<Model>,
    },
    /// Removes a model; refused for the root and for a model that has instances.
    RemoveModel {
        name: Arc<str>,
    },
    /// Renames a model in all its instances too.
    RenameModel {
        from: Arc<str>,
        to: Arc<str>,
    },
    AddBlock {
        model: Arc<str>,
        block: Box<Block>,
    },
    /// Removes blocks and their connections.
    RemoveBlocks {
        model: Arc<str>,
        ids: Vec<BlockId>,
    },
    /// Replaces the block with the same id. Connections stay unchanged: other edits of the change must remove or move
    /// those to ports that the new block does not have.
    ReplaceBlock {
        model: Arc<str>,
        block: Box<Block>,
    },
    /// Connects an input and replaces its connection; refused if that closes an algebraic loop.
    Connect {
        model: Arc<str>,
        connection: Box<Connection>,
    },
    Disconnect {
        model: Arc<str>,
        to: BlockId,
        input: Arc<str>,
    },
    Move {
        model: Arc<str>,
        moves: Vec<(BlockId, Position)>,
    },
    /// Sets an option's values, or removes the option.
    SetOption {
        model: Arc<str>,
        id: BlockId,
        name: Arc<str>,
        values: Option<Vec<String>>,
    },
    SetBlockAttribute {
        model: Arc<str>,
        id: BlockId,
        name: Arc<str>,
        value: Option<Arc<str>>,
    },
    SetConnectionAttribute {
        model: Arc<str>,
        to: BlockId,
        input: Arc<str>,
        name: Arc<str>,
        value: Option<Arc<str>>,
    },
    /// Renames an entry or exit, and the port in the connections of the model's instances.
    RenamePort {
        model: Arc<str>,
        id: BlockId,
        name: Arc<str>,
    },
    /// Changes no block: it states where other edits of the change have moved blocks and signals, so that the addresses
    /// of plots and widgets follow them.
    Relocate(Box<Relocation>),
}

/// Why a change was refused. No edit of it was applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    #[error("there is no model “{0}”")]
    UnknownModel(Arc<str>),
    #[error("there is no block {1} in “{0}”")]
    UnknownBlock(Arc<str>, BlockId),
    #[error("there is no variable “{0}”")]
    UnknownVariable(Arc<str>),
    #[error("the block {block} has no {side} “{port}”")]
    UnknownPort { block: BlockId, side: &'static str, port: Arc<str> },
    #[error("the input “{input}” of {block} is not connected")]
    NotConnected { block: BlockId, input: Arc<str> },
    #[error("the id {0} is already in use")]
    IdTaken(BlockId),
    #[error("the name “{0}” is already in use")]
    NameTaken(Arc<str>),
    #[error("a name is missing")]
    NoName,
    #[error("{0}")]
    BadName(String),
    #[error("delta must be a finite number of seconds above 0")]
    BadDelta,
    #[error("“{0}” is the root model")]
    IsRoot(Arc<str>),
    #[error("“{model}” is used in “{user}”")]
    InUse { model: Arc<str>, user: Arc<str> },
    #[error("“{0}” would be nested in itself")]
    EndlessNesting(Arc<str>),
    #[error("this would close an algebraic loop: {0}")]
    AlgebraicLoop(String),
}

impl Change {
    pub fn new(label: impl Into<String>, edits: Vec<Edit>) -> Change {
        Change { label: label.into(), kind: ChangeKind::Edit, edits }
    }

    /// Returns the change with this kind.
    pub fn of_kind(self, kind: ChangeKind) -> Change {
        Change { kind, ..self }
    }

    pub fn one(label: impl Into<String>, edit: Edit) -> Change {
        Change::new(label, vec![edit])
    }

    /// Returns the simulation with all edits applied.
    ///
    /// # Errors
    /// The error of the first edit that is refused, or the algebraic loop that the new connections close.
    pub fn applied(&self, simulation: &Simulation, registry: &Registry) -> Result<Simulation, EditError> {
        Ok(self.applied_with_moves(simulation, registry)?.0)
    }

    /// Returns the simulation with all edits applied, for further edits of the same change: the whole change is checked
    /// for algebraic loops when it is applied.
    ///
    /// # Errors
    /// The error of the first edit that is refused.
    pub fn drafted(&self, simulation: &Simulation, registry: &Registry) -> Result<Simulation, EditError> {
        let mut changed = simulation.clone();
        self.edits.iter().try_for_each(|edit| edit.apply(&mut changed, registry))?;
        Ok(changed)
    }

    /// Returns the simulation with all edits applied, and what they move.
    ///
    /// # Errors
    /// Those of [`Change::applied`].
    pub(super) fn applied_with_moves(
        &self,
        simulation: &Simulation,
        registry: &Registry,
    ) -> Result<(Simulation, Vec<Relocation>), EditError> {
        let mut changed = simulation.clone();
        let seeded = match self.kind {
            ChangeKind::InsertBlock | ChangeKind::Paste => with_free_seeds(simulation, registry, &self.edits),
            ChangeKind::Edit | ChangeKind::Regroup => None,
        };
        for edit in seeded.as_ref().unwrap_or(&self.edits) {
            edit.apply(&mut changed, registry)?;
        }
        if self.edits.iter().any(may_choose_variant) {
            choose_variants(&mut changed);
        }
        let moves = follow(&self.edits, simulation, &mut changed, registry);
        refuse_loops(simulation, &changed, registry, &self.edits)?;
        Ok((changed, moves))
    }
}

impl Edit {
    /// Applies the edit, without the check of [`refuse_loops`]. After an error the simulation may be partly changed:
    /// apply to a copy.
    fn apply(&self, simulation: &mut Simulation, registry: &Registry) -> Result<(), EditError> {
        self.bad_text().map_or(Ok(()), |problem| Err(EditError::BadName(problem)))?;
        match self {
            Edit::SetSteps(steps) => {
                simulation.steps = *steps;
                simulation.attributes.remove("steps");
            }
            Edit::SetDelta(delta) => {
                if !(delta.is_finite() && *delta > 0.0) {
                    return Err(EditError::BadDelta);
                }
                simulation.delta = *delta;
                simulation.attributes.remove("delta");
            }
            Edit::SetRoot(name) => {
                known_model(simulation, name)?;
                simulation.root = Arc::clone(name);
            }
            Edit::SetSimulationAttribute { name, value } => simulation.attributes.put(name, value.as_deref()),
            Edit::SetVariable { model, name, variable } => {
                set_variable(simulation, model.as_ref(), name, variable.as_ref())?;
            }
            Edit::SetVariableAttribute { model, name, attribute, value } => {
                let variables = match model {
                    Some(model) => &mut model_mut(simulation, model)?.variables,
                    None => &mut simulation.variables,
                };
                let variable = variables.get_mut(name).ok_or_else(|| EditError::UnknownVariable(Arc::clone(name)))?;
                Arc::make_mut(variable).attributes.put(attribute, value.as_deref());
            }
            Edit::SetModelAttribute { model, name, value } => {
                model_mut(simulation, model)?.attributes.put(name, value.as_deref());
            }
            Edit::InsertModel { model } => insert_model(simulation, model)?,
            Edit::ReplaceModel { model } => {
                let seq = known_model(simulation, &model.name)?.seq;
                let known = model_mut(simulation, &model.name)?;
                known.clone_from(model);
                known.seq = seq;
                refuse_inner_nesting(simulation, model)?;
            }
            Edit::AddModel { name } => {
                check_model_name(simulation, name)?;
                simulation.add_model(Model::new(name));
            }
            Edit::RemoveModel { name } => remove_model(simulation, name)?,
            Edit::RenameModel { from, to } => rename_model(simulation, from, to)?,
            Edit::AddBlock { model, block } => add_block(simulation, model, block)?,
            Edit::RemoveBlocks { model, ids } => remove_blocks(simulation, model, ids)?,
            Edit::ReplaceBlock { model, block } => replace_block(simulation, model, block)?,
            Edit::Connect { model, connection } => connect(simulation, registry, model, connection)?,
            Edit::Disconnect { model, to, input } => {
                let key = super::InputKey { block: *to, input: Arc::clone(input) };
                let gone = model_mut(simulation, model)?.connections.remove(&key);
                gone.ok_or_else(|| EditError::NotConnected { block: *to, input: Arc::clone(input) })?;
            }
            Edit::Move { model, moves } => {
                let found = model_mut(simulation, model)?;
                for (id, position) in moves {
                    let block = found.block_mut(*id).ok_or_else(|| EditError::UnknownBlock(Arc::clone(model), *id))?;
                    block.set_position(*position);
                }
            }
            Edit::SetOption { model, id, name, values } => {
                block_mut(simulation, model, *id)?.set_option(name, values.as_deref());
            }
            Edit::SetBlockAttribute { model, id, name, value } => {
                let block = block_mut(simulation, model, *id)?;
                block.set_view(name, value.as_deref());
                if **name == *Variant::ATTRIBUTE {
                    let block = block.clone();
                    refuse_nesting(simulation, model, &block)?;
                }
            }
            Edit::SetConnectionAttribute { model, to, input, name, value } => {
                let key = super::InputKey { block: *to, input: Arc::clone(input) };
                let connection = model_mut(simulation, model)?.connections.get_mut(&key);
                let connection =
                    connection.ok_or_else(|| EditError::NotConnected { block: *to, input: Arc::clone(input) })?;
                Arc::make_mut(connection).attributes.put(name, value.as_deref());
            }
            Edit::RenamePort { model, id, name } => port_names::rename_port(simulation, model, *id, name)?,
            Edit::Relocate(_) => {}
        }
        Ok(())
    }
}

impl Edit {
    /// Returns the first text that no file can store, or the first invalid name.
    fn bad_text(&self) -> Option<String> {
        let attribute = |name: &str, value: &Option<Arc<str>>| {
            let name = bad_name(name).or_else(|| text::bad_attribute_name(name));
            name.or_else(|| value.as_ref().and_then(|value| bad_text(value)))
        };
        match self {
            Edit::AddModel { name } | Edit::RenameModel { to: name, .. } | Edit::RenamePort { name, .. } => {
                bad_name(name)
            }
            Edit::InsertModel { model } | Edit::ReplaceModel { model } => {
                let blocks = || model.blocks.values().find_map(|block| text::bad_block_name(block));
                bad_name(&model.name).or_else(blocks).or_else(|| text::in_model(model))
            }
            Edit::AddBlock { block, .. } | Edit::ReplaceBlock { block, .. } => {
                text::bad_block_name(block).or_else(|| text::in_block(block))
            }
            Edit::Connect { connection, .. } => text::in_connection(connection),
            Edit::SetOption { name, values, .. } => {
                bad_name(name).or_else(|| values.iter().flatten().find_map(|value| bad_text(value)))
            }
            Edit::SetVariable { variable, .. } => {
                let variable = variable.as_ref()?;
                bad_text(&variable.value).or_else(|| text::in_attributes(&variable.attributes))
            }
            Edit::SetSimulationAttribute { name, value }
            | Edit::SetModelAttribute { name, value, .. }
            | Edit::SetBlockAttribute { name, value, .. }
            | Edit::SetConnectionAttribute { name, value, .. }
            | Edit::SetVariableAttribute { attribute: name, value, .. } => attribute(name, value),
            Edit::SetSteps(_)
            | Edit::SetDelta(_)
            | Edit::SetRoot(_)
            | Edit::RemoveModel { .. }
            | Edit::RemoveBlocks { .. }
            | Edit::Disconnect { .. }
            | Edit::Move { .. }
            | Edit::Relocate(_) => None,
        }
    }
}

pub(super) fn known_model<'a>(simulation: &'a Simulation, name: &Arc<str>) -> Result<&'a Arc<Model>, EditError> {
    simulation.model(name).ok_or_else(|| EditError::UnknownModel(Arc::clone(name)))
}

pub(super) fn model_mut<'a>(simulation: &'a mut Simulation, name: &Arc<str>) -> Result<&'a mut Model, EditError> {
    simulation.model_mut(name).ok_or_else(|| EditError::UnknownModel(Arc::clone(name)))
}

pub(super) fn block_mut<'a>(
    simulation: &'a mut Simulation,
    model: &Arc<str>,
    id: BlockId,
) -> Result<&'a mut Block, EditError> {
    model_mut(simulation, model)?.block_mut(id).ok_or_else(|| EditError::UnknownBlock(Arc::clone(model), id))
}

fn check_model_name(simulation: &Simulation, name: &Arc<str>) -> Result<(), EditError> {
    match (name.is_empty(), simulation.model(name)) {
        (true, _) => Err(EditError::NoName),
        (_, Some(_)) => Err(EditError::NameTaken(Arc::clone(name))),
        (false, None) => Ok(()),
    }
}

fn insert_model(simulation: &mut Simulation, model: &Model) -> Result<(), EditError> {
    check_model_name(simulation, &model.name)?;
    simulation.add_model(model.clone());
    refuse_inner_nesting(simulation, model)
}

/// Refuses a model that contains itself.
fn refuse_inner_nesting(simulation: &Simulation, model: &Model) -> Result<(), EditError> {
    let mut inner = model.blocks.values().flat_map(|block| block.models());
    if inner.any(|inner| would_nest(simulation, &inner, &model.name)) {
        return Err(EditError::EndlessNesting(Arc::clone(&model.name)));
    }
    Ok(())
}

fn set_variable(
    simulation: &mut Simulation,
    model: Option<&Arc<str>>,
    name: &Arc<str>,
    variable: Option<&Variable>,
) -> Result<(), EditError> {
    if let (Some(_), Some(problem)) = (variable, name_problem(name)) {
        return Err(EditError::BadName(problem));
    }
    match (model, variable) {
        (None, Some(variable)) => simulation.set_variable(name, variable.clone()),
        (None, None) => drop(simulation.variables.remove(name)),
        (Some(model), Some(variable)) => model_mut(simulation, model)?.set_variable(name, variable.clone()),
        (Some(model), None) => drop(model_mut(simulation, model)?.variables.remove(name)),
    }
    Ok(())
}

fn remove_model(simulation: &mut Simulation, name: &Arc<str>) -> Result<(), EditError> {
    known_model(simulation, name)?;
    if simulation.root == *name {
        return Err(EditError::IsRoot(Arc::clone(name)));
    }
    if let Some((user, _)) = simulation.users_of(name).find(|(user, _)| user.name != *name) {
        return Err(EditError::InUse { model: Arc::clone(name), user: Arc::clone(&user.name) });
    }
    simulation.models.remove(name);
    Ok(())
}

fn rename_model(simulation: &mut Simulation, from: &Arc<str>, to: &Arc<str>) -> Result<(), EditError> {
    if from == to {
        return Ok(());
    }
    known_model(simulation, from)?;
    check_model_name(simulation, to)?;
    // A block may refer to a missing model of the new name.
    if would_nest(simulation, from, to) {
        return Err(EditError::EndlessNesting(Arc::clone(to)));
    }
    if let Some(mut model) = simulation.models.remove(from) {
        Arc::make_mut(&mut model).name = Arc::clone(to);
        simulation.models.insert(Arc::clone(to), model);
    }
    if simulation.root == *from {
        simulation.root = Arc::clone(to);
    }
    let users: Vec<_> = simulation.users_of(from).map(|(model, id)| (Arc::clone(&model.name), id)).collect();
    for (model, id) in users {
        let renamed = |model: &str| (*model == **from).then(|| Arc::clone(to));
        block_mut(simulation, &model, id)?.rename_models(renamed);
    }
    Ok(())
}

fn remove_blocks(simulation: &mut Simulation, model: &Arc<str>, ids: &[BlockId]) -> Result<(), EditError> {
    let known = known_model(simulation, model)?;
    if let Some(unknown) = ids.iter().find(|id| known.block(**id).is_none()) {
        return Err(EditError::UnknownBlock(Arc::clone(model), *unknown));
    }
    model_mut(simulation, model)?.remove_blocks(&ids.iter().copied().collect());
    Ok(())
}

fn replace_block(simulation: &mut Simulation, model: &Arc<str>, block: &Block) -> Result<(), EditError> {
    let known = known_model(simulation, model)?;
    let Some(old) = known.block(block.id) else { return Err(EditError::UnknownBlock(Arc::clone(model), block.id)) };
    if old.kind != block.kind || old.models() != block.models() {
        check_kind(simulation, model, block)?;
    }
    let target = block_mut(simulation, model, block.id)?;
    let seq = target.seq;
    *target = block.clone();
    target.seq = seq;
    Ok(())
}

fn add_block(simulation: &mut Simulation, model: &Arc<str>, block: &Block) -> Result<(), EditError> {
    check_kind(simulation, model, block)?;
    match model_mut(simulation, model)?.add_block(block.clone()) {
        true => Ok(()),
        false => Err(EditError::IdTaken(block.id)),
    }
}

/// Whether a block of this kind may be added to a model.
fn check_kind(simulation: &Simulation, model: &Arc<str>, block: &Block) -> Result<(), EditError> {
    match &block.kind {
        BlockKind::Entry { name } | BlockKind::Exit { name } if name.is_empty() => Err(EditError::NoName),
        BlockKind::Exit { name } if known_model(simulation, model)?.exits().any(|(_, known)| known == name) => {
            Err(EditError::NameTaken(Arc::clone(name)))
        }
        BlockKind::Model { .. } => refuse_nesting(simulation, model, block),
        BlockKind::Library { .. } | BlockKind::Entry { .. } | BlockKind::Exit { .. } => Ok(()),
    }
}

/// Refuses a model block that may be an instance of a model that contains `outer`.
fn refuse_nesting(simulation: &Simulation, outer: &Arc<str>, block: &Block) -> Result<(), EditError> {
    let nested = block.models().into_iter().find(|inner| would_nest(simulation, inner, outer));
    nested.map_or(Ok(()), |inner| Err(EditError::EndlessNesting(inner)))
}

fn connect(
    simulation: &mut Simulation,
    registry: &Registry,
    name: &Arc<str>,
    connection: &Connection,
) -> Result<(), EditError> {
    let model = known_model(simulation, name)?;
    for (id, side, port) in
        [(connection.from, "output", &connection.output), (connection.to, "input", &connection.input)]
    {
        let block = model.block(id).ok_or_else(|| EditError::UnknownBlock(Arc::clone(name), id))?;
        let port_ref = match side {
            "output" => PortRef::Output(Arc::clone(port)),
            _ => PortRef::Input(Arc::clone(port)),
        };
        if !has_port(simulation, registry, model, block, &port_ref) && is_known(simulation, registry, block) {
            return Err(EditError::UnknownPort { block: id, side, port: Arc::clone(port) });
        }
    }
    model_mut(simulation, name)?.connect(connection.clone());
    Ok(())
}

/// Refuses a change whose new connections close an algebraic loop, in their model or in one that contains it.
fn refuse_loops(before: &Simulation, after: &Simulation, registry: &Registry, edits: &[Edit]) -> Result<(), EditError> {
    if after.solves_loops() {
        return Ok(());
    }
    let mut connected: BTreeMap<&Arc<str>, Vec<&Connection>> = BTreeMap::new();
    for edit in edits {
        if let Edit::Connect { model, connection } = edit {
            connected.entry(model).or_default().push(connection);
        }
    }
    for (name, connections) in &connected {
        let Some(model) = after.model(name) else { continue };
        if let Some(hops) = loop_through(after, registry, name, connections) {
            return Err(EditError::AlgebraicLoop(loop_text(model, &hops)));
        }
    }
    if connected.keys().any(|name| after.instances_of(name).next().is_some())
        && let Some((name, hops)) = new_loop(before, after, registry)
        && let Some(outer) = after.model(&name)
    {
        return Err(EditError::AlgebraicLoop(format!("in “{name}”: {}", loop_text(outer, &hops))));
    }
    Ok(())
}

/// Whether another variant of a model block may be chosen after an edit. It need not be looked for after most edits of a
/// diagram, which a large model would notice.
fn may_choose_variant(edit: &Edit) -> bool {
    match edit {
        Edit::AddBlock { block, .. } | Edit::ReplaceBlock { block, .. } => {
            block.attributes.get(Variant::ATTRIBUTE).is_some()
        }
        Edit::SetBlockAttribute { name, .. } => **name == *Variant::ATTRIBUTE,
        Edit::RemoveBlocks { .. }
        | Edit::Connect { .. }
        | Edit::Disconnect { .. }
        | Edit::Move { .. }
        | Edit::SetOption { .. }
        | Edit::SetConnectionAttribute { .. }
        | Edit::Relocate(_) => false,
        _ => true,
    }
}

/// Whether the block's ports are known.
fn is_known(simulation: &Simulation, registry: &Registry, block: &Block) -> bool {
    match &block.kind {
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => true,
        BlockKind::Model { model } => simulation.model(model).is_some(),
        BlockKind::Library { group, name } => registry.get(group, name).is_some(),
    }
}
