//! Switches, push buttons and choices.

use eframe::egui::{
    self, Align2, Color32, CornerRadius, FontId, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::{ControlEdit, ControlReading, is_on, number_text};
use crate::app::doc::dashboard::Widget;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};

pub fn switch_ui(
    ui: &mut Ui,
    room: Rect,
    widget: &Widget,
    shown: &ControlReading,
    theme: &Theme,
) -> Option<ControlEdit> {
    let size = vec2(40.0, 22.0);
    let rect = Rect::from_min_size(pos2(room.left(), room.center().y - size.y / 2.0), size);
    let response = ui.interact(rect, ui.scope_id().with("switch"), Sense::click());
    let on = is_on(widget, shown.value);
    let name = shown.name.to_owned();
    response.widget_info(|| WidgetInfo::selected(Role::Switch, ui.is_enabled(), on, &name));
    let fill = if on { theme.accent } else { style::mix(theme.raised, theme.text, 0.2) };
    ui.painter().rect(rect, CornerRadius::same(11), fill, Stroke::NONE, StrokeKind::Inside);
    let x = if on { rect.right() - 11.0 } else { rect.left() + 11.0 };
    ui.painter().circle_filled(pos2(x, rect.center().y), 8.0, Color32::WHITE);
    widgets::focus_ring(ui, &response, 11);
    let font = FontId::monospace(TEXT_SMALL);
    let at = rect.right_center() + vec2(10.0, 0.0);
    ui.painter().text(at, Align2::LEFT_CENTER, number_text(shown.value), font, theme.text_weak);
    response.clicked().then_some(ControlEdit::Done(if on { widget.off } else { widget.on }))
}

pub fn button_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading) -> Option<ControlEdit> {
    let theme = theme_of(ui.ctx());
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), room.height().min(32.0)));
    let response = ui.interact(rect, ui.scope_id().with("button"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), format!("Push {}", shown.name)));
    let is_down = response.is_pointer_button_down_on();
    let fill = match (is_down, response.hovered()) {
        (true, _) => theme.accent,
        (false, true) => style::mix(theme.raised, theme.accent, 0.2),
        (false, false) => style::mix(theme.raised, theme.text, 0.07),
    };
    let text = if is_down { theme.on_accent } else { theme.text };
    ui.painter().rect(rect, CornerRadius::same(6), fill, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, "Push", style::strong(TEXT_SMALL + 0.5), text);
    widgets::focus_ring(ui, &response, 6);
    let id = response.id.with("down");
    let was_down: bool = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    ui.data_mut(|data| data.insert_temp(id, is_down));
    (is_down != was_down).then_some(ControlEdit::Pressed(if is_down { widget.on } else { widget.off }))
}

pub fn choice_ui(ui: &mut Ui, room: Rect, widget: &Widget, shown: &ControlReading) -> Option<ControlEdit> {
    let rect = Rect::from_center_size(room.center(), vec2(room.width(), 26.0));
    let known = widget.choices.iter().find(|(_, value)| Some(*value) == shown.value);
    let text = known.map_or_else(|| number_text(shown.value), |(name, _)| name.clone());
    let mut chosen = None;
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("choice"));
    widgets::choice_ui(&mut child, shown.name, &text, rect.width(), |ui| {
        for (name, value) in &widget.choices {
            if ui.selectable_label(Some(*value) == shown.value, name).clicked() {
                chosen = Some(ControlEdit::Done(*value));
            }
        }
        if widget.choices.is_empty() {
            ui.label(widgets::weak(ui, "Set its choices in Edit layout"));
        }
    });
    chosen
}

/// Draws radio buttons, one per value.
pub fn radio_ui(
    ui: &mut Ui,
    room: Rect,
    widget: &Widget,
    shown: &ControlReading,
    theme: &Theme,
) -> Option<ControlEdit> {
    let mut chosen = None;
    let row = (room.height() / widget.choices.len().max(1) as f32).min(24.0);
    for (number, (name, value)) in widget.choices.iter().enumerate() {
        let top = room.top() + row * number as f32;
        let rect = Rect::from_min_size(pos2(room.left(), top), vec2(room.width(), row));
        let is_on = Some(*value) == shown.value;
        let response = ui.interact(rect, ui.scope_id().with(("radio", number)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), is_on, name));
        let center = pos2(rect.left() + 8.0, rect.center().y);
        let line = if is_on || response.hovered() { theme.accent } else { style::mix(theme.raised, theme.text, 0.4) };
        ui.painter().circle(center, 6.5, theme.panel, Stroke::new(1.4, line));
        if is_on {
            ui.painter().circle_filled(center, 3.6, theme.accent);
        }
        let text = Rect::from_min_max(pos2(rect.left() + 22.0, rect.top()), rect.max);
        widgets::text_in(ui, text, name, style::plain(TEXT_SMALL + 0.5), theme.text);
        widgets::focus_ring(ui, &response, 5);
        if response.clicked() && !is_on {
            chosen = Some(ControlEdit::Done(*value));
        }
    }
    if widget.choices.is_empty() {
        let font = style::plain(TEXT_SMALL);
        ui.painter().text(room.center(), Align2::CENTER_CENTER, "no choices", font, theme.text_weak);
    }
    chosen
}
