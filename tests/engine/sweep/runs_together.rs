//! Runs of a sweep that execute together have the bits, the ends and the failures of runs on their own.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{
    Context, Curve, Declined, Engine, Engines, Execute, Program, Sweep, SweepFlow, SweepRun, TierUp, compile,
};
use simulate::model::{SignalKey, Simulation};

use crate::random::models::{drawing, number_of};
use crate::sketch::Sketch;

const RUNS: u64 = 19;
const STEPS: u64 = 40;

/// An engine that counts the programs that it prepares with as many units as one run has, and with more.
struct Counting {
    engine: Arc<dyn Engine>,
    units: usize,
    alone: AtomicUsize,
    together: AtomicUsize,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn doc(&self) -> &'static str {
        "Counts what it prepares"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        let is_single = program.units.len() == self.units;
        if is_single { &self.alone } else { &self.together }.fetch_add(1, Ordering::Relaxed);
        self.engine.prepare(program)
    }
}

/// What runs have in common in a test.
struct Case {
    program: Arc<Program>,
    watch: Vec<SignalKey>,
    steps: u64,
    every: u64,
}

impl Case {
    fn new(simulation: &Simulation) -> Option<Case> {
        let program = Arc::new(compile(simulation, &Registry::standard()).ok()?);
        let watch = program.exits().into_iter().map(|(_, key, _)| key).collect();
        Some(Case { program, watch, steps: STEPS, every: 7 })
    }

    /// Returns the curves in the order of the runs, and how many programs were prepared for one run and for several.
    fn sweep(&self, engine: &str, is_single: bool, vary: &(dyn Fn(u64, &mut Vec<f64>) + Sync)) -> Swept {
        let counting = Arc::new(Counting {
            engine: Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine")),
            units: self.program.units.len(),
            alone: AtomicUsize::new(0),
            together: AtomicUsize::new(0),
        });
        let sweep = Sweep {
            engine: Arc::clone(&counting) as Arc<dyn Engine>,
            steps: self.steps,
            watch: self.watch.clone(),
            every: NonZeroU64::new(self.every),
            workers: NonZeroUsize::MIN,
            steps_together: if is_single { u64::MAX } else { 0 },
        };
        let ready = |run: u64| {
            let mut context = Context::new(&self.program);
            vary(run, &mut context.params);
            context.reset(&self.program);
            Ok(SweepRun { program: Arc::clone(&self.program), context })
        };
        let mut curves = Vec::new();
        sweep.run(&(0..RUNS).collect::<Vec<u64>>(), &ready, |curve| {
            curves.push(curve);
            SweepFlow::Continue
        });
        curves.sort_by_key(|curve| curve.run);
        let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        (curves.iter().map(bits).collect(), (count(&counting.alone), count(&counting.together)))
    }
}

/// Each curve as its steps, the bits of its values and its failure; the programs for one run and for several.
type Swept = (Vec<(Vec<u64>, Vec<Vec<u64>>, Option<String>)>, (usize, usize));

fn bits(curve: &Curve) -> (Vec<u64>, Vec<Vec<u64>>, Option<String>) {
    let values = curve.values.iter().map(|values| values.iter().map(|value| value.to_bits()).collect());
    (curve.steps.clone(), values.collect(), curve.failure.clone())
}

/// x' = −a·x, x(0) = 1.
fn decay() -> Sketch {
    Sketch::new(0.01)
        .solver("rk4")
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Math/Gain", &[("Gain", &["-1"])])
        .block(2, "exit x", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input")
        .wire("0.Output", "2.Input")
}

/// Nineteen runs are two ensembles of eight and three on their own; each has the solution for its own gain.
#[test]
fn runs_together_have_their_own_parameters() {
    let case = Case::new(&decay().simulation).expect("it compiles");
    let gain = case.program.params.iter().position(|param| *param == -1.0).expect("the gain");
    for engine in ["simple", "flat", "compiled", "threaded"] {
        let (curves, prepared) = case.sweep(engine, false, &|run, params| params[gain] = -(run as f64));
        assert_eq!(prepared, (1, 1), "{engine}");
        for (run, (steps, values, failure)) in curves.iter().enumerate() {
            assert_eq!((steps, failure), (&vec![0, 7, 14, 21, 28, 35, 39], &None), "{engine}, {run}");
            for (step, value) in steps.iter().zip(&values[0]) {
                let (got, want) = (f64::from_bits(*value), (-(run as f64) * *step as f64 * 0.01).exp());
                assert!((got - want).abs() < 1e-5, "{engine}, run {run}, step {step}: {got}, not {want}");
            }
        }
    }
}

#[test]
fn random_models_have_the_same_bits_together_and_alone() {
    let mut runner = TestRunner::deterministic();
    let mut together = 0;
    for number in 0..50 {
        let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
        let Some(case) = Case::new(&drawing.simulation()) else { continue };
        let vary = |run: u64, params: &mut Vec<f64>| {
            if let Some(count) = (run > 0).then_some(params.len()).filter(|count| *count > 0) {
                params[(run as usize * 5) % count] = number_of(run as u16 * 3 + number);
            }
        };
        let (want, _) = case.sweep("simple", true, &vary);
        for engine in ["flat", "compiled"] {
            let (got, prepared) = case.sweep(engine, false, &vary);
            assert_eq!(got, want, "{engine}, model {number}");
            together += prepared.1;
        }
    }
    assert!(together > 20, "runs of {together} models executed together");
}

/// The run whose gain is positive ends when its state reaches the limit; the others are not cut short.
#[test]
fn a_run_that_ends_does_not_end_the_others() {
    let sketch = decay()
        .block(3, "Logic/Compare To Constant", &[("Operator", &["<="]), ("Constant", &["1.1"])])
        .block(4, "Check/Assertion", &[("Action", &["stop"])])
        .wire("0.Output", "3.Input")
        .wire("3.Output", "4.Input");
    let case = Case::new(&sketch.simulation).expect("it compiles");
    let gain = case.program.params.iter().position(|param| *param == -1.0).expect("the gain");
    let vary = |run: u64, params: &mut Vec<f64>| params[gain] = if run == 3 { 1.0 } else { -1.0 };
    let (want, _) = case.sweep("simple", true, &vary);
    // exp(0.01·step) exceeds 1.1 in step 10.
    assert_eq!(want[3].0.last(), Some(&10));
    assert!(want[3].2.is_some());
    for engine in ["flat", "compiled"] {
        let (got, prepared) = case.sweep(engine, false, &vary);
        assert_eq!(got, want, "{engine}");
        assert_eq!(prepared.1, 1, "{engine}");
    }
}

/// A solver that chooses its steps would choose them for all runs at once.
#[test]
fn runs_with_steps_of_their_own_execute_one_by_one() {
    let case = Case::new(&decay().solver("dopri45").simulation).expect("it compiles");
    let (_, prepared) = case.sweep("compiled", false, &|_, _| {});
    assert_eq!(prepared, (1, 0));
}

/// Each run has a program of its own, as where a variable has other values. Only what the first try found out is made
/// ready again.
#[test]
fn runs_of_different_programs_are_made_ready_once() {
    let case = Case::new(&decay().simulation).expect("it compiles");
    let count = AtomicUsize::new(0);
    let ready = |_: u64| {
        count.fetch_add(1, Ordering::Relaxed);
        let program = Arc::new(compile(&decay().simulation, &Registry::standard()).expect("it compiles"));
        Ok(SweepRun { context: Context::new(&program), program })
    };
    let sweep = Sweep {
        engine: Arc::clone(Engines::standard().get("flat").expect("the engine")),
        steps: STEPS,
        watch: case.watch.clone(),
        every: None,
        workers: NonZeroUsize::MIN,
        steps_together: 0,
    };
    let mut curves = 0;
    sweep.run(&(0..32).collect::<Vec<u64>>(), &ready, |_| {
        curves += 1;
        SweepFlow::Continue
    });
    assert_eq!((curves, count.load(Ordering::Relaxed)), (32, 34));
}
