//! Keeps the scenes of recently open models: returning to one costs only what changed since.

use std::sync::Arc;

use super::Scene;
use crate::app::canvas::Canvas;
use crate::app::canvas::draw::LodMesh;
use crate::model::Model;

/// Maximum number of kept scenes.
const KEPT: usize = 6;
/// Number of removed or added blocks above which building a new scene is cheaper than updating one.
const MANY: usize = 1000;

impl Canvas {
    /// Restores the scene of the model in its current state, or its most recent one.
    pub(in crate::app::canvas) fn turn_to(&mut self, model: &Arc<Model>) {
        let Some(shown) = self.scene.model() else {
            self.scene = self.take_kept(model).unwrap_or_default();
            return;
        };
        let is_other = shown.name != model.name;
        let (before, now) = (shown.blocks.len(), model.blocks.len());
        if !is_other && before.abs_diff(now) <= MANY {
            return;
        }
        let next = match self.take_kept(model) {
            Some(kept) if is_other || is_of(&kept, model) => kept,
            _ if is_other || now < before / 2 => Scene::default(),
            _ => return,
        };
        let shown = std::mem::replace(&mut self.scene, next);
        self.lod_mesh = LodMesh::default();
        self.kept.push(shown);
        if self.kept.len() > KEPT {
            self.kept.remove(0);
        }
    }

    /// Returns the kept scene of exactly this state of the model, or its most recent one.
    fn take_kept(&mut self, model: &Arc<Model>) -> Option<Scene> {
        let same = self.kept.iter().position(|scene| is_of(scene, model));
        let is_named_so = |scene: &Scene| scene.model().is_some_and(|known| known.name == model.name);
        let index = same.or_else(|| self.kept.iter().rposition(is_named_so))?;
        Some(self.kept.remove(index))
    }
}

fn is_of(scene: &Scene, model: &Arc<Model>) -> bool {
    scene.model().is_some_and(|known| Arc::ptr_eq(known, model))
}
