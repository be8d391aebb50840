//! The picture: positions, sizes and bends of the other program in the coordinates of this one.
//!
//! Everything is enlarged by one factor, since blocks are larger here, and blocks stay around their centres. Wires keep
//! their bends; those at the ports follow the ports.

use super::source::{Area, Block as Foreign, End, Port, Wire};
use crate::block::Body;
use crate::model::{Block, Position, VIEW_FLIP};

/// From pixels of the other program to pixels of this one.
pub const SCALE: f64 = 1.5;
const GRID: f64 = 10.0;
/// The distance of the ports of a side, and the smallest size of a block.
const PITCH: f64 = 20.0;
const SMALLEST: (f64, f64) = (60.0, 40.0);
/// The width of a letter in a block, and the greatest width that texts cause.
const LETTER: f64 = 6.8;
const WIDEST: f64 = 180.0;

/// The properties that determine the size of a block here.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub body: Body,
    pub inputs: usize,
    pub outputs: usize,
    /// Whether the names of the ports stand in the block.
    pub is_labelled: bool,
    /// The letters inside.
    pub letters: usize,
}

/// Places a block where the foreign one is.
pub fn place(block: &mut Block, foreign: &Foreign, shape: Shape) {
    let Some(area) = foreign.area else { return };
    let is_upright = foreign.quarters % 2 == 1;
    let ports = shape.inputs.max(shape.outputs) as f64 + if shape.is_labelled { 1.0 } else { 0.0 };
    let (width, height) = (area.width() * SCALE, area.height() * SCALE);
    let along = (PITCH * ports).max(40.0);
    let (mut wide, mut high) = match (shape.body, is_upright) {
        (Body::Circle, _) => (40.0, 40.0),
        (Body::Bar, false) => (10.0, along),
        (Body::Bar, true) => (along, 10.0),
        (Body::Triangle, false) => ((shape.letters as f64 * LETTER * 1.3 + 26.0).clamp(50.0, WIDEST), along),
        (_, false) => (SMALLEST.0.max(shape.letters as f64 * LETTER + 18.0).min(WIDEST), along),
        (_, true) => (along.max(SMALLEST.0), SMALLEST.1),
    };
    if shape.body == Body::Rect {
        let even = |length: f64| (length / (2.0 * GRID)).round() * 2.0 * GRID;
        (wide, high) = (wide.max(even(width)), high.max(even(height)));
        put(block, "view:width", wide);
        put(block, "view:height", high);
    }
    let snap = |number: f64| (number / GRID).round() * GRID;
    let (x, y) =
        ((area.left + area.right) / 2.0 * SCALE - wide / 2.0, (area.top + area.bottom) / 2.0 * SCALE - high / 2.0);
    block.set_position(Position { x: snap(x), y: snap(y) });
    if foreign.quarters > 0 {
        block.set_view("view:rotate", Some(&(u32::from(foreign.quarters) * 90).to_string()));
    }
    if foreign.is_mirrored {
        block.set_view(VIEW_FLIP, Some("1"));
    }
    if foreign.params.get("ShowName") == Some("off") || foreign.params.get("HideAutomaticName") == Some("on") {
        block.set_view("view:title", Some("hidden"));
    } else if foreign.params.get("NamePlacement") == Some("alternate") {
        block.set_view("view:title", Some("above"));
    }
    if let Some(color) = foreign.params.get("BackgroundColor").and_then(color) {
        block.set_view("view:color", Some(&color));
    }
}

/// Places a further block before or behind the one that stands for the foreign block, a little below.
pub fn place_beside(block: &mut Block, beside: &Block, number: f64) {
    if let Some(Position { x, y }) = beside.position() {
        block.set_position(Position { x: x + 80.0 * number, y: y + 60.0 });
    }
}

fn put(block: &mut Block, name: &str, value: f64) {
    block.set_view(name, Some(&value.to_string()));
}

/// Places a frame.
pub fn place_frame(block: &mut Block, area: Area) {
    block.set_position(Position { x: (area.left * SCALE).round(), y: (area.top * SCALE).round() });
    put(block, "view:width", (area.width() * SCALE).round());
    put(block, "view:height", (area.height() * SCALE).round());
}

/// Places a note around the centre of its text in the file.
pub fn place_note(block: &mut Block, area: Area, text: &str) {
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as f64;
    let (width, height) = ((longest * 6.4 + 24.0).clamp(80.0, 320.0), text.lines().count().max(1) as f64 * 16.0 + 22.0);
    let (x, y) = ((area.left + area.right) / 2.0 * SCALE, (area.top + area.bottom) / 2.0 * SCALE);
    // A point is the corner of a text, not its centre.
    let half = if area.width() > 0.0 { 0.5 } else { 0.0 };
    block.set_position(Position { x: (x - width * half).round(), y: (y - height * half).round() });
}

/// Colours by name, and as `[r, g, b]` from 0 to 1; white is no colour of its own.
fn color(text: &str) -> Option<String> {
    let known = [
        ("red", "#e06060"),
        ("green", "#60c060"),
        ("blue", "#6090e0"),
        ("cyan", "#70d0d8"),
        ("magenta", "#d080d8"),
        ("yellow", "#e8d860"),
        ("gray", "#a0a0a0"),
        ("lightBlue", "#a0c8f0"),
        ("orange", "#f0b060"),
        ("darkGreen", "#508050"),
    ];
    if let Some((_, hex)) = known.iter().find(|(name, _)| *name == text) {
        return Some((*hex).to_owned());
    }
    let list = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<f64> = list.split([',', ' ']).filter_map(|part| part.trim().parse().ok()).collect();
    let [red, green, blue, ..] = parts[..] else { return None };
    let byte = |part: f64| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let is_white = [red, green, blue].iter().all(|part| *part > 0.99);
    (!is_white).then(|| format!("#{:02x}{:02x}{:02x}", byte(red), byte(green), byte(blue)))
}

/// The bends of a wire here, between its first and its last point; none if it runs straight.
pub fn bends(wire: &Wire, blocks: &[Foreign]) -> Option<String> {
    let from = port_position(blocks.get(wire.from.block)?, wire.from, Side::Output)?;
    let to = port_position(blocks.get(wire.to.block)?, wire.to, Side::Input)?;
    let mut points = vec![from];
    points.extend(wire.bends.iter().map(|(x, y)| (from.0 + x, from.1 + y)));
    points.push(to);
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for window in points.windows(3) {
        let [before, here, after] = window else { continue };
        let before = corners.last().unwrap_or(before);
        let cross = (here.0 - before.0) * (after.1 - here.1) - (here.1 - before.1) * (after.0 - here.0);
        let length = (after.0 - before.0).hypot(after.1 - before.1).max(1.0);
        if cross.abs() / length > 3.0 {
            corners.push(*here);
        }
    }
    // One corner is that between the ports, wherever they lie now.
    if corners.len() == 1 {
        return None;
    }
    let text = corners.iter().map(|(x, y)| format!("{},{}", (x * SCALE).round(), (y * SCALE).round()));
    (!corners.is_empty()).then(|| text.collect::<Vec<_>>().join(" "))
}

/// Where an output of a foreign block lies, from which bends are counted.
pub fn output_position(block: &Foreign, end: End) -> Option<(f64, f64)> {
    port_position(block, end, Side::Output)
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Input,
    Output,
}

/// Where a port of a foreign block lies.
fn port_position(block: &Foreign, end: End, side: Side) -> Option<(f64, f64)> {
    let area = block.area?;
    let (number, count) = match (end.port, side) {
        (Port::Signal(number), Side::Input) => (number, block.inputs.unwrap_or(number).max(number)),
        (Port::Signal(number), Side::Output) => (number, block.outputs.unwrap_or(number).max(number)),
        // Control ports lie at the upper side.
        (Port::Enable | Port::Trigger | Port::Action | Port::Reset, _) => {
            return Some(((area.left + area.right) / 2.0, area.top));
        }
        _ => (1, 1),
    };
    let share = (2.0 * number as f64 - 1.0) / (2.0 * count.max(1) as f64);
    if let (Side::Input, "Sum", Some("round") | None, true) =
        (side, &*block.kind, block.params.get("IconShape"), block.quarters == 0)
        && (area.width() - area.height()).abs() < 2.0
    {
        return Some(round_port(block, area, number));
    }
    // From the side of inputs to that of outputs.
    let is_end = side == Side::Output;
    let quarters = (block.quarters + if block.is_mirrored { 2 } else { 0 }) % 4;
    let (x, y) = (area.left + area.width() * share, area.top + area.height() * share);
    Some(match (quarters, is_end) {
        (0, true) | (2, false) => (area.right, y),
        (0, false) | (2, true) => (area.left, y),
        (1, true) | (3, false) => (x, area.bottom),
        _ => (x, area.top),
    })
}

/// The inputs of a round sum lie on the half circle before it, those that a bar leaves out included.
fn round_port(block: &Foreign, area: Area, number: usize) -> (f64, f64) {
    let signs: Vec<char> = block.params.get("Inputs").unwrap_or("|++").chars().filter(|c| !c.is_whitespace()).collect();
    let places: Vec<usize> = (0..signs.len()).filter(|&place| signs.get(place) != Some(&'|')).collect();
    let place = places.get(number.wrapping_sub(1)).copied().unwrap_or(0) as f64;
    let angle = std::f64::consts::PI * (0.5 + place / (signs.len().max(2) - 1) as f64);
    let (x, y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let side = if block.is_mirrored { -1.0 } else { 1.0 };
    (x + side * angle.cos() * area.width() / 2.0, y - angle.sin() * area.height() / 2.0)
}
