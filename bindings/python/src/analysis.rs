//! Linearization and equilibria.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex};
use simulate::RunOptions;
use simulate::block::math::Complex;
use simulate::engine::{
    AnalysisError, Channel, Linear, LinearState, LinearizeRequest, Matrix, SignalElement, Target, Trim,
};
use simulate::model::{BlockAddress, ParamAddress, Simulation};

use crate::column::Column;
use crate::errors::Kind;
use crate::model::ModelCore;
use crate::run::PyRun;

/// A linear system of a model at an operating point.
#[pyclass(frozen, module = "simulate._native")]
pub struct LinearCore {
    linear: Linear,
    simulation: Arc<Simulation>,
}

/// The number of rows and columns, and the numbers row after row.
type Rows = (usize, usize, Column);

fn rows(matrix: &Matrix) -> Rows {
    (matrix.rows, matrix.columns, Column::vector(matrix.values.clone()))
}

fn complex<'py>(py: Python<'py>, value: &Complex) -> Bound<'py, PyComplex> {
    PyComplex::from_doubles(py, value.re, value.im)
}

fn state_text(state: &LinearState, simulation: &Simulation) -> String {
    let block = state.block.title_text(simulation);
    let number = if state.number == 0 { String::new() } else { format!(".{}", state.number) };
    let age = state.age.map(|age| format!(", {age} steps old")).unwrap_or_default();
    format!("{block}{number}[{}]{age}", state.element)
}

/// Parses a signal with the index of an element in brackets.
fn element(py: Python<'_>, run: &PyRun, text: &str) -> PyResult<SignalElement> {
    let indexed = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let (path, element) = match indexed.and_then(|(path, index)| Some((path, index.parse().ok()?))) {
        Some((path, index)) => (path, index),
        None => (text, 0),
    };
    Ok(SignalElement { signal: run.find(py, path)?.key, element })
}

fn failed(py: Python<'_>, error: &AnalysisError) -> PyErr {
    let kind = if matches!(error, AnalysisError::Param(_)) { Kind::Path } else { Kind::Analysis };
    kind.of(py, error)
}

/// Begins a run and completes `steps` steps.
fn at(py: Python<'_>, core: &ModelCore, set: Vec<String>, steps: u64, resume: Option<Vec<u8>>) -> PyResult<PyRun> {
    let options = RunOptions { set, resume, writes_files: false, ..RunOptions::default() };
    let mut run = PyRun::begin(py, &mut core.lock(py), &options)?;
    if steps > 0 {
        run.execute(py, steps)?;
    }
    Ok(run)
}

/// Linearizes a model.
#[pyfunction]
#[pyo3(signature = (core, inputs, outputs, *, opens=false, pade=3, steps=0, resume=None, set=vec![]))]
#[allow(clippy::too_many_arguments)]
pub fn linearize(
    py: Python<'_>,
    core: &ModelCore,
    inputs: Vec<String>,
    outputs: Option<Vec<String>>,
    opens: bool,
    pade: usize,
    steps: u64,
    resume: Option<Vec<u8>>,
    set: Vec<String>,
) -> PyResult<LinearCore> {
    let run = at(py, core, set, steps, resume)?;
    let all = |texts: &[String]| texts.iter().map(|text| element(py, &run, text)).collect::<PyResult<Vec<_>>>();
    let exits = run.run.program().exits().into_iter();
    let request = LinearizeRequest {
        inputs: all(&inputs)?,
        outputs: match outputs {
            Some(outputs) => all(&outputs)?,
            None => exits.map(|(_, signal, _)| SignalElement { signal, element: 0 }).collect(),
        },
        cuts_inputs: opens,
        pade_order: pade.clamp(1, LinearizeRequest::MAX_ORDER),
    };
    let (program, context) = (run.run.program(), &run.run.context);
    let linear = py.detach(|| Linear::new(program, context, &request)).map_err(|error| failed(py, &error))?;
    Ok(LinearCore { linear, simulation: Arc::clone(run.simulation()) })
}

#[pymethods]
impl LinearCore {
    /// Returns A, B, C and D.
    fn matrices(&self) -> (Rows, Rows, Rows, Rows) {
        let Linear { a, b, c, d, .. } = &self.linear;
        (rows(a), rows(b), rows(c), rows(d))
    }

    #[getter]
    fn period(&self) -> Option<f64> {
        self.linear.period
    }

    #[getter]
    fn step(&self) -> u64 {
        self.linear.step
    }

    #[getter]
    fn left_out(&self) -> usize {
        self.linear.left_out
    }

    #[getter]
    fn states(&self) -> Vec<String> {
        self.linear.states.iter().map(|state| state_text(state, &self.simulation)).collect()
    }

    #[getter]
    fn point(&self) -> Column {
        Column::vector(self.linear.point.clone())
    }

    /// Blocks that delay by a time, with that time in seconds.
    #[getter]
    fn delays(&self) -> Vec<(String, f64)> {
        let delays = self.linear.delays.iter();
        delays.map(|delay| (delay.block.title_text(&self.simulation), delay.seconds)).collect()
    }

    /// Blocks that are treated as constant.
    #[getter]
    fn still(&self) -> Vec<String> {
        self.linear.still.iter().map(|block| block.title_text(&self.simulation)).collect()
    }

    fn poles<'py>(&self, py: Python<'py>) -> Option<Vec<Bound<'py, PyComplex>>> {
        Some(self.linear.poles()?.iter().map(|pole| complex(py, pole)).collect())
    }

    /// Returns the zeros of a channel.
    fn zeros<'py>(&self, py: Python<'py>, input: usize, output: usize) -> Option<Vec<Bound<'py, PyComplex>>> {
        let zeros = self.linear.channel(input, output)?.zeros?;
        Some(zeros.iter().map(|zero| complex(py, zero)).collect())
    }

    /// Returns the exact frequency response of a channel, real and imaginary parts; not-a-number at a pole.
    fn response(
        &self,
        py: Python<'_>,
        input: usize,
        output: usize,
        frequencies: Vec<f64>,
    ) -> PyResult<(Column, Column)> {
        let channel = self.channel(py, input, output)?;
        let values = py.detach(|| channel.response_at(&frequencies));
        let part = |part: fn(Complex) -> f64| {
            Column::vector(values.iter().map(|value| value.map_or(f64::NAN, part)).collect())
        };
        Ok((part(|value| value.re), part(|value| value.im)))
    }

    /// Returns a frequency range that covers the poles and zeros of a channel.
    fn span(&self, py: Python<'_>, input: usize, output: usize) -> PyResult<(f64, f64)> {
        Ok(self.channel(py, input, output)?.span())
    }

    /// Returns the gain margin and its frequency, the phase margin in degrees and its frequency.
    #[allow(clippy::type_complexity)]
    fn margins(&self, py: Python<'_>, input: usize, output: usize) -> PyResult<(f64, Option<f64>, f64, Option<f64>)> {
        let margins = self.channel(py, input, output)?.margins();
        Ok((margins.gain, margins.gain_at, margins.phase, margins.phase_at))
    }

    fn steady_gain(&self, py: Python<'_>, input: usize, output: usize) -> PyResult<f64> {
        Ok(self.channel(py, input, output)?.steady_gain())
    }
}

impl LinearCore {
    fn channel(&self, py: Python<'_>, input: usize, output: usize) -> PyResult<Channel> {
        let missing = || Kind::Analysis.of(py, format!("there is no channel from input {input} to output {output}"));
        self.linear.channel(input, output).ok_or_else(missing)
    }
}

#[derive(IntoPyObject)]
pub struct TrimRow {
    checkpoint: Py<PyBytes>,
    states: Vec<(String, f64)>,
    params: Vec<Vec<f64>>,
    unbalanced: Vec<String>,
    residual: f64,
    iterations: usize,
}

/// Finds the nearest equilibrium.
#[pyfunction]
#[pyo3(signature = (core, *, free=vec![], targets=vec![], fixed=vec![], moving=vec![], steps=0, resume=None, set=vec![]))]
#[allow(clippy::too_many_arguments)]
pub fn trim(
    py: Python<'_>,
    core: &ModelCore,
    free: Vec<String>,
    targets: Vec<(String, f64)>,
    fixed: Vec<String>,
    moving: Vec<String>,
    steps: u64,
    resume: Option<Vec<u8>>,
    set: Vec<String>,
) -> PyResult<TrimRow> {
    let run = at(py, core, set, steps, resume)?;
    let path =
        |text: &str| BlockAddress::parse_with_rest(text, run.simulation()).map_err(|error| Kind::Path.of(py, error));
    let blocks = |texts: &[String]| -> PyResult<Vec<BlockAddress>> {
        texts.iter().map(|text| path(text).map(|(found, _)| found)).collect()
    };
    let free = free.iter().map(|text| {
        let (found, name) = path(text)?;
        let missing = || Kind::Path.of(py, format!("“{text}” is not an option, such as Motor.Gain"));
        Ok(ParamAddress { block: found, name: name.ok_or_else(missing)? })
    });
    let targets = targets.iter().map(|(text, value)| Ok(Target { element: element(py, &run, text)?, value: *value }));
    let trim = Trim {
        fixed: blocks(&fixed)?,
        moving: blocks(&moving)?,
        free: free.collect::<PyResult<_>>()?,
        targets: targets.collect::<PyResult<_>>()?,
    };
    let (program, context) = (run.run.program(), &run.run.context);
    let found = py.detach(|| trim.solve(program, context)).map_err(|error| failed(py, &error))?;
    let text = |state: &LinearState| state_text(state, run.simulation());
    Ok(TrimRow {
        checkpoint: PyBytes::new(py, &found.context.to_bytes(program)).unbind(),
        states: found.states.iter().map(|(state, value)| (text(state), *value)).collect(),
        params: found.params,
        unbalanced: found.unbalanced.iter().map(text).collect(),
        residual: found.residual,
        iterations: found.iterations,
    })
}
