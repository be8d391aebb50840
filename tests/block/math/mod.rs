//! The elementary functions: compared with high-precision values, at special values, and with equal bits for every way
//! of calling them.
//!
//! `values.py` generated `values.txt` with MPFR (gmpy2), 500 bits; `coefficients.py` generated the coefficients in
//! `src/block/math` with mpmath.

mod discretize;
mod slopes;

use simulate::block::math::{Args, BinaryFunction, BinaryVisitor, CHUNK, UnaryFunction, UnaryVisitor};
use simulate::block::{Binary, Unary};

use crate::sketch::{Run, Sketch};

fn unary(name: &str) -> Unary {
    Unary::by_name(name).expect("a function of one value")
}

fn binary(name: &str) -> Binary {
    Binary::by_name(name).expect("a function of two values")
}

/// Applies an operation to many elements at once.
struct Many<'a, const N: usize>(&'a Args<N>, &'a mut [f64; CHUNK]);

impl UnaryVisitor for Many<'_, 1> {
    fn visit<F: UnaryFunction>(self) {
        F::values(self.0, self.1);
    }
}

impl BinaryVisitor for Many<'_, 2> {
    fn visit<F: BinaryFunction>(self) {
        F::values(self.0, self.1);
    }
}

/// The doubles within one unit in the last place of the true value, given the nearest double and the side of the true
/// value.
fn is_within_one_unit(got: f64, near: f64, side: &str) -> bool {
    let other = match side {
        "+" => near.next_up(),
        "-" => near.next_down(),
        _ => near,
    };
    [near, other].iter().any(|want| want.to_bits() == got.to_bits())
}

/// Function, arguments, nearest double, side.
fn values() -> impl Iterator<Item = (&'static str, Vec<f64>, f64, &'static str)> {
    include_str!("values.txt").lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, numbers @ .., side] = &words[..] else { panic!("{line}") };
        let bits = |text: &&str| f64::from_bits(u64::from_str_radix(text, 16).expect("hexadecimal digits"));
        let mut numbers: Vec<f64> = numbers.iter().map(bits).collect();
        let near = numbers.pop().expect("a value");
        (*name, numbers, near, *side)
    })
}

#[test]
fn functions_are_at_most_one_unit_off() {
    let mut count = 0;
    for (name, args, near, side) in values() {
        let got = match args[..] {
            [x] => unary(name).value(x),
            [x, y] => binary(name).value(x, y),
            _ => panic!("{name} has one or two arguments"),
        };
        // Remainders are exact.
        let is_right =
            if name == "rem" { got.to_bits() == near.to_bits() } else { is_within_one_unit(got, near, side) };
        assert!(is_right, "{name} of {args:?} is {near:e} and not {got:e}");
        count += 1;
    }
    assert!(count > 3000, "{count} values");
}

#[test]
fn functions_of_one_have_their_special_values() {
    use std::f64::consts::{FRAC_PI_2, LN_2, PI};
    const INFINITY: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let cases: &[(&str, &[(f64, f64)])] = &[
        ("sin", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, NAN), (-INFINITY, NAN), (NAN, NAN)]),
        ("cos", &[(0.0, 1.0), (-0.0, 1.0), (INFINITY, NAN), (NAN, NAN)]),
        ("tan", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, NAN), (NAN, NAN)]),
        ("asin", &[(0.0, 0.0), (-0.0, -0.0), (1.0, FRAC_PI_2), (-1.0, -FRAC_PI_2), (1.5, NAN), (NAN, NAN)]),
        ("acos", &[(1.0, 0.0), (-1.0, PI), (0.0, FRAC_PI_2), (-0.0, FRAC_PI_2), (-1.5, NAN), (NAN, NAN)]),
        ("atan", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, FRAC_PI_2), (-INFINITY, -FRAC_PI_2), (NAN, NAN)]),
        ("sinh", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, INFINITY), (-INFINITY, -INFINITY), (NAN, NAN)]),
        ("cosh", &[(0.0, 1.0), (-0.0, 1.0), (-INFINITY, INFINITY), (1e300, INFINITY), (NAN, NAN)]),
        ("tanh", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, 1.0), (-INFINITY, -1.0), (-1e300, -1.0), (NAN, NAN)]),
        ("asinh", &[(0.0, 0.0), (-0.0, -0.0), (INFINITY, INFINITY), (-INFINITY, -INFINITY), (NAN, NAN)]),
        ("acosh", &[(1.0, 0.0), (0.5, NAN), (-INFINITY, NAN), (INFINITY, INFINITY), (NAN, NAN)]),
        ("atanh", &[(-0.0, -0.0), (1.0, INFINITY), (-1.0, -INFINITY), (2.0, NAN), (-INFINITY, NAN), (NAN, NAN)]),
        ("exp", &[(0.0, 1.0), (-0.0, 1.0), (INFINITY, INFINITY), (-INFINITY, 0.0), (1e300, INFINITY), (NAN, NAN)]),
        ("ln", &[(1.0, 0.0), (0.0, -INFINITY), (-0.0, -INFINITY), (-1.0, NAN), (INFINITY, INFINITY), (NAN, NAN)]),
        ("ln", &[(2.0, LN_2), (-INFINITY, NAN)]),
        ("log10", &[(1.0, 0.0), (0.0, -INFINITY), (1000.0, 3.0), (-1.0, NAN), (INFINITY, INFINITY), (NAN, NAN)]),
    ];
    for (name, cases) in cases {
        for &(x, want) in *cases {
            let got = unary(name).value(x);
            assert!(is_same(got, want), "{name} of {x:?} is {want:?} and not {got:?}");
        }
    }
}

/// Name, and arguments with the value.
type OfTwo = (&'static str, &'static [(f64, f64, f64)]);

#[test]
fn functions_of_two_have_their_special_values() {
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    const INFINITY: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    // ISO C, annex F; remainders by zero as the processor computes them.
    let cases: &[OfTwo] = &[
        ("pow", &[(2.0, 10.0, 1024.0), (-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-8.0, 1.0 / 3.0, NAN), (NAN, 0.0, 1.0)]),
        (
            "pow",
            &[(1.0, NAN, 1.0), (1.0, INFINITY, 1.0), (-1.0, INFINITY, 1.0), (0.0, -1.0, INFINITY), (NAN, 1.0, NAN)],
        ),
        (
            "pow",
            &[(-0.0, -1.0, -INFINITY), (-0.0, -2.0, INFINITY), (-0.0, 3.0, -0.0), (0.0, 0.5, 0.0), (2.0, NAN, NAN)],
        ),
        ("pow", &[(0.5, INFINITY, 0.0), (0.5, -INFINITY, INFINITY), (2.0, -INFINITY, 0.0), (INFINITY, -0.5, 0.0)]),
        ("pow", &[(-INFINITY, 3.0, -INFINITY), (-INFINITY, -3.0, -0.0), (-1.0, 1e300, 1.0), (-1.0, 7.0, -1.0)]),
        ("pow", &[(1.5, 1e300, INFINITY), (0.5, 1e300, 0.0), (-1.5, 1e300, INFINITY), (2.0, -1074.0, 5e-324)]),
        ("atan2", &[(0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (0.0, -1.0, PI), (-0.0, -1.0, -PI), (0.0, 0.0, 0.0)]),
        ("atan2", &[(0.0, -0.0, PI), (-0.0, -0.0, -PI), (-0.0, 0.0, -0.0), (1.0, 0.0, FRAC_PI_2), (NAN, 1.0, NAN)]),
        ("atan2", &[(-1.0, -0.0, -FRAC_PI_2), (INFINITY, 1.0, FRAC_PI_2), (1.0, INFINITY, 0.0), (1.0, -INFINITY, PI)]),
        ("atan2", &[(INFINITY, INFINITY, FRAC_PI_4), (-INFINITY, -INFINITY, -3.0 * FRAC_PI_4), (1.0, NAN, NAN)]),
        ("hypot", &[(3.0, 4.0, 5.0), (0.0, -0.0, 0.0), (INFINITY, NAN, INFINITY), (NAN, -INFINITY, INFINITY)]),
        ("hypot", &[(1e300, 1e300, 1e300 * std::f64::consts::SQRT_2), (0.0, -2.0, 2.0), (NAN, 1.0, NAN)]),
        ("rem", &[(5.0, 3.0, 2.0), (-5.0, 3.0, -2.0), (5.0, -3.0, 2.0), (-3.0, 3.0, -0.0), (1.0, 0.0, NAN)]),
        ("rem", &[(INFINITY, 1.0, NAN), (1.0, INFINITY, 1.0), (-0.0, 1.0, -0.0), (NAN, 1.0, NAN), (1e300, 7.0, 1.0)]),
        ("mod", &[(5.0, 3.0, 2.0), (-5.0, 3.0, 1.0), (5.0, -3.0, -1.0), (-3.0, 3.0, -0.0), (2.0, 0.0, 2.0)]),
        ("mod", &[(NAN, 0.0, NAN), (INFINITY, 2.0, NAN), (-1.0, INFINITY, INFINITY), (1.0, INFINITY, 1.0)]),
    ];
    for (name, cases) in cases {
        for &(x, y, want) in *cases {
            let got = binary(name).value(x, y);
            assert!(is_same(got, want), "{name} of {x:?} and {y:?} is {want:?} and not {got:?}");
        }
    }
}

/// The same bits, or both not-a-number.
fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Arguments that cover every branch of every function, mixed.
fn arguments() -> Vec<f64> {
    let special = [0.0, 1.0, 0.5, 2.0, 1e300, 1e-300, 5e-324, 1e5, 1e7, 700.0, 709.0, 745.0, f64::INFINITY, f64::NAN];
    // Hard to round.
    let halves = [2.5, 3.5, 0.5f64.next_down(), 0.5f64.next_up(), 2251799813685248.5, 4503599627370497.0];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let signed = special.into_iter().chain(halves).flat_map(|x| [x, -x]);
    let rest = (0..CHUNK * 60).map(|_| {
        let bits = next();
        let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
        match bits >> 1 & 7 {
            0 => f64::from_bits(next()),
            1 => sign * special[(next() % special.len() as u64) as usize],
            2 | 3 => sign * (next() >> 11) as f64 / (1u64 << 53) as f64,
            _ => sign * (next() >> 11) as f64 / (1u64 << 48) as f64,
        }
    });
    signed.chain(rest).collect()
}

#[test]
fn many_lanes_have_the_bits_of_one() {
    let all = arguments();
    let (chunks, _) = all.as_chunks::<CHUNK>();
    let mut out = [0.0; CHUNK];
    for (x, y) in chunks.iter().zip(chunks.iter().skip(7)) {
        // Also with all lanes on the fast path.
        for (x, y) in [(*x, *y), (x.map(tame), y.map(tame))] {
            for op in Unary::ALL {
                op.accept(Many(&[x], &mut out));
                for (&x, &got) in x.iter().zip(&out) {
                    assert!(is_same(got, op.value(x)), "{op:?} of {x:?}");
                }
            }
            for op in Binary::ALL {
                op.accept(Many(&[x, y], &mut out));
                for ((&x, &y), &got) in x.iter().zip(&y).zip(&out) {
                    assert!(is_same(got, op.value(x, y)), "{op:?} of {x:?} and {y:?}");
                }
            }
        }
    }
}

fn tame(x: f64) -> f64 {
    1.0 + (x.to_bits() >> 12) as f64 / (1u64 << 53) as f64
}

/// Long and short vectors between states, so that no engine computes them outside its loop.
#[test]
fn engines_have_the_bits_of_one_lane() {
    let all = arguments();
    for lanes in [1, 3, 4, 8, 9, 33, 100] {
        let texts = |from: &[f64]| from[..lanes].iter().map(f64::to_string).collect::<Vec<_>>();
        let texts = [texts(&all), texts(&all[500..])];
        let [x, y] = texts.each_ref().map(|texts| texts.iter().map(String::as_str).collect::<Vec<_>>());
        for (name, block, ports) in BLOCKS {
            let mut sketch = Sketch::new(1.0)
                .block(0, "Var/Static", &[("Value", &x)])
                .block(1, "Var/Static", &[("Value", &y)])
                .block(2, "Discrete/Unit Delay", &[])
                .block(3, "Discrete/Unit Delay", &[])
                .block(4, block, &[("Function", &[name])])
                .block(5, "Discrete/Unit Delay", &[])
                .block(6, "exit y", &[])
                .wire("0.Output", "2.Input")
                .wire("1.Output", "3.Input")
                .wire("4.Output", "5.Input")
                .wire("5.Output", "6.Input");
            for (from, port) in ["2.Output", "3.Output"].into_iter().zip(ports) {
                sketch = sketch.wire(from, &format!("4.{port}"));
            }
            for engine in ["simple", "flat", "compiled"] {
                let mut run = Run::new(&sketch.simulation, engine);
                let got = run.steps(5).exit("y");
                for lane in 0..lanes {
                    let want = match ports.len() {
                        1 => unary(name).value(all[lane]),
                        _ => binary(name).value(all[lane], all[500 + lane]),
                    };
                    assert!(is_same(got[lane], want), "{name} on {engine}, lane {lane} of {lanes}: {}", got[lane]);
                }
            }
        }
    }
}

const ONE: &[&str] = &["Input"];
const TWO: &[&str] = &["Input 1", "Input 2"];
const BLOCKS: [(&str, &str, &[&str]); 21] = [
    ("sin", "Math/Trigonometry", ONE),
    ("cos", "Math/Trigonometry", ONE),
    ("tan", "Math/Trigonometry", ONE),
    ("asin", "Math/Trigonometry", ONE),
    ("acos", "Math/Trigonometry", ONE),
    ("atan", "Math/Trigonometry", ONE),
    ("sinh", "Math/Trigonometry", ONE),
    ("cosh", "Math/Trigonometry", ONE),
    ("tanh", "Math/Trigonometry", ONE),
    ("asinh", "Math/Trigonometry", ONE),
    ("acosh", "Math/Trigonometry", ONE),
    ("atanh", "Math/Trigonometry", ONE),
    ("atan2", "Math/Trigonometry", &["Y", "X"]),
    ("exp", "Math/Function", ONE),
    ("ln", "Math/Function", ONE),
    ("log10", "Math/Function", ONE),
    ("round", "Math/Function", ONE),
    ("pow", "Math/Function", TWO),
    ("hypot", "Math/Function", TWO),
    ("rem", "Math/Function", TWO),
    ("mod", "Math/Function", TWO),
];
