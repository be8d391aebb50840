//! The fuzz targets: FUZZ_TARGET says which one gets the inputs; `list` prints their names.
//!
//! A target panics where a promise is broken. In all of them an input may take one second of the processor, and the
//! memory of [`Target::memory`].

#![no_main]

mod blocks;
mod checkpoint;
mod documents;
mod edits;
mod files;
mod meter;
mod seeds;
mod tables;
mod texts;
mod trial;

use std::sync::OnceLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use meter::{MEGABYTE, Memory};

/// One kind of input.
pub struct Target {
    pub name: &'static str,
    /// Takes an input; panics where a promise is broken.
    pub run: fn(&[u8]),
    /// How much memory an input may take.
    pub memory: Memory,
    /// The first inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that inputs consist of.
    pub words: fn() -> Vec<String>,
}

/// A short text may give vectors as large as [`simulate::block::limits`] allows.
const NUMBERS: Memory = Memory { fixed: 512 * MEGABYTE, times: 0 };

const TARGETS: &[Target] = &[
    Target { name: "simx", run: files::simx, memory: files::MEMORY, seeds: seeds::simx, words: seeds::tags },
    Target { name: "json", run: files::json, memory: files::MEMORY, seeds: seeds::json, words: seeds::fields },
    Target { name: "bson", run: files::bson, memory: files::MEMORY, seeds: seeds::bson, words: seeds::fields },
    Target { name: "simb", run: files::simb, memory: files::MEMORY, seeds: seeds::simb, words: seeds::fields },
    Target {
        name: "inflated",
        run: files::inflated,
        memory: files::MEMORY,
        seeds: seeds::records,
        words: seeds::fields,
    },
    Target { name: "tables", run: tables::run, memory: tables::MEMORY, seeds: seeds::tables, words: Vec::new },
    Target {
        name: "expression",
        run: texts::expression,
        memory: NUMBERS,
        seeds: seeds::expressions,
        words: seeds::functions,
    },
    Target { name: "texts", run: texts::texts, memory: NUMBERS, seeds: seeds::texts, words: seeds::functions },
    Target { name: "script", run: texts::script, memory: NUMBERS, seeds: seeds::scripts, words: seeds::functions },
    Target { name: "edits", run: edits::run, memory: edits::MEMORY, seeds: Vec::new, words: Vec::new },
    Target { name: "clipboard", run: edits::clipboard, memory: NUMBERS, seeds: seeds::simx, words: seeds::tags },
    Target { name: "checkpoint", run: checkpoint::run, memory: checkpoint::MEMORY, seeds: Vec::new, words: Vec::new },
    Target { name: "documents", run: documents::run, memory: NUMBERS, seeds: seeds::documents, words: seeds::tags },
    Target { name: "blocks", run: blocks::run, memory: NUMBERS, seeds: blocks::seeds, words: seeds::functions },
];

static TARGET: OnceLock<&Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        if name == "list" {
            TARGETS.iter().for_each(|target| println!("{}", target.name));
            std::process::exit(0);
        }
        let target = TARGETS.iter().find(|target| target.name == name).expect("FUZZ_TARGET names a target");
        seeds::write_if_wanted(target);
        let _ = TARGET.set(target);
    },
    |data: &[u8]| -> Corpus {
        let target = TARGET.get().expect("it is set before the first input");
        meter::measured(target, data);
        Corpus::Keep
    }
);
