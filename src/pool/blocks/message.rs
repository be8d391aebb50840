//! Frames of sessions with remote blocks as messages of a limited length, and the messages that open a session.

use serde::{Deserialize, Serialize};

use super::super::message::{PoolMessage, PoolMessageError, is_hash, join, split};
use crate::worker::{Frame, MAX_FRAME};

/// A run looks for a worker for one of its blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockOpen {
    /// The hash of the bundle, by which it is fetched.
    pub model: String,
    /// The subject that the worker's frames go to.
    pub inbox: String,
}

/// A worker that takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockOpened {
    pub worker: String,
    /// The subject that frames for the worker go to.
    pub subject: String,
}

const MAX_HEAD: usize = 4096;

impl PoolMessage for BlockOpen {
    const KIND: u8 = 7;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, self, &[])
    }

    fn of_bytes(bytes: &[u8]) -> Result<BlockOpen, PoolMessageError> {
        let (message, body): (BlockOpen, _) = split(Self::KIND, bytes, MAX_HEAD)?;
        let is_sound = body.is_empty() && is_hash(&message.model) && is_subject(&message.inbox);
        if is_sound { Ok(message) } else { Err(PoolMessageError::Content(Self::KIND)) }
    }
}

impl PoolMessage for BlockOpened {
    const KIND: u8 = 8;

    fn to_bytes(&self) -> Vec<u8> {
        join(Self::KIND, self, &[])
    }

    fn of_bytes(bytes: &[u8]) -> Result<BlockOpened, PoolMessageError> {
        let (message, body): (BlockOpened, _) = split(Self::KIND, bytes, MAX_HEAD)?;
        let is_plain = message.worker.len() <= 256 && !message.worker.chars().any(char::is_control);
        let is_sound = body.is_empty() && is_plain && is_subject(&message.subject);
        if is_sound { Ok(message) } else { Err(PoolMessageError::Content(Self::KIND)) }
    }
}

/// Whether a text is a subject without wildcards.
fn is_subject(text: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !text.is_empty() && text.len() <= 256 && text.chars().all(is_known)
}

/// The most bytes of a frame in one message.
const PART: usize = 512 << 10;
/// The bytes before them: the number of the part, and the number of parts.
const HEAD: usize = 8;

/// Returns the messages of a frame.
pub fn parts_of(kind: u8, content: &[u8]) -> Vec<Vec<u8>> {
    let whole = [&[kind], content].concat();
    let count = whole.len().div_ceil(PART) as u32;
    let part = |(number, bytes): (u32, &[u8])| [&number.to_le_bytes()[..], &count.to_le_bytes(), bytes].concat();
    (0..).zip(whole.chunks(PART)).map(part).collect()
}

/// Joins messages to frames. A frame of which a part is missing is dropped.
#[derive(Debug, Default)]
pub struct FrameJoiner {
    /// The number of the part that is missing; `None` if the next frame is waited for.
    next: Option<u32>,
    bytes: Vec<u8>,
}

impl FrameJoiner {
    /// Takes a message; returns the frame that it completes.
    pub fn take(&mut self, message: &[u8]) -> Option<Frame> {
        let (head, bytes) = message.split_first_chunk::<HEAD>()?;
        let [a, b, c, d, e, f, g, h] = *head;
        let (number, count) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if number == 0 {
            self.next = Some(0);
            self.bytes.clear();
        }
        if self.next.take() != Some(number) || self.bytes.len() + bytes.len() > MAX_FRAME + 1 {
            return None;
        }
        self.bytes.extend_from_slice(bytes);
        let next = number.checked_add(1)?;
        if next < count {
            self.next = Some(next);
            return None;
        }
        let whole = std::mem::take(&mut self.bytes);
        let (&kind, content) = whole.split_first()?;
        Some(Frame { kind, content: content.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_frames_come_in_parts_and_a_missing_part_costs_the_frame() {
        let content: Vec<u8> = (0..2 * PART + 17).map(|number| number as u8).collect();
        let parts = parts_of(7, &content);
        assert_eq!(parts.len(), 3);
        let mut joiner = FrameJoiner::default();
        let frames: Vec<_> = parts.iter().filter_map(|part| joiner.take(part)).collect();
        assert_eq!(frames, [Frame { kind: 7, content: content.clone() }]);
        assert_eq!(joiner.take(&parts[0]).or(joiner.take(&parts[2])), None);
        assert_eq!(joiner.take(&parts_of(9, &[])[0]), Some(Frame { kind: 9, content: Vec::new() }));
        assert_eq!(joiner.take(b"short"), None);
        assert_eq!(joiner.take(&[0xff; 9]), None);
    }
}
