//! A whole step as one list of instructions on one array of cells.
//!
//! [`lower`](StepCode::new) translates a program into [`StepCode`]: constants, parameters, states and intermediate results are
//! cells in an arena. The cells of equal units are adjacent, so that one instruction processes many units. [`Machine`]
//! interprets the list; `native` compiles the same list to machine code. Between two calls the values of a run are in
//! the [`super::Context`] only; [`Bindings`] list what is copied from it and back. A conditional or iterated subsystem is
//! a [`Branch`], an instruction list executed by a single instruction.

mod bindings;
mod differentiate;
mod driven;
mod engine;
pub(in crate::engine) mod guards;
mod interpreter;
mod lower;
mod owners;
mod reports;
pub(in crate::engine) mod schedule;
pub(in crate::engine) mod sensitivity;

pub(crate) use differentiate::Derivative;
pub(in crate::engine) use engine::Flat;
#[cfg(feature = "pool")]
pub(in crate::engine) use interpreter::Exchanges;
pub(in crate::engine) use interpreter::decoded::Decoded;
pub(in crate::engine) use interpreter::{Machine, RateCode};
pub(crate) use owners::Owners;
pub(crate) use schedule::for_c;
pub(crate) use schedule::fusion::FusedKind;

use std::ops::Range;
use std::sync::Arc;

use super::program::assertion::ReportRef;
use crate::block::{Binary, HostFn, RecordRead, SampleTime, Unary};
use crate::engine::{OutputMap, SubsystemId, UnitId};

/// One instruction: it writes `elements` results to the cells from `dst` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instruction {
    pub opcode: Opcode,
    pub elements: u32,
    pub dst: u32,
    pub args: [Operand; 3],
}

/// Adjacent cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellRange {
    pub first: u32,
    pub count: u32,
}

/// Where an operand of an instruction is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// One cell, read by all elements.
    Broadcast(u32),
    /// Adjacent cells, one per element.
    Contiguous(u32),
    /// One cell per element; their indices are in [`StepCode::tables`] from this index on.
    Gather(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Opcode {
    Copy,
    Unary(Unary),
    Binary(Binary),
    /// Selects the second operand if the first is nonzero, else the third.
    Select,
    /// Reduces `elements` elements of the second operand in order, starting with the first operand, to a single result.
    Fold(Binary),
    /// Selects one of the `count` elements of the first operand; the second operand is the index.
    Pick {
        count: u32,
    },
    /// Reads a ring buffer; the first operand is the delay in pushes.
    Past(Ring),
    /// Pushes the first operand to a ring buffer if the second is nonzero; no result.
    Push(Ring),
    /// Fills a ring buffer with the first operand; no result.
    Fill(Ring),
    /// Reads a record of a signal: the operands are the question's time, the signal and the time now.
    Recorded {
        record: u32,
        read: RecordRead,
    },
    /// Executes a branch of [`StepCode::branches`].
    Branch(u32),
    /// A random number from seed, stream, counter and, if `is_vector`, the element.
    Random {
        is_vector: bool,
    },
    /// The number of the step; further elements have the numbers of the following steps, as with all clock opcodes.
    Step,
    /// Whether the step is a hit of the sample time.
    Hit(SampleTime),
    /// The number of earlier hits of the sample time.
    Count(SampleTime),
    StepTime,
    /// Time in seconds at a fraction of the step.
    StageTime(f64),
    /// Integrates the continuous states over the step. The first operand lists all cells that the solver reads; the
    /// results are the new continuous states in context order, then the modes and what conditional subsystems hold.
    Solve {
        reads: u32,
    },
    /// Solves an algebraic loop; the operand lists all cells that its units read. The step fails if there is no
    /// solution.
    AlgebraicLoop {
        number: u32,
        reads: u32,
    },
    /// Calls a Rust function by number; its first argument is 1 in the major step.
    Call {
        number: u32,
        reads: u32,
    },
    /// Fails the step if an element of the first operand is infinite or NaN; no result.
    RefuseNonFinite,
    /// Fails the step if it exceeds the limit on block executions; no result.
    LimitRuns,
    /// Lets workers execute instructions, by number; only the engine for remote blocks has it.
    #[cfg_attr(not(feature = "pool"), allow(dead_code, reason = "that engine needs pools"))]
    Exchange(u32),
    /// Reads this step's element of a precomputed row that starts at this cell. Only machine code has it.
    Precomputed(u32),
}

/// A ring buffer in the context's history: `length` slots of `elements` values each, followed by the write position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    pub first: u32,
    pub length: u32,
}

/// Instructions that do not run in every step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    /// The branch runs if this cell is 1 or more.
    pub guard: u32,
    /// Whether it runs in major steps only.
    pub is_major: bool,
    /// Set if it may run several times in a step.
    pub repeat: Option<Repeat>,
    pub body: Vec<Instruction>,
    /// Executed instead of `body` if the guard fails.
    pub otherwise: Vec<Instruction>,
    /// Number of executed blocks to count per run.
    pub executed: u64,
    /// Iterations that are counted but not executed, since nothing is left of them: cells with the number of iterations
    /// before the executed one, each with the number of blocks of an iteration.
    pub again: Vec<(u32, u64)>,
    /// Results read outside, by first cell and width: they hold their values in steps without a run, also in minor
    /// steps.
    pub held: Vec<CellRange>,
    /// All cells that it reads, and those that it writes, as first and count. A cell that may stay unchanged counts as
    /// read.
    pub reads: Vec<CellRange>,
    pub writes: Vec<CellRange>,
}

/// Repeats a branch as often as the guard says, or while a condition cell is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The cell that receives the iteration number.
    pub iteration: u32,
    pub condition: Option<u32>,
    /// The subsystem that has the limit.
    pub subsystem: SubsystemId,
}

/// A copy of `count` values between the context and the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    pub offset: u32,
    pub cell: u32,
    pub count: u32,
}

/// Copies between an array of the context and the cells, merged into few ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings(pub Vec<Binding>);

/// A program as lists of instructions, which all engines but the reference engine execute.
#[derive(Debug, Default)]
pub(crate) struct StepCode {
    /// Number of cells.
    pub cells: usize,
    pub delta: f64,
    /// Number of units that run in a step.
    pub executed: u64,
    /// Cells of constants, with their values.
    pub constants: Vec<(u32, f64)>,
    /// Instructions that depend on parameters only.
    pub once: Vec<Instruction>,
    /// Sets all states, and the exits of subsystems that have not run, to their initial values. Only
    /// [`StepCode::for_export`] writes it; elsewhere the context does that.
    pub init: Vec<Instruction>,
    /// The step: up to `sampled` the major step, then the solver and the state updates.
    pub step: Vec<Instruction>,
    pub sampled: usize,
    pub branches: Arc<Vec<Branch>>,
    pub tables: Vec<u32>,
    pub params: Bindings,
    pub discrete: Bindings,
    pub continuous: Bindings,
    /// The outputs that a step computes; valid at `sampled`.
    pub values: Bindings,
    /// Those of `values` that a step may leave unchanged.
    pub lasting: Bindings,
    /// Outputs that no step computes.
    pub unset: Bindings,
    /// For each output, its first cell.
    pub outputs: OutputMap<u32>,
    /// Computes the derivatives for a solver that evaluates them on demand.
    pub driven: Option<Driven>,
    /// Rust functions, each with the unit that calls it.
    pub calls: Vec<(HostFn, UnitId)>,
    /// The owner of each cell, if requested.
    pub owners: Option<Owners>,
    /// The cells of assertion reports, if any block has reports.
    pub reports: Option<ReportCells>,
}

/// The cells that hold the assertion reports at the end of a step.
#[derive(Clone, Debug)]
pub(crate) struct ReportCells {
    /// Nonzero if any assertion is reported.
    pub any: u32,
    /// First of the cells of `reports`, in their order; nonzero if the report is active.
    pub first: u32,
    pub reports: Vec<ReportRef>,
}

/// Instructions that compute the derivatives at a given time and states.
#[derive(Debug, Default)]
pub(crate) struct Driven {
    pub list: Vec<Instruction>,
    /// The cell of the time in seconds.
    pub time: u32,
    /// The assumed states.
    pub x: Bindings,
    pub rates: Bindings,
    /// The rates at the start of the step, which the major step has computed. Only [`StepCode::for_export`] writes them.
    pub firsts: Bindings,
    /// The next values of discrete states that kernels read as held.
    pub nexts: Bindings,
    /// Of those among them that a solver may change, such as modes, in the order of the program.
    pub modes: Bindings,
    /// The outputs of conditional subsystems that a solver may start and end.
    pub held: Bindings,
    /// Computes the tangents of the rates, in the order of the context's states: by all states of a colour in one
    /// direction, and by the time in the last. Only solvers that need them have it, and only where all tangents are code.
    pub derivative: Option<Derivative>,
    /// Carries tangents by parameters through the step of the solver, if there are any.
    pub tangents: Option<RateTangents>,
}

impl Instruction {
    /// The number of cells that it writes.
    pub fn written(&self) -> u32 {
        match self.opcode {
            Opcode::Fold(_) => 1,
            Opcode::Push(_) | Opcode::Fill(_) | Opcode::RefuseNonFinite | Opcode::LimitRuns | Opcode::Branch(_) => 0,
            Opcode::Exchange(_) => 0,
            _ => self.elements,
        }
    }

    /// The operands that it reads, each with its number of elements.
    pub fn reads(&self) -> impl Iterator<Item = (Operand, u32)> + '_ {
        let elements = match self.opcode {
            Opcode::Copy | Opcode::Unary(_) | Opcode::Fill(_) | Opcode::RefuseNonFinite => [self.elements, 0, 0],
            Opcode::Push(_) => [self.elements, 1, 0],
            Opcode::Solve { reads } | Opcode::AlgebraicLoop { reads, .. } | Opcode::Call { reads, .. } => [reads, 0, 0],
            Opcode::Binary(_) => [self.elements, self.elements, 0],
            Opcode::Select | Opcode::Random { .. } => [self.elements; 3],
            Opcode::Fold(_) => [1, self.elements, 0],
            Opcode::Pick { count } => [count, self.elements, 0],
            Opcode::Past(_) => [1, 0, 0],
            Opcode::Recorded { .. } => [1, self.elements, 1],
            Opcode::Step | Opcode::Hit(_) | Opcode::Count(_) | Opcode::StepTime => [0; 3],
            Opcode::StageTime(_) | Opcode::Precomputed(_) | Opcode::Branch(_) | Opcode::LimitRuns => [0; 3],
            Opcode::Exchange(_) => [0; 3],
        };
        self.args.into_iter().zip(elements).filter(|(_, elements)| *elements > 0)
    }
}

/// Code that computes the tangents of the rates, and where the tangents of all else are.
#[derive(Clone, Debug, Default)]
pub(crate) struct RateTangents {
    /// Computes the rates and their tangents at a time and states.
    pub list: Vec<Instruction>,
    pub directions: usize,
    /// The first cell of the assumed tangents of the states, in the order of the context.
    pub states: u32,
    /// For each rate, in the order of the context, the first cell of its tangents.
    pub rates: Vec<u32>,
    /// For each state the first cell of its tangents at the start of the step.
    pub begin: Vec<u32>,
    /// The first cell of the tangents at the end of the step.
    pub end: u32,
    /// For each discrete state of the context the first cell of its tangents, in this step and in the next.
    pub discrete: Vec<u32>,
    pub next: Vec<u32>,
    /// Elements of parameters, each with its direction.
    pub seeds: Vec<(usize, u32)>,
    /// For each ring with tangents its first element, its size, and the first element of its tangents.
    pub rings: Vec<(u32, u32, u32)>,
}

impl Opcode {
    /// Whether each element of the result depends on nothing but the same elements of the operands.
    pub fn is_elementwise(self) -> bool {
        matches!(self, Opcode::Copy | Opcode::Unary(_) | Opcode::Binary(_) | Opcode::Select)
    }

    /// Whether a result depends on nothing but the operands.
    pub fn is_pure(self) -> bool {
        self.is_elementwise() || matches!(self, Opcode::Fold(_) | Opcode::Pick { .. } | Opcode::Random { .. })
    }

    /// Whether it has a side effect.
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

    /// Whether it can fail the step.
    pub fn can_fail(self) -> bool {
        use Opcode::{AlgebraicLoop, Branch, Call, LimitRuns, RefuseNonFinite, Solve};
        matches!(self, RefuseNonFinite | LimitRuns | Solve { .. } | AlgebraicLoop { .. } | Call { .. } | Branch(_))
    }
}

impl StepCode {
    /// The unit that a cell belongs to; `None` if it belongs to none, or owners are not known.
    pub fn owner(&self, cell: u32) -> Option<UnitId> {
        self.owners.as_ref()?.owner(cell)
    }

    /// Calls `f` with each cell that an instruction reads and the number of the operand.
    pub fn each_read(&self, ins: &Instruction, mut f: impl FnMut(u32, usize)) {
        if let Opcode::Branch(branch) = ins.opcode {
            cells_of(&self.branches[branch as usize].reads).for_each(|cell| f(cell, 0));
        }
        for (number, (arg, elements)) in ins.reads().enumerate() {
            let count = if let Operand::Broadcast(_) = arg { 1 } else { elements };
            (0..count).for_each(|element| f(arg.cell(&self.tables, element), number));
        }
    }

    /// The cells of assertion reports; the caller reads them after the step.
    pub fn report_cells(&self) -> impl Iterator<Item = u32> + '_ {
        let cells = |report_cells: &ReportCells| {
            std::iter::once(report_cells.any)
                .chain(report_cells.first..report_cells.first + report_cells.reports.len() as u32)
        };
        self.reports.iter().flat_map(cells)
    }

    /// The cells that an instruction writes.
    pub fn writes<'a>(&'a self, ins: &Instruction) -> impl Iterator<Item = u32> + 'a {
        let pieces: &[CellRange] = match ins.opcode {
            Opcode::Branch(branch) => &self.branches[branch as usize].writes,
            _ => &[],
        };
        (ins.dst..ins.dst + ins.written()).chain(cells_of(pieces))
    }
}

fn cells_of(pieces: &[CellRange]) -> impl Iterator<Item = u32> + '_ {
    pieces.iter().flat_map(|range| range.cells())
}

impl CellRange {
    pub fn new(first: u32, count: u32) -> CellRange {
        CellRange { first, count }
    }

    /// Returns the ranges of cells in ascending order.
    pub fn all(cells: &[u32]) -> Vec<CellRange> {
        let ranges = cells.chunk_by(|a, b| a + 1 == *b);
        ranges.map(|range| CellRange::new(range[0], range.len() as u32)).collect()
    }

    pub fn cells(self) -> Range<u32> {
        self.first..self.first + self.count
    }

    /// The cells as a range of a slice with all of them.
    pub fn indices(self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl Operand {
    /// The cell of an element.
    pub fn cell(self, tables: &[u32], element: u32) -> u32 {
        match self {
            Operand::Broadcast(at) => at,
            Operand::Contiguous(at) => at + element,
            Operand::Gather(at) => tables[(at + element) as usize],
        }
    }
}

impl Bindings {
    /// Adds `count` values; extends the last range if they continue it.
    pub fn push(&mut self, offset: u32, cell: u32, count: u32) {
        match self.0.last_mut() {
            Some(last) if last.offset + last.count == offset && last.cell + last.count == cell => last.count += count,
            _ => self.0.push(Binding { offset, cell, count }),
        }
    }

    /// The cells of all values, in order.
    pub fn cells(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|piece| piece.cell..piece.cell + piece.count)
    }

    /// The offsets of all values in the context, in order.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|piece| piece.offset as usize..(piece.offset + piece.count) as usize)
    }

    pub fn load(&self, from: &[f64], cells: &mut [f64]) {
        for &Binding { offset, cell, count } in &self.0 {
            let (offset, cell, count) = (offset as usize, cell as usize, count as usize);
            cells[cell..cell + count].copy_from_slice(&from[offset..offset + count]);
        }
    }

    pub fn store(&self, to: &mut [f64], cells: &[f64]) {
        for &Binding { offset, cell, count } in &self.0 {
            let (offset, cell, count) = (offset as usize, cell as usize, count as usize);
            to[offset..offset + count].copy_from_slice(&cells[cell..cell + count]);
        }
    }
}
