//! The conformance test of a solver: its order, and that a step depends only on its arguments.

use crate::block::{CallError, Method};

/// The derivatives of x″ = -x as two states, and of a state that depends only on time: x₂ = t - sin t.
fn rates(time: f64, x: &[f64], rates: &mut [f64]) {
    rates.copy_from_slice(&[x[1], -x[0], 1.0 - time.cos()]);
}

/// The end time in seconds.
const END: f64 = 2.0;
/// The tolerance of the measured order: halving the step divides the error by approximately 2^order.
const SLACK: f64 = 0.7;
/// Smaller errors are rounding errors.
const LEAST: f64 = 1e-11;

/// Returns the errors of a solver, tested on a harmonic oscillator and a state that depends only on time.
pub fn solver(method: &dyn Method) -> Vec<String> {
    let mut errors = Vec::new();
    let mut error = |text: String| errors.push(format!("{}: {text}", method.name()));
    if method.name().is_empty() || method.doc().is_empty() {
        error("it has no name or no doc".to_owned());
    }
    if method.order() == 0 {
        error("a method needs an order of at least 1".to_owned());
    }
    match [16, 32, 64].map(|count| error_of(method, count)) {
        [Ok(_), Ok(coarse), Ok(fine)] => {
            let order = (coarse / fine).log2();
            if fine > LEAST && order.is_nan() | (order < f64::from(method.order()) - SLACK) {
                error(format!("its order is {order:.2}, not {}", method.order()));
            }
        }
        results => results.into_iter().filter_map(Result::err).take(1).for_each(|found| error(found.to_string())),
    }
    let bits = || run(method, 16).map(|x| x.map(f64::to_bits));
    if bits() != bits() {
        error("the same steps give other bits".to_owned());
    }
    let mut none: [f64; 0] = [];
    if let Err(problem) = method.step(&mut |_, _, _| {}, 0.0, 0.1, &mut none) {
        error(format!("without states it {problem}"));
    }
    errors
}

/// Returns the largest error at the end after `count` steps.
fn error_of(method: &dyn Method, count: u32) -> Result<f64, CallError> {
    let x = run(method, count)?;
    let exact = [END.cos(), -END.sin(), END - END.sin()];
    Ok(x.iter().zip(exact).map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max))
}

fn run(method: &dyn Method, count: u32) -> Result<[f64; 3], CallError> {
    let mut x = [1.0, 0.0, 0.0];
    let h = END / f64::from(count);
    for step in 0..count {
        method.step(&mut rates, f64::from(step) * h, h, &mut x)?;
    }
    Ok(x)
}
