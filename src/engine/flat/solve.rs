//! The solver's further stages and the new continuous states, as instructions.

use std::collections::HashMap;

use super::super::Solver;
use super::batch::{Value, run};
use super::lower::copy;
use super::space::{Class, Space};
use super::{Act, Arg, Code, Ins};
use crate::block::Binary;

/// The rate of change of states side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub state: u32,
    pub lanes: u32,
    /// In any stage.
    pub value: Value,
    /// In the first, where no new state overwrites it.
    pub first: Arg,
}

/// Appends all that carries the continuous states over the step.
pub(super) fn integrate(solver: Solver, code: &mut Code, space: &mut Space, rates: &[Rate], helds: &[(usize, u32)]) {
    if rates.is_empty() {
        return;
    }
    let (stages, h) = (solver.stages(), code.delta);
    let needed = Needed::new(code, space, rates);
    let helds: HashMap<usize, u32> = helds.iter().copied().collect();
    let mut tables = HashMap::new();
    let mut all: Vec<Vec<Arg>> = vec![rates.iter().map(|rate| rate.first).collect()];
    for (stage, &part) in stages.iter().enumerate().skip(1) {
        let length = space.constant(part * h);
        let before = &all[stage - 1];
        for (rate, &k) in rates.iter().zip(before) {
            if needed.any(rate.state, rate.lanes) {
                let step = space.take(Class::Step, rate.lanes);
                binary(code, Binary::Mul, step, rate.lanes, length, k);
                let (x, step) = (run(rate.state, rate.lanes), run(step, rate.lanes));
                binary(code, Binary::Add, Space::minor(rate.state), rate.lanes, x, step);
            }
        }
        for &at in &needed.list {
            let mut ins = code.step[at];
            if let Some(&next) = helds.get(&at) {
                ins.args[0] = run(next, ins.lanes);
            }
            if let Act::StageTime(_) = ins.act {
                ins.act = Act::StageTime(part);
            }
            let lanes: Vec<u32> = ins.reads().map(|(_, lanes)| lanes).collect();
            for (arg, lanes) in ins.args.iter_mut().zip(lanes) {
                *arg = minor(*arg, lanes, &mut code.tables, &mut tables);
            }
            ins.dst = Space::minor(ins.dst);
            code.step.push(ins);
        }
        let is_last = stage + 1 == stages.len();
        let mut found = Vec::with_capacity(rates.len());
        for rate in rates {
            found.push(match rate.value.class {
                Class::Stage => {
                    let k = minor(rate.value.arg, rate.lanes, &mut code.tables, &mut tables);
                    if is_last { k } else { set_aside(code, space, k, rate.lanes) }
                }
                _ => rate.first,
            });
        }
        all.push(found);
    }
    for (number, rate) in rates.iter().enumerate() {
        let ks: Vec<Arg> = all.iter().map(|stage| stage[number]).collect();
        advance(solver, code, space, rate, &ks, h);
    }
}

fn set_aside(code: &mut Code, space: &mut Space, k: Arg, lanes: u32) -> Arg {
    let count = if let Arg::One(_) = k { 1 } else { lanes };
    let cells = space.take(Class::Step, count);
    code.step.push(copy(cells, k, count));
    run(cells, count)
}

/// The same operations in the same order as [`Solver::advance`].
fn advance(solver: Solver, code: &mut Code, space: &mut Space, rate: &Rate, ks: &[Arg], h: f64) {
    let lanes = rate.lanes;
    let (h, two, six) = (space.constant(h), space.constant(2.0), space.constant(6.0));
    let mut make = |op, a, b| {
        let cells = space.take(Class::Step, lanes);
        binary(code, op, cells, lanes, a, b);
        run(cells, lanes)
    };
    let step = match (solver, ks) {
        (Solver::Euler, &[k1]) => make(Binary::Mul, h, k1),
        (Solver::Heun, &[k1, k2]) => {
            let sum = make(Binary::Add, k1, k2);
            let product = make(Binary::Mul, h, sum);
            make(Binary::Div, product, two)
        }
        (Solver::Rk4, &[k1, k2, k3, k4]) => {
            let (second, third) = (make(Binary::Mul, two, k2), make(Binary::Mul, two, k3));
            let sum = make(Binary::Add, k1, second);
            let sum = make(Binary::Add, sum, third);
            let sum = make(Binary::Add, sum, k4);
            let product = make(Binary::Mul, h, sum);
            make(Binary::Div, product, six)
        }
        _ => panic!("{solver:?} has {} stages, not {}", solver.stages().len(), ks.len()),
    };
    binary(code, Binary::Add, rate.state, lanes, run(rate.state, lanes), step);
}

fn binary(code: &mut Code, op: Binary, dst: u32, lanes: u32, a: Arg, b: Arg) {
    code.step.push(Ins { act: Act::Binary(op), lanes, dst, args: [a, b, Arg::One(0)] });
}

fn minor(arg: Arg, lanes: u32, tables: &mut Vec<u32>, known: &mut HashMap<u32, u32>) -> Arg {
    match arg {
        Arg::One(at) => Arg::One(Space::minor(at)),
        Arg::Run(at) => Arg::Run(Space::minor(at)),
        Arg::Table(at) => Arg::Table(*known.entry(at).or_insert_with(|| {
            let copy = tables.len() as u32;
            for lane in at..at + lanes {
                tables.push(Space::minor(tables[lane as usize]));
            }
            copy
        })),
    }
}

/// What of the pass that counts the further stages run again.
struct Needed {
    cells: Vec<bool>,
    /// Places among the step's instructions.
    list: Vec<usize>,
}

impl Needed {
    fn new(code: &Code, space: &Space, rates: &[Rate]) -> Needed {
        let mut needed = Needed { cells: vec![false; space.stage_count()], list: Vec::new() };
        for rate in rates {
            needed.mark(rate.value.arg, rate.lanes, code);
        }
        for (at, ins) in code.step[..code.sampled].iter().enumerate().rev() {
            if Space::is_stage(ins.dst) && needed.any(ins.dst, ins.written()) {
                needed.list.push(at);
                ins.reads().for_each(|(arg, lanes)| needed.mark(arg, lanes, code));
            }
        }
        needed.list.reverse();
        needed
    }

    fn mark(&mut self, arg: Arg, lanes: u32, code: &Code) {
        let count = if let Arg::One(_) = arg { 1 } else { lanes };
        for lane in 0..count {
            let cell = arg.cell(&code.tables, lane);
            if Space::is_stage(cell) {
                self.cells[Space::stage_index(cell)] = true;
            }
        }
    }

    fn any(&self, cell: u32, count: u32) -> bool {
        let first = Space::stage_index(cell);
        self.cells[first..first + count as usize].contains(&true)
    }
}
