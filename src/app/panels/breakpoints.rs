//! The breakpoints of the document, in the Runs panel.

use std::sync::Arc;

use eframe::egui::{Label, RichText, Ui, vec2};

use crate::app::action::{Action, ViewAction};
use crate::app::doc::breakpoints::{OnWire, set};
use crate::app::doc::code_lines::OnLines;
use crate::app::doc::derived::{CodeBreakpoint, WireBreakpoint};
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::icons::Icon;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets;
use crate::model::Simulation;

/// Breakpoints with the names of their models.
type ByModel<'a, T> = &'a [(Arc<str>, T)];

pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    simulation: &Simulation,
    (known, lines): (ByModel<WireBreakpoint>, ByModel<CodeBreakpoint>),
    actions: &mut Vec<Action>,
) {
    widgets::section_ui(ui, "Breakpoints");
    if known.is_empty() && lines.is_empty() {
        ui.label(widgets::weak(ui, "None. Right-click a wire, or click beside a line of code, to add one"));
        return;
    }
    lines.iter().for_each(|(model, point)| line_ui(ui, simulation, (model, point), actions));
    for (model, WireBreakpoint { wire, on, from, output }) in known {
        let title = simulation.model(model).and_then(|model| model.block(*from)).map_or("?", |block| block.title());
        let name = format!("{title} {from} · {output}");
        let input = (wire.block, &wire.input);
        ui.push_id((model, wire), |ui| {
            ui.horizontal(|ui| {
                let mut is_on = on.is_on;
                let check = widgets::check_ui(ui, &mut is_on, "");
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

/// A breakpoint on a line of code.
fn line_ui(
    ui: &mut Ui,
    simulation: &Simulation,
    (model, point): (&Arc<str>, &CodeBreakpoint),
    actions: &mut Vec<Action>,
) {
    let CodeBreakpoint { block: id, line, is_on, .. } = point;
    let Some(block) = simulation.model(model).and_then(|model| model.block(*id)) else { return };
    let name = format!("line {line} of {} {id}", block.title());
    let set = |on: Option<bool>| Action::Apply(OnLines::of(block).set((model, *id), *line, on));
    ui.push_id((model, id, line), |ui| {
        ui.horizontal(|ui| {
            let mut is_on = *is_on;
            let check = widgets::check_ui(ui, &mut is_on, "");
            check.ctx.accesskit_node_builder(check.id, |node| node.set_label(format!("Breakpoint at {name}")));
            if check.on_hover_text("Enable or disable this breakpoint").changed() {
                actions.push(set(Some(is_on)));
            }
            let link = ui.link(RichText::new(widgets::sentence(&name)).size(TEXT_SMALL + 0.5));
            if link.on_hover_text(format!("Show the code in “{model}”")).clicked() {
                actions.push(Action::View(ViewAction::OpenCode { model: Arc::clone(model), block: *id }));
            }
        });
        ui.horizontal(|ui| {
            let remove_width = 40.0;
            let width = (ui.available_width() - remove_width).max(60.0);
            let text = RichText::new(point.text()).monospace().size(TEXT_SMALL);
            ui.allocate_ui(vec2(width, ui.spacing().interact_size.y), |ui| {
                ui.set_min_width(width);
                ui.add(Label::new(text).truncate());
            });
            let remove = widgets::icon_button_ui(ui, Icon::Close, &format!("Remove breakpoint at {name}"));
            if remove.on_hover_text("Remove this breakpoint").clicked() {
                actions.push(set(None));
            }
        });
    });
}
