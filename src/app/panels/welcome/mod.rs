//! The welcome page: new simulation, recent files, examples.
//!
//! | module | contents |
//! |---|---|
//! | `examples` | the list of examples: a search, the fields, a card for each example |
//! | `result` | the curves on a card |

mod examples;
mod result;

use std::path::Path;

use eframe::egui::{Rect, RichText, ScrollArea, Sense, Ui, vec2};

use self::examples::ExampleList;
pub use self::examples::ExampleView;

use crate::app::action::command::{Command, FileCommand, HelpCommand, Tour};
use crate::app::action::{Action, FileAction, ViewAction};
use crate::app::store::example_results::ExampleResults;
use crate::app::store::files::file_name;
use crate::app::store::manual::CHAPTERS;
use crate::app::store::settings::Settings;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};

/// The margin at both sides; the examples have the rest.
const MARGIN: f32 = 32.0;
/// The maximum width of the rows of recent files.
const RECENT_WIDTH: f32 = 720.0;

/// The state of the page between frames.
#[derive(Default)]
pub struct WelcomePage {
    examples: ExampleList,
}

impl WelcomePage {
    /// Returns how many examples have a picture already: those that have been in view.
    pub fn picture_count(&self) -> usize {
        self.examples.picture_count()
    }

    /// Returns the results of the examples.
    pub fn results(&mut self) -> &mut ExampleResults {
        &mut self.examples.results
    }
}

/// Shows the page.
pub fn show_ui(ui: &mut Ui, page: &mut WelcomePage, settings: &Settings, view: &ExampleView) -> Vec<Action> {
    let mut actions = Vec::new();
    let theme = theme_of(ui.ctx());
    ui.painter().rect_filled(ui.max_rect(), 0.0, theme.panel);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.horizontal_top(|ui| {
            ui.add_space(MARGIN);
            ui.vertical(|ui| {
                ui.set_width(ui.available_width() - MARGIN);
                ui.add_space(40.0);
                hero_ui(ui, &mut actions);
                ui.add_space(32.0);
                recent_ui(ui, settings, &mut actions);
                actions.extend(page.examples.show_ui(ui, view));
                ui.add_space(40.0);
            });
        });
    });
    actions
}

fn hero_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(60.0, 60.0), Sense::hover());
        widgets::mark(ui, rect, theme);
        ui.add_space(2.0 * SPACE);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(RichText::new("Simulate").text_style(style::hero()));
            let line = "Draw dynamic systems as block diagrams, run them, watch the curves";
            ui.label(RichText::new(line).color(theme.text_weak).size(TEXT + 0.5));
        });
    });
    ui.add_space(6.0 * SPACE);
    ui.horizontal(|ui| {
        if widgets::main_button_ui(ui, "New simulation").clicked() {
            actions.push(Action::Command(Command::File(FileCommand::New)));
        }
        if widgets::second_button_ui(ui, "Open file…").clicked() {
            actions.push(Action::Command(Command::File(FileCommand::Open)));
        }
        let tour = widgets::second_button_ui(ui, Tour::FirstModel.title());
        if tour.on_hover_text("Two minutes from an empty diagram to a curve").clicked() {
            actions.push(Action::Command(Command::Help(HelpCommand::Tour(Tour::FirstModel))));
        }
        ui.add_space(SPACE);
        ui.label(widgets::weak(ui, "or drop a file onto the window"));
    });
    ui.add_space(2.0 * SPACE);
    ui.horizontal(|ui| {
        ui.label(widgets::weak(ui, "New here?"));
        if let Some(chapter) = CHAPTERS.first()
            && ui.link(chapter.title()).on_hover_text(chapter.about).clicked()
        {
            actions.push(Action::View(ViewAction::ShowChapter(chapter)));
        }
    });
}

fn recent_ui(ui: &mut Ui, settings: &Settings, actions: &mut Vec<Action>) {
    if settings.recent.is_empty() {
        return;
    }
    heading_ui(ui, "Recent");
    ui.scope(|ui| {
        ui.set_max_width(RECENT_WIDTH);
        for path in settings.recent.iter().take(6) {
            recent_row_ui(ui, path, actions);
        }
    });
    ui.add_space(6.0 * SPACE);
}

fn recent_row_ui(ui: &mut Ui, path: &Path, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let name = file_name(path);
    let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let row = widgets::row_ui(ui, &format!("Open {name}"), 30.0, |ui, rect| {
        let icon = Rect::from_center_size(rect.left_center() + vec2(14.0, 0.0), vec2(14.0, 14.0));
        Icon::New.paint(ui.painter(), icon, theme.text_weak);
        let mut room = Rect::from_min_max(rect.left_top() + vec2(32.0, 0.0), rect.right_bottom() - vec2(8.0, 0.0));
        room.min.x += widgets::text_in(ui, room, &name, style::plain(TEXT), theme.text) + 12.0;
        widgets::text_in(ui, room, &folder, style::plain(TEXT_SMALL), theme.text_weak);
    });
    if row.clicked() {
        actions.push(Action::File(FileAction::OpenPath(path.to_owned())));
    }
    row.context_menu(|ui| {
        if ui.button("Remove from this list").clicked() {
            actions.push(Action::File(FileAction::Forget(path.to_owned())));
        }
    });
}

fn heading_ui(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).text_style(style::title()));
    ui.add_space(SPACE);
}
