//! Random networks of wide vectors: every engine gives the bits of the reference engine. The random models have single
//! values; here are the loops over elements, gathered operands, folds, rows and chains that vectors become on a tape
//! and in machine code, and the shares that threads get of them.

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::engines::{Session, cases, compare};
use crate::sketch::Sketch;

/// A block, the raw numbers from which its sources are chosen, and one for its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub what: u8,
    pub from: [u16; 3],
    pub raw: u16,
}

pub fn piece() -> impl Strategy<Value = Piece> {
    (any::<u8>(), any::<[u16; 3]>(), any::<u16>()).prop_map(|(what, from, raw)| Piece { what, from, raw })
}

#[derive(Clone, Debug)]
struct Net {
    width: usize,
    solver: usize,
    /// Blocks whose outputs do not need their inputs, which may close rings.
    states: Vec<Piece>,
    pieces: Vec<Piece>,
    chunks: Vec<u64>,
    watched: Vec<u16>,
    changes: Vec<(u16, u16)>,
}

/// Shorter, as long, and longer than what is unrolled, packed, or kept in registers.
const WIDTHS: [usize; 12] = [2, 3, 4, 5, 7, 8, 9, 16, 17, 19, 33, 40];
const SOLVERS: [&str; 4] = ["euler", "heun", "rk4", "rk45"];

fn net() -> impl Strategy<Value = Net> {
    let of = (
        0..WIDTHS.len(),
        prop_oneof![4 => 0usize..3, 1 => Just(3)],
        prop::collection::vec(piece(), 1..5),
        prop::collection::vec(piece(), 2..24),
        prop::collection::vec(prop_oneof![3 => 1u64..9, 2 => 60u64..140], 1..4),
        prop::collection::vec(any::<u16>(), 0..4),
        prop::collection::vec((any::<u16>(), any::<u16>()), 0..3),
    );
    of.prop_map(|(width, solver, states, pieces, mut chunks, watched, changes)| {
        // A solver that chooses its steps is slow in a debug build.
        if solver == 3 {
            chunks.iter_mut().for_each(|steps| *steps = (*steps).min(10));
        }
        Net { width: WIDTHS[width], solver, states, pieces, chunks, watched, changes }
    })
}

/// The numbers of a vector, all different but for a few that are special.
pub fn numbers(raw: u16, width: usize) -> Vec<String> {
    let number = |element: usize| match (usize::from(raw) + 7 * element) % 41 {
        0 => "0".to_owned(),
        1 => "-0".to_owned(),
        2 => "1".to_owned(),
        3 => "-1".to_owned(),
        4 => "1e300".to_owned(),
        5 if raw.is_multiple_of(8) => "inf".to_owned(),
        of => ((of as f64 - 20.5) / 8.0).to_string(),
    };
    (0..width).map(number).collect()
}

/// The network under construction: outputs so far, with their widths.
pub struct Drawn {
    pub sketch: Sketch,
    next: u64,
    signals: Vec<(String, usize)>,
    width: usize,
}

impl Drawn {
    pub fn new(sketch: Sketch, width: usize) -> Drawn {
        Drawn { sketch, next: 0, signals: Vec::new(), width }
    }

    pub fn block(&mut self, what: &str, options: &[(&str, &[String])]) -> u64 {
        let id = self.next;
        self.next += 1;
        let texts: Vec<(&str, Vec<&str>)> =
            options.iter().map(|(name, texts)| (*name, texts.iter().map(String::as_str).collect())).collect();
        let options: Vec<(&str, &[&str])> = texts.iter().map(|(name, texts)| (*name, texts.as_slice())).collect();
        let sketch = std::mem::replace(&mut self.sketch, Sketch::new(1.0));
        self.sketch = sketch.block(id, what, &options);
        id
    }

    pub fn wire(&mut self, from: &str, id: u64, input: &str) {
        let sketch = std::mem::replace(&mut self.sketch, Sketch::new(1.0));
        self.sketch = sketch.wire(from, &format!("{id}.{input}"));
    }

    pub fn signal(&mut self, id: u64, output: &str, width: usize) {
        self.signals.push((format!("{id}.{output}"), width));
    }

    /// Returns one of the signals that have an acceptable width.
    pub fn pick(&self, raw: u16, accepts: impl Fn(usize) -> bool) -> (String, usize) {
        let fit: Vec<&(String, usize)> = self.signals.iter().filter(|(_, width)| accepts(*width)).collect();
        fit[usize::from(raw) % fit.len()].clone()
    }

    /// A vector of parameters, or a single one for all elements.
    fn some_numbers(&self, raw: u16, width: usize) -> Vec<String> {
        numbers(raw, if raw.is_multiple_of(3) { 1 } else { width })
    }

    fn state(&mut self, piece: Piece) -> (u64, usize) {
        let width = if piece.raw.is_multiple_of(5) { 1 } else { self.width };
        let initial = numbers(piece.raw, width);
        let whole = |number: u16| vec![number.to_string()];
        let id = match piece.what % 7 {
            0 | 1 => self.block("Discrete/Unit Delay", &[("Initial Value", &initial)]),
            2 => self.block("Discrete/Delay", &[("Length", &whole(1 + piece.raw % 6)), ("Initial Value", &initial)]),
            3 => self.block("Discrete/Discrete-Time Integrator", &[("Initial Value", &initial)]),
            4 => self.block("Math/Integrate", &[("Initial Value", &initial)]),
            5 => self
                .block("Continuous/PT1", &[("Initial Value", &initial), ("Time Constant", &whole(1 + piece.raw % 4))]),
            _ => {
                self.block("Discrete/Unit Delay", &[("Initial Value", &initial), ("Sample Time", &["0.3".to_owned()])])
            }
        };
        self.signal(id, "Output", width);
        (id, width)
    }

    fn piece(&mut self, Piece { what, from, raw }: Piece) {
        let full = self.width;
        let (a, width) = self.pick(from[0], |_| true);
        // Whatever goes with the first input, and the width of the result.
        let fits = |other: usize| other == 1 || width == 1 || other == width;
        let (b, other) = self.pick(from[1], fits);
        let both = width.max(other);
        let text = |text: &str| vec![text.to_owned()];
        match what % 21 {
            0 => {
                let gain = self.some_numbers(raw, width);
                let id = self.block("Math/Gain", &[("Gain", &gain)]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width.max(gain.len()));
            }
            1 => {
                let bias = self.some_numbers(raw, width);
                let id = self.block("Math/Bias", &[("Bias", &bias)]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width.max(bias.len()));
            }
            2 | 3 => {
                let (c, third) = self.pick(from[2], |third| third == 1 || both == 1 || third == both);
                let signs = ["++-", "+-+", "-++", "+++"][usize::from(raw) % 4];
                let id = self.block("Math/Sum", &[("Signs", &text(signs))]);
                [a, b, c].iter().zip(1..).for_each(|(from, input)| self.wire(from, id, &format!("Input {input}")));
                self.signal(id, "Output", both.max(third));
            }
            4 => {
                let id = self.block("Math/Product", &[("Operations", &text(["**", "*/"][usize::from(raw) % 2]))]);
                [a, b].iter().zip(1..).for_each(|(from, input)| self.wire(from, id, &format!("Input {input}")));
                self.signal(id, "Output", both);
            }
            5 => {
                let function = ["exp", "sqrt", "square", "floor", "sign", "signed sqrt", "10^u"][usize::from(raw) % 7];
                let id = self.block("Math/Function", &[("Function", &text(function))]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width);
            }
            6 => {
                let id = self.block("Math/Sum", &[("Signs", &text("+"))]);
                self.wire(&a, id, "Input 1");
                self.signal(id, "Output", 1);
            }
            7 => {
                let options = [("Function", text(["min", "max"][usize::from(raw) % 2])), ("Inputs", text("1"))];
                let options: Vec<(&str, &[String])> = options.iter().map(|(name, of)| (*name, of.as_slice())).collect();
                let id = self.block("Math/MinMax", &options);
                self.wire(&a, id, "Input 1");
                self.signal(id, "Output", 1);
            }
            8 => {
                let (a, width) = self.pick(from[0], |width| width == full);
                let (b, _) = self.pick(from[1], |other| other == width);
                let id = self.block("Math/Dot Product", &[]);
                self.wire(&a, id, "A");
                self.wire(&b, id, "B");
                self.signal(id, "Output", 1);
            }
            9 | 10 => {
                // Any elements in any order, as many as a vector has.
                let stride = 1 + usize::from(raw) % 5;
                let index = |element: usize| 1 + (usize::from(raw) + stride * element) % width;
                let indices: Vec<String> = (0..full).map(|element| index(element).to_string()).collect();
                let id = self.block("Routing/Selector", &[("Indices", &indices)]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", full);
            }
            11 => {
                let (a, width) = self.pick(from[0], |width| width == full);
                let cut = 1 + usize::from(raw) % (width - 1);
                let id = self.block("Routing/Demux", &[("Widths", &[cut.to_string(), (width - cut).to_string()])]);
                self.wire(&a, id, "Input");
                // The parts go on the other way round.
                let joined = self.block("Routing/Mux", &[]);
                self.wire(&format!("{id}.Output 2"), joined, "Input 1");
                self.wire(&format!("{id}.Output 1"), joined, "Input 2");
                self.signal(joined, "Output", width);
            }
            12 => {
                let id = self.block("Routing/Switch", &[("Threshold", &self.some_numbers(raw, 1))]);
                let (c, third) = self.pick(from[2], |third| third == 1 || both == 1 || third == both);
                for (from, input) in [(&a, "Input 1"), (&c, "Control"), (&b, "Input 2")] {
                    self.wire(from, id, input);
                }
                self.signal(id, "Output", both.max(third));
            }
            13 => {
                let id = self.block("Nonlinear/Relay", &[]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width);
            }
            14 => {
                let (index, _) = self.pick(from[1], |width| width == 1);
                let id = self.block("Routing/Index Vector", &[]);
                self.wire(&index, id, "Index");
                self.wire(&a, id, "Vector");
                self.signal(id, "Output", 1);
            }
            15 => {
                let id = self.block("Discrete/Difference", &[]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width);
            }
            16 => {
                let id = self.block("Discrete/Zero-Order Hold", &[("Sample Time", &text("0.2"))]);
                self.wire(&a, id, "Input");
                self.signal(id, "Output", width);
            }
            17 => {
                let id = self.block("Var/Noise", &[("Mean", &self.some_numbers(raw, full))]);
                let width = if raw.is_multiple_of(3) { 1 } else { full };
                self.signal(id, "Output", width);
            }
            18 => {
                // Equal blocks of single values, whose inputs are in any order.
                let (a, width) = self.pick(from[0], |width| width == full);
                let parts = self.block("Routing/Demux", &[("Widths", &vec!["1".to_owned(); width])]);
                self.wire(&a, parts, "Input");
                let joined = self.block("Routing/Mux", &[("Inputs", &text(&width.to_string()))]);
                for (element, gain) in numbers(raw, width).into_iter().enumerate() {
                    let output = 1 + (usize::from(raw) + (1 + usize::from(raw) % 5) * element) % width;
                    let id = self.block("Math/Gain", &[("Gain", &[gain])]);
                    self.wire(&format!("{parts}.Output {output}"), id, "Input");
                    self.wire(&format!("{id}.Output"), joined, &format!("Input {}", element + 1));
                }
                self.signal(joined, "Output", width);
            }
            _ => {
                let inner = ["Enabled", "Iterated", "Plain"][usize::from(raw) % 3];
                let id = self.block(&format!("model {inner}"), &[]);
                let (control, _) = self.pick(from[1], |width| width == 1);
                self.wire(&a, id, "u");
                self.wire(&control, id, "control");
                self.signal(id, "y", width);
            }
        }
    }
}

/// Adds a model of some instructions and a state between `u` and `y`, which `control` rules.
pub fn inner(sketch: Sketch, name: &str, control: &[(&str, &str)]) -> Sketch {
    sketch
        .block_in(name, 0, "entry u", &[])
        .block_in(name, 1, "entry control", &[])
        .mark(name, 1, control)
        .block_in(name, 2, "Math/Sum", &[("Signs", &["+-"])])
        .block_in(name, 3, "Discrete/Unit Delay", &[("Initial Value", &["0.5"])])
        .block_in(name, 4, "Math/Gain", &[("Gain", &["0.75"])])
        .block_in(name, 5, "exit y", &[])
        .wires(name, &[("0.Output", "2.Input 1"), ("3.Output", "2.Input 2"), ("2.Output", "4.Input")])
        .wires(name, &[("4.Output", "3.Input"), ("4.Output", "5.Input")])
}

impl Net {
    fn sketch(&self) -> Sketch {
        let sketch = Sketch::new(0.1).solver(SOLVERS[self.solver]);
        let sketch = inner(sketch, "Plain", &[]);
        let sketch = inner(sketch, "Enabled", &[("role", "enable")]);
        let sketch = inner(sketch, "Iterated", &[("role", "for"), ("limit", "5")]);
        let mut drawn = Drawn::new(sketch, self.width);
        let id = drawn.block("Var/Clock", &[]);
        drawn.signal(id, "Output", 1);
        let id = drawn.block("Var/Sine", &[("Frequency", &["2".to_owned()])]);
        drawn.signal(id, "Output", 1);
        let id = drawn.block("Var/Static", &[("Value", &numbers(self.watched.len() as u16, self.width))]);
        drawn.signal(id, "Output", self.width);
        let states: Vec<(u64, usize)> = self.states.iter().map(|piece| drawn.state(*piece)).collect();
        self.pieces.iter().for_each(|piece| drawn.piece(*piece));
        for ((id, width), piece) in states.into_iter().zip(&self.states) {
            let (from, _) = drawn.pick(piece.from[0], |other| other == 1 || other == width);
            drawn.wire(&from, id, "Input");
        }
        drawn.sketch
    }
}

#[test]
fn random_networks_of_vectors_have_the_same_bits_on_every_engine() {
    let config = ProptestConfig {
        cases: cases(60),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]));
    let outcome = runner.run(&net(), |net| {
        let session = Session { chunks: &net.chunks, watched: &net.watched, changes: &net.changes };
        compare(&net.sketch().simulation, session, net.pieces.len().is_multiple_of(4))
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// A state whose initial values are a vector has its width in a loop too, wherever its block stands: what selects its
/// elements comes first here.
#[test]
fn a_selector_before_its_wide_state_in_a_loop_is_built() {
    let mut run = Sketch::new(1.0)
        .block(0, "Routing/Selector", &[("Indices", &["3", "2", "1"])])
        .block(1, "Discrete/Unit Delay", &[("Initial Value", &["1", "2", "3"])])
        .block(2, "exit out", &[])
        .wire("0.Output", "1.Input")
        .wire("1.Output", "0.Input")
        .wire("1.Output", "2.Input")
        .run();
    assert_eq!(run.steps(1).exit("out"), [1.0, 2.0, 3.0]);
    assert_eq!(run.steps(1).exit("out"), [3.0, 2.0, 1.0]);
}
