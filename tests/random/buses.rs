//! Random buses equal vectors by index: the same model is drawn with Bus Creators, Selectors and Assignments, and with
//! Mux, Selector and Assignment, and gives the same bits.

use crate::sketch::{Run, Sketch};

/// Random numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % count as u64) as usize
    }
}

/// A model that is drawn twice: with names, and with a Mux and indices.
struct Pair {
    named: Sketch,
    indexed: Sketch,
    next: u64,
}

/// A part of the bus: its name, the index where it starts and its width.
type Part = (String, usize, usize);

impl Pair {
    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn both(&mut self, mut change: impl FnMut(Sketch) -> Sketch) {
        for sketch in [&mut self.named, &mut self.indexed] {
            *sketch = change(std::mem::replace(sketch, Sketch::new(1.0)));
        }
    }

    fn named(&mut self, change: impl FnOnce(Sketch) -> Sketch) {
        self.named = change(std::mem::replace(&mut self.named, Sketch::new(1.0)));
    }

    fn indexed(&mut self, change: impl FnOnce(Sketch) -> Sketch) {
        self.indexed = change(std::mem::replace(&mut self.indexed, Sketch::new(1.0)));
    }

    /// Adds a source of so many elements; returns its output.
    fn source(&mut self, draw: &mut Draw, width: usize) -> String {
        let id = self.id();
        let number = |draw: &mut Draw| (draw.below(2000) as f64 / 7.0 - 100.0).to_string();
        let (first, rest): (String, Vec<String>) = (number(draw), (1..width).map(|_| number(draw)).collect());
        let values: Vec<&str> = std::iter::once(first.as_str()).chain(rest.iter().map(String::as_str)).collect();
        match width {
            1 => self.both(|sketch| sketch.block(id, "Var/Sine", &[("Amplitude", &[first.as_str()])])),
            _ => self.both(|sketch| sketch.block(id, "Var/Static", &[("Value", &values)])),
        }
        format!("{id}.Output")
    }

    /// Adds a bus with everything that feeds it. Returns its outputs with names and without, its parts, and its width.
    fn bus(&mut self, draw: &mut Draw, depth: usize) -> (String, String, Vec<Part>, usize) {
        let count = 1 + draw.below(4);
        let names: Vec<String> = (0..count).map(|number| format!("e{number}")).collect();
        let (mut parts, mut width, mut wires) = (Vec::new(), 0, Vec::new());
        for name in &names {
            let (named, indexed, inner, inner_width) = match draw.below(3) {
                0 if depth > 0 => self.bus(draw, depth - 1),
                kind => {
                    let width = if kind == 1 { 1 } else { 2 + draw.below(2) };
                    let output = self.source(draw, width);
                    (output.clone(), output, Vec::new(), width)
                }
            };
            parts.push((name.clone(), width, inner_width));
            parts.extend(inner.into_iter().map(|(path, start, of)| (format!("{name}.{path}"), width + start, of)));
            width += inner_width;
            wires.push((named, indexed));
        }
        let id = self.id();
        self.named(|mut sketch| {
            sketch = sketch.block(id, "Routing/Bus Creator", &[("Names", &[names.join(" ").as_str()])]);
            names
                .iter()
                .zip(&wires)
                .fold(sketch, |sketch, (name, (from, _))| sketch.wire(from, &format!("{id}.{name}")))
        });
        self.indexed(|mut sketch| {
            sketch = sketch.block(id, "Routing/Mux", &[("Inputs", &[count.to_string().as_str()])]);
            (1..)
                .zip(&wires)
                .fold(sketch, |sketch, (number, (_, from))| sketch.wire(from, &format!("{id}.Input {number}")))
        });
        (format!("{id}.Bus"), format!("{id}.Output"), parts, width)
    }

    /// Adds a block that passes the bus on.
    fn passed(&mut self, draw: &mut Draw, (named, indexed): (String, String)) -> (String, String) {
        const PASSING: [&str; 4] =
            ["Discrete/Unit Delay", "Discrete/Memory", "Discrete/Zero-Order Hold", "model Passing"];
        let (id, what) = (self.id(), PASSING[draw.below(PASSING.len())]);
        let (input, output) = if what.starts_with("model") { ("u", "y") } else { ("Input", "Output") };
        self.both(|sketch| sketch.block(id, what, &[]));
        self.named(|sketch| sketch.wire(&named, &format!("{id}.{input}")));
        self.indexed(|sketch| sketch.wire(&indexed, &format!("{id}.{input}")));
        (format!("{id}.{output}"), format!("{id}.{output}"))
    }

    /// Adds a block that replaces a part, by a signal of its width or a scalar.
    fn assigned(&mut self, draw: &mut Draw, (named, indexed): (String, String), part: &Part) -> (String, String) {
        let (path, start, width) = part;
        let wide = if draw.below(2) == 0 { 1 } else { *width };
        let (new, id) = (self.source(draw, wide), self.id());
        let indices: Vec<String> = (start + 1..=start + width).map(|index| index.to_string()).collect();
        let indices: Vec<&str> = indices.iter().map(String::as_str).collect();
        self.named(|sketch| {
            let sketch = sketch.block(id, "Routing/Bus Assignment", &[("Elements", &[path])]);
            sketch.wire(&named, &format!("{id}.Input Bus")).wire(&new, &format!("{id}.{path}"))
        });
        self.indexed(|sketch| {
            let sketch = sketch.block(id, "Math/Assignment", &[("Indices", &indices)]);
            sketch.wire(&indexed, &format!("{id}.Vector")).wire(&new, &format!("{id}.Elements"))
        });
        (format!("{id}.Bus"), format!("{id}.Output"))
    }

    /// Adds a selector of each part, with an exit.
    fn selected(&mut self, (named, indexed): &(String, String), (path, start, width): &Part) {
        let (id, exit) = (self.id(), self.id());
        let indices: Vec<String> = (start + 1..=start + width).map(|index| index.to_string()).collect();
        let indices: Vec<&str> = indices.iter().map(String::as_str).collect();
        self.both(|sketch| sketch.block(exit, &format!("exit {path}"), &[]));
        self.named(|sketch| {
            let sketch = sketch.block(id, "Routing/Bus Selector", &[("Elements", &[path])]);
            sketch.wire(named, &format!("{id}.Bus")).wire(&format!("{id}.{path}"), &format!("{exit}.Input"))
        });
        self.indexed(|sketch| {
            let sketch = sketch.block(id, "Routing/Selector", &[("Indices", &indices)]);
            sketch.wire(indexed, &format!("{id}.Input")).wire(&format!("{id}.Output"), &format!("{exit}.Input"))
        });
    }
}

fn random_pair(seed: u64) -> (Pair, Vec<Part>) {
    let passing = || {
        Sketch::new(0.25)
            .block_in("Passing", 1, "entry u", &[])
            .block_in("Passing", 2, "exit y", &[])
            .wire_in("Passing", "1.Output", "2.Input")
    };
    let mut draw = Draw(seed);
    let mut pair = Pair { named: passing(), indexed: passing(), next: 0 };
    let (named, indexed, parts, _) = pair.bus(&mut draw, 3);
    let mut ends = (named, indexed);
    for _ in 0..draw.below(5) {
        ends = match draw.below(3) {
            0 => {
                let part = draw.below(parts.len());
                pair.assigned(&mut draw, ends, &parts[part])
            }
            _ => pair.passed(&mut draw, ends),
        };
    }
    parts.iter().for_each(|part| pair.selected(&ends, part));
    (pair, parts)
}

/// A random bus gives the bits of the same model with a Mux and indices, on every engine.
#[test]
fn random_buses_equal_vectors_by_index() {
    for seed in 0..120 {
        let (pair, parts) = random_pair(seed);
        let simulations = [&pair.named.simulation, &pair.indexed.simulation];
        let engines = ["simple", "flat", "compiled"];
        let mut runs: Vec<Run> =
            simulations.iter().flat_map(|simulation| engines.map(|engine| Run::new(simulation, engine))).collect();
        for step in 0..6 {
            for run in &mut runs {
                run.steps(1);
            }
            for (path, _, width) in &parts {
                let bits = |run: &Run| run.exit(path).iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                let want = bits(&runs[5]);
                assert_eq!(want.len(), *width, "{path} with seed {seed}");
                for run in &runs {
                    assert_eq!(bits(run), want, "{path} in step {step} with seed {seed}");
                }
            }
        }
    }
}
