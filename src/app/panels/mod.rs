//! The panels. Each borrows what it shows and returns what the user wants as [`super::state::Action`]s.

pub mod blocks;
pub mod breadcrumbs;
mod breakpoints;
pub mod dashboard;
mod difference;
pub mod find;
pub mod help;
pub mod history;
pub mod inspector;
pub mod menu;
pub mod models;
mod now;
pub mod param;
pub mod plots;
mod ports;
pub mod problems;
pub mod quick_insert;
mod roles;
pub mod runs;
mod simulation;
pub mod status;
pub mod tabs;
pub mod time;
pub mod toolbar;
mod variables;
pub mod welcome;
