//! The library: one file a block, one folder a group of the palette.

mod math;

use super::BlockDef;

/// All blocks, group by group as the palette shows them.
pub const GROUPS: &[&[&BlockDef]] = &[math::DEFS];

pub fn defs() -> impl Iterator<Item = &'static BlockDef> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}
