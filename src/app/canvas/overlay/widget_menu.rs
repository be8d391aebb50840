//! Adds controls and instruments to the diagram, beside the block they belong to.

use std::sync::Arc;

use eframe::egui::{Pos2, Ui, pos2};

use super::menu::item;
use crate::app::canvas::geometry::GRID;
use crate::app::canvas::{Canvas, CanvasOutput, CanvasView, DocumentView};
use crate::app::doc::dashboard::{
    Binding, BindingKind, Candidate, Widget, WidgetKind, candidates_of_block, pinned, pinned_edit, with_scale_of,
};
use crate::app::doc::plots::name_of;
use crate::engine::Extent;
use crate::model::{BlockId, Change, SignalKey};

/// Space for the title below a block.
const BELOW: f32 = 28.0;

impl Canvas {
    /// Shows the widgets that can be added beside a block: controls for its parameters, instruments for its outputs.
    pub(in crate::app::canvas) fn pin_menu_ui(
        &self,
        ui: &mut Ui,
        view: &CanvasView,
        id: BlockId,
        output: &mut CanvasOutput,
    ) {
        let DocumentView { simulation, registry } = view.document;
        let names = |signal: &SignalKey| name_of(simulation, signal);
        let of = |wanted| candidates_of_block((simulation, registry), (&self.path, id), wanted, &names);
        let (params, signals) = (of(BindingKind::Params), of(BindingKind::Signals));
        if params.is_empty() && signals.is_empty() {
            return;
        }
        ui.menu_button("Add to canvas", |ui| {
            ui.set_min_width(170.0);
            for candidate in params.iter().chain(&signals) {
                // The menu title already names the block.
                ui.menu_button(&candidate.name_in_block, |ui| self.kinds_ui(ui, view, candidate, None, output));
            }
        });
    }

    /// Shows the instruments that can be added for a wire's signal.
    pub(in crate::app::canvas) fn pin_signal_ui(
        &self,
        ui: &mut Ui,
        view: &CanvasView,
        (block, port): (BlockId, Arc<str>),
        output: &mut CanvasOutput,
    ) {
        let binding = Binding::Signal(SignalKey::new(&self.path, block, &port));
        let candidate = Candidate { name: String::new(), name_in_block: String::new(), binding };
        ui.menu_button("Add instrument here", |ui| {
            self.kinds_ui(ui, view, &candidate, Some(self.menu.1), output);
        });
    }

    fn kinds_ui(
        &self,
        ui: &mut Ui,
        view: &CanvasView,
        candidate: &Candidate,
        at: Option<Pos2>,
        output: &mut CanvasOutput,
    ) {
        ui.set_min_width(150.0);
        let is_param = matches!(candidate.binding, Binding::Param(_));
        let kinds = WidgetKind::ALL.into_iter();
        for kind in kinds.filter(|kind| if is_param { kind.is_control() } else { kind.is_instrument() }) {
            if item(ui, kind.label()) {
                output.changes.extend(self.pin(view, candidate, kind, at));
            }
        }
    }

    /// Adds a widget at a model position, or below its block and existing widgets.
    fn pin(&self, view: &CanvasView, candidate: &Candidate, kind: WidgetKind, at: Option<Pos2>) -> Option<Change> {
        let model = self.open_model(view.document.simulation)?;
        let (_, id) = candidate.binding.target();
        let (block, body) = (model.block(id)?, self.scene.block(id)?.outline.body);
        let mut widgets = pinned(block, &self.path, view.document.simulation, view.document.registry);
        let lowest = widgets.iter().map(|widget| widget.y + widget.height + GRID).fold(body.height() + BELOW, f32::max);
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
        let widget = if kind.has_scale() {
            with_scale_of(widget, view.document.simulation, view.document.registry, extent)
        } else {
            widget
        };
        widgets.push(widget);
        let label = format!("Add {} to the canvas", kind.label().to_lowercase());
        Some(Change::one(label, pinned_edit(&model.name, id, &widgets)))
    }
}
