//! The path from the root model to the open model.

use eframe::egui::{self, RichText, Sense, Ui, vec2};

use crate::app::action::command::{Command, ViewCommand};
use crate::app::action::{Action, ViewAction};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::BlockId;

pub fn show_ui(ui: &mut Ui, levels: &[(String, Vec<BlockId>)]) -> Vec<Action> {
    let mut actions = Vec::new();
    let theme = theme_of(ui.ctx());
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let is_inner = levels.len() > 1;
        let up = widgets::icon_button_if_ui(ui, Icon::Up, "Go to outer model", is_inner);
        let tooltip = Command::View(ViewCommand::GoUp).def().map(|def| def.tooltip_text(ui.ctx())).unwrap_or_default();
        if up.on_hover_text(tooltip).clicked() && is_inner {
            actions.push(Action::Command(Command::View(ViewCommand::GoUp)));
        }
        for (depth, (title, path)) in levels.iter().enumerate() {
            if depth > 0 {
                let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), Sense::hover());
                let (x, y) = (rect.center().x, rect.center().y);
                let stroke = egui::Stroke::new(1.2, theme.text_weak);
                ui.painter().line_segment([egui::pos2(x - 2.0, y - 3.5), egui::pos2(x + 1.5, y)], stroke);
                ui.painter().line_segment([egui::pos2(x + 1.5, y), egui::pos2(x - 2.0, y + 3.5)], stroke);
            }
            let is_last = depth + 1 == levels.len();
            let text = match is_last {
                true => RichText::new(title).font(style::strong(TEXT)).color(theme.text),
                false => RichText::new(title).size(TEXT_SMALL + 1.0).color(theme.text_weak),
            };
            let button = ui.add(egui::Button::new(text).frame_when_inactive(false));
            if button.on_hover_text("Open this model").clicked() && !is_last {
                actions.push(Action::View(ViewAction::GoTo { path: path.clone(), block: None }));
            }
        }
    });
    actions
}
