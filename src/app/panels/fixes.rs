//! The buttons that fix a problem.

use std::collections::HashMap;

use eframe::egui::{Align, Layout, Rect, Response, RichText, Ui, UiBuilder};

use super::problems::ProblemsView;
use crate::app::action::{Action, RunAction};
use crate::app::doc::derived::DiagnosticList;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::sentence;
use crate::model::{Diagnostic, Fix, fixes};

/// The fixes of the rows that were drawn, found once for each list.
#[derive(Default)]
pub struct KnownFixes {
    list: DiagnosticList,
    of_row: HashMap<usize, Vec<(Fix, String)>>,
}

impl KnownFixes {
    /// Returns the fixes of a row, with the texts of their buttons.
    pub fn of(&mut self, view: &ProblemsView, row: usize, found: &Diagnostic) -> &[(Fix, String)] {
        if !self.list.is_same(view.diagnostics) {
            *self = KnownFixes { list: view.diagnostics.clone(), of_row: HashMap::new() };
        }
        self.of_row.entry(row).or_insert_with(|| fixes(view.simulation, view.registry, found))
    }
}

/// The minimum width of a row for which each fix has a button; below it all are in one menu.
const MIN_WIDTH_OF_BUTTONS: f32 = 520.0;

/// Draws the buttons at the right of `room`; returns where the space to their left ends.
pub fn buttons_ui(
    ui: &mut Ui,
    room: Rect,
    fixes: &[(Fix, String)],
    view: &ProblemsView,
    found: &Diagnostic,
    actions: &mut Vec<Action>,
) -> f32 {
    let action = action_of(found);
    if fixes.is_empty() && action.is_none() {
        return room.right();
    }
    let layout = Layout::right_to_left(Align::Center);
    let mut ui =
        ui.new_child(UiBuilder::new().id_salt((&found.message, found.location.block)).max_rect(room).layout(layout));
    if let Some((text, action)) = action
        && button_ui(&mut ui, text, found).clicked()
    {
        actions.push(action);
    }
    if room.width() < MIN_WIDTH_OF_BUTTONS && fixes.len() > 1 {
        ui.menu_button(small("Fix…"), |ui| {
            for (fix, text) in fixes {
                fix_ui(ui, *fix, text, view, found, actions);
            }
        });
    } else {
        // From right to left: the first one is the leftmost.
        for (fix, text) in fixes.iter().rev() {
            fix_ui(&mut ui, *fix, text, view, found, actions);
        }
    }
    ui.min_rect().left() - 12.0
}

fn fix_ui(ui: &mut Ui, fix: Fix, text: &str, view: &ProblemsView, found: &Diagnostic, actions: &mut Vec<Action>) {
    let changes = || fix.changes(view.simulation, view.registry, found);
    if fix.is_choice() {
        ui.menu_button(small(&format!("{text}…")), |ui| {
            for change in changes() {
                if ui.button(&change.label).clicked() {
                    actions.push(Action::Apply(change));
                }
            }
        });
        return;
    }
    let button = button_ui(ui, text, found);
    if button.clicked() {
        actions.extend(changes().into_iter().next().map(Action::Apply));
    }
    button.on_hover_ui(|ui| {
        if let Some(change) = changes().first() {
            ui.label(&change.label);
        }
    });
}

/// Returns the button of a problem that no edit fixes, and its action.
fn action_of(found: &Diagnostic) -> Option<(&'static str, Action)> {
    (found.code == "no-worker").then_some(("Run here", Action::Run(RunAction::RunHere)))
}

/// Draws the button of a fix, whose accessible name says which problem it is about.
fn button_ui(ui: &mut Ui, text: &str, found: &Diagnostic) -> Response {
    let button = ui.button(small(text));
    let label = format!("{text}: {}", sentence(&found.message));
    ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(label));
    button
}

fn small(text: &str) -> RichText {
    RichText::new(text).size(TEXT_SMALL)
}
