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

/// y = 10 u + k and a bus of speed = u, pose.x = k and pose.y = 10 u + k, and a vector in two parts.
const STRUCTURED: &str = "<simulation root=\"Main\" steps=\"50\" delta=\"0.1\"><model name=\"Main\">\
    <entry id=\"1\" name=\"m.u\"/><entry id=\"2\" name=\"m.k\"/>\
    <block id=\"3\" group=\"Math\" name=\"Gain\"><option name=\"Gain\"><value>10</value></option></block>\
    <block id=\"4\" group=\"Math\" name=\"Sum\"/>\
    <block id=\"5\" group=\"Routing\" name=\"Bus Creator\"><option name=\"Names\"><value>x y</value></option></block>\
    <block id=\"6\" group=\"Routing\" name=\"Bus Creator\"><option name=\"Names\"><value>speed pose</value></option></block>\
    <exit id=\"7\" name=\"car\"/><exit id=\"8\" name=\"v[1]\"/><exit id=\"9\" name=\"v[2]\"/>\
    <connection from=\"1\" output=\"Output\" to=\"3\" input=\"Input\"/>\
    <connection from=\"3\" output=\"Output\" to=\"4\" input=\"Input 1\"/>\
    <connection from=\"2\" output=\"Output\" to=\"4\" input=\"Input 2\"/>\
    <connection from=\"2\" output=\"Output\" to=\"5\" input=\"x\"/>\
    <connection from=\"4\" output=\"Output\" to=\"5\" input=\"y\"/>\
    <connection from=\"1\" output=\"Output\" to=\"6\" input=\"speed\"/>\
    <connection from=\"5\" output=\"Bus\" to=\"6\" input=\"pose\"/>\
    <connection from=\"6\" output=\"Bus\" to=\"7\" input=\"Input\"/>\
    <connection from=\"4\" output=\"Output\" to=\"8\" input=\"Input\"/>\
    <connection from=\"3\" output=\"Output\" to=\"9\" input=\"Input\"/></model></simulation>";

/// The structured names of an FMU are buses and vectors, taken apart and put together by name.
#[test]
fn variables_with_structured_names_are_buses() {
    if !can_load() {
        return;
    }
    // The bus at the input has the elements in another order, and one more.
    let parts = "<block id=\"10\" group=\"Var\" name=\"Ramp\"/><block id=\"11\" group=\"Var\" name=\"Static\">\
        <option name=\"Value\"><value>3</value></option></block>\
        <block id=\"12\" group=\"Routing\" name=\"Bus Creator\"><option name=\"Names\"><value>k other u</value></option></block>\
        <connection from=\"11\" output=\"Output\" to=\"12\" input=\"k\"/>\
        <connection from=\"11\" output=\"Output\" to=\"12\" input=\"other\"/>\
        <connection from=\"10\" output=\"Output\" to=\"12\" input=\"u\"/>\
        <connection from=\"12\" output=\"Bus\" to=\"3\" input=\"m\"/>\
        <block id=\"13\" group=\"Routing\" name=\"Bus Selector\">\
        <option name=\"Elements\"><value>pose.y speed pose</value></option></block>\
        <connection from=\"3\" output=\"car\" to=\"13\" input=\"Bus\"/>\
        <exit id=\"20\" name=\"ramp\"/><exit id=\"21\" name=\"car\"/><exit id=\"22\" name=\"y\"/>\
        <exit id=\"23\" name=\"speed\"/><exit id=\"24\" name=\"v\"/>\
        <connection from=\"10\" output=\"Output\" to=\"20\" input=\"Input\"/>\
        <connection from=\"3\" output=\"car\" to=\"21\" input=\"Input\"/>\
        <connection from=\"13\" output=\"pose.y\" to=\"22\" input=\"Input\"/>\
        <connection from=\"13\" output=\"speed\" to=\"23\" input=\"Input\"/>\
        <connection from=\"3\" output=\"v\" to=\"24\" input=\"Input\"/>";
    for version in ["2", "3"] {
        let fmu = exported(STRUCTURED, version);
        let trial = Trial::of(&fmu, &[])
            .with("Inputs", "m.u; m.k")
            .with("Outputs", "car.speed; car.pose.x; car.pose.y; v[1]; v[2]")
            .with("Buses", "1")
            .with("Direct Outputs", "1")
            .with_parts(parts)
            .with_head("steps=\"50\" delta=\"0.1\"");
        let results = trial.results("simple");
        let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        let expected = ["time", "ramp", "car.speed", "car.pose.x", "car.pose.y", "y", "speed", "v[0]", "v[1]"];
        assert_eq!(names, expected, "FMI {version}");
        let column = |name: &str| &results.iter().find(|(known, _)| known == name).expect("a column").1;
        let ramp = column("ramp");
        assert!(ramp.iter().any(|u| *u != ramp[0]), "it changes");
        let of_ramp = |of: &dyn Fn(f64) -> f64| ramp.iter().map(|u| of(*u)).collect::<Vec<f64>>();
        assert_eq!(column("car.speed"), ramp);
        assert_eq!(column("speed"), ramp);
        assert_eq!(*column("car.pose.x"), of_ramp(&|_| 3.0));
        for name in ["car.pose.y", "y", "v[0]"] {
            assert_eq!(*column(name), of_ramp(&|u| 10.0 * u + 3.0), "{name} of FMI {version}");
        }
        assert_eq!(*column("v[1]"), of_ramp(&|u| 10.0 * u));
        // A bus without one of the names is refused with its name.
        let outcome =
            trial.with_parts(&parts.replace("k other u", "k other w").replace("\"u\"", "\"w\"")).run("simple");
        assert_ne!(outcome.code, 0);
        assert!(outcome.err.contains("“u”"), "{}", outcome.err);
    }
}
