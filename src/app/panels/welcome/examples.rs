//! The examples on the welcome page: a search, the fields, and a card with a picture for each example.

use std::sync::Arc;

use eframe::egui::{self, Button, Color32, CornerRadius, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use crate::app::action::{Action, FileAction};
use crate::app::canvas::{self, scene::Scene};
use crate::app::store::examples::{EXAMPLES, Summary, fields, summaries};
use crate::app::store::files;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::block::Registry;
use crate::model::Simulation;

/// Width of a card below which there is one fewer in a row.
const CARD_WIDTH: f32 = 248.0;
const CARD_HEIGHT: f32 = 224.0;
/// Height of the picture at the top of a card.
const PICTURE_HEIGHT: f32 = 118.0;
const RADIUS: u8 = 10;
const GAP: f32 = 4.0 * SPACE;

/// The search, and the pictures that have been drawn already.
#[derive(Default)]
pub struct ExampleList {
    search: String,
    /// The field that is shown; None: all.
    field: Option<&'static str>,
    /// In the order of the examples.
    pictures: Vec<Picture>,
}

/// The picture of an example, which is made when its card is seen for the first time.
#[derive(Default)]
enum Picture {
    #[default]
    Unmade,
    Made(Box<Scene>, Arc<Simulation>),
    /// The example cannot be read.
    None,
}

impl ExampleList {
    pub fn show_ui(&mut self, ui: &mut Ui, registry: &Registry) -> Vec<Action> {
        let mut actions = Vec::new();
        if EXAMPLES.is_empty() {
            return actions;
        }
        ui.horizontal(|ui| {
            super::heading_ui(ui, "Examples");
            let room = ui.available_width() - 280.0;
            ui.add_space(room.max(0.0));
            widgets::search_ui(ui, &mut self.search, "Search examples…");
        });
        ui.add_space(SPACE);
        self.fields_ui(ui);
        ui.add_space(3.0 * SPACE);
        let found: Vec<usize> = (0..EXAMPLES.len()).filter(|number| self.is_shown(*number)).collect();
        if found.is_empty() {
            self.nothing_ui(ui);
        }
        let columns = (((ui.available_width() + GAP) / (CARD_WIDTH + GAP)).floor() as usize).max(1);
        let width = ((ui.available_width() + GAP) / columns as f32 - GAP).floor();
        ui.spacing_mut().item_spacing = vec2(GAP, GAP);
        for row in found.chunks(columns) {
            ui.horizontal(|ui| {
                for number in row {
                    if self.card_ui(ui, *number, width, registry) {
                        actions.push(Action::File(FileAction::OpenExample(*number)));
                    }
                }
            });
        }
        actions
    }

    /// Returns the number of pictures that have been made.
    pub fn picture_count(&self) -> usize {
        self.pictures.iter().filter(|picture| matches!(picture, Picture::Made(..))).count()
    }

    fn is_shown(&self, number: usize) -> bool {
        let is_shown =
            |summary: &Summary| self.field.is_none_or(|field| summary.field == field) && summary.contains(&self.search);
        summaries().get(number).is_some_and(is_shown)
    }

    /// Shows the fields as buttons, of which one is chosen.
    fn fields_ui(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(1.5 * SPACE, 1.5 * SPACE);
            if chip_ui(ui, "All fields", self.field.is_none()) {
                self.field = None;
            }
            for field in fields() {
                let is_chosen = self.field == Some(field);
                if chip_ui(ui, field, is_chosen) {
                    self.field = (!is_chosen).then_some(field);
                }
            }
        });
    }

    fn nothing_ui(&mut self, ui: &mut Ui) {
        ui.add_space(2.0 * SPACE);
        let of_field = self.field.map(|field| format!(" in {field}")).unwrap_or_default();
        ui.label(widgets::weak(ui, format!("No example{of_field} contains “{}”", self.search.trim())));
        if ui.button("Show all examples").clicked() {
            (self.search, self.field) = (String::new(), None);
        }
    }

    /// Shows a card. Returns whether it was clicked.
    fn card_ui(&mut self, ui: &mut Ui, number: usize, width: f32, registry: &Registry) -> bool {
        let theme = theme_of(ui.ctx());
        let Some(summary) = summaries().get(number) else { return false };
        let (rect, response) = ui.allocate_exact_size(vec2(width, CARD_HEIGHT), Sense::click());
        let label = || egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Open example {}", summary.title));
        response.widget_info(label);
        if !ui.is_rect_visible(rect) {
            return response.clicked();
        }
        let is_hot = response.hovered() || response.has_focus();
        let radius = CornerRadius::same(RADIUS);
        let line = if is_hot { theme.accent } else { theme.line };
        ui.painter().rect_filled(rect, radius, theme.raised);
        let picture = Rect::from_min_size(rect.min, vec2(rect.width(), PICTURE_HEIGHT));
        let upper = CornerRadius { sw: 0, se: 0, ..radius };
        ui.painter().rect_filled(picture, upper, theme.canvas);
        self.picture_ui(ui, number, picture.shrink2(vec2(14.0, 10.0)), registry);
        ui.painter().hline(picture.x_range(), picture.bottom(), Stroke::new(1.0, theme.line));
        ui.painter().rect_stroke(rect, radius, Stroke::new(if is_hot { 1.5 } else { 1.0 }, line), StrokeKind::Inside);
        text_ui(ui, Rect::from_min_max(picture.left_bottom(), rect.max), summary, theme);
        response.on_hover_text(&summary.about).clicked()
    }

    fn picture_ui(&mut self, ui: &Ui, number: usize, rect: Rect, registry: &Registry) {
        self.pictures.resize_with(EXAMPLES.len(), Picture::default);
        let Some((picture, example)) = self.pictures.get_mut(number).zip(EXAMPLES.get(number)) else { return };
        if matches!(picture, Picture::Unmade) {
            *picture = match files::read(example.text) {
                Ok(opened) => Picture::Made(Box::default(), Arc::new(opened.simulation)),
                Err(_) => Picture::None,
            };
        }
        if let Picture::Made(scene, simulation) = picture {
            canvas::thumbnail_ui(scene, ui.painter(), rect, simulation, registry, theme_of(ui.ctx()));
        }
    }
}

/// Draws title, description and field of a card.
fn text_ui(ui: &Ui, rect: Rect, summary: &Summary, theme: &Theme) {
    let rect = rect.shrink2(vec2(14.0, 10.0));
    let line = |top: f32, height: f32| Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), height));
    widgets::text_in(ui, line(rect.top(), 18.0), &summary.title, style::strong(TEXT), theme.text);
    let paragraph = |text: &str, color: Color32| {
        let mut job = egui::text::LayoutJob::simple(text.to_owned(), style::plain(TEXT_SMALL), color, rect.width());
        job.wrap.max_rows = 3;
        ui.painter().layout_job(job)
    };
    let about = paragraph(&summary.about, theme.text_weak);
    ui.painter().galley(pos2(rect.left(), rect.top() + 20.0), about, theme.text_weak);
    let tint = style::mix(theme.text_weak, theme.accent, 0.6);
    widgets::text_in(ui, line(rect.bottom() - 14.0, 14.0), &summary.field, style::plain(TEXT_SMALL - 0.5), tint);
}

/// Shows a field as a rounded button. Returns whether it was clicked.
fn chip_ui(ui: &mut Ui, label: &str, selected: impl Into<Selected>) -> bool {
    let is_chosen = selected.into() == Selected::Yes;
    let theme = theme_of(ui.ctx());
    let (fill, line, ink) = match is_chosen {
        true => (style::mix(theme.panel, theme.accent, 0.16), theme.accent, theme.text),
        false => (theme.raised, theme.line, style::mix(theme.text_weak, theme.text, 0.5)),
    };
    let text = RichText::new(label).size(TEXT_SMALL + 0.5).color(ink);
    let chip = Button::new(text).fill(fill).stroke(Stroke::new(1.0, line)).corner_radius(CornerRadius::same(13));
    let response = ui.add(chip);
    let is_enabled = ui.is_enabled();
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, is_enabled, is_chosen, label));
    response.clicked()
}
