//! Variables: named values of the simulation and of each model, for use in parameters.
//!
//! A model's variables are the parameters of its instances: an option of a model block with a variable's name overrides
//! the value for that instance. A model's variables hide those of the simulation. A value is an
//! [expression](crate::block::language), which may use other variables; the [`Mask`] defines how instances show it
//! and which values it accepts.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::{Attributes, Block, BlockId, BlockKind, Extra, Mask, Model, Simulation};
use crate::block::language::{
    Expression, ExpressionError, Function, Matrix, Names, VariableError, constant, matrix, of_expression,
};

/// Variables by name.
pub type Variables = BTreeMap<Arc<str>, Arc<Variable>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// The value, an expression.
    pub value: Arc<str>,
    /// All attributes except name and value.
    pub attributes: Attributes,
    /// The content of the tag.
    pub body: Vec<Extra>,
    /// The variable's position in the content of the enclosing tag; assigned by the simulation or model.
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

    /// The unit, for display only.
    pub fn unit(&self) -> &str {
        self.attributes.get("unit").unwrap_or_default()
    }

    /// The description.
    pub fn doc(&self) -> &str {
        self.attributes.get("doc").unwrap_or_default()
    }
}

/// Returns why a text is not a valid variable name; none if it is.
pub fn name_problem(name: &str) -> Option<String> {
    let mut characters = name.chars();
    let is_first = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if !is_first || !characters.all(|next| next.is_alphanumeric() || next == '_') {
        return Some(format!("“{name}” is not a valid name: use letters, digits and _, with a letter or _ first"));
    }
    let has_meaning = Function::by_name(name).is_some() || constant(name).is_some();
    has_meaning.then(|| format!("“{name}” is a function or constant of expressions"))
}

/// Returns the first undefined name in the expressions, of which long ones are left out.
pub fn unknown_name<S: AsRef<str>>(texts: &[S], names: &dyn Names) -> Option<String> {
    const MAX_TEXTS: usize = 50;
    const MAX_LENGTH: usize = 1000;
    let texts = texts.iter().map(AsRef::as_ref).take(MAX_TEXTS).filter(|text| text.len() < MAX_LENGTH);
    texts.filter_map(|text| Expression::parse(text).ok()).find_map(|expression| {
        let mut unknown = None;
        expression.each_name(&mut |name, _| {
            let is_known = constant(name).is_some() || !matches!(names.value(name), Ok(None));
            if !is_known && unknown.is_none() {
                unknown = Some(name.to_owned());
            }
        });
        unknown
    })
}

/// An instance of a model, for evaluating the model's names.
#[derive(Clone, Copy)]
pub struct ModelInstance<'a> {
    /// The model block.
    pub block: &'a Block,
    /// The scope that contains the model block.
    pub outside: &'a Scope<'a>,
}

/// The names that are visible in a model's parameters.
///
/// Each variable is evaluated once, after its dependencies, without recursion.
pub struct Scope<'a> {
    simulation: &'a Simulation,
    model: Option<&'a Model>,
    of: Option<ModelInstance<'a>>,
    /// The values that are known so far.
    known: Rc<RefCell<HashMap<Arc<str>, Found>>>,
    /// The known values of the simulation's variables.
    globals: Rc<RefCell<HashMap<Arc<str>, Found>>>,
    /// Whether a variable of the model was read.
    is_local: Cell<bool>,
}

#[derive(Clone)]
enum Found {
    /// The value is being computed: meeting it again means a cycle.
    Open,
    Value(Result<Arc<Matrix>, VariableError>),
}

/// A variable whose value is being computed.
struct Pending<'a> {
    name: Arc<str>,
    /// The text of the expression, for messages.
    text: &'a str,
    expression: Expression,
    /// The names that it uses, the next one last.
    uses: Vec<Arc<str>>,
}

impl<'a> Scope<'a> {
    /// The scope of the simulation's variables.
    pub fn of_simulation(simulation: &'a Simulation) -> Scope<'a> {
        let (known, globals, is_local) = (Rc::default(), Rc::default(), Cell::new(false));
        Scope { simulation, model: None, of: None, known, globals, is_local }
    }

    /// The scope of a model by itself: its variables have their default values.
    pub fn of_model(simulation: &'a Simulation, model: &'a Model) -> Scope<'a> {
        Scope { model: Some(model), ..Scope::of_simulation(simulation) }
    }

    /// The scope of one instance of a model.
    pub fn of_instance(simulation: &'a Simulation, model: &'a Model, of: ModelInstance<'a>) -> Scope<'a> {
        Scope { of: Some(of), ..Scope::of_model(simulation, model) }
    }

    /// Whether a value was read that may differ between instances of the model, since the last call.
    pub fn take_is_local(&self) -> bool {
        self.is_local.take()
    }

    /// The variables of this scope.
    fn own(&self) -> &'a Variables {
        self.model.map_or(&self.simulation.variables, |model| &model.variables)
    }

    /// Evaluates one of the scope's own variables after its dependencies.
    fn find(&self, name: &Arc<str>) -> Result<Arc<Matrix>, VariableError> {
        if let Some(Found::Value(known)) = self.known.borrow().get(name) {
            return known.clone();
        }
        let mut path: Vec<Pending> = Vec::new();
        self.begin(name, &mut path);
        while let Some(last) = path.last_mut() {
            let Some(next) = last.uses.pop() else {
                // All dependencies are known now.
                let value = of_expression(&last.expression, self).map(Arc::new);
                let value = value.map_err(|error| invalid(&last.name, last.text, error));
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
                    let first = path.iter().position(|pending| pending.name == next).unwrap_or(0);
                    let members = path[first..].iter().map(|pending| &pending.name).chain([&next]);
                    let problem = VariableError::Cyclic(members.map(Arc::to_string).collect());
                    // All of them are part of the cycle.
                    for pending in path.drain(first..) {
                        self.note(pending.name, Err(problem.clone()));
                    }
                }
            }
        }
        match self.known.borrow().get(name) {
            Some(Found::Value(value)) => value.clone(),
            // The search ends with a value or an error.
            _ => Err(VariableError::Cyclic(vec![name.to_string()])),
        }
    }

    fn note(&self, name: Arc<str>, value: Result<Arc<Matrix>, VariableError>) {
        self.known.borrow_mut().insert(name, Found::Value(value));
    }

    /// Starts the evaluation of a variable; adds it to the path unless its value is known at once.
    fn begin(&self, name: &Arc<str>, path: &mut Vec<Pending<'a>>) {
        let Some(variable) = self.own().get(name) else { return };
        if let Some(ModelInstance { block, outside }) = self.of
            && let Some(texts) = block.option_texts(name)
        {
            return self.note(Arc::clone(name), given(name, variable, &texts, outside).map(Arc::new));
        }
        match Expression::parse(&variable.value) {
            Err(error) => {
                self.note(Arc::clone(name), Err(invalid(name, &variable.value, error)));
            }
            Ok(expression) => {
                let mut uses: BTreeSet<Arc<str>> = BTreeSet::new();
                expression.each_name(&mut |used, _| {
                    uses.extend(self.own().get_key_value(used).map(|(name, _)| Arc::clone(name)));
                });
                self.known.borrow_mut().insert(Arc::clone(name), Found::Open);
                let uses = uses.into_iter().rev().collect();
                path.push(Pending { name: Arc::clone(name), text: &variable.value, expression, uses });
            }
        }
    }
}

/// Evaluates the value that an instance of a model sets for a variable.
fn given(name: &str, variable: &Variable, texts: &[&str], outside: &Scope) -> Result<Matrix, VariableError> {
    let mut values: Vec<Matrix> = Vec::new();
    for text in texts {
        values.push(matrix(text, outside).map_err(|error| invalid(name, text, error))?);
    }
    let all = match values.len() {
        1 => values.pop().unwrap_or_default(),
        _ => values.into_iter().flat_map(|value| value.values).collect::<Vec<_>>().into(),
    };
    let problem = Mask::of(variable).ok().and_then(|mask| mask.problem_with(&all.values));
    problem.map_or(Ok(all), |problem| Err(VariableError::Excluded { name: name.to_owned(), problem }))
}

fn invalid(name: &str, text: &str, error: ExpressionError) -> VariableError {
    VariableError::Expression { name: name.to_owned(), text: text.to_owned(), error: Box::new(error) }
}

/// Calls `f` with the scope of the instance at the end of `path`, which overrides values along the model blocks from
/// the root. If the path does not exist, `f` gets the scope of `model` by itself.
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
        let scope = Scope::of_instance(simulation, simulation.model(inner)?, ModelInstance { block, outside });
        inside(simulation, &scope, rest, model, f)
    }
    let root = simulation.root_model().map(|root| Scope::of_model(simulation, root));
    root.and_then(|root| inside(simulation, &root, path, model, &mut f))
        .unwrap_or_else(|| f(&Scope::of_model(simulation, model)))
}

impl Names for Scope<'_> {
    fn value(&self, name: &str) -> Result<Option<Matrix>, VariableError> {
        if let Some((name, _)) = self.own().get_key_value(name) {
            self.is_local.set(self.is_local.get() || self.model.is_some());
            return self.find(name).map(|value| Some(Matrix::clone(&value)));
        }
        match self.model {
            None => Ok(None),
            // The simulation's variables cannot use those of a model.
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
