//! What a frame of the whole window costs while a run goes on as fast as it can: a thousand blocks, twenty curves in the
//! plots, the Step panel open beside them; and while the window shows 10,000 blocks.
//!
//! Prints the middle, the ninth tenth and the longest of many frames in milliseconds; 16 is the aim.

mod models;

use std::time::{Duration, Instant};

use egui_kittest::Harness;
use simulate::Components;
use simulate::app::action::PlotsAction;
use simulate::app::action::command::{Command, Panel};
use simulate::app::action::command::{RunCommand, ViewCommand};
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
        let start = Instant::now();
        harness.step();
        spent.push(start.elapsed());
        // As long as a screen waits for the next.
        std::thread::sleep(Duration::from_millis(16).saturating_sub(start.elapsed()));
    }
    spent.sort();
    let at = |part: usize| spent[(FRAMES * part / 100).min(FRAMES - 1)].as_secs_f64() * 1e3;
    println!("{name}: {:.2} ms, nine tenths {:.2}, longest {:.2}", at(50), at(90), at(100));
}

fn main() {
    let models = [("1,000 blocks", models::oscillators::thousand_blocks()), ("10,000 blocks", models::large(10_000))];
    for (name, mut simulation) in models {
        simulation.steps = 0;
        let mut harness = window(simulation);
        measure(&format!("{name}, nothing runs"), &mut harness);
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
