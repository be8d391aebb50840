//! The icons of buttons and menus, drawn as strokes so that they are sharp at any size.

use eframe::egui::{Color32, CornerRadius, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

/// A place in the square of an icon: 0 to 1 to the right and downwards.
type At = (f32, f32);

/// A part of an icon. Lengths are relative to the side of its square.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// A line through points.
    Line(&'static [At]),
    /// A filled convex polygon.
    Solid(&'static [At]),
    /// A filled rectangle between two corners.
    Bar(At, At),
    /// The outline of a rectangle between two corners.
    Frame(At, At),
    /// A circle: its centre and radius.
    Ring(f32, f32, f32),
    /// A part of a circle: centre, radius, and the angles of its ends in degrees, clockwise from the right.
    Arc(f32, f32, f32, f32, f32),
    /// A disc: centre and radius.
    Dot(f32, f32, f32),
    /// A disc: centre, and radius in widths of the stroke.
    Point(f32, f32, f32),
    /// Eight rays from the centre, between two radii.
    Rays(f32, f32),
    /// A star with five tips: the radii of the tips and of the corners between them.
    Star(f32, f32),
}

/// Declares the icons with their marks.
macro_rules! icons {
    ($($(#[$about:meta])* $name:ident: [$($mark:expr),* $(,)?]),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Icon { $($(#[$about])* $name),* }

        /// The marks of the icons, in the order of their declaration.
        const MARKS: &[&[Mark]] = {
            use Mark::{Arc, Bar, Dot, Frame, Line, Point, Rays, Ring, Solid, Star};
            &[$(&[$($mark),*]),*]
        };
    };
}

icons! {
    Run: [Solid(&[(0.24, 0.12), (0.86, 0.5), (0.24, 0.88)])],
    Pause: [Bar((0.2, 0.14), (0.41, 0.86)), Bar((0.59, 0.14), (0.8, 0.86))],
    Step: [Bar((0.14, 0.14), (0.3, 0.86)), Solid(&[(0.42, 0.14), (0.9, 0.5), (0.42, 0.86)])],
    StepBack: [Bar((0.7, 0.14), (0.86, 0.86)), Solid(&[(0.58, 0.14), (0.58, 0.86), (0.1, 0.5)])],
    Restart: [Arc(0.5, 0.5, 0.36, -60.0, 240.0), Solid(&[(0.52, 0.02), (0.86, 0.14), (0.58, 0.36)])],
    Branch: [
        Line(&[(0.08, 0.32), (0.92, 0.32)]),
        Line(&[(0.3, 0.32), (0.5, 0.74), (0.92, 0.74)]),
        Line(&[(0.76, 0.58), (0.92, 0.74), (0.76, 0.9)]),
    ],
    First: [Bar((0.14, 0.16), (0.27, 0.84)), Solid(&[(0.86, 0.16), (0.86, 0.84), (0.38, 0.5)])],
    Last: [Bar((0.73, 0.16), (0.86, 0.84)), Solid(&[(0.14, 0.16), (0.62, 0.5), (0.14, 0.84)])],
    Eye: [
        Line(&[(0.04, 0.5), (0.26, 0.28), (0.5, 0.2), (0.74, 0.28), (0.96, 0.5)]),
        Line(&[(0.04, 0.5), (0.26, 0.72), (0.5, 0.8), (0.74, 0.72), (0.96, 0.5)]),
        Ring(0.5, 0.5, 0.13),
    ],
    Pin: [
        Solid(&[(0.34, 0.1), (0.66, 0.1), (0.62, 0.44), (0.38, 0.44)]),
        Line(&[(0.22, 0.52), (0.78, 0.52)]),
        Line(&[(0.5, 0.52), (0.5, 0.92)]),
    ],
    Stop: [Bar((0.17, 0.17), (0.83, 0.83))],
    New: [Line(&[(0.6, 0.1), (0.2, 0.1), (0.2, 0.9), (0.8, 0.9), (0.8, 0.3), (0.6, 0.1), (0.6, 0.3), (0.8, 0.3)])],
    Open: [
        Line(&[(0.1, 0.82), (0.1, 0.2), (0.38, 0.2), (0.48, 0.32), (0.84, 0.32), (0.84, 0.45)]),
        Line(&[(0.1, 0.82), (0.26, 0.45), (0.96, 0.45), (0.8, 0.82), (0.1, 0.82)]),
    ],
    Save: [
        Line(&[(0.12, 0.12), (0.7, 0.12), (0.88, 0.3), (0.88, 0.88), (0.12, 0.88), (0.12, 0.12)]),
        Line(&[(0.3, 0.12), (0.3, 0.36), (0.64, 0.36), (0.64, 0.12)]),
        Line(&[(0.28, 0.88), (0.28, 0.58), (0.72, 0.58), (0.72, 0.88)]),
    ],
    Undo: [
        Line(&[(0.34, 0.14), (0.12, 0.36), (0.34, 0.58)]),
        Line(&[(0.14, 0.36), (0.62, 0.36)]),
        Arc(0.62, 0.61, 0.25, -90.0, 90.0),
        Line(&[(0.62, 0.86), (0.4, 0.86)]),
    ],
    Redo: [
        Line(&[(0.66, 0.14), (0.88, 0.36), (0.66, 0.58)]),
        Line(&[(0.86, 0.36), (0.38, 0.36)]),
        Arc(0.38, 0.61, 0.25, 270.0, 90.0),
        Line(&[(0.38, 0.86), (0.6, 0.86)]),
    ],
    ZoomIn: [
        Ring(0.43, 0.43, 0.31),
        Line(&[(0.66, 0.66), (0.9, 0.9)]),
        Line(&[(0.29, 0.43), (0.57, 0.43)]),
        Line(&[(0.43, 0.29), (0.43, 0.57)]),
    ],
    ZoomOut: [Ring(0.43, 0.43, 0.31), Line(&[(0.66, 0.66), (0.9, 0.9)]), Line(&[(0.29, 0.43), (0.57, 0.43)])],
    Replay: [Ring(0.5, 0.5, 0.42), Solid(&[(0.4, 0.3), (0.72, 0.5), (0.4, 0.7)])],
    Fit: [
        Line(&[(0.12, 0.34), (0.12, 0.12), (0.34, 0.12)]),
        Line(&[(0.66, 0.12), (0.88, 0.12), (0.88, 0.34)]),
        Line(&[(0.88, 0.66), (0.88, 0.88), (0.66, 0.88)]),
        Line(&[(0.34, 0.88), (0.12, 0.88), (0.12, 0.66)]),
    ],
    Check: [Line(&[(0.12, 0.54), (0.38, 0.8), (0.88, 0.22)])],
    Error: [Ring(0.5, 0.5, 0.4), Line(&[(0.36, 0.36), (0.64, 0.64)]), Line(&[(0.64, 0.36), (0.36, 0.64)])],
    Warning: [
        Line(&[(0.5, 0.1), (0.94, 0.88), (0.06, 0.88), (0.5, 0.1)]),
        Line(&[(0.5, 0.4), (0.5, 0.62)]),
        Point(0.5, 0.75, 0.6),
    ],
    Info: [Ring(0.5, 0.5, 0.4), Line(&[(0.5, 0.46), (0.5, 0.72)]), Point(0.5, 0.3, 0.6)],
    Plus: [Line(&[(0.5, 0.16), (0.5, 0.84)]), Line(&[(0.16, 0.5), (0.84, 0.5)])],
    Minus: [Line(&[(0.16, 0.5), (0.84, 0.5)])],
    Close: [Line(&[(0.22, 0.22), (0.78, 0.78)]), Line(&[(0.78, 0.22), (0.22, 0.78)])],
    Enlarge: [
        Line(&[(0.56, 0.14), (0.86, 0.14), (0.86, 0.44)]),
        Line(&[(0.44, 0.86), (0.14, 0.86), (0.14, 0.56)]),
        Line(&[(0.86, 0.14), (0.56, 0.44)]),
        Line(&[(0.14, 0.86), (0.44, 0.56)]),
    ],
    Restore: [
        Line(&[(0.58, 0.12), (0.58, 0.42), (0.88, 0.42)]),
        Line(&[(0.42, 0.88), (0.42, 0.58), (0.12, 0.58)]),
        Line(&[(0.58, 0.42), (0.88, 0.12)]),
        Line(&[(0.42, 0.58), (0.12, 0.88)]),
    ],
    Up: [Line(&[(0.5, 0.86), (0.5, 0.16)]), Line(&[(0.2, 0.46), (0.5, 0.16), (0.8, 0.46)])],
    Sun: [Ring(0.5, 0.5, 0.2), Rays(0.33, 0.46)],
    Moon: [Arc(0.5, 0.5, 0.38, 40.0, 320.0), Arc(0.72, 0.5, 0.28, 70.0, 290.0)],
    Search: [Ring(0.43, 0.43, 0.31), Line(&[(0.66, 0.66), (0.9, 0.9)])],
    Reset: [Arc(0.5, 0.54, 0.34, -220.0, 50.0), Line(&[(0.2, 0.08), (0.22, 0.34), (0.46, 0.3)])],
    Model: [Frame((0.1, 0.1), (0.9, 0.9)), Frame((0.34, 0.34), (0.66, 0.66))],
    Block: [Frame((0.22, 0.22), (0.78, 0.78)), Line(&[(0.04, 0.5), (0.22, 0.5)]), Line(&[(0.78, 0.5), (0.96, 0.5)])],
    Window: [
        Line(&[(0.5, 0.14), (0.14, 0.14), (0.14, 0.86), (0.86, 0.86), (0.86, 0.5)]),
        Line(&[(0.62, 0.1), (0.9, 0.1), (0.9, 0.38)]),
        Line(&[(0.9, 0.1), (0.5, 0.5)]),
    ],
    Curve: [
        Line(&[(0.1, 0.08), (0.1, 0.9), (0.94, 0.9)]),
        Line(&[(0.1, 0.72), (0.28, 0.66), (0.42, 0.26), (0.56, 0.3), (0.7, 0.56), (0.92, 0.42)]),
    ],
    /// Points with a curve between them.
    CurveFit: [
        Line(&[(0.1, 0.08), (0.1, 0.9), (0.94, 0.9)]),
        Line(&[(0.14, 0.82), (0.34, 0.5), (0.58, 0.32), (0.92, 0.24)]),
        Dot(0.26, 0.44, 0.085),
        Dot(0.48, 0.56, 0.085),
        Dot(0.64, 0.14, 0.085),
        Dot(0.84, 0.42, 0.085),
    ],
    /// A step response below a bound.
    Response: [
        Line(&[(0.1, 0.08), (0.1, 0.9), (0.94, 0.9)]),
        Line(&[(0.14, 0.86), (0.3, 0.4), (0.44, 0.3), (0.58, 0.44), (0.74, 0.4), (0.92, 0.42)]),
        Line(&[(0.22, 0.14), (0.92, 0.14)]),
    ],
    Sliders: [
        Line(&[(0.08, 0.22), (0.92, 0.22)]),
        Dot(0.64, 0.22, 0.11),
        Line(&[(0.08, 0.5), (0.92, 0.5)]),
        Dot(0.34, 0.5, 0.11),
        Line(&[(0.08, 0.78), (0.92, 0.78)]),
        Dot(0.58, 0.78, 0.11),
    ],
    Export: [
        Line(&[(0.5, 0.08), (0.5, 0.6)]),
        Line(&[(0.28, 0.4), (0.5, 0.62), (0.72, 0.4)]),
        Line(&[(0.12, 0.64), (0.12, 0.9), (0.88, 0.9), (0.88, 0.64)]),
    ],
    Import: [
        Line(&[(0.06, 0.5), (0.56, 0.5)]),
        Line(&[(0.36, 0.28), (0.58, 0.5), (0.36, 0.72)]),
        Line(&[(0.56, 0.12), (0.9, 0.12), (0.9, 0.88), (0.56, 0.88)]),
    ],
    Star: [Star(0.44, 0.2)],
    Clock: [Ring(0.5, 0.5, 0.4), Line(&[(0.5, 0.26), (0.5, 0.52), (0.68, 0.62)])],
    More: [Dot(0.2, 0.5, 0.08), Dot(0.5, 0.5, 0.08), Dot(0.8, 0.5, 0.08)],
    Follow: [
        Line(&[(0.08, 0.5), (0.78, 0.5)]),
        Line(&[(0.54, 0.26), (0.78, 0.5), (0.54, 0.74)]),
        Line(&[(0.92, 0.16), (0.92, 0.84)]),
    ],
    Cursors: [
        Line(&[(0.26, 0.1), (0.26, 0.9)]),
        Line(&[(0.74, 0.1), (0.74, 0.9)]),
        Line(&[(0.36, 0.5), (0.64, 0.5)]),
    ],
    Ruler: [
        Frame((0.06, 0.3), (0.94, 0.7)),
        Line(&[(0.24, 0.3), (0.24, 0.46)]),
        Line(&[(0.42, 0.3), (0.42, 0.54)]),
        Line(&[(0.6, 0.3), (0.6, 0.46)]),
        Line(&[(0.78, 0.3), (0.78, 0.54)]),
    ],
    List: [
        Point(0.14, 0.22, 0.75),
        Line(&[(0.3, 0.22), (0.92, 0.22)]),
        Point(0.14, 0.5, 0.75),
        Line(&[(0.3, 0.5), (0.92, 0.5)]),
        Point(0.14, 0.78, 0.75),
        Line(&[(0.3, 0.78), (0.92, 0.78)]),
    ],
    Link: [
        Line(&[(0.12, 0.16), (0.12, 0.84)]),
        Line(&[(0.88, 0.16), (0.88, 0.84)]),
        Line(&[(0.12, 0.32), (0.88, 0.32)]),
        Line(&[(0.12, 0.68), (0.88, 0.68)]),
    ],
    // Two blocks at a line, or between two.
    AlignLeft: [
        Line(&[(0.1, 0.06), (0.1, 0.94)]),
        Frame((0.22, 0.16), (0.9, 0.42)),
        Frame((0.22, 0.58), (0.6, 0.84)),
    ],
    AlignCentre: [
        Line(&[(0.5, 0.04), (0.5, 0.16)]),
        Line(&[(0.5, 0.42), (0.5, 0.58)]),
        Line(&[(0.5, 0.84), (0.5, 0.96)]),
        Frame((0.14, 0.16), (0.86, 0.42)),
        Frame((0.3, 0.58), (0.7, 0.84)),
    ],
    AlignRight: [
        Line(&[(0.9, 0.06), (0.9, 0.94)]),
        Frame((0.1, 0.16), (0.78, 0.42)),
        Frame((0.4, 0.58), (0.78, 0.84)),
    ],
    AlignTop: [Line(&[(0.06, 0.1), (0.94, 0.1)]), Frame((0.16, 0.22), (0.42, 0.9)), Frame((0.58, 0.22), (0.84, 0.6))],
    AlignMiddle: [
        Line(&[(0.04, 0.5), (0.16, 0.5)]),
        Line(&[(0.42, 0.5), (0.58, 0.5)]),
        Line(&[(0.84, 0.5), (0.96, 0.5)]),
        Frame((0.16, 0.14), (0.42, 0.86)),
        Frame((0.58, 0.3), (0.84, 0.7)),
    ],
    AlignBottom: [
        Line(&[(0.06, 0.9), (0.94, 0.9)]),
        Frame((0.16, 0.1), (0.42, 0.78)),
        Frame((0.58, 0.4), (0.84, 0.78)),
    ],
    DistributeAcross: [
        Line(&[(0.08, 0.1), (0.08, 0.9)]),
        Line(&[(0.92, 0.1), (0.92, 0.9)]),
        Frame((0.36, 0.24), (0.64, 0.76)),
    ],
    DistributeDown: [
        Line(&[(0.1, 0.08), (0.9, 0.08)]),
        Line(&[(0.1, 0.92), (0.9, 0.92)]),
        Frame((0.24, 0.36), (0.76, 0.64)),
    ],
    SameWidth: [
        Frame((0.14, 0.14), (0.86, 0.46)),
        Line(&[(0.14, 0.78), (0.86, 0.78)]),
        Line(&[(0.28, 0.66), (0.14, 0.78), (0.28, 0.9)]),
        Line(&[(0.72, 0.66), (0.86, 0.78), (0.72, 0.9)]),
    ],
    SameHeight: [
        Frame((0.14, 0.14), (0.46, 0.86)),
        Line(&[(0.78, 0.14), (0.78, 0.86)]),
        Line(&[(0.66, 0.28), (0.78, 0.14), (0.9, 0.28)]),
        Line(&[(0.66, 0.72), (0.78, 0.86), (0.9, 0.72)]),
    ],
    SameSize: [Frame((0.08, 0.08), (0.6, 0.6)), Frame((0.4, 0.4), (0.92, 0.92))],
    Arrange: [
        Frame((0.06, 0.36), (0.32, 0.64)),
        Frame((0.66, 0.1), (0.92, 0.38)),
        Frame((0.66, 0.62), (0.92, 0.9)),
        Line(&[(0.32, 0.5), (0.5, 0.5)]),
        Line(&[(0.66, 0.24), (0.5, 0.24), (0.5, 0.76), (0.66, 0.76)]),
    ],
    Wire: [Dot(0.12, 0.28, 0.1), Dot(0.88, 0.72, 0.1), Line(&[(0.12, 0.28), (0.5, 0.28), (0.5, 0.72), (0.88, 0.72)])],
}

impl Icon {
    /// Draws the icon into a square centred in `rect`.
    pub fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let side = rect.width().min(rect.height());
        let square = Rect::from_center_size(rect.center(), vec2(side, side));
        for mark in MARKS.get(self as usize).copied().unwrap_or_default() {
            mark.paint(painter, square, color);
        }
    }
}

impl Mark {
    fn paint(self, painter: &Painter, square: Rect, color: Color32) {
        let side = square.width();
        let at = |x: f32, y: f32| pos2(square.left() + x * side, square.top() + y * side);
        let all = |points: &[At]| -> Vec<Pos2> { points.iter().map(|&(x, y)| at(x, y)).collect() };
        let between = |from: At, to: At| Rect::from_two_pos(at(from.0, from.1), at(to.0, to.1));
        let polar = |(x, y): At, radius: f32, angle: f32| at(x + radius * angle.cos(), y + radius * angle.sin());
        let stroke = Stroke::new((side / 11.0).max(1.2), color);
        let line = |points: Vec<Pos2>| {
            painter.add(Shape::line(points, stroke));
        };
        match self {
            Mark::Line(points) => line(all(points)),
            Mark::Solid(points) => {
                painter.add(Shape::convex_polygon(all(points), color, Stroke::NONE));
            }
            Mark::Bar(from, to) => {
                painter.rect_filled(between(from, to), side * 0.06, color);
            }
            Mark::Frame(from, to) => {
                let corner = CornerRadius::same((side * 0.12) as u8);
                painter.rect_stroke(between(from, to), corner, stroke, StrokeKind::Middle);
            }
            Mark::Ring(x, y, radius) => {
                painter.circle_stroke(at(x, y), radius * side, stroke);
            }
            Mark::Arc(x, y, radius, from, to) => {
                let angle = |part: i16| (from + (to - from) * f32::from(part) / 16.0).to_radians();
                line((0..=16).map(|part| polar((x, y), radius, angle(part))).collect());
            }
            Mark::Dot(x, y, radius) => {
                painter.circle_filled(at(x, y), side * radius, color);
            }
            Mark::Point(x, y, widths) => {
                painter.circle_filled(at(x, y), stroke.width * widths, color);
            }
            Mark::Rays(inner, outer) => {
                for ray in 0..8_u8 {
                    let angle = f32::from(ray) * std::f32::consts::FRAC_PI_4;
                    line([inner, outer].map(|radius| polar((0.5, 0.5), radius, angle)).to_vec());
                }
            }
            Mark::Star(tip, corner) => {
                let angle = |part: u8| f32::from(part) * std::f32::consts::PI / 5.0 - std::f32::consts::FRAC_PI_2;
                let radius = |part: u8| if part.is_multiple_of(2) { tip } else { corner };
                line((0..=10).map(|part| polar((0.5, 0.52), radius(part), angle(part))).collect());
            }
        }
    }
}
