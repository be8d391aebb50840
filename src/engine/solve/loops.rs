//! Algebraic loops: their torn outputs, and the values that solve them, found by Newton's method.

use super::super::program::AlgebraicLoop;
use super::super::{OutputId, Program, Unit};
use super::interpret::{Env, Interpreter, record_of};
use super::tangent::{Seeds, StepChanges, Tangents};
use crate::block::Kernel;
use crate::block::math::Factors;
use crate::engine::program::fault::Fault;

/// Why a loop was not solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unsolved {
    /// No values were found, or the run was cancelled.
    #[default]
    NotFound,
    /// The start values solve it, and so do others beside them.
    Ambiguous,
}

/// The growth of a vector by the inverse of `I − J` from which on the matrix counts as singular.
const SINGULAR: f64 = 1e14;

/// Newton iterations after which the search gives up.
const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 40;

/// Solves algebraic loops, and differentiates their solutions. Its memory is allocated once and used in every step.
#[derive(Debug)]
pub struct LoopSolver {
    interpreter: Interpreter,
    tangents: Tangents,
    /// The values of members and externals.
    values: Vec<f64>,
    /// The directional derivatives of `values`.
    changes: Vec<f64>,
    factors: Factors,
    still: Vec<f64>,
    search: NewtonVectors,
}

/// The vectors of a Newton search, each as long as all torn outputs together; `columns` is their square.
#[derive(Debug, Default)]
struct NewtonVectors {
    sizes: Vec<f64>,
    step: Vec<f64>,
    /// The recomputed torn outputs at the current point, and at the next one.
    back: Vec<f64>,
    next_back: Vec<f64>,
    next: Vec<f64>,
    rest: Vec<f64>,
    /// The derivatives of the recomputed torn outputs, in column-major order.
    columns: Vec<f64>,
}

impl LoopSolver {
    /// Returns `None` if the program has no loops.
    pub fn new(program: &Program) -> Option<LoopSolver> {
        let scratch = program.kernels.values().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let widest = program.states.iter().map(|state| state.width).max().unwrap_or(0);
        (!program.loops.is_empty()).then(|| LoopSolver {
            interpreter: Interpreter::without_loops(program),
            tangents: Tangents::new(scratch),
            values: vec![0.0; program.value_count],
            changes: vec![0.0; program.value_count],
            factors: Factors::default(),
            still: vec![0.0; widest as usize],
            search: NewtonVectors::default(),
        })
    }

    /// Replaces the start values `z` of the iteration by the values that solve the loop. Everything but the unit is
    /// read from `env`.
    ///
    /// # Errors
    /// If no solution is found, or more than one, or the run is cancelled; all elements of `z` are then NaN.
    pub fn solve(&mut self, number: usize, env: &Env, z: &mut [f64]) -> Result<(), Unsolved> {
        let of = &env.program.loops[number];
        copy_externals(env.program, of, env.values, &mut self.values);
        let mut search = std::mem::take(&mut self.search);
        // It starts from the last solution, then from fixed points.
        let mut found = Err(Unsolved::NotFound);
        for start in [None, Some(0.0), Some(1.0)] {
            if let Some(start) = start {
                z.fill(start);
            }
            found = self.search(of, env, z, &mut search);
            if found != Err(Unsolved::NotFound) {
                break;
            }
        }
        self.search = search;
        if found.is_err() {
            z.fill(f64::NAN);
        }
        found
    }

    /// Searches from one start, and refuses a start that solves the loop among others.
    fn search(
        &mut self,
        of: &AlgebraicLoop,
        env: &Env,
        z: &mut [f64],
        search: &mut NewtonVectors,
    ) -> Result<(), Unsolved> {
        match self.iterate(of, env, z, search) {
            None => Err(Unsolved::NotFound),
            Some(0) if self.is_ambiguous(of, env, z, search) => Err(Unsolved::Ambiguous),
            Some(_) => Ok(()),
        }
    }

    /// Whether the values beside a solution, which was evaluated last, solve the loop too: `I − J` is singular, and along
    /// its null vector nothing changes. Where something does, as for x = x + (x − 1)², the solution stands alone.
    fn is_ambiguous(&mut self, of: &AlgebraicLoop, env: &Env, z: &[f64], search: &mut NewtonVectors) -> bool {
        let NewtonVectors { step: null, next_back, next, columns, .. } = search;
        let width = of.width;
        let is_regular = self.factor(of, env, next, columns);
        if columns.len() != width * width || columns.iter().any(|element| !element.is_finite()) {
            return false;
        }
        if !is_regular {
            // A matrix beside the singular one has nearly its null vector.
            let element = |row: usize, column: usize| {
                f64::from(u8::from(row == column)) * (1.0 + 1e-15) - columns[column * width + row]
            };
            if !self.factors.factor(width, element) {
                return false;
            }
        }
        // Elements of several sizes, of which the null vector has a part.
        set(null, (0..width).map(|index| 1.0 / (1 + index % 7) as f64));
        self.factors.solve(null);
        let largest = null.iter().fold(0.0, |largest: f64, element| largest.max(element.abs()));
        if !(SINGULAR..f64::INFINITY).contains(&largest) {
            return false;
        }
        let size = z.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        let size = if size == 0.0 { 1.0 } else { size };
        [0.1, 0.01].into_iter().any(|part| {
            let distance = part * size;
            set(next, z.iter().zip(&*null).map(|(z, null)| z + distance * (null / largest)));
            self.evaluate(of, env, next, next_back);
            let solves = |(next, back): (&f64, &f64)| {
                (back - next).abs() <= 1e-13 * distance + 64.0 * f64::EPSILON * next.abs().max(back.abs())
            };
            next.iter().zip(&*next_back).all(solves)
        })
    }

    /// Replaces `z` by values that solve the loop. Returns the number of Newton steps; `None` if it finds no solution.
    fn iterate(&mut self, of: &AlgebraicLoop, env: &Env, z: &mut [f64], search: &mut NewtonVectors) -> Option<usize> {
        let NewtonVectors { sizes, step, back, next_back, next, rest, columns } = search;
        self.evaluate(of, env, z, back);
        let mut is_close = false;
        for iteration in 0..MAX_ITERATIONS {
            if back.iter().any(|back| !back.is_finite()) {
                return None;
            }
            set(sizes, z.iter().zip(&*back).map(|(z, back)| z.abs().max(back.abs())));
            set(step, z.iter().zip(&*back).map(|(z, back)| back - z));
            if step.iter().zip(&*sizes).all(|(step, size)| step.abs() <= f64::EPSILON * size) {
                return Some(iteration);
            }
            if !self.factor(of, env, next, columns) {
                return None;
            }
            let far = distance(step, sizes);
            self.factors.solve(step);
            let is_small = step.iter().zip(&*sizes).all(|(step, size)| step.abs() <= 1e-13 * size);
            is_close = step.iter().zip(&*sizes).all(|(step, size)| step.abs() <= 1e-10 * size);
            let mut part = 1.0;
            let mut is_nearer = false;
            for _ in 0..MAX_HALVINGS {
                if env.is_cancelled() {
                    return None;
                }
                set(next, z.iter().zip(&*step).map(|(z, step)| z + part * step));
                self.evaluate(of, env, next, next_back);
                set(rest, next.iter().zip(&*next_back).map(|(z, back)| back - z));
                is_nearer = distance(rest, sizes) < far;
                if is_nearer {
                    z.copy_from_slice(next);
                    std::mem::swap(back, next_back);
                    break;
                }
                if is_small {
                    break;
                }
                part *= 0.5;
            }
            // Rounding prevents a better value: this is the solution.
            if is_small || !is_nearer && is_close {
                return Some(iteration + 1);
            }
            if !is_nearer {
                return None;
            }
        }
        // Rounding may leave room for ever smaller steps that come nearer, and for none that arrives.
        is_close.then_some(MAX_ITERATIONS)
    }

    /// Runs the members with the torn outputs set to `z`, and sets `back` to the values of these outputs afterwards.
    fn evaluate(&mut self, of: &AlgebraicLoop, env: &Env, z: &[f64], back: &mut Vec<f64>) {
        let program = env.program;
        set_torn(program, of, &mut self.values, z.iter().copied());
        for &member in &of.members {
            let unit = &program.units[member];
            let kernel = program.kernel(unit);
            self.interpreter.run(kernel, &kernel.run, &Env { unit, values: &self.values, ..*env });
            for (output, reg) in published(unit, kernel) {
                self.values[program.outputs[output].elements()].copy_from_slice(self.interpreter.value(kernel, reg));
            }
        }
        back.clear();
        append_torn(program, of, &self.values, back);
    }

    /// Factors `I − J`, where `J` is the Jacobian of the recomputed torn outputs, at the point that was evaluated last.
    /// `unused` and `columns` are working memory. Returns false if the matrix is singular or the run is cancelled.
    fn factor(&mut self, of: &AlgebraicLoop, env: &Env, unused: &mut Vec<f64>, columns: &mut Vec<f64>) -> bool {
        let width = of.width;
        columns.clear();
        self.changes.fill(0.0);
        for column in 0..width {
            if env.is_cancelled() {
                return false;
            }
            set(unused, (0..width).map(|row| f64::from(u8::from(row == column))));
            set_torn(env.program, of, &mut self.changes, unused.iter().copied());
            self.differentiate(of, env, (&[], 0.0), None, columns);
        }
        self.factors.factor(width, |row, column| f64::from(u8::from(row == column)) - columns[column * width + row])
    }

    /// Appends the directional derivatives of the torn outputs to `found`, where those of externals and torn inputs are
    /// set in `changes`. `direction` has those of the continuous states (none: all 0) and of the time.
    fn differentiate(
        &mut self,
        of: &AlgebraicLoop,
        env: &Env,
        direction: (&[f64], f64),
        steps: Option<&dyn StepChanges>,
        found: &mut Vec<f64>,
    ) {
        let program = env.program;
        let (states, time) = direction;
        for &member in &of.members {
            let unit = &program.units[member];
            let kernel = program.kernel(unit);
            self.interpreter.run(kernel, &kernel.run, &Env { unit, values: &self.values, ..*env });
            let (changes, still) = (&self.changes, &self.still);
            let seeds = Seeds {
                inputs: &|input| &changes[program.input_elements(unit, input)],
                states: &|state| {
                    let slot = program.state(unit, state);
                    match states.is_empty() {
                        true => &still[..slot.width as usize],
                        false => &states[slot.elements()],
                    }
                },
                records: &|record| record_of(program, unit, env.context, record),
                now: env.time,
                time,
                looped: &[],
                steps: steps.map(|steps| (unit, steps)),
            };
            self.tangents.run(kernel, &kernel.run, self.interpreter.scratch(), seeds);
            for (output, reg) in published(unit, kernel) {
                self.changes[program.outputs[output].elements()].copy_from_slice(self.tangents.of(kernel, reg));
            }
        }
        append_torn(program, of, &self.changes, found);
    }

    /// Sets `found` to the directional derivative of the solution `z` of [`LoopSolver::solve`], by the implicit function
    /// theorem. `direction` has the derivatives of all outputs, of the continuous states and of the time; those of
    /// discrete states and parameters come from `steps`, and are 0 without it.
    pub fn tangent(
        &mut self,
        number: usize,
        env: &Env,
        z: &[f64],
        direction: (&[f64], &[f64], f64),
        steps: Option<&dyn StepChanges>,
        found: &mut Vec<f64>,
    ) {
        let of = &env.program.loops[number];
        let (changes, states, time) = direction;
        copy_externals(env.program, of, env.values, &mut self.values);
        let mut search = std::mem::take(&mut self.search);
        self.evaluate(of, env, z, &mut search.back);
        found.clear();
        if self.factor(of, env, &mut search.next, &mut search.columns) {
            copy_externals(env.program, of, changes, &mut self.changes);
            set_torn(env.program, of, &mut self.changes, std::iter::repeat(0.0));
            self.differentiate(of, env, (states, time), steps, found);
            self.factors.solve(found);
        } else {
            found.resize(of.width, f64::NAN);
        }
        self.search = search;
    }
}

impl AlgebraicLoop {
    /// Returns the fault of a loop that was not solved.
    pub(in super::super) fn fault(&self, program: &Program, why: Unsolved) -> Fault {
        let names = self.members.iter().map(|&member| program.title(member)).collect::<Vec<_>>().join(", ");
        let problem = match why {
            Unsolved::NotFound => format!("no values are found that close the loop of {names}"),
            Unsolved::Ambiguous => format!(
                "the equations of the loop of {names} are singular: more than one value solves them; put a delay into the \
                 loop, or change it so that one value closes it"
            ),
        };
        Fault::new(self.members.first().copied(), problem)
    }
}

/// Returns the outputs that a member computes when it runs, and the register of each.
fn published<'a>(unit: &'a Unit, kernel: &'a Kernel) -> impl Iterator<Item = (OutputId, u32)> + 'a {
    let outputs = kernel.outputs.iter().enumerate().filter(|(_, made)| !made.needs.is_empty());
    outputs.map(|(output, made)| (unit.first_output + output, made.reg))
}

fn copy_externals(program: &Program, of: &AlgebraicLoop, from: &[f64], to: &mut [f64]) {
    for &output in &of.externals {
        let elements = program.outputs[output].elements();
        to[elements.clone()].copy_from_slice(&from[elements]);
    }
}

/// Sets the outputs of the unit that the loop's members read in place of the torn outputs.
fn set_torn(program: &Program, of: &AlgebraicLoop, values: &mut [f64], mut z: impl Iterator<Item = f64>) {
    for output in program.outputs_of(&program.units[of.unit]) {
        values[program.outputs[output].elements()].iter_mut().zip(&mut z).for_each(|(to, z)| *to = z);
    }
}

fn append_torn(program: &Program, of: &AlgebraicLoop, values: &[f64], to: &mut Vec<f64>) {
    of.torn.iter().for_each(|&output| to.extend_from_slice(&values[program.outputs[output].elements()]));
}

fn set(vector: &mut Vec<f64>, elements: impl Iterator<Item = f64>) {
    vector.clear();
    vector.extend(elements);
}

fn distance(step: &[f64], sizes: &[f64]) -> f64 {
    let parts = step.iter().zip(sizes).map(|(step, size)| step / (size + f64::MIN_POSITIVE));
    let sum = parts.fold(0.0, |sum, part| sum + part * part);
    if sum.is_nan() { f64::INFINITY } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Registry;
    use crate::engine::{Cancel, Context, compile};
    use crate::model::{Block, BlockId, BlockKind, Connection, Simulation};

    /// x = 8 − 3·x.
    fn program() -> Program {
        let mut simulation = Simulation::new("Main");
        simulation.attributes.set("loops", "solve");
        let model = simulation.model_mut("Main").expect("the root");
        let library = |group, name| BlockKind::library(group, name);
        model.add_block(Block::new(BlockId(0), library("Var", "Static")).with_option("Value", &["8"]));
        model.add_block(Block::new(BlockId(1), library("Math", "Sum")).with_option("Signs", &["+-"]));
        model.add_block(Block::new(BlockId(2), library("Math", "Gain")).with_option("Gain", &["3"]));
        for (from, to, input) in [(0, 1, "Input 1"), (2, 1, "Input 2"), (1, 2, "Input")] {
            model.connect(Connection::new(BlockId(from), "Output", BlockId(to), input));
        }
        compile(&simulation, &Registry::standard()).unwrap_or_else(|found| panic!("{found:#?}"))
    }

    #[test]
    fn a_search_ends_when_the_run_is_cancelled() {
        let program = program();
        let context = Context::new(&program);
        let mut solver = LoopSolver::new(&program).expect("there is a loop");
        let unit = &program.units[program.loops[0].unit];
        let values = vec![8.0; program.value_count];
        let cancel = Cancel::new();
        let env = Env { values: &values, cancel: Some(&cancel), ..Env::of_parameters(&program, unit, &context) };
        let mut z = vec![0.0; program.loops[0].width];
        assert_eq!(solver.solve(0, &env, &mut z), Ok(()));
        assert!([2.0, 6.0].contains(&z[0]), "the sum is 2, the gain 6: {z:?}");
        cancel.cancel();
        z.fill(0.0);
        assert_eq!(solver.solve(0, &env, &mut z), Err(Unsolved::NotFound));
        assert!(z[0].is_nan());
    }
}
