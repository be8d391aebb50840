//! Commands and actions that edit the document.

use std::sync::Arc;

use eframe::egui;

use super::state::Clipboard;
use crate::app::action::command::{Command, EditCommand, Panel};
use crate::app::action::diagram_command::DiagramCommand;
use crate::app::action::{EditAction, ViewAction};
use crate::app::canvas::{Canvas, DocumentView};
use crate::app::dialogs::{Dialog, TableEditor};
use crate::app::panels::quick_insert;
use crate::app::shell::app::App;
use crate::app::store::files;
use crate::model::{BlockAddress, BlockId, Change, ChangeKind, Edit, EditError, Fragment, Relocation};

impl App {
    /// Carries out an action on the document.
    pub(crate) fn act_on_document(&mut self, action: EditAction) {
        match action {
            EditAction::AddBlock(block) => self.change_on_canvas(|canvas, view| canvas.add_block(view, block)),
            EditAction::EditTable { model, block, param } => {
                let editor = self
                    .file
                    .as_ref()
                    .and_then(|file| TableEditor::of(file.simulation(), &self.blocks.registry, &model, block, param));
                match editor {
                    Some(editor) => self.window.dialog = Dialog::Table(Box::new(editor)),
                    None => self.complain("The table has cells that are not numbers; correct them first"),
                }
            }
            EditAction::Favourite(name) => {
                self.settings.toggle_favourite(&name);
                self.save_settings();
            }
            EditAction::AskReplacement { model, block, screen } => self.ask_replacement(model, block, screen),
            EditAction::GoInHistory(steps) => self.go_in_history(steps),
        }
    }

    /// Carries out an editing command.
    pub(crate) fn edit_command(&mut self, command: EditCommand) {
        match command {
            EditCommand::Undo => self.undo(),
            EditCommand::Redo => self.redo(),
            EditCommand::Cut => {
                self.copy();
                let path = self.file.as_ref().map(|file| file.canvas.path().to_vec());
                if let Some(clipboard) = &mut self.documents.clipboard {
                    clipboard.cut_from = path;
                }
                self.change_on_canvas(|canvas, view| canvas.edit(view, |open| open.cut_selection()));
            }
            EditCommand::Copy => self.copy(),
            EditCommand::Paste => self.paste(None),
            EditCommand::Duplicate => self.change_on_canvas(|canvas, view| canvas.edit(view, |open| open.duplicate())),
            EditCommand::Delete => {
                self.change_on_canvas(|canvas, view| canvas.edit(view, |open| open.delete_selection()));
            }
            EditCommand::SelectAll => self.with_file(|file| file.canvas.select_all(file.document.simulation())),
            EditCommand::Rename => self.with_file(|file| file.canvas.rename()),
            EditCommand::InsertBlock => self.open_quick_insert(),
            EditCommand::ReplaceBlock => self.open_quick_replace(),
            EditCommand::PlotSelected => {
                let open = self.file.as_ref().and_then(|file| file.open_model(&self.blocks.registry));
                let signals = open.map(|open| open.selected_signals()).unwrap_or_default();
                self.plot(&signals);
            }
            EditCommand::Find | EditCommand::Replace => {
                self.window.layout.show(Panel::Find);
                let replaces = command == EditCommand::Replace;
                self.with_file(|file| {
                    (file.panels.find.wants_focus, file.panels.find.replace.is_open) = (true, replaces);
                });
            }
            EditCommand::FindBlock => {
                self.window.layout.show(Panel::Blocks);
                self.with_file(|file| file.panels.blocks.wants_focus = true);
            }
        }
    }

    /// Carries out a command of the diagram.
    pub(crate) fn diagram_command(&mut self, command: DiagramCommand) {
        let mut refused = None;
        self.change_on_canvas(|canvas, view| {
            let output = canvas.perform(view, command);
            refused = output.refused;
            output.changes.into_iter().next()
        });
        refused.into_iter().for_each(|why| self.complain(why));
    }

    /// Applies a change; the status bar shows why it was refused.
    pub fn apply(&mut self, change: &Change) -> bool {
        let Some(file) = &mut self.file else { return false };
        if change.edits.is_empty() {
            return false;
        }
        let result = file.document.apply(change);
        match result {
            Ok(()) => {
                self.note_use(change);
                self.refresh();
                true
            }
            Err(error) => {
                let wire = change.edits.iter().find_map(|edit| match edit {
                    Edit::Connect { model, connection } => Some((model, connection)),
                    _ => None,
                });
                let open = match (&error, wire) {
                    (EditError::AlgebraicLoop(_), Some((model, connection))) => {
                        let text = crate::app::ui::widgets::sentence(&error.to_string());
                        let simulation = file.document.simulation();
                        let view = DocumentView { simulation, registry: &self.blocks.registry };
                        let model = simulation.model(model);
                        model.and_then(|model| file.canvas.leave_refused_open(&view, model, connection, &text))
                    }
                    _ => None,
                };
                if let Some(open) = open {
                    self.apply(&open);
                }
                self.complain(format!("{}: {error}", change.label));
                false
            }
        }
    }

    /// Notes a single inserted block as recently used.
    fn note_use(&mut self, change: &Change) {
        let mut added = change.edits.iter().filter_map(|edit| match edit {
            Edit::AddBlock { block, .. } => Some(block),
            _ => None,
        });
        if let (Some(block), None) = (added.next(), added.next())
            && let Some(name) = crate::app::store::settings::name_of(&block.kind)
            && change.kind == ChangeKind::InsertBlock
        {
            self.settings.note_block(name);
        }
    }

    /// Updates everything derived from the document.
    pub(crate) fn refresh(&mut self) {
        let Some(file) = &mut self.file else { return };
        file.follow_document(&self.blocks.registry);
        // File parameters are relative to the simulation's file.
        if self.blocks.of != file.path {
            self.use_folder();
        }
        let Some(file) = &mut self.file else { return };
        file.check.ask(&file.snapshot(), &self.blocks.registry);
    }

    pub fn is_unsaved(&self) -> bool {
        self.file.as_ref().is_some_and(|file| !file.document.is_saved())
    }

    pub(crate) fn undo(&mut self) {
        let label = self.file.as_mut().and_then(|file| file.document.undo().map(str::to_owned));
        if let Some(label) = label {
            self.say(format!("Undone: {label}"));
            self.refresh();
        }
    }

    pub(crate) fn redo(&mut self) {
        let label = self.file.as_mut().and_then(|file| file.document.redo().map(str::to_owned));
        if let Some(label) = label {
            self.say(format!("Redone: {label}"));
            self.refresh();
        }
    }

    pub(crate) fn go_in_history(&mut self, steps: i64) {
        let Some(file) = &mut self.file else { return };
        for _ in 0..steps.unsigned_abs() {
            let _ = if steps < 0 { file.document.undo().is_some() } else { file.document.redo().is_some() };
        }
        let label = file.document.undo_labels().next().map(str::to_owned);
        self.say(label.map_or_else(|| "As opened".to_owned(), |label| format!("State after: {label}")));
        self.refresh();
    }

    pub(crate) fn copy(&mut self) {
        let open = self.file.as_ref().and_then(|file| file.open_model(&self.blocks.registry));
        if let Some(fragment) = open.and_then(|open| open.copy()) {
            let count = fragment.blocks.len();
            self.say(if count == 1 { "Copied one block".to_owned() } else { format!("Copied {count} blocks") });
            self.keep(fragment);
        }
    }

    /// Puts blocks on the clipboard, also as text for other windows.
    pub(crate) fn keep(&mut self, fragment: Fragment) {
        let text = files::text_of(&fragment, &self.blocks.registry);
        if let Some(text) = &text {
            self.ctx.copy_text(text.clone());
        }
        let document = self.file.as_ref().map(|file| file.number);
        self.documents.clipboard = Some(Clipboard { fragment, text, document, cut_from: None });
    }

    /// Inserts the blocks in the platform's clipboard, else those copied in this window.
    pub(crate) fn paste_text(&mut self, text: &str) {
        let is_own = self.documents.clipboard.as_ref().is_some_and(|own| own.text.as_deref() == Some(text));
        if !is_own && !text.trim().is_empty() {
            match files::fragment_of(text) {
                Ok(fragment) => {
                    self.documents.clipboard = Some(Clipboard { fragment, text: None, document: None, cut_from: None })
                }
                Err(problem) => return self.complain(problem),
            }
        }
        self.dispatch(Command::Edit(EditCommand::Paste));
    }

    pub(crate) fn paste(&mut self, at: Option<crate::model::Position>) {
        let Some(clipboard) = self.documents.clipboard.clone() else {
            // The platform's clipboard arrives as an event.
            self.ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
            return;
        };
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        // Within the document, an instance stays one of its model, though that was edited since.
        let is_own = clipboard.document == Some(file.number);
        let was: Vec<BlockId> = clipboard.fragment.blocks.iter().map(|block| block.id).collect();
        let cut_from = clipboard.cut_from.filter(|_| is_own);
        let fragment = match is_own {
            true => clipboard.fragment.with_current_definitions(&simulation),
            false => clipboard.fragment,
        };
        // At the pointer if it is over the diagram, else beside the originals.
        let at = at.or(file.pointer);
        let view = DocumentView { simulation: &simulation, registry: &self.blocks.registry };
        let mut renamed = Vec::new();
        let change = file.canvas.edit(&view, |open| {
            let (edited, names) = open.paste(&fragment, at)?;
            renamed = names;
            Some(edited)
        });
        let Some(mut change) = change else { return };
        if let (Some(from), Some(root)) = (cut_from, simulation.root_model()) {
            let moved = moved_by(&change, (&from, &was), file.canvas.path());
            let is_gone = |(old, _): &(BlockAddress, BlockAddress)| old.find(&simulation).is_none();
            if moved.iter().all(is_gone) {
                change
                    .edits
                    .push(Edit::Relocate(Box::new(Relocation { blocks: moved, ..Relocation::new(&root.name) })));
            }
        }
        if self.apply(&change) && !renamed.is_empty() {
            let names = renamed.join(", ");
            self.say(format!("Pasted {names}: this simulation has others of these names"));
        }
    }

    pub(crate) fn change_on_canvas(&mut self, make: impl FnOnce(&mut Canvas, &DocumentView) -> Option<Change>) {
        let Some(file) = &mut self.file else { return };
        let simulation = Arc::clone(file.document.simulation());
        let view = DocumentView { simulation: &simulation, registry: &self.blocks.registry };
        if let Some(change) = make(&mut file.canvas, &view) {
            self.apply(&change);
        }
    }

    pub(crate) fn open_quick_insert(&mut self) {
        let Some(rect) = self.window.layout.canvas_rect else { return };
        let screen_pos = rect.center_top() + egui::vec2(0.0, rect.height() * 0.2);
        self.with_file(|file| {
            let state = match file.canvas.continued() {
                Some((what, screen)) => quick_insert::QuickInsertState::new(None, screen).continuing(what),
                None => quick_insert::QuickInsertState::new(None, screen_pos),
            };
            file.panels.quick_insert = Some(state);
        });
    }

    /// Selects a block and opens the list of possible replacements.
    fn ask_replacement(&mut self, model: Arc<str>, block: BlockId, screen: egui::Pos2) {
        self.act_on_view(ViewAction::OpenModel { model, block: Some(block) });
        self.with_file(|file| {
            if file.canvas.selection().single_block() == Some(block) {
                file.panels.quick_insert = Some(quick_insert::QuickInsertState::new(None, screen).replacing());
            }
        });
    }

    /// The list opens below the selected block.
    pub(crate) fn open_quick_replace(&mut self) {
        self.with_file(|file| {
            let screen_pos = file.canvas.screen_of_selected();
            let state = screen_pos.map(|screen_pos| quick_insert::QuickInsertState::new(None, screen_pos).replacing());
            file.panels.quick_insert = state.or(file.panels.quick_insert.take());
        });
    }
}

/// Returns where the blocks that were cut from a model are once a change has pasted them into the model at `into`.
fn moved_by(
    change: &Change,
    (from, was): (&[BlockId], &[BlockId]),
    into: &[BlockId],
) -> Vec<(BlockAddress, BlockAddress)> {
    let added = change.edits.iter().filter_map(|edit| match edit {
        Edit::AddBlock { block, .. } => Some(block.id),
        _ => None,
    });
    was.iter().zip(added).map(|(old, new)| (BlockAddress::new(from, *old), BlockAddress::new(into, new))).collect()
}
