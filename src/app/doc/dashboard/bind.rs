//! The parameters and signals to which widgets can be bound, and their values.

use std::sync::Arc;

use super::{Binding, ParamKey, Widget};
use crate::app::doc::plots::{SignalNames, name_of};
use crate::app::doc::typed;
use crate::block::{ParamDef, ParamKind, Registry, parse_number};
use crate::model::{
    Block, BlockAddress, BlockId, BlockKind, Change, Edit, Model, SignalKey, Simulation, block_ports, definition_of,
    model_at, param_texts,
};

/// A named binding that a widget can have.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub binding: Binding,
    /// The displayed name, with the block's.
    pub name: String,
    /// The same where the block is known: of a parameter only its own name.
    pub name_in_block: String,
}

/// Whether widgets of a kind are bound to parameters or to signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    Params,
    Signals,
}

/// Maximum number of candidates in a list.
const MAX_CANDIDATES: usize = 20_000;

/// Returns all numeric parameters, or all signals, under the root.
pub fn candidates(
    (simulation, registry): (&Simulation, &Registry),
    wanted: BindingKind,
    names: SignalNames,
) -> Vec<Candidate> {
    let mut list = CandidateList { simulation, registry, names, found: Vec::new() };
    if let Some(root) = simulation.root_model() {
        list.collect(root, wanted, &mut Vec::new());
    }
    list.found
}

/// The candidates found so far, and the simulation that is searched.
struct CandidateList<'a> {
    simulation: &'a Simulation,
    registry: &'a Registry,
    names: SignalNames<'a>,
    found: Vec<Candidate>,
}

impl CandidateList<'_> {
    fn collect(&mut self, model: &Model, wanted: BindingKind, path: &mut Vec<BlockId>) {
        let mut blocks: Vec<_> = model.blocks.values().collect();
        blocks.sort_by_key(|block| block.seq);
        for block in blocks {
            if self.found.len() >= MAX_CANDIDATES {
                return;
            }
            match wanted {
                BindingKind::Params => self.params_of(block, path),
                BindingKind::Signals => self.signals_of(model, block, path),
            }
            if let BlockKind::Model { model } = &block.kind
                && let Some(inner) = self.simulation.model(model)
                && path.len() < 32
            {
                path.push(block.id);
                self.collect(inner, wanted, path);
                path.pop();
            }
        }
    }

    fn signals_of(&mut self, model: &Model, block: &Block, path: &[BlockId]) {
        let ports = block_ports(self.simulation, self.registry, model, block);
        let is_exit = matches!(block.kind, BlockKind::Exit { .. });
        let outputs = if is_exit && path.is_empty() { ports.inputs } else { ports.outputs };
        for output in outputs {
            let signal = SignalKey::new(path, block.id, &output);
            let name = (self.names)(&signal);
            self.found.push(Candidate { name_in_block: name.clone(), name, binding: Binding::Signal(signal) });
        }
    }
}

/// Returns the bindings that a widget beside the block at the end of a path can have.
pub fn candidates_of_block(
    (simulation, registry): (&Simulation, &Registry),
    (path, id): (&[BlockId], BlockId),
    wanted: BindingKind,
    names: SignalNames,
) -> Vec<Candidate> {
    let mut list = CandidateList { simulation, registry, names, found: Vec::new() };
    if let Some((model, block)) = model_at(simulation, path).and_then(|model| Some((model, model.block(id)?))) {
        match wanted {
            BindingKind::Params => list.params_of(block, path),
            // The value of an exit has a name of its own only in the root.
            BindingKind::Signals if matches!(block.kind, BlockKind::Exit { .. }) => {}
            BindingKind::Signals => list.signals_of(model, block, path),
        }
    }
    list.found
}

/// Maximum number of vector elements that are listed one by one.
const ELEMENTS: usize = 64;

impl CandidateList<'_> {
    fn params_of(&mut self, block: &Block, path: &[BlockId]) {
        let Some(def) = definition_of(self.registry, block) else { return };
        for param in def.params {
            let is_number =
                matches!(param.kind, ParamKind::Number { .. } | ParamKind::Integer { .. } | ParamKind::Flag { .. });
            if !is_number {
                continue;
            }
            let texts = param_texts(block, param);
            let block_name = (self.names)(&SignalKey::new(path, block.id, crate::model::BlockPorts::OUTPUT));
            for element in 0..texts.len().clamp(1, ELEMENTS) {
                let key = ParamKey { element, ..ParamKey::new(path, block.id, param.name) };
                let name_in_block = match texts.len() {
                    0 | 1 => param.name.to_owned(),
                    _ => format!("{}[{element}]", param.name),
                };
                let name = format!("{block_name} · {name_in_block}");
                self.found.push(Candidate { name, name_in_block, binding: Binding::Param(key) });
            }
        }
    }
}

impl Binding {
    /// Returns the displayed name.
    pub fn name(&self, simulation: &Simulation, names: SignalNames) -> String {
        match self {
            Binding::Param(param) => name_of_param(simulation, param, names),
            Binding::Signal(signal) => names(signal),
        }
    }

    /// Returns the bound block, and the path to it.
    pub fn target(&self) -> (&[BlockId], BlockId) {
        match self {
            Binding::Param(param) => (&param.of.block.path, param.of.block.block),
            Binding::Signal(signal) => (&signal.path, signal.block),
        }
    }
}

fn name_of_param(simulation: &Simulation, param: &ParamKey, names: SignalNames) -> String {
    let BlockAddress { path, block } = &param.of.block;
    let own = param.of.block.find(simulation).and_then(|block| block.option_texts(&param.of.name));
    let block = names(&SignalKey::new(path, *block, crate::model::BlockPorts::OUTPUT));
    match (param.element, own.map_or(1, |texts| texts.len())) {
        (0, 0 | 1) => format!("{block} · {}", param.of.name),
        (element, _) => format!("{block} · {}[{element}]", param.of.name),
    }
}

/// Returns the block of a parameter, and the parameter's definition.
fn found<'a>(
    simulation: &'a Simulation,
    registry: &Registry,
    param: &ParamKey,
) -> Option<(&'a Arc<Model>, &'a Block, &'static ParamDef)> {
    let model = model_at(simulation, &param.of.block.path)?;
    let block = model.block(param.of.block.block)?;
    Some((model, block, definition_of(registry, block)?.params.iter().find(|known| known.name == param.of.name)?))
}

/// Returns the numeric value of a parameter in the document; None for an expression or a missing block.
pub fn number_of(simulation: &Simulation, registry: &Registry, param: &ParamKey) -> Option<f64> {
    let (_, block, known) = found(simulation, registry, param)?;
    match param_texts(block, known).get(param.element)?.as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        text => parse_number(text).ok(),
    }
}

/// Returns the text of the whole parameter in the document.
pub fn text_of_param(simulation: &Simulation, registry: &Registry, param: &ParamKey) -> Option<String> {
    let (_, block, known) = found(simulation, registry, param)?;
    Some(param_texts(block, known).join(" "))
}

/// Returns the change that sets a number of a parameter. Other elements of a vector are kept.
pub fn set_param(simulation: &Simulation, registry: &Registry, param: &ParamKey, value: f64) -> Option<Change> {
    let (model, block, known) = found(simulation, registry, param)?;
    let mut texts = param_texts(block, known);
    let text = value.to_string();
    match texts.get_mut(param.element) {
        Some(own) if *own == text => return None,
        Some(own) => *own = text,
        None if param.element == 0 => texts.push(text),
        None => return None,
    }
    Some(option_change(simulation, model, param, texts))
}

/// Returns the change that sets the text of a parameter.
pub fn set_param_text(simulation: &Simulation, registry: &Registry, param: &ParamKey, text: &str) -> Option<Change> {
    let (model, block, known) = found(simulation, registry, param)?;
    let texts = typed::split(text);
    (!texts.is_empty() && param_texts(block, known) != texts).then(|| option_change(simulation, model, param, texts))
}

fn option_change(simulation: &Simulation, model: &Model, param: &ParamKey, texts: Vec<String>) -> Change {
    let edit = Edit::SetOption {
        model: Arc::clone(&model.name),
        id: param.of.block.block,
        name: param.of.name.as_str().into(),
        values: Some(texts),
    };
    Change::one(format!("Set {}", name_of_param(simulation, param, &|signal| name_of(simulation, signal))), edit)
}

/// Returns the limits of a parameter; any number without them.
pub fn limits_of_param(simulation: &Simulation, registry: &Registry, param: &ParamKey) -> (f64, f64) {
    match found(simulation, registry, param).map(|(_, _, known)| known.kind) {
        Some(ParamKind::Number { min, max, .. }) => (min, max),
        Some(ParamKind::Integer { min, max, .. }) => (min as f64, max as f64),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Returns the widget with a scale that fits its binding: a parameter's limits or value, or the range of a signal so
/// far.
pub fn with_scale_of(
    mut widget: Widget,
    simulation: &Simulation,
    registry: &Registry,
    extent: Option<(f64, f64)>,
) -> Widget {
    let range = match &widget.binding {
        Some(Binding::Param(param)) => {
            let limits = match found(simulation, registry, param) {
                Some((_, _, known)) if !matches!(known.kind, ParamKind::Flag { .. }) => {
                    limits_of_param(simulation, registry, param)
                }
                _ => (0.0, 1.0),
            };
            let value = number_of(simulation, registry, param).unwrap_or(0.0);
            // Limits far from the value only reject mistakes and make no useful scale.
            let is_near =
                limits.0.is_finite() && limits.1.is_finite() && limits.1 - limits.0 <= 20.0 * value.abs().max(1.0);
            let twice = 2.0 * if value == 0.0 { 5.0 } else { value };
            Some(if is_near { limits } else { (twice.min(0.0).max(limits.0), twice.max(0.0).min(limits.1)) })
        }
        _ => extent,
    };
    if let Some((low, high)) = range.filter(|(low, high)| low < high && (high - low).is_finite()) {
        // Rounded outwards.
        let unit = 10_f64.powf((high - low).log10().floor()) / 2.0;
        let round = |value: f64| if unit < 1.0 { value / (1.0 / unit).round() } else { value * unit };
        (widget.low, widget.high) = (round((low / unit).floor()), round((high / unit).ceil()));
    }
    widget
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::doc::dashboard::WidgetKind;

    fn simulation() -> Simulation {
        let mut model = Model::new("Main");
        let values = ["1", "2*3", "-4"];
        model.add_block(Block::new(BlockId(1), BlockKind::library("Var", "Static")).with_option("Value", &values));
        let mut simulation = Simulation::default();
        simulation.root = "Main".into();
        simulation.add_model(model);
        simulation
    }

    #[test]
    fn each_number_of_a_vector_is_set_by_itself() {
        let (mut simulation, registry) = (simulation(), Registry::standard());
        let key = |element| ParamKey { element, ..ParamKey::new(&[], BlockId(1), "Value") };
        let numbers = |simulation: &Simulation| [0, 1, 2, 3].map(|n| number_of(simulation, &registry, &key(n)));
        assert_eq!(numbers(&simulation), [Some(1.0), None, Some(-4.0), None]);
        let change = set_param(&simulation, &registry, &key(2), 0.5).expect("a change");
        simulation = change.applied(&simulation, &registry).expect("it is there");
        assert_eq!(numbers(&simulation), [Some(1.0), None, Some(0.5), None], "what stands beside it stays");
        assert_eq!(text_of_param(&simulation, &registry, &key(0)).as_deref(), Some("1 2*3 0.5"));
        assert!(set_param(&simulation, &registry, &key(2), 0.5).is_none(), "nothing is to be done");
        assert!(set_param(&simulation, &registry, &key(3), 0.5).is_none(), "there is no such number");
        let names: Vec<String> =
            candidates((&simulation, &registry), BindingKind::Params, &|signal| name_of(&simulation, signal))
                .into_iter()
                .map(|one| one.name)
                .collect();
        assert!(names.contains(&"Constant · Value[2]".to_owned()), "{names:?}");
    }

    #[test]
    fn scales_have_room_for_what_they_show() {
        let (simulation, registry) = (simulation(), Registry::standard());
        let scale = |binding, extent| {
            let widget = Widget { binding: Some(binding), ..Widget::new(WidgetKind::Gauge, 0.0, 0.0) };
            let widget = with_scale_of(widget, &simulation, &registry, extent);
            (widget.low, widget.high)
        };
        let key = |element| ParamKey { element, ..ParamKey::new(&[], BlockId(1), "Value") };
        assert_eq!(scale(Binding::Param(key(0)), None), (0.0, 2.0));
        assert_eq!(scale(Binding::Param(key(2)), None), (-8.0, 0.0));
        let signal = || Binding::Signal(SignalKey::new(&[], BlockId(1), "Output"));
        assert_eq!(scale(signal(), Some((-0.03, 1.13))), (-0.5, 1.5));
        assert_eq!(scale(signal(), None), (0.0, 10.0));
    }
}
