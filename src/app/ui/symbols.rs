//! Symbols that libraries draw as text and no font here has: lines, drawn at any size.

use eframe::egui::{
    Color32, ColorImage, Context, FontPriority, GlyphBitmap, GlyphRasterizer, GlyphRasterizerRequest, Pos2,
    RasterizedGlyph, pos2, vec2,
};

/// Lines in a square of side 1, with the origin at the top left.
type Lines = &'static [&'static [(f32, f32)]];

/// Two pages, for a button that copies; a tick, for a text that has been copied.
const SYMBOLS: [(&str, Lines); 2] = [
    (
        "🗐",
        &[
            &[(0.12, 0.12), (0.62, 0.12), (0.62, 0.72), (0.12, 0.72), (0.12, 0.12)],
            &[(0.72, 0.3), (0.84, 0.3), (0.84, 0.9), (0.34, 0.9), (0.34, 0.82)],
        ],
    ),
    ("✔", &[&[(0.12, 0.55), (0.4, 0.82), (0.88, 0.22)]]),
];

/// The width of lines, as a part of the square's side.
const LINE: f32 = 0.09;

/// Lets the symbols be drawn where texts contain them.
pub fn install(ctx: &Context) {
    ctx.add_glyph_rasterizer(GlyphRasterizer::new("simulate::symbols", drawn).with_priority(FontPriority::Lowest));
}

fn drawn(request: &GlyphRasterizerRequest) -> Option<RasterizedGlyph> {
    let (_, lines) = SYMBOLS.iter().find(|(text, _)| *text == request.cluster)?;
    let size = request.font_size_px;
    let side = size.ceil().clamp(1.0, 512.0) as usize;
    let pixel = |index: usize| {
        let (x, y) = (index % side, index / side);
        let at = pos2(x as f32 + 0.5 - request.subpixel_offset_px, y as f32 + 0.5);
        let far = distance(lines, at, size);
        // Full within the line, and a pixel of transition at its edge.
        let cover = (0.5 * (LINE * size).max(1.0) - far + 0.5).clamp(0.0, 1.0);
        Color32::from_white_alpha((255.0 * cover).round() as u8)
    };
    let image = ColorImage::new([side, side], (0..side * side).map(pixel).collect());
    // The square stands a little below the line of letters, as high as capitals and descenders.
    let offset_px = vec2(0.0, -0.85 * size);
    Some(RasterizedGlyph { bitmap: GlyphBitmap { image, offset_px, is_color: false }, advance_px: size })
}

/// The distance of a point from lines that are scaled to a square, in pixels.
fn distance(lines: Lines, at: Pos2, size: f32) -> f32 {
    let corner = |(x, y): (f32, f32)| pos2(x * size, y * size);
    let segments = lines.iter().flat_map(|line| line.windows(2)).map(|pair| (corner(pair[0]), corner(pair[1])));
    let far = |(from, to): (Pos2, Pos2)| {
        let way = to - from;
        let part = ((at - from).dot(way) / way.length_sq().max(f32::EPSILON)).clamp(0.0, 1.0);
        (at - (from + part * way)).length()
    };
    segments.map(far).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_drawn_and_letters_are_left_to_fonts() {
        let of = |cluster| {
            let family = eframe::egui::FontFamily::Proportional;
            drawn(&GlyphRasterizerRequest { cluster, family: &family, font_size_px: 20.0, subpixel_offset_px: 0.0 })
        };
        assert!(of("a").is_none());
        let tick = of("✔").expect("a symbol").bitmap.image;
        let alpha = |x: usize, y: usize| tick.pixels[y * tick.width() + x].a();
        // Its lowest corner is at (8, 16.4); the top left is empty.
        assert_eq!((alpha(7, 15), alpha(1, 1)), (255, 0));
    }
}
