//! The scenes of recently open models: returning to one costs only what changed since.

use std::sync::Arc;

use super::Scene;
use crate::model::Model;

/// Maximum number of kept scenes.
const KEPT: usize = 6;
/// Number of removed or added blocks above which building a new scene is cheaper than updating one.
const MANY: usize = 1000;

/// The scenes of recently open models, the latest last.
#[derive(Debug, Default)]
pub struct RecentScenes(Vec<Scene>);

impl RecentScenes {
    /// Replaces the shown scene by that of the model in its current state, or its most recent one. Returns whether a
    /// scene was shown that is another one now.
    pub fn turn_to(&mut self, scene: &mut Scene, model: &Arc<Model>) -> bool {
        let Some(shown) = scene.model() else {
            *scene = self.take(model).unwrap_or_default();
            return false;
        };
        let is_other = shown.name != model.name;
        let (before, now) = (shown.blocks.len(), model.blocks.len());
        if !is_other && before.abs_diff(now) <= MANY {
            return false;
        }
        let next = match self.take(model) {
            Some(kept) if is_other || is_of(&kept, model) => kept,
            _ if is_other || now < before / 2 => Scene::default(),
            _ => return false,
        };
        self.0.push(std::mem::replace(scene, next));
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
        true
    }

    /// Returns the kept scene of exactly this state of the model, or its most recent one.
    fn take(&mut self, model: &Arc<Model>) -> Option<Scene> {
        let same = self.0.iter().position(|scene| is_of(scene, model));
        let is_named_so = |scene: &Scene| scene.model().is_some_and(|known| known.name == model.name);
        let index = same.or_else(|| self.0.iter().rposition(is_named_so))?;
        Some(self.0.remove(index))
    }
}

fn is_of(scene: &Scene, model: &Arc<Model>) -> bool {
    scene.model().is_some_and(|known| Arc::ptr_eq(known, model))
}
