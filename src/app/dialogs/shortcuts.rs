//! Shows all shortcuts on one page, from the table of commands; a click on one records a new one.

use eframe::egui::{
    self, CornerRadius, Key, KeyboardShortcut, RichText, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

use super::frame::{buttons_ui, title_ui, window_ui};
use super::response::DialogResponse;
use crate::app::action::command::{CommandDef, MENUS, MenuDef};
use crate::app::ui::icons::Icon;
use crate::app::ui::keymap::{self, Keymap, text_of};
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};

/// Gestures of the diagram, which are not commands.
const GESTURES: [(&str, &str); 16] = [
    ("Insert a block after the selected one", "Type its name, Enter"),
    ("Insert it on a branch", "Type its name, Shift+Enter"),
    ("Connect to a block", "Type > and its name, Enter"),
    ("Insert a block here", "Double-click"),
    ("Zoom", "Wheel"),
    ("Move the view", "Middle drag or Space and drag"),
    ("Select several blocks", "Drag a rectangle, or Shift and click"),
    ("Copy while dragging", "Ctrl and drag"),
    ("Connect the selection to a block", "Alt and click"),
    ("Branch from a wire", "Alt or right drag"),
    ("Resize a block", "Drag its lower right corner"),
    ("Move by a grid step", "Arrow keys"),
    ("Open a subsystem", "Double-click"),
    ("Plot: zoom time, values", "Wheel, Shift and wheel"),
    ("Plot: zoom to a rectangle", "Right drag"),
    ("Plot: show all", "Double-click"),
];

/// What the editor of code does.
const CODE: [(&str, &str); 9] = [
    ("Open the code of a block", "Double-click or Enter"),
    ("Complete a word", "Ctrl+Space"),
    ("Accept a completion", "Tab or Enter"),
    ("Indent lines", "Tab"),
    ("Indent them less", "Shift+Tab"),
    ("Comment lines", "Ctrl+/"),
    ("Apply and close", "Ctrl+Enter"),
    ("Discard the changes", "Escape"),
    ("Breakpoint on a line", "Click beside its number"),
];

#[derive(Default)]
pub struct ShortcutEditor {
    search: String,
    /// The command whose shortcut is being recorded, and the pressed shortcut if another command has it.
    recording: Option<(&'static CommandDef, Option<KeyboardShortcut>)>,
}

pub fn show_ui(ctx: &egui::Context, editor: &mut ShortcutEditor) -> DialogResponse {
    let keymap = Keymap::of(ctx);
    if let Some(answer) = record(ctx, editor, &keymap) {
        return answer;
    }
    window_ui(ctx, "shortcuts", 760.0, |ui| {
        let mut changed = None;
        ui.horizontal(|ui| {
            title_ui(ui, "Keyboard shortcuts");
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.set_max_width(260.0);
                widgets::search_ui(ui, &mut editor.search, "Search commands");
            });
        });
        hint_ui(ui, editor, &keymap, &mut changed);
        // Constant height, so that rows do not move under the pointer.
        let height = (ctx.content_rect().height() - 240.0).clamp(160.0, 620.0);
        let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            ui.columns(2, |columns| {
                if let [left, right] = columns {
                    // Columns are filled evenly, menu by menu.
                    let mut rows = [0, 0];
                    for menu in MENUS {
                        let is_left = rows[0] <= rows[1];
                        rows[usize::from(!is_left)] += menu.commands().len();
                        part_ui(if is_left { left } else { right }, menu, editor, &keymap, &mut changed);
                    }
                    if editor.search.trim().is_empty() {
                        widgets::section_ui(right, "Gestures");
                        for (what, how) in GESTURES {
                            gesture_ui(right, what, how);
                        }
                        widgets::section_ui(right, "Code");
                        for (what, how) in CODE {
                            gesture_ui(right, what, how);
                        }
                    }
                }
            });
        });
        let is_closed = buttons_ui(ui, |ui| {
            let is_closed = widgets::main_button_ui(ui, "Close").clicked();
            if !keymap.is_empty() && widgets::second_button_ui(ui, "Reset all").clicked() {
                changed = Some(Keymap::default());
            }
            is_closed
        });
        match (changed, is_closed) {
            (Some(keymap), _) => DialogResponse::Keys(keymap),
            (None, true) => DialogResponse::Closed,
            (None, false) => DialogResponse::Open,
        }
    })
}

/// Reads the pressed keys while a shortcut is recorded.
fn record(ctx: &egui::Context, editor: &mut ShortcutEditor, keymap: &Keymap) -> Option<DialogResponse> {
    let (def, _) = editor.recording?;
    let shortcut = keymap::recorded(ctx)?;
    if shortcut.logical_key == Key::Escape {
        editor.recording = None;
        return None;
    }
    if keymap.user_of(shortcut, def).is_some() {
        editor.recording = Some((def, Some(shortcut)));
        return None;
    }
    editor.recording = None;
    let mut changed = keymap.clone();
    changed.set(def, Some(shortcut));
    Some(DialogResponse::Keys(changed))
}

/// Shows instructions, or the command that has the pressed shortcut.
fn hint_ui(ui: &mut Ui, editor: &mut ShortcutEditor, keymap: &Keymap, changed: &mut Option<Keymap>) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        ui.set_min_height(28.0);
        let Some((def, collision)) = editor.recording else {
            ui.label(widgets::weak(ui, "Click a shortcut to change it"));
            return;
        };
        let name = def.label.trim_end_matches('…');
        let Some(shortcut) = collision else {
            ui.label(RichText::new(format!("Press the keys for “{name}”; Escape cancels")).color(theme.accent));
            if ui.button("No shortcut").clicked() {
                let mut keys = keymap.clone();
                keys.set(def, None);
                *changed = Some(keys);
                editor.recording = None;
            }
            return;
        };
        let user = keymap.user_of(shortcut, def).map_or("", |user| user.label.trim_end_matches('…'));
        let keys = text_of(shortcut);
        ui.label(RichText::new(format!("{keys} is the shortcut of “{user}”")).color(theme.warning));
        if ui.button(format!("Assign it to “{name}”")).clicked() {
            let mut keys = keymap.clone();
            keys.set(def, Some(shortcut));
            *changed = Some(keys);
            editor.recording = None;
        }
        if ui.button("Keep it").clicked() {
            editor.recording = None;
        }
    });
}

fn part_ui(
    ui: &mut Ui,
    menu: &'static MenuDef,
    editor: &mut ShortcutEditor,
    keymap: &Keymap,
    changed: &mut Option<Keymap>,
) {
    let query = editor.search.trim();
    let is_shown = |def: &&CommandDef| crate::block::search::fit(query, def.label).is_some();
    let defs: Vec<&'static CommandDef> = menu.commands().into_iter().filter(is_shown).collect();
    if defs.is_empty() {
        return;
    }
    widgets::section_ui(ui, menu.title);
    for def in defs {
        command_ui(ui, def, editor, keymap, changed);
    }
}

fn command_ui(
    ui: &mut Ui,
    def: &'static CommandDef,
    editor: &mut ShortcutEditor,
    keymap: &Keymap,
    changed: &mut Option<Keymap>,
) {
    let name = def.label.trim_end_matches('…');
    let is_recording = editor.recording.is_some_and(|(known, _)| known.command == def.command);
    ui.spacing_mut().item_spacing.y = 0.5 * SPACE;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = SPACE;
        ui.label(RichText::new(name).size(TEXT_SMALL + 1.0)).on_hover_text(def.tooltip);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(SPACE);
            if keymap.is_changed(def) {
                let reset = widgets::icon_button_ui(ui, Icon::Reset, &format!("Reset shortcut of {name}"));
                if reset.on_hover_text("Restore the default shortcut").clicked() {
                    let mut keys = keymap.clone();
                    keys.reset(def);
                    *changed = Some(keys);
                }
            }
            let shortcuts = keymap.shortcuts(def);
            if def.command.is_of_clipboard() {
                shortcuts.iter().rev().for_each(|shortcut| key_ui(ui, &text_of(*shortcut)));
                return;
            }
            let texts: Vec<String> = match (is_recording, shortcuts.is_empty()) {
                (true, _) => vec!["Press keys…".to_owned()],
                (false, true) => vec!["+".to_owned()],
                (false, false) => shortcuts.iter().rev().map(|shortcut| text_of(*shortcut)).collect(),
            };
            for text in texts {
                if key_button_ui(ui, name, &text, is_recording.into()).clicked() {
                    editor.recording = Some((def, None));
                }
            }
        });
    });
}

fn gesture_ui(ui: &mut Ui, what: &str, how: &str) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(what).size(TEXT_SMALL + 1.0));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(SPACE);
            key_ui(ui, how);
        });
    });
}

fn key_button_ui(ui: &mut Ui, name: &str, text: &str, recording: Selected) -> egui::Response {
    let theme = theme_of(ui.ctx());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), style::plain(TEXT_SMALL), theme.text);
    let (rect, response) = ui.allocate_exact_size(galley.size() + vec2(12.0, 5.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Shortcut of {name}: {text}")));
    let (fill, line) = match (recording == Selected::Yes, response.hovered() || response.has_focus()) {
        (true, _) => (style::mix(theme.panel, theme.accent, 0.2), theme.accent),
        (false, true) => (style::mix(theme.panel, theme.accent, 0.12), theme.accent),
        (false, false) => (style::mix(theme.panel, theme.text, 0.05), theme.line),
    };
    ui.painter().rect(rect, CornerRadius::same(4), fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let color = if text == "+" { theme.text_weak } else { theme.text };
    ui.painter().galley_with_override_text_color(rect.center() - galley.size() / 2.0, galley, color);
    response
}

pub fn key_ui(ui: &mut Ui, text: &str) {
    let theme = theme_of(ui.ctx());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), style::plain(TEXT_SMALL), theme.text);
    let (rect, _) = ui.allocate_exact_size(galley.size() + vec2(12.0, 5.0), Sense::hover());
    let fill = style::mix(theme.panel, theme.text, 0.05);
    ui.painter().rect(rect, CornerRadius::same(4), fill, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, theme.text);
}
