//! Breakpoints: conditions on signals, and lines of code, at which a run pauses.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::{Context, OutputId, Program, UnitId, Watch, is_unset};
use crate::model::{BlockAddress, SignalKey};

/// Where a run pauses.
#[derive(Clone, Debug, PartialEq)]
pub enum Breakpoint {
    /// After a step in which a condition of a signal becomes true.
    Signal { signal: SignalKey, condition: Condition },
    /// After a step in which a statement of a line is executed; lines are counted from 1. It is ignored while the run
    /// has another code.
    Line { block: BlockAddress, line: usize, code: Arc<str> },
}

impl Breakpoint {
    /// Returns the block at which it is, or whose output it watches.
    pub fn block(&self) -> BlockAddress {
        match self {
            Breakpoint::Signal { signal, .. } => BlockAddress { path: signal.path.clone(), block: signal.block },
            Breakpoint::Line { block, .. } => block.clone(),
        }
    }
}

/// The condition of a breakpoint. The run pauses in a step in which it becomes true for an element of the signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// The value is above the limit, and was not in the step before.
    Above(f64),
    Below(f64),
    /// The value reaches or passes the limit, from either side.
    Crosses(f64),
    /// The value differs from that of the step before.
    Changes,
    /// The value is infinite or not-a-number, and was not in the step before.
    NonFinite,
}

impl Condition {
    /// Whether the condition becomes true with `now`, after `before`; `None` if there was no step before.
    pub fn begins(self, before: Option<f64>, now: f64) -> bool {
        if is_unset(now) {
            return false;
        }
        let before = before.filter(|before| !is_unset(*before));
        let rises = |holds: &dyn Fn(f64) -> bool| holds(now) && !before.is_some_and(holds);
        match self {
            Condition::Above(limit) => rises(&|value| value > limit),
            Condition::Below(limit) => rises(&|value| value < limit),
            Condition::NonFinite => rises(&|value: f64| !value.is_finite()),
            Condition::Crosses(limit) => {
                before.is_some_and(|before| (before < limit && now >= limit) || (before > limit && now <= limit))
            }
            Condition::Changes => before.is_some_and(|before| before.to_bits() != now.to_bits()),
        }
    }
}

/// A breakpoint that is active in a run.
pub(super) struct Armed {
    /// Its index in the list of breakpoints.
    pub number: usize,
    /// The output of its signal.
    pub output: OutputId,
    condition: Condition,
    /// The elements in the step before; empty if they are not known.
    before: Vec<f64>,
}

impl Armed {
    /// Returns the breakpoints whose signals the program has.
    pub fn all(program: &Program, breakpoints: &[Breakpoint]) -> Vec<Armed> {
        let armed = breakpoints.iter().enumerate().filter_map(|(number, breakpoint)| {
            let Breakpoint::Signal { signal, condition } = breakpoint else { return None };
            let output = program.output_of(signal)?;
            Some(Armed { number, output, condition: *condition, before: Vec::new() })
        });
        armed.collect()
    }

    /// Returns the first of `count` rows in which the condition becomes true.
    pub fn first_hit(&self, watch: &Watch, count: usize) -> Option<usize> {
        let width = watch.values.len().checked_div(count).filter(|width| *width > 0)?;
        let mut before = self.before.as_slice();
        for (row, now) in watch.values.chunks_exact(width).enumerate() {
            let elements = now.iter().enumerate();
            if elements.clone().any(|(element, now)| self.condition.begins(before.get(element).copied(), *now)) {
                return Some(row);
            }
            before = now;
        }
        None
    }

    /// Whether the condition becomes true in the last of `count` rows.
    pub fn is_hit_last(&self, watch: &Watch, count: usize) -> bool {
        let Some(width) = watch.values.len().checked_div(count) else { return false };
        let now = &watch.values[watch.values.len() - width..];
        now.iter().enumerate().any(|(element, now)| self.condition.begins(self.before.get(element).copied(), *now))
    }

    /// Keeps the last of `count` rows for the next call.
    pub fn remember(&mut self, watch: &Watch, count: usize) {
        let Some(width) = watch.values.len().checked_div(count) else { return };
        self.before.clear();
        self.before.extend_from_slice(&watch.values[watch.values.len() - width..]);
    }

    /// Forgets the step before, when the run continues from another step.
    pub fn forget(&mut self) {
        self.before.clear();
    }
}

/// A breakpoint on a line of code that is active in a run.
pub(super) struct ArmedLine {
    /// Its index in the list of breakpoints.
    pub number: usize,
    unit: UnitId,
    /// The characters of the line.
    line: Range<usize>,
    /// The outputs whose values decide which statements are executed.
    pub sources: Vec<OutputId>,
}

impl ArmedLine {
    /// Returns the breakpoints on lines whose code the program has.
    pub fn all(program: &Program, breakpoints: &[Breakpoint]) -> Vec<ArmedLine> {
        let armed = breakpoints.iter().enumerate().filter_map(|(number, breakpoint)| {
            let Breakpoint::Line { block, line, code } = breakpoint else { return None };
            let unit = program.unit_of(block)?;
            program.code_of(unit).filter(|of| of.text == **code)?;
            Some(ArmedLine { number, unit, line: characters(code, *line)?, sources: program.code_sources(unit) })
        });
        armed.collect()
    }

    /// Whether a statement of the line was executed in the step that has begun with a context. `watches` are those of
    /// `sources`, of which the last rows are those of the step.
    pub fn is_hit(&self, program: &Program, begin: &Context, watches: &[Watch]) -> bool {
        let value = |output: OutputId| {
            let watch = watches.iter().find(|watch| watch.output == output);
            let width = program.outputs[output].width as usize;
            let row = watch.and_then(|watch| watch.values.len().checked_sub(width).map(|start| &watch.values[start..]));
            let row = row.filter(|row| !row.iter().any(|element| is_unset(*element)));
            row.unwrap_or_default().to_vec()
        };
        let watched = program.watch_code(self.unit, begin, &value);
        watched.is_ok_and(|watched| watched.reached.range(self.line.clone()).next().is_some())
    }
}

/// Returns the indices of the characters of a line, which is counted from 1.
fn characters(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (index, text) in text.split('\n').enumerate() {
        let end = start + text.chars().count();
        if index + 1 == line {
            return Some(start..end);
        }
        start = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_begins_once() {
        let begins = |condition: Condition, values: &[f64]| -> Vec<usize> {
            let before = |at: usize| at.checked_sub(1).map(|at| values[at]);
            (0..values.len()).filter(|at| condition.begins(before(*at), values[*at])).collect()
        };
        let values = [0.0, 2.0, 3.0, 1.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY, 0.0];
        assert_eq!(begins(Condition::Above(1.0), &values), [1, 6, 8]);
        assert_eq!(begins(Condition::Below(0.5), &values), [0, 4, 9]);
        assert_eq!(begins(Condition::Crosses(1.0), &values), [1, 3, 5, 9]);
        assert_eq!(begins(Condition::NonFinite, &values), [7]);
        assert_eq!(begins(Condition::Changes, &[1.0, 1.0, 2.0, f64::NAN, f64::NAN, 0.0, -0.0]), [2, 3, 5, 6]);
    }

    #[test]
    fn what_is_not_set_begins_nothing() {
        let unset = crate::engine::UNSET;
        assert!(!Condition::NonFinite.begins(None, unset));
        assert!(!Condition::Changes.begins(Some(unset), 1.0));
        assert!(Condition::Above(0.0).begins(Some(unset), 1.0));
    }
}
