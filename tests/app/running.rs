use egui_kittest::kittest::Queryable as _;
use simulate::app::command::Command;
use simulate::app::run::RunState;
use simulate::model::{BlockId, Change, Edit, SignalKey};

use super::{gain_chain, show, until, window};

#[test]
fn run_records_the_exits_without_being_told_to() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.get_by_label("Run simulation").click();
    until(&mut harness, "the end of the run", |app| app.run.state == RunState::Finished);
    let app = harness.state();
    let columns = app.run.recording().columns(&SignalKey::new(&[], BlockId(2), "Input"));
    assert_eq!(columns.first().map(|column| column.len()), Some(50));
    assert_eq!(columns.first().and_then(|column| column.last()), Some(6.0));
    harness.run_ok();
    harness.get_by_label("Curve Result");
}

#[test]
fn plotting_a_signal_is_remembered_in_the_document() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    harness.state_mut().plot(std::slice::from_ref(&signal));
    harness.run_ok();
    let list = |app: &simulate::app::App| app.file.as_ref().map(|file| file.plot_list.clone()).expect("a file");
    assert!(list(harness.state()).contains(&signal));
    harness.state_mut().dispatch(Command::Undo);
    assert!(!list(harness.state()).contains(&signal));
}

#[test]
fn one_step_at_a_time() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Step);
    until(&mut harness, "the first step", |app| app.run.state == RunState::Paused && app.run.progress.step == 1);
    harness.state_mut().dispatch(Command::Step);
    until(&mut harness, "the second step", |app| app.run.state == RunState::Paused && app.run.progress.step == 2);
    harness.state_mut().dispatch(Command::Stop);
    until(&mut harness, "the stop", |app| app.run.state == RunState::Stopped);
}

#[test]
fn what_cannot_run_says_why() {
    let mut harness = window();
    let simulation = gain_chain();
    show(&mut harness, simulation);
    let edit = Edit::SetOption {
        model: "Main".into(),
        id: BlockId(1),
        name: "Gain".into(),
        values: Some(vec!["much".to_owned()]),
    };
    assert!(harness.state_mut().apply(&Change::one("Spoil", edit)));
    harness.get_by_label("Run simulation").click();
    until(&mut harness, "the refusal", |app| app.problems.selected.is_some());
    assert_eq!(harness.state().run.state, RunState::Idle);
    let selected = harness.state().problems.selected.clone();
    assert_eq!(selected.and_then(|found| found.place.block), Some(BlockId(1)));
}

#[test]
fn only_what_changes_the_result_makes_a_run_old() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Run);
    until(&mut harness, "the end of the run", |app| app.run.state == RunState::Finished);
    let position = simulate::model::Position { x: 50.0, y: 50.0 };
    let edit = Edit::Move { model: "Main".into(), moves: vec![(BlockId(1), position)] };
    assert!(harness.state_mut().apply(&Change::one("Move", edit)));
    assert!(!harness.state().run.is_stale);
    assert!(harness.state_mut().apply(&Change::one("Set steps", Edit::SetSteps(51))));
    assert!(harness.state().run.is_stale);
    harness.state_mut().dispatch(Command::Undo);
    assert!(!harness.state().run.is_stale);
}
