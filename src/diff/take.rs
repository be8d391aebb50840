//! The edits of the second state that take a change back: its place is then as in the first state.

use std::sync::Arc;

use super::change::{Change, ChangeKind, Subject};
use super::matching::{FIRST, Matching, SECOND};
use super::state::{Site, is_port};
use crate::model::{Block, BlockId, BlockKind, Connection, Edit, Model, Simulation, Variable};

/// Whether a change can be taken back alone. Blocks that were moved, grouped or expanded are taken back with all that was
/// changed with them, which `take` does not do.
pub fn can_be_taken(change: &Change) -> bool {
    let is_whole = matches!(change.kind, ChangeKind::Moved | ChangeKind::Grouped | ChangeKind::Expanded);
    !is_whole && change.property.as_deref() != Some("other content")
}

/// Returns the edits of the second state with which a change between the two is no more; none if it cannot be taken back
/// alone, such as a wire from a block that the second state does not have.
pub fn take(first: &Simulation, second: &Simulation, change: &Change) -> Option<Vec<Edit>> {
    if !can_be_taken(change) {
        return None;
    }
    let taking = Taking { first, second, change };
    match change.subject {
        Subject::Simulation => taking.simulation().map(|edit| vec![edit]),
        Subject::Variable => taking.variable().map(|edit| vec![edit]),
        Subject::Model => taking.model().map(|edit| vec![edit]),
        Subject::Block => taking.block(),
        Subject::Wire => taking.wire().map(|edit| vec![edit]),
    }
}

struct Taking<'a> {
    first: &'a Simulation,
    second: &'a Simulation,
    change: &'a Change,
}

impl<'a> Taking<'a> {
    /// The name of the attribute that differs.
    fn attribute(&self) -> Option<Arc<str>> {
        let name = self.change.property.as_ref()?;
        Some(if self.change.is_layout { format!("view:{name}").into() } else { name.as_str().into() })
    }

    /// The value of the first state.
    fn value(&self) -> Option<Arc<str>> {
        self.change.first.as_deref().map(Arc::from)
    }

    fn models(&self) -> [Option<&'a Arc<Model>>; 2] {
        let name = |place: &'a Option<super::Place>| place.as_ref().map(|place| place.model.as_str());
        [
            name(&self.change.first_place).and_then(|name| self.first.model(name)),
            name(&self.change.second_place).and_then(|name| self.second.model(name)),
        ]
    }

    fn blocks(&self) -> [Option<&'a Arc<Block>>; 2] {
        let [first, second] = self.models();
        let id = |place: &Option<super::Place>| place.as_ref().and_then(|place| place.block);
        let (old, new) = (id(&self.change.first_place), id(&self.change.second_place));
        [
            first.zip(old).and_then(|(model, id)| model.block(id)),
            second.zip(new).and_then(|(model, id)| model.block(id)),
        ]
    }

    fn simulation(&self) -> Option<Edit> {
        Some(match self.change.property.as_deref()? {
            "steps" => Edit::SetSteps(self.first.steps),
            "delta" => Edit::SetDelta(self.first.delta),
            "root" => Edit::SetRoot(Arc::clone(&self.first.root)),
            _ => Edit::SetSimulationAttribute { name: self.attribute()?, value: self.value() },
        })
    }

    fn variable(&self) -> Option<Edit> {
        let (_, name) = self.change.path.rsplit_once('/').unwrap_or(("", &self.change.path));
        let name: Arc<str> = name.into();
        let [first, second] = self.models();
        let model = second.map(|model| Arc::clone(&model.name));
        if let Some(attribute) = self.attribute() {
            return Some(Edit::SetVariableAttribute { model, name, attribute, value: self.value() });
        }
        let old = match first {
            Some(first) => first.variables.get(&name),
            None => self.first.variables.get(&name),
        };
        let variable = old.map(|variable| Variable::clone(variable));
        Some(Edit::SetVariable { model, name, variable })
    }

    fn model(&self) -> Option<Edit> {
        let [first, second] = self.models();
        let name = second.map(|model| Arc::clone(&model.name));
        Some(match self.change.kind {
            ChangeKind::Added => Edit::RemoveModel { name: name? },
            ChangeKind::Removed => Edit::InsertModel { model: Box::new(Model::clone(first?)) },
            ChangeKind::Renamed => Edit::RenameModel { from: name?, to: Arc::clone(&first?.name) },
            _ => Edit::SetModelAttribute { model: name?, name: self.attribute()?, value: self.value() },
        })
    }

    fn block(&self) -> Option<Vec<Edit>> {
        let [first, second] = self.blocks();
        let model = |of: Option<&Arc<Model>>| of.map(|model| Arc::clone(&model.name));
        if self.change.kind == ChangeKind::Removed {
            return self.add_back(first?);
        }
        let (name, block) = (model(self.models()[1])?, second?);
        let id = block.id;
        Some(vec![match (self.change.kind, first) {
            (ChangeKind::Added, _) => Edit::RemoveBlocks { model: name, ids: vec![id] },
            (ChangeKind::Renamed, Some(first)) => match &first.kind {
                BlockKind::Entry { name: port } | BlockKind::Exit { name: port } if is_port(block) => {
                    Edit::RenamePort { model: name, id, name: Arc::clone(port) }
                }
                _ => {
                    let value = first.attributes.get("label").map(Arc::from);
                    Edit::SetBlockAttribute { model: name, id, name: "label".into(), value }
                }
            },
            (_, Some(first)) => self.property(name, first, block)?,
            (_, None) => return None,
        }])
    }

    /// The edit for a property of a block that both states have.
    fn property(&self, model: Arc<str>, first: &Block, second: &Block) -> Option<Edit> {
        let property = self.change.property.as_deref()?;
        let is_option = [first, second].iter().any(|block| block.option(property).is_some());
        if is_option && !self.change.is_layout {
            let values = first.option_texts(property);
            let values = values.map(|texts| texts.into_iter().map(str::to_owned).collect());
            return Some(Edit::SetOption { model, id: second.id, name: property.into(), values });
        }
        if property == "block" && first.kind != second.kind {
            let mut block = second.clone();
            block.kind = first.kind.clone();
            return Some(Edit::ReplaceBlock { model, block: Box::new(block) });
        }
        Some(Edit::SetBlockAttribute { model, id: second.id, name: self.attribute()?, value: self.value() })
    }

    /// Adds a block that the second state does not have, with the wires whose other ends it has.
    fn add_back(&self, block: &Arc<Block>) -> Option<Vec<Edit>> {
        let matching = Matching::of(self.first, self.second);
        let old = self.models()[0]?;
        let at = matching.states[FIRST].number(&old.name)?;
        let number = matching.model_partner(FIRST, at)?;
        let model = matching.states[SECOND].models[number];
        let id = if model.block(block.id).is_none() { block.id } else { model.free_id() };
        let mut copy = Block::clone(block);
        copy.id = id;
        let name = || Arc::clone(&model.name);
        let mut edits = vec![Edit::AddBlock { model: name(), block: Box::new(copy) }];
        let partner = |other: BlockId| match other == block.id {
            true => Some(id),
            false => {
                let site = matching.partner(FIRST, Site { model: at, block: other })?;
                (site.model == number).then_some(site.block)
            }
        };
        for wire in old.connections.values().filter(|wire| wire.from == block.id || wire.to == block.id) {
            let (Some(from), Some(to)) = (partner(wire.from), partner(wire.to)) else { continue };
            // An input that is connected to something else now stays so.
            if model.source(to, &wire.input).is_none() {
                let wire = Connection { from, to, ..Connection::clone(wire) };
                edits.push(Edit::Connect { model: name(), connection: Box::new(wire) });
            }
        }
        Some(edits)
    }

    fn wire(&self) -> Option<Edit> {
        let matching = Matching::of(self.first, self.second);
        let [_, block] = self.blocks();
        let (block, model) = (block?, self.models()[1]?);
        let number = matching.states[SECOND].number(&model.name)?;
        let path = matching.states[SECOND].path(Site { model: number, block: block.id });
        let input: Arc<str> = self.change.path.strip_prefix(&path)?.strip_prefix('.')?.into();
        let (name, to) = (Arc::clone(&model.name), block.id);
        if let Some(attribute) = self.attribute() {
            return Some(Edit::SetConnectionAttribute { model: name, to, input, name: attribute, value: self.value() });
        }
        if self.change.kind == ChangeKind::Added {
            return Some(Edit::Disconnect { model: name, to, input });
        }
        let (old, place) = (self.models()[0]?, self.change.first_place.as_ref()?.block?);
        let wire = old.source(place, &input)?;
        let at = matching.states[FIRST].number(&old.name)?;
        let from = matching.partner(FIRST, Site { model: at, block: wire.from })?;
        if from.model != number {
            return None;
        }
        let wire = Connection { from: from.block, to, ..Connection::clone(wire) };
        Some(Edit::Connect { model: name, connection: Box::new(wire) })
    }
}
