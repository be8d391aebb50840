//! Number formats of the window; `typed` reads the numbers that a user types.

pub mod typed;

/// Formats a number with up to `count` significant digits, without trailing zeros.
pub fn digits(value: f64, count: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-4..=8).contains(&exponent) {
        let text = format!("{value:.*e}", count.saturating_sub(1));
        return match text.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", without_zeros(mantissa)),
            None => text,
        };
    }
    let decimals = (count as i32 - 1 - exponent).max(0) as usize;
    without_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_zeros(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// Groups digits: `12,345,678`.
pub fn grouped(value: u64) -> String {
    let plain = value.to_string();
    let mut text = String::new();
    for (index, digit) in plain.chars().enumerate() {
        if index > 0 && (plain.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with a prefix: `3.2 M`, `410`.
pub fn rough(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{} G", digits(v / 1e9, 3)),
        v if v >= 1e6 => format!("{} M", digits(v / 1e6, 3)),
        v if v >= 1e4 => format!("{} k", digits(v / 1e3, 3)),
        v => format!("{}", v.round()),
    }
}

/// Formats a time in seconds with its unit.
pub fn seconds(value: f64) -> String {
    format!("{} s", digits(value, 5))
}

/// Formats a short time with a suitable unit: `430 ns`, `1.2 ms`.
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{} ns", digits(s * 1e9, 3)),
        s if s < 1e-3 => format!("{} µs", digits(s * 1e6, 3)),
        s if s < 1.0 => format!("{} ms", digits(s * 1e3, 3)),
        s => format!("{} s", digits(s, 3)),
    }
}

/// Formats a duration: `12 s`, `3:07 min`, `2:15 h`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).ceil() as u64;
    match whole {
        0..100 => format!("{whole} s"),
        100..6000 => format!("{}:{:02} min", whole / 60, whole % 60),
        _ => format!("{}:{:02} h", whole / 3600, whole % 3600 / 60),
    }
}
