//! Blocks whose mathematics is code: a function of inputs and parameters, with persistent variables.

use std::collections::BTreeMap;

use super::equations::{Tape, constants};
use crate::block::language::{ExpressionError, Program, Value, run};
use crate::block::{Builder, Expr, ParamDef, Settings};

pub const CODE: &str = "Code";
pub const PARAMETERS: &str = "Parameters";

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
    let mut ports = b.inputs().into_iter();
    let mut arguments = Vec::with_capacity(main.inputs.len());
    for name in &main.inputs {
        let value = match parameters.get(name) {
            Some(value) => Some(*value),
            None => ports.next(),
        };
        let Some(value) = value else { continue };
        // A signal is a column, as in other programs.
        arguments.push(Value::whole(value, value.width(), 1));
    }
    if let Some(name) = parameters.keys().find(|name| !main.inputs.contains(name)) {
        b.refuse(PARAMETERS, format!("the function has no argument “{name}”"));
    }
    let tape = Tape::new(b);
    let made = run(program, arguments, &tape)?;
    if made.next.is_empty() && b.settings().number(ParamDef::SAMPLE_TIME.name) == -1.0 {
        b.runs_unsampled();
    }
    for (state, next) in tape.take_states().into_iter().zip(&made.next) {
        state.next(next.whole_with(|parts| b.join(parts)));
    }
    let mut outputs = Vec::with_capacity(made.outputs.len());
    for (name, output) in main.outputs.iter().zip(&made.outputs) {
        if output.count() == 0 || output.is_text() {
            let problem = format!("the result “{name}” is no number");
            return Err(ExpressionError { at: main.at, problem, is_whole: false });
        }
        outputs.push(output.whole_with(|parts| b.join(parts)));
    }
    Ok(outputs)
}
