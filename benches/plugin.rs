//! The cost of a call of a plug-in: a step of a simulation with a gain as a plug-in, as a script and as a block, and with
//! vectors; and the time until a plug-in is loaded and started.
//!
//! Prints nanoseconds, each the best of several rounds.

use std::sync::Arc;
use std::time::Instant;

use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};
use simulate::format::simx::Simx;
use simulate::format::{LoadOptions, Loader as _};
use simulate::plugin::{inspect, load};

const EXAMPLE: &[u8] = include_bytes!("../tests/samples/plugins/example_c.wasm");
const STEPS: u64 = 200_000;
const ROUNDS: usize = 7;

fn main() {
    let (_, defs) = load(EXAMPLE).expect("it is a plug-in");
    let mut registry = Registry::clone(&Registry::standard());
    defs.into_iter().for_each(|def| registry.add(def).expect("it is new"));
    let blocks = [
        ("no block", None),
        ("Math/Gain", Some("<block id='2' group='Math' name='Gain'/>")),
        ("plug-in", Some("<block id='2' group='Example C' name='Gain'/>")),
        (
            "script",
            Some(
                "<block id='2' group='User' name='Script'><option name='Script'><value>y = 2*u;</value></option></block>",
            ),
        ),
    ];
    for width in [1, 100, 10_000] {
        println!("an input of {width} elements");
        for (name, block) in blocks {
            if width == 1 || name != "script" {
                println!("  {name:10} {:10.1} ns a step", step(&registry, block, width));
            }
        }
    }
    let best = |work: &dyn Fn()| {
        let seconds = |_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        };
        (0..100).map(seconds).fold(f64::INFINITY, f64::min) * 1e6
    };
    println!("a module of {} bytes is read in {:.0} µs", EXAMPLE.len(), best(&|| drop(inspect(EXAMPLE))));
}

/// Returns the nanoseconds of a step with the sine of the time, as often as there are elements, through a block.
fn step(registry: &Registry, block: Option<&str>, width: usize) -> f64 {
    let is_library = block.is_some_and(|block| block.contains("'Math'"));
    let (input, output) = if is_library { ("Input", "Output") } else { ("u", "y") };
    let wires = match block {
        None => "<connection from='4' output='y' to='3' input='Input'/>".to_owned(),
        Some(_) => format!(
            "<connection from='4' output='y' to='2' input='{input}'/><connection from='2' output='{output}' to='3' input='Input'/>"
        ),
    };
    let source =
        "<block id='4' group='User' name='Formula'><option name='Formula'><value>y = t*ones(WIDTH)</value></option>
        <option name='Inputs'><value></value></option></block>";
    let source = source.replace("WIDTH", &width.to_string());
    let text = format!(
        "<simulation steps='9' delta='0.001' root='M'><model name='M'>{source}{}<exit id='3' name='y'/>{wires}</model></simulation>",
        block.unwrap_or_default()
    );
    let simulation = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it is valid").simulation;
    let program = Arc::new(compile(&simulation, registry).unwrap_or_else(|found| panic!("{found:?}")));
    let engines = Engines::standard();
    let steps = STEPS / (width as u64).min(1000);
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut run = engines.get("compiled").expect("the engine").prepare(&program).expect("it can");
        let mut context = Context::new(&program);
        let start = Instant::now();
        run.run(&mut context, steps, &mut Samples::default()).expect("it runs");
        best = best.min(start.elapsed().as_secs_f64() / steps as f64);
    }
    best * 1e9
}
