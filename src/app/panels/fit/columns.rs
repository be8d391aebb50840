//! The columns of the data file: which one has the times, and which signal each of the others belongs to.

use eframe::egui::{self, Ui};

use super::state::{ColumnRow, FitChoices, FitState};
use crate::app::panels::signal_choice::{self, Picked, SignalChoice};
use crate::app::ui::field::Field;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::{style, widgets};
use crate::model::SignalKey;

/// The width of the names of columns and of weights, in points.
const NAME: f32 = 96.0;
const WEIGHT: f32 = 62.0;

pub fn show_ui(ui: &mut Ui, state: &mut FitState) {
    let Some(file) = &state.file else { return };
    let names: Vec<String> = file.table.columns.iter().map(|column| column.name.clone()).collect();
    let interval = file.table.interval;
    widgets::section_ui(ui, "Measured curves");
    let mut time = state.time.clone();
    let signal = (ui.available_width() - NAME - WEIGHT - 4.0 * SPACE).max(80.0);
    ui.horizontal(|ui| {
        name_ui(ui, "Time, s");
        let shown = time.clone().unwrap_or_else(|| match interval {
            Some(interval) => format!("a row every {}", crate::app::ui::numbers::seconds(interval)),
            None => "none".to_owned(),
        });
        let response = widgets::choice_ui(ui, "Column of times", &shown, signal, |ui| {
            for name in &names {
                ui.selectable_value(&mut time, Some(name.clone()), name);
            }
        });
        response.on_hover_text("The column of times, in seconds from the start of the run");
    });
    state.choose_time(time);
    if !state.columns.is_empty() {
        let low = ui.spacing().interact_size.y;
        ui.spacing_mut().interact_size.y = TEXT;
        ui.horizontal(|ui| {
            for (text, width) in [("Column", NAME), ("Signal", signal), ("Weight", WEIGHT)] {
                let (rect, _) = ui.allocate_exact_size(egui::vec2(width, TEXT), egui::Sense::hover());
                let color = widgets::theme_of(ui.ctx()).text_weak;
                widgets::text_in(ui, rect, text, style::plain(TEXT_SMALL), color);
            }
        });
        ui.spacing_mut().interact_size.y = low;
    }
    let FitState { columns, signal_search, choices, .. } = state;
    for row in columns.iter_mut().filter(|row| row.signal.is_some()) {
        column_ui(ui, row, signal, signal_search, choices);
    }
    let unused = columns.iter().filter(|row| row.signal.is_none()).count();
    // Open while no column has a signal yet.
    let is_open = unused == columns.len();
    let title = if unused == 1 { "1 other column".to_owned() } else { format!("{unused} other columns") };
    if unused > 0 {
        let header = widgets::collapsing(title).id_salt(("unused columns", is_open)).default_open(is_open);
        header.show_unindented(ui, |ui| {
            for row in columns.iter_mut().filter(|row| row.signal.is_none()) {
                column_ui(ui, row, signal, signal_search, choices);
            }
        });
    }
}

/// Draws a column with its signal, and its weight if it has one.
fn column_ui(ui: &mut Ui, row: &mut ColumnRow, signal: f32, search: &mut String, choices: &FitChoices) {
    ui.horizontal(|ui| {
        name_ui(ui, &row.name);
        signal_ui(ui, (&row.name, signal), &mut row.signal, search, choices);
        if row.signal.is_some() {
            let label = format!("Weight of {}", row.name);
            let field = Field::new(&label, "").hint("1").width(WEIGHT);
            let about = "The differences of this column are multiplied by it: a number or another column, best 1 over the \
                         standard deviation of the measurement";
            field.live_ui(ui, &mut row.weight, &|_| None).on_hover_text(about);
        }
    });
}

/// Draws the name of a column in the room that all have.
fn name_ui(ui: &mut Ui, name: &str) {
    let size = egui::vec2(NAME, ui.spacing().interact_size.y);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let theme = widgets::theme_of(ui.ctx());
    widgets::text_in(ui, rect, name, style::plain(TEXT), theme.text);
    response.on_hover_text(name);
}

/// Draws the choice of a signal.
fn signal_ui(
    ui: &mut Ui,
    (column, width): (&str, f32),
    chosen: &mut Option<(SignalKey, usize)>,
    search: &mut String,
    choices: &FitChoices,
) {
    let is_chosen = |signal: &super::FitSignal| {
        chosen.as_ref().is_some_and(|(key, element)| *key == signal.key && *element == signal.element)
    };
    let known = choices.signals.iter().position(is_chosen);
    let name_of = |number: usize| choices.signals.get(number).map_or("", |signal| &*signal.name);
    let shown = match (&chosen, known) {
        (None, _) => "not used",
        (Some(_), Some(number)) => name_of(number),
        (Some(_), None) => "missing",
    };
    let choice = SignalChoice {
        label: &format!("Signal of {column}"),
        shown,
        is_weak: chosen.is_none(),
        about: &format!("The signal that was measured in column “{column}”: {shown}"),
        none: Some("not used"),
        width,
        count: choices.signals.len(),
        name_of: &name_of,
        chosen: known,
    };
    match signal_choice::show_ui(ui, &choice, search) {
        Picked::Nothing => {}
        Picked::None => *chosen = None,
        Picked::Signal(number) => {
            *chosen = choices.signals.get(number).map(|signal| (signal.key.clone(), signal.element));
        }
    }
}
