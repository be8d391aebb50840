//! Places for new blocks beside those that they are wired to, where nothing else is. Independent of the window.
//!
//! Blocks without a position that are wired to each other are laid out as a group; the group is moved as a whole.

use eframe::egui::emath::{Pos2, Rect, Vec2, pos2, vec2};

use super::layout::{Link, Order, layout, origin_below};
use crate::app::canvas::geometry::{GRID, TITLE_HEIGHT, snap};

/// The distance to the block that a wire leads to.
const GAP: f32 = 50.0;
/// The room that stays free around a block.
const ROOM: f32 = 18.0;
/// How far a group is moved at most to find a free place, in steps of the grid.
const ACROSS: i32 = 40;
const DOWN: i32 = 60;

/// A wire between a block without a position and one with a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The block without a position, by its index.
    pub block: usize,
    /// Whether the wire leads to it, or from it.
    pub side: AnchorSide,
    /// The height of its own port below its top edge.
    pub port: f32,
    /// The other block, and the height of the port there.
    pub other: Rect,
    pub at: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorSide {
    /// The other block is its source: it is placed to the right of it.
    Source,
    /// The other block is its target: it is placed to the left of it.
    Target,
}

/// Returns the upper left corner of each block: beside the first of its anchors, in a place that none of the `taken`
/// rectangles covers; groups without an anchor below everything.
pub fn place(sizes: &[Vec2], links: &[Link], anchors: &[Anchor], taken: &[Rect]) -> Vec<Pos2> {
    let mut positions = vec![Pos2::ZERO; sizes.len()];
    let mut taken: Vec<Rect> = taken.to_vec();
    let mut lone = Vec::new();
    for group in groups(sizes.len(), links) {
        let anchor = anchors.iter().find(|anchor| group.contains(&anchor.block));
        let Some(anchor) = anchor else {
            lone.extend(group);
            continue;
        };
        let inner = laid_out(&group, sizes, links);
        let own = group.iter().position(|block| *block == anchor.block).and_then(|index| inner.get(index).copied());
        let wanted = corner(anchor, sizes.get(anchor.block).copied().unwrap_or_default());
        let shift = snap(wanted) - own.unwrap_or_default();
        let rects: Vec<Rect> = rects(&group, &inner, sizes).map(|rect| rect.translate(shift)).collect();
        let shift = shift + free_shift(&rects, &taken);
        for (block, position) in group.iter().zip(&inner) {
            if let Some(at) = positions.get_mut(*block) {
                *at = *position + shift;
            }
        }
        taken.extend(self::rects(&group, &inner, sizes).map(|rect| rect.translate(shift)));
    }
    let all = taken.iter().copied().reduce(Rect::union);
    lone.sort_unstable();
    let below = laid_out_at(&lone, sizes, links, origin_below(all));
    for (block, position) in lone.into_iter().zip(below) {
        if let Some(at) = positions.get_mut(block) {
            *at = position;
        }
    }
    positions
}

/// Returns the blocks that are wired to each other, by index.
fn groups(count: usize, links: &[Link]) -> Vec<Vec<usize>> {
    let mut group_of: Vec<usize> = (0..count).collect();
    fn root(group_of: &mut [usize], block: usize) -> usize {
        let mut at = block;
        while let Some(&above) = group_of.get(at).filter(|above| **above != at) {
            at = above;
        }
        if let Some(own) = group_of.get_mut(block) {
            *own = at;
        }
        at
    }
    for link in links {
        let (from, to) = (root(&mut group_of, link.from), root(&mut group_of, link.to));
        if let Some(group) = group_of.get_mut(from.max(to)) {
            *group = from.min(to);
        }
    }
    let mut groups: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for block in 0..count {
        groups.entry(root(&mut group_of, block)).or_default().push(block);
    }
    groups.into_values().collect()
}

fn laid_out(group: &[usize], sizes: &[Vec2], links: &[Link]) -> Vec<Pos2> {
    laid_out_at(group, sizes, links, Pos2::ZERO)
}

fn laid_out_at(group: &[usize], sizes: &[Vec2], links: &[Link], origin: Pos2) -> Vec<Pos2> {
    let own: Vec<Vec2> = group.iter().map(|block| sizes.get(*block).copied().unwrap_or_default()).collect();
    let index = |block: usize| group.iter().position(|own| *own == block);
    let links: Vec<Link> =
        links.iter().filter_map(|link| Some(Link { from: index(link.from)?, to: index(link.to)?, ..*link })).collect();
    layout(&own, &links, origin, Order::FewCrossings)
}

/// Returns the corner of a block whose wire to or from its anchor is straight.
fn corner(anchor: &Anchor, size: Vec2) -> Pos2 {
    let x = match anchor.side {
        AnchorSide::Source => anchor.other.right() + GAP,
        AnchorSide::Target => anchor.other.left() - GAP - size.x,
    };
    pos2(x, anchor.at - anchor.port)
}

/// Returns the rectangles of a group with its titles.
fn rects<'a>(group: &'a [usize], positions: &'a [Pos2], sizes: &'a [Vec2]) -> impl Iterator<Item = Rect> + 'a {
    group.iter().zip(positions).map(|(block, position)| {
        let size = sizes.get(*block).copied().unwrap_or_default() + vec2(0.0, TITLE_HEIGHT);
        Rect::from_min_size(*position, size)
    })
}

/// Returns the shortest move of a group after which it covers nothing; none if there is no such place nearby.
fn free_shift(group: &[Rect], taken: &[Rect]) -> Vec2 {
    let Some(bounds) = group.iter().copied().reduce(Rect::union) else { return Vec2::ZERO };
    let reach = vec2(ACROSS as f32, DOWN as f32) * GRID;
    let near: Vec<Rect> =
        taken.iter().copied().filter(|rect| rect.intersects(bounds.expand2(reach + Vec2::splat(ROOM)))).collect();
    let is_free = |shift: Vec2| {
        let covers = |own: &Rect| near.iter().any(|rect| rect.intersects(own.translate(shift).expand(ROOM)));
        !group.iter().any(covers)
    };
    let mut shifts: Vec<(i32, i32)> =
        (-ACROSS / 2..=ACROSS).flat_map(|x| (-DOWN..=DOWN).map(move |y| (x, y))).collect();
    // A block beside its neighbour is better than one above or below it; to the right better than back.
    let cost = |(x, y): (i32, i32)| x.abs() * if x < 0 { 4 } else { 2 } + y.abs() * 2 + i32::from(y < 0);
    shifts.sort_by_key(|shift| cost(*shift));
    let free = shifts.into_iter().map(|(x, y)| vec2(x as f32, y as f32) * GRID).find(|shift| is_free(*shift));
    free.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = vec2(60.0, 40.0);

    fn rect(x: f32, y: f32) -> Rect {
        Rect::from_min_size(pos2(x, y), SIZE + vec2(0.0, TITLE_HEIGHT))
    }

    fn anchor(block: usize, side: AnchorSide, other: Rect) -> Anchor {
        Anchor { block, side, port: 20.0, other, at: other.top() + 20.0 }
    }

    #[test]
    fn a_block_stands_to_the_right_of_its_source_on_its_line() {
        let source = rect(0.0, 100.0);
        let placed = place(&[SIZE], &[], &[anchor(0, AnchorSide::Source, source)], &[source]);
        assert_eq!(placed, [pos2(60.0 + GAP, 100.0)]);
        let placed = place(&[SIZE], &[], &[anchor(0, AnchorSide::Target, source)], &[source]);
        assert_eq!(placed, [pos2(-GAP - 60.0, 100.0)]);
    }

    /// Wherever blocks are, a new one covers none of them and is as near as the grid allows.
    #[test]
    fn new_blocks_cover_nothing() {
        let taken: Vec<Rect> =
            (0..6).flat_map(|x| (0..6).map(move |y| rect(x as f32 * 130.0, y as f32 * 90.0))).collect();
        for source in &taken {
            let anchors = [anchor(0, AnchorSide::Source, *source), anchor(2, AnchorSide::Target, *source)];
            let links = [Link { from: 0, to: 1, from_y: 20.0, to_y: 20.0 }];
            let placed = place(&[SIZE; 3], &links, &anchors, &taken);
            let own: Vec<Rect> = placed.iter().map(|at| rect(at.x, at.y)).collect();
            for (number, one) in own.iter().enumerate() {
                assert!(!taken.iter().any(|rect| rect.intersects(*one)), "{one:?}");
                assert!(!own.iter().skip(number + 1).any(|other| other.intersects(*one)), "{own:?}");
            }
            assert!(own[1].left() > own[0].right(), "a group keeps its order");
        }
    }

    #[test]
    fn blocks_without_wires_stand_below() {
        let taken = [rect(0.0, 0.0), rect(300.0, 200.0)];
        let placed = place(&[SIZE, SIZE], &[], &[], &taken);
        assert!(placed.iter().all(|at| at.y > taken[1].bottom()), "{placed:?}");
        assert_ne!(placed[0], placed[1]);
    }
}
