//! The content of a plot, ready to paint: axes, labels and layers of curves, bars and colours. The window and picture
//! files paint the same.

use std::sync::Arc;

use eframe::egui::epaint::Vertex;
use eframe::egui::{Align2, Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, TextureId, pos2};

use crate::app::store::figures::PowerMap;
use crate::app::ui::chart::{Axis, AxisSide, Frame, Labels, LineKind, Sides, Space, band_ui, stroke_ui};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};

/// A plot, ready to be painted.
#[derive(Clone, Debug)]
pub struct PlotFrame {
    pub x: Axis,
    pub left: Axis,
    pub right: Option<Axis>,
    pub labels: Labels,
    /// From the bottom to the top.
    pub layers: Vec<Layer>,
    /// A note at the upper edge.
    pub note: String,
    /// A unit has the same length on both axes.
    pub is_square: bool,
    /// For 3-D plots: the box of the paths; nothing else is drawn.
    pub space: Option<Box<Space>>,
}

#[derive(Clone, Debug)]
pub enum Layer {
    Curve {
        points: Arc<[(f64, f64)]>,
        side: AxisSide,
        line: LineKind,
        width: f32,
        color: Color32,
    },
    /// A path in the box, with a dot at its end.
    Path {
        points: Arc<[[f64; 3]]>,
        width: f32,
        color: Color32,
    },
    /// Bars: from, to, height.
    Bars {
        bars: Vec<(f64, f64, f64)>,
        color: Color32,
    },
    /// Between two curves: x, low, high.
    Band {
        edges: Vec<(f64, f64, f64)>,
        color: Color32,
    },
    Colors(Colors),
    /// A vertical line at an X value.
    Upright {
        x: f64,
        color: Color32,
        name: String,
    },
    /// A horizontal line at a Y value.
    Level {
        y: f64,
        side: AxisSide,
        color: Color32,
        name: String,
    },
}

/// A grid of colours over a part of the plot.
#[derive(Clone, Debug)]
pub struct Colors {
    pub map: Arc<PowerMap>,
    /// The colour of zero power.
    pub ground: Color32,
    /// Painted as a texture on the screen, as rectangles in files.
    pub texture: Option<TextureId>,
}

impl Colors {
    /// Rows from the bottom.
    pub fn cells(&self) -> impl Iterator<Item = Color32> {
        self.map.cells.iter().map(|part| heat(*part, self.ground))
    }
}

/// A colour map from the background over blue and red to yellow: uniform in lightness, safe for colour blindness.
fn heat(part: f32, ground: Color32) -> Color32 {
    let stops = [
        ground,
        Color32::from_rgb(0x3B, 0x2C, 0x85),
        Color32::from_rgb(0xA0, 0x2C, 0x7D),
        Color32::from_rgb(0xEC, 0x69, 0x44),
        Color32::from_rgb(0xFB, 0xD9, 0x4A),
    ];
    let at = part.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
    let below = (at.floor() as usize).min(stops.len() - 2);
    match (stops.get(below), stops.get(below + 1)) {
        (Some(from), Some(to)) => style::mix(*from, *to, at - below as f32),
        _ => ground,
    }
}

impl PlotFrame {
    /// Returns the rectangle of the curves within that of the plot.
    pub fn frame(&self, painter: &Painter, outer: Rect, least: Sides) -> Frame {
        let mut frame = Frame::within(painter, outer, (self.x, self.left, self.right), &self.labels, least);
        if self.is_square {
            frame.make_square();
        }
        frame
    }

    pub fn paint(&self, painter: &Painter, frame: &Frame, theme: &Theme) {
        if let Some(space) = &self.space {
            space.axes_ui(painter, frame.outer, theme);
        } else {
            self.paint_flat(painter, frame, theme);
        }
        for layer in &self.layers {
            if let (Layer::Path { points, width, color }, Some(space)) = (layer, &self.space) {
                paint_path(painter, frame.outer, space, points, (*width, *color), theme);
            }
        }
        if !self.note.is_empty() {
            let right = if self.space.is_some() { frame.outer } else { frame.rect };
            let at = right.right_top() + eframe::egui::vec2(-6.0, 4.0);
            painter.text(at, Align2::RIGHT_TOP, &self.note, style::plain(TEXT_SMALL - 0.5), theme.text_weak);
        }
    }

    fn paint_flat(&self, painter: &Painter, frame: &Frame, theme: &Theme) {
        // Colours are below the grid, lines above it.
        for layer in self.layers.iter().filter(|layer| matches!(layer, Layer::Colors(_))) {
            paint_layer(painter, frame, layer, theme);
        }
        frame.axes_ui(painter, theme, &self.labels);
        for layer in self.layers.iter().filter(|layer| !matches!(layer, Layer::Colors(_))) {
            paint_layer(painter, frame, layer, theme);
        }
    }
}

/// Points further away are fainter.
fn paint_path(
    painter: &Painter,
    room: Rect,
    space: &Space,
    points: &[[f64; 3]],
    (width, color): (f32, Color32),
    theme: &Theme,
) {
    const LEVELS: usize = 5;
    let painter = painter.with_clip_rect(room.intersect(painter.clip_rect()));
    let level = |away: f64| (((away + 0.8) / 1.6 * LEVELS as f64).max(0.0) as usize).min(LEVELS - 1);
    let shade = |level: usize| style::mix(color, theme.panel, 0.5 * level as f32 / LEVELS as f32);
    let mut part: Vec<Pos2> = Vec::new();
    let mut at_level = 0;
    let draw = |part: &[Pos2], level: usize| stroke_ui(&painter, room, part, LineKind::Solid, width, shade(level));
    let mut last = None;
    for point in points {
        if point.iter().any(|value| !value.is_finite()) {
            draw(&part, at_level);
            part.clear();
            continue;
        }
        let (at, away) = space.at(room, *point);
        last = Some((at, away));
        // Points closer than this are merged.
        if part.last().is_some_and(|before| before.distance_sq(at) < 0.16) {
            continue;
        }
        part.push(at);
        if level(away) != at_level {
            draw(&part, at_level);
            part.clear();
            part.push(at);
            at_level = level(away);
        }
    }
    draw(&part, at_level);
    if let Some((at, away)) = last {
        painter.circle(at, width + 2.0, shade(level(away)), Stroke::new(1.5, theme.panel));
    }
}

fn paint_layer(painter: &Painter, frame: &Frame, layer: &Layer, theme: &Theme) {
    let clipped = painter.with_clip_rect(frame.rect.intersect(painter.clip_rect()));
    match layer {
        Layer::Curve { points, side, line, width, color } => {
            let points: Vec<Pos2> = points.iter().map(|point| frame.at(*side, *point)).collect();
            stroke_ui(painter, frame.rect, &points, *line, *width, *color);
        }
        Layer::Bars { bars, color } => {
            let floor = frame.y_of(AxisSide::Left, if frame.left.is_log { frame.left.low } else { 0.0 });
            for (from, to, height) in bars {
                let top = frame.y_of(AxisSide::Left, *height);
                if top.is_finite() {
                    let corners = (pos2(frame.x_of(*from), floor), pos2(frame.x_of(*to), top));
                    let bar = Rect::from_two_pos(corners.0, corners.1).shrink2(eframe::egui::vec2(0.5, 0.0));
                    clipped.rect(
                        bar,
                        1.0,
                        color.gamma_multiply(0.4),
                        Stroke::new(1.0, *color),
                        eframe::egui::StrokeKind::Inside,
                    );
                }
            }
        }
        Layer::Path { .. } => {}
        Layer::Band { edges, color } => band_ui(&clipped, frame, edges, *color),
        Layer::Colors(colors) => paint_colors(&clipped, frame, colors),
        Layer::Upright { x, color, name } => {
            let x = frame.x_of(*x).round() + 0.5;
            if frame.rect.x_range().contains(x) {
                painter.vline(x, frame.rect.y_range(), Stroke::new(1.0, *color));
                flag(painter, pos2(x, frame.rect.top()), Align2::CENTER_TOP, name, *color, theme);
            }
        }
        Layer::Level { y, side, color, name } => {
            let y = frame.y_of(*side, *y).round() + 0.5;
            if frame.rect.y_range().contains(y) {
                let line = [pos2(frame.rect.left(), y), pos2(frame.rect.right(), y)];
                clipped.extend(Shape::dashed_line(&line, Stroke::new(1.0, *color), 4.0, 4.0));
                flag(painter, pos2(frame.rect.left() + 12.0, y), Align2::CENTER_CENTER, name, *color, theme);
            }
        }
    }
}

/// Paints a name on a line.
fn flag(painter: &Painter, at: Pos2, align: Align2, name: &str, color: Color32, theme: &Theme) {
    if name.is_empty() {
        return;
    }
    let galley = painter.layout_no_wrap(name.to_owned(), style::strong(TEXT_SMALL - 1.0), theme.panel);
    let room = align.anchor_size(at, galley.size() + eframe::egui::vec2(8.0, 2.0));
    painter.rect_filled(room, 3.0, color);
    painter.galley(room.min + eframe::egui::vec2(4.0, 1.0), galley, theme.panel);
}

fn paint_colors(painter: &Painter, frame: &Frame, colors: &Colors) {
    let map = &colors.map;
    let corner = |x: f64, y: f64| frame.at(AxisSide::Left, (x, y));
    let room = Rect::from_two_pos(corner(map.x.0, map.y.0), corner(map.x.1, map.y.1));
    if let Some(texture) = colors.texture {
        let mut mesh = Mesh::with_texture(texture);
        // The first row is the lowest.
        for (at, uv) in [
            (room.left_bottom(), pos2(0.0, 0.0)),
            (room.right_bottom(), pos2(1.0, 0.0)),
            (room.right_top(), pos2(1.0, 1.0)),
            (room.left_top(), pos2(0.0, 1.0)),
        ] {
            mesh.vertices.push(Vertex { pos: at, uv, color: Color32::WHITE });
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3]);
        painter.add(Shape::mesh(mesh));
        return;
    }
    let size = eframe::egui::vec2(room.width() / map.columns as f32, room.height() / map.rows as f32);
    for (number, color) in colors.cells().enumerate() {
        let (column, row) = (number % map.columns, number / map.columns);
        let at = pos2(room.left() + column as f32 * size.x, room.bottom() - (row + 1) as f32 * size.y);
        // Slightly larger, so that no gaps appear between cells.
        let cell = Rect::from_min_size(at, size).expand(0.15).intersect(frame.rect);
        if cell.is_positive() {
            painter.rect_filled(cell, 0.0, color);
        }
    }
}
