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

/// Reads what [`hex_text`] writes; `None` for any other text.
pub fn hex_number(text: &str) -> Option<f64> {
    let (sign, size) = text.strip_prefix('-').map_or((1.0, text), |size| (-1.0, size));
    match size {
        "inf" => return Some(sign * f64::INFINITY),
        "nan" => return Some(f64::NAN),
        _ => {}
    }
    let (digits, exponent) = size.strip_prefix("0x")?.split_once('p')?;
    let (lead, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent = exponent.parse::<i32>().ok().filter(|exponent| exponent.abs() < 2000)?;
    let mantissa = u64::from_str_radix(&format!("{lead}{fraction}"), 16).ok().filter(|whole| *whole < 1 << 53)?;
    let exponent = exponent - 4 * fraction.len() as i32;
    // In two exact parts: the power alone may be too small for a number.
    let half = exponent / 2;
    Some(sign * mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for value in [0.0, -0.0, 1.0, -2.5, 0.1, 1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, -f64::MIN_POSITIVE / 3.0] {
            assert_eq!(hex_number(&hex_text(value)).map(f64::to_bits), Some(value.to_bits()), "{value}");
        }
        assert_eq!(hex_number("-inf"), Some(f64::NEG_INFINITY));
        assert!(hex_number("nan").is_some_and(f64::is_nan));
        assert_eq!(
            ["", "1.5", "0x", "0x1", "0x1p", "0x1.8p+99999", "0x1.00000000000001p+0"].map(hex_number),
            [None; 7]
        );
    }

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
