//! Texts about the cost of a model block in a worker, as a run has measured it.

use crate::engine::RemoteCost;
use crate::model::BlockId;

/// Returns the cost of an instance of a model block: the model blocks that lead to it, and its id. None before the first
/// step.
pub fn cost_of<'a>(costs: &'a [RemoteCost], path: &[BlockId], block: BlockId) -> Option<&'a RemoteCost> {
    costs.iter().find(|cost| cost.steps > 0 && cost.block.block == block && cost.block.path == path)
}

/// Returns a text that says where the block would be faster. On this computer it would take about as long as the worker
/// computes, without the time to reach the worker.
pub fn verdict_text(cost: &RemoteCost) -> &'static str {
    let (reach, compute) = cost.seconds_per_step();
    match reach > compute {
        true => "Reaching the worker takes longer than computing: it is faster here",
        false => "Computing takes longer than reaching the worker: it pays only when it runs beside other work",
    }
}

/// Says how many workers were lost; nothing if none was.
pub fn restarts_text(cost: &RemoteCost) -> Option<String> {
    match cost.restarts {
        0 => None,
        1 => Some("A worker was lost and replaced".to_owned()),
        count => Some(format!("{count} workers were lost and replaced")),
    }
}
