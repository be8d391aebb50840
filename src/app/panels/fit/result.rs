//! The result of a fit: values, confidence intervals, and warnings where the data do not determine parameters.

use eframe::egui::{Align, Color32, Label, Layout, Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};

use super::state::FitState;
use crate::app::store::lab::RunningFit;
use crate::app::ui::numbers;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::calibration::{FitOutcome, FittedParam};
use crate::optimize::Loss;

/// The correlation from which two parameters are hard to tell apart, as on the command line.
const CLOSE: f64 = 0.99;

/// The name of the minimized sum, within a sentence.
pub fn sum_name(fit: &RunningFit) -> &'static str {
    match fit.input.options.minimize.loss {
        Loss::Square => "sum of squares",
        _ => "sum of losses",
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut FitState, fit: &RunningFit) {
    let theme = theme_of(ui.ctx());
    let Some(Ok(outcome)) = &fit.outcome else { return state.shows_result = false };
    if !std::mem::replace(&mut state.shows_result, true) {
        // The settings may have been scrolled.
        ui.scroll_to_cursor(Some(Align::Min));
    }
    widgets::section_ui(ui, "Result");
    ui.scope(|ui| table_ui(ui, state, outcome));
    let sums = [outcome.before, outcome.after].map(|sum| numbers::digits(sum, 5));
    ui.label(widgets::weak(ui, widgets::sentence(&format!("{} {} → {}", sum_name(fit), sums[0], sums[1]))));
    for curve in outcome.curves.iter().filter(|curve| !curve.is_dependent) {
        ui.colored_label(theme.warning, format!("No fitted parameter changes “{}”", curve.name));
    }
    for text in warnings(state, outcome) {
        ui.colored_label(theme.warning, text);
    }
    if !fit.is_of_document() && !fit.is_outdated && state.change.is_some() {
        ui.label(widgets::weak(ui, "The simulation has been changed since this fit"));
    }
}

/// The parts of the width that the columns of the table have, and the height of its rows in points.
const COLUMNS: [f32; 4] = [0.26, 0.16, 0.21, 0.37];
const ROW: f32 = 19.0;

fn table_ui(ui: &mut Ui, state: &FitState, outcome: &FitOutcome) {
    let theme = theme_of(ui.ctx());
    let percent = format!("{} % interval", numbers::digits(100.0 * outcome.level, 4));
    ui.spacing_mut().item_spacing.y = 0.0;
    let heads = ["Parameter", "Before", "Value", &percent].map(|text| Cell::new(text, theme.text_weak, ""));
    row_ui(ui, heads);
    for param in &outcome.params {
        let name = name_of(state, &param.path);
        let exact = format!("{name} = {:.9e}", param.value);
        let (interval, is_known) = interval_text(param);
        let color = if is_known { theme.text } else { theme.warning };
        let about = match param.error {
            Some(error) => format!("Standard error {}", numbers::digits(error, 4)),
            None => "The data do not determine it".to_owned(),
        };
        row_ui(
            ui,
            [
                Cell::new(&name, theme.text, &name),
                Cell::new(&numbers::digits(param.before, 5), theme.text_weak, ""),
                Cell::new(&numbers::digits(param.value, 6), theme.text, &exact),
                Cell::new(&interval, color, &about),
            ],
        );
        if let Some(profile) = &param.profile {
            let end = |end: Option<f64>| end.map_or_else(|| "open".to_owned(), |end| numbers::digits(end, 4));
            let text = format!("{} to {}", end(profile.low), end(profile.high));
            let note = Cell::new("by profile", theme.text_weak, "The interval by profile likelihood");
            let none = || Cell::new("", theme.text, "");
            row_ui(ui, [note, none(), none(), Cell::new(&text, theme.text, "By profile likelihood")]);
        }
    }
    ui.add_space(SPACE);
}

/// A text of the table, its colour and its tooltip.
struct Cell {
    text: String,
    color: Color32,
    about: String,
}

impl Cell {
    fn new(text: &str, color: Color32, about: &str) -> Cell {
        Cell { text: text.to_owned(), color, about: about.to_owned() }
    }
}

/// Draws a row of the table: the name at the left, the numbers at the right of their columns.
fn row_ui(ui: &mut Ui, cells: [Cell; 4]) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let mut left = rect.left();
    for (number, (cell, part)) in cells.into_iter().zip(COLUMNS).enumerate() {
        let room = Rect::from_min_size(pos2(left, rect.top()), vec2(part * rect.width(), ROW));
        left = room.right();
        if cell.text.is_empty() {
            continue;
        }
        let (layout, room) = match number {
            0 => (Layout::left_to_right(Align::Center), room),
            _ => (Layout::right_to_left(Align::Center), room.with_min_x(room.left() + SPACE)),
        };
        ui.scope_builder(UiBuilder::new().max_rect(room).layout(layout), |ui| {
            let text = RichText::new(cell.text).size(TEXT_SMALL + 0.5).color(cell.color);
            let label = ui.add(Label::new(text).truncate());
            if !cell.about.is_empty() {
                label.on_hover_text(cell.about);
            }
        });
    }
}

/// Returns the confidence interval as a text, and whether it is one.
fn interval_text(param: &FittedParam) -> (String, bool) {
    match param.interval {
        _ if param.is_at_bound => ("at its bound".to_owned(), false),
        Some((low, high)) => (format!("{} to {}", numbers::digits(low, 4), numbers::digits(high, 4)), true),
        None => ("not determined".to_owned(), false),
    }
}

/// Returns the displayed name of a parameter.
fn name_of(state: &FitState, path: &str) -> String {
    let known = state.choices.params.iter().find(|param| param.path == path);
    known.map_or_else(|| path.to_owned(), |param| param.name.clone())
}

/// Returns warnings about parameters that the data do not determine.
fn warnings(state: &FitState, outcome: &FitOutcome) -> Vec<String> {
    let name = |index: usize| outcome.params.get(index).map_or_else(String::new, |param| name_of(state, &param.path));
    let names = |set: &[usize]| set.iter().map(|index| name(*index)).collect::<Vec<_>>().join(", ");
    let mut texts = Vec::new();
    for set in &outcome.inseparable {
        texts.push(format!("The data determine only together: {}. Leave one of them out", names(set)));
    }
    if !outcome.without_effect.is_empty() {
        texts.push(format!("Without effect on the measured curves: {}", names(&outcome.without_effect)));
    }
    if !outcome.in_jumps.is_empty() {
        let names = names(&outcome.in_jumps);
        texts.push(format!(
            "Changes in jumps alone, which a fit does not follow: {names}. Try a solver with variable step"
        ));
    }
    for (a, row) in outcome.correlations.iter().enumerate() {
        for (b, correlation) in row.iter().enumerate().skip(a + 1) {
            if let Some(value) = correlation.filter(|value| value.abs() > CLOSE) {
                let value = numbers::digits(value, 4);
                texts.push(format!("Hard to tell apart: {} and {}, correlation {value}", name(a), name(b)));
            }
        }
    }
    let bounded: Vec<usize> = (0..outcome.params.len()).filter(|index| is_at_bound(outcome, *index)).collect();
    if !bounded.is_empty() {
        texts.push(format!("At a bound, beyond which the sum would be smaller: {}", names(&bounded)));
    }
    texts
}

fn is_at_bound(outcome: &FitOutcome, index: usize) -> bool {
    outcome.params.get(index).is_some_and(|param| param.is_at_bound)
}
