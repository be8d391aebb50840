//! A text file whose complete lines are kept if the disk fills up while they are written.

use std::io::{self, Write};

use super::NewFile;

/// The number of bytes that are written at a time.
const BUFFER: usize = 1 << 16;

/// A table of text that replaces its target when it is committed. If writing fails, the rows that are complete stay in a
/// file beside the target, whose name is in the error; the target stays as it was.
#[derive(Debug)]
pub struct LineFile {
    /// None after writing has failed.
    file: Option<NewFile>,
    buffer: Vec<u8>,
    /// The number of bytes in the file.
    written: u64,
    /// The end of the last complete row in the file, in bytes.
    end: u64,
    /// The number of complete rows in the file.
    rows: u64,
}

impl LineFile {
    /// Begins a file with the text before the first row. No row has a line break in a cell.
    ///
    /// # Errors
    /// If the head cannot be written.
    pub fn begin(mut file: NewFile, head: &[u8]) -> io::Result<LineFile> {
        file.write_all(head)?;
        let written = head.len() as u64;
        Ok(LineFile { file: Some(file), buffer: Vec::with_capacity(BUFFER), written, end: written, rows: 0 })
    }

    /// Replaces the target durably.
    ///
    /// # Errors
    /// If that fails; the target is then unchanged.
    pub fn commit(mut self) -> io::Result<()> {
        self.push()?;
        self.file.take().map_or(Ok(()), NewFile::commit)
    }

    /// Writes the buffer to the file.
    fn push(&mut self) -> io::Result<()> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("the file could not be written before"))?;
        let (mut done, mut failed) = (0, None);
        while let Some(rest) = self.buffer.get(done..).filter(|rest| !rest.is_empty()) {
            match file.write(rest) {
                Ok(0) => failed = Some(io::ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => failed = Some(error),
            }
            if failed.is_some() {
                break;
            }
        }
        let whole = self.buffer.get(..done).unwrap_or_default();
        if let Some(last) = whole.iter().rposition(|byte| *byte == b'\n') {
            self.end = self.written + last as u64 + 1;
            self.rows += whole.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        self.written += done as u64;
        self.buffer.clear();
        failed.map_or(Ok(()), |error| Err(self.keep(error)))
    }

    /// Keeps the complete rows; returns the error with the name of their file.
    fn keep(&mut self, error: io::Error) -> io::Error {
        match self.file.take().filter(|_| self.rows > 0).map(|file| file.keep_incomplete(self.end)) {
            Some(Ok(name)) => {
                let rows = if self.rows == 1 { "the row".to_owned() } else { format!("the {} rows", self.rows) };
                io::Error::new(error.kind(), format!("{error}; {rows} up to there are beside it in {name}"))
            }
            _ => error,
        }
    }
}

impl Write for LineFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.push()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.push()
    }
}
