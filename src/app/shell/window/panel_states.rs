//! The states that the panels keep between frames for the open document.

use crate::app::panels::{
    analysis, blocks, dashboard, find, fit, help, import, inspector, models, plots, problems, quick_insert, response,
    review, runs, step, sweep, time, tuner,
};
use crate::model::{AddressMap, BlockAddress};

/// The states of the panels.
#[derive(Default)]
pub struct PanelStates {
    pub blocks: blocks::BlocksState,
    pub models: models::ModelsState,
    pub inspector: inspector::InspectorState,
    pub plots: plots::PlotsPanelState,
    pub board: dashboard::DashboardState,
    pub problems: problems::ProblemsState,
    pub import: import::ImportState,
    pub review: review::ReviewState,
    pub help: help::HelpState,
    pub find: find::FindState,
    pub runs: runs::RunsState,
    pub step: step::StepState,
    pub analysis: analysis::AnalysisState,
    pub tuner: tuner::TunerState,
    pub fit: fit::FitState,
    pub response: response::ResponseState,
    pub sweep: sweep::SweepState,
    pub time: time::TimeBarState,
    /// The list of blocks to insert, while it is open.
    pub quick_insert: Option<quick_insert::QuickInsertState>,
}

impl PanelStates {
    /// Lets the chosen signals and parameters follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        self.sweep.relocate(map);
        self.analysis.relocate(map);
        self.tuner.relocate(map);
        self.fit.relocate(map);
        self.response.relocate(map);
        for scope in &mut self.plots.scopes {
            let BlockAddress { path, block } = map.block(&BlockAddress::new(&scope.path, scope.block));
            (scope.path, scope.block) = (path, block);
        }
    }
}
