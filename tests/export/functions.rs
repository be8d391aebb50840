//! The mathematics in C has the bits of [`simulate::block::math`], on random and on difficult arguments.

use simulate::block::language::Function;
use simulate::block::math::Notation;
use simulate::block::{Binary, Unary};
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

use super::bench::{Trial, all_builds, check};

/// A generator of bit patterns: `SplitMix64`.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A random number: any bits, or one of an ordinary size.
    fn number(&mut self) -> f64 {
        let kind = self.next() % 8;
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
        match kind {
            0 | 1 => f64::from_bits(self.next()),
            2 => unit * 1e6,
            3 => unit * 30.0,
            4 => (unit * 20.0).round() / 2.0,
            5 => 1.0 + unit * 1e-3,
            6 => unit * 1000.0,
            _ => unit,
        }
    }
}

const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    3.0,
    -3.0,
    1e300,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 4.0,
    f64::MAX,
    f64::EPSILON,
    400_000.0,
    9_007_199_254_740_993.0,
    4_503_599_627_370_497.5,
];

/// All operations that formulas can write, of `u` and `v`.
pub fn operations() -> Vec<String> {
    let is_known = |notation: Notation| match notation {
        Notation::Call(name) => Function::by_name(name).is_some(),
        _ => true,
    };
    let unary = Unary::ALL.iter().map(|op| op.row()).filter(|row| is_known(row.notation)).map(|row| row.text(&["u"]));
    let binary =
        Binary::ALL.iter().map(|op| op.row()).filter(|row| is_known(row.notation)).map(|row| row.text(&["u", "v"]));
    unary.chain(binary).collect()
}

#[test]
fn each_operation_has_the_same_bits_in_c() {
    let operations = operations();
    assert!(operations.len() > 40, "{operations:?}");
    let formula: Vec<String> = operations.iter().zip(0..).map(|(text, at)| format!("y{at} = {text}")).collect();
    let mut simulation = Simulation::new("Main");
    let model = simulation.model_mut("Main").expect("the root");
    let block = Block::new(BlockId(0), BlockKind::library("User", "Formula"));
    let formula = formula.join("; ");
    model.add_block(block.with_option("Inputs", &["u v"]).with_option("Formula", &[formula.as_str()]));
    for (id, name) in [(1, "u"), (2, "v")] {
        model.add_block(Block::new(BlockId(id), BlockKind::entry(name)));
        model.connect(Connection::new(BlockId(id), "Output", BlockId(0), name));
    }
    for output in 0..operations.len() {
        let id = BlockId(100 + output as i128);
        model.add_block(Block::new(id, BlockKind::exit(&format!("out{output}"))));
        model.connect(Connection::new(BlockId(0), &format!("y{output}"), id, "Input"));
    }
    let count = std::env::var("EXPORTED_NUMBERS").ok().and_then(|count| count.parse().ok()).unwrap_or(4000);
    let mut bits = Bits(7);
    let pairs = SPECIAL.iter().flat_map(|u| SPECIAL.iter().map(move |v| (*u, *v)));
    let random = (0..count).map(|_| (bits.number(), bits.number()));
    let (u, v): (Vec<_>, Vec<_>) = pairs.chain(random).map(|(u, v)| (vec![u], vec![v])).unzip();
    let steps = u.len() as u64;
    let inputs = vec![("u".to_owned(), u), ("v".to_owned(), v)];
    let case = Trial { inputs, ..Trial::new("operations", simulation, steps) }.case().expect("it can be exported");
    check(&[case], &all_builds());
}
