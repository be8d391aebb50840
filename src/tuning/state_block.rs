//! A state-space block of a simulation as a system, and the change that writes a gain into another block.
//!
//! A block is one by its parameters: the matrices A, B and C, row after row. With a sample time it is discrete.

use std::sync::Arc;

use super::feedback::StateSystem;
use super::search::blocks_of;
use crate::block::math::{Discretization, DiscretizeError, Matrix, StateMatrices, discretize_matrices};
use crate::block::{BlockDef, ParamDef, ParamKind, Registry, Settings, number_text};
use crate::engine::Program;
use crate::model::{
    BlockAddress, BlockId, Change, Edit, SignalError, Simulation, definition_of, in_scope, model_at, settings_of,
};

/// The parameter of a block that takes a gain, where none is named.
const GAIN: &str = "Gain";

/// Why a block has no system, or takes no gain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateBlockError {
    #[error("there is no such block")]
    NoBlock,
    #[error("the block is not a state-space system: it has no matrices A, B and C")]
    NoSystem,
    #[error("the option “{0}” has errors")]
    Option(String),
    #[error("{name}: {given} elements are no matrix for {states} states")]
    Size { name: &'static str, given: usize, states: usize },
    #[error(
        "the block discretizes a continuous system by the method “{0}”, whose states are others than those of the plant; choose \
         “zero-order hold”"
    )]
    Method(String),
    #[error(transparent)]
    Discretize(#[from] DiscretizeError),
    #[error(transparent)]
    Path(#[from] SignalError),
    #[error("{block} has no parameter “{name}” that takes a matrix; name one, such as Feedback#5.Gain")]
    NoParam { block: String, name: String },
    #[error("{block} multiplies each element alone, and takes no {rows}×{columns} matrix; use a Matrix Gain block")]
    Elementwise { block: String, rows: usize, columns: usize },
}

/// Returns the state-space blocks of a simulation, in all instances of its models, up to a maximum.
pub fn state_blocks(simulation: &Simulation, registry: &Registry) -> Vec<BlockAddress> {
    blocks_of(simulation, registry, |def| has_matrices(def) && def.param("D").is_some())
}

fn has_matrices(def: &BlockDef) -> bool {
    let is_matrix = |param: &ParamDef| matches!(param.kind, ParamKind::Number { vector: true, .. });
    ["A", "B", "C"].iter().all(|name| def.param(name).is_some_and(is_matrix))
}

/// Reads a block.
///
/// # Errors
/// If it has no matrices, or these do not fit.
pub fn state_system(
    simulation: &Simulation,
    registry: &Registry,
    program: &Program,
    address: &BlockAddress,
) -> Result<StateSystem, StateBlockError> {
    let model = model_at(simulation, &address.path).ok_or(StateBlockError::NoBlock)?;
    let block = model.block(address.block).ok_or(StateBlockError::NoBlock)?;
    let def = definition_of(registry, block).filter(|def| has_matrices(def)).ok_or(StateBlockError::NoSystem)?;
    let (settings, errors) = in_scope(simulation, &address.path, model, |scope| settings_of(def, block, scope));
    if let Some(error) = errors.first() {
        return Err(StateBlockError::Option(error.to_string()));
    }
    let count = settings.numbers("A").len();
    let states = (1..=count).find(|order| order * order >= count).unwrap_or(0);
    let a = matrix(&settings, "A", states, Some(states), states)?;
    let b = matrix(&settings, "B", states, None, states)?;
    let outputs = settings.numbers("C").len() / states.max(1);
    let c = matrix(&settings, "C", outputs, Some(states), states)?;
    if !def.is_sampled() {
        return Ok(StateSystem { a, b, c, period: None });
    }
    let unit = program.unit_of(address).ok_or(StateBlockError::NoBlock)?;
    let steps = program.rates.get(unit).map_or(1, |rate| rate.period.max(1));
    let period = steps as f64 * program.delta;
    let is_continuous = def.param("Given As").is_some() && settings.choice("Given As") == "continuous";
    if !is_continuous {
        return Ok(StateSystem { a, b, c, period: Some(period) });
    }
    match settings.choice("Method") {
        "zero-order hold" => {
            let d = Matrix::zero(c.rows, b.columns);
            let system = discretize_matrices(&StateMatrices { a, b, c, d }, period, Discretization::ZeroOrderHold)?;
            Ok(StateSystem { a: system.a, b: system.b, c: system.c, period: Some(period) })
        }
        method => Err(StateBlockError::Method(method.to_owned())),
    }
}

/// Reads a matrix with this number of rows, and of columns if that is known.
fn matrix(
    settings: &Settings,
    name: &'static str,
    rows: usize,
    columns: Option<usize>,
    states: usize,
) -> Result<Matrix, StateBlockError> {
    let values = settings.numbers(name).to_vec();
    let given = values.len();
    let columns = columns.unwrap_or(given / rows.max(1));
    if rows == 0 || columns == 0 || rows * columns != given {
        return Err(StateBlockError::Size { name, given, states });
    }
    Ok(Matrix { rows, columns, values })
}

/// A parameter into which a gain is written.
#[derive(Clone, Debug, PartialEq)]
pub struct GainTarget {
    model: Arc<str>,
    block: BlockId,
    param: &'static str,
    name: String,
    is_elementwise: bool,
}

impl GainTarget {
    /// Finds a parameter by the path of its block, such as `Feedback#5` or `Feedback#5.Gain`.
    ///
    /// # Errors
    /// If there is no such block, or no parameter that takes a matrix.
    pub fn find(simulation: &Simulation, registry: &Registry, text: &str) -> Result<GainTarget, StateBlockError> {
        let (address, param) = BlockAddress::parse_with_rest(text, simulation)?;
        let model = model_at(simulation, &address.path).ok_or(StateBlockError::NoBlock)?;
        let block = model.block(address.block).ok_or(StateBlockError::NoBlock)?;
        let wanted = param.as_deref().unwrap_or(GAIN);
        let missing = || StateBlockError::NoParam { block: address.text(simulation), name: wanted.to_owned() };
        let def = definition_of(registry, block).ok_or_else(missing)?;
        let param = def.param(wanted).ok_or_else(missing)?;
        if !matches!(param.kind, ParamKind::Number { vector: true, .. }) {
            return Err(missing());
        }
        Ok(GainTarget {
            model: Arc::clone(&model.name),
            block: address.block,
            param: param.name,
            name: address.text(simulation),
            // A matrix block says in which order it multiplies.
            is_elementwise: param.name == GAIN && def.param("Order").is_none(),
        })
    }

    /// Returns the change that writes a gain, row after row.
    ///
    /// # Errors
    /// If the block multiplies each element of its input alone, and the gain is a matrix.
    pub fn change(&self, gain: &Matrix) -> Result<Change, StateBlockError> {
        let GainTarget { model, block, param, name, is_elementwise } = self;
        let (rows, columns) = (gain.rows, gain.columns);
        if *is_elementwise && rows > 1 && columns > 1 {
            return Err(StateBlockError::Elementwise { block: name.clone(), rows, columns });
        }
        let values = Some(gain.values.iter().map(|value| number_text(*value)).collect());
        let edit = Edit::SetOption { model: Arc::clone(model), id: *block, name: (*param).into(), values };
        Ok(Change::one(format!("Write gain into {name}"), edit))
    }
}
