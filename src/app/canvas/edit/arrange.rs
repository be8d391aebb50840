//! Arranges blocks: alignment, equal distances, small moves, and automatic layout along the wires.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2};

use super::OpenModel;
use super::changes::{move_change, set_bends};
use crate::app::action::diagram_command::{Align, DistributionAxis};
use crate::app::canvas::geometry::{GRID, position_of, snap, snap_number};
use crate::app::canvas::gesture::Move;
use crate::app::canvas::route::write_bends;
use crate::app::canvas::scene::BlockView;
use crate::app::canvas::scene::layout::{Order, layout};
use crate::model::{BlockId, Change, Edit, InputKey};

impl OpenModel<'_> {
    /// Aligns an edge or the centre of each selected block with that of the selection.
    pub fn align(&self, align: Align) -> Option<Change> {
        let views = self.selected_views();
        let all = views.iter().map(|view| view.outline.rect).reduce(Rect::union).filter(|_| views.len() > 1)?;
        let position = |view: &&BlockView| {
            let rect = view.outline.rect;
            let (mut x, mut y) = (rect.left(), rect.top());
            match align {
                Align::Left => x = all.left(),
                Align::Right => x = all.right() - rect.width(),
                Align::Centre => x = snap_number(all.center().x - rect.width() / 2.0),
                Align::Top => y = all.top(),
                Align::Bottom => y = all.bottom() - rect.height(),
                Align::Middle => y = snap_number(all.center().y - rect.height() / 2.0),
            }
            (view.block.id, Pos2::new(x, y))
        };
        let positions = views.iter().map(position).collect();
        self.positions_change(format!("Align {} blocks", views.len()), positions)
    }

    /// Sets equal gaps between the selected blocks; the outermost do not move.
    pub fn distribute(&self, axis: DistributionAxis) -> Option<Change> {
        let mut views = self.selected_views();
        let count = views.len();
        if count < 3 {
            return None;
        }
        let range = |rect: Rect| match axis {
            DistributionAxis::Across => (rect.left(), rect.right()),
            DistributionAxis::Down => (rect.top(), rect.bottom()),
        };
        views.sort_by(|a, b| range(a.outline.rect).0.total_cmp(&range(b.outline.rect).0));
        let (first, last) = (range(views.first()?.outline.rect), range(views.last()?.outline.rect));
        let filled: f32 = views.iter().map(|view| range(view.outline.rect).1 - range(view.outline.rect).0).sum();
        let gap = (last.1 - first.0 - filled) / (count - 1) as f32;
        let mut at = first.0;
        let mut positions = BTreeMap::new();
        for (index, view) in views.iter().enumerate() {
            let rect = view.outline.rect;
            let start = if index == 0 || index + 1 == count { range(rect).0 } else { snap_number(at) };
            let position = match axis {
                DistributionAxis::Across => Pos2::new(start, rect.top()),
                DistributionAxis::Down => Pos2::new(rect.left(), start),
            };
            positions.insert(view.block.id, position);
            at += range(rect).1 - range(rect).0 + gap;
        }
        self.positions_change(format!("Distribute {count} blocks"), positions)
    }

    /// Lays out the selected blocks, or all if none is selected, along their wires from left to right, keeping their
    /// vertical order; their wires are rerouted.
    pub fn arrange(&self) -> Option<Change> {
        let is_all = self.selection.blocks.len() < 2;
        let mut views: Vec<&BlockView> = match is_all {
            true => self.scene.blocks().filter(|view| !view.is_remark()).collect(),
            false => self.selected_views().into_iter().filter(|view| !view.is_remark()).collect(),
        };
        if views.len() < 2 {
            return None;
        }
        let order = |view: &BlockView| (view.outline.rect.center().y, view.outline.rect.left());
        views.sort_by(|a, b| {
            let ((a_y, a_x), (b_y, b_x)) = (order(a), order(b));
            a_y.total_cmp(&b_y).then(a_x.total_cmp(&b_x)).then(a.block.id.cmp(&b.block.id))
        });
        let ids: Vec<BlockId> = views.iter().map(|view| view.block.id).collect();
        let sizes: Vec<Vec2> = views.iter().map(|view| view.outline.rect.size()).collect();
        let corner = views.iter().map(|view| view.outline.rect.min).reduce(Pos2::min)?;
        let positions = layout(&sizes, &self.scene.links(&ids), snap(corner), Order::AsGiven);
        let positions: BTreeMap<BlockId, Pos2> = ids.iter().copied().zip(positions).collect();
        let label = if is_all { "Arrange all".to_owned() } else { format!("Arrange {} blocks", ids.len()) };
        let mut change =
            self.positions_change(label.clone(), positions.clone()).unwrap_or(Change::new(label, Vec::new()));
        let bent: BTreeSet<_> = ids
            .iter()
            .flat_map(|id| self.scene.wires_at(*id))
            .filter(|wire| wire.has_bends())
            .map(|wire| wire.key())
            .collect();
        change.edits.extend(bent.iter().map(|key| set_bends(self.model, key, None)));
        (!change.edits.is_empty()).then_some(change)
    }

    /// Moves each block to its own new position.
    fn positions_change(&self, label: String, positions: BTreeMap<BlockId, Pos2>) -> Option<Change> {
        let is_elsewhere =
            |(id, position): &(&BlockId, &Pos2)| self.scene.block(**id).is_some_and(|view| view.position != **position);
        let moves: Vec<_> = positions.iter().filter(is_elsewhere).map(|(id, at)| (*id, position_of(*at))).collect();
        if moves.is_empty() {
            return None;
        }
        let mut edits = self.pins_except(&moves.iter().map(|(id, _)| *id).collect());
        edits.push(Edit::Move { model: Arc::clone(&self.model.name), moves });
        Some(Change::new(label, edits))
    }

    /// Moves the selected blocks by a number of grid steps.
    pub fn nudge(&self, right: i32, down: i32) -> Option<Change> {
        let shift = Vec2::new(right as f32, down as f32) * GRID;
        let held = self.scene.with_carried(self.selection.blocks.iter().copied());
        let position = |id: &BlockId| Some((*id, self.scene.block(*id)?.position + shift));
        let moves: BTreeMap<_, _> = held.iter().filter_map(position).collect();
        move_change(self.scene, self.model, &moves, shift)
    }

    /// Moves blocks that were dragged; a block without wires is connected where it is dropped.
    pub fn move_by(&self, held: &Move) -> Option<Change> {
        let change = move_change(self.scene, self.model, &held.positions().collect(), held.shift)?;
        Some(match held.loose_block(self.scene) {
            Some(block) => self.with_wires(block, change),
            None => change,
        })
    }

    /// Bends a wire as its points show it.
    pub fn bend(&self, key: &InputKey, points: &[Pos2]) -> Change {
        let inner = points.get(1..points.len().saturating_sub(1)).unwrap_or_default();
        let mut edits = self.pins();
        edits.push(set_bends(self.model, key, (!inner.is_empty()).then(|| write_bends(inner))));
        Change::new("Move wire", edits)
    }
}
