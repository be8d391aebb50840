//! Calibration as a window drives it: progress, cancellation, curves, and the result as one change.

mod thermal;

use std::num::NonZeroUsize;
use std::sync::Arc;

use simulate::Components;
use simulate::calibration::{
    Calibration, CalibrationError, CalibrationParam, Experiment, FitOptions, Gradients, MeasuredCurve, MeasuredRow,
    change_of,
};
use simulate::engine::{Cancel, Engines, RunSetup};
use simulate::format::LoadOptions;
use simulate::model::{Document, SignalKey, Simulation};
use simulate::optimize::End;

/// The motor of the examples, whose speed is controlled.
fn motor() -> (Simulation, Components) {
    let components = Components::standard();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/dc_motor.simx");
    let loaded = components.formats.open(file.as_ref(), &LoadOptions::default()).expect("an example");
    (loaded.simulation, components)
}

/// Numbers that look random, with mean 0 and variance 1: sums of twelve of a linear congruential generator (Knuth, MMIX).
fn noise(count: usize) -> Vec<f64> {
    let mut state = 42_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

/// Friction and resistance of the motor.
const PARAMS: [&str; 2] = ["Motor/Friction b.Gain", "Motor/Resistance R.Gain=0.1:10:log"];

/// The speed at 150 times while it rises, simulated with these values, with noise.
fn calibration(truth: [f64; 2], deviation: f64) -> Calibration {
    let (simulation, components) = motor();
    let setup = RunSetup::of(&Document::new(simulation, components.registry));
    let engine = components.engines.get(Engines::DEFAULT).expect("an engine");
    let params = PARAMS.map(|text| CalibrationParam::parse(text).expect("a parameter"));
    let simulation = setup.simulation();
    let signal = SignalKey::parse("#3.speed", simulation, setup.registry()).expect("a signal");
    let rows = |values: &[f64]| -> Vec<MeasuredRow> {
        let time = |index: usize| 0.02 * index as f64;
        values
            .iter()
            .enumerate()
            .map(|(index, value)| MeasuredRow { time: time(index), value: *value, weight: 1.0 })
            .collect()
    };
    let with = |values: &[f64]| {
        let curves =
            vec![MeasuredCurve { name: "speed".to_owned(), signal: signal.clone(), element: 0, rows: rows(values) }];
        Experiment { name: "step".to_owned(), setup: setup.clone(), curves }
    };
    let empty = Calibration::new(vec![with(&[0.0; 150])], &params, engine).expect("a calibration");
    let exact = empty.simulated(&truth, &Cancel::new()).expect("not cancelled").remove(0);
    let measured: Vec<f64> = exact.iter().zip(noise(150)).map(|(value, noise)| value + deviation * noise).collect();
    Calibration::new(vec![with(&measured)], &params, engine).expect("a calibration")
}

#[test]
fn a_motor_with_a_known_truth_is_found_within_its_errors() {
    let truth = [0.13, 1.7];
    let exact = calibration(truth, 0.0).fit(&FitOptions::default(), &Cancel::new(), &mut |_| {}).expect("a fit");
    for (param, truth) in exact.params.iter().zip(truth) {
        assert!((param.value / truth - 1.0).abs() < 1e-8, "{param:?}");
    }
    let noisy = calibration(truth, 0.01);
    assert_eq!(noisy.gradients(), Gradients::Sensitivities);
    let mut seen = Vec::new();
    let found =
        noisy.fit(&FitOptions::default(), &Cancel::new(), &mut |progress| seen.push(progress.sum)).expect("a fit");
    assert_eq!(found.end, End::Converged);
    assert!(seen.len() > 2 && seen.windows(2).all(|pair| pair[1] <= pair[0]), "{seen:?}");
    assert!((seen[0] - found.before).abs() < 1e-12 && found.after < found.before);
    for (param, truth) in found.params.iter().zip(truth) {
        let error = param.error.expect("determined");
        assert!((param.value - truth).abs() < 3.0 * error && error < 0.1 * truth, "{param:?}");
    }
    // The noise is what is left.
    assert!((found.curves[0].deviation / 0.01 - 1.0).abs() < 0.2, "{:?}", found.curves);
}

/// A fit that is cancelled has the best values so far, and the curves of any values can be drawn.
#[test]
fn a_cancelled_fit_has_the_best_values_so_far() {
    let calibration = calibration([0.13, 1.7], 0.01);
    let cancel = Cancel::new();
    let mut last = Vec::new();
    let options = FitOptions { workers: NonZeroUsize::MIN, ..FitOptions::default() };
    let found = calibration.fit(&options, &cancel, &mut |progress| {
        if progress.iteration == 1 {
            cancel.cancel();
        }
        last.push((progress.values, progress.sum));
    });
    let found = found.expect("values");
    // What was on its way when it was cancelled may come, too.
    let values: Vec<f64> = found.params.iter().map(|param| param.value).collect();
    assert!(last.iter().any(|(known, sum)| *known == values && *sum == found.after), "{last:?} {found:?}");
    assert!(found.after < found.before);
}

#[test]
fn the_values_are_one_change_of_the_document() {
    let calibration = calibration([0.13, 1.7], 0.0);
    let found = calibration.fit(&FitOptions::default(), &Cancel::new(), &mut |_| {}).expect("a fit");
    let (simulation, components) = motor();
    let registry = Arc::clone(&components.registry);
    let change = change_of(&found.params, &simulation, &registry, false).expect("a change");
    let mut document = Document::new(simulation.clone(), Arc::clone(&registry));
    document.apply(&change).expect("it is applied");
    let texts = |document: &Document, path: &str| {
        let address = simulate::model::BlockAddress::parse_with_rest(path, document.simulation()).expect("a block").0;
        let block = address.find(document.simulation()).expect("a block");
        block.option_texts("Gain").expect("an option").join(",").parse::<f64>().expect("a number")
    };
    assert!((texts(&document, "Motor/Friction b.Gain") / 0.13 - 1.0).abs() < 1e-8);
    assert!((texts(&document, "Motor/Resistance R.Gain") / 1.7 - 1.0).abs() < 1e-8);
    document.undo();
    assert_eq!(**document.simulation(), simulation);
}

#[test]
fn a_calibration_needs_parameters_and_values() {
    let (simulation, components) = motor();
    let setup = RunSetup::of(&Document::new(simulation, components.registry));
    let engine = components.engines.get(Engines::DEFAULT).expect("an engine");
    let experiment = Experiment { name: "none".to_owned(), setup, curves: Vec::new() };
    let param = CalibrationParam::parse(PARAMS[0]).expect("a parameter");
    let made = |params: &[CalibrationParam]| Calibration::new(vec![experiment.clone()], params, engine);
    assert!(matches!(made(&[]), Err(CalibrationError::NoParam)));
    assert!(matches!(made(&[param]), Err(CalibrationError::NoCurve)));
}
