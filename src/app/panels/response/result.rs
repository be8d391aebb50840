//! The result of a search: the values before and after, and the objective.

use eframe::egui::{Align, Align2, Rect, Sense, Ui, pos2, vec2};

use super::kind::figure_name;
use super::state::ResponseState;
use crate::app::store::lab::{ResponseResult, RunningResponse};
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{numbers, style};

/// The height of a row, in points.
const ROW: f32 = 20.0;
/// The ends of the columns of numbers, as parts of the width.
const BEFORE: f32 = 0.74;

pub fn show_ui(ui: &mut Ui, state: &mut ResponseState, search: &RunningResponse) {
    let Some(Ok(result)) = &search.outcome else { return state.shows_result = false };
    if !std::mem::replace(&mut state.shows_result, true) {
        // The settings may have been scrolled.
        ui.scroll_to_cursor(Some(Align::Min));
    }
    let theme = theme_of(ui.ctx());
    widgets::section_ui(ui, "Result");
    let gap = std::mem::take(&mut ui.spacing_mut().item_spacing.y);
    row_ui(ui, ("Parameter", "Before", "Value"), "", true);
    for ((path, before), value) in result.params.iter().zip(&result.optimum.values) {
        let known = state.choices.params.iter().find(|param| param.path == *path);
        let name = known.map_or_else(|| path.clone(), |param| param.name.clone());
        let (before, after) = (numbers::digits(*before, 5), numbers::digits(*value, 6));
        row_ui(ui, (&name, &before, &after), &format!("{name} = {value:.9e}"), false);
    }
    objective_ui(ui, state, search, result);
    ui.spacing_mut().item_spacing.y = gap;
    if let Some(failure) = &result.optimum.after.failure {
        ui.colored_label(theme.error, format!("A run failed: {failure}"));
    }
    if !search.is_of_document() && !search.is_outdated && state.change.is_some() {
        ui.label(widgets::weak(ui, "The simulation has been changed since this search"));
    }
}

fn objective_ui(ui: &mut Ui, state: &ResponseState, search: &RunningResponse, result: &ResponseResult) {
    let Some(objective) = &search.input.question.objective else { return };
    let [before, after] = [&result.optimum.before, &result.optimum.after]
        .map(|of| of.objective.map_or_else(|| "none".to_owned(), |figure| numbers::digits(figure, 5)));
    let name = format!("{} of {}", figure_name(objective.figure), state.choices.name_of(&objective.signal));
    row_ui(ui, (&name, &before, &after), "The objective", false);
}

/// Draws a row: the name at the left, the numbers at the right of their columns.
fn row_ui(ui: &mut Ui, (name, before, value): (&str, &str, &str), about: &str, is_head: bool) {
    let theme = theme_of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    response.widget_info(|| {
        eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Label, true, format!("{name}: {before} → {value}"))
    });
    let middle = rect.left() + BEFORE * rect.width();
    let (size, color) = if is_head { (TEXT_SMALL, theme.text_weak) } else { (TEXT, theme.text) };
    let right = Align2::RIGHT_CENTER;
    ui.painter().text(rect.right_center(), right, value, style::plain(size), color);
    let drawn = ui.painter().text(pos2(middle, rect.center().y), right, before, style::plain(size), theme.text_weak);
    let room = Rect::from_min_max(rect.min, pos2(drawn.left() - SPACE, rect.bottom()));
    widgets::text_in(ui, room, name, style::plain(size), color);
    if !about.is_empty() {
        response.on_hover_text(about);
    }
}
