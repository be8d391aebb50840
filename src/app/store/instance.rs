//! One window for all files: a program started with a file hands it to the running one.
//!
//! The running program listens on the loopback interface and writes the port, with a secret, into its settings folder.
//! Only programs that can read that folder can ask it to open a file.

use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crossbeam_channel::{Receiver, bounded};

use crate::format::read_bounded;
use crate::threads;

/// The file in the settings folder with the address of the running program.
const FILE: &str = "running";
/// The timeout of requests.
const REQUEST_TIMEOUT: Duration = Duration::from_millis(800);
const AGREED: &[u8] = b"ok";
/// The longest request: a secret and a path.
const LONGEST: u64 = 64 * 1024;
/// The maximum number of pending files.
const WAITING: usize = 64;

/// The listener of this program. Dropping it stops listening.
pub struct Instance {
    file: PathBuf,
    line: String,
    paths: Receiver<PathBuf>,
}

impl Instance {
    /// Makes this program accept files from others, unless another program does already. `wake` is called when
    /// a file arrives.
    pub fn listen(home: &Path, wake: impl Fn() + Send + 'static) -> Option<Instance> {
        let file = home.join(FILE);
        if LoopbackAddress::read(&file).is_some_and(|known| known.connect().is_ok()) {
            return None;
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
        let address = LoopbackAddress { port: listener.local_addr().ok()?.port(), secret: secret() };
        let line = address.line();
        fs::create_dir_all(home).ok()?;
        write_private(&file, &line).ok()?;
        let (sender, paths) = bounded(WAITING);
        let serve = move || {
            for connection in listener.incoming().flatten() {
                // Invalid requests are ignored.
                let Ok(Some(path)) = hear(connection, &address.secret) else { continue };
                match sender.try_send(path) {
                    Err(crossbeam_channel::TrySendError::Disconnected(_)) => return,
                    _ => wake(),
                }
            }
        };
        threads::spawn("instance", serve).ok()?;
        Some(Instance { file, line, paths })
    }

    /// Returns the next file received.
    pub fn poll(&self) -> Option<PathBuf> {
        self.paths.try_recv().ok()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if read_bounded(&self.file, LONGEST).is_ok_and(|line| line == self.line.as_bytes()) {
            let _ = fs::remove_file(&self.file);
        }
    }
}

/// Hands a file to the running program; returns whether it took it.
pub fn hand_over(home: &Path, file: &Path) -> bool {
    let Some(address) = LoopbackAddress::read(&home.join(FILE)) else { return false };
    // The other program has another working folder.
    let Some(path) = std::path::absolute(file).ok().and_then(|path| path.to_str().map(str::to_owned)) else {
        return false;
    };
    let ask = || -> io::Result<bool> {
        let mut stream = address.connect()?;
        stream.write_all(format!("{}\n{path}", address.secret).as_bytes())?;
        stream.shutdown(std::net::Shutdown::Write)?;
        let mut answer = Vec::new();
        stream.take(AGREED.len() as u64).read_to_end(&mut answer)?;
        Ok(answer == AGREED)
    };
    ask().unwrap_or(false)
}

/// An address on the loopback interface, and the secret that its server wants.
pub struct LoopbackAddress {
    pub port: u16,
    pub secret: String,
}

impl LoopbackAddress {
    /// Reads the file that a server has written.
    pub fn read(file: &Path) -> Option<LoopbackAddress> {
        let line = String::from_utf8(read_bounded(file, LONGEST).ok()?).ok()?;
        let (port, secret) = line.trim().split_once(' ')?;
        Some(LoopbackAddress { port: port.parse().ok()?, secret: secret.to_owned() })
    }

    /// Returns the content of that file.
    pub fn line(&self) -> String {
        format!("{} {}\n", self.port, self.secret)
    }

    /// Connects, with short timeouts.
    ///
    /// # Errors
    /// If no server listens there.
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, self.port).into(), REQUEST_TIMEOUT)?;
        stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
        Ok(stream)
    }
}

/// Reads a request; returns its path if the secret is correct.
fn hear(mut stream: TcpStream, secret: &str) -> io::Result<Option<PathBuf>> {
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    let mut request = String::new();
    (&mut stream).take(LONGEST).read_to_string(&mut request)?;
    let path = request.strip_prefix(secret).and_then(|rest| rest.strip_prefix('\n')).filter(|path| !path.is_empty());
    if path.is_some() {
        stream.write_all(AGREED)?;
    }
    Ok(path.map(PathBuf::from))
}

/// Returns 128 random bits, from the standard library's hash keys.
pub fn secret() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// Writes a file that only its owner can read.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    // An old file may be readable by all.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}
