//! The command palette: all commands, filtered by the typed text.

use eframe::egui::{self, Key, Rect, ScrollArea, vec2};

use super::DialogView;
use super::frame::window_ui;
use super::response::DialogResponse;
use crate::app::action::command::{CommandDef, CommandStates, commands};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::block::search;

#[derive(Default)]
pub struct CommandSearch {
    query: String,
    chosen: usize,
    is_old: bool,
}

pub fn show_ui(ctx: &egui::Context, state: &mut CommandSearch, view: &DialogView) -> DialogResponse {
    let mut found: Vec<(i32, &CommandDef)> = commands()
        .filter_map(|def| {
            let label = search::fit(&state.query, &view.commands.label_of(def)).map(|score| score + 300);
            let sentence = search::fit(&state.query, def.tooltip).filter(|score| *score > 200);
            Some((label.max(sentence)?, def))
        })
        .collect();
    let used = view.used;
    match state.query.trim().is_empty() {
        // Recently used commands come first.
        true => found.sort_by_key(|(_, def)| {
            let key = def.name;
            used.iter().position(|known| *known == key).unwrap_or(usize::MAX)
        }),
        false => found.sort_by_key(|(score, _)| std::cmp::Reverse(*score)),
    }
    let (up, down, enter) = ctx.input_mut(|input| {
        let mut key = |key| input.consume_key(egui::Modifiers::NONE, key);
        (key(Key::ArrowUp), key(Key::ArrowDown), key(Key::Enter))
    });
    let last = found.len().saturating_sub(1);
    state.chosen = match (up, down) {
        (true, _) => state.chosen.saturating_sub(1),
        (_, true) => state.chosen + 1,
        _ => state.chosen,
    }
    .min(last);
    if enter && let Some((_, def)) = found.get(state.chosen).filter(|(_, def)| view.commands.can(def.needs)) {
        return DialogResponse::Command(def.command);
    }
    window_ui(ctx, "commands", 460.0, |ui| {
        let before = state.query.clone();
        let field = widgets::search_ui(ui, &mut state.query, "Type a command");
        crate::app::ui::field::name(&field, "Command");
        if !std::mem::replace(&mut state.is_old, true) {
            field.request_focus();
        }
        if before != state.query {
            state.chosen = 0;
        }
        let mut answer = DialogResponse::Open;
        ui.add_space(SPACE);
        // Constant height, so that the window does not jump while the user types.
        let height = (ctx.content_rect().height() - 160.0).clamp(120.0, 340.0);
        let area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink(false);
        area.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            for (number, (_, def)) in found.iter().enumerate() {
                let is_chosen = number == state.chosen;
                let row = row_ui(ui, view.commands, def, is_chosen);
                if is_chosen && (up || down) {
                    row.scroll_to_me(None);
                }
                if row.clicked() && view.commands.can(def.needs) {
                    answer = DialogResponse::Command(def.command);
                }
            }
            if found.is_empty() {
                ui.label(widgets::weak(ui, "No command matches"));
            }
        });
        answer
    })
}

fn row_ui(
    ui: &mut egui::Ui,
    commands: &dyn CommandStates,
    def: &CommandDef,
    selected: impl Into<Selected>,
) -> egui::Response {
    let is_chosen = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let label = commands.label_of(def);
    let color = if commands.can(def.needs) { theme.text } else { style::mix(theme.panel, theme.text_weak, 0.6) };
    widgets::selectable_row_ui(ui, &format!("Command {label}"), 28.0, is_chosen, |ui, rect| {
        if let Some(icon) = def.icon {
            let square = Rect::from_center_size(rect.left_center() + vec2(16.0, 0.0), vec2(13.0, 13.0));
            Icon::paint(icon, ui.painter(), square, style::mix(theme.panel, color, 0.75));
        }
        let shortcut = def.shortcut_text(ui.ctx()).unwrap_or_default();
        let galley = ui.painter().layout_no_wrap(shortcut, style::plain(TEXT_SMALL), theme.text_weak);
        let at = rect.right_center() - vec2(galley.size().x + 10.0, galley.size().y / 2.0);
        let room = Rect::from_min_max(rect.left_top() + vec2(34.0, 0.0), egui::pos2(at.x - 8.0, rect.bottom()));
        ui.painter().galley(at, galley, theme.text_weak);
        widgets::text_in(ui, room, &label, style::plain(TEXT), color);
    })
}
