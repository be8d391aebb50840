//! Calls from outside: lines of both protocols. Whatever they say, undo leads back to the first bytes.

use std::io::{Cursor, sink};

use simulate::format::simx::Simx;
use simulate::format::{Loader, simt};
use simulate::model::{self, Change};
use simulate::rpc::{CallControl, HistoryStep, Overwriting, Protocol, RpcError, Session, SimulationHost, serve};
use simulate::{Components, Opener, Simulation};

use super::{MEGABYTE, Memory};

pub const MEMORY: Memory = Memory { fixed: 64 * MEGABYTE, times: 20_000 };

/// Calls that may take as long as they are asked to.
const LONG: [&str; 3] = ["run", "sweep", "linearize"];

const MODEL: &str = "simulation Main, steps = 10, delta = 0.1\nk = 2\n\nmodel Main\nu: Static, Value = 1\nError: Sum, \
Signs = +-\nP: model P\ny: output\nu -> Error.1\nError -> P -> y, Error.2\n\nmodel P\nin: input\nGain: Gain, Gain = k\nState: \
Integrate\nout: output\nin -> Gain -> State -> out\n";

/// One simulation in memory, and no file.
struct Memories(Simulation);

fn none() -> RpcError {
    RpcError::refused("there is no file here")
}

impl SimulationHost for Memories {
    fn simulation(&mut self, _: Option<&str>) -> Result<&mut Simulation, RpcError> {
        Ok(&mut self.0)
    }
    fn open(&self) -> Vec<(String, bool)> {
        vec![("model.simx".to_owned(), true)]
    }
    fn files(&self) -> (Vec<String>, bool) {
        (Vec::new(), false)
    }
    fn apply(&mut self, _: Option<&str>, change: Change) -> Result<(), RpcError> {
        Ok(self.0.document_mut().apply(&change)?)
    }
    fn replace(&mut self, _: Option<&str>, label: String, state: model::Simulation) -> Result<(), RpcError> {
        self.0.document_mut().replace(label, state);
        Ok(())
    }
    fn step_back(&mut self, _: Option<&str>, step: HistoryStep) -> Result<Option<String>, RpcError> {
        let label = match step {
            HistoryStep::Undo => self.0.undo(),
            HistoryStep::Redo => self.0.redo(),
        };
        Ok(label.map(str::to_owned))
    }
    fn create(&mut self, _: &str, _: &str) -> Result<(), RpcError> {
        Err(none())
    }
    fn save(&mut self, _: Option<&str>, _: Option<&str>, _: Overwriting) -> Result<String, RpcError> {
        Err(none())
    }
    fn load(&self, _: &str) -> Result<model::Simulation, RpcError> {
        Err(none())
    }
}

fn session() -> Session {
    let path = std::path::Path::new("model.simt");
    let simulation = Opener::default().read(MODEL.as_bytes(), Some(path)).expect("a model");
    Session::new(Box::new(Memories(simulation)), Components::standard(), None)
}

fn bytes_of(session: &mut Session) -> Vec<u8> {
    let simulation = session.host.simulation(None).expect("a simulation");
    Simx.write(simulation.document().simulation()).expect("it can be written")
}

pub fn calls(data: &[u8]) {
    let is_long = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        LONG.iter().any(|name| text.contains(&format!("\"{name}\"")))
    };
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').filter(|line| !is_long(line)).collect();
    for protocol in [Protocol::JsonRpc, Protocol::Mcp] {
        serve(Cursor::new(lines.join(&b'\n')), sink(), protocol, session()).expect("a stream in memory is read");
    }
    let mut session = session();
    let before = bytes_of(&mut session);
    for line in lines {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
        let Some(name) = message.get("method").and_then(serde_json::Value::as_str) else { continue };
        let arguments = message.get("params").cloned().unwrap_or_default();
        let state = bytes_of(&mut session);
        match session.call(name, arguments, &CallControl::none()) {
            Ok(answer) => assert!(answer.data.to_string().len() < MEGABYTE, "an answer without a bound"),
            Err(_) => assert_eq!(bytes_of(&mut session), state, "what is refused changes nothing"),
        }
    }
    // Its own text is that of the last state.
    let simulation = session.host.simulation(None).expect("a simulation");
    let document = simulation.document();
    drop(simt::text(document.simulation(), document.registry()));
    while session.host.step_back(None, HistoryStep::Undo).expect("it is open").is_some() {}
    assert_eq!(bytes_of(&mut session), before, "undo leads back to the first state");
}

pub fn seeds() -> Vec<Vec<u8>> {
    let line = |method: &str, params: &str| {
        format!("{{\"jsonrpc\": \"2.0\", \"id\": \"{method}\", \"method\": \"{method}\", \"params\": {params}}}\n")
    };
    let edit = |operation: &str| line("edit", &format!("{{\"operations\": [{operation}]}}"));
    let operations = [
        r#"{"op": "add", "type": "Gain", "label": "G", "parameters": {"Gain": [1, 2]}, "at": [10, 20]}"#,
        r#"{"op": "set", "model": "P", "block": "Gain", "parameters": {"Gain": 3}, "attributes": {"seed": "4"}}"#,
        r##"{"op": "connect", "from": "Error", "to": ["P.in", "#3"]}"##,
        r#"{"op": "disconnect", "to": "Error.2"}"#,
        r#"{"op": "remove", "blocks": ["y", "P"]}"#,
        r#"{"op": "replace", "model": "P", "block": "Gain", "type": "Math/Bias"}"#,
        r#"{"op": "rename", "block": "P", "to": "Controller"}"#,
        r#"{"op": "group", "blocks": ["Error", "P"], "name": "Loop"}"#,
        r#"{"op": "expand", "block": "P"}"#,
        r#"{"op": "variable", "name": "k", "value": "2 + 1", "attributes": {"unit": "V"}}"#,
        r#"{"op": "settings", "values": {"steps": 7, "delta": 0.5, "solver": "euler"}}"#,
        r#"{"op": "rename_model", "from": "P", "to": "Q"}"#,
        r#"{"op": "fix", "code": "unconnected-input"}"#,
    ];
    let mut seeds: Vec<String> = operations.iter().map(|operation| edit(operation)).collect();
    seeds.push(edit(&operations.join(", ")));
    seeds.push(line("write", r#"{"text": "model P\nin: input\nout: output\nin -> out\n"}"#) + &line("undo", "{}"));
    seeds.push(line("read", r#"{"model": "P", "block": "Gain"}"#) + &line("overview", "{}") + &line("check", "{}"));
    seeds.push(line("blocks", r#"{"query": "gain", "limit": 500}"#) + &line("explain", r#"{"code": "loop"}"#));
    seeds.push(line("tools/call", r#"{"name": "edit", "arguments": {"operations": []}}"#) + &line("initialize", "{}"));
    seeds.into_iter().map(String::into_bytes).collect()
}

pub fn words() -> Vec<String> {
    [
        "\"op\"",
        "\"add\"",
        "\"connect\"",
        "\"model\"",
        "\"operations\"",
        "\"params\"",
        "\"method\"",
        " -> ",
        "input",
        "output",
    ]
    .map(str::to_owned)
    .to_vec()
}
