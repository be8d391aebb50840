//! Widgets on the canvas. Each stands beside the block that it is about and goes with it: it is the block's attribute
//! `view:widgets`, its place is counted from the block's, and it names no other block. So it is copied, pasted, grouped
//! and deleted as the block is, and in a model that is used several times it is about the use that is looked at.

use std::sync::Arc;

use super::text::{self, PathBase};
use super::{Dashboard, Widget};
use crate::app::plots::each_block_with;
use crate::block::Registry;
use crate::model::{Block, BlockId, Change, Edit, SignalKey, Simulation};

/// The attribute of a block that holds its widgets.
pub const PINNED: &str = "view:widgets";

/// Signals of widgets on canvases at most.
const MAX_SIGNALS: usize = 256;

/// The widgets that stand beside a block in the model at the end of a path.
pub fn pinned(block: &Block, path: &[BlockId], simulation: &Simulation, registry: &Registry) -> Vec<Widget> {
    let text = block.attributes.get(PINNED).unwrap_or_default();
    text::read(text, PathBase::Block { path, id: block.id }, simulation, registry)
}

/// The edit that lets these widgets stand beside a block.
pub fn pinned_edit(model: &Arc<str>, id: BlockId, widgets: &[Widget]) -> Edit {
    let text = text::write(widgets, PathBase::Block { path: &[], id });
    let value = Some(text).filter(|text| !text.is_empty()).map(Into::into);
    Edit::SetBlockAttribute { model: Arc::clone(model), id, name: PINNED.into(), value }
}

/// What widgets on canvases show, wherever their models are used.
pub fn signals_of_pinned(simulation: &Simulation, registry: &Registry) -> Vec<SignalKey> {
    let mut found = Vec::new();
    let is_wanted = |block: &Block| block.attributes.get(PINNED).is_some();
    each_block_with(simulation, &is_wanted, &mut |path, _, block| {
        let widgets = pinned(block, path, simulation, registry);
        found.extend(widgets.iter().filter_map(Widget::signal).cloned());
        found.len() < MAX_SIGNALS
    });
    found
}

/// Where widgets stand: on the panel, or beside a block.
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

    /// The block, where they stand beside one.
    pub fn block(&self) -> Option<BlockId> {
        match self {
            WidgetHost::Board(_) => None,
            WidgetHost::Block { id, .. } => Some(*id),
        }
    }

    /// The change of one of them.
    pub fn with(&self, label: impl Into<String>, number: usize, change: impl FnOnce(&mut Widget)) -> Change {
        let mut widgets = self.widgets().to_vec();
        if let Some(widget) = widgets.get_mut(number) {
            change(widget);
        }
        self.change(label, widgets)
    }

    /// The change that takes one of them away.
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
