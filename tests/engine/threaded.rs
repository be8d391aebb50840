//! Heavy parts on several threads: the same bits, the same failures, and Stop is handled.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use simulate::block::{BlockDef, Body, CallError, Face, HostFn, HostFunction, Look, Ports, Registry};
use simulate::engine::{
    Context, Engine, Engines, Event, Execute, Program, RunError, Runner, Samples, Speed, Start, Threaded, TierUp,
    compile,
};
use simulate::model::{BlockId, BlockKind, Connection, ParamAddress, Simulation};

use crate::sketch::Sketch;

/// Parallel chains of vectors, each followed by a linear system, and iterated models; all summed, and fed back to a
/// state.
fn heavy(solver: &str) -> Simulation {
    let matrix: Vec<String> =
        (0..16).map(|at| if at % 5 == 0 { 9.0 } else { f64::from(at) / 7.0 }.to_string()).collect();
    let matrix: Vec<&str> = matrix.iter().map(String::as_str).collect();
    let mut sketch = Sketch::new(0.01).solver(solver).block(0, "Var/Clock", &[]);
    sketch = sketch.block(1, "Math/Sum", &[("Signs", &["++++++"])]).block(2, "Math/Integrate", &[]);
    sketch = sketch.wire("1.Output", "2.Input").block(3, "exit y", &[]).wire("2.Output", "3.Input");
    for part in 0..6_u64 {
        let [vector, sum, sine, solve, each, total] = [10, 11, 12, 13, 14, 15].map(|id| id + 10 * part);
        let name = |id: u64, port: &str| format!("{id}.{port}");
        sketch = sketch
            .block(vector, "Var/Static", &[("Value", &matrix)])
            .block(sum, "Math/Sum", &[("Signs", &["++"])])
            .block(sine, "Math/Trigonometry", &[])
            .block(solve, "Matrix/Solve", &[])
            .block(each, "model Newton", &[])
            .block(total, "Math/Sum", &[("Signs", &["+"])])
            .wire(&name(vector, "Output"), &name(sum, "Input 1"))
            .wire("2.Output", &name(sum, "Input 2"))
            .wire(&name(sum, "Output"), &name(sine, "Input"))
            .wire(&name(vector, "Output"), &name(solve, "A"))
            .wire(&name(sine, "Output"), &name(solve, "B"))
            .wire(&name(solve, "Output"), &name(each, "u"))
            .wire(&name(each, "y"), &name(total, "Input 1"))
            .wire(&name(total, "Output"), &format!("1.Input {}", part + 1));
    }
    // Some iterations of a sum, with a delay in the loop.
    let mut sketch = sketch
        .block_in("Newton", 0, "entry u", &[])
        .block_in("Newton", 1, "entry n", &[("Initial Value", &["5"])])
        .block_in("Newton", 2, "Math/Sum", &[("Signs", &["++"])])
        .block_in("Newton", 3, "Discrete/Unit Delay", &[])
        .block_in("Newton", 4, "Math/Trigonometry", &[])
        .block_in("Newton", 5, "exit y", &[])
        .wire_in("Newton", "0.Output", "2.Input 1")
        .wire_in("Newton", "3.Output", "2.Input 2")
        .wire_in("Newton", "2.Output", "4.Input")
        .wire_in("Newton", "4.Output", "3.Input")
        .wire_in("Newton", "4.Output", "5.Input");
    let newton = sketch.simulation.model_mut("Newton").expect("the model");
    let times = newton.block_mut(BlockId(1)).expect("the entry");
    times.attributes.set("role", "for");
    times.attributes.set("limit", "50");
    sketch.simulation
}

fn program(simulation: &Simulation) -> Arc<Program> {
    Arc::new(compile(simulation, &Registry::standard()).unwrap_or_else(|found| panic!("{found:#?}")))
}

fn prepare(program: &Arc<Program>, threads: usize) -> Box<dyn Execute> {
    match threads {
        0 => Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(program).expect("it runs"),
        threads => Threaded::handing_out_all(threads).prepare(program).expect("it runs"),
    }
}

/// After some steps the second gain of a vector changes, and another engine continues from a checkpoint.
fn run(program: &Arc<Program>, threads: usize) -> (Vec<u64>, u64, Result<(), RunError>) {
    let mut samples = Samples::new(program.exits().into_iter().map(|(_, _, output)| output));
    let mut context = Context::new(program);
    let mut execute = prepare(program, threads);
    let mut ran = Ok(());
    for count in [1, 90, 7] {
        ran = ran.and_then(|()| execute.run(&mut context, count, &mut samples));
        let values: Vec<f64> = (0..16).map(|at| f64::from((at * 5) % 13) + count as f64).collect();
        let _ = context.set_param(program, &ParamAddress::new(&[], BlockId(20), "Value"), &values);
        context = Context::from_bytes(&context.to_bytes(program), program).expect("a checkpoint");
        execute = prepare(program, threads);
    }
    let noted = samples.watches().iter().flat_map(|watch| &watch.values);
    let all = context.values.iter().chain(&context.continuous).chain(&context.discrete).chain(noted);
    (all.map(|value| value.to_bits()).collect(), context.step, ran)
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    for solver in ["euler", "rk4", "dopri45", "trapezoidal"] {
        let program = program(&heavy(solver));
        let want = run(&program, 0);
        assert!(want.2.is_ok(), "{solver}: {:?}", want.2);
        for threads in [1, 2, 3, 7] {
            assert!(run(&program, threads) == want, "{solver}, {threads} threads");
        }
    }
}

/// One of six iterated models exceeds its limit of runs, but only later.
#[test]
fn a_failure_on_another_thread_is_the_one_in_place() {
    let mut simulation = heavy("euler");
    let newton = simulation.model("Newton").expect("the model").as_ref().clone();
    let mut growing = newton;
    growing.name = "Growing".into();
    assert!(simulation.add_model(growing));
    let growing = simulation.model_mut("Growing").expect("the model");
    growing.block_mut(BlockId(1)).expect("the entry").attributes.set("limit", "4");
    let main = simulation.model_mut("Main").expect("the model");
    let id = BlockId(34);
    main.block_mut(id).expect("the use").kind = BlockKind::model("Growing");
    main.connect(Connection::new(BlockId(0), "Output", id, "n"));
    let before = simulation.clone();
    // With a longer step the clock exceeds the limit before the last step.
    simulation.delta = 0.6;
    for (program, fails) in [(program(&before), false), (program(&simulation), true)] {
        let want = run(&program, 0);
        assert_eq!(want.2.is_err(), fails);
        for threads in [1, 2, 3, 7] {
            let got = run(&program, threads);
            assert_eq!(got.2, want.2, "{threads} threads");
            assert!(got == want, "{threads} threads");
        }
    }
}

#[test]
fn stop_is_handled() {
    let mut runner = Runner::new(|| {});
    runner.start(Start {
        simulation: Arc::new(heavy("rk4")),
        registry: Registry::standard(),
        engine: Arc::new(Threaded::handing_out_all(3)),
        steps: None,
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    let mut is_asked = false;
    loop {
        match runner.wait(Duration::from_secs(60)) {
            Some(Event::Progress { .. }) if !is_asked => {
                runner.stop();
                is_asked = true;
            }
            Some(Event::Finished { was_stopped, .. }) => {
                assert!(was_stopped);
                return;
            }
            Some(_) => {}
            None => panic!("nothing more came"),
        }
    }
}

/// The threads that have run [`WITNESS`].
static SEEN: Mutex<Option<HashSet<ThreadId>>> = Mutex::new(None);

#[derive(Debug)]
struct Witness;

impl HostFunction for Witness {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get_or_insert_default().insert(thread::current().id());
        out.copy_from_slice(args);
        Ok(())
    }
}

static WITNESS: BlockDef = BlockDef {
    group: "Test",
    name: "Witness",
    doc: "Hands its input on and notes the thread",
    formula: "y = u",
    aliases: &[],
    look: Look { body: Body::Rect, face: Face::Text("!") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.native(HostFn(Arc::new(Witness)), &[b.input(0)], b.input(0).width())),
    examples: &[],
};

/// The thread that has started the run, as the window's does, runs none of its blocks.
#[test]
fn no_block_runs_on_the_thread_that_starts_the_run() {
    let mut registry = (*Registry::standard()).clone();
    registry.add(&WITNESS).expect("the name is free");
    let mut simulation = heavy("euler");
    let newton = simulation.model_mut("Newton").expect("the model");
    newton.block_mut(BlockId(4)).expect("the sine").kind = BlockKind::library("Test", "Witness");
    let mut runner = Runner::new(|| {});
    runner.start(Start {
        simulation: Arc::new(simulation),
        registry: Arc::new(registry),
        engine: Arc::new(Threaded::handing_out_all(3)),
        steps: Some(20),
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    let last = loop {
        match runner.wait(Duration::from_secs(60)).expect("an event") {
            Event::Started { .. } | Event::Progress { .. } => {}
            last => break last,
        }
    };
    assert!(matches!(last, Event::Finished { steps: 20, .. }), "{last:?}");
    let seen = SEEN.lock().expect("no panic").take().expect("the blocks ran");
    assert!(!seen.contains(&thread::current().id()));
}

/// A limit holds on any machine; without one there is one thread more than processors.
#[test]
fn there_are_as_many_threads_as_asked_for() {
    assert_eq!(Threaded::limited(4).threads(), 4);
    assert_eq!(Threaded::limited(0).threads(), 1);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(Threaded::new().threads(), processors + 1);
}
