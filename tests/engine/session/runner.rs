//! The engine thread, as the window uses it.

use std::sync::Arc;
use std::time::Duration;

use simulate::block::Registry;
use simulate::engine::{Engines, Event, Recording, RunId, Runner, Speed, Start};
use simulate::model::{BlockId, SignalKey, Simulation};

use crate::sketch::Sketch;

const LONG: Duration = Duration::from_secs(60);

fn ramp() -> Simulation {
    let sketch = Sketch::new(0.5).block(0, "Var/Clock", &[]).block(1, "exit t", &[]).wire("0.Output", "1.Input");
    sketch.simulation
}

fn start(runner: &mut Runner, simulation: Simulation, steps: Option<u64>, is_paused: bool) -> RunId {
    let engine = Engines::standard().get(Engines::DEFAULT).cloned().expect("the default engine");
    let watch = vec![SignalKey::new(&[], BlockId(0), "Output")];
    runner.start(Start {
        simulation: Arc::new(simulation),
        registry: Registry::standard(),
        engine,
        steps,
        watch,
        speed: Speed::Fastest,
        is_paused,
        refuses_non_finite: false,
    })
}

/// Returns all events up to the wanted one.
fn until(runner: &Runner, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let event = runner.wait(LONG).unwrap_or_else(|| panic!("nothing more came after {events:?}"));
        events.push(event);
        if events.last().is_some_and(&wanted) {
            return events;
        }
    }
}

#[test]
fn a_run_sends_every_sample_and_ends() {
    let mut runner = Runner::new(|| {});
    start(&mut runner, ramp(), Some(100_000), false);
    let events = until(&runner, Event::is_last);
    let mut recording = Recording::new(0.5);
    for event in &events {
        if let Event::Samples { signal, first, width, values } = event {
            recording.append(signal, *first, *width, values);
        }
    }
    assert!(matches!(events.first(), Some(Event::Started { .. })));
    let last = Event::Finished {
        steps: 100_000,
        was_stopped: false,
        exits: vec![("t".into(), Some(vec![49_999.5]))],
        held: vec![],
    };
    assert_eq!(events.last(), Some(&last));
    let [column] = recording.columns(&SignalKey::new(&[], BlockId(0), "Output")) else { panic!("one lane") };
    assert_eq!(column.len(), 100_000);
    assert!((0..100_000).all(|step| column.at_step(step) == Some(step as f64 * 0.5)));
}

#[test]
fn stop_is_handled_though_the_samples_are_not_received() {
    let mut runner = Runner::new(|| {});
    start(&mut runner, ramp(), None, false);
    until(&runner, |event| matches!(event, Event::Started { .. }));
    // The channel fills up while nothing is received; the request is still delivered.
    runner.stop();
    let events = until(&runner, Event::is_last);
    assert!(matches!(events.last(), Some(Event::Finished { was_stopped: true, .. })));
}

#[test]
fn samples_that_nobody_receives_take_little_memory() {
    let wide = Sketch::new(0.5).block(0, "Var/Static", &[("Value", &["1"; 1000])]);
    let mut runner = Runner::new(|| {});
    start(&mut runner, wide.simulation, None, false);
    until(&runner, |event| matches!(event, Event::Started { .. }));
    // Without a bound some fifty million samples were waiting then.
    std::thread::sleep(Duration::from_secs(1));
    runner.stop();
    let events = until(&runner, Event::is_last);
    let samples = |event: &Event| if let Event::Samples { values, .. } = event { values.len() } else { 0 };
    let waiting: usize = events.iter().map(samples).sum();
    assert!(waiting > 0 && waiting < 2 << 20, "{waiting} samples");
}

#[test]
fn a_paused_run_steps_as_often_as_asked() {
    let mut runner = Runner::new(|| {});
    start(&mut runner, ramp(), Some(10), true);
    until(&runner, |event| *event == Event::Paused);
    runner.step(3);
    let events = until(&runner, |event| *event == Event::Paused);
    let reached = events.iter().rev().find_map(|event| match event {
        Event::Progress { step, .. } => Some(*step),
        _ => None,
    });
    assert_eq!(reached, Some(3));
    runner.resume();
    let events = until(&runner, Event::is_last);
    assert!(matches!(events.last(), Some(Event::Finished { steps: 10, .. })));
}

#[test]
fn events_of_an_older_run_are_dropped() {
    let mut runner = Runner::new(|| {});
    start(&mut runner, ramp(), None, false);
    let mut second = ramp();
    second.delta = 2.0;
    start(&mut runner, second, Some(4), false);
    let events = until(&runner, Event::is_last);
    let started = events.iter().filter(|event| matches!(event, Event::Started { .. })).count();
    assert_eq!(started, 1);
    assert!(matches!(events.last(), Some(Event::Finished { steps: 4, .. })));
}

#[test]
fn what_cannot_run_is_refused_with_the_reasons() {
    let mut runner = Runner::new(|| {});
    let sketch = Sketch::new(1.0).block(0, "Nowhere/Nothing", &[]);
    start(&mut runner, sketch.simulation, Some(1), false);
    let events = until(&runner, Event::is_last);
    let Some(Event::Refused(found)) = events.last() else { panic!("{events:?}") };
    assert!(found.iter().any(|diagnostic| diagnostic.code == "unknown-block"));
}

#[test]
fn a_run_of_no_steps_ends_at_once() {
    let mut runner = Runner::new(|| {});
    start(&mut runner, ramp(), Some(0), false);
    let events = until(&runner, Event::is_last);
    assert!(matches!(events.last(), Some(Event::Finished { steps: 0, .. })));
}
