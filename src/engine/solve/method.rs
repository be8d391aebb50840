//! One step of the variable-step methods, with an error estimate and dense output.
//!
//! [`dopri45`] is the pair of Dormand and Prince (J. Comp. Appl. Math. 6, 1980) with the dense output of order 4 of
//! Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, 2nd edition (1993), section II.6. [`rodas34`] is
//! the stiffly stable Rosenbrock method RODAS of order 4(3) with dense output of order 3, of Hairer, Wanner: Solving
//! Ordinary Differential Equations II, 2nd edition (1996), section IV.7 and its code.

use super::sparse::StepMatrix;
use super::tableau::DOPRI5;
use crate::block::Rates;

/// A trial step. Each vector has `n` values unless stated otherwise.
#[derive(Debug, Default)]
pub struct Trial {
    /// The state at its end.
    pub x: Vec<f64>,
    /// The estimated error of the state.
    pub error: Vec<f64>,
    /// The rates at its end, for a method that computes them anyway.
    pub rates: Vec<f64>,
    /// The coefficients for [`dopri45_between`], [`rodas34_between`] or [`radau_between`](super::radau::radau_between):
    /// [`DENSE`] for each state.
    pub dense: Vec<f64>,
    stages: Vec<Vec<f64>>,
    assumed: Vec<f64>,
}

/// The number of coefficients of the dense output for one state.
pub const DENSE: usize = 5;

impl Trial {
    pub fn new(n: usize) -> Trial {
        let zeros = || vec![0.0; n];
        Trial {
            x: zeros(),
            error: zeros(),
            rates: zeros(),
            dense: vec![0.0; DENSE * n],
            stages: (0..6).map(|_| zeros()).collect(),
            assumed: zeros(),
        }
    }
}

/// Makes a trial step of length `h` from `x` at `time`, where the rates are `first`.
pub fn dopri45(trial: &mut Trial, time: f64, h: f64, x: &[f64], first: &[f64], rates: Rates) {
    let Trial { x: end, error, rates: last, dense, stages, assumed } = trial;
    stages[0].copy_from_slice(first);
    for stage in 1..DOPRI5.parts.len() {
        for (state, assumed) in assumed.iter_mut().enumerate() {
            *assumed = DOPRI5.stage_state(stage, x[state], |of| stages[of][state], h);
        }
        rates(time + DOPRI5.parts[stage] * h, assumed, &mut stages[stage]);
    }
    for (state, end) in end.iter_mut().enumerate() {
        *end = DOPRI5.advance(x[state], |of| stages[of][state], h);
    }
    rates(time + h, end, last);
    for state in 0..x.len() {
        let [k1, k3, k4, k5, k6] = [0, 2, 3, 4, 5].map(|stage: usize| stages[stage][state]);
        let k7 = last[state];
        error[state] = h
            * (71.0 / 57600.0 * k1 - 71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4 - 17253.0 / 339200.0 * k5
                + 22.0 / 525.0 * k6
                - 1.0 / 40.0 * k7);
        let difference = end[state] - x[state];
        let bend = h * k1 - difference;
        let fifth = h
            * (-12715105075.0 / 11282082432.0 * k1 + 87487479700.0 / 32700410799.0 * k3
                - 10690763975.0 / 1880347072.0 * k4
                + 701980252875.0 / 199316789632.0 * k5
                - 1453857185.0 / 822651844.0 * k6
                + 69997945.0 / 29380423.0 * k7);
        dense[DENSE * state..][..DENSE].copy_from_slice(&[
            x[state],
            difference,
            bend,
            difference - h * k7 - bend,
            fifth,
        ]);
    }
}

/// The state at the fraction `s` of the step.
pub fn dopri45_between(dense: &[f64], s: f64) -> f64 {
    let rest = 1.0 - s;
    dense[0] + s * (dense[1] + rest * (dense[2] + s * (dense[3] + rest * dense[4])))
}

/// The diagonal coefficient of RODAS.
pub const GAMMA: f64 = 0.25;
const C: [f64; 6] = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0];
/// The factor of the rates' derivative by time, for each stage.
const D: [f64; 6] = [0.25, -0.1043, 0.1035, -0.036_200_000_000_000_23, 0.0, 0.0];
/// The factors of the earlier stages in the state of a stage; of the last two stages the last is added with the factor
/// 1.
const A: [&[f64]; 6] = [
    &[],
    &[1.544],
    &[0.946_678_528_081_582_6, 0.255_701_169_898_328_4],
    &[3.314_825_187_068_521, 2.896_124_015_972_201, 0.998_641_913_997_781_7],
    &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895],
    &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895, 1.0],
];
/// The factors of the earlier stages, divided by the step length, in the right-hand side of a stage.
const B: [&[f64]; 6] = [
    &[],
    &[-5.6688],
    &[-2.430_093_356_833_875, -0.206_359_915_709_191_5],
    &[-0.107_352_905_815_137_5, -9.594_562_251_023_355, -20.470_286_148_096_16],
    &[7.496_443_313_967_647, -10.246_804_314_643_52, -33.999_903_528_199_05, 11.708_908_932_061_6],
    &[
        8.083_246_795_921_522,
        -7.981_132_988_064_893,
        -31.521_594_328_743_71,
        16.319_305_431_231_36,
        -6.058_818_238_834_054,
    ],
];
const DENSE_2: [f64; 5] = [
    10.126_235_083_445_86,
    -7.487_995_877_610_167,
    -34.800_918_615_557_47,
    -7.992_771_707_568_823,
    1.025_137_723_295_662,
];
const DENSE_3: [f64; 5] = [
    -0.676_280_339_280_125_3,
    6.087_714_651_680_015,
    16.430_843_208_924_78,
    24.767_225_114_183_86,
    -6.594_389_125_716_872,
];

/// A Rosenbrock method, as its steps are computed in [`rodas34`].
#[derive(Debug)]
pub struct Rosenbrock {
    pub gamma: f64,
    /// For each stage its time as a fraction of the step.
    pub parts: [f64; 6],
    /// For each stage the factor of the rates' derivative by time.
    pub slopes: [f64; 6],
    /// The factors of the earlier stages in the state of a stage.
    pub states: [&'static [f64]; 6],
    /// The factors of the earlier stages, divided by the step length, in the right-hand side of a stage.
    pub sides: [&'static [f64]; 6],
}

pub const RODAS: Rosenbrock = Rosenbrock { gamma: GAMMA, parts: C, slopes: D, states: A, sides: B };

/// Makes a trial step of length `h` from `x` at `time`, where the rates are `first` and their derivative by time is
/// `slope`. `matrix` has the factors of `I/(h·γ) - J`.
#[expect(clippy::too_many_arguments, reason = "the method needs them all, and has no state")]
pub fn rodas34(
    trial: &mut Trial,
    time: f64,
    h: f64,
    x: &[f64],
    first: &[f64],
    slope: &[f64],
    matrix: &mut StepMatrix,
    rates: Rates,
) {
    let Trial { x: end, error, rates: at_stage, dense, stages, assumed } = trial;
    at_stage.copy_from_slice(first);
    for stage in 0..C.len() {
        let (done, rest) = stages.split_at_mut(stage);
        if stage > 0 {
            for (state, assumed) in assumed.iter_mut().enumerate() {
                *assumed = combine(x[state], A[stage], done, state, 1.0);
            }
            rates(time + C[stage] * h, assumed, at_stage);
        }
        let stage_values = &mut rest[0];
        for (state, value) in stage_values.iter_mut().enumerate() {
            *value = combine(at_stage[state], B[stage], done, state, h) + h * D[stage] * slope[state];
        }
        matrix.solve(stage_values);
    }
    for state in 0..x.len() {
        error[state] = stages[5][state];
        end[state] = assumed[state] + stages[5][state];
        let of = |factors: &[f64; 5]| combine(0.0, factors, stages, state, 1.0);
        dense[DENSE * state..][..DENSE].copy_from_slice(&[x[state], end[state], of(&DENSE_2), of(&DENSE_3), 0.0]);
    }
}

/// `start + Σ factor·stage / divisor`.
fn combine(start: f64, factors: &[f64], stages: &[Vec<f64>], state: usize, divisor: f64) -> f64 {
    factors.iter().zip(stages).fold(start, |sum, (factor, stage)| sum + factor / divisor * stage[state])
}

/// The state at the fraction `s` of the step.
pub fn rodas34_between(dense: &[f64], s: f64) -> f64 {
    let rest = 1.0 - s;
    dense[0] * rest + s * (dense[1] + rest * (dense[2] + s * dense[3]))
}

/// The derivative of [`rodas34_between`] by `s`.
pub fn rodas34_slope(dense: &[f64], s: f64) -> f64 {
    dense[1] - dense[0] + (1.0 - 2.0 * s) * (dense[2] + s * dense[3]) + s * (1.0 - s) * dense[3]
}

/// The part of its largest value so far below which the size of a state does not count: a population that has nearly died
/// out still decides how it grows again.
pub const OF_LARGEST: f64 = 1e-3;

/// The permitted errors of the states in a step: relative to their values, and absolute.
#[derive(Clone, Copy, Debug)]
pub struct Allowed<'a> {
    pub relative: f64,
    /// One for each state.
    pub absolute: &'a [f64],
    /// In relation to the largest state: an error that may be rounding. Not 0 if the absolute errors follow from the
    /// largest values of the states so far.
    pub noise: f64,
    /// The factor by which the error of a state may be larger that grows beyond all its values so far: what it will be
    /// is not known yet.
    pub growth: f64,
}

impl Allowed<'_> {
    /// Returns the error that may be rounding, whatever the state.
    pub fn floor(&self, states: impl Iterator<Item = f64>) -> f64 {
        if self.noise == 0.0 { 0.0 } else { self.noise * states.fold(0.0, |largest: f64, x| largest.max(x.abs())) }
    }
}

/// The root mean square of errors relative to the permitted ones, of states of which two values are known.
pub fn norm(errors: &[f64], (from, to): (&[f64], &[f64]), allowed: Allowed) -> f64 {
    let floor = allowed.floor(to.iter().copied());
    let parts = errors.iter().zip(from).zip(to).zip(allowed.absolute).map(|(((error, from), to), absolute)| {
        let size = allowed.relative * from.abs().max(to.abs());
        let grows = allowed.noise > 0.0 && size > 2.0 * absolute / OF_LARGEST;
        let part = error / (floor + absolute + if grows { allowed.growth * size } else { size });
        part * part
    });
    let sum = parts.fold(0.0, |sum, part| sum + part);
    (sum / errors.len().max(1) as f64).sqrt()
}
