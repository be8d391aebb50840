//! State machines of gates, delayed truths and what reads them as numbers. Machine code has truths in vector registers
//! or, where there are many gates, in integer registers. Every engine gives the bits of the reference engine.

use simulate::block::Registry;
use simulate::engine::compile;

use crate::random::engines::{Session, compare};
use crate::sketch::Sketch;

const OPERATORS: [&str; 6] = ["AND", "OR", "NAND", "NOR", "XOR", "NXOR"];

/// Draws a state machine with so many gates, by a number.
struct Machine {
    sketch: Sketch,
    state: u64,
    /// What gates can read.
    truths: Vec<u64>,
}

impl Machine {
    /// A number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 33) as usize % count
    }

    fn truth(&mut self) -> String {
        let at = self.draw(self.truths.len());
        format!("{}.Output", self.truths[at])
    }

    fn block(&mut self, id: u64, name: &str, options: &[(&str, &[&str])], inputs: &[(&str, &str)]) {
        let sketch = std::mem::replace(&mut self.sketch, Sketch::new(0.1));
        let sketch = sketch.block(id, name, options);
        self.sketch = inputs.iter().fold(sketch, |sketch, (input, from)| sketch.wire(from, &format!("{id}.{input}")));
    }
}

fn machine(seed: u64, gates: u64) -> Sketch {
    let mut machine = Machine { sketch: Sketch::new(0.1), state: seed, truths: Vec::new() };
    for (id, frequency) in [(1, "3"), (2, "5")] {
        machine.block(id, "Var/Sine", &[("Frequency", &[frequency])], &[]);
    }
    for id in 10..16 {
        let options = [("Operator", &[[">", "<=", "=="][id as usize % 3]][..]), ("Constant", &["0.25"])];
        machine.block(
            id,
            "Logic/Compare To Constant",
            &options,
            &[("Input", ["1.Output", "2.Output"][id as usize % 2])],
        );
        machine.truths.push(id);
    }
    // Numbers that are no truths at first, too.
    let delays = 20..26;
    for id in delays.clone() {
        let initial = ["0", "1", "0.5"][id as usize % 3];
        machine.block(id, "Discrete/Unit Delay", &[("Initial Value", &[initial])], &[]);
        machine.truths.push(id);
    }
    for id in 100..100 + gates {
        let operator = OPERATORS[machine.draw(OPERATORS.len())];
        let [a, b] = [(); 2].map(|()| machine.truth());
        machine.block(id, "Logic/Gate", &[("Operator", &[operator])], &[("Input 1", &a), ("Input 2", &b)]);
        machine.truths.push(id);
    }
    for id in delays {
        let from = 100 + machine.draw(gates as usize) as u64;
        let sketch = std::mem::replace(&mut machine.sketch, Sketch::new(0.1));
        machine.sketch = sketch.wire(&format!("{from}.Output"), &format!("{id}.Input"));
    }
    // What reads truths as numbers: sums, a switch, a gain and an exit.
    let [a, b, c] = [(); 3].map(|()| machine.truth());
    machine.block(50, "Math/Sum", &[("Signs", &["++-"])], &[("Input 1", &a), ("Input 2", &b), ("Input 3", &c)]);
    let inputs = [("Input 1", "1.Output"), ("Control", &*a), ("Input 2", "50.Output")];
    machine.block(51, "Routing/Switch", &[("Threshold", &["0.5"])], &inputs);
    machine.block(52, "Math/Gain", &[("Gain", &["3"])], &[("Input", &b)]);
    machine.block(53, "Math/Sum", &[("Signs", &["++"])], &[("Input 1", "51.Output"), ("Input 2", "52.Output")]);
    machine.block(54, "exit y", &[], &[("Input", "53.Output")]);
    machine.sketch
}

#[test]
fn state_machines_of_gates_have_the_same_bits_on_every_engine() {
    for (gates, seed) in [(2, 1), (9, 2), (16, 3), (17, 4), (30, 5), (31, 6), (64, 7), (120, 8), (200, 9)] {
        for watched in [&[][..], &[0, 5, 9, 23]] {
            let machine = machine(seed, gates);
            assert!(compile(&machine.simulation, &Registry::standard()).is_ok(), "{gates} gates compile");
            let session = Session { chunks: &[7, 12, 1, 40], watched, changes: &[(7, 3), (3, 5)] };
            compare(&machine.simulation, session, false)
                .unwrap_or_else(|problem| panic!("{gates} gates, {} watched: {problem}", watched.len()));
        }
    }
}
