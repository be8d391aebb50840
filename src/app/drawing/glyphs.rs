//! Glyph outlines from the fonts of the window.

use std::sync::OnceLock;

use eframe::egui::{FontDefinitions, FontFamily, Pos2, pos2};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, MetadataProvider};

use super::item::{Segment, Text};
use super::shaping::{Shaped, shaped};
use crate::app::ui::style;

/// Returns the outlines of a text's letters.
pub fn outlines(text: &Text) -> Shaped {
    let faces = faces_of(&text.family);
    let is_placed = |letter: char| !joins(letter) && faces.iter().any(|face| face.charmap().map(letter).is_some());
    if !text.content.chars().all(|letter| is_placed(letter) || letter.is_whitespace()) {
        return shaped(text);
    }
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
    Shaped { path, ..Shaped::default() }
}

/// Returns the fonts of a family that the program brings.
pub fn faces_of(family: &FontFamily) -> Vec<FontRef<'static>> {
    static FONTS: OnceLock<FontDefinitions> = OnceLock::new();
    let fonts = FONTS.get_or_init(style::fonts);
    let names = fonts.families.get(family).or_else(|| fonts.families.get(&FontFamily::Proportional));
    let data = names.into_iter().flatten().filter_map(|name| fonts.font_data.get(name));
    data.filter_map(|data| FontRef::from_index(data.font.as_ref().as_ref(), data.index).ok()).collect()
}

/// Whether a letter may take another form, or another place, beside others: those of Hebrew, Arabic, India and
/// South East Asia.
fn joins(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{10ff}' | '\u{1780}'..='\u{18af}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
        || ('\u{10800}'..='\u{11fff}').contains(&letter)
}

pub struct Pen<'a> {
    pub at: Pos2,
    pub path: &'a mut Vec<Segment>,
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
