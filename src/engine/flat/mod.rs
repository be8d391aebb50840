//! A whole step as one list of instructions over one array of cells.
//!
//! [`lower`](Code::new) turns a program into [`Code`]: constants, parameters, states and all that a step makes have
//! their cells in an arena, equal units side by side, so that one instruction moves many of them. [`Machine`] runs the
//! list; `native` turns the same list into machine code. What a run's values are between two calls stands in the
//! [`super::Context`] alone; [`Moves`] say what is taken from it and given back. Conditional and iterated parts are
//! [`Branch`]es, lists of their own that one instruction stands for.

mod arith;
mod batch;
mod branch;
mod engine;
mod lower;
mod machine;
mod owners;
mod reports;
mod ring;
mod small;
mod solve;
mod space;

pub(super) use engine::Flat;
pub(super) use machine::{Machine, RateCode};
pub(super) use owners::{NOBODY, Owners};
pub(super) use small::Decoded;

use std::sync::Arc;

use super::assertion::ReportRef;
use crate::block::{Binary, NativeFn, SampleTime, Unary};

/// One instruction: `lanes` results from cell `dst` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ins {
    pub opcode: Opcode,
    pub lanes: u32,
    pub dst: u32,
    pub args: [Operand; 3],
}

/// Where an instruction's lanes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// One cell for all lanes.
    Broadcast(u32),
    /// A cell for each lane, one after the other.
    Contiguous(u32),
    /// A cell for each lane, from [`Code::tables`] at this place on.
    Gather(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Opcode {
    Copy,
    Unary(Unary),
    Binary(Binary),
    /// The second where the first is not zero, else the third.
    Select,
    /// The first, combined with `lanes` lanes of the second in turn; a single result.
    Fold(Binary),
    /// Of the `count` lanes of the first the one that the second names.
    Pick {
        count: u32,
    },
    /// What was pushed to a ring as many pushes ago as the first says.
    Past(Ring),
    /// The first onto a ring, where the second is not zero; no result.
    Push(Ring),
    /// The first everywhere on a ring; no result.
    Fill(Ring),
    /// Instructions of their own, from [`Code::branches`].
    Branch(u32),
    /// From seed, counter and, where `is_vector`, the lane.
    Random {
        is_vector: bool,
    },
    /// The step's number; of further lanes that of the steps to come, as with all the clock tells.
    Step,
    /// Whether the step is one of these.
    Hit(SampleTime),
    /// How many of these came before.
    Count(SampleTime),
    StepTime,
    /// Seconds at a part of the step.
    StageTime(f64),
    /// The solver carries the continuous states over the step, from all that the first has; their new values in the order
    /// of the context, and behind them the modes'.
    Solve {
        reads: u32,
    },
    /// The values that close a loop of the program, from all that its units look at. The step fails where there are none.
    AlgebraicLoop {
        number: u32,
        reads: u32,
    },
    /// What a function in Rust makes, by number; of what it reads the first is 1 in the pass that counts.
    Call {
        number: u32,
        reads: u32,
    },
    /// The step fails where a lane of the first is infinite or not-a-number; no result.
    RefuseNonFinite,
    /// The step fails where it has run more blocks than the program allows; no result.
    LimitRuns,
    /// Of the lanes from this cell on, made for steps to come, the one of this step. Only machine code has it.
    Precomputed(u32),
}

/// `length` places of `lanes` values each in the context's history, and behind them the place for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    pub first: u32,
    pub length: u32,
}

/// Instructions that do not run in every step.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    /// It runs where this cell is 1 or more.
    pub guard: u32,
    /// Whether it runs in the pass that counts only.
    pub is_major: bool,
    /// Where it may run several times.
    pub repeat: Option<Repeat>,
    pub body: Vec<Ins>,
    /// What runs in its stead.
    pub otherwise: Vec<Ins>,
    /// Blocks that a run counts.
    pub executed: u64,
    /// Results that others read, by first cell and width: in a step without a run they keep their values, also in the
    /// further stages.
    pub held: Vec<(u32, u32)>,
    /// All cells that it reads and those that it writes, as first and count. What it may leave as it was counts as read.
    pub reads: Vec<(u32, u32)>,
    pub writes: Vec<(u32, u32)>,
}

/// As often as the guard says, or while a cell is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repeat {
    /// Where the number of the run goes.
    pub turn: u32,
    pub condition: Option<u32>,
    /// The subsystem that has the limit.
    pub subsystem: u32,
}

/// `count` values between a place in the context and a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub place: u32,
    pub cell: u32,
    pub count: u32,
}

/// Values between a context's array and the arena, in few pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves(pub Vec<Move>);

/// A program as instructions.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// How many cells there are.
    pub cells: usize,
    pub delta: f64,
    /// Units that run in a step.
    pub executed: u64,
    /// Cells that never change.
    pub constants: Vec<(u32, f64)>,
    /// What depends on parameters alone.
    pub once: Vec<Ins>,
    /// The step: up to `sampled` the pass that counts, then the solver and the new states.
    pub step: Vec<Ins>,
    pub sampled: usize,
    pub branches: Arc<Vec<Branch>>,
    pub tables: Vec<u32>,
    pub params: Moves,
    pub discrete: Moves,
    pub continuous: Moves,
    /// Outputs that a step makes; true while the step stands at `sampled`.
    pub values: Moves,
    /// Those of them that a step may leave as they were.
    pub lasting: Moves,
    /// Outputs that no step makes.
    pub unset: Moves,
    /// For each output its first cell.
    pub outputs: Vec<u32>,
    /// What answers a solver that asks for rates as it needs them.
    pub driven: Option<Driven>,
    /// Functions in Rust, each with the unit that calls it.
    pub calls: Vec<(NativeFn, u32)>,
    /// Whose cells they are, where that was asked for.
    pub owners: Option<Owners>,
    /// Where it stands what blocks tell, if any has something to.
    pub reports: Option<ReportCells>,
}

/// Cells that say at the end of a step what blocks tell.
#[derive(Clone, Debug)]
pub(super) struct ReportCells {
    /// Not 0 where anything is told.
    pub any: u32,
    /// For each report, in the order of their cells, whose it is; not 0 where it is told.
    pub first: u32,
    pub reports: Vec<ReportRef>,
}

/// The rates at a time and states, as instructions.
#[derive(Debug, Default)]
pub(super) struct Driven {
    pub list: Vec<Ins>,
    /// The cell of the time in seconds.
    pub time: u32,
    /// The states that are assumed.
    pub x: Moves,
    pub rates: Moves,
    /// The next values of discrete states that tapes read as held.
    pub nexts: Moves,
    /// Of modes among them, in the order of the program.
    pub modes: Moves,
}

impl Ins {
    /// How many cells it writes.
    pub fn written(&self) -> u32 {
        match self.opcode {
            Opcode::Fold(_) => 1,
            Opcode::Push(_) | Opcode::Fill(_) | Opcode::RefuseNonFinite | Opcode::LimitRuns | Opcode::Branch(_) => 0,
            _ => self.lanes,
        }
    }

    /// The operands it reads, each with its number of lanes.
    pub fn reads(&self) -> impl Iterator<Item = (Operand, u32)> + '_ {
        let lanes = match self.opcode {
            Opcode::Copy | Opcode::Unary(_) | Opcode::Fill(_) | Opcode::RefuseNonFinite => [self.lanes, 0, 0],
            Opcode::Push(_) => [self.lanes, 1, 0],
            Opcode::Solve { reads } | Opcode::AlgebraicLoop { reads, .. } | Opcode::Call { reads, .. } => [reads, 0, 0],
            Opcode::Binary(_) | Opcode::Random { .. } => [self.lanes, self.lanes, 0],
            Opcode::Select => [self.lanes; 3],
            Opcode::Fold(_) => [1, self.lanes, 0],
            Opcode::Pick { count } => [count, self.lanes, 0],
            Opcode::Past(_) => [1, 0, 0],
            Opcode::Step | Opcode::Hit(_) | Opcode::Count(_) | Opcode::StepTime => [0; 3],
            Opcode::StageTime(_) | Opcode::Precomputed(_) | Opcode::Branch(_) | Opcode::LimitRuns => [0; 3],
        };
        self.args.into_iter().zip(lanes).filter(|(_, lanes)| *lanes > 0)
    }
}

impl Opcode {
    /// Whether it has an effect beside its result.
    pub fn is_effect(self) -> bool {
        matches!(
            self,
            Opcode::Push(_)
                | Opcode::Fill(_)
                | Opcode::RefuseNonFinite
                | Opcode::LimitRuns
                | Opcode::Solve { .. }
                | Opcode::AlgebraicLoop { .. }
                | Opcode::Call { .. }
                | Opcode::Branch(_)
        )
    }

    /// Whether the step may fail in it.
    pub fn can_fail(self) -> bool {
        use Opcode::{AlgebraicLoop, Branch, Call, LimitRuns, RefuseNonFinite, Solve};
        matches!(self, RefuseNonFinite | LimitRuns | Solve { .. } | AlgebraicLoop { .. } | Call { .. } | Branch(_))
    }
}

impl Code {
    /// Calls `f` with each cell that an instruction reads, and the operand's number.
    pub fn each_read(&self, ins: &Ins, mut f: impl FnMut(u32, usize)) {
        if let Opcode::Branch(branch) = ins.opcode {
            cells_of(&self.branches[branch as usize].reads).for_each(|cell| f(cell, 0));
        }
        for (number, (arg, lanes)) in ins.reads().enumerate() {
            let count = if let Operand::Broadcast(_) = arg { 1 } else { lanes };
            (0..count).for_each(|lane| f(arg.cell(&self.tables, lane), number));
        }
    }

    /// The cells of what is told; whoever moves on looks at them after the step.
    pub fn report_cells(&self) -> impl Iterator<Item = u32> + '_ {
        let cells = |report_cells: &ReportCells| {
            std::iter::once(report_cells.any)
                .chain(report_cells.first..report_cells.first + report_cells.reports.len() as u32)
        };
        self.reports.iter().flat_map(cells)
    }

    /// The cells that an instruction writes.
    pub fn writes<'a>(&'a self, ins: &Ins) -> impl Iterator<Item = u32> + 'a {
        let pieces: &[(u32, u32)] = match ins.opcode {
            Opcode::Branch(branch) => &self.branches[branch as usize].writes,
            _ => &[],
        };
        (ins.dst..ins.dst + ins.written()).chain(cells_of(pieces))
    }
}

fn cells_of(pieces: &[(u32, u32)]) -> impl Iterator<Item = u32> + '_ {
    pieces.iter().flat_map(|&(first, count)| first..first + count)
}

impl Operand {
    /// The cell of a lane.
    pub fn cell(self, tables: &[u32], lane: u32) -> u32 {
        match self {
            Operand::Broadcast(at) => at,
            Operand::Contiguous(at) => at + lane,
            Operand::Gather(at) => tables[(at + lane) as usize],
        }
    }
}

impl Moves {
    /// Adds `count` values, to the last piece where they go on from it.
    pub fn push(&mut self, place: u32, cell: u32, count: u32) {
        match self.0.last_mut() {
            Some(last) if last.place + last.count == place && last.cell + last.count == cell => last.count += count,
            _ => self.0.push(Move { place, cell, count }),
        }
    }

    pub fn load(&self, from: &[f64], cells: &mut [f64]) {
        for &Move { place, cell, count } in &self.0 {
            let (place, cell, count) = (place as usize, cell as usize, count as usize);
            cells[cell..cell + count].copy_from_slice(&from[place..place + count]);
        }
    }

    pub fn store(&self, to: &mut [f64], cells: &[f64]) {
        for &Move { place, cell, count } in &self.0 {
            let (place, cell, count) = (place as usize, cell as usize, count as usize);
            to[place..place + count].copy_from_slice(&cells[cell..cell + count]);
        }
    }
}
