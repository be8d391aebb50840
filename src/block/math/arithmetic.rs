//! The primitive instructions that operations are composed of, for numbers and for machine code alike.

/// A relation between two numbers. With not-a-number only `Ne` and `Unordered` hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    /// At least one of the two is not-a-number.
    Unordered,
}

/// Executes primitive instructions, or emits code that does. Both give the same bits.
pub trait Arithmetic {
    type Number: Copy;
    type Truth: Copy;

    fn constant(&mut self, value: f64) -> Self::Number;

    fn neg(&mut self, a: Self::Number) -> Self::Number;
    fn abs(&mut self, a: Self::Number) -> Self::Number;
    fn sqrt(&mut self, a: Self::Number) -> Self::Number;
    fn floor(&mut self, a: Self::Number) -> Self::Number;
    fn ceil(&mut self, a: Self::Number) -> Self::Number;
    /// Rounds to the nearest integer, halves away from 0.
    fn round(&mut self, a: Self::Number) -> Self::Number;
    /// Rounds towards 0.
    fn trunc(&mut self, a: Self::Number) -> Self::Number;
    /// Rounds to the nearest number of single precision.
    fn single(&mut self, a: Self::Number) -> Self::Number;

    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn sub(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn div(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    fn compare(&mut self, relation: Relation, a: Self::Number, b: Self::Number) -> Self::Truth;
    /// Whether a number is not 0; not-a-number is not.
    fn is_nonzero(&mut self, a: Self::Number) -> Self::Truth;
    fn and(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn or(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn xor(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;

    /// 1 if true, else 0.
    fn number(&mut self, truth: Self::Truth) -> Self::Number;
    fn choose(&mut self, truth: Self::Truth, yes: Self::Number, no: Self::Number) -> Self::Number;
    /// Returns `a` where it is not-a-number, which is rare, else `otherwise`.
    fn nan_or(&mut self, a: Self::Number, otherwise: Self::Number) -> Self::Number;
}

/// Executes the instructions on numbers.
pub struct Scalar;

#[rustfmt::skip]
impl Arithmetic for Scalar {
    type Number = f64;
    type Truth = bool;

    #[inline(always)] fn constant(&mut self, value: f64) -> f64 { value }
    #[inline(always)] fn neg(&mut self, a: f64) -> f64 { -a }
    #[inline(always)] fn abs(&mut self, a: f64) -> f64 { a.abs() }
    #[inline(always)] fn sqrt(&mut self, a: f64) -> f64 { a.sqrt() }
    #[inline(always)] fn floor(&mut self, a: f64) -> f64 { a.floor() }
    #[inline(always)] fn ceil(&mut self, a: f64) -> f64 { a.ceil() }
    #[inline(always)] fn round(&mut self, a: f64) -> f64 { a.round() }
    #[inline(always)] fn trunc(&mut self, a: f64) -> f64 { a.trunc() }
    #[inline(always)] fn single(&mut self, a: f64) -> f64 { f64::from(a as f32) }
    #[inline(always)] fn add(&mut self, a: f64, b: f64) -> f64 { a + b }
    #[inline(always)] fn sub(&mut self, a: f64, b: f64) -> f64 { a - b }
    #[inline(always)] fn mul(&mut self, a: f64, b: f64) -> f64 { a * b }
    #[inline(always)] fn div(&mut self, a: f64, b: f64) -> f64 { a / b }
    #[inline(always)] fn is_nonzero(&mut self, a: f64) -> bool { a != 0.0 }
    #[inline(always)] fn and(&mut self, a: bool, b: bool) -> bool { a & b }
    #[inline(always)] fn or(&mut self, a: bool, b: bool) -> bool { a | b }
    #[inline(always)] fn xor(&mut self, a: bool, b: bool) -> bool { a != b }
    #[inline(always)] fn number(&mut self, truth: bool) -> f64 { f64::from(u8::from(truth)) }
    #[inline(always)] fn choose(&mut self, truth: bool, yes: f64, no: f64) -> f64 { if truth { yes } else { no } }
    #[inline(always)] fn nan_or(&mut self, a: f64, otherwise: f64) -> f64 { if a.is_nan() { a } else { otherwise } }

    #[inline(always)]
    fn compare(&mut self, relation: Relation, a: f64, b: f64) -> bool {
        match relation {
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Gt => a > b,
            Relation::Ge => a >= b,
            Relation::Eq => a == b,
            Relation::Ne => a != b,
            Relation::Unordered => a.is_nan() || b.is_nan(),
        }
    }
}
