//! Sensitivities: the derivatives of signals by parameters and initial values, along a run.
//!
//! A [`Sensitivity`] is a program with tangents: beside its signals it has, as further outputs, the derivative of each
//! watched signal by each chosen element of a parameter. It is run as any other program is, and records these outputs as
//! it records signals. The signals themselves keep their bits.
//!
//! | file | contents |
//! |---|---|
//! | here | [`Sensitivity`]: the program with tangents, its engine, and what it records |
//! | [`initial`] | the tangents before the first step |
//!
//! The tangents are the exact derivatives of the numbers that a step computes: of a discrete model, and of one that a
//! solver of fixed step integrates, those of the model with this solver. Decisions count as constant.

mod initial;

use std::sync::Arc;

use self::initial::Initial;
use super::native::Compiled;
use super::program::lookup::ParamError;
use super::step_code::sensitivity::{NoTangents, Place, TangentCode, TangentRequest};
use super::step_code::{Flat, Machine, StepCode};
use super::{AlgebraicLoop, Context, Declined, Engine, Execute, OutputId, Program, RunError, Samples, TierUp, UNSET};
use crate::engine::program::Output;
use crate::model::ParamAddress;

/// An element of a parameter by which signals are differentiated.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitivityParam {
    pub param: ParamAddress,
    /// Its index from 0.
    pub element: usize,
}

/// Why there are no sensitivities.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// The parameter of this index in the request.
    #[error("{1}")]
    Param(usize, ParamError),
    /// The parameter of this index has fewer elements: this many.
    #[error("it has {1} elements, counted from 0")]
    Element(usize, usize),
    /// The text names the block.
    #[error("{0} depends on the parameter, and has no derivative")]
    Block(String),
    /// The text names a block of the loop.
    #[error("{0} is in an algebraic loop that depends on the parameter; such a loop has no derivative")]
    Loop(String),
    #[error("the solver “{0}” has no sensitivities yet; use a solver of fixed step such as rk4")]
    Solver(&'static str),
    #[error("there are too many sensitivities; choose fewer parameters")]
    TooMany,
    /// The engine has no step code for the program.
    #[error("{0}")]
    Declined(String),
}

/// A program that computes sensitivities.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    program: Arc<Program>,
    code: Arc<StepCode>,
    initial: Arc<Initial>,
    /// For each watched output, and each parameter, the output with the derivative.
    outputs: Vec<Vec<OutputId>>,
    watched: Vec<OutputId>,
}

/// The watched signals of a run and their derivatives, as many elements a step as the signal has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensitivityRecord {
    /// For each watched output its values, step after step.
    pub values: Vec<Vec<f64>>,
    /// For each watched output, and each parameter, the derivatives.
    pub tangents: Vec<Vec<Vec<f64>>>,
}

impl Sensitivity {
    /// Prepares the derivatives of the elements of the `watched` outputs by each of `params`. Of a for-each model, a
    /// parameter is that of all iterations together.
    ///
    /// # Errors
    /// If a parameter does not exist or cannot change, or if a block that depends on one has no derivative.
    pub fn new(
        program: &Arc<Program>,
        params: &[SensitivityParam],
        watched: &[OutputId],
    ) -> Result<Sensitivity, SensitivityError> {
        crate::engine::compile::repeats::Repeats::check(program, Flat.name())
            .map_err(|declined| SensitivityError::Declined(declined.to_string()))?;
        let mut seeds = Vec::new();
        for (number, SensitivityParam { param, element }) in params.iter().enumerate() {
            let failed = |error| SensitivityError::Param(number, error);
            let width = program.param_width(param).map_err(failed)?;
            if *element >= width {
                return Err(SensitivityError::Element(number, width));
            }
            let ranges = program.param_ranges(param, width).map_err(failed)?;
            seeds.extend(ranges.into_iter().map(|range| (range.start + element, number as u32)));
        }
        let directions = params.len() as u32;
        let initial = Initial::new(program, &seeds, params.len());
        let request =
            TangentRequest { program, seeds: &seeds, directions, is_initial: &|place| initial.depends(place), watched };
        let made = StepCode::with_tangents(&request).map_err(|why| match why {
            NoTangents::TooMany => SensitivityError::TooMany,
            NoTangents::Unit(None) => SensitivityError::Solver(program.solver.name()),
            NoTangents::Unit(Some(unit)) => {
                let is_in = |of: &AlgebraicLoop| of.unit == unit || of.members.contains(&unit);
                let error =
                    if program.loops.iter().any(is_in) { SensitivityError::Loop } else { SensitivityError::Block };
                error(program.title_of(unit))
            }
        })?;
        let TangentCode { code, lasting, rings, discrete_count, history_count, value_count, outputs } = made;
        let mut extended = Program::clone(program);
        extended.discrete_count = discrete_count;
        extended.history_count = history_count;
        extended.value_count = value_count;
        let mut added = Vec::new();
        for (&output, offsets) in watched.iter().zip(outputs) {
            let Output { unit, width, .. } = program.outputs[output];
            let of_param =
                |offset| extended.outputs.push(Output { unit, offset, width, first_reader: 0, reader_count: 0 });
            added.push(offsets.into_iter().map(of_param).collect());
        }
        let initial = initial.with_places(program, lasting, rings);
        Ok(Sensitivity {
            program: Arc::new(extended),
            code: Arc::new(code),
            initial: Arc::new(initial),
            outputs: added,
            watched: watched.to_vec(),
        })
    }

    /// The program with further outputs for the derivatives. All else is as in the program without: a context for it is
    /// made in the same way, and its outputs have the same numbers.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The output with the derivatives of the elements of a watched output by a parameter, both by their index in the
    /// request.
    pub fn output(&self, watched: usize, param: usize) -> Option<OutputId> {
        self.outputs.get(watched)?.get(param).copied()
    }

    /// Returns the engine that runs [`Sensitivity::program`], and no other program.
    pub fn engine(&self, tier_up: TierUp) -> Arc<dyn Engine> {
        Arc::new(SensitivityEngine { sensitivity: self.clone(), tier_up: Some(tier_up) })
    }

    /// Returns the engine that interprets the program.
    pub fn interpreter(&self) -> Arc<dyn Engine> {
        Arc::new(SensitivityEngine { sensitivity: self.clone(), tier_up: None })
    }

    /// Runs a context of the program for a number of steps and returns all values and derivatives, fewer if a block ends
    /// the run.
    ///
    /// # Errors
    /// If a step fails.
    pub fn record(&self, context: &mut Context, steps: u64) -> Result<SensitivityRecord, RunError> {
        let all = self.watched.iter().copied().chain(self.outputs.iter().flatten().copied());
        let mut samples = Samples::new(all);
        let run_of = |machine| Compiled(TierUp::default()).run_of(machine);
        let mut run = SensitivityRun { sensitivity: self.clone(), run: run_of(self.machine()) };
        run.run(context, steps, &mut samples)?;
        let mut columns = samples.take_values();
        let values = columns.by_ref().take(self.watched.len()).collect();
        let of_output = |of_params: &Vec<OutputId>| columns.by_ref().take(of_params.len()).collect();
        let tangents = self.outputs.iter().map(of_output).collect();
        Ok(SensitivityRecord { values, tangents })
    }

    fn machine(&self) -> Machine {
        Machine::of(&self.program, Arc::clone(&self.code))
    }
}

/// Runs one program, that of a [`Sensitivity`].
struct SensitivityEngine {
    sensitivity: Sensitivity,
    /// `None`: it is interpreted.
    tier_up: Option<TierUp>,
}

impl Engine for SensitivityEngine {
    fn name(&self) -> &'static str {
        "sensitivity"
    }

    fn doc(&self) -> &'static str {
        "Computes the derivatives of signals by parameters beside the signals"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        if !Arc::ptr_eq(program, &self.sensitivity.program) {
            let reason = "it runs the program that it was made for alone".to_owned();
            return Err(Declined { engine: self.name(), reason });
        }
        let machine = self.sensitivity.machine();
        let run = match self.tier_up {
            Some(tier_up) => Compiled(tier_up).run_of(machine),
            None => Flat::run_of(machine),
        };
        Ok(Box::new(SensitivityRun { sensitivity: self.sensitivity.clone(), run }))
    }
}

/// A run that begins with the tangents of the initial states.
struct SensitivityRun {
    sensitivity: Sensitivity,
    run: Box<dyn Execute>,
}

impl Execute for SensitivityRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        let Sensitivity { program, initial, .. } = &self.sensitivity;
        if context.step == 0 {
            initial.begin(context);
            // Of a context of the program without tangents.
            context.values.resize(program.value_count, UNSET);
        }
        self.run.run(context, count, samples)
    }

    fn engine(&self) -> &'static str {
        self.run.engine()
    }

    fn runs_machine_code(&self) -> bool {
        self.run.runs_machine_code()
    }
}
