//! The panel that finds parameters with which the response meets requirements: what it has to choose from, and its requests.

use std::sync::Arc;

use crate::app::action::ResponseAction;
use crate::app::action::command::Panel;
use crate::app::doc::requirements::RequirementList;
use crate::app::panels::response::{ResponseChoices, ResponseSignal};
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::shell::run::choices::{free_params, has_values, now_named, signal_keys, write_back_text};
use crate::app::store::lab::{ResponseInput, RunningResponse};
use crate::block::Registry;
use crate::engine::Engines;
use crate::model::names_of_signals;
use crate::requirement::Question;
use crate::trial::change_of;

/// The number of significant digits that are written, as on the command line.
const DIGITS: usize = 10;
const TITLE: &str = "Optimize response";

impl App {
    pub(crate) fn act_on_response(&mut self, action: ResponseAction) {
        match action {
            ResponseAction::Begin => self.begin_response(),
            ResponseAction::Stop => {
                self.with_file(|file| file.lab.response.search.iter().for_each(RunningResponse::stop))
            }
            ResponseAction::Apply => {
                let change = self.file.as_mut().and_then(|file| file.panels.response.change.take());
                if let Some((_, change)) = change {
                    self.apply(&change);
                }
            }
        }
    }

    /// Keeps what the panel shows up to date, and takes results. Called once per frame.
    pub(crate) fn follow_response(&mut self) {
        let registry = &self.blocks.registry;
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        file.lab.response.poll(&simulation);
        if file.lab.response.is_searching() && !self.window.layout.is_open(Panel::Response) {
            // The panel was closed.
            file.lab.response.search = None;
        }
        if !self.window.layout.is_shown(Panel::Response) {
            return;
        }
        update_choices(file, registry);
        let question = file.panels.response.question();
        // The result of another question.
        let is_of = |search: &RunningResponse| {
            let asked = Question { params: Vec::new(), ..search.input.question.clone() };
            question.as_ref().is_ok_and(|question| *question == asked)
        };
        if file.lab.response.search.as_ref().is_some_and(|search| !search.is_going_on() && !is_of(search)) {
            file.lab.response.search = None;
        }
        match (question, &file.program) {
            (Ok(question), Some(_)) if file.lab.response.search.is_none() => {
                let input = input(file, registry, &self.components.engines, question);
                file.lab.response.preview.ask(input, ResponseInput::has_response_of);
            }
            (Err(_), _) => file.lab.response.preview.forget(),
            _ => {}
        }
        update_change(file, registry);
    }

    /// Starts the search with the settings of its panel.
    pub(crate) fn begin_response(&mut self) {
        if self.lacks_copy() {
            return self.when_copied(App::begin_response);
        }
        let registry = &self.blocks.registry;
        let Some(file) = &mut self.file else { return };
        let checks = file.lab.response.now().map_or(0, |now| now.checks.len());
        let question = match file.panels.response.chosen(checks) {
            Ok(question) => question,
            Err(problem) => return file.panels.response.problem = Some(problem.to_string()),
        };
        // Whether values can be written is known before the search.
        let probe: Vec<(&str, f64)> = question.params.iter().map(|param| (&*param.path, 1.0)).collect();
        let library = (&**file.document.simulation(), &**registry);
        if let Err(error) = change_of(TITLE, &probe, Some(DIGITS), library, true) {
            return file.panels.response.problem = Some(write_back_text(&error, "vary"));
        }
        let panel = &mut file.panels.response;
        (panel.problem, panel.change, panel.change_of) = (None, None, None);
        let input = input(file, registry, &self.components.engines, question);
        let ctx = self.ctx.clone();
        file.lab.response.begin(input, move || ctx.request_repaint());
    }
}

fn input(file: &OpenFile, registry: &Arc<Registry>, engines: &Engines, question: Question) -> ResponseInput {
    ResponseInput {
        simulation: Arc::clone(file.document.simulation()),
        registry: Arc::clone(registry),
        engines: engines.clone(),
        folder: file.path.as_ref().and_then(|path| path.parent()).map(ToOwned::to_owned),
        question,
        options: file.panels.response.options.options(),
    }
}

/// Prepares the change that writes the values of the search, unless the simulation has them.
fn update_change(file: &mut OpenFile, registry: &Registry) {
    let revision = file.document.revision();
    let search = file.lab.response.search.as_ref();
    let done = search.and_then(|search| Some((search, search.outcome.as_ref()?.as_ref().ok()?)));
    let panel = &mut file.panels.response;
    let Some((search, result)) = done else { return (panel.change, panel.change_of) = (None, None) };
    if panel.change_of == Some((revision, result.optimum.evaluations)) {
        return;
    }
    panel.change_of = Some((revision, result.optimum.evaluations));
    let simulation = file.document.simulation();
    let paths = result.params.iter().map(|(path, _)| path.clone());
    let values = paths.zip(result.optimum.values.iter().copied()).collect();
    let values = now_named(values, &search.input.simulation, simulation);
    let params: Vec<(&str, f64)> = values.iter().map(|(path, value)| (&**path, *value)).collect();
    panel.change = match change_of(TITLE, &params, Some(DIGITS), (simulation, registry), true) {
        Ok(change) => (!has_values(&panel.choices.params, &values)).then_some((revision, change)),
        Err(error) => {
            panel.problem = Some(write_back_text(&error, "vary"));
            None
        }
    };
}

/// Collects the requirements, signals and parameters of the document, where it has changed.
fn update_choices(file: &mut OpenFile, registry: &Registry) {
    let of = (file.document.revision(), file.program.is_some());
    if file.panels.response.choices_of == Some(of) {
        return;
    }
    let simulation = Arc::clone(file.document.simulation());
    let (keys, _) = signal_keys(file, registry, Vec::new());
    let files = names_of_signals(&simulation, &keys);
    let signal = |(key, in_file): (crate::model::SignalKey, String)| ResponseSignal {
        address: key.to_string(),
        name: file.derived.name_of(&key),
        others: vec![in_file, key.text(&simulation)],
        is_held: file.program.as_ref().is_some_and(|program| program.is_held(&key)),
        key,
    };
    let signals = keys.into_iter().zip(files).map(signal).collect();
    let params = free_params(file, &simulation, registry);
    let panel = &mut file.panels.response;
    panel.list = RequirementList::read(&simulation);
    panel.open = panel.open.filter(|number| *number < panel.list.entries.len());
    panel.choices = ResponseChoices::new(signals, params);
    panel.choices_of = Some(of);
    panel.problem = None;
}
