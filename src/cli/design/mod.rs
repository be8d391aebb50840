//! `simulate design`: computes systems, controllers and their coefficients.
//!
//! | module | contents |
//! |---|---|
//! | `c2d` | a continuous system as a discrete one |
//! | `pid` | the gains of a PID block |
//! | `feedback` | the gains of state feedback and observers |
//! | `chosen` | the block that a design is about |
//! | `matrices` | matrices and roots as texts |

mod c2d;
mod chosen;
mod feedback;
mod matrices;
mod pid;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::output::{FAILURE, SUCCESS, complain, print};
use crate::components::Components;

#[derive(Debug, Args)]
pub struct DesignArgs {
    #[command(subcommand)]
    pub command: DesignCommand,
}

#[derive(Debug, Subcommand)]
pub enum DesignCommand {
    /// Makes a continuous system discrete: a transfer function (--num, --den) or matrices (--a, --b, --c, --d). The blocks
    /// Discrete Transfer Function and Discrete State Space do the same with “Given As: continuous”
    C2d(Box<c2d::C2dArgs>),
    /// Tunes a PID block for the plant that it sees in a simulation: by bandwidth and phase margin, or by a rule
    Pid(Box<pid::PidArgs>),
    /// Computes the state feedback u = −K·x that minimizes the quadratic costs xᵀ·Q·x + uᵀ·R·u (linear-quadratic regulator)
    Lqr(Box<feedback::LqrArgs>),
    /// Computes the gain L of the observer with the smallest covariance of its error (stationary Kalman filter)
    Kalman(Box<feedback::KalmanArgs>),
    /// Computes the state feedback u = −K·x, or the observer, that has given poles
    Place(Box<feedback::PlaceArgs>),
}

pub fn run(args: &DesignArgs, components: &Components) -> ExitCode {
    match &args.command {
        DesignCommand::C2d(args) => printed(c2d::c2d(args)),
        DesignCommand::Pid(args) => pid::run(args, components),
        DesignCommand::Lqr(args) => feedback::run_lqr(args, components),
        DesignCommand::Kalman(args) => feedback::run_kalman(args, components),
        DesignCommand::Place(args) => feedback::run_place(args, components),
    }
}

/// Prints a result, or an error.
fn printed<E: std::error::Error>(result: Result<String, E>) -> ExitCode {
    match result {
        Ok(text) => print(&text, SUCCESS),
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(FAILURE)
        }
    }
}
