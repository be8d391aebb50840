//! `simulate design c2d`: makes a continuous system discrete.

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::matrices::{MatrixError, column_of, matrix, pairs, roots_text, rows, sized};
use crate::block::math::{
    Discretization, DiscretizeError, Matrix, StateMatrices, discretize_matrices, discretize_polynomials, eigenvalues,
};
use crate::cli::output::{OutputFormat, counted, json};

#[derive(Debug, Args)]
pub struct C2dArgs {
    /// The coefficients of the numerator, highest power of s first: "1 2"
    #[arg(long, value_name = "NUMBERS", requires = "den", allow_hyphen_values = true)]
    pub num: Option<String>,
    /// The coefficients of the denominator
    #[arg(long, value_name = "NUMBERS", requires = "num", allow_hyphen_values = true)]
    pub den: Option<String>,
    /// The state matrix: rows separated by semicolons, such as "0 1; -2 -3"
    #[arg(long, value_name = "MATRIX", conflicts_with = "num", requires = "b", allow_hyphen_values = true)]
    pub a: Option<String>,
    /// The input matrix: a row for each state
    #[arg(long, value_name = "MATRIX", requires = "a", allow_hyphen_values = true)]
    pub b: Option<String>,
    /// The output matrix: a column for each state [default: the states]
    #[arg(long, value_name = "MATRIX", requires = "a", allow_hyphen_values = true)]
    pub c: Option<String>,
    /// The feedthrough matrix [default: 0]
    #[arg(long, value_name = "MATRIX", requires = "a", allow_hyphen_values = true)]
    pub d: Option<String>,
    /// The sample time in seconds
    #[arg(long, value_name = "SECONDS")]
    pub sample_time: f64,
    /// How the system is discretized
    #[arg(long, value_enum, default_value_t)]
    pub method: Method,
    /// The frequency in rad/s at which Tustin's method is exact [default: low frequencies]
    #[arg(long, value_name = "RAD/S")]
    pub prewarp: Option<f64>,
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Zero-order hold: exact for inputs that are constant between samples
    #[default]
    Zoh,
    /// First-order hold: exact for inputs that are linear between samples
    Foh,
    /// The impulse response at the samples
    Impulse,
    /// The trapezoidal rule
    Tustin,
    /// Poles and zeros at exp(s·T); transfer functions only
    Matched,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum C2dError {
    #[error("give a transfer function with --num and --den, or matrices with --a and --b")]
    NoSystem,
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    #[error("--prewarp needs --method tustin")]
    PrewarpMethod,
    #[error("{0}")]
    Discretize(#[from] DiscretizeError),
}

pub(super) fn c2d(args: &C2dArgs) -> Result<String, C2dError> {
    let method = match (args.method, args.prewarp) {
        (Method::Tustin, prewarp) => Discretization::Tustin { prewarp },
        (_, Some(_)) => return Err(C2dError::PrewarpMethod),
        (Method::Zoh, None) => Discretization::ZeroOrderHold,
        (Method::Foh, None) => Discretization::FirstOrderHold,
        (Method::Impulse, None) => Discretization::Impulse,
        (Method::Matched, None) => Discretization::Matched,
    };
    let report = match (&args.num, &args.den, &args.a, &args.b) {
        (Some(num), Some(den), None, None) => {
            let (num, den) = (matrix("num", num)?, matrix("den", den)?);
            let (numerator, denominator) = discretize_polynomials(&num.values, &den.values, args.sample_time, method)?;
            let first = numerator.iter().position(|value| *value != 0.0).unwrap_or(numerator.len());
            let zeros = roots(&numerator[first..]);
            let poles = roots(&denominator);
            DesignReport { numerator, denominator, poles, zeros, ..DesignReport::new(args) }
        }
        (None, None, Some(a), Some(b)) => {
            let system = discretize_matrices(&matrices(args, a, b)?, args.sample_time, method)?;
            DesignReport {
                poles: eigenvalues(&system.a).map(pairs),
                matrices: Some([&system.a, &system.b, &system.c, &system.d].map(rows)),
                ..DesignReport::new(args)
            }
        }
        _ => return Err(C2dError::NoSystem),
    };
    Ok(match args.format {
        OutputFormat::Json => json(&report.value()),
        OutputFormat::Text => report.text(),
    })
}

/// Reads the matrices and checks that their sizes fit.
fn matrices(args: &C2dArgs, a: &str, b: &str) -> Result<StateMatrices, MatrixError> {
    let a = matrix("a", a)?;
    let order = a.rows;
    let is_square = a.columns == order;
    let a = sized("a", a, is_square, "a square matrix".to_owned())?;
    let b = column_of(matrix("b", b)?, order);
    let has_rows = b.rows == order;
    let b = sized("b", b, has_rows, format!("{}, one for each state", counted(order, "row")))?;
    let c = args.c.as_deref().map_or(Ok(Matrix::identity(order)), |text| matrix("c", text))?;
    let has_columns = c.columns == order;
    let c = sized("c", c, has_columns, format!("{}, one for each state", counted(order, "column")))?;
    let d = match args.d.as_deref() {
        None => Matrix::zero(c.rows, b.columns),
        Some(text) => match matrix("d", text)? {
            zero if zero.values == [0.0] => Matrix::zero(c.rows, b.columns),
            d => d,
        },
    };
    let fits = (d.rows, d.columns) == (c.rows, b.columns);
    let d = sized("d", d, fits, format!("{} of {}", counted(c.rows, "row"), b.columns))?;
    Ok(StateMatrices { a, b, c, d })
}

/// Returns the roots of a polynomial, highest power first; `None` if they are not found.
fn roots(values: &[f64]) -> Option<Vec<[f64; 2]>> {
    let Some((lead, rest)) = values.split_first() else { return Some(Vec::new()) };
    let size = rest.len();
    let companion = Matrix::from(size, size, |row, column| match row {
        0 => -rest[column] / lead,
        row => f64::from(u8::from(column + 1 == row)),
    });
    eigenvalues(&companion).map(pairs)
}

/// The result, in which either the polynomials or the matrices are given.
struct DesignReport {
    method: String,
    sample_time: f64,
    numerator: Vec<f64>,
    denominator: Vec<f64>,
    matrices: Option<[Vec<Vec<f64>>; 4]>,
    poles: Option<Vec<[f64; 2]>>,
    zeros: Option<Vec<[f64; 2]>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum DesignJson<'a> {
    TransferFunction {
        method: &'a str,
        sample_time: f64,
        numerator: &'a [f64],
        denominator: &'a [f64],
        poles: &'a Option<Vec<[f64; 2]>>,
        zeros: &'a Option<Vec<[f64; 2]>>,
    },
    StateSpace {
        method: &'a str,
        sample_time: f64,
        a: &'a [Vec<f64>],
        b: &'a [Vec<f64>],
        c: &'a [Vec<f64>],
        d: &'a [Vec<f64>],
        poles: &'a Option<Vec<[f64; 2]>>,
    },
}

impl DesignReport {
    fn new(args: &C2dArgs) -> DesignReport {
        let name = args.method.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        DesignReport {
            method: name,
            sample_time: args.sample_time,
            numerator: Vec::new(),
            denominator: Vec::new(),
            matrices: None,
            poles: None,
            zeros: None,
        }
    }

    fn value(&self) -> DesignJson<'_> {
        let DesignReport { method, sample_time, numerator, denominator, matrices, poles, zeros } = self;
        match matrices {
            None => {
                DesignJson::TransferFunction { method, sample_time: *sample_time, numerator, denominator, poles, zeros }
            }
            Some([a, b, c, d]) => DesignJson::StateSpace { method, sample_time: *sample_time, a, b, c, d, poles },
        }
    }

    fn text(&self) -> String {
        let line = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        let mut text = String::new();
        match &self.matrices {
            None => {
                text += &format!("numerator    {}\ndenominator  {}\n", line(&self.numerator), line(&self.denominator));
            }
            Some(matrices) => {
                for (name, rows) in ["A", "B", "C", "D"].iter().zip(matrices) {
                    text += &format!("{name}\n");
                    rows.iter().for_each(|row| text += &format!("  {}\n", line(row)));
                }
            }
        }
        for (name, roots) in [("zeros", &self.zeros), ("poles", &self.poles)] {
            let Some(roots) = roots.as_ref().filter(|roots| !roots.is_empty()) else { continue };
            text += &roots_text(name, roots);
        }
        text
    }
}
