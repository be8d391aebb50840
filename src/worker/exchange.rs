//! The functions of a block for an FMU in model exchange.

use std::sync::Arc;

use super::history::{FmuHistory, PointToken, ROOT};
use super::message::Request;
use super::stepping::{Arguments, numbers_of, write};
use crate::block::{CallError, Cancel, HostFunction};

/// An FMU and how many numbers each part of the arguments has.
#[derive(Debug)]
pub struct ExchangeModel {
    pub history: Arc<FmuHistory>,
    pub parameters: usize,
    pub states: usize,
    pub indicators: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// The indices of the elements of inputs that change only at events.
    pub discrete: Vec<usize>,
    /// Whether the FMU wants to know of each completed step.
    pub completes: bool,
    /// An event that is less than this time ahead, in seconds, is now: times are multiples of the step, rounded.
    pub now: f64,
}

/// Initializes the FMU, once.
#[derive(Debug)]
pub struct ExchangeStart(pub Arc<ExchangeModel>);

/// Finds and does events, and completes steps.
#[derive(Debug)]
pub struct ExchangeDecision(pub Arc<ExchangeModel>);

/// Derivatives, event indicators and outputs.
#[derive(Debug)]
pub struct ExchangeRates(pub Arc<ExchangeModel>);

/// Where an FMU is: its history, and the time and states that only our solver knows.
#[derive(Clone, Copy)]
struct ExchangePoint<'a> {
    token: PointToken,
    time: f64,
    states: &'a [f64],
    inputs: &'a [f64],
}

impl ExchangeModel {
    fn look(&self, point: ExchangePoint, cancel: Option<&Cancel>) -> Result<Vec<f64>, CallError> {
        let ExchangePoint { token, time, states, inputs } = point;
        let request = Request::Evaluate([&[time], states, inputs].concat());
        self.history.look(token, &request, self.states + self.indicators + self.outputs, cancel)
    }

    /// Returns 1 for each event indicator that is above 0, else 0.
    fn sides(&self, point: ExchangePoint, cancel: Option<&Cancel>) -> Result<Vec<f64>, CallError> {
        if self.indicators == 0 {
            return Ok(Vec::new());
        }
        let all = self.look(point, cancel)?;
        let indicators = all.iter().skip(self.states).take(self.indicators);
        Ok(indicators.map(|value| f64::from(u8::from(*value > 0.0))).collect())
    }

    fn discrete(&self, inputs: &[f64]) -> Vec<f64> {
        self.discrete.iter().map(|index| inputs.get(*index).copied().unwrap_or_default()).collect()
    }
}

impl HostFunction for ExchangeStart {
    /// From token, time of the next time event, time, states and parameters: token, time of the next time event, 1 if it
    /// started, states.
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.call_until(args, out, None)
    }

    fn call_until(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        let ExchangeStart(exchange) = self;
        let mut args = Arguments(args);
        let (token, next_time, time) = (args.token()?, args.one()?, args.one()?);
        let (states, parameters) = (args.take(exchange.states)?, args.take(exchange.parameters)?);
        if token != ROOT {
            write(&[&numbers_of(token), &[next_time, 0.0], states], out);
            return Ok(());
        }
        let request = Request::Start([&[time], parameters].concat());
        let (token, answer) = exchange.history.advance(ROOT, request, 2 + exchange.states, cancel)?;
        write(&[&numbers_of(token), &[answer.first().copied().unwrap_or(f64::INFINITY), 1.0]], out);
        write(&[answer.get(2..).unwrap_or_default()], out.get_mut(4..).unwrap_or_default());
        Ok(())
    }

    /// Once started, the states are those given.
    fn slope(&self, _: &[f64], tangents: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let states = tangents.get(4..4 + self.0.states).unwrap_or_default();
        write(&[states], out.get_mut(4..).unwrap_or_default());
    }
}

impl HostFunction for ExchangeDecision {
    /// From 1 or 0 (whether decisions may change), 1 or 0 (whether a step of the solver is complete), 1 or 0 (whether
    /// there is an event in any case), token, time of the next time event, time, states, inputs, the sides of the
    /// indicators and the discrete inputs at the last event: token, time of the next time event, 1 if there was an
    /// event, states, sides, discrete inputs.
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.call_until(args, out, None)
    }

    fn call_until(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        let ExchangeDecision(exchange) = self;
        let mut args = Arguments(args);
        let (may, completes, must) = (args.one()? != 0.0, args.one()? != 0.0, args.one()? != 0.0);
        let (token, next_time, time) = (args.token()?, args.one()?, args.one()?);
        let (states, inputs) = (args.take(exchange.states)?, args.take(exchange.inputs)?);
        let (sides, held) = (args.take(exchange.indicators)?, args.take(exchange.discrete.len())?);
        let unchanged = [&numbers_of(token), &[next_time, 0.0][..], states, sides, held];
        if !may {
            write(&unchanged, out);
            return Ok(());
        }
        let time = if (next_time - time).abs() <= exchange.now { next_time } else { time };
        let point = ExchangePoint { token, time, states, inputs };
        let discrete = exchange.discrete(inputs);
        let is_event = must || time >= next_time || discrete != held || exchange.sides(point, cancel)? != sides;
        let is_complete = completes && exchange.completes;
        if !is_event && !is_complete {
            write(&unchanged, out);
            return Ok(());
        }
        let request = Request::Decide([&[f64::from(u8::from(is_event)), time], states, inputs].concat());
        let (token, answer) = exchange.history.advance(token, request, 2 + exchange.states, cancel)?;
        let (head, states) = answer.split_at_checked(2).unwrap_or_default();
        let [next_time, was_event] = head.try_into().unwrap_or([f64::INFINITY, 0.0]);
        // Without an event the states are those of the solver, to the last bit.
        let (states, sides) = match was_event != 0.0 {
            true => (states, exchange.sides(ExchangePoint { token, time, states, inputs }, cancel)?),
            false => (point.states, sides.to_vec()),
        };
        write(&[&numbers_of(token), &[next_time, was_event], states, &sides, &discrete], out);
        Ok(())
    }

    /// Between events the states are those given.
    fn slope(&self, _: &[f64], tangents: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let states = tangents.get(7..7 + self.0.states).unwrap_or_default();
        write(&[states], out.get_mut(4..).unwrap_or_default());
    }
}

impl HostFunction for ExchangeRates {
    /// From token, time, states and inputs: derivatives, event indicators, outputs.
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.call_until(args, out, None)
    }

    fn call_until(&self, args: &[f64], out: &mut [f64], cancel: Option<&Cancel>) -> Result<(), CallError> {
        let ExchangeRates(exchange) = self;
        let mut args = Arguments(args);
        let (token, time) = (args.token()?, args.one()?);
        let (states, inputs) = (args.take(exchange.states)?, args.take(exchange.inputs)?);
        write(&[&exchange.look(ExchangePoint { token, time, states, inputs }, cancel)?], out);
        Ok(())
    }
}
