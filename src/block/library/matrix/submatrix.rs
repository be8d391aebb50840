use crate::block::library::matrix_shape::ROWS;
use crate::block::library::{index, matrix_math};
use crate::block::{BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Submatrix",
    doc: "Extracts consecutive rows and columns of a matrix",
    formula: "Y = A[rows, columns]",
    aliases: &["selector", "crop", "block", "part of matrix"],
    look: Look::rect(Face::Strokes(&[
        &[(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.12, 0.12)],
        &[(0.35, 0.35), (0.65, 0.35), (0.65, 0.65), (0.35, 0.65), (0.35, 0.35)],
    ])),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ROWS,
        super::super::index::FIRST,
        ParamDef::number("From Row", &[1.0]).fixed().doc("The first row"),
        ParamDef::integer("Row Count", 1, 1, 1000).doc("The number of rows"),
        ParamDef::number("From Column", &[1.0]).fixed().doc("The first column"),
        ParamDef::integer("Column Count", 1, 1, 1000).doc("The number of columns"),
    ],
    build: |b| {
        let (u, rows) = (b.input(0), b.settings().integer("Rows") as usize);
        let Some(columns) = matrix_math::columns(b, "Rows", u.width(), rows) else { return b.output(0, u) };
        let span = |from: &'static str, count: &'static str, all: usize| {
            let first = index::numbers(b, from, all).first().copied()?;
            let count = b.settings().integer(count) as usize;
            if first + count > all {
                b.refuse(count_param(from), format!("{count} from there on exceed the {all} of the matrix"));
                return None;
            }
            Some(first..first + count)
        };
        let spans = (span("From Row", "Row Count", rows), span("From Column", "Column Count", columns));
        let (Some(kept_rows), Some(kept)) = spans else { return b.output(0, u) };
        let parts: Vec<Expr> = kept_rows.map(|row| u.slice(row * columns + kept.start, kept.len())).collect();
        b.output(0, b.join(&parts));
    },
    examples: &[Example {
        doc: "The lower right corner",
        options: &[("Rows", &["2"]), ("From Row", &["2"]), ("From Column", &["2"]), ("Column Count", &["2"])],
        delta: 1.0,
        widths: &[6],
        inputs: &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        outputs: &[&[5.0, 6.0]],
    }],
};

fn count_param(from: &str) -> &'static str {
    if from == "From Row" { "Row Count" } else { "Column Count" }
}
