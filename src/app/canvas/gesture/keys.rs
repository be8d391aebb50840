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
//! | digits | set the main value of the selected block |
//! | Escape | ends the current gesture, then clears the selection, then goes up a level, finally leaves the diagram |

use eframe::egui::emath::{Pos2, Rect, vec2};
use eframe::egui::{Event, EventFilter, Key, Modifiers, Ui};

use super::wire::KeyboardWire;
use super::{Gesture, Target, Wire, WireEnd};
use crate::app::canvas::edit::texts::main_param;
use crate::app::canvas::frame::FrameContext;
use crate::app::canvas::scene::BlockView;
use crate::app::canvas::{CameraMove, Canvas, CanvasOutput, DocumentView, Selection};
use crate::model::BlockId;

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
    /// Handles the keys of the diagram.
    pub(super) fn keys(&mut self, frame: &FrameContext, output: &mut CanvasOutput) {
        let FrameContext { ui, response, view, .. } = *frame;
        if response.has_focus() {
            let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, escape: true, tab: true };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        }
        // A text field keeps its keys, including the one that closes it.
        if !self.has_focus(ui.ctx()) || self.overlay.editing.is_some() {
            return;
        }
        // The code of a block is closed from the diagram, too. What was typed is applied already.
        if self.overlay.code.is_some() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            self.overlay.code = None;
            return;
        }
        let is_something =
            !(self.gesture.current.is_idle() && self.selection.is_empty() && self.overlay.highlight.is_none());
        // Escape may also have ended a drag elsewhere.
        let is_ours = ui.ctx().drag_stopped_id().is_none_or(|id| id == response.id);
        if is_something && is_ours && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            match (self.gesture.current.is_idle(), self.overlay.highlight.is_some()) {
                (false, _) => self.gesture.current = Gesture::Idle,
                (true, true) => self.overlay.highlight = None,
                (true, false) => self.selection = Selection::default(),
            }
        }
        if !response.has_focus() {
            return;
        }
        self.walk_keys(frame, output);
        if self.selection.blocks.is_empty() || self.gesture.current.is_wiring() {
            return;
        }
        let arrows = [(Key::ArrowLeft, -1, 0), (Key::ArrowRight, 1, 0), (Key::ArrowUp, 0, -1), (Key::ArrowDown, 0, 1)];
        for (key, right, down) in arrows {
            let (fine, coarse) = ui.input_mut(|input| {
                // Shift is tested first: a shortcut without modifiers would match any press.
                let coarse = input.count_and_consume_key(Modifiers::SHIFT, key);
                (input.count_and_consume_key(Modifiers::NONE, key), coarse)
            });
            let steps = fine as i32 + 10 * coarse as i32;
            if steps > 0 {
                output.changes.extend(self.edit(view, |open| open.nudge(right * steps, down * steps)));
            }
        }
    }

    /// Handles keys that navigate, open and connect while the diagram has the focus.
    fn walk_keys(&mut self, frame: &FrameContext, output: &mut CanvasOutput) {
        let FrameContext { ui, response, view, .. } = *frame;
        if ui.input(|input| input.pointer.delta() != eframe::egui::Vec2::ZERO) {
            self.gesture.is_by_keys = false;
        }
        if self.gesture.current.wire().is_some_and(|wire| wire.by_keys.is_some()) {
            self.wire_keys(ui, view, output);
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
            self.gesture.is_by_keys = true;
            let is_value = self.scene.block(id).is_some_and(|view| main_param(view).is_some());
            if !(is_value && self.overlay.begin_value(&self.scene, id)) {
                self.open_block(view, id, output);
            }
        }
        if let Some(id) = self.selection.single_block()
            && let Some(text) = typed_number(ui)
            && self.overlay.begin_number(&self.scene, id, text)
        {
            self.gesture.is_by_keys = true;
        }
        if self.selection.is_empty() && self.gesture.current.is_idle() && pressed(Modifiers::NONE, Key::Escape) {
            match self.view.path.is_empty() {
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
        self.gesture.is_by_keys = true;
        self.selection = Selection::of_block(id);
        self.view.camera_move = Some(CameraMove::Block(id));
    }

    /// Starts a wire at the selected block, controlled by keys.
    pub(in crate::app::canvas) fn begin_wire_by_keys(&mut self, view: &DocumentView) {
        let Some(id) = self.selection.single_block() else { return };
        let Some(first) = WireEnd::all_of(&self.scene, id).into_iter().next() else { return };
        self.gesture.is_by_keys = true;
        let mut wire = Wire::new(first, Pos2::ZERO);
        (wire.is_sticky, wire.by_keys) = (true, Some(KeyboardWire::default()));
        self.lead(view, &mut wire);
        self.gesture.current = Gesture::Wire(wire);
    }

    fn wire_keys(&mut self, ui: &Ui, view: &DocumentView, output: &mut CanvasOutput) {
        let Gesture::Wire(wire) = &self.gesture.current else { return };
        let mut wire = wire.clone();
        let Some(mut by_keys) = wire.by_keys else { return };
        let pressed = |modifiers, key| ui.input_mut(|input| input.consume_key(modifiers, key));
        let block = wire.fixed.block();
        let ports = WireEnd::all_of(&self.scene, block);
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
            self.gesture.current = Gesture::Idle;
            self.finish_wire(view, wire, output);
            // The user continues from the block where the wire started.
            self.selection = Selection::of_block(block);
            return;
        }
        self.gesture.current = Gesture::Wire(wire);
    }

    /// Moves a wire to the target chosen by keys.
    fn lead(&mut self, view: &DocumentView, wire: &mut Wire) {
        wire.find_closed(&self.scene, view.simulation, view.registry);
        let ends = wire.ends(&self.scene);
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
        if !self.view.transform().visible().contains(at) {
            self.view.camera_move = Some(CameraMove::Block(block));
        }
    }

    /// Gives the diagram the keyboard focus.
    pub fn take_keys(&mut self) {
        (self.gesture.wants_focus, self.gesture.is_by_keys) = (true, true);
    }

    /// Returns what a new block would continue, such as `after Gain`, and where its list opens; None if nothing is
    /// selected.
    pub fn continued(&self) -> Option<(String, Pos2)> {
        let (blocks, wires) = (&self.selection.blocks, &self.selection.wires);
        let bounds = blocks.iter().filter_map(|id| Some(self.scene.block(*id)?.outline.rect));
        let ends = wires.iter().filter_map(|key| Some(self.scene.wire(key)?.bounds));
        let bounds = bounds.chain(ends).filter(|rect| rect.is_finite()).reduce(Rect::union)?;
        let what = match (self.selection.single_block().and_then(|id| self.scene.block(id)), blocks.len(), wires.len())
        {
            (Some(view), ..) => format!("after {}", view.block.title()),
            (None, 0, 1) => "in the wire".to_owned(),
            _ => "after all selected".to_owned(),
        };
        let visible = self.view.transform().visible();
        let shown = bounds.intersect(visible);
        let corner = if shown.is_positive() { shown.left_bottom() } else { visible.center() };
        Some((what, self.view.transform().to_screen(corner) + vec2(0.0, 6.0)))
    }

    /// Returns whether letters typed in this frame are the diagram's, wherever the pointer is: it has the focus, or
    /// nothing has.
    pub fn takes_letters(&self, ctx: &eframe::egui::Context) -> bool {
        let focused = ctx.memory(|memory| memory.focused());
        focused.is_none() || focused == self.view.id
    }
}

/// Returns the start of a number that was typed in this frame.
fn typed_number(ui: &Ui) -> Option<String> {
    let is_start = |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || "-.[".contains(first));
    ui.input(|input| {
        let mut texts = input.events.iter().filter_map(|event| match event {
            Event::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.next().filter(|text| is_start(text)).map(str::to_owned)
    })
}
