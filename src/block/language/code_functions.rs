//! The functions that only code has.

use super::call::Results;
use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::function::{Angle, CodeFunction, MatrixOperator, Shape};
use super::tables::turn;
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

impl<A: Algebra> Evaluator<'_, A> {
    pub(super) fn call_of_code(
        &self,
        function: CodeFunction,
        values: &[Value<A::Value>],
        results: usize,
        at: usize,
    ) -> Results<A> {
        let first = values.first().cloned().unwrap_or_else(|| Value::empty(0, 0));
        let second = values.get(1);
        let one = |value: Evaluated<A>| value.map(|value| vec![value]);
        match function {
            CodeFunction::Error => {
                self.stop(self.algebra.number(1.0), first.as_text().unwrap_or("the code has found an error"));
                Ok(Vec::new())
            }
            CodeFunction::Assert => {
                let holds = self.all_of(&self.numeric(first, at)?, at)?;
                let message = second.and_then(Value::as_text).unwrap_or("an assertion of the code does not hold");
                self.stop(self.algebra.unary(Unary::Not, self.whole(&holds)), message);
                Ok(Vec::new())
            }
            CodeFunction::Sort => self.sorted(&first, second, at),
            CodeFunction::Size => self.size(&first, second, results, at),
            CodeFunction::Struct => one(self.structure(values, at)),
            CodeFunction::Norm => one(self.norm(&first, second, at)),
            CodeFunction::Cast => one(self.cast(&first, second, at)),
            CodeFunction::Interpolate => one(self.interpolated(values, at)),
            CodeFunction::Idivide => one(self.integer_quotient(&first, values, at)),
            _ => match self.fact(function, &first, second) {
                Some(fact) => Ok(vec![fact]),
                None => match self.made_by(function, values, at)? {
                    Some(made) => Ok(vec![made]),
                    None => {
                        for value in values {
                            self.numeric(value.clone(), at)?;
                        }
                        one(self.computed(function, &first, values, at))
                    }
                },
            },
        }
    }

    /// Returns the result of a function that asks for the size, class or fields of a value, not for its elements.
    fn fact(
        &self,
        function: CodeFunction,
        first: &Value<A::Value>,
        second: Option<&Value<A::Value>>,
    ) -> Option<Value<A::Value>> {
        let whole_number = |number: usize| self.number(number as f64);
        let name = second.and_then(Value::as_text);
        Some(match function {
            CodeFunction::ClassOf => Value::text(first.class_name()),
            CodeFunction::Isa => self.truth(name.is_some_and(|name| first.is_a(name))),
            CodeFunction::Isempty => self.truth(first.count() == 0),
            CodeFunction::Isfield => self.truth(name.is_some_and(|name| first.field(name).is_some())),
            CodeFunction::IsOf(kind) => self.truth(first.is_a(kind)),
            CodeFunction::Isscalar => self.truth(first.count() == 1),
            CodeFunction::Isshape(shape) => self.truth(match shape {
                Shape::Row => first.rows == 1,
                Shape::Column => first.columns == 1,
                Shape::Square => first.rows == first.columns,
                Shape::Any => true,
            }),
            CodeFunction::Isvector => self.truth(first.is_vector() && first.count() > 0),
            CodeFunction::Ndims => self.number(2.0),
            CodeFunction::Numel => whole_number(first.count()),
            CodeFunction::SizeOf(0) => whole_number(first.rows),
            CodeFunction::SizeOf(_) => whole_number(first.columns),
            CodeFunction::Strcmp => self.truth(first.as_text().zip(name).is_some_and(|(a, b)| a == b)),
            _ => return None,
        })
    }

    /// Returns the matrices of functions that take sizes and the names of classes, not values.
    fn made_by(
        &self,
        function: CodeFunction,
        values: &[Value<A::Value>],
        at: usize,
    ) -> Result<Option<Value<A::Value>>, ExpressionError> {
        Ok(Some(match function {
            CodeFunction::Eye => {
                let (sizes, class) = self.class_of(values, at)?;
                let (rows, columns) = self.size_of(sizes, at)?;
                self.identity(rows, columns).of_class(class)
            }
            CodeFunction::Truths(is) => {
                let (rows, columns) = self.size_of(values, at)?;
                let number = f64::from(u8::from(is));
                self.numbers(&vec![number; rows * columns], rows, columns).of_class(Class::Logical)
            }
            CodeFunction::Limit(limit) => self.limit(limit, values, at)?,
            _ => return Ok(None),
        }))
    }

    /// Returns the values of functions of numbers.
    fn computed(
        &self,
        function: CodeFunction,
        first: &Value<A::Value>,
        values: &[Value<A::Value>],
        at: usize,
    ) -> Evaluated<A> {
        let second = values.get(1);
        let sum = |of: &Value<A::Value>| self.folded(Binary::Add, of, at);
        match (function, second) {
            (CodeFunction::All | CodeFunction::Any, _) => {
                let op = if function == CodeFunction::All { Binary::And } else { Binary::Or };
                let along = self.direction(first, &values[1..], at)?;
                let truths = self.each(Binary::Ne, first, &self.number(0.0), at)?;
                self.reduced(&truths, along, at, |line| self.folded(op, line, at))
            }
            (CodeFunction::Apply(op), Some(second)) => self.each(op, first, second, at),
            (CodeFunction::Bits(op), Some(second)) => self.bits(op, first, second, at),
            (CodeFunction::Circshift, Some(by)) => self.shifted_around(first, by, at),
            (CodeFunction::Cross, Some(second)) => self.cross(first, second, at),
            (CodeFunction::Cumsum | CodeFunction::Cumprod, _) => {
                let op = if function == CodeFunction::Cumsum { Binary::Add } else { Binary::Mul };
                self.cumulated(op, first, self.direction(first, &values[1..], at)?, at)
            }
            (CodeFunction::Degrees, _) => self.degrees(first, at),
            (CodeFunction::Radians, _) => self.radians(first, at),
            (CodeFunction::Of(op, Angle::Argument), _) => self.unary(op, &self.radians(first, at)?, at),
            (CodeFunction::Of(op, Angle::Result), _) => self.degrees(&self.unary(op, first, at)?, at),
            (CodeFunction::Det, _) => self.determinant(first, at),
            (CodeFunction::Inv, _) => self.inverse(first, at),
            (CodeFunction::Diag, _) => self.diagonal(first, at),
            (CodeFunction::Diff, _) => self.differences(first, at),
            (CodeFunction::Find, count) => self.found(first, count, at),
            (CodeFunction::Cumtrapz, _) => self.cumulated_trapezoids(values, at),
            (CodeFunction::Trapz, _) => self.trapezoids(values, at),
            (CodeFunction::Wrap(is_in_degrees, is_centred), _) => {
                self.wrapped(first, turn(is_in_degrees), is_centred, at)
            }
            (CodeFunction::Reciprocal(op), _) => {
                self.each(Binary::Div, &self.number(1.0), &self.unary(op, first, at)?, at)
            }
            (CodeFunction::Ismember, Some(set)) => {
                let mut found = self.each(Binary::And, first, &self.truth(false), at)?;
                for element in self.elements(set) {
                    let is_it = self.each(Binary::Eq, first, &Value::scalar(element), at)?;
                    found = self.each(Binary::Or, &found, &is_it, at)?;
                }
                Ok(found)
            }
            (CodeFunction::Nthroot, Some(degree)) => self.root(first, degree, at),
            (CodeFunction::Rms, _) => {
                let squares = self.each(Binary::Mul, first, first, at)?;
                let mean = self.mean(&squares, self.direction(first, &values[1..], at)?, at)?;
                self.unary(Unary::Sqrt, &mean, at)
            }
            (CodeFunction::Subscript, Some(row)) => {
                let Some([rows, _]) = self.known(first).as_deref().and_then(|sizes| sizes.first_chunk().copied())
                else {
                    let problem = "the size of a matrix is a vector of two numbers that are known before the run";
                    return Err(ExpressionError::new(at, problem));
                };
                let column = values.get(2).unwrap_or(row);
                let before = self.each(Binary::Sub, column, &self.number(1.0), at)?;
                self.each(Binary::Add, row, &self.each(Binary::Mul, &before, &self.number(rows), at)?, at)
            }
            (CodeFunction::Flip, _) => {
                let along = if first.rows == 1 { CodeFunction::Fliplr } else { CodeFunction::Flipud };
                self.computed(along, first, values, at)
            }
            (CodeFunction::Fliplr | CodeFunction::Flipud, _) => {
                let each = self.elements(first);
                let (rows, columns) = (first.rows, first.columns);
                let place = |row: usize, column: usize| match function {
                    CodeFunction::Fliplr => row * columns + columns - 1 - column,
                    _ => (rows - 1 - row) * columns + column,
                };
                let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
                let made = self.made(places.map(|(i, j)| each[place(i, j)].clone()).collect(), rows, columns);
                Ok(made.of_class(first.class))
            }
            (CodeFunction::Horzcat, _) => self.beside(values, at),
            (CodeFunction::Vertcat, _) => {
                let widths: Vec<usize> = values.iter().map(|value| value.columns).filter(|width| *width > 0).collect();
                if widths.windows(2).any(|pair| pair[0] != pair[1]) {
                    let problem = "matrices above each other have equal numbers of columns";
                    return Err(ExpressionError::new(at, problem));
                }
                self.below(values.to_vec(), at)
            }
            (CodeFunction::Isequal, Some(second)) => {
                if (first.rows, first.columns) != (second.rows, second.columns) {
                    return Ok(self.truth(false));
                }
                let same = self.each(Binary::Eq, first, second, at)?;
                if same.count() == 0 { Ok(self.truth(true)) } else { self.all_of(&same, at) }
            }
            (CodeFunction::Kron, Some(second)) => self.kron(first, second, at),
            (CodeFunction::Log2, _) => {
                let log = self.unary(Unary::Ln, first, at)?;
                self.each(Binary::Div, &log, &self.number(std::f64::consts::LN_2), at)
            }
            (CodeFunction::Matrix(operator), Some(second)) => match operator {
                MatrixOperator::Product => self.product(first, second, at),
                MatrixOperator::RightDivide => self.right_divided(first, second, at),
                MatrixOperator::LeftDivide => self.left_divided(first, second, at),
                MatrixOperator::Power => self.power(first, second, at),
            },
            (CodeFunction::Mean, _) => self.mean(first, self.direction(first, &values[1..], at)?, at),
            (CodeFunction::Median, _) => self.median(first, at),
            (CodeFunction::Nnz, _) => sum(&self.each(Binary::Ne, first, &self.number(0.0), at)?),
            (CodeFunction::Not, _) => self.unary(Unary::Not, first, at),
            (CodeFunction::Polyval, Some(at_x)) => self.polynomial(first, at_x, at),
            (CodeFunction::Repmat, _) => {
                let (rows, columns) = self.size_of(&values[1..], at)?;
                self.spend(rows.saturating_mul(columns).saturating_mul(first.count()), at)?;
                let row = self.beside(&vec![first.clone(); columns], at)?;
                self.below(vec![row; rows], at)
            }
            (CodeFunction::Reshape, _) => self.reshape(first, values, at),
            (CodeFunction::Std | CodeFunction::Var, _) => {
                let variance = self.variance(first, at)?;
                if function == CodeFunction::Std { self.unary(Unary::Sqrt, &variance, at) } else { Ok(variance) }
            }
            (CodeFunction::Sumsq, _) => {
                let of = self.converted(first, first.class.of_sum(), at)?;
                sum(&self.each(Binary::Mul, &of, &of, at)?)
            }
            (CodeFunction::Trace, _) => {
                let each = self.elements(first);
                let diagonal = (0..first.rows.min(first.columns)).map(|row| each[row * first.columns + row].clone());
                let diagonal: Vec<A::Value> = diagonal.collect();
                let count = diagonal.len();
                sum(&self.made(diagonal, 1, count).of_class(first.class))
            }
            (CodeFunction::Transpose, _) => self.transposed(first, at),
            (CodeFunction::Tril | CodeFunction::Triu, _) => {
                let each = self.elements(first);
                let columns = first.columns;
                let keeps = |place: usize| match function {
                    CodeFunction::Tril => place % columns <= place / columns,
                    _ => place % columns >= place / columns,
                };
                let kept = each.iter().enumerate();
                let kept = kept.map(|(place, of)| if keeps(place) { of.clone() } else { self.algebra.number(0.0) });
                Ok(self.made(kept.collect(), first.rows, columns).of_class(first.class))
            }
            _ => Err(ExpressionError::new(at, "an argument is missing")),
        }
    }

    /// Returns the real root of a known whole degree; of a negative number that of its size, negated.
    fn root(&self, of: &Value<A::Value>, degree: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let Some(known) = self.known_scalar(degree).filter(|degree| degree.fract() == 0.0 && *degree > 0.0) else {
            return Err(ExpressionError::new(at, "nthroot takes a positive whole degree that is known before the run"));
        };
        let size = self.unary(Unary::Abs, of, at)?;
        let root = self.each(Binary::Pow, &size, &self.number(1.0 / known), at)?;
        match known % 2.0 == 1.0 {
            true => self.each(Binary::Mul, &self.unary(Unary::Sign, of, at)?, &root, at),
            // An even root of a negative number is none.
            false => self.each(
                Binary::Add,
                &root,
                &self.each(Binary::Mul, &self.number(0.0), &self.unary(Unary::Sqrt, of, at)?, at)?,
                at,
            ),
        }
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
            return Ok(self.made(diagonal, count, 1).of_class(of.class));
        }
        let count = each.len();
        self.spend(count * count, at)?;
        let places = (0..count).flat_map(|row| (0..count).map(move |column| (row, column)));
        let element = |(row, column): (usize, usize)| match row == column {
            true => each[row].clone(),
            false => self.algebra.number(0.0),
        };
        Ok(self.made(places.map(element).collect(), count, count).of_class(of.class))
    }

    /// Returns the indices of nonzero elements.
    pub(super) fn found(&self, of: &Value<A::Value>, count: Option<&Value<A::Value>>, at: usize) -> Evaluated<A> {
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
            let problem = "how many elements are nonzero changes in the run; find(v, 1) returns the first of them, numel(find(v)) counts \
                           them, and x(find(v)) can be reduced at once, as by sum";
            return Err(ExpressionError::new(at, problem));
        }
        let a = self.algebra;
        let each = self.elements(of);
        let mut first = a.number(1.0);
        for (index, place) in order.iter().enumerate().rev() {
            first = a.select(each[*place].clone(), a.number(index as f64 + 1.0), first);
        }
        let any = self.folded(Binary::Or, &self.each(Binary::Ne, of, &self.number(0.0), at)?, at)?;
        self.stop_at(a.unary(Unary::Not, self.whole(&any)), "find has found no element", at);
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
            self.arithmetic(Binary::Mul, [x, y], [a.class, b.class], at)
        };
        let class = self.common_class(a.class, b.class, at)?;
        Ok(self.made(places.map(element).collect::<Result<_, _>>()?, rows, columns).of_class(class))
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
        Ok(self.made(places.map(|place| each[order[place]].clone()).collect(), rows, columns).of_class(of.class))
    }
}
