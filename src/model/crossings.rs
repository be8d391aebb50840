//! Whether solvers of variable step locate the crossings of a block: the attribute `crossings`.

use super::{Block, Diagnostic};
use crate::block::{BlockDef, BuildContext, Kernel, Settings};

impl Block {
    /// The attribute that switches locating off for a block of the library: `off`.
    pub const CROSSINGS: &str = "crossings";
    /// The value of [`Block::CROSSINGS`] with which the block acts as with solvers of fixed step.
    pub const CROSSINGS_OFF: &str = "off";
}

/// Whether solvers of variable step may locate the crossings and edges of a block.
pub fn locates_crossings(block: &Block) -> bool {
    block.attributes.get(Block::CROSSINGS) != Some(Block::CROSSINGS_OFF)
}

/// Reports an attribute `crossings` that is not valid.
pub(super) fn check_crossings(block: &Block) -> Option<Diagnostic> {
    let text = block.attributes.get(Block::CROSSINGS).filter(|text| !["on", Block::CROSSINGS_OFF].contains(text))?;
    let message = format!("crossings is “{text}”, which is neither on nor off");
    let help = "with “off” solvers of variable step do not locate where the block switches; without it they do";
    Some(Diagnostic::error("bad-attribute", message).help(help).about(Block::CROSSINGS))
}

/// Whether a block with these settings tells solvers of variable step of crossings or edges. False where it cannot be
/// built for inputs that are scalars.
pub fn has_crossings(def: &'static BlockDef, settings: &Settings, delta: f64) -> bool {
    let context = BuildContext { locates: true, ..BuildContext::new(delta) };
    let inputs = vec![1; def.inputs.names(settings).len()];
    let kernel = Kernel::build(def, settings, &inputs, context);
    kernel.is_ok_and(|kernel| !kernel.crossings.is_empty() || !kernel.time_events.is_empty())
}
