//! The quick-insert list on the diagram: type a name, press Enter.

use eframe::egui::{self, Area, Id, Key, Order, Pos2, ScrollArea, Ui, vec2};

use super::blocks::{self, Shows};
use super::items::{FoundItems, Item, ItemSource};
use crate::app::action::new_block::{Course, NewBlock};
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets::{self, theme_of};
use crate::block::Registry;
use crate::model::Position;

pub struct QuickInsertState {
    /// The position of the block; `None`: the visible centre.
    pub position: Option<Position>,
    /// The chosen kind replaces the selected block.
    pub replaces: bool,
    /// The place relative to the selection, such as `after Gain`; none if the block goes to a position.
    pub continues: Option<String>,
    /// The inputs to which the selected block can be connected, if the query asks for them: `>sum`.
    targets: Vec<String>,
    /// The query that they were found for.
    targets_of: Option<String>,
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
            continues: None,
            targets: Vec::new(),
            targets_of: None,
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

    /// Makes the new block continue the selection: `what` says how.
    pub fn continuing(mut self, what: String) -> QuickInsertState {
        self.continues = Some(what);
        self
    }

    /// Returns the name of a block whose inputs are to be listed, if the query begins with `>`.
    pub fn target_name(&self) -> Option<&str> {
        self.query.trim().strip_prefix('>').map(str::trim).filter(|_| self.continues.is_some())
    }

    /// Returns the name whose inputs are not listed yet.
    pub fn missing_targets(&self) -> Option<&str> {
        self.target_name().filter(|name| self.targets_of.as_deref() != Some(name))
    }

    pub fn set_targets(&mut self, targets: Vec<String>) {
        self.targets_of = self.target_name().map(str::to_owned);
        self.targets = targets;
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
    Chosen(NewBlock, Course),
    /// The input with this number.
    Connects(usize),
}

const WIDTH: f32 = 300.0;

pub fn show_ui(ctx: &egui::Context, state: &mut QuickInsertState, source: &ItemSource) -> Outcome {
    let mut found = std::mem::take(&mut state.found);
    let chosen = list_and_field_ui(ctx, state, found.of(state.query.trim(), source), &source.registry);
    let outcome = match chosen {
        Choice::None => Outcome::Open,
        Choice::Closed => Outcome::Closed,
        Choice::Item(number, _) if state.target_name().is_some() => Outcome::Connects(number),
        Choice::Item(number, course) => {
            found.new_block(number).map_or(Outcome::Closed, |block| Outcome::Chosen(block, course))
        }
    };
    state.found = found;
    outcome
}

/// The user's choice from the list in this frame.
enum Choice {
    None,
    Closed,
    Item(usize, Course),
}

fn list_and_field_ui(ctx: &egui::Context, state: &mut QuickInsertState, items: &[Item], registry: &Registry) -> Choice {
    let (up, down, enter, escape) = ctx.input_mut(|input| {
        // Shift is tested first: a shortcut without modifiers would match any press.
        let branch = input.consume_key(egui::Modifiers::SHIFT, Key::Enter).then_some(Course::Branch);
        let mut key = |key| input.consume_key(egui::Modifiers::NONE, key);
        (key(Key::ArrowUp), key(Key::ArrowDown), branch.or(key(Key::Enter).then_some(Course::InLine)), key(Key::Escape))
    });
    if escape {
        return Choice::Closed;
    }
    let is_connecting = state.target_name().is_some();
    let count = if is_connecting { state.targets.len() } else { items.len() };
    let last = count.saturating_sub(1);
    state.chosen = match (up, down) {
        (true, _) => state.chosen.saturating_sub(1),
        (_, true) => state.chosen + 1,
        _ => state.chosen,
    }
    .min(last);
    if let Some(course) = enter {
        return Choice::Item(state.chosen, course);
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
            let hint = match &state.continues {
                _ if state.replaces => "Replace with: type a block name".to_owned(),
                Some(what) => format!("Insert {what}: type a name"),
                None => "Insert block: type a name".to_owned(),
            };
            let field = ui.push_id("query", |ui| widgets::search_ui(ui, &mut state.query, &hint)).inner;
            if std::mem::take(&mut state.is_new) {
                field.request_focus();
                put_cursor_at_end(ui, &field, &state.query);
            }
            if before != state.query {
                state.chosen = 0;
            }
            ui.add_space(SPACE);
            let follow = (up || down).then_some(state.chosen);
            clicked = match is_connecting {
                true => targets_ui(ui, state.chosen, follow, &state.targets),
                false => list_ui(ui, state.chosen, follow, items, registry),
            };
            if state.continues.is_some() {
                ui.label(widgets::weak(
                    ui,
                    "Shift+Enter: on a branch · gain 2: with its value · >sum: connect to a sum",
                ));
            }
        });
    });
    match clicked {
        Some(number) => Choice::Item(number, Course::InLine),
        None if !is_new && shown.response.clicked_elsewhere() => Choice::Closed,
        None => Choice::None,
    }
}

/// Returns the text typed in this frame.
pub fn typed(ctx: &egui::Context) -> String {
    ctx.input(|input| {
        let texts = input.events.iter().filter_map(|event| match event {
            egui::Event::Text(text) if text.chars().all(|letter| letter.is_alphabetic() || letter == '>') => {
                Some(text.as_str())
            }
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
fn targets_ui(ui: &mut Ui, chosen: usize, follow: Option<usize>, targets: &[String]) -> Option<usize> {
    if targets.is_empty() {
        ui.label(widgets::weak(ui, "No block of this name has a free input"));
    }
    let mut clicked = None;
    ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        for (number, label) in targets.iter().enumerate() {
            let row = widgets::selectable_row_ui(ui, label, 26.0, number == chosen, |ui, rect| {
                let theme = theme_of(ui.ctx());
                let at = rect.left_center() + vec2(2.0 * SPACE, 0.0);
                let font = egui::FontId::proportional(crate::app::ui::theme::TEXT_SMALL);
                ui.painter().text(at, egui::Align2::LEFT_CENTER, label, font, theme.text);
            });
            if follow == Some(number) {
                row.scroll_to_me(None);
            }
            if row.clicked() {
                clicked = Some(number);
            }
        }
    });
    clicked
}

/// `follow`: the row that the list scrolls to.
fn list_ui(ui: &mut Ui, chosen: usize, follow: Option<usize>, items: &[Item], registry: &Registry) -> Option<usize> {
    if items.is_empty() {
        ui.label(widgets::weak(ui, "No block matches. “code” inserts a block that runs your own code"));
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
                clicked = Some(number);
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
