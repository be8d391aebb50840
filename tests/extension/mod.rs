//! A block, a format, an engine and a solver from another crate: `tests/foreign`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use ::foreign::{CUBE, Counting, Ralston, Script, components};
use simulate::Components;
use simulate::block::{CallError, Method, Rates, Registry};
use simulate::conformance;
use simulate::engine::{Context, Engines, Samples, TierUp, compile};
use simulate::format::simx::Simx;
use simulate::format::{Formats, LoadOptions, Loader as _};

/// A constant of 3, cubed, in the foreign format.
const CUBED: &str = "#!/usr/bin/env -S simulate run\n<simulation root='M'><model name='M'>\
        <block id='1' group='Var' name='Static'><option name='Value'><value>3</value></option></block>\
        <block id='2' group='Foreign' name='Cube'/><exit id='3' name='y'/>\
        <connection from='1' output='Output' to='2' input='Input'/>\
        <connection from='2' output='Output' to='3' input='Input'/></model></simulation>";

fn known() -> (Registry, Formats, Engines) {
    let Components { registry, formats, .. } = components().unwrap();
    let mut engines = Engines::with(TierUp::Wait);
    engines.add(Arc::new(Counting));
    (Registry::clone(&registry), Formats::clone(&formats), engines)
}

/// The commands of the other program know its format, block and engine; those of Simulate itself do not.
#[test]
fn a_program_of_its_own_has_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (file, results) = (folder.path().join("cube.simsh"), folder.path().join("results.csv"));
    std::fs::write(&file, CUBED).unwrap();
    let run = |components: &Components| {
        let arguments = ["program", "run", "--steps", "2", "--engine", "counting", "--quiet", "--out"];
        let paths = [results.clone().into_os_string(), file.clone().into_os_string()];
        simulate::start(components, arguments.into_iter().map(OsString::from).chain(paths))
    };
    assert_ne!(run(&Components::standard()), ExitCode::SUCCESS);
    assert!(!results.exists());
    assert_eq!(run(&components().unwrap()), ExitCode::SUCCESS);
    let table = std::fs::read_to_string(&results).unwrap();
    assert_eq!(table.lines().nth(1).and_then(|line| line.rsplit(',').next()), Some("27"), "{table}");
}

/// Every command that takes a file, an engine or an extension takes those of the other program.
#[test]
fn all_commands_take_what_the_program_adds() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string();
    std::fs::write(path("cube.simsh"), CUBED).unwrap();
    let (own, standard) = (components().unwrap(), Components::standard());
    let run = |components: &Components, words: &[&str], files: &[&str]| {
        let words = ["program"].iter().chain(words).map(OsString::from);
        simulate::start(components, words.chain(files.iter().map(|name| path(name))))
    };
    let cases: [(&[&str], &[&str]); 6] = [
        (&["check"], &["cube.simsh"]),
        (&["convert"], &["cube.simsh", "cube.json"]),
        (&["convert"], &["cube.json", "again.simsh"]),
        (&["check"], &["again.simsh"]),
        (&["sweep", "--engine", "counting", "--steps", "2", "--quiet", "--vary", "#1.Value=1,2,3"], &["again.simsh"]),
        (&["linearize", "--input", "#1.Output"], &["again.simsh"]),
    ];
    for (words, files) in cases {
        assert_eq!(run(&own, words, files), ExitCode::SUCCESS, "{words:?} {files:?}");
    }
    assert_eq!(std::fs::read_to_string(path("again.simsh")).unwrap().lines().next(), CUBED.lines().next());
    // The program without them knows neither the format nor the block.
    assert_ne!(run(&standard, &["check"], &["cube.simsh"]), ExitCode::SUCCESS);
    assert_ne!(run(&standard, &["check"], &["cube.json"]), ExitCode::SUCCESS);
}

/// A program can bring plug-ins with it.
#[test]
fn a_program_brings_its_plugins() {
    let components = components().unwrap().with_plugin(include_bytes!("../samples/plugins/example_c.wasm")).unwrap();
    assert!(components.registry.get("Example C", "Gain").is_some());
    assert!(components.registry.get("Foreign", "Cube").is_some());
    let error = components.clone().with_plugin(b"none").err().unwrap();
    assert!(error.to_string().contains("not a WebAssembly module"), "{error}");
    let again = components.with_plugin(include_bytes!("../samples/plugins/example_c.wasm"));
    assert_eq!(again.err().unwrap().to_string(), "the block Example C/Gain exists already");
}

#[test]
fn all_four_conform() {
    let (registry, _, engines) = known();
    assert_eq!(conformance::block(&CUBE, &registry, &engines), [""; 0]);
    assert_eq!(conformance::format(&Script), [""; 0]);
    assert_eq!(conformance::solver(&Ralston), [""; 0]);
    assert_eq!(conformance::engine("counting", &engines, &registry), [""; 0]);
}

/// A file of the foreign format, with the foreign block, on the foreign engine.
#[test]
fn all_three_work_together() {
    let (registry, formats, engines) = known();
    let loader = formats.of_content(CUBED.as_bytes(), "unknown".as_ref()).unwrap();
    assert_eq!(loader.name(), "script");
    let simulation = loader.read(CUBED.as_bytes(), &LoadOptions::default()).unwrap().simulation;
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
    assert_eq!(error.to_string(), "the block Foreign/Cube exists already");
}

/// x' = x from 1, by the foreign solver: each step multiplies by 1 + h + h²/2, whatever the engine.
#[test]
fn a_solver_works_on_every_engine() {
    let (registry, _, engines) = known();
    let text = "<simulation root='M' delta='0.5' solver='ralston'><model name='M'>\
        <block id='1' group='Math' name='Integrate'><option name='Initial Value'><value>1</value></option></block>\
        <exit id='2' name='x'/><connection from='1' output='Output' to='1' input='Input'/>\
        <connection from='1' output='Output' to='2' input='Input'/></model></simulation>";
    let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).unwrap().simulation;
    let program = Arc::new(compile(&simulation, &registry).unwrap());
    for engine in ["simple", "flat", "compiled", "counting"] {
        let mut run = engines.get(engine).unwrap().prepare(&program).unwrap();
        let mut context = Context::new(&program);
        run.run(&mut context, 4, &mut Samples::default()).unwrap();
        let exits = context.exits(&program);
        let got = exits[0].1.as_ref().unwrap()[0];
        assert!((got - 1.625_f64.powi(3)).abs() < 1e-14, "{engine}: {got}");
    }
    let unknown = compile(&simulation, &Registry::standard()).unwrap_err();
    assert!(unknown[0].message.contains("there is no solver “ralston”"), "{unknown:?}");
}

/// A solver that declares a higher order than it has fails the test.
#[test]
fn a_wrong_order_is_found() {
    struct Wrong;
    impl Method for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn doc(&self) -> &'static str {
            "Euler, said to be of order 2"
        }
        fn order(&self) -> u32 {
            2
        }
        fn step(&self, rates: Rates, time: f64, h: f64, x: &mut [f64]) -> Result<(), CallError> {
            let mut k = vec![0.0; x.len()];
            rates(time, x, &mut k);
            x.iter_mut().zip(&k).for_each(|(x, k)| *x += h * k);
            Ok(())
        }
    }
    let breaches = conformance::solver(&Wrong);
    assert!(breaches.len() == 1 && breaches[0].contains("its order is"), "{breaches:?}");
}
