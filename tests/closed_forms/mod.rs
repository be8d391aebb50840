//! Blocks and systems whose solution is known as a formula, on every solver or engine.

mod blocks;
mod conditional_subsystems;
mod conventions;
mod switched_systems;
