//! What a run loses by being watched: a thousand blocks at full speed, none or twenty of their signals recorded.
//!
//! Prints seconds of both and their ratio, each the best of several in turns; 1.05 is the aim.

mod models;

use std::sync::Arc;
use std::time::{Duration, Instant};

use simulate::block::Registry;
use simulate::engine::{Engines, Event, Recording, Runner, Speed, Start};
use simulate::model::{BlockId, SignalKey};

const STEPS: u64 = 300_000;
const ROUNDS: usize = 7;

fn main() {
    let simulation = Arc::new(models::oscillators::thousand_blocks());
    let registry = Registry::standard();
    let mut runner = Runner::new(|| {});
    let mut seconds = |count: u64| {
        let start = Instant::now();
        runner.start(Start {
            simulation: Arc::clone(&simulation),
            registry: Arc::clone(&registry),
            engine: Arc::clone(Engines::standard().get(Engines::DEFAULT).expect("the engine")),
            steps: Some(STEPS),
            watch: (0..count).map(|number| SignalKey::new(&[], BlockId((number * 40).into()), "Output")).collect(),
            speed: Speed::Fastest,
            is_paused: false,
            refuses_non_finite: false,
        });
        let mut recording = Recording::new(simulation.delta);
        while let Some(event) = runner.wait(Duration::from_secs(600)) {
            assert!(
                !matches!(event, Event::Refused(_) | Event::Failed { .. } | Event::PausedByError { .. }),
                "{event:?}"
            );
            if event.is_last() {
                break;
            }
            if let Event::Samples { signal, first, width, values } = event {
                recording.append(&signal, first, width, &values);
            }
        }
        let taken = start.elapsed().as_secs_f64();
        let samples: u64 = recording.signals().flat_map(|(_, columns)| columns).map(|column| column.len() as u64).sum();
        assert_eq!(samples, count * STEPS);
        taken
    };
    let (mut alone, mut watched) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        alone = alone.min(seconds(0));
        watched = watched.min(seconds(20));
    }
    println!(
        "{STEPS} steps of a thousand blocks: alone {alone:.3} s, with twenty signals {watched:.3} s, {:.3} times",
        watched / alone
    );
}
