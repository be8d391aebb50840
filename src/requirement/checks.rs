//! The check blocks of a simulation as requirements.

use crate::engine::{Program, RunSetup};
use crate::model::{BlockAddress, BlockKind, Change, Edit, EditError, SignalKey, Simulation};

/// A check block of an instance of its model.
pub(super) struct CheckBlock {
    pub block: BlockAddress,
    pub name: String,
    pub passes: SignalKey,
    pub margin: SignalKey,
}

const GROUP: &str = "Check";
const PASSES: &str = "Output";
const MARGIN: &str = "Margin";

/// Returns the set-up of runs in which each check block has outputs for its result and its margin, and ends no run.
///
/// # Errors
/// If the document refuses it.
pub(super) fn with_margins(setup: &RunSetup) -> Result<RunSetup, EditError> {
    let mut edits = Vec::new();
    for (name, model) in &setup.simulation().models {
        let is_check = |kind: &BlockKind| matches!(kind, BlockKind::Library { group, .. } if **group == *GROUP);
        for block in model.blocks.values().filter(|block| is_check(&block.kind)) {
            for (option, value) in [(PASSES, "1"), (MARGIN, "1"), ("Action", "ignore")] {
                let values = Some(vec![value.to_owned()]);
                edits.push(Edit::SetOption { model: name.clone(), id: block.id, name: option.into(), values });
            }
        }
    }
    let mut watching = setup.clone();
    watching.apply(&Change::new("Watch checks", edits))?;
    Ok(watching)
}

/// Returns the check blocks of all instances.
pub(super) fn check_blocks(simulation: &Simulation, program: &Program) -> Vec<CheckBlock> {
    let margins = program.signals().map(|(key, _)| key).filter(|key| *key.output == *MARGIN);
    let found = margins.filter_map(|margin| {
        let block = BlockAddress::new(&margin.path, margin.block);
        let is_check = |kind: &BlockKind| matches!(kind, BlockKind::Library { group, .. } if **group == *GROUP);
        block.find(simulation).filter(|block| is_check(&block.kind))?;
        let passes = SignalKey { output: PASSES.into(), ..margin.clone() };
        Some(CheckBlock { name: block.text(simulation), block, passes, margin })
    });
    found.collect()
}
