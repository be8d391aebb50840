//! Tours: each step is seen to be done, whoever does it.

use eframe::egui::{Event, Key};
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, HelpCommand, RunCommand, Tour};
use simulate::app::action::diagram_command::DiagramCommand;
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
    for number in 1..=6 {
        card(&mut harness, &format!("{number} of 7"));
        harness.get_by_label("Do it for me").click();
    }
    card(&mut harness, "7 of 7");
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
    harness.get_by_label("Finish").click();
    harness.run_ok();
    assert!(harness.query_by_label("6 of 6").is_none());
}

/// What a user does by other ways counts as well.
#[test]
fn the_first_tour_follows_the_user() {
    let mut harness = window();
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 7");
    for (number, name) in [(1, "step"), (2, "transfer"), (3, "scope")] {
        card(&mut harness, &format!("{number} of 7"));
        harness.state_mut().dispatch(Command::Diagram(DiagramCommand::Focus));
        harness.run_ok();
        harness.event(Event::Text(name.to_owned()));
        harness.run_ok();
        harness.key_press(Key::Enter);
        harness.run_ok();
        harness.key_press(Key::Escape);
        harness.run_ok();
    }
    let file = harness.state_mut().open_mut();
    let blocks = file.simulation().root_model().expect("the root").blocks.keys().copied().collect();
    file.canvas.select(Selection { blocks, ..Selection::default() });
    harness.state_mut().dispatch(Command::Diagram(DiagramCommand::Connect));
    card(&mut harness, "5 of 7");
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    card(&mut harness, "6 of 7");
    let root = harness.state().open().simulation().root_model().expect("the root").clone();
    let block = root.blocks.values().find(|block| block.title() == "Transfer Function").expect("the block");
    let values = Some(["1", "2", "1"].map(str::to_owned).to_vec());
    let edit = Edit::SetOption { model: root.name.clone(), id: block.id, name: "Denominator".into(), values };
    harness.state_mut().apply(&Change::one("Set", edit));
    harness.state_mut().dispatch(Command::Run(RunCommand::Restart));
    card(&mut harness, "7 of 7");
}

#[test]
fn a_tour_is_left_skipped_and_ends_with_its_document() {
    let mut harness = window();
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 7");
    harness.get_by_label("Skip").click();
    card(&mut harness, "2 of 7");
    harness.get_by_label("Leave the tour").click();
    harness.run_ok();
    assert!(harness.query_by_label("2 of 7").is_none());
    begin(&mut harness, Tour::FirstModel);
    card(&mut harness, "1 of 7");
    show(&mut harness, gain_chain());
    harness.run_ok();
    assert!(harness.query_by_label("1 of 7").is_none(), "it was about another document");
}
