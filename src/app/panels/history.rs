//! The undo history, the oldest first; a click goes to that state.

use eframe::egui::{self, Rect, ScrollArea, Ui, pos2, vec2};

use crate::app::action::{Action, EditAction};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::Document;

const ROW: f32 = 26.0;

pub fn show_ui(ui: &mut Ui, document: &Document) -> Vec<Action> {
    let mut actions = Vec::new();
    let undone: Vec<&str> = document.redo_labels().collect();
    let mut done: Vec<&str> = document.undo_labels().collect();
    done.reverse();
    let now = done.len();
    let count = 1 + done.len() + undone.len();
    let frame = egui::Frame::new().inner_margin(egui::Margin { left: 6, right: 6, top: 6, bottom: 4 });
    frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ScrollArea::vertical().auto_shrink(false).stick_to_bottom(true).show_rows(ui, ROW, count, |ui, rows| {
            for row in rows {
                let text = match row {
                    0 => "As opened",
                    row => done.get(row - 1).or_else(|| undone.get(row - 1 - now)).copied().unwrap_or_default(),
                };
                if row_ui(ui, text, row, now) {
                    actions.push(Action::Edit(EditAction::GoInHistory(row as i64 - now as i64)));
                }
            }
        });
    });
    actions
}

fn row_ui(ui: &mut Ui, text: &str, row: usize, now: usize) -> bool {
    let theme = theme_of(ui.ctx());
    let is_now = row == now;
    let response = widgets::selectable_row_ui(ui, &format!("Go to: {text}"), ROW, is_now, |ui, rect| {
        let color = if row > now { style::mix(theme.panel, theme.text_weak, 0.7) } else { theme.text };
        let dot = pos2(rect.left() + 14.0, rect.center().y);
        match is_now {
            true => ui.painter().circle_filled(dot, 3.5, theme.accent),
            false => ui.painter().circle_stroke(dot, 3.0, egui::Stroke::new(1.2, color.gamma_multiply(0.7))),
        };
        let mut room = Rect::from_min_max(rect.left_top() + vec2(28.0, 0.0), rect.right_bottom() - vec2(8.0, 0.0));
        let font = if is_now { style::strong(TEXT) } else { style::plain(TEXT) };
        let width = widgets::text_in(ui, room, text, font, color);
        room.min.x += width + 8.0;
        if row > now {
            widgets::text_in(ui, room, "undone", style::plain(TEXT_SMALL), theme.text_weak);
        }
    });
    response.clicked() && !is_now
}
