//! FMUs of our own export are imported again, with the bits of the simulation.

use std::fs;

use super::{Trial, columns};
use crate::cli::{folder, simulate};

pub(super) const LORENZ: &str = include_str!("../../assets/examples/lorenz.simx");

/// Whether there is a compiler for FMUs.
pub(super) fn can_load() -> bool {
    std::process::Command::new("cc").arg("--version").output().is_ok()
}

/// A gain whose output follows its input at once, and the integral of its input.
const DIRECT: &str = "<simulation root=\"Main\" steps=\"200\" delta=\"0.01\" solver=\"rk4\"><model name=\"Main\">\
    <entry id=\"1\" name=\"u\"/><block id=\"2\" group=\"Math\" name=\"Gain\"><option name=\"Gain\"><value>3</value></option>\
    </block><block id=\"3\" group=\"Math\" name=\"Integrate\"/><exit id=\"4\" name=\"now\"/><exit id=\"5\" name=\"sum\"/>\
    <connection from=\"1\" output=\"Output\" to=\"2\" input=\"Input\"/>\
    <connection from=\"1\" output=\"Output\" to=\"3\" input=\"Input\"/>\
    <connection from=\"2\" output=\"Output\" to=\"4\" input=\"Input\"/>\
    <connection from=\"3\" output=\"Output\" to=\"5\" input=\"Input\"/></model></simulation>";

fn exported(text: &str, version: &str) -> Vec<u8> {
    exported_with(text, version, &[])
}

pub(super) fn exported_with(text: &str, version: &str, options: &[&str]) -> Vec<u8> {
    let folder = folder(&[("model.simx", text)]);
    let args = ["export", "model.simx", "--to", "fmu", "--fmi", version, "--out", "model.fmu"];
    let outcome = simulate(folder.path(), &[&args, options].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    fs::read(folder.path().join("model.fmu")).expect("an FMU")
}

#[test]
fn an_exported_simulation_has_the_same_bits_when_it_is_imported() {
    if !can_load() {
        return;
    }
    let alone = folder(&[("model.simx", LORENZ)]);
    let args = ["run", "model.simx", "--signals", "exits", "--out", "out.csv", "--steps", "3000"];
    assert_eq!(simulate(alone.path(), &args).code, 0);
    let expected = columns(&fs::read_to_string(alone.path().join("out.csv")).expect("results"))[1..].to_vec();
    for version in ["2", "3"] {
        let trial = Trial::of(&exported(LORENZ, version), &["x", "y", "z"]).with_head("steps=\"3000\" delta=\"0.001\"");
        let results = trial.results("compiled");
        assert_eq!(results, expected, "FMI {version}");
        assert!(results[1].1.iter().any(|x| *x < -1.0), "it moves");
    }
}

/// With direct outputs an output follows its input in the same step, as in the simulation.
#[test]
fn direct_outputs_are_those_of_the_same_step() {
    if !can_load() {
        return;
    }
    let parts = "<block id=\"2\" group=\"Var\" name=\"Ramp\"/>\
                 <connection from=\"2\" output=\"Output\" to=\"3\" input=\"u\"/>\
                 <block id=\"4\" group=\"Math\" name=\"Gain\"><option name=\"Gain\"><value>3</value></option></block>\
                 <exit id=\"6\" name=\"gain\"/>\
                 <connection from=\"2\" output=\"Output\" to=\"4\" input=\"Input\"/>\
                 <connection from=\"4\" output=\"Output\" to=\"6\" input=\"Input\"/>";
    for version in ["2", "3"] {
        let trial = Trial::of(&exported(DIRECT, version), &["now", "sum"])
            .with("Inputs", "u")
            .with("Direct Outputs", "1")
            .with_parts(parts)
            .with_head("steps=\"100\" delta=\"0.01\"");
        let results = trial.results("simple");
        let column = |name: &str| &results.iter().find(|(known, _)| known == name).expect("a column").1;
        assert_eq!(column("now"), column("gain"), "FMI {version}");
        assert!(column("gain").iter().any(|value| *value != column("gain")[0]), "it changes");
    }
}
