//! Named values, usable in every parameter: of the whole simulation, and of each model its own.
//!
//! A model's variables are the parameters of the blocks that use it: an option of a model block with a variable's name
//! gives the variable another value in that use. Inside a model its own names come before the simulation's. A value is
//! an [expression](crate::block::expression), of other variables too; what the uses show of it, and which values it
//! takes, says its [`Mask`].

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::{Attributes, Block, BlockId, BlockKind, Extra, Mask, Model, Simulation};
use crate::block::expression::{Expression, Function, Matrix, Names, constant, matrix, of_expression, quoted};

/// Variables by name.
pub type Variables = BTreeMap<Arc<str>, Arc<Variable>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// The expression.
    pub value: Arc<str>,
    /// All but name and value.
    pub attributes: Attributes,
    /// What stands inside the tag.
    pub body: Vec<Extra>,
    /// The variable's place among all that the tag around it holds; given by simulation or model.
    pub seq: u64,
}

impl Variable {
    pub fn new(value: &str) -> Variable {
        Variable { value: value.into(), ..Variable::default() }
    }

    pub fn with_attribute(mut self, name: &str, value: &str) -> Variable {
        self.attributes.set(name, value);
        self
    }

    /// What it is measured in, for the eye.
    pub fn unit(&self) -> &str {
        self.attributes.get("unit").unwrap_or_default()
    }

    /// What it is for.
    pub fn doc(&self) -> &str {
        self.attributes.get("doc").unwrap_or_default()
    }
}

/// Why a text can be no variable's name; none where it can.
pub fn name_problem(name: &str) -> Option<String> {
    let mut characters = name.chars();
    let is_first = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if !is_first || !characters.all(|next| next.is_alphanumeric() || next == '_') {
        return Some(format!("“{name}” is no name: it begins with a letter and has letters, digits and _"));
    }
    let has_meaning = Function::by_name(name).is_some() || constant(name).is_some();
    has_meaning.then(|| format!("“{name}” has a meaning of its own in expressions"))
}

/// How the names of a model are understood in one of its uses.
#[derive(Clone, Copy)]
pub struct Use<'a> {
    /// The model block.
    pub block: &'a Block,
    /// Where the model block stands.
    pub outside: &'a Scope<'a>,
}

/// The names that a model's parameters can use.
///
/// Each variable is worked out once, behind those that it depends on; neither the number of variables nor the length
/// of a chain of them takes any stack.
pub struct Scope<'a> {
    simulation: &'a Simulation,
    model: Option<&'a Model>,
    of: Option<Use<'a>>,
    /// What was found so far.
    known: Rc<RefCell<HashMap<Arc<str>, Found>>>,
    /// The same of the simulation's variables, which hide behind a model's own.
    globals: Rc<RefCell<HashMap<Arc<str>, Found>>>,
    /// Whether a value of the model's own was asked for.
    is_local: Cell<bool>,
}

#[derive(Clone)]
enum Found {
    /// Its value is being worked out: who meets it again has gone round.
    Open,
    Value(Result<Arc<Matrix>, String>),
}

/// A variable whose value is being worked out.
struct Ahead<'a> {
    name: Arc<str>,
    /// The text as it is told in messages.
    text: &'a str,
    expression: Expression,
    /// Names that it uses, the next one last.
    uses: Vec<Arc<str>>,
}

impl<'a> Scope<'a> {
    /// In no model.
    pub fn of_simulation(simulation: &'a Simulation) -> Scope<'a> {
        let (known, globals, is_local) = (Rc::default(), Rc::default(), Cell::new(false));
        Scope { simulation, model: None, of: None, known, globals, is_local }
    }

    /// In a model as it stands by itself: its variables have their own values.
    pub fn of_model(simulation: &'a Simulation, model: &'a Model) -> Scope<'a> {
        Scope { model: Some(model), ..Scope::of_simulation(simulation) }
    }

    /// In one use of a model.
    pub fn of_use(simulation: &'a Simulation, model: &'a Model, of: Use<'a>) -> Scope<'a> {
        Scope { of: Some(of), ..Scope::of_model(simulation, model) }
    }

    /// Whether a value was asked for that may be another in another use of the model.
    pub fn is_local(&self) -> bool {
        self.is_local.get()
    }

    /// The variables of this scope itself.
    fn own(&self) -> &'a Variables {
        self.model.map_or(&self.simulation.variables, |model| &model.variables)
    }

    /// Finds the value of one of the scope's own variables, and before it those of all that it depends on.
    fn find(&self, name: &Arc<str>) -> Result<Arc<Matrix>, String> {
        if let Some(Found::Value(known)) = self.known.borrow().get(name) {
            return known.clone();
        }
        let mut path: Vec<Ahead> = Vec::new();
        self.begin(name, &mut path);
        while let Some(last) = path.last_mut() {
            let Some(next) = last.uses.pop() else {
                // All that it depends on is known now.
                let value = of_expression(&last.expression, self).map(Arc::new);
                let value = value.map_err(|error| format!("{} = {}: {error}", last.name, quoted_bare(last.text)));
                let name = Arc::clone(&last.name);
                path.pop();
                self.note(name, value);
                continue;
            };
            let is_open = match self.known.borrow().get(&next) {
                None => None,
                Some(Found::Value(_)) => Some(false),
                Some(Found::Open) => Some(true),
            };
            match is_open {
                None => self.begin(&next, &mut path),
                Some(false) => {}
                Some(true) => {
                    let first = path.iter().position(|ahead| ahead.name == next).unwrap_or(0);
                    let way: Vec<String> = path[first..].iter().map(|ahead| ahead.name.to_string()).collect();
                    let problem = format!("{} → {next} goes round and has no value", some_of_way(&way));
                    // Each of them is on the way round.
                    for ahead in path.drain(first..) {
                        self.note(ahead.name, Err(problem.clone()));
                    }
                }
            }
        }
        match self.known.borrow().get(name) {
            Some(Found::Value(value)) => value.clone(),
            _ => Err(format!("“{name}” has no value")),
        }
    }

    fn note(&self, name: Arc<str>, value: Result<Arc<Matrix>, String>) {
        self.known.borrow_mut().insert(name, Found::Value(value));
    }

    /// Puts a variable on the path, unless its value is found at once.
    fn begin(&self, name: &Arc<str>, path: &mut Vec<Ahead<'a>>) {
        let Some(variable) = self.own().get(name) else { return };
        if let Some(Use { block, outside }) = self.of
            && let Some(texts) = block.option_texts(name)
        {
            return self.note(Arc::clone(name), given(name, variable, &texts, outside).map(Arc::new));
        }
        match Expression::parse(&variable.value) {
            Err(error) => {
                let problem = format!("{name} = {}: {error}", quoted_bare(&variable.value));
                self.note(Arc::clone(name), Err(problem));
            }
            Ok(expression) => {
                let mut uses: BTreeSet<Arc<str>> = BTreeSet::new();
                expression.each_name(&mut |used, _| {
                    uses.extend(self.own().get_key_value(used).map(|(name, _)| Arc::clone(name)));
                });
                self.known.borrow_mut().insert(Arc::clone(name), Found::Open);
                let uses = uses.into_iter().rev().collect();
                path.push(Ahead { name: Arc::clone(name), text: &variable.value, expression, uses });
            }
        }
    }
}

/// The value that a use of a model gives one of its variables.
fn given(name: &str, variable: &Variable, texts: &[&str], outside: &Scope) -> Result<Matrix, String> {
    let mut values: Vec<Matrix> = Vec::new();
    for text in texts {
        values.push(matrix(text, outside).map_err(|error| format!("{name} = {}: {error}", quoted_bare(text)))?);
    }
    let all = match values.len() {
        1 => values.pop().unwrap_or_default(),
        _ => values.into_iter().flat_map(|value| value.values).collect::<Vec<_>>().into(),
    };
    let problem = Mask::of(variable).ok().and_then(|mask| mask.problem_with(&all.values));
    problem.map_or(Ok(all), |problem| Err(format!("{name}: {problem}")))
}

/// A text without quotes around it, cut where it is long.
fn quoted_bare(text: &str) -> String {
    quoted(text).trim_start_matches('“').trim_end_matches('”').to_owned()
}

/// The begin and the end of a long way.
fn some_of_way(way: &[String]) -> String {
    const MOST: usize = 12;
    match way.len().checked_sub(MOST) {
        None | Some(0) => way.join(" → "),
        Some(left_out) => {
            let (first, last) = (&way[..MOST / 2], &way[way.len() - MOST / 2..]);
            format!("{} → … {left_out} more … → {}", first.join(" → "), last.join(" → "))
        }
    }
}

/// Calls `f` with the names as the model at the end of a path understands them there: those of the model blocks that
/// `path` leads through from the root have the values that these give them. Where the path leads nowhere, `f` gets the
/// names of `model` by itself.
pub fn in_scope<R>(simulation: &Simulation, path: &[BlockId], model: &Model, mut f: impl FnMut(&Scope) -> R) -> R {
    fn inside<R>(
        simulation: &Simulation,
        outside: &Scope,
        path: &[BlockId],
        model: &Model,
        f: &mut dyn FnMut(&Scope) -> R,
    ) -> Option<R> {
        let Some((first, rest)) = path.split_first() else {
            let is_meant = outside.model.is_some_and(|known| known.name == model.name);
            return is_meant.then(|| f(outside));
        };
        let block = outside.model?.block(*first)?;
        let BlockKind::Model { model: inner } = &block.kind else { return None };
        let scope = Scope::of_use(simulation, simulation.model(inner)?, Use { block, outside });
        inside(simulation, &scope, rest, model, f)
    }
    let root = simulation.root_model().map(|root| Scope::of_model(simulation, root));
    root.and_then(|root| inside(simulation, &root, path, model, &mut f))
        .unwrap_or_else(|| f(&Scope::of_model(simulation, model)))
}

impl Names for Scope<'_> {
    fn value(&self, name: &str) -> Result<Option<Matrix>, String> {
        if let Some((name, _)) = self.own().get_key_value(name) {
            self.is_local.set(self.is_local.get() || self.model.is_some());
            return self.find(name).map(|value| Some(Matrix::clone(&value)));
        }
        match self.model {
            None => Ok(None),
            // Behind it there are no names of the model.
            Some(_) => {
                let globals = || Rc::clone(&self.globals);
                Scope { known: globals(), globals: globals(), ..Scope::of_simulation(self.simulation) }.value(name)
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let of_model = self.model.iter().flat_map(|model| model.variables.keys());
        let mut names: Vec<String> =
            of_model.chain(self.simulation.variables.keys()).map(|name| name.to_string()).collect();
        names.sort();
        names.dedup();
        names
    }
}
