//! What cannot be exported.

use crate::engine::{Program, Tape};

/// Why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0} reads a file, runs a script or computes what has no counterpart in C")]
    Call(String),
    #[error("{0} writes a file")]
    WritesFile(String),
    #[error("{0} sets its output several times in a step")]
    SeveralOutputs(String),
    #[error("{0} is in an algebraic loop, which is solved by iteration; put a delay into the loop")]
    AlgebraicLoop(String),
    #[error(
        "the solver “{0}” is not a fixed-step explicit one; choose euler, heun, rk4, dopri5 or dopri8 for the simulation"
    )]
    Solver(&'static str),
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
    let mut units = program.units.iter().enumerate();
    if let Some((unit, _)) = units.find(|(_, unit)| program.kernel(unit).iterations.is_some()) {
        return Err(Refusal::SeveralOutputs(program.title_of(unit)));
    }
    if let Some(unit) = program.written_units().next() {
        return Err(Refusal::WritesFile(program.title_of(unit as usize)));
    }
    if let Some(member) = program.loops.first().and_then(|algebraic_loop| algebraic_loop.members.first()) {
        return Err(Refusal::AlgebraicLoop(program.title_of(*member)));
    }
    let tape = Tape::for_export(program);
    match tape.calls.first() {
        Some((_, unit)) => Err(Refusal::Call(program.title_of(*unit as usize))),
        None => Ok(tape),
    }
}
