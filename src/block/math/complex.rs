//! Complex numbers with elementary functions of [`super`], so that every machine computes the same bits.

use super::{Binary, Unary};

pub use num_complex::Complex64 as Complex;

/// Functions of complex numbers besides the arithmetic of `num_complex`, whose own functions depend on the machine.
pub trait ComplexMath: Sized {
    /// Returns the number of absolute value 1 at an angle in radians.
    fn on_unit_circle(angle: f64) -> Self;

    fn abs(self) -> f64;

    /// Returns the argument in radians, from -π to π.
    fn angle(self) -> f64;

    /// Returns the principal value of the natural logarithm.
    fn natural_log(self) -> Self;

    /// Divides so that no part overflows where the result does not: R. L. Smith, Communications of the ACM 5 (1962).
    fn divided_by(self, other: Self) -> Self;
}

impl ComplexMath for Complex {
    fn on_unit_circle(angle: f64) -> Complex {
        Complex::new(Unary::Cos.value(angle), Unary::Sin.value(angle))
    }

    fn abs(self) -> f64 {
        Binary::Hypot.value(self.re, self.im)
    }

    fn angle(self) -> f64 {
        Binary::Atan2.value(self.im, self.re)
    }

    fn natural_log(self) -> Complex {
        Complex::new(Unary::Ln.value(self.abs()), self.angle())
    }

    fn divided_by(self, other: Complex) -> Complex {
        if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let scale = other.re + other.im * ratio;
            Complex::new((self.re + self.im * ratio) / scale, (self.im - self.re * ratio) / scale)
        } else {
            let ratio = other.re / other.im;
            let scale = other.re * ratio + other.im;
            Complex::new((self.re * ratio + self.im) / scale, (self.im * ratio - self.re) / scale)
        }
    }
}
