//! Variant Source and Variant Sink: conditions over variables choose the signal that goes on.

use super::block::{Cx, short};
use super::made::{Ends, Made, Place, library};
use super::row::{How, Row, unchanged};

pub const ROWS: &[Row] = &[
    ("VariantSource", How::By(source)),
    ("VariantSink", How::By(sink)),
    ("ManualVariantSource", How::By(manual)),
    ("ManualVariantSink", How::By(sink)),
];

pub const LIBRARY: &[Row] = &[("Manual Variant Source", How::By(manual)), ("Manual Variant Sink", How::By(sink))];

/// The control that stands for all others.
const DEFAULT: &str = "(default)";

/// A switch whose index is an expression of the conditions, so that it follows the variables.
fn source(cx: &mut Cx) -> Result<Made, String> {
    let controls = controls(cx);
    if controls.is_empty() {
        return Err("it states no conditions".to_owned());
    }
    let label = cx.text("LabelModeActiveChoice").to_owned();
    let index = match controls.iter().position(|control| !label.is_empty() && *control == label) {
        Some(at) => (at + 1).to_string(),
        None => index(cx, &controls)?,
    };
    Ok(switch(controls.len(), &index))
}

/// The place of the first condition that holds, counted from 1; the last input where none does.
fn index(cx: &mut Cx, controls: &[String]) -> Result<String, String> {
    let mut text = match controls.iter().position(|control| control == DEFAULT) {
        Some(at) => (at + 1).to_string(),
        None => controls.len().to_string(),
    };
    for (at, control) in controls.iter().enumerate().rev().filter(|(_, control)| *control != DEFAULT) {
        let condition = cx
            .expression_of(control)
            .map_err(|problem| format!("the condition {} is not read: {problem}", short(control)))?;
        text = format!("if({}, {}, {text})", condition.text, at + 1);
    }
    Ok(text)
}

fn controls(cx: &Cx) -> Vec<String> {
    let text = cx.any(&["VariantControls", "VariantControl"]).trim_matches(['{', '}']).to_owned();
    let parts = super::super::script::split(&text, ',');
    let parts = parts.iter().map(|part| part.trim().trim_matches('\'').trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

fn switch(inputs: usize, index: &str) -> Made {
    let choice = library("Routing", "Multiport Switch").with_option("Inputs", &[inputs.to_string()]);
    let number = library("Var", "Static").with_option("Value", &[index]);
    let places = (1..=inputs).map(|at| (0, format!("Input {at}").into())).collect();
    Made {
        parts: vec![choice, number],
        ends: Ends::Listed { inputs: places, outputs: vec![(0, "Output".into())] },
        inner: vec![((1, "Output".into()), (0, "Index".into()))],
        ..Made::default()
    }
}

fn manual(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.wired_inputs.max(cx.block.inputs.unwrap_or(0)).max(1);
    let label = cx.any(&["LabelModeActiveChoice", "CurrentSetting"]).to_owned();
    let digits: String = label.chars().filter(char::is_ascii_digit).collect();
    let chosen = digits.parse::<usize>().unwrap_or(1).clamp(1, inputs);
    Ok(switch(inputs, &chosen.to_string()))
}

/// All outputs have the signal.
fn sink(cx: &mut Cx) -> Result<Made, String> {
    let count = cx.wired_outputs.max(cx.block.outputs.unwrap_or(0)).max(1);
    if count > 1 {
        cx.note("the outputs that are not chosen have the signal too");
    }
    let outputs: Vec<Place> = vec![(0, "Output".into()); count];
    Ok(Made { ends: Ends::Listed { inputs: vec![(0, "Input".into())], outputs }, ..unchanged() })
}
