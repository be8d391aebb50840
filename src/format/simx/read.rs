//! Reads tokens into a simulation, its models and their connections.

use std::borrow::Cow;
use std::sync::Arc;

use super::fault::short;
use super::scan::{Kind, Scanner, Span, Token};
use super::tag::Tag;
use super::text::{SPACE, advance};
use crate::format::{LoadError, Loaded, SourceMap};
use crate::model::{
    Attributes, BlockId, Connection, Diagnostic, Extra, Model, Simulation, TextPosition, Variable, Variables,
};

/// Reads a text with LF line ends.
pub(super) fn read(text: &str) -> Result<Loaded, LoadError> {
    let mut reading =
        Reading { scanner: Scanner::new(text), diagnostics: Vec::new(), source_map: SourceMap::default() };
    let simulation = reading.simulation()?;
    Ok(Loaded { simulation, diagnostics: reading.diagnostics, source_map: reading.source_map, ..Loaded::default() })
}

/// What is read so far of a text of another format that holds items of this one, for duplicates and messages.
pub(in crate::format) struct ItemContext<'a> {
    pub source_map: &'a mut SourceMap,
    pub diagnostics: &'a mut Vec<Diagnostic>,
}

impl ItemContext<'_> {
    /// Reads the item that a text begins with, an element or a comment, into a model; returns its length in bytes.
    ///
    /// # Errors
    /// If it is not well formed.
    pub fn read_part(&mut self, text: &str, at: TextPosition, model: &mut Model) -> Result<usize, LoadError> {
        let name = Arc::clone(&model.name);
        self.read(text, at, Some(&name), |reading, item| reading.model_part(model, item))
    }

    /// Reads the item that a text begins with into a simulation; returns its length in bytes.
    ///
    /// # Errors
    /// If it is not well formed.
    pub fn read_model(
        &mut self,
        text: &str,
        at: TextPosition,
        simulation: &mut Simulation,
    ) -> Result<usize, LoadError> {
        self.read(text, at, None, |reading, item| reading.part(simulation, item))
    }

    fn read<'t>(
        &mut self,
        text: &'t str,
        at: TextPosition,
        model: Option<&Arc<str>>,
        read: impl FnOnce(&mut Reading<'t>, Item<'t>) -> Result<(), LoadError>,
    ) -> Result<usize, LoadError> {
        let mut reading = Reading {
            scanner: Scanner::within(text, at, true),
            diagnostics: std::mem::take(self.diagnostics),
            source_map: std::mem::take(self.source_map),
        };
        let done = match reading.item(model) {
            Ok(Some(item)) => read(&mut reading, item),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        (*self.diagnostics, *self.source_map) = (reading.diagnostics, reading.source_map);
        done.map(|()| reading.scanner.consumed())
    }
}

pub(super) struct Reading<'a> {
    pub(super) scanner: Scanner<'a>,
    diagnostics: Vec<Diagnostic>,
    source_map: SourceMap,
}

/// An item of a tag's content, apart from white space.
pub(super) enum Item<'a> {
    /// An element; its content follows.
    Element(Span<'a>, Tag<'a>),
    /// A comment, a processing instruction or stray text.
    Extra(Extra),
}

impl<'a> Reading<'a> {
    fn simulation(&mut self) -> Result<Simulation, LoadError> {
        let mut simulation = Simulation::default();
        while let Some(Token { kind, span }) = self.scanner.next()? {
            match kind {
                Kind::Aside if self.source_map.simulation().is_none() => simulation.prolog.push(Extra::new(span.raw)),
                Kind::Aside => simulation.epilog.push(Extra::new(span.raw)),
                Kind::Start(tag) => {
                    self.source_map.set_simulation(span.position);
                    self.root(&mut simulation, span.position, tag)?;
                }
                // White space; the scanner rejects other text outside the root.
                Kind::Text(_) | Kind::End => {}
            }
        }
        Ok(simulation)
    }

    fn root(&mut self, simulation: &mut Simulation, position: TextPosition, mut tag: Tag<'a>) -> Result<(), LoadError> {
        if tag.name != "simulation" {
            return Err(LoadError::NotASimulation { position, root: short(tag.name) });
        }
        if let Some(root) = tag.take("root") {
            simulation.root = root.into();
        }
        // An invalid number stays an attribute, which the check reports.
        if let Some(steps) = tag.number("steps", read_steps) {
            simulation.steps = steps;
        }
        if let Some(delta) = tag.number("delta", read_delta) {
            simulation.delta = delta;
        }
        // It is written in the position of the number.
        tag.attributes.sort_by_key(|(name, _)| match *name {
            "steps" => 0,
            "delta" => 1,
            _ => 2,
        });
        simulation.attributes = attributes(tag.attributes);
        if tag.is_empty {
            return Ok(());
        }
        while let Some(item) = self.item(None)? {
            self.part(simulation, item)?;
        }
        Ok(())
    }

    /// Reads an item of the simulation's content.
    fn part(&mut self, simulation: &mut Simulation, item: Item<'a>) -> Result<(), LoadError> {
        match item {
            Item::Element(span, tag) if tag.name == "model" => self.model(simulation, span, tag)?,
            Item::Element(span, tag) if tag.name == "variable" => {
                match self.variable(&simulation.variables, None, span, tag)? {
                    Ok((name, variable)) => simulation.set_variable(&name, variable),
                    Err(extra) => simulation.add_extra(extra),
                }
            }
            Item::Element(span, tag) => {
                let extra = self.unknown(span, &tag, None)?;
                simulation.add_extra(extra);
            }
            Item::Extra(extra) => simulation.add_extra(extra),
        }
        Ok(())
    }

    /// Reads the definition of a model.
    fn model(&mut self, simulation: &mut Simulation, span: Span<'a>, mut tag: Tag<'a>) -> Result<(), LoadError> {
        if let (Some(_), Some(name)) = (tag.get("id"), tag.get("name")) {
            let message = format!("the model “{}” is a definition, but has an id", short(name));
            let problem = Diagnostic::error("model-with-id", message).in_model(name);
            let problem = problem.help("remove the id; only an instance inside another model has an id");
            self.report(problem.at(span.position));
        }
        let problem = match (tag.get("name"), tag.get("id").or(tag.get("model"))) {
            (None, Some(_)) => Some(
                Diagnostic::error("model-with-id", "an instance of a model must be inside another model")
                    .help("move this tag into a model; it is kept in the file but not loaded"),
            ),
            (None, None) => Some(
                Diagnostic::error("missing-attribute", "the model has no name")
                    .help("write name=\"…\"; the model is kept in the file but not loaded"),
            ),
            (Some(name), _) => self.source_map.model(name).map(|first| {
                let message = format!("the model “{}” already exists, at {first}", short(name));
                let problem = Diagnostic::error("duplicate-model", message).in_model(name);
                problem.help("give one of them another name; this one is kept in the file but not loaded")
            }),
        };
        if let Some(problem) = problem {
            self.report(problem.at(span.position));
            simulation.add_extra(Extra::new(self.scanner.skip(span)?));
            return Ok(());
        }
        let mut model = Model::new(&tag.take("name").unwrap_or_default());
        self.source_map.add_model(&model.name, span.position);
        let is_empty = tag.is_empty;
        model.attributes = attributes(tag.attributes);
        if !is_empty {
            self.model_body(&mut model)?;
        }
        simulation.add_model(model);
        Ok(())
    }

    fn model_body(&mut self, model: &mut Model) -> Result<(), LoadError> {
        let name = Arc::clone(&model.name);
        while let Some(item) = self.item(Some(&name))? {
            self.model_part(model, item)?;
        }
        Ok(())
    }

    /// Reads an item of a model's content.
    fn model_part(&mut self, model: &mut Model, item: Item<'a>) -> Result<(), LoadError> {
        let name = Arc::clone(&model.name);
        match item {
            Item::Element(span, tag) => match tag.name {
                "entry" | "exit" | "model" | "block" => match self.block(model, span, tag)? {
                    Ok(block) => {
                        self.source_map.add_block(&name, block.id, span.position);
                        model.add_block(block);
                    }
                    Err(extra) => model.add_extra(extra),
                },
                "connection" => self.connection(model, span, tag)?,
                "variable" => match self.variable(&model.variables, Some(&name), span, tag)? {
                    Ok((name, variable)) => model.set_variable(&name, variable),
                    Err(extra) => model.add_extra(extra),
                },
                _ => {
                    let extra = self.unknown(span, &tag, Some(&name))?;
                    model.add_extra(extra);
                }
            },
            Item::Extra(extra) => model.add_extra(extra),
        }
        Ok(())
    }

    /// Reads a variable of the simulation or of `model`; an invalid one is kept verbatim.
    fn variable(
        &mut self,
        known: &Variables,
        model: Option<&Arc<str>>,
        span: Span<'a>,
        mut tag: Tag<'a>,
    ) -> Result<Result<(Cow<'a, str>, Variable), Extra>, LoadError> {
        let problem = match (tag.get("name"), tag.get("value")) {
            (Some(name), Some(_)) if known.contains_key(name) => {
                let message = format!("the variable “{}” already exists", short(name));
                Some(Diagnostic::error("duplicate-variable", message).help("give one of them another name"))
            }
            (Some(_), Some(_)) => None,
            _ => Some(
                Diagnostic::error("missing-attribute", "a variable needs a name and a value")
                    .help("write <variable name=\"…\" value=\"…\"/>"),
            ),
        };
        if let Some(mut problem) = problem {
            problem.location.model = model.cloned();
            self.report(problem.at(span.position));
            return Ok(Err(Extra::new(self.scanner.skip(span)?)));
        }
        let (name, value) = (tag.take("name").unwrap_or_default(), tag.take("value").unwrap_or_default());
        let mut variable = Variable::new(&value);
        let is_empty = tag.is_empty;
        variable.attributes = attributes(tag.attributes);
        if !is_empty {
            while let Some(item) = self.item(model)? {
                variable.body.push(match item {
                    Item::Element(span, tag) => self.unknown(span, &tag, model)?,
                    Item::Extra(extra) => extra,
                });
            }
        }
        Ok(Ok((name, variable)))
    }

    fn connection(&mut self, model: &mut Model, span: Span<'a>, mut tag: Tag<'a>) -> Result<(), LoadError> {
        let mut connection = match self.wire(model, &tag) {
            Ok(connection) => connection,
            Err(problem) => return self.refuse(model, span, *problem),
        };
        for known in ["from", "output", "to", "input"] {
            tag.take(known);
        }
        let is_empty = tag.is_empty;
        connection.attributes = attributes(tag.attributes);
        if !is_empty {
            while let Some(item) = self.item(Some(&model.name))? {
                connection.body.push(match item {
                    Item::Element(span, tag) => self.unknown(span, &tag, Some(&model.name))?,
                    Item::Extra(extra) => extra,
                });
            }
        }
        self.source_map.add_connection(&model.name, &connection, span.position);
        model.connect(connection);
        Ok(())
    }

    /// Reads the ports of a connection; the input must not be connected.
    fn wire(&self, model: &Model, tag: &Tag<'a>) -> Result<Connection, Box<Diagnostic>> {
        let text = |name: &str| {
            tag.get(name).ok_or_else(|| {
                let help = "write <connection from=\"id\" output=\"port\" to=\"id\" input=\"port\"/>";
                let problem = Diagnostic::error("missing-attribute", format!("the connection has no {name}"));
                Box::new(problem.help(help))
            })
        };
        let (from, output, to, input) = (text("from")?, text("output")?, text("to")?, text("input")?);
        let connection = Connection::new(read_id("from", from)?, output, read_id("to", to)?, input);
        match self.source_map.connection(&model.name, &connection.key()) {
            None => Ok(connection),
            Some(first) => {
                let message =
                    format!("the input “{}” of {} is already connected, at {first}", short(input), connection.to);
                let problem = Diagnostic::error("duplicate-connection", message);
                let problem = problem.help("an input has only one source; remove one of the two connections");
                Err(Box::new(problem.on_block(&model.name, connection.to).on_input(input)))
            }
        }
    }

    /// Reports an invalid tag and keeps the element verbatim.
    fn refuse(&mut self, model: &mut Model, span: Span<'a>, problem: Diagnostic) -> Result<(), LoadError> {
        let extra = self.refused(&model.name, span, problem)?;
        model.add_extra(extra);
        Ok(())
    }

    pub(super) fn refused(&mut self, model: &str, span: Span<'a>, mut problem: Diagnostic) -> Result<Extra, LoadError> {
        problem.location.model.get_or_insert_with(|| model.into());
        self.report(problem.at(span.position));
        Ok(Extra::new(self.scanner.skip(span)?))
    }

    /// Keeps an element that the format does not define here.
    pub(super) fn unknown(
        &mut self,
        span: Span<'a>,
        tag: &Tag<'a>,
        model: Option<&Arc<str>>,
    ) -> Result<Extra, LoadError> {
        // A prefix belongs to another program, and the original program wrote `<data>` anywhere.
        if !tag.name.contains(':') && tag.name != "data" {
            let message = format!("unknown element <{}>", short(tag.name));
            let help = "the element is kept unchanged; check its name and where it is placed";
            let mut problem = Diagnostic::warning("unknown-element", message).help(help).at(span.position);
            problem.location.model = model.cloned();
            self.report(problem);
        }
        Ok(Extra::new(self.scanner.skip(span)?))
    }

    /// Returns the next item in the open tag; none at its end.
    pub(super) fn item(&mut self, model: Option<&Arc<str>>) -> Result<Option<Item<'a>>, LoadError> {
        while let Some(Token { kind, span }) = self.scanner.next()? {
            match kind {
                Kind::End => return Ok(None),
                Kind::Aside => return Ok(Some(Item::Extra(Extra::new(span.raw)))),
                Kind::Start(tag) => return Ok(Some(Item::Element(span, tag))),
                Kind::Text(_) => {
                    let text = span.raw.trim_matches(SPACE);
                    if !text.is_empty() {
                        let message = format!("unexpected text “{}”", short(text));
                        let help =
                            "the text is kept unchanged; write a value as <option name=\"…\"><value>…</value></option>";
                        let indent = span.raw.len() - span.raw.trim_start_matches(SPACE).len();
                        let position = advance(span.position, span.raw.get(..indent).unwrap_or_default());
                        let mut problem = Diagnostic::warning("stray-text", message).help(help).at(position);
                        problem.location.model = model.cloned();
                        self.report(problem);
                        return Ok(Some(Item::Extra(Extra::new(text))));
                    }
                }
            }
        }
        Ok(None)
    }

    pub(super) fn report(&mut self, problem: Diagnostic) {
        self.diagnostics.push(problem);
    }

    pub(super) fn block_position(&self, model: &str, id: BlockId) -> Option<TextPosition> {
        self.source_map.block(model, id)
    }
}

impl<'a> Tag<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
    }

    /// Takes an attribute if it can be parsed; otherwise it stays.
    fn number<T>(&mut self, name: &str, read: fn(&str) -> Option<T>) -> Option<T> {
        let number = self.get(name).and_then(read)?;
        self.take(name);
        Some(number)
    }
}

pub(super) fn attributes<'a>(attributes: Vec<(&'a str, Cow<'a, str>)>) -> Attributes {
    attributes.into_iter().collect()
}

/// Reads a block id from the attribute `name`.
pub(super) fn read_id(name: &str, text: &str) -> Result<BlockId, Box<Diagnostic>> {
    BlockId::parse(text.trim()).ok_or_else(|| {
        let (least, greatest) = (BlockId::MIN.0, BlockId::MAX.0);
        let message = format!("{name} is “{}”, but an id is an integer from {least} to {greatest}", short(text));
        Box::new(Diagnostic::error("bad-id", message).help("the element is kept in the file but not loaded"))
    })
}

pub(in crate::format) fn read_steps(text: &str) -> Option<u64> {
    let text = text.trim();
    // Other programs write integers as floats, which are exact up to 2^53.
    let whole = |value: f64| value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value);
    text.parse().ok().or_else(|| text.parse::<f64>().ok().filter(|&value| whole(value)).map(|value| value as u64))
}

pub(in crate::format) fn read_delta(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}
