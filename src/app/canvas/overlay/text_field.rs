//! The field in which a text is edited in place: a block's title, its main value, the name of a wire's signal.

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{
    Align2, Area, FontId, Frame, Id, Key, Label, Modifiers, Order, Pos2, Rect, RichText, TextEdit, TextWrapMode, Ui,
    pos2, vec2,
};

use super::{EditTarget, InPlaceEdit, Overlay, OverlayContext};
use crate::app::canvas::edit::texts::{main_param, typed_params};
use crate::app::canvas::scene::Scene;
use crate::app::canvas::{CanvasOutput, draw};
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::{ParamDef, ParamKind};
use crate::model::{BlockId, BlockKind, InputKey};

impl Overlay {
    pub fn begin_title(&mut self, scene: &Scene, block: BlockId) {
        if let Some(view) = scene.block(block) {
            self.begin_editing(EditTarget::Title(block), view.block.title().to_owned());
        }
    }

    /// Starts editing a block's main value, or the name of an entry or exit. Returns whether there is one.
    pub fn begin_value(&mut self, scene: &Scene, block: BlockId) -> bool {
        let Some(view) = scene.block(block) else { return false };
        if matches!(view.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }) {
            self.begin_title(scene, block);
            return true;
        }
        if self.open_code(scene, block) {
            return true;
        }
        main_param(view).is_some() && self.begin_param(scene, block, 0)
    }

    /// Starts editing a block's main value with the start of a number in place of it. Returns whether it has one.
    pub fn begin_number(&mut self, scene: &Scene, block: BlockId, text: String) -> bool {
        let Some(param) = scene.block(block).and_then(main_param) else { return false };
        let is_number = matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. });
        if is_number {
            self.begin_editing(EditTarget::Value(block, 0), text);
            self.editing.iter_mut().for_each(|editing| editing.keeps_text = true);
        }
        is_number
    }

    /// Starts editing a parameter by its index. Returns whether it exists.
    fn begin_param(&mut self, scene: &Scene, block: BlockId, index: usize) -> bool {
        let Some(view) = scene.block(block) else { return false };
        let Some(param) = typed_params(view).get(index).copied() else { return false };
        let texts = view.block.option_texts(param.name);
        let text = texts.map_or_else(|| param.default_texts().join(" "), |texts| texts.join(" "));
        self.begin_editing(EditTarget::Value(block, index), text);
        true
    }

    /// Starts editing the name of the signal on a wire.
    pub fn begin_signal(&mut self, scene: &Scene, key: &InputKey) {
        let Some(wire) = scene.wire(key) else { return };
        let text = scene.signal_text(wire.connection.from, &wire.connection.output);
        self.begin_editing(EditTarget::Signal(key.clone()), text.unwrap_or_default());
    }

    fn begin_editing(&mut self, what: EditTarget, text: String) {
        self.editing = Some(InPlaceEdit { what, text, is_new: true, keeps_text: false });
    }

    /// After a block was inserted, its main value is edited next; of a new model, its name.
    pub fn begin_awaited(&mut self, scene: &Scene) {
        if let Some(id) = self.awaited.take_if(|id| scene.block(*id).is_some()) {
            let inner = scene.block(id).and_then(|view| view.inner.clone());
            match inner.filter(|inner| self.is_grouped || inner.blocks.is_empty()) {
                Some(inner) => self.begin_editing(EditTarget::ModelName(id), inner.name.to_string()),
                None => drop(self.begin_value(scene, id)),
            }
            self.is_grouped = false;
        }
    }

    pub fn editing_ui(&mut self, ui: &mut Ui, context: &OverlayContext, canvas: Option<Id>, output: &mut CanvasOutput) {
        let OverlayContext { open, view, transform } = *context;
        let scene = open.scene;
        let Some(editing) = &mut self.editing else { return };
        let Some(middle) = field_centre(scene, &editing.what) else {
            self.editing = None;
            return;
        };
        let width = (editing.text.chars().count() as f32 * 8.0 + 28.0).clamp(90.0, 260.0);
        let field = Rect::from_center_size(transform.to_screen(middle), vec2(width, 22.0));
        let id = Id::unique("canvas text");
        let hint = hint(scene, &editing.what);
        // An invalid text is reported while it is typed, and is stored nevertheless.
        let problem = match &editing.what {
            EditTarget::Value(id, param) => open.value_problem((*id, *param), &editing.text),
            _ => None,
        };
        let theme = view.theme;
        let note = match &editing.what {
            EditTarget::Value(id, _) => scene.block(*id).filter(|block| block.is_remark()),
            _ => None,
        };
        // A note has several lines: Enter starts a new one.
        let (field, edit) = match note {
            Some(block) if !block.is_area() => {
                let room = draw::text_rect(transform.rect_to_screen(block.outline.body));
                (room, TextEdit::multiline(&mut editing.text).desired_width(room.width()))
            }
            Some(block) => {
                let corner = transform.to_screen(block.outline.body.min) + vec2(4.0, 2.0);
                (Rect::from_min_size(corner, vec2(width.max(140.0), 22.0)), TextEdit::singleline(&mut editing.text))
            }
            None => (field, TextEdit::singleline(&mut editing.text).align(Align2::CENTER_CENTER)),
        };
        // Tab moves from value to value, if there are several.
        let next = match &editing.what {
            EditTarget::Value(block, index) if note.is_none() => scene.block(*block).and_then(|view| {
                let count = typed_params(view).len();
                let has_focus = count > 1 && ui.memory(|memory| memory.has_focus(id));
                let by = ui.input_mut(|input| match has_focus {
                    true if input.consume_key(Modifiers::SHIFT, Key::Tab) => count - 1,
                    true if input.consume_key(Modifiers::NONE, Key::Tab) => 1,
                    _ => 0,
                });
                (by > 0).then_some((*block, (index + by) % count))
            }),
            _ => None,
        };
        let edit = edit.text_color_opt(problem.as_ref().map(|_| theme.error));
        let edit = edit.id(id).font(FontId::proportional(12.0)).lock_focus(true);
        let response = ui.put(field, edit.hint_text(hint.clone()));
        response.ctx.accesskit_node_builder(response.id, |node| node.set_label(hint));
        if editing.is_new {
            response.request_focus();
            let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
            let end = CCursor::new(editing.text.chars().count());
            let start = if editing.keeps_text { end } else { CCursor::new(0) };
            state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
            TextEdit::store_state(ui.ctx(), id, state);
            editing.is_new = false;
        }
        match (&problem, &editing.what) {
            (Some(problem), _) => aside(ui, field, RichText::new(problem).color(theme.error)),
            (None, EditTarget::Value(block, param)) if note.is_none() => {
                let params = scene.block(*block).map(typed_params).unwrap_or_default();
                if let Some(text) = params.get(*param).map(|param| guide(param, params.len())) {
                    aside(ui, field, RichText::new(text).color(theme.text_weak));
                }
            }
            _ => {}
        }
        if let Some((block, param)) = next {
            output.changes.extend(open.text_change(&editing.what, &editing.text));
            self.begin_param(scene, block, param);
            return;
        }
        if !response.lost_focus() {
            return;
        }
        // The key that ends the editing must not do anything else.
        let is_given_up = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let is_done = ui.input(|input| input.key_pressed(Key::Enter));
        if (is_done || is_given_up)
            && let Some(id) = canvas
        {
            // The keyboard focus returns to the diagram.
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        if let Some(done) = self.editing.take()
            && !is_given_up
            && let Some(change) = open.text_change(&done.what, &done.text)
        {
            output.changes.push(change);
        }
    }
}

/// Returns the hint for a value that is being typed.
fn guide(param: &ParamDef, count: usize) -> String {
    let unit = if param.unit.is_empty() { String::new() } else { format!(", {}", param.unit) };
    let further = if count > 1 { " · Tab: next value" } else { "" };
    format!("{}{unit}{further}", param.name)
}

/// Shows a line below the field.
fn aside(ui: &Ui, field: Rect, text: RichText) {
    let area = Area::new(Id::unique("canvas text aside")).order(Order::Tooltip);
    area.fixed_pos(field.left_bottom() + vec2(0.0, 4.0)).interactable(false).show(ui.ctx(), |ui| {
        Frame::popup(ui.style()).show(ui, |ui| {
            ui.add(Label::new(text.size(TEXT_SMALL)).wrap_mode(TextWrapMode::Extend));
        });
    });
}

/// Returns the centre of the field, in the model.
fn field_centre(scene: &Scene, what: &EditTarget) -> Option<Pos2> {
    match what {
        EditTarget::Title(id) | EditTarget::ModelName(id) => {
            let block = scene.block(*id)?;
            let body = block.outline.body;
            let is_inside = matches!(block.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
            Some(if is_inside { body.center() } else { pos2(body.center().x, body.bottom() + 12.0) })
        }
        EditTarget::Value(id, _) => Some(scene.block(*id)?.outline.body.center()),
        EditTarget::Signal(key) => {
            let wire = scene.wire(key)?;
            let trunk = scene.net(wire.connection.from, &wire.connection.output).find(|wire| wire.dot.is_none());
            Some(trunk.unwrap_or(wire).name_position(0.0))
        }
    }
}

fn hint(scene: &Scene, what: &EditTarget) -> String {
    match what {
        EditTarget::Title(_) => "Title".to_owned(),
        EditTarget::ModelName(_) => "Name of the subsystem".to_owned(),
        EditTarget::Value(id, param) => {
            let params = scene.block(*id).map(typed_params).unwrap_or_default();
            params.get(*param).map_or_else(String::new, |param| param.name.to_owned())
        }
        EditTarget::Signal(_) => "Signal name [unit]".to_owned(),
    }
}
