//! Discrete blocks whose coefficients are those of a continuous system.

use super::linear::StateSpace;
use crate::block::math::{
    Discretization, DiscretizeError, Matrix, StateMatrices, discretize_matrices, discretize_polynomials,
};
use crate::block::{Builder, ParamDef};

/// The methods for transfer functions, and those for matrices.
pub(super) const METHODS: [&str; 5] = ["zero-order hold", "first-order hold", "impulse", "tustin", "matched"];
pub(super) const MATRIX_METHODS: [&str; 4] = ["zero-order hold", "first-order hold", "impulse", "tustin"];
pub(super) const PREWARP: ParamDef = ParamDef::number("Prewarp Frequency", &[0.0])
    .fixed()
    .unit("rad/s")
    .doc("The frequency at which the method tustin is exact; 0: at low frequencies");

/// Whether the coefficients are those of a continuous system.
pub(super) fn is_continuous(b: &Builder) -> bool {
    b.settings().choice("Given As") == "continuous"
}

fn method_of(b: &Builder) -> Discretization {
    match b.settings().choice("Method") {
        "first-order hold" => Discretization::FirstOrderHold,
        "impulse" => Discretization::Impulse,
        "tustin" => {
            let frequency = b.settings().number("Prewarp Frequency");
            Discretization::Tustin { prewarp: (frequency != 0.0).then_some(frequency) }
        }
        "matched" => Discretization::Matched,
        _ => Discretization::ZeroOrderHold,
    }
}

/// Records an error at the parameter that has to change.
fn refuse(b: &Builder, error: &DiscretizeError, [numerator, denominator]: [&'static str; 2]) {
    let param = match error {
        DiscretizeError::Prewarp(_) => "Prewarp Frequency",
        DiscretizeError::Feedthrough | DiscretizeError::NeedsTransferFunction => "Method",
        DiscretizeError::Improper => numerator,
        _ => denominator,
    };
    b.refuse(param, error.to_string());
}

/// Returns the polynomials in z of a transfer function in s; none after an error, which is recorded.
pub(super) fn transfer_function(
    b: &Builder,
    numerator: &[f64],
    denominator: &[f64],
    params: [&'static str; 2],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let found = discretize_polynomials(numerator, denominator, b.delta(), method_of(b));
    found.map_err(|error| refuse(b, &error, params)).ok()
}

/// Replaces the matrices of a continuous system by those of the discrete one. Returns whether that succeeded; an error is
/// recorded.
pub(super) fn state_space<'b>(b: &'b Builder<'b>, system: &mut StateSpace<'b>) -> bool {
    let (order, inputs, outputs) = (system.order, system.inputs, system.outputs);
    let matrix = |name: &str, rows: usize, columns: usize| {
        let values = b.settings().numbers(name);
        Matrix { rows, columns, values: values.to_vec() }
    };
    let d = if system.d.is_some() { matrix("D", outputs, inputs) } else { Matrix::zero(outputs, inputs) };
    let given = StateMatrices {
        a: matrix("A", order, order),
        b: matrix("B", order, inputs),
        c: matrix("C", outputs, order),
        d,
    };
    match discretize_matrices(&given, b.delta(), method_of(b)) {
        Ok(StateMatrices { a, b: input, c, d }) => {
            (system.a, system.b, system.c) = (b.vector(&a.values), b.vector(&input.values), b.vector(&c.values));
            system.d = d.values.iter().any(|value| *value != 0.0).then(|| b.vector(&d.values));
            true
        }
        Err(error) => {
            refuse(b, &error, ["A", "A"]);
            false
        }
    }
}
