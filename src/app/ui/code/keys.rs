//! The keys of an editor of code that mean more than typing.
//!
//! A slow frame brings several keys, and their order counts: a key of the editor acts on all that was typed before it.
//! Those behind it wait for the next frame.

use std::collections::VecDeque;

use eframe::egui::{Event, Key, Ui};

/// A key that the editor takes for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorKey {
    NewLine,
    Indent,
    Outdent,
    Comment,
    /// Shows the completions.
    Suggest,
    /// In the list of completions.
    Up,
    Down,
    Accept,
    Dismiss,
    /// Hides the hint of arguments.
    DismissHint,
    Undo,
    Redo,
    Apply,
    Leave,
}

/// The list or hint at the caret that takes keys.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// A list of completions that takes its keys.
    pub has_list: bool,
    /// A hint of arguments, which Escape hides.
    pub has_hint: bool,
}

/// The keyboard events that the text field has not got yet.
pub type Waiting = VecDeque<Event>;

/// Takes the keyboard events of this frame, which come behind those that wait.
pub fn take(ui: &Ui, waiting: &mut Waiting) {
    ui.input_mut(|input| {
        input.events.retain(|event| {
            let is_typed = matches!(
                event,
                Event::Key { pressed: true, .. } | Event::Text(_) | Event::Copy | Event::Cut | Event::Paste(_)
            );
            if is_typed {
                waiting.push_back(event.clone());
            }
            !is_typed
        });
    });
}

/// Returns the key if the first event that waits is one of the editor, and takes it.
pub fn next(waiting: &mut Waiting, shown: Shown) -> Option<EditorKey> {
    let key = waiting.front().and_then(|event| key_of(event, shown))?;
    waiting.pop_front();
    Some(key)
}

/// Gives the text field the events up to the next key of the editor.
pub fn give(ui: &Ui, waiting: &mut Waiting, shown: Shown) {
    let count = waiting.iter().position(|event| key_of(event, shown).is_some()).unwrap_or(waiting.len());
    let typed = waiting.drain(..count);
    ui.input_mut(|input| input.events.extend(typed));
    if !waiting.is_empty() {
        ui.ctx().request_repaint();
    }
}

fn key_of(event: &Event, Shown { has_list, has_hint }: Shown) -> Option<EditorKey> {
    let Event::Key { key, modifiers, .. } = event else { return None };
    let is_plain = modifiers.is_none();
    Some(match key {
        Key::ArrowUp if has_list && is_plain => EditorKey::Up,
        Key::ArrowDown if has_list && is_plain => EditorKey::Down,
        Key::Tab | Key::Enter if has_list && is_plain => EditorKey::Accept,
        Key::Escape if has_list => EditorKey::Dismiss,
        Key::Escape if has_hint => EditorKey::DismissHint,
        Key::Escape => EditorKey::Leave,
        Key::Enter if modifiers.command => EditorKey::Apply,
        Key::Enter if is_plain || modifiers.shift_only() => EditorKey::NewLine,
        Key::Tab if is_plain => EditorKey::Indent,
        Key::Tab if modifiers.shift_only() => EditorKey::Outdent,
        Key::Slash if modifiers.command => EditorKey::Comment,
        // On macOS Command+Space belongs to the system.
        Key::Space if modifiers.ctrl || modifiers.command => EditorKey::Suggest,
        Key::Z if modifiers.command && modifiers.shift => EditorKey::Redo,
        Key::Z if modifiers.command => EditorKey::Undo,
        Key::Y if modifiers.command => EditorKey::Redo,
        _ => return None,
    })
}
