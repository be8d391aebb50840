//! Compiles machine code, calls it, and receives its callbacks.
//!
//! All unsafe code of the engine is here; the only other place with any are the lanes of the mathematics. The machine
//! code accesses only the cells of the machine and the given log; its instructions come from [`super::codegen`], with
//! offsets from the schedule.

#![expect(unsafe_code, reason = "machine code is called through an address, and calls back with one")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use cranelift_codegen::ir::AbiParam;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, default_libcall_names};

use super::codegen::constants::ConstantPairs;
use super::codegen::{FUNCTION_PARAMS, Known, PARAMS, constant_count, emit, emit_function, functions, written};
use super::passes::fission::{Fission, LoopFission};
use crate::block::math::{BinaryFunction, BinaryVisitor, UnaryFunction, UnaryVisitor};
use crate::block::{Binary, Unary};
use crate::engine::program::fault::Fault;
use crate::engine::step_code::schedule::truths::has_many_gates;
use crate::engine::step_code::{CellRange, Driven, Instruction, Machine, Opcode, RateCode, StepCode};

/// Returns the step before which it ended: the given end, the failed step, or the one after a step with an assertion
/// report.
type StepLoopFn = extern "C" fn(*mut Machine, *mut f64, u64, u64, *mut f64) -> u64;

/// A step loop as machine code.
pub(in super::super) struct MachineCode {
    /// Frees the memory when dropped.
    module: Option<JITModule>,
    run: StepLoopFn,
    code: Arc<StepCode>,
    /// Owns what the machine code reads by address: tables and instructions.
    split: LoopFission,
    /// The number of values logged in each step.
    pub row: usize,
    /// The number of steps in a column of the log, which has one column for each of these values. A call logs at most
    /// this many steps.
    pub pitch: usize,
    /// The cells that the code takes as constants, with the bits it is made for.
    constants: Vec<(u32, u64)>,
    /// Constants that the code reads from memory.
    pairs: Option<ConstantPairs>,
    /// The cells that are 0 or 1 before each step.
    truths: Vec<u32>,
}

#[derive(Debug, thiserror::Error)]
pub(in super::super) enum MachineCodeError {
    #[error("no machine code can be made here: {0}")]
    Target(String),
    #[error(transparent)]
    Setting(#[from] settings::SetError),
    #[error(transparent)]
    Module(#[from] Box<ModuleError>),
    #[error("the model is too large for one piece of machine code")]
    TooLarge,
    #[error("lists with conditional parts are interpreted")]
    Branches,
}

/// More instructions than this take too long to compile.
const MAX_INSTRUCTIONS: usize = 400_000;
/// Finding loops takes about 50 bytes for each cell or element that is read, so that it takes some 400 MB at most. A
/// Transport Delay of 46,000 elements has as many; the interpreter takes two to four times as long for larger ones.
const MAX_CELLS: usize = 1 << 23;
const MAX_READS: usize = 1 << 25;

/// Parameters are read outside of the loops; more of them than there are registers would only be spilled, and register
/// allocation takes time that grows with the square of their number.
const MAX_LOADED: usize = 64;
/// The same for constants, which are loaded from memory where they are used, or rematerialized through an integer
/// register; there may be less than one such load in a cycle.
const MAX_KEPT: usize = 500;

/// The number of values that are logged before the samples take them, which stay in the fastest cache.
const LOG: usize = 1 << 11;

impl MachineCode {
    /// Compiles the step code for the watched outputs, given by first cell and width; if `cells` are given, for these values
    /// of the cells that no step changes.
    pub fn new(
        code: &Arc<StepCode>,
        watched: &[CellRange],
        cells: Option<&[f64]>,
        fission: Fission,
    ) -> Result<MachineCode, MachineCodeError> {
        if !MachineCode::fits_step(code) {
            return Err(MachineCodeError::TooLarge);
        }
        MachineCode::translate(
            code,
            LoopFission::new(code, watched, fission),
            (watched, (LOG / row_of(watched).max(1)).max(1)),
            cells,
        )
    }

    /// Whether the steps of step code are small enough for machine code.
    pub fn fits_step(code: &StepCode) -> bool {
        let inside = code.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
        MachineCode::check_size(code, code.step.iter().chain(inside)).is_ok()
    }

    /// Compiles the rates for a solver: a single step that logs the rates, in the order of the context's states.
    pub fn of_rates(code: &Arc<StepCode>, driven: &Driven) -> Result<MachineCode, MachineCodeError> {
        MachineCode::check_list(code, &driven.list)?;
        let mut cells: Vec<CellRange> = Vec::new();
        for piece in &driven.rates.0 {
            let end = (piece.offset + piece.count) as usize;
            cells.resize(cells.len().max(end), CellRange::new(0, 1));
            (0..piece.count)
                .for_each(|element| cells[(piece.offset + element) as usize] = CellRange::new(piece.cell + element, 1));
        }
        MachineCode::translate(code, LoopFission::whole(code, &driven.list, &cells, &[]), (&cells, 1), None)
    }

    /// Compiles another instruction list, which logs these cells, given by first cell and count.
    pub fn of_list(
        code: &Arc<StepCode>,
        list: &[Instruction],
        noted: &[CellRange],
    ) -> Result<MachineCode, MachineCodeError> {
        MachineCode::check_list(code, list)?;
        MachineCode::translate(code, LoopFission::whole(code, list, noted, &[]), (noted, 1), None)
    }

    /// Compiles another instruction list, which leaves the marked cells in memory and logs nothing.
    #[cfg(feature = "pool")]
    pub fn of_list_in_place(
        code: &Arc<StepCode>,
        list: &[Instruction],
        kept: &[bool],
    ) -> Result<MachineCode, MachineCodeError> {
        MachineCode::check_list(code, list)?;
        MachineCode::translate(code, LoopFission::whole(code, list, &[], kept), (&[], 1), None)
    }

    fn check_list(code: &StepCode, list: &[Instruction]) -> Result<(), MachineCodeError> {
        let has_branches = list.iter().any(|ins| matches!(ins.opcode, Opcode::Branch(_)));
        if has_branches { Err(MachineCodeError::Branches) } else { MachineCode::check_size(code, list.iter()) }
    }

    fn check_size<'a>(
        code: &StepCode,
        list: impl Iterator<Item = &'a Instruction> + Clone,
    ) -> Result<(), MachineCodeError> {
        let reads: usize = list.clone().flat_map(|ins| ins.reads()).map(|(_, elements)| elements as usize).sum();
        match code.cells > MAX_CELLS || reads > MAX_READS || list.count() > MAX_INSTRUCTIONS {
            true => Err(MachineCodeError::TooLarge),
            false => Ok(()),
        }
    }

    fn translate(
        code: &Arc<StepCode>,
        split: LoopFission,
        (watched, pitch): (&[CellRange], usize),
        constants: Option<&[f64]>,
    ) -> Result<MachineCode, MachineCodeError> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed")?;
        flags.set("is_pic", "false")?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
        let isa = cranelift_native::builder().map_err(|problem| MachineCodeError::Target(problem.to_owned()))?;
        let isa =
            isa.finish(settings::Flags::new(flags)).map_err(|error| MachineCodeError::Target(error.to_string()))?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut context = module.make_context();
        let mut builder = FunctionBuilderContext::new();
        let target = module.target_config();
        let mut is_written = written(&split);
        let count = constant_count(&split, &is_written);
        if constants.is_none() && count > MAX_LOADED {
            // They stay in memory.
            is_written.fill(true);
        }
        let has_branches = split.bodies.iter().any(Option::is_some);
        let pairs =
            (split.is_step && has_branches).then(|| ConstantPairs::new(split.cells().next_multiple_of(2) as u32));
        let keeps_constants = count <= MAX_KEPT && pairs.is_none();
        let has_flags = split.parts().any(|(code, _)| has_many_gates(code));
        let mut known = Known { is_written, constants, used: BTreeSet::new(), keeps_constants, has_flags, pairs };
        let mut parts = Vec::new();
        for groups in functions(&split) {
            context.func.signature.params = vec![AbiParam::new(I64); FUNCTION_PARAMS];
            emit_function(groups, &mut known, FunctionBuilder::new(&mut context.func, &mut builder), target);
            let part = module.declare_anonymous_function(&context.func.signature).map_err(Box::new)?;
            module.define_function(part, &mut context).map_err(Box::new)?;
            module.clear_context(&mut context);
            parts.push(part);
        }
        context.func.signature.params = vec![AbiParam::new(I64); PARAMS];
        context.func.signature.returns = vec![AbiParam::new(I64)];
        let parts: Vec<_> =
            parts.into_iter().map(|part| module.declare_func_in_func(part, &mut context.func)).collect();
        emit(
            &split,
            (watched, pitch),
            (&mut known, &parts[..]),
            FunctionBuilder::new(&mut context.func, &mut builder),
            target,
        );
        let function = module.declare_anonymous_function(&context.func.signature).map_err(Box::new)?;
        module.define_function(function, &mut context).map_err(Box::new)?;
        module.finalize_definitions().map_err(Box::new)?;
        let address = module.get_finalized_function(function);
        // SAFETY: the function was just made with this signature and the platform's calling convention, and lives as
        // long as the module.
        let run = unsafe { std::mem::transmute::<*const u8, StepLoopFn>(address) };
        let row = row_of(watched);
        let constants = constants.unwrap_or_default();
        let constants = known.used.into_iter().map(|cell| (cell, constants[cell as usize].to_bits())).collect();
        let truths = split.parts().flat_map(|(_, schedule)| schedule.carried.iter().zip(&schedule.truths));
        let truths = truths.filter(|(_, is_truth)| **is_truth).map(|(cell, _)| *cell).collect();
        let pairs = known.pairs;
        Ok(MachineCode {
            module: Some(module),
            run,
            code: Arc::clone(code),
            split,
            row,
            pitch,
            constants,
            pairs,
            truths,
        })
    }

    /// Whether the code is made for the values in these cells.
    pub fn fits(&self, cells: &[f64]) -> bool {
        self.constants.iter().all(|&(cell, bits)| cells[cell as usize].to_bits() == bits)
    }

    /// Whether the step before must have been interpreted or executed by this code.
    pub fn needs_step_before(&self) -> bool {
        self.split.needs_step_before
    }

    /// Whether the cells are 0 or 1 that the code takes as truths. Initial values may be others; after a few steps they
    /// are.
    pub fn has_truths(&self, cells: &[f64]) -> bool {
        let is_truth = |cell: &u32| [0.0, 1.0].map(f64::to_bits).contains(&cells[*cell as usize].to_bits());
        self.truths.iter().all(is_truth)
    }

    /// Runs `count` steps, which fill the first values of each column of the log.
    ///
    /// # Errors
    /// If a step cannot be completed: `machine.step` is that step, and the cells must be computed again.
    pub fn run(&self, machine: &mut Machine, count: u64, log: &mut [f64]) -> Result<(), Fault> {
        assert!(Arc::ptr_eq(&self.code, &machine.code), "the code is that of this machine");
        assert!(self.fits(&machine.cells), "the code is made for these constants");
        debug_assert!(self.has_truths(&machine.cells), "what the code takes as truths is 0 or 1");
        assert!(self.row == 0 || count <= self.pitch as u64, "the columns of the log have room for the steps");
        assert!(log.len() >= self.row * self.pitch, "the log has all columns");
        let first = machine.step;
        let end = first + count;
        // The code of the rates has no more cells than the machine, so it may run within that of the step, which holds
        // their address.
        let size = self.pairs.as_ref().map_or(self.split.cells(), ConstantPairs::cells);
        if size > machine.cells.len() {
            assert!(!machine.is_in_code, "the cells stay where they are while machine code runs on them");
            let mut cells = std::mem::take(&mut machine.cells).into_vec();
            cells.resize(size, 0.0);
            machine.cells = cells.into_boxed_slice();
        }
        if let Some(pairs) = &self.pairs {
            pairs.fill(&mut machine.cells);
        }
        let mut reached = end;
        if count > 0 {
            let (address, is_inner) = (machine.cells.as_mut_ptr(), std::mem::replace(&mut machine.is_in_code, true));
            let pointer: *mut Machine = machine;
            // SAFETY: the pointer was just a reference, and the log has room for the steps (asserted above). The code
            // accesses the machine, as many cells as there are now, and the log only through these pointers, on this
            // thread alone; it calls back through `pointer`, when no other access is under way. The cells are a boxed
            // slice, which does not grow, and are replaced only above, where no machine code runs (asserted).
            unsafe {
                let cells = (*pointer).cells.as_mut_ptr();
                reached = (self.run)(pointer, cells, (*pointer).step, end, log.as_mut_ptr());
            }
            machine.is_in_code = is_inner;
            assert!(std::ptr::eq(address, machine.cells.as_mut_ptr()), "the cells are where they were");
        }
        self.split.double_buffer.restore(&mut machine.cells, reached - first);
        machine.step = reached;
        if let Some(panic) = machine.panic.take() {
            resume_unwind(panic);
        }
        machine.fault.take().map_or(Ok(()), Err)
    }
}

impl RateCode for MachineCode {
    fn run(&self, machine: &mut Machine, rates: &mut [f64]) {
        // The step continues after the solver, and reports the failure.
        let (step, fault) = (machine.step, machine.fault.take());
        let ran = MachineCode::run(self, machine, 1, rates);
        machine.step = step;
        machine.fault = fault.or(ran.err());
    }
}

impl std::fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("MachineCode").finish_non_exhaustive()
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: this is the only holder of the function's address, and the function does not run while it is
            // dropped.
            unsafe { module.free_memory() };
        }
    }
}

/// Returns the number of values in these cells, given by first cell and width.
fn row_of(watched: &[CellRange]) -> usize {
    watched.iter().map(|range| range.count as usize).sum()
}

/// Returns the address of the function that interprets an instruction.
pub(super) fn interpreter() -> usize {
    interpret as *const () as usize
}

/// Interprets an instruction. Returns a value other than 0 if the step cannot be completed.
///
/// A panic must not unwind through machine code, which would abort the program: [`MachineCode::run`] resumes it after the
/// code has returned.
extern "C" fn interpret(machine: *mut Machine, step: u64, ins: *const Instruction) -> u64 {
    // SAFETY: only the code that `MachineCode::run` calls calls this, with the machine it was given and an instruction of
    // the split that it keeps.
    let (machine, ins) = unsafe { (&mut *machine, &*ins) };
    // After a panic the code may continue until its next check; nothing more is executed then.
    if machine.panic.is_some() {
        return 1;
    }
    machine.step = step;
    if ins.opcode.can_fail() && machine.is_cancelled() {
        machine.fault.get_or_insert_with(Fault::cancelled);
        return 1;
    }
    machine.panic = catch_unwind(AssertUnwindSafe(|| machine.execute(ins))).err();
    u64::from(machine.fault.is_some() || machine.panic.is_some())
}

/// Returns the address of a function that computes an operation. It does not panic, whatever the bits.
pub(super) fn unary(op: Unary) -> usize {
    let mut address = 0;
    op.accept(Address(&mut address));
    address
}

/// Returns the address of a function that computes an operation. It does not panic, whatever the bits.
pub(super) fn binary(op: Binary) -> usize {
    let mut address = 0;
    op.accept(Address(&mut address));
    address
}

struct Address<'a>(&'a mut usize);

impl UnaryVisitor for Address<'_> {
    fn visit<F: UnaryFunction>(self) {
        extern "C" fn compute<F: UnaryFunction>(a: f64) -> f64 {
            F::value(a)
        }
        *self.0 = compute::<F> as *const () as usize;
    }
}

impl BinaryVisitor for Address<'_> {
    fn visit<F: BinaryFunction>(self) {
        extern "C" fn compute<F: BinaryFunction>(a: f64, b: f64) -> f64 {
            F::value(a, b)
        }
        *self.0 = compute::<F> as *const () as usize;
    }
}
