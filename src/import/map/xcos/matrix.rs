//! Matrices. Signals here are vectors with the elements row after row; the sizes that blocks need are those of the ports.

use super::super::block::Cx;
use super::super::made::{Made, library};
use super::super::row::{How, Row, unchanged};
use super::params::number_or;

pub const ROWS: &[Row] = &[
    ("MATMUL", How::By(multiply)),
    ("MATTRAN", How::By(transpose)),
    ("MATINV", How::Same("Matrix", "Inverse", &[])),
    ("MATDET", How::Same("Matrix", "Determinant", &[])),
    ("MATDIAG", How::Same("Matrix", "Create Diagonal Matrix", &[])),
    ("MATCATV", How::By(below)),
    ("MATCATH", How::By(beside)),
    ("MATSUM", How::By(sum)),
    ("MATMAGPHI", How::Missing("complex signals are not there")),
    ("MATZREIM", How::Missing("complex signals are not there")),
    ("MATBKSL", How::Same("Matrix", "Solve", &[])),
    ("MATRESH", How::By(reshape)),
    ("EXTRACT", How::By(extract)),
    ("SUBMAT", How::By(submatrix)),
    ("EXTTRI", How::Missing("the extraction of a triangle is not there")),
    ("MATEIG", How::Missing("eigenvalues of matrices that are not symmetric are not there")),
    ("MATPINV", How::Missing("the pseudo-inverse is not there")),
    ("MATEXPM", How::Missing("the exponential of a matrix is not there")),
    ("CUMSUM", How::By(cumulative_sum)),
    ("ROOTCOEF", How::Missing("the roots of a polynomial are not there")),
    ("MATLU", How::Missing("the factors of a matrix are not there")),
    ("MATSING", How::Missing("the singular vectors of a matrix are not there")),
];

/// A product: of matrices, by element, or by a scalar.
fn multiply(cx: &mut Cx) -> Result<Made, String> {
    // Older releases have no rule.
    let rule = if cx.text("exprs(3)").is_empty() { 1.0 } else { number_or(cx, 2, 1.0)? };
    if rule != 1.0 {
        return Ok(library("Math", "Product").with_option("Operations", &["**"]).into());
    }
    let sizes = ["in1.rows", "in1.columns", "in2.rows", "in2.columns"].map(|name| cx.size(name));
    let [Some(rows), Some(inner), _, Some(columns)] = sizes else {
        cx.note("the sizes of the matrices are not known: they count as column and scalar");
        return Ok(library("Matrix", "Matrix Multiply").into());
    };
    if (rows, inner, columns) == (1, 1, 1) {
        return Ok(library("Math", "Product").with_option("Operations", &["**"]).into());
    }
    let block = library("Matrix", "Matrix Multiply").with_option("Rows", &[rows.to_string()]);
    Ok(block.with_option("Columns", &[columns.to_string()]).into())
}

fn transpose(cx: &mut Cx) -> Result<Made, String> {
    match (cx.size("in1.rows"), cx.size("in1.columns")) {
        // A column and a row have the same elements.
        (Some(1), _) | (_, Some(1)) => Ok(unchanged()),
        (Some(rows), _) => Ok(library("Matrix", "Transpose").with_option("Rows", &[rows.to_string()]).into()),
        _ => {
            cx.note("the number of rows is not known");
            Ok(library("Matrix", "Transpose").into())
        }
    }
}

fn inputs(cx: &Cx) -> String {
    cx.block.inputs.unwrap_or(1).max(cx.wired_inputs).max(1).to_string()
}

fn below(cx: &mut Cx) -> Result<Made, String> {
    Ok(library("Routing", "Mux").with_option("Inputs", &[inputs(cx)]).into())
}

fn beside(cx: &mut Cx) -> Result<Made, String> {
    let rows = cx.size("in1.rows");
    if rows == Some(1) {
        return below(cx);
    }
    if rows.is_none() {
        cx.note("the number of rows is not known");
    }
    let block = library("Matrix", "Matrix Concatenate").with_option("Inputs", &[inputs(cx)]);
    Ok(block.with_option("Rows", &[rows.unwrap_or(1).to_string()]).into())
}

/// A sum of all elements, of rows or of columns, as a product with ones.
fn sum(cx: &mut Cx) -> Result<Made, String> {
    let way = number_or(cx, 2, 0.0)?;
    let sizes = cx.size("in1.rows").zip(cx.size("in1.columns"));
    if way == 0.0 || sizes.is_some_and(|(rows, columns)| rows == 1 && way == 2.0 || columns == 1 && way == 1.0) {
        return Ok(library("Math", "Sum").with_option("Signs", &["+"]).into());
    }
    let Some((rows, columns)) = sizes else { return Err("the size of its matrix is not known".to_owned()) };
    let block = library("Matrix", "Matrix Gain");
    Ok(match way {
        // One number for each column.
        1.0 => block
            .with_option("Gain", &[format!("ones(1, {rows})")])
            .with_option("Order", &["K·u"])
            .with_option("Columns", &[columns.to_string()]),
        _ => block
            .with_option("Gain", &[format!("ones({columns}, 1)")])
            .with_option("Order", &["u·K"])
            .with_option("Rows", &[rows.to_string()]),
    }
    .into())
}

/// Sums up to each element, down the columns or along the rows, as a product with a triangle of ones.
fn cumulative_sum(cx: &mut Cx) -> Result<Made, String> {
    const MOST: usize = 100;
    let way = number_or(cx, 2, 0.0)?;
    let sizes = cx.size("in1.rows").zip(cx.size("in1.columns"));
    let Some((rows, columns)) = sizes else { return Err("the size of its matrix is not known".to_owned()) };
    let is_down = match way {
        1.0 => true,
        2.0 => false,
        _ if rows == 1 || columns == 1 => rows > 1,
        _ => return Err("it sums along the first dimension of a matrix, which is not stated".to_owned()),
    };
    let count = if is_down { rows } else { columns };
    if count > MOST {
        return Err(format!("it sums more than {MOST} elements"));
    }
    let row = |at: usize| {
        let ones = (0..count).map(|other| if (other <= at) == is_down || other == at { "1" } else { "0" });
        ones.collect::<Vec<_>>().join(" ")
    };
    let ones = format!("[{}]", (0..count).map(row).collect::<Vec<_>>().join("; "));
    let block = library("Matrix", "Matrix Gain").with_option("Gain", &[ones]);
    Ok(match is_down {
        true => block.with_option("Order", &["K·u"]).with_option("Columns", &[columns.to_string()]),
        false => block.with_option("Order", &["u·K"]).with_option("Rows", &[rows.to_string()]),
    }
    .into())
}

/// A new shape: elements are counted by columns there, by rows here.
fn reshape(cx: &mut Cx) -> Result<Made, String> {
    let (Some(rows), Some(columns)) = (cx.size("in1.rows"), cx.size("in1.columns")) else {
        return Err("the size of its matrix is not known".to_owned());
    };
    let sizes = cx.numbers("exprs(2)")?;
    let &[to_rows, to_columns] = &sizes[..] else { return Err("it has no new size".to_owned()) };
    let (to_rows, to_columns) = (to_rows as usize, to_columns as usize);
    if to_rows * to_columns > rows * columns || rows * columns > 10_000 {
        return Err("its new size has more elements".to_owned());
    }
    let place = |row: usize, column: usize| {
        let number = column * to_rows + row;
        (number % rows) * columns + number / rows + 1
    };
    let places = (0..to_rows).flat_map(|row| (0..to_columns).map(move |column| place(row, column)));
    Ok(selector(places.collect()))
}

fn selector(places: Vec<usize>) -> Made {
    let texts: Vec<String> = places.iter().map(usize::to_string).collect();
    let mut block = library("Routing", "Selector");
    block.set_option("Indices", Some(&texts));
    block.into()
}

/// Lines and columns by number from 1.
fn extract(cx: &mut Cx) -> Result<Made, String> {
    let (rows, columns) = (cx.numbers("exprs(2)")?, cx.numbers("exprs(3)")?);
    chosen(cx, &rows, &columns)
}

/// A part from a line and column to another.
fn submatrix(cx: &mut Cx) -> Result<Made, String> {
    let list = |first: f64, last: f64| {
        let count = (last - first + 1.0).clamp(0.0, 1000.0) as usize;
        (0..count).map(|step| first + step as f64).collect::<Vec<_>>()
    };
    let ends = [number_or(cx, 2, 1.0)?, number_or(cx, 3, 1.0)?, number_or(cx, 4, 1.0)?, number_or(cx, 5, 1.0)?];
    chosen(cx, &list(ends[0], ends[1]), &list(ends[2], ends[3]))
}

fn chosen(cx: &mut Cx, rows: &[f64], columns: &[f64]) -> Result<Made, String> {
    let Some(width) = cx.size("in1.columns") else { return Err("the size of its matrix is not known".to_owned()) };
    if rows.iter().chain(columns).any(|number| *number < 1.0) || rows.len() * columns.len() > 10_000 {
        return Err("its lines or columns are no numbers from 1".to_owned());
    }
    let place = |row: f64, column: f64| (row as usize - 1) * width + column as usize;
    Ok(selector(rows.iter().flat_map(|row| columns.iter().map(|column| place(*row, *column))).collect()))
}
