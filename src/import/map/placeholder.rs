//! Placeholders for blocks without a counterpart: they keep the type, all parameters, the ports and the wires.

use super::super::source::Block as Foreign;
use super::block::Cx;
use super::names::{clean, kind_text, text};
use crate::model::{Block, BlockId, BodyItem};

/// The prefix of the parameters of the file in a placeholder.
const SOURCE: &str = "source:";

/// Returns a placeholder. Its ports are those that the file states, and those with wires.
pub fn of(foreign: &Foreign, cx: &Cx) -> Block {
    let inputs = foreign.inputs.unwrap_or(0).max(cx.wired_inputs);
    let outputs = foreign.outputs.unwrap_or(0).max(cx.wired_outputs);
    let mut block = Block::placeholder(BlockId(0), &kind_text(foreign), inputs, outputs);
    block.attributes.set("origin", &clean(&cx.mapper.report.origin));
    let mut keep = |name: &str, value: &str| {
        let data = BodyItem::Data {
            name: format!("{SOURCE}{}", clean(name)).into(),
            text: text(value).into(),
            attributes: Default::default(),
        };
        block.body.push(data);
    };
    for (name, value) in foreign.params.iter() {
        keep(name, value);
    }
    if let Some(mask) = &foreign.mask {
        for parameter in mask.parameters.iter() {
            keep(&format!("mask:{}", parameter.name), &parameter.value);
        }
    }
    if let Some(chart) = cx.chart() {
        keep("chart", if chart.code.is_empty() { &chart.text } else { &chart.code });
    }
    block
}
