//! Reads a text line by line into the content of models; [`super::build`] makes the simulation of it.

use std::collections::HashSet;
use std::sync::Arc;

use super::cursor::{Cursor, Word};
use super::fault::{Fault, malformed};
use super::line::{self, Line, WireLine};
use super::words::{self, EPILOG, MODEL, PROLOG, SIMULATION};
use crate::format::simx::{self, ItemContext};
use crate::format::{LoadError, SourceMap};
use crate::model::{
    Attributes, Block, BlockId, Connection, Diagnostic, Extra, Model, Simulation, TextPosition, Variable,
};

/// The content of a text before names are looked up.
#[derive(Default)]
pub(super) struct Draft {
    /// The simulation without its models.
    pub simulation: Simulation,
    /// The content of the simulation, in the order of the text.
    pub content: Vec<Content>,
    pub source_map: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    /// The names of the models so far.
    models: HashSet<Arc<str>>,
}

impl Draft {
    /// Returns the names of the models that the text has.
    pub fn model_names(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        self.content.iter().filter_map(|content| match content {
            Content::Model(model) => Some(Arc::clone(&model.name)),
            Content::Whole(model) => Some(Arc::clone(&model.name)),
            Content::Variable(..) | Content::Extra(_) => None,
        })
    }
}

/// An item between the models, or a model.
pub(super) enum Content {
    Model(ModelDraft),
    /// A model that is written in XML.
    Whole(Box<Model>),
    Variable(Word, Variable),
    Extra(Extra),
}

/// A section of a text.
pub(super) struct ModelDraft {
    pub name: Arc<str>,
    pub attributes: Attributes,
    pub items: Vec<Item>,
    /// Whether an earlier section has the name, so that this one is not loaded.
    pub is_duplicate: bool,
}

/// An item of a model.
pub(super) enum Item {
    Block {
        block: Box<Block>,
        id: IdSource,
        position: TextPosition,
    },
    Wires(Box<WireLine>),
    /// A connection in XML.
    Connection(Box<Connection>, TextPosition),
    Variable(Word, Variable),
    Extra(Extra),
}

/// Where the id of a block is from.
pub(super) enum IdSource {
    /// The line has none.
    Implied,
    Written,
    /// The element, as it is written.
    Xml(Arc<str>),
}

/// The section to which lines belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Before,
    Simulation,
    Model,
    Prolog,
    Epilog,
}

struct Reading<'a> {
    cursor: Cursor<'a>,
    section: Section,
    draft: Draft,
}

/// Reads a text with LF line ends.
pub(super) fn read(text: &str) -> Result<Draft, LoadError> {
    let mut reading = Reading { cursor: Cursor::new(text), section: Section::Before, draft: Draft::default() };
    while reading.cursor.next_line() {
        reading.line()?;
    }
    if reading.section == Section::Before {
        return Err(reading.cursor.fault(&Fault::NoSimulation));
    }
    let draft = reading.draft;
    if !simx::is_outside(&draft.simulation.prolog, &draft.simulation.epilog) {
        let position = draft.source_map.simulation().unwrap_or(TextPosition { line: 1, column: 1 });
        return Err(malformed(position, &Fault::OutsideRoot));
    }
    Ok(draft)
}

impl<'a> Reading<'a> {
    fn line(&mut self) -> Result<(), LoadError> {
        if self.cursor.rest().is_empty() {
            return Ok(());
        }
        if self.cursor.rest().starts_with('<') && self.section != Section::Before {
            return self.xml();
        }
        if !self.cursor.is_comment() {
            self.statement()?;
        }
        if let Some(text) = self.cursor.comment() {
            self.extra(comment(text));
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), LoadError> {
        match words::keyword(self.cursor.rest()) {
            Some(SIMULATION) => self.simulation(),
            _ if self.section == Section::Before => Err(self.cursor.fault(&Fault::NoSimulation)),
            Some(MODEL) => self.model(),
            Some(PROLOG) => self.enter(PROLOG, Section::Prolog),
            Some(EPILOG) => self.enter(EPILOG, Section::Epilog),
            _ => self.item(),
        }
    }

    /// Begins a section whose line is one word.
    fn enter(&mut self, word: &str, section: Section) -> Result<(), LoadError> {
        self.cursor.skip(word);
        self.cursor.end("the end of the line")?;
        self.section = section;
        Ok(())
    }

    /// Reads the first line, or a line that returns to the content between the models.
    fn simulation(&mut self) -> Result<(), LoadError> {
        let position = self.cursor.position();
        self.cursor.skip(SIMULATION);
        if self.section != Section::Before {
            if !self.cursor.is_end() {
                return Err(malformed(position, &Fault::SecondSimulation));
            }
            self.section = Section::Simulation;
            return Ok(());
        }
        let root = self.cursor.name("the name of the top-level model")?;
        let mut attributes: Vec<(String, String)> = Vec::new();
        let mut names = HashSet::new();
        while self.cursor.skip(",") {
            let name = self.cursor.attribute_name()?;
            if name.text == "root" {
                return Err(malformed(name.position, &Fault::KnownAttribute(name.text)));
            }
            if !self.cursor.skip("=") {
                return Err(self.cursor.expected("“=” and a value"));
            }
            let value = self.cursor.only_value("an attribute")?;
            if !names.insert(name.text.clone()) {
                return Err(malformed(name.position, &Fault::SameAttribute(name.text)));
            }
            attributes.push((name.text, value));
        }
        self.cursor.end("“,” and a value of the simulation, or the end of the line")?;
        let simulation = &mut self.draft.simulation;
        simulation.root = root.text.into();
        // An invalid number stays an attribute, as in XML.
        attributes.retain(|(name, text)| match &**name {
            "steps" => simx::read_steps(text).map(|steps| simulation.steps = steps).is_none(),
            "delta" => simx::read_delta(text).map(|delta| simulation.delta = delta).is_none(),
            _ => true,
        });
        attributes.sort_by_key(|(name, _)| match &**name {
            "steps" => 0,
            "delta" => 1,
            _ => 2,
        });
        simulation.attributes = attributes.into_iter().collect();
        self.draft.source_map.set_simulation(position);
        self.section = Section::Simulation;
        Ok(())
    }

    fn model(&mut self) -> Result<(), LoadError> {
        let position = self.cursor.position();
        self.cursor.skip(MODEL);
        let name = self.cursor.name("the name of the model")?;
        let braces = self.cursor.braces()?;
        self.cursor.end("the end of the line or {attributes}")?;
        let attributes = line::attributes(braces, Vec::new(), &["name"])?;
        let name: Arc<str> = name.text.into();
        let is_duplicate = !self.draft.models.insert(Arc::clone(&name));
        match is_duplicate {
            false => self.draft.source_map.add_model(&name, position),
            true => {
                let first = self.draft.source_map.model(&name);
                let first = first.map(|first| format!(", at {first}")).unwrap_or_default();
                let problem = Diagnostic::error("duplicate-model", format!("the model “{name}” already exists{first}"));
                let help = "give one of them another name; this one is kept in the file but not loaded";
                self.draft.diagnostics.push(problem.help(help).in_model(&name).at(position));
            }
        }
        let draft = ModelDraft { name, attributes, items: Vec::new(), is_duplicate };
        self.draft.content.push(Content::Model(draft));
        self.section = Section::Model;
        Ok(())
    }

    /// The model to which lines belong now.
    fn current(&mut self) -> Option<&mut ModelDraft> {
        match (self.section, self.draft.content.last_mut()) {
            (Section::Model, Some(Content::Model(model))) => Some(model),
            _ => None,
        }
    }

    fn item(&mut self) -> Result<(), LoadError> {
        let position = self.cursor.position();
        let line = line::read(&mut self.cursor)?;
        let outside = match &line {
            _ if matches!(self.section, Section::Prolog | Section::Epilog) => Some(Fault::OutsideRoot),
            Line::Block(_) => Some(Fault::OutsideModel("block")),
            Line::Wires(_) => Some(Fault::OutsideModel("wire")),
            Line::Variable { .. } => None,
        };
        if self.section != Section::Model
            && let Some(fault) = outside
        {
            return Err(malformed(position, &fault));
        }
        match (line, self.current()) {
            (Line::Block(line), Some(model)) => {
                let (id, source) = match line.id {
                    Some(id) => (id, IdSource::Written),
                    None => (BlockId(0), IdSource::Implied),
                };
                let position = line.position;
                let block = Box::new(line.into_block(id));
                model.items.push(Item::Block { block, id: source, position });
            }
            (Line::Wires(line), Some(model)) => model.items.push(Item::Wires(Box::new(line))),
            (Line::Variable { name, value, attributes }, model) => {
                let variable = Variable { attributes, ..Variable::new(&value) };
                match model {
                    Some(model) => model.items.push(Item::Variable(name, variable)),
                    None => self.draft.content.push(Content::Variable(name, variable)),
                }
            }
            (Line::Block(_) | Line::Wires(_), None) => {}
        }
        Ok(())
    }

    fn extra(&mut self, extra: Extra) {
        match (self.section, self.current()) {
            (_, Some(model)) => model.items.push(Item::Extra(extra)),
            (Section::Before | Section::Prolog, _) => self.draft.simulation.prolog.push(extra),
            (Section::Epilog, _) => self.draft.simulation.epilog.push(extra),
            _ => self.draft.content.push(Content::Extra(extra)),
        }
    }

    /// Reads an item in XML, or a text that is kept as it is: `<"…">`.
    fn xml(&mut self) -> Result<(), LoadError> {
        let position = self.cursor.position();
        let text = self.cursor.rest_of_text();
        if text.starts_with("<\"") {
            return self.kept(position);
        }
        if text.starts_with("</") {
            return Err(self.cursor.fault(&Fault::EndTag));
        }
        if text.starts_with("<![CDATA[") {
            return Err(self.cursor.fault(&Fault::CData));
        }
        if let Section::Prolog | Section::Epilog = self.section {
            let length = simx::aside_length(text, position, self.section == Section::Prolog)?;
            self.cursor.skip_item(length)?;
            self.extra(Extra::new(text.get(..length).unwrap_or_default()));
            return Ok(());
        }
        // A second declaration; the scanner takes it for the first.
        if text.starts_with("<?xml") && !text.starts_with("<?xml-") {
            return Err(self.cursor.fault(&Fault::OutsideRoot));
        }
        let name = self.current().map(|model| Arc::clone(&model.name));
        let Draft { source_map, diagnostics, .. } = &mut self.draft;
        let mut context = ItemContext { source_map, diagnostics };
        let length = match name {
            Some(name) => {
                let mut part = Model::new(&name);
                let length = context.read_part(text, position, &mut part)?;
                let xml: Arc<str> = text.get(..length).unwrap_or_default().into();
                self.part(part, &xml, position);
                length
            }
            None => {
                let mut part = Simulation::default();
                let length = context.read_model(text, position, &mut part)?;
                self.whole(part, position);
                length
            }
        };
        self.cursor.skip_item(length)
    }

    /// Takes the content that an item in XML has given a model.
    fn part(&mut self, part: Model, xml: &Arc<str>, position: TextPosition) {
        let Some(model) = self.current() else { return };
        for block in part.blocks.values() {
            let (block, id) = (Box::new(Block::clone(block)), IdSource::Xml(Arc::clone(xml)));
            model.items.push(Item::Block { block, id, position });
        }
        for connection in part.connections.values() {
            model.items.push(Item::Connection(Box::new(Connection::clone(connection)), position));
        }
        for (name, variable) in part.variables {
            let name = Word { text: (&*name).into(), position };
            model.items.push(Item::Variable(name, Arc::unwrap_or_clone(variable)));
        }
        model.items.extend(part.extras.into_values().map(Item::Extra));
    }

    /// Takes the content that an item in XML has given a simulation.
    fn whole(&mut self, part: Simulation, position: TextPosition) {
        let content = &mut self.draft.content;
        for (name, model) in part.models {
            self.draft.models.insert(name);
            content.push(Content::Whole(Box::new(Arc::unwrap_or_clone(model))));
        }
        for (name, variable) in part.variables {
            let name = Word { text: (&*name).into(), position };
            content.push(Content::Variable(name, Arc::unwrap_or_clone(variable)));
        }
        content.extend(part.extras.into_values().map(Content::Extra));
    }

    /// Reads a text that XML has between elements, or XML that a reader would take for something else.
    fn kept(&mut self, position: TextPosition) -> Result<(), LoadError> {
        self.cursor.skip("<");
        let text = self.cursor.only_value("a text")?;
        if !self.cursor.skip(">") {
            return Err(self.cursor.expected("“>” after the text"));
        }
        self.cursor.end("the end of the line")?;
        let extra = Extra::new(text);
        if !simx::is_content(&extra) {
            return Err(malformed(position, &Fault::NotXml));
        }
        if !extra.xml.starts_with('<') {
            let message = format!("unexpected text “{}”", extra.xml.chars().take(60).collect::<String>());
            let problem = Diagnostic::warning("stray-text", message).help("the text is kept unchanged");
            self.draft.diagnostics.push(problem.at(position));
        }
        self.extra(extra);
        Ok(())
    }
}

/// Returns the XML comment of a comment. It may not contain two hyphens in a row, so they are separated.
fn comment(text: &str) -> Extra {
    let text = text.trim_matches(words::BLANK);
    if text.is_empty() {
        return Extra::new("<!---->");
    }
    let mut text = text.to_owned();
    while text.contains("--") {
        text = text.replace("--", "- -");
    }
    Extra::new(format!("<!-- {text} -->"))
}
