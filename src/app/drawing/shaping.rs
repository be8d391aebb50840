//! Shapes texts for pictures: letters that join, that run from right to left, or that a font of the system has.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use eframe::egui::epaint::text::{FallbackRequest, FontData, FontProvider as _};
use eframe::egui::{Pos2, vec2};
use harfrust::{Direction, ShaperData, UnicodeBuffer};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::DrawSettings;
use skrifa::{FontRef, GlyphId, MetadataProvider};
use unicode_bidi::BidiInfo;

use super::glyphs::{Pen, faces_of};
use super::item::{Segment, Text};
use crate::app::ui::style;

/// The outlines of a text.
#[derive(Default)]
pub struct Shaped {
    pub path: Vec<Segment>,
    /// Letters for which there is no font; a box stands for each.
    pub missing: BTreeSet<char>,
}

/// The fonts of the system that texts needed so far.
static FOUND: Mutex<Vec<&'static FontData>> = Mutex::new(Vec::new());

/// Returns the outlines of a text, from left to right.
pub fn shaped(text: &Text) -> Shaped {
    let mut shaped = Shaped::default();
    let Some((_, start)) = text.letters.first() else { return shaped };
    let mut line = Line { text, faces: faces_of(&text.family), at: *start, shaped: &mut shaped };
    let info = BidiInfo::new(&text.content, None);
    for paragraph in &info.paragraphs {
        let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let is_rtl = levels.get(run.start).is_some_and(|level| level.is_rtl());
            let mut pieces = line.pieces(run);
            if is_rtl {
                pieces.reverse();
            }
            for (face, range) in pieces {
                line.add(face, range, is_rtl);
            }
        }
    }
    shaped
}

/// A line of text that is being drawn.
struct Line<'a> {
    text: &'a Text,
    faces: Vec<FontRef<'static>>,
    /// The end of the line so far, on the baseline.
    at: Pos2,
    shaped: &'a mut Shaped,
}

impl Line<'_> {
    /// Divides a run into pieces of one font each; None where no font has the letters.
    fn pieces(&mut self, run: Range<usize>) -> Vec<(Option<usize>, Range<usize>)> {
        let mut pieces: Vec<(Option<usize>, Range<usize>)> = Vec::new();
        let part = self.text.content.get(run.clone()).unwrap_or_default();
        for (offset, letter) in part.char_indices() {
            let start = run.start + offset;
            let end = start + letter.len_utf8();
            let last = pieces.last().and_then(|(face, _)| *face);
            // A letter stays in the font of the one before: marks and joiners belong to it.
            let face = last.filter(|face| self.has(*face, letter)).or_else(|| self.face_for(letter));
            match pieces.last_mut() {
                Some((known, range)) if *known == face => range.end = end,
                _ => pieces.push((face, start..end)),
            }
        }
        pieces
    }

    fn has(&self, face: usize, letter: char) -> bool {
        let is_invisible = matches!(letter, '\u{200c}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}');
        is_invisible || self.faces.get(face).is_some_and(|face| face.charmap().map(letter).is_some())
    }

    fn face_for(&mut self, letter: char) -> Option<usize> {
        let known = (0..self.faces.len()).find(|face| self.has(*face, letter));
        known.or_else(|| {
            let face = system_face(letter, self.text)?;
            self.faces.push(face);
            Some(self.faces.len() - 1)
        })
    }

    fn add(&mut self, face: Option<usize>, range: Range<usize>, is_rtl: bool) {
        let part = self.text.content.get(range).unwrap_or_default();
        let Some(face) = face.and_then(|face| self.faces.get(face)) else {
            part.chars().for_each(|letter| self.add_box(letter));
            return;
        };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(part);
        buffer.set_direction(if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight });
        buffer.guess_segment_properties();
        let data = ShaperData::new(face);
        let glyphs = data.shaper(face).build().shape(buffer, harfrust::ShapeOptions::default());
        let units = f32::from(face.metrics(Size::unscaled(), LocationRef::default()).units_per_em.max(1));
        let scale = self.text.size / units;
        let outlines = face.outline_glyphs();
        for (info, place) in glyphs.glyph_infos().iter().zip(glyphs.glyph_positions()) {
            let at = self.at + vec2(place.x_offset as f32, -place.y_offset as f32) * scale;
            if let Some(outline) = outlines.get(GlyphId::new(info.glyph_id)) {
                let settings = DrawSettings::unhinted(Size::new(self.text.size), LocationRef::default());
                // A glyph with an invalid outline is skipped; the rest of the text remains.
                let _ = outline.draw(settings, &mut Pen { at, path: &mut self.shaped.path });
            }
            self.at.x += place.x_advance as f32 * scale;
        }
    }

    fn add_box(&mut self, letter: char) {
        if letter.is_control() || letter.is_whitespace() {
            return;
        }
        self.shaped.missing.insert(letter);
        let (wide, high) = (0.6 * self.text.size, 0.7 * self.text.size);
        let mut frame = |inset: f32, is_inner: bool| {
            let (left, right) = (self.at.x + inset + 0.05 * wide, self.at.x + 0.95 * wide - inset);
            let (top, bottom) = (self.at.y - high + inset, self.at.y - inset);
            let mut corners =
                [Pos2::new(left, top), Pos2::new(right, top), Pos2::new(right, bottom), Pos2::new(left, bottom)];
            // The inner frame runs the other way: it is a hole.
            if is_inner {
                corners.reverse();
            }
            self.shaped.path.push(Segment::Move(corners[0]));
            self.shaped.path.extend(corners.iter().skip(1).map(|corner| Segment::Line(*corner)));
            self.shaped.path.push(Segment::Close);
        };
        frame(0.0, false);
        frame(0.06 * self.text.size, true);
        self.at.x += wide;
    }
}

/// Returns a font of the system with a letter.
fn system_face(letter: char, text: &Text) -> Option<FontRef<'static>> {
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let face = |data: &'static FontData| FontRef::from_index(data.font.as_ref().as_ref(), data.index).ok();
    let has = |face: &FontRef| face.charmap().map(letter).is_some();
    if let Some(known) = found.iter().filter_map(|data| face(data)).find(has) {
        return Some(known);
    }
    let cluster = letter.to_string();
    let insert = style::system_fonts().font_for(&FallbackRequest { cluster: &cluster, family: &text.family })?;
    // A font is kept as long as the program runs: there are as many as the user has scripts.
    let data: &'static FontData = Box::leak(Box::new(insert.data));
    found.push(data);
    face(data).filter(has)
}
