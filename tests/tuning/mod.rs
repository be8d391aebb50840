//! Tuned controllers against python-control, SciPy, published tables and closed forms.

mod blocks;
mod feedback;
mod loops;
mod open_loop;
mod rules;
mod sampling;
mod shaping;

use simulate::engine::Channel;
use simulate::tuning::{Integration, Pid, Plant};

fn channel(numerator: &[f64], denominator: &[f64]) -> Channel {
    Channel::of_polynomials(numerator, denominator, None).expect("a proper transfer function")
}

fn delayed(numerator: &[f64], denominator: &[f64], seconds: f64) -> Channel {
    channel(numerator, denominator).behind_delay(seconds, 8).expect("a Padé form")
}

fn plant(of: Channel) -> Plant {
    Plant::new(of, Pid::default()).expect("a plant")
}

fn sampled(of: Channel, period: f64, method: Integration) -> Plant {
    Plant::new(of, Pid::sampled(period, method, method)).expect("a plant")
}

/// A polynomial in s, highest power first, as the product of `a·s + 1`.
fn lags(times: &[f64]) -> Vec<f64> {
    times.iter().fold(vec![1.0], |product, time| {
        let shifted = product.iter().map(|value| value * time).chain([0.0]);
        shifted.zip([0.0].into_iter().chain(product.iter().copied())).map(|(a, b)| a + b).collect()
    })
}

#[track_caller]
fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance * want.abs().max(1e-12), "got {got}, want {want} to {tolerance}");
}
