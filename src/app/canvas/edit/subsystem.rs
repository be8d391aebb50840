//! Levels: creating a subsystem from a selection, expanding a model block, and highlighting a signal path through all
//! levels.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::{Rect, vec2};

use super::arrange::attribute_edit;
use super::perform::CommandError;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::overlay::Highlight;
use crate::app::canvas::scene::{VIEW_HEIGHT, VIEW_WIDTH};
use crate::app::canvas::{Canvas, DocumentView, Selection};
use crate::app::doc::{dashboard, plots};
use crate::block::{Body, Registry};
use crate::model::{
    Block, BlockId, BlockKind, Change, Direction, Edit, SignalKey, Simulation, Trace, expand, group, trace,
};

impl Canvas {
    /// Moves the selected blocks into a new model and replaces them by an instance of it.
    pub(in crate::app::canvas) fn group(&mut self, view: &DocumentView) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let ids: BTreeSet<BlockId> = self.with_carried(self.selection.blocks.iter().copied());
        let mut edits = self.pins(&model, &BTreeSet::new());
        // The edits below already contain the positions from the layout.
        let pinned = Change::new("", edits.clone()).applied(view.simulation, view.registry).ok()?;
        let placed = pinned.model(&model.name)?;
        let (grouped, block) = group(&pinned, placed, &ids, "Model")?;
        edits.extend(grouped);
        let moved = |signal: &SignalKey| match signal.path == self.path && ids.contains(&signal.block) {
            true => {
                let path = signal.path.iter().copied().chain([block]).collect();
                SignalKey { path, ..signal.clone() }
            }
            false => signal.clone(),
        };
        edits.extend(plots::edit_moved(view.simulation, view.registry, &self.path, moved));
        edits.extend(dashboard::edit_moved(view.simulation, view.registry, &self.path, moved));
        let count = ids.len();
        self.selection = Selection { blocks: BTreeSet::from([block]), ..Selection::default() };
        (self.awaited, self.is_grouped) = (Some(block), true);
        let what = if count == 1 { "a block".to_owned() } else { format!("{count} blocks") };
        Some(Change::new(format!("Create subsystem from {what}"), edits))
    }

    /// Replaces the selected model block by the contents of its model.
    pub(in crate::app::canvas) fn expand(&mut self, view: &DocumentView) -> Result<Option<Change>, CommandError> {
        let (Some(model), Some(id)) = (self.open_model(view.simulation).cloned(), self.selection.single_block()) else {
            return Err(CommandError::NoModelBlock);
        };
        let Some(block) = model.block(id) else { return Ok(None) };
        let label = format!("Expand {}", block.title());
        let refused = |error| CommandError::Expand { title: block.title().to_string(), error };
        let (expanded, ids) = expand(view.simulation, &model, id).map_err(refused)?;
        let mut edits = self.pins(&model, &BTreeSet::from([id]));
        edits.extend(expanded);
        self.selection = Selection { blocks: ids.into_iter().collect(), ..Selection::default() };
        Ok(Some(Change::new(label, edits)))
    }

    /// Adds an area around the selected blocks, or in the centre of the view.
    pub(in crate::app::canvas) fn add_area(&mut self, view: &DocumentView) -> Option<Change> {
        let model = Arc::clone(self.open_model(view.simulation)?);
        let def = view.registry.iter().find(|def| def.look.body == Body::Area)?;
        let held = self.selection.blocks.iter().filter_map(|id| self.scene.block(*id));
        let rect = match held.map(|view| view.outline.with_title()).reduce(Rect::union) {
            Some(bounds) => Rect { min: bounds.min - vec2(20.0, 34.0), max: bounds.max + vec2(20.0, 14.0) },
            None => Rect::from_center_size(self.transform().visible().center(), vec2(260.0, 180.0)),
        };
        let rect = Rect { min: snap(rect.min), max: snap(rect.max) };
        let at = position_of(rect.min);
        let id = model.free_id();
        let block = Block::new(id, BlockKind::library(def.group, def.name)).at(at.x, at.y);
        let mut edits = self.pins(&model, &BTreeSet::new());
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block) });
        for (name, length) in [(VIEW_WIDTH, rect.width()), (VIEW_HEIGHT, rect.height())] {
            edits.push(attribute_edit(&model, id, name, Some(length.to_string())));
        }
        self.selection = Selection { blocks: BTreeSet::from([id]), ..Selection::default() };
        // Its title is edited next.
        self.awaited = Some(id);
        Some(Change::new("Add area", edits))
    }

    /// Highlights the sources or destinations of the selected signals; an empty selection removes the highlight.
    pub(in crate::app::canvas) fn light_up(&mut self, view: &DocumentView, direction: Direction) {
        let simulation = view.simulation;
        let mut signals = self.selected_signals(simulation);
        if direction == Direction::ToSource {
            // For a block without outputs, its input signals are traced.
            let fed = self.selection.blocks.iter().flat_map(|id| super::commands::sources_of_block(&self.scene, *id));
            let sinks = fed.map(|(block, output)| SignalKey { path: self.path.clone(), block, output });
            let sinks: Vec<SignalKey> = sinks.collect();
            if signals.is_empty() {
                signals = sinks;
            }
        }
        self.highlight = (!signals.is_empty()).then(|| Highlight {
            trace: traced(simulation, view.registry, &signals, direction),
            signals,
            direction,
            simulation: Arc::clone(simulation),
        });
    }

    /// Highlights blocks and wires until the document changes.
    pub fn light(&mut self, trace: Trace, simulation: &Arc<Simulation>) {
        let (signals, direction) = (Vec::new(), Direction::ToSource);
        self.highlight = Some(Highlight { trace, signals, direction, simulation: Arc::clone(simulation) });
    }

    /// Returns whether a signal path is highlighted.
    pub fn is_lit(&self) -> bool {
        self.highlight.is_some()
    }

    /// Traces the highlighted signals again if the document changed.
    pub(in crate::app::canvas) fn update_lit(&mut self, view: &DocumentView) {
        let simulation = view.simulation;
        if let Some(highlight) = &mut self.highlight
            && !Arc::ptr_eq(&highlight.simulation, simulation)
        {
            if highlight.signals.is_empty() {
                self.highlight = None;
                return;
            }
            highlight.trace = traced(simulation, view.registry, &highlight.signals, highlight.direction);
            highlight.simulation = Arc::clone(simulation);
        }
    }
}

fn traced(simulation: &Simulation, registry: &Registry, signals: &[SignalKey], direction: Direction) -> Trace {
    let mut all = Trace::default();
    for signal in signals {
        let Trace { blocks, wires } = trace(simulation, registry, signal, direction);
        all.blocks.extend(blocks);
        all.wires.extend(wires);
    }
    all
}
