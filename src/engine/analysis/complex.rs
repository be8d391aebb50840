//! Complex numbers, as far as the analysis needs them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::block::{Binary, Unary, math};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    pub const ONE: Complex = Complex { re: 1.0, im: 0.0 };

    pub fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// Returns the number of absolute value 1 with this angle in radians.
    pub fn turned(angle: f64) -> Complex {
        Complex { re: math::unary(Unary::Cos, angle), im: math::unary(Unary::Sin, angle) }
    }

    pub fn abs(self) -> f64 {
        math::binary(Binary::Hypot, self.re, self.im)
    }

    /// Returns the argument in radians, from -π to π.
    pub fn angle(self) -> f64 {
        math::binary(Binary::Atan2, self.im, self.re)
    }

    pub fn conjugate(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }

    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// Returns the principal value of the natural logarithm.
    pub fn ln(self) -> Complex {
        Complex { re: math::unary(Unary::Ln, self.abs()), im: self.angle() }
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Complex {
        Complex { re, im: 0.0 }
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Complex;

    /// By R. L. Smith (Communications of the ACM 5, 1962): no part overflows where the result does not.
    fn div(self, other: Complex) -> Complex {
        if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let scale = other.re + other.im * ratio;
            Complex { re: (self.re + self.im * ratio) / scale, im: (self.im - self.re * ratio) / scale }
        } else {
            let ratio = other.re / other.im;
            let scale = other.re * ratio + other.im;
            Complex { re: (self.re * ratio + self.im) / scale, im: (self.im * ratio - self.re) / scale }
        }
    }
}

impl Neg for Complex {
    type Output = Complex;

    fn neg(self) -> Complex {
        Complex { re: -self.re, im: -self.im }
    }
}
