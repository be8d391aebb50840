//! Inspection of steps, branches, planned changes and breakpoints: all with the same bits as a plain run.

use std::sync::Arc;
use std::time::Duration;

use simulate::block::{Registry, StateKind};
use simulate::engine::{
    Breakpoint, Condition, Context, Engines, Event, ParamChange, RunId, Runner, Samples, Speed, Start, StepValues,
    TierUp, compile,
};
use simulate::model::{BlockAddress, BlockId, ParamAddress, SignalKey, Simulation};

use super::going_back::{oscillator, straight, watched};
use crate::sketch::Sketch;

const LONG: Duration = Duration::from_secs(60);
const ENGINES: [&str; 4] = ["simple", "flat", "compiled", "threaded"];

fn begin(simulation: &Simulation, engine: &str, steps: Option<u64>, is_paused: bool) -> Start {
    Start {
        simulation: Arc::new(simulation.clone()),
        registry: Registry::standard(),
        engine: Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine")),
        steps,
        watch: vec![watched()],
        speed: Speed::Fastest,
        is_paused,
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

fn look(runner: &Runner, run: RunId, step: Option<u64>) -> StepValues {
    runner.look(run, step);
    match until(runner, |event| matches!(event, Event::Values(_) | Event::Declined { .. })).pop() {
        Some(Event::Values(view)) => *view,
        other => panic!("{other:?}"),
    }
}

/// Returns the bits of a signal in each step of a plain run.
fn of_each_step(simulation: &Simulation, signal: &SignalKey, steps: u64) -> Vec<u64> {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let mut execute =
        Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(&program).expect("it runs");
    let (mut context, mut samples) = (Context::new(&program), Samples::new(program.output_of(signal)));
    execute.run(&mut context, steps, &mut samples).expect("it runs");
    samples.watches()[0].values.iter().map(|value| value.to_bits()).collect()
}

fn samples(events: &[Event]) -> Vec<u64> {
    let values = events.iter().filter_map(|event| match event {
        Event::Samples { signal, values, .. } if *signal == watched() => Some(values),
        _ => None,
    });
    values.flatten().map(|value| value.to_bits()).collect()
}

#[test]
fn any_step_of_a_finished_run_has_all_its_values() {
    let simulation = oscillator();
    // These were not watched.
    let others = [SignalKey::new(&[], BlockId(1), "Output"), SignalKey::new(&[], BlockId(4), "Output")];
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        let run = runner.start(begin(&simulation, engine, Some(2000), false));
        until(&runner, Event::is_last);
        for signal in &others {
            let want = of_each_step(&simulation, signal, 2000);
            for step in [1999, 0, 777, 778, 3, 1500] {
                let view = look(&runner, run, Some(step));
                assert_eq!((view.run, view.step), (run, step), "{engine}");
                let value = view.value(signal).expect("the signal is there");
                assert_eq!(value[0].to_bits(), want[step as usize], "{engine}, {signal}, step {step}");
            }
        }
    }
}

#[test]
fn inspecting_an_active_run_changes_nothing() {
    let simulation = oscillator();
    let mut runner = Runner::new(|| {});
    let run = runner.start(begin(&simulation, "auto", Some(200_000), false));
    let mut events = Vec::new();
    let mut seen = 0;
    for _ in 0..20 {
        runner.look(run, None);
        let until_seen = until(&runner, |event| matches!(event, Event::Values(_)) || event.is_last());
        seen += usize::from(matches!(until_seen.last(), Some(Event::Values(_))));
        let is_over = until_seen.last().is_some_and(Event::is_last);
        events.extend(until_seen);
        if is_over {
            break;
        }
    }
    if !events.last().is_some_and(Event::is_last) {
        events.extend(until(&runner, Event::is_last));
    }
    assert!(seen > 0);
    assert_eq!(samples(&events), straight(&simulation, 200_000, &[]));
}

#[test]
fn of_several_requests_the_last_is_fulfilled() {
    let simulation = oscillator();
    let mut runner = Runner::new(|| {});
    let run = runner.start(begin(&simulation, "simple", Some(5000), false));
    until(&runner, Event::is_last);
    (0..40).for_each(|number| runner.look(run, Some(4000 - number * 7)));
    let mut last = 0;
    while last != 4000 - 39 * 7 {
        let Some(Event::Values(view)) = runner.wait(LONG) else { panic!("nothing was seen") };
        last = view.step;
    }
    // A discarded run cannot be inspected.
    runner.forget(run);
    runner.look(run, Some(5));
    assert!(matches!(runner.wait(LONG), None | Some(Event::Declined { .. })));
}

#[test]
fn a_branch_is_the_run_with_another_value_from_there_on() {
    let simulation = oscillator();
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        let run = runner.start(begin(&simulation, engine, Some(1000), true));
        runner.plan(vec![ParamChange {
            step: 100,
            param: ParamAddress::new(&[], BlockId(2), "Gain"),
            values: vec![-9.0],
        }]);
        runner.resume();
        let events = until(&runner, Event::is_last);
        assert_eq!(samples(&events), straight(&simulation, 1000, &[(100, -9.0)]), "{engine}");
        // From the middle of a finished run; what is not changed is the same.
        let branch = runner.branch(run, 400);
        let mut events = until(&runner, |event| *event == Event::Paused);
        assert!(events.iter().any(|event| matches!(event, Event::WentBack { step: 400, .. })), "{engine}");
        runner.set_param(&ParamAddress::new(&[], BlockId(2), "Gain"), &[-1.0]);
        runner.resume();
        events.extend(until(&runner, Event::is_last));
        let want = straight(&simulation, 1000, &[(100, -9.0), (400, -1.0)]);
        assert_eq!(samples(&events), want[400..], "{engine}");
        // Both can be inspected, also before the branch.
        let bits = |view: StepValues| view.value(&watched()).map(|lanes| lanes[0].to_bits());
        assert_eq!(bits(look(&runner, branch, Some(250))), Some(want[250]), "{engine}");
        assert_eq!(bits(look(&runner, branch, Some(900))), Some(want[900]), "{engine}");
        let of_first = straight(&simulation, 1000, &[(100, -9.0)]);
        assert_eq!(bits(look(&runner, run, Some(900))), Some(of_first[900]), "{engine}");
    }
}

#[test]
fn the_log_of_random_changes_repeats_them_bit_for_bit() {
    let simulation = oscillator();
    let mut runner = Runner::new(|| {});
    let mut events = Vec::new();
    runner.start(begin(&simulation, "auto", Some(50_000), false));
    // The changes take effect at whatever step the run is; its log has the steps.
    let mut seed = 12345_u64;
    for _ in 0..60 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let gain = -((seed >> 40) as f64) / 4e6;
        runner.set_param(&ParamAddress::new(&[], BlockId(2), "Gain"), &[gain]);
        let more = until(&runner, |event| matches!(event, Event::Progress { .. }) || event.is_last());
        let is_over = more.last().is_some_and(Event::is_last);
        events.extend(more);
        if is_over {
            break;
        }
    }
    if !events.last().is_some_and(Event::is_last) {
        events.extend(until(&runner, Event::is_last));
    }
    let log: Vec<ParamChange> = events
        .iter()
        .filter_map(|event| match event.clone() {
            Event::ParamSet(change) => Some(change),
            _ => None,
        })
        .collect();
    assert!(!log.is_empty());
    let first = samples(&events);
    let gains: Vec<(u64, f64)> = log.iter().map(|change| (change.step, change.values[0])).collect();
    assert_eq!(first, straight(&simulation, 50_000, &gains));
    runner.start(begin(&simulation, "flat", Some(50_000), true));
    runner.plan(log);
    runner.resume();
    assert_eq!(samples(&until(&runner, Event::is_last)), first);
}

#[test]
fn a_run_pauses_behind_the_first_step_at_which_a_breakpoint_holds() {
    // 0, 0.5, 1, … seconds.
    let sketch = Sketch::new(0.5).block(0, "Var/Clock", &[]).block(1, "exit t", &[]).wire("0.Output", "1.Input");
    let clock = SignalKey::new(&[], BlockId(0), "Output");
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        runner.start(begin(&sketch.simulation, engine, Some(10_000), true));
        let at = |limit| Breakpoint::Signal { signal: clock.clone(), condition: Condition::Above(limit) };
        runner.break_at(vec![at(1000.0), at(20.25)]);
        runner.resume();
        let events = until(&runner, |event| matches!(event, Event::BreakpointHit { .. }));
        assert_eq!(events.last(), Some(&Event::BreakpointHit { step: 41, breakpoint: 1 }), "{engine}");
        assert_eq!(samples(&events).len(), 42, "{engine}: nothing was sent of what had not happened");
        // The condition stays true, and became true once.
        until(&runner, |event| *event == Event::Paused);
        runner.resume();
        let events = until(&runner, |event| matches!(event, Event::BreakpointHit { .. }) || event.is_last());
        assert_eq!(events.last(), Some(&Event::BreakpointHit { step: 2001, breakpoint: 0 }), "{engine}");
        runner.break_at(Vec::new());
        runner.resume();
        let events = until(&runner, Event::is_last);
        assert!(matches!(events.last(), Some(Event::Finished { steps: 10_000, .. })), "{engine}");
    }
}

#[test]
fn a_simulation_runs_again_without_being_prepared_again() {
    let start = begin(&oscillator(), "compiled", Some(300), false);
    let mut runner = Runner::new(|| {});
    let program = |events: &[Event]| match events.first() {
        Some(Event::Started { program, .. }) => Arc::clone(&program.0),
        other => panic!("{other:?}"),
    };
    let first = runner.start(start.clone());
    let before = until(&runner, Event::is_last);
    runner.start_again(start.clone(), first);
    let after = until(&runner, Event::is_last);
    assert!(Arc::ptr_eq(&program(&before), &program(&after)));
    assert_eq!(samples(&before), samples(&after));
    // Another document is another program.
    runner.start_again(begin(&oscillator(), "compiled", Some(300), false), first);
    assert!(!Arc::ptr_eq(&program(&before), &program(&until(&runner, Event::is_last))));
}

#[test]
fn programs_that_differ_in_values_alone_say_in_which() {
    let made = |simulation: &Simulation| compile(simulation, &Registry::standard()).expect("it compiles");
    let sketch = |gain: &str, length: &str| {
        Sketch::new(0.1)
            .block(0, "Var/Static", &[("Value", &["1"])])
            .block(1, "Math/Gain", &[("Gain", &[gain])])
            .block(2, "Discrete/Delay", &[("Length", &[length])])
            .wire("0.Output", "1.Input")
            .wire("1.Output", "2.Input")
            .simulation
    };
    let one = made(&sketch("2", "3"));
    assert_eq!(one.changes_to(&one.params, &made(&sketch("2", "3"))), Some(Vec::new()));
    let changes = one.changes_to(&one.params, &made(&sketch("-0.5", "3"))).expect("only a value differs");
    let change = ParamChange { step: 0, param: ParamAddress::new(&[], BlockId(1), "Gain"), values: vec![-0.5] };
    assert_eq!(changes, [change]);
    // Each program has function objects of its own, which are the same.
    let called = |rows: &str| {
        let sketch = Sketch::new(0.1).block(0, "Var/Static", &[("Value", &["1 2 3 4"])]).block(
            1,
            "Matrix/Singular Values",
            &[("Rows", &[rows])],
        );
        made(&sketch.wire("0.Output", "1.Input").simulation)
    };
    let one_row = called("1");
    assert_eq!(one_row.changes_to(&one_row.params, &called("1")), Some(Vec::new()));
    assert_eq!(one_row.changes_to(&one_row.params, &called("4")), None);
    // The length of a delay is not a value: the states differ.
    assert_eq!(one.changes_to(&one.params, &made(&sketch("2", "4"))), None);
}

#[test]
fn an_edited_diagram_goes_on_from_the_next_step_and_the_steps_before_stay_as_they_were() {
    let chain = |extra: bool| {
        let sketch = Sketch::new(0.5).block(0, "Var/Static", &[("Value", &["1"])]).block(1, "Math/Integrate", &[]);
        let sketch = sketch.block(2, "exit y", &[]).wire("0.Output", "1.Input").wire("1.Output", "2.Input");
        match extra {
            true => sketch.block(3, "Math/Gain", &[("Gain", &["10"])]).wire("1.Output", "3.Input").simulation,
            false => sketch.simulation,
        }
    };
    let (sum, gain) = (SignalKey::new(&[], BlockId(1), "Output"), SignalKey::new(&[], BlockId(3), "Output"));
    let value = |view: &StepValues, signal: &SignalKey| view.value(signal).map(|lanes| lanes[0]);
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        let run =
            runner.start(Start { watch: vec![sum.clone(), gain.clone()], ..begin(&chain(false), engine, None, true) });
        runner.run_to(10);
        until(&runner, |event| matches!(event, Event::Progress { step: 10, .. }));
        until(&runner, |event| *event == Event::Paused);
        let of = |engine: &str| Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine"));
        runner.edit(Arc::new(chain(true)), Registry::standard(), of(engine));
        let events = until(&runner, |event| matches!(event, Event::Edited { .. } | Event::Declined { .. }));
        let Some(Event::Edited { step: 10, migration, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!((migration.kept, migration.reset.len()), (3, 1), "{engine}");
        runner.run_to(20);
        let events = until(&runner, |event| *event == Event::Paused);
        // The integrator continued; the samples of the gain begin with the edit.
        let first = events.iter().find_map(|event| match event {
            Event::Samples { signal, first, values, .. } if *signal == gain => Some((*first, values[0])),
            _ => None,
        });
        assert_eq!(first, Some((10, 50.0)), "{engine}");
        let (before, after) = (look(&runner, run, Some(4)), look(&runner, run, Some(12)));
        assert_eq!((value(&before, &sum), value(&before, &gain)), (Some(2.0), None), "{engine}");
        assert_eq!((value(&after, &sum), value(&after, &gain)), (Some(6.0), Some(60.0)), "{engine}");
        // A branch from before the edit is the run without it.
        let branch = runner.branch(run, 5);
        until(&runner, |event| *event == Event::Paused);
        let view = look(&runner, branch, None);
        assert_eq!((view.step, value(&view, &sum), value(&view, &gain)), (5, Some(2.5), None), "{engine}");
    }
}

#[test]
fn a_run_that_halts_goes_on_as_soon_as_the_step_can_be_done() {
    // 1 / (t - 3) with steps of one second.
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Bias", &[("Bias", &["-3"])])
        .block(2, "Math/Product", &[("Operations", &["/"])])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input 1");
    let quotient = SignalKey::new(&[], BlockId(2), "Output");
    let values = |events: &[Event]| -> Vec<f64> {
        let sent = events.iter().filter_map(|event| match event {
            Event::Samples { values, .. } => Some(values),
            _ => None,
        });
        sent.flatten().copied().collect()
    };
    let halts = |runner: &Runner| {
        let events = until(runner, |event| matches!(event, Event::PausedByError { .. }));
        let Some(Event::PausedByError { block, .. }) = events.last() else { panic!("{events:?}") };
        assert_eq!(*block, Some(BlockAddress::new(&[], BlockId(2))));
        values(&events)
    };
    let rest = |runner: &Runner| {
        let events = until(runner, Event::is_last);
        assert!(matches!(events.last(), Some(Event::Finished { steps: 6, was_stopped: false, .. })), "{events:?}");
        values(&events)
    };
    for engine in ENGINES {
        let start = Start {
            watch: vec![quotient.clone()],
            refuses_non_finite: true,
            ..begin(&sketch.simulation, engine, Some(6), false)
        };
        let mut runner = Runner::new(|| {});
        runner.start(start.clone());
        assert_eq!(halts(&runner), [1.0 / -3.0, 1.0 / -2.0, -1.0], "{engine}");
        // Nothing has changed, so the result is the same, also from further back.
        runner.resume();
        assert!(halts(&runner).is_empty(), "{engine}");
        runner.go_to(1);
        until(&runner, |event| *event == Event::Paused);
        runner.resume();
        assert_eq!(halts(&runner), [1.0 / -2.0, -1.0], "{engine}");
        runner.set_param(&ParamAddress::new(&[], BlockId(1), "Bias"), &[-2.5]);
        runner.resume();
        assert_eq!(rest(&runner), [2.0, 1.0 / 1.5, 1.0 / 2.5], "{engine}");

        let run = runner.start(start);
        halts(&runner);
        runner.refuse_non_finite(false);
        runner.resume();
        assert_eq!(rest(&runner), [f64::INFINITY, 1.0, 0.5], "{engine}");
        let view = look(&runner, run, Some(3));
        assert_eq!(view.value(&quotient), Some(&[f64::INFINITY][..]), "{engine}");
    }
}

#[test]
fn an_edit_that_cannot_run_leaves_the_run_as_it_is() {
    let simulation = oscillator();
    let mut runner = Runner::new(|| {});
    runner.start(begin(&simulation, "auto", Some(500), true));
    until(&runner, |event| *event == Event::Paused);
    let engine = Arc::clone(Engines::with(TierUp::Wait).get("auto").expect("the engine"));
    let broken = Sketch::new(0.01).block(0, "Nowhere/Nothing", &[]).simulation;
    let mut other_delta = simulation.clone();
    other_delta.delta = 0.5;
    for edited in [broken, other_delta] {
        runner.edit(Arc::new(edited), Registry::standard(), Arc::clone(&engine));
        until(&runner, |event| matches!(event, Event::Declined { .. }));
    }
    runner.resume();
    assert_eq!(samples(&until(&runner, Event::is_last)), straight(&simulation, 500, &[]));
}

#[test]
fn samples_can_be_requested_after_the_run() {
    let simulation = oscillator();
    let others = [SignalKey::new(&[], BlockId(1), "Output"), SignalKey::new(&[], BlockId(3), "Output")];
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        let run = runner.start(begin(&simulation, engine, Some(3000), true));
        let change = |step, gain: f64| ParamChange {
            step,
            param: ParamAddress::new(&[], BlockId(2), "Gain"),
            values: vec![gain],
        };
        runner.plan(vec![change(700, -9.0), change(701, -2.0)]);
        runner.resume();
        let events = until(&runner, Event::is_last);
        let nowhere = SignalKey::new(&[], BlockId(77), "Output");
        runner.fill(run, [&others[..], &[watched(), nowhere]].concat());
        let mut filled = std::collections::BTreeMap::new();
        while filled.len() < 3 || filled.values().any(|values: &Vec<u64>| values.len() < 3000) {
            let Some(Event::Backfilled { run: of, signal, first, values, .. }) = runner.wait(LONG) else { panic!() };
            let known: &mut Vec<u64> = filled.entry(signal).or_default();
            assert_eq!((of, first), (run, known.len() as u64), "{engine}");
            known.extend(values.iter().map(|value| value.to_bits()));
        }
        // The same as the samples recorded during the run, and for another signal the same as on another engine.
        assert_eq!(filled[&watched()], samples(&events), "{engine}");
        assert_eq!(filled[&watched()], straight(&simulation, 3000, &[(700, -9.0), (701, -2.0)]), "{engine}");
        // Noise does not depend on the gain.
        assert_eq!(filled[&others[1]], of_each_step(&simulation, &others[1], 3000), "{engine}");
    }
}

#[test]
fn a_run_that_is_late_counts_overruns() {
    let mut runner = Runner::new(|| {});
    // A thousand million simulated seconds per second, in steps of a hundredth.
    runner.start(Start { speed: Speed::RealTime(1e9), ..begin(&oscillator(), "simple", None, false) });
    let late = |event: &Event| matches!(event, Event::Progress { overruns, .. } if *overruns >= 2);
    until(&runner, late);
    runner.stop();
    until(&runner, Event::is_last);
}

#[test]
fn an_inspection_has_the_states_too() {
    let sketch = Sketch::new(0.5)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(2, "Discrete/Unit Delay", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input");
    let mut runner = Runner::new(|| {});
    let run = runner.start(Start { watch: Vec::new(), ..begin(&sketch.simulation, "compiled", Some(10), false) });
    until(&runner, Event::is_last);
    let view = look(&runner, run, Some(4));
    let states = |block: u64| {
        view.states(&BlockAddress::new(&[], BlockId(block.into()))).first().map(|(_, lanes)| lanes.to_vec())
    };
    // After step 4 five halves of 3 are added; the delay has the output of the integrator in that step.
    assert_eq!(states(1), Some(vec![1.0 + 5.0 * 1.5]));
    assert_eq!(states(2), Some(vec![1.0 + 4.0 * 1.5]));
    assert_eq!(states(0), None);
}

/// States are named by their numbers, so a record that is not shown must count: a pipe has the distance moved, the record,
/// and what has left.
#[test]
fn the_record_of_a_delay_counts_among_the_states() {
    let sketch = Sketch::new(0.5)
        .solver("dopri45")
        .block(0, "Var/Static", &[("Value", &["2"])])
        .block(1, "Continuous/Variable Transport Delay", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("0.Output", "1.Transit Time")]);
    let mut runner = Runner::new(|| {});
    let run = runner.start(Start { watch: Vec::new(), ..begin(&sketch.simulation, "compiled", Some(4), false) });
    until(&runner, Event::is_last);
    let view = look(&runner, run, Some(3));
    let states = view.states(&BlockAddress::new(&[], BlockId(1)));
    let program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    let kernel =
        program.kernel(&program.units[program.unit_of(&BlockAddress::new(&[], BlockId(1))).expect("the block")]);
    let kinds: Vec<StateKind> = states.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, kernel.states.iter().map(|state| state.kind).collect::<Vec<StateKind>>());
    assert!((states[0].1[0] - 1.0).abs() < 1e-12, "half a pipe length a second for two seconds: {states:?}");
    assert!(states.iter().any(|(kind, values)| *kind == StateKind::Record && values.is_empty()));
}

#[test]
fn a_state_that_is_set_is_part_of_the_run_from_there_on() {
    let simulation = oscillator();
    // The result of a separate context whose state is set at that step.
    let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
    let mut execute =
        Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(&program).expect("it runs");
    let (mut context, mut noted) = (Context::new(&program), Samples::new(program.output_of(&watched())));
    execute.run(&mut context, 60, &mut noted).expect("it runs");
    let slot = program.states
        [program.units[program.unit_of(&BlockAddress::new(&[], BlockId(1))).expect("the block")].first_state as usize];
    context.continuous[slot.offset as usize] = -3.5;
    execute.run(&mut context, 140, &mut noted).expect("it runs");
    let want: Vec<u64> = noted.watches()[0].values.iter().map(|value| value.to_bits()).collect();
    for engine in ENGINES {
        let mut runner = Runner::new(|| {});
        let run = runner.start(begin(&simulation, engine, Some(200), true));
        runner.run_to(60);
        let mut events = until(&runner, |event| matches!(event, Event::Progress { step: 60, .. }));
        events.extend(until(&runner, |event| *event == Event::Paused));
        runner.set_param(&ParamAddress::new(&[], BlockId(1), &simulate::engine::state_name(0)), &[-3.5]);
        // Neither an unknown state nor one of another width can be set.
        runner.set_param(&ParamAddress::new(&[], BlockId(1), &simulate::engine::state_name(1)), &[0.0]);
        runner.set_param(&ParamAddress::new(&[], BlockId(1), &simulate::engine::state_name(0)), &[0.0, 0.0]);
        runner.resume();
        events.extend(until(&runner, Event::is_last));
        let declined = events.iter().filter(|event| matches!(event, Event::Declined { .. })).count();
        assert_eq!((samples(&events), declined), (want.clone(), 2), "{engine}");
        // An inspection repeats the change.
        let view = look(&runner, run, Some(150));
        assert_eq!(view.value(&watched()).map(|lanes| lanes[0].to_bits()), Some(want[150]), "{engine}");
    }
}
