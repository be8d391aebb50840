//! Right-angled wires from port to port round blocks. Knows no window; the same input gives the same route.
//!
//! First the patterns a person would draw (straight, Z, U), which cost next to nothing; where all of them would cross
//! a block, a search on the lines beside the blocks ([`search`]). A route depends on its two ends, its trunk and the
//! blocks in its [`corridor`], on nothing else: so a wire is routed anew only if one of those changes.

mod bends;
mod search;
pub mod tracks;

use eframe::egui::emath::{Pos2, Rect, pos2};

pub use bends::{drag_segment, read_bends, through_bends, write_bends};

use super::geometry::{GRID, Heading, crosses, snap_number};

/// A wire goes straight out of and into a port for at least this long.
pub const STUB: f32 = 10.0;
/// What wires keep clear of blocks if they can.
const CLEAR: f32 = 8.0;
/// One bend costs as much as this length.
const BEND: f32 = 30.0;
/// Passing through a title or close to a block costs as much as this length.
const TITLE: f32 = 60.0;
/// With more blocks in the corridor than this, only patterns are tried.
const MAX_SEARCHED: usize = 48;
/// With more than this, not even whether they are free.
const MAX_CHECKED: usize = 400;

/// One end of a wire: a port and the block it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    pub at: Pos2,
    /// In which a wire leaves an output or enters an input.
    pub heading: Heading,
    pub block: Rect,
}

/// Something in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    pub rect: Rect,
    /// With the title below and some room around: crossed only where all else is much longer.
    pub with_title: Rect,
}

/// Everything that a route may depend on lies in here.
pub fn corridor(from: &End, to: &End) -> Rect {
    from.block.union(to.block).union(Rect::from_two_pos(from.at, to.at)).expand(60.0)
}

/// Where the wires of one output turn for the first time, so that they share their trunk: half way to the nearest
/// input that lies ahead.
pub fn trunk(from: &End, targets: &[Pos2]) -> Option<f32> {
    let sign = from.heading.vector().x;
    if sign == 0.0 {
        return None;
    }
    let ahead = targets.iter().filter(|to| (to.x - from.at.x) * sign >= 2.0 * STUB && to.y != from.at.y);
    let nearest = ahead.map(|to| (to.x - from.at.x) * sign).min_by(f32::total_cmp)?;
    Some(from.at.x + sign * snap_number(nearest / 2.0).max(STUB))
}

impl End {
    /// The same port for a wire drawn the other way.
    fn reversed(&self) -> End {
        End { heading: self.heading.reversed(), ..*self }
    }

    /// With x and y exchanged.
    fn transposed(&self) -> End {
        let heading = match self.heading {
            Heading::Right => Heading::Down,
            Heading::Down => Heading::Right,
            Heading::Left => Heading::Up,
            Heading::Up => Heading::Left,
        };
        let block = Rect { min: transposed(self.block.min), max: transposed(self.block.max) };
        End { at: transposed(self.at), heading, block }
    }
}

fn transposed(point: Pos2) -> Pos2 {
    pos2(point.y, point.x)
}

/// The bare wire while it is being drawn, to where no port is yet.
pub fn loose(from: &End, to: Pos2) -> Vec<Pos2> {
    let s = from.at;
    let corner = match from.heading.is_vertical() {
        true => pos2(s.x, to.y),
        false if (to.x - s.x) * from.heading.vector().x >= 2.0 * STUB => {
            let middle = snap_number((s.x + to.x) / 2.0);
            return simplified(vec![s, pos2(middle, s.y), pos2(middle, to.y), to]);
        }
        false => {
            let out = s + from.heading.vector() * STUB;
            return simplified(vec![s, out, pos2(out.x, to.y), to]);
        }
    };
    simplified(vec![s, corner, to])
}

/// The points of the wire, first and last at the ports, each step along one axis, no three in a line.
pub fn route(from: &End, to: &End, trunk: Option<f32>, obstacles: &[Obstacle]) -> Vec<Pos2> {
    let candidates = patterns(from, to, trunk);
    let obstacles = if obstacles.len() > MAX_CHECKED { &[] } else { obstacles };
    let mut best: Option<(f32, &Vec<Pos2>)> = None;
    let mut least_bad: Option<(f32, &Vec<Pos2>)> = None;
    for points in &candidates {
        let (crossed, cost) = price(points, from, to, trunk, obstacles);
        if crossed == 0 {
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, points));
            }
        } else if least_bad.is_none_or(|(least, _)| crossed as f32 * 1e4 + cost < least) {
            least_bad = Some((crossed as f32 * 1e4 + cost, points));
        }
    }
    // A pattern that is much longer than need be, or passes a title, is worth a search.
    let direct = (to.at.x - from.at.x).abs() + (to.at.y - from.at.y).abs();
    if let Some((cost, points)) = best
        && (cost <= direct + 4.0 * BEND + 2.0 * TITLE || obstacles.len() > MAX_SEARCHED)
    {
        return points.clone();
    }
    if obstacles.len() <= MAX_SEARCHED
        && let Some(found) = search::search(from, to, trunk, obstacles)
    {
        let (crossed, cost) = price(&found, from, to, trunk, obstacles);
        if crossed == 0 && best.is_none_or(|(least, _)| cost < least) {
            return found;
        }
    }
    best.or(least_bad).map(|(_, points)| points.clone()).unwrap_or_else(|| vec![from.at, to.at])
}

/// How many blocks a route crosses, and what it costs besides.
fn price(points: &[Pos2], from: &End, to: &End, trunk: Option<f32>, obstacles: &[Obstacle]) -> (usize, f32) {
    let last = points.len().saturating_sub(2);
    let mut crossed = 0;
    let mut cost = 0.0;
    for (index, pair) in points.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        cost += (b.x - a.x).abs() + (b.y - a.y).abs() + BEND;
        for obstacle in obstacles {
            // At its ends a wire touches its own blocks.
            let is_own = (index == 0 && obstacle.rect == from.block) || (index == last && obstacle.rect == to.block);
            let grown = if is_own { obstacle.rect.shrink(0.5) } else { obstacle.rect.expand(CLEAR - 0.5) };
            if crosses(*a, *b, grown) {
                crossed += 1;
            } else if !is_own && crosses(*a, *b, obstacle.with_title) {
                cost += TITLE;
            }
        }
    }
    // Wires of one output turn at one place if that costs little.
    if let (Some(trunk), Some(corner)) = (trunk, points.get(1))
        && points.len() > 2
        && corner.x != trunk
    {
        cost += BEND;
    }
    (crossed, cost)
}

/// Routes of few bends; each leaves and enters in the right direction.
fn patterns(from: &End, to: &End, trunk: Option<f32>) -> Vec<Vec<Pos2>> {
    let (s, t) = (from.at, to.at);
    let mut found = Vec::new();
    let is_ahead = |a: Pos2, b: Pos2, heading: Heading| (b - a).dot(heading.vector());
    if from.heading == to.heading && (s.x == t.x || s.y == t.y) && is_ahead(s, t, from.heading) > 0.0 {
        found.push(vec![s, t]);
    }
    match (from.heading.is_vertical(), to.heading.is_vertical()) {
        (false, false) => level_patterns(from, to, trunk, &mut found),
        (false, true) => corner_patterns(from, to, trunk, &mut found),
        (true, false) => {
            corner_patterns(&to.reversed(), &from.reversed(), None, &mut found);
            found.iter_mut().filter(|points| points.first() != Some(&s)).for_each(|points| points.reverse());
        }
        (true, true) => {
            // The same on its side.
            let mut upright = Vec::new();
            level_patterns(&from.transposed(), &to.transposed(), None, &mut upright);
            found.extend(upright.into_iter().map(|points| points.into_iter().map(transposed).collect()));
        }
    }
    // Where points fall together, what is left may run backwards into a port.
    found.retain(|points| is_sound(points, from, to));
    if found.is_empty() {
        // Whatever else is wrong with it, it has right angles.
        let (out, into) = (s + from.heading.vector() * STUB, t - to.heading.vector() * STUB);
        found.push(simplified(vec![s, out, pos2(out.x, into.y), into, t]));
    }
    found
}

fn is_sound(points: &[Pos2], from: &End, to: &End) -> bool {
    let ([first, second, ..], [.., before, last]) = (points, points) else { return false };
    (*second - *first).dot(from.heading.vector()) > 0.0 && (*last - *before).dot(to.heading.vector()) > 0.0
}

/// Above and below both blocks.
fn levels(from: &End, to: &End) -> (f32, f32) {
    let above = snap_number(from.block.top().min(to.block.top()) - 2.0 * GRID);
    let below = snap_number(from.block.bottom().max(to.block.bottom()) + 3.0 * GRID);
    (above, below)
}

/// From one side of a block to one side of another.
fn level_patterns(from: &End, to: &End, trunk: Option<f32>, found: &mut Vec<Vec<Pos2>>) {
    let (s, t) = (from.at, to.at);
    let (out, into) = (s + from.heading.vector() * STUB, t - to.heading.vector() * STUB);
    // Out, across, in.
    let middle = snap_number((s.x + t.x) / 2.0);
    let beyond = match from.heading {
        Heading::Left => snap_number(from.block.left().min(to.block.left()) - 2.0 * GRID),
        _ => snap_number(from.block.right().max(to.block.right()) + 2.0 * GRID),
    };
    let xs = [trunk.unwrap_or(middle), middle, into.x, out.x, beyond];
    for x in xs {
        let leaves = (x - s.x) * from.heading.vector().x >= STUB;
        let enters = (t.x - x) * to.heading.vector().x >= STUB;
        if leaves && enters {
            found.push(simplified(vec![s, pos2(x, s.y), pos2(x, t.y), t]));
        }
    }
    // Out, up or down, back, up or down, in.
    let (above, below) = levels(from, to);
    let between = match from.block.bottom() <= to.block.top() {
        true => (from.block.bottom() + to.block.top()) / 2.0,
        false => (to.block.bottom() + from.block.top()) / 2.0,
    };
    for y in [snap_number(between), above, below] {
        found.push(simplified(vec![s, out, pos2(out.x, y), pos2(into.x, y), into, t]));
    }
}

/// From a side into the top or bottom.
fn corner_patterns(from: &End, to: &End, trunk: Option<f32>, found: &mut Vec<Vec<Pos2>>) {
    let (s, t) = (from.at, to.at);
    let across = from.heading.vector().x;
    let enters = |y: f32| (t.y - y) * to.heading.vector().y >= STUB;
    if (t.x - s.x) * across >= STUB && enters(s.y) {
        found.push(vec![s, pos2(t.x, s.y), t]);
    }
    let into = t.y - to.heading.vector().y * STUB;
    let (above, below) = levels(from, to);
    let middle = snap_number((s.x + t.x) / 2.0);
    let xs = [trunk, Some(s.x + across * STUB), Some(middle), Some(s.x + across * 4.0 * STUB)];
    for x in xs.into_iter().flatten().filter(|x| (x - s.x) * across >= STUB) {
        for y in [into, above, below].into_iter().filter(|y| enters(*y)) {
            found.push(simplified(vec![s, pos2(x, s.y), pos2(x, y), pos2(t.x, y), t]));
        }
    }
}

/// Without doubled points and points on a straight line.
pub fn simplified(points: Vec<Pos2>) -> Vec<Pos2> {
    let mut kept: Vec<Pos2> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., a, b] = kept[..]
            && ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y))
        {
            kept.pop();
            if kept.last() == Some(&point) {
                continue;
            }
        }
        kept.push(point);
    }
    kept
}

/// Where a wire leaves one that begins at the same output, if they share a part.
pub fn branch_point(first: &[Pos2], second: &[Pos2]) -> Option<Pos2> {
    let (start, same_start) = (first.first()?, second.first()?);
    if start != same_start {
        return None;
    }
    let mut at = *start;
    for (a, b) in first.windows(2).zip(second.windows(2)) {
        let ([_, a], [_, b]) = (a, b) else { break };
        if a == b {
            at = *a;
            continue;
        }
        let (da, db) = (*a - at, *b - at);
        let is_same_way = (da.x * db.y - da.y * db.x).abs() < 1e-3 && da.dot(db) > 0.0;
        if is_same_way {
            at = if da.length_sq() < db.length_sq() { *a } else { *b };
        }
        break;
    }
    (at != *start).then_some(at)
}
