//! The requirements on the response, as the document stores them.
//!
//! The simulation's attribute `view:requirements` has them, so that undo and the file include them: items with `|` between
//! them, each a requirement in the words of `simulate optimize --require`, with the address of each signal in braces.
//!
//! ```text
//! {#4.Input} <= 1.2 from 0 to 5|off overshoot of {#4.Input} <= 5|minimize settling-time of {#4.Input}|no checks
//! ```

use crate::model::attribute_list::{escaped, plain};
use crate::model::{Change, Edit, REQUIREMENTS, Simulation};
use crate::requirement::{Condition, Figure, Objective, Requirement, parse_figure};

/// The requirements and the objective.
#[derive(Clone, Debug, PartialEq)]
pub struct RequirementList {
    pub entries: Vec<RequirementEntry>,
    pub objective: Option<Objective>,
    /// Whether check blocks are requirements, too.
    pub has_checks: bool,
    /// Stored items that are not understood. They are kept.
    unknown: Vec<String>,
}

/// A requirement. Its signals are addresses, as `#4.Input`.
#[derive(Clone, Debug, PartialEq)]
pub struct RequirementEntry {
    pub is_on: bool,
    /// One, or several of which one is enough.
    pub any: Vec<Condition>,
}

impl Default for RequirementList {
    fn default() -> RequirementList {
        RequirementList { entries: Vec::new(), objective: None, has_checks: true, unknown: Vec::new() }
    }
}

const OFF: &str = "off ";
const NO_CHECKS: &str = "no checks";
const GOALS: [(&str, bool); 2] = [("minimize ", false), ("maximize ", true)];

impl RequirementList {
    pub fn read(simulation: &Simulation) -> RequirementList {
        let mut list = RequirementList::default();
        let text = simulation.attributes.get(REQUIREMENTS).unwrap_or_default();
        for item in text.split('|').filter(|item| !item.is_empty()) {
            let goal = GOALS.iter().find_map(|(word, is_maximized)| Some((item.strip_prefix(word)?, *is_maximized)));
            if item == NO_CHECKS {
                list.has_checks = false;
            } else if let Some(objective) = goal.and_then(|(text, is_maximized)| read_objective(text, is_maximized)) {
                list.objective = Some(objective);
            } else if let Some(entry) = RequirementEntry::read(item) {
                list.entries.push(entry);
            } else {
                list.unknown.push(item.to_owned());
            }
        }
        list
    }

    /// Returns the change that stores this list in the document.
    pub fn change(&self, label: impl Into<String>) -> Change {
        let value = Some(self.text()).filter(|text| !text.is_empty()).map(Into::into);
        Change::one(label, Edit::SetSimulationAttribute { name: REQUIREMENTS.into(), value })
    }

    fn text(&self) -> String {
        let mut items: Vec<String> = self.entries.iter().map(RequirementEntry::text).collect();
        if let Some(Objective { figure, signal, is_maximized }) = &self.objective {
            let (word, _) = GOALS[usize::from(*is_maximized)];
            items.push(format!("{word}{} of {{{}}}", figure.name(), escaped(signal)));
        }
        if !self.has_checks {
            items.push(NO_CHECKS.to_owned());
        }
        items.extend(self.unknown.iter().cloned());
        items.join("|")
    }

    /// Returns the list with another entry.
    pub fn with(&self, entry: RequirementEntry) -> RequirementList {
        let mut list = self.clone();
        list.entries.push(entry);
        list
    }

    /// Returns the list with one entry changed.
    pub fn changed(&self, number: usize, change: impl FnOnce(&mut RequirementEntry)) -> RequirementList {
        let mut list = self.clone();
        if let Some(entry) = list.entries.get_mut(number) {
            change(entry);
        }
        list
    }

    pub fn without(&self, number: usize) -> RequirementList {
        let mut list = self.clone();
        if number < list.entries.len() {
            list.entries.remove(number);
        }
        list
    }

    /// The entries that are switched on, with their numbers.
    pub fn active(&self) -> impl Iterator<Item = (usize, &RequirementEntry)> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.is_on)
    }
}

impl RequirementEntry {
    pub fn new(condition: Condition) -> RequirementEntry {
        RequirementEntry { is_on: true, any: vec![condition] }
    }

    fn read(item: &str) -> Option<RequirementEntry> {
        let (is_on, text) = item.strip_prefix(OFF).map_or((true, item), |text| (false, text));
        let (text, signals) = without_signals(text)?;
        let mut any = Requirement::parse(&text).ok()?.any;
        for condition in &mut any {
            let number: usize = condition.signal().strip_prefix(MARK)?.parse().ok()?;
            condition.set_signal(signals.get(number)?);
            if let Condition::Follows { source, .. } = condition {
                *source = plain(source);
            }
        }
        Some(RequirementEntry { is_on, any })
    }

    fn text(&self) -> String {
        let condition = |condition: &Condition| {
            let mut written = condition.clone();
            written.set_signal(&format!("{{{}}}", escaped(condition.signal())));
            if let Condition::Follows { source, .. } = &mut written {
                *source = escaped(source);
            }
            written.to_string()
        };
        let any: Vec<String> = self.any.iter().map(condition).collect();
        format!("{}{}", if self.is_on { "" } else { OFF }, any.join(" or "))
    }

    /// Returns the text with these names of the signals.
    pub fn named(&self, name: &dyn Fn(&str) -> String) -> String {
        let condition = |condition: &Condition| {
            let mut marked = condition.clone();
            marked.set_signal(&MARK.to_string());
            let text = marked.to_string().replace("<=", "≤").replace(">=", "≥");
            text.replacen(MARK, &name(condition.signal()), 1)
        };
        self.any.iter().map(condition).collect::<Vec<_>>().join(" or ")
    }
}

/// Stands for a signal in a text, with its number.
const MARK: char = '§';

/// Returns a text with marks in the places of the signals in braces, and the signals.
fn without_signals(text: &str) -> Option<(String, Vec<String>)> {
    let (mut marked, mut signals, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let (signal, after) = after.split_once('}')?;
        marked += &format!("{before}{MARK}{}", signals.len());
        signals.push(plain(signal));
        rest = after;
    }
    Some((marked + rest, signals))
}

fn read_objective(text: &str, is_maximized: bool) -> Option<Objective> {
    let (text, signals) = without_signals(text)?;
    let (figure, _): (Figure, String) = parse_figure(&text).ok()?;
    Some(Objective { figure, signal: signals.into_iter().next()?, is_maximized })
}
