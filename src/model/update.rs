//! The changes between two states of a document, and the listeners that receive them.
//!
//! A [`Document`](super::Document) notifies its listeners of each change, undo and redo. An [`Update`] holds the two
//! states; its [`events`](Update::events) are computed on request, in time proportional to the size of the changed
//! models.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::relocation::reversed;
use super::{
    AddressMap, Block, BlockId, BlockKind, BlockPorts, Connection, Model, PortRef, Relocation, Simulation, block_ports,
};
use crate::block::Registry;

/// A transition of a document from one state to another.
#[derive(Clone, Debug)]
pub struct Update {
    pub cause: UpdateCause,
    /// The label of the change.
    pub label: String,
    /// The revision of the new state.
    pub revision: u64,
    pub before: Arc<Simulation>,
    pub after: Arc<Simulation>,
    pub registry: Arc<Registry>,
    /// What moved from the state before to the state after.
    pub moves: Arc<[Relocation]>,
    /// Whether both states give the same results.
    pub keeps_results: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateCause {
    Applied,
    Undone,
    Redone,
}

/// One change that an update made.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentEvent {
    /// The steps, the step length, the root, an attribute or a variable of the simulation.
    SettingsChanged,
    ModelAdded(Arc<str>),
    ModelRemoved(Arc<str>),
    /// A model's attributes, variables or comments changed; blocks and connections have separate events.
    ModelChanged(Arc<str>),
    BlockAdded(BlockRef),
    BlockRemoved(BlockRef),
    /// A block's position, options, attributes or kind changed.
    BlockChanged(BlockRef),
    /// A block has a new input or output.
    PortAdded(BlockRef, PortRef),
    PortRemoved(BlockRef, PortRef),
    Connected(WireEnds),
    /// This output is no longer connected to this input, which may have another source now.
    Disconnected(WireEnds),
    /// The name, unit or another attribute of a wire between the same ports changed.
    WireChanged(WireEnds),
}

/// A block of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockRef {
    pub model: Arc<str>,
    pub block: BlockId,
}

/// A connection of a model by its source and destination ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireEnds {
    pub model: Arc<str>,
    pub from: BlockId,
    pub output: Arc<str>,
    pub to: BlockId,
    pub input: Arc<str>,
}

impl WireEnds {
    fn of(model: &Model, connection: &Connection) -> WireEnds {
        let Connection { from, output, to, input, .. } = connection;
        WireEnds {
            model: Arc::clone(&model.name),
            from: *from,
            output: Arc::clone(output),
            to: *to,
            input: Arc::clone(input),
        }
    }
}

impl Update {
    /// Returns how addresses of the state before lead to the same in the state after.
    pub fn addresses(&self) -> AddressMap<'_> {
        let Update { before, after, registry, moves, .. } = self;
        AddressMap { before, after, registry, relocations: moves }
    }

    /// Returns the transition back.
    pub fn reversed(&self) -> Update {
        let (before, after) = (Arc::clone(&self.after), Arc::clone(&self.before));
        Update { before, after, moves: reversed(&self.moves).into(), ..self.clone() }
    }

    /// Returns all changes, sorted by model name: removals first, then additions.
    pub fn events(&self) -> Vec<DocumentEvent> {
        let mut events = Vec::new();
        let (before, after) = (&*self.before, &*self.after);
        if !has_same_settings(before, after) {
            events.push(DocumentEvent::SettingsChanged);
        }
        for (name, model) in &before.models {
            match after.models.get(name) {
                None => events.push(DocumentEvent::ModelRemoved(Arc::clone(name))),
                Some(other) if !Arc::ptr_eq(model, other) => self.compare(model, other, &mut events),
                Some(_) => {}
            }
        }
        let is_new = |name: &&Arc<str>| !before.models.contains_key(*name);
        events.extend(after.models.keys().filter(is_new).map(|name| DocumentEvent::ModelAdded(Arc::clone(name))));
        self.compare_uses(&mut events);
        events
    }

    fn compare(&self, before: &Model, after: &Model, events: &mut Vec<DocumentEvent>) {
        let block_ref = |id: &BlockId| BlockRef { model: Arc::clone(&after.name), block: *id };
        let has_changed = before.attributes != after.attributes
            || before.variables != after.variables
            || before.extras != after.extras;
        if has_changed {
            events.push(DocumentEvent::ModelChanged(Arc::clone(&after.name)));
        }
        let gone = before.connections.iter().filter(|(key, _)| !after.connections.contains_key(*key));
        events.extend(gone.map(|(_, wire)| DocumentEvent::Disconnected(WireEnds::of(before, wire))));
        let removed = before.blocks.keys().filter(|id| !after.blocks.contains_key(id));
        events.extend(removed.map(|id| DocumentEvent::BlockRemoved(block_ref(id))));
        for (id, block) in &after.blocks {
            match before.blocks.get(id) {
                None => events.push(DocumentEvent::BlockAdded(block_ref(id))),
                Some(other) if !Arc::ptr_eq(block, other) && block != other => {
                    events.push(DocumentEvent::BlockChanged(block_ref(id)));
                    self.compare_ports((before, other), (after, block), events);
                }
                Some(_) => {}
            }
        }
        for (key, wire) in &after.connections {
            let new = WireEnds::of(after, wire);
            match before.connections.get(key) {
                None => events.push(DocumentEvent::Connected(new)),
                Some(other) if Arc::ptr_eq(wire, other) => {}
                Some(other) if other.from == wire.from && other.output == wire.output => {
                    if other != wire {
                        events.push(DocumentEvent::WireChanged(new));
                    }
                }
                Some(other) => {
                    events.push(DocumentEvent::Disconnected(WireEnds::of(before, other)));
                    events.push(DocumentEvent::Connected(new));
                }
            }
        }
    }

    /// Finds the port changes of model blocks, which follow the entries and exits of their models.
    fn compare_uses(&self, events: &mut Vec<DocumentEvent>) {
        let (before, after) = (&*self.before, &*self.after);
        let is_other = |name: &&Arc<str>| match (before.models.get(*name), after.models.get(*name)) {
            (Some(one), Some(other)) => !Arc::ptr_eq(one, other),
            _ => true,
        };
        let others: BTreeSet<&Arc<str>> = before.models.keys().chain(after.models.keys()).filter(is_other).collect();
        for name in others {
            for (user, id) in after.instances_of(name) {
                let old = before.models.get(&user.name).and_then(|model| Some((&**model, model.block(id)?)));
                // A new block, or one that was not an instance of this model, has been reported.
                let Some((model, block)) = old else { continue };
                if let Some(now) = user.block(id)
                    && block.kind == now.kind
                    && Arc::ptr_eq(block, now)
                {
                    self.compare_ports((model, block), (user, now), events);
                }
            }
        }
    }

    fn compare_ports(
        &self,
        before: (&Model, &Arc<Block>),
        after: (&Model, &Arc<Block>),
        events: &mut Vec<DocumentEvent>,
    ) {
        let has_own = |block: &Block| matches!(block.kind, BlockKind::Library { .. } | BlockKind::Model { .. });
        if !has_own(before.1) && !has_own(after.1) {
            return;
        }
        let old = block_ports(&self.before, &self.registry, before.0, before.1);
        let new = block_ports(&self.after, &self.registry, after.0, after.1);
        let block_ref = BlockRef { model: Arc::clone(&after.0.name), block: after.1.id };
        let listed = |ports: &BlockPorts| -> Vec<PortRef> {
            let inputs = ports.inputs.iter().cloned().map(PortRef::Input);
            inputs.chain(ports.outputs.iter().cloned().map(PortRef::Output)).collect()
        };
        let (old, new) = (listed(&old), listed(&new));
        let gone = old.iter().filter(|port| !new.contains(port));
        events.extend(gone.map(|port| DocumentEvent::PortRemoved(block_ref.clone(), port.clone())));
        let come = new.iter().filter(|port| !old.contains(port));
        events.extend(come.map(|port| DocumentEvent::PortAdded(block_ref.clone(), port.clone())));
    }
}

fn has_same_settings(before: &Simulation, after: &Simulation) -> bool {
    before.steps == after.steps
        && before.delta.to_bits() == after.delta.to_bits()
        && before.root == after.root
        && before.attributes == after.attributes
        && before.variables == after.variables
}

type Listener = Mutex<dyn FnMut(&Update) + Send>;

/// The registration of a listener: it is called until this is dropped.
#[must_use = "a listener is called only while its subscription exists"]
pub struct Subscription {
    _listener: Arc<Listener>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Subscription")
    }
}

/// The listeners of a document. A copy of a document has none.
#[derive(Default)]
pub(super) struct Listeners(Vec<Weak<Listener>>);

impl Listeners {
    pub(super) fn add(&mut self, listener: impl FnMut(&Update) + Send + 'static) -> Subscription {
        let listener: Arc<Listener> = Arc::new(Mutex::new(listener));
        self.0.push(Arc::downgrade(&listener));
        Subscription { _listener: listener }
    }

    /// Whether there is no listener left.
    pub(super) fn is_empty(&mut self) -> bool {
        self.0.retain(|listener| listener.strong_count() > 0);
        self.0.is_empty()
    }

    pub(super) fn notify(&mut self, update: &Update) {
        for listener in self.0.iter().filter_map(Weak::upgrade) {
            (listener.lock().unwrap_or_else(PoisonError::into_inner))(update);
        }
    }
}

impl Clone for Listeners {
    fn clone(&self) -> Listeners {
        Listeners::default()
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} listeners", self.0.len())
    }
}
