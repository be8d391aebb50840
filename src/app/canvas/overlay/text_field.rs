//! In-place editing of texts: a block's title, its main value, the name of a wire's signal.

use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{
    Align2, Area, FontId, Frame, Id, Key, Label, Modifiers, Order, Pos2, Rect, RichText, TextEdit, TextWrapMode, Ui,
    pos2, vec2,
};

use super::{EditTarget, InPlaceEdit};
use crate::app::canvas::scene::{BlockView, Scene};
use crate::app::canvas::{Canvas, CanvasOutput, CanvasView, DocumentView, draw};
use crate::app::doc::typed::{number_texts, problem_text};
use crate::app::ui::theme::TEXT_SMALL;
use crate::block::{Face, ParamDef, ParamKind, SettingError};
use crate::model::{
    Block, BlockId, BlockKind, Change, Connection, Edit, InputKey, Model, Simulation, in_scope, settings_of,
};

/// Returns the parameters that are typed, in the order in which a user sets them: the one on the block's face first.
/// Empty if that one is chosen from a list.
fn typed_params(block: &BlockView) -> Vec<&'static ParamDef> {
    let Some(def) = block.def else { return Vec::new() };
    let is_typed = |param: &ParamDef| !matches!(param.kind, ParamKind::Choice { .. } | ParamKind::Flag { .. });
    let on_face = match def.look.face {
        Face::Param(name) => def.param(name),
        _ => None,
    };
    if on_face.is_some_and(|param| !is_typed(param)) {
        return Vec::new();
    }
    let is_first = |param: &ParamDef| on_face.is_some_and(|first| first.name == param.name);
    let others = def.params.iter().filter(|param| is_typed(param) && !is_first(param));
    let (last, others): (Vec<_>, Vec<_>) = others.partition(|param| param.name == ParamDef::SAMPLE_TIME.name);
    on_face.into_iter().chain(others).chain(last).collect()
}

/// Returns the parameter that a user sets first.
pub fn main_param(block: &BlockView) -> Option<&'static ParamDef> {
    typed_params(block).first().copied().filter(|param| param.name != ParamDef::SAMPLE_TIME.name)
}

impl Canvas {
    pub(in crate::app::canvas) fn begin_title(&mut self, block: BlockId) {
        if let Some(view) = self.scene.block(block) {
            self.begin_editing(EditTarget::Title(block), view.block.title().to_owned());
        }
    }

    /// Starts editing a block's main value, or the name of an entry or exit. Returns whether there is one.
    pub(in crate::app::canvas) fn begin_value(&mut self, block: BlockId) -> bool {
        let Some(view) = self.scene.block(block) else { return false };
        if matches!(view.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. }) {
            self.begin_title(block);
            return true;
        }
        main_param(view).is_some() && self.begin_param(block, 0)
    }

    /// Starts editing a parameter by its index. Returns whether it exists.
    fn begin_param(&mut self, block: BlockId, index: usize) -> bool {
        let Some(view) = self.scene.block(block) else { return false };
        let Some(param) = typed_params(view).get(index).copied() else { return false };
        let texts = view.block.option_texts(param.name);
        let text = texts.map_or_else(|| param.default_texts().join(" "), |texts| texts.join(" "));
        self.begin_editing(EditTarget::Value(block, index), text);
        true
    }

    /// Starts editing the name of the signal on a wire.
    pub(in crate::app::canvas) fn begin_signal(&mut self, key: &InputKey) {
        let Some(wire) = self.scene.wire(key) else { return };
        let text = self.scene.signal_text(wire.connection.from, &wire.connection.output);
        self.begin_editing(EditTarget::Signal(key.clone()), text.unwrap_or_default());
    }

    fn begin_editing(&mut self, what: EditTarget, text: String) {
        self.editing = Some(InPlaceEdit { what, text, is_new: true });
    }

    /// After a block was inserted, its main value is edited next; of a new model, its name.
    pub(in crate::app::canvas) fn begin_awaited(&mut self) {
        if let Some(id) = self.awaited.take_if(|id| self.scene.block(*id).is_some()) {
            let inner = self.scene.block(id).and_then(|view| view.inner.clone());
            match inner.filter(|inner| self.is_grouped || inner.blocks.is_empty()) {
                Some(inner) => self.begin_editing(EditTarget::ModelName(id), inner.name.to_string()),
                None => drop(self.begin_value(id)),
            }
            self.is_grouped = false;
        }
    }

    pub(in crate::app::canvas) fn editing_ui(
        &mut self,
        ui: &mut Ui,
        view: &CanvasView,
        model: &Model,
        output: &mut CanvasOutput,
    ) {
        let transform = self.transform();
        let Some(editing) = &mut self.editing else { return };
        let Some(middle) = field_centre(&self.scene, &editing.what) else {
            self.editing = None;
            return;
        };
        let width = (editing.text.chars().count() as f32 * 8.0 + 28.0).clamp(90.0, 260.0);
        let field = Rect::from_center_size(transform.to_screen(middle), vec2(width, 22.0));
        let id = Id::unique("canvas text");
        let hint = hint(&self.scene, &editing.what);
        // An invalid text is reported while it is typed, and is stored nevertheless.
        let problem = match &editing.what {
            EditTarget::Value(id, param) => {
                value_problem(&view.document, (&self.path, model), &self.scene, (*id, *param), &editing.text)
            }
            _ => None,
        };
        let theme = view.theme;
        let note = match &editing.what {
            EditTarget::Value(id, _) => self.scene.block(*id).filter(|block| block.is_remark()),
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
            EditTarget::Value(block, index) if note.is_none() => self.scene.block(*block).and_then(|view| {
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
            state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
            TextEdit::store_state(ui.ctx(), id, state);
            editing.is_new = false;
        }
        match (&problem, &editing.what) {
            (Some(problem), _) => aside(ui, field, RichText::new(problem).color(theme.error)),
            (None, EditTarget::Value(block, param)) if note.is_none() => {
                let params = self.scene.block(*block).map(typed_params).unwrap_or_default();
                if let Some(text) = params.get(*param).map(|param| guide(param, params.len())) {
                    aside(ui, field, RichText::new(text).color(theme.text_weak));
                }
            }
            _ => {}
        }
        if let Some((block, param)) = next {
            output.changes.extend(change(&view.document, (&self.path, model), &self.scene, editing));
            self.begin_param(block, param);
            return;
        }
        if !response.lost_focus() {
            return;
        }
        // The key that ends the editing must not do anything else.
        let is_given_up = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        let is_done = ui.input(|input| input.key_pressed(Key::Enter));
        if (is_done || is_given_up)
            && let Some(id) = self.id
        {
            // The keyboard focus returns to the diagram.
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        if let Some(done) = self.editing.take()
            && !is_given_up
            && let Some(change) = change(&view.document, (&self.path, model), &self.scene, &done)
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

fn change(
    view: &DocumentView,
    (path, model): (&[BlockId], &Model),
    scene: &Scene,
    done: &InPlaceEdit,
) -> Option<Change> {
    match &done.what {
        EditTarget::Title(id) => title_change(model, scene.block(*id)?, done.text.trim()),
        EditTarget::ModelName(id) => name_change(view.simulation, scene.block(*id)?, done.text.trim()),
        EditTarget::Value(id, param) => value_change(view, (path, model), scene, (*id, *param), &done.text),
        EditTarget::Signal(key) => signal_change(model, scene, key, done.text.trim()),
    }
}

/// Renames the model of a block. A name that another model has becomes the next free one.
fn name_change(simulation: &Simulation, block: &BlockView, text: &str) -> Option<Change> {
    let BlockKind::Model { model: from } = &block.block.kind else { return None };
    if text.is_empty() || text == &**from {
        return None;
    }
    let to = simulation.free_model_name(text);
    Some(Change::one(format!("Rename {from} to {to}"), Edit::RenameModel { from: Arc::clone(from), to: to.into() }))
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
        // A block without a title shows the name of its kind.
        BlockKind::Model { model: own } | BlockKind::Library { name: own, .. } => {
            let value = (!text.is_empty() && text != &**own).then(|| text.into());
            Edit::SetBlockAttribute { model, id, name: "label".into(), value }
        }
    };
    Some(Change::one(label, edit))
}

/// Returns a block with a text as a parameter's values; None if the values do not change.
fn with_value(
    view: &DocumentView,
    (path, model): (&[BlockId], &Model),
    scene: &Scene,
    (id, param): (BlockId, usize),
    text: &str,
) -> Option<(&'static ParamDef, Vec<String>, Option<String>)> {
    let block = scene.block(id)?;
    let (param, def) = (typed_params(block).get(param).copied()?, block.def?);
    let before: Vec<String> = match block.block.option_texts(param.name) {
        Some(texts) => texts.into_iter().map(str::to_owned).collect(),
        None => param.default_texts(),
    };
    let problem = |texts: &[String]| {
        let mut changed = Block::clone(&block.block);
        changed.set_option(param.name, Some(texts));
        let is_here = |error: &SettingError| error.param == param.name;
        in_scope(view.simulation, path, model, |scope| {
            let error = settings_of(def, &changed, scope).1.into_iter().find(is_here)?;
            Some(match param.kind {
                ParamKind::Number { .. } | ParamKind::Integer { .. } => {
                    problem_text(texts, scope, error.problem.to_string())
                }
                _ => error.problem.to_string(),
            })
        })
    };
    let texts = match param.kind {
        ParamKind::Text { .. } | ParamKind::Formula { .. } => vec![text.to_owned()],
        _ => number_texts(text, &problem),
    };
    let problem = problem(&texts);
    (texts != before).then_some((param, texts, problem))
}

/// Returns why a text is not a valid value of a parameter.
fn value_problem(
    view: &DocumentView,
    model: (&[BlockId], &Model),
    scene: &Scene,
    target: (BlockId, usize),
    text: &str,
) -> Option<String> {
    with_value(view, model, scene, target, text)?.2
}

/// Returns the change that sets a value; None if the value does not change or nothing was typed.
fn value_change(
    view: &DocumentView,
    (path, model): (&[BlockId], &Model),
    scene: &Scene,
    target: (BlockId, usize),
    text: &str,
) -> Option<Change> {
    let (id, _) = target;
    let (param, texts, problem) = with_value(view, (path, model), scene, target, text)?;
    if problem.is_some() && text.trim().is_empty() {
        return None;
    }
    let title = scene.block(id)?.block.title();
    let edit = Edit::SetOption { model: Arc::clone(&model.name), id, name: param.name.into(), values: Some(texts) };
    Some(Change::one(format!("Set {} of {title} {id}", param.name), edit))
}

fn signal_change(model: &Model, scene: &Scene, key: &InputKey, text: &str) -> Option<Change> {
    let wire = scene.wire(key)?;
    let (from, output) = (wire.connection.from, &wire.connection.output);
    let (name, unit) = name_and_unit(text);
    let before = [scene.signal_name(from, output), scene.signal_unit(from, output)];
    // All wires of an output carry one signal.
    let mut keys: Vec<InputKey> = scene.net(from, output).map(|wire| wire.key()).collect();
    keys.sort();
    let mut edits = Vec::new();
    for ((attribute, now), before) in [(Connection::NAME, name), (Connection::UNIT, unit)].into_iter().zip(before) {
        if before.unwrap_or_default() == now {
            continue;
        }
        edits.extend(keys.iter().map(|key| Edit::SetConnectionAttribute {
            model: Arc::clone(&model.name),
            to: key.block,
            input: Arc::clone(&key.input),
            name: attribute.into(),
            value: (!now.is_empty()).then(|| Arc::from(now)),
        }));
    }
    let label = match (name.is_empty(), unit.is_empty()) {
        (true, true) => "Remove signal name".to_owned(),
        (true, false) => format!("Set signal unit {unit}"),
        (false, _) => format!("Name signal {name}"),
    };
    (!edits.is_empty()).then(|| Change::new(label, edits))
}

/// Splits `speed [m/s]` into name and unit; brackets right after a word, as in `x[0]`, belong to the name.
fn name_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let unit = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    match unit {
        Some((name, unit)) if name.is_empty() || name.ends_with(char::is_whitespace) => (name.trim(), unit.trim()),
        _ => (text, ""),
    }
}
