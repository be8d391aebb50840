//! The search over all models and its results; a click goes to a result.

use eframe::egui::{self, Key, Rect, ScrollArea, Ui, pos2, vec2};

use super::replace::{self, ReplaceState, ReplaceView};
use crate::app::action::{Action, ViewAction};
use crate::app::doc::find::{MAX_MATCHES, MatchKind, SearchMatch};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::app::ui::{numbers, style};

#[derive(Default)]
pub struct FindState {
    pub query: String,
    pub wants_focus: bool,
    pub replace: ReplaceState,
    /// The chosen match, and the query that it matches.
    chosen: Option<usize>,
    chosen_for: String,
    /// The way to go as soon as the matches of the typed query are there.
    pending: Option<Way>,
}

/// A way along the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}

const ROW: f32 = 28.0;

/// Draws the search with the latest matches and their query. The window requests those of `state.query`.
pub fn show_ui(
    ui: &mut Ui,
    state: &mut FindState,
    (query, found): (&str, &[SearchMatch]),
    view: ReplaceView,
) -> Vec<Action> {
    let mut actions = Vec::new();
    if state.chosen_for != query {
        state.chosen_for = query.to_owned();
        state.chosen = None;
    }
    widgets::panel_frame().show(ui, |ui| {
        ui.horizontal(|ui| {
            let width = (ui.available_width() - 130.0).clamp(120.0, 420.0);
            let field = ui
                .allocate_ui(vec2(width, 28.0), |ui| {
                    ui.push_id("find", |ui| {
                        widgets::search_ui(ui, &mut state.query, "Find a block, signal, parameter or value")
                    })
                    .inner
                })
                .inner;
            if std::mem::take(&mut state.wants_focus) {
                field.request_focus();
                select_all(ui, &field, &state.query);
            }
            let (up, down) = ui.input(|input| (input.key_pressed(Key::ArrowUp), input.key_pressed(Key::ArrowDown)));
            let enter = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let is_back = ui.input(|input| input.modifiers.shift);
            if (field.has_focus() && (up || down)) || enter {
                state.pending = Some(if up || (enter && is_back) { Way::Back } else { Way::Forward });
                field.request_focus();
            }
            ui.toggle_value(&mut state.replace.is_open, "Replace").on_hover_text("Replace the text in all models");
            if !state.replace.is_open && !state.query.trim().is_empty() && query == state.query.trim() {
                ui.label(widgets::weak(ui, count_text(found.len())));
            }
        });
        if state.replace.is_open {
            actions.extend(replace::show_ui(ui, &mut state.replace, &state.query, view));
            return;
        }
        let is_current = query == state.query.trim();
        let moved = state.pending.take_if(|_| is_current);
        if let Some(way) = moved {
            state.chosen = next(state.chosen, found.len(), way);
            actions.extend(state.chosen.and_then(|row| found.get(row)).map(way_to));
        }
        ui.add_space(SPACE);
        match (state.query.trim().is_empty(), found.is_empty()) {
            // The thread is searching.
            (false, true) if !is_current => {}
            (true, _) => {
                let what = "Names, numbers like #12, parameters and values, in all models of the file";
                widgets::empty_ui(ui, Icon::Search, "Find anything in the file", what);
            }
            (false, true) => {
                let what = "All words must match; a value is found as it is written";
                widgets::empty_ui(ui, Icon::Search, "Nothing found", what);
            }
            (false, false) => list_ui(ui, state, found, moved, &mut actions),
        }
    });
    actions
}

fn list_ui(ui: &mut Ui, state: &mut FindState, found: &[SearchMatch], moved: Option<Way>, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.y = 1.0;
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if moved.is_some()
        && let Some(row) = state.chosen
    {
        let middle = row as f32 * (ROW + 1.0) - ui.available_height() / 2.0;
        area = area.vertical_scroll_offset(middle.max(0.0));
    }
    area.show_rows(ui, ROW, found.len(), |ui, rows| {
        for row in rows {
            let Some(found) = found.get(row) else { continue };
            if row_ui(ui, found, state.chosen == Some(row)) {
                state.chosen = Some(row);
                actions.push(way_to(found));
            }
        }
    });
}

fn row_ui(ui: &mut Ui, found: &SearchMatch, selected: impl Into<Selected>) -> bool {
    let is_chosen = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let label = format!("Found {}, {}", found.title, found.detail);
    let response = widgets::selectable_row_ui(ui, &label, ROW, is_chosen, |ui, rect| {
        let icon = Rect::from_center_size(pos2(rect.left() + 16.0, rect.center().y), vec2(14.0, 14.0));
        let picture = match found.what {
            MatchKind::Model => Icon::Model,
            MatchKind::Block => Icon::Block,
            MatchKind::Signal => Icon::Curve,
            MatchKind::Parameter | MatchKind::Variable => Icon::Sliders,
        };
        picture.paint(ui.painter(), icon, theme.text_weak);
        let model_name =
            ui.painter().layout_no_wrap(found.model.to_string(), style::plain(TEXT_SMALL), theme.text_weak);
        let right = rect.right() - 8.0 - model_name.size().x.min(rect.width() * 0.3);
        let at = pos2(right, rect.center().y - model_name.size().y / 2.0);
        ui.painter().galley(at, model_name, theme.text_weak);
        let mut room = Rect::from_min_max(rect.left_top() + vec2(32.0, 0.0), pos2(right - 12.0, rect.bottom()));
        room.min.x += widgets::text_in(ui, room, &found.title, style::plain(TEXT), theme.text) + 10.0;
        widgets::text_in(ui, room, &found.detail, style::plain(TEXT_SMALL + 0.5), theme.text_weak);
    });
    response.clicked()
}

fn way_to(found: &SearchMatch) -> Action {
    Action::View(ViewAction::OpenModel { model: std::sync::Arc::clone(&found.model), block: found.block })
}

/// Returns the next row, wrapping around.
fn next(chosen: Option<usize>, count: usize, way: Way) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(match (chosen, way) {
        (None | Some(0), Way::Back) => last,
        (Some(row), Way::Back) => (row - 1).min(last),
        (None, Way::Forward) => 0,
        (Some(row), Way::Forward) if row >= last => 0,
        (Some(row), Way::Forward) => row + 1,
    })
}

fn count_text(count: usize) -> String {
    match count {
        0 => "Nothing found".to_owned(),
        1 => "One result".to_owned(),
        MAX_MATCHES.. => format!("The first {} results", numbers::grouped(MAX_MATCHES as u64)),
        count => format!("{} results", numbers::grouped(count as u64)),
    }
}

fn select_all(ui: &Ui, field: &egui::Response, text: &str) {
    let mut cursor = egui::TextEdit::load_state(ui.ctx(), field.id).unwrap_or_default();
    let end = egui::text::CCursor::new(text.chars().count());
    cursor.cursor.set_char_range(Some(egui::text::CCursorRange::two(egui::text::CCursor::new(0), end)));
    egui::TextEdit::store_state(ui.ctx(), field.id, cursor);
}
