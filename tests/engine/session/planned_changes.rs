//! Planned changes of parameters, and how much of a run is remembered when it was edited.

use std::sync::Arc;
use std::time::Duration;

use simulate::block::Registry;
use simulate::engine::{Engines, Event, ParamChange, Runner, Speed, Start, TierUp};
use simulate::model::{BlockId, ParamAddress};

use super::going_back::{oscillator, straight, watched};

const LONG: Duration = Duration::from_secs(60);

fn begin(steps: u64) -> Start {
    Start {
        simulation: Arc::new(oscillator()),
        registry: Registry::standard(),
        engine: Arc::clone(Engines::with(TierUp::Wait).get("simple").expect("the engine")),
        steps: Some(steps),
        watch: vec![watched()],
        speed: Speed::Fastest,
        is_paused: true,
        refuses_non_finite: false,
    }
}

fn until(runner: &Runner, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        events.push(runner.wait(LONG).unwrap_or_else(|| panic!("nothing more came after {events:?}")));
        if events.last().is_some_and(&wanted) {
            return events;
        }
    }
}

fn change(step: u64, gain: f64) -> ParamChange {
    ParamChange { step, param: ParamAddress::new(&[], BlockId(2), "Gain"), values: vec![gain] }
}

/// A plan is about what comes: of its changes those before the next step are left out, and another plan takes its place.
#[test]
fn a_plan_changes_nothing_that_has_happened() {
    let planned: [&[(u64, f64)]; 3] =
        [&[(300, -9.0), (499, -7.0), (600, -2.0)], &[(500, -9.0), (499, -7.0)], &[(499, -1.0)]];
    for plan in planned {
        let mut runner = Runner::new(|| {});
        runner.start(begin(1000));
        until(&runner, |event| *event == Event::Paused);
        runner.run_to(500);
        let mut events = until(&runner, |event| *event == Event::Paused);
        runner.plan(vec![change(501, 5.0), change(800, 6.0)]);
        runner.plan(plan.iter().map(|&(step, gain)| change(step, gain)).collect());
        runner.resume();
        events.extend(until(&runner, Event::is_last));
        let found = events.iter().filter_map(|event| match event {
            Event::Samples { values, .. } => Some(values),
            _ => None,
        });
        let found: Vec<u64> = found.flatten().map(|value| value.to_bits()).collect();
        let made: Vec<(u64, f64)> = plan.iter().copied().filter(|(step, _)| *step >= 500).collect();
        assert!(found == straight(&oscillator(), 1000, &made), "{plan:?}");
    }
}

/// Whether step 3 of a run of 20 steps can be looked at with so many bytes of memory, before or after an edit.
fn is_remembered(bytes: usize, is_edited: bool) -> bool {
    let mut runner = Runner::new(|| {});
    runner.remember(bytes);
    let start = begin(1000);
    let (simulation, engine) = (Arc::clone(&start.simulation), Arc::clone(&start.engine));
    let run = runner.start(start);
    until(&runner, |event| *event == Event::Paused);
    runner.run_to(20);
    until(&runner, |event| *event == Event::Paused);
    if is_edited {
        runner.edit(simulation, Registry::standard(), engine);
        until(&runner, |event| matches!(event, Event::Edited { .. }));
    }
    runner.look(run, Some(3));
    let seen = until(&runner, |event| matches!(event, Event::Values(_) | Event::Declined { .. }));
    matches!(seen.last(), Some(Event::Values(_)))
}

/// What lies before an edit has a quarter of the memory.
#[test]
fn a_quarter_of_the_memory_remembers_what_was_before_an_edit() {
    let mut seen = Vec::new();
    for bytes in (4..16).map(|power| 1 << power) {
        let is_seen = is_remembered(bytes, false);
        assert_eq!(is_remembered(4 * bytes, true), is_seen, "{bytes} bytes");
        seen.push(is_seen);
    }
    assert!(seen.is_sorted() && seen.contains(&false) && seen.contains(&true), "{seen:?}");
}
