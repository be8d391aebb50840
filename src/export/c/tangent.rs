//! The tangents of operations as expressions of C, by the rules of [`crate::block::math`].

use std::cell::RefCell;

use super::expression::{Calls, Expr, binary, select, unary};
use super::number::literal;
use crate::block::math::{Real, real_operators};
use crate::block::{Binary, Unary};
use crate::engine::Opcode;

/// Whether the tangent of an instruction is computed from the value of an operand, not only from its tangent.
pub fn reads_value(opcode: Opcode, arg: usize) -> bool {
    match opcode {
        Opcode::Copy | Opcode::Unary(Unary::Neg) | Opcode::Binary(Binary::Add | Binary::Sub) => false,
        Opcode::Select => arg == 0,
        Opcode::Pick { .. } => arg == 1,
        _ => true,
    }
}

/// The tangent of the result from an operand and its tangent.
pub fn unary_tangent(op: Unary, a: &str, da: &str, calls: &mut Calls) -> String {
    let rule = Rule::new(calls, [a, da]);
    let [a, da] = rule.terms();
    rule.text(op.tangent(a, da))
}

/// The tangent of the result from the operands and their tangents.
pub fn binary_tangent(op: Binary, [a, b]: [&str; 2], [da, db]: [&str; 2], calls: &mut Calls) -> String {
    let rule = Rule::new(calls, [a, da, b, db]);
    let [a, da, b, db] = rule.terms();
    rule.text(op.tangent((a, da), (b, db)))
}

/// The expressions of a rule, and the functions that they call.
struct Rule<'c>(RefCell<(Vec<Expr>, &'c mut Calls)>);

impl<'c> Rule<'c> {
    fn new<const COUNT: usize>(calls: &'c mut Calls, operands: [&str; COUNT]) -> Rule<'c> {
        Rule(RefCell::new((operands.into_iter().map(Expr::atom).collect(), calls)))
    }

    fn terms<const COUNT: usize>(&self) -> [Term<'_, 'c>; COUNT] {
        std::array::from_fn(|at| Term { rule: self, at })
    }

    fn text(&self, term: Term) -> String {
        self.0.borrow().0[term.at].text().to_owned()
    }
}

/// An expression of a rule, by its number.
#[derive(Clone, Copy)]
struct Term<'r, 'c> {
    rule: &'r Rule<'c>,
    at: usize,
}

impl Term<'_, '_> {
    fn write(self, make: impl FnOnce(&[Expr], &mut Calls) -> Expr) -> Self {
        let (expressions, calls) = &mut *self.rule.0.borrow_mut();
        let made = make(expressions, calls);
        expressions.push(made);
        Term { at: expressions.len() - 1, ..self }
    }
}

impl Real for Term<'_, '_> {
    fn constant(self, value: f64) -> Self {
        self.write(|_, _| Expr::atom(literal(value)))
    }

    fn unary(self, op: Unary) -> Self {
        self.write(|all, calls| unary(op, &all[self.at], calls))
    }

    fn binary(self, op: Binary, other: Self) -> Self {
        self.write(|all, calls| binary(op, &all[self.at], &all[other.at], calls))
    }

    fn choose(self, yes: Self, no: Self) -> Self {
        self.write(|all, _| select(&all[self.at], &all[yes.at], &all[no.at]))
    }

    fn is_zero(self) -> bool {
        self.rule.0.borrow().0[self.at].text() == "0.0"
    }

    fn unless_zero(self, value: impl FnOnce() -> Self) -> Self {
        if self.is_zero() {
            return self;
        }
        let value = value();
        self.choose(value, self.constant(0.0))
    }
}

real_operators!(['r, 'c] Term<'r, 'c>);
