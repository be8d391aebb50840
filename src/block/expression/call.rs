//! Calls of functions.

use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::{Angle, CodeFunction, FunctionKind, MatrixOperator};
use super::run::Scope;
use super::value::Value;
use super::{Binary, Expression, ExpressionError, Function, Unary, constant};
use crate::block::limits::MAX_ELEMENTS;

/// The results of a call, of which there may be none.
type Results<A> = Result<Vec<Value<<A as Algebra>::Value>>, ExpressionError>;

/// Elements of a vector that are sorted in the run, at most: each pair takes instructions of its own.
const MAX_SORTED: usize = 64;

impl<A: Algebra> Evaluator<'_, A> {
    /// Calls a function of the code, or a known one.
    pub fn call_by_name(
        &self,
        name: &str,
        parts: &[Expression],
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Results<A> {
        if let Some(function) = self.program.and_then(|program| program.function(name)) {
            let mut arguments = Vec::with_capacity(parts.len());
            for part in parts {
                arguments.push(self.of(part, scope)?);
            }
            return self.call_function(function, arguments, results, at, scope);
        }
        if let Some(number) = constant(name) {
            let (rows, columns) = self.size_of(parts, at, scope)?;
            return Ok(vec![self.numbers(&vec![number; rows * columns], rows, columns)]);
        }
        match Function::of_code(name) {
            Some(function) if !function.is_keyword() => {
                if let Some(problem) = function.problem_with(parts.len(), true) {
                    return Err(ExpressionError::new(at, problem));
                }
                self.call(function, parts, results, at, scope)
            }
            _ => Err(self.no_function(name, parts, at, scope)),
        }
    }

    fn no_function(&self, name: &str, parts: &[Expression], at: usize, scope: &Scope<A::Value>) -> ExpressionError {
        if let Some(instead) = instead_of(name) {
            return ExpressionError::new(at, format!("“{name}” is not known here: {instead}"));
        }
        let functions = super::FUNCTIONS.iter().map(|function| function.name.to_owned());
        let own = self.program.into_iter().flat_map(|program| &program.functions).map(|function| function.name.clone());
        let names: Vec<String> = functions.chain(own).chain(scope.names()).filter(|known| !known.is_empty()).collect();
        let near = names
            .iter()
            .map(|known| (strsim::damerau_levenshtein(known, name), known))
            .filter(|(distance, known)| *distance <= known.len() / 3)
            .min();
        let near = near.map(|(_, known)| format!("; do you mean “{known}”?")).unwrap_or_default();
        let what = if parts.is_empty() { "variable or function" } else { "function" };
        ExpressionError::new(at, format!("there is no {what} “{name}”{near}"))
    }

    pub fn call(
        &self,
        function: &Function,
        parts: &[Expression],
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Results<A> {
        let one = |value: Evaluated<A>| value.map(|value| vec![value]);
        match (function.kind, parts) {
            (FunctionKind::Unary(op), [of]) => {
                let of = self.numeric(self.of(of, scope)?, at)?;
                one(self.unary(op, &of, at))
            }
            (FunctionKind::Length, [of]) => {
                let of = self.of(of, scope)?;
                let length = match (self.is_code(), of.count()) {
                    (false, count) => count,
                    (true, 0) => 0,
                    (true, _) => of.rows.max(of.columns),
                };
                Ok(vec![self.number(length as f64)])
            }
            (FunctionKind::Fill(number), [count]) if !self.is_code() => {
                let count = self.count(count, scope)?;
                self.spend(count, at)?;
                Ok(vec![self.numbers(&vec![f64::from(number); count], 1, count)])
            }
            (FunctionKind::If, [on, yes, no]) => {
                let parts = [on, yes, no].map(|part| self.of(part, scope));
                let [on, yes, no] = parts;
                one(self.selected(&on?, &yes?, &no?, at))
            }
            (FunctionKind::Linspace, [first, last, rest @ ..]) => {
                let (first, last) = (self.single(first, scope)?, self.single(last, scope)?);
                let count = rest.first().map_or(Ok(100), |count| self.count(count, scope))?;
                self.spend(count, at)?;
                let part = |element: usize| if count == 1 { 1.0 } else { element as f64 / (count - 1) as f64 };
                let element = |element: usize| match element + 1 == count {
                    true => last,
                    false => first + part(element) * (last - first),
                };
                Ok(vec![self.numbers(&(0..count).map(element).collect::<Vec<_>>(), 1, count)])
            }
            (FunctionKind::Fill(number), parts) => {
                let (rows, columns) = self.size_of(parts, at, scope)?;
                Ok(vec![self.numbers(&vec![f64::from(number); rows * columns], rows, columns)])
            }
            (kind, parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.of(part, scope)?);
                }
                match kind {
                    FunctionKind::Code(of, ..) => self.call_of_code(of, parts, &values, results, at, scope),
                    _ => self.call_values(function, &values, results, at),
                }
            }
        }
    }

    fn call_values(&self, function: &Function, values: &[Value<A::Value>], results: usize, at: usize) -> Results<A> {
        for value in values {
            self.numeric(value.clone(), at)?;
        }
        let one = |value: Evaluated<A>| value.map(|value| vec![value]);
        match (function.kind, values) {
            (FunctionKind::Row(op), [of]) if self.is_code() => self.extremes(op, of, &[], results, at),
            // max(a, [], 2) along a direction.
            (FunctionKind::Row(op), [of, none, along]) if self.is_code() && none.count() == 0 => {
                self.extremes(op, of, std::slice::from_ref(along), results, at)
            }
            (FunctionKind::Fold(op), [of, rest @ ..]) if self.is_code() => {
                let along = self.direction(of, rest, at)?;
                one(self.reduced(of, along, at, |line| self.folded(op, line)))
            }
            (FunctionKind::Fold(op) | FunctionKind::Row(op), [of]) => {
                self.spend(of.count(), at)?;
                Ok(vec![Value::scalar(self.algebra.fold(op, self.whole(of)))])
            }
            (FunctionKind::Dot, [left, right]) => {
                // Of vectors the direction does not matter.
                let is_free = self.is_code() && left.is_vector() && right.is_vector() && left.count() == right.count();
                let right = if is_free { &right.clone().reshaped(left.rows, left.columns) } else { right };
                let products = self.each(Binary::Mul, left, right, at)?;
                Ok(vec![self.folded(Binary::Add, &products)])
            }
            (FunctionKind::Binary(op) | FunctionKind::Row(op), [first, rest @ ..]) => {
                one(rest.iter().try_fold(first.clone(), |all, part| self.each(op, &all, part, at)))
            }
            _ => Err(ExpressionError::new(at, format!("it is written {}", function.doc))),
        }
    }

    fn count(&self, expression: &Expression, scope: &mut Scope<A::Value>) -> Result<usize, ExpressionError> {
        let count = self.single(expression, scope)?;
        match count.fract() == 0.0 && (1.0..=MAX_ELEMENTS as f64).contains(&count) {
            true => Ok(count as usize),
            false => {
                let problem =
                    format!("{count} is not a number of elements; it must be an integer from 1 to {MAX_ELEMENTS}");
                Err(ExpressionError::new(expression.at, problem))
            }
        }
    }

    /// Returns the rows and columns that arguments such as `(n)`, `(m, n)` or `([m n])` mean; 1 by 1 for none.
    fn size_of(
        &self,
        parts: &[Expression],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Result<(usize, usize), ExpressionError> {
        let mut sizes = Vec::new();
        for part in parts {
            let value = self.of(part, scope)?;
            // The name of a type: all numbers are double.
            if value.as_text().is_some_and(|text| matches!(text, "double" | "logical")) {
                continue;
            }
            let value = self.numeric(value, part.at)?;
            let known = self.known(&value);
            let problem = || ExpressionError::new(part.at, "a size must be known before the run");
            for size in known.ok_or_else(problem)? {
                if size.fract() != 0.0 || !(-1e9..=MAX_ELEMENTS as f64).contains(&size) {
                    let problem = format!("{size} is no size; it must be an integer from 0 to {MAX_ELEMENTS}");
                    return Err(ExpressionError::new(part.at, problem));
                }
                sizes.push(size.max(0.0) as usize);
            }
        }
        let (rows, columns) = match sizes[..] {
            [] => (1, 1),
            [size] => (size, size),
            [rows, columns] => (rows, columns),
            _ => return Err(ExpressionError::new(at, "a matrix has two sizes, rows and columns")),
        };
        let count = rows.checked_mul(columns).filter(|count| *count <= MAX_ELEMENTS);
        let problem = || ExpressionError::new(at, format!("too large: a matrix has at most {MAX_ELEMENTS} elements"));
        self.spend(count.ok_or_else(problem)?, at)?;
        Ok((rows, columns))
    }

    /// Returns the direction along which a function reduces: 1 down the columns, 2 along the rows.
    fn direction(&self, of: &Value<A::Value>, rest: &[Value<A::Value>], at: usize) -> Result<usize, ExpressionError> {
        match rest {
            [] => Ok(if of.rows == 1 { 2 } else { 1 }),
            [along] => match self.known_scalar(along) {
                Some(1.0) => Ok(1),
                Some(2.0) => Ok(2),
                _ => Err(ExpressionError::new(at, "the direction is 1, down the columns, or 2, along the rows")),
            },
            _ => Err(ExpressionError::new(at, "there are too many arguments")),
        }
    }

    /// Returns the columns or rows of a matrix as vectors.
    fn lines(&self, of: &Value<A::Value>, along: usize) -> Vec<Value<A::Value>> {
        if along == 2 && of.rows == 1 || along == 1 && of.columns == 1 {
            return vec![of.clone()];
        }
        let each = self.elements(of);
        let (rows, columns) = (of.rows, of.columns);
        let line = |places: Vec<usize>| {
            let count = places.len();
            let of: Vec<A::Value> = places.into_iter().map(|place| each[place].clone()).collect();
            self.made(of, 1, count)
        };
        match along {
            1 => (0..columns).map(|column| line((0..rows).map(|row| row * columns + column).collect())).collect(),
            _ => (0..rows).map(|row| line((0..columns).map(|column| row * columns + column).collect())).collect(),
        }
    }

    fn reduced(
        &self,
        of: &Value<A::Value>,
        along: usize,
        at: usize,
        f: impl Fn(&Value<A::Value>) -> Value<A::Value>,
    ) -> Evaluated<A> {
        self.spend(of.count(), at)?;
        if of.count() == 0 {
            return Ok(f(of));
        }
        let made: Vec<A::Value> = self.lines(of, along).iter().map(|line| self.whole(&f(line))).collect();
        let count = made.len();
        Ok(if along == 1 { self.made(made, 1, count) } else { self.made(made, count, 1) })
    }

    /// Reduces all elements to one, from first to last.
    fn folded(&self, op: Binary, of: &Value<A::Value>) -> Value<A::Value> {
        let nothing = || match op {
            Binary::Mul | Binary::And => 1.0,
            _ => 0.0,
        };
        Value::scalar(match of.count() {
            0 => self.algebra.number(nothing()),
            count if count <= super::evaluate::MAX_EACH && self.is_code() => {
                let reduced = self.elements(of).into_iter().reduce(|all, next| self.algebra.binary(op, all, next));
                reduced.unwrap_or_else(|| self.algebra.number(nothing()))
            }
            _ => self.algebra.fold(op, self.whole(of)),
        })
    }

    /// Returns 1 if all elements are nonzero, and there is one.
    pub fn all_of(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        match of.count() {
            0 => Ok(self.truth(false)),
            1 => Ok(of.clone()),
            _ => {
                let truths = self.each(Binary::Ne, of, &self.number(0.0), at)?;
                Ok(self.folded(Binary::And, &truths).logical())
            }
        }
    }

    /// Returns the smallest or largest element, and its index.
    fn extremes(
        &self,
        op: Binary,
        of: &Value<A::Value>,
        along: &[Value<A::Value>],
        results: usize,
        at: usize,
    ) -> Results<A> {
        if of.count() == 0 {
            return Ok(vec![of.clone(), of.clone()]);
        }
        let along = self.direction(of, along, at)?;
        let best = self.reduced(of, along, at, |line| self.folded(op, line))?;
        if results < 2 {
            return Ok(vec![best]);
        }
        let a = self.algebra;
        let relation = if op == Binary::Min { Binary::Lt } else { Binary::Gt };
        let index = self.reduced(of, along, at, |line| {
            let each = self.elements(line);
            let mut best = (each[0].clone(), a.number(1.0));
            for (number, element) in each.iter().enumerate().skip(1) {
                let is_better = a.binary(relation, element.clone(), best.0.clone());
                let index = a.select(is_better.clone(), a.number(number as f64 + 1.0), best.1);
                best = (a.select(is_better, element.clone(), best.0), index);
            }
            Value::scalar(best.1)
        })?;
        Ok(vec![best, index])
    }

    fn call_of_code(
        &self,
        function: CodeFunction,
        parts: &[Expression],
        values: &[Value<A::Value>],
        results: usize,
        at: usize,
        scope: &mut Scope<A::Value>,
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
                let holds = self.all_of(&first, at)?;
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
                let (rows, columns) = self.size_of(parts, at, scope)?;
                return Ok(vec![self.identity(rows, columns)]);
            }
            CodeFunction::Truths(is) => {
                let (rows, columns) = self.size_of(parts, at, scope)?;
                let number = f64::from(u8::from(is));
                return Ok(vec![self.numbers(&vec![number; rows * columns], rows, columns).logical()]);
            }
            CodeFunction::Size => return self.size(&first, second, results, at),
            CodeFunction::Reshape | CodeFunction::Repmat => {}
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
            (CodeFunction::Identity, _) => first.is_logical(false),
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
                let (rows, columns) = self.size_of(&parts[1..], at, scope)?;
                self.spend(rows.saturating_mul(columns).saturating_mul(first.count()), at)?;
                let row = self.beside(&vec![first; columns], at)?;
                self.below(vec![row; rows])
            }
            (CodeFunction::Reshape, _) => self.reshape(&first, parts, values, at, scope)?,
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
                let swaps = a.binary(relation, x.clone(), y.clone());
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

    fn reshape(
        &self,
        of: &Value<A::Value>,
        parts: &[Expression],
        values: &[Value<A::Value>],
        at: usize,
        scope: &mut Scope<A::Value>,
    ) -> Evaluated<A> {
        let count = of.count();
        // An empty size is the one that fits.
        let (rows, columns) = match values {
            [_, rows, columns] if rows.count() == 0 || columns.count() == 0 => {
                let known = if rows.count() == 0 { &parts[2..3] } else { &parts[1..2] };
                let (size, _) = self.size_of(known, at, scope)?;
                let other = count.checked_div(size).unwrap_or(0);
                if rows.count() == 0 { (other, size) } else { (size, other) }
            }
            _ => self.size_of(&parts[1..], at, scope)?,
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

/// Returns what to do instead of calling a function that other programs have and code in blocks has not.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" | "single" => {
            "all numbers are double; round(x) makes an integer, and min and max keep it in its range"
        }
        "rand" | "randn" | "randi" => "a function has no random numbers; connect the block Var/Random or Var/Noise",
        "disp" | "fprintf" | "printf" | "display" | "plot" | "figure" => {
            "a block shows nothing; make the value an output and watch the signal"
        }
        "fopen" | "load" | "save" | "fread" | "input" => "code reads and writes no files; use the block Var/From File",
        "tic" | "toc" | "clock" | "now" | "cputime" => {
            "code reads no clock; t is the time of the simulation in seconds"
        }
        "eval" | "evalin" | "feval" | "assignin" | "str2func" => "code is not made while it runs",
        "struct" | "cell" => "give each field a name of its own, such as s.speed = 1",
        "interp1" | "interp2" => "connect a block of the group Lookup",
        "ode45" | "integral" => "the block User/ODE integrates",
        "eig" | "svd" | "expm" | "pinv" | "rank" | "null" | "orth" => "connect a block of the group Matrix",
        _ => return None,
    })
}
