//! The engines by name. All engines give the same bits for a program; an engine that cannot declines with a reason.

use std::sync::Arc;

use super::native::{Compiled, TierUp};
use super::program::execute::{Declined, Engine, Execute, decline_iterations};
use super::program::fault::RunError;
use super::reference::Simple;
use super::step_code::Flat;
use super::threaded::Threaded;
use super::{Context, Program, Samples};

/// The engines a program can choose from.
#[derive(Clone)]
pub struct Engines {
    list: Vec<Arc<dyn Engine>>,
}

impl Engines {
    /// The engine of a run if none is named.
    pub const DEFAULT: &str = "auto";

    /// The engines of this program with their default settings.
    pub fn standard() -> Engines {
        Engines::with(TierUp::default())
    }

    /// The engines of this program, which change to machine code as `tier_up` says.
    pub fn with(tier_up: TierUp) -> Engines {
        let threaded = Arc::new(Threaded::new().with(tier_up));
        let (auto, compiled) = (Arc::new(Auto { tier_up, remote: None, threads: None }), Arc::new(Compiled(tier_up)));
        Engines { list: vec![auto, compiled, threaded, Arc::new(Flat), Arc::new(Simple)] }
    }

    /// Lets blocks that name a pool run on this engine, where no other is chosen by name. Without it they run here.
    #[must_use]
    pub fn with_remote(&self, remote: Arc<dyn Engine>) -> Engines {
        let auto: Arc<dyn Engine> =
            Arc::new(Auto { tier_up: TierUp::default(), remote: Some(Arc::clone(&remote)), threads: None });
        let mut list = self.list.clone();
        list.iter_mut().filter(|known| known.name() == Engines::DEFAULT).for_each(|known| *known = Arc::clone(&auto));
        let mut engines = Engines { list };
        engines.add(remote);
        engines
    }

    /// Adds an engine; it replaces one of the same name.
    pub fn add(&mut self, engine: Arc<dyn Engine>) {
        self.list.retain(|known| known.name() != engine.name());
        self.list.push(engine);
    }

    /// Removes all engines but those with these names.
    pub fn keep(&mut self, names: &[&str]) {
        self.list.retain(|known| names.contains(&known.name()));
    }

    /// Returns the engine whose results define those of all others, and which leaves every output in the context.
    pub fn reference() -> Arc<dyn Engine> {
        Arc::new(Simple)
    }

    /// Returns an engine by name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Engine>> {
        self.list.iter().find(|engine| engine.name() == name)
    }

    /// Returns all engines, the default one first.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Engine> {
        self.list.iter().map(|engine| &**engine)
    }
}

/// The fastest engine that can run the program; the one for remote blocks, if it is given and there are any.
#[derive(Clone)]
struct Auto {
    tier_up: TierUp,
    /// Runs programs with blocks that name a pool.
    remote: Option<Arc<dyn Engine>>,
    /// The maximum number of threads of a run; `None`: one more than there are processors.
    threads: Option<usize>,
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        Engines::DEFAULT
    }

    fn doc(&self) -> &'static str {
        "The fastest engine that can run the model"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        // A program that only the reference engine can run is run here.
        if let Some(remote) = self.remote.as_ref().filter(|_| program.remote.is_some())
            && decline_iterations(program, remote.name()).is_ok()
        {
            return remote.prepare(program);
        }
        match Compiled(self.tier_up).prepare(program) {
            Ok(in_place) => Ok(self.threads.map_or_else(Threaded::new, Threaded::limited).later(program, in_place)),
            Err(declined) => {
                let execute = Simple.prepare(program)?;
                Ok(Box::new(Chosen { execute, reason: declined.to_string() }))
            }
        }
    }

    fn on_one_thread(&self) -> Option<Arc<dyn Engine>> {
        Some(Arc::new(Auto { threads: Some(1), ..self.clone() }))
    }
}

/// An engine that was chosen because another declined.
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
