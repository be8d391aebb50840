//! Watched values on their way out of a run, a block of steps at a time.

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
    /// Its lanes, step after step; [`super::UNSET`] where it was not set yet.
    pub values: Vec<f64>,
}

impl Samples {
    pub fn new(outputs: impl IntoIterator<Item = usize>) -> Samples {
        let watches = outputs.into_iter().map(|output| Watch { output, values: Vec::new() });
        Samples { watches: watches.collect(), first: 0, count: 0 }
    }

    /// Notes the values of the step that the context is in.
    pub fn take(&mut self, program: &Program, context: &Context) {
        if self.count == 0 {
            self.first = context.step;
        }
        self.count += 1;
        for watch in &mut self.watches {
            let place = &program.outputs[watch.output];
            let lanes = place.offset as usize..(place.offset + place.width) as usize;
            watch.values.extend_from_slice(&context.values[lanes]);
        }
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
