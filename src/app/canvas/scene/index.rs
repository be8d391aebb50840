//! A spatial index of rectangles: a tree that is updated for small changes and rebuilt for large ones.

use eframe::egui::emath::{Pos2, Rect};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

type Leaf = GeomWithData<Rectangle<[f32; 2]>, u32>;

#[derive(Debug, Default)]
pub struct Index {
    tree: RTree<Leaf>,
    /// The rectangles in the tree, by number.
    rects: Vec<Option<Rect>>,
    changes: Vec<(u32, Option<Rect>)>,
    count: usize,
}

impl Index {
    /// Sets or removes the rectangle of an item. [`Index::find`] sees it after [`Index::commit`].
    pub fn set(&mut self, number: u32, rect: Option<Rect>) {
        self.changes.push((number, rect));
    }

    pub fn commit(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        let is_much = changes.len() > 64 && changes.len() * 20 > self.count;
        for (number, rect) in changes {
            let slot = number as usize;
            if self.rects.len() <= slot {
                self.rects.resize(slot + 1, None);
            }
            let Some(known) = self.rects.get_mut(slot) else { continue };
            if *known == rect {
                continue;
            }
            let old = std::mem::replace(known, rect);
            if !is_much {
                old.map(|old| self.tree.remove(&leaf(number, old)));
                rect.into_iter().for_each(|rect| self.tree.insert(leaf(number, rect)));
            }
        }
        if is_much {
            let leaves = (0..).zip(&self.rects).filter_map(|(number, rect)| rect.map(|rect| leaf(number, rect)));
            self.tree = RTree::bulk_load(leaves.collect());
        }
        self.count = self.tree.size();
    }

    /// Returns the numbers of all items that touch the rectangle, unsorted.
    pub fn find(&self, rect: Rect) -> impl Iterator<Item = u32> + '_ {
        let area = AABB::from_corners([rect.min.x, rect.min.y], [rect.max.x, rect.max.y]);
        self.tree.locate_in_envelope_intersecting(&area).map(|leaf| leaf.data)
    }

    pub fn find_at(&self, point: Pos2, radius: f32) -> impl Iterator<Item = u32> + '_ {
        self.find(Rect::from_pos(point).expand(radius))
    }
}

fn leaf(number: u32, rect: Rect) -> Leaf {
    GeomWithData::new(Rectangle::from_corners([rect.min.x, rect.min.y], [rect.max.x, rect.max.y]), number)
}
