//! The conformance test of an engine: it must give the same bits as the reference engine, for any division into calls.

use std::sync::Arc;

use super::EXAMPLES;
use super::bench::{NoRun, Run, Setup};
use super::block::NASTY;
use super::motion::{self, Feed};
use crate::block::Registry;
use crate::engine::{Context, Engine, Engines, Samples, compile};
use crate::format::simx::Simx;
use crate::format::{LoadOptions, Loader as _};
use crate::model::Simulation;

/// The number of steps in each call.
const PORTIONS: [u64; 5] = [1, 2, 40, 7, 1];

/// Returns the errors of an engine, compared with the reference engine: on the included examples, and on every block of
/// the registry with varying inputs. Simulations that it declines are skipped.
pub fn engine(name: &str, engines: &Engines, registry: &Registry) -> Vec<String> {
    let Some(engine) = engines.get(name) else { return vec![format!("there is no engine {name}")] };
    let reference = Engines::reference();
    let mut errors = Vec::new();
    if engine.doc().is_empty() {
        errors.push("it has no doc".to_owned());
    }
    let mut declined = 0;
    let simulations = simulations(registry);
    for (what, simulation) in &simulations {
        match differs(simulation, registry, &**engine, &*reference) {
            Ok(()) => {}
            Err(NoRun::Declined) => declined += 1,
            Err(NoRun::Failed(error)) => errors.push(format!("{what}: {error}")),
        }
    }
    if declined == simulations.len() {
        errors.push("it declines everything".to_owned());
    }
    errors.into_iter().map(|error| format!("{name}: {error}")).collect()
}

fn simulations(registry: &Registry) -> Vec<(String, Simulation)> {
    let examples = EXAMPLES.into_iter().filter_map(|(name, text)| {
        let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).ok()?;
        Some((name.to_owned(), loaded.simulation))
    });
    let blocks = registry.iter().flat_map(|def| {
        let feeds = [Feed::Ahead, Feed::Stepwise];
        let setups = Setup::all(def).into_iter().flat_map(move |setup| feeds.map(|feed| (setup, feed)));
        setups.map(move |(setup, feed)| {
            (format!("{}/{} {feed:?}", def.group, def.name), motion::simulation(def, setup, feed))
        })
    });
    examples.chain(blocks).collect()
}

fn differs(
    simulation: &Simulation,
    registry: &Registry,
    engine: &dyn Engine,
    reference: &dyn Engine,
) -> Result<(), NoRun> {
    // A simulation that does not compile, or that the reference engine cannot run, is skipped.
    let program = Arc::new(compile(simulation, registry).map_err(|_| NoRun::Declined)?);
    let new = |engine: &dyn Engine| Run::of(&program, engine);
    let mut want = new(reference).map_err(|_| NoRun::Declined)?;
    let (mut portions, mut single, mut alternating) = (new(engine)?, new(engine)?, [new(engine)?, new(reference)?]);
    let samples = || Samples::new(program.outputs.keys());
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
        // The context alternates between the two engines.
        let [mine, other] = &mut alternating;
        let (runner, idle) = if number % 2 == 0 { (mine, other) } else { (other, mine) };
        let taken = runner.steps(count, &mut Samples::default());
        idle.context.clone_from(&runner.context);
        if got != outcome || ones != outcome || taken != outcome {
            return Err(NoRun::Failed(format!("it returns {got:?}, the reference engine {outcome:?}")));
        }
        let state = |run: &Run| run.context.to_bytes(&run.program);
        let variants = [("", &portions), (", step by step", &single), (", handed over", &*idle)];
        let known = state(&want);
        if let Some((how, _)) = variants.into_iter().find(|(_, run)| state(run) != known) {
            return Err(NoRun::Failed(format!("other values after {} steps{how}", want.context.step)));
        }
        // A block may end the run.
        if outcome.is_err() || wanted.end().is_some() {
            break;
        }
        // A parameter that changes between two steps takes effect in the next one.
        for run in [&mut want, &mut portions, &mut single].into_iter().chain(&mut alternating) {
            change_param(&mut run.context, number, &values);
        }
    }
    let bits = |samples: &Samples| -> Vec<Vec<u64>> {
        let of = samples.watches().iter().map(|watch| watch.values.iter().map(|value| value.to_bits()).collect());
        of.collect()
    };
    match bits(&wanted) == bits(&of_portions) && bits(&wanted) == bits(&of_single) {
        true => Ok(()),
        false => Err(NoRun::Failed("its samples differ".to_owned())),
    }
}

fn change_param(context: &mut Context, number: usize, values: &[f64]) {
    let count = context.params.len().max(1);
    if let (Some(param), Some(value)) =
        (context.params.get_mut((number * 7) % count), values.get(number % values.len().max(1)))
    {
        *param = *value;
    }
}
