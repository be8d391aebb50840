//! What a frame of the whole window costs while a run goes on as fast as it can: a thousand blocks, twenty curves in the
//! plots, the Step panel open beside them; and while the window shows 10,000 blocks. Then, with all blocks in view, how long
//! a key takes until the picture is another.
//!
//! Prints the middle, the ninth tenth and the longest of many frames in milliseconds; 16 is the aim. Of keys it prints the
//! middle and the longest time, frames and triangles included, and the number of frames; 50 ms is the aim. All times are
//! processor times of the window's thread.

mod clock;
mod models;

use std::time::Duration;

use clock::processor_time;
use eframe::egui::{ClippedPrimitive, Key, Modifiers, epaint::Primitive};
use egui_kittest::Harness;
use simulate::Components;
use simulate::app::action::PlotsAction;
use simulate::app::action::command::{Command, Panel};
use simulate::app::action::command::{RunCommand, ViewCommand};
use simulate::app::action::diagram_command::DiagramCommand;
use simulate::app::{Action, App, Settings};
use simulate::model::{BlockId, SignalKey, Simulation};

const FRAMES: usize = 400;

type Window = Harness<'static, Option<App>>;

fn window(simulation: Simulation) -> Window {
    let draw = |ui: &mut eframe::egui::Ui, app: &mut Option<App>| match app {
        Some(app) => app.ui(ui),
        None => *app = Some(App::new(ui.ctx(), Settings::default(), Components::standard())),
    };
    let mut harness = Harness::builder().with_size([1600.0, 1000.0]).build_ui_state(draw, None);
    harness.step();
    app(&mut harness).show(simulation, None, "Frames", Vec::new());
    (0..20).for_each(|_| harness.step());
    harness
}

fn app(harness: &mut Window) -> &mut App {
    harness.state_mut().as_mut().expect("the first frame made it")
}

fn measure(name: &str, harness: &mut Window) {
    let mut spent: Vec<Duration> = Vec::new();
    for _ in 0..FRAMES {
        let start = processor_time();
        harness.step();
        let took = processor_time() - start;
        spent.push(took);
        // As long as a screen waits for the next.
        std::thread::sleep(Duration::from_millis(16).saturating_sub(took));
    }
    spent.sort();
    let at = |part: usize| spent[(FRAMES * part / 100).min(FRAMES - 1)].as_secs_f64() * 1e3;
    println!("{name}: {:.2} ms, nine tenths {:.2}, longest {:.2}", at(50), at(90), at(100));
}

/// Keys with all blocks in view. Each row undoes what the one before did, so that they can be repeated.
const KEYS: [(&str, Modifiers, Key); 14] = [
    ("Ctrl+A, all blocks are selected", Modifiers::COMMAND, Key::A),
    ("→, all are moved", Modifiers::NONE, Key::ArrowRight),
    ("Ctrl+Z, they are back", Modifiers::COMMAND, Key::Z),
    ("Escape, none is selected", Modifiers::NONE, Key::Escape),
    ("Tab, one is selected", Modifiers::NONE, Key::Tab),
    ("↓, one is moved", Modifiers::NONE, Key::ArrowDown),
    ("Ctrl+Z, it is back", Modifiers::COMMAND, Key::Z),
    ("Delete, it is gone", Modifiers::NONE, Key::Delete),
    ("Ctrl+Z, it is there", Modifiers::COMMAND, Key::Z),
    ("Ctrl+A, all are selected again", Modifiers::COMMAND, Key::A),
    ("Delete, all are gone", Modifiers::NONE, Key::Delete),
    ("Ctrl+Z, all are there", Modifiers::COMMAND, Key::Z),
    ("Ctrl+-, the diagram is smaller", Modifiers::COMMAND, Key::Minus),
    ("Ctrl+1, all is in view", Modifiers::COMMAND, Key::Num1),
];
/// How often the keys are pressed, and after how many frames a key is given up.
const ROUNDS: usize = 12;
const MAX_FRAMES: usize = 30;

/// Draws a frame up to the triangles for the graphics processor; returns them with the time that it took.
fn picture(harness: &mut Window) -> (Vec<ClippedPrimitive>, Duration) {
    let start = processor_time();
    harness.step();
    let (drawn, shapes) = (processor_time() - start, harness.output().shapes.clone());
    let start = processor_time();
    let triangles = harness.ctx.tessellate(shapes, 1.0);
    (triangles, drawn + (processor_time() - start))
}

fn is_same(one: &[ClippedPrimitive], other: &[ClippedPrimitive]) -> bool {
    let vertices = |primitive: &ClippedPrimitive| match &primitive.primitive {
        Primitive::Mesh(mesh) => mesh.vertices.clone(),
        Primitive::Callback(_) => Vec::new(),
    };
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| vertices(one) == vertices(other))
}

/// Measures the time from each key to the picture that differs.
fn measure_keys(name: &str, harness: &mut Window) {
    app(harness).dispatch(Command::View(ViewCommand::ZoomFit));
    app(harness).dispatch(Command::Diagram(DiagramCommand::Focus));
    let mut found: Vec<Vec<(Duration, usize)>> = vec![Vec::new(); KEYS.len()];
    for _ in 0..ROUNDS {
        for ((_, modifiers, key), found) in KEYS.iter().zip(&mut found) {
            // Movements that a key before began have ended.
            (0..8).for_each(|_| harness.step());
            let (mut before, _) = picture(harness);
            harness.key_press_modifiers(*modifiers, *key);
            let (mut spent, mut frames) = (Duration::ZERO, 0);
            while frames < MAX_FRAMES {
                let (after, took) = picture(harness);
                (spent, frames) = (spent + took, frames + 1);
                let differs = !is_same(&before, &after);
                before = after;
                if differs {
                    break;
                }
            }
            found.push((spent, frames));
        }
    }
    for ((key, ..), mut found) in KEYS.iter().zip(found) {
        found.sort();
        let ((middle, frames), (longest, _)) = (found[ROUNDS / 2], found[ROUNDS - 1]);
        let text = if frames == MAX_FRAMES { ", NOTHING CHANGED" } else { "" };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{name}, {key}: {:.1} ms, longest {:.1}, {frames} frames{text}", ms(middle), ms(longest));
    }
}

fn main() {
    let models = [("1,000 blocks", models::oscillators::thousand_blocks()), ("10,000 blocks", models::large(10_000))];
    for (name, mut simulation) in models {
        simulation.steps = 0;
        let mut harness = window(simulation);
        measure(&format!("{name}, nothing runs"), &mut harness);
        measure_keys(name, &mut harness);
        let signals = (0..20).map(|number| SignalKey::new(&[], BlockId(i128::from(number) * 40), "Output")).collect();
        app(&mut harness).act(Action::Plots(PlotsAction::PlotIn { signals, plot: 0 }));
        app(&mut harness).dispatch(Command::Run(RunCommand::Run));
        measure(&format!("{name}, it runs, twenty curves"), &mut harness);
        app(&mut harness).dispatch(Command::View(ViewCommand::TogglePanel(Panel::Step)));
        measure(&format!("{name}, it runs, the Step panel"), &mut harness);
        let run = &app(&mut harness).file.as_ref().expect("a file is open").run;
        println!("{name}: {} steps until here", run.progress.step);
        app(&mut harness).dispatch(Command::Run(RunCommand::Stop));
    }
}
