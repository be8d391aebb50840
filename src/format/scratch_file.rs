//! A temporary file without a name, for data that does not fit into memory. It is gone when it is closed, also when the
//! process is killed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::new_file::{folder_of, plain};

#[derive(Debug)]
pub struct ScratchFile {
    file: File,
}

impl ScratchFile {
    /// Creates a file in the folder of `path`: where a result fits, its parts fit too.
    ///
    /// # Errors
    /// If the folder is not writable.
    pub(super) fn beside(path: &Path) -> io::Result<ScratchFile> {
        Ok(ScratchFile { file: tempfile::tempfile_in(folder_of(path)).map_err(plain)? })
    }

    /// Writes bytes at an offset.
    ///
    /// # Errors
    /// If the disk is full or damaged.
    pub fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.write_all(bytes)).map_err(plain)
    }

    /// Fills `bytes` with those from an offset on.
    ///
    /// # Errors
    /// If the file ends before, or the disk is damaged.
    pub fn read_at(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(bytes)).map_err(plain)
    }
}
