//! Measurements and spectra of curves in the plots.

use std::time::Duration;

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand};
use simulate::app::doc::plots::{Averaging, CrossQuantity, Overlap, PlotKind};
use simulate::measure::{Detrend, Scaling};
use simulate::model::{Block, BlockId, BlockKind, Connection, SignalKey, Simulation};

use super::plots::{list, ran, sine};
use super::{Opened as _, Window, settle, until};

/// The sine, and the same through a gain of −0.5 into an exit of its own.
fn two_waves() -> Simulation {
    let mut simulation = sine();
    let model = simulation.model_mut("Main").expect("the model");
    let option = ("Gain", ["-0.5"]);
    model.add_block(Block::new(BlockId(20), BlockKind::library("Math", "Gain")).with_option(option.0, &option.1));
    model.add_block(Block::new(BlockId(21), BlockKind::exit("Half")).at(200.0, 300.0));
    model.connect(Connection::new(BlockId(7), "Output", BlockId(20), "Input"));
    model.connect(Connection::new(BlockId(20), "Output", BlockId(21), "Input"));
    simulation
}

fn wait(harness: &mut Window) {
    harness.run_ok();
    harness.state_mut().open_mut().panels.plots.wait(Duration::from_secs(20));
    harness.run_ok();
}

/// Chooses an entry of a submenu of the first plot.
fn choose(harness: &mut Window, menu: &str, entry: &str) {
    harness.get_by_label("Options of Plot 1").click();
    harness.run_ok();
    harness.get_by_label_contains(menu).click();
    harness.run_ok();
    harness.get_by_label(entry).click();
    wait(harness);
}

/// The first plot as a picture.
fn picture(harness: &mut Window) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plot.svg");
    harness.state_mut().export_plot(0, path.clone());
    settle(harness);
    std::fs::read_to_string(&path).expect("the picture")
}

#[test]
fn measurements_are_those_of_the_curve() {
    let mut harness = ran(sine());
    harness.get_by_label("Measurements").click();
    wait(&mut harness);
    // Least, greatest, span, mean and RMS of 3·sin; the last sample is not the begin of an eleventh period.
    harness.get_by_label_contains("Wave -3 3 6");
    harness.get_by_label("Period").click();
    harness.run_ok();
    harness.get_by_label_contains("Wave 0.2 s 5 Hz 50 %");
}

/// The fit needs no whole periods; a curve that is no sine has none of it.
#[test]
fn the_distortion_of_a_sine_is_measured() {
    let mut simulation = sine();
    simulation.steps = 1930;
    let model = simulation.model_mut("Main").expect("the model");
    // A third harmonic of 2 %.
    let third = Block::new(BlockId(20), BlockKind::library("Var", "Sine"))
        .with_option("Amplitude", &["0.06"])
        .with_option("Frequency", &["94.24777960769379"]);
    model.add_block(third);
    model.add_block(Block::new(BlockId(21), BlockKind::library("Math", "Sum")));
    model.add_block(Block::new(BlockId(22), BlockKind::exit("Both")).at(200.0, 300.0));
    model.connect(Connection::new(BlockId(7), "Output", BlockId(21), "Input 1"));
    model.connect(Connection::new(BlockId(20), "Output", BlockId(21), "Input 2"));
    model.connect(Connection::new(BlockId(21), "Output", BlockId(22), "Input"));
    let mut harness = ran(simulation);
    harness.get_by_label("Measurements").click();
    harness.run_ok();
    harness.get_by_label("Distortion").click();
    wait(&mut harness);
    // 20·log10(1/0.02) = 33.98, and (33.98 − 1.76) / 6.02 = 5.35.
    harness.get_by_label_contains("Both 5 Hz 3 2 % 33.98 dB");
    harness.get_by_label_contains("33.98 dB 5.35 bit");
    harness.get_by_label_contains("Result – – – – – – –");
}

#[test]
fn a_spectrum_is_averaged_over_segments() {
    let mut harness = ran(sine());
    choose(&mut harness, "Show as", "Spectrum");
    choose(&mut harness, "Scaling", "Power density");
    choose(&mut harness, "Averaging", "512 samples");
    choose(&mut harness, "Averaging", "Overlap 75 %");
    choose(&mut harness, "Averaging", "Subtract the mean");
    let spec = list(harness.state()).plots[0].clone();
    assert_eq!((spec.scaling, spec.averaging), (Scaling::Density, Averaging::Length(512)));
    assert_eq!((spec.overlap, spec.detrend), (Overlap::ThreeQuarters, Detrend::Mean));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    until(&mut harness, "the change to be taken back", |app| list(app).plots[0].detrend == Detrend::None);
}

#[test]
fn two_curves_are_compared_over_frequency() {
    let mut harness = ran(two_waves());
    let app = harness.state_mut();
    let change = {
        let file = app.open();
        let signals = [SignalKey::new(&[], BlockId(8), "Input"), SignalKey::new(&[], BlockId(21), "Input")];
        let plots = file.derived.plots();
        let change = plots.with_spec(0, |spec| {
            spec.traces.clear();
            signals.iter().for_each(|signal| spec.add(signal));
        });
        change.change("Show two waves", file.simulation())
    };
    assert!(app.apply(&change));
    harness.run_ok();
    choose(&mut harness, "Show as", "Cross spectrum");
    assert_eq!(list(harness.state()).plots[0].kind, PlotKind::Cross);
    let shown = picture(&mut harness);
    for text in ["Magnitude of H", "8 segments"] {
        assert!(shown.contains(&format!(">{text}</text>")), "{text}");
    }
    choose(&mut harness, "Averaging", "1024 samples");
    choose(&mut harness, "Quantity", "Coherence");
    let spec = list(harness.state()).plots[0].clone();
    assert_eq!((spec.quantity, spec.averaging), (CrossQuantity::Coherence, Averaging::Length(1024)));
    // 2001 samples hold two segments of 1024 with half overlap, no third.
    let shown = picture(&mut harness);
    assert!(shown.contains(">Coherence</text>"));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(list(harness.state()).plots[0].quantity, CrossQuantity::Gain);
}
