//! The samples of watched outputs that leave a run, a block of steps at a time, and the assertion events of these
//! steps.

#![deny(missing_docs)]

use super::assertion::ReportRef;
use super::context::canonical;
use crate::block::Reaction;
use crate::engine::{AssertionEvent, Cancel, Context, OutputId, Program};

/// The watched outputs, and their values since the last call of [`Samples::clear`].
#[derive(Clone, Debug, Default)]
pub struct Samples {
    watches: Vec<Watch>,
    /// The step of the first sample.
    first: u64,
    count: usize,
    assertions: Vec<AssertionEvent>,
    /// Number of assertion events that were dropped.
    left_out: u64,
    /// The reaction that paused or ended the run in its last step.
    end: Option<Reaction>,
    /// The request to end the run, if the run can be cancelled.
    cancel: Option<Cancel>,
}

/// Buffer capacity for assertion events.
const MAX_ASSERTIONS: usize = 1000;

/// A watched output.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The output of the program.
    pub output: OutputId,
    /// Its elements, step after step; [`crate::engine::UNSET`] where it was not set yet, any other not-a-number [`f64::NAN`].
    pub values: Vec<f64>,
}

impl Samples {
    /// Watches outputs of the program.
    pub fn new(outputs: impl IntoIterator<Item = OutputId>) -> Samples {
        let watches = outputs.into_iter().map(|output| Watch { output, values: Vec::new() });
        Samples { watches: watches.collect(), ..Samples::default() }
    }

    /// Lets the run be ended from outside: the engine then returns behind the last whole step, without an error.
    pub fn set_cancel(&mut self, cancel: &Cancel) {
        self.cancel = Some(cancel.clone());
    }

    /// Whether the run is to end as soon as it can.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// The cancellation that an engine polls while it runs.
    pub(in crate::engine) fn cancel(&self) -> Option<Cancel> {
        self.cancel.clone()
    }

    /// Notes the values of the step that the context is in.
    pub fn take(&mut self, program: &Program, context: &Context) {
        self.begin(context.step, 1);
        for watch in &mut self.watches {
            let slot = &program.outputs[watch.output];
            let elements = slot.elements();
            watch.values.extend(context.values[elements].iter().copied().map(canonical));
        }
    }

    /// Notes the values of `step`, whose outputs begin at `cell_of` in `cells`.
    pub(in crate::engine) fn note(
        &mut self,
        program: &Program,
        step: u64,
        cell_of: impl Fn(OutputId) -> u32,
        cells: &[f64],
    ) {
        self.begin(step, 1);
        for watch in &mut self.watches {
            let first = cell_of(watch.output) as usize;
            let width = program.outputs[watch.output].width as usize;
            watch.values.extend(cells[first..first + width].iter().copied().map(canonical));
        }
    }

    /// Notes the values of `count` steps from `step` on: a column of `pitch` values for each element of each watched output
    /// in turn, of which the first `count` are those of the steps.
    pub(in crate::engine) fn note_columns(
        &mut self,
        program: &Program,
        step: u64,
        count: usize,
        (log, pitch): (&[f64], usize),
    ) {
        self.begin(step, count);
        let mut first = 0;
        for watch in &mut self.watches {
            let width = program.outputs[watch.output].width as usize;
            let columns = first..first + width;
            if width == 1 {
                watch.values.extend(log[first * pitch..][..count].iter().copied().map(canonical));
            } else {
                let start = watch.values.len();
                watch.values.resize(start + count * width, 0.0);
                for (element, column) in columns.clone().enumerate() {
                    let rows = watch.values[start..].chunks_exact_mut(width);
                    let column = &log[column * pitch..][..count];
                    rows.zip(column).for_each(|(row, value)| row[element] = canonical(*value));
                }
            }
            first = columns.end;
        }
    }

    /// Takes back the last step's values.
    pub(in crate::engine) fn retract(&mut self, program: &Program) {
        self.count = self.count.saturating_sub(1);
        for watch in &mut self.watches {
            let width = program.outputs[watch.output].width as usize;
            watch.values.truncate(watch.values.len().saturating_sub(width));
        }
    }

    /// Adds the assertion events in a step that is completed.
    pub(in crate::engine) fn report(
        &mut self,
        program: &Program,
        step: u64,
        reported: impl IntoIterator<Item = ReportRef>,
    ) {
        for assertion in program.assertions(step, reported) {
            if assertion.reaction != Reaction::Warn {
                self.end = self.end.max(Some(assertion.reaction));
                // The event that ended the run is never dropped.
                self.assertions.push(assertion);
            } else if self.assertions.len() < MAX_ASSERTIONS {
                self.assertions.push(assertion);
            } else {
                self.left_out += 1;
            }
        }
    }

    /// Begins or continues a run.
    pub(in crate::engine) fn go_on(&mut self) {
        self.end = None;
    }

    /// Whether a block has paused or ended the run with the last step, and how.
    pub fn end(&self) -> Option<Reaction> {
        self.end
    }

    /// The assertion events since the last [`Samples::clear`], in the order of the steps.
    pub fn assertions(&self) -> &[AssertionEvent] {
        &self.assertions
    }

    /// The number of events that were dropped and are not in [`Samples::assertions`].
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn begin(&mut self, step: u64, count: usize) {
        if self.count == 0 {
            self.first = step;
        }
        self.count += count;
    }

    /// The step of the first sample.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Steps since the last [`Samples::clear`].
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the watched outputs with their values.
    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }

    /// Takes out the values of each watch; [`Samples::clear`] must follow.
    pub(in crate::engine) fn take_values(&mut self) -> impl Iterator<Item = Vec<f64>> + '_ {
        // The next samples are about as many.
        self.watches.iter_mut().map(|watch| {
            let room = Vec::with_capacity(watch.values.len());
            std::mem::replace(&mut watch.values, room)
        })
    }

    /// Drops the values, so that the next call of the engine fills them anew.
    pub fn clear(&mut self) {
        self.count = 0;
        self.assertions.clear();
        self.left_out = 0;
        self.watches.iter_mut().for_each(|watch| watch.values.clear());
    }
}
