//! The sides of a round sum at which its signals arrive: each input on the side that its signal comes from.

use std::collections::BTreeSet;

use eframe::egui::emath::Pos2;

use super::OpenModel;
use super::changes::attribute_edit;
use crate::app::canvas::geometry::RoundSide;
use crate::app::canvas::scene::{BlockView, VIEW_INPUTS};
use crate::block::Body;
use crate::model::{Block, BlockId, Change, Edit, Model, Simulation};

/// How much better another order of sides must be than the one at hand.
const GAIN: f32 = 0.5;
/// An offset below this counts as level with the block.
const LEVEL: f32 = 20.0;

const ORDERS: [&[RoundSide]; 12] = {
    use RoundSide::{Bottom, Left, Top};
    [
        &[Left, Bottom],
        &[Left, Top],
        &[Bottom, Left],
        &[Top, Left],
        &[Top, Bottom],
        &[Bottom, Top],
        &[Left, Bottom, Top],
        &[Left, Top, Bottom],
        &[Top, Left, Bottom],
        &[Bottom, Left, Top],
        &[Top, Bottom, Left],
        &[Bottom, Top, Left],
    ]
};

impl OpenModel<'_> {
    /// Returns a change that connects, with the sides of the inputs of each round block that it connects to: that from
    /// which the signal comes. Sides that the document has are kept.
    pub fn with_sides(&self, change: Change) -> Change {
        let targets = change.edits.iter().filter_map(|edit| match edit {
            Edit::Connect { model, connection } if *model == self.model.name => Some(connection.to),
            _ => None,
        });
        let targets: BTreeSet<BlockId> = targets.collect();
        if !targets.iter().any(|id| self.may_be_round(*id, &change)) {
            return change;
        }
        let Ok(after) = self.applied(&change) else { return change };
        let Some(model) = after.model(&self.model.name) else { return change };
        let edits = targets.into_iter().filter_map(|id| self.sides_edit(&after, model, id));
        let edits: Vec<Edit> = edits.collect();
        Change { edits: change.edits.into_iter().chain(edits).collect(), ..change }
    }

    fn may_be_round(&self, id: BlockId, change: &Change) -> bool {
        let is_added = |edit: &Edit| matches!(edit, Edit::AddBlock { block, .. } if block.id == id);
        self.scene.block(id).map_or_else(|| change.edits.iter().any(is_added), |view| view.body == Body::Circle)
    }

    fn sides_edit(&self, after: &Simulation, model: &Model, id: BlockId) -> Option<Edit> {
        let view_of = |id| Some(BlockView::new(after, self.document.registry, model, model.block(id)?));
        let view = view_of(id)?;
        let count = view.ports.inputs.len();
        if view.body != Body::Circle || !(2..=3).contains(&count) || has_sides(&view.block, count) {
            return None;
        }
        let place = |id: BlockId, output: &str| -> Option<Pos2> {
            let shown = self.scene.block(id).and_then(|view| view.output_at(output));
            shown.or_else(|| view_of(id)?.output_at(output))
        };
        let source =
            |input: &std::sync::Arc<str>| model.source(id, input).and_then(|wire| place(wire.from, &wire.output));
        let sources: Vec<Option<Pos2>> = view.ports.inputs.iter().map(source).collect();
        // The block may have no position in the document yet.
        let shown = self.scene.block(id).map_or(view.outline.rect, |shown| shown.outline.rect);
        let heading = view.outline.facing.heading().vector();
        let offsets: Vec<Option<(f32, f32)>> = sources
            .iter()
            .map(|at| at.map(|at| ((at - shown.center()).dot(heading), (at - shown.center()).dot(below(heading)))))
            .collect();
        let cost = |sides: &[RoundSide]| -> f32 {
            sides.iter().zip(&offsets).filter_map(|(side, offset)| Some(cost_of(*side, (*offset)?))).sum()
        };
        let usual: &[RoundSide] = match count {
            2 => &[RoundSide::Left, RoundSide::Bottom],
            _ => &[RoundSide::Top, RoundSide::Left, RoundSide::Bottom],
        };
        let orders = ORDERS.into_iter().filter(|order| order.len() == count);
        let best = orders.min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        (cost(best) + GAIN <= cost(usual))
            .then(|| attribute_edit(self.model, id, VIEW_INPUTS, Some(RoundSide::text_of(best))))
    }
}

/// The direction across a heading in which feedback arrives: down, or left of a block that faces down.
fn below(heading: eframe::egui::Vec2) -> eframe::egui::Vec2 {
    if heading.y.abs() > 0.5 { eframe::egui::vec2(-1.0, 0.0) } else { eframe::egui::vec2(0.0, 1.0) }
}

fn has_sides(block: &Block, count: usize) -> bool {
    block.view(VIEW_INPUTS).is_some_and(|text| text.split_whitespace().count() == count)
}

/// How far a wire goes astray that reaches a side from an offset of its source along and across the block's direction.
fn cost_of(side: RoundSide, (along, across): (f32, f32)) -> f32 {
    let is_behind = along < 0.0;
    let is_level = across.abs() <= LEVEL;
    match side {
        RoundSide::Left if is_behind => {
            if is_level {
                0.0
            } else {
                0.4
            }
        }
        RoundSide::Left => 2.0,
        RoundSide::Bottom if is_level => {
            if is_behind {
                1.0
            } else {
                0.2
            }
        }
        RoundSide::Bottom => {
            if across > 0.0 {
                0.0
            } else {
                2.0
            }
        }
        RoundSide::Top if is_level => {
            if is_behind {
                1.0
            } else {
                0.3
            }
        }
        RoundSide::Top => {
            if across < 0.0 {
                0.0
            } else {
                2.0
            }
        }
    }
}
