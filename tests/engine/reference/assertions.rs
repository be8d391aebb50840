//! Assertion reports of blocks, and how they pause and end runs: the same in the same steps on every engine.

use std::sync::Arc;
use std::time::Duration;

use simulate::block::{Reaction, Registry};
use simulate::engine::{AssertionEvent, Engines, Event, Runner, Samples, Speed, Start, TierUp};
use simulate::model::{BlockAddress, BlockId, Role, Simulation};

use crate::sketch::{Run, Sketch};

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Runs in calls of `call` steps until `steps` are complete or a block ends the run. Returns the reports by step and
/// block, the number of completed steps, and the first element of the exit `y` then.
fn told(simulation: &Simulation, engine: &str, call: u64, steps: u64) -> (Vec<(u64, BlockId)>, u64, f64) {
    let mut run = Run::new(simulation, engine);
    let mut samples = Samples::default();
    while run.context.step < steps && samples.end().is_none() {
        let count = call.min(steps - run.context.step);
        run.watched_steps(count, &mut samples);
    }
    let at = |assertion: &AssertionEvent| {
        assert_eq!(assertion.time.to_bits(), (assertion.step as f64 * simulation.delta).to_bits());
        (assertion.step, assertion.block.block)
    };
    (samples.assertions().iter().map(at).collect(), run.context.step, run.exit("y")[0])
}

/// The same on every engine and for calls of any length.
#[track_caller]
fn check(simulation: &Simulation, steps: u64, assertions: &[(u64, u64)], done: u64, y: f64) {
    let want = (assertions.iter().map(|&(step, block)| (step, BlockId(block.into()))).collect::<Vec<_>>(), done, y);
    for engine in ENGINES {
        for call in [1, 2, 7, 1000] {
            assert_eq!(told(simulation, engine, call, steps), want, "{engine} in calls of {call}");
        }
    }
}

/// The step's number at `#1` goes into the check `#2` and is integrated to `y`: n (n − 1) / 2 after n + 1 steps.
fn counted(check: &str, options: &[(&str, &[&str])]) -> Simulation {
    let sketch = Sketch::new(1.0).solver("euler").block(1, "Var/Clock", &[]).block(2, check, options);
    let sketch = sketch.block(3, "Math/Integrate", &[]).block(4, "exit y", &[]);
    let sketch = sketch.wire("1.Output", "2.Input").wire("1.Output", "3.Input").wire("3.Output", "4.Input");
    sketch.simulation
}

#[test]
fn a_warning_is_reported_once_and_the_run_continues() {
    check(&counted("Check/Upper Bound", &[("Bound", &["5"])]), 200, &[(6, 2)], 200, 199.0 * 198.0 / 2.0);
    check(&counted("Check/Upper Bound", &[("Bound", &["5"]), ("Action", &["ignore"])]), 50, &[], 50, 49.0 * 48.0 / 2.0);
}

#[test]
fn what_stops_a_run_does_so_behind_the_step() {
    for action in ["stop", "pause"] {
        let bound: [(&str, &[&str]); 2] = [("Bound", &["70"]), ("Action", &[action])];
        check(&counted("Check/Upper Bound", &bound), 200, &[(71, 2)], 72, 71.0 * 70.0 / 2.0);
    }
    // Ends with the first step whose input is not 0.
    check(&counted("Sink/Stop", &[]), 200, &[(1, 2)], 2, 0.0);
}

#[test]
fn an_assertion_that_fails_again_is_reported_again() {
    // 1 in steps 0, 1, 4, 5, 8, 9, …: the assertion begins to fail in steps 2, 6, 10, …
    let sketch = Sketch::new(1.0).block(1, "Var/Pulse", &[("Period", &["4"]), ("Width", &["50"])]);
    let sketch = sketch.block(2, "Check/Assertion", &[]).block(3, "exit y", &[]);
    let simulation = sketch.wire("1.Output", "2.Input").wire("1.Output", "3.Input").simulation;
    let want: Vec<(u64, u64)> = (0..50).map(|number| (4 * number + 2, 2)).collect();
    check(&simulation, 200, &want, 200, 0.0);
}

#[test]
fn a_paused_run_can_go_on() {
    let simulation = counted("Check/Upper Bound", &[("Bound", &["5"]), ("Action", &["pause"])]);
    for engine in ENGINES {
        let mut run = Run::new(&simulation, engine);
        let mut samples = Samples::default();
        run.watched_steps(100, &mut samples);
        assert_eq!((run.context.step, samples.end()), (7, Some(Reaction::Pause)), "{engine}");
        run.watched_steps(100, &mut samples);
        assert_eq!((run.context.step, samples.end()), (107, None), "{engine}");
        assert_eq!(run.exit("y"), [106.0 * 105.0 / 2.0], "{engine}");
    }
}

/// Forty equal checks, of which two fail in the same step, are reported in the order of the program.
#[test]
fn many_equal_checks_report_in_the_order_of_the_program() {
    let mut sketch = Sketch::new(1.0).block(0, "Var/Clock", &[]).block(1, "exit y", &[]).wire("0.Output", "1.Input");
    for number in 0..40 {
        let (gain, id) = (10 + number, 100 + number);
        let bound = if number == 7 || number == 30 { "20" } else { "1e6" };
        sketch = sketch.block(gain, "Math/Gain", &[("Gain", &[&format!("{}", 1.0 + number as f64 / 1e3)])]);
        sketch = sketch.block(id, "Check/Upper Bound", &[("Bound", &[bound]), ("Action", &["stop"])]);
        sketch =
            sketch.wire("0.Output", &format!("{gain}.Input")).wire(&format!("{gain}.Output"), &format!("{id}.Input"));
    }
    check(&sketch.simulation, 90, &[(20, 107), (20, 130)], 21, 20.0);
}

/// Of two and of three checks the last one fails alone, or the first, or the middle one.
#[test]
fn any_of_a_few_checks_is_reported() {
    for count in 2..=4 {
        for wrong in 0..count {
            let mut sketch =
                Sketch::new(1.0).block(1, "Var/Clock", &[]).block(4, "exit y", &[]).wire("1.Output", "4.Input");
            for number in 0..count {
                let bound = if number == wrong { "5" } else { "1e6" };
                sketch = sketch.block(10 + number, "Check/Upper Bound", &[("Bound", &[bound])]);
                sketch = sketch.wire("1.Output", &format!("{}.Input", 10 + number));
            }
            check(&sketch.simulation, 20, &[(6, 10 + wrong)], 20, 19.0);
        }
    }
}

/// A check inside an enabled model that runs in steps 3 and 4, 7 and 8, …
fn gated(role: Role, inner: Simulation) -> Simulation {
    let sketch = Sketch { simulation: inner };
    let mut sketch = sketch
        .block_in("Inner", 0, "entry on", &[])
        .block_in("Inner", 1, "entry u", &[])
        .block_in("Inner", 2, "Check/Upper Bound", &[("Bound", &["10"])])
        .wire_in("Inner", "1.Output", "2.Input")
        .block(1, "Var/Clock", &[])
        .block(3, "model Inner", &[])
        .block(4, "exit y", &[])
        .wire("1.Output", "3.u")
        .wire("2.Output", "3.on")
        .wire("1.Output", "4.Input");
    let inner = sketch.simulation.model_mut("Inner").expect("the model");
    inner.block_mut(BlockId(0)).expect("the entry").attributes.set("role", role.name());
    sketch.simulation
}

#[test]
fn a_conditional_subsystem_reports_only_while_it_runs() {
    let source: [(&str, &[&str]); 3] = [("Period", &["4"]), ("Width", &["50"]), ("Delay", &["3"])];
    let sketch = Sketch::new(1.0).block(2, "Var/Pulse", &source);
    // Of the steps 11 to 14 it runs in 11 and 12 only.
    check(&gated(Role::Enable, sketch.simulation), 100, &[(11, 2)], 100, 99.0);
}

#[test]
fn an_iterated_subsystem_reports_once_in_a_step() {
    let sketch = Sketch::new(1.0).block(2, "Var/Static", &[("Value", &["5"])]);
    check(&gated(Role::For, sketch.simulation), 100, &[(11, 2)], 100, 99.0);
}

/// Three equal checks of one model: an iteration in which one fails says nothing of the others, whichever is the first.
#[test]
fn an_iterated_subsystem_reports_only_what_fails() {
    for (id, bounds) in [(5, ["1e6", "1e6"]), (5, ["1e6", "20"]), (5, ["20", "1e6"])] {
        let mut sketch = Sketch::new(1.0)
            .block(2, "Var/Static", &[("Value", &["5"])])
            .block_in("Inner", 7, "entry v", &[])
            .wire("1.Output", "3.v");
        for (number, bound) in bounds.iter().enumerate() {
            let check = id + number as u64;
            sketch = sketch.block_in("Inner", check, "Check/Upper Bound", &[("Bound", &[bound])]);
            sketch = sketch.wire_in("Inner", "7.Output", &format!("{check}.Input"));
        }
        let late = bounds.iter().position(|bound| *bound == "20").map(|number| (21, id + number as u64));
        let want: Vec<(u64, u64)> = [(11, 2)].into_iter().chain(late).collect();
        check(&gated(Role::For, sketch.simulation), 100, &want, 100, 99.0);
    }
}

/// The checks fail in the first iterations of the five, and anew in each step, since they pass in the last: what an early
/// one has reported a later one leaves. Those with the bound 9 never fail.
#[test]
fn what_one_iteration_reports_the_others_leave() {
    for bounds in [["1", "3", "9"], ["9", "1", "3"], ["3", "9", "1"], ["9", "9", "3"]] {
        let mut sketch = Sketch::new(1.0)
            .block(1, "Var/Static", &[("Value", &["5"])])
            .block(3, "model Loop", &[])
            .block(4, "exit y", &[])
            .wire("1.Output", "3.n")
            .wire("1.Output", "4.Input")
            .block_in("Loop", 0, "entry n", &[])
            .mark("Loop", 0, &[("role", "for")])
            .block_in("Loop", 1, "entry i", &[])
            .mark("Loop", 1, &[("role", "index")])
            // 4, 3, 2, 1, 0: the first iterations fail.
            .block_in("Loop", 2, "Math/Gain", &[("Gain", &["-1"])])
            .block_in("Loop", 3, "Math/Bias", &[("Bias", &["4"])])
            .wires("Loop", &[("1.Output", "2.Input"), ("2.Output", "3.Input")]);
        for (number, bound) in bounds.iter().enumerate() {
            let check = 10 + number as u64;
            sketch = sketch.block_in("Loop", check, "Check/Upper Bound", &[("Bound", &[bound])]);
            sketch = sketch.wire_in("Loop", "3.Output", &format!("{check}.Input"));
        }
        let failing = || bounds.iter().zip(10..).filter(|(bound, _)| **bound != "9").map(|(_, id)| id);
        let want: Vec<(u64, u64)> = (0..3).flat_map(|step| failing().map(move |id| (step, id))).collect();
        check(&sketch.simulation, 3, &want, 3, 5.0);
    }
}

fn start(simulation: Simulation) -> Runner {
    let mut runner = Runner::new(|| {});
    runner.start(Start {
        simulation: Arc::new(simulation),
        registry: Registry::standard(),
        engine: Engines::with(TierUp::Wait).get(Engines::DEFAULT).cloned().expect("the default engine"),
        steps: Some(100_000),
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: false,
        refuses_non_finite: false,
    });
    runner
}

fn until(runner: &Runner, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    while !events.last().is_some_and(&wanted) {
        events.push(runner.wait(Duration::from_secs(60)).expect("another event"));
    }
    events
}

fn notice_of(events: &[Event]) -> AssertionEvent {
    let mut told = events.iter().filter_map(|event| match event {
        Event::Assertions { assertions, .. } => Some(assertions.clone()),
        _ => None,
    });
    let assertions = told.next().expect("something was told");
    assert_eq!((assertions.len(), told.next()), (1, None));
    assertions[0].clone()
}

#[test]
fn the_engine_thread_pauses_and_ends() {
    let bound: [(&str, &[&str]); 2] = [("Bound", &["500"]), ("Action", &["pause"])];
    let runner = start(counted("Check/Upper Bound", &bound));
    let events = until(&runner, |event| *event == Event::Paused);
    let assertion = notice_of(&events);
    assert_eq!((assertion.step, assertion.reaction), (501, Reaction::Pause));
    assert_eq!(
        (assertion.block, &*assertion.message),
        (BlockAddress::new(&[], BlockId(2)), "the input is above its upper bound")
    );
    runner.resume();
    let events = until(&runner, Event::is_last);
    assert!(matches!(events.last(), Some(Event::Finished { steps: 100_000, .. })));

    let runner = start(counted("Sink/Stop", &[]));
    let events = until(&runner, Event::is_last);
    assert_eq!(notice_of(&events).reaction, Reaction::Finish);
    assert!(matches!(events.last(), Some(Event::Finished { steps: 2, was_stopped: false, .. })));
}

/// A run that a block ends before the last step of a call leaves the context of that step, delay lines included.
#[test]
fn the_context_is_that_of_the_step_in_which_the_run_ends() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Discrete/Delay", &[("Length", &["3"])])
        .block(2, "Discrete/Unit Delay", &[])
        .block(3, "Logic/Compare To Constant", &[("Constant", &["7"]), ("Operator", &["=="])])
        .block(4, "Sink/Stop", &[])
        .block(5, "exit y", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("0.Output", "3.Input")])
        .wires("Main", &[("3.Output", "4.Input"), ("2.Output", "5.Input")]);
    for engine in ["simple", "flat", "compiled", "threaded"] {
        for first in [0, 1, 5] {
            let mut run = Run::new(&sketch.simulation, engine);
            if first > 0 {
                run.steps(first);
            }
            run.steps(100);
            assert_eq!((run.context.step, run.exit("y")), (8, vec![3.0]), "{engine} after {first}");
            // It goes on: the delay has what came in, three steps ago.
            let trace = run.trace("y", 5);
            assert_eq!(trace, [4.0, 5.0, 6.0, 7.0, 8.0], "{engine} after {first}");
        }
    }
}

/// Of equal checks in a model that runs three times in a step one fails in the first run, and none in the last.
#[test]
fn a_check_that_fails_in_one_of_several_runs_is_reported_alone() {
    for count in [1, 2, 8, 9] {
        for wrong in 0..count {
            let mut sketch = Sketch::new(1.0)
                .block(1, "Var/Static", &[("Value", &["3"])])
                .block(2, "model Part", &[])
                .block(3, "exit y", &[])
                .wires("Main", &[("1.Output", "2.n"), ("2.y", "3.Input")])
                .block_in("Part", 1, "entry n", &[])
                .mark("Part", 1, &[("role", "for")])
                .block_in("Part", 2, "entry i", &[])
                .mark("Part", 2, &[("role", "index")])
                .block_in("Part", 3, "Math/Gain", &[("Gain", &["-1"])])
                .block_in("Part", 4, "exit y", &[])
                .wires("Part", &[("2.Output", "3.Input"), ("3.Output", "4.Input")]);
            for number in 0..count {
                let bound = if number == wrong { "-0.5" } else { "1e6" };
                sketch = sketch.block_in("Part", 10 + number, "Check/Upper Bound", &[("Bound", &[bound])]);
                sketch = sketch.wire_in("Part", "3.Output", &format!("{}.Input", 10 + number));
            }
            check(&sketch.simulation, 1, &[(0, 10 + wrong)], 1, -2.0);
        }
    }
}
