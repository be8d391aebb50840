//! Writes a simulation as canonical text, one line for each block, so that line diffs are useful.

use std::fmt::{Display, Write};

use super::tag::is_name;
use super::text::is_character;
use super::{VIEW_DECLARATION, VIEW_NAMESPACE, VIEW_PREFIX};
use crate::format::SaveError;
use crate::model::{
    Attributes, Block, BlockKind, BlockOption, BodyItem, Connection, Extra, Model, OptionItem, Simulation, Variable,
    Variables,
};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Longer numbers are written with an exponent.
const LONGEST_PLAIN_NUMBER: usize = 21;

pub(super) fn write(simulation: &Simulation) -> Result<String, SaveError> {
    // The content comes first: the root tag declares the prefix only if the content uses it.
    let mut inside = Writer::default();
    inside.simulation_body(simulation)?;
    let mut writer = Writer { out: DECLARATION.to_owned(), has_view: inside.has_view };
    for extra in &simulation.prolog {
        writer.line(0, &extra.xml);
    }
    writer.out.push_str("<simulation");
    writer.number(simulation, "steps", &simulation.steps.to_string())?;
    writer.number(simulation, "delta", &shortest(simulation.delta))?;
    if !simulation.root.is_empty() {
        writer.attribute("root", &simulation.root)?;
    }
    writer.attributes(&simulation.attributes, &["steps", "delta", "root"])?;
    if writer.has_view && simulation.attributes.get(VIEW_DECLARATION).is_none() {
        writer.attribute(VIEW_DECLARATION, VIEW_NAMESPACE)?;
    }
    match inside.out.is_empty() {
        true => writer.out.push_str("/>\n"),
        false => {
            writer.out.push_str(">\n");
            writer.out.push_str(&inside.out);
            writer.out.push_str("</simulation>\n");
        }
    }
    for extra in &simulation.epilog {
        writer.line(0, &extra.xml);
    }
    Ok(writer.out)
}

/// Returns what one item of a model is written as, without the indentation and the line's end.
pub(super) fn element(write: impl FnOnce(&mut Writer) -> Result<(), SaveError>) -> Result<String, SaveError> {
    let mut writer = Writer::default();
    write(&mut writer)?;
    Ok(writer.out.trim_matches(['\t', '\n']).to_owned())
}

/// Returns the shortest text that parses to the same bits.
pub(in crate::format) fn shortest(value: f64) -> String {
    let plain = value.to_string();
    match plain.len() > LONGEST_PLAIN_NUMBER {
        true => format!("{value:e}"),
        false => plain,
    }
}

#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// Whether an attribute with the window's prefix has been written.
    has_view: bool,
}

enum Child<'a> {
    Model(&'a Model),
    Block(&'a Block),
    Connection(&'a Connection),
    Variable(&'a str, &'a Variable),
    Extra(&'a Extra),
}

fn variables(variables: &Variables) -> impl Iterator<Item = (u64, Child<'_>)> {
    variables.iter().map(|(name, variable)| (variable.seq, Child::Variable(name, variable)))
}

impl Writer {
    fn simulation_body(&mut self, simulation: &Simulation) -> Result<(), SaveError> {
        let models = simulation.models.values().map(|model| (model.seq, Child::Model(model)));
        let extras = simulation.extras.iter().map(|(&seq, extra)| (seq, Child::Extra(extra)));
        self.children(1, models.chain(variables(&simulation.variables)).chain(extras).collect())
    }

    fn model(&mut self, model: &Model) -> Result<(), SaveError> {
        self.out.push_str("\t<model");
        self.attribute("name", &model.name)?;
        self.attributes(&model.attributes, &["name"])?;
        let blocks = model.blocks.values().map(|block| (block.seq, Child::Block(block)));
        let connections = model.connections.values().map(|connection| (connection.seq, Child::Connection(connection)));
        let extras = model.extras.iter().map(|(&seq, extra)| (seq, Child::Extra(extra)));
        let children: Vec<_> = blocks.chain(connections).chain(variables(&model.variables)).chain(extras).collect();
        if children.is_empty() {
            self.out.push_str("/>\n");
            return Ok(());
        }
        self.out.push_str(">\n");
        self.children(2, children)?;
        self.line(1, "</model>");
        Ok(())
    }

    /// Writes children in file order.
    fn children(&mut self, depth: usize, mut children: Vec<(u64, Child)>) -> Result<(), SaveError> {
        children.sort_by_key(|(seq, _)| *seq);
        for (_, child) in children {
            match child {
                Child::Model(model) => self.model(model)?,
                Child::Block(block) => self.block(block)?,
                Child::Connection(connection) => self.connection(connection)?,
                Child::Variable(name, variable) => self.variable(depth, name, variable)?,
                Child::Extra(extra) => self.line(depth, &extra.xml),
            }
        }
        Ok(())
    }

    pub(super) fn block(&mut self, block: &Block) -> Result<(), SaveError> {
        let tag = match &block.kind {
            BlockKind::Entry { .. } => "entry",
            BlockKind::Exit { .. } => "exit",
            BlockKind::Model { .. } => "model",
            BlockKind::Library { .. } => "block",
        };
        self.put(format_args!("\t\t<{tag} id=\"{}\"", block.id.0));
        match &block.kind {
            BlockKind::Entry { name } | BlockKind::Exit { name } => self.attribute("name", name)?,
            BlockKind::Model { model } => self.attribute("model", model)?,
            BlockKind::Library { group, name } => {
                self.attribute("group", group)?;
                self.attribute("name", name)?;
            }
        }
        self.attributes(&block.attributes, block.kind.known_attributes())?;
        if block.body.is_empty() {
            self.out.push_str("/>\n");
            return Ok(());
        }
        self.out.push('>');
        for item in &block.body {
            match item {
                BodyItem::Option(option) => self.option(option)?,
                BodyItem::Data { name, text, attributes } => {
                    self.out.push_str("<data");
                    self.attribute("name", name)?;
                    self.attributes(attributes, &["name"])?;
                    self.text_element("data", text)?;
                }
                BodyItem::Extra(extra) => self.out.push_str(&extra.xml),
            }
        }
        self.put(format_args!("</{tag}>\n"));
        Ok(())
    }

    fn option(&mut self, option: &BlockOption) -> Result<(), SaveError> {
        self.out.push_str("<option");
        self.attribute("name", &option.name)?;
        self.attributes(&option.attributes, &["name"])?;
        if option.items.is_empty() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        for item in &option.items {
            match item {
                OptionItem::Value { text, attributes } => {
                    self.out.push_str("<value");
                    self.attributes(attributes, &[])?;
                    self.text_element("value", text)?;
                }
                OptionItem::Extra(extra) => self.out.push_str(&extra.xml),
            }
        }
        self.out.push_str("</option>");
        Ok(())
    }

    pub(super) fn connection(&mut self, connection: &Connection) -> Result<(), SaveError> {
        self.put(format_args!("\t\t<connection from=\"{}\"", connection.from.0));
        self.attribute("output", &connection.output)?;
        self.put(format_args!(" to=\"{}\"", connection.to.0));
        self.attribute("input", &connection.input)?;
        self.attributes(&connection.attributes, &["from", "output", "to", "input"])?;
        if connection.body.is_empty() {
            self.out.push_str("/>\n");
            return Ok(());
        }
        self.out.push('>');
        for extra in &connection.body {
            self.out.push_str(&extra.xml);
        }
        self.out.push_str("</connection>\n");
        Ok(())
    }

    pub(super) fn variable(&mut self, depth: usize, name: &str, variable: &Variable) -> Result<(), SaveError> {
        self.out.extend(std::iter::repeat_n('\t', depth));
        self.out.push_str("<variable");
        self.attribute("name", name)?;
        self.attribute("value", &variable.value)?;
        self.attributes(&variable.attributes, &["name", "value"])?;
        if variable.body.is_empty() {
            self.out.push_str("/>\n");
            return Ok(());
        }
        self.out.push('>');
        for extra in &variable.body {
            self.out.push_str(&extra.xml);
        }
        self.out.push_str("</variable>\n");
        Ok(())
    }

    fn line(&mut self, depth: usize, xml: &str) {
        self.out.extend(std::iter::repeat_n('\t', depth));
        self.out.push_str(xml);
        self.out.push('\n');
    }

    /// Ends the open tag, with a text as content or as an empty element.
    fn text_element(&mut self, tag: &str, text: &str) -> Result<(), SaveError> {
        if text.is_empty() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        self.escaped(text, &['\r'])?;
        self.put(format_args!("</{tag}>"));
        Ok(())
    }

    /// Writes `steps` or `delta`: the original text if that was invalid.
    fn number(&mut self, simulation: &Simulation, name: &str, number: &str) -> Result<(), SaveError> {
        self.attribute(name, simulation.attributes.get(name).unwrap_or(number))
    }

    /// Writes the attributes except those that the document stores separately.
    fn attributes(&mut self, attributes: &Attributes, known: &[&str]) -> Result<(), SaveError> {
        for (name, value) in attributes.iter().filter(|(name, _)| !known.contains(name)) {
            if !is_name(name) {
                return Err(SaveError::AttributeName(name.to_owned()));
            }
            self.has_view |= name.starts_with(VIEW_PREFIX);
            self.attribute(name, value)?;
        }
        Ok(())
    }

    fn attribute(&mut self, name: &str, value: &str) -> Result<(), SaveError> {
        self.put(format_args!(" {name}=\""));
        self.escaped(value, &['"', '\t', '\n', '\r'])?;
        self.out.push('"');
        Ok(())
    }

    /// Writes a text with escapes; `further` characters are written as references too.
    fn escaped(&mut self, text: &str, further: &[char]) -> Result<(), SaveError> {
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                _ if !is_character(character) => {
                    return Err(SaveError::Character { character, text: text.to_owned() });
                }
                '"' if further.contains(&'"') => self.out.push_str("&quot;"),
                _ if further.contains(&character) => self.put(format_args!("&#{};", u32::from(character))),
                _ => self.out.push(character),
            }
        }
        Ok(())
    }

    fn put(&mut self, what: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{what}");
    }
}
