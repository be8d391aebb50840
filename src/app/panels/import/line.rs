//! Draws a row of the report.

use std::sync::Arc;

use eframe::egui::{Align, Color32, Layout, Rect, RichText, Ui, UiBuilder, pos2, vec2};

use super::rows::Row;
use super::{ImportView, Shows, is_chosen};
use crate::app::action::{Action, EditAction, ViewAction};
use crate::app::doc::import_lines::{ImportLines, Now};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, sentence, theme_of};
use crate::model::imported::{Class, Entry};

pub fn show_ui(
    ui: &mut Ui,
    row: &Row,
    lines: &ImportLines,
    view: &ImportView,
    (selected, shows): (&mut Option<usize>, &mut Shows),
    actions: &mut Vec<Action>,
) {
    match row {
        Row::Group(title, count) => group_ui(ui, title, *count),
        Row::Note(number) => note_ui(ui, lines.report().notes.get(*number).map_or("", |note| note)),
        Row::Missing(name) => {
            let label = format!("Missing value {name}");
            let row = plain_ui(ui, &label, (Icon::Warning, theme_of(ui.ctx()).warning), name, "no value");
            if is_chosen(ui, &row) {
                *shows = Shows::Missing;
            }
            row.on_hover_text("Give it a value");
        }
        Row::Entry(number) => {
            let Some(entry) = lines.entry(*number) else { return };
            let line = Line { number: *number, entry, now: lines.now(*number, view.simulation, view.revision) };
            if line.show_ui(ui, lines, *selected == Some(*number), actions) {
                *selected = Some(*number);
            }
        }
    }
}

fn group_ui(ui: &mut Ui, title: &str, count: usize) {
    let theme = theme_of(ui.ctx());
    let rect = ui.max_rect();
    let text = rect.with_min_y(rect.top() + 6.0).shrink2(vec2(2.0, 0.0));
    let title_width = widgets::text_in(ui, text, title, style::strong(TEXT_SMALL + 0.5), theme.text_weak);
    let rest = text.with_min_x(text.left() + title_width + 8.0);
    widgets::text_in(ui, rest, &count.to_string(), style::plain(TEXT_SMALL), theme.text_weak);
    let response = ui.allocate_rect(rect, eframe::egui::Sense::hover());
    let label = format!("{title}, {count}");
    response.widget_info(|| eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Label, true, &label));
}

fn note_ui(ui: &mut Ui, note: &str) {
    let text = sentence(note);
    plain_ui(ui, &text, (Icon::Info, theme_of(ui.ctx()).text_weak), &text, "").on_hover_text(&text);
}

/// Draws a row of one line with an icon.
fn plain_ui(
    ui: &mut Ui,
    label: &str,
    (icon, tint): (Icon, Color32),
    text: &str,
    behind: &str,
) -> eframe::egui::Response {
    let theme = theme_of(ui.ctx());
    widgets::row_ui(ui, label, ui.max_rect().height(), |ui, rect| {
        icon.paint(ui.painter(), icon_rect(rect, rect.center().y), tint);
        let text_rect = rect.with_min_x(rect.left() + 30.0).with_max_x(rect.right() - 8.0);
        let width = widgets::text_in(ui, text_rect, text, style::plain(TEXT), theme.text);
        let rest = text_rect.with_min_x((text_rect.left() + width + 10.0).min(text_rect.right()));
        widgets::text_in(ui, rest, behind, style::plain(TEXT_SMALL), theme.text_weak);
    })
}

fn icon_rect(rect: Rect, middle: f32) -> Rect {
    Rect::from_center_size(pos2(rect.left() + 14.0, middle), vec2(13.0, 13.0))
}

/// An entry with the present state of its block.
struct Line<'a> {
    number: usize,
    entry: &'a Entry,
    now: Now<'a>,
}

impl Line<'_> {
    /// Draws the line; returns whether it was chosen.
    fn show_ui(&self, ui: &mut Ui, lines: &ImportLines, is_selected: bool, actions: &mut Vec<Action>) -> bool {
        let theme = theme_of(ui.ctx());
        let rect = ui.max_rect();
        let title = self.title(lines);
        let label = format!("{title}, {}, {}", self.entry.kind, self.state_text());
        let row = widgets::selectable_row_ui(ui, &label, rect.height(), is_selected, |_, _| ());
        // Over the row, so that it gets the clicks on it.
        let right = self.button_ui(ui, rect, &title, actions);
        let (icon, tint) = self.icon(theme);
        let first = rect.with_max_y(rect.top() + 24.0);
        icon.paint(ui.painter(), icon_rect(rect, first.center().y), tint);
        let room = first.with_min_x(rect.left() + 30.0).with_max_x(right);
        let color = if matches!(self.now, Now::Deleted) { theme.text_weak } else { theme.text };
        let mut end = room.left() + widgets::text_in(ui, room, &title, style::plain(TEXT), color) + 10.0;
        for text in [&*self.entry.kind, &self.what_happened()] {
            let rest = room.with_min_x(end.min(room.right()));
            end += widgets::text_in(ui, rest, text, style::plain(TEXT_SMALL), theme.text_weak) + 14.0;
        }
        if !self.entry.notes.is_empty() {
            let second = Rect::from_min_max(pos2(room.left(), first.bottom() - 4.0), pos2(right, rect.bottom() - 3.0));
            widgets::text_in(ui, second, &self.notes(), style::plain(TEXT_SMALL), theme.text_weak);
        }
        let row = row.on_hover_text(self.tooltip());
        let is_chosen = is_chosen(ui, &row);
        if is_chosen {
            actions.extend(self.way(&title));
        }
        is_chosen
    }

    fn icon(&self, theme: &Theme) -> (Icon, Color32) {
        match (self.entry.class, self.now) {
            (_, Now::Deleted) => (Icon::Close, theme.text_weak),
            (Class::Exact, _) | (Class::Placeholder, Now::Replaced { .. }) => (Icon::Check, theme.success),
            (Class::Approximated, _) => (Icon::Warning, theme.warning),
            (Class::Placeholder, _) => (Icon::Error, theme.error),
        }
    }

    /// The title of the block by now, with its name in the other program if that was another.
    fn title(&self, lines: &ImportLines) -> String {
        let before = lines.title(self.number);
        match self.now {
            Now::NoBlock | Now::Deleted => before.to_owned(),
            Now::Present { block, .. } | Now::Replaced { block, .. } => {
                let has_label = block.attributes.get("label").is_some();
                match block.title() {
                    now if now == before || before.trim().is_empty() => now.to_owned(),
                    // A block without a label of its own has the title of its kind.
                    _ if !has_label && !before.is_empty() => before.to_owned(),
                    now => format!("{now} ({before})"),
                }
            }
        }
    }

    fn state_text(&self) -> String {
        match self.what_happened() {
            text if text.is_empty() => self.entry.class.name().to_owned(),
            text => text,
        }
    }

    fn what_happened(&self) -> String {
        match self.now {
            Now::NoBlock => "no block of its own".to_owned(),
            Now::Present { .. } => String::new(),
            Now::Replaced { block, .. } => format!("replaced by {}", block.kind.title()),
            Now::Deleted => "deleted".to_owned(),
        }
    }

    fn notes(&self) -> String {
        sentence(&self.entry.notes.join("; "))
    }

    fn tooltip(&self) -> String {
        let what_to_do = match (self.entry.class, self.now) {
            (_, Now::Deleted) => "The block was deleted; Undo brings it back",
            (Class::Exact, _) => "Results are the same, for numbers of type double",
            (Class::Approximated, _) => "Look whether the difference matters for this model",
            (Class::Placeholder, Now::Replaced { .. }) => "The placeholder was replaced; Undo brings it back",
            (Class::Placeholder, _) => {
                "Replace it by a block or a model, which keeps its wires, or comment it out; its parameters are kept"
            }
        };
        let lines = [self.entry.path.clone(), self.entry.kind.clone(), self.notes(), what_to_do.to_owned()];
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the action of a click.
    fn way(&self, title: &str) -> Option<Action> {
        match self.now {
            Now::Present { model, block } | Now::Replaced { model, block } => {
                let (model, block) = (Arc::clone(&model.name), Some(block.id));
                Some(Action::View(ViewAction::OpenModel { model, block }))
            }
            Now::Deleted => Some(Action::Say(format!("“{title}” was deleted; Undo brings it back"))),
            Now::NoBlock => Some(Action::Say(format!("“{title}” became no block of its own"))),
        }
    }

    /// Draws the button that completes a placeholder; returns where the space to its left ends.
    fn button_ui(&self, ui: &mut Ui, rect: Rect, title: &str, actions: &mut Vec<Action>) -> f32 {
        let right = rect.right() - 6.0;
        let Now::Present { model, block } = self.now else { return right };
        if self.entry.class != Class::Placeholder {
            return right;
        }
        let room = Rect::from_min_max(pos2(rect.left() + 120.0, rect.top()), pos2(right, rect.bottom()));
        let layout = Layout::right_to_left(Align::Center);
        let mut ui = ui.new_child(UiBuilder::new().id_salt("replace").max_rect(room).layout(layout));
        let button = ui.button(RichText::new("Replace with…").size(TEXT_SMALL));
        ui.ctx().accesskit_node_builder(button.id, |node| node.set_label(format!("Replace {title} with…")));
        if button.clicked() {
            let (model, block, screen) = (Arc::clone(&model.name), block.id, button.rect.left_top());
            actions.push(Action::Edit(EditAction::AskReplacement { model, block, screen }));
        }
        button.on_hover_text("Choose a block or a model; its wires stay").rect.left() - 10.0
    }
}
