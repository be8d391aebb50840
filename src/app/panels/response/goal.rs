//! The objective, the tolerances and the folded options.

use eframe::egui::{DragValue, Ui};

use super::entries::choice_of_signal_ui;
use super::kind::figure_name;
use super::state::{MethodChoice, ResponseState, default_bounds, default_tolerance};
use crate::app::action::Action;
use crate::app::doc::typed;
use crate::app::panels::param_list::{self, ParamListLook};
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::requirement::{Figure, Objective};

/// The largest number of starts, and of evaluations from each.
const MAX_STARTS: u64 = 1000;
const MAX_EVALUATIONS: u64 = 1_000_000;

const GOALS: [(Option<bool>, &str, &str); 3] = [
    (None, "Meet all requirements", "The search ends with the first values that meet all requirements"),
    (Some(false), "Minimize", "Among the values that meet all requirements, those with the smallest figure"),
    (Some(true), "Maximize", "Among the values that meet all requirements, those with the largest figure"),
];

const METHODS: [(MethodChoice, &str, &str); 4] = [
    (MethodChoice::Automatic, "Automatic", "Along exact derivatives where there are any, then as CMA-ES"),
    (
        MethodChoice::Gradient,
        "Derivatives",
        "Along exact derivatives: for requirements in all steps, without an objective",
    ),
    (MethodChoice::CmaEs, "CMA-ES", "Evolution, for rough functions and those with several minima"),
    (MethodChoice::Bobyqa, "BOBYQA", "Quadratic models, for smooth functions and few evaluations"),
];

/// Draws the objective.
pub fn objective_ui(ui: &mut Ui, state: &mut ResponseState, actions: &mut Vec<Action>) {
    let old = state.list.objective.clone();
    let mut new = old.clone();
    widgets::section_ui(ui, "Objective");
    ui.horizontal(|ui| {
        let of = |objective: &Option<Objective>| objective.as_ref().map(|objective| objective.is_maximized);
        let shown = GOALS.iter().find(|(goal, ..)| *goal == of(&old)).map_or("", |(_, name, _)| name);
        let mut goal = of(&old);
        let width = if old.is_some() { 94.0 } else { 190.0 };
        widgets::choice_ui(ui, "Objective", shown, width, |ui| {
            for (known, name, about) in GOALS {
                ui.selectable_value(&mut goal, known, name).on_hover_text(about);
            }
        });
        if goal != of(&old) {
            let signal =
                state.list.entries.first().and_then(|entry| entry.any.first()).map(|one| one.signal().to_owned());
            let signal = signal.or_else(|| state.choices.signals.first().map(|signal| signal.address.clone()));
            let default = || Some(Objective { figure: Figure::SettlingTime, signal: signal?, is_maximized: false });
            new = goal.and_then(|is_maximized| Some(Objective { is_maximized, ..old.clone().or_else(default)? }));
        }
        let Some(objective) = &mut new else { return };
        widgets::choice_ui(ui, "Figure to optimize", figure_name(objective.figure), 110.0, |ui| {
            for figure in Figure::ALL {
                ui.selectable_value(&mut objective.figure, figure, figure_name(figure));
            }
        });
        ui.label(widgets::weak(ui, "of"));
        let width = ui.available_width();
        let address = objective.signal.clone();
        if let Some(address) = choice_of_signal_ui(ui, state, ("Signal of the objective", width), &address) {
            objective.signal = address;
        }
    });
    if new != old {
        let mut changed = state.list.clone();
        changed.objective = new;
        actions.push(Action::Apply(changed.change("Change objective")));
    }
}

/// Draws the parameters that the search may change.
pub fn params_ui(ui: &mut Ui, state: &mut ResponseState) {
    let ResponseState { choices, params, .. } = state;
    let title = match choices.params.iter().filter(|param| params.is_chosen(&param.path)).count() {
        0 => "Parameters to vary".to_owned(),
        count => format!("Parameters to vary: {count}"),
    };
    widgets::section_ui(ui, &title);
    let look = ParamListLook {
        prefix: "",
        has_start: false,
        bounds: &default_bounds,
        about_bounds: [
            "The smallest value that is tried: empty for a tenth of the value",
            "The largest value that is tried: empty for ten times the value",
        ],
    };
    param_list::show_ui(ui, params, &choices.params, &look);
}

/// Draws the parameters with tolerances.
pub fn tolerances_ui(ui: &mut Ui, state: &mut ResponseState) {
    let ResponseState { choices, params, tolerances, .. } = state;
    let title = match choices.params.iter().filter(|param| tolerances.is_chosen(&param.path)).count() {
        0 => "Tolerances".to_owned(),
        count => format!("Tolerances: {count}, worst case of {} runs", 1 + (1_u64 << count.min(62))),
    };
    ui.add_space(SPACE);
    let header = widgets::collapsing(title).id_salt("tolerances of the response");
    header.show_unindented(ui, |ui| {
        let about = "Requirements are met with the values of the simulation and with all combinations of these bounds";
        ui.label(widgets::weak(ui, about));
        let look = ParamListLook {
            prefix: "Tolerance: ",
            has_start: false,
            bounds: &default_tolerance,
            about_bounds: ["The lower tolerance: empty for 10 % less", "The upper tolerance: empty for 10 % more"],
        };
        let open: Vec<_> = choices.params.iter().filter(|param| !params.is_chosen(&param.path)).cloned().collect();
        param_list::show_ui(ui, tolerances, &open, &look);
    });
}

/// Draws how the search proceeds.
pub fn options_ui(ui: &mut Ui, state: &mut ResponseState) {
    let options = &mut state.options;
    widgets::collapsing("Options").id_salt("options of the response").show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, "Method"));
            let shown = METHODS.iter().find(|(method, ..)| *method == options.method);
            let (shown, about) = shown.map_or(("", ""), |(_, name, about)| (*name, *about));
            let response = widgets::choice_ui(ui, "Method", shown, 110.0, |ui| {
                for (method, name, about) in METHODS {
                    ui.selectable_value(&mut options.method, method, name).on_hover_text(about);
                }
            });
            response.on_hover_text(about);
        });
        ui.horizontal(|ui| {
            let number =
                |ui: &mut Ui, label: &str, about: &str, value: &mut u64, range: std::ops::RangeInclusive<u64>| {
                    ui.label(widgets::weak(ui, label));
                    let field = DragValue::new(value).range(range).custom_parser(typed::dragged_whole);
                    let field = ui.add(field).on_hover_text(about);
                    crate::app::ui::field::name(&field, label);
                };
            let about = "The values of the simulation, and others spread between the bounds";
            number(ui, "Starts", about, &mut options.starts, 1..=MAX_STARTS);
            let about = "The same seed gives the same search";
            number(ui, "Seed", about, &mut options.seed, 0..=1_000_000);
            let about = "The largest number of evaluations from each start";
            number(ui, "Evaluations", about, &mut options.evaluations, 1..=MAX_EVALUATIONS);
        });
    });
}
