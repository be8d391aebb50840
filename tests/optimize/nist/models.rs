//! The models of the problems, as NIST writes them.

use std::f64::consts::PI;

use super::dual::Dual;

/// Returns the value of the model of a problem with parameters `b` at `x`.
pub fn value(name: &str, b: &[Dual], x: [f64; 2]) -> Dual {
    let [x, second] = x;
    let decay = |index: usize| (b[index] * -x).exp();
    let sum = |terms: &[Dual]| terms.iter().copied().reduce(|sum, term| sum + term).expect("a term");
    let bell = |first: usize| {
        let off = (b[first + 1] * -1.0 + x) / b[first + 2];
        b[first] * (off * off * -1.0).exp()
    };
    // The period of this parameter with its amplitudes.
    let wave = |period: usize| {
        let angle = b[period].inverse() * (2.0 * PI * x);
        b[period + 1] * angle.cos() + b[period + 2] * angle.sin()
    };
    let polynomial =
        |first: usize, count: usize| (0..count).rev().fold(b[0] * 0.0, |sum, power| sum * x + b[first + power]);
    match name {
        "Bennett5" => b[0] * ((b[1] + x).ln() / b[2] * -1.0).exp(),
        "BoxBOD" | "Misra1a" => b[0] * (decay(1) * -1.0 + 1.0),
        "Chwirut1" | "Chwirut2" => decay(0) / (b[1] + b[2] * x),
        "DanWood" => b[0] * (b[1] * x.ln()).exp(),
        "Eckerle4" => {
            let off = (b[2] * -1.0 + x) / b[1];
            b[0] / b[1] * (off * off * -0.5).exp()
        }
        "ENSO" => {
            let year = 2.0 * PI * x / 12.0;
            sum(&[b[0], b[1] * year.cos(), b[2] * year.sin(), wave(3), wave(6)])
        }
        "Gauss1" | "Gauss2" | "Gauss3" => sum(&[b[0] * decay(1), bell(2), bell(5)]),
        "Hahn1" | "Thurber" => polynomial(0, 4) / (polynomial(4, 3) * x + 1.0),
        "Kirby2" => polynomial(0, 3) / (polynomial(3, 2) * x + 1.0),
        "Lanczos1" | "Lanczos2" | "Lanczos3" => sum(&[b[0] * decay(1), b[2] * decay(3), b[4] * decay(5)]),
        "MGH09" => b[0] * (b[1] * x + x * x) / (b[2] * x + b[3] + x * x),
        "MGH10" => b[0] * (b[1] / (b[2] + x)).exp(),
        "MGH17" => sum(&[b[0], b[1] * decay(3), b[2] * decay(4)]),
        "Misra1b" => b[0] * ((b[1] * (x / 2.0) + 1.0).powf(-2.0) * -1.0 + 1.0),
        "Misra1c" => b[0] * ((b[1] * (2.0 * x) + 1.0).powf(-0.5) * -1.0 + 1.0),
        "Misra1d" => b[0] * b[1] * x / (b[1] * x + 1.0),
        "Nelson" => b[0] - b[1] * x * (b[2] * -second).exp(),
        "Rat42" => b[0] / ((b[1] - b[2] * x).exp() + 1.0),
        "Rat43" => b[0] / (((b[1] - b[2] * x).exp() + 1.0).ln() / b[3]).exp(),
        "Roszman1" => b[0] - b[1] * x - (b[2] / (b[3] * -1.0 + x)).atan() * (1.0 / PI),
        other => panic!("no model {other}"),
    }
}
