//! Blocks in situations that their examples do not show, against closed forms.

use simulate::block::Registry;
use simulate::engine::diagnose;
use simulate::model::BlockId;

use super::{Run, Sketch, is_close};

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// Runs a block by Euler's rule, each input fed with one value a step, and compares one of its outputs.
#[track_caller]
fn check(block: &str, options: Options, delta: f64, inputs: &[(&str, &[f64])], output: &str, want: &[f64]) {
    let mut sketch = Sketch::new(delta)
        .solver("euler")
        .block(0, block, options)
        .block(1, "exit y", &[])
        .wire(&format!("0.{output}"), "1.Input");
    for (number, (name, _)) in inputs.iter().enumerate() {
        let id = 100 + number as u64;
        sketch = sketch.block(id, "Var/Static", &[]).wire(&format!("{id}.Output"), &format!("0.{name}"));
    }
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        for (step, want) in want.iter().enumerate() {
            for (number, (_, values)) in inputs.iter().enumerate() {
                let id = BlockId(100 + number as i128);
                run.context.set_param(&run.program, &[], id, "Value", &[values[step]]).expect("a value is fed");
            }
            let got = run.steps(1).exit("y")[0];
            assert!(is_close(got, *want), "{block} on {engine}, step {step}: {got}, not {want}");
        }
    }
}

/// With a constant error the filter x' = 2·(1 − x) starts at 0 again: the output 2·(1 − x) halves in each step.
#[test]
fn a_reset_controller_starts_its_filter_again() {
    check(
        "Continuous/PID Controller",
        &[("P", &["0"]), ("I", &["0"]), ("D", &["1"]), ("Filter Coefficient", &["2"]), ("Reset", &["rising"])],
        0.25,
        &[("Error", &[1.0; 6]), ("Reset", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])],
        "Output",
        &[2.0, 1.0, 0.5, 2.0, 1.0, 0.5],
    );
}

#[test]
fn an_element_that_does_not_exist_is_refused() {
    for (indices, first, is_right) in [
        ("1", "1", true),
        ("1", "0", false),
        ("2", "1", false),
        ("0", "1", false),
        ("0", "0", true),
        ("0.5", "0", false),
    ] {
        let options: Options = &[("Indices", &[indices]), ("First Index", &[first])];
        let sketch = Sketch::new(1.0)
            .block(0, "Var/Static", &[])
            .block(1, "Routing/Selector", options)
            .wire("0.Output", "1.Input");
        let found = diagnose(&sketch.simulation, &Registry::standard());
        let said = found.iter().any(|problem| problem.message.contains(&format!("there is no element {indices};")));
        assert_eq!(said, !is_right, "{indices} from {first}: {found:?}");
    }
}
