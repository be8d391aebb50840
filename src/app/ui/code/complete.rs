//! The completions of a word of code: names of the function, functions of the language, keywords with their `end`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::edits::INDENT;
use crate::block::language::{CONSTANTS, FUNCTIONS, KEYWORDS, Word, words};

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    Input,
    Output,
    Parameter,
    Variable,
    Local,
    Keyword,
    Constant,
    Function,
}

impl Sort {
    pub fn text(self) -> &'static str {
        match self {
            Sort::Input => "input",
            Sort::Output => "output",
            Sort::Parameter => "parameter",
            Sort::Variable => "variable",
            Sort::Local => "local function",
            Sort::Keyword => "keyword",
            Sort::Constant => "constant",
            Sort::Function => "function",
        }
    }
}

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    pub name: String,
    pub sort: Sort,
    /// How it is written, and a line of help.
    pub signature: String,
    pub help: String,
    /// The inserted text, in which `\n` starts a line with the indentation of the present one, and the place of the
    /// caret behind it.
    pub insert: String,
    pub caret: usize,
}

/// The word at the caret, in bytes, with what it may become; the best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    pub word: Range<usize>,
    pub all: Vec<Completion>,
}

/// Returns the completions of the word that ends at the caret; none in comments, texts and numbers. `parameters` are the
/// arguments that have values, if they are known. An empty word has all completions.
pub fn completions(code: &str, caret: usize, parameters: Option<&[String]>) -> Option<Completions> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let before = code.get(..caret)?;
    let start = before.len() - before.chars().rev().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>();
    let word = &code[start..caret];
    let around = words(code).into_iter().find(|(range, _)| {
        let is_within = range.start < caret && caret <= range.end;
        is_within && (range.start < start || !word.is_empty())
    });
    if let Some((range, kind)) = around {
        // A text or a comment of a single line goes on up to its end.
        let is_closed = range.len() > 1 && code[..range.end].chars().next_back() == code[range.clone()].chars().next();
        let is_in_text = kind == Word::Text && !(is_closed && caret == range.end);
        if matches!(kind, Word::Comment | Word::Number) || is_in_text {
            return None;
        }
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let wanted = word.to_lowercase();
    let mut all: Vec<(usize, Completion)> = candidates(code, start..caret, parameters)
        .into_iter()
        .filter_map(|completion| {
            let name = completion.name.to_lowercase();
            let rank = match () {
                () if completion.name == word => 0,
                () if name.starts_with(&wanted) => 1,
                () if wanted.len() > 2 && name.contains(&wanted) => 2,
                () => return None,
            };
            Some((rank, completion))
        })
        .collect();
    all.sort_by(|(rank, a), (other, b)| (rank, a.sort, &a.name).cmp(&(other, b.sort, &b.name)));
    Some(Completions { word: start..caret, all: all.into_iter().map(|(_, completion)| completion).collect() })
}

fn candidates(code: &str, word: Range<usize>, parameters: Option<&[String]>) -> Vec<Completion> {
    let mut all: BTreeMap<String, Completion> = BTreeMap::new();
    for function in FUNCTIONS.iter().filter(|function| !function.is_keyword()) {
        let (signature, help) = function.doc.split_once(": ").unwrap_or((function.doc, ""));
        let is_constant = function.arguments().0 == 0;
        let insert = format!("{}{}", function.name, if is_constant { "" } else { "(" });
        add(&mut all, Sort::Function, function.name, signature, help, &insert);
    }
    for (name, help) in CONSTANTS {
        add(&mut all, Sort::Constant, name, name, help, name);
    }
    for (name, template, help) in KEYWORDS {
        let (before, after) = template.split_once('|').unwrap_or((template, ""));
        let insert = format!("{before}{after}").replace('\t', INDENT);
        let signature = insert.lines().next().unwrap_or(name).trim();
        let caret = before.replace('\t', INDENT).len();
        let (name, sort) = ((*name).to_owned(), Sort::Keyword);
        let completion = Completion {
            name: name.clone(),
            sort,
            signature: signature.to_owned(),
            help: (*help).to_owned(),
            insert,
            caret,
        };
        all.insert(name, completion);
    }
    let names = Names::of(code, word);
    for (name, head) in &names.functions {
        add(&mut all, Sort::Local, name, head, "A function of this code", &format!("{name}("));
    }
    for name in &names.set {
        add(&mut all, Sort::Variable, name, name, "A variable of this function", name);
    }
    for name in &names.outputs {
        add(&mut all, Sort::Output, name, name, "A result of this function", name);
    }
    for name in &names.inputs {
        let is_parameter = names.is_first && parameters.is_some_and(|known| known.contains(name));
        let (sort, help) = match (is_parameter, names.is_first && parameters.is_some()) {
            (true, _) => (Sort::Parameter, "A parameter of the block"),
            (false, true) => (Sort::Input, "An input of the block"),
            (false, false) => (Sort::Input, "An argument of this function"),
        };
        add(&mut all, sort, name, name, help, name);
    }
    if !names.has_head {
        for name in parameters.into_iter().flatten() {
            add(&mut all, Sort::Parameter, name, name, "A parameter of the block", name);
        }
    }
    all.into_values().collect()
}

fn add(all: &mut BTreeMap<String, Completion>, sort: Sort, name: &str, signature: &str, help: &str, insert: &str) {
    let [name, signature, help, insert] = [name, signature, help, insert].map(str::to_owned);
    let caret = insert.len();
    all.insert(name.clone(), Completion { name, sort, signature, help, insert, caret });
}

/// The names that a function of the code knows.
#[derive(Default)]
pub(super) struct Names {
    /// Whether it has a line `function`, and is the first function.
    has_head: bool,
    is_first: bool,
    inputs: Vec<String>,
    outputs: Vec<String>,
    set: Vec<String>,
    /// All functions with their heads, without `function`.
    pub functions: Vec<(String, String)>,
}

impl Names {
    /// Whether the function has a variable of this name.
    pub fn is_variable(&self, name: &str) -> bool {
        [&self.inputs, &self.outputs, &self.set].into_iter().flatten().any(|known| known == name)
    }

    /// Finds the names of the function in which a word is; the word itself is none of them.
    pub fn of(code: &str, word: Range<usize>) -> Names {
        let marked = words(code);
        let heads: Vec<usize> = marked
            .iter()
            .filter(|(range, kind)| *kind == Word::Keyword && &code[range.clone()] == "function")
            .map(|(range, _)| range.start)
            .collect();
        let own = heads.iter().rposition(|start| *start <= word.start);
        let mut names = Names { has_head: !heads.is_empty(), is_first: own.unwrap_or(0) == 0, ..Names::default() };
        for start in &heads {
            let head = code[*start..].lines().next().unwrap_or_default().trim_start_matches("function").trim();
            let head = head.split(['%', '#']).next().unwrap_or_default().trim();
            let called = head.split_once('=').map_or(head, |(_, called)| called).trim();
            let name = called.split('(').next().unwrap_or_default().trim();
            if !name.is_empty() {
                names.functions.push((name.to_owned(), called.to_owned()));
            }
        }
        let from = own.map_or(0, |own| heads[own]);
        let until = own.map_or(heads.first(), |own| heads.get(own + 1)).copied().unwrap_or(code.len());
        let part = Part { code, range: from..until, word, marked: &marked };
        let mut signs = part.signs();
        if own.is_some() {
            let line = from + code[from..].find('\n').unwrap_or(code.len() - from);
            let body = signs.iter().position(|sign| sign.start >= line).unwrap_or(signs.len());
            names.read_head(code, &signs[..body]);
            signs.drain(..body);
        }
        names.read_body(code, &signs);
        names
    }

    fn read_head(&mut self, code: &str, signs: &[Range<usize>]) {
        let equals = signs.iter().position(|sign| &code[sign.clone()] == "=");
        let names = |signs: &[Range<usize>]| -> Vec<String> {
            signs.iter().map(|sign| &code[sign.clone()]).filter(|text| is_name(text)).map(str::to_owned).collect()
        };
        if let Some(equals) = equals {
            self.outputs = names(&signs[..equals]);
        }
        let called = &signs[equals.map_or(0, |equals| equals + 1)..];
        self.inputs = names(called.get(1..).unwrap_or_default());
    }

    /// Finds the names that are set: before `=`, in brackets before `=`, behind `for` and `persistent`.
    fn read_body(&mut self, code: &str, signs: &[Range<usize>]) {
        let text = |index: usize| signs.get(index).map_or("", |sign| &code[sign.clone()]);
        let mut index = 0;
        while index < signs.len() {
            let is_start = index == 0 || matches!(text(index - 1), "\n" | ";" | "," | "for" | "parfor" | "persistent");
            match text(index) {
                "persistent" => {
                    let line = (index + 1..signs.len()).take_while(|at| !matches!(text(*at), "\n" | ";"));
                    let names: Vec<&str> = line.map(text).filter(|name| is_name(name)).collect();
                    names.into_iter().for_each(|name| self.set(name));
                }
                "[" if is_start => {
                    let end = (index..signs.len()).find(|at| matches!(text(*at), "]" | "\n"));
                    if let Some(end) = end.filter(|end| text(end + 1) == "=") {
                        let names: Vec<&str> = (index..end).map(text).filter(|name| is_name(name)).collect();
                        names.into_iter().for_each(|name| self.set(name));
                        index = end;
                    }
                }
                name if is_start && is_name(name) => {
                    let mut next = index + 1;
                    if text(next) == "(" {
                        // x(2) = …
                        next =
                            (next..signs.len()).find(|at| matches!(text(*at), ")" | "\n")).map_or(next, |end| end + 1);
                    }
                    if matches!(text(next), "=" | "+=" | "-=" | "*=" | "/=") {
                        self.set(name);
                    }
                }
                _ => {}
            }
            index += 1;
        }
    }

    fn set(&mut self, name: &str) {
        if !self.set.iter().any(|known| known == name) {
            self.set.push(name.to_owned());
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// A function of the code.
struct Part<'a> {
    code: &'a str,
    range: Range<usize>,
    /// The word that is typed, which is left out.
    word: Range<usize>,
    marked: &'a [(Range<usize>, Word)],
}

impl Part<'_> {
    /// Returns its names, signs and ends of lines, without comments, texts and numbers.
    fn signs(&self) -> Vec<Range<usize>> {
        let mut signs = Vec::new();
        let mut at = self.range.start;
        let first = at;
        let mut marked = self.marked.iter().skip_while(|(range, _)| range.end <= first).peekable();
        while at < self.range.end {
            if let Some((range, kind)) = marked.peek().filter(|(range, _)| range.start <= at) {
                let is_name = matches!(kind, Word::Keyword | Word::Function);
                if is_name && &self.code[range.clone()] != "function" {
                    signs.push(range.clone());
                }
                at = range.end;
                marked.next();
                continue;
            }
            let rest = &self.code[at..];
            let Some(first) = rest.chars().next() else { break };
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                c if is_part(c) => rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()),
                '=' | '~' | '<' | '>' | '!' | '+' | '-' | '*' | '/' if rest[1..].starts_with('=') => 2,
                c => c.len_utf8(),
            };
            let sign = at..at + length;
            let is_blank = first != '\n' && first.is_whitespace();
            if !is_blank && sign != self.word {
                signs.push(sign);
            }
            at += length;
        }
        signs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the completions at `|`.
    fn names(code: &str, parameters: &[&str]) -> Vec<(String, Sort)> {
        let caret = code.find('|').expect("a caret");
        let parameters: Vec<String> = parameters.iter().map(|name| (*name).to_owned()).collect();
        let found = completions(&code.replace('|', ""), caret, Some(&parameters));
        found.into_iter().flat_map(|found| found.all).map(|found| (found.name, found.sort)).collect()
    }

    fn first(code: &str, parameters: &[&str]) -> Option<(String, Sort)> {
        names(code, parameters).into_iter().next()
    }

    const PID: &str = "function [u, done] = pid(error_now, kp)\n  persistent total\n  [big, small] = split(total);\n  \
        for round = 1:3\n    gain(2) = kp; %comment\n  end\n  x = QUERY|;\nend\nfunction [a, b] = split(value)\n  hidden = 1;\nend";

    #[test]
    fn names_of_the_function_come_first() {
        let at = |query: &str| first(&PID.replace("QUERY", query), &["kp"]);
        let is = |name: &str, sort: Sort| Some((name.to_owned(), sort));
        assert_eq!(at("err"), is("error_now", Sort::Input));
        assert_eq!(at("k"), is("kp", Sort::Parameter));
        assert_eq!(at("do"), is("done", Sort::Output));
        assert_eq!(at("tot"), is("total", Sort::Variable));
        assert_eq!(at("sma"), is("small", Sort::Variable));
        assert_eq!(at("ro"), is("round", Sort::Variable));
        assert_eq!(at("ga"), is("gain", Sort::Variable));
        assert_eq!(at("sp"), is("split", Sort::Local));
        assert_eq!(at("cumpr"), is("cumprod", Sort::Function));
        assert_eq!(at("whil"), is("while", Sort::Keyword));
        // Of another function, in a comment, and as it is typed.
        assert_eq!(at("hid"), None);
        assert_eq!(at("comm"), None);
        assert_eq!(at("undefin"), None);
    }

    #[test]
    fn comments_texts_and_numbers_have_no_completions() {
        for code in ["% si|", "x = 'si|", "x = 1e|", "error(\"si|\")"] {
            assert_eq!(names(code, &[]), [], "{code}");
        }
        assert_eq!(first("x = si|", &[]), Some(("sign".to_owned(), Sort::Function)));
        assert!(names("x = |", &[]).len() > 100, "all of them for an empty word");
        assert_eq!(first("y = kap| * u", &["kappa"]), Some(("kappa".to_owned(), Sort::Parameter)));
    }

    #[test]
    fn keywords_come_with_their_end() {
        let found = completions("fo", 2, None).expect("completions");
        let row = found.all.first().expect("a row");
        assert_eq!((row.insert.as_str(), row.caret), ("for k = 1:\n  \nend", "for k = 1:".len()));
        let sine = completions("sin", 3, None).expect("completions").all.remove(0);
        assert_eq!((&*sine.signature, &*sine.help, &*sine.insert), ("sin(x)", "sine of x in radians", "sin("));
    }
}
