//! The gains of the controller and the figures of its loop, before and after.

use eframe::egui::{self, Align, Color32, Layout, RichText, Sense, Stroke, Ui, vec2};

use super::charts::colors;
use crate::app::store::lab::{PidLoop, Suggestion};
use crate::app::ui::numbers;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};
use crate::tuning::{Figures, Gains};

/// The significant digits.
const DIGITS: usize = 4;
/// The height of a row, in points.
const ROW: f32 = 14.0;

/// Of one row: its title, a tooltip, and the values before and after.
struct Row {
    title: &'static str,
    about: &'static str,
    values: [String; 2],
}

pub fn show_ui(ui: &mut Ui, of: &PidLoop, suggestion: &Suggestion) {
    let theme = theme_of(ui.ctx());
    let (before, after) = (&suggestion.before.1, &suggestion.tuned.figures);
    let width = ui.available_width();
    // The rows hold no fields, so they may be low.
    ui.spacing_mut().interact_size.y = ROW;
    let row_ui = |ui: &mut Ui, row: &Row, texts: [Color32; 2]| {
        ui.label(RichText::new(row.title).size(TEXT_SMALL + 0.5)).on_hover_text(row.about);
        for (text, color) in row.values.iter().zip(texts) {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(text).size(TEXT_SMALL + 0.5).color(color));
            });
        }
        ui.end_row();
    };
    egui::Grid::new("figures").num_columns(3).min_col_width(width * 0.25).spacing(vec2(6.0, 1.0)).show(ui, |ui| {
        ui.label(widgets::weak(ui, loop_kind(of)));
        for (title, color) in ["Before", "After"].into_iter().zip(colors(theme)) {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(title).size(TEXT_SMALL).color(theme.text_weak));
                let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), Sense::hover());
                ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.0, color));
            });
        }
        ui.end_row();
        for row in gains(&of.block.gains, &suggestion.own) {
            row_ui(ui, &row, [theme.text_weak, theme.text]);
        }
        let color = |figures: &Figures, usual: Color32| match figures.is_stable {
            Some(false) => theme.error,
            _ => usual,
        };
        row_ui(ui, &stability(before, after), [color(before, theme.text_weak), color(after, theme.success)]);
        for row in figures(before, after) {
            row_ui(ui, &row, [theme.text_weak, theme.text]);
        }
    });
    if before.is_stable == Some(false) && after.is_stable == Some(true) {
        ui.label(widgets::weak(ui, "The loop with the gains of the block is unstable"));
    }
}

fn loop_kind(of: &PidLoop) -> String {
    match of.plant.channel.period {
        None => "Continuous".to_owned(),
        Some(period) => format!("Every {}", numbers::seconds(period)),
    }
}

fn gains(before: &Gains, after: &Gains) -> Vec<Row> {
    let row = |title, about, of: fn(&Gains) -> f64| Row {
        title,
        about,
        values: [before, after].map(|gains| numbers::digits(of(gains), DIGITS)),
    };
    let derivative = [
        row("D", "The gain of the derivative of the error", |gains| gains.d),
        row("Filter coefficient", "The bandwidth of the derivative's filter, in rad/s", |gains| gains.n),
    ];
    let has_derivative = before.d != 0.0 || after.d != 0.0;
    let others = [
        row("P", "The gain of the error", |gains| gains.p),
        row("I", "The gain of the integral of the error", |gains| gains.i),
    ];
    others.into_iter().chain(derivative.into_iter().filter(|_| has_derivative)).collect()
}

fn stability(before: &Figures, after: &Figures) -> Row {
    let text = |figures: &Figures| match figures.is_stable {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => "not known".to_owned(),
    };
    Row { title: "Stable", about: "Whether all poles of the closed loop decay", values: [before, after].map(text) }
}

fn figures(before: &Figures, after: &Figures) -> Vec<Row> {
    let row = |title, about, of: fn(&Figures) -> Option<String>| Row {
        title,
        about,
        values: [before, after].map(|figures| of(figures).unwrap_or_else(|| "–".to_owned())),
    };
    let finite = |value: f64, unit: &str| match value.is_finite() {
        true => format!("{}{unit}", numbers::digits(value, DIGITS)),
        false => "∞".to_owned(),
    };
    let margin = |title, about, of: &dyn Fn(&Figures) -> String| Row { title, about, values: [of(before), of(after)] };
    let margins = [
        margin("Gain margin", "How much larger the gain may be before the loop is unstable", &|figures| {
            finite(20.0 * figures.margins.gain.log10(), " dB")
        }),
        margin("Phase margin", "How much more the phase may lag before the loop is unstable", &|figures| {
            finite(figures.margins.phase, "°")
        }),
    ];
    let times = [
        row("Rise time", "From 10 % to 90 % of the step", |figures| figures.rise_time.map(numbers::span)),
        row("Settling time", "Until the response stays near its final value", |figures| {
            figures.settling_time.map(numbers::span)
        }),
        row("Overshoot", "Beyond the final value, as a part of the step", |figures| {
            figures.overshoot.map(|part| format!("{} %", numbers::digits((1000.0 * part).round() / 10.0, 4)))
        }),
        row("Control peak", "The largest control signal after a step of the set point of height 1", |figures| {
            figures.effort.map(|value| numbers::digits(value, DIGITS))
        }),
        row("Disturbance peak", "The largest deviation after a step of height 1 at the plant's input", |figures| {
            figures.deviation.map(|value| numbers::digits(value, DIGITS))
        }),
    ];
    margins.into_iter().chain(times).collect()
}
