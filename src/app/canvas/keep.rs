//! Scenes of models that were open a moment ago are kept: going back to one costs what changed since.

use std::sync::Arc;

use super::Canvas;
use super::draw::LodMesh;
use super::scene::Scene;
use crate::model::Model;

/// So many are kept.
const KEPT: usize = 6;
/// With more blocks gone, or back, at once a scene of its own is cheaper than to follow.
const MANY: usize = 1000;

impl Canvas {
    /// Takes up the scene that shows the model as it is, or as it was last.
    pub(super) fn turn_to(&mut self, model: &Arc<Model>) {
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

    /// The kept scene of just this state of the model, or the last of any state.
    fn take_kept(&mut self, model: &Arc<Model>) -> Option<Scene> {
        let same = self.kept.iter().position(|scene| is_of(scene, model));
        let is_named_so = |scene: &Scene| scene.model().is_some_and(|known| known.name == model.name);
        let place = same.or_else(|| self.kept.iter().rposition(is_named_so))?;
        Some(self.kept.remove(place))
    }
}

fn is_of(scene: &Scene, model: &Arc<Model>) -> bool {
    scene.model().is_some_and(|known| Arc::ptr_eq(known, model))
}
