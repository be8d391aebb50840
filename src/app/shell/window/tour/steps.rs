//! The steps of the tours.

use super::{Anchor, TourStep, control};
use crate::app::action::command::{Command, Panel, RunCommand, Tour};
use crate::app::action::new_block::Course;
use crate::app::action::{Action, LabAction};
use crate::app::canvas::Selection;
use crate::app::panels::sweep::Row;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::examples::EXAMPLES;
use crate::app::store::lab::SweepCurve;
use crate::app::store::run::RunState;
use crate::model::{Block, BlockId, BlockKind, BlockPorts, Change, Edit, Model, SignalKey};

pub fn of(tour: Tour) -> &'static [TourStep] {
    match tour {
        Tour::FirstModel => FIRST_MODEL,
        Tour::Laboratory => LABORATORY,
    }
}

/// Returns the index of the example that the laboratory is shown with.
pub fn motor() -> usize {
    EXAMPLES.iter().position(|example| example.name == "dc_motor.simx").unwrap_or(0)
}

const STEP: (&str, &str) = ("Var", "Step");
const SYSTEM: (&str, &str) = ("Continuous", "Transfer Function");
const SCOPE: (&str, &str) = ("Sink", "Scope");

/// From an empty diagram to a curve that changes: about two minutes.
const FIRST_MODEL: &[TourStep] = &[
    TourStep {
        title: "Insert a block",
        text: "Click anywhere on the empty diagram, type “step” and press Enter.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| has(app, STEP),
        note: |app| another(app, &[STEP]),
        act: Some(|app| insert_after(app, None, STEP)),
    },
    TourStep {
        title: "Go on typing",
        text: "Step is selected: type “transfer” and press Enter. Transfer Function stands to its right, connected. It is \
               1/(s + 1): a system that follows its input slowly.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| leads(app, STEP, SYSTEM),
        note: |app| unconnected(app, STEP, SYSTEM).or_else(|| another(app, &[STEP, SYSTEM])),
        act: Some(|app| continue_with(app, STEP, SYSTEM)),
    },
    TourStep {
        title: "Show the signal",
        text: "A scope shows its signal in a plot. With Transfer Function selected, type “scope” and press Enter.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| leads(app, SYSTEM, SCOPE),
        note: |app| unconnected(app, SYSTEM, SCOPE).or_else(|| another(app, &[STEP, SYSTEM, SCOPE])),
        act: Some(|app| continue_with(app, SYSTEM, SCOPE)),
    },
    TourStep {
        title: "Run",
        text: "Press F5, or the triangle in the toolbar. The run covers ten seconds and is over at once.",
        anchor: Anchor::Control(control::RUN),
        is_done: has_finished,
        note: |_| None,
        act: Some(|app| app.dispatch(Command::Run(RunCommand::Run))),
    },
    TourStep {
        title: "Make it oscillate",
        text: "The curve rises slowly to 1. Select Transfer Function, set Denominator to “1 0.4 1” in the inspector, press \
               Enter, and run again.",
        anchor: Anchor::Control("Denominator"),
        is_done: |app| is_changed(app) && open(app).is_some_and(|file| file.run.runs().len() > 1) && has_finished(app),
        note: |app| {
            let is_run_left = is_changed(app) && open(app).is_some_and(|file| file.run.runs().len() < 2);
            is_run_left.then(|| "Denominator is set. Press F5 to see what it does.".to_owned())
        },
        act: Some(oscillate),
    },
    TourStep {
        title: "That is all you need",
        text: "Draw, run, look, change. Ctrl+Z undoes everything, F1 explains the selected block, Shift+F1 opens the manual. \
               The run before stays as a faint curve.",
        anchor: Anchor::Panel(Panel::Plots),
        is_done: |_| false,
        note: |_| None,
        act: None,
    },
];

/// A run looked at from all sides.
const LABORATORY: &[TourStep] = &[
    TourStep {
        title: "Run the motor",
        text: "A controller brings a small motor to speed. Press F5.",
        anchor: Anchor::Control(control::RUN),
        is_done: has_finished,
        note: |_| None,
        act: Some(|app| app.dispatch(Command::Run(RunCommand::Run))),
    },
    TourStep {
        title: "Go back in time",
        text: "Every step is still there. Drag the handle of the time bar to the left, or press Shift+F10: plots, scopes and \
               values in the diagram show that step.",
        anchor: Anchor::Control(control::TIME),
        is_done: |app| {
            let file = open(app);
            file.is_some_and(|file| file.run.shown_step() < file.run.last_step())
        },
        note: |_| None,
        act: Some(|app| app.with_file(|file| file.run.choose_step(Some(250)))),
    },
    TourStep {
        title: "What happened in this step?",
        text: "Open the Step panel, below the diagram: which blocks ran, in which order, and why.",
        anchor: Anchor::Panel(Panel::Plots),
        is_done: |app| app.window.layout.is_shown(Panel::Step),
        note: |_| None,
        act: Some(|app| app.window.layout.show(Panel::Step)),
    },
    TourStep {
        title: "Where is its limit?",
        text: "Open the Analysis panel: poles, zeros, Bode and Nyquist plots of the system about the shown step. Press \
               Linearize.",
        anchor: Anchor::Panel(Panel::Analysis),
        is_done: |app| open(app).is_some_and(|file| matches!(file.lab.analysis, Some(Ok(_)))),
        note: |app| match open(app).and_then(|file| file.lab.analysis.as_ref()) {
            Some(Err(error)) => Some(format!("It could not be linearized: {error}. Choose another input or output.")),
            _ => None,
        },
        act: Some(|app| {
            app.window.layout.show(Panel::Analysis);
            app.act(Action::Lab(LabAction::Analyse));
        }),
    },
    TourStep {
        title: "Try many values at once",
        text: "Open the Sweep panel, add the parameter “P · Gain” with a range from 50 to 150, choose the signal “speed”, and \
               press Run all. Each curve has the colour of its value.",
        anchor: Anchor::Panel(Panel::Sweep),
        is_done: |app| ensemble_spread(app).is_some_and(|spread| spread > 0.0),
        note: |app| {
            let is_flat = ensemble_spread(app) == Some(0.0);
            is_flat.then(|| "The curves do not differ: this signal does not depend on it. Choose “speed”.".to_owned())
        },
        act: Some(sweep),
    },
    TourStep {
        title: "There is more",
        text: "Right-click a wire for a breakpoint, press Ctrl+Shift+B to branch a run at the shown step, or colour the \
               blocks by their execution time. The chapter on the laboratory (Shift+F1) has it all.",
        anchor: Anchor::Panel(Panel::Sweep),
        is_done: |_| false,
        note: |_| None,
        act: None,
    },
];

fn open(app: &App) -> Option<&OpenFile> {
    app.file.as_ref()
}

fn root(app: &App) -> Option<&Model> {
    open(app)?.simulation().root_model().map(|model| &**model)
}

fn is_of(block: &Block, (wanted_group, wanted_name): (&str, &str)) -> bool {
    matches!(&block.kind, BlockKind::Library { group, name } if **group == *wanted_group && **name == *wanted_name)
}

fn find<'a>(app: &'a App, kind: (&str, &str)) -> Option<&'a Block> {
    root(app)?.blocks.values().find(|block| is_of(block, kind)).map(|block| &**block)
}

fn has(app: &App, kind: (&str, &str)) -> bool {
    find(app, kind).is_some()
}

/// Returns whether a wire leads from a block of one kind to one of another.
fn leads(app: &App, from: (&str, &str), to: (&str, &str)) -> bool {
    let Some(model) = root(app) else { return false };
    let is = |id, kind| model.block(id).is_some_and(|block| is_of(block, kind));
    model.connections.values().any(|wire| is(wire.from, from) && is(wire.to, to))
}

/// Says which block is there that the tour does not need, if the one that it needs next is not.
fn another(app: &App, wanted: &[(&str, &str)]) -> Option<String> {
    let is_other = |block: &&std::sync::Arc<Block>| !wanted.iter().any(|kind| is_of(block, *kind));
    let other = root(app)?.blocks.values().find(is_other)?.title().to_owned();
    let next = wanted.iter().find(|kind| !has(app, **kind)).map(|(_, name)| *name)?;
    Some(format!("{other} is another block. Ctrl+Z takes it back; this tour goes on with {next}."))
}

/// Says that a block is there, but not connected.
fn unconnected(app: &App, from: (&str, &str), to: (&str, &str)) -> Option<String> {
    let block = find(app, to)?.title().to_owned();
    let source = find(app, from)?.title().to_owned();
    (!leads(app, from, to))
        .then(|| format!("{block} is there, but not connected: drag from the right side of {source} to its left side."))
}

/// How far the curves of the last sweep lie apart; None if there is none.
fn ensemble_spread(app: &App) -> Option<f64> {
    let ensemble = open(app)?.lab.ensemble.as_ref().filter(|ensemble| !ensemble.is_going_on)?;
    let (first, rest) = ensemble.curves.split_first()?;
    let apart = |curve: &SweepCurve| {
        let pairs = first.values.iter().zip(&curve.values);
        pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
    };
    Some(rest.iter().map(apart).fold(0.0, f64::max))
}

fn has_finished(app: &App) -> bool {
    open(app).is_some_and(|file| file.run.state == RunState::Finished)
}

fn is_changed(app: &App) -> bool {
    find(app, SYSTEM).is_some_and(|block| block.option_texts("Denominator").is_some())
}

/// Inserts a block after another, or where there is room.
fn insert_after(app: &mut App, before: Option<BlockId>, (group, name): (&str, &str)) {
    let kind = BlockKind::library(group, name);
    app.with_file(|file| {
        file.canvas.select(Selection { blocks: before.into_iter().collect(), ..Selection::default() })
    });
    app.change_on_canvas(|canvas, view| canvas.insert_next(view, kind.into(), Course::InLine));
    app.with_file(|file| file.canvas.view.fit());
}

/// Inserts a block after the one of a kind, or connects that which is there.
fn continue_with(app: &mut App, from: (&str, &str), to: (&str, &str)) {
    let known = find(app, to).map(|block| block.id);
    let before = find(app, from).map(|block| block.id);
    let (Some(known), Some(before)) = (known, before) else {
        insert_after(app, before, to);
        return;
    };
    app.with_file(|file| file.canvas.select(Selection::of_block(before)));
    app.change_on_canvas(|canvas, view| {
        canvas.edit(view, |open| {
            let target = open.targets("").into_iter().find(|target| target.block == known)?;
            open.connect_selected(&target)
        })
    });
    // The next step goes on from here.
    app.with_file(|file| file.canvas.select(Selection::of_block(known)));
}

fn oscillate(app: &mut App) {
    let Some((id, model)) = find(app, SYSTEM).map(|block| block.id).zip(root(app).map(|model| model.name.clone()))
    else {
        return;
    };
    let values = ["1", "0.4", "1"].map(str::to_owned).to_vec();
    let edit = Edit::SetOption { model, id, name: "Denominator".into(), values: Some(values) };
    app.apply(&Change::one("Set Denominator", edit));
    app.with_file(|file| {
        file.canvas.select(Selection::of_block(id));
    });
    app.dispatch(Command::Run(RunCommand::Restart));
}

fn sweep(app: &mut App) {
    app.window.layout.show(Panel::Sweep);
    app.with_file(|file| {
        let rows = &mut file.panels.sweep.rows;
        if rows.is_empty() {
            rows.push(Row::range("PID/P.Gain", 50.0, 150.0, 21));
        }
        // What the motor does depends on its controller; what is wanted of it does not.
        let exit = file.simulation().root_model().and_then(|model| model.exits().next().map(|(exit, _)| exit.id));
        let speed = exit.map(|exit| SignalKey::new(&[], exit, BlockPorts::INPUT));
        file.panels.sweep.signal = speed.or(file.panels.sweep.signal.take());
    });
    app.act(Action::Lab(LabAction::Sweep));
}
