//! Gives random inputs to a target: FUZZ_TARGET says which; `list` prints their names and the lengths of their inputs.
//!
//! A target panics where a promise is broken. In all of them an input may take one second of the processor, and the
//! memory of the target.

#![no_main]

mod first;
mod meter;
#[path = "../targets/mod.rs"]
mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use targets::{TARGETS, Target};

static TARGET: OnceLock<&Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        if name == "list" {
            TARGETS.iter().for_each(|target| println!("{} {}", target.name, target.longest));
            std::process::exit(0);
        }
        let target = TARGETS.iter().find(|target| target.name == name).expect("FUZZ_TARGET names a target");
        first::write_if_wanted(target);
        let _ = TARGET.set(target);
    },
    |data: &[u8]| -> Corpus {
        let target = TARGET.get().expect("it is set before the first input");
        meter::measured(target, data);
        Corpus::Keep
    }
);
