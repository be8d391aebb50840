//! Steps that do not end by themselves: they are cancelled, or end at the program's limit, in the same way on every
//! engine.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use simulate::block::{BlockDef, Body, CallError, Face, HostFn, HostFunction, Look, Ports, Registry};
use simulate::engine::{Cancel, Context, Engines, Event, RunError, Runner, Samples, Speed, Start, Threaded, TierUp};
use simulate::engine::{compile, is_unset};
use simulate::model::Simulation;

use crate::sketch::Sketch;

thread_local! {
    /// The handle that [`BELL`] cancels when it is called at 5 seconds or later.
    static CANCEL: RefCell<Option<Cancel>> = const { RefCell::new(None) };
    /// How often it was called since.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The channel to which [`GONG`] sends when it is called at 5 seconds or later.
static GONG_TO: Mutex<Option<mpsc::Sender<()>>> = Mutex::new(None);

#[derive(Debug)]
struct Bell;

impl HostFunction for Bell {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        if args[0] >= 5.0 {
            CANCEL.with_borrow(|cancel| cancel.iter().for_each(Cancel::cancel));
            CALLS.set(CALLS.get() + 1);
        }
        out.copy_from_slice(args);
        Ok(())
    }
}

#[derive(Debug)]
struct Gong;

impl HostFunction for Gong {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        if args[0] >= 5.0
            && let Some(to) = GONG_TO.lock().expect("nobody panicked").take()
        {
            to.send(()).expect("somebody listens");
        }
        out.copy_from_slice(args);
        Ok(())
    }
}

static BELL: BlockDef = BlockDef {
    group: "Test",
    name: "Bell",
    doc: "Hands its input on and rings",
    formula: "y = u",
    aliases: &[],
    look: Look { body: Body::Rect, face: Face::Text("!") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.native(HostFn(Arc::new(Bell)), &[b.input(0)], 1)),
    examples: &[],
};

static GONG: BlockDef =
    BlockDef { name: "Gong", build: |b| b.output(0, b.native(HostFn(Arc::new(Gong)), &[b.input(0)], 1)), ..BELL };

/// The library with [`BELL`] and [`GONG`].
pub fn registry() -> Arc<Registry> {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add(&BELL).expect("the name is free");
    registry.add(&GONG).expect("the name is free");
    Arc::new(registry)
}

/// A subsystem that runs 3 times in a step, from step 5 on practically without end, with a block that rings. Around it
/// are a delay and an integrator; another subsystem is nested in it.
fn iterated(rings: &str, repeats: &str) -> Simulation {
    Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Logic/Compare To Constant", &[("Constant", &["5"]), ("Operator", &[">="])])
        .block(2, "Math/Gain", &[("Gain", &["2e9"])])
        .block(3, "Math/Bias", &[("Bias", &["3"])])
        .block(4, "model Part", &[])
        .block(5, "Math/Integrate", &[])
        .block(6, "Discrete/Unit Delay", &[])
        .block(7, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.n"), ("0.Output", "4.t"), ("4.y", "5.Input"), ("4.y", "6.Input")])
        .wires("Main", &[("6.Output", "7.Input")])
        .block_in("Part", 0, "entry n", &[])
        .mark("Part", 0, &[("role", repeats), ("limit", "4000000000")])
        .block_in("Part", 1, "entry t", &[])
        .block_in("Part", 2, rings, &[])
        .block_in("Part", 3, "Math/Sum", &[])
        .block_in("Part", 4, "Discrete/Unit Delay", &[])
        .block_in("Part", 5, "exit y", &[])
        .block_in("Part", 6, "model Inner", &[])
        .block_in("Part", 7, "exit w", &[])
        .mark("Part", 7, if repeats == "while" { &[("role", "while"), ("limit", "4000000000")] } else { &[] })
        .block_in("Part", 8, "Math/Bias", &[("Bias", &["-4.5"])])
        .wires("Part", &[("1.Output", "2.Input"), ("2.Output", "3.Input 1"), ("4.Output", "3.Input 2")])
        .wires("Part", &[("3.Output", "4.Input"), ("3.Output", "6.u"), ("6.y", "5.Input"), ("2.Output", "6.on")])
        .wires("Part", &[("2.Output", "8.Input"), ("8.Output", "7.Input")])
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "entry on", &[])
        .mark("Inner", 1, &[("role", "enable")])
        .block_in("Inner", 2, "Math/Gain", &[("Gain", &["0.5"])])
        .block_in("Inner", 3, "exit y", &[])
        .wires("Inner", &[("0.Output", "2.Input"), ("2.Output", "3.Input")])
        .simulation
}

/// An oscillation that is so fast from 5.5 s on that the solver makes no progress.
fn stiff(solver: &str) -> Simulation {
    let mut sketch = Sketch::new(1.0)
        .solver(solver)
        .block(0, "Var/Clock", &[])
        .block(1, "Logic/Compare To Constant", &[("Constant", &["5.5"]), ("Operator", &[">="])])
        .block(2, "Math/Gain", &[("Gain", &["1e18"])])
        .block(3, "Test/Bell", &[])
        .block(4, "Math/Product", &[("Operations", &["**"])])
        .block(5, "Math/Sum", &[("Signs", &["+-"])])
        .block(6, "Math/Integrate", &[])
        .block(7, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(8, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input 1"), ("7.Output", "4.Input 2"), ("0.Output", "5.Input 1")])
        .wires("Main", &[("4.Output", "5.Input 2"), ("5.Output", "6.Input"), ("6.Output", "7.Input")])
        .wires("Main", &[("7.Output", "8.Input")]);
    sketch.simulation.attributes.set("max-steps", "1e12");
    sketch.simulation.attributes.set("max-step", "0.25");
    sketch.simulation
}

/// An output that is set in several iterations.
fn turning() -> Simulation {
    Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Logic/Compare To Constant", &[("Constant", &["5"]), ("Operator", &[">="])])
        .block(2, "Math/Gain", &[("Gain", &["1e6"])])
        .block(3, "Flow/Repeat", &[("Limit", &["1e6"])])
        .block(4, "Test/Bell", &[])
        .block(5, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Times")])
        .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "5.Input")])
        .simulation
}

fn engines() -> Engines {
    let mut engines = Engines::with(TierUp::Wait);
    engines.add(Arc::new(Threaded::handing_out_all(3)));
    engines
}

fn bits(context: &Context) -> Vec<u64> {
    let Context { values, discrete, continuous, history, .. } = context;
    let values = [values, discrete, continuous, history].into_iter().flatten();
    values.map(|value| if value.is_nan() && !is_unset(*value) { 0 } else { value.to_bits() }).collect()
}

#[test]
fn a_run_is_cancelled_within_a_step_and_stands_behind_the_last_whole_one() {
    let registry = registry();
    let cases = [
        ("for", iterated("Test/Bell", "for")),
        ("while", iterated("Test/Bell", "while")),
        ("dopri45", stiff("dopri45")),
        ("rodas34", stiff("rodas34")),
        ("turns", turning()),
    ];
    for (what, simulation) in cases {
        // Without a check for cancellation the limit ends the step, with an error.
        let mut program = compile(&simulation, &registry).unwrap_or_else(|found| panic!("{what}: {found:#?}"));
        program.max_executions = 1_000_000;
        let program = Arc::new(program);
        let (engines, mut ran) = (engines(), 0);
        for engine in engines.iter() {
            let name = format!("{what} on {}", engine.name());
            let Ok(mut execute) = engine.prepare(&program) else { continue };
            ran += 1;
            let start = |cancel: Option<&Cancel>| {
                let mut samples = Samples::new(program.outputs.keys());
                cancel.iter().for_each(|cancel| samples.set_cancel(cancel));
                CANCEL.set(cancel.cloned());
                (Context::new(&program), samples)
            };
            let (mut want, mut wanted) = start(None);
            execute.run(&mut want, 5, &mut wanted).expect("five steps are quick");
            for chunks in [&[20][..], &[1, 1, 1, 1, 1, 1], &[4, 16], &[5, 1]] {
                let cancel = Cancel::new();
                let (mut got, mut samples) = start(Some(&cancel));
                CALLS.set(0);
                for count in chunks {
                    execute.run(&mut got, *count, &mut samples).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                assert!(samples.is_cancelled(), "{name}: it was cancelled in its sixth step");
                // The limit allows some hundred thousand.
                assert!(CALLS.get() < 1000, "{name}, {chunks:?}: {} calls more", CALLS.get());
                assert_eq!((got.step, samples.len()), (5, 5), "{name}, {chunks:?}");
                assert_eq!(bits(&got), bits(&want), "{name}, {chunks:?}");
                let values = |samples: &Samples| -> Vec<Vec<u64>> {
                    let of = samples.watches().iter();
                    of.map(|watch| watch.values.iter().map(|value| value.to_bits()).collect()).collect()
                };
                assert!(values(&samples) == values(&wanted), "{name}: the samples of the whole steps, {chunks:?}");
            }
            CANCEL.set(None);
        }
        assert!(ran >= 1, "{what}");
    }
}

/// A run without slow steps is cancelled between two steps.
#[test]
fn a_run_is_cancelled_between_steps() {
    let registry = registry();
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Test/Bell", &[])
        .block(2, "Discrete/Delay", &[("Steps", &["3"])])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")]);
    let program = Arc::new(compile(&sketch.simulation, &registry).expect("it compiles"));
    for engine in engines().iter() {
        let mut execute = engine.prepare(&program).expect("it runs");
        let (cancel, mut samples) = (Cancel::new(), Samples::new(program.outputs.keys()));
        samples.set_cancel(&cancel);
        CANCEL.set(Some(cancel.clone()));
        let mut got = Context::new(&program);
        execute.run(&mut got, 1_000_000, &mut samples).expect("no error");
        CANCEL.set(None);
        // The step in which it rings may be completed, and one more copies the values to the context.
        assert!((5..=7).contains(&got.step), "{}: {}", engine.name(), got.step);
        assert_eq!(samples.len() as u64, got.step, "{}", engine.name());
        let mut want = Context::new(&program);
        execute.run(&mut want, got.step, &mut Samples::default()).expect("no error");
        assert_eq!(bits(&got), bits(&want), "{}", engine.name());
        // A cancelled run begins no further step.
        execute.run(&mut got, 10, &mut samples).expect("no error");
        assert_eq!(got.step, want.step, "{}", engine.name());
    }
}

fn start(runner: &mut Runner, engine: &str) -> mpsc::Receiver<()> {
    runner.start(Start {
        simulation: Arc::new(iterated("Test/Gong", "for")),
        registry: registry(),
        engine: Engines::standard().get(engine).cloned().expect("the engine"),
        steps: None,
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    // The run before has ended by then and does not take this request.
    let begun = std::iter::from_fn(|| runner.wait(LONG)).any(|event| matches!(event, Event::Started { .. }));
    assert!(begun, "{engine}");
    let (sender, rung) = mpsc::channel();
    *GONG_TO.lock().expect("nobody panicked") = Some(sender);
    rung
}

const LONG: Duration = Duration::from_secs(100);

/// Stop, another start and Quit are handled during a step that would take hours.
#[test]
fn stop_and_quit_are_handled_within_a_step() {
    for engine in ["simple", "flat", "compiled", "threaded", "auto"] {
        let mut runner = Runner::new(|| {});
        for _ in 0..2 {
            let rung = start(&mut runner, engine);
            rung.recv_timeout(LONG).expect("the long step has begun");
        }
        runner.stop();
        let last = std::iter::from_fn(|| runner.wait(LONG)).find(Event::is_last);
        let Some(Event::Finished { steps, was_stopped, .. }) = last else { panic!("{engine}: {last:?}") };
        assert!(was_stopped && steps == 5, "{engine}: {steps}");
        let rung = start(&mut runner, engine);
        rung.recv_timeout(LONG).expect("the long step has begun");
        drop(runner);
    }
}

/// In step t a subsystem runs t times, and a nested one twice each; an enabled subsystem stands beside. Only `simple`
/// runs blocks that iterate.
fn counted() -> Simulation {
    Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "model Outer", &[])
        .block(2, "model Beside", &[])
        .block(3, "exit y", &[])
        .block(4, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.n"), ("0.Output", "2.on"), ("1.y", "3.Input"), ("1.y", "4.Input")])
        .block_in("Outer", 0, "entry n", &[])
        .mark("Outer", 0, &[("role", "for"), ("limit", "1000000")])
        .block_in("Outer", 1, "Var/Static", &[("Value", &["2"])])
        .block_in("Outer", 2, "model Twice", &[])
        .block_in("Outer", 3, "exit y", &[])
        .wires("Outer", &[("1.Output", "2.n"), ("2.y", "3.Input")])
        .block_in("Twice", 0, "entry n", &[])
        .mark("Twice", 0, &[("role", "for"), ("limit", "1000000")])
        .block_in("Twice", 1, "Var/Static", &[])
        .block_in("Twice", 2, "Math/Gain", &[])
        .block_in("Twice", 3, "exit y", &[])
        .wires("Twice", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
        .block_in("Beside", 0, "entry on", &[])
        .mark("Beside", 0, &[("role", "enable")])
        .block_in("Beside", 1, "Var/Static", &[])
        .block_in("Beside", 2, "exit z", &[])
        .wires("Beside", &[("1.Output", "2.Input")])
        .simulation
}

#[test]
fn a_step_runs_so_many_blocks_at_most_counted_alike_on_every_engine() {
    let registry = Registry::standard();
    let compiled = || compile(&counted(), &registry).expect("it compiles");
    assert_eq!(compiled().max_executions, 100_000_000);
    let mut context = Context::new(&Arc::new(compiled()));
    let program = Arc::new(compiled());
    let simple = Engines::with(TierUp::Wait).get("simple").cloned().expect("the engine");
    let mut execute = simple.prepare(&program).expect("it runs");
    execute.run(&mut context, 30, &mut Samples::default()).expect("no error");
    // In step 29; each step runs the same number of blocks more than the one before.
    let most = context.executed;
    execute.run(&mut context, 1, &mut Samples::default()).expect("no error");
    let each = context.executed - most;
    // Each time there run: three blocks of Twice twice, the entry of Twice, and three of Outer.
    assert!(each >= 9, "{each}");
    for left in 0..=each {
        let mut program = compiled();
        program.max_executions = most + left;
        let program = Arc::new(program);
        let mut outcomes: Vec<(String, RunError, Context)> = Vec::new();
        for engine in engines().iter() {
            let mut execute = engine.prepare(&program).expect("it runs");
            let mut context = Context::new(&program);
            let ran = execute.run(&mut context, 40, &mut Samples::default());
            outcomes.push((engine.name().to_owned(), ran.expect_err("it ends at the limit"), context));
        }
        let (_, error, context) = outcomes.last().expect("simple is the last");
        // One block more, in step 30, if the limit allows all of these.
        assert_eq!(error.step, if left == each { 31 } else { 30 });
        assert_eq!(error.block.as_ref().map(|at| (at.path.len(), at.block.0)), Some((0, 1)), "the part outside");
        assert!(error.problem.contains(&format!("more than {} blocks", most + left)), "{error}");
        for (engine, found, of) in &outcomes {
            assert_eq!((found, bits(of)), (error, bits(context)), "{engine}, {left}");
        }
    }
}

/// Of two iterated subsystems the error names the one that runs.
#[test]
fn the_limit_names_the_subsystem_that_exceeds_it() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "model Few", &[])
        .block(2, "Var/Clock", &[])
        .block(3, "model Many", &[])
        .wires("Main", &[("0.Output", "1.n"), ("2.Output", "3.n")]);
    for model in ["Few", "Many"] {
        sketch = sketch
            .block_in(model, 0, "entry n", &[])
            .mark(model, 0, &[("role", "for"), ("limit", "1000")])
            .block_in(model, 1, "Var/Static", &[])
            .block_in(model, 2, "exit y", &[])
            .wires(model, &[("1.Output", "2.Input")]);
    }
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.max_executions = 60;
    let program = Arc::new(program);
    for engine in engines().iter() {
        let mut execute = engine.prepare(&program).expect("it runs");
        let ran = execute.run(&mut Context::new(&program), 100, &mut Samples::default());
        let error = ran.expect_err("it ends at the limit");
        assert_eq!(error.block.map(|at| at.block.0), Some(3), "{}", engine.name());
    }
}

/// Each step runs 3 blocks and 3 times 3, which the limit counts anew in each step, also in machine code.
#[test]
fn blocks_are_counted_from_step_to_step() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "model Part", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "1.n"), ("1.y", "2.Input"), ("2.Output", "3.Input")])
        .block_in("Part", 0, "entry n", &[])
        .mark("Part", 0, &[("role", "for"), ("limit", "1000")])
        .block_in("Part", 1, "Var/Static", &[])
        .block_in("Part", 2, "exit y", &[])
        .wires("Part", &[("1.Output", "2.Input")]);
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.max_executions = 30;
    let program = Arc::new(program);
    for engine in engines().iter() {
        let mut execute = engine.prepare(&program).expect("it runs");
        let mut context = Context::new(&program);
        for count in [1, 100, 2] {
            let ran = execute.run(&mut context, count, &mut Samples::default());
            ran.unwrap_or_else(|error| panic!("{}: {error}", engine.name()));
        }
        assert!((9..=30).contains(&context.executed), "{}: {}", engine.name(), context.executed);
    }
}

/// Only the reference engine runs a block that sets its output in several iterations; the blocks behind it count, too.
#[test]
fn blocks_that_iterate_reach_the_limit() {
    let mut program = compile(&turning(), &registry()).expect("it compiles");
    program.max_executions = 100;
    let program = Arc::new(program);
    let simple = Engines::with(TierUp::Wait).get("simple").cloned().expect("the engine");
    let mut context = Context::new(&program);
    let ran = simple.prepare(&program).expect("it runs").run(&mut context, 10, &mut Samples::default());
    let error = ran.expect_err("it ends at the limit");
    assert_eq!((error.step, error.block.map(|at| at.block.0)), (5, Some(3)));
}
