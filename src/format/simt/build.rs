//! Makes the simulation of a text: gives blocks their ids and finds what wires name.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ends::Ends;
use super::line::{BlockLine, End, EndBlock, WireLine};
use super::read::{Content, Draft, IdSource, Item, ModelDraft};
use super::words;
use crate::block::Registry;
use crate::format::{Loaded, SourceMap, simx};
use crate::model::{
    Block, BlockId, Connection, Diagnostic, Extra, Model, NameError, PortSide, Simulation, TextPosition,
};

/// A simulation that is read, and which blocks have an id in their line.
pub(super) struct Built {
    pub loaded: Loaded,
    pub written: HashSet<(Arc<str>, BlockId)>,
}

/// A model whose wires are found.
struct Found {
    model: Model,
    parts: Vec<Part>,
}

enum Part {
    Block(BlockId),
    Connection(Box<Connection>, TextPosition),
    Variable(super::cursor::Word, crate::model::Variable),
    Extra(Extra),
}

pub(super) fn build(draft: Draft, registry: &Registry) -> Built {
    let Draft { mut simulation, content, source_map, diagnostics, .. } = draft;
    let mut building = Building { registry, source_map, diagnostics, written: HashSet::new() };
    // The blocks of all models come first: the ports of an instance are those of a model that may follow.
    let mut blocks = simulation.clone();
    let mut sections: Vec<Result<(ModelDraft, Model), Content>> = Vec::new();
    for content in content {
        match content {
            Content::Model(mut draft) => {
                let model = building.with_blocks(&mut draft);
                if !draft.is_duplicate {
                    blocks.models.insert(Arc::clone(&model.name), Arc::new(model.clone()));
                }
                sections.push(Ok((draft, model)));
            }
            other => {
                if let Content::Whole(model) = &other {
                    blocks.models.insert(Arc::clone(&model.name), Arc::new(Model::clone(model)));
                }
                if let Content::Variable(name, variable) = &other {
                    blocks.variables.entry((&*name.text).into()).or_insert_with(|| Arc::new(variable.clone()));
                }
                sections.push(Err(other));
            }
        }
    }
    let mut found = Vec::new();
    for section in sections {
        found.push(match section {
            Ok((draft, model)) => {
                let is_duplicate = draft.is_duplicate;
                Ok((building.with_wires(&blocks, draft, model), is_duplicate))
            }
            Err(other) => Err(other),
        });
    }
    drop(blocks);
    for part in found {
        match part {
            Ok((found, is_duplicate)) => {
                let model = building.model(found, is_duplicate);
                match is_duplicate {
                    false => drop(simulation.add_model(model)),
                    true => simulation.add_extra(whole_xml(model)),
                }
            }
            Err(Content::Whole(model)) => drop(simulation.add_model(*model)),
            Err(Content::Variable(name, variable)) => match simulation.variables.contains_key(&*name.text) {
                true => simulation.add_extra(building.duplicate_variable(None, &name.text, &variable, name.position)),
                false => simulation.set_variable(&name.text, variable),
            },
            Err(Content::Extra(extra)) => simulation.add_extra(extra),
            Err(Content::Model(_)) => {}
        }
    }
    building.diagnostics.sort_by_key(|diagnostic| diagnostic.location.text);
    let Building { source_map, diagnostics, written, .. } = building;
    Built { loaded: Loaded { simulation, diagnostics, source_map, ..Loaded::default() }, written }
}

/// Returns the XML of a model that is not loaded.
fn whole_xml(model: Model) -> Extra {
    let mut alone = Simulation::default();
    alone.add_model(model);
    let bytes = crate::format::Loader::write(&simx::Simx, &alone).unwrap_or_default();
    let text = String::from_utf8(bytes).unwrap_or_default();
    let begin = text.find("<model").unwrap_or_default();
    let end = text.rfind("</simulation>").unwrap_or(text.len());
    Extra::new(text.get(begin..end).unwrap_or_default().trim())
}

struct Building<'a> {
    registry: &'a Registry,
    source_map: SourceMap,
    diagnostics: Vec<Diagnostic>,
    written: HashSet<(Arc<str>, BlockId)>,
}

impl Building<'_> {
    /// Gives the blocks of a section their ids; returns a model with its blocks and variables only.
    fn with_blocks(&mut self, draft: &mut ModelDraft) -> Model {
        let mut model = Model::new(&draft.name);
        let is_written = |item: &Item| match item {
            Item::Block { block, id: IdSource::Written, .. } => Some(block.id),
            _ => None,
        };
        let written: HashSet<BlockId> = draft.items.iter().filter_map(is_written).collect();
        let mut first: HashMap<BlockId, TextPosition> = HashMap::new();
        let mut next = 0;
        for (index, item) in draft.items.iter_mut().enumerate() {
            let (block, source, position) = match item {
                Item::Block { block, id, position } => (block, id, *position),
                Item::Variable(name, variable) => {
                    model.variables.entry((&*name.text).into()).or_insert_with(|| Arc::new(variable.clone()));
                    continue;
                }
                _ => continue,
            };
            if let IdSource::Implied = source {
                let is_free = |id: &BlockId| !written.contains(id) && !first.contains_key(id);
                let ids = (next..=BlockId::MAX.0).chain(0..next).map(BlockId);
                block.id = ids.into_iter().find(is_free).unwrap_or(BlockId::MAX);
            }
            if let Some(first) = first.get(&block.id) {
                self.duplicate_id(&draft.name, block, *first, position);
                let xml = match source {
                    IdSource::Xml(xml) => Arc::clone(xml),
                    _ => simx::block_xml(block).unwrap_or_default().into(),
                };
                *item = Item::Extra(Extra { xml });
                continue;
            }
            first.insert(block.id, position);
            next = block.id.0 + 1;
            if !matches!(source, IdSource::Implied) {
                self.written.insert((Arc::clone(&draft.name), block.id));
            }
            if !draft.is_duplicate {
                self.source_map.add_block(&draft.name, block.id, position);
            }
            block.seq = index as u64;
            // The item keeps the id.
            let id_only = Block::new(block.id, crate::model::BlockKind::entry(""));
            let block = std::mem::replace(&mut **block, id_only);
            model.blocks.insert(block.id, Arc::new(block));
        }
        model
    }

    /// Finds the blocks and ports that the wires of a section name.
    fn with_wires(&mut self, blocks: &Simulation, draft: ModelDraft, model: Model) -> Found {
        let mut parts = Vec::with_capacity(draft.items.len());
        let mut ends = Ends::new(blocks, self.registry, &model);
        for item in draft.items {
            match item {
                Item::Block { block, .. } => parts.push(Part::Block(block.id)),
                Item::Connection(connection, position) => parts.push(Part::Connection(connection, position)),
                Item::Variable(name, variable) => parts.push(Part::Variable(name, variable)),
                Item::Extra(extra) => parts.push(Part::Extra(extra)),
                Item::Wires(line) => self.wires(&draft.name, &mut ends, *line, &mut parts),
            }
        }
        drop(ends);
        let mut model = model;
        model.attributes = draft.attributes;
        Found { model, parts }
    }

    fn wires(&mut self, model: &Arc<str>, ends: &mut Ends, line: WireLine, parts: &mut Vec<Part>) {
        let WireLine { source, through, targets, attributes } = line;
        let mut from = output(ends, &source).map_err(|error| (error, source.position));
        let mut name = source;
        let last = through.len();
        let stages = through.into_iter().map(|end| vec![end]).chain([targets]);
        for (stage, targets) in stages.enumerate() {
            let mut next = None;
            for target in targets {
                let to = input(ends, &target).map_err(|error| (error, target.position));
                let wire = match (&from, &to) {
                    (Ok((from, output)), Ok((to, input))) => {
                        let wire = Connection::new(*from, output, *to, input);
                        Some(Connection { attributes: attributes.clone(), ..wire })
                    }
                    _ => None,
                };
                match wire {
                    Some(wire) => parts.push(Part::Connection(Box::new(wire), target.position)),
                    None => {
                        let problems = [from.as_ref().err(), to.as_ref().err()];
                        for (error, position) in problems.into_iter().flatten() {
                            self.unknown(model, error, *position);
                        }
                        parts.push(Part::Extra(unfound(&name, &target)));
                    }
                }
                if stage < last {
                    // The wire goes on from the same block.
                    let from = to.and_then(|(id, _)| {
                        let output = ends.port(id, PortSide::Output, None);
                        output.map(|output| (id, output)).map_err(|error| (error, target.position))
                    });
                    next = Some((from, End { port: None, ..target }));
                }
            }
            if let Some(next) = next {
                (from, name) = next;
            }
        }
    }

    fn unknown(&mut self, model: &Arc<str>, error: &NameError, position: TextPosition) {
        // The same name is reported once in a line.
        if self.diagnostics.last().is_some_and(|last| last.location.text == Some(position)) {
            return;
        }
        let code = match error {
            NameError::UnknownBlock { .. } | NameError::AmbiguousBlock { .. } => "dangling-connection",
            NameError::UnknownPort { side, .. }
            | NameError::AmbiguousPort { side, .. }
            | NameError::NoPort { side, .. }
            | NameError::UnknownPorts { side, .. } => match side {
                PortSide::Input => "unknown-input",
                PortSide::Output => "unknown-output",
            },
        };
        let problem = Diagnostic::error(code, error.to_string()).in_model(model).at(position);
        self.diagnostics.push(problem.help("the wire is kept in the file but not loaded"));
    }

    fn duplicate_id(&mut self, model: &str, block: &Block, first: TextPosition, position: TextPosition) {
        let message = format!("the id {} is already in use in this model, at {first}", block.id.0);
        let problem = Diagnostic::error("duplicate-id", message).on_block(model, block.id).at(position);
        let help = "give one of them another id; this one is kept in the file but not loaded";
        self.diagnostics.push(problem.help(help));
    }

    fn duplicate_variable(
        &mut self,
        model: Option<&Arc<str>>,
        name: &str,
        variable: &crate::model::Variable,
        position: TextPosition,
    ) -> Extra {
        let message = format!("the variable “{name}” already exists");
        let mut problem = Diagnostic::error("duplicate-variable", message).help("give one of them another name");
        problem.location.model = model.cloned();
        self.diagnostics.push(problem.at(position));
        Extra::new(simx::variable_xml(name, variable).unwrap_or_default())
    }

    /// Puts the parts of a model together, in the order of the text.
    fn model(&mut self, found: Found, is_duplicate: bool) -> Model {
        let Found { model: mut blocks, parts } = found;
        let mut model = Model::new(&blocks.name);
        model.attributes = std::mem::take(&mut blocks.attributes);
        let mut inputs: HashMap<crate::model::InputKey, TextPosition> = HashMap::new();
        for part in parts {
            match part {
                Part::Block(id) => {
                    if let Some(block) = blocks.blocks.remove(&id) {
                        model.add_block(Arc::unwrap_or_clone(block));
                    }
                }
                Part::Connection(connection, position) => match inputs.get(&connection.key()) {
                    Some(first) => {
                        let (input, to) = (&connection.input, connection.to);
                        let message = format!("the input “{input}” of {to} is already connected, at {first}");
                        let help = "an input has only one source; remove one of the two connections";
                        let problem = Diagnostic::error("duplicate-connection", message).help(help);
                        self.diagnostics.push(problem.on_block(&model.name, to).on_input(input).at(position));
                        model.add_extra(Extra::new(simx::connection_xml(&connection).unwrap_or_default()));
                    }
                    None => {
                        inputs.insert(connection.key(), position);
                        if !is_duplicate {
                            self.source_map.add_connection(&model.name, &connection, position);
                        }
                        model.connect(*connection);
                    }
                },
                Part::Variable(name, variable) => match model.variables.contains_key(&*name.text) {
                    true => {
                        let owner = Arc::clone(&model.name);
                        let position = name.position;
                        model.add_extra(self.duplicate_variable(Some(&owner), &name.text, &variable, position));
                    }
                    false => model.set_variable(&name.text, variable),
                },
                Part::Extra(extra) => model.add_extra(extra),
            }
        }
        model
    }
}

fn output(ends: &mut Ends, end: &End) -> Result<(BlockId, Arc<str>), NameError> {
    at(ends, end, PortSide::Output)
}

fn input(ends: &mut Ends, end: &End) -> Result<(BlockId, Arc<str>), NameError> {
    at(ends, end, PortSide::Input)
}

fn at(ends: &mut Ends, end: &End, side: PortSide) -> Result<(BlockId, Arc<str>), NameError> {
    let id = ends.block(&end.block, side)?;
    Ok((id, ends.port(id, side, end.port.as_ref().map(|port| &*port.text))?))
}

/// Returns a wire whose ends are not found, as an element that no format takes for a wire: it stays an error.
fn unfound(source: &End, target: &End) -> Extra {
    let text = format!("{} -> {}", source.text(), target.text());
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(character),
        }
    }
    Extra::new(format!("<connection text=\"{escaped}\"/>"))
}

impl End {
    fn text(&self) -> String {
        let block = match &self.block {
            EndBlock::Id(id) => id.to_string(),
            EndBlock::Titled(title) => words::name(title),
        };
        match &self.port {
            Some(port) => format!("{block}.{}", words::name(&port.text)),
            None => block,
        }
    }
}

/// Finds the ends of wires in a model of a document.
pub(super) fn connections(
    line: WireLine,
    simulation: &Simulation,
    registry: &Registry,
    model: &Model,
) -> Result<Vec<Connection>, Box<Diagnostic>> {
    let mut building =
        Building { registry, source_map: SourceMap::default(), diagnostics: Vec::new(), written: HashSet::new() };
    let mut parts = Vec::new();
    building.wires(&model.name, &mut Ends::new(simulation, registry, model), line, &mut parts);
    let connection = |part| match part {
        Part::Connection(connection, _) => Some(*connection),
        _ => None,
    };
    match building.diagnostics.into_iter().next() {
        Some(problem) => Err(Box::new(problem)),
        None => Ok(parts.into_iter().filter_map(connection).collect()),
    }
}

impl BlockLine {
    /// Returns the block of a line that stands alone.
    pub fn alone(self) -> Block {
        let id = self.id.unwrap_or(BlockId(0));
        self.into_block(id)
    }
}
