//! The fuzz targets with their first inputs: files of this repository, examples of blocks, formulas and code. A target
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

/// Gives a target its first inputs with some bytes changed, removed and repeated: for targets that are quick, a little of
/// what the fuzzer does for hours. FUZZ_MUTATIONS is the number of inputs, 2,000 otherwise.
fn mutate(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    let count = std::env::var("FUZZ_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let inputs = target.first_inputs();
    assert!(!inputs.is_empty(), "{name} has first inputs, none of them too long");
    // The generator of Marsaglia with the shifts 13, 7 and 17.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for number in 0..count {
        let mut input = inputs[number % inputs.len()].clone();
        for _ in 0..=random(4) {
            let at = random(input.len());
            match random(4) {
                0 => input.truncate(at),
                1 if !input.is_empty() => input[at] = random(256) as u8,
                2 if !input.is_empty() => input[at] ^= 1 << random(8),
                _ => {
                    let piece = input[at..input.len().min(at + 1 + random(16))].to_vec();
                    input.splice(at..at, piece);
                }
            }
        }
        let ((), peak) = peaked(|| (target.run)(&input));
        let most = target.memory.limit(input.len());
        assert!(peak <= most, "{name}: {input:?} takes {peak} bytes of memory");
    }
}

#[test]
fn messages_of_pools_with_changed_bytes_break_nothing() {
    ["pool", "remote", "sessions"].into_iter().for_each(mutate);
}

#[test]
fn code_with_changed_letters_breaks_nothing() {
    mutate("code");
}

#[test]
fn texts_with_changed_bytes_break_nothing() {
    mutate("simt");
}

#[test]
fn models_of_other_programs_with_changed_bytes_break_nothing() {
    ["mdl", "diagram", "slx", "xcos", "dictionary"].into_iter().for_each(mutate);
}

#[test]
fn calls_with_changed_letters_break_nothing() {
    mutate("calls");
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
    simx simt json bson simb inflated mdl diagram slx xcos dictionary tables expression code texts edits calls clipboard checkpoint documents blocks plugins descriptions pool remote sessions
}
