//! Functions of the elements of vectors: sums and differences, statistics, norms, sorting.

use super::call::Results;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// Elements of a vector that are sorted in the run, at most: each pair takes instructions of its own.
const MAX_SORTED: usize = 64;

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns the sums or products of the elements so far, down the columns or along the rows.
    pub(super) fn cumulated(&self, op: Binary, of: &Value<A::Value>, along: usize, at: usize) -> Evaluated<A> {
        self.spend(of.count(), at)?;
        let class = of.class.of_sum();
        let mut lines: Vec<Value<A::Value>> = Vec::new();
        for line in self.lines(of, along) {
            let mut each = self.elements(&line);
            for index in 1..each.len() {
                let pair = [each[index - 1].clone(), each[index].clone()];
                each[index] = self.arithmetic(op, pair, [class, class], at)?;
            }
            let count = each.len();
            lines.push(self.made(each, 1, count).of_class(class));
        }
        match (lines.len(), along) {
            (0, _) => Ok(of.clone()),
            (1, _) => Ok(lines.swap_remove(0).reshaped(of.rows, of.columns)),
            (_, 2) => self.below(lines, at),
            _ => self.transposed(&self.below(lines, at)?, at),
        }
    }

    /// Returns the differences of neighbouring elements of a vector.
    pub(super) fn differences(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let each = self.elements(of);
        let pairs = each.windows(2).map(|pair| [pair[1].clone(), pair[0].clone()]);
        let made = pairs.map(|pair| self.arithmetic(Binary::Sub, pair, [of.class, of.class], at));
        let made = made.collect::<Result<Vec<_>, _>>()?;
        let count = made.len();
        let made = if of.rows == 1 { self.made(made, 1, count) } else { self.made(made, count, 1) };
        Ok(made.of_class(self.common_class(of.class, of.class, at)?))
    }

    /// Returns the elements of a vector moved by some places, around the end.
    pub(super) fn shifted_around(&self, of: &Value<A::Value>, by: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let Some(by) = self.known_scalar(by).filter(|by| by.fract() == 0.0 && of.is_vector()) else {
            let problem = "circshift takes a vector and a number of places that is known before the run";
            return Err(ExpressionError::new(at, problem));
        };
        let mut each = self.elements(of);
        let count = each.len().max(1);
        each.rotate_right((by.rem_euclid(count as f64)) as usize);
        Ok(self.made(each, of.rows, of.columns).of_class(of.class))
    }

    pub(super) fn cross(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if a.count() != 3 || b.count() != 3 {
            return Err(ExpressionError::new(at, "cross takes two vectors of 3 elements"));
        }
        let class = self.common_class(a.class, b.class, at)?;
        let (x, y) = (self.elements(a), self.elements(b));
        let times =
            |i: usize, j: usize| self.arithmetic(Binary::Mul, [x[i].clone(), y[j].clone()], [a.class, b.class], at);
        let minor = |i: usize, j: usize| self.arithmetic(Binary::Sub, [times(i, j)?, times(j, i)?], [class, class], at);
        Ok(self.made(vec![minor(1, 2)?, minor(2, 0)?, minor(0, 1)?], a.rows, a.columns).of_class(class))
    }

    pub(super) fn degrees(&self, radians: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let scaled = self.each(Binary::Mul, radians, &self.number(180.0), at)?;
        self.each(Binary::Div, &scaled, &self.number(std::f64::consts::PI), at)
    }

    pub(super) fn radians(&self, degrees: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let scaled = self.each(Binary::Mul, degrees, &self.number(std::f64::consts::PI), at)?;
        self.each(Binary::Div, &scaled, &self.number(180.0), at)
    }

    /// Returns the means down the columns or along the rows; those of integers are double.
    pub(super) fn mean(&self, of: &Value<A::Value>, along: usize, at: usize) -> Evaluated<A> {
        let sums = self.reduced(of, along, at, |line| self.folded(Binary::Add, line, at))?;
        let count = if along == 1 { of.rows } else { of.columns };
        self.each(Binary::Div, &sums, &self.number(count as f64), at)
    }

    pub(super) fn median(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let sorted = self.sorted(of, None, at)?.swap_remove(0);
        let each = self.elements(&sorted);
        let element = |index: usize| Value::scalar(each[index].clone()).of_class(sorted.class);
        let middle = each.len() / 2;
        match each.len() {
            0 => Err(ExpressionError::new(at, "an empty vector has no median")),
            count if count % 2 == 1 => Ok(element(middle)),
            _ => {
                let sum = self.each(Binary::Add, &element(middle - 1), &element(middle), at)?;
                self.each(Binary::Div, &sum, &self.number(2.0), at)
            }
        }
    }

    /// Returns the variance of a sample.
    pub(super) fn variance(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let count = of.count();
        if !of.is_vector() || count == 0 || of.class.is_integer() {
            return Err(ExpressionError::new(at, "the variance of a vector of double or single is known here"));
        }
        let sum = |of: &Value<A::Value>| self.folded(Binary::Add, of, at);
        let mean = self.each(Binary::Div, &sum(of)?, &self.number(count as f64), at)?;
        let apart = self.each(Binary::Sub, of, &mean, at)?;
        let squares = sum(&self.each(Binary::Mul, &apart, &apart, at)?)?;
        self.each(Binary::Div, &squares, &self.number((count - 1).max(1) as f64), at)
    }

    /// Returns a polynomial, the highest coefficient first, at these points.
    pub(super) fn polynomial(&self, of: &Value<A::Value>, points: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let coefficients = self.elements(of).into_iter().map(|each| Value::scalar(each).of_class(of.class));
        let mut sum: Option<Value<A::Value>> = None;
        for coefficient in coefficients {
            let before = match &sum {
                None => self.each(Binary::Mul, points, &self.number(0.0), at)?,
                Some(sum) => self.each(Binary::Mul, sum, points, at)?,
            };
            sum = Some(self.each(Binary::Add, &before, &coefficient, at)?);
        }
        Ok(sum.unwrap_or_else(|| self.number(0.0)))
    }

    pub(super) fn norm(&self, of: &Value<A::Value>, kind: Option<&Value<A::Value>>, at: usize) -> Evaluated<A> {
        let of = self.numeric(of.clone(), at)?;
        let is_frobenius = kind.and_then(Value::as_text).is_some_and(|text| text == "fro");
        let known = kind.and_then(|kind| self.known_scalar(kind));
        let is_infinite =
            known == Some(f64::INFINITY) || kind.and_then(Value::as_text).is_some_and(|text| text == "inf");
        let absolute = self.unary(Unary::Abs, &of, at)?;
        match known {
            _ if of.count() == 0 => Ok(self.number(0.0)),
            _ if is_frobenius || (of.is_vector() && (kind.is_none() || known == Some(2.0))) => {
                let squares = self.each(Binary::Mul, &of, &of, at)?;
                self.unary(Unary::Sqrt, &self.folded(Binary::Add, &squares, at)?, at)
            }
            _ if is_infinite => {
                let rows = if of.is_vector() {
                    absolute
                } else {
                    self.reduced(&absolute, 2, at, |line| self.folded(Binary::Add, line, at))?
                };
                self.folded(Binary::Max, &rows, at)
            }
            Some(1.0) => {
                let columns = match of.is_vector() {
                    true => self.folded(Binary::Add, &absolute, at)?,
                    false => self.reduced(&absolute, 1, at, |line| self.folded(Binary::Add, line, at))?,
                };
                self.folded(Binary::Max, &columns, at)
            }
            _ => Err(ExpressionError::new(at, "of a matrix norm(a, 1), norm(a, inf) and norm(a, 'fro') are known")),
        }
    }

    /// Sorts a vector by comparing neighbours (odd-even transposition sort): the same comparisons for all values.
    pub(super) fn sorted(&self, of: &Value<A::Value>, order: Option<&Value<A::Value>>, at: usize) -> Results<A> {
        let of = self.numeric(of.clone(), at)?;
        let relation = match order.map(Value::as_text) {
            None | Some(Some("ascend")) => Binary::Gt,
            Some(Some("descend")) => Binary::Lt,
            Some(_) => return Err(ExpressionError::new(at, "the order is 'ascend' or 'descend'")),
        };
        if !of.is_vector() || of.count() > MAX_SORTED {
            let problem = format!("a vector of at most {MAX_SORTED} elements can be sorted");
            return Err(ExpressionError::new(at, problem));
        }
        let a = self.algebra;
        let count = of.count();
        self.spend(count * count, at)?;
        let mut pairs: Vec<(A::Value, A::Value)> = self
            .elements(&of)
            .into_iter()
            .enumerate()
            .map(|(number, element)| (element, a.number(number as f64 + 1.0)))
            .collect();
        for round in 0..count {
            for left in (round % 2..count.saturating_sub(1)).step_by(2) {
                let ((x, i), (y, j)) = (pairs[left].clone(), pairs[left + 1].clone());
                // What is not a number counts as the largest.
                let (number, other) = if relation == Binary::Gt { (&y, &x) } else { (&x, &y) };
                let is_apart = self.is_number_after(number, other);
                let swaps = a.binary(Binary::Or, a.binary(relation, x.clone(), y.clone()), is_apart);
                let select = |yes: &A::Value, no: &A::Value| a.select(swaps.clone(), yes.clone(), no.clone());
                pairs[left] = (select(&y, &x), select(&j, &i));
                pairs[left + 1] = (select(&x, &y), select(&i, &j));
            }
        }
        let (values, indices): (Vec<A::Value>, Vec<A::Value>) = pairs.into_iter().unzip();
        Ok(vec![self.made(values, of.rows, of.columns).of_class(of.class), self.made(indices, of.rows, of.columns)])
    }
}
