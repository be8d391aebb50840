//! The process that computes runs for a worker of a pool, a child on pipes: its requests and answers, and its loop.
//!
//! It has no connection to the pool, no files and no plug-ins. A run that ends it, hangs or takes all memory harms
//! nothing else.

use std::io::{Read, Write};

use super::message::RunRange;
use super::prepared::PoolParts;
use super::work::{PreparedWork, WorkBundle};
use crate::engine::SweepFlow;
use crate::worker::{Answer, Frame, FrameError, MAX_FRAME, VERSION};

/// A bundle. Answered by [`READY`] or [`REFUSED`].
pub(super) const LOAD: u8 = 32;
/// Ranges of runs. Answered by a [`CURVE`] for each run, in their order.
pub(super) const RUNS: u8 = 33;
/// The number of runs of the sweep.
pub(super) const READY: u8 = 160;
/// The bytes of a curve.
pub(super) const CURVE: u8 = 161;
/// Why there is no answer, as text.
pub(super) const REFUSED: u8 = 162;

/// Answers requests until the other side ends.
///
/// # Errors
/// If the pipes fail or deliver an invalid frame.
pub fn serve_runs(input: &mut dyn Read, output: &mut dyn Write, parts: &PoolParts) -> Result<(), FrameError> {
    Answer::Hello(VERSION).to_frame().write(output)?;
    let mut frame = Frame::default();
    let mut prepared: Option<Box<dyn PreparedWork>> = None;
    while frame.read(input, MAX_FRAME)? {
        match frame.kind {
            LOAD => {
                let loaded = WorkBundle::of_bytes(&frame.content).map_err(|error| error.to_string());
                let loaded = loaded
                    .and_then(|bundle| bundle.prepare(parts).map_err(|error| error.to_string()))
                    .map(|work| prepared.insert(work).count());
                match loaded {
                    Ok(count) => Frame { kind: READY, content: count.to_le_bytes().to_vec() }.write(output)?,
                    Err(problem) => refuse(output, &problem)?,
                }
            }
            RUNS => match (&prepared, ranges_of(&frame.content)) {
                (Some(prepared), Some(ranges)) => compute(&**prepared, &ranges, output)?,
                _ => refuse(output, "there is no sweep with these runs")?,
            },
            _ => return Ok(()),
        }
    }
    Ok(())
}

fn refuse(output: &mut dyn Write, problem: &str) -> Result<(), FrameError> {
    Frame { kind: REFUSED, content: problem.as_bytes().to_vec() }.write(output)
}

fn compute(prepared: &dyn PreparedWork, ranges: &[RunRange], output: &mut dyn Write) -> Result<(), FrameError> {
    let count = prepared.count();
    let runs: Vec<u64> =
        ranges.iter().flat_map(|range| range.first..range.first.saturating_add(range.count).min(count)).collect();
    let mut written = Ok(());
    prepared.run(&runs, &mut |curve| {
        written = Frame { kind: CURVE, content: curve.to_bytes() }.write(output);
        if written.is_ok() { SweepFlow::Continue } else { SweepFlow::Stop }
    });
    written
}

/// Serializes ranges: first and count as 8-byte numbers.
pub(super) fn ranges_frame(ranges: &[RunRange]) -> Frame {
    let numbers = ranges.iter().flat_map(|range| [range.first, range.count]);
    Frame { kind: RUNS, content: numbers.flat_map(u64::to_le_bytes).collect() }
}

fn ranges_of(bytes: &[u8]) -> Option<Vec<RunRange>> {
    let (pairs, rest) = bytes.as_chunks::<16>();
    let number = |half: &[u8]| half.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
    let range = |pair: &[u8; 16]| {
        let (first, count) = pair.split_at(8);
        Some(RunRange { first: number(first)?, count: number(count)? })
    };
    if rest.is_empty() { pairs.iter().map(range).collect() } else { None }
}
