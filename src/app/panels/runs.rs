//! The runs of the document: the shown run, overlays, their changes and origins.

use std::sync::Arc;
use std::time::SystemTime;

use eframe::egui::{self, Rect, RichText, ScrollArea, Sense, TextEdit, Ui, WidgetInfo, vec2};

use super::breakpoints;
use crate::app::action::command::{Command, RunCommand};
use crate::app::action::{Action, RunAction};
use crate::app::doc::derived::{CodeBreakpoint, WireBreakpoint};
use crate::app::doc::typed;
use crate::app::doc::uses::path_text;
use crate::app::store::run::{RunSession, RunState};
use crate::app::store::runs::RunRecord;
use crate::app::ui::field::EditedField;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::number_before;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::app::ui::{numbers, style};
use crate::block::limits::size_text;
use crate::engine::{ParamChange, state_of_name};
use crate::model::{BlockId, Simulation, model_at};

#[derive(Default)]
pub struct RunsState {
    /// The run whose name is edited, and the text so far.
    renaming: Option<(u64, String)>,
    editing: EditedField,
}

pub struct RunsView<'a> {
    pub simulation: &'a Arc<Simulation>,
    /// The breakpoints on wires, with the names of their models.
    pub breakpoints: &'a [(Arc<str>, WireBreakpoint)],
    /// Those on lines of code.
    pub code_breakpoints: &'a [(Arc<str>, CodeBreakpoint)],
    pub run: &'a RunSession,
    pub runs_megabytes: u64,
    /// The size of the spill file in bytes.
    pub on_disk: u64,
    pub past_megabytes: u64,
}

const ROW: f32 = 40.0;

pub fn show_ui(ui: &mut Ui, state: &mut RunsState, view: &RunsView) -> Vec<Action> {
    let mut actions = Vec::new();
    let runs = view.run.runs();
    if runs.is_empty() && view.breakpoints.is_empty() && view.code_breakpoints.is_empty() {
        widgets::empty_ui(ui, Icon::Curve, "No runs yet", "Runs are listed here, to review, compare and branch");
        return actions;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let frame = egui::Frame::new().inner_margin(egui::Margin { left: 6, right: 8, top: 6, bottom: 6 });
        frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            for run in runs.iter().rev() {
                row_ui(ui, state, view, run, &mut actions);
            }
            if runs.is_empty() {
                ui.label(widgets::weak(ui, "No runs yet"));
            }
            ui.add_space(SPACE);
            let mut shows_ghost = runs.shows_ghost;
            let check = widgets::check_ui(ui, &mut shows_ghost, "Previous run behind the curves");
            if check.on_hover_text("Draw the previous run faintly behind the current one").changed() {
                actions.push(Action::Command(Command::Run(RunCommand::ToggleGhost)));
            }
            if runs.len() > 1 {
                let button = ui.button("Compare runs…");
                if button.on_hover_text("Compare the signals of both step by step, within a tolerance").clicked() {
                    actions.push(Action::Run(RunAction::Compare(None)));
                }
            }
            if let Some(run) = runs.current() {
                about_ui(ui, view, run, &mut actions);
            }
            memory_ui(ui, view, &mut actions);
            let known = (view.breakpoints, view.code_breakpoints);
            breakpoints::show_ui(ui, &mut state.editing, view.simulation, known, &mut actions);
        });
    });
    actions
}

fn row_ui(ui: &mut Ui, state: &mut RunsState, view: &RunsView, run: &RunRecord, actions: &mut Vec<Action>) {
    let number = run.number;
    if let Some((renamed, text)) = &mut state.renaming
        && *renamed == number
    {
        let response = ui.add(TextEdit::singleline(text).desired_width(ui.available_width()));
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label("Name of the run"));
        if response.lost_focus() {
            let is_given_up = ui.input(|input| input.key_pressed(egui::Key::Escape));
            let request = RunAction::Rename(number, std::mem::take(text));
            state.renaming = None;
            actions.extend((!is_given_up).then_some(Action::Run(request)));
        } else {
            response.request_focus();
        }
        return;
    }
    let theme = theme_of(ui.ctx());
    let runs = view.run.runs();
    let is_current = runs.current().is_some_and(|current| current.number == number);
    let row = widgets::selectable_row_ui(ui, &format!("Show {}", run.name), ROW, is_current, |ui, rect| {
        let color = match run.state {
            RunState::Failed(_) | RunState::PausedByError(_) => theme.error,
            RunState::Finished => theme.success,
            RunState::Paused | RunState::Stopped => theme.warning,
            _ => theme.accent,
        };
        ui.painter().circle_filled(rect.left_top() + vec2(12.0, 13.0), 4.0, color);
        let right = rect.right() - 62.0;
        let upper = Rect::from_min_max(rect.left_top() + vec2(24.0, 2.0), egui::pos2(right, rect.center().y + 1.0));
        widgets::text_in(ui, upper, &run.name, style::strong(TEXT), theme.text);
        let lower =
            Rect::from_min_max(egui::pos2(upper.left(), rect.center().y), egui::pos2(right, rect.bottom() - 3.0));
        widgets::text_in(ui, lower, &summary(run), style::plain(TEXT_SMALL), theme.text_weak);
    });
    let at =
        |from_right: f32| Rect::from_center_size(row.rect.right_center() - vec2(from_right, 0.0), vec2(24.0, 24.0));
    if !is_current {
        let is_on = runs.is_overlay(number);
        let label = format!("Overlay {}", run.name);
        if mark_ui(ui, at(16.0), Icon::Eye, &label, is_on, "Draw this run together with the current one") {
            actions.push(Action::Run(RunAction::ToggleOverlay(number)));
        }
    }
    if mark_ui(
        ui,
        at(42.0),
        Icon::Pin,
        &format!("Pin {}", run.name),
        run.is_pinned,
        "Never remove this run to free memory",
    ) {
        actions.push(Action::Run(RunAction::TogglePin(number)));
    }
    if row.clicked() && !is_current {
        actions.push(Action::Run(RunAction::Show(number)));
    }
    if row.double_clicked() {
        state.renaming = Some((number, run.name.clone()));
    }
    row.context_menu(|ui| {
        let item = |ui: &mut Ui, text: &str, is_enabled: bool| {
            let is_chosen = ui.add_enabled(is_enabled, egui::Button::new(text)).clicked();
            if is_chosen {
                ui.close();
            }
            is_chosen
        };
        if !is_current && item(ui, "Compare with the shown run", run.steps > 0) {
            actions.push(Action::Run(RunAction::Compare(Some(number))));
        }
        if item(ui, "Rename…", true) {
            state.renaming = Some((number, run.name.clone()));
        }
        if item(ui, "Save…", run.steps > 0) {
            actions.push(Action::Run(RunAction::Save(number)));
        }
        if item(ui, "Repeat with its changes", run.edits.is_empty()) {
            actions.push(Action::Run(RunAction::Repeat(number)));
        }
        let is_live = view.run.live() == Some(number) && view.run.is_active();
        if item(ui, "Delete", !is_live) {
            actions.push(Action::Run(RunAction::Remove(number)));
        }
    });
}

/// Draws a small toggle at the end of a row; returns whether it was clicked.
fn mark_ui(ui: &Ui, rect: Rect, icon: Icon, label: &str, selected: impl Into<Selected>, tooltip: &str) -> bool {
    let is_on = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let response = ui.interact(rect, ui.scope_id().with(label), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, is_on, label));
    let color = match (is_on, response.hovered()) {
        (true, _) => theme.accent,
        (false, true) => theme.text,
        (false, false) => style::mix(theme.panel, theme.text_weak, 0.55),
    };
    icon.paint(ui.painter(), rect.shrink(5.0), color);
    widgets::focus_ring(ui, &response, 4);
    response.on_hover_text(tooltip).clicked()
}

fn summary(run: &RunRecord) -> String {
    let what = match &run.state {
        RunState::Failed(_) => "failed, ",
        RunState::PausedByError(_) => "paused, ",
        RunState::Stopped => "stopped, ",
        RunState::Paused => "paused, ",
        _ => "",
    };
    let changes = match run.changes.len() {
        0 => String::new(),
        1 => ", 1 change".to_owned(),
        count => format!(", {count} changes"),
    };
    format!("{what}{} steps{changes} · {}", numbers::grouped(run.steps), age(run.began))
}

/// `2 min ago`.
fn age(began: SystemTime) -> String {
    let seconds = began.elapsed().map(|age| age.as_secs()).unwrap_or_default();
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// Returns a block's display name: path, title and number.
pub fn block_name(simulation: &Simulation, path: &[BlockId], block: BlockId) -> String {
    let title = model_at(simulation, path).and_then(|model| model.block(block)).map_or("", |block| block.title());
    match path {
        [] => format!("{title} {block}"),
        path => format!("{} / {title} {block}", path_text(simulation, path)),
    }
}

/// Returns the name of the changed parameter or state.
pub fn name_of(change: &ParamChange) -> String {
    match state_of_name(&change.param.name) {
        Some(number) => format!("State {}", number + 1),
        None => change.param.name.clone(),
    }
}

/// Draws the memory limits.
fn memory_ui(ui: &mut Ui, view: &RunsView, actions: &mut Vec<Action>) {
    widgets::section_ui(ui, "Memory");
    let used: usize = view.run.runs().iter().map(RunRecord::size).sum();
    let used = format!("{} MB of", numbers::digits(used as f64 / (1 << 20) as f64, 3));
    let rows = [
        (used, "Megabytes for runs", view.runs_megabytes, "Above this limit the oldest unpinned runs are removed"),
        (
            "Rewind buffer:".to_owned(),
            "Megabytes for the rewind buffer",
            view.past_megabytes,
            "A larger buffer shows earlier steps faster. Takes effect on the next run",
        ),
    ];
    if view.on_disk > 0 {
        let text = format!("and {} on disk", size_text(view.on_disk as f64));
        let about = "Samples beyond the memory limit are in a temporary file. It holds about fourteen times the memory \
                     limit; then a run pauses";
        ui.label(widgets::weak(ui, text)).on_hover_text(about);
    }
    for (number, (text, label, megabytes, about)) in rows.into_iter().enumerate() {
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, text));
            let mut wanted = megabytes;
            let drag = egui::DragValue::new(&mut wanted).range(1..=1_000_000_u64).suffix(" MB");
            let megabytes = |text: &str| typed::dragged_whole(number_before(text, "MB"));
            let drag = ui.add(drag.custom_parser(megabytes));
            drag.ctx.accesskit_node_builder(drag.id, |node| node.set_label(label));
            if drag.on_hover_text(about).changed() {
                actions.push(Action::Run(if number == 0 {
                    RunAction::Limit(wanted)
                } else {
                    RunAction::LimitPast(wanted)
                }));
            }
        });
    }
}

/// Draws the origin of the shown run and its changes.
fn about_ui(ui: &mut Ui, view: &RunsView, run: &RunRecord, actions: &mut Vec<Action>) {
    widgets::section_ui(ui, &run.name);
    let mut line = |what: &str, value: String| {
        let theme = theme_of(ui.ctx());
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
        let (left, right) = rect.split_left_right_at_x(rect.left() + 78.0);
        widgets::text_in(ui, left, what, style::plain(TEXT_SMALL), theme.text_weak);
        widgets::text_in(ui, right, &value, style::plain(TEXT_SMALL), theme.text);
    };
    if let Some((from, step)) = run.branched {
        let of = view.run.runs().get(from).map_or_else(|| format!("run {from}"), |run| run.name.clone());
        line("Branch of", format!("{of} at step {}", numbers::grouped(step)));
    }
    line("Time", numbers::seconds(run.end()));
    line("Engine", run.engine.clone());
    let file = run.source.path.as_deref().map(crate::app::store::files::file_name);
    line("File", file.unwrap_or_else(|| "not saved".to_owned()));
    if let Some(hash) = run.source.hash.get() {
        line("Fingerprint", hash.clone());
    }
    line("Version", run.source.version.clone());
    if let RunState::Failed(message) | RunState::PausedByError(message) = &run.state {
        ui.label(RichText::new(message).size(TEXT_SMALL).color(theme_of(ui.ctx()).error));
    }
    widgets::section_ui(ui, "Changes during the run");
    for (step, report) in &run.edits {
        let text = format!("step {}: diagram edited", numbers::grouped(*step));
        ui.label(RichText::new(text).size(TEXT_SMALL)).on_hover_text(report);
    }
    if run.changes.is_empty() && run.edits.is_empty() {
        ui.label(widgets::weak(ui, "None. Parameters set during a run take effect in the next step"));
        return;
    }
    for change in &run.changes {
        let values: Vec<String> = change.values.iter().map(|value| numbers::digits(*value, 6)).collect();
        let block = block_name(view.simulation, &change.param.block.path, change.param.block.block);
        let text =
            format!("step {}: {} of {block} = {}", numbers::grouped(change.step), name_of(change), values.join(" "));
        let row = widgets::row_ui(ui, &format!("Show {text}"), 20.0, |ui, rect| {
            widgets::text_in(
                ui,
                rect.shrink2(vec2(6.0, 0.0)),
                &text,
                style::plain(TEXT_SMALL),
                theme_of(ui.ctx()).text,
            );
        });
        if row.on_hover_text("Show this step").clicked() {
            actions.push(Action::Run(RunAction::ChooseStep(Some(change.step))));
        }
    }
    ui.add_space(SPACE);
    // The diagrams between edits are not stored.
    let button = ui.add_enabled(run.edits.is_empty(), egui::Button::new("Repeat with these changes"));
    let button = button.on_disabled_hover_text("A run whose diagram was edited cannot be repeated");
    if button.on_hover_text("Run again, with each change at its step").clicked() {
        actions.push(Action::Run(RunAction::Repeat(run.number)));
    }
}
