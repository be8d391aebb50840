//! Where the matrix of an implicit step can differ from 0, for code that solves with it outside of the engines.

use super::super::Program;
use super::evaluate::visits;
use super::sparse::is_sparse;
use super::sparsity::Sparsity;

/// The pattern of the derivatives of all rates by all states, in the order of the states in the context.
#[derive(Debug)]
pub struct StepPattern {
    /// For each state the rates that depend on it, in ascending order.
    pub rows: Vec<Vec<u32>>,
    /// For each state its colour: no rate depends on two states of the same colour.
    pub colour: Vec<u32>,
    pub colour_count: usize,
    /// Whether the engines solve with a sparse matrix.
    pub is_sparse: bool,
}

impl StepPattern {
    pub fn new(program: &Program) -> StepPattern {
        let Sparsity { rows, colour, colour_count } = Sparsity::new(program, &visits(program));
        // The diagonal is an element even where no rate depends on its own state.
        let missing = rows.iter().zip(0..).filter(|(rows, state)| rows.binary_search(state).is_err()).count();
        let count = rows.iter().map(Vec::len).sum::<usize>() + missing;
        let is_sparse = is_sparse(rows.len(), count);
        StepPattern { rows, colour, colour_count, is_sparse }
    }
}
