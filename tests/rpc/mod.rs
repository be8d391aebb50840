//! Calls from outside: what they change, what they refuse, and the protocols over them.

mod answers;
mod edits;
mod files;
mod protocols;
mod scripts;

use std::path::Path;

use serde_json::Value;
use simulate::rpc::{CallControl, FolderHost, RpcError, Session};
use simulate::{Components, Opener};
use tempfile::TempDir;

/// Returns a folder with copies of these examples, and a session on it.
pub fn session_with(examples: &[&str]) -> (TempDir, Session) {
    let folder = tempfile::tempdir().expect("a folder");
    for example in examples {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/examples").join(example);
        std::fs::copy(from, folder.path().join(example)).expect("a copy");
    }
    let session = session_on(folder.path());
    (folder, session)
}

/// Returns a session on a folder.
pub fn session_on(folder: &Path) -> Session {
    let host = FolderHost::new(folder, Opener::default()).expect("a folder");
    Session::new(Box::new(host), Components::standard(), None)
}

pub fn call(session: &mut Session, name: &str, arguments: Value) -> Result<Value, RpcError> {
    session.call(name, arguments, &CallControl::none()).map(|answer| answer.data)
}

/// Calls and returns the data; panics with the reason if the call is refused.
pub fn done(session: &mut Session, name: &str, arguments: Value) -> Value {
    call(session, name, arguments).unwrap_or_else(|error| panic!("{name}: {error} {:?}", error.diagnostics))
}

/// Calls and returns why it is refused.
pub fn refused(session: &mut Session, name: &str, arguments: Value) -> String {
    call(session, name, arguments).expect_err("the call must be refused").message
}
