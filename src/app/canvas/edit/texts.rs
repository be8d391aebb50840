//! Texts that are edited in place: titles, names, main values, names of signals.

use std::sync::Arc;

use super::OpenModel;
use crate::app::canvas::overlay::EditTarget;
use crate::app::canvas::scene::{BlockView, Scene};
use crate::app::doc::typed::{number_texts, problem_text, question, wanted_of};
use crate::block::{Face, ParamDef, ParamKind, SettingError};
use crate::model::{
    Block, BlockId, BlockKind, Change, Connection, Edit, InputKey, Model, Simulation, in_scope, settings_of,
};

/// Returns the parameters that are typed, in the order in which a user sets them: the one on the block's face first.
/// Empty if that one is chosen from a list.
pub fn typed_params(block: &BlockView) -> Vec<&'static ParamDef> {
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

impl OpenModel<'_> {
    /// Returns the change that sets an edited text; None if it is the same.
    pub fn text_change(&self, what: &EditTarget, text: &str) -> Option<Change> {
        let OpenModel { model, scene, .. } = *self;
        match what {
            EditTarget::Title(id) => title_change(model, scene.block(*id)?, text.trim()),
            EditTarget::ModelName(id) => name_change(self.document.simulation, scene.block(*id)?, text.trim()),
            EditTarget::Value(id, param) => self.value_change((*id, *param), text),
            EditTarget::Signal(key) => signal_change(model, scene, key, text.trim()),
        }
    }

    /// Returns a block with a text as a parameter's values; None if the values do not change.
    fn with_value(
        &self,
        (id, param): (BlockId, usize),
        text: &str,
    ) -> Option<(&'static ParamDef, Vec<String>, Option<String>)> {
        let block = self.scene.block(id)?;
        let (param, def) = (typed_params(block).get(param).copied()?, block.def?);
        let before: Vec<String> = match block.block.option_texts(param.name) {
            Some(texts) => texts.into_iter().map(str::to_owned).collect(),
            None => param.default_texts(),
        };
        let problem = |texts: &[String]| {
            let mut changed = Block::clone(&block.block);
            changed.set_option(param.name, Some(texts));
            let is_here = |error: &SettingError| error.param == param.name;
            in_scope(self.document.simulation, self.path, self.model, |scope| {
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
            ParamKind::Text { .. } | ParamKind::Formula { .. } | ParamKind::Code { .. } => vec![text.to_owned()],
            _ => number_texts(text, wanted_of(param), &problem),
        };
        // A doubtful comma is a question, and is never guessed.
        let question = match param.kind {
            ParamKind::Number { .. } | ParamKind::Integer { .. } => question(text, wanted_of(param)),
            _ => None,
        };
        let problem = question.or_else(|| problem(&texts));
        (texts != before).then_some((param, texts, problem))
    }

    /// Returns why a text is not a valid value of a parameter.
    pub fn value_problem(&self, target: (BlockId, usize), text: &str) -> Option<String> {
        self.with_value(target, text)?.2
    }

    /// Returns the change that sets a value; None if the value does not change or nothing was typed.
    fn value_change(&self, (id, param): (BlockId, usize), text: &str) -> Option<Change> {
        let (param, texts, problem) = self.with_value((id, param), text)?;
        let is_doubtful = question(text, wanted_of(param)).is_some();
        if problem.is_some() && (text.trim().is_empty() || is_doubtful) {
            return None;
        }
        let title = self.scene.block(id)?.block.title();
        let edit =
            Edit::SetOption { model: Arc::clone(&self.model.name), id, name: param.name.into(), values: Some(texts) };
        Some(Change::one(format!("Set {} of {title} {id}", param.name), edit))
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
