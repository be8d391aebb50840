//! The engine `compiled`: it runs machine code.
//!
//! The code is compiled on a separate thread. Until it is ready the steps are interpreted; since both give the same
//! bits, the time of the change does not matter. If a run continues for a while with the same parameters, code is
//! compiled in which they are constants; if one of them changes, the code for any parameters takes over.

use std::sync::Arc;

use crossbeam_channel::{Receiver, TryRecvError, bounded};

use super::super::{Context, Declined, Engine, Execute, OutputId, Program, RunError, Samples};
use super::call::{MachineCode, MachineCodeError};
use super::passes::fission::Fission;
use crate::engine::compile::repeats::Repeats;
use crate::engine::program::fault::Fault;
use crate::engine::step_code::{CellRange, Flat, Instruction, Machine, RateCode, StepCode};

use crate::threads;

/// When steps change over from the interpreter to machine code. The bits are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TierUp {
    /// When the code is ready, which a separate thread compiles while the steps are interpreted; so runs begin at once,
    /// and a short run may end before.
    #[default]
    Background,
    /// The first call of several steps waits for the code, so that tests know what runs.
    Wait,
    /// The same, and every step is split wherever that leaves its bits as they are, even where it is slower: for tests of
    /// the split.
    WaitAndSplit,
}

impl TierUp {
    /// The number of instructions that are interpreted before compilation begins.
    fn interpreted(self) -> u64 {
        match self {
            TierUp::Background => 20_000,
            TierUp::Wait | TierUp::WaitAndSplit => 1,
        }
    }

    /// Whether the run waits for the code.
    pub(in super::super) fn waits(self) -> bool {
        self != TierUp::Background
    }

    fn fission(self) -> Fission {
        match self {
            TierUp::Background | TierUp::Wait => Fission::WhereFaster,
            TierUp::WaitAndSplit => Fission::WherePossible,
        }
    }
}

/// Runs whole steps as machine code, including the step loop.
pub(in super::super) struct Compiled(pub TierUp);

impl Engine for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn doc(&self) -> &'static str {
        "Turns the whole model into machine code"
    }

    fn prepare(&self, program: &Arc<Program>) -> Result<Box<dyn Execute>, Declined> {
        Repeats::check(program, self.name())?;
        Ok(self.run_of(Machine::new(program)))
    }
}

impl Compiled {
    /// Returns a run of a machine's step code.
    pub(in super::super) fn run_of(&self, machine: Machine) -> Box<dyn Execute> {
        let branches = machine.code.branches.iter().flat_map(|branch| branch.body.iter().chain(&branch.otherwise));
        let step_work = machine.code.step.iter().chain(branches).map(|ins| 1 + u64::from(ins.elements) / 8).sum();
        let (watched, log) = (Vec::new(), Vec::new());
        Box::new(CompiledRun {
            tier_up: self.0,
            machine,
            maker: CodeCompilation::default(),
            watched,
            step_work,
            work: 0,
            params: Vec::new(),
            log,
        })
    }
}

struct CompiledRun {
    tier_up: TierUp,
    machine: Machine,
    maker: CodeCompilation,
    /// The outputs that the machine code logs.
    watched: Vec<OutputId>,
    /// The instructions of a step, each counted once more for every eight elements.
    step_work: u64,
    /// The requested instructions so far, counted in the same way.
    work: u64,
    /// The parameters of the last call.
    params: Vec<f64>,
    log: Vec<f64>,
}

/// The parameters that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    AnyParams,
    TheseParams,
}

/// The machine code, or the channel from which it will come.
struct CodeCompilation {
    /// The code for any parameters.
    general: Option<MachineCode>,
    /// The code for some parameters, which is faster.
    special: Option<MachineCode>,
    making: Option<(Purpose, Receiver<Result<MachineCode, MachineCodeError>>)>,
    /// Whether compilation failed.
    is_impossible: bool,
    /// The requested steps since a parameter changed.
    steady: u64,
    /// The number of such steps before code is compiled for the parameters; doubled each time the parameters changed
    /// after that.
    patience: u64,
}

impl Default for CodeCompilation {
    fn default() -> CodeCompilation {
        let patience = TIER_UP_WORK;
        CodeCompilation { general: None, special: None, making: None, is_impossible: false, steady: 0, patience }
    }
}

const MAX_STEPS: u64 = 1 << 16;
/// The instructions of a piece, counted as above: some milliseconds.
const PIECE: u64 = 1 << 21;
/// A list of tangents that is longer must have been interpreted more often, in proportion to its length.
const LONG_DERIVATIVE: u64 = 100;
/// The interpreted instructions after which code is compiled: they have taken about as long as the compilation.
const TIER_UP_WORK: u64 = 20_000;

impl CompiledRun {
    /// Whether to compile machine code for the watched outputs.
    fn is_due(&mut self, params: &[f64], count: u64, samples: &Samples) -> bool {
        let watched: Vec<OutputId> = samples.watches().iter().map(|watch| watch.output).collect();
        if self.watched != watched {
            (self.maker.general, self.maker.special, self.maker.making) = (None, None, None);
            self.watched = watched;
        }
        let is_same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        if self.params.len() != params.len() || !self.params.iter().zip(params).all(is_same) {
            self.params = params.to_vec();
            self.maker.params_changed();
        }
        self.translate_rates();
        self.work = self.work.saturating_add(self.step_work.saturating_mul(count));
        self.maker.steady = self.maker.steady.saturating_add(count);
        count >= 2 && self.work >= self.tier_up.interpreted()
    }

    /// Compiles the rates and their tangents if a solver has evaluated them often. If that fails they are interpreted.
    fn translate_rates(&mut self) {
        let code = Arc::clone(&self.machine.code);
        let Some(driven) = &code.driven else { return };
        let work = self.machine.evaluations.saturating_mul(driven.list.len() as u64);
        if self.machine.rate_code.is_none() && work >= self.tier_up.interpreted() {
            self.machine.evaluations = 0;
            match MachineCode::of_rates(&code, driven) {
                Ok(native) => self.machine.rate_code = Some(Box::new(native) as Box<dyn RateCode>),
                // The interpreter has them; the steps around the solver may still be machine code.
                Err(MachineCodeError::Branches) => {}
                Err(_) => self.maker.is_impossible = true,
            }
        }
        let tier_up = self.tier_up.interpreted();
        let machine = &mut self.machine;
        if let (Some(derivative), None) = (&driven.derivative, &machine.derivative_code) {
            let rows = (&*derivative.results, derivative.directions);
            machine.derivative_code =
                translated(&code, &derivative.list, rows, (&mut machine.differentiations, tier_up));
        }
        if let (Some(tangents), None) = (&driven.tangents, &machine.variation_code) {
            let rows = (&*tangents.rates, tangents.directions as u32);
            machine.variation_code = translated(&code, &tangents.list, rows, (&mut machine.variations, tier_up));
        }
    }
}

/// Compiles a list of tangents, given by the first cells of its rows and their width, if it has been interpreted often. If
/// that fails it is interpreted further.
fn translated(
    code: &Arc<StepCode>,
    list: &[Instruction],
    (rows, width): (&[u32], u32),
    (count, tier_up): (&mut u64, u64),
) -> Option<Box<dyn RateCode>> {
    let length = list.len() as u64;
    // The run waits for this code, and a long list takes long to compile.
    if count.saturating_mul(length) < tier_up.saturating_mul(1 + length / LONG_DERIVATIVE) {
        return None;
    }
    *count = 0;
    let rows: Vec<CellRange> = rows.iter().map(|&first| CellRange::new(first, width)).collect();
    let native = MachineCode::of_list(code, list, &rows).ok()?;
    Some(Box::new(native))
}

impl CodeCompilation {
    fn params_changed(&mut self) {
        self.steady = 0;
        if self.special.is_some() {
            self.patience = self.patience.saturating_mul(2);
        }
    }

    /// Returns the code for these cells.
    fn machine_code(&self, cells: &[f64]) -> Option<&MachineCode> {
        self.special.as_ref().filter(|special| special.fits(cells)).or(self.general.as_ref())
    }

    /// Begins the compilation of the missing code for these cells.
    fn begin(&mut self, machine: &Machine, watched: &[OutputId], tier_up: TierUp) {
        if self.is_impossible || self.making.is_some() {
            return;
        }
        let is_fit = self.special.as_ref().is_some_and(|special| special.fits(&machine.cells));
        let is_first = self.general.is_none() && self.special.is_none();
        let purpose = match tier_up {
            _ if is_fit => return,
            // Tests run both.
            _ if tier_up.waits() && is_first => Purpose::TheseParams,
            _ if self.general.is_none() => Purpose::AnyParams,
            _ if self.steady >= self.patience => Purpose::TheseParams,
            _ => return,
        };
        // Asked before the cells are copied.
        if !MachineCode::fits_step(&machine.code) {
            self.is_impossible = true;
            return;
        }
        let (program, code) = (&machine.program, Arc::clone(&machine.code));
        let cells_of = |&output: &OutputId| CellRange::new(code.outputs[output], program.outputs[output].width);
        let watched: Vec<CellRange> = watched.iter().map(cells_of).collect();
        let cells = (purpose == Purpose::TheseParams).then(|| machine.cells.clone());
        let (sender, receiver) = bounded(1);
        // If the receiver is gone, the code is dropped.
        let fission = tier_up.fission();
        let make = move || drop(sender.send(MachineCode::new(&code, &watched, cells.as_deref(), fission)));
        self.is_impossible = threads::spawn("machine code", make).is_err();
        if tier_up.waits() {
            self.take(purpose, receiver.recv().ok());
        } else {
            self.making = Some((purpose, receiver));
        }
    }

    /// Takes the code if it is ready.
    fn look(&mut self) {
        let Some((purpose, making)) = &self.making else { return };
        let (purpose, made) = match making.try_recv() {
            Err(TryRecvError::Empty) => return,
            made => (*purpose, made.ok()),
        };
        self.making = None;
        self.take(purpose, made);
    }

    /// Takes the result of a compilation; `None` if it broke down.
    fn take(&mut self, purpose: Purpose, made: Option<Result<MachineCode, MachineCodeError>>) {
        match (made, purpose) {
            (Some(Ok(native)), Purpose::AnyParams) => self.general = Some(native),
            (Some(Ok(native)), Purpose::TheseParams) => self.special = Some(native),
            // The list is interpreted instead, and the engine's name reports it.
            (Some(Err(_)) | None, _) => self.is_impossible = true,
        }
    }
}

/// Runs steps in pieces that fit into the log; ends early if a block ends the run.
fn run_native(
    native: &MachineCode,
    (log, step_work): (&mut Vec<f64>, u64),
    machine: &mut Machine,
    mut count: u64,
    samples: &mut Samples,
) -> Result<(), Fault> {
    let most = if native.row == 0 { MAX_STEPS } else { native.pitch as u64 };
    // Cancellation is checked between two pieces; slow instructions check it themselves.
    let most = most.min((PIECE / step_work.max(1)).max(1));
    while count > 0 {
        let steps = count.min(most);
        log.resize(native.row * native.pitch, 0.0);
        let first = machine.step;
        let ran = native.run(machine, steps, log);
        let done = (machine.step - first) as usize;
        samples.note_columns(&machine.program, first, done, (log, native.pitch));
        ran?;
        if done > 0 {
            machine.report_step(machine.step - 1, samples);
        }
        if samples.end().is_some() || samples.is_cancelled() {
            break;
        }
        count -= done as u64;
    }
    Ok(())
}

impl Execute for CompiledRun {
    fn run(&mut self, context: &mut Context, count: u64, samples: &mut Samples) -> Result<(), RunError> {
        // The machine code counts steps with a sign.
        let is_countable = context.step.checked_add(count).is_some_and(|end| i64::try_from(end).is_ok());
        let is_due = is_countable && self.is_due(&context.params, count, samples);
        let CompiledRun { machine, maker, watched, step_work, log, tier_up, .. } = self;
        machine.run(context, count, samples, &mut |machine, mut count, samples| {
            if is_due {
                maker.begin(machine, watched, *tier_up);
            }
            let piece = (tier_up.interpreted() / (*step_work).max(1)).max(1);
            let mut is_begun = false;
            while count > 0 {
                maker.look();
                let machine_code = maker.machine_code(&machine.cells).filter(|_| is_countable);
                let is_ready = |native: &&MachineCode| {
                    (is_begun || !native.needs_step_before()) && native.has_truths(&machine.cells)
                };
                if let Some(native) = machine_code.filter(is_ready) {
                    return run_native(native, (log, *step_work), machine, count, samples);
                }
                let steps = if machine_code.is_some() { 1 } else { count.min(piece) };
                machine.steps(steps, samples)?;
                if samples.end().is_some() || samples.is_cancelled() {
                    break;
                }
                count -= steps;
                is_begun = true;
            }
            Ok(())
        })
    }

    fn engine(&self) -> &'static str {
        if self.maker.is_impossible { Flat.name() } else { Compiled(self.tier_up).name() }
    }

    fn runs_machine_code(&self) -> bool {
        self.maker.general.is_some() || self.maker.special.is_some()
    }
}
