//! Converts painted shapes into a [`Drawing`].

use eframe::egui::epaint::{CircleShape, ColorMode, PathShape, PathStroke, RectShape, TextShape};
use eframe::egui::{self, Color32, FontFamily, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use super::clip;
use super::item::{Drawing, Item, Segment, Text};
use crate::app::ui::{bidi, style};

/// Pixels per point while drawing.
const FINENESS: f32 = 4.0;
/// Opacity below which a shape is a shadow or glow.
const FAINT: u8 = 30;

/// Captures what `paint` draws into a rectangle of this size at the origin.
pub fn drawing_of(title: &str, size: egui::Vec2, paint: impl FnOnce(&egui::Painter)) -> Drawing {
    Drawing { title: title.to_owned(), size, items: items_of(|painter, _| paint(painter)), ..Drawing::default() }
}

/// Returns the shapes painted in a separate egui context, also by widgets in the [`egui::Ui`].
pub fn items_of(paint: impl FnOnce(&egui::Painter, &mut egui::Ui)) -> Vec<Item> {
    let ctx = egui::Context::default();
    style::apply(&ctx);
    ctx.set_theme(egui::ThemePreference::Light);
    bidi::keep_as_read(&ctx);
    let mut input = egui::RawInput::default();
    // Letters are positioned with subpixel precision.
    if let Some(viewport) = input.viewports.get_mut(&egui::ViewportId::ROOT) {
        viewport.native_pixels_per_point = Some(FINENESS);
    }
    let mut paint = Some(paint);
    let mut output = ctx.run_ui(input, |ui| {
        let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("picture"));
        let painter = egui::Painter::new(ui.ctx().clone(), layer, Rect::EVERYTHING);
        let all = egui::UiBuilder::new().layer_id(layer).max_rect(Rect::EVERYTHING);
        let mut ui = ui.new_child(all);
        ui.set_clip_rect(Rect::EVERYTHING);
        if let Some(paint) = paint.take() {
            paint(&painter, &mut ui);
        }
    });
    // Letters are drawn from outlines, so that no texture is needed.
    output.textures_delta.clear();
    let mut items = Vec::new();
    for clipped in std::mem::take(&mut output.shapes) {
        let known = items.len();
        add(&mut items, clipped.shape);
        let drawn = items.split_off(known);
        items.extend(drawn.into_iter().flat_map(|item| clip::clipped(item, clipped.clip_rect)));
    }
    items
}

/// Returns the bounds of an item with its stroke.
pub fn bounds_of(item: &Item) -> Rect {
    match item {
        Item::Path { path, stroke, .. } => {
            let mut bounds = Rect::NOTHING;
            path.iter()
                .for_each(|segment| points_of(*segment).into_iter().flatten().for_each(|at| bounds.extend_with(at)));
            bounds.expand(stroke.map_or(0.0, |(width, _)| width / 2.0))
        }
        Item::Text(text) => {
            let start = text.letters.first().map_or(Pos2::ZERO, |(_, at)| *at);
            Rect::from_min_max(start - vec2(0.0, text.size), start + vec2(text.width, text.size * 0.3))
        }
    }
}

fn points_of(segment: Segment) -> [Option<Pos2>; 3] {
    match segment {
        Segment::Move(to) | Segment::Line(to) => [Some(to), None, None],
        Segment::Quad(by, to) => [Some(by), Some(to), None],
        Segment::Cubic(first, second, to) => [Some(first), Some(second), Some(to)],
        Segment::Close => [None; 3],
    }
}

/// Moves an item.
pub fn shift(item: &mut Item, by: egui::Vec2) {
    match item {
        Item::Path { path, .. } => {
            for segment in path {
                *segment = match *segment {
                    Segment::Move(to) => Segment::Move(to + by),
                    Segment::Line(to) => Segment::Line(to + by),
                    Segment::Quad(over, to) => Segment::Quad(over + by, to + by),
                    Segment::Cubic(first, second, to) => Segment::Cubic(first + by, second + by, to + by),
                    Segment::Close => Segment::Close,
                };
            }
        }
        Item::Text(text) => text.letters.iter_mut().for_each(|(_, at)| *at += by),
    }
}

/// Returns an item scaled about the origin, then moved.
pub fn scaled(item: &Item, scale: f32, offset: egui::Vec2) -> Item {
    let transform = |at: Pos2| (at.to_vec2() * scale + offset).to_pos2();
    match item {
        Item::Path { path, fill, stroke } => {
            let segment = |segment: &Segment| match *segment {
                Segment::Move(to) => Segment::Move(transform(to)),
                Segment::Line(to) => Segment::Line(transform(to)),
                Segment::Quad(over, to) => Segment::Quad(transform(over), transform(to)),
                Segment::Cubic(first, second, to) => Segment::Cubic(transform(first), transform(second), transform(to)),
                Segment::Close => Segment::Close,
            };
            let stroke = stroke.map(|(width, color)| (width * scale, color));
            Item::Path { path: path.iter().map(segment).collect(), fill: *fill, stroke }
        }
        Item::Text(text) => Item::Text(Text {
            content: text.content.clone(),
            letters: text.letters.iter().map(|(letter, at)| (*letter, transform(*at))).collect(),
            width: text.width * scale,
            size: text.size * scale,
            ..text.clone()
        }),
    }
}

fn add(items: &mut Vec<Item>, shape: Shape) {
    match shape {
        Shape::Vec(shapes) => shapes.into_iter().for_each(|shape| add(items, shape)),
        Shape::Circle(circle) => add_circle(items, &circle),
        Shape::LineSegment { points: [from, to], stroke } => {
            add_path(items, vec![Segment::Move(from), Segment::Line(to)], Color32::TRANSPARENT, stroke);
        }
        Shape::Path(path) => add_points(items, &path),
        Shape::Rect(rect) => add_rect(items, &rect),
        Shape::Text(text) => add_text(items, &text),
        Shape::Ellipse(ellipse) => {
            let path = round(ellipse.center, ellipse.radius);
            add_path(items, path, ellipse.fill, ellipse.stroke);
        }
        Shape::QuadraticBezier(curve) => {
            let [from, by, to] = curve.points;
            add_path(items, vec![Segment::Move(from), Segment::Quad(by, to)], curve.fill, plain(&curve.stroke));
        }
        Shape::CubicBezier(curve) => {
            let [from, first, second, to] = curve.points;
            let path = vec![Segment::Move(from), Segment::Cubic(first, second, to)];
            add_path(items, path, curve.fill, plain(&curve.stroke));
        }
        // Meshes occur only at low zoom; images do not occur.
        _ => {}
    }
}

fn add_path(items: &mut Vec<Item>, path: Vec<Segment>, fill: Color32, stroke: Stroke) {
    let fill = Some(fill).filter(|fill| fill.a() > FAINT);
    let stroke = Some((stroke.width, stroke.color)).filter(|(width, color)| *width > 0.0 && color.a() > FAINT);
    // A soft line around a shape is a glow.
    if fill.is_some() || stroke.is_some() {
        items.push(Item::Path { path, fill, stroke });
    }
}

fn plain(stroke: &PathStroke) -> Stroke {
    match stroke.color {
        ColorMode::Solid(color) => Stroke::new(stroke.width, color),
        ColorMode::UV(_) => Stroke::NONE,
    }
}

fn add_points(items: &mut Vec<Item>, shape: &PathShape) {
    let mut path: Vec<Segment> = shape.points.iter().map(|point| Segment::Line(*point)).collect();
    let Some(first) = path.first_mut() else { return };
    if let Segment::Line(point) = *first {
        *first = Segment::Move(point);
    }
    if shape.closed {
        path.push(Segment::Close);
    }
    add_path(items, path, shape.fill, plain(&shape.stroke));
}

/// Length of the Bézier handles of a quarter circle of radius 1.
const HANDLE: f32 = 0.552_285;

fn round(center: Pos2, radius: egui::Vec2) -> Vec<Segment> {
    let at = |x: f32, y: f32| center + vec2(x * radius.x, y * radius.y);
    vec![
        Segment::Move(at(1.0, 0.0)),
        Segment::Cubic(at(1.0, HANDLE), at(HANDLE, 1.0), at(0.0, 1.0)),
        Segment::Cubic(at(-HANDLE, 1.0), at(-1.0, HANDLE), at(-1.0, 0.0)),
        Segment::Cubic(at(-1.0, -HANDLE), at(-HANDLE, -1.0), at(0.0, -1.0)),
        Segment::Cubic(at(HANDLE, -1.0), at(1.0, -HANDLE), at(1.0, 0.0)),
        Segment::Close,
    ]
}

fn add_circle(items: &mut Vec<Item>, circle: &CircleShape) {
    add_path(items, round(circle.center, vec2(circle.radius, circle.radius)), circle.fill, circle.stroke);
}

fn add_rect(items: &mut Vec<Item>, shape: &RectShape) {
    let half = shape.stroke.width / 2.0;
    let rect = match shape.stroke_kind {
        StrokeKind::Inside => shape.rect.shrink(half),
        StrokeKind::Outside => shape.rect.expand(half),
        StrokeKind::Middle => shape.rect,
    };
    let most = rect.width().min(rect.height()) / 2.0;
    let radius = f32::from(shape.corner_radius.nw).min(most);
    let (left, right, top, bottom) = (rect.left(), rect.right(), rect.top(), rect.bottom());
    let path = if radius > 0.1 {
        let reach = radius * (1.0 - HANDLE);
        vec![
            Segment::Move(pos2(left + radius, top)),
            Segment::Line(pos2(right - radius, top)),
            Segment::Cubic(pos2(right - reach, top), pos2(right, top + reach), pos2(right, top + radius)),
            Segment::Line(pos2(right, bottom - radius)),
            Segment::Cubic(pos2(right, bottom - reach), pos2(right - reach, bottom), pos2(right - radius, bottom)),
            Segment::Line(pos2(left + radius, bottom)),
            Segment::Cubic(pos2(left + reach, bottom), pos2(left, bottom - reach), pos2(left, bottom - radius)),
            Segment::Line(pos2(left, top + radius)),
            Segment::Cubic(pos2(left, top + reach), pos2(left + reach, top), pos2(left + radius, top)),
            Segment::Close,
        ]
    } else {
        let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom()];
        let [first, rest @ ..] = corners;
        let rest = rest.into_iter().map(Segment::Line);
        std::iter::once(Segment::Move(first)).chain(rest).chain([Segment::Close]).collect()
    };
    add_path(items, path, shape.fill, shape.stroke);
}

/// Returns the letter of a glyph. A mark above a letter, as in x̂, has a glyph of its own that names the letter below it.
fn letter_of(text: &str, byte: usize, named: char) -> char {
    match text.get(byte..).and_then(|rest| rest.chars().next()) {
        Some(mark @ '\u{300}'..='\u{36f}') => mark,
        _ => named,
    }
}

/// Splits a text where line, font or colour change.
fn add_text(items: &mut Vec<Item>, shape: &TextShape) {
    let job = &shape.galley.job;
    let mut byte = 0;
    for row in &shape.galley.rows {
        let mut open: Option<(usize, Text)> = None;
        // There is a glyph for each letter. They are in the order in which they are seen, the letters in that in which
        // they are read.
        let rest = job.text.get(byte..).unwrap_or_default();
        for (glyph, read) in row.glyphs.iter().zip(rest.chars()) {
            let section = job.sections.iter().position(|section| {
                let range = &section.byte_range;
                (usize::from(range.start)..usize::from(range.end)).contains(&byte)
            });
            let section = section.unwrap_or(job.sections.len().saturating_sub(1));
            let letter = letter_of(&job.text, byte, glyph.chr);
            byte += read.len_utf8();
            let at = shape.pos + row.pos.to_vec2() + glyph.pos.to_vec2();
            match &mut open {
                Some((known, text)) if *known == section => {
                    text.content.push(read);
                    text.letters.push((letter, at));
                    let start = text.letters.first().map_or(at.x, |(_, first)| first.x);
                    text.width = text.width.max(at.x + glyph.advance_width - start);
                }
                _ => {
                    items.extend(open.take().map(|(_, text)| Item::Text(text)));
                    let format = job.sections.get(section).map(|section| &section.format);
                    let color = format.map_or(Color32::PLACEHOLDER, |format| format.color);
                    let color = if color == Color32::PLACEHOLDER { shape.fallback_color } else { color };
                    open = Some((
                        section,
                        Text {
                            content: read.to_string(),
                            letters: vec![(letter, at)],
                            width: glyph.advance_width,
                            size: format.map_or(12.0, |format| format.font_id.size),
                            family: format.map_or(FontFamily::Proportional, |format| format.font_id.family.clone()),
                            color: shape.override_text_color.unwrap_or(color),
                        },
                    ));
                }
            }
        }
        items.extend(open.take().map(|(_, text)| Item::Text(text)));
        byte += usize::from(row.ends_with_newline);
    }
}
