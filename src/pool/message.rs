//! The messages between workers and submitters of a pool: their meaning and their bytes.
//!
//! A message is `SIMP`, the version of the protocol, its kind, the length of its head, the head as MessagePack, and a
//! body of plain bytes. Whatever arrives is read without a panic, and takes memory in proportion to its own length.
//! This module does not know how messages are transported.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::engine::MAX_RUNS;

/// The version of the protocol. Messages of another version are refused.
pub const POOL_VERSION: u8 = 1;

/// The maximum length in bytes of a message in a queue; longer ones are sent as an object.
pub const MAX_MESSAGE: usize = 512 << 10;

/// The maximum length of a head, in bytes.
const MAX_HEAD: usize = 64 << 10;

/// The maximum number of ranges of a chunk.
pub const MAX_RANGES: usize = 256;

/// The maximum length of a text within a head, in bytes.
const MAX_TEXT: usize = 4096;

const MAGIC: &[u8; 4] = b"SIMP";
const START: usize = 10;

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolMessageError {
    #[error("this is not a message of a pool")]
    Foreign,
    #[error("the message has version {0} of the protocol, this program {POOL_VERSION}")]
    Version(u8),
    #[error("the message has kind {0}; {1} is expected")]
    Kind(u8, u8),
    #[error("the content of a message of kind {0} is damaged")]
    Content(u8),
}

/// Runs with consecutive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunRange {
    pub first: u64,
    pub count: u64,
}

/// Runs of a sweep that a worker is to compute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepChunk {
    /// The id of the sweep.
    pub sweep: String,
    /// The hash of the model, by which it is fetched.
    pub model: String,
    /// A number that differs each time that runs are asked for.
    pub ask: u32,
    /// Sorted, without overlaps and empty ones.
    pub ranges: Vec<RunRange>,
}

/// Results of a part of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepPart {
    pub head: PartHead,
    /// The bytes of the curves, each behind its length; empty if they travel as an object.
    pub curves: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartHead {
    pub sweep: String,
    /// The name of the worker that computed them.
    pub worker: String,
    /// The time that the runs took, in microseconds.
    pub micros: u64,
    /// The name of the object with the curves, where they are too long for a message.
    pub object: Option<String>,
}

/// A worker introduces itself, and repeats that every two seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerGreeting {
    /// The host and the number of the process.
    pub worker: String,
    /// The version of the program.
    pub version: String,
    /// The fingerprint of the block library.
    pub library: String,
    pub threads: u32,
    /// The sweeps that it computes runs of at this moment.
    pub sweeps: Vec<String>,
    /// The number of runs that it has computed.
    pub runs: u64,
    pub is_leaving: bool,
    /// How many of its threads compute runs at this moment.
    #[serde(default)]
    pub busy: u32,
}

/// A worker cannot compute runs of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerRefusal {
    pub sweep: String,
    /// The name of the worker.
    pub worker: String,
    /// A sentence without a full stop.
    pub reason: String,
}

/// The pool's entry for a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepEntry {
    pub sweep: String,
    pub model: String,
    /// The version of the program and the fingerprint of its block library, which workers must have too.
    pub version: String,
    pub library: String,
    /// The name of the simulation file.
    pub file: String,
    /// The host that submitted the sweep, and the result file there.
    pub host: String,
    pub out: String,
    pub runs: u64,
    /// The number of runs that the submitter had stored when it last wrote this.
    pub done: u64,
    /// Seconds since 1970.
    pub begun: u64,
}

/// A kind of message.
pub trait PoolMessage: Sized {
    const KIND: u8;

    fn to_bytes(&self) -> Vec<u8>;

    /// Reads a message.
    ///
    /// # Errors
    /// If the bytes are not a sound message of this kind and version.
    fn of_bytes(bytes: &[u8]) -> Result<Self, PoolMessageError>;
}

/// Joins the parts of a message.
pub(super) fn join(kind: u8, head: &impl Serialize, body: &[u8]) -> Vec<u8> {
    // Texts, numbers and lists of them can always be written.
    let head = rmp_serde::to_vec(head).unwrap_or_default();
    let mut bytes = Vec::with_capacity(START + head.len() + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[POOL_VERSION, kind]);
    bytes.extend_from_slice(&u32::try_from(head.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(body);
    bytes
}

/// Returns the kind of a message; `None` if it is none.
pub(super) fn kind_of(bytes: &[u8]) -> Option<u8> {
    bytes.strip_prefix(MAGIC)?.get(1).copied()
}

/// Splits a message into head and body.
pub(super) fn split<T: DeserializeOwned>(kind: u8, bytes: &[u8], limit: usize) -> Result<(T, &[u8]), PoolMessageError> {
    let (start, rest) = bytes.split_first_chunk::<START>().ok_or(PoolMessageError::Foreign)?;
    let [m0, m1, m2, m3, version, found, l0, l1, l2, l3] = *start;
    if [m0, m1, m2, m3] != *MAGIC {
        return Err(PoolMessageError::Foreign);
    }
    if version != POOL_VERSION {
        return Err(PoolMessageError::Version(version));
    }
    if found != kind {
        return Err(PoolMessageError::Kind(found, kind));
    }
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let damaged = PoolMessageError::Content(kind);
    let (head, body) = rest.split_at_checked(length).filter(|_| length <= limit).ok_or(damaged)?;
    Ok((rmp_serde::from_slice(head).map_err(|_| damaged)?, body))
}

/// Implements a message whose content is its head.
macro_rules! head_only {
    ($($name:ident $kind:literal)*) => {
        $(
            impl PoolMessage for $name {
                const KIND: u8 = $kind;

                fn to_bytes(&self) -> Vec<u8> {
                    join(Self::KIND, self, &[])
                }

                fn of_bytes(bytes: &[u8]) -> Result<Self, PoolMessageError> {
                    let (message, body): (Self, _) = split(Self::KIND, bytes, MAX_HEAD)?;
                    let is_sound = body.is_empty() && message.is_sound();
                    if is_sound { Ok(message) } else { Err(PoolMessageError::Content(Self::KIND)) }
                }
            }
        )*
    };
}

head_only! { SweepChunk 1 WorkerGreeting 3 SweepEntry 4 WorkerRefusal 6 }

impl PoolMessage for SweepPart {
    const KIND: u8 = 2;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, &self.head, &self.curves)
    }

    fn of_bytes(bytes: &[u8]) -> Result<Self, PoolMessageError> {
        let (head, curves): (PartHead, _) = split(Self::KIND, bytes, MAX_HEAD)?;
        let is_named = head.object.as_ref().is_none_or(|name| is_hash(name));
        if is_id(&head.sweep) && is_named && is_short(&head.worker) {
            Ok(SweepPart { head, curves: curves.to_vec() })
        } else {
            Err(PoolMessageError::Content(Self::KIND))
        }
    }
}

/// Whether a text is the id of a sweep. It becomes a part of subjects, where other characters have a meaning.
pub fn is_id(text: &str) -> bool {
    text.len() == 16 && is_hexadecimal(text)
}

/// Whether a text is a hash.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && is_hexadecimal(text)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_short(text: &str) -> bool {
    text.len() <= MAX_TEXT && !text.chars().any(char::is_control)
}

impl SweepChunk {
    fn is_sound(&self) -> bool {
        let is_sorted = self.ranges.is_sorted_by(|one, two| one.first.saturating_add(one.count) <= two.first);
        let is_within =
            |range: &RunRange| range.first < MAX_RUNS && (1..=MAX_RUNS - range.first).contains(&range.count);
        let are_within = self.ranges.iter().all(is_within);
        is_id(&self.sweep) && is_hash(&self.model) && self.ranges.len() <= MAX_RANGES && are_within && is_sorted
    }

    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.count).sum()
    }

    /// Returns the numbers of the runs.
    pub fn runs(&self) -> impl Iterator<Item = u64> {
        self.ranges.iter().flat_map(|range| range.first..range.first + range.count)
    }

    /// Returns the next runs of the chunk after its first `skip` ones, at most `size`; `None` at the end.
    pub fn piece(&self, skip: u64, size: u64) -> Option<SweepChunk> {
        let (mut skip, mut room, mut ranges) = (skip, size.max(1), Vec::new());
        for range in &self.ranges {
            let skipped = skip.min(range.count);
            skip -= skipped;
            let count = room.min(range.count - skipped);
            room -= count;
            if count > 0 {
                ranges.push(RunRange { first: range.first + skipped, count });
            }
            if room == 0 {
                break;
            }
        }
        let (sweep, model) = (self.sweep.clone(), self.model.clone());
        if ranges.is_empty() { None } else { Some(SweepChunk { sweep, model, ask: self.ask, ranges }) }
    }

    /// Splits the chunk without its first runs into chunks of at most `size` runs.
    pub fn pieces(&self, skip: u64, size: u64) -> Vec<SweepChunk> {
        let (mut skip, mut pieces) = (skip, Vec::new());
        while let Some(piece) = self.piece(skip, size) {
            skip += piece.count();
            pieces.push(piece);
        }
        pieces
    }
}

impl WorkerGreeting {
    fn is_sound(&self) -> bool {
        let texts = [&self.worker, &self.version, &self.library];
        texts.iter().all(|text| is_short(text)) && self.sweeps.iter().all(|sweep| is_id(sweep))
    }
}

impl WorkerRefusal {
    /// Makes a refusal; a long reason is cut, and characters that could control a terminal are left out.
    pub fn new(sweep: &str, worker: &str, reason: &str) -> WorkerRefusal {
        let plain = reason.chars().map(|c| if c.is_control() { ' ' } else { c });
        let reason = plain.take(MAX_TEXT / 4).collect();
        WorkerRefusal { sweep: sweep.to_owned(), worker: worker.to_owned(), reason }
    }

    fn is_sound(&self) -> bool {
        is_id(&self.sweep) && is_short(&self.worker) && is_short(&self.reason)
    }
}

impl SweepEntry {
    fn is_sound(&self) -> bool {
        let texts = [&self.version, &self.library, &self.file, &self.host, &self.out];
        is_id(&self.sweep) && is_hash(&self.model) && texts.iter().all(|text| is_short(text)) && self.runs <= MAX_RUNS
    }
}

impl SweepPart {
    /// Appends the bytes of a curve.
    pub fn append(curves: &mut Vec<u8>, curve: &[u8]) {
        curves.extend_from_slice(&u32::try_from(curve.len()).unwrap_or(u32::MAX).to_le_bytes());
        curves.extend_from_slice(curve);
    }

    /// Returns the bytes of each curve of a body; `None` if they are damaged.
    pub fn curves(body: &[u8]) -> Option<Vec<&[u8]>> {
        let (mut rest, mut curves) = (body, Vec::new());
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let (curve, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            curves.push(curve);
            rest = behind;
        }
        Some(curves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(ranges: &[(u64, u64)]) -> SweepChunk {
        SweepChunk {
            sweep: "0123456789abcdef".to_owned(),
            model: "a".repeat(64),
            ask: 0,
            ranges: ranges.iter().map(|(first, count)| RunRange { first: *first, count: *count }).collect(),
        }
    }

    #[test]
    fn pieces_have_all_runs_once() {
        let whole = chunk(&[(0, 10), (20, 1), (30, 25)]);
        for (skip, size) in [(0, 1), (0, 7), (3, 4), (11, 100), (36, 1), (0, 0)] {
            let pieces = whole.pieces(skip, size);
            let found: Vec<u64> = pieces.iter().flat_map(SweepChunk::runs).collect();
            assert_eq!(found, whole.runs().skip(skip as usize).collect::<Vec<_>>());
            assert!(pieces.iter().all(|piece| (1..=size.max(1)).contains(&piece.count()) && piece.is_sound()));
        }
    }

    #[test]
    fn a_piece_of_very_many_runs_costs_nothing() {
        let whole = chunk(&[(0, 3), (10, MAX_RUNS - 10)]);
        assert_eq!(whole.piece(1, 4), Some(chunk(&[(1, 2), (10, 2)])));
        assert_eq!(whole.piece(whole.count() - 1, 4), Some(chunk(&[(MAX_RUNS - 1, 1)])));
        assert_eq!(whole.piece(whole.count(), 4), None);
    }

    #[test]
    fn messages_come_back_and_others_are_refused() {
        let whole = chunk(&[(0, 10), (20, 1)]);
        assert_eq!(SweepChunk::of_bytes(&whole.to_bytes()), Ok(whole.clone()));
        let mut other = whole.to_bytes();
        other[4] = 9;
        assert_eq!(SweepChunk::of_bytes(&other), Err(PoolMessageError::Version(9)));
        let wild = SweepChunk { sweep: "*".to_owned(), ..whole.clone() };
        assert_eq!(SweepChunk::of_bytes(&wild.to_bytes()), Err(PoolMessageError::Content(1)));
        for ranges in [&[(5, 2), (6, 1)][..], &[(0, 0)], &[(u64::MAX, 2)], &[(0, u64::MAX)]] {
            assert_eq!(
                SweepChunk::of_bytes(&chunk(ranges).to_bytes()),
                Err(PoolMessageError::Content(1)),
                "{ranges:?}"
            );
        }
        assert_eq!(WorkerGreeting::of_bytes(&whole.to_bytes()), Err(PoolMessageError::Kind(1, 3)));
        assert_eq!(SweepChunk::of_bytes(b"SIM"), Err(PoolMessageError::Foreign));
    }
}
