//! The user's shortcuts.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{self, Id, Key, KeyboardShortcut, Modifiers};
use serde::{Deserialize, Serialize};

use super::command::{CommandDef, commands, stable_name};

/// The changed shortcuts as texts (`Ctrl+Shift+P`), by the command's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Keymap(#[serde(deserialize_with = "by_stable_names")] BTreeMap<String, Vec<String>>);

/// Earlier versions used other names.
fn by_stable_names<'de, D: serde::Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let read = BTreeMap::<String, Vec<String>>::deserialize(from)?;
    Ok(read.into_iter().map(|(name, texts)| (stable_name(&name), texts)).collect())
}

impl Keymap {
    /// Returns the window's keymap.
    pub fn of(ctx: &egui::Context) -> Arc<Keymap> {
        ctx.data(|data| data.get_temp(Id::unique("keymap"))).unwrap_or_default()
    }

    /// Installs it as the window's keymap.
    pub fn install(&self, ctx: &egui::Context) {
        ctx.data_mut(|data| data.insert_temp(Id::unique("keymap"), Arc::new(self.clone())));
    }

    /// Returns the command's shortcuts; menus show the first.
    pub fn shortcuts(&self, def: &CommandDef) -> Vec<KeyboardShortcut> {
        match self.0.get(def.name) {
            Some(texts) => texts.iter().filter_map(|text| parse(text)).collect(),
            None => def.shortcuts.to_vec(),
        }
    }

    pub fn is_changed(&self, def: &CommandDef) -> bool {
        self.0.contains_key(def.name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the command's only shortcut, or none; another command with it loses it.
    pub fn set(&mut self, def: &CommandDef, shortcut: Option<KeyboardShortcut>) {
        if let Some(shortcut) = shortcut {
            for other in commands().filter(|other| other.command != def.command) {
                let known = self.shortcuts(other);
                if known.contains(&shortcut) {
                    let rest = known.into_iter().filter(|known| *known != shortcut);
                    self.0.insert(other.name.to_owned(), rest.map(write).collect());
                }
            }
        }
        self.0.insert(def.name.to_owned(), shortcut.into_iter().map(write).collect());
        self.forget_what_is_as_ever();
    }

    /// Restores the command's default shortcuts, except those now used by others.
    pub fn reset(&mut self, def: &CommandDef) {
        self.0.remove(def.name);
        let free: Vec<_> =
            def.shortcuts.iter().copied().filter(|shortcut| self.user_of(*shortcut, def).is_none()).collect();
        if free.len() < def.shortcuts.len() {
            self.0.insert(def.name.to_owned(), free.into_iter().map(write).collect());
        }
    }

    /// Returns the other command with the shortcut.
    pub fn user_of(&self, shortcut: KeyboardShortcut, def: &CommandDef) -> Option<&'static CommandDef> {
        commands().find(|other| other.command != def.command && self.shortcuts(other).contains(&shortcut))
    }

    fn forget_what_is_as_ever(&mut self) {
        for def in commands() {
            let own: Vec<String> = def.shortcuts.iter().copied().map(write).collect();
            if self.0.get(def.name) == Some(&own) {
                self.0.remove(def.name);
            }
        }
    }
}

/// The text is the same on every platform: `Ctrl` is the platform's command key.
fn write(shortcut: KeyboardShortcut) -> String {
    let Modifiers { alt, shift, command, .. } = shortcut.modifiers;
    let mut text = String::new();
    for (is_held, name) in [(command, "Ctrl+"), (alt, "Alt+"), (shift, "Shift+")] {
        if is_held {
            text.push_str(name);
        }
    }
    text + shortcut.logical_key.name()
}

fn parse(text: &str) -> Option<KeyboardShortcut> {
    let mut modifiers = Modifiers::NONE;
    let mut rest = text;
    for (name, modifier) in [("Ctrl+", Modifiers::COMMAND), ("Alt+", Modifiers::ALT), ("Shift+", Modifiers::SHIFT)] {
        if let Some(further) = rest.strip_prefix(name) {
            modifiers = modifiers.plus(modifier);
            rest = further;
        }
    }
    Some(KeyboardShortcut::new(modifiers, Key::from_name(rest)?))
}

/// Returns the pressed shortcut, if a command can have it.
pub fn recorded(ctx: &egui::Context) -> Option<KeyboardShortcut> {
    ctx.input_mut(|input| {
        let place = input.events.iter().position(|event| matches!(event, egui::Event::Key { pressed: true, .. }))?;
        let egui::Event::Key { key, modifiers, .. } = input.events.remove(place) else { return None };
        let mut held = Modifiers::NONE;
        for (is_held, modifier) in [
            (modifiers.command || modifiers.ctrl, Modifiers::COMMAND),
            (modifiers.alt, Modifiers::ALT),
            // A question mark is the same with and without Shift.
            (modifiers.shift && key != Key::Questionmark, Modifiers::SHIFT),
        ] {
            if is_held {
                held = held.plus(modifier);
            }
        }
        Some(KeyboardShortcut::new(held, key))
    })
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
    const NAMES: &str = include_str!("../../tests/app/command_names.txt");

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
