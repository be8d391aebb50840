//! The fuzz targets with their first inputs: files of this repository, examples of blocks, formulas and scripts. A target
//! that no longer compiles, or that breaks a promise on a plain input, is found here and not only by the fuzzer.

#[path = "src/targets/mod.rs"]
mod targets;

use targets::{TARGETS, Target};

use crate::memory::peaked;

fn check(target: &Target) {
    for input in target.first_inputs().iter().map(Vec::as_slice).chain([&b""[..]]) {
        let ((), peak) = peaked(|| (target.run)(input));
        let most = target.memory.limit(input.len());
        assert!(peak <= most, "{}: {} bytes of input take {peak} bytes of memory", target.name, input.len());
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let target = TARGETS.iter().find(|target| target.name == stringify!($name));
                check(target.expect("a target of this name"));
            }
        )*

        #[test]
        fn each_target_is_tried_here() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            let mut words = TARGETS.iter().flat_map(|target| (target.words)());
            assert!(words.all(|word| !word.is_empty()));
        }
    };
}

targets! {
    simx json bson simb inflated tables expression texts script edits clipboard checkpoint documents blocks plugins descriptions pool remote
}
