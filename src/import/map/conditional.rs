//! The ports of a system, and those that control when it runs.

use std::sync::Arc;

use super::super::source::System;
use super::block::Cx;
use super::bus_ports;
use super::child::Child;
use super::made::{Control, Ends, Made, library};
use super::names::{clean, number};
use crate::model::{Block, BlockId, BlockKind, Model};

/// Maps a block that is a port of its system; none if it is another block.
pub fn port(cx: &mut Cx, model: &Model, child: &mut Child, is_root: bool) -> Option<Result<Made, String>> {
    Some(match &*cx.block.kind {
        "Inport" => Ok(entry(cx, model, child, is_root)),
        "InportShadow" => Ok(Made::nothing()),
        "Outport" => exit(cx, model, child, is_root),
        "EnablePort" => {
            let states = reset_or_hold(cx.text("StatesWhenEnabling"));
            Ok(control(cx, model, child, Control::Enable, &[("role", "enable"), ("states", states)]))
        }
        "ActionPort" => {
            let states = reset_or_hold(cx.text("InitializeStates"));
            Ok(control(cx, model, child, Control::Action, &[("role", "enable"), ("states", states)]))
        }
        "ResetPort" => {
            let edge = edge(cx.any(&["ResetTriggerType", "ResetType"]));
            Ok(control(cx, model, child, Control::Reset, &[("role", "reset"), ("edge", edge)]))
        }
        "TriggerPort" => match cx.text("TriggerType") {
            "function-call" => Ok(control(cx, model, child, Control::Trigger, &[("role", "call")])),
            kind => {
                let edge = edge(kind);
                Ok(control(cx, model, child, Control::Trigger, &[("role", "trigger"), ("edge", edge)]))
            }
        },
        "ToWorkspace" if is_root => recorded(cx, model),
        "ForEach" => for_each(cx, child),
        "ForIterator" => for_iterator(cx, model),
        "WhileIterator" => while_iterator(cx, model),
        _ => return None,
    })
}

/// The note about inputs of the whole model, which is made once.
const OPEN: &str = "nothing is connected to the inputs of the whole model: they have their initial value, 0";

fn reset_or_hold(text: &str) -> &'static str {
    if text == "reset" { "reset" } else { "hold" }
}

fn edge(text: &str) -> &'static str {
    match text {
        "falling" => "falling",
        "either" => "either",
        _ => "rising",
    }
}

fn entry(cx: &mut Cx, model: &Model, child: &mut Child, is_root: bool) -> Made {
    let name = model.free_port_name(&clean(&bus_ports::name(cx.block, is_root)));
    child.inputs.insert(number(cx.block), Arc::from(&*name));
    let mut block = Block::new(BlockId(0), BlockKind::entry(&name));
    if child.partition.get(number(cx.block).wrapping_sub(1)) == Some(&true) {
        let is_first = !model.blocks.values().any(|block| block.attributes.get("role") == Some("each"));
        if !is_first {
            return element_of(block, model);
        }
        block.attributes.set("role", "each");
    }
    if is_root && !cx.mapper.report.notes.iter().any(|note| note == OPEN) {
        cx.mapper.report.notes.push(OPEN.to_owned());
    }
    block.into()
}

/// The element of an input that belongs to the iteration of the first one that is taken element by element.
fn element_of(entry: Block, model: &Model) -> Made {
    let mut index = Block::new(BlockId(0), BlockKind::entry(&model.free_port_name("Iteration")));
    index.attributes.set("role", "index");
    let element = library("Routing", "Index Vector").with_option("First Index", &["0"]);
    let inner = [(0, "Vector"), (2, "Index")].map(|(part, port)| ((part, "Output".into()), (1, port.into())));
    Made {
        parts: vec![entry, element, index],
        ends: Ends::Listed { inputs: Vec::new(), outputs: vec![(1, "Output".into())] },
        inner: inner.to_vec(),
        ..Made::default()
    }
}

/// Which inputs of a for-each subsystem are taken element by element; empty for other systems.
pub fn partition(system: &System) -> Vec<bool> {
    let Some(block) = system.blocks.iter().find(|block| block.kind == "ForEach") else { return Vec::new() };
    list(block.params.get("InputPartition").unwrap_or_default()).iter().map(|text| text == "on").collect()
}

fn list(text: &str) -> Vec<String> {
    let parts = super::super::script::split(text.trim().trim_matches(['{', '}']), ',');
    parts.iter().map(|part| part.trim().trim_matches('\'').to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The block that states how the inputs are divided: it becomes roles of the entries.
fn for_each(cx: &mut Cx, child: &Child) -> Result<Made, String> {
    let others = |cx: &Cx, name: &str, usual: &str| list(cx.text(name)).iter().any(|text| text != usual);
    if !child.partition.contains(&true) {
        return Err("no input is divided: its iterations follow from a parameter".to_owned());
    }
    if others(cx, "InputPartitionWidth", "1") || others(cx, "InputPartitionOffset", "0") {
        return Err("its inputs are divided into parts of several elements".to_owned());
    }
    if list(cx.text("SubsysMaskParameterPartition")).iter().any(|text| text == "on") {
        return Err("a parameter is divided as well as an input".to_owned());
    }
    Ok(Made::nothing())
}

fn exit(cx: &mut Cx, model: &Model, child: &mut Child, is_root: bool) -> Result<Made, String> {
    if bus_ports::is_joined(cx.block) {
        return Ok(Made::nothing());
    }
    let name = model.free_port_name(&clean(&bus_ports::name(cx.block, is_root)));
    child.outputs.insert(number(cx.block), Arc::from(&*name));
    let mut block = Block::new(BlockId(0), BlockKind::exit(&name));
    if cx.text("OutputWhenDisabled") == "reset" {
        block.attributes.set("idle", "reset");
    }
    if !["", "[]", "0"].contains(&cx.text("InitialOutput")) {
        cx.set(&mut block, Block::INITIAL_VALUE, "InitialOutput")?;
    }
    Ok(block.into())
}

/// A signal that is recorded under a name in the workspace: an exit records it here.
fn recorded(cx: &mut Cx, model: &Model) -> Result<Made, String> {
    super::sinks::note_decimation(cx);
    // Its samples are steps of the run.
    let _ = cx.sample_time("SampleTime");
    let name = model.free_port_name(&clean(cx.text("VariableName")));
    Ok(Block::new(BlockId(0), BlockKind::exit(&name)).into())
}

/// An entry that controls when the model runs.
fn control(cx: &mut Cx, model: &Model, child: &mut Child, kind: Control, attributes: &[(&str, &str)]) -> Made {
    let name = model.free_port_name(&clean(&cx.block.title()));
    child.controls.push((kind, Arc::from(&*name)));
    let mut block = Block::new(BlockId(0), BlockKind::entry(&name));
    attributes.iter().for_each(|(name, value)| block.attributes.set(name, value));
    block.into()
}

/// The number of the iteration as a block: an entry, and the number that counts first.
fn index(cx: &Cx, name: &str) -> [Block; 2] {
    let mut index = Block::new(BlockId(0), BlockKind::entry(&format!("{name} index")));
    index.attributes.set("role", "index");
    let first = if cx.text("IndexMode") == "Zero-based" { "0" } else { "1" };
    [index, super::made::library("Math", "Bias").with_option("Bias", &[first])]
}

/// A loop with a number of iterations; its output is the number of the iteration.
fn for_iterator(cx: &mut Cx, model: &Model) -> Result<Made, String> {
    if cx.text("IterationSource") == "external" {
        return Err("the number of iterations comes from a signal inside the loop".to_owned());
    }
    let limit = cx.expression("IterationLimit")?;
    let name = model.free_port_name(&clean(&cx.block.title()));
    let mut times = Block::new(BlockId(0), BlockKind::entry(&name)).with_option(Block::INITIAL_VALUE, &[limit.text]);
    times.attributes.set("role", "for");
    times.attributes.set("limit", "1000000");
    times.attributes.set("states", reset_or_hold(cx.text("ResetStates")));
    let [index, bias] = index(cx, &name);
    Ok(Made {
        parts: vec![times, index, bias],
        ends: Ends::Listed { inputs: Vec::new(), outputs: vec![(2, "Output".into())] },
        inner: vec![((1, "Output".into()), (2, "Input".into()))],
        ..Made::default()
    })
}

/// A loop with a condition; its output, if it is there, is the number of the iteration.
fn while_iterator(cx: &mut Cx, model: &Model) -> Result<Made, String> {
    let name = model.free_port_name(&clean(&cx.block.title()));
    let mut exit = Block::new(BlockId(0), BlockKind::exit(&name));
    exit.attributes.set("role", "while");
    let limit = cx.number("MaxIters").unwrap_or(-1.0);
    if limit >= 1.0 {
        exit.attributes.set("limit", &(limit as u64).to_string());
    }
    exit.attributes.set("states", reset_or_hold(cx.text("ResetStates")));
    if cx.text("WhileBlockType") != "do-while" {
        cx.note("the condition before the first iteration is not used: the loop runs at least once");
    }
    if limit >= 1.0 {
        cx.note("a loop that reaches its largest number of iterations is an error here");
    }
    let inputs = vec![(0, "Input".into())];
    if cx.wired_outputs == 0 {
        return Ok(Made { parts: vec![exit], ends: Ends::Listed { inputs, outputs: Vec::new() }, ..Made::default() });
    }
    let [index, bias] = index(cx, &name);
    Ok(Made {
        parts: vec![exit, index, bias],
        ends: Ends::Listed { inputs, outputs: vec![(2, "Output".into())] },
        inner: vec![((1, "Output".into()), (2, "Input".into()))],
        ..Made::default()
    })
}
