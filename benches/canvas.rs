//! What a frame of the canvas costs, without a window: input, scene, shapes, tessellation.
//!
//! A diagram of 10,000 blocks and 15,000 wires: panning with forty blocks in view and with all in view; every kind of
//! edit and its undo; going to another level and back; and a file of 100,000 blocks from its bytes to the first frame.
//! Edits and levels are measured in processor time.

mod clock;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use eframe::egui;
use simulate::app::canvas::{Canvas, CanvasView, DocumentView, Selection};
use simulate::app::ui::theme::Theme;
use simulate::block::Registry;
use simulate::format::{Formats, LoadOptions};
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, Document, Edit, Fragment, Model, Position, Simulation,
};

const SIDE: u64 = 100;
/// A model block in the diagram, and the model that it uses: as large as the diagram.
const USE: BlockId = BlockId(1_000_000);
const INNER: &str = "Inner";

fn diagram() -> Simulation {
    let mut simulation = Simulation::new("Main");
    fill(&mut simulation, "Main", SIDE * SIDE);
    simulation
}

/// Rows of `SIDE` blocks.
fn fill(simulation: &mut Simulation, name: &str, count: u64) {
    let Some(model) = simulation.model_mut(name) else { return };
    for id in 0..count {
        let (row, column) = (id / SIDE, id % SIDE);
        let block = Block::new(BlockId(id.into()), BlockKind::library("Math", "Multiply"));
        model.add_block(block.at(column as f64 * 130.0, row as f64 * 100.0));
    }
    for id in 0..count {
        if id % SIDE != 0 {
            model.connect(Connection::new(BlockId((id - 1).into()), "Product", BlockId(id.into()), "Multiplicand 1"));
        }
        // Every other block has a wire from two columns back and one row up.
        if id % 2 == 0 && id > SIDE + 2 {
            model.connect(Connection::new(
                BlockId((id - SIDE - 2).into()),
                "Product",
                BlockId(id.into()),
                "Multiplicand 2",
            ));
        }
    }
}

struct Stage {
    document: Document,
    canvas: Canvas,
    ctx: egui::Context,
    theme: Theme,
    frame: u64,
}

impl Stage {
    fn new(simulation: Simulation) -> Stage {
        let document = Document::new(simulation, Registry::standard());
        let mut stage =
            Stage { document, canvas: Canvas::new(), ctx: egui::Context::default(), theme: Theme::light(), frame: 0 };
        stage.frame();
        stage
    }

    /// Returns how many vertices there were to draw.
    fn frame(&mut self) -> usize {
        let simulation = Arc::clone(self.document.simulation());
        let registry = Arc::clone(self.document.registry());
        let view = CanvasView::plain(DocumentView { simulation: &simulation, registry: &registry }, &self.theme);
        self.frame += 1;
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1600.0, 1000.0))),
            time: Some(self.frame as f64 / 60.0),
            ..Default::default()
        };
        let canvas = &mut self.canvas;
        let mut output = self.ctx.run_ui(input, |ui| {
            canvas.ui(ui, &view);
        });
        output.textures_delta.clear();
        let shapes = self.ctx.tessellate(output.shapes, output.pixels_per_point);
        shapes
            .iter()
            .map(|shape| match &shape.primitive {
                egui::epaint::Primitive::Mesh(mesh) => mesh.vertices.len(),
                egui::epaint::Primitive::Callback(_) => 0,
            })
            .sum()
    }
}

impl Stage {
    fn apply(&mut self, make: impl FnOnce(&mut Canvas, &DocumentView) -> Option<Change>) {
        let simulation = Arc::clone(self.document.simulation());
        let registry = Arc::clone(self.document.registry());
        let view = DocumentView { simulation: &simulation, registry: &registry };
        if let Some(change) = make(&mut self.canvas, &view) {
            let _ = self.document.apply(&change);
        }
    }

    /// Draws until all wires have found their way.
    fn rest(&mut self) {
        self.frame();
        while self.canvas.scene().is_routing() {
            self.frame();
        }
    }

    fn select(&mut self, ids: impl Iterator<Item = u64>) {
        self.canvas.select(Selection { blocks: ids.map(|id| BlockId(id.into())).collect(), ..Selection::default() });
    }
}

/// Each with the frame that shows it, forty blocks in view; what is taken back after it is not counted.
fn edits(criterion: &mut Criterion, stage: &mut Stage) {
    type Act = fn(&mut Stage);
    let group = |stage: &mut Stage| stage.select((0..100).map(|n| 4040 + n % 10 + n / 10 * SIDE));
    let cases: [(&str, Act, Act); 8] = [
        (
            "connect",
            |_| {},
            |stage| {
                stage.apply(|_, _| {
                    let connection =
                        Box::new(Connection::new(BlockId(5050), "Product", BlockId(5053), "Multiplicand 2"));
                    Some(Change::one("Connect", Edit::Connect { model: "Main".into(), connection }))
                });
            },
        ),
        (
            "rename",
            |_| {},
            |stage| {
                stage.apply(|_, _| {
                    let (name, value) = ("label".into(), Some("speed".into()));
                    let edit = Edit::SetBlockAttribute { model: "Main".into(), id: BlockId(5050), name, value };
                    Some(Change::one("Rename", edit))
                });
            },
        ),
        (
            "delete one",
            |stage| stage.select([5050].into_iter()),
            |stage| {
                stage.apply(|canvas, view| canvas.edit(view, |open| open.delete_selection()));
            },
        ),
        (
            "select all",
            |_| {},
            |stage| {
                let simulation = Arc::clone(stage.document.simulation());
                stage.canvas.select_all(&simulation);
            },
        ),
        ("move 100", group, |stage| stage.apply(|canvas, view| canvas.edit(view, |open| open.nudge(3, 2)))),
        ("duplicate 100", group, |stage| stage.apply(|canvas, view| canvas.edit(view, |open| open.duplicate()))),
        (
            "paste 1,000",
            |_| {},
            |stage| {
                stage.apply(|canvas, view| {
                    let model = view.simulation.root_model()?;
                    let fragment = Fragment::of(model, &(0..1000).map(BlockId).collect::<Vec<_>>());
                    let fragment = fragment.with_definitions(view.simulation, &model.name);
                    let at = Position { x: 6500.0, y: 5000.0 };
                    canvas.edit(view, |open| open.paste(&fragment, Some(at)).map(|(edited, _)| edited))
                });
            },
        ),
        (
            "delete all",
            |stage| stage.select(0..SIDE * SIDE),
            |stage| {
                stage.apply(|canvas, view| canvas.edit(view, |open| open.delete_selection()));
            },
        ),
    ];
    for (name, before, edit) in cases {
        let mut run = |name: &str, then: Act, is_undone: bool| {
            criterion.bench_function(name, |bencher| {
                bencher.iter_custom(|count| {
                    let mut spent = std::time::Duration::ZERO;
                    for _ in 0..count {
                        stage.canvas.select(Selection::default());
                        stage.rest();
                        before(stage);
                        stage.frame();
                        if is_undone {
                            edit(stage);
                            stage.rest();
                        }
                        let start = clock::processor_time();
                        then(stage);
                        black_box(stage.frame());
                        spent += clock::processor_time() - start;
                        while stage.document.undo_labels().next().is_some() {
                            stage.document.undo();
                        }
                    }
                    spent
                });
            });
        };
        run(&format!("{name} of 10,000 blocks"), edit, false);
        run(&format!("undo: {name} of 10,000 blocks"), |stage| drop(stage.document.undo().map(str::to_owned)), true);
    }
}

fn canvas(criterion: &mut Criterion) {
    let mut stage = Stage::new(diagram());
    stage.canvas.view.fit();
    stage.frame();
    criterion.bench_function("pan, 10,000 blocks in view", |bencher| {
        bencher.iter(|| {
            let shift = if stage.frame.is_multiple_of(2) { 1.0 } else { -1.0 };
            stage.canvas.view.pan(egui::vec2(shift, 0.0));
            black_box(stage.frame())
        });
    });
    // Also where a filter leaves some of the benches out.
    stage.canvas.view.set_zoom(1.8);
    stage.frame();
    criterion.bench_function("pan, 40 of 10,000 blocks in view", |bencher| {
        bencher.iter(|| {
            let shift = if stage.frame.is_multiple_of(2) { 1.0 } else { -1.0 };
            stage.canvas.view.pan(egui::vec2(shift, 0.0));
            black_box(stage.frame())
        });
    });
    criterion.bench_function("move one of 10,000 blocks, 40 in view", |bencher| {
        bencher.iter(|| {
            let y = if stage.frame.is_multiple_of(2) { 5000.0 } else { 5020.0 };
            let moves = vec![(BlockId(5050), Position { x: 6500.0, y })];
            let change = Change::one("Move", Edit::Move { model: "Main".into(), moves });
            let _ = stage.document.apply(&change);
            black_box(stage.frame())
        });
    });
    edits(criterion, &mut stage);
    levels(criterion);
    criterion.bench_function("open a file of 100,000 blocks", |bencher| {
        let mut large = Simulation::new("Main");
        fill(&mut large, "Main", 100_000);
        let formats = Formats::standard();
        let Some(loader) = formats.iter().next() else { return };
        let Ok(bytes) = loader.write(&large) else { return };
        bencher.iter(|| {
            let loaded = loader.read(&bytes, &LoadOptions::default());
            black_box(loaded.map(|loaded| Stage::new(loaded.simulation).canvas.scene().block_count()).ok())
        });
    });
}

/// Going into a level of 10,000 blocks for the first time, and back and into it again.
fn levels(criterion: &mut Criterion) {
    let mut simulation = diagram();
    simulation.add_model(Model::new(INNER));
    fill(&mut simulation, INNER, SIDE * SIDE);
    if let Some(model) = simulation.model_mut("Main") {
        model.add_block(Block::new(USE, BlockKind::model(INNER)).at(-300.0, 0.0));
    }
    let mut stage = Stage::new(simulation);
    stage.rest();
    criterion.bench_function("go into a model of 10,000 blocks for the first time", |bencher| {
        bencher.iter_custom(|count| {
            let mut spent = std::time::Duration::ZERO;
            for _ in 0..count {
                stage.canvas = Canvas::new();
                stage.frame();
                let start = clock::processor_time();
                stage.canvas.go_to(vec![USE], None);
                black_box(stage.frame());
                spent += clock::processor_time() - start;
            }
            spent
        });
    });
    criterion.bench_function("go to another model of 10,000 blocks and back", |bencher| {
        for path in [Vec::new(), vec![USE]] {
            stage.canvas.go_to(path, None);
            stage.canvas.view.set_zoom(1.8);
            stage.rest();
        }
        bencher.iter(|| {
            for path in [Vec::new(), vec![USE]] {
                stage.canvas.go_to(path, None);
                black_box(stage.frame());
            }
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = canvas
}
criterion_main!(benches);
