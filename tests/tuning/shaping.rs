//! Loop shaping: the open loop passes through the point that bandwidth and phase margin name.

use simulate::block::math::ComplexMath;
use simulate::tuning::{Gains, Integration, Kind, Plant, Target, Tuned, tune};

use super::{channel, delayed, lags, near, plant, sampled};

/// The gain of the open loop at a frequency, and the distance of its phase from −180° in degrees.
fn point(plant: &Plant, gains: &Gains, frequency: f64) -> (f64, f64) {
    let value = plant.open_at(gains, frequency).expect("a response");
    (value.abs(), (-value).angle().to_degrees())
}

#[track_caller]
fn passes(plant: &Plant, kind: Kind, bandwidth: f64, margin: f64) -> Gains {
    let target = Target { kind, bandwidth: Some(bandwidth), margin, filter: 50.0, ..Target::default() };
    let tuned = tune(plant, &target, None).expect("tuned");
    let (size, phase) = point(plant, &tuned.gains, bandwidth);
    near(size, 1.0, 1e-9);
    assert!(tuned.is_reached, "{kind:?}");
    near(phase, margin, 1e-6);
    tuned.gains
}

#[test]
fn bandwidth_and_phase_margin_are_kept() {
    let four = plant(channel(&[1.0], &lags(&[1.0; 4])));
    passes(&four, Kind::Pi, 0.25, 60.0);
    passes(&four, Kind::Pid, 0.5, 60.0);
    passes(&four, Kind::Pidf, 0.5, 45.0);
    let servo = plant(channel(&[3.0], &[0.5, 1.0, 0.0]));
    passes(&servo, Kind::Pd, 4.0, 70.0);
    passes(&servo, Kind::Pdf, 4.0, 70.0);
    let late = plant(delayed(&[2.0], &[5.0, 1.0], 1.5));
    passes(&late, Kind::Pi, 0.3, 60.0);
    passes(&late, Kind::Pid, 0.5, 50.0);
    for method in [Integration::Forward, Integration::Backward, Integration::Trapezoidal] {
        let sampled = sampled(channel(&[1.0], &lags(&[1.0, 1.0, 0.3])), 0.1, method);
        passes(&sampled, Kind::Pi, 0.5, 60.0);
        passes(&sampled, Kind::Pid, 1.0, 60.0);
    }
}

/// `1/(s + 1)²` at 1 rad/s has the gain 1/2 and the phase −90°: PI with 60° turns by −30°, so that P = 2·cos 30° and
/// I = 2·sin 30°.
#[test]
fn pi_gains_are_those_of_the_right_triangle() {
    let gains = passes(&plant(channel(&[1.0], &lags(&[1.0, 1.0]))), Kind::Pi, 1.0, 60.0);
    near(gains.p, 3.0_f64.sqrt(), 1e-9);
    near(gains.i, 1.0, 1e-9);
}

/// The zeros of PID are equal: I·D = P²/4.
#[test]
fn pid_has_equal_zeros() {
    let gains = passes(&plant(channel(&[1.0], &lags(&[1.0; 4]))), Kind::Pid, 0.5, 60.0);
    near(gains.i * gains.d, 0.25 * gains.p * gains.p, 1e-9);
}

#[test]
fn a_plant_of_negative_gain_gets_negative_gains() {
    let gains = passes(&plant(channel(&[-2.0], &lags(&[1.0, 1.0, 1.0]))), Kind::Pi, 0.3, 60.0);
    assert!(gains.p < 0.0 && gains.i < 0.0, "{gains:?}");
    let integrating = passes(&plant(channel(&[-2.0], &[1.0, 1.0, 0.0])), Kind::Pd, 1.0, 60.0);
    assert!(integrating.p < 0.0 && integrating.d < 0.0, "{integrating:?}");
}

#[test]
fn a_phase_that_the_terms_cannot_have_is_the_nearest_and_said() {
    let four = plant(channel(&[1.0], &lags(&[1.0; 4])));
    let target = Target { kind: Kind::Pi, bandwidth: Some(2.0), ..Target::default() };
    assert!(!tune(&four, &target, None).expect("tuned").is_reached);
}

/// The bandwidth that is chosen gives a stable and robust loop for plants of all kinds.
#[test]
fn the_default_bandwidth_is_robust() {
    let plants = [
        ("lag", channel(&[1.0], &[1.0, 1.0])),
        ("four lags", channel(&[1.0], &lags(&[1.0; 4]))),
        ("slow", channel(&[5.0], &lags(&[3600.0, 600.0, 60.0]))),
        ("fast", channel(&[1e3], &lags(&[1e-3, 1e-4]))),
        ("integrator", channel(&[1.0], &[1.0, 0.0])),
        ("servo", channel(&[1.0], &[0.1, 1.0, 0.0])),
        ("dead time", delayed(&[1.0], &[1.0, 1.0], 3.0)),
        ("integrator with dead time", delayed(&[0.5], &[1.0, 0.0], 2.0)),
        ("oscillator", channel(&[1.0], &[1.0, 0.2, 1.0])),
        ("inverse response", channel(&[-1.0, 1.0], &lags(&[1.0, 1.0]))),
        ("band pass", channel(&[1.0, 0.0], &lags(&[1.0, 1.0]))),
        ("resonance without gain at rest", channel(&[5.0, 0.0], &[1.0, 0.2, 4.0])),
        ("negative", channel(&[-3.0], &lags(&[2.0, 1.0]))),
    ];
    for (name, of) in plants {
        for (kind, period) in [(Kind::Pi, None), (Kind::Pid, None), (Kind::Pidf, Some(0.2))] {
            let plant = match period {
                None => plant(of.clone()),
                Some(period) => sampled(of.clone(), period, Integration::Trapezoidal),
            };
            let filter = if name == "fast" { 1e6 } else { 100.0 };
            let tuned = tune(&plant, &Target { kind, filter, ..Target::default() }, None).expect("tuned");
            let figures = tuned.figures;
            assert_eq!(figures.is_stable, Some(true), "{name} {kind:?} {period:?}");
            assert!(figures.peak <= 1.81, "{name} {kind:?} {period:?}: {}", figures.peak);
        }
    }
}

fn default_of(plant: &Plant) -> Tuned {
    tune(plant, &Target { kind: Kind::Pi, ..Target::default() }, None).expect("tuned")
}

/// A lag has a fifth of its gain at √24 times its pole. A lag of high gain is made faster: up to where it has the gain 1, at
/// √(K² − 1) times its pole, and up to a twentieth of its gain, at √399 times its pole.
#[test]
fn a_lag_is_made_several_times_faster() {
    let cases = [(1.0, 1.0, 24.0), (2.0, 3.0, 24.0), (10.0, 2.0, 99.0), (-50.0, 1e-2, 399.0), (100.0, 100.0, 399.0)];
    for (gain, time, squared) in cases {
        let tuned = default_of(&plant(channel(&[gain], &[time, 1.0])));
        near(tuned.bandwidth, f64::sqrt(squared) / time, 0.1);
        near(tuned.figures.margins.phase, 60.0, 1e-6);
        let settling = tuned.figures.settling_time.expect("it settles");
        assert!(settling < 3.0 * time, "{settling} s for a time constant of {time} s");
    }
}

/// A dead time limits the bandwidth, but leaves a lag of high gain several times as fast as one of gain 1.
#[test]
fn a_dead_time_limits_what_a_high_gain_allows() {
    let late = |gain: f64, dead: f64| default_of(&plant(delayed(&[gain], &[100.0, 1.0], dead)));
    let (weak, strong) = (late(1.0, 1.0), late(100.0, 1.0));
    assert!(strong.bandwidth > 1.8 * weak.bandwidth, "{} {}", strong.bandwidth, weak.bandwidth);
    assert!(strong.figures.peak <= 1.4, "{}", strong.figures.peak);
    near(strong.figures.margins.phase, 60.0, 1e-6);
    // With a long dead time it is the same for any gain.
    near(late(100.0, 50.0).bandwidth, late(1.0, 50.0).bandwidth, 1e-6);
}

/// `10⁴/(10⁴·s + 1)` is the integrator `1/s` but for times that are long beside the run. The loop of a longer run need not be
/// as fast.
#[test]
fn a_lag_far_slower_than_the_run_is_an_integrator() {
    let lag = |gain: f64, run_seconds: f64| {
        let mut lag = plant(channel(&[gain], &[1e4, 1.0]));
        lag.run_seconds = run_seconds;
        lag
    };
    let integrator = default_of(&plant(channel(&[1.0], &[1.0, 0.0])));
    let in_short_run = default_of(&lag(1e4, 10.0));
    near(in_short_run.bandwidth, integrator.bandwidth, 0.05);
    near(in_short_run.gains.p, integrator.gains.p, 0.05);
    let settling = default_of(&lag(1e4, 1000.0)).figures.settling_time.expect("it settles");
    assert!((100.0..500.0).contains(&settling), "{settling} s in a run of 1000 s");
    // Without a high gain it would cost a great control signal.
    near(default_of(&lag(1.0, 10.0)).bandwidth, 24f64.sqrt() / 1e4, 0.1);
}

/// `1/(s² − 1)` is stable with P > 1 and D > 0 only.
#[test]
fn an_unstable_plant_gets_gains_that_stabilize_it() {
    let tuned = tune(&plant(channel(&[1.0], &[1.0, 0.0, -1.0])), &Target { kind: Kind::Pd, ..Target::default() }, None)
        .expect("tuned");
    assert!(tuned.gains.p > 1.0 && tuned.gains.d > 0.0, "{:?}", tuned.gains);
    assert_eq!(tuned.figures.is_stable, Some(true));
}
