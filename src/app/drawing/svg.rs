//! Writes a drawing as SVG, with texts as text elements.

use std::fmt::Write as _;

use eframe::egui::{Color32, FontFamily};

use super::item::{Drawing, Item, Segment, Text, on_white};
use crate::app::ui::bidi;

pub fn write(drawing: &Drawing) -> String {
    let (width, height) = (number(drawing.size.x), number(drawing.size.y));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Inter, Helvetica, Arial, sans-serif\">\n\t<title>{}</title>\n\t<rect width=\"{width}\" \
         height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(&drawing.title)
    );
    for item in &drawing.items {
        match item {
            Item::Path { path, fill, stroke } => path_tag(&mut out, path, *fill, *stroke),
            Item::Text(text) => text_tag(&mut out, text),
        }
    }
    for link in &drawing.links {
        let (at, size) = (link.rect.min, link.rect.size());
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "\t<a href=\"#{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"0\"/></a>",
            escaped(&link.to),
            number(at.x),
            number(at.y),
            number(size.x),
            number(size.y),
        );
    }
    out.push_str("</svg>\n");
    out
}

fn path_tag(out: &mut String, path: &[Segment], fill: Option<Color32>, stroke: Option<(f32, Color32)>) {
    let mut data = String::new();
    for segment in path {
        // Writing to a string does not fail.
        let _ = match segment {
            Segment::Move(to) => write!(data, "M{} {}", number(to.x), number(to.y)),
            Segment::Line(to) => write!(data, "L{} {}", number(to.x), number(to.y)),
            Segment::Quad(by, to) => {
                write!(data, "Q{} {} {} {}", number(by.x), number(by.y), number(to.x), number(to.y))
            }
            Segment::Cubic(first, second, to) => {
                let points = [first, second, to].map(|point| format!("{} {}", number(point.x), number(point.y)));
                write!(data, "C{}", points.join(" "))
            }
            Segment::Close => write!(data, "Z"),
        };
    }
    let fill = fill.map_or_else(|| "none".to_owned(), hex);
    let _ = write!(out, "\t<path d=\"{data}\" fill=\"{fill}\"");
    if let Some((width, color)) = stroke {
        let (width, color) = (number(width), hex(color));
        let _ = write!(out, " stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"");
    }
    out.push_str("/>\n");
}

/// The width is written too, so that a replacement font takes the same space.
fn text_tag(out: &mut String, text: &Text) {
    let Some((_, at)) = text.letters.first() else { return };
    let letters = &text.content;
    if letters.trim().is_empty() {
        return;
    }
    // A line that begins from the right is placed by its right end.
    let first = letters.chars().find(|letter| letter.is_alphabetic());
    let (direction, x) = match first.is_some_and(bidi::is_right_to_left) {
        true => (" direction=\"rtl\"", at.x + text.width),
        false => ("", at.x),
    };
    let weight = match &text.family {
        FontFamily::Name(name) if &**name == "strong" => " font-weight=\"600\"",
        FontFamily::Monospace => " font-family=\"monospace\"",
        _ => "",
    };
    let _ = writeln!(
        out,
        "\t<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight}{direction} textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" \
         fill=\"{}\">{}</text>",
        number(x),
        number(at.y),
        number(text.size),
        number(text.width),
        hex(text.color),
        escaped(letters)
    );
}

fn hex(color: Color32) -> String {
    let [red, green, blue] = on_white(color);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A hundredth of a point is precise enough for any printer.
fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a text as it is written in an element or an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
