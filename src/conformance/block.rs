//! What a row of a block library keeps.

use std::collections::BTreeSet;

use super::bench::{NoRun, Run, Way, bits};
use super::motion::in_motion;
use crate::block::expression::NoNames;
use crate::block::{BlockDef, Face, ParamKind, Registry, Settings};
use crate::engine::{Engines, Samples, is_unset};

/// What can come along a wire.
pub(super) const NASTY: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e300,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE / 4.0,
    f64::MAX,
    f64::EPSILON,
];

/// By so much may an example's value differ, of its size: examples are written in decimal.
const EXAMPLE_TOLERANCE: f64 = 1e-9;

/// The breaches of a definition that `registry` holds: of its row, its examples and its mathematics on every engine.
pub fn block(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<String> {
    let name = format!("{}/{}", def.group, def.name);
    if registry.get(def.group, def.name).is_none() {
        return vec![format!("{name} is not in the registry")];
    }
    let mut breaches = row(def);
    // The rest would only say the same again.
    if breaches.is_empty() {
        breaches.extend(examples(def, registry, engines));
        breaches.extend(same_bits(def, registry, engines));
        breaches.extend(in_motion(def, registry, engines));
    }
    breaches.into_iter().map(|breach| format!("{name}: {breach}")).collect()
}

fn row(def: &BlockDef) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut ask = |is_kept: bool, breach: String| {
        if !is_kept {
            breaches.push(breach);
        }
    };
    ask(!def.name.is_empty() && !def.group.is_empty(), "it has a group and a name".into());
    ask(!def.doc.is_empty() && !def.doc.ends_with('.'), "its doc is a sentence without a full stop".into());
    match def.look.face {
        Face::Strokes(strokes) => {
            ask(strokes.iter().all(|stroke| stroke.len() > 1), "a stroke of its face has two ends".into());
            let is_within = |&(x, y): &(f32, f32)| (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
            ask(strokes.iter().copied().flatten().all(is_within), "its strokes lie in the unit square".into());
        }
        Face::Param(param) => ask(def.param(param).is_some(), format!("its face shows {param}, no parameter")),
        Face::Text(text) => ask((1..=9).contains(&text.chars().count()), "its face has one to nine letters".into()),
        _ => {}
    }
    let mut names = BTreeSet::new();
    for param in def.params {
        let name = param.name;
        ask(names.insert(name), format!("the parameter {name} is there twice"));
        ask(!param.doc.is_empty(), format!("the parameter {name} has no doc"));
        if let ParamKind::Number { default, min, max, vector, .. } = param.kind {
            ask(default.iter().all(|value| (min..=max).contains(value)), format!("the default of {name} is in limits"));
            ask(vector || default.len() == 1, format!("{name} has one default"));
        }
        let texts = param.default_texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (read, errors) = Settings::read(def, |known| (known == name).then(|| texts.clone()), &NoNames);
        ask(
            errors.is_empty() && read == Settings::defaults(def),
            format!("the default of {name} can be written and read"),
        );
        if let ParamKind::Choice { of, .. } = param.kind {
            for choice in of {
                let (_, errors) = Settings::read(def, |known| (known == name).then(|| vec![*choice]), &NoNames);
                ask(errors.is_empty(), format!("{name} can be {choice}"));
            }
        }
    }
    breaches
}

/// Whether the examples give what they say, on every engine.
fn examples(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<String> {
    let mut breaches = Vec::new();
    for example in def.examples {
        let way = Way { options: example.options, widths: example.widths, delta: example.delta };
        let problems = way.settings(def).1;
        if !problems.is_empty() || way.inputs(def).len() != example.inputs.len() {
            breaches.push(format!("the example “{}” has wrong options or inputs: {problems:?}", example.doc));
            continue;
        }
        for engine in engines.iter() {
            let mut run = match Run::new(&way.simulation(def), registry, engine) {
                Ok(run) => run,
                Err(NoRun::Declined) => continue,
                Err(NoRun::Wrong(problem)) => {
                    breaches.push(format!("the example “{}” {problem}", example.doc));
                    break;
                }
            };
            let found = run_example(example, &way, &mut run).err();
            breaches.extend(found.map(|found| format!("the example “{}” on {}: {found}", example.doc, engine.name())));
        }
    }
    breaches
}

fn run_example(example: &crate::block::Example, way: &Way, run: &mut Run) -> Result<(), String> {
    let steps = example.steps();
    for step in 0..steps {
        for (input, values) in example.inputs.iter().enumerate() {
            let width = way.width(input);
            let lanes = values.get(step * width..(step + 1) * width).ok_or("its inputs differ in length")?;
            run.feed(input, lanes)?;
        }
        run.steps(1, &mut Samples::default())?;
        for (output, want) in example.outputs.iter().enumerate() {
            let got = run.exit(output).unwrap_or_default();
            let want = want.get(step * got.len()..(step + 1) * got.len()).filter(|_| want.len() == steps * got.len());
            let want = want.ok_or_else(|| format!("output {output} has {} lanes", got.len()))?;
            if let Some((got, want)) = got.iter().zip(want).find(|(got, want)| !is_close(**got, **want)) {
                return Err(format!("output {output} is {got} in step {step}, not {want}"));
            }
        }
    }
    Ok(())
}

fn is_close(got: f64, want: f64) -> bool {
    got.to_bits() == want.to_bits()
        || got.is_nan() && want.is_nan()
        || (got - want).abs() <= EXAMPLE_TOLERANCE * want.abs().max(1.0)
}

/// Whether whatever comes in gives the same bits on every engine, and gives something.
fn same_bits(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<String> {
    Way::all(def).into_iter().filter_map(|way| same_bits_in(def, &way, registry, engines).err()).collect()
}

fn same_bits_in(def: &'static BlockDef, way: &Way, registry: &Registry, engines: &Engines) -> Result<(), String> {
    let simulation = way.simulation(def);
    let mut runs = Vec::new();
    for engine in engines.iter() {
        match Run::new(&simulation, registry, engine) {
            Ok(run) => runs.push((engine.name(), run)),
            Err(NoRun::Declined) => {}
            // As the palette gives it, a block may wait for a file's name, or for another block.
            Err(NoRun::Wrong(_)) if way.options.is_empty() => return Ok(()),
            Err(NoRun::Wrong(problem)) => return Err(format!("with {:?} it {problem}", way.options)),
        }
    }
    let inputs = way.inputs(def).len();
    for step in 0..NASTY.len() * NASTY.len() {
        let mut first: Option<(&str, Vec<u64>)> = None;
        for (engine, run) in &mut runs {
            for input in 0..inputs {
                let value = |lane| NASTY[(step + (input + lane) * (step / NASTY.len())) % NASTY.len()];
                run.feed(input, &(0..way.width(input)).map(value).collect::<Vec<_>>())?;
            }
            run.steps(1, &mut Samples::default())?;
            let found = bits(&run.context.values);
            match &first {
                None => first = Some((engine, found)),
                Some((_, known)) if *known == found => {}
                Some((known, _)) => {
                    return Err(format!("{known} and {engine} differ in step {step} with {:?}", way.options));
                }
            }
        }
    }
    match runs.first() {
        Some((_, run)) if run.context.values.iter().any(|value| is_unset(*value)) => {
            Err(format!("with {:?} an output is never set", way.options))
        }
        _ => Ok(()),
    }
}
