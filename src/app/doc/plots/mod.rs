//! Which signals are drawn in which plot, and how.
//!
//! The user's choice is stored in the document, so that undo and the file include it. The simulation's attribute
//! `view:plot` has the plots, `view:record` the signals that are recorded without being plotted, `view:cursors` the
//! cursors; a scope block has its plot in its own `view:plot`. By default the root's exits and the inputs of sinks
//! (scopes, displays) are plotted.
//!
//! | module | contents |
//! |---|---|
//! | `spec` | [`PlotSpec`]: one plot and its curves |
//! | `text` | the text form of plots in an attribute |
//! | `derivative` | derivatives of signals by parameters, as signals |
//! | `names` | displayed names of signals, and the default signals |
//! | `on_block` | which blocks show a curve inside their frame |

mod derivative;
mod names;
mod on_block;
mod spec;
mod text;

use std::collections::BTreeSet;

pub use derivative::{Derivative, address_text, is_derivative, param_name};
pub use names::{SignalNames, all_signals, inputs_of, is_sink, name_of, name_with};
pub use on_block::{
    CURVE, can_show_curve, each_block_with, shows_curve, signals_on_blocks, value_to_hide, value_to_show,
};
pub use spec::{
    Averaging, AxisLabels, CrossQuantity, Decibels, Overlap, PlotKind, PlotSpec, Segmentation, Trace, TriggerSpec,
};

use crate::app::doc::reader::NameReader;
use crate::block::Registry;
use crate::model::{BlockId, Change, Edit, Model, PLOTS, ParamAddress, RECORDED, SignalKey, Simulation};

const CURSORS: &str = "view:cursors";

/// The plots, from top to bottom, and the signals recorded without being plotted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotList {
    pub plots: Vec<PlotSpec>,
    /// Recorded without being plotted.
    pub recorded: Vec<SignalKey>,
    /// The stored addresses among these that lead nowhere.
    lost: Vec<String>,
    /// Two cursor times in seconds.
    pub cursors: Option<[f64; 2]>,
    /// The plots are defaults, not chosen by the user.
    pub is_default: bool,
}

impl PlotList {
    /// The attributes of the simulation that it is read from.
    pub const ATTRIBUTES: [&str; 3] = [PLOTS, RECORDED, CURSORS];

    /// Reads the plots of the document, or returns the defaults.
    pub fn read(reader: &NameReader) -> PlotList {
        let attributes = &reader.simulation.attributes;
        let (recorded, lost) =
            attributes.get(RECORDED).map(|text| text::read_signals(text, reader)).unwrap_or_default();
        let cursors = attributes.get(CURSORS).and_then(text::read_pair).map(|(a, b)| [a, b]);
        match attributes.get(PLOTS) {
            Some(text) => PlotList { plots: text::read(text, reader), recorded, lost, cursors, is_default: false },
            None => {
                // The sinks and exits of the root.
                reader.note(&[], None);
                let plot = PlotSpec::of(names::worth_seeing(reader.simulation, reader.registry));
                PlotList { plots: vec![plot], recorded, lost, cursors, is_default: true }
            }
        }
    }

    /// Returns all recorded signals, each once, sorted. Derivatives, which a run does not record, are not among them.
    pub fn signals(&self) -> Vec<SignalKey> {
        let all = self.plots.iter().flat_map(PlotSpec::signals).chain(&self.recorded);
        let all: BTreeSet<&SignalKey> = all.filter(|signal| !is_derivative(signal)).collect();
        all.into_iter().cloned().collect()
    }

    /// Returns all plotted derivatives, each once, in the order of their signals.
    pub fn derivatives(&self) -> Vec<Derivative> {
        let all: BTreeSet<&SignalKey> =
            self.traces().map(|trace| &trace.signal).filter(|signal| is_derivative(signal)).collect();
        all.into_iter().filter_map(Derivative::of_signal).collect()
    }

    /// Returns the derivatives that the parameters of plotted ones have with all recorded signals.
    pub fn possible_derivatives(&self) -> Vec<Derivative> {
        let mut params: Vec<ParamAddress> = Vec::new();
        for Derivative { by, .. } in self.derivatives() {
            if !params.contains(&by) {
                params.push(by);
            }
        }
        let signals = if params.is_empty() { Vec::new() } else { self.signals() };
        let of_param = |by: ParamAddress| {
            signals.iter().map(move |of| Derivative { of: of.clone(), by: by.clone() }).collect::<Vec<_>>()
        };
        params.into_iter().flat_map(of_param).collect()
    }

    /// Returns the list with the derivatives of signals by a parameter: in the plot that has such derivatives alone, else in a
    /// new one; and the number of that plot.
    pub fn with_derivatives(&self, signals: &[SignalKey], by: &ParamAddress) -> (PlotList, usize) {
        let is_by = |trace: &Trace| Derivative::of_signal(&trace.signal).is_some_and(|known| known.by == *by);
        let suits =
            |plot: &PlotSpec| plot.kind == PlotKind::Time && !plot.traces.is_empty() && plot.traces.iter().all(is_by);
        let plot = self.plots.iter().position(suits).unwrap_or(self.plots.len());
        let derivative = |of: &SignalKey| Derivative { of: of.clone(), by: by.clone() }.signal();
        let derivatives: Vec<SignalKey> = signals.iter().map(derivative).collect();
        (self.with(&derivatives, plot), plot)
    }

    /// Returns all plotted signals, each once, sorted.
    pub fn drawn(&self) -> Vec<SignalKey> {
        let all: BTreeSet<&SignalKey> = self.traces().map(|trace| &trace.signal).collect();
        all.into_iter().cloned().collect()
    }

    fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.plots.iter().flat_map(|plot| &plot.traces)
    }

    /// Returns whether a signal is plotted.
    pub fn contains(&self, signal: &SignalKey) -> bool {
        self.traces().any(|trace| trace.signal == *signal)
    }

    /// Returns the colour index of a signal: that of its first curve, or its order of appearance.
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

    /// Returns the change that stores this list in the document.
    pub fn change(&self, label: impl Into<String>, simulation: &Simulation) -> Change {
        let value = Some(text::write(&self.plots, simulation).into());
        let mut edits = vec![Edit::SetSimulationAttribute { name: PLOTS.into(), value }];
        let recorded = text::write_signals(&self.recorded, &self.lost, simulation);
        if simulation.attributes.get(RECORDED).unwrap_or_default() != recorded {
            let value = Some(recorded).filter(|text| !text.is_empty()).map(Into::into);
            edits.push(Edit::SetSimulationAttribute { name: RECORDED.into(), value });
        }
        Change::new(label, edits)
    }

    /// Returns the change that moves or removes the cursors.
    pub fn cursor_change(label: impl Into<String>, cursors: Option<[f64; 2]>) -> Change {
        let value = cursors.map(|[a, b]| format!("{a}:{b}").into());
        Change::one(label, Edit::SetSimulationAttribute { name: CURSORS.into(), value })
    }

    /// Returns the list with `signals` added to a plot; existing ones are kept.
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

    /// Returns the list without a signal, in one plot or in all.
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

    /// Returns the list with one plot changed.
    pub fn with_spec(&self, plot: usize, change: impl FnOnce(&mut PlotSpec)) -> PlotList {
        self.changed(|list| {
            if let Some(spec) = list.plots.get_mut(plot) {
                change(spec);
            }
        })
    }

    /// Returns the list with recording of an unplotted signal switched on or off.
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

/// Whether a signal is recorded without being plotted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    Yes,
    No,
}

/// Returns the plot of a block that shows its inputs, with the stored settings.
pub fn scope_of(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    model: &Model,
    block: BlockId,
) -> PlotSpec {
    let chosen = model.block(block).and_then(|block| block.attributes.get(PLOTS));
    let reader = NameReader::new(simulation, registry);
    let chosen = chosen.and_then(|text| text::read(text, &reader).into_iter().next()).unwrap_or_default();
    let traces = inputs_of(simulation, registry, path, model, block).into_iter().map(|signal| {
        let known = chosen.traces.iter().find(|trace| trace.signal == signal);
        known.cloned().unwrap_or_else(|| Trace::of(signal))
    });
    PlotSpec { traces: traces.collect(), ..chosen }
}

/// Returns the change that stores how a block shows its inputs.
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

/// A signal that is dragged from a legend or a list to a plot.
#[derive(Clone, Debug)]
pub struct DraggedSignal {
    pub signal: SignalKey,
    /// The plot from which it is moved.
    pub from: Option<usize>,
}
