//! Commands of the canvas in the menus, the command palette and the keyboard.

use std::sync::Arc;

use crate::app::action::diagram::DiagramCommand;
use crate::app::canvas::{Canvas, CanvasOutput, DocumentView};
use crate::model::{BlockKind, Change, Commented, Edit, ExpandError, Simulation, TagError};

/// Why a command on the diagram is refused.
#[derive(Debug, thiserror::Error)]
pub(in crate::app::canvas) enum CommandError {
    #[error("Select one model block to expand")]
    NoModelBlock,
    #[error("Expand {title}: {error}")]
    Expand { title: String, error: ExpandError },
    #[error("Select wires to replace with Goto/From")]
    NoWires,
    #[error(transparent)]
    Tags(TagError),
}

impl CanvasOutput {
    /// Notes why a command is refused, which has no change then.
    fn refuse(&mut self, error: CommandError) -> Option<Change> {
        self.refused = Some(error.to_string());
        None
    }
}

impl Canvas {
    /// Returns whether a toggle command is on; None for other commands.
    pub fn is_on(&self, command: DiagramCommand) -> Option<bool> {
        match command {
            DiagramCommand::ToggleMinimap => Some(!self.hides_minimap),
            DiagramCommand::ToggleGrid => Some(!self.hides_grid),
            DiagramCommand::ToggleStrip => Some(!self.hides_strip),
            DiagramCommand::ToggleRates => Some(self.shows_rates),
            DiagramCommand::ToggleValues => Some(self.shows_values),
            _ => None,
        }
    }

    /// Executes a command on the open model and the selection. The output has the changes to apply, or the reason for a
    /// refusal.
    pub fn perform(&mut self, view: &DocumentView, command: DiagramCommand) -> CanvasOutput {
        let simulation = view.simulation;
        let mut output = CanvasOutput::default();
        self.scene.ensure(self.selection.blocks.iter().copied(), view.registry);
        let change = match command {
            DiagramCommand::Connect => self.connect_selection(view),
            DiagramCommand::Align(align) => self.align(simulation, align),
            DiagramCommand::Distribute(axis) => self.distribute(simulation, axis),
            DiagramCommand::SameSize(size) => self.same_size(simulation, size),
            DiagramCommand::OwnSize => self.own_size(simulation),
            DiagramCommand::Rotate => self.rotate(simulation),
            DiagramCommand::Flip => self.flip(simulation),
            DiagramCommand::CommentOut => self.comment(simulation, Commented::Out),
            DiagramCommand::CommentThrough => self.comment(simulation, Commented::Through),
            DiagramCommand::Arrange => self.arrange(simulation),
            DiagramCommand::AddArea => self.add_area(view),
            DiagramCommand::Group => self.group(view),
            DiagramCommand::Expand => self.expand(view).unwrap_or_else(|refusal| output.refuse(refusal)),
            DiagramCommand::ToTags => self.name_wires(view).or_else(|| output.refuse(CommandError::NoWires)),
            DiagramCommand::ToWires => {
                self.wire_names(view).unwrap_or_else(|error| output.refuse(CommandError::Tags(error)))
            }
            DiagramCommand::EditValue => {
                self.edit_value();
                None
            }
            DiagramCommand::NameSignal => {
                self.name_signal();
                None
            }
            DiagramCommand::Trace(direction) => {
                self.light_up(view, direction);
                None
            }
            DiagramCommand::WireByKeys => {
                self.begin_wire_by_keys(view);
                None
            }
            DiagramCommand::Focus => {
                (self.wants_focus, self.is_by_keys) = (true, true);
                None
            }
            DiagramCommand::ToggleMinimap => {
                self.hides_minimap = !self.hides_minimap;
                None
            }
            DiagramCommand::ToggleGrid => {
                self.hides_grid = !self.hides_grid;
                None
            }
            DiagramCommand::ToggleStrip => {
                self.hides_strip = !self.hides_strip;
                None
            }
            DiagramCommand::ToggleRates => {
                self.shows_rates = !self.shows_rates;
                None
            }
            DiagramCommand::ToggleValues => {
                self.shows_values = !self.shows_values;
                None
            }
            DiagramCommand::ToggleBreakpoint => self.toggle_breakpoint(simulation),
        };
        output.changes.extend(change);
        output
    }
}

impl Canvas {
    /// Leaves the selected blocks out of runs, or includes them again if all are left out in this way.
    fn comment(&self, simulation: &Arc<Simulation>, wanted: Commented) -> Option<Change> {
        let model = self.open_model(simulation)?;
        let selected = self.selection.blocks.iter().filter_map(|id| Some((model.block(*id)?, self.scene.block(*id)?)));
        let is_possible = |kind: &BlockKind| matches!(kind, BlockKind::Library { .. } | BlockKind::Model { .. });
        let selected = selected.filter(|(block, view)| is_possible(&block.kind) && !view.is_remark());
        let blocks: Vec<_> = selected.map(|(block, _)| block).collect();
        let is_back = blocks.iter().all(|block| Commented::of(block) == Some(wanted));
        let value = (!is_back).then(|| wanted.name());
        let set = |id| Edit::SetBlockAttribute {
            model: Arc::clone(&model.name),
            id,
            name: Commented::ATTRIBUTE.into(),
            value: value.map(Into::into),
        };
        let edits: Vec<Edit> = blocks.iter().map(|block| set(block.id)).collect();
        let what = match (&blocks[..], is_back) {
            ([], _) => return None,
            ([one], false) => format!("Comment {} {}", wanted.name(), one.title()),
            ([one], true) => format!("Uncomment {}", one.title()),
            (several, false) => format!("Comment {} {} blocks", wanted.name(), several.len()),
            (several, true) => format!("Uncomment {} blocks", several.len()),
        };
        Some(Change::new(what, edits))
    }
}
