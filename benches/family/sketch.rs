//! Writes a model and its C function side by side.

use std::fmt::Write;

use simulate::model::Simulation;

use super::models::seven::{Draft, H, simulation};

/// A model, the same as a C file, and the initial values of the states of the C function.
pub struct Sketch {
    pub simulation: Simulation,
    pub c: String,
    pub states: Vec<f64>,
}

/// Numbers that follow from a seed (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    /// A number with three decimals.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        let part = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        ((low + part * (high - low)) * 1e3).round() / 1e3
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.whole(0, from.len() - 1)]
    }
}

/// A signal: the block and output in the model, and the expression in C.
#[derive(Clone, Debug)]
pub struct Wire {
    pub block: u64,
    pub output: &'static str,
    pub c: String,
}

/// A delay whose input is connected later.
pub struct Pending {
    pub wire: Wire,
    block: u64,
}

/// Writes unlike blocks one by one; in C they are locals.
pub struct Pen {
    pub draft: Draft,
    pub inner: Vec<Draft>,
    /// Declarations in front of the functions.
    pub head: String,
    /// Statements before the loop, in it, at the end of each step, and after the loop.
    pub before: String,
    pub body: String,
    pub commits: String,
    pub after: String,
    pub states: Vec<f64>,
    next: usize,
}

pub fn text(value: f64) -> String {
    format!("{value:?}")
}

pub fn list(values: &[f64]) -> String {
    values.iter().map(|value| text(*value)).collect::<Vec<_>>().join(", ")
}

impl Pen {
    pub fn new() -> Pen {
        let none = String::new;
        Pen {
            draft: Draft::new("Main"),
            inner: Vec::new(),
            head: none(),
            before: none(),
            body: none(),
            commits: none(),
            after: none(),
            states: Vec::new(),
            next: 0,
        }
    }

    fn name(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    /// A block with inputs, and the C expression of its output.
    pub fn block(&mut self, name: &str, options: &[(&str, &str)], inputs: &[(&str, &Wire)], expression: &str) -> Wire {
        let block = self.draft.library(name, options);
        for (input, wire) in inputs {
            self.draft.wire(wire.block, wire.output, block, input);
        }
        self.local("double", Wire { block, output: "Output", c: expression.to_owned() })
    }

    /// The same, with a truth value.
    pub fn truth(&mut self, name: &str, options: &[(&str, &str)], inputs: &[(&str, &Wire)], expression: &str) -> Wire {
        let block = self.draft.library(name, options);
        for (input, wire) in inputs {
            self.draft.wire(wire.block, wire.output, block, input);
        }
        self.local("int", Wire { block, output: "Output", c: expression.to_owned() })
    }

    fn local(&mut self, kind: &str, wire: Wire) -> Wire {
        let name = self.name("v");
        writeln!(self.body, "        const {kind} {name} = {};", wire.c).expect("text");
        Wire { c: name, ..wire }
    }

    /// A state of C in a local variable; returns its name.
    pub fn state(&mut self, kind: &str, initial: f64) -> String {
        let (name, at) = (self.name("x"), self.states.len());
        writeln!(self.before, "    {kind} {name} = ({kind})s[{at}];").expect("text");
        writeln!(self.after, "    s[{at}] = {name};").expect("text");
        self.states.push(initial);
        name
    }

    /// States of C in an array of `s`; returns its name.
    pub fn array(&mut self, initial: &[f64]) -> String {
        let (name, at) = (self.name("a"), self.states.len());
        writeln!(self.before, "    double *restrict {name} = s + {at};").expect("text");
        self.states.extend_from_slice(initial);
        name
    }

    /// A table of constants; returns its name.
    pub fn table(&mut self, values: &[f64]) -> String {
        let name = self.name("t");
        writeln!(self.head, "static const double {name}[{}] = {{{}}};", values.len(), list(values)).expect("text");
        name
    }

    pub fn constant(&mut self, value: f64) -> Wire {
        let block = self.draft.library("Var/Static", &[("Value", &text(value))]);
        Wire { block, output: "Output", c: text(value) }
    }

    pub fn gain(&mut self, gain: f64, from: &Wire) -> Wire {
        self.block("Math/Gain", &[("Gain", &text(gain))], &[("Input", from)], &format!("{} * {}", text(gain), from.c))
    }

    /// The sum of signals; the first has a plus.
    pub fn sum(&mut self, signs: &str, from: &[&Wire]) -> Wire {
        let mut expression = from[0].c.clone();
        for (sign, wire) in signs.chars().zip(from).skip(1) {
            write!(expression, " {sign} {}", wire.c).expect("text");
        }
        let names: Vec<String> = (1..=from.len()).map(|number| format!("Input {number}")).collect();
        let inputs: Vec<(&str, &Wire)> = names.iter().map(String::as_str).zip(from.iter().copied()).collect();
        self.block("Math/Sum", &[("Signs", signs)], &inputs, &expression)
    }

    pub fn product(&mut self, a: &Wire, b: &Wire) -> Wire {
        let inputs = [("Multiplicand 1", a), ("Multiplicand 2", b)];
        let made = self.block("Math/Multiply", &[], &inputs, &format!("{} * {}", a.c, b.c));
        Wire { output: "Product", ..made }
    }

    pub fn saturate(&mut self, low: f64, high: f64, from: &Wire) -> Wire {
        let options = [("Lower Limit", &*text(low)), ("Upper Limit", &*text(high))];
        let expression = format!("clamp({}, {}, {})", from.c, text(low), text(high));
        self.block("Nonlinear/Saturate", &options, &[("Input", from)], &expression)
    }

    pub fn delay(&mut self, initial: f64) -> Pending {
        let c = self.state("double", initial);
        let block = self.draft.library("Discrete/Unit Delay", &[("Initial Value", &text(initial))]);
        Pending { wire: Wire { block, output: "Output", c }, block }
    }

    /// The same for a truth value.
    pub fn flag(&mut self) -> Pending {
        let c = self.state("int", 0.0);
        let block = self.draft.library("Discrete/Unit Delay", &[]);
        Pending { wire: Wire { block, output: "Output", c }, block }
    }

    pub fn connect(&mut self, delay: &Pending, from: &Wire) {
        self.draft.wire(from.block, from.output, delay.block, "Input");
        let next = self.name("n");
        writeln!(self.body, "        const double {next} = {};", from.c).expect("text");
        writeln!(self.commits, "        {} = {next};", delay.wire.c).expect("text");
    }

    /// A chaotic signal from 0 to 1 (the logistic map), so that no model comes to rest.
    pub fn lively(&mut self, dice: &mut Dice) -> Wire {
        let x = self.delay(dice.real(0.1, 0.9));
        let one = self.constant(1.0);
        let rest = self.sum("+-", &[&one, &x.wire]);
        let product = self.product(&x.wire, &rest);
        let next = self.gain(3.99, &product);
        self.connect(&x, &next);
        next
    }

    /// Ends the model with an exit, whose values are also summed up, so that all of them are needed.
    pub fn finish(mut self, last: &Wire) -> Sketch {
        let sum = self.delay(0.0);
        let next = self.sum("++", &[&sum.wire, last]);
        self.connect(&sum, &next);
        self.draft.exit_of(last.block, last.output);
        let Pen { draft, inner, head, before, body, commits, after, states, .. } = self;
        let c = format!(
            "static inline double clamp(double u, double low, double high)\n{{\n    \
             const double raised = u < low ? low : u;\n    return high < raised ? high : raised;\n}}\n{head}\n\
             static inline __attribute__((always_inline)) void steps(double *restrict s, long first, long count, \
             double *restrict log)\n{{\n    const double h = {H:?};\n    (void)h;\n{before}    \
             for (long step = first; step < first + count; step++) {{\n        \
             (void)step;\n{body}        if (log) {{\n            log[step - first] = {last};\n        }}\n{commits}    }}\n{after}}}\n\n\
             void run(double *s, long first, long count)\n{{\n    steps(s, first, count, 0);\n}}\n\n\
             void run_logged(double *s, long first, long count, double *log)\n{{\n    \
             steps(s, first, count, log);\n}}\n",
            last = last.c,
        );
        Sketch { simulation: simulation("euler", draft, inner), c, states }
    }
}
