//! The picture: positions, sizes and bends of the other program in the coordinates of this one.
//!
//! Everything is enlarged by one factor, since blocks are larger here, and blocks stay around their centres. Wires keep
//! their bends; those at the ports follow the ports.

use super::source::{Area, Block as Foreign, End, Port, System, Wire};
use crate::block::Body;
use crate::model::{Block, Position, VIEW_FLIP};

/// From pixels of the other program to pixels of this one.
pub const SCALE: f64 = 2.0;
/// The blocks of Xcos are as much larger than those of Simulink.
const XCOS: f64 = 0.75;
const GRID: f64 = 10.0;
/// Blocks that are narrow there, with the names at their wires.
const BUSES: [&str; 3] = ["BusCreator", "BusSelector", "BusAssignment"];
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
    let is_long = match shape.body {
        Body::Rect | Body::Bar => true,
        Body::Circle => !is_round_sum(foreign, area),
        _ => false,
    };
    let (wide, high) = size(shape, area, is_upright, is_long);
    let at = Position {
        x: snap((area.left + area.right) / 2.0 * SCALE - wide / 2.0),
        y: snap((area.top + area.bottom) / 2.0 * SCALE - high / 2.0),
    };
    block.set_position(at);
    if shape.body == Body::Circle && !is_long {
        let sides = sum_sides(foreign).filter(|sides| sides.len() == shape.inputs);
        block.set_view("view:inputs", sides.map(|sides| sides.join(" ")).as_deref());
    }
    if BUSES.contains(&&*foreign.kind) && area.width() * SCALE < 2.0 * SMALLEST.0 {
        block.set_view("view:labels", Some("hidden"));
    }
    if is_long {
        if shape.body == Body::Rect || is_upright {
            put(block, "view:width", wide);
        }
        if shape.body == Body::Rect || !is_upright {
            put(block, "view:height", high);
        }
        let (start, length) = if is_upright { (at.x, wide) } else { (at.y, high) };
        for (name, side, count) in
            [("view:inputs", Side::Input, shape.inputs), ("view:outputs", Side::Output, shape.outputs)]
        {
            let places = port_places(foreign, side, count, (start, length));
            let text = places.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
            block.set_view(name, Some(&*text).filter(|text| !text.is_empty()));
        }
    }
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

/// The size of a block here. A long one is as long as in the file.
fn size(shape: Shape, area: Area, is_upright: bool, is_long: bool) -> (f64, f64) {
    let ports = shape.inputs.max(shape.outputs) as f64 + if shape.is_labelled { 1.0 } else { 0.0 };
    let along = (PITCH * ports).max(40.0);
    let even = |length: f64| (length / (2.0 * GRID)).round() * 2.0 * GRID;
    let (width, height) = (even(area.width() * SCALE), even(area.height() * SCALE));
    let longer = |length: f64| if is_long { along.max(length) } else { along };
    match (shape.body, is_upright) {
        (Body::Circle, false) if is_long => (40.0, longer(height)),
        (Body::Circle, true) if is_long => (longer(width), 40.0),
        (Body::Circle, _) => (40.0, 40.0),
        (Body::Bar, false) => (10.0, longer(height)),
        (Body::Bar, true) => (longer(width), 10.0),
        (Body::Triangle, false) => ((shape.letters as f64 * LETTER * 1.3 + 26.0).clamp(50.0, WIDEST), along),
        (Body::Rect, false) => (own_width(shape).max(width), longer(height)),
        (Body::Rect, true) => (longer(width).max(SMALLEST.0), SMALLEST.1.max(height)),
        (_, false) => (own_width(shape), along),
        (_, true) => (along.max(SMALLEST.0), SMALLEST.1),
    }
}

fn own_width(shape: Shape) -> f64 {
    SMALLEST.0.max(shape.letters as f64 * LETTER + 18.0).min(WIDEST)
}

fn snap(number: f64) -> f64 {
    (number / GRID).round() * GRID
}

/// The places of the ports of a side, from the start of a block of this length, so that the wires of the file stay
/// straight; empty for ports around the middle.
fn port_places(foreign: &Foreign, side: Side, count: usize, (start, length): (f64, f64)) -> Vec<f64> {
    let stated = if side == Side::Input { foreign.inputs } else { foreign.outputs };
    let signals = stated.unwrap_or(count).min(count);
    if count < 2 || signals == 0 {
        return Vec::new();
    }
    let is_upright = foreign.quarters % 2 == 1;
    let place = |number: usize| {
        let end = End { block: 0, port: Port::Signal(number) };
        let counted = Foreign { inputs: stated.or(Some(count)), outputs: stated.or(Some(count)), ..Foreign::default() };
        let placed =
            Foreign { area: foreign.area, quarters: foreign.quarters, is_mirrored: foreign.is_mirrored, ..counted };
        let (x, y) = port_position(&placed, end, side)?;
        Some(snap(if is_upright { x } else { y } * SCALE) - start)
    };
    let mut places: Vec<f64> = (1..=signals).filter_map(place).collect();
    // Control ports, which lie at the upper side there, follow.
    for _ in signals..count {
        places.push(places.last().copied().unwrap_or(0.0) + PITCH);
    }
    let is_apart = places.windows(2).all(|pair| pair[1] - pair[0] >= GRID);
    let is_within = places.iter().all(|place| (GRID / 2.0..=length - GRID / 2.0).contains(place));
    if is_apart && is_within && places.len() == count { places } else { Vec::new() }
}

/// The sides of the inputs of a round sum, as if it faced to the right; none if two inputs share a side.
fn sum_sides(block: &Foreign) -> Option<Vec<&'static str>> {
    if block.kind == "SUM_f" {
        return Some(vec!["bottom", "left", "top"]);
    }
    let (slots, places) = sum_slots(block);
    // The half circle from the top to the bottom.
    let side = |place: &usize| match (*place as f64 + 0.5) / slots as f64 {
        part if part <= 1.0 / 3.0 => "top",
        part if part < 2.0 / 3.0 => "left",
        _ => "bottom",
    };
    let sides: Vec<&str> = places.iter().map(side).collect();
    let is_unique = sides.windows(2).all(|pair| pair[0] != pair[1]);
    // These two are those of any sum here.
    let is_usual = [&["left", "bottom"][..], &["top", "left", "bottom"]].contains(&&*sides);
    (is_unique && !is_usual).then_some(sides)
}

/// The number of places along the half circle of a round sum, and those with an input.
fn sum_slots(block: &Foreign) -> (usize, Vec<usize>) {
    let signs: Vec<char> = block.params.get("Inputs").unwrap_or("|++").chars().filter(|c| !c.is_whitespace()).collect();
    let places = (0..signs.len()).filter(|&place| signs.get(place) != Some(&'|')).collect();
    (signs.len().max(1), places)
}

/// Whether a block is a sum that is drawn as a circle.
fn is_round_sum(block: &Foreign, area: Area) -> bool {
    if block.kind == "SUM_f" {
        return true;
    }
    let is_square = (area.width() - area.height()).abs() < 2.0;
    block.kind == "Sum" && is_square && matches!(block.params.get("IconShape"), Some("round") | None)
}

/// Places a further block before or behind the one that stands for the foreign block, a little below. It has no name
/// there, and none here.
pub fn place_beside(block: &mut Block, beside: &Block, number: f64) {
    if let Some(Position { x, y }) = beside.position() {
        let height = beside.view("view:height").and_then(|text| text.parse().ok()).unwrap_or(SMALLEST.1);
        block.set_position(Position { x: x + 80.0 * number, y: y + height + 2.0 * GRID });
        block.set_view("view:title", Some("hidden"));
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

/// Places a note around the centre of its text in the file. It has no frame, as there.
pub fn place_note(block: &mut Block, area: Area, text: &str) {
    block.set_view("view:frame", Some("none"));
    let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0) as f64;
    let (mut width, mut height) = (longest * 7.0 + 8.0, text.lines().count().max(1) as f64 * 16.0 + 6.0);
    // Long lines are wrapped at the width of the text in the file.
    let widest = (area.width() * SCALE).max(320.0);
    if width > widest {
        height += 16.0 * (width / widest).floor();
        width = widest;
        put(block, "view:width", width.round());
        put(block, "view:height", height);
    }
    let (x, y) = ((area.left + area.right) / 2.0 * SCALE, (area.top + area.bottom) / 2.0 * SCALE);
    // A point is the corner of a text, not its centre.
    let half = if area.width() > 0.0 { 0.5 } else { 0.0 };
    block.set_position(Position { x: (x - width * half).round(), y: (y - height * half).round() });
}

/// Shrinks a diagram of Xcos so that its blocks have the usual size.
pub fn shrink(system: &mut System) {
    let shrunk = |area: &mut Option<Area>| {
        for length in
            area.iter_mut().flat_map(|area| [&mut area.left, &mut area.top, &mut area.right, &mut area.bottom])
        {
            *length *= XCOS;
        }
    };
    for block in &mut system.blocks {
        shrunk(&mut block.area);
        block.system.iter_mut().for_each(shrink);
    }
    system.notes.iter_mut().for_each(|note| shrunk(&mut note.area));
    for (x, y) in system.wires.iter_mut().flat_map(|wire| &mut wire.bends) {
        (*x, *y) = (*x * XCOS, *y * XCOS);
    }
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
    if !wire.bends.is_empty() {
        // The first and the last bend are level with their ports.
        let level =
            |end: (f64, f64), bend: (f64, f64), is_upright| if is_upright { (end.0, bend.1) } else { (bend.0, end.1) };
        let is_apart = |end: (f64, f64), bend: (f64, f64)| (end.0 - bend.0).abs() > 3.0 && (end.1 - bend.1).abs() > 3.0;
        let (first, last) = (points[1], points[points.len() - 1]);
        if is_apart(to, last) {
            points.push(level(to, last, is_entered_from_above(wire.to, blocks)));
        }
        if is_apart(from, first) {
            points.insert(1, level(from, first, is_upright(wire.from, blocks)));
        }
    }
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
    // A control port lies at another side here.
    if is_control(wire.to.port) {
        corners.pop();
        let left = blocks.get(wire.to.block).and_then(|block| block.area).map_or(0.0, |area| area.left);
        if corners.len() < 2 || corners.last().is_some_and(|(x, _)| *x > left) {
            return None;
        }
    }
    // On the grid, where the ports are: wires of one signal share their way.
    let text = corners.iter().map(|(x, y)| format!("{},{}", snap(x * SCALE), snap(y * SCALE)));
    (!corners.is_empty()).then(|| text.collect::<Vec<_>>().join(" "))
}

/// Whether the ports of a block lie at its upper and lower side.
fn is_upright(end: End, blocks: &[Foreign]) -> bool {
    blocks.get(end.block).is_some_and(|block| block.quarters % 2 == 1)
}

fn is_entered_from_above(end: End, blocks: &[Foreign]) -> bool {
    is_control(end.port) || is_upright(end, blocks) || is_beside_round_sum(end, blocks)
}

/// Whether an input lies at the upper or lower side of a round sum.
fn is_beside_round_sum(end: End, blocks: &[Foreign]) -> bool {
    let Some((block, area)) = blocks.get(end.block).and_then(|block| Some((block, block.area?))) else { return false };
    let Some((_, y)) = port_position(block, end, Side::Input).filter(|_| is_round_sum(block, area)) else {
        return false;
    };
    (y - (area.top + area.bottom) / 2.0).abs() > area.height() / 3.0
}

fn is_control(port: Port) -> bool {
    matches!(port, Port::Enable | Port::Trigger | Port::Action | Port::Reset)
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
    if side == Side::Input && block.quarters == 0 && is_round_sum(block, area) {
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

/// The inputs of a round sum lie in the middle of equal parts of the half circle before it, those that a bar leaves out
/// included.
fn round_port(block: &Foreign, area: Area, number: usize) -> (f64, f64) {
    let (slots, places) = sum_slots(block);
    let place = places.get(number.wrapping_sub(1)).copied().unwrap_or(0) as f64;
    let angle = std::f64::consts::PI * (0.5 + (place + 0.5) / slots as f64);
    let (x, y) = ((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
    let side = if block.is_mirrored { -1.0 } else { 1.0 };
    (x + side * angle.cos() * area.width() / 2.0, y - angle.sin() * area.height() / 2.0)
}
