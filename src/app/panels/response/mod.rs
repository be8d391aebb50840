//! The panel that finds parameters with which the response meets requirements: the requirements as a list and as areas in
//! charts, the parameters, the response while the search runs, and its result.
//!
//! | module | contents |
//! |---|---|
//! | `state`, `problem` | what is chosen, and what is still to be chosen; both without egui |
//! | `kind` | the kinds of requirements, and their first numbers |
//! | `marks` | how requirements are drawn, without egui |
//! | `entries` | the requirements as rows with their fields |
//! | `goal` | objective, parameters, tolerances and options |
//! | `result` | values before and after |
//! | `charts` | the response with the requirements on it |

mod charts;
mod entries;
mod goal;
mod kind;
mod marks;
mod problem;
mod result;
mod state;

use eframe::egui::{self, ScrollArea, Sense, Spinner, Ui, vec2};

pub use self::kind::{Defaults, KINDS, RequirementKind};
pub use self::marks::{BoundHandle, ConditionMarks, ForbiddenRegion, MarkEdge, marks_of};
pub use self::problem::ResponseProblem;
pub use self::state::{MethodChoice, ResponseChoices, ResponseSignal, ResponseState, SearchRows};
use crate::app::action::{Action, LabAction, ResponseAction};
use crate::app::store::lab::{ResponseLab, RunningResponse};
use crate::app::ui::numbers;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::optimize::End;
use crate::requirement::Optimum;

/// The width of the settings, in points, and the part of the panel that they take at most.
const SETTINGS: f32 = 400.0;
const PART: f32 = 0.47;

pub struct ResponseView<'a> {
    pub lab: &'a ResponseLab,
    /// The simulation has errors, so that it cannot run.
    pub has_errors: bool,
}

pub fn show_ui(ui: &mut Ui, state: &mut ResponseState, view: &ResponseView) -> Vec<Action> {
    let mut actions = Vec::new();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| bar_ui(ui, state, view, &mut actions));
    });
    let (left, height) = (SETTINGS.min(ui.available_width() * PART), ui.available_height());
    let is_searching = view.lab.is_searching();
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(vec2(left, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            ScrollArea::vertical().id_salt("response").auto_shrink(false).show(ui, |ui| {
                let margin = egui::Margin { left: 12, right: 12, top: 0, bottom: 8 };
                egui::Frame::new().inner_margin(margin).show(ui, |ui| {
                    if let Some(search) = &view.lab.search {
                        result::show_ui(ui, state, search);
                    }
                    ui.add_enabled_ui(!is_searching, |ui| {
                        entries::show_ui(ui, state, view.lab, &mut actions);
                        goal::objective_ui(ui, state, &mut actions);
                        goal::params_ui(ui, state);
                        goal::tolerances_ui(ui, state);
                        goal::options_ui(ui, state);
                    });
                });
            });
        });
        ui.vertical(|ui| charts::show_ui(ui, state, view, height, &mut actions));
    });
    actions
}

/// Draws the buttons, and the next step for the user.
fn bar_ui(ui: &mut Ui, state: &ResponseState, view: &ResponseView, actions: &mut Vec<Action>) {
    let mut act = |action| actions.push(Action::Lab(LabAction::Response(action)));
    let is_searching = view.lab.is_searching();
    let problem = state.chosen(checks(view)).err();
    if is_searching {
        let stop = widgets::second_button_ui(ui, "Stop search");
        if stop.on_hover_text("End the search with the best values so far").clicked() {
            act(ResponseAction::Stop);
        }
    } else {
        let can_begin = problem.is_none() && !view.has_errors;
        let button = ui.add_enabled_ui(can_begin, |ui| widgets::main_button_ui(ui, "Optimize")).inner;
        let about = "Find the values of the chosen parameters with which the response meets all requirements";
        let why = problem.as_ref().map(ToString::to_string).unwrap_or_default();
        if button.on_hover_text(about).on_disabled_hover_text(why).clicked() {
            act(ResponseAction::Begin);
        }
    }
    let can_apply = state.change.is_some() && !is_searching;
    let apply = ui.add_enabled_ui(can_apply, |ui| widgets::second_button_ui(ui, "Apply")).inner;
    let has_result = view.lab.search.as_ref().is_some_and(|search| matches!(search.outcome, Some(Ok(_))));
    let why = if has_result { "The simulation has these values" } else { "There are no values yet: press Optimize" };
    let about = "Write these values into the simulation, as one change that can be undone";
    if apply.on_hover_text(about).on_disabled_hover_text(why).clicked() {
        act(ResponseAction::Apply);
    }
    // The room is always there, so that nothing moves when work begins and ends.
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
    if is_searching || view.lab.preview.is_busy() {
        ui.put(rect, Spinner::new().size(14.0));
    }
    ui.add_space(SPACE);
    status_ui(ui, state, view, problem.as_ref());
}

/// The number of check blocks that are requirements.
fn checks(view: &ResponseView) -> usize {
    view.lab.now().map_or(0, |now| now.checks.len())
}

/// Draws where the search is, how it ended, or what to do next.
fn status_ui(ui: &mut Ui, state: &ResponseState, view: &ResponseView, problem: Option<&ResponseProblem>) {
    let theme = theme_of(ui.ctx());
    if view.has_errors {
        ui.colored_label(theme.error, "The simulation has errors; mend them, then it can be optimized");
        return;
    }
    if let Some(problem) = &state.problem {
        ui.colored_label(theme.error, problem);
        return;
    }
    let Some(search) = &view.lab.search else {
        match (&view.lab.preview.result, problem) {
            (Some(Err(error)), _) => ui.colored_label(theme.error, widgets::sentence(error)),
            (_, Some(next)) if next.is_next_choice() => ui.label(widgets::weak(ui, next.to_string())),
            (_, Some(problem)) => ui.colored_label(theme.warning, problem.to_string()),
            _ => ui.label(widgets::weak(ui, met_text(view))),
        };
        return;
    };
    let (text, color) = match &search.outcome {
        None => (progress_text(search), theme.text_weak),
        Some(Err(error)) => (widgets::sentence(error), theme.error),
        Some(Ok(_)) if search.is_outdated => {
            ("Stopped, since the simulation was changed; optimize again".to_owned(), theme.warning)
        }
        Some(Ok(result)) => {
            let (text, is_good) = end_text(&result.optimum);
            (text, if is_good { theme.success } else { theme.warning })
        }
    };
    ui.colored_label(color, text);
}

/// Returns how many requirements the simulation meets already.
fn met_text(view: &ResponseView) -> String {
    let Some(now) = view.lab.now() else { return "Press Optimize".to_owned() };
    let all = now.evaluation().met.len();
    match now.evaluation().met.iter().filter(|met| met.violated_at.is_none()).count() {
        _ if all == 0 => "Press Optimize".to_owned(),
        met if met == all => "All requirements are met already".to_owned(),
        met => format!("{met} of {all} requirements {} met: press Optimize", if met == 1 { "is" } else { "are" }),
    }
}

fn progress_text(search: &RunningResponse) -> String {
    let count = search.input.options.evaluations.load(std::sync::atomic::Ordering::Relaxed);
    let mut text = counted(count);
    let worst = search.progress.as_ref().map(|progress| progress.worst);
    let worst = worst.or_else(|| search.now.as_ref()?.worst());
    if let Some(worst) = worst.filter(|worst| worst.is_finite()) {
        text += &format!(", smallest margin {} % of its bound", numbers::digits(100.0 * worst, 3));
    }
    if let Some(objective) = search.progress.as_ref().and_then(|progress| progress.objective) {
        text += &format!(", objective {}", numbers::digits(objective, 4));
    }
    text
}

fn counted(evaluations: u64) -> String {
    format!("{} evaluation{}", numbers::grouped(evaluations), if evaluations == 1 { "" } else { "s" })
}

/// Returns how a search ended, and whether that is good.
fn end_text(optimum: &Optimum) -> (String, bool) {
    let met = optimum.after.met.iter().filter(|met| met.violated_at.is_none()).count();
    let all = optimum.after.met.len();
    let runs = counted(optimum.evaluations);
    match (optimum.after.is_met(), optimum.end) {
        (_, End::Cancelled) => ("Stopped; these are the best values so far".to_owned(), false),
        (true, End::Limit) if all == 0 => (format!("The best of {runs}"), true),
        (true, End::Limit) => (format!("All requirements are met; the best of {runs}"), true),
        (true, _) if all == 0 => (format!("Optimized, {runs}"), true),
        (true, _) if optimum.evaluations == 1 => ("The simulation meets all requirements already".to_owned(), true),
        (true, _) => (format!("All requirements are met, {runs}"), true),
        (false, _) => {
            let verb = if met == 1 { "is" } else { "are" };
            (format!("{met} of {all} requirements {verb} met; more starts or wider bounds may help"), false)
        }
    }
}
