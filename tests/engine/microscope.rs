//! Traces of one step: which blocks ran, in which order and why, which did not, and their cost.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Cause, Context, Engines, HandOver, IdleReason, Profile, Samples, StepTrace, compile};
use simulate::model::BlockId;

use super::migration::plant;
use super::{Run, Sketch};

fn here(id: u64) -> (Vec<BlockId>, BlockId) {
    (Vec::new(), BlockId(id.into()))
}

/// Returns the blocks that run in the step after `steps` steps, with their causes.
fn order(sketch: &Sketch, steps: u64) -> Vec<(i128, String)> {
    let mut run = sketch.run();
    run.steps(steps);
    let record = StepTrace::new(&run.program, &run.context);
    assert_eq!(record.step, steps);
    let executions = (0..record.len()).filter_map(|number| record.execution(number));
    executions
        .map(|execution| {
            let cause = match execution.cause {
                Cause::StepStart => "begin".to_owned(),
                Cause::Source => "source".to_owned(),
                Cause::Input(name) => name.to_owned(),
                Cause::Iteration => "turn".to_owned(),
                Cause::Subsystem => "part".to_owned(),
            };
            (execution.block.1.0, cause)
        })
        .collect()
}

/// By the rules of a step: outputs that need no input are published first, which completes the exit; then the sources
/// run in ascending order, and each block when its last input is set.
#[test]
fn the_order_is_that_of_the_queue() {
    let sketch = Sketch::new(0.1)
        .solver("euler")
        .block(0, "Math/Sum", &[("Signs", &["++"])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Var/Static", &[])
        .block(3, "Math/Gain", &[])
        .block(4, "exit y", &[])
        .wires(
            "Main",
            &[
                ("2.Output", "3.Input"),
                ("3.Output", "0.Input 2"),
                ("1.Output", "0.Input 1"),
                ("0.Output", "1.Input"),
                ("1.Output", "4.Input"),
            ],
        );
    let want = [(1, "begin"), (4, "Input"), (2, "source"), (3, "Input"), (0, "Input 2"), (1, "Input")];
    let want: Vec<(i128, String)> = want.into_iter().map(|(id, cause)| (id, cause.to_owned())).collect();
    assert_eq!(order(&sketch, 0), want);
    assert_eq!(order(&sketch, 7), want);
}

/// A Repeat block sets its output to 0, 1, 2; the block behind it runs again each time.
#[test]
fn what_is_set_again_runs_again() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Math/Gain", &[("Gain", &["10"])])
        .wires("Main", &[("0.Output", "1.Times"), ("1.Output", "2.Input")]);
    let run = sketch.run();
    let record = StepTrace::new(&run.program, &run.context);
    let gains: Vec<(usize, f64, f64)> = (0..record.len())
        .filter_map(|number| record.execution(number))
        .filter(|execution| execution.block == here(2))
        .map(|execution| (execution.run, execution.inputs[0].1[0], execution.outputs[0].1[0]))
        .collect();
    assert_eq!(gains, [(0, 0.0, 0.0), (1, 1.0, 10.0), (2, 2.0, 20.0)]);
}

#[test]
fn what_did_not_run_says_why() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry on", &[])
        .mark("Child", 0, &[("role", "enable")])
        .block_in("Child", 1, "Var/Clock", &[])
        .block_in("Child", 2, "exit y", &[])
        .wires("Child", &[("1.Output", "2.Input")])
        .block(0, "Math/Gain", &[])
        .block(1, "Math/Abs", &[])
        .block(2, "Var/Static", &[("Value", &["0"])])
        .block(3, "model Child", &[])
        .block(4, "Flow/Repeat", &[])
        .block(5, "Math/Sign", &[])
        .wires(
            "Main",
            &[("0.Output", "1.Input"), ("2.Output", "3.on"), ("2.Output", "4.Times"), ("4.Output", "5.Input")],
        );
    let run = sketch.run();
    let record = StepTrace::new(&run.program, &run.context);
    let reason = |path: &[i128], id| {
        let block = (path.iter().map(|&id| BlockId(id)).collect::<Vec<_>>(), BlockId(id));
        record.idle.iter().find(|idle| idle.block == block).map(|idle| idle.reason.clone())
    };
    assert_eq!(reason(&[], 0), Some(IdleReason::Unconnected { input: "Input".to_owned() }));
    assert_eq!(reason(&[], 1), Some(IdleReason::Waits { input: "Input".to_owned(), source: here(0) }));
    assert_eq!(reason(&[3], 1), Some(IdleReason::Subsystem { model_block: here(3) }));
    assert_eq!(reason(&[], 4), Some(IdleReason::NoIterations));
    assert_eq!(reason(&[], 5), Some(IdleReason::Waits { input: "Input".to_owned(), source: here(4) }));
    assert_eq!(reason(&[], 2), None, "it ran");
}

/// The trace has the values that every engine computes, to the bit, and tracing changes nothing.
#[test]
fn the_record_has_the_values_of_the_run() {
    for solver in ["rk4", "dopri45", "backward-euler"] {
        let mut run = Run::new(&plant(solver).simulation, "compiled");
        for _ in 0..40 {
            let before = run.context.clone();
            let record = StepTrace::new(&run.program, &run.context);
            assert_eq!(run.context.to_bytes(&run.program), before.to_bytes(&run.program));
            run.steps(1);
            let mut count = 0;
            for number in 0..record.len() {
                let execution = record.execution(number).expect("a run");
                for (name, lanes) in execution.outputs {
                    let key = simulate::model::SignalKey::new(&execution.block.0, execution.block.1, name);
                    let output = run.program.output_of(&key).expect("the signal");
                    let values = run.context.output(&run.program, output);
                    let bits = |lanes: &[f64]| lanes.iter().map(|lane| lane.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(lanes), bits(values), "{}: {name} of {}", record.step, execution.block.1);
                    count += 1;
                }
            }
            assert!(count >= 15, "all blocks are there: {count}");
            // A variable-step solver is ahead in some steps, and evaluates nothing.
            assert!(solver != "rk4" || record.minor_passes == 3, "four rates a step");
        }
    }
}

/// Runge–Kutta evaluates a rate four times.
#[test]
fn a_profile_counts_runs_and_puts_the_dearest_first() {
    let table: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let table: Vec<&str> = table.iter().map(String::as_str).collect();
    let sketch = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Math/Integrate", &[])
        .block(2, "Var/Static", &[("Value", &table)])
        .block(3, "Math/Function", &[("Function", &["exp"])])
        .block(4, "Math/Gain", &[])
        .wires("Main", &[("0.Output", "1.Input"), ("2.Output", "3.Input")]);
    let run = sketch.run();
    let profile = Profile::new(&run.program, &run.context, 3, &|| true);
    assert_eq!((profile.first, profile.steps), (0, 3));
    let runs = |id| profile.blocks.iter().find(|cost| cost.block == here(id)).map(|cost| cost.runs);
    assert_eq!([runs(0), runs(1), runs(4)], [Some(12), Some(12), Some(0)]);
    assert_eq!(profile.blocks[0].block, here(3), "two hundred exponentials: {:?}", profile.blocks);
    assert!(profile.blocks.is_sorted_by(|a, b| a.total() >= b.total()));
    assert!(profile.blocks.iter().all(|cost| cost.each.is_finite() && (cost.each > 0.0) == (cost.runs > 0)));
    let stopped = Profile::new(&run.program, &run.context, 3, &|| false);
    assert_eq!((stopped.steps, stopped.blocks.len()), (0, 0));
}

/// A step that fails is recorded up to the failure.
#[test]
fn a_step_that_fails_says_so() {
    let sketch = Sketch::new(1.0).block(0, "Var/Static", &[("Value", &["0"])]).block(1, "Math/Product", &[]);
    let sketch = sketch.wires("Main", &[("0.Output", "1.Input 1"), ("0.Output", "1.Input 2")]);
    let mut program = compile(&sketch.simulation, &Registry::standard()).expect("it compiles");
    program.refuses_non_finite = true;
    let program = Arc::new(program);
    let context = Context::new(&program);
    let record = StepTrace::new(&program, &context);
    assert_eq!(record.len(), 2);
    assert_eq!(record.failure.and_then(|error| error.block), Some(here(1)));
    let mut execute =
        Engines::with(HandOver::Wait).get("simple").expect("the engine").prepare(&program).expect("it runs");
    assert!(execute.run(&mut context.clone(), 1, &mut Samples::default()).is_err());
}
