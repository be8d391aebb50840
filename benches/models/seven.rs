//! The seven models of the engine's benchmark, as simulations. The same arithmetic by hand stands in `hand.rs`.

use simulate::model::{Block, BlockId, BlockKind, Connection, Model, Simulation};

pub const H: f64 = 1e-3;

/// A benchmark: its name, its model, and whether its exit is noted in every step.
pub struct Bench {
    pub name: &'static str,
    pub simulation: Simulation,
    pub is_noted: bool,
}

pub fn all() -> Vec<Bench> {
    let bench = |name, simulation, is_noted| Bench { name, simulation, is_noted };
    vec![
        bench("1 pid", pid(), true),
        bench("2 lorenz", lorenz(), true),
        bench("3 chain", chain(1000), true),
        bench("4 wide", wide(1000), true),
        bench("5 nested", nested(100), true),
        bench("6 vector", vector(1000), false),
        bench("7 fir", fir(), true),
    ]
}

/// Writes a model, block by block.
pub struct Draft {
    model: Model,
    next: u64,
}

impl Draft {
    pub fn new(name: &str) -> Draft {
        Draft { model: Model::new(name), next: 0 }
    }

    fn add(&mut self, kind: BlockKind, options: &[(&str, &str)]) -> u64 {
        let block = Block::new(BlockId(self.next.into()), kind);
        let block = options.iter().fold(block, |block, (name, value)| block.with_option(name, &[value]));
        assert!(self.model.add_block(block), "the id is free");
        self.next += 1;
        self.next - 1
    }

    pub fn library(&mut self, name: &str, options: &[(&str, &str)]) -> u64 {
        let (group, name) = name.split_once('/').expect("a group and a name");
        self.add(BlockKind::library(group, name), options)
    }

    /// A block with a parameter of many values.
    pub fn vector(&mut self, name: &str, param: &str, values: impl Iterator<Item = f64>) -> u64 {
        let (group, name) = name.split_once('/').expect("a group and a name");
        let values: Vec<String> = values.map(|value| value.to_string()).collect();
        let block = Block::new(BlockId(self.next.into()), BlockKind::library(group, name)).with_option(param, &values);
        assert!(self.model.add_block(block), "the id is free");
        self.next += 1;
        self.next - 1
    }

    pub fn gain(&mut self, gain: f64, from: u64) -> u64 {
        let block = self.library("Math/Gain", &[("Gain", &gain.to_string())]);
        self.wire(from, "Output", block, "Input");
        block
    }

    pub fn sum(&mut self, signs: &str, from: &[u64]) -> u64 {
        let block = self.library("Math/Sum", &[("Signs", signs)]);
        for (input, &from) in from.iter().enumerate() {
            self.wire(from, "Output", block, &format!("Input {}", input + 1));
        }
        block
    }

    fn integrate(&mut self, initial: f64) -> u64 {
        self.library("Math/Integrate", &[("Initial Value", &initial.to_string())])
    }

    fn square(&mut self) -> u64 {
        self.library("Var/Pulse", &[("Period", "10")])
    }

    pub fn product(&mut self, a: u64, b: u64) -> u64 {
        let block = self.library("Math/Multiply", &[]);
        self.wire(a, "Output", block, "Multiplicand 1");
        self.wire(b, "Output", block, "Multiplicand 2");
        block
    }

    pub fn exit(&mut self, from: u64) {
        self.exit_of(from, "Output");
    }

    pub fn exit_of(&mut self, from: u64, output: &str) {
        let exit = self.add(BlockKind::exit("y"), &[]);
        self.wire(from, output, exit, "Input");
    }

    pub fn entry(&mut self, name: &str) -> u64 {
        self.add(BlockKind::entry(name), &[])
    }

    /// An entry that enables the model.
    pub fn enable(&mut self, name: &str) -> u64 {
        let mut block = Block::new(BlockId(self.next.into()), BlockKind::entry(name));
        block.attributes.set("role", "enable");
        assert!(self.model.add_block(block), "the id is free");
        self.next += 1;
        self.next - 1
    }

    /// An instance of a model.
    pub fn instance(&mut self, model: &str) -> u64 {
        self.add(BlockKind::model(model), &[])
    }

    pub fn wire(&mut self, from: u64, output: &str, to: u64, input: &str) {
        // Products are not called outputs.
        let is_product = matches!(&self.model.block(BlockId(from.into())).expect("the block").kind,
            BlockKind::Library { name, .. } if &**name == "Multiply");
        let output = if is_product && output == "Output" { "Product" } else { output };
        self.model.connect(Connection::new(BlockId(from.into()), output, BlockId(to.into()), input));
    }
}

pub fn simulation(solver: &str, main: Draft, inner: Vec<Draft>) -> Simulation {
    let mut simulation = Simulation::new("Main");
    simulation.delta = H;
    simulation.attributes.set("solver", solver);
    for draft in inner {
        simulation.add_model(draft.model);
    }
    if let Some(model) = simulation.model_mut("Main") {
        let seq = model.seq;
        *model = main.model;
        model.seq = seq;
    }
    simulation
}

fn pid() -> Simulation {
    let mut d = Draft::new("Main");
    let (wave, x, v) = (d.square(), d.integrate(0.0), d.integrate(0.0));
    let e = d.sum("+-", &[wave, x]);
    let (p, i) = (d.gain(8.0, e), d.gain(3.0, e));
    let integral = d.integrate(0.0);
    d.wire(i, "Output", integral, "Input");
    let filter = d.integrate(0.0);
    let twice = d.gain(2.0, e);
    let difference = d.sum("+-", &[twice, filter]);
    let n = d.gain(100.0, difference);
    d.wire(n, "Output", filter, "Input");
    let u = d.sum("+++", &[p, integral, n]);
    let (damping, spring) = (d.gain(1.2, v), d.gain(4.0, x));
    let a = d.sum("+--", &[u, damping, spring]);
    d.wire(a, "Output", v, "Input");
    d.wire(v, "Output", x, "Input");
    d.exit(x);
    simulation("euler", d, Vec::new())
}

fn lorenz() -> Simulation {
    let mut d = Draft::new("Main");
    let [x, y, z] = [(); 3].map(|()| d.integrate(1.0));
    let apart = d.sum("+-", &[y, x]);
    let dx = d.gain(10.0, apart);
    let rho = d.library("Var/Static", &[("Value", "28")]);
    let height = d.sum("+-", &[rho, z]);
    let lift = d.product(x, height);
    let dy = d.sum("+-", &[lift, y]);
    let area = d.product(x, y);
    let fall = d.gain(8.0 / 3.0, z);
    let dz = d.sum("+-", &[area, fall]);
    for (rate, state) in [(dx, x), (dy, y), (dz, z)] {
        d.wire(rate, "Output", state, "Input");
    }
    d.exit(x);
    simulation("rk4", d, Vec::new())
}

/// The gain of a chain's link.
pub fn link(i: usize) -> f64 {
    let i = i as f64;
    if i % 2.0 == 0.0 { 1.0 + 1.0 / (i + 2.0) } else { 1.0 / (1.0 + 1.0 / (i + 1.0)) }
}

pub fn chain(length: usize) -> Simulation {
    let mut d = Draft::new("Main");
    let mut last = d.library("Var/Clock", &[]);
    for i in 0..length {
        last = d.gain(link(i), last);
    }
    d.exit(last);
    simulation("euler", d, Vec::new())
}

pub fn wide(branches: usize) -> Simulation {
    let mut d = Draft::new("Main");
    let ends: Vec<u64> = (0..branches)
        .map(|i| {
            let frequency = (0.5 + 0.01 * i as f64).to_string();
            let sine = d.library("Var/Sine", &[("Frequency", &frequency)]);
            let gain = d.gain(1.0 + 0.001 * i as f64, sine);
            let integral = d.integrate(0.0);
            d.wire(gain, "Output", integral, "Input");
            integral
        })
        .collect();
    let sum = d.sum(&"+".repeat(branches), &ends);
    d.exit(sum);
    simulation("euler", d, Vec::new())
}

/// A chain of `length` gains and integrators in a model; where `on` is given, the model is enabled by it.
pub fn enabled(length: usize, on: Option<f64>) -> Simulation {
    let mut part = Draft::new("Part");
    let u = part.add(BlockKind::entry("u"), &[]);
    part.add(BlockKind::entry("on"), &[]);
    let mut last = u;
    for link in 0..length {
        let x = part.integrate(0.0);
        let gain = part.gain(1.0 + 0.001 * link as f64, last);
        part.wire(gain, "Output", x, "Input");
        last = x;
    }
    part.exit(last);
    let mut d = Draft::new("Main");
    let wave = d.square();
    let decide = d.library("Var/Static", &[("Value", &on.unwrap_or(0.0).to_string())]);
    let model = d.add(BlockKind::model("Part"), &[]);
    d.wire(wave, "Output", model, "u");
    d.wire(decide, "Output", model, "on");
    let gain = d.library("Math/Gain", &[]);
    d.wire(model, "y", gain, "Input");
    d.exit(gain);
    let mut simulation = simulation("euler", d, vec![part]);
    if on.is_some() {
        let part = simulation.model_mut("Part").expect("the model");
        let entry = part.entries().find(|(_, name)| &***name == "on").map(|(block, _)| block.id);
        let entry = part.block_mut(entry.expect("the entry")).expect("the block");
        entry.attributes.set("role", "enable");
    }
    simulation
}

pub fn nested(uses: usize) -> Simulation {
    let mut leaf = Draft::new("Leaf");
    let u = leaf.add(BlockKind::entry("u"), &[]);
    let x = leaf.integrate(0.0);
    let (twice, thrice) = (leaf.gain(2.0, u), leaf.gain(3.0, x));
    let rate = leaf.sum("+-", &[twice, thrice]);
    leaf.wire(rate, "Output", x, "Input");
    leaf.exit(x);
    let mut b = Draft::new("B");
    let u = b.add(BlockKind::entry("u"), &[]);
    let [first, second] = [(); 2].map(|()| b.add(BlockKind::model("Leaf"), &[]));
    b.wire(u, "Output", first, "u");
    b.wire(first, "y", second, "u");
    let gain = b.library("Math/Gain", &[("Gain", "1.5")]);
    b.wire(second, "y", gain, "Input");
    b.exit(gain);
    let mut a = Draft::new("A");
    let u = a.add(BlockKind::entry("u"), &[]);
    let sides = [(); 2].map(|()| a.add(BlockKind::model("B"), &[]));
    let sum = a.library("Math/Sum", &[]);
    for (input, side) in sides.into_iter().enumerate() {
        a.wire(u, "Output", side, "u");
        a.wire(side, "y", sum, &format!("Input {}", input + 1));
    }
    a.exit(sum);
    let mut d = Draft::new("Main");
    let wave = d.square();
    let parts: Vec<u64> = (0..uses)
        .map(|i| {
            let gain = d.gain(0.5 + 0.01 * i as f64, wave);
            let part = d.add(BlockKind::model("A"), &[]);
            d.wire(gain, "Output", part, "u");
            part
        })
        .collect();
    let sum = d.library("Math/Sum", &[("Signs", &"+".repeat(uses))]);
    for (input, part) in parts.into_iter().enumerate() {
        d.wire(part, "y", sum, &format!("Input {}", input + 1));
    }
    d.exit(sum);
    simulation("euler", d, vec![leaf, b, a])
}

fn vector(width: usize) -> Simulation {
    let mut d = Draft::new("Main");
    let values: Vec<String> = (0..width).map(|i| (1.0 + 0.001 * i as f64).to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let c = Block::new(BlockId(0), BlockKind::library("Var", "Static")).with_option("Value", &values);
    assert!(d.model.add_block(c), "the id is free");
    d.next = 1;
    let x = d.integrate(0.0);
    let half = d.gain(0.5, x);
    let difference = d.sum("+-", &[0, half]);
    let rate = d.gain(2.0, difference);
    d.wire(rate, "Output", x, "Input");
    d.exit(x);
    simulation("euler", d, Vec::new())
}

/// The weight of a tap.
pub fn tap(i: usize) -> f64 {
    (if i.is_multiple_of(2) { 1.0 } else { -0.5 }) / (i as f64 + 1.0)
}

fn fir() -> Simulation {
    let mut d = Draft::new("Main");
    let mut last = d.library("Var/Sine", &[("Frequency", "20")]);
    let mut taps = vec![d.gain(tap(0), last)];
    for i in 1..64 {
        let delay = d.library("Discrete/Unit Delay", &[]);
        d.wire(last, "Output", delay, "Input");
        taps.push(d.gain(tap(i), delay));
        last = delay;
    }
    let sum = d.sum(&"+".repeat(64), &taps);
    d.exit(sum);
    simulation("euler", d, Vec::new())
}
