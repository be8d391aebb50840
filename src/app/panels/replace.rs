//! The part of the Find panel that replaces: a preview of all places, from which the user chooses, and one change.

use std::collections::BTreeSet;

use eframe::egui::{self, Rect, RichText, ScrollArea, Ui, UiBuilder, pos2, vec2};

use crate::app::action::{Action, ViewAction};
use crate::app::doc::replace::{MAX_REPLACEMENTS, ReplaceRequest, Replacement, change_of, replacements};
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{field, numbers, style};
use crate::block::Registry;
use crate::model::Simulation;

const ROW: f32 = 28.0;

/// The replacing part of the panel.
#[derive(Default)]
pub struct ReplaceState {
    pub is_open: bool,
    request: ReplaceRequest,
    /// The places, and what they were found for.
    found: Vec<Replacement>,
    found_for: Option<(ReplaceRequest, u64)>,
    /// The indexes of places that stay as they are.
    kept: BTreeSet<usize>,
}

/// The document in which is replaced.
#[derive(Clone, Copy)]
pub struct ReplaceView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub revision: u64,
}

impl ReplaceState {
    fn renew(&mut self, find: &str, view: ReplaceView) {
        find.clone_into(&mut self.request.find);
        let wanted = (self.request.clone(), view.revision);
        if self.found_for.as_ref() != Some(&wanted) {
            self.found = replacements(&self.request, view.simulation, view.registry);
            self.found_for = Some(wanted);
            self.kept.clear();
        }
    }
}

/// Draws the fields and the preview below the field of the search, whose text is `find`.
pub fn show_ui(ui: &mut Ui, state: &mut ReplaceState, find: &str, view: ReplaceView) -> Vec<Action> {
    let mut actions = Vec::new();
    ui.horizontal(|ui| {
        let width = (ui.available_width() - 130.0).clamp(120.0, 420.0);
        let theme = theme_of(ui.ctx());
        let hint = RichText::new("Replace with").color(theme.text_weak);
        let edit = egui::TextEdit::singleline(&mut state.request.with).hint_text(hint).desired_width(width);
        let edit = ui.add(edit);
        field::name(&edit, "Replace with");
        state.renew(find, view);
        let chosen: Vec<&Replacement> = chosen_of(state).collect();
        let count = chosen.len();
        let button = ui.add_enabled(count > 0, egui::Button::new(format!("Replace {count}")));
        if button.on_hover_text("Replace all chosen places as one change, which Undo takes back").clicked() {
            actions.extend(change_of(&state.request, &chosen, view.simulation, view.registry).map(Action::Apply));
        }
    });
    ui.horizontal_wrapped(|ui| {
        let request = &mut state.request;
        widgets::check_ui(ui, &mut request.matches_case, "Match case");
        widgets::check_ui(ui, &mut request.whole_words, "Whole words");
        ui.add_space(2.0 * SPACE);
        widgets::check_ui(ui, &mut request.places.names, "Names")
            .on_hover_text("Of models, blocks, ports, signals and variables; a variable is renamed with its uses");
        widgets::check_ui(ui, &mut request.places.values, "Values and texts")
            .on_hover_text("Of parameters and variables");
        widgets::check_ui(ui, &mut request.places.types, "Block types")
            .on_hover_text("Whole names of types: “Gain” by “Integrator”; wires and equal parameters stay");
    });
    ui.add_space(SPACE);
    list_ui(ui, state, &mut actions);
    actions
}

/// The places that are chosen and can be replaced.
fn chosen_of(state: &ReplaceState) -> impl Iterator<Item = &Replacement> {
    let places = state.found.iter().enumerate();
    places.filter(|(index, found)| found.problem.is_none() && !state.kept.contains(index)).map(|(_, found)| found)
}

fn list_ui(ui: &mut Ui, state: &mut ReplaceState, actions: &mut Vec<Action>) {
    if state.found.is_empty() {
        let what = match state.request.find.is_empty() {
            true => "Type what is to be replaced",
            false => "The text stands in none of the chosen places",
        };
        ui.label(widgets::weak(ui, what));
        return;
    }
    if state.found.len() >= MAX_REPLACEMENTS {
        let count = numbers::grouped(MAX_REPLACEMENTS as u64);
        ui.label(widgets::weak(ui, format!("The first {count} places; replace them, then the rest is shown")));
    }
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().id_salt("replace").auto_shrink(false).show_rows(ui, ROW, state.found.len(), |ui, rows| {
        for index in rows {
            let Some(found) = state.found.get(index) else { continue };
            let mut is_chosen = !state.kept.contains(&index) && found.problem.is_none();
            if place_ui(ui, found, &mut is_chosen) {
                let (model, block) = (std::sync::Arc::clone(&found.model), found.block);
                actions.push(Action::View(ViewAction::OpenModel { model, block }));
            }
            if found.problem.is_none() {
                let _ = if is_chosen { state.kept.remove(&index) } else { state.kept.insert(index) };
            }
        }
    });
}

/// Draws a place; returns whether it was clicked.
fn place_ui(ui: &mut Ui, found: &Replacement, is_chosen: &mut bool) -> bool {
    let theme = theme_of(ui.ctx());
    let label = format!("{} {}: {} becomes {}", found.what, found.title, found.before, found.after);
    let row = widgets::row_ui(ui, &label, ROW, |ui, rect| {
        let model = ui.painter().layout_no_wrap(found.model.to_string(), style::plain(TEXT_SMALL), theme.text_weak);
        let right = rect.right() - 8.0 - model.size().x.min(rect.width() * 0.3);
        ui.painter().galley(pos2(right, rect.center().y - model.size().y / 2.0), model, theme.text_weak);
        let mut room = Rect::from_min_max(rect.left_top() + vec2(32.0, 0.0), pos2(right - 12.0, rect.bottom()));
        let mut draw = |text: &str, font, color| room.min.x += widgets::text_in(ui, room, text, font, color) + 10.0;
        draw(found.what, style::plain(TEXT_SMALL), theme.text_weak);
        draw(&found.title, style::plain(TEXT), theme.text);
        draw(&found.before, style::name(TEXT_SMALL + 0.5), theme.error);
        draw("→", style::plain(TEXT_SMALL), theme.text_weak);
        match &found.problem {
            None => draw(&found.after, style::name(TEXT_SMALL + 0.5), theme.success),
            Some(problem) => draw(&widgets::sentence(problem), style::plain(TEXT_SMALL), theme.warning),
        }
    });
    let tick = Rect::from_min_size(row.rect.left_top() + vec2(6.0, 1.0), vec2(22.0, ROW - 2.0));
    let builder = UiBuilder::new().max_rect(tick).id_salt((&label, "chosen"));
    ui.scope_builder(builder, |ui| {
        ui.add_enabled_ui(found.problem.is_none(), |ui| {
            let check = widgets::check_ui(ui, is_chosen, "");
            field::name(&check, &format!("Choose {label}"));
        });
    });
    row.clicked()
}
