//! Handles clicks and double clicks.

use eframe::egui::{Modifiers, Pos2};

use super::hit::Hit;
use super::{Gesture, Wire, WireEnd};
use crate::app::canvas::geometry::position_of;
use crate::app::canvas::{Canvas, CanvasOutput, DocumentView, InsertPosition, Selection};
use crate::model::{BlockId, BlockKind, InputKey};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Click {
    /// In model coordinates.
    pub point: Pos2,
    pub screen: Pos2,
    pub modifiers: Modifiers,
    pub is_double: bool,
}

impl Canvas {
    pub(super) fn click(&mut self, view: &DocumentView, click: &Click, output: &mut CanvasOutput) {
        if let Gesture::Wire(wire) = &self.gesture.current {
            let wire = wire.clone();
            self.gesture.current = Gesture::Idle;
            if wire.by_keys.is_some() {
                return;
            }
            self.finish_wire(view, wire, output);
            return;
        }
        let point = click.point;
        let found = self.hit(point);
        if click.is_double && !click.modifiers.alt {
            self.double_click(view, &found, click, output);
            return;
        }
        let adds = click.modifiers.shift || click.modifiers.command;
        match found {
            Hit::Output(block, port) => self.begin_sticky(WireEnd::Output(block, port), point),
            Hit::Input(block, input) => {
                let key = InputKey { block, input };
                match self.scene.wire(&key).is_some() {
                    true if adds => self.toggle_wire(key),
                    true => self.select_wire(key),
                    false => self.begin_sticky(WireEnd::Input(block, key.input), point),
                }
            }
            Hit::Block(id) | Hit::Corner(id) if click.modifiers.alt && !self.selection.blocks.is_empty() => {
                let connected = self.open(view).map(|open| open.connect_to(id));
                match connected {
                    Some(Ok(edited)) => output.changes.extend(self.edit(view, |_| Some(edited))),
                    Some(Err(refusal)) => output.refused = Some(refusal.to_string()),
                    None => {}
                }
            }
            Hit::Block(id) | Hit::Corner(id) if adds => {
                if !self.selection.blocks.remove(&id) {
                    self.selection.blocks.insert(id);
                }
            }
            Hit::Block(id) | Hit::Corner(id) => self.selection = Selection::of_block(id),
            Hit::Wire { key, .. } | Hit::Dot(key) if adds => self.toggle_wire(key),
            Hit::Wire { key, .. } | Hit::Dot(key) => self.select_wire(key),
            Hit::Loose(id, number) => {
                if let Some(wire) = Wire::at_loose_end(&self.scene, id, number, point) {
                    self.gesture.current = Gesture::Wire(Wire { is_sticky: true, ..wire });
                }
            }
            Hit::Empty if adds => {}
            Hit::Empty => self.selection = Selection::default(),
        }
    }

    /// Starts a wire that ends with the next click.
    fn begin_sticky(&mut self, fixed: WireEnd, at: Pos2) {
        self.gesture.current = Gesture::Wire(Wire { is_sticky: true, ..Wire::new(fixed, at) });
    }

    fn select_wire(&mut self, key: InputKey) {
        self.selection = Selection::of_wire(key);
    }

    /// Adds a wire to the selection, or removes it.
    fn toggle_wire(&mut self, key: InputKey) {
        if !self.selection.wires.remove(&key) {
            self.selection.wires.insert(key);
        }
    }

    fn double_click(&mut self, view: &DocumentView, found: &Hit, click: &Click, output: &mut CanvasOutput) {
        match found {
            Hit::Block(id) => self.open_block(view, *id, output),
            Hit::Empty | Hit::Loose(..) => {
                self.gesture.current = Gesture::Idle;
                output.insert_at = Some(InsertPosition { position: position_of(click.point), screen: click.screen });
            }
            Hit::Wire { key, .. } | Hit::Dot(key) => self.overlay.begin_signal(&self.scene, key),
            Hit::Input(..) | Hit::Output(..) | Hit::Corner(_) => {}
        }
    }

    /// Opens a model, the code of a block or a sink's scope window, or shows the parameters of any other block.
    pub(in crate::app::canvas) fn open_block(&mut self, view: &DocumentView, id: BlockId, output: &mut CanvasOutput) {
        let Some(block) = self.scene.block(id) else { return };
        if let BlockKind::Model { model } = &block.block.kind
            && view.simulation.model(model).is_some()
        {
            let mut path = self.view.path.clone();
            path.push(id);
            self.go_to(path, None);
            return;
        }
        if block.is_remark() {
            self.overlay.begin_value(&self.scene, id);
            return;
        }
        if self.overlay.open_code(&self.scene, id) {
            self.selection = Selection::of_block(id);
            return;
        }
        let is_sink = block.ports.outputs.is_empty() && block.def.is_some();
        let sources = self.scene.sources_of(id);
        if is_sink && !sources.is_empty() {
            output.open_scope = Some(id);
        } else {
            self.selection = Selection::of_block(id);
            output.edit_parameters = Some(id);
        }
    }
}
