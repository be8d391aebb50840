//! The ports of a block with their connections, and buttons that add or remove ports.

use std::sync::Arc;

use eframe::egui::{self, Rect, RichText, Ui, vec2};

use super::inspected::InspectorView;
use crate::app::action::{Action, ViewAction};
use crate::app::doc::ports::{PortGroup, added, removed};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::BlockDef;
use crate::model::{Block, BlockId, InputKey, block_ports};

pub fn show_ui(
    ui: &mut Ui,
    view: &InspectorView,
    block: &Block,
    def: Option<&'static BlockDef>,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let ports = block_ports(view.simulation, view.registry, view.model, block);
    if ports.inputs.is_empty() && ports.outputs.is_empty() {
        return;
    }
    head_ui(ui, view, block, def, actions);
    let title = |id: BlockId| view.model.block(id).map_or_else(|| id.to_string(), |b| format!("{} {id}", b.title()));
    let mut line = |ui: &mut Ui, name: &str, state: &str, is_open: bool, to: Option<BlockId>| {
        let response = widgets::row_ui(ui, &format!("{name}, {state}"), 22.0, |ui, rect| {
            let dot = egui::pos2(rect.left() + 8.0, rect.center().y);
            let color = if is_open { theme.warning } else { theme.success };
            ui.painter().circle_filled(dot, 3.0, color);
            let mut room = Rect::from_min_max(rect.left_top() + vec2(20.0, 0.0), rect.right_bottom());
            room.min.x += widgets::text_in(ui, room, name, style::plain(TEXT_SMALL + 0.5), theme.text) + 8.0;
            widgets::text_in(ui, room, state, style::plain(TEXT_SMALL), theme.text_weak);
        });
        if let (true, Some(id)) = (response.clicked(), to) {
            actions.push(Action::View(ViewAction::OpenModel { model: Arc::clone(&view.model.name), block: Some(id) }));
        }
    };
    for input in &ports.inputs {
        let source = view.model.connections.get(&InputKey { block: block.id, input: Arc::clone(input) });
        match source {
            Some(wire) => {
                let state = format!("from {}.{}", title(wire.from), wire.output);
                line(ui, input, &state, false, Some(wire.from));
            }
            None => line(ui, input, "input, not connected", true, None),
        }
    }
    for output in &ports.outputs {
        let mut goals = view.model.connections.values().filter(|c| c.from == block.id && c.output == *output);
        let (first, more) = (goals.next(), goals.count());
        match (first, more) {
            (Some(wire), 0) => {
                line(ui, output, &format!("to {}.{}", title(wire.to), wire.input), false, Some(wire.to));
            }
            (Some(wire), more) => {
                line(ui, output, &format!("to {} and {more} more", title(wire.to)), false, Some(wire.to));
            }
            (None, _) => line(ui, output, "output, not connected", true, None),
        }
    }
}

/// Draws the section's header, with buttons that add and remove ports.
fn head_ui(
    ui: &mut Ui,
    view: &InspectorView,
    block: &Block,
    def: Option<&'static BlockDef>,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    ui.add_space(2.0 * SPACE);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Ports").font(style::strong(TEXT_SMALL)).color(theme.text_weak));
        let Some(def) = def else { return };
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for (side, what) in [(PortGroup::Outputs, "output"), (PortGroup::Inputs, "input")] {
                let more = added(view.simulation, view.model, block, def, side);
                let fewer = removed(view.simulation, view.model, block, def, side);
                if more.is_none() && fewer.is_none() {
                    continue;
                }
                for (change, icon, verb) in [(fewer, Icon::Minus, "Remove"), (more, Icon::Plus, "Add")] {
                    let label = format!("{verb} {what}");
                    let button = widgets::icon_button_if_ui(ui, icon, &label, change.is_some());
                    if let (true, Some(change)) = (button.on_hover_text(&label).clicked(), change) {
                        actions.push(Action::Apply(change));
                    }
                }
                ui.label(widgets::weak(ui, crate::app::ui::widgets::sentence(what) + "s"));
                ui.add_space(SPACE);
            }
        });
    });
}
