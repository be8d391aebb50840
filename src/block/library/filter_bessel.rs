//! Bessel (Thomson) prototypes: the most constant delay.
//!
//! The poles are the zeros of the reverse Bessel polynomial θₙ. Its coefficients and its recurrence determine them badly:
//! from order 20 on hardly a digit is right. As a function of Bessel functions each zero is well determined: with s = −t,
//! θₙ(s) is 0 where K(t) + (−1)ⁿπ·I(t) is, both of order n + ½ (NIST Digital Library of Mathematical Functions, sections
//! 10.34.2 and 10.39.2), so that ln(π·I/K) is an odd multiple of jπ for an even n, an even one for an odd n. The
//! derivative of that logarithm is 1/(t·I·K).

use std::f64::consts::{LN_2, PI};

use super::filter_design::{Prototype, Resonance};
use crate::block::Unary;
use crate::block::math::{Complex, ComplexMath};

/// Returns the prototype with poles scaled as `normalization` says: `phase`, `delay` or `magnitude`.
pub(super) fn bessel(order: u32, normalization: &str) -> Prototype {
    let poles = poles(order);
    let scale = match normalization {
        "delay" => 1.0,
        "magnitude" => 1.0 / half_power(&poles),
        // The product of all poles is 1.
        _ => {
            let logs = poles.iter().map(|pole| multiplicity(*pole) * Unary::Ln.value(pole.abs()));
            Unary::Exp.value(-logs.sum::<f64>() / f64::from(order))
        }
    };
    let resonances = poles.iter().map(|pole| Resonance { pole: *pole * scale, zero: None }).collect();
    Prototype { resonances, dc_gain: 1.0 }
}

/// How many poles one stands for.
fn multiplicity(pole: Complex) -> f64 {
    if pole.im == 0.0 { 1.0 } else { 2.0 }
}

/// Returns the poles of a delay of 1 s with an imaginary part of 0 or more, the farthest from the imaginary axis first.
fn poles(order: u32) -> Vec<Complex> {
    const MAX_ITERATIONS: usize = 50;
    let mut poles = Vec::new();
    // The zero of ln(π·I/K) on the real axis is near 0.6627 times the order of the Bessel functions.
    let mut t = Complex::new(0.6627 * (f64::from(order) + 0.5), 0.0);
    for multiple in ((order + 1) % 2..order).step_by(2) {
        let goal = Complex::new(0.0, PI * f64::from(multiple));
        let mut slope = Complex::new(1.0, 0.0);
        for _ in 0..MAX_ITERATIONS {
            let log;
            (log, slope) = log_ratio(order, t);
            let step = (log - goal).divided_by(slope);
            t -= step;
            if step.abs() <= f64::EPSILON * t.abs() {
                break;
            }
        }
        poles.push(Complex::new(-t.re, if multiple == 0 { 0.0 } else { t.im.abs() }));
        // Towards the next one.
        t += Complex::new(0.0, 2.0 * PI).divided_by(slope);
    }
    poles
}

/// Returns ln(π·I(t)/K(t)) of order n + ½ and its derivative, for a real part of t above 0.
fn log_ratio(order: u32, t: Complex) -> (Complex, Complex) {
    /// Where the continued fraction begins; the terms of the filter's orders are below ½ long before.
    const DEPTH: u32 = 60;
    let n = f64::from(order);
    let real = |value: f64| Complex::new(value, 0.0);
    // I of the next order divided by I, as a continued fraction.
    let next_i = (1..=DEPTH).rev().fold(real(0.0), |rest, term| {
        let own = real(2.0 * (n + 0.5 + f64::from(term))).divided_by(t);
        real(1.0).divided_by(own + rest)
    });
    // The reverse Bessel polynomials, each divided by the one before: all are far from 0 in this half plane.
    let square = t * t;
    let (mut ratio, mut log) = (t + real(1.0), Complex::new(0.0, 0.0));
    for index in 2..=order {
        log += ratio.natural_log();
        ratio = real(f64::from(2 * index - 1)) + square.divided_by(ratio);
    }
    log += ratio.natural_log();
    // K of the next order divided by K; K·I' − K'·I is 1/t.
    let next_k = (real(2.0 * n + 1.0) + square.divided_by(ratio)).divided_by(t);
    let sum = next_k + next_i;
    let value = real(LN_2) + t * 2.0 + t.natural_log() * (2.0 * n) - log * 2.0 - sum.natural_log();
    (value, sum)
}

/// Returns the frequency in rad/s at which half the power passes.
fn half_power(poles: &[Complex]) -> f64 {
    let loss = |frequency: f64| -> f64 {
        let one = |pole: &Complex| {
            let distances = (pole.re * pole.re + (frequency - pole.im) * (frequency - pole.im))
                * (pole.re * pole.re + (frequency + pole.im) * (frequency + pole.im));
            let log = Unary::Ln.value(distances / (pole.norm_sqr() * pole.norm_sqr()));
            log * multiplicity(*pole) / 2.0
        };
        poles.iter().map(one).sum::<f64>()
    };
    // The loss rises with the frequency. It is above 3 dB at the sum of all poles, which is far beyond.
    let (mut low, mut high) = (0.0, poles.iter().map(|pole| multiplicity(*pole) * pole.abs()).sum::<f64>());
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if loss(middle) < LN_2 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
