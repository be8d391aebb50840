//! Requests and answers: the meaning of the protocol.
//!
//! Frequent messages are a fixed sequence of doubles, lowest byte first; messages that are sent once are MessagePack.

use serde::{Deserialize, Serialize};

use super::frame::Frame;
use crate::format::fmu::{FmiVersion, FmuType, Simulated};

/// The version of the protocol. A worker says its version first, and one of another version is not used.
pub const VERSION: u32 = 1;

/// A request to a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Loads the library. Answered by no values.
    Load(Box<Load>),
    /// Instantiates and initializes: time, parameters, and inputs or none. Answered by the outputs; in model exchange by
    /// what [`Request::Decide`] answers.
    Start(Vec<f64>),
    /// Time, step length, inputs. Answered by the outputs at the end of the step.
    Step(Vec<f64>),
    /// Time, step length, inputs. Answered by the outputs before the step, with these inputs.
    StepAfter(Vec<f64>),
    /// Time, states, inputs. Answered by derivatives, event indicators, outputs.
    Evaluate(Vec<f64>),
    /// Whether there is an event, time, states, inputs. Completes a step of the solver, and iterates the event if there is
    /// one or the FMU asks for one. Answered by the time of the next time event (infinity: none), whether there was an
    /// event, and the states.
    Decide(Vec<f64>),
    /// Answered by the number of the saved state.
    Save,
    /// Restores the saved state of a number. Answered by no values.
    Restore(u32),
    /// Frees the saved state of a number. Answered by no values.
    Forget(u32),
    /// Ends the worker. There is no answer.
    Close,
}

/// The library of an FMU and its variables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    pub version: FmiVersion,
    pub simulated: Simulated,
    /// Absolute paths.
    pub library: String,
    pub resources: String,
    pub name: String,
    pub token: String,
    pub parameters: Vec<Slot>,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    /// References and values of strings.
    pub texts: Vec<(u32, String)>,
    pub states: u32,
    pub indicators: u32,
    pub can_save: bool,
}

/// A variable in a sequence of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    pub reference: u32,
    pub kind: FmuType,
    pub width: u32,
    /// Whether the variable may change without an event.
    pub is_continuous: bool,
}

/// An answer of a worker.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The first message: the version of the protocol.
    Hello(u32),
    Values(Vec<f64>),
    /// Why there is no result: a sentence without a full stop.
    Failed(String),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    #[error("a message of an unknown kind, {0}")]
    Kind(u8),
    #[error("a message of kind {0} with a wrong content")]
    Content(u8),
}

/// The maximum length of the text of a failure, in bytes.
pub(super) const MAX_TEXT: usize = 4096;

const LOAD: u8 = 1;
const START: u8 = 2;
const STEP: u8 = 3;
const STEP_AFTER: u8 = 4;
const EVALUATE: u8 = 5;
const DECIDE: u8 = 6;
const SAVE: u8 = 7;
const RESTORE: u8 = 8;
const FORGET: u8 = 9;
const CLOSE: u8 = 10;
const HELLO: u8 = 128;
const VALUES: u8 = 129;
const FAILED: u8 = 130;

fn of_numbers(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(frame: &Frame) -> Result<Vec<f64>, MessageError> {
    let (eights, rest) = frame.content.as_chunks::<8>();
    if rest.is_empty() {
        Ok(eights.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    } else {
        Err(MessageError::Content(frame.kind))
    }
}

fn integer(frame: &Frame) -> Result<u32, MessageError> {
    let bytes: Result<[u8; 4], _> = frame.content.as_slice().try_into();
    bytes.map(u32::from_le_bytes).map_err(|_| MessageError::Content(frame.kind))
}

fn nothing<T>(frame: &Frame, message: T) -> Result<T, MessageError> {
    if frame.content.is_empty() { Ok(message) } else { Err(MessageError::Content(frame.kind)) }
}

impl Request {
    /// Returns how many numbers the request carries.
    pub(super) fn numbers(&self) -> usize {
        match self {
            Request::Start(values)
            | Request::Step(values)
            | Request::StepAfter(values)
            | Request::Evaluate(values)
            | Request::Decide(values) => values.len(),
            Request::Load(_) | Request::Save | Request::Restore(_) | Request::Forget(_) | Request::Close => 0,
        }
    }

    pub fn to_frame(&self) -> Frame {
        let (kind, content) = match self {
            // Strings, numbers and lists of them can always be written.
            Request::Load(load) => (LOAD, rmp_serde::to_vec(load).unwrap_or_default()),
            Request::Start(values) => (START, of_numbers(values)),
            Request::Step(values) => (STEP, of_numbers(values)),
            Request::StepAfter(values) => (STEP_AFTER, of_numbers(values)),
            Request::Evaluate(values) => (EVALUATE, of_numbers(values)),
            Request::Decide(values) => (DECIDE, of_numbers(values)),
            Request::Save => (SAVE, Vec::new()),
            Request::Restore(number) => (RESTORE, number.to_le_bytes().to_vec()),
            Request::Forget(number) => (FORGET, number.to_le_bytes().to_vec()),
            Request::Close => (CLOSE, Vec::new()),
        };
        Frame { kind, content }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// If the frame is not a request.
    pub fn of_frame(frame: &Frame) -> Result<Request, MessageError> {
        Ok(match frame.kind {
            LOAD => {
                let load = rmp_serde::from_slice(&frame.content);
                Request::Load(Box::new(load.map_err(|_| MessageError::Content(LOAD))?))
            }
            START => Request::Start(numbers(frame)?),
            STEP => Request::Step(numbers(frame)?),
            STEP_AFTER => Request::StepAfter(numbers(frame)?),
            EVALUATE => Request::Evaluate(numbers(frame)?),
            DECIDE => Request::Decide(numbers(frame)?),
            SAVE => nothing(frame, Request::Save)?,
            RESTORE => Request::Restore(integer(frame)?),
            FORGET => Request::Forget(integer(frame)?),
            CLOSE => nothing(frame, Request::Close)?,
            kind => return Err(MessageError::Kind(kind)),
        })
    }
}

impl Answer {
    pub fn to_frame(&self) -> Frame {
        let (kind, content) = match self {
            Answer::Hello(version) => (HELLO, version.to_le_bytes().to_vec()),
            Answer::Values(values) => (VALUES, of_numbers(values)),
            Answer::Failed(text) => (FAILED, shortened(text).as_bytes().to_vec()),
        };
        Frame { kind, content }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// If the frame is not an answer.
    pub fn of_frame(frame: &Frame) -> Result<Answer, MessageError> {
        Ok(match frame.kind {
            HELLO => Answer::Hello(integer(frame)?),
            VALUES => Answer::Values(numbers(frame)?),
            // The text may come from a library: it is shown without control characters.
            FAILED => Answer::Failed(printable(shortened(&String::from_utf8_lossy(&frame.content)))),
            kind => return Err(MessageError::Kind(kind)),
        })
    }
}

fn shortened(text: &str) -> &str {
    let end = (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

fn printable(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
