//! Sinks.

use super::block::Cx;
use super::made::{Made, library};
use super::row::{How, Row};

pub const ROWS: &[Row] = &[
    ("Scope", How::By(scope)),
    ("TimeScope", How::By(scope)),
    ("SpectrumAnalyzer", How::By(scope)),
    ("Record", How::By(scope)),
    ("VideoViewer", How::By(scope)),
    ("SliderBlock", How::By(dashboard)),
    ("KnobBlock", How::By(dashboard)),
    ("RotarySwitchBlock", How::By(dashboard)),
    ("RockerSwitchBlock", How::By(dashboard)),
    ("ToggleSwitchBlock", How::By(dashboard)),
    ("PushButtonBlock", How::By(dashboard)),
    ("CallbackButton", How::By(dashboard)),
    ("CheckBox", How::By(dashboard)),
    ("ComboBox", How::By(dashboard)),
    ("EditField", How::By(dashboard)),
    ("RadioButtonGroup", How::By(dashboard)),
    ("GaugeBlock", How::By(dashboard)),
    ("CircularGaugeBlock", How::By(dashboard)),
    ("SemiCircularGaugeBlock", How::By(dashboard)),
    ("QuarterGaugeBlock", How::By(dashboard)),
    ("LinearGaugeBlock", How::By(dashboard)),
    ("LampBlock", How::By(dashboard)),
    ("MultiStateImageBlock", How::By(dashboard)),
    ("DisplayBlock", How::By(dashboard)),
    ("DashboardScope", How::By(dashboard)),
    ("ScopeBlock", How::By(dashboard)),
    ("DataTypeDuplicate", How::By(ended)),
    ("DataTypePropagation", How::By(ended)),
    ("SignalViewerScope", How::By(|_| Ok(Made::nothing()))),
    ("Display", How::Same("Sink", "Display", &[])),
    ("Terminator", How::Same("Sink", "Terminator", &[])),
    ("Stop", How::Same("Sink", "Stop", &[])),
    ("ToWorkspace", How::By(to_workspace)),
    ("ToFile", How::By(to_file)),
];

pub const LIBRARY: &[Row] = &[
    ("XY Graph", How::By(xy)),
    ("Floating Scope", How::By(scope)),
    ("Model Info", How::By(document)),
    ("DocBlock", How::By(document)),
    ("Data Type Propagation", How::By(ended)),
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

/// A block that acts on types alone: its wires end.
fn ended(cx: &mut Cx) -> Result<Made, String> {
    let count = cx.block.inputs.unwrap_or(0).max(cx.wired_inputs).max(1);
    let inputs = (0..count).map(|part| (part, "Input".into())).collect();
    let ends = super::made::Ends::Listed { inputs, outputs: Vec::new() };
    Ok(Made { parts: vec![library("Sink", "Terminator"); count], ends, ..Made::default() })
}

fn xy(cx: &mut Cx) -> Result<Made, String> {
    cx.note("the signals are shown over time, not against each other");
    Ok(library("Sink", "Scope").with_option("Inputs", &[cx.wired_inputs.max(2).to_string()]).into())
}

/// A signal that is recorded under a name, within a subsystem: a scope records it here.
fn to_workspace(cx: &mut Cx) -> Result<Made, String> {
    note_decimation(cx);
    Ok(library("Sink", "Scope").into())
}

pub fn note_decimation(cx: &mut Cx) {
    let decimation = cx.numbers("Decimation").ok().and_then(|numbers| numbers.first().copied());
    if decimation.is_some_and(|decimation| decimation != 1.0) {
        cx.note("every sample is recorded, not each of several");
    }
}

/// A control or an instrument that belongs to another block: a note says so.
fn dashboard(cx: &mut Cx) -> Result<Made, String> {
    let text = format!("{}: {}", cx.block.kind, cx.block.title());
    cx.note("it shows or sets a value of another block; pin a control or an instrument to that block");
    Ok(library("Note", "Text").with_option("Text", &[super::names::text(&text)]).into())
}

/// A block that only holds a text.
fn document(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.any(&["DocumentText", "DisplayStringWithTags", "Description", "UserData"]).to_owned();
    let text = if text.is_empty() { cx.block.title() } else { text };
    Ok(library("Note", "Text").with_option("Text", &[super::names::text(&text)]).into())
}

fn to_file(cx: &mut Cx) -> Result<Made, String> {
    let name = cx.text("Filename").to_owned();
    let stem = name.rsplit(['/', '\\']).next().unwrap_or("out").trim_end_matches(".mat").to_owned();
    cx.note("the file is written as .csv");
    let mut block = library("Sink", "To File").with_option("File", &[format!("{}.csv", super::names::clean(&stem))]);
    cx.set(&mut block, "Decimation", "Decimation")?;
    Ok(block.into())
}
