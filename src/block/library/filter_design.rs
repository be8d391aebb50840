//! Low-pass prototypes of the classical filters, by poles and zeros, and the parameters of the blocks that design one.
//!
//! A prototype has its edge at 1 rad/s. It is never multiplied out: each pole stays with its zero, so that filters of
//! high order are as exact as each of their sections. [`super::filter_bands`] makes the sections of a band of it.

use std::f64::consts::{FRAC_PI_2, LN_10};

use super::filter_bands::Band;
use super::filter_bessel::bessel;
use super::filter_elliptic::elliptic;
use crate::block::math::Complex;
use crate::block::{Builder, ParamDef, Settings, Unary};

/// A pole of a prototype that stands for itself and its conjugate, or a real one, and its zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Resonance {
    /// With an imaginary part of 0 or more.
    pub pole: Complex,
    /// The positive of two zeros on the imaginary axis; none if they are at infinity.
    pub zero: Option<f64>,
}

/// A low-pass filter with its edge at 1 rad/s.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prototype {
    /// The farthest from the imaginary axis first, which are the flattest.
    pub resonances: Vec<Resonance>,
    pub dc_gain: f64,
}

impl Prototype {
    fn all_pole(poles: impl Iterator<Item = Complex>, dc_gain: f64) -> Prototype {
        Prototype { resonances: poles.map(|pole| Resonance { pole, zero: None }).collect(), dc_gain }
    }

    /// The prototype that the settings describe; records an error if they contradict each other.
    pub fn of(b: &Builder) -> Prototype {
        let settings = b.settings();
        let (ripple, attenuation) = (settings.number("Passband Ripple"), settings.number("Stopband Attenuation"));
        let order = settings.integer("Order") as u32;
        match settings.choice("Design") {
            "Chebyshev I" => chebyshev(order, ripple),
            "Chebyshev II" => inverse_chebyshev(order, attenuation),
            "elliptic" if attenuation > ripple => elliptic(order, ripple, attenuation),
            "elliptic" => {
                b.refuse("Stopband Attenuation", "it must be above the passband ripple");
                butterworth(order)
            }
            "Bessel" => bessel(order, settings.choice("Bessel Normalization")),
            _ => butterworth(order),
        }
    }
}

/// The parameters of the blocks that design a filter.
pub(super) const DESIGN: ParamDef = ParamDef::choice(
    "Design",
    &["Butterworth", "Chebyshev I", "Chebyshev II", "elliptic", "Bessel"],
)
.doc(
    "Butterworth: maximally flat; Chebyshev I: equal ripple in the passband; Chebyshev II: in the stopband; elliptic: \
         in both, with the steepest edge; Bessel: the most constant delay",
);
pub(super) const TYPE: ParamDef =
    ParamDef::choice("Type", &["low pass", "high pass", "band pass", "band stop"]).doc("Which frequencies pass");
pub(super) const ORDER: ParamDef =
    ParamDef::integer("Order", 4, 1, 50).doc("The order n; a band filter has this order at each edge");
pub(super) const FREQUENCY: ParamDef = ParamDef::number("Frequency", &[1.0]).above_zero(1e12).fixed().unit("Hz").doc(
    "The edge, of a band the lower one; at it a Butterworth filter has −3.01 dB, a Chebyshev I or elliptic one the \
     passband ripple, and a Chebyshev II one the stopband attenuation",
);
pub(super) const UPPER: ParamDef =
    ParamDef::number("Upper Frequency", &[10.0]).above_zero(1e12).fixed().unit("Hz").doc("The upper edge of a band");
pub(super) const RIPPLE: ParamDef = ParamDef::number("Passband Ripple", &[1.0])
    .between(1e-9, 100.0)
    .fixed()
    .unit("dB")
    .doc("The greatest loss in the passband, of a Chebyshev I or elliptic filter");
pub(super) const ATTENUATION: ParamDef = ParamDef::number("Stopband Attenuation", &[40.0])
    .between(1e-9, 300.0)
    .fixed()
    .unit("dB")
    .doc("The least loss in the stopband, of a Chebyshev II or elliptic filter");
pub(super) const NORMALIZATION: ParamDef =
    ParamDef::choice("Bessel Normalization", &["phase", "delay", "magnitude"]).doc(
        "The meaning of the edge of a Bessel filter: far above it the magnitude is that of a Butterworth filter (phase), \
         the delay at 0 Hz is 1/ω (delay), or the loss there is 3.01 dB (magnitude)",
    );

/// Returns the band that the settings describe, with each edge converted by `edge` from Hz; records an error if the edges
/// are in the wrong order.
pub(super) fn band(b: &Builder, edge: impl Fn(f64) -> f64) -> Band {
    let settings = b.settings();
    let low = edge(settings.number("Frequency"));
    if !is_band(settings) {
        return if settings.choice("Type") == "high pass" { Band::High(low) } else { Band::Low(low) };
    }
    let high = edge(settings.number("Upper Frequency"));
    if low >= high {
        b.refuse("Upper Frequency", "it must be above the lower frequency");
    }
    if settings.choice("Type") == "band stop" { Band::Stop { low, high } } else { Band::Pass { low, high } }
}

/// Whether the type has two edges.
pub(super) fn is_band(settings: &Settings) -> bool {
    settings.choice("Type").starts_with("band")
}

/// Returns the number ε of which a loss in dB is 10·log₁₀(1 + ε²).
pub(super) fn ripple_factor(decibels: f64) -> f64 {
    libm::expm1(decibels * LN_10 / 10.0).sqrt()
}

/// Returns the gain that is a loss in dB.
pub(super) fn gain_of_loss(decibels: f64) -> f64 {
    Unary::Exp.value(-decibels * LN_10 / 20.0)
}

/// Returns the angles of a prototype of this order in quarter turns: those of its resonances seen from the imaginary axis,
/// the greatest first, which is 1 for the real pole of an odd order.
pub(super) fn quarters(order: u32) -> impl Iterator<Item = f64> {
    (1..=order.div_ceil(2)).rev().map(move |number| f64::from(2 * number - 1) / f64::from(order))
}

/// Returns sine and cosine of an angle in quarter turns from 0 to 1; the cosine of 1 is exactly 0.
fn sine_and_cosine(quarters: f64) -> (f64, f64) {
    let angle = quarters * FRAC_PI_2;
    (Unary::Sin.value(angle), if quarters == 1.0 { 0.0 } else { Unary::Cos.value(angle) })
}

pub(super) fn butterworth(order: u32) -> Prototype {
    let pole = |quarters| {
        let (sine, cosine) = sine_and_cosine(quarters);
        Complex::new(-sine, cosine)
    };
    Prototype::all_pole(quarters(order).map(pole), 1.0)
}

/// Returns the poles on an ellipse: those of a Butterworth filter, stretched.
fn on_ellipse(order: u32, factor: f64) -> impl Iterator<Item = (Complex, f64)> {
    let size = Unary::Asinh.value(factor) / f64::from(order);
    let (width, height) = (Unary::Sinh.value(size), Unary::Cosh.value(size));
    quarters(order).map(move |quarters| {
        let (sine, cosine) = sine_and_cosine(quarters);
        (Complex::new(-width * sine, height * cosine), cosine)
    })
}

/// Of a Chebyshev polynomial in the denominator (Parks, Burrus: Digital Filter Design, section 7.2.3).
fn chebyshev(order: u32, ripple: f64) -> Prototype {
    // An even order has the passband's least gain at 0 Hz.
    let dc_gain = if order.is_multiple_of(2) { gain_of_loss(ripple) } else { 1.0 };
    Prototype::all_pole(on_ellipse(order, 1.0 / ripple_factor(ripple)).map(|(pole, _)| pole), dc_gain)
}

/// The same with the frequency inverted and the bands exchanged (Parks, Burrus: Digital Filter Design, section 7.2.4).
fn inverse_chebyshev(order: u32, attenuation: f64) -> Prototype {
    let inverted = |(pole, cosine): (Complex, f64)| Resonance {
        pole: pole / pole.norm_sqr(),
        zero: (cosine != 0.0).then(|| 1.0 / cosine),
    };
    let resonances = on_ellipse(order, ripple_factor(attenuation)).map(inverted).collect();
    Prototype { resonances, dc_gain: 1.0 }
}
