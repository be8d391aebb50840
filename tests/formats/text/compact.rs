//! A compact text means the same: the same diagnostics, and the same bits of a run.

use proptest::prelude::*;
use simulate::Registry;
use simulate::engine::{compile, diagnose};
use simulate::format::simt::{self, apply};
use simulate::model::Simulation;

use super::{compact, example, examples, of_xml, sound, xml};
use crate::random::models::drawing;
use crate::sketch::Run;

/// The bits of all outputs after a number of steps, by the addresses of the signals.
fn bits(simulation: &Simulation, steps: u64) -> Vec<(String, Vec<u64>)> {
    let mut run = Run::new(simulation, "simple");
    // A solver may fail; then it does so in both.
    let error = run.try_steps(steps).err().map(|error| error.to_string());
    let program = std::sync::Arc::clone(&run.program);
    let bits = |output| run.context.output(&program, output).iter().map(|value: &f64| value.to_bits()).collect();
    let mut outputs: Vec<_> = program.signals().map(|(key, output)| (key.to_string(), bits(output))).collect();
    outputs.push((error.unwrap_or_default(), vec![run.context.step, run.context.executed]));
    outputs
}

/// The compact text of a simulation has the same diagnostics and results, and applied to it changes nothing.
fn check_meaning(simulation: &Simulation, steps: u64) -> Result<(), TestCaseError> {
    let registry = Registry::standard();
    let text = compact(simulation);
    let loaded = super::read(&text);
    prop_assert_eq!(&loaded.diagnostics, &[], "{}", text);
    let short = loaded.simulation;
    prop_assert!(short == simt::compact(simulation, &registry), "{}", text);
    let found = |simulation: &Simulation| {
        let mut found: Vec<String> = diagnose(simulation, &registry).iter().map(|found| format!("{found:?}")).collect();
        found.sort();
        found
    };
    prop_assert_eq!(found(&short), found(simulation), "{}", text);
    if compile(simulation, &registry).is_ok() {
        prop_assert_eq!(bits(&short, steps), bits(simulation, steps), "{}", text);
    }
    let applied = apply(&text, simulation, &registry).unwrap();
    prop_assert!(applied.simulation == *simulation, "{}\n{}\n{}", text, xml(simulation), xml(&applied.simulation));
    Ok(())
}

#[test]
fn every_example_means_the_same() {
    for (name, simulation) in examples() {
        let steps = simulation.steps.min(100);
        check_meaning(&simulation, steps).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

proptest! {
    #![proptest_config(crate::random_cases(crate::random::engines::cases(96)))]

    #[test]
    fn random_models_mean_the_same(drawing in drawing()) {
        check_meaning(&drawing.simulation(), 12)?;
    }
}

/// The value of an entry to which no wire leads is a part of the meaning.
#[test]
fn an_initial_value_stays_where_it_is_used() {
    let text = "simulation M\nmodel M\n  N: model N\n  a: Gain\n  a -> N.u\nmodel N\n  u: input, Initial Value = 0\n  y: output\n  u -> y\n";
    assert!(compact(&sound(text)).contains("  u: input\n"));
    let open = text.replace("  a -> N.u\n", "");
    assert!(compact(&sound(&open)).contains("  u: input, Initial Value = 0\n"));
    let other = text.replace("Value = 0", "Value = 1");
    assert!(compact(&sound(&other)).contains("  u: input, Initial Value = 1\n"));
}

/// Looks and default options are left out; all else stays.
#[test]
fn the_canonical_order() {
    let simulation = of_xml(
        "<!-- first --><simulation steps='5' delta='0.1' root='M' solver='rk4' note='n' view:plot='#2.Output'><model name='M' view:z='1'>\
         <connection from='2' output='Output' to='3' input='Input' view:bends='1 2' label='s'/><!-- a -->\
         <block id='2' group='Math' name='Gain' label='A' view:x='1' view:y='2'><option name='Gain'><value>1</value></option><data name='view:w'>3</data></block>\
         <variable name='k' value='2'/><!-- b -->\
         <block id='3' group='Math' name='Gain' label='B'><option name='Gain'><value>k</value></option></block><!-- c -->\
         </model></simulation>",
    );
    let text = "// first\nsimulation M, steps = 5, delta = 0.1, note = n\n\nmodel M\n  k = 2\n  // a\n  A #2: Gain\n  // b\n  \
        B: Gain, Gain = k\n  A -> B {label=s}\n  // c\n";
    assert_eq!(compact(&simulation), text);
}

/// Found by changed bytes: an element that repeats an id must not come before the valid block.
#[test]
fn a_repeated_id_stays_the_one_that_is_refused() {
    let simulation = of_xml(
        "<simulation root='M'><model name='M'><block id='0' group='Math' name='Gain' label='A'/>\
         <block id='0' group='Math' name='Gain' label='B'/><variable name='k' value='1'/></model></simulation>",
    );
    let text = "simulation M, steps = 0, delta = 1\n\nmodel M\n  k = 1\n  A: Gain\n  \
        <block id='0' group='Math' name='Gain' label='B'/>\n";
    assert_eq!(compact(&simulation), text);
    let again = super::read(text);
    assert_eq!(again.diagnostics.len(), 1);
    assert_eq!(compact(&again.simulation), text);
}

#[test]
fn the_motor_is_short() {
    let text = compact(&example("dc_motor"));
    let length = text.chars().count();
    assert!(length < 1500, "{length} characters:\n{text}");
    let section = simulate::format::simt::text_of_model(&example("dc_motor"), &Registry::standard(), "PID");
    let section = section.unwrap().unwrap();
    assert!(section.starts_with("model PID\n  error: input\n  P: Gain, Gain = 100\n"), "{section}");
    assert!(text.contains(&section));
}
