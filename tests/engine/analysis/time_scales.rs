//! The analysis of linear systems that are far slower or faster than a second, compared with closed forms.

use std::f64::consts::TAU;

use simulate::block::math::{Complex, ComplexMath};
use simulate::engine::{Channel, Linear, LinearizeRequest, SignalElement};

use super::{channel, element, near_all};
use crate::sketch::Sketch;

/// A block of states with the matrices given row after row.
fn state_space(a: &[f64], b: &[f64], c: &[f64]) -> Channel {
    let texts = [a, b, c].map(|values| values.iter().map(f64::to_string).collect::<Vec<_>>());
    let [a, b, c] = [0, 1, 2].map(|at: usize| texts[at].iter().map(String::as_str).collect::<Vec<_>>());
    let run = Sketch::new(0.1)
        .block(0, "Var/Static", &[])
        .block(1, "Continuous/State Space", &[("A", &a), ("B", &b), ("C", &c)])
        .wires("Main", &[("0.Output", "1.Input")])
        .run();
    channel(&run, 0, 1)
}

/// (s + 2)/(s² + s + 1) far below its poles: s alone is a pivot that loses all digits, and none at 0.
#[test]
fn a_response_far_below_the_poles_has_all_digits() {
    let of = state_space(&[0.0, 1.0, -1.0, -1.0], &[1.0, 1.0], &[1.0, 0.0]);
    for frequency in [0.0, 1e-20, 1e-13, 1e-9, 1e-4, 1.0, 1e4, 1e9] {
        let s = Complex::new(0.0, frequency);
        let want = (s + Complex::from(2.0)) / (s * s + s + Complex::from(1.0));
        let got = of.at(s).expect("no pole");
        assert!((got - want).norm() <= 1e-14 * want.norm(), "{frequency}: {got}, not {want}");
    }
}

/// (s + 3)/(s² + 3s + 2) with another unit of time: whatever is small beside other systems is not small beside its own
/// numbers.
#[test]
fn zeros_are_found_at_any_scale_of_time() {
    for scale in [1e-9, 1e-6, 1.0, 1e6, 1e9] {
        let scaled = |values: &[f64]| values.iter().map(|value| value * scale).collect::<Vec<f64>>();
        let of = state_space(&scaled(&[0.0, 1.0, -2.0, -3.0]), &scaled(&[0.0, 1.0]), &scaled(&[3.0, 1.0]));
        near_all(&of.zeros.clone().expect("zeros"), &[(-3.0 * scale, 0.0)], 1e-12 * scale);
        near_all(&of.poles.clone().expect("poles"), &[(-scale, 0.0), (-2.0 * scale, 0.0)], 1e-12 * scale);
        assert!((of.steady_gain() / (1.5 * scale) - 1.0).abs() < 1e-12, "{scale}");
    }
}

/// y = c·x does not see the input b·u: b is an eigenvector of A, and c another one at a right angle to it. Rounding errors
/// of the large numbers in A are no way from one to the other.
#[test]
fn rounding_errors_are_no_way_to_the_output() {
    for scale in [1.0, 1e3, 1e6, 1e9] {
        for (fast, slow) in [(3.0, 1.0), (1.7, 0.3), (1.0 / 3.0, 1.0 / 7.0), (0.1, 1.1)] {
            let element = |own: f64, other: f64| -scale * (fast * own + slow * other);
            let a = [element(0.64, 0.36), element(-0.48, 0.48), element(-0.48, 0.48), element(0.36, 0.64)];
            let of = state_space(&a, &[0.8, -0.6], &[0.6, 0.8]);
            assert_eq!(of.zeros, None, "{scale}, {fast}, {slow}");
        }
    }
}

/// (s − z)/(s − p) has the gain 1, also where a zero or a pole is 1, 2 or half as far as another.
#[test]
fn the_gain_does_not_depend_on_where_poles_and_zeros_are() {
    let places = [-4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0];
    for (zero, pole) in places.into_iter().flat_map(|zero| places.map(|pole| (zero, pole))) {
        if zero != pole {
            let numbers = [1.0, -zero, 1.0, -pole].map(|value: f64| value.to_string());
            let (above, below) = ([&*numbers[0], &*numbers[1]], [&*numbers[2], &*numbers[3]]);
            let run = Sketch::new(0.1)
                .block(0, "Var/Static", &[])
                .block(1, "Continuous/Transfer Function", &[("Numerator", &above), ("Denominator", &below)])
                .wires("Main", &[("0.Output", "1.Input")])
                .run();
            let gain = channel(&run, 0, 1).gain().expect("a gain");
            assert!((gain - 1.0).abs() < 1e-12, "(s - {zero})/(s - {pole}): {gain}");
        }
    }
}

/// Butterworth band filters of up to twelve decades. With Ω = (ω² − ω₁·ω₂)/(ω·(ω₂ − ω₁)) the gain of a band pass is
/// 1/√(1 + Ω²ⁿ), and that of a band stop 1/√(1 + Ω⁻²ⁿ) (Oppenheim, Schafer: Discrete-Time Signal Processing, appendix B).
#[test]
fn wide_bands_have_their_gain_on_both_sides() {
    for (decades, order) in [1, 3, 6, 10, 12].into_iter().flat_map(|decades| (1..=6).map(move |order| (decades, order)))
    {
        let edge = |power: f64| f64::powf(10.0, power);
        let (low, high) = (edge(-0.5 * f64::from(decades)), edge(0.5 * f64::from(decades)));
        for kind in ["band pass", "band stop"] {
            let [low_text, high_text, order_text] = [low.to_string(), high.to_string(), order.to_string()];
            let options: [(&str, &[&str]); 4] = [
                ("Type", &[kind]),
                ("Order", &[&order_text]),
                ("Frequency", &[&low_text]),
                ("Upper Frequency", &[&high_text]),
            ];
            let run = Sketch::new(0.1)
                .block(0, "Var/Static", &[])
                .block(1, "Continuous/Analog Filter Design", &options)
                .wires("Main", &[("0.Output", "1.Input")])
                .run();
            let of = channel(&run, 0, 1);
            for hertz in [0.01 * low, 0.1 * low, low, 10.0 * low, 0.3, 3.0, 0.1 * high, high, 10.0 * high, 100.0 * high]
            {
                let rest = (hertz * hertz - low * high) / (hertz * (high - low));
                let rest = if kind == "band pass" { rest } else { 1.0 / rest };
                let want = 1.0 / (1.0 + rest.powi(2 * order)).sqrt();
                let got = of.at(Complex::new(0.0, TAU * hertz)).expect("no pole there").norm();
                // A band stop is 1 minus what it stops: there the digits of its slow states are at the end of those of 1.
                let lost = if kind == "band pass" { 0.0 } else { 1e-15 * (high / low) };
                assert!(
                    (got - want).abs() < 1e-12 * want + lost,
                    "{kind}, {decades} decades, order {order}, {hertz} Hz: {got}, not {want}"
                );
            }
        }
    }
}

/// A delay of 0 s is none; e^(−s·T) has its Padé form of order 3, (120 − 60·x + 12·x² − x³)/(120 + 60·x + 12·x² + x³) with
/// x = s·T.
#[test]
fn a_delay_of_no_time_is_none() {
    for seconds in [0.0, 0.4] {
        let run = Sketch::new(0.1)
            .block(0, "Var/Static", &[("Value", &["1", "2"])])
            .block(1, "Continuous/Variable Time Delay", &[("Longest Delay", &["1"])])
            .block(2, "Var/Static", &[("Value", &[&seconds.to_string()])])
            .wires("Main", &[("0.Output", "1.Input"), ("2.Output", "1.Delay")])
            .run();
        for number in [0, 1] {
            let of = |id| vec![SignalElement { element: number, ..element(id) }];
            let wanted = LinearizeRequest { inputs: of(0), outputs: of(1), ..LinearizeRequest::default() };
            let linear = Linear::new(&run.program, &run.context, &wanted).expect("a linear system");
            let channel = linear.channel(0, 0).expect("a way");
            let s = Complex::new(0.2, 0.7);
            let x = s * seconds;
            let (even, odd) = (x * x * 12.0 + Complex::from(120.0), x * 60.0 + x * x * x);
            let (want, got) = ((even - odd) / (even + odd), channel.at(s).expect("a value"));
            assert!((got - want).norm() < 1e-12, "element {number}: {got}, not {want}");
            let points = channel.frequency_response(0.7, 0.7, 1);
            let exact = Complex::on_unit_circle(-0.7 * seconds);
            assert!((points[0].value - exact).norm() < 1e-12, "element {number}: {points:?}, not {exact}");
        }
    }
}

/// A delay of no time before, behind and beside one of 0.4 s.
#[test]
fn a_delay_of_no_time_stands_beside_another() {
    let (none, some) = ([("Delay", &["0"][..])], [("Delay", &["0.4"][..])]);
    for (first, second) in [(none, some), (some, none)] {
        let run = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(1, "Continuous/Transport Delay", &first)
            .block(2, "Continuous/Transport Delay", &second)
            .block(3, "Math/Sum", &[])
            .wires("Main", &[("0.Output", "1.Input"), ("1.Output", "2.Input"), ("1.Output", "3.Input 1")])
            .wire("2.Output", "3.Input 2")
            .run();
        let of = channel(&run, 0, 3);
        let first = if first == none { 0.0 } else { 0.4 };
        // In time as such, and as Padé forms of order 3.
        let delayed = Complex::on_unit_circle(-0.7 * 0.4);
        let found = of.frequency_response(0.7, 0.7, 1)[0].value;
        let want = Complex::on_unit_circle(-0.7 * first) + delayed;
        assert!((found - want).norm() < 1e-12, "{first}: {found}, not {want}");
        let form = |seconds: f64| {
            let x = Complex::new(0.0, 0.7) * seconds;
            let (even, odd) = (x * x * 12.0 + Complex::from(120.0), x * 60.0 + x * x * x);
            (even - odd) / (even + odd)
        };
        let (found, want) = (of.at(Complex::new(0.0, 0.7)).expect("a value"), form(first) + form(0.4));
        assert!((found - want).norm() < 1e-12, "{first}: {found}, not {want}");
    }
}

/// A·s/(s + 1) passes the gain 1 at 1/√(A² − 1), wherever between two points of the search that is.
#[test]
fn a_rising_gain_is_met_wherever_it_passes_1() {
    for number in 0..400 {
        let gain = 1.1 + f64::from(number) * 0.01;
        let run = Sketch::new(0.1)
            .block(0, "Var/Static", &[])
            .block(
                1,
                "Continuous/Transfer Function",
                &[("Numerator", &[&gain.to_string(), "0"]), ("Denominator", &["1", "1"])],
            )
            .wires("Main", &[("0.Output", "1.Input")])
            .run();
        let (margins, want) = (channel(&run, 0, 1).margins(), 1.0 / (gain * gain - 1.0).sqrt());
        let at = margins.phase_at.unwrap_or_else(|| panic!("{gain}: there is a crossover"));
        assert!((at / want - 1.0).abs() < 1e-9, "{gain}: {at}, not {want}");
        assert!((margins.phase + 90.0 + want.atan().to_degrees()).abs() < 1e-6, "{gain}: {}", margins.phase);
    }
}

/// A chain of lags 1/(τ·s + 1) that become slower from one to the next: more states than are eliminated as they are.
#[test]
fn a_long_chain_of_lags_has_its_response() {
    for count in [3, 23, 24, 25, 40] {
        let time = |number: usize| 1.0 + 0.1 * number as f64;
        let mut sketch = Sketch::new(0.1).block(0, "Var/Static", &[]);
        for number in 1..=count {
            let text = time(number).to_string();
            sketch = sketch
                .block(number as u64, "Continuous/Transfer Function", &[("Denominator", &[&text, "1"])])
                .wire(&format!("{}.Output", number - 1), &format!("{number}.Input"));
        }
        let of = channel(&sketch.run(), 0, count as u64);
        for frequency in [0.0, 0.01, 0.1, 1.0] {
            let s = Complex::new(0.0, frequency);
            let want =
                (1..=count).fold(Complex::from(1.0), |all, number| all / (s * time(number) + Complex::from(1.0)));
            let got = of.at(s).expect("a value");
            assert!((got - want).norm() < 1e-12, "{count} lags at {frequency}: {got}, not {want}");
        }
    }
}
