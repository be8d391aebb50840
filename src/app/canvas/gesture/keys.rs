//! Keyboard control of the diagram: moving from block to block, opening them, drawing wires.
//!
//! | key | does |
//! |---|---|
//! | Tab, Shift+Tab | next or previous block in reading order |
//! | Ctrl+arrow | nearest block in that direction |
//! | arrow, Shift+arrow | moves the selection by one grid step, or ten |
//! | Enter | opens: a model, a plot, a value |
//! | Ctrl+Shift+K | draws a wire: up and down choose its target, left and right its port, Enter connects |
//! | letters | insert a block after the selected one |
//! | Escape | ends the current gesture, then clears the selection, then goes up a level, finally leaves the diagram |

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::emath::{Pos2, vec2};
use eframe::egui::{Event, Key, Modifiers, Ui};

use super::KeyboardWire;
use super::{Gesture, Target, Wire, WireEnd};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::edit::commands::Prepared;
use crate::app::canvas::frame::FrameContext;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::scene::BlockView;
use crate::app::canvas::{CameraMove, Canvas, CanvasOutput, DocumentView, Selection};
use crate::model::{BlockId, Change, ChangeKind, Edit, InputKey, Model};

/// Distance between a block and the one inserted after it.
const GAP: f32 = 50.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrow {
    Left,
    Right,
    Up,
    Down,
}

const ARROWS: [(Key, Arrow); 4] = [
    (Key::ArrowLeft, Arrow::Left),
    (Key::ArrowRight, Arrow::Right),
    (Key::ArrowUp, Arrow::Up),
    (Key::ArrowDown, Arrow::Down),
];

impl Canvas {
    /// Handles keys that navigate, open and connect while the diagram has the focus.
    pub(in crate::app::canvas) fn walk_keys(&mut self, frame: &FrameContext, output: &mut CanvasOutput) {
        let FrameContext { ui, response, view, model } = *frame;
        if ui.input(|input| input.pointer.delta() != eframe::egui::Vec2::ZERO) {
            self.is_by_keys = false;
        }
        if self.gesture.wire().is_some_and(|wire| wire.by_keys.is_some()) {
            self.wire_keys(ui, view, model, output);
            return;
        }
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        // Shift is tested first: a shortcut without modifiers would match any press.
        if pressed(Modifiers::SHIFT, Key::Tab) {
            self.step(-1);
        } else if pressed(Modifiers::NONE, Key::Tab) {
            self.step(1);
        }
        for (key, way) in ARROWS {
            if pressed(Modifiers::COMMAND, key) {
                self.walk(way);
            }
        }
        if let Some(id) = self.selection.single_block()
            && pressed(Modifiers::NONE, Key::Enter)
        {
            self.is_by_keys = true;
            let is_value = self
                .scene
                .block(id)
                .is_some_and(|view| crate::app::canvas::overlay::text_field::main_param(view).is_some());
            if !(is_value && self.begin_value(id)) {
                self.open_block(view, id, output);
            }
        }
        if self.selection.is_empty() && self.gesture.is_idle() && pressed(Modifiers::NONE, Key::Escape) {
            match self.path.is_empty() {
                true => ui.memory_mut(|memory| memory.surrender_focus(response.id)),
                false => self.go_up(),
            }
        }
    }

    /// Selects the next block in reading order, or the first.
    fn step(&mut self, by: isize) {
        let mut blocks: Vec<&BlockView> = self.scene.blocks().collect();
        let order = |view: &BlockView| (view.outline.rect.left() as i64, view.outline.rect.top() as i64, view.block.id);
        blocks.sort_by_key(|view| order(view));
        let here = self.selection.blocks.first().and_then(|id| blocks.iter().position(|view| view.block.id == *id));
        let count = blocks.len() as isize;
        let next = match here {
            Some(here) => (here as isize + by).rem_euclid(count.max(1)),
            None if by > 0 => 0,
            None => count - 1,
        };
        if let Some(id) = usize::try_from(next).ok().and_then(|next| blocks.get(next)).map(|view| view.block.id) {
            self.pick(id);
        }
    }

    /// Selects the nearest block in a direction.
    fn walk(&mut self, way: Arrow) {
        let Some(here) = self.selection.blocks.first().and_then(|id| self.scene.block(*id)) else {
            self.step(1);
            return;
        };
        let from = here.outline.rect.center();
        let cost = |view: &&BlockView| {
            let gap = view.outline.rect.center() - from;
            let (along, across) = match way {
                Arrow::Left => (-gap.x, gap.y),
                Arrow::Right => (gap.x, gap.y),
                Arrow::Up => (-gap.y, gap.x),
                Arrow::Down => (gap.y, gap.x),
            };
            // Blocks that are more sideways than ahead belong to another direction.
            (along > 0.0 && along >= across.abs() * 0.5).then_some(along + 2.0 * across.abs())
        };
        let others = self.scene.blocks().filter(|view| view.block.id != here.block.id);
        let found = others.filter_map(|view| Some((cost(&view)?, view.block.id)));
        if let Some((_, id)) = found.min_by(|(a, id_a), (b, id_b)| a.total_cmp(b).then(id_a.cmp(id_b))) {
            self.pick(id);
        }
    }

    fn pick(&mut self, id: BlockId) {
        self.is_by_keys = true;
        self.selection = Selection { blocks: BTreeSet::from([id]), ..Selection::default() };
        self.camera_move = Some(CameraMove::Block(id));
    }

    /// Starts a wire at the selected block, controlled by keys.
    pub(in crate::app::canvas) fn begin_wire_by_keys(&mut self, view: &DocumentView) {
        let Some(id) = self.selection.single_block() else { return };
        let Some(first) = self.own_ports(id).into_iter().next() else { return };
        self.is_by_keys = true;
        let mut wire = Wire::new(first, Pos2::ZERO);
        (wire.is_sticky, wire.by_keys) = (true, Some(KeyboardWire::default()));
        self.lead(view, &mut wire);
        self.gesture = Gesture::Wire(wire);
    }

    /// Returns the outputs of a block, then its unconnected inputs.
    fn own_ports(&self, id: BlockId) -> Vec<WireEnd> {
        let Some(block) = self.scene.block(id) else { return Vec::new() };
        let outputs = block.ports.outputs.iter().map(|name| WireEnd::Output(id, Arc::clone(name)));
        let is_free = |name: &&Arc<str>| self.scene.wire(&InputKey { block: id, input: Arc::clone(name) }).is_none();
        let inputs = block.ports.inputs.iter().filter(is_free).map(|name| WireEnd::Input(id, Arc::clone(name)));
        outputs.chain(inputs).collect()
    }

    fn wire_keys(&mut self, ui: &Ui, view: &DocumentView, model: &Arc<Model>, output: &mut CanvasOutput) {
        let Gesture::Wire(wire) = &self.gesture else { return };
        let mut wire = wire.clone();
        let Some(mut by_keys) = wire.by_keys else { return };
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        let block = wire.fixed.block();
        let ports = self.own_ports(block);
        let back = pressed(Modifiers::SHIFT, Key::Tab) || pressed(Modifiers::NONE, Key::ArrowUp);
        let forth = pressed(Modifiers::NONE, Key::Tab) || pressed(Modifiers::NONE, Key::ArrowDown);
        let (left, right) = (pressed(Modifiers::NONE, Key::ArrowLeft), pressed(Modifiers::NONE, Key::ArrowRight));
        if left || right {
            let count = ports.len().max(1);
            by_keys = KeyboardWire { own: (by_keys.own + if right { 1 } else { count - 1 }) % count, end: 0 };
            if let Some(port) = ports.into_iter().nth(by_keys.own) {
                (wire.fixed, wire.closed) = (port, None);
            }
        }
        if back {
            by_keys.end = by_keys.end.saturating_sub(1);
        } else if forth {
            by_keys.end += 1;
        }
        wire.by_keys = Some(by_keys);
        if back || forth || left || right {
            self.lead(view, &mut wire);
        }
        if pressed(Modifiers::NONE, Key::Enter) {
            self.gesture = Gesture::Idle;
            self.finish_wire(model, wire, output);
            // The user continues from the block where the wire started.
            self.selection = Selection { blocks: BTreeSet::from([block]), ..Selection::default() };
            return;
        }
        self.gesture = Gesture::Wire(wire);
    }

    /// Moves a wire to the target chosen by keys.
    fn lead(&mut self, view: &DocumentView, wire: &mut Wire) {
        wire.find_closed(&self.scene, view.simulation, view.registry);
        let ends = self.ends_for(wire);
        let Some(by_keys) = &mut wire.by_keys else { return };
        by_keys.end = by_keys.end.min(ends.len().saturating_sub(1));
        let Some((block, port, at)) = ends.get(by_keys.end).cloned() else {
            wire.target = None;
            return;
        };
        wire.pointer = at;
        wire.target = Some(Target { block, port, at, refusal: None, note: None });
        wire.judge(&self.scene, view.simulation, view.registry);
        let title = self.scene.block(block).map(|view| view.block.title().to_owned()).unwrap_or_default();
        if let Some(target) = &mut wire.target
            && target.note.is_none()
        {
            target.note = Some(format!("Enter connects to {title} · {}", target.port));
        }
        if !self.transform().visible().contains(at) {
            self.camera_move = Some(CameraMove::Block(block));
        }
    }

    /// Returns the ports at which a wire may end, unconnected ones first, then by distance.
    fn ends_for(&self, wire: &Wire) -> Vec<(BlockId, Arc<str>, Pos2)> {
        let (own, from) = match &wire.fixed {
            WireEnd::Output(id, name) => (*id, self.scene.block(*id).and_then(|view| view.output_at(name))),
            WireEnd::Input(id, name) => (*id, self.scene.block(*id).and_then(|view| view.input_at(name))),
        };
        let Some(from) = from else { return Vec::new() };
        let is_out = matches!(wire.fixed, WireEnd::Output(..));
        let mut found = Vec::new();
        for view in self.scene.blocks().filter(|view| view.block.id != own) {
            let id = view.block.id;
            let (names, positions) = match is_out {
                true => (&view.ports.inputs, &view.outline.inputs),
                false => (&view.ports.outputs, &view.outline.outputs),
            };
            for (name, at) in names.iter().zip(positions) {
                let key = InputKey { block: id, input: Arc::clone(name) };
                if is_out && wire.closed.as_ref().is_some_and(|closed| closed.contains(&key)) {
                    continue;
                }
                let is_taken = is_out && self.scene.wire(&key).is_some();
                // Ports behind count as farther away.
                let gap = *at - from;
                let far = gap.length() + if (gap.x < 0.0) == is_out { 400.0 } else { 0.0 };
                found.push((is_taken, far, id, Arc::clone(name), *at));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        found.into_iter().map(|(_, _, id, name, at)| (id, name, at)).collect()
    }

    /// Returns whether the next block is inserted after the selected one: it was selected by keys.
    pub fn inserts_behind(&self) -> bool {
        self.is_by_keys && self.selection.single_block().is_some()
    }

    /// Returns the letters typed in this frame for the diagram, wherever the pointer is.
    pub fn is_typed_at(&self, ctx: &eframe::egui::Context) -> bool {
        let has_text = ctx.input(|input| input.events.iter().any(|event| matches!(event, Event::Text(_))));
        has_text && self.id.is_some_and(|id| ctx.memory(|memory| memory.has_focus(id)))
    }

    /// Adds a block after the selected one, level with its first output, and connects it.
    pub fn insert_behind(&mut self, view: &DocumentView, new: NewBlock) -> Option<Change> {
        let Some(before) = self.selection.single_block().and_then(|id| self.scene.block(id)) else {
            return self.add_block(view, new);
        };
        let model = Arc::clone(self.open_model(view.simulation)?);
        let output = before.outline.outputs.first().copied().unwrap_or(before.outline.rect.right_center());
        let start = Pos2::new(before.outline.rect.right() + GAP, output.y);
        let Prepared { block, view: mut preview, models } = self.prepared(view, &model, new, start)?;
        let input = preview.outline.inputs.first().copied().unwrap_or(preview.outline.rect.left_center());
        let mut corner = snap(Pos2::new(start.x, start.y - (input.y - preview.outline.rect.top())));
        // Occupied positions are skipped downwards.
        let room = preview.outline.with_title();
        for _ in 0..40 {
            let there = room.translate(corner - room.min);
            if self.scene.count_in(there.expand(4.0), 1) == 0 {
                break;
            }
            corner += vec2(0.0, 20.0);
        }
        preview.position = corner;
        preview.outline = preview.outline.moved_to(corner);
        let at = position_of(corner);
        let block = block.at(at.x, at.y);
        let mut edits = self.pins(&model, &BTreeSet::new());
        let label = format!("Add {}", block.title());
        edits.extend(models);
        edits.push(Edit::AddBlock { model: Arc::clone(&model.name), block: Box::new(block.clone()) });
        let change = Change::new(label, edits).of_kind(ChangeKind::InsertBlock);
        let change = self.with_wires(view, &model, &preview, change);
        self.selection = Selection { blocks: BTreeSet::from([block.id]), ..Selection::default() };
        self.camera_move = Some(CameraMove::Block(block.id));
        Some(change)
    }
}
