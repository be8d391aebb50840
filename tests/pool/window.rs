//! The Sweep panel with a real server and real workers.

use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, Panel, RunCommand, ViewCommand};
use simulate::app::panels::sweep::{Row, SweepLocation};
use simulate::app::store::lab::SweepCurve;
use simulate::app::store::pools::PoolSetting;
use simulate::app::store::run::RunState;
use simulate::app::{App, Settings};
use simulate::model::SignalKey;

use super::Pool;
use crate::app::{Opened as _, Window, gain_chain, settle, show, window_with};

/// A window with the Sweep panel, which computes on a pool.
fn sweep_window(home: &Path, pool: &Pool) -> Window {
    let lab = PoolSetting { name: "lab".to_owned(), servers: pool.address(), ..PoolSetting::default() };
    let settings = Settings { pools: vec![lab], ..Settings::load_from(Some(home.to_owned())) };
    let mut harness = window_with(settings);
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    let sweep = &mut harness.state_mut().open_mut().panels.sweep;
    sweep.rows.push(Row::range("#1.Gain", 1.0, 5.0, 5));
    sweep.location = SweepLocation::Pool("lab".to_owned());
    // All of the panel is seen.
    harness.set_size(eframe::egui::vec2(1280.0, 1500.0));
    harness.run_ok();
    harness
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// Draws frames until something is true; other processes take part.
#[track_caller]
fn until(harness: &mut Window, what: &str, is_true: impl Fn(&Window) -> bool) {
    super::wait_until(what, || {
        harness.step();
        is_true(harness)
    });
    harness.run_ok();
}

fn is_over(harness: &Window) -> bool {
    harness.state().open().lab.ensemble.as_ref().is_some_and(|sweep| !sweep.is_going_on)
}

fn shows(text: &'static str) -> impl Fn(&Window) -> bool {
    move |harness| harness.query_by_label_contains(text).is_some()
}

/// The curves, sorted by run.
fn curves(app: &App) -> Vec<SweepCurve> {
    let mut curves = app.open().lab.ensemble.as_ref().map(|sweep| sweep.curves.clone()).unwrap_or_default();
    curves.sort_by_key(|curve| curve.run);
    curves
}

fn begin(harness: &mut Window) {
    click(harness, "Run all 5");
    click(harness, "Send and run");
}

/// The same sweep on this computer.
fn curves_here(harness: &mut Window) -> Vec<SweepCurve> {
    harness.state_mut().open_mut().panels.sweep.location = SweepLocation::Here;
    harness.run_ok();
    click(harness, "Run all 5");
    until(harness, "the sweep here", |harness| is_over(harness) && curves(harness.state()).len() == 5);
    curves(harness.state())
}

#[test]
fn the_panel_shows_workers_and_the_curves_of_a_sweep_here() {
    needs_server!();
    let (home, pool) = (tempfile::tempdir().unwrap(), Pool::start(&[], "", 2));
    let mut harness = sweep_window(home.path(), &pool);
    until(&mut harness, "the workers", shows("2 workers, 0 of 2 threads busy"));
    begin(&mut harness);
    until(&mut harness, "the end", is_over);
    let ensemble = harness.state().open().lab.ensemble.as_ref().unwrap();
    assert_eq!((ensemble.done(), &ensemble.refused), (5, &None));
    let there = curves(harness.state());
    let bands = harness.state().open().lab.ensemble.as_ref().unwrap().bands.clone();
    assert_eq!(
        there.iter().map(|curve| *curve.values.last().unwrap()).collect::<Vec<_>>(),
        [3.0, 6.0, 9.0, 12.0, 15.0]
    );
    assert_eq!(curves_here(&mut harness), there);
    assert_eq!(harness.state().open().lab.ensemble.as_ref().unwrap().bands, bands);
    // Nothing is left of it, neither there nor here.
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
    assert_eq!(std::fs::read_dir(home.path().join("sweeps")).unwrap().count(), 0);
    // The connection can be tested.
    click(&mut harness, "Compute on");
    click(&mut harness, "Pools…");
    click(&mut harness, "lab");
    click(&mut harness, "Test connection");
    settle(&mut harness);
    harness.get_by_label("Connected: 2 workers, 0 sweeps");
}

#[test]
fn a_sweep_goes_on_without_its_window_and_another_one_attaches_to_it() {
    needs_server!();
    let (home, mut pool) = (tempfile::tempdir().unwrap(), Pool::start(&[], "", 0));
    let mut harness = sweep_window(home.path(), &pool);
    until(&mut harness, "the pool", shows("No workers"));
    begin(&mut harness);
    until(&mut harness, "the sweep is there", shows("Test.simx on lab, sweep "));
    super::wait_until("the pool has it", || pool.sweep(&["--list"]).out.contains("Test.simx: 0 of 5 runs"));
    // The window is closed; another one has the list.
    drop(harness);
    let mut harness = sweep_window(home.path(), &pool);
    until(&mut harness, "the list", shows("Test.simx: 0 of 5 runs"));
    click(&mut harness, "Attach");
    until(&mut harness, "it is known", shows("Test.simx on lab, sweep "));
    // Left once more, with the button.
    click(&mut harness, "Leave running");
    until(&mut harness, "it is left", is_over);
    pool.add_worker(&[]);
    until(&mut harness, "the list", |harness| harness.query_by_label("Attach").is_some());
    click(&mut harness, "Attach");
    until(&mut harness, "the end", |harness| is_over(harness) && curves(harness.state()).len() == 5);
    let there = curves(harness.state());
    let varied = &harness.state().open().lab.ensemble.as_ref().unwrap().runs.varied;
    assert_eq!(varied.iter().map(|vary| &*vary.path).collect::<Vec<_>>(), ["#1.Gain"], "what varies came with it");
    assert_eq!(curves_here(&mut harness), there);
}

#[test]
fn a_sweep_is_cancelled_in_the_list_and_while_it_is_going_on() {
    needs_server!();
    let (home, pool) = (tempfile::tempdir().unwrap(), Pool::start(&[], "", 0));
    let mut harness = sweep_window(home.path(), &pool);
    begin(&mut harness);
    until(&mut harness, "it is in the pool", |_| pool.sweep(&["--list"]).out.contains("Test.simx: 0 of 5 runs"));
    click(&mut harness, "Cancel");
    until(&mut harness, "the end", is_over);
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
    click(&mut harness, "Run all 5");
    until(&mut harness, "it is in the pool", |_| pool.sweep(&["--list"]).out.contains("Test.simx: 0 of 5 runs"));
    click(&mut harness, "Leave running");
    until(&mut harness, "the list", shows("Test.simx: 0 of 5 runs"));
    click(&mut harness, "Cancel…");
    click(&mut harness, "Keep sweep");
    click(&mut harness, "Cancel…");
    click(&mut harness, "Cancel sweep");
    settle(&mut harness);
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
    until(&mut harness, "the list is empty", |harness| harness.query_by_label("Attach").is_none());
    assert_eq!(std::fs::read_dir(home.path().join("sweeps")).unwrap().count(), 0);
}

#[test]
fn a_lost_connection_is_told_and_the_sweep_ends_when_the_server_is_back() {
    needs_server!();
    let (home, mut pool) = (tempfile::tempdir().unwrap(), Pool::start(&[], "", 0));
    let mut harness = sweep_window(home.path(), &pool);
    begin(&mut harness);
    until(&mut harness, "it is in the pool", |_| pool.sweep(&["--list"]).out.contains("Test.simx: 0 of 5 runs"));
    pool.stop_server();
    until(&mut harness, "it is told", shows("The connection to the pool is lost"));
    pool.start_server();
    pool.add_worker(&[]);
    until(&mut harness, "the end", |harness| is_over(harness) && curves(harness.state()).len() == 5);
}

/// A signal whose name has a comma cannot be named in a list of signals.
#[test]
fn what_a_pool_cannot_run_is_told_in_the_panel() {
    needs_server!();
    let (home, pool) = (tempfile::tempdir().unwrap(), Pool::start(&[], "", 0));
    let mut harness = sweep_window(home.path(), &pool);
    harness.state_mut().open_mut().panels.sweep.signal = Some(SignalKey::new(&[], simulate::model::BlockId(1), "a, b"));
    begin(&mut harness);
    until(&mut harness, "the refusal", shows("its name has a comma"));
    assert!(pool.sweep(&["--list"]).out.starts_with("0 sweeps"));
}

/// The inspector of a model block in a worker has what it costs.
#[test]
fn a_block_in_a_worker_says_in_the_inspector_what_it_costs() {
    needs_server!();
    let pool = Pool::start(&[], "", 1);
    super::wait_until("the worker has joined", || pool.worker_log(0).contains("has joined"));
    let lab = PoolSetting { name: "lab".to_owned(), servers: pool.address(), ..PoolSetting::default() };
    let mut harness = crate::app::remote::opened(&[lab], Some("lab"));
    crate::app::panels::select(&mut harness, &[5]);
    assert!(shows("A run shows here what reaching its worker costs")(&harness));
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    harness.run_ok();
    click(&mut harness, "Send and run");
    let is_finished = |harness: &Window| harness.state().open().run.state == RunState::Finished;
    until(&mut harness, "the end", is_finished);
    let cost = harness.state().open().run.remote_costs[0].clone();
    assert!(cost.steps > 0);
    harness.get_by_label("On the pool “lab”");
    for (name, text) in
        [("Worker", cost.worker.clone()), ("Exchanges a step", format!("{:.1}", cost.exchanges_per_step()))]
    {
        harness.get_by_label(&format!("{name} is {text}"));
    }
    harness.get_by_label_contains("it is faster here");
}
