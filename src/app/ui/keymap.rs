//! The user's shortcuts.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{self, Id, Key, KeyboardShortcut, ModifierNames, Modifiers};
use serde::{Deserialize, Serialize};

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

    /// Returns the shortcuts of the command with this name as texts, if they were changed.
    pub fn texts(&self, name: &str) -> Option<&[String]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// Replaces the shortcuts of the command with this name.
    pub fn change(&mut self, name: &str, shortcuts: impl IntoIterator<Item = KeyboardShortcut>) {
        self.0.insert(name.to_owned(), shortcuts.into_iter().map(write).collect());
    }

    /// Restores the default shortcuts of the command with this name.
    pub fn restore(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns a shortcut as text for the settings. It is the same on every platform: `Ctrl` is the platform's command key.
pub fn write(shortcut: KeyboardShortcut) -> String {
    let Modifiers { alt, shift, command, .. } = shortcut.modifiers;
    let mut text = String::new();
    for (is_held, name) in [(command, "Ctrl+"), (alt, "Alt+"), (shift, "Shift+")] {
        if is_held {
            text.push_str(name);
        }
    }
    text + shortcut.logical_key.name()
}

/// Reads a shortcut from the settings.
pub fn parse(text: &str) -> Option<KeyboardShortcut> {
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
        let index = input.events.iter().position(|event| matches!(event, egui::Event::Key { pressed: true, .. }))?;
        let egui::Event::Key { key, modifiers, .. } = input.events.remove(index) else { return None };
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

/// The name of a command, which earlier versions wrote as `Diagram(Align(Left))`.
pub fn stable_name(name: &str) -> String {
    let mut stable = String::with_capacity(name.len() + 4);
    let mut before = '.';
    for letter in name.trim_end_matches(')').chars() {
        match letter {
            '(' => stable.push('.'),
            letter if letter.is_ascii_uppercase() && before.is_ascii_alphanumeric() => {
                stable.push('-');
                stable.push(letter.to_ascii_lowercase());
            }
            letter => stable.push(letter.to_ascii_lowercase()),
        }
        before = letter;
    }
    stable
}

/// Returns a shortcut as display text.
pub fn text_of(shortcut: KeyboardShortcut) -> String {
    if shortcut.logical_key == Key::Questionmark {
        return "?".to_owned();
    }
    let is_mac = cfg!(target_os = "macos");
    let names = if is_mac { &ModifierNames::SYMBOLS } else { &ModifierNames::NAMES };
    shortcut.format(names, is_mac)
}
