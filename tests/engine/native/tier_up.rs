//! The change from the interpreter to machine code: at once, or when the code is ready; the bits are the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Program, Samples, TierUp, compile};

use crate::sketch::Sketch;

/// A pendulum with a delay line and noise: states of all kinds.
fn program() -> Arc<Program> {
    let sketch = Sketch::new(0.01)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Math/Trigonometry", &[])
        .block(3, "Math/Unary Minus", &[])
        .block(4, "Var/Noise", &[])
        .block(5, "Discrete/Delay", &[("Length", &["7"])])
        .block(6, "Math/Sum", &[("Signs", &["++"])])
        .block(7, "exit x", &[])
        .wires("Main", &[("1.Output", "0.Input"), ("0.Output", "2.Input"), ("2.Output", "3.Input")])
        .wires("Main", &[("3.Output", "6.Input 1"), ("4.Output", "5.Input"), ("5.Output", "6.Input 2")])
        .wires("Main", &[("6.Output", "1.Input"), ("0.Output", "7.Input")]);
    Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"))
}

fn samples(program: &Program) -> Samples {
    Samples::new(program.outputs.keys())
}

#[test]
fn who_waits_has_machine_code_from_the_first_long_call_on() {
    let program = program();
    for engine in ["compiled", "auto", "threaded"] {
        let mut execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
        let mut context = Context::new(&program);
        execute.run(&mut context, 2, &mut samples(&program)).expect("it runs");
        assert!(execute.runs_machine_code(), "{engine}");
    }
    for engine in ["simple", "flat"] {
        let mut execute =
            Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
        let mut context = Context::new(&program);
        execute.run(&mut context, 1000, &mut samples(&program)).expect("it runs");
        assert!(!execute.runs_machine_code(), "{engine}");
    }
}

/// As users have it: the steps continue during compilation, and the bits stay as they are.
#[test]
fn machine_code_that_is_made_beside_the_run_takes_over_unseen() {
    let program = program();
    let prepare =
        |engine: &str| Engines::standard().get(engine).expect("the engine").prepare(&program).expect("it runs");
    let (mut simple, mut compiled) = (prepare("simple"), prepare("compiled"));
    let (mut want, mut got) = (Context::new(&program), Context::new(&program));
    let (mut wanted, mut samples) = (samples(&program), samples(&program));
    let (start, mut behind, mut is_first) = (Instant::now(), 0, true);
    // Some more calls after the change; the first call runs in the interpreter.
    while behind < 3 {
        for count in [50, 1, 200] {
            simple.run(&mut want, count, &mut wanted).expect("it runs");
            compiled.run(&mut got, count, &mut samples).expect("it runs");
            assert!(want == got, "after {} steps", want.step);
        }
        assert!(!is_first || !compiled.runs_machine_code(), "a short run begins without waiting for anything");
        is_first = false;
        behind += u32::from(compiled.runs_machine_code());
        assert!(start.elapsed() < Duration::from_secs(300), "the code is never ready");
        for (watch, of) in samples.watches().iter().zip(wanted.watches()) {
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert!(bits(&watch.values) == bits(&of.values), "output {:?} up to step {}", watch.output, want.step);
        }
        samples.clear();
        wanted.clear();
    }
}
