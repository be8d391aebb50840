//! Sweeps: the values of their runs, and runs that execute together.

mod runs_together;
mod values;
