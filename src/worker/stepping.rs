//! The functions of a block for an FMU in co-simulation.

use std::sync::Arc;

use super::history::{FmuHistory, PointToken, ROOT};
use super::message::Request;
use crate::block::{CallError, Cancel, HostFunction, TOKEN};

/// How many numbers each part of the arguments has.
#[derive(Clone, Copy, Debug)]
pub struct StepWidths {
    pub parameters: usize,
    pub inputs: usize,
    pub outputs: usize,
}

/// The outputs at the start of a step: those of the initialized FMU, then those of the last step.
#[derive(Debug)]
pub struct StepOutputs {
    pub history: Arc<FmuHistory>,
    pub widths: StepWidths,
}

/// A step.
#[derive(Debug)]
pub struct CoSimulationStep {
    pub history: Arc<FmuHistory>,
    pub widths: StepWidths,
    /// The length of a step in seconds.
    pub length: f64,
    /// Whether the outputs are read before the step.
    pub is_direct: bool,
}

/// Arguments of a function, taken part by part.
pub struct Arguments<'a>(pub &'a [f64]);

impl<'a> Arguments<'a> {
    pub fn take(&mut self, count: usize) -> Result<&'a [f64], CallError> {
        let (part, rest) = self.0.split_at_checked(count).ok_or_else(|| CallError::new("arguments are missing"))?;
        self.0 = rest;
        Ok(part)
    }

    pub fn one(&mut self) -> Result<f64, CallError> {
        Ok(self.take(1)?.first().copied().unwrap_or_default())
    }

    pub fn token(&mut self) -> Result<PointToken, CallError> {
        let numbers = self.take(TOKEN)?;
        let is_whole = |number: &f64| (0.0..=(1_u64 << 52) as f64).contains(number) && number.fract() == 0.0;
        match numbers {
            [a, b] if numbers.iter().all(is_whole) => Ok([*a as u64, *b as u64]),
            _ => Err(CallError::new("the state of the block is not that of an FMU")),
        }
    }
}

pub fn write(parts: &[&[f64]], out: &mut [f64]) {
    let all = parts.iter().flat_map(|part| part.iter());
    out.iter_mut().zip(all).for_each(|(out, number)| *out = *number);
}

/// Returns the numbers of a token.
pub fn numbers_of(token: PointToken) -> [f64; TOKEN] {
    token.map(|part| part as f64)
}

fn start(parameters: &[f64]) -> Request {
    Request::Start(std::iter::once(&0.0).chain(parameters).copied().collect())
}

impl HostFunction for StepOutputs {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.call_until(args, out, None)
    }

    fn call_until(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        let mut args = Arguments(args);
        let (token, parameters) = (args.token()?, args.take(self.widths.parameters)?);
        let last = args.take(self.widths.outputs)?;
        if token == ROOT {
            let (_, outputs) = self.history.advance(ROOT, start(parameters), self.widths.outputs, cancel)?;
            write(&[&outputs], out);
        } else {
            write(&[last], out);
        }
        Ok(())
    }

    /// After the start the outputs are the last argument.
    fn slope(&self, args: &[f64], tangents: &[f64], out: &mut [f64]) {
        let first = args.len().saturating_sub(self.widths.outputs);
        write(&[tangents.get(first..).unwrap_or_default()], out);
    }
}

impl HostFunction for CoSimulationStep {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.call_until(args, out, None)
    }

    fn call_until(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        let mut args = Arguments(args);
        let is_due = args.one()? != 0.0;
        let (token, number) = (args.token()?, args.one()?);
        let parameters = args.take(self.widths.parameters)?;
        let (inputs, last) = (args.take(self.widths.inputs)?, args.take(self.widths.outputs)?);
        if !is_due {
            write(&[&numbers_of(token), last], out);
            return Ok(());
        }
        let at = match token {
            // A direct FMU is initialized with its first inputs.
            ROOT if self.is_direct => {
                let all = [&[0.0], parameters, inputs].concat();
                self.history.note(ROOT, Request::Start(all))
            }
            ROOT => self.history.note(ROOT, start(parameters)),
            token => token,
        };
        let values = [&[number * self.length, self.length], inputs].concat();
        let request = if self.is_direct { Request::StepAfter(values) } else { Request::Step(values) };
        let (token, outputs) = self.history.advance(at, request, self.widths.outputs, cancel)?;
        write(&[&numbers_of(token), &outputs], out);
        Ok(())
    }

    /// A step of an FMU is not a function with a derivative.
    fn slope(&self, _: &[f64], _: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
}
