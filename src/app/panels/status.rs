//! The status bar: state of the run, last message, problems, pointer position.

use std::time::Instant;

use eframe::egui::{self, Color32, Rect, RichText, Sense, Ui, vec2};

use crate::app::action::command::{Command, Panel, ViewCommand};
use crate::app::action::{Action, ViewAction};
use crate::app::doc::derived::DiagnosticList;
use crate::app::store::run::{RunSession, RunState};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::Program;
use crate::model::{Position, Simulation};

/// The content of the status bar.
pub struct StatusView<'a> {
    pub document: Option<DocumentStatus<'a>>,
    /// The title of a background job in progress.
    pub job: Option<&'a str>,
    pub message: Option<&'a Message>,
}

/// The part of the status bar about the open document.
pub struct DocumentStatus<'a> {
    pub run: &'a RunSession,
    pub simulation: &'a Simulation,
    pub program: Option<&'a Program>,
    pub diagnostics: &'a DiagnosticList,
    /// The pointer's position in the open model.
    pub pointer: Option<Position>,
    /// The zoom of the diagram; 1.0 is the natural size.
    pub zoom: f32,
}

/// A line for the status bar.
pub struct Message {
    pub text: String,
    pub is_problem: bool,
    pub since: Instant,
}

/// The room in points from which the zoom is shown.
const WITH_ZOOM: f32 = 300.0;

pub fn show_ui(ui: &mut Ui, view: &StatusView) -> Vec<Action> {
    let mut actions = Vec::new();
    let theme = theme_of(ui.ctx());
    ui.horizontal_centered(|ui| {
        match &view.document {
            Some(document) => run_ui(ui, document),
            None => state_ui(ui, theme.text_weak, "Ready"),
        }
        ui.add_space(2.0 * SPACE);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(document) = &view.document {
                problems_ui(ui, document.diagnostics, &mut actions);
                if ui.available_width() > WITH_ZOOM {
                    zoom_ui(ui, document.zoom, &mut actions);
                }
            }
            if let Some(at) = view.document.as_ref().and_then(|document| document.pointer) {
                ui.label(small(&format!("{:.0}, {:.0}", at.x, at.y)).color(theme.text_weak));
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                if let Some(title) = view.job {
                    ui.label(small(&format!("{title}…")).color(theme.text_weak));
                }
                if let Some(message) = view.message {
                    let color = if message.is_problem { theme.error } else { theme.text_weak };
                    ui.add(egui::Label::new(small(&message.text).color(color)).truncate());
                }
            });
        });
    });
    actions
}

fn state_ui(ui: &mut Ui, color: Color32, text: &str) {
    let (dot, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
    ui.painter().circle_filled(dot.center(), 4.0, color);
    ui.label(small(text).color(theme_of(ui.ctx()).text));
}

/// Draws the state of the run.
fn run_ui(ui: &mut Ui, document: &DocumentStatus) {
    let (theme, run) = (theme_of(ui.ctx()), document.run);
    let (color, text) = match &run.state {
        RunState::Idle => (theme.text_weak, "Ready"),
        RunState::Preparing => (theme.accent, "Preparing…"),
        RunState::Running => (theme.accent, "Running"),
        RunState::Paused => (theme.warning, "Paused"),
        RunState::PausedByError(_) => (theme.error, "Paused"),
        RunState::Finished => (theme.success, "Finished"),
        RunState::Stopped => (theme.warning, "Stopped"),
        RunState::Failed(_) => (theme.error, "Failed"),
    };
    state_ui(ui, color, text);
    if run.state != RunState::Idle {
        ui.label(small(&format!("step {}", numbers::grouped(run.progress.step))).color(theme.text_weak));
        ui.label(small(&numbers::seconds(run.progress.time)).color(theme.text_weak));
        if run.progress.executed > 0 {
            length_ui(ui, document);
        }
        if run.state == RunState::Running && run.progress.steps_per_second > 0.0 {
            let rate = format!("{} steps/s", numbers::rough(run.progress.steps_per_second));
            ui.label(small(&rate).color(theme.text_weak));
        }
        // Long runs show the remaining time.
        if let Some(seconds) = run.remaining().filter(|seconds| *seconds > 3.0) {
            ui.label(small(&format!("{} left", numbers::duration(seconds))).color(theme.text_weak));
        }
    }
    if let (Some(breakpoint), RunState::Paused) = (&run.broke, &run.state) {
        let what = crate::app::doc::breakpoints::text_of(document.simulation, breakpoint);
        ui.label(small(&format!("at {what}")).color(theme.warning));
    }
    if run.progress.overruns > 0 {
        let text = match run.progress.overruns {
            1 => "1 overrun".to_owned(),
            count => format!("{} overruns", numbers::grouped(count)),
        };
        let label = ui.label(small(&text).color(theme.warning));
        label.on_hover_text("The number of times the run was too slow for the chosen speed");
    }
    if let Some(step) = run.chosen_step() {
        let text = format!("showing step {}", numbers::grouped(step));
        ui.label(small(&text).color(theme.accent));
    }
}

/// Draws the number of block executions in a step.
fn length_ui(ui: &mut Ui, document: &DocumentStatus) {
    let theme = theme_of(ui.ctx());
    let executed = document.run.progress.executed;
    let is_fixed = document.program.is_some_and(Program::has_fixed_length);
    let count = if executed == 1 {
        "1 block execution".to_owned()
    } else {
        format!("{} block executions", numbers::grouped(executed))
    };
    let (text, about) = match is_fixed {
        true => (format!("{count} per step"), "The number of block executions in each step"),
        false => (
            format!("approx. {count} per step"),
            "The number of block executions in the last step. With conditional or repeated subsystems it differs from \
             step to step",
        ),
    };
    ui.label(small(&text).color(theme.text_weak)).on_hover_text(about);
}

/// Draws the zoom of the diagram with its buttons, from right to left.
fn zoom_ui(ui: &mut Ui, zoom: f32, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = 0.0;
    ui.add_space(2.0 * SPACE);
    small_button_ui(ui, ViewCommand::ZoomFit, 24.0, actions, |ui, rect, color| {
        Icon::Fit.paint(ui.painter(), Rect::from_center_size(rect.center(), vec2(12.0, 12.0)), color);
    });
    let sign = |sign: &'static str| {
        move |ui: &Ui, rect: Rect, color: Color32| {
            let font = crate::app::ui::style::plain(TEXT_SMALL + 3.0);
            ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, sign, font, color);
        }
    };
    small_button_ui(ui, ViewCommand::ZoomIn, 20.0, actions, sign("+"));
    small_button_ui(ui, ViewCommand::ZoomReset, 46.0, actions, |ui, rect, color| {
        let font = crate::app::ui::style::plain(TEXT_SMALL);
        let text = format!("{:.0} %", zoom * 100.0);
        ui.painter().text(rect.center(), egui::Align2::CENTER_CENTER, text, font, color);
    });
    small_button_ui(ui, ViewCommand::ZoomOut, 20.0, actions, sign("−"));
    ui.add_space(SPACE);
    ui.spacing_mut().item_spacing.x = SPACE;
}

/// Draws a button of a command, as low as this bar.
fn small_button_ui(
    ui: &mut Ui,
    command: ViewCommand,
    width: f32,
    actions: &mut Vec<Action>,
    paint: impl FnOnce(&Ui, Rect, Color32),
) {
    let Some(def) = Command::View(command).def() else { return };
    let theme = theme_of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(width, 20.0), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, def.label));
    if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, crate::app::ui::style::mix(theme.window, theme.accent, 0.14));
    }
    widgets::focus_ring(ui, &response, 4);
    paint(ui, rect, if response.hovered() { theme.text } else { theme.text_weak });
    if response.on_hover_text(def.tooltip_text(ui.ctx())).clicked() {
        actions.push(Action::Command(Command::View(command)));
    }
}

fn problems_ui(ui: &mut Ui, diagnostics: &DiagnosticList, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let (errors, warnings) = (diagnostics.errors().len(), diagnostics.warnings());
    let (icon, color) = match (errors, warnings) {
        (0, 0) => (Icon::Check, theme.success),
        (0, _) => (Icon::Warning, theme.warning),
        _ => (Icon::Error, theme.error),
    };
    let text = super::problems::counts(errors, warnings);
    let galley = ui.painter().layout_no_wrap(text.clone(), crate::app::ui::style::plain(TEXT_SMALL), theme.text);
    let size = vec2(galley.size().x + 26.0, 20.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Show problems: {text}")));
    if response.hovered() {
        ui.painter().rect_filled(rect, 4.0, crate::app::ui::style::mix(theme.window, theme.accent, 0.14));
    }
    widgets::focus_ring(ui, &response, 4);
    icon.paint(ui.painter(), Rect::from_center_size(rect.left_center() + vec2(11.0, 0.0), vec2(12.0, 12.0)), color);
    ui.painter().galley(rect.left_center() + vec2(21.0, -galley.size().y / 2.0), galley, theme.text);
    if response.clicked() {
        actions.push(Action::View(ViewAction::ShowPanel(Panel::Problems)));
    }
}

fn small(text: &str) -> RichText {
    RichText::new(text).size(TEXT_SMALL)
}
