//! The menu of breakpoints on a wire.

use eframe::egui::Ui;

use super::menu::item;
use crate::app::canvas::CanvasOutput;
use crate::app::doc::breakpoints::{ATTRIBUTE, OnWire, set};
use crate::engine::Condition;
use crate::model::{InputKey, Model};

/// The conditions of a breakpoint, with an initial limit of 0.
const KINDS: [(&str, Condition); 5] = [
    ("When it changes", Condition::Changes),
    ("When it rises above a limit", Condition::Above(0.0)),
    ("When it falls below a limit", Condition::Below(0.0)),
    ("When it crosses a limit", Condition::Crosses(0.0)),
    ("When it is not finite", Condition::NonFinite),
];

/// Shows the breakpoint entries of a wire's menu.
pub fn breakpoint_ui(ui: &mut Ui, model: &Model, key: &InputKey, output: &mut CanvasOutput) {
    let Some(wire) = model.connections.get(key) else { return };
    let known = wire.attributes.get(ATTRIBUTE).and_then(OnWire::parse);
    let mut give = |on: Option<&OnWire>| output.changes.push(set(&model.name, (key.block, &key.input), on));
    let title = if known.is_some() { "Breakpoint" } else { "Set breakpoint" };
    ui.menu_button(title, |ui| {
        for (text, condition) in KINDS {
            if item(ui, text) {
                give(Some(&OnWire { condition, is_on: true }));
            }
        }
        let Some(known) = &known else { return };
        ui.separator();
        if item(ui, if known.is_on { "Disable" } else { "Enable" }) {
            give(Some(&OnWire { is_on: !known.is_on, ..known.clone() }));
        }
        if item(ui, "Remove") {
            give(None);
        }
    });
}
