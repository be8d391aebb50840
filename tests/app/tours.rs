//! Tours: each step is seen to be done, whoever does it.

use eframe::egui::{Event, Key};
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, HelpCommand, RunCommand, Tour};
use simulate::app::canvas::Selection;
use simulate::model::{Change, Edit};

use super::{Opened as _, Window, gain_chain, show, window};

fn begin(harness: &mut Window, tour: Tour) {
    harness.state_mut().dispatch(Command::Help(HelpCommand::Tour(tour)));
    harness.run_ok();
}

/// Waits until a card with this text is there.
fn card(harness: &mut Window, text: &str) {
    for _ in 0..2000 {
        harness.step();
        if harness.query_by_label(text).is_some() {
            // The card takes its place in the frame after.
            harness.run_ok();
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let root = harness.state().open().simulation().root_model().expect("the root").clone();
    let blocks: Vec<&str> = root.blocks.values().map(|block| block.title()).collect();
    panic!("there is no card {text}; the blocks are {blocks:?}");
}

#[test]
fn both_tours_can_be_done_by_the_program() {
    let mut harness = window();
    begin(&mut harness, Tour::FirstModel);
    for number in 1..=5 {
        card(&mut harness, &format!("{number} of 6"));
        harness.get_by_label("Do it for me").click();
    }
    card(&mut harness, "6 of 6");
    let file = harness.state().open();
    let root = file.simulation().root_model().expect("the root").clone();
    assert_eq!((root.blocks.len(), root.connections.len(), file.run.runs().len()), (3, 2, 2));
    harness.get_by_label("Tour: the laboratory").click();
    harness.run_ok();
    // The document of the first tour was never saved.
    harness.get_by_label_contains("Don").click();
    for number in 1..=5 {
        card(&mut harness, &format!("{number} of 6"));
        harness.get_by_label("Do it for me").click();
    }
    card(&mut harness, "6 of 6");
    let ensemble = harness.state().open().lab.ensemble.as_ref().expect("the sweep");
    assert_eq!(ensemble.curves.len(), 21);
    // A fan: the curves of different values are not the same.
    let [first, .., last] = &*ensemble.curves else { panic!("there are several") };
    assert!(first.values.iter().zip(&last.values).any(|(one, other)| (one - other).abs() > 0.01));
    assert!(matches!(harness.state().open().lab.analysis, Some(Ok(_))), "the Bode plot");
    harness.get_by_label("Finish").click();
    harness.run_ok();
    assert!(harness.query_by_label("6 of 6").is_none());
}

fn type_block(harness: &mut Window, name: &str) {
    for letter in name.chars() {
        harness.event(Event::Text(letter.to_string()));
        harness.run_ok();
    }
    harness.key_press(Key::Enter);
    harness.run_ok();
}

/// A user may take other ways: wrong blocks, a block at the far right, wires that lead elsewhere. The
/// card says what is missing, and the tour goes on.
#[test]
fn the_first_tour_follows_the_user() {
    let mut harness = window();
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 6");
    // Another block than that which was asked for.
    type_block(&mut harness, "ramp");
    harness.get_by_label_contains("Ramp is another block. Ctrl+Z takes it back; this tour goes on with Step.");
    harness.key_press_modifiers(eframe::egui::Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    type_block(&mut harness, "step");
    card(&mut harness, "2 of 6");
    // Step stands at the far right, and nothing is selected.
    let file = harness.state().open();
    let root = file.simulation().root_model().expect("the root").clone();
    let step = root.blocks.values().next().expect("the step").id;
    let moves = vec![(step, simulate::model::Position { x: 900.0, y: 300.0 })];
    harness.state_mut().apply(&Change::one("Move", Edit::Move { model: root.name.clone(), moves }));
    harness.state_mut().open_mut().canvas.select(Selection::default());
    harness.run_ok();
    type_block(&mut harness, "transfer");
    harness.get_by_label_contains("Transfer Function is there, but not connected");
    harness.get_by_label("Do it for me").click();
    card(&mut harness, "3 of 6");
    type_block(&mut harness, "scope");
    card(&mut harness, "4 of 6");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    card(&mut harness, "5 of 6");
    let root = harness.state().open().simulation().root_model().expect("the root").clone();
    let block = root.blocks.values().find(|block| block.title() == "Transfer Function").expect("the block");
    let values = Some(["1", "2", "1"].map(str::to_owned).to_vec());
    let edit = Edit::SetOption { model: root.name.clone(), id: block.id, name: "Denominator".into(), values };
    harness.state_mut().apply(&Change::one("Set", edit));
    harness.run_ok();
    harness.get_by_label_contains("Denominator is set. Press F5");
    harness.state_mut().dispatch(Command::Run(RunCommand::Restart));
    card(&mut harness, "6 of 6");
}

/// A sweep of a signal that does not change is no fan: the card says so.
#[test]
fn the_second_tour_wants_curves_that_differ() {
    let mut harness = window();
    begin(&mut harness, Tour::Laboratory);
    for number in 1..=4 {
        card(&mut harness, &format!("{number} of 6"));
        harness.get_by_label("Do it for me").click();
    }
    card(&mut harness, "5 of 6");
    let file = harness.state_mut().open_mut();
    let wanted = file.simulation().root_model().expect("the root").blocks.keys().next().copied().expect("the step");
    file.panels.sweep.rows = vec![simulate::app::panels::sweep::Row::range("PID/P.Gain", 50.0, 150.0, 3)];
    file.panels.sweep.signal = Some(simulate::model::SignalKey::new(&[], wanted, "Output"));
    harness.state_mut().act(simulate::app::action::Action::Lab(simulate::app::action::LabAction::Sweep));
    card(&mut harness, "The curves do not differ: this signal does not depend on it. Choose “speed”.");
    harness.get_by_label("Do it for me").click();
    card(&mut harness, "6 of 6");
}

#[test]
fn a_tour_is_left_skipped_and_ends_with_its_document() {
    let mut harness = window();
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 6");
    harness.get_by_label("Skip").click();
    card(&mut harness, "2 of 6");
    harness.get_by_label("Leave the tour").click();
    harness.run_ok();
    assert!(harness.query_by_label("2 of 6").is_none());
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 6");
    show(&mut harness, gain_chain());
    harness.run_ok();
    assert!(harness.query_by_label("1 of 6").is_none(), "it was about another document");
}
