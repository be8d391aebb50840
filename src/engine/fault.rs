//! Why a step cannot be completed, and the search for the first value that is no finite number.

use super::{Context, Program, RunError, is_unset};
use crate::model::BlockId;

/// What went wrong in a step, before anybody asked which step it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The unit at fault, where one is.
    pub unit: Option<usize>,
    pub problem: String,
}

impl Fault {
    /// Of a step that was left because the run is to end. Whoever runs the steps sees that, and tells of no error.
    pub fn cancelled() -> Fault {
        Fault { unit: None, problem: "the run was cancelled".to_owned() }
    }

    /// The error of the step that `context` is at the begin of.
    pub fn error(self, program: &Program, context: &Context) -> RunError {
        RunError {
            step: context.step,
            time: context.time(program),
            problem: self.problem,
            block: self.unit.map(|unit| program.block_of(unit)),
        }
    }
}

/// A fault where an output is infinite or not-a-number; of several the one nearest to the cause: the first in the
/// program whose unit had finite inputs only. `elements` has the elements of an output; what was never set does not count.
pub(super) fn non_finite<'a>(program: &Program, elements: impl Fn(usize) -> &'a [f64]) -> Option<Fault> {
    let is_finite = |element: &f64| element.is_finite() || is_unset(*element);
    let bad = |output: usize| elements(output).iter().copied().find(|element| !is_finite(element));
    let mut found = None;
    for (number, unit) in program.units.iter().enumerate() {
        let Some((output, value)) = program.outputs_of(unit).find_map(|output| Some((output, bad(output)?))) else {
            continue;
        };
        let kernel = program.kernel(unit);
        let first = unit.first_input as usize;
        let mut sources = program.sources[first..first + kernel.inputs.len()].iter().flatten();
        let is_cause = sources.all(|&source| bad(source as usize).is_none());
        if is_cause || found.is_none() {
            let problem = format!("“{}” became {}", program.output_name(number, output), written(value));
            found = Some(Fault { unit: Some(number), problem });
        }
        if is_cause {
            break;
        }
    }
    found
}

/// A signal that is infinite or not-a-number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonFinite {
    /// The block whose output it is: the model blocks that lead to it, and its id.
    pub block: (Vec<BlockId>, BlockId),
    /// What became of which output, in words.
    pub problem: String,
}

impl Program {
    /// The signal that is infinite or not-a-number after the steps of a context, of several the one nearest to the cause.
    pub fn non_finite(&self, context: &Context) -> Option<NonFinite> {
        // Nearly always there is none, and that is seen at once.
        context.values.iter().find(|value| !value.is_finite() && !is_unset(**value))?;
        let elements = |output: usize| {
            let output = &self.outputs[output];
            &context.values[output.offset as usize..][..output.width as usize]
        };
        let Fault { unit, problem } = non_finite(self, elements)?;
        // Which output it is says little without its block.
        let problem = problem.replacen(" became ", &format!(" of {} became ", self.title_of(unit?)), 1);
        Some(NonFinite { block: self.block_of(unit?), problem })
    }
}

fn written(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "infinite",
        f64::NEG_INFINITY => "minus infinity",
        _ => "not-a-number",
    }
}
