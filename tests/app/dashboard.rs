//! Dashboards: they stand in the document, controls set parameters, instruments show signals, the player shows nothing else.

use egui_kittest::kittest::Queryable as _;
use simulate::app::App;
use simulate::app::command::{Command, Panel};
use simulate::app::dashboard::{Binding, Dashboard, ParamKey, WidgetKind};
use simulate::app::run::RunState;
use simulate::model::{BlockId, SignalKey};

use super::{Window, gain_chain, gain_of, show, until, window};

fn board(app: &App) -> Dashboard {
    app.file.as_ref().map(|file| file.dashboard.clone()).expect("a file")
}

fn gain() -> Binding {
    Binding::Param(ParamKey { path: Vec::new(), block: BlockId(1), name: "Gain".to_owned() })
}

fn result() -> Binding {
    Binding::Signal(SignalKey::new(&[], BlockId(2), "Input"))
}

/// The chain with a switch for its gain, a push button for the same, and instruments for what comes out.
fn with_board() -> Window {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let mut dashboard = Dashboard::default();
    for kind in WidgetKind::ALL {
        let binding = if kind.is_control() { gain() } else { result() };
        dashboard = dashboard.with_new(kind, Some(binding), 900.0);
    }
    for (number, widget) in dashboard.widgets.clone().iter().enumerate() {
        dashboard = dashboard.with(number, |changed| {
            changed.label = format!("My {}", widget.kind.label().to_lowercase());
            (changed.on, changed.off, changed.high) = (5.0, 2.0, 30.0);
            changed.choices = vec![("Fast".to_owned(), 4.0)];
        });
    }
    assert!(harness.state_mut().apply(&dashboard.change("Add")));
    assert_eq!(board(harness.state()), dashboard, "what is written is read again");
    harness.state_mut().layout.show(Panel::Dashboard);
    harness.run_ok();
    harness
}

#[test]
fn an_empty_dashboard_says_what_to_do_and_takes_widgets() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().layout.show(Panel::Dashboard);
    harness.run_ok();
    harness.get_by_label("No dashboard yet");
    harness.get_by_label("Edit layout").click();
    harness.run_ok();
    harness.get_by_label("Add control or instrument").click();
    harness.run_ok();
    harness.get_by_label("Slider").click();
    harness.run_ok();
    assert_eq!(board(harness.state()).widgets.len(), 1);
    harness.get_by_label("Bind to Gain #1 · Gain").click();
    harness.run_ok();
    assert_eq!(board(harness.state()).widgets[0].binding, Some(gain()));
    harness.get_by_label("Remove widget").click();
    harness.run_ok();
    assert!(board(harness.state()).widgets.is_empty());
    harness.state_mut().dispatch(Command::Undo);
    harness.state_mut().dispatch(Command::Undo);
    harness.state_mut().dispatch(Command::Undo);
    assert!(!harness.state().is_unsaved(), "all of it can be taken back");
}

#[test]
fn a_switch_sets_its_parameter_with_one_change() {
    let mut harness = with_board();
    assert_eq!(gain_of(harness.state()), ["2"]);
    harness.get_by_label("My switch").click();
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["5"]);
    harness.state_mut().dispatch(Command::Undo);
    harness.run_ok();
    assert_eq!(gain_of(harness.state()), ["2"]);
}

#[test]
fn instruments_show_what_ran() {
    let mut harness = with_board();
    harness.state_mut().dispatch(Command::Run);
    until(&mut harness, "the end of the run", |app| app.run.state == RunState::Finished);
    harness.run_ok();
    harness.get_by_label("My display 6");
    harness.get_by_label("My gauge 6");
    harness.get_by_label("My bar 6");
    harness.get_by_label("My lamp on");
    harness.get_by_label("My slider 2");
}

#[test]
fn a_control_acts_in_a_run_that_goes_on() {
    let mut harness = with_board();
    harness.state_mut().dispatch(Command::Step);
    until(&mut harness, "the first step", |app| app.run.state == RunState::Paused && app.run.progress.step == 1);
    let Binding::Param(param) = gain() else { panic!("a parameter") };
    harness.state_mut().act(simulate::app::Action::Turn { param, value: 7.0 });
    harness.state_mut().dispatch(Command::Step);
    until(&mut harness, "the second step", |app| app.run.state == RunState::Paused && app.run.progress.step == 2);
    let signal = SignalKey::new(&[], BlockId(2), "Input");
    assert_eq!(harness.state().run.recording().columns(&signal)[0].values(), [6.0, 21.0]);
    assert_eq!(gain_of(harness.state()), ["2"], "while it is turned the document stays as it is");
}

#[test]
fn the_player_shows_the_dashboard_alone() {
    let mut harness = with_board();
    harness.state_mut().is_player = true;
    harness.run_ok();
    harness.get_by_label("My knob 2");
    assert!(harness.query_by_label("Edit layout").is_none() && harness.query_by_label("Inspector").is_none());
    harness.get_by_label("Run").click();
    until(&mut harness, "the end of the run", |app| app.run.state == RunState::Finished);
    harness.run_ok();
    harness.get_by_label("My display 6");
}
