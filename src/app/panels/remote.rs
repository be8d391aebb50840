//! Shows the cost of a model block in a worker, in the inspector.

use eframe::egui::Ui;

use super::inspected::InspectorView;
use super::now::row_ui;
use crate::app::doc::remote::{cost_of, restarts_text, verdict_text};
use crate::app::ui::widgets;
use crate::model::Block;

/// Shows where a model block runs and, after the first steps of a run, what that has cost; nothing for other blocks.
pub fn show_ui(ui: &mut Ui, view: &InspectorView, block: &Block) {
    let Some(pool) = block.pool() else { return };
    widgets::section_ui(ui, &format!("On the pool “{pool}”"));
    let Some(cost) = cost_of(&view.run.remote_costs, view.path, block.id) else {
        ui.label(widgets::weak(ui, "A run shows here what reaching its worker costs"));
        return;
    };
    let (reach, compute) = cost.seconds_per_step();
    row_ui(ui, "Worker", &cost.worker);
    row_ui(ui, "Exchanges a step", &format!("{:.1}", cost.exchanges_per_step()));
    row_ui(ui, "Time to reach", &format!("{:.3} ms a step", reach * 1e3));
    row_ui(ui, "Time to compute", &format!("{:.3} ms a step", compute * 1e3));
    ui.label(widgets::weak(ui, verdict_text(cost)));
    if let Some(text) = restarts_text(cost) {
        ui.label(widgets::weak(ui, text));
    }
}
