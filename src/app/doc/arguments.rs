//! The arguments of a block's code: which are parameters, how one becomes one, and which a change of the code renames.

use std::sync::Arc;

use crate::block::language::Program;
use crate::block::{ARGUMENT_LINES, BlockDef, ParamDef, with_assignment};
use crate::model::{Block, Change, Edit, Model, line_of, param_texts};

/// The new values of options; none removes an option.
pub type OptionTexts = Vec<(String, Option<Vec<String>>)>;

/// An argument of the function that the code of a block runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Parameter(&'static ParamDef),
    /// An input that a value of its own would make a parameter.
    Input(String),
}

/// Returns the arguments of a block's code, in their order. An argument that is called as an option of all blocks of the
/// kind is left out, since it cannot have a value.
pub fn arguments_of(block: &Block, def: &'static BlockDef) -> Vec<Argument> {
    let Some((code, default)) = def.code() else { return Vec::new() };
    let text = block.option_texts(code).map_or_else(|| default.to_owned(), |texts| texts.join("\n"));
    let known = |name: &String| def.param(name);
    let arguments = Program::signature(&text).0.into_iter().filter_map(|name| match known(&name) {
        Some(param) => param.is_argument.then_some(Argument::Parameter(param)),
        None => Some(Argument::Input(name)),
    });
    arguments.collect()
}

/// Whether the arguments with rows of their own are all that the lines of [`ARGUMENT_LINES`] hold.
pub fn lines_are_arguments(block: &Block, arguments: &[Argument]) -> bool {
    let text = block.option_texts(ARGUMENT_LINES).unwrap_or_default().join("\n");
    let is_argument = |name: &str| {
        arguments.iter().any(|argument| matches!(argument, Argument::Parameter(param) if param.name == name))
    };
    crate::block::assignments(&text).is_some_and(|lines| lines.iter().all(|(name, _)| is_argument(name)))
}

/// Returns the change that makes a parameter of an input; its wire goes.
pub fn made_parameter(model: &Model, block: &Block, name: &str, values: Vec<String>) -> Change {
    let wire = model.source(block.id, name).map(|_| Edit::Disconnect {
        model: Arc::clone(&model.name),
        to: block.id,
        input: name.into(),
    });
    let set = set_option(model, block, name, Some(values));
    let label = format!("Make {name} a parameter of {} {}", block.title(), block.id);
    Change::new(label, wire.into_iter().chain([set]).collect())
}

/// Returns the change that makes an input of a parameter again.
pub fn made_input(model: &Model, block: &Block, param: &ParamDef) -> Change {
    let own = block.option(param.name).map(|_| (param.name.to_owned(), None));
    let edits = own.into_iter().chain(without_line(block, param));
    let edits = edits.map(|(name, values)| set_option(model, block, &name, values));
    Change::new(format!("Make {} an input of {} {}", param.name, block.title(), block.id), edits.collect())
}

/// Returns the options that move the value of each parameter that a new text of the code only calls by another name.
pub fn renamed_arguments(block: &Block, def: &'static BlockDef, code: &str) -> OptionTexts {
    let Some((option, default)) = def.code() else { return Vec::new() };
    let before = block.option_texts(option).map_or_else(|| default.to_owned(), |texts| texts.join("\n"));
    let (before, after) = (Program::signature(&before).0, Program::signature(code).0);
    if before.len() != after.len() {
        return Vec::new();
    }
    let mut changed = OptionTexts::new();
    for (old, new) in before.iter().zip(&after) {
        let param = def.param(old).filter(|param| param.is_argument);
        let is_renamed = !after.contains(old) && !before.contains(new);
        let is_free = block.option(new).is_none() && def.param(new).is_none();
        let Some(param) = param.filter(|_| is_renamed && is_free) else { continue };
        changed.extend(block.option(old).map(|_| (old.clone(), None)));
        changed.extend(without_line(block, param));
        changed.push((new.clone(), Some(param_texts(block, param))));
    }
    changed
}

/// Returns the option with the lines of other arguments, if a parameter has a line.
fn without_line(block: &Block, param: &ParamDef) -> Option<(String, Option<Vec<String>>)> {
    line_of(block, param)?;
    let text = block.option_texts(ARGUMENT_LINES).unwrap_or_default().join("\n");
    let rest = with_assignment(&text, param.name, None)?;
    Some((ARGUMENT_LINES.to_owned(), (!rest.is_empty()).then(|| vec![rest])))
}

/// Returns the edits that set options.
pub fn edits_of(model: &Model, block: &Block, options: OptionTexts) -> impl Iterator<Item = Edit> {
    options.into_iter().map(|(name, values)| set_option(model, block, &name, values))
}

fn set_option(model: &Model, block: &Block, name: &str, values: Option<Vec<String>>) -> Edit {
    Edit::SetOption { model: Arc::clone(&model.name), id: block.id, name: name.into(), values }
}
