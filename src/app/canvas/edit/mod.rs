//! What changes the model: each command makes one change with a label for the undo list.

mod arrange;
pub mod commands;
mod connect;
mod delete;
mod loop_wire;
mod open_ends;
mod perform;
mod resize;
pub mod straighten;
mod subsystem;
pub mod suggest;
mod tags;
