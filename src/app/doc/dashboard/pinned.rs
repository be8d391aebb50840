//! Widgets on the canvas. Each belongs to a block and moves with it: it is stored in the block's attribute
//! `view:widgets`, with a position relative to the block, and it names no other block. So it is copied, pasted, grouped
//! and deleted with the block, and in a model with several instances it refers to the one that is open.

use std::sync::Arc;

use super::text::{self, PathBase};
use super::{Dashboard, GRID, Widget};
use crate::app::doc::plots::each_block_with;
use crate::app::doc::reader::NameReader;
use crate::block::Registry;
use crate::model::{Block, BlockId, Change, Edit, PINNED, SignalKey, Simulation};

/// Maximum number of signals that pinned widgets show.
const MAX_SIGNALS: usize = 256;

/// Returns the widgets of a block in the model at the end of a path.
pub fn pinned(block: &Block, path: &[BlockId], simulation: &Simulation, registry: &Registry) -> Vec<Widget> {
    read_pinned(block, path, &NameReader::new(simulation, registry))
}

fn read_pinned(block: &Block, path: &[BlockId], reader: &NameReader) -> Vec<Widget> {
    let text = block.attributes.get(PINNED).unwrap_or_default();
    text::read(text, PathBase::Block { path, id: block.id }, reader)
}

/// The gap between a block with its title and its first widget, in model points.
const BELOW: f32 = 28.0;

/// Returns where a new widget stands below the others of a block whose body has this height, in model points from the
/// body's upper edge.
pub fn below(widgets: &[Widget], body_height: f32) -> f32 {
    widgets.iter().map(|widget| widget.y + widget.height + GRID).fold(body_height + BELOW, f32::max)
}

/// Returns the edit that stores the widgets of a block.
pub fn pinned_edit(model: &Arc<str>, id: BlockId, widgets: &[Widget]) -> Edit {
    let text = text::write(widgets, PathBase::Block { path: &[], id });
    let value = Some(text).filter(|text| !text.is_empty()).map(Into::into);
    Edit::SetBlockAttribute { model: Arc::clone(model), id, name: PINNED.into(), value }
}

/// Returns the signals that pinned widgets show, in all instances of their models.
pub fn signals_of_pinned(reader: &NameReader) -> Vec<SignalKey> {
    let mut found = Vec::new();
    let is_wanted = |block: &Block| block.attributes.get(PINNED).is_some();
    each_block_with(reader.simulation, &is_wanted, &mut |path, _, block| {
        reader.note(path, None);
        let widgets = read_pinned(block, path, reader);
        found.extend(widgets.iter().filter_map(Widget::signal).cloned());
        found.len() < MAX_SIGNALS
    });
    found
}

/// Where widgets are stored: in the dashboard, or with a block.
#[derive(Clone, Copy, Debug)]
pub enum WidgetHost<'a> {
    Board(&'a Dashboard),
    Block { model: &'a Arc<str>, id: BlockId, widgets: &'a [Widget] },
}

impl<'a> WidgetHost<'a> {
    pub fn widgets(&self) -> &'a [Widget] {
        match self {
            WidgetHost::Board(dashboard) => &dashboard.widgets,
            WidgetHost::Block { widgets, .. } => widgets,
        }
    }

    /// Returns the block, if they are stored with one.
    pub fn block(&self) -> Option<BlockId> {
        match self {
            WidgetHost::Board(_) => None,
            WidgetHost::Block { id, .. } => Some(*id),
        }
    }

    /// Returns the change of one of them.
    pub fn with(&self, label: impl Into<String>, number: usize, change: impl FnOnce(&mut Widget)) -> Change {
        let mut widgets = self.widgets().to_vec();
        if let Some(widget) = widgets.get_mut(number) {
            change(widget);
        }
        self.change(label, widgets)
    }

    /// Returns the change that removes one of them.
    pub fn without(&self, label: impl Into<String>, number: usize) -> Change {
        let mut widgets = self.widgets().to_vec();
        if number < widgets.len() {
            widgets.remove(number);
        }
        self.change(label, widgets)
    }

    fn change(&self, label: impl Into<String>, widgets: Vec<Widget>) -> Change {
        match self {
            WidgetHost::Board(_) => Dashboard { widgets }.change(label),
            WidgetHost::Block { model, id, .. } => Change::one(label, pinned_edit(model, *id, &widgets)),
        }
    }
}
