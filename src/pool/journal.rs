//! The journal of a sweep, beside its result file, for resuming an interrupted sweep.
//!
//! It has a header with the fingerprint of the sweep, then a record for each finished run with its length and checksum.
//! An incomplete last record is removed. In memory it takes 8 bytes for each run.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::engine::{Curve, MAX_RUNS};

const MAGIC: &[u8; 8] = b"SIMSWP\x01\0";
const HEADER: u64 = 16;

/// The finished runs of a sweep on the disk, and where each is.
pub struct SweepJournal {
    file: File,
    path: PathBuf,
    end: u64,
    done: Done,
}

/// The finished runs.
#[derive(Default)]
struct Done {
    /// For each run the file offset of its record; 0 if it is not finished.
    offsets: Vec<u64>,
    count: u64,
}

impl Done {
    fn insert(&mut self, run: u64, offset: u64) {
        let index = run as usize;
        if self.offsets.len() <= index {
            self.offsets.resize(index + 1, 0);
        }
        if let Some(known) = self.offsets.get_mut(index) {
            self.count += u64::from(*known == 0);
            *known = offset;
        }
    }

    fn get(&self, run: u64) -> Option<u64> {
        self.offsets.get(run as usize).copied().filter(|offset| *offset > 0)
    }
}

impl SweepJournal {
    /// Returns the journal's path for a result file: `results.csv.part`.
    pub fn beside(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".part");
        PathBuf::from(name)
    }

    /// Opens the journal of an interrupted sweep with the same fingerprint, or begins a new one.
    ///
    /// # Errors
    /// If the file cannot be created or read.
    pub fn open(path: &Path, fingerprint: u64) -> io::Result<SweepJournal> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::Error::other("another command is writing it at this moment"));
        }
        let mut journal = match SweepJournal::records(&file, fingerprint)? {
            Some((done, end)) => SweepJournal { file, path: path.to_owned(), end, done },
            None if !is_journal(&file)? => {
                return Err(io::Error::other("it is in the way and is no journal of a sweep; move it away"));
            }
            None => {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(MAGIC)?;
                file.write_all(&fingerprint.to_le_bytes())?;
                SweepJournal { file, path: path.to_owned(), end: HEADER, done: Done::default() }
            }
        };
        journal.file.set_len(journal.end)?;
        journal.file.seek(SeekFrom::Start(journal.end))?;
        Ok(journal)
    }

    /// Returns the complete records and their end offset; none if the file belongs to another sweep.
    fn records(file: &File, fingerprint: u64) -> io::Result<Option<(Done, u64)>> {
        let mut reader = BufReader::new(file);
        let mut header = [0; HEADER as usize];
        if reader.read_exact(&mut header).is_err()
            || !header.starts_with(MAGIC)
            || !header.ends_with(&fingerprint.to_le_bytes())
        {
            return Ok(None);
        }
        let (mut done, mut end) = (Done::default(), HEADER);
        let length = file.metadata()?.len();
        while let Some((bytes, size)) = record(&mut reader, length - end)? {
            let Some(curve) = Curve::from_bytes(&bytes).filter(|curve| curve.run < MAX_RUNS) else { break };
            done.insert(curve.run, end);
            end += size;
        }
        Ok(Some((done, end)))
    }

    /// Returns the path, for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the number of finished runs.
    pub fn done(&self) -> u64 {
        self.done.count
    }

    /// Returns whether a run is finished.
    pub fn is_done(&self, run: u64) -> bool {
        self.done.get(run).is_some()
    }

    /// Returns the bytes of the curve of a finished run.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn bytes(&mut self, run: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(offset) = self.done.get(run) else { return Ok(None) };
        self.file.seek(SeekFrom::Start(offset))?;
        let read = record(&mut self.file, self.end - offset);
        self.file.seek(SeekFrom::Start(self.end))?;
        Ok(read?.map(|(bytes, _)| bytes))
    }

    /// Waits until all records are on the disk.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Appends the results of a run.
    ///
    /// # Errors
    /// If writing fails.
    pub fn add(&mut self, curve: &Curve) -> io::Result<()> {
        let bytes = curve.to_bytes();
        let mut record = Vec::with_capacity(bytes.len() + 12);
        record.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        record.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        record.extend_from_slice(&bytes);
        self.file.write_all(&record)?;
        self.done.insert(curve.run, self.end);
        self.end += record.len() as u64;
        Ok(())
    }

    /// Passes all curves to `take`, sorted by run.
    ///
    /// # Errors
    /// If the file cannot be read, or `take` fails.
    pub fn each(&mut self, mut take: impl FnMut(Curve) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::new(&self.file);
        for offset in self.done.offsets.iter().filter(|offset| **offset > 0) {
            // The records are mostly in order, so the buffer is useful for the next one.
            let here = reader.stream_position()?;
            reader.seek_relative(*offset as i64 - here as i64)?;
            let damaged = || io::Error::other("the journal of the sweep is damaged");
            let (bytes, _) = record(&mut reader, self.end - offset)?.ok_or_else(damaged)?;
            take(Curve::from_bytes(&bytes).ok_or_else(damaged)?)?;
        }
        Ok(())
    }

    /// Removes the journal after the results have been written.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        drop(self.file);
        std::fs::remove_file(&self.path)
    }
}

/// Returns whether a file begins as a journal does, or is a beginning of that: nothing else may be overwritten.
fn is_journal(mut file: &File) -> io::Result<bool> {
    let mut head = Vec::with_capacity(MAGIC.len());
    file.seek(SeekFrom::Start(0))?;
    file.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(MAGIC.starts_with(&head))
}

/// Reads the next record: its content and its size with the frame; none if there is no complete record.
fn record(reader: &mut impl Read, left: u64) -> io::Result<Option<(Vec<u8>, u64)>> {
    let mut frame = [0; 12];
    if left < 12 {
        return Ok(None);
    }
    reader.read_exact(&mut frame)?;
    let [l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = frame;
    let length = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
    if length > left - 12 {
        return Ok(None);
    }
    let mut bytes = vec![0; length as usize];
    reader.read_exact(&mut bytes)?;
    let is_sound = crc32fast::hash(&bytes) == u32::from_le_bytes([c0, c1, c2, c3]);
    Ok(is_sound.then_some((bytes, length + 12)))
}
