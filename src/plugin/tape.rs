//! The tape of a plug-in's block: its parameters, its states, and the calls of its functions.

use std::sync::Arc;

use super::definition::{PluginBlock, block_of};
use super::description::{ANY, InitialText, ParamTextKind, StateTextKind, WidthText};
use super::guest::{Function, Shape};
use super::host_function::{CallInputs, PluginCall, Pool};
use crate::block::{Builder, Clock, Expr, HostFn, Setting, StateVar};

/// Writes the tape of a plug-in's block, whose definition leads to its description.
pub fn build(b: &Builder) {
    match block_of(b.def()) {
        Some(block) => write(b, block),
        None => panic!("the definition is not of a plug-in"),
    }
}

fn write<'b>(b: &'b Builder<'b>, block: &'static PluginBlock) {
    let text = &block.text;
    let params: Vec<Expr> = (text.params.iter().zip(b.settings().params()))
        .map(|(param, (def, setting))| match (param.kind, setting) {
            (ParamTextKind::Number, Setting::Number(values)) if param.fixed => b.vector(values),
            (ParamTextKind::Number, _) => b.param(def.name),
            (_, Setting::Integer(value)) => b.constant(*value as f64),
            (_, Setting::Choice(index)) => b.constant(*index as f64),
            (_, Setting::Flag(value)) => b.constant(f64::from(u8::from(*value))),
            (_, other) => panic!("{} is of another kind: {other:?}", def.name),
        })
        .collect();
    let param_named = |name: &str| text.params.iter().position(|param| param.name == name).map(|index| params[index]);
    let inputs = inputs(b, block);
    let width_of = |width: &WidthText, states: &[usize]| match width {
        WidthText::Fixed(width) => *width,
        WidthText::As(name) => {
            let input = text.inputs.iter().position(|input| input.name == *name).map(|index| inputs[index].width());
            let state =
                || text.states.iter().position(|state| state.name == *name).and_then(|at| states.get(at).copied());
            input.or_else(|| param_named(name).map(Expr::width)).or_else(state).unwrap_or(1)
        }
    };
    let states: Vec<StateVar> = (text.states.iter())
        .map(|state| {
            let width = width_of(&state.width, &[]);
            let initial = match &state.initial {
                InitialText::Number(value) => b.constant(*value),
                InitialText::Numbers(values) => b.vector(values),
                InitialText::Param(name) => param_named(name).unwrap_or(b.constant(0.0)),
            };
            match state.kind {
                StateTextKind::Discrete => b.state(width, initial),
                StateTextKind::Continuous => b.continuous(width, initial),
            }
        })
        .collect();
    let widths = |exprs: &[Expr]| exprs.iter().map(|expr| expr.width()).collect();
    let state_widths: Vec<usize> = states.iter().map(|state| state.value.width()).collect();
    let outputs: Vec<usize> = text.outputs.iter().map(|output| width_of(&output.width, &state_widths)).collect();
    let shape = Shape { inputs: widths(&inputs), params: widths(&params), states: state_widths, outputs };
    let clock = |time: Expr<'b>| text.time.then(|| [time, b.constant(b.delta()), b.clock(Clock::Step)]);
    let states_now: Vec<Expr> = states.iter().map(|state| state.value).collect();
    let pool = Arc::new(Pool::new(block, shape.clone()));
    let call = |function: Function, time: Expr<'b>, passed: CallInputs| {
        let inputs = if passed == CallInputs::Passed { &*inputs } else { &[] };
        let args = clock(time).into_iter().flatten().chain(inputs.iter().chain(&params).chain(&states_now).copied());
        let args: Vec<Expr> = args.collect();
        // Without the clock its numbers are those of a block that is not told the time.
        let fixed = if text.time { None } else { Some([0.0, b.delta(), 0.0]) };
        let of = PluginCall::new(Arc::clone(&pool), function, fixed, passed);
        b.native(HostFn(Arc::new(of)), &args, shape.written(function))
    };
    let has_inputs = !inputs.is_empty();
    let inputs_of = |index: usize| match has_inputs && text.outputs[index].feedthrough {
        true => CallInputs::Passed,
        false => CallInputs::Withheld,
    };
    let all = 0..text.outputs.len();
    let [with, without] = [CallInputs::Passed, CallInputs::Withheld].map(|passed| {
        let is_used = all.clone().any(|index| inputs_of(index) == passed);
        is_used.then(|| call(Function::Outputs, b.time(), passed))
    });
    let mut at = 0;
    for (index, &width) in shape.outputs.iter().enumerate() {
        if let Some(made) = if inputs_of(index) == CallInputs::Passed { with } else { without } {
            b.output(index, made.slice(at, width));
        }
        at += width;
    }
    let is_of = |kind: StateTextKind| text.states.iter().any(|state| state.kind == kind);
    let next = is_of(StateTextKind::Discrete).then(|| call(Function::Update, b.step_time(), CallInputs::Passed));
    let rates = is_of(StateTextKind::Continuous).then(|| call(Function::Derivatives, b.time(), CallInputs::Passed));
    let mut at = 0;
    for (state, text) in states.iter().zip(&text.states) {
        let width = state.value.width();
        match (text.kind, next, rates) {
            (StateTextKind::Discrete, Some(next), _) => state.next(next.slice(at, width)),
            (StateTextKind::Continuous, _, Some(rates)) => state.derivative(rates.slice(at, width)),
            _ => {}
        }
        at += width;
    }
}

/// Returns the inputs with their widths checked; a scalar expands to the width that its input must have.
fn inputs<'b>(b: &'b Builder<'b>, block: &PluginBlock) -> Vec<Expr<'b>> {
    let mut inputs: Vec<Expr> = Vec::new();
    for (index, text) in block.text.inputs.iter().enumerate() {
        let input = b.input(index);
        let width = match &text.width {
            WidthText::Fixed(width) => *width,
            WidthText::As(name) if name == ANY => input.width(),
            WidthText::As(name) => {
                let other = block.text.inputs.iter().position(|other| other.name == *name);
                other.and_then(|other| inputs.get(other)).map_or(1, |other| other.width())
            }
        };
        let input = b.widen(input, width);
        if input.width() != width {
            b.refuse_width(index, width);
        }
        inputs.push(input);
    }
    inputs
}
