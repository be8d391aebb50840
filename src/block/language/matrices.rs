//! Matrices made of parts: rows and columns beside and below each other, ranges, transposition.

use super::class::Class;
use super::evaluate::{Algebra, Evaluated, Evaluator, MAX_EACH};
use super::scope::Scope;
use super::value::Value;
use super::{Expression, ExpressionError};
use crate::block::limits::MAX_ELEMENTS;

impl<A: Algebra> Evaluator<'_, A> {
    pub fn transposed(&self, of: &Value<A::Value>, at: usize) -> Evaluated<A> {
        let (rows, columns) = (of.rows, of.columns);
        if of.is_vector() || of.count() == 0 {
            return Ok(of.clone().reshaped(columns, rows));
        }
        self.spend(of.count(), at)?;
        let each = self.elements(of);
        let places = (0..columns).flat_map(|column| (0..rows).map(move |row| row * columns + column));
        Ok(self.made(places.map(|place| each[place].clone()).collect(), columns, rows).of_class(of.class))
    }

    /// Sizes are checked before anything is concatenated, since nested vectors grow quickly.
    pub(super) fn rows(&self, rows: &[Vec<Expression>], at: usize, scope: &mut Scope<A::Value>) -> Evaluated<A> {
        let (mut made, mut total) = (Vec::with_capacity(rows.len()), 0);
        for row in rows {
            let mut parts = Vec::with_capacity(row.len());
            for part in row {
                let value = self.of(part, scope)?;
                total += value.count();
                if total > MAX_ELEMENTS {
                    let problem = format!("too large: a vector has at most {MAX_ELEMENTS} elements");
                    return Err(ExpressionError::new(part.at, problem));
                }
                parts.push(value);
            }
            if let ([single], 1) = (&parts[..], rows.len()) {
                self.spend(2 * total, at)?;
                return Ok(single.clone());
            }
            let at = row.first().map_or(at, |part| part.at);
            let next = self.beside(&parts, at)?;
            let columns = made.iter().map(|above: &Value<A::Value>| above.columns).find(|columns| *columns > 0);
            if let Some(columns) = columns.filter(|columns| *columns != next.columns && next.count() > 0) {
                let number = made.len() + 1;
                let problem = format!("row {number} has {} elements, the rows above have {columns}", next.columns);
                return Err(ExpressionError::new(at, problem));
            }
            made.push(next);
        }
        self.spend(2 * total, at)?;
        if made.is_empty() && !self.is_code() {
            return Err(ExpressionError::new(at, "a vector has at least one element"));
        }
        self.below(made, at)
    }

    /// Places matrices side by side. In expressions those of different height become a single row.
    pub fn beside(&self, parts: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        for part in parts {
            self.numeric(part.clone(), at)?;
        }
        let parts: Vec<&Value<A::Value>> = parts.iter().filter(|part| part.count() > 0).collect();
        let Some(first) = parts.first() else { return Ok(Value::empty(0, 0)) };
        let class = Class::of_parts(parts.iter().map(|part| part.class));
        let parts: Vec<Value<A::Value>> =
            parts.iter().map(|part| self.converted(part, class, at)).collect::<Result<_, _>>()?;
        let is_even = parts.iter().all(|part| part.rows == first.rows);
        let columns = parts.iter().map(|part| part.columns).sum();
        if let Some(other) = parts.iter().find(|part| part.rows != first.rows).filter(|_| self.is_code()) {
            let problem = format!("a matrix of {} does not fit beside one of {}", other.size_text(), first.size_text());
            return Err(ExpressionError::new(at, problem));
        }
        if !self.is_code() && (first.rows == 1 || !is_even) {
            let all: Vec<A::Value> = parts.iter().map(|part| self.whole(part)).collect();
            let width = parts.iter().map(|part| part.count()).sum();
            return Ok(Value::whole(if all.len() == 1 { all[0].clone() } else { self.algebra.join(&all) }, 1, width)
                .of_class(class));
        }
        let all: Vec<Vec<A::Value>> = parts.iter().map(|part| self.elements(part)).collect();
        let mut each = Vec::with_capacity(first.rows * columns);
        for row in 0..first.rows {
            for (part, elements) in parts.iter().zip(&all) {
                each.extend_from_slice(&elements[row * part.columns..(row + 1) * part.columns]);
            }
        }
        Ok(self.made(each, first.rows, columns).of_class(class))
    }

    /// Places matrices of equal width one above the other.
    pub fn below(&self, mut parts: Vec<Value<A::Value>>, at: usize) -> Evaluated<A> {
        parts.retain(|part| part.count() > 0);
        let class = Class::of_parts(parts.iter().map(|part| part.class));
        for part in &mut parts {
            *part = self.converted(part, class, at)?;
        }
        let rows = parts.iter().map(|part| part.rows).sum();
        let columns = parts.first().map_or(0, |first| first.columns);
        Ok(match parts.len() {
            0 => Value::empty(0, 0),
            1 => parts.swap_remove(0),
            _ if self.is_code() && rows * columns <= MAX_EACH => {
                let each = parts.iter().flat_map(|part| self.elements(part)).collect();
                Value::each(each, rows, columns).of_class(class)
            }
            _ => {
                let all: Vec<A::Value> = parts.iter().map(|part| self.whole(part)).collect();
                Value::whole(self.algebra.join(&all), rows, columns).of_class(class)
            }
        })
    }

    /// Returns the number of elements of a range.
    pub fn range_length(&self, first: f64, step: f64, last: f64, at: usize) -> Result<usize, ExpressionError> {
        // The tolerance includes an end that rounding would leave out.
        let count = ((last - first) / step * (1.0 + 1e-14) + 1e-10).floor() + 1.0;
        let is_empty = self.is_code() && (count < 1.0 || step == 0.0);
        if is_empty || (1.0..=MAX_ELEMENTS as f64).contains(&count) {
            return Ok(if is_empty { 0 } else { count as usize });
        }
        // Not-a-number gives an empty range.
        let problem = match count > MAX_ELEMENTS as f64 {
            true => format!("more than {MAX_ELEMENTS} numbers, the limit of a vector"),
            false => "no numbers".to_owned(),
        };
        let range = format!("from {first} to {last} in steps of {step} there are {problem}");
        Err(ExpressionError::new(at, range))
    }

    pub(super) fn range(&self, first: f64, step: f64, last: f64, at: usize) -> Evaluated<A> {
        let count = self.range_length(first, step, last, at)?;
        self.spend(count, at)?;
        let each: Vec<f64> = (0..count).map(|element| first + element as f64 * step).collect();
        Ok(self.numbers(&each, 1, count))
    }
}
