//! Flat units → typed units: the width of every signal, and with it the tape of every unit.
//!
//! Tapes are built in the order of the data. In a loop (through a state) a width that is not known yet counts as one
//! element, and a tape is built again when the widths of its inputs turn out otherwise: a scalar expands, so widths grow
//! until they fit. The names of the elements of a bus are inferred with its width.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::flatten::{FlatUnit, Flattened};
use crate::block::limits::{MAX_PROGRAM_INSTRUCTIONS, MAX_VALUES, bytes_text, count_text};
use crate::block::{
    BlockDef, BuildContext, BuildError, Files, Kernel, Rate, SampleTime, Settings, SettingsShape, SignalType, StateDef,
    StateKind,
};
use crate::engine::program::graph::Graph;
use crate::engine::{KernelId, KernelMap, PrimaryMap, UnitId, UnitMap};

/// The tapes of all units.
pub(super) struct Kernels {
    /// Each tape once.
    pub list: KernelMap<Arc<Kernel>>,
    /// For each unit its tape; `None` if there is an error.
    pub by_unit: UnitMap<Option<KernelId>>,
    /// For each unit without a tape the reason, except units that only read such units; in no order.
    pub errors: Vec<(UnitId, WidthError)>,
}

pub(super) enum WidthError {
    Build(BuildError),
    /// The signal is wider each time that it has passed through a loop.
    Growing,
    /// The signal is a bus that contains itself.
    Nested,
    /// The inputs have this many elements together.
    TooWide(usize),
}

/// The tapes built so far, by definition, settings and widths of the inputs.
pub(super) struct KernelCache<'a> {
    context: BuildContext,
    files: &'a dyn Files,
    list: KernelMap<Arc<Kernel>>,
    /// Numbers for the settings that shape a tape.
    shapes: HashMap<(*const BlockDef, SettingsShape, [bool; 3]), u32>,
    /// By number of the shape and types of the inputs.
    known: HashMap<(u32, Vec<SignalType>), Result<KernelId, BuildError>>,
    /// By number of the shape the types of the inputs that were wanted last, and their tape: most units of a shape have
    /// equal inputs.
    latest: Vec<Option<(Vec<SignalType>, KernelId)>>,
    /// The tapes of blocks that never run, by the types of their inputs, number of outputs and unconnected input.
    never: HashMap<(Vec<SignalType>, usize, usize), KernelId>,
    /// Number of instructions of all tapes.
    instructions: usize,
}

/// A unit whose input widths change more often than this grows without end.
const MAX_BUILDS: u32 = 32;
/// Maximum number of elements of one unit's inputs together.
pub(super) const MAX_WIDTH: usize = 1 << 22;
/// A unit in a loop that exceeds [`MAX_WIDTH`] after this many changes is taken to have grown there.
const GROWN_BUILDS: u32 = 8;
/// The type of a source that is not known yet.
const SCALAR: SignalType = SignalType::plain(1);

impl<'a> KernelCache<'a> {
    pub fn new(context: BuildContext, files: &'a dyn Files) -> KernelCache<'a> {
        let (shapes, known, never) = (HashMap::new(), HashMap::new(), HashMap::new());
        KernelCache {
            context,
            files,
            list: PrimaryMap::new(),
            shapes,
            known,
            latest: Vec::new(),
            never,
            instructions: 0,
        }
    }

    /// The number of the settings that shape a unit's tape.
    fn shape(&mut self, unit: &FlatUnit) -> u32 {
        let count = self.shapes.len() as u32;
        let flags = unit.flags();
        let key = (std::ptr::from_ref(unit.def), SettingsShape(Arc::clone(&unit.settings)), flags);
        let shape = *self.shapes.entry(key).or_insert(count);
        self.latest.resize(self.shapes.len(), None);
        shape
    }

    /// The index of the tape for these inputs.
    fn kernel(&mut self, unit: &FlatUnit, shape: u32, inputs: &[SignalType]) -> Result<KernelId, BuildError> {
        let KernelCache { context, files, list, known, latest, instructions, .. } = self;
        let latest = &mut latest[shape as usize];
        if let Some((_, kernel)) = latest.as_ref().filter(|(known, _)| known == inputs) {
            return Ok(*kernel);
        }
        let built = known.entry((shape, inputs.to_vec())).or_insert_with_key(|(_, inputs)| {
            let context = unit.build_context(*context);
            let kernel = Kernel::build_with(unit.def, &unit.settings, inputs, context, *files)?;
            *instructions += kernel.ops.len();
            if *instructions > MAX_PROGRAM_INSTRUCTIONS {
                return Err(too_many_instructions());
            }
            Ok(list.push(Arc::new(kernel)))
        });
        if let Ok(kernel) = built {
            *latest = Some((inputs.to_vec(), *kernel));
        }
        built.clone()
    }

    /// The index of the tape of a unit that never runs.
    fn never(&mut self, unit: &FlatUnit, inputs: Vec<SignalType>, unconnected: usize) -> KernelId {
        let outputs = unit.def.output_count(&unit.settings);
        let KernelCache { list, never, .. } = self;
        *never
            .entry((inputs, outputs, unconnected))
            .or_insert_with_key(|(inputs, ..)| list.push(Arc::new(Kernel::never(inputs, outputs, unconnected))))
    }
}

impl Kernels {
    /// Infers the widths of all signals and builds the tapes of all units.
    pub fn infer(flattened: &Flattened, sources: &Graph<UnitId>, cache: &mut KernelCache) -> Kernels {
        let units = &flattened.units;
        let first_outputs = first_outputs(units);
        let mut inference = Inference {
            units,
            cache,
            readers: sources.reversed(),
            shapes: HashMap::new(),
            built: vec![None; units.len()].into(),
            inputs: Vec::new(),
            types: vec![None; first_outputs.last().map_or(0, |(_, end)| *end as usize)],
            first_outputs,
            counts: vec![0; units.len()].into(),
            growing: Vec::new(),
            too_wide: Vec::new(),
        };
        inference.run();
        inference.finish(sources)
    }

    /// A unit's tape.
    pub fn kernel(&self, unit: UnitId) -> Option<&Kernel> {
        self.by_unit[unit].map(|kernel| &*self.list[kernel])
    }

    /// Drops the tapes that no unit has.
    pub fn drop_unused(&mut self) {
        let mut is_used: KernelMap<bool> = vec![false; self.list.len()].into();
        self.by_unit.values().flatten().for_each(|kernel| is_used[*kernel] = true);
        let mut kept = PrimaryMap::new();
        let mut numbers: KernelMap<KernelId> = PrimaryMap::with_capacity(self.list.len());
        for (number, kernel) in std::mem::take(&mut self.list) {
            numbers.push(kept.next_key());
            if is_used[number] {
                kept.push(kernel);
            }
        }
        self.list = kept;
        self.by_unit.values_mut().flatten().for_each(|kernel| *kernel = numbers[*kernel]);
    }

    /// Builds the tapes of units that inherit their sample time for the rates that they have.
    pub fn inherit_rates(
        &mut self,
        units: &UnitMap<FlatUnit>,
        rates: &UnitMap<Option<SampleTime>>,
        cache: &KernelCache,
    ) {
        let KernelCache { context, files, .. } = *cache;
        // The tape so far has all properties of a unit but its rate.
        let mut known: HashMap<(KernelId, SampleTime), KernelId> = HashMap::new();
        for (number, unit) in units.iter() {
            let Some(before) = self.by_unit[number] else { continue };
            let sample = rates[number].unwrap_or(context.sample);
            if self.list[before].rate != Rate::Inherited || sample == context.sample {
                continue;
            }
            if let Some(&kernel) = known.get(&(before, sample)) {
                self.by_unit[number] = Some(kernel);
                continue;
            }
            let context = BuildContext { sample, ..unit.build_context(context) };
            let inputs = self.list[before].input_types();
            match Kernel::build_with(unit.def, &unit.settings, &inputs, context, files) {
                Ok(kernel) => {
                    let kernel = self.list.push(Arc::new(kernel));
                    self.by_unit[number] = Some(kernel);
                    known.insert((before, sample), kernel);
                }
                Err(error) => self.errors.push((number, WidthError::Build(error))),
            }
        }
    }

    /// Refuses a program that is too large as a whole, at the unit with the largest part of it.
    pub fn refuse_large(&mut self) {
        let state = |state: &StateDef| match state.kind {
            StateKind::Discrete | StateKind::Continuous => 2 * state.width,
            StateKind::History { length } => state.width * length,
            StateKind::Record => state.width,
        };
        let size =
            |kernel: &Kernel| (kernel.scratch + kernel.states.iter().map(state).sum::<usize>(), kernel.ops.len());
        let sizes: KernelMap<(usize, usize)> = self.list.values().map(|kernel| size(kernel)).collect();
        let size = |kernel: Option<KernelId>| kernel.map_or((0, 0), |kernel| sizes[kernel]);
        let of_units = || self.by_unit.iter().map(|(unit, kernel)| (unit, size(*kernel)));
        let (values, instructions) = of_units().fold((0, 0), |all, (_, size)| (all.0 + size.0, all.1 + size.1));
        let error = if values > MAX_VALUES {
            of_units().max_by_key(|(_, size)| size.0).map(|(unit, largest)| {
                let [all, own, max] = [values, largest.0, MAX_VALUES].map(bytes_text);
                let text = format!("all blocks together work on {all}, this one on {own}; the limit is {max}");
                (unit, BuildError::TooLarge(text))
            })
        } else if instructions > MAX_PROGRAM_INSTRUCTIONS {
            of_units().max_by_key(|(_, size)| size.1).map(|(unit, _)| (unit, too_many_instructions()))
        } else {
            None
        };
        self.errors.extend(error.map(|(unit, error)| (unit, WidthError::Build(error))));
    }
}

/// The inference of widths, unit by unit.
struct Inference<'a, 'c> {
    units: &'a UnitMap<FlatUnit>,
    cache: &'a mut KernelCache<'c>,
    /// For each unit, the units that read its outputs, once for each input.
    readers: Graph<UnitId>,
    /// Numbers of the shapes by address of the settings, which all instances of a block share.
    shapes: HashMap<(*const BlockDef, *const Settings, [bool; 3]), u32>,
    built: UnitMap<Option<Result<KernelId, BuildError>>>,
    /// A buffer for the types of a unit's inputs.
    inputs: Vec<SignalType>,
    /// For each unit, the index of its first output in `types`; one more for the end.
    first_outputs: UnitMap<u32>,
    types: Vec<Option<SignalType>>,
    /// For each unit, how often its tape was built.
    counts: UnitMap<u32>,
    growing: Vec<UnitId>,
    /// Units whose inputs have too many elements together, and how many.
    too_wide: Vec<(UnitId, usize)>,
}

impl Inference<'_, '_> {
    fn run(&mut self) {
        // First all units whose inputs are known, in the order of the data; then the wide states of loops; then one unit
        // of a loop at a time.
        let mut unknown: UnitMap<usize> =
            self.units.values().map(|unit| unit.sources.iter().flatten().count()).collect();
        let mut queue: VecDeque<UnitId> = self.units.keys().filter(|&unit| unknown[unit] == 0).collect();
        let mut units = self.units.keys();
        let mut has_queued_states = false;
        loop {
            while let Some(unit) = queue.pop_front() {
                let is_first = self.built[unit].is_none();
                let has_changed = self.build(unit);
                if !is_first && !has_changed {
                    continue;
                }
                for &reader in self.readers.successors(unit) {
                    if self.built[reader].is_some() {
                        if has_changed {
                            queue.push_back(reader);
                        }
                    } else if is_first {
                        unknown[reader] -= 1;
                        if unknown[reader] == 0 {
                            queue.push_back(reader);
                        }
                    }
                }
            }
            if !std::mem::replace(&mut has_queued_states, true) {
                queue.extend(self.units.keys().filter(|&unit| self.built[unit].is_none() && self.is_wide_state(unit)));
                continue;
            }
            let Some(next) = units.find(|&unit| self.built[unit].is_none()) else { return };
            queue.push_back(next);
        }
    }

    /// Builds the tape of a unit for the types that its inputs have now. Returns whether the types of its outputs have
    /// changed.
    fn build(&mut self, number: UnitId) -> bool {
        let unit = &self.units[number];
        let mut inputs = std::mem::take(&mut self.inputs);
        inputs.clear();
        inputs.extend(unit.sources.iter().map(|source| self.signal_type(*source)));
        let has_changed = self.build_for(number, &inputs);
        self.inputs = inputs;
        has_changed
    }

    fn build_for(&mut self, number: UnitId, inputs: &[SignalType]) -> bool {
        let unit = &self.units[number];
        let total: usize = inputs.iter().map(|input| input.width).sum();
        if total > MAX_WIDTH {
            self.refuse_wide(number, total);
            return false;
        }
        let mut built = self.kernel(number, inputs);
        // A bus that is not connected is a warning of the block, as any input.
        if let Err(BuildError::NotABus { input }) = built
            && unit.sources.get(input).is_some_and(Option::is_none)
        {
            built = Ok(self.cache.never(unit, inputs.to_vec(), input));
        }
        // An input that turns out to have the width that it was taken to have changes nothing.
        if self.built[number].as_ref() == Some(&built) {
            return false;
        }
        if let Err(BuildError::TooLarge(_)) = built {
            self.give_up(number, built);
            return false;
        }
        self.counts[number] += 1;
        if self.counts[number] > MAX_BUILDS {
            if self.counts[number] == MAX_BUILDS + 1 {
                self.growing.push(number);
            }
            return false;
        }
        let mut has_changed = false;
        if let Ok(kernel) = built {
            let known = self.outputs(number);
            for (known, output) in self.types[known].iter_mut().zip(&self.cache.list[kernel].outputs) {
                let new = output.signal_type();
                // Readers took an unknown one for a scalar.
                has_changed |= *known.as_ref().unwrap_or(&SCALAR) != new;
                *known = Some(new);
            }
        }
        self.built[number] = Some(built);
        has_changed
    }

    /// The index of a unit's tape for these inputs.
    fn kernel(&mut self, number: UnitId, inputs: &[SignalType]) -> Result<KernelId, BuildError> {
        let unit = &self.units[number];
        let flags = unit.flags();
        let key = (std::ptr::from_ref(unit.def), Arc::as_ptr(&unit.settings), flags);
        let cache = &mut *self.cache;
        let shape = *self.shapes.entry(key).or_insert_with(|| cache.shape(unit));
        cache.kernel(unit, shape, inputs)
    }

    /// Whether an output is a vector that needs no input, such as that of an integrator with several initial values.
    /// Otherwise its readers in a loop would first be built for a scalar, and might refuse that for good.
    fn is_wide_state(&mut self, number: UnitId) -> bool {
        let inputs: Vec<SignalType> =
            self.units[number].sources.iter().map(|source| self.signal_type(*source)).collect();
        if inputs.iter().map(|input| input.width).sum::<usize>() > MAX_WIDTH {
            return false;
        }
        let Ok(kernel) = self.kernel(number, &inputs) else { return false };
        let kernel = &self.cache.list[kernel];
        kernel.outputs.iter().any(|output| output.width > 1 && output.is_first(kernel))
    }

    /// The type of a source as far as it is known.
    fn signal_type(&self, source: Option<(UnitId, usize)>) -> SignalType {
        let known = source.and_then(|(unit, output)| self.types[self.outputs(unit)].get(output).cloned().flatten());
        known.unwrap_or(SCALAR)
    }

    /// The range of a unit's outputs in `types`.
    fn outputs(&self, unit: UnitId) -> Range<usize> {
        self.first_outputs[unit] as usize..self.first_outputs[unit + 1] as usize
    }

    fn refuse_wide(&mut self, number: UnitId, total: usize) {
        match self.counts[number] {
            // It was refused before.
            count if count > MAX_BUILDS => {}
            count if count >= GROWN_BUILDS => self.growing.push(number),
            _ => self.too_wide.push((number, total)),
        }
        self.counts[number] = MAX_BUILDS + 1;
        let error = BuildError::Width { left: total, right: MAX_WIDTH, left_input: None, right_input: None };
        self.built[number].get_or_insert(Err(error));
    }

    /// Refuses a unit that is too large. If it was built before, it is because its own output comes back to it, wider
    /// each time.
    fn give_up(&mut self, number: UnitId, error: Result<KernelId, BuildError>) {
        let is_new = self.built[number].as_ref().is_none_or(Result::is_ok);
        if is_new && self.counts[number] > 1 {
            self.growing.push(number);
        }
        self.counts[number] = MAX_BUILDS + 1;
        self.built[number] = Some(error);
    }

    fn finish(mut self, sources: &Graph<UnitId>) -> Kernels {
        let growing = self.growing_in_loops(sources);
        self.too_wide.sort_unstable();
        self.too_wide.dedup_by_key(|(unit, _)| *unit);
        let error =
            |&unit: &UnitId| (unit, if self.is_nested(unit) { WidthError::Nested } else { WidthError::Growing });
        let mut errors: Vec<_> = growing.iter().map(error).collect();
        let too_wide = self.too_wide;
        errors.extend(too_wide.iter().map(|&(unit, width)| (unit, WidthError::TooWide(width))));
        let mut by_unit: UnitMap<Option<KernelId>> = PrimaryMap::with_capacity(self.units.len());
        for (unit, built) in self.built {
            by_unit.push(built.as_ref().and_then(|built| built.as_ref().ok().copied()));
            match built {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    let is_reported = growing.binary_search(&unit).is_ok()
                        || too_wide.binary_search_by_key(&unit, |(unit, _)| *unit).is_ok();
                    if !is_reported {
                        errors.push((unit, WidthError::Build(error)));
                    }
                }
                None => panic!("every unit is built"),
            }
        }
        Kernels { list: self.cache.list.clone(), by_unit, errors }
    }

    /// Whether an output of a unit that grows is a bus that contains itself: it is nested deeper with each build.
    fn is_nested(&self, unit: UnitId) -> bool {
        let types = self.types[self.outputs(unit)].iter().flatten();
        let depth = types.filter_map(|of| of.bus.as_ref()).map(|bus| bus.depth()).max();
        depth.is_some_and(|depth| depth >= GROWN_BUILDS as usize)
    }

    /// The units whose widths grow, in order: those in loops, where the cause is, not those that read them.
    fn growing_in_loops(&mut self, sources: &Graph<UnitId>) -> Vec<UnitId> {
        let mut growing = std::mem::take(&mut self.growing);
        growing.sort_unstable();
        growing.dedup();
        if !growing.is_empty() {
            let mut is_in_loop: UnitMap<bool> = vec![false; self.units.len()].into();
            sources.loops().iter().flatten().for_each(|unit| is_in_loop[*unit] = true);
            growing.retain(|unit| is_in_loop[*unit]);
        }
        growing
    }
}

fn too_many_instructions() -> BuildError {
    let max = count_text(MAX_PROGRAM_INSTRUCTIONS);
    BuildError::TooLarge(format!("all blocks together need more than {max} instructions, the limit"))
}

fn first_outputs(units: &UnitMap<FlatUnit>) -> UnitMap<u32> {
    let mut firsts = PrimaryMap::with_capacity(units.len() + 1);
    let mut next = 0;
    for unit in units.values() {
        firsts.push(next);
        next += unit.def.output_count(&unit.settings) as u32;
    }
    firsts.push(next);
    firsts
}
