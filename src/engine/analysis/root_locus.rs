//! The root locus of a channel: the poles of the loop that a negative feedback with a gain closes about it.

use super::channel::Channel;
use crate::block::math::{Complex, ComplexMath, Matrix, eigenvalues, power_of_ten};

/// The roots of `1 + k·L = 0` for rising gains `k` from 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct RootLocus {
    pub gains: Vec<f64>,
    /// For each pole of the open loop the root that begins there, at each gain. A root that passes through infinity, or
    /// is very far away, is not-a-number.
    pub branches: Vec<Vec<Complex>>,
    /// How far from the middle of the plane (0, or 1 for a discrete system) the roots are of interest.
    pub reach: f64,
}

/// The roots at one gain, in the order of the branches.
struct Roots {
    gain: f64,
    roots: Vec<Complex>,
}

/// More states would take too long.
const MAX_STATES: usize = 150;
/// Gains for each decade before any are added.
const PER_DECADE: f64 = 6.0;
/// How far the gains go beyond those at which the loop has the gain 1 somewhere, as a power of ten.
const BEYOND: f64 = 3.0;
/// A root moves from gain to gain by this part of its distance from the middle of the plane at most.
const STEP: f64 = 0.03;
/// A root that is of interest moves by this part of the reach at most.
const STEP_OF_REACH: f64 = 0.01;
/// Roots farther than this, in reaches, are left out.
const FAR: f64 = 100.0;
/// Neighbours whose gains differ by less than this factor are close enough in any case: two roots that meet part at once.
const CLOSE: f64 = 1.0 + 1e-5;

impl Channel {
    /// Returns the poles of the loop that is closed with a negative feedback of this gain, sorted by real part; `None`
    /// if they are not found, or one is at infinity.
    pub fn closed_poles(&self, gain: f64) -> Option<Vec<Complex>> {
        let factor = gain / (1.0 + gain * self.d);
        if !factor.is_finite() {
            return None;
        }
        let size = self.a.rows;
        eigenvalues(&Matrix::from(size, size, |row, column| {
            self.a.at(row, column) - self.b.at(row, 0) * factor * self.c.at(0, column)
        }))
    }

    /// Computes the root locus. The steps of the gain are as narrow as the roots need. `None` without states, or if
    /// there are too many of them, the input does not reach the output, or the poles are not found.
    pub fn root_locus(&self) -> Option<RootLocus> {
        let (poles, zeros) = (self.poles.as_ref()?, self.zeros.as_ref()?);
        if poles.is_empty() || poles.len() > MAX_STATES {
            return None;
        }
        let middle = Complex::from(if self.period.is_some() { 1.0 } else { 0.0 });
        let distances = || poles.iter().chain(zeros).map(|root| (*root - middle).abs()).filter(|size| *size > 0.0);
        let farthest = distances().fold(0.0, f64::max);
        let (low, high) = self.span();
        let size = match (farthest > 0.0, self.period) {
            (true, _) => farthest,
            (false, None) => (low * high).sqrt(),
            (false, Some(_)) => 1.0,
        };
        let reach = 1.6 * size;
        let nearest = distances().fold(size, f64::min);
        let mut all = vec![Roots { gain: 0.0, roots: poles.clone() }];
        all.extend(
            self.first_gains().into_iter().filter_map(|gain| Some(Roots { gain, roots: self.closed_poles(gain)? })),
        );
        // The work for the roots at one gain grows with the cube of their number.
        let most = (40_000_000 / (10 * poles.len().pow(3))).clamp(200, 3000);
        let is_near = |one: &Roots, other: &Roots| {
            one.roots.iter().zip(&other.roots).all(|(from, to)| {
                let (near, far) = ((*from - middle).abs(), (*to - middle).abs());
                let distance = near.min(far);
                let limit = STEP * distance.max(0.2 * nearest);
                let limit = if distance <= reach { limit.min(STEP_OF_REACH * reach) } else { limit };
                distance > FAR * size || (*to - *from).abs() <= limit
            })
        };
        loop {
            for index in 1..all.len() {
                let (before, rest) = all.split_at_mut(index);
                if let (Some(before), Some(next)) = (before.last(), rest.first_mut()) {
                    next.roots = in_order(&before.roots, &next.roots);
                }
            }
            let mut between = Vec::new();
            for pair in all.windows(2) {
                let [one, other] = pair else { continue };
                let gain = if one.gain == 0.0 { other.gain / 10.0 } else { (one.gain * other.gain).sqrt() };
                let is_close = one.gain > 0.0 && other.gain / one.gain < CLOSE || gain < 1e-300;
                if !is_close && !is_near(one, other) {
                    between.extend(self.closed_poles(gain).map(|roots| Roots { gain, roots }));
                }
            }
            if between.is_empty() || all.len() > most {
                break;
            }
            all.extend(between);
            all.sort_by(|one, other| one.gain.total_cmp(&other.gain));
        }
        let branch = |number: usize| {
            let roots = all.iter().filter_map(|roots| roots.roots.get(number).copied());
            let is_shown = |root: &Complex| (*root - middle).abs() <= FAR * size;
            roots.map(|root| if is_shown(&root) { root } else { Complex::new(f64::NAN, f64::NAN) }).collect()
        };
        let branches = (0..poles.len()).map(branch).collect();
        Some(RootLocus { gains: all.iter().map(|roots| roots.gain).collect(), branches, reach })
    }

    /// Returns evenly spread gains about those at which the loop has the gain 1 at some frequency.
    fn first_gains(&self) -> Vec<f64> {
        let (from, to) = self.span();
        let sizes = self.frequency_response(from, to, 60).into_iter().map(|point| -point.decibels() / 20.0);
        let sizes = sizes.filter(|size| size.is_finite() && size.abs() < 100.0);
        let (low, high) = sizes.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return Vec::new();
        }
        let (low, high) = (low - BEYOND, high + BEYOND);
        let count = ((high - low) * PER_DECADE).ceil() as u32;
        (0..=count).map(|number| power_of_ten(low + (high - low) * f64::from(number) / f64::from(count))).collect()
    }
}

/// Returns roots in the order of those before: again and again the two that are closest to each other belong together.
fn in_order(before: &[Complex], roots: &[Complex]) -> Vec<Complex> {
    let count = before.len();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::with_capacity(count * count);
    for (one, from) in before.iter().enumerate() {
        pairs.extend(roots.iter().enumerate().map(|(other, to)| ((*to - *from).norm_sqr(), one, other)));
    }
    pairs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).then(one.2.cmp(&other.2)));
    let mut found = vec![None; count];
    let mut is_taken = vec![false; roots.len()];
    for (_, one, other) in pairs {
        if found[one].is_none() && !is_taken[other] {
            found[one] = roots.get(other).copied();
            is_taken[other] = true;
        }
    }
    found.into_iter().zip(before).map(|(root, before)| root.unwrap_or(*before)).collect()
}
