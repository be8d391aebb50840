//! Model blocks on pools in the window, without a server: the menu, the questions before a run, and Run here.

use std::net::TcpListener;

use eframe::egui::PointerButton;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, RunCommand};
use simulate::app::store::pools::PoolSetting;
use simulate::app::store::run::RunState;
use simulate::app::{App, Settings};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

use super::{Opened as _, Window, click_at, gain_chain, show, until, window_with};

/// The gain chain, and beside it an instance of a model with a gain.
fn with_child() -> Simulation {
    let mut simulation = gain_chain();
    let mut child = Model::new("Child");
    child.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    child.add_block(Block::new(BlockId(1), BlockKind::library("Math", "Gain")).at(120.0, 0.0));
    child.add_block(Block::new(BlockId(2), BlockKind::exit("y")).at(240.0, 0.0));
    child.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    child.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    simulation.add_model(child);
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(Block::new(BlockId(5), BlockKind::model("Child")).at(120.0, 120.0));
    main.connect(Connection::new(BlockId(0), "Output", BlockId(5), "u"));
    simulation
}

fn pool(servers: &str) -> PoolSetting {
    PoolSetting { name: "lab".to_owned(), servers: servers.to_owned(), ..PoolSetting::default() }
}

pub fn opened(pools: &[PoolSetting], on: Option<&str>) -> Window {
    let mut harness = window_with(Settings { pools: pools.to_vec(), ..Settings::default() });
    let mut simulation = with_child();
    let block = simulation.model_mut("Main").and_then(|model| model.block_mut(BlockId(5))).expect("the model block");
    block.attributes.put(Block::ON, on);
    show(&mut harness, simulation);
    harness
}

fn pool_of(harness: &Window) -> Option<String> {
    let simulation = harness.state().open().document.simulation().clone();
    let block = simulation.model("Main").and_then(|model| model.block(BlockId(5)).cloned()).expect("the model block");
    block.pool().map(str::to_owned)
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// Starts a run and waits for its end or a question.
fn run(harness: &mut Window) {
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(harness, "an answer", |app| app.has_dialog() || app.open().run.state == RunState::Finished);
    harness.run_ok();
}

fn finishes(harness: &mut Window) {
    until(harness, "the end", |app| app.open().run.state == RunState::Finished);
    harness.run_ok();
    assert!(!harness.state().has_dialog());
}

#[test]
fn the_menu_of_a_model_block_moves_it_to_a_pool_and_back() {
    let mut harness = opened(&[pool("nats://127.0.0.1:4222")], None);
    let choose = |harness: &mut Window, label: &str| {
        let at = harness.get_by_label("Block Child #5").rect().center();
        click_at(harness, at, PointerButton::Secondary);
        click(harness, "Run on…");
        click(harness, label);
    };
    choose(&mut harness, "lab");
    assert_eq!(pool_of(&harness).as_deref(), Some("lab"));
    choose(&mut harness, "This computer");
    assert_eq!(pool_of(&harness), None);
    for expected in [Some("lab"), None] {
        harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
        harness.run_ok();
        assert_eq!(pool_of(&harness).as_deref(), expected);
    }
}

#[test]
fn a_pool_that_the_settings_do_not_have_is_told_and_the_run_is_made_here() {
    let mut harness = opened(&[], Some("elsewhere"));
    run(&mut harness);
    harness.get_by_label_contains("pool “elsewhere”, which the settings do not have");
    click(&mut harness, "Cancel");
    assert_eq!(harness.state().open().run.state, RunState::Idle);
    run(&mut harness);
    click(&mut harness, "Run here");
    finishes(&mut harness);
    assert_eq!(harness.state().open().run.engine, "compiled");
    assert_eq!(pool_of(&harness).as_deref(), Some("elsewhere"), "the file stays as it is");
}

#[test]
fn nothing_is_sent_before_it_is_allowed_and_without_a_worker_it_runs_here_with_one_click() {
    // Whoever connects would be seen here.
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    server.set_nonblocking(true).expect("it does not wait");
    let address = format!("nats://{}", server.local_addr().expect("its address"));
    let mut harness = opened(&[pool(&address)], Some("lab"));
    run(&mut harness);
    harness.get_by_label_contains(&format!("are sent to the pool “lab” at {address}"));
    click(&mut harness, "Cancel");
    assert!(server.accept().is_err(), "nobody has connected");
    drop(server);
    run(&mut harness);
    click(&mut harness, "Send and run");
    // The run is paused, and the Problems panel says why.
    let is_paused = |app: &App| matches!(app.open().run.state, RunState::PausedByError(_));
    until(&mut harness, "the error", is_paused);
    harness.run_ok();
    assert!(!harness.state().has_dialog());
    let problems = |harness: &Window| {
        let all = harness.state().open().diagnostics.all().iter();
        all.map(|found| (found.code, found.location.block)).collect::<Vec<_>>()
    };
    assert_eq!(problems(&harness), [("no-worker", Some(BlockId(5)))]);
    let canvas = &harness.state().open().canvas;
    assert!(canvas.path().is_empty() && canvas.selection().blocks.contains(&BlockId(5)), "the block is shown");
    harness.get_by_label_contains("Run here: Step 0, 0 s: no worker for the pool “lab”: no server").click();
    harness.run_ok();
    finishes(&mut harness);
    assert_eq!(problems(&harness), [], "the problem is one of that run");
    assert_eq!(harness.state().open().run.engine, "compiled");
}
