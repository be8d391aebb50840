//! Solvers of fixed and variable step: their order, what they locate, delays, and algebraic loops.

mod algebraic_loops;
mod crossings;
mod delays;
mod limited_rates;
mod located;
mod located_list;
mod newton;
mod recorded_delays;
mod singular_loops;
mod sliding;
mod solvers;
mod source_edges;
mod sparse;
mod stages;
mod trials;
mod variable_step;
