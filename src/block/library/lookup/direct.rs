use crate::block::library::located;
use crate::block::{BlockDef, Example, Face, Look, ParamDef, Ports, Settings, Unary};

pub static DEF: BlockDef = BlockDef {
    group: "Lookup",
    name: "Direct Lookup Table",
    doc: "Selects the table element at the indices that its inputs set",
    formula: "y = T[i₁, i₂, …], each index rounded to the nearest integer and limited to the table; not-a-number where an index is",
    aliases: &["direct lookup table (n-d)", "index table", "array", "element", "rom"],
    look: Look::rect(Face::Text("T[k]")),
    inputs: Ports::By(inputs),
    outputs: Ports::Fixed(&["Output"]),
    params: &[
        ParamDef::number("Sizes", &[3.0])
            .vector()
            .fixed()
            .between(1.0, 1e6)
            .doc("The number of elements of each dimension; each dimension has an input"),
        ParamDef::number("Table", &[4.0, 5.0, 6.0])
            .vector()
            .fixed()
            .doc("The elements, with the last dimension varying fastest"),
        ParamDef::integer("First Index", 0, 0, 1).doc("The index of the first element"),
    ],
    build: |b| {
        let (sizes, table) = (b.settings().numbers("Sizes").to_vec(), b.param("Table"));
        let wanted: f64 = sizes.iter().map(|size| size.trunc()).product();
        if wanted != table.width() as f64 || sizes.len() > 10 {
            b.refuse("Table", format!("{} values do not fill a table of {wanted}", table.width()));
            return b.output(0, b.input(0));
        }
        let first = super::super::index::first(b);
        let indices = b.inputs().into_iter().zip(&sizes).map(|(index, size)| {
            ((located::unary(b, Unary::Round, index) - first).clamp(0.0, size.trunc() - 1.0), size.trunc())
        });
        let offset = indices.reduce(|(offset, _), (index, size)| (offset * size + index, size));
        let element = offset.map_or(table, |(offset, _)| table.pick(offset));
        // An index that is not a number selects no element.
        b.output(0, b.inputs().into_iter().fold(element, |y, index| b.select(index.is_nan(), index, y)));
    },
    examples: &[
        Example {
            doc: "One dimension, with an index past the end",
            options: &[],
            delta: 1.0,
            widths: &[],
            inputs: &[&[0.0, 1.6, 9.0]],
            outputs: &[&[4.0, 6.0, 6.0]],
        },
        Example {
            doc: "Row and column",
            options: &[("Sizes", &["2", "3"]), ("Table", &["1", "2", "3", "4", "5", "6"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[1.0, 0.0], &[0.0, 2.0]],
            outputs: &[&[4.0, 3.0]],
        },
    ],
};

fn inputs(settings: &Settings) -> Vec<String> {
    (1..=settings.numbers("Sizes").len()).map(|number| format!("Index {number}")).collect()
}
