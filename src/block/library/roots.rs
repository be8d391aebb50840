//! Systems given by their zeros and poles, as a cascade of sections of first and second order.
//!
//! Polynomials of high order are not multiplied out: their roots move by far more than the rounding of their coefficients
//! (Wilkinson: The perfidious polynomial, 1984).

use crate::block::Builder;
use crate::block::limits::MAX_COEFFICIENTS;
use crate::block::math::Complex;

/// Why a text is not a list of poles or zeros.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum RootsError {
    #[error("too large: at most {MAX_COEFFICIENTS} are allowed")]
    TooMany,
    #[error("“{0}” is not a number such as -1, 2i, -1+2i or -1±2i")]
    NotANumber(String),
    #[error("complex roots must come in conjugate pairs, such as -1±2i")]
    Unpaired,
}

/// Reads poles or zeros: `-1`, `2i`, `-1+2i`, `-1±2i`, separated by spaces, commas or semicolons.
fn read_roots(text: &str) -> Result<Vec<Complex>, RootsError> {
    let words = text.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty());
    let mut roots = Vec::new();
    for word in words {
        if roots.len() > MAX_COEFFICIENTS {
            return Err(RootsError::TooMany);
        }
        let wrong = || RootsError::NotANumber(word.to_owned());
        let finite = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(wrong);
        let Some(body) = word.strip_suffix(['i', 'j']) else {
            roots.push(Complex::new(finite(word)?, 0.0));
            continue;
        };
        // The sign between the two parts is neither the first nor that of an exponent.
        let parts_at = body.char_indices().rev().find(|&(at, sign)| {
            matches!(sign, '+' | '-' | '±') && !body[..at].ends_with(['e', 'E']) && (at > 0 || sign == '±')
        });
        let (real, imaginary) = body.split_at(parts_at.map_or(0, |(at, _)| at));
        let re = if real.is_empty() { 0.0 } else { finite(real)? };
        let size = |text: &str| if text.is_empty() { Ok(1.0) } else { finite(text) };
        match imaginary.strip_prefix('±') {
            Some(text) => {
                let im = size(text)?;
                roots.extend([Complex::new(re, im), Complex::new(re, -im)]);
            }
            None => {
                let im = match imaginary {
                    "-" => -1.0,
                    text => size(text.strip_prefix('+').unwrap_or(text))?,
                };
                roots.push(Complex::new(re, im));
            }
        }
    }
    Ok(roots)
}

/// Roots without their conjugates: of a pair the one with the positive imaginary part.
#[derive(Default)]
struct Roots {
    pairs: Vec<Complex>,
    real: Vec<f64>,
}

impl Roots {
    /// Returns none if complex roots are not in conjugate pairs.
    fn of(mut roots: Vec<Complex>) -> Option<Roots> {
        let mut found = Roots::default();
        while let Some(root) = roots.pop() {
            if root.im == 0.0 {
                found.real.push(root.re);
                continue;
            }
            let other = roots.iter().position(|other| other.re == root.re && other.im == -root.im)?;
            roots.swap_remove(other);
            found.pairs.push(Complex::new(root.re, root.im.abs()));
        }
        Some(found)
    }

    fn count(&self) -> usize {
        2 * self.pairs.len() + self.real.len()
    }
}

fn roots_of(b: &Builder, param: &'static str) -> Roots {
    let roots = read_roots(b.settings().text(param));
    roots.and_then(|roots| Roots::of(roots).ok_or(RootsError::Unpaired)).unwrap_or_else(|error| {
        b.refuse(param, error.to_string());
        Roots::default()
    })
}

/// A section: numerator and denominator of equal length, highest power first, with a first coefficient of 1 in the
/// denominator.
pub(super) type Section = (Vec<f64>, Vec<f64>);

/// Where poles are, seen from the boundary of stability.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plane {
    /// The boundary is the imaginary axis.
    Continuous,
    /// The boundary is the unit circle.
    Discrete,
}

impl Plane {
    /// Returns how far a pole is from the boundary of stability; of a continuous one as a part of its size.
    fn distance(self, pole: Complex) -> f64 {
        let size = pole.re.hypot(pole.im);
        match self {
            Plane::Continuous if size == 0.0 => 0.0,
            Plane::Continuous => (pole.re / size).abs(),
            Plane::Discrete => (1.0 - size).abs(),
        }
    }
}

/// Returns the sections of the system that the parameters `Zeros`, `Poles` and `Gain` describe, the first with the gain;
/// none after an error, which is recorded. Poles come in the order of their distance from the boundary of stability, the
/// farthest first, each with the zeros that are nearest to it (Oppenheim, Schafer: Discrete-Time Signal Processing,
/// section 6.9; `zpk2sos` of SciPy).
pub(super) fn sections_param(b: &Builder, plane: Plane) -> Option<Vec<Section>> {
    let (zeros, poles) = (roots_of(b, "Zeros"), roots_of(b, "Poles"));
    if zeros.count() > poles.count() {
        b.refuse("Zeros", "there are more zeros than poles");
        return None;
    }
    Some(sections(zeros, poles, b.settings().number("Gain"), plane))
}

/// The roots of a section.
struct Group {
    poles: Vec<Complex>,
    zeros: Vec<Complex>,
    /// How many more zeros fit.
    room: usize,
}

fn sections(zeros: Roots, mut poles: Roots, gain: f64, plane: Plane) -> Vec<Section> {
    let group = |poles: Vec<Complex>| Group { room: poles.len(), poles, zeros: Vec::new() };
    let mut groups: Vec<Group> =
        poles.pairs.iter().map(|pole| group(vec![*pole, Complex::new(pole.re, -pole.im)])).collect();
    poles.real.sort_by(f64::total_cmp);
    groups.extend(poles.real.chunks(2).map(|real| group(real.iter().map(|re| Complex::new(*re, 0.0)).collect())));
    let distance = |group: &Group| group.poles.iter().map(|pole| plane.distance(*pole)).fold(f64::INFINITY, f64::min);
    groups.sort_by(|one, other| distance(other).total_cmp(&distance(one)));

    let mut give = |zeros: &[Complex]| {
        let Some(&zero) = zeros.first() else { return };
        let away =
            |group: &Group| group.poles.iter().map(|pole| (*pole - zero).norm_sqr()).fold(f64::INFINITY, f64::min);
        let fitting = groups.iter_mut().filter(|group| group.room >= zeros.len());
        if let Some(nearest) = fitting.min_by(|one, other| away(one).total_cmp(&away(other))) {
            nearest.zeros.extend(zeros);
            nearest.room -= zeros.len();
        }
    };
    // Pairs first: they need a section of second order to themselves. There are as many as pairs of zeros, since there
    // are not more zeros than poles.
    zeros.pairs.iter().for_each(|zero| give(&[*zero, Complex::new(zero.re, -zero.im)]));
    zeros.real.iter().for_each(|zero| give(&[Complex::new(*zero, 0.0)]));

    let mut sections: Vec<Section> = groups
        .iter()
        .map(|group| {
            let denominator = polynomial(&group.poles);
            let mut numerator = vec![0.0; group.room];
            numerator.extend(polynomial(&group.zeros));
            (numerator, denominator)
        })
        .collect();
    match sections.first_mut() {
        Some((numerator, _)) => numerator.iter_mut().for_each(|value| *value *= gain),
        None => sections.push((vec![gain], vec![1.0])),
    }
    sections
}

/// Returns the polynomial with at most two roots, real or conjugate, highest power first.
fn polynomial(roots: &[Complex]) -> Vec<f64> {
    match roots {
        [] => vec![1.0],
        [root] => vec![1.0, -root.re],
        [one, other, ..] if one.im == 0.0 => vec![1.0, -one.re - other.re, one.re * other.re],
        [one, ..] => vec![1.0, -2.0 * one.re, one.re * one.re + one.im * one.im],
    }
}
