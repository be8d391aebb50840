//! Checks of signals.

use super::block::Cx;
use super::made::{Made, library};
use super::row::{How, Row};
use crate::model::Block;

pub const ROWS: &[Row] = &[("Assertion", How::By(|cx| checked(cx, "Assertion", &[])))];

pub const LIBRARY: &[Row] = &[
    ("Check Static Lower Bound", How::By(|cx| checked(cx, "Lower Bound", &[("Bound", "min")]))),
    ("Check Static Upper Bound", How::By(|cx| checked(cx, "Upper Bound", &[("Bound", "max")]))),
    ("Check Static Range", How::By(|cx| checked(cx, "Range", &[("Low", "min"), ("High", "max")]))),
    ("Check Static Gap", How::By(|cx| checked(cx, "Gap", &[("Low", "min"), ("High", "max")]))),
    ("Assertion", How::By(|cx| checked(cx, "Assertion", &[]))),
];

fn checked(cx: &mut Cx, name: &str, options: &[(&str, &str)]) -> Result<Made, String> {
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
    Ok(block.into())
}
