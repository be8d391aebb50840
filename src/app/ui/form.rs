//! The rows of forms: a label and a field at its right, or below it in narrow panels.

use eframe::egui::{self, Id, Response, Sense, Ui, WidgetInfo, vec2};

use super::icons::Icon;
use super::theme::{SPACE, TEXT_SMALL};
use super::widgets::{self, theme_of};

pub const LABEL: f32 = 96.0;

/// Below this width labels are above their fields.
const NARROW: f32 = 215.0;

/// Draws a label and, at its right or in narrow panels below it, the `field`.
pub fn row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if ui.available_width() < NARROW {
        return tall_row_ui(ui, label, tooltip, field);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let height = ui.spacing().interact_size.y;
        let (rect, response) = ui.allocate_exact_size(vec2(LABEL, height), egui::Sense::hover());
        label_ui(ui, rect, &response, label, tooltip);
        field(ui)
    })
    .inner
}

/// As [`row_ui`], with a label that can be dragged.
pub fn handle_ui(ui: &mut Ui, (label, id): (&str, Id), tooltip: &str, field: impl FnOnce(&mut Ui)) -> Response {
    let is_narrow = ui.available_width() < NARROW;
    let width = if is_narrow { ui.available_width() } else { LABEL };
    let handle = |ui: &mut Ui| {
        let height = if is_narrow { TEXT_SMALL + SPACE } else { ui.spacing().interact_size.y };
        let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        let response = ui.interact(rect, id, Sense::drag());
        label_ui(ui, rect, &response, label, tooltip);
        response
    };
    if is_narrow {
        let response = handle(ui);
        ui.add_space(-SPACE);
        tall_row_ui(ui, "", "", field);
        return response;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        let response = handle(ui);
        field(ui);
        response
    })
    .inner
}

/// Draws a label above the `field`.
pub fn tall_row_ui<R>(ui: &mut Ui, label: &str, tooltip: &str, field: impl FnOnce(&mut Ui) -> R) -> R {
    if !label.is_empty() {
        let size = vec2(ui.available_width(), TEXT_SMALL + SPACE);
        let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
        label_ui(ui, rect, &response, label, tooltip);
        ui.add_space(-SPACE);
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        field(ui)
    })
    .inner
}

/// A remark below a field.
pub fn note_ui(ui: &mut Ui, text: &str) {
    let indent = indent(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        ui.add_space(indent);
        ui.add(egui::Label::new(widgets::weak(ui, text)).wrap());
    });
}

/// Draws a mark at the end of the label of a row that began at `top`, with its meaning as the tooltip. The mark takes
/// no space, so that fields do not move when it appears.
pub fn badge_ui(ui: &Ui, top: f32, of: &str, tooltip: &str) {
    let theme = theme_of(ui.ctx());
    let room = ui.max_rect();
    let (right, height) = match room.width() < NARROW {
        true => (room.right(), TEXT_SMALL + SPACE),
        false => (room.left() + LABEL, ui.spacing().interact_size.y),
    };
    let rect = egui::Rect::from_center_size(egui::pos2(right - 7.0, top + height / 2.0), vec2(11.0, 11.0));
    let response = ui.interact(rect.expand(2.0), ui.scope_id().with((of, "badge")), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("{of}: {tooltip}")));
    ui.painter().circle_filled(rect.center(), 8.0, theme.panel);
    Icon::Clock.paint(ui.painter(), rect, theme.warning);
    response.on_hover_text(tooltip);
}

fn label_ui(ui: &Ui, rect: egui::Rect, response: &egui::Response, label: &str, tooltip: &str) {
    let theme = theme_of(ui.ctx());
    widgets::text_in(ui, rect, label, crate::app::ui::style::plain(TEXT_SMALL + 0.5), theme.text_weak);
    if !tooltip.is_empty() {
        response.clone().on_hover_text(tooltip);
    }
}

/// The indent of remarks below a field.
pub fn indent(ui: &Ui) -> f32 {
    if ui.available_width() < NARROW { 0.0 } else { LABEL + SPACE }
}
