//! Run files: the recording with its simulation, for viewing, comparing and repeating runs later.
//!
//! A file is a signature, the length of the header, the header as JSON, then for each signal the elements one after
//! the other, samples as little-endian doubles; last a CRC-32 of all bytes before.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::files;
use super::run::RunState;
use super::runs::{RunRecord, RunSource};
use crate::engine::{ParamChange, Recording};
use crate::format::{Loader as _, simx::Simx};
use crate::model::{BlockId, ParamAddress, SignalKey};

/// The extension of run files.
pub const EXTENSION: &str = "simrun";

/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 8 << 30;

const MARK: &[u8; 8] = b"SIMXRUN1";

#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    /// Seconds since 1970.
    began: u64,
    engine: String,
    /// The version of the program that made it.
    version: String,
    file: Option<PathBuf>,
    fingerprint: Option<String>,
    /// The simulation, as a .simx file.
    simulation: String,
    steps: u64,
    planned: Option<u64>,
    /// The error message of a failed run.
    failure: Option<String>,
    is_finished: bool,
    changes: Vec<Change>,
    edits: Vec<(u64, String)>,
    signals: Vec<Signal>,
}

#[derive(Serialize, Deserialize)]
struct Change {
    step: u64,
    path: Vec<i128>,
    block: i128,
    name: String,
    /// As text, so that infinities can be stored.
    values: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Signal {
    path: Vec<i128>,
    block: i128,
    output: String,
    first: u64,
    #[serde(rename = "lanes")]
    elements: usize,
    samples: usize,
    /// Values are constant between samples.
    #[serde(default)]
    is_held: bool,
}

/// Why a file is not a valid run.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("it is not a run file")]
    NoRun,
    #[error("it is damaged")]
    Damaged,
    #[error("its simulation cannot be read: {0}")]
    Simulation(String),
}

/// Writes a run atomically.
///
/// # Errors
/// Fails if it cannot be written.
pub fn save(path: &Path, run: &RunRecord) -> std::io::Result<()> {
    let signals = run.recording.signals().filter_map(|(key, columns)| {
        let column = columns.first()?;
        Some(Signal {
            path: key.path.iter().map(|id| id.0).collect(),
            block: key.block.0,
            output: key.output.to_string(),
            first: column.steps().start,
            elements: columns.len(),
            samples: column.len(),
            is_held: run.recording.is_held(key),
        })
    });
    let simulation = Simx.write(&run.source.simulation).map_err(std::io::Error::other)?;
    let head = Head {
        name: run.name.clone(),
        began: run.began.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        engine: run.engine.clone(),
        version: run.source.version.clone(),
        file: run.source.path.clone(),
        fingerprint: files::fingerprint(&run.source.simulation),
        simulation: String::from_utf8_lossy(&simulation).into_owned(),
        steps: run.steps,
        planned: run.planned,
        failure: if let RunState::Failed(why) | RunState::PausedByError(why) = &run.state {
            Some(why.clone())
        } else {
            None
        },
        is_finished: run.state == RunState::Finished,
        changes: run.changes.iter().map(change_as_text).collect(),
        edits: run.edits.clone(),
        signals: signals.collect(),
    };
    let head = serde_json::to_vec(&head).map_err(std::io::Error::other)?;
    let file = crate::format::begin(path)?;
    let mut writer = Summed { writer: std::io::BufWriter::new(file), sum: crc32fast::Hasher::new() };
    writer.write_all(MARK)?;
    writer.write_all(&(head.len() as u64).to_le_bytes())?;
    writer.write_all(&head)?;
    for (_, columns) in run.recording.signals() {
        let samples = columns.first().map_or(0, crate::engine::Column::len);
        for column in columns {
            let values = column.values();
            // All elements have the length of the first.
            let values = values.iter().copied().chain(std::iter::repeat(f64::NAN)).take(samples);
            values.map(|value| value.to_bits().to_le_bytes()).try_for_each(|bytes| writer.write_all(&bytes))?;
        }
    }
    let sum = writer.sum.clone().finalize();
    writer.writer.write_all(&sum.to_le_bytes())?;
    writer.writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.commit()
}

/// A writer that computes a checksum.
struct Summed<W> {
    writer: W,
    sum: crc32fast::Hasher,
}

impl<W: std::io::Write> std::io::Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.writer.write(bytes)?;
        self.sum.update(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Reads a run.
///
/// # Errors
/// Fails if the file is not a run, or damaged.
pub fn open(path: &Path) -> Result<RunRecord, RunFileError> {
    read(&files::read_bounded(path, MAX_BYTES)?)
}

/// Reads a run from the bytes of its file. It takes memory for at most three copies of them.
///
/// # Errors
/// Fails if they are not a run, or damaged.
pub fn read(bytes: &[u8]) -> Result<RunRecord, RunFileError> {
    let rest = bytes.strip_prefix(MARK).ok_or(RunFileError::NoRun)?;
    let (all, sum) = bytes.split_last_chunk::<4>().ok_or(RunFileError::Damaged)?;
    if crc32fast::hash(all) != u32::from_le_bytes(*sum) {
        return Err(RunFileError::Damaged);
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or(RunFileError::Damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| RunFileError::Damaged)?;
    let (head, samples) = rest.split_at_checked(length).ok_or(RunFileError::Damaged)?;
    let head: Head = serde_json::from_slice(head).map_err(|_| RunFileError::Damaged)?;
    let opened = files::read(&head.simulation).map_err(|problem| RunFileError::Simulation(problem.message))?;
    let source = RunSource { version: head.version, ..RunSource::new(Arc::new(opened.simulation), head.file) };
    if let Some(print) = head.fingerprint {
        // The cell is new and empty.
        let _ = source.hash.set(print);
    }
    let mut run = RunRecord::new(source, head.planned);
    run.recording = read_samples(run.recording, &head.signals, samples).ok_or(RunFileError::Damaged)?;
    run.name = head.name;
    run.began = UNIX_EPOCH.checked_add(Duration::from_secs(head.began)).unwrap_or_else(SystemTime::now);
    run.engine = head.engine;
    run.steps = head.steps;
    run.state = match (head.failure, head.is_finished) {
        (Some(why), _) => RunState::Failed(why),
        (None, true) => RunState::Finished,
        (None, false) => RunState::Stopped,
    };
    run.changes = head.changes.iter().map(change_of_text).collect::<Option<_>>().ok_or(RunFileError::Damaged)?;
    run.edits = head.edits;
    Ok(run)
}

fn read_samples(mut recording: Recording, signals: &[Signal], mut bytes: &[u8]) -> Option<Recording> {
    for signal in signals {
        let path: Vec<BlockId> = signal.path.iter().map(|id| BlockId(*id)).collect();
        let key = SignalKey::new(&path, BlockId(signal.block), &signal.output);
        // A second part of a signal, far behind the first, would be filled up with values between them.
        let is_new = recording.columns(&key).is_empty();
        let has_end = signal.first.checked_add(signal.samples as u64).is_some();
        if signal.elements == 0 || !is_new || !has_end {
            return None;
        }
        let length = signal.samples.checked_mul(signal.elements)?.checked_mul(8)?;
        let (own, others) = bytes.split_at_checked(length)?;
        bytes = others;
        let value = |element: usize, row: usize| {
            let at = (element * signal.samples + row) * 8;
            let bits = own.get(at..at + 8)?.first_chunk::<8>()?;
            Some(f64::from_bits(u64::from_le_bytes(*bits)))
        };
        let rows = (0..signal.samples).flat_map(|row| (0..signal.elements).map(move |element| (element, row)));
        let values: Vec<f64> = rows.map(|(element, row)| value(element, row)).collect::<Option<_>>()?;
        recording.append(&key, signal.first, signal.elements, &values);
        recording.set_held(&key, signal.is_held);
    }
    // Only the checksum remains.
    (bytes.len() == 4).then_some(recording)
}

fn change_as_text(change: &ParamChange) -> Change {
    Change {
        step: change.step,
        path: change.param.block.path.iter().map(|id| id.0).collect(),
        block: change.param.block.block.0,
        name: change.param.name.clone(),
        values: change.values.iter().map(f64::to_string).collect(),
    }
}

fn change_of_text(change: &Change) -> Option<ParamChange> {
    let path: Vec<BlockId> = change.path.iter().map(|id| BlockId(*id)).collect();
    Some(ParamChange {
        step: change.step,
        param: ParamAddress::new(&path, BlockId(change.block), &change.name),
        values: change.values.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Simulation;

    #[test]
    fn a_run_is_read_as_it_was_written_and_damage_is_seen() {
        let mut simulation = Simulation::new("Main");
        (simulation.delta, simulation.steps) = (0.25, 40);
        let mut run = RunRecord::new(RunSource::new(Arc::new(simulation), Some("a.simx".into())), Some(40));
        let key = SignalKey::new(&[BlockId(7)], BlockId(3), "Output");
        let values = [0.1, -0.0, f64::INFINITY, f64::from_bits(1), 5e300, -7.5];
        run.recording.append(&key, 12, 2, &values);
        run.name = "Hot".to_owned();
        (run.steps, run.state) = (15, RunState::Failed("too hot".to_owned()));
        run.changes = vec![ParamChange {
            step: 13,
            param: ParamAddress::new(&[BlockId(7)], BlockId(3), "Gain"),
            values: vec![f64::NEG_INFINITY, 0.1],
        }];
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hot.simrun");
        save(&path, &run).expect("it is written");
        let read = open(&path).expect("it is read");
        assert_eq!((&read.name, &read.state, read.steps, read.planned), (&run.name, &run.state, 15, Some(40)));
        assert_eq!(read.changes, run.changes);
        assert_eq!((read.source.simulation.delta, read.recording.delta), (0.25, 0.25));
        let columns = read.recording.columns(&key);
        let bits: Vec<Vec<u64>> =
            columns.iter().map(|column| column.values().iter().map(|value| value.to_bits()).collect()).collect();
        let want =
            |element: usize| -> Vec<u64> { values.iter().skip(element).step_by(2).map(|v| v.to_bits()).collect() };
        assert_eq!(bits, [want(0), want(1)]);
        assert_eq!(columns[0].steps(), 12..15);
        let mut bytes = std::fs::read(&path).expect("it is there");
        let middle = bytes.len() - 20;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).expect("it is written");
        assert!(matches!(open(&path), Err(RunFileError::Damaged)));
        std::fs::write(&path, b"something else").expect("it is written");
        assert!(matches!(open(&path), Err(RunFileError::NoRun)));
    }

    /// Samples without elements, a signal that comes twice, and steps beyond all numbers would take forever, or need
    /// memory for all steps between.
    #[test]
    fn samples_that_no_run_has_are_damage() {
        let signal = |first, elements, samples| Signal {
            path: Vec::new(),
            block: 3,
            output: "Output".to_owned(),
            first,
            elements,
            samples,
            is_held: false,
        };
        let read = |signals: &[Signal], numbers: usize| {
            read_samples(Recording::new(0.1), signals, &vec![0; numbers * 8 + 4]).map(drop)
        };
        assert_eq!(read(&[signal(5, 1, 2)], 2), Some(()));
        assert_eq!(read(&[signal(0, 0, usize::MAX)], 0), None);
        assert_eq!(read(&[signal(0, 1, 1), signal(1 << 60, 1, 1)], 2), None);
        assert_eq!(read(&[signal(u64::MAX, 1, 2)], 2), None);
        assert_eq!(read(&[signal(0, usize::MAX, 2)], 2), None);
    }
}
