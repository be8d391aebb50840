//! Functions of tables: interpolation, and integrals by trapezoids. Angles that are brought into one turn.

use std::f64::consts::TAU;

use super::evaluate::{Algebra, Evaluated, Evaluator};
use super::value::Value;
use super::{Binary, ExpressionError, Unary};

/// How a table is read between its points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Linear,
    Nearest,
    Previous,
}

/// What a table is beyond its ends.
#[derive(Clone, Copy, PartialEq)]
enum Beyond {
    /// The outermost pieces go on.
    Pieces,
    Number(f64),
}

impl<A: Algebra> Evaluator<'_, A> {
    /// Returns interp1(x, v, xq, method, beyond): the values of a table at these points.
    pub(super) fn interpolated(&self, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let fail = |problem: &str| Err(ExpressionError::new(at, problem));
        let [x, v, points, rest @ ..] = values else { return fail("interp1 is written interp1(x, v, xq)") };
        let (method, beyond) = self.way_of(rest, at)?;
        let (x, v, points) =
            (self.numeric(x.clone(), at)?, self.numeric(v.clone(), at)?, self.numeric(points.clone(), at)?);
        if !x.is_vector() || !v.is_vector() || x.count() != v.count() || x.count() < 2 {
            return fail("interp1 takes a table of two vectors of equal length, with two points at least");
        }
        let (mut x_each, mut v_each) = (self.elements(&x), self.elements(&v));
        if let Some(known) = self.known(&x) {
            if known.windows(2).all(|pair| pair[0] > pair[1]) {
                x_each.reverse();
                v_each.reverse();
            } else if !known.windows(2).all(|pair| pair[0] < pair[1]) {
                return fail("the points x of a table rise, or fall, from one to the next");
            }
        }
        self.spend(points.count().saturating_mul(8 * x_each.len()), at)?;
        let pieces = Pieces { x: x_each, v: v_each, method };
        self.try_mapped(&points, |point| {
            let each = (0..self.algebra.width(&point)).map(|index| self.algebra.slice(&point, index, 1));
            let read: Vec<A::Value> = each.map(|point| self.read(&pieces, beyond, point)).collect();
            Ok(if read.len() == 1 { read[0].clone() } else { self.algebra.join(&read) })
        })
    }

    fn way_of(&self, rest: &[Value<A::Value>], at: usize) -> Result<(Method, Beyond), ExpressionError> {
        let (mut method, mut beyond) = (Method::Linear, Beyond::Number(f64::NAN));
        for value in rest {
            match (value.as_text(), self.known_scalar(value)) {
                (Some("linear"), _) => method = Method::Linear,
                (Some("nearest"), _) => method = Method::Nearest,
                (Some("previous"), _) => method = Method::Previous,
                (Some("extrap"), _) => beyond = Beyond::Pieces,
                (None, Some(number)) => beyond = Beyond::Number(number),
                _ => {
                    let problem = "the method is 'linear', 'nearest' or 'previous', and what is beyond the table \
                                   'extrap' or a number; connect a block of the group Lookup for others";
                    return Err(ExpressionError::new(at, problem));
                }
            }
        }
        Ok((method, beyond))
    }

    /// Returns the value of a table at one point.
    fn read(&self, table: &Pieces<A::Value>, beyond: Beyond, point: A::Value) -> A::Value {
        let a = self.algebra;
        let Pieces { x, v, method } = table;
        let last = x.len() - 1;
        let subtract = |left: &A::Value, right: &A::Value| a.binary(Binary::Sub, left.clone(), right.clone());
        // The bounds of the pieces but for the first and last one: a point on a bound is in the piece behind it.
        let bounds: Vec<A::Value> = match method {
            Method::Linear => x[1..last].to_vec(),
            Method::Previous => x[1..].to_vec(),
            Method::Nearest => x
                .windows(2)
                .map(|pair| {
                    let sum = a.binary(Binary::Add, pair[0].clone(), pair[1].clone());
                    a.binary(Binary::Mul, sum, a.number(0.5))
                })
                .collect(),
        };
        let passed = bounds.into_iter().map(|bound| a.binary(Binary::Ge, point.clone(), bound));
        let index = passed.reduce(|all, next| a.binary(Binary::Add, all, next)).unwrap_or_else(|| a.number(0.0));
        let of_piece = |each: &[A::Value]| a.pick(a.join(each), index.clone());
        let inside = match method {
            Method::Linear => {
                let slope = |pair: usize| {
                    let rise = subtract(&v[pair + 1], &v[pair]);
                    a.binary(Binary::Div, rise, subtract(&x[pair + 1], &x[pair]))
                };
                let slopes: Vec<A::Value> = (0..last).map(slope).collect();
                let from_start = subtract(&point, &of_piece(&x[..last]));
                let rise = a.binary(Binary::Mul, of_piece(&slopes), from_start);
                a.binary(Binary::Add, rise, of_piece(&v[..last]))
            }
            Method::Nearest | Method::Previous => of_piece(v),
        };
        let Beyond::Number(number) = beyond else { return inside };
        let below = a.binary(Binary::Lt, point.clone(), x[0].clone());
        let above = a.binary(Binary::Gt, point, x[last].clone());
        a.select(a.binary(Binary::Or, below, above), a.number(number), inside)
    }

    /// Returns the integral over the points of a table by trapezoids: trapz(v), of points at distance 1, or trapz(x, v).
    pub(super) fn trapezoids(&self, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let areas = self.areas(values, at)?;
        self.each(Binary::Mul, &self.number(0.5), &self.folded(Binary::Add, &areas, at)?, at)
    }

    /// Returns the integrals up to each point of a table.
    pub(super) fn cumulated_trapezoids(&self, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let areas = self.areas(values, at)?;
        let along = if areas.rows == 1 { 2 } else { 1 };
        let sums = self.each(Binary::Mul, &self.number(0.5), &self.cumulated(Binary::Add, &areas, along, at)?, at)?;
        match along {
            2 => self.beside(&[self.number(0.0), sums], at),
            _ => self.below(vec![self.number(0.0), sums], at),
        }
    }

    /// Returns twice the areas between the points of a table.
    fn areas(&self, values: &[Value<A::Value>], at: usize) -> Evaluated<A> {
        let (x, v) = match values {
            [v] => (None, v),
            [x, v, ..] => (Some(x), v),
            [] => return Err(ExpressionError::new(at, "trapz is written trapz(v) or trapz(x, v)")),
        };
        let is_even = x.is_none_or(|x| x.is_vector() && x.count() == v.count());
        if !v.is_vector() || v.count() < 2 || !is_even {
            return Err(ExpressionError::new(at, "trapz takes vectors of equal length, with two points at least"));
        }
        let each = self.elements(v);
        let sums = each
            .windows(2)
            .map(|pair| self.arithmetic(Binary::Add, [pair[0].clone(), pair[1].clone()], [v.class, v.class], at));
        let sums = sums.collect::<Result<Vec<_>, _>>()?;
        let count = sums.len();
        let sums = if v.rows == 1 { self.made(sums, 1, count) } else { self.made(sums, count, 1) }.of_class(v.class);
        let Some(x) = x else { return Ok(sums) };
        let distances = self.differences(x, at)?.reshaped(sums.rows, sums.columns);
        self.each(Binary::Mul, &distances, &sums, at)
    }

    /// Brings angles into one turn: from −half to half, or from 0 to a whole turn, which stays where the angle is above 0.
    pub(super) fn wrapped(&self, of: &Value<A::Value>, turn: f64, is_centred: bool, at: usize) -> Evaluated<A> {
        let whole = |of: &Value<A::Value>| {
            let rest = self.each(Binary::Mod, of, &self.number(turn), at)?;
            let is_zero = self.each(Binary::Eq, &rest, &self.number(0.0), at)?;
            let is_above = self.each(Binary::Gt, of, &self.number(0.0), at)?;
            let is_turn = self.each(Binary::And, &is_zero, &is_above, at)?;
            self.selected(&is_turn, &self.number(turn), &rest, at)
        };
        if !is_centred {
            return whole(of);
        }
        let half = self.number(turn / 2.0);
        let beyond = self.each(Binary::Gt, &self.unary(Unary::Abs, of, at)?, &half, at)?;
        let moved = self.each(Binary::Sub, &whole(&self.each(Binary::Add, of, &half, at)?)?, &half, at)?;
        self.selected(&beyond, &moved, of, at)
    }
}

/// A table as pieces between its points.
struct Pieces<V> {
    x: Vec<V>,
    v: Vec<V>,
    method: Method,
}

/// The turn of an angle in radians or degrees.
pub(super) const fn turn(is_in_degrees: bool) -> f64 {
    if is_in_degrees { 360.0 } else { TAU }
}
