//! The rules of MISRA C:2012 that the page of the code names are those that `cppcheck` finds nothing against.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::export::c::{MISRA_DEVIATIONS, MISRA_KEPT, Options, Precision, Refusal, export};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};

const EXAMPLES: [(&str, &str); 4] = [
    ("am_radio", include_str!("../../assets/examples/am_radio.simx")),
    ("dc_motor", include_str!("../../assets/examples/dc_motor.simx")),
    // Its solver is an implicit one.
    ("conditional", include_str!("implicit.simx")),
    ("mass_spring_chain", include_str!("../../assets/examples/mass_spring_chain.simx")),
];

#[test]
fn the_rules_that_are_named_are_kept() {
    if Command::new("cppcheck").arg("--version").output().is_err() {
        eprintln!("cppcheck is not installed: the rules are not checked");
        return;
    }
    let kept: BTreeSet<&str> = MISRA_KEPT.split_whitespace().collect();
    assert!(MISRA_DEVIATIONS.iter().all(|(rule, ..)| !kept.contains(rule)), "a rule is kept or not");
    let mut found = BTreeSet::new();
    for (name, text) in EXAMPLES {
        let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
        let program = Arc::new(compile(&loaded.simulation, &Registry::standard()).expect("it compiles"));
        for precision in [Precision::Double, Precision::Single] {
            let options =
                Options { name, is_single_file: false, inlines_parameters: false, precision, params: &program.params };
            let code = match export(&program, &loaded.simulation, &options) {
                Err(Refusal::SingleSolver(_)) => continue,
                code => code.expect("it can be exported"),
            };
            let folder = tempfile::tempdir().expect("a folder");
            for file in &code.files {
                std::fs::write(folder.path().join(&file.name), &file.text).expect("a file");
            }
            let mut command = Command::new("cppcheck");
            command.current_dir(folder.path()).args(["-q", "--addon=misra", "--std=c99"]);
            let ran = command.args([&format!("{name}.c"), "simulate_math.c"]).output().expect("it starts");
            let report = String::from_utf8_lossy(&ran.stderr).into_owned();
            for rule in report.split("[misra-c2012-").skip(1).filter_map(|rest| rest.split(']').next()) {
                let is_named = MISRA_DEVIATIONS.iter().any(|(deviation, ..)| *deviation == rule);
                assert!(is_named, "{name}, {precision:?}: {report}");
                found.insert(rule.to_owned());
            }
        }
    }
    let named: BTreeSet<String> = MISRA_DEVIATIONS.iter().map(|(rule, ..)| (*rule).to_owned()).collect();
    assert_eq!(found, named, "no deviation is named in vain");
}
