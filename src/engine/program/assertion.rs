//! Assertion events: what assertion blocks report during a run.

use std::collections::BTreeSet;

use crate::block::Reaction;
use crate::engine::{Program, UnitId};
use crate::model::BlockAddress;

/// An assertion report of a block in a completed step.
#[derive(Clone, Debug, PartialEq)]
pub struct AssertionEvent {
    pub step: u64,
    /// Seconds at the beginning of the step.
    pub time: f64,
    /// The model blocks that lead to the block, and the block.
    pub block: BlockAddress,
    pub reaction: Reaction,
    pub message: String,
}

/// A report of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReportRef {
    pub unit: UnitId,
    /// Its number among those of the unit.
    pub report: u32,
}

impl Program {
    /// The assertion events of a step: each report once, in program order.
    pub(in crate::engine) fn assertions(
        &self,
        step: u64,
        reported: impl IntoIterator<Item = ReportRef>,
    ) -> impl Iterator<Item = AssertionEvent> {
        let reported: BTreeSet<ReportRef> = reported.into_iter().collect();
        reported.into_iter().map(move |ReportRef { unit, report }| {
            let report = &self.kernel(&self.units[unit]).reports[report as usize];
            AssertionEvent {
                step,
                time: step as f64 * self.delta,
                block: self.block_of(unit),
                reaction: report.reaction,
                message: report.message.clone(),
            }
        })
    }

    /// Whether a block may pause or end a run.
    pub(in crate::engine) fn can_end(&self) -> bool {
        let mut reports = self.kernels.values().flat_map(|kernel| &kernel.reports);
        reports.any(|report| report.reaction != Reaction::Warn)
    }
}
