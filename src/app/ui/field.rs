//! Text fields that are checked while the user types and return their text once, when it is complete.
//!
//! Nothing moves when a text becomes invalid: the field turns red, and the reason, with a button that fixes it, is
//! shown in a popup while the field has the focus or the pointer is over it.

use eframe::egui::{
    self, FontId, Id, Key, Popup, PopupCloseBehavior, Response, RichText, Sense, TextEdit, Ui, WidgetInfo, vec2,
};

use crate::app::ui::code::{CodeView, EditorRequest, Marks, Mistake, code_ui, layout};
use crate::app::ui::icons::Icon;
use crate::app::ui::numbers::typed::{Doubt, Wanted, number_before, understood};
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};

/// The text that is being edited: the field's id and the text so far. Texts that can be meant in two ways wait in their
/// fields until the user has decided.
#[derive(Default)]
pub struct EditedField(Option<(Id, String)>, Vec<(Id, String)>);

impl EditedField {
    pub fn forget(&mut self) {
        self.0 = None;
        self.1.clear();
    }

    /// Returns the text so far of a field.
    fn text_of(&self, id: Id) -> Option<&str> {
        let texts = self.0.iter().chain(&self.1);
        texts.filter(|(known, _)| *known == id).map(|(_, text)| &**text).next()
    }

    /// Ends the edit of a field; `waiting` is a text about which the user has not decided.
    fn end(&mut self, id: Id, waiting: Option<String>) {
        self.0.take_if(|(known, _)| *known == id);
        self.1.retain(|(known, _)| *known != id);
        self.1.extend(waiting.map(|text| (id, text)));
    }
}

/// How a field treats an invalid text when it loses the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// It is discarded.
    Refused,
    /// It is returned like a valid one: the document keeps it, and its check reports the error.
    Kept,
}

/// A button in the popup of an invalid text.
#[derive(Clone, Copy, Debug)]
pub struct Fix<'a> {
    pub label: &'a str,
    pub tooltip: &'a str,
}

/// An edit in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldEdit {
    Text(String),
    /// Clicked the button of [`Fix`].
    Fix,
}

/// A text field of one line.
#[derive(Clone)]
pub struct Field<'a> {
    label: &'a str,
    text: &'a str,
    hint: &'a str,
    value: Option<&'a str>,
    width: f32,
    invalid: Invalid,
    fix: Option<Fix<'a>>,
    is_code: bool,
    has_names: bool,
    wanted: Option<Wanted>,
    unit: &'a str,
    id: Option<Id>,
    digits: Option<FontId>,
}

/// The room of the sign of an invalid text. Narrow fields of digits do not have it.
const SIGN: f32 = 20.0;

/// Longer texts are checked only while they are typed; the check of the document reports their errors.
const LONG: usize = 2000;

impl<'a> Field<'a> {
    /// A field that shows `text`. `label` is its name for screen readers, and its id within the surrounding ui.
    pub fn new(label: &'a str, text: &'a str) -> Field<'a> {
        Field {
            label,
            text,
            hint: "",
            value: None,
            width: f32::INFINITY,
            invalid: Invalid::Refused,
            fix: None,
            is_code: false,
            has_names: false,
            wanted: None,
            unit: "",
            id: None,
            digits: None,
        }
    }

    pub fn label(&self) -> &'a str {
        self.label
    }

    /// Takes the unit behind a number, too: `1.5 s`.
    pub fn unit(self, unit: &'a str) -> Field<'a> {
        Field { unit, ..self }
    }

    /// Gives the field an id of its own, so that others can move the focus to it.
    pub fn id(self, id: Id) -> Field<'a> {
        Field { id: Some(id), ..self }
    }

    /// A low field of digits at its right edge, in a bar.
    pub fn digits(self, font: FontId) -> Field<'a> {
        Field { digits: Some(font), ..self }
    }

    /// Shown where there is no text.
    pub fn hint(self, hint: &'a str) -> Field<'a> {
        Field { hint, ..self }
    }

    /// Shows the value of the text within the field, at its right edge.
    pub fn value(self, value: Option<&'a str>) -> Field<'a> {
        Field { value, ..self }
    }

    /// In points.
    pub fn width(self, width: f32) -> Field<'a> {
        Field { width, ..self }
    }

    pub fn invalid(self, invalid: Invalid) -> Field<'a> {
        Field { invalid, ..self }
    }

    /// Colours the words of code, in a field of several lines.
    pub fn code(self) -> Field<'a> {
        Field { is_code: true, ..self }
    }

    /// Takes numbers as people type them. A text that can be meant in two ways is neither taken nor lost: the field asks.
    pub fn number(self, wanted: Wanted) -> Field<'a> {
        Field { wanted: Some(wanted), ..self }
    }

    /// Writes the text in the typeface of names and expressions, in which I, l and 1 differ.
    pub fn names(self) -> Field<'a> {
        Field { has_names: true, ..self }
    }

    /// A button in the popup that fixes an invalid text.
    pub fn fix(self, fix: Option<Fix<'a>>) -> Field<'a> {
        Field { fix, ..self }
    }

    /// Shows a field without a [`Fix`]: see [`Field::edit_ui`].
    pub fn text_ui(
        self,
        ui: &mut Ui,
        editing: &mut EditedField,
        problem: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        match self.edit_ui(ui, editing, problem)? {
            FieldEdit::Text(text) => Some(text),
            FieldEdit::Fix => None,
        }
    }

    /// Returns the doubt about a typed text.
    fn doubt(&self, text: &str) -> Option<Doubt> {
        let number = number_before(text, self.unit);
        self.wanted.and_then(|wanted| understood(number, wanted).err())
    }

    /// Shows a field whose text others read as it is typed; they refuse a doubtful one. Returns its response.
    pub fn live_ui(self, ui: &mut Ui, text: &mut String, problem: &dyn Fn(&str) -> Option<String>) -> Response {
        let id = self.id.unwrap_or_else(|| ui.make_persistent_id(("field", self.label)));
        let doubt = self.doubt(text);
        let wrong = doubt.as_ref().map(Doubt::question).or_else(|| problem(text));
        let response = self.line_ui(ui, id, text, wrong.as_deref(), None);
        let label = doubt.as_ref().map(use_label).unwrap_or_default();
        let fix = doubt.as_ref().map(|_| Fix { label: &label, tooltip: DECIMAL });
        if let Some(wrong) = &wrong
            && reason_ui(ui, &response, wrong, fix)
            && let Some(doubt) = doubt
        {
            *text = doubt.decimal;
        }
        response
    }

    /// Shows the field. `problem` checks a text and returns its error. The text is returned once, on Enter or
    /// when the focus is lost, if it differs from the one before; Escape discards it.
    pub fn edit_ui(
        self,
        ui: &mut Ui,
        editing: &mut EditedField,
        problem: &dyn Fn(&str) -> Option<String>,
    ) -> Option<FieldEdit> {
        let id = self.id.unwrap_or_else(|| ui.make_persistent_id(("field", self.label)));
        let mut text = editing.text_of(id).unwrap_or(self.text).to_owned();
        let is_checked = text != self.text || (self.invalid == Invalid::Kept && text.len() < LONG);
        let doubt = if text == self.text { None } else { self.doubt(&text) };
        let wrong = match &doubt {
            Some(doubt) => Some(doubt.question()),
            None if is_checked => problem(&text),
            None => None,
        };
        // The value is that of the text before, and it never stands where something is typed.
        let value = self.value.filter(|_| text == self.text && !ui.memory(|memory| memory.has_focus(id)));
        let response = self.line_ui(ui, id, &mut text, wrong.as_deref(), value);
        let label = doubt.as_ref().map(use_label).unwrap_or_default();
        let fix = match &doubt {
            Some(_) => Some(Fix { label: &label, tooltip: DECIMAL }),
            // The button is for the text that the document holds.
            None => self.fix.filter(|_| text == self.text),
        };
        if let Some(wrong) = &wrong
            && reason_ui(ui, &response, wrong, fix)
        {
            editing.end(id, None);
            return Some(doubt.map_or(FieldEdit::Fix, |doubt| FieldEdit::Text(doubt.decimal)));
        }
        if response.has_focus() {
            editing.0 = Some((id, text));
            return None;
        }
        if response.lost_focus() {
            let is_discarded = ui.input(|input| input.key_pressed(Key::Escape));
            if !is_discarded && text != self.text && self.doubt(&text).is_some() {
                editing.end(id, Some(text));
                return None;
            }
            editing.end(id, None);
            // An empty text is not kept.
            let is_kept = self.invalid == Invalid::Kept && !text.trim().is_empty();
            let is_taken = is_kept || problem(&text).is_none();
            if !is_discarded && text != self.text && is_taken {
                return Some(FieldEdit::Text(text));
            }
        }
        None
    }

    /// The field itself, with its value or the sign of an invalid text at the right edge.
    fn line_ui(&self, ui: &mut Ui, id: Id, text: &mut String, wrong: Option<&str>, value: Option<&str>) -> Response {
        let theme = theme_of(ui.ctx());
        let room = match (wrong, value) {
            (Some(_), _) if self.digits.is_some() => 0.0,
            (Some(_), _) => SIGN,
            (None, Some(value)) => self.value_room(ui, value, text),
            (None, None) => 0.0,
        };
        let padding = ui.spacing().button_padding;
        let mut margin = egui::Margin::symmetric(padding.x as i8, padding.y as i8);
        margin.right = margin.right.saturating_add(room as i8);
        let align = match self.digits {
            Some(_) => egui::Align2::RIGHT_CENTER,
            None => egui::Align2::LEFT_CENTER,
        };
        let field = TextEdit::singleline(text)
            .id(id)
            .desired_width(self.width)
            .hint_text(RichText::new(self.hint).color(theme.text_weak))
            .text_color_opt(wrong.map(|_| theme.error))
            .font(self.font())
            .align(align)
            .margin(margin);
        let response = ui.add(field);
        name(&response, self.label);
        let mut rect = response.rect.shrink2(vec2(padding.x, 0.0));
        rect.min.x = rect.max.x - room;
        if wrong.is_some() && room > 0.0 {
            let icon = egui::Rect::from_center_size(rect.center(), vec2(13.0, 13.0));
            Icon::Warning.paint(ui.painter(), icon, theme.error);
        } else if let Some(value) = value {
            if room > 0.0 {
                widgets::text_in(ui, rect, value, style::plain(TEXT_SMALL), theme.text_weak);
            }
            let area = if room > 0.0 { rect } else { response.rect };
            let hover = ui.interact(area, id.with("value"), Sense::hover());
            hover.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, value));
            hover.on_hover_text(value);
        }
        response
    }
}

impl Field<'_> {
    fn font(&self) -> FontId {
        let font = || if self.has_names { style::name(TEXT - 0.5) } else { style::plain(TEXT) };
        self.digits.clone().unwrap_or_else(font)
    }

    /// How wide the value may be: as it needs, in the room that the text leaves, so that it covers no digit. Where that
    /// is too narrow for a few digits it is only in the tooltip.
    fn value_room(&self, ui: &Ui, value: &str, text: &str) -> f32 {
        const NARROWEST: f32 = 28.0;
        let width = |text: &str, font| {
            ui.painter().layout_no_wrap(text.to_owned(), font, theme_of(ui.ctx()).text_weak).size().x
        };
        let room = self.width - 2.0 * ui.spacing().button_padding.x - width(text, self.font()) - SPACE;
        let room = (width(value, style::plain(TEXT_SMALL)) + SPACE).min(room);
        if room < NARROWEST { 0.0 } else { room.min(110.0) }
    }

    /// A multi-line field for formulas and programs, with error positions. Returns its text once: on Ctrl+Enter or when
    /// the focus is lost, if it has changed. Errors stay and are marked. Escape discards the text.
    pub fn lines_ui(
        self,
        ui: &mut Ui,
        editing: &mut EditedField,
        mistake: &dyn Fn(&str) -> Option<Mistake>,
    ) -> Option<String> {
        let Field { label, text: current, width, is_code, .. } = self;
        let id = ui.make_persistent_id(("field", label));
        let mut text = match &editing.0 {
            Some((edited, text)) if *edited == id => text.clone(),
            _ => current.to_owned(),
        };
        let wrong = mistake(&text);
        let (response, is_done, is_given_up) = ui
            .vertical(|ui| {
                let shown = match is_code {
                    true => self.code_lines_ui(ui, id, &mut text, wrong.as_ref()),
                    false => self.plain_lines_ui(ui, id, &mut text, wrong.as_ref()),
                };
                ui.set_max_width(width);
                // Its room is always there, so that nothing moves.
                let hint = egui::Label::new(widgets::weak(ui, "Ctrl+Enter applies it"));
                ui.add_visible(shown.0.has_focus(), hint);
                shown
            })
            .inner;
        if let Some(wrong) = &wrong {
            reason_ui(ui, &response, &wrong.message, None);
        }
        if is_done || is_given_up {
            response.surrender_focus();
        }
        if response.has_focus() && !is_done && !is_given_up {
            editing.0 = Some((id, text));
            return None;
        }
        if response.lost_focus() || is_done || is_given_up {
            editing.0 = None;
            if !is_given_up && text != current {
                return Some(text);
            }
        }
        None
    }

    /// The lines of code; whether they are done, and whether they are given up.
    fn code_lines_ui(
        self,
        ui: &mut Ui,
        id: Id,
        text: &mut String,
        mistake: Option<&Mistake>,
    ) -> (Response, bool, bool) {
        let rows = text.lines().count().clamp(2, 30);
        let view =
            CodeView { label: self.label, parameters: None, mistake, margin: None, wraps: true, rows, hint: self.hint };
        let room = ui.available_width().min(self.width);
        let output = ui.scope(|ui| {
            ui.set_max_width(room);
            code_ui(ui, id, text, &view)
        });
        let output = output.inner;
        (output.response, output.request == Some(EditorRequest::Apply), output.request == Some(EditorRequest::Leave))
    }

    /// The lines of a formula.
    fn plain_lines_ui(
        self,
        ui: &mut Ui,
        id: Id,
        text: &mut String,
        mistake: Option<&Mistake>,
    ) -> (Response, bool, bool) {
        let theme = theme_of(ui.ctx());
        let marks = Marks { mistake: mistake.map(|mistake| mistake.at), ..Marks::default() };
        let has_focus = ui.memory(|memory| memory.has_focus(id));
        let is_done = has_focus && ui.input_mut(|input| input.consume_key(egui::Modifiers::COMMAND, Key::Enter));
        let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, wrap: f32| {
            let mut job = layout(text.as_str(), &marks, theme);
            job.wrap.max_width = wrap;
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let rows = text.lines().count().clamp(2, 12);
        let field = TextEdit::multiline(text)
            .id(id)
            .desired_width(self.width)
            .desired_rows(rows)
            .hint_text(RichText::new(self.hint).color(theme.text_weak))
            .layouter(&mut layouter);
        let response = ui.add(field);
        name(&response, self.label);
        let is_given_up = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        (response, is_done, is_given_up)
    }
}

/// The tooltip of the button that decides a doubt.
const DECIMAL: &str = "The comma is a decimal one";

fn use_label(doubt: &Doubt) -> String {
    format!("Use {}", doubt.decimal)
}

/// Shows a popup below a field with the reason why its text is invalid. Returns whether the button that fixes it was
/// clicked.
fn reason_ui(ui: &Ui, field: &Response, reason: &str, fix: Option<Fix>) -> bool {
    let id = field.id.with("reason");
    // The pointer may leave the field for the button.
    let popup = field.ctx.data(|data| data.get_temp::<egui::Rect>(id)).unwrap_or(egui::Rect::NOTHING);
    let is_over_popup = ui.input(|input| input.pointer.latest_pos()).is_some_and(|at| popup.contains(at));
    let is_open = field.has_focus() || field.contains_pointer() || is_over_popup;
    let theme = theme_of(&field.ctx);
    let shown = Popup::from_response(field)
        .id(id)
        .open(is_open)
        .gap(0.0)
        .width(field.rect.width().max(180.0))
        .close_behavior(PopupCloseBehavior::IgnoreClicks)
        .show(|ui| {
            ui.add(egui::Label::new(RichText::new(reason).color(theme.error).size(TEXT_SMALL)).wrap());
            fix.is_some_and(|fix| {
                let button = egui::Button::new(fix.label).wrap_mode(egui::TextWrapMode::Extend);
                ui.add(button).on_hover_text(fix.tooltip).clicked()
            })
        });
    let popup = shown.as_ref().map_or(egui::Rect::NOTHING, |shown| shown.response.rect);
    field.ctx.data_mut(|data| data.insert_temp(id, popup));
    if !is_open {
        // For screen readers.
        let sign = ui.interact(field.rect.with_min_x(field.rect.right() - 1.0), id.with("sign"), Sense::hover());
        sign.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, reason));
    }
    shown.is_some_and(|shown| shown.inner)
}

/// Sets the name of a field for screen readers.
pub fn name(response: &egui::Response, label: &str) {
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(label.to_owned()));
}
