//! The evaluation of lines `name = expression` to instructions.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use crate::block::expression::{Algebra, VariableError, evaluate};
use crate::block::{Binary, Builder, Expr, FORMULA_TIME, Reg, Unary};

/// Whether the result of a line is internal to the block.
pub fn is_inner(name: &str) -> bool {
    name.starts_with('_')
}

/// Evaluates the lines of a formula parameter, which may use the names `known`, variables and earlier lines. Records an
/// error if a line is invalid.
pub fn equations<'b>(
    b: &'b Builder<'b>,
    param: &'static str,
    known: impl IntoIterator<Item = (String, Expr<'b>)>,
) -> Vec<(String, Expr<'b>)> {
    let setting = b.settings().formula(param);
    let mut values: BTreeMap<String, Expr> = known.into_iter().collect();
    let tape = TapeAlgebra { b, values: RefCell::default(), made: RefCell::default() };
    for (name, value) in &setting.variables {
        let elements: Vec<Expr> = value.iter().map(|&number| tape.number(number)).collect();
        values.insert(name.clone(), tape.join(&elements));
    }
    tape.values.replace(values);
    let mut lines = Vec::with_capacity(setting.formula.lines.len());
    let mut is_refused = false;
    for (name, expression) in &setting.formula.lines {
        // Only the first error is reported.
        let made = if is_refused { Ok(b.constant(0.0)) } else { evaluate(expression, &tape) };
        let value = match made {
            Ok(value) => value,
            Err(error) => {
                is_refused = true;
                b.refuse(param, error.message_for(&setting.text));
                b.constant(0.0)
            }
        };
        tape.values.borrow_mut().insert(name.clone(), value);
        lines.push((name.clone(), value));
    }
    lines
}

/// The algebra of instructions.
struct TapeAlgebra<'b> {
    b: &'b Builder<'b>,
    /// The values of inputs, variables and the lines so far.
    values: RefCell<BTreeMap<String, Expr<'b>>>,
    /// The values computed so far: equal instructions are written once.
    made: RefCell<HashMap<Made, Expr<'b>>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Made {
    Number(u64),
    Unary(Unary, Reg),
    Binary(Binary, Reg, Reg),
    Select(Reg, Reg, Reg),
    Fold(Binary, Reg),
    Pick(Reg, Reg),
}

impl<'b> TapeAlgebra<'b> {
    fn once(&self, key: Made, make: impl FnOnce() -> Expr<'b>) -> Expr<'b> {
        *self.made.borrow_mut().entry(key).or_insert_with(make)
    }
}

impl<'b> Algebra for TapeAlgebra<'b> {
    type Value = Expr<'b>;

    fn number(&self, number: f64) -> Expr<'b> {
        self.once(Made::Number(number.to_bits()), || self.b.constant(number))
    }

    fn name(&self, name: &str) -> Result<Option<Expr<'b>>, VariableError> {
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
        self.once(Made::Unary(op, a.reg()), || a.unary(op))
    }

    fn binary(&self, op: Binary, a: Expr<'b>, b: Expr<'b>) -> Expr<'b> {
        self.once(Made::Binary(op, a.reg(), b.reg()), || a.binary(op, b))
    }

    fn select(&self, on: Expr<'b>, yes: Expr<'b>, no: Expr<'b>) -> Expr<'b> {
        self.once(Made::Select(on.reg(), yes.reg(), no.reg()), || self.b.select(on, yes, no))
    }

    fn join(&self, parts: &[Expr<'b>]) -> Expr<'b> {
        if let [single] = parts { *single } else { self.b.join(parts) }
    }

    fn fold(&self, op: Binary, a: Expr<'b>) -> Expr<'b> {
        self.once(Made::Fold(op, a.reg()), || a.fold(op))
    }

    fn pick(&self, of: Expr<'b>, index: Expr<'b>) -> Expr<'b> {
        self.once(Made::Pick(of.reg(), index.reg()), || of.pick(index))
    }

    fn names(&self) -> Vec<String> {
        self.values.borrow().keys().cloned().collect()
    }
}
