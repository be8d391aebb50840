//! The names of variables in the texts of parameters.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Block;
use crate::block::language::{Expression, Formula};
use crate::block::{FORMULA_TIME, ParamKind, Registry, names_in};

/// Returns the distinct names in an expression or formula; none if the text is neither.
pub(super) fn variables_in(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // Most values are plain numbers.
    if !text.contains(|c: char| c.is_alphabetic() || c == '_') {
        return names;
    }
    // Brackets around a vector or matrix may be omitted.
    let expression = Expression::parse(text).or_else(|_| Expression::parse(&format!("[{text}]")));
    if let Ok(expression) = expression {
        expression.each_name(&mut |name, _| {
            names.insert(name.to_owned());
        });
    } else if let Ok(formula) = Formula::parse(text) {
        names.extend(formula.free_names().into_iter().map(|(name, _)| name.to_owned()));
    }
    names
}

/// An option of a block in which names are variables.
pub(super) struct ExpressionOption {
    pub option: Arc<str>,
    /// The names of variables that the option uses.
    pub names: BTreeSet<String>,
}

/// Returns the options of a block in which names are variables: numbers, formulas, and the parameters of instances. Texts,
/// tags, code and choices hold none. A block that is not in the registry may use variables in each of its options.
pub(super) fn options_with_names(block: &Block, registry: &Registry) -> Vec<ExpressionOption> {
    let def = super::definition_of(registry, block);
    let mut found = Vec::new();
    for option in block.options() {
        let mut names: BTreeSet<String> = option.texts().flat_map(variables_in).collect();
        if names.is_empty() {
            continue;
        }
        match def.and_then(|def| def.param(&option.name)).map(|param| &param.kind) {
            None | Some(ParamKind::Number { .. } | ParamKind::Integer { .. }) => {}
            Some(ParamKind::Formula { inputs, .. }) => {
                let of_block = block.option_texts(inputs).unwrap_or_default().join(" ");
                let defaults = match of_block.is_empty() {
                    true => def.and_then(|def| def.param(inputs)).map(|param| param.default_texts().join(" ")),
                    false => None,
                };
                let given = defaults.unwrap_or(of_block);
                names_in(&given).chain(FORMULA_TIME).for_each(|name| {
                    names.remove(name);
                });
            }
            Some(
                ParamKind::Choice { .. }
                | ParamKind::Flag { .. }
                | ParamKind::Text { .. }
                | ParamKind::Tag { .. }
                | ParamKind::File { .. }
                | ParamKind::Code { .. },
            ) => continue,
        }
        if !names.is_empty() {
            found.push(ExpressionOption { option: Arc::clone(&option.name), names });
        }
    }
    found
}

/// Returns the text with each whole word replaced for which `replaced` returns another. A number such as `1e5` counts as
/// one word.
pub(super) fn with_names_replaced(text: &str, replaced: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(length);
        match replaced(word) {
            Some(other) => result.push_str(&other),
            None => result.push_str(word),
        }
        rest = behind;
    }
    result
}
