//! Writes the first inputs of a target, and the words that inputs consist of, as libFuzzer reads them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::targets::Target;

/// Writes the first inputs and the words of a target and ends the program, if the environment says where.
pub fn write_if_wanted(target: &Target) {
    let (Some(folder), Some(words)) = (std::env::var_os("FUZZ_SEEDS"), std::env::var_os("FUZZ_WORDS")) else { return };
    for (number, input) in target.first_inputs().iter().enumerate() {
        fs::write(PathBuf::from(&folder).join(format!("{number:04}")), input).expect("the input can be written");
    }
    let line = |word: &String| {
        let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02X}")).collect();
        format!("\"{bytes}\"\n")
    };
    let words_of: BTreeSet<String> = (target.words)().into_iter().filter(|word| !word.is_empty()).collect();
    // An empty list is an error for libFuzzer, a comment is none.
    let list = format!("# words\n\"simulate\"\n{}", words_of.iter().map(line).collect::<String>());
    fs::write(words, list).expect("the words can be written");
    std::process::exit(0);
}
