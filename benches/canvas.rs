//! What a frame of the canvas costs, without a window: input, scene, shapes, tessellation.
//!
//! A diagram of 10,000 blocks and 15,000 wires: panning with forty blocks in view, panning with all in view, and an
//! edit that moves one block.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use eframe::egui;
use simulate::app::canvas::{Canvas, CanvasView};
use simulate::app::theme::Theme;
use simulate::block::Registry;
use simulate::model::{Block, BlockId, BlockKind, Change, Connection, Document, Edit, Position, Simulation};

const SIDE: u64 = 100;

fn diagram() -> Simulation {
    let mut simulation = Simulation::new("Main");
    let Some(model) = simulation.model_mut("Main") else { return simulation };
    let count = SIDE * SIDE;
    for id in 0..count {
        let (row, column) = (id / SIDE, id % SIDE);
        let block = Block::new(BlockId(id), BlockKind::library("Math", "Multiply"));
        model.add_block(block.at(column as f64 * 130.0, row as f64 * 100.0));
    }
    for id in 0..count {
        if id % SIDE != 0 {
            model.connect(Connection::new(BlockId(id - 1), "Product", BlockId(id), "Multiplicand 1"));
        }
        // Every other block has a wire from two columns back and one row up.
        if id % 2 == 0 && id > SIDE + 2 {
            model.connect(Connection::new(BlockId(id - SIDE - 2), "Product", BlockId(id), "Multiplicand 2"));
        }
    }
    simulation
}

struct Stage {
    document: Document,
    canvas: Canvas,
    ctx: egui::Context,
    theme: Theme,
    frame: u64,
}

impl Stage {
    fn new() -> Stage {
        let document = Document::new(diagram(), Registry::standard());
        let mut stage =
            Stage { document, canvas: Canvas::new(), ctx: egui::Context::default(), theme: Theme::light(), frame: 0 };
        stage.frame();
        stage
    }

    /// Returns how many vertices there were to draw.
    fn frame(&mut self) -> usize {
        let simulation = Arc::clone(self.document.simulation());
        let registry = Arc::clone(self.document.registry());
        let view = CanvasView {
            simulation: &simulation,
            registry: &registry,
            theme: &self.theme,
            diagnostics: &[],
            watched: &[],
            values: &|_| None,
            is_running: false,
            program: None,
        };
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

fn canvas(criterion: &mut Criterion) {
    let mut stage = Stage::new();
    criterion.bench_function("pan, 10,000 blocks in view", |bencher| {
        stage.canvas.fit();
        stage.frame();
        bencher.iter(|| {
            let shift = if stage.frame.is_multiple_of(2) { 1.0 } else { -1.0 };
            stage.canvas.pan(egui::vec2(shift, 0.0));
            black_box(stage.frame())
        });
    });
    criterion.bench_function("pan, 40 of 10,000 blocks in view", |bencher| {
        stage.canvas.set_zoom(1.8);
        stage.frame();
        bencher.iter(|| {
            let shift = if stage.frame.is_multiple_of(2) { 1.0 } else { -1.0 };
            stage.canvas.pan(egui::vec2(shift, 0.0));
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
    criterion.bench_function("open a model of 10,000 blocks", |bencher| {
        let simulation = Arc::clone(stage.document.simulation());
        let registry = Arc::clone(stage.document.registry());
        bencher.iter(|| {
            let mut scene = simulate::app::canvas::scene::Scene::default();
            if let Some(model) = simulation.root_model() {
                scene.update(&simulation, model, &registry, &Default::default());
            }
            black_box(scene.block_count())
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = canvas
}
criterion_main!(benches);
