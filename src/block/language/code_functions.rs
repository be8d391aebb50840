//! The functions that only code has.

use super::call::Results;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::{Angle, CodeFunction, MatrixOperator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// Elements of a vector that are sorted in the run, at most: each pair takes instructions of its own.
const MAX_SORTED: usize = 64;

impl<A: Algebra> Evaluator<'_, A> {
    pub(super) fn call_of_code(
        &self,
        function: CodeFunction,
        values: &[Value<A::Value>],
        results: usize,
        at: usize,
    ) -> Results<A> {
        let fail = |problem: &str| Err(ExpressionError::new(at, problem));
        let first = values.first().cloned().unwrap_or_else(|| Value::empty(0, 0));
        let second = values.get(1);
        match function {
            CodeFunction::Error => {
                self.stop(self.algebra.number(1.0), first.as_text().unwrap_or("the code has found an error"));
                return Ok(Vec::new());
            }
            CodeFunction::Assert => {
                let holds = self.all_of(&self.numeric(first, at)?, at)?;
                let message = second.and_then(Value::as_text).unwrap_or("an assertion of the code does not hold");
                self.stop(self.algebra.unary(Unary::Not, self.whole(&holds)), message);
                return Ok(Vec::new());
            }
            CodeFunction::Strcmp => {
                let texts = first.as_text().zip(second.and_then(Value::as_text));
                return Ok(vec![self.truth(texts.is_some_and(|(a, b)| a == b))]);
            }
            CodeFunction::Isempty => {
                return Ok(vec![self.truth(first.count() == 0)]);
            }
            CodeFunction::Norm => return self.norm(&first, second, at).map(|norm| vec![norm]),
            CodeFunction::Sort => return self.sorted(&first, second, at),
            CodeFunction::Eye => {
                let (rows, columns) = self.size_of(values, at)?;
                return Ok(vec![self.identity(rows, columns)]);
            }
            CodeFunction::Truths(is) => {
                let (rows, columns) = self.size_of(values, at)?;
                let number = f64::from(u8::from(is));
                return Ok(vec![self.numbers(&vec![number; rows * columns], rows, columns).logical()]);
            }
            CodeFunction::Size => return self.size(&first, second, results, at),
            _ => {
                for value in values {
                    self.numeric(value.clone(), at)?;
                }
            }
        }
        let whole_number = |number: usize| self.number(number as f64);
        Ok(vec![match (function, second) {
            (CodeFunction::All | CodeFunction::Any, _) => {
                let op = if function == CodeFunction::All { Binary::And } else { Binary::Or };
                let along = self.direction(&first, &values[1..], at)?;
                let truths = self.each(Binary::Ne, &first, &self.number(0.0), at)?;
                self.reduced(&truths, along, at, |line| self.folded(op, line))?.logical()
            }
            (CodeFunction::Apply(op), Some(second)) => self.each(op, &first, second, at)?,
            (CodeFunction::Circshift, Some(by)) => {
                let Some(by) = self.known_scalar(by).filter(|by| by.fract() == 0.0 && first.is_vector()) else {
                    return fail("circshift takes a vector and a number of places that is known before the run");
                };
                let mut each = self.elements(&first);
                let count = each.len().max(1);
                each.rotate_right((by.rem_euclid(count as f64)) as usize);
                self.made(each, first.rows, first.columns)
            }
            (CodeFunction::Cross, Some(second)) => {
                if first.count() != 3 || second.count() != 3 {
                    return fail("cross takes two vectors of 3 elements");
                }
                let (a, b) = (self.elements(&first), self.elements(second));
                let times = |i: usize, j: usize| self.algebra.binary(Binary::Mul, a[i].clone(), b[j].clone());
                let minor = |i: usize, j: usize| self.algebra.binary(Binary::Sub, times(i, j), times(j, i));
                self.made(vec![minor(1, 2), minor(2, 0), minor(0, 1)], first.rows, first.columns)
            }
            (CodeFunction::Cumsum | CodeFunction::Cumprod, _) => {
                let op = if function == CodeFunction::Cumsum { Binary::Add } else { Binary::Mul };
                let along = self.direction(&first, &values[1..], at)?;
                self.spend(first.count(), at)?;
                let mut lines: Vec<Value<A::Value>> = Vec::new();
                for line in self.lines(&first, along) {
                    let mut each = self.elements(&line);
                    for index in 1..each.len() {
                        each[index] = self.algebra.binary(op, each[index - 1].clone(), each[index].clone());
                    }
                    let count = each.len();
                    lines.push(self.made(each, 1, count));
                }
                match (lines.len(), along) {
                    (0, _) => first,
                    (1, _) => lines.swap_remove(0).reshaped(first.rows, first.columns),
                    (_, 2) => self.below(lines),
                    _ => self.transposed(&self.below(lines), at)?,
                }
            }
            (CodeFunction::Degrees, _) => {
                let scaled = self.each(Binary::Mul, &first, &self.number(180.0), at)?;
                self.each(Binary::Div, &scaled, &self.number(std::f64::consts::PI), at)?
            }
            (CodeFunction::Radians, _) => self.radians(&first, at)?,
            (CodeFunction::Of(op, Angle::Argument), _) => self.unary(op, &self.radians(&first, at)?, at)?,
            (CodeFunction::Of(op, Angle::Result), _) => {
                let angle = self.unary(op, &first, at)?;
                let scaled = self.each(Binary::Mul, &angle, &self.number(180.0), at)?;
                self.each(Binary::Div, &scaled, &self.number(std::f64::consts::PI), at)?
            }
            (CodeFunction::Det, _) => self.determinant(&first, at)?,
            (CodeFunction::Inv, _) => self.inverse(&first, at)?,
            (CodeFunction::Diag, _) => self.diagonal(&first, at)?,
            (CodeFunction::Diff, _) => {
                let each = self.elements(&first);
                let pairs =
                    each.windows(2).map(|pair| self.algebra.binary(Binary::Sub, pair[1].clone(), pair[0].clone()));
                let made: Vec<A::Value> = pairs.collect();
                let count = made.len();
                if first.rows == 1 { self.made(made, 1, count) } else { self.made(made, count, 1) }
            }
            (CodeFunction::Identity, _) => first.with_logical(false),
            (CodeFunction::Find, count) => self.found(&first, count, at)?,
            (CodeFunction::Fliplr | CodeFunction::Flipud, _) => {
                let each = self.elements(&first);
                let (rows, columns) = (first.rows, first.columns);
                let place = |row: usize, column: usize| match function {
                    CodeFunction::Fliplr => row * columns + columns - 1 - column,
                    _ => (rows - 1 - row) * columns + column,
                };
                let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
                self.made(places.map(|(row, column)| each[place(row, column)].clone()).collect(), rows, columns)
            }
            (CodeFunction::Horzcat, _) => self.beside(values, at)?,
            (CodeFunction::Vertcat, _) => {
                let widths: Vec<usize> = values.iter().map(|value| value.columns).filter(|width| *width > 0).collect();
                if widths.windows(2).any(|pair| pair[0] != pair[1]) {
                    return fail("matrices above each other have equal numbers of columns");
                }
                self.below(values.to_vec())
            }
            (CodeFunction::Isequal, Some(second)) => {
                if (first.rows, first.columns) == (second.rows, second.columns) {
                    let same = self.each(Binary::Eq, &first, second, at)?;
                    if same.count() == 0 { self.truth(true) } else { self.all_of(&same, at)? }
                } else {
                    self.truth(false)
                }
            }
            (CodeFunction::IsLogical, _) => self.truth(first.is_logical),
            (CodeFunction::Isscalar, _) => self.truth(first.count() == 1),
            (CodeFunction::Isvector, _) => self.truth(first.is_vector() && first.count() > 0),
            (CodeFunction::Kron, Some(second)) => self.kron(&first, second, at)?,
            (CodeFunction::Log2, _) => {
                let log = self.unary(Unary::Ln, &first, at)?;
                self.each(Binary::Div, &log, &self.number(std::f64::consts::LN_2), at)?
            }
            (CodeFunction::Logical, _) => self.each(Binary::Ne, &first, &self.number(0.0), at)?,
            (CodeFunction::Matrix(operator), Some(second)) => match operator {
                MatrixOperator::Product => self.product(&first, second, at)?,
                MatrixOperator::RightDivide => self.right_divided(&first, second, at)?,
                MatrixOperator::LeftDivide => self.left_divided(&first, second, at)?,
                MatrixOperator::Power => self.power(&first, second, at)?,
            },
            (CodeFunction::Mean, _) => {
                let along = self.direction(&first, &values[1..], at)?;
                let sums = self.reduced(&first, along, at, |line| self.folded(Binary::Add, line))?;
                let count = if along == 1 { first.rows } else { first.columns };
                self.each(Binary::Div, &sums, &whole_number(count), at)?
            }
            (CodeFunction::Median, _) => {
                let sorted = self.sorted(&first, None, at)?.swap_remove(0);
                let each = self.elements(&sorted);
                let middle = each.len() / 2;
                match each.len() {
                    0 => return fail("an empty vector has no median"),
                    count if count % 2 == 1 => Value::scalar(each[middle].clone()),
                    _ => {
                        let sum = self.algebra.binary(Binary::Add, each[middle - 1].clone(), each[middle].clone());
                        Value::scalar(self.algebra.binary(Binary::Div, sum, self.algebra.number(2.0)))
                    }
                }
            }
            (CodeFunction::Ndims, _) => self.number(2.0),
            (CodeFunction::Nnz, _) => {
                let truths = self.each(Binary::Ne, &first, &self.number(0.0), at)?;
                self.folded(Binary::Add, &truths)
            }
            (CodeFunction::Not, _) => self.unary(Unary::Not, &first, at)?,
            (CodeFunction::Numel, _) => whole_number(first.count()),
            (CodeFunction::Polyval, Some(at_x)) => {
                let coefficients = self.elements(&first).into_iter().map(Value::scalar);
                let mut sum: Option<Value<A::Value>> = None;
                for coefficient in coefficients {
                    sum = Some(match sum {
                        None => self.each(
                            Binary::Add,
                            &self.each(Binary::Mul, at_x, &self.number(0.0), at)?,
                            &coefficient,
                            at,
                        )?,
                        Some(sum) => {
                            self.each(Binary::Add, &self.each(Binary::Mul, &sum, at_x, at)?, &coefficient, at)?
                        }
                    });
                }
                sum.unwrap_or_else(|| self.number(0.0))
            }
            (CodeFunction::Repmat, _) => {
                let (rows, columns) = self.size_of(&values[1..], at)?;
                self.spend(rows.saturating_mul(columns).saturating_mul(first.count()), at)?;
                let row = self.beside(&vec![first; columns], at)?;
                self.below(vec![row; rows])
            }
            (CodeFunction::Reshape, _) => self.reshape(&first, values, at)?,
            (CodeFunction::SizeOf(0), _) => whole_number(first.rows),
            (CodeFunction::SizeOf(_), _) => whole_number(first.columns),
            (CodeFunction::Std | CodeFunction::Var, _) => {
                let count = first.count();
                if !first.is_vector() || count == 0 {
                    return fail("the variance of a vector is known here");
                }
                let mean = self.each(Binary::Div, &self.folded(Binary::Add, &first), &whole_number(count), at)?;
                let apart = self.each(Binary::Sub, &first, &mean, at)?;
                let squares = self.folded(Binary::Add, &self.each(Binary::Mul, &apart, &apart, at)?);
                let variance = self.each(Binary::Div, &squares, &whole_number((count - 1).max(1)), at)?;
                if function == CodeFunction::Std { self.unary(Unary::Sqrt, &variance, at)? } else { variance }
            }
            (CodeFunction::Sumsq, _) => self.folded(Binary::Add, &self.each(Binary::Mul, &first, &first, at)?),
            (CodeFunction::Trace, _) => {
                let each = self.elements(&first);
                let diagonal = (0..first.rows.min(first.columns)).map(|row| each[row * first.columns + row].clone());
                let diagonal: Vec<A::Value> = diagonal.collect();
                let count = diagonal.len();
                self.folded(Binary::Add, &self.made(diagonal, 1, count))
            }
            (CodeFunction::Transpose, _) => self.transposed(&first, at)?,
            (CodeFunction::Tril | CodeFunction::Triu, _) => {
                let each = self.elements(&first);
                let columns = first.columns;
                let keeps = |place: usize| match function {
                    CodeFunction::Tril => place % columns <= place / columns,
                    _ => place % columns >= place / columns,
                };
                let kept = each.iter().enumerate();
                let kept = kept.map(|(place, of)| if keeps(place) { of.clone() } else { self.algebra.number(0.0) });
                self.made(kept.collect(), first.rows, columns)
            }
            _ => return fail("an argument is missing"),
        }])
    }

    fn radians(&self, degrees: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let scaled = self.each(Binary::Mul, degrees, &self.number(std::f64::consts::PI), at)?;
        self.each(Binary::Div, &scaled, &self.number(180.0), at)
    }

    fn norm(&self, of: &Value<A::Value>, kind: Option<&Value<A::Value>>, at: usize) -> Evaluated<A> {
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
                self.unary(Unary::Sqrt, &self.folded(Binary::Add, &squares), at)
            }
            _ if is_infinite => {
                let rows = if of.is_vector() {
                    absolute
                } else {
                    self.reduced(&absolute, 2, at, |line| self.folded(Binary::Add, line))?
                };
                Ok(self.folded(Binary::Max, &rows))
            }
            Some(1.0) => {
                let columns = match of.is_vector() {
                    true => self.folded(Binary::Add, &absolute),
                    false => self.reduced(&absolute, 1, at, |line| self.folded(Binary::Add, line))?,
                };
                Ok(self.folded(Binary::Max, &columns))
            }
            _ => Err(ExpressionError::new(at, "of a matrix norm(a, 1), norm(a, inf) and norm(a, 'fro') are known")),
        }
    }

    /// Sorts a vector by comparing neighbours (odd-even transposition sort): the same comparisons for all values.
    fn sorted(&self, of: &Value<A::Value>, order: Option<&Value<A::Value>>, at: usize) -> Results<A> {
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
        Ok(vec![self.made(values, of.rows, of.columns), self.made(indices, of.rows, of.columns)])
    }

    fn size(&self, of: &Value<A::Value>, along: Option<&Value<A::Value>>, results: usize, at: usize) -> Results<A> {
        let sizes = [of.rows as f64, of.columns as f64];
        match along.map(|along| self.known_scalar(along)) {
            Some(Some(along)) if along.fract() == 0.0 && along >= 1.0 => {
                Ok(vec![self.number(sizes.get(along as usize - 1).copied().unwrap_or(1.0))])
            }
            Some(_) => Err(ExpressionError::new(at, "the direction is 1, the rows, or 2, the columns")),
            None if results > 1 => Ok(sizes.map(|size| self.number(size)).to_vec()),
            None => Ok(vec![self.numbers(&sizes, 1, 2)]),
        }
    }

    fn diagonal(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let each = self.elements(of);
        if !of.is_vector() {
            let diagonal: Vec<A::Value> =
                (0..of.rows.min(of.columns)).map(|row| each[row * of.columns + row].clone()).collect();
            let count = diagonal.len();
            return Ok(self.made(diagonal, count, 1));
        }
        let count = each.len();
        self.spend(count * count, at)?;
        let places = (0..count).flat_map(|row| (0..count).map(move |column| (row, column)));
        let element = |(row, column): (usize, usize)| match row == column {
            true => each[row].clone(),
            false => self.algebra.number(0.0),
        };
        Ok(self.made(places.map(element).collect(), count, count))
    }

    /// Returns the indices of nonzero elements.
    fn found(&self, of: &Value<A::Value>, count: Option<&Value<A::Value>>, at: usize) -> Evaluated<A> {
        let most = match count.map(|count| self.known_scalar(count)) {
            None => usize::MAX,
            Some(Some(count)) if count >= 1.0 => count as usize,
            Some(_) => return Err(ExpressionError::new(at, "the number of indices must be known before the run")),
        };
        let order = self.by_column(of);
        if let Some(known) = self.known(of) {
            let found = (0..order.len()).filter(|index| known[order[*index]] != 0.0).take(most);
            let found: Vec<f64> = found.map(|index| index as f64 + 1.0).collect();
            let count = found.len();
            return Ok(if of.rows == 1 { self.numbers(&found, 1, count) } else { self.numbers(&found, count, 1) });
        }
        if most != 1 {
            let problem = "how many elements are nonzero changes in the run; find(v, 1) returns the first of them";
            return Err(ExpressionError::new(at, problem));
        }
        let a = self.algebra;
        let each = self.elements(of);
        let mut first = a.number(1.0);
        for (index, place) in order.iter().enumerate().rev() {
            first = a.select(each[*place].clone(), a.number(index as f64 + 1.0), first);
        }
        let any = self.folded(Binary::Or, &self.each(Binary::Ne, of, &self.number(0.0), at)?);
        self.stop(a.unary(Unary::Not, self.whole(&any)), "find has found no element");
        Ok(Value::scalar(first))
    }

    fn kron(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let (rows, columns) = (a.rows * b.rows, a.columns * b.columns);
        self.spend(rows.saturating_mul(columns), at)?;
        let (left, right) = (self.elements(a), self.elements(b));
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let element = |(row, column): (usize, usize)| {
            let x = left[row / b.rows * a.columns + column / b.columns].clone();
            let y = right[row % b.rows * b.columns + column % b.columns].clone();
            self.algebra.binary(Binary::Mul, x, y)
        };
        Ok(self.made(places.map(element).collect(), rows, columns))
    }

    fn reshape(&self, of: &Value<A::Value>, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let count = of.count();
        // An empty size is the one that fits.
        let (rows, columns) = match values {
            [_, rows, columns] if rows.count() == 0 || columns.count() == 0 => {
                let known = if rows.count() == 0 { &values[2..3] } else { &values[1..2] };
                let (size, _) = self.size_of(known, at)?;
                let other = count.checked_div(size).unwrap_or(0);
                if rows.count() == 0 { (other, size) } else { (size, other) }
            }
            _ => self.size_of(&values[1..], at)?,
        };
        if rows * columns != count {
            let problem = format!("{count} elements do not make a matrix of {rows}×{columns}");
            return Err(ExpressionError::new(at, problem));
        }
        let each = self.elements(of);
        let order = self.by_column(of);
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        Ok(self.made(places.map(|place| each[order[place]].clone()).collect(), rows, columns))
    }
}
