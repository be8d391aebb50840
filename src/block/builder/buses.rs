//! The names of elements: the buses at a block's inputs, and those that its outputs are.
//!
//! Names follow values that a block only moves: from an input through a selection between signals, a state or a delay
//! line to an output. Arithmetic drops them. So a switch or a delay passes a bus on without knowing about it; a block
//! that names elements itself sets the bus of its output.

use std::sync::Arc;

use super::Builder;
use crate::block::draft::Draft;
use crate::block::{BuildError, Bus, Op, Reg, SignalType, StateKind, Update};

/// The maximum number of states in a row through which names are followed.
const MAX_STATES: usize = 64;

impl Builder<'_> {
    /// Returns the width of an input and the names of its elements.
    pub fn input_type(&self, input: usize) -> SignalType {
        self.inputs.get(input).cloned().unwrap_or(SignalType::plain(1))
    }

    /// Sets the names of an output's elements.
    pub fn name_elements(&self, output: usize, bus: Bus) {
        self.set_bus(output, Some(Arc::new(bus)));
    }

    /// Sets that an output has no names, whatever its value is.
    pub fn drop_names(&self, output: usize) {
        self.set_bus(output, None);
    }

    pub(in crate::block) fn set_bus(&self, output: usize, bus: Option<Arc<Bus>>) {
        if let Some(set) = self.tape.borrow_mut().buses.get_mut(output) {
            *set = Some(bus);
        }
    }

    /// Records that an input must be a bus.
    pub fn refuse_plain(&self, input: usize) {
        self.fail(BuildError::NotABus { input });
    }

    /// Records that a parameter names an element that a bus does not have.
    pub fn refuse_element(&self, param: &'static str, name: &str, bus: &Bus) {
        self.fail(BuildError::UnknownElement { param, name: name.to_owned(), known: bus.similar(name) });
    }

    /// Records that the elements of two inputs, which are to be one signal, have different names.
    pub fn refuse_buses(&self, (left_input, left): (usize, &Bus), (right_input, right): (usize, &Bus)) {
        let (left, right) = (left.to_string(), right.to_string());
        self.fail(BuildError::Buses { left, right, left_input, right_input });
    }

    /// Returns the bus of each output of the finished tape. Records an error where an output is one of two buses.
    pub(super) fn buses_of_outputs(&self) -> Vec<Option<Arc<Bus>>> {
        let (found, clash) = {
            let tape = self.tape.borrow();
            let mut search = Search { inputs: self.inputs, tape: &tape, states: Vec::new(), clash: None };
            let buses = search.buses();
            // The width is that of the output only if nothing is wrong with the tape.
            let fits = |bus: &Arc<Bus>, reg: Reg| tape.widths[reg as usize] as usize == bus.width();
            let of_output = |(reg, set): (&Option<Reg>, &Option<Option<Arc<Bus>>>)| {
                let reg = (*reg)?;
                match set {
                    Some(set) => set.clone().filter(|bus| fits(bus, reg)),
                    None => buses.get(reg as usize)?.as_ref().map(|(bus, _)| Arc::clone(bus)),
                }
            };
            (tape.outputs.iter().zip(&tape.buses).map(of_output).collect(), search.clash)
        };
        if let Some(clash) = clash {
            self.fail(clash);
        }
        found
    }
}

/// A bus and the input that it comes from.
type Found = Option<(Arc<Bus>, usize)>;

/// Follows names through a tape.
struct Search<'a> {
    inputs: &'a [SignalType],
    tape: &'a Draft,
    /// The bus of each state.
    states: Vec<Found>,
    clash: Option<BuildError>,
}

impl Search<'_> {
    /// Returns the bus of each register; nothing if no input is a bus.
    fn buses(&mut self) -> Vec<Found> {
        if self.inputs.iter().all(|input| input.bus.is_none()) {
            return Vec::new();
        }
        self.states = vec![None; self.tape.states.len()];
        for _ in 0..MAX_STATES {
            let buses = self.registers();
            let before = self.states.clone();
            for update in &self.tape.updates {
                let (Update::Next { state, value }
                | Update::Push { history: state, value, .. }
                | Update::Record { record: state, value, .. }) = *update
                else {
                    continue;
                };
                let next = self.meet(before[state].clone(), buses[value as usize].clone());
                self.states[state] = next.filter(|(bus, _)| bus.width() == self.tape.states[state].width);
            }
            if before == self.states {
                return buses;
            }
        }
        self.registers()
    }

    fn registers(&mut self) -> Vec<Found> {
        let mut buses: Vec<Found> = Vec::with_capacity(self.tape.ops.len());
        for (op, width) in self.tape.ops.iter().zip(&self.tape.widths) {
            let of = |reg: Reg| buses[reg as usize].clone();
            let found = match *op {
                Op::Input(input) => {
                    let bus = self.inputs[input as usize].bus.clone();
                    bus.map(|bus| (bus, input as usize))
                }
                Op::State(state) | Op::Held(state) => self.of_state(state),
                Op::Past { history, .. } => self.of_state(history),
                Op::Recorded { record, read, .. } if read.is_signal() => self.of_state(record),
                Op::Select { yes, no, .. } => self.meet(of(yes), of(no)),
                Op::Slice { of: reg, start } => {
                    of(reg).and_then(|(bus, input)| Some((bus.part(start as usize, *width as usize)?, input)))
                }
                _ => None,
            };
            // A scalar bus that was expanded to a vector has lost its names.
            buses.push(found.filter(|(bus, _)| bus.width() == *width as usize));
        }
        buses
    }

    /// The names of a state that holds values; an integral does not pass names on.
    fn of_state(&self, state: u32) -> Found {
        let is_moved = self.tape.states[state as usize].kind != StateKind::Continuous;
        self.states[state as usize].clone().filter(|_| is_moved)
    }

    /// Returns the bus of a signal that is one of two; values without names may be anything.
    fn meet(&mut self, left: Found, right: Found) -> Found {
        match (left, right) {
            (Some((left, left_input)), Some((right, right_input))) if left != right => {
                let (left_text, right_text) = (left.to_string(), right.to_string());
                self.clash.get_or_insert(BuildError::Buses {
                    left: left_text,
                    right: right_text,
                    left_input,
                    right_input,
                });
                Some((left, left_input))
            }
            (left, right) => left.or(right),
        }
    }
}
