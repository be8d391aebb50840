//! JSON-RPC and the Model Context Protocol on a stream: messages, errors, cancelling and progress.

use std::io::{self, BufReader, Cursor, Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simulate::rpc::{PROTOCOL_VERSIONS, Protocol, serve};

use super::session_with;

/// The written lines, which a test reads while the server writes.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn messages(&self) -> Vec<Value> {
        let bytes = self.0.lock().expect("no panic").clone();
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// Serves these lines to the end and returns what was written.
fn served(protocol: Protocol, examples: &[&str], input: &str) -> Vec<Value> {
    let (_folder, session) = session_with(examples);
    let lines = Lines::default();
    serve(Cursor::new(input.to_owned()), lines.clone(), protocol, session).expect("served");
    lines.messages()
}

#[test]
fn lines_that_are_no_requests_get_the_codes_of_the_standard() {
    let input = [
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}",
        "",
        "{broken",
        "[1, 2]",
        "{\"id\": 2, \"method\": \"files\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"files\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": \"a\"}",
        "{\"jsonrpc\": \"2.0\", \"method\": \"nothing\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 3, \"result\": {}}",
        "{\"jsonrpc\": \"2.0\", \"id\": \"b\", \"method\": \"fils\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 4, \"method\": \"run\", \"params\": [1]}",
        "{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"files\", \"params\": {}}",
    ];
    let mut answers = served(Protocol::JsonRpc, &[], &input.join("\n"));
    assert!(answers.iter().all(|answer| answer["jsonrpc"] == "2.0"));
    answers.sort_by_key(|answer| answer["id"].to_string());
    let codes: Vec<(String, Value)> =
        answers.iter().map(|answer| (answer["id"].to_string(), answer["error"]["code"].clone())).collect();
    let expected: Vec<(String, Value)> = [
        ("\"a\"", json!(-32600)),
        ("\"b\"", json!(-32601)),
        ("1", Value::Null),
        ("2", json!(-32600)),
        ("4", json!(-32602)),
        ("5", Value::Null),
        ("null", json!(-32700)),
        ("null", json!(-32600)),
        ("null", json!(-32600)),
    ]
    .map(|(id, code)| (id.to_owned(), code))
    .to_vec();
    let sorted = |mut list: Vec<(String, Value)>| {
        list.sort_by_key(|(id, code)| (id.clone(), code.to_string()));
        list
    };
    assert_eq!(sorted(codes), sorted(expected));
    let near = answers.iter().find(|answer| answer["id"] == "b").expect("an answer");
    assert_eq!(near["error"]["message"], "there is no method “fils”; did you mean “files”?");
}

#[test]
fn a_client_of_the_model_context_protocol_is_served() {
    let call = |id: u64, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(3, "overview", json!({"file": "dc_motor.simx"})),
        call(4, "edit", json!({"operations": [{"op": "add", "type": "Gian"}]})),
        call(5, "edit", json!({"operations": [{"op": "settings", "values": {"steps": 20}}]})),
        call(6, "nothing", json!({})),
        json!({"jsonrpc": "2.0", "id": 7, "method": "resources/list"}),
        json!({"jsonrpc": "2.0", "id": 8, "method": "ping"}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let answers = served(Protocol::Mcp, &["dc_motor.simx"], &input);
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("no answer to {id}"));
    assert_eq!(of(1)["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(of(1)["result"]["serverInfo"]["name"], "simulate");
    let tools = of(2)["result"]["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), simulate::rpc::calls::ALL.len());
    let hints = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect("a tool");
        (tool["annotations"]["readOnlyHint"] == true, tool["annotations"]["destructiveHint"] == true)
    };
    assert_eq!((hints("run"), hints("edit"), hints("save")), ((true, false), (false, false), (false, true)));
    let overview = &of(3)["result"];
    assert!(overview["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("Speed of a DC motor")));
    assert_eq!((&overview["isError"], &of(4)["result"]["isError"]), (&json!(false), &json!(true)));
    assert!(of(4)["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("did you mean “Gain”")));
    assert_eq!(of(5)["result"]["structuredContent"]["change"], "Change settings (Test)");
    assert_eq!(of(6)["result"]["isError"], true);
    assert_eq!(of(7)["error"]["code"], -32601);
    assert_eq!(of(8)["result"], json!({}));
}

#[test]
fn an_unknown_version_gets_the_newest_that_is_spoken() {
    for (asked, answered) in [("1999-01-01", PROTOCOL_VERSIONS[0]), ("2024-11-05", "2024-11-05")] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked}});
        let answers = served(Protocol::Mcp, &[], &message.to_string());
        assert_eq!(answers[0]["result"]["protocolVersion"], answered);
    }
}

/// A stream whose end a test writes while the server reads it.
struct Typed(crossbeam_channel::Receiver<Vec<u8>>, Vec<u8>);

impl Read for Typed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            match self.0.recv() {
                Ok(bytes) => self.1 = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = self.1.len().min(into.len());
        into[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

/// A run of hours reports its progress, and ends soon after it is given up; a call that waits behind it is answered.
#[test]
fn a_long_run_reports_progress_and_is_given_up() {
    for protocol in [Protocol::JsonRpc, Protocol::Mcp] {
        let (_folder, session) = session_with(&["lorenz.simx"]);
        let (type_in, typed) = crossbeam_channel::unbounded();
        let lines = Lines::default();
        let written = lines.clone();
        let server =
            std::thread::spawn(move || serve(BufReader::new(Typed(typed, Vec::new())), written, protocol, session));
        let send = |message: Value| type_in.send(format!("{message}\n").into_bytes()).expect("an open stream");
        let arguments = json!({"file": "lorenz.simx", "steps": 30_000_000_u64, "signals": ["x"]});
        let (run, give_up, next) = match protocol {
            Protocol::JsonRpc => (
                json!({"jsonrpc": "2.0", "id": 1, "method": "run", "params": arguments}),
                json!({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 1}}),
                json!({"jsonrpc": "2.0", "id": 2, "method": "files"}),
            ),
            Protocol::Mcp => (
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": arguments, "_meta": {"progressToken": "p"}}}),
                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
                json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "files", "arguments": {}}}),
            ),
        };
        send(run);
        let limit = Instant::now() + Duration::from_secs(120);
        let wait_for = |is_there: &dyn Fn(&[Value]) -> bool| {
            while !is_there(&lines.messages()) {
                assert!(Instant::now() < limit, "{:?}", lines.messages());
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        let is_progress = |message: &Value| match protocol {
            Protocol::JsonRpc => message["method"] == "progress" && message["params"]["id"] == 1,
            Protocol::Mcp => message["method"] == "notifications/progress" && message["params"]["progressToken"] == "p",
        };
        wait_for(&|messages| messages.iter().any(is_progress));
        send(give_up);
        send(next);
        wait_for(&|messages| messages.iter().any(|message| message["id"] == 2));
        let messages = lines.messages();
        let ended = messages.iter().find(|message| message["id"] == 1);
        match protocol {
            Protocol::JsonRpc => assert_eq!(ended.expect("an answer")["error"]["code"], -32800),
            Protocol::Mcp => assert_eq!(ended, None, "the protocol wants no answer"),
        }
        drop(type_in);
        server.join().expect("no panic").expect("served");
    }
}
