//! Traces of one step: which blocks ran, in which order and why, which did not, and their cost.

use std::sync::Arc;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use simulate::block::Registry;
use simulate::engine::{
    Cause, Context, Engines, IdleReason, Profile, Program, Samples, StepTrace, TierUp, compile, is_unset,
};
use simulate::model::{BlockAddress, BlockId};

use crate::engine::compile::migration::plant;
use crate::random::models::drawing;
use crate::sketch::{Run, Sketch};

fn here(id: u64) -> BlockAddress {
    BlockAddress::new(&[], BlockId(id.into()))
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
            (execution.block.block.0, cause)
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

/// What has no input runs in each iteration because its model does.
#[test]
fn a_source_in_an_iterated_model_runs_with_it() {
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "model Inner", &[])
        .wire("0.Output", "1.times")
        .block_in("Inner", 4, "entry times", &[])
        .block_in("Inner", 5, "Var/Static", &[])
        .block_in("Inner", 6, "Math/Gain", &[])
        .wire_in("Inner", "5.Output", "6.Input");
    let inner = sketch.simulation.model_mut("Inner").expect("the model");
    inner.block_mut(BlockId(4)).expect("the entry").attributes.set("role", "for");
    let causes = order(&sketch, 0);
    let of = |id: i128| causes.iter().filter(|(block, _)| *block == id).map(|(_, cause)| &**cause).collect::<Vec<_>>();
    assert_eq!(of(5), ["part"; 3]);
    assert_eq!(of(6), ["Input"; 3]);
}

/// Also where the solver makes minor steps, in which iterated models stand still: what counts is the major step.
#[test]
fn what_did_not_run_says_why() {
    for solver in ["euler", "rk4", "dopri45"] {
        let sketch = Sketch::new(1.0)
            .solver(solver)
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable")])
            .block_in("Child", 1, "Var/Clock", &[])
            .block_in("Child", 2, "exit y", &[])
            .wires("Child", &[("1.Output", "2.Input")])
            .block_in("Loop", 0, "entry n", &[])
            .mark("Loop", 0, &[("role", "for"), ("limit", "5")])
            .block_in("Loop", 1, "Var/Clock", &[])
            .block(0, "Math/Gain", &[])
            .block(1, "Math/Abs", &[])
            .block(2, "Var/Static", &[("Value", &["0"])])
            .block(3, "model Child", &[])
            .block(4, "Flow/Repeat", &[])
            .block(5, "Math/Sign", &[])
            .block(6, "Math/Integrate", &[])
            .block(7, "Math/Bias", &[("Bias", &["2"])])
            .block(8, "model Loop", &[])
            .block(9, "model Child", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("2.Output", "3.on"), ("2.Output", "4.Times")])
            .wires("Main", &[("4.Output", "5.Input"), ("2.Output", "6.Input"), ("2.Output", "7.Input")])
            .wires("Main", &[("7.Output", "8.n"), ("7.Output", "9.on")]);
        let run = sketch.run();
        let record = StepTrace::new(&run.program, &run.context);
        let mut idle: Vec<_> = record.idle.iter().map(|idle| (idle.block.clone(), idle.reason.clone())).collect();
        idle.sort_by_key(|(block, _)| block.clone());
        let input = || "Input".to_owned();
        let within = |id| BlockAddress::new(&[BlockId(3)], BlockId(id));
        let want = [
            (here(0), IdleReason::Unconnected { input: input() }),
            (here(1), IdleReason::Waits { input: input(), source: here(0) }),
            (here(4), IdleReason::NoIterations),
            (here(5), IdleReason::Waits { input: input(), source: here(4) }),
            (within(1), IdleReason::Subsystem { model_block: here(3) }),
        ];
        let blocks: Vec<_> = idle.iter().map(|(block, _)| block.clone()).filter(|block| *block != within(2)).collect();
        assert_eq!(blocks, want.each_ref().map(|(block, _)| block.clone()), "{solver}");
        for (block, reason) in want {
            assert!(idle.contains(&(block.clone(), reason.clone())), "{solver}: {block:?} {reason:?} in {idle:?}");
        }
    }
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
                    let key = simulate::model::SignalKey::new(&execution.block.path, execution.block.block, name);
                    let output = run.program.output_of(&key).expect("the signal");
                    let values = run.context.output(&run.program, output);
                    let bits = |lanes: &[f64]| lanes.iter().map(|lane| lane.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(lanes), bits(values), "{}: {name} of {}", record.step, execution.block.block);
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
        Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(&program).expect("it runs");
    assert!(execute.run(&mut context.clone(), 1, &mut Samples::default()).is_err());
}

/// What the next step of the context changes, and its trace.
fn traced(program: &Arc<Program>, context: &Context) -> Option<(StepTrace, Context)> {
    let trace = StepTrace::new(program, context);
    let mut after = context.clone();
    let mut execute = Engines::with(TierUp::Wait).get("simple").expect("the engine").prepare(program).expect("it runs");
    let ran = execute.run(&mut after, 1, &mut Samples::default());
    assert_eq!(trace.failure, ran.err());
    (trace.failure.is_none()).then_some((trace, after))
}

/// Checks what a trace says of a step against the step itself and the program. Returns the numbers of executions and of
/// idle blocks.
fn check_trace(program: &Program, trace: &StepTrace, after: &Context) -> (usize, usize) {
    let executions: Vec<_> = (0..trace.len()).filter_map(|number| trace.execution(number)).collect();
    assert_eq!(executions.len(), trace.len());
    let of_run = |block: &BlockAddress| {
        executions.iter().filter(|of| of.block == *block && of.cause != Cause::StepStart).collect::<Vec<_>>()
    };
    for (number, execution) in executions.iter().enumerate() {
        assert_eq!(trace.block(number).as_ref(), Some(&execution.block));
        let is_begin = execution.cause == Cause::StepStart;
        let earlier = executions[..number].iter();
        let same = earlier.filter(|of| of.block == execution.block && (of.cause == Cause::StepStart) == is_begin);
        assert_eq!(execution.run, same.count(), "{execution:?}");
        match execution.cause {
            Cause::StepStart => assert!(execution.inputs.is_empty(), "{execution:?}"),
            Cause::Input(name) => {
                assert!(execution.inputs.iter().any(|(input, _)| *input == name), "{execution:?}");
            }
            Cause::Source | Cause::Iteration | Cause::Subsystem => {}
        }
    }
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for (number, unit) in program.units.iter().filter(|(_, unit)| !unit.is_hidden) {
        if program.outputs_of(unit).len() == 0 {
            continue;
        }
        let block = program.block_of(number);
        let runs = of_run(&block);
        let reason = trace.idle.iter().filter(|idle| idle.block == block).collect::<Vec<_>>();
        // A block has run, or there is one reason why it has not; of a for-each model the first iteration is shown.
        assert!(
            reason.len() <= 1 && runs.is_empty() != reason.is_empty(),
            "{block:?}: {reason:?}, {} runs",
            runs.len()
        );
        let is_open = |index: &usize| program.sources[*index].is_none();
        let inputs = unit.first_input as usize..unit.first_input as usize + program.kernel(unit).inputs.len();
        match reason.first().map(|idle| &idle.reason) {
            None => assert!(!inputs.clone().any(|index| is_open(&index)), "{block:?} has run without an input"),
            Some(IdleReason::Unconnected { .. }) => assert!(inputs.clone().any(|index| is_open(&index)), "{block:?}"),
            Some(IdleReason::Waits { source, .. }) => {
                let feeds = |index: usize| {
                    let from = program.outputs[program.sources[index].expect("connected")].unit;
                    program.block_of(from) == *source
                };
                assert!(!inputs.clone().any(|index| is_open(&index)), "{block:?}");
                assert!(inputs.clone().any(feeds) && of_run(source).is_empty(), "{block:?} waits for {source:?}");
            }
            Some(IdleReason::Subsystem { .. }) => assert!(unit.subsystem.is_some(), "{block:?}"),
            Some(IdleReason::NoIterations) => assert!(program.kernel(unit).iterations.is_some(), "{block:?}"),
            Some(IdleReason::Ended) => panic!("the step was completed: {block:?}"),
        }
    }
    // The values of outputs are those that the step leaves, but for exits, which are set when their model ends, and for
    // for-each models, whose iterations are one block.
    for execution in &executions {
        for (name, values) in &execution.outputs {
            let key = simulate::model::SignalKey::new(&execution.block.path, execution.block.block, name);
            let Some(output) = program.output_of(&key) else { continue };
            let is_last = executions
                .iter()
                .rev()
                .find(|of| of.block == execution.block && of.outputs.len() == execution.outputs.len());
            if is_last.is_some_and(|last| std::ptr::eq(last, execution)) {
                assert_eq!(bits(values), bits(after.output(program, output)), "{execution:?}");
            }
        }
        for (name, values) in &execution.inputs {
            assert!(!values.iter().any(|value| is_unset(*value)), "{name} of {execution:?}");
        }
    }
    (executions.len(), trace.idle.len())
}

#[test]
fn traces_of_random_models_say_what_the_step_did() {
    let mut runner = TestRunner::deterministic();
    let (mut executions, mut idle) = (0, 0);
    for _ in 0..80 {
        let drawing = drawing().new_tree(&mut runner).expect("a drawing").current();
        let Ok(program) = compile(&drawing.simulation(), &Registry::standard()) else { continue };
        let program = Arc::new(program);
        let mut context = Context::new(&program);
        for _ in 0..4 {
            let Some((trace, after)) = traced(&program, &context) else { break };
            let (ran, not) = check_trace(&program, &trace, &after);
            (executions, idle) = (executions + ran, idle + not);
            context = after;
        }
    }
    assert!(executions > 500 && idle > 100, "{executions} executions, {idle} idle blocks");
}
