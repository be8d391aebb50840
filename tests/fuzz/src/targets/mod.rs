//! The fuzz targets: what each does with an input, its first inputs and its limits.
//!
//! The program of the fuzzer gives them random inputs; the ordinary tests of the program give them their first inputs, so
//! that a target that no longer compiles, or that fails on a good input, is noticed at once.

mod blocks;
mod calls;
mod checkpoint;
mod documents;
mod edits;
mod files;
mod imports;
mod plugins;
mod pool;
#[cfg(feature = "pool")]
mod remote;
mod seeds;
#[cfg(feature = "pool")]
mod sessions;
mod tables;
mod texts;
mod trial;

pub const MEGABYTE: usize = 1 << 20;

/// The most memory that an input may take: so many bytes, and so many times its own length.
pub struct Memory {
    pub fixed: usize,
    pub times: usize,
}

impl Memory {
    /// Returns the most bytes that an input of a length may take.
    pub fn limit(&self, length: usize) -> usize {
        self.fixed + self.times * length
    }
}

/// One kind of input.
pub struct Target {
    pub name: &'static str,
    /// Takes an input; panics where a promise is broken.
    pub run: fn(&[u8]),
    /// The greatest length of an input in bytes: short ones are tried more often, and reach most of the code.
    pub longest: usize,
    /// How much memory an input may take.
    pub memory: Memory,
    /// The first inputs, of any length.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that inputs consist of.
    pub words: fn() -> Vec<String>,
}

impl Target {
    /// Returns the first inputs that are not too long. What a long one has, several short ones have too.
    pub fn first_inputs(&self) -> Vec<Vec<u8>> {
        let mut inputs = (self.seeds)();
        inputs.retain(|input| input.len() <= self.longest);
        inputs
    }
}

/// A short text may give vectors as large as [`simulate::block::limits`] allows.
const NUMBERS: Memory = Memory { fixed: 512 * MEGABYTE, times: 0 };

pub const TARGETS: &[Target] = &[
    Target {
        name: "simx",
        run: files::simx,
        longest: 4096,
        memory: files::MEMORY,
        seeds: seeds::simx,
        words: seeds::tags,
    },
    Target {
        name: "simt",
        run: files::simt,
        longest: 4096,
        memory: files::MEMORY,
        seeds: seeds::simt,
        words: seeds::lines,
    },
    Target {
        name: "json",
        run: files::json,
        longest: 4096,
        memory: files::MEMORY,
        seeds: seeds::json,
        words: seeds::fields,
    },
    Target {
        name: "bson",
        run: files::bson,
        longest: 4096,
        memory: files::MEMORY,
        seeds: seeds::bson,
        words: seeds::fields,
    },
    Target {
        name: "simb",
        run: files::simb,
        longest: 2048,
        memory: files::MEMORY,
        seeds: seeds::simb,
        words: seeds::fields,
    },
    Target {
        name: "inflated",
        run: files::inflated,
        longest: 4096,
        memory: files::MEMORY,
        seeds: seeds::records,
        words: seeds::fields,
    },
    Target {
        name: "mdl",
        run: imports::file,
        longest: 4096,
        memory: imports::MEMORY,
        seeds: seeds::mdl,
        words: seeds::words_of_models,
    },
    Target {
        name: "diagram",
        run: imports::diagram,
        longest: 4096,
        memory: imports::MEMORY,
        seeds: seeds::diagrams,
        words: seeds::words_of_models,
    },
    Target {
        name: "slx",
        run: imports::file,
        longest: 4096,
        memory: imports::MEMORY,
        seeds: seeds::slx,
        words: Vec::new,
    },
    Target {
        name: "xcos",
        run: imports::file,
        longest: 16_384,
        memory: imports::MEMORY,
        seeds: seeds::xcos,
        words: seeds::words_of_diagrams,
    },
    Target {
        name: "dictionary",
        run: imports::dictionary,
        longest: 4096,
        memory: imports::MEMORY,
        seeds: seeds::dictionaries,
        words: Vec::new,
    },
    Target {
        name: "tables",
        run: tables::run,
        longest: 1024,
        memory: tables::MEMORY,
        seeds: seeds::tables,
        words: Vec::new,
    },
    Target {
        name: "expression",
        run: texts::expression,
        longest: 256,
        memory: NUMBERS,
        seeds: seeds::expressions,
        words: seeds::functions,
    },
    Target {
        name: "code",
        run: texts::code,
        longest: 512,
        memory: NUMBERS,
        seeds: seeds::code,
        words: seeds::words_of_code,
    },
    Target {
        name: "texts",
        run: texts::texts,
        longest: 256,
        memory: NUMBERS,
        seeds: seeds::texts,
        words: seeds::functions,
    },
    Target { name: "edits", run: edits::run, longest: 512, memory: edits::MEMORY, seeds: Vec::new, words: Vec::new },
    Target {
        name: "calls",
        run: calls::calls,
        longest: 4096,
        memory: calls::MEMORY,
        seeds: calls::seeds,
        words: calls::words,
    },
    Target {
        name: "clipboard",
        run: edits::clipboard,
        longest: 4096,
        memory: NUMBERS,
        seeds: seeds::simx,
        words: seeds::tags,
    },
    Target {
        name: "checkpoint",
        run: checkpoint::run,
        longest: 512,
        memory: checkpoint::MEMORY,
        seeds: checkpoint::seeds,
        words: Vec::new,
    },
    Target {
        name: "documents",
        run: documents::run,
        longest: 4096,
        memory: NUMBERS,
        seeds: seeds::documents,
        words: seeds::tags,
    },
    Target {
        name: "blocks",
        run: blocks::run,
        longest: 512,
        memory: NUMBERS,
        seeds: blocks::seeds,
        words: seeds::functions,
    },
    Target {
        name: "plugins",
        run: plugins::module,
        longest: 4096,
        memory: plugins::MEMORY,
        seeds: plugins::modules,
        words: Vec::new,
    },
    Target {
        name: "descriptions",
        run: plugins::description,
        longest: 4096,
        memory: plugins::MEMORY,
        seeds: plugins::descriptions,
        words: plugins::fields,
    },
    Target { name: "pool", run: pool::run, longest: 1024, memory: pool::MEMORY, seeds: pool::seeds, words: Vec::new },
    #[cfg(feature = "pool")]
    Target {
        name: "remote",
        run: remote::run,
        longest: 512,
        memory: remote::MEMORY,
        seeds: remote::seeds,
        words: Vec::new,
    },
    #[cfg(feature = "pool")]
    Target {
        name: "sessions",
        run: sessions::run,
        longest: 512,
        memory: sessions::MEMORY,
        seeds: sessions::seeds,
        words: Vec::new,
    },
];
