//! Allocates cells while the step code is written, and assigns their final indices.
//!
//! Values that change from stage to stage of a solver have cells in a separate space. Finally that space is laid out
//! twice in the arena: once for the major step and once for minor steps.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::block::{Clock, Kernel, Op, StateKind};
use crate::engine::program::schedule::Schedule;
use crate::engine::step_code::{Instruction, Operand, StepCode};
use crate::engine::{KernelMap, Program, UnitId};

/// How often a value is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::engine::step_code) enum UpdateRate {
    /// Changes with parameters only.
    Constant,
    MajorStep,
    /// Changes from stage to stage of a solver.
    MinorStep,
}

/// Flag of cells in the minor-step space until all cells are known.
const STAGE: u32 = 1 << 31;
/// Flag of cells that a minor step uses.
const MINOR: u32 = 1 << 30;

/// Rows of at least this length are aligned.
const ROW: usize = 4;

/// Marks a state without a cell: a history.
pub(in crate::engine::step_code) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(in crate::engine::step_code) struct Space {
    fixed: u32,
    stage: u32,
    known: HashMap<u64, u32>,
    constants: Vec<(u32, f64)>,
    /// The cells of discrete states.
    discrete: Range<u32>,
    /// The number of cells of continuous states, the first of the minor-step space.
    continuous: u32,
    /// For each state of the program, its first cell.
    pub states: Vec<u32>,
    /// For each element of the program's parameters, its cell.
    pub params: Vec<u32>,
    pub time: u32,
    pub step_time: u32,
    pub step: u32,
    pub major: u32,
    /// The cells that count or signal sample hits.
    pub clocks: HashMap<Clock, u32>,
}

/// Whether equal units can be packed: all values scalar, no history, no Rust function.
pub(in crate::engine::step_code) fn is_scalar(kernel: &Kernel) -> bool {
    kernel.widths.iter().all(|width| *width == 1)
        && !kernel.has_calls()
        && kernel
            .states
            .iter()
            .all(|state| state.width == 1 && !matches!(state.kind, StateKind::History { .. } | StateKind::Record))
}

/// The next cells of a moment: the fixed one, and that of minor steps.
#[derive(Clone, Copy, Default)]
pub(in crate::engine::step_code) struct SpaceMark {
    pub fixed: u32,
    pub stage: u32,
}

impl Space {
    /// Allocates the cells of states and parameters; those of equal scalar units are adjacent, in the order of `kernel_units`,
    /// the units of each kernel.
    pub fn new(program: &Program, kernel_units: &KernelMap<Vec<UnitId>>) -> Space {
        let mut space = Space {
            fixed: 0,
            stage: 0,
            known: HashMap::new(),
            constants: Vec::new(),
            discrete: 0..0,
            continuous: 0,
            states: vec![NONE; program.states.len()],
            params: vec![NONE; program.params.len()],
            time: 0,
            step_time: 0,
            step: 0,
            major: 0,
            clocks: HashMap::new(),
        };
        // Before the states, so that there are cells before a row of states: their neighbours can be read as a row that
        // begins some cells earlier.
        for (kernel, units) in program.kernels.values().zip(kernel_units.values()) {
            space.place_params(program, kernel, units);
        }
        let first = space.fixed;
        for (kernel, units) in program.kernels.values().zip(kernel_units.values()) {
            space.place_states(program, kernel, units);
        }
        (space.discrete, space.continuous) = (first..space.fixed, space.stage);
        space.time = space.take(UpdateRate::MinorStep, 1);
        space.major = space.take(UpdateRate::MinorStep, 1);
        space.step_time = space.take(UpdateRate::MajorStep, 1);
        space.step = space.take(UpdateRate::MajorStep, 1);
        space
    }

    fn place_states(&mut self, program: &Program, kernel: &Kernel, units: &[UnitId]) {
        for (slot, state) in kernel.states.iter().enumerate() {
            let update_rate = match state.kind {
                StateKind::Discrete => UpdateRate::MajorStep,
                StateKind::Continuous => UpdateRate::MinorStep,
                StateKind::History { .. } | StateKind::Record => continue,
            };
            self.align(update_rate, units.len() * state.width);
            for &unit in units {
                let state_number = program.units[unit].first_state as usize + slot;
                self.states[state_number] = self.take(update_rate, state.width as u32);
            }
        }
    }

    fn place_params(&mut self, program: &Program, kernel: &Kernel, units: &[UnitId]) {
        let mut skipped = 0;
        for &(_, width) in &kernel.params {
            self.align(UpdateRate::Constant, units.len() * width);
            for &unit in units {
                let first = program.units[unit].first_param as usize + skipped;
                let at = self.take(UpdateRate::Constant, width as u32);
                self.params[first..first + width].iter_mut().zip(at..).for_each(|(cell, at)| *cell = at);
            }
            skipped += width;
        }
    }

    /// Rows that are processed in SIMD pairs begin at an even cell.
    fn align(&mut self, update_rate: UpdateRate, elements: usize) {
        let next = if update_rate == UpdateRate::MinorStep { &mut self.stage } else { &mut self.fixed };
        if elements >= ROW {
            *next = next.next_multiple_of(2);
        }
    }

    /// Allocates adjacent cells and returns the first.
    pub fn take(&mut self, update_rate: UpdateRate, count: u32) -> u32 {
        self.align(update_rate, count as usize);
        let (next, mark) = match update_rate {
            UpdateRate::MinorStep => (&mut self.stage, STAGE),
            UpdateRate::Constant | UpdateRate::MajorStep => (&mut self.fixed, 0),
        };
        let at = *next;
        *next += count;
        assert!(*next < MINOR, "there are fewer than a thousand million cells");
        at | mark
    }

    pub fn constant(&mut self, value: f64) -> Operand {
        if let Some(&at) = self.known.get(&value.to_bits()) {
            return Operand::Broadcast(at);
        }
        let at = self.take(UpdateRate::Constant, 1);
        self.known.insert(value.to_bits(), at);
        self.constants.push((at, value));
        Operand::Broadcast(at)
    }

    /// Returns the next cells.
    pub fn mark(&self) -> SpaceMark {
        SpaceMark { fixed: self.fixed, stage: self.stage }
    }

    /// Whether the cell was allocated after a mark.
    pub fn is_behind(cell: u32, SpaceMark { fixed, stage }: SpaceMark) -> bool {
        match cell & STAGE {
            0 => cell >= fixed,
            _ => Space::stage_index(cell) >= stage as usize,
        }
    }

    /// Whether the cell belongs to a state, which the end of a step overwrites.
    pub fn is_state(&self, cell: u32) -> bool {
        match cell & STAGE {
            0 => self.discrete.contains(&cell),
            _ => Space::stage_index(cell) < self.continuous as usize,
        }
    }

    pub fn is_stage(cell: u32) -> bool {
        cell & STAGE != 0
    }

    /// Returns the index of a cell in the minor-step space.
    pub fn stage_index(cell: u32) -> usize {
        (cell & !(STAGE | MINOR)) as usize
    }

    /// Returns the cell in a minor step.
    pub fn minor(cell: u32) -> u32 {
        if Space::is_stage(cell) { cell | MINOR } else { cell }
    }

    /// Returns the number of cells of continuous states, which are the first of the minor-step space.
    pub fn continuous_count(&self) -> u32 {
        self.continuous
    }

    /// Returns the cell at an index of the minor-step space.
    pub fn stage_cell(index: u32) -> u32 {
        index | STAGE
    }

    pub fn stage_count(&self) -> usize {
        self.stage as usize
    }

    /// Replaces every cell by its final index in the arena.
    pub fn settle(self, code: &mut StepCode) {
        let (fixed, stage) = (self.fixed.next_multiple_of(2), self.stage.next_multiple_of(2));
        let cell = |cell: u32| match (cell & STAGE, cell & MINOR) {
            (0, _) => cell,
            (_, 0) => fixed + (cell & !STAGE),
            _ => fixed + stage + (cell & !(STAGE | MINOR)),
        };
        code.cells = fixed as usize + 2 * stage as usize;
        if let Some(owners) = &mut code.owners {
            owners.settle(fixed, stage);
        }
        code.tables.iter_mut().for_each(|at| *at = cell(*at));
        code.once.iter_mut().chain(&mut code.init).chain(&mut code.step).for_each(|ins| relocate(ins, cell));
        for branch in Arc::make_mut(&mut code.branches) {
            branch.guard = cell(branch.guard);
            if let Some(repeat) = &mut branch.repeat {
                repeat.iteration = cell(repeat.iteration);
                repeat.condition = repeat.condition.map(cell);
            }
            branch.body.iter_mut().chain(&mut branch.otherwise).for_each(|ins| relocate(ins, cell));
            branch.held.clear();
        }
        code.constants = self.constants;
        code.constants.push((cell(self.major), 1.0));
        code.constants.push((cell(Space::minor(self.major)), 0.0));
        code.outputs.values_mut().for_each(|at| *at = cell(*at));
        if let Some(driven) = &mut code.driven {
            driven.list.iter_mut().for_each(|ins| relocate(ins, cell));
            driven.time = cell(driven.time);
            let moves = [&mut driven.x, &mut driven.rates, &mut driven.firsts, &mut driven.nexts, &mut driven.modes];
            moves
                .into_iter()
                .chain([&mut driven.held])
                .flat_map(|moves| &mut moves.0)
                .for_each(|piece| piece.cell = cell(piece.cell));
        }
        if let Some(report_cells) = &mut code.reports {
            (report_cells.any, report_cells.first) = (cell(report_cells.any), cell(report_cells.first));
        }
        let moves = [&mut code.params, &mut code.discrete, &mut code.continuous, &mut code.values];
        let moves = moves.into_iter().chain([&mut code.lasting, &mut code.unset]);
        for moves in moves {
            moves.0.iter_mut().for_each(|piece| piece.cell = cell(piece.cell));
        }
    }
}

fn relocate(ins: &mut Instruction, cell: impl Fn(u32) -> u32) {
    ins.dst = cell(ins.dst);
    for arg in &mut ins.args {
        *arg = match *arg {
            Operand::Broadcast(at) => Operand::Broadcast(cell(at)),
            Operand::Contiguous(at) => Operand::Contiguous(cell(at)),
            Operand::Gather(at) => Operand::Gather(at),
        };
    }
}

/// Returns the units of each kernel: those that run in their order, then the others.
pub(in crate::engine::step_code) fn kernel_units(program: &Program, schedule: &Schedule) -> KernelMap<Vec<UnitId>> {
    let mut kernel_units: KernelMap<Vec<UnitId>> = vec![Vec::new(); program.kernels.len()].into();
    for &unit in &schedule.order {
        kernel_units[program.units[unit].kernel].push(unit);
    }
    for (unit, level) in &schedule.levels {
        if *level == Schedule::NEVER {
            kernel_units[program.units[unit].kernel].push(unit);
        }
    }
    // Units of one subsystem are adjacent.
    let subsystem = |unit: &UnitId| program.units[*unit].subsystem;
    kernel_units.values_mut().for_each(|units| units.sort_by_key(subsystem));
    kernel_units
}

/// Allocates cells for the next value of each discrete state that is read as held, or that a solver may reset.
pub(in crate::engine::step_code) fn nexts(
    program: &Program,
    kernel_units: &KernelMap<Vec<UnitId>>,
    space: &mut Space,
) -> HashMap<u32, u32> {
    let mut nexts = HashMap::new();
    let resets = program.reset_subsystems();
    let is_reset = |unit: &UnitId| program.units[*unit].subsystem.is_some_and(|of| resets[of]);
    for (kernel, units) in program.kernels.values().zip(kernel_units.values()) {
        let held = kernel.ops.iter().filter_map(|op| if let Op::Held(slot) = op { Some(*slot) } else { None });
        let held: HashSet<u32> = held.collect();
        let is_any_reset = units.iter().any(is_reset);
        for (slot, state) in kernel.states.iter().enumerate() {
            if held.contains(&(slot as u32)) || is_any_reset && state.kind == StateKind::Discrete {
                let cells = |&unit: &UnitId| {
                    (
                        program.units[unit].first_state + slot as u32,
                        space.take(UpdateRate::MajorStep, state.width as u32),
                    )
                };
                nexts.extend(units.iter().map(cells));
            }
        }
    }
    nexts
}
