//! The rectangle between the axes, with its grid and numbers.

use eframe::egui::{Align2, FontId, Painter, Pos2, Rect, Stroke, StrokeKind, pos2};

use super::{Axis, AxisSide};
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};

/// The texts at the axes.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// The suffix of each number on the x axis.
    pub x_unit: &'static str,
    pub x: String,
    pub left: String,
    pub right: String,
    /// The shorter texts of the left and right axis, for low figures.
    pub short: [String; 2],
    /// Names that replace the numbers at the left, each with its position.
    pub rows: Option<Vec<(f64, String)>>,
    /// The axis is in degrees.
    pub x_is_angle: bool,
    pub left_is_angle: bool,
    /// The least width of the left axis of linked figures, in points, unless it is the usual one.
    pub left_width: Option<f32>,
    /// Each decade of a logarithmic x axis has its power of ten, in little room.
    pub has_decades: bool,
    /// The x axis has no numbers, since that of the figure below has them.
    pub hides_x: bool,
}

/// Width of the axes at the sides, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sides {
    pub left: f32,
    pub right: f32,
}

impl Sides {
    pub fn max(self, other: Sides) -> Sides {
        Sides { left: self.left.max(other.left), right: self.right.max(other.right) }
    }
}

/// The rectangle in which curves are drawn, and its axes.
#[derive(Clone, Debug)]
pub struct Frame {
    pub rect: Rect,
    /// Including the axes.
    pub outer: Rect,
    /// The width that its own axes need.
    pub sides: Sides,
    pub x: Axis,
    pub left: Axis,
    pub right: Option<Axis>,
}

/// Minimum distance between labels, in points.
const APART_X: f32 = 84.0;
const APART_DECADES: f32 = 26.0;
const APART_Y: f32 = 30.0;
/// Height of the labels.
const BELOW: f32 = 20.0;
const ABOVE: f32 = 6.0;
const BESIDE: f32 = 8.0;
const MIN_LEFT: f32 = 46.0;

fn font() -> FontId {
    style::plain(TEXT_SMALL - 0.5)
}

impl Frame {
    /// Returns the frame that remains of `outer` after subtracting the axes.
    ///
    /// The axes at the sides are at least as wide as `least`, so that the time axes of plots below each other are
    /// aligned.
    pub fn within(
        painter: &Painter,
        outer: Rect,
        (x, left, right): (Axis, Axis, Option<Axis>),
        labels: &Labels,
        least: Sides,
    ) -> Frame {
        let title = |text: &str| if text.is_empty() { 0.0 } else { 15.0 };
        let below = if labels.hides_x { ABOVE } else { BELOW + title(&labels.x) };
        let height = outer.height() - below - ABOVE;
        let widest = |axis: &Axis, is_angle: bool| {
            let lines = axis.grid_lines(height, APART_Y, is_angle);
            lines.into_iter().filter_map(|line| line.text).map(|text| width_of(painter, text)).fold(0.0, f32::max)
        };
        let rows = labels.rows.as_ref().map(|rows| {
            let widths = rows.iter().map(|(_, name)| width_of(painter, name.clone()));
            widths.fold(0.0, f32::max).min(outer.width() * 0.3)
        });
        // Rounded up, so that curves do not jump with each digit.
        let steps = |width: f32| (width / 8.0).ceil() * 8.0;
        let at_left = steps(rows.unwrap_or_else(|| widest(&left, labels.left_is_angle)) + BESIDE).max(MIN_LEFT)
            + title(&labels.left);
        let at_right = right.as_ref().map_or(12.0, |right| steps(widest(right, false) + BESIDE).max(MIN_LEFT))
            + right.as_ref().map_or(0.0, |_| title(&labels.right));
        let sides = Sides { left: at_left, right: at_right };
        let (at_left, at_right) = (at_left.max(least.left), at_right.max(least.right));
        let rect = Rect::from_min_max(
            pos2(outer.left() + at_left, outer.top() + ABOVE),
            pos2(outer.right() - at_right, outer.bottom() - below),
        );
        let rect = Rect::from_min_max(rect.min, rect.max.max(rect.min + eframe::egui::vec2(10.0, 10.0)));
        Frame { rect, outer, sides, x, left, right }
    }

    /// Extends the axis whose unit is longer on the screen, so that one unit has the same length on both.
    pub fn make_square(&mut self) {
        let unit = |axis: &Axis, length: f32| f64::from(length) / axis.width();
        let (x, y) = (unit(&self.x, self.rect.width()), unit(&self.left, self.rect.height()));
        if x > y {
            self.x = self.x.zoomed(0.5, x / y);
        } else {
            self.left = self.left.zoomed(0.5, y / x);
        }
    }

    pub fn axis(&self, side: AxisSide) -> &Axis {
        match (side, &self.right) {
            (AxisSide::Right, Some(right)) => right,
            _ => &self.left,
        }
    }

    pub fn x_of(&self, value: f64) -> f32 {
        (f64::from(self.rect.left()) + self.x.part(value) * f64::from(self.rect.width())) as f32
    }

    pub fn y_of(&self, side: AxisSide, value: f64) -> f32 {
        (f64::from(self.rect.bottom()) - self.axis(side).part(value) * f64::from(self.rect.height())) as f32
    }

    pub fn at(&self, side: AxisSide, (x, y): (f64, f64)) -> Pos2 {
        pos2(self.x_of(x), self.y_of(side, y))
    }

    /// Returns the position on the axes, 0 to 1, of a screen point.
    pub fn parts(&self, at: Pos2) -> (f64, f64) {
        let x = f64::from(at.x - self.rect.left()) / f64::from(self.rect.width());
        (x, f64::from(self.rect.bottom() - at.y) / f64::from(self.rect.height()))
    }

    /// Returns the values at a screen point.
    pub fn x_at(&self, at: Pos2) -> f64 {
        self.x.value(self.parts(at).0)
    }

    pub fn y_at(&self, side: AxisSide, at: Pos2) -> f64 {
        self.axis(side).value(self.parts(at).1)
    }

    /// Draws grid, numbers and titles.
    pub fn axes_ui(&self, painter: &Painter, theme: &Theme, labels: &Labels) {
        let rect = self.rect;
        let main = Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.13));
        let weak = Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.055));
        let color = theme.text_weak;
        let crisp = |at: f32| at.round() + 0.5;
        let apart = if labels.has_decades && self.x.has_decades() { APART_DECADES } else { APART_X };
        let ticks = match labels.x_is_angle {
            true => self.x.angle_ticks(rect.width(), APART_X),
            false => self.x.ticks(rect.width(), apart),
        };
        for tick in ticks {
            let x = crisp(self.x_of(tick.value));
            painter.vline(x, rect.y_range(), if tick.is_main { main } else { weak });
            if tick.is_main && !labels.hides_x {
                let text = match apart == APART_DECADES {
                    true => power_text(tick.value),
                    false => format!("{}{}", self.x.number(tick.value, rect.width(), APART_X), labels.x_unit),
                };
                let galley = painter.layout_no_wrap(text, font(), color);
                // The last number is not cut off.
                let half = galley.size().x / 2.0;
                let x = x.min(self.outer.right() - half);
                painter.galley(pos2(x - half, rect.bottom() + 4.0), galley, color);
            }
        }
        if let Some(rows) = &labels.rows {
            for (row, name) in rows {
                let y = self.y_of(AxisSide::Left, *row);
                let galley = fitting(painter, name, rect.left() - self.outer.left() - BESIDE, color);
                let at = pos2(rect.left() - BESIDE - galley.size().x, y - galley.size().y / 2.0);
                painter.galley(at, galley, color);
            }
        } else {
            for line in self.left.grid_lines(rect.height(), APART_Y, labels.left_is_angle) {
                let y = crisp(self.y_of(AxisSide::Left, line.value));
                painter.hline(rect.x_range(), y, if line.is_main { main } else { weak });
                if let Some(text) = line.text {
                    painter.text(pos2(rect.left() - BESIDE, y), Align2::RIGHT_CENTER, text, font(), color);
                }
            }
        }
        if let Some(right) = &self.right {
            for line in right.grid_lines(rect.height(), APART_Y, false) {
                let Some(text) = line.text else { continue };
                let y = crisp(self.y_of(AxisSide::Right, line.value));
                painter.hline(rect.right()..=rect.right() + 4.0, y, main);
                painter.text(pos2(rect.right() + BESIDE, y), Align2::LEFT_CENTER, text, font(), color);
            }
        }
        painter.rect_stroke(rect, 0.0, main, StrokeKind::Middle);
        if !labels.x.is_empty() {
            let at = pos2(rect.center().x, rect.bottom() + BELOW);
            painter.text(at, Align2::CENTER_TOP, &labels.x, font(), color);
        }
        let [left, right] = &labels.short;
        self.upright(painter, (&labels.left, left), AxisSide::Left, theme);
        if self.right.is_some() {
            self.upright(painter, (&labels.right, right), AxisSide::Right, theme);
        }
    }

    /// Draws a title along an axis at the side, rotated to be read from below to above; the short one where the title
    /// does not fit, and nothing where that has no room either.
    fn upright(&self, painter: &Painter, (text, short): (&str, &str), side: AxisSide, theme: &Theme) {
        let fitting = |text: &str| Some(fitting(painter, text, self.outer.height(), theme.text_weak));
        let whole = |text: &str| fitting(text).filter(|galley| !galley.elided && !text.is_empty());
        let Some(galley) = whole(text).or_else(|| whole(short)) else { return };
        let x = match side {
            AxisSide::Left => self.outer.left(),
            AxisSide::Right => self.outer.right() - galley.size().y,
        };
        // Beside the middle of the axis; a long title uses the height of the whole figure.
        let half = galley.size().x / 2.0;
        let middle = self
            .rect
            .center()
            .y
            .clamp(self.outer.top() + half, (self.outer.bottom() - half).max(self.outer.top() + half));
        let at = pos2(x, middle + half);
        let shape =
            eframe::egui::epaint::TextShape::new(at, galley, theme.text_weak).with_angle(-std::f32::consts::FRAC_PI_2);
        painter.add(shape);
    }
}

/// Returns a power of ten as a short text: `0.01`, `1`, `100`, `10⁴`.
fn power_text(value: f64) -> String {
    let power = value.log10().round() as i32;
    if (-2..=3).contains(&power) {
        return crate::app::ui::numbers::digits(value, 3);
    }
    let digits = power
        .to_string()
        .chars()
        .map(|digit| match digit.to_digit(10) {
            Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize % 10],
            None => '⁻',
        })
        .collect::<String>();
    format!("10{digits}")
}

fn fitting(
    painter: &Painter,
    text: &str,
    width: f32,
    color: eframe::egui::Color32,
) -> std::sync::Arc<eframe::egui::Galley> {
    let mut job = eframe::egui::text::LayoutJob::simple_singleline(text.to_owned(), font(), color);
    job.wrap = eframe::egui::text::TextWrapping::truncate_at_width(width.max(10.0));
    painter.layout_job(job)
}

fn width_of(painter: &Painter, text: String) -> f32 {
    painter.layout_no_wrap(text, font(), eframe::egui::Color32::WHITE).size().x
}
