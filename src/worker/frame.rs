//! Frames: the transport of the protocol.
//!
//! A frame is its length in bytes (4), its kind (1) and its content, all numbers with the lowest byte first. It knows
//! nothing of what it carries. Every length is bounded before memory is allocated.

use std::io::{self, Read, Write};

/// The maximum length of a frame's content, in bytes.
pub const MAX_FRAME: usize = 64 << 20;

/// The bytes before the content: the length and the kind.
pub(super) const HEAD: usize = 5;

/// A kind of message and its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub content: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("a message of {length} bytes; at most {limit} are expected")]
    TooLong { length: usize, limit: usize },
    #[error("the other side ended in the middle of a message")]
    Cut,
}

impl Frame {
    /// Returns the length of the content that a head announces, if it is within a limit, and the kind.
    ///
    /// # Errors
    /// If the length is beyond the limit.
    pub(super) fn announced(head: [u8; HEAD], limit: usize) -> Result<(usize, u8), FrameError> {
        let [a, b, c, d, kind] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let limit = limit.min(MAX_FRAME);
        if length > limit { Err(FrameError::TooLong { length, limit }) } else { Ok((length, kind)) }
    }

    /// Reads the next frame into this one; false at the end of the input.
    ///
    /// # Errors
    /// If the input cannot be read, ends within a frame, or announces more than `limit` bytes.
    pub fn read(&mut self, input: &mut dyn Read, limit: usize) -> Result<bool, FrameError> {
        let mut head = [0; HEAD];
        let mut read = 0;
        while let Some(rest) = head.get_mut(read..).filter(|rest| !rest.is_empty()) {
            match input.read(rest) {
                Ok(0) if read == 0 => return Ok(false),
                Ok(0) => return Err(FrameError::Cut),
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let (length, kind) = Frame::announced(head, limit)?;
        self.kind = kind;
        self.content.clear();
        // The memory grows with the bytes that have arrived, not with the announced length.
        let arrived = input.take(length as u64).read_to_end(&mut self.content)?;
        if arrived < length { Err(FrameError::Cut) } else { Ok(true) }
    }

    /// Returns the bytes of the frame.
    ///
    /// # Errors
    /// If the content is longer than [`MAX_FRAME`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, FrameError> {
        let length = u32::try_from(self.content.len()).ok().filter(|length| *length as usize <= MAX_FRAME);
        let length = length.ok_or(FrameError::TooLong { length: self.content.len(), limit: MAX_FRAME })?;
        let mut bytes = Vec::with_capacity(HEAD + self.content.len());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.push(self.kind);
        bytes.extend_from_slice(&self.content);
        Ok(bytes)
    }

    /// Writes the frame at once.
    ///
    /// # Errors
    /// If it is too long or cannot be written.
    pub fn write(&self, output: &mut dyn Write) -> Result<(), FrameError> {
        output.write_all(&self.to_bytes()?)?;
        Ok(output.flush()?)
    }
}
