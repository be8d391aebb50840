use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::block::expression::{Algebra, evaluate};
use crate::block::{
    Binary, BlockDef, Builder, Example, Expr, FORMULA_TIME, Face, Look, ParamDef, Ports, Settings, Unary, names_in,
};

pub static DEF: BlockDef = BlockDef {
    group: "User",
    name: "Formula",
    doc: "Computes what is written in it as ordinary mathematics",
    formula: "lines name = expression; names that begin with _ stay inside, all others are outputs",
    aliases: &["fcn", "function", "expression", "equation", "matlab function", "formula node", "interpreted function"],
    look: Look::rect(Face::Text("f(u)")),
    inputs: Ports::By(inputs),
    outputs: Ports::By(outputs),
    params: &[
        ParamDef::formula("Formula", "y = u", INPUTS)
            .doc("Lines y = …, of inputs, earlier lines, variables, t (seconds), dt (seconds a step) and functions"),
        ParamDef::text(INPUTS, "u").doc("The names of the inputs, with spaces between them"),
    ],
    build: |b| {
        let setting = b.settings().formula("Formula");
        let values = RefCell::new(BTreeMap::new());
        for (number, name) in setting.inputs.iter().take(b.input_count()).enumerate() {
            values.borrow_mut().insert(name.clone(), b.input(number));
        }
        for (name, value) in &setting.variables {
            let lanes: Vec<Expr> = value.iter().map(|&number| b.constant(number)).collect();
            values.borrow_mut().insert(name.clone(), b.join(&lanes));
        }
        let tape = Tape { b, values };
        let mut output = 0;
        for (name, expression) in &setting.formula.lines {
            let value = evaluate(expression, &tape).unwrap_or_else(|error| {
                b.refuse("Formula", format!("“{}”: {error}", setting.text));
                b.constant(0.0)
            });
            tape.values.borrow_mut().insert(name.clone(), value);
            if !is_inner(name) {
                b.output(output, value);
                output += 1;
            }
        }
    },
    examples: &[
        Example {
            doc: "Two inputs and two results",
            options: &[("Formula", &["_r = hypot(x, y); r = _r; is_far = _r > 4"]), (INPUTS, &["x y"])],
            delta: 1.0,
            widths: &[],
            inputs: &[&[3.0, 0.0], &[4.0, 2.0]],
            outputs: &[&[5.0, 2.0], &[1.0, 0.0]],
        },
        Example {
            doc: "Of time alone",
            options: &[("Formula", &["y = 2*t^2 + dt"]), (INPUTS, &[""])],
            delta: 0.5,
            widths: &[],
            inputs: &[],
            outputs: &[&[0.5, 1.0, 2.5]],
        },
    ],
};

const INPUTS: &str = "Inputs";

fn is_inner(name: &str) -> bool {
    name.starts_with('_')
}

fn inputs(settings: &Settings) -> Vec<String> {
    names_in(settings.text(INPUTS)).map(str::to_owned).collect()
}

fn outputs(settings: &Settings) -> Vec<String> {
    let lines = settings.formula("Formula").formula.lines.iter();
    lines.map(|(name, _)| name).filter(|name| !is_inner(name)).cloned().collect()
}

/// Formulas as instructions.
struct Tape<'b> {
    b: &'b Builder<'b>,
    /// Inputs, variables and the lines so far.
    values: RefCell<BTreeMap<String, Expr<'b>>>,
}

impl<'b> Algebra for Tape<'b> {
    type Value = Expr<'b>;

    fn number(&self, number: f64) -> Expr<'b> {
        self.b.constant(number)
    }

    fn name(&self, name: &str) -> Result<Option<Expr<'b>>, String> {
        let known = self.values.borrow().get(name).copied();
        let [time, delta] = FORMULA_TIME;
        Ok(known.or_else(|| match name {
            name if name == time => Some(self.b.time()),
            name if name == delta => Some(self.b.constant(self.b.delta())),
            _ => None,
        }))
    }

    fn width(&self, value: &Expr<'b>) -> usize {
        value.width()
    }

    fn known(&self, value: &Expr<'b>) -> Option<f64> {
        value.known()
    }

    fn unary(&self, op: Unary, a: Expr<'b>) -> Expr<'b> {
        a.unary(op)
    }

    fn binary(&self, op: Binary, a: Expr<'b>, b: Expr<'b>) -> Expr<'b> {
        a.binary(op, b)
    }

    fn select(&self, on: Expr<'b>, yes: Expr<'b>, no: Expr<'b>) -> Expr<'b> {
        self.b.select(on, yes, no)
    }

    fn join(&self, parts: &[Expr<'b>]) -> Expr<'b> {
        if let [single] = parts { *single } else { self.b.join(parts) }
    }

    fn fold(&self, op: Binary, a: Expr<'b>) -> Expr<'b> {
        a.fold(op)
    }

    fn pick(&self, of: Expr<'b>, index: Expr<'b>) -> Expr<'b> {
        of.pick(index)
    }

    fn names(&self) -> Vec<String> {
        self.values.borrow().keys().cloned().collect()
    }
}
