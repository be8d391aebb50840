//! Steps that cannot be completed: the context after it, and the error.

use std::sync::Arc;

use simulate::block::{BlockDef, Body, CallError, Face, HostFn, HostFunction, Look, Method, Ports, Rates, Registry};
use simulate::engine::{Context, Engines, RunError, Samples, Threaded, TierUp, compile};
use simulate::model::{BlockAddress, BlockId, Simulation};

use crate::sketch::Sketch;

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// In a model of its own `1 / (t - 5)`, which is infinite at step 5, and an integrator and a delay behind it.
fn pole() -> Simulation {
    Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "model Pole", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "Discrete/Unit Delay", &[])
        .block(4, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input")
        .wire("1.y", "3.Input")
        .wire("3.Output", "4.Input")
        .block_in("Pole", 0, "entry u", &[])
        .block_in("Pole", 1, "Var/Static", &[("Value", &["-5"])])
        .block_in("Pole", 2, "Math/Sum", &[])
        .block_in("Pole", 3, "Math/Product", &[("Operations", &["*/"])])
        .block_in("Pole", 4, "Var/Static", &[("Value", &["1"])])
        .block_in("Pole", 5, "exit y", &[])
        .wire_in("Pole", "0.Output", "2.Input 1")
        .wire_in("Pole", "1.Output", "2.Input 2")
        .wire_in("Pole", "4.Output", "3.Input 1")
        .wire_in("Pole", "2.Output", "3.Input 2")
        .wire_in("Pole", "3.Output", "5.Input")
        .simulation
}

struct Outcome {
    context: Context,
    samples: Vec<u64>,
    ran: Result<(), RunError>,
}

fn run(simulation: &Simulation, engine: &str, chunks: &[u64], refuses_non_finite: bool) -> Outcome {
    let mut program = compile(simulation, &Registry::standard()).expect("it compiles");
    program.refuses_non_finite = refuses_non_finite;
    let program = Arc::new(program);
    let mut execute = Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let mut samples = Samples::new(program.outputs.keys());
    let ran = chunks.iter().try_for_each(|&count| execute.run(&mut context, count, &mut samples));
    let samples = samples.watches().iter().flat_map(|watch| watch.values.iter().map(|value| value.to_bits())).collect();
    Outcome { context, samples, ran }
}

#[test]
fn the_first_value_that_is_not_finite_ends_the_run_before_its_step() {
    let simulation = pole();
    let want = run(&simulation, "simple", &[5], false);
    for engine in ENGINES {
        for chunks in [&[5, 1][..], &[20], &[2, 3, 7], &[1, 1, 1, 1, 1, 1]] {
            let got = run(&simulation, engine, chunks, true);
            let error = got.ran.expect_err("it fails");
            assert_eq!((error.step, error.time), (5, 5.0), "{engine}");
            assert_eq!(error.problem, "“Output” became infinite", "{engine}");
            assert_eq!(error.block, Some(BlockAddress::new(&[BlockId(1)], BlockId(3))), "{engine}");
            assert_eq!(got.context, want.context, "{engine}, {chunks:?}");
            assert_eq!(got.samples, want.samples, "{engine}, {chunks:?}");
        }
    }
}

/// Unless it is requested, infinite values are no error on any engine.
#[test]
fn infinity_is_a_value_like_others() {
    for engine in ENGINES {
        let got = run(&pole(), engine, &[6], false);
        assert_eq!(got.context.step, 6);
        assert_eq!(got.ran, Ok(()));
        assert_eq!(got.context.discrete, [f64::INFINITY], "{engine}");
    }
}

/// Panics if its input is above 3.
#[derive(Debug)]
struct Fragile;

impl HostFunction for Fragile {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        assert!(args[0] <= 3.0, "too much for it");
        out.copy_from_slice(args);
        Ok(())
    }
}

static FRAGILE: BlockDef = BlockDef {
    group: "Test",
    name: "Fragile",
    doc: "Gives its input until that is too much",
    formula: "y = u",
    aliases: &[],
    look: Look { body: Body::Rect, face: Face::Text("!") },
    inputs: Ports::Fixed(&["Input"]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| b.output(0, b.native(HostFn(Arc::new(Fragile)), &[b.input(0)], 1)),
    examples: &[],
};

/// Panics when the state is above 3.
struct FragileSolver;

impl Method for FragileSolver {
    fn name(&self) -> &'static str {
        "fragile"
    }

    fn doc(&self) -> &'static str {
        "Fragile, breaks down"
    }

    fn order(&self) -> u32 {
        1
    }

    fn step(&self, rates: Rates, time: f64, h: f64, x: &mut [f64]) -> Result<(), CallError> {
        assert!(x[0] <= 3.0, "too much for it");
        let mut k = vec![0.0; x.len()];
        rates(time, x, &mut k);
        x.iter_mut().zip(&k).for_each(|(x, k)| *x += h * k);
        Ok(())
    }
}

/// A counter before it and a delay behind it; the step that would count to 4 cannot be completed.
#[test]
fn a_panic_in_a_blocks_function_ends_the_run_and_names_the_block_on_every_engine() {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add(&FRAGILE).expect("the name is free");
    registry.add_method(&FragileSolver);
    let counted = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[])
        .block(1, "Math/Bias", &[("Bias", &["1"])])
        .block(2, "Test/Fragile", &[])
        .block(3, "Discrete/Unit Delay", &[])
        .block(4, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input")
        .wire("0.Output", "2.Input")
        .wire("2.Output", "3.Input")
        .wire("3.Output", "4.Input");
    let integrated = Sketch::new(1.0)
        .solver("fragile")
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input");
    let function = "the block's function panicked: too much for it";
    let solver = "the solver “fragile” with its own code panicked: too much for it";
    let block = Some(BlockAddress::new(&[], BlockId(2)));
    for (sketch, problem, block, y) in [(counted, function, block, 2.0), (integrated, solver, None, 3.0)] {
        let program = Arc::new(compile(&sketch.simulation, &registry).expect("it compiles"));
        let mut engines = Engines::with(TierUp::Wait);
        engines.add(Arc::new(Threaded::handing_out_all(3)));
        for engine in engines.iter() {
            let name = engine.name();
            let mut execute = engine.prepare(&program).expect("it runs");
            let mut context = Context::new(&program);
            let mut samples = Samples::new(program.outputs.keys().next());
            // Long enough that machine code runs it.
            let error = execute.run(&mut context, 1000, &mut samples).expect_err("it fails");
            assert_eq!((error.step, error.problem.as_str(), &error.block), (4, problem, &block), "{name}");
            assert_eq!((context.step, samples.len()), (4, 4), "{name}: the steps before are done");
            assert_eq!(context.exits(&program)[0].1, Some(vec![y]), "{name}");
            // It fails in the same way again, and nothing else changes.
            let before = context.clone();
            let again = execute.run(&mut context, 1000, &mut samples).expect_err("it fails");
            assert_eq!((again, context), (error, before), "{name}");
        }
    }
}
