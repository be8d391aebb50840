//! The preferences: each acts at once and is stored; the diagram alone.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use simulate::app::Settings;
use simulate::app::action::Range;
use simulate::app::action::command::{Command, FileCommand, HelpCommand, RunCommand, ViewCommand};
use simulate::app::store::preferences::TableStyle;
use simulate::app::store::run::RunState;

use super::panels::{select, type_into};
use super::{Opened as _, Window, gain_chain, settle, show, until, window, window_with};

fn click(harness: &mut Window, label: &str) {
    harness.get_by_label(label).click();
    harness.run_ok();
}

fn open(harness: &mut Window) {
    harness.state_mut().dispatch(Command::File(FileCommand::Preferences));
    harness.run_ok();
    harness.get_by_label("Preferences");
}

#[test]
fn preferences_act_at_once_and_are_stored() {
    let home = tempfile::tempdir().expect("a folder");
    let settings = Settings::load_from(Some(home.path().to_owned()));
    let mut harness = window_with(settings);
    open(&mut harness);
    harness.get_by_role_and_label(Role::ComboBox, "Theme").click();
    harness.run_ok();
    click(&mut harness, "Light");
    assert_eq!(harness.state().settings.theme, simulate::app::ui::theme::ThemeChoice::Light);
    assert_eq!(harness.ctx.theme(), eframe::egui::Theme::Light);
    harness.get_by_role_and_label(Role::ComboBox, "Tables (.csv)").click();
    harness.run_ok();
    click(&mut harness, "1,5;2,5  semicolon, decimal comma");
    assert_eq!(harness.state().settings.preferences.table.marks(), (b';', b','));
    type_into(&mut harness, "Copy after", "0");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(harness.state().settings.preferences.copy_seconds, 10, "0 is refused");
    type_into(&mut harness, "Copy after", "45");
    harness.key_press(Key::Enter);
    harness.run_ok();
    assert_eq!(harness.state().settings.preferences.copy_delay().as_secs(), 45);
    click(&mut harness, "Close");
    assert!(!harness.state().has_dialog());
    settle(&mut harness);
    let stored = Settings::load_from(Some(home.path().to_owned()));
    assert_eq!(stored.problem, None);
    assert_eq!(stored.preferences, harness.state().settings.preferences);
    open(&mut harness);
    click(&mut harness, "Restore defaults");
    assert_eq!(harness.state().settings.preferences, Settings::default().preferences);
    click(&mut harness, "Keyboard shortcuts…");
    harness.get_by_label("Click a shortcut to change it");
}

/// Settings of an earlier version have no preferences, or only some.
#[test]
fn settings_without_preferences_have_the_defaults() {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("settings.json"), r#"{"step_by": 7, "preferences": {"copy_seconds": 30}}"#)
        .expect("it is written");
    let settings = Settings::load_from(Some(home.path().to_owned()));
    assert_eq!((settings.step_by, settings.preferences.copy_seconds, settings.problem), (7, 30, None));
}

#[test]
fn a_key_shows_nothing_but_the_diagram() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    select(&mut harness, &[1]);
    harness.get_by_label("Run");
    harness.key_press(Key::F11);
    harness.run_ok();
    assert!(harness.query_by_label("Run").is_none() && harness.query_by_label("Actions for Gain").is_none());
    // The diagram takes keys as ever.
    harness.key_press(Key::Delete);
    harness.run_ok();
    assert_eq!(harness.state().open().simulation().root_model().map(|root| root.blocks.len()), Some(2));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_ok();
    click(&mut harness, "End distraction-free");
    harness.get_by_label("Run");
    harness.state_mut().dispatch(Command::View(ViewCommand::DistractionFree));
    harness.run_ok();
    harness.key_press(Key::F11);
    harness.run_ok();
    harness.get_by_label("Run");
}

#[test]
fn the_command_palette_does_not_jump() {
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Help(HelpCommand::CommandPalette));
    harness.run_ok();
    let place = |harness: &Window| harness.get_by_role_and_label(Role::TextInput, "Command").rect().top();
    harness.run_ok();
    let before = place(&harness);
    for text in ["zoom", " to fit", "zzzz"] {
        harness.event(eframe::egui::Event::Text(text.to_owned()));
        harness.run_ok();
        assert!((place(&harness) - before).abs() < 0.6, "{text}: {before} has become {}", place(&harness));
    }
}

/// The steps of the chain are 0.1 s long, and its exit is 6 in each of them.
#[test]
fn exported_tables_have_the_chosen_marks() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut harness = window();
    show(&mut harness, gain_chain());
    harness.state_mut().dispatch(Command::Run(RunCommand::Run));
    until(&mut harness, "the end of the run", |app| app.open().run.state == RunState::Finished);
    for (style, line) in [
        (TableStyle::Comma, "2,0.2,6"),
        (TableStyle::Semicolon, "2;0.2;6"),
        (TableStyle::SemicolonDecimalComma, "2;0,2;6"),
        (TableStyle::Tab, "2\t0.2\t6"),
        (TableStyle::TabDecimalComma, "2\t0,2\t6"),
    ] {
        harness.state_mut().settings.preferences.table = style;
        let path = folder.path().join(format!("{style:?}.csv"));
        harness.state_mut().export(path.clone(), None, Range::All);
        settle(&mut harness);
        let text = std::fs::read_to_string(&path).expect("it is written");
        assert_eq!(text.lines().nth(3), Some(line), "{style:?}: {text}");
    }
}
