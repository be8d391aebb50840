//! Blocks whose mathematics is code: a function of inputs and parameters, with persistent variables.

use std::collections::BTreeMap;

use super::equations::{Tape, constants};
use crate::block::language::{Algebra, ExpressionError, Program, Run, Value, line_values, of_signal, run};
use crate::block::{Builder, CodeArgument, Expr, KeptVariable, ParamDef, Settings, StateVar, WatchedCode};

pub const CODE: &str = "Code";
pub const PARAMETERS: &str = "Parameters";
pub const LOOP_LIMIT: &str = "Loop Limit";

/// Returns the arguments that are inputs, in the order of the function.
pub fn inputs(settings: &Settings) -> Vec<String> {
    let parameters = &settings.formula(PARAMETERS).formula;
    let is_parameter = |name: &String| parameters.lines.iter().any(|(known, _)| known == name);
    settings.code(CODE).inputs.iter().filter(|name| !is_parameter(name)).cloned().collect()
}

pub fn outputs(settings: &Settings) -> Vec<String> {
    settings.code(CODE).outputs.clone()
}

pub fn build<'b>(b: &'b Builder<'b>) {
    let code = b.settings().code(CODE);
    // A mistake in the text is reported already.
    let made = code.program.as_ref().map_or(Ok(Vec::new()), |program| values(b, program));
    let values = made.unwrap_or_else(|error| {
        b.refuse(CODE, error.message_in_code(&code.text));
        Vec::new()
    });
    for number in 0..code.outputs.len() {
        b.output(number, values.get(number).copied().unwrap_or(b.constant(0.0)));
    }
}

/// Returns the outputs.
fn values<'b>(b: &'b Builder<'b>, program: &Program) -> Result<Vec<Expr<'b>>, ExpressionError> {
    let main = program.main();
    let parameters: BTreeMap<String, Expr> = constants(b, PARAMETERS).into_iter().collect();
    let mut ports = b.inputs().into_iter().enumerate();
    let tape = Tape::with_loop_limit(b, b.settings().integer(LOOP_LIMIT) as usize);
    let mut arguments = Vec::with_capacity(main.inputs.len());
    for name in &main.inputs {
        if let Some(value) = parameters.get(name) {
            arguments.push(Value::whole(*value, value.width(), 1));
        } else if let Some((port, value)) = ports.next() {
            // A signal is a column, as in other programs, and a bus a structure.
            arguments.push(of_signal(&tape, &value, &b.input_type(port)));
        }
    }
    if let Some(name) = parameters.keys().find(|name| !main.inputs.contains(name)) {
        b.refuse(PARAMETERS, format!("the function has no argument “{name}”"));
    }
    let made = run(program, arguments, &tape)?;
    if made.next.is_empty() && b.settings().number(ParamDef::SAMPLE_TIME.name) == -1.0 {
        b.runs_unsampled();
    }
    let states = tape.take_states();
    b.watch_code(watched(b, program, &made, (&states, tape.first_state())));
    for (state, next) in states.into_iter().zip(&made.next) {
        state.next(next.whole_with(|parts| b.join(parts)));
    }
    let mut outputs = Vec::with_capacity(made.outputs.len());
    for (number, (name, output)) in main.outputs.iter().zip(&made.outputs).enumerate() {
        let leaves = output.leaves();
        if leaves.is_empty() || leaves.iter().any(|leaf| leaf.count() == 0 || leaf.is_text()) {
            let problem = format!("the result “{name}” is no number");
            return Err(ExpressionError { at: main.at, problem, is_whole: false });
        }
        let parts: Vec<Expr> = leaves.iter().map(|leaf| leaf.whole_with(|parts| b.join(parts))).collect();
        outputs.push(tape.join(&parts));
        if let Some(bus) = output.signal_type().bus {
            b.name_elements(number, (*bus).clone());
        }
    }
    Ok(outputs)
}

/// The code with the places of its values, by which an editor follows it in a run.
fn watched<'b>(
    b: &'b Builder<'b>,
    program: &Program,
    made: &Run<Expr<'b>>,
    (states, first): (&[StateVar<'b>], Option<StateVar<'b>>),
) -> WatchedCode {
    let setting = b.settings().formula(PARAMETERS);
    let parameters = line_values(&setting.formula.lines, &setting.variables);
    let mut ports = 0..;
    let argument = |name: &String| match parameters.get(name) {
        Some(values) => CodeArgument::Known(values.clone()),
        None => {
            let port = ports.next().unwrap_or_default();
            CodeArgument::Input(port, b.input_type(port))
        }
    };
    let arguments = program.main().inputs.iter().map(argument).collect();
    // A structure has a state for each of its numbers.
    let mut states = states.iter().map(|state| state.index);
    let kept = made.kept.iter().map(|(key, shape)| {
        let states = states.by_ref().take(shape.leaf_count()).collect();
        KeptVariable { key: key.clone(), shape: shape.clone(), states }
    });
    let (text, program) = (b.settings().code(CODE).text.clone(), program.clone());
    let (kept, first) = (kept.collect(), first.map(|first| first.index));
    WatchedCode { text, program, arguments, kept, first, delta: b.delta() }
}
