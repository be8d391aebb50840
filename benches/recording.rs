//! Ten million samples: taking them in, and what a plot of 1,000 pixels asks for at any zoom.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use simulate::engine::{Column, Recording};
use simulate::model::{BlockId, SignalKey};

const SAMPLES: u64 = 10_000_000;

fn recording(c: &mut Criterion) {
    let signal = SignalKey::new(&[], BlockId(0), "Output");
    let block: Vec<f64> = (0..65_536).map(|sample| f64::from(sample).sin()).collect();
    let mut group = c.benchmark_group("recording");
    group.throughput(Throughput::Elements(block.len() as u64));
    group.bench_function("append 65,536 samples", |b| {
        b.iter_batched(
            || Recording::new(0.001),
            |mut recording| {
                recording.append(&signal, 0, 1, black_box(&block));
                recording
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
    let mut column = Column::default();
    (0..SAMPLES).for_each(|sample| column.push((sample as f64 * 1e-3).sin()));
    for part in [1, 10, 1000] {
        c.bench_function(&format!("buckets of 1/{part} of 10,000,000 samples"), |b| {
            b.iter(|| column.buckets(black_box(12_345..12_345 + SAMPLES / part), 1000));
        });
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = recording }
criterion_main!(benches);
