//! The menu bar, made from the table of commands.

use std::path::PathBuf;

use eframe::egui::{Button, MenuBar, RichText, ScrollArea, Ui, vec2};

use crate::app::action::command::{CommandDef, CommandStates, MENUS, MenuEntry};
use crate::app::action::{Action, FileAction};
use crate::app::store::examples::{self, EXAMPLES};
use crate::app::store::files::file_name;
use crate::app::ui::widgets;

/// The content of the menus.
pub struct MenuView<'a> {
    pub commands: &'a dyn CommandStates,
    /// The files that were opened last, the most recent first.
    pub recent: &'a [PathBuf],
}

pub fn show_ui(ui: &mut Ui, view: &MenuView) -> Vec<Action> {
    let mut actions = Vec::new();
    MenuBar::new().ui(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding = vec2(8.0, 3.0);
        for menu in MENUS {
            ui.menu_button(menu.title, |ui| entries_ui(ui, view, menu.entries, &mut actions));
        }
    });
    actions
}

/// Room that a menu leaves to the edge of a small screen.
const MARGIN: f32 = 60.0;

fn entries_ui(ui: &mut Ui, view: &MenuView, entries: &[MenuEntry], actions: &mut Vec<Action>) {
    ui.set_min_width(230.0);
    let height = ui.ctx().content_rect().height() - MARGIN;
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        for entry in entries {
            match entry {
                MenuEntry::Command(def) => item_ui(ui, view, def, actions),
                MenuEntry::Separator => {
                    ui.separator();
                }
                MenuEntry::Menu(title, entries) => {
                    ui.menu_button(*title, |ui| entries_ui(ui, view, entries, actions));
                }
                MenuEntry::Recent => recent_ui(ui, view, actions),
                MenuEntry::Examples => examples_ui(ui, actions),
            }
        }
    });
}

fn item_ui(ui: &mut Ui, view: &MenuView, def: &CommandDef, actions: &mut Vec<Action>) {
    let mut button = match view.commands.is_on(def.command) {
        Some(is_on) => Button::selectable(is_on, view.commands.label_of(def)),
        None => Button::new(view.commands.label_of(def)),
    };
    if let Some(shortcut) = def.shortcut_text(ui.ctx()) {
        button = button.shortcut_text(RichText::new(shortcut).size(crate::app::ui::theme::TEXT_SMALL));
    }
    if ui.add_enabled(view.commands.can(def.needs), button).on_hover_text(def.tooltip).clicked() {
        actions.push(Action::Command(def.command));
    }
}

fn recent_ui(ui: &mut Ui, view: &MenuView, actions: &mut Vec<Action>) {
    let recent = view.recent;
    ui.add_enabled_ui(!recent.is_empty(), |ui| {
        ui.menu_button("Open recent", |ui| {
            for path in recent {
                let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
                let button = Button::new(file_name(path)).right_text(widgets::weak(ui, folder));
                if ui.add(button).clicked() {
                    actions.push(Action::File(FileAction::OpenPath(path.clone())));
                }
            }
        });
    });
}

fn examples_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.add_enabled_ui(!EXAMPLES.is_empty(), |ui| {
        ui.menu_button("Open example", |ui| {
            for field in examples::fields() {
                ui.menu_button(field, |ui| {
                    let of_field =
                        examples::summaries().iter().enumerate().filter(|(_, summary)| summary.field == field);
                    for (number, summary) in of_field {
                        if ui.button(&summary.title).on_hover_text(&summary.about).clicked() {
                            actions.push(Action::File(FileAction::OpenExample(number)));
                        }
                    }
                });
            }
        });
    });
}
