//! Modules and descriptions that are no plug-ins, by hand and at random: each is refused with a reason, or runs within its
//! limits.

use proptest::prelude::*;
use simulate::plugin::{inspect, load};

use super::{EXAMPLE_C, chain, module, one_block, outputs, registry, run};
use crate::random_cases;

fn problem(bytes: &[u8]) -> String {
    inspect(bytes).expect_err("it is no plug-in").to_string()
}

#[test]
fn a_module_that_is_no_plugin_is_refused_with_the_reason() {
    let nothing = outputs("(i32.const 0)");
    let import = |text: &str| problem(&module(&one_block("A", ""), &format!("(import {text}) {nothing}")));
    for text in [r#""env" "sin" (func (param f64) (result f64))"#, r#""wasi_snapshot_preview1" "fd_write" (func)"#] {
        assert!(import(text).contains("which a plug-in must not"), "{}", import(text));
    }
    assert!(import(r#""env" "sin" (func (param f64) (result f64))"#).contains("“sin” of “env”"));
    assert!(import(r#""simulate" "now" (func (result f64))"#).contains("“now” of “simulate”"));
    assert!(import(r#""simulate" "table" (table 1 funcref)"#).contains("“table” of “simulate”"));
    assert!(import(r#""simulate" "sin" (func (param f32) (result f32))"#).contains("another type"));
    assert!(import(r#""simulate" "sin" (global f64)"#).contains("another type"));
    assert!(problem(&module(&one_block("A", ""), "")).contains("does not export simulate_outputs"));
    let state = one_block("A", r#","states":[{"name":"x"}]"#);
    assert!(problem(&module(&state, &nothing)).contains("does not export simulate_update"));
    let state = one_block("A", r#","states":[{"name":"x","kind":"continuous"}]"#);
    assert!(problem(&module(&state, &nothing)).contains("does not export simulate_derivatives"));
    assert!(problem(b"").contains("not a WebAssembly module"));
    assert!(problem(b"<simulation/>").contains("not a WebAssembly module"));
    assert!(problem(&wat::parse_str("(module)").expect("it is valid")).contains("no custom section “simulate”"));
    let twice = wat::parse_str(r#"(module (@custom "simulate" "{}") (@custom "simulate" "{}"))"#).expect("it is valid");
    assert!(problem(&twice).contains("2 custom sections"));
    let without_memory =
        wat::parse_str(format!("(module (@custom \"simulate\" {:?}))", one_block("A", "").replace('\n', " ")));
    assert!(problem(&without_memory.expect("it is valid")).contains("its memory"));
}

/// What the fuzzer found: the translator panicked at an operator behind the end of its function.
#[test]
fn operators_behind_the_end_of_a_function_are_refused() {
    let body = [0, 0x20, 0, 0x0b, 0x20, 0];
    let sections: [&[u8]; 3] =
        [&[1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f], &[3, 2, 1, 0], &[&[10, 8, 1, 6][..], &body].concat()];
    let module = [b"\0asm\x01\0\0\0", &sections.concat()[..]].concat();
    let problem = problem(&module);
    assert!(problem.contains("operators remaining after end of function"), "{problem}");
}

#[test]
fn a_description_that_breaks_a_rule_is_refused_with_the_reason() {
    let valid = one_block("A", "");
    let with = |fields: &str| problem(&module(&one_block("A", fields), &outputs("(i32.const 0)")));
    let changed = |from: &str, to: &str| {
        assert!(valid.contains(from), "{from}");
        problem(&module(&valid.replace(from, to), &outputs("(i32.const 0)")))
    };
    let cases = [
        (changed(r#""abi":1"#, r#""abi":2"#), "version 2 of the interface"),
        (changed(r#""abi":1,"#, ""), "missing field `abi`"),
        (changed(r#""version":"1""#, r#""version":"1","colour":3"#), "unknown field `colour`"),
        (changed(r#""name":"A""#, r#""name":"""#), "the plug-in needs a name"),
        (changed(r#""name":"A""#, r#""name":"a/b""#), "the plug-in needs a name"),
        (changed(r#""name":"B""#, r#""name":" B""#), "a block needs a name"),
        (changed(r#""doc":"Tests""#, r#""doc":"Tests.""#), "without a full stop"),
        (changed(r#"[{"name":"y"}]"#, "[]"), "1 to 256 outputs"),
        (changed(r#"{"name":"y"}"#, r#"{"name":"y"},{"name":"y"}"#), "the name “y” is used twice"),
        (changed(r#"{"name":"y"}"#, r#"{"name":"y","width":0}"#), "a width is 1 to 1,000,000"),
        (changed(r#"{"name":"y"}"#, r#"{"name":"y","width":1000001}"#), "a width is 1 to 1,000,000"),
        (changed(r#"{"name":"y"}"#, r#"{"name":"y","width":"v"}"#), "“v” is not the name of an input"),
        (with(r#","params":[{"name":"k","doc":"K","default":[1,2]}]"#), "several only as a vector"),
        (with(r#","params":[{"name":"k","doc":"K","default":3,"max":2}]"#), "a default within its limits"),
        (with(r#","params":[{"name":"k","doc":"K","kind":"choice"}]"#), "a choice has choices"),
        (with(r#","params":[{"name":"k","doc":"K","kind":"integer","default":0.5}]"#), "whole numbers"),
        (with(r#","sampled":true,"params":[{"name":"Sample Time","doc":"K"}]"#), "“Sample Time” is used twice"),
        (with(r#","sampled":true,"states":[{"name":"x","kind":"continuous"}]"#), "no continuous states"),
        (with(r#","states":[{"name":"x","initial":"k"}]"#), "“k” is not the name of a parameter"),
        (with(r#","examples":[{"doc":"E","inputs":[[1],[2]],"outputs":[[1]]}]"#), "an example has"),
    ];
    for (problem, expected) in cases {
        assert!(problem.contains(expected), "{expected}: {problem}");
    }
    assert!(problem(&module(&" ".repeat(1 << 20).replacen(' ', &valid, 1), "")).contains("longer than 1 MB"));
    assert!(inspect(&module(&valid, &outputs("(i32.const 0)"))).is_ok());
}

proptest! {
    #![proptest_config(random_cases(400))]

    /// A module with random bytes changed: what is still a plug-in runs, or fails with a reason.
    #[test]
    fn a_damaged_module_is_refused_or_runs(changes in prop::collection::vec((0..EXAMPLE_C.len(), any::<u8>()), 1..6)) {
        let mut bytes = EXAMPLE_C.to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        if let Ok((plugin, defs)) = load(&bytes) {
            let (group, registry) = (&plugin.about.name, registry(&[&bytes]));
            if registry.has_group("Math") && defs.iter().any(|def| def.name == "Gain") {
                let model = chain(group, "2").replace("name='B'", "name='Gain'");
                let engines = ["simple", "compiled"];
                let [one, other] = engines.map(|engine| run(engine, &model, &registry, 3));
                prop_assert_eq!(one, other);
            }
        }
    }

    /// A description with random bytes changed, or cut off.
    #[test]
    fn a_damaged_description_is_refused_or_valid(at in 0..240_usize, text in "[ -~]{0,3}", is_cut in any::<bool>()) {
        let valid = one_block("A", r#","states":[{"name":"x","initial":1}],"params":[{"name":"k","doc":"K"}]"#);
        let (before, after) = valid.split_at(at.min(valid.len()));
        let after = if is_cut { "" } else { after.get(text.len()..).unwrap_or("") };
        let code = outputs("(i32.const 0)")
            + "(func (export \"simulate_update\") (param i32 i32) (result i32) (i32.const 0))";
        let _ = inspect(&module(&format!("{before}{text}{after}"), &code));
    }
}
