//! The input of a search for parameters that meet requirements, and the response with certain values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::reference::{ReferenceError, read_references};
use crate::app::store::run::is_same;
use crate::block::{Cancel, Registry};
use crate::engine::{Engine, Engines, RunSetup};
use crate::model::{Document, SignalKey, Simulation, names_of_signals};
use crate::requirement::{
    Evaluation, GradientError, Question, ResponseRuns, SearchOptions, Study, StudyError, StudyResponse,
};

/// The input of a search, without the reference curves, which are read on its thread.
#[derive(Clone)]
pub struct ResponseInput {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub engines: Engines,
    /// The folder of the simulation, in which reference curves are; `None` if it has not been saved.
    pub folder: Option<PathBuf>,
    pub question: Question,
    pub options: SearchOptions,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResponseError {
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    #[error(transparent)]
    Gradient(#[from] GradientError),
    #[error("there is no engine")]
    NoEngine,
    #[error("stopped")]
    Cancelled,
}

/// The response with certain values, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedResponse {
    pub response: StudyResponse,
    /// The check blocks that are requirements, after all others in the evaluation.
    pub checks: Arc<[CheckRequirement]>,
    pub references: Arc<BTreeMap<String, Vec<(f64, f64)>>>,
    /// The length of the run, in seconds.
    pub seconds: f64,
}

/// A check block as a requirement.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRequirement {
    pub name: String,
    /// The signal of its margin.
    pub margin: Option<SignalKey>,
}

impl SimulatedResponse {
    pub fn evaluation(&self) -> &Evaluation {
        &self.response.evaluation
    }

    /// The smallest margin of all requirements, as a part of the bound; `None` without requirements.
    pub fn worst(&self) -> Option<f64> {
        let margins = self.evaluation().met.iter().map(|met| met.relative);
        margins.reduce(|least, one| if one.is_nan() || one < least { one } else { least })
    }
}

impl ResponseInput {
    /// Returns whether the response with the values of the simulation is that of another input.
    pub fn has_response_of(&self, other: &ResponseInput) -> bool {
        let mut question = other.question.clone();
        question.params.clone_from(&self.question.params);
        self.question == question
            && self.folder == other.folder
            && Arc::ptr_eq(&self.registry, &other.registry)
            && is_same(&self.simulation, &other.simulation)
    }

    /// Reads the reference curves and compiles the question; without parameters, only to see the response.
    pub(super) fn study(&self) -> Result<CompiledQuestion, ResponseError> {
        let references = read_references(&self.question.requirements, self.folder.as_deref())?;
        let question = Question { references, ..self.question.clone() };
        let document = Document::new(Simulation::clone(&self.simulation), Arc::clone(&self.registry));
        let engine: &Arc<dyn Engine> = self.engines.get(Engines::DEFAULT).ok_or(ResponseError::NoEngine)?;
        let setup = RunSetup::of(&document);
        let study = match question.params.is_empty() {
            true => Study::simulation(&setup, &question, engine)?,
            false => Study::new(&setup, &question, engine)?,
        };
        let own = question.requirements.len();
        let checks = study.requirements().enumerate().skip(own).map(|(number, name)| {
            let margin = study.signals_of(number).first().map(|signal| SignalKey::clone(signal));
            CheckRequirement { name: self.title_of(margin.as_ref()).unwrap_or_else(|| name.to_owned()), margin }
        });
        Ok(CompiledQuestion { checks: checks.collect(), references: Arc::new(question.references), study })
    }

    /// The title of a check block, by the signal of its margin.
    fn title_of(&self, margin: Option<&SignalKey>) -> Option<String> {
        let name = names_of_signals(&self.simulation, &[margin?.clone()]).into_iter().next()?;
        name.strip_suffix(".Margin").map(str::to_owned)
    }

    /// Returns the response with the values of the simulation.
    pub(super) fn simulated(&self, cancel: &Cancel) -> Result<SimulatedResponse, ResponseError> {
        let input =
            ResponseInput { question: Question { params: Vec::new(), ..self.question.clone() }, ..self.clone() };
        let compiled = input.study()?;
        compiled.at(&mut compiled.study.responses(), &[], cancel).ok_or(ResponseError::Cancelled)
    }
}

/// A question that is compiled.
pub(super) struct CompiledQuestion {
    pub study: Study,
    checks: Arc<[CheckRequirement]>,
    references: Arc<BTreeMap<String, Vec<(f64, f64)>>>,
}

impl CompiledQuestion {
    /// Returns the response with these values of the parameters; `None` if it is cancelled.
    pub fn at(&self, runs: &mut ResponseRuns, values: &[f64], cancel: &Cancel) -> Option<SimulatedResponse> {
        let response = runs.at(values, cancel).ok()?;
        let (checks, references) = (Arc::clone(&self.checks), Arc::clone(&self.references));
        Some(SimulatedResponse { response, checks, references, seconds: self.study.seconds() })
    }
}
