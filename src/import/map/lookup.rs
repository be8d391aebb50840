//! Lookup tables. A table of the file is stored by columns; here it is stored by rows, which the text of a matrix has.

use super::block::Cx;
use super::made::{Made, library};
use super::row::{How, Row};
use crate::block::language::Matrix;
use crate::block::number_text;
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

pub const LIBRARY: &[Row] = &[
    ("Sine", How::By(|cx| of_turns(cx, "sin"))),
    ("Cosine", How::By(|cx| of_turns(cx, "cos"))),
    ("Lookup Table Dynamic", How::Same("Lookup", "Lookup Table Dynamic", &[])),
];

fn of_turns(cx: &mut Cx, function: &str) -> Result<Made, String> {
    cx.note("the function itself is computed, not looked up in a table");
    let of = |function: &str| library("Lookup", "Sine of Turns").with_option("Function", &[function]);
    if cx.text("Formula").contains("cos") && cx.text("Formula").contains("sin") {
        return Err("it has two outputs, the sine and the cosine".to_owned());
    }
    Ok(of(function).into())
}

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
        _ => table_of_many(cx, dimensions as usize, inner, outer),
    }
}

/// A table of three or more dimensions.
fn table_of_many(cx: &mut Cx, dimensions: usize, inner: &str, outer: &str) -> Result<Made, String> {
    let text = cx.text("Table").to_owned();
    let array = array(cx, &text)?;
    if array.sizes.len() != dimensions {
        return Err(format!("its table has {} dimensions, and it has {dimensions} inputs", array.sizes.len()));
    }
    let mut points: Vec<String> = Vec::new();
    for (at, size) in array.sizes.iter().enumerate() {
        let name = format!("BreakpointsForDimension{}", at + 1);
        let of = match cx.text("BreakpointsSpecification") == "Even spacing" {
            true => {
                let (first, spacing) =
                    (cx.number(&format!("{name}FirstPoint"))?, cx.number(&format!("{name}Spacing"))?);
                (0..*size).map(|index| first + spacing * index as f64).collect()
            }
            false => cx.numbers(&name)?,
        };
        points.extend(of.into_iter().map(number_text));
    }
    let inner = match inner {
        "akima" => {
            cx.note("the spline is cubic, not Akima's");
            "spline"
        }
        other => other,
    };
    let block = library("Lookup", "n-D Lookup Table")
        .with_option("Sizes", &array.size_texts())
        .with_option("Breakpoints", &points)
        .with_option("Table", &array.value_texts());
    Ok(methods(block, inner, outer).into())
}

/// A table of several dimensions.
struct Array {
    sizes: Vec<usize>,
    /// The last dimension varies fastest.
    values: Vec<f64>,
}

impl Array {
    /// An array from values of which the first dimension varies fastest.
    fn by_columns(sizes: Vec<usize>, values: &[f64]) -> Option<Array> {
        if sizes.iter().product::<usize>() != values.len() || values.is_empty() {
            return None;
        }
        let mut made = Array { sizes, values: Vec::with_capacity(values.len()) };
        let mut place = vec![0; made.sizes.len()];
        for _ in 0..values.len() {
            let index = place.iter().zip(&made.sizes).rev().fold(0, |index, (at, size)| index * size + at);
            made.values.push(values[index]);
            for (at, size) in place.iter_mut().zip(&made.sizes).rev() {
                *at = (*at + 1) % size;
                if *at > 0 {
                    break;
                }
            }
        }
        Some(made)
    }

    fn size_texts(&self) -> Vec<String> {
        self.sizes.iter().map(ToString::to_string).collect()
    }

    fn value_texts(&self) -> Vec<String> {
        self.values.iter().copied().map(number_text).collect()
    }
}

/// Reads an array of more than two dimensions: `reshape(values, sizes)` or `cat(3, pages)`.
fn array(cx: &mut Cx, text: &str) -> Result<Array, String> {
    const OTHERWISE: &str = "its table is neither reshape(…) nor cat(3, …) of known values";
    let known = |cx: &mut Cx, text: &str| -> Result<Matrix, String> {
        cx.expression_of(text.trim())?.value.ok_or_else(|| OTHERWISE.to_owned())
    };
    let columns = |matrix: &Matrix| -> Vec<f64> {
        let (rows, columns) = (matrix.rows, matrix.columns());
        (0..columns).flat_map(|c| (0..rows).map(move |r| (r, c))).map(|(r, c)| matrix.values[r * columns + c]).collect()
    };
    let inside = |name: &str| text.trim().strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')');
    if let Some(arguments) = inside("reshape") {
        let parts = super::super::script::split(arguments, ',');
        let Some((values, sizes)) = parts.split_first() else { return Err(OTHERWISE.to_owned()) };
        let mut counts: Vec<usize> = Vec::new();
        for size in sizes {
            counts.extend(known(cx, size)?.values.iter().map(|size| *size as usize));
        }
        let values = columns(&known(cx, values)?);
        return Array::by_columns(counts, &values)
            .ok_or_else(|| "its table has other sizes than its values".to_owned());
    }
    let pages = inside("cat").map(|arguments| super::super::script::split(arguments, ','));
    let Some((dimension, pages)) = pages.as_deref().and_then(<[String]>::split_first) else {
        return Err(OTHERWISE.to_owned());
    };
    if dimension.trim() != "3" {
        return Err(OTHERWISE.to_owned());
    }
    let mut values = Vec::new();
    let mut size = (0, 0);
    for page in pages {
        let page = known(cx, page)?;
        size = (page.rows, page.columns());
        values.extend(columns(&page));
    }
    let sizes = vec![size.0, size.1, pages.len()];
    Array::by_columns(sizes, &values).ok_or_else(|| "the pages of its table have different sizes".to_owned())
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
    let points: Vec<String> = (0..count).map(|index| number_text(first + spacing * index as f64)).collect();
    block.set_option(option, Some(&points));
    Ok(())
}

/// Sets the table of a block that states the number of points along each dimension.
fn tabulated(cx: &mut Cx, block: Block, text: &str) -> Result<Block, String> {
    let dimensions = cx.number("NumberOfTableDimensions")?;
    if dimensions > 2.0 {
        let array = array(cx, text)?;
        return Ok(block.with_option("Sizes", &array.size_texts()).with_option("Table", &array.value_texts()));
    }
    let table = cx.expression_of(text)?;
    let value = table.value.ok_or("the size of the table has to be known for the import")?;
    let sizes = if dimensions == 1.0 { vec![value.values.len()] } else { vec![value.rows, value.columns()] };
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    Ok(block.with_option("Sizes", &sizes).with_option("Table", &[table.text]))
}

fn direct(cx: &mut Cx) -> Result<Made, String> {
    if cx.text("InputsSelectThisObjectFromTable") != "Element" || cx.is_on("TableIsInput") {
        return Err("it selects whole rows or columns, or its table is a signal".to_owned());
    }
    let text = cx.text("Table").to_owned();
    Ok(tabulated(cx, library("Lookup", "Direct Lookup Table"), &text)?.into())
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
    let inner = if cx.text("InterpMethod").contains("Flat") { "flat" } else { "linear" };
    let block = tabulated(cx, library("Lookup", "Interpolation Using Prelookup"), &text)?;
    Ok(block.with_option("Interpolation", &[inner]).into())
}
