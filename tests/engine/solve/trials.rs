//! Functions that fail where only a trial of a solver comes: the trial is made again, shorter, and the run goes on.

use std::sync::Arc;

use simulate::block::{BlockDef, CallError, Face, HostFn, HostFunction, Look, Ports, Registry};
use simulate::engine::{Context, Engines, Samples, TierUp, compile};

use crate::sketch::{Run, Sketch};

/// 1000·y, and an error for y below 0.
#[derive(Debug)]
struct Rate;

impl HostFunction for Rate {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        if args[0] < 0.0 {
            return Err(CallError::new("there is nothing left"));
        }
        out[0] = 1000.0 * args[0];
        Ok(())
    }
}

static DECAY: BlockDef = BlockDef {
    group: "Test",
    name: "Decay",
    doc: "Decays as long as something is left",
    formula: "y' = -1000·y, y(0) = 1",
    aliases: &[],
    look: Look::rect(Face::Empty),
    inputs: Ports::NONE,
    outputs: Ports::Fixed(&["Rest"]),
    params: &[],
    build: |b| {
        let rest = b.continuous(1, b.constant(1.0));
        rest.derivative(-b.native(HostFn(Arc::new(Rate)), &[rest.value], 1));
        b.output(0, rest.value);
    },
    examples: &[],
};

/// The solution exp(−1000·t) stays above 0. An explicit step that is too long for it goes below, and so do its stages,
/// since nothing but the slope there tells the solver how long a step may be.
#[test]
fn a_function_that_fails_in_a_trial_makes_it_shorter() {
    let mut registry = Registry::clone(&Registry::standard());
    registry.add(&DECAY).expect("a name of its own");
    for solver in ["dopri45", "rodas34", "radau35"] {
        let sketch = Sketch::new(0.001).solver(solver).block(0, "Test/Decay", &[]).block(1, "exit y", &[]);
        let mut sketch = sketch.wire("0.Rest", "1.Input");
        // The scale of what counts as an error is left behind after 23 steps; from then on the steps are too long.
        [("rtol", "1e-8"), ("atol", "1e-10")]
            .into_iter()
            .for_each(|(name, value)| sketch.simulation.attributes.set(name, value));
        let program = Arc::new(compile(&sketch.simulation, &registry).expect("it compiles"));
        let mut traces = Vec::new();
        for engine in ["simple", "flat", "compiled"] {
            let mut execute =
                Engines::with(TierUp::Wait).get(engine).expect("the engine").prepare(&program).expect("it runs");
            let mut context = Context::new(&program);
            let mut trace = Vec::new();
            for step in 0..40 {
                let done = execute.run(&mut context, 1, &mut Samples::default());
                done.unwrap_or_else(|error| panic!("{solver}, {engine}: {error}"));
                let got = context.exits(&program)[0].1.clone().expect("the rest")[0];
                let want = f64::exp(-f64::from(step));
                assert!((got - want).abs() < 1e-7, "{solver}, {engine}, step {step}: {got}, not {want}");
                trace.push(got.to_bits());
            }
            traces.push(trace);
        }
        assert!(traces.windows(2).all(|pair| pair[0] == pair[1]), "{solver}: the same bits on every engine");
    }
}

/// The longest step fits exactly 1024 times between two points of the grid, and is shorter than the solver's first guess.
#[test]
fn so_many_steps_as_are_permitted_may_be_made() {
    for (most, is_enough) in [("1023", false), ("1024", true), ("1025", true)] {
        let mut sketch = Sketch::new(1.0 / 1024.0)
            .block(0, "Var/Static", &[("Value", &["0"])])
            .block(1, "Math/Integrate", &[])
            .wire("0.Output", "1.Input");
        let longest = (1.0 / 1_048_576.0).to_string();
        [("solver", "dopri45"), ("max-step", &longest), ("max-steps", most)]
            .into_iter()
            .for_each(|(name, value)| sketch.simulation.attributes.set(name, value));
        for engine in ["simple", "flat", "compiled"] {
            let done = Run::new(&sketch.simulation, engine).try_steps(3);
            assert_eq!(done.is_ok(), is_enough, "{most} on {engine}: {done:?}");
        }
    }
}

/// 9 − (t − c)² is above 0 for six seconds around c, wherever that lies in a step of the solver, whose steps grow to many
/// times the two seconds of the simulation's.
#[test]
fn a_short_visit_is_seen_in_any_part_of_a_long_step() {
    for solver in ["dopri45", "radau35"] {
        for centre in (11..400).step_by(20) {
            let (slope, start) = ((2 * centre).to_string(), (9 - centre * centre).to_string());
            let sketch = Sketch::new(2.0)
                .solver(solver)
                .block(0, "Var/Static", &[("Value", &["-2"])])
                .block(1, "Math/Integrate", &[("Initial Value", &[&slope])])
                .block(2, "Math/Integrate", &[("Initial Value", &[&start])])
                .block(3, "Math/Sign", &[])
                .block(4, "Math/Integrate", &[])
                .block(5, "exit z", &[])
                .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("2.Output", "3.Input")])
                .wires("Main", &[("3.Output", "4.Input"), ("4.Output", "5.Input")]);
            // At 500 s: 6 up, 494 down.
            let got = sketch.run().steps(251).exit("z")[0];
            assert!((got + 488.0).abs() < 1e-3, "{solver}, {centre}: {got}");
        }
    }
}
