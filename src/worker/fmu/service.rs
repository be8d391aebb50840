//! Requests as calls of an FMU.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};

use super::groups::{VariableGroup, groups};
use super::three::FmuThree;
use super::two::FmuTwo;
use crate::format::fmu::{FmiVersion, Simulated};
use crate::worker::message::{Load, Request};
use crate::worker::serve::{Service, ServiceError};

/// An instance of an FMU, of either version. The order of the calls is that of FMI.
pub trait FmuInstance {
    fn set(&mut self, group: &VariableGroup, values: &[f64]) -> Result<(), ServiceError>;
    fn get(&mut self, group: &VariableGroup, all: &mut [f64]) -> Result<(), ServiceError>;
    fn set_text(&mut self, reference: u32, value: &str) -> Result<(), ServiceError>;
    fn enter_initialization(&mut self, time: f64) -> Result<(), ServiceError>;
    fn exit_initialization(&mut self) -> Result<(), ServiceError>;
    fn do_step(&mut self, time: f64, length: f64) -> Result<(), ServiceError>;
    fn save(&mut self) -> Result<*mut c_void, ServiceError>;
    fn restore(&mut self, state: *mut c_void) -> Result<(), ServiceError>;
    fn forget(&mut self, state: *mut c_void) -> Result<(), ServiceError>;
    fn set_time(&mut self, time: f64) -> Result<(), ServiceError>;
    fn set_states(&mut self, states: &[f64]) -> Result<(), ServiceError>;
    fn states(&mut self, out: &mut [f64]) -> Result<(), ServiceError>;
    fn derivatives(&mut self, out: &mut [f64]) -> Result<(), ServiceError>;
    fn indicators(&mut self, out: &mut [f64]) -> Result<(), ServiceError>;
    fn enter_event_mode(&mut self) -> Result<(), ServiceError>;
    fn update_discrete(&mut self) -> Result<EventUpdate, ServiceError>;
    fn enter_continuous_mode(&mut self) -> Result<(), ServiceError>;
    /// Completes a step of the solver; true if the FMU wants an event.
    fn complete_step(&mut self) -> Result<bool, ServiceError>;
    fn end(&mut self);
}

/// The result of an event update of an FMU.
pub struct EventUpdate {
    pub needs_more: bool,
    pub ends: bool,
    /// The time of the next time event in seconds.
    pub next_time: Option<f64>,
}

/// The FMU of a worker: one instance at most.
#[derive(Default)]
pub struct FmuService(Option<LoadedFmu>);

struct LoadedFmu {
    instance: Box<dyn FmuInstance>,
    load: Load,
    parameters: Vec<VariableGroup>,
    inputs: Vec<VariableGroup>,
    outputs: Vec<VariableGroup>,
    widths: FmuWidths,
    /// Saved states with the time of the next time event.
    saved: BTreeMap<u32, (*mut c_void, f64)>,
    next_number: u32,
    next_time: f64,
}

#[derive(Clone, Copy)]
struct FmuWidths {
    parameters: usize,
    inputs: usize,
    outputs: usize,
    states: usize,
}

/// The maximum number of iterations of an event.
const MAX_ITERATIONS: usize = 1000;

/// Returns a text for C.
pub fn text(text: &str) -> Result<CString, ServiceError> {
    CString::new(text).map_err(|_| ServiceError::new("a text for the FMU contains a zero"))
}

impl Service for FmuService {
    fn answer(&mut self, request: Request) -> Result<Vec<f64>, ServiceError> {
        match (request, &mut self.0) {
            (Request::Load(load), None) => {
                self.0 = Some(LoadedFmu::new(*load)?);
                Ok(Vec::new())
            }
            (Request::Load(_), Some(_)) => Err(ServiceError::new("the worker has an FMU already")),
            (request, Some(loaded)) => loaded.answer(request),
            (_, None) => Err(ServiceError::new("the worker has no FMU")),
        }
    }
}

fn short() -> ServiceError {
    ServiceError::new("a request has too few or too many values")
}

/// Splits as many values off as a part has.
fn take<'a>(values: &mut &'a [f64], count: usize) -> Result<&'a [f64], ServiceError> {
    let (part, rest) = values.split_at_checked(count).ok_or_else(short)?;
    *values = rest;
    Ok(part)
}

fn one(values: &mut &[f64]) -> Result<f64, ServiceError> {
    take(values, 1)?.first().copied().ok_or_else(short)
}

fn end(values: &[f64]) -> Result<(), ServiceError> {
    if values.is_empty() { Ok(()) } else { Err(short()) }
}

impl LoadedFmu {
    fn new(load: Load) -> Result<LoadedFmu, ServiceError> {
        let instance: Box<dyn FmuInstance> = match load.version {
            FmiVersion::Two => Box::new(FmuTwo::instantiate(&load)?),
            FmiVersion::Three => Box::new(FmuThree::instantiate(&load)?),
        };
        let width = |slots: &[_]| slots.iter().map(|slot: &crate::worker::Slot| slot.width as usize).sum();
        let widths = FmuWidths {
            parameters: width(&load.parameters),
            inputs: width(&load.inputs),
            outputs: width(&load.outputs),
            states: load.states as usize,
        };
        let [parameters, inputs, outputs] = [&load.parameters, &load.inputs, &load.outputs].map(|slots| groups(slots));
        let (saved, next_number, next_time) = (BTreeMap::new(), 0, f64::INFINITY);
        Ok(LoadedFmu { instance, load, parameters, inputs, outputs, widths, saved, next_number, next_time })
    }

    fn answer(&mut self, request: Request) -> Result<Vec<f64>, ServiceError> {
        match request {
            Request::Load(_) => Err(ServiceError::new("the worker has an FMU already")),
            Request::Start(values) => self.start(&values),
            Request::Step(values) => {
                let (time, length) = self.begin_step(&values)?;
                self.instance.do_step(time, length)?;
                self.outputs()
            }
            Request::StepAfter(values) => {
                let (time, length) = self.begin_step(&values)?;
                let outputs = self.outputs()?;
                self.instance.do_step(time, length)?;
                Ok(outputs)
            }
            Request::Evaluate(values) => self.evaluate(&values),
            Request::Decide(values) => self.decide(&values),
            Request::Save => {
                let state = self.instance.save()?;
                self.next_number = self.next_number.wrapping_add(1);
                self.saved.insert(self.next_number, (state, self.next_time));
                Ok(vec![f64::from(self.next_number)])
            }
            Request::Restore(number) => {
                let (state, next_time) = self.saved.get(&number).copied().ok_or_else(unknown)?;
                self.next_time = next_time;
                self.instance.restore(state).map(|()| Vec::new())
            }
            Request::Forget(number) => {
                let (state, _) = self.saved.remove(&number).ok_or_else(unknown)?;
                self.instance.forget(state).map(|()| Vec::new())
            }
            Request::Close => {
                self.instance.end();
                Ok(Vec::new())
            }
        }
    }

    fn start(&mut self, values: &[f64]) -> Result<Vec<f64>, ServiceError> {
        let mut rest = values;
        let time = one(&mut rest)?;
        let parameters = take(&mut rest, self.widths.parameters)?;
        for (reference, value) in &self.load.texts {
            self.instance.set_text(*reference, value)?;
        }
        for group in &self.parameters {
            self.instance.set(group, parameters)?;
        }
        self.instance.enter_initialization(time)?;
        if !rest.is_empty() {
            let inputs = take(&mut rest, self.widths.inputs)?;
            end(rest)?;
            for group in &self.inputs {
                self.instance.set(group, inputs)?;
            }
        }
        self.instance.exit_initialization()?;
        match self.load.simulated {
            Simulated::CoSimulation => self.outputs(),
            // After initialization the FMU is in event mode.
            Simulated::ModelExchange => self.iterate_event(),
        }
    }

    /// Sets the inputs, and returns the time and the length of the step.
    fn begin_step(&mut self, values: &[f64]) -> Result<(f64, f64), ServiceError> {
        let mut rest = values;
        let (time, length) = (one(&mut rest)?, one(&mut rest)?);
        let inputs = take(&mut rest, self.widths.inputs)?;
        end(rest)?;
        for group in &self.inputs {
            self.instance.set(group, inputs)?;
        }
        Ok((time, length))
    }

    fn outputs(&mut self) -> Result<Vec<f64>, ServiceError> {
        let mut all = vec![0.0; self.widths.outputs];
        for group in &self.outputs {
            self.instance.get(group, &mut all)?;
        }
        Ok(all)
    }

    /// Sets time, states and those inputs that may change without an event; returns all inputs.
    fn set_point<'a>(&mut self, mut rest: &'a [f64]) -> Result<&'a [f64], ServiceError> {
        let time = one(&mut rest)?;
        let states = take(&mut rest, self.widths.states)?;
        let inputs = take(&mut rest, self.widths.inputs)?;
        end(rest)?;
        self.instance.set_time(time)?;
        if !states.is_empty() {
            self.instance.set_states(states)?;
        }
        for group in self.inputs.iter().filter(|group| group.is_continuous) {
            self.instance.set(group, inputs)?;
        }
        Ok(inputs)
    }

    fn evaluate(&mut self, values: &[f64]) -> Result<Vec<f64>, ServiceError> {
        self.set_point(values)?;
        let mut derivatives = vec![0.0; self.widths.states];
        if !derivatives.is_empty() {
            self.instance.derivatives(&mut derivatives)?;
        }
        let mut indicators = vec![0.0; self.load.indicators as usize];
        if !indicators.is_empty() {
            self.instance.indicators(&mut indicators)?;
        }
        let outputs = self.outputs()?;
        Ok([derivatives, indicators, outputs].concat())
    }

    fn decide(&mut self, values: &[f64]) -> Result<Vec<f64>, ServiceError> {
        let mut rest = values;
        let is_event = one(&mut rest)? != 0.0;
        let inputs = self.set_point(rest)?;
        if !self.instance.complete_step()? && !is_event {
            return self.decided(StepOutcome::Plain);
        }
        self.instance.enter_event_mode()?;
        for group in &self.inputs {
            self.instance.set(group, inputs)?;
        }
        self.iterate_event()
    }

    /// Iterates an event until the FMU has settled, and enters continuous-time mode.
    fn iterate_event(&mut self) -> Result<Vec<f64>, ServiceError> {
        for _ in 0..MAX_ITERATIONS {
            let info = self.instance.update_discrete()?;
            if info.ends {
                return Err(ServiceError::new("the FMU ended the simulation at an event"));
            }
            if !info.needs_more {
                self.next_time = info.next_time.unwrap_or(f64::INFINITY);
                self.instance.enter_continuous_mode()?;
                return self.decided(StepOutcome::Event);
            }
        }
        Err(ServiceError::new(format!("the FMU does not settle after {MAX_ITERATIONS} iterations of an event")))
    }

    fn decided(&mut self, outcome: StepOutcome) -> Result<Vec<f64>, ServiceError> {
        let mut states = vec![0.0; self.widths.states];
        if !states.is_empty() {
            self.instance.states(&mut states)?;
        }
        let was_event = if outcome == StepOutcome::Event { 1.0 } else { 0.0 };
        Ok([self.next_time, was_event].into_iter().chain(states).collect())
    }
}

/// How a step of an FMU for model exchange ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepOutcome {
    Plain,
    Event,
}

fn unknown() -> ServiceError {
    ServiceError::new("there is no saved state of this number")
}
