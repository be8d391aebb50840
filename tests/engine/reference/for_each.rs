//! For-each models: the number of iterations follows from the widths, however they are nested and connected.

use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::model::Diagnostic;

use super::{ENGINES, check};
use crate::sketch::{Run, Sketch};

/// `model` computes `outputs` of each element of `u`, joined.
fn each(sketch: Sketch, model: &str) -> Sketch {
    sketch.block_in(model, 0, "entry u", &[]).mark(model, 0, &[("role", "each")]).block_in(model, 9, "exit y", &[])
}

fn errors(sketch: &Sketch) -> Vec<Diagnostic> {
    diagnose(&sketch.simulation, &Registry::standard()).into_iter().filter(Diagnostic::is_error).collect()
}

/// y = x + 40 through 40 for-each models in series.
#[test]
fn many_in_series() {
    let mut sketch = each(Sketch::new(1.0), "Next")
        .block_in("Next", 1, "Math/Bias", &[("Bias", &["1"])])
        .wires("Next", &[("0.Output", "1.Input"), ("1.Output", "9.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "20", "300"])])
        .block(99, "exit y", &[]);
    let mut before = "0.Output".to_owned();
    for id in 1..=40 {
        sketch = sketch.block(id, "model Next", &[]).wire(&before, &format!("{id}.u"));
        before = format!("{id}.y");
    }
    check(&sketch.wire(&before, "99.Input"), &[("y", &[41.0, 60.0, 340.0, 41.0, 60.0, 340.0])]);
}

/// Of each element u the model around makes (u, 10 u, 100 u), and the one inside doubles each of these.
#[test]
fn one_in_another() {
    let sketch = each(each(Sketch::new(1.0), "Double"), "Outer")
        .block_in("Double", 1, "Math/Gain", &[("Gain", &["2"])])
        .wires("Double", &[("0.Output", "1.Input"), ("1.Output", "9.Input")])
        .block_in("Outer", 1, "Math/Gain", &[("Gain", &["1", "10", "100"])])
        .block_in("Outer", 2, "model Double", &[])
        .wires("Outer", &[("0.Output", "1.Input"), ("1.Output", "2.u"), ("2.y", "9.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "3"])])
        .block(1, "model Outer", &[])
        .block(2, "exit y", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.Input")]);
    check(&sketch, &[("y", &[2.0, 20.0, 200.0, 6.0, 60.0, 600.0])]);
}

/// The first makes (u, −u) of each element; the second counts the elements.
#[test]
fn what_one_joins_another_splits() {
    let sketch = each(each(Sketch::new(1.0), "Pair"), "Number")
        .block_in("Pair", 1, "Math/Gain", &[("Gain", &["1", "-1"])])
        .wires("Pair", &[("0.Output", "1.Input"), ("1.Output", "9.Input")])
        .block_in("Number", 1, "entry i", &[])
        .mark("Number", 1, &[("role", "index")])
        .block_in("Number", 2, "Math/Sum", &[])
        .wires("Number", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "9.Input")])
        .block(0, "Var/Static", &[("Value", &["10", "20", "30"])])
        .block(1, "model Pair", &[])
        .block(2, "model Number", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "2.u"), ("2.y", "3.Input")]);
    check(&sketch, &[("y", &[10.0, -9.0, 22.0, -17.0, 34.0, -25.0])]);
}

/// y[n] = u + y[n−1] round the model, which splits its own joined output of the step before.
#[test]
fn its_own_output_comes_back() {
    let sketch = each(Sketch::new(1.0), "Add")
        .block_in("Add", 1, "entry before", &[])
        .mark("Add", 1, &[("role", "each")])
        .block_in("Add", 2, "Math/Sum", &[])
        .wires("Add", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "9.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "10"])])
        .block(1, "Discrete/Unit Delay", &[])
        .block(2, "model Add", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "2.u"), ("1.Output", "2.before"), ("2.y", "1.Input"), ("2.y", "3.Input")]);
    check(&sketch, &[("y", &[1.0, 10.0, 2.0, 20.0, 3.0, 30.0])]);
}

/// Twice as many elements each time round have no number.
#[test]
fn a_result_that_grows_round_a_loop_is_refused() {
    let sketch = each(Sketch::new(1.0), "Pair")
        .block_in("Pair", 1, "Math/Gain", &[("Gain", &["1", "-1"])])
        .wires("Pair", &[("0.Output", "1.Input"), ("1.Output", "9.Input")])
        .block(0, "Discrete/Unit Delay", &[])
        .block(1, "model Pair", &[])
        .wires("Main", &[("0.Output", "1.u"), ("1.y", "0.Input")]);
    let found = errors(&sketch);
    assert!(found.iter().any(|error| error.message.contains("grows without end")), "{found:#?}");
}

#[test]
fn vectors_of_two_widths_are_refused() {
    let sketch = each(Sketch::new(1.0), "Add")
        .block_in("Add", 1, "entry v", &[])
        .mark("Add", 1, &[("role", "each")])
        .block_in("Add", 2, "Math/Sum", &[])
        .wires("Add", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "9.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "10"])])
        .block(1, "Var/Static", &[("Value", &["1", "10", "100"])])
        .block(2, "model Add", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "2.u"), ("1.Output", "2.v"), ("2.y", "3.Input")]);
    let found = errors(&sketch);
    let message = "the model runs for each element, but the vectors have 2 and 3 elements";
    assert_eq!(found.iter().map(|error| &*error.message).collect::<Vec<_>>(), [message]);
    assert_eq!(found[0].location.to_string(), "Main #2");
}

/// Before the model has run, each iteration has the initial value of the exit; then the values are held.
#[test]
fn iterations_of_an_enabled_model_hold_together() {
    let sketch = each(Sketch::new(1.0), "Pair")
        .block_in("Pair", 1, "entry on", &[])
        .mark("Pair", 1, &[("role", "enable")])
        .block_in("Pair", 2, "Math/Gain", &[("Gain", &["1", "-1"])])
        .block_in("Pair", 8, "exit held", &[("Initial Value", &["7", "8"])])
        .wires("Pair", &[("0.Output", "2.Input"), ("2.Output", "9.Input"), ("2.Output", "8.Input")])
        .block(0, "Var/Static", &[("Value", &["3", "5"])])
        .source(1, &[0.0, 1.0, 0.0])
        .block(2, "model Pair", &[])
        .block(3, "exit y", &[])
        .block(4, "exit held", &[])
        .wires("Main", &[("0.Output", "2.u"), ("1.Output", "2.on"), ("2.y", "3.Input"), ("2.held", "4.Input")]);
    let run = [3.0, -3.0, 5.0, -5.0];
    let held = [&[7.0, 8.0, 7.0, 8.0][..], &run, &run].concat();
    check(&sketch, &[("y", &[&[0.0; 4][..], &run, &run].concat()), ("held", &held)]);
}

/// Each iteration has a delay of its own; the scalar goes to all.
#[test]
fn each_iteration_of_for_each_has_states_of_its_own() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry u", &[])
        .mark("Child", 0, &[("role", "each")])
        .block_in("Child", 1, "entry k", &[])
        .block_in("Child", 2, "Discrete/Unit Delay", &[])
        .block_in("Child", 3, "Math/Sum", &[("Signs", &["+++"])])
        .block_in("Child", 4, "Math/Multiply", &[])
        .block_in("Child", 5, "exit y", &[])
        .block_in("Child", 6, "entry i", &[])
        .mark("Child", 6, &[("role", "index")])
        .wires("Child", &[("0.Output", "3.Input 1"), ("2.Output", "3.Input 2"), ("6.Output", "3.Input 3")])
        .wires("Child", &[("3.Output", "2.Input"), ("3.Output", "4.Multiplicand 1"), ("1.Output", "4.Multiplicand 2")])
        .wires("Child", &[("4.Product", "5.Input")])
        .block(1, "Var/Static", &[("Value", &["1", "10", "100"])])
        .source(2, &[1.0, 2.0, 1.0])
        .block(3, "model Child", &[])
        .block(4, "exit y", &[])
        .wires("Main", &[("1.Output", "3.u"), ("2.Output", "3.k"), ("3.y", "4.Input")]);
    let want = [1.0, 11.0, 102.0, 4.0, 44.0, 408.0, 3.0, 33.0, 306.0];
    check(&sketch, &[("y", &want)]);
}

/// Until it runs, the exit of an enabled for-each model has its initial value for each element.
#[test]
fn an_idle_for_each_model_has_its_initial_values() {
    for (idle, off) in [("hold", [2.0, 20.0]), ("reset", [-7.0, -7.0])] {
        let sketch = Sketch::new(1.0)
            .block_in("Child", 0, "entry on", &[])
            .mark("Child", 0, &[("role", "enable")])
            .block_in("Child", 1, "entry u", &[])
            .mark("Child", 1, &[("role", "each")])
            .block_in("Child", 2, "Math/Gain", &[("Gain", &["2"])])
            .block_in("Child", 3, "exit y", &[("Initial Value", &["-7"])])
            .mark("Child", 3, &[("idle", idle)])
            .wires("Child", &[("1.Output", "2.Input"), ("2.Output", "3.Input")])
            .source(1, &[0.0, 1.0, 0.0, 1.0])
            .block(2, "Var/Static", &[("Value", &["1", "10"])])
            .block(3, "model Child", &[])
            .block(4, "exit y", &[])
            .wires("Main", &[("1.Output", "3.on"), ("2.Output", "3.u"), ("3.y", "4.Input")]);
        check(&sketch, &[("y", &[-7.0, -7.0, 2.0, 20.0, off[0], off[1], 2.0, 20.0])]);
    }
}

/// A vector is split into its elements, a single value goes to each of them.
#[test]
fn a_single_value_goes_to_each_element() {
    let sketch = Sketch::new(1.0)
        .block_in("Child", 0, "entry a", &[])
        .mark("Child", 0, &[("role", "each")])
        .block_in("Child", 1, "entry b", &[])
        .mark("Child", 1, &[("role", "each")])
        .block_in("Child", 2, "Math/Sum", &[("Signs", &["++"])])
        .block_in("Child", 3, "exit y", &[])
        .wires("Child", &[("0.Output", "2.Input 1"), ("1.Output", "2.Input 2"), ("2.Output", "3.Input")])
        .block(0, "Var/Static", &[("Value", &["1", "2"])])
        .block(1, "Var/Static", &[("Value", &["10"])])
        .block(2, "model Child", &[])
        .block(3, "exit y", &[])
        .wires("Main", &[("0.Output", "2.a"), ("1.Output", "2.b"), ("2.y", "3.Input")]);
    for engine in ENGINES {
        assert_eq!(Run::new(&sketch.simulation, engine).steps(1).exit("y"), [11.0, 12.0], "{engine}");
    }
}
