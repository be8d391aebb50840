//! The measured curves as points with the simulated ones as lines: before in a quiet colour, now in the accent. Below them
//! the sum of squares.

use std::time::Duration;

use eframe::egui::{Color32, Painter, Pos2, Rect, Sense, Stroke, Ui, vec2};

use super::state::FitState;
use super::{FitView, result};
use crate::app::store::lab::{FitCurve, RunningFit, SimulatedCurve};
use crate::app::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Scale, Sketch, sketch_ui, stroke_ui};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::calibration::MeasuredRow;

/// The height of a title, in points.
const TITLE: f32 = 20.0;
/// A chart of a curve has at least this width and height.
const NARROWEST: f32 = 210.0;
const LOWEST: f32 = 130.0;
/// The height of the chart of the sum, and that of the charts from which it is drawn.
const SUM: f32 = 84.0;
const HIGH: f32 = 260.0;
/// The largest number of measured values that are drawn; of more, evenly spread ones are.
const MAX_POINTS: usize = 4000;
/// Of more measured values the points are a band.
const DENSE: usize = 200;
/// The curve before may take the axis this much beyond measured values.
const MOST: f64 = 1.0;
/// The time between two frames while curves move.
const FRAME: Duration = Duration::from_millis(45);

/// The colours of measured values, and of the curves before and now.
struct Colors {
    measured: Color32,
    before: Color32,
    now: Color32,
}

impl Colors {
    fn of(theme: &Theme) -> Colors {
        let measured = theme.curves.get(1).copied().unwrap_or(theme.warning);
        Colors { measured, before: style::mix(theme.panel, theme.text_weak, 0.55), now: theme.accent }
    }
}

pub fn show_ui(ui: &mut Ui, state: &mut FitState, view: &FitView, height: f32) {
    let fit = view.lab.fit.as_ref();
    if fit.is_some_and(RunningFit::is_moving) {
        ui.ctx().request_repaint_after(FRAME);
    }
    // While it runs, the curves are those that are fitted.
    let curves = match fit {
        Some(fit) => fit.input.curves.clone(),
        None => match state.curves() {
            Ok(curves) => curves,
            Err(_) => {
                let what = "Choose the signal that each column belongs to; then the curves are drawn here";
                return widgets::empty_ui(ui, Icon::Curve, "No measured curve yet", what);
            }
        },
    };
    let preview = view.lab.preview.result.as_ref().filter(|_| fit.is_none());
    let preview_curves = preview.and_then(|preview| preview.as_ref().ok());
    let (before, now) = match (fit, preview_curves) {
        (Some(fit), _) => (Some(&fit.before), Some(&fit.now)),
        (None, preview) => (None, preview),
    };
    let salt = state.generation;
    let bottom = ui.cursor().top() + height - SPACE;
    eframe::egui::ScrollArea::vertical().id_salt("charts of the fit").auto_shrink(false).show(ui, |ui| {
        legend_ui(ui, fit.is_some());
        if let Some(Err(error)) = preview {
            ui.colored_label(theme_of(ui.ctx()).error, widgets::sentence(error));
        }
        let (width, height) = (ui.available_width(), bottom - ui.cursor().top());
        let sum = fit.filter(|fit| height >= HIGH && fit.history.len() > 1);
        let columns = ((width / NARROWEST) as usize).clamp(1, curves.len().max(1));
        let rows = curves.len().div_ceil(columns).max(1);
        let gap = ui.spacing().item_spacing.y;
        let charts = (height - sum.map_or(0.0, |_| SUM + gap)).max(LOWEST * rows as f32);
        let room = Rect::from_min_size(ui.cursor().min, vec2(width, charts));
        let size = vec2(width / columns as f32, room.height() / rows as f32);
        for (number, curve) in curves.iter().enumerate() {
            let (row, column) = (number / columns, number % columns);
            let corner = room.min + vec2(column as f32 * size.x, row as f32 * size.y);
            let of = |curves: Option<&Vec<SimulatedCurve>>| curves.and_then(|curves| curves.get(number)).cloned();
            let signal = view.derived.name_of(&curve.measured.signal);
            let title =
                if signal == curve.measured.name { signal } else { format!("{} – {signal}", curve.measured.name) };
            let chart = Chart { title, curve, before: of(before), now: of(now), salt: (salt, number) };
            chart_ui(ui, Rect::from_min_size(corner, size), &chart);
        }
        ui.allocate_rect(room, Sense::hover());
        if let Some(fit) = sum {
            let (rect, _) = ui.allocate_exact_size(vec2(width, SUM), Sense::hover());
            sum_ui(ui, rect, fit);
        }
    });
}

/// Draws the legend of the lines.
fn legend_ui(ui: &mut Ui, has_fit: bool) {
    let theme = theme_of(ui.ctx());
    let colors = Colors::of(theme);
    ui.horizontal(|ui| {
        ui.set_height(TITLE - SPACE);
        ui.add_space(2.0 * SPACE);
        let mut entry = |text: &str, color: Color32, is_line: bool| {
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 10.0), Sense::hover());
            match is_line {
                true => drop(ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.0, color))),
                false => drop(ui.painter().circle_filled(rect.center(), 2.6, color)),
            }
            ui.label(widgets::weak(ui, text));
        };
        entry("Measured", colors.measured, false);
        if has_fit {
            entry("Before", colors.before, true);
            entry("Fitted", colors.now, true);
        } else {
            entry("Simulation", colors.now, true);
        }
    });
}

/// A chart of a measured curve.
struct Chart<'a> {
    title: String,
    curve: &'a FitCurve,
    before: Option<SimulatedCurve>,
    now: Option<SimulatedCurve>,
    salt: (u64, usize),
}

fn chart_ui(ui: &Ui, rect: Rect, chart: &Chart) {
    let theme = theme_of(ui.ctx());
    let colors = Colors::of(theme);
    let (top, lower) = rect.split_top_bottom_at_y(rect.top() + TITLE);
    let rows = &chart.curve.measured.rows;
    let end = rows.iter().fold(0.0, |end: f64, row| end.max(row.time));
    let sketch = Sketch {
        name: &format!("Measured and simulated {}", chart.title),
        x: Axis::fitted(0.0, if end > 0.0 { end } else { 1.0 }, 0.02, Scale::Linear),
        y: fitting(chart),
        labels: Labels { x_unit: " s", ..Labels::default() },
        is_square: false,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, lower, ui.scope_id().with(("fit", chart.salt)), &sketch);
    widgets::text_in(ui, top.with_min_x(frame.rect.left()), &chart.title, style::strong(TEXT_SMALL), theme.text);
    let painter = ui.painter_at(frame.rect);
    // Many points are a band, over which the curves are drawn; few ones are drawn over the curves.
    let is_dense = rows.len() > DENSE;
    if is_dense {
        points_ui(&painter, &frame, rows, (1.4, colors.measured, Stroke::NONE));
    }
    let kind = if chart.curve.is_held { LineKind::Stairs } else { LineKind::Solid };
    for (curve, color, width) in [(&chart.before, colors.before, 1.6), (&chart.now, colors.now, 2.0)] {
        if let Some(curve) = curve {
            line_ui(&painter, &frame, curve, (kind, width, color));
        }
    }
    if !is_dense {
        points_ui(&painter, &frame, rows, (3.0, colors.measured, Stroke::new(0.8, theme.panel)));
    }
}

fn points_ui(painter: &Painter, frame: &Frame, rows: &[MeasuredRow], (radius, color, edge): (f32, Color32, Stroke)) {
    for row in rows.iter().step_by(rows.len().div_ceil(MAX_POINTS).max(1)) {
        let at = frame.at(AxisSide::Left, (row.time, row.value));
        if at.is_finite() && frame.rect.contains(at) {
            painter.circle(at, radius, color, edge);
        }
    }
}

/// Draws a line, with gaps where the simulation has no value.
fn line_ui(painter: &Painter, frame: &Frame, curve: &SimulatedCurve, (kind, width, color): (LineKind, f32, Color32)) {
    let points = curve.times.iter().zip(&curve.values);
    let points: Vec<Pos2> = points.map(|(time, value)| frame.at(AxisSide::Left, (*time, *value))).collect();
    for part in points.split(|point| !point.is_finite()) {
        stroke_ui(painter, frame.rect, part, kind, width, color);
    }
}

/// Returns an axis that fits the measured values, and the simulated ones where that leaves them enough room.
fn fitting(chart: &Chart) -> Axis {
    let range = |values: &mut dyn Iterator<Item = f64>| {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        values.filter(|value| value.is_finite()).fold(ends, |(low, high), value| (low.min(value), high.max(value)))
    };
    let (low, high) = range(&mut chart.curve.measured.rows.iter().map(|row| row.value));
    let most = MOST * if high > low { high - low } else { high.abs().max(1.0) };
    let simulated = chart.before.iter().chain(&chart.now).flat_map(|curve| &curve.values).copied();
    let (low_simulated, high_simulated) = range(&mut simulated.into_iter());
    let low = low_simulated.clamp(low - most, low);
    let high = high_simulated.clamp(high, high + most);
    Axis::fitted(low, high, 0.08, Scale::Linear)
}

/// Draws the sum over the points that were better than all before.
fn sum_ui(ui: &Ui, rect: Rect, fit: &RunningFit) {
    let theme = theme_of(ui.ctx());
    let (top, lower) = rect.split_top_bottom_at_y(rect.top() + TITLE - SPACE);
    let sums = fit.history.iter().map(|sum| sum.value).filter(|sum| *sum > 0.0 && sum.is_finite());
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = sums.fold(ends, |(low, high), sum| (low.min(sum), high.max(sum)));
    let last = fit.history.last().map_or(1, |last| last.number.max(1));
    let title = widgets::sentence(&format!("{} after each improvement", result::sum_name(fit)));
    let sketch = Sketch {
        name: &title,
        x: Axis::fitted(0.0, last as f64, 0.02, Scale::Linear),
        y: Axis::fitted(low, high, 0.1, Scale::Log),
        labels: Labels { hides_x: true, ..Labels::default() },
        is_square: false,
        link: None,
    };
    let (_, frame) = sketch_ui(ui, lower, ui.scope_id().with("sums"), &sketch);
    widgets::text_in(ui, top.with_min_x(frame.rect.left()), &title, style::plain(TEXT_SMALL), theme.text_weak);
    let points = fit.history.iter().filter(|sum| sum.value > 0.0);
    let points: Vec<Pos2> = points
        .map(|sum| frame.at(AxisSide::Left, (sum.number as f64, sum.value)))
        .filter(|at| at.is_finite())
        .collect();
    stroke_ui(&ui.painter_at(frame.rect), frame.rect, &points, LineKind::Solid, 1.6, theme.accent);
}
