//! Scripts: Rhai in a sandbox, as a pure function of numbers.
//!
//! A script has no access to files, clocks or random devices, and its number of operations is limited. Its mathematics
//! is that of the program, so that it returns the same bits everywhere. Only this module names rhai.

use std::cell::Cell;
use std::fmt;

use rhai::packages::{ArithmeticPackage, BasicArrayPackage, BasicIteratorPackage, LogicPackage, Package};
use rhai::{AST, Array, Dynamic, Engine, EvalAltResult, Position, Scope};

use crate::block::language::{FUNCTIONS, FunctionKind};
use crate::block::{CallError, HostFunction, math};

/// A script, with the names and widths of its variables.
///
/// Its arguments are the time and the step size in seconds, the step number, the states and the inputs; its results are
/// the outputs and the next states.
#[derive(Default)]
pub struct Script {
    pub inputs: Vec<(String, usize)>,
    pub states: Vec<(String, usize)>,
    pub outputs: Vec<(String, usize)>,
    /// The text of the program, and the maximum number of operations in a step.
    source: (String, u64),
    program: Option<(Engine, AST)>,
}

/// The predefined variables: the time and the step size in seconds, and the step number.
const CLOCK: [&str; 3] = ["t", "dt", "n"];

const MAX_CALLS: usize = 32;
/// The maximum nesting of expressions in the text, and of arrays and maps in each other. With [`MAX_CALLS`] it bounds the
/// stack that a script takes.
const DEEPEST: usize = 64;
/// The maximum number of variables that a script or one of its functions has at a time.
const MAX_VARIABLES: usize = 256;
/// The maximum number of elements of an array, with those of nested arrays.
const MAX_ELEMENTS: usize = 1 << 16;
const MAX_LETTERS: usize = 1 << 16;
/// The maximum number of elements of a map: its names are not limited together.
const MAX_NAMED: usize = 1 << 10;
/// Rhai copies or measures an array at each use of its variable: this many elements count as one further operation.
const ELEMENTS_AN_OPERATION: u64 = 128;

thread_local! {
    /// The operations added for uses of arrays to those that Rhai counts, in the call that runs on this thread.
    static ADDED: Cell<u64> = const { Cell::new(0) };
    /// The operations in the call that runs on this thread, with those of functions that functions of arrays call: Rhai
    /// does not count these.
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Why a script cannot be parsed or has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScriptError {
    #[error("“{0}” is not a valid name: a name starts with a letter and has letters, digits and _")]
    InvalidName(String),
    #[error("the name “{0}” is used twice")]
    DuplicateName(String),
    #[error("there is no script")]
    Missing,
    /// A problem in the text, at a line and column from 1 where they are known.
    #[error("{}{problem}", position_text(*.line, *.column))]
    Text { line: Option<usize>, column: Option<usize>, problem: String },
    #[error("“{name}” {error}")]
    Value { name: String, error: ScriptValueError },
}

/// Why the value of a variable cannot be that of an output or a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScriptValueError {
    #[error("has no value")]
    Unset,
    #[error("must be an array of {0}")]
    NotAnArray(usize),
    #[error("is not a number, but of the type {0}")]
    Type(String),
    #[error("must have {expected} elements, not {found}")]
    Length { expected: usize, found: usize },
    #[error("has an element of the type {0}")]
    ElementType(String),
}

impl ScriptError {
    fn at(position: Position, problem: String) -> ScriptError {
        ScriptError::Text { line: position.line(), column: position.position(), problem }
    }
}

fn position_text(line: Option<usize>, column: Option<usize>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        _ => String::new(),
    }
}

/// Two scripts are the same where this is.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Script { inputs, states, outputs, source, program: _ } = self;
        f.debug_tuple("Script").field(&(inputs, states, outputs, source)).finish()
    }
}

impl Script {
    /// Parses the text of the script, which may take at most `limit` operations in a step.
    ///
    /// # Errors
    /// Fails if the text is not a script or a name is invalid, with line and column.
    pub fn parsed(self, text: &str, limit: u64) -> Result<Script, ScriptError> {
        let mut names: Vec<&str> = CLOCK.to_vec();
        for (name, _) in self.inputs.iter().chain(&self.states).chain(&self.outputs) {
            let is_name =
                name.chars().enumerate().all(|(at, c)| c == '_' || c.is_alphanumeric() && (at > 0 || !c.is_numeric()));
            if !is_name || name.is_empty() {
                return Err(ScriptError::InvalidName(name.clone()));
            }
            if names.contains(&name.as_str()) {
                return Err(ScriptError::DuplicateName(name.clone()));
            }
            names.push(name);
        }
        let engine = engine(limit);
        let ast =
            engine.compile(text).map_err(|error| ScriptError::at(error.position(), error.err_type().to_string()))?;
        Ok(Script { source: (text.to_owned(), limit), program: Some((engine, ast)), ..self })
    }

    fn run(&self, args: &[f64], out: &mut [f64]) -> Result<(), ScriptError> {
        let Some((engine, ast)) = &self.program else { return Err(ScriptError::Missing) };
        let mut scope = Scope::new();
        let mut rest = args;
        let mut take = |width: usize| {
            let (elements, others) = rest.split_at(width.min(rest.len()));
            rest = others;
            match elements {
                [element] => Dynamic::from_float(*element),
                elements => Dynamic::from_array(elements.iter().map(|element| Dynamic::from_float(*element)).collect()),
            }
        };
        for name in CLOCK {
            scope.push_constant_dynamic(name, take(1));
        }
        for (name, width) in &self.states {
            scope.push_dynamic(name.as_str(), take(*width));
        }
        for (name, width) in &self.inputs {
            scope.push_constant_dynamic(name.as_str(), take(*width));
        }
        for (name, _) in &self.outputs {
            scope.push_dynamic(name.as_str(), Dynamic::UNIT);
        }
        ADDED.set(0);
        OPERATIONS.set(0);
        engine.run_ast_with_scope(&mut scope, ast).map_err(|error| described(&error))?;
        let mut rest = out;
        for (name, width) in self.outputs.iter().chain(&self.states) {
            let (elements, others) = rest.split_at_mut(*width);
            rest = others;
            let value = scope.get_value::<Dynamic>(name).unwrap_or_default();
            numbers(value, elements).map_err(|error| ScriptError::Value { name: name.clone(), error })?;
        }
        Ok(())
    }
}

impl HostFunction for Script {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.run(args, out).map_err(|error| CallError::new(error.to_string()))
    }
}

/// Converts a value of a script to elements.
fn numbers(value: Dynamic, elements: &mut [f64]) -> Result<(), ScriptValueError> {
    if value.is_unit() {
        return Err(ScriptValueError::Unset);
    }
    if let Some(number) = number(&value) {
        elements.fill(number);
        return if elements.len() == 1 { Ok(()) } else { Err(ScriptValueError::NotAnArray(elements.len())) };
    }
    let kind = value.type_name();
    let Some(values) = value.try_cast::<Array>() else {
        return Err(ScriptValueError::Type(kind.to_owned()));
    };
    if values.len() != elements.len() {
        return Err(ScriptValueError::Length { expected: elements.len(), found: values.len() });
    }
    for (element, value) in elements.iter_mut().zip(&values) {
        *element = number(value).ok_or_else(|| ScriptValueError::ElementType(value.type_name().to_owned()))?;
    }
    Ok(())
}

fn number(value: &Dynamic) -> Option<f64> {
    if let Ok(number) = value.as_float() {
        return Some(number);
    }
    let whole = value.as_int().map(|number| number as f64);
    whole.or_else(|_| value.as_bool().map(|flag| f64::from(u8::from(flag)))).ok()
}

fn described(error: &EvalAltResult) -> ScriptError {
    let mut inner = error;
    while let EvalAltResult::ErrorInFunctionCall(_, _, cause, _) = inner {
        inner = cause;
    }
    let stopped = EvalAltResult::ErrorTooManyOperations(inner.position());
    if let EvalAltResult::ErrorTerminated(..) = inner {
        inner = &stopped;
    }
    let position = inner.position();
    // The position is written in the program's own format.
    let mut bare = inner.to_string();
    if let Some(at) = bare.rfind(" (line ") {
        bare.truncate(at);
    }
    ScriptError::at(position, bare)
}

fn engine(limit: u64) -> Engine {
    let mut engine = Engine::new_raw();
    // The core package would let a script sleep.
    for package in [
        ArithmeticPackage::new().as_shared_module(),
        LogicPackage::new().as_shared_module(),
        BasicIteratorPackage::new().as_shared_module(),
        BasicArrayPackage::new().as_shared_module(),
    ] {
        engine.register_global_module(package);
    }
    engine.set_max_operations(limit);
    engine.set_max_call_levels(MAX_CALLS);
    engine.set_max_expr_depths(DEEPEST, DEEPEST / 2);
    engine.set_max_array_size(MAX_ELEMENTS);
    engine.set_max_string_size(MAX_LETTERS);
    engine.set_max_map_size(MAX_NAMED);
    engine.set_max_variables(MAX_VARIABLES);
    // `eval` would run text, and the power operator is rounded differently on each machine.
    engine.disable_symbol("eval").disable_symbol("**").disable_symbol("**=");
    // Copies made through `this` would not be counted.
    engine.disable_symbol("this");
    // A function with arguments of its own could hold itself, and double with each step of a loop.
    engine.disable_symbol("curry").disable_symbol("Fn").disable_symbol("call");
    engine.on_progress(move |_| {
        let count = OPERATIONS.get() + 1;
        OPERATIONS.set(count);
        (count > limit).then_some(Dynamic::UNIT)
    });
    count_elements(&mut engine, limit);
    compare_exactly(&mut engine);
    for function in FUNCTIONS.iter() {
        match function.kind {
            FunctionKind::Unary(op) => {
                engine.register_fn(function.name, move |x: f64| op.value(x));
                engine.register_fn(function.name, move |x: i64| op.value(x as f64));
            }
            FunctionKind::Binary(op) | FunctionKind::Row(op) => {
                engine.register_fn(function.name, move |a: f64, b: f64| op.value(a, b));
                engine.register_fn(function.name, move |a: i64, b: f64| op.value(a as f64, b));
                engine.register_fn(function.name, move |a: f64, b: i64| op.value(a, b as f64));
                engine.register_fn(function.name, move |a: i64, b: i64| op.value(a as f64, b as f64));
            }
            _ => {}
        }
    }
    engine.register_fn("random", |seed: i64, number: i64| math::random(seed as f64, 0.0, number as f64, 0));
    engine.register_fn("random", |seed: i64, number: f64| math::random(seed as f64, 0.0, number, 0));
    engine.register_fn("random", |seed: f64, number: i64| math::random(seed, 0.0, number as f64, 0));
    engine.register_fn("random", |seed: f64, number: f64| math::random(seed, 0.0, number, 0));
    engine
}

/// Counts the elements of an array at each use of its variable, so that the limit of operations bounds the time, and
/// refuses values that are nested too deep for the stack.
fn count_elements(engine: &mut Engine, limit: u64) {
    #[expect(deprecated, reason = "not deprecated, says its own text: it may change in a later version")]
    engine.on_var(move |name, _, context| {
        let size = context.scope().get(name).map_or(Some(0), |value| size(value, DEEPEST));
        charge(size.ok_or_else(too_deep)?, limit)?;
        // Rhai does not measure a map to which an element is added.
        let is_long = |value: &Dynamic| value.as_map_ref().is_ok_and(|map| map.len() > MAX_NAMED);
        if context.scope().get(name).is_some_and(is_long) {
            return Err(EvalAltResult::ErrorDataTooLarge("Size of object map".to_owned(), Position::NONE).into());
        }
        Ok(None)
    });
    // Rhai's own fills an array of any length in one operation.
    engine.register_fn("pad", move |array: &mut Array, length: i64, item: Dynamic| -> Result<(), Box<EvalAltResult>> {
        let length = usize::try_from(length).unwrap_or(0);
        let added = length.saturating_sub(array.len()) as u64;
        let each = size(&item, DEEPEST).ok_or_else(too_deep)?.saturating_add(1);
        let all = array.iter().try_fold(array.len() as u64, |all, item| Some(all + size(item, DEEPEST)?));
        let all = all.ok_or_else(too_deep)?.saturating_add(added.saturating_mul(each));
        if all > MAX_ELEMENTS as u64 {
            return Err(EvalAltResult::ErrorDataTooLarge("Size of array/BLOB".to_owned(), Position::NONE).into());
        }
        if added > 0 {
            charge(all, limit)?;
            array.resize(length, item);
        }
        Ok(())
    });
}

/// Counts elements that are copied or measured as operations.
fn charge(elements: u64, limit: u64) -> Result<(), Box<EvalAltResult>> {
    let added = ADDED.get() + elements / ELEMENTS_AN_OPERATION;
    ADDED.set(added);
    if added > limit { Err(EvalAltResult::ErrorTooManyOperations(Position::NONE).into()) } else { Ok(()) }
}

fn too_deep() -> Box<EvalAltResult> {
    format!("Arrays and maps are nested more than {DEEPEST} deep").into()
}

/// Returns the number of letters of a text, or of elements of an array or map with those of nested ones; none if these are
/// nested deeper than that.
fn size(value: &Dynamic, deepest: usize) -> Option<u64> {
    // Numbers come first, since most values are numbers.
    let is_more = |value: &&Dynamic| value.is_array() || value.is_map();
    let nested = |value: &Dynamic| size(value, deepest.checked_sub(1)?);
    if let Ok(array) = value.as_array_ref() {
        return array.iter().filter(is_more).try_fold(array.len() as u64, |all, value| Some(all + nested(value)?));
    }
    match (value.as_map_ref(), value.as_immutable_string_ref()) {
        (Ok(map), _) => {
            map.values().filter(is_more).try_fold(map.len() as u64, |all, value| Some(all + nested(value)?))
        }
        (_, Ok(text)) => Some(text.len() as u64),
        _ => Some(0),
    }
}

/// Registers exact comparisons; Rhai's own operators treat nearly equal numbers as equal and fail for infinity.
fn compare_exactly(engine: &mut Engine) {
    type Compare = fn(&f64, &f64) -> bool;
    let operators: [(&str, Compare); 6] =
        [("==", f64::eq), ("!=", f64::ne), ("<", f64::lt), ("<=", f64::le), (">", f64::gt), (">=", f64::ge)];
    engine.set_fast_operators(false);
    for (operator, compare) in operators {
        engine.register_fn(operator, move |a: f64, b: f64| compare(&a, &b));
        engine.register_fn(operator, move |a: i64, b: f64| compare(&(a as f64), &b));
        engine.register_fn(operator, move |a: f64, b: i64| compare(&a, &(b as f64)));
    }
}
