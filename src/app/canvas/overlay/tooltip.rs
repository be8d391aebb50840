//! Tooltips of blocks, ports and wires.

use std::sync::Arc;

use eframe::egui::{self, Response, RichText, Ui};

use super::OverlayContext;
use crate::app::canvas::CanvasView;
use crate::app::canvas::draw::{source_of, text_of_values};
use crate::app::canvas::edit::OpenModel;
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::scene::{BlockView, shortened};
use crate::app::ui::numbers;
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::{BlockDef, ParamDef, Setting, SignalType, element_name, parse_number};
use crate::model::{Block, BlockId, Commented, Connection, Role, SignalKey, in_scope, param_texts, settings_of};

/// The maximum number of letters of the names of a bus in a tooltip.
const MAX_NAMES: usize = 200;

/// The maximum number of elements of a bus whose values a tooltip shows.
const MAX_VALUES: usize = 10;
/// The maximum number of parameters that a tooltip shows.
const MAX_PARAMS: usize = 8;
/// The maximum number of letters of a value in a tooltip.
const MAX_VALUE: usize = 28;

impl OverlayContext<'_> {
    /// Shows port names and values, problems, and the summary of a block.
    pub fn tooltip_ui(&self, response: &Response, hover: &Hit) {
        let OverlayContext { open, view, .. } = *self;
        let OpenModel { scene, model, .. } = open;
        let is_remark =
            matches!(hover, Hit::Block(id) | Hit::Corner(id) if scene.block(*id).is_some_and(BlockView::is_remark));
        if is_remark || *hover == Hit::Empty {
            return;
        }
        let value = |source: (BlockId, Arc<str>)| {
            let key = SignalKey::new(open.path, source.0, &source.1);
            (view.values)(&key)
                .map(|values| text_of_signal(&values, view.program.and_then(|program| program.type_of(&key))))
        };
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.set_max_width(320.0);
            match hover {
                Hit::Empty | Hit::Corner(_) => {}
                Hit::Loose(id, number) => match open.loop_text_of(*id, *number) {
                    Some(text) => drop(ui.label(format!("{text}\nRight-click to fix it"))),
                    None => drop(ui.label("This wire is not connected: drag its end to a port")),
                },
                Hit::Input(id, name) => {
                    let source = source_of(scene, *id, name);
                    port_ui(ui, view, name, "input", source.clone().and_then(value));
                    if let Some(role) = self.role_of_input(*id, name) {
                        weak_ui(ui, view, &format!("Its model’s “{}” input", role.name()));
                    }
                    if source.is_none() {
                        weak_ui(ui, view, "Not connected: the block does not run");
                    }
                }
                Hit::Output(id, name) => port_ui(ui, view, name, "output", value((*id, Arc::clone(name)))),
                Hit::Wire { key, .. } | Hit::Dot(key) => {
                    let Some(wire) = scene.wire(key) else { return };
                    let title = |id| model.block(id).map_or("?", |block| block.title());
                    let connection = &wire.connection;
                    let (from, to) = (title(connection.from), title(connection.to));
                    match scene.signal_text(connection.from, &connection.output) {
                        Some(name) => {
                            ui.label(RichText::new(name).strong());
                            weak_ui(ui, view, &format!("from {from} · {}", connection.output));
                        }
                        None => {
                            ui.label(RichText::new(format!("{from} · {}", connection.output)).strong());
                        }
                    }
                    weak_ui(ui, view, &format!("to {to} · {}", connection.input));
                    let signal = (connection.from, Arc::clone(&connection.output));
                    match self.type_of(&signal) {
                        Some(SignalType { width, bus: Some(bus) }) => {
                            let names = shortened(&bus.to_string(), MAX_NAMES);
                            let elements = if width == 1 { "element" } else { "elements" };
                            weak_ui(ui, view, &format!("bus: {names} ({width} {elements})"));
                        }
                        Some(SignalType { width, bus: None }) if width > 1 => {
                            weak_ui(ui, view, &format!("{width} elements"));
                        }
                        _ => {}
                    }
                    if let Some(text) = value(signal) {
                        ui.monospace(text);
                    }
                    for problem in self.problems_of_wire(connection) {
                        ui.label(RichText::new(problem).color(view.theme.error));
                    }
                }
                Hit::Block(id) => {
                    let Some(block) = scene.block(*id).filter(|block| !block.is_remark()) else { return };
                    ui.label(RichText::new(format!("{} {id}", block.block.title())).strong());
                    if let Some(def) = block.def {
                        ui.label(def.doc);
                        weak_ui(ui, view, def.formula);
                        self.params_ui(ui, &block.block, def);
                    }
                    self.remote_text_ui(ui, &block.block);
                    self.library_text_ui(ui, block);
                    match Commented::of(&block.block) {
                        Some(Commented::Out) => weak_ui(ui, view, "Commented out: runs are as if it were not there"),
                        Some(Commented::Through) => {
                            weak_ui(ui, view, "Commented through: in runs its outputs are its inputs");
                        }
                        None => {}
                    }
                    if open.is_to_be_joined(*id) {
                        weak_ui(ui, view, "Alt+click connects the selection to this block");
                    }
                    for problem in view.diagnostics.of_block(&model.name, *id).take(5) {
                        let color = if problem.is_error() { view.theme.error } else { view.theme.warning };
                        ui.label(RichText::new(&problem.message).color(color));
                        if !problem.help.is_empty() {
                            weak_ui(ui, view, &problem.help);
                        }
                    }
                }
            }
        });
    }

    /// Shows the parameters of a block with their values, those with default values faintly.
    fn params_ui(&self, ui: &mut Ui, block: &Block, def: &'static BlockDef) {
        let OverlayContext { open, view, .. } = *self;
        let settings =
            in_scope(open.document.simulation, open.path, open.model, |scope| settings_of(def, block, scope).0);
        let mut settings: Vec<_> = settings.params().collect();
        // Parameters that were set come first.
        let is_set = |param: &ParamDef| {
            param.is_argument || block.option_texts(param.name).is_some_and(|texts| texts != param.default_texts())
        };
        settings.sort_by_key(|(param, _)| !is_set(param));
        let more = settings.len().saturating_sub(MAX_PARAMS);
        egui::Grid::new("parameters").num_columns(2).spacing([14.0, 1.0]).show(ui, |ui| {
            for (param, setting) in settings.into_iter().take(MAX_PARAMS) {
                let text = param_texts(block, param).join(" ");
                // An expression is followed by its value.
                let value = match setting {
                    Setting::Number(values) => match values[..] {
                        [value] if parse_number(&text).is_err() => format!(" = {}", numbers::digits(value, 6)),
                        _ => String::new(),
                    },
                    _ => String::new(),
                };
                let unit = if param.unit.is_empty() { String::new() } else { format!(" {}", param.unit) };
                let color = if is_set(param) { view.theme.text } else { view.theme.text_weak };
                let weak = RichText::new(param.name).size(TEXT_SMALL).color(view.theme.text_weak);
                ui.label(weak);
                let text = format!("{}{value}{unit}", shortened(&text, MAX_VALUE));
                ui.label(RichText::new(text).size(TEXT_SMALL).color(color));
                ui.end_row();
            }
        });
        if more > 0 {
            weak_ui(ui, view, &format!("and {more} more"));
        }
    }

    fn role_of_input(&self, id: BlockId, name: &Arc<str>) -> Option<Role> {
        let block = self.open.scene.block(id)?;
        let number = block.ports.inputs.iter().position(|known| known == name)?;
        block.roles.get(number).copied().flatten().map(|(role, _)| role)
    }

    fn type_of(&self, (block, output): &(BlockId, Arc<str>)) -> Option<SignalType> {
        let key = SignalKey::new(self.open.path, *block, output);
        self.view.program?.type_of(&key)
    }

    /// Returns why a wire is red.
    fn problems_of_wire(&self, wire: &Connection) -> Vec<String> {
        let key = wire.key();
        let here = self.view.diagnostics.of_model(&self.open.model.name);
        let mut found: Vec<String> = here
            .filter(|problem| problem.location.wires.contains(&key))
            .map(|problem| problem.message.clone())
            .collect();
        match (self.open.scene.block(wire.from), self.open.scene.block(wire.to)) {
            (None, _) => found.push(format!("The source block {} does not exist in this model", wire.from)),
            (_, None) => found.push(format!("The target block {} does not exist in this model", wire.to)),
            (Some(from), Some(to)) => {
                if !from.ports.has_output(&wire.output) {
                    found.push(format!("{} has no output “{}”", from.block.title(), wire.output));
                }
                if !to.ports.has_input(&wire.input) {
                    found.push(format!("{} has no input “{}”", to.block.title(), wire.input));
                }
            }
        }
        found
    }
}

/// Returns the values of a signal; those of a bus in a line each, with their names.
fn text_of_signal(values: &[f64], of: Option<SignalType>) -> String {
    let Some(of) = of.filter(|of| of.bus.is_some() && of.width == values.len()) else { return text_of_values(values) };
    let line = |(index, value): (usize, &f64)| {
        let name = element_name("", index, &of);
        format!("{} = {}", name.trim_start_matches('.'), text_of_values(&[*value]))
    };
    let mut lines: Vec<String> = values.iter().enumerate().take(MAX_VALUES).map(line).collect();
    lines.extend((values.len() > MAX_VALUES).then(|| "…".to_owned()));
    lines.join("\n")
}

fn port_ui(ui: &mut Ui, view: &CanvasView, name: &str, side: &str, value: Option<String>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong());
        weak_ui(ui, view, side);
    });
    if let Some(value) = value {
        ui.monospace(value);
    }
}

pub fn weak_ui(ui: &mut Ui, view: &CanvasView, text: &str) {
    ui.label(RichText::new(text).size(TEXT_SMALL).color(view.theme.text_weak));
}
