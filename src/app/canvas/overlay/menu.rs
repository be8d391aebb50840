//! The context menus.

use std::sync::Arc;

use eframe::egui::{Button, Pos2, Response, RichText, Ui};

use super::OverlayContext;
use super::breakpoint_menu::breakpoint_ui;
use super::code_editor::code_of_view;
use crate::app::action::command::{self, Command, EditCommand, HelpCommand, MenuEntry, RunCommand, ViewCommand};
use crate::app::action::diagram_command::DiagramCommand;
use crate::app::canvas::draw::COLORS;
use crate::app::canvas::edit::OpenModel;
use crate::app::canvas::edit::changes::set_bends;
use crate::app::canvas::geometry::{position_of, snap};
use crate::app::canvas::gesture::hit::Hit;
use crate::app::canvas::{CanvasOutput, InsertPosition};
use crate::app::doc::plots::{CURVE, can_show_curve, shows_curve, value_to_hide, value_to_show};
use crate::model::{Block, BlockId, BlockKind, Change, Direction, InputKey, SignalKey};
use crate::tuning::PidBlock;

/// A choice in a context menu that the canvas itself carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuChoice {
    Open(BlockId),
    ArrangeAll,
}

impl OverlayContext<'_> {
    /// Shows the context menu of a hit at a model position.
    pub fn menu_ui(
        &self,
        response: &Response,
        (found, point): (Hit, Pos2),
        output: &mut CanvasOutput,
    ) -> Option<MenuChoice> {
        let mut choice = None;
        response.context_menu(|ui| {
            ui.set_min_width(190.0);
            match found {
                Hit::Block(id) | Hit::Corner(id) | Hit::Input(id, _) => choice = self.block_menu_ui(ui, id, output),
                Hit::Output(id, port) => {
                    self.plot_ui(ui, vec![(id, port)], output);
                    ui.separator();
                    choice = self.block_menu_ui(ui, id, output);
                }
                Hit::Wire { key, .. } | Hit::Dot(key) => self.wire_menu_ui(ui, &key, point, output),
                Hit::Loose(id, number) => {
                    for change in self.open.loop_remedies(id, number) {
                        if item(ui, &change.label) {
                            output.changes.push(change);
                        }
                    }
                    if item(ui, "Insert block…") {
                        output.insert_at = Some(InsertPosition {
                            position: position_of(snap(point)),
                            screen: self.transform.to_screen(point),
                        });
                    }
                    if item(ui, "Remove") {
                        output.changes.extend(self.open.remove_loose(id, number));
                    }
                }
                Hit::Empty => choice = self.empty_menu_ui(ui, point, output),
            }
        });
        choice
    }

    fn block_menu_ui(&self, ui: &mut Ui, id: BlockId, output: &mut CanvasOutput) -> Option<MenuChoice> {
        let OpenModel { scene, selection, .. } = self.open;
        let block = scene.block(id)?;
        let is_model = matches!(block.block.kind, BlockKind::Model { .. });
        let has_help = block.def.is_some();
        let is_single = selection.single_block().is_some();
        let has_code = code_of_view(block).is_some();
        let is_opened = (is_model && item(ui, "Open")) || (has_code && item(ui, "Edit code"));
        if item(ui, "Parameters…") {
            output.edit_parameters = Some(id);
        }
        if is_single && block.def.is_some_and(PidBlock::is_kind) && item(ui, "Tune…") {
            output.commands.push(Command::Run(RunCommand::TunePid));
        }
        if is_single {
            command_ui(ui, Command::Edit(EditCommand::Rename), output);
        }
        if is_model && is_single {
            command_ui(ui, Command::Diagram(DiagramCommand::Expand), output);
        }
        if !selection.blocks.is_empty() {
            command_ui(ui, Command::Diagram(DiagramCommand::Group), output);
        }
        if self.open.has_selected_tag() {
            command_ui(ui, Command::Diagram(DiagramCommand::ToWires), output);
        }
        if is_model {
            self.remote_menu_ui(ui, id, output);
            self.library_menu_ui(ui, id, output);
        }
        trace_ui(ui, output);
        ui.separator();
        let mut signals = scene.outputs_of(id);
        if signals.is_empty() {
            signals = scene.sources_of(id);
        }
        self.plot_ui(ui, signals, output);
        self.curve_menu_ui(ui, id, output);
        self.pin_menu_ui(ui, id, output);
        ui.separator();
        command_ui(ui, Command::Edit(EditCommand::Copy), output);
        command_ui(ui, Command::Edit(EditCommand::Duplicate), output);
        command_ui(ui, Command::Diagram(DiagramCommand::Rotate), output);
        command_ui(ui, Command::Diagram(DiagramCommand::Flip), output);
        self.look_ui(ui, output);
        command_ui(ui, Command::Diagram(DiagramCommand::CommentOut), output);
        command_ui(ui, Command::Diagram(DiagramCommand::CommentThrough), output);
        command_ui(ui, Command::Edit(EditCommand::Delete), output);
        if has_help {
            ui.separator();
            command_ui(ui, Command::Help(HelpCommand::Help), output);
        }
        is_opened.then_some(MenuChoice::Open(id))
    }

    fn wire_menu_ui(&self, ui: &mut Ui, key: &InputKey, point: Pos2, output: &mut CanvasOutput) {
        let OpenModel { scene, model, .. } = self.open;
        let Some(wire) = scene.wire(key) else { return };
        let source = (wire.connection.from, Arc::clone(&wire.connection.output));
        let has_bends = wire.has_bends();
        self.plot_ui(ui, vec![source.clone()], output);
        self.pin_signal_ui(ui, source, point, output);
        ui.separator();
        command_ui(ui, Command::Diagram(DiagramCommand::NameSignal), output);
        command_ui(ui, Command::Diagram(DiagramCommand::ToTags), output);
        breakpoint_ui(ui, model, key, output);
        trace_ui(ui, output);
        ui.separator();
        if has_bends && item(ui, "Reroute") {
            let edit = set_bends(model, key, None);
            output.changes.push(Change::one("Reroute wire", edit));
        }
        command_ui(ui, Command::Edit(EditCommand::Delete), output);
    }

    fn empty_menu_ui(&self, ui: &mut Ui, point: Pos2, output: &mut CanvasOutput) -> Option<MenuChoice> {
        if item(ui, "Insert block…") {
            output.insert_at =
                Some(InsertPosition { position: position_of(snap(point)), screen: self.transform.to_screen(point) });
        }
        // Here it has a place: where the menu was opened.
        if command_is_chosen(ui, Command::Edit(EditCommand::Paste)) {
            output.paste_at = Some(position_of(snap(point)));
        }
        command_ui(ui, Command::Diagram(DiagramCommand::AddArea), output);
        ui.separator();
        let is_arranged = item(ui, "Arrange all");
        command_ui(ui, Command::Edit(EditCommand::SelectAll), output);
        command_ui(ui, Command::View(ViewCommand::ZoomFit), output);
        if !self.open.path.is_empty() {
            command_ui(ui, Command::View(ViewCommand::GoUp), output);
        }
        is_arranged.then_some(MenuChoice::ArrangeAll)
    }

    /// Shows the menus for colour, title, alignment and size of the selected blocks.
    fn look_ui(&self, ui: &mut Ui, output: &mut CanvasOutput) {
        ui.menu_button("Colour", |ui| {
            for (name, color) in COLORS {
                let (text, hex) = (RichText::new(name), color.to_hex());
                let swatch = RichText::new("■ ").color(color);
                let button = Button::new((swatch, text));
                if ui.add(button).clicked() {
                    // Without the opacity, which is always 1.
                    output.changes.extend(self.open.colour(hex.get(..7)));
                    ui.close();
                }
            }
            ui.separator();
            if item(ui, "Group colour") {
                output.changes.extend(self.open.colour(None));
            }
        });
        ui.menu_button("Title", |ui| {
            for (text, side) in [("Below", "below"), ("Above", "above"), ("Right", "right"), ("Hidden", "hidden")] {
                if item(ui, text) {
                    output.changes.extend(self.open.set_title_side(Some(side)));
                }
            }
        });
        if self.open.selection.blocks.len() > 1 {
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

    /// Shows or hides the curves of the selected blocks.
    fn curve_menu_ui(&self, ui: &mut Ui, id: BlockId, output: &mut CanvasOutput) {
        let Some(block) = self.open.scene.block(id).filter(|block| can_show_curve(block.def)) else { return };
        let is_shown = shows_curve(&block.block, block.def);
        let button = ui.add(Button::selectable(is_shown, "Curve"));
        if button.on_hover_text("Draw its output over the run inside the block").clicked() {
            let def = |id: BlockId| self.open.scene.block(id).and_then(|block| block.def);
            let (what, value_of): (_, fn(_) -> _) = match is_shown {
                true => ("Hide curve on", value_to_hide),
                false => ("Show curve on", value_to_show),
            };
            let value = |block: &Block| value_of(def(block.id)).map(str::to_owned);
            output.changes.extend(self.open.set_views(what, CURVE, value));
            ui.close();
        }
    }

    fn plot_ui(&self, ui: &mut Ui, signals: Vec<(BlockId, Arc<str>)>, output: &mut CanvasOutput) {
        let is_watched = |key: &SignalKey| self.view.watched.iter().any(|(known, _)| known == key);
        let keys = self.open.signals(signals);
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
}

pub fn item(ui: &mut Ui, text: &str) -> bool {
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
