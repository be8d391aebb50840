//! The window. The only place that names egui.

pub mod theme;
