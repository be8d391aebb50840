//! All facts derived from the document, in one place, with the state of the document that they belong to.
//!
//! [`Derived::follow`] is the only way to bring them up to date. Facts about one model are found again only if that
//! model has changed; facts read from attributes, only if these or the models they lead to have changed; facts that
//! depend on the instances of models, only if the instances are different. [`Computed`] counts how often each was
//! found.
//!
//! | module | contents |
//! |---|---|
//! | `facts` | [`ModelFacts`]: what is derived from one model |
//! | `tree` | [`ModelTree`]: the models under the root, and where each is used |
//! | `part` | a value with what it was computed from |
//! | `diagnostics` | [`DiagnosticList`]: the diagnostics of the last check, by model |

mod diagnostics;
mod facts;
mod part;
mod tree;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::diagnostics::DiagnosticList;
pub use self::facts::{CodeBreakpoint, ModelFacts, WireBreakpoint};
pub use self::tree::{ModelTree, TreeRow, Users};

use self::facts::FactsByModel;
use self::part::Part;
use super::dashboard::{self, BindingKind, Candidate, Dashboard};
use super::plots::{self, PlotList};
use super::reader::NameReader;
use crate::block::Registry;
use crate::engine::Breakpoint;
use crate::model::{Block, BlockAddress, BlockId, BlockPorts, Model, SignalKey, Simulation, Snapshot, model_at};

/// Everything that is derived from a document.
#[derive(Default)]
pub struct Derived {
    /// The state of the document to which it belongs.
    of: Option<Snapshot>,
    models: FactsByModel,
    plots: Part<PlotList>,
    dashboard: Part<Dashboard>,
    /// The signals of curves and widgets beside blocks.
    beside_blocks: Part<Vec<SignalKey>>,
    /// The breakpoints on wires, by model, and those of a run, in all instances of the models.
    breakpoints: Vec<(Arc<str>, WireBreakpoint)>,
    /// Those on lines of code, by model.
    lines: Vec<(Arc<str>, CodeBreakpoint)>,
    armed: Vec<Breakpoint>,
    tree: ModelTree,
    /// The names of the models, in the order of the file.
    model_names: Arc<[Arc<str>]>,
    /// The paths to the instances of the models asked for.
    paths: BTreeMap<Arc<str>, Vec<Vec<BlockId>>>,
    /// Found when they are first asked for.
    signals: OnceCell<Vec<(SignalKey, String)>>,
    bound_params: OnceCell<Vec<Candidate>>,
    bound_signals: OnceCell<Vec<Candidate>>,
    computed: Computed,
}

/// How often each part was computed, for tests and measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Computed {
    /// The facts of a model, all models together.
    pub facts: u64,
    pub plots: u64,
    pub dashboard: u64,
    pub beside_blocks: u64,
    pub breakpoints: u64,
    pub tree: u64,
}

/// The differences between two states of the models.
#[derive(Default)]
struct Difference {
    /// Models are added, removed or used elsewhere, or another is the root.
    has_other_instances: bool,
    has_other_breakpoints: bool,
    /// Other blocks show curves or widgets.
    has_other_showing: bool,
}

impl Derived {
    /// Brings everything up to date with a state of the document; returns whether the state has changed.
    pub fn follow(&mut self, now: &Snapshot, registry: &Registry) -> bool {
        if self.of.as_ref().is_some_and(|of| of.revision == now.revision) {
            return false;
        }
        let simulation = &now.simulation;
        let other = self.follow_models(simulation);
        self.of = Some(now.clone());
        self.signals = OnceCell::new();
        (self.bound_params, self.bound_signals) = (OnceCell::new(), OnceCell::new());
        if other.has_other_instances {
            self.tree = ModelTree::of(simulation, &self.models);
            self.model_names = simulation.models_in_order().iter().map(|model| Arc::clone(&model.name)).collect();
            self.paths.clear();
            self.computed.tree += 1;
        }
        if other.has_other_breakpoints || other.has_other_instances {
            self.follow_breakpoints(simulation, registry);
            self.computed.breakpoints += 1;
        }
        let reader = || NameReader::new(simulation, registry);
        if !self.plots.holds_for(simulation, &PlotList::ATTRIBUTES) {
            self.plots.set(simulation, PlotList::read, &reader());
            self.computed.plots += 1;
        }
        if !self.dashboard.holds_for(simulation, &Dashboard::ATTRIBUTES) {
            self.dashboard.set(simulation, Dashboard::read, &reader());
            self.computed.dashboard += 1;
        }
        let is_same = !other.has_other_showing && !other.has_other_instances;
        if !(is_same && self.beside_blocks.holds_for(simulation, &[])) {
            let has_any = self.models.values().any(|facts| !facts.showing.is_empty());
            let find = if has_any { beside_blocks } else { |_: &NameReader| Vec::new() };
            self.beside_blocks.set(simulation, find, &reader());
            self.computed.beside_blocks += 1;
        }
        true
    }

    /// Finds the facts of the models that have changed.
    fn follow_models(&mut self, simulation: &Arc<Simulation>) -> Difference {
        let is_same_root = self.of.as_ref().is_some_and(|of| of.simulation.root == simulation.root);
        let mut other = Difference { has_other_instances: !is_same_root, ..Difference::default() };
        self.models.retain(|name, _| {
            let is_kept = simulation.models.contains_key(name);
            other.has_other_instances |= !is_kept;
            is_kept
        });
        for (name, model) in &simulation.models {
            let mut before = self.models.get_mut(name);
            if before.as_ref().is_some_and(|facts| Arc::ptr_eq(&facts.model, model)) {
                continue;
            }
            let facts = ModelFacts::of(model, before.as_deref_mut());
            let before = before.as_deref();
            self.computed.facts += 1;
            other.has_other_instances |=
                before.is_none_or(|before| before.instances != facts.instances || before.unchosen != facts.unchosen);
            other.has_other_breakpoints |= before.is_none_or(|before| !before.has_breakpoints_of(&facts));
            other.has_other_showing |= before.is_none_or(|before| before.showing != facts.showing);
            self.models.insert(Arc::clone(name), facts);
        }
        other
    }

    fn follow_breakpoints(&mut self, simulation: &Simulation, registry: &Registry) {
        let of_models = self.models.iter().flat_map(|(name, facts)| facts.breakpoints.iter().map(move |on| (name, on)));
        self.breakpoints = of_models.map(|(name, on)| (Arc::clone(name), on.clone())).collect();
        self.armed.clear();
        for (model, point) in self.breakpoints.iter().filter(|(_, point)| point.on.is_on) {
            let paths = self.paths.entry(Arc::clone(model));
            for path in paths.or_insert_with(|| tree::paths_to(&simulation.root, &self.models, model)) {
                let signal = SignalKey::new(path, point.from, &point.output);
                let breakpoint = Breakpoint::Signal { signal, condition: point.on.condition };
                if !self.armed.contains(&breakpoint) {
                    self.armed.push(breakpoint);
                }
            }
        }
        let of_model = |(name, facts): (&Arc<str>, &ModelFacts)| -> Vec<(Arc<str>, CodeBreakpoint)> {
            let found = facts.code.iter().flat_map(|block| CodeBreakpoint::of(block, registry));
            found.map(|point| (Arc::clone(name), point)).collect()
        };
        self.lines = self.models.iter().flat_map(of_model).collect();
        for (model, point) in self.lines.iter().filter(|(_, point)| point.is_on) {
            let paths = self.paths.entry(Arc::clone(model));
            for path in paths.or_insert_with(|| tree::paths_to(&simulation.root, &self.models, model)) {
                let block = BlockAddress { path: path.clone(), block: point.block };
                self.armed.push(Breakpoint::Line { block, line: point.line, code: Arc::clone(&point.code) });
            }
        }
    }

    /// Returns whether a model, or one of the models inside it, has a block that draws random numbers.
    pub fn draws_random_numbers(&self, model: &str, registry: &Registry) -> bool {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![model]);
        while let Some(facts) = ahead.pop().and_then(|name| self.model(name)) {
            if facts.has_random_block(registry) {
                return true;
            }
            ahead.extend(facts.instances.iter().map(|(_, inner)| &**inner).filter(|inner| seen.insert(*inner)));
        }
        false
    }

    /// Returns the facts of a model.
    pub fn model(&self, name: &str) -> Option<&ModelFacts> {
        self.models.get(name)
    }

    pub fn plots(&self) -> &PlotList {
        self.plots.get()
    }

    pub fn dashboard(&self) -> &Dashboard {
        self.dashboard.get()
    }

    pub fn tree(&self) -> &ModelTree {
        &self.tree
    }

    /// Returns the names of the models, in the order of the file; the list is replaced only if the names have changed.
    pub fn model_names(&self) -> &Arc<[Arc<str>]> {
        &self.model_names
    }

    /// Returns all breakpoints with the names of their models, in the order of models and wires.
    pub fn breakpoints(&self) -> &[(Arc<str>, WireBreakpoint)] {
        &self.breakpoints
    }

    /// Returns the breakpoints on lines of code with the names of their models, in the order of models and blocks.
    pub fn code_breakpoints(&self) -> &[(Arc<str>, CodeBreakpoint)] {
        &self.lines
    }

    /// Returns the breakpoints of a run.
    pub fn armed(&self) -> &[Breakpoint] {
        &self.armed
    }

    /// Returns the paths to the instances of a model.
    pub fn paths_to(&mut self, model: &Arc<str>) -> &[Vec<BlockId>] {
        let Some(of) = &self.of else { return &[] };
        let find = || tree::paths_to(&of.simulation.root, &self.models, model);
        self.paths.entry(Arc::clone(model)).or_insert_with(find)
    }

    /// Returns the signals that a run records for the document: those in plots and on dashboards, those marked for
    /// recording, and those of curves and widgets beside blocks. They are neither sorted nor free of duplicates.
    pub fn recorded(&self) -> Vec<SignalKey> {
        let mut signals = self.plots().signals();
        signals.extend(self.dashboard().signals().cloned());
        signals.extend(self.beside_blocks.get().iter().cloned());
        signals
    }

    /// Returns the root's exits and the plotted and recorded signals, each once.
    pub fn exits_and_plots(&self) -> Vec<SignalKey> {
        let root = self.of.as_ref().and_then(|of| self.models.get(&of.simulation.root));
        let exits = root.into_iter().flat_map(|root| &root.exits);
        let mut signals: Vec<SignalKey> =
            exits.map(|exit| SignalKey::new(&[], *exit, BlockPorts::INPUT)).chain(self.plots().signals()).collect();
        let mut known = std::collections::HashSet::new();
        signals.retain(|signal| known.insert(signal.clone()));
        signals
    }

    /// Returns the displayed name of a signal, as [`plots::name_of`].
    pub fn name_of(&self, signal: &SignalKey) -> String {
        let Some(of) = &self.of else { return signal.to_string() };
        let title = |model: &Model, block: &Block| {
            let title = self.models.get(&model.name).and_then(|facts| facts.title_of(block.id));
            title.unwrap_or_else(|| block.title().to_owned())
        };
        plots::name_with(&of.simulation, signal, &title)
    }

    /// Returns the unit of a signal, if one of its wires declares it.
    pub fn unit_of(&self, signal: &SignalKey) -> Option<&str> {
        let of = self.of.as_ref()?;
        let model = model_at(&of.simulation, &signal.path)?;
        self.models.get(&model.name)?.unit_of(signal.block, &signal.output).map(|unit| &**unit)
    }

    /// Returns all signals under the root with their names, in the order of the file.
    pub fn signals(&self, registry: &Registry) -> &[(SignalKey, String)] {
        let names = |signal: &SignalKey| self.name_of(signal);
        let find = || self.of.as_ref().map_or_else(Vec::new, |of| plots::all_signals(&of.simulation, registry, &names));
        self.signals.get_or_init(find)
    }

    /// Returns all numeric parameters, or all signals, under the root, to which widgets can be bound.
    pub fn bindings(&self, kind: BindingKind, registry: &Registry) -> &[Candidate] {
        let found = match kind {
            BindingKind::Params => &self.bound_params,
            BindingKind::Signals => &self.bound_signals,
        };
        let names = |signal: &SignalKey| self.name_of(signal);
        let find = |of: &Snapshot| dashboard::candidates((&of.simulation, registry), kind, &names);
        found.get_or_init(|| self.of.as_ref().map_or_else(Vec::new, find))
    }

    /// Returns how often each part was computed.
    pub fn computed(&self) -> Computed {
        self.computed
    }
}

fn beside_blocks(reader: &NameReader) -> Vec<SignalKey> {
    let mut signals = plots::signals_on_blocks(reader);
    signals.extend(dashboard::signals_of_pinned(reader));
    signals
}
