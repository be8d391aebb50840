//! Elliptic (Cauer) prototypes: equal ripple in both bands.
//!
//! Poles and zeros are values of Jacobi's elliptic functions, computed here as products of theta functions (Whittaker,
//! Watson: A Course of Modern Analysis, sections 21.3 and 22.1; NIST Digital Library of Mathematical Functions, sections
//! 20.5 and 22.2). All factors are positive, so that nothing cancels however close the edges of the two bands are, where
//! the modulus is almost 1. The design is that of S. J. Orfanidis: Lecture Notes on Elliptic Filter Design, 2006.

use std::f64::consts::{FRAC_PI_2, PI};

use super::filter_design::{Prototype, Resonance, gain_of_loss, quarters, ripple_factor};
use crate::block::Unary;
use crate::block::math::Complex;

/// Returns the prototype with these losses in dB, at most in the passband and at least in the stopband.
pub(super) fn elliptic(order: u32, ripple: f64, attenuation: f64) -> Prototype {
    let factor = ripple_factor(ripple);
    // The modulus that gives both ripples, the smaller the farther they differ.
    let ripples = factor / ripple_factor(attenuation);
    let complement = ((1.0 - ripples) * (1.0 + ripples)).sqrt();
    // The degree equation N·K'/K = K₁'/K₁ in terms of nomes: the nome of the filter is the root of order N.
    let nome_log = -PI * mean(1.0, complement) / mean(1.0, ripples) / f64::from(order);
    let filter = Theta { nome_log };
    let other = Theta { nome_log: PI * PI / nome_log };
    let (sn_i, cn_i, dn_i) = other.functions(depth(factor, ripples));
    let resonances = quarters(order).map(|quarters| {
        // sn, cn and dn of K − u: sn(K − u) is cd(u).
        let (sn, cn, dn) = filter.functions(FRAC_PI_2 - quarters * FRAC_PI_2);
        // sn(K − u + jv) of the sum of arguments, times j.
        let below = cn_i * cn_i + square(filter.modulus() * sn * sn_i);
        Resonance {
            pole: Complex::new(-cn * dn * sn_i * cn_i / below, sn * dn_i / below),
            zero: (sn != 0.0).then(|| 1.0 / (filter.modulus() * sn)),
        }
    });
    let dc_gain = if order.is_multiple_of(2) { gain_of_loss(ripple) } else { 1.0 };
    Prototype { resonances: resonances.collect(), dc_gain }
}

fn square(value: f64) -> f64 {
    value * value
}

/// Returns the arithmetic-geometric mean of two numbers above 0.
fn mean(mut a: f64, mut b: f64) -> f64 {
    // It converges quadratically, from any ratio.
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Returns how far the poles are from the axis, as the argument of theta functions of the complementary nome: u·π/2K' for
/// the u with sc(u) = 1/ε and the modulus complementary to `ripples`. It is the limit of Gauss's descending
/// transformation (Abramowitz, Stegun: Handbook of Mathematical Functions, section 17.6.8).
fn depth(factor: f64, ripples: f64) -> f64 {
    let (mut a, mut b, mut angle, mut scale) = (1.0, ripples, libm::atan(1.0 / factor), 1.0);
    for _ in 0..40 {
        let added = libm::atan2(b * libm::sin(angle), a * libm::cos(angle));
        // The added angle is within a quarter turn of the angle itself.
        let turns = libm::round((angle - added) / (2.0 * PI));
        angle += added + turns * (2.0 * PI);
        scale *= 0.5;
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        if a - b <= f64::EPSILON * a {
            break;
        }
    }
    angle * scale
}

/// The theta functions of a nome q from 0 to 1, given by its logarithm.
struct Theta {
    nome_log: f64,
}

/// Factors whose power of the nome is below this change nothing.
const SMALLEST: f64 = -45.0;

impl Theta {
    /// Returns the powers of the nome, each with its difference from 1: even or odd ones, from `first` on.
    fn powers(&self, first: u32) -> impl Iterator<Item = (f64, f64)> {
        let nome_log = self.nome_log;
        let logs = (first..).step_by(2).map(move |number| f64::from(number) * nome_log);
        let logs = logs.take_while(|log| *log > SMALLEST);
        logs.map(|log| (Unary::Exp.value(log), -libm::expm1(log)))
    }

    /// Returns θ₁(z) to θ₄(z) without the factor Π(1 − q²ᵐ), and the first two without 2·q^¼ as well.
    fn values(&self, z: f64) -> [f64; 4] {
        let (sine, cosine) = (Unary::Sin.value(z), Unary::Cos.value(z));
        // 1 ∓ 2x·cos 2z + x² without a difference of large terms.
        let product = |first: u32, part: f64| {
            self.powers(first).fold(1.0, |product, (x, rest)| product * (rest * rest + 4.0 * x * part * part))
        };
        [sine * product(2, sine), cosine * product(2, cosine), product(1, cosine), product(1, sine)]
    }

    /// Returns sn, cn and dn of the argument 2K·z/π.
    fn functions(&self, z: f64) -> (f64, f64, f64) {
        let [_, zero_2, zero_3, zero_4] = self.values(0.0);
        let [one, two, three, four] = self.values(z);
        (zero_3 * one / (zero_2 * four), zero_4 * two / (zero_2 * four), zero_4 * three / (zero_3 * four))
    }

    /// Returns the modulus k.
    fn modulus(&self) -> f64 {
        let [_, two, three, _] = self.values(0.0);
        4.0 * Unary::Exp.value(0.5 * self.nome_log) * square(two / three)
    }
}
