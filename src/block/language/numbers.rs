//! The evaluation of expressions to numbers, for parameters.

use super::value::{Elements, Value};
use super::{Algebra, Binary, Expression, ExpressionError, Unary, cut, evaluate};

/// Provides the values of names in the expressions of parameters.
pub trait Names {
    /// Returns the value of a name; none if the name is unknown.
    ///
    /// # Errors
    /// Fails if the name is known but has no valid value.
    fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError>;

    /// Returns all names, for messages.
    fn names(&self) -> Vec<String>;
}

/// Why a variable has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableError {
    #[error("{name} = {}: {error}", cut(.text))]
    Expression { name: String, text: String, error: Box<ExpressionError> },
    /// An instance of a model sets a value that the variable's limits or choices exclude.
    #[error("{name}: {problem}")]
    Excluded { name: String, problem: String },
    /// The variables that use each other, the first one again at the end.
    #[error("{} is a cyclic definition", shortened(.0))]
    Cyclic(Vec<String>),
}

/// Joins the names of a cycle; of a long one only the first and last.
fn shortened(cycle: &[String]) -> String {
    const MAX_NAMES: usize = 13;
    match cycle.len().checked_sub(MAX_NAMES) {
        None | Some(0) => cycle.join(" → "),
        Some(left_out) => {
            let (first, last) = (&cycle[..MAX_NAMES / 2], &cycle[cycle.len() - MAX_NAMES / 2 - 1..]);
            format!("{} → … {left_out} more … → {}", first.join(" → "), last.join(" → "))
        }
    }
}

/// Provides no names; only constants are known.
#[derive(Clone, Copy, Debug)]
pub struct NoNames;

impl Names for NoNames {
    fn value(&self, _: &str) -> Result<Option<Matrix>, VariableError> {
        Ok(None)
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A matrix of numbers, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    pub values: Vec<f64>,
    /// The number of rows, 1 for a vector or scalar.
    pub rows: usize,
}

impl From<Vec<f64>> for Matrix {
    fn from(values: Vec<f64>) -> Matrix {
        Matrix { values, rows: 1 }
    }
}

impl Matrix {
    pub fn columns(&self) -> usize {
        self.values.len() / self.rows.max(1)
    }
}

/// Evaluates the text of an expression to the elements of its value.
///
/// # Errors
/// Fails if the text is not an expression, a name is unknown or widths do not match.
pub fn numbers(text: &str, names: &dyn Names) -> Result<Vec<f64>, ExpressionError> {
    matrix(text, names).map(|matrix| matrix.values)
}

/// Evaluates the text of an expression to a matrix.
///
/// # Errors
/// Fails as [`numbers`].
pub fn matrix(text: &str, names: &dyn Names) -> Result<Matrix, ExpressionError> {
    of_expression(&Expression::parse(text)?, names)
}

/// Evaluates a parsed expression to a matrix.
///
/// # Errors
/// Fails if a name is unknown or widths do not match.
pub(crate) fn of_expression(expression: &Expression, names: &dyn Names) -> Result<Matrix, ExpressionError> {
    let value = evaluate(expression, &Numbers { names })?;
    Ok(value.matrix())
}

impl Value<Vec<f64>> {
    /// Returns the numbers.
    pub fn matrix(self) -> Matrix {
        let rows = self.rows;
        let values = match self.of {
            Elements::Whole(of) => of,
            Elements::Each(each) => each.concat(),
            Elements::Text(_) | Elements::Fields(_) => Vec::new(),
        };
        Matrix { values, rows }
    }
}

/// Vectors of numbers.
pub struct Numbers<'a> {
    pub names: &'a dyn Names,
}

/// Returns an element, of a scalar its value for any index.
fn element(values: &[f64], index: usize) -> f64 {
    if values.len() == 1 { values[0] } else { values[index] }
}

impl Algebra for Numbers<'_> {
    type Value = Vec<f64>;

    fn number(&self, number: f64) -> Vec<f64> {
        vec![number]
    }

    fn name(&self, name: &str) -> Result<Option<(Vec<f64>, usize)>, VariableError> {
        Ok(self.names.value(name)?.map(|value| (value.values, value.rows)))
    }

    fn width(&self, value: &Vec<f64>) -> usize {
        value.len()
    }

    fn known(&self, value: &Vec<f64>) -> Option<f64> {
        if let [single] = value[..] { Some(single) } else { None }
    }

    fn is_same(&self, a: &Vec<f64>, b: &Vec<f64>) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
    }

    fn unary(&self, op: Unary, mut a: Vec<f64>) -> Vec<f64> {
        a.iter_mut().for_each(|a| *a = op.value(*a));
        a
    }

    fn binary(&self, op: Binary, a: Vec<f64>, b: Vec<f64>) -> Vec<f64> {
        let width = a.len().max(b.len());
        (0..width).map(|at| op.value(element(&a, at), element(&b, at))).collect()
    }

    fn select(&self, on: Vec<f64>, yes: Vec<f64>, no: Vec<f64>) -> Vec<f64> {
        let width = on.len().max(yes.len()).max(no.len());
        let chosen = |at: usize| if element(&on, at) != 0.0 { element(&yes, at) } else { element(&no, at) };
        (0..width).map(chosen).collect()
    }

    fn join(&self, parts: &[Vec<f64>]) -> Vec<f64> {
        parts.concat()
    }

    fn slice(&self, of: &Vec<f64>, start: usize, width: usize) -> Vec<f64> {
        of[start..start + width].to_vec()
    }

    fn fold(&self, op: Binary, a: Vec<f64>) -> Vec<f64> {
        vec![a.into_iter().reduce(|all, element| op.value(all, element)).unwrap_or(0.0)]
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
        fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
            Ok(match name {
                "m" => Some(vec![2.0].into()),
                "v" => Some(vec![1.0, 2.0, 3.0].into()),
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
        check("~0 + ~5", &[1.0]);
        check("(1 ~= 2) + (1 ~= 1)", &[1.0]);
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
        refused("2 * k", "unknown variable \"k\"; known are: m, v");
        refused("2 *", "a value is missing, at character 4");
        refused("2 3", "an operator is missing before 3, at character 3");
        refused("(1 + 2", "“)” is missing, at character 7");
        refused("v + [1 2]", "a vector of 3 elements does not match one of 2, at character 1");
        refused("sin", "“sin” is a function, written sin(x): sine of x in radians, at character 1");
        refused(
            "max()",
            "0 arguments are given; it is written max(a, b, …): the largest; of a vector its largest element, at character 1",
        );
        refused("foo(1, 2)", "there is no function “foo”, at character 1");
        refused("v(4)", "“v” has the elements 1 to 3, not 4, at character 1");
        refused("1 $ 2", "“$” is not allowed here, at character 3");
        refused("[]", "a vector has at least one element, at character 1");
        refused("", "a value is missing, at character 1");
        refused("[1:-1:3]", "from 1 to 3 in steps of -1 there are no numbers, at character 2");
        refused(
            "[1:0:3]",
            "from 1 to 3 in steps of 0 there are more than 1000000 numbers, the limit of a vector, at character 2",
        );
        refused(
            "[0:1e-9:1]",
            "from 0 to 1 in steps of 0.000000001 there are more than 1000000 numbers, the limit of a vector, at character 2",
        );
        refused(
            "zeros(1e9)",
            "1000000000 is not a number of elements; it must be an integer from 1 to 1000000, at character 7",
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
