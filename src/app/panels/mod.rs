//! The panels. Each borrows what it shows and returns what the user wants as [`super::state::Action`]s.

pub mod blocks;
pub mod breadcrumbs;
pub mod inspector;
pub mod menu;
pub mod models;
pub mod param;
pub mod plot;
pub mod plots;
pub mod problems;
pub mod quick_insert;
pub mod status;
pub mod toolbar;
mod variables;
pub mod welcome;
