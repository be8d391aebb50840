//! The window, driven by labels and keys; what is looked at is the document and the state, never a pixel.

mod chain;
mod code_editor;
mod commands;
mod dashboard;
mod decimal_commas;
mod document;
mod driving;
mod editing;
mod engines;
mod exchange;
mod export_code;
mod export_fmu;
mod files;
mod fit;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fmus;
mod follows;
mod function_parameters;
mod imports;
mod inspector;
mod instance;
mod lab;
mod library_links;
mod outputs;
mod outside;
pub mod panels;
mod pictures;
mod plot_panel;
mod plots;
mod plugins;
#[cfg(feature = "pool")]
mod pools;
mod preferences;
mod problems;
mod recovery;
#[cfg(feature = "pool")]
pub mod remote;
mod replace;
mod response;
mod review;
mod run_files;
mod running;
mod saving;
mod sensitivities;
mod spectra;
mod tours;
mod tuner;
mod variants;
mod vocabulary;
mod welcome;

use std::path::Path;
use std::time::Duration;

use egui_kittest::{Harness, HarnessBuilder};
use simulate::Components;
use simulate::app::{App, OpenFile, Settings};
use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

pub(crate) type Window = Harness<'static, Slot>;

/// The window is made in the first frame, because it needs the context; from then on it is there.
pub(crate) struct Slot(Option<App>);

impl std::ops::Deref for Slot {
    type Target = App;
    fn deref(&self) -> &App {
        self.0.as_ref().expect("the first frame made it")
    }
}

impl std::ops::DerefMut for Slot {
    fn deref_mut(&mut self) -> &mut App {
        self.0.as_mut().expect("the first frame made it")
    }
}

/// A file that was dropped on the window.
#[derive(Debug)]
pub(crate) struct Dropped(pub std::path::PathBuf);

impl eframe::egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

/// The open document of a window that has one.
pub(crate) trait Opened {
    fn open(&self) -> &OpenFile;
    fn open_mut(&mut self) -> &mut OpenFile;
}

impl Opened for App {
    fn open(&self) -> &OpenFile {
        self.file.as_ref().expect("a file is open")
    }

    fn open_mut(&mut self) -> &mut OpenFile {
        self.file.as_mut().expect("a file is open")
    }
}

/// A window that remembers nothing.
fn window() -> Window {
    window_with(Settings::default())
}

pub(crate) fn window_with(settings: Settings) -> Window {
    window_of(settings, &Components::standard())
}

/// A window of a program with these components.
fn window_of(settings: Settings, components: &Components) -> Window {
    built(Harness::builder(), settings, components)
}

/// A window that also shows letters that its fonts do not have, as boxes.
fn window_with_any_letter(settings: Settings) -> Window {
    built(Harness::builder().allow_missing_glyphs(), settings, &Components::standard())
}

fn built(builder: HarnessBuilder<Slot>, settings: Settings, components: &Components) -> Window {
    let components = components.clone();
    let builder = builder.with_size([1280.0, 836.0]).with_max_steps(40);
    let draw = move |ui: &mut eframe::egui::Ui, slot: &mut Slot| {
        match &mut slot.0 {
            Some(app) => {
                app.logic();
                app.ui(ui);
            }
            // Fonts and styles act from the next frame on.
            None => slot.0 = Some(App::new(ui.ctx(), settings.clone(), components.clone())),
        }
    };
    let mut harness = builder.build_ui_state(draw, Slot(None));
    harness.step();
    settle(&mut harness);
    harness
}

/// Static → Gain → exit, as a user would draw it.
pub(crate) fn gain_chain() -> Simulation {
    let mut model = Model::new("Main");
    model.add_block(
        Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &["3"]).at(0.0, 0.0),
    );
    model.add_block(
        Block::new(BlockId(1), BlockKind::library("Math", "Gain")).with_option("Gain", &["2"]).at(120.0, 0.0),
    );
    model.add_block(Block::new(BlockId(2), BlockKind::exit("Result")).at(240.0, 0.0));
    model.connect(Connection::new(BlockId(0), "Output", BlockId(1), "Input"));
    model.connect(Connection::new(BlockId(1), "Output", BlockId(2), "Input"));
    let mut simulation = Simulation::default();
    (simulation.steps, simulation.delta, simulation.root) = (50, 0.1, "Main".into());
    simulation.add_model(model);
    simulation
}

pub(crate) fn show(harness: &mut Window, simulation: Simulation) {
    harness.state_mut().show(simulation, None, "Test", Vec::new());
    harness.run_ok();
}

fn gain_of(app: &App) -> Vec<String> {
    let file = app.file.as_ref().expect("a file is open");
    let block = file.simulation().model("Main").and_then(|model| model.block(BlockId(1)).cloned()).expect("the gain");
    block.option_texts("Gain").unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// Draws frames until `is_done`; panics where that never happens.
pub(crate) fn until(harness: &mut Window, what: &str, is_done: impl Fn(&App) -> bool) {
    for _ in 0..2000 {
        if is_done(harness.state()) {
            return;
        }
        // The other threads say when they have something; waiting for them is no guess at a time.
        harness.state_mut().wait_for_run(Duration::from_millis(5));
        harness.state_mut().wait_for_jobs(Duration::from_millis(5));
        harness.step();
    }
    panic!("never happened: {what}");
}

/// Clicks with a button of the pointer.
fn click_at(harness: &mut Window, at: eframe::egui::Pos2, button: eframe::egui::PointerButton) {
    harness.hover_at(at);
    harness.step();
    for pressed in [true, false] {
        let modifiers = eframe::egui::Modifiers::NONE;
        harness.event(eframe::egui::Event::PointerButton { pos: at, button, pressed, modifiers });
        harness.step();
    }
    harness.run_ok();
}

/// Waits until all that was to be read and written is.
pub(crate) fn settle(harness: &mut Window) {
    until(harness, "the jobs end", |app| !app.has_jobs());
    harness.run_ok();
}

fn sample(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}
