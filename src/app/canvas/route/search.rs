//! Routes a wire by search: the cheapest path in length and bends on the lines through the ports and beside the blocks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use eframe::egui::emath::{Pos2, Rect, pos2};

use super::{BEND, CLEAR, End, Obstacle, STUB, TITLE, simplified};
use crate::app::canvas::geometry::{GRID, Heading, crosses, snap_number};

/// A crossing of lines, and the direction in which it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SearchState {
    x: usize,
    y: usize,
    heading: Heading,
}

/// Returns None if the blocks leave no path.
pub(super) fn search(from: &End, to: &End, trunk: Option<f32>, obstacles: &[Obstacle]) -> Option<Vec<Pos2>> {
    let start = from.at + from.heading.vector() * STUB;
    let goal = to.at - to.heading.vector() * STUB;
    let mut xs = vec![start.x, goal.x, snap_number((start.x + goal.x) / 2.0)];
    xs.extend(trunk);
    let mut ys = vec![start.y, goal.y, snap_number((start.y + goal.y) / 2.0)];
    for obstacle in obstacles {
        let rect = obstacle.rect;
        xs.extend([rect.left() - GRID, rect.right() + GRID]);
        ys.extend([rect.top() - GRID, rect.top() - 2.0 * GRID, rect.bottom() + GRID, rect.bottom() + 3.0 * GRID]);
    }
    for lines in [&mut xs, &mut ys] {
        lines.sort_by(f32::total_cmp);
        lines.dedup();
    }
    let cell_of = |point: Pos2| {
        let x = xs.binary_search_by(|x| x.total_cmp(&point.x)).ok()?;
        let y = ys.binary_search_by(|y| y.total_cmp(&point.y)).ok()?;
        Some((x, y))
    };
    let (start_x, start_y) = cell_of(start)?;
    let (goal_x, goal_y) = cell_of(goal)?;
    let first = SearchState { x: start_x, y: start_y, heading: from.heading };
    let last = SearchState { x: goal_x, y: goal_y, heading: to.heading };
    let point = |state: SearchState| Some(pos2(*xs.get(state.x)?, *ys.get(state.y)?));
    let index = |state: SearchState| (state.y * xs.len() + state.x) * 4 + state.heading as usize;

    let walls: Vec<Wall> = obstacles.iter().map(Wall::of).collect();
    let mut known: Vec<Option<(u32, SearchState)>> = vec![None; xs.len() * ys.len() * 4];
    let mut ahead = BinaryHeap::new();
    if let Some(slot) = known.get_mut(index(first)) {
        *slot = Some((0, first));
    }
    ahead.push(Reverse((0, 0, first)));
    while let Some(Reverse((_, cost, state))) = ahead.pop() {
        if state == last {
            break;
        }
        if known.get(index(state)).copied().flatten().is_none_or(|(least, _)| cost > least) {
            continue;
        }
        // At the goal it may turn into the port.
        if (state.x, state.y) == (goal_x, goal_y) && state.heading != to.heading.reversed() {
            let turned = cost + whole(BEND);
            if let Some(slot) = known.get_mut(index(last))
                && slot.is_none_or(|(least, _)| turned < least)
            {
                *slot = Some((turned, state));
                ahead.push(Reverse((turned, turned, last)));
            }
        }
        let here = point(state)?;
        let steps = [
            (state.x.checked_sub(1), Some(state.y), Heading::Left),
            (Some(state.x + 1), Some(state.y), Heading::Right),
            (Some(state.x), state.y.checked_sub(1), Heading::Up),
            (Some(state.x), Some(state.y + 1), Heading::Down),
        ];
        for (x, y, heading) in steps {
            let (Some(x), Some(y)) = (x, y) else { continue };
            if heading == state.heading.reversed() {
                continue;
            }
            let next = SearchState { x, y, heading };
            let (true, Some(there)) = (x < xs.len() && y < ys.len(), point(next)) else { continue };
            let Some(toll) = toll(here, there, &walls) else { continue };
            let bend = if heading == state.heading { 0.0 } else { BEND };
            let length = (there.x - here.x).abs() + (there.y - here.y).abs();
            let next_cost = cost + whole(length + bend + toll);
            let Some(slot) = known.get_mut(index(next)) else { continue };
            if slot.is_none_or(|(least, _)| next_cost < least) {
                *slot = Some((next_cost, state));
                let rest = whole((goal.x - there.x).abs() + (goal.y - there.y).abs());
                ahead.push(Reverse((next_cost + rest, next_cost, next)));
            }
        }
    }

    let mut points = vec![to.at];
    let mut state = last;
    loop {
        points.push(point(state)?);
        if state == first {
            break;
        }
        state = known.get(index(state)).copied().flatten()?.1;
    }
    points.push(from.at);
    points.reverse();
    Some(simplified(points))
}

/// An obstacle as the search needs it.
struct Wall {
    /// No wire passes here.
    near: Rect,
    with_title: Rect,
    /// Both.
    bounds: Rect,
}

impl Wall {
    fn of(obstacle: &Obstacle) -> Wall {
        let near = obstacle.rect.expand(CLEAR - 0.5);
        Wall { near, with_title: obstacle.with_title, bounds: near.union(obstacle.with_title) }
    }
}

/// Returns the cost of a segment in addition to its length; None if a block is in the way.
fn toll(a: Pos2, b: Pos2, walls: &[Wall]) -> Option<f32> {
    let mut toll = 0.0;
    for wall in walls {
        if !crosses(a, b, wall.bounds) {
            continue;
        }
        if crosses(a, b, wall.near) {
            return None;
        }
        if crosses(a, b, wall.with_title) {
            toll += TITLE;
        }
    }
    Some(toll)
}

/// Integer costs make equal costs compare equal.
fn whole(cost: f32) -> u32 {
    (cost * 8.0) as u32
}
