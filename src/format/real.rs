//! Opens a file by its real path: the path that was checked, and not one that a link leads to since then.
//!
//! Another program may put a link in the place of a file, or of a folder on the way to it, after the path was resolved
//! and before it is opened. On Linux each folder is therefore opened inside the one before it, and none through a link.
//! Elsewhere the path is resolved again after the file was opened, which leaves a shorter moment.

use std::fs::File;
use std::io;
use std::path::Path;

use super::disk::{check_target, read_open};
use super::new_file::NewFile;
#[cfg(target_os = "linux")]
use super::new_file::through_file;

/// Reads a regular file of at most `limit` bytes by its real path, which [`std::fs::canonicalize`] returns.
///
/// # Errors
/// If it cannot be read, is not a regular file or is longer, or if a part of the path has become a link.
pub fn read_real(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(&open_real(path)?, limit)
}

fn changed() -> io::Error {
    io::Error::other("a link took the place of a part of the path while the file was opened; try again")
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::path::{Component, Path, PathBuf};

    use rustix::fd::OwnedFd;
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, statat};
    use rustix::io::Errno;

    use super::{changed, through_file};

    fn plain(error: Errno) -> io::Error {
        // A link is neither followed nor taken for a folder.
        if [Errno::LOOP, Errno::NOTDIR].contains(&error) { changed() } else { error.into() }
    }

    /// Opens a folder, for what is inside it: the user need not be allowed to list it.
    pub fn folder(path: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut folder = open("/", flags, Mode::empty()).map_err(plain)?;
        for part in path.components() {
            match part {
                Component::RootDir => {}
                Component::Normal(name) => {
                    folder = openat(&folder, name, flags, Mode::empty()).map_err(|error| {
                        let about = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW);
                        let is_file = about.is_ok_and(|about| FileType::from_raw_mode(about.st_mode).is_file());
                        if is_file { through_file(error.into()) } else { plain(error) }
                    })?;
                }
                _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not resolved")),
            }
        }
        Ok(folder)
    }

    /// Opens a file in it for reading. Opening does not wait for the other end of a pipe.
    pub fn file(path: &Path) -> io::Result<OwnedFd> {
        let (folder_path, name) = path.parent().zip(path.file_name()).ok_or(io::ErrorKind::InvalidInput)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        openat(folder(folder_path)?, name, flags, Mode::empty()).map_err(plain)
    }

    /// Returns a path that leads to an open folder whatever its name is now; `None` if the system does not provide one.
    pub fn path_of(folder: &OwnedFd) -> Option<PathBuf> {
        use std::os::fd::AsRawFd as _;
        let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
        path.is_dir().then_some(path)
    }
}

/// Opens a file for reading.
#[cfg(target_os = "linux")]
fn open_real(path: &Path) -> io::Result<File> {
    Ok(File::from(system::file(path)?))
}

#[cfg(not(target_os = "linux"))]
fn open_real(path: &Path) -> io::Result<File> {
    // Opening a pipe may block.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("this is not a regular file"));
    }
    let file = File::open(path)?;
    if std::fs::canonicalize(path)? == path { Ok(file) } else { Err(changed()) }
}

/// Begins a file that replaces the one with a real path when it is committed: in the folder that was there when it
/// began, even if the folder is renamed until then.
///
/// # Errors
/// As [`super::begin`]; and if the file or a folder on the way to it has become a link.
pub(super) fn begin_real(path: &Path) -> io::Result<NewFile> {
    #[cfg(target_os = "linux")]
    if let Some((folder, name)) = path.parent().zip(path.file_name()) {
        let folder = system::folder(folder)?;
        if let Some(inside) = system::path_of(&folder) {
            let target = inside.join(name);
            check_no_link(&target)?;
            check_target(&target)?;
            return NewFile::create_in(&target, Some(File::from(folder)));
        }
    }
    check_no_link(path)?;
    let folder = path.parent().unwrap_or(path);
    if std::fs::canonicalize(folder)? != folder {
        return Err(changed());
    }
    check_target(path)?;
    NewFile::create(path)
}

/// A link is not followed when a file takes its place; its attributes must not be those of what it leads to either.
fn check_no_link(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Err(changed()),
        _ => Ok(()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// A folder with `in/deep/a.csv` and `out/deep/a.csv`, and its real path.
    fn folders() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("the folder");
        for side in ["in", "out"] {
            fs::create_dir_all(root.join(side).join("deep")).expect("a folder");
            fs::write(root.join(side).join("deep/a.csv"), side).expect("a file");
        }
        (folder, root)
    }

    fn is_changed<T>(result: io::Result<T>) -> bool {
        result.is_err_and(|error| error.to_string() == changed().to_string())
    }

    #[test]
    fn a_link_that_came_after_the_check_is_not_followed() {
        for part in ["in", "in/deep", "in/deep/a.csv"] {
            let (_folder, root) = folders();
            let path = root.join("in/deep/a.csv");
            assert_eq!(read_real(&path, 100).expect("it is there"), b"in");
            drop(begin_real(&path).expect("it can be written"));
            fs::rename(root.join(part), root.join("before")).expect("it is moved");
            symlink(root.join(part.replace("in", "out")), root.join(part)).expect("a link");
            assert_eq!(fs::read(&path).expect("the link leads out"), b"out");
            assert!(is_changed(read_real(&path, 100)), "{part} is read through a link");
            assert!(is_changed(begin_real(&path)), "{part} is written through a link");
        }
    }

    #[test]
    fn a_file_that_has_begun_stays_in_its_folder() {
        let (_folder, root) = folders();
        let path = root.join("in/deep/a.csv");
        let mut file = begin_real(&path).expect("it can be written");
        fs::rename(root.join("in/deep"), root.join("before")).expect("it is moved");
        symlink(root.join("out/deep"), root.join("in/deep")).expect("a link");
        file.write_all(b"new").expect("there is room");
        file.commit().expect("the folder is still open");
        assert_eq!(fs::read(root.join("out/deep/a.csv")).expect("it is there"), b"out");
        assert_eq!(fs::read(root.join("before/a.csv")).expect("it is there"), b"new");
        assert_eq!(fs::read_dir(root.join("before")).expect("the folder").count(), 1, "a temporary file is left");
    }

    /// A pipe in the place of a file must not stop the program forever.
    #[test]
    fn a_pipe_that_came_after_the_check_is_refused() {
        let (_folder, root) = folders();
        let path = root.join("in/deep/a.csv");
        fs::remove_file(&path).expect("it is there");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe");
        assert!(read_real(&path, 100).is_err_and(|error| error.to_string().contains("not a regular file")));
    }
}
