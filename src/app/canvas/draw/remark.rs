//! Draws notes and areas: documentation within the diagram.

use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{Color32, FontFamily, FontId, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use super::context::{Detail, DrawContext, mix};
use crate::app::canvas::scene::{BlockView, Drawing};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};

/// Margin between frame and text, in model units.
const INSET: f32 = 8.0;
/// The same for a text without a frame.
const BARE_INSET: f32 = 2.0;

/// How a note or an area stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    None,
    Hovered,
    Selected,
}

/// Draws a text on a background.
pub fn note_ui(context: &DrawContext, block: &BlockView, emphasis: Emphasis) {
    let is_selected = emphasis == Emphasis::Selected;
    let theme = context.theme;
    let rect = context.rect(block.outline.body);
    let tint = block.color.unwrap_or(theme.warning);
    let ground = mix(theme.canvas, tint, if theme.is_dark { 0.16 } else { 0.11 });
    let line = match emphasis {
        Emphasis::Selected => theme.accent,
        Emphasis::Hovered => mix(theme.canvas, tint, 0.7),
        Emphasis::None => mix(theme.canvas, tint, 0.35),
    };
    if is_selected {
        context.glow(rect, 3.0);
    }
    let is_bare = block.is_bare_note();
    if !is_bare || emphasis != Emphasis::None {
        let ground = if is_bare { Color32::TRANSPARENT } else { ground };
        let stroke = Stroke::new(if is_selected { 1.6 } else { 1.0 }, line);
        context.painter.rect(rect, 3.0, ground, stroke, StrokeKind::Middle);
    }
    if let (Drawing::Remark(text), true) = (&block.drawing, context.detail >= Detail::Drawings) {
        let size = ((TEXT_SMALL + 0.5) * context.transform.zoom() * 2.0).round() / 2.0;
        let room = rect.shrink(context.scaled(if is_bare { BARE_INSET } else { INSET }));
        let galley = context.painter.layout_job(markdown(text, size.max(1.0), room.width(), theme));
        context
            .painter
            .with_clip_rect(rect.intersect(context.painter.clip_rect()))
            .galley(room.min, galley, theme.text);
    }
    if emphasis != Emphasis::None {
        corner_ui(context, rect);
    }
}

/// Draws a frame with a title, behind everything.
pub fn area_ui(context: &DrawContext, block: &BlockView, emphasis: Emphasis) {
    let is_selected = emphasis == Emphasis::Selected;
    let theme = context.theme;
    let rect = context.rect(block.outline.body);
    let tint = block.color.unwrap_or(theme.accent);
    let line = match emphasis {
        Emphasis::Selected => theme.accent,
        Emphasis::Hovered => mix(theme.canvas, tint, 0.75),
        Emphasis::None => mix(theme.canvas, tint, 0.4),
    };
    let radius = context.scaled(6.0).clamp(1.0, 10.0);
    let fill = tint.gamma_multiply(if theme.is_dark { 0.10 } else { 0.07 });
    context.painter.rect(
        rect,
        radius,
        fill,
        Stroke::new(if is_selected { 1.6 } else { 1.0 }, line),
        StrokeKind::Middle,
    );
    if let (Drawing::Remark(text), true) = (&block.drawing, context.detail >= Detail::Drawings) {
        let size = ((TEXT_SMALL + 0.5) * context.transform.zoom() * 2.0).round() / 2.0;
        let ink = mix(theme.text, tint, 0.5);
        let font = FontId::new(size.max(1.0), style::strong(size.max(1.0)).family);
        let mut job = LayoutJob::single_section(text.clone(), TextFormat::simple(font, ink));
        job.wrap.max_rows = 1;
        job.wrap.max_width = rect.width() - context.scaled(2.0 * INSET);
        let galley = context.painter.layout_job(job);
        context.painter.galley(rect.min + vec2(context.scaled(INSET), context.scaled(4.0)), galley, ink);
    }
    if emphasis != Emphasis::None {
        corner_ui(context, rect);
    }
}

/// Draws the resize handle.
fn corner_ui(context: &DrawContext, rect: Rect) {
    if context.detail < Detail::Drawings {
        return;
    }
    let stroke = Stroke::new(1.2, context.theme.text_weak);
    for step in [4.0, 8.0] {
        let (a, b) = (rect.max - vec2(step + 2.0, 3.0), rect.max - vec2(3.0, step + 2.0));
        context.painter.add(Shape::line_segment([a, b], stroke));
    }
}

/// Lays out a text with headings (`#`), lists (`-`), **bold**, *italic* and `code`.
pub fn markdown(text: &str, size: f32, width: f32, theme: &Theme) -> LayoutJob {
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            job.append("\n", 0.0, TextFormat::simple(FontId::proportional(size), theme.text));
        }
        let level = line.chars().take_while(|c| *c == '#').count();
        if (1..=3).contains(&level) && line[level..].starts_with(' ') {
            let larger = size * [1.5, 1.28, 1.12][level - 1];
            let font = FontId::new(larger, style::strong(larger).family);
            inline(&mut job, line[level..].trim_start(), &TextFormat::simple(font, theme.text), theme);
            continue;
        }
        let plain = TextFormat::simple(FontId::proportional(size), theme.text);
        let trimmed = line.trim_start();
        let indent = (line.len() - trimmed.len()) as f32 * size * 0.4;
        match trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")) {
            Some(rest) => {
                job.append("•  ", indent, plain.clone());
                inline(&mut job, rest, &plain, theme);
            }
            None => inline(&mut job, line, &plain, theme),
        }
    }
    job
}

/// Parses the inline markup of a line.
fn inline(job: &mut LayoutJob, text: &str, plain: &TextFormat, theme: &Theme) {
    let size = plain.font_id.size;
    let mut rest = text;
    while !rest.is_empty() {
        let marked = [("**", 2), ("`", 1), ("*", 1)].into_iter().find_map(|(mark, length)| {
            let behind = rest.strip_prefix(mark)?;
            let end = behind.find(mark).filter(|end| *end > 0)?;
            Some((mark, &behind[..end], &behind[end + length..]))
        });
        if let Some((mark, inner, behind)) = marked {
            let mut format = plain.clone();
            match mark {
                "**" => format.font_id = FontId::new(size, style::strong(size).family),
                "`" => {
                    format.font_id = FontId::new(size * 0.95, FontFamily::Monospace);
                    format.background = theme.raised;
                }
                _ => format.italics = true,
            }
            job.append(inner, 0.0, format);
            rest = behind;
            continue;
        }
        // Reads up to the next markup character, at least one letter.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest[first..].find(['*', '`']).map_or(rest.len(), |end| end + first);
        job.append(&rest[..end], 0.0, plain.clone());
        rest = &rest[end..];
    }
}

/// Returns the screen rectangle of the text field that edits a note.
pub fn text_rect(rect: Rect) -> Rect {
    Rect {
        min: pos2(rect.left(), rect.top()),
        max: Pos2::new(rect.right().max(rect.left() + 160.0), rect.bottom().max(rect.top() + 60.0)),
    }
}

/// The colours that blocks, notes and areas can have.
pub const COLORS: [(&str, Color32); 8] = [
    ("Blue", Color32::from_rgb(0x4C, 0x8D, 0xF5)),
    ("Teal", Color32::from_rgb(0x1A, 0xA3, 0xA3)),
    ("Green", Color32::from_rgb(0x4C, 0xAF, 0x50)),
    ("Yellow", Color32::from_rgb(0xE0, 0xB4, 0x1F)),
    ("Orange", Color32::from_rgb(0xF0, 0x8C, 0x3C)),
    ("Red", Color32::from_rgb(0xE0, 0x5A, 0x5A)),
    ("Purple", Color32::from_rgb(0x9B, 0x6F, 0xE0)),
    ("Grey", Color32::from_rgb(0x86, 0x90, 0x9C)),
];
