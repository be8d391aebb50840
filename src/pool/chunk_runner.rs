//! Computes the runs of chunks in a child process, whatever they do to it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::child::{CURVE, LOAD, READY, REFUSED, ranges_frame};
use super::message::SweepChunk;
use crate::block::Cancel;
use crate::engine::Curve;
use crate::worker::{Frame, MAX_FRAME, ProcessError, ProcessLimits, WorkerProcess};

/// How often a run that ends its process is tried, alone in a process of its own, before it counts as failed.
pub const TRIES: usize = 3;

/// The longest time for loading and preparing a model.
const LOAD_TIME: Duration = Duration::from_secs(300);

/// How long a child computes before it is asked whether to continue.
const BATCH: Duration = Duration::from_secs(1);

/// The program whose child process computes, and the limits of the child.
#[derive(Clone, Debug)]
pub struct ChunkRunnerOptions {
    pub program: PathBuf,
    /// The arguments that make it such a child.
    pub args: Vec<String>,
    /// The size of the address space of a child, in bytes.
    pub memory: u64,
}

/// Computes chunks in a child process, which is restarted when it has died or another sweep comes.
pub struct ChunkRunner {
    options: ChunkRunnerOptions,
    child: Option<LoadedChild>,
}

struct LoadedChild {
    process: WorkerProcess,
    model: String,
    count: u64,
    /// The number of runs that take about as long as [`BATCH`].
    batch: u64,
}

/// The state of the search for a run that ends its process; the suspect is the first run without a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suspect {
    None,
    /// The number of times that its process has ended while computing this run alone.
    Tried(usize),
}

impl Suspect {
    /// The state after a further process has ended, which had returned `handed_over` runs before.
    fn after_a_death(self, handed_over: u64) -> Suspect {
        match self {
            Suspect::Tried(tries) if handed_over == 0 => Suspect::Tried(tries + 1),
            _ => Suspect::Tried(0),
        }
    }
}

/// The model of a chunk: the bytes of its bundle, and the longest time of a run.
#[derive(Clone)]
pub struct ChunkModel {
    pub bundle: Arc<Vec<u8>>,
    pub run_limit: Duration,
}

/// Whether to continue a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkFlow {
    Continue,
    Stop,
}

/// Why a chunk cannot be computed here: a sentence without a full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkRunnerError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("the model cannot be run: {0}")]
    Refused(String),
    #[error("the process that computes answers as it should not")]
    Answer,
    /// The model is sound, but the chunk does not belong to its sweep: no worker can compute it.
    #[error("the sweep does not have its runs")]
    Runs,
}

impl ChunkRunner {
    pub fn new(options: ChunkRunnerOptions) -> ChunkRunner {
        ChunkRunner { options, child: None }
    }

    /// Computes the runs of a chunk in their order, and passes the bytes of each curve to `take` with the time it took.
    /// Returns the number of runs that were passed on: all unless `take` stopped it or it was cancelled. A stop takes
    /// effect within about a second, or after the current run.
    ///
    /// # Errors
    /// If the model cannot be run at all, or the sweep ends before the chunk.
    pub fn compute(
        &mut self,
        chunk: &SweepChunk,
        model: &ChunkModel,
        cancel: &Cancel,
        mut take: impl FnMut(&[u8], Duration) -> ChunkFlow,
    ) -> Result<u64, ChunkRunnerError> {
        let runs = chunk.count();
        let (mut done, mut flow) = (0, ChunkFlow::Continue);
        // The first run without a result is a suspect when its process has ended, until it was computed alone.
        let mut suspect = Suspect::None;
        while done < runs && flow == ChunkFlow::Continue {
            let size = if suspect == Suspect::None { self.batch() } else { 1 };
            let Some(batch) = chunk.piece(done, size) else { break };
            let before = done;
            let ended = self.stretch(&batch, model, cancel, |curve, time| {
                done += 1;
                flow = take(curve, time);
            });
            match ended {
                Ok(()) if done > before => suspect = Suspect::None,
                Ok(()) => return Err(ChunkRunnerError::Answer),
                Err(ChunkRunnerError::Process(error)) if error.is_cancelled() => {
                    self.child = None;
                    return Ok(done);
                }
                Err(ChunkRunnerError::Process(error)) if self.child.is_some() => {
                    self.child = None;
                    suspect = suspect.after_a_death(done - before);
                    if suspect == Suspect::Tried(TRIES) {
                        let run = chunk.runs().nth(done as usize).unwrap_or_default();
                        done += 1;
                        flow = take(&failed(run, &error, model.run_limit).to_bytes(), Duration::ZERO);
                        suspect = Suspect::None;
                    }
                }
                // The child was not asked.
                Err(error @ ChunkRunnerError::Runs) => return Err(error),
                Err(error) => {
                    self.child = None;
                    return Err(error);
                }
            }
        }
        Ok(done)
    }

    /// Returns how many runs take about a second.
    fn batch(&self) -> u64 {
        self.child.as_ref().map_or(1, |child| child.batch)
    }

    /// Computes the runs of a batch in one child.
    fn stretch(
        &mut self,
        batch: &SweepChunk,
        model: &ChunkModel,
        cancel: &Cancel,
        mut take: impl FnMut(&[u8], Duration),
    ) -> Result<(), ChunkRunnerError> {
        let child = self.loaded(batch, model, cancel)?;
        let runs = batch.runs().take_while(|run| *run < child.count).count() as u64;
        if runs == 0 {
            return Err(ChunkRunnerError::Runs);
        }
        child.process.send_frame(&ranges_frame(&batch.ranges), Some(cancel))?;
        child.process.set_time_limit(model.run_limit);
        let begin = Instant::now();
        let mut start = begin;
        for _ in 0..runs {
            let frame = child.process.receive_frame(MAX_FRAME, Some(cancel))?;
            if frame.kind != CURVE {
                return Err(ChunkRunnerError::Answer);
            }
            let end = Instant::now();
            take(&frame.content, end - start);
            start = end;
        }
        let each = begin.elapsed().as_secs_f64() / runs.max(1) as f64;
        // The first run prepares the engine.
        child.batch = ((BATCH.as_secs_f64() / each.max(1e-9)) as u64).clamp(1, runs.saturating_mul(8).max(1));
        Ok(())
    }

    /// Returns a child that has loaded the model of a chunk.
    fn loaded(
        &mut self,
        chunk: &SweepChunk,
        model: &ChunkModel,
        cancel: &Cancel,
    ) -> Result<&mut LoadedChild, ChunkRunnerError> {
        let child = match self.child.take() {
            Some(child) if child.model == chunk.model => child,
            other => {
                drop(other);
                let limits = ProcessLimits { call: LOAD_TIME, memory: self.options.memory };
                let args: Vec<&str> = self.options.args.iter().map(String::as_str).collect();
                let mut process = WorkerProcess::start_as(&self.options.program, &args, limits)?;
                process.send_frame(&Frame { kind: LOAD, content: model.bundle.to_vec() }, Some(cancel))?;
                let frame = process.receive_frame(MAX_FRAME, Some(cancel))?;
                let count = match (frame.kind, frame.content.first_chunk::<8>()) {
                    (READY, Some(count)) => u64::from_le_bytes(*count),
                    (REFUSED, _) => {
                        return Err(ChunkRunnerError::Refused(String::from_utf8_lossy(&frame.content).into_owned()));
                    }
                    _ => return Err(ChunkRunnerError::Answer),
                };
                LoadedChild { process, model: chunk.model.clone(), count, batch: 1 }
            }
        };
        Ok(self.child.insert(child))
    }
}

/// Returns the curve of a run that ended its process in each try. Its text depends on nothing that differs from worker to
/// worker.
fn failed(run: u64, error: &ProcessError, limit: Duration) -> Curve {
    let what =
        if error.is_late() { format!("it did not end within {} s", limit.as_secs_f64()) } else { error.to_string() };
    let failure = Some(format!("in each of {TRIES} tries, alone in a process of its own, {what}"));
    Curve { run, failure, ..Curve::default() }
}
