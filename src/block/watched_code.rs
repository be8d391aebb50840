//! The code of a block, which can be run again with the numbers of a step to see what its variables were.

use super::SignalType;
use super::language::{Kept, Matrix, Program, Shape, Watched, WatchedArgument, watch};

/// The code of a block and where its values come from.
#[derive(Clone, Debug)]
pub struct WatchedCode {
    pub text: String,
    pub program: Program,
    /// The arguments of the function that is run, in their order.
    pub arguments: Vec<CodeArgument>,
    /// The persistent variables that the block keeps.
    pub kept: Vec<KeptVariable>,
    /// The number of the state that is 1 before the first step, if there is one.
    pub first: Option<usize>,
    /// The step size in seconds.
    pub delta: f64,
}

/// Where an argument comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeArgument {
    /// An input, by its number, and its type.
    Input(usize, SignalType),
    /// An input that is a matrix, by its number, and its number of rows.
    Matrix { port: usize, rows: usize },
    /// A parameter that is a column, with its elements.
    Known(Vec<f64>),
    /// A parameter, by its number in the definition, with its elements where it is none that may change in the run, and its
    /// number of rows.
    Param { index: usize, values: Vec<f64>, rows: usize },
}

/// A persistent variable and the state that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptVariable {
    /// Its function and name.
    pub key: String,
    pub shape: Shape,
    /// The numbers of its states among those of the block.
    pub states: Vec<usize>,
}

/// Whether a block runs for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeStep {
    First,
    Later,
}

impl WatchedCode {
    /// Runs the code with numbers. `param` returns the elements of a parameter that may change in the run, by its number in
    /// the definition. `states` has the elements of each of the block's states at the start of the step, and
    /// `time` is that of the step in seconds.
    pub fn step(
        &self,
        inputs: &[Vec<f64>],
        param: &dyn Fn(usize) -> Option<Vec<f64>>,
        states: &[Vec<f64>],
        time: f64,
        step: CodeStep,
    ) -> Watched {
        let argument = |argument: &CodeArgument| match argument {
            CodeArgument::Input(number, kind) => {
                WatchedArgument::Signal(inputs.get(*number).cloned().unwrap_or_default(), kind.clone())
            }
            CodeArgument::Matrix { port, rows } => {
                let values = inputs.get(*port).cloned().unwrap_or_default();
                WatchedArgument::Matrix(Matrix { values, rows: *rows })
            }
            CodeArgument::Known(values) => WatchedArgument::Signal(values.clone(), SignalType::plain(values.len())),
            CodeArgument::Param { index, values, rows } => {
                let values = param(*index).unwrap_or_else(|| values.clone());
                WatchedArgument::Matrix(Matrix { values, rows: *rows })
            }
        };
        let arguments: Vec<_> = self.arguments.iter().map(argument).collect();
        let clock = [time, self.delta];
        let leaves = |kept: &KeptVariable| -> Vec<Vec<f64>> {
            kept.states.iter().map(|state| states.get(*state).cloned().unwrap_or_default()).collect()
        };
        if step == CodeStep::First {
            let watched = watch(&self.program, &arguments, &[], clock);
            // A user may have set a state before the first step, which the code then keeps.
            let is_kept = |(key, values): &(String, Vec<f64>)| {
                let kept = self.kept.iter().find(|kept| kept.key == *key).map(|kept| leaves(kept).concat());
                kept.is_none_or(|kept| is_same(&kept, values) || self.first.is_some())
            };
            if watched.kept.iter().all(is_kept) {
                return watched;
            }
        }
        let kept = self.kept.iter();
        let kept = kept.map(|kept| Kept { key: kept.key.clone(), shape: kept.shape.clone(), leaves: leaves(kept) });
        let kept: Vec<Kept> = kept.collect();
        watch(&self.program, &arguments, &kept, clock)
    }
}

fn is_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}
