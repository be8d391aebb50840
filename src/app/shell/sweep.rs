//! The sweep panel's access to the document.

use std::sync::Arc;

use super::state::{App, OpenFile};
use crate::app::store::lab::{Ensemble, SweepRequest};
use crate::block::{Registry, Setting};
use crate::engine::Override;
use crate::model::{BlockKind, BlockPorts, Change, Scope, SignalKey, block_text, settings_of};

/// The maximum number of runs in the window; the command line keeps more on disk.
const MOST_RUNS: u64 = 20_000;

/// Returns the root's exits and the plotted signals.
pub fn signals_of(file: &OpenFile) -> Vec<SignalKey> {
    let root = file.simulation().root_model();
    let exits = root.into_iter().flat_map(|root| root.exits());
    let mut signals: Vec<SignalKey> =
        exits.map(|(block, _)| SignalKey::new(&[], block.id, BlockPorts::INPUT)).collect();
    signals.extend(file.plot_list.signals());
    let mut known = std::collections::HashSet::new();
    signals.retain(|signal| known.insert(signal.clone()));
    signals
}

/// Returns the paths and values of the selected block's scalar parameters.
pub fn params_of(file: &OpenFile, registry: &Registry) -> Vec<(String, f64)> {
    let simulation = file.simulation();
    let path = file.canvas.path();
    let model = file.canvas.open_model(simulation);
    let (Some(model), Some(id)) = (model, file.canvas.selection().single_block()) else { return Vec::new() };
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

impl App {
    /// Starts the sweep with the settings of its panel.
    pub(super) fn begin_sweep(&mut self) {
        let Some(file) = &self.file else { return };
        self.lab_panels.sweep.problem = None;
        let runs = match self.lab_panels.sweep.runs() {
            Ok(runs) => runs,
            Err(problem) => {
                self.lab_panels.sweep.problem = Some(problem);
                return;
            }
        };
        let Some(count) = runs.count().filter(|count| *count <= MOST_RUNS) else {
            let problem = format!("For more than {MOST_RUNS} runs use the command line: simulate sweep");
            self.lab_panels.sweep.problem = Some(problem);
            return;
        };
        let Some(signal) = self.lab_panels.sweep.signal.clone() else {
            self.lab_panels.sweep.problem = Some("No signal is selected: plot a signal, or add an exit".to_owned());
            return;
        };
        let (simulation, registry) = (Arc::clone(file.simulation()), Arc::clone(&self.registry));
        let ctx = self.ctx.clone();
        let request =
            SweepRequest { runs, count, simulation, registry, engines: self.components.engines.clone(), signal };
        self.lab_panels.sweep.chosen = None;
        self.lab_panels.sweep.generation += 1;
        self.lab.ensemble = Some(Ensemble::begin(request, move || ctx.request_repaint()));
    }

    /// Sets the parameters to the values of a run of the sweep.
    pub(super) fn load_sweep_run(&mut self, run: u64) {
        let Some(ensemble) = &self.lab.ensemble else { return };
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
