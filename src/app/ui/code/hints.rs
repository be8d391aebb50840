//! The arguments of the call that is typed: a quiet line by the caret with the present one emphasised, and a line of help.

use std::ops::Range;

use eframe::egui::text::{LayoutJob, TextFormat};
use eframe::egui::{Align2, Area, Frame, Id, Label, Order, Rect, Response, RichText, Role, WidgetInfo, pos2};

use super::complete::Names;
use super::marks::font;
use crate::app::ui::style;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};
use crate::block::language::{FUNCTIONS, Word, words};

const WIDTH: f32 = 420.0;
/// The height of both lines with their frame.
const HEIGHT: f32 = 46.0;

/// The call around a place in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The place of its opening bracket, in bytes.
    pub open: usize,
    pub signature: String,
    /// The argument at the place, within the signature; none if there is no such argument.
    pub argument: Option<Range<usize>>,
    pub help: String,
}

/// The line that is shown.
#[derive(Clone, Debug, Default)]
pub struct Hint {
    call: Option<Call>,
    /// The bracket of the call whose hint the user has closed.
    dismissed: Option<usize>,
}

impl Hint {
    pub fn is_open(&self) -> bool {
        self.call.is_some()
    }

    pub fn close(&mut self) {
        *self = Hint::default();
    }

    /// Hides the line until another call is typed.
    pub fn dismiss(&mut self) {
        self.dismissed = self.call.take().map(|call| call.open);
    }

    /// Follows the caret; the line opens when a call is typed.
    pub fn follow(&mut self, code: &str, caret: Option<usize>, is_typed: bool) {
        let found = caret.and_then(|at| call_at(code, at));
        let Some(found) = found else { return self.close() };
        if self.dismissed != Some(found.open) {
            self.dismissed = None;
        }
        let is_same = self.call.as_ref().is_some_and(|call| call.open == found.open);
        self.call = Some(found).filter(|_| self.dismissed.is_none() && (is_same || is_typed));
    }

    /// Draws the line above the caret's, or below it where there is no room, apart from the list of completions.
    pub fn ui(&self, text: &Response, caret: Rect, list: Option<Rect>) {
        let Some(call) = &self.call else { return };
        let window = text.ctx.content_rect().shrink(4.0);
        let has_room = caret.top() - HEIGHT > window.top();
        let is_above = match list {
            Some(list) => list.top() > caret.top(),
            None => has_room,
        };
        let left = (caret.left() - 6.0).min(window.right() - WIDTH - 16.0).max(window.left());
        let (at, pivot) = match is_above && has_room {
            true => (pos2(left, caret.top() - 3.0), Align2::LEFT_BOTTOM),
            false => {
                let below = list.filter(|list| list.top() > caret.top()).map_or(caret.bottom(), |list| list.bottom());
                (pos2(left, below + 3.0), Align2::LEFT_TOP)
            }
        };
        let area = Area::new(Id::unique((text.id, "arguments"))).order(Order::Foreground).interactable(false);
        area.fixed_pos(at).pivot(pivot).show(&text.ctx, |ui| {
            Frame::popup(ui.style()).inner_margin(4).show(ui, |ui| {
                ui.set_max_width(WIDTH);
                ui.spacing_mut().item_spacing.y = 1.0;
                let line = ui.add(Label::new(call.job(theme_of(ui.ctx()))).truncate());
                line.widget_info(|| WidgetInfo::labeled(Role::Label, true, call.text()));
                let help = widgets::sentence(&call.help);
                let color = theme_of(ui.ctx()).text_weak;
                ui.add(Label::new(RichText::new(&help).size(TEXT_SMALL).color(color)).truncate());
            });
        });
    }
}

impl Call {
    /// The signature for screen readers: `atan2(y, x), at x`.
    fn text(&self) -> String {
        let argument = self.argument.clone().and_then(|range| self.signature.get(range));
        argument.map_or_else(|| self.signature.clone(), |argument| format!("{}, at {argument}", self.signature))
    }

    fn job(&self, theme: &crate::app::ui::theme::Theme) -> LayoutJob {
        let mut job = LayoutJob::default();
        let weak = TextFormat::simple(font(), theme.text_weak);
        let strong = TextFormat {
            underline: eframe::egui::Stroke::new(1.0, theme.accent),
            ..TextFormat::simple(font(), style::mix(theme.text, theme.accent, 0.25))
        };
        let range = self.argument.clone().unwrap_or(self.signature.len()..self.signature.len());
        job.append(&self.signature[..range.start], 0.0, weak.clone());
        job.append(&self.signature[range.clone()], 0.0, strong);
        job.append(&self.signature[range.end..], 0.0, weak);
        job
    }
}

/// A bracket that is open, with the name before it and the number of commas behind it.
struct Open {
    at: usize,
    is_round: bool,
    name: String,
    commas: usize,
}

/// Returns the innermost call of a function around a place; none in comments, and in the elements of a variable.
pub fn call_at(code: &str, caret: usize) -> Option<Call> {
    let names = Names::of(code, caret..caret);
    let open = open_brackets(code, caret)?;
    let named = open.iter().rev().find(|open| open.is_round && !open.name.is_empty())?;
    if names.is_variable(&named.name) || is_head(code, named.at) {
        return None;
    }
    let (signature, help) = match names.functions.iter().find(|(name, _)| *name == named.name) {
        Some((name, head)) => (head.clone(), own_help(code, name)),
        None => {
            let function = FUNCTIONS.iter().find(|function| function.name == named.name && !function.is_keyword())?;
            let (forms, help) = function.doc.split_once(": ").unwrap_or((function.doc, ""));
            (form_of(forms, named.commas), help.to_owned())
        }
    };
    let argument = argument_at(&signature, named.commas);
    Some(Call { open: named.at, signature, argument, help })
}

/// Returns the brackets that are open at a place; none in a comment or text.
fn open_brackets(code: &str, caret: usize) -> Option<Vec<Open>> {
    let marked = words(code);
    let mut marked = marked.iter().filter(|(_, word)| matches!(word, Word::Comment | Word::Text)).peekable();
    let (mut open, mut at): (Vec<Open>, usize) = (Vec::new(), 0);
    while at < caret {
        if let Some((range, word)) = marked.next_if(|(range, _)| range.start <= at) {
            if caret < range.end || (caret == range.end && *word == Word::Comment) {
                return (*word == Word::Text).then_some(open);
            }
            at = range.end.max(at);
            continue;
        }
        let Some(letter) = code[at..].chars().next() else { break };
        match letter {
            '(' | '[' | '{' => {
                let before = &code[..at];
                let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                open.push(Open { at, is_round: letter == '(', name: name.to_owned(), commas: 0 });
            }
            ')' | ']' | '}' => drop(open.pop()),
            ',' => open.last_mut().into_iter().for_each(|open| open.commas += 1),
            // A statement ends here, unless the line goes on.
            '\n' if open.last().is_some_and(|open| open.is_round) && !goes_on(&code[..at]) => open.clear(),
            _ => {}
        }
        at += letter.len_utf8();
    }
    Some(open)
}

/// Whether the last line of a text ends with `...`, with or without a comment.
fn goes_on(text: &str) -> bool {
    text.rsplit('\n').next().is_some_and(|line| line.contains("..."))
}

/// Whether a bracket is that of a line `function`.
fn is_head(code: &str, at: usize) -> bool {
    code[..at].rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("function "))
}

/// Returns the first of several forms, `norm(v), norm(v, 1)`, that has an argument behind this number of commas; else the
/// one with the most arguments.
fn form_of(forms: &str, commas: usize) -> String {
    let mut all: Vec<&str> = Vec::new();
    let mut rest = forms;
    while let Some(end) = rest.find(')') {
        all.push(rest[..=end].trim_start_matches([',', ' ']));
        rest = &rest[end + 1..];
    }
    let has = |form: &&&str| argument_at(form, commas).is_some();
    let most = || all.iter().max_by_key(|form| form.matches(',').count());
    all.iter().find(has).or_else(most).map_or_else(|| forms.to_owned(), |form| (*form).to_owned())
}

/// Returns the argument behind this number of commas. The last one of `max(a, b, …)` stands for all others.
fn argument_at(signature: &str, commas: usize) -> Option<Range<usize>> {
    let (open, close) = (signature.find('(')? + 1, signature.rfind(')')?);
    let inside = signature.get(open..close)?;
    let mut start = open;
    for (number, part) in inside.split(',').enumerate() {
        let blank = part.len() - part.trim_start().len();
        let range = start + blank..start + part.trim_end().len().max(blank);
        if !range.is_empty() && (number == commas || part.trim() == "…") {
            return Some(range);
        }
        start += part.len() + 1;
    }
    None
}

/// Returns the help of a function of the code: its first line of comment, behind its head or before it.
fn own_help(code: &str, name: &str) -> String {
    let lines: Vec<&str> = code.lines().collect();
    let is_own = |line: &&str| {
        let head = line.trim_start().strip_prefix("function").unwrap_or_default();
        head.split(['=', '(', ' ', '%', '#']).any(|word| word == name)
    };
    let head = lines.iter().position(is_own);
    let comment = |line: Option<&&str>| {
        let line = line?.trim_start();
        let text = line.strip_prefix(['%', '#'])?.trim_start_matches(['%', '#']).trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let found = head.and_then(|head| {
        comment(lines.get(head + 1)).or_else(|| comment(head.checked_sub(1).and_then(|before| lines.get(before))))
    });
    found.unwrap_or_else(|| "A function of this code".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the signature at `|`, with the argument in brackets, and the help.
    fn hint(code: &str) -> Option<(String, String)> {
        let caret = code.find('|').expect("a place");
        let call = call_at(&code.replacen('|', "", 1), caret)?;
        let mut text = call.signature.clone();
        if let Some(range) = call.argument {
            text.insert(range.end, '>');
            text.insert(range.start, '<');
        }
        Some((text, call.help))
    }

    fn line(code: &str) -> Option<String> {
        hint(code).map(|(line, _)| line)
    }

    #[test]
    fn the_argument_at_the_caret_is_marked() {
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(line("y = atan2(|"), is("atan2(<y>, x)"));
        assert_eq!(line("y = atan2(a, |)"), is("atan2(y, <x>)"));
        assert_eq!(line("y = atan2(a, b, |)"), is("atan2(y, x)"));
        assert_eq!(line("y = max(a, b, c, |)"), is("max(a, b, <…>)"));
        assert_eq!(line("y = norm(v, |)"), is("norm(v, <1>)"));
        assert_eq!(line("y = interp1(x, v, q, |)"), is("interp1(x, v, xq)"));
        // The innermost call, also around brackets and within a matrix.
        assert_eq!(line("y = atan2(sin(|), 1)"), is("sin(<x>)"));
        assert_eq!(line("y = atan2(sin(1), |1)"), is("atan2(y, <x>)"));
        assert_eq!(line("y = atan2([1, 2, |], 1)"), is("atan2(<y>, x)"));
        assert_eq!(line("y = atan2((a + |), 1)"), is("atan2(<y>, x)"));
        assert_eq!(line("y = atan2(a, ... here\n |b)"), is("atan2(y, <x>)"));
        assert_eq!(line("y = strcmp('a,(', |"), is("strcmp(a, <b>)"));
    }

    #[test]
    fn elements_heads_and_comments_have_no_hint() {
        for code in [
            "y = |sin(x)",
            "y = sin(x)|",
            "sin = u;\ny = sin(|",
            "function y = max(|",
            "% sin(|",
            "y = sin(1\nz = |",
            "y = (a + |",
            "y = nothing(|",
            "|",
            "y = [1, |",
        ] {
            assert_eq!(line(code), None, "{code}");
        }
    }

    #[test]
    fn functions_of_the_code_have_their_comment() {
        let code = "function y = f(u)\n  y = turn(u, |);\nend\n\nfunction [z, w] = turn(v, angle)\n% Turns a vector.\n  z = v;\nend";
        let (line, help) = hint(code).expect("a hint");
        assert_eq!((&*line, &*help), ("turn(v, <angle>)", "Turns a vector."));
        let (_, help) = hint("function y = f(u)\n  y = g(|);\nend\n% Doubles.\nfunction z = g(v)\n  z = 2 * v;\nend")
            .expect("a hint");
        assert_eq!(help, "Doubles.");
        let (_, help) =
            hint("function y = f(u)\n  y = g(|);\nend\nfunction z = g(v)\n  z = 2 * v;\nend").expect("a hint");
        assert_eq!(help, "A function of this code");
    }
}
