//! The width of every signal, and with it the tape of every block.
//!
//! Tapes are built in the order of the data. Where that goes round (through a state), a width that is not known yet
//! counts as one element, and a block is built again when the widths of its inputs turn out otherwise: a scalar expands,
//! so widths grow until they fit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::loops::Graph;
use crate::block::limits::{MOST_PROGRAM_INSTRUCTIONS, count_text};
use crate::block::{BlockDef, BuildContext, BuildError, Files, Kernel, Rate, SampleTime, Settings};

/// A block of the flat list before its tape is known.
pub(super) struct UntypedUnit {
    pub def: &'static BlockDef,
    pub settings: Arc<Settings>,
    pub sources: Vec<Option<(usize, usize)>>,
    pub output_count: usize,
}

/// The kernels, and for each block its number among them; for each block that has none the reason.
pub(super) struct Kernels {
    pub list: Vec<Arc<Kernel>>,
    pub of: Vec<Option<u32>>,
    pub errors: Vec<(usize, WidthError)>,
}

/// How often a block's widths may change before they count as growing without end.
const MOST_BUILDS: u32 = 32;
/// More elements than this at one block's inputs are refused.
pub(super) const MAX_WIDTH: usize = 1 << 22;
/// What is refused so, stands in a ring and was built so often before has grown there.
const GROWN: u32 = 8;

pub(super) enum WidthError {
    Build(BuildError),
    /// Whenever the signal has gone round a loop it is wider.
    Growing,
    /// The inputs have so many elements together.
    TooWide(usize),
}

pub(super) fn build_kernels(untyped: &[UntypedUnit], context: BuildContext, files: &dyn Files) -> Kernels {
    let mut builds = Builds {
        untyped,
        context,
        files,
        readers: UnitReaders::new(untyped),
        shapes: HashMap::new(),
        shape_of: HashMap::new(),
        known: HashMap::new(),
        list: Vec::new(),
        built: vec![None; untyped.len()],
        outputs: firsts(untyped.iter().map(|untyped| untyped.output_count)),
        widths: vec![None; untyped.iter().map(|untyped| untyped.output_count).sum()],
        counts: vec![0; untyped.len()],
        growing: Vec::new(),
        too_wide: Vec::new(),
        instructions: 0,
    };
    builds.run();
    let mut of = Vec::with_capacity(untyped.len());
    let growing = builds.grown_in_rings();
    builds.too_wide.sort_unstable();
    builds.too_wide.dedup_by_key(|(block, _)| *block);
    let too_wide = std::mem::take(&mut builds.too_wide);
    let mut errors: Vec<_> = growing.iter().map(|&block| (block, WidthError::Growing)).collect();
    errors.extend(too_wide.iter().map(|&(block, width)| (block, WidthError::TooWide(width))));
    for (block, built) in builds.built.into_iter().enumerate() {
        match built {
            Some(Ok(kernel)) => of.push(Some(kernel)),
            Some(Err(error)) => {
                of.push(None);
                // That is all there is to say of it.
                let is_said = growing.binary_search(&block).is_ok()
                    || too_wide.binary_search_by_key(&block, |(block, _)| *block).is_ok();
                if !is_said {
                    errors.push((block, WidthError::Build(error)));
                }
            }
            None => panic!("every block is built"),
        }
    }
    Kernels { list: builds.list, of, errors }
}

/// Gives blocks that inherit their sample time tapes for the rates that they have.
pub(super) fn inherit(
    untyped: &[UntypedUnit],
    context: BuildContext,
    files: &dyn Files,
    kernels: &mut Kernels,
    rates: &[Option<SampleTime>],
) {
    // The tape so far says all of a block but its rate.
    let mut known: HashMap<(u32, SampleTime), u32> = HashMap::new();
    for (block, untyped) in untyped.iter().enumerate() {
        let Some(before) = kernels.of[block] else { continue };
        let sample = rates[block].unwrap_or(context.sample);
        if kernels.list[before as usize].rate != Rate::Inherited || sample == context.sample {
            continue;
        }
        if let Some(&kernel) = known.get(&(before, sample)) {
            kernels.of[block] = Some(kernel);
            continue;
        }
        let context = BuildContext { sample, ..context };
        match Kernel::build_with(untyped.def, &untyped.settings, &kernels.list[before as usize].inputs, context, files)
        {
            Ok(kernel) => {
                kernels.list.push(Arc::new(kernel));
                let kernel = kernels.list.len() as u32 - 1;
                kernels.of[block] = Some(kernel);
                known.insert((before, sample), kernel);
            }
            Err(error) => kernels.errors.push((block, WidthError::Build(error))),
        }
    }
}

/// By number of the shape, and the widths of the inputs.
type KernelKey = (u32, Vec<usize>);

struct Builds<'a> {
    untyped: &'a [UntypedUnit],
    context: BuildContext,
    files: &'a dyn Files,
    readers: UnitReaders,
    /// Numbers for the settings that shape a tape.
    shapes: HashMap<(*const BlockDef, String), u32>,
    /// The same by where the settings lie, which all uses of a block share.
    shape_of: HashMap<(*const BlockDef, *const Settings), u32>,
    known: HashMap<KernelKey, Result<u32, BuildError>>,
    list: Vec<Arc<Kernel>>,
    built: Vec<Option<Result<u32, BuildError>>>,
    /// Where a block's outputs begin among the widths.
    outputs: Vec<u32>,
    widths: Vec<Option<usize>>,
    counts: Vec<u32>,
    growing: Vec<usize>,
    too_wide: Vec<(usize, usize)>,
    /// Of all kernels.
    instructions: usize,
}

impl Builds<'_> {
    fn run(&mut self) {
        // First all whose inputs are known, in the order of the data; then one of a ring at a time.
        let mut unknown: Vec<usize> =
            self.untyped.iter().map(|untyped| untyped.sources.iter().flatten().count()).collect();
        let mut queue: VecDeque<usize> = (0..self.untyped.len()).filter(|&block| unknown[block] == 0).collect();
        let mut next = 0;
        loop {
            while let Some(block) = queue.pop_front() {
                let is_first = self.built[block].is_none();
                let changed = self.build(block);
                if !is_first && !changed {
                    continue;
                }
                for place in self.readers.places(block) {
                    let reader = self.readers.list[place] as usize;
                    if self.built[reader].is_some() {
                        if changed {
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
            while next < self.untyped.len() && self.built[next].is_some() {
                next += 1;
            }
            if next == self.untyped.len() {
                return;
            }
            queue.push_back(next);
        }
    }

    /// The blocks whose widths grow, in order: those in rings, where the cause is, not those that are fed by them.
    fn grown_in_rings(&mut self) -> Vec<usize> {
        let mut growing = std::mem::take(&mut self.growing);
        growing.sort_unstable();
        growing.dedup();
        if growing.is_empty() {
            return growing;
        }
        let graph = Graph::new(self.untyped.len(), |block, found| {
            found.extend(self.untyped[block].sources.iter().flatten().map(|(source, _)| *source as u32));
        });
        let mut is_in_ring = vec![false; self.untyped.len()];
        graph.rings().iter().flatten().for_each(|block| is_in_ring[*block] = true);
        growing.retain(|block| is_in_ring[*block]);
        growing
    }

    /// Builds a block for the widths its inputs have now; whether the widths of its outputs are others than before.
    fn build(&mut self, block: usize) -> bool {
        let untyped = &self.untyped[block];
        let width = |source: &Option<(usize, usize)>| {
            let (block, output) = (*source)?;
            let first = self.outputs[block] as usize;
            (output < self.untyped[block].output_count).then(|| self.widths[first + output]).flatten()
        };
        let width = |source: &Option<(usize, usize)>| width(source).unwrap_or(1);
        let inputs: Vec<usize> = untyped.sources.iter().map(width).collect();
        if inputs.iter().sum::<usize>() > MAX_WIDTH {
            let total = inputs.iter().sum();
            match self.counts[block] {
                // It was said before.
                count if count > MOST_BUILDS => {}
                count if count >= GROWN => self.growing.push(block),
                _ => self.too_wide.push((block, total)),
            }
            self.counts[block] = MOST_BUILDS + 1;
            let error = BuildError::Width { left: total, right: MAX_WIDTH, left_input: None, right_input: None };
            self.built[block].get_or_insert(Err(error));
            return false;
        }
        let def: *const BlockDef = untyped.def;
        let shapes = &mut self.shapes;
        let shape = *self.shape_of.entry((def, Arc::as_ptr(&untyped.settings))).or_insert_with(|| {
            let count = shapes.len() as u32;
            *shapes.entry((def, untyped.settings.shape())).or_insert(count)
        });
        let (list, context, files) = (&mut self.list, self.context, self.files);
        let instructions = &mut self.instructions;
        let built = self.known.entry((shape, inputs)).or_insert_with_key(|(_, inputs)| {
            let kernel = Kernel::build_with(untyped.def, &untyped.settings, inputs, context, files)?;
            *instructions += kernel.ops.len();
            if *instructions > MOST_PROGRAM_INSTRUCTIONS {
                return Err(too_many_instructions());
            }
            list.push(Arc::new(kernel));
            Ok(list.len() as u32 - 1)
        });
        // An input that comes to be known as what it was taken for changes nothing.
        if self.built[block].as_ref() == Some(&*built) {
            return false;
        }
        if let Err(BuildError::TooLarge(_)) = built {
            let error = built.clone().err();
            return error.is_some_and(|error| self.give_up(block, error));
        }
        self.counts[block] += 1;
        if self.counts[block] > MOST_BUILDS {
            if self.counts[block] == MOST_BUILDS + 1 {
                self.growing.push(block);
            }
            return false;
        }
        let first = self.outputs[block] as usize;
        let mut changed = false;
        if let Ok(kernel) = built {
            let outputs = list[*kernel as usize].outputs.iter().map(|output| Some(output.width));
            for (known, width) in self.widths[first..first + untyped.output_count].iter_mut().zip(outputs) {
                // UnitReaders took one that was not known for a scalar.
                changed |= known.unwrap_or(1) != width.unwrap_or(1);
                *known = width;
            }
        }
        self.built[block] = Some(built.clone());
        changed
    }
}

impl Builds<'_> {
    /// Leaves a block that is too large. Where that is because its own output comes back to it, wider each time, that
    /// is what is told.
    fn give_up(&mut self, block: usize, error: BuildError) -> bool {
        let is_new = self.built[block].as_ref().is_none_or(Result::is_ok);
        if is_new && self.counts[block] > 1 {
            self.growing.push(block);
        }
        self.counts[block] = MOST_BUILDS + 1;
        self.built[block] = Some(Err(error));
        false
    }
}

pub(super) fn too_many_instructions() -> BuildError {
    let most = count_text(MOST_PROGRAM_INSTRUCTIONS);
    BuildError::TooLarge(format!("all blocks together need more than {most} instructions, the limit"))
}

/// Who is fed by each block, once for each input.
pub(super) struct UnitReaders {
    firsts: Vec<u32>,
    pub list: Vec<u32>,
}

impl UnitReaders {
    pub fn new(untyped: &[UntypedUnit]) -> UnitReaders {
        let mut counts = vec![0; untyped.len()];
        let sources = || {
            untyped
                .iter()
                .zip(0..)
                .flat_map(|(untyped, reader)| untyped.sources.iter().flatten().map(move |from| (from.0, reader)))
        };
        sources().for_each(|(source, _)| counts[source] += 1);
        let firsts = firsts(counts.iter().copied());
        let mut next = firsts.clone();
        let mut list = vec![0; counts.iter().sum()];
        for (source, reader) in sources() {
            list[next[source] as usize] = reader;
            next[source] += 1;
        }
        UnitReaders { firsts, list }
    }

    /// Where a block's readers stand in the list.
    pub fn places(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.firsts.get(block + 1).map_or(self.list.len(), |first| *first as usize);
        self.firsts[block] as usize..end
    }
}

/// Where each of them begins, when so many stand one after the other.
fn firsts(counts: impl Iterator<Item = usize>) -> Vec<u32> {
    let begin = |next: &mut u32, count: usize| {
        let first = *next;
        *next += count as u32;
        Some(first)
    };
    counts.scan(0, begin).collect()
}
