//! The result of a fit: values, confidence intervals, and what the data do not say about the parameters.

use eframe::egui::{self, Align, Layout, RichText, Ui, vec2};

use super::state::FitState;
use crate::app::store::lab::RunningFit;
use crate::app::ui::numbers;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::calibration::{FitOutcome, FittedParam};
use crate::optimize::Loss;

/// The correlation from which two parameters are hard to tell apart, as on the command line.
const CLOSE: f64 = 0.99;

/// The name of what is minimized, within a sentence.
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
    table_ui(ui, state, outcome);
    let sums = [outcome.before, outcome.after].map(|sum| numbers::digits(sum, 5));
    ui.label(widgets::weak(ui, widgets::sentence(&format!("{} {} → {}", sum_name(fit), sums[0], sums[1]))));
    for curve in outcome.curves.iter().filter(|curve| !curve.is_dependent) {
        ui.colored_label(theme.warning, format!("No ticked parameter changes “{}”", curve.name));
    }
    for text in warnings(state, outcome) {
        ui.colored_label(theme.warning, text);
    }
    if !fit.is_of_document() && !fit.is_outdated && state.change.is_some() {
        ui.label(widgets::weak(ui, "The simulation has been changed since this fit"));
    }
}

fn table_ui(ui: &mut Ui, state: &FitState, outcome: &FitOutcome) {
    let theme = theme_of(ui.ctx());
    let width = ui.available_width();
    let percent = format!("{} % interval", numbers::digits(100.0 * outcome.level, 4));
    egui::Grid::new("fitted values").num_columns(4).spacing(vec2(10.0, 3.0)).show(ui, |ui| {
        let right = |ui: &mut Ui, text: RichText| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text)).inner
        };
        ui.label(widgets::weak(ui, "Parameter"));
        for head in ["Before", "Value", &percent] {
            right(ui, widgets::weak(ui, head));
        }
        ui.end_row();
        for param in &outcome.params {
            let name = name_of(state, &param.path);
            let room = (0.34 * width).max(60.0);
            ui.allocate_ui(vec2(room, ui.spacing().interact_size.y), |ui| {
                ui.set_max_width(room);
                ui.add(egui::Label::new(RichText::new(&name).size(TEXT_SMALL + 0.5)).truncate()).on_hover_text(&name);
            });
            right(ui, RichText::new(numbers::digits(param.before, 5)).size(TEXT_SMALL + 0.5).color(theme.text_weak));
            let value = RichText::new(numbers::digits(param.value, 7)).size(TEXT_SMALL + 0.5).strong();
            let exact = format!("{} = {:.9e}", name, param.value);
            right(ui, value).on_hover_text(exact);
            let (interval, is_known) = interval_text(param);
            let color = if is_known { theme.text } else { theme.warning };
            let about = match param.error {
                Some(error) => format!("Standard error {}", numbers::digits(error, 4)),
                None => "The data do not determine it".to_owned(),
            };
            right(ui, RichText::new(interval).size(TEXT_SMALL + 0.5).color(color)).on_hover_text(about);
            ui.end_row();
            if let Some(profile) = &param.profile {
                let end = |end: Option<f64>| end.map_or_else(|| "open".to_owned(), |end| numbers::digits(end, 5));
                ui.label(widgets::weak(ui, "by profile likelihood"));
                ui.label("");
                ui.label("");
                let text = format!("{} to {}", end(profile.low), end(profile.high));
                right(ui, RichText::new(text).size(TEXT_SMALL + 0.5));
                ui.end_row();
            }
        }
    });
    ui.add_space(SPACE);
}

/// Returns the confidence interval as a text, and whether it is one.
fn interval_text(param: &FittedParam) -> (String, bool) {
    match param.interval {
        _ if param.is_at_bound => ("at its bound".to_owned(), false),
        Some((low, high)) => (format!("{} to {}", numbers::digits(low, 5), numbers::digits(high, 5)), true),
        None => ("not determined".to_owned(), false),
    }
}

/// Returns the displayed name of a parameter.
fn name_of(state: &FitState, path: &str) -> String {
    let known = state.choices.params.iter().find(|param| param.path == path);
    known.map_or_else(|| path.to_owned(), |param| param.name.clone())
}

/// Returns what the data do not say about the parameters.
fn warnings(state: &FitState, outcome: &FitOutcome) -> Vec<String> {
    let name = |index: usize| outcome.params.get(index).map_or_else(String::new, |param| name_of(state, &param.path));
    let names = |set: &[usize]| set.iter().map(|index| name(*index)).collect::<Vec<_>>().join(", ");
    let mut texts = Vec::new();
    for set in &outcome.inseparable {
        texts.push(format!("The data determine only together: {}. Untick one of them", names(set)));
    }
    if !outcome.without_effect.is_empty() {
        texts.push(format!("Without effect on the measured curves: {}", names(&outcome.without_effect)));
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
