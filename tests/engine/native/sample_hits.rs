//! Random networks of several rates: what changes only at sample hits is computed only there in machine code, with the
//! bits of the reference engine, which computes it in every step.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use simulate::block::Registry;
use simulate::engine::compile;

use crate::random::engines::{Session, cases, compare};
use crate::random::vectors::{Drawn, Piece, inner, numbers, piece};
use crate::sketch::{Run, Sketch};

#[derive(Clone, Debug)]
struct Net {
    width: usize,
    solver: usize,
    pieces: Vec<Piece>,
    chunks: Vec<u64>,
    watched: Vec<u16>,
    changes: Vec<(u16, u16)>,
}

const WIDTHS: [usize; 4] = [1, 3, 5, 8];
const SOLVERS: [&str; 3] = ["euler", "rk4", "heun"];
/// Sample times and offsets in seconds, for steps of 0.1 s.
const RATES: [[&str; 2]; 6] = [["0.2", "0"], ["0.5", "0"], ["0.3", "0.1"], ["1", "0.4"], ["0.5", "0.3"], ["0.1", "0"]];

fn net() -> impl Strategy<Value = Net> {
    let of = (
        0..WIDTHS.len(),
        0..SOLVERS.len(),
        prop::collection::vec(piece(), 3..40),
        prop::collection::vec(prop_oneof![3 => 1u64..9, 2 => 20u64..80], 1..5),
        prop::collection::vec(any::<u16>(), 0..4),
        prop::collection::vec((any::<u16>(), any::<u16>()), 0..4),
    );
    of.prop_map(|(width, solver, pieces, chunks, watched, changes)| Net {
        width: WIDTHS[width],
        solver,
        pieces,
        chunks,
        watched,
        changes,
    })
}

impl Net {
    fn can_run(&self) -> bool {
        compile(&self.sketch().simulation, &Registry::standard()).is_ok()
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let session = Session { chunks: &self.chunks, watched: &self.watched, changes: &self.changes };
        compare(&self.sketch().simulation, session, self.pieces.len().is_multiple_of(4))
    }

    fn sketch(&self) -> Sketch {
        let sketch = inner(Sketch::new(0.1).solver(SOLVERS[self.solver]), "Enabled", &[("role", "enable")]);
        let mut drawn = Drawn::new(sketch, self.width);
        for (what, width) in [("Var/Clock", 1), ("Var/Sine", 1)] {
            let id = drawn.block(what, &[]);
            drawn.signal(id, "Output", width);
        }
        let id = drawn.block("Var/Static", &[("Value", &numbers(3, self.width))]);
        drawn.signal(id, "Output", self.width);
        // Blocks whose outputs do not need their inputs, which may close rings.
        let mut states = Vec::new();
        for piece in &self.pieces {
            self.add(&mut drawn, piece, &mut states);
        }
        for (id, width, raw) in states {
            let (from, _) = drawn.pick(raw, |other| other == 1 || other == width);
            drawn.wire(&from, id, "Input");
        }
        drawn.sketch
    }

    fn add(&self, drawn: &mut Drawn, piece: &Piece, states: &mut Vec<(u64, usize, u16)>) {
        let Piece { what, from, raw } = *piece;
        let [time, offset] = RATES[usize::from(raw) % RATES.len()].map(|text| [text.to_owned()]);
        let rate: [(&str, &[String]); 2] = [("Sample Time", &time), ("Sample Offset", &offset)];
        let state_width = if raw.is_multiple_of(2) { 1 } else { self.width };
        let initial = numbers(raw, state_width);
        match what % 12 {
            state @ 0..3 => {
                let (block, accumulate) = match state {
                    0 => ("Discrete/Unit Delay", "false"),
                    1 => ("Discrete/Discrete-Time Integrator", "false"),
                    _ => ("Discrete/Discrete-Time Integrator", "true"),
                };
                let accumulates = [accumulate.to_owned()];
                let mut options = vec![rate[0], rate[1], ("Initial Value", &initial)];
                if state > 0 {
                    options.push(("Accumulate", &accumulates));
                }
                let id = drawn.block(block, &options);
                drawn.signal(id, "Output", state_width);
                states.push((id, state_width, from[0]));
            }
            3 => {
                let id = drawn.block("Math/Integrate", &[("Initial Value", &initial)]);
                drawn.signal(id, "Output", state_width);
                states.push((id, state_width, from[0]));
            }
            4..7 => one(drawn, from[0], "Discrete/Zero-Order Hold", &rate),
            7 => one(drawn, from[0], "Math/Gain", &[("Gain", &numbers(raw, 1))]),
            8 => one(drawn, from[0], "Nonlinear/Saturate", &[]),
            9 => one(drawn, from[0], "Enabled", &[]),
            more => {
                let (a, width) = drawn.pick(from[0], |_| true);
                let (b, other) = drawn.pick(from[1], |other| other == 1 || width == 1 || other == width);
                let block = if more == 10 { "Math/Sum" } else { "Math/Product" };
                let id = drawn.block(block, &[]);
                drawn.wire(&a, id, "Input 1");
                drawn.wire(&b, id, "Input 2");
                drawn.signal(id, "Output", width.max(other));
            }
        }
    }
}

/// Adds a block with one input, or a model that is enabled by a single signal.
fn one(drawn: &mut Drawn, from: u16, what: &str, options: &[(&str, &[String])]) {
    let (signal, width) = drawn.pick(from, |_| true);
    if what == "Enabled" {
        let (control, _) = drawn.pick(from / 7, |width| width == 1);
        let id = drawn.block("model Enabled", &[]);
        drawn.wire(&signal, id, "u");
        drawn.wire(&control, id, "control");
        drawn.signal(id, "y", width);
        return;
    }
    let id = drawn.block(what, options);
    drawn.wire(&signal, id, "Input");
    drawn.signal(id, "Output", width);
}

#[test]
fn random_networks_of_several_rates_have_the_same_bits_on_every_engine() {
    let config = ProptestConfig {
        cases: cases(60),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]));
    let count = Cell::new((0, 0));
    let outcome = runner.run(&net(), |net| {
        let (drawn, ran) = count.get();
        count.set((drawn + 1, ran + usize::from(net.can_run())));
        net.check()
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let (drawn, ran) = count.get();
    assert!(ran * 10 > drawn * 8, "only {ran} of {drawn} networks can run");
}

/// The last delay waits for a value of another rate, so that it does not join the branch of the delays of its rate: it
/// runs in every step and must know whether it is hit.
#[test]
fn a_block_that_is_alone_at_its_hits_knows_whether_it_is_hit() {
    let piece = |what, from, raw| Piece { what, from, raw };
    let pieces = vec![
        piece(10, [0, 0, 0], 0),
        piece(4, [4323, 0, 0], 52980),
        piece(0, [3765, 0, 0], 1),
        piece(0, [1433, 0, 0], 13),
        piece(0, [11463, 0, 0], 37370),
        piece(0, [82, 0, 0], 26943),
        piece(0, [0, 0, 0], 0),
        piece(0, [1847, 0, 0], 1),
        piece(10, [28913, 6497, 0], 0),
        piece(4, [25684, 0, 0], 193),
        piece(0, [3062, 0, 0], 1),
    ];
    let net = Net { width: 1, solver: 0, pieces, chunks: vec![4], watched: vec![], changes: vec![] };
    assert!(net.can_run());
    net.check().expect("the same bits");
}

/// Each gate reads the two before it, so that there are more paths through them than could ever be followed.
#[test]
fn a_net_of_gates_beside_a_hold_is_compiled_at_once() {
    const GATES: u64 = 80;
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Clock", &[])
        .block(1, "Var/Pulse", &[("Period", &["4"])])
        .block(2, "Logic/Compare To Constant", &[("Operator", &[">"]), ("Constant", &["3"])])
        .wire("0.Output", "2.Input");
    for id in 3..GATES {
        sketch = sketch
            .block(id, "Logic/Gate", &[("Operator", &["AND"])])
            .wire(&format!("{}.Output", id - 1), &format!("{id}.Input 1"))
            .wire(&format!("{}.Output", id - 2), &format!("{id}.Input 2"));
    }
    let sketch = sketch
        .block(GATES, "User/Formula", &[("Inputs", &["u on"]), ("Formula", &["y = if(on, u, 0)"])])
        .block(GATES + 1, "Discrete/Zero-Order Hold", &[("Sample Time", &["3"])])
        .block(GATES + 2, "exit y", &[])
        .wire("0.Output", &format!("{GATES}.u"))
        .wire(&format!("{}.Output", GATES - 1), &format!("{GATES}.on"))
        .wire(&format!("{GATES}.y"), &format!("{}.Input", GATES + 1))
        .wire(&format!("{}.Output", GATES + 1), &format!("{}.Input", GATES + 2));
    // The pulse is 1 in the first two of four steps, the clock is above 3 from step 4 on, and the hold has hits in
    // every third step.
    let want = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 12.0, 12.0, 12.0, 0.0];
    for engine in ["simple", "flat", "compiled"] {
        assert_eq!(Run::new(&sketch.simulation, engine).trace("y", want.len()), want, "{engine}");
        let last = Run::new(&sketch.simulation, engine).steps(want.len() as u64).exit("y")[0];
        assert_eq!(last, want[want.len() - 1], "{engine} in one call");
    }
}
