//! The shortcuts of the commands: the defaults of the table, and the user's changes.

use eframe::egui::{self, Key, KeyboardShortcut, Modifiers};

use super::command::{Command, CommandDef, commands};
use crate::app::ui::keymap::{Keymap, parse, write};

impl Keymap {
    /// Returns the command's shortcuts; menus show the first.
    pub fn shortcuts(&self, def: &CommandDef) -> Vec<KeyboardShortcut> {
        match self.texts(def.name) {
            Some(texts) => texts.iter().filter_map(|text| parse(text)).collect(),
            None => def.shortcuts.to_vec(),
        }
    }

    pub fn is_changed(&self, def: &CommandDef) -> bool {
        self.texts(def.name).is_some()
    }

    /// Sets the command's only shortcut, or none; another command with it loses it.
    pub fn set(&mut self, def: &CommandDef, shortcut: Option<KeyboardShortcut>) {
        if let Some(shortcut) = shortcut {
            for other in commands().filter(|other| other.command != def.command) {
                let known = self.shortcuts(other);
                if known.contains(&shortcut) {
                    let rest = known.into_iter().filter(|known| *known != shortcut);
                    self.change(other.name, rest);
                }
            }
        }
        self.change(def.name, shortcut);
        self.forget_what_is_as_ever();
    }

    /// Restores the command's default shortcuts, except those now used by others.
    pub fn reset(&mut self, def: &CommandDef) {
        self.restore(def.name);
        let free: Vec<_> =
            def.shortcuts.iter().copied().filter(|shortcut| self.user_of(*shortcut, def).is_none()).collect();
        if free.len() < def.shortcuts.len() {
            self.change(def.name, free);
        }
    }

    /// Returns the other command with the shortcut.
    pub fn user_of(&self, shortcut: KeyboardShortcut, def: &CommandDef) -> Option<&'static CommandDef> {
        commands().find(|other| other.command != def.command && self.shortcuts(other).contains(&shortcut))
    }

    fn forget_what_is_as_ever(&mut self) {
        for def in commands() {
            let own: Vec<String> = def.shortcuts.iter().copied().map(write).collect();
            if self.texts(def.name) == Some(&own) {
                self.restore(def.name);
            }
        }
    }
}

/// Returns the commands whose shortcuts were pressed since the last frame, in order. While a text is edited, only those
/// with shortcuts that text fields do not use.
pub fn pressed(ctx: &egui::Context) -> Vec<Command> {
    if !ctx.input(|input| input.events.iter().any(|event| matches!(event, egui::Event::Key { pressed: true, .. }))) {
        return Vec::new();
    }
    let is_typing = ctx.text_edit_focused();
    let keymap = Keymap::of(ctx);
    let of = |def: &CommandDef| keymap.shortcuts(def).to_vec();
    let mut shortcuts: Vec<_> =
        commands().flat_map(|def| of(def).into_iter().map(move |shortcut| (shortcut, def.command))).collect();
    // `Ctrl+Z` also fits when Shift is held: the longer ones first.
    let held =
        |modifiers: Modifiers| [modifiers.command, modifiers.shift, modifiers.alt].iter().filter(|m| **m).count();
    shortcuts.sort_by_key(|(shortcut, _)| std::cmp::Reverse(held(shortcut.modifiers)));
    // A slow frame brings several keys, and their order counts: “Undo, Save” is not “Save, Undo”.
    let mut commands = Vec::new();
    ctx.input_mut(|input| {
        input.events.retain(|event| {
            let egui::Event::Key { key, pressed: true, modifiers, .. } = event else { return true };
            let found = shortcuts.iter().find(|(shortcut, command)| {
                // Cut, copy and paste come as events of their own.
                *key == shortcut.logical_key
                    && modifiers.matches_logically(shortcut.modifiers)
                    && !(is_typing && is_for_text(*shortcut))
                    && !command.is_of_clipboard()
            });
            commands.extend(found.map(|(_, command)| *command));
            found.is_none()
        });
    });
    commands
}

fn is_for_text(shortcut: KeyboardShortcut) -> bool {
    let is_function_key =
        matches!(shortcut.logical_key, Key::F1 | Key::F4 | Key::F5 | Key::F6 | Key::F7 | Key::F8 | Key::F9 | Key::F10);
    match shortcut.modifiers.command {
        true => {
            matches!(
                shortcut.logical_key,
                Key::Z
                    | Key::Y
                    | Key::A
                    | Key::X
                    | Key::C
                    | Key::V
                    | Key::D
                    | Key::I
                    | Key::Enter
                    | Key::Space
                    | Key::Slash
            ) && !(shortcut.modifiers.shift && shortcut.logical_key != Key::Z)
        }
        false => !is_function_key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_of_the_table_can_be_written_and_read() {
        for shortcut in commands().flat_map(|def| def.shortcuts) {
            assert_eq!(parse(&write(*shortcut)), Some(*shortcut), "{}", write(*shortcut));
        }
    }

    /// Settings hold these names, so they must never change.
    const NAMES: &str = include_str!("../../../tests/app/command_names.txt");

    #[test]
    fn commands_keep_their_names() {
        let known: Vec<&str> = NAMES.lines().collect();
        let mut names: Vec<&str> = commands().map(|def| def.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "each has one of its own");
        for name in &known {
            assert!(names.contains(name), "{name} is in settings of users");
        }
        for name in &names {
            assert!(known.contains(name), "{name} is new: add it to the list");
        }
    }

    #[test]
    fn shortcuts_of_earlier_settings_are_kept() {
        let text = r#"{"Run": ["F9"], "Diagram(Align(Left))": ["Ctrl+7"], "Speed(RealTime(0.1))": ["Ctrl+8"],
            "TogglePanel(Blocks)": [], "PauseAtNonFinite": ["Alt+P"], "save-as": ["Ctrl+9"]}"#;
        let keymap: Keymap = serde_json::from_str(text).expect("a keymap");
        let written = |name: &str| {
            let def = commands().find(|def| def.name == name).expect(name);
            assert!(keymap.is_changed(def), "{name}");
            keymap.shortcuts(def).into_iter().map(write).collect::<Vec<_>>()
        };
        assert_eq!(written("run"), ["F9"]);
        assert_eq!(written("diagram.align.left"), ["Ctrl+7"]);
        assert_eq!(written("speed.real-time.0.1"), ["Ctrl+8"]);
        assert_eq!(written("toggle-panel.blocks"), Vec::<String>::new());
        assert_eq!(written("pause-at-non-finite"), ["Alt+P"]);
        assert_eq!(written("save-as"), ["Ctrl+9"]);
        assert!(!serde_json::to_string(&keymap).expect("text").contains("Diagram"));
    }
}
