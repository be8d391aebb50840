//! The steps of the tours.

use super::{Anchor, TourStep};
use crate::app::action::command::{Command, Panel, RunCommand, Tour};
use crate::app::action::diagram_command::DiagramCommand;
use crate::app::action::{Action, LabAction};
use crate::app::canvas::Selection;
use crate::app::panels::sweep::Row;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::examples::EXAMPLES;
use crate::app::store::run::RunState;
use crate::model::{Block, BlockKind, Change, Edit, Model, Position};

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
        text: "Double-click on the empty diagram, type “step” and press Enter. Escape keeps its values as they are.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| has(app, STEP),
        act: Some(|app| insert(app, STEP, 0.0)),
    },
    TourStep {
        title: "Find one in the palette",
        text: "Type “transfer” into the search of the Blocks panel and drag Transfer Function onto the diagram, to the \
               right of Step. It is 1/(s + 1): a system that follows its input slowly.",
        anchor: Anchor::Panel(Panel::Blocks),
        is_done: |app| has(app, SYSTEM),
        act: Some(|app| insert(app, SYSTEM, 180.0)),
    },
    TourStep {
        title: "Insert a scope",
        text: "A scope shows its signal in a plot. Click on the diagram and simply begin to type: “scope”, Enter.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| has(app, SCOPE),
        act: Some(|app| insert(app, SCOPE, 360.0)),
    },
    TourStep {
        title: "Connect them",
        text: "Drag from the right side of Step to the left side of Transfer Function, and from there to Scope. Or select \
               all three (Ctrl+A) and press Ctrl+K.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |app| is_fed(app, SYSTEM) && is_fed(app, SCOPE),
        act: Some(connect),
    },
    TourStep {
        title: "Run",
        text: "Press F5, or the triangle in the toolbar. The run covers ten seconds and is over at once.",
        anchor: Anchor::Tools,
        is_done: has_finished,
        act: Some(|app| app.dispatch(Command::Run(RunCommand::Run))),
    },
    TourStep {
        title: "Make it oscillate",
        text: "The curve rises slowly to 1. Select Transfer Function, set Denominator to “1 0.4 1” in the inspector, press \
               Enter, and run again.",
        anchor: Anchor::Panel(Panel::Inspector),
        is_done: |app| is_changed(app) && open(app).is_some_and(|file| file.run.runs().len() > 1) && has_finished(app),
        act: Some(oscillate),
    },
    TourStep {
        title: "That is all you need",
        text: "Draw, run, look, change. Ctrl+Z undoes everything, F1 explains the selected block, Shift+F1 opens the manual. \
               The run before stays as a faint curve.",
        anchor: Anchor::Panel(Panel::Plots),
        is_done: |_| false,
        act: None,
    },
];

/// A run looked at from all sides.
const LABORATORY: &[TourStep] = &[
    TourStep {
        title: "Run the motor",
        text: "A controller brings a small motor to speed. Press F5.",
        anchor: Anchor::Tools,
        is_done: has_finished,
        act: Some(|app| app.dispatch(Command::Run(RunCommand::Run))),
    },
    TourStep {
        title: "Go back in time",
        text: "Every step is still there. Drag the handle of the time bar to the left, or press Shift+F10: plots, scopes and \
               values in the diagram show that step.",
        anchor: Anchor::TimeBar,
        is_done: |app| {
            let file = open(app);
            file.is_some_and(|file| file.run.shown_step() < file.run.last_step())
        },
        act: Some(|app| app.with_file(|file| file.run.choose_step(Some(250)))),
    },
    TourStep {
        title: "What happened in this step?",
        text: "Open the Step panel, below the diagram: which blocks ran, in which order, and why.",
        anchor: Anchor::Panel(Panel::Plots),
        is_done: |app| app.window.layout.is_shown(Panel::Step),
        act: Some(|app| app.window.layout.show(Panel::Step)),
    },
    TourStep {
        title: "Try many values at once",
        text: "Open the Sweep panel, add the parameter “P · Gain” with a range from 50 to 150, and press Run all. Each curve \
               has the colour of its value.",
        anchor: Anchor::Panel(Panel::Sweep),
        is_done: |app| {
            let ensemble = open(app).and_then(|file| file.lab.ensemble.as_ref());
            ensemble.is_some_and(|ensemble| !ensemble.is_going_on && !ensemble.curves.is_empty())
        },
        act: Some(sweep),
    },
    TourStep {
        title: "Linearize",
        text: "Open the Analysis panel: poles, zeros, Bode and Nyquist plots of the system about the shown step, from a \
               parameter to a signal of your choice.",
        anchor: Anchor::Panel(Panel::Plots),
        is_done: |app| app.window.layout.is_shown(Panel::Analysis),
        act: Some(|app| app.window.layout.show(Panel::Analysis)),
    },
    TourStep {
        title: "There is more",
        text: "Right-click a wire for a breakpoint, press Ctrl+Shift+B to branch a run at the shown step, or colour the \
               blocks by their execution time. The chapter on the laboratory (Shift+F1) has it all.",
        anchor: Anchor::Panel(Panel::Canvas),
        is_done: |_| false,
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

/// Returns whether a wire leads to a block of a kind.
fn is_fed(app: &App, kind: (&str, &str)) -> bool {
    let block = find(app, kind).map(|block| block.id);
    root(app).is_some_and(|model| model.connections.values().any(|wire| Some(wire.to) == block))
}

fn has_finished(app: &App) -> bool {
    open(app).is_some_and(|file| file.run.state == RunState::Finished)
}

fn is_changed(app: &App) -> bool {
    find(app, SYSTEM).is_some_and(|block| block.option_texts("Denominator").is_some())
}

fn insert(app: &mut App, (group, name): (&str, &str), x: f64) {
    let kind = BlockKind::library(group, name);
    app.change_on_canvas(|canvas, view| {
        canvas.edit(view, |open| open.insert_block(kind.into(), Position { x, y: 0.0 }))
    });
    app.with_file(|file| file.canvas.view.fit());
}

fn connect(app: &mut App) {
    let blocks = root(app).map(|model| model.blocks.keys().copied().collect()).unwrap_or_default();
    app.with_file(|file| file.canvas.select(Selection { blocks, ..Selection::default() }));
    app.dispatch(Command::Diagram(DiagramCommand::Connect));
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
        file.canvas.select(Selection { blocks: [id].into(), ..Selection::default() });
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
        // The panel, which proposes one, is drawn in the next frame only.
        if file.panels.sweep.signal.is_none() {
            file.panels.sweep.signal = file.derived.plots().drawn().first().cloned();
        }
    });
    app.act(Action::Lab(LabAction::Sweep));
}
