//! Plates and rings drawn cell by cell: rows of units whose operands follow a rule with exceptions at the border, and
//! parameters that are constants of the machine code until they change. Every engine gives the bits of the reference
//! engine.

use crate::random::engines::{Session, compare};
use crate::sketch::{Run, Sketch};

/// Cells with four neighbours. Beyond the border is a signal; a ring in each direction has none.
fn plate(rows: u64, columns: u64, is_ring: bool) -> Sketch {
    let count = rows * columns;
    let mut sketch = Sketch::new(0.1).block(0, "Var/Sine", &[("Frequency", &["3"])]).block(1, "exit first", &[]).block(
        2,
        "exit last",
        &[],
    );
    for cell in 0..count {
        let id = 10 + 6 * cell;
        let initial = format!("{}", (cell * cell % 7) as f64 - 2.5);
        sketch = sketch
            .block(id, "Discrete/Unit Delay", &[("Initial Value", &[&initial])])
            .block(id + 1, "Math/Sum", &[("Signs", &["++++"])])
            .block(id + 2, "Math/Gain", &[("Gain", &["4"])])
            .block(id + 3, "Math/Sum", &[("Signs", &["+-"])])
            .block(id + 4, "Math/Gain", &[("Gain", &["0.1"])])
            .block(id + 5, "Math/Sum", &[("Signs", &["++"])]);
        let (row, column) = (cell / columns, cell % columns);
        let at = |row: u64, column: u64| format!("{}.Output", 10 + 6 * (row * columns + column));
        let beside = |is_inside: bool, row: u64, column: u64| match is_inside || is_ring {
            true => at(row % rows, column % columns),
            false => "0.Output".to_owned(),
        };
        let around = [
            beside(row > 0, row + rows - 1, column),
            beside(row + 1 < rows, row + 1, column),
            beside(column > 0, row, column + columns - 1),
            beside(column + 1 < columns, row, column + 1),
        ];
        for (number, from) in around.iter().enumerate() {
            sketch = sketch.wire(from, &format!("{}.Input {}", id + 1, number + 1));
        }
        let end = |block: u64, port: &str| format!("{}.{port}", id + block);
        for (from, to) in [
            (end(0, "Output"), end(2, "Input")),
            (end(1, "Output"), end(3, "Input 1")),
            (end(2, "Output"), end(3, "Input 2")),
            (end(3, "Output"), end(4, "Input")),
            (end(0, "Output"), end(5, "Input 1")),
            (end(4, "Output"), end(5, "Input 2")),
            (end(5, "Output"), end(0, "Input")),
        ] {
            sketch = sketch.wire(&from, &to);
        }
    }
    let last = format!("{}.Output", 10 + 6 * (count - 1));
    sketch.wire("10.Output", "1.Input").wire(&last, "2.Input")
}

#[test]
fn cells_with_neighbours_have_the_same_bits_on_every_engine() {
    let changes: Vec<(u16, u16)> = (0..3).map(|change| (7 * change, 3 + 5 * change)).collect();
    for (rows, columns) in [(1, 33), (2, 17), (4, 4), (5, 7), (4, 9), (8, 4), (3, 17), (9, 8), (11, 10)] {
        for is_ring in [false, true] {
            let plate = plate(rows, columns, is_ring);
            for watched in [&[][..], &[0, 5, 9]] {
                let session = Session { chunks: &[7, 12, 1, 9], watched, changes: &changes };
                compare(&plate.simulation, session, false).unwrap_or_else(|problem| {
                    panic!("{rows} rows of {columns}, {}: {problem}", if is_ring { "a ring" } else { "a plate" })
                });
            }
        }
    }
}

/// Pascal's triangle in a row of delays: each becomes the sum of itself and a neighbour, so that delay k from the one that
/// stays 1 is the binomial coefficient of n and k after n steps. Nothing may be overwritten before the neighbour has read
/// it, on whichever side that is, and whichever operand it is.
#[test]
fn neighbours_are_read_before_they_change() {
    const COUNT: usize = 40;
    const STEPS: usize = 50;
    for (is_reversed, own) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
        let id = |delay: usize| 10 + if is_reversed { COUNT - delay } else { delay } as u64;
        let mut sketch = Sketch::new(1.0);
        for delay in 0..=COUNT {
            let initial = if delay == 0 { "1" } else { "0" };
            sketch = sketch
                .block(id(delay), "Discrete/Unit Delay", &[("Initial Value", &[initial])])
                .block(1000 + id(delay), &format!("exit x{delay}"), &[])
                .wire(&format!("{}.Output", id(delay)), &format!("{}.Input", 1000 + id(delay)));
        }
        sketch = sketch.wire(&format!("{}.Output", id(0)), &format!("{}.Input", id(0)));
        for delay in 1..=COUNT {
            let sum = 100 + id(delay);
            sketch = sketch
                .block(sum, "Math/Sum", &[])
                .wire(&format!("{}.Output", id(delay)), &format!("{sum}.Input {own}"))
                .wire(&format!("{}.Output", id(delay - 1)), &format!("{sum}.Input {}", 3 - own))
                .wire(&format!("{sum}.Output"), &format!("{}.Input", id(delay)));
        }
        let mut row = vec![0.0; COUNT + 1];
        row[0] = 1.0;
        for _ in 1..STEPS {
            (1..=COUNT).rev().for_each(|k| row[k] += row[k - 1]);
        }
        for engine in ["simple", "flat", "compiled", "threaded"] {
            let mut run = Run::new(&sketch.simulation, engine);
            run.steps(STEPS as u64);
            let found: Vec<f64> = (0..=COUNT).map(|delay| run.exit(&format!("x{delay}"))[0]).collect();
            assert_eq!(found, row, "{engine}, reversed: {is_reversed}, own: {own}");
        }
    }
}
