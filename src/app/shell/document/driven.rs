//! Answers programs that drive this window: their requests change the shown document like the edits of its user.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::app::shell::app::App;
use crate::app::store::driving::{Driving, ShownDocument, WindowRequest};
use crate::model::{BlockId, Change, Edit, InputKey, Simulation};
use crate::rpc::HistoryStep;

/// The maximum number of requests in a frame, so that the window stays quick.
const MOST: usize = 64;

impl App {
    /// Switches driving by other programs on or off.
    pub(crate) fn toggle_driving(&mut self) {
        let is_on = !self.settings.preferences.is_driven;
        self.settings.preferences.is_driven = is_on;
        self.save_settings();
        self.follow_driving();
        if !is_on {
            self.say("Programs can no longer drive this window");
        } else if self.driving.is_some() {
            self.say("Programs of yours can drive this window: simulate mcp --attach");
        }
    }

    /// Begins or ends to listen, as the preferences say.
    pub(crate) fn follow_driving(&mut self) {
        match (self.settings.preferences.is_driven, &self.driving) {
            (false, Some(_)) => self.driving = None,
            (true, None) => {
                let Some(home) = self.settings.home.clone() else { return };
                let ctx = self.ctx.clone();
                let wake = move || ctx.request_repaint();
                let listening = Driving::listen(&home, self.components.clone(), crate::app::artist(), wake);
                match listening {
                    Ok(driving) => self.driving = Some(driving),
                    Err(error) => self.complain(format!("Programs cannot drive this window: {error}")),
                }
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Answers the requests that wait.
    pub(crate) fn answer_programs(&mut self) {
        for _ in 0..MOST {
            let Some(request) = self.driving.as_ref().and_then(Driving::poll) else { return };
            self.answer_program(request);
        }
        self.ctx.request_repaint();
    }

    fn answer_program(&mut self, request: WindowRequest) {
        // A program that no longer waits needs no reply.
        match request {
            WindowRequest::Show(reply) => drop(reply.send(self.shown_document())),
            WindowRequest::Apply(change, reply) => drop(reply.send(self.apply_from_outside(&change))),
            WindowRequest::Replace { label, state, reply } => {
                drop(reply.send(self.replace_from_outside(label, *state)));
            }
            WindowRequest::Step(step, reply) => {
                let document = self.file.as_mut().map(|file| &mut file.document);
                let label = document.and_then(|document| match step {
                    HistoryStep::Undo => document.undo().map(str::to_owned),
                    HistoryStep::Redo => document.redo().map(str::to_owned),
                });
                if let Some(label) = &label {
                    let what = if step == HistoryStep::Undo { "Undone" } else { "Redone" };
                    self.say(format!("{what} from outside: {label}"));
                    self.refresh();
                }
                drop(reply.send(label));
            }
            WindowRequest::Save(reply) => {
                let has_file = self.file.as_ref().is_some_and(|file| file.path.is_some());
                if has_file {
                    self.save_then(None);
                }
                let none = || "the simulation has no file yet: save it in the window once".to_owned();
                drop(reply.send(has_file.then_some(()).ok_or_else(none)));
            }
        }
    }

    fn shown_document(&self) -> Option<ShownDocument> {
        let file = self.file.as_ref()?;
        Some(ShownDocument {
            name: file.name.clone(),
            path: file.path.clone(),
            state: (file.number, file.document.revision()),
            is_saved: file.document.is_saved(),
            simulation: Arc::clone(file.document.simulation()),
        })
    }

    fn apply_from_outside(&mut self, change: &Change) -> Result<(), String> {
        let file = self.file.as_mut().ok_or("the window shows no simulation")?;
        // Blocks stay where they are shown, also if they have no position of their own yet.
        let mut pinned = change.clone();
        pinned.edits.splice(0..0, file.canvas.pins(file.document.simulation()));
        file.document.apply(&pinned).map_err(|error| error.to_string())?;
        file.canvas.show_changed(changed_blocks(&change.edits));
        self.say(change.label.clone());
        self.refresh();
        Ok(())
    }

    fn replace_from_outside(&mut self, label: String, state: Simulation) -> Result<(), String> {
        let file = self.file.as_mut().ok_or("the window shows no simulation")?;
        let before = Arc::clone(file.document.simulation());
        file.document.replace(label.clone(), state);
        let changed = blocks_between(&before, file.document.simulation());
        file.canvas.show_changed(changed);
        self.say(label);
        self.refresh();
        Ok(())
    }
}

/// Returns the blocks that edits touch, with their models.
fn changed_blocks(edits: &[Edit]) -> BTreeSet<(Arc<str>, BlockId)> {
    let mut changed = BTreeSet::new();
    for edit in edits {
        let (model, blocks): (_, Vec<BlockId>) = match edit {
            Edit::AddBlock { model, block } | Edit::ReplaceBlock { model, block } => (model, vec![block.id]),
            Edit::Connect { model, connection } => (model, vec![connection.from, connection.to]),
            Edit::Disconnect { model, to, .. } => (model, vec![*to]),
            Edit::Move { model, moves } => (model, moves.iter().map(|(id, _)| *id).collect()),
            Edit::SetOption { model, id, .. }
            | Edit::SetBlockAttribute { model, id, .. }
            | Edit::RenamePort { model, id, .. } => (model, vec![*id]),
            Edit::SetConnectionAttribute { model, to, .. } => (model, vec![*to]),
            _ => continue,
        };
        changed.extend(blocks.into_iter().map(|id| (Arc::clone(model), id)));
    }
    changed
}

/// Returns the blocks that one state of a document has and the other has not, or with another content or source.
fn blocks_between(before: &Simulation, after: &Simulation) -> BTreeSet<(Arc<str>, BlockId)> {
    let mut changed = BTreeSet::new();
    for (name, model) in &after.models {
        let old = before.model(name);
        if old.is_some_and(|old| Arc::ptr_eq(old, model)) {
            continue;
        }
        let is_same = |id: &BlockId| {
            let blocks = (old.and_then(|old| old.block(*id)), model.block(*id));
            matches!(blocks, (Some(old), Some(new)) if old.kind == new.kind && old.attributes == new.attributes && old.body == new.body)
        };
        changed.extend(model.blocks.keys().filter(|id| !is_same(id)).map(|id| (Arc::clone(name), *id)));
        let has_source = |key: &InputKey, from: BlockId, output: &str| {
            old.and_then(|old| old.connections.get(key)).is_some_and(|old| old.from == from && *old.output == *output)
        };
        let wires = model.connections.iter().filter(|(key, wire)| !has_source(key, wire.from, &wire.output));
        changed.extend(wires.map(|(key, _)| (Arc::clone(name), key.block)));
    }
    changed
}
