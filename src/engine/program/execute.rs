//! The interface of an engine: it prepares a program, and runs its steps.

#![deny(missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Context, Program, RemoteCost, RunError, Samples};

/// A way to run a program.
///
/// This one runs each step by itself on the reference engine:
///
/// ```
/// use std::sync::Arc;
///
/// use simulate::engine::{Context, Declined, Engine, Engines, Execute, Program, RunError, Samples};
/// use simulate::{Components, Opener, RunOptions};
///
/// struct Single;
///
/// struct SingleRun(Box<dyn Execute>);
///
/// impl Engine for Single {
///     fn name(&self) -> &'static str {
///         "single"
///     }
///     fn doc(&self) -> &'static str {
///         "The reference engine, a step a call"
///     }
///     fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
///         Ok(Box::new(SingleRun(Engines::reference().prepare(program)?)))
///     }
/// }
///
/// impl Execute for SingleRun {
///     fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
///         for _ in 0..count {
///             self.0.run(context, 1, samples)?;
///             // A block ended the run in this step.
///             if samples.end().is_some() {
///                 break;
///             }
///         }
///         Ok(())
///     }
///     fn engine(&self) -> &'static str {
///         "single"
///     }
/// }
///
/// let opener = Opener::new(Components::standard().with_engine(Single));
/// let simulation = opener.open("assets/examples/fibonacci.simx")?;
/// let mut run = simulation.run_with(&RunOptions { engine: "single".to_owned(), ..RunOptions::default() })?;
/// run.step(10)?;
/// assert_eq!(run.last("next")?, [89.0]);
/// # Ok::<(), simulate::Error>(())
/// ```
pub trait Engine: Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;

    /// One sentence for the user.
    fn doc(&self) -> &'static str;

    /// Prepares a run of the program.
    ///
    /// # Errors
    /// Fails if the engine cannot run this program exactly.
    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined>;

    /// Returns this engine for callers that run several programs at once, on all processors; `None`: it uses no threads
    /// by itself.
    fn on_one_thread(&self) -> Option<Arc<dyn Engine>> {
        None
    }
}

/// An engine with a program. Everything that lasts from step to step is in the context, so that another engine can
/// continue between two calls.
pub trait Execute: Send {
    /// Runs `count` steps, and records the watched values of each and the reports of blocks. It runs fewer steps if a
    /// block pauses or ends the run, up to the step in which it did ([`Samples::end`]), or if the run is cancelled, up to
    /// the last completed step ([`Samples::set_cancel`]).
    ///
    /// # Errors
    /// Fails if a step cannot be completed; the context is then that of the beginning of this step.
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError>;

    /// The engine's name; for an engine that chooses another, that of the chosen one.
    fn engine(&self) -> &'static str;

    /// Whether the next steps run as machine code, except the last one of a call.
    fn runs_machine_code(&self) -> bool {
        false
    }

    /// The costs of each remote block so far.
    fn remote_costs(&self) -> Vec<RemoteCost> {
        Vec::new()
    }

    /// How long a call takes besides its steps, as far as that is known: who runs few steps at a time waits for it often.
    fn call_overhead(&self) -> Duration {
        Duration::ZERO
    }

    /// The reason why a faster engine was not chosen.
    fn reason(&self) -> Option<&str> {
        None
    }
}

/// An engine cannot run a program exactly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine “{engine}” cannot run this: {reason}")]
pub struct Declined {
    /// The name of the engine.
    pub engine: &'static str,
    /// What it cannot run, without a full stop.
    pub reason: String,
}

/// Declines a program with a block that sets its outputs in several iterations: which units run how often is then not
/// known before the step.
pub(in crate::engine) fn decline_iterations(program: &Program, engine: &'static str) -> Result<(), Declined> {
    let mut units = program.units.iter();
    match units.find(|(_, unit)| program.kernel(unit).iterations.is_some()) {
        None => Ok(()),
        Some((number, _)) => {
            let reason = format!("{} sets its output several times in a step", program.title_of(number));
            Err(Declined { engine, reason })
        }
    }
}
