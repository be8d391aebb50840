//! Design of controllers for a linear plant: PID controllers, state feedback, observers.
//!
//! | module | contents |
//! |---|---|
//! | `block` | a PID block of a simulation: its gains, the plant that it sees, the change that sets its gains |
//! | `pid` | a controller: kinds, forms, frequency response, state space |
//! | `plant` | the plant that a controller sees, prepared for many controllers |
//! | `shape` | gains from bandwidth and phase margin |
//! | `rules` | gains by rules with a name: Ziegler–Nichols, SIMC, AMIGO |
//! | `reaction` | the plant as few numbers: gain, time constants, dead time |
//! | `figures` | the closed loop: margins, responses in time and what is read off them |
//! | `feedback` | state feedback and observers: by weights, by noise, by poles |
//! | `riccati` | the Riccati equations behind them |
//! | `placement` | the equation behind gains for poles |
//! | `state_block` | a state-space block of a simulation, and the change that writes a gain |
//! | `search` | the blocks of a kind in a simulation |
//! | `open_loop` | the frequency response of the open loop, as a Bode plot shows it |
//! | `tune` | a controller by a rule or by shaping, with its figures |
//!
//! It knows no window, and computes from a linearization ([`crate::engine::Linear`]).

mod block;
mod feedback;
mod figures;
mod open_loop;
mod pid;
mod placement;
mod plant;
mod reaction;
mod riccati;
mod rules;
mod search;
mod shape;
mod state_block;
mod tune;

pub use self::block::{BlockError, PidBlock};
pub use self::feedback::{Feedback, FeedbackError, StateSystem, kalman, lqr, place, place_observer};
pub use self::figures::{Figures, Responses};
pub use self::pid::{Form, Gains, Integration, Kind, Pid};
pub use self::plant::{Plant, PlantError};
pub use self::reaction::{FirstOrder, Reaction};
pub use self::riccati::{continuous_riccati, discrete_riccati};
pub use self::rules::{Rule, RuleError};
pub use self::state_block::{GainTarget, StateBlockError, state_blocks, state_system};
pub use self::tune::{Target, Tuned, judge, tune};
