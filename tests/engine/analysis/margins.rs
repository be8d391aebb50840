//! What follows from poles and frequency responses: margins, damping, durations, sample times.

use std::f64::consts::{PI, SQRT_2};

use simulate::block::math::{Complex, ComplexMath, Matrix, eigenvalues};
use simulate::engine::{Channel, Linear, LinearizeRequest};

use super::{channel, element, near, near_all, poles_of, wanted};
use crate::sketch::Sketch;

/// K/(s·(s + 1)·(s + 2)) oscillates at √2 with a gain of 6 (Åström, Murray: Feedback Systems, the Routh-Hurwitz bound);
/// the phase margin of ω²/(s·(s + 2ζω)) is atan(2ζ/√(√(1 + 4ζ⁴) - 2ζ²)).
#[test]
fn margins_are_those_of_the_books() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["1", "3", "2", "0"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let of = channel(&run, 0, 1);
    let margins = of.margins();
    near(margins.gain, 3.0);
    near(margins.gain_at.expect("a crossing"), SQRT_2);
    assert!(of.steady_gain().is_infinite());
    // 4/(s + 1)³ has a phase of -180° at √3, with a gain of 1/2.
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", &["4"]), ("Denominator", &["1", "3", "3", "1"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let of = channel(&run, 0, 1);
    let margins = of.margins();
    near(margins.gain, 2.0);
    near(margins.gain_at.expect("a crossing"), 3f64.sqrt());
    let damping: f64 = 0.3;
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", &["4"]), ("Denominator", &["1", "1.2", "0"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let of = channel(&run, 0, 1);
    let margins = of.margins();
    let square = damping * damping;
    let want = (2.0 * damping / f64::sqrt(f64::sqrt(1.0 + 4.0 * square * square) - 2.0 * square)).atan();
    near(margins.phase, want.to_degrees());
    assert_eq!((margins.gain, margins.gain_at), (f64::INFINITY, None));
}

fn transfer(numerator: &[&str], denominator: &[&str]) -> Channel {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", numerator), ("Denominator", denominator)])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    channel(&run, 0, 1)
}

/// −4/(s + 1) is on the negative axis at ω = 0, with a gain of 4. 10⁶/(s + 1) has a gain of 1 at √(10¹² − 1) rad/s, far
/// beyond its pole, and 10⁻⁶/s at 10⁻⁶ rad/s. A resonance that is as narrow as 10⁻⁶ is not missed: 1/(s² + 2ζs + 1) with
/// ζ = 10⁻⁶ has a gain of 1 at √(2 − 4ζ²) and 0.
#[test]
fn margins_do_not_depend_on_any_range() {
    let margins = transfer(&["-4"], &["1", "1"]).margins();
    near(margins.gain, 0.25);
    assert_eq!(margins.gain_at, Some(0.0));
    let margins = transfer(&["1e6"], &["1", "1"]).margins();
    near(margins.phase_at.expect("a crossing") / f64::sqrt(1e12 - 1.0), 1.0);
    let margins = transfer(&["1e-6"], &["1", "0"]).margins();
    near(margins.phase_at.expect("a crossing") * 1e6, 1.0);
    near(margins.phase, 90.0);
    let margins = transfer(&["0.001"], &["1", "2e-6", "1"]).margins();
    // The peak of 0.001/(2ζ) = 500 at ω = 1: gain 1 at 1 ± 0.0005, where the phase is about −180° behind the peak.
    let above = f64::sqrt(1.0 - 2e-12 + f64::sqrt(1e-6 - 4e-12));
    near(margins.phase_at.expect("a crossing"), above);
}

/// K·T/(z − 1) is unstable from K·T = 2 on, where its pole 1 − K·T passes −1: the response at the Nyquist frequency.
#[test]
fn a_discrete_crossover_is_at_most_at_the_nyquist_frequency() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Discrete/Discrete-Time Integrator", &[("Gain", &["4"]), ("Sample Time", &["0.1"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let margins = channel(&run, 0, 1).margins();
    near(margins.gain, 2.0 / 0.4);
    near(margins.gain_at.expect("a crossing"), PI / 0.1);
    // |0.4/(z − 1)| = 1 where 2·sin(ωT/2) = 0.4.
    near(margins.phase_at.expect("a crossing"), 2.0 / 0.1 * f64::asin(0.2));
}

/// (x + u)·10⁻⁹ with x' = 10⁻⁹·(u − x) has a zero at −2·10⁻⁹ rad/s: what counts as 0 depends on the size of the numbers.
#[test]
fn slow_systems_have_zeros_too() {
    for (text, size) in [("1e-9", 1e-9), ("1", 1.0), ("1e9", 1e9)] {
        let run = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(1, "Math/Sum", &[("Signs", &["+-"])])
            .block(2, "Math/Gain", &[("Gain", &[text])])
            .block(3, "Math/Integrate", &[])
            .block(4, "Math/Sum", &[("Signs", &["++"])])
            .block(5, "Math/Gain", &[("Gain", &[text])])
            .wires("Main", &[("0.Output", "1.Input 1"), ("3.Output", "1.Input 2"), ("1.Output", "2.Input")])
            .wires("Main", &[("2.Output", "3.Input"), ("3.Output", "4.Input 1"), ("0.Output", "4.Input 2")])
            .wire("4.Output", "5.Input")
            .run();
        let of = channel(&run, 0, 5);
        let zeros: Vec<Complex> =
            of.zeros.expect("zeros").iter().map(|zero| *zero * Complex::from(1.0 / size)).collect();
        near_all(&zeros, &[(-2.0, 0.0)], 1e-9);
    }
}

/// A system with a zero in the right half plane of which no channel has one.
#[test]
fn several_inputs_and_outputs_have_transmission_zeros() {
    // G = [1/(s+1), 2/(s+3); 1/(s+1), 1/(s+1)]: det G = ((s + 3) − 2(s + 1))/((s + 1)²(s + 3)) = (1 − s)/…, a zero at 1
    // (Skogestad, Postlethwaite: Multivariable Feedback Control, section 4.5).
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Var/Static", &[])
        .block(2, "Continuous/Transfer Function", &[("Numerator", &["1"]), ("Denominator", &["1", "1"])])
        .block(3, "Continuous/Transfer Function", &[("Numerator", &["2"]), ("Denominator", &["1", "3"])])
        .block(4, "Continuous/Transfer Function", &[("Numerator", &["1"]), ("Denominator", &["1", "1"])])
        .block(5, "Math/Sum", &[])
        .block(6, "Math/Sum", &[])
        .wires(
            "Main",
            &[
                ("0.Output", "2.Input"),
                ("1.Output", "3.Input"),
                ("1.Output", "4.Input"),
                ("2.Output", "5.Input 1"),
                ("3.Output", "5.Input 2"),
                ("2.Output", "6.Input 1"),
                ("4.Output", "6.Input 2"),
            ],
        )
        .run();
    let wanted = LinearizeRequest {
        inputs: vec![element(0), element(1)],
        outputs: vec![element(5), element(6)],
        ..LinearizeRequest::default()
    };
    let linear = Linear::new(&run.program, &run.context, &wanted).expect("it is linearized");
    let zeros = linear.zeros().expect("they are found");
    assert_eq!(zeros.len(), 1, "{zeros:?}");
    near(zeros[0].re, 1.0);
    near(zeros[0].im, 0.0);
    // One input and two outputs: the greatest common divisor of 1/(s + 1) and 1/(s + 1) has no zero.
    let tall = LinearizeRequest { inputs: vec![element(0)], ..wanted };
    let linear = Linear::new(&run.program, &run.context, &tall).expect("it is linearized");
    assert!(linear.zeros().is_some_and(|zeros| zeros.iter().all(|zero| zero.re < 0.0)));
}

/// Far below all poles the phase is that of the damper alone, -ω·c/k, however small, in whichever order the states are:
/// where x comes before its speed the first pivot is ω.
#[test]
fn the_phase_is_right_far_below_all_poles() {
    for (x, v) in [(1, 2), (2, 1)] {
        let of = |id: u64, input: &str| format!("{id}.{input}");
        let run = Sketch::new(0.01)
            .block(0, "Var/Static", &[("Value", &["0"])])
            .block(x, "Math/Integrate", &[])
            .block(v, "Math/Integrate", &[])
            .block(3, "Math/Sum", &[("Signs", &["+--"])])
            .block(4, "Math/Gain", &[("Gain", &["0.1"])])
            .wire(&of(v, "Output"), &of(x, "Input"))
            .wire("3.Output", &of(v, "Input"))
            .wire(&of(v, "Output"), "4.Input")
            .wire("0.Output", "3.Input 1")
            .wire("4.Output", "3.Input 2")
            .wire(&of(x, "Output"), "3.Input 3")
            .run();
        for point in channel(&run, 0, x).frequency_response(1e-14, 1e-10, 5) {
            near(point.value.abs(), 1.0);
            near(point.phase.to_radians() / (-0.1 * point.frequency), 1.0);
        }
    }
}

/// 1/(s² + 4) at 1 rad/s, where the two rows are exchanged and j stands below the first: 1/3. And 1/(s² + 0.25), whose
/// rows stay.
#[test]
fn rows_are_exchanged_where_a_frequency_is_below_the_poles() {
    for (stiffness, want) in [("4", 1.0 / 3.0), ("0.25", -4.0 / 3.0)] {
        for (x, v) in [(1, 2), (2, 1)] {
            let of = |id: u64, input: &str| format!("{id}.{input}");
            let run = Sketch::new(0.01)
                .block(0, "Var/Static", &[("Value", &["0"])])
                .block(x, "Math/Integrate", &[])
                .block(v, "Math/Integrate", &[])
                .block(3, "Math/Sum", &[("Signs", &["+-"])])
                .block(4, "Math/Gain", &[("Gain", &[stiffness])])
                .wire(&of(v, "Output"), &of(x, "Input"))
                .wire("3.Output", &of(v, "Input"))
                .wire(&of(x, "Output"), "4.Input")
                .wire("0.Output", "3.Input 1")
                .wire("4.Output", "3.Input 2")
                .run();
            let point = channel(&run, 0, x).frequency_response(1.0, 10.0, 2)[0];
            near(point.value.re, want);
            near(point.value.im, 0.0);
        }
    }
}

/// Two delays with sample times of two and three steps act together every six: each is a pole that takes over its
/// input, three or two times in that period.
#[test]
fn sample_times_meet_in_their_least_common_multiple() {
    for (first, second) in [("0.2", "0.3"), ("0.3", "0.2"), ("0.6", "0.2"), ("0.6", "0.3")] {
        let run = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(1, "Discrete/Unit Delay", &[("Sample Time", &[first])])
            .block(2, "Discrete/Unit Delay", &[("Sample Time", &[second])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
            .run();
        near(channel(&run, 0, 2).period.expect("a period"), 0.6);
    }
}

/// The frequency of a pole and its damping, and the time that a response takes, from the poles that a filter was given.
#[test]
fn damping_and_duration_follow_from_the_poles() {
    let of = |poles: &str| {
        let run = Sketch::new(0.5)
            .block(0, "Var/Static", &[])
            .block(1, "Continuous/Zero-Pole", &[("Poles", &[poles])])
            .wires("Main", &[("0.Output", "1.Input")])
            .run();
        channel(&run, 0, 1)
    };
    let zero = Complex::new(0.0, 0.0);
    assert_eq!(of("0").damping(zero), (0.0, 1.0));
    assert_eq!(of("0").damping(Complex::new(2.0, 0.0)), (2.0, -1.0));
    assert_eq!(of("0").damping(Complex::new(-3.0, 4.0)), (5.0, 0.6));
    for (poles, want) in [
        // Seven times the slowest time constant.
        ("-2", 3.5),
        ("-2 -4 -0.5", 14.0),
        ("-1-i, -1+i", 7.0),
        ("-1+i -1-i -5", 7.0),
        // What does not decay is seen over some ten oscillations; what rests at 0 says nothing.
        ("-2i 2i", 35.0),
        ("0 -2", 3.5),
        ("0", 10.0),
        ("3", 7.0 / 3.0),
    ] {
        near(of(poles).horizon(), want);
    }
    for (poles, is_stable) in [("-0.5", true), ("-1e-3 -2", true), ("0.5", false), ("-3 0.5", false), ("0", false)] {
        assert_eq!(of(poles).is_stable(), Some(is_stable), "{poles}");
    }
    near_all(&of("-i i -2-i -2+i").poles.expect("poles"), &[(0.0, 1.0), (0.0, -1.0), (-2.0, 1.0), (-2.0, -1.0)], 1e-9);
    // Of a sampled system it is a whole number of periods.
    let sampled = |pole: &str| {
        let run = Sketch::new(0.5)
            .block(0, "Var/Static", &[])
            .block(1, "Discrete/Transfer Function First Order", &[("Pole", &[pole])])
            .block(2, "Discrete/Unit Delay", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
            .run();
        channel(&run, 0, 2)
    };
    // z = e^(-2·0.5), which decays as e^(-2t): 3.5 s are 7 periods; with 0.5 it is 7·0.5/ln 2 = 5.05 s, 11 periods.
    near(sampled(&f64::exp(-1.0).to_string()).horizon(), 3.5);
    near(sampled("0.5").horizon(), 5.5);
    for (pole, is_stable) in [("0.5", true), ("-0.99", true), ("-1.5", false), ("2", false)] {
        assert_eq!(sampled(pole).is_stable(), Some(is_stable), "z = {pole}");
    }
}

/// Where the first of the elements below the diagonal is by far the largest, and negative, no digits are lost: the
/// determinant of A - λ is 0 for each eigenvalue.
#[test]
fn eigenvalues_keep_their_digits_behind_a_large_first_element() {
    for small in [1e-5, 1e-6, 1e-7, 1e-8] {
        for first in [-1.0, 1.0] {
            let a = [2.0, 1.0, 3.0, first, 4.0, 1.0, small, 5.0, 6.0];
            for value in poles_of(&a, 3) {
                let at = |row: usize, column: usize| {
                    let own = Complex::from(a[3 * row + column]);
                    if row == column { own - value } else { own }
                };
                let minor = |b: usize, c: usize| at(1, b) * at(2, c) - at(1, c) * at(2, b);
                let det = at(0, 0) * minor(1, 2) - at(0, 1) * minor(0, 2) + at(0, 2) * minor(0, 1);
                assert!(det.abs() < 1e-12, "{small}, {first}: {value} leaves {}", det.abs());
            }
        }
    }
}

/// Only the states between the input and the output are part of the system; without both, all are.
#[test]
fn states_beside_the_way_are_left_out() {
    use simulate::engine::{Linear, LinearizeRequest};
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Integrate", &[])
        .block(2, "Var/Clock", &[])
        .block(3, "Continuous/PT1", &[])
        .block(4, "Continuous/PT1", &[("Time Constant", &["0.5"])])
        .wires("Main", &[("0.Output", "1.Input"), ("2.Output", "3.Input"), ("1.Output", "4.Input")])
        .run();
    let of = |request: &LinearizeRequest| {
        let linear = Linear::new(&run.program, &run.context, request).expect("a linear system");
        (linear.states.len(), linear.left_out)
    };
    assert_eq!(of(&wanted(0, 1)), (1, 2));
    assert_eq!(of(&wanted(0, 4)), (2, 1));
    assert_eq!(of(&LinearizeRequest::default()), (3, 0));
    assert_eq!(of(&LinearizeRequest { outputs: vec![], ..wanted(0, 1) }), (3, 0));
}

/// A filter behind a delay of 20 samples: the delay has 20 poles at 0, the filter one at 0.9, and neither acts back on the
/// other.
#[test]
fn the_poles_of_a_delay_are_at_zero_beside_others() {
    let run = Sketch::new(0.01)
        .block(0, "Var/Static", &[])
        .block(1, "Discrete/Delay", &[("Length", &["20"])])
        .block(2, "Discrete/Transfer Function First Order", &[("Pole", &["0.9"])])
        .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
        .run();
    let mut want = vec![Complex::from(0.0); 20];
    want.push(Complex::from(0.9));
    assert_eq!(channel(&run, 0, 2).poles, Some(want));
}

/// A triangular matrix whose rows and columns are mixed, with elements up to 10¹²: its eigenvalues are on the diagonal. Two
/// blocks that act one way keep their own: those of [1 2; 3 2] are −1 and 4, those of [0 1; −1 0] are ±i.
#[test]
fn a_permuted_triangular_matrix_has_exact_eigenvalues() {
    let size = 24;
    // 7 has no factor in common with 24.
    let mixed = |index: usize| index * 7 % size;
    let element = |row: usize, column: usize| match row.cmp(&column) {
        std::cmp::Ordering::Equal => row as f64 / 4.0 - 3.0,
        std::cmp::Ordering::Less => 10f64.powi((row * 5 + column * 3) as i32 % 25 - 12),
        std::cmp::Ordering::Greater => 0.0,
    };
    let matrix = Matrix::from(size, size, |row, column| element(mixed(row), mixed(column)));
    let want: Vec<Complex> = (0..size).map(|index| Complex::from(index as f64 / 4.0 - 3.0)).collect();
    assert_eq!(eigenvalues(&matrix), Some(want));
    let values = [[1.0, 1e9, 2.0, -1e9], [0.0, 0.0, 0.0, 1.0], [3.0, -1e9, 2.0, 1e9], [0.0, -1.0, 0.0, 0.0]];
    let found = eigenvalues(&Matrix::from(4, 4, |row, column| values[row][column])).expect("eigenvalues");
    near_all(&found, &[(-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (4.0, 0.0)], 1e-15);
}

/// At a zero on the axis the phase jumps over −180°, but no gain leads to −1. (s² + 1)/(s + 1)³ has no other crossover,
/// and (s² + 1)²/(s + 1)⁵ one at tan 36°. A zero in the right half-plane beside the axis is none on it: with s² − 2εs + 1
/// the loop is unstable from εK² + (3ε − 1)K = 4 on (Routh and Hurwitz).
#[test]
fn a_zero_on_the_axis_is_no_gain_margin() {
    for gain in ["1", "1e-3", "1e4"] {
        let margins = transfer(&[gain, "0", gain], &["1", "3", "3", "1"]).margins();
        assert_eq!((margins.gain, margins.gain_at), (f64::INFINITY, None), "{gain}");
    }
    // In units of time in which the zero is at 1000π rad/s.
    let zero = 1000.0 * PI;
    let texts = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>();
    let (above, below) = (texts(&[1.0, 0.0, zero * zero]), texts(&[1.0, 3.0 * zero, 3.0 * zero * zero, zero.powi(3)]));
    let [above, below] = [&above, &below].map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(transfer(&above, &below).margins().gain_at, None);
    let margins = transfer(&["1", "0", "2", "0", "1"], &["1", "5", "10", "10", "5", "1"]).margins();
    let at = (PI / 5.0).tan();
    near(margins.gain_at.expect("a crossing"), at);
    near(margins.gain, (1.0 + at * at).powf(2.5) / (1.0 - at * at).powi(2));
    for (text, part) in [("-2e-2", 1e-2_f64), ("-2e-4", 1e-4), ("-2e-7", 1e-7)] {
        let margins = transfer(&["1", text, "1"], &["1", "3", "3", "1"]).margins();
        let linear = 1.0 - 3.0 * part;
        let want = (linear + (linear * linear + 16.0 * part).sqrt()) / (2.0 * part);
        assert!((margins.gain / want - 1.0).abs() < 1e-6, "{text}: {} is not {want}", margins.gain);
    }
}

/// The phase does not depend on the number of points: −50 ωT for z⁻⁵⁰, −ωT for a delay in time, −12 atan ω for
/// 1/(s + 1)¹²; a resonance, or its inverse, turns it by a half turn however narrow it is.
#[test]
fn the_phase_is_followed_between_few_points() {
    let behind = |block: &str, options: &[(&str, &[&str])]| {
        let sketch = Sketch::new(0.1).block(0, "Var/Static", &[]).block(1, block, options);
        channel(&sketch.wires("Main", &[("0.Output", "1.Input")]).run(), 0, 1)
    };
    let binomial = ["1", "12", "66", "220", "495", "792", "924", "792", "495", "220", "66", "12", "1"];
    type Phase = fn(f64) -> f64;
    let cases: [(Channel, f64, f64, Phase); 6] = [
        (behind("Discrete/Delay", &[("Length", &["50"])]), 0.01, 31.0, |at| -5.0 * at),
        (behind("Discrete/Delay", &[("Length", &["50"])]), 20.0, 30.0, |at| -5.0 * at),
        (behind("Continuous/Transport Delay", &[("Delay", &["5"])]), 0.01, 300.0, |at| -5.0 * at),
        (transfer(&["1"], &binomial), 1e-3, 1e3, |at| -12.0 * at.atan()),
        (transfer(&["1"], &["1", "2e-9", "1"]), 0.3, 4.0, |at| (-2e-9 * at).atan2(1.0 - at * at)),
        (transfer(&["1", "-2e-6", "1"], &["1", "3", "3", "1"]), 0.1, 40.0, |at| {
            (-2e-6 * at).atan2(1.0 - at * at) - 3.0 * at.atan()
        }),
    ];
    for (number, (of, from, to, want)) in cases.iter().enumerate() {
        for count in [2, 3, 4, 7, 20, 300] {
            for point in of.frequency_response(*from, *to, count) {
                let want = want(point.frequency).to_degrees();
                let is_near = (point.phase - want).abs() < 1e-5 * want.abs().max(1.0);
                assert!(is_near, "case {number}, {count} points: {} at {}, not {want}", point.phase, point.frequency);
            }
        }
    }
}
