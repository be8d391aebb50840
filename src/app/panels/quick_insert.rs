//! The quick-insert list on the diagram: type a name, press Enter.

use eframe::egui::{self, Area, Id, Key, Order, Pos2, ScrollArea, Ui, vec2};

use super::blocks::{self, Shows};
use super::items::{FoundItems, Item, ItemSource};
use crate::app::action::new_block::NewBlock;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::block::Registry;
use crate::model::Position;

pub struct QuickInsertState {
    /// The position of the block; `None`: the visible centre.
    pub position: Option<Position>,
    /// The chosen kind replaces the selected block.
    pub replaces: bool,
    /// The new block goes after the selected block.
    pub is_behind: bool,
    screen: Pos2,
    query: String,
    chosen: usize,
    is_new: bool,
    found: FoundItems,
}

impl QuickInsertState {
    pub fn new(position: Option<Position>, screen: Pos2) -> QuickInsertState {
        QuickInsertState {
            position,
            replaces: false,
            is_behind: false,
            screen,
            query: String::new(),
            chosen: 0,
            is_new: true,
            found: FoundItems::default(),
        }
    }

    /// Makes the chosen kind replace the selected block.
    pub fn replacing(mut self) -> QuickInsertState {
        self.replaces = true;
        self
    }

    /// Puts the new block after the selected block.
    pub fn behind(mut self) -> QuickInsertState {
        self.is_behind = true;
        self
    }

    /// Starts with the text typed on the diagram.
    pub fn with_query(mut self, query: &str) -> QuickInsertState {
        self.query = query.to_owned();
        self
    }
}

/// How the list was closed.
pub enum Outcome {
    Open,
    Closed,
    Chosen(NewBlock),
}

const WIDTH: f32 = 300.0;

pub fn show_ui(ctx: &egui::Context, state: &mut QuickInsertState, source: &ItemSource) -> Outcome {
    let mut found = std::mem::take(&mut state.found);
    let outcome = list_and_field_ui(ctx, state, found.of(state.query.trim(), source), &source.registry);
    state.found = found;
    outcome
}

fn list_and_field_ui(
    ctx: &egui::Context,
    state: &mut QuickInsertState,
    items: &[Item],
    registry: &Registry,
) -> Outcome {
    let (up, down, enter, escape) = ctx.input_mut(|input| {
        let mut key = |key| input.consume_key(egui::Modifiers::NONE, key);
        (key(Key::ArrowUp), key(Key::ArrowDown), key(Key::Enter), key(Key::Escape))
    });
    if escape {
        return Outcome::Closed;
    }
    let last = items.len().saturating_sub(1);
    state.chosen = match (up, down) {
        (true, _) => state.chosen.saturating_sub(1),
        (_, true) => state.chosen + 1,
        _ => state.chosen,
    }
    .min(last);
    if enter {
        return items.get(state.chosen).map_or(Outcome::Closed, |item| Outcome::Chosen(item.new_block()));
    }
    // The click that opened the list must not close it.
    let is_new = state.is_new;
    if is_new {
        // The field gets the focus in the next frame.
        state.query.push_str(&typed(ctx));
    }
    let mut clicked = None;
    let area = Area::new(Id::unique("quick insert")).order(Order::Foreground).fixed_pos(state.screen).constrain(true);
    let shown = area.show(ctx, |ui| {
        egui::Frame::popup(ui.style()).inner_margin(2.0 * SPACE).show(ui, |ui| {
            ui.set_width(WIDTH);
            let before = state.query.clone();
            let hint = if state.replaces { "Replace with: type a block name" } else { "Insert block: type a name" };
            let field = ui.push_id("query", |ui| widgets::search_ui(ui, &mut state.query, hint)).inner;
            if std::mem::take(&mut state.is_new) {
                field.request_focus();
                put_cursor_at_end(ui, &field, &state.query);
            }
            if before != state.query {
                state.chosen = 0;
            }
            ui.add_space(SPACE);
            clicked = list_ui(ui, state.chosen, (up || down).then_some(state.chosen), items, registry);
        });
    });
    match clicked {
        Some(block) => Outcome::Chosen(block),
        None if !is_new && shown.response.clicked_elsewhere() => Outcome::Closed,
        None => Outcome::Open,
    }
}

/// Returns the text typed in this frame.
pub fn typed(ctx: &egui::Context) -> String {
    ctx.input(|input| {
        let texts = input.events.iter().filter_map(|event| match event {
            egui::Event::Text(text) if text.chars().all(char::is_alphabetic) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    })
}

fn put_cursor_at_end(ui: &Ui, field: &egui::Response, text: &str) {
    let mut cursor = egui::TextEdit::load_state(ui.ctx(), field.id).unwrap_or_default();
    let end = egui::text::CCursor::new(text.chars().count());
    cursor.cursor.set_char_range(Some(egui::text::CCursorRange::one(end)));
    egui::TextEdit::store_state(ui.ctx(), field.id, cursor);
}

/// `follow`: the row that the list scrolls to.
fn list_ui(ui: &mut Ui, chosen: usize, follow: Option<usize>, items: &[Item], registry: &Registry) -> Option<NewBlock> {
    if items.is_empty() {
        ui.label(widgets::weak(ui, "No block matches"));
        return None;
    }
    let mut clicked = None;
    ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (number, item) in items.iter().enumerate() {
            let label = format!("Insert {}", item.title);
            let row = widgets::selectable_row_ui(ui, &label, 30.0, number == chosen, |ui, rect| {
                blocks::item_row(ui, rect, item, registry, Shows::TitleAndGroup);
            });
            if follow == Some(number) {
                row.scroll_to_me(None);
            }
            if row.clicked() {
                clicked = Some(item.new_block());
            }
        }
        let theme = theme_of(ui.ctx());
        if let Some(item) = items.get(chosen) {
            ui.add_space(SPACE);
            ui.label(egui::RichText::new(&item.about).color(theme.text_weak).size(crate::app::ui::theme::TEXT_SMALL));
        }
    });
    ui.set_min_size(vec2(WIDTH, 0.0));
    clicked
}
