//! The list of diagnostics, errors first; a click goes to the block.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, Rect, RichText, ScrollArea, Ui, pos2, vec2};

use super::fixes::{self, KnownFixes};
use crate::app::action::{Action, FileAction, ViewAction};
use crate::app::doc::advice::Advice;
use crate::app::doc::derived::DiagnosticList;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::block::Registry;
use crate::model::{Change, Diagnostic, Severity, Simulation, explanation};

#[derive(Default)]
pub struct ProblemsState {
    pub selected: Option<Diagnostic>,
    /// Only errors are shown.
    hides_warnings: bool,
    /// Advice is shown instead.
    shows_advice: bool,
    fixes: KnownFixes,
}

impl ProblemsState {
    /// Returns whether advice is shown instead of problems.
    pub fn shows_advice(&self) -> bool {
        self.shows_advice
    }
}

/// More models than these are in the Models panel only.
const MAX_OUTDATED: usize = 20;

/// The height of a row; only visible rows are drawn.
const ROW: f32 = 40.0;

/// The content of the panel.
pub struct ProblemsView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub diagnostics: &'a DiagnosticList,
    /// The newest advice; `None` before the first.
    pub advice: Option<&'a [Advice]>,
    /// A check is in progress.
    pub is_busy: bool,
    /// The models of which their library has a newer version.
    pub outdated: &'a BTreeSet<Arc<str>>,
}

pub fn show_ui(ui: &mut Ui, state: &mut ProblemsState, view: &ProblemsView) -> Vec<Action> {
    let diagnostics = view.diagnostics;
    let mut actions = Vec::new();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 6, bottom: 0 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.selectable_value(&mut state.shows_advice, false, "Problems");
            let advice = ui.selectable_value(&mut state.shows_advice, true, "Advice");
            advice.on_hover_text("Suggested improvements, with fixes");
        });
    });
    if state.shows_advice {
        match view.advice {
            Some(advice) => advice_ui(ui, advice, &mut actions),
            None => widgets::empty_ui(ui, Icon::Search, "Checking…", "You can go on working"),
        }
        return actions;
    }
    let (errors, warnings) = (diagnostics.errors().len(), diagnostics.warnings());
    library_ui(ui, view, &mut actions);
    if diagnostics.all().is_empty() {
        match view.is_busy {
            true => widgets::empty_ui(ui, Icon::Search, "Checking…", "You can go on working"),
            false => widgets::empty_ui(ui, Icon::Check, "No problems", "The simulation is checked as you edit"),
        }
        return actions;
    }
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 4, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(widgets::weak(ui, counts(errors, warnings)));
            if warnings > 0 && errors > 0 {
                widgets::check_ui(ui, &mut state.hides_warnings, RichText::new("Errors only").size(TEXT_SMALL));
            }
        });
    });
    let hides = state.hides_warnings && errors > 0;
    let shown = if hides { diagnostics.errors() } else { diagnostics.all() };
    egui::Frame::new().inner_margin(egui::Margin { left: 6, right: 6, top: 0, bottom: 4 }).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, shown.len(), |ui, rows| {
            for (row, found) in rows.filter_map(|row| Some((row, shown.get(row)?))) {
                if row_ui(ui, state, view, (row, found), &mut actions) {
                    state.selected = Some(found.clone());
                    actions.extend(way_to(found));
                }
            }
        });
    });
    actions
}

/// Draws the models of which their library has a newer version.
fn library_ui(ui: &mut Ui, view: &ProblemsView, actions: &mut Vec<Action>) {
    for name in view.outdated.iter().take(MAX_OUTDATED) {
        egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 4, bottom: 2 }).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.label(format!("{name}: the library has a newer version"));
                let update = ui.button("Update from library…");
                let label =
                    || egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Update {name} from library"));
                update.widget_info(label);
                if update.on_hover_text("Shows what the update changes").clicked() {
                    actions.push(Action::File(FileAction::AskLibraryUpdate(Arc::clone(name))));
                }
            });
        });
    }
}

/// Draws the advice by rule, each with its fix.
fn advice_ui(ui: &mut Ui, advice: &[Advice], actions: &mut Vec<Action>) {
    if advice.is_empty() {
        widgets::empty_ui(
            ui,
            Icon::Check,
            "No advice",
            "Unconnected inputs, unused blocks and crooked wires are listed here",
        );
        return;
    }
    widgets::panel_frame().show(ui, |ui| {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for of_rule in advice.chunk_by(|one, other| one.rule == other.rule) {
                let Some(first) = of_rule.first() else { continue };
                ui.horizontal(|ui| {
                    ui.label(RichText::new(first.rule.title()).font(style::strong(TEXT_SMALL + 0.5)));
                    ui.label(widgets::weak(ui, of_rule.len().to_string()));
                    if of_rule.len() > 1
                        && ui.button("Fix all").on_hover_text("In one step; this can be undone").clicked()
                    {
                        let edits = of_rule.iter().flat_map(|advice| advice.fix.1.edits.iter().cloned()).collect();
                        let label = format!("Fix: {}", first.rule.title().to_lowercase());
                        actions.push(Action::Apply(Change::new(label, edits)));
                    }
                });
                for one in of_rule {
                    advice_row_ui(ui, one, actions);
                }
                ui.add_space(TEXT_SMALL);
            }
        });
    });
}

fn advice_row_ui(ui: &mut Ui, advice: &Advice, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        let (name, change) = &advice.fix;
        let button = ui.button(*name);
        let label = format!("{name}: {}", advice.message);
        ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(label));
        if button.clicked() {
            actions.push(Action::Apply(change.clone()));
        }
        let row = widgets::row_ui(ui, &advice.message, 26.0, |ui, rect| {
            let mut room = rect.shrink2(vec2(8.0, 0.0));
            room.min.x += widgets::text_in(ui, room, &advice.message, style::plain(TEXT), theme.text) + 12.0;
            widgets::text_in(ui, room, &advice.model, style::plain(TEXT_SMALL), theme.text_weak);
        });
        if row.clicked() {
            actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(&advice.model), block: advice.block }));
        }
    });
}

/// Draws a problem with the buttons that fix it; returns whether the row was clicked.
fn row_ui(
    ui: &mut Ui,
    state: &mut ProblemsState,
    view: &ProblemsView,
    (row, found): (usize, &Diagnostic),
    actions: &mut Vec<Action>,
) -> bool {
    let theme = theme_of(ui.ctx());
    let (icon, color) = match found.severity {
        Severity::Error => (Icon::Error, theme.error),
        Severity::Warning => (Icon::Warning, theme.warning),
    };
    let message = sentence(&found.message);
    let is_selected = state.selected.as_ref() == Some(found);
    let response = widgets::selectable_row_ui(ui, &message, ROW, is_selected, |_, _| ());
    let rect = response.rect;
    // Over the row, so that they get the clicks on them; the texts take the remaining space.
    let room = Rect::from_min_max(pos2(rect.left() + 200.0, rect.top()), pos2(rect.right() - 6.0, rect.bottom()));
    let fixes = state.fixes.of(view, row, found);
    let right = fixes::buttons_ui(ui, room, fixes, view, found, actions);

    let square = Rect::from_center_size(pos2(rect.left() + 16.0, rect.top() + 13.0), vec2(14.0, 14.0));
    icon.paint(ui.painter(), square, color);
    let left = rect.left() + 32.0;
    let upper = Rect::from_min_max(pos2(left, rect.top() + 3.0), pos2(right, rect.top() + 22.0));
    let lower = Rect::from_min_max(pos2(left, rect.top() + 20.0), pos2(right, rect.bottom() - 2.0));
    let location = location_text(view.simulation, found);
    let location_width = ui.painter().layout_no_wrap(location.clone(), style::plain(TEXT_SMALL), theme.text).size().x;
    let location_room =
        Rect::from_min_max(pos2((upper.right() - location_width).max(left + 80.0), upper.top()), upper.max);
    let room = Rect::from_min_max(upper.min, pos2(location_room.left() - 12.0, upper.bottom()));
    widgets::text_in(ui, room, &message, style::plain(TEXT), theme.text);
    widgets::text_in(ui, location_room, &location, style::plain(TEXT_SMALL), theme.text_weak);
    widgets::text_in(ui, lower, &sentence(&found.help), style::plain(TEXT_SMALL), theme.text_weak);

    let response = response.on_hover_text(explained(&message, found));
    response.clicked() || (response.has_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)))
}

/// Returns the text about a row: its message and help, and the catalogue's explanation of its code.
fn explained(message: &str, found: &Diagnostic) -> String {
    let help = Some(sentence(&found.help)).filter(|help| !help.is_empty());
    let code = explanation(found.code).map(|def| format!("\n{}\n{}\nCode: {}", def.cause, def.remedy, def.code));
    let lines = [Some(message.to_owned()), help, code];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn way_to(found: &Diagnostic) -> Option<Action> {
    let model = found.location.model.clone()?;
    Some(Action::View(ViewAction::OpenModel { model, block: found.location.block }))
}

/// `Main / Gain #3, line 12`.
fn location_text(simulation: &Simulation, found: &Diagnostic) -> String {
    let mut text = String::new();
    if let Some(name) = &found.location.model {
        text.push_str(name);
        if let Some(id) = found.location.block {
            let block = simulation.model(name).and_then(|model| model.block(id));
            let title = block.map(|block| format!("{} ", block.title())).unwrap_or_default();
            text.push_str(&format!(" / {title}{id}"));
        }
    }
    if let Some(position) = found.location.text {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&format!("line {}", position.line));
    }
    text
}

pub fn counts(errors: usize, warnings: usize) -> String {
    let count = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    match (errors, warnings) {
        (0, 0) => "No problems".to_owned(),
        (errors, 0) => count(errors, "error"),
        (0, warnings) => count(warnings, "warning"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}
