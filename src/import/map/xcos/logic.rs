//! Logic, integers, and the conditions and edges that events come from.

use std::sync::Arc;

use super::super::block::Cx;
use super::super::made::{Ends, Made, Place, library};
use super::super::row::{How, Row};
use super::params::{number_or, set};
use crate::block::number_text;
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("LOGICAL_OP", How::By(gate)),
    ("RELATIONALOP", How::By(relation)),
    ("LOGIC", How::By(table)),
    ("IFTHEL_f", How::By(if_then)),
    ("ESELECT_f", How::By(select)),
    ("NEGTOPOS_f", How::By(edge)),
    ("POSTONEG_f", How::By(edge)),
    ("ZCROSS_f", How::By(edge)),
    ("EDGE_TRIGGER", How::By(edge)),
    ("EDGETRIGGER", How::By(edge)),
    ("BITSET", How::By(|cx| bit(cx, true))),
    ("BITCLEAR", How::By(|cx| bit(cx, false))),
    ("SHIFT", How::By(shift)),
    ("EXTRACTBITS", How::Missing("the extraction of bits by type is not there")),
    ("GENERAL_f", How::Missing("it asks which of several signals crossed zero")),
    ("LOOKUP_f", How::By(old_lookup)),
    ("INTRPLBLK_f", How::By(interpolation)),
    ("LOOKUP_c", How::By(lookup)),
    ("INTRP2BLK_f", How::By(plane)),
];

/// A Boolean operator: the number of inputs, the rule, the type, and whether it works on bits.
fn gate(cx: &mut Cx) -> Result<Made, String> {
    let inputs = cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1);
    let operator = match number_or(cx, 2, 0.0)? {
        0.0 => "AND",
        1.0 => "OR",
        2.0 => "NAND",
        3.0 => "NOR",
        4.0 => "XOR",
        5.0 => "NOT",
        _ => return Err("its rule is not known".to_owned()),
    };
    let is_bitwise = number_or(cx, 4, 0.0)? == 1.0 && number_or(cx, 3, 1.0)? != 1.0;
    if is_bitwise && (inputs == 2 || operator == "NOT") {
        let bits = match number_or(cx, 3, 1.0)? {
            3.0 | 6.0 => "32",
            4.0 | 7.0 => "16",
            _ => "8",
        };
        let block = library("Logic", "Bitwise Operator").with_option("Operator", &[operator]);
        return Ok(block.with_option("Bits", &[bits]).into());
    }
    if is_bitwise {
        return Err("an operator on the bits of more than two inputs is not there".to_owned());
    }
    let block = library("Logic", "Gate").with_option("Operator", &[operator]);
    Ok(if operator == "NOT" { block.into() } else { block.with_option("Inputs", &[inputs.to_string()]).into() })
}

fn relation(cx: &mut Cx) -> Result<Made, String> {
    let operator = match number_or(cx, 1, 2.0)? {
        0.0 => "==",
        1.0 => "!=",
        2.0 => "<",
        3.0 => "<=",
        4.0 => ">",
        5.0 => ">=",
        _ => return Err("its rule is not known".to_owned()),
    };
    Ok(library("Logic", "Compare").with_option("Operator", &[operator]).into())
}

/// A truth table with a row for each combination of inputs above 0, the first input being the lowest bit; each column is
/// an output.
fn table(cx: &mut Cx) -> Result<Made, String> {
    let value = cx.expression("exprs(1)")?.value.ok_or("its table has to be known for the import")?;
    let (inputs, columns) = (cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1), value.columns().max(1));
    if inputs > 16 || value.values.len() != columns << inputs {
        return Err("its table has not a row for each value of its inputs".to_owned());
    }
    let mut block = library("Logic", "Combinatorial Logic");
    let texts: Vec<String> = value.values.iter().map(|value| number_text(*value)).collect();
    block.set_option("Table", Some(&texts));
    let compare = library("Logic", "Compare To Zero").with_option("Operator", &[">"]);
    let mut made = Made { parts: vec![block, compare], ..Made::default() };
    made.inner.push((place(1, "Output"), place(0, "Input")));
    let port = |name: &str| -> Arc<str> { name.into() };
    let mut last: Place = (0, port("Output"));
    let mut first: Vec<Place> = vec![place(1, "Input")];
    if inputs > 1 {
        let mux = made.parts.len();
        made.parts.push(library("Routing", "Mux").with_option("Inputs", &[inputs.to_string()]));
        made.inner.push((place(mux, "Output"), place(1, "Input")));
        // The first element is the highest bit here.
        first = (1..=inputs).rev().map(|number| (mux, port(&format!("Input {number}")))).collect();
    }
    if !cx.text("SampleTime").is_empty() {
        let mut hold = library("Discrete", "Zero-Order Hold");
        cx.set_sample_time(&mut hold);
        made.inner.push((last, (made.parts.len(), port("Input"))));
        last = (made.parts.len(), port("Output"));
        made.parts.push(hold);
    }
    let mut outputs = vec![last.clone()];
    if columns > 1 {
        let demux = made.parts.len();
        let mut block = library("Routing", "Demux");
        block.set_option("Widths", Some(&vec!["1".to_owned(); columns]));
        made.parts.push(block);
        made.inner.push((last, (demux, port("Input"))));
        outputs = (1..=columns).map(|number| (demux, port(&format!("Output {number}")))).collect();
    }
    made.ends = Ends::Listed { inputs: first, outputs };
    Ok(made)
}

fn place(part: usize, name: &str) -> Place {
    (part, Arc::from(name))
}

/// A condition. Its first output enables what runs if the input is above 0, its second the rest.
fn if_then(cx: &mut Cx) -> Result<Made, String> {
    if cx.wired_outputs == 0 {
        return Ok(Made::nothing());
    }
    cx.note("what its events activate is a subsystem that runs while the condition holds");
    let compare = library("Logic", "Compare To Zero").with_option("Operator", &[">"]);
    let inputs = vec![place(0, "Input")];
    if cx.wired_outputs == 1 {
        let outputs = vec![place(0, "Output")];
        return Ok(Made { parts: vec![compare], ends: Ends::Listed { inputs, outputs }, ..Made::default() });
    }
    let not = library("Logic", "Gate").with_option("Operator", &["NOT"]);
    Ok(Made {
        parts: vec![compare, not],
        ends: Ends::Listed { inputs, outputs: vec![place(0, "Output"), place(1, "Output")] },
        inner: vec![(place(0, "Output"), place(1, "Input 1"))],
        ..Made::default()
    })
}

/// A choice by a number, of which the whole part counts; beyond the ends the nearest output is taken.
fn select(cx: &mut Cx) -> Result<Made, String> {
    if cx.wired_outputs == 0 {
        return Ok(Made::nothing());
    }
    cx.note("what its events activate are subsystems, of which the one that is chosen runs");
    let count = (number_or(cx, 1, 2.0)?.clamp(1.0, 1000.0) as usize).max(cx.wired_outputs);
    let limits = library("Nonlinear", "Saturate").with_option("Lower Limit", &["1"]);
    let limits = limits.with_option("Upper Limit", &[count.to_string()]);
    let whole = library("Math", "Rounding").with_option("Function", &["fix"]);
    let mut made =
        Made { parts: vec![limits, whole], inner: vec![(place(0, "Output"), place(1, "Input"))], ..Made::default() };
    let mut outputs = Vec::new();
    for number in 1..=count {
        let part = made.parts.len();
        let compare = library("Logic", "Compare To Constant").with_option("Operator", &["=="]);
        made.parts.push(compare.with_option("Constant", &[number.to_string()]));
        made.inner.push((place(1, "Output"), place(part, "Input")));
        outputs.push(place(part, "Output"));
    }
    made.ends = Ends::Listed { inputs: vec![place(0, "Input")], outputs };
    Ok(made)
}

/// An edge: its signal goes on to the trigger of what it activates.
fn edge(cx: &mut Cx) -> Result<Made, String> {
    if cx.wired_outputs == 0 {
        return Ok(Made::nothing());
    }
    cx.note("what its events activate is a triggered subsystem, which runs at the step after the edge, not at it");
    Ok(super::super::row::unchanged())
}

/// A bit that is set or cleared.
fn bit(cx: &mut Cx, is_set: bool) -> Result<Made, String> {
    let number = number_or(cx, 2, 0.0)?;
    if !(0.0..32.0).contains(&number) {
        return Err("the number of its bit is not known".to_owned());
    }
    let bits = cx_bits(number_or(cx, 1, 3.0)?);
    let mask = 2f64.powi(number as i32);
    let (operator, mask) = if is_set { ("OR", mask) } else { ("AND", 2f64.powi(bits) - 1.0 - mask) };
    let block = library("Logic", "Bitwise Operator")
        .with_option("Operator", &[operator])
        .with_option("With", &["mask"])
        .with_option("Mask", &[number_text(mask)])
        .with_option("Bits", &[bits.to_string()]);
    Ok(block.into())
}

/// The bits of a type by number.
fn cx_bits(kind: f64) -> i32 {
    match kind as i64 {
        4 | 7 => 16,
        5 | 8 => 8,
        _ => 32,
    }
}

fn shift(cx: &mut Cx) -> Result<Made, String> {
    let count = number_or(cx, 2, 0.0)?;
    if number_or(cx, 3, 0.0)? != 0.0 {
        return Err("bits that come in again at the other end are not there".to_owned());
    }
    let direction = if count < 0.0 { "right" } else { "left" };
    let block = library("Logic", "Shift Arithmetic").with_option("Direction", &[direction]);
    Ok(block.with_option("Bits", &[number_text(count.abs())]).into())
}

/// A table with a method, the points, the values, and how it goes on outside.
fn lookup(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Lookup", "1-D Lookup Table");
    set(cx, &mut block, "Breakpoints", 2, "realParameters")?;
    set(cx, &mut block, "Table", 3, "realParameters")?;
    match number_or(cx, 1, 1.0)? {
        0.0 => block = block.with_option("Interpolation", &["flat"]),
        1.0 => {}
        2.0 | 3.0 => {
            cx.note("the spline is of another kind at its ends");
            block = block.with_option("Interpolation", &["spline"]);
        }
        _ => cx.note("the interpolation is linear"),
    }
    let goes_on = number_or(cx, 4, 0.0).unwrap_or(0.0) == 1.0;
    Ok(outside(block, if goes_on { "extrapolate" } else { "clip" }))
}

fn outside(block: Block, how: &str) -> Made {
    block.with_option("Extrapolation", &[how]).into()
}

/// A table whose points are stored: all arguments, then all values.
fn old_lookup(cx: &mut Cx) -> Result<Made, String> {
    stored_table(cx)
}

fn interpolation(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("exprs(2)").is_empty() {
        return stored_table(cx);
    }
    let mut block = library("Lookup", "1-D Lookup Table");
    cx.set(&mut block, "Breakpoints", "exprs(1)")?;
    cx.set(&mut block, "Table", "exprs(2)")?;
    Ok(outside(block, "extrapolate"))
}

/// A table of two arguments: the columns and the rows of the values, then the values.
fn plane(cx: &mut Cx) -> Result<Made, String> {
    let table = cx.expression("exprs(3)")?.value.ok_or("its table has to be known for the import")?;
    let mut block = library("Lookup", "2-D Lookup Table");
    cx.set(&mut block, "Breakpoints 1", "exprs(1)")?;
    cx.set(&mut block, "Breakpoints 2", "exprs(2)")?;
    let texts: Vec<String> = table.values.iter().map(|value| number_text(*value)).collect();
    block.set_option("Table", Some(&texts));
    Ok(block.into())
}

fn stored_table(cx: &mut Cx) -> Result<Made, String> {
    let numbers = cx.numbers("realParameters")?;
    let (points, values) = numbers.split_at(numbers.len() / 2);
    let texts = |list: &[f64]| list.iter().map(|value| number_text(*value)).collect::<Vec<_>>();
    let mut block = library("Lookup", "1-D Lookup Table");
    block.set_option("Breakpoints", Some(&texts(points)));
    block.set_option("Table", Some(&texts(values)));
    Ok(outside(block, "extrapolate"))
}
