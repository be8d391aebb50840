//! The report of an import: a list that leads to each block, and the values that are missing.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | the rows for a filter and a search |
//! | `line` | how a row is drawn |
//! | `missing` | the names without a value, with a field for each |

mod line;
mod missing;
mod rows;

use eframe::egui::{Key, Rect, ScrollArea, Ui, pos2, vec2};

use self::missing::MissingState;
use self::rows::Rows;
use crate::app::action::command::{Command, FileCommand};
use crate::app::action::{Action, ViewAction};
use crate::app::doc::import_lines::{ImportLines, without_value};
use crate::app::store::manual::Chapter;
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::SPACE;
use crate::app::ui::widgets;
use crate::block::Registry;
use crate::model::Simulation;
use crate::model::imported::Class;

#[derive(Default)]
pub struct ImportState {
    pub shows: Shows,
    query: String,
    rows: Rows,
    selected: Option<usize>,
    missing: MissingState,
}

/// The choices of the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shows {
    /// Everything but the exact blocks.
    #[default]
    ToCheck,
    All,
    Only(Class),
    Notes,
    /// The names without a value, with their fields.
    Missing,
}

/// The content of the panel.
pub struct ImportView<'a> {
    pub simulation: &'a Simulation,
    pub registry: &'a Registry,
    pub revision: u64,
    /// None if the document was not imported.
    pub lines: Option<&'a ImportLines>,
    /// The number of errors that a finished check has found; none while it runs.
    pub errors: Option<usize>,
}

pub fn show_ui(ui: &mut Ui, state: &mut ImportState, view: &ImportView) -> Vec<Action> {
    let mut actions = Vec::new();
    let Some(lines) = view.lines else {
        nothing_ui(ui, &mut actions);
        return actions;
    };
    widgets::panel_frame().show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            for (shows, label, tooltip) in filters(lines, view) {
                ui.selectable_value(&mut state.shows, shows, label).on_hover_text(tooltip);
            }
            let rest = ui.available_size_before_wrap().x;
            let width = if rest < 120.0 { 320.0 } else { rest.min(320.0) };
            ui.allocate_ui(vec2(width, 26.0), |ui| {
                let search = |ui: &mut Ui| widgets::search_ui(ui, &mut state.query, "Search the import");
                let field = ui.push_id("import search", search).inner;
                ui.ctx().accesskit_node_builder(field.id, |node| node.set_label("Search the import"));
            });
        });
        ui.add_space(SPACE);
        match state.shows {
            Shows::Missing => missing::show_ui(ui, &mut state.missing, view, &state.query, &mut actions),
            _ => list_ui(ui, state, lines, view, &mut actions),
        }
    });
    actions
}

/// The choices of the filter with their counts; those without rows are left out.
fn filters(lines: &ImportLines, view: &ImportView) -> Vec<(Shows, String, &'static str)> {
    let report = lines.report();
    let [exact, approximated, placeholders] =
        [Class::Exact, Class::Approximated, Class::Placeholder].map(|class| report.count(class));
    let (missing, notes) = (without_value(view.simulation).count(), report.notes.len());
    let had_missing = crate::model::imported::missing(view.simulation).next().is_some();
    let to_check = approximated + placeholders + missing + notes;
    let filter = |shows, name: &str, count: usize, tooltip| (shows, format!("{name} {count}"), tooltip);
    let all = [
        filter(Shows::ToCheck, "To check", to_check, "Everything but the exact blocks"),
        filter(Shows::Only(Class::Placeholder), "Placeholders", placeholders, "Blocks without a counterpart"),
        filter(Shows::Only(Class::Approximated), "Approximated", approximated, "Blocks whose results may differ"),
        filter(Shows::Missing, "Missing values", missing, "Names that expressions use and nothing sets"),
        filter(Shows::Notes, "Notes", notes, "Notes about the whole model"),
        filter(Shows::Only(Class::Exact), "Exact", exact, "Blocks with the same results"),
        filter(Shows::All, "All", to_check + exact, "The whole report"),
    ];
    let is_needed = |shows: &Shows| match shows {
        Shows::ToCheck | Shows::All | Shows::Only(Class::Exact) => true,
        Shows::Missing => had_missing,
        Shows::Notes => notes > 0,
        Shows::Only(Class::Placeholder) => placeholders > 0,
        Shows::Only(Class::Approximated) => approximated > 0,
    };
    all.into_iter().filter(|(shows, ..)| is_needed(shows)).collect()
}

fn list_ui(ui: &mut Ui, state: &mut ImportState, lines: &ImportLines, view: &ImportView, actions: &mut Vec<Action>) {
    let rows = state.rows.of(state.shows, &state.query, lines, view);
    if rows.is_empty() {
        let (title, what) = match (state.query.trim().is_empty(), state.shows) {
            (false, _) => ("Nothing found", "All words must match: of a name, a type, a system or a note".to_owned()),
            (true, Shows::Only(Class::Exact) | Shows::All) => {
                ("Exact blocks are not listed", "A saved model keeps their number only".to_owned())
            }
            (true, _) => ("Nothing to check", lines.report().summary()),
        };
        return widgets::empty_ui(ui, Icon::Check, title, &what);
    }
    let mut selected = state.selected;
    let mut shows = state.shows;
    ScrollArea::vertical().auto_shrink(false).show_viewport(ui, |ui, viewport| {
        let (width, origin) = (ui.available_width(), ui.max_rect().min);
        ui.allocate_space(vec2(width, rows.height()));
        for (top, height, row) in rows.between(viewport.top(), viewport.bottom()) {
            let rect = Rect::from_min_size(pos2(origin.x, origin.y + top), vec2(width, height));
            let mut ui = ui.new_child(eframe::egui::UiBuilder::new().max_rect(rect).id_salt(("row", top.to_bits())));
            line::show_ui(&mut ui, row, lines, view, (&mut selected, &mut shows), actions);
        }
    });
    (state.selected, state.shows) = (selected, shows);
}

/// Draws the panel of a document that was not imported.
fn nothing_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let what = "Open a model of Simulink (.slx, .mdl) or Xcos (.zcos, .xcos), or drop it on the window: what became of each \
                block is listed here";
    widgets::empty_ui(ui, Icon::Import, "This model was not imported", what);
    ui.add_space(SPACE);
    ui.vertical_centered(|ui| {
        if ui.button("Open…").clicked() {
            actions.push(Action::Command(Command::File(FileCommand::Open)));
        }
        if let Some(chapter) = Chapter::named("coming-from.md")
            && ui.link("Coming from Simulink or Xcos").clicked()
        {
            actions.push(Action::View(ViewAction::ShowChapter(chapter)));
        }
    });
}

/// Whether a row was clicked, or Enter pressed on it.
fn is_chosen(ui: &Ui, row: &eframe::egui::Response) -> bool {
    row.clicked() || (row.has_focus() && ui.input(|input| input.key_pressed(Key::Enter)))
}
