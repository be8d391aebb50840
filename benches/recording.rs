//! A hundred million samples: taking them in, and what a plot of 1,000 pixels asks for at any zoom; in memory, and from
//! a spill_file that has taken nearly all of them.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use simulate::engine::{Column, Recording};
use simulate::model::{BlockId, SignalKey};

const SAMPLES: u64 = 100_000_000;

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
    buckets(c, "in memory", &column);
    drop(column);
    #[cfg(feature = "app")]
    {
        let spill_file = simulate::app::store::spill_file::TempSpillFile::new(None, 64 << 20);
        let mut recording = Recording::with_spill_file(0.001, spill_file.clone());
        for first in (0..SAMPLES).step_by(block.len()) {
            recording.append(&signal, first, 1, &block);
        }
        // What is measured is reading, not writing.
        while spill_file.size() < (SAMPLES - (16 << 20)) * 8 {
            std::thread::yield_now();
        }
        buckets(c, "from a file", &recording.columns(&signal)[0]);
    }
}

fn buckets(c: &mut Criterion, place: &str, column: &Column) {
    for part in [1, 10, 1000, 100_000] {
        c.bench_function(&format!("buckets of 1/{part} of 100,000,000 samples {place}"), |b| {
            b.iter(|| column.buckets(black_box(12_345_678..12_345_678 + SAMPLES / part), 1000));
        });
    }
    c.bench_function(&format!("1,000 buckets at places far from each other {place}"), |b| {
        let mut first = 0;
        b.iter(|| {
            first = (first + 7_654_321) % (SAMPLES - 100_000);
            column.buckets(black_box(first..first + 50_000), 1000)
        });
    });
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = recording }
criterion_main!(benches);
