//! The tuner of PID blocks: the plant that a block sees, and gains for it, both computed on background threads.

use std::sync::Arc;

use crate::app::store::latest::LatestWorker;
use crate::block::Registry;
use crate::engine::{Context, FrequencyPoint, Program, RunId, Trim};
use crate::model::{BlockAddress, Simulation};
use crate::tuning::{BlockError, Figures, Gains, PidBlock, Plant, Responses, RuleError, Target, Tuned, judge, tune};

/// The input of a linearization.
pub struct PlantRequest {
    pub simulation: Arc<Simulation>,
    pub registry: Arc<Registry>,
    pub program: Arc<Program>,
    /// The values at the start of a step.
    pub context: Context,
    pub block: BlockAddress,
    /// Linearizes at the nearest equilibrium, else at `context`.
    pub rest: Option<Trim>,
}

/// Identifies a plant: the block, the program, the shown step if it is linearized there, and whether at equilibrium.
#[derive(Clone, Debug)]
pub struct PlantKey {
    pub block: BlockAddress,
    pub program: Arc<Program>,
    pub step: Option<(RunId, u64)>,
    pub is_at_rest: bool,
}

impl PartialEq for PlantKey {
    fn eq(&self, other: &PlantKey) -> bool {
        let PlantKey { block, program, step, is_at_rest } = self;
        *block == other.block
            && Arc::ptr_eq(program, &other.program)
            && *step == other.step
            && *is_at_rest == other.is_at_rest
    }
}

/// A PID block and the plant that it sees.
pub struct PidLoop {
    pub block: PidBlock,
    pub plant: Plant,
}

impl PidLoop {
    fn new(request: PlantRequest) -> Result<PidLoop, BlockError> {
        let PlantRequest { simulation, registry, program, mut context, block, rest } = request;
        let block = PidBlock::of(&simulation, &registry, &block)?;
        if let Some(trim) = rest {
            context = trim.solve(&program, &context)?.context;
        }
        let plant = block.plant(&program, &context)?;
        Ok(PidLoop { block, plant })
    }
}

/// The loop with the gains of the block and with those that are suggested.
pub struct Suggestion {
    pub target: Target,
    pub tuned: Tuned,
    /// The gains in the form of the block, as they would be written.
    pub own: Gains,
    pub before: (Responses, Figures),
    /// The frequency responses of the open loop, before and after.
    pub open: [Vec<FrequencyPoint>; 2],
}

impl Suggestion {
    fn new(of: &PidLoop, target: Target) -> Result<Suggestion, RuleError> {
        let tuned = tune(&of.plant, &target, None)?;
        let own = of.block.own(tuned.gains).ok_or(RuleError::Ideal)?;
        let seconds = tuned.responses.step * tuned.responses.output.len().saturating_sub(1) as f64;
        let before = judge(&of.plant, &of.block.parallel(), Some(seconds).filter(|seconds| *seconds > 0.0));
        let loops = [(of.block.parallel(), before.1.margins), (tuned.gains, tuned.figures.margins)];
        let crossovers: Vec<f64> =
            loops.iter().flat_map(|(_, margins)| [margins.phase_at, margins.gain_at]).flatten().collect();
        let range = of.plant.open_range(&crossovers);
        let open = loops.map(|(gains, margins)| of.plant.open_response(&gains, range, &margins));
        Ok(Suggestion { target, tuned, own, before, open })
    }
}

/// A loop, and the suggestion for it.
type Tuning = (Arc<PidLoop>, Result<Suggestion, RuleError>);

/// The loop of a block and the last suggestion for it.
pub struct Tuner {
    plants: LatestWorker<PlantRequest, Result<PidLoop, BlockError>>,
    tunings: LatestWorker<(Arc<PidLoop>, Target), Tuning>,
    key: Option<PlantKey>,
    pub of: Option<Result<Arc<PidLoop>, BlockError>>,
    /// The target that was asked for last.
    asked: Option<Target>,
    pub suggestion: Option<Result<Suggestion, RuleError>>,
}

impl Tuner {
    pub fn new(wake: &Arc<dyn Fn() + Send + Sync>) -> Tuner {
        Tuner {
            plants: LatestWorker::new(Arc::clone(wake), |request, _| PidLoop::new(request)),
            tunings: LatestWorker::new(Arc::clone(wake), |(of, target): (Arc<PidLoop>, Target), _| {
                let found = Suggestion::new(&of, target);
                (of, found)
            }),
            key: None,
            of: None,
            asked: None,
            suggestion: None,
        }
    }

    pub fn is_busy(&self) -> bool {
        self.plants.is_busy() || self.tunings.is_busy()
    }

    /// Forgets the loop: there is no block, or no program.
    pub fn forget(&mut self) {
        (self.key, self.of, self.asked, self.suggestion) = (None, None, None, None);
    }

    /// Forgets the loop of another block.
    pub fn turn_to(&mut self, block: &BlockAddress) {
        if self.key.as_ref().is_some_and(|known| known.block != *block) {
            self.forget();
        }
    }

    /// Linearizes if the plant may have changed.
    pub fn follow(&mut self, key: PlantKey, request: impl FnOnce() -> PlantRequest) {
        if self.key.as_ref() == Some(&key) {
            return;
        }
        self.key = Some(key);
        self.plants.ask(request());
    }

    /// Tunes for a target, unless that is done. While one is computed, later ones wait, so that a slider that moves has
    /// curves all the time.
    pub fn aim(&mut self, target: Target) {
        if self.plants.is_busy() || self.tunings.is_busy() || self.asked == Some(target) {
            return;
        }
        if let Some(Ok(of)) = &self.of {
            self.asked = Some(target);
            self.tunings.ask((Arc::clone(of), target));
        }
    }

    pub fn poll(&mut self) {
        if let Some(of) = self.plants.poll().filter(|_| self.key.is_some()) {
            if of.is_err() {
                self.suggestion = None;
            }
            self.of = Some(of.map(Arc::new));
            // The next target is computed for the new plant.
            self.asked = None;
        }
        // A result for an earlier loop is no suggestion for this one.
        let is_of = |of: &Arc<PidLoop>| matches!(&self.of, Some(Ok(known)) if Arc::ptr_eq(known, of));
        if let Some((_, found)) = self.tunings.poll().filter(|(of, _)| is_of(of)) {
            self.suggestion = Some(found);
        }
    }
}
