//! How long it takes to see all values of any step of a long run: a million steps of a thousand blocks.
//!
//! `cargo bench --bench scrub`. The goal is 100 ms for any step.

mod models;

use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use simulate::block::Registry;
use simulate::engine::{Engines, Event, Runner, Speed, Start};
use simulate::model::{BlockId, SignalKey};

const LONG: Duration = Duration::from_secs(600);
const STEPS: u64 = 1_000_000;

fn scrub(criterion: &mut Criterion) {
    let mut runner = Runner::new(|| {});
    let run = runner.start(Start {
        simulation: Arc::new(models::oscillators::thousand_blocks()),
        registry: Registry::standard(),
        engine: Arc::clone(Engines::standard().get(Engines::DEFAULT).expect("the engine")),
        steps: Some(STEPS),
        watch: vec![SignalKey::new(&[], BlockId(0), "Output")],
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    while let Some(event) = runner.wait(LONG) {
        assert!(!matches!(event, Event::Refused(_) | Event::Failed { .. }), "{event:?}");
        if event.is_last() {
            break;
        }
    }
    // Steps all over the run, each as far from the last as a wild drag goes.
    let mut step = 0_u64;
    let mut next = || {
        step = (step + 618_033) % STEPS;
        step
    };
    let see = |step| {
        runner.look(run, Some(step));
        match runner.wait(LONG) {
            Some(Event::Values(view)) => assert_eq!(view.step, step),
            other => panic!("{other:?}"),
        }
    };
    criterion.bench_function("a step of a million, a thousand blocks", |bencher| {
        bencher.iter_batched(&mut next, see, BatchSize::PerIteration);
    });
}

criterion_group!(benches, scrub);
criterion_main!(benches);
