//! Calls from outside on a model of 10,000 blocks: an edit of one block is answered in under 10 ms.

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use simulate::rpc::{CallControl, FolderHost, Session};
use simulate::{Components, Opener};

/// A chain of gains and delays, as text.
fn text(blocks: usize) -> String {
    let mut text = String::from("simulation Main, steps = 10, delta = 0.01\n\nmodel Main\nu: Static, Value = 1\n");
    for number in 0..blocks {
        text += &format!("G{number}: Gain, Gain = {}\n", number % 7 + 1);
    }
    text += "y: output\nu -> G0\n";
    for number in 1..blocks {
        text += &format!("G{} -> G{number}\n", number - 1);
    }
    text + &format!("G{} -> y\n", blocks - 1)
}

fn call(session: &mut Session, name: &str, arguments: Value) -> Value {
    session.call(name, arguments, &CallControl::none()).expect("an answer").data
}

fn calls(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("large.simt"), text(10_000)).expect("written");
    let host = FolderHost::new(folder.path(), Opener::default()).expect("a folder");
    let mut session = Session::new(Box::new(host), Components::standard(), None);
    call(&mut session, "check", json!({"file": "large.simt"}));
    let mut group = criterion.benchmark_group("calls on 10,000 blocks");
    group.sample_size(20);
    let mut gain = 1;
    group.bench_function("edit one block", |bencher| {
        bencher.iter(|| {
            gain += 1;
            let set = json!([{"op": "set", "block": "G5000", "parameters": {"Gain": gain}}]);
            call(&mut session, "edit", json!({"operations": set}))
        });
    });
    group.bench_function("overview", |bencher| bencher.iter(|| call(&mut session, "overview", json!({}))));
    group.bench_function("read", |bencher| bencher.iter(|| call(&mut session, "read", json!({"limit": 200_000}))));
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
