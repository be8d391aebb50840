//! The rules of a step, one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use simulate::block::{BlockDef, Body, CallError, Face, HostFn, HostFunction, Look, Ports, Registry};
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::model::{BlockId, Change, Connection, Document, Edit, EditError};

use crate::sketch::{Run, Sketch};

/// Two entry and exit pairs and a sum: 1, 2, 3, 5, 8, …
#[test]
fn entries_take_their_exits_values_after_the_step() {
    let mut run = Sketch::new(1.0)
        .block(0, "entry a", &[("Initial Value", &["0"])])
        .block(1, "entry b", &[("Initial Value", &["1"])])
        .block(2, "Math/Sum", &[])
        .block(3, "exit a", &[])
        .block(4, "exit b", &[])
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2")
        .wire("1.Output", "3.Input")
        .wire("2.Output", "4.Input")
        .run();
    assert_eq!(run.trace("b", 8), [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0]);
}

#[test]
fn all_entries_of_a_name_take_the_exits_value() {
    let mut run = Sketch::new(1.0)
        .block(0, "entry x", &[("Initial Value", &["1"])])
        .block(1, "entry x", &[("Initial Value", &["10"])])
        .block(2, "Math/Sum", &[])
        .block(3, "exit x", &[])
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2")
        .wire("2.Output", "3.Input")
        .run();
    assert_eq!(run.trace("x", 3), [11.0, 22.0, 44.0]);
}

#[test]
fn an_entry_without_exit_or_wire_keeps_its_initial_value() {
    let mut run = Sketch::new(1.0)
        .block(0, "entry x", &[("Initial Value", &["3", "4"])])
        .block(1, "exit y", &[])
        .wire("0.Output", "1.Input")
        .run();
    assert_eq!(run.steps(5).exit("y"), [3.0, 4.0]);
}

#[test]
fn an_integrator_closes_a_loop() {
    // dx/dt = -x by Euler: x[n] = (1 - h)^n.
    let sketch = Sketch::new(0.5)
        .solver("euler")
        .block(0, "Math/Integrate", &[("Initial Value", &["1"])])
        .block(1, "Math/Gain", &[("Gain", &["-1"])])
        .block(2, "exit x", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input")
        .wire("0.Output", "2.Input");
    assert_eq!(sketch.run().trace("x", 4), [1.0, 0.5, 0.25, 0.125]);
}

#[test]
fn a_loop_without_state_does_not_run_and_names_every_hop() {
    let sketch = Sketch::new(1.0)
        .block(0, "Math/Gain", &[])
        .block(1, "Math/Abs", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input");
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
    let problem = found.iter().find(|diagnostic| diagnostic.code == "loop").expect("a loop");
    assert!(problem.message.contains("Gain #0") && problem.message.contains("Abs #1"), "{}", problem.message);
    let wires: Vec<i128> = problem.location.wires.iter().map(|wire| wire.block.0).collect();
    assert!(wires == [0, 1] || wires == [1, 0], "both wires are marked: {wires:?}");
}

#[test]
fn a_wire_that_closes_a_loop_is_refused() {
    let sketch = Sketch::new(1.0).block(0, "Math/Gain", &[]).block(1, "Math/Abs", &[]).wire("0.Output", "1.Input");
    let mut document = Document::new(sketch.simulation, Registry::standard());
    let connection = Box::new(Connection::new(BlockId(1), "Output", BlockId(0), "Input"));
    let change = Change::one("Connect", Edit::Connect { model: "Main".into(), connection });
    match document.apply(&change) {
        Err(EditError::AlgebraicLoop(hops)) => assert!(hops.contains("Gain #0") && hops.contains("Abs #1"), "{hops}"),
        other => panic!("expected a loop, got {other:?}"),
    }
    assert_eq!(document.undo_labels().count(), 0, "nothing was done");
}

/// The connection is inside the model, the rest of the loop outside.
#[test]
fn a_loop_through_a_model_block_is_refused_too() {
    let sketch = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "exit y", &[])
        .block(0, "model Inner", &[])
        .wire("0.y", "0.u");
    let mut document = Document::new(sketch.simulation, Registry::standard());
    let connection = Box::new(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    let change = Change::one("Connect", Edit::Connect { model: "Inner".into(), connection });
    assert!(matches!(document.apply(&change), Err(EditError::AlgebraicLoop(_))));
}

#[test]
fn a_block_with_an_open_input_never_runs() {
    let mut run = Sketch::new(1.0)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.Input 1")
        .wire("1.Output", "2.Input")
        .run();
    assert_eq!(run.steps(3).exit_if_set("y"), None);
    assert_eq!(run.context.executed, 1, "only the source ran");
}

#[test]
fn a_state_is_published_though_its_input_never_comes() {
    let mut run = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[("Initial Value", &["7"])])
        .block(1, "exit y", &[])
        .wire("0.Output", "1.Input")
        .run();
    assert_eq!(run.trace("y", 2), [7.0, 7.0]);
}

#[test]
fn one_model_used_twice_has_two_states() {
    let sketch = Sketch::new(1.0)
        .solver("euler")
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Math/Integrate", &[])
        .block_in("Inner", 2, "exit y", &[])
        .wire_in("Inner", "0.Output", "1.Input")
        .wire_in("Inner", "1.Output", "2.Input")
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "Var/Static", &[("Value", &["10"])])
        .block(2, "model Inner", &[])
        .block(3, "model Inner", &[])
        .block(4, "exit a", &[])
        .block(5, "exit b", &[])
        .wire("0.Output", "2.u")
        .wire("1.Output", "3.u")
        .wire("2.y", "4.Input")
        .wire("3.y", "5.Input");
    let mut run = sketch.run();
    run.steps(4);
    assert_eq!((run.exit("a"), run.exit("b")), (vec![3.0], vec![30.0]));
}

/// A sum with a delay in its feedback, flat and with the delay in a submodel, with every solver.
#[test]
fn grouping_blocks_does_not_change_a_result() {
    for solver in ["euler", "heun", "rk4"] {
        let flat = Sketch::new(0.1)
            .solver(solver)
            .block(0, "Var/Sine", &[])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, "Math/Integrate", &[])
            .block(3, "Math/Gain", &[("Gain", &["3"])])
            .block(4, "exit y", &[])
            .wire("0.Output", "1.Input 1")
            .wire("3.Output", "1.Input 2")
            .wire("1.Output", "2.Input")
            .wire("2.Output", "3.Input")
            .wire("3.Output", "4.Input");
        let nested = Sketch::new(0.1)
            .solver(solver)
            .block_in("Inner", 0, "entry u", &[])
            .block_in("Inner", 1, "Math/Integrate", &[])
            .block_in("Inner", 2, "Math/Gain", &[("Gain", &["3"])])
            .block_in("Inner", 3, "exit y", &[])
            .wire_in("Inner", "0.Output", "1.Input")
            .wire_in("Inner", "1.Output", "2.Input")
            .wire_in("Inner", "2.Output", "3.Input")
            .block(0, "Var/Sine", &[])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, "model Inner", &[])
            .block(4, "exit y", &[])
            .wire("0.Output", "1.Input 1")
            .wire("2.y", "1.Input 2")
            .wire("1.Output", "2.u")
            .wire("2.y", "4.Input");
        let bits = |trace: Vec<f64>| trace.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(flat.run().trace("y", 50)), bits(nested.run().trace("y", 50)), "{solver}");
    }
}

#[test]
fn time_is_multiplied_and_never_summed() {
    let mut run = Sketch::new(0.1).block(0, "Var/Clock", &[]).block(1, "exit t", &[]).wire("0.Output", "1.Input").run();
    for step in 0..1000 {
        assert_eq!(run.steps(1).exit("t"), [f64::from(step) * 0.1]);
    }
}

#[test]
fn executed_counts_the_blocks_of_the_last_step() {
    let sketch = Sketch::new(1.0)
        .block_in("Inner", 0, "entry u", &[])
        .block_in("Inner", 1, "Math/Gain", &[])
        .block_in("Inner", 2, "exit y", &[])
        .wire_in("Inner", "0.Output", "1.Input")
        .wire_in("Inner", "1.Output", "2.Input")
        .block(0, "Var/Static", &[])
        .block(1, "model Inner", &[])
        .block(2, "exit y", &[])
        .wire("0.Output", "1.u")
        .wire("1.y", "2.Input");
    let mut run = sketch.run();
    run.steps(2);
    // Static, the inner entry, gain and exit, and the outer exit.
    assert_eq!(run.context.executed, 5);
}

/// A run continues from a copy of the context with the same bits.
#[test]
fn a_context_is_all_there_is() {
    let sketch = Sketch::new(0.01)
        .block(0, "Var/Noise", &[])
        .block(1, "Continuous/Transport Delay", &[("Delay", &["0.035"])])
        .block(2, "Continuous/Transfer Function", &[("Denominator", &["1", "2", "5"])])
        .block(3, "exit y", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "2.Input")
        .wire("2.Output", "3.Input");
    let mut run = sketch.run();
    run.steps(57);
    let mut copy = Run::new(&sketch.simulation, "simple");
    copy.context = run.context.clone();
    assert_eq!(run.steps(100).context, copy.steps(100).context);
}

/// How often [`COUNTED`] has computed its initial state.
static INITIALIZED: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
struct Initial;

impl HostFunction for Initial {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        INITIALIZED.fetch_add(1, Relaxed);
        out.copy_from_slice(args);
        Ok(())
    }
}

static COUNTED: BlockDef = BlockDef {
    group: "Test",
    name: "Counted",
    doc: "Counts the steps from 7",
    formula: "y = 7 + n",
    aliases: &[],
    look: Look { body: Body::Rect, face: Face::Text("n") },
    inputs: Ports::Fixed(&[]),
    outputs: Ports::Fixed(&["Output"]),
    params: &[],
    build: |b| {
        let x = b.state(1, b.native(HostFn(Arc::new(Initial)), &[b.constant(7.0)], 1));
        b.output(0, x.value);
        x.next(x.value + 1.0);
    },
    examples: &[],
};

/// A block is initialized when its context is made, before its first step, and when that is reset.
#[test]
fn a_block_is_initialized_once_in_each_context() {
    let mut registry = (*Registry::standard()).clone();
    registry.add(&COUNTED).expect("the name is free");
    let sketch = Sketch::new(1.0).block(0, "Test/Counted", &[]).block(1, "exit n", &[]).wire("0.Output", "1.Input");
    let program = Arc::new(compile(&sketch.simulation, &registry).expect("it compiles"));
    let mut before = INITIALIZED.load(Relaxed);
    let mut more = || INITIALIZED.load(Relaxed) - std::mem::replace(&mut before, INITIALIZED.load(Relaxed));
    let (mut one, mut other) = (Context::new(&program), Context::new(&program));
    assert_eq!(more(), 2);
    let mut execute = Engines::standard().get("simple").expect("the engine").prepare(&program).expect("it runs");
    execute.run(&mut one, 5, &mut Samples::default()).expect("it runs");
    execute.run(&mut other, 2, &mut Samples::default()).expect("it runs");
    assert_eq!(more(), 0);
    assert_eq!([&one, &other].map(|context| context.exits(&program)[0].1.clone()), [Some(vec![11.0]), Some(vec![8.0])]);
    one.reset(&program);
    assert_eq!(more(), 1);
}

#[test]
fn widths_that_do_not_meet_name_both_blocks() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1", "2"])])
        .block(1, "Var/Static", &[("Value", &["1", "2", "3"])])
        .block(2, "Math/Sum", &[])
        .wire("0.Output", "2.Input 1")
        .wire("1.Output", "2.Input 2");
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
    let problem = found.iter().find(|diagnostic| diagnostic.code == "width").expect("a width");
    assert_eq!(
        problem.message,
        "a signal of width 2 from Constant #0 of “Main” meets one of width 3 from Constant #1 of “Main”"
    );
    assert_eq!(problem.location.block, Some(BlockId(2)));
}

/// The vector enters the loop at the sum and passes through the state.
#[test]
fn widths_go_round_a_loop() {
    let mut run = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[])
        .block(1, "Math/Sum", &[])
        .block(2, "Var/Static", &[("Value", &["1", "2"])])
        .block(3, "exit y", &[])
        .wire("2.Output", "1.Input 1")
        .wire("0.Output", "1.Input 2")
        .wire("1.Output", "0.Input")
        .wire("1.Output", "3.Input")
        .run();
    assert_eq!(run.steps(3).exit("y"), [3.0, 6.0]);
}

#[test]
fn a_width_that_grows_without_end_is_refused() {
    let sketch = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[])
        .block(1, "Routing/Mux", &[])
        .block(2, "Var/Static", &[])
        .wire("0.Output", "1.Input 1")
        .wire("2.Output", "1.Input 2")
        .wire("1.Output", "0.Input");
    let found = compile(&sketch.simulation, &Registry::standard()).expect_err("it is refused");
    assert!(found.iter().any(|diagnostic| diagnostic.code == "width"), "{found:#?}");
}

/// Three copies of its own output joined: the width triples in each round, without limit.
#[test]
fn a_width_that_grows_in_leaps_is_refused() {
    let found = Sketch::new(1.0)
        .block(0, "Discrete/Unit Delay", &[])
        .block(1, "Routing/Mux", &[("Inputs", &["3"])])
        .wire("0.Output", "1.Input 1")
        .wire("0.Output", "1.Input 2")
        .wire("0.Output", "1.Input 3")
        .wire("1.Output", "0.Input");
    let found = compile(&found.simulation, &Registry::standard()).expect_err("it is refused");
    assert!(found.iter().any(|diagnostic| diagnostic.code == "width"), "{found:#?}");
}

/// Forty loops whose widths are found one after the other are not a growing width.
#[test]
fn a_sum_of_many_rings_has_a_width() {
    let mut sketch = Sketch::new(1.0);
    for ring in 0..40 {
        let (state, gain) = (100 + 2 * ring, 101 + 2 * ring);
        sketch = sketch
            .block(state, "Math/Integrate", &[])
            .block(gain, "Math/Gain", &[])
            .wire(&format!("{state}.Output"), &format!("{gain}.Input"))
            .wire(&format!("{gain}.Output"), &format!("{state}.Input"));
    }
    sketch = sketch.block(0, "Math/Sum", &[("Signs", &["+".repeat(40).as_str()])]);
    for ring in 0..40 {
        sketch = sketch.wire(&format!("{}.Output", 101 + 2 * ring), &format!("0.Input {}", ring + 1));
    }
    assert_eq!(sketch.run().steps(1).context.executed, 81);
}
