use crate::block::library::matrix_shape::ROWS;
use crate::block::library::{index, matrix_math};
use crate::block::{BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Permute Matrix",
    doc: "Reorders the rows or columns of a matrix by an index vector",
    formula: "Y = A[index, :] or A[:, index]",
    aliases: &["reorder", "permutation", "sort rows", "shuffle"],
    look: Look::rect(Face::Strokes(&[
        &[(0.15, 0.3), (0.4, 0.3), (0.6, 0.7), (0.85, 0.7)],
        &[(0.15, 0.7), (0.4, 0.7), (0.6, 0.3), (0.85, 0.3)],
    ])),
    inputs: Ports::Fixed(&["Matrix", "Index"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ROWS,
        ParamDef::choice("Direction", &["rows", "columns"]).doc("Whether rows or columns are reordered"),
        super::super::index::FIRST,
    ],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let index = index::from_zero(b, b.input(1));
        let Some(columns) = matrix_math::columns(b, "Rows", u.width(), rows) else { return b.output(0, u) };
        let by_rows = b.settings().choice("Direction") == "rows";
        let (new_rows, new_columns) = if by_rows { (index.width(), columns) } else { (rows, index.width()) };
        // The place of each element is computed, and it is picked.
        let count = new_rows.saturating_mul(new_columns);
        if !b.fits(new_rows, new_columns) || !b.fits_instructions(2 * count + 4 * index.width()) {
            return b.output(0, u);
        }
        let last = if by_rows { rows } else { columns } as f64 - 1.0;
        let chosen: Vec<Expr> = (0..index.width()).map(|at| index.element(at).clamp(0.0, last)).collect();
        let firsts: Vec<Expr> =
            if by_rows { chosen.iter().map(|row| *row * columns as f64).collect() } else { Vec::new() };
        let element = |row: usize, column: usize| match by_rows {
            true => u.pick(firsts[row] + column as f64),
            false => u.pick(chosen[column] + (row * columns) as f64),
        };
        let element = &element;
        let elements: Vec<Expr> =
            (0..new_rows).flat_map(|row| (0..new_columns).map(move |column| element(row, column))).collect();
        b.output(0, b.join(&elements));
    },
    examples: &[
        Example {
            doc: "Rows swapped",
            options: &[("Rows", &["2"])],
            delta: 1.0,
            widths: &[4, 2],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0]],
            outputs: &[&[3.0, 4.0, 1.0, 2.0]],
        },
        Example {
            doc: "Columns swapped",
            options: &[("Rows", &["2"]), ("Direction", &["columns"])],
            delta: 1.0,
            widths: &[4, 2],
            inputs: &[&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0]],
            outputs: &[&[2.0, 1.0, 4.0, 3.0]],
        },
    ],
};
