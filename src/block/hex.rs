//! Numbers as hexadecimal floating-point constants of C99, which name each bit.

/// Writes a number as C99's `printf("%a")` with the digits that are needed: `0x1.8p+1`, `-0x0p+0`, `inf`, `-inf`, `nan`.
pub fn hex_text(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) & 0x7FF, bits & ((1 << 52) - 1));
    let (lead, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, biased as i64 - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{lead}{point}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are those of `printf("%a")` of glibc.
    #[test]
    fn numbers_are_written_as_printf_writes_them() {
        for (value, text) in [
            (0.0, "0x0p+0"),
            (-0.0, "-0x0p+0"),
            (1.0, "0x1p+0"),
            (-3.0, "-0x1.8p+1"),
            (0.1, "0x1.999999999999ap-4"),
            (f64::MAX, "0x1.fffffffffffffp+1023"),
            (f64::MIN_POSITIVE, "0x1p-1022"),
            (f64::from_bits(1), "0x0.0000000000001p-1022"),
            (f64::NEG_INFINITY, "-inf"),
            (-f64::NAN, "nan"),
        ] {
            assert_eq!(hex_text(value), text);
        }
    }
}
