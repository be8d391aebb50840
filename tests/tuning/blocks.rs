//! PID blocks of simulations.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::block::math::{Complex, ComplexMath};
use simulate::model::{BlockAddress, BlockId, Simulation};
use simulate::tuning::{BlockError, Kind, PidBlock, Plant, Rule, Target, tune};

use crate::sketch::{Run, Sketch};

/// Block 1 is the controller, block 2 the plant `2/(3·s + 1)`, block 3 the error.
fn looped(controller: &str, options: &[(&str, &[&str])], delta: f64) -> Sketch {
    Sketch::new(delta)
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, controller, options)
        .block(2, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["3", "1"])])
        .block(3, "Math/Sum", &[("Signs", &["+-"])])
        .block(4, "exit y", &[])
        .wires(
            "Main",
            &[
                ("0.Output", "3.Input 1"),
                ("2.Output", "3.Input 2"),
                ("3.Output", "1.Error"),
                ("1.Output", "2.Input"),
                ("2.Output", "4.Input"),
            ],
        )
}

fn address(id: u64) -> BlockAddress {
    BlockAddress::new(&[], BlockId(id.into()))
}

fn block(of: &Simulation, id: u64) -> Result<PidBlock, BlockError> {
    PidBlock::of(of, &Registry::standard(), &address(id))
}

fn plant(sketch: &Sketch) -> Plant {
    let Run { program, context, .. } = sketch.run();
    block(&sketch.simulation, 1).expect("a PID block").plant(&program, &context).expect("a plant")
}

#[track_caller]
fn is_the_lag(plant: &Plant) {
    for frequency in [0.1, 1.0] {
        let want = Complex::from(2.0).divided_by(Complex::new(1.0, 3.0 * frequency));
        let got = plant.at(frequency).expect("a response");
        assert!((got - want).abs() < 1e-9, "{got}, not {want}");
    }
}

#[test]
fn the_plant_is_seen_from_output_to_error() {
    is_the_lag(&plant(&looped("Continuous/PID Controller", &[], 0.01)));
    // Also where the controller's integral runs and the operating point moves.
    let sketch = looped("Continuous/PID Controller", &[("D", &["0.1"])], 0.01);
    let mut run = sketch.run();
    run.steps(20);
    is_the_lag(&block(&sketch.simulation, 1).expect("a block").plant(&run.program, &run.context).expect("a plant"));
}

#[test]
fn a_controller_of_two_degrees_of_freedom_sees_the_measurement() {
    let sketch = Sketch::new(0.01)
        .block(0, "Var/Static", &[("Value", &["1"])])
        .block(1, "Continuous/PID Controller 2DOF", &[("Weight b", &["0.5"])])
        .block(2, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["3", "1"])])
        .wires("Main", &[("0.Output", "1.Set Point"), ("2.Output", "1.Measurement"), ("1.Output", "2.Input")]);
    let plant = plant(&sketch);
    is_the_lag(&plant);
    assert_eq!(plant.pid.weights, [0.5, 0.0]);
}

/// `2·(1 − e^(−T/3))/(z − e^(−T/3))`.
#[test]
fn a_discrete_controller_sees_the_plant_at_its_samples() {
    for (options, delta) in
        [(vec![("Sample Time", ["0.2"])], 0.01), (vec![("Sample Time", ["0.2"])], 0.2), (vec![], 0.2)]
    {
        let options: Vec<(&str, &[&str])> = options.iter().map(|(name, value)| (*name, &value[..])).collect();
        let plant = plant(&looped("Discrete/Discrete PID Controller", &options, delta));
        assert_eq!(plant.channel.period, Some(0.2));
        let decay = (-0.2_f64 / 3.0).exp();
        let z = Complex::on_unit_circle(0.2);
        let want = Complex::from(2.0 * (1.0 - decay)).divided_by(z - decay);
        assert!((plant.at(1.0).expect("a response") - want).abs() < 1e-9);
    }
}

#[test]
fn a_dead_time_is_exact() {
    let sketch = Sketch::new(0.01)
        .block(1, "Continuous/PID Controller", &[])
        .block(2, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["3", "1"])])
        .block(3, "Math/Gain", &[("Gain", &["-1"])])
        .block(4, "Continuous/Transport Delay", &[("Delay", &["0.5"])])
        .wires(
            "Main",
            &[("1.Output", "4.Input"), ("4.Output", "2.Input"), ("2.Output", "3.Input"), ("3.Output", "1.Error")],
        );
    let plant = plant(&sketch);
    let want = Complex::from(2.0).divided_by(Complex::new(1.0, 9.0)) * Complex::on_unit_circle(-1.5);
    assert!((plant.at(3.0).expect("a response") - want).abs() < 1e-9);
}

#[test]
fn what_cannot_be_tuned_says_why() {
    let of = looped("Continuous/PID Controller", &[("Gains", &["inputs"])], 0.01);
    assert_eq!(block(&of.simulation, 1), Err(BlockError::WiredGains));
    assert_eq!(block(&of.simulation, 2), Err(BlockError::NoPid));
    assert_eq!(block(&of.simulation, 9), Err(BlockError::NoBlock));
    let of = looped("Continuous/PID Controller", &[("P", &["1", "2"])], 0.01);
    assert_eq!(block(&of.simulation, 1), Err(BlockError::Vector));
    let of = Sketch::new(0.01)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/PID Controller", &[])
        .block(2, "exit u", &[])
        .wires("Main", &[("0.Output", "1.Error"), ("1.Output", "2.Input")]);
    let Run { program, context, .. } = of.run();
    let found = block(&of.simulation, 1).expect("a block").plant(&program, &context).err();
    assert_eq!(
        found.expect("no loop").to_string(),
        "the output of the controller does not reach its input, so there is no loop to tune"
    );
}

#[test]
fn gains_are_written_in_the_form_of_the_block() {
    let registry = Registry::standard();
    let of = looped("Continuous/PID Controller", &[("Form", &["ideal"]), ("P", &["4"]), ("I", &["0.5"])], 0.01);
    let block = block(&of.simulation, 1).expect("a block");
    assert_eq!((block.parallel().p, block.parallel().i), (4.0, 2.0));
    let own = block.own(simulate::tuning::Gains { p: 2.0, i: 3.0, d: 0.5, n: 100.0 }).expect("a form");
    assert_eq!((own.p, own.i, own.d), (2.0, 1.5, 0.25));
    let changed = block.change(own).applied(&of.simulation, &registry).expect("applied");
    let now = PidBlock::of(&changed, &registry, &address(1)).expect("a block");
    assert_eq!(now.gains, own);
    // What stays the same is not written.
    assert_eq!(block.change(block.gains).edits, []);
}

#[test]
fn gains_that_are_expressions_are_named() {
    let of = looped("Continuous/PID Controller", &[("P", &["2*3"]), ("I", &["0.5"])], 0.01);
    let block = block(&of.simulation, 1).expect("a block");
    assert_eq!(block.expressions, [("P", "2*3".to_owned())]);
    assert_eq!(block.gains.p, 6.0);
}

/// A run of the simulation with the tuned gains is the response that was drawn.
#[test]
fn the_simulation_runs_as_it_was_predicted() {
    for (controller, options, delta) in [
        ("Continuous/PID Controller", vec![], 0.005),
        ("Discrete/Discrete PID Controller", vec![("Integral Method", ["trapezoidal"])], 0.2),
    ] {
        let options: Vec<(&str, &[&str])> = options.iter().map(|(name, value)| (*name, &value[..])).collect();
        let sketch = looped(controller, &options, delta);
        let seen = plant(&sketch);
        let kind = Kind::Pi;
        let tuned = tune(&seen, &Target { kind, rule: Rule::Shape, ..Target::default() }, None).expect("tuned");
        let pid = block(&sketch.simulation, 1).expect("a block");
        let own = pid.own(tuned.gains).expect("a form");
        let changed = pid.change(own).applied(&sketch.simulation, &Registry::standard()).expect("applied");
        let mut run = Run::new(&Arc::new(changed), "simple");
        let count = (4.0 / delta) as usize;
        let trace = run.trace("y", count);
        let step = tuned.responses.step;
        for time in [0.4, 1.0, 2.0, 3.6] {
            let position = time / step;
            let (low, part) = (position.floor() as usize, position.fract());
            let at = |index: usize| tuned.responses.output[index];
            let predicted = at(low) + part * (at(low + 1) - at(low));
            let got = trace[(time / delta).round() as usize];
            assert!((got - predicted).abs() < 2e-3, "{controller} at {time}: {got}, predicted {predicted}");
        }
    }
}
