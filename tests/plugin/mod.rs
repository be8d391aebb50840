//! Plug-ins: modules that are refused, blocks on all engines, limits, the list of the user, and random damage.

mod blocks;
mod damage;
mod user;

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::plugin::load;

/// The examples in C and in Rust, as `assets/plugin/build.sh` has built them.
const EXAMPLE_C: &[u8] = include_bytes!("../samples/plugins/example_c.wasm");
const EXAMPLE_RUST: &[u8] = include_bytes!("../samples/plugins/example_rust.wasm");

/// A module with a description and this code, besides a memory of a page.
fn module(description: &str, code: &str) -> Vec<u8> {
    module_of_pages(1, description, code)
}

/// The same with a memory of so many pages of 64 KB.
fn module_of_pages(pages: u32, description: &str, code: &str) -> Vec<u8> {
    let escaped = description.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    let text = format!("(module {code} (memory (export \"memory\") {pages}) (@custom \"simulate\" \"{escaped}\"))");
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// The description of a plug-in with the block `B`, which has an input, an output and these further fields.
fn one_block(name: &str, fields: &str) -> String {
    format!(
        r#"{{"abi":1,"name":"{name}","version":"1","blocks":[{{"name":"B","doc":"Tests","formula":"y = f(u)",
        "inputs":[{{"name":"u","width":1}}],"outputs":[{{"name":"y"}}]{fields}}}]}}"#
    )
}

/// `simulate_outputs` of this body, which has `$u` and `$y`, the offsets of the first elements of the first input and
/// output, and `$call`.
fn outputs(body: &str) -> String {
    format!(
        "(func (export \"simulate_outputs\") (param $block i32) (param $call i32) (result i32) (local $u i32) (local $y i32)
        (local.set $u (i32.load (i32.load offset=24 (local.get $call))))
        (local.set $y (i32.load (i32.load offset=36 (local.get $call)))) {body})"
    )
}

/// The registry of the library and these plug-ins.
fn registry(modules: &[&[u8]]) -> Registry {
    let mut registry = Registry::clone(&Registry::standard());
    for bytes in modules {
        let (_, defs) = load(bytes).unwrap_or_else(|error| panic!("{error}"));
        defs.into_iter().for_each(|def| registry.add(def).expect("it is new"));
    }
    registry
}

/// Runs a model on an engine; returns its exits by name, or the error.
fn run(engine: &str, model: &str, registry: &Registry, steps: u64) -> Result<Vec<(String, Vec<f64>)>, String> {
    let text = format!(
        "<simulation steps='9' delta='0.001' solver='rk4' root='M'><model name='M'>{model}</model></simulation>"
    );
    let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it is valid").simulation;
    let program = compile(&simulation, registry).map_err(|found| format!("{found:?}"))?;
    let program = Arc::new(program);
    let engines = Engines::standard();
    let mut run = engines.get(engine).expect("the engine").prepare(&program).map_err(|declined| declined.reason)?;
    let mut context = Context::new(&program);
    let done = run.run(&mut context, steps, &mut Samples::default());
    done.map_err(|error| {
        format!("{}: {}", error.block.map_or_else(String::new, |at| at.block.to_string()), error.problem)
    })?;
    let exits = context.exits(&program).into_iter();
    Ok(exits.map(|(name, value)| (name.to_string(), value.unwrap_or_default())).collect())
}

/// A constant into the block `B` of a plug-in, and its output into an exit.
fn chain(plugin: &str, value: &str) -> String {
    format!(
        "<block id='1' group='Var' name='Static'><option name='Value'><value>{value}</value></option></block>
        <block id='2' group='{plugin}' name='B'/><exit id='3' name='y'/>
        <connection from='1' output='Output' to='2' input='u'/><connection from='2' output='y' to='3' input='Input'/>"
    )
}

/// The engines that must have the same bits.
const ENGINES: [&str; 4] = ["simple", "flat", "compiled", "threaded"];
