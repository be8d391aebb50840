//! Diagrams that are stored as lists, as the inside of many blocks is.

use super::super::source::{Area, Block};
use super::scilab::Value;
use super::text::rewritten;
use super::wiring::{Drawn, Item, Link, LinkKind};

const MAX_DEPTH: usize = 60;

/// Reads a diagram, if the value is one.
pub fn drawn(value: &Value, depth: usize) -> Option<Drawn> {
    if !value.is_list_of("diagram") || depth > MAX_DEPTH {
        return None;
    }
    let mut drawn = Drawn::default();
    for object in value.field("objs")?.items() {
        if object.is_list_of("Link") {
            drawn.links.extend(link(object));
        }
        // Deleted objects and texts take a number as well.
        drawn.blocks.push(if object.is_list_of("Block") { block(object, depth) } else { Item::default() });
    }
    // Objects that are no blocks keep their places until links are read.
    for item in &mut drawn.blocks {
        if item.function.is_empty() {
            item.function = "CLINDUMMY_f".to_owned();
        }
    }
    Some(drawn)
}

/// Sets the parameters of a block: the texts of its dialog by number, and its numbers.
pub fn set_parameters(block: &mut Block, expressions: &Value, numbers: &Value) {
    for (index, text) in expressions.as_texts().into_iter().enumerate() {
        block.params.set((index + 1).to_string(), rewritten(&text));
    }
    if !numbers.as_numbers().is_empty() {
        block.params.set("rpar", numbers.as_matrix());
    }
}

fn block(object: &Value, depth: usize) -> Item {
    let text = |value: Option<&Value>| value.and_then(|value| value.as_texts().into_iter().next()).unwrap_or_default();
    let function = text(object.field("gui"));
    let mut item = Item { block: Block { kind: kind(&function), ..Block::default() }, function, inner: None };
    let empty = Value::default();
    let (graphics, model) = (object.field("graphics").unwrap_or(&empty), object.field("model").unwrap_or(&empty));
    let numbers = |of: &Value, name: &str| of.field(name).map(|value| value.as_numbers().to_vec()).unwrap_or_default();
    if let ([x, y, ..], [width, height, ..]) = (&numbers(graphics, "orig")[..], &numbers(graphics, "sz")[..]) {
        // Upwards there.
        item.block.area = Some(Area { left: *x, top: -y - height, right: x + width, bottom: -y });
    }
    item.block.is_mirrored = graphics.field("flip").is_some_and(|value| value.as_numbers() == [0.0]);
    item.block.inputs = Some(numbers(graphics, "pin").len());
    item.block.outputs = Some(numbers(graphics, "pout").len());
    let rpar = model.field("rpar").unwrap_or(&empty);
    set_parameters(&mut item.block, graphics.field("exprs").unwrap_or(&empty), rpar);
    item.inner = drawn(rpar, depth + 1);
    finish(&mut item);
    item
}

/// The kind of a block in the stages after this.
pub fn kind(function: &str) -> String {
    format!("xcos:{function}")
}

/// Makes ports of a diagram those of every diagram.
pub fn finish(item: &mut Item) {
    let number = item.block.params.get("1").unwrap_or("1").trim().to_owned();
    match &*item.function {
        "IN_f" | "INIMPL_f" => item.block.kind = "Inport".to_owned(),
        "OUT_f" | "OUTIMPL_f" => item.block.kind = "Outport".to_owned(),
        "GOTO" | "FROM" => {
            item.block.kind = if item.function == "GOTO" { "Goto" } else { "From" }.to_owned();
            item.block.params.set("GotoTag", number);
            let is_local = item.block.params.get("2").is_none_or(|text| text.trim() == "1");
            item.block.params.set("TagVisibility", if is_local { "local" } else { "global" });
            return;
        }
        "SUPER_f" | "DSUPER" | "PAL_f" => item.block.kind = "SubSystem".to_owned(),
        _ => return,
    }
    item.block.params.set("Port", number);
}

fn link(object: &Value) -> Option<Link> {
    let numbers = |name: &str| object.field(name).map(|value| value.as_numbers().to_vec()).unwrap_or_default();
    let end = |name: &str| {
        let numbers = numbers(name);
        let place = |at: usize| numbers.get(at).copied().filter(|number| *number >= 1.0).map(|number| number as usize);
        Some((place(0)? - 1, place(1)?))
    };
    let kind = match numbers("ct").get(1) {
        Some(kind) if *kind < 0.0 => LinkKind::Event,
        Some(2.0) => LinkKind::Implicit,
        _ => LinkKind::Signal,
    };
    let points = numbers("xx").into_iter().zip(numbers("yy")).map(|(x, y)| (x, -y));
    let points: Vec<(f64, f64)> = points.collect();
    let inner = points.get(1..points.len().saturating_sub(1)).unwrap_or_default().to_vec();
    Some(Link { kind, from: end("from")?, to: end("to")?, points: inner })
}
