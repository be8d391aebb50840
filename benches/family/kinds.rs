//! The kinds of models.

use std::fmt::Write;

use super::models::seven::{Draft, H};
use super::sketch::{Dice, Pen, Pending, Sketch, Wire, list, text};

pub struct Kind {
    pub name: &'static str,
    /// Draws the model of a seed.
    pub draw: fn(u64) -> Sketch,
}

pub const KINDS: [Kind; 9] = [
    Kind { name: "net", draw: net },
    Kind { name: "sections", draw: sections },
    Kind { name: "grid", draw: grid },
    Kind { name: "ring", draw: ring },
    Kind { name: "parts", draw: parts },
    Kind { name: "rates", draw: rates },
    Kind { name: "matrix", draw: matrix },
    Kind { name: "tables", draw: tables },
    Kind { name: "logic", draw: logic },
];

/// Unlike blocks with random inputs, and delays in their loops.
fn net(seed: u64) -> Sketch {
    const BLOCKS: [&str; 11] =
        ["gain", "sum", "three", "saturate", "product", "min", "max", "dead zone", "relay", "switch", "delay"];
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let mut wires: Vec<Wire> = (0..4).map(|_| pen.lively(&mut dice)).collect();
    let loops: Vec<Pending> = (0..dice.whole(3, 20)).map(|_| pen.delay(dice.real(-1.0, 1.0))).collect();
    wires.extend(loops.iter().map(|delay| delay.wire.clone()));
    for _ in 0..dice.whole(40, 300) {
        let recent = wires.len().saturating_sub(60);
        let from: [Wire; 3] = std::array::from_fn(|_| {
            let at = if dice.whole(0, 3) == 0 { dice.whole(0, 3) } else { dice.whole(recent, wires.len() - 1) };
            wires[at].clone()
        });
        let [a, b, c] = [&from[0], &from[1], &from[2]];
        let both = [("Input 1", a), ("Input 2", b)];
        let wire = match *dice.pick(&BLOCKS) {
            "gain" => pen.gain(dice.real(-0.9, 0.9), a),
            "sum" => pen.sum("+-", &[a, b]),
            "three" => pen.sum("++-", &[a, b, c]),
            "saturate" => pen.saturate(dice.real(-0.9, -0.1), dice.real(0.1, 0.9), a),
            "product" => pen.product(a, b),
            "min" => {
                let expression = format!("{1} < {0} ? {1} : {0}", a.c, b.c);
                pen.block("Math/MinMax", &[("Function", "min")], &both, &expression)
            }
            "max" => {
                let expression = format!("{0} < {1} ? {1} : {0}", a.c, b.c);
                pen.block("Math/MinMax", &[("Function", "max")], &both, &expression)
            }
            "dead zone" => {
                let expression = format!("{0} >= 0.5 ? {0} - 0.5 : {0} <= -0.5 ? {0} - -0.5 : 0.0", a.c);
                pen.block("Nonlinear/Dead Zone", &[], &[("Input", a)], &expression)
            }
            "relay" => {
                let (on, off) = (dice.real(0.1, 0.5), dice.real(-0.5, -0.1));
                let state = pen.state("int", 0.0);
                writeln!(pen.body, "        {state} = {0} >= {on:?} ? 1 : {0} <= {off:?} ? 0 : {state};", a.c)
                    .expect("text");
                let options = [("Switch On", &*text(on)), ("Switch Off", &*text(off))];
                pen.block("Nonlinear/Relay", &options, &[("Input", a)], &format!("{state} ? 1.0 : 0.0"))
            }
            "switch" => {
                let inputs = [("Input 1", a), ("Control", b), ("Input 2", c)];
                pen.block("Routing/Switch", &[], &inputs, &format!("{} >= 0.0 ? {} : {}", b.c, a.c, c.c))
            }
            _ => {
                let delay = pen.delay(dice.real(-1.0, 1.0));
                pen.connect(&delay, a);
                delay.wire
            }
        };
        wires.push(wire);
    }
    for delay in loops {
        let from = wires.len().saturating_sub(80);
        let from = wires[dice.whole(from, wires.len() - 1)].clone();
        let limited = pen.saturate(-1.0, 1.0, &from);
        pen.connect(&delay, &limited);
    }
    let last = wires[wires.len() - 1].clone();
    let last = pen.sum("++", &[&last, &wires[0]]);
    let last = pen.saturate(-10.0, 10.0, &last);
    pen.finish(&last)
}

/// Second-order sections in a row, of delays, gains and sums.
fn sections(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let count = dice.whole(6, 80);
    let mut last = pen.lively(&mut dice);
    let first = last.clone();
    let mut coefficients = [(); 5].map(|()| Vec::new());
    for _ in 0..count {
        let factors = [0.3, dice.real(0.1, 0.5), dice.real(0.1, 0.4), dice.real(-0.5, 0.5), dice.real(0.1, 0.4)];
        coefficients.iter_mut().zip(factors).for_each(|(all, factor)| all.push(factor));
        last = section(&mut pen.draft, factors, &last);
    }
    let zeros = vec![0.0; count];
    let (one, two) = (pen.array(&zeros), pen.array(&zeros));
    let [b0, b1, b2, a1, a2] = coefficients.map(|values| pen.table(&values));
    write!(
        pen.body,
        "        double u = {};
        for (int i = 0; i < {count}; i++) {{
            const double y = {b0}[i] * u + {one}[i];
            {one}[i] = {b1}[i] * u - {a1}[i] * y + {two}[i];
            {two}[i] = {b2}[i] * u - {a2}[i] * y;
            u = y;
        }}
",
        first.c
    )
    .expect("text");
    pen.finish(&Wire { c: "u".to_owned(), ..last })
}

/// A section in direct form II transposed.
fn section(draft: &mut Draft, [b0, b1, b2, a1, a2]: [f64; 5], u: &Wire) -> Wire {
    let gain = |draft: &mut Draft, factor: f64, from: u64, output: &str| {
        let block = draft.library("Math/Gain", &[("Gain", &text(factor))]);
        draft.wire(from, output, block, "Input");
        block
    };
    let [one, two] = [(); 2].map(|()| draft.library("Discrete/Unit Delay", &[]));
    let first = gain(draft, b0, u.block, u.output);
    let y = draft.sum("++", &[first, one]);
    let (middle, back) = (gain(draft, b1, u.block, u.output), gain(draft, a1, y, "Output"));
    let next = draft.sum("+-+", &[middle, back, two]);
    draft.wire(next, "Output", one, "Input");
    let (end, back) = (gain(draft, b2, u.block, u.output), gain(draft, a2, y, "Output"));
    let next = draft.sum("+-", &[end, back]);
    draft.wire(next, "Output", two, "Input");
    Wire { block: y, output: "Output", c: String::new() }
}

/// Cells with four neighbours, drawn cell by cell: heat in a plate, with a lively signal at its border.
fn grid(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let (rows, columns, factor) = (dice.whole(4, 16), dice.whole(4, 16), dice.real(0.05, 0.2));
    let border = pen.lively(&mut dice);
    let initial: Vec<f64> = (0..rows * columns).map(|_| dice.real(0.0, 1.0)).collect();
    let draft = &mut pen.draft;
    let cells: Vec<u64> =
        initial.iter().map(|value| draft.library("Discrete/Unit Delay", &[("Initial Value", &text(*value))])).collect();
    for row in 0..rows {
        for column in 0..columns {
            let cell = cells[row * columns + column];
            let beside = |is_in: bool, row: usize, column: usize| {
                if is_in { (cells[row * columns + column], "Output") } else { (border.block, border.output) }
            };
            let around = [
                beside(row > 0, row.wrapping_sub(1), column),
                beside(row + 1 < rows, row + 1, column),
                beside(column > 0, row, column.wrapping_sub(1)),
                beside(column + 1 < columns, row, column + 1),
            ];
            let sum = draft.library("Math/Sum", &[("Signs", "++++")]);
            for (number, (block, output)) in around.into_iter().enumerate() {
                draft.wire(block, output, sum, &format!("Input {}", number + 1));
            }
            let four = draft.gain(4.0, cell);
            let difference = draft.sum("+-", &[sum, four]);
            let change = draft.gain(factor, difference);
            let next = draft.sum("++", &[cell, change]);
            draft.wire(next, "Output", cell, "Input");
        }
    }
    // In C the plate has a rim with the value of the border.
    let (wide, high) = (columns + 2, rows + 2);
    let mut plate = vec![0.0; wide * high];
    for row in 0..rows {
        for column in 0..columns {
            plate[(row + 1) * wide + column + 1] = initial[row * columns + column];
        }
    }
    let (now, next) = (pen.array(&plate), pen.array(&plate));
    let edge = &border.c;
    write!(
        pen.body,
        "        for (int j = 0; j < {wide}; j++) {{
            {now}[j] = {edge};
            {now}[{last_row} + j] = {edge};
        }}
        for (int i = 1; i <= {rows}; i++) {{
            {now}[i * {wide}] = {edge};
            {now}[i * {wide} + {columns} + 1] = {edge};
        }}
        const double corner = {now}[{corner}];
        for (int i = 1; i <= {rows}; i++) {{
            for (int j = 1; j <= {columns}; j++) {{
                const int k = i * {wide} + j;
                const double around = {now}[k - {wide}] + {now}[k + {wide}] + {now}[k - 1] + {now}[k + 1];
                {next}[k] = {now}[k] + {factor:?} * (around - 4.0 * {now}[k]);
            }}
        }}
        double *const other = {now};
        {now} = {next};
        {next} = other;
",
        last_row = wide * (high - 1),
        corner = rows * wide + columns,
    )
    .expect("text");
    // The pointers change places.
    pen.before = pen.before.replace("double *restrict", "double *");
    // An even number of steps leaves the states where the next call finds them; an odd one is put right.
    writeln!(
        pen.after,
        "    if (count % 2) {{\n        for (int k = 0; k < {0}; k++) {{\n            const double kept = {now}[k];\n            \
         {now}[k] = {next}[k];\n            {next}[k] = kept;\n        }}\n    }}",
        wide * high
    )
    .expect("text");
    let last = Wire { block: cells[rows * columns - 1], output: "Output", c: "corner".to_owned() };
    pen.finish(&last)
}

/// Masses on a ring with nonlinear springs, drawn mass by mass.
fn ring(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let count = dice.whole(8, 150);
    let drive = pen.lively(&mut dice);
    let ring = Ring::new(&mut dice, count);
    let draft = &mut pen.draft;
    let masses: Vec<[u64; 2]> = ring
        .initial
        .iter()
        .map(|x| ["0.0", &*text(*x)].map(|value| draft.library("Math/Integrate", &[("Initial Value", value)])))
        .collect();
    for at in 0..count {
        let [v, x] = masses[at];
        let (left, right) = (masses[(at + count - 1) % count][1], masses[(at + 1) % count][1]);
        let rate = ring.force(draft, [left, right, x, v], at, &drive);
        draft.wire(rate, "Output", v, "Input");
        draft.wire(v, "Output", x, "Input");
    }
    ring.write(&mut pen, &drive);
    let last = Wire { block: masses[0][1], output: "Output", c: "out".to_owned() };
    pen.finish(&last)
}

/// The same ring, each mass an instance of a model.
fn parts(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let count = dice.whole(8, 150);
    let drive = pen.lively(&mut dice);
    let ring = Ring::new(&mut dice, count);
    let mut mass = Draft::new("Mass");
    let [left, right, push] = ["left", "right", "push"].map(|name| mass.entry(name));
    let [v, x] = ["0.0", "0.25"].map(|value| mass.library("Math/Integrate", &[("Initial Value", value)]));
    let push = Wire { block: push, output: "Output", c: String::new() };
    let rate = ring.force(&mut mass, [left, right, x, v], 0, &push);
    mass.wire(rate, "Output", v, "Input");
    mass.wire(v, "Output", x, "Input");
    mass.exit(x);
    let draft = &mut pen.draft;
    let masses: Vec<u64> = (0..count).map(|_| draft.instance("Mass")).collect();
    let zero = draft.library("Var/Static", &[("Value", "0.0")]);
    for at in 0..count {
        let (left, right) = (masses[(at + count - 1) % count], masses[(at + 1) % count]);
        draft.wire(left, "y", masses[at], "left");
        draft.wire(right, "y", masses[at], "right");
        match at {
            0 => draft.wire(drive.block, drive.output, masses[at], "push"),
            _ => draft.wire(zero, "Output", masses[at], "push"),
        }
    }
    pen.inner.push(mass);
    let ring = Ring { initial: vec![0.25; count], is_pushed_all: true, ..ring };
    ring.write(&mut pen, &drive);
    let last = Wire { block: masses[0], output: "y", c: "out".to_owned() };
    pen.finish(&last)
}

struct Ring {
    initial: Vec<f64>,
    spring: f64,
    cubic: f64,
    damping: f64,
    /// Whether 0 is added to the force on the masses that are not driven.
    is_pushed_all: bool,
}

impl Ring {
    fn new(dice: &mut Dice, count: usize) -> Ring {
        let [spring, cubic, damping] = [dice.real(5.0, 50.0), dice.real(1.0, 20.0), dice.real(0.1, 1.0)];
        let initial = (0..count).map(|_| dice.real(-0.5, 0.5)).collect();
        Ring { initial, spring, cubic, damping, is_pushed_all: false }
    }

    /// The acceleration of a mass.
    fn force(&self, draft: &mut Draft, [left, right, x, v]: [u64; 4], at: usize, drive: &Wire) -> u64 {
        let twice = draft.gain(2.0, x);
        let apart = draft.sum("++-", &[left, right, twice]);
        let linear = draft.gain(self.spring, apart);
        let square = draft.product(x, x);
        let cube = draft.product(square, x);
        let (cubic, damping) = (draft.gain(self.cubic, cube), draft.gain(self.damping, v));
        let all = draft.sum("+--", &[linear, cubic, damping]);
        if at > 0 {
            return all;
        }
        let pushed = draft.library("Math/Sum", &[("Signs", "++")]);
        draft.wire(all, "Output", pushed, "Input 1");
        draft.wire(drive.block, drive.output, pushed, "Input 2");
        pushed
    }

    fn write(&self, pen: &mut Pen, drive: &Wire) {
        let count = self.initial.len();
        let (x, v) = (pen.array(&self.initial), pen.array(&vec![0.0; count]));
        let rates = pen.array(&vec![0.0; count]);
        let Ring { spring, cubic, damping, .. } = self;
        let law = |left: &str, right: &str| {
            format!(
                "{spring:?} * ({x}[{left}] + {x}[{right}] - 2.0 * {x}[i]) - {cubic:?} * ({x}[i] * {x}[i] * {x}[i]) - \
                 {damping:?} * {v}[i]"
            )
        };
        let zero = if self.is_pushed_all { " + 0.0" } else { "" };
        let last = count - 1;
        let (first_law, law_inside, last_law) = (
            law(&last.to_string(), "1").replace("[i]", "[0]"),
            law("i - 1", "i + 1"),
            law(&format!("{last} - 1"), "0"),
        );
        let last_law = last_law.replace("[i]", &format!("[{last}]"));
        write!(
            pen.body,
            "        const double out = {x}[0];
        {rates}[0] = {first_law} + {drive};
        for (int i = 1; i < {last}; i++) {{
            {rates}[i] = {law_inside}{zero};
        }}
        {rates}[{last}] = {last_law}{zero};
        for (int i = 0; i < {count}; i++) {{
            {x}[i] += h * {v}[i];
            {v}[i] += h * {rates}[i];
        }}
",
            drive = drive.c,
        )
        .expect("text");
    }
}

/// Controllers with sample times of their own, each with its plant, and filters that are enabled at times.
fn rates(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let reference = pen.lively(&mut dice);
    let slow = {
        let half = dice.whole(20, 200);
        let options = [("Period", &*text(2.0 * half as f64 * H))];
        pen.block("Var/Pulse", &options, &[], &format!("(step / {half}) % 2 ? 0.0 : 1.0"))
    };
    let mut ends = Vec::new();
    for number in 0..dice.whole(3, 24) {
        let (period, kp, ki) = (*dice.pick(&[1usize, 2, 5, 10, 20]), dice.real(0.5, 5.0), dice.real(0.01, 0.1));
        let (lag, limit) = (dice.real(0.5, 20.0), dice.real(0.5, 3.0));
        let time = text(period as f64 * H);
        let draft = &mut pen.draft;
        let plant = draft.library("Math/Integrate", &[]);
        let error = draft.library("Math/Sum", &[("Signs", "+-")]);
        draft.wire(reference.block, reference.output, error, "Input 1");
        draft.wire(plant, "Output", error, "Input 2");
        let sampled = draft.library("Discrete/Zero-Order Hold", &[("Sample Time", &time)]);
        draft.wire(error, "Output", sampled, "Input");
        let options = [("Sample Time", &*time), ("Accumulate", "true"), ("Gain", &*text(ki))];
        let integral = draft.library("Discrete/Discrete-Time Integrator", &options);
        draft.wire(sampled, "Output", integral, "Input");
        let proportional = draft.gain(kp, sampled);
        let wanted = draft.sum("++", &[proportional, integral]);
        let options = [("Lower Limit", &*text(-limit)), ("Upper Limit", &*text(limit))];
        let control = draft.library("Nonlinear/Saturate", &options);
        draft.wire(wanted, "Output", control, "Input");
        let difference = draft.sum("+-", &[control, plant]);
        let rate = draft.gain(lag, difference);
        draft.wire(rate, "Output", plant, "Input");
        let [x, u, sum] = [(); 3].map(|()| pen.state("double", 0.0));
        write!(
            pen.body,
            "        const double y{number} = {x};
        if (step % {period} == 0) {{
            const double e = {r} - {x};
            u{number} = clamp({kp:?} * e + {sum}, {low:?}, {limit:?});
            {sum} = {sum} + {ki:?} * e;
        }}
        {x} += h * ({lag:?} * (u{number} - {x}));
",
            r = reference.c,
            low = -limit,
        )
        .expect("text");
        // The held control is a state, too.
        for part in [&mut pen.body, &mut pen.before, &mut pen.after] {
            *part = part
                .replace(&format!("u{number} "), &format!("{u} "))
                .replace(&format!("(u{number}"), &format!("({u}"));
        }
        let mut end = Wire { block: plant, output: "Output", c: format!("y{number}") };
        if number % 2 == 0 {
            end = filter(&mut pen, &mut dice, number, &end, &slow);
        }
        ends.push(end);
    }
    let signs = "+".repeat(ends.len());
    let last = pen.sum(&signs, &ends.iter().collect::<Vec<_>>());
    pen.finish(&last)
}

/// A chain of lags in an enabled model, whose exit holds its value.
fn filter(pen: &mut Pen, dice: &mut Dice, number: usize, from: &Wire, on: &Wire) -> Wire {
    let name = format!("Filter {number}");
    let mut part = Draft::new(&name);
    let (mut last, _) = (part.entry("u"), part.enable("on"));
    let held = pen.state("double", 0.0);
    let mut body = format!("        if ({} > 0.0) {{\n            double w = {};\n", on.c, from.c);
    for _ in 0..dice.whole(2, 12) {
        let factor = dice.real(0.01, 0.9);
        let delay = part.library("Discrete/Unit Delay", &[]);
        let difference = part.sum("+-", &[last, delay]);
        let change = part.gain(factor, difference);
        let next = part.sum("++", &[delay, change]);
        part.wire(next, "Output", delay, "Input");
        last = next;
        let x = pen.state("double", 0.0);
        writeln!(body, "            {x} = {x} + {factor:?} * (w - {x});\n            w = {x};").expect("text");
    }
    part.exit(last);
    writeln!(body, "            {held} = w;\n        }}").expect("text");
    pen.body += &body;
    pen.inner.push(part);
    let block = pen.draft.instance(&name);
    pen.draft.wire(from.block, from.output, block, "u");
    pen.draft.wire(on.block, on.output, block, "on");
    Wire { block, output: "y", c: held }
}

/// Vectors, matrix gains and saturations in a loop.
fn matrix(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let width = dice.whole(4, 64);
    let drive = pen.lively(&mut dice);
    let numbers =
        |dice: &mut Dice, count: usize, most: f64| -> Vec<f64> { (0..count).map(|_| dice.real(-most, most)).collect() };
    let initial = numbers(&mut dice, width, 1.0);
    let x = pen.draft.vector("Discrete/Unit Delay", "Initial Value", initial.iter().copied());
    let x_c = pen.array(&initial);
    let (mut last, mut last_c) = (x, x_c.clone());
    let layers = dice.whole(1, 3);
    for layer in 0..layers {
        let entries = numbers(&mut dice, width * width, 1.5 / (width as f64).sqrt());
        let gain = pen.draft.vector("Matrix/Matrix Gain", "Gain", entries.iter().copied());
        pen.draft.wire(last, "Output", gain, "Input");
        let bias = numbers(&mut dice, width, 0.3);
        let bias_block = pen.draft.vector("Var/Static", "Value", bias.iter().copied());
        let sum = pen.draft.library("Math/Sum", &[("Signs", "+++")]);
        pen.draft.wire(gain, "Output", sum, "Input 1");
        pen.draft.wire(bias_block, "Output", sum, "Input 2");
        pen.draft.wire(drive.block, drive.output, sum, "Input 3");
        let limited = pen.draft.library("Nonlinear/Saturate", &[("Lower Limit", "-1"), ("Upper Limit", "1")]);
        pen.draft.wire(sum, "Output", limited, "Input");
        let (k, b) = (pen.table(&entries), pen.table(&bias));
        write!(
            pen.body,
            "        double w{layer}[{width}];
        for (int i = 0; i < {width}; i++) {{
            double sum = {k}[i * {width}] * {last_c}[0];
            for (int j = 1; j < {width}; j++) {{
                sum += {k}[i * {width} + j] * {last_c}[j];
            }}
            w{layer}[i] = clamp(sum + {b}[i] + {drive}, -1.0, 1.0);
        }}
",
            drive = drive.c,
        )
        .expect("text");
        (last, last_c) = (limited, format!("w{layer}"));
    }
    pen.draft.wire(last, "Output", x, "Input");
    let first = pen.draft.library("Routing/Selector", &[("Indices", "1")]);
    pen.draft.wire(last, "Output", first, "Input");
    writeln!(
        pen.commits,
        "        for (int i = 0; i < {width}; i++) {{\n            {x_c}[i] = {last_c}[i];\n        }}"
    )
    .expect("text");
    pen.finish(&Wire { block: first, output: "Output", c: format!("{last_c}[0]") })
}

/// Look-up tables, gains, saturations and delays.
fn tables(seed: u64) -> Sketch {
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    pen.head = "static double look_up(const double *x, const double *y, int last, double u)
{
    u = clamp(u, x[0], x[last]);
    int low = 0;
    int high = last;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u >= x[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return y[low] + (u - x[low]) / (x[low + 1] - x[low]) * (y[low + 1] - y[low]);
}
"
    .to_owned();
    let mut wires: Vec<Wire> = (0..3).map(|_| pen.lively(&mut dice)).collect();
    for _ in 0..dice.whole(4, 50) {
        let knots = dice.whole(4, 32);
        let mut at = -1.0;
        let points: Vec<f64> = (0..knots)
            .map(|_| {
                at = ((at + dice.real(0.01, 4.0 / knots as f64)) * 1e3_f64).round() / 1e3;
                at
            })
            .collect();
        let values: Vec<f64> = (0..knots).map(|_| dice.real(-1.0, 1.0)).collect();
        let (x, y) = (pen.table(&points), pen.table(&values));
        let from = wires[dice.whole(wires.len().saturating_sub(12), wires.len() - 1)].clone();
        let options = [("Breakpoints", list(&points)), ("Table", list(&values))];
        let options = options.each_ref().map(|(name, value)| (*name, value.as_str()));
        let expression = format!("look_up({x}, {y}, {}, {})", knots - 1, from.c);
        let looked = pen.block("Lookup/1-D Lookup Table", &options, &[("Input", &from)], &expression);
        let scaled = pen.gain(dice.real(0.3, 1.5), &looked);
        let delay = pen.delay(dice.real(-1.0, 1.0));
        let sum = pen.sum("++", &[&scaled, &delay.wire]);
        let limited = pen.saturate(dice.real(-1.5, -0.5), dice.real(0.5, 1.5), &sum);
        let other = wires[dice.whole(0, wires.len() - 1)].clone();
        pen.connect(&delay, &other);
        wires.push(limited);
    }
    let signs = "+".repeat(wires.len() - 3);
    let last = pen.sum(&signs, &wires[3..].iter().collect::<Vec<_>>());
    pen.finish(&last)
}

/// State machines of gates, comparisons and delayed truth values.
fn logic(seed: u64) -> Sketch {
    const GATES: [(&str, &str, &str); 6] = [
        ("AND", "", "&"),
        ("OR", "", "|"),
        ("NAND", "!", "&"),
        ("NOR", "!", "|"),
        ("XOR", "", "^"),
        ("NXOR", "!", "^"),
    ];
    let (mut dice, mut pen) = (Dice(seed), Pen::new());
    let lively: Vec<Wire> = (0..4).map(|_| pen.lively(&mut dice)).collect();
    let mut wires = Vec::new();
    for _ in 0..dice.whole(3, 8) {
        let (from, limit) = (dice.pick(&lively).clone(), text(dice.real(0.1, 0.9)));
        let options = [("Operator", ">"), ("Constant", &*limit)];
        let expression = format!("{} > {limit}", from.c);
        wires.push(pen.truth("Logic/Compare To Constant", &options, &[("Input", &from)], &expression));
    }
    let flags: Vec<Pending> = (0..dice.whole(4, 24)).map(|_| pen.flag()).collect();
    wires.extend(flags.iter().map(|flag| flag.wire.clone()));
    for _ in 0..dice.whole(20, 200) {
        let recent = wires.len().saturating_sub(40);
        let [a, b] = [(); 2].map(|()| wires[dice.whole(recent, wires.len() - 1)].clone());
        let (name, not, sign) = *dice.pick(&GATES);
        let inputs = [("Input 1", &a), ("Input 2", &b)];
        wires.push(pen.truth("Logic/Gate", &[("Operator", name)], &inputs, &format!("{not}({} {sign} {})", a.c, b.c)));
    }
    for flag in flags {
        let recent = wires.len().saturating_sub(60);
        let from = wires[dice.whole(recent, wires.len() - 1)].clone();
        pen.connect(&flag, &from);
    }
    let ends: Vec<Wire> = (0..6).map(|_| wires[dice.whole(wires.len() / 2, wires.len() - 1)].clone()).collect();
    let sum = pen.sum("++++++", &ends.iter().collect::<Vec<_>>());
    let last = pen.sum("++", &[&sum, &lively[0]]);
    pen.finish(&last)
}
