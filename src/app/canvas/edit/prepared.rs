//! A block as it would be added: at its place, with its ports, before the document has it.

use std::sync::Arc;

use eframe::egui::emath::{Pos2, Rect};

use super::texts::main_param;
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::DocumentView;
use crate::app::canvas::geometry::{Facing, RoundSide, position_of, snap};
use crate::app::canvas::scene::{BlockView, VIEW_INPUTS, VIEW_ROTATE};
use crate::app::doc::ports::{self, PortGroup};
use crate::app::doc::typed::{number_texts, wanted_of};
use crate::block::{Body, ParamKind, Registry};
use crate::model::{Block, BlockKind, CopiedModel, Edit, Model, Simulation, VIEW_FLIP};

/// The name of a model that is created when its block is placed.
pub const NEW_MODEL: &str = "Model";

/// A block as it would be added.
pub struct Prepared {
    pub block: Block,
    pub view: BlockView,
    /// The edits that bring its model into the document, or create it.
    pub models: Vec<Edit>,
    /// The document with a model that comes from another.
    simulation: Arc<Simulation>,
}

impl Prepared {
    /// Returns a block as it would be added with its centre at `middle`, snapped to the grid.
    pub fn new(view: &DocumentView, model: &Arc<Model>, new: NewBlock, middle: Pos2) -> Option<Prepared> {
        let value = new.value.clone();
        let (kind, CopiedModel { edits: mut models, simulation, .. }) = new.brought_into(view.simulation)?;
        let given = value.as_deref().unwrap_or_default();
        let port = |name: &str, usual| model.free_port_name(non_empty(given, non_empty(name, usual)));
        let kind = match kind {
            BlockKind::Entry { name } => BlockKind::entry(&port(&name, "x")),
            BlockKind::Exit { name } => BlockKind::exit(&port(&name, "y")),
            BlockKind::Model { model } if model.is_empty() => {
                let name: Arc<str> = view.simulation.free_model_name(non_empty(given, NEW_MODEL)).into();
                models.push(Edit::AddModel { name: Arc::clone(&name) });
                BlockKind::Model { model: name }
            }
            other => other,
        };
        let mut block = Block::new(model.free_id(), kind);
        let mut preview = BlockView::new(&simulation, view.registry, model, &Arc::new(block.clone()));
        if let Some(valued) = value.and_then(|value| with_value(&preview, &value)) {
            preview = BlockView::new(&simulation, view.registry, model, &Arc::new(valued.clone()));
            block = valued;
        }
        let prepared = Prepared { block, view: preview, models, simulation };
        let corner = snap(middle - prepared.view.outline.rect.size() / 2.0);
        Some(prepared.moved_to(corner))
    }

    pub fn moved_to(mut self, corner: Pos2) -> Prepared {
        self.view.position = corner;
        self.view.outline = self.view.outline.moved_to(corner);
        let position = position_of(corner);
        self.block = self.block.at(position.x, position.y);
        self
    }

    /// Its room with the title.
    pub fn room(&self) -> Rect {
        self.view.outline.with_title()
    }

    /// Returns the same block, turned or mirrored so that its signal leaves in another direction.
    pub fn facing(&self, registry: &Registry, model: &Model, facing: Facing) -> Prepared {
        let mut block = self.block.clone();
        match facing {
            Facing::Right => {}
            Facing::Left => block.set_view(VIEW_FLIP, Some("1")),
            Facing::Down => block.set_view(VIEW_ROTATE, Some("90")),
            Facing::Up => block.set_view(VIEW_ROTATE, Some("270")),
        }
        // The signal that it continues arrives on its line, and not from above.
        if self.view.body == Body::Circle && self.view.ports.inputs.len() == 3 {
            let sides = [RoundSide::Left, RoundSide::Bottom, RoundSide::Top];
            block.set_view(VIEW_INPUTS, Some(&RoundSide::text_of(&sides)));
        }
        self.as_block(registry, model, block)
    }

    /// Returns the same block with at least `count` inputs, as far as a parameter adds them.
    pub fn with_inputs(&self, registry: &Registry, model: &Model, count: usize) -> Prepared {
        let Some(def) = self.view.def else { return self.as_block(registry, model, self.block.clone()) };
        let grown =
            ports::with_ports(&self.simulation, registry, model, self.block.clone(), def, (PortGroup::Inputs, count));
        self.as_block(registry, model, grown)
    }

    fn as_block(&self, registry: &Registry, model: &Model, block: Block) -> Prepared {
        let view = BlockView::new(&self.simulation, registry, model, &Arc::new(block.clone()));
        Prepared { block, view, models: self.models.clone(), simulation: Arc::clone(&self.simulation) }
    }
}

/// Returns a block with a typed text as its main value; None if it has none.
fn with_value(view: &BlockView, text: &str) -> Option<Block> {
    let param = main_param(view)?;
    let texts = match param.kind {
        ParamKind::Text { .. } | ParamKind::Formula { .. } | ParamKind::Code { .. } => vec![text.to_owned()],
        _ => number_texts(text, wanted_of(param), &|_| None),
    };
    let mut block = Block::clone(&view.block);
    block.set_option(param.name, Some(&texts));
    Some(block)
}

pub fn non_empty<'a>(name: &'a str, other: &'a str) -> &'a str {
    if name.is_empty() { other } else { name }
}
