//! Connects the selected block to an input that is found by typing the name of its block: `>sum`.

use std::sync::Arc;

use eframe::egui::vec2;

use super::changes::{attribute_edit, connect, move_change};
use super::{Edited, OpenModel};
use crate::app::canvas::Selection;
use crate::app::canvas::geometry::{Facing, GRID};
use crate::app::canvas::gesture::{Wire, WireEnd};
use crate::app::canvas::scene::BlockView;
use crate::app::doc::ports::{self, PortGroup};
use crate::block::search;
use crate::model::{BlockId, Change, Connection, Edit, VIEW_FLIP};

/// The most inputs that are listed.
const MOST: usize = 30;

/// An input to which the selected block can be connected.
pub struct ConnectTarget {
    pub block: BlockId,
    pub input: Arc<str>,
    /// The edits that add the input to the block; none if it has it.
    added: Vec<Edit>,
    title: String,
}

impl ConnectTarget {
    /// The row in the list.
    pub fn label(&self) -> String {
        let new = if self.added.is_empty() { "" } else { ", a new input" };
        format!("Connect to {} {} · {}{new}", self.title, self.block, self.input)
    }
}

impl OpenModel<'_> {
    /// Returns the inputs to which the selected block can be connected and whose block matches the query: free ones
    /// first, the nearest of equal matches first, then those that would be added. An input that would close an
    /// algebraic loop is left out.
    pub fn targets(&self, query: &str) -> Vec<ConnectTarget> {
        let Some((id, output)) = self.selected_output() else { return Vec::new() };
        let fit = |view: &BlockView| search::fit(query, view.block.title());
        let mut wire = Wire::new(WireEnd::Output(id, output), Default::default());
        wire.find_closed(self.scene, self.document.simulation, self.document.registry);
        let free = wire.ends(self.scene).into_iter().filter_map(|(block, input, _)| {
            let view = self.scene.block(block)?;
            let fit = fit(view).filter(|_| self.model.source(block, &input).is_none())?;
            let title = view.block.title().to_owned();
            Some((fit, ConnectTarget { block, input, added: Vec::new(), title }))
        });
        let mut found: Vec<_> = free.collect();
        found.sort_by_key(|(fit, _)| -fit);
        let mut grown: Vec<_> = self
            .scene
            .blocks()
            .filter(|view| view.block.id != id)
            .filter_map(|view| Some((fit(view).filter(|_| !query.is_empty())?, view)))
            .collect();
        grown.sort_by_key(|(fit, view)| (-fit, view.block.id));
        let grown = grown.into_iter().take(MOST).filter_map(|(_, view)| self.grown(view));
        found.into_iter().map(|(_, target)| target).chain(grown).take(MOST).collect()
    }

    /// Returns the output of the selected block that a wire would start at: the first that leads nowhere, or the first.
    fn selected_output(&self) -> Option<(BlockId, Arc<str>)> {
        let id = self.selection.single_block()?;
        let outputs = self.scene.outputs_of(id);
        let is_free = |(id, output): &&(BlockId, Arc<str>)| self.scene.net(*id, output).next().is_none();
        outputs.iter().find(is_free).or(outputs.first()).cloned()
    }

    /// Returns the input that a parameter would add to a block without a free one.
    fn grown(&self, view: &BlockView) -> Option<ConnectTarget> {
        let (id, def) = (view.block.id, view.def?);
        let inputs = &view.ports.inputs;
        if inputs.is_empty() || inputs.iter().any(|input| self.model.source(id, input).is_none()) {
            return None;
        }
        let change = ports::added(self.document.simulation, self.model, &view.block, def, PortGroup::Inputs)?;
        let more = self.applied(&change).ok()?;
        let model = more.model(&self.model.name)?;
        let block = model.block(id)?;
        let ports = crate::model::block_ports(&more, self.document.registry, model, block);
        let input = ports.inputs.iter().find(|input| !inputs.contains(input))?;
        let title = view.block.title().to_owned();
        Some(ConnectTarget { block: id, input: Arc::clone(input), added: change.edits, title })
    }

    /// Connects the selected block to an input; it stays selected. A block with one input and one output that has led
    /// nowhere is mirrored if the input is behind it: the signal runs back through it.
    pub fn connect_selected(&self, target: &ConnectTarget) -> Option<Edited> {
        let (id, output) = self.selected_output()?;
        let view = self.scene.block(id)?;
        let to = self.scene.block(target.block)?;
        let mut wire = Connection::new(id, &output, target.block, &target.input);
        wire.carry_signal_of(self.scene.net(id, &output).next().map(|known| &*known.connection));
        let is_behind = to.outline.rect.center().x < view.outline.rect.left();
        let is_fresh = view.is_link() && self.scene.net(id, &output).next().is_none();
        let is_turned = is_behind && is_fresh && view.outline.facing == Facing::Right;
        let mut edits = if is_turned { self.turned_back(view) } else { self.pins() };
        edits.extend(target.added.iter().cloned());
        edits.push(connect(self.model, wire));
        let change = Change::new(format!("Connect {} to {}", view.block.title(), target.title), edits);
        Some(Edited::selecting(self.with_sides(change), Selection::of_block(id)))
    }

    /// Returns the edits that mirror a block, and move it to below the block that feeds it if it is free there: the
    /// signal runs back.
    fn turned_back(&self, view: &BlockView) -> Vec<Edit> {
        let id = view.block.id;
        let rect = view.outline.rect;
        let fed = view.ports.inputs.first().and_then(|input| self.model.source(id, input));
        let right = fed.and_then(|wire| self.scene.block(wire.from)).map(|from| from.outline.rect.right());
        let shift = right.map(|right| vec2(right - rect.right(), 0.0)).filter(|shift| {
            let room = view.outline.with_title().translate(*shift).expand(GRID);
            let mut near = self.scene.blocks_in(room).into_iter();
            shift.x < 0.0 && near.all(|other| other.block.id == id || other.is_area())
        });
        let moves = shift.map(|shift| [(id, view.position + shift)].into()).unwrap_or_default();
        let moved = move_change(self.scene, self.model, &moves, shift.unwrap_or_default());
        let mut edits = moved.map_or_else(|| self.pins(), |change| change.edits);
        edits.push(attribute_edit(self.model, id, VIEW_FLIP, Some("1".to_owned())));
        edits
    }
}
