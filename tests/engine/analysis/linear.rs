//! Linearization, and the analysis of linear systems, compared with closed forms.

use std::f64::consts::PI;

use simulate::block::math::{Complex, ComplexMath};
use simulate::engine::{AnalysisError, Linear, LinearizeRequest, SignalElement};
use simulate::model::{BlockAddress, BlockId};

use super::{channel, element, near, near_all, pendulum, poles_of, wanted};
use crate::sketch::Sketch;

/// m·x'' + c·x' + k·x = u.
fn spring(mass: f64, damper: f64, stiffness: f64) -> Sketch {
    let [inverse, damper, stiffness] = [1.0 / mass, damper, stiffness].map(|value| value.to_string());
    Sketch::new(0.01)
        .block(0, "Var/Static", &[("Value", &["0"])])
        .block(1, "Math/Sum", &[("Signs", &["+--"])])
        .block(2, "Math/Gain", &[("Gain", &[&inverse])])
        .block(3, "Math/Integrate", &[])
        .block(4, "Math/Integrate", &[])
        .block(5, "Math/Gain", &[("Gain", &[&damper])])
        .block(6, "Math/Gain", &[("Gain", &[&stiffness])])
        .wires(
            "Main",
            &[
                ("0.Output", "1.Input 1"),
                ("5.Output", "1.Input 2"),
                ("6.Output", "1.Input 3"),
                ("1.Output", "2.Input"),
                ("2.Output", "3.Input"),
                ("3.Output", "4.Input"),
                ("3.Output", "5.Input"),
                ("4.Output", "6.Input"),
            ],
        )
}

#[test]
fn a_second_order_system_is_what_the_books_say() {
    let (mass, damper, stiffness) = (2.0, 0.8, 50.0);
    let run = spring(mass, damper, stiffness).run();
    let of = channel(&run, 0, 4);
    let (frequency, damping) = (f64::sqrt(stiffness / mass), damper / (2.0 * f64::sqrt(stiffness * mass)));
    let swing = frequency * f64::sqrt(1.0 - damping * damping);
    let poles = of.poles.clone().expect("poles");
    near_all(&poles, &[(-damping * frequency, swing), (-damping * frequency, -swing)], 1e-12);
    assert_eq!(of.zeros, Some(vec![]));
    near(of.steady_gain(), 1.0 / stiffness);
    near(of.gain().expect("a gain"), 1.0 / mass);
    assert_eq!((of.period, of.is_stable()), (None, Some(true)));
    let (got_frequency, got_damping) = of.damping(poles[0]);
    near(got_frequency, frequency);
    near(got_damping, damping);
    for point in of.frequency_response(0.1, 100.0, 50) {
        let w = point.frequency;
        let (re, im) = (stiffness - mass * w * w, damper * w);
        near(point.value.abs(), 1.0 / re.hypot(im));
        near(point.phase.to_radians(), -im.atan2(re));
    }
    let until = 10.0;
    let response = of.step_response(until, 201);
    for (&t, &y) in response.times.iter().zip(&response.values) {
        let fall = f64::exp(-damping * frequency * t);
        let want = (1.0 - fall * ((swing * t).cos() + damping * frequency / swing * (swing * t).sin())) / stiffness;
        near(y, want);
    }
    near(response.times[200], until);
    // Also with few points that are far apart.
    let coarse = of.step_response(until, 3);
    near(coarse.values[1], response.values[100]);
    near(coarse.values[2], response.values[200]);
    let response = of.impulse_response(until, 201);
    for (&t, &y) in response.times.iter().zip(&response.values) {
        near(y, f64::exp(-damping * frequency * t) * (swing * t).sin() / (mass * swing));
    }
}

#[test]
fn zeros_and_gain_are_those_of_the_polynomials() {
    // 3·(s + 2)·(s² + 2s + 5) / ((s + 1)·(s + 3)·(s + 4)·(s² + 4))
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(
            1,
            "Continuous/Transfer Function",
            &[("Numerator", &["3", "12", "27", "30"]), ("Denominator", &["1", "8", "23", "44", "76", "48"])],
        )
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let of = channel(&run, 0, 1);
    near_all(&of.zeros.clone().expect("zeros"), &[(-2.0, 0.0), (-1.0, 2.0), (-1.0, -2.0)], 1e-9);
    let want = [(-1.0, 0.0), (-3.0, 0.0), (-4.0, 0.0), (0.0, 2.0), (0.0, -2.0)];
    near_all(&of.poles.clone().expect("poles"), &want, 1e-9);
    near(of.gain().expect("a gain"), 3.0);
    near(of.steady_gain(), 30.0 / 48.0);
}

/// With direct feedthrough there are as many zeros as poles: (2s + 3)/(s + 5).
#[test]
fn a_lead_has_direct_feedthrough() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/Transfer Function", &[("Numerator", &["2", "3"]), ("Denominator", &["1", "5"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    let of = channel(&run, 0, 1);
    near_all(&of.zeros.clone().expect("zeros"), &[(-1.5, 0.0)], 1e-12);
    near(of.d, 2.0);
    near(of.gain().expect("a gain"), 2.0);
}

/// Slow modes beside a fast one are as exact as it is: 1, and 10⁻¹⁸ times those of [1 2; 3 4], (5 ± √33)/2.
#[test]
fn small_eigenvalues_beside_large_ones_are_met() {
    let graded = [1.0, 0.0, 0.0, 0.0, 1e-18, 2e-18, 0.0, 3e-18, 4e-18];
    let found = poles_of(&graded, 3);
    let want = [(5.0 - f64::sqrt(33.0)) / 2.0 * 1e-18, (5.0 + f64::sqrt(33.0)) / 2.0 * 1e-18, 1.0];
    for (found, want) in found.iter().zip(want) {
        assert!((found.re / want - 1.0).abs() < 1e-12 && found.im == 0.0, "{found:?} is not {want}");
    }
    assert_eq!(found.len(), 3);
}

/// Rosser's matrix, with double, nearly double, zero and opposite eigenvalues: ±10√10405, 510 ± 100√26, 1000 twice,
/// 1020, 0 (J. B. Rosser et al., Journal of Research of the National Bureau of Standards 47, 1951); and a band that is
/// not symmetric: a + 2√(bc)·cos(kπ/(n + 1)), or its like with an imaginary root.
#[test]
fn eigenvalues_of_known_matrices_are_met() {
    let rosser = [
        [611.0, 196.0, -192.0, 407.0, -8.0, -52.0, -49.0, 29.0],
        [196.0, 899.0, 113.0, -192.0, -71.0, -43.0, -8.0, -44.0],
        [-192.0, 113.0, 899.0, 196.0, 61.0, 49.0, 8.0, 52.0],
        [407.0, -192.0, 196.0, 611.0, 8.0, 44.0, 59.0, -23.0],
        [-8.0, -71.0, 61.0, 8.0, 411.0, -599.0, 208.0, 208.0],
        [-52.0, -43.0, 49.0, 44.0, -599.0, 411.0, 208.0, 208.0],
        [-49.0, -8.0, 8.0, 59.0, 208.0, 208.0, 99.0, -911.0],
        [29.0, -44.0, 52.0, -23.0, 208.0, 208.0, -911.0, 99.0],
    ];
    let far = 10.0 * f64::sqrt(10405.0);
    let near_by = 100.0 * f64::sqrt(26.0);
    let want = [-far, 0.0, 510.0 - near_by, 1000.0, 1000.0, 510.0 + near_by, 1020.0, far].map(|re| (re, 0.0));
    near_all(&poles_of(rosser.as_flattened(), 8), &want, 1e-9);
    // Products of three such elements are beyond all numbers.
    let large = rosser.as_flattened().iter().map(|value| value * 1e120).collect::<Vec<_>>();
    near_all(&poles_of(&large, 8), &want.map(|(re, im)| (re * 1e120, im)), 1e-9 * 1e120);
    for (above, below) in [(3.0, 0.5), (2.0, -1.0), (100.0, 1e-4)] {
        let size = 20;
        let band = |at: usize| match (at / size) as i64 - (at % size) as i64 {
            0 => -7.0,
            1 => below,
            -1 => above,
            _ => 0.0,
        };
        let band: Vec<f64> = (0..size * size).map(band).collect();
        let want: Vec<(f64, f64)> = (1..=size)
            .map(|k| {
                let part = 2.0 * f64::sqrt((above * below).abs()) * (k as f64 * PI / (size as f64 + 1.0)).cos();
                if above * below > 0.0 { (-7.0 + part, 0.0) } else { (-7.0, part) }
            })
            .collect();
        near_all(&poles_of(&band, size), &want, 1e-6);
    }
}

/// l·θ'' = -g·sin θ: about any angle A = [0 1; -g/l·cos θ 0], exactly.
#[test]
fn a_pendulum_is_linear_about_each_angle() {
    for angle in [0.0, 0.5, PI] {
        let run = pendulum(angle, 0.0).run();
        let linear = Linear::new(&run.program, &run.context, &LinearizeRequest::default()).expect("a linear system");
        let slope = -9.81 / 0.7 * angle.cos();
        let want = if slope < 0.0 {
            [(0.0, f64::sqrt(-slope)), (0.0, -f64::sqrt(-slope))]
        } else {
            [(f64::sqrt(slope), 0.0), (-f64::sqrt(slope), 0.0)]
        };
        near_all(&linear.poles().expect("poles"), &want, 1e-9);
        let ids: Vec<i128> = linear.states.iter().map(|state| state.block.block.0).collect();
        assert_eq!(ids, [1, 2]);
    }
}

/// x⁺ = 0.5·x + u with steps of 0.1 s: 1/(z - 0.5).
#[test]
fn a_delay_is_a_pole_in_z() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &["++"])])
        .block(2, "Discrete/Unit Delay", &[])
        .block(3, "Math/Gain", &[("Gain", &["0.5"])])
        .wires(
            "Main",
            &[("0.Output", "1.Input 1"), ("3.Output", "1.Input 2"), ("1.Output", "2.Input"), ("2.Output", "3.Input")],
        )
        .run();
    let of = channel(&run, 0, 2);
    assert_eq!(of.period, Some(0.1));
    near_all(&of.poles.clone().expect("poles"), &[(0.5, 0.0)], 1e-15);
    near(of.steady_gain(), 2.0);
    for point in of.frequency_response(0.1, 10.0 * PI, 40) {
        let angle = point.frequency * 0.1;
        near(point.value.abs(), 1.0 / (angle.cos() - 0.5).hypot(angle.sin()));
    }
    let response = of.step_response(1.0, 0);
    assert_eq!(response.values.len(), 11);
    for (step, &y) in response.values.iter().enumerate() {
        near(y, 2.0 - 2.0 * 0.5_f64.powi(step as i32));
    }
}

/// A delay of five steps shifts each sine by five periods, whatever its history holds and wherever its write position
/// is.
#[test]
fn a_ring_is_a_delay() {
    let mut run = Sketch::new(0.1)
        .block(0, "Var/Clock", &[])
        .block(1, "Discrete/Delay", &[("Length", &["5"])])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    for steps in [0, 3, 9] {
        run.steps(steps);
        let of = channel(&run, 0, 1);
        assert_eq!(of.a.rows, 5);
        for point in of.frequency_response(0.1, 3.0, 10) {
            near(point.value.abs(), 1.0);
            near(point.phase, -(point.frequency * 0.5).to_degrees());
        }
    }
}

/// A controller with a sample time of 0.1 s, which is four or two steps, on the plant 1/(s + 2): from hit to hit x⁺ =
/// e^(-0.2)·x + (1 - e^(-0.2))/2·w, where w is the input that was held at the hit.
#[test]
fn a_held_input_moves_a_plant_exactly() {
    for delta in [0.025, 0.05] {
        let run = Sketch::new(delta)
            .block(0, "Var/Static", &[])
            .block(1, "Discrete/Zero-Order Hold", &[("Sample Time", &["0.1"])])
            .block(2, "Continuous/Transfer Function", &[("Denominator", &["1", "2"])])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input")])
            .run();
        let of = channel(&run, 0, 2);
        near(of.period.expect("a period"), 0.1);
        near(of.steady_gain(), 0.5);
        let response = of.step_response(1.0, 0);
        for (hit, &y) in response.values.iter().enumerate() {
            near(y, 0.5 * (1.0 - f64::exp(-0.2 * hit as f64)));
        }
    }
}

/// The loop is opened at the input: from behind the sum round to the output of the sum, with the sign of the loop.
#[test]
fn a_loop_can_be_opened() {
    let run = spring(1.0, 0.0, 4.0).run();
    let wanted = LinearizeRequest { cuts_inputs: true, ..wanted(2, 1) };
    let linear = Linear::new(&run.program, &run.context, &wanted).expect("a linear system");
    let of = linear.channel(0, 0).expect("a way");
    // u -> -4/s².
    near_all(&of.poles.clone().expect("poles"), &[(0.0, 0.0), (0.0, 0.0)], 1e-12);
    near(of.at(Complex::new(0.0, 2.0)).expect("a value").re, 1.0);
}

/// y = u - 3y within a step: y = u/4, then integrated.
#[test]
fn an_algebraic_loop_has_its_slope() {
    let mut sketch = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Sum", &[("Signs", &["+-"])])
        .block(2, "Math/Gain", &[("Gain", &["3"])])
        .block(3, "Math/Integrate", &[])
        .wires(
            "Main",
            &[("0.Output", "1.Input 1"), ("2.Output", "1.Input 2"), ("1.Output", "2.Input"), ("1.Output", "3.Input")],
        );
    sketch.simulation.attributes.set("loops", "solve");
    let run = sketch.run();
    let of = channel(&run, 0, 3);
    near(of.b.at(0, 0), 0.25);
    let refused = Linear::new(&run.program, &run.context, &wanted(1, 3));
    assert!(matches!(refused, Err(AnalysisError::InLoop(_))), "{refused:?}");
}

/// x' = 5u + 7v - 2x; y = 2u + 3v + x. Each input has a column.
#[test]
fn two_inputs_have_a_column_each() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["0"])])
        .block(1, "Var/Static", &[("Value", &["0"])])
        .block(2, "Math/Gain", &[("Gain", &["5"])])
        .block(3, "Math/Gain", &[("Gain", &["7"])])
        .block(4, "Math/Gain", &[("Gain", &["2"])])
        .block(5, "Math/Gain", &[("Gain", &["3"])])
        .block(6, "Math/Sum", &[("Signs", &["++-"])])
        .block(7, "Math/Integrate", &[])
        .block(8, "Math/Sum", &[("Signs", &["+++"])])
        .block(9, "Math/Gain", &[("Gain", &["2"])])
        .wires("Main", &[("0.Output", "2.Input"), ("1.Output", "3.Input"), ("0.Output", "4.Input")])
        .wires("Main", &[("1.Output", "5.Input"), ("2.Output", "6.Input 1"), ("3.Output", "6.Input 2")])
        .wires("Main", &[("7.Output", "9.Input"), ("9.Output", "6.Input 3"), ("6.Output", "7.Input")])
        .wires("Main", &[("4.Output", "8.Input 1"), ("5.Output", "8.Input 2"), ("7.Output", "8.Input 3")])
        .run();
    let wanted = LinearizeRequest {
        inputs: vec![element(0), element(1)],
        outputs: vec![element(8), element(7)],
        ..LinearizeRequest::default()
    };
    let linear = Linear::new(&run.program, &run.context, &wanted).expect("a linear system");
    let all = |matrix: &simulate::engine::Matrix| {
        let rows = 0..matrix.rows;
        rows.map(|row| (0..matrix.columns).map(|column| matrix.at(row, column)).collect()).collect::<Vec<Vec<_>>>()
    };
    assert_eq!(all(&linear.a), [[-2.0]]);
    assert_eq!(all(&linear.b), [[5.0, 7.0]]);
    assert_eq!(all(&linear.c), [[1.0], [1.0]]);
    assert_eq!(all(&linear.d), [[2.0, 3.0], [0.0, 0.0]]);
}

/// From a hundredth of the slowest pole to a hundred times the fastest; of a discrete system up to half the sample
/// rate.
#[test]
fn the_span_of_frequencies_holds_all_poles() {
    let of = |block: &str, options: &[(&str, &[&str])]| {
        let run =
            Sketch::new(0.1).block(0, "Var/Static", &[]).block(1, block, options).wire("0.Output", "1.Input").run();
        channel(&run, 0, 1).span()
    };
    let (low, high) = of("Continuous/Transfer Function", &[("Numerator", &["1"]), ("Denominator", &["1", "12", "20"])]);
    near(low, 0.02);
    near(high, 1000.0);
    // No pole has a frequency: about 1 rad/s.
    assert_eq!(of("Math/Gain", &[]), (0.01, 100.0));
}

/// Each element of a vector has a history of its own, whatever the write position.
#[test]
fn each_element_is_delayed_by_its_own_past() {
    for steps in 0..4 {
        let mut run = Sketch::new(0.1)
            .block(0, "Var/Static", &[("Value", &["1", "2"])])
            .block(1, "Discrete/Delay", &[("Length", &["3"])])
            .wire("0.Output", "1.Input")
            .run();
        run.steps(steps);
        for number in [0, 1] {
            let of = |id| vec![SignalElement { element: number, ..element(id) }];
            let wanted = LinearizeRequest { inputs: of(0), outputs: of(1), ..LinearizeRequest::default() };
            let linear = Linear::new(&run.program, &run.context, &wanted).expect("a linear system");
            let value = linear.channel(0, 0).expect("a way").at(Complex::on_unit_circle(0.5)).expect("a value");
            near(value.re, 1.5f64.cos());
            near(value.im, -1.5f64.sin());
        }
    }
}

/// Two parallel integrators: a matrix of zeros has eigenvalues, too.
#[test]
fn integrators_beside_each_other_have_two_poles_at_zero() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Math/Integrate", &[])
        .block(2, "Math/Integrate", &[])
        .block(3, "Math/Sum", &[("Signs", &["++"])])
        .wires("Main", &[("0.Output", "1.Input"), ("0.Output", "2.Input")])
        .wires("Main", &[("1.Output", "3.Input 1"), ("2.Output", "3.Input 2")])
        .run();
    assert_eq!(channel(&run, 0, 3).poles, Some(vec![Complex::new(0.0, 0.0); 2]));
}

/// z = t + x - 3·y with y = z, so z = (t + x)/4, and x' = z: the time in the loop is no state.
#[test]
fn the_time_in_a_loop_is_no_state() {
    let mut sketch = Sketch::new(0.1)
        .block(0, "User/Formula", &[("Inputs", &["x y"]), ("Formula", &["z = t + x - 3*y"])])
        .block(1, "Math/Gain", &[("Gain", &["1"])])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("2.Output", "0.x"), ("1.Output", "0.y"), ("0.z", "1.Input"), ("0.z", "2.Input")]);
    sketch.simulation.attributes.set("loops", "solve");
    let run = sketch.run();
    let linear = Linear::new(&run.program, &run.context, &LinearizeRequest::default()).expect("a linear system");
    near(linear.a.at(0, 0), 0.25);
}

/// A delay of one sample, in a history of three.
#[test]
fn the_latest_past_value_is_one_step_old() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["0"])])
        .block(1, "Var/Static", &[("Value", &["1"])])
        .block(2, "Discrete/Variable Integer Delay", &[("Longest Delay", &["3"])])
        .wires("Main", &[("0.Output", "2.Input"), ("1.Output", "2.Delay")])
        .run();
    let value = channel(&run, 0, 2).at(Complex::on_unit_circle(0.5)).expect("a value");
    near(value.re, 0.5f64.cos());
    near(value.im, -0.5f64.sin());
}

#[test]
fn blocks_that_iterate_are_reported_as_constant() {
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[("Value", &["3"])])
        .block(1, "Flow/Repeat", &[])
        .block(2, "Math/Integrate", &[])
        .wires("Main", &[("0.Output", "1.Times"), ("1.Output", "2.Input")])
        .run();
    let linear = Linear::new(&run.program, &run.context, &LinearizeRequest::default()).expect("a linear system");
    assert_eq!(linear.still, [BlockAddress::new(&[], BlockId(1))]);
}
