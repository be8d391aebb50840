//! What a pool costs: overhead of a run, speed-up from 1 to 8 workers with runs that sleep, results per second, start of a
//! worker; and model blocks in workers beside the same model here.
//!
//! The program of this bench is its own `simulate`, with a block that sleeps: workers and their children are this file.
//! It needs `nats-server`. `cargo bench --features pool --bench pool -- [sweeps] [blocks]`

mod blocks;

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::Components;
use simulate::block::{BlockDef, CallError, Face, HostFn, HostFunction, Look, ParamDef, Ports};

/// Waits for so many milliseconds, and passes its input on.
#[derive(Debug)]
struct Sleep;

impl HostFunction for Sleep {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        std::thread::sleep(Duration::from_secs_f64(args[1] / 1000.0));
        out[0] = args[0];
        Ok(())
    }
}

static SLEEP: BlockDef = BlockDef {
    group: "Bench",
    name: "Sleep",
    doc: "Waits for some milliseconds",
    formula: "y = u",
    aliases: &[],
    look: Look::rect(Face::Text("z")),
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[ParamDef::number("Milliseconds", &[0.0]).doc("How long")],
    build: |b| {
        let slept = b.native(HostFn(Arc::new(Sleep)), &[b.input(0), b.param("Milliseconds")], 1);
        b.output(0, slept);
    },
    examples: &[],
};

fn model(milliseconds: f64) -> String {
    format!(
        "<simulation steps=\"1\" delta=\"1\" root=\"M\"><model name=\"M\">\
         <block id=\"1\" group=\"Var\" name=\"Static\"><option name=\"Value\"><value>1</value></option></block>\
         <block id=\"2\" group=\"Bench\" name=\"Sleep\"><option name=\"Milliseconds\"><value>{milliseconds}</value></option>\
         </block><exit id=\"3\" name=\"y\"/><connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>\
         <connection from=\"2\" output=\"Output\" to=\"3\" input=\"Input\"/></model></simulation>"
    )
}

/// A process that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Bench {
    folder: tempfile::TempDir,
    address: String,
    _server: Running,
}

impl Bench {
    fn start() -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port").port();
        let config = folder.path().join("server.conf");
        let text =
            format!("listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: {:?} }}\n", folder.path().join("store"));
        std::fs::write(&config, text).expect("a file");
        let server = Command::new("nats-server").arg("-c").arg(config).stderr(Stdio::null()).spawn();
        let server = Running(server.expect("nats-server is not installed: apt-get install nats-server"));
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Bench { folder, address: format!("nats://127.0.0.1:{port}"), _server: server }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.current_dir(self.folder.path()).args(args).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn worker(&self) -> Running {
        let command = self.command(&["worker", "--pool", &self.address, "--threads", "1"]).spawn();
        Running(command.expect("a worker"))
    }

    /// Runs a sweep and returns how long it took, in seconds.
    fn sweep(&self, milliseconds: f64, runs: u64, more: &[&str]) -> f64 {
        std::fs::write(self.folder.path().join("m.simx"), model(milliseconds)).expect("a file");
        let vary = format!("#1.Value=1:2:{runs}");
        let start = Instant::now();
        let args = [&["sweep", "m.simx", "--vary", &vary, "--out", "out.csv", "-q"], more].concat();
        assert!(self.command(&args).status().expect("a sweep").success());
        start.elapsed().as_secs_f64()
    }

    fn on_the_pool(&self, milliseconds: f64, runs: u64) -> f64 {
        self.sweep(milliseconds, runs, &["--pool", &self.address])
    }

    fn here(&self, milliseconds: f64, runs: u64) -> f64 {
        self.sweep(milliseconds, runs, &["--threads", "1"])
    }
}

fn measure_sweeps(bench: &Bench) {
    let start = Instant::now();
    let first = bench.worker();
    bench.on_the_pool(0.0, 1);
    println!("start of a worker to its first result: {:.2} s", start.elapsed().as_secs_f64());
    let empty = bench.on_the_pool(0.0, 1);
    println!("a sweep of one run, from command to file: {empty:.2} s (here {:.2} s)", bench.here(0.0, 1));
    let runs = 50_000;
    let (there, here) = (bench.on_the_pool(0.0, runs), bench.here(0.0, runs));
    let each = |time: f64| (time - empty) / runs as f64 * 1e6;
    println!("{runs} empty runs: {:.1} us a run on one worker, {:.1} us here", each(there), each(here));
    println!("results per second, one worker: {:.0}", runs as f64 / (there - empty));
    let (runs, milliseconds) = (4000, 5.0);
    let mut workers = vec![first];
    let mut alone = 0.0;
    for count in [1, 2, 4, 8] {
        while workers.len() < count {
            workers.push(bench.worker());
        }
        std::thread::sleep(Duration::from_secs(2));
        let time = bench.on_the_pool(milliseconds, runs);
        if count == 1 {
            alone = time;
        }
        println!("{runs} runs of {milliseconds} ms, {count} workers: {time:.1} s, {:.2} times as fast", alone / time);
    }
}

/// What workers have, and must therefore be what runs have, too.
fn components() -> Components {
    Components::standard().with_block(&SLEEP).expect("the block is new")
}

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let is_command =
        args.get(1).is_some_and(|arg| Path::new(arg) == Path::new("worker") || Path::new(arg) == Path::new("sweep"));
    if is_command {
        return simulate::start_batch(&components(), args);
    }
    let is_wanted =
        |name: &str| args.iter().any(|arg| arg == name) || !args.iter().any(|arg| arg == "sweeps" || arg == "blocks");
    let bench = Bench::start();
    if is_wanted("sweeps") {
        measure_sweeps(&bench);
    }
    if is_wanted("blocks") {
        let workers = [bench.worker(), bench.worker()];
        blocks::measure(&bench, workers.len());
    }
    ExitCode::SUCCESS
}
