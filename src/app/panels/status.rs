//! The status bar: state of the run, last message, problems, pointer position.

use std::time::Instant;

use eframe::egui::{self, Rect, RichText, Sense, Ui, vec2};

use crate::app::action::command::Panel;
use crate::app::action::{Action, ViewAction};
use crate::app::store::run::{RunSession, RunState};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::engine::Program;
use crate::model::{Diagnostic, Position, Simulation};

/// What the status bar shows.
pub struct StatusView<'a> {
    pub run: &'a RunSession,
    /// The open document.
    pub simulation: Option<&'a Simulation>,
    pub program: Option<&'a Program>,
    pub diagnostics: &'a [Diagnostic],
    /// The title of a background job in progress.
    pub job: Option<&'a str>,
    pub message: Option<&'a Message>,
    /// The pointer's position in the open model.
    pub pointer: Option<Position>,
}

/// A line for the status bar.
pub struct Message {
    pub text: String,
    pub is_problem: bool,
    pub since: Instant,
}

pub fn show_ui(ui: &mut Ui, view: &StatusView) -> Vec<Action> {
    let mut actions = Vec::new();
    let theme = theme_of(ui.ctx());
    let run = view.run;
    ui.horizontal_centered(|ui| {
        let (color, text) = match &run.state {
            RunState::Idle => (theme.text_weak, "Ready".to_owned()),
            RunState::Preparing => (theme.accent, "Preparing…".to_owned()),
            RunState::Running => (theme.accent, "Running".to_owned()),
            RunState::Paused => (theme.warning, "Paused".to_owned()),
            RunState::PausedByError(_) => (theme.error, "Paused".to_owned()),
            RunState::Finished => (theme.success, "Finished".to_owned()),
            RunState::Stopped => (theme.warning, "Stopped".to_owned()),
            RunState::Failed(_) => (theme.error, "Failed".to_owned()),
        };
        let (dot, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
        ui.painter().circle_filled(dot.center(), 4.0, color);
        ui.label(small(&text).color(theme.text));
        if run.state != RunState::Idle {
            ui.label(small(&format!("step {}", numbers::grouped(run.progress.step))).color(theme.text_weak));
            ui.label(small(&numbers::seconds(run.progress.time)).color(theme.text_weak));
            if run.progress.executed > 0 {
                length_ui(ui, view);
            }
            if run.state == RunState::Running && run.progress.steps_per_second > 0.0 {
                let rate = format!("{} steps/s", numbers::rough(run.progress.steps_per_second));
                ui.label(small(&rate).color(theme.text_weak));
            }
        }
        if let (Some(breakpoint), RunState::Paused, Some(simulation)) = (&run.broke, &run.state, view.simulation) {
            let what = crate::app::doc::breakpoints::text_of(simulation, breakpoint);
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
        ui.add_space(2.0 * SPACE);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            problems_ui(ui, view, &mut actions);
            if let Some(at) = view.pointer {
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

/// Draws the number of block executions in a step.
fn length_ui(ui: &mut Ui, view: &StatusView) {
    let theme = theme_of(ui.ctx());
    let executed = view.run.progress.executed;
    let is_fixed = view.program.is_some_and(Program::has_fixed_length);
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

fn problems_ui(ui: &mut Ui, view: &StatusView, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    if view.simulation.is_none() {
        return;
    }
    let errors = view.diagnostics.iter().filter(|found| found.is_error()).count();
    let warnings = view.diagnostics.len() - errors;
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
