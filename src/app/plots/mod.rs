//! Which signals are drawn in which plot, and how.
//!
//! What the user chose stands in the document: undo covers it and the file remembers it. The plots are the attribute
//! `view:plot` of the simulation, what is recorded without being drawn is `view:record`, cursors are `view:cursors`, and a scope block has its own
//! plot in its `view:plot`. Where nothing was chosen, the root's exits and what goes into sinks (scopes, displays) are
//! drawn.
//!
//! | module | what lives there |
//! |---|---|
//! | `spec` | [`PlotSpec`]: one plot and its curves |
//! | `text` | how plots are written in an attribute |
//! | `names` | what a signal is called, which blocks show signals |
//! | `on_block` | which blocks show a curve inside their frame |

mod names;
mod on_block;
mod spec;
mod text;

use std::collections::BTreeSet;

pub use names::{inputs_of, is_sink, name_of};
pub use on_block::{CURVE, can_show_curve, curve_value, each_block_with, shows_curve, signals_on_blocks};
pub use spec::{Decibels, PlotKind, PlotSpec, Trace, TriggerSpec};

use crate::block::Registry;
use crate::model::{BlockId, Change, Edit, Model, SignalKey, Simulation};

const PLOTS: &str = "view:plot";
const RECORDED: &str = "view:record";
const CURSORS: &str = "view:cursors";

/// The plots, from top to bottom, and what is recorded beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotList {
    pub plots: Vec<PlotSpec>,
    /// Recorded, whether drawn or not.
    pub recorded: Vec<SignalKey>,
    /// Two times to measure between, in seconds.
    pub cursors: Option<[f64; 2]>,
    /// Nobody chose these: they are what a fresh file shows.
    pub is_default: bool,
}

impl PlotList {
    /// What the document says, or what is worth seeing in it.
    pub fn of(simulation: &Simulation, registry: &Registry) -> PlotList {
        let recorded = simulation.attributes.get(RECORDED).map(|text| text::read_signals(text, simulation, registry));
        let recorded = recorded.unwrap_or_default();
        let cursors = simulation.attributes.get(CURSORS).and_then(text::read_pair).map(|(a, b)| [a, b]);
        match simulation.attributes.get(PLOTS) {
            Some(text) => {
                PlotList { plots: text::read(text, simulation, registry), recorded, cursors, is_default: false }
            }
            None => {
                let plot = PlotSpec::of(names::worth_seeing(simulation, registry));
                PlotList { plots: vec![plot], recorded, cursors, is_default: true }
            }
        }
    }

    /// All signals that are recorded, each once, sorted.
    pub fn signals(&self) -> Vec<SignalKey> {
        let all: BTreeSet<&SignalKey> = self.plots.iter().flat_map(PlotSpec::signals).chain(&self.recorded).collect();
        all.into_iter().cloned().collect()
    }

    /// All signals that are drawn, each once, sorted.
    pub fn drawn(&self) -> Vec<SignalKey> {
        let all: BTreeSet<&SignalKey> = self.traces().map(|trace| &trace.signal).collect();
        all.into_iter().cloned().collect()
    }

    fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.plots.iter().flat_map(|plot| &plot.traces)
    }

    /// Whether a signal is drawn.
    pub fn contains(&self, signal: &SignalKey) -> bool {
        self.traces().any(|trace| trace.signal == *signal)
    }

    /// The colour's number of a signal: what was chosen where it is drawn first, else by the order of appearance.
    pub fn color_index(&self, signal: &SignalKey) -> Option<usize> {
        let mut seen: Vec<&SignalKey> = Vec::new();
        for trace in self.traces() {
            if !seen.contains(&&trace.signal) {
                if trace.signal == *signal {
                    return Some(trace.color.unwrap_or(seen.len()));
                }
                seen.push(&trace.signal);
            }
        }
        None
    }

    /// The change that writes this list into the document.
    pub fn change(&self, label: impl Into<String>, simulation: &Simulation) -> Change {
        let value = Some(text::write(&self.plots, simulation).into());
        let mut edits = vec![Edit::SetSimulationAttribute { name: PLOTS.into(), value }];
        let recorded = text::write_signals(&self.recorded, simulation);
        if simulation.attributes.get(RECORDED).unwrap_or_default() != recorded {
            let value = Some(recorded).filter(|text| !text.is_empty()).map(Into::into);
            edits.push(Edit::SetSimulationAttribute { name: RECORDED.into(), value });
        }
        Change::new(label, edits)
    }

    /// The change that puts the cursors elsewhere, or away.
    pub fn cursor_change(label: impl Into<String>, cursors: Option<[f64; 2]>) -> Change {
        let value = cursors.map(|[a, b]| format!("{a}:{b}").into());
        Change::one(label, Edit::SetSimulationAttribute { name: CURSORS.into(), value })
    }

    /// The list with `signals` added to a plot; one that is there stays as it is.
    pub fn with(&self, signals: &[SignalKey], plot: usize) -> PlotList {
        self.changed(|list| {
            if list.plots.len() <= plot {
                list.plots.resize_with(plot + 1, PlotSpec::default);
            }
            if let Some(spec) = list.plots.get_mut(plot) {
                signals.iter().for_each(|signal| spec.add(signal));
            }
        })
    }

    /// The list without a signal, in one plot or in all.
    pub fn without(&self, signals: &[SignalKey], plot: Option<usize>) -> PlotList {
        self.changed(|list| {
            for (number, spec) in list.plots.iter_mut().enumerate() {
                if plot.is_none_or(|plot| plot == number) {
                    spec.traces.retain(|trace| !signals.contains(&trace.signal));
                }
            }
        })
    }

    pub fn with_plot(&self) -> PlotList {
        self.changed(|list| list.plots.push(PlotSpec::default()))
    }

    pub fn without_plot(&self, plot: usize) -> PlotList {
        self.changed(|list| {
            if plot < list.plots.len() {
                list.plots.remove(plot);
            }
            if list.plots.is_empty() {
                list.plots.push(PlotSpec::default());
            }
        })
    }

    /// The list with one plot changed.
    pub fn with_spec(&self, plot: usize, change: impl FnOnce(&mut PlotSpec)) -> PlotList {
        self.changed(|list| {
            if let Some(spec) = list.plots.get_mut(plot) {
                change(spec);
            }
        })
    }

    /// The list with a signal recorded without being drawn, or no longer.
    pub fn with_recorded(&self, signals: &[SignalKey], is_recorded: Recorded) -> PlotList {
        self.changed(|list| {
            list.recorded.retain(|known| !signals.contains(known));
            if is_recorded == Recorded::Yes {
                list.recorded.extend(signals.iter().cloned());
            }
        })
    }

    fn changed(&self, change: impl FnOnce(&mut PlotList)) -> PlotList {
        let mut list = PlotList { is_default: false, ..self.clone() };
        change(&mut list);
        list
    }
}

/// Whether a signal is recorded though it is drawn nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    Yes,
    No,
}

/// The plot of a block that shows its inputs: each of them, drawn as was chosen.
pub fn scope_of(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    model: &Model,
    block: BlockId,
) -> PlotSpec {
    let chosen = model.block(block).and_then(|block| block.attributes.get(PLOTS));
    let chosen = chosen.and_then(|text| text::read(text, simulation, registry).into_iter().next()).unwrap_or_default();
    let traces = inputs_of(simulation, registry, path, model, block).into_iter().map(|signal| {
        let known = chosen.traces.iter().find(|trace| trace.signal == signal);
        known.cloned().unwrap_or_else(|| Trace::of(signal))
    });
    PlotSpec { traces: traces.collect(), ..chosen }
}

/// The change that keeps how a block shows its inputs.
pub fn scope_change(
    label: impl Into<String>,
    simulation: &Simulation,
    model: &Model,
    block: BlockId,
    spec: &PlotSpec,
) -> Change {
    let value = Some(text::write(std::slice::from_ref(spec), simulation).into());
    let model = std::sync::Arc::clone(&model.name);
    Change::one(label, Edit::SetBlockAttribute { model, id: block, name: PLOTS.into(), value })
}

/// The edits that follow signals to where they are now, where one of the plots' was moved: `moved` says where to. They are
/// written before the change that moves them is done.
pub fn edit_moved(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    moved: impl Fn(&SignalKey) -> SignalKey,
) -> Vec<Edit> {
    let list = PlotList::of(simulation, registry);
    let is_touched = |signal: &SignalKey| signal.path.starts_with(path) && moved(signal) != *signal;
    let mut edits = Vec::new();
    if !list.is_default && list.plots.iter().flat_map(PlotSpec::signals).any(is_touched) {
        let plots: Vec<PlotSpec> = list.plots.iter().map(|plot| plot.moved(&moved)).collect();
        let value = Some(text::write_all(&plots).into());
        edits.push(Edit::SetSimulationAttribute { name: PLOTS.into(), value });
    }
    if list.recorded.iter().any(is_touched) {
        let recorded: Vec<SignalKey> = list.recorded.iter().map(&moved).collect();
        let value = Some(text::write_all_signals(&recorded).into());
        edits.push(Edit::SetSimulationAttribute { name: RECORDED.into(), value });
    }
    edits
}

/// What is dragged from a legend or a list to a plot.
#[derive(Clone, Debug)]
pub struct DraggedSignal {
    pub signal: SignalKey,
    /// The plot that it leaves.
    pub from: Option<usize>,
}
