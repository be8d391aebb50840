//! The panel that fits parameters to measured curves: its data file, what it has to choose from, and its requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::action::FitAction;
use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::doc::dashboard::{Binding, BindingKind, Candidate, number_of};
use crate::app::panels::fit::{FitChoices, FitParam, FitSignal};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::lab::{FitInput, RunningFit};
use crate::app::ui::widgets::sentence;
use crate::block::{ParamKind, Registry, element_names, parse_number};
use crate::calibration::{FittedParam, change_of};
use crate::model::{BlockAddress, ParamAddress, SignalKey, Simulation, definition_of, names_of_signals, param_texts};
use crate::trial::{WriteBackError, split_element};

/// The largest number of signals and of parameters to choose from.
const MAX_CHOICES: usize = 20_000;

impl App {
    /// Shows the panel with a data file; `plot` is the one that it was dropped on.
    pub(crate) fn fit_to_file(&mut self, path: PathBuf, plot: Option<usize>) {
        let Some(file) = &mut self.file else {
            return self.complain("Open a simulation first, then drop the measured curves on one of its plots");
        };
        file.panels.fit.plot = plot;
        file.lab.fit.read(path);
        self.window.layout.show(Panel::Fit);
    }

    /// Takes a data file that was dropped on the window. Its columns belong to the signals of the plot below the pointer.
    pub(crate) fn drop_data(&mut self, path: &Path, at: Option<eframe::egui::Pos2>) {
        let shows_plots = self.window.layout.is_shown(Panel::Plots);
        let plots = self.file.as_ref().map(|file| &file.panels.plots).filter(|_| shows_plots);
        let plot = plots.zip(at).and_then(|(plots, at)| plots.plot_at(at));
        self.fit_to_file(path.to_owned(), plot);
    }

    pub(crate) fn act_on_fit(&mut self, action: FitAction) {
        match action {
            FitAction::ChooseFile => self.ask_path(PathRequest::Data),
            FitAction::Begin => self.begin_fit(),
            FitAction::Stop => self.with_file(|file| file.lab.fit.fit.iter().for_each(RunningFit::stop)),
            FitAction::Apply => {
                let change = self.file.as_mut().and_then(|file| file.panels.fit.change.take());
                if let Some((_, change)) = change {
                    self.apply(&change);
                }
            }
        }
    }

    /// Keeps what the panel shows up to date, and takes results. Called once per frame.
    pub(crate) fn follow_fit(&mut self) {
        let registry = &self.blocks.registry;
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        file.lab.fit.poll(&simulation);
        if file.lab.fit.is_fitting() && !self.window.layout.is_open(Panel::Fit) {
            // The panel was closed.
            file.lab.fit.forget_fit();
        }
        if !self.window.layout.is_shown(Panel::Fit) {
            return;
        }
        update_choices(file, registry);
        match file.lab.fit.poll_table() {
            None => {}
            Some((path, Ok(table))) if table.rows() == 0 => {
                let text = format!("The file has no numbers in rows and columns: {}", path.display());
                file.panels.fit.unreadable = Some(text);
            }
            Some((path, Ok(table))) => {
                file.lab.fit.forget_fit();
                file.panels.fit.problem = None;
                file.panels.fit.take(path, table);
            }
            Some((_, Err(error))) => file.panels.fit.unreadable = Some(sentence(&error.to_string())),
        }
        let curves = file.panels.fit.curves();
        // The result of other curves.
        let is_of = |fit: &RunningFit| curves.as_ref().is_ok_and(|curves| Arc::ptr_eq(curves, &fit.input.curves));
        if file.lab.fit.fit.as_ref().is_some_and(|fit| !fit.is_going_on() && !is_of(fit)) {
            file.lab.fit.forget_fit();
        }
        match (curves, &file.program) {
            (Ok(curves), Some(_)) if file.lab.fit.fit.is_none() => {
                let panel = &file.panels.fit;
                let input = FitInput {
                    simulation,
                    registry: Arc::clone(registry),
                    engines: self.components.engines.clone(),
                    name: panel.file.as_ref().map(|file| file.name()).unwrap_or_default(),
                    curves,
                    params: Vec::new(),
                    starts: Vec::new(),
                    options: Default::default(),
                };
                file.lab.fit.preview(input);
            }
            (Err(_), _) => file.lab.fit.forget_preview(),
            _ => {}
        }
        update_change(file, registry);
    }

    /// Starts the fit with the settings of its panel.
    pub(crate) fn begin_fit(&mut self) {
        if self.lacks_copy() {
            return self.when_copied(App::begin_fit);
        }
        let Some(file) = &mut self.file else { return };
        let panel = &mut file.panels.fit;
        let chosen = match panel.chosen() {
            Ok(chosen) => chosen,
            Err(problem) => return panel.problem = Some(problem.to_string()),
        };
        let simulation = Arc::clone(file.document.simulation());
        // Whether values can be written is known before the fit.
        let probe: Vec<FittedParam> =
            chosen.params.iter().map(|param| FittedParam::with_value(&param.path, 1.0)).collect();
        if let Err(error) = change_of(&probe, &simulation, &self.blocks.registry, true) {
            return panel.problem = Some(text_of(&error));
        }
        (panel.problem, panel.change) = (None, None);
        let input = FitInput {
            simulation,
            registry: Arc::clone(&self.blocks.registry),
            engines: self.components.engines.clone(),
            name: panel.file.as_ref().map(|file| file.name()).unwrap_or_default(),
            curves: chosen.curves,
            params: chosen.params,
            starts: chosen.starts,
            options: chosen.options,
        };
        let ctx = self.ctx.clone();
        file.lab.fit.begin(input, move || ctx.request_repaint());
    }
}

fn text_of(error: &WriteBackError) -> String {
    match error {
        WriteBackError::Instances(path) => format!(
            "{path}: the model has several instances, which all would change; set the parameter to a variable of the \
             simulation, and fit the variable"
        ),
        error => sentence(&error.to_string()),
    }
}

/// Prepares the change that writes the values of the fit, unless the simulation has them.
fn update_change(file: &mut OpenFile, registry: &Registry) {
    let revision = file.document.revision();
    let fit = file.lab.fit.fit.as_ref();
    let done = fit.and_then(|fit| Some((fit, fit.outcome.as_ref()?.as_ref().ok()?)));
    let panel = &mut file.panels.fit;
    let Some((fit, outcome)) = done else { return panel.change = None };
    if panel.change_of == Some((revision, outcome.runs)) {
        return;
    }
    panel.change_of = Some((revision, outcome.runs));
    let simulation = file.document.simulation();
    let params = now_named(&outcome.params, &fit.input.simulation, simulation);
    panel.change = match change_of(&params, simulation, registry, true) {
        Ok(change) => (!has_values(&panel.choices, &params)).then_some((revision, change)),
        Err(error) => {
            panel.problem = Some(text_of(&error));
            None
        }
    };
}

/// Returns fitted parameters with their paths in the document, whose blocks may have other names by now.
fn now_named(params: &[FittedParam], fitted: &Simulation, now: &Simulation) -> Vec<FittedParam> {
    let renamed = |path: &str| {
        let (whole, element) = split_element(path);
        let (block, option) = BlockAddress::parse_with_rest(whole, fitted).ok()?;
        let index = element.map_or_else(String::new, |element| format!("[{element}]"));
        Some(ParamAddress { block, name: option? }.text(now) + &index)
    };
    let is_variable = |path: &str| fitted.variables.contains_key(path);
    let named = |param: &FittedParam| match renamed(&param.path).filter(|_| !is_variable(&param.path)) {
        Some(path) => FittedParam { path, ..param.clone() },
        None => param.clone(),
    };
    params.iter().map(named).collect()
}

/// Returns whether the simulation has the values of a fit, as they would be written.
fn has_values(choices: &FitChoices, params: &[FittedParam]) -> bool {
    params.iter().all(|fitted| {
        let known = choices.params.iter().find(|param| param.path == fitted.path);
        known.is_some_and(|known| (known.value - fitted.value).abs() <= 1e-9 * fitted.value.abs())
    })
}

/// Collects the signals and parameters of the document, where it has changed.
fn update_choices(file: &mut OpenFile, registry: &Registry) {
    let of = (file.document.revision(), file.program.is_some(), file.panels.fit.plot);
    if file.panels.fit.choices_of == Some(of) {
        return;
    }
    let simulation = Arc::clone(file.document.simulation());
    let (mut signals, likely) = signals(file, &simulation, registry);
    signals.truncate(MAX_CHOICES);
    let likely = likely.min(signals.len());
    let params = params(file, &simulation, registry);
    let panel = &mut file.panels.fit;
    panel.choices = FitChoices { signals, likely, params };
    panel.choices_of = Some(of);
}

/// Returns all signals, the likely ones first, and the number of these.
fn signals(file: &OpenFile, simulation: &Simulation, registry: &Registry) -> (Vec<FitSignal>, usize) {
    let derived = &file.derived;
    let dropped = file.panels.fit.plot.and_then(|plot| derived.plots().plots.get(plot));
    let dropped: Vec<SignalKey> = dropped.into_iter().flat_map(|plot| plot.signals().cloned()).collect();
    let shown = derived.exits_and_plots();
    let likely: Vec<SignalKey> = if dropped.is_empty() { shown.clone() } else { dropped };
    let all = derived.signals(registry).iter().map(|(key, _)| key.clone());
    let mut keys: Vec<SignalKey> = Vec::new();
    let mut known = std::collections::HashSet::new();
    keys.extend(likely.iter().cloned().chain(shown).chain(all).filter(|key| known.insert(key.clone())));
    keys.truncate(MAX_CHOICES);
    let files = names_of_signals(simulation, &keys);
    let (mut found, mut count) = (Vec::new(), 0);
    for (number, (key, in_file)) in keys.iter().zip(files).enumerate() {
        if number == likely.len() {
            count = found.len();
        }
        let output = file.program.as_ref().and_then(|program| Some((program, program.output_of(key)?)));
        let of = output.map(|(program, output)| program.output_type(output));
        let is_held = file.program.as_ref().is_some_and(|program| program.is_held(key));
        let of = of.unwrap_or_else(|| crate::block::SignalType::plain(1));
        let names = [derived.name_of(key), in_file, key.text(simulation)].map(|name| element_names(&name, &of));
        let [shown, files, paths] = names;
        for (element, (name, others)) in shown.into_iter().zip(files.into_iter().zip(paths)).enumerate() {
            let others = vec![others.0, others.1];
            found.push(FitSignal { key: key.clone(), element, name, others, is_held });
        }
    }
    if likely.len() >= keys.len() {
        count = found.len();
    }
    (found, count)
}

/// Returns the numbers that can be fitted: variables of the simulation, and parameters of blocks and their elements, those of
/// the selected block first. Expressions are none of them, but the variables that they name are.
fn params(file: &OpenFile, simulation: &Simulation, registry: &Registry) -> Vec<FitParam> {
    let selected = file.canvas.selection().single_block().map(|id| BlockAddress::new(file.canvas.path(), id));
    let variables = simulation.variables.iter().filter_map(|(name, variable)| {
        let value = parse_number(&variable.value).ok().filter(|value| value.is_finite())?;
        let limits = (f64::NEG_INFINITY, f64::INFINITY);
        let (name, path) = (name.to_string(), name.to_string());
        Some(FitParam { name, path, value, limits, is_selected: false })
    });
    let param = |candidate: &Candidate| {
        let Binding::Param(param) = &candidate.binding else { return None };
        let block = param.of.block.find(simulation)?;
        let def = definition_of(registry, block)?.param(&param.of.name)?;
        let ParamKind::Number { min, max, .. } = def.kind else { return None };
        let value = number_of(simulation, registry, param).filter(|value| value.is_finite())?;
        let path = param.of.text(simulation);
        let path = if param_texts(block, def).len() > 1 { format!("{path}[{}]", param.element) } else { path };
        let (name, is_selected) = (candidate.name.clone(), selected.as_ref() == Some(&param.of.block));
        Some(FitParam { name, path, value, limits: (min, max), is_selected })
    };
    let params = file.derived.bindings(BindingKind::Params, registry).iter().filter_map(param);
    let mut all: Vec<FitParam> = variables.chain(params).take(MAX_CHOICES).collect();
    all.sort_by_key(|param| !param.is_selected);
    all
}
