//! Numbers as C: exact literals.

/// Writes a number as an expression of C with exactly its bits: a decimal where few digits are exact, else a hexadecimal
/// floating-point constant with the decimal in a comment.
pub fn literal(value: f64) -> String {
    if value.is_nan() {
        return "(double)NAN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "(double)INFINITY" } else { "(-(double)INFINITY)" }.to_owned();
    }
    let text = format!("{value:?}");
    // Numbers with few binary places are their decimals.
    let scaled = value * 1024.0;
    let is_exact = value.abs() < 1e9 && scaled == scaled.trunc();
    let text = if is_exact { text } else { format!("{} /* {text} */", crate::block::hex_text(value)) };
    if value.is_sign_negative() { format!("({text})") } else { text }
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
        let texts = [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, f64::MIN_POSITIVE / 4.0, f64::INFINITY, f64::NAN].map(literal);
        let expected = [
            "0.0",
            "(-0.0)",
            "1.0",
            "(-2.5)",
            "0x1.999999999999ap-4 /* 0.1 */",
            "0x1.7e43c8800759cp+996 /* 1e300 */",
            "0x0.4p-1022 /* 5.562684646268003e-309 */",
            "(double)INFINITY",
            "(double)NAN",
        ];
        assert_eq!(texts, expected);
    }
}
