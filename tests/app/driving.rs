//! Programs that drive the window: only when its user has said so, and each change is one undo away.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simulate::app::Settings;
use simulate::app::action::command::{Command, EditCommand, HelpCommand};
use tempfile::TempDir;

use super::{Opened as _, Window, gain_chain, show, window_with};

/// A window with a chain of gains that programs may drive.
fn driven() -> (TempDir, Window) {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = window_with(Settings::load_from(Some(home.path().to_owned())));
    show(&mut harness, gain_chain());
    assert!(!home.path().join("driving").exists(), "it is off at first");
    harness.state_mut().dispatch(Command::Help(HelpCommand::ToggleDriving));
    harness.run_ok();
    (home, harness)
}

/// The port and the secret.
fn address(home: &Path) -> (u16, String) {
    let line = std::fs::read_to_string(home.join("driving")).expect("the address");
    let (port, secret) = line.trim().split_once(' ').expect("two words");
    (port.parse().expect("a port"), secret.to_owned())
}

fn connected(home: &Path, secret: Option<&str>) -> TcpStream {
    let (port, own) = address(home);
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    let first = json!({"secret": secret.unwrap_or(&own), "protocol": "json-rpc"});
    writeln!(stream, "{first}").expect("sent");
    stream
}

/// Draws frames, as the window does when it is woken, until something has happened on another thread.
fn draw_until(harness: &mut Window, is_done: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !is_done() {
        assert!(Instant::now() < limit, "nothing happens");
        harness.state_mut().logic();
        harness.run_ok();
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a call and draws frames until its answer is there; an empty answer if the connection has ended.
fn call(harness: &mut Window, stream: &TcpStream, name: &str, arguments: Value) -> Value {
    let mut out = stream.try_clone().expect("a stream");
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": name, "params": arguments});
    // A connection that the window has refused may be closed already.
    let _ = writeln!(out, "{message}");
    let stream = stream.try_clone().expect("a stream");
    let reader = std::thread::spawn(move || {
        let mut input = BufReader::new(stream);
        loop {
            let mut line = String::new();
            let _ = input.read_line(&mut line);
            let answer: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
            if answer.is_null() || answer.get("id").is_some() {
                return answer;
            }
        }
    });
    draw_until(harness, || reader.is_finished());
    reader.join().expect("no panic")
}

#[test]
fn a_program_changes_the_shown_document_and_undo_takes_it_back() {
    let (home, mut harness) = driven();
    let stream = connected(home.path(), None);
    let before = harness.state().open().simulation().clone();
    let overview = call(&mut harness, &stream, "overview", json!({}));
    assert!(overview["result"]["text"].as_str().is_some_and(|text| text.contains("Gain")), "{overview}");
    let operations = json!([{"op": "add", "type": "Gain", "label": "From outside", "parameters": {"Gain": 3}}]);
    let answer = call(&mut harness, &stream, "edit", json!({"operations": operations}));
    assert_eq!(answer["result"]["change"], "Add block (from outside)", "{answer}");
    let has_block = |harness: &Window| {
        let simulation = harness.state().open().simulation().clone();
        let root = simulation.root_model().expect("a root").clone();
        root.blocks.values().any(|block| block.title() == "From outside")
    };
    assert!(has_block(&harness));
    let labels: Vec<String> = harness.state().open().document.undo_labels().map(str::to_owned).collect();
    assert_eq!(labels.first().map(String::as_str), Some("Add block (from outside)"));
    harness.state_mut().dispatch(Command::Edit(EditCommand::Undo));
    harness.run_ok();
    assert_eq!(*harness.state().open().simulation(), before);
    // The program sees what the user has done.
    let diff = call(&mut harness, &stream, "read", json!({}));
    assert!(!diff["result"]["text"].as_str().expect("a text").contains("From outside"));
    let redone = call(&mut harness, &stream, "redo", json!({}));
    assert_eq!(redone["result"]["redone"], "Add block (from outside)");
    assert!(has_block(&harness));
}

#[test]
fn what_is_refused_changes_nothing_in_the_window() {
    let (home, mut harness) = driven();
    let stream = connected(home.path(), None);
    let before = harness.state().open().simulation().clone();
    let wrong = call(&mut harness, &stream, "edit", json!({"operations": [{"op": "add", "type": "Gian"}]}));
    assert!(wrong["error"]["message"].as_str().is_some_and(|text| text.contains("did you mean “Gain”")), "{wrong}");
    for (name, arguments) in [
        ("overview", json!({"file": "/etc/passwd"})),
        ("create", json!({"file": "new.simx"})),
        ("save", json!({"to": "elsewhere.simx"})),
        ("save", json!({})),
        ("diff", json!({"with": "other.simx"})),
    ] {
        let answer = call(&mut harness, &stream, name, arguments);
        assert_eq!(answer["error"]["code"], -32000, "{name}: {answer}");
    }
    assert_eq!(*harness.state().open().simulation(), before);
    assert_eq!(harness.state().open().document.undo_labels().count(), 0);
}

#[test]
fn without_the_secret_nothing_is_answered() {
    let (home, mut harness) = driven();
    let stream = connected(home.path(), Some("0123456789abcdef"));
    assert_eq!(call(&mut harness, &stream, "overview", json!({})), Value::Null);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(home.path().join("driving")).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn switching_it_off_ends_all_connections() {
    let (home, mut harness) = driven();
    let stream = connected(home.path(), None);
    assert!(call(&mut harness, &stream, "files", json!({}))["result"]["open"].is_array());
    let (port, _) = address(home.path());
    harness.state_mut().dispatch(Command::Help(HelpCommand::ToggleDriving));
    harness.run_ok();
    assert!(!home.path().join("driving").exists());
    assert_eq!(call(&mut harness, &stream, "files", json!({})), Value::Null);
    draw_until(&mut harness, || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
}
