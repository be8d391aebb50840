//! What an editor waits for, with 10,000 blocks and 14,000 wires: opening, an edit, undo, the checks, saving.

mod models;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use simulate::block::Registry;
use simulate::engine;
use simulate::format::{Formats, LoadOptions, Loader};
use simulate::model::{BlockId, Change, Connection, Document, Edit, Fragment, Position, check};

const BLOCKS: u64 = 10_000;

fn loader(formats: &Formats) -> &dyn Loader {
    formats.iter().next().expect("the first format")
}

fn files(c: &mut Criterion) {
    let formats = Formats::standard();
    let loader = loader(&formats);
    let simulation = models::large(BLOCKS);
    let bytes = loader.write(&simulation).expect("it can be written");
    c.bench_function("open 10,000 blocks", |b| b.iter(|| loader.read(black_box(&bytes), &LoadOptions::default())));
    c.bench_function("write 10,000 blocks", |b| b.iter(|| loader.write(black_box(&simulation))));
}

fn edits(c: &mut Criterion) {
    let registry = Registry::standard();
    let document = Document::new(models::large(BLOCKS), Registry::standard());
    let edit = |c: &mut Criterion, name: &str, edits: Vec<Edit>| {
        let change = Change::new(name, edits);
        c.bench_function(name, |b| {
            b.iter_batched(|| document.clone(), |mut document| document.apply(&change), BatchSize::SmallInput);
        });
    };
    let model: std::sync::Arc<str> = "Main".into();
    let position = Position { x: 15.0, y: 15.0 };
    let moves = vec![(BlockId(5), position)];
    edit(c, "move one of 10,000 blocks", vec![Edit::Move { model: model.clone(), moves }]);
    let moves = (0..BLOCKS).map(|id| (BlockId(id.into()), position)).collect();
    edit(c, "move all of 10,000 blocks", vec![Edit::Move { model: model.clone(), moves }]);
    let connection = Box::new(Connection::new(BlockId(0), "Output", BlockId((BLOCKS - 1).into()), "Input 2"));
    edit(c, "connect in 10,000 blocks", vec![Edit::Connect { model: model.clone(), connection }]);
    let remove = Edit::RemoveBlocks { model: model.clone(), ids: vec![BlockId(5)] };
    edit(c, "remove one of 10,000 blocks", vec![remove]);
    let values = Some(vec!["3".to_owned()]);
    edit(
        c,
        "set an option in 10,000 blocks",
        vec![Edit::SetOption { model: model.clone(), id: BlockId(2), name: "Gain".into(), values }],
    );
    let main = document.simulation().model("Main").expect("the model");
    let ids: Vec<BlockId> = (0..100).map(BlockId).collect();
    let paste = Fragment::of(main, &ids).paste_into(document.simulation(), &registry, main, position).edits;
    edit(c, "paste 100 of 10,000 blocks", paste);
    let ids: Vec<BlockId> = (0..BLOCKS).map(|id| BlockId(id.into())).collect();
    c.bench_function("copy all of 10,000 blocks", |b| b.iter(|| Fragment::of(main, black_box(&ids))));
}

fn checks(c: &mut Criterion) {
    let simulation = models::large(BLOCKS);
    let registry = Registry::standard();
    c.bench_function("check 10,000 blocks", |b| b.iter(|| check(black_box(&simulation), &registry)));
    c.bench_function("compile 10,000 blocks", |b| b.iter(|| engine::compile(black_box(&simulation), &registry)));
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = files, edits, checks }
criterion_main!(benches);
