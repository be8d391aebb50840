//! Products, quotients and powers of matrices in code.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns the product of matrices; terms are added in order.
    pub fn product(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if a.count() == 1 || b.count() == 1 {
            return self.each(Binary::Mul, a, b, at);
        }
        if a.columns != b.rows {
            let problem = format!(
                "a matrix of {} cannot be multiplied by one of {}; element by element it is .*",
                a.size_text(),
                b.size_text()
            );
            return Err(ExpressionError::new(at, problem));
        }
        let (rows, inner, columns) = (a.rows, a.columns, b.columns);
        self.spend(rows.saturating_mul(columns).saturating_mul(inner), at)?;
        if inner == 0 {
            return Ok(self.numbers(&vec![0.0; rows * columns], rows, columns));
        }
        let class = self.common_class(a.class, b.class, at)?;
        self.refuse_integers(class, "a product of matrices", at)?;
        let (left, right) = (self.elements(a), self.elements(b));
        let multiply =
            |x: &A::Value, y: &A::Value| self.arithmetic(Binary::Mul, [x.clone(), y.clone()], [a.class, b.class], at);
        let element = |(row, column): (usize, usize)| {
            let first = multiply(&left[row * inner], &right[column])?;
            (1..inner).try_fold(first, |sum, k| {
                let term = multiply(&left[row * inner + k], &right[k * columns + column])?;
                self.arithmetic(Binary::Add, [sum, term], [class, class], at)
            })
        };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let each = places.map(element).collect::<Result<Vec<_>, _>>()?;
        Ok(self.made(each, rows, columns).of_class(class))
    }

    /// Returns `a / b`, the solution of `x * b = a`.
    pub fn right_divided(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if b.count() == 1 {
            return self.each(Binary::Div, a, b, at);
        }
        let solved = self.left_divided(&self.transposed(b, at)?, &self.transposed(a, at)?, at)?;
        self.transposed(&solved, at)
    }

    /// Returns `a \ b`, the solution of `a * x = b`.
    pub fn left_divided(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if a.count() == 1 {
            return self.each(Binary::Div, b, a, at);
        }
        self.solved(a, b, at)
    }

    pub fn power(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        if a.count() == 1 && b.count() == 1 {
            return self.each(Binary::Pow, a, b, at);
        }
        let exponent = self.known_scalar(b).filter(|b| b.fract() == 0.0 && b.abs() <= 1024.0);
        let Some(exponent) = exponent.filter(|_| a.rows == a.columns) else {
            let problem = "a power of matrices needs a square one and a whole number; element by element it is .^";
            return Err(ExpressionError::new(at, problem));
        };
        let mut base = if exponent < 0.0 { self.inverse(a, at)? } else { a.clone() };
        let mut rest = exponent.abs() as usize;
        let mut power: Option<Value<A::Value>> = None;
        while rest > 0 {
            if rest % 2 == 1 {
                power = Some(match power {
                    Some(power) => self.product(&power, &base, at)?,
                    None => base.clone(),
                });
            }
            rest /= 2;
            if rest > 0 {
                base = self.product(&base, &base, at)?;
            }
        }
        Ok(power.unwrap_or_else(|| self.identity(a.rows, a.rows)))
    }

    pub fn identity(&self, rows: usize, columns: usize) -> Value<A::Value> {
        let numbers: Vec<f64> =
            (0..rows).flat_map(|row| (0..columns).map(move |column| f64::from(u8::from(row == column)))).collect();
        self.numbers(&numbers, rows, columns)
    }

    pub fn inverse(&self, a: &Value<A::Value>, at: usize) -> Evaluated<A> {
        self.solved(a, &self.identity(a.rows, a.rows), at)
    }

    /// Refuses integers where only other classes are known.
    fn refuse_integers(&self, class: Class, what: &str, at: usize) -> Result<(), ExpressionError> {
        let problem = format!("{what} takes no {}; convert it with double(x)", class.name());
        if class.is_integer() { Err(ExpressionError::new(at, problem)) } else { Ok(()) }
    }

    /// Refuses other classes than double where equations are solved.
    fn refuse_rounded(&self, of: &[&Value<A::Value>], at: usize) -> Result<(), ExpressionError> {
        match of.iter().find(|of| of.class.is_integer() || of.class == Class::Single) {
            Some(of) => {
                let problem =
                    format!("equations are solved in double, not in {}; convert it with double(x)", of.class.name());
                Err(ExpressionError::new(at, problem))
            }
            None => Ok(()),
        }
    }

    fn square(&self, a: &Value<A::Value>, at: usize) -> Result<usize, ExpressionError> {
        if a.rows != a.columns || a.count() == 0 {
            let problem = format!("a square matrix is required here, not one of {}", a.size_text());
            return Err(ExpressionError::new(at, problem));
        }
        let rows = a.rows;
        self.spend(rows.saturating_mul(rows).saturating_mul(rows), at)?;
        Ok(rows)
    }

    /// Brings rows to upper triangular form by elimination with partial pivoting (Golub, Van Loan: Matrix Computations,
    /// section 3.4), and returns the sign of the permutation of the rows.
    fn eliminated(&self, rows: &mut [Vec<A::Value>]) -> A::Value {
        let a = self.algebra;
        let select = |on: &A::Value, yes: &A::Value, no: &A::Value| a.select(on.clone(), yes.clone(), no.clone());
        let mut sign = a.number(1.0);
        for pivot in 0..rows.len() {
            for below in pivot + 1..rows.len() {
                let magnitude = |row: usize| a.unary(Unary::Abs, rows[row][pivot].clone());
                let is_larger = a.binary(Binary::Gt, magnitude(below), magnitude(pivot));
                for column in pivot..rows[pivot].len() {
                    let (upper, lower) = (rows[pivot][column].clone(), rows[below][column].clone());
                    rows[pivot][column] = select(&is_larger, &lower, &upper);
                    rows[below][column] = select(&is_larger, &upper, &lower);
                }
                sign = select(&is_larger, &a.unary(Unary::Neg, sign.clone()), &sign);
            }
            for below in pivot + 1..rows.len() {
                let first = rows[below][pivot].clone();
                let quotient = a.binary(Binary::Div, first.clone(), rows[pivot][pivot].clone());
                // An element that is zero stays, whatever the pivot.
                let is_zero = a.binary(Binary::Eq, first, a.number(0.0));
                let factor = a.select(is_zero, a.number(0.0), quotient);
                for column in pivot..rows[pivot].len() {
                    let taken = a.binary(Binary::Mul, factor.clone(), rows[pivot][column].clone());
                    rows[below][column] = a.binary(Binary::Sub, rows[below][column].clone(), taken);
                }
            }
        }
        sign
    }

    /// Returns the solution of `a * x = b`; it is infinite or not-a-number if the matrix is singular.
    fn solved(&self, a: &Value<A::Value>, b: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let size = self.square(a, at)?;
        self.refuse_rounded(&[a, b], at)?;
        if b.rows != size {
            let problem = format!("{} equations do not match {} right sides", size, b.rows);
            return Err(ExpressionError::new(at, problem));
        }
        let (matrix, right) = (self.elements(a), self.elements(b));
        let columns = b.columns;
        let row = |row: usize| {
            let (left, right) = (&matrix[row * size..(row + 1) * size], &right[row * columns..(row + 1) * columns]);
            left.iter().chain(right).cloned().collect::<Vec<_>>()
        };
        let mut rows: Vec<Vec<A::Value>> = (0..size).map(row).collect();
        self.eliminated(&mut rows);
        let algebra = self.algebra;
        let mut solved = vec![algebra.number(0.0); size * columns];
        for row in (0..size).rev() {
            for column in 0..columns {
                let rest = (row + 1..size).fold(rows[row][size + column].clone(), |rest, known| {
                    let taken =
                        algebra.binary(Binary::Mul, rows[row][known].clone(), solved[known * columns + column].clone());
                    algebra.binary(Binary::Sub, rest, taken)
                });
                solved[row * columns + column] = algebra.binary(Binary::Div, rest, rows[row][row].clone());
            }
        }
        Ok(self.made(solved, size, columns))
    }

    pub fn determinant(&self, a: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let size = self.square(a, at)?;
        self.refuse_rounded(&[a], at)?;
        let all = self.elements(a);
        let mut rows: Vec<Vec<A::Value>> = all.chunks(size).map(<[A::Value]>::to_vec).collect();
        let sign = self.eliminated(&mut rows);
        let product =
            (0..size).fold(sign, |product, row| self.algebra.binary(Binary::Mul, product, rows[row][row].clone()));
        Ok(Value::scalar(product))
    }
}
