//! Changes during a run, and going back to earlier steps: the same bits as the first time.

use std::sync::Arc;
use std::time::Duration;

use simulate::block::Registry;
use simulate::engine::{
    Context, Engines, Event, ParamChange, Recording, Runner, Samples, Speed, Start, TierUp, compile,
};
use simulate::model::{BlockId, ParamAddress, SignalKey, Simulation};

use crate::sketch::Sketch;

const LONG: Duration = Duration::from_secs(60);

/// An oscillator with a delay line, noise and a random walk, so that every kind of state matters.
pub(super) fn oscillator() -> Simulation {
    Sketch::new(0.01)
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Math/Gain", &[("Gain", &["-4"])])
        .block(3, "Var/Noise", &[])
        .block(4, "Discrete/Delay", &[("Length", &["7"])])
        .block(5, "Math/Sum", &[("Signs", &["+++"])])
        .block(6, "exit y", &[])
        .wire("1.Output", "0.Input")
        .wire("0.Output", "2.Input")
        .wire("2.Output", "5.Input 1")
        .wire("3.Output", "5.Input 2")
        .wire("4.Output", "5.Input 3")
        .wire("0.Output", "4.Input")
        .wire("5.Output", "1.Input")
        .wire("0.Output", "6.Input")
        .simulation
}

pub(super) fn watched() -> SignalKey {
    SignalKey::new(&[], BlockId(0), "Output")
}

/// A paused run of a model.
struct Journey {
    runner: Runner,
    recording: Recording,
    events: Vec<Event>,
}

impl Journey {
    fn new(simulation: &Simulation, engine: &str) -> Journey {
        let mut runner = Runner::new(|| {});
        runner.start(Start {
            simulation: Arc::new(simulation.clone()),
            registry: Registry::standard(),
            engine: Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine")),
            steps: None,
            watch: vec![watched()],
            speed: Speed::Fastest,
            is_paused: true,
            refuses_non_finite: false,
        });
        let mut journey = Journey { runner, recording: Recording::new(simulation.delta), events: Vec::new() };
        journey.until_paused();
        journey
    }

    /// Takes events until the run pauses.
    fn until_paused(&mut self) {
        loop {
            let event = self.runner.wait(LONG).unwrap_or_else(|| panic!("nothing more came"));
            match &event {
                Event::Samples { signal, first, width, values } => {
                    self.recording.append(signal, *first, *width, values);
                }
                Event::WentBack { step, .. } => self.recording.truncate(*step),
                _ => {}
            }
            let is_paused = event == Event::Paused;
            self.events.push(event);
            if is_paused {
                return;
            }
        }
    }

    fn values(&self) -> Vec<u64> {
        self.recording.columns(&watched())[0].values().iter().map(|value| value.to_bits()).collect()
    }

    fn gain(&self, value: f64) {
        self.runner.set_param(&ParamAddress::new(&[], BlockId(2), "Gain"), &[value]);
    }

    fn step(&self) -> u64 {
        let step = self.events.iter().rev().find_map(|event| match event {
            Event::Progress { step, .. } | Event::WentBack { step, .. } => Some(*step),
            _ => None,
        });
        step.unwrap_or(0)
    }
}

/// Returns the samples of this number of steps, with the gains from the given steps on.
pub(super) fn straight(simulation: &Simulation, steps: u64, gains: &[(u64, f64)]) -> Vec<u64> {
    let program = Arc::new(compile(simulation, &Registry::standard()).expect("it compiles"));
    let mut execute =
        Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(&program).expect("it runs");
    let mut context = Context::new(&program);
    let mut samples = Samples::new(program.output_of(&watched()));
    for step in 0..steps {
        for (_, gain) in gains.iter().filter(|(from, _)| *from == step) {
            context.set_param(&program, &ParamAddress::new(&[], BlockId(2), "Gain"), &[*gain]).expect("it can change");
        }
        execute.run(&mut context, 1, &mut samples).expect("the step runs");
    }
    samples.watches()[0].values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn a_change_takes_effect_from_its_step_on() {
    for engine in ["simple", "flat", "compiled", "threaded"] {
        let simulation = oscillator();
        let mut journey = Journey::new(&simulation, engine);
        journey.runner.run_to(100);
        journey.until_paused();
        journey.gain(-9.0);
        journey.runner.run_to(250);
        journey.until_paused();
        let told = journey.events.iter().find_map(|event| match event {
            Event::ParamSet(change) => Some(change.clone()),
            _ => None,
        });
        let param = ParamAddress::new(&[], BlockId(2), "Gain");
        assert_eq!(told, Some(ParamChange { step: 100, param, values: vec![-9.0] }), "{engine}");
        assert_eq!(journey.values(), straight(&simulation, 250, &[(100, -9.0)]), "{engine}");
        // A parameter that the block does not have is declined, and nothing changes.
        journey.runner.set_param(&ParamAddress::new(&[], BlockId(2), "Nonsense"), &[1.0]);
        journey.runner.step(1);
        journey.until_paused();
        assert!(journey.events.iter().any(|event| matches!(event, Event::Declined { .. })));
        assert_eq!(journey.values(), straight(&simulation, 251, &[(100, -9.0)]), "{engine}");
    }
}

#[test]
fn the_way_back_is_the_way_there() {
    for engine in ["simple", "flat", "compiled", "threaded"] {
        let simulation = oscillator();
        let mut journey = Journey::new(&simulation, engine);
        for (to, gain) in [(40, -9.0), (90, -1.0), (200, -3.0)] {
            journey.runner.run_to(to);
            journey.until_paused();
            journey.gain(gain);
        }
        journey.runner.run_to(1000);
        journey.until_paused();
        let gains = [(40, -9.0), (90, -1.0), (200, -3.0)];
        let want = straight(&simulation, 1000, &gains);
        assert_eq!(journey.values(), want, "{engine}");
        for (target, then) in [(999, 1000), (65, 300), (0, 1000), (90, 91), (40, 200), (517, 1000)] {
            journey.runner.go_to(target);
            journey.until_paused();
            assert_eq!(journey.step(), target, "{engine}");
            assert_eq!(journey.values(), want[..target as usize], "{engine}");
            journey.runner.go_to(then);
            journey.until_paused();
            assert_eq!(journey.step(), then, "{engine}");
            assert_eq!(journey.values(), want[..then as usize], "{engine}, {target} to {then}");
        }
    }
}

#[test]
fn steps_back_one_by_one_and_a_change_there_begins_another_way() {
    let simulation = oscillator();
    let mut journey = Journey::new(&simulation, "auto");
    journey.runner.run_to(50);
    journey.until_paused();
    journey.gain(-2.0);
    journey.runner.run_to(80);
    journey.until_paused();
    for step in (60..80).rev() {
        journey.runner.step_back(1);
        journey.until_paused();
        assert_eq!(journey.step(), step);
    }
    // More than there are: goes to the begin. Requests on the way are handled afterwards.
    journey.runner.go_to(30);
    journey.gain(-7.0);
    journey.runner.run_to(120);
    journey.until_paused();
    journey.until_paused();
    assert_eq!(journey.values(), straight(&simulation, 120, &[(30, -7.0)]));
    journey.runner.step_back(1000);
    journey.until_paused();
    assert_eq!(journey.step(), 0);
    journey.runner.run_to(120);
    journey.until_paused();
    assert_eq!(journey.values(), straight(&simulation, 120, &[(30, -7.0)]));
}

#[test]
fn little_memory_keeps_the_way_back_and_none_says_so() {
    let simulation = oscillator();
    let want = straight(&simulation, 400, &[]);
    let mut journey = Journey::new(&simulation, "simple");
    // Room for the begin and little more.
    journey.runner.remember(2000);
    for _ in 0..40 {
        journey.runner.step(10);
        journey.until_paused();
    }
    for target in [395, 17, 200] {
        journey.runner.go_to(target);
        journey.until_paused();
        assert_eq!(journey.values(), want[..target as usize]);
    }
    journey.runner.remember(0);
    journey.runner.step_back(1);
    journey.runner.step(1);
    journey.until_paused();
    assert!(journey.events.iter().any(|event| matches!(event, Event::Declined { .. })));
    assert_eq!(journey.step(), 201);
}

#[test]
fn stop_is_handled_while_the_run_goes_back() {
    let mut journey = Journey::new(&oscillator(), "simple");
    // Everything is computed again from the begin.
    journey.runner.run_to(60_000);
    journey.until_paused();
    journey.runner.remember(700);
    journey.runner.go_to(59_999);
    journey.runner.stop();
    loop {
        match journey.runner.wait(LONG) {
            Some(Event::Finished { was_stopped, .. }) => return assert!(was_stopped),
            Some(_) => {}
            None => panic!("nothing more came"),
        }
    }
}
