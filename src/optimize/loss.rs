//! Losses: how much a residual counts. With a loss other than the square, outliers count less.

use basin::{CauchyLoss, HuberLoss, LossFunction, SoftL1Loss, SquaredLoss};
use serde::{Deserialize, Serialize};

/// How a residual `r` counts, with `z = (r/scale)²`; as SciPy's `least_squares` defines them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// `z`: the sum of squares.
    #[default]
    Square,
    /// `z` up to 1, `2√z − 1` above.
    Huber,
    /// `2(√(1 + z) − 1)`: a smooth form of Huber's.
    SoftL1,
    /// `ln(1 + z)`: far outliers hardly count.
    Cauchy,
}

impl Loss {
    pub(super) fn function(self) -> &'static dyn LossFunction<f64> {
        match self {
            Loss::Square => &SquaredLoss,
            Loss::Huber => &HuberLoss,
            Loss::SoftL1 => &SoftL1Loss,
            Loss::Cauchy => &CauchyLoss,
        }
    }

    /// Returns the sum of the losses of residuals, in the unit of their squares: the sum of squares for [`Loss::Square`].
    pub fn sum(self, residuals: &[f64], scale: f64) -> f64 {
        let function = self.function();
        residuals.iter().map(|residual| 2.0 * function.evaluate_scaled(*residual, scale).value).sum()
    }

    /// Returns the factors of the rows of a Jacobian with which its product with itself is the safeguarded curvature of the
    /// sum of losses.
    pub fn row_factors(self, residuals: &[f64], scale: f64) -> Vec<f64> {
        let function = self.function();
        let factor =
            |residual: &f64| function.evaluate_scaled(*residual, scale).second_derivative.max(f64::EPSILON).sqrt();
        residuals.iter().map(factor).collect()
    }
}
