//! Differential equations as block diagrams, and known solutions.

use simulate::engine::Context;
use simulate::model::{Block, BlockId, BlockKind, Connection, Simulation};

/// A diagram built from expressions; each returns the output that has its value.
pub struct Net {
    pub simulation: Simulation,
    next: u64,
}

impl Net {
    pub fn new(delta: f64) -> Net {
        let mut simulation = Simulation::new("Main");
        simulation.delta = delta;
        Net { simulation, next: 0 }
    }

    pub fn attribute(mut self, name: &str, value: &str) -> Net {
        self.simulation.attributes.set(name, value);
        self
    }

    pub fn add(&mut self, what: &str, options: &[(&str, &[&str])], inputs: &[(&str, &str)]) -> String {
        let kind = match what.split_once(' ') {
            Some(("exit", name)) => BlockKind::exit(name),
            _ => {
                let (group, name) = what.split_once('/').expect("a group and a name");
                BlockKind::library(group, name)
            }
        };
        let block = Block::new(BlockId(self.next.into()), kind);
        let block = options.iter().fold(block, |block, (name, values)| block.with_option(name, values));
        self.simulation.model_mut("Main").expect("the model").add_block(block);
        let made = format!("{}.Output", self.next);
        self.next += 1;
        inputs.iter().for_each(|(input, from)| self.wire(from, &made, input));
        made
    }

    pub fn constant(&mut self, value: f64) -> String {
        self.add("Var/Static", &[("Value", &[&value.to_string()])], &[])
    }

    pub fn sine(&mut self, frequency: f64, phase: f64) -> String {
        let (frequency, phase) = (frequency.to_string(), phase.to_string());
        let options = [("Frequency", &[&*frequency][..]), ("Phase", &[&*phase][..])];
        self.add("Var/Sine", &options, &[])
    }

    /// `terms` with their factors.
    pub fn sum(&mut self, terms: &[(f64, &str)]) -> String {
        let scaled: Vec<String> = terms.iter().map(|&(factor, term)| self.gain(factor, term)).collect();
        let signs = "+".repeat(terms.len());
        let names: Vec<String> = (1..=terms.len()).map(|number| format!("Input {number}")).collect();
        let inputs: Vec<(&str, &str)> = names.iter().zip(&scaled).map(|(name, from)| (&**name, &**from)).collect();
        match terms.len() {
            1 => scaled[0].clone(),
            _ => self.add("Math/Sum", &[("Signs", &[&signs])], &inputs),
        }
    }

    pub fn gain(&mut self, factor: f64, of: &str) -> String {
        if factor == 1.0 {
            of.to_owned()
        } else {
            self.add("Math/Gain", &[("Gain", &[&factor.to_string()])], &[("Input", of)])
        }
    }

    pub fn product(&mut self, factors: &[&str]) -> String {
        self.row("*", factors)
    }

    pub fn quotient(&mut self, a: &str, b: &str) -> String {
        self.add("Math/Product", &[("Operations", &["*/"])], &[("Input 1", a), ("Input 2", b)])
    }

    fn row(&mut self, operation: &str, of: &[&str]) -> String {
        let names: Vec<String> = (1..=of.len()).map(|number| format!("Input {number}")).collect();
        let inputs: Vec<(&str, &str)> = names.iter().zip(of).map(|(name, from)| (&**name, *from)).collect();
        self.add("Math/Product", &[("Operations", &[&operation.repeat(of.len())])], &inputs)
    }

    pub fn function(&mut self, name: &str, of: &str) -> String {
        self.add("Math/Function", &[("Function", &[name])], &[("Input", of)])
    }

    /// Adds an integrator with an exit of this name; [`Net::rate`] connects its input.
    pub fn state(&mut self, name: &str, initial: f64) -> String {
        let state = self.add("Math/Integrate", &[("Initial Value", &[&initial.to_string()])], &[]);
        self.exit(name, &state);
        state
    }

    pub fn exit(&mut self, name: &str, from: &str) {
        self.add(&format!("exit {name}"), &[], &[("Input", from)]);
    }

    pub fn rate(&mut self, state: &str, rate: &str) {
        self.wire(rate, state, "Input");
    }

    /// Connects to an input of the block that has the output `to`.
    pub fn wire(&mut self, from: &str, to: &str, input: &str) {
        let end = |text: &str| {
            let (id, port) = text.split_once('.').expect("an id and a port");
            (BlockId(id.parse().expect("a number")), port.to_owned())
        };
        let ((from, output), (to, _)) = (end(from), end(to));
        let model = self.simulation.model_mut("Main").expect("the model");
        model.connect(Connection::new(from, &output, to, input));
    }
}

/// Returns the numbers of accepted steps, rejected steps and evaluations of the rates of a variable-step solver.
pub fn counts(context: &Context) -> (f64, f64, f64) {
    (context.solver[5], context.solver[6], context.solver[4])
}

/// y' = y·cos t, y(0) = 1: y = e^(sin t), and a rotation beside it, z'' = -z.
pub fn smooth(net: &mut Net) {
    let y = net.state("y", 1.0);
    let cosine = net.sine(1.0, std::f64::consts::FRAC_PI_2);
    let rate = net.product(&[&y, &cosine]);
    net.rate(&y, &rate);
    let (z, v) = (net.state("z", 1.0), net.state("v", 0.0));
    net.rate(&z, &v);
    let back = net.gain(-1.0, &z);
    net.rate(&v, &back);
}

/// Robertson's kinetics: Hairer, Wanner (1996), IV.10.
pub fn robertson(net: &mut Net) {
    let [a, b, c] = [("y1", 1.0), ("y2", 0.0), ("y3", 0.0)].map(|(name, initial)| net.state(name, initial));
    let bc = net.product(&[&b, &c]);
    let bb = net.product(&[&b, &b]);
    let rates =
        [net.sum(&[(-0.04, &a), (1e4, &bc)]), net.sum(&[(0.04, &a), (-1e4, &bc), (-3e7, &bb)]), net.gain(3e7, &bb)];
    [a, b, c].iter().zip(&rates).for_each(|(state, rate)| net.rate(state, rate));
}

/// Van der Pol's oscillator, y'' = μ(1 - y²)y' - y.
pub fn van_der_pol(net: &mut Net, mu: f64) {
    let (y, v) = (net.state("y1", 2.0), net.state("y2", 0.0));
    let yyv = net.product(&[&y, &y, &v]);
    let rate = net.sum(&[(mu, &v), (-mu, &yyv), (-1.0, &y)]);
    net.rate(&y, &v);
    net.rate(&v, &rate);
}

/// High irradiance response: Test Set for IVP Solvers, problem HIRES.
pub fn hires(net: &mut Net) {
    let y: Vec<String> = (1..=8)
        .map(|n| {
            net.state(
                &format!("y{n}"),
                if n == 1 {
                    1.0
                } else if n == 8 {
                    0.0057
                } else {
                    0.0
                },
            )
        })
        .collect();
    let one = net.constant(1.0);
    let reaction = net.product(&[&y[5], &y[7]]);
    let rows: [&[(f64, &str)]; 8] = [
        &[(-1.71, &y[0]), (0.43, &y[1]), (8.32, &y[2]), (0.0007, &one)],
        &[(1.71, &y[0]), (-8.75, &y[1])],
        &[(-10.03, &y[2]), (0.43, &y[3]), (0.035, &y[4])],
        &[(8.32, &y[1]), (1.71, &y[2]), (-1.12, &y[3])],
        &[(-1.745, &y[4]), (0.43, &y[5]), (0.43, &y[6])],
        &[(-280.0, &reaction), (0.69, &y[3]), (1.71, &y[4]), (-0.43, &y[5]), (0.69, &y[6])],
        &[(280.0, &reaction), (-1.81, &y[6])],
        &[(-280.0, &reaction), (1.81, &y[6])],
    ];
    for (state, row) in y.iter().zip(rows) {
        let rate = net.sum(row);
        net.rate(state, &rate);
    }
}

/// The Belousov–Zhabotinskii reaction: Test Set for IVP Solvers, problem OREGO.
pub fn oregonator(net: &mut Net) {
    let [a, b, c] = [("y1", 1.0), ("y2", 2.0), ("y3", 3.0)].map(|(name, initial)| net.state(name, initial));
    let (s, w, q) = (77.27, 0.161, 8.375e-6);
    let (ab, aa) = (net.product(&[&a, &b]), net.product(&[&a, &a]));
    let rates = [
        net.sum(&[(s, &b), (-s, &ab), (s, &a), (-s * q, &aa)]),
        net.sum(&[(-1.0 / s, &b), (-1.0 / s, &ab), (1.0 / s, &c)]),
        net.sum(&[(w, &a), (-w, &c)]),
    ];
    [a, b, c].iter().zip(&rates).for_each(|(state, rate)| net.rate(state, rate));
}

/// Air pollution, 25 reactions of 20 species: Test Set for IVP Solvers, problem POLLU. A reaction has what reacts, its
/// speed and what becomes of it.
pub fn pollution(net: &mut Net) {
    const REACTIONS: [(&[usize], f64, &[usize]); 25] = [
        (&[1], 0.35, &[2, 3]),
        (&[2, 4], 26.6, &[1]),
        (&[5, 2], 12.3e3, &[6, 1]),
        (&[7], 0.86e-3, &[5, 5, 8]),
        (&[7], 0.82e-3, &[8]),
        (&[7, 6], 15e3, &[8, 5]),
        (&[9], 0.13e-3, &[10, 8, 5]),
        (&[9, 6], 24e3, &[11]),
        (&[11, 2], 16.5e3, &[10, 1, 12]),
        (&[11, 1], 9e3, &[13]),
        (&[13], 0.022, &[11, 1]),
        (&[10, 2], 12e3, &[14, 1]),
        (&[14], 1.88, &[7, 5]),
        (&[1, 6], 16.3e3, &[15]),
        (&[3], 4.8e6, &[4]),
        (&[4], 0.35e-3, &[16]),
        (&[4], 17.5e-3, &[3]),
        (&[16], 100e6, &[6, 6]),
        (&[16], 444e9, &[3]),
        (&[17, 6], 1.24e3, &[18, 5]),
        (&[19], 2.1, &[2]),
        (&[19], 5.78, &[1, 3]),
        (&[1, 4], 0.0474, &[19]),
        (&[19, 1], 1.78e3, &[20]),
        (&[20], 3.12, &[1, 19]),
    ];
    let initial = [(2, 0.2), (4, 0.04), (7, 0.1), (8, 0.3), (9, 0.01), (17, 0.007)];
    let at_first =
        |species: usize| initial.iter().find(|(known, _)| *known == species).map_or(0.0, |(_, value)| *value);
    let states: Vec<String> = (1..=20).map(|species| net.state(&format!("y{species}"), at_first(species))).collect();
    let mut changes = vec![Vec::new(); 20];
    for (used, speed, made) in REACTIONS {
        let reacting: Vec<&str> = used.iter().map(|species| &*states[species - 1]).collect();
        let reacting = if let [one] = reacting[..] { one.to_owned() } else { net.product(&reacting) };
        let reaction = net.gain(speed, &reacting);
        used.iter().for_each(|species| changes[species - 1].push((-1.0, reaction.clone())));
        made.iter().for_each(|species| changes[species - 1].push((1.0, reaction.clone())));
    }
    for (state, changes) in states.iter().zip(&changes) {
        let terms: Vec<(f64, &str)> = changes.iter().map(|(sign, reaction)| (*sign, &**reaction)).collect();
        let rate = net.sum(&terms);
        net.rate(state, &rate);
    }
}

/// A ring modulator with four diodes: Test Set for IVP Solvers, problem RINGMOD with 2 pF beside the diodes. States are
/// the voltages of seven capacitors and the currents of eight coils.
pub fn ring_modulator(net: &mut Net) {
    let y: Vec<String> = (1..=15).map(|n| net.state(&format!("y{n}"), 0.0)).collect();
    let [signal, carrier] = [(0.5, 1e3), (2.0, 10e3)].map(|(amplitude, hertz)| {
        let sine = net.sine(std::f64::consts::TAU * hertz, 0.0);
        net.gain(amplitude, &sine)
    });
    let voltages: [&[(f64, &str)]; 4] = [
        &[(1.0, &y[2]), (-1.0, &y[4]), (-1.0, &y[6]), (-1.0, &carrier)],
        &[(-1.0, &y[3]), (1.0, &y[5]), (-1.0, &y[6]), (-1.0, &carrier)],
        &[(1.0, &y[3]), (1.0, &y[4]), (1.0, &y[6]), (1.0, &carrier)],
        &[(-1.0, &y[2]), (-1.0, &y[5]), (1.0, &y[6]), (1.0, &carrier)],
    ];
    let one = net.constant(1.0);
    let [d1, d2, d3, d4] = voltages.map(|voltages| {
        let voltage = net.sum(voltages);
        let exponent = net.gain(17.749_333_2, &voltage);
        let exponential = net.function("exp", &exponent);
        let current = net.sum(&[(1.0, &exponential), (-1.0, &one)]);
        net.gain(40.672_864_02e-9, &current)
    });
    // Each equation, by the capacitance or inductance before its derivative.
    let rows: [(f64, &[(f64, &str)]); 15] = [
        (16e-9, &[(1.0, &y[7]), (-0.5, &y[9]), (0.5, &y[10]), (1.0, &y[13]), (-1.0 / 25e3, &y[0])]),
        (16e-9, &[(1.0, &y[8]), (-0.5, &y[11]), (0.5, &y[12]), (1.0, &y[14]), (-1.0 / 25e3, &y[1])]),
        (2e-12, &[(1.0, &y[9]), (-1.0, &d1), (1.0, &d4)]),
        (2e-12, &[(-1.0, &y[10]), (1.0, &d2), (-1.0, &d3)]),
        (2e-12, &[(1.0, &y[11]), (1.0, &d1), (-1.0, &d3)]),
        (2e-12, &[(-1.0, &y[12]), (-1.0, &d2), (1.0, &d4)]),
        (10e-9, &[(-1.0 / 50.0, &y[6]), (1.0, &d1), (1.0, &d2), (-1.0, &d3), (-1.0, &d4)]),
        (4.45, &[(-1.0, &y[0])]),
        (4.45, &[(-1.0, &y[1])]),
        (0.5e-3, &[(0.5, &y[0]), (-1.0, &y[2]), (-17.3, &y[9])]),
        (0.5e-3, &[(-0.5, &y[0]), (1.0, &y[3]), (-17.3, &y[10])]),
        (0.5e-3, &[(0.5, &y[1]), (-1.0, &y[4]), (-17.3, &y[11])]),
        (0.5e-3, &[(-0.5, &y[1]), (1.0, &y[5]), (-17.3, &y[12])]),
        (2e-3, &[(-1.0, &y[0]), (1.0, &signal), (-(50.0 + 36.3), &y[13])]),
        (2e-3, &[(-1.0, &y[1]), (-(600.0 + 36.3), &y[14])]),
    ];
    for (state, (size, row)) in y.iter().zip(rows) {
        let sum = net.sum(row);
        let rate = net.gain(1.0 / size, &sum);
        net.rate(state, &rate);
    }
}

/// An antibody that penetrates tissue, a reaction and a diffusion at 200 points: Test Set for IVP Solvers, problem
/// MEDAKZO. The vectors are the concentrations of the antibody and of what it meets; its source ends at t = 5.
pub fn medical_akzo(net: &mut Net) {
    const POINTS: usize = 200;
    let number = |value: f64| value.to_string();
    let states = |net: &mut Net, name: &str, initial: f64| {
        let initial = vec![number(initial); POINTS];
        let initial: Vec<&str> = initial.iter().map(|value| &**value).collect();
        let state = net.add("Math/Integrate", &[("Initial Value", &initial)], &[]);
        net.exit(name, &state);
        state
    };
    let (u, v) = (states(net, "u", 0.0), states(net, "v", 1.0));
    let source = [("Step Time", &["5"][..]), ("Initial Value", &["2"]), ("Final Value", &["0"])];
    let source = net.add("Var/Step", &source, &[]);
    // Before each point its left neighbour, behind it the right one; nothing flows through the last.
    let around = net.add("Routing/Mux", &[("Inputs", &["2"])], &[("Input 1", &source), ("Input 2", &u)]);
    let neighbours = |net: &mut Net, from: &str, indices: Vec<usize>| {
        let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
        let indices: Vec<&str> = indices.iter().map(|index| &**index).collect();
        net.add("Routing/Selector", &[("Indices", &indices)], &[("Input", from)])
    };
    let left = neighbours(net, &around, (1..=POINTS).collect());
    let right = neighbours(net, &u, (2..=POINTS).chain([POINTS]).collect());
    // With ζ = j / 200 and c = 4: 2 (ζ - 1)³ / c² ∂u/∂ζ + (ζ - 1)⁴ / c² ∂²u/∂ζ², by differences.
    let count = POINTS as f64;
    let factors = |of: &dyn Fn(f64) -> f64| (1..=POINTS).map(|j| of(j as f64 / count - 1.0)).collect::<Vec<f64>>();
    let drift = |at: f64| count * at.powi(3) / 16.0;
    let spread = |at: f64| count * count * at.powi(4) / 16.0;
    let parts = [
        (factors(&|at| spread(at) - drift(at)), &left),
        (factors(&|at| -2.0 * spread(at)), &u),
        (factors(&|at| spread(at) + drift(at)), &right),
    ];
    let [from_left, lost, from_right] = parts.map(|(factors, of)| {
        let factors: Vec<String> = factors.iter().map(|factor| number(*factor)).collect();
        let factors: Vec<&str> = factors.iter().map(|factor| &**factor).collect();
        net.add("Math/Gain", &[("Gain", &factors)], &[("Input", of)])
    });
    let product = net.product(&[&u, &v]);
    let reaction = net.gain(100.0, &product);
    let rate = net.sum(&[(1.0, &from_left), (1.0, &lost), (1.0, &from_right), (-1.0, &reaction)]);
    net.rate(&u, &rate);
    let rate = net.gain(-1.0, &reaction);
    net.rate(&v, &rate);
}

/// A satellite that moon and earth move: Hairer, Nørsett, Wanner (1993), II.0.
pub fn arenstorf(net: &mut Net) {
    let mu = 0.012_277_471;
    let other = 1.0 - mu;
    let initial = [("y1", 0.994), ("y2", 0.0), ("v1", 0.0), ("v2", -2.001_585_106_379_082_5)];
    let [a, b, va, vb] = initial.map(|(name, initial)| net.state(name, initial));
    let one = net.constant(1.0);
    let (from_earth, from_moon) = (net.sum(&[(1.0, &a), (mu, &one)]), net.sum(&[(1.0, &a), (-other, &one)]));
    let mut cube = |along: &str| {
        let (xx, yy) = (net.product(&[along, along]), net.product(&[&b, &b]));
        let square = net.sum(&[(1.0, &xx), (1.0, &yy)]);
        let root = net.function("sqrt", &square);
        net.product(&[&square, &root])
    };
    let (d1, d2) = (cube(&from_earth), cube(&from_moon));
    let pulls = [net.quotient(&from_earth, &d1), net.quotient(&from_moon, &d2)];
    let pulls_b = [net.quotient(&b, &d1), net.quotient(&b, &d2)];
    let rate_a = net.sum(&[(1.0, &a), (2.0, &vb), (-other, &pulls[0]), (-mu, &pulls[1])]);
    let rate_b = net.sum(&[(1.0, &b), (-2.0, &va), (-other, &pulls_b[0]), (-mu, &pulls_b[1])]);
    for (state, rate) in [(&a, &va), (&b, &vb), (&va, &rate_a), (&vb, &rate_b)] {
        net.rate(state, rate);
    }
}

/// The period of [`arenstorf`].
pub const ARENSTORF_PERIOD: f64 = 17.065_216_560_157_963;

/// Seven stars in the plane: Hairer, Nørsett, Wanner (1993), II.10.
pub fn pleiades(net: &mut Net) {
    let x = [3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0];
    let y = [3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0];
    let vx = [0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5];
    let vy = [0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0];
    let mut states = |name: &str, initial: [f64; 7]| -> Vec<String> {
        (0..7).map(|star| net.state(&format!("{name}{}", star + 1), initial[star])).collect()
    };
    let (x, y, vx, vy) = (states("x", x), states("y", y), states("vx", vx), states("vy", vy));
    let mut pulls = vec![(Vec::new(), Vec::new()); 7];
    for one in 0..7 {
        for other in one + 1..7 {
            let (dx, dy) =
                (net.sum(&[(1.0, &x[other]), (-1.0, &x[one])]), net.sum(&[(1.0, &y[other]), (-1.0, &y[one])]));
            let (xx, yy) = (net.product(&[&dx, &dx]), net.product(&[&dy, &dy]));
            let square = net.sum(&[(1.0, &xx), (1.0, &yy)]);
            let root = net.function("sqrt", &square);
            let cube = net.product(&[&square, &root]);
            let (px, py) = (net.quotient(&dx, &cube), net.quotient(&dy, &cube));
            for (star, mass) in [(one, (other + 1) as f64), (other, -((one + 1) as f64))] {
                pulls[star].0.push((mass, px.clone()));
                pulls[star].1.push((mass, py.clone()));
            }
        }
    }
    for star in 0..7 {
        let (px, py) = &pulls[star];
        let terms = |pulls: &[(f64, String)]| pulls.to_vec();
        for (state, speed, pulls) in [(&x[star], &vx[star], terms(px)), (&y[star], &vy[star], terms(py))] {
            let pulls: Vec<(f64, &str)> = pulls.iter().map(|(mass, pull)| (*mass, &**pull)).collect();
            let rate = net.sum(&pulls);
            net.rate(state, speed);
            net.rate(speed, &rate);
        }
    }
}

/// Lorenz (1963): Deterministic nonperiodic flow, with its parameters 10, 28 and 8/3.
pub fn lorenz(net: &mut Net) {
    let [a, b, c] = ["y1", "y2", "y3"].map(|name| net.state(name, 1.0));
    let (ab, ac) = (net.product(&[&a, &b]), net.product(&[&a, &c]));
    let rates = [
        net.sum(&[(10.0, &b), (-10.0, &a)]),
        net.sum(&[(28.0, &a), (-1.0, &ac), (-1.0, &b)]),
        net.sum(&[(1.0, &ab), (-8.0 / 3.0, &c)]),
    ];
    [a, b, c].iter().zip(&rates).for_each(|(state, rate)| net.rate(state, rate));
}

/// Heat in a rod of length 1 with cold ends, at so many points: second differences.
pub fn heat_rod(net: &mut Net, points: usize) {
    let square = ((points + 1) * (points + 1)) as f64;
    let at = |point: usize| std::f64::consts::PI * point as f64 / (points + 1) as f64;
    let states: Vec<String> = (1..=points)
        .map(|point| net.state(&format!("y{point}"), at(point).sin() + (3.0 * at(point)).sin() / 2.0))
        .collect();
    for point in 0..points {
        let mut terms = vec![(-2.0 * square, &*states[point])];
        terms.extend(point.checked_sub(1).map(|before| (square, &*states[before])));
        terms.extend(states.get(point + 1).map(|after| (square, &**after)));
        let rate = net.sum(&terms);
        net.rate(&states[point], &rate);
    }
}
