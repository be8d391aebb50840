//! Blocks whose mathematics is code: a function of inputs and parameters, with persistent variables.

use std::collections::BTreeMap;

use super::equations::{Tape, constants};
use crate::block::language::{Algebra, ExpressionError, Program, Run, Value, line_values, of_signal, run};
use crate::block::limits::MAX_ELEMENTS;
use crate::block::{
    ARGUMENT_LINES, Builder, CodeArgument, Expr, KeptVariable, ParamDef, Settings, StateVar, WatchedCode,
};

pub const CODE: &str = "Code";
/// The option with the sizes of inputs that are matrices: `A: 3x3; v: 1x4`.
pub const INPUT_SIZES: &str = "Input Sizes";
pub const LOOP_LIMIT: &str = "Loop Limit";

/// Returns the arguments that are inputs, in the order of the function.
pub fn inputs(settings: &Settings) -> Vec<String> {
    let lines = &settings.formula(ARGUMENT_LINES).formula.lines;
    let is_parameter =
        |name: &String| has_option(settings, name).is_some() || lines.iter().any(|(known, _)| known == name);
    settings.code(CODE).inputs.iter().filter(|name| !is_parameter(name)).cloned().collect()
}

/// The rows and columns of inputs that are no columns, by their names.
type Sizes = BTreeMap<String, [usize; 2]>;

/// Reads the sizes of inputs.
///
/// # Errors
/// Fails with the part that is no size.
fn sizes_in(text: &str) -> Result<Sizes, String> {
    let parts = text.split([';', ',', '\n']).map(str::trim).filter(|part| !part.is_empty());
    let size = |part: &str| {
        let (name, size) = part.split_once(':')?;
        let (rows, columns) = size.split_once(['x', 'X', '×'])?;
        let count = |text: &str| text.trim().parse().ok().filter(|count| (1..=MAX_ELEMENTS).contains(count));
        Some((name.trim().to_owned(), [count(rows)?, count(columns)?]))
    };
    parts.map(|part| size(part).ok_or_else(|| part.to_owned())).collect()
}

/// The name of the option that an argument has.
fn has_option(settings: &Settings, name: &str) -> Option<&'static str> {
    settings.params().map(|(param, _)| param).find(|param| param.is_argument && param.name == name).map(|p| p.name)
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

/// Returns the outputs. Parameters may change in the run where the code allows it; those that decide its sizes and loops
/// are constants.
fn values<'b>(b: &'b Builder<'b>, program: &Program) -> Result<Vec<Expr<'b>>, ExpressionError> {
    let lines: BTreeMap<String, Expr> = constants(b, ARGUMENT_LINES).into_iter().collect();
    if let Some(name) = lines.keys().find(|name| !program.main().inputs.contains(name)) {
        b.refuse(ARGUMENT_LINES, format!("the function has no argument “{name}”"));
    }
    let sizes = sizes_of(b);
    let with = |tunable: &[&'static str]| {
        CodeBuild { b, program, lines: &lines, sizes: &sizes, tunable: tunable.to_vec() }.values()
    };
    let own: Vec<&'static str> =
        b.settings().params().filter(|(param, _)| param.is_argument).map(|(param, _)| param.name).collect();
    let before = b.draft();
    let made = with(&own);
    if own.is_empty() || b.is_sound(&before) && made.is_ok() {
        return made;
    }
    b.restore(before);
    let is_possible = |tunable: &[&'static str]| {
        let before = b.draft();
        let is_possible = with(tunable).is_ok() && b.is_sound(&before);
        b.restore(before);
        is_possible
    };
    let mut tunable = Vec::new();
    if is_possible(&[]) {
        add_possible(&mut tunable, &own, &is_possible);
    }
    with(&tunable)
}

/// Returns the sizes of inputs that are matrices, and refuses those that fit no input.
fn sizes_of(b: &Builder) -> Sizes {
    let mut sizes = sizes_in(b.settings().text(INPUT_SIZES)).unwrap_or_else(|part| {
        b.refuse(INPUT_SIZES, format!("“{part}” is no size of an input, such as A: 3x3"));
        Sizes::new()
    });
    let inputs = inputs(b.settings());
    if let Some(name) = sizes.keys().find(|name| !inputs.contains(name)) {
        b.refuse(INPUT_SIZES, format!("the function has no input “{name}”"));
    }
    for (port, name) in inputs.iter().enumerate() {
        let Some(&[rows, columns]) = sizes.get(name) else { continue };
        let kind = b.input_type(port);
        if kind.bus.is_some() || rows.checked_mul(columns) != Some(kind.width) {
            let problem = format!("“{name}” has {} elements, which are no matrix of {rows}×{columns}", kind.width);
            b.refuse(INPUT_SIZES, problem);
            sizes.remove(name);
        }
    }
    sizes
}

/// Adds those of `more` with which a list is still possible, by halves: mostly few are not.
fn add_possible(list: &mut Vec<&'static str>, more: &[&'static str], is_possible: &dyn Fn(&[&'static str]) -> bool) {
    let all: Vec<&'static str> = list.iter().chain(more).copied().collect();
    if is_possible(&all) {
        *list = all;
    } else if more.len() > 1 {
        let (first, second) = more.split_at(more.len() / 2);
        add_possible(list, first, is_possible);
        add_possible(list, second, is_possible);
    }
}

/// The code of a block with the choice of the parameters that may change in the run.
struct CodeBuild<'a, 'b> {
    b: &'b Builder<'b>,
    program: &'a Program,
    /// The values of arguments that have a line and no option of their own.
    lines: &'a BTreeMap<String, Expr<'b>>,
    sizes: &'a Sizes,
    tunable: Vec<&'static str>,
}

impl<'b> CodeBuild<'_, 'b> {
    /// Returns the outputs.
    fn values(&self) -> Result<Vec<Expr<'b>>, ExpressionError> {
        let CodeBuild { b, program, .. } = *self;
        let tape = Tape::with_loop_limit(b, b.settings().integer(LOOP_LIMIT) as usize);
        let made = run(program, self.arguments(&tape), &tape)?;
        if made.next.is_empty() && b.settings().number(ParamDef::SAMPLE_TIME.name) == -1.0 {
            b.runs_unsampled();
        }
        let states = tape.take_states();
        b.watch_code(self.watched(&made, (&states, tape.first_state())));
        for (state, next) in states.into_iter().zip(&made.next) {
            state.next(next.whole_with(|parts| b.join(parts)));
        }
        let main = program.main();
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

    fn arguments(&self, tape: &Tape<'b>) -> Vec<Value<Expr<'b>>> {
        let b = self.b;
        let mut ports = b.inputs().into_iter().enumerate();
        let mut arguments = Vec::new();
        for name in &self.program.main().inputs {
            if let Some(own) = has_option(b.settings(), name) {
                let (values, rows) = (b.settings().numbers(own), b.settings().rows(own).unwrap_or(1));
                let columns = values.len() / rows;
                arguments.push(match self.tunable.contains(&own) {
                    true => Value::whole(b.param(own), rows, columns),
                    false => Value::each(values.iter().map(|value| tape.number(*value)).collect(), rows, columns),
                });
            } else if let Some(value) = self.lines.get(name) {
                arguments.push(Value::whole(*value, value.width(), 1));
            } else if let Some((port, value)) = ports.next() {
                // A signal is a column, as in other programs, and a bus a structure.
                arguments.push(match self.sizes.get(name) {
                    Some([rows, columns]) => Value::whole(value, *rows, *columns),
                    None => of_signal(tape, &value, &b.input_type(port)),
                });
            }
        }
        arguments
    }

    /// The code with the places of its values, by which an editor follows it in a run.
    fn watched(&self, made: &Run<Expr<'b>>, (states, first): (&[StateVar<'b>], Option<StateVar<'b>>)) -> WatchedCode {
        let (b, program) = (self.b, self.program);
        let settings = b.settings();
        let lines = settings.formula(ARGUMENT_LINES);
        let lines = line_values(&lines.formula.lines, &lines.variables);
        let mut ports = 0..;
        let argument = |name: &String| match (has_option(settings, name), lines.get(name)) {
            (Some(own), _) => CodeArgument::Param {
                index: settings.index_of(own).unwrap_or_default(),
                values: settings.numbers(own).to_vec(),
                rows: settings.rows(own).unwrap_or(1),
            },
            (None, Some(values)) => CodeArgument::Known(values.clone()),
            (None, None) => {
                let port = ports.next().unwrap_or_default();
                match self.sizes.get(name) {
                    Some([rows, _]) => CodeArgument::Matrix { port, rows: *rows },
                    None => CodeArgument::Input(port, b.input_type(port)),
                }
            }
        };
        let arguments = program.main().inputs.iter().map(argument).collect();
        // A structure has a state for each of its numbers.
        let mut states = states.iter().map(|state| state.index);
        let kept = made.kept.iter().map(|(key, shape)| {
            let states = states.by_ref().take(shape.leaf_count()).collect();
            KeptVariable { key: key.clone(), shape: shape.clone(), states }
        });
        let (text, program) = (settings.code(CODE).text.clone(), program.clone());
        let (kept, first) = (kept.collect(), first.map(|first| first.index));
        WatchedCode { text, program, arguments, kept, first, delta: b.delta() }
    }
}
