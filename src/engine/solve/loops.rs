//! Algebraic loops: what is torn open, and the values that close it again, by Newton's iteration.

use super::super::fault::Fault;
use super::super::interpret::{Env, Interpreter};
use super::super::{Program, Unit};
use super::matrix::Factors;
use super::tangent::{Seeds, StepChanges, Tangents};
use crate::block::Kernel;

/// Units that wait for each other. Some of their outputs are torn: their readers within the loop read a unit of its own
/// instead, which stands before all and finds the values that come back as they went out.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The unit that gives the torn outputs' values; its outputs are those, in order.
    pub unit: usize,
    /// The units of the loop, each behind all whose outputs it reads but for those torn.
    pub members: Vec<usize>,
    /// The members' outputs that are torn.
    pub torn: Vec<usize>,
    /// Outputs of others, or of states, that members read.
    pub externals: Vec<usize>,
    /// Lanes of all torn outputs.
    pub width: usize,
}

/// A loop that took more turns has no solution nearby.
const MOST_TURNS: usize = 100;
const MOST_HALVINGS: usize = 40;

/// Solves loops, and differentiates what it has solved.
#[derive(Debug)]
pub struct LoopSolver {
    interpreter: Interpreter,
    tangents: Tangents,
    /// The values of members and externals; and how they change in one direction.
    values: Vec<f64>,
    changes: Vec<f64>,
    factors: Factors,
    still: Vec<f64>,
}

impl LoopSolver {
    /// None where the program has no loops.
    pub fn new(program: &Program) -> Option<LoopSolver> {
        let scratch = program.kernels.iter().map(|kernel| kernel.scratch).max().unwrap_or(0);
        let widest = program.states.iter().map(|state| state.width).max().unwrap_or(0);
        (!program.loops.is_empty()).then(|| LoopSolver {
            interpreter: Interpreter::without_loops(program),
            tangents: Tangents::new(scratch),
            values: vec![0.0; program.value_count],
            changes: vec![0.0; program.value_count],
            factors: Factors::default(),
            still: vec![0.0; widest as usize],
        })
    }

    /// Turns the values `z` that the iteration begins with into those that close the loop. What it sees is that of `env`,
    /// whatever its unit. Not-a-number, and false, where they are not found.
    pub fn solve(&mut self, number: usize, env: &Env, z: &mut [f64]) -> bool {
        let of = &env.program.loops[number];
        for &output in &of.externals {
            let place = &env.program.outputs[output];
            let lanes = place.offset as usize..(place.offset + place.width) as usize;
            self.values[lanes.clone()].copy_from_slice(&env.values[lanes]);
        }
        // What was last found, or failing that anything.
        for start in [None, Some(0.0), Some(1.0)] {
            if let Some(start) = start {
                z.fill(start);
            }
            if self.search(of, env, z) {
                return true;
            }
        }
        z.fill(f64::NAN);
        false
    }

    fn search(&mut self, of: &Loop, env: &Env, z: &mut [f64]) -> bool {
        let mut back = self.go_round(of, env, z);
        for _ in 0..MOST_TURNS {
            if back.iter().any(|back| !back.is_finite()) {
                return false;
            }
            let sizes: Vec<f64> = z.iter().zip(&back).map(|(z, back)| z.abs().max(back.abs())).collect();
            let mut step: Vec<f64> = z.iter().zip(&back).map(|(z, back)| back - z).collect();
            if step.iter().zip(&sizes).all(|(step, size)| step.abs() <= f64::EPSILON * size) {
                return true;
            }
            if !self.factor(of, env) {
                return false;
            }
            let far = distance(&step, &sizes);
            self.factors.solve(&mut step);
            let is_small = step.iter().zip(&sizes).all(|(step, size)| step.abs() <= 1e-13 * size);
            let mut part = 1.0;
            let mut is_nearer = false;
            for _ in 0..MOST_HALVINGS {
                let next: Vec<f64> = z.iter().zip(&step).map(|(z, step)| z + part * step).collect();
                let next_back = self.go_round(of, env, &next);
                let rest: Vec<f64> = next.iter().zip(&next_back).map(|(z, back)| back - z).collect();
                is_nearer = distance(&rest, &sizes) < far;
                if is_nearer {
                    z.copy_from_slice(&next);
                    back = next_back;
                    break;
                }
                if is_small {
                    break;
                }
                part *= 0.5;
            }
            // Where rounding lets it come no nearer it is there.
            if is_small || !is_nearer && step.iter().zip(&sizes).all(|(step, size)| step.abs() <= 1e-10 * size) {
                return true;
            }
            if !is_nearer {
                return false;
            }
        }
        false
    }

    /// What the torn outputs become when they are taken for `z`.
    fn go_round(&mut self, of: &Loop, env: &Env, z: &[f64]) -> Vec<f64> {
        let program = env.program;
        set_lanes(program, of, &mut self.values, z);
        for &member in &of.members {
            let unit = &program.units[member];
            let kernel = program.kernel(unit);
            self.interpreter.run(kernel, &kernel.run, &Env { unit, values: &self.values, ..*env });
            for (output, reg) in made(unit, kernel) {
                let first = program.outputs[output].offset as usize;
                let lanes = self.interpreter.value(kernel, reg);
                self.values[first..first + lanes.len()].copy_from_slice(lanes);
            }
        }
        torn_lanes(program, of, &self.values)
    }

    /// Factors `I` less how what comes back changes with what goes out, at the values that were last gone round with.
    fn factor(&mut self, of: &Loop, env: &Env) -> bool {
        let width = of.width;
        let mut columns = Vec::with_capacity(width * width);
        self.changes.fill(0.0);
        for column in 0..width {
            let mut direction = vec![0.0; width];
            direction[column] = 1.0;
            set_lanes(env.program, of, &mut self.changes, &direction);
            columns.extend(self.change_round(of, env, &[], 0.0, None));
        }
        self.factors.factor(width, |row, column| f64::from(u8::from(row == column)) - columns[column * width + row])
    }

    /// How the torn outputs change, where the changes of externals and of what goes out are set.
    fn change_round(
        &mut self,
        of: &Loop,
        env: &Env,
        states: &[f64],
        time: f64,
        steps: Option<&dyn StepChanges>,
    ) -> Vec<f64> {
        let program = env.program;
        for &member in &of.members {
            let unit = &program.units[member];
            let kernel = program.kernel(unit);
            self.interpreter.run(kernel, &kernel.run, &Env { unit, values: &self.values, ..*env });
            let (changes, still) = (&self.changes, &self.still);
            let seeds = Seeds {
                inputs: &|input| {
                    let source = program.sources[unit.first_input as usize + input].map_or(0, |from| from as usize);
                    let place = &program.outputs[source];
                    &changes[place.offset as usize..(place.offset + place.width) as usize]
                },
                states: &|state| {
                    let slot = &program.states[unit.first_state as usize + state];
                    match states.is_empty() {
                        true => &still[..slot.width as usize],
                        false => &states[slot.offset as usize..(slot.offset + slot.width) as usize],
                    }
                },
                time,
                looped: &[],
                steps: steps.map(|steps| (unit, steps)),
            };
            self.tangents.run(kernel, &kernel.run, self.interpreter.scratch(), seeds);
            for (output, reg) in made(unit, kernel) {
                let first = program.outputs[output].offset as usize;
                let lanes = self.tangents.of(kernel, reg);
                self.changes[first..first + lanes.len()].copy_from_slice(lanes);
            }
        }
        torn_lanes(program, of, &self.changes)
    }

    /// How a solution of [`LoopSolver::solve`] changes where the outputs change by `changes` and the continuous states
    /// by `states`: by the theorem of implicit functions.
    /// What changes from step to step only changes as `steps` says.
    pub fn tangent(
        &mut self,
        number: usize,
        env: &Env,
        z: &[f64],
        direction: (&[f64], &[f64], f64),
        steps: Option<&dyn StepChanges>,
    ) -> Vec<f64> {
        let of = &env.program.loops[number];
        let (changes, states, time) = direction;
        for &output in &of.externals {
            let place = &env.program.outputs[output];
            let lanes = place.offset as usize..(place.offset + place.width) as usize;
            self.values[lanes.clone()].copy_from_slice(&env.values[lanes]);
        }
        self.go_round(of, env, z);
        if !self.factor(of, env) {
            return vec![f64::NAN; of.width];
        }
        for &output in &of.externals {
            let place = &env.program.outputs[output];
            let lanes = place.offset as usize..(place.offset + place.width) as usize;
            self.changes[lanes.clone()].copy_from_slice(&changes[lanes]);
        }
        set_lanes(env.program, of, &mut self.changes, &vec![0.0; of.width]);
        let mut change = self.change_round(of, env, states, time, steps);
        self.factors.solve(&mut change);
        change
    }
}

impl Loop {
    /// What is said of a loop that was not solved.
    pub(in super::super) fn fault(&self, program: &Program) -> Fault {
        let names: Vec<String> = self.members.iter().map(|&member| program.title(member)).collect();
        let problem = format!("no values are found that close the loop of {}", names.join(", "));
        Fault { unit: self.members.first().copied(), problem }
    }
}

/// The outputs that a member makes when it runs.
fn made<'a>(unit: &'a Unit, kernel: &'a Kernel) -> impl Iterator<Item = (usize, u32)> + 'a {
    let outputs = kernel.outputs.iter().enumerate().filter(|(_, made)| !made.needs.is_empty());
    outputs.map(|(output, made)| (unit.first_output as usize + output, made.reg))
}

fn set_lanes(program: &Program, of: &Loop, values: &mut [f64], z: &[f64]) {
    let mut from = z;
    for output in program.outputs_of(&program.units[of.unit]) {
        let place = &program.outputs[output];
        let (lanes, rest) = from.split_at(place.width as usize);
        values[place.offset as usize..][..lanes.len()].copy_from_slice(lanes);
        from = rest;
    }
}

fn torn_lanes(program: &Program, of: &Loop, values: &[f64]) -> Vec<f64> {
    let places = of.torn.iter().map(|&output| &program.outputs[output]);
    places.flat_map(|place| &values[place.offset as usize..][..place.width as usize]).copied().collect()
}

fn distance(step: &[f64], sizes: &[f64]) -> f64 {
    let parts = step.iter().zip(sizes).map(|(step, size)| step / (size + f64::MIN_POSITIVE));
    let sum = parts.fold(0.0, |sum, part| sum + part * part);
    if sum.is_nan() { f64::INFINITY } else { sum }
}
