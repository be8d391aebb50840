//! Turns the pointer's movements into gestures, and finished gestures into changes.

use std::sync::Arc;

use eframe::egui::{self, CursorIcon, Key, Modifiers, PointerButton, Pos2, Rect, Response, Ui, Vec2};

use super::click::Click;
use super::guides::settled;
use super::hit::{Hit, Reach, hit};
use super::{Gesture, Move, Wire, WireEnd};
use crate::app::action::new_block::NewBlock;
use crate::app::canvas::frame::FrameContext;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::overlay::LoopOffer;
use crate::app::canvas::{Canvas, CanvasOutput, DocumentView, Selection};
use crate::app::doc::plots::DraggedSignal;
use crate::model::{InputKey, SignalKey};

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
        let FrameContext { ui, response, view, .. } = *frame;
        self.look_around(ui, response);
        let modifiers = ui.input(|input| input.modifiers);
        let pointer = ui.ctx().pointer_latest_pos();
        let transform = self.view.transform();
        let in_model = pointer.map(|pointer| transform.to_model(pointer));
        if response.contains_pointer()
            && let Some(point) = in_model
        {
            output.pointer = Some(position_of(point));
            self.gesture.hover = self.hit(point);
        } else {
            self.gesture.hover = Hit::Empty;
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
            self.finish(view, output);
        } else if response.clicked() || response.double_clicked() {
            response.request_focus();
            if let (Some(point), Some(screen)) = (in_model, pointer) {
                let click = Click { point, screen, modifiers, is_double: response.double_clicked() };
                self.click(view, &click, output);
            }
        }
        if response.secondary_clicked()
            && let Some(point) = in_model
        {
            self.gesture.current = Gesture::Idle;
            self.point_menu_at(point);
        }
        if let Some(block) = response.dnd_release_payload::<NewBlock>()
            && let Some(point) = in_model
        {
            let new = NewBlock::clone(&block);
            output.changes.extend(self.edit(view, |open| open.insert_block(new, position_of(point))));
            response.request_focus();
        }
        self.cursor(frame, modifiers);
    }

    pub(super) fn hit(&self, point: Pos2) -> Hit {
        let zoom = self.view.transform().zoom();
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
        let transform = self.view.transform();
        let (scroll, zoom, source) =
            ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.scroll_source()));
        let is_trackpad = matches!(source, Some(egui::MouseWheelSource::Trackpad | egui::MouseWheelSource::Momentum));
        let camera = self.view.camera_mut();
        if zoom != 1.0 {
            camera.zoom_at(&transform, zoom, pointer);
        } else if is_trackpad {
            camera.pan(scroll);
        } else if scroll != Vec2::ZERO {
            camera.pan(Vec2::new(scroll.x, 0.0));
            camera.zoom_at(&transform, (scroll.y * 0.004).exp(), pointer);
        }
    }

    /// Starts a drag at a model position.
    fn begin(&mut self, at: Pos2, button: PointerButton, modifiers: Modifiers) {
        if self.gesture.current.is_wiring() {
            return;
        }
        let branch = |key: &InputKey| Wire::branch_of(&self.scene, key, at).map_or(Gesture::Idle, Gesture::Wire);
        self.gesture.current = match (button, self.hit(at)) {
            (PointerButton::Middle, _) => Gesture::Pan,
            (_, Hit::Output(block, port)) => Gesture::Wire(Wire::new(WireEnd::Output(block, port), at)),
            (PointerButton::Secondary, Hit::Wire { key, .. } | Hit::Dot(key)) => branch(&key),
            (PointerButton::Secondary, _) => Gesture::Pan,
            (_, Hit::Input(block, port)) => Gesture::Wire(Wire::at_input(&self.scene, block, port, at)),
            (_, Hit::Dot(key)) => branch(&key),
            (_, Hit::Wire { key, .. }) if modifiers.alt => branch(&key),
            (_, Hit::Wire { key, segment }) => {
                self.selection = Selection::of_wire(key.clone());
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
                let blocks = self.scene.with_carried(self.selection.blocks.iter().copied());
                let held = Move::new(&self.scene, blocks.into_iter(), id, at);
                Gesture::Move(Move { is_copy: modifiers.command, ..held })
            }
            (_, Hit::Loose(id, number)) => {
                Wire::at_loose_end(&self.scene, id, number, at).map_or(Gesture::Idle, Gesture::Wire)
            }
            (_, Hit::Corner(id)) => {
                self.selection = Selection::of_block(id);
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

    fn follow(&mut self, response: &Response, view: &DocumentView, point: Pos2, modifiers: Modifiers) {
        if !self.gesture.current.is_idle() && self.gesture.current != Gesture::Pan {
            self.pan_at_edge(response);
        }
        let reach = END_REACH / self.view.transform().zoom();
        let branch = self.branch_at(view, point, reach);
        let transform = self.view.transform();
        match &mut self.gesture.current {
            Gesture::Idle => {}
            Gesture::Pan => {
                let motion = response.drag_delta();
                self.view.camera_mut().pan(motion);
            }
            Gesture::Marquee { from, to, base } => {
                *to = point;
                let mut selection = Selection::within(&self.scene, Rect::from_two_pos(*from, point));
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
        let Gesture::Segment { key, .. } = &self.gesture.current else { return None };
        let mut wire = Wire::branch_of(&self.scene, key, point)?;
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
        let is_leaving =
            matches!(self.gesture.current, Gesture::Wire(_) | Gesture::Segment { .. }) && beyond.length() > 30.0;
        if beyond != Vec2::ZERO && !is_leaving {
            let step = beyond.clamp(Vec2::splat(-12.0), Vec2::splat(12.0));
            self.view.camera_mut().pan(-step);
            response.ctx.request_repaint();
        }
    }

    /// Finishes the drag.
    fn finish(&mut self, view: &DocumentView, output: &mut CanvasOutput) {
        let dragged = self.gesture.current.dragged_wire();
        match std::mem::take(&mut self.gesture.current) {
            Gesture::Move(held) if held.shift != Vec2::ZERO => {
                let change = match held.is_copy {
                    true => self.edit(view, |open| open.copy_by(held.shift)),
                    false => self.edit(view, |open| open.move_by(&held)),
                };
                output.changes.extend(change);
            }
            Gesture::Wire(wire) if wire.target.is_none() => {
                output.changes.extend(self.edit(view, |open| open.leave_open(&wire)));
            }
            Gesture::Wire(wire) => self.finish_wire(view, wire, output),
            Gesture::Resize { block, from, size, .. } if size != from => {
                output.changes.extend(self.edit(view, |open| open.resize(block, size)));
            }
            Gesture::Segment { branch: Some(wire), .. } => self.finish_wire(view, *wire, output),
            Gesture::Segment { key, points, .. } => {
                if let Some(dragged) = dragged
                    && dragged != points
                {
                    output.changes.extend(self.edit(view, |open| Some(open.bend(&key, &dragged))));
                }
            }
            _ => {}
        }
    }

    /// Offers a wire, or the end of one, that is dragged out of the diagram to the widget under the pointer: plots
    /// accept it.
    fn offer_outside(&mut self, ui: &Ui, response: &Response, pointer: Option<Pos2>) {
        let source = match &self.gesture.current {
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
                self.gesture.current = Gesture::Idle;
            }
            Some(source) => {
                if let Some(signal) = Some(SignalKey::new(self.view.path(), source.0, &source.1)) {
                    egui::DragAndDrop::set_payload(ui.ctx(), DraggedSignal { signal, from: None });
                }
            }
            None if egui::DragAndDrop::has_payload_of_type::<DraggedSignal>(ui.ctx()) => {
                egui::DragAndDrop::clear_payload(ui.ctx());
            }
            None => {}
        }
    }

    pub(super) fn finish_wire(&mut self, view: &DocumentView, wire: Wire, output: &mut CanvasOutput) {
        let Some(target) = &wire.target else { return };
        let Some(connection) = wire.connection(target) else { return };
        let Some(refusal) = &target.refusal else {
            output.changes.extend(self.edit(view, |open| open.connect_wire(wire, connection)));
            return;
        };
        output.refused = Some(refusal.text.clone());
        if let Some(change) = self.edit(view, |open| open.leave_loop_open(&wire, &connection)) {
            self.overlay.offer = Some(LoopOffer::new(&connection, &refusal.text));
            output.changes.push(change);
        }
    }

    /// Opens the context menu for what lies here; it is selected to show the menu's target.
    fn point_menu_at(&mut self, point: Pos2) {
        let found = self.hit(point);
        match &found {
            Hit::Block(id) | Hit::Corner(id) | Hit::Input(id, _) | Hit::Output(id, _)
                if !self.selection.blocks.contains(id) =>
            {
                self.selection = Selection::of_block(*id);
            }
            Hit::Wire { key, .. } | Hit::Dot(key) if !self.selection.wires.contains(key) => {
                self.selection = Selection::of_wire(key.clone());
            }
            _ => {}
        }
        self.overlay.menu = (found, point);
    }

    /// Sets the cursor that shows the effect of a drag.
    fn cursor(&self, frame: &FrameContext, modifiers: Modifiers) {
        let FrameContext { ui, response, view, .. } = *frame;
        if !response.contains_pointer() && self.gesture.current.is_idle() {
            return;
        }
        let is_panning = ui.input(|input| input.key_down(Key::Space));
        let is_refused = |wire: &Wire| wire.target.as_ref().is_some_and(|target| target.refusal.is_some());
        let icon = match (&self.gesture.current, &self.gesture.hover) {
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
            (Gesture::Idle, Hit::Block(id))
                if modifiers.alt && self.open(view).is_some_and(|open| open.is_to_be_joined(*id)) =>
            {
                CursorIcon::Crosshair
            }
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
