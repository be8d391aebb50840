//! Commands of the canvas in the menus, the command palette and the keyboard.

use std::sync::Arc;

use eframe::egui::Pos2;

use super::{CommandError, Edited, OpenModel, breakpoint};
use crate::app::action::diagram_command::DiagramCommand;
use crate::app::action::new_block::{Course, NewBlock};
use crate::app::canvas::overlay::{Highlight, LoopOffer};
use crate::app::canvas::{CameraMove, Canvas, CanvasOutput, DocumentView, Selection};
use crate::model::{Change, Commented, Connection, Model, Simulation};

impl OpenModel<'_> {
    /// Executes a command that changes the model. `middle` is the centre of the view.
    fn perform(&self, command: DiagramCommand, middle: Pos2) -> Result<Option<Edited>, CommandError> {
        let change = match command {
            DiagramCommand::Connect => self.connect_selection(),
            DiagramCommand::Align(align) => self.align(align),
            DiagramCommand::Distribute(axis) => self.distribute(axis),
            DiagramCommand::SameSize(size) => self.same_size(size),
            DiagramCommand::OwnSize => self.own_size(),
            DiagramCommand::Rotate => self.rotate(),
            DiagramCommand::Flip => self.flip(),
            DiagramCommand::CommentOut => self.comment(Commented::Out),
            DiagramCommand::CommentThrough => self.comment(Commented::Through),
            DiagramCommand::Arrange => self.arrange(),
            DiagramCommand::ToggleBreakpoint => breakpoint::toggle(self.model, self.selection),
            DiagramCommand::AddArea => return Ok(self.add_area(middle)),
            DiagramCommand::Group => return Ok(self.group()),
            DiagramCommand::Expand => return self.expand(),
            DiagramCommand::ToTags => return self.name_wires().map(Some).ok_or(CommandError::NoWires),
            DiagramCommand::ToWires => return self.wire_names().map(Some).map_err(CommandError::Tags),
            DiagramCommand::EditValue
            | DiagramCommand::NameSignal
            | DiagramCommand::Trace(_)
            | DiagramCommand::WireByKeys
            | DiagramCommand::Focus
            | DiagramCommand::ToggleMinimap
            | DiagramCommand::ToggleGrid
            | DiagramCommand::ToggleStrip
            | DiagramCommand::ToggleRates
            | DiagramCommand::ToggleValues => None,
        };
        Ok(change.map(Edited::from))
    }
}

impl Canvas {
    /// Returns the open model for the edit commands.
    pub fn open<'a>(&'a self, view: &DocumentView<'a>) -> Option<OpenModel<'a>> {
        OpenModel::of(&self.view, &self.scene, &self.selection, view)
    }

    /// Makes a change to the open model, and sets the selection after it.
    pub fn edit<E: Into<Edited>>(
        &mut self,
        view: &DocumentView,
        make: impl FnOnce(&OpenModel) -> Option<E>,
    ) -> Option<Change> {
        let Edited { change, selection } = make(&self.open(view)?)?.into();
        if let Some(selection) = selection {
            self.selection = selection;
        }
        Some(change)
    }

    /// Executes a command on the open model and the selection. The output has the changes to apply, or the reason for a
    /// refusal.
    pub fn perform(&mut self, view: &DocumentView, command: DiagramCommand) -> CanvasOutput {
        let mut output = CanvasOutput::default();
        self.scene.ensure(self.selection.blocks.iter().copied(), view.registry);
        if let Some(flag) = self.view.shown.flag_mut(command) {
            *flag = !*flag;
        }
        match command {
            DiagramCommand::EditValue => self.edit_value(),
            DiagramCommand::NameSignal => self.name_signal(),
            DiagramCommand::Trace(direction) => {
                self.overlay.highlight = self.open(view).and_then(|open| Highlight::of(&open, direction));
            }
            DiagramCommand::WireByKeys => self.begin_wire_by_keys(view),
            DiagramCommand::Focus => self.take_keys(),
            _ => {
                let (middle, mut refusal) = (self.view.middle(), None);
                let result = |open: &OpenModel| {
                    open.perform(command, middle).unwrap_or_else(|error| {
                        refusal = Some(error.to_string());
                        None
                    })
                };
                output.changes.extend(self.edit(view, result));
                output.refused = refusal;
            }
        }
        // The title of an area and the name of a subsystem are edited next.
        if !output.changes.is_empty() && matches!(command, DiagramCommand::AddArea | DiagramCommand::Group) {
            self.overlay.awaited = self.selection.single_block();
            self.overlay.is_grouped |= command == DiagramCommand::Group;
        }
        output
    }

    pub fn select_all(&mut self, simulation: &Simulation) {
        let Some(model) = self.open_model(simulation) else { return };
        let (blocks, wires) = (model.blocks.keys().copied().collect(), model.connections.keys().cloned().collect());
        self.selection = Selection { blocks, wires };
    }

    /// Adds a block in the visible area where it does not cover another.
    pub fn add_block(&mut self, view: &DocumentView, new: NewBlock) -> Option<Change> {
        let middle = self.view.middle();
        self.edit(view, |open| open.add_block(new, middle))
    }

    /// Adds a block that continues the selection, and shows it.
    pub fn insert_next(&mut self, view: &DocumentView, new: NewBlock, course: Course) -> Option<Change> {
        let middle = self.view.middle();
        let change = self.edit(view, |open| open.insert_next(new, middle, course))?;
        self.view.camera_move = self.selection.single_block().map(CameraMove::Block);
        Some(change)
    }

    /// Leaves a wire open that the document has refused because of a loop, and offers fixes.
    pub fn leave_refused_open(
        &mut self,
        view: &DocumentView,
        model: &Arc<Model>,
        connection: &Connection,
        text: &str,
    ) -> Option<Change> {
        let change = OpenModel { model, ..self.open(view)? }.leave_refused_open(connection)?;
        self.overlay.offer = Some(LoopOffer::new(connection, text));
        Some(change)
    }

    /// Starts in-place editing of the selected block's title, or of the selected wire's signal name.
    pub fn rename(&mut self) {
        match self.selection.single_block() {
            Some(id) => self.overlay.begin_title(&self.scene, id),
            None => self.name_signal(),
        }
    }

    /// Starts in-place editing of the selected block's main value; for a block that was just inserted, as soon as it
    /// exists.
    pub fn edit_value(&mut self) {
        self.overlay.awaited = self.selection.single_block();
    }

    /// Starts editing the signal name and unit of the selected wire, or of the selected block's first output.
    pub fn name_signal(&mut self) {
        let of_block = self.selection.single_block().and_then(|id| {
            let output = self.scene.block(id)?.ports.outputs.first()?;
            self.scene.net(id, output).next().map(|wire| wire.key())
        });
        if let Some(key) = self.selection.wires.first().cloned().or(of_block) {
            self.overlay.begin_signal(&self.scene, &key);
        }
    }
}
