//! Plots, curves on screen and chosen signals follow blocks that are grouped, expanded, or cut and pasted elsewhere.

use std::collections::BTreeSet;

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, Panel};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::canvas::Selection;
use simulate::app::store::run::RunState;
use simulate::model::{BlockId, SignalKey, Simulation};

use super::panels::simulation_of;
use super::{Opened as _, Window, gain_chain, show, until, window};

const PLOTTED: &str = "#1.Output;#2.Input";

fn plotted() -> Simulation {
    let mut simulation = gain_chain();
    simulation.attributes.set("view:plot", PLOTTED);
    simulation.attributes.set("view:dashboard", "slider[x=8,y=8,w=208,h=64,label=K,param=#1.Gain]");
    simulation
}

fn run(harness: &mut Window) {
    harness.get_by_label("Run simulation").click();
    until(harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    until(harness, "the check", |app| app.open().program.is_some());
}

/// The last value of each plotted signal.
fn shown(harness: &Window) -> Vec<Option<f64>> {
    let file = harness.state().open();
    let list = file.derived.plots();
    let last = |signal: &SignalKey| file.run.recording().columns(signal).first().and_then(|column| column.last());
    list.plots[0].traces.iter().map(|trace| last(&trace.signal)).collect()
}

fn select(harness: &mut Window, ids: &[i128]) {
    let blocks: BTreeSet<BlockId> = ids.iter().map(|id| BlockId(*id)).collect();
    harness.state_mut().open_mut().canvas.select(Selection::of_blocks(blocks));
}

fn dispatch(harness: &mut Window, command: Command) {
    harness.state_mut().dispatch(command);
    harness.run_ok();
}

#[test]
fn curves_stay_when_blocks_are_grouped_expanded_and_when_that_is_undone() {
    let mut harness = window();
    show(&mut harness, plotted());
    run(&mut harness);
    let values = shown(&harness);
    assert_eq!(values, [Some(6.0), Some(6.0)]);
    select(&mut harness, &[1]);
    dispatch(&mut harness, Command::Diagram(DiagramCommand::Group));
    let keys = |harness: &Window| simulation_of(harness.state()).attributes.get("view:plot").map(str::to_owned);
    assert_eq!(keys(&harness).as_deref(), Some("#3/#1.Output;#2.Input"));
    assert_eq!(shown(&harness), values);
    assert!(!harness.state().open().run.is_stale, "a group changes no result");
    let recorded: Vec<String> =
        harness.state().open().run.recording().signals().map(|(signal, _)| signal.to_string()).collect();
    assert_eq!(recorded, ["#2.Input", "#3#1.Output"], "under their new addresses only");
    select(&mut harness, &[3]);
    dispatch(&mut harness, Command::Diagram(DiagramCommand::Expand));
    assert_eq!(keys(&harness).as_deref(), Some("#4.Output;#2.Input"));
    assert_eq!(shown(&harness), values);
    for _ in 0..2 {
        dispatch(&mut harness, Command::Edit(EditCommand::Undo));
        assert_eq!(shown(&harness), values);
        assert!(!harness.state().open().run.is_stale);
    }
    assert_eq!(keys(&harness).as_deref(), Some(PLOTTED));
    dispatch(&mut harness, Command::Edit(EditCommand::Redo));
    assert_eq!(shown(&harness), values);
}

#[test]
fn a_paused_run_goes_on_recording_a_grouped_signal() {
    let mut harness = window();
    show(&mut harness, plotted());
    dispatch(&mut harness, Command::Run(simulate::app::action::command::RunCommand::Step));
    until(&mut harness, "the first step", |app| app.open().run.state == RunState::Paused);
    select(&mut harness, &[1]);
    dispatch(&mut harness, Command::Diagram(DiagramCommand::Group));
    dispatch(&mut harness, Command::Run(simulate::app::action::command::RunCommand::Step));
    until(&mut harness, "the second step", |app| {
        app.open().run.state == RunState::Paused && app.open().run.progress.step == 2
    });
    until(&mut harness, "its samples", |app| {
        let key = SignalKey::new(&[BlockId(3)], BlockId(1), "Output");
        app.open().run.recording().columns(&key).first().is_some_and(|column| column.len() == 2)
    });
    assert_eq!(shown(&harness), [Some(6.0), Some(6.0)]);
}

#[test]
fn plots_and_knobs_follow_a_block_that_is_cut_and_pasted_into_another_model() {
    let mut harness = window();
    let mut simulation = plotted();
    simulation.add_model(simulate::model::Model::new("Inner"));
    let root = simulation.model_mut("Main").expect("the root");
    root.add_block(simulate::model::Block::new(BlockId(9), simulate::model::BlockKind::model("Inner")).at(0.0, 200.0));
    show(&mut harness, simulation);
    select(&mut harness, &[1]);
    dispatch(&mut harness, Command::Edit(EditCommand::Cut));
    until(&mut harness, "the check", |app| {
        app.open().diagnostics.all().iter().any(|found| found.code == "lost-address")
    });
    harness.state_mut().open_mut().canvas.go_to(vec![BlockId(9)], None);
    harness.run_ok();
    dispatch(&mut harness, Command::Edit(EditCommand::Paste));
    let attributes = &simulation_of(harness.state()).attributes;
    assert_eq!(attributes.get("view:plot"), Some("#9/#0.Output;#2.Input"));
    assert!(attributes.get("view:dashboard").is_some_and(|text| text.contains("param=#9/#0.Gain")));
    dispatch(&mut harness, Command::Edit(EditCommand::Undo));
    assert_eq!(simulation_of(harness.state()).attributes.get("view:plot"), Some(PLOTTED));
}

#[test]
fn a_click_in_problems_removes_a_curve_of_a_removed_block_or_binds_it_to_another() {
    let mut harness = window();
    show(&mut harness, plotted());
    select(&mut harness, &[1]);
    dispatch(&mut harness, Command::Edit(EditCommand::Delete));
    harness.state_mut().window.layout.show(Panel::Problems);
    until(&mut harness, "the check", |app| {
        app.open().diagnostics.all().iter().filter(|found| found.code == "lost-address").count() == 2
    });
    harness.run_ok();
    // Another change of the plots forgets nothing.
    harness.state_mut().plot(&[SignalKey::new(&[], BlockId(0), "Output")]);
    let keys = |harness: &Window| simulation_of(harness.state()).attributes.get("view:plot").map(str::to_owned);
    assert_eq!(keys(&harness).as_deref(), Some("#2.Input;#0.Output;#1.Output"));
    harness.state_mut().window.layout.show(Panel::Problems);
    harness.run_ok();
    harness.get_all_by_label("Bind to…").next().expect("the button").click();
    harness.run_ok();
    harness.get_by_label_contains("Bind to Output of").click();
    harness.run_ok();
    assert_eq!(keys(&harness).as_deref(), Some("#2.Input;#0.Output;#0.Output"));
    harness.get_all_by_label_contains("Remove from plot or dashboard: ").next().expect("the button").click();
    until(&mut harness, "the check", |app| {
        app.open().diagnostics.all().iter().all(|found| found.code != "lost-address")
    });
}
