//! A run that Python advances step by step, with inputs given each time.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyFloat, PyList, PyTuple};
use simulate::RunOptions;
use simulate::engine::Samples;

use crate::model::ModelCore;
use crate::run::PyRun;

/// A model that is stepped from Python.
///
/// Parameters
/// ----------
/// inputs : list of str
///     Entries of the root model, or options of blocks such as ``"PID.P"``.
/// outputs : list of str
///     Signals by name or path.
#[pyclass(frozen, module = "simulate._native")]
pub struct Stepper {
    stepping: Mutex<Stepping>,
}

struct Stepping {
    run: PyRun,
    /// For each input the places of its values among the parameters.
    inputs: Vec<Vec<Range<usize>>>,
    /// The number of elements of all inputs together.
    count: usize,
    /// The width of each output.
    widths: Vec<usize>,
    given: Vec<f64>,
    is_over: bool,
}

impl Stepper {
    fn lock<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Stepping> {
        self.stepping.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stepping {
    /// Sets the inputs.
    fn give(&mut self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.given.clear();
        if let Ok(number) = given.cast::<PyFloat>() {
            self.given.push(number.value());
        } else if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
            flatten(given, &mut self.given)?;
        } else if let Ok(number) = given.extract::<f64>() {
            self.given.push(number);
        } else {
            flatten(given, &mut self.given)?;
        }
        if self.given.len() != self.count {
            let (count, got) = (self.count, self.given.len());
            return Err(PyValueError::new_err(format!("expected {count} numbers for the inputs, got {got}")));
        }
        let mut next = 0;
        for ranges in &self.inputs {
            let width = ranges.first().map_or(0, Range::len);
            for range in ranges {
                self.run.run.context.params[range.clone()].copy_from_slice(&self.given[next..next + width]);
            }
            next += width;
        }
        Ok(())
    }

    /// Returns the outputs of the last step.
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let watches = self.run.run.samples.watches();
        if let ([1], [watch]) = (&self.widths[..], watches) {
            let value = watch.values.last().copied().unwrap_or(f64::NAN);
            return Ok(PyFloat::new(py, value).into_any());
        }
        let mut values = Vec::with_capacity(self.widths.iter().sum());
        for (watch, width) in watches.iter().zip(&self.widths) {
            values.extend_from_slice(&watch.values[watch.values.len().saturating_sub(*width)..]);
        }
        Ok(PyTuple::new(py, values)?.into_any())
    }
}

fn flatten(given: &Bound<'_, PyAny>, to: &mut Vec<f64>) -> PyResult<()> {
    for item in given.try_iter()? {
        let item = item?;
        match item.cast::<PyFloat>() {
            Ok(number) => to.push(number.value()),
            Err(_) => match item.extract::<f64>() {
                Ok(number) => to.push(number),
                Err(_) => flatten(&item, to)?,
            },
        }
    }
    Ok(())
}

#[pymethods]
impl Stepper {
    #[new]
    #[pyo3(signature = (model, inputs, outputs, *, engine="auto", set=vec![], resume=None))]
    fn new(
        py: Python<'_>,
        model: &ModelCore,
        inputs: Vec<String>,
        outputs: Vec<String>,
        engine: &str,
        set: Vec<String>,
        resume: Option<Vec<u8>>,
    ) -> PyResult<Stepper> {
        let engine = engine.to_owned();
        let options = RunOptions { engine, set, resume, writes_files: false, ..RunOptions::default() };
        let mut run = PyRun::begin(py, &mut model.lock(py), &options)?;
        let signals = outputs.iter().map(|name| run.find(py, name)).collect::<PyResult<Vec<_>>>()?;
        run.run.samples = Samples::new(signals.iter().map(|signal| signal.output));
        let ranges = |text: &String| run.done(py, run.run.ranges(text, None));
        let inputs = inputs.iter().map(ranges).collect::<PyResult<Vec<_>>>()?;
        let stepping = Stepping {
            count: inputs.iter().map(|ranges| ranges.first().map_or(0, Range::len)).sum(),
            inputs,
            widths: signals.iter().map(|signal| signal.of.width).collect(),
            given: Vec::new(),
            is_over: false,
            run,
        };
        Ok(Stepper { stepping: Mutex::new(stepping) })
    }

    /// Runs steps with the inputs held and returns the outputs of the last one.
    ///
    /// Parameters
    /// ----------
    /// inputs : float or sequence of float, optional
    ///     The values of all inputs, one after the other; without it they stay as they are.
    /// steps : int
    ///     The number of steps.
    ///
    /// Returns
    /// -------
    /// float or tuple of float
    ///     One number if there is one output of width 1, otherwise all elements of all outputs.
    #[pyo3(signature = (inputs=None, steps=1))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        inputs: Option<&Bound<'py, PyAny>>,
        steps: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut stepping = self.lock(py);
        let stepping = &mut *stepping;
        if let Some(inputs) = inputs {
            stepping.give(inputs)?;
        }
        let mut left = steps;
        while left > 0 && !stepping.is_over {
            // Few samples are kept, and Ctrl+C is noticed between two calls.
            let count = left.min(1024);
            left -= count;
            stepping.run.run.samples.clear();
            stepping.run.execute(py, count)?;
            stepping.is_over = stepping.run.run.samples.end().is_some();
            if left > 0 {
                py.check_signals()?;
            }
        }
        stepping.outputs(py)
    }

    /// Goes back to where the run began, with the values of then.
    fn reset(&self, py: Python<'_>) {
        let mut stepping = self.lock(py);
        let stepping = &mut *stepping;
        let begin = stepping.run.run.first_context().clone();
        stepping.run.run.context = begin;
        stepping.run.run.samples.clear();
        stepping.is_over = false;
    }

    /// The number of completed steps.
    #[getter]
    fn steps(&self, py: Python<'_>) -> u64 {
        self.lock(py).run.run.steps()
    }

    /// The time of the next step in seconds.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        self.lock(py).run.run.time()
    }

    /// Whether a block has ended or paused the run.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> bool {
        self.lock(py).is_over
    }

    /// All values between two steps, for `restore` and for `Model.run(resume=…)`.
    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).run.run.checkpoint())
    }

    /// Goes to a checkpoint of this model.
    fn restore(&self, py: Python<'_>, checkpoint: &[u8]) -> PyResult<()> {
        let mut stepping = self.lock(py);
        let restored = stepping.run.run.restore(checkpoint);
        stepping.run.done(py, restored)?;
        stepping.is_over = false;
        Ok(())
    }
}
