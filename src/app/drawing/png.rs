//! Writes a drawing as PNG.

use eframe::egui::{Color32, Pos2};
use vello_cpu::kurbo::{Affine, BezPath, Join, Point, Rect, Stroke};
use vello_cpu::{Pixmap, RenderContext, Resources, peniko};

use super::item::{Drawing, Item, Segment, on_white};
use super::{PictureError, glyphs};

/// Maximum number of pixels; viewers cannot open larger pictures.
const MAX_PIXELS: f32 = 200e6;

/// `scale` is in pixels per point.
pub fn write(drawing: &Drawing, scale: f32) -> Result<Vec<u8>, PictureError> {
    let size = (drawing.size * scale).ceil();
    let fits = |length: f32| length >= 1.0 && length < f32::from(u16::MAX);
    if !(fits(size.x) && fits(size.y)) || size.x * size.y > MAX_PIXELS {
        return Err(PictureError::TooLarge);
    }
    let (width, height) = (size.x as u16, size.y as u16);
    let mut context = RenderContext::new(width, height);
    context.set_paint(color(Color32::WHITE));
    context.fill_rect(&Rect::new(0.0, 0.0, f64::from(width), f64::from(height)));
    context.set_transform(Affine::scale(f64::from(scale)));
    for item in &drawing.items {
        match item {
            Item::Path { path, fill, stroke } => {
                let path = bezier(path);
                if let Some(fill) = fill {
                    context.set_paint(color(*fill));
                    context.fill_path(&path);
                }
                if let Some((width, line)) = stroke {
                    context.set_stroke(Stroke::new(f64::from(*width)).with_join(Join::Round));
                    context.set_paint(color(*line));
                    context.stroke_path(&path);
                }
            }
            Item::Text(text) => {
                context.set_paint(color(text.color));
                context.fill_path(&bezier(&glyphs::outlines(text).path));
            }
        }
    }
    let mut pixels = Pixmap::new(width, height);
    context.flush();
    context.render(&mut pixels, &mut Resources::new());
    let rgb: Vec<u8> =
        pixels.data_as_u8_slice().chunks_exact(4).flat_map(|pixel| pixel.iter().take(3)).copied().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, u32::from(width), u32::from(height));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&rgb));
    written.map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes)
}

fn color(color: Color32) -> peniko::color::AlphaColor<peniko::color::Srgb> {
    let [red, green, blue] = on_white(color);
    peniko::color::AlphaColor::from_rgb8(red, green, blue)
}

fn bezier(path: &[Segment]) -> BezPath {
    let point = |point: &Pos2| Point::new(f64::from(point.x), f64::from(point.y));
    let mut bezier = BezPath::new();
    let mut is_open = false;
    for segment in path {
        // A valid path starts with a move.
        match segment {
            Segment::Move(to) => bezier.move_to(point(to)),
            _ if !is_open => continue,
            Segment::Line(to) => bezier.line_to(point(to)),
            Segment::Quad(by, to) => bezier.quad_to(point(by), point(to)),
            Segment::Cubic(first, second, to) => bezier.curve_to(point(first), point(second), point(to)),
            Segment::Close => bezier.close_path(),
        }
        is_open = true;
    }
    bezier
}
