//! The panel that fits parameters to measured curves: its data file, what it has to choose from, and its requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::action::FitAction;
use crate::app::action::command::Panel;
use crate::app::action::path_request::PathRequest;
use crate::app::panels::fit::{FitChoices, FitSignal};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::shell::run::choices::{MAX_CHOICES, free_params, has_values, now_named, signal_keys, write_back_text};
use crate::app::store::lab::{FitInput, RunningFit};
use crate::app::ui::widgets::sentence;
use crate::block::{Registry, element_names};
use crate::calibration::{FittedParam, change_of};
use crate::model::{SignalKey, Simulation, names_of_signals};

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
                file.lab.fit.preview.ask(input, FitInput::has_curves_of);
            }
            (Err(_), _) => file.lab.fit.preview.forget(),
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
            chosen.params.iter().map(|param| FittedParam::with_value(&param.free.path, 1.0)).collect();
        if let Err(error) = change_of(&probe, &simulation, &self.blocks.registry, true) {
            return panel.problem = Some(write_back_text(&error, "fit"));
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
    let values = outcome.params.iter().map(|param| (param.path.clone(), param.value)).collect();
    let values = now_named(values, &fit.input.simulation, simulation);
    let named = outcome.params.iter().zip(&values);
    let params: Vec<FittedParam> =
        named.map(|(param, (path, _))| FittedParam { path: path.clone(), ..param.clone() }).collect();
    panel.change = match change_of(&params, simulation, registry, true) {
        Ok(change) => (!has_values(&panel.choices.params, &values)).then_some((revision, change)),
        Err(error) => {
            panel.problem = Some(write_back_text(&error, "fit"));
            None
        }
    };
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
    let params = free_params(file, &simulation, registry);
    let panel = &mut file.panels.fit;
    panel.choices = FitChoices { signals, likely, params };
    panel.choices_of = Some(of);
}

/// Returns all signals, the likely ones first, and the number of these.
fn signals(file: &OpenFile, simulation: &Simulation, registry: &Registry) -> (Vec<FitSignal>, usize) {
    let derived = &file.derived;
    let dropped = file.panels.fit.plot.and_then(|plot| derived.plots().plots.get(plot));
    let dropped: Vec<SignalKey> = dropped.into_iter().flat_map(|plot| plot.signals().cloned()).collect();
    let (keys, likely) = signal_keys(file, registry, dropped);
    let files = names_of_signals(simulation, &keys);
    let (mut found, mut count) = (Vec::new(), 0);
    for (number, (key, in_file)) in keys.iter().zip(files).enumerate() {
        if number == likely {
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
    if likely >= keys.len() {
        count = found.len();
    }
    (found, count)
}
