//! The icon of a model's instances: a text, the icon of a library block, or an SVG path.

use eframe::egui::emath::{Pos2, Rect, Vec2, pos2, vec2};

use super::{Drawing, shortened};
use crate::block::{Face, Registry};
use crate::model::Model;

/// Model attribute with its icon: `Group/Name` of a library block, the data of an SVG path (`M0 0 L10 5…`), or any
/// other text.
pub const VIEW_ICON: &str = "view:icon";

/// Number of straight pieces per curve.
const PIECES: u8 = 12;
/// Maximum number of points of a path.
const MANY: usize = 2000;

/// Returns the icon of a model's instances, if it has one.
pub fn drawing_of(model: &Model, registry: &Registry) -> Option<Drawing> {
    let text = model.attributes.get(VIEW_ICON)?.trim();
    if text.is_empty() {
        return None;
    }
    let of_library = text.split_once('/').and_then(|(group, name)| match registry.get(group, name)?.look.face {
        Face::Strokes(strokes) => Some(Drawing::Strokes(strokes)),
        Face::Text(text) => Some(Drawing::Text(text.to_owned())),
        Face::Fraction(over, under) => Some(Drawing::Fraction(over.to_owned(), under.to_owned())),
        _ => None,
    });
    let of_path = || path(text).map(Drawing::Path);
    of_library.or_else(of_path).or_else(|| Some(Drawing::Text(shortened(text, 14))))
}

/// Returns the lines of SVG path data, scaled into the unit square with the aspect ratio kept; None if the text is not
/// a path. Supports moves, lines and Bézier curves, not arcs.
pub fn path(text: &str) -> Option<Vec<Vec<(f32, f32)>>> {
    let mut reader = Reader { text, at: 0 };
    let mut lines: Vec<Vec<Pos2>> = Vec::new();
    let (mut pen, mut start) = (Pos2::ZERO, Pos2::ZERO);
    let mut command = reader.command()?;
    if !command.eq_ignore_ascii_case(&'m') {
        return None;
    }
    loop {
        let base = if command.is_ascii_lowercase() { pen.to_vec2() } else { Vec2::ZERO };
        match command.to_ascii_lowercase() {
            'm' => {
                pen = reader.point()? + base;
                start = pen;
                lines.push(vec![pen]);
                // Further pairs are lines.
                command = if command == 'm' { 'l' } else { 'L' };
            }
            'z' => {
                lines.last_mut()?.push(start);
                pen = start;
            }
            'l' | 'h' | 'v' => {
                pen = match command.to_ascii_lowercase() {
                    'l' => reader.point()? + base,
                    'h' => pos2(reader.number()? + base.x, pen.y),
                    _ => pos2(pen.x, reader.number()? + base.y),
                };
                lines.last_mut()?.push(pen);
            }
            'q' => {
                let (middle, end) = (reader.point()? + base, reader.point()? + base);
                let from = pen;
                // Converts to an equal cubic curve.
                let near = |corner: Pos2, end: Pos2| end + (corner - end) * (2.0 / 3.0);
                curve(lines.last_mut()?, [from, near(middle, from), near(middle, end), end]);
                pen = end;
            }
            'c' => {
                let points = [pen, reader.point()? + base, reader.point()? + base, reader.point()? + base];
                curve(lines.last_mut()?, points);
                pen = points[3];
            }
            _ => return None,
        }
        if lines.iter().map(Vec::len).sum::<usize>() > MANY {
            return None;
        }
        match reader.command() {
            Some(next) => command = next,
            None if reader.is_done() => break,
            None if command.eq_ignore_ascii_case(&'z') => return None,
            None => {}
        }
    }
    fitted(lines)
}

fn curve(line: &mut Vec<Pos2>, [a, b, c, d]: [Pos2; 4]) {
    line.extend((1..=PIECES).map(|piece| {
        let t = f32::from(piece) / f32::from(PIECES);
        let s = 1.0 - t;
        let sum = a.to_vec2() * (s * s * s)
            + b.to_vec2() * (3.0 * s * s * t)
            + c.to_vec2() * (3.0 * s * t * t)
            + d.to_vec2() * (t * t * t);
        sum.to_pos2()
    }));
}

fn fitted(lines: Vec<Vec<Pos2>>) -> Option<Vec<Vec<(f32, f32)>>> {
    let bounds = Rect::from_points(&lines.concat());
    let side = bounds.size().max_elem();
    if !(side.is_finite() && side > 0.0) {
        return None;
    }
    let point_at = |point: Pos2| {
        let at = (point - bounds.center()) / side + vec2(0.5, 0.5);
        (at.x, at.y)
    };
    Some(lines.into_iter().filter(|line| line.len() > 1).map(|line| line.into_iter().map(point_at).collect()).collect())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
    }

    fn is_done(&mut self) -> bool {
        self.skip_space();
        self.rest().is_empty()
    }

    fn command(&mut self) -> Option<char> {
        self.skip_space();
        let first = self.rest().chars().next().filter(char::is_ascii_alphabetic)?;
        self.at += 1;
        Some(first)
    }

    fn number(&mut self) -> Option<f32> {
        self.skip_space();
        let rest = self.rest();
        let mut has_point = false;
        let mut before = None;
        let is_inside = |c: char| {
            let fits = match c {
                '+' | '-' => before.is_none() || matches!(before, Some('e' | 'E')),
                '.' => !std::mem::replace(&mut has_point, true),
                'e' | 'E' => before.is_some(),
                _ => c.is_ascii_digit(),
            };
            before = Some(c);
            fits
        };
        let mut is_inside = is_inside;
        let end = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
        let number = rest.get(..end)?.parse::<f32>().ok().filter(|number| number.is_finite())?;
        self.at += end;
        Some(number)
    }

    fn point(&mut self) -> Option<Pos2> {
        Some(pos2(self.number()?, self.number()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_fitted_into_the_unit_square() {
        let square = vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)];
        for text in
            ["M10 10 L30 10 L30 30 L10 30 Z", "m10,10h20v20h-20z", "M10-10 30-10 30 10 10 10z", "M0 0l1e1 0 0 10-10 0Z"]
        {
            assert_eq!(path(text), Some(vec![square.clone()]), "{text}");
        }
        // Twice as wide as high: vertically centred.
        assert_eq!(path("M0 0 L4 2"), Some(vec![vec![(0.0, 0.25), (1.0, 0.75)]]));
        assert_eq!(path("M0 0L1 0M0 1L1 1").map(|lines| lines.len()), Some(2));
    }

    #[test]
    fn curves_pass_where_bezier_says() {
        // The midpoint of a cubic curve is 1/8 of its end points plus 3/8 of its control points.
        let lines = path("M0 0 C0 4 4 4 4 0").expect("a path");
        let middle = lines[0][6];
        assert!((middle.0 - 0.5).abs() < 1e-6, "{middle:?}");
        // Its height is 3/4 of its width, centred in the square.
        let highest = lines[0].iter().map(|point| point.1).fold(0.0, f32::max);
        assert!((highest - (0.5 + 3.0 / 8.0)).abs() < 1e-6, "{highest}");
        let quadratic = path("M0 0 Q2 4 4 0").expect("a path");
        assert!((quadratic[0][6].1 - quadratic[0][0].1 - 0.5).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_path_is_none() {
        for text in [
            "",
            "PI",
            "Motor",
            "M",
            "M1",
            "M1 1",
            "M0 0 A1 1 0 0 0 2 2",
            "L1 1",
            "M0 0 L1",
            "M0 0 L1 x",
            "MPC",
            "M0 0 Lnan 3",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
    }
}
