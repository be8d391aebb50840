//! Numbers with their derivatives by up to nine parameters.

use std::ops::{Add, Div, Mul, Sub};

#[derive(Clone, Copy)]
pub struct Dual {
    pub value: f64,
    pub slopes: [f64; 9],
}

impl Dual {
    pub fn variable(value: f64, index: usize) -> Dual {
        let mut slopes = [0.0; 9];
        slopes[index] = 1.0;
        Dual { value, slopes }
    }

    fn with(self, value: f64, slope: f64) -> Dual {
        Dual { value, slopes: self.slopes.map(|of| of * slope) }
    }

    pub fn exp(self) -> Dual {
        self.with(self.value.exp(), self.value.exp())
    }

    pub fn ln(self) -> Dual {
        self.with(self.value.ln(), 1.0 / self.value)
    }

    pub fn sin(self) -> Dual {
        self.with(self.value.sin(), self.value.cos())
    }

    pub fn cos(self) -> Dual {
        self.with(self.value.cos(), -self.value.sin())
    }

    pub fn atan(self) -> Dual {
        self.with(self.value.atan(), 1.0 / (1.0 + self.value * self.value))
    }

    pub fn powf(self, exponent: f64) -> Dual {
        self.with(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }

    pub fn inverse(self) -> Dual {
        self.with(1.0 / self.value, -1.0 / (self.value * self.value))
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        let mut slopes = self.slopes;
        slopes.iter_mut().zip(other.slopes).for_each(|(slope, other)| *slope += other);
        Dual { value: self.value + other.value, slopes }
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        self + other * -1.0
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        let (left, right) = (self.with(self.value * other.value, other.value), other.with(0.0, self.value));
        left + right
    }
}

impl Div for Dual {
    type Output = Dual;
    fn div(self, other: Dual) -> Dual {
        Mul::mul(self, other.inverse())
    }
}

impl Add<f64> for Dual {
    type Output = Dual;
    fn add(self, other: f64) -> Dual {
        Dual { value: self.value + other, ..self }
    }
}

impl Sub<f64> for Dual {
    type Output = Dual;
    fn sub(self, other: f64) -> Dual {
        self + -other
    }
}

impl Mul<f64> for Dual {
    type Output = Dual;
    fn mul(self, other: f64) -> Dual {
        self.with(self.value * other, other)
    }
}
