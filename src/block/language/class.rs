//! The classes of numbers: double, single, logical, and integers from 8 to 64 bits.
//!
//! Every number is held as a double. A number of another class is rounded after each operation: to the nearest single, or
//! to the nearest integer within the limits of its class, halves away from 0. The results are those of arithmetic in that
//! class, because a double holds the exact sum, difference or product of integers up to 32 bits, and rounding the double
//! result of `+ - * / sqrt` to single is the single result (Figueroa: When is double rounding innocuous?, 1995). A double
//! holds the integers of 64 bits up to 2^53 only; the run ends where one is larger.

/// The class of the elements of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    #[default]
    Double,
    Single,
    /// Truths, which as an index select elements.
    Logical,
    Integer(Integer),
}

/// A class of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    bits: u8,
    is_signed: bool,
}

const fn integer(bits: u8, is_signed: bool) -> Class {
    Class::Integer(Integer { bits, is_signed })
}

/// The classes with the names and help of the functions that convert to them. To single an operation converts.
pub const CLASSES: [(&str, Class, &str); 10] = [
    ("double", Class::Double, "double(x): x as a number of double precision"),
    ("logical", Class::Logical, "logical(x): 1 where x is nonzero"),
    ("int8", integer(8, true), "int8(x): the nearest integer from −128 to 127"),
    ("int16", integer(16, true), "int16(x): the nearest integer from −32768 to 32767"),
    ("int32", integer(32, true), "int32(x): the nearest integer from −2^31 to 2^31 − 1"),
    ("int64", integer(64, true), "int64(x): the nearest integer, up to ±2^53"),
    ("uint8", integer(8, false), "uint8(x): the nearest integer from 0 to 255"),
    ("uint16", integer(16, false), "uint16(x): the nearest integer from 0 to 65535"),
    ("uint32", integer(32, false), "uint32(x): the nearest integer from 0 to 2^32 − 1"),
    ("uint64", integer(64, false), "uint64(x): the nearest integer from 0 to 2^53"),
];

impl Integer {
    /// Returns the smallest and largest number.
    pub fn limits(self) -> (f64, f64) {
        let power = |bits: u8| 2f64.powi(i32::from(bits));
        match self.is_signed {
            true => (-power(self.bits - 1), power(self.bits - 1) - 1.0),
            false => (0.0, power(self.bits) - 1.0),
        }
    }

    pub fn bits(self) -> u8 {
        self.bits
    }

    /// Whether a double holds each number of the class.
    pub fn is_exact(self) -> bool {
        self.bits <= 32
    }
}

impl Class {
    pub fn by_name(name: &str) -> Option<Class> {
        let known = CLASSES.iter().find(|(known, ..)| *known == name).map(|(_, class, _)| *class);
        known.or((name == "single").then_some(Class::Single))
    }

    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|(_, class, _)| *class == self).map_or("single", |(name, ..)| name)
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Class::Integer(_))
    }

    /// The class of the sum of two numbers; none of two classes of integers.
    pub fn of_both(self, other: Class) -> Option<Class> {
        Some(match (self, other) {
            (Class::Integer(a), Class::Integer(b)) if a != b => return None,
            (Class::Integer(of), _) | (_, Class::Integer(of)) => Class::Integer(of),
            (Class::Single, _) | (_, Class::Single) => Class::Single,
            _ => Class::Double,
        })
    }

    /// The class of the sum of the elements of a vector: that of integers is double.
    pub fn of_sum(self) -> Class {
        if self == Class::Single { Class::Single } else { Class::Double }
    }

    /// The class of a matrix of parts: the first class of integers, else that of their sum.
    pub fn of_parts(parts: impl IntoIterator<Item = Class>) -> Class {
        let both = |all: Class, next: Class| match (all, next) {
            (Class::Logical, Class::Logical) => Class::Logical,
            (all, next) => all.of_both(next).unwrap_or(all),
        };
        parts.into_iter().reduce(both).unwrap_or_default()
    }
}
