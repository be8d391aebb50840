//! Fixes of the settings of the simulation.

use std::sync::Arc;

use super::{MAX_CHOICES, Site, similarity};
use crate::block::{SampleTime, SampleTimeError, gcd};
use crate::model::{BlockKind, Change, Edit, Model, Scope, settings_of};

/// The step length of a fix, in seconds, where nothing else determines it; that of a new simulation.
const STEP_LENGTH: f64 = 0.01;
const STEP_COUNT: u64 = 1000;

impl Site<'_> {
    pub(super) fn select_root(&self) -> Vec<Change> {
        let wanted = &self.simulation.root;
        let is_used = |name: &str| self.simulation.users_of(name).next().is_some();
        let mut models = self.simulation.models_in_order();
        let rank = |model: &Model| (is_used(&model.name), 1.0 - similarity(wanted, &model.name));
        models.sort_by(|a, b| {
            let ((a_used, a), (b_used, b)) = (rank(a), rank(b));
            a_used.cmp(&b_used).then(a.total_cmp(&b))
        });
        let select = |model: &Arc<Model>| {
            Change::one(format!("Select root {}", model.name), Edit::SetRoot(Arc::clone(&model.name)))
        };
        models.into_iter().take(MAX_CHOICES).map(select).collect()
    }

    pub(super) fn set_step_length(&self) -> Option<Change> {
        let delta = match self.found.code {
            "bad-delta" => STEP_LENGTH,
            "bad-number" => (self.subject? == "delta").then_some(STEP_LENGTH)?,
            _ => self.common_step()?,
        };
        Some(Change::one(format!("Set step length to {delta} s"), Edit::SetDelta(delta)))
    }

    pub(super) fn set_step_count(&self) -> Option<Change> {
        let change = || Change::one(format!("Set number of steps to {STEP_COUNT}"), Edit::SetSteps(STEP_COUNT));
        (self.subject? == "steps").then(change)
    }

    /// Returns the longest step of which both the present one and the block's sample time are multiples.
    fn common_step(&self) -> Option<f64> {
        let (model, block, delta) = (self.model?, self.block?, self.simulation.delta);
        let BlockKind::Library { group, name } = &block.kind else { return None };
        let def = self.registry.get(group, name).filter(|def| def.is_sampled())?;
        let settings = settings_of(def, block, &Scope::of_model(self.simulation, model)).0;
        let time = match def.sample(&settings, delta).err()? {
            SampleTimeError::NotAMultiple { time, .. } => time,
            SampleTimeError::OffsetNotAMultiple { offset, .. } => offset,
        };
        // Times are decimals; below a picosecond they are not.
        let whole = |seconds: f64| {
            let parts = (seconds * 1e12).round();
            ((1.0..1e18).contains(&parts) && (seconds * 1e12 - parts).abs() < 1e-3).then_some(parts as u64)
        };
        let common = gcd(whole(time)?, whole(delta)?) as f64 / 1e12;
        // A much shorter step makes the simulation slower than the user expects.
        const MOST: f64 = 1000.0;
        let is_mended = || def.sample(&settings, common).is_ok() && SampleTime::of(delta, 0.0, common).is_ok();
        (delta / common <= MOST && is_mended()).then_some(common)
    }

    pub(super) fn solve_loops(&self) -> Option<Change> {
        if self.simulation.solves_loops() {
            return None;
        }
        let edit = Edit::SetSimulationAttribute { name: "loops".into(), value: Some("solve".into()) };
        Some(Change::one("Solve loops", edit))
    }
}
