//! What cannot be exported.

use std::fmt;
use std::sync::Arc;

use crate::engine::{Program, Tape};
use crate::model::BlockId;

/// The block that is the reason why a program cannot be exported; it is written as `Gain #3 in “Plant”`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedBlock {
    title: String,
    pub model: Arc<str>,
    pub block: BlockId,
}

impl RefusedBlock {
    fn new(program: &Program, unit: usize) -> RefusedBlock {
        let (title, model) = (program.title_of(unit), Arc::clone(program.model_of(unit)));
        RefusedBlock { title, model, block: program.block_of(unit).1 }
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
    #[error("{0} runs a script or computes what has no counterpart in C")]
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
        "the solver “{0}” is not a fixed-step explicit one; choose euler, heun, rk4, dopri5 or dopri8 for the simulation"
    )]
    Solver(&'static str),
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
            Refusal::Solver(_) => None,
        }
    }
}

/// Returns the tape of a program that can be exported with its solver.
///
/// # Errors
/// If it cannot; of several reasons the first.
pub fn tape_of(program: &Program) -> Result<Tape, Refusal> {
    let tape = tape_without_solver(program)?;
    match program.continuous_count > 0 && program.solver.tableau().is_none() {
        true => Err(Refusal::Solver(program.solver.name())),
        false => Ok(tape),
    }
}

/// Returns the tape of a program that can be exported, with a solver or for one of somebody else.
///
/// # Errors
/// If it cannot; of several reasons the first.
pub fn tape_without_solver(program: &Program) -> Result<Tape, Refusal> {
    let block = |unit: usize| RefusedBlock::new(program, unit);
    let mut units = program.units.iter().enumerate();
    if let Some((unit, _)) = units.find(|(_, unit)| program.kernel(unit).iterations.is_some()) {
        return Err(Refusal::SeveralOutputs(block(unit)));
    }
    if let Some(unit) = program.written_units().next() {
        return Err(Refusal::WritesFile(block(unit as usize)));
    }
    if let Some(member) = program.loops.first().and_then(|algebraic_loop| algebraic_loop.members.first()) {
        return Err(Refusal::AlgebraicLoop(block(*member)));
    }
    let tape = Tape::for_export(program);
    for (call, unit) in &tape.calls {
        let Some(curve) = call.0.curve() else { return Err(Refusal::Call(block(*unit as usize))) };
        let numbers = curve.times.len() * (1 + curve.columns.len());
        if numbers > MOST_NUMBERS {
            return Err(Refusal::LongTable { block: block(*unit as usize), numbers });
        }
    }
    Ok(tape)
}
