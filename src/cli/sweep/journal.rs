//! The journal of a sweep, beside its result file, for resuming an interrupted sweep.
//!
//! It has a header with the fingerprint of the sweep, then a record for each finished run with its length and checksum.
//! An incomplete last record is removed.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::engine::Curve;

const MAGIC: &[u8; 8] = b"SIMSWP\x01\0";
const HEADER: u64 = 16;

pub(super) struct Journal {
    file: File,
    path: PathBuf,
    end: u64,
    done: Vec<Done>,
}

/// A finished run and the file offset of its record.
type Done = (u64, u64);

impl Journal {
    /// Returns the journal's path for a result file: `results.csv.part`.
    pub(super) fn beside(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".part");
        PathBuf::from(name)
    }

    /// Opens the journal of an interrupted sweep with the same fingerprint, or begins a new one.
    ///
    /// # Errors
    /// If the file cannot be created or read.
    pub(super) fn open(path: &Path, fingerprint: u64) -> io::Result<Journal> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let mut journal = match Journal::records(&file, fingerprint)? {
            Some((done, end)) => Journal { file, path: path.to_owned(), end, done },
            None if !is_journal(&file)? => {
                return Err(io::Error::other("it is in the way and is no journal of a sweep; move it away"));
            }
            None => {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(MAGIC)?;
                file.write_all(&fingerprint.to_le_bytes())?;
                Journal { file, path: path.to_owned(), end: HEADER, done: Vec::new() }
            }
        };
        journal.file.set_len(journal.end)?;
        journal.file.seek(SeekFrom::Start(journal.end))?;
        Ok(journal)
    }

    /// Returns the complete records and their end offset; none if the file belongs to another sweep.
    fn records(file: &File, fingerprint: u64) -> io::Result<Option<(Vec<Done>, u64)>> {
        let mut reader = BufReader::new(file);
        let mut header = [0; HEADER as usize];
        if reader.read_exact(&mut header).is_err()
            || !header.starts_with(MAGIC)
            || !header.ends_with(&fingerprint.to_le_bytes())
        {
            return Ok(None);
        }
        let (mut done, mut end) = (Vec::new(), HEADER);
        let length = file.metadata()?.len();
        while let Some((bytes, size)) = record(&mut reader, length - end)? {
            let Some(curve) = decode(&bytes) else { break };
            done.push((curve.run, end));
            end += size;
        }
        Ok(Some((done, end)))
    }

    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns the numbers of the finished runs.
    pub(super) fn done(&self) -> std::collections::HashSet<u64> {
        self.done.iter().map(|(run, _)| *run).collect()
    }

    /// Appends the results of a run.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn add(&mut self, curve: &Curve) -> io::Result<()> {
        let bytes = encode(curve);
        let mut record = Vec::with_capacity(bytes.len() + 12);
        record.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        record.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        record.extend_from_slice(&bytes);
        self.file.write_all(&record)?;
        self.done.push((curve.run, self.end));
        self.end += record.len() as u64;
        Ok(())
    }

    /// Passes all curves to `take`, sorted by run.
    ///
    /// # Errors
    /// If the file cannot be read, or `take` fails.
    pub(super) fn each(&mut self, mut take: impl FnMut(Curve) -> io::Result<()>) -> io::Result<()> {
        self.done.sort_unstable();
        let mut reader = BufReader::new(&self.file);
        for (_, offset) in &self.done {
            // The records are mostly in order, so the buffer is useful for the next one.
            let here = reader.stream_position()?;
            reader.seek_relative(*offset as i64 - here as i64)?;
            let damaged = || io::Error::other("the journal of the sweep is damaged");
            let (bytes, _) = record(&mut reader, self.end - offset)?.ok_or_else(damaged)?;
            take(decode(&bytes).ok_or_else(damaged)?)?;
        }
        Ok(())
    }

    /// Removes the journal after the results have been written.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub(super) fn remove(self) -> io::Result<()> {
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

/// Serializes a curve as 8-byte numbers: run, number of steps and signals, the steps, for each signal the number of
/// values and the values; then the text of the failure.
fn encode(curve: &Curve) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |number: u64| bytes.extend_from_slice(&number.to_le_bytes());
    put(curve.run);
    put(curve.steps.len() as u64);
    put(curve.values.len() as u64);
    curve.steps.iter().for_each(|step| put(*step));
    for values in &curve.values {
        put(values.len() as u64);
        values.iter().for_each(|value| put(value.to_bits()));
    }
    match &curve.failure {
        None => bytes.push(0),
        Some(text) => {
            bytes.push(1);
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Curve> {
    let mut rest = bytes;
    let mut take = || {
        let (number, behind) = rest.split_first_chunk::<8>()?;
        rest = behind;
        Some(u64::from_le_bytes(*number))
    };
    let (run, steps, signals) = (take()?, take()?, take()?);
    let steps = (0..steps).map(|_| take()).collect::<Option<Vec<u64>>>()?;
    let mut values = Vec::new();
    for _ in 0..signals {
        let count = take()?;
        values.push((0..count).map(|_| take().map(f64::from_bits)).collect::<Option<Vec<f64>>>()?);
    }
    let failure = match rest.split_first()? {
        (0, _) => None,
        (_, text) => Some(String::from_utf8_lossy(text).into_owned()),
    };
    Some(Curve { run, steps, values, failure })
}
