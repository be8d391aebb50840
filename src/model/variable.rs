//! Named values, usable in every parameter: of the whole simulation, and of each model its own.
//!
//! A model's variables are the parameters of the blocks that use it: an option of a model block with a variable's name
//! gives the variable another value in that use. Inside a model its own names come before the simulation's. A value is
//! an [expression](crate::block::expression), of other variables too; what the uses show of it, and which values it
//! takes, says its [`Mask`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Attributes, Block, BlockId, BlockKind, Extra, Mask, Model, Simulation};
use crate::block::expression::{Function, Names, constant, numbers};

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
pub struct Scope<'a> {
    simulation: &'a Simulation,
    model: Option<&'a Model>,
    of: Option<Use<'a>>,
    /// Names whose values are being found.
    ahead: RefCell<Vec<Arc<str>>>,
    /// Whether a value of the model's own was asked for.
    is_local: std::cell::Cell<bool>,
}

impl<'a> Scope<'a> {
    /// In no model.
    pub fn of_simulation(simulation: &'a Simulation) -> Scope<'a> {
        Scope { simulation, model: None, of: None, ahead: RefCell::default(), is_local: false.into() }
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

    /// A variable's value by its name.
    ///
    /// # Errors
    /// Where it has none.
    fn find(&self, name: &str) -> Result<Option<Vec<f64>>, String> {
        let own = self.model.and_then(|model| model.variables.get(name));
        self.is_local.set(self.is_local.get() || own.is_some());
        if let Some(variable) = own
            && let Some(Use { block, outside }) = self.of
            && let Some(texts) = block.option_texts(name)
        {
            let mut all = Vec::new();
            for text in texts {
                all.extend(numbers(text, outside).map_err(|error| format!("{name} = {text}: {error}"))?);
            }
            let problem = Mask::of(variable).ok().and_then(|mask| mask.problem_with(&all));
            return problem.map_or(Ok(Some(all)), |problem| Err(format!("{name}: {problem}")));
        }
        let (variable, scope) = match (own, self.simulation.variables.get(name)) {
            (Some(own), _) => (own, self),
            (None, Some(global)) if self.model.is_some() => {
                // Behind it there are no names of the model.
                let value = numbers(&global.value, &Scope::of_simulation(self.simulation));
                return value.map(Some).map_err(|error| format!("{name} = {}: {error}", global.value));
            }
            (None, Some(global)) => (global, self),
            (None, None) => return Ok(None),
        };
        numbers(&variable.value, scope).map(Some).map_err(|error| format!("{name} = {}: {error}", variable.value))
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
    fn value(&self, name: &str) -> Result<Option<Vec<f64>>, String> {
        let way = {
            let ahead = self.ahead.borrow();
            let first = ahead.iter().position(|known| &**known == name);
            first.map(|first| ahead[first..].join(" → "))
        };
        if let Some(way) = way {
            return Err(format!("{way} → {name} goes round and has no value"));
        }
        self.ahead.borrow_mut().push(name.into());
        let found = self.find(name);
        self.ahead.borrow_mut().pop();
        found
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
