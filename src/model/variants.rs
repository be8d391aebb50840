//! Variants: the models that a model block may be an instance of. Conditions choose one before the run.
//!
//! The attribute `variants` of a `<model>` tag lists them, as `Linear if mode == 1; "A; B" if mode == 2; Nonlinear`. The
//! first whose condition is not 0 is chosen; one without a condition always holds. A name with a semicolon, a bracket, a
//! quotation mark or the word “if” is quoted, and quotation marks in it are doubled. The attribute `model` names the
//! chosen model, so that a program that knows no variants runs that one.
//!
//! This file reads and writes the list; [`super::chosen`] evaluates conditions.

use std::sync::Arc;

use super::{Block, BlockKind};

/// A model that a block may be an instance of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    pub model: Arc<str>,
    /// An expression in the variables of the simulation; empty if it always holds.
    pub condition: Arc<str>,
}

/// The reason why a text is not a list of variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariantError {
    #[error("a quotation mark is missing")]
    Unclosed,
    #[error("“{0}” has no condition after “if”")]
    NoCondition(String),
    #[error("expected “if” after “{0}”")]
    NoIf(String),
    #[error("a model name is missing")]
    NoName,
}

impl Variant {
    /// The attribute of a model block that lists its variants.
    pub const ATTRIBUTE: &str = "variants";

    /// Reads a list of variants; empty parts are left out.
    ///
    /// # Errors
    /// Fails if a name or a condition is missing, or a quotation mark.
    pub fn parse_list(text: &str) -> Result<Vec<Variant>, VariantError> {
        let mut variants = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (name, behind) = match rest.strip_prefix('"') {
                Some(quoted) => {
                    let (name, behind) = unquoted(quoted).ok_or(VariantError::Unclosed)?;
                    (name, behind.trim_start())
                }
                None => {
                    let end = rest.find(';').unwrap_or(rest.len());
                    let end = word_if(&rest[..end]).unwrap_or(end);
                    (rest[..end].trim_end().to_owned(), &rest[end..])
                }
            };
            let end = end_of_condition(behind);
            let (condition, behind) = (behind[..end].trim(), behind[end..].trim_start_matches(';').trim_start());
            let condition = match condition.strip_prefix("if") {
                Some(condition) if condition.trim().is_empty() => return Err(VariantError::NoCondition(name)),
                Some(condition) => condition.trim(),
                None if condition.is_empty() => "",
                None => return Err(VariantError::NoIf(name)),
            };
            match (name.is_empty(), condition.is_empty()) {
                (true, true) => {}
                (true, false) => return Err(VariantError::NoName),
                (false, _) => variants.push(Variant { model: name.into(), condition: condition.into() }),
            }
            rest = behind;
        }
        Ok(variants)
    }

    /// Writes a list of variants, which [`Variant::parse_list`] reads back.
    pub fn list_text(variants: &[Variant]) -> String {
        let text = |Variant { model, condition }: &Variant| {
            let is_plain = !model.contains([';', '"', '(', '[', '{']) && model.trim() == &**model && !model.is_empty();
            let name = match is_plain && word_if(&format!("{model} ")).is_none() {
                true => model.to_string(),
                false => format!("\"{}\"", model.replace('"', "\"\"")),
            };
            if condition.is_empty() { name } else { format!("{name} if {condition}") }
        };
        variants.iter().map(text).collect::<Vec<_>>().join("; ")
    }
}

impl Block {
    /// Returns the variants of a model block; empty if it is an instance of one model.
    ///
    /// # Errors
    /// Fails if the attribute cannot be read.
    pub fn variants(&self) -> Result<Vec<Variant>, VariantError> {
        match (&self.kind, self.attributes.get(Variant::ATTRIBUTE)) {
            (BlockKind::Model { .. }, Some(text)) => Variant::parse_list(text),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the models that it may be an instance of, the current one first; empty if it is not a model block.
    pub fn models(&self) -> Vec<Arc<str>> {
        let BlockKind::Model { model } = &self.kind else { return Vec::new() };
        let mut models = vec![Arc::clone(model)];
        for variant in self.variants().unwrap_or_default() {
            if !models.contains(&variant.model) {
                models.push(variant.model);
            }
        }
        models
    }

    /// Renames the models that it may be an instance of and for which `renamed` returns another name, all at once.
    pub fn rename_models(&mut self, renamed: impl Fn(&str) -> Option<Arc<str>>) {
        let variants = self.variants().unwrap_or_default();
        if let BlockKind::Model { model } = &mut self.kind {
            *model = renamed(model).unwrap_or_else(|| Arc::clone(model));
        }
        if variants.iter().any(|variant| renamed(&variant.model).is_some()) {
            let new = |variant: &Variant| Variant {
                model: renamed(&variant.model).unwrap_or_else(|| Arc::clone(&variant.model)),
                condition: Arc::clone(&variant.condition),
            };
            let variants: Vec<Variant> = variants.iter().map(new).collect();
            self.attributes.set(Variant::ATTRIBUTE, &Variant::list_text(&variants));
        }
    }
}

/// Returns the text up to the closing quotation mark, and the text after it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('"')?;
        name.push_str(before);
        match behind.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, behind)),
        }
    }
}

/// Returns the index of the word “if” with space around it, or at the end.
fn word_if(text: &str) -> Option<usize> {
    let is_word = |at: &usize| {
        let (before, behind) = (text[..*at].chars().next_back(), text[at + 2..].chars().next());
        before.is_some_and(char::is_whitespace) && behind.is_none_or(char::is_whitespace)
    };
    text.match_indices("if").map(|(at, _)| at).find(is_word)
}

/// Returns the index of the semicolon that ends a condition: one outside brackets.
fn end_of_condition(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(parts: &[(&str, &str)]) -> Vec<Variant> {
        parts
            .iter()
            .map(|(model, condition)| Variant { model: (*model).into(), condition: (*condition).into() })
            .collect()
    }

    #[test]
    fn lists_are_read() {
        let read = |text: &str| Variant::parse_list(text);
        assert_eq!(
            read("A if mode == 1; B b  if [1;2](1) > k ;C"),
            Ok(list(&[("A", "mode == 1"), ("B b", "[1;2](1) > k"), ("C", "")]))
        );
        assert_eq!(read("\"x; \"\"if\"\" y\" if k; ; Z"), Ok(list(&[("x; \"if\" y", "k"), ("Z", "")])));
        assert_eq!(read("  "), Ok(Vec::new()));
        assert_eq!(read("\"A"), Err(VariantError::Unclosed));
        assert_eq!(read("A if ; B"), Err(VariantError::NoCondition("A".to_owned())));
        assert_eq!(read("\"A\" when k"), Err(VariantError::NoIf("A".to_owned())));
        assert_eq!(read("\"\" if k"), Err(VariantError::NoName));
    }

    #[test]
    fn lists_are_read_back_as_written() {
        let names = [
            "A",
            "two words",
            "if",
            "a if b",
            "a if",
            "x;y",
            " s ",
            "\"",
            "\"\"",
            "ünï",
            "f(x)",
            "[",
            "iffy if-then",
            "verify",
        ];
        for name in names {
            for condition in ["", "k", "mode == 1 && (a > 2)", "[1;2](1)"] {
                let variants = list(&[("First", "k"), (name, condition), ("Last", "")]);
                let text = Variant::list_text(&variants);
                assert_eq!(Variant::parse_list(&text), Ok(variants), "{text}");
            }
        }
    }
}
