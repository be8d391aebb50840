//! The panel that fits parameters to measured curves: a data file, the signals of its columns, the parameters, the curves
//! while the fit runs, and its result.
//!
//! | module | contents |
//! |---|---|
//! | `state`, `problem` | what is chosen, and what is still to be chosen; both without egui |
//! | `guess` | guesses from the names of columns |
//! | `columns` | the columns of the data file with their signals |
//! | `options` | starts and loss |
//! | `result` | values, intervals and what the data do not say |
//! | `charts` | measured and simulated curves, and the sum of squares |

mod charts;
mod columns;
mod guess;
mod options;
mod problem;
mod result;
mod state;

use eframe::egui::{self, ScrollArea, Sense, Spinner, Ui, vec2};

pub use self::problem::FitProblem;
pub use self::state::{ColumnRow, FitChoices, FitSignal, FitState, OptionRows};
use crate::app::action::{Action, FitAction, LabAction};
use crate::app::doc::derived::Derived;
use crate::app::panels::param_list::{self, ParamListLook};
use crate::app::store::lab::{FitLab, RunningFit};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::optimize::End;

/// The width of the settings, in points, and the part of the panel that they take at most.
const SETTINGS: f32 = 400.0;
const PART: f32 = 0.5;

pub struct FitView<'a> {
    pub lab: &'a FitLab,
    pub derived: &'a Derived,
    /// The simulation has errors, so that it cannot run.
    pub has_errors: bool,
}

pub fn show_ui(ui: &mut Ui, state: &mut FitState, view: &FitView) -> Vec<Action> {
    let mut actions = Vec::new();
    if state.file.is_none() {
        empty_ui(ui, state, view, &mut actions);
        return actions;
    }
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 4 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| bar_ui(ui, state, view, &mut actions));
    });
    let (left, height) = (SETTINGS.min(ui.available_width() * PART), ui.available_height());
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(vec2(left, height), egui::Layout::top_down(egui::Align::Min), |ui| {
            ScrollArea::vertical().id_salt("fit").auto_shrink(false).show(ui, |ui| {
                egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 12, top: 0, bottom: 8 }).show(
                    ui,
                    |ui| {
                        if let Some(fit) = &view.lab.fit {
                            result::show_ui(ui, state, fit);
                        }
                        ui.add_enabled_ui(!view.lab.is_fitting(), |ui| {
                            columns::show_ui(ui, state);
                            params_ui(ui, state);
                            options::show_ui(ui, state);
                        });
                    },
                );
            });
        });
        ui.vertical(|ui| charts::show_ui(ui, state, view, height));
    });
    actions
}

/// Draws the parameters that can be fitted.
fn params_ui(ui: &mut Ui, state: &mut FitState) {
    let all = &state.choices.params;
    let title = match all.iter().filter(|param| state.params.is_chosen(&param.path)).count() {
        0 => "Parameters to fit".to_owned(),
        count => format!("Parameters to fit: {count}"),
    };
    widgets::section_ui(ui, &title);
    let look = ParamListLook {
        prefix: "",
        has_start: true,
        bounds: &|param| param.limits,
        about_bounds: [
            "The smallest value that is tried: empty for the limit of the block",
            "The largest value that is tried: empty for the limit of the block",
        ],
    };
    param_list::show_ui(ui, &mut state.params, all, &look);
}

/// Draws what to do as long as there is no file.
fn empty_ui(ui: &mut Ui, state: &FitState, view: &FitView, actions: &mut Vec<Action>) {
    let what = "Drop a file here or on a plot (.csv, .parquet, .npz, .mat): a column of times in seconds, and one for each signal.\n\
                Then choose the parameters whose values are to be found";
    widgets::empty_ui(ui, Icon::CurveFit, "Fit parameters to measured curves", what);
    ui.vertical_centered(|ui| {
        ui.add_space(SPACE);
        if widgets::main_button_ui(ui, "Choose file…").clicked() {
            actions.push(Action::Lab(LabAction::Fit(FitAction::ChooseFile)));
        }
        ui.add_space(SPACE);
        reading_ui(ui, state, view);
    });
}

/// Draws that a file is being read, or why it could not be.
fn reading_ui(ui: &mut Ui, state: &FitState, view: &FitView) {
    if let Some(path) = view.lab.reading() {
        ui.label(widgets::weak(ui, format!("Reading {}…", state::name_of(path))));
    } else if let Some(why) = &state.unreadable {
        ui.colored_label(theme_of(ui.ctx()).error, why);
    }
}

/// Draws the file, the buttons, and the next step for the user.
fn bar_ui(ui: &mut Ui, state: &mut FitState, view: &FitView, actions: &mut Vec<Action>) {
    let mut act = |action| actions.push(Action::Lab(LabAction::Fit(action)));
    let fit = view.lab.fit.as_ref();
    let is_fitting = view.lab.is_fitting();
    let chosen = state.chosen();
    if let Some(file) = &state.file {
        let name = egui::RichText::new(file.name()).font(crate::app::ui::style::strong(crate::app::ui::theme::TEXT));
        ui.add(egui::Label::new(name).truncate()).on_hover_text(file.path.display().to_string());
        ui.label(widgets::weak(ui, format!("{} rows", numbers::grouped(file.table.rows() as u64))));
    }
    if ui.add_enabled(!is_fitting, egui::Button::new("Choose file…")).on_hover_text("Another data file").clicked() {
        act(FitAction::ChooseFile);
    }
    ui.add_space(SPACE);
    if is_fitting {
        if widgets::second_button_ui(ui, "Stop fit").on_hover_text("End the fit with the best values so far").clicked()
        {
            act(FitAction::Stop);
        }
    } else {
        let can_fit = chosen.is_ok() && !view.has_errors;
        let button = ui.add_enabled_ui(can_fit, |ui| widgets::main_button_ui(ui, "Fit")).inner;
        let about = "Find the values of the chosen parameters with which the simulation agrees best with the data";
        let why = chosen.as_ref().err().map(ToString::to_string).unwrap_or_default();
        if button.on_hover_text(about).on_disabled_hover_text(why).clicked() {
            act(FitAction::Begin);
        }
    }
    let can_apply = state.change.is_some() && !is_fitting;
    let apply = ui.add_enabled_ui(can_apply, |ui| widgets::second_button_ui(ui, "Apply")).inner;
    let has_result = fit.is_some_and(|fit| matches!(fit.outcome, Some(Ok(_))));
    let why = if has_result { "The simulation has these values" } else { "There are no values yet: press Fit" };
    if apply
        .on_hover_text("Write these values into the simulation, as one change that can be undone")
        .on_disabled_hover_text(why)
        .clicked()
    {
        act(FitAction::Apply);
    }
    // The room is always there, so that nothing moves when work begins and ends.
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
    if is_fitting || view.lab.reading().is_some() {
        ui.put(rect, Spinner::new().size(14.0));
    }
    status_ui(ui, state, view, chosen.err().as_ref());
}

/// Draws where the fit is, how it ended, or what to do next.
fn status_ui(ui: &mut Ui, state: &FitState, view: &FitView, problem: Option<&FitProblem>) {
    let theme = theme_of(ui.ctx());
    if view.lab.reading().is_some() || state.unreadable.is_some() {
        return reading_ui(ui, state, view);
    }
    if view.has_errors {
        ui.colored_label(theme.error, "The simulation has errors; mend them, then it can be fitted");
        return;
    }
    if let Some(problem) = &state.problem {
        ui.colored_label(theme.error, problem);
        return;
    }
    let Some(fit) = &view.lab.fit else {
        match problem {
            Some(next) if next.is_next_choice() => ui.label(widgets::weak(ui, next.to_string())),
            Some(problem) => ui.colored_label(theme.warning, problem.to_string()),
            None => ui.label(widgets::weak(ui, "Press Fit")),
        };
        return;
    };
    let (text, color) = match &fit.outcome {
        None => (progress_text(fit), theme.text_weak),
        Some(Err(error)) => (widgets::sentence(error), theme.error),
        Some(Ok(_)) if fit.is_outdated => {
            ("Stopped, since the simulation was changed; fit again".to_owned(), theme.warning)
        }
        Some(Ok(outcome)) => match outcome.end {
            End::Converged => ("Converged".to_owned(), theme.success),
            End::Limit => (
                "Not converged within the largest number of iterations; fit again from these values".to_owned(),
                theme.warning,
            ),
            End::Failed => ("Not converged: no step leads to a smaller sum".to_owned(), theme.warning),
            End::Cancelled => ("Stopped; these are the best values so far".to_owned(), theme.warning),
        },
    };
    ui.colored_label(color, text);
}

fn progress_text(fit: &RunningFit) -> String {
    match &fit.progress {
        None => "Preparing…".to_owned(),
        Some(progress) => {
            let start =
                if fit.input.options.starts > 1 { format!("start {}, ", progress.start + 1) } else { String::new() };
            let sum = numbers::digits(progress.sum, 4);
            widgets::sentence(&format!("{start}iteration {}, {} {sum}", progress.iteration, result::sum_name(fit)))
        }
    }
}
