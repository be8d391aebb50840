//! A spatial index of rectangles: a tree that is updated for small changes and rebuilt for large ones.

use eframe::egui::emath::{Pos2, Rect};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

/// A rectangle with the number of its item, and the version of the item that it is of.
type Leaf = GeomWithData<Rectangle<[f32; 2]>, (u32, u32)>;

/// The number of outdated leaves above which the tree is rebuilt once they are half of the items.
const MANY_OUTDATED: usize = 1000;

#[derive(Debug, Default)]
pub struct Index {
    /// Also contains outdated leaves: to find and remove one costs more than to skip it.
    tree: RTree<Leaf>,
    items: Vec<Item>,
    changes: Vec<(u32, Option<Rect>)>,
    /// The number of items with a rectangle.
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Item {
    rect: Option<Rect>,
    /// Counts the changes of the rectangle: leaves of former versions are outdated.
    version: u32,
}

impl Index {
    /// Sets or removes the rectangle of an item. [`Index::find`] sees it after [`Index::commit`].
    pub fn set(&mut self, number: u32, rect: Option<Rect>) {
        self.changes.push((number, rect));
    }

    pub fn commit(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        let mut inserted = Vec::new();
        for (number, rect) in changes {
            let slot = number as usize;
            if self.items.len() <= slot {
                self.items.resize(slot + 1, Item::default());
            }
            let Some(item) = self.items.get_mut(slot) else { continue };
            if item.rect == rect {
                continue;
            }
            self.count = self.count + usize::from(rect.is_some()) - usize::from(item.rect.is_some());
            *item = Item { rect, version: item.version.wrapping_add(1) };
            inserted.extend(rect.map(|rect| leaf(number, item.version, rect)));
        }
        let size = self.tree.size() + inserted.len();
        let is_much = inserted.len() > 64 && inserted.len() * 20 > self.count;
        if is_much || size > self.count + MANY_OUTDATED.max(self.count / 2) {
            let leaves = (0..).zip(&self.items);
            let leaves = leaves.filter_map(|(number, item)| item.rect.map(|rect| leaf(number, item.version, rect)));
            self.tree = RTree::bulk_load(leaves.collect());
        } else {
            inserted.into_iter().for_each(|leaf| self.tree.insert(leaf));
        }
    }

    /// Returns the numbers of all items that touch the rectangle, unsorted.
    pub fn find(&self, rect: Rect) -> impl Iterator<Item = u32> + '_ {
        let area = AABB::from_corners([rect.min.x, rect.min.y], [rect.max.x, rect.max.y]);
        let is_current =
            |(number, version)| self.items.get(number as usize).is_some_and(|item| item.version == version);
        let found = self.tree.locate_in_envelope_intersecting(&area).map(|leaf| leaf.data);
        found.filter(move |data| is_current(*data)).map(|(number, _)| number)
    }

    pub fn find_at(&self, point: Pos2, radius: f32) -> impl Iterator<Item = u32> + '_ {
        self.find(Rect::from_pos(point).expand(radius))
    }
}

fn leaf(number: u32, version: u32, rect: Rect) -> Leaf {
    GeomWithData::new(Rectangle::from_corners([rect.min.x, rect.min.y], [rect.max.x, rect.max.y]), (number, version))
}

#[cfg(test)]
mod tests {
    use eframe::egui::emath::vec2;

    use super::*;

    #[test]
    fn each_item_is_found_once_where_it_is() {
        let mut index = Index::default();
        let at = |x: f32| Rect::from_min_size(Pos2::new(x, 0.0), vec2(2.0, 2.0));
        let mut known: Vec<Option<f32>> = vec![None; 500];
        // Small and large changes in turns, so that the tree has outdated leaves, and is rebuilt.
        let mut random = 12345_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % below
        };
        for round in 0..200 {
            for _ in 0..if round % 20 == 0 { 400 } else { 20 } {
                let number = next(500) as usize;
                // A rectangle may return to where it was.
                known[number] = (next(4) > 0).then(|| next(50) as f32 * 4.0);
                index.set(number as u32, known[number].map(at));
            }
            index.commit();
            for place in 0..50 {
                let x = place as f32 * 4.0;
                let mut found: Vec<u32> = index.find(at(x)).collect();
                found.sort_unstable();
                let expected: Vec<u32> = (0..500).filter(|number| known[*number as usize] == Some(x)).collect();
                assert_eq!(found, expected, "round {round}");
            }
            let size = index.tree.size();
            assert!(size <= 500 + MANY_OUTDATED + 64, "{size} leaves");
        }
    }
}
