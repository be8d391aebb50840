//! Adds controls and instruments to the diagram, beside the block they belong to.

use std::sync::Arc;

use eframe::egui::{Pos2, Ui, pos2};

use super::OverlayContext;
use super::menu::item;
use crate::app::canvas::{CanvasOutput, DocumentView};
use crate::app::doc::dashboard::{
    Binding, BindingKind, Candidate, Widget, WidgetKind, below, candidates_of_block, pinned, pinned_edit, with_scale_of,
};
use crate::app::doc::plots::name_of;
use crate::engine::Extent;
use crate::model::{BlockId, Change, SignalKey};

impl OverlayContext<'_> {
    /// Shows the widgets that can be added beside a block: controls for its parameters, instruments for its outputs.
    pub fn pin_menu_ui(&self, ui: &mut Ui, id: BlockId, output: &mut CanvasOutput) {
        let DocumentView { simulation, registry } = self.open.document;
        let names = |signal: &SignalKey| name_of(simulation, signal);
        let of = |wanted| candidates_of_block((simulation, registry), (self.open.path, id), wanted, &names);
        let (params, signals) = (of(BindingKind::Params), of(BindingKind::Signals));
        if params.is_empty() && signals.is_empty() {
            return;
        }
        ui.menu_button("Add to canvas", |ui| {
            ui.set_min_width(170.0);
            for candidate in params.iter().chain(&signals) {
                // The menu title already names the block.
                ui.menu_button(&candidate.name_in_block, |ui| self.kinds_ui(ui, candidate, None, output));
            }
        });
    }

    /// Shows the instruments that can be added for a wire's signal.
    pub fn pin_signal_ui(&self, ui: &mut Ui, (block, port): (BlockId, Arc<str>), at: Pos2, output: &mut CanvasOutput) {
        let binding = Binding::Signal(SignalKey::new(self.open.path, block, &port));
        let candidate = Candidate { name: String::new(), name_in_block: String::new(), binding };
        ui.menu_button("Add instrument here", |ui| {
            self.kinds_ui(ui, &candidate, Some(at), output);
        });
    }

    fn kinds_ui(&self, ui: &mut Ui, candidate: &Candidate, at: Option<Pos2>, output: &mut CanvasOutput) {
        ui.set_min_width(150.0);
        let is_param = matches!(candidate.binding, Binding::Param(_));
        let kinds = WidgetKind::ALL.into_iter();
        for kind in kinds.filter(|kind| if is_param { kind.is_control() } else { kind.is_instrument() }) {
            if item(ui, kind.label()) {
                output.changes.extend(self.pin(candidate, kind, at));
            }
        }
    }

    /// Adds a widget at a model position, or below its block and existing widgets.
    fn pin(&self, candidate: &Candidate, kind: WidgetKind, at: Option<Pos2>) -> Option<Change> {
        let OverlayContext { open, view, .. } = *self;
        let DocumentView { simulation, registry } = open.document;
        let (_, id) = candidate.binding.target();
        let (block, body) = (open.model.block(id)?, open.scene.block(id)?.outline.body);
        let mut widgets = pinned(block, open.path, simulation, registry);
        let lowest = below(&widgets, body.height());
        let offset = at.map_or(pos2(0.0, lowest), |at| at - body.min.to_vec2());
        let extent = match &candidate.binding {
            Binding::Signal(signal) => (view.curve)(signal, 8),
            Binding::Param(_) => None,
        };
        let extent =
            extent.map(|curve| curve.parts.iter().map(|part| part.extremes.extent()).fold(Extent::EMPTY, Extent::join));
        let extent = extent.filter(|extent| !extent.is_empty()).map(|extent| (extent.low, extent.high));
        let widget = Widget {
            binding: Some(candidate.binding.clone()),
            ..Widget::new(kind, offset.x.round(), offset.y.round())
        };
        let widget = if kind.has_scale() { with_scale_of(widget, simulation, registry, extent) } else { widget };
        widgets.push(widget);
        let label = format!("Add {} to the canvas", kind.label().to_lowercase());
        Some(Change::one(label, pinned_edit(&open.model.name, id, &widgets)))
    }
}
