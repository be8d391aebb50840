//! Writes a simulation as text: every item in its place, one line for each, wires of one output or one chain in one line.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use super::ends::{Ends, is_labelled};
use super::line::groups_of;
use super::words::{self, ARROW, COMMENT, EPILOG, INPUT, MODEL, NOTHING, OUTPUT, PROLOG, SIMULATION};
use crate::block::Registry;
use crate::format::SaveError;
use crate::format::simx;
use crate::model::{
    Attributes, Block, BlockId, BlockKind, BlockOption, BodyItem, Connection, Extra, Model, OptionItem, PortSide,
    Simulation, Variable, bad_text_in,
};

/// A line of wires that is longer gets no further ones.
const LINE_LENGTH: usize = 100;

/// The indentation of the content of a model, and that of texts of several lines in it.
const INDENTATION: &str = "  ";
const TEXT_INDENTATION: &str = "    ";

/// Returns the text of a simulation.
pub(super) fn write(simulation: &Simulation) -> Result<String, SaveError> {
    match bad_text_in(simulation) {
        Some(problem) => Err(SaveError::Inexpressible { problem }),
        None => Writer::new(simulation).all(),
    }
}

/// Returns the section of one model.
pub(super) fn write_model(simulation: &Simulation, model: &Model) -> Result<String, SaveError> {
    let mut writer = Writer::new(simulation);
    writer.model(model)?;
    Ok(writer.out)
}

struct Writer<'a> {
    simulation: &'a Simulation,
    registry: Arc<Registry>,
    out: String,
}

enum Outer<'a> {
    Model(&'a Model),
    Variable(&'a str, &'a Variable),
    Extra(&'a Extra),
}

enum Inner<'a> {
    Block(&'a Block),
    Connection(&'a Connection),
    Variable(&'a str, &'a Variable),
    Extra(&'a Extra),
}

/// Returns the parts of a model in file order.
fn content(model: &Model) -> Vec<Inner<'_>> {
    let blocks = model.blocks.values().map(|block| (block.seq, Inner::Block(block)));
    let connections = model.connections.values().map(|connection| (connection.seq, Inner::Connection(connection)));
    let variables = model.variables.iter().map(|(name, variable)| (variable.seq, Inner::Variable(name, variable)));
    let extras = model.extras.iter().map(|(&seq, extra)| (seq, Inner::Extra(extra)));
    let mut content: Vec<(u64, Inner)> = blocks.chain(connections).chain(variables).chain(extras).collect();
    content.sort_by_key(|(seq, _)| *seq);
    content.into_iter().map(|(_, part)| part).collect()
}

impl<'a> Writer<'a> {
    fn new(simulation: &'a Simulation) -> Writer<'a> {
        Writer { simulation, registry: Registry::standard(), out: String::new() }
    }

    fn all(mut self) -> Result<String, SaveError> {
        let simulation = self.simulation;
        // The first line identifies the format, so it stands before everything that begins like XML.
        let is_before = simulation.prolog.iter().all(|extra| comment(extra).is_some());
        if is_before {
            simulation.prolog.iter().for_each(|extra| self.extra("", extra));
        }
        self.head();
        let mut is_outside = true;
        if !is_before {
            self.line("", PROLOG);
            simulation.prolog.iter().for_each(|extra| self.extra("", extra));
            is_outside = false;
        }
        let models = simulation.models.values().map(|model| (model.seq, Outer::Model(model)));
        let variables = simulation.variables.iter();
        let variables = variables.map(|(name, variable)| (variable.seq, Outer::Variable(name, variable)));
        let extras = simulation.extras.iter().map(|(&seq, extra)| (seq, Outer::Extra(extra)));
        let mut content: Vec<(u64, Outer)> = models.chain(variables).chain(extras).collect();
        content.sort_by_key(|(seq, _)| *seq);
        for (_, part) in content {
            if let Outer::Model(model) = part {
                self.out.push('\n');
                self.model(model)?;
                is_outside = false;
                continue;
            }
            if !is_outside {
                self.out.push('\n');
                self.line("", SIMULATION);
                is_outside = true;
            }
            match part {
                Outer::Variable(name, variable) => self.variable("", name, variable)?,
                Outer::Extra(extra) => self.extra("", extra),
                Outer::Model(_) => {}
            }
        }
        if !simulation.epilog.is_empty() {
            self.out.push('\n');
            self.line("", EPILOG);
            simulation.epilog.iter().for_each(|extra| self.extra("", extra));
        }
        Ok(self.out)
    }

    fn head(&mut self) {
        let simulation = self.simulation;
        let _ = write!(self.out, "{SIMULATION} {}", words::name(&simulation.root));
        let kept = |name| simulation.attributes.get(name).map(str::to_owned);
        let steps = kept("steps").unwrap_or_else(|| simulation.steps.to_string());
        let delta = kept("delta").unwrap_or_else(|| simx::shortest(simulation.delta));
        let numbers = [("steps", &*steps), ("delta", &*delta)];
        let others = simulation.attributes.iter().filter(|(name, _)| !["steps", "delta", "root"].contains(name));
        for (name, value) in numbers.into_iter().chain(others) {
            let _ = write!(self.out, ", {name} = {}", words::value(value));
        }
        self.out.push('\n');
    }

    fn model(&mut self, model: &Model) -> Result<(), SaveError> {
        let _ = write!(self.out, "{MODEL} {}", words::name(&model.name));
        self.out.push_str(&braces(&model.attributes, &["name"], &[]));
        self.out.push('\n');
        let registry = Arc::clone(&self.registry);
        let mut ends = Ends::new(self.simulation, &registry, model);
        let mut wires = Wires::default();
        let mut previous = BlockId(-1);
        for part in content(model) {
            if let Inner::Connection(connection) = part {
                self.connection(&mut ends, &mut wires, connection)?;
                continue;
            }
            self.finish(&mut wires);
            match part {
                Inner::Block(block) => {
                    let is_next = block.id.0 == previous.0 + 1 && !ends.needs_id(block);
                    self.block(block, is_next)?;
                    previous = block.id;
                }
                Inner::Variable(name, variable) => self.variable(INDENTATION, name, variable)?,
                Inner::Extra(extra) => self.extra(INDENTATION, extra),
                Inner::Connection(_) => {}
            }
        }
        self.finish(&mut wires);
        Ok(())
    }

    fn block(&mut self, block: &Block, is_next: bool) -> Result<(), SaveError> {
        if !is_expressible(block) {
            self.line(INDENTATION, &simx::block_xml(block)?);
            return Ok(());
        }
        self.out.push_str(INDENTATION);
        let label = block.attributes.get("label");
        let mut given = Vec::new();
        let name = match &block.kind {
            BlockKind::Entry { name } | BlockKind::Exit { name } => Some(&**name),
            BlockKind::Model { model } => match label.filter(|label| *label != &**model) {
                Some(label) => {
                    given.push("label");
                    Some(label)
                }
                None => Some(&**model),
            },
            BlockKind::Library { .. } => {
                given.extend(label.map(|_| "label"));
                label
            }
        };
        if let Some(name) = name {
            self.out.push_str(&words::name(name));
        }
        if !is_next || name.is_none() || !is_labelled(block) {
            let space = if name.is_some() { " " } else { "" };
            let _ = write!(self.out, "{space}{}", block.id);
        }
        self.out.push_str(": ");
        self.kind(&block.kind);
        for option in block.options() {
            self.option(option);
        }
        let coordinate = |name| block.attributes.get(name).filter(|text| is_coordinate(text));
        if let (Some(x), Some(y)) = (coordinate("view:x"), coordinate("view:y")) {
            let _ = write!(self.out, " @ {x} {y}");
            given.extend(["view:x", "view:y"]);
        }
        self.out.push_str(&braces(&block.attributes, block.kind.known_attributes(), &given));
        self.out.push('\n');
        Ok(())
    }

    fn kind(&mut self, kind: &BlockKind) {
        match kind {
            BlockKind::Entry { .. } => self.out.push_str(INPUT),
            BlockKind::Exit { .. } => self.out.push_str(OUTPUT),
            BlockKind::Model { model } => {
                let _ = write!(self.out, "{MODEL} {}", words::name(model));
            }
            BlockKind::Library { group, name } => {
                if groups_of(name) != [&**group] {
                    let _ = write!(self.out, "{}/", words::kind_part(group));
                }
                self.out.push_str(&words::kind_part(name));
            }
        }
    }

    fn option(&mut self, option: &BlockOption) {
        let _ = write!(self.out, ", {} = ", words::option_name(&option.name));
        let value = |text| words::fenced(text, TEXT_INDENTATION).unwrap_or_else(|| words::value(text));
        let values: Vec<String> = option.texts().map(value).collect();
        match values.is_empty() {
            true => self.out.push_str(NOTHING),
            false => self.out.push_str(&values.join("; ")),
        }
    }

    fn variable(&mut self, indentation: &str, name: &str, variable: &Variable) -> Result<(), SaveError> {
        if !variable.body.is_empty() || !is_distinct(&variable.attributes) {
            self.line(indentation, &simx::variable_xml(name, variable)?);
            return Ok(());
        }
        let braces = braces(&variable.attributes, &["name", "value"], &[]);
        let line = format!("{} = {}{braces}", words::name(name), words::value(&variable.value));
        self.line(indentation, &line);
        Ok(())
    }

    /// Adds a wire to the open line, or begins another one.
    fn connection(&mut self, ends: &mut Ends, wires: &mut Wires, wire: &Connection) -> Result<(), SaveError> {
        let is_plain = wire.body.is_empty() && is_distinct(&wire.attributes);
        let source = ends.written(wire.from, PortSide::Output, &wire.output);
        let target = ends.written(wire.to, PortSide::Input, &wire.input);
        let (true, Some(source), Some(target)) = (is_plain, source, target) else {
            self.finish(wires);
            self.line(INDENTATION, &simx::connection_xml(wire)?);
            return Ok(());
        };
        let is_short = wires.text.len() + target.len() + ARROW.len() + 2 <= LINE_LENGTH;
        if is_short && wires.attributes == wire.attributes {
            if wires.is_source(wire) {
                wires.text.push_str(", ");
                wires.text.push_str(&target);
                wires.last = None;
                return Ok(());
            }
            if wires.last == Some(wire.from)
                && ends.only_output(wire.from).is_some_and(|only| only == wire.output)
                && wires.last_name == source
            {
                let _ = write!(wires.text, " {ARROW} {target}");
                wires.extend(ends, wire);
                return Ok(());
            }
        }
        self.finish(wires);
        wires.text = format!("{source} {ARROW} {target}");
        wires.attributes = wire.attributes.clone();
        wires.extend(ends, wire);
        Ok(())
    }

    fn finish(&mut self, wires: &mut Wires) {
        if !wires.text.is_empty() {
            let line = format!("{}{}", wires.text, braces(&wires.attributes, &["from", "output", "to", "input"], &[]));
            self.line(INDENTATION, &line);
        }
        *wires = Wires::default();
    }

    fn extra(&mut self, indentation: &str, extra: &Extra) {
        let line = match comment(extra) {
            Some("") => COMMENT.to_owned(),
            Some(text) => format!("{COMMENT} {text}"),
            None if is_verbatim(extra) => extra.xml.to_string(),
            None => format!("<{}>", words::quoted(&extra.xml)),
        };
        self.line(indentation, &line);
    }

    fn line(&mut self, indentation: &str, line: &str) {
        self.out.push_str(indentation);
        self.out.push_str(line);
        self.out.push('\n');
    }
}

/// The wires of a line that is not finished.
#[derive(Default)]
struct Wires {
    text: String,
    attributes: Attributes,
    /// The output of the last source.
    source: Option<(BlockId, Arc<str>)>,
    /// The only target of the last source, from which a chain may go on, and its name as a source.
    last: Option<BlockId>,
    last_name: String,
}

impl Wires {
    fn is_source(&self, wire: &Connection) -> bool {
        self.source.as_ref().is_some_and(|(from, output)| *from == wire.from && *output == wire.output)
    }

    fn extend(&mut self, ends: &mut Ends, wire: &Connection) {
        self.source = Some((wire.from, Arc::clone(&wire.output)));
        self.last = Some(wire.to);
        self.last_name = ends.name_of(wire.to, PortSide::Input);
    }
}

/// Whether a line can express all of a block.
pub(super) fn is_expressible(block: &Block) -> bool {
    let mut names = HashSet::new();
    let is_value = |item: &OptionItem| matches!(item, OptionItem::Value { attributes, .. } if attributes.is_empty());
    let is_line = |item: &BodyItem| match item {
        BodyItem::Option(option) => {
            option.attributes.is_empty() && option.items.iter().all(is_value) && names.insert(Arc::clone(&option.name))
        }
        _ => false,
    };
    is_distinct(&block.attributes) && block.body.iter().all(is_line)
}

/// Whether no attribute is there twice.
fn is_distinct(attributes: &Attributes) -> bool {
    let mut names = HashSet::new();
    attributes.iter().all(|(name, _)| names.insert(name))
}

/// Whether a text may stand as a coordinate after an `@`.
fn is_coordinate(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte))
        && !text.contains(ARROW)
}

/// Returns attributes in braces; of those that the line gives elsewhere only the names, where their order needs it.
fn braces(attributes: &Attributes, known: &[&str], given: &[&str]) -> String {
    let mut parts = Vec::new();
    let mut next = 0;
    for (name, value) in attributes.iter().filter(|(name, _)| !known.contains(name)) {
        match given.iter().position(|given| *given == name) {
            Some(index) if parts.is_empty() && index >= next => next = index + 1,
            Some(_) => parts.push(name.to_owned()),
            None => parts.push(format!("{name}={}", words::value(value))),
        }
    }
    if parts.is_empty() { String::new() } else { format!(" {{{}}}", parts.join(", ")) }
}

/// Returns the text of a comment that fits in a line.
fn comment(extra: &Extra) -> Option<&str> {
    let text = extra.xml.strip_prefix("<!--")?.strip_suffix("-->")?;
    if text.is_empty() {
        return Some(text);
    }
    let text = text.strip_prefix(' ')?.strip_suffix(' ')?;
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains(['\n', '\r']) && !text.contains("--");
    is_plain.then_some(text)
}

/// Whether an extra can stand as it is, so that it is read as one.
fn is_verbatim(extra: &Extra) -> bool {
    extra.xml.starts_with('<') && !extra.xml.contains('\r') && simx::is_one_item(&extra.xml)
}
