//! A report as pages of A4.
//!
//! All pages are first laid out below each other on one strip, on which nothing crosses the edge of a page; then each
//! page takes the elements on its part of the strip.

use std::sync::Arc;

use eframe::egui::{Color32, FontId, Galley, Painter, Pos2, Rect, Stroke, pos2, vec2};

use super::{Part, Report, Section};
use crate::app::drawing::{Anchor, Drawing, Item, Link, bounds_of, items_of, scaled};
use crate::app::ui::style;
use crate::app::ui::theme::Theme;

/// A4 in points.
const PAGE: eframe::egui::Vec2 = vec2(595.0, 842.0);
const MARGIN: f32 = 50.0;
const WIDTH: f32 = PAGE.x - 2.0 * MARGIN;
const HEIGHT: f32 = PAGE.y - 2.0 * MARGIN;

const TITLE: f32 = 22.0;
const HEADING: f32 = 14.0;
const BODY: f32 = 9.5;
const SMALL: f32 = 8.0;

/// Space between the columns of a table.
const GAP: f32 = 8.0;
/// Space above and below a row of a table.
const PAD: f32 = 2.5;

/// Returns the pages.
pub fn lay_out(report: &Report) -> Vec<Drawing> {
    let mut strip = None;
    let mut items = items_of(|painter, _| {
        let mut pages = Pages { painter, theme: Theme::light(), y: MARGIN, drawn: Drawing::default() };
        pages.report(report);
        strip = Some((pages.drawn, pages.y));
    });
    let Some((drawn, end)) = strip else { return Vec::new() };
    items.extend(drawn.items);
    let count = number_of(end) + 1;
    let mut pages: Vec<Drawing> = (0..count)
        .map(|number| Drawing { title: format!("Page {}", number + 1), size: PAGE, ..Drawing::default() })
        .collect();
    let up = |number: usize| vec2(0.0, -(number as f32) * PAGE.y);
    for mut item in items {
        let number = number_of(bounds_of(&item).center().y);
        crate::app::drawing::shift(&mut item, up(number));
        pages.get_mut(number).into_iter().for_each(|page| page.items.push(item.clone()));
    }
    for link in drawn.links {
        let number = number_of(link.rect.center().y);
        let link = Link { rect: link.rect.translate(up(number)), to: link.to };
        pages.get_mut(number).into_iter().for_each(|page| page.links.push(link.clone()));
    }
    for anchor in drawn.anchors {
        let number = number_of(anchor.y);
        let anchor = Anchor { y: anchor.y + up(number).y, ..anchor };
        pages.get_mut(number).into_iter().for_each(|page| page.anchors.push(anchor.clone()));
    }
    let last = pages.len();
    for (number, page) in pages.iter_mut().enumerate() {
        page.items.extend(footer(&report.title, number + 1, last));
    }
    pages
}

/// Returns the number of the page that a height of the strip lies on.
fn number_of(y: f32) -> usize {
    (y.max(0.0) / PAGE.y) as usize
}

fn footer(title: &str, number: usize, count: usize) -> Vec<Item> {
    items_of(|painter, _| {
        let theme = Theme::light();
        let paint = |text: String, anchor, x| {
            let at = pos2(x, PAGE.y - MARGIN * 0.6);
            painter.text(at, anchor, text, style::plain(SMALL), theme.text_weak);
        };
        paint(cut(title, 80), eframe::egui::Align2::LEFT_TOP, MARGIN);
        paint(format!("{number} of {count}"), eframe::egui::Align2::RIGHT_TOP, PAGE.x - MARGIN);
    })
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the height of a row of a table.
fn height_of(cells: &[Arc<Galley>]) -> f32 {
    cells.iter().map(|cell| cell.size().y).fold(0.0, f32::max) + 2.0 * PAD
}

/// Returns how much smaller a drawing is on a page. Diagrams are drawn for a screen; three quarters of their size read well
/// on paper.
fn scale_of(drawing: &Drawing) -> f32 {
    let room = HEIGHT - 3.0 * HEADING;
    0.75_f32.min(WIDTH / drawing.size.x.max(1.0)).min(room / drawing.size.y.max(1.0))
}

struct Pages<'a> {
    painter: &'a Painter,
    theme: Theme,
    /// Where the next thing begins on the strip.
    y: f32,
    /// The elements that are not painted: drawings, links, anchors.
    drawn: Drawing,
}

impl Pages<'_> {
    fn report(&mut self, report: &Report) {
        self.lines(&report.title, style::strong(TITLE), self.theme.text);
        self.y += 4.0;
        self.lines(&report.about, style::plain(BODY + 1.0), self.theme.text_weak);
        self.y += 14.0;
        for section in &report.sections {
            let from = pos2(MARGIN, self.y);
            self.lines(&section.title, style::plain(BODY), self.theme.accent);
            let rect = Rect::from_min_max(from, pos2(PAGE.x - MARGIN, self.y));
            self.drawn.links.push(Link { rect, to: section.anchor.clone() });
        }
        report.sections.iter().for_each(|section| self.section(section));
    }

    fn section(&mut self, section: &Section) {
        // A heading is on the same page as the part below it.
        let below = match section.parts.first() {
            Some(Part::Drawing(drawing)) => drawing.size.y * scale_of(drawing),
            _ => 60.0,
        };
        self.y += 24.0;
        self.need(2.0 * HEADING + below + 24.0);
        self.drawn.anchors.push(Anchor { name: section.anchor.clone(), y: self.y, title: section.title.clone() });
        self.lines(&section.title, style::strong(HEADING), self.theme.text);
        self.y += 3.0;
        self.rule();
        self.y += 6.0;
        for part in &section.parts {
            match part {
                Part::Text(text) => {
                    self.y += 6.0;
                    self.need(40.0);
                    self.lines(text, style::plain(BODY), self.theme.text);
                    self.y += 3.0;
                }
                Part::Table { head, rows } => self.table(head, rows),
                Part::Drawing(drawing) => self.drawing(drawing),
            }
        }
    }

    /// Begins a new page unless this one has room for `height` points.
    fn need(&mut self, height: f32) {
        let within = self.y % PAGE.y;
        if within + height.min(HEIGHT) > PAGE.y - MARGIN {
            self.y = (number_of(self.y) + 1) as f32 * PAGE.y + MARGIN;
        }
    }

    fn rule(&self) {
        let ends = [pos2(MARGIN, self.y), pos2(PAGE.x - MARGIN, self.y)];
        self.painter.line_segment(ends, Stroke::new(0.5, self.theme.line));
    }

    /// Paints a text over the whole width, line by line, so that it may continue on the next page.
    fn lines(&mut self, text: &str, font: FontId, color: Color32) {
        if text.is_empty() {
            return;
        }
        let galley = self.painter.layout(text.to_owned(), font.clone(), color, WIDTH);
        for row in &galley.rows {
            let height = row.size.y;
            self.need(height);
            let line = row.text().trim_end().to_owned();
            self.painter.text(pos2(MARGIN, self.y), eframe::egui::Align2::LEFT_TOP, line, font.clone(), color);
            self.y += height;
        }
    }

    fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let widths = self.widths(head, rows);
        let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
        let head = self.row(&head, &widths, &style::strong(SMALL + 0.5), self.theme.text_weak);
        self.need(4.0 * height_of(&head));
        self.paint_row(&head, &widths);
        for row in rows {
            let row = self.row(row, &widths, &style::plain(SMALL + 0.5), self.theme.text);
            let page = number_of(self.y);
            self.need(height_of(&row));
            if number_of(self.y) > page {
                self.paint_row(&head, &widths);
            }
            self.paint_row(&row, &widths);
        }
        self.y += 8.0;
    }

    fn row(&self, cells: &[String], widths: &[f32], font: &FontId, color: Color32) -> Vec<Arc<Galley>> {
        let lay = |(cell, width): (&String, &f32)| {
            self.painter.layout(cell.clone(), font.clone(), color, (width - GAP).max(10.0))
        };
        cells.iter().zip(widths).map(lay).collect()
    }

    fn paint_row(&mut self, cells: &[Arc<Galley>], widths: &[f32]) {
        let mut at: Pos2 = pos2(MARGIN, self.y + PAD);
        for (galley, width) in cells.iter().zip(widths) {
            self.painter.galley(at, Arc::clone(galley), self.theme.text);
            at.x += width;
        }
        self.y += height_of(cells);
        self.rule();
    }

    /// Shares the width among the columns: each gets the width that it needs, or the widest get less.
    fn widths(&self, head: &[&str], rows: &[Vec<String>]) -> Vec<f32> {
        let width_of = |text: &str| {
            let galley = self.painter.layout_no_wrap(cut(text, 200), style::strong(SMALL + 0.5), self.theme.text);
            galley.size().x + GAP
        };
        let mut wanted: Vec<f32> = head.iter().map(|cell| width_of(cell)).collect();
        for row in rows {
            for (wanted, cell) in wanted.iter_mut().zip(row) {
                *wanted = wanted.max(width_of(cell));
            }
        }
        // Columns that need less than an equal share of the remaining width get the width they need.
        let mut widths = vec![0.0; wanted.len()];
        let mut open: Vec<usize> = (0..wanted.len()).collect();
        let mut left = WIDTH;
        while !open.is_empty() {
            let share = left / open.len() as f32;
            let (narrow, wide): (Vec<usize>, Vec<usize>) = open.iter().partition(|column| wanted[**column] <= share);
            if narrow.is_empty() {
                wide.iter().for_each(|column| widths[*column] = share);
                break;
            }
            for column in narrow {
                widths[column] = wanted[column];
                left -= wanted[column];
            }
            open = wide;
        }
        widths
    }

    fn drawing(&mut self, drawing: &Drawing) {
        if drawing.size.x <= 0.0 || drawing.size.y <= 0.0 {
            return;
        }
        let scale = scale_of(drawing);
        let size = drawing.size * scale;
        self.y += 4.0;
        self.need(size.y);
        let offset = vec2(MARGIN, self.y);
        for item in &drawing.items {
            self.drawn.items.push(scaled(item, scale, offset));
        }
        for link in &drawing.links {
            let place = |at: Pos2| (at.to_vec2() * scale + offset).to_pos2();
            let rect = Rect::from_min_max(place(link.rect.min), place(link.rect.max));
            self.drawn.links.push(Link { rect, to: link.to.clone() });
        }
        self.y += size.y + 8.0;
    }
}
