//! Watched values on their way out of a run, a block of steps at a time.

use super::context::canonical;
use super::{Context, Program};

/// Which outputs are watched, and what they were since the last time somebody looked.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    watches: Vec<Watch>,
    /// The step of the first sample.
    first: u64,
    count: usize,
}

/// A watched output.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The output's number in the program.
    pub output: usize,
    /// Its lanes, step after step; [`super::UNSET`] where it was not set yet, any other not-a-number [`f64::NAN`].
    pub values: Vec<f64>,
}

impl Samples {
    pub fn new(outputs: impl IntoIterator<Item = usize>) -> Samples {
        let watches = outputs.into_iter().map(|output| Watch { output, values: Vec::new() });
        Samples { watches: watches.collect(), first: 0, count: 0 }
    }

    /// Notes the values of the step that the context is in.
    pub fn take(&mut self, program: &Program, context: &Context) {
        self.begin(context.step, 1);
        for watch in &mut self.watches {
            let place = &program.outputs[watch.output];
            let lanes = place.offset as usize..(place.offset + place.width) as usize;
            watch.values.extend(context.values[lanes].iter().copied().map(canonical));
        }
    }

    /// Notes the values of `step`, whose outputs begin at `cell_of` in `cells`.
    pub(super) fn note(&mut self, program: &Program, step: u64, cell_of: impl Fn(usize) -> u32, cells: &[f64]) {
        self.begin(step, 1);
        for watch in &mut self.watches {
            let first = cell_of(watch.output) as usize;
            let width = program.outputs[watch.output].width as usize;
            watch.values.extend(cells[first..first + width].iter().copied().map(canonical));
        }
    }

    /// Notes the values of steps from `step` on: a row for each, with all lanes of each watched output in turn.
    pub(super) fn note_rows(&mut self, program: &Program, step: u64, count: usize, rows: &[f64]) {
        self.begin(step, count);
        let Some(row) = rows.len().checked_div(count) else { return };
        let mut first = 0;
        for watch in &mut self.watches {
            let width = program.outputs[watch.output].width as usize;
            match (row, width) {
                (0, _) | (_, 0) => {}
                (row, 1) => watch.values.extend(rows[first..].iter().step_by(row).copied().map(canonical)),
                (row, width) => {
                    let lanes =
                        |row: &[f64]| watch.values.extend(row[first..first + width].iter().copied().map(canonical));
                    rows.chunks_exact(row).for_each(lanes);
                }
            }
            first += width;
        }
    }

    /// Takes back the last step's values.
    pub(super) fn retract(&mut self, program: &Program) {
        self.count = self.count.saturating_sub(1);
        for watch in &mut self.watches {
            let width = program.outputs[watch.output].width as usize;
            watch.values.truncate(watch.values.len().saturating_sub(width));
        }
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

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }

    pub fn clear(&mut self) {
        self.count = 0;
        self.watches.iter_mut().for_each(|watch| watch.values.clear());
    }
}
