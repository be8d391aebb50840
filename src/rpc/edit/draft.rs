//! Turns operations into edits: each operation finds its blocks in what those before it have made, and the document then
//! gets all edits at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::operation::{OneOrMore, Operation};
use super::value::{text_of, texts_of};
use crate::block::Registry;
use crate::engine::diagnose;
use crate::model::near::did_you_mean;
use crate::model::{
    Block, BlockId, BlockKind, Change, ChangeKind, Connection, Edit, Model, ModelNames, PortSide, Position, Scope,
    Simulation, Variable, definition_of, expand, fixes, group, replace_block, settings_of,
};
use crate::rpc::error::RpcError;

/// A document in the making.
pub struct EditDraft<'a> {
    registry: &'a Registry,
    /// The state with all edits so far.
    now: Simulation,
    edits: Vec<Edit>,
    touched: BTreeSet<(Arc<str>, BlockId)>,
    /// The blocks that were added, in the order of the operations.
    pub added: Vec<Added>,
    /// The number of operations of each kind, for the label of the change.
    done: BTreeMap<&'static str, usize>,
}

/// A new block.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    pub model: Arc<str>,
    pub id: BlockId,
    pub title: String,
}

/// The attributes of a block that operations have members for.
const OWN_ATTRIBUTES: [&str; 6] = ["id", "name", "group", "model", "view:x", "view:y"];

impl<'a> EditDraft<'a> {
    pub fn new(simulation: &Simulation, registry: &'a Registry) -> EditDraft<'a> {
        let (edits, touched) = (Vec::new(), BTreeSet::new());
        EditDraft { registry, now: simulation.clone(), edits, touched, added: Vec::new(), done: BTreeMap::new() }
    }

    /// Returns the state with all edits so far.
    pub fn simulation(&self) -> &Simulation {
        &self.now
    }

    /// Returns the change, with a label that says what it does and who made it.
    pub fn change(self, by: &str) -> Change {
        let parts: Vec<String> = self.done.iter().map(|(what, count)| counted(what, *count)).collect();
        let mut label = parts.join(", ");
        if let Some(first) = label.get(..1).map(str::to_uppercase) {
            label.replace_range(..1, &first);
        }
        let is_grouping = self.done.keys().all(|what| ["group", "expand"].contains(what));
        let adds = self.edits.iter().any(|edit| matches!(edit, Edit::AddBlock { .. }));
        let kind = match (is_grouping, adds) {
            (true, _) => ChangeKind::Regroup,
            (false, true) => ChangeKind::Paste,
            (false, false) => ChangeKind::Edit,
        };
        Change::new(format!("{label} ({by})"), self.edits).of_kind(kind)
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// If it names something that does not exist, or the document refuses it.
    pub fn add(&mut self, operation: &Operation) -> Result<(), RpcError> {
        let what = match operation {
            Operation::Add { .. } => self.add_block(operation),
            Operation::Remove { model, blocks } => self.remove(model.as_deref(), blocks),
            Operation::Set { model, block, parameters, attributes } => {
                self.set(model.as_deref(), block, parameters, attributes)
            }
            Operation::Replace { model, block, kind } => self.replace(model.as_deref(), block, kind),
            Operation::Rename { model, block, to } => self.rename(model.as_deref(), block, to),
            Operation::Move { model, block, at } => self.shift(model.as_deref(), block, *at),
            Operation::Connect { model, from, to } => self.connect(model.as_deref(), from, to),
            Operation::Disconnect { model, to } => self.disconnect(model.as_deref(), to),
            Operation::Variable { model, name, value, attributes } => {
                self.variable(model.as_deref(), name, value, attributes)
            }
            Operation::Settings { values } => self.settings(values),
            Operation::AddModel { name } => {
                self.take(vec![Edit::AddModel { name: name.as_str().into() }]).map(|()| "add model")
            }
            Operation::RemoveModel { name } => {
                self.known(name)?;
                self.take(vec![Edit::RemoveModel { name: name.as_str().into() }]).map(|()| "remove model")
            }
            Operation::RenameModel { from, to } => {
                let from = Arc::clone(&self.known(from)?.name);
                self.take(vec![Edit::RenameModel { from, to: to.as_str().into() }]).map(|()| "rename model")
            }
            Operation::Group { model, blocks, name } => self.group(model.as_deref(), blocks, name),
            Operation::Expand { model, block } => self.expand(model.as_deref(), block),
            Operation::Fix { code, model, block, fix } => {
                self.fix(code, (model.as_deref(), block.as_deref()), fix.as_deref())
            }
        }?;
        *self.done.entry(what).or_default() += 1;
        Ok(())
    }

    /// Checks the values of all blocks that were changed.
    ///
    /// # Errors
    /// The first value that its parameter cannot have.
    pub fn check_values(&self) -> Result<(), RpcError> {
        for (model, id) in &self.touched {
            let Some(model) = self.now.model(model) else { continue };
            let Some(block) = model.block(*id) else { continue };
            let Some(def) = definition_of(self.registry, block) else { continue };
            let (_, errors) = settings_of(def, block, &Scope::of_model(&self.now, model));
            if let Some(error) = errors.first() {
                let at = format!("{}.{}", block.title(), error.param);
                return Err(RpcError::refused(format!("{at} in “{}”: {}", model.name, error.problem)));
            }
        }
        Ok(())
    }

    fn take(&mut self, edits: Vec<Edit>) -> Result<(), RpcError> {
        let change = Change::new("", edits);
        self.now = change.drafted(&self.now, self.registry)?;
        self.edits.extend(change.edits);
        Ok(())
    }

    /// Returns the model of a name, or the root model.
    fn model(&self, name: Option<&str>) -> Result<Arc<Model>, RpcError> {
        match name {
            Some(name) => self.known(name).map(Arc::clone),
            None => self.known(&self.now.root).map(Arc::clone),
        }
    }

    fn known(&self, name: &str) -> Result<&Arc<Model>, RpcError> {
        self.now.model(name).ok_or_else(|| {
            let near = did_you_mean(name, self.now.models.keys().map(|known| &**known));
            RpcError::refused(format!("there is no model “{name}”{near}"))
        })
    }

    fn names<'m>(&'m self, model: &'m Model) -> ModelNames<'m> {
        ModelNames::new(&self.now, self.registry, model)
    }

    fn block(&self, model: &Model, name: &str) -> Result<Arc<Block>, RpcError> {
        let id = self.names(model).block(name).map_err(|error| RpcError::refused(error.to_string()))?;
        let missing = || RpcError::refused(format!("there is no block “{name}” in “{}”", model.name));
        model.block(id).cloned().ok_or_else(missing)
    }

    fn blocks(&self, model: &Model, names: &OneOrMore) -> Result<BTreeSet<BlockId>, RpcError> {
        names.iter().map(|name| Ok(self.block(model, name)?.id)).collect()
    }

    /// Returns the kind of block that a client names.
    fn kind(&self, kind: &str, label: Option<&str>) -> Result<BlockKind, RpcError> {
        let named = |what: &str| {
            label
                .ok_or_else(|| RpcError::arguments(format!("an {what} needs a “label”, which is the name of the port")))
        };
        match kind {
            "input" => return Ok(BlockKind::entry(named("input")?)),
            "output" => return Ok(BlockKind::exit(named("output")?)),
            _ => {}
        }
        if let Some(model) = kind.strip_prefix("model ") {
            return Ok(BlockKind::model(&self.known(model.trim())?.name));
        }
        let found: Vec<_> = match kind.split_once('/') {
            Some((group, name)) => self.registry.get(group, name).into_iter().collect(),
            None => self.registry.iter().filter(|def| def.name == kind || def.title() == kind).collect(),
        };
        match &found[..] {
            [def] => Ok(BlockKind::library(def.group, def.name)),
            [] => {
                let known = self.registry.iter().flat_map(|def| {
                    [def.name, def.title()]
                        .into_iter()
                        .chain(def.aliases.iter().copied().filter(|alias| *alias == kind))
                });
                let alias = self.registry.iter().find(|def| def.aliases.contains(&kind.to_lowercase().as_str()));
                let near =
                    alias.map_or_else(|| did_you_mean(kind, known), |def| format!("; did you mean “{}”?", def.name));
                Err(RpcError::refused(format!("there is no block “{kind}” in the library{near}")))
            }
            several => {
                let names: Vec<String> = several.iter().map(|def| format!("{}/{}", def.group, def.name)).collect();
                Err(RpcError::refused(format!("“{kind}” is in several groups: write {}", names.join(" or "))))
            }
        }
    }

    fn add_block(&mut self, operation: &Operation) -> Result<&'static str, RpcError> {
        let Operation::Add { model, kind, label, id, parameters, attributes, at } = operation else { return Ok("add") };
        let model = self.model(model.as_deref())?;
        let kind = self.kind(kind, label.as_deref())?;
        let id = id.map_or_else(|| model.free_id(), |id| BlockId(i128::from(id)));
        let mut block = Block::new(id, kind);
        let names_itself = matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
        if let Some(label) = label.as_deref().filter(|_| !names_itself) {
            block.attributes.set("label", label);
        }
        if let Some([x, y]) = at {
            block.set_position(Position { x: finite(*x)?, y: finite(*y)? });
        }
        self.set_values(&mut block, parameters, attributes)?;
        self.added.push(Added { model: Arc::clone(&model.name), id, title: block.title().to_owned() });
        self.touched.insert((Arc::clone(&model.name), id));
        self.take(vec![Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block) }])?;
        Ok("add")
    }

    /// Sets parameters and attributes of a block that is not in the document yet, or a copy of one.
    fn set_values(
        &self,
        block: &mut Block,
        parameters: &Map<String, Value>,
        attributes: &Map<String, Value>,
    ) -> Result<(), RpcError> {
        for (name, value) in parameters {
            self.check_parameter(block, name)?;
            block.set_option(name, texts_of(name, value)?.as_deref());
        }
        // The parameters of code are known when its code is.
        for (name, _) in parameters {
            self.check_parameter(block, name)?;
        }
        for (name, value) in attributes {
            if OWN_ATTRIBUTES.contains(&name.as_str()) {
                return Err(RpcError::arguments(format!("“{name}” is not set as an attribute")));
            }
            let text = match value {
                Value::Null => None,
                value => Some(text_of(name, value)?),
            };
            block.attributes.put(name, text.as_deref());
        }
        Ok(())
    }

    /// Refuses a parameter that the block does not have.
    fn check_parameter(&self, block: &Block, name: &str) -> Result<(), RpcError> {
        let known: Vec<String> = match &block.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => vec![Block::INITIAL_VALUE.to_owned()],
            BlockKind::Model { model } => match self.now.model(model) {
                Some(inner) => inner.variables.keys().map(|name| name.to_string()).collect(),
                None => return Ok(()),
            },
            BlockKind::Library { .. } => match definition_of(self.registry, block) {
                Some(def) if def.params.iter().any(|param| param.is_argument) => return Ok(()),
                Some(def) => def.params.iter().map(|param| param.name.to_owned()).collect(),
                None => return Ok(()),
            },
        };
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let near = did_you_mean(name, known.iter().map(String::as_str));
        let all = if known.is_empty() { "it has none".to_owned() } else { format!("they are {}", known.join(", ")) };
        Err(RpcError::refused(format!("“{}” has no parameter “{name}”{near} ({all})", block.title())))
    }

    fn remove(&mut self, model: Option<&str>, blocks: &OneOrMore) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let ids = self.blocks(&model, blocks)?.into_iter().collect();
        self.take(vec![Edit::RemoveBlocks { model: Arc::clone(&model.name), ids }])?;
        Ok("remove")
    }

    fn set(
        &mut self,
        model: Option<&str>,
        block: &str,
        parameters: &Map<String, Value>,
        attributes: &Map<String, Value>,
    ) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let mut block = Block::clone(&*self.block(&model, block)?);
        self.set_values(&mut block, parameters, attributes)?;
        let (name, id) = (Arc::clone(&model.name), block.id);
        let mut edits: Vec<Edit> = Vec::new();
        for (option, value) in parameters {
            let values = texts_of(option, value)?;
            edits.push(Edit::SetOption { model: Arc::clone(&name), id, name: option.as_str().into(), values });
        }
        for attribute in attributes.keys() {
            let value = block.attributes.get(attribute).map(Arc::from);
            let attribute = attribute.as_str().into();
            edits.push(Edit::SetBlockAttribute { model: Arc::clone(&name), id, name: attribute, value });
        }
        self.touched.insert((name, id));
        self.take(edits)?;
        Ok("set")
    }

    fn replace(&mut self, model: Option<&str>, block: &str, kind: &str) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let block = self.block(&model, block)?;
        let kind = self.kind(kind, Some(block.title()))?;
        let edits = replace_block(&self.now, self.registry, &model, block.id, kind);
        self.touched.insert((Arc::clone(&model.name), block.id));
        self.take(edits)?;
        Ok("replace")
    }

    fn rename(&mut self, model: Option<&str>, block: &str, to: &str) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let block = self.block(&model, block)?;
        let (model, id) = (Arc::clone(&model.name), block.id);
        let edit = match block.kind {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => Edit::RenamePort { model, id, name: to.into() },
            BlockKind::Model { .. } | BlockKind::Library { .. } => {
                Edit::SetBlockAttribute { model, id, name: "label".into(), value: Some(to.into()) }
            }
        };
        self.take(vec![edit])?;
        Ok("rename")
    }

    fn shift(&mut self, model: Option<&str>, block: &str, [x, y]: [f64; 2]) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let id = self.block(&model, block)?.id;
        let moves = vec![(id, Position { x: finite(x)?, y: finite(y)? })];
        self.take(vec![Edit::Move { model: Arc::clone(&model.name), moves }])?;
        Ok("move")
    }

    fn end(&self, model: &Model, text: &str, side: PortSide) -> Result<(BlockId, Arc<str>), RpcError> {
        self.names(model).end(text, side).map_err(|error| RpcError::refused(error.to_string()))
    }

    fn connect(&mut self, model: Option<&str>, from: &str, to: &OneOrMore) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let (source, output) = self.end(&model, from, PortSide::Output)?;
        let mut edits = Vec::new();
        for to in to.iter() {
            let (target, input) = self.end(&model, to, PortSide::Input)?;
            let connection = Box::new(Connection::new(source, &output, target, &input));
            edits.push(Edit::Connect { model: Arc::clone(&model.name), connection });
        }
        self.take(edits)?;
        Ok("connect")
    }

    fn disconnect(&mut self, model: Option<&str>, to: &OneOrMore) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let mut edits = Vec::new();
        for to in to.iter() {
            let (target, input) = self.end(&model, to, PortSide::Input)?;
            edits.push(Edit::Disconnect { model: Arc::clone(&model.name), to: target, input });
        }
        self.take(edits)?;
        Ok("disconnect")
    }

    fn variable(
        &mut self,
        model: Option<&str>,
        name: &str,
        value: &Value,
        attributes: &Map<String, Value>,
    ) -> Result<&'static str, RpcError> {
        let model = model.map(|model| self.known(model)).transpose()?.map(Arc::clone);
        let variables = model.as_ref().map_or(&self.now.variables, |model| &model.variables);
        let old = variables.get(name);
        let variable = match value {
            Value::Null if old.is_none() => {
                let near = did_you_mean(name, variables.keys().map(|known| &**known));
                return Err(RpcError::refused(format!("there is no variable “{name}”{near}")));
            }
            Value::Null => None,
            value => {
                let mut variable = old.map_or_else(|| Variable::new(""), |old| Variable::clone(old));
                variable.value = text_of(name, value)?.as_str().into();
                for (attribute, value) in attributes {
                    let text = if value.is_null() { None } else { Some(text_of(attribute, value)?) };
                    variable.attributes.put(attribute, text.as_deref());
                }
                Some(variable)
            }
        };
        let model = model.map(|model| Arc::clone(&model.name));
        self.take(vec![Edit::SetVariable { model, name: name.into(), variable }])?;
        Ok("set variable")
    }

    fn settings(&mut self, values: &Map<String, Value>) -> Result<&'static str, RpcError> {
        let mut edits = Vec::new();
        for (name, value) in values {
            let edit = match name.as_str() {
                "steps" => {
                    let steps = value.as_u64().or_else(|| value.as_str()?.parse().ok());
                    let wanted = || RpcError::arguments("“steps” must be a whole number".to_owned());
                    Edit::SetSteps(steps.ok_or_else(wanted)?)
                }
                "delta" => {
                    let delta = value.as_f64().or_else(|| value.as_str()?.parse().ok());
                    let wanted = || RpcError::arguments("“delta” must be a number of seconds".to_owned());
                    Edit::SetDelta(delta.ok_or_else(wanted)?)
                }
                "root" => Edit::SetRoot(Arc::clone(&self.known(value.as_str().unwrap_or_default())?.name)),
                _ => {
                    let value = if value.is_null() { None } else { Some(text_of(name, value)?.as_str().into()) };
                    Edit::SetSimulationAttribute { name: name.as_str().into(), value }
                }
            };
            edits.push(edit);
        }
        self.take(edits)?;
        Ok("change settings")
    }

    fn group(&mut self, model: Option<&str>, blocks: &OneOrMore, name: &str) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let ids = self.blocks(&model, blocks)?;
        let none = || RpcError::refused("a group needs at least one block that is neither input nor output");
        let (edits, id) = group(&self.now, &model, &ids, name).ok_or_else(none)?;
        self.take(edits)?;
        let title = self.now.model(&model.name).and_then(|model| Some(model.block(id)?.title().to_owned()));
        self.added.push(Added { model: Arc::clone(&model.name), id, title: title.unwrap_or_default() });
        Ok("group")
    }

    fn expand(&mut self, model: Option<&str>, block: &str) -> Result<&'static str, RpcError> {
        let model = self.model(model)?;
        let id = self.block(&model, block)?.id;
        let (edits, _) = expand(&self.now, &model, id).map_err(|error| RpcError::refused(error.to_string()))?;
        self.take(edits)?;
        Ok("expand")
    }

    fn fix(
        &mut self,
        code: &str,
        (model, block): (Option<&str>, Option<&str>),
        wanted: Option<&str>,
    ) -> Result<&'static str, RpcError> {
        let block = match block {
            Some(block) => {
                let model = self.model(model)?;
                Some((Arc::clone(&model.name), self.block(&model, block)?.id))
            }
            None => None,
        };
        let found = diagnose(&self.now, self.registry).into_iter().find(|found| {
            let is_there = block.as_ref().is_none_or(|(model, id)| {
                found.location.model.as_ref() == Some(model) && found.location.block == Some(*id)
            });
            found.code == code && is_there
        });
        let found = found.ok_or_else(|| RpcError::refused(format!("there is no diagnostic “{code}” here")))?;
        let offered = fixes(&self.now, self.registry, &found);
        let chosen = match wanted {
            Some(wanted) => offered.iter().find(|(_, text)| text == wanted),
            None => offered.first(),
        };
        let change = chosen.and_then(|(fix, _)| fix.changes(&self.now, self.registry, &found).into_iter().next());
        let change = change.ok_or_else(|| {
            let texts: Vec<String> = offered.iter().map(|(_, text)| format!("“{text}”")).collect();
            let all = if texts.is_empty() { "none".to_owned() } else { texts.join(", ") };
            RpcError::refused(format!("“{code}” has no such fix; its fixes are: {all}"))
        })?;
        self.take(change.edits)?;
        Ok("fix")
    }
}

fn finite(value: f64) -> Result<f64, RpcError> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(RpcError::arguments("a position must be two finite numbers".to_owned())),
    }
}

/// Says what operations of one kind have done: `add 3 blocks`.
fn counted(what: &str, count: usize) -> String {
    let (verb, noun) = match what {
        "connect" | "disconnect" => (what, "input"),
        "fix" => (what, "problem"),
        "group" => ("create", "subsystem"),
        "expand" => (what, "subsystem"),
        "set variable" => ("set", "variable"),
        "add model" => ("add", "model"),
        "remove model" => ("remove", "model"),
        "rename model" => ("rename", "model"),
        "change settings" => return what.to_owned(),
        _ => (what, "block"),
    };
    if count == 1 { format!("{verb} {noun}") } else { format!("{verb} {count} {noun}s") }
}
