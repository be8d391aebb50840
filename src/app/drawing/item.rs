//! The items of a drawing: lines, areas, texts, links.

use eframe::egui::{Color32, Pos2, Rect, Vec2};

/// A drawing in points, with the origin at its top left corner.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    pub title: String,
    pub size: Vec2,
    pub items: Vec<Item>,
    /// Areas that lead elsewhere when they are clicked.
    pub links: Vec<Link>,
    /// Where links lead.
    pub anchors: Vec<Anchor>,
}

/// An area that leads to an anchor: of another page in a .pdf, of the page that it is part of as .svg.
#[derive(Clone, Debug)]
pub struct Link {
    pub rect: Rect,
    /// The name of the anchor.
    pub to: String,
}

/// A place that links lead to, and that a .pdf lists beside its pages.
#[derive(Clone, Debug)]
pub struct Anchor {
    pub name: String,
    pub y: f32,
    pub title: String,
}

#[derive(Clone, Debug)]
pub enum Item {
    Path { path: Vec<Segment>, fill: Option<Color32>, stroke: Option<(f32, Color32)> },
    Text(Text),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    Move(Pos2),
    Line(Pos2),
    Quad(Pos2, Pos2),
    Cubic(Pos2, Pos2, Pos2),
    Close,
}

/// A text on one line, in one font and colour.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text as it is read.
    pub content: String,
    /// Each letter with the left end of its baseline, as it is seen.
    pub letters: Vec<(char, Pos2)>,
    pub width: f32,
    /// Font size in points.
    pub size: f32,
    pub family: eframe::egui::FontFamily,
    pub color: Color32,
}

/// Blends a colour with white: pictures have no transparency, which printers and viewers handle differently.
pub fn on_white(color: Color32) -> [u8; 3] {
    let [red, green, blue, alpha] = color.to_array();
    let white = 255 - alpha;
    [red, green, blue].map(|part| part.saturating_add(white))
}
