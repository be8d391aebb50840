//! Lookup tables. A table of the file is stored by columns; here it is stored by rows, which the text of a matrix has.

use super::block::Cx;
use super::made::{Made, library};
use super::row::{How, Row};
use crate::block::language::Matrix;
use crate::model::Block;

pub const ROWS: &[Row] = &[
    ("Lookup", How::By(old_1d)),
    ("Lookup2D", How::By(old_2d)),
    ("Lookup_n-D", How::By(table)),
    ("LookupNDInterp", How::By(table)),
    ("LookupNDDirect", How::By(direct)),
    ("PreLookup", How::By(prelookup)),
    ("PreLookupIndexSearch", How::By(prelookup)),
    ("Interpolation_n-D", How::By(interpolation)),
    ("LookupTableDynamic", How::Same("Lookup", "Lookup Table Dynamic", &[])),
];

fn methods(block: Block, interpolation: &str, extrapolation: &str) -> Block {
    block.with_option("Interpolation", &[interpolation]).with_option("Extrapolation", &[extrapolation])
}

/// The methods of the blocks before R2011a.
fn old_methods(cx: &mut Cx) -> (&'static str, &'static str) {
    match cx.text("LookUpMeth") {
        "Interpolation-Use End Values" => ("linear", "clip"),
        "Use Input Nearest" => ("nearest", "clip"),
        "Use Input Below" => ("flat", "clip"),
        "Use Input Above" => {
            cx.note("values between the points are those below, not above");
            ("flat", "clip")
        }
        _ => ("linear", "extrapolate"),
    }
}

fn old_1d(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Lookup", "1-D Lookup Table");
    cx.set(&mut block, "Breakpoints", "InputValues")?;
    let table = cx.any(&["Table", "OutputValues"]).to_owned();
    block.set_option("Table", Some(&[cx.expression_of(&table)?.text]));
    let (inner, outer) = old_methods(cx);
    Ok(methods(block, inner, outer).into())
}

fn old_2d(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Lookup", "2-D Lookup Table");
    for (option, names) in
        [("Breakpoints 1", ["RowIndex", "x"]), ("Breakpoints 2", ["ColumnIndex", "y"]), ("Table", ["Table", "t"])]
    {
        let text = cx.any(&names).to_owned();
        block.set_option(option, Some(&[cx.expression_of(&text)?.text]));
    }
    let (inner, outer) = old_methods(cx);
    Ok(methods(block, inner, outer).into())
}

fn interpolation_of(cx: &mut Cx) -> (&'static str, &'static str) {
    let inner = match cx.any(&["InterpMethod"]) {
        "Flat" | "None - Flat" | "Below" => "flat",
        "Nearest" => "nearest",
        "Cubic spline" => "spline",
        "Akima spline" => "akima",
        "Above" => {
            cx.note("values between the points are those below, not above");
            "flat"
        }
        _ => "linear",
    };
    let outer = match cx.any(&["ExtrapMethod"]) {
        "Clip" | "None - Clip" => "clip",
        "Cubic spline" | "Akima spline" => "extrapolate",
        _ => "extrapolate",
    };
    if inner == "flat" || inner == "nearest" { (inner, "clip") } else { (inner, outer) }
}

fn table(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("DataSpecification").starts_with("Lookup table object") {
        return Err("its table is an object of a workspace".to_owned());
    }
    let dimensions = cx.number("NumberOfTableDimensions")?;
    let (inner, outer) = interpolation_of(cx);
    if cx.is_on("UseOneInputPortForAllInputData") && dimensions > 1.0 {
        return Err("its coordinates come in one vector".to_owned());
    }
    match dimensions {
        1.0 => {
            let mut block = library("Lookup", "1-D Lookup Table");
            breakpoints(cx, &mut block, "Breakpoints", 1)?;
            cx.set(&mut block, "Table", "Table")?;
            Ok(methods(block, inner, outer).into())
        }
        2.0 => {
            let mut block = library("Lookup", "2-D Lookup Table");
            breakpoints(cx, &mut block, "Breakpoints 1", 1)?;
            breakpoints(cx, &mut block, "Breakpoints 2", 2)?;
            cx.set(&mut block, "Table", "Table")?;
            if inner == "akima" {
                cx.note("the spline is cubic, not Akima's");
                return Ok(methods(block, "spline", outer).into());
            }
            Ok(methods(block, inner, outer).into())
        }
        _ => Err("tables of more than two dimensions are not read yet".to_owned()),
    }
}

/// The breakpoints of a dimension, given as values or as first point and spacing.
fn breakpoints(cx: &mut Cx, block: &mut Block, option: &str, dimension: usize) -> Result<(), String> {
    let name = format!("BreakpointsForDimension{dimension}");
    if cx.text("BreakpointsSpecification") != "Even spacing" {
        return cx.set(block, option, &name);
    }
    let (first, spacing) = (cx.number(&format!("{name}FirstPoint"))?, cx.number(&format!("{name}Spacing"))?);
    let text = cx.text("Table").to_owned();
    let table = cx.expression_of(&text)?.value.ok_or("the size of the table has to be known for the import")?;
    let count = if dimension == 1 && table.rows > 1 { table.rows } else { table.columns() };
    let points: Vec<String> =
        (0..count).map(|index| crate::block::number_text(first + spacing * index as f64)).collect();
    block.set_option(option, Some(&points));
    Ok(())
}

/// Returns the number of points along each dimension of a table.
fn sizes_of(cx: &mut Cx, table: Option<Matrix>) -> Result<Vec<String>, String> {
    let table = table.ok_or("the size of the table has to be known for the import")?;
    let sizes = match cx.number("NumberOfTableDimensions")? {
        1.0 => vec![table.values.len()],
        2.0 => vec![table.rows, table.columns()],
        _ => return Err("tables of more than two dimensions are not read yet".to_owned()),
    };
    Ok(sizes.iter().map(ToString::to_string).collect())
}

fn direct(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("InputsSelectThisObjectFromTable") != "Element" || cx.is_on("TableIsInput") {
        return Err("it selects whole rows or columns, or its table is a signal".to_owned());
    }
    let text = cx.text("Table").to_owned();
    let table = cx.expression_of(&text)?;
    let sizes = sizes_of(cx, table.value)?;
    Ok(library("Lookup", "Direct Lookup Table").with_option("Sizes", &sizes).with_option("Table", &[table.text]).into())
}

fn prelookup(cx: &mut Cx) -> Result<Made, String> {
    let mut block = library("Lookup", "Prelookup");
    let text = cx.any(&["BreakpointsData", "bpData"]).to_owned();
    block.set_option("Breakpoints", Some(&[cx.expression_of(&text)?.text]));
    let outer = if cx.text("ExtrapMethod").starts_with("Linear") { "extrapolate" } else { "clip" };
    Ok(block.with_option("Extrapolation", &[outer]).into())
}

fn interpolation(cx: &mut Cx) -> Result<Made, String> {
    let text = cx.any(&["Table", "table"]).to_owned();
    let table = cx.expression_of(&text)?;
    let sizes = sizes_of(cx, table.value)?;
    let inner = if cx.text("InterpMethod").contains("Flat") { "flat" } else { "linear" };
    let block = library("Lookup", "Interpolation Using Prelookup")
        .with_option("Sizes", &sizes)
        .with_option("Table", &[table.text]);
    Ok(block.with_option("Interpolation", &[inner]).into())
}
