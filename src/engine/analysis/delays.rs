//! Delays in time within a linearized system: exact in the frequency response, and as rational functions of a chosen
//! order in matrices, poles and zeros.
//!
//! A block that delays its input is taken out of the system: its output becomes an input `w` of the rest, and its input an
//! output `z`. What is left is finite, and `w(t) = z(t − τ)` closes it again.

use std::sync::Arc;

use super::super::{Context, Program, SubsystemId, UnitId};
use super::slopes::elements_of;
use crate::block::Binary;
use crate::block::math::Matrix;
use crate::engine::solve::interpret::{Env, Interpreter};
use crate::model::BlockAddress;

/// A delay that a linearization contains.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearDelay {
    /// The path of model blocks to the block, and the block.
    pub block: BlockAddress,
    /// The name of the block in messages.
    pub title: String,
    pub seconds: f64,
}

/// An element of a signal that a block delays.
#[derive(Clone, Debug)]
pub(super) struct DelayedElement {
    pub unit: UnitId,
    pub element: usize,
    /// The value indices of the delayed output and of the input that is delayed.
    pub output: usize,
    pub input: usize,
    pub seconds: f64,
}

/// A system `ẋ = A·x + B·[u; w]`, `[y; z] = C·x + D·[u; w]` with `wᵢ(t) = zᵢ(t − τᵢ)`; of a discrete system `x⁺` in place
/// of `ẋ`.
#[derive(Clone, Debug, PartialEq)]
pub struct Delayed {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
    /// The delays τ in seconds.
    pub seconds: Vec<f64>,
}

/// Systems that take the place of delays, side by side: `ẋ = A·x + B·z`, `w = C·x + D·z`.
pub(super) struct Substitute {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
}

/// The elements of all signals that running blocks delay.
pub(super) fn delayed_elements(program: &Arc<Program>, begin: &Context, after: &Context) -> Vec<DelayedElement> {
    let mut interpreter = Interpreter::new(program);
    let mut found = Vec::new();
    for (number, unit) in program.units.iter() {
        let kernel = program.kernel(unit);
        let Some(delay) = &kernel.delay else { continue };
        let runs = |subsystem: SubsystemId| elements_of(program, &after.values, program.runs_of(subsystem))[0];
        let source = program.source(unit, 0);
        let (Some(source), true) = (source, unit.subsystem.is_none_or(|subsystem| runs(subsystem) >= 1.0)) else {
            continue;
        };
        let env = Env {
            values: &after.values,
            continuous: &begin.continuous,
            next: &after.discrete,
            ..Env::of_parameters(program, unit, begin)
        };
        interpreter.run(kernel, &delay.list, &env);
        let seconds = interpreter.value(kernel, delay.reg);
        let (output, source) = (&program.outputs[unit.first_output], &program.outputs[source]);
        for element in 0..output.width as usize {
            // A scalar stands for all elements.
            let of = |width: usize| if width == 1 { 0 } else { element };
            found.push(DelayedElement {
                unit: number,
                element,
                output: output.offset as usize + element,
                input: source.offset as usize + of(source.width as usize),
                seconds: seconds[of(seconds.len())].max(0.0),
            });
        }
    }
    found
}

impl Delayed {
    /// The system from one input to one output.
    pub fn channel(&self, input: usize, output: usize) -> Delayed {
        let k = self.seconds.len();
        let states: Vec<usize> = (0..self.a.rows).collect();
        let columns: Vec<usize> = std::iter::once(input).chain(self.b.columns - k..self.b.columns).collect();
        let rows: Vec<usize> = std::iter::once(output).chain(self.c.rows - k..self.c.rows).collect();
        Delayed {
            a: self.a.clone(),
            b: self.b.part(&states, &columns),
            c: self.c.part(&rows, &states),
            d: self.d.part(&rows, &columns),
            seconds: self.seconds.clone(),
        }
    }

    /// Returns the matrices of the system with a substitute for the delays, whose states follow those of the system;
    /// `None` if delays and direct feedthrough form a loop that has no solution.
    pub(super) fn closed(&self, inner: &Substitute) -> Option<[Matrix; 4]> {
        let (n, k) = (self.a.rows, self.seconds.len());
        let (m, p) = (self.b.columns - k, self.c.rows - k);
        let all = |first: usize, count: usize| (first..first + count).collect::<Vec<_>>();
        let (x, u, w, y, z) = (all(0, n), all(0, m), all(m, k), all(0, p), all(p, k));
        let (b1, b2) = (self.b.part(&x, &u), self.b.part(&x, &w));
        let (c1, c2) = (self.c.part(&y, &x), self.c.part(&z, &x));
        let (d11, d12) = (self.d.part(&y, &u), self.d.part(&y, &w));
        let (d21, d22) = (self.d.part(&z, &u), self.d.part(&z, &w));
        // w = solved·(D·(C₂·x + D₂₁·u) + C·x′), x′ the states of the substitute.
        let direct = Matrix::identity(k).plus(&inner.d.times(&d22).scaled(-1.0));
        let solved = direct.solve(&Matrix::identity(k))?;
        if !solved.values.iter().all(|value| value.is_finite()) {
            return None;
        }
        let w_by_x = solved.times(&inner.d).times(&c2);
        let w_by_u = solved.times(&inner.d).times(&d21);
        let w_by_inner = solved.times(&inner.c);
        let z_by_x = c2.plus(&d22.times(&w_by_x));
        let z_by_u = d21.plus(&d22.times(&w_by_u));
        let z_by_inner = d22.times(&w_by_inner);
        Some([
            stacked(
                &beside(&self.a.plus(&b2.times(&w_by_x)), &b2.times(&w_by_inner)),
                &beside(&inner.b.times(&z_by_x), &inner.a.plus(&inner.b.times(&z_by_inner))),
            ),
            stacked(&b1.plus(&b2.times(&w_by_u)), &inner.b.times(&z_by_u)),
            beside(&c1.plus(&d12.times(&w_by_x)), &d12.times(&w_by_inner)),
            d11.plus(&d12.times(&w_by_u)),
        ])
    }
}

impl Substitute {
    fn new(parts: &[Substitute]) -> Substitute {
        let blocks = |part: fn(&Substitute) -> &Matrix| diagonal(&parts.iter().map(part).collect::<Vec<_>>());
        Substitute {
            a: blocks(|part| &part.a),
            b: blocks(|part| &part.b),
            c: blocks(|part| &part.c),
            d: blocks(|part| &part.d),
        }
    }

    /// Padé forms `N(−sτ)/N(sτ)` of e^(−sτ), as many states each as the order, from 1, says (Baker, Graves-Morris: Padé
    /// Approximants, section 1.2).
    pub fn pade(seconds: &[f64], order: usize) -> Substitute {
        let parts: Vec<Substitute> = seconds.iter().map(|&seconds| pade(seconds, order)).collect();
        Substitute::new(&parts)
    }

    /// The last values of a signal, one per step of `delta` seconds, between which a delay is interpolated linearly.
    pub fn lines(seconds: &[f64], delta: f64) -> Substitute {
        let parts: Vec<Substitute> = seconds.iter().map(|&seconds| line(seconds / delta)).collect();
        Substitute::new(&parts)
    }

    /// The number of states of a line for a delay.
    pub fn line_length(seconds: f64, delta: f64) -> usize {
        // The conversion saturates.
        ((seconds / delta + 1e-9).floor() as usize).saturating_add(1)
    }
}

fn pade(seconds: f64, order: usize) -> Substitute {
    if seconds == 0.0 {
        let [a, b, c] = [(0, 0), (0, 1), (1, 0)].map(|(rows, columns)| Matrix::zero(rows, columns));
        return Substitute { a, b, c, d: Matrix::identity(1) };
    }
    let n = order as f64;
    let mut factors = vec![1.0];
    for k in 0..order {
        let power = k as f64;
        factors.push(factors[k] * (n - power) / ((2.0 * n - power) * (power + 1.0)));
    }
    // Times are scaled so that the factors of the lowest and the highest power are 1, and those between are near.
    let scale = Binary::Pow.value(factors[order], -1.0 / n);
    let mut power = 1.0;
    for factor in &mut factors {
        *factor *= power;
        power *= scale;
    }
    let sign = |power: usize| if power.is_multiple_of(2) { 1.0 } else { -1.0 };
    let rate = scale / seconds;
    let a = Matrix::from(order, order, |row, column| match (row + 1 == order, row + 1 == column) {
        (true, _) => -rate * factors[column],
        (false, true) => rate,
        (false, false) => 0.0,
    });
    Substitute {
        a,
        b: Matrix::from(order, 1, |row, _| if row + 1 == order { rate } else { 0.0 }),
        c: Matrix::from(1, order, |_, power| factors[power] * (sign(power) - sign(order))),
        d: Matrix::from(1, 1, |_, _| sign(order)),
    }
}

fn line(steps: f64) -> Substitute {
    let length = Substitute::line_length(steps, 1.0);
    let whole = length - 1;
    let part = (steps - whole as f64).max(0.0);
    let share = |age: usize| match age {
        age if age == whole => 1.0 - part,
        age if age == whole + 1 => part,
        _ => 0.0,
    };
    Substitute {
        a: Matrix::from(length, length, |row, column| f64::from(u8::from(row == column + 1))),
        b: Matrix::from(length, 1, |row, _| f64::from(u8::from(row == 0))),
        c: Matrix::from(1, length, |_, column| share(column + 1)),
        d: Matrix::from(1, 1, |_, _| share(0)),
    }
}

pub(super) fn beside(left: &Matrix, right: &Matrix) -> Matrix {
    Matrix::from(left.rows, left.columns + right.columns, |row, column| match column.checked_sub(left.columns) {
        None => left.at(row, column),
        Some(column) => right.at(row, column),
    })
}

pub(super) fn stacked(upper: &Matrix, lower: &Matrix) -> Matrix {
    Matrix::from(upper.rows + lower.rows, upper.columns, |row, column| match row.checked_sub(upper.rows) {
        None => upper.at(row, column),
        Some(row) => lower.at(row, column),
    })
}

fn diagonal(parts: &[&Matrix]) -> Matrix {
    let (rows, columns) = parts.iter().fold((0, 0), |sum, part| (sum.0 + part.rows, sum.1 + part.columns));
    let mut all = Matrix::zero(rows, columns);
    let (mut row, mut column) = (0, 0);
    for part in parts {
        for (at, value) in part.values.iter().enumerate() {
            all.set(row + at / part.columns.max(1), column + at % part.columns.max(1), *value);
        }
        (row, column) = (row + part.rows, column + part.columns);
    }
    all
}
