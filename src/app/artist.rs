//! Draws the pictures of calls from outside: diagrams, and curves over time, as the bytes of .png files.

use std::sync::Arc;

use eframe::egui::{Color32, Painter, Pos2, Rect, Vec2, pos2, vec2};

use super::canvas::capture;
use super::drawing::{self, Drawing, Part, PictureError};
use super::panels::dashboard::picture_ui;
use super::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Scale, Sides, stroke_ui};
use super::ui::style;
use super::ui::theme::{TEXT_SMALL, Theme};
use crate::block::Registry;
use crate::model::Simulation;
use crate::rpc::{Artist, PlotCurve};

/// The size of a plot in points.
const PLOT: Vec2 = vec2(720.0, 400.0);
const MARGIN: f32 = 14.0;
/// The height of a row of names.
const ROW: f32 = 18.0;
/// Pixels per point, and the maximum number of pixels on the longer side of a diagram.
const SCALE: f32 = 2.0;
const MAX_PIXELS: f32 = 2400.0;

/// Returns the functions that draw.
pub fn artist() -> Artist {
    Artist { diagram, plot }
}

fn diagram(simulation: &Arc<Simulation>, registry: &Registry, model: &str) -> Result<Vec<u8>, String> {
    let part = Part { model: model.into(), blocks: None };
    let drawn = capture(simulation, registry, &part, picture_ui);
    let drawn = drawn.ok_or_else(|| PictureError::Nothing.to_string())?;
    let scale = (MAX_PIXELS / drawn.size.max_elem()).min(SCALE);
    drawing::png_of(&drawn, scale).map_err(|error| error.to_string())
}

fn plot(curves: &[PlotCurve], title: &str) -> Result<Vec<u8>, String> {
    drawing::png_of(&plot_drawing(curves, title), SCALE).map_err(|error| error.to_string())
}

fn plot_drawing(curves: &[PlotCurve], title: &str) -> Drawing {
    let theme = Theme { panel: Color32::WHITE, ..Theme::light() };
    drawing::drawing_of(title, PLOT, |painter| {
        let names = names_ui(painter, curves, &theme);
        let rect = Rect::from_min_max(pos2(MARGIN, MARGIN), pos2(PLOT.x - MARGIN, names));
        let finite =
            || curves.iter().flat_map(|curve| &curve.points).filter(|point| point.0.is_finite() && point.1.is_finite());
        let range = |of: fn(&(f64, f64)) -> f64| {
            finite().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
        };
        let axis = |(low, high): (f64, f64), margin: f64| match low <= high {
            true => Axis::fitted(low, high, margin, Scale::Linear),
            false => Axis::fitted(0.0, 1.0, margin, Scale::Linear),
        };
        let labels = Labels { x: "time in s".to_owned(), ..Labels::default() };
        let axes = (axis(range(|point| point.0), 0.0), axis(range(|point| point.1), 0.06), None);
        let frame = Frame::within(painter, rect, axes, &labels, Sides::default());
        frame.axes_ui(painter, &theme, &labels);
        for (number, curve) in curves.iter().enumerate() {
            let at = |point: &(f64, f64)| match point.1.is_finite() {
                true => frame.at(AxisSide::Left, *point),
                false => pos2(f32::NAN, f32::NAN),
            };
            let points: Vec<Pos2> = curve.points.iter().map(at).collect();
            stroke_ui(painter, frame.rect, &points, LineKind::Solid, 1.5, color(&theme, number));
        }
    })
}

/// Draws the names of the curves in rows at the bottom; returns the height at which they begin.
fn names_ui(painter: &Painter, curves: &[PlotCurve], theme: &Theme) -> f32 {
    let mut rows: Vec<Vec<(f32, usize)>> = vec![Vec::new()];
    let mut at = MARGIN;
    let name = |curve: &PlotCurve| painter.layout_no_wrap(curve.name.clone(), style::plain(TEXT_SMALL), theme.text);
    for (number, curve) in curves.iter().enumerate() {
        let width = name(curve).size().x + 46.0;
        if at + width > PLOT.x - MARGIN && at > MARGIN {
            rows.push(Vec::new());
            at = MARGIN;
        }
        if let Some(row) = rows.last_mut() {
            row.push((at, number));
        }
        at += width;
    }
    let top = PLOT.y - MARGIN - rows.len() as f32 * ROW;
    for (row, items) in rows.iter().enumerate() {
        for (x, number) in items {
            let Some(curve) = curves.get(*number) else { continue };
            let at = pos2(*x, top + row as f32 * ROW);
            let line = [at + vec2(0.0, 7.0), at + vec2(20.0, 7.0)];
            let room = Rect::from_two_pos(line[0], line[1]).expand(4.0);
            stroke_ui(painter, room, &line, LineKind::Solid, 2.0, color(theme, *number));
            painter.galley(at + vec2(26.0, 0.0), name(curve), theme.text);
        }
    }
    top - 8.0
}

fn color(theme: &Theme, number: usize) -> Color32 {
    theme.curves.get(number % theme.curves.len()).copied().unwrap_or(theme.accent)
}
