//! The editor of code: colours, completion, indentation, what belongs together, numbers of lines, breakpoints, values.
//!
//! It shows one text, which its owner holds, and knows no document. The text field itself is egui's; this adds the keys
//! that mean more than typing ([`keys`]) and what is drawn around the text.
//!
//! | module | contents |
//! |---|---|
//! | `marks` | colours of words, mistakes |
//! | `pairs` | brackets and blocks that belong together |
//! | `edits` | new lines, indentation, comments |
//! | `complete`, `popup` | what a word may become, and its list |
//! | `hints` | the arguments of the call that is typed |
//! | `keys` | the keys that the editor takes |
//! | `margin` | numbers of lines, breakpoints, values |

mod complete;
mod edits;
mod hints;
mod keys;
mod margin;
mod marks;
mod pairs;
mod popup;

use std::ops::Range;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{self, EventFilter, Frame, Id, Rect, Response, TextEdit, Ui, vec2};

use self::complete::completions;
use self::edits::Edited;
use self::hints::Hint;
use self::keys::{EditorKey, Shown, Waiting};
use self::margin::Lines;
pub use self::margin::{LineNote, Margin};
pub use self::marks::Mistake;
pub(super) use self::marks::{Marks, layout};
use self::pairs::{group_at, groups};
use self::popup::List;
use crate::app::ui::style;
use crate::app::ui::widgets::theme_of;

/// The input of an editor beside its text.
#[derive(Clone, Copy)]
pub struct CodeView<'a> {
    /// Its name for screen readers.
    pub label: &'a str,
    /// The arguments that have values, if they are known.
    pub parameters: Option<&'a [String]>,
    pub mistake: Option<&'a Mistake>,
    /// Breakpoints and values; none for an editor with numbers of lines alone.
    pub margin: Option<&'a Margin>,
    /// Whether long lines are broken; else the surrounding ui scrolls.
    pub wraps: bool,
    /// The least number of lines that have room.
    pub rows: usize,
    /// Shown where there is no text.
    pub hint: &'a str,
}

/// A request of the user beside the edit of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditorRequest {
    /// Pressed Ctrl+Enter.
    Apply,
    /// Pressed Escape.
    Leave,
    /// Pressed Ctrl+Z where the text has nothing to undo.
    Undo,
    Redo,
}

pub struct CodeOutput {
    pub response: Response,
    pub request: Option<EditorRequest>,
    /// The line, from 1, whose margin was clicked.
    pub clicked_line: Option<usize>,
}

/// The state of an editor between frames.
#[derive(Clone, Default)]
struct EditorState {
    list: List,
    arguments: Hint,
    waiting: Waiting,
    /// The text in the frame before, by which typing is noticed.
    text: String,
    /// The width of the longest line with its value.
    width: f32,
}

impl EditorState {
    fn shown(&self, text: &str) -> Shown {
        Shown { has_list: takes_list_keys(&self.list, text), has_hint: self.arguments.is_open() }
    }
}

/// A text with its selection in bytes.
struct Typed<'t> {
    text: &'t mut String,
    selection: Range<usize>,
}

/// Shows the editor of a text.
pub fn code_ui(ui: &mut Ui, id: Id, text: &mut String, view: &CodeView) -> CodeOutput {
    let mut held = ui.data(|data| data.get_temp::<EditorState>(id)).unwrap_or_default();
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    let mut request = None;
    let mut is_edited = false;
    if has_focus {
        keys::take(ui, &mut held.waiting);
        loop {
            let shown = held.shown(text);
            let Some(key) = keys::next(&mut held.waiting, shown) else { break };
            match act(ui, id, text, key, &mut held) {
                Acted::Edited => is_edited = true,
                Acted::Nothing => {}
                Acted::Asks(asked) => {
                    request = Some(asked);
                    break;
                }
            }
        }
        let shown = held.shown(text);
        keys::give(ui, &mut held.waiting, shown);
    } else {
        held.list.close();
        held.arguments.close();
        held.waiting.clear();
    }
    if is_edited {
        // It is no typing.
        held.text.clone_from(text);
        held.list.close();
    }
    let output = text_ui(ui, id, text, view, &mut held, is_edited);
    let clicked = around_ui(ui, id, text, view, &mut held, &output);
    let response = output.response.response;
    ui.data_mut(|data| data.insert_temp(id, held));
    CodeOutput { response, request, clicked_line: clicked }
}

/// Whether Enter, Tab and the arrows are for the list. Where its first row is what stands there already, Enter is a new
/// line unless the user has chosen a row.
fn takes_list_keys(list: &List, text: &str) -> bool {
    let Some((found, row)) = list.found.as_ref().zip(list.row()) else { return false };
    let is_same = text.get(found.word.clone()) == Some(row.name.as_str());
    list.is_meant || !is_same
}

enum Acted {
    Nothing,
    Edited,
    Asks(EditorRequest),
}

/// Carries out a key.
fn act(ui: &Ui, id: Id, text: &mut String, key: EditorKey, held: &mut EditorState) -> Acted {
    let list = &mut held.list;
    let typed = Typed { selection: selection(ui, id, text), text };
    let edited = match key {
        EditorKey::Up => {
            list.move_by(-1);
            return Acted::Nothing;
        }
        EditorKey::Down => {
            list.move_by(1);
            return Acted::Nothing;
        }
        EditorKey::Dismiss => {
            let word = list.found.as_ref().and_then(|found| typed.text.get(found.word.clone()));
            list.dismissed = word.map(str::to_owned);
            list.close();
            return Acted::Nothing;
        }
        EditorKey::DismissHint => {
            held.arguments.dismiss();
            return Acted::Nothing;
        }
        EditorKey::Suggest => {
            list.dismissed = None;
            list.is_meant = true;
            return Acted::Nothing;
        }
        EditorKey::Accept => {
            let Some(edited) = accepted(&typed, list, list.selected) else { return Acted::Nothing };
            edited
        }
        EditorKey::NewLine => edits::new_line(typed.text, typed.selection.clone()),
        EditorKey::Indent => edits::indent(typed.text, typed.selection.clone()),
        EditorKey::Outdent => edits::outdent(typed.text, typed.selection.clone()),
        EditorKey::Comment => edits::toggle_comment(typed.text, typed.selection.clone()),
        EditorKey::Undo | EditorKey::Redo => return turn(ui, id, typed.text, key),
        EditorKey::Apply => return Acted::Asks(EditorRequest::Apply),
        EditorKey::Leave => return Acted::Asks(EditorRequest::Leave),
    };
    set(ui, id, typed.text, edited);
    Acted::Edited
}

/// Undoes or redoes within the text, as far as there is something.
fn turn(ui: &Ui, id: Id, text: &mut String, key: EditorKey) -> Acted {
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let now = (state.cursor.char_range().unwrap_or_default(), text.clone());
    let mut undoer = state.undoer();
    let turned = match key {
        EditorKey::Undo => undoer.undo(&now).cloned(),
        _ => undoer.redo(&now).cloned(),
    };
    let Some((cursor, turned)) = turned else {
        return Acted::Asks(if key == EditorKey::Undo { EditorRequest::Undo } else { EditorRequest::Redo });
    };
    *text = turned;
    state.cursor.set_char_range(Some(cursor));
    state.set_undoer(undoer);
    state.store(ui.ctx(), id);
    Acted::Edited
}

/// The text with a completion in place of the word.
fn accepted(typed: &Typed, list: &List, index: usize) -> Option<Edited> {
    let found = list.found.as_ref()?;
    let row = found.all.get(index)?;
    let text = &*typed.text;
    // The owner may have changed the text since.
    text.get(found.word.clone())?;
    let line = text[..found.word.start].rfind('\n').map_or(0, |end| end + 1);
    let blanks = &text[line..][..text[line..].len() - text[line..].trim_start_matches([' ', '\t']).len()];
    let break_with_indent = format!("\n{blanks}");
    let (before, after) = row.insert.split_at(row.caret);
    let mut before = before.replace('\n', &break_with_indent);
    let after = after.replace('\n', &break_with_indent);
    // A call that has its bracket already gets no second one.
    if before.ends_with('(') && text[found.word.end..].starts_with('(') {
        before.pop();
    }
    let at = found.word.start + before.len();
    let text = format!("{}{before}{after}{}", &text[..found.word.start], &text[found.word.end..]);
    Some(Edited { text, selection: at..at })
}

/// Takes an edited text, as a step of its own for undo.
fn set(ui: &Ui, id: Id, text: &mut String, edited: Edited) {
    let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
    let mut undoer = state.undoer();
    undoer.add_undo(&(state.cursor.char_range().unwrap_or_default(), text.clone()));
    *text = edited.text;
    let char_at = |at: usize| CCursor::new(text[..at].chars().count());
    let range = CCursorRange::two(char_at(edited.selection.start), char_at(edited.selection.end));
    undoer.add_undo(&(range, text.clone()));
    state.cursor.set_char_range(Some(range));
    state.set_undoer(undoer);
    state.store(ui.ctx(), id);
}

/// The selection of an editor, in bytes.
fn selection(ui: &Ui, id: Id, text: &str) -> Range<usize> {
    let range = TextEditState::load(ui.ctx(), id).and_then(|state| state.cursor.char_range());
    let Some(range) = range else { return text.len()..text.len() };
    let range = range.as_sorted_char_range();
    byte_at(text, range.start.0)..byte_at(text, range.end.0)
}

/// The place of the caret, in bytes.
fn caret(ui: &Ui, id: Id, text: &str) -> Option<usize> {
    let range = TextEditState::load(ui.ctx(), id).and_then(|state| state.cursor.char_range())?;
    Some(byte_at(text, range.primary.index.0))
}

fn byte_at(text: &str, char: usize) -> usize {
    text.char_indices().nth(char).map_or(text.len(), |(at, _)| at)
}

/// Shows the text field itself.
fn text_ui(
    ui: &mut Ui,
    id: Id,
    text: &mut String,
    view: &CodeView,
    held: &mut EditorState,
    is_edited: bool,
) -> egui::text_edit::TextEditOutput {
    let theme = theme_of(ui.ctx());
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    let groups = groups(text);
    let at = caret(ui, id, text).filter(|_| has_focus);
    let partners = at.and_then(|at| group_at(&groups, at)).map(|group| group.parts.clone()).unwrap_or_default();
    let marks = Marks { mistake: view.mistake.map(|mistake| mistake.at), is_code: true, partners: &partners };
    let mut layouter = |ui: &Ui, text: &dyn egui::TextBuffer, wrap: f32| {
        let mut job = layout(text.as_str(), &marks, theme);
        job.wrap.max_width = if view.wraps { wrap } else { f32::INFINITY };
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let left = margin::width(text.lines().count() + 1, view.margin.is_some());
    let room = ui.available_width();
    let mut field = TextEdit::multiline(text)
        .id(id)
        .event_filter(EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true })
        .desired_rows(view.rows)
        .hint_text(egui::RichText::new(view.hint).color(theme.text_weak))
        .layouter(&mut layouter);
    let inner = egui::Margin { left: (left + 6.0) as i8, right: 6, top: 4, bottom: 4 };
    field = match view.wraps {
        true => field.desired_width(room).margin(inner),
        false => field.desired_width(room.max(held.width + 8.0)).frame(Frame::new().inner_margin(inner)),
    };
    let before = held.list.hold_focus(ui);
    let output = field.show(ui);
    popup::set_surrender(ui, before);
    let response = &output.response.response;
    response.ctx.accesskit_node_builder(response.id, |node| node.set_label(view.label.to_owned()));
    if is_edited && let Some(range) = output.state.cursor.char_range() {
        let caret = output.galley.pos_from_cursor(range.primary).translate(output.galley_pos.to_vec2());
        ui.scroll_to_rect(caret.expand(4.0), None);
    }
    output
}

/// Draws what is around the text: margin, values, the list of completions. Returns the line whose margin was clicked.
fn around_ui(
    ui: &mut Ui,
    id: Id,
    text: &mut String,
    view: &CodeView,
    held: &mut EditorState,
    output: &egui::text_edit::TextEditOutput,
) -> Option<usize> {
    let response = &output.response.response;
    let lines = Lines::of(&output.galley, output.galley_pos);
    let at = caret(ui, id, text);
    let line = at.filter(|_| response.has_focus()).map_or(0, |at| text[..at].matches('\n').count() + 1);
    let mut right = output.galley_pos.x + output.galley.size().x;
    if let Some(margin) = view.margin {
        margin.stopped.into_iter().for_each(|stopped| margin::stopped_ui(ui, &lines, stopped));
        right = right.max(margin::notes_ui(ui, id, &lines, margin));
    }
    let width = right - response.rect.left();
    if (width - held.width).abs() > 0.5 && !view.wraps {
        held.width = width;
        ui.ctx().request_repaint();
    }
    let left = margin::width(text.lines().count() + 1, view.margin.is_some());
    // It stays in view when the text is scrolled to the side.
    let start = if view.wraps { response.rect.left() + 1.0 } else { ui.clip_rect().left().max(response.rect.left()) };
    let bottom = if view.wraps { response.rect.bottom() - 1.0 } else { ui.clip_rect().bottom() };
    let rect = Rect::from_min_size(egui::pos2(start, response.rect.top() + 1.0), vec2(left, 0.0));
    let rect = rect.with_max_y(bottom.max(response.rect.bottom() - 1.0));
    let clicked = margin::numbers_ui(ui, id, rect, &lines, (view.margin, line));
    follow_typing(ui, id, text, view, &mut held.list, &held.text);
    // A completion that opens a bracket counts as typed.
    let opens = at.is_some_and(|at| text[..at].ends_with('('));
    held.arguments.follow(text, at.filter(|_| response.has_focus()), text.len() > held.text.len() || opens);
    let is_typed = text.len() == held.text.len() + 1 && response.has_focus();
    if let Some(edited) = at.filter(|_| is_typed).and_then(|at| edits::end_of_block(text, at)) {
        set(ui, id, text, edited);
        ui.ctx().request_repaint();
    }
    held.text.clone_from(text);
    if let Some(range) = output.state.cursor.char_range().filter(|_| response.has_focus()) {
        let caret = output.galley.pos_from_cursor(range.primary).translate(output.galley_pos.to_vec2());
        let caret = caret.intersect(ui.clip_rect().expand(8.0));
        let chosen = held.list.ui(response, caret);
        held.arguments.ui(response, caret, held.list.place());
        let typed = Typed { selection: 0..0, text };
        if let Some(edited) = chosen.and_then(|index| accepted(&typed, &held.list, index)) {
            set(ui, id, typed.text, edited);
            held.text.clone_from(typed.text);
            held.list.close();
            ui.ctx().request_repaint();
        }
    }
    clicked
}

/// The letters after which the list opens by itself.
const MIN_LETTERS: usize = 2;

/// Opens, updates and closes the list as the user types.
fn follow_typing(ui: &Ui, id: Id, text: &str, view: &CodeView, list: &mut List, before: &str) {
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    let Some(at) = caret(ui, id, text).filter(|_| has_focus) else { return list.close() };
    let is_typed = text.len() > before.len();
    let is_asked = list.is_meant && list.found.is_none();
    let is_moved =
        list.found.as_ref().is_some_and(|found| at < found.word.start || (at != found.word.end && text == before));
    if is_moved {
        return list.close();
    }
    if !list.is_open() && !is_typed && !is_asked {
        return;
    }
    let Some(found) = completions(text, at, view.parameters) else { return list.close() };
    let word = &text[found.word.clone()];
    if list.dismissed.as_deref().is_some_and(|dismissed| dismissed != word) {
        list.dismissed = None;
    }
    let is_wanted =
        is_asked || list.is_meant || (word.chars().count() >= MIN_LETTERS && !names_something(text, found.word.start));
    // A word that is complete, and is not the beginning of a statement, needs no list.
    let is_only = found.all.len() == 1 && found.all.first().is_some_and(|row| row.insert == word);
    if found.all.is_empty()
        || !is_wanted
        || is_only
        || list.dismissed.is_some()
        || word.is_empty() && !is_asked && !list.is_meant
    {
        return list.close();
    }
    list.show(found);
}

/// Whether a word at this place is a new name: in the first line of a function, or behind `persistent`.
fn names_something(text: &str, start: usize) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or_default().trim_start();
    line.starts_with("function ") || line.starts_with("persistent ")
}

/// The fill of an editor without a frame of its own.
pub fn fill(ui: &Ui) -> egui::Color32 {
    let theme = theme_of(ui.ctx());
    style::mix(theme.raised, theme.panel, 0.4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing panics, and places are within the text, whatever it is.
    #[test]
    fn no_text_breaks_it() {
        let pieces = [
            "if ",
            "end",
            "\n",
            "  ",
            "\t",
            "é",
            "π",
            "'",
            "\"",
            "%",
            "%{",
            "%}",
            "(",
            "]",
            "x",
            "=",
            "function ",
            ",",
            "...",
            "persistent ",
            "case",
            "1.",
            "é = 2",
            "[a, b] = ",
        ];
        let mut state = 11u64;
        let mut next = |count: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % count
        };
        for _ in 0..5000 {
            let text: String = (0..10).map(|_| pieces[next(pieces.len())]).collect();
            let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let (a, b) = (places[next(places.len())], places[next(places.len())]);
            let selection = a.min(b)..a.max(b);
            let all = groups(&text);
            group_at(&all, a);
            assert!(all.iter().flat_map(|group| &group.parts).all(|part| text.get(part.clone()).is_some()), "{text:?}");
            let found = completions(&text, a, Some(&["é".to_owned()]));
            assert!(found.is_none_or(|found| text.get(found.word).is_some()), "{text:?}");
            let edited = [
                edits::new_line(&text, selection.clone()),
                edits::indent(&text, selection.clone()),
                edits::outdent(&text, selection.clone()),
                edits::toggle_comment(&text, selection.clone()),
            ];
            for edited in edited.into_iter().chain(edits::end_of_block(&text, a)) {
                assert!(edited.text.get(edited.selection).is_some(), "{text:?}, {selection:?}");
            }
        }
    }
}
