//! The conformance test of a block definition.

use std::collections::BTreeSet;

use super::NonConformance;
use super::bench::{NoRun, Run, Setup, bits};
use super::located::located;
use super::motion::in_motion;
use crate::block::language::NoNames;
use crate::block::{BlockDef, Face, ParamKind, Registry, Settings};
use crate::engine::{Engines, Samples, is_unset};

/// Difficult input values.
pub const NASTY: [f64; 12] = [
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

/// The relative tolerance of an example's values, which are rounded decimals.
const EXAMPLE_TOLERANCE: f64 = 1e-9;

/// Returns the errors of a definition of `registry`: in its fields, its examples and its results on every engine.
pub fn block(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<String> {
    let name = format!("{}/{}", def.group, def.name);
    if registry.get(def.group, def.name).is_none() {
        return vec![format!("{name} is not in the registry")];
    }
    let mut errors = row(def);
    // Errors in the fields would cause further errors.
    if errors.is_empty() {
        errors.extend(examples(def, registry, engines));
        errors.extend(same_bits(def, registry, engines));
        errors.extend(in_motion(def, registry, engines));
        errors.extend(located(def));
    }
    errors.into_iter().map(|error| format!("{name}: {error}")).collect()
}

fn row(def: &'static BlockDef) -> Vec<NonConformance> {
    let mut errors = Vec::new();
    let mut require = |is_met: bool, error: String| {
        if !is_met {
            errors.push(NonConformance(error));
        }
    };
    require(!def.name.is_empty() && !def.group.is_empty(), "it needs a group and a name".into());
    require(!def.doc.is_empty() && !def.doc.ends_with('.'), "its doc must be a sentence without a full stop".into());
    match def.look.face {
        Face::Strokes(strokes) => {
            require(strokes.iter().all(|stroke| stroke.len() > 1), "a stroke of its face needs two ends".into());
            let is_within = |&(x, y): &(f32, f32)| (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
            require(strokes.iter().copied().flatten().all(is_within), "its strokes must lie in the unit square".into());
        }
        Face::Param(param) => {
            require(def.param(param).is_some(), format!("its face shows {param}, which is not a parameter"))
        }
        Face::Text(text) => {
            require((1..=9).contains(&text.chars().count()), "its face must have one to nine letters".into())
        }
        _ => {}
    }
    let mut names = BTreeSet::new();
    for param in def.params {
        let name = param.name;
        require(names.insert(name), format!("the parameter {name} is duplicated"));
        require(!param.doc.is_empty(), format!("the parameter {name} has no doc"));
        if let ParamKind::Number { default, min, max, vector, .. } = param.kind {
            require(
                default.iter().all(|value| (min..=max).contains(value)),
                format!("the default of {name} must be within its limits"),
            );
            require(vector || default.len() == 1, format!("{name} must have one default"));
        }
        let texts = param.default_texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (read, errors) = Settings::read(def, |known| (known == name).then(|| texts.clone()), &NoNames);
        require(
            errors.is_empty() && read == Settings::defaults(def),
            format!("the default of {name} must survive formatting and parsing"),
        );
        if let ParamKind::Choice { of, .. } = param.kind {
            for choice in of {
                let (_, errors) = Settings::read(def, |known| (known == name).then(|| vec![*choice]), &NoNames);
                require(errors.is_empty(), format!("{name} must accept {choice}"));
            }
        }
    }
    errors
}

/// Tests that every engine gives the values of the examples.
fn examples(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<NonConformance> {
    let mut errors = Vec::new();
    for example in def.examples {
        let setup = Setup { options: example.options, widths: example.widths, delta: example.delta };
        let problems = setup.settings(def).1;
        if !problems.is_empty() || setup.inputs(def).len() != example.inputs.len() {
            errors.push(NonConformance(format!(
                "the example “{}” has wrong options or inputs: {problems:?}",
                example.doc
            )));
            continue;
        }
        for engine in engines.iter() {
            let mut run = match Run::new(&setup.simulation(def), registry, engine) {
                Ok(run) => run,
                Err(NoRun::Declined) => continue,
                Err(NoRun::Failed(problem)) => {
                    errors.push(NonConformance(format!("the example “{}” {problem}", example.doc)));
                    break;
                }
            };
            let found = run_example(example, &setup, &mut run).err();
            let text = |found| format!("the example “{}” on {}: {found}", example.doc, engine.name());
            errors.extend(found.map(|found| NonConformance(text(found))));
        }
    }
    errors
}

fn run_example(example: &crate::block::Example, setup: &Setup, run: &mut Run) -> Result<(), NonConformance> {
    let steps = example.steps();
    for step in 0..steps {
        for (input, values) in example.inputs.iter().enumerate() {
            let width = setup.width(input);
            let elements = values.get(step * width..(step + 1) * width);
            let elements = elements.ok_or_else(|| NonConformance::new("its inputs differ in length"))?;
            run.feed(input, elements)?;
        }
        run.steps(1, &mut Samples::default())?;
        for (output, want) in example.outputs.iter().enumerate() {
            let got = run.exit(output).unwrap_or_default();
            let want = want.get(step * got.len()..(step + 1) * got.len()).filter(|_| want.len() == steps * got.len());
            let want = want.ok_or_else(|| NonConformance(format!("output {output} has {} elements", got.len())))?;
            if let Some((got, want)) = got.iter().zip(want).find(|(got, want)| !is_close(**got, **want)) {
                return Err(NonConformance(format!("output {output} is {got} in step {step}, not {want}")));
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

/// Tests that every engine gives the same bits for all inputs, and that every output is set.
fn same_bits(def: &'static BlockDef, registry: &Registry, engines: &Engines) -> Vec<NonConformance> {
    Setup::all(def).into_iter().filter_map(|setup| same_bits_in(def, &setup, registry, engines).err()).collect()
}

fn same_bits_in(
    def: &'static BlockDef,
    setup: &Setup,
    registry: &Registry,
    engines: &Engines,
) -> Result<(), NonConformance> {
    let simulation = setup.simulation(def);
    let mut runs = Vec::new();
    for engine in engines.iter() {
        match Run::new(&simulation, registry, engine) {
            Ok(run) => runs.push((engine.name(), run)),
            Err(NoRun::Declined) => {}
            // With default options a block may need a file name or another block.
            Err(NoRun::Failed(_)) if setup.options.is_empty() => return Ok(()),
            Err(NoRun::Failed(problem)) => return Err(NonConformance(format!("with {:?}: {problem}", setup.options))),
        }
    }
    let inputs = setup.inputs(def).len();
    for step in 0..NASTY.len() * NASTY.len() {
        let mut first: Option<(&str, Vec<u64>)> = None;
        for (engine, run) in &mut runs {
            for input in 0..inputs {
                let value = |element| NASTY[(step + (input + element) * (step / NASTY.len())) % NASTY.len()];
                run.feed(input, &(0..setup.width(input)).map(value).collect::<Vec<_>>())?;
            }
            run.steps(1, &mut Samples::default())?;
            let found = bits(&run.context.values);
            match &first {
                None => first = Some((engine, found)),
                Some((_, known)) if *known == found => {}
                Some((known, _)) => {
                    return Err(NonConformance(format!(
                        "{known} and {engine} differ in step {step} with {:?}",
                        setup.options
                    )));
                }
            }
        }
    }
    match runs.first() {
        Some((_, run)) if run.context.values.iter().any(|value| is_unset(*value)) => {
            Err(NonConformance(format!("with {:?} an output is never set", setup.options)))
        }
        _ => Ok(()),
    }
}
