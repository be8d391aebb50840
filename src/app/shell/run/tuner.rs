//! The tuner panel: which block it is about, and its requests.

use std::sync::Arc;

use crate::app::action::command::Panel;
use crate::app::panels::tuner::Point;
use crate::app::shell::app::App;
use crate::app::shell::document::open_file::OpenFile;
use crate::app::store::lab::{PlantKey, PlantRequest};
use crate::app::store::run::RunState;
use crate::block::Registry;
use crate::engine::{Context, Program, RunId, Trim};
use crate::model::BlockAddress;
use crate::tuning::PidBlock;

/// A program, and a step of a run of it.
type Moment = (Arc<Program>, Option<(RunId, u64)>);

impl App {
    /// Lets the tuner follow the selection, the document and its sliders. Called once per frame.
    pub(crate) fn follow_tuner(&mut self) {
        let registry = &self.blocks.registry;
        let Some(file) = self.file.as_mut().filter(|_| self.window.layout.is_shown(Panel::Tuner)) else { return };
        // First, since what has come may lead to the next request, and no other frame is sure to follow.
        file.lab.tuner.poll();
        follow_block(file, registry);
        let Some(block) = file.panels.tuner.block().cloned() else { return file.lab.tuner.forget() };
        file.lab.tuner.turn_to(&block);
        let is_at_rest = file.panels.tuner.point == Point::Equilibrium;
        let Some((program, step)) = moment(file) else { return };
        let key = PlantKey { block: block.clone(), program: Arc::clone(&program), step, is_at_rest };
        let simulation = Arc::clone(file.document.simulation());
        let seen = file.run.seen().filter(|_| step.is_some());
        file.lab.tuner.follow(key, || PlantRequest {
            simulation,
            registry: Arc::clone(registry),
            context: seen.map_or_else(|| Context::new(&program), |view| view.begin.clone()),
            program,
            block,
            rest: is_at_rest.then(Trim::default),
        });
        if let Some(Ok(of)) = &file.lab.tuner.of {
            let target = file.panels.tuner.target(&of.block);
            file.lab.tuner.aim(target);
        }
    }
}

/// Turns the panel to a PID block that is newly selected; else it keeps its block, or has the only one.
fn follow_block(file: &mut OpenFile, registry: &Registry) {
    let simulation = Arc::clone(file.document.simulation());
    let selected = file.canvas.selection().single_block().map(|block| BlockAddress::new(file.canvas.path(), block));
    let revision = file.document.revision();
    file.panels.tuner.follow(
        selected,
        revision,
        |block| PidBlock::is_at(&simulation, registry, block),
        || PidBlock::all(&simulation, registry),
    );
}

/// Returns the program and the step at which the plant is linearized, no step for the initial values; `None` if there is no
/// program, or the values of the shown step are not here yet.
fn moment(file: &mut OpenFile) -> Option<Moment> {
    if file.panels.tuner.point == Point::Step && file.run.last_step().is_some() {
        file.run.need_values();
        // During a run, steps change faster than a loop is tuned.
        let is_still = !matches!(file.run.state, RunState::Running | RunState::Preparing);
        let seen = file.run.seen().filter(|view| is_still && Some(view.step) == file.run.shown_step())?;
        return Some((Arc::clone(&seen.program), Some((seen.run, seen.step))));
    }
    Some((file.program.clone()?, None))
}
