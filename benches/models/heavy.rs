//! Models with heavy parts beside each other.

use simulate::model::Simulation;

use super::seven::{Draft, simulation};

/// Systems of linear equations beside each other, all coefficients changing with time.
pub fn solves(count: usize, size: usize) -> Simulation {
    let mut d = Draft::new("Main");
    let wave = d.library("Var/Sine", &[]);
    let above = d.library("Math/Bias", &[("Bias", "3")]);
    d.wire(wave, "Output", above, "Input");
    let mut ends = Vec::new();
    for number in 0..count {
        let element = |at: usize| {
            let (row, column) = (at / size, at % size);
            let own = if row == column { size as f64 } else { 0.0 };
            own + ((row * 7 + column * 3 + number) % 11) as f64 / 11.0
        };
        let matrix = d.vector("Var/Static", "Value", (0..size * size).map(element));
        let right = d.vector("Var/Static", "Value", (0..size).map(|row| 1.0 + row as f64));
        let changing = d.product(matrix, above);
        let solve = d.library("Matrix/Solve", &[]);
        d.wire(changing, "Output", solve, "A");
        d.wire(right, "Output", solve, "B");
        let total = d.sum("+", &[solve]);
        ends.push(total);
    }
    let all = d.sum(&"+".repeat(count), &ends);
    d.exit(all);
    simulation("euler", d, Vec::new())
}

/// Chains of blocks on long vectors beside each other, each fed back through integrators.
pub fn vectors(count: usize, width: usize, length: usize) -> Simulation {
    let mut d = Draft::new("Main");
    let mut ends = Vec::new();
    for number in 0..count {
        let begin = d.vector("Math/Integrate", "Initial Value", (0..width).map(|lane| (lane + number) as f64 / 100.0));
        let mut last = begin;
        for _ in 0..length {
            let sine = d.library("Math/Trigonometry", &[]);
            d.wire(last, "Output", sine, "Input");
            last = d.gain(1.01, sine);
        }
        d.wire(last, "Output", begin, "Input");
        let total = d.sum("+", &[last]);
        ends.push(total);
    }
    let all = d.sum(&"+".repeat(count), &ends);
    d.exit(all);
    simulation("euler", d, Vec::new())
}
