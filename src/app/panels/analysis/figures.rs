//! The figures of a linear system.

use eframe::egui::{self, Color32, TextStyle, Ui, Vec2b, vec2};
use egui_plot::{GridInput, GridMark, HLine, Line, MarkerShape, Plot, PlotPoint, PlotPoints, Points, VLine};

use super::Figure;
use crate::app::lab::Way;
use crate::app::numbers;
use crate::app::style;
use crate::app::theme::{TEXT_SMALL, Theme};
use crate::app::widgets::theme_of;
use crate::engine::{Complex, TimeResponse};

pub fn show_ui(ui: &mut Ui, figure: Figure, way: &Way, generation: u64) {
    let theme = theme_of(ui.ctx());
    ui.style_mut().text_styles.insert(TextStyle::Body, style::plain(TEXT_SMALL - 0.5));
    ui.visuals_mut().override_text_color = Some(theme.text_weak);
    match figure {
        Figure::Bode => bode_ui(ui, theme, way, generation),
        Figure::Nyquist => nyquist_ui(ui, theme, way, generation),
        Figure::Poles => poles_ui(ui, theme, way, generation),
        Figure::Step => time_ui(ui, theme, ("step", generation), &way.step, way.channel.period.is_some()),
        Figure::Impulse => time_ui(ui, theme, ("impulse", generation), &way.impulse, way.channel.period.is_some()),
    }
}

fn plot<'a>(ui: &Ui, theme: &Theme, id: (&str, u64), height: f32) -> Plot<'a> {
    Plot::new(id)
        .width(ui.available_width())
        .height(height.max(60.0))
        .show_background(false)
        .allow_scroll(false)
        .auto_bounds(Vec2b::TRUE)
        .set_margin_fraction(vec2(0.02, 0.08))
        .grid_color(style::mix(theme.panel, theme.text, 0.16))
        .grid_spacing(6.0..=40.0)
        .y_axis_min_width(46.0)
        .y_axis_formatter(|mark, _| numbers::digits(mark.value, 4))
        .label_formatter(|_| None)
}

fn curve<'a>(points: Vec<[f64; 2]>, color: Color32) -> Line<'a> {
    Line::new("", PlotPoints::new(points)).color(color).width(1.6).allow_hover(false)
}

fn color(theme: &Theme) -> Color32 {
    theme.curves.first().copied().unwrap_or(theme.accent)
}

/// Powers of ten, and what lies between.
fn decades(input: &GridInput) -> Vec<GridMark> {
    let (first, last) = (input.bounds.0.floor(), input.bounds.1.ceil());
    if !(first.is_finite() && last.is_finite()) || last - first > 60.0 {
        return Vec::new();
    }
    let mut marks = Vec::new();
    for power in 0..=(last - first) as i32 {
        let power = first + f64::from(power);
        marks.push(GridMark { value: power, step_size: 1.0 });
        let between = (2..10).map(|digit| GridMark { value: power + f64::from(digit).log10(), step_size: 0.1 });
        marks.extend(between);
    }
    marks
}

fn bode_ui(ui: &mut Ui, theme: &Theme, way: &Way, generation: u64) {
    // Side by side where there is no room for one above the other.
    let is_low = ui.available_height() < 240.0;
    let room = ui.available_size() - vec2(10.0, 8.0);
    let (width, height) = if is_low { (room.x / 2.0, room.y) } else { (room.x, room.y / 2.0) };
    let at = |frequency: f64| frequency.log10();
    let gains = way.response.iter().map(|point| [at(point.frequency), point.decibels()]).collect();
    let phases = way.response.iter().map(|point| [at(point.frequency), point.phase]).collect();
    let link = ui.scope_id().with(("bode", generation));
    let [upper, lower]: [(_, Vec<[f64; 2]>); 2] = [("gain", gains), ("phase", phases)];
    let crossings = [(0.0, way.margins.phase_at), (-180.0, way.margins.gain_at)];
    let direction = if is_low { egui::Direction::LeftToRight } else { egui::Direction::TopDown };
    let layout = egui::Layout::from_main_dir_and_cross_align(direction, egui::Align::Min);
    ui.with_layout(layout, |ui| {
        for ((name, points), (level, crossing)) in [upper, lower].into_iter().zip(crossings) {
            let unit = if name == "gain" { " dB" } else { "°" };
            plot(ui, theme, (name, generation), height)
                .width(width)
                .x_grid_spacer(|input| decades(&input))
                .x_axis_formatter(|mark, _| match mark.step_size >= 1.0 {
                    true => format!("{} rad/s", numbers::digits(10_f64.powf(mark.value), 3)),
                    false => String::new(),
                })
                .y_axis_formatter(move |mark, _| format!("{}{unit}", numbers::digits(mark.value, 4)))
                .link_axis(link, Vec2b::new(true, false))
                .show(ui, |plot| {
                    plot.line(curve(points, color(theme)));
                    let line = style::mix(theme.panel, theme.text, 0.35);
                    plot.hline(HLine::new("", level).color(line).width(1.0).allow_hover(false));
                    if let Some(crossing) = crossing {
                        plot.vline(VLine::new("", at(crossing)).color(theme.warning).width(1.0).allow_hover(false));
                    }
                });
        }
    });
}

fn nyquist_ui(ui: &mut Ui, theme: &Theme, way: &Way, generation: u64) {
    // What goes to infinity leaves the rest no room.
    let near = |point: &&[f64; 2]| point[0].hypot(point[1]) < 1e3;
    let upper: Vec<[f64; 2]> = way.response.iter().map(|point| [point.value.re, point.value.im]).collect();
    let lower: Vec<[f64; 2]> = upper.iter().map(|[re, im]| [*re, -im]).collect();
    plot(ui, theme, ("nyquist", generation), ui.available_height() - 4.0).data_aspect(1.0).show(ui, |plot| {
        plot.line(curve(upper.iter().filter(near).copied().collect(), color(theme)));
        let mirrored = color(theme).gamma_multiply(0.5);
        plot.line(curve(lower.iter().filter(near).copied().collect(), mirrored));
        let critical = Points::new("", PlotPoints::new(vec![[-1.0, 0.0]]));
        plot.points(critical.color(theme.error).shape(MarkerShape::Plus).radius(5.0).allow_hover(false));
    });
}

fn poles_ui(ui: &mut Ui, theme: &Theme, way: &Way, generation: u64) {
    let points =
        |list: &Option<Vec<Complex>>| -> Vec<[f64; 2]> { list.iter().flatten().map(|at| [at.re, at.im]).collect() };
    let (poles, zeros) = (points(&way.channel.poles), points(&way.channel.zeros));
    plot(ui, theme, ("poles", generation), ui.available_height() - 4.0).data_aspect(1.0).show(ui, |plot| {
        let line = style::mix(theme.panel, theme.text, 0.35);
        plot.hline(HLine::new("", 0.0).color(line).width(1.0).allow_hover(false));
        match way.channel.period {
            // What lies within decays.
            Some(_) => {
                let turn = |part: u32| std::f64::consts::TAU * f64::from(part) / 128.0;
                let circle = (0..=128).map(|part| [turn(part).cos(), turn(part).sin()]).collect();
                plot.line(Line::new("", PlotPoints::new(circle)).color(line).width(1.0).allow_hover(false));
            }
            None => plot.vline(VLine::new("", 0.0).color(line).width(1.0).allow_hover(false)),
        }
        let cross = Points::new("", PlotPoints::new(poles)).color(color(theme));
        plot.points(cross.shape(MarkerShape::Cross).radius(5.0).allow_hover(false));
        let ring = Points::new("", PlotPoints::new(zeros)).color(color(theme)).filled(false);
        plot.points(ring.shape(MarkerShape::Circle).radius(5.0).allow_hover(false));
    });
}

fn time_ui(ui: &mut Ui, theme: &Theme, id: (&str, u64), response: &TimeResponse, is_stepped: bool) {
    let mut points: Vec<PlotPoint> = Vec::with_capacity(response.times.len());
    let mut last = None;
    for (&time, &value) in response.times.iter().zip(&response.values) {
        // From period to period the value stays.
        if let Some(last) = last.filter(|_| is_stepped) {
            points.push(PlotPoint::new(time, last));
        }
        points.push(PlotPoint::new(time, value));
        last = Some(value);
    }
    plot(ui, theme, id, ui.available_height() - 4.0).x_axis_formatter(|mark, _| numbers::seconds(mark.value)).show(
        ui,
        |plot| {
            let line = Line::new("", PlotPoints::Owned(points)).color(color(theme)).width(1.6);
            plot.line(line.allow_hover(false));
        },
    );
}
