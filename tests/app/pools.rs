//! Pools of computers in the window, without a server; `tests/pool/window.rs` has one.

use std::net::TcpListener;

use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::command::{Command, Panel, RunCommand, ViewCommand};
use simulate::app::panels::sweep::{Row, SweepLocation};
use simulate::app::store::pools::PoolSetting;

use super::{Opened as _, Window, gain_chain, settle, show, until, window_with};

/// A window with the Sweep panel and these pools; its settings are in a folder.
fn sweep_window(home: &std::path::Path, pools: &[PoolSetting]) -> Window {
    let settings = Settings { pools: pools.to_vec(), ..Settings::load_from(Some(home.to_owned())) };
    let mut harness = window_with(settings);
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::View(ViewCommand::TogglePanel(Panel::Sweep)));
    harness.state_mut().open_mut().panels.sweep.rows.push(Row::range("#1.Gain", 1.0, 5.0, 5));
    // All of the panel is seen.
    harness.set_size(eframe::egui::vec2(1280.0, 1500.0));
    harness.run_ok();
    harness
}

fn edit_pools(harness: &mut Window) {
    harness.get_by_label("Compute on").click();
    harness.run_ok();
    harness.get_by_label("Pools…").click();
    harness.run_ok();
}

fn type_into(harness: &mut Window, label: &str, text: &str) {
    harness.get_by_label(label).focus();
    harness.run_ok();
    harness.get_by_label(label).type_text(text);
    harness.run_ok();
}

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

/// The address of a server that is not there.
fn nobody() -> String {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port();
    format!("nats://127.0.0.1:{port}")
}

#[test]
fn pools_are_added_changed_and_removed_in_the_settings() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = sweep_window(home.path(), &[]);
    edit_pools(&mut harness);
    // The form of the first pool is open, with a server on this computer; a name is missing.
    click(&mut harness, "Save pools");
    harness.get_by_label("Give the pool a name");
    type_into(&mut harness, "Name", "lab");
    type_into(&mut harness, "Servers", ",nats://lab.example:4222");
    click(&mut harness, "Save pools");
    harness.get_by_label_contains("lab.example is another computer");
    type_into(&mut harness, "Credentials", "/home/me/me.creds");
    click(&mut harness, "Save pools");
    settle(&mut harness);
    assert!(!harness.state().has_dialog());
    let expected = PoolSetting {
        name: "lab".to_owned(),
        servers: "nats://127.0.0.1:4222,nats://lab.example:4222".to_owned(),
        creds: "/home/me/me.creds".to_owned(),
        ..PoolSetting::default()
    };
    let stored = || Settings::load_from(Some(home.path().to_owned())).pools;
    assert_eq!(stored(), [expected]);
    // A second one with the same name is refused, then removed, as is the first.
    edit_pools(&mut harness);
    click(&mut harness, "Add pool");
    type_into(&mut harness, "Name", "lab");
    click(&mut harness, "Save pools");
    harness.get_by_label("Another pool has the name “lab”");
    harness.get_all_by_label("Remove lab").last().expect("the second").click();
    harness.run_ok();
    click(&mut harness, "Remove lab");
    click(&mut harness, "Save pools");
    settle(&mut harness);
    assert_eq!(stored(), []);
}

#[test]
fn a_pool_that_does_not_answer_is_told_in_the_list_and_in_the_panel() {
    let home = tempfile::tempdir().expect("a folder");
    let pool = PoolSetting { name: "lab".to_owned(), servers: nobody(), ..PoolSetting::default() };
    let mut harness = sweep_window(home.path(), &[pool]);
    edit_pools(&mut harness);
    click(&mut harness, "lab");
    click(&mut harness, "Test connection");
    settle(&mut harness);
    harness.get_by_label_contains("No server of the pool can be reached at nats://127.0.0.1");
    // What is typed makes the answer one to another question.
    type_into(&mut harness, "Servers", "1");
    assert!(harness.query_by_label_contains("can be reached").is_none());
    click(&mut harness, "Cancel");

    // The panel says the same of the chosen pool, and nothing is sent before it was allowed.
    click(&mut harness, "Compute on");
    click(&mut harness, "lab");
    assert_eq!(harness.state().open().panels.sweep.location, SweepLocation::Pool("lab".to_owned()));
    for _ in 0..1000 {
        if harness.query_by_label_contains("Look whether nats-server runs there").is_some() {
            break;
        }
        std::thread::yield_now();
        harness.step();
    }
    harness.get_by_label_contains("Look whether nats-server runs there");
    click(&mut harness, "Run all 5");
    harness.get_by_label_contains("are sent to the pool “lab” at nats://127.0.0.1");
    click(&mut harness, "Cancel");
    assert!(harness.state().open().lab.ensemble.is_none());
    click(&mut harness, "Run all 5");
    click(&mut harness, "Send and run");
    let is_refused = |app: &simulate::app::App| app.open().panels.sweep.problem.is_some();
    until(&mut harness, "the refusal", is_refused);
    let problem = harness.state().open().panels.sweep.problem.as_ref().map(ToString::to_string).expect("a problem");
    assert!(problem.starts_with("No server of the pool can be reached at nats://127.0.0.1"), "{problem}");
    let is_over = |app: &simulate::app::App| app.open().lab.ensemble.as_ref().is_some_and(|sweep| !sweep.is_going_on);
    until(&mut harness, "the end", is_over);
    // Here it runs.
    click(&mut harness, "Compute on");
    click(&mut harness, "This computer");
    click(&mut harness, "Run all 5");
    let has_all = |app: &simulate::app::App| app.open().lab.ensemble.as_ref().is_some_and(|sweep| sweep.done() == 5);
    until(&mut harness, "the sweep", has_all);
}

/// What a user has allowed for a pool holds for its addresses, not for its name.
#[test]
fn another_address_is_asked_for_again() {
    let home = tempfile::tempdir().expect("a folder");
    let pool = |servers: String| PoolSetting { name: "lab".to_owned(), servers, ..PoolSetting::default() };
    let mut harness = sweep_window(home.path(), &[pool(nobody())]);
    harness.state_mut().open_mut().panels.sweep.location = SweepLocation::Pool("lab".to_owned());
    harness.run_ok();
    click(&mut harness, "Run all 5");
    click(&mut harness, "Send and run");
    until(&mut harness, "the refusal", |app| app.open().panels.sweep.problem.is_some());
    click(&mut harness, "Run all 5");
    assert!(!harness.state().has_dialog(), "it was allowed");
    let is_over = |app: &simulate::app::App| app.open().lab.ensemble.as_ref().is_some_and(|sweep| !sweep.is_going_on);
    until(&mut harness, "the end", is_over);
    harness.state_mut().settings.pools = vec![pool(nobody())];
    harness.run_ok();
    click(&mut harness, "Run all 5");
    harness.get_by_label("Send and run");
    click(&mut harness, "Cancel");
    // A pool that is removed is chosen no longer.
    harness.state_mut().settings.pools.clear();
    harness.run_ok();
    assert_eq!(harness.state().open().panels.sweep.location, SweepLocation::Here);
}

#[test]
fn a_command_opens_the_pools_without_a_document_and_a_button_asks_for_files() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = window_with(Settings::load_from(Some(home.path().to_owned())));
    harness.state_mut().dispatch(Command::Run(RunCommand::Pools));
    harness.run_ok();
    type_into(&mut harness, "Name", "lab");
    click(&mut harness, "Browse for credentials");
    assert!(harness.state_mut().choose_path("me.creds".into()), "a file is asked for");
    harness.run_ok();
    click(&mut harness, "TLS certificates");
    click(&mut harness, "Browse for authority");
    assert!(harness.state_mut().choose_path("ca.pem".into()), "a file is asked for");
    harness.run_ok();
    click(&mut harness, "Save pools");
    settle(&mut harness);
    let expected = PoolSetting {
        name: "lab".to_owned(),
        servers: "nats://127.0.0.1:4222".to_owned(),
        creds: "me.creds".to_owned(),
        tls_ca: "ca.pem".to_owned(),
        ..PoolSetting::default()
    };
    assert_eq!(Settings::load_from(Some(home.path().to_owned())).pools, [expected]);
}
