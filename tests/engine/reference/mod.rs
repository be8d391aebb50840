//! The meaning of a step: the rules that the reference engine states and all engines keep.

mod assertions;
mod conditional;
pub mod endless_steps;
mod failures;
mod for_each;
mod intermittent;
mod iterated;
mod steps;

use crate::sketch::{Run, Sketch};
use simulate::engine::Samples;

const ENGINES: [&str; 3] = ["simple", "flat", "compiled"];

/// Runs on every engine, step by step and in longer calls; compares the exits in the first steps.
fn check(sketch: &Sketch, exits: &[(&str, &[f64])]) {
    for engine in ENGINES {
        for chunks in [&[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1][..], &[100], &[2, 5, 100]] {
            let mut run = Run::new(&sketch.simulation, engine);
            let known = run.program.exits();
            for (exit, want) in exits {
                let (.., output) = known.iter().find(|(name, ..)| &**name == *exit).expect("the exit");
                run.context.reset(&run.program.clone());
                let mut samples = Samples::new([*output]);
                chunks.iter().for_each(|count| run.watched_steps(*count, &mut samples));
                let width = run.program.outputs[*output].width as usize;
                let got = &samples.watches()[0].values;
                let count = want.len().min(got.len());
                assert!(count >= want.len().min(14 * width), "enough steps");
                assert_eq!(&got[..count], &want[..count], "{exit} on {engine}, {chunks:?} steps a call");
            }
        }
    }
}
