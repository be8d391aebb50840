//! What an engine keeps: the bits of the reference engine, however the steps are asked for.

use super::EXAMPLES;
use super::bench::{NoRun, Run, Way};
use super::block::NASTY;
use crate::block::Registry;
use crate::engine::{Context, Engine, Engines, Samples};
use crate::format::simx::Simx;
use crate::format::{LoadOptions, Loader as _};
use crate::model::Simulation;

/// The engine whose bits count.
const REFERENCE: &str = "simple";
/// Steps of each simulation, in these portions.
const PORTIONS: [u64; 5] = [1, 2, 40, 7, 1];

/// The breaches of the engine of that name, beside the reference engine of the same list: on the examples that come
/// with the program, and on every block of the registry alone. What it declines is not asked of it.
pub fn engine(name: &str, engines: &Engines, registry: &Registry) -> Vec<String> {
    let (Some(engine), Some(reference)) = (engines.get(name), engines.get(REFERENCE)) else {
        return vec![format!("there is no engine {name} or no {REFERENCE}")];
    };
    let mut breaches = Vec::new();
    if engine.doc().is_empty() {
        breaches.push("it has no doc".to_owned());
    }
    let mut declined = 0;
    let simulations = simulations(registry);
    for (what, simulation) in &simulations {
        match differs(simulation, registry, &**engine, &**reference) {
            Ok(()) => {}
            Err(NoRun::Declined) => declined += 1,
            Err(NoRun::Wrong(breach)) => breaches.push(format!("{what}: {breach}")),
        }
    }
    if declined == simulations.len() {
        breaches.push("it declines everything".to_owned());
    }
    breaches.into_iter().map(|breach| format!("{name}: {breach}")).collect()
}

fn simulations(registry: &Registry) -> Vec<(String, Simulation)> {
    let examples = EXAMPLES.into_iter().filter_map(|(name, text)| {
        let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).ok()?;
        Some((name.to_owned(), loaded.simulation))
    });
    let blocks = registry.iter().flat_map(|def| {
        Way::all(def).into_iter().map(move |way| (format!("{}/{}", def.group, def.name), way.simulation(def)))
    });
    examples.chain(blocks).collect()
}

fn differs(
    simulation: &Simulation,
    registry: &Registry,
    engine: &dyn Engine,
    reference: &dyn Engine,
) -> Result<(), NoRun> {
    let new = |engine: &dyn Engine| Run::new(simulation, registry, engine);
    // What not even the reference engine can run shows nothing.
    let mut want = new(reference).map_err(|_| NoRun::Declined)?;
    let (mut portions, mut single, mut turns) = (new(engine)?, new(engine)?, [new(engine)?, new(reference)?]);
    let outputs = 0..want.program.outputs.len();
    let samples = || Samples::new(outputs.clone());
    let (mut wanted, mut of_portions, mut of_single) = (samples(), samples(), samples());
    let values: Vec<f64> = NASTY.into_iter().filter(|value| value.is_finite()).collect();
    for (number, count) in PORTIONS.into_iter().enumerate() {
        let outcome = want.steps(count, &mut wanted);
        let got = portions.steps(count, &mut of_portions);
        let mut ones = Ok(());
        for _ in 0..count {
            ones = single.steps(1, &mut of_single);
            if ones.is_err() || of_single.end().is_some() {
                break;
            }
        }
        // The context goes from one engine to the other and back.
        let [mine, other] = &mut turns;
        let (runner, idle) = if number % 2 == 0 { (mine, other) } else { (other, mine) };
        let taken = runner.steps(count, &mut Samples::default());
        idle.context.clone_from(&runner.context);
        if got != outcome || ones != outcome || taken != outcome {
            return Err(NoRun::Wrong(format!("it ends with {got:?}, the reference engine with {outcome:?}")));
        }
        let state = |run: &Run| run.context.to_bytes(&run.program);
        let ways = [("", &portions), (", step by step", &single), (", handed over", &*idle)];
        let known = state(&want);
        if let Some((how, _)) = ways.into_iter().find(|(_, run)| state(run) != known) {
            return Err(NoRun::Wrong(format!("other values after {} steps{how}", want.context.step)));
        }
        // A block may end the run with a step.
        if outcome.is_err() || wanted.end().is_some() {
            break;
        }
        // A parameter that is turned between two steps acts from the next on.
        for run in [&mut want, &mut portions, &mut single].into_iter().chain(&mut turns) {
            turn(&mut run.context, number, &values);
        }
    }
    let bits = |samples: &Samples| -> Vec<Vec<u64>> {
        let of = samples.watches().iter().map(|watch| watch.values.iter().map(|value| value.to_bits()).collect());
        of.collect()
    };
    match bits(&wanted) == bits(&of_portions) && bits(&wanted) == bits(&of_single) {
        true => Ok(()),
        false => Err(NoRun::Wrong("it notes other samples".to_owned())),
    }
}

fn turn(context: &mut Context, number: usize, values: &[f64]) {
    let count = context.params.len().max(1);
    if let (Some(param), Some(value)) =
        (context.params.get_mut((number * 7) % count), values.get(number % values.len().max(1)))
    {
        *param = *value;
    }
}
