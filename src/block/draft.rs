//! The tape under construction, with what is known of each register and the memory used so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::limits::{MAX_ELEMENTS, MAX_INSTRUCTIONS, MAX_VALUES, bytes_text, count_text};
use super::{BuildError, Bus, Op, Reg, ReportDef, StateDef, TimeEvents, Update, WatchedCode};

#[derive(Clone, Default)]
pub(super) struct Draft {
    pub ops: Vec<Op>,
    pub widths: Vec<u32>,
    pub outputs: Vec<Option<Reg>>,
    pub idle: Vec<Option<Reg>>,
    /// The values of outputs before the first sample hit.
    pub early: Vec<Option<Reg>>,
    /// The buses that the block has set for its outputs; the inner `None` for an output without names.
    pub buses: Vec<Option<Option<Arc<Bus>>>>,
    pub iterations: Option<Reg>,
    pub params: Vec<(usize, usize)>,
    pub states: Vec<StateDef>,
    pub updates: Vec<Update>,
    pub crossings: Vec<Reg>,
    pub time_events: TimeEvents,
    pub delay: Option<Reg>,
    pub reports: Vec<ReportDef>,
    pub code: Option<Arc<WatchedCode>>,
    /// Whether the block has no sample time, although its definition has one.
    pub is_unsampled: bool,
    /// Whether the block says that its kinks and jumps are not located.
    pub is_unlocated: bool,
    pub error: Option<BuildError>,
    /// The constant value of each register, where it has one.
    pub known: Vec<Option<f64>>,
    /// Whether each register is computed from constants only.
    pub constants: Vec<bool>,
    /// Whether each register is computed from constants and parameters only, so that it changes with a parameter at most.
    pub settled: Vec<bool>,
    /// The lowest input that each register depends on.
    pub origins: Vec<Option<u32>>,
    /// The number of values of all registers and states.
    pub values: usize,
    /// By width, the register that stands in for those beyond a limit.
    pub stand_ins: BTreeMap<usize, Reg>,
}

impl Draft {
    pub fn add(&mut self, op: Op, width: usize) -> Reg {
        let known = match op {
            Op::Const(number) => Some(number),
            Op::Unary(op, a) => self.known(a).map(|a| op.value(a)),
            Op::Binary(op, a, b) => self.known(a).zip(self.known(b)).map(|(a, b)| op.value(a, b)),
            _ => None,
        };
        let origin = match op {
            Op::Input(input) | Op::Ran(input) => Some(input),
            ref op => op.operands().filter_map(|reg| self.origins.get(reg as usize).copied().flatten()).min(),
        };
        let all = |is: &dyn Fn(Reg) -> bool| match op {
            Op::Unary(..)
            | Op::Binary(..)
            | Op::Select { .. }
            | Op::Slice { .. }
            | Op::Join(_)
            | Op::Fold(..)
            | Op::Pick { .. } => op.operands().all(is),
            _ => false,
        };
        let is_constant = matches!(op, Op::Const(_)) || all(&|reg| self.is_constant(reg));
        let is_settled = matches!(op, Op::Const(_) | Op::Param(_)) || all(&|reg| self.is_settled(reg));
        self.constants.push(is_constant);
        self.settled.push(is_settled);
        self.known.push(known);
        self.origins.push(origin);
        self.ops.push(op);
        self.widths.push(width as u32);
        self.ops.len() as Reg - 1
    }

    /// Returns the value of a register that is a constant or computed from constants.
    pub fn known(&self, reg: Reg) -> Option<f64> {
        self.known.get(reg as usize).copied().flatten()
    }

    /// Whether a register is computed from constants only.
    pub fn is_constant(&self, reg: Reg) -> bool {
        self.constants.get(reg as usize).copied().unwrap_or(false)
    }

    /// Whether a register is computed from constants and parameters only.
    pub fn is_settled(&self, reg: Reg) -> bool {
        self.settled.get(reg as usize).copied().unwrap_or(false)
    }

    /// Returns the lowest input that a register depends on.
    pub fn origin(&self, reg: Reg) -> Option<usize> {
        self.origins.get(reg as usize).copied().flatten().map(|input| input as usize)
    }

    pub fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }

    /// Records that the block is too large. Such a block calls this often, so the text is made only once.
    fn outgrow(&mut self, text: impl FnOnce() -> String) {
        self.error.get_or_insert_with(|| BuildError::TooLarge(text()));
    }

    /// Adds to the number of values, and returns whether it is within the limit.
    pub fn has_room(&mut self, values: usize) -> bool {
        self.values = self.values.saturating_add(values);
        if self.values > MAX_VALUES {
            self.outgrow(|| format!("the block works on more than {}, the limit", bytes_text(MAX_VALUES)));
        }
        self.values <= MAX_VALUES
    }

    /// Returns whether `count` more instructions are within the limit; records an error if not.
    pub fn has_room_for_instructions(&mut self, count: usize) -> bool {
        let fits = self.ops.len().saturating_add(count) <= MAX_INSTRUCTIONS;
        if !fits {
            self.outgrow(|| {
                format!("the block needs more than {} instructions, the limit", count_text(MAX_INSTRUCTIONS))
            });
        }
        fits
    }

    /// Whether one more register of this width is within the limits.
    pub fn has_room_for(&mut self, width: usize) -> bool {
        if width > MAX_ELEMENTS {
            self.outgrow(|| {
                let [width, most] = [width, MAX_ELEMENTS].map(count_text);
                format!("a signal of {width} elements; the limit is {most}")
            });
        }
        self.has_room_for_instructions(1) && self.has_room(width) && width <= MAX_ELEMENTS
    }
}
