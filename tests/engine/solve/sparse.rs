//! Implicit solvers of many states that depend on few others each.

use std::f64::consts::PI;

use crate::sketch::Run;
use crate::sketch::odes::{Net, heat_rod};

/// The part of a mode that is left, by its rate.
type Left<'a> = &'a dyn Fn(f64) -> f64;

/// The greatest error of the heated rod against its closed form: each mode decays at its own rate, the m-th with
/// −4·(n + 1)²·sin²(m·π/(2·(n + 1))).
fn off(run: &mut Run, points: usize, left: Left) -> f64 {
    let rate = |mode: f64| {
        let half = (mode * PI / (2.0 * (points + 1) as f64)).sin();
        -4.0 * ((points + 1) * (points + 1)) as f64 * half * half
    };
    let states = (1..=points).map(|point| run.exit(&format!("y{point}"))[0]);
    let off = states.zip(1..).map(|(got, point)| {
        let at = PI * f64::from(point) / (points + 1) as f64;
        let want = left(rate(1.0)) * at.sin() + left(rate(3.0)) * (3.0 * at).sin() / 2.0;
        (got - want).abs()
    });
    off.fold(0.0, f64::max)
}

/// With all elements the matrix of this rod would have a million, and its factors take 3·10⁸ operations in each step.
#[test]
fn a_long_rod_cools_as_its_closed_form() {
    const POINTS: usize = 1000;
    const DELTA: f64 = 0.002;
    let exact = |rate: f64| (rate * 10.0 * DELTA).exp();
    // What ten steps of the trapezoidal rule leave.
    let trapezoidal = |rate: f64| ((1.0 + DELTA * rate / 2.0) / (1.0 - DELTA * rate / 2.0)).powi(10);
    let solvers: [(&str, Left, f64); 4] = [
        ("rodas34", &exact, 2e-6),
        ("radau35", &exact, 2e-6),
        ("trapezoidal", &trapezoidal, 1e-9),
        ("rodas4", &exact, 1e-5),
    ];
    for (solver, left, within) in solvers {
        let mut net = Net::new(DELTA).attribute("solver", solver).attribute("rtol", "1e-6").attribute("atol", "1e-8");
        heat_rod(&mut net, POINTS);
        let mut of_engines = ["flat", "compiled"].map(|engine| {
            let mut run = net.run(engine);
            run.steps(11);
            run
        });
        let [flat, compiled] = &mut of_engines;
        let off = off(compiled, POINTS, left);
        assert!(off < within, "{solver}: {off:e}");
        let bits = |run: &Run| run.context.continuous.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(flat), bits(compiled), "{solver}");
    }
}
