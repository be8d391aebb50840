//! A row for each conflict of a merge: what it is about, and a button for each side.

use std::collections::BTreeMap;

use eframe::egui::{RichText, ScrollArea, TextEdit, Ui};

use super::ReviewView;
use crate::app::action::{Action, ViewAction};
use crate::app::doc::typed;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::{
    Change, Conflict, Document, Holder, Property, Settlement, Simulation, conflicts, settle, settle_all, side_text,
};

/// Longer values are cut on a button.
const MAX_LETTERS: usize = 40;
/// The height of a row; only visible rows are drawn.
const ROW: f32 = 62.0;

#[derive(Default)]
pub struct ConflictsState {
    /// The conflicts of a revision.
    found: Option<(u64, Vec<(Holder, Conflict)>)>,
    /// The values that are being typed, by the names of their rows.
    typed: BTreeMap<String, String>,
}

impl ConflictsState {
    /// Follows the document, and returns the number of its conflicts.
    pub fn follow(&mut self, document: &Document) -> usize {
        let revision = document.revision();
        if self.found.as_ref().is_none_or(|(known, _)| *known != revision) {
            self.found = Some((revision, conflicts(document.simulation())));
        }
        self.found.as_ref().map_or(0, |(_, found)| found.len())
    }
}

/// Draws the buttons that settle all conflicts.
pub fn head_ui(ui: &mut Ui, state: &ConflictsState, view: &ReviewView, actions: &mut Vec<Action>) {
    if state.found.as_ref().is_none_or(|(_, found)| found.is_empty()) {
        return;
    }
    ui.label(widgets::weak(ui, "Settle all with"));
    let sides = [("Ours", Settlement::Ours), ("Theirs", Settlement::Theirs), ("Base", Settlement::Base)];
    for (name, settlement) in sides {
        let button = ui.button(name).on_hover_text("In one step, which can be undone");
        ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(format!("Settle all with {name}")));
        if button.clicked() {
            actions.push(match settle_all(view.document.simulation(), view.registry, &settlement) {
                Ok(edits) => Action::Apply(Change::new(format!("Settle all conflicts: {name}"), edits)),
                Err(error) => Action::Complain(format!("Not all conflicts can be settled so: {error}")),
            });
        }
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut ConflictsState, view: &ReviewView, actions: &mut Vec<Action>) {
    let ConflictsState { found, typed } = state;
    let found = found.as_ref().map(|(_, found)| found.as_slice()).unwrap_or_default();
    if found.is_empty() {
        let what = "After a merge, what both sides changed in different ways is settled here";
        return widgets::empty_ui(ui, Icon::Check, "No conflicts", what);
    }
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, found.len(), |ui, rows| {
        for (row, (holder, conflict)) in rows.filter_map(|row| Some((row, found.get(row)?))) {
            ui.push_id(row, |ui| {
                ui.allocate_ui(eframe::egui::vec2(ui.available_width(), ROW), |ui| {
                    row_ui(ui, view.document.simulation(), (holder, conflict), typed, actions);
                });
            });
        }
    });
}

fn row_ui(
    ui: &mut Ui,
    simulation: &Simulation,
    (holder, conflict): (&Holder, &Conflict),
    typed: &mut BTreeMap<String, String>,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let place = holder.text(simulation);
    let name = match &conflict.property {
        Property::Presence | Property::Check(_) | Property::Other(_) => place.clone(),
        property => format!("{place}, {property}"),
    };
    ui.set_min_width(ui.available_width());
    ui.horizontal(|ui| {
        let link = ui.link(RichText::new(&name).font(style::strong(TEXT))).on_hover_text("Show it in the diagram");
        if link.clicked()
            && let Some(model) = holder.model()
        {
            actions.push(Action::View(ViewAction::OpenModel { model: model.clone(), block: holder.block() }));
        }
        ui.label(RichText::new(about(conflict)).size(TEXT_SMALL).color(theme.text_weak));
    });
    let mut take = |settlement: Settlement, what: &str| {
        let edits = settle(simulation, holder, conflict, &settlement);
        actions.push(Action::Apply(Change::new(format!("{what}: {name}"), edits)));
    };
    ui.horizontal(|ui| {
        let has_sides = !matches!(conflict.property, Property::Check(_) | Property::Other(_));
        let sides = [
            ("Ours", &conflict.ours, Settlement::Ours),
            ("Theirs", &conflict.theirs, Settlement::Theirs),
            ("Base", &conflict.base, Settlement::Base),
        ];
        for (side, values, settlement) in sides.into_iter().filter(|_| has_sides) {
            let text = side_text(simulation, holder, conflict, values);
            let button = ui.button(format!("{side}: {}", short(&text))).on_hover_text(format!("{side}: {text}"));
            ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(format!("{side} for {name}")));
            if button.clicked() {
                take(settlement, &format!("Take {}", side.to_lowercase()));
            }
        }
        if is_typed(conflict) {
            let text = typed.entry(name.clone()).or_default();
            let field = TextEdit::singleline(text).hint_text("another value").desired_width(110.0);
            let field = ui.add(field);
            ui.ctx().accesskit_node_builder(field.id, |node| node.set_label(format!("Value for {name}")));
            let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Enter));
            let can_be_set = is_valid(conflict, text);
            let set = ui.add_enabled(can_be_set, eframe::egui::Button::new("Set"));
            ui.ctx().accesskit_node_builder(set.id, |node| node.set_label(format!("Set {name}")));
            if can_be_set && (set.clicked() || is_entered) {
                let text = std::mem::take(text);
                let number = match conflict.property {
                    Property::Steps => typed::whole(&text).map(|steps| steps.to_string()),
                    Property::Delta => typed::number(&text).map(|delta| delta.to_string()),
                    _ => None,
                };
                take(Settlement::Value(number.unwrap_or(text)), "Set");
            }
        }
        let keep = ui.button("Keep").on_hover_text("Settled as the diagram has it now, such as after an edit of yours");
        ui.ctx().accesskit_node_builder(keep.id, |node| node.set_label(format!("Keep {name}")));
        if keep.clicked() {
            take(Settlement::AsItIs, "Keep");
        }
    });
}

/// The kind of a conflict, for its row.
fn about(conflict: &Conflict) -> String {
    match &conflict.property {
        Property::Presence if conflict.ours.is_none() => "deleted in ours, changed in theirs".to_owned(),
        Property::Presence => "changed in ours, deleted in theirs".to_owned(),
        Property::Check(_) => {
            let message = conflict.ours.iter().flatten().next().map(String::as_str).unwrap_or_default();
            format!("neither side had: {message}")
        }
        Property::Other(text) => format!("cannot be understood: {text}"),
        _ => "changed in both".to_owned(),
    }
}

/// Whether a conflict is about one value, for which a user can type another.
fn is_typed(conflict: &Conflict) -> bool {
    let is_text = matches!(
        conflict.property,
        Property::Attribute(_)
            | Property::Option(_)
            | Property::Data(_)
            | Property::Value
            | Property::Name
            | Property::Steps
            | Property::Delta
    );
    is_text && [&conflict.ours, &conflict.theirs].iter().all(|side| side.as_ref().is_none_or(|side| side.len() < 2))
}

fn is_valid(conflict: &Conflict, text: &str) -> bool {
    match conflict.property {
        Property::Steps => typed::whole(text).is_some(),
        Property::Delta => typed::number(text).is_some_and(|delta| delta > 0.0),
        _ => !text.trim().is_empty(),
    }
}

fn short(text: &str) -> String {
    let line = text.replace('\n', "⏎");
    let is_cut = line.chars().nth(MAX_LETTERS).is_some();
    line.chars().take(MAX_LETTERS).chain(is_cut.then_some('…')).collect()
}
