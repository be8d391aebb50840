//! The editor of a block's code, in the place of the block on the canvas.
//!
//! It stays open while the simulation runs, so that values and breakpoints can be used. The text reaches the document
//! when the editor loses the focus or closes: one change, one step of the history.

use std::sync::Arc;

use eframe::egui::{
    self, Align, Area, CornerRadius, CursorIcon, Frame, Id, Layout, Margin as Space, Order, Rect, RichText, ScrollArea,
    Sense, Stroke, Ui, Vec2, pos2, vec2,
};

use super::{Overlay, OverlayContext};
use crate::app::action::command::{Command, EditCommand};
use crate::app::canvas::CanvasOutput;
use crate::app::canvas::scene::{BlockView, Scene};
use crate::app::doc::arguments::{Argument, arguments_of};
use crate::app::doc::code_lines::{CodeInRun, OnLines, code_of, code_param, line_of_statement};
use crate::app::doc::ports;
use crate::app::ui::code::{self, CodeOutput, CodeView, EditorRequest, LineNote, Margin, Mistake};
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::ParamDef;
use crate::model::{BlockId, Change, Edit, Model, Simulation};

/// An open editor.
#[derive(Clone, Debug)]
pub struct CodeEdit {
    pub block: BlockId,
    /// The text while it is not that of the document.
    text: Option<String>,
    /// The text that was shown last.
    shown: String,
    /// Whether it fills the canvas.
    is_large: bool,
    /// The size that the user has given it, in points.
    size: Option<Vec2>,
    is_new: bool,
    /// Escape was pressed, and there are changes that it would discard.
    asks: bool,
}

/// What the user does with the editor in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Nothing,
    Close,
    Discard,
    KeepEditing,
}

const HEAD: f32 = 30.0;
const FOOT: f32 = 24.0;
const SMALLEST: Vec2 = vec2(320.0, 150.0);
/// The size of a canvas that has room for the editor.
const ENOUGH: Vec2 = vec2(480.0, 280.0);

/// The size of an editor that is opened: with room for a few more lines.
fn wanted_size(code: &str) -> Vec2 {
    let lines = code.lines().count() as f32 + 4.0;
    vec2(560.0, (lines * 15.0 + HEAD + FOOT + 8.0).clamp(190.0, 460.0))
}

/// Returns the parameter of a block that is code.
pub fn code_of_view(view: &BlockView) -> Option<&'static ParamDef> {
    view.def.and_then(code_param)
}

impl Overlay {
    /// Opens the editor of a block's code; returns whether the block has code.
    pub fn open_code(&mut self, scene: &Scene, block: BlockId) -> bool {
        if scene.block(block).and_then(code_of_view).is_none() {
            return false;
        }
        if self.code.as_ref().is_none_or(|open| open.block != block) {
            let shown = String::new();
            self.code =
                Some(CodeEdit { block, text: None, shown, is_large: false, size: None, is_new: true, asks: false });
        } else if let Some(open) = &mut self.code {
            open.is_new = true;
        }
        true
    }

    /// Returns the change of a text that the document does not have yet.
    pub fn code_change(&self, scene: &Scene, (simulation, model): (&Simulation, &Model)) -> Option<Change> {
        let open = self.code.as_ref()?;
        let view = scene.block(open.block)?;
        change_of((simulation, model), view, code_of_view(view)?, open.text.as_deref()?, None)
    }

    /// Shows the editor, if one is open.
    pub fn code_ui(&mut self, ui: &Ui, context: &OverlayContext, canvas: Option<Id>, output: &mut CanvasOutput) {
        let is_shown = |block: &mut BlockId| context.open.scene.block(*block).is_some();
        if let Some(block) = self.awaited_code.take_if(is_shown)
            && self.code.as_ref().is_none_or(|open| open.block != block)
        {
            self.open_code(context.open.scene, block);
        }
        let Some(open) = &mut self.code else { return };
        let found = context.open.scene.block(open.block);
        let Some((view, param)) = found.and_then(|view| Some((view, code_of_view(view)?))) else {
            self.code = None;
            return;
        };
        let in_document = code_of(&view.block, param);
        let id = Id::unique(("code editor", canvas, open.block));
        open.follow(ui, id, &in_document);
        open.size.get_or_insert_with(|| wanted_size(&in_document));
        let mut text = open.text.clone().unwrap_or_else(|| in_document.clone());
        let mistake = Mistake::in_code(&text);
        let in_run = (context.view.code)(open.block).unwrap_or_default();
        let mut shown = None;
        let mut choice = Choice::Nothing;
        let place = open.place(ui, context, view);
        let theme = context.view.theme;
        let area = Area::new(id.with("area")).order(Order::Middle).fixed_pos(place.min).constrain(false);
        area.show(ui.ctx(), |ui| {
            let frame = Frame::new()
                .fill(code::fill(ui))
                .stroke(Stroke::new(1.5, theme.accent))
                .corner_radius(6)
                .shadow(ui.visuals().popup_shadow);
            frame.show(ui, |ui| {
                ui.set_min_size(place.size());
                ui.set_max_size(place.size());
                ui.spacing_mut().item_spacing = Vec2::ZERO;
                choice = head_ui(ui, open, view, text != in_document);
                let editor = Editor { id, in_run: &in_run, mistake: mistake.as_ref(), block: view };
                shown = Some(editor.show_ui(ui, place.height() - HEAD - FOOT, &mut text));
                foot_ui(ui, open, (&editor, place.size()), &mut choice);
            });
        });
        let Some(shown) = shown else { return };
        if std::mem::take(&mut open.is_new) {
            shown.response.request_focus();
            ui.ctx().request_repaint();
        }
        open.take(text, &in_document);
        let choice = open.decide(choice, &shown);
        let now = open.text.clone().unwrap_or_else(|| in_document.clone());
        let has_lost_focus = shown.response.lost_focus() && choice == Choice::Nothing;
        let applies = choice == Choice::Close || has_lost_focus || shown.clicked_line.is_some();
        if applies {
            output.changes.extend(change_of(
                (context.open.document.simulation, context.open.model),
                view,
                param,
                &now,
                shown.clicked_line,
            ));
            let known = OnLines::of(&view.block).moved(&in_document, &now);
            output.refused = shown.clicked_line.and_then(|line| {
                let has_place = known.0.contains_key(&line) || line_of_statement(&now, line).is_some();
                (!has_place).then(|| match &mistake {
                    Some(_) => "A breakpoint needs code without mistakes".to_owned(),
                    None => format!("There is nothing to execute from line {line} on"),
                })
            });
            open.text = None;
            open.shown = now;
        }
        match (shown.request, open.text.is_some()) {
            (Some(EditorRequest::Undo), false) => output.commands.push(Command::Edit(EditCommand::Undo)),
            (Some(EditorRequest::Redo), false) => output.commands.push(Command::Edit(EditCommand::Redo)),
            _ => {}
        }
        match choice {
            Choice::Close | Choice::Discard => {
                self.code = None;
                if let Some(canvas) = canvas {
                    ui.memory_mut(|memory| memory.request_focus(canvas));
                }
            }
            Choice::KeepEditing => shown.response.request_focus(),
            Choice::Nothing => {}
        }
    }
}

impl CodeEdit {
    /// Takes a change of the document from elsewhere, such as undo.
    fn follow(&mut self, ui: &Ui, id: Id, in_document: &str) {
        if self.text.is_none() && self.shown != in_document {
            self.shown = in_document.to_owned();
            if let Some(mut state) = egui::TextEdit::load_state(ui.ctx(), id) {
                state.clear_undoer();
                state.store(ui.ctx(), id);
            }
        }
    }

    fn take(&mut self, text: String, in_document: &str) {
        if self.text.as_ref().is_some_and(|before| *before != text) {
            self.asks = false;
        }
        self.shown.clone_from(&text);
        self.text = Some(text).filter(|text| text != in_document);
    }

    /// Where the editor is on the screen: at the block, within the canvas if that is large enough.
    fn place(&self, ui: &Ui, context: &OverlayContext, view: &BlockView) -> Rect {
        let canvas = context.transform.screen.shrink(8.0);
        // Beside a small diagram it may lie over the panels.
        let is_enough = canvas.width() >= ENOUGH.x && canvas.height() >= ENOUGH.y;
        let room = if is_enough { canvas } else { ui.ctx().content_rect().shrink(8.0) };
        if self.is_large {
            return room;
        }
        let size = self.size.unwrap_or(SMALLEST).max(SMALLEST).min(room.size());
        let body = context.transform.rect_to_screen(view.outline.body);
        let left = body.left().min(room.right() - size.x).max(room.left());
        let top = body.top().min(room.bottom() - size.y).max(room.top());
        Rect::from_min_size(pos2(left, top).round(), size.floor())
    }

    /// What a key or button means.
    fn decide(&mut self, choice: Choice, shown: &CodeOutput) -> Choice {
        let has_changes = self.text.is_some();
        let choice = match (shown.request, choice) {
            (_, Choice::KeepEditing) => {
                self.asks = false;
                Choice::KeepEditing
            }
            (Some(EditorRequest::Apply), _) => Choice::Close,
            (Some(EditorRequest::Leave), _) if !has_changes || self.asks => Choice::Discard,
            (Some(EditorRequest::Leave), _) => {
                self.asks = true;
                Choice::Nothing
            }
            (_, choice) => choice,
        };
        if shown.response.lost_focus() && choice == Choice::Nothing {
            self.asks = false;
        }
        choice
    }
}

/// Returns the change that sets the code of a block, with the wires and values of what it only renames, and switches the
/// breakpoint of a line.
fn change_of(
    (simulation, model): (&Simulation, &Model),
    view: &BlockView,
    param: &ParamDef,
    text: &str,
    clicked_line: Option<usize>,
) -> Option<Change> {
    let (before, id) = (code_of(&view.block, param), view.block.id);
    let known = OnLines::of(&view.block);
    let mut lines = known.moved(&before, text);
    let mut label = format!("Edit the code of {} {id}", view.block.title());
    let mut edits = Vec::new();
    if text != before {
        let values = vec![text.to_owned()];
        let renamed = view.def.map(|def| ports::renamed(simulation, model, &view.block, def, (param.name, &values)));
        let (name, model) = (param.name.into(), Arc::clone(&model.name));
        edits.push(Edit::SetOption { model, id, name, values: Some(values) });
        edits.extend(renamed.unwrap_or_default());
    }
    if let Some(line) = clicked_line {
        let is_removed = lines.0.remove(&line).is_some();
        let place = if is_removed { None } else { line_of_statement(text, line) };
        lines.0.extend(place.map(|line| (line, true)));
        if edits.is_empty() {
            label = if is_removed { "Remove breakpoint" } else { "Set breakpoint" }.to_owned();
        }
    }
    if lines != known {
        edits.push(lines.edit(&model.name, id));
    }
    (!edits.is_empty()).then(|| Change::new(label, edits))
}

/// The text with what is beside it.
struct Editor<'a> {
    id: Id,
    in_run: &'a CodeInRun,
    mistake: Option<&'a Mistake>,
    block: &'a BlockView,
}

impl Editor<'_> {
    fn show_ui(&self, ui: &mut Ui, height: f32, text: &mut String) -> CodeOutput {
        let parameters = parameters_of(self.block);
        let lines = match code_param_text(self.block) {
            Some(before) => OnLines::of(&self.block.block).moved(&before, text),
            None => OnLines::default(),
        };
        let mut margin = Margin { breakpoints: lines.0, tooltip: TOOLTIP, ..Margin::default() };
        if self.in_run.code == *text {
            let note = |(line, (text, tooltip)): (&usize, &(String, String))| {
                (*line, LineNote { text: text.clone(), tooltip: tooltip.clone() })
            };
            margin.notes = self.in_run.values.iter().map(note).collect();
            margin.stopped = self.in_run.stopped;
        }
        let label = format!("Code of {} {}", self.block.block.title(), self.block.block.id);
        ScrollArea::both()
            .id_salt(self.id.with("scroll"))
            .auto_shrink(false)
            .max_height(height)
            .min_scrolled_height(height)
            .show(ui, |ui| {
                let rows = ((height - 10.0) / 16.0).max(2.0) as usize;
                let (parameters, margin, mistake) = (Some(&parameters[..]), Some(&margin), self.mistake);
                let view = CodeView { label: &label, parameters, mistake, margin, wraps: false, rows, hint: "" };
                code::code_ui(ui, self.id, text, &view)
            })
            .inner
    }

    /// Whether the values that are known belong to another code.
    fn is_stale(&self, text: &str) -> bool {
        !self.in_run.values.is_empty() && self.in_run.code != text
    }
}

const TOOLTIP: &str = "Pause the run after a step in which this line is executed. While there is a breakpoint on a line, \
                       the run takes one step at a time and evaluates this code a second time, which is slower";

fn code_param_text(view: &BlockView) -> Option<String> {
    Some(code_of(&view.block, code_of_view(view)?))
}

/// The names of the arguments that have values.
fn parameters_of(view: &BlockView) -> Vec<String> {
    let arguments = view.def.map(|def| arguments_of(&view.block, def)).unwrap_or_default();
    let names = arguments.into_iter().filter_map(|argument| match argument {
        Argument::Parameter(param) => Some(param.name.to_owned()),
        Argument::Input(_) => None,
    });
    names.collect()
}

fn head_ui(ui: &mut Ui, open: &mut CodeEdit, view: &BlockView, is_changed: bool) -> Choice {
    let theme = theme_of(ui.ctx());
    let mut choice = Choice::Nothing;
    let frame = Frame::new()
        .fill(style::mix(theme.panel, theme.accent, 0.10))
        .corner_radius(CornerRadius { nw: 5, ne: 5, sw: 0, se: 0 })
        .inner_margin(Space { left: 10, right: 4, top: 2, bottom: 2 });
    frame.show(ui, |ui| {
        ui.set_height(HEAD - 4.0);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if widgets::icon_button_ui(ui, Icon::Close, "Close the code")
                .on_hover_text("Apply and close (Ctrl+Enter)")
                .clicked()
            {
                choice = Choice::Close;
            }
            let (icon, label) = match open.is_large {
                true => (Icon::Restore, "Smaller"),
                false => (Icon::Enlarge, "Larger"),
            };
            let about = if open.is_large { "Back to the place of the block" } else { "Fill the diagram" };
            if widgets::icon_button_ui(ui, icon, label).on_hover_text(about).clicked() {
                open.is_large = !open.is_large;
                open.is_new = true;
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let title = RichText::new(view.block.title()).font(style::strong(TEXT));
                ui.add(egui::Label::new(title).truncate());
                if is_changed {
                    ui.add_space(6.0);
                    ui.label(widgets::weak(ui, "changed"));
                }
            });
        });
    });
    choice
}

fn foot_ui(ui: &mut Ui, open: &mut CodeEdit, (editor, size): (&Editor, Vec2), choice: &mut Choice) {
    let theme = theme_of(ui.ctx());
    let frame = Frame::new().inner_margin(Space { left: 10, right: 18, top: 0, bottom: 0 });
    let shown = frame.show(ui, |ui| {
        ui.set_height(FOOT);
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.x = 8.0;
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            if open.asks {
                ui.label(RichText::new("Discard the changes?").size(TEXT_SMALL + 1.0).color(theme.warning));
                if ui.small_button("Discard").on_hover_text("Escape once more").clicked() {
                    *choice = Choice::Discard;
                }
                if ui.small_button("Apply").on_hover_text("Ctrl+Enter").clicked() {
                    *choice = Choice::Close;
                }
                if ui.small_button("Keep editing").clicked() {
                    *choice = Choice::KeepEditing;
                }
                return;
            }
            let (text, color) = match (editor.mistake, editor.is_stale(&open.shown), editor.in_run.note.is_empty()) {
                (Some(mistake), ..) => (mistake.message.clone(), theme.error),
                (None, true, _) => (
                    "The code has changed since the run; values are shown after the next one".to_owned(),
                    theme.text_weak,
                ),
                (None, false, false) => (editor.in_run.note.clone(), theme.text_weak),
                (None, false, true) => {
                    ("Ctrl+Enter applies and closes, Escape discards, Ctrl+Space completes".to_owned(), theme.text_weak)
                }
            };
            let label = egui::Label::new(RichText::new(&text).size(TEXT_SMALL).color(color)).truncate();
            ui.add(label);
        });
    });
    if !open.is_large {
        grip_ui(ui, open, shown.response.rect, size);
    }
}

/// The corner by which the editor is resized.
fn grip_ui(ui: &Ui, open: &mut CodeEdit, foot: Rect, size: Vec2) {
    let theme = theme_of(ui.ctx());
    let corner = Rect::from_min_max(foot.right_bottom() - vec2(16.0, 16.0), foot.right_bottom());
    let grip = ui.interact(corner, ui.scope_id().with("grip"), Sense::drag());
    grip.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Resize the code"));
    let color = if grip.hovered() || grip.dragged() { theme.accent } else { theme.text_weak };
    for offset in [4.0, 8.0, 12.0] {
        let end = corner.max - vec2(2.0, 2.0);
        ui.painter().line_segment([pos2(end.x - offset, end.y), pos2(end.x, end.y - offset)], Stroke::new(1.0, color));
    }
    if grip.dragged() {
        open.size = Some((size + grip.drag_delta()).max(SMALLEST));
    }
    grip.on_hover_cursor(CursorIcon::ResizeNwSe);
}
