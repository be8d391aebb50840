use std::collections::BTreeMap;

use eframe::egui;
use egui_kittest::kittest::Queryable as _;
use simulate::app::action::command::{Command, EditCommand, FileCommand, HelpCommand, Panel, ViewCommand, commands};
use simulate::app::action::shortcuts;
use simulate::app::ui::keymap::text_of;

use super::{gain_chain, settle, show, window};

#[test]
fn shortcuts_are_unique() {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for def in commands() {
        for shortcut in def.shortcuts {
            let before = known.insert(text_of(*shortcut), def.label);
            assert_eq!(before, None, "{} is also {}", def.label, text_of(*shortcut));
        }
    }
}

#[test]
fn every_command_says_what_it_does() {
    for def in commands() {
        assert!(!def.label.is_empty() && !def.tooltip.is_empty(), "{:?}", def.command);
        assert!(!def.tooltip.ends_with('.'), "{}: no full stop after a single sentence", def.label);
        assert_eq!(def.command.def().map(|found| found.label), Some(def.label), "{} is listed twice", def.label);
        // Blocks keep their names, and abbreviations their letters.
        let label = def.label.replace("Goto/From", "").replace("FMU", "").replace("PID", "");
        let later = label.chars().skip(1).filter(|letter| letter.is_uppercase()).count();
        assert!(later <= 1, "{}: sentence case", def.label);
    }
}

/// A command that has no row is in no menu, and a row that is there twice is ambiguous.
#[test]
fn every_command_has_one_row() {
    let names = |all: Vec<Command>| {
        let mut names: Vec<String> = all.into_iter().map(|command| format!("{command:?}")).collect();
        names.sort();
        names
    };
    let wanted =
        Command::all().into_iter().filter(|command| *command != Command::View(ViewCommand::TogglePanel(Panel::Canvas)));
    assert_eq!(names(commands().map(|def| def.command).collect()), names(wanted.collect()));
}

#[test]
fn a_menu_item_is_its_command() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    // The panel of that name has a tab.
    harness.get_all_by_label("Help").next().expect("the menu").click();
    harness.run_ok();
    harness.get_by_label_contains("About Simulate").click();
    harness.run_ok();
    harness.get_by_label_contains("Kevin Cuzner");
}

#[test]
fn the_palette_of_commands_runs_what_was_typed() {
    let mut harness = window();
    harness.state_mut().dispatch(Command::Help(HelpCommand::CommandPalette));
    harness.run_ok();
    harness.event(eframe::egui::Event::Text("new".to_owned()));
    harness.run_ok();
    harness.key_press(eframe::egui::Key::Enter);
    harness.run_ok();
    assert!(harness.state().file.is_some(), "“New” was run");
}

#[test]
fn escape_closes_what_stands_in_front() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    for command in [
        Command::Help(HelpCommand::CommandPalette),
        Command::Help(HelpCommand::Shortcuts),
        Command::Help(HelpCommand::About),
    ] {
        harness.state_mut().dispatch(command);
        harness.run_ok();
        assert!(harness.state().has_dialog());
        harness.key_press(eframe::egui::Key::Escape);
        harness.run_ok();
        assert!(!harness.state().has_dialog(), "{command:?}");
    }
}

/// A slow frame brings several keys; none is lost, and they act in their order.
#[test]
fn keys_of_one_frame_act_in_their_order() {
    let pressed = |key| egui::Event::Key {
        key,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: egui::Modifiers { ctrl: true, command: true, ..egui::Modifiers::NONE },
    };
    for (keys, expected) in [
        ([egui::Key::Z, egui::Key::S], [Command::Edit(EditCommand::Undo), Command::File(FileCommand::Save)]),
        ([egui::Key::S, egui::Key::Z], [Command::File(FileCommand::Save), Command::Edit(EditCommand::Undo)]),
        ([egui::Key::Z, egui::Key::Z], [Command::Edit(EditCommand::Undo), Command::Edit(EditCommand::Undo)]),
    ] {
        let ctx = egui::Context::default();
        let input = egui::RawInput { events: keys.map(pressed).to_vec(), ..egui::RawInput::default() };
        let mut found = Vec::new();
        let mut output = ctx.run_ui(input, |ui| found.extend(shortcuts::pressed(ui.ctx())));
        // Nothing is drawn.
        output.textures_delta.clear();
        assert_eq!(found, expected);
    }
}

/// The report has what the program is and did; names and the document are in it only if wanted.
#[test]
fn a_report_shows_what_is_copied() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::Report));
    settle(&mut harness);
    harness.get_by_label_contains("models 1, blocks 3, wires 2");
    assert!(harness.query_by_label_contains("<simulation").is_none());
    harness.get_by_label("Include the open simulation").click();
    harness.run_ok();
    harness.get_by_label_contains("<simulation");
    harness.get_by_label("Copy").click();
    harness.run_ok();
    assert!(harness.state().window.message.as_ref().is_some_and(|message| message.text == "Copied the report"));
}
