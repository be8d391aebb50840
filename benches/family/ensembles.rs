//! Runs of a sweep that execute together, beside runs that execute one by one.

use std::num::NonZeroUsize;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Sweep, SweepFlow, SweepRun, compile};

use crate::kinds::Kind;
use crate::yardstick::process_seconds;

const RUNS: u64 = 64;
const ROUNDS: usize = 3;

/// Returns how many times as many runs a processor executes if they execute together: for runs of so many steps,
/// compilation included.
pub fn throughput(kind: &Kind, seed: u64, steps: u64) -> f64 {
    let sketch = (kind.draw)(seed);
    let program = Arc::new(compile(&sketch.simulation, &Registry::standard()).expect("it compiles"));
    let watch = program.exits().into_iter().map(|(_, key, _)| key).collect();
    let engine = Arc::clone(Engines::standard().get(Engines::DEFAULT).expect("the engine"));
    let steps_together = Sweep::STEPS_TOGETHER;
    let together = Sweep { engine, steps, watch, every: None, workers: NonZeroUsize::MIN, steps_together };
    let alone = Sweep { steps_together: u64::MAX, ..together.clone() };
    let ready = |run: u64| {
        let mut context = Context::new(&program);
        // Different values, so that branches that depend on them differ, too.
        context.params.iter_mut().for_each(|param| *param *= 1.0 + run as f64 * 1e-3);
        context.reset(&program);
        Ok(SweepRun { program: Arc::clone(&program), context })
    };
    let seconds_of = |sweep: &Sweep| {
        let (runs, mut done) = ((0..RUNS).collect::<Vec<u64>>(), 0);
        let start = process_seconds();
        sweep.run(&runs, &ready, |curve| {
            assert_eq!(curve.failure, None);
            done += 1;
            SweepFlow::Continue
        });
        assert_eq!(done, RUNS);
        process_seconds() - start
    };
    let (mut one_by_one, mut at_once) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        one_by_one = one_by_one.min(seconds_of(&alone));
        at_once = at_once.min(seconds_of(&together));
    }
    one_by_one / at_once
}
