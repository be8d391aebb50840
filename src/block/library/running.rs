//! Mean and variance of all samples since the start or the last reset.

use super::linear::reset;
use crate::block::{Builder, Expr, Settings};

/// The names of the inputs: the signal, and the reset if there is one.
pub(super) fn inputs(settings: &Settings) -> Vec<String> {
    let reset = (settings.choice("Reset") != "none").then_some("Reset");
    std::iter::once("Input").chain(reset).map(str::to_owned).collect()
}

/// The moments of all samples, the current one included.
pub(super) struct Moments<'b> {
    pub count: Expr<'b>,
    pub mean: Expr<'b>,
    deviation: Expr<'b>,
    is_reset: Option<Expr<'b>>,
}

impl<'b> Moments<'b> {
    /// Updates the mean by the deviation of the current sample divided by the number of samples, so that no large sum
    /// loses its last digits (B. P. Welford, Technometrics 4, 1962).
    pub fn of_input(b: &'b Builder<'b>) -> Moments<'b> {
        let (u, is_reset) = (b.input(0), reset(b, 1));
        let reset_width = is_reset.map_or(1, Expr::width);
        let width = b.common_width(&[u].into_iter().chain(is_reset).collect::<Vec<_>>());
        let [count, mean] = [reset_width, width].map(|width| b.state(width, b.constant(0.0)));
        let kept = |value: Expr<'b>| is_reset.map_or(value, |is_reset| b.select(is_reset, 0.0, value));
        let count_now = kept(count.value) + 1.0;
        let mean_before = kept(mean.value);
        let deviation = u - mean_before;
        let mean_now = mean_before + deviation / count_now;
        count.next(count_now);
        mean.next(mean_now);
        Moments { count: count_now, mean: mean_now, deviation, is_reset }
    }

    /// Returns the sum of the squared deviations from the mean.
    pub fn squares(&self, b: &'b Builder<'b>) -> Expr<'b> {
        let squares = b.state(self.mean.width(), b.constant(0.0));
        let before = self.is_reset.map_or(squares.value, |is_reset| b.select(is_reset, 0.0, squares.value));
        let now = before + self.deviation * (b.input(0) - self.mean);
        squares.next(now);
        now
    }
}
