//! Reads a line of a model: a block, wires or a variable. Names are not looked up here.

use super::cursor::{Braces, Cursor, Word};
use super::fault::{Fault, malformed};
use super::words::{ARROW, INPUT, KIND_ENDS, MODEL, OUTPUT, keyword};
use crate::block::Registry;
use crate::format::LoadError;
use crate::model::{Attributes, Block, BlockId, BlockKind, BlockOption, BodyItem, OptionItem, TextPosition};

/// A line of a model.
#[derive(Debug)]
pub(super) enum Line {
    Block(BlockLine),
    Wires(WireLine),
    Variable { name: Word, value: String, attributes: Attributes },
}

/// A block as it is written.
#[derive(Debug)]
pub(super) struct BlockLine {
    pub position: TextPosition,
    /// The id, if it is written.
    pub id: Option<BlockId>,
    pub kind: BlockKind,
    pub attributes: Attributes,
    pub options: Vec<(String, Vec<String>)>,
}

/// Wires as they are written: a chain of which the last part may have several ends.
#[derive(Debug)]
pub(super) struct WireLine {
    pub source: End,
    pub through: Vec<End>,
    pub targets: Vec<End>,
    pub attributes: Attributes,
}

/// An end of a wire.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub block: EndBlock,
    pub port: Option<Word>,
    pub position: TextPosition,
}

#[derive(Clone, Debug)]
pub(super) enum EndBlock {
    Titled(String),
    Id(BlockId),
}

/// Reads the line at which the cursor stands.
pub(super) fn read(cursor: &mut Cursor) -> Result<Line, LoadError> {
    let position = cursor.position();
    if cursor.skip("#") {
        let id = cursor.id()?;
        if cursor.skip(":") {
            return block(cursor, position, None, Some(id)).map(Line::Block);
        }
        return wires(cursor, position, EndBlock::Id(id)).map(Line::Wires);
    }
    let name = match cursor.name("a name") {
        Ok(name) => name,
        Err(_) => return Err(malformed(position, &Fault::Statement)),
    };
    if cursor.skip("=") {
        let value = cursor.only_value("a variable")?;
        let braces = cursor.braces()?;
        cursor.end("the end of the line or {attributes}")?;
        let attributes = attributes(braces, Vec::new(), &["name", "value"])?;
        return Ok(Line::Variable { name, value, attributes });
    }
    if cursor.skip("#") {
        let id = cursor.id()?;
        if !cursor.skip(":") {
            return Err(cursor.expected("“:” and the kind of the block"));
        }
        return block(cursor, position, Some(name), Some(id)).map(Line::Block);
    }
    if cursor.skip(":") {
        return block(cursor, position, Some(name), None).map(Line::Block);
    }
    if cursor.rest().starts_with(['.', ',']) || cursor.rest().starts_with(ARROW) {
        return wires(cursor, position, EndBlock::Titled(name.text)).map(Line::Wires);
    }
    Err(match cursor.is_end() {
        true => malformed(position, &Fault::Statement),
        false => cursor.expected("“:”, “=” or “->”"),
    })
}

/// The kind of a block, which decides the meaning of the label before the colon.
enum Kind {
    /// The label is its name.
    Named(&'static str),
    Model(String),
    Library(BlockKind),
}

/// Reads a block after its colon.
pub(super) fn block(
    cursor: &mut Cursor,
    position: TextPosition,
    label: Option<Word>,
    id: Option<BlockId>,
) -> Result<BlockLine, LoadError> {
    let kind = kind(cursor)?;
    let mut options: Vec<(String, Vec<String>)> = Vec::new();
    let mut names = std::collections::HashSet::new();
    while cursor.skip(",") {
        let name = cursor.word(super::words::OPTION_ENDS, "the name of an option")?;
        if !cursor.skip("=") {
            return Err(cursor.expected("“=” and a value"));
        }
        let values = cursor.values()?;
        if !names.insert(name.text.clone()) {
            return Err(malformed(name.position, &Fault::SameOption(name.text)));
        }
        options.push((name.text, values));
    }
    let mut given = Vec::new();
    let kind = match (kind, label) {
        (Kind::Named(what), None) => {
            let what = if what == INPUT { "an input" } else { "an output" };
            return Err(malformed(position, &Fault::NoName(what)));
        }
        (Kind::Named(INPUT), Some(name)) => BlockKind::entry(&name.text),
        (Kind::Named(_), Some(name)) => BlockKind::exit(&name.text),
        (Kind::Model(model), label) => {
            given.extend(label.filter(|label| label.text != model).map(|label| ("label", label.text)));
            BlockKind::model(&model)
        }
        (Kind::Library(kind), label) => {
            given.extend(label.map(|label| ("label", label.text)));
            kind
        }
    };
    if cursor.skip("@") {
        for name in ["view:x", "view:y"] {
            given.push((name, cursor.word(&[' ', '\t', ',', '{', '}', '"'], "a coordinate")?.text));
            cursor.skip_blanks();
        }
    }
    let braces = cursor.braces()?;
    cursor.end("“,” and an option, @ and a position, or {attributes}")?;
    let attributes = attributes(braces, given, kind.known_attributes())?;
    Ok(BlockLine { position, id, kind, attributes, options })
}

fn kind(cursor: &mut Cursor) -> Result<Kind, LoadError> {
    const WHAT: &str = "the kind of the block";
    let position = cursor.position();
    let is_quoted = cursor.rest().starts_with('"');
    if !is_quoted && keyword(cursor.rest()) == Some(MODEL) {
        cursor.skip(MODEL);
        let name = cursor.name("the name of a model")?;
        return Ok(Kind::Model(name.text));
    }
    let first = cursor.word(KIND_ENDS, WHAT)?;
    if cursor.skip("/") {
        let name = cursor.word(KIND_ENDS, "the name of a block of the library")?;
        return Ok(Kind::Library(BlockKind::library(&first.text, &name.text)));
    }
    match (&*first.text, is_quoted) {
        (INPUT, false) => return Ok(Kind::Named(INPUT)),
        (OUTPUT, false) => return Ok(Kind::Named(OUTPUT)),
        _ => {}
    }
    let groups = groups_of(&first.text);
    match &groups[..] {
        [group] => Ok(Kind::Library(BlockKind::library(group, &first.text))),
        // The check finds it and offers what resembles it.
        [] => Ok(Kind::Library(by_title(&first.text).unwrap_or_else(|| BlockKind::library("", &first.text)))),
        _ => {
            let choices: Vec<String> = groups.iter().map(|group| format!("“{group}/{}”", first.text)).collect();
            Err(malformed(position, &Fault::SeveralKinds { name: first.text, choices: choices.join(" or ") }))
        }
    }
}

/// Returns the groups of the library that have a block of this name.
pub(super) fn groups_of(name: &str) -> Vec<&'static str> {
    static GROUPS: std::sync::OnceLock<std::collections::HashMap<&'static str, Vec<&'static str>>> =
        std::sync::OnceLock::new();
    let groups = GROUPS.get_or_init(|| {
        let mut groups: std::collections::HashMap<&'static str, Vec<&'static str>> = std::collections::HashMap::new();
        for def in Registry::standard().iter() {
            groups.entry(def.name).or_default().push(def.group);
        }
        groups
    });
    groups.get(name).cloned().unwrap_or_default()
}

/// Returns the only block of the library that the window shows under this title.
fn by_title(title: &str) -> Option<BlockKind> {
    let registry = Registry::standard();
    let mut found = registry.iter().filter(|def| def.title() == title);
    let only = found.next().filter(|_| found.next().is_none())?;
    Some(BlockKind::library(only.group, only.name))
}

/// Reads the rest of wires after the block of their source.
fn wires(cursor: &mut Cursor, position: TextPosition, block: EndBlock) -> Result<WireLine, LoadError> {
    let port = port(cursor)?;
    let source = End { block, port, position };
    if cursor.rest().starts_with(',') {
        return Err(cursor.fault(&Fault::SeveralSources));
    }
    if !cursor.skip(ARROW) {
        return Err(cursor.expected("“->” and the target of a wire"));
    }
    let mut through = Vec::new();
    loop {
        let mut targets = vec![end(cursor)?];
        while cursor.skip(",") {
            targets.push(end(cursor)?);
        }
        if cursor.rest().starts_with(ARROW) {
            match (targets.pop(), targets.is_empty()) {
                (Some(only), true) => through.push(only),
                _ => return Err(cursor.fault(&Fault::SeveralInChain)),
            }
            cursor.skip(ARROW);
            continue;
        }
        let braces = cursor.braces()?;
        cursor.end("“,”, “->” or {attributes}")?;
        let attributes = attributes(braces, Vec::new(), &["from", "output", "to", "input"])?;
        return Ok(WireLine { source, through, targets, attributes });
    }
}

fn end(cursor: &mut Cursor) -> Result<End, LoadError> {
    let position = cursor.position();
    let block = match cursor.skip("#") {
        true => EndBlock::Id(cursor.id()?),
        false => EndBlock::Titled(cursor.name("the name of a block")?.text),
    };
    Ok(End { block, port: port(cursor)?, position })
}

fn port(cursor: &mut Cursor) -> Result<Option<Word>, LoadError> {
    match cursor.skip(".") {
        true => cursor.name("the name or number of a port").map(Some),
        false => Ok(None),
    }
}

/// Returns the attributes of a line: first what the line gives elsewhere, unless the braces say where it stands.
pub(super) fn attributes(
    braces: Braces,
    mut given: Vec<(&str, String)>,
    known: &[&str],
) -> Result<Attributes, LoadError> {
    let mut placed: Vec<(String, String)> = Vec::new();
    for (name, value) in braces {
        let at = name.position;
        if known.contains(&&*name.text) {
            return Err(malformed(at, &Fault::KnownAttribute(name.text)));
        }
        let index = given.iter().position(|(known, _)| *known == name.text);
        match (value, index) {
            (Some(value), None) => placed.push((name.text, value)),
            (None, Some(index)) => placed.push((name.text, given.remove(index).1)),
            (Some(_), Some(_)) => return Err(malformed(at, &Fault::SameAttribute(name.text))),
            (None, None) => return Err(malformed(at, &Fault::NoValue(name.text))),
        }
    }
    let first = given.into_iter().map(|(name, value)| (name.to_owned(), value));
    Ok(first.chain(placed).collect())
}

impl BlockLine {
    pub fn into_block(self, id: BlockId) -> Block {
        let mut block = Block::new(id, self.kind);
        block.attributes = self.attributes;
        let value = |text: String| OptionItem::Value { text: text.into(), attributes: Attributes::default() };
        let option = |(name, values): (String, Vec<String>)| {
            BodyItem::Option(BlockOption {
                name: name.into(),
                attributes: Attributes::default(),
                items: values.into_iter().map(value).collect(),
            })
        };
        block.body = self.options.into_iter().map(option).collect();
        block
    }
}
