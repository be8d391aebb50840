//! What a call of an FMU costs: a step of co-simulation through a worker, beside a round trip of bytes over pipes to a
//! process that does nothing else.
//!
//! The FMU is `tests/foreign/fmus/Lag`, whose step of 10 ms takes 11 steps of Euler's method.

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use simulate::block::{Files as _, ForeignKind, ForeignModel, ForeignUse};
use simulate::format::Folder;
use simulate::worker::{AllowedFmus, Fmus};

fn step_of_an_fmu(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/fmus");
    for version in [2, 3] {
        let file = format!("Lag.fmi{version}.fmu");
        let mut allowed = AllowedFmus::default();
        allowed.add_file(&folder.join(&file)).expect("an FMU");
        let program = env!("CARGO_BIN_EXE_simulate").into();
        let files = Fmus::new(Arc::new(Folder::new(&folder)), allowed).with_program(program);
        let wanted = ForeignUse {
            kind: ForeignKind::CoSimulation,
            inputs: vec![("u".to_owned(), 1)],
            outputs: vec![("y".to_owned(), 1)],
            parameters: Vec::new(),
            texts: Vec::new(),
            is_direct: false,
            step: 0.01,
            call_limit: 10.0,
            memory: 1 << 32,
        };
        let Ok(ForeignModel::CoSimulation { step, .. }) = files.foreign(&file, &wanted) else { panic!("a model") };
        let (mut point, mut number) = ([0.0; 3], 0.0);
        criterion.bench_function(&format!("a step of Lag, FMI {version}"), |bench| {
            bench.iter(|| {
                let args = [1.0, point[0], point[1], number, 1.0, point[2]];
                step.call(black_box(&args), &mut point, None).expect("a step");
                number += 1.0;
            });
        });
    }
}

/// 128 bytes there and back, through `cat`.
fn round_trip(criterion: &mut Criterion) {
    let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cat");
    let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut bytes = [7; 128];
    criterion.bench_function("128 bytes over two pipes", |bench| {
        bench.iter(|| {
            input.write_all(black_box(&bytes)).expect("it is read");
            output.read_exact(&mut bytes).expect("it is written");
        });
    });
    drop(input);
    child.wait().expect("it ends");
}

criterion_group!(benches, step_of_an_fmu, round_trip);
criterion_main!(benches);
