//! The appearance of a block as data, drawn alike by the canvas, the palette and exported pictures.

/// The outline of a block and the icon inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The outline.
    pub body: Body,
    /// The icon.
    pub face: Face,
}

/// The outline of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A rectangle.
    Rect,
    /// A triangle that points to the right, as the symbol of an amplifier.
    Triangle,
    /// A circle.
    Circle,
    /// A narrow bar that joins or splits wires.
    Bar,
    /// A rectangle with round ends, as of entries and exits.
    Pill,
    /// A text on the diagram.
    Note,
    /// A frame behind other blocks.
    Area,
}

/// The icon of a block. Points of strokes lie in a square from (0, 0) at the top left to (1, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Face {
    /// A text.
    Text(&'static str),
    /// The value of a parameter as text.
    Param(&'static str),
    /// Numerator and denominator with a line between.
    Fraction(&'static str, &'static str),
    /// The polynomials of two parameters, highest power first, with a line between.
    Polynomials(&'static str, &'static str, PolynomialIn),
    /// Lines through points.
    Strokes(&'static [&'static [(f32, f32)]]),
    /// The last value that arrived at the first input.
    Live,
    /// The curves of the inputs over the run; these strokes while there are none.
    Curve(&'static [&'static [(f32, f32)]]),
    /// The names of the ports; these strokes stand for them in the palette.
    Ports(&'static [&'static [(f32, f32)]]),
    /// No icon, only the port labels.
    Empty,
}

/// The variable of the polynomials on a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolynomialIn {
    /// Always this name.
    Always(&'static str),
    /// `s` if a parameter has this choice, else `z`.
    #[allow(missing_docs, reason = "the text above names its fields")]
    Chosen { param: &'static str, choice: &'static str },
}

impl PolynomialIn {
    /// Returns the name of the variable, where `text` is the value of a parameter that is not the default.
    pub fn name<'a>(self, text: impl FnOnce(&str) -> Option<&'a str>) -> &'static str {
        match self {
            PolynomialIn::Always(name) => name,
            PolynomialIn::Chosen { param, choice } => {
                if text(param) == Some(choice) {
                    "s"
                } else {
                    "z"
                }
            }
        }
    }
}

impl Look {
    /// A rectangle with an icon.
    pub const fn rect(face: Face) -> Look {
        Look { body: Body::Rect, face }
    }
}

/// Returns a polynomial with these coefficients, the highest power first, as `s² + 3s + 2`; `None` if one of them is
/// not a plain number.
pub fn polynomial_text<S: AsRef<str>>(coefficients: &[S], variable: &str) -> Option<String> {
    let numbers = coefficients.iter().map(|text| text.as_ref().trim().parse::<f64>().ok().filter(|n| n.is_finite()));
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    let mut text = String::new();
    for (index, number) in numbers.iter().enumerate().filter(|(_, number)| **number != 0.0) {
        let power = numbers.len() - 1 - index;
        match (text.is_empty(), *number < 0.0) {
            (true, true) => text.push('−'),
            (true, false) => {}
            (false, true) => text.push_str(" − "),
            (false, false) => text.push_str(" + "),
        }
        let size = number.abs();
        if size != 1.0 || power == 0 {
            text.push_str(&size.to_string());
        }
        if power > 0 {
            text.push_str(variable);
        }
        if power > 1 {
            let digits = power.to_string();
            text.extend(digits.bytes().filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(usize::from(digit - b'0'))));
        }
    }
    if text.is_empty() {
        text.push('0');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::polynomial_text;

    #[test]
    fn polynomials_are_written_as_by_hand() {
        let text = |coefficients: &[&str]| polynomial_text(coefficients, "s");
        for (coefficients, wanted) in [
            (&["1", "3", "2"][..], "s² + 3s + 2"),
            (&["-1", "0", "-0.5"], "−s² − 0.5"),
            (&["2"], "2"),
            (&["1"], "1"),
            (&["0", "0"], "0"),
            (&["1", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0"], "s¹²"),
        ] {
            assert_eq!(text(coefficients).as_deref(), Some(wanted));
        }
        assert_eq!(text(&["1", "k"]), None);
        assert_eq!(text(&["nan"]), None);
    }
}
