//! What stands beside the lines of code: their numbers and breakpoints at the left, values at the right.

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{self, Color32, Galley, Pos2, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::marks::font;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};
use crate::app::ui::widgets::theme_of;

/// A text behind a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineNote {
    pub text: String,
    pub tooltip: String,
}

/// What is beside the lines; lines are counted from 1.
#[derive(Clone, Debug, Default)]
pub struct Margin {
    /// The lines with a breakpoint, and whether it is on.
    pub breakpoints: BTreeMap<usize, bool>,
    /// The line at whose breakpoint the run is paused.
    pub stopped: Option<usize>,
    pub notes: BTreeMap<usize, LineNote>,
    /// What a click in the margin does.
    pub tooltip: &'static str,
}

/// The lines of a laid out text: the top and bottom of their first rows, and the end of their last one.
pub struct Lines(Vec<Line>);

struct Line {
    top: f32,
    bottom: f32,
    end: Pos2,
}

impl Lines {
    pub fn of(galley: &Arc<Galley>, at: Pos2) -> Lines {
        let mut lines: Vec<Line> = Vec::new();
        let mut is_new = true;
        for row in &galley.rows {
            let rect = row.rect().translate(at.to_vec2());
            let end = rect.right_center();
            match lines.last_mut() {
                Some(line) if !is_new => line.end = end,
                _ => lines.push(Line { top: rect.top(), bottom: rect.bottom(), end }),
            }
            is_new = row.ends_with_newline;
        }
        Lines(lines)
    }

    /// The lines that are in view, with their numbers from 1.
    fn seen(&self, clip: Rect) -> impl Iterator<Item = (usize, &Line)> {
        let seen = move |line: &Line| line.bottom >= clip.top() && line.top <= clip.bottom();
        self.0.iter().enumerate().map(|(index, line)| (index + 1, line)).filter(move |(_, line)| seen(line))
    }
}

/// Returns the room for the numbers of so many lines.
pub fn width(lines: usize, has_breakpoints: bool) -> f32 {
    let digits = lines.max(10).ilog10() as f32 + 1.0;
    digits * 7.5 + 10.0 + if has_breakpoints { 14.0 } else { 0.0 }
}

/// Draws the numbers and breakpoints within a rectangle beside the text; returns the line that was clicked.
pub fn numbers_ui(
    ui: &Ui,
    id: egui::Id,
    rect: Rect,
    lines: &Lines,
    (margin, caret): (Option<&Margin>, usize),
) -> Option<usize> {
    let theme = theme_of(ui.ctx());
    ui.painter().rect_filled(rect, 0.0, style::mix(theme.raised, theme.window, 0.6));
    let mut clicked = None;
    for (number, line) in lines.seen(ui.clip_rect()) {
        let place = Rect::from_x_y_ranges(rect.x_range(), line.top..=line.bottom);
        let color = if number == caret { theme.text } else { theme.text_weak };
        let at = pos2(place.right() - 6.0, place.center().y);
        ui.painter().text(
            at,
            egui::Align2::RIGHT_CENTER,
            number.to_string(),
            egui::FontId::monospace(TEXT_SMALL),
            color,
        );
        let Some(margin) = margin else { continue };
        let response = ui.interact(place, id.with(("line", number)), Sense::click());
        let is_on = margin.breakpoints.get(&number).copied();
        let label = format!("Breakpoint at line {number}");
        response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, is_on.is_some(), label.clone()));
        let dot = pos2(place.left() + 8.0, place.center().y);
        dot_ui(ui, dot, (is_on, response.hovered(), margin.stopped == Some(number)), theme);
        let tooltip = match is_on {
            Some(true) => "Remove the breakpoint",
            Some(false) => "Remove the breakpoint, which is off",
            None => margin.tooltip,
        };
        if response.on_hover_cursor(egui::CursorIcon::PointingHand).on_hover_text(tooltip).clicked() {
            clicked = Some(number);
        }
    }
    clicked
}

/// Draws the dot of a breakpoint: hollow if it is off, faint where the pointer could set one; an arrow marks the line at
/// which the run is paused.
fn dot_ui(ui: &Ui, at: Pos2, (is_on, is_hovered, is_stopped): (Option<bool>, bool, bool), theme: &Theme) {
    match is_on {
        _ if is_stopped => {}
        Some(true) => drop(ui.painter().circle_filled(at, 4.5, theme.error)),
        Some(false) => drop(ui.painter().circle_stroke(at, 4.0, Stroke::new(1.5, theme.error))),
        None if is_hovered => drop(ui.painter().circle_filled(at, 4.5, theme.error.gamma_multiply(0.35))),
        None => {}
    }
    if is_stopped {
        let color = if is_on == Some(true) { theme.error } else { theme.warning };
        let arrow = [
            vec2(-5.0, -2.0),
            vec2(0.0, -2.0),
            vec2(0.0, -5.0),
            vec2(6.0, 0.0),
            vec2(0.0, 5.0),
            vec2(0.0, 2.0),
            vec2(-5.0, 2.0),
        ];
        let (shaft, head) = ([0, 1, 5, 6], [2, 3, 4]);
        for part in [&shaft[..], &head[..]] {
            let points = part.iter().map(|index| at + arrow[*index]).collect();
            ui.painter().add(egui::Shape::convex_polygon(points, color, Stroke::NONE));
        }
    }
}

/// Marks the line at which the run is paused, behind the text.
pub fn stopped_ui(ui: &Ui, lines: &Lines, stopped: usize) {
    let theme = theme_of(ui.ctx());
    if let Some((_, line)) = lines.seen(ui.clip_rect()).find(|(number, _)| *number == stopped) {
        let place = Rect::from_x_y_ranges(ui.clip_rect().x_range(), line.top..=line.bottom);
        ui.painter().rect_filled(place, 0.0, theme.warning.gamma_multiply(0.14));
    }
}

/// Draws the texts behind the lines; returns the position of the right end of the longest.
pub fn notes_ui(ui: &Ui, id: egui::Id, lines: &Lines, margin: &Margin) -> f32 {
    const GAP: f32 = 26.0;
    let theme = theme_of(ui.ctx());
    let color: Color32 = style::mix(theme.text_weak, theme.curves[2], 0.45);
    let mut right = 0.0f32;
    for (number, line) in lines.seen(ui.clip_rect()) {
        let Some(note) = margin.notes.get(&number) else { continue };
        let galley = ui.painter().layout_no_wrap(note.text.clone(), font(), color);
        let rect = Rect::from_min_size(pos2(line.end.x + GAP, line.end.y - galley.size().y / 2.0), galley.size());
        right = right.max(rect.right());
        ui.painter().galley(rect.min, galley, color);
        let response = ui.interact(rect, id.with(("value", number)), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, format!("Line {number}: {}", note.text)));
        if !note.tooltip.is_empty() {
            response.on_hover_text(&note.tooltip);
        }
    }
    right
}
