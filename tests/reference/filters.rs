//! Designed filters of any order and band, `Continuous/Analog Filter Design` and `Discrete/Digital Filter Design`: their
//! exact response, which `tests/reference/filters.py` computes with 60 digits.

use std::collections::BTreeMap;

use serde::Deserialize;
use simulate::block::math::Complex;

use crate::engine::analysis::channel;
use crate::sketch::Sketch;

#[derive(Deserialize)]
struct Table {
    designs: Vec<Design>,
}

#[derive(Clone, Deserialize)]
struct Design {
    block: String,
    delta: f64,
    options: BTreeMap<String, Vec<String>>,
    /// Radians per second.
    frequencies: Vec<f64>,
    re: Vec<f64>,
    im: Vec<f64>,
    /// Of the absolute difference at each frequency: 1e-11, and what the response changes where all frequencies are off by
    /// some hundred rounding errors.
    tolerances: Vec<f64>,
}

fn designs() -> Vec<Design> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/filters.json");
    let table: Table = serde_json::from_str(&std::fs::read_to_string(path).expect("the table")).expect("a table");
    table.designs
}

impl Design {
    /// Returns the greatest difference of the block's response, from the exact derivatives of its tape, in terms of the
    /// tolerance.
    fn error(&self) -> f64 {
        let options: Vec<(&str, Vec<&str>)> =
            self.options.iter().map(|(name, texts)| (&**name, texts.iter().map(|text| &**text).collect())).collect();
        let options: Vec<(&str, &[&str])> = options.iter().map(|(name, texts)| (*name, &texts[..])).collect();
        let run = Sketch::new(self.delta)
            .block(0, "Var/Static", &[])
            .block(1, &self.block, &options)
            .wires("Main", &[("0.Output", "1.Input")])
            .run();
        let of = channel(&run, 0, 1);
        let error = |index: usize| {
            let got = of.at(of.point_of(self.frequencies[index])).expect("no pole on the axis");
            (got - Complex::new(self.re[index], self.im[index])).norm() / self.tolerances[index]
        };
        (0..self.frequencies.len()).map(error).fold(0.0, f64::max)
    }
}

/// The designs of `Continuous/Butterworth Filter`, which are those of `Continuous/Analog Filter Design`.
fn butterworth_filters(designs: &[Design]) -> Vec<Design> {
    let is_one = |design: &&Design| {
        design.block == "Continuous/Analog Filter Design" && design.options["Design"] == ["Butterworth"]
    };
    let same = |design: &Design| {
        let mut design = Design { block: "Continuous/Butterworth Filter".to_owned(), ..design.clone() };
        design.options.retain(|name, _| ["Type", "Order", "Frequency", "Upper Frequency"].contains(&&**name));
        design
    };
    designs.iter().filter(is_one).map(same).collect()
}

#[test]
fn designed_filters_have_their_exact_response() {
    let mut wrong = Vec::new();
    let designs = designs();
    assert!(designs.len() > 200, "the table is there");
    let butterworth = butterworth_filters(&designs);
    assert!(butterworth.len() > 10, "some are Butterworth filters");
    for design in designs.iter().chain(&butterworth) {
        let error = design.error();
        if error > 1.0 || error.is_nan() {
            wrong.push(format!("{} {:?}: {error:e} times the tolerance", design.block, design.options));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), designs.len(), wrong.join("\n"));
}

/// The comparison sees a filter of another order, another edge, and a ripple that differs in the fourth digit.
#[test]
fn a_wrong_design_is_seen() {
    let right = || designs().into_iter().find(|design| design.options["Design"] == ["elliptic"] && design.delta < 1.0);
    for (name, value) in [("Order", "2"), ("Frequency", "0.2001"), ("Passband Ripple", "1.0001")] {
        let mut design = right().expect("an elliptic filter");
        design.options.insert(name.to_owned(), vec![value.to_owned()]);
        assert!(design.error() > 1e4, "{name}");
    }
}
