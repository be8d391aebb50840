//! Breakpoints on lines of code: a run pauses after the step in which the line is executed.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Breakpoint, Engines, Event, Runner, Speed, Start, TierUp};
use simulate::model::{BlockAddress, BlockId, Simulation};

use crate::sketch::Sketch;

const ENGINES: [&str; 4] = ["simple", "flat", "compiled", "threaded"];

/// Line 5 sets the initial value, line 8 counts upwards from 0.7 s on, line 10 before.
const CODE: &str = "function y = f(u)\n  y = 0;\n  persistent n\n  if isempty(n)\n    n = 0;\n  end\n  if u > 0.65\n    \
                    n = n + 1;\n  else\n    y = 1;\n  end\n  y = y + n;\nend";

fn counting() -> Simulation {
    Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "User/Function", &[("Code", &[CODE])])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input")
        .simulation
}

fn at(line: usize, code: &str) -> Breakpoint {
    Breakpoint::Line { block: BlockAddress { path: Vec::new(), block: BlockId(1) }, line, code: code.into() }
}

fn until(runner: &Runner, wanted: impl Fn(&Event) -> bool) -> Event {
    loop {
        let event = runner.wait(std::time::Duration::from_secs(60)).expect("an event");
        if wanted(&event) {
            return event;
        }
    }
}

fn start(engine: &str, steps: u64) -> Start {
    Start {
        simulation: Arc::new(counting()),
        registry: Registry::standard(),
        engine: Arc::clone(Engines::with(TierUp::Wait).get(engine).expect("the engine")),
        steps: Some(steps),
        watch: Vec::new(),
        speed: Speed::Fastest,
        is_paused: true,
        refuses_non_finite: false,
    }
}

/// The steps at which a run of 12 steps pauses, with the numbers of the breakpoints.
fn pauses(engine: &str, breakpoints: Vec<Breakpoint>) -> Vec<(u64, usize)> {
    let mut runner = Runner::new(|| {});
    runner.start(start(engine, 12));
    runner.break_at(breakpoints);
    let mut found = Vec::new();
    loop {
        runner.resume();
        match until(&runner, |event| matches!(event, Event::BreakpointHit { .. }) || event.is_last()) {
            Event::BreakpointHit { step, breakpoint } => found.push((step, breakpoint)),
            Event::Finished { steps: 12, .. } => return found,
            other => panic!("{engine}: {other:?}"),
        }
    }
}

#[test]
fn a_run_pauses_after_each_step_that_executes_a_line() {
    for engine in ENGINES {
        assert_eq!(pauses(engine, vec![at(5, CODE)]), [(0, 0)], "{engine}: the initial value is set once");
        let upwards: Vec<(u64, usize)> = (7..12).map(|step| (step, 0)).collect();
        assert_eq!(pauses(engine, vec![at(8, CODE)]), upwards, "{engine}: only where the branch is taken");
        let both = pauses(engine, vec![at(8, CODE), at(10, CODE)]);
        let want: Vec<(u64, usize)> = (0..12).map(|step| (step, usize::from(step < 7))).collect();
        assert_eq!(both, want, "{engine}");
        assert_eq!(pauses(engine, vec![at(6, CODE)]), [], "{engine}: nothing is executed in the line of end");
        assert_eq!(pauses(engine, vec![at(8, "y = u;")]), [], "{engine}: lines of another code");
    }
}

#[test]
fn a_run_with_breakpoints_on_lines_has_the_bits_of_one_without() {
    for engine in ENGINES {
        let run = |breakpoints: Vec<Breakpoint>| {
            let mut runner = Runner::new(|| {});
            runner.start(start(engine, 5000));
            runner.break_at(breakpoints);
            runner.resume();
            match until(&runner, Event::is_last) {
                Event::Finished { exits, .. } => exits,
                other => panic!("{engine}: {other:?}"),
            }
        };
        assert_eq!(run(vec![at(6, CODE)]), run(Vec::new()), "{engine}");
    }
}
