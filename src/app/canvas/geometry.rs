//! Block sizes and port positions, in model units. Independent of the window.
//!
//! Everything lies on the grid: heights are multiples of 20, so that the centre of a side and every port are on a grid
//! line, and two blocks with one output and one input in a row are connected by a straight wire.

use eframe::egui::emath::{Pos2, Rect, Vec2, pos2, vec2};

use crate::block::Body;
use crate::model::Position;

/// Grid of blocks, ports and wires.
pub const GRID: f32 = 10.0;
/// Distance between two ports of a side.
const PITCH: f32 = 20.0;
/// Approximate width of a letter of a block's texts.
const LETTER: f32 = 6.8;
/// Height of the title below a block.
pub const TITLE_HEIGHT: f32 = 18.0;
/// Approximate width of the title beside a block.
const SIDE_TITLE: f32 = 50.0;
const MAX_WIDTH: f32 = 180.0;

/// The properties that determine a block's size.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<'a> {
    pub body: Body,
    /// Letters of the longest line inside, 0 if there is an icon.
    pub letters: usize,
    /// Port names are inside the block.
    pub labels: Labels<'a>,
    pub inputs: usize,
    pub outputs: usize,
    pub facing: Facing,
    pub title: TitleSide,
    /// The size of a note or area, or the minimum size of a block.
    pub own_size: Option<Vec2>,
    pub places: PortPlaces,
}

/// Where the ports of a side are, from the upper or left end of the side; empty for evenly around its middle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortPlaces {
    pub inputs: Vec<f32>,
    pub outputs: Vec<f32>,
    /// The sides of the inputs of a circle.
    pub round: Vec<RoundSide>,
}

/// A side of a circle that faces to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundSide {
    Top,
    Left,
    Bottom,
}

impl RoundSide {
    /// Returns sides as the document stores them: `left bottom`.
    pub fn text_of(sides: &[RoundSide]) -> String {
        let name = |side: &RoundSide| match side {
            RoundSide::Top => "top",
            RoundSide::Left => "left",
            RoundSide::Bottom => "bottom",
        };
        sides.iter().map(name).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Labels<'a> {
    None,
    Inside { inputs: &'a [std::sync::Arc<str>], outputs: &'a [std::sync::Arc<str>] },
}

/// The direction of the signal through a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    #[default]
    Right,
    /// Inputs at the right, as in a feedback branch.
    Left,
    Up,
    Down,
}

/// Position of a block's title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TitleSide {
    #[default]
    Below,
    Above,
    /// Beside a block whose ports are at its top and bottom.
    Right,
    Hidden,
}

/// The direction in which a wire leaves or enters a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heading {
    Right,
    Left,
    Up,
    Down,
}

impl Heading {
    pub fn vector(self) -> Vec2 {
        match self {
            Heading::Right => vec2(1.0, 0.0),
            Heading::Left => vec2(-1.0, 0.0),
            Heading::Up => vec2(0.0, -1.0),
            Heading::Down => vec2(0.0, 1.0),
        }
    }

    pub fn is_vertical(self) -> bool {
        matches!(self, Heading::Up | Heading::Down)
    }

    pub fn reversed(self) -> Heading {
        match self {
            Heading::Right => Heading::Left,
            Heading::Left => Heading::Right,
            Heading::Up => Heading::Down,
            Heading::Down => Heading::Up,
        }
    }
}

/// A block's outline at its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Ports lie on its edges.
    pub rect: Rect,
    /// The filled rectangle: the same, or lower for a pill.
    pub body: Rect,
    pub inputs: Vec<Pos2>,
    pub outputs: Vec<Pos2>,
    pub facing: Facing,
    pub title: TitleSide,
}

impl Facing {
    pub fn heading(self) -> Heading {
        match self {
            Facing::Right => Heading::Right,
            Facing::Left => Heading::Left,
            Facing::Up => Heading::Up,
            Facing::Down => Heading::Down,
        }
    }

    pub fn is_vertical(self) -> bool {
        self.heading().is_vertical()
    }

    pub fn reversed(self) -> Facing {
        match self {
            Facing::Right => Facing::Left,
            Facing::Left => Facing::Right,
            Facing::Up => Facing::Down,
            Facing::Down => Facing::Up,
        }
    }

    /// Rotates clockwise by 90 degrees.
    pub fn turned(self) -> Facing {
        match self {
            Facing::Right => Facing::Down,
            Facing::Down => Facing::Left,
            Facing::Left => Facing::Up,
            Facing::Up => Facing::Right,
        }
    }
}

impl Outline {
    pub fn moved_to(&self, top_left: Pos2) -> Outline {
        let shift = top_left - self.rect.min;
        let moved = |points: &[Pos2]| points.iter().map(|&point| point + shift).collect();
        Outline {
            rect: self.rect.translate(shift),
            body: self.body.translate(shift),
            inputs: moved(&self.inputs),
            outputs: moved(&self.outputs),
            facing: self.facing,
            title: self.title,
        }
    }

    /// Returns the direction into an input by the edge on which it lies, since a sum has some at its sides.
    pub fn input_heading(&self, at: Pos2) -> Heading {
        let is_near = |a: f32, b: f32| (a - b).abs() < 0.01;
        let edges = [
            (is_near(at.x, self.rect.left()), Heading::Right),
            (is_near(at.x, self.rect.right()), Heading::Left),
            (is_near(at.y, self.rect.top()), Heading::Down),
            (is_near(at.y, self.rect.bottom()), Heading::Up),
        ];
        let own = self.facing.heading();
        let mut on = edges.into_iter().filter(|(is_on, _)| *is_on).map(|(_, heading)| heading);
        match on.clone().any(|heading| heading == own) {
            true => own,
            false => on.next().unwrap_or(own),
        }
    }

    /// Returns the outline with the title: the area that wires avoid if possible.
    pub fn with_title(&self) -> Rect {
        let Rect { min, max } = self.rect;
        match self.title {
            TitleSide::Below => Rect { min, max: max + vec2(0.0, TITLE_HEIGHT) },
            TitleSide::Above => Rect { min: min - vec2(0.0, TITLE_HEIGHT), max },
            TitleSide::Right => Rect { min, max: max + vec2(SIDE_TITLE, 0.0) },
            TitleSide::Hidden => self.rect,
        }
    }
}

impl PortPlaces {
    /// Returns the places that are for all ports of their side and within it; others are left out.
    fn fitting<'a>(&'a self, figure: &Figure, length: f32) -> PlacesOf<'a> {
        let fits = |places: &'a [f32], count: usize| {
            let is_within = places.iter().all(|place| (0.0..=length).contains(place));
            let is_rising = places.is_sorted_by(|one, next| one < next);
            if places.len() == count && is_within && is_rising { places } else { &[] }
        };
        PlacesOf { inputs: fits(&self.inputs, figure.inputs), outputs: fits(&self.outputs, figure.outputs) }
    }
}

/// Borrowed [`PortPlaces`].
struct PlacesOf<'a> {
    inputs: &'a [f32],
    outputs: &'a [f32],
}

/// Returns the outline of a block at the origin.
pub fn outline(figure: &Figure) -> Outline {
    let facing = figure.facing;
    let is_remark = matches!(figure.body, Body::Note | Body::Area);
    if let Some(size) = figure.own_size.filter(|_| is_remark) {
        let rect = Rect::from_min_size(Pos2::ZERO, size);
        return Outline { rect, body: rect, inputs: Vec::new(), outputs: Vec::new(), facing, title: figure.title };
    }
    let (size, pitch) = match facing.is_vertical() {
        true => upright_size(figure),
        false => (size(figure), PITCH),
    };
    let size = match (figure.own_size, figure.body) {
        (Some(own), Body::Rect) => size.max(on_grid(own, facing)),
        // Only their length can be chosen.
        (Some(own), Body::Bar | Body::Circle) if facing.is_vertical() => {
            vec2(size.x.max(on_grid(own, facing).x), size.y)
        }
        (Some(own), Body::Bar | Body::Circle) => vec2(size.x, size.y.max(on_grid(own, facing).y)),
        _ => size,
    };
    let rect = Rect::from_min_size(Pos2::ZERO, size);
    let body = match figure.body {
        Body::Pill if !facing.is_vertical() => rect.shrink2(vec2(0.0, 7.0)),
        _ => rect,
    };
    let along = |heading: Heading| match heading {
        Heading::Right => rect.right(),
        Heading::Left => rect.left(),
        Heading::Up => rect.top(),
        Heading::Down => rect.bottom(),
    };
    let length = if facing.is_vertical() { size.x } else { size.y };
    let side = |count: usize, edge: f32, places: &[f32]| -> Vec<Pos2> {
        let first = length / 2.0 - pitch / 2.0 * (count.saturating_sub(1)) as f32;
        let even = |index: usize| first + pitch * index as f32;
        let offsets = (0..count).map(|index| places.get(index).copied().unwrap_or_else(|| even(index)));
        offsets.map(|offset| if facing.is_vertical() { pos2(offset, edge) } else { pos2(edge, offset) }).collect()
    };
    let PlacesOf { inputs: input_places, outputs: output_places } = figure.places.fitting(figure, length);
    let (left, right) = (rect.left_center(), rect.right_center());
    let (top, bottom) = (rect.center_top(), rect.center_bottom());
    // As in textbooks, the feedback input of a sum is at the bottom.
    let round = match facing {
        Facing::Right => [top, left, bottom],
        Facing::Left => [top, right, bottom],
        Facing::Down => [right, top, left],
        Facing::Up => [left, bottom, right],
    };
    let sides = &figure.places.round;
    let inputs = match (figure.body, figure.inputs) {
        (Body::Circle, count @ 1..=3) if sides.len() == count => {
            sides.iter().filter_map(|side| round.get(*side as usize).copied()).collect()
        }
        (Body::Circle, 2) if input_places.is_empty() => round[1..].to_vec(),
        (Body::Circle, 3) if input_places.is_empty() => round.to_vec(),
        (_, count) => side(count, along(facing.heading().reversed()), input_places),
    };
    let outputs = side(figure.outputs, along(facing.heading()), output_places);
    Outline { rect, body, inputs, outputs, facing, title: figure.title }
}

/// Returns the size of a block whose ports are at its top and bottom, and the distance between ports.
fn upright_size(figure: &Figure) -> (Vec2, f32) {
    let is_round = figure.body == Body::Circle && figure.inputs <= 3;
    let rows = if is_round { figure.outputs } else { figure.inputs.max(figure.outputs) };
    let longest = match &figure.labels {
        Labels::None => 0,
        Labels::Inside { inputs, outputs } => {
            inputs.iter().chain(*outputs).map(|name| name.chars().count()).max().unwrap_or(0).min(12)
        }
    };
    let even = |length: f32| (length / (2.0 * GRID)).ceil() * 2.0 * GRID;
    let pitch = even((longest as f32 * (LETTER - 0.8) + 8.0).max(PITCH));
    let text = figure.letters as f32 * LETTER;
    let ports = pitch * rows as f32;
    let size = match figure.body {
        Body::Bar => vec2(even(ports.max(40.0)), 10.0),
        Body::Circle => vec2(even(ports.max(40.0)), 40.0),
        Body::Triangle => vec2(even((text * 1.3 + 26.0).max(60.0)), 50.0),
        Body::Pill => vec2(even((text + 28.0).clamp(60.0, MAX_WIDTH)), 30.0),
        Body::Rect | Body::Note | Body::Area => {
            let height = if longest > 0 { 60.0 } else { 40.0 };
            vec2(even(ports.max((text + 18.0).min(MAX_WIDTH)).max(60.0)), height)
        }
    };
    (size, pitch)
}

fn size(figure: &Figure) -> Vec2 {
    let is_round = figure.body == Body::Circle && figure.inputs <= 3;
    let rows = if is_round { figure.outputs } else { figure.inputs.max(figure.outputs) };
    let text = figure.letters as f32 * LETTER;
    let height = match figure.labels {
        Labels::None => (PITCH * rows as f32).max(40.0),
        Labels::Inside { .. } => (PITCH * (rows as f32 + 1.0)).max(40.0),
    };
    let width = match figure.body {
        Body::Bar => 10.0,
        Body::Circle => 40.0,
        Body::Triangle => (text * 1.3 + 26.0).max(50.0),
        Body::Pill => (text + 28.0).max(60.0),
        Body::Note | Body::Area => 160.0,
        Body::Rect => match &figure.labels {
            Labels::None => (text + 18.0).max(60.0),
            Labels::Inside { inputs, outputs } => {
                let longest = |names: &[std::sync::Arc<str>]| {
                    names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f32 * (LETTER - 0.8)
                };
                (longest(inputs) + longest(outputs) + 36.0).max(text + 18.0).max(80.0)
            }
        },
    };
    vec2(ceil_to_grid(width.min(MAX_WIDTH)), height)
}

/// Rounds a size so that ports in the middle of the sides lie on the grid.
fn on_grid(size: Vec2, facing: Facing) -> Vec2 {
    let even = |length: f32| (length / (2.0 * GRID)).round() * 2.0 * GRID;
    match facing.is_vertical() {
        true => vec2(even(size.x), snap_number(size.y)),
        false => vec2(snap_number(size.x), even(size.y)),
    }
}

fn ceil_to_grid(length: f32) -> f32 {
    (length / GRID).ceil() * GRID
}

pub fn snap(point: Pos2) -> Pos2 {
    pos2(snap_number(point.x), snap_number(point.y))
}

pub fn snap_number(number: f32) -> f32 {
    (number / GRID).round() * GRID
}

/// Positions beyond these limits are shown at them: larger f32 numbers have no fraction.
const FARTHEST: f64 = 1e6;

pub fn point_of(position: Position) -> Pos2 {
    pos2(position.x.clamp(-FARTHEST, FARTHEST) as f32, position.y.clamp(-FARTHEST, FARTHEST) as f32)
}

pub fn position_of(point: Pos2) -> Position {
    // A direct `as f64` would turn 0.1f32 into 0.10000000149011612.
    let shortest = |number: f32| (f64::from(number) * 100.0).round() / 100.0;
    Position { x: shortest(point.x), y: shortest(point.y) }
}

/// Returns the distance from a point to a polyline, and the nearest segment.
pub fn nearest_segment(points: &[Pos2], point: Pos2) -> Option<(usize, f32)> {
    let segments = points.windows(2).enumerate().filter_map(|(index, pair)| match pair {
        [a, b] => Some((index, distance_to_segment(*a, *b, point))),
        _ => None,
    });
    segments.min_by(|(_, a), (_, b)| a.total_cmp(b))
}

pub fn distance_to_segment(a: Pos2, b: Pos2, point: Pos2) -> f32 {
    let along = b - a;
    let length = along.length_sq();
    if length == 0.0 {
        return a.distance(point);
    }
    let part = ((point - a).dot(along) / length).clamp(0.0, 1.0);
    (a + along * part).distance(point)
}

/// Returns whether an axis-parallel segment crosses the inside of a rectangle.
pub fn crosses(a: Pos2, b: Pos2, rect: Rect) -> bool {
    a.x.min(b.x) < rect.max.x && a.x.max(b.x) > rect.min.x && a.y.min(b.y) < rect.max.y && a.y.max(b.y) > rect.min.y
}
