//! Turns pointer and key input into gestures, and finished gestures into changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{self, CursorIcon, EventFilter, Key, Modifiers, PointerButton, Pos2, Rect, Response, Ui, Vec2};

use super::click::Click;
use super::guides::settled;
use super::hit::{Hit, Reach, hit};
use super::{Gesture, Move, Wire, WireEnd};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::edit::commands::{connect_change, disconnect, move_change, set_bends, within};
use crate::app::canvas::frame::FrameContext;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::route::{drag_segment, simplified, write_bends};
use crate::app::canvas::{Canvas, CanvasOutput, DocumentView, Selection};
use crate::app::doc::plots::DraggedSignal;
use crate::model::{BlockId, Change, InputKey, Model};

/// Hit distance of the pointer, in screen points.
const PORT_REACH: f32 = 9.0;
const WIRE_REACH: f32 = 5.0;
const END_REACH: f32 = 16.0;
/// Distance within which alignment guides attract a dragged block.
const GUIDE_REACH: f32 = 6.0;
/// Minimum size of a note or area, in model units.
const SMALLEST: Vec2 = Vec2::new(40.0, 20.0);
/// Zoom below which ports cannot be picked.
const PORT_ZOOM: f32 = 0.3;

impl Canvas {
    pub(in crate::app::canvas) fn input(&mut self, frame: &FrameContext, output: &mut CanvasOutput) {
        let FrameContext { ui, response, view, model } = *frame;
        self.look_around(ui, response);
        let modifiers = ui.input(|input| input.modifiers);
        let pointer = ui.ctx().pointer_latest_pos();
        let transform = self.transform();
        let in_model = pointer.map(|pointer| transform.to_model(pointer));
        if response.contains_pointer()
            && let Some(point) = in_model
        {
            output.pointer = Some(position_of(point));
            self.hover = self.hit(point);
        } else {
            self.hover = Hit::Empty;
        }

        self.keys(frame, output);
        if let (true, Some(origin)) = (response.drag_started(), ui.input(|input| input.pointer.press_origin())) {
            response.request_focus();
            let button = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];
            if let Some(button) = button.into_iter().find(|button| response.drag_started_by(*button)) {
                // With Space held every button pans, as the middle one does.
                let is_panning = ui.input(|input| input.key_down(Key::Space));
                let button = if is_panning { PointerButton::Middle } else { button };
                self.begin(transform.to_model(origin), button, modifiers);
            }
        }
        if let Some(point) = in_model {
            self.follow(response, view, point, modifiers);
        }
        if response.dragged() || response.drag_stopped() {
            self.offer_outside(ui, response, pointer);
        }
        if response.drag_stopped() {
            self.finish(view, model, output);
        } else if response.clicked() || response.double_clicked() {
            response.request_focus();
            if let (Some(point), Some(screen)) = (in_model, pointer) {
                let click = Click { point, screen, modifiers, is_double: response.double_clicked() };
                self.click(view, model, &click, output);
            }
        }
        if response.secondary_clicked()
            && let Some(point) = in_model
        {
            self.gesture = Gesture::Idle;
            self.point_menu_at(point);
        }
        if let Some(block) = response.dnd_release_payload::<NewBlock>()
            && let Some(point) = in_model
        {
            output.changes.extend(self.insert_block(view, NewBlock::clone(&block), position_of(point)));
            response.request_focus();
        }
        self.cursor(ui, response, modifiers);
    }

    pub(in crate::app::canvas) fn hit(&self, point: Pos2) -> Hit {
        let zoom = self.transform().zoom();
        let port = if zoom >= PORT_ZOOM { PORT_REACH / zoom.max(0.7) } else { 0.0 };
        hit(&self.scene, point, Reach { port, wire: WIRE_REACH / zoom })
    }

    /// Handles wheel, pinch and scroll. The wheel alone zooms at the pointer, as in other engineering tools; with Shift
    /// it scrolls sideways; two fingers on a trackpad pan.
    fn look_around(&mut self, ui: &Ui, response: &Response) {
        if !response.contains_pointer() {
            return;
        }
        let Some(pointer) = ui.ctx().pointer_hover_pos() else { return };
        let transform = self.transform();
        let (scroll, zoom, source) =
            ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.scroll_source()));
        let is_trackpad = matches!(source, Some(egui::MouseWheelSource::Trackpad | egui::MouseWheelSource::Momentum));
        let camera = self.camera_mut();
        if zoom != 1.0 {
            camera.zoom_at(&transform, zoom, pointer);
        } else if is_trackpad {
            camera.pan(scroll);
        } else if scroll != Vec2::ZERO {
            camera.pan(Vec2::new(scroll.x, 0.0));
            camera.zoom_at(&transform, (scroll.y * 0.004).exp(), pointer);
        }
    }

    fn keys(&mut self, frame: &FrameContext, output: &mut CanvasOutput) {
        let FrameContext { ui, response, view, .. } = *frame;
        if response.has_focus() {
            let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, escape: true, tab: true };
            ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        }
        // A text field keeps its keys, including the one that closes it.
        if !self.has_focus(ui.ctx()) || self.editing.is_some() {
            return;
        }
        let is_something = !(self.gesture.is_idle() && self.selection.is_empty() && self.highlight.is_none());
        // Escape may also have ended a drag elsewhere.
        let is_ours = ui.ctx().drag_stopped_id().is_none_or(|id| id == response.id);
        if is_something && is_ours && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            match (self.gesture.is_idle(), self.highlight.is_some()) {
                (false, _) => self.gesture = Gesture::Idle,
                (true, true) => self.highlight = None,
                (true, false) => self.selection = Selection::default(),
            }
        }
        if !response.has_focus() {
            return;
        }
        self.walk_keys(frame, output);
        if self.selection.blocks.is_empty() || self.gesture.is_wiring() {
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
                output.changes.extend(self.nudge(view.simulation, right * steps, down * steps));
            }
        }
    }

    /// Starts a drag at a model position.
    fn begin(&mut self, at: Pos2, button: PointerButton, modifiers: Modifiers) {
        if self.gesture.is_wiring() {
            return;
        }
        self.gesture = match (button, self.hit(at)) {
            (PointerButton::Middle, _) => Gesture::Pan,
            (_, Hit::Output(block, port)) => Gesture::Wire(Wire::new(WireEnd::Output(block, port), at)),
            (PointerButton::Secondary, Hit::Wire { key, .. } | Hit::Dot(key)) => self.branch(&key, at),
            (PointerButton::Secondary, _) => Gesture::Pan,
            (_, Hit::Input(block, port)) => self.take_input(block, port, at),
            (_, Hit::Dot(key)) => self.branch(&key, at),
            (_, Hit::Wire { key, .. }) if modifiers.alt => self.branch(&key, at),
            (_, Hit::Wire { key, segment }) => {
                self.selection = Selection { wires: BTreeSet::from([key.clone()]), ..Selection::default() };
                let points = self.scene.wire(&key).map(|wire| wire.points.clone()).unwrap_or_default();
                Gesture::Segment { key, segment, points, grab: at, shift: Vec2::ZERO, branch: None }
            }
            (_, Hit::Block(id)) => {
                if !self.selection.blocks.contains(&id) {
                    if !(modifiers.shift || modifiers.command) {
                        self.selection = Selection::default();
                    }
                    self.selection.blocks.insert(id);
                }
                let blocks = self.with_carried(self.selection.blocks.iter().copied());
                let held = Move::new(&self.scene, blocks.into_iter(), id, at);
                Gesture::Move(Move { is_copy: modifiers.command, ..held })
            }
            (_, Hit::Loose(id, number)) => self.take_loose(id, number, at),
            (_, Hit::Corner(id)) => {
                self.selection = Selection { blocks: BTreeSet::from([id]), ..Selection::default() };
                let size = self.scene.block(id).map(|view| view.outline.rect.size()).unwrap_or_default();
                Gesture::Resize { block: id, from: size, grab: at, size }
            }
            (_, Hit::Empty) => {
                let base = match modifiers.shift || modifiers.command {
                    true => self.selection.clone(),
                    false => Selection::default(),
                };
                Gesture::Marquee { from: at, to: at, base }
            }
        };
    }

    /// Starts another wire from the same source as this one.
    fn branch(&self, key: &InputKey, at: Pos2) -> Gesture {
        match self.scene.wire(key) {
            Some(wire) => {
                let fixed = WireEnd::Output(wire.connection.from, Arc::clone(&wire.connection.output));
                Gesture::Wire(Wire::new(fixed, at))
            }
            None => Gesture::Idle,
        }
    }

    /// Starts a new wire at a free input, or picks up the end of the wire at a connected one.
    fn take_input(&self, block: BlockId, input: Arc<str>, at: Pos2) -> Gesture {
        let key = InputKey { block, input };
        match self.scene.wire(&key) {
            Some(wire) if !wire.is_broken => {
                let fixed = WireEnd::Output(wire.connection.from, Arc::clone(&wire.connection.output));
                Gesture::Wire(Wire { detached: Some(key), ..Wire::new(fixed, at) })
            }
            _ => Gesture::Wire(Wire::new(WireEnd::Input(block, key.input), at)),
        }
    }

    fn follow(&mut self, response: &Response, view: &DocumentView, point: Pos2, modifiers: Modifiers) {
        if !self.gesture.is_idle() && self.gesture != Gesture::Pan {
            self.pan_at_edge(response);
        }
        let reach = END_REACH / self.transform().zoom();
        let branch = self.branch_at(view, point, reach);
        let transform = self.transform();
        match &mut self.gesture {
            Gesture::Idle => {}
            Gesture::Pan => {
                let motion = response.drag_delta();
                self.camera_mut().pan(motion);
            }
            Gesture::Marquee { from, to, base } => {
                *to = point;
                let mut selection = within(&self.scene, Rect::from_two_pos(*from, point));
                selection.blocks.extend(base.blocks.iter().copied());
                selection.wires.extend(base.wires.iter().cloned());
                self.selection = selection;
            }
            Gesture::Move(held) => {
                let (scene, visible) = (&self.scene, transform.visible());
                held.follow(point, |held, wanted| match modifiers.alt {
                    true => wanted,
                    false => settled(scene, held, wanted, GUIDE_REACH / transform.zoom(), visible),
                });
            }
            Gesture::Resize { from, grab, size, .. } => {
                let wanted = *from + (point - *grab);
                let wanted = if modifiers.alt { wanted } else { snap(wanted.to_pos2()).to_vec2() };
                *size = wanted.max(SMALLEST);
            }
            Gesture::Wire(wire) if wire.by_keys.is_some() => {}
            Gesture::Wire(wire) => wire.follow(&self.scene, view.simulation, view.registry, point, reach),
            Gesture::Segment { grab, shift, branch: becomes, .. } => {
                *shift = point - *grab;
                *becomes = branch;
            }
        }
    }

    /// Dragging a wire segment to an input without a source makes a branch, not a bend.
    fn branch_at(&self, view: &DocumentView, point: Pos2, reach: f32) -> Option<Box<Wire>> {
        let Gesture::Segment { key, .. } = &self.gesture else { return None };
        let Gesture::Wire(mut wire) = self.branch(key, point) else { return None };
        wire.follow(&self.scene, view.simulation, view.registry, point, reach);
        let target = wire.target.as_ref()?;
        let input = InputKey { block: target.block, input: Arc::clone(&target.port) };
        self.scene.wire(&input).is_none().then(|| Box::new(wire))
    }

    /// Scrolls the view while a drag is outside it.
    fn pan_at_edge(&mut self, response: &Response) {
        let Some(pointer) = response.ctx.pointer_latest_pos().filter(|_| response.dragged()) else { return };
        let inner = response.rect.shrink(12.0);
        let beyond = pointer - inner.clamp(pointer);
        // A drag to another panel does not scroll.
        let is_leaving = matches!(self.gesture, Gesture::Wire(_) | Gesture::Segment { .. }) && beyond.length() > 30.0;
        if beyond != Vec2::ZERO && !is_leaving {
            let step = beyond.clamp(Vec2::splat(-12.0), Vec2::splat(12.0));
            self.camera_mut().pan(-step);
            response.ctx.request_repaint();
        }
    }

    /// Finishes the drag.
    fn finish(&mut self, view: &DocumentView, model: &Arc<Model>, output: &mut CanvasOutput) {
        let dragged = self.dragged_wire();
        match std::mem::take(&mut self.gesture) {
            Gesture::Move(held) if held.shift != Vec2::ZERO => {
                let change = match held.is_copy {
                    true => self.copy_by(view, model, held.shift),
                    false => self.move_by(view, model, &held),
                };
                output.changes.extend(change);
            }
            Gesture::Wire(wire) if wire.target.is_none() => output.changes.extend(self.leave_open(model, &wire)),
            Gesture::Wire(wire) => self.finish_wire(model, wire, output),
            Gesture::Resize { block, from, size, .. } if size != from => {
                output.changes.extend(self.resize(model, block, size));
            }
            Gesture::Segment { branch: Some(wire), .. } => self.finish_wire(model, *wire, output),
            Gesture::Segment { key, points, .. } => {
                if let Some(dragged) = dragged
                    && dragged != points
                {
                    let inner = dragged.get(1..dragged.len().saturating_sub(1)).unwrap_or_default();
                    let mut edits = self.pins(model, &BTreeSet::new());
                    edits.push(set_bends(model, &key, (!inner.is_empty()).then(|| write_bends(inner))));
                    output.changes.push(Change::new("Move wire", edits));
                }
            }
            _ => {}
        }
    }

    /// Offers a wire, or the end of one, that is dragged out of the diagram to the widget under the pointer: plots
    /// accept it.
    fn offer_outside(&mut self, ui: &Ui, response: &Response, pointer: Option<Pos2>) {
        let source = match &self.gesture {
            Gesture::Wire(wire) => match &wire.fixed {
                WireEnd::Output(block, port) => Some((*block, Arc::clone(port))),
                WireEnd::Input(..) => None,
            },
            Gesture::Segment { key, .. } => {
                self.scene.wire(key).map(|wire| (wire.connection.from, Arc::clone(&wire.connection.output)))
            }
            _ => None,
        };
        let is_outside = pointer.is_some_and(|at| !response.rect.contains(at));
        match source.filter(|_| is_outside) {
            Some(source) if response.drag_stopped() => {
                drop(source);
                self.gesture = Gesture::Idle;
            }
            Some(source) => {
                if let Some(signal) = self.keys_of(vec![source]).pop() {
                    egui::DragAndDrop::set_payload(ui.ctx(), DraggedSignal { signal, from: None });
                }
            }
            None if egui::DragAndDrop::has_payload_of_type::<DraggedSignal>(ui.ctx()) => {
                egui::DragAndDrop::clear_payload(ui.ctx());
            }
            None => {}
        }
    }

    /// Returns the blocks, including those within the areas among them.
    pub(in crate::app::canvas) fn with_carried(&self, blocks: impl Iterator<Item = BlockId>) -> BTreeSet<BlockId> {
        let mut all: BTreeSet<BlockId> = blocks.collect();
        let areas: Vec<Rect> = all
            .iter()
            .filter_map(|id| self.scene.block(*id))
            .filter(|view| view.is_area())
            .map(|view| view.outline.body)
            .collect();
        for area in areas {
            let inside = self.scene.blocks_in(area).into_iter();
            all.extend(inside.filter(|view| area.contains_rect(view.outline.body)).map(|view| view.block.id));
        }
        all
    }

    fn move_by(&mut self, view: &DocumentView, model: &Arc<Model>, held: &Move) -> Option<Change> {
        let positions = held.positions().collect();
        let change = move_change(&self.scene, model, &positions, held.shift)?;
        Some(match self.loose_block(held) {
            Some(block) => self.with_wires(view, model, block, change),
            None => change,
        })
    }

    fn copy_by(&mut self, view: &DocumentView, model: &Arc<Model>, shift: Vec2) -> Option<Change> {
        let fragment = self.selected(view.simulation)?;
        let label = match fragment.blocks.as_slice() {
            [one] => format!("Copy {}", one.title()),
            several => format!("Copy {} blocks", several.len()),
        };
        self.put(view, model, &fragment, shift, label).map(|(change, _)| change)
    }

    pub(in crate::app::canvas) fn finish_wire(&mut self, model: &Arc<Model>, wire: Wire, output: &mut CanvasOutput) {
        let Some(target) = &wire.target else { return };
        let Some(connection) = wire.connection(target) else { return };
        if let Some(refusal) = &target.refusal {
            output.refused = Some(refusal.text.clone());
            output.changes.extend(self.leave_loop_open(model, &wire, &connection, &refusal.text));
            return;
        }
        let known = model.source(connection.to, &connection.input);
        if known.is_some_and(|known| known.from == connection.from && known.output == connection.output) {
            return;
        }
        let mut edits = self.pins(model, &BTreeSet::new());
        // An end that was picked up at its input leaves it.
        edits.extend(wire.loose.and_then(|number| self.loose_edit(model, wire.fixed.block(), Some(number), None)));
        edits.extend(wire.detached.filter(|key| *key != connection.key()).map(|key| disconnect(model, &key)));
        self.selection = Selection { wires: BTreeSet::from([connection.key()]), ..Selection::default() };
        output.changes.push(connect_change(model, connection, edits));
    }

    /// Returns the preview of the wire whose segment is dragged.
    pub(in crate::app::canvas) fn dragged_wire(&self) -> Option<Vec<Pos2>> {
        let Gesture::Segment { segment, points, shift, .. } = &self.gesture else { return None };
        let (first, last) = (points.first()?, points.last()?);
        if *shift == Vec2::ZERO {
            return Some(points.clone());
        }
        let bends = drag_segment(points, *segment, *shift);
        Some(simplified([*first].into_iter().chain(bends).chain([*last]).collect()))
    }

    /// Sets the cursor that shows the effect of a drag.
    fn cursor(&self, ui: &Ui, response: &Response, modifiers: Modifiers) {
        if !response.contains_pointer() && self.gesture.is_idle() {
            return;
        }
        let is_panning = ui.input(|input| input.key_down(Key::Space));
        let is_refused = |wire: &Wire| wire.target.as_ref().is_some_and(|target| target.refusal.is_some());
        let icon = match (&self.gesture, &self.hover) {
            (gesture, _) if gesture.is_wiring() => match gesture.wire().is_some_and(is_refused) {
                true => CursorIcon::NotAllowed,
                false => CursorIcon::Crosshair,
            },
            (Gesture::Pan, _) => CursorIcon::Grabbing,
            (Gesture::Move(held), _) if held.is_copy => CursorIcon::Copy,
            (Gesture::Move(_), _) => CursorIcon::Move,
            (Gesture::Wire(_), _) => CursorIcon::Crosshair,
            (Gesture::Resize { .. }, _) | (Gesture::Idle, Hit::Corner(_)) => CursorIcon::ResizeNwSe,
            (Gesture::Segment { segment, points, .. }, _) => across(points, *segment),
            (Gesture::Marquee { .. }, _) => CursorIcon::Default,
            (Gesture::Idle, _) if is_panning => CursorIcon::Grab,
            (Gesture::Idle, Hit::Input(..) | Hit::Output(..) | Hit::Dot(_) | Hit::Loose(..)) => CursorIcon::Crosshair,
            (Gesture::Idle, Hit::Wire { .. }) if modifiers.alt => CursorIcon::Crosshair,
            (Gesture::Idle, Hit::Wire { key, segment }) => {
                self.scene.wire(key).map_or(CursorIcon::Default, |wire| across(&wire.points, *segment))
            }
            (Gesture::Idle, Hit::Block(id)) if modifiers.alt && self.is_to_be_joined(*id) => CursorIcon::Crosshair,
            (Gesture::Idle, Hit::Block(_)) => CursorIcon::Default,
            (Gesture::Idle, Hit::Empty) => CursorIcon::Default,
        };
        if icon != CursorIcon::Default {
            ui.ctx().set_cursor_icon(icon);
        }
    }
}

fn across(points: &[Pos2], segment: usize) -> CursorIcon {
    match (points.get(segment), points.get(segment + 1)) {
        (Some(a), Some(b)) if a.x == b.x => CursorIcon::ResizeHorizontal,
        _ => CursorIcon::ResizeVertical,
    }
}
