//! Which signals are drawn in which plot.
//!
//! What the user chose stands in the document, in the attribute `view:plot` of the simulation: undo covers it and the
//! file remembers it. Where nothing was chosen, the root's exits and what goes into sinks (scopes, displays) are drawn.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::block::{Ports, Registry};
use crate::model::{BlockId, BlockKind, BlockPorts, Change, Edit, InputKey, Model, SignalKey, Simulation, block_ports};

const ATTRIBUTE: &str = "view:plot";

/// Signals that are drawn of themselves at most.
const MOST: usize = 8;

/// The signals of each plot, from top to bottom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlotList {
    pub plots: Vec<Vec<SignalKey>>,
    /// Nobody chose these: they are what a fresh file shows.
    pub is_default: bool,
}

impl PlotList {
    /// What the document says, or what is worth seeing in it.
    pub fn of(simulation: &Simulation, registry: &Registry) -> PlotList {
        match simulation.attributes.get(ATTRIBUTE) {
            Some(text) => PlotList { plots: read(text, simulation, registry), is_default: false },
            None => PlotList { plots: vec![worth_seeing(simulation, registry)], is_default: true },
        }
    }

    /// All signals, each once, sorted.
    pub fn signals(&self) -> Vec<SignalKey> {
        let all: BTreeSet<&SignalKey> = self.plots.iter().flatten().collect();
        all.into_iter().cloned().collect()
    }

    pub fn contains(&self, signal: &SignalKey) -> bool {
        self.plots.iter().flatten().any(|known| known == signal)
    }

    /// The colour's number of a signal: the same in every plot, by the order of appearance.
    pub fn color_index(&self, signal: &SignalKey) -> Option<usize> {
        let mut seen: Vec<&SignalKey> = Vec::new();
        for known in self.plots.iter().flatten() {
            if !seen.contains(&known) {
                if known == signal {
                    return Some(seen.len());
                }
                seen.push(known);
            }
        }
        None
    }

    /// The change that writes this list into the document.
    pub fn change(&self, label: impl Into<String>, simulation: &Simulation) -> Change {
        let value = Some(write(&self.plots, simulation).into());
        Change::one(label, Edit::SetSimulationAttribute { name: ATTRIBUTE.into(), value })
    }

    /// The list with `signals` added to a plot; one that is there stays as it is.
    pub fn with(&self, signals: &[SignalKey], plot: usize) -> PlotList {
        let mut plots = self.plots.clone();
        while plots.len() <= plot {
            plots.push(Vec::new());
        }
        if let Some(list) = plots.get_mut(plot) {
            for signal in signals {
                if !list.contains(signal) {
                    list.push(signal.clone());
                }
            }
        }
        PlotList { plots, is_default: false }
    }

    /// The list without a signal, in one plot or in all.
    pub fn without(&self, signals: &[SignalKey], plot: Option<usize>) -> PlotList {
        let mut plots = self.plots.clone();
        for (number, list) in plots.iter_mut().enumerate() {
            if plot.is_none_or(|plot| plot == number) {
                list.retain(|known| !signals.contains(known));
            }
        }
        PlotList { plots, is_default: false }
    }

    pub fn with_plot(&self) -> PlotList {
        let mut plots = self.plots.clone();
        plots.push(Vec::new());
        PlotList { plots, is_default: false }
    }

    pub fn without_plot(&self, plot: usize) -> PlotList {
        let mut plots = self.plots.clone();
        if plot < plots.len() {
            plots.remove(plot);
        }
        if plots.is_empty() {
            plots.push(Vec::new());
        }
        PlotList { plots, is_default: false }
    }
}

/// The edit that follows signals to where they are now, where one of the plots' was moved: `moved` says where to. The
/// edit is written before the change that moves them is done.
pub fn edit_moved(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    moved: impl Fn(&SignalKey) -> SignalKey,
) -> Option<Edit> {
    let list = PlotList::of(simulation, registry);
    let is_touched = |signal: &SignalKey| signal.path.starts_with(path) && moved(signal) != *signal;
    if list.is_default || !list.plots.iter().flatten().any(is_touched) {
        return None;
    }
    let plots: Vec<Vec<SignalKey>> = list.plots.iter().map(|plot| plot.iter().map(&moved).collect()).collect();
    let text = plots.iter().map(|list| list.iter().map(signal_text).collect::<Vec<_>>().join(";"));
    let value = Some(text.collect::<Vec<_>>().join("|").into());
    Some(Edit::SetSimulationAttribute { name: ATTRIBUTE.into(), value })
}

/// Whether a block shows what goes into it and gives nothing on.
pub fn is_sink(registry: &Registry, model: &Model, id: BlockId) -> bool {
    let Some(BlockKind::Library { group, name }) = model.block(id).map(|block| &block.kind) else { return false };
    let Some(def) = registry.get(group, name) else { return false };
    matches!(def.outputs, Ports::Fixed([])) && !matches!(def.inputs, Ports::Fixed([]))
}

/// The signals that go into a block.
pub fn inputs_of(
    simulation: &Simulation,
    registry: &Registry,
    path: &[BlockId],
    model: &Model,
    id: BlockId,
) -> Vec<SignalKey> {
    let Some(block) = model.block(id) else { return Vec::new() };
    let ports = block_ports(simulation, registry, model, block);
    let source = |input: &Arc<str>| model.connections.get(&InputKey { block: id, input: Arc::clone(input) });
    let sources = ports.inputs.iter().filter_map(source);
    sources.map(|connection| SignalKey::new(path, connection.from, &connection.output)).collect()
}

/// The root's exits and what goes into its sinks, in the order of the file.
fn worth_seeing(simulation: &Simulation, registry: &Registry) -> Vec<SignalKey> {
    let Some(root) = simulation.root_model() else { return Vec::new() };
    let mut found: Vec<SignalKey> = Vec::new();
    let mut sinks: Vec<_> = root.blocks.values().filter(|block| is_sink(registry, root, block.id)).collect();
    sinks.sort_by_key(|block| block.seq);
    for sink in sinks.into_iter().take(MOST) {
        found.extend(inputs_of(simulation, registry, &[], root, sink.id));
    }
    let mut exits: Vec<_> = root.exits().map(|(block, _)| block).collect();
    exits.sort_by_key(|block| block.seq);
    for exit in exits {
        let source = root.source(exit.id, BlockPorts::INPUT);
        let is_shown = source.is_some_and(|source| {
            found.iter().any(|signal| signal.block == source.from && signal.output == source.output)
        });
        if !is_shown {
            found.push(SignalKey::new(&[], exit.id, BlockPorts::INPUT));
        }
    }
    found.truncate(MOST);
    found
}

/// A signal as a user reads it: the name on its wire or its block's own where it has one, else the block's title and the port.
pub fn name_of(simulation: &Simulation, signal: &SignalKey) -> String {
    let Some(block) = signal.model(simulation).and_then(|model| model.block(signal.block)) else {
        return signal.to_string();
    };
    let mut name = String::new();
    let mut model = simulation.root_model();
    for id in &signal.path {
        let Some(outer) = model.and_then(|model| model.block(*id)) else { break };
        name.push_str(outer.title());
        name.push('/');
        model = match &outer.kind {
            BlockKind::Model { model } => simulation.model(model),
            _ => None,
        };
    }
    let model = signal.model(simulation);
    if let Some(own) = model.and_then(|model| model.signal_name(signal.block, &signal.output)) {
        return name + own;
    }
    name.push_str(block.title());
    let is_named = matches!(block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. })
        || block.attributes.get("label").is_some();
    let is_plain = &*signal.output == BlockPorts::OUTPUT || &*signal.output == BlockPorts::INPUT;
    if !is_named {
        name.push_str(&format!(" {}", block.id));
    }
    if !is_plain {
        name.push_str(&format!(".{}", signal.output));
    }
    name
}

/// Plots are divided by `|`, signals by `;`; a signal is `#1/#2/#3.Output`.
fn write(plots: &[Vec<SignalKey>], simulation: &Simulation) -> String {
    let exists = |signal: &&SignalKey| signal.model(simulation).is_some_and(|m| m.block(signal.block).is_some());
    let plot = |list: &Vec<SignalKey>| list.iter().filter(exists).map(signal_text).collect::<Vec<_>>().join(";");
    plots.iter().map(plot).collect::<Vec<_>>().join("|")
}

fn signal_text(signal: &SignalKey) -> String {
    let path: String = signal.path.iter().map(|id| format!("{id}/")).collect();
    let output = signal.output.replace('%', "%25").replace(';', "%3B").replace('|', "%7C");
    format!("{path}{}.{output}", signal.block)
}

fn read(text: &str, simulation: &Simulation, registry: &Registry) -> Vec<Vec<SignalKey>> {
    let signal = |text: &str| {
        let plain = text.replace("%7C", "|").replace("%3B", ";").replace("%25", "%");
        // A signal that is no more is no problem: it is not drawn.
        SignalKey::parse(&plain, simulation, registry).ok()
    };
    let plot = |list: &str| list.split(';').filter(|part| !part.is_empty()).filter_map(signal).collect();
    text.split('|').map(plot).collect()
}
