//! The spill file: a temporary file for recorded samples beyond the memory limit, removed with the program.
//!
//! All recordings share it. When their chunks exceed the memory limit, a background thread writes the oldest; plots
//! read them back, and those read last are cached. The reduced samples for distant views stay in memory, a sixteenth
//! of all samples: so the memory limit also limits the file, to about fourteen times as much, beyond which the
//! spill file is full.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::engine::{Chunk, SpillFile, SpilledChunk};
use crate::threads;

/// The size of a chunk's samples in bytes.
const SIZE: usize = Chunk::LEN * size_of::<f64>();
/// The number of cached chunks.
const KEPT: usize = 64;
/// The minimum number of chunks in memory.
const FEWEST: usize = 4;
/// The memory of a chunk that is not in the file, in bytes.
const HELD: usize = SIZE + Chunk::RESIDENT;

/// Stores chunks of samples in a file.
#[derive(Debug)]
pub struct TempSpillFile {
    /// Chunks that are in memory, the oldest first.
    held: Mutex<VecDeque<Weak<Chunk>>>,
    limit: AtomicUsize,
    jobs: Sender<Arc<Chunk>>,
    file: Arc<Storage>,
}

/// The storage used by recorded samples, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpillUsage {
    pub memory: usize,
    pub disk: u64,
    /// The memory limit is reached although all possible samples are in the file.
    pub is_full: bool,
    /// Writing to disk has failed; samples stay in memory.
    pub has_failed: bool,
}

#[derive(Debug)]
struct Storage {
    folder: Option<PathBuf>,
    /// Created on first use; `None` if that fails: then all samples stay in memory.
    file: OnceLock<Option<Mutex<File>>>,
    slots: Mutex<Slots>,
    read: Mutex<VecDeque<(u64, Arc<[f64]>)>>,
    has_failed: AtomicBool,
}

/// The file is an array of slots, one chunk each.
#[derive(Debug, Default)]
struct Slots {
    free: Vec<u64>,
    count: u64,
}

/// A chunk's slot in the file.
#[derive(Debug)]
struct Slot {
    number: u64,
    storage: Arc<Storage>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TempSpillFile {
    /// Creates a spill file in a folder, which is created when needed, or in the temporary folder.
    pub fn new(folder: Option<&Path>, limit: usize) -> Arc<TempSpillFile> {
        let storage = Storage {
            folder: folder.map(Path::to_owned),
            file: OnceLock::new(),
            slots: Mutex::default(),
            read: Mutex::default(),
            has_failed: AtomicBool::new(false),
        };
        let (jobs, asked) = unbounded();
        let file = Arc::new(storage);
        let writer = Arc::clone(&file);
        // Without a thread all samples stay in memory.
        let _ = threads::spawn("spill file", move || write_all(&asked, &writer));
        Arc::new(TempSpillFile { held: Mutex::default(), limit: AtomicUsize::new(limit), jobs, file })
    }

    /// Sets the memory limit of samples in bytes.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Bytes in the file.
    pub fn size(&self) -> u64 {
        let slots = lock(&self.file.slots);
        (slots.count - slots.free.len() as u64) * SIZE as u64
    }

    /// Returns the storage used by complete chunks; those being written count as memory.
    pub fn usage(&self) -> SpillUsage {
        let mut held = lock(&self.held);
        held.retain(|chunk| chunk.strong_count() > 0);
        let in_memory = held.len() + self.jobs.len();
        drop(held);
        let disk = self.size();
        let memory = in_memory * HELD + self.in_file() * Chunk::RESIDENT;
        let is_full = memory > self.limit.load(Ordering::Relaxed).max(FEWEST * HELD);
        SpillUsage { memory, disk, is_full, has_failed: self.has_failed() }
    }

    fn in_file(&self) -> usize {
        usize::try_from(self.size()).unwrap_or(usize::MAX) / SIZE
    }

    fn has_failed(&self) -> bool {
        self.file.has_failed.load(Ordering::Relaxed)
    }
}

impl SpillFile for TempSpillFile {
    fn offer(&self, chunk: &Arc<Chunk>) {
        let mut held = lock(&self.held);
        held.push_back(Arc::downgrade(chunk));
        // Dropped chunks count nothing. An eighth is left for chunks being written.
        let limit = self.limit.load(Ordering::Relaxed) / 8 * 7;
        let most = limit.saturating_sub(self.in_file() * Chunk::RESIDENT) / HELD;
        if held.len() > most {
            held.retain(|chunk| chunk.strong_count() > 0);
        }
        while held.len() > most && !self.has_failed() {
            let Some(oldest) = held.pop_front() else { break };
            if let Some(chunk) = oldest.upgrade() {
                // The thread lives as long as the channel.
                let _ = self.jobs.send(chunk);
            }
        }
    }
}

fn write_all(asked: &Receiver<Arc<Chunk>>, storage: &Arc<Storage>) {
    for chunk in asked {
        // A chunk without other owners is not needed any more.
        if Arc::strong_count(&chunk) == 1 {
            continue;
        }
        match storage.write(&chunk.values()) {
            Ok(number) => chunk.spill(Box::new(Slot { number, storage: Arc::clone(storage) })),
            Err(_) => storage.has_failed.store(true, Ordering::Relaxed),
        }
    }
}

impl Storage {
    fn file(&self) -> Option<&Mutex<File>> {
        let make = || {
            let in_folder = self.folder.as_deref().and_then(|folder| {
                std::fs::create_dir_all(folder).ok()?;
                tempfile::tempfile_in(folder).ok()
            });
            in_folder.or_else(|| tempfile::tempfile().ok()).map(Mutex::new)
        };
        self.file.get_or_init(make).as_ref()
    }

    fn write(&self, values: &[f64]) -> io::Result<u64> {
        let Some(file) = self.file() else { return Err(io::ErrorKind::Unsupported.into()) };
        let number = {
            let mut slots = lock(&self.slots);
            slots.free.pop().unwrap_or_else(|| {
                slots.count += 1;
                slots.count - 1
            })
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut file = lock(file);
        let written = file.seek(SeekFrom::Start(number * SIZE as u64)).and_then(|_| file.write_all(&bytes));
        drop(file);
        if written.is_err() {
            lock(&self.slots).free.push(number);
        }
        written.map(|()| number)
    }

    fn read(&self, number: u64) -> Option<Arc<[f64]>> {
        let mut kept = lock(&self.read);
        if let Some(slot) = kept.iter().position(|(known, _)| *known == number) {
            let found = kept.remove(slot)?;
            let values = Arc::clone(&found.1);
            kept.push_front(found);
            return Some(values);
        }
        let mut bytes = vec![0; SIZE];
        let mut file = lock(self.file()?);
        file.seek(SeekFrom::Start(number * SIZE as u64)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        drop(file);
        let values: Arc<[f64]> = bytes.as_chunks::<8>().0.iter().map(|value| f64::from_le_bytes(*value)).collect();
        kept.push_front((number, Arc::clone(&values)));
        kept.truncate(KEPT);
        Some(values)
    }
}

impl SpilledChunk for Slot {
    fn read(&self) -> Option<Arc<[f64]>> {
        self.storage.read(self.number)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        lock(&self.storage.read).retain(|(known, _)| *known != self.number);
        lock(&self.storage.slots).free.push(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Recording;
    use crate::model::{BlockId, SignalKey};

    fn signal() -> SignalKey {
        SignalKey::new(&[], BlockId(0), "Output")
    }

    /// Waits until the thread has done all its jobs; the last is a chunk that it writes.
    fn settled(spill_file: &TempSpillFile, chunks: u64) {
        while spill_file.size() < chunks * SIZE as u64 && !spill_file.has_failed() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_has_no_room_lies_in_the_file_and_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        // Room for two and what four in the file take; an eighth stays free.
        let spill_file = TempSpillFile::new(Some(folder.path()), (2 * HELD + 4 * Chunk::RESIDENT + 8) / 7 * 8);
        let values: Vec<f64> = (0..6 * Chunk::LEN + 99).map(|n| (n as f64).sqrt() - 300.0).collect();
        let mut recording = Recording::with_spill_file(0.1, spill_file.clone());
        values.chunks(5000).enumerate().for_each(|(n, part)| recording.append(&signal(), 5000 * n as u64, 1, part));
        settled(&spill_file, 4);
        let column = &recording.columns(&signal())[0];
        let in_memory = || column.chunks().iter().map(|chunk| chunk.is_in_memory()).collect::<Vec<_>>();
        while in_memory() != [false, false, false, false, true, true] {
            std::thread::yield_now();
        }
        assert_eq!(column.values(), values);
        assert_eq!(column.extent(70_000..70_001).low, values[70_000]);
        let copy = recording.clone();
        drop(recording);
        assert_eq!(copy.columns(&signal())[0].at_step(1), Some(values[1]), "copies share what lies there");
        drop(copy);
        assert_eq!(spill_file.size(), 0, "what nobody looks at takes no place");
    }

    /// The part of spilled chunks that stays in memory counts: ever fewer other chunks fit, and in the end none.
    #[test]
    fn what_is_kept_of_chunks_in_the_file_counts_as_memory() {
        let limit = 6 * HELD;
        let spill_file = TempSpillFile::new(None, limit);
        let mut recording = Recording::with_spill_file(0.1, spill_file.clone());
        let part = vec![1.0; Chunk::LEN];
        let mut chunks = 0;
        // Until what stays in memory of all chunks in the file alone is more than the limit.
        while chunks * Chunk::RESIDENT <= limit {
            recording.append(&signal(), (chunks * Chunk::LEN) as u64, 1, &part);
            chunks += 1;
            while spill_file.jobs.len() > 2 {
                std::thread::yield_now();
            }
            let used = spill_file.usage();
            assert!(used.memory <= limit + 4 * HELD, "{used:?} with {chunks} chunks");
        }
        settled(&spill_file, chunks as u64);
        assert!(
            spill_file.usage().is_full && spill_file.usage().disk == (chunks * SIZE) as u64,
            "{:?}",
            spill_file.usage()
        );
        drop(recording);
        // Dropped chunks take nothing once the thread has released the last.
        while spill_file.usage() != SpillUsage::default() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn places_are_used_again() {
        let spill_file = TempSpillFile::new(None, 0);
        for round in 0..3 {
            let mut recording = Recording::with_spill_file(0.1, spill_file.clone());
            recording.append(&signal(), 0, 1, &vec![f64::from(round); 3 * Chunk::LEN]);
            settled(&spill_file, 3);
            assert_eq!(recording.columns(&signal())[0].at_step(40_000), Some(f64::from(round)));
        }
        assert!(lock(&spill_file.file.slots).count <= 6);
    }
}
