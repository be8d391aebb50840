//! Examples beside closed forms and published values.

use std::f64::consts::{PI, TAU};

use super::{load, root};
use crate::sketch::Run;

fn fast(name: &str) -> Run {
    Run::new(&load(&root().join(format!("assets/examples/{name}.simx"))), "compiled")
}

fn check(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: {got}, not {want}");
}

/// The amplitude of a tone in samples, over a whole number of its periods.
fn amplitude(samples: &[f64], cycles_per_sample: f64) -> f64 {
    let sum = |wave: fn(f64) -> f64| {
        let terms = samples.iter().enumerate().map(|(n, sample)| sample * wave(TAU * cycles_per_sample * n as f64));
        2.0 * terms.sum::<f64>() / samples.len() as f64
    };
    sum(f64::sin).hypot(sum(f64::cos))
}

/// Each tablet is an infusion of half an hour into the gut; absorption and elimination are linear, so that responses add.
#[test]
fn the_drug_is_the_sum_of_its_tablets() {
    let (ka, ke, volume, rate) = (1.5, 2.8 / 35.0, 35.0, 800.0);
    // The amount in the body after a constant infusion has begun.
    let response = |t: f64| match t > 0.0 {
        true => rate / ke * (1.0 - (ka * (-ke * t).exp() - ke * (-ka * t).exp()) / (ka - ke)),
        false => 0.0,
    };
    for (step, got) in fast("theophylline").trace("concentration", 1200).into_iter().enumerate() {
        let t = step as f64 * 0.1;
        let tablets = (0..10).map(|number| t - 12.0 * f64::from(number));
        let want: f64 = tablets.map(|since| (response(since) - response(since - 0.5)) / volume).sum();
        check(&format!("hour {t}"), got, want, 1e-4);
    }
}

/// Kepler's equation M = E − e·sin E, solved by Newton's method.
#[test]
fn the_comet_obeys_kepler() {
    let (a, e) = (17.834_f64, 0.967_14_f64);
    let period = a.powf(1.5);
    let mut run = fast("halley");
    for step in 0..1600 {
        run.steps(1);
        let mean = TAU * (f64::from(step) * 0.1 / period).fract();
        let mut eccentric = PI;
        for _ in 0..60 {
            eccentric -= (eccentric - e * eccentric.sin() - mean) / (1.0 - e * eccentric.cos());
        }
        let want = [a * (eccentric.cos() - e), a * (1.0 - e * e).sqrt() * eccentric.sin()];
        for (axis, want) in ["x", "y"].into_iter().zip(want) {
            check(&format!("{axis} in step {step}"), run.exit(axis)[0], want, 2e-5);
        }
        if step == 0 {
            // JPL: 54.5 km/s at perihelion.
            check("speed", run.exit("speed")[0], 54.5, 0.1);
        }
    }
}

/// The points of the rod are linear differential equations whose eigenvectors are sines.
#[test]
fn the_rod_is_a_sum_of_sines() {
    let (count, rate) = (19, 9.7e-5 / (0.025f64 * 0.025));
    let rest = |point: usize| 100.0 - 80.0 * point as f64 / (count + 1) as f64;
    let sine = |mode: usize, point: usize| (mode as f64 * PI * point as f64 / (count + 1) as f64).sin();
    let mut run = fast("heat_rod");
    for (step, minutes) in [(61, 1.0), (301, 5.0), (1200, 19.983_333_333_333_334)] {
        run.steps(step - run.context.step);
        let got = run.exit("temperatures");
        for point in 1..=count {
            let share = |mode: usize| {
                let start: f64 = (1..=count).map(|at| (20.0 - rest(at)) * sine(mode, at)).sum::<f64>() * 2.0 / 20.0;
                let decay = 4.0 * rate * (mode as f64 * PI / 40.0).sin().powi(2);
                start * sine(mode, point) * (-decay * minutes * 60.0).exp()
            };
            let want = rest(point) + (1..=count).map(share).sum::<f64>();
            check(&format!("point {point} after {minutes} min"), got[point - 1], want, 1e-5);
        }
    }
}

/// The partial tones of Karplus and Strong's string are the roots of z¹⁰¹ = (z + 1)/2: their period is 100.5 samples over
/// their number, and they fall by about cos(π·f/44100) in each period (Jaffe, Smith).
#[test]
fn the_string_has_its_pitch_and_decay() {
    let sound = fast("plucked_string").trace("sound", 80_000);
    let pitch = 1.0 / 100.5;
    // 200 periods are 20,100 samples.
    let tone = |start: usize, factor: f64| amplitude(&sound[start..start + 20_100], factor * pitch);
    for harmonic in [1.0, 2.0, 3.0] {
        let (mut size, mut angle) = (1.0_f64, TAU * harmonic * pitch);
        for _ in 0..50 {
            let (re, im) = ((size * angle.cos() + 1.0) / 2.0, size * angle.sin() / 2.0);
            (size, angle) = (re.hypot(im).powf(1.0 / 101.0), (im.atan2(re) + TAU * harmonic) / 101.0);
        }
        check("pitch", angle / TAU, harmonic * pitch, 1e-6);
        let before = tone(10_000, harmonic);
        for off in [0.995, 1.005] {
            assert!(tone(10_000, harmonic * off) < 0.3 * before, "a peak at harmonic {harmonic}");
        }
        let want = size.powi(30_150);
        check(&format!("decay of harmonic {harmonic}"), tone(40_150, harmonic) / before, want, 0.005 * want);
    }
}

/// With the exact model, computed torque leaves e″ + 10e′ + 25e = 0, so that e = (e₀ + (e₀′ + 5e₀)·t)·e^(−5t).
#[test]
fn computed_torque_forgets_the_false_start() {
    let mut run = fast("robot_arm");
    for step in 0..2000 {
        run.steps(1);
        let t = f64::from(step) * 0.001;
        for (got, start) in run.exit("torque error").into_iter().zip([0.3, -0.2]) {
            check(&format!("{t} s"), got, start * (1.0 + 5.0 * t) * (-5.0 * t).exp(), 1e-7);
        }
    }
}

/// The mean wait is ρ/(μ − λ) = 4 minutes, a fifth of the customers does not wait, and the others' waits are exponential.
#[test]
fn the_queue_is_that_of_the_book() {
    let waits = fast("queue").trace("wait", 400_000);
    let count = waits.len() as f64;
    check("mean wait", waits.iter().sum::<f64>() / count, 4.0, 0.3);
    for minutes in [0.0, 2.0, 5.0, 10.0_f64] {
        let share = waits.iter().filter(|wait| **wait > minutes).count() as f64 / count;
        check(&format!("waits above {minutes} min"), share, 0.8 * (-0.2 * minutes).exp(), 0.015);
    }
}

/// Each stage orders q = D + L/p·(D − D five days ago), which for independent demands multiplies the variance by
/// 1 + 2L/p + 2L²/p² (Chen et al.); further stages repeat it.
#[test]
fn orders_vary_more_from_stage_to_stage() {
    let mut run = fast("supply_chain");
    let names = ["customers", "shop order", "wholesaler order", "factory order"];
    let mut traces = vec![Vec::new(); 4];
    for _ in 0..60_000 {
        run.steps(1);
        for (trace, name) in traces.iter_mut().zip(names) {
            trace.push(run.exit(name)[0]);
        }
    }
    let variance = |trace: &[f64]| {
        let mean = trace.iter().sum::<f64>() / trace.len() as f64;
        trace.iter().map(|order| (order - mean).powi(2)).sum::<f64>() / trace.len() as f64
    };
    let demand = variance(&traces[0][100..]);
    check("demand", demand, 100.0, 3.0);
    let stage = [1.4, 0.0, 0.0, 0.0, 0.0, -0.4];
    let mut response = vec![1.0];
    for (trace, name) in traces[1..].iter().zip(&names[1..]) {
        let mut next = vec![0.0; response.len() + 5];
        for (at, factor) in response.iter().enumerate() {
            stage.iter().enumerate().for_each(|(later, weight)| next[at + later] += factor * weight);
        }
        response = next;
        let want: f64 = response.iter().map(|factor| factor * factor).sum();
        check(name, variance(&trace[100..]) / demand, want, 0.03 * want);
    }
    assert!((stage.iter().map(|weight| weight * weight).sum::<f64>() - 2.12).abs() < 1e-12, "1 + 4/5 + 8/25");
}

/// 900 Hz appears at 100 Hz, weakened by the filter's |H| = 1/√(1 + 4.5⁸), and 50 Hz passes.
#[test]
fn the_filter_removes_the_alias() {
    let mut run = fast("aliasing");
    let mut sampled = [Vec::new(), Vec::new()];
    run.steps(5000);
    for _ in 0..1000 {
        run.steps(10);
        sampled[0].push(run.exit("unfiltered")[0]);
        sampled[1].push(run.exit("filtered")[0]);
    }
    let gain = |frequency: f64| 1.0 / (1.0 + (frequency / 200.0).powi(8)).sqrt();
    check("signal", amplitude(&sampled[0], 0.05), 1.0, 2e-3);
    check("alias", amplitude(&sampled[0], 0.1), 0.5, 2e-3);
    check("filtered signal", amplitude(&sampled[1], 0.05), gain(50.0), 2e-3);
    check("filtered alias", amplitude(&sampled[1], 0.1), 0.5 * gain(900.0), 1e-3);
}

/// The period and the amplitude of van der Pol's cycle for μ = 1: 6.66328686 and 2.00861986 (Andersen, Geer: Power
/// series expansions for the frequency and period of the limit cycle of the van der Pol equation, 1982).
#[test]
fn the_oscillator_has_its_cycle() {
    let trace = fast("van_der_pol").trace("x", 10_000);
    let crossing = |n: usize| n as f64 - trace[n] / (trace[n] - trace[n - 1]);
    let rising: Vec<f64> =
        (5000..10_000).filter(|n| trace[n - 1] < 0.0 && trace[*n] >= 0.0).map(|n| crossing(n) * 0.01).collect();
    let periods = (rising.len() - 1) as f64;
    check("period", (rising[rising.len() - 1] - rising[0]) / periods, 6.663_286_86, 1e-5);
    let top = trace[5000..].iter().fold(0.0f64, |top, x| top.max(x.abs()));
    check("amplitude", top, 2.008_619_86, 1e-4);
}

/// Energy of the double pendulum.
#[test]
fn the_double_pendulum_keeps_its_energy() {
    let want = -9.81 * (2.0 * 2.0f64.cos() + 2.5f64.cos());
    for (step, got) in fast("double_pendulum").trace("energy", 3000).into_iter().enumerate() {
        check(&format!("step {step}"), got, want, 1e-6 * want.abs());
    }
}

/// The filter of Kalman and the feedback, without noise beside SciPy's solution.
#[test]
fn the_pendulum_stands() {
    let path = root().join("assets/examples/inverted_pendulum.simx");
    let mut quiet = load(&path);
    let balance = quiet.model_mut("Balance").expect("the model");
    let is_noise = |block: &simulate::model::Block| block.title() == "Sensor noise";
    let noise = balance.blocks.values().find(|block| is_noise(block)).expect("the noise").clone();
    let silent = simulate::model::Block::clone(&noise).with_option("Deviation", &["0", "0"]);
    balance.blocks.insert(noise.id, std::sync::Arc::new(silent));
    super::compare("inverted_pendulum", 1e-6, &mut Run::new(&quiet, "compiled"));

    // With noise, the error of the estimate at the samples has the deviation that Riccati's equation gives.
    let want: f64 = std::fs::read_to_string(root().join("tests/examples/inverted_pendulum_noise.csv"))
        .expect("the table")
        .lines()
        .last()
        .and_then(|row| row.split(',').nth(1)?.parse().ok())
        .expect("a number");
    let mut run = fast("inverted_pendulum");
    run.steps(4001);
    let squares = (0..8000).map(|_| {
        run.steps(5);
        (run.exit("estimated angle")[0] - run.exit("angle")[0]).powi(2)
    });
    let error = (squares.sum::<f64>() / 8000.0).sqrt();
    check("error of the estimate", error, want, 0.05 * want);
}
