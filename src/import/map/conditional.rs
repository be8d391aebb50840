//! The ports of a system, and those that control when it runs.

use std::sync::Arc;

use super::block::Cx;
use super::bus_ports;
use super::child::Child;
use super::made::{Control, Ends, Made};
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
    let block = Block::new(BlockId(0), BlockKind::entry(&name));
    if is_root && !cx.mapper.report.notes.iter().any(|note| note == OPEN) {
        cx.mapper.report.notes.push(OPEN.to_owned());
    }
    block.into()
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
