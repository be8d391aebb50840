//! Code as an editor follows it in a run: where its statements are, and which values its variables had in a step.
//!
//! The code is run once with the numbers of the step, by the same evaluator that compiles it. So every condition is known
//! and decides at once, and only the statements that the step executes are noted.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{Algebra, Evaluator};
use super::notes::{Notes, Shape};
use super::numbers::{Matrix, Names, Numbers, VariableError};
use super::scope::Scope;
use super::statements::{Program, Statement, StatementKind};
use super::structure::of_signal;
use super::value::Value;
use super::{Expression, FORMULA_TIME};
use crate::block::SignalType;

/// The effects of the code in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// The variables that were set, in the order of the text.
    pub notes: Vec<Note>,
    /// The indices of the characters at which executed statements begin.
    pub reached: BTreeSet<usize>,
    /// Where and why the step ended with an error, if it did.
    pub failure: Option<(usize, String)>,
    /// The values that persistent variables got by their first step, by function and name.
    pub kept: Vec<(String, Vec<f64>)>,
    /// The elements of the results, in their order; empty if the step ended with an error.
    pub outputs: Vec<Vec<f64>>,
}

/// A variable that a statement has set.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The index of the statement's first character; of an argument, that of its function.
    pub at: usize,
    pub name: String,
    /// The last value that the statement has set.
    pub value: Matrix,
    /// The class, unless it is double.
    pub class: Option<&'static str>,
    /// The value of a text.
    pub text: Option<String>,
    /// How often the statement has set it.
    pub count: usize,
}

/// The value of an argument of the function that is run.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchedArgument {
    /// A signal is a column, and a bus a structure.
    Signal(Vec<f64>, SignalType),
    Matrix(Matrix),
}

/// A persistent variable at the start of a step: by function and name, with the elements of each of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub key: String,
    pub shape: Shape,
    pub leaves: Vec<Vec<f64>>,
}

impl Program {
    /// Returns the indices of the characters at which statements begin, in all functions, each with whether it sets a
    /// variable.
    pub fn statement_starts(&self) -> Vec<(usize, bool)> {
        let mut starts = Vec::new();
        let mut ahead: Vec<&Statement> = self.functions.iter().flat_map(|function| &function.body).collect();
        while let Some(statement) = ahead.pop() {
            starts.push((statement.at, matches!(statement.kind, StatementKind::Assign(..))));
            ahead.extend(inner(&statement.kind));
        }
        starts
    }
}

/// The statements in a statement.
fn inner(kind: &StatementKind) -> Vec<&Statement> {
    match kind {
        StatementKind::If(branches, last) => branches.iter().flat_map(|(_, branch)| branch).chain(last).collect(),
        StatementKind::Switch(_, cases, last) => cases.iter().flat_map(|(_, case)| case).chain(last).collect(),
        StatementKind::For(_, _, body) | StatementKind::While(_, body) => body.iter().collect(),
        _ => Vec::new(),
    }
}

/// Runs the first function of a program with numbers and notes what it does. `kept` are the persistent variables at the
/// start of the step; in the first step they have no values. `clock` is the time and the step size in seconds.
pub fn watch(program: &Program, arguments: &[WatchedArgument], kept: &[Kept], clock: [f64; 2]) -> Watched {
    let names = ClockNames(clock);
    let numbers = Numbers { names: &names };
    let notes = Notes::default();
    let mut evaluator = Evaluator::new(&numbers, Some(program));
    evaluator.notes = Some(notes);
    let main = program.main();
    let statics = kept.iter().map(|kept| (kept.key.clone(), kept.shape.value(&mut kept.leaves.iter().cloned())));
    let mut scope = Scope { statics: statics.collect(), ..Scope::default() };
    let argument = |argument: &WatchedArgument| match argument {
        WatchedArgument::Signal(values, kind) => of_signal(&numbers, values, kind),
        WatchedArgument::Matrix(of) => evaluator.numbers(&of.values, of.rows, of.values.len() / of.rows.max(1)),
    };
    let arguments = arguments.iter().map(argument).collect();
    let ran = evaluator.call_function(main, arguments, main.outputs.len(), main.at, &mut scope);
    let elements =
        |value: Value<Vec<f64>>| value.leaves().into_iter().flat_map(|leaf| leaf.clone().matrix().values).collect();
    let kept = evaluator.kept.take().into_iter().map(|(key, value)| (key, elements(value))).collect();
    let (outputs, error) = match ran {
        Ok(outputs) => (outputs.into_iter().map(elements).collect(), None),
        Err(error) => (Vec::new(), Some((error.at, error.problem))),
    };
    let notes = evaluator.notes.unwrap_or_default();
    let failure = notes.failure.take().or(error);
    let mut all = Vec::new();
    for ((at, name), (value, count)) in notes.set.take() {
        add_notes(&mut all, (at, &name), &value, count);
    }
    Watched { notes: all, reached: notes.reached.take(), failure, kept, outputs }
}

/// Adds the notes of a variable: of a structure, one for each of its numbers.
fn add_notes(all: &mut Vec<Note>, (at, name): (usize, &str), value: &Value<Vec<f64>>, count: usize) {
    match value.fields() {
        Some(fields) => {
            fields.iter().for_each(|(field, of)| add_notes(all, (at, &format!("{name}.{field}")), of, count));
        }
        None => {
            let text = value.as_text().map(str::to_owned);
            let class = Some(value.class_name()).filter(|class| *class != "double");
            all.push(Note { at, name: name.to_owned(), value: value.clone().matrix(), class, text, count });
        }
    }
}

/// Evaluates the lines of a formula, which may use these variables and earlier lines; a line with an error is left out.
pub fn line_values(
    lines: &[(String, Expression)],
    variables: &BTreeMap<String, Vec<f64>>,
) -> BTreeMap<String, Vec<f64>> {
    let mut known = LineNames(variables.clone());
    let mut values = BTreeMap::new();
    for (name, expression) in lines {
        if let Ok(value) = super::of_expression(expression, &known) {
            known.0.insert(name.clone(), value.values.clone());
            values.insert(name.clone(), value.values);
        }
    }
    values
}

struct LineNames(BTreeMap<String, Vec<f64>>);

impl Names for LineNames {
    fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
        Ok(self.0.get(name).map(|values| values.clone().into()))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

/// The time and the step size.
struct ClockNames([f64; 2]);

impl Names for ClockNames {
    fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
        let known = FORMULA_TIME.iter().zip(self.0).find(|(known, _)| **known == name);
        Ok(known.map(|(_, value)| vec![value].into()))
    }

    fn names(&self) -> Vec<String> {
        FORMULA_TIME.map(str::to_owned).to_vec()
    }
}

impl<A: Algebra> Evaluator<'_, A> {
    pub(super) fn is_watched(&self) -> bool {
        self.notes.is_some()
    }

    /// Notes that a statement is executed.
    pub(super) fn note_reached(&self, at: usize) {
        if let Some(notes) = &self.notes {
            notes.reached.borrow_mut().insert(at);
            notes.at.set(at);
        }
    }

    /// Notes the value of a variable that the statement at this place sets.
    pub(super) fn note_set(&self, at: usize, name: &str, value: &Value<A::Value>) {
        let Some(notes) = &self.notes else { return };
        let mut set = notes.set.borrow_mut();
        let count = set.get(&(at, name.to_owned())).map_or(0, |(_, count)| *count);
        set.insert((at, name.to_owned()), (value.clone(), count + 1));
    }

    /// Notes that the run ends with a message where `on` is nonzero.
    pub(super) fn note_stop(&self, on: &A::Value, message: &str) {
        let Some(notes) = &self.notes else { return };
        if self.algebra.known(on).is_some_and(|on| on != 0.0) {
            let first = notes.failure.take().unwrap_or_else(|| (notes.at.get(), message.to_owned()));
            notes.failure.set(Some(first));
        }
    }
}
