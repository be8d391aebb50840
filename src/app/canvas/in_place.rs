//! A text edited where it stands: a block's title, its main value, the name of a wire's signal.

use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{Align2, FontId, Id, Key, Order, Pos2, Rect, RichText, TextEdit, Ui, pos2, vec2};

use super::scene::{BlockView, Scene};
use super::{Canvas, CanvasOutput, CanvasView, draw};
use crate::app::numbers;
use crate::app::theme::TEXT_SMALL;
use crate::block::{Face, ParamDef, ParamKind, SettingError};
use crate::model::{Block, BlockId, BlockKind, Change, Connection, Edit, InputKey, Model, Scope, settings_of};

#[derive(Clone, Debug)]
pub struct Editing {
    what: What,
    text: String,
    is_new: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Title(BlockId),
    /// The parameter that [`main_param`] gives.
    Value(BlockId),
    Signal(InputKey),
}

/// The parameter that a user sets first: what stands on the block's face, else its first number or text.
pub fn main_param(block: &BlockView) -> Option<&'static ParamDef> {
    let def = block.def?;
    let is_typed = |param: &&ParamDef| !matches!(param.kind, ParamKind::Choice { .. } | ParamKind::Flag { .. });
    let on_face = match def.look.face {
        Face::Param(name) => def.param(name),
        _ => None,
    };
    on_face.or_else(|| def.params.iter().find(|param| param.name != ParamDef::SAMPLE_TIME.name)).filter(is_typed)
}

impl Canvas {
    pub(super) fn begin_title(&mut self, block: BlockId) {
        if let Some(view) = self.scene.block(block) {
            self.begin_editing(What::Title(block), view.block.title().to_owned());
        }
    }

    /// Begins to edit a block's main value, or the name of an entry or exit. Whether there is something to edit.
    pub(super) fn begin_value(&mut self, block: BlockId) -> bool {
        let Some(view) = self.scene.block(block) else { return false };
        if matches!(view.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }) {
            self.begin_title(block);
            return true;
        }
        let Some(param) = main_param(view) else { return false };
        let texts = view.block.option_texts(param.name);
        let text = texts.map_or_else(|| param.default_texts().join(" "), |texts| texts.join(" "));
        self.begin_editing(What::Value(block), text);
        true
    }

    /// Begins to edit the name of the signal that a wire carries.
    pub(super) fn begin_signal(&mut self, key: &InputKey) {
        let Some(wire) = self.scene.wire(key) else { return };
        let name = self.scene.signal_name(wire.connection.from, &wire.connection.output);
        self.begin_editing(What::Signal(key.clone()), name.unwrap_or_default().to_owned());
    }

    fn begin_editing(&mut self, what: What, text: String) {
        self.editing = Some(Editing { what, text, is_new: true });
    }

    /// After a block was inserted: its main value comes next.
    pub(super) fn begin_awaited(&mut self) {
        if let Some(id) = self.awaited.take_if(|id| self.scene.block(*id).is_some()) {
            self.begin_value(id);
        }
    }

    pub(super) fn editing_ui(&mut self, ui: &mut Ui, view: &CanvasView, model: &Model, output: &mut CanvasOutput) {
        let lens = self.lens();
        let Some(editing) = &mut self.editing else { return };
        let Some(middle) = place(&self.scene, &editing.what) else {
            self.editing = None;
            return;
        };
        let width = (editing.text.chars().count() as f32 * 8.0 + 28.0).clamp(90.0, 260.0);
        let place = Rect::from_center_size(lens.to_screen(middle), vec2(width, 22.0));
        let id = Id::unique("canvas text");
        let hint = hint(&self.scene, &editing.what);
        let note = match &editing.what {
            What::Value(id) => self.scene.block(*id).filter(|block| block.is_remark()),
            _ => None,
        };
        // A note has several lines: Enter begins the next.
        let (place, edit) = match note {
            Some(block) if !block.is_area() => {
                let room = draw::text_rect(lens.rect_to_screen(block.outline.body));
                (room, TextEdit::multiline(&mut editing.text).desired_width(room.width()))
            }
            Some(block) => {
                let corner = lens.to_screen(block.outline.body.min) + vec2(4.0, 2.0);
                (Rect::from_min_size(corner, vec2(width.max(140.0), 22.0)), TextEdit::singleline(&mut editing.text))
            }
            None => (place, TextEdit::singleline(&mut editing.text).align(Align2::CENTER_CENTER)),
        };
        let edit = edit.id(id).font(FontId::proportional(12.0));
        let response = ui.put(place, edit.hint_text(hint.clone()));
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label(hint));
        if editing.is_new {
            response.request_focus();
            let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
            let end = CCursor::new(editing.text.chars().count());
            state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
            TextEdit::store_state(ui.ctx(), id, state);
            editing.is_new = false;
        }
        let problem = match &editing.what {
            What::Value(id) => value_change(view, model, &self.scene, *id, &editing.text).err(),
            _ => None,
        };
        if let Some(problem) = &problem {
            let theme = view.theme;
            let area = eframe::egui::Area::new(Id::unique("canvas text problem")).order(Order::Tooltip);
            area.fixed_pos(place.left_bottom() + vec2(0.0, 4.0)).interactable(false).show(ui.ctx(), |ui| {
                eframe::egui::Frame::popup(ui.style()).show(ui, |ui| {
                    ui.label(RichText::new(problem).size(TEXT_SMALL).color(theme.error));
                });
            });
        }
        if !response.lost_focus() {
            return;
        }
        let (is_given_up, is_done) = ui.input(|input| (input.key_pressed(Key::Escape), input.key_pressed(Key::Enter)));
        if problem.is_some() && is_done {
            response.request_focus();
            return;
        }
        if is_done && let Some(id) = self.id {
            // The keyboard goes back to the diagram.
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        if let Some(done) = self.editing.take()
            && !is_given_up
            && let Some(change) = change(view, model, &self.scene, &done)
        {
            output.changes.push(change);
        }
    }
}

/// The middle of the field, in the model.
fn place(scene: &Scene, what: &What) -> Option<Pos2> {
    match what {
        What::Title(id) => {
            let block = scene.block(*id)?;
            let body = block.outline.body;
            let is_inside = matches!(block.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
            Some(if is_inside { body.center() } else { pos2(body.center().x, body.bottom() + 12.0) })
        }
        What::Value(id) => Some(scene.block(*id)?.outline.body.center()),
        What::Signal(key) => {
            let wire = scene.wire(key)?;
            let trunk = scene.net(wire.connection.from, &wire.connection.output).find(|wire| wire.dot.is_none());
            Some(trunk.unwrap_or(wire).name_place())
        }
    }
}

fn hint(scene: &Scene, what: &What) -> String {
    match what {
        What::Title(_) => "Title".to_owned(),
        What::Value(id) => {
            scene.block(*id).and_then(main_param).map_or_else(String::new, |param| param.name.to_owned())
        }
        What::Signal(_) => "Signal name".to_owned(),
    }
}

fn change(view: &CanvasView, model: &Model, scene: &Scene, done: &Editing) -> Option<Change> {
    match &done.what {
        What::Title(id) => title_change(model, scene.block(*id)?, done.text.trim()),
        What::Value(id) => value_change(view, model, scene, *id, &done.text).ok().flatten(),
        What::Signal(key) => signal_change(model, scene, key, done.text.trim()),
    }
}

fn title_change(model: &Model, block: &BlockView, text: &str) -> Option<Change> {
    let old = block.block.title();
    if text == old {
        return None;
    }
    let (model, id) = (Arc::clone(&model.name), block.block.id);
    let label = format!("Rename {old}");
    let edit = match &block.block.kind {
        BlockKind::Entry { .. } | BlockKind::Exit { .. } if text.is_empty() => return None,
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => Edit::RenamePort { model, id, name: text.into() },
        // Without a title a block has its own name again.
        BlockKind::Model { model: own } | BlockKind::Library { name: own, .. } => {
            let value = (!text.is_empty() && text != &**own).then(|| text.into());
            Edit::SetBlockAttribute { model, id, name: "label".into(), value }
        }
    };
    Some(Change::one(label, edit))
}

/// The change that sets the main value; none where it is what it was, an error where it cannot be that.
fn value_change(
    view: &CanvasView,
    model: &Model,
    scene: &Scene,
    id: BlockId,
    text: &str,
) -> Result<Option<Change>, String> {
    let Some(block) = scene.block(id) else { return Ok(None) };
    let (Some(param), Some(def)) = (main_param(block), block.def) else { return Ok(None) };
    let texts = match param.kind {
        ParamKind::Text { .. } | ParamKind::Formula { .. } => vec![text.to_owned()],
        _ => numbers::split(text),
    };
    let before: Vec<String> = match block.block.option_texts(param.name) {
        Some(texts) => texts.into_iter().map(str::to_owned).collect(),
        None => param.default_texts(),
    };
    if texts == before {
        return Ok(None);
    }
    let mut changed = Block::clone(&block.block);
    changed.set_option(param.name, Some(&texts));
    let scope = Scope::of_model(view.simulation, model);
    let is_here = |error: &SettingError| error.param == param.name;
    if let Some(error) = settings_of(def, &changed, &scope).1.into_iter().find(is_here) {
        return Err(error.problem);
    }
    let edit = Edit::SetOption { model: Arc::clone(&model.name), id, name: param.name.into(), values: Some(texts) };
    Ok(Some(Change::one(format!("Set {} of {} {id}", param.name, block.block.title()), edit)))
}

fn signal_change(model: &Model, scene: &Scene, key: &InputKey, text: &str) -> Option<Change> {
    let wire = scene.wire(key)?;
    let (from, output) = (wire.connection.from, &wire.connection.output);
    if scene.signal_name(from, output).unwrap_or_default() == text {
        return None;
    }
    let value = (!text.is_empty()).then(|| Arc::from(text));
    // All wires of an output carry one signal.
    let mut keys: Vec<InputKey> = scene.net(from, output).map(|wire| wire.key()).collect();
    keys.sort();
    let edits = keys.into_iter().map(|key| Edit::SetConnectionAttribute {
        model: Arc::clone(&model.name),
        to: key.block,
        input: key.input,
        name: Connection::NAME.into(),
        value: value.clone(),
    });
    Some(Change::new(
        if text.is_empty() { "Remove signal name".to_owned() } else { format!("Name signal {text}") },
        edits.collect(),
    ))
}
