//! The icons of buttons and menus, drawn as strokes so that they are sharp at any size.

use eframe::egui::{Color32, CornerRadius, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Run,
    Pause,
    Step,
    StepBack,
    Restart,
    Branch,
    First,
    Last,
    Eye,
    Pin,
    Stop,
    New,
    Open,
    Save,
    Undo,
    Redo,
    ZoomIn,
    ZoomOut,
    Fit,
    Check,
    Error,
    Warning,
    Info,
    Plus,
    Minus,
    Close,
    Up,
    Sun,
    Moon,
    Search,
    Reset,
    Model,
    Block,
    Curve,
    Sliders,
    Export,
    Star,
    Clock,
    More,
    Follow,
    Cursors,
    Ruler,
    List,
    Link,
    AlignLeft,
    AlignCentre,
    AlignRight,
    AlignTop,
    AlignMiddle,
    AlignBottom,
    DistributeAcross,
    DistributeDown,
    SameWidth,
    SameHeight,
    SameSize,
    Arrange,
    Wire,
}

impl Icon {
    /// Draws the icon into a square centred in `rect`.
    pub fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let side = rect.width().min(rect.height());
        let square = Rect::from_center_size(rect.center(), eframe::egui::vec2(side, side));
        let at = |x: f32, y: f32| pos2(square.left() + x * side, square.top() + y * side);
        let stroke = Stroke::new((side / 11.0).max(1.2), color);
        let line = |points: &[(f32, f32)]| {
            let points: Vec<Pos2> = points.iter().map(|&(x, y)| at(x, y)).collect();
            painter.add(Shape::line(points, stroke));
        };
        let solid = |points: &[(f32, f32)]| {
            let points: Vec<Pos2> = points.iter().map(|&(x, y)| at(x, y)).collect();
            painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
        };
        let bar = |from: (f32, f32), to: (f32, f32)| {
            let rect = Rect::from_two_pos(at(from.0, from.1), at(to.0, to.1));
            painter.rect_filled(rect, side * 0.06, color);
        };
        let frame = |from: (f32, f32), to: (f32, f32)| {
            let rect = Rect::from_two_pos(at(from.0, from.1), at(to.0, to.1));
            painter.rect_stroke(rect, CornerRadius::same((side * 0.12) as u8), stroke, StrokeKind::Middle);
        };
        let ring = |x: f32, y: f32, radius: f32| {
            painter.circle_stroke(at(x, y), radius * side, stroke);
        };
        let arc = |x: f32, y: f32, radius: f32, from: f32, to: f32| {
            let angle = |part: i16| (from + (to - from) * f32::from(part) / 16.0).to_radians();
            let points = (0..=16).map(|part| at(x + radius * angle(part).cos(), y + radius * angle(part).sin()));
            painter.add(Shape::line(points.collect(), stroke));
        };
        match self {
            Icon::Run => solid(&[(0.24, 0.12), (0.86, 0.5), (0.24, 0.88)]),
            Icon::Pause => {
                bar((0.2, 0.14), (0.41, 0.86));
                bar((0.59, 0.14), (0.8, 0.86));
            }
            Icon::Step => {
                bar((0.14, 0.14), (0.3, 0.86));
                solid(&[(0.42, 0.14), (0.9, 0.5), (0.42, 0.86)]);
            }
            Icon::StepBack => {
                bar((0.7, 0.14), (0.86, 0.86));
                solid(&[(0.58, 0.14), (0.58, 0.86), (0.1, 0.5)]);
            }
            Icon::First => {
                bar((0.14, 0.16), (0.27, 0.84));
                solid(&[(0.86, 0.16), (0.86, 0.84), (0.38, 0.5)]);
            }
            Icon::Last => {
                bar((0.73, 0.16), (0.86, 0.84));
                solid(&[(0.14, 0.16), (0.62, 0.5), (0.14, 0.84)]);
            }
            Icon::Restart => {
                arc(0.5, 0.5, 0.36, -60.0, 240.0);
                solid(&[(0.52, 0.02), (0.86, 0.14), (0.58, 0.36)]);
            }
            Icon::Branch => {
                line(&[(0.08, 0.32), (0.92, 0.32)]);
                line(&[(0.3, 0.32), (0.5, 0.74), (0.92, 0.74)]);
                line(&[(0.76, 0.58), (0.92, 0.74), (0.76, 0.9)]);
            }
            Icon::Eye => {
                line(&[(0.04, 0.5), (0.26, 0.28), (0.5, 0.2), (0.74, 0.28), (0.96, 0.5)]);
                line(&[(0.04, 0.5), (0.26, 0.72), (0.5, 0.8), (0.74, 0.72), (0.96, 0.5)]);
                ring(0.5, 0.5, 0.13);
            }
            Icon::Pin => {
                solid(&[(0.34, 0.1), (0.66, 0.1), (0.62, 0.44), (0.38, 0.44)]);
                line(&[(0.22, 0.52), (0.78, 0.52)]);
                line(&[(0.5, 0.52), (0.5, 0.92)]);
            }
            Icon::Stop => bar((0.17, 0.17), (0.83, 0.83)),
            Icon::New => {
                line(&[(0.6, 0.1), (0.2, 0.1), (0.2, 0.9), (0.8, 0.9), (0.8, 0.3), (0.6, 0.1), (0.6, 0.3), (0.8, 0.3)]);
            }
            Icon::Open => {
                line(&[(0.1, 0.82), (0.1, 0.2), (0.38, 0.2), (0.48, 0.32), (0.84, 0.32), (0.84, 0.45)]);
                line(&[(0.1, 0.82), (0.26, 0.45), (0.96, 0.45), (0.8, 0.82), (0.1, 0.82)]);
            }
            Icon::Save => {
                line(&[(0.12, 0.12), (0.7, 0.12), (0.88, 0.3), (0.88, 0.88), (0.12, 0.88), (0.12, 0.12)]);
                line(&[(0.3, 0.12), (0.3, 0.36), (0.64, 0.36), (0.64, 0.12)]);
                line(&[(0.28, 0.88), (0.28, 0.58), (0.72, 0.58), (0.72, 0.88)]);
            }
            Icon::Undo => {
                line(&[(0.34, 0.14), (0.12, 0.36), (0.34, 0.58)]);
                line(&[(0.14, 0.36), (0.62, 0.36)]);
                arc(0.62, 0.61, 0.25, -90.0, 90.0);
                line(&[(0.62, 0.86), (0.4, 0.86)]);
            }
            Icon::Redo => {
                line(&[(0.66, 0.14), (0.88, 0.36), (0.66, 0.58)]);
                line(&[(0.86, 0.36), (0.38, 0.36)]);
                arc(0.38, 0.61, 0.25, 270.0, 90.0);
                line(&[(0.38, 0.86), (0.6, 0.86)]);
            }
            Icon::ZoomIn | Icon::ZoomOut | Icon::Search => {
                ring(0.43, 0.43, 0.31);
                line(&[(0.66, 0.66), (0.9, 0.9)]);
                if self != Icon::Search {
                    line(&[(0.29, 0.43), (0.57, 0.43)]);
                }
                if self == Icon::ZoomIn {
                    line(&[(0.43, 0.29), (0.43, 0.57)]);
                }
            }
            Icon::Fit => {
                line(&[(0.12, 0.34), (0.12, 0.12), (0.34, 0.12)]);
                line(&[(0.66, 0.12), (0.88, 0.12), (0.88, 0.34)]);
                line(&[(0.88, 0.66), (0.88, 0.88), (0.66, 0.88)]);
                line(&[(0.34, 0.88), (0.12, 0.88), (0.12, 0.66)]);
            }
            Icon::Check => line(&[(0.12, 0.54), (0.38, 0.8), (0.88, 0.22)]),
            Icon::Error => {
                ring(0.5, 0.5, 0.4);
                line(&[(0.36, 0.36), (0.64, 0.64)]);
                line(&[(0.64, 0.36), (0.36, 0.64)]);
            }
            Icon::Warning => {
                line(&[(0.5, 0.1), (0.94, 0.88), (0.06, 0.88), (0.5, 0.1)]);
                line(&[(0.5, 0.4), (0.5, 0.62)]);
                painter.circle_filled(at(0.5, 0.75), stroke.width * 0.6, color);
            }
            Icon::Info => {
                ring(0.5, 0.5, 0.4);
                line(&[(0.5, 0.46), (0.5, 0.72)]);
                painter.circle_filled(at(0.5, 0.3), stroke.width * 0.6, color);
            }
            Icon::Plus => {
                line(&[(0.5, 0.16), (0.5, 0.84)]);
                line(&[(0.16, 0.5), (0.84, 0.5)]);
            }
            Icon::Minus => line(&[(0.16, 0.5), (0.84, 0.5)]),
            Icon::Close => {
                line(&[(0.22, 0.22), (0.78, 0.78)]);
                line(&[(0.78, 0.22), (0.22, 0.78)]);
            }
            Icon::Up => {
                line(&[(0.5, 0.86), (0.5, 0.16)]);
                line(&[(0.2, 0.46), (0.5, 0.16), (0.8, 0.46)]);
            }
            Icon::Sun => {
                ring(0.5, 0.5, 0.2);
                for turn in 0..8_u8 {
                    let angle = f32::from(turn) * std::f32::consts::FRAC_PI_4;
                    let ray = |radius: f32| (0.5 + radius * angle.cos(), 0.5 + radius * angle.sin());
                    line(&[ray(0.33), ray(0.46)]);
                }
            }
            Icon::Moon => {
                arc(0.5, 0.5, 0.38, 40.0, 320.0);
                arc(0.72, 0.5, 0.28, 70.0, 290.0);
            }
            Icon::Reset => {
                arc(0.5, 0.54, 0.34, -220.0, 50.0);
                line(&[(0.2, 0.08), (0.22, 0.34), (0.46, 0.3)]);
            }
            Icon::Model => {
                frame((0.1, 0.1), (0.9, 0.9));
                frame((0.34, 0.34), (0.66, 0.66));
            }
            Icon::Block => {
                frame((0.22, 0.22), (0.78, 0.78));
                line(&[(0.04, 0.5), (0.22, 0.5)]);
                line(&[(0.78, 0.5), (0.96, 0.5)]);
            }
            Icon::Curve => {
                line(&[(0.1, 0.08), (0.1, 0.9), (0.94, 0.9)]);
                line(&[(0.1, 0.72), (0.28, 0.66), (0.42, 0.26), (0.56, 0.3), (0.7, 0.56), (0.92, 0.42)]);
            }
            Icon::Sliders => {
                for (y, x) in [(0.22, 0.64), (0.5, 0.34), (0.78, 0.58)] {
                    line(&[(0.08, y), (0.92, y)]);
                    painter.circle_filled(at(x, y), side * 0.11, color);
                }
            }
            Icon::Export => {
                line(&[(0.5, 0.08), (0.5, 0.6)]);
                line(&[(0.28, 0.4), (0.5, 0.62), (0.72, 0.4)]);
                line(&[(0.12, 0.64), (0.12, 0.9), (0.88, 0.9), (0.88, 0.64)]);
            }
            Icon::Star => {
                let points = (0..=10_u8).map(|corner| {
                    let radius = if corner % 2 == 0 { 0.44 } else { 0.2 };
                    let angle = f32::from(corner) * std::f32::consts::PI / 5.0 - std::f32::consts::FRAC_PI_2;
                    at(0.5 + radius * angle.cos(), 0.52 + radius * angle.sin())
                });
                painter.add(Shape::line(points.collect(), stroke));
            }
            Icon::Clock => {
                ring(0.5, 0.5, 0.4);
                line(&[(0.5, 0.26), (0.5, 0.52), (0.68, 0.62)]);
            }
            Icon::More => {
                for x in [0.2, 0.5, 0.8] {
                    painter.circle_filled(at(x, 0.5), side * 0.08, color);
                }
            }
            Icon::Follow => {
                line(&[(0.08, 0.5), (0.78, 0.5)]);
                line(&[(0.54, 0.26), (0.78, 0.5), (0.54, 0.74)]);
                line(&[(0.92, 0.16), (0.92, 0.84)]);
            }
            Icon::Cursors => {
                line(&[(0.26, 0.1), (0.26, 0.9)]);
                line(&[(0.74, 0.1), (0.74, 0.9)]);
                line(&[(0.36, 0.5), (0.64, 0.5)]);
            }
            Icon::Ruler => {
                frame((0.06, 0.3), (0.94, 0.7));
                for (x, y) in [(0.24, 0.46), (0.42, 0.54), (0.6, 0.46), (0.78, 0.54)] {
                    line(&[(x, 0.3), (x, y)]);
                }
            }
            Icon::List => {
                for y in [0.22, 0.5, 0.78] {
                    painter.circle_filled(at(0.14, y), stroke.width * 0.75, color);
                    line(&[(0.3, y), (0.92, y)]);
                }
            }
            Icon::Link => {
                line(&[(0.12, 0.16), (0.12, 0.84)]);
                line(&[(0.88, 0.16), (0.88, 0.84)]);
                line(&[(0.12, 0.32), (0.88, 0.32)]);
                line(&[(0.12, 0.68), (0.88, 0.68)]);
            }
            // Two blocks at a line, or between two.
            Icon::AlignLeft => {
                line(&[(0.1, 0.06), (0.1, 0.94)]);
                frame((0.22, 0.16), (0.9, 0.42));
                frame((0.22, 0.58), (0.6, 0.84));
            }
            Icon::AlignCentre => {
                line(&[(0.5, 0.04), (0.5, 0.16)]);
                line(&[(0.5, 0.42), (0.5, 0.58)]);
                line(&[(0.5, 0.84), (0.5, 0.96)]);
                frame((0.14, 0.16), (0.86, 0.42));
                frame((0.3, 0.58), (0.7, 0.84));
            }
            Icon::AlignRight => {
                line(&[(0.9, 0.06), (0.9, 0.94)]);
                frame((0.1, 0.16), (0.78, 0.42));
                frame((0.4, 0.58), (0.78, 0.84));
            }
            Icon::AlignTop => {
                line(&[(0.06, 0.1), (0.94, 0.1)]);
                frame((0.16, 0.22), (0.42, 0.9));
                frame((0.58, 0.22), (0.84, 0.6));
            }
            Icon::AlignMiddle => {
                line(&[(0.04, 0.5), (0.16, 0.5)]);
                line(&[(0.42, 0.5), (0.58, 0.5)]);
                line(&[(0.84, 0.5), (0.96, 0.5)]);
                frame((0.16, 0.14), (0.42, 0.86));
                frame((0.58, 0.3), (0.84, 0.7));
            }
            Icon::AlignBottom => {
                line(&[(0.06, 0.9), (0.94, 0.9)]);
                frame((0.16, 0.1), (0.42, 0.78));
                frame((0.58, 0.4), (0.84, 0.78));
            }
            Icon::DistributeAcross => {
                line(&[(0.08, 0.1), (0.08, 0.9)]);
                line(&[(0.92, 0.1), (0.92, 0.9)]);
                frame((0.36, 0.24), (0.64, 0.76));
            }
            Icon::DistributeDown => {
                line(&[(0.1, 0.08), (0.9, 0.08)]);
                line(&[(0.1, 0.92), (0.9, 0.92)]);
                frame((0.24, 0.36), (0.76, 0.64));
            }
            Icon::SameWidth => {
                frame((0.14, 0.14), (0.86, 0.46));
                line(&[(0.14, 0.78), (0.86, 0.78)]);
                line(&[(0.28, 0.66), (0.14, 0.78), (0.28, 0.9)]);
                line(&[(0.72, 0.66), (0.86, 0.78), (0.72, 0.9)]);
            }
            Icon::SameHeight => {
                frame((0.14, 0.14), (0.46, 0.86));
                line(&[(0.78, 0.14), (0.78, 0.86)]);
                line(&[(0.66, 0.28), (0.78, 0.14), (0.9, 0.28)]);
                line(&[(0.66, 0.72), (0.78, 0.86), (0.9, 0.72)]);
            }
            Icon::SameSize => {
                frame((0.08, 0.08), (0.6, 0.6));
                frame((0.4, 0.4), (0.92, 0.92));
            }
            Icon::Arrange => {
                frame((0.06, 0.36), (0.32, 0.64));
                frame((0.66, 0.1), (0.92, 0.38));
                frame((0.66, 0.62), (0.92, 0.9));
                line(&[(0.32, 0.5), (0.5, 0.5)]);
                line(&[(0.66, 0.24), (0.5, 0.24), (0.5, 0.76), (0.66, 0.76)]);
            }
            Icon::Wire => {
                painter.circle_filled(at(0.12, 0.28), side * 0.1, color);
                painter.circle_filled(at(0.88, 0.72), side * 0.1, color);
                line(&[(0.12, 0.28), (0.5, 0.28), (0.5, 0.72), (0.88, 0.72)]);
            }
        }
    }
}
