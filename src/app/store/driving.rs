//! Lets other programs drive this window, once its user has said so: a socket on the loopback interface with a secret,
//! on which the calls of [`crate::rpc`] act on the shown document.
//!
//! A connection begins with a line of JSON: the secret, and the protocol that follows. The address and the secret are in
//! a file of the settings folder that only its owner can read. Calls are answered on threads; what changes the document
//! is a request to the window, which applies it like any other edit.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::instance::{LoopbackAddress, secret, write_private};
use super::settings::Settings;
use crate::api::{Opener, Simulation};
use crate::components::Components;
use crate::model::{self, Change};
use crate::rpc::{Artist, HistoryStep, Overwriting, Protocol, RpcError, Session, SimulationHost, serve};
use crate::threads;

/// The file in the settings folder with the address of the window that can be driven.
const FILE: &str = "driving";
/// The time that a client has for its first line.
const FIRST_LINE: Duration = Duration::from_secs(5);
/// The longest first line.
const MAX_FIRST_LINE: u64 = 4096;
/// The time that the window has for a request; it draws many frames in it.
const WINDOW_TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum number of programs at once.
const MAX_CLIENTS: usize = 8;

/// A request to the window.
pub enum WindowRequest {
    /// The shown document.
    Show(Sender<Option<ShownDocument>>),
    Apply(Change, Sender<Result<(), String>>),
    /// Replaces the whole document by another state, as one change.
    Replace {
        label: String,
        state: Box<model::Simulation>,
        reply: Sender<Result<(), String>>,
    },
    Step(HistoryStep, Sender<Option<String>>),
    /// Begins to save to the document's own file.
    Save(Sender<Result<(), String>>),
}

/// The document of the window.
#[derive(Clone, Debug)]
pub struct ShownDocument {
    pub name: String,
    pub path: Option<PathBuf>,
    /// Tells the documents and their states apart.
    pub state: (u64, u64),
    pub is_saved: bool,
    pub simulation: Arc<model::Simulation>,
}

/// The socket of this window. Dropping it stops listening and ends all connections.
pub struct Driving {
    file: PathBuf,
    line: String,
    requests: Receiver<WindowRequest>,
    clients: Clients,
    address: LoopbackAddress,
}

/// The connections, shared with the threads that serve them.
#[derive(Clone, Default)]
struct Clients(Arc<Mutex<ClientList>>);

#[derive(Default)]
struct ClientList {
    next: u64,
    streams: BTreeMap<u64, TcpStream>,
    is_over: bool,
}

impl Clients {
    fn lock(&self) -> MutexGuard<'_, ClientList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection; `None` if there are too many, or it is over.
    fn add(&self, stream: &TcpStream) -> Option<u64> {
        let mut list = self.lock();
        if list.is_over || list.streams.len() >= MAX_CLIENTS {
            return None;
        }
        let number = list.next;
        list.next += 1;
        list.streams.insert(number, stream.try_clone().ok()?);
        Some(number)
    }

    fn end_all(&self) {
        let mut list = self.lock();
        list.is_over = true;
        for stream in list.streams.values() {
            // A client that is gone already has no connection to end.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Driving {
    /// Begins to listen. `wake` is called when a request waits.
    ///
    /// # Errors
    /// If no socket can be opened, or the settings folder cannot be written.
    pub fn listen(
        home: &Path,
        components: Components,
        artist: Artist,
        wake: impl Fn() + Clone + Send + 'static,
    ) -> io::Result<Driving> {
        let file = home.join(FILE);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = LoopbackAddress { port: listener.local_addr()?.port(), secret: secret() };
        let line = address.line();
        fs::create_dir_all(home)?;
        write_private(&file, &line)?;
        let (send, requests) = bounded(MAX_CLIENTS);
        let clients = Clients::default();
        let accepting = {
            let (clients, secret) = (clients.clone(), address.secret.clone());
            move || {
                for stream in listener.incoming().flatten() {
                    if clients.lock().is_over {
                        return;
                    }
                    let Some(number) = clients.add(&stream) else { continue };
                    let host = WindowHost::new(send.clone(), wake.clone(), Opener::new(components.clone()));
                    let session = Session::new(Box::new(host), components.clone(), Some(artist));
                    let (all, secret) = (clients.clone(), secret.clone());
                    let serving = threads::spawn("driving", move || {
                        // A client that goes away is no error of ours.
                        let _ = attend(stream, &secret, session);
                        all.lock().streams.remove(&number);
                    });
                    if serving.is_err() {
                        clients.lock().streams.remove(&number);
                    }
                }
            }
        };
        threads::spawn("driving", accepting)?;
        Ok(Driving { file, line, requests, clients, address })
    }

    /// Returns the next request of a program.
    pub fn poll(&self) -> Option<WindowRequest> {
        self.requests.try_recv().ok()
    }
}

impl Drop for Driving {
    fn drop(&mut self) {
        self.clients.end_all();
        // Wakes the thread that accepts, so that it ends.
        drop(self.address.connect());
        if crate::format::read_bounded(&self.file, MAX_FIRST_LINE).is_ok_and(|line| line == self.line.as_bytes()) {
            let _ = fs::remove_file(&self.file);
        }
    }
}

/// Answers a client until it goes away, if it knows the secret.
fn attend(stream: TcpStream, secret: &str, session: Session) -> io::Result<()> {
    stream.set_read_timeout(Some(FIRST_LINE))?;
    let mut input = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    (&mut input).take(MAX_FIRST_LINE).read_line(&mut line)?;
    let first: serde_json::Value = serde_json::from_str(&line)?;
    let text = |name: &str| first.get(name).and_then(serde_json::Value::as_str);
    if text("secret") != Some(secret) {
        return Ok(());
    }
    let protocol = match text("protocol") {
        Some("mcp") => Protocol::Mcp,
        _ => Protocol::JsonRpc,
    };
    stream.set_read_timeout(None)?;
    serve(input, stream, protocol, session)
}

/// The document of the window as the host of calls.
struct WindowHost<W> {
    requests: Sender<WindowRequest>,
    wake: W,
    opener: Opener,
    shown: Option<(ShownDocument, Simulation)>,
}

impl<W: Fn() + Send> WindowHost<W> {
    fn new(requests: Sender<WindowRequest>, wake: W, opener: Opener) -> WindowHost<W> {
        WindowHost { requests, wake, opener, shown: None }
    }

    /// Sends a request and waits for the window.
    fn ask<T>(&self, request: impl FnOnce(Sender<T>) -> WindowRequest) -> Result<T, RpcError> {
        let (send, reply) = bounded(1);
        let closed = || RpcError::refused("the window is closed, or can no longer be driven");
        self.requests.send_timeout(request(send), WINDOW_TIMEOUT).map_err(|_| closed())?;
        (self.wake)();
        reply.recv_timeout(WINDOW_TIMEOUT).map_err(|_| closed())
    }

    fn document(&self) -> Result<ShownDocument, RpcError> {
        self.ask(WindowRequest::Show)?
            .ok_or_else(|| RpcError::refused("the window shows no simulation: open one there"))
    }

    /// Refuses another file than the shown one.
    fn check_file(&self, file: Option<&str>, shown: &ShownDocument) -> Result<(), RpcError> {
        match file {
            Some(file) if file != shown.name && shown.path.as_deref() != Some(Path::new(file)) => {
                Err(RpcError::refused(format!("the window shows “{}”, not “{file}”", shown.name)))
            }
            _ => Ok(()),
        }
    }

    fn refused<T>(result: Result<T, String>) -> Result<T, RpcError> {
        result.map_err(RpcError::refused)
    }
}

impl<W: Fn() + Send> SimulationHost for WindowHost<W> {
    fn simulation(&mut self, file: Option<&str>) -> Result<&mut Simulation, RpcError> {
        let now = self.document()?;
        self.check_file(file, &now)?;
        let is_same = self.shown.as_ref().is_some_and(|(known, _)| known.state == now.state && known.path == now.path);
        if !is_same {
            let adopted = self.opener.adopt(&now.simulation, now.path.as_deref())?;
            self.shown = Some((now, adopted));
        }
        match &mut self.shown {
            Some((_, simulation)) => Ok(simulation),
            None => Err(RpcError::refused("the window shows no simulation")),
        }
    }

    fn open(&self) -> Vec<(String, bool)> {
        self.document().map(|shown| (shown.name, !shown.is_saved)).into_iter().collect()
    }

    fn files(&self) -> (Vec<String>, bool) {
        (self.document().map(|shown| shown.name).into_iter().collect(), false)
    }

    fn apply(&mut self, file: Option<&str>, change: Change) -> Result<(), RpcError> {
        self.check_file(file, &self.document()?)?;
        Self::refused(self.ask(|reply| WindowRequest::Apply(change, reply))?)
    }

    fn replace(&mut self, file: Option<&str>, label: String, state: model::Simulation) -> Result<(), RpcError> {
        self.check_file(file, &self.document()?)?;
        let state = Box::new(state);
        Self::refused(self.ask(|reply| WindowRequest::Replace { label, state, reply })?)
    }

    fn step_back(&mut self, file: Option<&str>, step: HistoryStep) -> Result<Option<String>, RpcError> {
        self.check_file(file, &self.document()?)?;
        self.ask(|reply| WindowRequest::Step(step, reply))
    }

    fn create(&mut self, _: &str, _: &str) -> Result<(), RpcError> {
        Err(RpcError::refused("a new simulation is made in the window: File › New"))
    }

    fn save(&mut self, file: Option<&str>, to: Option<&str>, _: Overwriting) -> Result<String, RpcError> {
        /// How often the window is asked whether it has finished.
        const PAUSE: Duration = Duration::from_millis(50);
        let shown = self.document()?;
        self.check_file(file, &shown)?;
        if to.is_some_and(|to| to != shown.name) {
            return Err(RpcError::refused("another file is chosen in the window: File › Save as"));
        }
        Self::refused(self.ask(WindowRequest::Save)?)?;
        let mut waited = Duration::ZERO;
        while waited < WINDOW_TIMEOUT {
            let now = self.document()?;
            if now.is_saved {
                return Ok(now.name);
            }
            std::thread::sleep(PAUSE);
            waited += PAUSE;
        }
        Err(RpcError::refused("the file is not saved yet: the window asks its user something"))
    }

    fn load(&self, _: &str) -> Result<model::Simulation, RpcError> {
        Err(RpcError::refused("other files are not read through the window"))
    }
}

/// Connects standard input and output with the window that can be driven: what is sent goes there, and what comes back is
/// written. Returns when one side ends.
///
/// # Errors
/// If no window can be driven, or the connection breaks.
pub fn attach(protocol: Protocol) -> io::Result<()> {
    let home = Settings::load().home;
    let none = || {
        io::Error::new(
            io::ErrorKind::NotFound,
            "no window can be driven: switch on “Let programs drive this window” in its Help menu",
        )
    };
    let address = home.and_then(|home| LoopbackAddress::read(&home.join(FILE))).ok_or_else(none)?;
    let mut stream = address.connect().map_err(|_| none())?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    let protocol = match protocol {
        Protocol::Mcp => "mcp",
        Protocol::JsonRpc => "json-rpc",
    };
    writeln!(stream, "{}", serde_json::json!({"secret": address.secret, "protocol": protocol}))?;
    let mut from_window = stream.try_clone()?;
    let answers = threads::spawn("attached", move || {
        let ended = copy(&mut from_window, &mut io::stdout());
        // The window is gone, and standard input may stay open for ever.
        std::process::exit(i32::from(ended.is_err()));
    })?;
    copy(&mut io::stdin().lock(), &mut stream)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let _ = answers.join();
    Ok(())
}

/// Copies what arrives at once.
fn copy(from: &mut impl io::Read, to: &mut impl io::Write) -> io::Result<()> {
    let mut bytes = [0; 16 * 1024];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            count => {
                to.write_all(bytes.get(..count).unwrap_or_default())?;
                to.flush()?;
            }
        }
    }
}
