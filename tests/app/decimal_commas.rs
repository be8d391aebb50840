//! A decimal comma is understood where it is certain, and asked about where it is not, in every field of numbers.

use eframe::egui::Key;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use simulate::app::action::command::{Command, EditCommand, Panel, RunCommand, ViewCommand};
use simulate::app::panels::sweep::{Row, RowValues};
use simulate::app::store::run::RunState;

use super::panels::type_into;
use super::{Opened as _, Window, gain_chain, plots, show, until, window};

fn fill_in(harness: &mut Window, label: &str, text: &str) {
    type_into(harness, label, text);
    harness.key_press(Key::Enter);
    harness.run_ok();
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// A window with a chain that runs for a number of steps of 0.1 s.
fn chain(steps: u64) -> Window {
    let mut harness = window();
    let mut simulation = gain_chain();
    (simulation.steps, simulation.delta) = (steps, 0.1);
    show(&mut harness, simulation);
    harness.run_ok();
    harness
}

#[test]
fn the_stop_time_understands_a_comma_and_asks() {
    let mut harness = chain(50);
    let steps = |harness: &Window| harness.state().open().simulation().steps;
    for (text, expected) in [("2,5", 25), ("0,5 s", 5), ("1.234,5", 12_345), ("500ms", 5), ("10", 100), ("never", 0)] {
        fill_in(&mut harness, "Stop at", text);
        assert_eq!(steps(&harness), expected, "{text}");
    }
    fill_in(&mut harness, "Stop at", "1,500");
    assert_eq!(steps(&harness), 0, "nothing is guessed");
    let field = harness.get_by_role_and_label(Role::TextInput, "Stop at");
    assert_eq!(field.accesskit_node().value().as_deref(), Some("1,500"), "nothing is lost");
    field.focus();
    harness.run_ok();
    harness.get_by_label("“1,500” can be 1.500, or 1500: write one of them");
    click(&mut harness, "Use 1.500");
    assert_eq!(steps(&harness), 15);
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    assert_eq!(steps(&harness), 0);
}

#[test]
fn the_time_bar_understands_a_comma() {
    let mut harness = chain(2000);
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    let cases = [
        ("Time shown", "1,5", 15),
        ("Time shown", "2,5 s", 25),
        ("Step shown", "1,234", 1234),
        ("Step shown", "12", 12),
    ];
    for (label, text, expected) in cases {
        fill_in(&mut harness, label, text);
        assert_eq!(harness.state().open().run.chosen_step(), Some(expected), "{text}");
    }
    type_into(&mut harness, "Time shown", "1,000");
    harness.get_by_label("“1,000” can be 1.000, or 1000: write one of them");
    click(&mut harness, "Use 1.000");
    assert_eq!(harness.state().open().run.chosen_step(), Some(10));
}

#[test]
fn the_limits_of_a_plot_understand_a_comma_and_ask() {
    let mut harness = plots::ran(plots::sine());
    click(&mut harness, "Options of Plot 1");
    click(&mut harness, "Title and axes…");
    fill_in(&mut harness, "Limits of Y axis", "-1,5 to 2,5");
    let range = |harness: &Window| plots::list(harness.state()).plots[0].left_range;
    assert_eq!(range(&harness), Some((-1.5, 2.5)));
    fill_in(&mut harness, "Limits of Y axis", "-0,5 4k");
    assert_eq!(range(&harness), Some((-0.5, 4000.0)));
    type_into(&mut harness, "Limits of Y axis", "0 to 1,234");
    harness.get_by_label("“1,234” can be 1.234, or 1234: write one of them");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(range(&harness), Some((-0.5, 4000.0)), "nothing is guessed");
}

#[test]
fn a_sweep_understands_a_comma_and_asks() {
    let mut harness = chain(50);
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    harness.state_mut().open_mut().panels.sweep.rows.push(Row::range("#1.Gain", 1.0, 3.0, 21));
    harness.run_ok();
    type_into(&mut harness, "From 1", "0,5");
    type_into(&mut harness, "Count 1", "1,001");
    let text =
        |harness: &Window| harness.state().open().panels.sweep.rows[0].text(simulate::sampling::SampleDesign::Random);
    assert_eq!(text(&harness), "0.5:3:1001");
    type_into(&mut harness, "To 1", "1,500");
    let question = "“1,500” can be 1.500, or 1500: write one of them";
    harness.get_by_label(question);
    let refusal = harness.state().open().panels.sweep.runs().expect_err("it is not guessed");
    assert_eq!(refusal.to_string(), question);
    click(&mut harness, "Use 1.500");
    assert_eq!(text(&harness), "0.5:1.500:1001");
    assert!(harness.state().open().panels.sweep.runs().is_ok());
    // A list has its own commas.
    harness.state_mut().open_mut().panels.sweep.rows[0].values = RowValues::List;
    harness.run_ok();
    for (typed, expected) in [("1,5 2,5", "1.5,2.5"), ("1, 2, 5", "1, 2, 5"), ("0,5; 1; 4k", "0,5; 1; 4k")] {
        type_into(&mut harness, "List 1", typed);
        if typed.contains(';') {
            assert!(harness.state().open().panels.sweep.runs().is_err(), "{typed}");
        } else {
            assert_eq!(text(&harness), expected, "{typed}");
        }
    }
    type_into(&mut harness, "List 1", "1,5");
    harness.get_by_label("“1,5” can be 1.5, or the values 1 and 5: write one of them");
    assert!(harness.state().open().panels.sweep.runs().is_err());
}
