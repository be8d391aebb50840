//! Remote blocks in processes of this computer, on pipes: killed, stopped, of another version.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{Context, Engine, Engines, Execute, Program, Remote, Samples, compile};
use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadOptions, Loader};
use simulate::pool::message::PoolMessage as _;
use simulate::pool::{BlockBundle, BlockProcessOptions, ChildWorkers, PoolParts};

/// A pendulum here, and its controller with a delay and a filter in a worker.
const LOOP: &str = r#"<simulation steps="100" delta="0.01" root="Main" solver="rk4"><model name="Main">
    <block id="1" group="Math" name="Integrate"><option name="Initial Value"><value>0.3</value></option></block>
    <block id="2" group="Math" name="Integrate"/>
    <model id="3" model="Controller" on="pool"/>
    <block id="4" group="Math" name="Sum"/>
    <exit id="5" name="angle"/>
    <connection from="2" output="Output" to="1" input="Input"/>
    <connection from="1" output="Output" to="3" input="angle"/>
    <connection from="1" output="Output" to="4" input="Input 1"/>
    <connection from="3" output="torque" to="4" input="Input 2"/>
    <connection from="4" output="Output" to="2" input="Input"/>
    <connection from="1" output="Output" to="5" input="Input"/>
    </model><model name="Controller">
    <entry id="0" name="angle"/><exit id="1" name="torque"/>
    <block id="2" group="Math" name="Gain"><option name="Gain"><value>-6</value></option></block>
    <block id="3" group="Math" name="Integrate"/>
    <block id="4" group="Math" name="Sum"/>
    <block id="5" group="Math" name="Gain"><option name="Gain"><value>-2</value></option></block>
    <connection from="0" output="Output" to="2" input="Input"/>
    <connection from="2" output="Output" to="4" input="Input 1"/>
    <connection from="3" output="Output" to="5" input="Input"/>
    <connection from="5" output="Output" to="4" input="Input 2"/>
    <connection from="4" output="Output" to="3" input="Input"/>
    <connection from="4" output="Output" to="1" input="Input"/>
    </model></simulation>"#;

struct Trial {
    program: Arc<Program>,
    workers: Arc<ChildWorkers>,
    execute: Box<dyn Execute>,
    context: Context,
}

impl Trial {
    fn new() -> Trial {
        Trial::with(false)
    }

    fn with(refuses_non_finite: bool) -> Trial {
        let loaded = Simx.read(LOOP.as_bytes(), &LoadOptions::default()).expect("it is well formed");
        let mut program = compile(&loaded.simulation, &Registry::standard()).expect("it compiles");
        program.refuses_non_finite = refuses_non_finite;
        let program = Arc::new(program);
        let options = BlockProcessOptions {
            program: PathBuf::from(env!("CARGO_BIN_EXE_simulate")),
            args: vec!["worker".to_owned(), "--block".to_owned()],
            memory: 4 << 30,
        };
        let workers = Arc::new(ChildWorkers::new(options, Arc::new(Formats::standard()), Duration::from_secs(5)));
        let execute = Remote::new(Arc::clone(&workers) as _).prepare(&program).expect("it can run this");
        let context = Context::new(&program);
        Trial { program, workers, execute, context }
    }

    fn run(&mut self, steps: u64) {
        self.execute.run(&mut self.context, steps, &mut Samples::default()).expect("it runs");
    }

    /// Sends a signal to the last process that was started.
    fn signal(&self, signal: &str) {
        let process = self.workers.started().last().expect("a process").to_string();
        assert!(Command::new("kill").args([signal, &process]).status().expect("kill runs").success());
    }

    #[track_caller]
    fn check(&self) {
        let mut context = Context::new(&self.program);
        let mut execute = Engines::reference().prepare(&self.program).expect("it can run this");
        execute.run(&mut context, self.context.step, &mut Samples::default()).expect("it runs");
        assert!(context.to_bytes(&self.program) == self.context.to_bytes(&self.program), "other bits");
    }
}

#[test]
fn a_process_gives_the_same_bits_and_tells_its_cost() {
    let mut trial = Trial::new();
    let begin = Instant::now();
    trial.run(2000);
    let took = begin.elapsed();
    trial.check();
    let costs = trial.execute.remote_costs();
    let cost = costs.first().expect("a remote block");
    assert_eq!((cost.steps, cost.restarts), (2000, 0));
    // An exchange for each of the four stages.
    assert!((4.0..4.2).contains(&cost.exchanges_per_step()), "{}", cost.exchanges_per_step());
    let (reach, compute) = cost.seconds_per_step();
    assert!(reach > 0.0 && compute > 0.0 && (reach + compute) * 2000.0 <= took.as_secs_f64());
    println!("{:.4} ms to reach and {:.4} ms to compute a step", reach * 1e3, compute * 1e3);
}

/// As the window runs it: a step fails if a value is not finite, which the worker must know when it compiles.
#[test]
fn a_process_runs_a_block_that_refuses_values_that_are_not_finite() {
    let mut trial = Trial::with(true);
    trial.run(200);
    trial.check();
    assert_eq!(trial.execute.remote_costs().first().map(|cost| cost.restarts), Some(0));
}

#[test]
fn a_killed_process_is_replaced() {
    let mut trial = Trial::new();
    for _ in 0..3 {
        trial.run(50);
        trial.signal("-KILL");
    }
    trial.run(50);
    trial.check();
    assert_eq!(trial.workers.started().len(), 4);
    // Within a call: the process is killed while the run waits for it.
    let (workers, mut killed) = (Arc::clone(&trial.workers), 0);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| trial.run(20_000));
        while !run.is_finished() && killed < 3 {
            std::thread::sleep(Duration::from_millis(100));
            let process = workers.started().last().expect("a process").to_string();
            Command::new("kill").args(["-KILL", &process]).status().expect("kill runs");
            killed += 1;
        }
    });
    trial.check();
    assert_eq!(trial.context.step, 20_200);
}

#[test]
fn a_process_that_hangs_is_replaced() {
    let mut trial = Trial::new();
    trial.run(50);
    trial.signal("-STOP");
    let begin = Instant::now();
    trial.run(50);
    assert!(begin.elapsed() > Duration::from_secs(4));
    trial.check();
    assert_eq!(trial.workers.started().len(), 2);
}

/// Both sides say which version they have.
#[test]
fn another_version_is_refused_by_name() {
    let trial = Trial::new();
    let formats = Arc::new(Formats::standard());
    let parts =
        PoolParts { registry: Registry::standard(), formats: Arc::clone(&formats), engines: Engines::standard() };
    let bundle = BlockBundle::of(&trial.program, 0, &formats).expect("it can travel");
    let bundle = BlockBundle::of_bytes(&bundle.to_bytes()).expect("it arrives");
    assert!(bundle.prepare(&parts).is_ok());
    let refused = |change: &dyn Fn(&mut BlockBundle)| {
        let mut bundle = bundle.clone();
        change(&mut bundle);
        bundle.prepare(&parts).expect_err("it is refused")
    };
    let other = refused(&|bundle| bundle.head.version = "0.0".to_owned());
    assert!(other.starts_with("the worker has version "), "{other}");
    assert!(other.contains(", the run needs version 0.0 with block library "), "{other}");
    let other = refused(&|bundle| bundle.head.messages += 1);
    assert!(other.starts_with("the worker speaks version "), "{other}");
    assert_eq!(refused(&|bundle| bundle.head.block = 7), "the model has no such remote block");
    assert!(refused(&|bundle| bundle.file.truncate(20)).len() > 10);
}
