//! The reasons why a program cannot be exported.

use std::fmt;
use std::sync::Arc;

use super::files::Precision;
use crate::engine::{Program, Solver, StepCode, StepPattern, UnitId};
use crate::model::BlockId;

/// The block that is the reason why a program cannot be exported; it is written as `Gain #3 in “Plant”`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBlock {
    title: String,
    pub model: Arc<str>,
    pub block: BlockId,
}

impl RefusedBlock {
    fn new(program: &Program, unit: UnitId) -> RefusedBlock {
        let (title, model) = (program.title_of(unit), Arc::clone(program.model_of(unit)));
        RefusedBlock { title, model, block: program.block_of(unit).block }
    }
}

impl fmt::Display for RefusedBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.title)
    }
}

/// A larger table of a file is not written into the code: compilers take minutes for it.
const MOST_NUMBERS: usize = 100_000;

/// Why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0} computes what has no counterpart in C")]
    Call(RefusedBlock),
    #[error("{block} reads {numbers} numbers from a file; code has at most {MOST_NUMBERS} of them as constants")]
    LongTable { block: RefusedBlock, numbers: usize },
    #[error("{0} writes a file")]
    WritesFile(RefusedBlock),
    #[error("{0} sets its output several times in a step")]
    SeveralOutputs(RefusedBlock),
    #[error("{0} is in an algebraic loop, which is solved by iteration; put a delay into the loop")]
    AlgebraicLoop(RefusedBlock),
    #[error(
        "the solver “{0}” has no fixed step; choose euler, heun, rk4, dopri5 or dopri8 for the simulation, or \
         backward-euler, trapezoidal or rodas4 for a stiff model"
    )]
    Solver(&'static str),
    #[error(
        "the solver “{0}” comes from a library of its own, whose code cannot be exported; choose another for the simulation"
    )]
    ForeignSolver(&'static str),
    #[error(
        "the solver “{solver}” solves a sparse system of {states} states, and code has dense ones only, up to 64 states or \
         where a fifth of all derivatives may differ from 0; choose euler, heun, rk4, dopri5 or dopri8 for the simulation"
    )]
    SparseSystem { solver: &'static str, states: usize },
    #[error("the solver “{0}” needs double precision; leave out --float, or choose rk4 for the simulation")]
    SingleSolver(&'static str),
}

impl Refusal {
    /// The block that is the reason, if it is one.
    pub fn block(&self) -> Option<&RefusedBlock> {
        match self {
            Refusal::Call(block)
            | Refusal::WritesFile(block)
            | Refusal::SeveralOutputs(block)
            | Refusal::AlgebraicLoop(block)
            | Refusal::LongTable { block, .. } => Some(block),
            Refusal::Solver(_)
            | Refusal::ForeignSolver(_)
            | Refusal::SparseSystem { .. }
            | Refusal::SingleSolver(_) => None,
        }
    }
}

/// Returns the step code of a program that can be exported with its solver.
///
/// # Errors
/// If it cannot; of several reasons the first.
pub fn tape_of(program: &Program, precision: Precision) -> Result<StepCode, Refusal> {
    let code = tape_without_solver(program)?;
    if program.continuous_count > 0 {
        refuse_solver(program, precision)?;
    }
    Ok(code)
}

fn refuse_solver(program: &Program, precision: Precision) -> Result<(), Refusal> {
    let (solver, states) = (program.solver, program.continuous_count);
    match solver {
        Solver::Added(_) => Err(Refusal::ForeignSolver(solver.name())),
        _ if solver.is_variable() => Err(Refusal::Solver(solver.name())),
        _ if solver.is_implicit() && precision == Precision::Single => Err(Refusal::SingleSolver(solver.name())),
        _ if solver.is_implicit() && StepPattern::new(program).is_sparse => {
            Err(Refusal::SparseSystem { solver: solver.name(), states })
        }
        _ => Ok(()),
    }
}

/// Returns the step code of a program that can be exported, with its solver or for a foreign one.
///
/// # Errors
/// If it cannot be exported; if there are several reasons, the first.
pub fn tape_without_solver(program: &Program) -> Result<StepCode, Refusal> {
    let block = |unit: UnitId| RefusedBlock::new(program, unit);
    let mut units = program.units.iter();
    if let Some((unit, _)) = units.find(|(_, unit)| program.kernel(unit).iterations.is_some()) {
        return Err(Refusal::SeveralOutputs(block(unit)));
    }
    if let Some(unit) = program.written_units().next() {
        return Err(Refusal::WritesFile(block(unit)));
    }
    if let Some(member) = program.loops.first().and_then(|algebraic_loop| algebraic_loop.members.first()) {
        return Err(Refusal::AlgebraicLoop(block(*member)));
    }
    let code = StepCode::for_export(program);
    for (call, unit) in &code.calls {
        let Some(curve) = call.0.curve() else { return Err(Refusal::Call(block(*unit))) };
        let numbers = curve.times.len() * (1 + curve.columns.len());
        if numbers > MOST_NUMBERS {
            return Err(Refusal::LongTable { block: block(*unit), numbers });
        }
    }
    Ok(code)
}
