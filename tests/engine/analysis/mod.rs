//! Linear systems, their frequency responses and poles, and equilibria.

mod delays;
mod equilibria;
mod feedback;
mod linear;
mod margins;
mod root_locus;
mod time_scales;

use simulate::block::math::Complex;
use simulate::engine::{Channel, Linear, LinearizeRequest, SignalElement};
use simulate::model::{BlockId, SignalKey};

use crate::sketch::{Run, Sketch};

pub fn element(id: u64) -> SignalElement {
    SignalElement { signal: SignalKey::new(&[], BlockId(id.into()), "Output"), element: 0 }
}

pub fn wanted(input: u64, output: u64) -> LinearizeRequest {
    LinearizeRequest { inputs: vec![element(input)], outputs: vec![element(output)], ..LinearizeRequest::default() }
}

pub fn channel(run: &Run, input: u64, output: u64) -> Channel {
    let linear = Linear::new(&run.program, &run.context, &wanted(input, output)).expect("a linear system");
    linear.channel(0, 0).expect("a way")
}

#[track_caller]
pub fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "got {got}, want {want}");
}

/// Compares numbers in any order, with a tolerance.
#[track_caller]
pub fn near_all(got: &[Complex], want: &[(f64, f64)], tolerance: f64) {
    let mut left: Vec<(f64, f64)> = want.to_vec();
    for got in got {
        let distance = |(re, im): &(f64, f64)| (got.re - re).hypot(got.im - im);
        let best = (0..left.len()).min_by(|&a, &b| distance(&left[a]).total_cmp(&distance(&left[b])));
        let best = best.unwrap_or_else(|| panic!("too many: {got:?}"));
        assert!(distance(&left[best]) <= tolerance, "{got:?} is not one of {want:?}");
        left.remove(best);
    }
    assert_eq!(left, [], "these are missing");
}

/// The poles of a state-space block with this matrix.
pub fn poles_of(a: &[f64], size: usize) -> Vec<Complex> {
    let texts: Vec<String> = a.iter().map(|value| value.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ones = vec!["1"; size];
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/State Space", &[("A", &texts), ("B", &ones), ("C", &ones)])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let linear = Linear::new(&run.program, &run.context, &LinearizeRequest::default()).expect("a linear system");
    assert_eq!(linear.states.len(), size);
    linear.poles().expect("poles")
}

/// Block 0 is the torque per inertia; 1 the speed, 2 the angle.
fn pendulum(angle: f64, torque: f64) -> Sketch {
    let [angle, torque] = [angle, torque].map(|value| value.to_string());
    Sketch::new(0.01)
        .block(0, "Var/Static", &[("Value", &[&torque])])
        .block(1, "Math/Integrate", &[])
        .block(2, "Math/Integrate", &[("Initial Value", &[&angle])])
        .block(3, "Math/Trigonometry", &[("Function", &["sin"])])
        .block(4, "Math/Gain", &[("Gain", &["-14.014285714285714"])])
        .block(5, "Math/Sum", &[("Signs", &["++"])])
        .wires(
            "Main",
            &[
                ("1.Output", "2.Input"),
                ("2.Output", "3.Input"),
                ("3.Output", "4.Input"),
                ("4.Output", "5.Input 1"),
                ("0.Output", "5.Input 2"),
                ("5.Output", "1.Input"),
            ],
        )
}
