//! Lines `name = expression` as instructions.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::block::expression::{Algebra, evaluate};
use crate::block::{Binary, Builder, Expr, FORMULA_TIME, Unary};

/// Whether a line's result stays inside.
pub fn is_inner(name: &str) -> bool {
    name.starts_with('_')
}

/// The lines of a formula parameter with their values, where these names are known besides variables and earlier lines.
/// What cannot be is refused.
pub fn equations<'b>(
    b: &'b Builder<'b>,
    param: &'static str,
    known: impl IntoIterator<Item = (String, Expr<'b>)>,
) -> Vec<(String, Expr<'b>)> {
    let setting = b.settings().formula(param);
    let mut values: BTreeMap<String, Expr> = known.into_iter().collect();
    for (name, value) in &setting.variables {
        let lanes: Vec<Expr> = value.iter().map(|&number| b.constant(number)).collect();
        values.insert(name.clone(), b.join(&lanes));
    }
    let tape = Tape { b, values: RefCell::new(values) };
    let mut lines = Vec::with_capacity(setting.formula.lines.len());
    for (name, expression) in &setting.formula.lines {
        let value = evaluate(expression, &tape).unwrap_or_else(|error| {
            b.refuse(param, format!("“{}”: {error}", setting.text));
            b.constant(0.0)
        });
        tape.values.borrow_mut().insert(name.clone(), value);
        lines.push((name.clone(), value));
    }
    lines
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
