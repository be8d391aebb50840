//! The fusion schedule: which instructions are fused into one loop or straight-line group, and which results must be
//! stored in memory.

use std::collections::HashMap;
use std::ops::Range;

use super::order::depth_first;
use super::regular::LONG;
use super::sink::sink;
use super::truths::truths;
use crate::block::Binary;
use crate::engine::step_code::{CellRange, Instruction, Opcode, Operand, StepCode};

/// The fused groups of a step, in execution order.
pub(in crate::engine) struct FusionSchedule {
    pub groups: Vec<FusedGroup>,
    /// For each instruction, whether its result must be stored in memory.
    pub is_stored: Vec<bool>,
    /// Scalar cells that are carried from step to step in registers.
    pub carried: Vec<u32>,
    /// For each of them, whether it is 0 or 1 and carried as a mask; before the first step, too, it must be one of these.
    pub truths: Vec<bool>,
    /// Ranges of groups that become separate functions if one function would be too long; between groups all values are
    /// then passed through memory.
    pub functions: Vec<Range<usize>>,
    /// For each watched output when it is logged.
    pub log_times: Vec<LogTime>,
}

pub(crate) struct FusedGroup {
    pub kind: FusedKind,
    /// Indices of the step's instructions.
    pub list: Vec<u32>,
}

impl FusedGroup {
    /// Whether a loop has code for each element instead, so that no cell is looked up in a table.
    pub fn is_unrolled(&self, code: &StepCode) -> bool {
        let FusedKind::Loop(elements) = self.kind else { return false };
        let is_gathering = self.list.iter().any(|&at| {
            let mut reads = code.step[at as usize].reads();
            reads.any(|(arg, _)| matches!(arg, Operand::Gather(_)))
        });
        is_gathering && self.list.len() * elements as usize <= MAX_UNROLLED
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedKind {
    /// Straight-line code, element by element in registers.
    Straight,
    /// One loop over this many elements; the result of a fold is available after it.
    Loop(u32),
    /// A call of the interpreter.
    Call,
    /// Writes watched values to the log.
    Log(LogTime),
}

/// When a watched value is logged in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogTime {
    /// Before anything runs: the value is a state, which can thus be updated in the loop that reads it.
    Begin,
    /// When all outputs are computed.
    Sampled,
}

/// Vectors of up to this many elements become straight-line code.
const SHORT: u32 = 4;
/// The same limit for copies in branches, which are mostly those of states.
const SHORT_COPY: u32 = 16;
/// The same limit for comparisons whose results gates read one by one, as truths rather than numbers in memory.
const SHORT_COMPARISON: u32 = 16;
/// The same limit for folds.
const SHORT_FOLD: u32 = 16;
/// More instructions than this in one loop would not stay in registers.
const LONG_BODY: usize = 40;
/// The same limit for short rows: they are mostly segments, of which many are side by side in one loop, each with its few
/// values.
const LONG_BODY_OF_SHORT_ROWS: usize = 120;
/// More instructions than this are cut into functions, since the time to translate one grows faster than its length,
const LONG_STEP: usize = 3000;
/// of about this many instructions each.
const LONG_FUNCTION: usize = 800;
/// A loop that gathers operands is unrolled as a whole if that makes up to this many elements of all its instructions.
const MAX_UNROLLED: usize = 400;
/// More cells than this are not carried in registers.
const MAX_CARRIED: usize = 200;

/// The instructions at most of a loop over this many elements.
pub(in crate::engine) fn longest_body(elements: u32) -> usize {
    if elements < LONG { LONG_BODY_OF_SHORT_ROWS } else { LONG_BODY }
}

/// What is written from a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Target {
    Machine,
    /// Exported C: every operation can stand in a loop or between others.
    C,
}

impl Target {
    pub fn kind_of(self, ins: &Instruction) -> FusedKind {
        match (self, ins.opcode) {
            (Target::Machine, _) => kind_of(ins),
            (Target::C, Opcode::Fold(_)) if ins.elements > SHORT_FOLD => match ins.args[1] {
                Operand::Contiguous(_) => FusedKind::Loop(ins.elements),
                _ => FusedKind::Call,
            },
            (Target::C, Opcode::Fold(_)) => FusedKind::Straight,
            (Target::C, opcode) if opcode.is_elementwise() && ins.elements > SHORT => FusedKind::Loop(ins.elements),
            (Target::C, opcode) if opcode.is_elementwise() => FusedKind::Straight,
            (Target::C, _) => kind_of(ins),
        }
    }

    /// The instructions at most of a loop over this many elements.
    pub fn longest_body(self, elements: u32) -> usize {
        match self {
            Target::Machine => longest_body(elements),
            Target::C => LONG_BODY_OF_SHORT_ROWS,
        }
    }
}

fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne)
}

pub(in crate::engine) fn kind_of(ins: &Instruction) -> FusedKind {
    let is_inline = match ins.opcode {
        Opcode::Unary(op) => op.row().is_inline,
        Opcode::Binary(op) | Opcode::Fold(op) => op.row().is_inline,
        Opcode::Copy | Opcode::Select => true,
        Opcode::Step | Opcode::StepTime | Opcode::StageTime(_) if ins.elements > 1 => {
            return FusedKind::Loop(ins.elements);
        }
        Opcode::Step
        | Opcode::StepTime
        | Opcode::StageTime(_)
        | Opcode::Hit(_)
        | Opcode::Count(_)
        | Opcode::Precomputed(_) => {
            return FusedKind::Straight;
        }
        Opcode::Pick { .. } if ins.elements <= SHORT => return FusedKind::Straight,
        Opcode::Pick { .. }
        | Opcode::Push(_)
        | Opcode::Fill(_)
        | Opcode::Branch(_)
        | Opcode::Past(_)
        | Opcode::Recorded { .. }
        | Opcode::Random { .. }
        | Opcode::Solve { .. }
        | Opcode::AlgebraicLoop { .. }
        | Opcode::Call { .. }
        | Opcode::RefuseNonFinite
        | Opcode::LimitRuns
        | Opcode::Exchange(_) => {
            return FusedKind::Call;
        }
    };
    match (ins.opcode, ins.elements) {
        (Opcode::Fold(_), _) if !is_inline => FusedKind::Call,
        (Opcode::Fold(_), elements) if elements <= SHORT_FOLD => FusedKind::Straight,
        (Opcode::Fold(_), elements) if matches!(ins.args[1], Operand::Contiguous(_)) => FusedKind::Loop(elements),
        (Opcode::Fold(_), _) => FusedKind::Call,
        (_, elements) if elements <= SHORT => FusedKind::Straight,
        (_, elements) if is_inline => FusedKind::Loop(elements),
        _ => FusedKind::Call,
    }
}

/// The last writer and reader of a cell, as groups counted from 1.
#[derive(Clone, Copy, Default)]
struct CellUse {
    writer: u32,
    /// The first cell of the writer's result.
    written_from: u32,
    reader: u32,
    read_from: u32,
    /// The last reader whose elements do not match the writer's.
    skew_reader: u32,
}

pub(in crate::engine) struct FusionScheduler<'a> {
    code: &'a StepCode,
    groups: Vec<FusedGroup>,
    traces: Vec<CellUse>,
    loops: HashMap<u32, Vec<u32>>,
    target: Target,
    /// Maximum number of instructions in a straight-line group.
    longest: usize,
    /// Maximum number of elements of a copy that becomes straight-line code.
    short_copy: u32,
    /// For each cell whether it is an element of a row that a loop reads.
    is_in_row: Vec<bool>,
}

impl FusionSchedule {
    /// Schedules the step for the watched outputs, given by their first cells and widths.
    pub fn new(code: &StepCode, watched: &[CellRange], is_scalar: IsScalar) -> FusionSchedule {
        let schedule = FusionSchedule::keeping(code, watched, &[], is_scalar, false);
        let truths = truths(code, &schedule.groups, &schedule.carried);
        FusionSchedule { truths, ..schedule }
    }

    /// The same; `kept` marks the cells that it must leave in memory, or is empty.
    pub fn of_list(code: &StepCode, watched: &[CellRange], kept: &[bool]) -> FusionSchedule {
        FusionSchedule::keeping(code, watched, kept, &|_, _| false, false)
    }

    /// Schedules the body of a branch; `kept` marks the cells that it must leave in memory.
    pub fn of_branch(code: &StepCode, kept: &[bool], is_scalar: IsScalar) -> FusionSchedule {
        FusionSchedule::keeping(code, &[], kept, is_scalar, true)
    }

    /// Cuts a step into functions if more than [`LONG_STEP`] instructions are live.
    fn keeping(
        code: &StepCode,
        watched: &[CellRange],
        kept: &[bool],
        is_scalar: IsScalar,
        is_branch: bool,
    ) -> FusionSchedule {
        let is_live = live(code, watched, kept);
        let is_cut = !is_branch && is_live.iter().filter(|is_live| **is_live).count() > LONG_STEP;
        let longest = if is_cut { LONG_FUNCTION } else { usize::MAX };
        let log_times = log_times(code, watched);
        let short_copy = if is_branch { SHORT_COPY } else { SHORT };
        let mut groups = FusionScheduler::new(code, longest, short_copy).groups(&is_live, watched, &log_times);
        let mut is_lasting = early(code, kept);
        watched.iter().for_each(|range| is_lasting[range.indices()].fill(true));
        sink(code, &mut groups, &is_lasting, Target::Machine);
        groups.retain(|group| !group.list.is_empty() || matches!(group.kind, FusedKind::Log(_)));
        let functions = if is_cut { functions(&groups) } else { Vec::new() };
        let logged = |time| logged_at(time, watched, &log_times);
        let (is_stored, carried) = StorageAnalysis::find((code, is_scalar), &logged, (kept, is_cut), &groups);
        let truths = vec![false; carried.len()];
        for group in groups.iter_mut().filter(|group| group.kind == FusedKind::Straight) {
            group.list = depth_first(code, &is_stored, &group.list);
        }
        FusionSchedule { groups, is_stored, carried, truths, functions, log_times }
    }
}

/// When each watched output is logged: at the beginning if nothing writes it before all outputs are computed.
fn log_times(code: &StepCode, watched: &[CellRange]) -> Vec<LogTime> {
    if watched.is_empty() {
        return Vec::new();
    }
    let mut is_computed = vec![false; code.cells];
    for ins in &code.step[..code.sampled] {
        code.writes(ins).for_each(|cell| is_computed[cell as usize] = true);
    }
    let time = |range: &CellRange| match is_computed[range.indices()].contains(&true) {
        true => LogTime::Sampled,
        false => LogTime::Begin,
    };
    watched.iter().map(time).collect()
}

/// The watched outputs that are logged at this time.
fn logged_at(time: LogTime, watched: &[CellRange], times: &[LogTime]) -> impl Iterator<Item = CellRange> {
    watched.iter().zip(times).filter(move |(_, known)| **known == time).map(|(cells, _)| *cells)
}

/// Consecutive groups that become one function each.
fn functions(groups: &[FusedGroup]) -> Vec<Range<usize>> {
    let mut functions: Vec<Range<usize>> = Vec::new();
    let mut length = usize::MAX;
    for (number, group) in groups.iter().enumerate() {
        if !matches!(group.kind, FusedKind::Straight | FusedKind::Loop(_)) {
            length = usize::MAX;
            continue;
        }
        length = length.saturating_add(group.list.len());
        match functions.last_mut() {
            Some(last) if length <= LONG_FUNCTION => last.end = number + 1,
            _ => {
                functions.push(number..number + 1);
                length = group.list.len();
            }
        }
    }
    functions
}

/// The cells that the step reads before it writes them, which carry values from step to step.
pub(in crate::engine) fn early(code: &StepCode, kept: &[bool]) -> Vec<bool> {
    let mut is_written = vec![false; code.cells];
    let mut is_early = vec![false; code.cells];
    for ins in &code.step {
        code.each_read(ins, |cell, _| is_early[cell as usize] |= !is_written[cell as usize]);
        code.writes(ins).for_each(|cell| is_written[cell as usize] = true);
    }
    // The context's states, whether or not they are read.
    for piece in code.discrete.0.iter().chain(&code.continuous.0) {
        is_early[piece.cell as usize..(piece.cell + piece.count) as usize].fill(true);
    }
    code.report_cells().for_each(|cell| is_early[cell as usize] = true);
    is_early.iter_mut().zip(kept).for_each(|(is_early, is_kept)| *is_early |= is_kept);
    is_early
}

/// For each instruction, whether a later step or a watched output needs it.
pub(in crate::engine) fn live(code: &StepCode, watched: &[CellRange], kept: &[bool]) -> Vec<bool> {
    let mut is_needed = early(code, kept);
    let mut is_live = vec![false; code.step.len()];
    for (at, ins) in code.step.iter().enumerate().rev() {
        if at + 1 == code.sampled {
            watched.iter().for_each(|range| is_needed[range.indices()].fill(true));
        }
        is_live[at] = ins.opcode.is_effect() || code.writes(ins).any(|cell| is_needed[cell as usize]);
        if is_live[at] {
            code.writes(ins).for_each(|cell| is_needed[cell as usize] = false);
            code.each_read(ins, |cell, _| is_needed[cell as usize] = true);
        }
    }
    is_live
}

impl<'a> FusionScheduler<'a> {
    pub fn for_c(code: &'a StepCode) -> FusionScheduler<'a> {
        FusionScheduler { target: Target::C, ..FusionScheduler::new(code, usize::MAX, SHORT) }
    }

    fn new(code: &'a StepCode, longest: usize, short_copy: u32) -> FusionScheduler<'a> {
        let traces = vec![CellUse::default(); code.cells];
        let mut is_in_row = vec![false; code.cells];
        for ins in code.step.iter().filter(|ins| !matches!(kind_of(ins), FusedKind::Straight)) {
            code.each_read(ins, |cell, operand| {
                is_in_row[cell as usize] |= !matches!(ins.args[operand], Operand::Broadcast(_));
            });
        }
        let (groups, loops) = (Vec::new(), HashMap::new());
        FusionScheduler { code, groups, traces, loops, target: Target::Machine, longest, short_copy, is_in_row }
    }

    /// Puts all live instructions into groups, and the log behind those that are sampled.
    pub fn groups(mut self, is_live: &[bool], watched: &[CellRange], times: &[LogTime]) -> Vec<FusedGroup> {
        let logged = |time| logged_at(time, watched, times);
        self.log(LogTime::Begin, logged(LogTime::Begin));
        for (at, ins) in self.code.step.iter().enumerate() {
            if at == self.code.sampled {
                self.log(LogTime::Sampled, logged(LogTime::Sampled));
            }
            if is_live[at] {
                self.add(at as u32, ins);
            }
        }
        if self.code.sampled == self.code.step.len() {
            self.log(LogTime::Sampled, logged(LogTime::Sampled));
        }
        self.groups
    }

    fn is_read_by_row(&self, ins: &Instruction) -> bool {
        self.is_in_row[ins.dst as usize..(ins.dst + ins.elements) as usize].contains(&true)
    }

    fn add(&mut self, at: u32, ins: &Instruction) {
        let kind = match ins.opcode {
            Opcode::Copy if ins.elements <= self.short_copy => FusedKind::Straight,
            Opcode::Binary(op)
                if self.target == Target::Machine
                    && ins.elements <= SHORT_COMPARISON
                    && is_comparison(op)
                    && !self.is_read_by_row(ins) =>
            {
                FusedKind::Straight
            }
            _ => self.target.kind_of(ins),
        };
        let mut first = 0;
        self.code.each_read(ins, |cell, number| {
            let trace = self.traces[cell as usize];
            let is_aligned = match (kind, ins.args[number]) {
                (FusedKind::Straight, _) => self.is_kind(trace.writer, FusedKind::Straight),
                (FusedKind::Loop(_), Operand::Contiguous(from)) => {
                    trace.written_from == from && self.is_kind(trace.writer, kind)
                }
                _ => false,
            };
            first = first.max(if is_aligned { trace.writer } else { trace.writer + 1 });
        });
        let is_fold = matches!(ins.opcode, Opcode::Fold(_));
        for cell in self.code.writes(ins) {
            let trace = self.traces[cell as usize];
            let is_same = |group: u32, from: u32| match kind {
                FusedKind::Straight => self.is_kind(group, kind),
                FusedKind::Loop(_) => from == ins.dst && !is_fold && self.is_kind(group, kind),
                _ => false,
            };
            let after_reader = trace.reader + u32::from(!is_same(trace.reader, trace.read_from));
            let after_writer = trace.writer + u32::from(!is_same(trace.writer, trace.written_from));
            first = first.max(after_reader).max(after_writer).max(trace.skew_reader + 1);
        }
        let group = self.group(kind, first);
        self.groups[group as usize - 1].list.push(at);
        self.trace(ins, kind, group);
    }

    fn trace(&mut self, ins: &Instruction, kind: FusedKind, group: u32) {
        let traces = &mut self.traces;
        self.code.each_read(ins, |cell, number| {
            let from = match (kind, ins.args[number]) {
                (FusedKind::Straight, _) => Some(0),
                (FusedKind::Loop(_), Operand::Contiguous(from)) => Some(from),
                _ => None,
            };
            let trace = &mut traces[cell as usize];
            match from {
                Some(from) if group >= trace.reader => {
                    if trace.read_from != from && trace.reader > 0 {
                        trace.skew_reader = trace.skew_reader.max(trace.reader);
                    }
                    (trace.reader, trace.read_from) = (group, from);
                }
                _ => trace.skew_reader = trace.skew_reader.max(group),
            }
        });
        for cell in self.code.writes(ins) {
            let trace = &mut traces[cell as usize];
            // The result of a fold is not an element of a row.
            (trace.writer, trace.written_from) =
                (group, if let Opcode::Fold(_) = ins.opcode { u32::MAX } else { ins.dst });
        }
    }

    /// Whether the group, counted from 1, is of that kind.
    fn is_kind(&self, group: u32, kind: FusedKind) -> bool {
        group > 0 && self.groups[group as usize - 1].kind == kind
    }

    /// The first group of that kind from `first` on, or a new one.
    fn group(&mut self, kind: FusedKind, first: u32) -> u32 {
        let elements = match kind {
            FusedKind::Straight => Some(0),
            FusedKind::Loop(elements) => Some(elements),
            _ => None,
        };
        if let Some(elements) = elements {
            let known = self.loops.entry(elements).or_default();
            let from = known.partition_point(|group| *group < first);
            // Only the latest loop can have room: the others were full when it was created, or are too early.
            let most = if elements == 0 { self.longest } else { self.target.longest_body(elements) };
            let is_open = |group: &&u32| self.groups[**group as usize - 1].list.len() < most;
            if let Some(group) = known[from..].iter().find(is_open) {
                return *group;
            }
            known.push(self.groups.len() as u32 + 1);
        }
        self.groups.push(FusedGroup { kind, list: Vec::new() });
        self.groups.len() as u32
    }

    fn log(&mut self, time: LogTime, watched: impl Iterator<Item = CellRange>) {
        let mut watched = watched.peekable();
        if watched.peek().is_none() {
            return;
        }
        self.groups.push(FusedGroup { kind: FusedKind::Log(time), list: Vec::new() });
        let group = self.groups.len() as u32;
        for CellRange { first, count: width } in watched {
            for cell in first..first + width {
                let trace = &mut self.traces[cell as usize];
                trace.skew_reader = trace.skew_reader.max(group);
            }
        }
    }
}

/// Whether a branch, by number, reads a cell one by one, so that it may be in a register.
pub(in crate::engine) type IsScalar<'a> = &'a dyn Fn(u32, u32) -> bool;

/// How a group reads a cell.
#[derive(Clone, Copy)]
pub(in crate::engine) enum ReadMode {
    /// As a scalar.
    Single,
    /// By a loop over adjacent cells from this one on.
    Elements(u32),
    Memory,
}

impl ReadMode {
    /// How an instruction in a group of this kind reads the cell of an operand.
    pub fn of(kind: FusedKind, ins: &Instruction, operand: usize, cell: u32, is_scalar: IsScalar) -> ReadMode {
        match (kind, ins.opcode, ins.args[operand]) {
            (FusedKind::Call, Opcode::Branch(number), _) if is_scalar(number, cell) => ReadMode::Single,
            (FusedKind::Call, ..) => ReadMode::Memory,
            // The operands of an indexed selection are in memory.
            (FusedKind::Straight, Opcode::Pick { .. }, _) if operand == 0 => ReadMode::Memory,
            (FusedKind::Straight, ..) | (_, _, Operand::Broadcast(_)) => ReadMode::Single,
            (FusedKind::Loop(_), _, Operand::Contiguous(from)) => ReadMode::Elements(from),
            _ => ReadMode::Memory,
        }
    }
}

/// Finds the results that must be stored in memory.
struct StorageAnalysis<'a> {
    code: &'a StepCode,
    groups: &'a [FusedGroup],
    /// For each cell the instruction that wrote it last and its group, counted from 1.
    writers: Vec<(u32, u32)>,
    is_stored: Vec<bool>,
    /// Cells that are read from memory before they are written.
    is_from_memory: Vec<bool>,
    /// Whether groups hand nothing on in registers.
    is_cut: bool,
}

impl StorageAnalysis<'_> {
    /// Which instructions store, and the cells that need not.
    fn find<I: Iterator<Item = CellRange>>(
        (code, is_scalar): (&StepCode, IsScalar),
        logged: &dyn Fn(LogTime) -> I,
        (kept, is_cut): (&[bool], bool),
        groups: &[FusedGroup],
    ) -> (Vec<bool>, Vec<u32>) {
        let mut memory = StorageAnalysis {
            code,
            groups,
            writers: vec![(0, 0); code.cells],
            is_stored: vec![false; code.step.len()],
            is_from_memory: vec![false; code.cells],
            is_cut,
        };
        for (index, group) in groups.iter().enumerate() {
            let number = index as u32 + 1;
            if let FusedKind::Log(time) = group.kind {
                let cells = logged(time).flat_map(CellRange::cells);
                cells.for_each(|cell| memory.read(cell, number, ReadMode::Single));
            }
            for &at in &group.list {
                let ins = &code.step[at as usize];
                code.each_read(ins, |cell, operand| {
                    memory.read(cell, number, ReadMode::of(group.kind, ins, operand, cell, is_scalar));
                });
                code.writes(ins).for_each(|cell| memory.writers[cell as usize] = (at, number));
            }
        }
        memory.finish(kept)
    }

    fn read(&mut self, cell: u32, reader: u32, way: ReadMode) {
        let (at, writer) = self.writers[cell as usize];
        let Some(group) = self.groups.get((writer as usize).wrapping_sub(1)) else {
            self.is_from_memory[cell as usize] |= self.is_cut || !matches!(way, ReadMode::Single);
            return;
        };
        let is_fold = matches!(self.code.step[at as usize].opcode, Opcode::Fold(_)) && group.kind != FusedKind::Call;
        let is_in_register = match way {
            ReadMode::Single => (group.kind == FusedKind::Straight || is_fold) && (!self.is_cut || writer == reader),
            ReadMode::Elements(from) => writer == reader && !is_fold && self.code.step[at as usize].dst == from,
            ReadMode::Memory => false,
        };
        self.is_stored[at as usize] |= !is_in_register;
    }

    /// Stores what the next step reads, or carries it in registers if possible.
    fn finish(mut self, kept: &[bool]) -> (Vec<bool>, Vec<u32>) {
        let is_early = early(self.code, kept);
        let mut carried = Vec::new();
        for (cell, &(at, writer)) in self.writers.iter().enumerate() {
            let Some(group) = self.groups.get((writer as usize).wrapping_sub(1)) else { continue };
            match group.kind {
                _ if !is_early[cell] => {}
                // A branch carries nothing: it need not run in the next step.
                FusedKind::Straight if !self.is_from_memory[cell] && kept.is_empty() && !self.is_cut => {
                    carried.push((cell as u32, at))
                }
                _ => self.is_stored[at as usize] = true,
            }
        }
        if carried.len() > MAX_CARRIED {
            carried.drain(..).for_each(|(_, at)| self.is_stored[at as usize] = true);
        }
        (self.is_stored, carried.into_iter().map(|(cell, _)| cell).collect())
    }
}
