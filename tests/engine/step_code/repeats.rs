//! Blocks that run again because of a Repeat block, on all engines that do not decline them: the fast ones execute the
//! last iteration alone.

use simulate::engine::Samples;
use simulate::model::{BlockAddress, BlockId, Simulation};

use crate::sketch::{Run, Sketch};

/// The options of a block, each with its texts.
type Options = &'static [(&'static str, &'static [&'static str])];

/// Numbers that look random, by seed (Marsaglia, J. Statistical Software 8, 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// A net of blocks behind two Repeat blocks and a source, each reading any two blocks before it.
fn net(seed: u64) -> Simulation {
    const BLOCKS: [(&str, usize, Options); 13] = [
        ("Math/Gain", 1, &[("Gain", &["-1.5"])]),
        ("Math/Sum", 2, &[]),
        ("Math/Product", 2, &[]),
        ("Math/Abs", 1, &[]),
        ("Nonlinear/Saturate", 1, &[("Lower Limit", &["-3"]), ("Upper Limit", &["4"])]),
        ("Discrete/Unit Delay", 1, &[("Initial Value", &["0.25"])]),
        ("Discrete/Unit Delay", 1, &[("Sample Time", &["0.2"])]),
        ("Discrete/Delay", 1, &[("Length", &["3"])]),
        ("Math/Integrate", 1, &[("Initial Value", &["1"])]),
        ("Continuous/Integrator", 1, &[("Limited", &["1"]), ("Lower Limit", &["-0.2"]), ("Upper Limit", &["0.3"])]),
        ("Discrete/Discrete-Time Integrator", 1, &[]),
        ("Math/Sign", 1, &[]),
        ("Math/Bias", 1, &[("Bias", &["0.5"])]),
    ];
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let solver = ["euler", "rk4"][numbers.below(2) as usize];
    let mut sketch = Sketch::new(0.1)
        .solver(solver)
        .source(100, &[2.0, 0.0, 3.5, -1.0, 1.0])
        .source(200, &[1.0, 2.0, 0.0, f64::NAN, 4.0, 0.75])
        .block(2, "Var/Sine", &[])
        .block(3, "Flow/Repeat", &[])
        .block(4, "Flow/Repeat", &[("Limit", &["3"])])
        .wires("Main", &[("100.Output", "3.Times"), ("200.Output", "4.Times")]);
    let count = 6 + numbers.below(14);
    for id in 5..5 + count {
        let (kind, inputs, options) = BLOCKS[numbers.below(BLOCKS.len() as u64) as usize];
        sketch = sketch.block(id, kind, options);
        for input in 1..=inputs {
            let from = match numbers.below(3) {
                0 => 2 + numbers.below(3),
                _ => 2 + numbers.below(id - 2),
            };
            let input = if inputs == 1 { "Input".to_owned() } else { format!("Input {input}") };
            sketch = sketch.wire(&format!("{from}.Output"), &format!("{id}.{input}"));
        }
    }
    sketch.simulation
}

#[test]
fn engines_agree_on_random_nets_behind_repeats() {
    for seed in 0..150 {
        let simulation = net(seed);
        let reference = Run::new(&simulation, "simple");
        for engine in ["flat", "compiled"] {
            let mut one = Run::new(&simulation, "simple");
            let mut other = Run::new(&simulation, engine);
            let samples = [(); 2].map(|()| Samples::new(reference.program.outputs.keys()));
            let [mut expected, mut found] = samples;
            for count in [1, 1, 7, 1, 40, 3] {
                one.watched_steps(count, &mut expected);
                other.watched_steps(count, &mut found);
                assert_eq!(one.context.executed, other.context.executed, "executions of net {seed} on {engine}");
            }
            for (a, b) in expected.watches().iter().zip(found.watches()) {
                let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&a.values), bits(&b.values), "output {:?} of net {seed} on {engine}", a.output);
            }
            assert!(engine != "compiled" || other.runs_machine_code(), "net {seed} is machine code");
        }
    }
}

/// 1 + 1 + (1 + 3) executions: the source, the Repeat block, and a gain that runs four times.
#[test]
fn executions_that_are_left_out_are_counted_and_limited() {
    let sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["4"])])
        .block(1, "Flow/Repeat", &[("Limit", &["1e6"])])
        .block(2, "Math/Gain", &[])
        .wires("Main", &[("0.Output", "1.Times"), ("1.Output", "2.Input")]);
    for engine in ["simple", "flat", "compiled"] {
        assert_eq!(Run::new(&sketch.simulation, engine).steps(5).context.executed, 6, "{engine}");
    }
    // Each gain has two inputs from the one before: it runs twice as often.
    let mut sketch = Sketch::new(1.0)
        .block(0, "Var/Static", &[("Value", &["1000"])])
        .block(1, "Flow/Repeat", &[])
        .wires("Main", &[("0.Output", "1.Times")]);
    for id in 2..22 {
        sketch = sketch.block(id, "Math/Sum", &[]);
        for input in [1, 2] {
            sketch = sketch.wire(&format!("{}.Output", id - 1), &format!("{id}.Input {input}"));
        }
    }
    for engine in ["flat", "compiled"] {
        let failed = Run::new(&sketch.simulation, engine).try_steps(5).expect_err("two thousand million executions");
        assert_eq!(failed.problem, "the step has run more than 100000000 blocks", "{engine}");
        assert_eq!(failed.block, Some(BlockAddress::new(&[], BlockId(1))), "{engine}");
    }
}

/// What an iteration does besides computing outputs is done by the reference engine only.
#[test]
fn iterations_with_effects_are_declined() {
    let behind = |what: &str, input: &str, options: &[(&str, &[&str])]| {
        Sketch::new(1.0)
            .block(0, "Var/Static", &[("Value", &["3"])])
            .block(1, "Flow/Repeat", &[])
            .block(2, what, options)
            .wires("Main", &[("0.Output", "1.Times"), ("1.Output", &format!("2.{input}"))])
    };
    let cases = [behind("Flow/Repeat", "Times", &[]), behind("Check/Assertion", "Input", &[])];
    for sketch in cases {
        for engine in ["flat", "compiled", "threaded"] {
            assert!(Run::where_possible(&sketch.simulation, engine).is_none(), "{engine}");
        }
        assert!(Run::where_possible(&sketch.simulation, "auto").is_some());
    }
}

/// Pushes to histories and limits of states belong to the major step; minor steps repeat the execution, not these. The
/// delay gives the sine of three steps before, the integrator of 1 ends at its limit.
#[test]
fn minor_steps_leave_delays_and_limits_beside_a_repeat_alone() {
    let sketch = Sketch::new(0.25)
        .solver("rk4")
        .block(0, "Var/Static", &[("Value", &["2"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Var/Clock", &[])
        .block(3, "Discrete/Delay", &[("Length", &["3"]), ("Initial Value", &["-1"])])
        .block(4, "Continuous/Integrator", &[("Limited", &["1"]), ("Upper Limit", &["0.6"])])
        .block(5, "exit delayed", &[])
        .block(6, "exit limited", &[])
        .block(7, "Var/Static", &[("Value", &["1"])])
        .wires("Main", &[("0.Output", "1.Times"), ("2.Output", "3.Input"), ("7.Output", "4.Input")])
        .wires("Main", &[("3.Output", "5.Input"), ("4.Output", "6.Input")]);
    for engine in ["simple", "flat", "compiled"] {
        let mut run = Run::new(&sketch.simulation, engine);
        let trace: Vec<(f64, f64)> = (0..5)
            .map(|_| {
                run.steps(1);
                (run.exit("delayed")[0], run.exit("limited")[0])
            })
            .collect();
        assert_eq!(trace, [(-1.0, 0.0), (-1.0, 0.25), (-1.0, 0.5), (0.0, 0.6), (0.25, 0.6)], "{engine}");
    }
}
