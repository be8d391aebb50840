//! Code in blocks: exported as C it computes the bits of the engine, with each compiler.

use simulate::block::Registry;
use simulate::engine::compile;

use super::bench::{BUILDS, Case, Trial, check};
use crate::block::code::simulations;

const STEPS: u64 = 4;

/// The programs whose results are those of Octave: every other one with the same compiler.
fn exported(file: &str) {
    let mut cases: [Vec<Case>; 2] = Default::default();
    for (number, (name, simulation)) in simulations(file).enumerate() {
        assert!(compile(&simulation, &Registry::standard()).is_ok(), "{name} compiles");
        let trial = Trial { inlines_parameters: number % 4 < 2, ..Trial::new(&name, simulation, STEPS) };
        cases[number % 2].push(trial.case().unwrap_or_else(|refusal| panic!("{name} is exported: {refusal}")));
    }
    let [with_gcc, with_clang] = cases;
    check(&with_gcc, &[BUILDS[0]]);
    check(&with_clang, &[BUILDS[2]]);
}

#[test]
fn programs_of_all_features_have_the_same_bits_as_c() {
    exported("cases.m");
}

#[test]
fn blocks_as_in_public_models_have_the_same_bits_as_c() {
    exported("public.m");
}

/// Every fiftieth of the random programs.
#[test]
fn random_programs_have_the_same_bits_as_c() {
    let programs = crate::block::code::random_simulations().step_by(50);
    let case = |(name, simulation): (String, _)| Trial::new(&name, simulation, STEPS).case().expect("it is exported");
    check(&programs.map(case).collect::<Vec<_>>(), &[BUILDS[1], BUILDS[2]]);
}
