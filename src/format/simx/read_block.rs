//! Reads a block's tag and content: options, the original program's `<data>`, and the rest verbatim.

use std::sync::Arc;

use super::fault::short;
use super::read::{Item, Reading, attributes, read_id};
use super::scan::{Kind, Span, Token};
use super::tag::Tag;
use crate::format::LoadError;
use crate::model::{Block, BlockKind, BlockOption, BodyItem, Diagnostic, Extra, Model, OptionItem};

impl<'a> Reading<'a> {
    /// Reads a block, or keeps the element verbatim if its tag is invalid.
    pub(super) fn block(
        &mut self,
        model: &Model,
        span: Span<'a>,
        mut tag: Tag<'a>,
    ) -> Result<Result<Block, Extra>, LoadError> {
        let mut block = match self.head(model, &tag) {
            Ok(block) => block,
            Err(problem) => return Ok(Err(self.refused(&model.name, span, *problem)?)),
        };
        for known in block.kind.known_attributes() {
            tag.take(known);
        }
        let is_empty = tag.is_empty;
        block.attributes = attributes(tag.attributes);
        if !is_empty {
            self.block_body(&model.name, &mut block)?;
        }
        Ok(Ok(block))
    }

    fn head(&self, model: &Model, tag: &Tag<'a>) -> Result<Block, Box<Diagnostic>> {
        let what = match tag.name {
            "model" => "the model block",
            "entry" => "the entry",
            "exit" => "the exit",
            _ => "the block",
        };
        let text = |name: &str| {
            tag.get(name).ok_or_else(|| {
                let problem = Diagnostic::error("missing-attribute", format!("{what} has no {name}"));
                Box::new(problem.help(match (tag.name, name) {
                    ("model", "id") if tag.get("name").is_some() => {
                        "define models at the top level; write an instance as <model id=\"…\" model=\"…\"/>".to_owned()
                    }
                    _ => format!("write {name}=\"…\"; the element is kept in the file but not loaded"),
                }))
            })
        };
        let id = read_id("id", text("id")?)?;
        let kind = match tag.name {
            "entry" => BlockKind::entry(text("name")?),
            "exit" => BlockKind::exit(text("name")?),
            "model" => BlockKind::model(text("model")?),
            _ => BlockKind::library(text("group")?, text("name")?),
        };
        match self.block_position(&model.name, id) {
            None => Ok(Block::new(id, kind)),
            Some(first) => {
                let message = format!("the id {} is already in use in this model, at {first}", id.0);
                let problem = Diagnostic::error("duplicate-id", message).on_block(&model.name, id);
                Err(Box::new(problem.help("give one of them another id; this one is kept in the file but not loaded")))
            }
        }
    }

    fn block_body(&mut self, model: &Arc<str>, block: &mut Block) -> Result<(), LoadError> {
        while let Some(item) = self.item(Some(model))? {
            match item {
                Item::Extra(extra) => block.body.push(BodyItem::Extra(extra)),
                Item::Element(span, tag) => match tag.name {
                    "option" => self.option(model, block, span, tag)?,
                    "data" => self.data(model, block, span, tag)?,
                    _ => block.body.push(BodyItem::Extra(self.unknown(span, &tag, Some(model))?)),
                },
            }
        }
        Ok(())
    }

    fn option(
        &mut self,
        model: &Arc<str>,
        block: &mut Block,
        span: Span<'a>,
        mut tag: Tag<'a>,
    ) -> Result<(), LoadError> {
        let Some(name) = tag.take("name") else {
            let problem = Diagnostic::error("missing-attribute", "the option has no name");
            let problem = problem.help("write name=\"…\"; the option is kept in the file but not used");
            block.body.push(BodyItem::Extra(self.refused(model, span, problem.on_block(model, block.id))?));
            return Ok(());
        };
        if block.option(&name).is_some() {
            let message = format!("the option “{}” is duplicated in this block", short(&name));
            let problem = Diagnostic::warning("duplicate-option", message).on_block(model, block.id);
            self.report(problem.help("the first one is used; remove the other one").at(span.position));
        }
        let is_empty = tag.is_empty;
        let mut option = BlockOption { name: name.into(), attributes: attributes(tag.attributes), items: Vec::new() };
        if !is_empty {
            while let Some(item) = self.item(Some(model))? {
                match item {
                    Item::Extra(extra) => option.items.push(OptionItem::Extra(extra)),
                    Item::Element(span, tag) if tag.name == "value" => match self.text_in(model, span, &tag)? {
                        Ok((text, beside)) => {
                            let attributes = attributes(tag.attributes);
                            option.items.push(OptionItem::Value { text: text.into(), attributes });
                            option.items.extend(beside.into_iter().map(OptionItem::Extra));
                        }
                        Err(extra) => option.items.push(OptionItem::Extra(extra)),
                    },
                    Item::Element(span, tag) => {
                        option.items.push(OptionItem::Extra(self.unknown(span, &tag, Some(model))?));
                    }
                }
            }
        }
        block.body.push(BodyItem::Option(option));
        Ok(())
    }

    fn data(&mut self, model: &Arc<str>, block: &mut Block, span: Span<'a>, mut tag: Tag<'a>) -> Result<(), LoadError> {
        let Some(name) = tag.take("name") else {
            block.body.push(BodyItem::Extra(self.unknown(span, &tag, Some(model))?));
            return Ok(());
        };
        match self.text_in(model, span, &tag)? {
            Ok((text, beside)) => {
                let attributes = attributes(tag.attributes);
                block.body.push(BodyItem::Data { name: name.into(), text: text.into(), attributes });
                block.body.extend(beside.into_iter().map(BodyItem::Extra));
            }
            Err(extra) => block.body.push(BodyItem::Extra(extra)),
        }
        Ok(())
    }

    /// Reads the text in a tag and its comments, which are kept after the tag. A tag with elements is invalid, since
    /// moving an element could change its meaning.
    fn text_in(
        &mut self,
        model: &Arc<str>,
        span: Span<'a>,
        tag: &Tag<'a>,
    ) -> Result<Result<(String, Vec<Extra>), Extra>, LoadError> {
        let mut text = String::new();
        let mut beside = Vec::new();
        if tag.is_empty {
            return Ok(Ok((text, beside)));
        }
        while let Some(Token { kind, span: inner }) = self.scanner.next()? {
            match kind {
                Kind::End => break,
                Kind::Text(part) => text.push_str(&part),
                Kind::Aside => beside.push(Extra::new(inner.raw)),
                Kind::Start(element) => {
                    let message =
                        format!("<{}> is not allowed in <{}>, which contains only text", short(element.name), tag.name);
                    let problem = Diagnostic::error("element-in-text", message).in_model(model);
                    let help = format!("the <{}> is kept in the file but not used", tag.name);
                    self.report(problem.help(help).at(inner.position));
                    self.scanner.skip(inner)?;
                    return Ok(Err(Extra::new(self.scanner.skip(span)?)));
                }
            }
        }
        Ok(Ok((text, beside)))
    }
}

impl BlockKind {
    /// The attributes that identify a block, in the order of writing.
    pub(in crate::format) fn known_attributes(&self) -> &'static [&'static str] {
        match self {
            BlockKind::Entry { .. } | BlockKind::Exit { .. } => &["id", "name"],
            BlockKind::Model { .. } => &["id", "model"],
            BlockKind::Library { .. } => &["id", "group", "name"],
        }
    }
}
