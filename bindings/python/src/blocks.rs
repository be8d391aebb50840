//! Blocks whose functions are in Python.
//!
//! A definition lives as long as the process, as those of the library do. Its functions get all values as one list of
//! numbers and return one: the time, the inputs, the parameters and the states, one after the other; Python splits them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use pyo3::prelude::*;
use pyo3::types::PyList;
use simulate::block::{
    BlockDef, Builder, CallError, Expr, Face, HostFn, HostFunction, Look, ParamDef, Ports, StateVar,
};

use crate::errors::Kind;

/// The definition of a block, as Python passes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Definition {
    group: String,
    name: String,
    doc: String,
    inputs: Vec<String>,
    /// Names and widths.
    outputs: Vec<(String, usize)>,
    /// Names and defaults.
    params: Vec<(String, Vec<f64>)>,
    /// Initial values of the states that change from step to step, and of those that the solver integrates.
    discrete: Vec<f64>,
    continuous: Vec<f64>,
    /// Whether the outputs depend on the inputs of the same step.
    feedthrough: bool,
    /// Returns the functions `output`, `update` and `derivative` for widths of the inputs and parameters.
    bind: Py<PyAny>,
}

struct PyBlock {
    definition: Definition,
    def: &'static BlockDef,
}

/// The latest definition of each name.
static NAMED: RwLock<BTreeMap<(String, String), &'static PyBlock>> = RwLock::new(BTreeMap::new());
/// All definitions by their addresses, through which the function for the tape finds them.
static ALL: RwLock<BTreeMap<usize, &'static PyBlock>> = RwLock::new(BTreeMap::new());
/// The exception of the last call that failed.
static EXCEPTION: Mutex<Option<PyErr>> = Mutex::new(None);

/// Returns the exception of the last call that failed, once.
pub fn take_exception() -> Option<PyErr> {
    EXCEPTION.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Keeps an exception for [`take_exception`] and returns its text.
fn keep_exception(error: PyErr) -> String {
    let text = error.to_string();
    *EXCEPTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    text
}

/// Returns the definition of a block in Python.
pub fn named(py: Python<'_>, group: &str, name: &str) -> PyResult<&'static BlockDef> {
    let named = NAMED.read().unwrap_or_else(PoisonError::into_inner);
    let block = named.get(&(group.to_owned(), name.to_owned())).map(|block| block.def);
    block.ok_or_else(|| Kind::Edit.of(py, format!("there is no block {group}/{name}")))
}

/// Defines a block; a later definition replaces an earlier one of the same name, for models that begin to use it then.
#[pyfunction]
pub fn define_block(definition: Definition) {
    let param = |(name, default): &(String, Vec<f64>)| {
        let param = ParamDef::number(leak_text(name), leak(default.iter().copied()));
        if default.len() == 1 { param } else { param.vector() }
    };
    let is_sampled = !definition.discrete.is_empty() && definition.continuous.is_empty();
    let sampling = [ParamDef::SAMPLE_TIME, ParamDef::SAMPLE_OFFSET].into_iter().filter(|_| is_sampled);
    let params = leak(definition.params.iter().map(param).chain(sampling));
    let texts = |texts: &mut dyn Iterator<Item = &str>| leak(texts.map(leak_text));
    let def: &'static BlockDef = Box::leak(Box::new(BlockDef {
        group: leak_text(&definition.group),
        name: leak_text(&definition.name),
        doc: leak_text(&definition.doc),
        formula: "",
        aliases: &[],
        look: Look::rect(Face::Text(leak_text(&definition.name))),
        inputs: Ports::Fixed(texts(&mut definition.inputs.iter().map(String::as_str))),
        outputs: Ports::Fixed(texts(&mut definition.outputs.iter().map(|(name, _)| name.as_str()))),
        params,
        build,
        examples: &[],
    }));
    let name = (definition.group.clone(), definition.name.clone());
    let block: &'static PyBlock = Box::leak(Box::new(PyBlock { definition, def }));
    ALL.write().unwrap_or_else(PoisonError::into_inner).insert(std::ptr::from_ref(def).addr(), block);
    NAMED.write().unwrap_or_else(PoisonError::into_inner).insert(name, block);
}

fn leak<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(items.collect())
}

fn leak_text(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

/// Writes the tape of a block in Python.
fn build(b: &Builder) {
    let all = ALL.read().unwrap_or_else(PoisonError::into_inner);
    let block = all.get(&std::ptr::from_ref(b.def()).addr()).copied();
    drop(all);
    match block {
        Some(block) => write(b, &block.definition),
        None => panic!("the definition is not of a block in Python"),
    }
}

fn write<'b>(b: &'b Builder<'b>, definition: &Definition) {
    let inputs: Vec<Expr> = (0..definition.inputs.len()).map(|index| b.input(index)).collect();
    let params: Vec<Expr> = definition.params.iter().map(|(name, _)| b.param(name)).collect();
    let discrete: Vec<StateVar> =
        one_of(&definition.discrete).map(|values| b.state(values.len(), b.vector(values))).collect();
    let continuous: Vec<StateVar> =
        one_of(&definition.continuous).map(|values| b.continuous(values.len(), b.vector(values))).collect();
    let widths = |exprs: &[Expr]| exprs.iter().map(|expr| expr.width()).collect::<Vec<_>>();
    let functions = Functions::bind(definition, widths(&inputs), widths(&params), b.delta());
    let states: Vec<Expr> = discrete.iter().chain(&continuous).map(|state| state.value).collect();
    let call = |name: &'static str, time: Expr<'b>, is_fed: bool, width: usize| {
        let fed = if is_fed { &inputs[..] } else { &[] };
        let args: Vec<Expr> = [time].iter().chain(fed).chain(&params).chain(&states).copied().collect();
        b.native(HostFn(Arc::new(functions.call(name))), &args, width)
    };
    let width = definition.outputs.iter().map(|(_, width)| width).sum();
    if width > 0 {
        let outputs = call("output", b.time(), definition.feedthrough, width);
        let mut at = 0;
        for (index, (_, width)) in definition.outputs.iter().enumerate() {
            b.output(index, outputs.slice(at, *width));
            at += width;
        }
    }
    for state in &discrete {
        state.next(call("update", b.step_time(), true, definition.discrete.len()));
    }
    for state in &continuous {
        state.derivative(call("derivative", b.time(), true, definition.continuous.len()));
    }
}

/// A block has at most one state of a kind.
fn one_of(values: &[f64]) -> impl Iterator<Item = &[f64]> {
    std::iter::once(values).filter(|values| !values.is_empty())
}

/// The functions of a block for some widths, or why Python could not make them.
struct Functions(Result<Arc<Py<PyAny>>, String>);

impl Functions {
    fn bind(definition: &Definition, inputs: Vec<usize>, params: Vec<usize>, delta: f64) -> Functions {
        let bound = Python::attach(|py| definition.bind.call1(py, (inputs, params, delta)));
        Functions(bound.map(Arc::new).map_err(keep_exception))
    }

    fn call(&self, name: &'static str) -> PyCall {
        PyCall { functions: self.0.clone(), name }
    }
}

struct PyCall {
    functions: Result<Arc<Py<PyAny>>, String>,
    name: &'static str,
}

impl fmt::Debug for PyCall {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let address = self.functions.as_ref().ok().map(|functions| functions.as_ptr().addr());
        f.debug_tuple("PyCall").field(&address).field(&self.name).finish()
    }
}

impl HostFunction for PyCall {
    fn call(&self, args: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        let functions = self.functions.as_ref().map_err(CallError::new)?;
        let called = Python::attach(|py| {
            let args = PyList::new(py, args)?;
            let found = functions.bind(py).call_method1(self.name, (args,))?;
            let mut count = 0;
            for item in found.try_iter()? {
                let value: f64 = item?.extract()?;
                if let Some(to) = out.get_mut(count) {
                    *to = value;
                }
                count += 1;
            }
            Ok::<_, PyErr>(count)
        });
        match called {
            Ok(count) if count == out.len() => Ok(()),
            Ok(count) => {
                Err(CallError::new(format!("“{}” returned {count} numbers instead of {}", self.name, out.len())))
            }
            Err(error) => Err(CallError::new(keep_exception(error))),
        }
    }
}
