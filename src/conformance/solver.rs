//! What a solver keeps: its order, and that a step depends on nothing but what it is given.

use crate::block::Method;

/// x″ = -x as two states, and a forcing that only the time knows: x₂ = t - sin t.
fn rates(time: f64, x: &[f64], rates: &mut [f64]) {
    rates.copy_from_slice(&[x[1], -x[0], 1.0 - time.cos()]);
}

/// Seconds.
const END: f64 = 2.0;
/// What is not clearly better than the order asks is no breach: halving a step divides the error by 2^order about.
const SLACK: f64 = 0.7;
/// Errors below this are those of the arithmetic.
const LEAST: f64 = 1e-11;

/// The breaches of a solver: on a harmonic oscillator, whose states are cosine and sine, and a state that the time
/// drives.
pub fn solver(method: &dyn Method) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut breach = |text: String| breaches.push(format!("{}: {text}", method.name()));
    if method.name().is_empty() || method.doc().is_empty() {
        breach("it has no name or no doc".to_owned());
    }
    if method.order() == 0 {
        breach("a method of order 0 goes nowhere".to_owned());
    }
    match [16, 32, 64].map(|count| error_of(method, count)) {
        [Ok(_), Ok(coarse), Ok(fine)] => {
            let order = (coarse / fine).log2();
            if fine > LEAST && order.is_nan() | (order < f64::from(method.order()) - SLACK) {
                breach(format!("its order is {order:.2}, not {}", method.order()));
            }
        }
        errors => errors.into_iter().filter_map(Result::err).take(1).for_each(&mut breach),
    }
    let bits = || run(method, 16).map(|x| x.map(f64::to_bits));
    if bits() != bits() {
        breach("the same steps give other bits".to_owned());
    }
    let mut none: [f64; 0] = [];
    if let Err(problem) = method.step(&mut |_, _, _| {}, 0.0, 0.1, &mut none) {
        breach(format!("without states it {problem}"));
    }
    breaches
}

/// The largest error at the end, in so many steps.
fn error_of(method: &dyn Method, count: u32) -> Result<f64, String> {
    let x = run(method, count)?;
    let exact = [END.cos(), -END.sin(), END - END.sin()];
    Ok(x.iter().zip(exact).map(|(x, exact)| (x - exact).abs()).fold(0.0, f64::max))
}

fn run(method: &dyn Method, count: u32) -> Result<[f64; 3], String> {
    let mut x = [1.0, 0.0, 0.0];
    let h = END / f64::from(count);
    for step in 0..count {
        method.step(&mut rates, f64::from(step) * h, h, &mut x)?;
    }
    Ok(x)
}
