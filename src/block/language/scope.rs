//! The variables of a function that runs, and the places where it may be left.

use std::collections::BTreeMap;

use super::value::Value;

/// The variables of a function that runs.
#[derive(Clone, Debug)]
pub(super) struct Scope<V> {
    pub(super) locals: BTreeMap<String, Variable<V>>,
    /// The persistent variables of all functions, by function and name; one without a value is not among them.
    pub(super) statics: BTreeMap<String, Value<V>>,
    /// The names here that are persistent, with their keys in `statics`.
    pub(super) persistent: BTreeMap<String, String>,
    /// The function, for its persistent variables.
    pub(super) function: String,
}

#[derive(Clone, Debug)]
pub(super) struct Variable<V> {
    pub value: Value<V>,
    /// Whether some branch leaves it unset.
    pub unset: bool,
}

/// What a statement leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    Round,
    Loop,
    Function,
}

/// A place where statements are left, with the variables there.
pub(super) struct Exit<V> {
    pub leaves: Leaves,
    /// The condition under which it is reached, unless an earlier exit was; none if it always is.
    pub on: Option<V>,
    pub scope: Scope<V>,
}

/// How statements end.
pub(super) struct End<V> {
    /// In the order of the text.
    pub exits: Vec<Exit<V>>,
    /// Whether no statement behind them is reached.
    pub is_over: bool,
}

impl<V> End<V> {
    pub fn go_on() -> End<V> {
        End { exits: Vec::new(), is_over: false }
    }
}

impl<V> Default for Scope<V> {
    fn default() -> Scope<V> {
        Scope {
            locals: BTreeMap::new(),
            statics: BTreeMap::new(),
            persistent: BTreeMap::new(),
            function: String::new(),
        }
    }
}

impl<V: Clone> Scope<V> {
    /// Whether there is a variable of this name, or one of which the name is a field.
    pub fn has(&self, name: &str) -> bool {
        let name = name.split('.').next().unwrap_or(name);
        self.locals.contains_key(name) || self.persistent.contains_key(name)
    }

    pub fn names(&self) -> impl Iterator<Item = String> {
        self.locals.keys().chain(self.persistent.keys()).cloned()
    }

    pub fn set(&mut self, name: &str, value: Value<V>) {
        match self.persistent.get(name) {
            Some(key) => drop(self.statics.insert(key.clone(), value)),
            None => drop(self.locals.insert(name.to_owned(), Variable { value, unset: false })),
        }
    }
}
