//! The examples on the welcome page: a search, the fields, and a card for each example with its diagram and its curves.
//! Next: `result`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui::{self, Button, CornerRadius, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::result::{self, Playing};

use crate::app::action::{Action, FileAction};
use crate::app::canvas::{self, scene::Scene};
use crate::app::store::example_results::ExampleResults;
use crate::app::store::examples::{EXAMPLES, Summary, fields, summaries};
use crate::app::store::files;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, Selected, theme_of};
use crate::block::Registry;
use crate::engine::Engine;
use crate::model::Simulation;

/// Width of a card below which there is one fewer in a row.
const CARD_WIDTH: f32 = 344.0;
const CARD_HEIGHT: f32 = 220.0;
/// Height of the pictures at the top of a card.
const PICTURE_HEIGHT: f32 = 124.0;
/// The part of a card's width that the diagram has; the curves have the rest.
const DIAGRAM_PART: f32 = 0.58;
const RADIUS: u8 = 10;
const GAP: f32 = 4.0 * SPACE;
/// The time in a frame after which no further example is read and routed.
const FRAME_BUDGET: Duration = Duration::from_millis(8);

/// What examples are drawn and run with.
pub struct ExampleView<'a> {
    pub registry: &'a Arc<Registry>,
    pub engine: Option<&'a Arc<dyn Engine>>,
}

/// The search, and the pictures and results that are known already.
#[derive(Default)]
pub struct ExampleList {
    search: String,
    /// The field that is shown; None: all.
    field: Option<&'static str>,
    /// In the order of the examples.
    pictures: Vec<Picture>,
    pub results: ExampleResults,
    /// The time after which this frame makes no further pictures.
    making_until: Option<Instant>,
    /// The example whose card is hovered, since a time of the window in seconds: its curves are drawn step by step.
    played: Option<(usize, f64)>,
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
    pub fn show_ui(&mut self, ui: &mut Ui, view: &ExampleView) -> Vec<Action> {
        let mut actions = Vec::new();
        if EXAMPLES.is_empty() {
            return actions;
        }
        self.results.poll();
        self.making_until = Some(Instant::now() + FRAME_BUDGET);
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
                    if self.card_ui(ui, *number, width, view.registry) {
                        actions.push(Action::File(FileAction::OpenExample(*number)));
                    }
                }
            });
        }
        self.results.start_next(ui.ctx(), view.registry, view.engine);
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
        let pictures = Rect::from_min_size(rect.min, vec2(rect.width(), PICTURE_HEIGHT));
        let upper = CornerRadius { sw: 0, se: 0, ..radius };
        ui.painter().rect_filled(pictures, upper, theme.canvas);
        let (left, right) = pictures.split_left_right_at_fraction(DIAGRAM_PART);
        self.picture_ui(ui, number, left.shrink2(vec2(14.0, 12.0)), registry);
        let border = Stroke::new(1.0, theme.line);
        ui.painter().vline(right.left(), right.y_range().shrink(14.0), border);
        let playing = self.playing(ui, number, is_hot);
        if let Some(found) = self.results.get(number) {
            result::show_ui(ui, right.shrink2(vec2(16.0, 16.0)), &found, playing, theme);
        }
        ui.painter().hline(pictures.x_range(), pictures.bottom(), border);
        ui.painter().rect_stroke(rect, radius, Stroke::new(if is_hot { 1.5 } else { 1.0 }, line), StrokeKind::Inside);
        let is_whole = text_ui(ui, Rect::from_min_max(pictures.left_bottom(), rect.max), summary, theme);
        // A tooltip would hide the curves of the card below for nothing.
        let response = if is_whole { response } else { response.on_hover_text(&summary.about) };
        response.clicked()
    }

    /// Returns how far the curves of a card are drawn: from the moment at which it is hovered, or focused, on.
    fn playing(&mut self, ui: &Ui, number: usize, is_hot: bool) -> Playing {
        let is_played = self.played.is_some_and(|(played, _)| played == number);
        if !is_hot {
            if is_played {
                self.played = None;
            }
            return Playing::No;
        }
        let now = ui.input(|input| input.time);
        // Curves that are not known yet are drawn from their start, too.
        if !is_played || !self.results.is_known(number) {
            self.played = Some((number, now));
        }
        let since = self.played.map_or(now, |(_, since)| since);
        Playing::after(now - since)
    }

    fn picture_ui(&mut self, ui: &Ui, number: usize, rect: Rect, registry: &Registry) {
        self.pictures.resize_with(EXAMPLES.len(), Picture::default);
        let Some((picture, example)) = self.pictures.get_mut(number).zip(EXAMPLES.get(number)) else { return };
        if matches!(picture, Picture::Unmade) {
            if self.making_until.is_some_and(|until| Instant::now() > until) {
                ui.ctx().request_repaint();
                return;
            }
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

/// Draws title, description and field of a card. Returns whether all of the description has room.
fn text_ui(ui: &Ui, rect: Rect, summary: &Summary, theme: &Theme) -> bool {
    let rect = rect.shrink2(vec2(14.0, 10.0));
    let line = |top: f32, height: f32| Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), height));
    let tint = style::mix(theme.text_weak, theme.accent, 0.6);
    let field = ui.painter().layout_no_wrap(summary.field.clone(), style::plain(TEXT_SMALL - 0.5), tint);
    let (title, field_width) = (line(rect.top(), 18.0), field.size().x);
    ui.painter().galley(pos2(title.right() - field_width, title.center().y - field.size().y / 2.0), field, tint);
    let title = title.with_max_x(title.right() - field_width - 3.0 * SPACE);
    widgets::text_in(ui, title, &summary.title, style::strong(TEXT), theme.text);
    let font = style::plain(TEXT_SMALL);
    let mut about = egui::text::LayoutJob::simple(summary.about.clone(), font, theme.text_weak, rect.width());
    about.wrap.max_rows = 3;
    let about = ui.painter().layout_job(about);
    let is_whole = !about.elided;
    ui.painter().galley(pos2(rect.left(), rect.top() + 22.0), about, theme.text_weak);
    is_whole
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
