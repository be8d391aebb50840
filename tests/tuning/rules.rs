//! Rules with a name against the tables of their papers.

use simulate::tuning::{Gains, Kind, Plant, Rule, RuleError, Target, tune};

use super::{channel, delayed, lags, near, plant};

fn by(plant: &Plant, rule: Rule, kind: Kind) -> Result<Gains, RuleError> {
    tune(plant, &Target { rule, kind, filter: 1e4, ..Target::default() }, None).map(|tuned| tuned.gains)
}

#[track_caller]
fn standard(gains: Gains, k: f64, ti: f64, td: f64, tolerance: f64) {
    near(gains.p, k, tolerance);
    near(gains.p / gains.i, ti, tolerance);
    near(gains.d / gains.p, td, tolerance);
}

/// `1/(s + 1)³` oscillates with the gain 8 at √3 rad/s.
#[test]
fn ziegler_nichols_by_the_ultimate_gain() {
    let three = plant(channel(&[1.0], &lags(&[1.0; 3])));
    let period = 2.0 * std::f64::consts::PI / 3.0_f64.sqrt();
    near(by(&three, Rule::ZieglerNichols, Kind::P).expect("gains").p, 4.0, 1e-6);
    let pi = by(&three, Rule::ZieglerNichols, Kind::Pi).expect("gains");
    near(pi.p, 3.6, 1e-6);
    near(pi.p / pi.i, period / 1.2, 1e-6);
    standard(by(&three, Rule::ZieglerNichols, Kind::Pid).expect("gains"), 4.8, period / 2.0, period / 8.0, 1e-6);
    let negative = plant(channel(&[-1.0], &lags(&[1.0; 3])));
    standard(by(&negative, Rule::ZieglerNichols, Kind::Pid).expect("gains"), -4.8, period / 2.0, period / 8.0, 1e-6);
}

#[test]
fn rules_say_where_they_do_not_fit() {
    let lag = plant(channel(&[1.0], &[1.0, 1.0]));
    assert_eq!(by(&lag, Rule::ZieglerNichols, Kind::Pi), Err(RuleError::NoUltimateGain));
    assert_eq!(by(&lag, Rule::Amigo, Kind::Pi), Err(RuleError::NoDeadTime));
    assert!(matches!(by(&lag, Rule::Amigo, Kind::Pd), Err(RuleError::Kind { .. })));
    let unstable = plant(channel(&[1.0], &[1.0, 0.0, -1.0]));
    assert_eq!(by(&unstable, Rule::ZieglerNicholsStep, Kind::Pi), Err(RuleError::NoReaction));
}

/// A lag with dead time is its own model: the tangent has the slope K/T at the dead time.
#[test]
fn ziegler_nichols_by_the_step_response() {
    let (gain, time, dead_time) = (2.0, 5.0, 1.0);
    let late = plant(delayed(&[gain], &[time, 1.0], dead_time));
    let found = late.first_order().expect("a reaction");
    near(found.gain, gain, 1e-6);
    near(found.dead_time, dead_time, 1e-2);
    near(found.time, time, 1e-2);
    let a = gain / time * dead_time;
    near(by(&late, Rule::ZieglerNicholsStep, Kind::P).expect("gains").p, 1.0 / a, 1e-2);
    let pid = by(&late, Rule::ZieglerNicholsStep, Kind::Pid).expect("gains");
    standard(pid, 1.2 / a, 2.0 * dead_time, 0.5 * dead_time, 2e-2);
}

/// The step response of 1/(s + 1)⁴ is steepest after 3 s, where its tangent meets the axis at 3 − (e³ − 13)/4.5, and
/// reaches 63 % where e^(1−t)·(1 + t + t²/2 + t³/6) = 1.
#[test]
fn four_lags_have_the_tangent_of_their_step_response() {
    let found = plant(channel(&[1.0], &lags(&[1.0; 4]))).first_order().expect("a reaction");
    let dead_time = 3.0 - (3.0_f64.exp() - 13.0) / 4.5;
    near(found.dead_time, dead_time, 1e-3);
    let t = found.time + found.dead_time;
    near((1.0 - t).exp() * (1.0 + t + t * t / 2.0 + t * t * t / 6.0), 1.0, 1e-3);
}

/// Hägglund, Åström (2004), the process 1/(s + 1)⁴, given there with two digits: L = 1.42, T = 2.9, and by AMIGO K = 1.12,
/// Ti = 2.40, Td = 0.619.
#[test]
fn amigo_gives_the_values_of_its_paper() {
    let four = plant(channel(&[1.0], &lags(&[1.0; 4])));
    standard(by(&four, Rule::Amigo, Kind::Pid).expect("gains"), 1.12, 2.40, 0.619, 1e-2);
}

/// For `e^(−L·s)/s` AMIGO has K = 0.45/L, Ti = 8·L, Td = L/2, and for PI K = 0.35/L, Ti = 13.4·L.
#[test]
fn amigo_knows_integrating_plants() {
    let integrating = plant(delayed(&[2.0], &[1.0, 0.0], 0.5));
    standard(by(&integrating, Rule::Amigo, Kind::Pid).expect("gains"), 0.45, 4.0, 0.25, 1e-2);
    let pi = by(&integrating, Rule::Amigo, Kind::Pi).expect("gains");
    near(pi.p, 0.35, 1e-2);
    near(pi.p / pi.i, 6.7, 1e-2);
}

/// A product of polynomials, highest power first.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(j, b)| all[i + j] += a * b);
    }
    all
}

/// A process of the table: its name, numerator and denominator, and what the rule makes of it.
type Case = (&'static str, Vec<f64>, Vec<f64>, [f64; 2], Option<[f64; 3]>);

/// Skogestad (2003), table 4: the half rule's models and the gains, PID in series form.
#[test]
fn simc_gives_the_table_of_its_paper() {
    let e2_zeros = product(&[-0.3, 1.0], &[0.08, 1.0]);
    let e3_poles = lags(&[20.0, 1.0, 0.1, 0.1]);
    let cases: [Case; 5] = [
        ("E1", vec![1.0], lags(&[1.0, 0.2]), [5.5, 0.8], None),
        ("E2", e2_zeros, lags(&[2.0, 1.0, 0.4, 0.2, 0.05, 0.05, 0.05]), [0.85, 2.5], Some([1.30, 2.0, 1.2])),
        ("E3", vec![30.0, 2.0], e3_poles, [2.33, 1.05], Some([6.67, 0.4, 0.15])),
        ("E4", vec![1.0], lags(&[1.0; 4]), [0.3, 1.5], Some([0.5, 1.5, 1.0])),
        ("E5", vec![1.0], lags(&[1.0, 0.2, 0.04, 0.008]), [3.72, 1.1], Some([17.9, 0.224, 0.22])),
    ];
    for (name, num, den, [k, ti], series) in cases {
        let of = plant(channel(&num, &den));
        let pi = by(&of, Rule::Simc, Kind::Pi).expect(name);
        assert!((pi.p - k).abs() <= 0.006 * k, "{name}: {} instead of {k}", pi.p);
        near(pi.p / pi.i, ti, 5e-3);
        let Some([k, ti, td]) = series else { continue };
        let factor = 1.0 + td / ti;
        let pid = by(&of, Rule::Simc, Kind::Pid).expect(name);
        assert!((pid.p - k * factor).abs() <= 0.006 * k * factor, "{name}: {} instead of {}", pid.p, k * factor);
        near(pid.p / pid.i, ti * factor, 6e-3);
        near(pid.d / pid.p, td / factor, 6e-3);
    }
}

/// `2·e^(−s)/s`: Kc = 1/(2·(τc + 1)) and τI = 4·(τc + 1), τc = 1; with the bandwidth 0.25, τc + 1 = 4.
#[test]
fn simc_knows_integrating_plants_and_a_chosen_bandwidth() {
    let of = plant(delayed(&[2.0], &[1.0, 0.0], 1.0));
    let pi = by(&of, Rule::Simc, Kind::Pi).expect("gains");
    near(pi.p, 0.25, 1e-3);
    near(pi.p / pi.i, 8.0, 1e-3);
    let target = Target { rule: Rule::Simc, kind: Kind::Pi, bandwidth: Some(0.25), ..Target::default() };
    let slow = tune(&of, &target, None).expect("gains").gains;
    near(slow.p, 0.125, 1e-3);
    near(slow.p / slow.i, 16.0, 1e-3);
}
