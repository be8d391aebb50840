//! The standard streams of a worker, which an FMU may print to and close: they lead nowhere, and the protocol has
//! descriptors of its own.
#![expect(unsafe_code, reason = "the standard streams are replaced, for which the standard library has no function")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Returns the pipes that were the standard input and output. All standard streams lead to `/dev/null` from then on.
pub fn take_pipes() -> io::Result<(File, File)> {
    // These are closed in processes that an FMU starts.
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let nowhere = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for stream in 0..3 {
        // SAFETY: `nowhere` is open. The worker has one thread by now and has not used the streams, and nothing in it
        // owns their descriptors.
        if unsafe { libc::dup2(nowhere.as_raw_fd(), stream) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok((input, output))
}
