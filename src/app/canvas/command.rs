//! What the canvas does at a command of the menus, the palette or the keyboard.

use super::{Canvas, CanvasView};
use crate::model::Change;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramCommand {
    /// Joins the selected blocks from left to right.
    Connect,
    /// Edits the main value of the selected block where it stands.
    EditValue,
    /// Edits the name of the selected wire's signal where it stands.
    NameSignal,
}

impl Canvas {
    /// Does a command on the open model and the selection; gives the change to be applied, if there is one.
    pub fn perform(&mut self, view: &CanvasView, command: DiagramCommand) -> Option<Change> {
        match command {
            DiagramCommand::Connect => return self.connect_selection(view),
            DiagramCommand::EditValue => self.edit_value(),
            DiagramCommand::NameSignal => self.name_signal(),
        }
        None
    }
}
