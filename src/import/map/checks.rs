//! Checks of signals.

use super::block::Cx;
use super::made::{Ends, Made, library};
use super::row::{How, Row};
use crate::model::Block;

pub const ROWS: &[Row] = &[("Assertion", How::By(|cx| checked(cx, "Assertion", &[])))];

pub const LIBRARY: &[Row] = &[
    ("Check Static Lower Bound", How::By(|cx| checked(cx, "Lower Bound", &[("Bound", "min")]))),
    ("Check Static Upper Bound", How::By(|cx| checked(cx, "Upper Bound", &[("Bound", "max")]))),
    ("Check Static Range", How::By(|cx| checked(cx, "Range", &[("Low", "min"), ("High", "max")]))),
    ("Check Static Gap", How::By(|cx| checked(cx, "Gap", &[("Low", "min"), ("High", "max")]))),
    ("Check Dynamic Lower Bound", How::By(|cx| compared(cx, "Lower Bound", &["Bound"]))),
    ("Check Dynamic Upper Bound", How::By(|cx| compared(cx, "Upper Bound", &["Bound"]))),
    ("Check Dynamic Range", How::By(|cx| compared(cx, "Range", &["High", "Low"]))),
    ("Check Dynamic Gap", How::By(|cx| compared(cx, "Gap", &["High", "Low"]))),
    ("Check Discrete Gradient", How::By(|cx| checked(cx, "Gradient", &[("Gradient", "gradient")]))),
    ("Check Input Resolution", How::By(|cx| checked(cx, "Resolution", &[("Resolution", "resolution")]))),
    ("Assertion", How::By(|cx| checked(cx, "Assertion", &[]))),
];

fn checked(cx: &mut Cx, name: &str, options: &[(&str, &str)]) -> Result<Made, String> {
    Ok(check(cx, name, options)?.into())
}

/// A check whose bounds are inputs, which come before the signal.
fn compared(cx: &mut Cx, name: &str, bounds: &[&str]) -> Result<Made, String> {
    let block = check(cx, name, &[])?.with_option("Bounds", &["dynamic"]);
    let inputs = bounds.iter().chain(&["Input"]).map(|port| (0, (*port).into())).collect();
    let outputs = if cx.is_on("export") { vec![(0, "Output".into())] } else { Vec::new() };
    Ok(Made { ends: Ends::Listed { inputs, outputs }, ..block.into() })
}

fn check(cx: &mut Cx, name: &str, options: &[(&str, &str)]) -> Result<Block, String> {
    let mut block: Block = library("Check", name);
    for (option, parameter) in options {
        cx.set_unless_empty(&mut block, option, parameter)?;
    }
    if [cx.text("Enabled"), cx.text("enabled")].contains(&"off") {
        block = block.with_option("Action", &["ignore"]);
    } else if cx
        .raw("StopWhenAssertionFail")
        .or_else(|| cx.raw("stopWhenAssertionFail"))
        .is_none_or(|text| text == "on")
    {
        block = block.with_option("Action", &["stop"]);
    }
    if cx.is_on("export") {
        block = block.with_option("Output", &["1"]);
    }
    let excluded: Vec<bool> =
        ["min_included", "max_included"].iter().filter_map(|name| cx.raw(name)).map(|text| text == "off").collect();
    if excluded.contains(&true) {
        block = block.with_option("Inclusive", &["0"]);
        if excluded.contains(&false) {
            cx.note("one of its bounds is an allowed value, here none is");
        }
    }
    Ok(block)
}
