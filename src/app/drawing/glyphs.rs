//! Glyph outlines from the fonts of the window.

use std::sync::OnceLock;

use eframe::egui::{FontDefinitions, FontFamily, Pos2, pos2};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider};

use super::{Segment, Text};
use crate::app::ui::style;

/// Returns the outlines of a text's letters; letters that no font contains are skipped.
pub fn outlines(text: &Text) -> Vec<Segment> {
    static FONTS: OnceLock<FontDefinitions> = OnceLock::new();
    let fonts = FONTS.get_or_init(style::fonts);
    let names = fonts.families.get(&text.family).or_else(|| fonts.families.get(&FontFamily::Proportional));
    let faces: Vec<FontRef> = names
        .into_iter()
        .flatten()
        .filter_map(|name| fonts.font_data.get(name))
        .filter_map(|data| FontRef::from_index(data.font.as_ref().as_ref(), data.index).ok())
        .collect();
    let mut path = Vec::new();
    for (letter, at) in &text.letters {
        let found = faces.iter().find_map(|face| Some((face, face.charmap().map(*letter)?)));
        let Some((face, glyph)) = found else { continue };
        let Some(outline) = face.outline_glyphs().get(glyph) else { continue };
        let settings = DrawSettings::unhinted(Size::new(text.size), LocationRef::default());
        let mut pen = Pen { at: *at, path: &mut path };
        // A glyph with an invalid outline is skipped; the rest of the text remains.
        let _ = outline.draw(settings, &mut pen);
    }
    path
}

struct Pen<'a> {
    at: Pos2,
    path: &'a mut Vec<Segment>,
}

impl Pen<'_> {
    /// In fonts, y points upwards.
    fn position(&self, x: f32, y: f32) -> Pos2 {
        pos2(self.at.x + x, self.at.y - y)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.position(x, y);
        self.path.push(Segment::Move(to));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.position(x, y);
        self.path.push(Segment::Line(to));
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        let (by, to) = (self.position(cx0, cy0), self.position(x, y));
        self.path.push(Segment::Quad(by, to));
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (first, second, to) = (self.position(cx0, cy0), self.position(cx1, cy1), self.position(x, y));
        self.path.push(Segment::Cubic(first, second, to));
    }

    fn close(&mut self) {
        self.path.push(Segment::Close);
    }
}
