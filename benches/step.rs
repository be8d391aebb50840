//! What a step costs: the reference engine, in time a block.

mod models;

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    for blocks in [100, 10_000] {
        let simulation = models::large(blocks);
        let program = Arc::new(compile(&simulation, &Registry::standard()).expect("it compiles"));
        let engines = Engines::standard();
        let mut execute = engines.get("simple").expect("the engine").prepare(&program).expect("it runs");
        let mut context = Context::new(&program);
        group.throughput(Throughput::Elements(blocks));
        group.bench_function(format!("simple, {blocks} blocks"), |b| {
            b.iter(|| execute.run(&mut context, 1, &mut Samples::default()));
        });
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = steps }
criterion_main!(benches);
