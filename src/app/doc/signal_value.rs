//! The text of a signal's value.

use crate::app::ui::numbers;
use crate::engine::is_unset;

/// Formats a value of a signal with up to `count` significant digits: “not set” if it was never set, “NaN” if it is
/// not-a-number.
pub fn value_text(value: f64, count: usize) -> String {
    if is_unset(value) { "not set".to_owned() } else { numbers::digits(value, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::UNSET;

    #[test]
    fn what_is_not_a_number_was_set() {
        let texts = [UNSET, f64::NAN, f64::NEG_INFINITY, 0.5].map(|value| value_text(value, 3));
        assert_eq!(texts, ["not set", "NaN", "-inf", "0.5"]);
    }
}
