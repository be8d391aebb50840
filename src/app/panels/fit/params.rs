//! The parameters that can be fitted: those that are checked have a start, bounds and a scale.

use eframe::egui::{self, Align2, Sense, Ui, vec2};

use super::state::{FitParam, FitState, ParamRow};
use crate::app::ui::field::Field;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::{numbers, style, widgets};

/// The largest number of parameters that are listed at once; the search finds the others.
const LISTED: usize = 100;
/// The number of parameters from which on there is a search field.
const SEARCHED: usize = 9;

pub fn show_ui(ui: &mut Ui, state: &mut FitState) {
    let all = std::mem::take(&mut state.choices.params);
    let checked = all.iter().filter(|param| state.is_fitted(&param.path)).count();
    let title = match checked {
        0 => "Parameters to fit".to_owned(),
        count => format!("Parameters to fit: {count}"),
    };
    widgets::section_ui(ui, &title);
    if all.is_empty() {
        ui.label(widgets::weak(ui, "No block has a number as a parameter, and there is no variable with one"));
    }
    if all.len() >= SEARCHED {
        widgets::search_ui(ui, &mut state.search, "Find a parameter or variable");
        ui.add_space(0.5 * SPACE);
    }
    let wanted = state.search.to_lowercase();
    let is_shown = |state: &FitState, param: &FitParam| {
        state.is_fitted(&param.path) || param.name.to_lowercase().contains(&wanted)
    };
    let shown: Vec<&FitParam> = all.iter().filter(|param| is_shown(state, param)).collect();
    for param in shown.iter().take(LISTED) {
        param_ui(ui, state, param);
    }
    if shown.is_empty() && !all.is_empty() {
        ui.label(widgets::weak(ui, "Nothing has this name"));
    }
    if shown.len() > LISTED {
        ui.label(widgets::weak(ui, format!("{} more; search for them", shown.len() - LISTED)));
    }
    state.choices.params = all;
}

/// Draws a parameter: its check box and its value, and below them how it is fitted.
fn param_ui(ui: &mut Ui, state: &mut FitState, param: &FitParam) {
    let theme = widgets::theme_of(ui.ctx());
    let mut is_fitted = state.is_fitted(&param.path);
    let value = numbers::digits(param.value, 6);
    let width = ui.available_width();
    let row = ui.horizontal(|ui| {
        let color = if param.is_selected { theme.accent } else { theme.text };
        let room = width - 90.0;
        let name = shortened(ui, &param.name, room);
        let text = egui::RichText::new(name).color(color);
        let tick = widgets::check_ui(ui, &mut is_fitted, text);
        crate::app::ui::field::name(&tick, &param.name);
        let tick = tick.on_hover_text(format!("{}\nNow {value}", param.name));
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), ui.spacing().interact_size.y), Sense::hover());
        ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, &value, style::plain(TEXT), theme.text_weak);
        tick
    });
    if row.inner.changed() {
        state.param_mut(&param.path).is_fitted = is_fitted;
    }
    if is_fitted {
        fields_ui(ui, param, &numbers::digits(param.value, 4), state.param_mut(&param.path));
        ui.add_space(SPACE);
    }
}

/// Draws the fields of a parameter that is fitted.
fn fields_ui(ui: &mut Ui, param: &FitParam, value: &str, row: &mut ParamRow) {
    let limit = |limit: f64| match limit {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        // The value has to be above 0.
        f64::MIN_POSITIVE => "0".to_owned(),
        limit => numbers::digits(limit, 4),
    };
    let low = limit(if row.is_log { param.limits.0.max(0.0) } else { param.limits.0 });
    let high = limit(param.limits.1);
    ui.horizontal(|ui| {
        ui.add_space(22.0);
        ui.spacing_mut().item_spacing.x = SPACE;
        let width = ((ui.available_width() - 166.0) / 3.0 - 12.0).clamp(36.0, 80.0);
        let field = |ui: &mut Ui, of: &str, hint: &str, about: &str, text: &mut String| {
            let label = format!("{of} of {}", param.name);
            let field = Field::new(&label, "").hint(hint).width(width).number(Wanted::One);
            field.live_ui(ui, text, &|_| None).on_hover_text(about);
        };
        let start = "Where the fit starts: empty for the value in the simulation";
        ui.label(widgets::weak(ui, "start"));
        field(ui, "Start", value, start, &mut row.start);
        ui.label(widgets::weak(ui, "bounds"));
        let about = "The smallest value that is tried: empty for the limit of the block";
        field(ui, "Lower bound", &low, about, &mut row.low);
        ui.label(widgets::weak(ui, "to"));
        let about = "The largest value that is tried: empty for the limit of the block";
        field(ui, "Upper bound", &high, about, &mut row.high);
        let text = egui::RichText::new("Log").size(TEXT_SMALL);
        let tick = widgets::check_ui(ui, &mut row.is_log, text);
        crate::app::ui::field::name(&tick, &format!("Logarithmic scale of {}", param.name));
        tick.on_hover_text("Vary the logarithm: for a value above 0 whose order of magnitude is open");
    });
}

/// Returns a text that fits into a width, with its beginning left out: the parameter's own name is at its end.
fn shortened(ui: &Ui, text: &str, width: f32) -> String {
    let width_of = |text: &str| {
        let font = egui::TextStyle::Button.resolve(ui.style());
        ui.painter().layout_no_wrap(text.to_owned(), font, egui::Color32::WHITE).size().x
    };
    if width_of(text) + 26.0 <= width {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let with = |from: usize| std::iter::once('…').chain(letters.iter().skip(from).copied()).collect::<String>();
    // The fewest letters that have to be left out, by halving.
    let (mut low, mut high) = (1, letters.len());
    while low < high {
        let middle = (low + high) / 2;
        match width_of(&with(middle)) + 26.0 <= width {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    with(low)
}
