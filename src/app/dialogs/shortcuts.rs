//! All shortcuts on one page, from the table of commands.

use eframe::egui::{self, CornerRadius, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, vec2};

use super::{Answer, buttons_ui, title_ui, window_ui};
use crate::app::command::{COMMANDS, CommandDef, Menu, text_of};
use crate::app::style;
use crate::app::theme::{SPACE, TEXT_SMALL};
use crate::app::widgets::{self, theme_of};

/// Gestures of the diagram, which are no commands.
const GESTURES: [(&str, &str); 10] = [
    ("Insert a block", "Double-click or type"),
    ("Zoom", "Wheel"),
    ("Move the view", "Middle drag or Space and drag"),
    ("Select several", "Drag a frame, or Shift and click"),
    ("Copy while dragging", "Ctrl and drag"),
    ("Move by a grid step", "Arrow keys"),
    ("Open a model block", "Double-click"),
    ("Plot: stretch time, values", "Wheel, Shift and wheel"),
    ("Plot: zoom to a frame", "Right drag"),
    ("Plot: show all", "Double-click"),
];

pub fn show_ui(ctx: &egui::Context) -> Answer {
    window_ui(ctx, "shortcuts", 720.0, |ui| {
        title_ui(ui, "Keyboard shortcuts");
        ScrollArea::vertical().max_height(ctx.content_rect().height() - 200.0).show(ui, |ui| {
            ui.columns(2, |columns| {
                if let [left, right] = columns {
                    part_ui(left, "File", Menu::File);
                    part_ui(left, "Edit", Menu::Edit);
                    part_ui(left, "Help", Menu::Help);
                    part_ui(right, "View", Menu::View);
                    part_ui(right, "Run", Menu::Run);
                    widgets::section_ui(right, "Diagram");
                    for (what, how) in GESTURES {
                        line_ui(right, what, &[how.to_owned()]);
                    }
                }
            });
        });
        buttons_ui(ui, |ui| if widgets::main_button_ui(ui, "Close").clicked() { Answer::Closed } else { Answer::Open })
    })
}

fn part_ui(ui: &mut Ui, title: &str, menu: Menu) {
    widgets::section_ui(ui, title);
    let has_shortcut = |def: &&CommandDef| def.menu == menu && !def.shortcuts.is_empty();
    for def in COMMANDS.iter().filter(has_shortcut) {
        let texts: Vec<String> = def.shortcuts.iter().map(|shortcut| text_of(*shortcut)).collect();
        line_ui(ui, def.label.trim_end_matches('…'), &texts);
    }
}

fn line_ui(ui: &mut Ui, what: &str, keys: &[String]) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        ui.label(RichText::new(what).size(TEXT_SMALL + 1.0));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(SPACE);
            for key in keys.iter().rev() {
                key_ui(ui, key);
            }
        });
    });
}

pub fn key_ui(ui: &mut Ui, text: &str) {
    let theme = theme_of(ui.ctx());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), style::plain(TEXT_SMALL), theme.text);
    let (rect, _) = ui.allocate_exact_size(galley.size() + vec2(12.0, 5.0), Sense::hover());
    let fill = style::mix(theme.panel, theme.text, 0.05);
    ui.painter().rect(rect, CornerRadius::same(4), fill, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, theme.text);
}
