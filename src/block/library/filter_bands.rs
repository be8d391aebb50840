//! The sections of a band made of a low-pass prototype, continuous or discrete (Oppenheim, Schafer: Discrete-Time Signal
//! Processing, section 7.1 and appendix B).

use super::filter_design::{Prototype, Resonance};
use super::roots::Section;
use crate::block::math::{Complex, ComplexMath};

/// Which frequencies pass; edges in rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Band {
    Low(f64),
    High(f64),
    Pass { low: f64, high: f64 },
    Stop { low: f64, high: f64 },
}

/// Returns sections of first and second order, the first with the gain of the prototype.
///
/// Their order is that of the resonances with the bits of their numbers reversed, so that sharp and flat ones alternate
/// on every scale. Rounding errors of one section are amplified by all that follow: in a Chebyshev filter of order 50, by
/// 10¹² from the flattest to the sharpest, but by 10³ in this order.
pub(super) fn sections(prototype: &Prototype, band: Band) -> Vec<Section> {
    let resonances = &prototype.resonances;
    let bits = resonances.len().next_power_of_two().trailing_zeros();
    let reversed = (0..1u32 << bits).map(|number| number.reverse_bits().checked_shr(u32::BITS - bits).unwrap_or(0));
    let ordered = reversed.filter_map(|number| resonances.get(number as usize));
    let mut sections: Vec<Section> = ordered.flat_map(|resonance| of_resonance(*resonance, band)).collect();
    if let Some((numerator, _)) = sections.first_mut() {
        numerator.iter_mut().for_each(|value| *value *= prototype.dc_gain);
    }
    sections
}

/// Returns the sections of one resonance, each with the gain 1 where the prototype has that of 0 Hz.
fn of_resonance(Resonance { pole, zero }: Resonance, band: Band) -> Vec<Section> {
    let is_real = pole.im == 0.0;
    let size = pole.abs();
    let quadratic = |root: Complex| vec![1.0, -2.0 * root.re, root.norm_sqr()];
    match band {
        Band::Low(edge) if is_real => vec![(vec![0.0, size * edge], vec![1.0, size * edge])],
        Band::Low(edge) => {
            let denominator = quadratic(pole * edge);
            let numerator = match zero {
                Some(zero) => vec![square(size / zero), 0.0, square(size * edge)],
                None => vec![0.0, 0.0, denominator[2]],
            };
            vec![(numerator, denominator)]
        }
        Band::High(edge) if is_real => vec![(vec![1.0, 0.0], vec![1.0, edge / size])],
        Band::High(edge) => {
            let constant = zero.map_or(0.0, |zero| square(edge / zero));
            vec![(vec![1.0, 0.0, constant], quadratic(pole * (edge / (size * size))))]
        }
        Band::Pass { low, high } => {
            let (width, centre) = (high - low, low * high);
            if is_real {
                return vec![(vec![0.0, size * width, 0.0], vec![1.0, size * width, centre])];
            }
            let numerators = match zero {
                Some(zero) => {
                    let factor = size / zero;
                    zeros(0.5 * zero * width, centre).map(|square| vec![factor, 0.0, factor * square])
                }
                None => [vec![0.0, size * width, 0.0], vec![0.0, size * width, 0.0]],
            };
            let poles = split(pole * (0.5 * width), centre.sqrt());
            numerators.into_iter().zip(poles.map(quadratic)).collect()
        }
        Band::Stop { low, high } => {
            let (width, centre) = (high - low, low * high);
            if is_real {
                return vec![(vec![1.0, 0.0, centre], vec![1.0, width / size, centre])];
            }
            let squares = zero.map_or([centre; 2], |zero| zeros(0.5 * width / zero, centre));
            let poles = split(pole.conj() * (0.5 * width / (size * size)), centre.sqrt());
            squares.into_iter().map(|square| vec![1.0, 0.0, square]).zip(poles.map(quadratic)).collect()
        }
    }
}

fn square(value: f64) -> f64 {
    value * value
}

/// Returns the squares of the two frequencies of zeros, half·(±1) + √(half² + centre), the upper one first.
fn zeros(half: f64, centre: f64) -> [f64; 2] {
    let upper = half + libm::hypot(half, centre.sqrt());
    [square(upper), square(centre / upper)]
}

/// Returns the roots of s² − 2·half·s + centre², the one of larger size first.
fn split(half: Complex, centre: f64) -> [Complex; 2] {
    let root = square_root((half - centre) * (half + centre));
    // The sum of two numbers on the same side, so that no digits cancel; the product of both roots is centre².
    let is_same_side = half.re * root.re + half.im * root.im >= 0.0;
    let larger = if is_same_side { half + root } else { half - root };
    [larger, Complex::new(centre * centre, 0.0).divided_by(larger)]
}

/// Returns a square root both of whose parts are exact to the last digits, also where one is far smaller than the other:
/// the damping of a narrow band.
fn square_root(of: Complex) -> Complex {
    let larger = (0.5 * (libm::hypot(of.re, of.im) + of.re.abs())).sqrt();
    if larger == 0.0 {
        return of;
    }
    let smaller = of.im / (2.0 * larger);
    if of.re >= 0.0 { Complex::new(larger, smaller) } else { Complex::new(smaller, larger) }
}

/// Returns the discrete section of a continuous one by the bilinear transformation s = (z − 1)/(z + 1), in powers of 1/z,
/// the constant first, with the first coefficient of the denominator 1.
pub(super) fn bilinear((numerator, denominator): &Section) -> Section {
    let transformed = |polynomial: &[f64]| match polynomial {
        [first, last] => vec![first + last, last - first],
        [first, middle, last] => vec![first + middle + last, 2.0 * (last - first), first - middle + last],
        other => other.to_vec(),
    };
    let (above, below) = (transformed(numerator), transformed(denominator));
    let lead = below[0];
    let scaled = |polynomial: Vec<f64>| polynomial.into_iter().map(|value| value / lead).collect();
    (scaled(above), scaled(below))
}
