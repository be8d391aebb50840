//! Blocks with a system inside: subsystems, variants, code and charts.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::super::report::Class;
use super::super::script;
use super::super::source::{Block as Foreign, Chart, Mask, Source, System};
use super::super::values::{Workspace, rewrite, variable_name};
use super::block::{Cx, short};
use super::child::{Child, Place};
use super::made::{Control, Ends, Made};
use super::names::clean;
use super::state::{Frame, MAX_DEPTH};
use crate::block::language::Matrix;
use crate::model::{Block, BlockId, BlockKind, Variable, Variant};

/// The kinds of blocks whose inside is code or a state machine.
const CHARTS: [&str; 3] = ["Chart", "State Transition Table", "Truth Table"];

pub fn subsystem(cx: &mut Cx) -> Result<Made, String> {
    let kind = cx.text("SFBlockType").to_owned();
    if kind == "MATLAB Function" || cx.chart().is_some_and(|chart| !chart.code.is_empty()) && !CHARTS.contains(&&*kind)
    {
        return super::code::matlab_function(cx);
    }
    if CHARTS.contains(&&*kind) {
        keep_inside(cx);
        return Err(format!("it is a state machine ({kind}), which has no counterpart yet; its chart is kept"));
    }
    if let Some(name) = cx.raw("ReferencedSubsystem").filter(|name| !name.trim().is_empty()) {
        let name = name.trim().to_owned();
        return super::linked::referenced(cx, &name);
    }
    let Some(system) = &cx.block.system else { return Err("its inside is not in the file".to_owned()) };
    if cx.is_on("Variant") {
        return variants(cx, system);
    }
    let source = Rc::clone(cx.source);
    inside(cx, &source, system, cx.block.mask.as_ref(), false)
}

/// Keeps the subsystems in a state machine as models that nothing uses yet.
fn keep_inside(cx: &mut Cx) {
    let source = Rc::clone(cx.source);
    for block in cx.block.inner().iter().filter(|block| block.kind == "SubSystem") {
        let is_diagram = block.params.get("SFBlockType").is_none_or(|kind| ["", "NONE"].contains(&kind));
        let Some(system) = block.system.as_ref().filter(|_| is_diagram) else { continue };
        let path = format!("{}/{}", cx.path, block.title());
        let mut inner = Cx {
            mapper: &mut *cx.mapper,
            block,
            source: &source,
            path: &path,
            wired_inputs: 0,
            wired_outputs: 0,
            input_names: Vec::new(),
            input_shapes: Vec::new(),
            notes: Vec::new(),
        };
        let _ = child(&mut inner, &source, system, block.mask.as_ref(), false);
    }
}

/// Maps the system of a block as a model of its own, with the parameters of its mask as variables.
pub fn inside(
    cx: &mut Cx,
    source: &Rc<Source>,
    system: &System,
    mask: Option<&Mask>,
    is_closed: bool,
) -> Result<Made, String> {
    let child = child(cx, source, system, mask, is_closed)?;
    Ok(made_of(cx, child.0, child.1))
}

/// The options of a model block: values for the variables of its model.
type Options = Vec<(String, String)>;

fn child(
    cx: &mut Cx,
    source: &Rc<Source>,
    system: &System,
    mask: Option<&Mask>,
    is_closed: bool,
) -> Result<(Child, Options), String> {
    if cx.mapper.frames.len() > MAX_DEPTH {
        return Err(format!("systems are nested more than {MAX_DEPTH} levels deep"));
    }
    let (frame, variables, mut options) = match mask {
        Some(mask) => masked(cx, mask),
        None => Default::default(),
    };
    let path = format!("{}/", cx.path);
    let title = cx.block.title();
    let name = if title.is_empty() { "Subsystem" } else { &*title };
    let place = Place { source, name, path: &path, is_root: false };
    let (child, frame) = cx.mapper.system(system, &place, Frame { is_closed, ..frame });
    let Some(model) = cx.mapper.simulation.model_mut(&child.model) else { return Ok((child, options)) };
    for (name, variable) in variables {
        model.set_variable(&name, variable);
    }
    for name in &frame.passed {
        // The value comes from the model block.
        model.set_variable(name, Variable::new("0"));
        options.push((name.clone(), name.clone()));
    }
    Ok((child, options))
}

/// The scope of a mask, the variables of its model, and the values that its block gives them.
fn masked(cx: &mut Cx, mask: &Mask) -> (Frame, Vec<(String, Variable)>, Options) {
    let (mut frame, mut variables, mut options) = (Frame::default(), Vec::new(), Vec::new());
    let mut known = Workspace::default();
    for parameter in &mask.parameters {
        // The block may have another value than its mask in the library.
        let text = cx.block.params.get(&parameter.name).unwrap_or(&parameter.value).trim().to_owned();
        let made = match &*parameter.control {
            "checkbox" => Ok(if ["on", "1"].contains(&&*text) { "1" } else { "0" }.to_owned()),
            "popup" => {
                let place = parameter.choices.iter().position(|choice| *choice == text);
                place.map(|place| (place + 1).to_string()).ok_or_else(|| "it is a text".to_owned())
            }
            _ if !parameter.is_evaluated => Err("it is a text".to_owned()),
            _ => Ok(text),
        };
        let made = made.and_then(|text| cx.expression_of(&text));
        let value = match made {
            Ok(text) => {
                let value: Option<Matrix> = text.value.clone();
                let name = variable_name(&parameter.name);
                let mut variable =
                    Variable::new(&text.value.as_ref().map_or("0".to_owned(), super::super::values::text_of));
                let prompt = clean(&parameter.prompt);
                if !prompt.is_empty() && prompt != name {
                    variable = variable.with_attribute("label", &prompt);
                }
                variables.push((name.clone(), variable));
                options.push((name, text.text));
                value
            }
            Err(_) => None,
        };
        if let Some(value) = &value {
            known.set_value(&parameter.name, value.clone());
        }
        frame.own.insert(parameter.name.clone(), value);
    }
    initialization(cx, mask, &mut known, &mut frame, &mut variables);
    (frame, variables, options)
}

/// The names that the code of a mask sets become variables of the model.
fn initialization(
    cx: &mut Cx,
    mask: &Mask,
    known: &mut Workspace,
    frame: &mut Frame,
    variables: &mut Vec<(String, Variable)>,
) {
    if mask.initialization.trim().is_empty() {
        return;
    }
    let found = script::read(&mask.initialization, known);
    for name in known.names().map(str::to_owned).collect::<Vec<_>>() {
        if frame.own.contains_key(&name) {
            continue;
        }
        let Some(text) = known.get(&name).cloned() else { continue };
        frame.own.insert(name.clone(), text.value);
        variables.push((variable_name(&name), Variable::new(&text.text)));
    }
    let unread: Vec<&str> = known.unread.iter().map(String::as_str).collect();
    for name in &unread {
        frame.own.entry((*name).to_owned()).or_default();
    }
    if !unread.is_empty() {
        cx.note(format!("the initialization of the mask sets {} in a way that is not read", short(&unread.join(", "))));
    } else if !found.calls.is_empty() {
        cx.note("the initialization of the mask calls functions, which are not run");
    }
}

/// The model block for a mapped system.
fn made_of(cx: &mut Cx, child: Child, options: Options) -> Made {
    let mut block = Block::new(BlockId(0), BlockKind::model(&child.model));
    for (name, value) in options {
        block.set_option(&name, Some(&[value]));
    }
    let listed = |ports: &BTreeMap<usize, Arc<str>>| {
        let last = ports.keys().max().copied().unwrap_or(0).min(10_000);
        (1..=last).map(|number| (0, ports.get(&number).cloned().unwrap_or_else(|| "".into()))).collect::<Vec<_>>()
    };
    let ends = Ends::Listed { inputs: listed(&child.inputs), outputs: listed(&child.outputs) };
    let controls: Vec<(Control, (usize, Arc<str>))> =
        child.controls.into_iter().map(|(control, port)| (control, (0, port))).collect();
    // The model block gets the next id of the model around it.
    cx.mapper.tags.expect(child.lifted);
    Made { parts: vec![block], ends, controls, ..Made::default() }
}

/// A subsystem that holds several, of which conditions choose one.
fn variants(cx: &mut Cx, system: &System) -> Result<Made, String> {
    let choices: Vec<&Foreign> = system.blocks.iter().filter(|block| block.kind == "SubSystem").collect();
    if choices.is_empty() {
        return Err("its variants are no subsystems".to_owned());
    }
    let label = cx.text("LabelModeActiveChoice").to_owned();
    let source = Rc::clone(cx.source);
    let mut mapped: Vec<(Child, Options, String)> = Vec::new();
    for choice in &choices {
        let Some(inner) = &choice.system else { continue };
        let path = format!("{}/{}", cx.path, choice.title());
        let control = choice.params.get("VariantControl").unwrap_or_default().trim().to_owned();
        let mut inner_cx = Cx {
            mapper: &mut *cx.mapper,
            block: choice,
            source: &source,
            path: &path,
            wired_inputs: 0,
            wired_outputs: 0,
            input_names: Vec::new(),
            input_shapes: Vec::new(),
            notes: Vec::new(),
        };
        let (child, options) = child(&mut inner_cx, &source, inner, choice.mask.as_ref(), false)?;
        let notes = std::mem::take(&mut inner_cx.notes);
        cx.notes.extend(notes);
        mapped.push((child, options, control));
    }
    let mut list = Vec::new();
    let mut chosen = None;
    for (index, (child, _, control)) in mapped.iter().enumerate() {
        let by_label = !label.is_empty() && (*control == label || choices[index].title() == label);
        let condition = match rewrite(control) {
            Ok(_) if !label.is_empty() => None,
            Ok(_) => cx.expression_of(control).ok(),
            Err(_) => None,
        };
        let holds = condition
            .as_ref()
            .and_then(|text| text.value.as_ref())
            .is_some_and(|value| value.values.first().is_some_and(|value| *value != 0.0));
        if chosen.is_none() && (by_label || holds) {
            chosen = Some(index);
        }
        list.push(Variant {
            model: child.model.as_str().into(),
            condition: condition.map(|text| text.text).unwrap_or_default().into(),
        });
    }
    let index = chosen.unwrap_or_else(|| {
        cx.note("no variant is chosen by a condition with a known value: the first one is used");
        0
    });
    let conditions = list.iter().all(|variant| !variant.condition.is_empty());
    let (child, options, _) = mapped.swap_remove(index);
    let mut made = made_of(cx, child, options);
    if conditions && let Some(block) = made.parts.first_mut() {
        block.attributes.set(Variant::ATTRIBUTE, &Variant::list_text(&list));
    }
    made.class = Some(if cx.notes.is_empty() { Class::Exact } else { Class::Approximated });
    Ok(made)
}

impl Cx<'_> {
    /// The code or the state machine in this block.
    pub fn chart(&self) -> Option<&Chart> {
        let path = self.path.replace("//", "\u{0}");
        let named = |chart: &&Chart| {
            let known = clean(&chart.path);
            known == path || path.ends_with(&format!("/{known}"))
        };
        if self.block.kind != "SubSystem" {
            return None;
        }
        let kind = self.block.params.get("SFBlockType").unwrap_or_default();
        let is_code = !["", "NONE"].contains(&kind)
            || self.block.inner().iter().any(|block| block.kind == "S-Function" && block.name.trim() == "SFunction");
        if !is_code {
            return None;
        }
        let best = self.source.charts.iter().filter(named).max_by_key(|chart| chart.path.len());
        best.or_else(|| self.source.charts.iter().find(|chart| clean(&chart.path) == self.block.title()))
    }
}
