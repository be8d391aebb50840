use crate::block::library::matrix_shape::square;
use crate::block::{Binary, BlockDef, Example, Expr, Face, Look, ParamDef, Ports};

pub static DEF: BlockDef = BlockDef {
    group: "Matrix",
    name: "Matrix Test",
    doc: "Tests whether a square matrix is symmetric, triangular or diagonal",
    formula: "symmetric: |Aᵢⱼ − Aⱼᵢ| ≤ tolerance; upper (lower) triangular: |Aᵢⱼ| ≤ tolerance below (above) the diagonal; diagonal: both",
    aliases: &["issymmetric", "istriangular", "isdiagonal"],
    look: Look::rect(Face::Text("A = A'?")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::choice("Form", &["symmetric", "upper triangular", "lower triangular", "diagonal"])
            .doc("The property that is tested"),
        ParamDef::number("Tolerance", &[0.0])
            .between(0.0, f64::INFINITY)
            .doc("The largest difference that counts as zero"),
    ],
    build: |b| {
        let u = b.input(0);
        let Some(size) = square(b, u) else { return b.output(0, u) };
        let form = b.settings().choice("Form");
        let asked: Vec<Expr> = (0..size * size)
            .map(|index| (index / size, index % size))
            .filter(|&(row, column)| match form {
                "upper triangular" => row > column,
                "lower triangular" => row < column,
                "diagonal" => row != column,
                _ => row < column,
            })
            .map(|(row, column)| match form {
                "symmetric" => u.element(row * size + column) - u.element(column * size + row),
                _ => u.element(row * size + column),
            })
            .collect();
        let y = match asked.is_empty() {
            true => b.constant(1.0),
            false => b.join(&asked).abs().le(b.param("Tolerance")).fold(Binary::And),
        };
        b.output(0, if asked.is_empty() { b.select(u, y, y) } else { y });
    },
    examples: &[Example {
        doc: "A symmetric matrix, then one that is not",
        options: &[],
        delta: 1.0,
        widths: &[4],
        inputs: &[&[1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 3.0, 1.0]],
        outputs: &[&[1.0, 0.0]],
    }],
};
