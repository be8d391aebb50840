//! Functions in Rust that a tape calls, for what instructions cannot express.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::cancel::Cancel;
use super::library::data::Curve;

/// Why a function or a solver has no result: a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CallError(String);

impl CallError {
    /// Returns the error of a call that fails because of this problem.
    pub fn new(problem: impl Into<String>) -> CallError {
        CallError(problem.into())
    }
}

/// A pure function of its arguments: it keeps no state, reads no clock, and returns the same bits for the same bits on
/// every machine.
pub trait HostFunction: Debug + Send + Sync {
    /// Computes `out` from the elements of all arguments, one after the other. It must not panic for any values.
    ///
    /// # Errors
    /// Fails if there is no result; the step then fails.
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError>;

    /// Computes the same as [`HostFunction::call`], but may fail as soon as the run is cancelled. A function that waits for
    /// something must.
    ///
    /// # Errors
    /// As [`HostFunction::call`], and if the run is cancelled.
    fn call_until(&self, args: &[f64], out: &mut [f64], _cancel: Option<&Cancel>) -> Result<(), CallError> {
        self.call(args, out)
    }

    /// The curve that it interpolates, if that is all it does: exported code then has the rows as a table.
    fn curve(&self) -> Option<&Curve> {
        None
    }

    /// Computes the directional derivative of the results along `tangents`, by default with a finite difference. `out`
    /// is as long as the results.
    fn slope(&self, args: &[f64], tangents: &[f64], out: &mut [f64]) {
        let largest = tangents.iter().fold(0.0, |largest: f64, tangent| largest.max(tangent.abs()));
        let size = args.iter().fold(1.0, |size: f64, arg| if arg.is_finite() { size.max(arg.abs()) } else { size });
        let step = size * f64::EPSILON.sqrt() / largest;
        let moved: Vec<f64> = args.iter().zip(tangents).map(|(arg, tangent)| arg + step * tangent).collect();
        let (mut here, mut there) = (vec![0.0; out.len()], vec![0.0; out.len()]);
        let is_known = largest > 0.0 && self.call(args, &mut here).is_ok() && self.call(&moved, &mut there).is_ok();
        for ((out, here), there) in out.iter_mut().zip(here).zip(there) {
            *out = if is_known { (there - here) / step } else { 0.0 };
        }
    }
}

/// A shared function, equal only to itself.
#[derive(Clone, Debug)]
pub struct HostFn(pub Arc<dyn HostFunction>);

impl HostFn {
    /// Calls the function. A panic becomes an error, so that it leaves no engine in an inconsistent state and does not
    /// unwind through machine code, which would abort the program.
    ///
    /// # Errors
    /// Fails if the function fails or panics, or if the run is cancelled meanwhile.
    pub fn call(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        caught("the block's function", || self.0.call_until(args, out, cancel))
    }

    /// Calls [`HostFunction::slope`]. If that panics, the derivative is not-a-number.
    pub fn slope(&self, args: &[f64], tangents: &[f64], out: &mut [f64]) {
        if catch_unwind(AssertUnwindSafe(|| self.0.slope(args, tangents, out))).is_err() {
            out.fill(f64::NAN);
        }
    }
}

/// Calls code of a block; a panic in it becomes an error.
pub(crate) fn caught<T>(what: &str, call: impl FnOnce() -> Result<T, CallError>) -> Result<T, CallError> {
    let called = catch_unwind(AssertUnwindSafe(call));
    called.unwrap_or_else(|panic| Err(CallError(format!("{what} panicked: {}", panic_text(&*panic)))))
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("for an unknown reason")
}

impl PartialEq for HostFn {
    fn eq(&self, other: &HostFn) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x² + 3·y of two arguments, and x·y; nothing where y is above 1000.
    #[derive(Debug)]
    struct Products;

    impl HostFunction for Products {
        fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
            let (x, y) = (args[0], args[1]);
            if y > 1000.0 {
                return Err(CallError::new("y is too large"));
            }
            out.copy_from_slice(&[x * x + 3.0 * y, x * y]);
            Ok(())
        }
    }

    fn slope(args: [f64; 2], tangents: [f64; 2]) -> [f64; 2] {
        let mut out = [7.0; 2];
        Products.slope(&args, &tangents, &mut out);
        out
    }

    /// The slopes are (2·x·u + 3·v, y·u + x·v), whatever the length of the tangent (u, v) and the size of the arguments.
    #[test]
    fn a_finite_difference_fits_the_size_of_the_arguments() {
        for (x, y) in [(2.0, -5.0), (1e-3, 2e-3), (3e8, -4e8), (0.0, 0.0)] {
            for length in [1.0, 1e-9, 1e9] {
                for (u, v) in [(length, 0.0), (0.0, -length), (length, 0.5 * length)] {
                    let scale = (f64::abs(x) + f64::abs(y) + 3.0) * length;
                    for (got, want) in slope([x, y], [u, v]).into_iter().zip([2.0 * x * u + 3.0 * v, y * u + x * v]) {
                        assert!((got - want).abs() < 1e-6 * scale, "({x}, {y}) along ({u}, {v}): {got}, not {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_difference_counts_as_constant() {
        assert_eq!(slope([2.0, 3.0], [0.0, 0.0]), [0.0; 2]);
        assert_eq!(slope([2.0, 1001.0], [1.0, 1.0]), [0.0; 2], "no value here");
        assert_eq!(slope([2.0, 1000.0], [0.0, 1.0]), [0.0; 2], "no value beside it");
        // An infinite argument does not count for the size of the others.
        let [_, by_y] = slope([2.0, f64::NEG_INFINITY], [0.0, 0.0]);
        assert_eq!(by_y, 0.0);
        assert!(slope([f64::INFINITY, 2.0], [0.0, 1.0])[0].is_nan());
    }
}
