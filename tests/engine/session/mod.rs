//! The engine thread, as the window uses it, and the samples that it sends.

mod code_lines;
mod going_back;
mod inspection;
mod planned_changes;
mod recording;
mod runner;
