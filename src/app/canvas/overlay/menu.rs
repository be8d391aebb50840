//! Context menus and tooltips.

use std::sync::Arc;

use eframe::egui::{self, Button, Pos2, Response, RichText, Ui};

use crate::app::action::command::{self, Command, EditCommand, HelpCommand, MenuEntry, ViewCommand};
use crate::app::action::diagram::DiagramCommand;
use crate::app::canvas::draw::{COLORS, text_of_values};
use crate::app::canvas::edit::commands::{on_grid, signals_of_block, sources_of_block};
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::scene::{BlockView, shortened};
use crate::app::canvas::{Canvas, CanvasOutput, CanvasView, DocumentView, InsertPosition, Selection};
use crate::app::ui::numbers;
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::{BlockDef, ParamDef, Setting, SignalType, element_name, parse_number};
use crate::model::{
    Block, BlockId, BlockKind, Commented, Connection, Direction, InputKey, Model, Role, SignalKey, in_scope,
    settings_of,
};

/// The maximum number of letters of the names of a bus in a tooltip.
const MAX_NAMES: usize = 200;

/// The maximum number of elements of a bus whose values a tooltip shows.
const MAX_VALUES: usize = 10;

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

impl Canvas {
    /// Opens the context menu for what lies here; it is selected to show the menu's target.
    pub(in crate::app::canvas) fn point_menu_at(&mut self, point: Pos2) {
        let found = self.hit(point);
        match &found {
            Hit::Block(id) | Hit::Corner(id) | Hit::Input(id, _) | Hit::Output(id, _)
                if !self.selection.blocks.contains(id) =>
            {
                self.selection = Selection { blocks: [*id].into(), ..Selection::default() };
            }
            Hit::Wire { key, .. } | Hit::Dot(key) if !self.selection.wires.contains(key) => {
                self.selection = Selection { wires: [key.clone()].into(), ..Selection::default() };
            }
            _ => {}
        }
        self.menu = (found, point);
    }

    pub(in crate::app::canvas) fn menu_ui(
        &mut self,
        response: &Response,
        view: &CanvasView,
        model: &Arc<Model>,
        output: &mut CanvasOutput,
    ) {
        response.context_menu(|ui| {
            ui.set_min_width(190.0);
            let (found, point) = self.menu.clone();
            match found {
                Hit::Block(id) | Hit::Corner(id) | Hit::Input(id, _) => self.block_menu_ui(ui, view, id, output),
                Hit::Output(id, port) => {
                    self.plot_ui(ui, view, vec![(id, port)], output);
                    ui.separator();
                    self.block_menu_ui(ui, view, id, output);
                }
                Hit::Wire { key, .. } | Hit::Dot(key) => self.wire_menu_ui(ui, view, model, &key, output),
                Hit::Loose(id, number) => {
                    for change in self.loop_remedies(&view.document, model, id, number) {
                        if item(ui, &change.label) {
                            output.changes.push(change);
                        }
                    }
                    if item(ui, "Insert block…") {
                        output.insert_at = Some(InsertPosition {
                            position: on_grid(point),
                            screen: self.transform().to_screen(point),
                        });
                    }
                    if item(ui, "Remove") {
                        output.changes.extend(self.remove_loose(model, id, number));
                    }
                }
                Hit::Empty => self.empty_menu_ui(ui, &view.document, point, output),
            }
        });
    }

    fn block_menu_ui(&mut self, ui: &mut Ui, view: &CanvasView, id: BlockId, output: &mut CanvasOutput) {
        let Some(block) = self.scene.block(id) else { return };
        let is_model = matches!(block.block.kind, BlockKind::Model { .. });
        let has_help = block.def.is_some();
        let is_single = self.selection.single_block().is_some();
        if is_model && item(ui, "Open") {
            self.open_block(&view.document, id, output);
        }
        if item(ui, "Parameters…") {
            output.edit_parameters = Some(id);
        }
        if is_single {
            command_ui(ui, Command::Edit(EditCommand::Rename), output);
        }
        if is_model && is_single {
            command_ui(ui, Command::Diagram(DiagramCommand::Expand), output);
        }
        if !self.selection.blocks.is_empty() {
            command_ui(ui, Command::Diagram(DiagramCommand::Group), output);
        }
        if self.has_selected_tag(&view.document) {
            command_ui(ui, Command::Diagram(DiagramCommand::ToWires), output);
        }
        if is_model {
            self.remote_menu_ui(ui, view, id, output);
        }
        trace_ui(ui, output);
        ui.separator();
        let mut signals = signals_of_block(&self.scene, id);
        if signals.is_empty() {
            signals = sources_of_block(&self.scene, id);
        }
        self.plot_ui(ui, view, signals, output);
        self.curve_menu_ui(ui, &view.document, id, output);
        self.pin_menu_ui(ui, view, id, output);
        ui.separator();
        command_ui(ui, Command::Edit(EditCommand::Copy), output);
        command_ui(ui, Command::Edit(EditCommand::Duplicate), output);
        command_ui(ui, Command::Diagram(DiagramCommand::Rotate), output);
        command_ui(ui, Command::Diagram(DiagramCommand::Flip), output);
        self.look_ui(ui, &view.document, output);
        command_ui(ui, Command::Diagram(DiagramCommand::CommentOut), output);
        command_ui(ui, Command::Diagram(DiagramCommand::CommentThrough), output);
        command_ui(ui, Command::Edit(EditCommand::Delete), output);
        if has_help {
            ui.separator();
            command_ui(ui, Command::Help(HelpCommand::Help), output);
        }
    }

    fn wire_menu_ui(
        &mut self,
        ui: &mut Ui,
        view: &CanvasView,
        model: &Model,
        key: &InputKey,
        output: &mut CanvasOutput,
    ) {
        let Some(wire) = self.scene.wire(key) else { return };
        let source = (wire.connection.from, Arc::clone(&wire.connection.output));
        let has_bends = wire.has_bends();
        self.plot_ui(ui, view, vec![source.clone()], output);
        self.pin_signal_ui(ui, view, source, output);
        ui.separator();
        command_ui(ui, Command::Diagram(DiagramCommand::NameSignal), output);
        command_ui(ui, Command::Diagram(DiagramCommand::ToTags), output);
        self.breakpoint_ui(ui, model, key, output);
        trace_ui(ui, output);
        ui.separator();
        if has_bends && item(ui, "Reroute") {
            let edit = crate::app::canvas::edit::commands::set_bends(model, key, None);
            output.changes.push(crate::model::Change::one("Reroute wire", edit));
        }
        command_ui(ui, Command::Edit(EditCommand::Delete), output);
    }

    fn empty_menu_ui(&mut self, ui: &mut Ui, view: &DocumentView, point: Pos2, output: &mut CanvasOutput) {
        if item(ui, "Insert block…") {
            output.insert_at =
                Some(InsertPosition { position: on_grid(point), screen: self.transform().to_screen(point) });
        }
        // Here it has a place: where the menu was opened.
        if command_is_chosen(ui, Command::Edit(EditCommand::Paste)) {
            output.paste_at = Some(on_grid(point));
        }
        command_ui(ui, Command::Diagram(DiagramCommand::AddArea), output);
        ui.separator();
        if item(ui, "Arrange all") {
            self.selection = Selection::default();
            output.changes.extend(self.arrange(view.simulation));
        }
        command_ui(ui, Command::Edit(EditCommand::SelectAll), output);
        command_ui(ui, Command::View(ViewCommand::ZoomFit), output);
        if !self.path.is_empty() {
            command_ui(ui, Command::View(ViewCommand::GoUp), output);
        }
    }

    /// Shows the menus for colour, title, alignment and size of the selected blocks.
    fn look_ui(&mut self, ui: &mut Ui, view: &DocumentView, output: &mut CanvasOutput) {
        ui.menu_button("Colour", |ui| {
            for (name, color) in COLORS {
                let (text, hex) = (RichText::new(name), color.to_hex());
                let swatch = RichText::new("■ ").color(color);
                let button = Button::new((swatch, text));
                if ui.add(button).clicked() {
                    // Without the opacity, which is always 1.
                    output.changes.extend(self.colour(view, hex.get(..7)));
                    ui.close();
                }
            }
            ui.separator();
            if item(ui, "Group colour") {
                output.changes.extend(self.colour(view, None));
            }
        });
        ui.menu_button("Title", |ui| {
            for (text, side) in [("Below", "below"), ("Above", "above"), ("Right", "right"), ("Hidden", "hidden")] {
                if item(ui, text) {
                    output.changes.extend(self.set_title_side(view, Some(side)));
                }
            }
        });
        if self.selection.blocks.len() > 1 {
            if let Some((title, entries)) = command::menu_with(Command::Diagram(DiagramCommand::OwnSize)) {
                ui.menu_button(title, |ui| {
                    for entry in entries {
                        match entry {
                            MenuEntry::Command(def) => command_ui(ui, def.command, output),
                            _ => _ = ui.separator(),
                        }
                    }
                });
            }
            command_ui(ui, Command::Diagram(DiagramCommand::Arrange), output);
        }
    }

    fn plot_ui(&self, ui: &mut Ui, view: &CanvasView, signals: Vec<(BlockId, Arc<str>)>, output: &mut CanvasOutput) {
        let is_watched = |key: &SignalKey| view.watched.iter().any(|(known, _)| known == key);
        let keys = self.keys_of(signals);
        let (watched, others): (Vec<_>, Vec<_>) = keys.into_iter().partition(is_watched);
        let record = others.clone();
        let text = if others.len() > 1 { "Plot all outputs" } else { "Plot this signal" };
        if ui.add_enabled(!others.is_empty(), Button::new(text)).clicked() {
            output.plot.extend(others);
            ui.close();
        }
        if ui.add_enabled(!record.is_empty(), Button::new("Record without plotting")).clicked() {
            output.record.extend(record);
            ui.close();
        }
        if !watched.is_empty() && item(ui, "Remove from plot") {
            output.unplot.extend(watched);
        }
    }

    fn role_of_input(&self, id: BlockId, name: &Arc<str>) -> Option<Role> {
        let block = self.scene.block(id)?;
        let number = block.ports.inputs.iter().position(|known| known == name)?;
        block.roles.get(number).copied().flatten().map(|(role, _)| role)
    }

    fn type_of(&self, view: &CanvasView, (block, output): &(BlockId, Arc<str>)) -> Option<SignalType> {
        let key = SignalKey { path: self.path.clone(), block: *block, output: Arc::clone(output) };
        view.program?.type_of(&key)
    }

    /// Returns why a wire is red.
    fn problems_of_wire(&self, view: &CanvasView, model: &Model, wire: &Connection) -> Vec<String> {
        let key = wire.key();
        let here = view.diagnostics.of_model(&model.name);
        let mut found: Vec<String> = here
            .filter(|problem| problem.location.wires.contains(&key))
            .map(|problem| problem.message.clone())
            .collect();
        match (self.scene.block(wire.from), self.scene.block(wire.to)) {
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

    /// Shows port names and values, problems, and the summary of a block.
    pub(in crate::app::canvas) fn tooltip_ui(&self, response: &Response, view: &CanvasView, model: &Arc<Model>) {
        // At low zoom the pointer is always over something.
        let is_far = self.zoom() < 0.3;
        let is_remark = matches!(&self.hover, Hit::Block(id) | Hit::Corner(id) if self.scene.block(*id).is_some_and(BlockView::is_remark));
        let is_typing = self.editing.is_some() || self.is_by_keys;
        let is_free = self.gesture.is_idle() && !is_typing && !response.context_menu_opened();
        if is_far || is_remark || !is_free || self.offer.is_some() || self.hover == Hit::Empty {
            return;
        }
        let value = |source: (BlockId, Arc<str>)| {
            let key = SignalKey { path: self.path.clone(), block: source.0, output: source.1 };
            (view.values)(&key)
                .map(|values| text_of_signal(&values, view.program.and_then(|program| program.type_of(&key))))
        };
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.set_max_width(320.0);
            match &self.hover {
                Hit::Empty | Hit::Corner(_) => {}
                Hit::Loose(id, number) => match self.loop_text_of(&view.document, model, *id, *number) {
                    Some(text) => drop(ui.label(format!("{text}\nRight-click to fix it"))),
                    None => drop(ui.label("This wire is not connected: drag its end to a port")),
                },
                Hit::Input(id, name) => {
                    let source = crate::app::canvas::draw::source_of(&self.scene, *id, name);
                    port_ui(ui, view, name, "input", source.clone().and_then(value));
                    if let Some(role) = self.role_of_input(*id, name) {
                        weak_ui(ui, view, &format!("Its model’s “{}” entry", role.name()));
                    }
                    if source.is_none() {
                        weak_ui(ui, view, "Not connected: the block does not run");
                    }
                }
                Hit::Output(id, name) => port_ui(ui, view, name, "output", value((*id, Arc::clone(name)))),
                Hit::Wire { key, .. } | Hit::Dot(key) => {
                    let Some(wire) = self.scene.wire(key) else { return };
                    let title = |id| model.block(id).map_or("?", |block| block.title());
                    let connection = &wire.connection;
                    let (from, to) = (title(connection.from), title(connection.to));
                    match self.scene.signal_text(connection.from, &connection.output) {
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
                    match self.type_of(view, &signal) {
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
                    for problem in self.problems_of_wire(view, model, connection) {
                        ui.label(RichText::new(problem).color(view.theme.error));
                    }
                }
                Hit::Block(id) => {
                    let Some(block) = self.scene.block(*id).filter(|block| !block.is_remark()) else { return };
                    ui.label(RichText::new(format!("{} {id}", block.block.title())).strong());
                    if let Some(def) = block.def {
                        ui.label(def.doc);
                        weak_ui(ui, view, def.formula);
                        self.params_ui(ui, view, (model, &block.block), def);
                    }
                    self.remote_text_ui(ui, view, &block.block);
                    match Commented::of(&block.block) {
                        Some(Commented::Out) => weak_ui(ui, view, "Commented out: runs are as if it were not there"),
                        Some(Commented::Through) => {
                            weak_ui(ui, view, "Commented through: in runs its outputs are its inputs");
                        }
                        None => {}
                    }
                    if self.is_to_be_joined(*id) {
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
}

/// The maximum number of parameters that a tooltip shows.
const MAX_PARAMS: usize = 8;
/// The maximum number of letters of a value in a tooltip.
const MAX_VALUE: usize = 28;

impl Canvas {
    /// Shows the parameters of a block with their values, those with default values faintly.
    fn params_ui(&self, ui: &mut Ui, view: &CanvasView, (model, block): (&Model, &Block), def: &BlockDef) {
        let settings = in_scope(view.document.simulation, &self.path, model, |scope| settings_of(def, block, scope).0);
        let mut settings: Vec<_> = settings.params().collect();
        // Parameters that were set come first.
        let is_set =
            |param: &ParamDef| block.option_texts(param.name).is_some_and(|texts| texts != param.default_texts());
        settings.sort_by_key(|(param, _)| !is_set(param));
        let more = settings.len().saturating_sub(MAX_PARAMS);
        egui::Grid::new("parameters").num_columns(2).spacing([14.0, 1.0]).show(ui, |ui| {
            for (param, setting) in settings.into_iter().take(MAX_PARAMS) {
                let texts = block.option_texts(param.name).map(|texts| texts.join(" "));
                let text = texts.unwrap_or_else(|| param.default_texts().join(" "));
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

pub(in crate::app::canvas) fn weak_ui(ui: &mut Ui, view: &CanvasView, text: &str) {
    ui.label(RichText::new(text).size(TEXT_SMALL).color(view.theme.text_weak));
}

pub(in crate::app::canvas) fn item(ui: &mut Ui, text: &str) -> bool {
    chosen(ui, Button::new(text))
}

/// Shows a command as in the menus, with the user's shortcut for it; it is carried out after the frame.
fn command_ui(ui: &mut Ui, command: Command, output: &mut CanvasOutput) {
    if command_is_chosen(ui, command) {
        output.commands.push(command);
    }
}

fn command_is_chosen(ui: &mut Ui, command: Command) -> bool {
    let Some(def) = command.def() else { return false };
    let shortcut = def.shortcut_text(ui.ctx()).unwrap_or_default();
    chosen(ui, Button::new(def.label).shortcut_text(shortcut))
}

fn trace_ui(ui: &mut Ui, output: &mut CanvasOutput) {
    for direction in [Direction::ToSource, Direction::ToDestination] {
        command_ui(ui, Command::Diagram(DiagramCommand::Trace(direction)), output);
    }
}

fn chosen(ui: &mut Ui, button: Button) -> bool {
    let is_chosen = ui.add(button).clicked();
    if is_chosen {
        ui.close();
    }
    is_chosen
}
