//! The list of completions at the caret.

use eframe::egui::{
    self, Align2, Area, Frame, Id, Order, Pos2, Rect, Response, RichText, ScrollArea, SurrenderFocusOn, Ui, WidgetInfo,
    pos2, vec2,
};

use super::complete::{Completion, Completions};
use super::marks::font;
use crate::app::ui::style;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};

const ROW: f32 = 20.0;
const WIDTH: f32 = 340.0;
/// The rows that are shown at once.
const ROWS: usize = 8;

/// The list that is shown.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub found: Option<Completions>,
    pub selected: usize,
    /// The user has moved the selection or asked for the list, so that Enter accepts whatever is selected.
    pub is_meant: bool,
    /// Whether the selected row is to come into view.
    scrolls: bool,
    /// The word for which the user has closed the list.
    pub dismissed: Option<String>,
    /// The area that the list fills.
    area: Option<Rect>,
}

impl List {
    pub fn is_open(&self) -> bool {
        self.found.is_some()
    }

    /// The area that the list fills while it is open.
    pub fn place(&self) -> Option<Rect> {
        self.area.filter(|_| self.is_open())
    }

    pub fn close(&mut self) {
        *self = List { dismissed: self.dismissed.take(), ..List::default() };
    }

    pub fn row(&self) -> Option<&Completion> {
        self.found.as_ref()?.all.get(self.selected)
    }

    pub fn move_by(&mut self, rows: isize) {
        let count = self.found.as_ref().map_or(0, |found| found.all.len()) as isize;
        if count > 0 {
            self.selected = (self.selected as isize + rows).rem_euclid(count) as usize;
            (self.is_meant, self.scrolls) = (true, true);
        }
    }

    /// Shows other completions; the selection stays on the best one unless the user has chosen another.
    pub fn show(&mut self, found: Completions) {
        let chosen = self.row().filter(|_| self.is_meant).map(|row| row.name.clone());
        let same = chosen.and_then(|name| found.all.iter().position(|row| row.name == name));
        self.selected = same.unwrap_or(0);
        self.found = Some(found);
    }

    /// Keeps the focus in the text while the pointer is over the list; returns what to restore behind the text.
    pub fn hold_focus(&self, ui: &Ui) -> SurrenderFocusOn {
        let before = ui.ctx().options(|options| options.input_options.surrender_focus_on);
        let pointer = ui.ctx().pointer_interact_pos();
        if self.area.zip(pointer).is_some_and(|(area, at)| area.contains(at)) {
            set_surrender(ui, SurrenderFocusOn::Never);
        }
        before
    }

    /// Draws the list below or above the caret, within the window. Returns the row that was clicked.
    pub fn ui(&mut self, text: &Response, caret: Rect) -> Option<usize> {
        let found = self.found.as_ref()?;
        let ctx = &text.ctx;
        let window = ctx.content_rect().shrink(4.0);
        let rows = found.all.len().min(ROWS);
        let height = rows as f32 * ROW + 56.0;
        let is_below = caret.bottom() + height < window.bottom() || caret.top() - window.top() < height;
        let left = (caret.left() - 6.0).min(window.right() - WIDTH - 16.0).max(window.left());
        let (at, pivot): (Pos2, Align2) = match is_below {
            true => (pos2(left, caret.bottom() + 3.0), Align2::LEFT_TOP),
            false => (pos2(left, caret.top() - 3.0), Align2::LEFT_BOTTOM),
        };
        let mut clicked = None;
        let id = text.id.with("completions");
        let area = Area::new(id).order(Order::Foreground).fixed_pos(at).pivot(pivot).constrain_to(window);
        let shown = area.show(ctx, |ui| {
            Frame::popup(ui.style()).inner_margin(4).show(ui, |ui| {
                ui.set_width(WIDTH);
                ui.spacing_mut().item_spacing.y = 0.0;
                clicked = rows_ui(ui, id, found, self.selected, self.scrolls);
                help_ui(ui, found.all.get(self.selected));
            });
        });
        self.scrolls = false;
        self.area = Some(shown.response.rect);
        clicked
    }
}

pub fn set_surrender(ui: &Ui, on: SurrenderFocusOn) {
    ui.ctx().options_mut(|options| options.input_options.surrender_focus_on = on);
}

fn rows_ui(ui: &mut Ui, id: Id, found: &Completions, selected: usize, scrolls: bool) -> Option<usize> {
    let mut clicked = None;
    let mut area = ScrollArea::vertical().id_salt(id).max_height(ROWS as f32 * ROW).auto_shrink([false, true]);
    if scrolls {
        area = area.vertical_scroll_offset((selected as f32 + 0.5 - ROWS as f32 / 2.0).max(0.0) * ROW);
    }
    area.show_rows(ui, ROW, found.all.len(), |ui, range| {
        for index in range {
            let Some(row) = found.all.get(index) else { continue };
            let label = format!("{}, {}", row.name, row.sort.text());
            let response = widgets::selectable_row_ui(ui, &label, ROW, index == selected, |ui, rect| {
                let theme = theme_of(ui.ctx());
                let inner = rect.shrink2(vec2(6.0, 0.0));
                let kind =
                    ui.painter().layout_no_wrap(row.sort.text().to_owned(), style::plain(TEXT_SMALL), theme.text_weak);
                let right = inner.right() - kind.size().x;
                ui.painter().galley(pos2(right, inner.center().y - kind.size().y / 2.0), kind, theme.text_weak);
                let name = Rect::from_min_max(inner.min, pos2(right - 8.0, inner.bottom()));
                widgets::text_in(ui, name, &row.name, font(), theme.text);
            });
            if response.clicked() {
                clicked = Some(index);
            }
        }
    });
    clicked
}

fn help_ui(ui: &mut Ui, row: Option<&Completion>) {
    let theme = theme_of(ui.ctx());
    let Some(row) = row else { return };
    ui.add_space(3.0);
    let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), egui::Sense::hover());
    ui.painter().hline(line.x_range(), line.center().y, egui::Stroke::new(1.0, theme.line));
    ui.add_space(3.0);
    let signature = RichText::new(&row.signature).font(font()).color(theme.text);
    ui.add(egui::Label::new(signature).truncate());
    let help = ui.add(
        egui::Label::new(RichText::new(widgets::sentence(&row.help)).size(TEXT_SMALL).color(theme.text_weak))
            .truncate(),
    );
    help.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, widgets::sentence(&row.help)));
}
