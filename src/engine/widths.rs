//! The width of every signal, and with it the tape of every block.
//!
//! Tapes are built in the order of the data. Where that goes round (through a state), a width that is not known yet
//! counts as one lane, and a block is built again when the widths of its inputs turn out otherwise: a scalar expands,
//! so widths grow until they fit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::block::{BlockDef, BuildError, Facts, Files, Kernel, Rate, Sample, Settings};

/// A block of the flat list before its tape is known.
pub(super) struct Bare {
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
/// More lanes than this at one block's inputs count as growing, too.
const MOST_LANES: usize = 1 << 22;

pub(super) enum WidthError {
    Build(BuildError),
    Growing,
}

pub(super) fn build_kernels(bare: &[Bare], facts: Facts, files: &dyn Files) -> Kernels {
    let mut builds = Builds {
        bare,
        facts,
        files,
        readers: readers(bare),
        shapes: HashMap::new(),
        known: HashMap::new(),
        list: Vec::new(),
        built: vec![None; bare.len()],
        widths: bare.iter().map(|bare| vec![None; bare.output_count]).collect(),
        counts: vec![0; bare.len()],
        growing: Vec::new(),
    };
    builds.run();
    let mut of = Vec::with_capacity(bare.len());
    builds.growing.sort_unstable();
    builds.growing.dedup();
    let growing = builds.growing;
    let mut errors: Vec<_> = growing.iter().map(|&block| (block, WidthError::Growing)).collect();
    for (block, built) in builds.built.into_iter().enumerate() {
        match built {
            Some(Ok(kernel)) => of.push(Some(kernel)),
            Some(Err(error)) => {
                of.push(None);
                // Growing is all there is to say of it.
                if growing.binary_search(&block).is_err() {
                    errors.push((block, WidthError::Build(error)));
                }
            }
            None => panic!("every block is built"),
        }
    }
    Kernels { list: builds.list, of, errors }
}

/// Gives blocks that inherit their sample time tapes for the rates that they have.
pub(super) fn inherit(bare: &[Bare], facts: Facts, files: &dyn Files, kernels: &mut Kernels, rates: &[Option<Sample>]) {
    // The tape so far says all of a block but its rate.
    let mut known: HashMap<(u32, Sample), u32> = HashMap::new();
    for (block, bare) in bare.iter().enumerate() {
        let Some(before) = kernels.of[block] else { continue };
        let sample = rates[block].unwrap_or(facts.sample);
        if kernels.list[before as usize].rate != Rate::Inherited || sample == facts.sample {
            continue;
        }
        if let Some(&kernel) = known.get(&(before, sample)) {
            kernels.of[block] = Some(kernel);
            continue;
        }
        let facts = Facts { sample, ..facts };
        match Kernel::build_with(bare.def, &bare.settings, &kernels.list[before as usize].inputs, facts, files) {
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

type KernelKey = (*const BlockDef, u32, Vec<usize>);

struct Builds<'a> {
    bare: &'a [Bare],
    facts: Facts,
    files: &'a dyn Files,
    readers: Vec<Vec<usize>>,
    /// Numbers for the settings that shape a tape.
    shapes: HashMap<(*const BlockDef, String), u32>,
    known: HashMap<KernelKey, Result<u32, BuildError>>,
    list: Vec<Arc<Kernel>>,
    built: Vec<Option<Result<u32, BuildError>>>,
    widths: Vec<Vec<Option<usize>>>,
    counts: Vec<u32>,
    growing: Vec<usize>,
}

impl Builds<'_> {
    fn run(&mut self) {
        // First all whose inputs are known, in the order of the data; then one of a ring at a time.
        let mut unknown: Vec<usize> = self.bare.iter().map(|bare| bare.sources.iter().flatten().count()).collect();
        let mut queue: VecDeque<usize> = (0..self.bare.len()).filter(|&block| unknown[block] == 0).collect();
        let mut next = 0;
        loop {
            while let Some(block) = queue.pop_front() {
                let is_first = self.built[block].is_none();
                let changed = self.build(block);
                if !is_first && !changed {
                    continue;
                }
                for reader in self.readers[block].clone() {
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
            while next < self.bare.len() && self.built[next].is_some() {
                next += 1;
            }
            if next == self.bare.len() {
                return;
            }
            queue.push_back(next);
        }
    }

    /// Builds a block for the widths its inputs have now; whether the widths of its outputs are others than before.
    fn build(&mut self, block: usize) -> bool {
        let bare = &self.bare[block];
        let width = |source: &Option<(usize, usize)>| {
            source.and_then(|(block, output)| self.widths[block].get(output).copied().flatten()).unwrap_or(1)
        };
        let inputs: Vec<usize> = bare.sources.iter().map(width).collect();
        if inputs.iter().sum::<usize>() > MOST_LANES {
            self.counts[block] = MOST_BUILDS + 1;
            self.growing.push(block);
            let total = inputs.iter().sum();
            let error = BuildError::Width { left: total, right: MOST_LANES, left_input: None, right_input: None };
            self.built[block].get_or_insert(Err(error));
            return false;
        }
        let def: *const BlockDef = bare.def;
        let shape_count = self.shapes.len() as u32;
        let shape = *self.shapes.entry((def, bare.settings.shape())).or_insert(shape_count);
        let (list, facts, files) = (&mut self.list, self.facts, self.files);
        let built = self.known.entry((def, shape, inputs)).or_insert_with_key(|(_, _, inputs)| {
            let kernel = Kernel::build_with(bare.def, &bare.settings, inputs, facts, files)?;
            list.push(Arc::new(kernel));
            Ok(list.len() as u32 - 1)
        });
        // An input that comes to be known as what it was taken for changes nothing.
        if self.built[block].as_ref() == Some(&*built) {
            return false;
        }
        self.counts[block] += 1;
        if self.counts[block] > MOST_BUILDS {
            if self.counts[block] == MOST_BUILDS + 1 {
                self.growing.push(block);
            }
            return false;
        }
        let widths = match built {
            Ok(kernel) => list[*kernel as usize].outputs.iter().map(|output| Some(output.width)).collect(),
            Err(_) => self.widths[block].clone(),
        };
        self.built[block] = Some(built.clone());
        let changed = widths != self.widths[block];
        self.widths[block] = widths;
        changed
    }
}

fn readers(bare: &[Bare]) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); bare.len()];
    for (reader, block) in bare.iter().enumerate() {
        // Counted once for each input, as the number of unknown inputs is.
        block.sources.iter().flatten().for_each(|&(source, _)| readers[source].push(reader));
    }
    readers
}
