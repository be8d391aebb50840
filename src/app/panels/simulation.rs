//! The settings of the simulation: steps, solver, algebraic loops, root, variables.

use std::sync::Arc;

use eframe::egui::Ui;

use super::inspected::{InspectorView, head_ui};
use super::variables;
use crate::app::action::{Action, RunAction};
use crate::app::doc::typed;
use crate::app::store::engines::has_threads;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::numbers::typed::{Wanted, understood};
use crate::app::ui::theme::SPACE;
use crate::app::ui::{form, numbers, widgets};
use crate::engine::{Engines, Solver, Tolerances};
use crate::model::{Change, Edit};

/// Attributes of variable-step solvers: name, label, unit, description.
const TOLERANCES: [(&str, &str, &str, &str); 3] = [
    ("rtol", "Tolerance", "", "The allowed error of a step relative to the state, at most 1"),
    (
        "atol",
        "Abs. tolerance",
        "",
        "The allowed error of a step whatever the state; auto: the tolerance times the largest value of each state so far",
    ),
    ("max-step", "Maximum step", "s", "The maximum step length of the solver; without it a fiftieth of the run"),
];

pub fn show_ui(ui: &mut Ui, editing: &mut EditedField, view: &InspectorView, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    head_ui(ui, "Simulation", "Settings for runs of the root model", None);
    time_ui(ui, editing, view, actions);
    widgets::section_ui(ui, "Solver");
    solver_ui(ui, view, actions);
    if Solver::by_name(simulation.solver(), view.registry).is_some_and(Solver::is_variable) {
        let Tolerances { relative, absolute, max_step, .. } = Tolerances::of_run(simulation.steps, simulation.delta);
        let defaults = [Some(relative), absolute, Some(max_step)];
        for (row, default) in TOLERANCES.into_iter().zip(defaults) {
            tolerance_ui(ui, editing, view, (row, default), actions);
        }
    }
    loops_ui(ui, view, actions);
    form::row_ui(ui, "NaN or infinity", "Pause a run before the first infinite or NaN value", |ui| {
        let mut stops = view.stops_at_non_finite;
        if widgets::check_ui(ui, &mut stops, "Pause the run").changed() {
            actions.push(Action::Run(RunAction::StopAtNonFinite(stops)));
        }
    });
    root_ui(ui, view, actions);
    engine_ui(ui, editing, view, actions);
    variables::variables_ui(ui, editing, (simulation, view.registry), (&[], None), actions);
    variables::variables_ui(ui, editing, (simulation, view.registry), (view.path, Some(view.model)), actions);
    widgets::section_ui(ui, "Open model");
    let count = |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let (blocks, wires) = (view.model.blocks.len(), view.model.connections.len());
    ui.label(format!("{}: {}, {}", view.model.name, count(blocks, "block"), count(wires, "wire")));
    ui.add_space(2.0 * SPACE);
    ui.label(widgets::weak(ui, "Select a block to see and set its parameters"));
}

fn time_ui(ui: &mut Ui, editing: &mut EditedField, view: &InspectorView, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    let steps = simulation.steps.to_string();
    let whole = |text: &str| understood(text, Wanted::Whole).ok()?.parse::<u64>().ok();
    let check_steps = |text: &str| match whole(text) {
        Some(_) => None,
        None => Some("A whole number, 0 for until stopped".to_owned()),
    };
    let typed = form::row_ui(ui, "Steps", "The number of steps of a run; 0 for until stopped", |ui| {
        let width = form::value_width(ui);
        Field::new("Steps", &steps).width(width).number(Wanted::Whole).text_ui(ui, editing, &check_steps)
    });
    if let Some(steps) = typed.and_then(|text| whole(&text)) {
        actions.push(Action::Apply(Change::one(format!("Set steps to {steps}"), Edit::SetSteps(steps))));
    }
    let delta = simulation.delta.to_string();
    let check_delta = |text: &str| match typed::number(text) {
        Some(delta) if delta > 0.0 => None,
        _ => Some(typed::number_problem(text, "A number of seconds above 0")),
    };
    let typed = form::row_ui(ui, "Step length", "Seconds per step", |ui| {
        let width = form::value_width(ui);
        let typed =
            Field::new("Step length", &delta).width(width).number(Wanted::One).text_ui(ui, editing, &check_delta);
        form::end_ui(ui, "s", |_| {});
        typed
    });
    if let Some(delta) = typed.and_then(|text| typed::number(&text)) {
        actions.push(Action::Apply(Change::one(format!("Set step length to {delta} s"), Edit::SetDelta(delta))));
    }
    form::row_ui(ui, "Total time", "Steps times step length", |ui| {
        ui.label(match simulation.steps {
            0 => "until stopped".to_owned(),
            steps => numbers::seconds(steps as f64 * simulation.delta),
        });
    });
}

fn set_attribute(name: &str, value: Option<&str>, label: String) -> Action {
    let edit = Edit::SetSimulationAttribute { name: name.into(), value: value.map(Arc::from) };
    Action::Apply(Change::one(label, edit))
}

fn solver_ui(ui: &mut Ui, view: &InspectorView, actions: &mut Vec<Action>) {
    let solver = view.simulation.solver();
    let known = Solver::by_name(solver, view.registry);
    let label = known.map_or(solver, |known| name_of(known));
    form::row_ui(ui, "Solver", "How continuous states are integrated", |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, "Solver", label, width, |ui| {
            ui.set_min_width(380.0);
            for known in Solver::all(view.registry) {
                let (name, label) = (known.name(), known.doc());
                if ui.selectable_label(name == solver, label).clicked() && name != solver {
                    actions.push(set_attribute("solver", Some(name), format!("Set solver to {}", name_of(known))));
                }
            }
        });
    });
    if let Some((_, about)) = known.and_then(|known| known.doc().split_once(", ")) {
        form::note_ui(ui, about);
    }
}

fn name_of(solver: Solver) -> &'static str {
    solver.doc().split(',').next().unwrap_or(solver.name())
}

fn tolerance_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    view: &InspectorView,
    ((name, label, unit, about), default): ((&str, &str, &str, &str), Option<f64>),
    actions: &mut Vec<Action>,
) {
    let current = view.simulation.attributes.get(name).unwrap_or_default();
    let check = |text: &str| match (text.trim(), typed::number(text)) {
        ("", _) => None,
        ("auto", _) if name == "atol" => None,
        (_, Some(number)) if number > 0.0 && (name != "rtol" || number <= 1.0) => None,
        (_, None) if typed::question(text, Wanted::One).is_some() => typed::question(text, Wanted::One),
        _ if name == "rtol" => Some("A number above 0, at most 1".to_owned()),
        _ if name == "atol" => Some("A number above 0, or auto".to_owned()),
        _ => Some("A number above 0".to_owned()),
    };
    let typed = form::row_ui(ui, label, about, |ui| {
        let width = form::value_width(ui);
        let hint = default.map_or("auto".to_owned(), |default| numbers::digits(default, 6));
        let typed =
            Field::new(label, current).hint(&hint).width(width).number(Wanted::One).text_ui(ui, editing, &check);
        form::end_ui(ui, unit, |_| {});
        typed
    });
    if let Some(text) = typed {
        let text = typed::expression(&text);
        let value = Some(&*text).filter(|text| !text.is_empty());
        actions.push(set_attribute(name, value, format!("Set {}", label.to_lowercase())));
    }
}

fn loops_ui(ui: &mut Ui, view: &InspectorView, actions: &mut Vec<Action>) {
    let solves = view.simulation.solves_loops();
    let (refuse, solve) = ("Error", "Solve");
    form::row_ui(ui, "Algebraic loops", "Whether an algebraic loop is an error or is solved in each step", |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, "Algebraic loops", if solves { solve } else { refuse }, width, |ui| {
            for (is_on, label, value) in [(!solves, refuse, None), (solves, solve, Some("solve"))] {
                if ui.selectable_label(is_on, label).clicked() && !is_on {
                    actions.push(set_attribute("loops", value, format!("Set algebraic loops to {label}")));
                }
            }
        });
    });
}

/// Draws the choice of the engine, with reasons where one cannot run the document, and the thread limit.
fn engine_ui(ui: &mut Ui, editing: &mut EditedField, view: &InspectorView, actions: &mut Vec<Action>) {
    let (engines, name, threads) = view.engine;
    let chosen = engines.get(name).map_or(Engines::DEFAULT, |engine| engine.name());
    let declined = |name: &str| {
        let verdict = view.verdicts?.iter().find(|(engine, _)| *engine == name)?;
        verdict.1.as_deref()
    };
    widgets::section_ui(ui, "Computation");
    let about = "Computes the runs on this computer; not stored in the file. All engines give the same results";
    form::row_ui(ui, "Engine", about, |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, "Engine", chosen, width, |ui| {
            ui.set_min_width(380.0);
            actions.push(Action::Run(RunAction::AskEngines));
            for engine in engines.iter() {
                let name = engine.name();
                let mut text = format!("{name}: {}", engine.doc());
                if let Some(reason) = declined(name) {
                    text = format!("{text}\nCannot run this: {reason}");
                }
                if ui.selectable_label(name == chosen, text).clicked() && name != chosen {
                    actions.push(Action::Run(RunAction::ChooseEngine(name)));
                }
            }
        });
    });
    if let Some(reason) = declined(chosen) {
        form::note_ui(ui, &format!("Cannot run this: {reason}"));
    }
    if has_threads(chosen) {
        let current = threads.map(|threads| threads.to_string()).unwrap_or_default();
        let default = crate::engine::Threaded::new().threads().to_string();
        let check = |text: &str| match typed::whole(text) {
            _ if text.trim().is_empty() => None,
            Some(1..=1024) => None,
            _ => Some("A whole number from 1 to 1024".to_owned()),
        };
        let typed =
            form::row_ui(ui, "Threads", "The maximum number; empty for the number of processors plus one", |ui| {
                let width = form::value_width(ui);
                let field = Field::new("Threads", &current).hint(&default).width(width);
                field.number(Wanted::Whole).text_ui(ui, editing, &check)
            });
        if let Some(text) = typed {
            actions.push(Action::Run(RunAction::LimitThreads(
                typed::whole(&text).and_then(|count| usize::try_from(count).ok()),
            )));
        }
    }
}

fn root_ui(ui: &mut Ui, view: &InspectorView, actions: &mut Vec<Action>) {
    let simulation = view.simulation;
    form::row_ui(ui, "Root model", "The model that runs", |ui| {
        let width = form::text_width(ui);
        widgets::choice_ui(ui, "Root model", &simulation.root, width, |ui| {
            for model in simulation.models_in_order() {
                let is_root = model.name == simulation.root;
                if ui.selectable_label(is_root, &*model.name).clicked() && !is_root {
                    let edit = Edit::SetRoot(Arc::clone(&model.name));
                    actions.push(Action::Apply(Change::one(format!("Make {} the root", model.name), edit)));
                }
            }
        });
    });
}
