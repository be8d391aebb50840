//! Controls and instruments on the canvas, as pictures of the diagram show them: with the values in the document.

use std::sync::Arc;

use eframe::egui::{Rect, Ui};

use super::widget::{self, Mode, StoredWidget, WidgetContext, WidgetSlot};
use super::{DashboardState, DashboardView};
use crate::app::doc::dashboard::{Dashboard, Widget, WidgetHost};
use crate::app::doc::derived::Derived;
use crate::block::Registry;
use crate::model::{Simulation, Snapshot};

/// Draws widgets, each in its rectangle.
pub fn picture_ui(ui: &mut Ui, simulation: &Arc<Simulation>, registry: &Registry, widgets: &[(Rect, Widget)]) {
    let (mut derived, dashboard) = (Derived::default(), Dashboard::default());
    derived.follow(&Snapshot { simulation: Arc::clone(simulation), revision: 1 }, registry);
    let view = DashboardView {
        simulation,
        registry,
        revision: 0,
        derived: &derived,
        dashboard: &dashboard,
        values: &|_| None,
        folder: None,
        is_player: true,
    };
    let (mut state, mut actions) = (DashboardState::default(), Vec::new());
    let host = WidgetHost::Board(&dashboard);
    for (number, (rect, widget)) in widgets.iter().enumerate() {
        let slot = WidgetSlot { block: None, number };
        ui.push_id(number, |ui| {
            let mut context = WidgetContext { view: &view, plot_ui: &mut |_, _, _, _| {}, actions: &mut actions };
            widget::show_ui(ui, &mut state, &mut context, StoredWidget { host, slot, widget }, *rect, Mode::Used);
        });
    }
}
