//! Writes drawings as the pages of a PDF; letters are outlines, so that no font is needed.

use eframe::egui::{Color32, Pos2};
use pdf_writer::types::{ActionType, AnnotationType};
use pdf_writer::writers::Destination;
use pdf_writer::{Content, Filter, Finish as _, Pdf, Rect, Ref, TextStr};

use super::glyphs;
use super::item::{Drawing, Item, Link, Segment, on_white};

/// Returns a document of these pages. Its bookmarks are the anchors of the pages, or the pages where there are none.
pub fn write(title: &str, drawings: &[Drawing]) -> Vec<u8> {
    let (catalog, tree, outline, info) = (Ref::new(1), Ref::new(2), Ref::new(3), Ref::new(4));
    let page = |number: usize| Ref::new(5 + 2 * number as i32);
    let content = |number: usize| Ref::new(6 + 2 * number as i32);
    let bookmark = |number: usize| Ref::new(5 + 2 * drawings.len() as i32 + number as i32);
    let targets = targets(drawings);
    let target_of = |link: &Link| targets.iter().find(|target| target.name == link.to);
    let mut next_link = 5 + 2 * drawings.len() as i32 + targets.len() as i32;
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree).outlines(outline);
    pdf.pages(tree).kids((0..drawings.len()).map(page)).count(drawings.len() as i32);
    for (number, drawing) in drawings.iter().enumerate() {
        let mut dictionary = pdf.page(page(number));
        dictionary
            .media_box(Rect::new(0.0, 0.0, drawing.size.x, drawing.size.y))
            .parent(tree)
            .contents(content(number));
        dictionary.resources();
        let with_target = drawing.links.iter().filter_map(|link| Some((link, target_of(link)?)));
        let links: Vec<_> = with_target.collect();
        let first = next_link;
        next_link += links.len() as i32;
        if !links.is_empty() {
            dictionary.annotations((first..next_link).map(Ref::new));
        }
        dictionary.finish();
        let bytes = compressed(&content_of(drawing));
        pdf.stream(content(number), &bytes).filter(Filter::FlateDecode);
        for (number, (link, target)) in (first..next_link).zip(links) {
            let mut annotation = pdf.annotation(Ref::new(number));
            let (rect, height) = (link.rect, drawing.size.y);
            annotation.subtype(AnnotationType::Link);
            annotation.rect(Rect::new(rect.min.x, height - rect.max.y, rect.max.x, height - rect.min.y));
            annotation.border(0.0, 0.0, 0.0, None);
            let mut action = annotation.action();
            action.action_type(ActionType::GoTo);
            target.write(action.destination(), page);
        }
    }
    if let Some(last) = targets.len().checked_sub(1) {
        pdf.outline(outline).first(bookmark(0)).last(bookmark(last)).count(targets.len() as i32);
    }
    for (number, target) in targets.iter().enumerate() {
        let mut item = pdf.outline_item(bookmark(number));
        item.title(TextStr(target.title)).parent(outline);
        if number > 0 {
            item.prev(bookmark(number - 1));
        }
        if number + 1 < targets.len() {
            item.next(bookmark(number + 1));
        }
        target.write(item.dest(), page);
    }
    let mut about = pdf.document_info(info);
    about.creator(TextStr("Simulate"));
    if !title.is_empty() {
        about.title(TextStr(title));
    }
    about.finish();
    pdf.finish()
}

/// Where bookmarks and links lead.
struct Target<'a> {
    name: &'a str,
    title: &'a str,
    page: usize,
    /// The height above the page's lower edge; the whole page without one.
    top: Option<f32>,
}

impl Target<'_> {
    fn write(&self, destination: Destination<'_>, page: impl Fn(usize) -> Ref) {
        let destination = destination.page(page(self.page));
        match self.top {
            Some(top) => destination.xyz(0.0, top, None),
            None => destination.fit(),
        };
    }
}

fn targets(drawings: &[Drawing]) -> Vec<Target<'_>> {
    let mut targets = Vec::new();
    for (page, drawing) in drawings.iter().enumerate() {
        for anchor in &drawing.anchors {
            // A little above the text.
            let top = Some(drawing.size.y - anchor.y + 6.0);
            targets.push(Target { name: &anchor.name, title: &anchor.title, page, top });
        }
    }
    if targets.is_empty() {
        let pages = drawings.iter().enumerate();
        targets.extend(pages.map(|(page, drawing)| Target { name: "", title: &drawing.title, page, top: None }));
    }
    targets
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
                let path = glyphs::outlines(text).path;
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
