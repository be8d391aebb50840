//! One plot: curves over time, drawn through the recording's pyramid so that its cost is the plot's width.

use eframe::egui::{Color32, TextStyle, Ui, Vec2, Vec2b, vec2};
use egui_plot::{GridInput, GridMark, Line, Plot, PlotBounds, PlotPoint, PlotPoints, PlotUi, VLine};

use crate::app::numbers;
use crate::app::style;
use crate::app::theme::TEXT_SMALL;
use crate::app::widgets::theme_of;
use crate::engine::{Column, Extent};

/// What a plot shows of its curves.
pub struct PlotView {
    /// All of them, as they grow.
    pub is_auto: bool,
    /// Seconds in view, ending at the newest sample.
    pub follow: Option<f64>,
    bounds: Option<PlotBounds>,
}

impl Default for PlotView {
    fn default() -> PlotView {
        PlotView { is_auto: true, follow: None, bounds: None }
    }
}

impl PlotView {
    /// Seconds that are in view.
    pub fn width(&self, end: f64) -> f64 {
        self.bounds.map_or(end, |bounds| bounds.width()).max(f64::MIN_POSITIVE)
    }
}

/// One lane of a signal.
pub struct Curve<'a> {
    pub column: &'a Column,
    pub color: Color32,
    /// Seconds a step.
    pub delta: f64,
}

/// Draws into all that `ui` has; gives the time under the pointer.
pub fn show_ui(
    ui: &mut Ui,
    view: &mut PlotView,
    curves: &[Curve],
    end: f64,
    cursor: Option<f64>,
    number: usize,
) -> Option<f64> {
    let theme = theme_of(ui.ctx());
    let wanted = wanted_bounds(view, curves, end);
    let width_px = ui.available_width().max(1.0) * ui.pixels_per_point();
    let shown = wanted.or(view.bounds).unwrap_or_else(|| PlotBounds::from_min_max([0.0, -1.0], [end.max(1.0), 1.0]));
    let lines: Vec<Line> = curves.iter().map(|curve| line_of(curve, &shown, width_px as usize)).collect();
    let size = ui.available_size();
    // The axes take the text's colour and size.
    let font = style::plain(TEXT_SMALL - 0.5);
    ui.style_mut().text_styles.insert(TextStyle::Body, font);
    ui.visuals_mut().override_text_color = Some(theme.text_weak);
    let mut hovered = None;
    let response = Plot::new(("plot", number))
        .width(size.x)
        .height(size.y)
        .show_background(false)
        .show_x(false)
        .show_y(false)
        .allow_scroll(false)
        .allow_drag(true)
        .allow_zoom(true)
        .allow_boxed_zoom(true)
        .allow_double_click_reset(false)
        .auto_bounds(Vec2b::FALSE)
        .grid_color(style::mix(theme.panel, theme.text, 0.16))
        .grid_spacing(6.0..=40.0)
        .x_grid_spacer(|input| marks(&input, 14.0))
        .y_grid_spacer(|input| marks(&input, 4.5))
        .y_axis_min_width(46.0)
        .x_axis_formatter(|mark, _| axis_number(mark.value, mark.step_size, " s"))
        .y_axis_formatter(|mark, _| axis_number(mark.value, mark.step_size, ""))
        .label_formatter(|_| None)
        .show(ui, |plot| {
            if wanted.is_some() || view.bounds.is_none() {
                plot.set_plot_bounds(shown);
            }
            for line in lines {
                plot.line(line);
            }
            if let Some(time) = cursor {
                let color = style::mix(theme.panel, theme.text, 0.45);
                plot.vline(VLine::new("cursor", time).color(color).width(1.0).allow_hover(false));
            }
            if plot.response().hovered() {
                wheel_zoom(plot);
            }
            plot.pointer_coordinate()
        });
    if response.response.hovered()
        && let Some(PlotPoint { x, .. }) = response.inner
    {
        hovered = Some(x.max(0.0));
    }
    let now = *response.transform.bounds();
    let is_moved = differs(&now, &shown);
    view.bounds = Some(now);
    if response.response.double_clicked() {
        view.is_auto = true;
        view.follow = None;
    } else if is_moved && wanted.is_some() {
        view.is_auto = false;
        view.follow = None;
    }
    hovered
}

/// The wheel stretches time around the pointer, with Shift the values.
fn wheel_zoom(plot: &mut PlotUi) {
    let turned = plot.ctx().input_mut(|input| {
        // With Ctrl the plot itself zooms both.
        if input.modifiers.command {
            return Vec2::ZERO;
        }
        std::mem::take(&mut input.smooth_scroll_delta)
    });
    let factor = |turned: f32| (turned * 0.005).exp();
    if turned.y != 0.0 {
        plot.zoom_bounds_around_hovered(vec2(factor(turned.y), 1.0));
    } else if turned.x != 0.0 {
        // Shift turns the wheel's direction into a horizontal one.
        plot.zoom_bounds_around_hovered(vec2(1.0, factor(turned.x)));
    }
}

/// What the plot is to show, where that is not left to the user.
fn wanted_bounds(view: &PlotView, curves: &[Curve], end: f64) -> Option<PlotBounds> {
    let (from, to) = match (view.is_auto, view.follow) {
        (_, Some(width)) => ((end - width).max(0.0), end.max(width)),
        (true, None) => (0.0, if end > 0.0 { end } else { 1.0 }),
        (false, None) => return None,
    };
    let extent = curves.iter().fold(Extent::EMPTY, |all, curve| {
        let first = (from / curve.delta).floor().max(0.0) as u64;
        let last = (to / curve.delta).ceil().max(0.0) as u64 + 1;
        all.join(curve.column.extent(first..last))
    });
    let (low, high) = match extent {
        extent if extent.is_empty() || !extent.low.is_finite() || !extent.high.is_finite() => (-1.0, 1.0),
        Extent { low, high } if low == high => (low - low.abs().max(1.0) * 0.5, high + high.abs().max(1.0) * 0.5),
        Extent { low, high } => (low, high),
    };
    let margin = (high - low) * 0.08;
    Some(PlotBounds::from_min_max([from, low - margin], [to, high + margin]))
}

fn line_of<'a>(curve: &Curve<'a>, shown: &PlotBounds, width_px: usize) -> Line<'a> {
    let [from, to] = [shown.min()[0], shown.max()[0]];
    // A sample beyond each edge, so that the curve goes on out of view.
    let first = ((from / curve.delta).floor() - 1.0).max(0.0) as u64;
    let last = ((to / curve.delta).ceil() + 2.0).max(0.0) as u64;
    let time = |step: u64| step as f64 * curve.delta;
    let points: Vec<PlotPoint> = match curve.column.buckets(first..last, width_px) {
        Some(buckets) => {
            let mut is_up = true;
            let mut points = Vec::with_capacity(buckets.len() * 2);
            for (step, extent) in buckets {
                if extent.is_empty() {
                    points.push(PlotPoint::new(time(step), f64::NAN));
                    continue;
                }
                // In turns from low to high and back, so that the line covers what lies between.
                let (one, other) = if is_up { (extent.low, extent.high) } else { (extent.high, extent.low) };
                points.push(PlotPoint::new(time(step), one));
                points.push(PlotPoint::new(time(step), other));
                is_up = !is_up;
            }
            points
        }
        None => {
            let steps = first.max(curve.column.steps().start)..last.min(curve.column.steps().end);
            steps.filter_map(|step| Some(PlotPoint::new(time(step), curve.column.at_step(step)?))).collect()
        }
    };
    Line::new("", PlotPoints::Owned(points)).color(curve.color).width(1.6).allow_hover(false)
}

fn differs(a: &PlotBounds, b: &PlotBounds) -> bool {
    let near = |a: f64, b: f64, width: f64| (a - b).abs() <= width.abs() * 1e-6;
    let (a_min, a_max, b_min, b_max) = (a.min(), a.max(), b.min(), b.max());
    !(near(a_min[0], b_min[0], b.width())
        && near(a_max[0], b_max[0], b.width())
        && near(a_min[1], b_min[1], b.height())
        && near(a_max[1], b_max[1], b.height()))
}

/// As many decimals as the marks are apart.
fn axis_number(value: f64, step: f64, unit: &str) -> String {
    if value.abs() < step * 1e-6 {
        return format!("0{unit}");
    }
    let decimals = (-step.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    match value.abs() {
        v if !(1e-4..1e6).contains(&v) => format!("{}{unit}", numbers::digits(value, 4)),
        _ => format!("{value:.decimals$}{unit}"),
    }
}

/// Strong lines at 1, 2 or 5 times a power of ten, at least `apart` of the plot's smallest steps from each other, and
/// weak ones between.
fn marks(input: &GridInput, apart: f64) -> Vec<GridMark> {
    const MOST: f64 = 400.0;
    let least = input.base_step_size * apart;
    let power = 10_f64.powf(least.log10().floor());
    let (main, parts) = match least / power {
        ratio if ratio <= 1.0 => (power, 5.0),
        ratio if ratio <= 2.0 => (2.0 * power, 4.0),
        ratio if ratio <= 5.0 => (5.0 * power, 5.0),
        _ => (10.0 * power, 5.0),
    };
    let minor = main / parts;
    let (first, last) = ((input.bounds.0 / minor).ceil(), (input.bounds.1 / minor).floor());
    if !(first.is_finite() && last.is_finite()) || last - first > MOST {
        return Vec::new();
    }
    let mark = |number: f64| {
        let is_main = (number % parts).abs() < 0.5;
        // A weak line has no number beside it.
        GridMark { value: number * minor, step_size: if is_main { main } else { input.base_step_size * 1.6 } }
    };
    (0..=(last - first) as u32).map(|number| mark(first + f64::from(number))).collect()
}
