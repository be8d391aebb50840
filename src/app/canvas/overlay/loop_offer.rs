//! Offers ways to break the loop of a wire that was just left open.

use std::sync::Arc;

use eframe::egui::{
    Area, CornerRadius, Frame, Id, Label, Margin, Order, RichText, Stroke, TextWrapMode, Ui, pos2, vec2,
};

use super::{Overlay, OverlayContext};
use crate::app::canvas::CanvasOutput;
use crate::app::canvas::gesture::Gesture;
use crate::app::ui::theme::TEXT_SMALL;

impl Overlay {
    /// Shows the loop and its fixes beside a wire that was just left open.
    pub fn loop_offer_ui(
        &mut self,
        ui: &mut Ui,
        context: &OverlayContext,
        gesture: &Gesture,
        output: &mut CanvasOutput,
    ) {
        let OverlayContext { open, view, transform } = *context;
        let Some(offer) = self.offer.clone() else { return };
        let target = Some((offer.to.block, Arc::clone(&offer.to.input)));
        let Some(block) = open.scene.block(offer.from) else { return self.offer = None };
        let Some(number) = block.loose.iter().position(|wire| wire.target == target) else {
            // The change that leaves it open may be pending; an undone one has no offer.
            if gesture.is_idle() && output.changes.is_empty() && !open.scene.is_routing() {
                self.offer = None;
            }
            return;
        };
        let Some(end) = block.loose.get(number).map(|wire| wire.end_of(block)) else { return };
        // Below the target block and its title.
        let below = open.scene.block(offer.to.block).map_or(end.y, |to| to.outline.rect.bottom());
        let at = transform.to_screen(pos2(end.x, below)) + vec2(6.0, 34.0);
        let theme = view.theme;
        let frame = Frame::popup(ui.style())
            .stroke(Stroke::new(1.0, theme.error))
            .corner_radius(CornerRadius::same(6))
            .inner_margin(Margin::same(6));
        let area = Area::new(Id::unique("loop offer")).order(Order::Foreground).fixed_pos(at);
        let shown = area.constrain_to(transform.screen).show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.set_max_width(360.0);
                let text = RichText::new(&offer.text).size(TEXT_SMALL).color(theme.error);
                ui.add(Label::new(text).wrap_mode(TextWrapMode::Wrap));
                ui.horizontal(|ui| {
                    for change in open.loop_remedies(offer.from, number) {
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
}
