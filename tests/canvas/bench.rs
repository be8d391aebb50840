//! A canvas with its document, and simulated pointer gestures.

use std::sync::Arc;

use eframe::egui::{self, Color32, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use simulate::app::action::command::Command;
use simulate::app::canvas::{Canvas, CanvasOutput, CanvasView, DocumentView, Edited, OpenModel};
use simulate::app::doc::derived::DiagnosticList;
use simulate::app::ui::theme::Theme;
use simulate::block::Registry;
use simulate::engine::Program;
use simulate::model::{
    Block, BlockId, BlockKind, Change, Connection, Document, Model, Position, SignalKey, Simulation,
};

pub struct Bench {
    pub document: Document,
    pub canvas: Canvas,
    pub diagnostics: DiagnosticList,
    pub labels: Vec<String>,
    pub errors: Vec<String>,
    pub last: CanvasOutput,
    pub watched: Vec<(SignalKey, Color32)>,
    pub program: Option<Program>,
}

impl Bench {
    fn frame(&mut self, ui: &mut egui::Ui) {
        let simulation = Arc::clone(self.document.simulation());
        let registry = Arc::clone(self.document.registry());
        let view = CanvasView {
            document: DocumentView { simulation: &simulation, registry: &registry },
            theme: &Theme::light(),
            diagnostics: &self.diagnostics,
            watched: &self.watched,
            values: &|_| None,
            curve: &|_, _| None,
            code: &|_| None,
            is_scrubbed: false,
            is_running: false,
            program: self.program.as_ref(),
            heat: None,
            pools: &[],
            remote_costs: &[],
            outdated: &Default::default(),
        };
        let mut output = self.canvas.ui(ui, &view);
        for command in &output.commands {
            // The window carries out the others.
            if let Command::Diagram(command) = command {
                output.changes.extend(self.canvas.perform(&view.document, *command).changes);
            }
        }
        for change in &output.changes {
            self.apply(change);
        }
        let is_new = !output.plot.is_empty() || output.insert_at.is_some() || output.refused.is_some();
        if is_new || output.edit_parameters.is_some() || output.open_scope.is_some() {
            self.last = output;
        }
    }

    pub fn apply(&mut self, change: &Change) {
        match self.document.apply(change) {
            Ok(()) => self.labels.push(change.label.clone()),
            Err(error) => self.errors.push(error.to_string()),
        }
    }

    /// Makes a change to the open model, without applying it.
    pub fn edit<E: Into<Edited>>(&mut self, make: impl FnOnce(&OpenModel) -> Option<E>) -> Option<Change> {
        let (simulation, registry) = (Arc::clone(self.document.simulation()), Arc::clone(self.document.registry()));
        self.canvas.edit(&DocumentView { simulation: &simulation, registry: &registry }, make)
    }

    pub fn model(&self) -> &Model {
        self.canvas.open_model(self.document.simulation()).expect("an open model")
    }

    pub fn position(&self, id: u64) -> Position {
        self.model().block(BlockId(id.into())).and_then(|block| block.position()).expect("a position")
    }
}

pub fn library(id: u64, group: &str, name: &str) -> Block {
    Block::new(BlockId(id.into()), BlockKind::library(group, name))
}

/// The model `Static #0 → Gain #1`, an unconnected sum and integrator, and a model block.
pub fn simulation() -> Simulation {
    let mut simulation = Simulation::new("Main");
    let mut plant = Model::new("Plant");
    plant.add_block(Block::new(BlockId(0), BlockKind::entry("u")).at(0.0, 0.0));
    plant.add_block(Block::new(BlockId(1), BlockKind::exit("y")).at(200.0, 0.0));
    plant.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    simulation.add_model(plant);
    let main = simulation.model_mut("Main").expect("the root");
    main.add_block(library(0, "Var", "Static").at(0.0, 0.0));
    main.add_block(library(1, "Math", "Gain").at(200.0, 0.0));
    main.add_block(library(2, "Math", "Gain").at(0.0, 160.0));
    main.add_block(library(3, "Math", "Abs").at(200.0, 160.0));
    main.add_block(Block::new(BlockId(4), BlockKind::model("Plant")).at(400.0, 160.0));
    main.add_block(library(5, "Sink", "Scope").at(400.0, 0.0));
    main.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    simulation
}

pub fn harness(simulation: Simulation) -> Harness<'static, Bench> {
    let bench = Bench {
        document: Document::new(simulation, Registry::standard()),
        canvas: Canvas::new(),
        diagnostics: DiagnosticList::default(),
        labels: Vec::new(),
        errors: Vec::new(),
        last: CanvasOutput::default(),
        watched: Vec::new(),
        program: None,
    };
    let harness = Harness::builder().with_size(vec2(900.0, 600.0)).with_step_dt(0.02).allow_missing_glyphs();
    let mut harness = harness.build_ui_state(|ui, bench: &mut Bench| bench.frame(ui), bench);
    harness.run_steps(2);
    harness
}

pub fn at(harness: &Harness<Bench>, label: &str) -> Pos2 {
    harness.get_by_label(label).rect().center()
}

/// Returns the screen position of a model position.
pub fn place(harness: &Harness<Bench>, x: f64, y: f64) -> Pos2 {
    harness.state().canvas.view.screen_of(Position { x, y })
}

pub fn button(harness: &mut Harness<Bench>, pos: Pos2, button: PointerButton, pressed: bool, modifiers: Modifiers) {
    harness.event(egui::Event::PointerMoved(pos));
    harness.event(egui::Event::PointerButton { pos, button, pressed, modifiers });
    harness.step();
}

pub fn drag_with(harness: &mut Harness<Bench>, from: Pos2, to: Pos2, which: PointerButton, modifiers: Modifiers) {
    harness.event(egui::Event::ModifiersChanged(modifiers));
    harness.event(egui::Event::PointerMoved(from));
    harness.step();
    button(harness, from, which, true, modifiers);
    for part in [0.3, 0.7, 1.0] {
        harness.event(egui::Event::PointerMoved(from + (to - from) * part));
        harness.step();
    }
    harness.step();
    button(harness, to, which, false, modifiers);
    harness.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    harness.run_steps(2);
}

pub fn drag(harness: &mut Harness<Bench>, from: Pos2, to: Pos2) {
    drag_with(harness, from, to, PointerButton::Primary, Modifiers::NONE);
}

pub fn click_with(harness: &mut Harness<Bench>, pos: Pos2, modifiers: Modifiers) {
    harness.event(egui::Event::ModifiersChanged(modifiers));
    button(harness, pos, PointerButton::Primary, true, modifiers);
    button(harness, pos, PointerButton::Primary, false, modifiers);
    harness.event(egui::Event::ModifiersChanged(Modifiers::NONE));
    harness.run_steps(2);
}

pub fn click(harness: &mut Harness<Bench>, pos: Pos2) {
    click_with(harness, pos, Modifiers::NONE);
}

pub fn double_click(harness: &mut Harness<Bench>, pos: Pos2) {
    // All events in one frame, so that the clicks are close in time.
    harness.event(egui::Event::PointerMoved(pos));
    for pressed in [true, false, true, false] {
        let modifiers = Modifiers::NONE;
        harness.event(egui::Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers });
    }
    harness.run_steps(3);
}

pub fn selected(harness: &Harness<Bench>) -> Vec<u64> {
    harness.state().canvas.selection().blocks.iter().map(|id| id.0 as u64).collect()
}
