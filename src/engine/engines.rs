//! Engines by name. Any engine gives the same bits for any program; one that cannot declines with the reason.

use std::sync::Arc;

use super::flat::Flat;
use super::native::{Compiled, HandOver};
use super::simple::Simple;
use super::threaded::Threaded;
use super::{Context, Program, Samples};
use crate::model::BlockId;

/// A way to run a program.
pub trait Engine: Send + Sync {
    /// By which it is chosen.
    fn name(&self) -> &'static str;

    /// One sentence for the user.
    fn doc(&self) -> &'static str;

    /// Makes ready to run.
    ///
    /// # Errors
    /// Where the engine cannot run this program exactly.
    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined>;
}

/// An engine with a program. All that lasts from step to step is in the context, so that another engine can take over
/// between two calls.
pub trait Execute: Send {
    /// Runs `count` steps and notes the watched values of each, and what blocks tell. Fewer where a block pauses or ends
    /// the run: then [`Samples::end`] says so, and the step in which it did is the last. Fewer too where the run is
    /// cancelled ([`Samples::set_cancel`]): the context is then that of the last whole step.
    ///
    /// # Errors
    /// Where a step cannot be completed; the context stays at that step's begin.
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError>;

    /// The engine's name; of one that chooses, the chosen one's.
    fn engine(&self) -> &'static str;

    /// Whether the next steps run as machine code, but for the last one of a call.
    fn runs_machine_code(&self) -> bool {
        false
    }

    /// Why it is not a faster one, where an engine was chosen and a faster one declined.
    fn reason(&self) -> Option<&str> {
        None
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the engine “{engine}” cannot run this: {reason}")]
pub struct Declined {
    pub engine: &'static str,
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("step {step}, {time} s: {problem}")]
pub struct RunError {
    pub step: u64,
    /// Seconds.
    pub time: f64,
    pub problem: String,
    /// The model blocks that lead to the block at fault, and the block, where one is.
    pub block: Option<(Vec<BlockId>, BlockId)>,
}

/// The engines a program can choose from.
#[derive(Clone)]
pub struct Engines {
    list: Vec<Arc<dyn Engine>>,
}

impl Engines {
    /// The engine that a run takes when none is named.
    pub const DEFAULT: &str = "auto";
    /// The one whose results all others must have, and which leaves every output in the context.
    pub const REFERENCE: &str = "simple";

    /// The program's own, as users have them.
    pub fn standard() -> Engines {
        Engines::with(HandOver::default())
    }

    /// The program's own, which go over to machine code as is said.
    pub fn with(hand_over: HandOver) -> Engines {
        let threaded = Arc::new(Threaded::new().with(hand_over));
        let (auto, compiled) = (Arc::new(Auto(hand_over)), Arc::new(Compiled(hand_over)));
        Engines { list: vec![auto, compiled, threaded, Arc::new(Flat), Arc::new(Simple)] }
    }

    /// Adds an engine, in place of one of the same name.
    pub fn add(&mut self, engine: Arc<dyn Engine>) {
        self.list.retain(|known| known.name() != engine.name());
        self.list.push(engine);
    }

    /// Leaves out all but the engines of these names.
    pub fn keep(&mut self, names: &[&str]) {
        self.list.retain(|known| names.contains(&known.name()));
    }

    pub fn get(&self, name: &str) -> Option<&Arc<dyn Engine>> {
        self.list.iter().find(|engine| engine.name() == name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &dyn Engine> {
        self.list.iter().map(|engine| &**engine)
    }
}

/// The fastest engine that can run the program.
struct Auto(HandOver);

impl Engine for Auto {
    fn name(&self) -> &'static str {
        Engines::DEFAULT
    }

    fn doc(&self) -> &'static str {
        "The fastest engine that can run the model"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Compiled(self.0).prepare(program).or_else(|declined| {
            let execute = Simple.prepare(program)?;
            Ok(Box::new(Chosen { execute, reason: declined.to_string() }) as Box<dyn Execute>)
        })
    }
}

/// An engine that was taken because another declined.
struct Chosen {
    execute: Box<dyn Execute>,
    reason: String,
}

impl Execute for Chosen {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        self.execute.run(context, count, samples)
    }

    fn engine(&self) -> &'static str {
        self.execute.engine()
    }

    fn runs_machine_code(&self) -> bool {
        self.execute.runs_machine_code()
    }

    fn reason(&self) -> Option<&str> {
        Some(&self.reason)
    }
}

/// Declines a program in which what runs is not known before the step: where a block sets its outputs in several
/// iterations.
pub(super) fn decline_turns(program: &Program, engine: &'static str) -> Result<(), Declined> {
    let mut units = program.units.iter().enumerate();
    match units.find(|(_, unit)| program.kernel(unit).iterations.is_some()) {
        None => Ok(()),
        Some((number, _)) => {
            let reason = format!("{} sets its output several times in a step", program.title_of(number));
            Err(Declined { engine, reason })
        }
    }
}
