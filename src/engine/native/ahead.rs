//! What no state feeds runs many steps ahead: single lanes become loops over the steps to come.

use std::sync::Arc;

use super::super::flat::{Act, Arg, Code, Ins};
use super::body::{Body, bodies};
use super::plan::{Plan, live};

/// Steps that are made ahead at once.
pub(super) const STEPS: u32 = 64;
/// Less arithmetic than this is done as quickly step by step.
const WORTH: usize = 6;

/// A step in two parts: what is made ahead for [`STEPS`] steps, where that pays, and the rest of each step.
pub(super) struct Split {
    /// Of the branches, by number.
    pub bodies: Vec<Option<Body>>,
    pub ahead: Option<(Code, Plan)>,
    pub step: Code,
    pub plan: Plan,
}

impl Split {
    /// Splits the code for the watched outputs, given by their first cells and widths.
    pub fn new(code: &Code, watched: &[(u32, u32)]) -> Split {
        let is_live = live(code, watched, &[]);
        let finder = Finder::new(code, &is_live);
        let is_ahead = |at: &usize| finder.is_ahead[*at];
        let arithmetic = (0..code.step.len()).filter(is_ahead).filter(|&at| !is_clock(code.step[at].act));
        let work: usize = arithmetic.map(|at| code.step[at].lanes as usize).sum();
        if work < WORTH {
            let step = part(code, code.step.clone(), code.sampled, code.cells);
            let plan = Plan::new(&step, watched);
            return Split { bodies: bodies(code, watched), ahead: None, step, plan };
        }
        finder.split(watched)
    }

    /// Cells of both parts.
    pub fn cells(&self) -> usize {
        self.step.cells
    }
}

fn is_clock(act: Act) -> bool {
    matches!(act, Act::Step | Act::StepTime | Act::StageTime(_) | Act::Copy)
}

/// The same code with another step.
pub(super) fn part(code: &Code, step: Vec<Ins>, sampled: usize, cells: usize) -> Code {
    Code {
        cells,
        delta: code.delta,
        step,
        sampled,
        branches: Arc::clone(&code.branches),
        tables: code.tables.clone(),
        discrete: code.discrete.clone(),
        continuous: code.continuous.clone(),
        ..Code::default()
    }
}

struct Finder<'a> {
    code: &'a Code,
    is_live: &'a [bool],
    is_ahead: Vec<bool>,
    /// For each cell that is made ahead its lanes, a step each.
    arrays: Vec<Option<u32>>,
    cells: u32,
}

impl<'a> Finder<'a> {
    fn new(code: &'a Code, is_live: &'a [bool]) -> Finder<'a> {
        let mut is_written = vec![false; code.cells];
        for ins in &code.step {
            code.writes(ins).for_each(|cell| is_written[cell as usize] = true);
        }
        let mut finder = Finder {
            code,
            is_live,
            is_ahead: vec![false; code.step.len()],
            arrays: vec![None; code.cells],
            cells: code.cells as u32,
        };
        for (at, ins) in code.step[..code.sampled].iter().enumerate() {
            let is_single = ins.lanes == 1 || matches!(ins.act, Act::Fold(_));
            let is_fit = is_single
                && !ins.act.is_effect()
                && !matches!(ins.act, Act::Past(_) | Act::Pick { .. } | Act::Hit(_) | Act::Count(_));
            let is_known = |cell: u32| finder.arrays[cell as usize].is_some() || !is_written[cell as usize];
            if is_live[at] && is_fit && cells(code, ins).all(is_known) {
                finder.is_ahead[at] = true;
                finder.arrays[ins.dst as usize] = Some(finder.cells);
                finder.cells += STEPS;
            }
        }
        finder
    }

    fn split(self, watched: &[(u32, u32)]) -> Split {
        let mut ahead = Vec::new();
        let mut rest = Vec::new();
        let mut is_needed = vec![false; self.code.cells];
        let all_watched = watched.iter().flat_map(|&(first, width)| first..first + width);
        all_watched.for_each(|cell| is_needed[cell as usize] = true);
        let mut sampled = 0;
        for (at, ins) in self.code.step.iter().enumerate() {
            if self.is_ahead[at] {
                self.widen(ins, &mut ahead);
            } else if self.is_live[at] {
                cells(self.code, ins).for_each(|cell| is_needed[cell as usize] = true);
                rest.push(*ins);
                sampled += usize::from(at < self.code.sampled);
            }
        }
        let taken = self.arrays.iter().enumerate().filter(|(cell, _)| is_needed[*cell]);
        let taken: Vec<(u32, u32)> = taken.filter_map(|(cell, array)| Some((cell as u32, (*array)?))).collect();
        let take =
            |&(cell, array): &(u32, u32)| Ins { act: Act::Ahead(array), lanes: 1, dst: cell, args: [Arg::One(0); 3] };
        let step: Vec<Ins> = taken.iter().map(take).chain(rest).collect();
        let step = part(self.code, step, sampled + taken.len(), self.cells as usize);
        let made: Vec<(u32, u32)> = taken.iter().map(|&(_, array)| (array, STEPS)).collect();
        let ahead_count = ahead.len();
        let mut ahead = part(self.code, ahead, ahead_count, self.cells as usize);
        // The states are the steps' own.
        (ahead.discrete.0, ahead.continuous.0) = (Vec::new(), Vec::new());
        let ahead_plan = Plan::new(&ahead, &made);
        let plan = Plan::new(&step, watched);
        Split { bodies: bodies(self.code, watched), ahead: Some((ahead, ahead_plan)), step, plan }
    }

    /// The same instruction over the steps to come.
    fn widen(&self, ins: &Ins, ahead: &mut Vec<Ins>) {
        let Some(dst) = self.arrays[ins.dst as usize] else { return };
        let wide = |cell: u32| self.arrays[cell as usize].map_or(Arg::One(cell), Arg::Run);
        let of = |arg: Arg, lane| wide(arg.cell(&self.code.tables, lane));
        match ins.act {
            Act::Fold(op) => {
                let mut sum = of(ins.args[0], 0);
                for lane in 0..ins.lanes {
                    let args = [sum, of(ins.args[1], lane), Arg::One(0)];
                    ahead.push(Ins { act: Act::Binary(op), lanes: STEPS, dst, args });
                    sum = Arg::Run(dst);
                }
            }
            act => {
                // A single lane is the first of its vector, whatever the step.
                let act = if let Act::Random { .. } = act { Act::Random { is_vector: false } } else { act };
                let count = ins.reads().count();
                let mut args = [Arg::One(0); 3];
                args.iter_mut().zip(ins.args).take(count).for_each(|(wide, arg)| *wide = of(arg, 0));
                ahead.push(Ins { act, lanes: STEPS, dst, args });
            }
        }
    }
}

/// The cells an instruction reads.
fn cells(code: &Code, ins: &Ins) -> impl Iterator<Item = u32> {
    let mut cells = Vec::new();
    code.each_read(ins, |cell, _| cells.push(cell));
    cells.into_iter()
}
