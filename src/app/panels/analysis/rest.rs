//! The conditions of an equilibrium: fixed values of signals, free parameters, states that are held or that may
//! vary.

use eframe::egui::Ui;

use super::AnalysisView;
use crate::app::doc::plots::name_of;
use crate::app::doc::typed;
use crate::app::ui::field::Field;
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::widgets;
use crate::block::{ValueError, parse_number};
use crate::engine::{SignalElement, Target, Trim};
use crate::model::{AddressMap, BlockAddress, ParamAddress, SignalKey, Simulation};

#[derive(Default)]
pub struct Rest {
    /// Signals with their required values as typed.
    targets: Vec<(SignalKey, String)>,
    /// The paths of free parameters: `Plant/Motor#3.Gain`.
    free: Vec<String>,
    fixed: Vec<BlockAddress>,
    moving: Vec<BlockAddress>,
}

/// Why an equilibrium cannot be looked for.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum RestError {
    /// The name of the signal, and the error in its number.
    #[error("{0}: {1}")]
    Number(String, ValueError),
    #[error("{0} no longer exists")]
    NoParameter(String),
}

impl Rest {
    /// Lets the conditions follow a change of the document.
    pub fn relocate(&mut self, map: &AddressMap) {
        self.targets.iter_mut().for_each(|(signal, _)| *signal = map.signal(signal));
        for path in &mut self.free {
            if let Some(now) = map.param_text(path) {
                *path = now;
            }
        }
        self.fixed.iter_mut().chain(&mut self.moving).for_each(|block| *block = map.block(block));
    }

    pub fn free(&self) -> &[String] {
        &self.free
    }

    /// # Errors
    /// Fails if a number is invalid or a parameter is gone.
    pub fn trim(&self, simulation: &Simulation) -> Result<Trim, RestError> {
        let target = |(signal, text): &(SignalKey, String)| {
            let value = parse_number(&typed::expression(text));
            let value = value.map_err(|problem| RestError::Number(name_of(simulation, signal), problem))?;
            Ok(Target { element: SignalElement { signal: signal.clone(), element: 0 }, value })
        };
        let free = |path: &String| {
            let found = BlockAddress::parse_with_rest(path, simulation).ok();
            let found = found.and_then(|(at, name)| Some(ParamAddress { block: at, name: name? }));
            found.ok_or_else(|| RestError::NoParameter(path.clone()))
        };
        Ok(Trim {
            fixed: self.fixed.clone(),
            moving: self.moving.clone(),
            free: self.free.iter().map(free).collect::<Result<_, RestError>>()?,
            targets: self.targets.iter().map(target).collect::<Result<_, RestError>>()?,
        })
    }
}

pub fn show_ui(ui: &mut Ui, rest: &mut Rest, view: &AnalysisView) {
    ui.horizontal_wrapped(|ui| {
        targets_ui(ui, &mut rest.targets, view);
        rest.free.retain(|path| {
            ui.label(format!("{path} is free"));
            !away(ui, &format!("Do not vary {path}"))
        });
        let blocks_ui = |ui: &mut Ui, blocks: &mut Vec<BlockAddress>, what: &str| {
            blocks.retain(|block| {
                let name = block.text(view.simulation);
                ui.label(format!("{name} {what}"));
                !away(ui, &format!("Require {name} to be steady"))
            });
        };
        blocks_ui(ui, &mut rest.fixed, "is held");
        blocks_ui(ui, &mut rest.moving, "may vary");
        add_ui(ui, rest, view);
    });
}

fn targets_ui(ui: &mut Ui, targets: &mut Vec<(SignalKey, String)>, view: &AnalysisView) {
    targets.retain_mut(|(signal, text)| {
        let name = view.derived.name_of(signal);
        ui.label(format!("{name} ="));
        let problem = |text: &str| typed::number(text).is_none().then(|| "A number".to_owned());
        let label = format!("Value of {name} at equilibrium");
        let field = Field::new(&label, "").width(64.0).number(Wanted::One);
        field.live_ui(ui, text, &problem);
        !away(ui, &format!("Release {name}"))
    });
}

fn away(ui: &mut Ui, label: &str) -> bool {
    widgets::icon_button_ui(ui, Icon::Close, label).clicked()
}

/// Draws the menus that add conditions.
fn add_ui(ui: &mut Ui, rest: &mut Rest, view: &AnalysisView) {
    let hold = ui.menu_button("Hold a signal", |ui| {
        let selected = view.selected.iter().cloned();
        for signal in
            selected.chain((view.signals)().into_iter().filter(|signal| Some(signal) != view.selected.as_ref()))
        {
            if ui.button(view.derived.name_of(&signal)).clicked() {
                let value = (view.value)(&signal).unwrap_or(0.0);
                rest.targets.retain(|(known, _)| *known != signal);
                rest.targets.push((signal, value.to_string()));
                ui.close();
            }
        }
    });
    hold.response.on_hover_text("Give this signal a fixed value at the equilibrium");
    let free = ui.menu_button("Vary a parameter", |ui| {
        let params = (view.params)();
        if params.is_empty() {
            ui.label(widgets::weak(ui, "Select a block with numeric parameters"));
        }
        for (path, _) in params {
            if ui.button(&path).clicked() {
                rest.free.retain(|known| *known != path);
                rest.free.push(path);
                ui.close();
            }
        }
    });
    free.response.on_hover_text("Find a value of a parameter of the selected block that gives an equilibrium");
    let states = ui.menu_button("States", |ui| {
        let Some(signal) = &view.selected else {
            ui.label(widgets::weak(ui, "Select a block that has a state"));
            return;
        };
        let block = BlockAddress::new(&signal.path, signal.block);
        let name = block.text(view.simulation);
        for (text, is_fixed) in [(format!("Hold {name}"), true), (format!("Let {name} vary"), false)] {
            if ui.button(text).clicked() {
                rest.fixed.retain(|known| *known != block);
                rest.moving.retain(|known| *known != block);
                let list = if is_fixed { &mut rest.fixed } else { &mut rest.moving };
                list.push(block.clone());
                ui.close();
            }
        }
    });
    states.response.on_hover_text("All states are steady at the equilibrium, except those of the blocks chosen here");
}
