//! What an expression comes to, in numbers or in instructions.

use super::function::What;
use super::{Binary, Expression, ExpressionError, Function, Kind, Unary, constant};

/// More lanes than this are a mistake.
const MOST_LANES: f64 = 1e6;

/// What values are, and what can be done with them.
pub trait Algebra {
    type Value: Clone;

    fn number(&self, number: f64) -> Self::Value;

    /// The value of a name; none where nothing is called so.
    ///
    /// # Errors
    /// Where there is such a name, but its value cannot be had.
    fn name(&self, name: &str) -> Result<Option<Self::Value>, String>;

    fn width(&self, value: &Self::Value) -> usize;

    /// The single number it is, where that is known.
    fn known(&self, value: &Self::Value) -> Option<f64>;

    fn unary(&self, op: Unary, a: Self::Value) -> Self::Value;

    /// Of values whose widths meet.
    fn binary(&self, op: Binary, a: Self::Value, b: Self::Value) -> Self::Value;

    /// Of values whose widths meet.
    fn select(&self, on: Self::Value, yes: Self::Value, no: Self::Value) -> Self::Value;

    fn join(&self, parts: &[Self::Value]) -> Self::Value;

    /// All lanes in turn.
    fn fold(&self, op: Binary, a: Self::Value) -> Self::Value;

    /// The lanes that `index` names, from 0, clamped.
    fn pick(&self, of: Self::Value, index: Self::Value) -> Self::Value;

    /// Names that could have been meant.
    fn names(&self) -> Vec<String>;
}

/// # Errors
/// Where a name is unknown or widths do not meet.
pub fn evaluate<A: Algebra>(expression: &Expression, algebra: &A) -> Result<A::Value, ExpressionError> {
    Evaluation { algebra }.of(expression)
}

struct Evaluation<'a, A: Algebra> {
    algebra: &'a A,
}

impl<A: Algebra> Evaluation<'_, A> {
    fn of(&self, expression: &Expression) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        let at = expression.place.start;
        Ok(match &expression.kind {
            Kind::Number(number) => a.number(*number),
            Kind::Name(name) => self.name(name, at)?,
            Kind::Unary(op, of) => a.unary(*op, self.of(of)?),
            Kind::Binary(op, parts) => {
                let [left, right] = [self.of(&parts[0])?, self.of(&parts[1])?];
                self.meet(&[&left, &right], at)?;
                a.binary(*op, left, right)
            }
            Kind::Choose(parts) => self.choose([&parts[0], &parts[1], &parts[2]], at)?,
            Kind::Lane(name, index) => {
                let of = self.name(name, at)?;
                let index = self.of(index)?;
                if let Some(known) = a.known(&index)
                    && !(known.fract() == 0.0 && (1.0..=a.width(&of) as f64).contains(&known))
                {
                    let problem = format!("“{name}” has the lanes 1 to {}, not {known}", a.width(&of));
                    return Err(ExpressionError::new(at, problem));
                }
                a.pick(of, a.binary(Binary::Sub, index, a.number(1.0)))
            }
            Kind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.of(part)).collect::<Result<Vec<_>, _>>()?;
                if parts.is_empty() {
                    return Err(ExpressionError::new(at, "a vector has one lane at least"));
                }
                a.join(&parts)
            }
            Kind::Range(parts) => {
                let [first, step, last] = [0, 1, 2].map(|part| self.single(&parts[part]));
                self.range(first?, step?, last?, at)?
            }
            Kind::Call(function, parts) => self.call(function, parts, at)?,
        })
    }

    fn name(&self, name: &str, at: usize) -> Result<A::Value, ExpressionError> {
        match self.algebra.name(name) {
            Ok(Some(value)) => Ok(value),
            Err(problem) => Err(ExpressionError::new(at, problem)),
            Ok(None) => match constant(name) {
                Some(number) => Ok(self.algebra.number(number)),
                None => {
                    let names = self.algebra.names();
                    let known =
                        if names.is_empty() { String::new() } else { format!("; known are: {}", names.join(", ")) };
                    Err(ExpressionError::new(at, format!("nothing is called “{name}”{known}")))
                }
            },
        }
    }

    /// A number that must be known now.
    fn single(&self, expression: &Expression) -> Result<f64, ExpressionError> {
        let value = self.of(expression)?;
        let problem = "a single number that does not change during a run must stand here";
        self.algebra.known(&value).ok_or_else(|| ExpressionError::new(expression.place.start, problem))
    }

    fn count(&self, expression: &Expression) -> Result<usize, ExpressionError> {
        let count = self.single(expression)?;
        match count.fract() == 0.0 && (1.0..=MOST_LANES).contains(&count) {
            true => Ok(count as usize),
            false => {
                let problem = format!("{count} is no number of lanes; it is a whole number from 1 to {MOST_LANES}");
                Err(ExpressionError::new(expression.place.start, problem))
            }
        }
    }

    fn meet(&self, values: &[&A::Value], at: usize) -> Result<(), ExpressionError> {
        let mut widths: Vec<usize> = values.iter().map(|value| self.algebra.width(value)).filter(|w| *w != 1).collect();
        widths.dedup();
        match widths[..] {
            [left, right, ..] => {
                Err(ExpressionError::new(at, format!("a vector of {left} lanes meets one of {right}")))
            }
            _ => Ok(()),
        }
    }

    fn choose(&self, parts: [&Expression; 3], at: usize) -> Result<A::Value, ExpressionError> {
        let [on, yes, no] = parts.map(|part| self.of(part));
        let (on, yes, no) = (on?, yes?, no?);
        self.meet(&[&on, &yes, &no], at)?;
        Ok(self.algebra.select(on, yes, no))
    }

    fn range(&self, first: f64, step: f64, last: f64, at: usize) -> Result<A::Value, ExpressionError> {
        // The little more takes the end in where rounding left it out.
        let count = ((last - first) / step * (1.0 + 1e-14) + 1e-10).floor() + 1.0;
        if !(1.0..=MOST_LANES).contains(&count) {
            // Not-a-number counts as none.
            let problem = match count > MOST_LANES {
                true => format!("more than {MOST_LANES} numbers, which is the most that a vector has"),
                false => "no numbers".to_owned(),
            };
            let range = format!("from {first} to {last} in steps of {step} there are {problem}");
            return Err(ExpressionError::new(at, range));
        }
        let lanes: Vec<_> = (0..count as usize).map(|lane| self.algebra.number(first + lane as f64 * step)).collect();
        Ok(self.algebra.join(&lanes))
    }

    fn call(&self, function: &Function, parts: &[Expression], at: usize) -> Result<A::Value, ExpressionError> {
        let a = self.algebra;
        Ok(match (function.what, parts) {
            (What::Unary(op), [of]) => a.unary(op, self.of(of)?),
            (What::Fold(op) | What::Row(op), [of]) => a.fold(op, self.of(of)?),
            (What::Length, [of]) => a.number(a.width(&self.of(of)?) as f64),
            (What::Fill(number), [count]) => {
                let lanes = vec![a.number(f64::from(number)); self.count(count)?];
                a.join(&lanes)
            }
            (What::Dot, [left, right]) => {
                let [left, right] = [self.of(left)?, self.of(right)?];
                self.meet(&[&left, &right], at)?;
                a.fold(Binary::Add, a.binary(Binary::Mul, left, right))
            }
            (What::If, [on, yes, no]) => self.choose([on, yes, no], at)?,
            (What::Linspace, [first, last, count]) => {
                let (first, last, count) = (self.single(first)?, self.single(last)?, self.count(count)?);
                let part = |lane: usize| if count == 1 { 1.0 } else { lane as f64 / (count - 1) as f64 };
                let lanes: Vec<_> = (0..count)
                    .map(|lane| if lane + 1 == count { last } else { first + part(lane) * (last - first) })
                    .map(|lane| a.number(lane))
                    .collect();
                a.join(&lanes)
            }
            (What::Binary(op) | What::Row(op), [first, rest @ ..]) => {
                rest.iter().try_fold(self.of(first)?, |all, part| {
                    let part = self.of(part)?;
                    self.meet(&[&all, &part], at)?;
                    Ok(a.binary(op, all, part))
                })?
            }
            _ => panic!("the parser counts the arguments of {}", function.name),
        })
    }
}
