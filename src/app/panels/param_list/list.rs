//! The list of parameters with their fields.

use eframe::egui::{self, Align2, Sense, Ui, vec2};

use super::rows::{ParamChoice, ParamRow, ParamRows};
use crate::app::ui::field::Field;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::{numbers, style, widgets};

/// The largest number of parameters that are listed at once; the search finds the others.
const LISTED: usize = 100;
/// The number of parameters from which on there is a search field.
const SEARCHED: usize = 9;

/// The texts of a list, and what an empty field means.
pub struct ParamListLook<'a> {
    /// The names of fields have this in front, where there are two lists.
    pub prefix: &'a str,
    /// Whether there is a field for the start.
    pub has_start: bool,
    /// The bounds of empty fields.
    pub bounds: &'a dyn Fn(&ParamChoice) -> (f64, f64),
    /// The tooltips of the lower and the upper bound.
    pub about_bounds: [&'a str; 2],
}

/// Draws the search and the parameters.
pub fn show_ui(ui: &mut Ui, state: &mut ParamRows, all: &[ParamChoice], look: &ParamListLook) {
    if all.is_empty() {
        ui.label(widgets::weak(ui, "No block has a number as a parameter, and there is no variable with one"));
    }
    if all.len() >= SEARCHED {
        widgets::search_ui(ui, &mut state.search, "Find a parameter or variable");
        ui.add_space(0.5 * SPACE);
    }
    let wanted = state.search.to_lowercase();
    let is_shown = |state: &ParamRows, param: &ParamChoice| {
        state.is_chosen(&param.path) || param.name.to_lowercase().contains(&wanted)
    };
    let shown: Vec<&ParamChoice> = all.iter().filter(|param| is_shown(state, param)).collect();
    for param in shown.iter().take(LISTED) {
        param_ui(ui, state, param, look);
    }
    if shown.is_empty() && !all.is_empty() {
        ui.label(widgets::weak(ui, "Nothing has this name"));
    }
    if shown.len() > LISTED {
        ui.label(widgets::weak(ui, format!("{} more; search for them", shown.len() - LISTED)));
    }
}

/// Draws a parameter: its check box and its value, and below them how it is varied.
fn param_ui(ui: &mut Ui, state: &mut ParamRows, param: &ParamChoice, look: &ParamListLook) {
    let theme = widgets::theme_of(ui.ctx());
    let mut is_chosen = state.is_chosen(&param.path);
    let value = numbers::digits(param.value, 6);
    let width = ui.available_width();
    let row = ui.horizontal(|ui| {
        let color = if param.is_selected { theme.accent } else { theme.text };
        let room = width - 90.0;
        let name = shortened(ui, &param.name, room);
        let text = egui::RichText::new(name).color(color);
        let tick = widgets::check_ui(ui, &mut is_chosen, text);
        crate::app::ui::field::name(&tick, &format!("{}{}", look.prefix, param.name));
        let tick = tick.on_hover_text(format!("{}\nNow {value}", param.name));
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), ui.spacing().interact_size.y), Sense::hover());
        ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, &value, style::plain(TEXT), theme.text_weak);
        tick
    });
    if row.inner.changed() {
        state.row_mut(&param.path).is_chosen = is_chosen;
    }
    if is_chosen {
        fields_ui(ui, param, look, state.row_mut(&param.path));
        ui.add_space(SPACE);
    }
}

/// Draws the fields of a chosen parameter.
fn fields_ui(ui: &mut Ui, param: &ParamChoice, look: &ParamListLook, row: &mut ParamRow) {
    let limit = |limit: f64| match limit {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        // The value has to be above 0.
        f64::MIN_POSITIVE => "0".to_owned(),
        limit => numbers::digits(limit, 4),
    };
    let (low, high) = (look.bounds)(param);
    let (low, high) = (limit(if row.is_log { low.max(0.0) } else { low }), limit(high));
    ui.horizontal(|ui| {
        ui.add_space(22.0);
        ui.spacing_mut().item_spacing.x = SPACE;
        let (words, count) = if look.has_start { (166.0, 3.0) } else { (130.0, 2.0) };
        let width = ((ui.available_width() - words) / count - 12.0).clamp(36.0, 80.0);
        let field = |ui: &mut Ui, of: &str, hint: &str, about: &str, text: &mut String| {
            let label = format!("{}{of} of {}", look.prefix, param.name);
            let field = Field::new(&label, "").hint(hint).width(width).number(Wanted::One);
            field.live_ui(ui, text, &|_| None).on_hover_text(about);
        };
        if look.has_start {
            ui.label(widgets::weak(ui, "start"));
            let about = "Where the search starts: empty for the value in the simulation";
            field(ui, "Start", &numbers::digits(param.value, 4), about, &mut row.start);
        }
        ui.label(widgets::weak(ui, "bounds"));
        field(ui, "Lower bound", &low, look.about_bounds[0], &mut row.low);
        ui.label(widgets::weak(ui, "to"));
        field(ui, "Upper bound", &high, look.about_bounds[1], &mut row.high);
        let text = egui::RichText::new("Log").size(TEXT_SMALL);
        let tick = widgets::check_ui(ui, &mut row.is_log, text);
        crate::app::ui::field::name(&tick, &format!("{}Logarithmic scale of {}", look.prefix, param.name));
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
