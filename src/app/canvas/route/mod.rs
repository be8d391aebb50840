//! Routes orthogonal wires from port to port around blocks. Independent of the window; equal input gives equal routes.
//!
//! Tries the patterns first that a person would draw (straight, Z, U), which cost almost nothing; if all of them would
//! cross a block, it searches on the lines beside the blocks (`search`). A route depends only on its two ends, its
//! trunk and the blocks in its [`corridor`]: a wire is rerouted only if one of those changes.

mod bends;
mod rooms;
mod search;
pub mod tracks;

use eframe::egui::emath::{Pos2, Rect, pos2};

pub use bends::{drag_segment, read_bends, through_bends, write_bends};
pub use rooms::within_rooms;

use super::geometry::{GRID, Heading, crosses, snap_number};

/// Minimum length of the straight piece at a port.
pub const STUB: f32 = 10.0;
/// Preferred clearance between wires and blocks.
const CLEAR: f32 = 8.0;
/// Cost of a bend, as a length.
const BEND: f32 = 30.0;
/// Cost of passing through a title or close to a block, as a length.
const TITLE: f32 = 60.0;
/// Number of blocks in the corridor above which only patterns are tried.
const MAX_SEARCHED: usize = 48;
/// Number of blocks above which patterns are not tested for collisions either.
const MAX_CHECKED: usize = 400;

/// One end of a wire: a port and its block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    pub at: Pos2,
    /// The direction in which a wire leaves an output or enters an input.
    pub heading: Heading,
    pub block: Rect,
}

/// A block in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    pub rect: Rect,
    /// The block with its title and a margin: crossed only if every other route is much longer.
    pub with_title: Rect,
}

/// Returns the rectangle that contains everything that a route may depend on.
pub fn corridor(from: &End, to: &End) -> Rect {
    from.block.union(to.block).union(Rect::from_two_pos(from.at, to.at)).expand(60.0)
}

/// Returns where the wires of one output bend first, so that they share a trunk: half way to the nearest input ahead.
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
    /// Returns the same port for a wire routed in the reverse direction.
    fn reversed(&self) -> End {
        End { heading: self.heading.reversed(), ..*self }
    }

    /// Exchanges x and y.
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

/// Returns the route of a wire that is being drawn to a point without a port.
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

/// Returns the points of the wire: the first and last at the ports, each segment along one axis, no three collinear.
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
    // A search is worthwhile if the pattern is much longer than necessary or passes a title.
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

/// Returns how many blocks a route crosses, and its cost.
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
    // Wires of one output share their first bend if that costs little.
    if let (Some(trunk), Some(corner)) = (trunk, points.get(1))
        && points.len() > 2
        && corner.x != trunk
    {
        cost += BEND;
    }
    (crossed, cost)
}

/// Returns routes with few bends that leave and enter in the right directions.
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
            // The same with exchanged axes.
            let mut upright = Vec::new();
            level_patterns(&from.transposed(), &to.transposed(), None, &mut upright);
            found.extend(upright.into_iter().map(|points| points.into_iter().map(transposed).collect()));
        }
    }
    // If points coincide, the remaining segments may run backwards into a port.
    found.retain(|points| is_sound(points, from, to));
    if found.is_empty() {
        // This fallback is at least orthogonal.
        let (out, into) = (s + from.heading.vector() * STUB, t - to.heading.vector() * STUB);
        found.push(simplified(vec![s, out, pos2(out.x, into.y), into, t]));
    }
    found
}

fn is_sound(points: &[Pos2], from: &End, to: &End) -> bool {
    let ([first, second, ..], [.., before, last]) = (points, points) else { return false };
    (*second - *first).dot(from.heading.vector()) > 0.0 && (*last - *before).dot(to.heading.vector()) > 0.0
}

/// Returns heights above and below both blocks.
fn levels(from: &End, to: &End) -> (f32, f32) {
    let above = snap_number(from.block.top().min(to.block.top()) - 2.0 * GRID);
    let below = snap_number(from.block.bottom().max(to.block.bottom()) + 3.0 * GRID);
    (above, below)
}

/// Routes from a left or right side to a left or right side.
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

/// Routes from a side into the top or bottom.
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

/// Removes duplicate and collinear points.
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

/// Returns where a wire leaves another of the same output, if they share a part.
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
