//! The loop of a worker, over any transport.

use std::io::{Read, Write};

use super::frame::{Frame, FrameError, MAX_FRAME};
use super::message::{Answer, MessageError, Request, VERSION};

/// Handles the requests to a worker.
pub trait Service {
    /// Computes the values of the answer.
    ///
    /// # Errors
    /// If the values cannot be computed.
    fn answer(&mut self, request: Request) -> Result<Vec<f64>, ServiceError>;
}

/// Why a worker has no result: a sentence without a full stop, which goes to the other side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(String);

impl ServiceError {
    pub fn new(problem: impl Into<String>) -> ServiceError {
        ServiceError(problem.into())
    }
}

/// Answers requests until the other side ends or closes.
///
/// # Errors
/// If the transport fails or delivers an invalid frame.
pub fn serve(input: &mut dyn Read, output: &mut dyn Write, service: &mut dyn Service) -> Result<(), FrameError> {
    Answer::Hello(VERSION).to_frame().write(output)?;
    let mut frame = Frame::default();
    while frame.read(input, MAX_FRAME)? {
        let wrong = |error: MessageError| ServiceError::new(error.to_string());
        let result = match Request::of_frame(&frame).map_err(wrong) {
            Ok(Request::Close) => {
                // The answer to a close request is not sent.
                let _ = service.answer(Request::Close);
                return Ok(());
            }
            Ok(request) => service.answer(request),
            Err(error) => Err(error),
        };
        let answer = match result {
            Ok(values) => Answer::Values(values),
            Err(error) => Answer::Failed(error.to_string()),
        };
        answer.to_frame().write(output)?;
    }
    Ok(())
}
