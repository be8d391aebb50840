//! Limits of sizes. They are checked before anything is allocated, so that no file can exhaust the memory; an error
//! names the block.
//!
//! | limit | of what | checked by |
//! |---|---|---|
//! | [`MAX_DEPTH`] | brackets, signs and choices inside each other in an expression | the parser |
//! | [`MAX_WORK`] | elements computed in the evaluation of one expression | the evaluation |
//! | [`MAX_ELEMENTS`] | elements of one signal, vector or parameter | the evaluation, the tape builder |
//! | [`MAX_COEFFICIENTS`] | coefficients and roots of a filter, a polynomial, a transfer function | the settings |
//! | [`MAX_CASES`] | cases of a switch, each of which is a port | the settings |
//! | [`MAX_ORDER`] | states of a state-space system that is discretized before the run | the block |
//! | [`MAX_UNKNOWNS`] | torn elements of one algebraic loop: a step solves as many equations | [`crate::engine::compile()`] |
//! | [`MAX_DERIVATIVES`] | numbers that an implicit solver of more than [`MAX_UNKNOWNS`] states keeps: of the rates' derivatives only those that can differ from 0 | [`crate::engine::compile()`] |
//! | [`MAX_INSTRUCTIONS`] | instructions of one block | the tape builder |
//! | [`MAX_VALUES`] | values of one block, and of a whole program: signals, states, delay lines, registers | the tape builder, [`crate::engine::compile()`] |
//! | [`MAX_PROGRAM_INSTRUCTIONS`] | instructions of all blocks of a program, counted per instance | [`crate::engine::compile()`] |
//!
//! A program has at most five million blocks, counted per model instance, in models nested at most 200 levels deep.
//! These take more than linear time, up to a limit: the product of two polynomials (quadratic, [`MAX_COEFFICIENTS`]),
//! the outputs of a switch (quadratic, [`MAX_CASES`]), products of matrices (cubic, [`MAX_INSTRUCTIONS`]), the
//! exponential of a matrix (cubic, [`MAX_ORDER`]).

/// Nested brackets, signs and choices in an expression, each of which takes stack space.
pub const MAX_DEPTH: usize = 100;
/// Elements computed in the evaluation of one expression.
pub const MAX_WORK: usize = 20_000_000;
/// Elements of one signal, vector or parameter.
pub const MAX_ELEMENTS: usize = 1_000_000;
/// Coefficients or roots of a polynomial.
pub const MAX_COEFFICIENTS: usize = 10_000;
/// Cases of a switch.
pub const MAX_CASES: usize = 1000;
/// Rows of a matrix whose exponential is computed.
pub const MAX_ORDER: usize = 200;
/// Unknowns of one system of equations, whose matrix has the square of this number of elements (134 MB).
pub const MAX_UNKNOWNS: usize = 4096;
/// Numbers that an implicit solver keeps to find the derivatives of many rates (537 MB).
pub const MAX_DERIVATIVES: usize = 1 << 26;
/// Instructions of one block.
pub const MAX_INSTRUCTIONS: usize = 1 << 20;
/// Values of one block and of a program, 8 bytes each.
pub const MAX_VALUES: usize = 1 << 27;
/// Instructions of all blocks of a program.
pub const MAX_PROGRAM_INSTRUCTIONS: usize = 1 << 25;

/// Returns the memory of `values` numbers as text, as [`size_text`].
pub fn bytes_text(values: usize) -> String {
    size_text(values as f64 * size_of::<f64>() as f64)
}

/// Returns a number of bytes as text with three digits and a decimal prefix, such as 80 GB.
pub fn size_text(bytes: f64) -> String {
    let (size, unit) = match bytes {
        bytes if bytes >= 1e12 => (bytes / 1e12, "TB"),
        bytes if bytes >= 1e9 => (bytes / 1e9, "GB"),
        bytes if bytes >= 1e6 => (bytes / 1e6, "MB"),
        bytes => (bytes / 1e3, "kB"),
    };
    let digits = if size < 10.0 { 2 } else { usize::from(size < 100.0) };
    let text = format!("{size:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

/// Returns a count with separators between thousands, such as 100,000.
pub fn count_text(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_as_people_say_them() {
        assert_eq!(bytes_text(10_000_000_000), "80 GB");
        assert_eq!(bytes_text(MAX_VALUES), "1.07 GB");
        assert_eq!(bytes_text(125), "1 kB");
        assert_eq!(bytes_text(12_500_000), "100 MB");
        assert_eq!([125_000, 125_000_000, 125_000_000_000].map(bytes_text), ["1 MB", "1 GB", "1 TB"]);
        // Three digits at most, and no zeros behind the point.
        let texts =
            [1234.0, 9_994.0, 10_009.0, 12_345.0, 99_940.0, 100_400.0, 999_400.0, 1.234e9, 1.5e13].map(size_text);
        let want = ["1.23 kB", "9.99 kB", "10 kB", "12.3 kB", "99.9 kB", "100 kB", "999 kB", "1.23 GB", "15 TB"];
        assert_eq!(texts, want);
        assert_eq!(bytes_text(usize::MAX / 8), "18446744 TB");
        assert_eq!(count_text(100_000), "100,000");
        assert_eq!(count_text(999), "999");
        assert_eq!(count_text(1_234_567), "1,234,567");
    }
}
