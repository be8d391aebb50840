//! A step that cannot be completed: where the context stands then, and what the error says.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, RunError, Samples, compile};
use simulate::model::{BlockId, Simulation};

use super::Sketch;

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
    let mut execute = Engines::standard().get(engine).expect("the engine").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let mut samples = Samples::new(0..program.outputs.len());
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
            assert_eq!(error.block, Some((vec![BlockId(1)], BlockId(3))), "{engine}");
            assert_eq!(got.context, want.context, "{engine}, {chunks:?}");
            assert_eq!(got.samples, want.samples, "{engine}, {chunks:?}");
        }
    }
}

/// Without being asked to, no engine minds.
#[test]
fn infinity_is_a_value_like_others() {
    for engine in ENGINES {
        let got = run(&pole(), engine, &[6], false);
        assert_eq!(got.context.step, 6);
        assert_eq!(got.ran, Ok(()));
        assert_eq!(got.context.discrete, [f64::INFINITY], "{engine}");
    }
}
