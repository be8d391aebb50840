//! Sinks.

use super::block::Cx;
use super::made::{Made, library};
use super::table::{How, Row};
use crate::model::{Block, BlockId, BlockKind};

pub const ROWS: &[Row] = &[
    ("Scope", How::By(scope)),
    ("TimeScope", How::By(scope)),
    ("SpectrumAnalyzer", How::By(scope)),
    ("Record", How::By(scope)),
    ("Display", How::Same("Sink", "Display", &[])),
    ("Terminator", How::Same("Sink", "Terminator", &[])),
    ("Stop", How::Same("Sink", "Stop", &[])),
    ("ToWorkspace", How::By(to_workspace)),
    ("ToFile", How::By(to_file)),
];

pub const LIBRARY: &[Row] = &[
    ("XY Graph", How::By(xy)),
    ("Floating Scope", How::By(scope)),
    ("Dashboard Scope", How::Missing("it shows signals without wires")),
];

fn scope(cx: &mut Cx) -> Result<Made, String> {
    let stated = cx.count("NumInputPorts").unwrap_or(1);
    let inputs = stated.max(cx.wired_inputs).max(cx.block.inputs.unwrap_or(0)).max(1);
    if cx.block.kind != "Scope" && cx.block.kind != "TimeScope" {
        cx.note("the signals are shown over time");
    }
    Ok(library("Sink", "Scope").with_option("Inputs", &[inputs.to_string()]).into())
}

fn xy(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the signals are shown over time, not against each other");
    Ok(library("Sink", "Scope").with_option("Inputs", &[cx.wired_inputs.max(2).to_string()]).into())
}

/// A signal that is recorded under a name: an exit of this name at the root, a scope elsewhere.
fn to_workspace(cx: &mut Cx) -> Result<Made, String> {
    let name = super::system::clean(cx.text("VariableName"));
    let decimation = cx.numbers("Decimation").ok().and_then(|numbers| numbers.first().copied());
    if decimation.is_some_and(|decimation| decimation != 1.0) {
        cx.note("every sample is recorded, not each of several");
    }
    if cx.mapper.frames.len() > 1 {
        let mut block = library("Sink", "Scope");
        block.attributes.set("label", &name);
        cx.note("the signal is recorded by a scope");
        return Ok(block.into());
    }
    // The name may be that of an entry, whose value would be fed back.
    let mut block = Block::new(BlockId(0), BlockKind::exit(&format!("{name} record")));
    block.attributes.set("label", &name);
    cx.note("the signal is recorded as an exit of the model");
    Ok(block.into())
}

fn to_file(cx: &mut Cx) -> Result<Made, String> {
    let name = cx.text("Filename").to_owned();
    let stem = name.rsplit(['/', '\\']).next().unwrap_or("out").trim_end_matches(".mat").to_owned();
    cx.note("the file is written as .csv");
    let mut block = library("Sink", "To File").with_option("File", &[format!("{}.csv", super::system::clean(&stem))]);
    cx.set(&mut block, "Decimation", "Decimation")?;
    Ok(block.into())
}
