//! The fixes of conflicts of a merge: they settle one.

use super::{Fix, Site};
use crate::model::Change;
use crate::model::conflict::{Property, conflicts, problem};
use crate::model::settle::{Settlement, settle};

impl Site<'_> {
    pub(super) fn settle(&self, fix: Fix) -> Option<Change> {
        let mut all = conflicts(self.simulation).into_iter();
        let (holder, conflict) = all.find(|(holder, conflict)| {
            let same = problem(self.simulation, holder, conflict);
            (&same.message, &same.location.model, same.location.block)
                == (&self.found.message, &self.found.location.model, self.found.location.block)
        })?;
        let (settlement, what) = match fix {
            Fix::TakeOurs => (Settlement::Ours, "Take ours"),
            Fix::TakeTheirs => (Settlement::Theirs, "Take theirs"),
            Fix::TakeBase => (Settlement::Base, "Take base"),
            _ => (Settlement::AsItIs, "Keep as it is"),
        };
        // A problem is no value of a side.
        let has_sides = !matches!(conflict.property, Property::Check(_) | Property::Other(_));
        let is_offered = has_sides || settlement == Settlement::AsItIs;
        let label = format!("{what}: {}", holder.text(self.simulation));
        is_offered.then(|| Change::new(label, settle(self.simulation, &holder, &conflict, &settlement)))
    }
}
