//! The tangents of functions in Rust, as functions that the step code calls.

use crate::block::{CallError, HostFn, HostFunction};

/// The derivative of a function: it is called with the arguments of the function, and then with their tangents in all
/// directions, argument by argument.
#[derive(Debug)]
pub(super) struct CallTangent {
    pub of: HostFn,
    pub arguments: usize,
    pub directions: usize,
}

impl HostFunction for CallTangent {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let (values, tangents) = args.split_at(self.arguments.min(args.len()));
        let mut slope = vec![0.0; out.len() / self.directions.max(1)];
        for direction in 0..self.directions {
            let along: Vec<f64> = tangents.iter().skip(direction).step_by(self.directions).copied().collect();
            match along.iter().all(|tangent| *tangent == 0.0) {
                true => slope.fill(0.0),
                false => self.of.slope(values, &along, &mut slope),
            }
            out.iter_mut().skip(direction).step_by(self.directions).zip(&slope).for_each(|(out, slope)| *out = *slope);
        }
        Ok(())
    }
}
