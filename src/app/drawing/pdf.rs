//! Writes drawings as the pages of a PDF; letters are outlines, so that no font is needed.

use eframe::egui::{Color32, Pos2};
use pdf_writer::{Content, Filter, Finish as _, Pdf, Rect, Ref, TextStr};

use super::{Drawing, Item, Segment, glyphs, on_white};

pub fn write(drawings: &[Drawing]) -> Vec<u8> {
    let (catalog, tree, outline) = (Ref::new(1), Ref::new(2), Ref::new(3));
    let reference = |number: usize, place: i32| Ref::new(4 + 3 * number as i32 + place);
    let page = |number: usize| reference(number, 0);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree).outlines(outline);
    pdf.pages(tree).kids((0..drawings.len()).map(page)).count(drawings.len() as i32);
    for (number, drawing) in drawings.iter().enumerate() {
        let content = reference(number, 1);
        let mut dictionary = pdf.page(page(number));
        dictionary.media_box(Rect::new(0.0, 0.0, drawing.size.x, drawing.size.y)).parent(tree).contents(content);
        dictionary.resources();
        dictionary.finish();
        let bytes = compressed(&content_of(drawing));
        pdf.stream(content, &bytes).filter(Filter::FlateDecode);
    }
    // Bookmarks list the models by name.
    let entry = |number: usize| reference(number, 2);
    if let Some(last) = drawings.len().checked_sub(1) {
        pdf.outline(outline).first(entry(0)).last(entry(last)).count(drawings.len() as i32);
    }
    for (number, drawing) in drawings.iter().enumerate() {
        let mut item = pdf.outline_item(entry(number));
        item.title(TextStr(&drawing.title)).parent(outline);
        if number > 0 {
            item.prev(entry(number - 1));
        }
        if number + 1 < drawings.len() {
            item.next(entry(number + 1));
        }
        item.dest().page(page(number)).fit();
    }
    pdf.document_info(reference(drawings.len(), 0)).creator(TextStr("Simulate"));
    pdf.finish()
}

fn content_of(drawing: &Drawing) -> Vec<u8> {
    let mut content = Content::new();
    // In PDF, y points upwards.
    content.transform([1.0, 0.0, 0.0, -1.0, 0.0, drawing.size.y]);
    content.set_line_join(pdf_writer::types::LineJoinStyle::RoundJoin);
    for item in &drawing.items {
        match item {
            Item::Path { path, fill, stroke } => {
                if let Some(fill) = fill {
                    let [red, green, blue] = parts(*fill);
                    content.set_fill_rgb(red, green, blue);
                }
                if let Some((width, color)) = stroke {
                    let [red, green, blue] = parts(*color);
                    content.set_stroke_rgb(red, green, blue).set_line_width(*width);
                }
                trace(&mut content, path);
                match (fill, stroke) {
                    (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
                    (Some(_), None) => content.fill_nonzero(),
                    (None, Some(_)) => content.stroke(),
                    (None, None) => content.end_path(),
                };
            }
            Item::Text(text) => {
                let path = glyphs::outlines(text);
                if path.is_empty() {
                    continue;
                }
                let [red, green, blue] = parts(text.color);
                content.set_fill_rgb(red, green, blue);
                trace(&mut content, &path);
                content.fill_nonzero();
            }
        }
    }
    content.finish().to_vec()
}

fn trace(content: &mut Content, path: &[Segment]) {
    let mut last = Pos2::ZERO;
    for segment in path {
        match *segment {
            Segment::Move(to) => {
                content.move_to(to.x, to.y);
                last = to;
            }
            Segment::Line(to) => {
                content.line_to(to.x, to.y);
                last = to;
            }
            // PDF has cubic curves only.
            Segment::Quad(by, to) => {
                let (first, second) = (last.lerp(by, 2.0 / 3.0), to.lerp(by, 2.0 / 3.0));
                content.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
                last = to;
            }
            Segment::Cubic(first, second, to) => {
                content.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
                last = to;
            }
            Segment::Close => {
                content.close_path();
            }
        }
    }
}

fn parts(color: Color32) -> [f32; 3] {
    on_white(color).map(|part| f32::from(part) / 255.0)
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
