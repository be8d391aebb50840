//! The statistics of all blocks with random numbers, of a million samples each, against theory. No test knows a number
//! of a stream: each asks for what a true random source meets but once in a hundred thousand cases.

use std::f64::consts::{PI, SQRT_2};

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use simulate::block::library;
use simulate::engine::Samples;

use crate::sketch::{Run, Sketch};

const COUNT: usize = 1_000_000;

/// The standard normal value that is exceeded, on one side or the other, once in a hundred thousand cases.
const SIDES: f64 = 4.417;
/// The same on one side.
const SIDE: f64 = 4.265;
/// The same as [`SIDES`] of Student's distribution with 243 degrees of freedom.
const STUDENT: f64 = 4.513;

type Options<'a> = &'a [(&'a str, &'a [&'a str])];

/// A distribution with its first moments.
struct Law {
    mean: f64,
    deviation: f64,
    /// The fourth central moment by the square of the variance.
    kurtosis: f64,
    /// The probability of a value below.
    below: fn(f64) -> f64,
}

const NORMAL: Law = Law { mean: 0.0, deviation: 1.0, kurtosis: 3.0, below: |x| 0.5 * libm::erfc(-x / SQRT_2) };
/// Between −1 and 1.
const UNIFORM: Law = Law { mean: 0.0, deviation: 0.577_350_269_189_625_8, kurtosis: 1.8, below: |x| (x + 1.0) / 2.0 };

/// Each block with random numbers, scaled to its law: block, options, mean and scale, law.
const BLOCKS: [(&str, Options, (f64, f64), Law); 4] = [
    ("Var/Noise", &[("Mean", &["2"]), ("Deviation", &["0.5"])], (2.0, 0.5), NORMAL),
    ("Var/Random", &[("Low Value", &["1"]), ("High Value", &["4"])], (2.5, 1.5), UNIFORM),
    // A density of 0.1 over samples of 0.4 s.
    ("Var/Band-Limited White Noise", &[("Noise Power", &["0.1"])], (0.0, 0.5), NORMAL),
    ("Var/Signal Generator", &[("Wave", &["random"]), ("Amplitude", &["2"])], (0.0, 2.0), UNIFORM),
];

/// Returns all elements of all steps of a source.
fn draws(block: &str, options: Options, steps: usize) -> Vec<f64> {
    let sketch = Sketch::new(0.4).block(0, block, options).block(1, "exit y", &[]).wire("0.Output", "1.Input");
    let mut run = Run::new(&sketch.simulation, "compiled");
    let (_, _, output) = run.program.exits()[0];
    let mut samples = Samples::new([output]);
    run.watched_steps(steps as u64, &mut samples);
    samples.watches()[0].values.clone()
}

/// Returns a million draws of a block of [`BLOCKS`], shifted and scaled to its law.
fn scaled(row: usize, seed: &str) -> Vec<f64> {
    let (block, options, (mean, scale), _) = &BLOCKS[row];
    let seed = [seed];
    let mut options = options.to_vec();
    options.push(("Seed", &seed));
    draws(block, &options, COUNT).iter().map(|draw| (draw - mean) / scale).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// The value of χ² with so many degrees of freedom that is exceeded once in a hundred thousand cases, by the
/// approximation of Wilson and Hilferty (1931), which is right to a thousandth from 200 degrees on.
fn chi_square_limit(freedom: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + SIDE * part.sqrt()).powi(3)
}

/// Pearson's statistic for classes that are equally likely.
fn chi_square(classes: impl Iterator<Item = usize>, count: usize) -> f64 {
    let mut found = vec![0.0; count];
    let mut total = 0.0;
    for class in classes {
        found[class] += 1.0;
        total += 1.0;
    }
    let expected = total / count as f64;
    found.iter().map(|found| (found - expected).powi(2) / expected).sum()
}

/// The correlation of values of mean 0 and deviation 1 by its standard error.
fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, count) = pairs.fold((0.0, 0.0f64), |(sum, count), (a, b)| (sum + a * b, count + 1.0));
    sum / count.sqrt()
}

/// A block with a seed that nobody looks at would not be found out.
#[test]
fn every_random_block_is_here() {
    let with_seed = library::defs().filter(|def| def.param("Seed").is_some());
    let names: Vec<String> = with_seed.map(|def| format!("{}/{}", def.group, def.name)).collect();
    for name in &names {
        let is_here = BLOCKS.iter().any(|(block, ..)| block == name) || name == "Var/Pink Noise";
        assert!(is_here, "the statistics of {name} are not tested");
    }
    assert_eq!(names.len(), BLOCKS.len() + 1);
}

/// The tests find bad sources: numbers that repeat, that follow their predecessor, and a wrong distribution.
#[test]
fn a_bad_source_is_seen() {
    let steps = |index: usize| (index as f64 * 0.618_033_988_749_894_9).fract();
    let even: Vec<f64> = (0..COUNT).map(|index| (2.0 * steps(index) - 1.0) / UNIFORM.deviation).collect();
    assert!(correlation(even.iter().copied().zip(even[1..].iter().copied())).abs() > 100.0);
    let pairs = (0..COUNT - 1).map(|index| class(steps(index), 32) * 32 + class(steps(index + 1), 32));
    assert!(chi_square(pairs, 1024) > chi_square_limit(1023.0));
    // A hundredth part too narrow.
    let narrow: Vec<f64> = scaled(0, "3").iter().map(|draw| draw * 0.99).collect();
    assert!(greatest_distance(narrow, NORMAL.below) > kolmogorov_limit());
    // By scipy.stats.chi2.isf.
    for (freedom, limit) in [(200.0, 296.997), (1023.0, 1227.484)] {
        assert!((chi_square_limit(freedom) / limit - 1.0).abs() < 1e-3, "{}", chi_square_limit(freedom));
    }
}

#[test]
fn random_blocks_have_their_moments() {
    for (row, (block, .., law)) in BLOCKS.iter().enumerate() {
        let draws = scaled(row, "0");
        let count = COUNT as f64;
        let got = mean(draws.iter().copied());
        let off = (got - law.mean) / law.deviation * count.sqrt();
        assert!(off.abs() < SIDES, "{block}: the mean is off by {off} standard errors");
        let variance = mean(draws.iter().map(|draw| (draw - law.mean).powi(2))) / law.deviation.powi(2);
        let off = (variance - 1.0) / ((law.kurtosis - 1.0) / count).sqrt();
        assert!(off.abs() < SIDES, "{block}: the variance is off by {off} standard errors");
        // The sixth moments by the cube of the variance: 15 and 27/7.
        let sixth = if law.kurtosis == 3.0 { 15.0 } else { 27.0 / 7.0 };
        let third = mean(draws.iter().map(|draw| ((draw - law.mean) / law.deviation).powi(3)));
        let off = third * (count / sixth).sqrt();
        assert!(off.abs() < SIDES, "{block}: the third moment is off by {off} standard errors");
    }
}

/// The limit of Kolmogorov's statistic, of the asymptotic distribution 2·e^(−2x²).
fn kolmogorov_limit() -> f64 {
    (2e5f64.ln() / 2.0).sqrt()
}

/// The greatest distance between the distribution of the values and that of theory, times the root of their number.
fn greatest_distance(mut values: Vec<f64>, below: fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let distance = |(index, value): (usize, &f64)| {
        let p = below(*value);
        (p - index as f64 / count).max((index + 1) as f64 / count - p)
    };
    values.iter().enumerate().map(distance).fold(0.0, f64::max) * count.sqrt()
}

fn class(p: f64, count: usize) -> usize {
    ((p * count as f64) as usize).min(count - 1)
}

/// Kolmogorov and Smirnov's test, and Pearson's over a thousand classes.
#[test]
fn random_blocks_have_their_distribution() {
    for (row, (block, .., law)) in BLOCKS.iter().enumerate() {
        for seed in ["0", "7"] {
            let draws = scaled(row, seed);
            let found = chi_square(draws.iter().map(|draw| class((law.below)(*draw), 1000)), 1000);
            assert!(found < chi_square_limit(999.0), "{block}, seed {seed}: χ² is {found}");
            let distance = greatest_distance(draws, law.below);
            assert!(distance < kolmogorov_limit(), "{block}, seed {seed}: Kolmogorov's statistic is {distance}");
        }
    }
}

/// Correlations over short, long and round distances, and pairs of neighbours over 32 by 32 classes.
#[test]
fn random_blocks_have_no_memory() {
    for (row, (block, .., law)) in BLOCKS.iter().enumerate() {
        let draws = scaled(row, "0");
        let units: Vec<f64> = draws.iter().map(|draw| (draw - law.mean) / law.deviation).collect();
        for lag in [1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 256, 1000, 1024, 4096, 65536] {
            let found = correlation(units.iter().copied().zip(units[lag..].iter().copied()));
            assert!(found.abs() < SIDES, "{block}, lag {lag}: {found} standard errors");
            // That of the squares: a calm time is followed by no calm time.
            let energy = |unit: f64| (unit * unit - 1.0) / (law.kurtosis - 1.0).sqrt();
            let found = correlation(units.iter().zip(&units[lag..]).map(|(a, b)| (energy(*a), energy(*b))));
            assert!(found.abs() < SIDES, "{block}, lag {lag}: {found} standard errors, of the squares");
        }
        let classes: Vec<usize> = draws.iter().map(|draw| class((law.below)(*draw), 32)).collect();
        let found = chi_square(classes.chunks_exact(2).map(|pair| pair[0] * 32 + pair[1]), 1024);
        assert!(found < chi_square_limit(1023.0), "{block}: χ² of neighbours is {found}");
    }
}

/// Streams of other seeds, of neighbouring and of distant ones, and those of the elements of a vector.
#[test]
fn streams_are_independent() {
    let seeds = ["0", "1", "-1", "1e9", "0.5"];
    let streams: Vec<Vec<f64>> = seeds.iter().map(|seed| scaled(0, seed)).collect();
    for (one, first) in streams.iter().enumerate() {
        for (other, second) in streams.iter().enumerate().skip(one + 1) {
            for lag in [0, 1, 2, 64] {
                let after = correlation(first.iter().copied().zip(second[lag..].iter().copied()));
                let before = correlation(first[lag..].iter().copied().zip(second.iter().copied()));
                let what = format!("seeds {} and {}, lag {lag}", seeds[one], seeds[other]);
                assert!(after.abs() < SIDES && before.abs() < SIDES, "{what}: {after}, {before} standard errors");
            }
            let class = |draw: &f64| class((NORMAL.below)(*draw), 32);
            let found = chi_square(first.iter().zip(second).map(|(a, b)| class(a) * 32 + class(b)), 1024);
            assert!(found < chi_square_limit(1023.0), "seeds {} and {}: χ² is {found}", seeds[one], seeds[other]);
        }
    }
    let elements = draws("Var/Noise", &[("Mean", &["0", "0", "0"])], COUNT / 3);
    for (one, other, lag) in [(0, 1, 0), (0, 2, 0), (1, 2, 0), (0, 1, 1), (1, 0, 1), (2, 0, 1)] {
        let of = |element: usize, from: usize| elements.chunks_exact(3).skip(from).map(move |step| step[element]);
        let found = correlation(of(one, 0).zip(of(other, lag)));
        assert!(found.abs() < SIDES, "elements {one} and {other}, lag {lag}: {found} standard errors");
    }
}

/// The powers of the lines 1, 2, … of each piece of so many samples: |Σ x·e^(−2πikn/N)|²/N.
fn powers(values: &[f64], length: usize) -> Vec<Vec<f64>> {
    let transform = FftPlanner::new().plan_fft_forward(length);
    let pieces = values.chunks_exact(length).map(|piece| {
        let mut piece: Vec<Complex<f64>> = piece.iter().map(|&value| Complex::new(value, 0.0)).collect();
        transform.process(&mut piece);
        piece[1..length / 2].iter().map(|line| line.norm_sqr() / length as f64).collect()
    });
    pieces.collect()
}

/// Each of 511 lines has the variance of the samples. The mean of 976 exponentially distributed powers is nearly normal;
/// by its skewness, 2/√976, the limit of 1e-5/511 lies at 5.95 standard errors above.
#[test]
fn white_noise_has_a_flat_spectrum() {
    for (row, (block, .., law)) in BLOCKS.iter().enumerate() {
        let pieces = powers(&scaled(row, "0"), 1024);
        let count = pieces.len() as f64;
        for line in 0..511 {
            let power = mean(pieces.iter().map(|piece| piece[line])) / law.deviation.powi(2);
            let off = (power - 1.0) * count.sqrt();
            assert!(off.abs() < 5.95, "{block}: line {} is off by {off} standard errors", line + 1);
        }
    }
}

const OCTAVES: u32 = 10;

/// The mean power of a line of pink noise as the sum of numbers that are held over 1, 2, 4, … samples: the transform of a
/// pulse of B samples is sin(πfB)/sin(πf), and one of B begins in every B samples.
fn pink_power(frequency: f64) -> f64 {
    let held = |octave: u32| {
        let length = f64::from(1u32 << octave);
        ((PI * frequency * length).sin() / (PI * frequency).sin()).powi(2) / length
    };
    (0..OCTAVES).map(held).sum::<f64>() / f64::from(OCTAVES)
}

/// The power of each octave is that of theory within its standard error, which the pieces themselves tell, since the lines
/// of numbers that are held are not independent; and theory is 1/f: from two octaves above the longest hold on, neighbouring octaves have
/// equal powers within 0.3 decibels.
#[test]
fn pink_noise_has_the_spectrum_of_its_sum() {
    let length = 4096;
    let options: Options = &[("Octaves", &["10"]), ("Deviation", &["3"]), ("Seed", &["5"])];
    let pink: Vec<f64> = draws("Var/Pink Noise", options, COUNT).iter().map(|draw| draw / 3.0).collect();
    let pieces = powers(&pink, length);
    let lines_of = |octave: u32| (1usize << octave) - 1..(2usize << octave) - 1;
    let frequency = |line: usize| (line + 1) as f64 / length as f64;
    for octave in 0..11 {
        let want: f64 = lines_of(octave).map(|line| pink_power(frequency(line))).sum();
        let sums: Vec<f64> = pieces.iter().map(|piece| piece[lines_of(octave)].iter().sum()).collect();
        let got = mean(sums.iter().copied());
        let count = sums.len() as f64;
        let error = (mean(sums.iter().map(|sum| (sum - got).powi(2))) / (count - 1.0)).sqrt();
        assert!((got - want).abs() < STUDENT * error, "octave {octave}: {got}, not {want} ± {error}");
    }
    let octave_power = |octave: u32| lines_of(octave).map(|line| pink_power(frequency(line))).sum::<f64>();
    let theory: Vec<f64> = (2..11).map(octave_power).collect();
    let mut slopes = theory.windows(2).map(|pair| 10.0 * (pair[1] / pair[0]).log10());
    assert!(slopes.all(|slope| slope.abs() < 0.3), "{theory:?}");
}

/// Var[y] = σ²; the sum of ten normal numbers is normal. One sample of 512 is independent of the next.
#[test]
fn pink_noise_has_its_distribution() {
    let options: Options = &[("Octaves", &["10"]), ("Seed", &["5"])];
    let pink = draws("Var/Pink Noise", options, COUNT);
    for offset in [0, 17, 511] {
        let apart: Vec<f64> = pink.iter().skip(offset).step_by(512).copied().collect();
        let count = apart.len() as f64;
        let off = mean(apart.iter().copied()) * count.sqrt();
        assert!(off.abs() < SIDES, "offset {offset}: the mean is off by {off} standard errors");
        let off = (mean(apart.iter().map(|draw| draw * draw)) - 1.0) * (count / 2.0).sqrt();
        assert!(off.abs() < SIDES, "offset {offset}: the variance is off by {off} standard errors");
        let distance = greatest_distance(apart, NORMAL.below);
        assert!(distance < kolmogorov_limit(), "offset {offset}: Kolmogorov's statistic is {distance}");
    }
    // Of the 511 pairs of neighbours in 512 samples, those that a number of each hold spans.
    let held = |octave: u32| f64::from((512 >> octave) * ((1u32 << octave) - 1)) / 511.0;
    let want = (0..OCTAVES).map(held).sum::<f64>() / f64::from(OCTAVES);
    let products: Vec<f64> =
        pink.chunks_exact(512).map(|piece| mean(piece.windows(2).map(|pair| pair[0] * pair[1]))).collect();
    let count = products.len() as f64;
    let got = mean(products.iter().copied());
    let error = (mean(products.iter().map(|product| (product - got).powi(2))) / (count - 1.0)).sqrt();
    assert!((got - want).abs() < STUDENT * error, "neighbours: {got}, not {want} ± {error}");
}
