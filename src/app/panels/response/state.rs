//! The choices of the user in the panel: requirements, parameters, and how the search proceeds. The requirements themselves are
//! in the document.

use std::collections::HashMap;

use super::kind::Defaults;
use super::marks::BoundHandle;
use super::problem::ResponseProblem;
use crate::app::doc::requirements::{RequirementEntry, RequirementList};
use crate::app::panels::param_list::{ParamChoice, ParamRows, bounds_hint};
use crate::app::ui::field::EditedField;
use crate::model::{AddressMap, Change, SignalKey};
use crate::optimize::{BlackBoxOptions, Method};
use crate::requirement::{Question, Requirement, SearchMethod, SearchOptions};
use crate::trial::FreeParam;

/// A signal that a requirement can be on.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSignal {
    pub key: SignalKey,
    /// As requirements store it.
    pub address: String,
    /// The displayed name.
    pub name: String,
    /// Further names that a user may type.
    pub others: Vec<String>,
    pub is_held: bool,
}

/// The signals and parameters of the simulation.
#[derive(Clone, Debug, Default)]
pub struct ResponseChoices {
    /// Those in plots or leading out come first.
    pub signals: Vec<ResponseSignal>,
    pub params: Vec<ParamChoice>,
    by_address: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
}

impl ResponseChoices {
    pub fn new(signals: Vec<ResponseSignal>, params: Vec<ParamChoice>) -> ResponseChoices {
        let by_address = signals.iter().enumerate().map(|(number, signal)| (signal.address.clone(), number)).collect();
        let mut by_name = HashMap::new();
        for (number, signal) in signals.iter().enumerate() {
            for name in std::iter::once(&signal.name).chain(&signal.others) {
                by_name.entry(name.clone()).or_insert(number);
            }
        }
        ResponseChoices { signals, params, by_address, by_name }
    }

    pub fn find(&self, address: &str) -> Option<(usize, &ResponseSignal)> {
        let number = *self.by_address.get(address)?;
        Some((number, self.signals.get(number)?))
    }

    /// Returns the signal of a typed name.
    pub fn named(&self, name: &str) -> Option<&ResponseSignal> {
        let number = self.by_name.get(name).or_else(|| self.by_address.get(name))?;
        self.signals.get(*number)
    }

    pub fn name_of(&self, address: &str) -> String {
        self.find(address).map_or_else(|| address.to_owned(), |(_, signal)| signal.name.clone())
    }

    /// Returns the text of a requirement with the names of its signals.
    pub fn text_of(&self, entry: &RequirementEntry) -> String {
        entry.named(&|address| self.name_of(address))
    }

    /// Reads a typed requirement.
    ///
    /// # Errors
    /// If the text is none, or names no signal; the message.
    pub fn typed(&self, text: &str) -> Result<RequirementEntry, String> {
        let mut any = Requirement::parse(text).map_err(|error| error.to_string())?.any;
        for condition in &mut any {
            let found = self.named(condition.signal());
            let found = found.ok_or_else(|| format!("No signal is called “{}”", condition.signal()))?;
            condition.set_signal(&found.address);
        }
        Ok(RequirementEntry { is_on: true, any })
    }
}

/// How the search proceeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodChoice {
    #[default]
    Automatic,
    Gradient,
    CmaEs,
    Bobyqa,
}

/// The folded options.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRows {
    pub method: MethodChoice,
    pub starts: u64,
    pub seed: u64,
    pub evaluations: u64,
}

impl Default for SearchRows {
    fn default() -> SearchRows {
        let evaluations = BlackBoxOptions::default().max_evaluations;
        SearchRows { method: MethodChoice::default(), starts: 1, seed: 0, evaluations }
    }
}

impl SearchRows {
    /// Returns the options of a search, with a counter of its own.
    pub fn options(&self) -> SearchOptions {
        let (method, of_black_box) = match self.method {
            MethodChoice::Automatic => (SearchMethod::Automatic, Method::CmaEs),
            MethodChoice::Gradient => (SearchMethod::Gradient, Method::CmaEs),
            MethodChoice::CmaEs => (SearchMethod::BlackBox, Method::CmaEs),
            MethodChoice::Bobyqa => (SearchMethod::BlackBox, Method::Bobyqa),
        };
        let max_evaluations = self.evaluations.max(1);
        let black_box = BlackBoxOptions { method: of_black_box, max_evaluations, ..BlackBoxOptions::default() };
        let starts = self.starts.max(1) as usize;
        SearchOptions { method, black_box, starts, seed: self.seed, ..SearchOptions::default() }
    }
}

/// A bound that is being dragged in a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DraggedBound {
    pub entry: usize,
    pub condition: usize,
    pub handle: BoundHandle,
    pub value: f64,
}

#[derive(Default)]
pub struct ResponseState {
    /// The requirements of the document.
    pub list: RequirementList,
    pub choices: ResponseChoices,
    /// The input of the choices: the revision of the document, and whether it has a program.
    pub choices_of: Option<(u64, bool)>,
    pub params: ParamRows,
    /// The parameters with tolerances.
    pub tolerances: ParamRows,
    pub options: SearchRows,
    /// The requirement whose fields are shown.
    pub open: Option<usize>,
    pub dragged: Option<DraggedBound>,
    pub editing: EditedField,
    /// The search in the list of signals.
    pub signal_search: String,
    /// Whether the last frame had a result.
    pub shows_result: bool,
    /// Why the last search could not begin, or its values not be written.
    pub problem: Option<String>,
    /// The change that writes the values of the search, for this revision of the document.
    pub change: Option<(u64, Change)>,
    /// The input of the change: the revision of the document, and the number of evaluations.
    pub change_of: Option<(u64, u64)>,
}

/// Default bounds of parameters and tolerances, as parts of the value.
const RANGE: (f64, f64) = (0.1, 10.0);
const TOLERANCE: (f64, f64) = (0.9, 1.1);

/// The bounds of a parameter whose fields are empty.
pub fn default_bounds(param: &ParamChoice) -> (f64, f64) {
    bounds_hint(param, RANGE)
}

/// The bounds of a tolerance whose fields are empty.
pub fn default_tolerance(param: &ParamChoice) -> (f64, f64) {
    bounds_hint(param, TOLERANCE)
}

impl ResponseState {
    /// Lets the chosen parameters follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        self.params.relocate(map);
        self.tolerances.relocate(map);
    }

    /// Returns the question without the parameters to vary, which is enough to see the response.
    ///
    /// # Errors
    /// If a signal does not exist, or a tolerance is invalid.
    pub fn question(&self) -> Result<Question, ResponseProblem> {
        let mut requirements = Vec::new();
        for (_, entry) in self.list.active() {
            let text = self.choices.text_of(entry);
            if entry.any.iter().any(|condition| self.choices.find(condition.signal()).is_none()) {
                return Err(ResponseProblem::NoSignal(text));
            }
            requirements.push(Requirement { text, any: entry.any.clone() });
        }
        let objective = self.list.objective.clone();
        if objective.as_ref().is_some_and(|objective| self.choices.find(&objective.signal).is_none()) {
            return Err(ResponseProblem::NoObjectiveSignal);
        }
        let uncertain = self.tolerances.chosen(&self.choices.params, default_tolerance)?;
        // Without requirements, the first signal is seen.
        let is_empty = requirements.is_empty() && objective.is_none();
        let drawn = self.choices.signals.first().filter(|_| is_empty).map(|signal| signal.address.clone());
        Ok(Question {
            requirements,
            objective,
            uncertain: uncertain.into_iter().map(|chosen| chosen.free).collect(),
            has_checks: self.list.has_checks,
            drawn: drawn.into_iter().collect(),
            ..Question::default()
        })
    }

    /// Returns the whole question; `checks` is the number of check blocks that are requirements.
    ///
    /// # Errors
    /// If something is still to be chosen, or a text is invalid; the message says what to do next.
    pub fn chosen(&self, checks: usize) -> Result<Question, ResponseProblem> {
        let question = self.question()?;
        if question.requirements.is_empty() && question.objective.is_none() && checks == 0 {
            return Err(ResponseProblem::NoRequirement);
        }
        let chosen = self.params.chosen(&self.choices.params, default_bounds)?;
        let params: Vec<FreeParam> = chosen.into_iter().map(|chosen| chosen.free).collect();
        if params.is_empty() {
            return Err(ResponseProblem::NoParam);
        }
        let is_both = |param: &&FreeParam| question.uncertain.iter().any(|other| other.path == param.path);
        if let Some(both) = params.iter().find(is_both) {
            let known = self.choices.params.iter().find(|param| param.path == both.path);
            return Err(ResponseProblem::Both(known.map_or_else(|| both.path.clone(), |param| param.name.clone())));
        }
        Ok(Question { params, ..question })
    }

    /// Returns the numbers that a new requirement starts with.
    pub fn defaults(&self, seconds: f64, curve: Option<&[(f64, f64)]>) -> Defaults {
        let points = curve.unwrap_or_default();
        let values = points.iter().map(|(_, value)| *value).filter(|value| value.is_finite());
        let range = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.fold(range, |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let last = points.last().map_or(high, |(_, value)| *value);
        Defaults { seconds: if seconds > 0.0 { seconds } else { 1.0 }, low, high, last }
    }
}
