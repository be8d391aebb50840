//! A highlighted signal path through all levels, kept until Escape.

use std::sync::Arc;

use crate::app::canvas::DocumentView;
use crate::app::canvas::edit::OpenModel;
use crate::block::Registry;
use crate::model::{Direction, SignalKey, Simulation, Trace, trace};

/// A highlighted signal path.
#[derive(Debug)]
pub struct Highlight {
    signals: Vec<SignalKey>,
    direction: Direction,
    /// The simulation in which it was traced; another one is traced again.
    simulation: Arc<Simulation>,
    pub trace: Trace,
}

impl Highlight {
    /// Returns the sources or destinations of the selected signals; None without signals.
    pub fn of(open: &OpenModel, direction: Direction) -> Option<Highlight> {
        let mut signals = open.selected_signals();
        if direction == Direction::ToSource && signals.is_empty() {
            // For a block without outputs, its input signals are traced.
            signals = open.signals(open.selection.blocks.iter().flat_map(|id| open.scene.sources_of(*id)));
        }
        let DocumentView { simulation, registry } = open.document;
        let trace = traced(simulation, registry, &signals, direction);
        (!signals.is_empty()).then(|| Highlight { signals, direction, simulation: Arc::clone(simulation), trace })
    }

    /// Returns the highlight of blocks and wires until the document changes.
    pub fn of_trace(trace: Trace, simulation: &Arc<Simulation>) -> Highlight {
        let (signals, direction) = (Vec::new(), Direction::ToSource);
        Highlight { signals, direction, simulation: Arc::clone(simulation), trace }
    }

    /// Traces the signals again if the document changed. Returns whether the highlight remains.
    pub fn follow(&mut self, view: &DocumentView) -> bool {
        if Arc::ptr_eq(&self.simulation, view.simulation) {
            return true;
        }
        self.trace = traced(view.simulation, view.registry, &self.signals, self.direction);
        self.simulation = Arc::clone(view.simulation);
        !self.signals.is_empty()
    }
}

fn traced(simulation: &Simulation, registry: &Registry, signals: &[SignalKey], direction: Direction) -> Trace {
    let mut all = Trace::default();
    for signal in signals {
        let Trace { blocks, wires } = trace(simulation, registry, signal, direction);
        all.blocks.extend(blocks);
        all.wires.extend(wires);
    }
    all
}
