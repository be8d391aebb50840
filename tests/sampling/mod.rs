//! Designs of experiments: their properties, the closed forms of indices, and figures of SALib.

mod indices;

use std::collections::BTreeSet;

use simulate::sampling::{DesignSize, SampleDesign, SampleError};

fn points(design: SampleDesign, samples: u64, dims: usize, seed: u64) -> Vec<Vec<f64>> {
    let size = DesignSize { samples, dims, seed };
    assert_eq!(design.check(&size), Ok(()));
    (0..design.points(samples, dims).unwrap()).map(|point| design.point(&size, point)).collect()
}

/// Each of as many equal parts as there are points has one of them.
fn assert_stratified(points: &[Vec<f64>], dim: usize, parts: usize) {
    let found: BTreeSet<usize> = points.iter().map(|point| (point[dim] * parts as f64) as usize).collect();
    assert_eq!((found.len(), found.last()), (parts, Some(&(parts - 1))), "coordinate {dim} of {}", points.len());
}

#[test]
fn a_latin_hypercube_has_a_point_in_each_part() {
    for samples in [2, 3, 7, 10, 64, 100, 257, 1000] {
        for seed in 0..4 {
            let points = points(SampleDesign::LatinHypercube, samples, 5, seed);
            (0..5).for_each(|dim| assert_stratified(&points, dim, samples as usize));
        }
    }
}

/// Two coordinates are not ordered alike: of 1000 independent pairs, the correlation has the standard deviation 0.032.
#[test]
fn coordinates_are_independent() {
    for design in [SampleDesign::LatinHypercube, SampleDesign::Sobol, SampleDesign::Halton] {
        let points = points(design, 1000, 4, 3);
        for (one, other) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
            let sum: f64 = points.iter().map(|point| (point[one] - 0.5) * (point[other] - 0.5)).sum();
            assert!((sum / 1000.0 * 12.0).abs() < 0.16, "{design:?} {one} {other}: {sum}");
        }
    }
}

/// Each coordinate of Sobol's sequence is a (0, m, 1)-net, and the first two are a (0, m, 2)-net: each box of the size 1/n
/// whose sides are powers of 2 has one of n points, scrambled or not.
#[test]
fn sobols_sequence_is_a_net() {
    for (power, seed) in [(1, 0), (4, 1), (7, 2), (10, 3)] {
        let count = 1usize << power;
        let points = points(SampleDesign::Sobol, count as u64, 256, seed);
        (0..256).for_each(|dim| assert_stratified(&points, dim, count));
        for columns in 0..=power {
            let (across, down) = ((1u64 << columns) as f64, (1u64 << (power - columns)) as f64);
            let boxes: BTreeSet<_> =
                points.iter().map(|point| ((point[0] * across) as u64, (point[1] * down) as u64)).collect();
            assert_eq!(boxes.len(), count, "{columns} of {power}");
        }
    }
}

/// Each coordinate of Halton's sequence is a net in its base, and two of them are one together.
#[test]
fn haltons_sequence_is_a_net_in_each_base() {
    for (dim, base) in [2usize, 3, 5, 7, 11, 13].into_iter().enumerate() {
        for seed in 0..3 {
            let points = points(SampleDesign::Halton, (base * base) as u64, 6, seed);
            assert_stratified(&points, dim, base * base);
            assert_stratified(&points[..base], dim, base);
        }
    }
    let points = points(SampleDesign::Halton, 8 * 9, 2, 5);
    let boxes: BTreeSet<_> = points.iter().map(|point| ((point[0] * 8.0) as u64, (point[1] * 9.0) as u64)).collect();
    assert_eq!(boxes.len(), 72);
}

/// The bases are the first primes, in which the 311th number lies in each part.
#[test]
fn the_last_base_is_311() {
    let points = points(SampleDesign::Halton, 311, 64, 0);
    assert_stratified(&points, 63, 311);
}

/// The mean over the points is that of Ishigami's function, a/2, within an error that random points do not reach: theirs
/// has the standard deviation 3.72/√4096 = 0.058.
#[test]
fn sequences_integrate_better_than_chance() {
    for design in [SampleDesign::LatinHypercube, SampleDesign::Sobol, SampleDesign::Halton] {
        let values = points(design, 4096, 3, 1).into_iter().map(|point| indices::ishigami(&point));
        let error = values.sum::<f64>() / 4096.0 - 3.5;
        let limit = if design == SampleDesign::LatinHypercube { 0.12 } else { 0.01 };
        assert!(error.abs() < limit, "{design:?}: {error}");
    }
}

#[test]
fn the_same_seed_gives_the_same_points_and_another_one_others() {
    for design in SampleDesign::ALL {
        let [one, same, other] = [1, 1, 2].map(|seed| points(design, 16, 3, seed));
        assert_eq!(one, same, "{design:?}");
        assert_ne!(one, other, "{design:?}");
        assert_eq!(SampleDesign::by_name(design.name()), Some(design));
        let is_inside = |value: &f64| design == SampleDesign::Morris || (*value > 0.0 && *value < 1.0);
        assert!(one.iter().flatten().all(is_inside), "{design:?}");
    }
}

/// In each step of a trajectory one coordinate changes by 2/3, up or down, between levels 0, 1/3, 2/3 and 1; in a trajectory,
/// each changes once.
#[test]
fn trajectories_change_one_coordinate_after_the_other() {
    let points = points(SampleDesign::Morris, 50, 6, 9);
    let mut ups = 0;
    for trajectory in points.chunks(7) {
        let mut changed = BTreeSet::new();
        for pair in trajectory.windows(2) {
            let changes: Vec<usize> = (0..6).filter(|dim| pair[0][*dim] != pair[1][*dim]).collect();
            let [dim] = changes[..] else { panic!("{changes:?}") };
            let change = pair[1][dim] - pair[0][dim];
            assert!((change.abs() - 2.0 / 3.0).abs() < 1e-15);
            ups += usize::from(change > 0.0);
            assert!(changed.insert(dim));
        }
        let levels = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0];
        assert!(trajectory.iter().flatten().all(|value| levels.contains(value)));
    }
    // Of 300, with the standard deviation 8.7.
    assert!((106..194).contains(&ups), "{ups}");
}

/// The points A and B of Saltelli's scheme, and those between them.
#[test]
fn saltellis_scheme_exchanges_one_coordinate() {
    let points = points(SampleDesign::SobolIndices, 64, 4, 5);
    for of_pair in points.chunks(6) {
        let (first, last) = (&of_pair[0], &of_pair[5]);
        for dim in 0..4 {
            for other in 0..4 {
                let expected = if other == dim { last } else { first };
                assert_eq!(of_pair[dim + 1][other], expected[other]);
            }
        }
    }
}

#[test]
fn sizes_have_limits() {
    let check = |design: SampleDesign, samples, dims| design.check(&DesignSize { samples, dims, seed: 0 }).err();
    assert_eq!(check(SampleDesign::Sobol, 65_536, 256), None);
    assert_eq!(check(SampleDesign::Sobol, 65_537, 1), Some(SampleError::Samples(65_536)));
    assert_eq!(check(SampleDesign::Sobol, 2, 257), Some(SampleError::Dims(256)));
    assert_eq!(check(SampleDesign::SobolIndices, 2, 129), Some(SampleError::Dims(128)));
    assert_eq!(check(SampleDesign::Halton, 2, 65), Some(SampleError::Dims(64)));
    assert_eq!(check(SampleDesign::Morris, 1, 3), Some(SampleError::TooFew));
    assert_eq!(check(SampleDesign::Random, 1, 3), None);
    assert_eq!(SampleDesign::Morris.points(u64::MAX, 3), None);
    assert_eq!(SampleDesign::SobolIndices.points(1000, 3), Some(5000));
    assert_eq!(SampleDesign::Morris.points(1000, 3), Some(4000));
}
