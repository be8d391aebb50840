//! The session of the page about assistants: what is sent there gets the answers that stand there.

use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use simulate::rpc::{FolderHost, Protocol, Session, serve};
use simulate::{Components, Opener};

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_session_of_the_page_is_answered_so() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/manual/assistants.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let session = page.split("```session\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a session");
    let sent: String =
        session.lines().filter_map(|line| line.strip_prefix("> ")).map(|line| format!("{line}\n")).collect();
    let expected: Vec<Value> = session
        .lines()
        .filter_map(|line| line.strip_prefix("< "))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(expected.len(), 6);
    let folder = tempfile::tempdir().expect("a folder");
    let host = FolderHost::new(folder.path(), Opener::default()).expect("a folder");
    let (written, components) = (Written::default(), Components::standard());
    let session = Session::new(Box::new(host), components, None);
    serve(Cursor::new(sent), written.clone(), Protocol::JsonRpc, session).expect("served");
    let text = String::from_utf8(written.0.lock().expect("no panic").clone()).expect("text");
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for (answer, expected) in answers.iter().zip(&expected) {
        assert_eq!(answer, expected, "{answer}");
    }
    assert_eq!(answers.len(), expected.len());
    assert!(folder.path().join("decay.simx").is_file());
    // e^(−0.5·2)·2 and e^(−0.5·4)·2, by hand.
    let values = &answers[4]["result"]["signals"][0]["values"];
    for (value, time) in [(&values[1], 2.0_f64), (&values[2], 4.0)] {
        assert!((value.as_f64().expect("a number") - 2.0 * (-0.5 * time).exp()).abs() < 1e-6);
    }
}
