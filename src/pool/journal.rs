//! The journal of a sweep, beside its result file, for resuming an interrupted sweep.
//!
//! It has a header with everything that the runs of the sweep depend on, then a record for each finished run with its
//! length and checksum. An incomplete last record is removed. In memory it takes 8 bytes for each run. The finished
//! runs of another sweep are never removed: they may have taken hours.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::{Curve, MAX_RUNS};

/// The begin of journals of all versions.
const MARK: &[u8; 6] = b"SIMSWP";
const MAGIC: &[u8; 8] = b"SIMSWP\x02\0";
/// Before the identity: the mark, and the identity's length and checksum.
const FRAME: usize = 16;
/// The maximum length of an identity, in bytes.
const MAX_IDENTITY: usize = 1 << 24;
/// How many names are tried for a journal that is set aside.
const MAX_ASIDE: u32 = 1000;

/// The settings that the runs of a sweep depend on, by the names that its user knows: `--steps`, `1000`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepIdentity(Vec<(String, String)>);

/// A setting that differs between two sweeps; a value is missing if only the other sweep has the setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityDifference {
    pub name: String,
    pub before: Option<String>,
    pub now: Option<String>,
}

impl SweepIdentity {
    /// Makes an identity of names and values; a name that comes again gets a number.
    pub fn new(all: impl IntoIterator<Item = (String, String)>) -> SweepIdentity {
        let mut identity = SweepIdentity::default();
        for (name, value) in all {
            let numbered = (2u64..).map(|number| format!("{name} ({number})"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| identity.get(name).is_none());
            identity.0.push((free.unwrap_or(name), value));
        }
        identity
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the differences of a later sweep.
    pub fn differences(&self, now: &SweepIdentity) -> Vec<IdentityDifference> {
        let new = now.0.iter().filter(|(name, _)| self.get(name).is_none());
        let names = self.0.iter().chain(new).map(|(name, _)| name);
        let pairs = names.map(|name| (name, self.get(name), now.get(name))).filter(|(_, before, now)| before != now);
        let owned = |value: Option<&str>| value.map(str::to_owned);
        let difference = |(name, before, now): (&String, _, _)| IdentityDifference {
            name: name.clone(),
            before: owned(before),
            now: owned(now),
        };
        pairs.map(difference).collect()
    }
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has runs of another sweep")]
    Other {
        /// The number of finished runs; `None` if another version has written them.
        done: Option<u64>,
        differences: Vec<IdentityDifference>,
    },
}

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

    /// Opens the journal of an interrupted sweep with the same identity, or begins a new one.
    ///
    /// # Errors
    /// If the file cannot be created or read, or has finished runs of another sweep.
    pub fn open(path: &Path, identity: &SweepIdentity) -> Result<SweepJournal, JournalError> {
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(in_use().into());
        }
        let known = match head(&file)? {
            Head::Other => return Err(in_the_way().into()),
            Head::OtherVersion => return Err(JournalError::Other { done: None, differences: Vec::new() }),
            Head::Begun => None,
            Head::Whole(known, begin) => Some((known, SweepJournal::records(&file, begin)?)),
        };
        let mut journal = match known {
            Some((known, (done, end))) if known == *identity => SweepJournal { file, path: path.to_owned(), end, done },
            Some((known, (done, _))) if done.count > 0 => {
                let (done, differences) = (Some(done.count), known.differences(identity));
                return Err(JournalError::Other { done, differences });
            }
            _ => {
                // Strings are always written.
                let text = serde_json::to_vec(identity).unwrap_or_default();
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(MAGIC)?;
                file.write_all(&(text.len() as u32).to_le_bytes())?;
                file.write_all(&crc32fast::hash(&text).to_le_bytes())?;
                file.write_all(&text)?;
                let end = (FRAME + text.len()) as u64;
                SweepJournal { file, path: path.to_owned(), end, done: Done::default() }
            }
        };
        journal.file.set_len(journal.end)?;
        journal.file.seek(SeekFrom::Start(journal.end))?;
        Ok(journal)
    }

    /// Moves a journal with finished runs away, to `results.csv.part.1` or the next number that is free. Returns
    /// where it is; `None` if there is nothing to keep.
    ///
    /// # Errors
    /// If the file is no journal, another command is writing it, or it cannot be renamed.
    pub fn set_aside(path: &Path) -> io::Result<Option<PathBuf>> {
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(in_use());
        }
        match head(&file)? {
            Head::Other => return Err(in_the_way()),
            Head::Begun => return Ok(None),
            Head::Whole(_, begin) if SweepJournal::records(&file, begin)?.0.count == 0 => return Ok(None),
            Head::Whole(..) | Head::OtherVersion => {}
        }
        let numbered = |number: u32| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        let is_free = |aside: &PathBuf| std::fs::symlink_metadata(aside).is_err();
        let aside = (1..=MAX_ASIDE).map(numbered).find(is_free);
        let aside = aside.ok_or_else(|| io::Error::other("too many journals are beside it; move some away"))?;
        std::fs::rename(path, &aside)?;
        Ok(Some(aside))
    }

    /// Returns the complete records from an offset on, and their end.
    fn records(mut file: &File, begin: u64) -> io::Result<(Done, u64)> {
        file.seek(SeekFrom::Start(begin))?;
        let mut reader = BufReader::new(file);
        let (mut done, mut end) = (Done::default(), begin);
        let length = file.metadata()?.len();
        while let Some((bytes, size)) = record(&mut reader, length - end)? {
            let Some(curve) = Curve::from_bytes(&bytes).filter(|curve| curve.run < MAX_RUNS) else { break };
            done.insert(curve.run, end);
            end += size;
        }
        Ok((done, end))
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

fn in_use() -> io::Error {
    io::Error::other("another command is writing it at this moment")
}

fn in_the_way() -> io::Error {
    io::Error::other("it is in the way and is no journal of a sweep; move it away")
}

/// The beginning of a file.
enum Head {
    /// The identity of a sweep, and the offset of the first record.
    Whole(SweepIdentity, u64),
    /// Nothing, or a header that was interrupted.
    Begun,
    OtherVersion,
    /// It is no journal, and may not be overwritten.
    Other,
}

fn head(mut file: &File) -> io::Result<Head> {
    let mut frame = Vec::with_capacity(FRAME);
    file.seek(SeekFrom::Start(0))?;
    file.take(FRAME as u64).read_to_end(&mut frame)?;
    let Some((mark, rest)) = frame.split_first_chunk::<8>() else {
        return Ok(if MAGIC.starts_with(&frame) { Head::Begun } else { Head::Other });
    };
    if mark != MAGIC {
        return Ok(if mark.starts_with(MARK) { Head::OtherVersion } else { Head::Other });
    }
    let &[l0, l1, l2, l3, c0, c1, c2, c3] = rest else { return Ok(Head::Begun) };
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let mut text = Vec::new();
    file.take(length.min(MAX_IDENTITY) as u64).read_to_end(&mut text)?;
    let is_sound = text.len() == length && crc32fast::hash(&text) == u32::from_le_bytes([c0, c1, c2, c3]);
    let identity = Some(text).filter(|_| is_sound).and_then(|text| serde_json::from_slice(&text).ok());
    Ok(identity.map_or(Head::Begun, |identity| Head::Whole(identity, (FRAME + length) as u64)))
}

/// Reads the next record: its content and its size with the frame; `None` if there is no complete record.
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
