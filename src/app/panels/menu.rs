//! The menu bar, made from the table of commands.

use eframe::egui::{Button, MenuBar, RichText, ScrollArea, Ui, vec2};

use crate::app::command::{CommandDef, MENUS, MenuEntry};
use crate::app::examples::EXAMPLES;
use crate::app::state::{Action, App, file_name};
use crate::app::widgets;

pub fn show_ui(ui: &mut Ui, app: &App) -> Vec<Action> {
    let mut actions = Vec::new();
    MenuBar::new().ui(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding = vec2(8.0, 3.0);
        for menu in MENUS {
            ui.menu_button(menu.title, |ui| entries_ui(ui, app, menu.entries, &mut actions));
        }
    });
    actions
}

/// Room that a menu leaves to the edge of a small screen.
const MARGIN: f32 = 60.0;

fn entries_ui(ui: &mut Ui, app: &App, entries: &[MenuEntry], actions: &mut Vec<Action>) {
    ui.set_min_width(230.0);
    let height = ui.ctx().content_rect().height() - MARGIN;
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        for entry in entries {
            match entry {
                MenuEntry::Command(def) => item_ui(ui, app, def, actions),
                MenuEntry::Separator => {
                    ui.separator();
                }
                MenuEntry::Menu(title, entries) => {
                    ui.menu_button(*title, |ui| entries_ui(ui, app, entries, actions));
                }
                MenuEntry::Recent => recent_ui(ui, app, actions),
                MenuEntry::Examples => examples_ui(ui, actions),
            }
        }
    });
}

fn item_ui(ui: &mut Ui, app: &App, def: &CommandDef, actions: &mut Vec<Action>) {
    let mut button = match app.is_on(def.command) {
        Some(is_on) => Button::selectable(is_on, app.label_of(def)),
        None => Button::new(app.label_of(def)),
    };
    if let Some(shortcut) = def.shortcut_text(ui.ctx()) {
        button = button.shortcut_text(RichText::new(shortcut).size(crate::app::theme::TEXT_SMALL));
    }
    if ui.add_enabled(app.can(def.needs), button).on_hover_text(def.tooltip).clicked() {
        actions.push(Action::Command(def.command));
    }
}

fn recent_ui(ui: &mut Ui, app: &App, actions: &mut Vec<Action>) {
    let recent = &app.settings.recent;
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        ui.menu_button("Open recent", |ui| {
            for path in recent {
                let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
                let button = Button::new(file_name(path)).right_text(widgets::weak(ui, folder));
                if ui.add(button).clicked() {
                    actions.push(Action::OpenPath(path.clone()));
                }
            }
        });
    });
}

fn examples_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.add_enabled_ui(!EXAMPLES.is_empty(), |ui| {
        ui.menu_button("Open example", |ui| {
            for (number, example) in EXAMPLES.iter().enumerate() {
                if ui.button(example.title()).on_hover_text(example.about()).clicked() {
                    actions.push(Action::OpenExample(number));
                }
            }
        });
    });
}
