//! Plants as sampled controllers see them.

use simulate::block::math::{Complex, ComplexMath};

use super::{channel, delayed};

/// `a·e^(−τ·s)/(s + a)` with τ = (d + ε)·T has the modified z-transform with m = 1 − ε (K. Åström, B. Wittenmark:
/// Computer-Controlled Systems, section 2.3).
#[test]
fn a_delay_that_is_no_multiple_of_the_sample_time_is_a_modified_z_transform() {
    let (rate, period) = (0.8, 0.5);
    for delay in [0.2, 0.5, 1.1, 1.0] {
        let sampled = delayed(&[rate], &[1.0, rate], delay).sampled(period).expect("sampled");
        let whole = (delay / period + 1e-12).floor();
        let part = delay / period - whole;
        let decay = |time: f64| (-rate * time).exp();
        let (first, second) = (1.0 - decay((1.0 - part) * period), decay((1.0 - part) * period) - decay(period));
        let frequencies = [0.1, 1.0, 3.0, 6.0];
        for (frequency, got) in frequencies.into_iter().zip(sampled.response_at(&frequencies)) {
            let z = Complex::on_unit_circle(frequency * period);
            let mut want = (z * first + second).divided_by(z * (z - decay(period)));
            for _ in 0..whole as usize {
                want = want.divided_by(z);
            }
            let got = got.expect("a response");
            assert!((got - want).abs() < 1e-9, "delay {delay} at {frequency}: {got}, not {want}");
        }
    }
}

/// The response with a delay is exact; the delay in series turns the phase by −ω·τ.
#[test]
fn a_channel_behind_a_delay_turns_its_phase() {
    let (plain, late) = (channel(&[2.0], &[1.0, 3.0, 1.0]), delayed(&[2.0], &[1.0, 3.0, 1.0], 0.7));
    let frequencies = [0.1, 1.0, 20.0];
    for ((frequency, plain), late) in
        frequencies.into_iter().zip(plain.response_at(&frequencies)).zip(late.response_at(&frequencies))
    {
        let want = plain.expect("a response") * Complex::on_unit_circle(-0.7 * frequency);
        assert!((late.expect("a response") - want).abs() < 1e-12);
    }
    // Again behind a delay: both add up.
    let twice = late.behind_delay(0.3, 4).expect("a Padé form").response_at(&[2.0])[0].expect("a response");
    let want = channel(&[2.0], &[1.0, 3.0, 1.0]).response_at(&[2.0])[0].expect("a response");
    assert!((twice - want * Complex::on_unit_circle(-2.0)).abs() < 1e-12);
}
