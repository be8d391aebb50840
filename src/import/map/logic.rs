//! Logic and bits.

use super::block::Cx;
use super::made::{Made, library};
use super::row::{How, Row};

pub const ROWS: &[Row] = &[
    ("Logic", How::By(gate)),
    ("RelationalOperator", How::By(compare)),
    ("CombinatorialLogic", How::Same("Logic", "Combinatorial Logic", &[("Table", "TruthTable")])),
    ("ArithShift", How::By(shift)),
];

pub const LIBRARY: &[Row] = &[
    ("Compare To Constant", How::By(compare_to_constant)),
    ("Compare To Zero", How::By(compare_to_zero)),
    ("Bitwise Operator", How::By(bitwise)),
    ("Bit Set", How::By(|cx| bit(cx, true))),
    ("Bit Clear", How::By(|cx| bit(cx, false))),
    ("Extract Bits", How::By(extract_bits)),
    ("Shift Arithmetic", How::By(shift)),
    ("Detect Increase", How::By(|cx| change(cx, "increase"))),
    ("Detect Decrease", How::By(|cx| change(cx, "decrease"))),
    ("Detect Change", How::By(|cx| change(cx, "any"))),
    ("Detect Rise Positive", How::By(|cx| edge(cx, "rise positive"))),
    ("Detect Rise Nonnegative", How::By(|cx| edge(cx, "rise nonnegative"))),
    ("Detect Fall Negative", How::By(|cx| edge(cx, "fall negative"))),
    ("Detect Fall Nonpositive", How::By(|cx| edge(cx, "fall nonpositive"))),
    ("Interval Test", How::By(interval)),
    ("Interval Test Dynamic", How::Same("Logic", "Interval Test Dynamic", &[])),
    ("S-R Flip-Flop", How::By(|cx| flip_flop(cx, "SR Flip-Flop"))),
    ("J-K Flip-Flop", How::By(|cx| flip_flop(cx, "JK Flip-Flop"))),
    ("D Flip-Flop", How::By(|cx| flip_flop(cx, "D Flip-Flop"))),
    ("D Latch", How::By(|cx| flip_flop(cx, "D Latch"))),
];

fn gate(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.text("Operator").to_owned();
    let inputs = if operator == "NOT" { 1 } else { cx.count("Inputs")?.max(1) };
    Ok(library("Logic", "Gate")
        .with_option("Operator", &[operator])
        .with_option("Inputs", &[inputs.to_string()])
        .into())
}

/// The sign of a comparison here.
fn relation(text: &str) -> Result<&'static str, String> {
    ["<", "<=", ">", ">=", "=="].into_iter().find(|known| *known == text).map_or_else(
        || {
            if ["~=", "!="].contains(&text) {
                Ok("!=")
            } else {
                Err(format!("the comparison {text} has no counterpart"))
            }
        },
        Ok,
    )
}

fn compare(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.text("Operator").to_owned();
    if ["isNaN", "isInf", "isFinite"].contains(&&*operator) {
        return Ok(library("Logic", "Number Test").with_option("Function", &[operator]).into());
    }
    Ok(library("Logic", "Compare").with_option("Operator", &[relation(&operator)?]).into())
}

fn compare_to_constant(cx: &mut Cx) -> Result<Made, String> {
    let relation = relation(if cx.text("relop").is_empty() { "<=" } else { cx.text("relop") })?;
    let mut block = library("Logic", "Compare To Constant").with_option("Operator", &[relation]);
    cx.set_or(&mut block, "Constant", "const", "3")?;
    Ok(block.into())
}

fn compare_to_zero(cx: &mut Cx) -> Result<Made, String> {
    let relation = relation(if cx.text("relop").is_empty() { "<=" } else { cx.text("relop") })?;
    Ok(library("Logic", "Compare To Zero").with_option("Operator", &[relation]).into())
}

fn bitwise(cx: &mut Cx) -> Result<Made, String> {
    let operator = cx.text("logicop").to_owned();
    let mut block = library("Logic", "Bitwise Operator");
    if !operator.is_empty() {
        block = block.with_option("Operator", &[operator]);
    }
    if cx.raw("UseBitMask").is_none_or(|text| text == "on") {
        block = block.with_option("With", &["mask"]);
        let text = cx.any(&["BitMask"]).trim_matches('\'').to_owned();
        let text = text
            .strip_prefix("bin2dec('")
            .map(|bits| u64::from_str_radix(bits.trim_end_matches("')"), 2).unwrap_or(0).to_string())
            .unwrap_or(text);
        if !text.is_empty() {
            block.set_option("Mask", Some(&[cx.expression_of(&text)?.text]));
        }
    }
    block.set_option("Bits", Some(&["32"]));
    cx.note("numbers count as integers of 32 bits");
    Ok(block.into())
}

/// Sets or clears a bit, counted from 0.
fn bit(cx: &mut Cx, is_set: bool) -> Result<Made, String> {
    let index = if cx.text("iBit").is_empty() { "0".to_owned() } else { cx.expression("iBit")?.text };
    let (operator, mask) = if is_set { ("OR", format!("2^({index})")) } else { ("AND", format!("2^32-1-2^({index})")) };
    let block =
        library("Logic", "Bitwise Operator").with_option("Operator", &[operator]).with_option("With", &["mask"]);
    cx.note("numbers count as integers of 32 bits");
    Ok(block.with_option("Mask", &[mask]).with_option("Bits", &["32"]).into())
}

/// Takes some bits of an integer, as a number of their own or at the place where they were.
fn extract_bits(cx: &mut Cx) -> Result<Made, String> {
    let (first, count) = match cx.text("bitsToExtract") {
        "Range of bits" => {
            let range = cx.numbers("bitIdxRange")?;
            let (Some(first), Some(last)) = (range.first(), range.last()) else {
                return Err("its range of bits is empty".to_owned());
            };
            (*first, last - first + 1.0)
        }
        "Range ending with least significant bit" => (0.0, cx.number("numBits")?),
        _ => return Err("which bits it takes follows from the type of its input, which is not kept".to_owned()),
    };
    let is_kept = cx.text("outScalingMode") != "Treat bit field as an integer";
    let factor = if is_kept && first > 0.0 { format!(" * 2^{first}") } else { String::new() };
    let text = format!("y = mod(floor(u / 2^{first}), 2^{count}){factor}");
    cx.note_type();
    Ok(library("User", "Formula").with_option("Formula", &[text]).with_option("Inputs", &["u"]).into())
}

fn shift(cx: &mut Cx) -> Result<Made, String> {
    let direction = if cx.any(&["BitShiftDirection"]).starts_with("Left") { "left" } else { "right" };
    let text = cx.any(&["BitShiftNumber", "nBitShiftRight"]).to_owned();
    let mut block = library("Logic", "Shift Arithmetic").with_option("Direction", &[direction]);
    if !text.is_empty() {
        block.set_option("Bits", Some(&[cx.expression_of(&text)?.text]));
    }
    if !["", "0"].contains(&cx.any(&["BinPtShiftNumber", "nBinPtShiftRight"])) {
        cx.note("the binary point is not shifted");
    }
    Ok(block.into())
}

fn change(cx: &mut Cx, kind: &str) -> Result<Made, String> {
    let mut block = library("Logic", "Detect Change").with_option("Change", &[kind]);
    cx.set_unless_empty(&mut block, "Initial Value", "vinit")?;
    Ok(block.into())
}

fn edge(cx: &mut Cx, kind: &str) -> Result<Made, String> {
    let is_met =
        cx.numbers("vinit").ok().and_then(|numbers| numbers.first().copied()).is_some_and(|value| value != 0.0);
    let block = library("Logic", "Detect Edge").with_option("Edge", &[kind]);
    Ok(block.with_option("Initially Met", &[if is_met { "1" } else { "0" }]).into())
}

fn interval(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Logic", "Interval Test");
    cx.set_or(&mut block, "Upper Limit", "uplimit", "0.5")?;
    cx.set_or(&mut block, "Lower Limit", "lowlimit", "-0.5")?;
    for (option, name) in [("Closed Right", "IntervalClosedRight"), ("Closed Left", "IntervalClosedLeft")] {
        if cx.text(name) == "off" {
            block = block.with_option(option, &["0"]);
        }
    }
    Ok(block.into())
}

fn flip_flop(cx: &mut Cx, name: &str) -> Result<Made, String> {
    let mut block = library("Logic", name);
    let initial = cx.any(&["initial_condition", "InitialCondition"]).to_owned();
    if !initial.is_empty() {
        block.set_option("Initial State", Some(&[cx.expression_of(&initial)?.text]));
    }
    Ok(block.into())
}
