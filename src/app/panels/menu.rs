//! The menu bar, made from the table of commands.

use eframe::egui::{Button, MenuBar, RichText, Ui, vec2};

use crate::app::canvas::DiagramCommand;
use crate::app::command::{COMMANDS, Command, CommandDef, Menu};
use crate::app::examples::EXAMPLES;
use crate::app::settings::SpeedChoice;
use crate::app::state::{Action, App, file_name};
use crate::app::widgets;

pub fn show_ui(ui: &mut Ui, app: &App) -> Vec<Action> {
    let mut actions = Vec::new();
    MenuBar::new().ui(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding = vec2(8.0, 3.0);
        for (menu, title) in
            [(Menu::File, "File"), (Menu::Edit, "Edit"), (Menu::View, "View"), (Menu::Run, "Run"), (Menu::Help, "Help")]
        {
            ui.menu_button(title, |ui| {
                ui.set_min_width(250.0);
                menu_ui(ui, app, menu, &mut actions);
            });
        }
    });
    actions
}

fn menu_ui(ui: &mut Ui, app: &App, menu: Menu, actions: &mut Vec<Action>) {
    let mut last = None;
    for def in COMMANDS.iter().filter(|def| def.menu == menu) {
        let part = part_of(def.command);
        match (part, def.command) {
            // They stand in a menu of their own below.
            (_, Command::Speed(_) | Command::Theme(_) | Command::TogglePanel(_)) => {}
            (None, _) => item_ui(ui, app, def, actions),
            // A part is where its first command is.
            (Some(title), _) if part != last => {
                ui.menu_button(title, |ui| {
                    ui.set_min_width(220.0);
                    for def in COMMANDS.iter().filter(|def| part_of(def.command) == part) {
                        item_ui(ui, app, def, actions);
                    }
                });
            }
            (Some(_), _) => {}
        }
        last = part;
        after_ui(ui, app, def.command, actions);
    }
}

/// The menu within the menu to which a command belongs, so that no menu is higher than a small screen.
fn part_of(command: Command) -> Option<&'static str> {
    let Command::Diagram(command) = command else {
        return (command == Command::ToggleHeat).then_some(SHOWN);
    };
    match command {
        DiagramCommand::Align(_)
        | DiagramCommand::Distribute(_)
        | DiagramCommand::SameSize(_)
        | DiagramCommand::OwnSize => Some("Align and size"),
        DiagramCommand::ToggleRates
        | DiagramCommand::ToggleValues
        | DiagramCommand::ToggleMinimap
        | DiagramCommand::ToggleGrid
        | DiagramCommand::ToggleStrip => Some(SHOWN),
        DiagramCommand::Group | DiagramCommand::Expand | DiagramCommand::ToTags | DiagramCommand::ToWires => {
            Some("Models and names")
        }
        _ => None,
    }
}

const SHOWN: &str = "Show in the diagram";

/// Dividing lines and menus within the menu.
fn after_ui(ui: &mut Ui, app: &App, command: Command, actions: &mut Vec<Action>) {
    match command {
        Command::Open => {
            recent_ui(ui, app, actions);
            examples_ui(ui, actions);
            ui.separator();
        }
        Command::SaveAs
        | Command::SplitView
        | Command::ImportModel
        | Command::Redo
        | Command::SelectAll
        | Command::GoUp
        | Command::ToggleGhost
        | Command::Branch
        | Command::OpenRun
        | Command::Shortcuts => {
            ui.separator();
        }
        Command::Help => examples_ui(ui, actions),
        Command::ResetLayout => {
            ui.separator();
            ui.menu_button("Theme", |ui| choices_ui(ui, app, |c| matches!(c, Command::Theme(_)), actions));
        }
        Command::Restart => {
            ui.menu_button("Speed", |ui| choices_ui(ui, app, |c| matches!(c, Command::Speed(_)), actions));
            ui.separator();
        }
        _ => {}
    }
    if command == Command::GoUp {
        ui.menu_button("Panels", |ui| choices_ui(ui, app, |c| matches!(c, Command::TogglePanel(_)), actions));
    }
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

fn choices_ui(ui: &mut Ui, app: &App, belongs: impl Fn(Command) -> bool, actions: &mut Vec<Action>) {
    for def in COMMANDS.iter().filter(|def| belongs(def.command)) {
        let is_on = match def.command {
            Command::Theme(choice) => app.settings.theme == choice,
            Command::Speed(choice) => app.settings.speed == choice,
            Command::TogglePanel(panel) => app.layout.is_shown(panel),
            _ => false,
        };
        let label = match def.command {
            Command::Speed(choice) => SpeedChoice::label(choice),
            _ => def.label.to_owned(),
        };
        let mut button = Button::selectable(is_on, label);
        if let Some(shortcut) = def.shortcut_text(ui.ctx()) {
            button = button.shortcut_text(shortcut);
        }
        if ui.add_enabled(app.can(def.needs), button).on_hover_text(def.tooltip).clicked() {
            actions.push(Action::Command(def.command));
        }
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
