//! What the solvers of variable step need for published problems: evaluations of the rates and time over error, beside
//! the figures of SciPy and SUNDIALS in `peers/solvers.csv`, whose rates are Python.

#[path = "../tests/sketch/odes.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod odes;

use std::sync::Arc;
use std::time::Instant;

use odes::{ARENSTORF_PERIOD, Net};
use simulate::block::Registry;
use simulate::engine::{Context, Engines, Samples, compile};

struct Problem {
    name: &'static str,
    draw: fn(&mut Net),
    end: f64,
    is_stiff: bool,
    /// States at the end: the Test Set for IVP Solvers, and an orbit that closes.
    want: &'static [(&'static str, f64)],
}

const PROBLEMS: [Problem; 6] = [
    Problem {
        name: "arenstorf",
        draw: odes::arenstorf,
        end: ARENSTORF_PERIOD,
        is_stiff: false,
        want: &[("y1", 0.994)],
    },
    Problem {
        name: "pleiades",
        draw: odes::pleiades,
        end: 3.0,
        is_stiff: false,
        want: &[("x1", 0.370_613_914_397_050_2), ("x2", 3.237_284_092_057_233)],
    },
    Problem {
        name: "van der pol",
        draw: |net| odes::van_der_pol(net, 1000.0),
        end: 2000.0,
        is_stiff: true,
        want: &[("y1", 1.706_167_732_170_483), ("y2", -8.928_097_010_247_975e-4)],
    },
    Problem {
        name: "robertson",
        draw: odes::robertson,
        end: 1e11,
        is_stiff: true,
        want: &[("y1", 2.083_340_149_701_255e-8), ("y2", 8.333_360_770_334_713e-14), ("y3", 0.999_999_979_166_505)],
    },
    Problem {
        name: "hires",
        draw: odes::hires,
        end: 321.8122,
        is_stiff: true,
        want: &[("y1", 7.371_312_573_325_668e-4), ("y2", 1.442_485_726_316_185e-4)],
    },
    Problem {
        name: "oregonator",
        draw: odes::oregonator,
        end: 360.0,
        is_stiff: true,
        want: &[("y1", 1.000_814_870_318_523), ("y2", 1_228.178_521_549_917), ("y3", 132.055_494_284_670_6)],
    },
];

fn main() {
    let peers = include_str!("peers/solvers.csv");
    println!("{:<12} {:<14} {:>6} {:>12} {:>9} {:>10}", "problem", "solver", "rtol", "evaluations", "error", "ms");
    for problem in &PROBLEMS {
        for rtol in ["1e-4", "1e-6", "1e-8"] {
            for solver in if problem.is_stiff { &["rodas34"][..] } else { &["dopri45", "rodas34"] } {
                ours(problem, solver, rtol);
            }
            let rtol = rtol.replace("1e-4", "0.0001").replace("e-6", "e-06").replace("e-8", "e-08");
            for line in peers.lines().filter(|line| line.starts_with(problem.name)) {
                if let [_, solver, of, count, error, seconds] = line.split(',').collect::<Vec<_>>()[..]
                    && of == rtol
                {
                    let ms = seconds.parse::<f64>().expect("a number") * 1e3;
                    println!("{:<12} {solver:<14} {:>6} {count:>12} {error:>9} {ms:>10.2}", "", "");
                }
            }
        }
    }
}

/// Over one long step of the grid, as the peers, with the machine code made before.
fn ours(problem: &Problem, solver: &str, rtol: &str) {
    let atol = (rtol.parse::<f64>().expect("a number") * if problem.is_stiff { 1e-4 } else { 1.0 }).to_string();
    let atol = if problem.name == "robertson" { "1e-16" } else { &*atol };
    let mut net = Net::new(problem.end).attribute("solver", solver).attribute("rtol", rtol).attribute("atol", atol);
    (problem.draw)(&mut net);
    let program = Arc::new(compile(&net.simulation, &Registry::standard()).expect("it compiles"));
    let mut execute = Engines::standard().get("compiled").expect("the engine").prepare(&program).expect("it runs");
    let (mut best, mut line) = (f64::INFINITY, String::new());
    for _ in 0..5 {
        let mut context = Context::new(&program);
        let mut nobody = Samples::default();
        let start = Instant::now();
        execute.run(&mut context, 1, &mut nobody).expect("it steps");
        best = best.min(start.elapsed().as_secs_f64());
        let (.., evaluations) = odes::counts(&context);
        execute.run(&mut context, 1, &mut nobody).expect("it shows what it has come to");
        let exits = context.exits(&program);
        let of = |name: &str| exits.iter().find(|(exit, _)| &**exit == name).and_then(|(_, value)| value.clone());
        let error = problem.want.iter().map(|(name, want)| ((of(name).expect("a value")[0] - want) / want).abs());
        let error = error.fold(0.0, f64::max);
        line = format!("{evaluations:>12} {error:>9.2e} {:>10.2}", best * 1e3);
    }
    println!("{:<12} {solver:<14} {rtol:>6} {line}", problem.name);
}
