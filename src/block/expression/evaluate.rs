//! The evaluation of expressions, to numbers or to instructions.

use std::cell::Cell;

use super::function::FunctionKind;
use super::{Binary, Expression, ExpressionError, Function, Kind, Unary, VariableError, constant};
use crate::block::limits::{MAX_ELEMENTS, MAX_WORK};

/// The values of an evaluation and the operations on them.
pub trait Algebra {
    type Value: Clone;

    fn number(&self, number: f64) -> Self::Value;

    /// Returns the value of a name; none if the name is unknown.
    ///
    /// # Errors
    /// Fails if the name is known but has no valid value.
    fn name(&self, name: &str) -> Result<Option<Self::Value>, VariableError>;

    fn width(&self, value: &Self::Value) -> usize;

    /// Returns the value of a constant scalar.
    fn known(&self, value: &Self::Value) -> Option<f64>;

    fn unary(&self, op: Unary, a: Self::Value) -> Self::Value;

    /// Applies an operation to values of matching widths.
    fn binary(&self, op: Binary, a: Self::Value, b: Self::Value) -> Self::Value;

    /// Returns `yes` where `on` is nonzero, else `no`, of values of matching widths.
    fn select(&self, on: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value;

    /// Concatenates values side by side.
    fn join(&self, parts: &[Self::Value]) -> Self::Value;

    /// Stacks values of equal [`Algebra::columns`] one above the other.
    fn stack(&self, rows: &[Self::Value]) -> Self::Value {
        self.join(rows)
    }

    /// Returns the number of columns: the width, unless the number of rows is known.
    fn columns(&self, value: &Self::Value) -> usize {
        self.width(value)
    }

    /// Reduces all elements to one, from first to last.
    fn fold(&self, op: Binary, a: Self::Value) -> Self::Value;

    /// Returns the elements at `index`, counted from 0 and limited to the vector.
    fn pick(&self, of: Self::Value, index: Self::Value) -> Self::Value;

    /// Returns the known names, for messages.
    fn names(&self) -> Vec<String>;
}

/// Evaluates an expression.
///
/// # Errors
/// Fails if a name is unknown, widths do not match or a limit is exceeded.
pub fn evaluate<A: Algebra>(expression: &Expression, algebra: &A) -> Result<A::Value, ExpressionError> {
    Evaluation { algebra, work: Cell::new(0) }.of(expression)
}

struct Evaluation<'a, A: Algebra> {
    algebra: &'a A,
    /// The number of elements computed so far.
    work: Cell<usize>,
}

impl<A: Algebra> Evaluation<'_, A> {
    fn of(&self, expression: &Expression) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        let at = expression.at;
        Ok(match &expression.kind {
            Kind::Number(number) => a.number(*number),
            Kind::Name(name) => self.name(name, at)?,
            Kind::Unary(op, of) => {
                let of = self.of(of)?;
                self.spend(a.width(&of), at)?;
                a.unary(*op, of)
            }
            Kind::Binary(first, rest) => {
                let mut all = self.of(first)?;
                for (op, part) in rest {
                    let part = self.of(part)?;
                    all = self.combined(*op, all, part, at)?;
                }
                all
            }
            Kind::Choose(parts) => self.choose([&parts[0], &parts[1], &parts[2]], at)?,
            Kind::Element(name, index) => {
                let of = self.name(name, at)?;
                let index = self.of(index)?;
                if let Some(known) = a.known(&index)
                    && !(known.fract() == 0.0 && (1.0..=a.width(&of) as f64).contains(&known))
                {
                    let problem = format!("“{name}” has the elements 1 to {}, not {known}", a.width(&of));
                    return Err(ExpressionError::new(at, problem));
                }
                a.pick(of, a.binary(Binary::Sub, index, a.number(1.0)))
            }
            Kind::Vector(rows) => self.rows(rows, at)?,
            Kind::Range(parts) => {
                let [first, step, last] = [0, 1, 2].map(|part| self.single(&parts[part]));
                self.range(first?, step?, last?, at)?
            }
            Kind::Call(function, parts) => self.call(function, parts, at)?,
        })
    }

    /// Adds to the number of computed elements.
    fn spend(&self, elements: usize, at: usize) -> Result<(), ExpressionError> {
        self.work.set(self.work.get().saturating_add(elements));
        match self.work.get() > MAX_WORK {
            true => {
                Err(ExpressionError::new(at, format!("too large: more than {MAX_WORK} elements would be computed")))
            }
            false => Ok(()),
        }
    }

    fn combined(&self, op: Binary, a: A::Value, b: A::Value, at: usize) -> Result<A::Value, ExpressionError> {
        self.meet(&[&a, &b], at)?;
        self.spend(self.algebra.width(&a).max(self.algebra.width(&b)), at)?;
        Ok(self.algebra.binary(op, a, b))
    }

    /// Sizes are checked before anything is concatenated, since nested vectors grow quickly.
    fn rows(&self, rows: &[Vec<Expression>], at: usize) -> Result<A::Value, ExpressionError> {
        let (mut made, mut total) = (Vec::with_capacity(rows.len()), 0);
        for row in rows {
            let mut parts = Vec::with_capacity(row.len());
            for part in row {
                let value = self.of(part)?;
                total += self.algebra.width(&value);
                if total > MAX_ELEMENTS {
                    let problem = format!("too large: a vector has at most {MAX_ELEMENTS} elements");
                    return Err(ExpressionError::new(part.at, problem));
                }
                parts.push(value);
            }
            let next = self.algebra.join(&parts);
            let columns = |value: &A::Value| self.algebra.columns(value);
            if let Some((first, columns)) = made.first().map(columns).zip(Some(columns(&next)))
                && first != columns
            {
                let (number, at) = (made.len() + 1, row.first().map_or(at, |part| part.at));
                let problem = format!("row {number} has {columns} elements, the rows above have {first}");
                return Err(ExpressionError::new(at, problem));
            }
            made.push(next);
        }
        self.spend(2 * total, at)?;
        match made.len() {
            0 => Err(ExpressionError::new(at, "a vector has at least one element")),
            1 => made.pop().ok_or_else(|| ExpressionError::new(at, "a vector has at least one element")),
            _ => Ok(self.algebra.stack(&made)),
        }
    }

    fn name(&self, name: &str, at: usize) -> Result<A::Value, ExpressionError> {
        match self.algebra.name(name) {
            Ok(Some(value)) => {
                self.spend(self.algebra.width(&value), at)?;
                Ok(value)
            }
            Err(error) => Err(ExpressionError::new(at, error.to_string())),
            Ok(None) => match constant(name) {
                Some(number) => Ok(self.algebra.number(number)),
                None => Err(ExpressionError::unknown(at, name, &self.algebra.names())),
            },
        }
    }

    /// Evaluates an expression that must be a constant scalar.
    fn single(&self, expression: &Expression) -> Result<f64, ExpressionError> {
        let value = self.of(expression)?;
        let problem = "a single number that does not change during a run is required here";
        self.algebra.known(&value).ok_or_else(|| ExpressionError::new(expression.at, problem))
    }

    fn count(&self, expression: &Expression) -> Result<usize, ExpressionError> {
        let count = self.single(expression)?;
        match count.fract() == 0.0 && (1.0..=MAX_ELEMENTS as f64).contains(&count) {
            true => Ok(count as usize),
            false => {
                let problem =
                    format!("{count} is not a number of elements; it must be an integer from 1 to {MAX_ELEMENTS}");
                Err(ExpressionError::new(expression.at, problem))
            }
        }
    }

    fn meet(&self, values: &[&A::Value], at: usize) -> Result<(), ExpressionError> {
        let mut widths: Vec<usize> = values.iter().map(|value| self.algebra.width(value)).filter(|w| *w != 1).collect();
        widths.dedup();
        match widths[..] {
            [left, right, ..] => {
                Err(ExpressionError::new(at, format!("a vector of {left} elements does not match one of {right}")))
            }
            _ => Ok(()),
        }
    }

    fn choose(&self, parts: [&Expression; 3], at: usize) -> Result<A::Value, ExpressionError> {
        let [on, yes, no] = parts.map(|part| self.of(part));
        let (on, yes, no) = (on?, yes?, no?);
        self.meet(&[&on, &yes, &no], at)?;
        self.spend([&on, &yes, &no].map(|part| self.algebra.width(part)).into_iter().max().unwrap_or(0), at)?;
        Ok(self.algebra.select(on, yes, no))
    }

    fn range(&self, first: f64, step: f64, last: f64, at: usize) -> Result<A::Value, ExpressionError> {
        // The tolerance includes an end that rounding would leave out.
        let count = ((last - first) / step * (1.0 + 1e-14) + 1e-10).floor() + 1.0;
        if !(1.0..=MAX_ELEMENTS as f64).contains(&count) {
            // Not-a-number gives an empty range.
            let problem = match count > MAX_ELEMENTS as f64 {
                true => format!("more than {MAX_ELEMENTS} numbers, the limit of a vector"),
                false => "no numbers".to_owned(),
            };
            let range = format!("from {first} to {last} in steps of {step} there are {problem}");
            return Err(ExpressionError::new(at, range));
        }
        self.spend(count as usize, at)?;
        let elements: Vec<_> =
            (0..count as usize).map(|element| self.algebra.number(first + element as f64 * step)).collect();
        Ok(self.algebra.join(&elements))
    }

    fn call(&self, function: &Function, parts: &[Expression], at: usize) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        let worked = |of: A::Value| self.spend(a.width(&of), at).map(|()| of);
        Ok(match (function.kind, parts) {
            (FunctionKind::Unary(op), [of]) => a.unary(op, worked(self.of(of)?)?),
            (FunctionKind::Fold(op) | FunctionKind::Row(op), [of]) => a.fold(op, worked(self.of(of)?)?),
            (FunctionKind::Length, [of]) => a.number(a.width(&self.of(of)?) as f64),
            (FunctionKind::Fill(number), [count]) => {
                let count = self.count(count)?;
                self.spend(count, at)?;
                let elements = vec![a.number(f64::from(number)); count];
                a.join(&elements)
            }
            (FunctionKind::Dot, [left, right]) => {
                let [left, right] = [self.of(left)?, self.of(right)?];
                a.fold(Binary::Add, self.combined(Binary::Mul, left, right, at)?)
            }
            (FunctionKind::If, [on, yes, no]) => self.choose([on, yes, no], at)?,
            (FunctionKind::Linspace, [first, last, count]) => {
                let (first, last, count) = (self.single(first)?, self.single(last)?, self.count(count)?);
                self.spend(count, at)?;
                let part = |element: usize| if count == 1 { 1.0 } else { element as f64 / (count - 1) as f64 };
                let elements: Vec<_> = (0..count)
                    .map(|element| if element + 1 == count { last } else { first + part(element) * (last - first) })
                    .map(|element| a.number(element))
                    .collect();
                a.join(&elements)
            }
            (FunctionKind::Binary(op) | FunctionKind::Row(op), [first, rest @ ..]) => {
                rest.iter().try_fold(self.of(first)?, |all, part| {
                    let part = self.of(part)?;
                    self.combined(op, all, part, at)
                })?
            }
            _ => panic!("the parser counts the arguments of {}", function.name),
        })
    }
}
