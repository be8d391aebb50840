//! Numbers as C: exact literals.

/// Writes a number as an expression of C with exactly its bits: a decimal where every compiler reads those, else a
/// hexadecimal floating-point constant with the decimal in a comment.
pub fn literal(value: f64) -> String {
    if value.is_nan() {
        return "(double)NAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "(double)INFINITY" } else { "(-(double)INFINITY)" }.to_owned();
    }
    let text = format!("{value:?}");
    let text = if is_plain(&text) { text } else { format!("{} /* {text} */", crate::block::hex_text(value)) };
    if value.is_sign_negative() { format!("({text})") } else { text }
}

/// The most digits of a number that a double has exactly,
const EXACT_DIGITS: usize = 15;
/// and the largest power of ten that it has exactly.
const EXACT_POWER: i32 = 22;

/// Whether a decimal is the quotient or product of two numbers that a double has exactly. Even a compiler that converts
/// decimals in the simplest way rounds it once, and to the nearest (Clinger: How to read floating point numbers
/// accurately, 1990).
fn is_plain(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, part) = mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa, ""));
    let part = part.trim_end_matches('0');
    let digits = whole.trim_start_matches('0').len() + part.len();
    let Ok(exponent) = exponent.parse::<i32>() else { return false };
    digits <= EXACT_DIGITS && (exponent - part.len() as i32).abs() <= EXACT_POWER
}

/// Writes an integer without a sign.
pub fn unsigned(value: u64) -> String {
    if value > u64::from(u32::MAX) { format!("UINT64_C({value})") } else { format!("{value}U") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        let texts = [
            0.0,
            -0.0,
            1.0,
            -2.5,
            0.1,
            -48.695,
            1e-9,
            0.1 + 0.2,
            1e300,
            f64::MIN_POSITIVE / 4.0,
            f64::INFINITY,
            f64::NAN,
        ]
        .map(literal);
        let expected = [
            "0.0",
            "(-0.0)",
            "1.0",
            "(-2.5)",
            "0.1",
            "(-48.695)",
            "1e-9",
            "0x1.3333333333334p-2 /* 0.30000000000000004 */",
            "0x1.7e43c8800759cp+996 /* 1e300 */",
            "0x0.4p-1022 /* 5.562684646268003e-309 */",
            "(double)INFINITY",
            "(double)NAN",
        ];
        assert_eq!(texts, expected);
    }
}
