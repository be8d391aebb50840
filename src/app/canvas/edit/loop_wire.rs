//! Wires that would close an algebraic loop: they stay open, and the canvas offers ways to break the loop.

use std::collections::BTreeSet;
use std::sync::Arc;

use eframe::egui::{
    Area, CornerRadius, Frame, Id, Label, Margin, Order, RichText, Stroke, TextWrapMode, Ui, pos2, vec2,
};

use super::commands::{connect_change, disconnect};
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::gesture::Wire;
use crate::app::canvas::gesture::hit::PortDirection;
use crate::app::canvas::overlay::LoopOffer;
use crate::app::canvas::scene::{BlockView, LooseWire};
use crate::app::canvas::{Canvas, CanvasOutput, CanvasView, DocumentView};
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::library;
use crate::model::check::loop_text;
use crate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, Model, delayed, loop_closed_anywhere};

/// Distance between the port and the end of such a wire.
const GAP: f32 = 22.0;

impl Canvas {
    /// Leaves a wire open in front of the input where it would close a loop, and offers fixes.
    pub(in crate::app::canvas) fn leave_loop_open(
        &mut self,
        model: &Model,
        wire: &Wire,
        connection: &Connection,
        text: &str,
    ) -> Option<Change> {
        // A loose wire whose end was picked up is replaced by the new one.
        let taken = wire.loose.filter(|_| wire.fixed.block() == connection.from);
        let mut edits = self.pins(model, &BTreeSet::new());
        edits.extend(wire.detached.iter().map(|key| disconnect(model, key)));
        if wire.loose.is_some() && taken.is_none() {
            edits.extend(self.loose_edit(model, wire.fixed.block(), wire.loose, None));
        }
        edits.push(self.loop_edit(model, connection, taken)?);
        self.offer = Some(LoopOffer { from: connection.from, to: connection.key(), text: text.to_owned() });
        Some(Change::new("Leave wire open", edits))
    }

    /// The same if the document refused a connection because of a loop outside of the open model.
    pub fn leave_refused_open(&mut self, model: &Model, connection: &Connection, text: &str) -> Option<Change> {
        let edit = self.loop_edit(model, connection, None)?;
        self.offer = Some(LoopOffer { from: connection.from, to: connection.key(), text: text.to_owned() });
        Some(Change::one("Leave wire open", edit))
    }

    fn loop_edit(&self, model: &Model, connection: &Connection, taken: Option<usize>) -> Option<Edit> {
        let (from, to) = (self.scene.block(connection.from)?, self.scene.block(connection.to)?);
        let port = crate::app::canvas::scene::target_end(to, to.input_at(&connection.input)?);
        let end = snap(port.at - port.heading.vector() * GAP) - from.outline.rect.min;
        let target = Some((connection.to, Arc::clone(&connection.input)));
        // One wire to an input is enough.
        let known = from.loose.iter().position(|wire| wire.target == target && wire.port == connection.output);
        let loose = LooseWire { side: PortDirection::Output, port: Arc::clone(&connection.output), end, target };
        self.loose_edit(model, connection.from, taken.or(known), Some(loose))
    }

    /// Returns the target of a loose wire that was left open because of a loop.
    pub(in crate::app::canvas) fn loop_of(&self, id: BlockId, number: usize) -> Option<Connection> {
        let wire = self.scene.block(id)?.loose.get(number)?;
        let (to, input) = wire.target.as_ref()?;
        self.scene.block(*to)?.input_at(input)?;
        Some(Connection::new(id, &wire.port, *to, input))
    }

    /// Returns the named fixes for the loop that a loose wire would close; only `Connect` if there is no loop any more.
    pub(in crate::app::canvas) fn loop_remedies(
        &self,
        view: &DocumentView,
        model: &Model,
        id: BlockId,
        number: usize,
    ) -> Vec<Change> {
        let Some(connection) = self.loop_of(id, number) else { return Vec::new() };
        let gone = || self.loose_edit(model, id, Some(number), None);
        let mut pins = self.pins(model, &BTreeSet::new());
        pins.extend(gone());
        if loop_closed_anywhere(view.simulation, view.registry, &model.name, &connection).is_none() {
            return vec![connect_change(model, connection, pins)];
        }
        let delayed = self.delayed(view, model, &connection).map(|edits| {
            let edits = pins.iter().cloned().chain(edits).collect();
            Change::new("Insert a unit delay", edits)
        });
        let solve = Edit::SetSimulationAttribute { name: "loops".into(), value: Some("solve".into()) };
        let wire = Edit::Connect { model: Arc::clone(&model.name), connection: Box::new(connection) };
        let solved = Change::new("Solve the loop", pins.into_iter().chain([solve, wire]).collect());
        delayed.into_iter().chain([solved]).collect()
    }

    /// Inserts a unit delay in front of the input, and the wires through it.
    fn delayed(&self, view: &DocumentView, model: &Model, connection: &Connection) -> Option<Vec<Edit>> {
        let (def, ..) = library::unit_delay();
        let (from, to) = (self.scene.block(connection.from)?, self.scene.block(connection.to)?);
        let port = crate::app::canvas::scene::target_end(to, to.input_at(&connection.input)?);
        let start = from.output_at(&connection.output)?;
        let block = Block::new(model.free_id(), BlockKind::library(def.group, def.name));
        let size = BlockView::new(view.simulation, view.registry, model, &Arc::new(block)).outline.rect.size();
        // In front of the input if there is space between the two, otherwise below both.
        let has_room = (port.at.x - start.x) * port.heading.vector().x > 2.0 * size.x;
        let corner = match has_room {
            true => port.at - port.heading.vector() * (GAP + size.x) - vec2(0.0, size.y / 2.0),
            false => {
                let both = from.outline.rect.union(to.outline.rect);
                vec2(both.center().x - size.x / 2.0, both.bottom() + 2.0 * GAP).to_pos2()
            }
        };
        Some(delayed(model, connection, Some(position_of(snap(corner)))))
    }

    /// Shows the loop and its fixes beside a wire that was just left open.
    pub(in crate::app::canvas) fn loop_offer_ui(
        &mut self,
        ui: &mut Ui,
        view: &CanvasView,
        model: &Model,
        output: &mut CanvasOutput,
    ) {
        let Some(offer) = self.offer.clone() else { return };
        let target = Some((offer.to.block, Arc::clone(&offer.to.input)));
        let Some(block) = self.scene.block(offer.from) else { return self.offer = None };
        let Some(number) = block.loose.iter().position(|wire| wire.target == target) else {
            // The change that leaves it open may be pending; an undone one has no offer.
            if self.gesture.is_idle() && output.changes.is_empty() && !self.scene.is_routing() {
                self.offer = None;
            }
            return;
        };
        let Some(end) = block.loose.get(number).map(|wire| wire.end_of(block)) else { return };
        // Below the target block and its title.
        let below = self.scene.block(offer.to.block).map_or(end.y, |to| to.outline.rect.bottom());
        let at = self.transform().to_screen(pos2(end.x, below)) + vec2(6.0, 34.0);
        let theme = view.theme;
        let frame = Frame::popup(ui.style())
            .stroke(Stroke::new(1.0, theme.error))
            .corner_radius(CornerRadius::same(6))
            .inner_margin(Margin::same(6));
        let area = Area::new(Id::unique("loop offer")).order(Order::Foreground).fixed_pos(at);
        let shown = area.constrain_to(self.transform().screen).show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.set_max_width(360.0);
                let text = RichText::new(&offer.text).size(TEXT_SMALL).color(theme.error);
                ui.add(Label::new(text).wrap_mode(TextWrapMode::Wrap));
                ui.horizontal(|ui| {
                    for change in self.loop_remedies(&view.document, model, offer.from, number) {
                        if ui.button(&change.label).clicked() {
                            output.changes.push(change);
                            self.offer = None;
                        }
                    }
                    if ui.button("Leave open").clicked() {
                        self.offer = None;
                    }
                });
            });
        });
        // A press elsewhere closes it; the wire's context menu has the same entries.
        let is_elsewhere = ui.input(|input| {
            let at = input.pointer.press_origin().filter(|_| input.pointer.any_pressed());
            at.is_some_and(|at| !shown.response.rect.contains(at))
        });
        if is_elsewhere {
            self.offer = None;
        }
    }

    /// Describes the loop that a loose wire would close; None if it may be connected.
    pub(in crate::app::canvas) fn loop_text_of(
        &self,
        view: &DocumentView,
        model: &Model,
        id: BlockId,
        number: usize,
    ) -> Option<String> {
        let connection = self.loop_of(id, number)?;
        let (name, hops) = loop_closed_anywhere(view.simulation, view.registry, &model.name, &connection)?;
        let of_model = if name == model.name { String::new() } else { format!(" in “{name}”") };
        let text = loop_text(view.simulation.model(&name)?, &hops);
        Some(format!("This wire would close an algebraic loop{of_model}: {text}"))
    }
}
