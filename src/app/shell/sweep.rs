//! The sweep panel's access to the document.

use std::sync::Arc;

use super::state::App;
use crate::app::canvas::Canvas;
use crate::app::panels::sweep::{SweepProblem, SweepState};
use crate::app::store::lab::{Ensemble, SweepRequest};
use crate::block::{Registry, Setting};
use crate::engine::{Override, Runs};
use crate::model::{BlockKind, Change, Scope, SignalKey, Simulation, block_text, settings_of};

/// The maximum number of runs in the window; the command line keeps more on disk.
const MAX_RUNS: u64 = 20_000;

/// Returns the paths and values of the selected block's scalar parameters.
pub fn params_of(simulation: &Simulation, registry: &Registry, canvas: &Canvas) -> Vec<(String, f64)> {
    let path = canvas.path();
    let (Some(model), Some(id)) = (canvas.open_model(simulation), canvas.selection().single_block()) else {
        return Vec::new();
    };
    let Some(block) = model.block(id) else { return Vec::new() };
    let BlockKind::Library { group, name } = &block.kind else { return Vec::new() };
    let Some(def) = registry.get(group, name) else { return Vec::new() };
    let settings = settings_of(def, block, &Scope::of_model(simulation, model)).0;
    let place = block_text(simulation, path, id);
    let params = settings.params().filter_map(|(param, setting)| match setting {
        Setting::Number(values) => match values[..] {
            [value] => Some((format!("{place}.{}", param.name), value)),
            _ => None,
        },
        _ => None,
    });
    params.collect()
}

/// Returns the runs of the panel's settings, their number and the signal, or why they cannot start.
fn sweep_of(panel: &SweepState) -> Result<(Runs, u64, SignalKey), SweepProblem> {
    let runs = panel.runs()?;
    let count = runs.count().filter(|count| *count <= MAX_RUNS);
    let count = count.ok_or(SweepProblem::TooMany(MAX_RUNS))?;
    let signal = panel.signal.clone().ok_or(SweepProblem::NoSignal)?;
    Ok((runs, count, signal))
}

impl App {
    /// Starts the sweep with the settings of its panel.
    pub(super) fn begin_sweep(&mut self) {
        let Some(file) = &mut self.file else { return };
        let panel = &mut file.panels.sweep;
        let (runs, count, signal) = match sweep_of(panel) {
            Ok(sweep) => sweep,
            Err(problem) => {
                panel.problem = Some(problem);
                return;
            }
        };
        (panel.problem, panel.chosen) = (None, None);
        panel.generation += 1;
        let (simulation, registry) = (Arc::clone(file.document.simulation()), Arc::clone(&self.registry));
        let ctx = self.ctx.clone();
        let request =
            SweepRequest { runs, count, simulation, registry, engines: self.components.engines.clone(), signal };
        file.lab.ensemble = Some(Ensemble::begin(request, move || ctx.request_repaint()));
    }

    /// Sets the parameters to the values of a run of the sweep.
    pub(super) fn load_sweep_run(&mut self, run: u64) {
        let Some(ensemble) = self.file.as_ref().and_then(|file| file.lab.ensemble.as_ref()) else { return };
        let values = ensemble.runs.varied.iter().zip(ensemble.runs.values(run));
        let values = values.map(|(vary, value)| format!("{}={value}", vary.path)).collect();
        self.load(&format!("Load the values of run {run}"), values);
    }

    /// Applies settings `PATH=VALUES` as one undoable change.
    pub(super) fn load(&mut self, label: &str, values: Vec<String>) {
        let Some(file) = &self.file else { return };
        let simulation = file.simulation();
        let edits = values.iter().map(|text| {
            let set = Override::parse(text, simulation, &self.registry);
            set.ok().and_then(|set| set.edit_of(simulation))
        });
        match edits.collect::<Option<Vec<_>>>() {
            Some(edits) => {
                self.apply(&Change::new(label, edits));
            }
            None => self.complain(
                "The values cannot be set in only one of several instances of a model; give the model a variable",
            ),
        }
    }
}
