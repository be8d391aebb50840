//! Conflicts of a merge: what both sides of it changed in different ways, kept in the document until a user settles it.
//!
//! They are the attribute `conflicts` of the tag that they are about, such as
//! `option:Gain[base=2,ours=3,theirs=4]|attribute:label[ours=Plant,theirs=Motor]`. A list of values is separated by
//! semicolons; a side that has nothing is left out. The document itself has the value of one side, so that it can be
//! opened and drawn, but [`super::check()`] reports an error for each conflict.

use std::fmt;
use std::sync::Arc;

use super::attribute_list::{escaped, plain};
use super::conflict_text::side_text;
use super::{Attributes, BlockId, Diagnostic, InputKey, Simulation};

/// The attribute with the conflicts of a tag.
pub const CONFLICTS: &str = "conflicts";

/// A conflict in one property of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub property: Property,
    /// The values before the changes and on both sides; `None`: there was no value.
    pub base: Option<Vec<String>>,
    pub ours: Option<Vec<String>>,
    pub theirs: Option<Vec<String>>,
}

/// The property that a conflict is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// The tag itself: one side deleted it, and the other changed it.
    Presence,
    /// The kind of a block, as its tag and its names: `block;Math;Gain`.
    Kind,
    /// The name of a model.
    Name,
    /// The output that an input is connected to: the id of the block and the name of the output.
    Source,
    Steps,
    Delta,
    Root,
    /// The value of a variable.
    Value,
    Attribute(String),
    Option(String),
    /// A `<data>` of a block.
    Data(String),
    /// A problem that neither side had; its message is the value of both.
    Check(String),
    /// A text that cannot be understood.
    Other(String),
}

/// The tag that has a conflict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    Simulation,
    /// A variable of a model, or of the simulation.
    Variable(Option<Arc<str>>, Arc<str>),
    Model(Arc<str>),
    Block(Arc<str>, BlockId),
    /// The wire to an input.
    Wire(Arc<str>, InputKey),
}

/// Properties without a name of their own.
const PLAIN: [(Property, &str); 8] = [
    (Property::Presence, "presence"),
    (Property::Kind, "kind"),
    (Property::Name, "name"),
    (Property::Source, "source"),
    (Property::Steps, "steps"),
    (Property::Delta, "delta"),
    (Property::Root, "root"),
    (Property::Value, "value"),
];

/// The text of an empty list; an empty text is a list with an empty value.
const NO_VALUES: &str = "%";

impl Property {
    fn text(&self) -> String {
        let named = |kind: &str, name: &str| format!("{kind}:{}", escaped(name));
        match self {
            Property::Attribute(name) => named("attribute", name),
            Property::Option(name) => named("option", name),
            Property::Data(name) => named("data", name),
            Property::Check(code) => named("check", code),
            Property::Other(text) => text.clone(),
            _ => PLAIN.iter().find(|(known, _)| known == self).map_or("", |(_, text)| text).to_owned(),
        }
    }

    fn parse(text: &str) -> Option<Property> {
        if let Some((known, _)) = PLAIN.iter().find(|(_, known)| *known == text) {
            return Some(known.clone());
        }
        let (kind, name) = text.split_once(':')?;
        let name = plain(name);
        Some(match kind {
            "attribute" => Property::Attribute(name),
            "option" => Property::Option(name),
            "data" => Property::Data(name),
            "check" => Property::Check(name),
            _ => return None,
        })
    }
}

/// The property as a user knows it: `Gain`, `label`, `the connection`.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Property::Presence => "deleted or changed",
            Property::Kind => "kind",
            Property::Name => "name",
            Property::Source => "connection",
            Property::Steps => "steps",
            Property::Delta => "delta",
            Property::Root => "root",
            Property::Value => "value",
            Property::Attribute(name) | Property::Option(name) | Property::Data(name) => name,
            Property::Check(code) => code,
            Property::Other(text) => text,
        })
    }
}

impl Conflict {
    pub fn new(
        property: Property,
        base: Option<Vec<String>>,
        ours: Option<Vec<String>>,
        theirs: Option<Vec<String>>,
    ) -> Conflict {
        Conflict { property, base, ours, theirs }
    }

    /// A conflict in a property of one value.
    pub fn of_texts(property: Property, base: Option<&str>, ours: Option<&str>, theirs: Option<&str>) -> Conflict {
        let list = |text: Option<&str>| text.map(|text| vec![text.to_owned()]);
        Conflict::new(property, list(base), list(ours), list(theirs))
    }

    /// A problem that a merge has caused.
    pub fn of_problem(problem: &Diagnostic) -> Conflict {
        let message = Some(&*problem.message);
        Conflict::of_texts(Property::Check(problem.code.to_owned()), None, message, message)
    }

    fn text(&self) -> String {
        let side = |name: &str, values: &Option<Vec<String>>| {
            let values = values.as_ref()?;
            let texts: Vec<String> = values.iter().map(|value| escaped(value)).collect();
            Some(format!("{name}={}", if texts.is_empty() { NO_VALUES.to_owned() } else { texts.join(";") }))
        };
        let sides = [("base", &self.base), ("ours", &self.ours), ("theirs", &self.theirs)];
        let sides: Vec<String> = sides.into_iter().filter_map(|(name, values)| side(name, values)).collect();
        match &self.property {
            Property::Other(text) => text.clone(),
            property => format!("{}[{}]", property.text(), sides.join(",")),
        }
    }

    fn parse(text: &str) -> Conflict {
        let parsed = || {
            let (property, sides) = text.strip_suffix(']')?.split_once('[')?;
            let side = |wanted: &str| {
                let (_, values) = super::attribute_list::pairs(sides).find(|(name, _)| *name == wanted)?;
                let is_empty = values == NO_VALUES;
                Some(if is_empty { Vec::new() } else { values.split(';').map(plain).collect() })
            };
            Some(Conflict::new(Property::parse(property)?, side("base"), side("ours"), side("theirs")))
        };
        parsed().unwrap_or_else(|| Conflict::new(Property::Other(text.to_owned()), None, None, None))
    }
}

/// Reads the conflicts of a tag.
pub fn conflicts_in(attributes: &Attributes) -> Vec<Conflict> {
    let text = attributes.get(CONFLICTS).unwrap_or_default();
    text.split('|').filter(|part| !part.trim().is_empty()).map(Conflict::parse).collect()
}

/// Returns the attribute for conflicts; none if there are none.
pub fn conflicts_text(conflicts: &[Conflict]) -> Option<String> {
    let texts: Vec<String> = conflicts.iter().map(Conflict::text).collect();
    (!texts.is_empty()).then(|| texts.join("|"))
}

impl Holder {
    /// Returns the attributes of the tag, if it exists.
    pub fn attributes<'a>(&self, simulation: &'a Simulation) -> Option<&'a Attributes> {
        Some(match self {
            Holder::Simulation => &simulation.attributes,
            Holder::Variable(None, name) => &simulation.variables.get(name)?.attributes,
            Holder::Variable(Some(model), name) => &simulation.model(model)?.variables.get(name)?.attributes,
            Holder::Model(model) => &simulation.model(model)?.attributes,
            Holder::Block(model, id) => &simulation.model(model)?.block(*id)?.attributes,
            Holder::Wire(model, key) => &simulation.model(model)?.source(key.block, &key.input)?.attributes,
        })
    }

    /// Returns the attributes for modification; the model, block or wire is copied if it is shared.
    pub fn attributes_mut<'a>(&self, simulation: &'a mut Simulation) -> Option<&'a mut Attributes> {
        let variable = |variables: Option<&'a mut Arc<super::Variable>>| {
            variables.map(|variable| &mut Arc::make_mut(variable).attributes)
        };
        match self {
            Holder::Simulation => Some(&mut simulation.attributes),
            Holder::Variable(None, name) => variable(simulation.variables.get_mut(name)),
            Holder::Variable(Some(model), name) => variable(simulation.model_mut(model)?.variables.get_mut(name)),
            Holder::Model(model) => Some(&mut simulation.model_mut(model)?.attributes),
            Holder::Block(model, id) => Some(&mut simulation.model_mut(model)?.block_mut(*id)?.attributes),
            Holder::Wire(model, key) => {
                let wire = simulation.model_mut(model)?.connections.get_mut(key)?;
                Some(&mut Arc::make_mut(wire).attributes)
            }
        }
    }

    /// Returns the model that has the tag.
    pub fn model(&self) -> Option<&Arc<str>> {
        match self {
            Holder::Simulation | Holder::Variable(None, _) => None,
            Holder::Variable(Some(model), _)
            | Holder::Model(model)
            | Holder::Block(model, _)
            | Holder::Wire(model, _) => Some(model),
        }
    }

    /// Returns the block, or the block that the wire leads to.
    pub fn block(&self) -> Option<BlockId> {
        match self {
            Holder::Block(_, id) => Some(*id),
            Holder::Wire(_, key) => Some(key.block),
            _ => None,
        }
    }

    /// Returns the tag as a user knows it: `Main/Motor`, `variable k`, `wire Main/Motor.Input`.
    pub fn text(&self, simulation: &Simulation) -> String {
        let path = |model: &Arc<str>, id: BlockId| {
            let block = simulation.model(model).and_then(|model| model.block(id));
            block.map_or_else(|| format!("{model}/{id}"), |block| format!("{model}/{}", block.title()))
        };
        match self {
            Holder::Simulation => "simulation".to_owned(),
            Holder::Variable(None, name) => format!("variable {name}"),
            Holder::Variable(Some(model), name) => format!("variable {model}/{name}"),
            Holder::Model(model) => format!("model {model}"),
            Holder::Block(model, id) => path(model, *id),
            Holder::Wire(model, key) => format!("wire {}.{}", path(model, key.block), key.input),
        }
    }
}

/// Returns all conflicts of a document: of the simulation, then model by model in the order of the file.
pub fn conflicts(simulation: &Simulation) -> Vec<(Holder, Conflict)> {
    let mut found = Vec::new();
    let mut add = |holder: Holder, attributes: &Attributes| {
        found.extend(conflicts_in(attributes).into_iter().map(|conflict| (holder.clone(), conflict)));
    };
    let has = |attributes: &Attributes| attributes.get(CONFLICTS).is_some();
    add(Holder::Simulation, &simulation.attributes);
    for (name, variable) in simulation.variables.iter().filter(|(_, variable)| has(&variable.attributes)) {
        add(Holder::Variable(None, Arc::clone(name)), &variable.attributes);
    }
    for model in simulation.models_in_order() {
        add(Holder::Model(Arc::clone(&model.name)), &model.attributes);
        for (name, variable) in model.variables.iter().filter(|(_, variable)| has(&variable.attributes)) {
            add(Holder::Variable(Some(Arc::clone(&model.name)), Arc::clone(name)), &variable.attributes);
        }
        for block in model.blocks.values().filter(|block| has(&block.attributes)) {
            add(Holder::Block(Arc::clone(&model.name), block.id), &block.attributes);
        }
        for wire in model.connections.values().filter(|wire| has(&wire.attributes)) {
            add(Holder::Wire(Arc::clone(&model.name), wire.key()), &wire.attributes);
        }
    }
    found
}

/// Reports the conflicts, with which a simulation does not run.
pub(super) fn check_conflicts(simulation: &Simulation, found: &mut Vec<Diagnostic>) {
    found.extend(conflicts(simulation).iter().map(|(holder, conflict)| problem(simulation, holder, conflict)));
}

/// Returns the error of a simulation with a conflict.
pub(super) fn problem(simulation: &Simulation, holder: &Holder, conflict: &Conflict) -> Diagnostic {
    let what = holder.text(simulation);
    let side = |values: &Option<Vec<String>>| side_text(simulation, holder, conflict, values);
    let message = match &conflict.property {
        Property::Presence => {
            let (deleted, other) = if conflict.ours.is_none() { ("ours", "theirs") } else { ("theirs", "ours") };
            format!("merge conflict: {what} was deleted in {deleted} and changed in {other}")
        }
        Property::Check(_) => {
            format!("merge conflict at {what}, which neither side had alone: {}", side(&conflict.ours))
        }
        Property::Other(text) => format!("merge conflict at {what}: “{text}” cannot be understood"),
        property => format!(
            "merge conflict: {property} of {what} was {}, is {} in ours and {} in theirs",
            side(&conflict.base),
            side(&conflict.ours),
            side(&conflict.theirs)
        ),
    };
    let help = match &conflict.property {
        Property::Check(_) | Property::Other(_) => "correct it, then keep it as it is",
        _ => "take ours, theirs or base, or edit it and keep it as it is",
    };
    let mut problem = Diagnostic::error("merge-conflict", message).help(help).about(&conflict.property.to_string());
    problem.location.model = holder.model().cloned();
    problem.location.block = holder.block();
    if let Holder::Wire(_, key) = &holder {
        problem = problem.on_input(&key.input);
    }
    problem
}
