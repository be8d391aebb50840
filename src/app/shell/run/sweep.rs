//! The sweep panel's access to the document.

use std::sync::Arc;

use crate::app::canvas::Canvas;
use crate::app::doc::dashboard::{Binding, BindingKind, Candidate, number_of};
use crate::app::doc::derived::Derived;
use crate::app::panels::sweep::{SweepLocation, SweepParam, SweepProblem, SweepState};
use crate::app::shell::app::App;
use crate::app::store::lab::{Ensemble, SweepInput, SweepRequest};
use crate::block::language::Names as _;
use crate::block::{Registry, Setting};
use crate::engine::{Override, Runs};
use crate::model::{BlockAddress, Change, Scope, SignalKey, Simulation, definition_of, settings_of};

/// The maximum number of runs in the window; the command line keeps more on disk.
const MAX_RUNS: u64 = 20_000;
/// The same on a pool: curves of many runs have fewer points.
const MAX_POOL_RUNS: u64 = 200_000;

/// Returns the paths and values of the selected block's scalar parameters.
pub fn params_of(simulation: &Simulation, registry: &Registry, canvas: &Canvas) -> Vec<(String, f64)> {
    let path = canvas.path();
    let (Some(model), Some(id)) = (canvas.open_model(simulation), canvas.selection().single_block()) else {
        return Vec::new();
    };
    let Some(block) = model.block(id) else { return Vec::new() };
    let Some(def) = definition_of(registry, block) else { return Vec::new() };
    let settings = settings_of(def, block, &Scope::of_model(simulation, model)).0;
    let block = BlockAddress::new(path, id).text(simulation);
    let params = settings.params().filter_map(|(param, setting)| match setting {
        Setting::Number(values) => match values[..] {
            [value] => Some((format!("{block}.{}", param.name), value)),
            _ => None,
        },
        _ => None,
    });
    params.collect()
}

/// Returns the values that can be varied: variables of all models and scalar parameters, those of the selected block
/// first.
pub fn sweep_params(
    simulation: &Simulation,
    derived: &Derived,
    registry: &Registry,
    canvas: &Canvas,
) -> Vec<SweepParam> {
    let selected = canvas.selection().single_block().map(|id| (canvas.path(), id));
    let scope = Scope::of_simulation(simulation);
    let variables = simulation.variables.keys().filter_map(|name| match scope.value(name) {
        Ok(Some(values)) => match values.values[..] {
            [value] => Some(SweepParam { name: name.to_string(), path: name.to_string(), value, is_selected: false }),
            _ => None,
        },
        _ => None,
    });
    let param = |candidate: &Candidate| {
        let Binding::Param(param) = &candidate.binding else { return None };
        let (path, id) = (&*param.of.block.path, param.of.block.block);
        // The elements of vectors are not varied one by one.
        if candidate.name_in_block != param.of.name {
            return None;
        }
        Some(SweepParam {
            name: candidate.name.clone(),
            path: param.of.text(simulation),
            value: number_of(simulation, registry, param)?,
            is_selected: selected == Some((path, id)),
        })
    };
    let params = derived.bindings(BindingKind::Params, registry).iter().filter_map(param);
    let mut all: Vec<SweepParam> = variables.chain(params).collect();
    all.sort_by_key(|param| !param.is_selected);
    all
}

/// Returns the runs of the panel's settings, their number and the signal, or why they cannot start.
fn sweep_of(panel: &SweepState) -> Result<(Runs, u64, SignalKey), SweepProblem> {
    let runs = panel.runs()?;
    let most = if panel.location == SweepLocation::Here { MAX_RUNS } else { MAX_POOL_RUNS };
    let count = runs.count().filter(|count| *count <= most);
    let count = count.ok_or(SweepProblem::TooMany(most))?;
    let signal = panel.signal.clone().ok_or(SweepProblem::NoSignal)?;
    Ok((runs, count, signal))
}

impl App {
    /// Starts the sweep with the settings of its panel.
    pub(crate) fn begin_sweep(&mut self) {
        if self.lacks_copy() {
            return self.when_copied(App::begin_sweep);
        }
        let Some(file) = &mut self.file else { return };
        let panel = &mut file.panels.sweep;
        let (runs, count, signal) = match sweep_of(panel) {
            Ok(sweep) => sweep,
            Err(problem) => {
                panel.problem = Some(problem);
                return;
            }
        };
        #[cfg(feature = "pool")]
        if panel.location != SweepLocation::Here {
            return self.begin_pool_sweep((runs, count), signal);
        }
        (panel.problem, panel.chosen) = (None, None);
        panel.generation += 1;
        let (simulation, registry) = (Arc::clone(file.document.simulation()), Arc::clone(&self.blocks.registry));
        let ctx = self.ctx.clone();
        let request =
            SweepRequest { runs, count, simulation, registry, engines: self.components.engines.clone(), signal };
        file.lab.live.begin_shown(SweepInput::of(&request));
        file.lab.ensemble = Some(Ensemble::begin(request, move || ctx.request_repaint()));
    }

    /// Repeats the sweep while it is live and the simulation or the settings have changed. Called once per frame.
    pub(crate) fn follow_live_sweep(&mut self) {
        let Some(file) = &mut self.file else { return };
        let (lab, panel) = (&mut file.lab, &mut file.panels.sweep);
        if let Some(next) = lab.live.poll() {
            let chosen = panel.chosen.zip(lab.ensemble.as_ref());
            let chosen = chosen.and_then(|(chosen, shown)| shown.curves.get(chosen)).map(|curve| curve.run);
            panel.chosen = chosen.and_then(|run| next.curves.iter().position(|curve| curve.run == run));
            lab.ensemble = Some(next);
        }
        if !panel.is_live || panel.location != SweepLocation::Here {
            return;
        }
        match sweep_of(panel) {
            Ok((runs, count, signal)) => {
                let (simulation, registry) =
                    (Arc::clone(file.document.simulation()), Arc::clone(&self.blocks.registry));
                let engines = self.components.engines.clone();
                let request = SweepRequest { runs, count, simulation, registry, engines, signal };
                let input = SweepInput::of(&request);
                if lab.live.is_due(&input) {
                    panel.problem = None;
                    // A sweep that takes long is shown while it runs.
                    lab.ensemble.iter().for_each(Ensemble::stop);
                    let ctx = self.ctx.clone();
                    lab.live.begin(input, Ensemble::begin(request, move || ctx.request_repaint()));
                }
            }
            Err(problem) => panel.problem = Some(problem),
        }
    }

    /// Sets the parameters to the values of a run of the sweep.
    pub(crate) fn load_sweep_run(&mut self, run: u64) {
        let Some(ensemble) = self.file.as_ref().and_then(|file| file.lab.ensemble.as_ref()) else { return };
        let values = ensemble.runs.varied.iter().zip(ensemble.runs.values(run));
        let values = values.map(|(vary, value)| format!("{}={value}", vary.path)).collect();
        self.load(&format!("Load the values of run {run}"), values);
    }

    /// Applies settings `PATH=VALUES` as one undoable change.
    pub(crate) fn load(&mut self, label: &str, values: Vec<String>) {
        let Some(file) = &self.file else { return };
        let simulation = file.simulation();
        let edits = values.iter().map(|text| {
            let set = Override::parse(text, simulation, &self.blocks.registry);
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
