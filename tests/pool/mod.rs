//! Sweeps on a pool, with a real server and real workers: the same bytes as here, whatever happens to them.
//!
//! A test starts a server of its own (`apt-get install nats-server`). Where it is not installed, the test says on standard
//! error that it is skipped; with `REQUIRE_NATS_SERVER=1`, as in `.ci/run`, it fails. `tests/pool/faults.sh` is the long
//! form, with a cluster.

/// Ends a test that needs a server where none is installed.
macro_rules! needs_server {
    () => {
        if !crate::pool::has_server() {
            return;
        }
    };
}

mod blocks;
mod faults;
mod fits;
mod forged;
mod security;
mod sweeps;
#[cfg(feature = "app")]
mod window;

use std::fs;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::cli::Outcome;

/// x' = −a·x + u with the exit x: as many runs as there are values.
pub const DECAY: &str = r#"<simulation steps="200" delta="0.02" root="M"><variable name="begin" value="1"/><model name="M">
    <block id="1" group="Var" name="Static"><option name="Value"><value>0.5</value></option></block>
    <block id="2" group="Math" name="Gain" label="a"><option name="Gain"><value>-1</value></option></block>
    <block id="3" group="Math" name="Sum"/>
    <block id="4" group="Math" name="Integrate"><option name="Initial Value"><value>begin</value></option></block>
    <exit id="5" name="x"/>
    <connection from="1" output="Output" to="3" input="Input 1"/>
    <connection from="2" output="Output" to="3" input="Input 2"/>
    <connection from="3" output="Output" to="4" input="Input"/>
    <connection from="4" output="Output" to="2" input="Input"/>
    <connection from="4" output="Output" to="5" input="Input"/>
    </model></simulation>"#;

/// The times of a pool in tests: a chunk is another worker's after 2 s, and asked for again after 3 s; it takes 0.1 s.
pub const TIMES: &str = "2000,3000,100";

/// Processes that end with the test, whatever it does.
pub struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A server with its data, and workers.
pub struct Pool {
    pub folder: tempfile::TempDir,
    pub port: u16,
    config: String,
    server: Option<Running>,
    pub workers: Running,
    /// The times of the processes that are started from now on.
    pub times: &'static str,
}

/// Whether the journal of a sweep has more than its header.
pub fn has_results(journal: &Path) -> bool {
    let bytes = fs::read(journal).unwrap_or_default();
    let named = bytes.get(8..12).map(|length| u32::from_le_bytes(length.try_into().expect("4 bytes")) as usize);
    named.is_some_and(|named| bytes.len() > 16 + named)
}

/// Returns whether tests can start a server, and says if this one is skipped.
fn has_server() -> bool {
    static IS_INSTALLED: LazyLock<bool> = LazyLock::new(|| {
        let mut version = Command::new("nats-server");
        version.arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    });
    let missing = "nats-server is not installed: apt-get install nats-server";
    assert!(*IS_INSTALLED || std::env::var_os("REQUIRE_NATS_SERVER").is_none(), "{missing}");
    if !*IS_INSTALLED {
        let thread = std::thread::current();
        // The output of a test that passes is not shown; this is.
        let _ = writeln!(io::stderr(), "{} is skipped: {missing}", thread.name().unwrap_or("a test"));
    }
    *IS_INSTALLED
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until something is true.
#[track_caller]
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Pool {
    /// Starts a server, with further lines for its configuration, and workers.
    pub fn start(files: &[(&str, &str)], config: &str, workers: usize) -> Pool {
        let folder = crate::cli::folder(files);
        let workers = (0..workers).collect::<Vec<_>>();
        let mut pool = Pool {
            folder,
            port: free_port(),
            config: config.to_owned(),
            server: None,
            workers: Running(Vec::new()),
            times: TIMES,
        };
        pool.start_server();
        workers.iter().for_each(|_| pool.add_worker(&[]));
        pool
    }

    pub fn start_server(&mut self) {
        let store = self.folder.path().join("store");
        let text =
            format!("listen: \"127.0.0.1:{}\"\njetstream {{ store_dir: {store:?} }}\n{}\n", self.port, self.config);
        let file = self.folder.path().join("server.conf");
        fs::write(&file, text).unwrap();
        let log = fs::File::create(self.folder.path().join("server.log")).unwrap();
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(&file).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().expect("the server starts");
        self.server = Some(Running(vec![child]));
        wait_until("the server listens", || std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Kills the server.
    pub fn stop_server(&mut self) {
        self.server = None;
    }

    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = crate::cli::command(self.folder.path(), args);
        command.env("SIMULATE_POOL_TIMES", self.times);
        command
    }

    /// Starts a worker whose messages go to `worker-N.log`.
    pub fn add_worker(&mut self, args: &[&str]) {
        self.add_worker_at(&self.address(), args);
    }

    /// The same with another address of the server.
    pub fn add_worker_at(&mut self, address: &str, args: &[&str]) {
        let number = self.workers.0.len();
        let log = fs::File::create(self.folder.path().join(format!("worker-{number}.log"))).unwrap();
        let common = ["worker", "--pool", address, "--threads", "1"];
        let mut command = self.command(&[&common, args].concat());
        self.workers.0.push(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap());
    }

    pub fn worker_log(&self, number: usize) -> String {
        fs::read_to_string(self.folder.path().join(format!("worker-{number}.log"))).unwrap()
    }

    /// Starts a sweep on the pool.
    pub fn begin(&self, args: &[&str]) -> Sweeping {
        let address = self.address();
        let mut command = self.command(&[&["sweep"], args, &["--pool", &address]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Sweeping(Some(child))
    }

    /// Runs a sweep on the pool.
    #[track_caller]
    pub fn sweep(&self, args: &[&str]) -> Outcome {
        self.begin(args).outcome()
    }

    /// The same here, on one thread.
    #[track_caller]
    pub fn local(&self, args: &[&str]) -> Outcome {
        crate::cli::simulate(self.folder.path(), &[&["sweep"], args, &["--threads", "1"]].concat())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A sweep that is going on.
pub struct Sweeping(Option<Child>);

impl Sweeping {
    pub fn kill(&mut self) {
        let mut child = self.0.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[track_caller]
    pub fn outcome(mut self) -> Outcome {
        let mut child = self.0.take().unwrap();
        let begin = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if begin.elapsed() > Duration::from_secs(120) {
                let _ = child.kill();
                let output = child.wait_with_output().unwrap();
                panic!("the sweep does not end: {}", String::from_utf8_lossy(&output.stderr));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Outcome { out: text(output.stdout), err: text(output.stderr), code: output.status.code().unwrap() }
    }
}

impl Drop for Sweeping {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Whether two files have the same bytes.
#[track_caller]
pub fn same_bytes(one: &Path, two: &Path) {
    let [one, two] =
        [one, two].map(|path| fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
    assert!(one == two, "{} and {} bytes differ", one.len(), two.len());
}

/// Sends a signal to a process.
pub fn signal(process: u32, signal: &str) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status().unwrap().success());
}

impl Running {
    pub fn id(&self, number: usize) -> u32 {
        self.0[number].id()
    }

    /// Waits until a process has ended, and returns its exit code.
    pub fn wait(&mut self, number: usize) -> Option<i32> {
        let child = &mut self.0[number];
        wait_until("the worker ends", || child.try_wait().unwrap().is_some());
        child.wait().unwrap().code()
    }

    pub fn kill(&mut self, number: usize) {
        self.0[number].kill().unwrap();
        self.0[number].wait().unwrap();
    }
}
