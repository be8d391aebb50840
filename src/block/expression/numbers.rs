//! Expressions of parameters: their values are numbers.

use super::{Algebra, Binary, Expression, ExpressionError, Unary, evaluate};
use crate::block::math;

/// Where names of parameters' expressions have their values.
pub trait Names {
    /// The value of a name; none where nothing is called so.
    ///
    /// # Errors
    /// Where there is such a name, but its value cannot be had.
    fn value(&self, name: &str) -> Result<Option<Vec<f64>>, String>;

    /// All names, for messages.
    fn names(&self) -> Vec<String>;
}

/// Nothing has a name but the constants.
#[derive(Clone, Copy, Debug)]
pub struct NoNames;

impl Names for NoNames {
    fn value(&self, _: &str) -> Result<Option<Vec<f64>>, String> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The value of an expression, one number for each lane.
///
/// # Errors
/// Where the text is no expression, a name is unknown or widths do not meet.
pub fn numbers(text: &str, names: &dyn Names) -> Result<Vec<f64>, ExpressionError> {
    evaluate(&Expression::parse(text)?, &Numbers { names })
}

struct Numbers<'a> {
    names: &'a dyn Names,
}

/// A single lane stands for all.
fn lane(value: &[f64], lane: usize) -> f64 {
    if value.len() == 1 { value[0] } else { value[lane] }
}

impl Algebra for Numbers<'_> {
    type Value = Vec<f64>;

    fn number(&self, number: f64) -> Vec<f64> {
        vec![number]
    }

    fn name(&self, name: &str) -> Result<Option<Vec<f64>>, String> {
        self.names.value(name)
    }

    fn width(&self, value: &Vec<f64>) -> usize {
        value.len()
    }

    fn known(&self, value: &Vec<f64>) -> Option<f64> {
        if let [single] = value[..] { Some(single) } else { None }
    }

    fn unary(&self, op: Unary, a: Vec<f64>) -> Vec<f64> {
        a.into_iter().map(|a| math::unary(op, a)).collect()
    }

    fn binary(&self, op: Binary, a: Vec<f64>, b: Vec<f64>) -> Vec<f64> {
        (0..a.len().max(b.len())).map(|at| math::binary(op, lane(&a, at), lane(&b, at))).collect()
    }

    fn select(&self, on: Vec<f64>, yes: Vec<f64>, no: Vec<f64>) -> Vec<f64> {
        let width = on.len().max(yes.len()).max(no.len());
        (0..width).map(|at| if lane(&on, at) != 0.0 { lane(&yes, at) } else { lane(&no, at) }).collect()
    }

    fn join(&self, parts: &[Vec<f64>]) -> Vec<f64> {
        parts.concat()
    }

    fn fold(&self, op: Binary, a: Vec<f64>) -> Vec<f64> {
        vec![a.into_iter().reduce(|all, lane| math::binary(op, all, lane)).unwrap_or(0.0)]
    }

    fn pick(&self, of: Vec<f64>, index: Vec<f64>) -> Vec<f64> {
        // The conversion saturates.
        index.into_iter().map(|index| of[(index as usize).min(of.len() - 1)]).collect()
    }

    fn names(&self) -> Vec<String> {
        self.names.names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Names for Known {
        fn value(&self, name: &str) -> Result<Option<Vec<f64>>, String> {
            Ok(match name {
                "m" => Some(vec![2.0]),
                "v" => Some(vec![1.0, 2.0, 3.0]),
                _ => None,
            })
        }

        fn names(&self) -> Vec<String> {
            vec!["m".to_owned(), "v".to_owned()]
        }
    }

    fn check(text: &str, want: &[f64]) {
        assert_eq!(numbers(text, &Known).as_deref(), Ok(want), "{text}");
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        check("1 + 2 * 3 ^ 2", &[19.0]);
        check("-2^2", &[-4.0]);
        check("2^3^2", &[512.0]);
        check("2^-1", &[0.5]);
        check("(1 + 2) * 3", &[9.0]);
        check("7 - 2 - 1", &[4.0]);
        check("8 / 2 / 2", &[2.0]);
        check("!0 + !5", &[1.0]);
        check("1 < 2 && 3 >= 3 || 0", &[1.0]);
        check("0 ? 1 : 2 > 1 ? 5 : 6", &[5.0]);
        check("1.5e3 + .5 - 1e-1", &[1500.4]);
        check("1.*2 + 6./3", &[4.0]);
    }

    #[test]
    fn names_and_functions() {
        check("m * pi", &[2.0 * std::f64::consts::PI]);
        check("max(1, m, -7)", &[2.0]);
        check("max(v)", &[3.0]);
        check("sum(v) + prod(v) + length(v) + dot(v, v)", &[6.0 + 6.0 + 3.0 + 14.0]);
        check("v(2) + v(m + 1)", &[5.0]);
        check("if(v > 1, v, -v)", &[-1.0, 2.0, 3.0]);
        check("mod(-1, 3) + rem(-1, 3)", &[1.0]);
        check("sqrt(16)", &[4.0]);
    }

    #[test]
    fn vectors() {
        check("[1 2 3]", &[1.0, 2.0, 3.0]);
        check("[1, 2; 3 4]", &[1.0, 2.0, 3.0, 4.0]);
        check("[1 -2]", &[1.0, -2.0]);
        check("[1 - 2]", &[-1.0]);
        check("[1-2]", &[-1.0]);
        check("[v 4] * 2", &[2.0, 4.0, 6.0, 8.0]);
        check("[0:0.1:0.3]", &[0.0, 0.1, 0.2, 0.1 * 3.0]);
        check("[3:-1:1]", &[3.0, 2.0, 1.0]);
        check("[(1 + 1) m (3)]", &[2.0, 2.0, 3.0]);
        check("linspace(0, 1, 3)", &[0.0, 0.5, 1.0]);
        check("[zeros(2) ones(1)]", &[0.0, 0.0, 1.0]);
    }

    fn refused(text: &str, want: &str) {
        let error = numbers(text, &Known).expect_err(text);
        assert_eq!(error.to_string(), want, "{text}");
    }

    #[test]
    fn mistakes_have_their_place() {
        refused("2 * k", "nothing is called “k”; known are: m, v, at character 5");
        refused("2 *", "a value is missing, at character 4");
        refused("2 3", "an operator is missing before 3, at character 3");
        refused("(1 + 2", "“)” is missing, at character 7");
        refused("v + [1 2]", "a vector of 3 lanes meets one of 2, at character 1");
        refused("sin", "“sin” is a function, written sin(x): sine of x in radians, at character 1");
        refused(
            "max()",
            "0 values are given; it is written max(a, b, …): the largest; of a vector its largest lane, at character 1",
        );
        refused("foo(1, 2)", "there is no function “foo”, at character 1");
        refused("v(4)", "“v” has the lanes 1 to 3, not 4, at character 1");
        refused("1 $ 2", "“$” has no meaning here, at character 3");
        refused("[]", "a vector has one lane at least, at character 1");
        refused("", "a value is missing, at character 1");
        refused("[1:-1:3]", "from 1 to 3 in steps of -1 there are no numbers, at character 2");
        refused(
            "[1:0:3]",
            "from 1 to 3 in steps of 0 there are more than 1000000 numbers, which is the most that a vector has, at character 2",
        );
        refused(
            "[0:1e-9:1]",
            "from 0 to 1 in steps of 0.000000001 there are more than 1000000 numbers, which is the most that a vector has, at character 2",
        );
        refused(
            "zeros(1e9)",
            "1000000000 is no number of lanes; it is a whole number from 1 to 1000000, at character 7",
        );
    }

    #[test]
    fn no_text_breaks_the_parser() {
        let deep = "(".repeat(100_000);
        assert!(numbers(&deep, &NoNames).expect_err("too deep").problem.contains("nested too deeply"));
        let signs = "-".repeat(100_000) + "1";
        assert!(numbers(&signs, &NoNames).is_err());
        let pieces =
            ["1", "m", "(", ")", "[", "]", "+", "-", " ", ":", "?", ",", ";", "^", "v(", "1e", ".", "=", "π", "\n"];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let _ = numbers(&text, &Known);
            let _ = super::super::Formula::parse(&text);
        }
    }
}
