//! A box with three axes that can be rotated: values to screen positions.

use eframe::egui::{Align2, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use super::Axis;
use super::kinds::ViewAngles;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT_SMALL, Theme};

/// Three axes, and the view of the box between them.
#[derive(Clone, Debug)]
pub struct Space {
    pub axes: [Axis; 3],
    pub names: [String; 3],
    pub view_angles: ViewAngles,
    /// At 1 the whole box is visible.
    pub zoom: f32,
}

/// A point in the box, with −0.5 to 0.5 along each axis.
type BoxPoint = [f64; 3];

/// Height of the box relative to its width.
const HEIGHT: f64 = 0.8;
/// Minimum distance between the labels at an edge, in points.
const APART: f32 = 46.0;

impl ViewAngles {
    /// Rotates by a drag on the screen, so that the box follows the pointer.
    pub fn by(self, drag: Vec2) -> ViewAngles {
        let azimuth = (self.azimuth + f64::from(drag.x) * 0.4).rem_euclid(360.0);
        let elevation = (self.elevation + f64::from(drag.y) * 0.4).clamp(-90.0, 90.0);
        // Rounded: more digits would be noise in the file.
        let round = |degrees: f64| (degrees * 10.0).round() / 10.0;
        ViewAngles { azimuth: round(azimuth), elevation: round(elevation) }
    }
}

impl Space {
    fn point(&self, values: [f64; 3]) -> BoxPoint {
        let [x, y, z] = &self.axes;
        [x.part(values[0]) - 0.5, y.part(values[1]) - 0.5, z.part(values[2]) - 0.5]
    }

    /// Returns the coordinates to the right, up, and away from the viewer, before scaling to the screen.
    fn seen(&self, [x, y, z]: BoxPoint) -> [f64; 3] {
        let (sin_a, cos_a) = self.view_angles.azimuth.to_radians().sin_cos();
        let (sin_e, cos_e) = self.view_angles.elevation.to_radians().sin_cos();
        let (right, away) = (x * cos_a + y * sin_a, y * cos_a - x * sin_a);
        let up = z * HEIGHT;
        [right, up * cos_e + away * sin_e, away * cos_e - up * sin_e]
    }

    /// Returns the screen points per edge length with which the box fits at every rotation.
    fn scale(&self, room: Rect) -> f64 {
        let fits = (f64::from(room.width()) / 1.9).min(f64::from(room.height()) / 1.8);
        fits.max(10.0) * f64::from(self.zoom)
    }

    fn on_screen(&self, room: Rect, point: BoxPoint) -> Pos2 {
        let ([right, up, _], scale) = (self.seen(point), self.scale(room));
        room.center() + vec2((right * scale) as f32, (-up * scale) as f32)
    }

    /// Returns the screen position of values, and their depth from −1 to 1.
    pub fn at(&self, room: Rect, values: [f64; 3]) -> (Pos2, f64) {
        let point = self.point(values);
        let [.., away] = self.seen(point);
        (self.on_screen(room, point), away)
    }

    /// Returns for each axis whether its start or its end is farther away.
    fn back(&self) -> [f64; 3] {
        let axes: [BoxPoint; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        axes.map(|way| {
            let [.., away] = self.seen(way);
            if away >= 0.0 { 0.5 } else { -0.5 }
        })
    }

    /// Draws the box behind its contents: three walls with grids, numbers and names at the edges.
    pub fn axes_ui(&self, painter: &Painter, room: Rect, theme: &Theme) {
        let back = self.back();
        let main = Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.20));
        let weak = Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.10));
        for wall in 0..3 {
            let others: Vec<usize> = (0..3).filter(|axis| *axis != wall).collect();
            let [one, other] = others[..] else { continue };
            let corner = |a: f64, b: f64| {
                let mut point = [0.0; 3];
                for (axis, value) in [(wall, back.get(wall).copied().unwrap_or_default()), (one, a), (other, b)] {
                    if let Some(part) = point.get_mut(axis) {
                        *part = value;
                    }
                }
                self.on_screen(room, point)
            };
            let corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
            painter.add(Shape::closed_line(corners.to_vec(), main));
            for (axis, is_one) in [(one, true), (other, false)] {
                for part in self.ticks(room, axis).into_iter().map(|(part, _)| part - 0.5) {
                    let (from, to) = if is_one {
                        (corner(part, -0.5), corner(part, 0.5))
                    } else {
                        (corner(-0.5, part), corner(0.5, part))
                    };
                    painter.line_segment([from, to], weak);
                }
            }
        }
        for axis in 0..3 {
            self.edge_ui(painter, room, theme, axis, back);
        }
    }

    /// Returns the major ticks of an axis: positions from 0 to 1, and labels.
    fn ticks(&self, room: Rect, axis: usize) -> Vec<(f64, String)> {
        let Some(axis) = self.axes.get(axis) else { return Vec::new() };
        let length = self.scale(room) as f32;
        let ticks = axis.ticks(length, APART).into_iter().filter(|tick| tick.is_main);
        ticks.map(|tick| (axis.part(tick.value), axis.number(tick.value, length, APART))).collect()
    }

    /// Draws the numbers and the name of an axis at the edge of the box where they cover nothing.
    fn edge_ui(&self, painter: &Painter, room: Rect, theme: &Theme, axis: usize, back: [f64; 3]) {
        let [back_x, back_y, back_z] = back;
        // The horizontal axes use their lower front edges, the vertical axis its leftmost edge.
        let floor = if self.view_angles.elevation >= 0.0 { back_z } else { -back_z };
        let along = |part: f64| -> BoxPoint {
            match axis {
                0 => [part, -back_y, floor],
                1 => [-back_x, part, floor],
                _ => {
                    let corners = [[back_x, -back_y], [-back_x, back_y]];
                    let leftmost = corners.into_iter().min_by(|a, b| {
                        let x = |[x, y]: &[f64; 2]| self.on_screen(room, [*x, *y, 0.0]).x;
                        x(a).total_cmp(&x(b))
                    });
                    let [x, y] = leftmost.unwrap_or([back_x, -back_y]);
                    [x, y, part]
                }
            }
        };
        let middle = self.on_screen(room, along(0.0));
        let mut out = middle - self.on_screen(room, [0.0, 0.0, if axis == 2 { 0.0 } else { floor * 0.4 }]);
        if axis == 2 {
            out = vec2(-1.0, 0.0);
        }
        let out = if out.length() > 0.5 { out.normalized() } else { vec2(0.0, 1.0) };
        let font = style::plain(TEXT_SMALL - 0.5);
        let mut widest = 0.0_f32;
        for (part, text) in self.ticks(room, axis) {
            let at = self.on_screen(room, along(part - 0.5));
            painter.line_segment([at, at + out * 4.0], Stroke::new(1.0, style::mix(theme.panel, theme.text, 0.35)));
            let galley = painter.layout_no_wrap(text, font.clone(), theme.text_weak);
            widest = widest.max(galley.size().x);
            let rect = beside(at + out * 7.0, out, galley.size());
            painter.galley(rect.min, galley, theme.text_weak);
        }
        let name = self.names.get(axis).map_or("", String::as_str);
        let galley = painter.layout_no_wrap(name.to_owned(), style::strong(TEXT_SMALL), theme.text);
        // Outside the numbers.
        let off = 16.0 + if out.x.abs() > 0.5 { widest } else { 12.0 };
        let rect = beside(middle + out * off, out, galley.size());
        // A name that does not fit beside the box is moved to the edge of the figure.
        let shift = vec2((room.left() + 4.0 - rect.left()).max(0.0), (room.bottom() - 2.0 - rect.bottom()).min(0.0));
        painter.galley((rect.translate(shift)).min, galley, theme.text);
    }
}

/// Returns a rectangle that touches a point and lies on the given side of it.
fn beside(at: Pos2, way: Vec2, size: Vec2) -> Rect {
    let align = |part: f32| {
        if part > 0.4 {
            0.0
        } else if part < -0.4 {
            1.0
        } else {
            0.5
        }
    };
    let corner = at - vec2(size.x * align(way.x), size.y * align(way.y));
    Align2::LEFT_TOP.anchor_size(pos2(corner.x, corner.y), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(azimuth: f64, elevation: f64) -> Space {
        let axis = Axis::new(0.0, 2.0);
        let names = ["x", "y", "z"].map(str::to_owned);
        Space { axes: [axis; 3], names, view_angles: ViewAngles { azimuth, elevation }, zoom: 1.0 }
    }

    const ROOM: Rect = Rect { min: Pos2 { x: 0.0, y: 0.0 }, max: Pos2 { x: 380.0, y: 360.0 } };

    #[test]
    fn each_axis_is_seen_where_it_is_looked_for() {
        // From the front: x to the right, z up, y away.
        let front = space(0.0, 0.0);
        let (middle, _) = front.at(ROOM, [1.0, 1.0, 1.0]);
        assert_eq!(middle, ROOM.center());
        let off = |space: &Space, values| space.at(ROOM, values).0 - ROOM.center();
        let near = |is: Vec2, wanted: Vec2| (is - wanted).length() < 1e-3;
        assert!(near(off(&front, [2.0, 1.0, 1.0]), vec2(100.0, 0.0)), "half of an edge of 200");
        assert!(near(off(&front, [1.0, 2.0, 1.0]), Vec2::ZERO));
        assert!(near(off(&front, [1.0, 1.0, 2.0]), vec2(0.0, -100.0 * HEIGHT as f32)));
        // Rotation by 90 degrees moves y to the right, a view from above moves it up.
        assert!(near(off(&space(90.0, 0.0), [1.0, 2.0, 1.0]), vec2(100.0, 0.0)));
        assert!(near(off(&space(0.0, 90.0), [1.0, 2.0, 1.0]), vec2(0.0, -100.0)));
    }

    #[test]
    fn walls_are_always_behind() {
        for azimuth in [0.0, 35.0, 100.0, 200.0, 300.0] {
            for elevation in [-80.0, -25.0, 25.0, 80.0] {
                let space = space(azimuth, elevation);
                let back = space.back();
                let [.., away] = space.seen(back);
                for other in [[-back[0], back[1], back[2]], [back[0], -back[1], back[2]], [back[0], back[1], -back[2]]]
                {
                    assert!(space.seen(other)[2] <= away, "{azimuth} {elevation}");
                }
            }
        }
    }

    #[test]
    fn the_box_fits_however_it_is_turned() {
        for azimuth in 0..36 {
            for elevation in -9..=9 {
                let space = space(f64::from(azimuth) * 10.0, f64::from(elevation) * 10.0);
                for corner in 0..8 {
                    let value = |bit: i32| if corner & bit == 0 { 0.0 } else { 2.0 };
                    assert!(ROOM.contains(space.at(ROOM, [value(1), value(2), value(4)]).0));
                }
            }
        }
    }
}
