//! A run that Python advances step by step, with inputs given each time.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyFloat, PyList, PyTuple};
use simulate::engine::{Context, Samples};
use simulate::model::{Block, BlockAddress, BlockKind};

use crate::errors::Kind;
use crate::model::ModelCore;
use crate::run::{Run, RunOptions};

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
    run: Run,
    begin: Context,
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
    fn input(run: &Run, py: Python<'_>, text: &str) -> PyResult<Vec<Range<usize>>> {
        let found = BlockAddress::parse_with_rest(text, &run.simulation);
        let (place, option) = found.map_err(|error| Kind::Path.of(py, error))?;
        let block = place.find(&run.simulation);
        let is_entry = block.is_some_and(|block| matches!(block.kind, BlockKind::Entry { .. }));
        let option = match option {
            Some(option) => option,
            None if is_entry => Block::INITIAL_VALUE.to_owned(),
            None => {
                let problem = format!("“{text}” is neither an entry nor an option, such as PID.P");
                return Err(Kind::Path.of(py, problem));
            }
        };
        let program = &run.program;
        let found = program.param_width(&place.path, place.block, &option);
        let found = found.and_then(|width| program.param_ranges(&place.path, place.block, &option, width));
        found.map_err(|error| Kind::Path.of(py, format!("“{text}”: {error}")))
    }

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
                self.run.context.params[range.clone()].copy_from_slice(&self.given[next..next + width]);
            }
            next += width;
        }
        Ok(())
    }

    /// Returns the outputs of the last step.
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let watches = self.run.samples.watches();
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
        let options = RunOptions {
            engine,
            threads: None,
            sets: &set,
            resume: resume.as_deref(),
            refuses_non_finite: false,
            writes_files: false,
        };
        let mut run = Run::begin(py, &mut model.lock(py), &options)?;
        let signals = outputs.iter().map(|name| run.find(py, name)).collect::<PyResult<Vec<_>>>()?;
        run.samples = Samples::new(signals.iter().map(|signal| signal.output));
        let inputs = inputs.iter().map(|text| Stepping::input(&run, py, text)).collect::<PyResult<Vec<_>>>()?;
        let stepping = Stepping {
            begin: run.context.clone(),
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
            stepping.run.samples.clear();
            let run = &mut stepping.run;
            let ran = py.detach(|| run.advance(count));
            ran.map_err(|error| stepping.run.failed(py, &error))?;
            stepping.is_over = stepping.run.samples.end().is_some();
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
        stepping.run.context.clone_from(&stepping.begin);
        stepping.run.samples.clear();
        stepping.is_over = false;
    }

    /// The number of completed steps.
    #[getter]
    fn steps(&self, py: Python<'_>) -> u64 {
        self.lock(py).run.context.step
    }

    /// The time of the next step in seconds.
    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        let stepping = self.lock(py);
        stepping.run.context.time(&stepping.run.program)
    }

    /// Whether a block has ended or paused the run.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> bool {
        self.lock(py).is_over
    }

    /// All values between two steps, for `restore` and for `Model.run(resume=…)`.
    fn checkpoint<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let stepping = self.lock(py);
        PyBytes::new(py, &stepping.run.context.to_bytes(&stepping.run.program))
    }

    /// Goes to a checkpoint of this model.
    fn restore(&self, py: Python<'_>, checkpoint: &[u8]) -> PyResult<()> {
        let mut stepping = self.lock(py);
        let context = Context::from_bytes(checkpoint, &stepping.run.program);
        stepping.run.context = context.map_err(|error| Kind::Checkpoint.of(py, error))?;
        stepping.is_over = false;
        Ok(())
    }
}
