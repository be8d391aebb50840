//! Arranges blocks: alignment, equal distances, rotation, and automatic layout along the wires.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect, Vec2};

use super::commands::set_bends;
use crate::app::action::diagram::{Align, DistributionAxis};
use crate::app::canvas::geometry::{GRID, position_of, snap, snap_number};
use crate::app::canvas::scene::layout::{Order, layout};
use crate::app::canvas::scene::{BlockView, VIEW_COLOR, VIEW_ROTATE, VIEW_TITLE};
use crate::app::canvas::{Canvas, DocumentView};
use crate::model::{Block, BlockId, Change, Edit, Model, Simulation, VIEW_FLIP};

impl Canvas {
    fn selected_views(&self) -> Vec<&BlockView> {
        self.selection.blocks.iter().filter_map(|id| self.scene.block(*id)).collect()
    }

    /// Aligns an edge or the centre of each selected block with that of the selection.
    pub fn align(&self, simulation: &Simulation, align: Align) -> Option<Change> {
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
        self.positions_change(simulation, format!("Align {} blocks", views.len()), positions)
    }

    /// Sets equal gaps between the selected blocks; the outermost do not move.
    pub fn distribute(&self, simulation: &Simulation, axis: DistributionAxis) -> Option<Change> {
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
        self.positions_change(simulation, format!("Distribute {count} blocks"), positions)
    }

    /// Lays out the selected blocks, or all if none is selected, along their wires from left to right, keeping their
    /// vertical order; their wires are rerouted.
    pub fn arrange(&self, simulation: &Simulation) -> Option<Change> {
        let model = self.open_model(simulation)?;
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
        let mut change = self
            .positions_change(simulation, label.clone(), positions.clone())
            .unwrap_or(Change::new(label, Vec::new()));
        let bent: BTreeSet<_> = ids
            .iter()
            .flat_map(|id| self.scene.wires_at(*id))
            .filter(|wire| wire.has_bends())
            .map(|wire| wire.key())
            .collect();
        change.edits.extend(bent.iter().map(|key| set_bends(model, key, None)));
        (!change.edits.is_empty()).then_some(change)
    }

    /// Moves each block to its own new position.
    fn positions_change(
        &self,
        simulation: &Simulation,
        label: String,
        positions: BTreeMap<BlockId, Pos2>,
    ) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let is_elsewhere =
            |(id, position): &(&BlockId, &Pos2)| self.scene.block(**id).is_some_and(|view| view.position != **position);
        let moves: Vec<_> = positions.iter().filter(is_elsewhere).map(|(id, at)| (*id, position_of(*at))).collect();
        if moves.is_empty() {
            return None;
        }
        let mut edits = self.pins(model, &moves.iter().map(|(id, _)| *id).collect());
        edits.push(Edit::Move { model: Arc::clone(&model.name), moves });
        Some(Change::new(label, edits))
    }

    /// Rotates the selected blocks clockwise by 90 degrees.
    pub fn rotate(&self, simulation: &Simulation) -> Option<Change> {
        let turned = |block: &Block| match block.view(VIEW_ROTATE) {
            Some("90" | "-270") => Some("180"),
            Some("180" | "-180") => Some("270"),
            Some("270" | "-90") => None,
            _ => Some("90"),
        };
        self.set_views(simulation, "Rotate", VIEW_ROTATE, |block| turned(block).map(str::to_owned))
    }

    /// Mirrors the selected blocks, so that their inputs are on the other side.
    pub fn flip(&self, simulation: &Simulation) -> Option<Change> {
        let value = |block: &Block| if block.view(VIEW_FLIP).is_some() { None } else { Some("1".to_owned()) };
        self.set_views(simulation, "Flip", VIEW_FLIP, value)
    }

    /// Sets the colour of the selected blocks, or resets it to that of their group.
    pub fn colour(&self, view: &DocumentView, colour: Option<&str>) -> Option<Change> {
        self.set_views(view.simulation, "Set colour of", VIEW_COLOR, |_| colour.map(str::to_owned))
    }

    /// Sets the title position of the selected blocks.
    pub fn set_title_side(&self, view: &DocumentView, side: Option<&str>) -> Option<Change> {
        self.set_views(view.simulation, "Move title of", VIEW_TITLE, |_| side.map(str::to_owned))
    }

    /// Sets an attribute of each selected block.
    pub(in crate::app::canvas) fn set_views(
        &self,
        simulation: &Simulation,
        what: &str,
        name: &str,
        value: impl Fn(&Block) -> Option<String>,
    ) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let blocks: Vec<_> = self.selection.blocks.iter().filter_map(|id| model.block(*id)).collect();
        let label = match blocks.as_slice() {
            [] => return None,
            [one] => format!("{what} {}", one.title()),
            several => format!("{what} {} blocks", several.len()),
        };
        let mut edits = self.pins(model, &BTreeSet::new());
        let before = edits.len();
        edits.extend(blocks.iter().filter_map(|block| {
            let value = value(block);
            (block.view(name).map(str::to_owned) != value).then(|| attribute_edit(model, block.id, name, value))
        }));
        (edits.len() > before).then(|| Change::new(label, edits))
    }

    /// Number of grid steps.
    pub fn nudge(&mut self, simulation: &Simulation, right: i32, down: i32) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let shift = Vec2::new(right as f32, down as f32) * GRID;
        let held = self.with_carried(self.selection.blocks.iter().copied());
        let position = |id: &BlockId| Some((*id, self.scene.block(*id)?.position + shift));
        let moves: BTreeMap<_, _> = held.iter().filter_map(position).collect();
        super::commands::move_change(&self.scene, model, &moves, shift)
    }
}

pub fn attribute_edit(model: &Model, id: BlockId, name: &str, value: Option<String>) -> Edit {
    Edit::SetBlockAttribute { model: Arc::clone(&model.name), id, name: name.into(), value: value.map(Arc::from) }
}
