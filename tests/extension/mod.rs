//! A block, a format and an engine from a crate that is no part of the package: `tests/foreign`.

use std::sync::Arc;

use ::foreign::{CUBE, Script, register};
use simulate::block::Registry;
use simulate::conformance;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::format::{Formats, LoadOptions};

fn known() -> (Registry, Formats, Engines) {
    let (mut registry, mut formats, mut engines) =
        (Registry::clone(&Registry::standard()), Formats::standard(), Engines::standard());
    register(&mut registry, &mut formats, &mut engines).unwrap();
    (registry, formats, engines)
}

#[test]
fn all_three_conform() {
    let (registry, _, engines) = known();
    assert_eq!(conformance::block(&CUBE, &registry, &engines), [""; 0]);
    assert_eq!(conformance::format(&Script), [""; 0]);
    assert_eq!(conformance::engine("counting", &engines, &registry), [""; 0]);
}

/// A file of the foreign format, with the foreign block, on the foreign engine.
#[test]
fn all_three_work_together() {
    let (registry, formats, engines) = known();
    let text = "#!/usr/bin/env -S simulate run\n<simulation root='M'><model name='M'>\
        <block id='1' group='Var' name='Static'><option name='Value'><value>3</value></option></block>\
        <block id='2' group='Foreign' name='Cube'/><exit id='3' name='y'/>\
        <connection from='1' output='Output' to='2' input='Input'/>\
        <connection from='2' output='Output' to='3' input='Input'/></model></simulation>";
    let loader = formats.of_content(text.as_bytes(), "unknown".as_ref()).unwrap();
    assert_eq!(loader.name(), "script");
    let simulation = loader.read(text.as_bytes(), &LoadOptions::default()).unwrap().simulation;
    let program = Arc::new(compile(&simulation, &registry).unwrap());
    let mut run = engines.get("counting").unwrap().prepare(&program).unwrap();
    let mut context = Context::new(&program);
    run.run(&mut context, 2, &mut Samples::default()).unwrap();
    assert_eq!(context.exits(&program), [("y".into(), Some(vec![27.0]))]);
}

#[test]
fn a_name_is_given_once() {
    let (mut registry, ..) = known();
    let error = registry.add(&CUBE).unwrap_err();
    assert_eq!(error.to_string(), "there is a block Foreign/Cube already");
}
