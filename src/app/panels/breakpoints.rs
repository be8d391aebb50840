//! The breakpoints of the document, in the Runs panel.

use std::sync::Arc;

use eframe::egui::{RichText, Ui};

use crate::app::action::{Action, ViewAction};
use crate::app::doc::breakpoints::{OnWire, set};
use crate::app::doc::derived::WireBreakpoint;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets;
use crate::model::Simulation;

pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    (simulation, known): (&Simulation, &[(Arc<str>, WireBreakpoint)]),
    actions: &mut Vec<Action>,
) {
    widgets::section_ui(ui, "Breakpoints");
    if known.is_empty() {
        ui.label(widgets::weak(ui, "None. Right-click a wire to add one"));
        return;
    }
    for (model, WireBreakpoint { wire, on, from, output }) in known {
        let title = simulation.model(model).and_then(|model| model.block(*from)).map_or("?", |block| block.title());
        let name = format!("{title} {from} · {output}");
        let input = (wire.block, &wire.input);
        ui.push_id((model, wire), |ui| {
            ui.horizontal(|ui| {
                let mut is_on = on.is_on;
                let check = ui.checkbox(&mut is_on, "");
                check.ctx.accesskit_node_builder(check.id, |node| node.set_label(format!("Breakpoint at {name}")));
                if check.on_hover_text("Enable or disable this breakpoint").changed() {
                    let new = OnWire { is_on, ..on.clone() };
                    actions.push(Action::Apply(set(model, input, Some(&new))));
                }
                let link = ui.link(RichText::new(&name).size(TEXT_SMALL + 0.5));
                if link.on_hover_text(format!("Show it in “{model}”")).clicked() {
                    actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(model), block: Some(*from) }));
                }
            });
            ui.horizontal(|ui| {
                let condition = OnWire { is_on: true, ..on.clone() }.text();
                let width = (ui.available_width() - 40.0).max(60.0);
                let wrong = "> 5, < 5, crosses 5, changes or not finite".to_owned();
                let check = |text: &str| OnWire::parse(text).is_none().then(|| wrong.clone());
                let label = format!("Condition at {name}");
                if let Some(text) = Field::new(&label, &condition).hint("> 5").width(width).text_ui(ui, editing, &check)
                    && let Some(new) = OnWire::parse(&text)
                {
                    let new = OnWire { is_on: on.is_on, ..new };
                    actions.push(Action::Apply(set(model, input, Some(&new))));
                }
                let remove = widgets::icon_button_ui(ui, Icon::Close, &format!("Remove breakpoint at {name}"));
                if remove.on_hover_text("Remove this breakpoint").clicked() {
                    actions.push(Action::Apply(set(model, input, None)));
                }
            });
        });
    }
}
